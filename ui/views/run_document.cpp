#include "ui/views/run_document.h"

#include <QAction>
#include <QFileDialog>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <variant>

#include "core/base/json.h"
#include "ui/models/background.h"
#include "ui/theme/theme.h"
#include "ui/views/partition_exports.h"
#include "ui/views/partition_view.h"
#include "ui/views/run_progress.h"

namespace tessera::ui {

namespace {

constexpr int kRedrawMilliseconds = 50;

bool hasPlans(const study::Result& result) {
    const auto* outcome = std::get_if<study::PartitionOutcome>(&result.outcome);
    return outcome != nullptr && !outcome->result.plans.empty();
}

}  // namespace

struct RunDocument::Implementation {
    RunDocument* document = nullptr;
    QString key;
    RunState state;
    QString title;
    QStackedWidget* pages = nullptr;
    RunProgress* progress = nullptr;
    PartitionView* partition = nullptr;
    QTimer* redraw = nullptr;
    bool stale = false;
    std::filesystem::path history;
    std::shared_ptr<const study::Result> shown;
    QVector<QAction*> actions;
    QVector<QAction*> resultActions;

    void build();
    void addActions();
    QAction* addAction(const QString& text, const char* icon, void (Implementation::*run)(), bool needsResult);
    void showState();
    QString runKey() const { return state.run != 0 ? QString::number(state.run) : QString(); }
    void repeat() { emit document->repeatRequested(); }
    void openStudy() {
        emit document->openRequested(QStringLiteral("study"),
                                     state.run != 0 ? QStringLiteral("run/%1").arg(state.run) : key);
    }
    void compare() { emit document->openRequested(QStringLiteral("compare"), runKey()); }
    void report() { emit document->openRequested(QStringLiteral("report"), runKey()); }
    void exportResult() { save(resultExportable(partition->run()), tr("Export result"), tr("JSON (*.json)")); }
    void exportTrace() {
        const int plan = partition->run().planNamed(partition->strategy());
        save(timelineExportable(partition->run(), plan), tr("Export Chrome trace"), tr("Chrome trace (*.json)"));
    }
    void save(const Exportable& what, const QString& caption, const QString& filter);
};

void RunDocument::Implementation::build() {
    auto* layout = new QVBoxLayout(document);
    layout->setContentsMargins(0, 0, 0, 0);
    pages = new QStackedWidget(document);
    progress = new RunProgress(pages);
    partition = new PartitionView(pages);
    pages->addWidget(progress);
    pages->addWidget(partition);
    layout->addWidget(pages);
    redraw = new QTimer(document);
    redraw->setSingleShot(true);
    redraw->setInterval(kRedrawMilliseconds);
    connect(redraw, &QTimer::timeout, document, [this] {
        if (stale) showState();
    });
    connect(progress, &RunProgress::resumeRequested, document, [this] { emit document->resumeRequested(state.run); });
    connect(progress, &RunProgress::repeatRequested, document, [this] { repeat(); });
    connect(progress, &RunProgress::studyRequested, document, [this] { openStudy(); });
    connect(partition, &PartitionView::inspected, document, &Document::inspected);
    connect(partition, &PartitionView::messaged, document, &Document::messaged);
    connect(partition, &PartitionView::openRequested, document, &Document::openRequested);
    connect(partition, &PartitionView::runRequested, document, &Document::runRequested);
    connect(partition, &PartitionView::modelRequested, document,
            [this] { emit document->modelRequested(partition->strategy(), partition->split()); });
    addActions();
}

QAction* RunDocument::Implementation::addAction(const QString& text, const char* icon, void (Implementation::*run)(),
                                                bool needsResult) {
    auto* action = new QAction(theme().icon(QLatin1String(icon)), text, document);
    connect(action, &QAction::triggered, document, [this, run] { (this->*run)(); });
    actions.append(action);
    if (needsResult) resultActions.append(action);
    return action;
}

void RunDocument::Implementation::addActions() {
    addAction(tr("Run again"), "run", &Implementation::repeat, false);
    addAction(tr("Open its study"), "study", &Implementation::openStudy, false);
    addAction(tr("Compare with…"), "compare", &Implementation::compare, true);
    addAction(tr("Report"), "report", &Implementation::report, true);
    addAction(tr("Export result…"), "export", &Implementation::exportResult, true);
    addAction(tr("Export Chrome trace…"), "timeline", &Implementation::exportTrace, true);
    actions += partition->viewActions();
}

void RunDocument::Implementation::save(const Exportable& what, const QString& caption, const QString& filter) {
    auto* dialog = new QFileDialog(document, caption, what.name + QStringLiteral(".json"), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, document, [this, what](const QString& path) {
        inBackground(
            document,
            [what, path] {
                exportTo(what, QStringLiteral("json"), path);
                return path;
            },
            [this](const QString& written) { emit document->messaged(tr("Saved %1.").arg(written), written); },
            [this](const QString& problem) { emit document->messaged(problem, QString()); });
    });
    dialog->open();
}

void RunDocument::Implementation::showState() {
    stale = false;
    redraw->start();
    const bool done = state.result != nullptr && hasPlans(*state.result);
    for (QAction* action : resultActions) action->setEnabled(done);
    for (QAction* action : partition->viewActions()) action->setVisible(done);
    if (done && state.result != shown) {
        shown = state.result;
        partition->setHistory(history, state.run);
        partition->setRun(PartitionRun(shown), state.curves);
    }
    if (!done) progress->setState(state);
    pages->setCurrentWidget(done ? static_cast<QWidget*>(partition) : progress);
    const QString newTitle = document->title();
    if (std::exchange(title, newTitle) != newTitle) emit document->titleChanged();
}

RunDocument::RunDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation) {
    d_->document = this;
    d_->key = key;
    d_->build();
    d_->showState();
}

RunDocument::~RunDocument() = default;

QString RunDocument::key() const {
    return d_->key;
}

QString RunDocument::title() const {
    return d_->state.title.isEmpty() ? tr("Run") : shownText(d_->state.title.toStdString());
}

QUndoStack* RunDocument::undoStack() {
    return d_->partition->undoStack();
}

QVector<QAction*> RunDocument::documentActions() {
    return d_->actions;
}

QVector<Exportable> RunDocument::exportables() {
    return d_->shown ? d_->partition->exportables() : QVector<Exportable>();
}

QJsonObject RunDocument::saveView() const {
    return d_->partition->saveView();
}

void RunDocument::restoreView(const QJsonObject& view) {
    d_->partition->restoreView(view);
}

void RunDocument::setState(const RunState& state) {
    const RunState& before = d_->state;
    const bool changed = state.status != before.status || state.result != before.result || state.job != before.job ||
                         state.run != before.run;
    d_->state = state;
    d_->stale = true;
    if (changed || !d_->redraw->isActive()) d_->showState();
}

void RunDocument::setHistory(const std::filesystem::path& history) {
    d_->history = history;
}

const RunState& RunDocument::state() const {
    return d_->state;
}

}  // namespace tessera::ui

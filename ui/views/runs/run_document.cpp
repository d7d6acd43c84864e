#include "ui/views/runs/run_document.h"

#include <QAction>
#include <QFileDialog>
#include <QStackedWidget>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/study/parameter.h"
#include "core/study/study.h"
#include "ui/jobs/run_status.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/runs/run_progress.h"
#include "ui/views/runs/run_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kRedrawMilliseconds = 50;

bool takesWarmStart(const study::Study& study) {
    const auto& engines = study::engines();
    const auto its = std::find_if(engines.begin(), engines.end(),
                                  [&](const study::Engine& engine) { return engine.id == study.engine; });
    return its != engines.end() && study::findParameter(its->parameters(), "warm_start") != nullptr;
}

}  // namespace

struct RunDocument::Implementation {
    RunDocument* document = nullptr;
    RunState state;
    QString lastReported;  ///< title and icon that listeners know
    QStackedWidget* pages = nullptr;
    RunProgress* progress = nullptr;
    QUndoStack* undo = nullptr;
    RunView* view = nullptr;          ///< of the run's engine; null until there is a result
    const RunViewRow* row = nullptr;  ///< that made it
    QJsonObject pending;              ///< a view to restore once there is a result
    QTimer* redraw = nullptr;
    bool stale = false;
    std::filesystem::path history;
    std::shared_ptr<const study::Result> shown;
    QVector<QAction*> actions;
    QVector<QAction*> resultActions;
    QAction *searchOn = nullptr, *exploring = nullptr, *exportTimeline = nullptr;

    void build();
    void addActions();
    QAction* addAction(const QString& text, const char* icon, void (Implementation::*run)(), bool needsResult);
    void showState();
    void showResult();
    void makeView(const RunViewRow& its);
    QString runKey() const { return state.run != 0 ? QString::number(state.run) : QString(); }
    void repeat() { emit document->repeatRequested(); }
    void openStudy() {
        emit document->openRequested(u"study"_s, state.run != 0 ? u"run/%1"_s.arg(state.run) : document->key());
    }
    /// A study that begins with what this run found.
    void goOn() {
        const QString its = state.run != 0 ? u"run/%1"_s.arg(state.run) : document->key();
        emit document->openRequested(u"study"_s, searchedOnKey(its));
    }
    void explore() { emit document->openRequested(u"study"_s, exploringKey(toQt(study::toJson(state.study).dump()))); }
    void compare() { emit document->openRequested(u"compare"_s, runKey()); }
    void report() { emit document->openRequested(u"report"_s, runKey()); }
    void exportResult() { save(view->resultExport(), u"Export result"_s, u"JSON (*.json)"_s); }
    void exportTrace() { save(view->traceExport(), u"Export Chrome trace"_s, u"Chrome trace (*.json)"_s); }
    void save(const Exportable& what, const QString& caption, const QString& filter);
};

void RunDocument::Implementation::build() {
    auto* layout = bareLayout<QVBoxLayout>(document);
    pages = new QStackedWidget(document);
    progress = new RunProgress(pages);
    undo = new QUndoStack(document);
    pages->addWidget(progress);
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
    addAction(u"Run again"_s, "run", &Implementation::repeat, false);
    addAction(u"Open its study"_s, "study", &Implementation::openStudy, false);
    searchOn = addAction(u"Search on from here…"_s, "forward", &Implementation::goOn, true);
    exploring = addAction(u"Explore its study…"_s, "explore", &Implementation::explore, false);
    addAction(u"Compare with…"_s, "compare", &Implementation::compare, true);
    addAction(u"Report"_s, "report", &Implementation::report, true);
    addAction(u"Export result…"_s, "export", &Implementation::exportResult, true);
    exportTimeline = addAction(u"Export Chrome trace…"_s, "timeline", &Implementation::exportTrace, true);
}

void RunDocument::Implementation::save(const Exportable& what, const QString& caption, const QString& filter) {
    auto* dialog = new QFileDialog(document, caption, what.name + u".json"_s, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"json"_s);
    connect(dialog, &QFileDialog::fileSelected, document, [this, what](const QString& path) {
        inBackground(
            document,
            [what, path] {
                exportTo(what, u"json"_s, path);
                return path;
            },
            [this](const QString& written) { emit document->done(u"Saved %1."_s.arg(written)); },
            [this](const QString& problem) { emit document->messaged(problem, QString()); });
    });
    dialog->open();
}

void RunDocument::Implementation::makeView(const RunViewRow& its) {
    if (row == &its && view->run().result->study.engine == state.result->study.engine) return;
    delete view;
    row = &its;
    view = its.make(undo, pages);
    pages->addWidget(view);
    connect(view, &RunView::inspected, document, &Document::inspected);
    connect(view, &RunView::messaged, document, &Document::messaged);
    connect(view, &RunView::openRequested, document, &Document::openRequested);
    connect(view, &RunView::runRequested, document, &Document::runRequested);
    connect(view, &RunView::modelRequested, document, &RunDocument::modelRequested);
    connect(view, &RunView::acceleratorRequested, document, &RunDocument::acceleratorRequested);
}

void RunDocument::Implementation::showResult() {
    if (state.result == shown) return;
    shown = state.result;
    view->showRun({.result = shown, .curves = state.curves, .history = history, .kept = state.run});
    if (!pending.isEmpty()) view->restoreView(std::exchange(pending, {}));
}

void RunDocument::Implementation::showState() {
    stale = false;
    redraw->start();
    const RunViewRow* const its = state.result != nullptr ? runViewOf(*state.result) : nullptr;
    const bool done = its != nullptr;
    for (QAction* action : resultActions) action->setEnabled(done);
    searchOn->setVisible(takesWarmStart(done ? state.result->study : state.study));
    const study::Engine* const engine = study::findEngine(state.study.engine);
    exploring->setVisible(engine != nullptr && engine->inner == nullptr);
    if (done) {
        makeView(*its);
        showResult();
        exportTimeline->setVisible(view->traceExport().json != nullptr);  // a prediction has no moments
    } else {
        progress->setState(state);
    }
    pages->setCurrentWidget(done ? static_cast<QWidget*>(view) : progress);
    // The icon of a tab shows the state, and its title the number that a run is given when it begins.
    const QString now = document->tabTitle() + QLatin1Char('\n') + document->iconName();
    if (std::exchange(lastReported, now) != now) emit document->titleChanged();
}

RunDocument::RunDocument(const QString& key, QWidget* parent) : Document(parent, key), d_(new Implementation) {
    d_->document = this;
    d_->build();
    d_->showState();
}

RunDocument::~RunDocument() = default;

QString RunDocument::title() const {
    return d_->state.title.isEmpty() ? u"Run"_s : shownText(d_->state.title.toStdString());
}

QString RunDocument::tabTitle() const {
    const QString run = d_->state.run != 0 ? u"Run %1"_s.arg(d_->state.run) : u"Run"_s;
    return title() == run ? title() : u"%1 · %2"_s.arg(run, title());
}

QString RunDocument::iconName() const {
    const bool known = d_->state.job != 0 || d_->state.run != 0;
    return known ? statusIcon(d_->state.status) : u"run"_s;
}

QUndoStack* RunDocument::undoStack() {
    return d_->undo;
}

QVector<QAction*> RunDocument::documentActions() {
    QVector<QAction*> actions = d_->actions;
    actions.removeIf([](const QAction* action) { return !action->isVisible(); });
    return d_->view == nullptr ? actions : actions + d_->view->viewActions() + d_->view->handovers();
}

QVector<Exportable> RunDocument::exportables() {
    return d_->view != nullptr ? d_->view->exportables() : QVector<Exportable>();
}

QJsonObject RunDocument::saveView() const {
    return d_->view != nullptr ? d_->view->saveView() : d_->pending;
}

void RunDocument::restoreView(const QJsonObject& view) {
    if (d_->view != nullptr)
        d_->view->restoreView(view);
    else
        d_->pending = view;
}

void RunDocument::setState(const RunState& state) {
    const RunState& before = d_->state;
    const bool changed = state.status != before.status || state.result != before.result || state.job != before.job ||
                         state.run != before.run;
    const bool overviewDiffers = state.status != before.status || state.study.engine != before.study.engine;
    d_->state = state;
    d_->stale = true;
    if (overviewDiffers) emit overviewChanged();
    if (changed || !d_->redraw->isActive()) d_->showState();
}

void RunDocument::setHistory(const std::filesystem::path& history) {
    d_->history = history;
}

const RunState& RunDocument::state() const {
    return d_->state;
}

}  // namespace tessera::ui

#include "ui/views/runs/codesign_view.h"

#include <QCoreApplication>
#include <filesystem>
#include <utility>

#include "core/report/codesign_pictures.h"
#include "core/store/store.h"
#include "core/study/codesign/metrics.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "ui/models/background.h"
#include "ui/models/codesign_facts.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/codesign_explorer.h"
#include "ui/views/runs/codesign_tabs.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

constexpr int kMaxOthers = 20;

}  // namespace

struct CodesignView::Implementation {
    CodesignView* view = nullptr;
    SharedCodesignChoice choice = std::make_shared<CodesignChoice>();
    ChoiceBar* models = nullptr;
    CodesignTabs* tabs = nullptr;
    std::filesystem::path history;
    store::RunId kept = 0;

    void build();
    void fillModels();
    void showHeadline();
    void showNote();
    void findOthers();
    void layOver(const QVector<qint64>& runs);
    QString certainty() const;
};

void CodesignView::Implementation::build() {
    models = view->addChoices(tr("Models"));
    connect(models, &ChoiceBar::chosen, view, &CodesignView::chooseModel);
    tabs = new CodesignTabs(choice, view);
    view->setPages(tabs);
    connect(tabs, &CodesignTabs::rowChosen, view, &CodesignView::chooseRow);
    connect(tabs, &CodesignTabs::pinRequested, view, &CodesignView::pinRow);
    connect(tabs, &CodesignTabs::modelChosen, view, &CodesignView::chooseModel);
    connect(tabs, &CodesignTabs::othersWanted, view, [this](const QVector<qint64>& runs) { layOver(runs); });
}

/// Other searches of the history, the newest ones.
void CodesignView::Implementation::findOthers() {
    if (tabs->explorer() == nullptr) return;
    tabs->explorer()->offerOthers({});
    if (history.empty()) return;
    using Others = QVector<CodesignExplorer::OtherRun>;
    inBackground(
        view,
        [from = history, own = kept, engine = choice->run.shared()->study.engine] {
            Others found;
            const store::Store opened = store::Store::open(from, store::OpenMode::readOnly);
            const store::HistoryQuery query{.engine = engine, .status = store::RunStatus::done};
            for (const store::RunRow& row : opened.query(query, kMaxOthers + 1))
                if (row.id != own && found.size() < kMaxOthers)
                    found.append({row.id, QStringLiteral("%1 · %2").arg(shownText(row.name), shownText(row.headline))});
            return found;
        },
        [this](const Others& found) { tabs->explorer()->offerOthers(found); },
        [this](const QString& problem) { emit view->messaged(problem, QString()); });
}

void CodesignView::Implementation::layOver(const QVector<qint64>& runs) {
    using Fronts = std::vector<report::OtherFront>;
    inBackground(
        view,
        [from = history, runs] {
            Fronts fronts;
            const store::Store opened = store::Store::open(from, store::OpenMode::readOnly);
            for (const qint64 run : runs)
                if (const std::optional<study::Result> result = opened.result(run))
                    if (const auto* outcome = result->outcome.as<study::CodesignOutcome>())
                        fronts.push_back(
                            {.name = QCoreApplication::translate("CodesignView", "Run %1").arg(run).toStdString(),
                             .points = outcome->result.front});
            return fronts;
        },
        [this](const Fronts& fronts) { tabs->explorer()->setOthers(fronts); },
        [this](const QString& problem) { emit view->messaged(problem, QString()); });
}

void CodesignView::Implementation::fillModels() {
    QVector<ChoiceBar::Choice> choices;
    for (int index = 0; index < choice->run.modelCount(); ++index)
        choices.append({.title = choice->run.modelTitle(index),
                        .help = choice->run.model(index).feasible ? tr("Show how this model is placed and scheduled")
                                                                  : tr("This model does not fit")});
    models->setChoices(choices, choice->model);
}

QString CodesignView::Implementation::certainty() const {
    const codesign::Result& result = choice->run.result();
    if (result.endedBy == EndedBy::stop) return tr("stopped");
    return QString::fromStdString(study::certaintyText(result));
}

void CodesignView::Implementation::showHeadline() {
    const codesign::Result& result = choice->run.result();
    QVector<Headline> headlines;
    if (result.best) {
        const report::PointValue& objective = *choice->run.value(QStringLiteral("objective"));
        const bool rate = result.options.objective == codesign::Objective::mean || !result.space.reference;
        headlines.append({.value = QString::fromStdString(report::textOf(objective, *result.best)),
                          .label = rate ? tr("throughput") : tr("over %1").arg(shownText(result.space.reference->name)),
                          .detail = certainty(),
                          .tone = result.optimal ? QStringLiteral("good") : QString(),
                          .help = QString::fromStdString(objective.help),
                          .explain = explained(choice->run.shared(), "objective")});
        const double share = result.areaBound.value > 0 ? result.best->area.value / result.areaBound.value : 0;
        headlines.append({.value = columns::quantity(result.best->area.value, Measure::area),
                          .label = tr("area"),
                          .detail = tr("%1 of the limit").arg(QString::fromStdString(study::percentText(share))),
                          .help = choice->run.architecture(choice->run.bestRow()),
                          .explain = explained(choice->run.shared(), "area_mm2")});
        headlines.append({.value = QString::fromStdString(study::percentText(result.best->mfu)),
                          .label = tr("utilisation"),
                          .help = tr("Model FLOPs over those of all tensor cores, mean over the models"),
                          .explain = explained(choice->run.shared(), "mean_mfu")});
    }
    const double looked =
        result.points > 0 ? static_cast<double>(result.explored) / static_cast<double>(result.points) : 0;
    headlines.append({.value = columns::count(static_cast<double>(result.explored)),
                      .label = tr("points evaluated"),
                      .detail = tr("%1 of %2")
                                    .arg(QString::fromStdString(study::percentText(looked)),
                                         columns::count(static_cast<double>(result.points))),
                      .help = tr("Bounds ruled the others out, or the search did not reach them"),
                      .explain = explained(choice->run.shared(), "explored_points")});
    view->headline()->setHeadlines(headlines);
    showNote();
}

/// Which models are left out, or that nothing fits at all.
void CodesignView::Implementation::showNote() {
    QStringList unfit;
    for (int index = 0; index < choice->run.modelCount(); ++index)
        if (!choice->run.model(index).feasible) unfit << choice->run.modelTitle(index);
    view->note()->hide();
    if (!choice->run.result().best)
        view->note()->showMessage(
            MessageBar::Kind::warning,
            tr("No accelerator of the template runs every model. The tab of the models says why."));
    else if (!unfit.isEmpty())
        view->note()->showMessage(MessageBar::Kind::warning,
                                  tr("%1 does not fit.").arg(unfit.join(QStringLiteral(", "))));
}

CodesignView::CodesignView(QUndoStack* /*undo*/, QWidget* parent) : RunFrame(parent), d_(new Implementation) {
    d_->view = this;
    d_->build();
}

CodesignView::~CodesignView() = default;

void CodesignView::showRun(const FinishedRun& finished) {
    const CodesignRun run(finished.result);
    *d_->choice = CodesignChoice{.run = run, .row = run.bestRow()};
    for (int row = 0; row < run.rowCount(); ++row) d_->choice->visible.push_back(row);
    d_->history = finished.history;
    d_->kept = finished.kept;
    d_->fillModels();
    d_->showHeadline();
    d_->tabs->refresh();
    d_->findOthers();
}

std::shared_ptr<const study::Result> CodesignView::shownResult() const {
    return d_->choice->run.shared();
}

const CodesignRun& CodesignView::run() const {
    return d_->choice->run;
}

void CodesignView::chooseRow(int row) {
    if (row < 0 || row >= d_->choice->run.rowCount()) return;
    d_->choice->row = row;
    d_->tabs->showRow();
    emit inspected(architectureFacts(*d_->choice, row));
}

void CodesignView::pinRow(int row) {
    if (row >= d_->choice->run.rowCount()) return;
    d_->choice->pinned = std::max(row, -1);
    d_->tabs->showRow();
    if (d_->choice->row >= 0) emit inspected(architectureFacts(*d_->choice, d_->choice->row));
}

void CodesignView::chooseModel(int model) {
    if (model < 0 || model >= d_->choice->run.modelCount()) return;
    const bool other = model != d_->choice->model;
    d_->choice->model = model;
    d_->models->setCurrent(model);
    if (other) d_->tabs->refresh();
    emit inspected(placedModelFacts(*d_->choice, model));
}

int CodesignView::row() const {
    return d_->choice->row;
}

int CodesignView::pinned() const {
    return d_->choice->pinned;
}

int CodesignView::model() const {
    return d_->choice->model;
}

CodesignTabs* CodesignView::tabs() const {
    return d_->tabs;
}

QVector<Exportable> CodesignView::exportables() const {
    return exports::everything(d_->choice->run.shared(), d_->choice->selection()) + d_->tabs->exportables();
}

Exportable CodesignView::resultExport() const {
    return exports::document(d_->choice->run.shared());
}

Exportable CodesignView::traceExport() const {
    return exports::trace(d_->choice->run.shared(), d_->choice->selection());
}

QJsonObject CodesignView::saveView() const {
    QJsonObject view = d_->tabs->saveView();
    view[QStringLiteral("architecture")] = d_->choice->run.architecture(d_->choice->row);
    view[QStringLiteral("pinned")] = d_->choice->run.architecture(d_->choice->pinned);
    view[QStringLiteral("model")] = d_->choice->model;
    if (const CodesignExplorer* explorer = d_->tabs->explorer()) {
        view[QStringLiteral("x")] = explorer->xAxis();
        view[QStringLiteral("y")] = explorer->yAxis();
    }
    return view;
}

void CodesignView::restoreView(const QJsonObject& view) {
    const CodesignRun& run = d_->choice->run;
    if (CodesignExplorer* explorer = d_->tabs->explorer())
        explorer->setAxes(view.value(QLatin1String("x")).toString(), view.value(QLatin1String("y")).toString());
    if (const int pinned = run.rowNamed(view.value(QLatin1String("pinned")).toString()); pinned >= 0) pinRow(pinned);
    if (const int row = run.rowNamed(view.value(QLatin1String("architecture")).toString()); row >= 0) chooseRow(row);
    if (const int model = view.value(QLatin1String("model")).toInt(-1); model > 0) chooseModel(model);
    d_->tabs->restoreView(view);
}

}  // namespace tessera::ui

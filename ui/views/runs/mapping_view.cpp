#include "ui/views/runs/mapping_view.h"

#include <algorithm>

#include "core/report/mapping_pictures.h"
#include "core/report/strategy_colour.h"
#include "core/study/explanation.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "ui/models/mapping_facts.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/mapping_tabs.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

namespace {}  // namespace

struct MappingView::Implementation {
    MappingView* view = nullptr;
    SharedMappingChoice choice = std::make_shared<MappingChoice>();
    ChoiceBar* algorithms = nullptr;
    MappingTabs* tabs = nullptr;

    void build();
    void fillAlgorithms();
    void showHeadline();
    void showNote();
    void inspect() {
        emit view->inspected(choice->job >= 0 ? jobFacts(*choice, choice->job) : algorithmFacts(*choice));
    }
};

void MappingView::Implementation::build() {
    algorithms = view->addChoices(tr("Algorithms"), 1);
    connect(algorithms, &ChoiceBar::chosen, view, &MappingView::chooseAlgorithm);
    tabs = new MappingTabs(choice, view);
    view->setPages(tabs);
    connect(tabs, &MappingTabs::algorithmChosen, view, &MappingView::chooseAlgorithm);
    connect(tabs, &MappingTabs::jobChosen, view, &MappingView::chooseJob);
    connect(tabs, &MappingTabs::colourChosen, view, &MappingView::setColour);
    connect(tabs, &MappingTabs::inspected, view, &RunView::inspected);
}

void MappingView::Implementation::fillAlgorithms() {
    QVector<ChoiceBar::Choice> choices;
    for (int index = 0; index < choice->run.runCount(); ++index)
        choices.append({.title = choice->run.algorithm(index),
                        .help = choice->run.algorithmHelp(index),
                        .icon = dotIcon(theme().dataColour(report::strategyColour(choice->run.run(index).algorithm)))});
    algorithms->setChoices(choices, choice->algorithm);
}

void MappingView::Implementation::showHeadline() {
    const mapping::Run& run = choice->chosen();
    const study::MappingOutcome& outcome = choice->run.outcome();
    const auto of = [&](const char* field) { return explained(choice->run.shared(), run.algorithm + "/" + field); };
    const QString tone =
        run.optimal ? QStringLiteral("good") : (run.gap > kWideGap ? QStringLiteral("warning") : QString());
    QVector<Headline> headlines;
    if (const auto rate = study::throughputOf(outcome, run.values.makespan); rate && outcome.problem.clock)
        headlines.append({.value = columns::quantity(*rate, Measure::flopsPerSecond),
                          .label = tr("throughput"),
                          .help = tr("Twice the multiply-adds of all jobs over the makespan"),
                          .explain = of("throughput_flops")});
    headlines.append({.value = choice->run.time(run.values.makespan),
                      .label = tr("makespan"),
                      .detail = QString::fromStdString(study::certaintyText(run)),
                      .tone = tone,
                      .help = tr("Until the last of the jobs has finished"),
                      .explain = of(outcome.problem.clock ? "makespan_s" : "makespan_cycles")});
    if (run.values.energy)
        headlines.append({.value = QString::fromStdString(formatQuantity(*run.values.energy, Measure::joules)),
                          .label = tr("energy"),
                          .explain = of("energy_j")});
    headlines.append({.value = columns::count(static_cast<double>(run.samples)),
                      .label = run.samples == 1 ? tr("sample") : tr("samples"),
                      .detail = tr("best after %1").arg(columns::count(static_cast<double>(run.bestAfter))),
                      .help = tr("Mappings that the algorithm evaluated"),
                      .explain = of("samples")});
    view->headline()->setHeadlines(headlines);
    showNote();
}

/// Where all algorithms tie, what they were compared on cannot tell them apart.
void MappingView::Implementation::showNote() {
    const auto& runs = choice->run.outcome().result.runs;
    const auto optimal = std::count_if(runs.begin(), runs.end(), [](const mapping::Run& run) { return run.optimal; });
    if (optimal < 2) {
        view->note()->hide();
        return;
    }
    view->note()->showMessage(
        MessageBar::Kind::info,
        tr("%1 of %2 algorithms reach the bound (%3): no mapping can be better, and these jobs cannot "
           "tell them apart.")
            .arg(optimal)
            .arg(runs.size())
            .arg(shownText(choice->run.outcome().result.bound.method)));
}

MappingView::MappingView(QUndoStack* /*undo*/, QWidget* parent) : RunFrame(parent), d_(new Implementation) {
    d_->view = this;
    d_->build();
    connect(&theme(), &Theme::changed, this, [this] {
        if (!d_->choice->run.isEmpty()) d_->fillAlgorithms();
    });
}

MappingView::~MappingView() = default;

void MappingView::showRun(const FinishedRun& finished) {
    const MappingRun run(finished.result);
    *d_->choice = MappingChoice{.run = run, .algorithm = run.bestRun()};
    d_->choice->uses = study::coreUse(run.outcome(), d_->choice->chosen());
    if (run.outcome().jobKinds.empty()) d_->choice->colour = study::JobColour::model;
    d_->tabs->setHistory(finished.history, finished.kept);
    d_->fillAlgorithms();
    d_->showHeadline();
    d_->tabs->refresh();
}

std::shared_ptr<const study::Result> MappingView::shownResult() const {
    return d_->choice->run.shared();
}

const MappingRun& MappingView::run() const {
    return d_->choice->run;
}

void MappingView::chooseAlgorithm(int algorithm) {
    if (algorithm < 0 || algorithm >= d_->choice->run.runCount() || algorithm == d_->choice->algorithm) return;
    d_->choice->algorithm = algorithm;
    d_->choice->uses = study::coreUse(d_->choice->run.outcome(), d_->choice->chosen());
    d_->algorithms->setCurrent(algorithm);
    d_->showHeadline();
    d_->tabs->refresh();
    d_->inspect();
}

void MappingView::chooseJob(int job) {
    if (job >= d_->choice->run.jobCount()) return;
    d_->tabs->setJob(std::max(job, -1));
    d_->inspect();
}

void MappingView::setColour(study::JobColour colour) {
    if (colour == d_->choice->colour) return;
    d_->choice->colour = colour;
    d_->tabs->refresh();
}

int MappingView::algorithm() const {
    return d_->choice->algorithm;
}

int MappingView::job() const {
    return d_->choice->job;
}

QVector<Exportable> MappingView::exportables() const {
    return exports::everything(d_->choice->run.shared(), d_->choice->selection()) + d_->tabs->exportables();
}

Exportable MappingView::resultExport() const {
    return exports::document(d_->choice->run.shared());
}

Exportable MappingView::traceExport() const {
    return exports::trace(d_->choice->run.shared(), d_->choice->selection());
}

QJsonObject MappingView::saveView() const {
    QJsonObject view = d_->tabs->saveView();
    view[QStringLiteral("algorithm")] = d_->choice->run.algorithm(d_->choice->algorithm);
    view[QStringLiteral("job")] = d_->choice->job;
    view[QStringLiteral("colour")] =
        d_->choice->colour == study::JobColour::kind ? QStringLiteral("kind") : QStringLiteral("model");
    return view;
}

void MappingView::restoreView(const QJsonObject& view) {
    chooseAlgorithm(d_->choice->run.runNamed(view.value(QLatin1String("algorithm")).toString()));
    const QString colour = view.value(QLatin1String("colour")).toString();
    if (!colour.isEmpty())
        setColour(colour == QLatin1String("model") ? study::JobColour::model : study::JobColour::kind);
    const int job = view.value(QLatin1String("job")).toInt(-1);
    if (job >= 0) chooseJob(job);
    d_->tabs->restoreView(view);
}

}  // namespace tessera::ui

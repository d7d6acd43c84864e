#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/report/mapping_pictures.h"
#include "core/report/strategy_colour.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "ui/models/mapping_facts.h"
#include "ui/models/mapping_tables.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/plot/standings_board.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/runs/sweep_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Of which job an event of a schedule is; -1 = of none.
int jobOf(const Timeline::Event& event) {
    return event.details.empty() ? -1 : toQt(event.details.front().second).toInt();
}

/// A finished mapping run: headline, algorithms, and tabs that begin with the schedule. One choice of algorithm and job
/// is shared by all its parts.
class MappingView : public RunView {
public:
    explicit MappingView(QWidget* parent) : RunView("mapping", parent) {
        addSelectables();
        addPages();
        addPictures();
        addDetails();
    }

protected:
    void takeRun() override;
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return choice_->selection(); }
    QVector<Exportable> ownExports() const override;

private:
    void addSelectables();
    void addPictures();
    void addDetails();
    void chooseAlgorithm(int algorithm);
    ChoiceBar::Choice algorithm(int index) const;
    Facts facts() const { return choice_->job >= 0 ? jobFacts(*choice_, choice_->job) : algorithmFacts(*choice_); }
    QString algorithmPath(int algorithm) const;
    void chooseJobAt(const PlotWidget& plot, int series, int job);

    QWidget* makeSchedule();
    void fillSchedule();
    void markJob() const;
    QWidget* makeConvergence();
    void fillConvergence();
    QWidget* makeSweeps() { return sweeps_ = new SweepView; }
    void fillSweeps() { sweeps_->setRun(choice_->run, run().history, run().kept); }

    SharedMappingChoice choice_ = std::make_shared<MappingChoice>();
    int core_ = -1;
    GanttView* gantt_ = nullptr;
    QComboBox* colours_ = nullptr;
    ChartPane* convergence_ = nullptr;
    StandingsBoard* board_ = nullptr;
    bool gapShown_ = false;
    QToolButton *logarithmic_ = nullptr, *generations_ = nullptr;
    SweepView* sweeps_ = nullptr;
};

void MappingView::addSelectables() {
    addSelectable({.id = "algorithm",
                   .count = [this] { return choice_->run.runCount(); },
                   .current = [this] { return choice_->algorithm; },
                   .choose = [this](int index) { chooseAlgorithm(index); },
                   .facts = [this](int) { return facts(); },
                   .name = [this](int index) { return choice_->run.algorithm(index); },
                   .bar = u"Algorithms"_s,
                   .choice = [this](int index) { return algorithm(index); },
                   .min = 1});
    addSelectable({.id = "colour",
                   .count = [] { return 2; },
                   .current = [this] { return static_cast<int>(choice_->colour); },
                   .choose =
                       [this](int index) {
                           choice_->colour = static_cast<study::JobColour>(index);
                           refresh();
                       },
                   .name =
                       [](int index) {
                           const bool kind = static_cast<study::JobColour>(index) == study::JobColour::kind;
                           return kind ? u"kind"_s : u"model"_s;
                       }});
    addSelectable({.id = "job",
                   .count = [this] { return choice_->run.jobCount(); },
                   .current = [this] { return choice_->job; },
                   .choose =
                       [this](int index) {
                           choice_->job = index;
                           markJob();
                       },
                   .facts = [this](int) { return facts(); },
                   .optional = true});
    addSelectable({.id = "core",
                   .count = [this] { return choice_->run.coreCount(); },
                   .current = [this] { return core_; },
                   .choose = [this](int index) { core_ = index; },
                   .facts = [this](int index) { return coreFacts(*choice_, index); },
                   .saved = false});
}

void MappingView::addPictures() {
    using Self = MappingView;
    addPicture("schedule", this, &Self::makeSchedule, &Self::fillSchedule);
    addPicture("convergence", this, &Self::makeConvergence, &Self::fillConvergence);
    addRows("convergence", {.pictures = {"optimality-gap"}, .tables = {"race"}});
    addCharts("algorithms", {.rows = {"algorithms"},
                             .name = u"What each algorithm reached"_s,
                             .selects = "algorithm",
                             .path = [this](const ChartPane&, int, int category) { return algorithmPath(category); }});
    addCharts("cores", {.rows = {"cores"}, .name = u"What every core does"_s, .selects = "core"});
    addCharts("required-bandwidth",
              {.rows = {"required-bandwidth"},
               .name = u"Latency and bandwidth of jobs"_s,
               .made = [this](const ChartPane& pane) {
                   connect(pane.plot(), &PlotWidget::pointClicked, this,
                           [this, plot = pane.plot()](int series, int job) { chooseJobAt(*plot, series, job); });
               }});
    addCharts("search-space", {.rows = {"search-space"}, .name = u"Search-space projection (PCA)"_s});
    addCharts("pareto", {.rows = {"pareto"}, .name = u"What cannot be had together"_s});
    pages()->addPicture("sweeps", u"Sweeps"_s, this, &Self::makeSweeps, &Self::fillSweeps);
}

void MappingView::addDetails() {
    addTable("schedule", {.model = [this](QObject* owner) { return jobTableModel(choice_, owner); },
                          .selects = "job",
                          .filtered = true});
    addRows("schedule", {.tables = {"jobs"}});
    addTable("algorithms",
             {.model = [this](QObject* owner) { return algorithmTableModel(choice_, owner); }, .selects = "algorithm"});
    addTable("cores", {.model = [this](QObject* owner) { return coreTableModel(choice_, owner); }, .selects = "core"});
    addOtherPages();
    pages()->pair("required-bandwidth", "schedule");
    for (const char* picture : {"convergence", "search-space"}) pages()->pair(picture, "algorithms");
}

void MappingView::takeRun() {
    const MappingRun its(run().result);
    *choice_ = MappingChoice{.run = its, .algorithm = its.bestRun()};
    choice_->uses = study::coreUse(its.outcome(), choice_->chosen());
    if (its.outcome().jobKinds.empty()) choice_->colour = study::JobColour::model;
    core_ = -1;
    for (const char* row : {"search-space", "pareto"})
        pages()->setPageShown(*pages()->pictures(), QLatin1String(row), has(row));
}

void MappingView::chooseAlgorithm(int algorithm) {
    if (algorithm == choice_->algorithm) return;
    choice_->algorithm = algorithm;
    choice_->uses = study::coreUse(choice_->run.outcome(), choice_->chosen());
    showHeadline();
    refresh();
}

ChoiceBar::Choice MappingView::algorithm(int index) const {
    return {.title = choice_->run.algorithm(index),
            .help = choice_->run.algorithmHelp(index),
            .icon = dotIcon(theme().dataColour(report::strategyColour(choice_->run.run(index).algorithm)))};
}

QVector<Headline> MappingView::headlines() const {
    const mapping::Run& chosen = choice_->chosen();
    const study::MappingOutcome& outcome = choice_->run.outcome();
    const auto of = [&](const char* field) { return explanationOf(chosen.algorithm + "/" + field); };
    const QString tone = chosen.optimal ? u"good"_s : (chosen.gap > kWideGap ? u"warning"_s : QString());
    QVector<Headline> headlines;
    if (const auto rate = study::throughputOf(outcome, chosen.values.makespan); rate && outcome.problem.clock)
        headlines.append({.value = columns::quantity(*rate, Measure::flopsPerSecond),
                          .label = u"throughput"_s,
                          .help = u"Twice the multiply-adds of all jobs over the makespan"_s,
                          .explain = of("throughput_flops")});
    headlines.append({.value = choice_->run.time(chosen.values.makespan),
                      .label = u"makespan"_s,
                      .detail = toQt(study::certaintyText(chosen)),
                      .tone = tone,
                      .help = u"Until the last of the jobs has finished"_s,
                      .explain = of(outcome.problem.clock ? "makespan_s" : "makespan_cycles")});
    if (chosen.values.energy)
        headlines.append({.value = toQt(formatQuantity(*chosen.values.energy, Measure::joules)),
                          .label = u"energy"_s,
                          .explain = of("energy_j")});
    headlines.append({.value = countText(chosen.samples),
                      .label = chosen.samples == 1 ? u"sample"_s : u"samples"_s,
                      .detail = u"best after %1"_s.arg(countText(chosen.bestAfter)),
                      .help = u"Mappings that the algorithm evaluated"_s,
                      .explain = of("samples")});
    return headlines;
}

/// Where all algorithms tie, what they were compared on cannot distinguish them.
void MappingView::showNote() {
    const auto& runs = choice_->run.outcome().result.runs;
    const auto optimal = std::count_if(runs.begin(), runs.end(), [](const mapping::Run& each) { return each.optimal; });
    if (optimal < 2) return;
    note()->showMessage(MessageBar::Kind::info,
                        u"%1 of %2 algorithms reach the bound (%3): no mapping can be better, and these jobs cannot "
                        "tell them apart."_s.arg(optimal)
                            .arg(runs.size())
                            .arg(shownText(choice_->run.outcome().result.bound.method)));
}

QString MappingView::algorithmPath(int algorithm) const {
    if (algorithm < 0 || algorithm >= choice_->run.runCount()) return {};
    return choice_->run.algorithm(algorithm) + QLatin1Char('/') +
           (choice_->run.problem().clock ? u"throughput_flops"_s : u"makespan_cycles"_s);
}

void MappingView::chooseJobAt(const PlotWidget& plot, int series, int job) {
    const auto& all = plot.chart().series;
    const bool isJob = series >= 0 && static_cast<std::size_t>(series) < all.size() &&
                       all[static_cast<std::size_t>(series)].mark == report::Mark::points;
    if (isJob && job >= 0) select(u"job"_s, job);
}

QWidget* MappingView::makeSchedule() {
    gantt_ = new GanttView;
    gantt_->setAccessibleName(u"Jobs on their cores, and the bandwidth they get"_s);
    connect(gantt_, &GanttView::eventSelected, this, [this](int event) {
        const std::vector<Timeline::Event>& events = gantt_->timeline().events;
        if (event >= 0 && static_cast<std::size_t>(event) < events.size())
            select(u"job"_s, jobOf(events[static_cast<std::size_t>(event)]));
    });
    colours_ = new QComboBox;
    colours_->addItems({u"Coloured by kind of layer"_s, u"Coloured by model"_s});
    colours_->setAccessibleName(u"What the colours of jobs say"_s);
    connect(colours_, qOverload<int>(&QComboBox::activated), this, [this](int index) { select(u"colour"_s, index); });
    auto* bar = new QWidget;
    auto* row = bareLayout<QHBoxLayout>(bar);
    row->addStretch();
    row->addWidget(colours_);
    return vSplit(bar, gantt_);
}

void MappingView::fillSchedule() {
    const bool both = !choice_->run.outcome().jobKinds.empty() && !choice_->run.outcome().jobModels.empty();
    colours_->parentWidget()->setVisible(both);
    colours_->setCurrentIndex(static_cast<int>(choice_->colour));
    pages()->prepare(maker<Timeline>("schedule"), [this](Timeline timeline) {
        const auto [from, to] = gantt_->visibleRange();
        const bool sameLength = gantt_->timeline().length == timeline.length;
        gantt_->setTimeline(std::move(timeline));
        if (sameLength) gantt_->showRange(from, to);
        markJob();
    });
}

void MappingView::markJob() const {
    if (gantt_ == nullptr) return;
    const std::vector<Timeline::Event>& events = gantt_->timeline().events;
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&](const Timeline::Event& event) { return jobOf(event) == choice_->job; });
    const bool isThere = choice_->job >= 0 && found != events.end();
    gantt_->setSelected(isThere ? static_cast<int>(found - events.begin()) : -1);
}

QWidget* MappingView::makeConvergence() {
    convergence_ = new ChartPane({titleOf("convergence"), titleOf("optimality-gap")}, u"Convergence"_s);
    convergence_->plot()->setExplainable(false);  // curves are no numbers of the result
    logarithmic_ = toggle(u"Log scale"_s, u"Shows the values on a logarithmic axis"_s);
    logarithmic_->setChecked(true);  // the first samples are far above the last
    generations_ = toggle(u"Mean and spread"_s,
                          u"Shows what the generations of the chosen algorithm found on "
                          "average, and how far they spread"_s);
    for (QToolButton* button : {logarithmic_, generations_}) {
        convergence_->addTool(button);
        connect(button, &QToolButton::toggled, this, &MappingView::fillConvergence);
    }
    auto* page = new QWidget;
    auto* line = bareLayout<QHBoxLayout>(page, theme().spacing(3));
    line->addWidget(convergence_, 1);
    board_ = new StandingsBoard(page);
    line->addWidget(board_);
    return page;
}

void MappingView::fillConvergence() {
    pages()->prepare(
        [its = choice_->run, log = logarithmic_->isChecked(),
         detailed = generations_->isChecked() ? choice_->chosen().algorithm : std::string()] {
            return report::mappingConvergenceCharts(its.outcome(), {.logarithmic = log, .detailed = detailed});
        },
        [this](std::vector<report::Chart> charts) {
            convergence_->setCharts(std::move(charts));
            // How far it is from the bound says more than the value, until the user looks at that.
            if (!std::exchange(gapShown_, true)) convergence_->setCurrent(1);
        });
    board_->setTable(report::standingsTable(choice_->run.outcome()));
}

QVector<Exportable> MappingView::ownExports() const {
    const QString name = choice_->run.algorithm(choice_->algorithm);
    // As `--evaluate` and warm starts read it.
    Exportable mapping{.name = fileStem(name + u"-mapping"_s),
                       .id = u"mapping"_s,
                       .title = u"Mapping of %1"_s.arg(name),
                       .json = [its = choice_->run,
                                at = choice_->algorithm] { return toText(study::mappingJson(its.run(at).mapping)); },
                       .jsonTitle = u"Mapping (JSON)"_s};
    // What is shown is of another run until its tab is seen again.
    const bool isOfThis = sweeps_ != nullptr && sweeps_->run().shared() == run().result;
    return (isOfThis ? sweeps_->exportables() : QVector<Exportable>()) + QVector<Exportable>{std::move(mapping)};
}

}  // namespace

RunView* newMappingView(QUndoStack* /*undo*/, QWidget* parent) {
    return new MappingView(parent);
}

}  // namespace tessera::ui

#include "ui/views/runs/mapping_tabs.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/report/mapping_pictures.h"
#include "core/study/mapping/document.h"
#include "ui/models/mapping_facts.h"
#include "ui/models/mapping_tables.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/sweep_view.h"

namespace tessera::ui {

namespace {

constexpr std::string_view kMappingEngine = "mapping";

}  // namespace

struct MappingTabs::Implementation {
    MappingTabs* tabs = nullptr;
    SharedMappingChoice choice;
    std::filesystem::path history;
    store::RunId kept = 0;

    GanttView* gantt = nullptr;
    QComboBox* colours = nullptr;
    std::vector<int> jobOfEvent;  ///< of the timeline that is shown
    ChartPane* raceCharts = nullptr;
    QToolButton *logarithmic = nullptr, *generations = nullptr;
    SweepView* sweeps = nullptr;

    // ---- schedule ----

    QWidget* makeSchedule() {
        gantt = new GanttView;
        gantt->setAccessibleName(tr("Jobs on their cores, and the bandwidth they get"));
        connect(gantt, &GanttView::eventSelected, tabs, [this](int event) {
            if (event >= 0 && static_cast<std::size_t>(event) < jobOfEvent.size())
                emit tabs->jobChosen(jobOfEvent[static_cast<std::size_t>(event)]);
        });
        colours = new QComboBox;
        colours->addItems({tr("Coloured by kind of layer"), tr("Coloured by model")});
        colours->setAccessibleName(tr("What the colours of jobs say"));
        connect(colours, qOverload<int>(&QComboBox::activated), tabs, [this](int index) {
            emit tabs->colourChosen(index == 0 ? study::JobColour::kind : study::JobColour::model);
        });
        auto* bar = new QWidget;
        auto* row = new QHBoxLayout(bar);
        row->setContentsMargins(0, 0, 0, 0);
        row->addStretch();
        row->addWidget(colours);
        return vSplit(bar, gantt);
    }

    struct Schedule {
        Timeline timeline;
        std::vector<int> jobs;
    };

    static Schedule scheduleOf(const MappingRun& run, int algorithm, study::JobColour colour) {
        Schedule made{study::scheduleTimeline(run.outcome(), run.run(algorithm), colour), {}};
        for (const Timeline::Event& event : made.timeline.events)
            made.jobs.push_back(event.details.empty() ? -1
                                                      : QString::fromStdString(event.details.front().second).toInt());
        return made;
    }

    void fillSchedule() {
        const bool both = !choice->run.outcome().jobKinds.empty() && !choice->run.outcome().jobModels.empty();
        colours->parentWidget()->setVisible(both);
        colours->setCurrentIndex(choice->colour == study::JobColour::kind ? 0 : 1);
        tabs->prepare([run = choice->run, algorithm = choice->algorithm,
                       colour = choice->colour] { return scheduleOf(run, algorithm, colour); },
                      [this](Schedule schedule) {
                          jobOfEvent = std::move(schedule.jobs);
                          const auto [from, to] = gantt->visibleRange();
                          const bool sameLength = gantt->timeline().length == schedule.timeline.length;
                          gantt->setTimeline(std::move(schedule.timeline));
                          if (sameLength) gantt->showRange(from, to);
                          showJob();
                      });
    }

    // ---- race ----

    QWidget* makeRace() {
        raceCharts = new ChartPane(exports::titles(kMappingEngine, {"convergence", "optimality-gap"}), tr("Race"));
        raceCharts->plot()->setExplainable(false);  // curves are no numbers of the result
        logarithmic = new QToolButton;
        logarithmic->setText(tr("Log scale"));
        logarithmic->setCheckable(true);
        logarithmic->setChecked(true);  // the first samples are far above the last
        logarithmic->setAutoRaise(true);
        logarithmic->setToolTip(tr("Shows the values on a logarithmic axis"));
        raceCharts->addTool(logarithmic);
        connect(logarithmic, &QToolButton::toggled, tabs, [this] { fillRace(); });
        generations = new QToolButton;
        generations->setText(tr("Mean and spread"));
        generations->setCheckable(true);
        generations->setAutoRaise(true);
        generations->setToolTip(
            tr("Shows what the generations of the chosen algorithm found on average, and how far they spread"));
        raceCharts->addTool(generations);
        connect(generations, &QToolButton::toggled, tabs, [this] { fillRace(); });
        return raceCharts;
    }

    void fillRace() {
        tabs->prepare(
            [run = choice->run, log = logarithmic->isChecked(),
             detailed = generations->isChecked() ? choice->chosen().algorithm : std::string()] {
                return report::raceCharts(run.outcome(), {.logarithmic = log, .detailed = detailed});
            },
            [this](std::vector<report::Chart> charts) { raceCharts->setCharts(std::move(charts)); });
    }

    void showJob() const {
        tabs->markRow(QStringLiteral("jobs"), choice->job);
        if (gantt == nullptr) return;
        const auto found = std::find(jobOfEvent.begin(), jobOfEvent.end(), choice->job);
        gantt->setSelected(choice->job < 0 || found == jobOfEvent.end() ? -1
                                                                        : static_cast<int>(found - jobOfEvent.begin()));
    }

    void chooseAlgorithm(int algorithm) const {
        if (algorithm >= 0 && algorithm < choice->run.runCount()) emit tabs->algorithmChosen(algorithm);
    }
    void inspectCore(int core) const {
        if (core >= 0 && core < choice->run.coreCount()) emit tabs->inspected(coreFacts(*choice, core));
    }
    QString algorithmPath(int algorithm) const {
        if (algorithm < 0 || algorithm >= choice->run.runCount()) return {};
        return choice->run.algorithm(algorithm) + QLatin1Char('/') +
               (choice->run.problem().clock ? QStringLiteral("throughput_flops") : QStringLiteral("makespan_cycles"));
    }
    void chooseJobAt(const PlotWidget& plot, int series, int job) const {
        const auto& all = plot.chart().series;
        const bool isJob = series >= 0 && static_cast<std::size_t>(series) < all.size() &&
                           all[static_cast<std::size_t>(series)].mark == report::Mark::points;
        if (isJob && job >= 0 && job < choice->run.jobCount()) emit tabs->jobChosen(job);
    }

    QWidget* makeSweeps() {
        sweeps = new SweepView;
        return sweeps;
    }

    void fillSweeps() {  // NOLINT(readability-make-member-function-const): one of a row of fillers
        sweeps->setRun(choice->run, history, kept);
    }
};

MappingTabs::MappingTabs(SharedMappingChoice choice, QWidget* parent) : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    Implementation* d = d_.get();
    using I = Implementation;
    addPicture("schedule", exports::title(kMappingEngine, "schedule"), d, &I::makeSchedule, &I::fillSchedule);
    addPicture("race", tr("Race"), d, &I::makeRace, &I::fillRace);
    addCharts(
        "algorithms", tr("Algorithms"),
        {.name = tr("What each algorithm reached"),
         .work = [d] { return [run = d->choice->run] { return std::vector{report::algorithmChart(run.outcome())}; }; },
         .clicked = [d](const ChartPane&, int, int category) { d->chooseAlgorithm(category); },
         .path = [d](const ChartPane&, int, int category) { return d->algorithmPath(category); }});
    addCharts("cores", tr("Cores"),
              {.name = tr("What every core does"),
               .work =
                   [d] {
                       return [run = d->choice->run, id = d->choice->chosen().algorithm] {
                           return std::vector{report::coreChart(run.outcome(), id)};
                       };
                   },
               .clicked = [d](const ChartPane&, int, int category) { d->inspectCore(category); }});
    addCharts(
        "demand", exports::title(kMappingEngine, "required-bandwidth"),
        {.name = tr("Latency and bandwidth of jobs"),
         .work = [d] { return [run = d->choice->run] { return std::vector{report::demandChart(run.outcome())}; }; },
         .made =
             [this, d](const ChartPane& pane) {
                 connect(pane.plot(), &PlotWidget::pointClicked, this,
                         [d, plot = pane.plot()](int series, int point) { d->chooseJobAt(*plot, series, point); });
             }});
    addCharts("explored", exports::title(kMappingEngine, "search-space"),
              {.name = tr("Search-space projection (PCA)"), .work = [d] {
                   return [run = d->choice->run] { return std::vector{report::exploredChart(run.outcome())}; };
               }});
    addCharts("front", exports::title(kMappingEngine, "pareto"),
              {.name = tr("What cannot be had together"), .work = [d] {
                   return [run = d->choice->run] { return std::vector{report::frontChart(run.outcome())}; };
               }});
    addPicture("sweeps", tr("Sweeps"), d, &I::makeSweeps, &I::fillSweeps);
    addTable("jobs", tr("Jobs"),
             {.model = [d](QObject* owner) { return jobTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.jobCount(); },
              .current = [d] { return d->choice->job; },
              .chosen = [this](int job) { emit jobChosen(job); },
              .filtered = true});
    addTable("algorithms", tr("Algorithms"),
             {.model = [d](QObject* owner) { return algorithmTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.runCount(); },
              .current = [d] { return d->choice->algorithm; },
              .chosen = [this](int algorithm) { emit algorithmChosen(algorithm); }});
    addTable("cores", tr("Cores"),
             {.model = [d](QObject* owner) { return coreTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.coreCount(); },
              .chosen = [d](int core) { d->inspectCore(core); }});
    addAssumptions([d]() -> const study::Result& { return d->choice->run.result(); });
    for (const char* picture : {"schedule", "demand"}) pair(picture, "jobs");
    for (const char* picture : {"race", "explored", "front"}) pair(picture, "algorithms");
}

MappingTabs::~MappingTabs() = default;

void MappingTabs::setHistory(const std::filesystem::path& history, store::RunId kept) {
    d_->history = history;
    d_->kept = kept;
    setPageShown(QStringLiteral("front"), d_->choice->run.hasFront());
    setPageShown(QStringLiteral("explored"), d_->choice->run.hasExplored());
}

QVector<Exportable> MappingTabs::exportables() const {
    // As `--evaluate` and warm starts read it.
    Exportable mapping{
        .name = fileStem(d_->choice->run.algorithm(d_->choice->algorithm) + QStringLiteral("-mapping")),
        .id = QStringLiteral("mapping"),
        .title = tr("Mapping of %1").arg(d_->choice->run.algorithm(d_->choice->algorithm)),
        .json = [run = d_->choice->run,
                 algorithm = d_->choice->algorithm] { return toText(study::mappingJson(run.run(algorithm).mapping)); },
        .jsonTitle = tr("Mapping (JSON)")};
    // What is shown is of another run until its tab is seen again.
    const bool isOfThis = d_->sweeps != nullptr && d_->sweeps->run().shared() == d_->choice->run.shared();
    return (isOfThis ? d_->sweeps->exportables() : QVector<Exportable>()) + QVector<Exportable>{std::move(mapping)};
}

void MappingTabs::setJob(int job) {
    d_->choice->job = job;
    d_->showJob();
}

}  // namespace tessera::ui

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
#include "core/study/mapping_document.h"
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
#include "ui/views/table_view.h"

namespace tessera::ui {

struct MappingTabs::Implementation {
    MappingTabs* tabs = nullptr;
    SharedMappingChoice choice;
    bool choosing = false;  ///< while a selection is set from outside
    std::filesystem::path history;
    store::RunId kept = 0;

    GanttView* gantt = nullptr;
    QComboBox* colours = nullptr;
    std::vector<int> jobOfEvent;  ///< of the timeline that is shown
    ChartPane* raceCharts = nullptr;
    QToolButton *logarithmic = nullptr, *generations = nullptr;
    ChartPane* algorithmCharts = nullptr;
    TableModel* algorithmModel = nullptr;
    TableView* algorithmTable = nullptr;
    TableModel* jobModel = nullptr;
    TableView* jobTable = nullptr;
    ChartPane* coreCharts = nullptr;
    TableModel* coreModel = nullptr;
    ChartPane* demandCharts = nullptr;
    ChartPane* exploredCharts = nullptr;
    ChartPane* frontCharts = nullptr;
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
        return under(bar, gantt);
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
        raceCharts = new ChartPane(exports::titles("mapping", {"convergence", "optimality-gap"}), tr("Race"));
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

    // ---- algorithms ----

    QWidget* makeAlgorithms() {
        algorithmCharts = new ChartPane(exports::titles("mapping", {"algorithms"}), tr("What each algorithm reached"));
        connect(algorithmCharts, &ChartPane::pointClicked, tabs, [this](int, int, int category) {
            if (category >= 0 && category < choice->run.runCount()) emit tabs->algorithmChosen(category);
        });
        connect(algorithmCharts, &ChartPane::explainRequested, tabs, [this](int, int, int category) {
            if (category < 0 || category >= choice->run.runCount()) return;
            const QString field =
                choice->run.problem().clock ? QStringLiteral("throughput_flops") : QStringLiteral("makespan_cycles");
            emit tabs->explainRequested(choice->run.algorithm(category) + QLatin1Char('/') + field);
        });
        return algorithmCharts;
    }

    void fillAlgorithms() {
        tabs->prepare([run = choice->run] { return report::algorithmChart(run.outcome()); },
                      [this](report::Chart chart) { algorithmCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeAlgorithmTable() {
        algorithmModel = algorithmTableModel(choice, tabs);
        algorithmTable = new TableView(algorithmModel, tr("Algorithms"));
        algorithmTable->setFilterVisible(false);
        tabs->explainFrom(algorithmTable, algorithmModel);
        connect(algorithmTable, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0 && !choosing) emit tabs->algorithmChosen(row);
        });
        return algorithmTable;
    }

    void fillAlgorithmTable() {
        choosing = true;
        algorithmModel->setRowCount(choice->run.runCount());
        algorithmTable->setCurrentRow(choice->algorithm);
        choosing = false;
    }

    // ---- jobs ----

    QWidget* makeJobs() {
        jobModel = jobTableModel(choice, tabs);
        jobTable = new TableView(jobModel, tr("Jobs"));
        tabs->explainFrom(jobTable, jobModel);
        connect(jobTable, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0 && !choosing) emit tabs->jobChosen(row);
        });
        return jobTable;
    }

    void fillJobs() {
        jobModel->setRowCount(choice->run.jobCount());
        showJob();
    }

    void showJob() {
        choosing = true;
        if (jobTable != nullptr) jobTable->setCurrentRow(choice->job);
        if (gantt != nullptr) {
            const auto found = std::find(jobOfEvent.begin(), jobOfEvent.end(), choice->job);
            gantt->setSelected(
                choice->job < 0 || found == jobOfEvent.end() ? -1 : static_cast<int>(found - jobOfEvent.begin()));
        }
        choosing = false;
    }

    // ---- cores ----

    QWidget* makeCores() {
        coreCharts = new ChartPane(exports::titles("mapping", {"cores"}), tr("What every core does"));
        coreCharts->plot()->setExplainable(false);
        connect(coreCharts, &ChartPane::pointClicked, tabs, [this](int, int, int category) {
            if (category >= 0 && category < choice->run.coreCount()) emit tabs->inspected(coreFacts(*choice, category));
        });
        return coreCharts;
    }

    void fillCores() {
        tabs->prepare(
            [run = choice->run, id = choice->chosen().algorithm] { return report::coreChart(run.outcome(), id); },
            [this](report::Chart chart) { coreCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeCoreTable() {
        coreModel = coreTableModel(choice, tabs);
        auto* table = new TableView(coreModel, tr("Cores"));
        table->setFilterVisible(false);
        connect(table, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0 && !choosing) emit tabs->inspected(coreFacts(*choice, row));
        });
        return table;
    }

    void fillCoreTable() {
        choosing = true;
        coreModel->setRowCount(choice->run.coreCount());
        choosing = false;
    }

    // ---- points ----

    QWidget* makeDemand() {
        demandCharts =
            new ChartPane(exports::titles("mapping", {"required-bandwidth"}), tr("Latency and bandwidth of jobs"));
        demandCharts->plot()->setExplainable(false);
        connect(demandCharts->plot(), &PlotWidget::pointClicked, tabs, [this](int series, int point) {
            const auto& all = demandCharts->plot()->chart().series;
            const bool isJob = series >= 0 && static_cast<std::size_t>(series) < all.size() &&
                               all[static_cast<std::size_t>(series)].mark == report::Mark::points;
            if (isJob && point >= 0 && point < choice->run.jobCount()) emit tabs->jobChosen(point);
        });
        return demandCharts;
    }

    void fillDemand() {
        tabs->prepare([run = choice->run] { return report::demandChart(run.outcome()); },
                      [this](report::Chart chart) { demandCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeExplored() {
        exploredCharts =
            new ChartPane(exports::titles("mapping", {"search-space"}), tr("Search-space projection (PCA)"));
        exploredCharts->plot()->setExplainable(false);
        return exploredCharts;
    }

    void fillExplored() {
        tabs->prepare([run = choice->run] { return report::exploredChart(run.outcome()); },
                      [this](report::Chart chart) { exploredCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeFront() {
        frontCharts = new ChartPane(exports::titles("mapping", {"pareto"}), tr("What cannot be had together"));
        frontCharts->plot()->setExplainable(false);
        return frontCharts;
    }

    void fillFront() {
        tabs->prepare([run = choice->run] { return report::frontChart(run.outcome()); },
                      [this](report::Chart chart) { frontCharts->setCharts({std::move(chart)}); });
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
    addPicture("schedule", exports::title("mapping", "schedule"), d, &I::makeSchedule, &I::fillSchedule);
    addPicture("race", tr("Race"), d, &I::makeRace, &I::fillRace);
    addPicture("algorithms", tr("Algorithms"), d, &I::makeAlgorithms, &I::fillAlgorithms);
    addPicture("cores", tr("Cores"), d, &I::makeCores, &I::fillCores);
    addPicture("demand", exports::title("mapping", "required-bandwidth"), d, &I::makeDemand, &I::fillDemand);
    addPicture("explored", exports::title("mapping", "search-space"), d, &I::makeExplored, &I::fillExplored);
    addPicture("front", exports::title("mapping", "pareto"), d, &I::makeFront, &I::fillFront);
    addPicture("sweeps", tr("Sweeps"), d, &I::makeSweeps, &I::fillSweeps);
    addDetails("jobs", tr("Jobs"), d, &I::makeJobs, &I::fillJobs);
    addDetails("algorithms", tr("Algorithms"), d, &I::makeAlgorithmTable, &I::fillAlgorithmTable);
    addDetails("cores", tr("Cores"), d, &I::makeCoreTable, &I::fillCoreTable);
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

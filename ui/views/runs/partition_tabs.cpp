#include "ui/views/runs/partition_tabs.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/units.h"
#include "core/report/partition_pictures.h"
#include "core/study/timeline.h"
#include "ui/models/background.h"
#include "ui/models/partition_facts.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/plot/scaling_view.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

constexpr int kSplitLetters = 18;

}  // namespace

struct PartitionTabs::Implementation {
    PartitionTabs* tabs = nullptr;
    SharedChoice choice;
    std::shared_ptr<const std::vector<Curve>> curves;
    HeatMapView* map = nullptr;
    int layer = -1;
    bool choosing = false;  ///< while a selection is set from outside

    ChartPane* strategyCharts = nullptr;
    TableModel* strategyModel = nullptr;
    TableView* strategyTable = nullptr;
    TableModel* subsetModel = nullptr;
    QComboBox* splitBox = nullptr;
    ChartPane* layerCharts = nullptr;
    TableModel* layerModel = nullptr;
    TableView* layerTable = nullptr;
    ChartPane* levelCharts = nullptr;
    TableModel* levelModel = nullptr;
    TableView* levelTable = nullptr;
    GanttView* gantt = nullptr;
    QLabel* ganttNote = nullptr;
    ChartPane* acceleratorCharts = nullptr;
    QLabel* memoryNote = nullptr;
    TableModel* acceleratorModel = nullptr;
    ConvergenceView* convergence = nullptr;
    ScalingView* scaling = nullptr;
    std::filesystem::path history;
    store::RunId kept = 0;

    std::string strategy() const { return choice->chosen().strategy; }

    QWidget* makeTypes() { return map; }
    void fillTypes() {}  // the view does, with the types of the splits

    QWidget* makeStrategies() {
        strategyCharts = new ChartPane({tr("Speed-up"), tr("Step time")}, tr("Strategies"));
        connect(strategyCharts, &ChartPane::pointClicked, tabs, [this](int, int, int point) {
            if (point >= 0 && point < choice->run.planCount()) emit tabs->strategyChosen(point);
        });
        connect(strategyCharts, &ChartPane::explainRequested, tabs, [this](int chart, int, int point) {
            if (point < 0 || point >= choice->run.planCount()) return;
            const QString field = chart == 0 ? QStringLiteral("speedup_over_dp") : QStringLiteral("step_time_s");
            emit tabs->explainRequested(QString::fromStdString(choice->run.plan(point).strategy) + QLatin1Char('/') +
                                        field);
        });
        return strategyCharts;
    }

    void fillStrategies() {
        tabs->prepare(
            [run = choice->run] {
                return std::vector<report::Chart>{report::speedupChart(run.outcome()),
                                                  report::stepTimeChart(run.outcome())};
            },
            [this](std::vector<report::Chart> charts) { strategyCharts->setCharts(std::move(charts)); });
    }

    QWidget* makeStrategyTable() {
        strategyModel = strategyTableModel(choice, tabs);
        strategyTable = new TableView(strategyModel, tr("Strategies"));
        strategyTable->setFilterVisible(false);
        tabs->explainFrom(strategyTable, strategyModel);
        connect(strategyTable, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0 && !choosing) emit tabs->strategyChosen(row);
        });
        return strategyTable;
    }

    void fillStrategyTable() {
        choosing = true;
        strategyModel->setRowCount(choice->run.planCount());
        strategyTable->setCurrentRow(choice->plan);
        choosing = false;
    }

    QWidget* makeSubsets() {
        subsetModel = subsetTableModel(choice, tabs);
        auto* table = new TableView(subsetModel, tr("Subsets of the fleet"));
        table->setFilterVisible(false);
        return table;
    }

    void fillSubsets() { subsetModel->setRowCount(subsetRows(*choice)); }

    QWidget* makeLayers() {
        splitBox = new QComboBox;
        splitBox->setAccessibleName(tr("Split"));
        splitBox->setToolTip(tr("Which split of the array the layers are shown at"));
        splitBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        splitBox->setMinimumContentsLength(kSplitLetters);
        connect(splitBox, qOverload<int>(&QComboBox::activated), tabs, &PartitionTabs::splitChosen);
        layerCharts = new ChartPane({tr("Layers")}, tr("Time by layer"));
        layerCharts->addTool(splitBox);
        connect(layerCharts, &ChartPane::pointClicked, tabs, [this](int, int, int point) { layerFromView(point); });
        connect(layerCharts, &ChartPane::explainRequested, tabs, [this](int, int series, int point) {
            static constexpr std::array kFields{"compute_s", "intra_s", "inter_s"};
            if (series < 0 || series >= static_cast<int>(kFields.size()) || point < 0) return;
            emit tabs->explainRequested(QStringLiteral("%1/levels[%2]/layers[%3]/%4")
                                            .arg(QString::fromStdString(strategy()))
                                            .arg(choice->split)
                                            .arg(point)
                                            .arg(QLatin1String(kFields.at(static_cast<std::size_t>(series)))));
        });
        return layerCharts;
    }

    void layerFromView(int row) {
        if (choosing || !choice->hasSplit()) return;
        const bool isLayer = row >= 0 && row < static_cast<int>(choice->level().layers.size());
        if (isLayer) emit tabs->layerChosen(row);
    }

    void fillLayers() {
        {
            const QSignalBlocker quiet(splitBox);
            splitBox->clear();
            for (int split = 0; split < levelRows(*choice); ++split)
                splitBox->addItem(choice->run.splitTitle(choice->plan, split));
            splitBox->setCurrentIndex(choice->split);
        }
        showLayer();
        if (!choice->hasSplit()) return;
        tabs->prepare(
            [run = choice->run, strategy = strategy(), split = static_cast<std::size_t>(choice->split)] {
                return report::layerChart(run.outcome(), strategy, split);
            },
            [this](report::Chart chart) { layerCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeLayerTable() {
        layerModel = layerTableModel(choice, tabs);
        layerTable = new TableView(layerModel, tr("Layers"));
        tabs->explainFrom(layerTable, layerModel);
        connect(layerTable, &TableView::currentRowChanged, tabs, [this](int row) { layerFromView(row); });
        return layerTable;
    }

    void fillLayerTable() {
        layerModel->setRowCount(layerRows(*choice));
        showLayer();
    }

    QWidget* makeLevels() {
        levelCharts = new ChartPane({tr("Time by level"), tr("Ratio by level")}, tr("Levels"));
        connect(levelCharts, &ChartPane::explainRequested, tabs, [this](int chart, int series, int category) {
            const QString path = chart == 0 ? stepPartPath(series) : ratioPath(category);
            if (!path.isEmpty()) emit tabs->explainRequested(path);
        });
        return levelCharts;
    }

    QString ratioPath(int split) const {
        if (split < 0 || split >= levelRows(*choice)) return {};
        return QStringLiteral("%1/levels[%2]/ratio").arg(QString::fromStdString(strategy())).arg(split);
    }

    /// The chart shows the parts of the slowest accelerator's step: what it moves, level by level, and what it
    /// computes.
    QString stepPartPath(int series) const {
        const std::optional<std::size_t> slowest = report::slowestShare(choice->chosen());
        const std::vector<report::Series>& all = levelCharts->plot()->chart().series;
        if (!slowest || series < 0 || static_cast<std::size_t>(series) >= all.size()) return {};
        return QStringLiteral("%1/per_accelerator[%2]/%3_s")
            .arg(QString::fromStdString(strategy()))
            .arg(*slowest)
            .arg(QString::fromStdString(all[static_cast<std::size_t>(series)].id));
    }

    QWidget* makeLevelTable() {
        levelModel = levelTableModel(choice, tabs);
        levelTable = new TableView(levelModel, tr("Levels"));
        levelTable->setFilterVisible(false);
        tabs->explainFrom(levelTable, levelModel);
        connect(levelTable, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0 && !choosing) emit tabs->splitChosen(row);
        });
        return levelTable;
    }

    void fillLevelTable() {
        choosing = true;
        levelModel->setRowCount(levelRows(*choice));
        levelTable->setCurrentRow(choice->split);
        choosing = false;
    }

    void fillLevels() {
        tabs->prepare(
            [run = choice->run, strategy = strategy()] {
                return std::vector<report::Chart>{report::levelChart(run.outcome(), strategy),
                                                  report::ratioChart(run.outcome(), strategy)};
            },
            [this](std::vector<report::Chart> charts) { levelCharts->setCharts(std::move(charts)); });
    }

    QWidget* makeTimeline() {
        gantt = new GanttView;
        gantt->setAccessibleName(tr("Timeline of one step"));
        ganttNote = sentences();
        connect(gantt, &GanttView::eventSelected, tabs, [this](int event) { eventFromView(event); });
        return under(ganttNote, gantt);
    }

    void fillTimeline() {
        ganttNote->setText(tr("Laying out the step…"));
        ganttNote->show();
        tabs->prepare([run = choice->run, strategy = strategy()] { return study::timelineOf(run.result(), strategy); },
                      [this](Timeline timeline) {
                          ganttNote->hide();
                          gantt->setTimeline(std::move(timeline));
                      });
    }

    void eventFromView(int index) const {
        const Timeline& timeline = gantt->timeline();
        if (index < 0 || static_cast<std::size_t>(index) >= timeline.events.size()) return;
        const Timeline::Event& event = timeline.events[static_cast<std::size_t>(index)];
        const auto time = [](double seconds) {
            return QString::fromStdString(formatQuantity(seconds, Measure::seconds));
        };
        Facts facts;
        facts.title = shownText(event.name);
        facts.subtitle = shownText(timeline.tracks.at(static_cast<std::size_t>(event.track)).name);
        facts.icon = QStringLiteral("timeline");
        Facts::Section section{tr("Event"),
                               {{.label = tr("Starts"), .value = time(event.start)},
                                {.label = tr("Takes"), .value = time(event.duration)}}};
        for (const auto& [label, value] : event.details)
            section.rows.append({.label = shownText(label), .value = shownText(value)});
        facts.sections.append(section);
        emit tabs->inspected(facts);
    }

    QWidget* makeAccelerators() {
        acceleratorCharts = new ChartPane({tr("Memory")}, tr("Memory per accelerator"));
        memoryNote = sentences();
        connect(acceleratorCharts, &ChartPane::explainRequested, tabs, [this](int, int, int point) {
            if (point >= 0 && point < acceleratorRows(*choice))
                emit tabs->explainRequested(QStringLiteral("%1/per_accelerator[%2]/memory_bytes")
                                                .arg(QString::fromStdString(strategy()))
                                                .arg(point));
        });
        return under(memoryNote, acceleratorCharts);
    }

    QWidget* makeAcceleratorTable() {
        acceleratorModel = acceleratorTableModel(choice, tabs);
        auto* table = new TableView(acceleratorModel, tr("Accelerators"));
        table->setFilterVisible(false);
        tabs->explainFrom(table, acceleratorModel);
        connect(table, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row >= 0) emit tabs->inspected(acceleratorFacts(*choice, row));
        });
        return table;
    }

    void fillAcceleratorTable() { acceleratorModel->setRowCount(acceleratorRows(*choice)); }

    void fillAccelerators() {
        const QStringList notes = memorySentences(choice->run, choice->plan);
        memoryNote->setText(notes.join(QLatin1Char('\n')));
        memoryNote->setVisible(!notes.isEmpty());
        tabs->prepare(
            [run = choice->run, strategy = strategy()] { return report::memoryChart(run.outcome(), strategy); },
            [this](report::Chart chart) { acceleratorCharts->setCharts({std::move(chart)}); });
    }

    QWidget* makeScaling() {
        scaling = new ScalingView;
        return scaling;
    }

    void fillScaling() { scaling->setRun(choice->run, history, kept); }

    QWidget* makeConvergence() {
        convergence = new ConvergenceView;
        convergence->setEmptyText(tr("No curves were recorded for this run; run it again to see how it converges."));
        return convergence;
    }

    void fillConvergence() {  // NOLINT(readability-make-member-function-const): one of a row of fillers
        convergence->setCurves(curves);
    }

    void showLayer() {
        choosing = true;
        if (layerTable != nullptr) layerTable->setCurrentRow(layer);
        if (layerCharts != nullptr) layerCharts->plot()->setSelected(layer >= 0 ? 0 : -1, layer);
        choosing = false;
    }
};

PartitionTabs::PartitionTabs(SharedChoice choice, HeatMapView* map, QWidget* parent)
    : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    d_->map = map;
    Implementation* d = d_.get();
    using I = Implementation;
    addPicture("types", tr("Types of layers"), d, &I::makeTypes, &I::fillTypes);
    addPicture("strategies", tr("Strategies"), d, &I::makeStrategies, &I::fillStrategies);
    addPicture("layers", tr("Layers"), d, &I::makeLayers, &I::fillLayers);
    addPicture("levels", tr("Levels"), d, &I::makeLevels, &I::fillLevels);
    addPicture("scaling", tr("Scaling"), d, &I::makeScaling, &I::fillScaling);
    addPicture("timeline", tr("Timeline"), d, &I::makeTimeline, &I::fillTimeline);
    addPicture("accelerators", tr("Memory"), d, &I::makeAccelerators, &I::fillAccelerators);
    addPicture("convergence", tr("Convergence"), d, &I::makeConvergence, &I::fillConvergence);
    addDetails("strategies", tr("Strategies"), d, &I::makeStrategyTable, &I::fillStrategyTable);
    addDetails("subsets", tr("Subsets of the fleet"), d, &I::makeSubsets, &I::fillSubsets);
    addDetails("layers", tr("Layers"), d, &I::makeLayerTable, &I::fillLayerTable);
    addDetails("levels", tr("Levels"), d, &I::makeLevelTable, &I::fillLevelTable);
    addDetails("accelerators", tr("Accelerators"), d, &I::makeAcceleratorTable, &I::fillAcceleratorTable);
    addAssumptions([d]() -> const study::Result& { return d->choice->run.result(); });
    pair("types", "strategies");
}

PartitionTabs::~PartitionTabs() = default;

void PartitionTabs::setCurves(std::shared_ptr<const std::vector<Curve>> curves) {
    d_->curves = std::move(curves);
}

void PartitionTabs::setHistory(const std::filesystem::path& history, store::RunId kept) {
    d_->history = history;
    d_->kept = kept;
    setPageShown(QStringLiteral("subsets"), subsetRows(*d_->choice) > 0);
}

QVector<Exportable> PartitionTabs::exportables() const {
    // What is shown is of another run until its tab is seen again.
    const bool isOfThis = d_->scaling != nullptr && d_->scaling->run().shared() == d_->choice->run.shared();
    return isOfThis ? d_->scaling->exportables() : QVector<Exportable>();
}

void PartitionTabs::setLayer(int layer) {
    d_->layer = layer;
    d_->showLayer();
}

}  // namespace tessera::ui

#include "ui/views/runs/prediction_tabs.h"

#include <algorithm>
#include <utility>

#include "core/report/prediction_pictures.h"
#include "ui/models/partition_run.h"
#include "ui/models/prediction_tables.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

using Charts = std::vector<report::Chart>;

/// The metric that a bar of the pictures of all accelerators shows, by picture.
constexpr const char* kRankedMetrics[] = {"throughput_samples_per_s", "samples_per_usd", "training_cost_usd",
                                          "throughput_samples_per_s"};
constexpr int kMethods = 3;  ///< the picture whose series are methods, not accelerators

}  // namespace

struct PredictionTabs::Implementation {
    PredictionTabs* tabs = nullptr;
    SharedPredictionChoice choice;
    bool choosing = false;  ///< while a selection is set from outside

    ChartPane* ranked = nullptr;
    TableModel* predictionModel = nullptr;
    TableView* predictionTable = nullptr;
    ChartPane* stages = nullptr;
    ChartPane* memory = nullptr;
    ChartPane* roofline = nullptr;
    std::vector<std::vector<std::size_t>> placed;  ///< by series and point of the roofline: which operator
    TableModel* operatorModel = nullptr;
    TableView* operatorTable = nullptr;
    ChartPane* scaling = nullptr;
    std::shared_ptr<report::Table> sources = std::make_shared<report::Table>();
    TableModel* sourceModel = nullptr;

    /// Of a bar in a picture whose categories are accelerators, fastest first; -1 = none.
    int predictionAt(int category) const {
        const auto order = report::inOrder(choice->run.outcome(), choice->devices());
        if (category < 0 || static_cast<std::size_t>(category) >= order.size()) return -1;
        return static_cast<int>(order[static_cast<std::size_t>(category)] - choice->run.outcome().predictions.data());
    }
    /// Of a series that is of one accelerator; -1 = none.
    int predictionOf(const PlotWidget& plot, int series) const {
        const std::vector<report::Series>& all = plot.chart().series;
        if (series < 0 || static_cast<std::size_t>(series) >= all.size()) return -1;
        const QString id = QString::fromStdString(all[static_cast<std::size_t>(series)].id);
        return choice->run.predictionOf(choice->run.acceleratorNamed(id), choice->count);
    }
    int rankedPrediction(int chart, int series, int category) const {
        return chart == kMethods ? predictionAt(category) : predictionOf(*ranked->plot(), series);
    }
    void choose(int prediction) {
        if (prediction >= 0 && !choosing) emit tabs->predictionChosen(prediction);
    }
    QString metricOf(int prediction, const char* metric) const {
        return choice->run.name(prediction) + QLatin1Char('/') + QLatin1String(metric);
    }

    // ---- accelerators ----

    QWidget* makeAccelerators() {
        ranked =
            new ChartPane(exports::titles("predict", {"throughput", "price-performance", "training-cost", "baselines"}),
                          tr("Accelerators side by side"));
        connect(ranked, &ChartPane::pointClicked, tabs,
                [this](int chart, int series, int category) { choose(rankedPrediction(chart, series, category)); });
        connect(ranked, &ChartPane::explainRequested, tabs, [this](int chart, int series, int category) {
            const int prediction = rankedPrediction(chart, series, category);
            if (prediction >= 0) emit tabs->explainRequested(metricOf(prediction, kRankedMetrics[chart]));
        });
        return ranked;
    }

    void fillAccelerators() {
        tabs->prepare(
            [run = choice->run, devices = choice->devices()] {
                const study::PredictionOutcome& outcome = run.outcome();
                return Charts{report::throughputChart(outcome, devices),
                              report::pricePerformanceChart(outcome, devices),
                              report::trainingCostChart(outcome, devices), report::methodChart(outcome, devices)};
            },
            [this](Charts charts) { ranked->setCharts(std::move(charts)); });
    }

    QWidget* makePredictions() {
        predictionModel = predictionTableModel(choice, tabs);
        predictionTable = new TableView(predictionModel, tr("Predictions"));
        tabs->explainFrom(predictionTable, predictionModel);
        connect(predictionTable, &TableView::currentRowChanged, tabs, [this](int row) { choose(row); });
        return predictionTable;
    }

    void fillPredictions() {
        choosing = true;
        predictionModel->setRowCount(choice->run.predictions());
        predictionTable->setCurrentRow(choice->prediction());
        choosing = false;
    }

    // ---- stages ----

    QWidget* makeStages() {
        stages = new ChartPane(exports::titles("predict", {"stages"}), tr("What a step consists of"));
        connect(stages, &ChartPane::pointClicked, tabs,
                [this](int, int, int category) { choose(predictionAt(category)); });
        connect(stages, &ChartPane::explainRequested, tabs, [this](int, int series, int category) {
            const int prediction = predictionAt(category);
            const std::vector<report::Series>& all = stages->plot()->chart().series;
            if (prediction < 0 || series < 0 || static_cast<std::size_t>(series) >= all.size()) return;
            const std::string& id = all[static_cast<std::size_t>(series)].id;
            emit tabs->explainRequested(choice->run.name(prediction) + QLatin1Char('/') +
                                        QString::fromStdString(id == "hidden" ? "overlap_s" : id + "_s"));
        });
        return stages;
    }

    void fillStages() {
        tabs->prepare(
            [run = choice->run, devices = choice->devices()] { return report::stageChart(run.outcome(), devices); },
            [this](report::Chart chart) { stages->setCharts({std::move(chart)}); });
    }

    // ---- memory ----

    QWidget* makeMemory() {
        memory = new ChartPane({}, tr("Memory of a device"));
        memory->plot()->setExplainable(false);
        return memory;
    }

    void fillMemory() {
        if (choice->prediction() < 0) return memory->setCharts({});
        const predict::Prediction& one = choice->chosen();
        QStringList titles;
        for (const std::size_t level : report::usedLevels(one)) titles << shownText(one.memory.levels.at(level).level);
        memory->setTitles(titles << exports::title("predict", "memory"));
        tabs->prepare(
            [run = choice->run, prediction = choice->prediction()] {
                const predict::Prediction& its = run.prediction(prediction);
                Charts charts;
                for (const std::size_t level : report::usedLevels(its))
                    charts.push_back(report::batchMemoryChart(its, level));
                charts.push_back(report::levelChart(its));
                return charts;
            },
            [this](Charts charts) { memory->setCharts(std::move(charts)); });
    }

    // ---- operators ----

    QWidget* makeRoofline() {
        roofline = new ChartPane(exports::titles("predict", {"roofline"}), tr("Operators on the roofline"));
        roofline->plot()->setExplainable(false);
        connect(roofline->plot(), &PlotWidget::pointClicked, tabs, [this](int series, int point) {
            if (series < 0 || static_cast<std::size_t>(series) >= placed.size()) return;
            const std::vector<std::size_t>& its = placed[static_cast<std::size_t>(series)];
            if (point >= 0 && static_cast<std::size_t>(point) < its.size())
                emit tabs->operatorChosen(static_cast<int>(its[static_cast<std::size_t>(point)]));
        });
        return roofline;
    }

    void fillRoofline() {
        if (choice->prediction() < 0) return roofline->setCharts({});
        tabs->prepare(
            [run = choice->run, prediction = choice->prediction()] {
                return report::operatorRoofline(run.outcome(), run.prediction(prediction));
            },
            [this](report::OperatorRoofline picture) {
                placed = std::move(picture.operators);
                roofline->setCharts({std::move(picture.chart)});
                showOperator();
            });
    }

    QWidget* makeOperators() {
        operatorModel = operatorTableModel(choice, tabs);
        operatorTable = new TableView(operatorModel, tr("Operators"));
        operatorTable->setEmptyText(
            tr("This accelerator does not fit, or the result does not tell its operators. Choose another accelerator, "
               "or run the study again."));
        connect(operatorTable, &TableView::currentRowChanged, tabs, [this](int row) {
            if (row < 0 || choosing) return;
            emit tabs->operatorChosen(static_cast<int>(choice->operators.at(static_cast<std::size_t>(row))));
        });
        return operatorTable;
    }

    void fillOperators() {
        choosing = true;
        operatorModel->setRowCount(static_cast<int>(choice->operators.size()));
        choosing = false;
        showOperator();
    }

    /// Marks the chosen operator wherever it is in sight.
    void showOperator() {
        choosing = true;
        const auto op = static_cast<std::size_t>(choice->op);
        if (operatorTable != nullptr) {
            const auto row = std::find(choice->operators.begin(), choice->operators.end(), op);
            const bool known = choice->op >= 0 && row != choice->operators.end();
            operatorTable->setCurrentRow(known ? static_cast<int>(row - choice->operators.begin()) : -1);
        }
        if (roofline != nullptr) {
            int series = -1, point = -1;
            for (std::size_t s = 0; choice->op >= 0 && s < placed.size(); ++s) {
                const auto found = std::find(placed[s].begin(), placed[s].end(), op);
                if (found == placed[s].end()) continue;
                series = static_cast<int>(s);
                point = static_cast<int>(found - placed[s].begin());
            }
            roofline->plot()->setSelected(series, point);
        }
        choosing = false;
    }

    // ---- devices ----

    QWidget* makeDevices() {
        scaling = new ChartPane(exports::titles("predict", {"scaling", "scaling-speedup"}),
                                tr("Throughput by number of devices"));
        connect(scaling, &ChartPane::pointClicked, tabs, [this](int, int series, int devices) {
            const int at = predictionOf(*scaling->plot(), series);
            const int count = choice->run.countOf(devices);
            if (at < 0 || count < 0) return;
            const QString id = QString::fromStdString(choice->run.prediction(at).accelerator);
            choose(choice->run.predictionOf(choice->run.acceleratorNamed(id), count));
        });
        scaling->plot()->setExplainable(false);
        return scaling;
    }

    void fillDevices() {
        tabs->prepare(
            [run = choice->run] {
                return Charts{report::deviceScalingChart(run.outcome()), report::deviceSpeedupChart(run.outcome())};
            },
            [this](Charts charts) { scaling->setCharts(std::move(charts)); });
    }

    // ---- sources ----

    QWidget* makeSources() {
        sourceModel = sourceTableModel(sources, tabs);
        auto* table = new TableView(sourceModel, tr("Where the numbers come from"));
        table->setEmptyText(tr("The files of these accelerators do not say where their numbers come from."));
        return table;
    }

    void fillSources() {
        *sources = report::sourceSheet(choice->run.outcome());
        sourceModel->setRowCount(static_cast<int>(sources->rows.size()));
    }
};

PredictionTabs::PredictionTabs(SharedPredictionChoice choice, QWidget* parent)
    : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    Implementation* d = d_.get();
    using I = Implementation;
    addPicture("accelerators", tr("Accelerators"), d, &I::makeAccelerators, &I::fillAccelerators);
    addPicture("stages", exports::title("predict", "stages"), d, &I::makeStages, &I::fillStages);
    addPicture("memory", tr("Memory"), d, &I::makeMemory, &I::fillMemory);
    addPicture("roofline", exports::title("predict", "roofline"), d, &I::makeRoofline, &I::fillRoofline);
    addPicture("devices", exports::title("predict", "scaling"), d, &I::makeDevices, &I::fillDevices);
    addDetails("accelerators", tr("Predictions"), d, &I::makePredictions, &I::fillPredictions);
    addDetails("operators", tr("Operators"), d, &I::makeOperators, &I::fillOperators);
    addDetails("sources", tr("Sources"), d, &I::makeSources, &I::fillSources);
    addAssumptions([d]() -> const study::Result& { return d->choice->run.result(); });
    for (const char* picture : {"stages", "memory", "devices"}) pair(picture, "accelerators");
    pair("roofline", "operators");
}

PredictionTabs::~PredictionTabs() = default;

void PredictionTabs::showOperator() {
    d_->showOperator();
}

}  // namespace tessera::ui

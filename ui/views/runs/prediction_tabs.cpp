#include "ui/views/runs/prediction_tabs.h"

#include <algorithm>
#include <utility>

#include "core/report/prediction_pictures.h"
#include "core/study/prediction/outcome.h"
#include "ui/models/partition_run.h"
#include "ui/models/prediction_tables.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

constexpr std::string_view kPredictionEngine = "predict";

using ChartList = std::vector<report::Chart>;

/// The metric that a bar of the pictures of all accelerators shows, by picture.
constexpr const char* kRankedMetrics[] = {"throughput_samples_per_s", "samples_per_usd", "training_cost_usd",
                                          "throughput_samples_per_s"};
constexpr int kMethods = 3;  ///< the picture whose series are methods, not accelerators

}  // namespace

struct PredictionTabs::Implementation {
    PredictionTabs* tabs = nullptr;
    SharedPredictionChoice choice;

    ChartPane* memory = nullptr;
    ChartPane* roofline = nullptr;
    std::vector<std::vector<std::size_t>> placed;  ///< by series and point of the roofline: which operator
    std::shared_ptr<report::Table> sources = std::make_shared<report::Table>();

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
    int rankedPrediction(const ChartPane& ranked, int series, int category) const {
        return ranked.current() == kMethods ? predictionAt(category) : predictionOf(*ranked.plot(), series);
    }
    void choose(int prediction) const {
        if (prediction >= 0) emit tabs->predictionChosen(prediction);
    }
    void chooseCount(const ChartPane& scaling, int series, int devices) const {
        const int at = predictionOf(*scaling.plot(), series);
        const int count = choice->run.countOf(devices);
        if (at < 0 || count < 0) return;
        const QString id = QString::fromStdString(choice->run.prediction(at).accelerator);
        choose(choice->run.predictionOf(choice->run.acceleratorNamed(id), count));
    }
    QString rankedPath(const ChartPane& ranked, int series, int category) const {
        const int prediction = rankedPrediction(ranked, series, category);
        return prediction < 0 ? QString() : metricOf(prediction, kRankedMetrics[ranked.current()]);
    }
    QString stagePath(const ChartPane& stages, int series, int category) const {
        const int prediction = predictionAt(category);
        const std::vector<report::Series>& all = stages.plot()->chart().series;
        if (prediction < 0 || series < 0 || static_cast<std::size_t>(series) >= all.size()) return {};
        const std::string& id = all[static_cast<std::size_t>(series)].id;
        return metricOf(prediction, (id == "hidden" ? "overlap_s" : id + "_s").c_str());
    }
    QString metricOf(int prediction, const char* metric) const {
        return choice->run.name(prediction) + QLatin1Char('/') + QLatin1String(metric);
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
        memory->setTitles(titles << exports::title(kPredictionEngine, "memory"));
        tabs->prepare(
            [run = choice->run, prediction = choice->prediction()] {
                const predict::Prediction& its = run.prediction(prediction);
                ChartList charts;
                for (const std::size_t level : report::usedLevels(its))
                    charts.push_back(report::batchMemoryChart(its, level));
                charts.push_back(report::levelChart(its));
                return charts;
            },
            [this](ChartList charts) { memory->setCharts(std::move(charts)); });
    }

    // ---- operators ----

    QWidget* makeRoofline() {
        roofline = new ChartPane(exports::titles(kPredictionEngine, {"roofline"}), tr("Operators on the roofline"));
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

    int operatorRow() const {
        const auto row =
            std::find(choice->operators.begin(), choice->operators.end(), static_cast<std::size_t>(choice->op));
        return choice->op < 0 || row == choice->operators.end() ? -1
                                                                : static_cast<int>(row - choice->operators.begin());
    }

    /// Marks the chosen operator wherever it is in sight.
    void showOperator() const {
        tabs->markRow(QStringLiteral("operators"), operatorRow());
        if (roofline == nullptr) return;
        int series = -1, point = -1;
        for (std::size_t s = 0; choice->op >= 0 && s < placed.size(); ++s) {
            const auto found = std::find(placed[s].begin(), placed[s].end(), static_cast<std::size_t>(choice->op));
            if (found == placed[s].end()) continue;
            series = static_cast<int>(s);
            point = static_cast<int>(found - placed[s].begin());
        }
        roofline->plot()->setSelected(series, point);
    }
};

PredictionTabs::PredictionTabs(SharedPredictionChoice choice, QWidget* parent)
    : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    Implementation* d = d_.get();
    using I = Implementation;
    addCharts("accelerators", tr("Accelerators"),
              {.titles = exports::titles(kPredictionEngine,
                                         {"throughput", "price-performance", "training-cost", "baselines"}),
               .name = tr("Accelerators side by side"),
               .work =
                   [d] {
                       return [run = d->choice->run, devices = d->choice->devices()] {
                           const study::PredictionOutcome& outcome = run.outcome();
                           return ChartList{report::throughputChart(outcome, devices),
                                            report::pricePerformanceChart(outcome, devices),
                                            report::trainingCostChart(outcome, devices),
                                            report::methodChart(outcome, devices)};
                       };
                   },
               .clicked = [d](const ChartPane& pane, int series,
                              int category) { d->choose(d->rankedPrediction(pane, series, category)); },
               .path = [d](const ChartPane& pane, int series,
                           int category) { return d->rankedPath(pane, series, category); }});
    addCharts("stages", exports::title(kPredictionEngine, "stages"),
              {.name = tr("What a step consists of"),
               .work =
                   [d] {
                       return [run = d->choice->run, devices = d->choice->devices()] {
                           return ChartList{report::stageChart(run.outcome(), devices)};
                       };
                   },
               .clicked = [d](const ChartPane&, int, int category) { d->choose(d->predictionAt(category)); },
               .path = [d](const ChartPane& pane, int series,
                           int category) { return d->stagePath(pane, series, category); }});
    addPicture("memory", tr("Memory"), d, &I::makeMemory, &I::fillMemory);
    addPicture("roofline", exports::title(kPredictionEngine, "roofline"), d, &I::makeRoofline, &I::fillRoofline);
    addCharts(
        "devices", exports::title(kPredictionEngine, "scaling"),
        {.titles = exports::titles(kPredictionEngine, {"scaling", "scaling-speedup"}),
         .name = tr("Throughput by number of devices"),
         .work =
             [d] {
                 return [run = d->choice->run] {
                     return ChartList{report::deviceScalingChart(run.outcome()),
                                      report::deviceSpeedupChart(run.outcome())};
                 };
             },
         .clicked = [d](const ChartPane& pane, int series, int devices) { d->chooseCount(pane, series, devices); }});
    addTable("accelerators", tr("Predictions"),
             {.model = [d](QObject* owner) { return predictionTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.predictions(); },
              .current = [d] { return d->choice->prediction(); },
              .chosen = [d](int prediction) { d->choose(prediction); },
              .filtered = true});
    addTable("operators", tr("Operators"),
             {.model = [d](QObject* owner) { return operatorTableModel(d->choice, owner); },
              .rows = [d] { return static_cast<int>(d->choice->operators.size()); },
              .current = [d] { return d->operatorRow(); },
              .chosen =
                  [this, d](int row) {
                      emit operatorChosen(static_cast<int>(d->choice->operators.at(static_cast<std::size_t>(row))));
                  },
              .filtered = true,
              .empty = tr("This accelerator does not fit, or the result does not tell its operators. Choose another "
                          "accelerator, or run the study again.")});
    addTable("sources", tr("Sources"),
             {.model = [d](QObject* owner) { return sourceTableModel(d->sources, owner); },
              .rows =
                  [d] {
                      *d->sources = report::sourceSheet(d->choice->run.outcome());
                      return static_cast<int>(d->sources->rows.size());
                  },
              .filtered = true,
              .empty = tr("The files of these accelerators do not say where their numbers come from.")});
    addAssumptions([d]() -> const study::Result& { return d->choice->run.result(); });
    for (const char* picture : {"stages", "memory", "devices"}) pair(picture, "accelerators");
    pair("roofline", "operators");
}

PredictionTabs::~PredictionTabs() = default;

void PredictionTabs::showOperator() {
    d_->showOperator();
}

}  // namespace tessera::ui

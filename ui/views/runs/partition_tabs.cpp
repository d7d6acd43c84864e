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
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

constexpr std::string_view kPartitionEngine = "partition";

constexpr int kSplitLetters = 18;

}  // namespace

struct PartitionTabs::Implementation {
    PartitionTabs* tabs = nullptr;
    SharedChoice choice;
    std::shared_ptr<const std::vector<Curve>> curves;
    HeatMapView* map = nullptr;
    int layer = -1;

    QComboBox* splitBox = nullptr;
    ChartPane* layerCharts = nullptr;
    GanttView* gantt = nullptr;
    QLabel* ganttNote = nullptr;
    ChartPane* acceleratorCharts = nullptr;
    QLabel* memoryNote = nullptr;
    ConvergenceView* convergence = nullptr;
    ScalingView* scaling = nullptr;
    std::filesystem::path history;
    store::RunId kept = 0;

    std::string strategy() const { return choice->chosen().strategy; }

    QWidget* makeTypes() { return map; }
    void fillTypes() {}  // the view does, with the types of the splits

    QString strategyPath(const ChartPane& pane, int plan) const {
        if (plan < 0 || plan >= choice->run.planCount()) return {};
        return QString::fromStdString(choice->run.plan(plan).strategy) + QLatin1Char('/') +
               (pane.current() == 0 ? QStringLiteral("speedup_over_dp") : QStringLiteral("step_time_s"));
    }

    QWidget* makeLayers() {
        splitBox = new QComboBox;
        splitBox->setAccessibleName(tr("Split"));
        splitBox->setToolTip(tr("Which split of the array the layers are shown at"));
        splitBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        splitBox->setMinimumContentsLength(kSplitLetters);
        connect(splitBox, qOverload<int>(&QComboBox::activated), tabs, &PartitionTabs::splitChosen);
        layerCharts = new ChartPane(exports::titles(kPartitionEngine, {"layers"}), tr("Time by layer"));
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
        if (!choice->hasSplit()) return;
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

    QString ratioPath(int split) const {
        if (split < 0 || split >= levelRows(*choice)) return {};
        return QStringLiteral("%1/levels[%2]/ratio").arg(QString::fromStdString(strategy())).arg(split);
    }

    /// The chart shows the parts of the slowest accelerator's step: what it moves, level by level, and what it
    /// computes.
    QString stepPartPath(const ChartPane& pane, int series) const {
        const std::optional<std::size_t> slowest = report::slowestShare(choice->chosen());
        const std::vector<report::Series>& all = pane.plot()->chart().series;
        if (!slowest || series < 0 || static_cast<std::size_t>(series) >= all.size()) return {};
        return QStringLiteral("%1/per_accelerator[%2]/%3_s")
            .arg(QString::fromStdString(strategy()))
            .arg(*slowest)
            .arg(QString::fromStdString(all[static_cast<std::size_t>(series)].id));
    }

    QWidget* makeTimeline() {
        gantt = new GanttView;
        gantt->setAccessibleName(tr("Timeline of one step"));
        ganttNote = sentences();
        connect(gantt, &GanttView::eventSelected, tabs, [this](int event) { eventFromView(event); });
        return vSplit(ganttNote, gantt);
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
        acceleratorCharts = new ChartPane(exports::titles(kPartitionEngine, {"memory"}), tr("Memory per accelerator"));
        memoryNote = sentences();
        connect(acceleratorCharts, &ChartPane::explainRequested, tabs, [this](int, int, int point) {
            if (point >= 0 && point < acceleratorRows(*choice))
                emit tabs->explainRequested(QStringLiteral("%1/per_accelerator[%2]/memory_bytes")
                                                .arg(QString::fromStdString(strategy()))
                                                .arg(point));
        });
        return vSplit(memoryNote, acceleratorCharts);
    }

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
        tabs->markRow(QStringLiteral("layers"), layer);
        if (layerCharts != nullptr) layerCharts->plot()->setSelected(layer >= 0 ? 0 : -1, layer);
    }
};

PartitionTabs::PartitionTabs(SharedChoice choice, HeatMapView* map, QWidget* parent)
    : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    d_->map = map;
    Implementation* d = d_.get();
    using I = Implementation;
    addPicture("types", exports::title(kPartitionEngine, "types"), d, &I::makeTypes, &I::fillTypes);
    addCharts(
        "strategies", tr("Strategies"),
        {.titles = exports::titles(kPartitionEngine, {"speedup", "step-time"}),
         .name = tr("Strategies"),
         .work =
             [d] {
                 return [run = d->choice->run] {
                     return std::vector{report::speedupChart(run.outcome()), report::stepTimeChart(run.outcome())};
                 };
             },
         .clicked =
             [this, d](const ChartPane&, int, int plan) {
                 if (plan >= 0 && plan < d->choice->run.planCount()) emit strategyChosen(plan);
             },
         .path = [d](const ChartPane& pane, int, int plan) { return d->strategyPath(pane, plan); }});
    addPicture("layers", tr("Layers"), d, &I::makeLayers, &I::fillLayers);
    addCharts("levels", tr("Levels"),
              {.titles = exports::titles(kPartitionEngine, {"levels", "ratios"}),
               .name = tr("Levels"),
               .work =
                   [d] {
                       return [run = d->choice->run, strategy = d->strategy()] {
                           return std::vector{report::levelChart(run.outcome(), strategy),
                                              report::ratioChart(run.outcome(), strategy)};
                       };
                   },
               .path =
                   [d](const ChartPane& pane, int series, int category) {
                       return pane.current() == 0 ? d->stepPartPath(pane, series) : d->ratioPath(category);
                   }});
    addPicture("scaling", exports::title(kPartitionEngine, "scaling"), d, &I::makeScaling, &I::fillScaling);
    addPicture("timeline", exports::title(kPartitionEngine, "timeline"), d, &I::makeTimeline, &I::fillTimeline);
    addPicture("accelerators", tr("Memory"), d, &I::makeAccelerators, &I::fillAccelerators);
    addPicture("convergence", tr("Convergence"), d, &I::makeConvergence, &I::fillConvergence);
    addTable("strategies", tr("Strategies"),
             {.model = [d](QObject* owner) { return strategyTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.planCount(); },
              .current = [d] { return d->choice->plan; },
              .chosen = [this](int plan) { emit strategyChosen(plan); }});
    addTable("subsets", tr("Subsets of the fleet"),
             {.model = [d](QObject* owner) { return subsetTableModel(d->choice, owner); },
              .rows = [d] { return subsetRows(*d->choice); }});
    addTable("layers", tr("Layers"),
             {.model = [d](QObject* owner) { return layerTableModel(d->choice, owner); },
              .rows = [d] { return layerRows(*d->choice); },
              .current = [d] { return d->layer; },
              .chosen = [d](int row) { d->layerFromView(row); },
              .filtered = true});
    addTable("levels", tr("Levels"),
             {.model = [d](QObject* owner) { return levelTableModel(d->choice, owner); },
              .rows = [d] { return levelRows(*d->choice); },
              .current = [d] { return d->choice->split; },
              .chosen = [this](int split) { emit splitChosen(split); }});
    addTable("accelerators", tr("Accelerators"),
             {.model = [d](QObject* owner) { return acceleratorTableModel(d->choice, owner); },
              .rows = [d] { return acceleratorRows(*d->choice); },
              .chosen = [this, d](int row) { emit inspected(acceleratorFacts(*d->choice, row)); }});
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

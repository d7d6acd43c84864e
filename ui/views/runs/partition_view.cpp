#include "ui/views/runs/partition_view.h"

#include <QAction>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/strategy_colour.h"
#include "core/study/metric.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/outcome.h"
#include "ui/models/partition_facts.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/scaling_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kSplitLetters = 18;
constexpr std::array kTypes{partition::Type::I, partition::Type::II, partition::Type::III};

/// The heat map of a plan and the types of its splits in short: made on a thread.
struct PlanPicture {
    report::HeatMap map;
    std::vector<std::string> types;
};

PlanPicture pictureOf(const PartitionRun& run, int plan) {
    PlanPicture picture;
    picture.map = report::typeMap(run.outcome(), run.plan(plan).strategy);
    for (const std::vector<std::string>& row : report::levelTable(run.plan(plan)).rows)
        picture.types.push_back(row.back());
    return picture;
}

/// How sure a step time is, and whether it rests on peak rates.
QString stepDetail(const study::PartitionOutcome& outcome, const partition::Plan& plan) {
    const std::string peak = study::peakText(outcome, plan);
    const QString certainty = toQt(study::certaintyText(plan));
    return peak.empty() ? certainty : certainty + u", "_s + toQt(peak);
}

class PinCommand : public QUndoCommand {
public:
    PinCommand(const QString& text, PartitionPins before, PartitionPins after,
               std::function<void(const PartitionPins&)> apply)
        : QUndoCommand(text), before_(std::move(before)), after_(std::move(after)), apply_(std::move(apply)) {}
    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }

private:
    PartitionPins before_, after_;
    std::function<void(const PartitionPins&)> apply_;
};

}  // namespace

PartitionView::PartitionView(QUndoStack* undo, QWidget* parent) : RunView("partition", parent), undo_(undo) {
    addActions();
    addSelectables();
    map_ = new HeatMapView(this);
    map_->hide();  // until its page is there
    map_->setAccessibleName(u"Types of layers by split"_s);
    connect(map_, &HeatMapView::cellSelected, this, &PartitionView::chooseCell);
    connect(map_, &HeatMapView::cellActivated, this, &PartitionView::openMenu);
    addPages();
    addPictures();
    addDetails();
}

PartitionView::~PartitionView() = default;

void PartitionView::addActions() {
    solveAction_ = new QAction(u"Re-solve with the pins"_s, this);
    connect(solveAction_, &QAction::triggered, this, &PartitionView::solveAgain);
    modelAction_ = new QAction(theme().icon(u"model"_s), u"Show on the model"_s, this);
    modelAction_->setToolTip(u"Opens the model's graph, coloured by the types of the chosen strategy and split"_s);
    connect(modelAction_, &QAction::triggered, this,
            [this] { emit modelRequested(choice_->run.strategy(choice_->plan), choice_->split); });
    clearAction_ = new QAction(u"Discard changed pins"_s, this);
    connect(clearAction_, &QAction::triggered, this, [this] { changePins(u"discard pins"_s, ownPins_); });
}

void PartitionView::addSelectables() {
    addSelectable({.id = "strategy",
                   .count = [this] { return choice_->run.planCount(); },
                   .current = [this] { return choice_->plan; },
                   .choose = [this](int plan) { chooseStrategy(plan); },
                   .facts = [this](int) { return facts(); },
                   .name = [this](int plan) { return choice_->run.strategy(plan); },
                   .bar = u"Strategies"_s,
                   .choice = [this](int plan) { return strategy(plan); },
                   .min = 1});
    addSelectable({.id = "split",
                   .count = [this] { return levelRows(*choice_); },
                   .current = [this] { return choice_->split; },
                   .choose =
                       [this](int split) {
                           if (std::exchange(choice_->split, split) == split) return;
                           pages()->refresh();
                           map_->setSelected(split, layer_);
                       },
                   .facts = [this](int) { return splitFacts(*choice_); }});
    addSelectable(
        {.id = "layer",
         .count = [this] { return choice_->hasSplit() ? static_cast<int>(choice_->level().layers.size()) : 0; },
         .current = [this] { return layer_; },
         .choose =
             [this](int layer) {
                 layer_ = layer;
                 markLayer();
             },
         .facts = [this](int) { return facts(); },
         .optional = true});
    addSelectable({.id = "accelerator",
                   .count = [this] { return acceleratorRows(*choice_); },
                   .current = [this] { return kind_; },
                   .choose = [this](int kind) { kind_ = kind; },
                   .facts = [this](int kind) { return acceleratorFacts(*choice_, kind); },
                   .saved = false});
    for (QAction* action : {modelAction_, clearAction_}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        addTool(button);
        if (action == clearAction_) clear_ = button;
    }
    solve_ = new QPushButton(u"Re-solve with the pins"_s, this);
    solve_->setDefault(true);
    connect(solve_, &QPushButton::clicked, this, &PartitionView::solveAgain);
    addTool(solve_);
}

void PartitionView::addPictures() {
    using Self = PartitionView;
    addPicture("types", this, &Self::makeTypes, &Self::fillTypes);
    addCharts("strategies",
              {.rows = {"speedup", "step-time"},
               .title = u"Strategies"_s,
               .name = u"Strategies"_s,
               .selects = "strategy",
               .path = [this](const ChartPane& pane, int, int plan) { return strategyPath(pane, plan); }});
    addCharts("layers",
              {.rows = {"layers"},
               .name = u"Time by layer"_s,
               .selects = "layer",
               .path =
                   [this](const ChartPane&, int series, int layer) {
                       static constexpr std::array kFields{"compute_s", "intra_s", "inter_s"};
                       const bool isTime = series >= 0 && series < static_cast<int>(kFields.size()) && layer >= 0;
                       return isTime ? layerPath(layer, kFields.at(static_cast<std::size_t>(series))) : QString();
                   },
               .made = [this](ChartPane& pane) { addSplits(pane); },
               .filling = [this] { return fillSplits(); }});
    addCharts("levels", {.rows = {"levels", "ratios"},
                         .title = u"Levels"_s,
                         .name = u"Levels"_s,
                         .path = [this](const ChartPane& pane, int series, int category) {
                             return pane.current() == 0 ? stepPartPath(pane, series) : ratioPath(category);
                         }});
    addPicture("scaling", this, &Self::makeScaling, &Self::fillScaling);
    addPicture("timeline", this, &Self::makeTimeline, &Self::fillTimeline);
    addCharts("memory", {.rows = {"memory"},
                         .name = u"Memory per accelerator"_s,
                         .path = [this](const ChartPane&, int, int kind) { return memoryPath(kind); },
                         .notes = [this] { return memorySentences(choice_->run, choice_->plan); }});
    pages()->addPicture("convergence", u"Convergence"_s, this, &Self::makeConvergence, &Self::fillConvergence);
}

void PartitionView::addDetails() {
    addTable("strategies",
             {.model = [this](QObject* owner) { return strategyTableModel(choice_, owner); }, .selects = "strategy"});
    addTable("subsets", {.model = [this](QObject* owner) { return subsetTableModel(choice_, owner); },
                         .rows = [this] { return subsetRows(*choice_); }});
    addTable("layers", {.model = [this](QObject* owner) { return layerTableModel(choice_, owner); },
                        .selects = "layer",
                        .rows = [this] { return layerRows(*choice_); },
                        .filtered = true});
    addTable("levels",
             {.model = [this](QObject* owner) { return levelTableModel(choice_, owner); }, .selects = "split"});
    addTable("accelerators", {.model = [this](QObject* owner) { return acceleratorTableModel(choice_, owner); },
                              .selects = "accelerator"});
    addOtherPages();
    pages()->pair("types", "strategies");
    pages()->pair("memory", "accelerators");
}

void PartitionView::takeRun() {
    const PartitionRun its(run().result);
    ownPins_ = pinsOf(its.result().study);
    *choice_ = PartitionChoice{its, its.bestPlan(), 0, ownPins_, {}};
    undo_->clear();
    layer_ = kind_ = -1;
    pages()->setPageShown(u"subsets"_s, subsetRows(*choice_) > 0);
}

void PartitionView::refresh() {
    showPins();
    inBackground(
        this, [its = choice_->run, plan = choice_->plan] { return pictureOf(its, plan); },
        [this, at = ++generation_](PlanPicture picture) {
            if (at != generation_) return;
            choice_->types = std::move(picture.types);
            map_->setHeatMap(std::move(picture.map));
            map_->setSelected(layer_ < 0 ? -1 : choice_->split, layer_);
            showPins();
            RunView::refresh();
        },
        [this](const QString& problem) {
            RunView::refresh();
            emit messaged(problem, QString());
        });
}

void PartitionView::chooseCell(int row, int column) {
    if (row < 0) return;
    if (row != choice_->split) select(u"split"_s, row);
    select(u"layer"_s, column);
}

void PartitionView::chooseStrategy(int plan) {
    if (std::exchange(choice_->plan, plan) == plan) return;
    choice_->split = std::clamp(choice_->split, 0, std::max(0, levelRows(*choice_) - 1));
    showHeadline();
    refresh();
}

ChoiceBar::Choice PartitionView::strategy(int plan) const {
    const std::string& id = choice_->run.plan(plan).strategy;
    const auto* known = partition::findStrategy(id);
    return {.title = choice_->run.strategy(plan),
            .help = known == nullptr ? QString() : toQt(known->description),
            .icon = dotIcon(theme().dataColour(report::strategyColour(id)))};
}

QVector<Headline> PartitionView::headlines() const {
    const partition::Plan& plan = choice_->chosen();
    const auto of = [&](const char* field) { return explanationOf(plan.strategy + "/" + field); };
    const QString tone = plan.optimal ? u"good"_s : (plan.gap > kWideGap ? u"warning"_s : QString());
    QVector<Headline> headlines{{.value = toQt(study::timesText(plan.speedupOverDp)),
                                 .label = u"over data parallelism"_s,
                                 .help = u"How much faster a step is than with the batch alone split"_s,
                                 .explain = of("speedup_over_dp")},
                                {.value = toQt(formatSeconds(plan.stepTime)),
                                 .label = u"per step"_s,
                                 .detail = stepDetail(choice_->run.outcome(), plan),
                                 .tone = tone,
                                 .help = u"Time of one training step of the whole batch"_s,
                                 .explain = of("step_time_s")},
                                {.value = toQt(study::rateText(plan.throughput)),
                                 .label = u"samples/s"_s,
                                 .explain = of("throughput_samples_per_s")}};
    const QStringList memory = memorySentences(choice_->run, choice_->plan);
    if (!memory.isEmpty())
        headlines.insert(2, {.value = u"Too large"_s,
                             .label = u"for memory"_s,
                             .detail = u"does not fit"_s,
                             .tone = u"bad"_s,
                             .help = memory.join(QLatin1Char(' '))});
    return headlines;
}

void PartitionView::showNote() {
    const partition::Plan& plan = choice_->chosen();
    const std::string whole = study::wholeFleetText(choice_->run.outcome(), plan);
    if (whole.empty()) return;
    note()->showMessage(
        MessageBar::Kind::info,
        u"On %1; idle: %2. With %3."_s.arg(toQt(study::placeText(plan)), toQt(study::idleText(plan.idle)), toQt(whole)),
        u"Open a study with all groups"_s, [this] { openWithAllGroups(); });
}

/// Saves the study with all groups taking part beside the user's own studies and opens it.
void PartitionView::openWithAllGroups() {
    later([study = choice_->run.result().study] { return studyWithAllGroups(study); },
          [this](const QString& key) { emit openRequested(u"study"_s, key); });
}

void PartitionView::showPins() {
    QVector<int> columns;
    if (choice_->hasSplit() && !choice_->pins.types.empty())
        for (std::size_t index = 0; index < choice_->level().layers.size(); ++index)
            if (choice_->pins.types.contains(nameOf(static_cast<int>(index)))) columns.append(static_cast<int>(index));
    map_->setPinned(columns);
    const auto all = static_cast<int>(choice_->pins.types.size() + choice_->pins.ratios.size());
    const bool changed = choice_->pins != ownPins_;
    const QString text = all == 0 ? u"Re-solve without pins"_s
                                  : (all == 1 ? u"Re-solve with 1 pin"_s : u"Re-solve with %1 pins"_s.arg(all));
    solve_->setText(text);
    solve_->setVisible(changed);
    clear_->setVisible(changed);
    solveAction_->setText(text);
    solveAction_->setEnabled(changed);
    clearAction_->setEnabled(changed);
}

void PartitionView::changePins(const QString& text, const PartitionPins& pins) {
    if (pins == choice_->pins) return;
    undo_->push(new PinCommand(text, choice_->pins, pins, [this](const PartitionPins& to) {
        choice_->pins = to;
        showPins();
        pages()->refresh();
        inspect(facts());
    }));
}

std::string PartitionView::nameOf(int layerIndex) const {
    const auto& layers = choice_->level().layers;
    return choice_->run.outcome().result.names.at(
        static_cast<std::size_t>(layers.at(static_cast<std::size_t>(layerIndex)).layer));
}

void PartitionView::pinLayer(int layerIndex, std::optional<partition::Type> type) {
    PartitionPins pins = choice_->pins;
    const std::string name = nameOf(layerIndex);
    if (type) {
        pins.types[name] = *type;
    } else {
        pins.types.erase(name);
    }
    changePins(type ? u"pin %1"_s.arg(shownText(name)) : u"unpin %1"_s.arg(shownText(name)), pins);
}

void PartitionView::pinRatio(int level, std::optional<double> ratio) {
    PartitionPins pins = choice_->pins;
    if (ratio) {
        pins.ratios[level] = *ratio;
    } else {
        pins.ratios.erase(level);
    }
    changePins(u"ratio of level %1"_s.arg(level), pins);
}

void PartitionView::askRatio() {
    constexpr int kDecimals = 4;
    const partition::LevelPlan& level = choice_->level();
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::DoubleInput);
    dialog->setWindowTitle(u"Pin the ratio of level %1"_s.arg(level.level));
    dialog->setLabelText(u"Share of the first side, from 0 to 1"_s);
    dialog->setDoubleRange(0, 1);
    dialog->setDoubleDecimals(kDecimals);
    dialog->setDoubleStep(0.01);
    dialog->setDoubleValue(level.ratio);
    connect(dialog, &QInputDialog::doubleValueSelected, this,
            [this, number = level.level](double ratio) { pinRatio(number, ratio); });
    dialog->open();
}

Facts PartitionView::factsOfLayer() {
    Facts facts = layerFacts(*choice_, layer_);
    const QPointer<PartitionView> guard(this);
    const auto act = [&](const QString& title, const char* icon, std::function<void()> run) {
        facts.actions.append({title, QLatin1String(icon), [guard, run = std::move(run)] {
                                  if (guard) run();
                              }});
    };
    const bool pinned = choice_->pins.types.contains(nameOf(layer_));
    for (const partition::Type type : kTypes)
        act(u"Pin to %1"_s.arg(typeTitle(type)), "pin", [this, at = layer_, type] { pinLayer(at, type); });
    if (pinned) act(u"Unpin"_s, "unpin", [this, at = layer_] { pinLayer(at, std::nullopt); });
    if (choice_->pins != ownPins_) act(solve_->text(), "run", [this] { solveAgain(); });
    return facts;
}

bool PartitionView::hasLayer(int layer) const {
    return choice_->hasSplit() && layer >= 0 && layer < static_cast<int>(choice_->level().layers.size());
}

Facts PartitionView::facts() {
    if (!choice_->hasSplit()) return {};
    return hasLayer(layer_) ? factsOfLayer() : planFacts(*choice_);
}

void PartitionView::openMenu(int row, int column, const QPoint& place) {
    chooseCell(row, column);
    if (!hasLayer(layer_)) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::string name = nameOf(layer_);
    menu->addSection(shownText(name));
    const auto pinned = choice_->pins.types.find(name);
    for (const partition::Type type : kTypes) {
        QAction* action =
            menu->addAction(dotIcon(theme().dataColour(report::kPartitionTypes.at(static_cast<std::size_t>(type)))),
                            u"Pin to %1"_s.arg(typeTitle(type)));
        action->setCheckable(true);
        action->setChecked(pinned != choice_->pins.types.end() && pinned->second == type);
        connect(action, &QAction::triggered, this, [this, at = layer_, type] { pinLayer(at, type); });
    }
    QAction* unpin = menu->addAction(u"Unpin"_s);
    unpin->setEnabled(pinned != choice_->pins.types.end());
    connect(unpin, &QAction::triggered, this, [this, at = layer_] { pinLayer(at, std::nullopt); });
    menu->addSeparator();
    const int level = choice_->level().level;
    connect(menu->addAction(u"Pin the ratio of level %1…"_s.arg(level)), &QAction::triggered, this,
            [this] { askRatio(); });
    QAction* free = menu->addAction(u"Unpin the ratio of level %1"_s.arg(level));
    free->setEnabled(choice_->pins.ratios.contains(level));
    connect(free, &QAction::triggered, this, [this, level] { pinRatio(level, std::nullopt); });
    menu->addAction(solveAction_);
    menu->addSeparator();
    const std::pair<QString, const char*> numbers[] = {{u"Explain the type"_s, "type"},
                                                       {u"Explain the compute time"_s, "compute_s"},
                                                       {u"Explain the time within the layer"_s, "intra_s"},
                                                       {u"Explain the time between layers"_s, "inter_s"}};
    for (const auto& number : numbers)
        connect(menu->addAction(number.first), &QAction::triggered, this,
                [this, path = layerPath(layer_, number.second)] { explain(path); });
    menu->addSeparator();
    addExportActions(*menu->addMenu(u"Copy or export the picture"_s), *map_, [this] { return map_->exportable(); });
    menu->popup(place);
}

QString PartitionView::strategyPath(const ChartPane& pane, int plan) const {
    if (plan < 0 || plan >= choice_->run.planCount()) return {};
    return toQt(choice_->run.plan(plan).strategy) + QLatin1Char('/') +
           (pane.current() == 0 ? u"speedup_over_dp"_s : u"step_time_s"_s);
}

/// Of a number of a layer at the chosen split.
QString PartitionView::layerPath(int layer, const char* field) const {
    return u"%1/levels[%2]/layers[%3]/%4"_s.arg(toQt(choice_->chosen().strategy))
        .arg(choice_->split)
        .arg(layer)
        .arg(QLatin1String(field));
}

QString PartitionView::ratioPath(int split) const {
    if (split < 0 || split >= levelRows(*choice_)) return {};
    return u"%1/levels[%2]/ratio"_s.arg(toQt(choice_->chosen().strategy)).arg(split);
}

/// The chart shows the parts of the slowest accelerator's step: what it moves, level by level, and what it
/// computes.
QString PartitionView::stepPartPath(const ChartPane& pane, int series) const {
    const std::optional<std::size_t> slowest = report::slowestShare(choice_->chosen());
    const std::vector<report::Series>& all = pane.plot()->chart().series;
    if (!slowest || series < 0 || static_cast<std::size_t>(series) >= all.size()) return {};
    return u"%1/per_accelerator[%2]/%3_s"_s.arg(toQt(choice_->chosen().strategy))
        .arg(*slowest)
        .arg(toQt(all[static_cast<std::size_t>(series)].id));
}

QString PartitionView::memoryPath(int kind) const {
    if (kind < 0 || kind >= acceleratorRows(*choice_)) return {};
    return u"%1/per_accelerator[%2]/memory_bytes"_s.arg(toQt(choice_->chosen().strategy)).arg(kind);
}

/// Above the times of layers: at which split.
void PartitionView::addSplits(ChartPane& pane) {
    layers_ = &pane;
    splits_ = new QComboBox;
    splits_->setAccessibleName(u"Split"_s);
    splits_->setToolTip(u"Which split of the array the layers are shown at"_s);
    splits_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    splits_->setMinimumContentsLength(kSplitLetters);
    connect(splits_, qOverload<int>(&QComboBox::activated), this, [this](int split) { select(u"split"_s, split); });
    pane.addTool(splits_);
}

/// Whether there is one.
bool PartitionView::fillSplits() {
    const QSignalBlocker quiet(splits_);
    splits_->clear();
    for (int split = 0; split < levelRows(*choice_); ++split)
        splits_->addItem(choice_->run.splitTitle(choice_->plan, split));
    splits_->setCurrentIndex(choice_->split);
    markLayer();
    return choice_->hasSplit();
}

/// In the pictures that are there.
void PartitionView::markLayer() const {
    map_->setSelected(layer_ < 0 ? -1 : choice_->split, layer_);
    if (layers_ != nullptr) layers_->plot()->setSelected(layer_ >= 0 ? 0 : -1, layer_);
}

QWidget* PartitionView::makeTypes() {
    return map_;
}

QWidget* PartitionView::makeTimeline() {
    gantt_ = new GanttView;
    gantt_->setAccessibleName(u"Timeline of one step"_s);
    ganttNote_ = sentences();
    connect(gantt_, &GanttView::eventSelected, this,
            [this](int event) { inspect(eventFacts(gantt_->timeline(), event)); });
    return vSplit(ganttNote_, gantt_);
}

void PartitionView::fillTimeline() {
    ganttNote_->setText(u"Laying out the step…"_s);
    ganttNote_->show();
    pages()->prepare(maker<Timeline>("timeline"), [this](Timeline timeline) {
        ganttNote_->hide();
        gantt_->setTimeline(std::move(timeline));
    });
}

QWidget* PartitionView::makeScaling() {
    return scaling_ = new ScalingView;
}

void PartitionView::fillScaling() {
    scaling_->setRun(choice_->run, run().history, run().kept);
}

QWidget* PartitionView::makeConvergence() {
    convergence_ = new ConvergenceView;
    convergence_->setEmptyText(u"No curves were recorded for this run; run it again to see how it converges."_s);
    return convergence_;
}

void PartitionView::fillConvergence() {
    convergence_->setCurves(run().curves);
}

void PartitionView::setPins(const PartitionPins& pins) {
    changePins(u"pins"_s, pins);
}

void PartitionView::solveAgain() {
    if (choice_->run.isEmpty() || choice_->pins == ownPins_) return;
    const study::Study study = withPins(choice_->run.result().study, choice_->pins);
    emit runRequested(toQt(toText(study::toJson(study))));
}

QVector<Exportable> PartitionView::ownExports() const {
    // What is shown is of another run until its tab is seen again.
    const bool isOfThis = scaling_ != nullptr && scaling_->run().shared() == run().result;
    return isOfThis ? scaling_->exportables() : QVector<Exportable>();
}

QJsonObject PartitionView::saveView() const {
    QJsonObject pinned;
    for (const auto& [name, type] : choice_->pins.types)
        pinned.insert(toQt(name), QLatin1String(partition::nameOf(type).data()));
    QJsonObject view = RunView::saveView();
    view[u"pins"_s] = pinned;
    return view;
}

void PartitionView::restoreView(const QJsonObject& view) {
    RunView::restoreView(view);
    const QJsonObject pinned = view.value(QLatin1String("pins")).toObject();
    PartitionPins pins = choice_->pins;
    for (auto at = pinned.begin(); at != pinned.end(); ++at)
        for (const partition::Type type : kTypes)
            if (at.value().toString() == QLatin1String(partition::nameOf(type).data()))
                pins.types[at.key().toStdString()] = type;
    setPins(pins);
}

}  // namespace tessera::ui

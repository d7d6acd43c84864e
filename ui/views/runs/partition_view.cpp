#include "ui/views/runs/partition_view.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
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
#include "ui/models/background.h"
#include "ui/models/partition_facts.h"
#include "ui/models/partition_tables.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/partition_tabs.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

namespace {

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
    const QString certainty = certaintyOf(plan);
    return peak.empty() ? certainty : certainty + QStringLiteral(", ") + QString::fromStdString(peak);
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

struct PartitionView::Implementation {
    PartitionView* view = nullptr;
    SharedChoice choice = std::make_shared<PartitionChoice>();
    PartitionPins ownPins;  ///< of the study that was solved
    int layer = -1;
    int generation = 0;
    QUndoStack* undo = nullptr;

    ChoiceBar* strategies = nullptr;
    QPushButton* solve = nullptr;
    QToolButton* clear = nullptr;
    HeatMapView* map = nullptr;
    PartitionTabs* tabs = nullptr;
    QAction* solveAction = nullptr;
    QAction* clearAction = nullptr;
    QAction* modelAction = nullptr;

    void build();
    void buildBar();
    void buildActions();
    void fillStrategies();
    void showHeadline();
    void showNote();
    void openWithAllGroups();
    void showMap();
    void showPins();
    void changePins(const QString& text, const PartitionPins& pins);
    void pinLayer(int layerIndex, std::optional<partition::Type> type);
    void pinRatio(int level, std::optional<double> ratio);
    void askRatio();
    void inspect();
    void openMenu(int row, int column, const QPoint& place);
    Facts factsOfLayer();
    std::string nameOf(int layerIndex) const;
};

void PartitionView::Implementation::build() {
    buildActions();
    buildBar();
    map = new HeatMapView(view);
    map->hide();  // until its page is there
    map->setAccessibleName(tr("Types of layers by split"));
    tabs = new PartitionTabs(choice, map, view);
    view->setPages(tabs);
    connect(map, &HeatMapView::cellSelected, view, [this](int row, int column) {
        if (row < 0) return;
        view->chooseSplit(row);
        view->chooseLayer(column);
    });
    connect(map, &HeatMapView::cellActivated, view,
            [this](int row, int column, const QPoint& place) { openMenu(row, column, place); });
    connect(tabs, &PartitionTabs::strategyChosen, view,
            [this](int plan) { view->chooseStrategy(choice->run.strategy(plan)); });
    connect(tabs, &PartitionTabs::splitChosen, view, [this](int split) {
        view->chooseSplit(split);
        emit view->inspected(splitFacts(*choice));
    });
    connect(tabs, &PartitionTabs::layerChosen, view, &PartitionView::chooseLayer);
    connect(tabs, &PartitionTabs::inspected, view, &PartitionView::inspected);
}

void PartitionView::Implementation::buildBar() {
    strategies = view->addChoices(tr("Strategies"), 1);
    connect(strategies, &ChoiceBar::chosen, view,
            [this](int plan) { view->chooseStrategy(choice->run.strategy(plan)); });
    for (QAction* action : {modelAction, clearAction}) {
        auto* button = new QToolButton(view);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        view->addTool(button);
        if (action == clearAction) clear = button;
    }
    solve = new QPushButton(PartitionView::tr("Re-solve with the pins"), view);
    solve->setDefault(true);
    connect(solve, &QPushButton::clicked, view, &PartitionView::solveAgain);
    view->addTool(solve);
}

void PartitionView::Implementation::buildActions() {
    solveAction = new QAction(tr("Re-solve with the pins"), view);
    connect(solveAction, &QAction::triggered, view, &PartitionView::solveAgain);
    modelAction = new QAction(theme().icon(QStringLiteral("model")), tr("Show on the model"), view);
    modelAction->setToolTip(tr("Opens the model's graph, coloured by the types of the chosen strategy and split"));
    connect(modelAction, &QAction::triggered, view,
            [this] { emit view->modelRequested(view->strategy(), view->split()); });
    clearAction = new QAction(tr("Discard changed pins"), view);
    connect(clearAction, &QAction::triggered, view, [this] { changePins(tr("discard pins"), ownPins); });
}

void PartitionView::Implementation::fillStrategies() {
    QVector<ChoiceBar::Choice> choices;
    for (int plan = 0; plan < choice->run.planCount(); ++plan) {
        const std::string& id = choice->run.plan(plan).strategy;
        choices.append(
            {.title = choice->run.strategy(plan), .icon = dotIcon(theme().dataColour(report::strategyColour(id)))});
        if (const auto* known = partition::findStrategy(id)) choices.back().help = toQt(known->description);
    }
    strategies->setChoices(choices, choice->plan);
}

void PartitionView::Implementation::showHeadline() {
    const partition::Plan& plan = choice->chosen();
    const auto of = [&](const char* field) { return explained(choice->run.shared(), plan.strategy + "/" + field); };
    const QString tone =
        plan.optimal ? QStringLiteral("good") : (plan.gap > kWideGap ? QStringLiteral("warning") : QString());
    QVector<Headline> headlines{{.value = QString::fromStdString(study::timesText(plan.speedupOverDp)),
                                 .label = tr("over data parallelism"),
                                 .help = tr("How much faster a step is than with the batch alone split"),
                                 .explain = of("speedup_over_dp")},
                                {.value = QString::fromStdString(formatQuantity(plan.stepTime.value, Measure::seconds)),
                                 .label = tr("per step"),
                                 .detail = stepDetail(choice->run.outcome(), plan),
                                 .tone = tone,
                                 .help = tr("Time of one training step of the whole batch"),
                                 .explain = of("step_time_s")},
                                {.value = QString::fromStdString(study::rateText(plan.throughput)),
                                 .label = tr("samples/s"),
                                 .explain = of("throughput_samples_per_s")}};
    const QStringList memory = memorySentences(choice->run, choice->plan);
    if (!memory.isEmpty())
        headlines.insert(2, {.value = tr("Too large"),
                             .label = tr("for memory"),
                             .detail = tr("does not fit"),
                             .tone = QStringLiteral("bad"),
                             .help = memory.join(QLatin1Char(' '))});
    view->headline()->setHeadlines(headlines);
    showNote();
}

void PartitionView::Implementation::showNote() {
    const partition::Plan& plan = choice->chosen();
    const std::string whole = study::wholeFleetText(choice->run.outcome(), plan);
    if (whole.empty()) {
        view->note()->hide();
        return;
    }
    view->note()->showMessage(
        MessageBar::Kind::info,
        tr("On %1; idle: %2. With %3.")
            .arg(QString::fromStdString(study::placeText(plan)), QString::fromStdString(study::idleText(plan.idle)),
                 QString::fromStdString(whole)),
        tr("Open a study with all groups"), [this] { openWithAllGroups(); });
}

/// Saves the study with all groups taking part beside the user's own studies and opens it.
void PartitionView::Implementation::openWithAllGroups() {
    inBackground(
        view, [study = choice->run.result().study] { return studyWithAllGroups(study); },
        [this](const QString& key) { emit view->openRequested(QStringLiteral("study"), key); },
        [this](const QString& problem) { emit view->messaged(problem, QString()); });
}

void PartitionView::Implementation::showMap() {
    inBackground(
        view, [run = choice->run, plan = choice->plan] { return pictureOf(run, plan); },
        [this, at = generation](PlanPicture picture) {
            if (at != generation) return;
            choice->types = std::move(picture.types);
            map->setHeatMap(std::move(picture.map));
            map->setSelected(layer < 0 ? -1 : choice->split, layer);
            showPins();
            tabs->refresh();
        },
        [this](const QString& problem) {
            tabs->refresh();
            emit view->messaged(problem, QString());
        });
}

void PartitionView::Implementation::showPins() {
    QVector<int> columns;
    if (choice->hasSplit() && !choice->pins.types.empty())
        for (std::size_t index = 0; index < choice->level().layers.size(); ++index)
            if (choice->pins.types.contains(nameOf(static_cast<int>(index)))) columns.append(static_cast<int>(index));
    map->setPinned(columns);
    const auto all = static_cast<int>(choice->pins.types.size() + choice->pins.ratios.size());
    const bool changed = choice->pins != ownPins;
    const QString text = all == 0 ? tr("Re-solve without pins")
                                  : (all == 1 ? tr("Re-solve with 1 pin") : tr("Re-solve with %1 pins").arg(all));
    solve->setText(text);
    solve->setVisible(changed);
    clear->setVisible(changed);
    solveAction->setText(text);
    solveAction->setEnabled(changed);
    clearAction->setEnabled(changed);
}

void PartitionView::Implementation::changePins(const QString& text, const PartitionPins& pins) {
    if (pins == choice->pins) return;
    undo->push(new PinCommand(text, choice->pins, pins, [this](const PartitionPins& to) {
        choice->pins = to;
        showPins();
        tabs->refresh();
        inspect();
    }));
}

std::string PartitionView::Implementation::nameOf(int layerIndex) const {
    const auto& layers = choice->level().layers;
    return choice->run.outcome().result.names.at(
        static_cast<std::size_t>(layers.at(static_cast<std::size_t>(layerIndex)).layer));
}

void PartitionView::Implementation::pinLayer(int layerIndex, std::optional<partition::Type> type) {
    PartitionPins pins = choice->pins;
    const std::string name = nameOf(layerIndex);
    if (type) {
        pins.types[name] = *type;
    } else {
        pins.types.erase(name);
    }
    changePins(type ? tr("pin %1").arg(shownText(name)) : tr("unpin %1").arg(shownText(name)), pins);
}

void PartitionView::Implementation::pinRatio(int level, std::optional<double> ratio) {
    PartitionPins pins = choice->pins;
    if (ratio) {
        pins.ratios[level] = *ratio;
    } else {
        pins.ratios.erase(level);
    }
    changePins(tr("ratio of level %1").arg(level), pins);
}

void PartitionView::Implementation::askRatio() {
    constexpr int kDecimals = 4;
    const partition::LevelPlan& level = choice->level();
    auto* dialog = new QInputDialog(view);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::DoubleInput);
    dialog->setWindowTitle(tr("Pin the ratio of level %1").arg(level.level));
    dialog->setLabelText(tr("Share of the first side, from 0 to 1"));
    dialog->setDoubleRange(0, 1);
    dialog->setDoubleDecimals(kDecimals);
    dialog->setDoubleStep(0.01);
    dialog->setDoubleValue(level.ratio);
    connect(dialog, &QInputDialog::doubleValueSelected, view,
            [this, number = level.level](double ratio) { pinRatio(number, ratio); });
    dialog->open();
}

Facts PartitionView::Implementation::factsOfLayer() {
    Facts facts = layerFacts(*choice, layer);
    const QPointer<PartitionView> guard(view);
    const auto act = [&](const QString& title, const char* icon, std::function<void()> run) {
        facts.actions.append({title, QLatin1String(icon), [guard, run = std::move(run)] {
                                  if (guard) run();
                              }});
    };
    const bool pinned = choice->pins.types.contains(nameOf(layer));
    for (const partition::Type type : kTypes)
        act(tr("Pin to %1").arg(typeTitle(type)), "pin", [this, at = layer, type] { pinLayer(at, type); });
    if (pinned) act(tr("Unpin"), "unpin", [this, at = layer] { pinLayer(at, std::nullopt); });
    if (choice->pins != ownPins) act(solve->text(), "run", [this] { view->solveAgain(); });
    return facts;
}

void PartitionView::Implementation::inspect() {
    if (!choice->hasSplit()) return;
    const bool isLayer = layer >= 0 && layer < static_cast<int>(choice->level().layers.size());
    emit view->inspected(isLayer ? factsOfLayer() : planFacts(*choice));
}

void PartitionView::Implementation::openMenu(int row, int column, const QPoint& place) {
    view->chooseSplit(row);
    view->chooseLayer(column);
    if (!choice->hasSplit() || layer < 0) return;
    auto* menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::string name = nameOf(layer);
    menu->addSection(shownText(name));
    const auto pinned = choice->pins.types.find(name);
    for (const partition::Type type : kTypes) {
        QAction* action =
            menu->addAction(dotIcon(theme().dataColour(report::kPartitionTypes.at(static_cast<std::size_t>(type)))),
                            tr("Pin to %1").arg(typeTitle(type)));
        action->setCheckable(true);
        action->setChecked(pinned != choice->pins.types.end() && pinned->second == type);
        connect(action, &QAction::triggered, view, [this, at = layer, type] { pinLayer(at, type); });
    }
    QAction* unpin = menu->addAction(tr("Unpin"));
    unpin->setEnabled(pinned != choice->pins.types.end());
    connect(unpin, &QAction::triggered, view, [this, at = layer] { pinLayer(at, std::nullopt); });
    menu->addSeparator();
    const int level = choice->level().level;
    connect(menu->addAction(tr("Pin the ratio of level %1…").arg(level)), &QAction::triggered, view,
            [this] { askRatio(); });
    QAction* free = menu->addAction(tr("Unpin the ratio of level %1").arg(level));
    free->setEnabled(choice->pins.ratios.contains(level));
    connect(free, &QAction::triggered, view, [this, level] { pinRatio(level, std::nullopt); });
    menu->addAction(solveAction);
    menu->addSeparator();
    const std::pair<QString, const char*> numbers[] = {{tr("Explain the type"), "type"},
                                                       {tr("Explain the compute time"), "compute_s"},
                                                       {tr("Explain the time within the layer"), "intra_s"},
                                                       {tr("Explain the time between layers"), "inter_s"}};
    for (const auto& number : numbers) {
        const QString path = QStringLiteral("%1/levels[%2]/layers[%3]/%4")
                                 .arg(QString::fromStdString(choice->chosen().strategy))
                                 .arg(choice->split)
                                 .arg(layer)
                                 .arg(QLatin1String(number.second));
        connect(menu->addAction(number.first), &QAction::triggered, view, [this, path] { view->explain(path); });
    }
    menu->addSeparator();
    addExportActions(*menu->addMenu(tr("Copy or export the picture")), *map, [this] { return map->exportable(); });
    menu->popup(place);
}

PartitionView::PartitionView(QUndoStack* undo, QWidget* parent) : RunFrame(parent), d_(new Implementation) {
    d_->view = this;
    d_->undo = undo;
    d_->build();
    connect(&theme(), &Theme::changed, this, [this] {
        if (!d_->choice->run.isEmpty()) d_->fillStrategies();
    });
}

PartitionView::~PartitionView() = default;

void PartitionView::showRun(const FinishedRun& finished) {
    const PartitionRun run(finished.result);
    d_->ownPins = pinsOf(run.result().study);
    *d_->choice = PartitionChoice{run, run.bestPlan(), 0, d_->ownPins, {}};
    d_->undo->clear();
    d_->layer = -1;
    ++d_->generation;
    d_->tabs->setHistory(finished.history, finished.kept);
    d_->tabs->setCurves(finished.curves);
    d_->fillStrategies();
    d_->showHeadline();
    d_->showPins();
    d_->showMap();
}

std::shared_ptr<const study::Result> PartitionView::shownResult() const {
    return d_->choice->run.shared();
}

const PartitionRun& PartitionView::run() const {
    return d_->choice->run;
}

void PartitionView::chooseStrategy(const QString& strategy) {
    const int plan = d_->choice->run.planNamed(strategy);
    if (plan < 0 || plan == d_->choice->plan) return;
    ++d_->generation;
    d_->choice->plan = plan;
    d_->choice->split = std::clamp(d_->choice->split, 0, std::max(0, levelRows(*d_->choice) - 1));
    d_->strategies->setCurrent(plan);
    d_->showHeadline();
    d_->showMap();
    d_->inspect();
}

void PartitionView::chooseSplit(int split) {
    if (split == d_->choice->split || split < 0 || split >= levelRows(*d_->choice)) return;
    d_->choice->split = split;
    d_->tabs->refresh();
    d_->map->setSelected(split, d_->layer);
}

void PartitionView::chooseLayer(int layer) {
    if (!d_->choice->hasSplit() || layer >= static_cast<int>(d_->choice->level().layers.size())) return;
    d_->layer = std::max(layer, -1);
    d_->map->setSelected(layer < 0 ? -1 : d_->choice->split, d_->layer);
    d_->tabs->setLayer(d_->layer);
    d_->inspect();
}

QString PartitionView::strategy() const {
    return d_->choice->run.isEmpty() ? QString() : d_->choice->run.strategy(d_->choice->plan);
}

int PartitionView::split() const {
    return d_->choice->split;
}

int PartitionView::layer() const {
    return d_->layer;
}

void PartitionView::setPins(const PartitionPins& pins) {
    d_->changePins(tr("pins"), pins);
}

const PartitionPins& PartitionView::pins() const {
    return d_->choice->pins;
}

int PartitionView::changedPins() const {
    return differenceOf(d_->choice->pins, d_->ownPins);
}

void PartitionView::solveAgain() {
    if (d_->choice->run.isEmpty() || d_->choice->pins == d_->ownPins) return;
    const study::Study study = withPins(d_->choice->run.result().study, d_->choice->pins);
    emit runRequested(QString::fromStdString(toText(study::toJson(study))));
}

QVector<QAction*> PartitionView::viewActions() const {
    return {d_->modelAction, d_->solveAction, d_->clearAction};
}

QVector<Exportable> PartitionView::exportables() const {
    return exports::everything(d_->choice->run.shared(), d_->choice->selection()) + d_->tabs->exportables();
}

Exportable PartitionView::resultExport() const {
    return exports::document(d_->choice->run.shared());
}

Exportable PartitionView::traceExport() const {
    return exports::trace(d_->choice->run.shared(), d_->choice->selection());
}

QJsonObject PartitionView::saveView() const {
    QJsonObject pinned;
    for (const auto& [name, type] : d_->choice->pins.types)
        pinned.insert(QString::fromStdString(name), QLatin1String(partition::nameOf(type).data()));
    QJsonObject view = d_->tabs->saveView();
    view[QStringLiteral("strategy")] = strategy();
    view[QStringLiteral("split")] = d_->choice->split;
    view[QStringLiteral("layer")] = d_->layer;
    view[QStringLiteral("pins")] = pinned;
    return view;
}

void PartitionView::restoreView(const QJsonObject& view) {
    chooseStrategy(view.value(QLatin1String("strategy")).toString());
    chooseSplit(view.value(QLatin1String("split")).toInt(-1));
    const int layer = view.value(QLatin1String("layer")).toInt(-1);
    if (layer >= 0) chooseLayer(layer);
    d_->tabs->restoreView(view);
    const QJsonObject pinned = view.value(QLatin1String("pins")).toObject();
    PartitionPins pins = d_->choice->pins;
    for (auto at = pinned.begin(); at != pinned.end(); ++at)
        for (const partition::Type type : kTypes)
            if (at.value().toString() == QLatin1String(partition::nameOf(type).data()))
                pins.types[at.key().toStdString()] = type;
    setPins(pins);
}

}  // namespace tessera::ui

#include <QPointer>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/report/prediction_pictures.h"
#include "core/study/metric.h"
#include "core/study/prediction/prices.h"
#include "core/study/prediction/study.h"
#include "ui/models/prediction_facts.h"
#include "ui/models/prediction_tables.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using predict::Prediction;

/// From here on an order is as good as sure; up to there it is little better than a guess.
constexpr double kSure = 0.9, kUnsure = 0.5;

/// The metric that a bar of the pictures of all accelerators shows, by picture.
constexpr const char* kRankedMetrics[] = {"throughput_samples_per_s", "samples_per_usd", "training_cost_usd",
                                          "throughput_samples_per_s"};
constexpr int kMethods = 3;  ///< the picture whose series are methods, not accelerators

/// Prices of one's own, and those before.
class PriceCommand : public QUndoCommand {
public:
    PriceCommand(study::Prices before, study::Prices after, std::function<void(const study::Prices&)> apply)
        : QUndoCommand(u"setting a price"_s),
          before_(std::move(before)),
          after_(std::move(after)),
          apply_(std::move(apply)) {}
    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }

private:
    study::Prices before_, after_;
    std::function<void(const study::Prices&)> apply_;
};

/// Finished predictions: headline, accelerators and device counts, and tabs that begin with all accelerators side
/// by side. One choice of accelerator, number of devices and operator is shared by all its parts.
class PredictionView : public RunView {
public:
    PredictionView(QUndoStack* undo, QWidget* parent) : RunView("predict", parent), undo_(undo) {
        addSelectables();
        addPages();
        addPictures();
        addDetails();
    }

    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    void takeRun() override;
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return choice_->selection(); }

private:
    void addSelectables();
    void addPictures();
    void addDetails();
    void addBest(QVector<Headline>& headlines, std::string_view metric, const QString& label) const;
    void chooseAccelerator(int accelerator);
    void choosePrediction(int prediction);
    ChoiceBar::Choice accelerator(int index) const;
    void orderOperators();
    Facts facts();
    QString documentOf(const std::string& accelerator) const;

    bool editPrice(int prediction, const QString& text);
    void setPrices(const study::Prices& prices);
    QString pricesText() const;

    int predictionAt(int category) const;
    int predictionOf(const PlotWidget& plot, int series) const;
    int rankedPrediction(const ChartPane& ranked, int series, int category) const;
    QString rankedPath(const ChartPane& ranked, int series, int category) const;
    QString stagePath(const ChartPane& stages, int series, int category) const;
    void chooseCount(const ChartPane& scaling, int series, int devices);
    QString metricOf(int prediction, const char* metric) const {
        return choice_->run.name(prediction) + QLatin1Char('/') + QLatin1String(metric);
    }

    QWidget* makeDuels();
    void fillDuels();
    QWidget* makeRoofline();
    void fillRoofline();
    int operatorRow() const;
    void markOperator() const;

    QUndoStack* undo_;
    std::shared_ptr<const study::Result> original_;  ///< the run's own
    study::Prices prices_;                           ///< of a device, in place of those of the run
    HeatMapView* duels_ = nullptr;
    ChoiceBar* duelsBy_ = nullptr;
    SharedPredictionChoice choice_ = std::make_shared<PredictionChoice>();
    ChartPane* roofline_ = nullptr;
    std::vector<std::vector<std::size_t>> placed_;  ///< by series and point of the roofline: which operator
};

void PredictionView::addSelectables() {
    const PredictionRun& its = choice_->run;
    addSelectable({.id = "accelerator",
                   .count = [&its] { return its.accelerators(); },
                   .current = [this] { return choice_->accelerator; },
                   .choose = [this](int index) { chooseAccelerator(index); },
                   .facts = [this](int) { return facts(); },
                   .name = [&its](int index) { return toQt(its.accelerator(index).id); },
                   .bar = u"Accelerators"_s,
                   .choice = [this](int index) { return accelerator(index); }});
    addSelectable(
        {.id = "devices",
         .count = [&its] { return its.counts(); },
         .current = [this] { return choice_->count; },
         .choose = [this](int count) { choosePrediction(choice_->run.predictionOf(choice_->accelerator, count)); },
         .facts = [this](int) { return facts(); },
         .name = [&its](int count) { return static_cast<double>(its.devices(count)); },
         .bar = u"Device counts"_s,
         .choice =
             [&its](int count) {
                 return ChoiceBar::Choice{.title = its.devicesText(count),
                                          .help = u"Show the predictions for so many devices"_s};
             }});
    addSelectable({.id = "prediction",
                   .count = [&its] { return its.predictions(); },
                   .current = [this] { return choice_->prediction(); },
                   .choose = [this](int index) { choosePrediction(index); },
                   .facts = [this](int) { return facts(); },
                   .handed = [&its](int index) { return study::nameOf(its.prediction(index)); },
                   .saved = false});
    addSelectable({.id = "operator",  // by falling time
                   .count = [this] { return static_cast<int>(choice_->operators.size()); },
                   .current = [this] { return operatorRow(); },
                   .choose =
                       [this](int row) {
                           choice_->op = static_cast<int>(choice_->operators[static_cast<std::size_t>(row)]);
                           markOperator();
                       },
                   .facts = [this](int) { return facts(); },
                   .saved = false});
}

void PredictionView::addPictures() {
    using Self = PredictionView;
    addCharts("accelerators",
              {.rows = {"throughput", "price-performance", "training-cost", "baselines"},
               .title = u"Accelerators"_s,
               .name = u"Accelerators side by side"_s,
               .clicked = [this](const ChartPane& pane, int series,
                                 int category) { select(u"prediction"_s, rankedPrediction(pane, series, category)); },
               .clicks = "prediction",
               .path = [this](const ChartPane& pane, int series,
                              int category) { return rankedPath(pane, series, category); }});
    addPicture("duels", this, &Self::makeDuels, &Self::fillDuels);
    addRows("duels", {.pictures = {"duels-price"}, .tables = {"duels"}});
    addCharts("batch-throughput", {.rows = {"batch-throughput"},
                                   .name = u"Throughput by samples per step"_s,
                                   .clicked = [this](const ChartPane& pane, int series, int) {
                                       if (const int at = predictionOf(*pane.plot(), series); at >= 0)
                                           select(u"prediction"_s, at);
                                   }});
    addCharts("stages", {.rows = {"stages"},
                         .name = u"What a step consists of"_s,
                         .clicked = [this](const ChartPane&, int,
                                           int category) { select(u"prediction"_s, predictionAt(category)); },
                         .clicks = "prediction",
                         .path = [this](const ChartPane& pane, int series,
                                        int category) { return stagePath(pane, series, category); }});
    addCharts("memory", {.rows = {"batch-memory", "memory"}, .title = u"Memory"_s, .name = u"Memory of a device"_s});
    addPicture("roofline", this, &Self::makeRoofline, &Self::fillRoofline);
    addCharts("scaling", {.rows = {"scaling", "scaling-speedup"},
                          .name = u"Throughput by number of devices"_s,
                          .clicked = [this](const ChartPane& pane, int series, int devices) {
                              chooseCount(pane, series, devices);
                          }});
}

void PredictionView::addDetails() {
    addRows("accelerators", {.tables = {"baselines"}});
    addRows("stages", {.tables = {"stages"}});
    addRows("memory", {.tables = {"memory", "batches"}});
    addTable("predictions", {.model =
                                 [this](QObject* owner) {
                                     const auto edit = [this](int prediction, const QString& text) {
                                         return editPrice(prediction, text);
                                     };
                                     return predictionTableModel(choice_, edit, owner);
                                 },
                             .selects = "prediction",
                             .filtered = true});
    addTable("operators",
             {.model = [this](QObject* owner) { return operatorTableModel(choice_, owner); },
              .selects = "operator",
              .filtered = true,
              .empty = u"This accelerator does not fit, or the result does not tell its operators. Choose another "
                       "accelerator, or run the study again."_s});
    addRows("operators", {.tables = {"slowest"}});
    addOtherPages();
    for (const char* picture : {"accelerators", "duels", "batch-throughput", "stages", "memory", "scaling"})
        pages()->pair(picture, "predictions");
    pages()->pair("roofline", "operators");
}

void PredictionView::takeRun() {
    original_ = run().result;
    prices_.clear();
    const PredictionRun its(run().result);
    *choice_ = PredictionChoice{.run = its};
    pages()->setPageShown(u"duels"_s, has("duels"));
    pages()->setPageShown(u"batch-throughput"_s, has("batch-throughput"));
    if (const Prediction* best = study::fastestPrediction(its.outcome())) {
        choice_->accelerator = its.acceleratorNamed(toQt(best->accelerator));
        choice_->count = its.countOf(best->devices);
    }
    orderOperators();
}

/// Of all devices, as the table says it.
bool PredictionView::editPrice(int prediction, const QString& text) {
    const Prediction& one = choice_->run.prediction(prediction);
    QString amount = text.trimmed();
    if (amount.startsWith(QLatin1Char('$'))) amount.remove(0, 1);
    const std::optional<double> price = parseQuantity(amount.trimmed().toStdString(), Measure::count);
    if (!price || !(*price > 0)) {
        emit messaged(u"'%1' is no price: write US dollars an hour, such as 2.99."_s.arg(shownText(text.toStdString())),
                      {});
        return false;
    }
    study::Prices after = prices_;
    after[one.accelerator] = *price / static_cast<double>(one.devices);
    const auto apply = [guard = QPointer<PredictionView>(this)](const study::Prices& prices) {
        if (guard) guard->setPrices(prices);
    };
    // The table that is written into is filled anew.
    QMetaObject::invokeMethod(
        this, [this, before = prices_, after, apply] { undo_->push(new PriceCommand(before, after, apply)); },
        Qt::QueuedConnection);
    return true;
}

void PredictionView::setPrices(const study::Prices& prices) {
    prices_ = prices;
    const auto result =
        prices.empty() ? original_ : std::make_shared<const study::Result>(study::repriced(*original_, prices_));
    choice_->run = PredictionRun(result);
    showInstead(result);
}

/// "h100 $2.99 (was $4.92), a100 $1.5".
QString PredictionView::pricesText() const {
    const PredictionRun before(original_);
    QStringList texts;
    for (const auto& [accelerator, price] : prices_) {
        QString text = u"%1 $%2"_s.arg(shownText(accelerator), countText(price));
        for (const Prediction& one : before.outcome().predictions)
            if (const auto was = study::devicePrice(one); was && one.accelerator == accelerator) {
                text += u" (was $%1)"_s.arg(countText(*was));
                break;
            }
        texts.append(text);
    }
    return texts.join(u", "_s);
}

QJsonObject PredictionView::saveView() const {
    QJsonObject view = RunView::saveView();
    if (!prices_.empty()) view["prices"] = toQt(study::textOf(prices_));
    return view;
}

void PredictionView::restoreView(const QJsonObject& view) {
    try {
        if (const QString prices = view["prices"].toString(); !prices.isEmpty())
            setPrices(study::pricesIn(prices.toStdString()));
    } catch (const UsageError&) {
        // Prices that are none are left out.
    }
    RunView::restoreView(view);
}

/// At the number of devices that is looked at, or at the first for which there is a prediction.
void PredictionView::chooseAccelerator(int accelerator) {
    int prediction = choice_->run.predictionOf(accelerator, choice_->count);
    for (int count = 0; prediction < 0 && count < choice_->run.counts(); ++count)
        prediction = choice_->run.predictionOf(accelerator, count);
    choosePrediction(prediction);
}

void PredictionView::choosePrediction(int prediction) {
    const PredictionRun& its = choice_->run;
    if (prediction < 0 || prediction >= its.predictions()) return;
    const Prediction& one = its.prediction(prediction);
    choice_->accelerator = its.acceleratorNamed(toQt(one.accelerator));
    const int count = its.countOf(one.devices);
    const bool otherCount = std::exchange(choice_->count, count) != count;
    orderOperators();
    if (otherCount) {
        fillChoices();
        showHeadline();
    }
    refresh();
}

ChoiceBar::Choice PredictionView::accelerator(int index) const {
    const PredictionRun& its = choice_->run;
    const int prediction = its.predictionOf(index, choice_->count);
    const bool fits = prediction >= 0 && !its.prediction(prediction).infeasible;
    const std::string_view colour = fits ? its.accelerator(index).colour : std::string_view("disabled");
    return {.title = its.acceleratorName(index),
            .help = fits ? shownText(its.accelerator(index).name)
                         : u"%1 does not fit"_s.arg(shownText(its.accelerator(index).name)),
            .icon = dotIcon(theme().dataColour(colour))};
}

/// The best by a metric, and how sure the whole order is.
void PredictionView::addBest(QVector<Headline>& headlines, std::string_view metric, const QString& label) const {
    const study::PredictionOutcome& outcome = choice_->run.outcome();
    const predict::Ranking* ranking = study::rankingOf(outcome, metric, choice_->devices());
    const std::vector<const Prediction*> first = study::contenders(outcome, metric, choice_->devices());
    if (ranking == nullptr || first.empty()) return;
    const std::string path = study::nameOf(*first.front()) + "/" + std::string(metric);
    Headline headline;
    headline.explain = explanationOf(path);
    QString value;
    for (const study::Metric& each : study::predictionMetrics(outcome))
        if (each.name == path) value = toQt(study::textOf(each));
    const bool called = first.size() == 1;
    value += QLatin1Char(' ') + toQt(study::errorText(*first.front()));
    headline.value = called ? value : toQt(study::anyOf(first));
    headline.label = called ? label.arg(shownText(first.front()->accelerator)) : u"too close to call: %1"_s.arg(value);
    if (ranking->order.size() > 1) {
        headline.detail = u"ranking correct: %1"_s.arg(toQt(study::percentText(ranking->probability)));
        headline.tone = ranking->probability >= kSure    ? u"good"_s
                        : ranking->probability < kUnsure ? u"warning"_s
                                                         : QString();
        const QString order = toQt(study::orderText(study::tiedGroups(outcome, metric, choice_->devices())));
        headline.help =
            u"Best first: %1, where ≈ says: too close to call. The probability that this ranking is correct follows "
            "from the intervals."_s.arg(order);
    }
    headlines.append(headline);
}

QVector<Headline> PredictionView::headlines() const {
    QVector<Headline> headlines;
    addBest(headlines, study::kSampleRate, u"on %1, the fastest"_s);
    const std::vector<const Prediction*> first =
        study::contenders(choice_->run.outcome(), study::kSampleRate, choice_->devices());
    if (!first.empty()) {
        const Prediction* best = first.front();
        headlines.append({.value = shownText(best->error.reliability),
                          .label = u"numbers behind it"_s,
                          .tone = best->error.reliability == "measured" ? QString() : u"warning"_s,
                          .help = u"90 % interval, given the reliability of the inputs"_s,
                          .explain = explanationOf(study::nameOf(*best) + "/throughput_samples_per_s")});
    }
    addBest(headlines, study::kSamplesPerDollar, u"on %1, the cheapest"_s);
    if (!first.empty()) {
        const Prediction* best = first.front();
        headlines.append({.value = columns::quantity(best->step.value, Measure::seconds),
                          .label = u"per step on %1"_s.arg(shownText(best->accelerator)),
                          .detail = u"batch %1 on each of %2"_s.arg(countText(best->batch),
                                                                    choice_->run.devicesText(choice_->count)),
                          .help = u"One step: loading, computation and communication, overlapped"_s,
                          .explain = explanationOf(study::nameOf(*best) + "/step_time_s")});
    }
    return headlines;
}

/// Which accelerators do not fit, with the reason where it is one.
void PredictionView::showNote() {
    if (!prices_.empty())
        return note()->showMessage(
            MessageBar::Kind::info,
            u"Prices of yours, for an hour of a device: %1. What follows from them is ranked anew."_s.arg(pricesText()),
            u"Run with these prices"_s,
            [this] { emit runRequested(toQt(toText(study::toJson(choice_->run.result().study)))); });
    QStringList unfit;
    QString reason;
    for (const Prediction* one : report::inOrder(choice_->run.outcome(), choice_->devices())) {
        if (!one->infeasible) continue;
        unfit << shownText(one->accelerator);
        reason = shownText(*one->infeasible);
    }
    if (unfit.size() == 1)
        note()->showMessage(MessageBar::Kind::warning, u"%1 does not fit: %2."_s.arg(unfit.front(), reason));
    else if (!unfit.isEmpty())
        note()->showMessage(MessageBar::Kind::warning,
                            u"%1 do not fit. The table says why."_s.arg(unfit.join(u", "_s)));
}

void PredictionView::orderOperators() {
    choice_->operators.clear();
    choice_->op = -1;
    if (choice_->prediction() < 0 || choice_->chosen().infeasible) return;
    const std::vector<predict::AlikeOperators>& all = choice_->run.operators(choice_->prediction());
    choice_->operators.resize(all.size());
    std::iota(choice_->operators.begin(), choice_->operators.end(), std::size_t{0});
    const auto time = [&](std::size_t i) { return all[i].time.value * static_cast<double>(all[i].count); };
    std::stable_sort(choice_->operators.begin(), choice_->operators.end(),
                     [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
}

/// Where the accelerator is edited, by the name under which the study asks for it; empty where that is not known.
QString PredictionView::documentOf(const std::string& accelerator) const {
    for (const std::string& name : choice_->run.result().study.hardware) {
        if (name == accelerator) return u"accelerator/"_s + toQt(name);
        if (std::filesystem::path(name).stem().string() == accelerator) return toQt(name);
    }
    return {};
}

Facts PredictionView::facts() {
    if (choice_->prediction() < 0) return {};
    if (choice_->op >= 0) return operatorFacts(*choice_, choice_->op);
    Facts facts = predictionFacts(*choice_, choice_->prediction());
    if (const QString document = documentOf(choice_->chosen().accelerator); !document.isEmpty())
        facts.actions.append({.title = u"Edit its price and numbers"_s,
                              .icon = u"accelerator"_s,
                              .run = [this, document] { emit openRequested(u"hardware"_s, document); }});
    return facts;
}

/// Of a bar in a picture whose categories are accelerators, fastest first; -1 = none.
int PredictionView::predictionAt(int category) const {
    const auto order = report::inOrder(choice_->run.outcome(), choice_->devices());
    if (category < 0 || static_cast<std::size_t>(category) >= order.size()) return -1;
    return static_cast<int>(order[static_cast<std::size_t>(category)] - choice_->run.outcome().predictions.data());
}

/// Of a series that is of one accelerator; -1 = none.
int PredictionView::predictionOf(const PlotWidget& plot, int series) const {
    const std::vector<report::Series>& all = plot.chart().series;
    if (series < 0 || static_cast<std::size_t>(series) >= all.size()) return -1;
    const QString id = toQt(all[static_cast<std::size_t>(series)].id);
    return choice_->run.predictionOf(choice_->run.acceleratorNamed(id), choice_->count);
}

int PredictionView::rankedPrediction(const ChartPane& ranked, int series, int category) const {
    return ranked.current() == kMethods ? predictionAt(category) : predictionOf(*ranked.plot(), series);
}

QString PredictionView::rankedPath(const ChartPane& ranked, int series, int category) const {
    const int prediction = rankedPrediction(ranked, series, category);
    return prediction < 0 ? QString() : metricOf(prediction, kRankedMetrics[ranked.current()]);
}

QString PredictionView::stagePath(const ChartPane& stages, int series, int category) const {
    const int prediction = predictionAt(category);
    const std::vector<report::Series>& all = stages.plot()->chart().series;
    if (prediction < 0 || series < 0 || static_cast<std::size_t>(series) >= all.size()) return {};
    const std::string& id = all[static_cast<std::size_t>(series)].id;
    return metricOf(prediction, (id == "hidden" ? "overlap_s" : id + "_s").c_str());
}

void PredictionView::chooseCount(const ChartPane& scaling, int series, int devices) {
    const int at = predictionOf(*scaling.plot(), series);
    if (at < 0) return;
    const QString id = toQt(choice_->run.prediction(at).accelerator);
    const int count = choice_->run.countOf(devices);
    select(u"prediction"_s, choice_->run.predictionOf(choice_->run.acceleratorNamed(id), count));
}

QWidget* PredictionView::makeDuels() {
    duels_ = new HeatMapView;
    duels_->setAccessibleName(u"Probability that one accelerator is ahead of another"_s);
    duelsBy_ = new ChoiceBar(u"By what"_s, 2);
    duelsBy_->setChoices({{.title = u"Throughput"_s}, {.title = u"Per dollar"_s}}, 0);
    connect(duelsBy_, &ChoiceBar::chosen, this, [this] { fillDuels(); });
    connect(duels_, &HeatMapView::cellSelected, this, [this](int row, int) {
        const QString name = toQt(duels_->heatMap().rows.at(static_cast<std::size_t>(std::max(0, row))));
        for (int each = 0; each < choice_->run.accelerators(); ++each)
            if (choice_->run.acceleratorName(each) == name) select(u"accelerator"_s, each);
    });
    return vSplit(duelsBy_, duels_);
}

void PredictionView::fillDuels() {
    const char* row = duelsBy_->current() == 1 ? "duels-price" : "duels";
    pages()->prepare(maker<report::HeatMap>(row), [this](report::HeatMap map) { duels_->setHeatMap(std::move(map)); });
}

QWidget* PredictionView::makeRoofline() {
    roofline_ = new ChartPane({}, u"Operators on the roofline"_s);
    roofline_->plot()->setExplainable(false);
    connect(roofline_->plot(), &PlotWidget::pointClicked, this, [this](int series, int point) {
        if (series < 0 || static_cast<std::size_t>(series) >= placed_.size()) return;
        const std::vector<std::size_t>& its = placed_[static_cast<std::size_t>(series)];
        if (point < 0 || static_cast<std::size_t>(point) >= its.size()) return;
        const auto row =
            std::find(choice_->operators.begin(), choice_->operators.end(), its[static_cast<std::size_t>(point)]);
        select(u"operator"_s, static_cast<int>(row - choice_->operators.begin()));
    });
    return roofline_;
}

void PredictionView::fillRoofline() {
    if (choice_->prediction() < 0) return roofline_->setCharts({});
    pages()->prepare(
        [its = choice_->run, prediction = choice_->prediction()] {
            return report::operatorRoofline(its.outcome(), its.prediction(prediction));
        },
        [this](report::OperatorRoofline picture) {
            placed_ = std::move(picture.operators);
            roofline_->setCharts({std::move(picture.chart)});
            markOperator();
        });
}

int PredictionView::operatorRow() const {
    const auto& all = choice_->operators;
    const auto row = std::find(all.begin(), all.end(), static_cast<std::size_t>(choice_->op));
    return choice_->op < 0 || row == all.end() ? -1 : static_cast<int>(row - all.begin());
}

/// Marks the chosen operator on the roofline, if that is there.
void PredictionView::markOperator() const {
    if (roofline_ == nullptr) return;
    int series = -1, point = -1;
    for (std::size_t s = 0; choice_->op >= 0 && s < placed_.size(); ++s) {
        const auto found = std::find(placed_[s].begin(), placed_[s].end(), static_cast<std::size_t>(choice_->op));
        if (found == placed_[s].end()) continue;
        series = static_cast<int>(s);
        point = static_cast<int>(found - placed_[s].begin());
    }
    roofline_->plot()->setSelected(series, point);
}

}  // namespace

RunView* newPredictionView(QUndoStack* undo, QWidget* parent) {
    return new PredictionView(undo, parent);
}

}  // namespace tessera::ui

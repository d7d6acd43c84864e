#include "ui/views/runs/prediction_view.h"

#include <algorithm>
#include <numeric>

#include "core/study/metric.h"
#include "core/study/prediction/study.h"
#include "ui/models/partition_run.h"
#include "ui/models/prediction_facts.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/prediction_tabs.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

using predict::Prediction;

/// From here on an order is as good as sure; up to there it is little better than a guess.
constexpr double kSure = 0.9, kUnsure = 0.5;
constexpr double kPercent = 100;

}  // namespace

struct PredictionView::Implementation {
    PredictionView* view = nullptr;
    SharedPredictionChoice choice = std::make_shared<PredictionChoice>();
    ChoiceBar *accelerators = nullptr, *counts = nullptr;
    PredictionTabs* tabs = nullptr;

    void build();
    void fillChoices();
    void showHeadline();
    void showNote();
    void addBest(QVector<Headline>& headlines, std::string_view metric, const QString& label) const;
    void chosen(bool otherCount);
    void orderOperators();
    void inspect() { emit view->inspected(facts()); }
    Facts facts() const;
    QString documentOf(const std::string& accelerator) const;
};

void PredictionView::Implementation::build() {
    accelerators = view->addChoices(tr("Accelerators"));
    connect(accelerators, &ChoiceBar::chosen, view, &PredictionView::chooseAccelerator);
    counts = view->addChoices(tr("Device counts"));
    connect(counts, &ChoiceBar::chosen, view, &PredictionView::chooseCount);
    tabs = new PredictionTabs(choice, view);
    view->setPages(tabs);
    connect(tabs, &PredictionTabs::predictionChosen, view, &PredictionView::choosePrediction);
    connect(tabs, &PredictionTabs::operatorChosen, view, &PredictionView::chooseOperator);
}

void PredictionView::Implementation::fillChoices() {
    const PredictionRun& run = choice->run;
    QVector<ChoiceBar::Choice> all;
    for (int index = 0; index < run.accelerators(); ++index) {
        const int prediction = run.predictionOf(index, choice->count);
        const bool fits = prediction >= 0 && !run.prediction(prediction).infeasible;
        const std::string_view colour = fits ? run.accelerator(index).colour : std::string_view("disabled");
        all.append({.title = run.acceleratorName(index),
                    .help = fits ? shownText(run.accelerator(index).name)
                                 : tr("%1 does not fit").arg(shownText(run.accelerator(index).name)),
                    .icon = dotIcon(theme().dataColour(colour))});
    }
    accelerators->setChoices(all, choice->accelerator);
    all.clear();
    for (int count = 0; count < run.counts(); ++count)
        all.append({.title = run.devicesText(count), .help = tr("Show the predictions for so many devices")});
    counts->setChoices(all, choice->count);
}

/// The best by a metric, and how sure the whole order is.
void PredictionView::Implementation::addBest(QVector<Headline>& headlines, std::string_view metric,
                                             const QString& label) const {
    const study::PredictionOutcome& outcome = choice->run.outcome();
    const predict::Ranking* ranking = study::rankingOf(outcome, metric, choice->devices());
    const std::vector<const Prediction*> first = study::contenders(outcome, metric, choice->devices());
    if (ranking == nullptr || first.empty()) return;
    const std::string path = study::nameOf(*first.front()) + "/" + std::string(metric);
    Headline headline;
    headline.explain = explained(choice->run.shared(), path);
    QString value;
    for (const study::Metric& each : study::predictionMetrics(outcome))
        if (each.name == path) value = QString::fromStdString(study::textOf(each));
    const bool called = first.size() == 1;
    headline.value = called ? value : QString::fromStdString(study::anyOf(first));
    headline.label = called ? label.arg(shownText(first.front()->accelerator)) : tr("too close to call: %1").arg(value);
    if (ranking->order.size() > 1) {
        headline.detail =
            tr("ranking correct: %1").arg(QString::fromStdString(study::percentText(ranking->probability)));
        headline.tone = ranking->probability >= kSure    ? QStringLiteral("good")
                        : ranking->probability < kUnsure ? QStringLiteral("warning")
                                                         : QString();
        QStringList order;
        for (const std::string& each : ranking->order) order << shownText(each);
        headline.help = tr("Best first: %1. The probability that this ranking is correct follows from the error bars.")
                            .arg(order.join(QStringLiteral(", ")));
    }
    headlines.append(headline);
}

void PredictionView::Implementation::showHeadline() {
    QVector<Headline> headlines;
    addBest(headlines, study::kByThroughput, tr("on %1, the fastest"));
    const std::vector<const Prediction*> first =
        study::contenders(choice->run.outcome(), study::kByThroughput, choice->devices());
    if (!first.empty()) {
        const Prediction* best = first.front();
        // Beside the throughput: without its error the number says too much.
        headlines.append(
            {.value = QStringLiteral("−%1 to +%2 %")
                          .arg(-kPercent * best->error.low, 0, 'f', 0)
                          .arg(kPercent * best->error.high, 0, 'f', 0),
             .label = tr("error"),
             .detail = tr("rests on %1 numbers").arg(shownText(best->error.reliability)),
             .tone = best->error.reliability == "measured" ? QString() : QStringLiteral("warning"),
             .help = tr("90 % of the errors that the numbers behind this prediction allow"),
             .explain = explained(choice->run.shared(), study::nameOf(*best) + "/throughput_samples_per_s")});
    }
    addBest(headlines, study::kByPrice, tr("on %1, the cheapest"));
    if (!first.empty()) {
        const Prediction* best = first.front();
        headlines.append({.value = columns::quantity(best->step.value, Measure::seconds),
                          .label = tr("per step on %1").arg(shownText(best->accelerator)),
                          .detail = tr("batch %1 on each of %2")
                                        .arg(columns::count(static_cast<double>(best->batch)),
                                             choice->run.devicesText(choice->count)),
                          .help = tr("One step: loading, computation and communication, overlapped"),
                          .explain = explained(choice->run.shared(), study::nameOf(*best) + "/step_time_s")});
    }
    view->headline()->setHeadlines(headlines);
    showNote();
}

/// Which accelerators do not fit, with the reason where it is one.
void PredictionView::Implementation::showNote() {
    QStringList unfit;
    QString reason;
    for (const Prediction* one : report::inOrder(choice->run.outcome(), choice->devices())) {
        if (!one->infeasible) continue;
        unfit << shownText(one->accelerator);
        reason = shownText(*one->infeasible);
    }
    view->note()->hide();
    if (unfit.size() == 1)
        view->note()->showMessage(MessageBar::Kind::warning, tr("%1 does not fit: %2.").arg(unfit.front(), reason));
    else if (!unfit.isEmpty())
        view->note()->showMessage(MessageBar::Kind::warning,
                                  tr("%1 do not fit. The table says why.").arg(unfit.join(QStringLiteral(", "))));
}

void PredictionView::Implementation::orderOperators() {
    choice->operators.clear();
    choice->op = -1;
    if (choice->prediction() < 0 || choice->chosen().infeasible) return;
    const std::vector<predict::AlikeOperators>& all = choice->run.operators(choice->prediction());
    choice->operators.resize(all.size());
    std::iota(choice->operators.begin(), choice->operators.end(), std::size_t{0});
    const auto time = [&](std::size_t i) { return all[i].time.value * static_cast<double>(all[i].count); };
    std::stable_sort(choice->operators.begin(), choice->operators.end(),
                     [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
}

/// Another accelerator or number of devices was chosen.
void PredictionView::Implementation::chosen(bool otherCount) {
    orderOperators();
    if (otherCount) {
        fillChoices();
        showHeadline();
    }
    accelerators->setCurrent(choice->accelerator);
    tabs->refresh();
    inspect();
}

/// Where the accelerator is edited, by the name under which the study asks for it; empty where that is not known.
QString PredictionView::Implementation::documentOf(const std::string& accelerator) const {
    for (const std::string& name : choice->run.result().study.hardware) {
        if (name == accelerator) return QStringLiteral("accelerator/") + QString::fromStdString(name);
        if (std::filesystem::path(name).stem().string() == accelerator) return QString::fromStdString(name);
    }
    return {};
}

Facts PredictionView::Implementation::facts() const {
    if (choice->op >= 0) return operatorFacts(*choice, choice->op);
    Facts facts = predictionFacts(*choice, choice->prediction());
    if (const QString document = documentOf(choice->chosen().accelerator); !document.isEmpty())
        facts.actions.append(
            {.title = tr("Edit its price and numbers"),
             .icon = QStringLiteral("accelerator"),
             .run = [view = view, document] { emit view->openRequested(QStringLiteral("hardware"), document); }});
    return facts;
}

PredictionView::PredictionView(QUndoStack* /*undo*/, QWidget* parent) : RunFrame(parent), d_(new Implementation) {
    d_->view = this;
    d_->build();
    connect(&theme(), &Theme::changed, this, [this] {
        if (!d_->choice->run.isEmpty()) d_->fillChoices();
    });
}

PredictionView::~PredictionView() = default;

void PredictionView::showRun(const FinishedRun& finished) {
    const PredictionRun run(finished.result);
    *d_->choice = PredictionChoice{.run = run};
    if (const Prediction* best = study::fastestPrediction(run.outcome())) {
        d_->choice->accelerator = run.acceleratorNamed(QString::fromStdString(best->accelerator));
        d_->choice->count = run.countOf(best->devices);
    }
    d_->orderOperators();
    d_->fillChoices();
    d_->showHeadline();
    d_->tabs->refresh();
}

std::shared_ptr<const study::Result> PredictionView::shownResult() const {
    return d_->choice->run.shared();
}

const PredictionRun& PredictionView::run() const {
    return d_->choice->run;
}

void PredictionView::chooseAccelerator(int accelerator) {
    choosePrediction(d_->choice->run.predictionOf(accelerator, d_->choice->count));
}

void PredictionView::chooseCount(int count) {
    choosePrediction(d_->choice->run.predictionOf(d_->choice->accelerator, count));
}

void PredictionView::choosePrediction(int prediction) {
    const PredictionRun& run = d_->choice->run;
    if (prediction < 0 || prediction >= run.predictions()) return;
    const Prediction& one = run.prediction(prediction);
    const int count = run.countOf(one.devices);
    const bool otherCount = count != d_->choice->count;
    d_->choice->accelerator = run.acceleratorNamed(QString::fromStdString(one.accelerator));
    d_->choice->count = count;
    d_->chosen(otherCount);
}

void PredictionView::chooseOperator(int op) {
    if (d_->choice->operators.empty() || op >= static_cast<int>(d_->choice->operators.size())) return;
    d_->choice->op = std::max(op, -1);
    d_->tabs->showOperator();
    d_->inspect();
}

int PredictionView::accelerator() const {
    return d_->choice->accelerator;
}

int PredictionView::count() const {
    return d_->choice->count;
}

int PredictionView::op() const {
    return d_->choice->op;
}

PredictionTabs* PredictionView::tabs() const {
    return d_->tabs;
}

QVector<Exportable> PredictionView::exportables() const {
    return exports::everything(d_->choice->run.shared(), d_->choice->selection());
}

Exportable PredictionView::resultExport() const {
    return exports::document(d_->choice->run.shared());
}

Exportable PredictionView::traceExport() const {
    return {};
}

QJsonObject PredictionView::saveView() const {
    const PredictionRun& run = d_->choice->run;
    if (run.isEmpty()) return {};
    QJsonObject view = d_->tabs->saveView();
    view[QStringLiteral("accelerator")] = QString::fromStdString(run.accelerator(d_->choice->accelerator).id);
    view[QStringLiteral("devices")] = static_cast<double>(d_->choice->devices());
    return view;
}

void PredictionView::restoreView(const QJsonObject& view) {
    const PredictionRun& run = d_->choice->run;
    const int accelerator = run.acceleratorNamed(view.value(QLatin1String("accelerator")).toString());
    const double devices = view.value(QLatin1String("devices")).toDouble();
    constexpr double kMaxDevices = 1e9;
    const int count = devices >= 1 && devices < kMaxDevices ? run.countOf(static_cast<std::int64_t>(devices)) : -1;
    const int prediction = run.predictionOf(accelerator < 0 ? d_->choice->accelerator : accelerator,
                                            count < 0 ? d_->choice->count : count);
    if (prediction >= 0 && prediction != d_->choice->prediction()) choosePrediction(prediction);
    d_->tabs->restoreView(view);
}

}  // namespace tessera::ui

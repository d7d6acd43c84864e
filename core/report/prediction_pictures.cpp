#include "core/report/prediction_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/accelerator.h"
#include "core/model/graph_hierarchy.h"
#include "core/report/hardware_pictures.h"
#include "core/report/prediction_report.h"
#include "core/study/metric.h"
#include "core/study/prediction/fields.h"
#include "core/study/prediction/study.h"

namespace tessera::report {

namespace {

using predict::AlikeOperators;
using predict::Prediction;
using study::PredictionOutcome;

constexpr std::size_t kLongestName = 40;
constexpr std::size_t kColours = 6;  ///< of categories that stay apart on small marks; the seventh repeats the first

/// Colours of categories of memory, by predict::Category.
constexpr std::array kMemoryColours{kCategories[1], kCategories[0], kCategories[2], kCategories[4], kCategories[5]};
static_assert(kMemoryColours.size() == predict::kCategories);

constexpr double kComparedSamples = 1000;

struct StagePart {
    std::string_view id, name, colour;
    double (*seconds)(const Prediction& one);
};
/// What of the loading nothing hides.
double bareLoading(const Prediction& one) {
    return std::clamp(one.step.value - one.compute.value - one.communication.value, 0.0, one.load.value);
}
constexpr std::array kStageParts{
    StagePart{"compute", "Computation", kCategories[0],
              [](const Prediction& one) { return std::min(one.compute.value, one.step.value); }},
    StagePart{"communication", "Communication", kCategories[4],
              [](const Prediction& one) {
                  return std::clamp(one.step.value - one.compute.value, 0.0, one.communication.value);
              }},
    StagePart{"load", "Loading", kCategories[1], bareLoading}};

std::string shownName(const std::string& name) {
    return escaped(name, kLongestName);
}

std::string onDevices(std::int64_t devices) {
    return "on " + formatCounted(devices, "device", "devices");
}

std::string dollarText(std::string_view metric, double value) {
    return study::predictionMetricText(metric, value).value_or("");
}

std::string percent(double share) {
    return study::percentText(share);
}

std::optional<double> throughputOf(const Prediction& one) {
    return one.infeasible ? std::nullopt : std::optional(one.throughput);
}

std::optional<double> perDollarOf(const Prediction& one) {
    return one.infeasible ? std::nullopt : one.samplesPerUsd;
}

std::optional<double> costOf(const Prediction& one) {
    return one.infeasible ? std::nullopt : one.trainingCostUsd;
}

/// The predictions at a number of devices in the order of their bars: by falling value, then those without one.
struct Bars {
    std::vector<const Prediction*> rows;
    std::vector<std::optional<double>> values;
};

using Value = std::optional<double> (*)(const Prediction& one);

Bars barsBy(const PredictionOutcome& outcome, std::int64_t devices, Value value, bool smallestFirst = false) {
    struct Row {
        const Prediction* prediction;
        std::optional<double> value;
    };
    std::vector<Row> all;
    for (const Prediction& one : outcome.predictions)
        if (one.devices == devices) all.push_back({&one, value(one)});
    std::stable_sort(all.begin(), all.end(), [&](const Row& a, const Row& b) {
        if (!a.value || !b.value) return a.value.has_value() && !b.value;
        return smallestFirst ? *a.value < *b.value : *a.value > *b.value;
    });
    Bars bars;
    for (const Row& row : all) {
        bars.rows.push_back(row.prediction);
        bars.values.push_back(row.value);
    }
    return bars;
}

std::string_view acceleratorColour(const PredictionOutcome& outcome, std::string_view accelerator) {
    for (const PredictedAccelerator& each : acceleratorsOf(outcome))
        if (each.id == accelerator) return each.colour;
    return kCategories[5];
}

/// Why bars are missing, a sentence each.
void addReasons(Chart& chart, const Bars& bars, const char* otherwise) {
    for (std::size_t i = 0; i < bars.rows.size(); ++i) {
        if (bars.values[i]) continue;
        const Prediction& one = *bars.rows[i];
        chart.notes.push_back(one.infeasible
                                  ? fmt::format("{} does not fit: {}.", shownName(one.accelerator), *one.infeasible)
                                  : fmt::format("{} {}", shownName(one.accelerator), otherwise));
    }
}

/// An accelerator whose value carries an error is a point with its interval, else a bar; each in its own colour.
void addBars(Chart& chart, const PredictionOutcome& outcome, const Bars& bars, bool errors,
             const std::function<std::string(double)>& text) {
    for (std::size_t i = 0; i < bars.rows.size(); ++i) {
        const Prediction& one = *bars.rows[i];
        chart.x.categories.push_back(shownName(one.accelerator));
        chart.endTexts.push_back(one.infeasible ? "does not fit" : bars.values[i] ? "" : "not known");
        if (!bars.values[i]) continue;
        const double value = *bars.values[i];
        Series series{.id = one.accelerator,
                      .mark = Mark::bars,
                      .colour = std::string(acceleratorColour(outcome, one.accelerator)),
                      .x = {static_cast<double>(i)},
                      .y = {value},
                      .valueTexts = {text(value)}};
        if (errors) {
            series.low = {value * (1 + one.error.low)};
            series.high = {value * (1 + one.error.high)};
            series.valueTexts[0] += " " + study::errorText(one);
            series.shape = 0;
            series.asPoint = true;
        }
        chart.series.push_back(std::move(series));
    }
}

void addConfidence(Chart& chart, const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    std::string text = "Intervals hold 90 % of what the numbers behind a prediction allow.";
    const predict::Ranking* ranking = study::rankingOf(outcome, metric, devices);
    if (ranking != nullptr && ranking->order.size() > 1) {
        text += " P" + study::correctText(*ranking).substr(1) + ".";
        const auto groups = study::tiedGroups(outcome, metric, devices);
        if (groups.size() < ranking->order.size())
            chart.notes.push_back(study::orderText(groups) + " (≈: too close to call).");
    }
    chart.notes.push_back(std::move(text));
}

/// "cs2 or bow: too close to call on 8 devices (100,000 to 97,600 samples/s)"; empty where one is ahead.
std::string tieText(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices,
                    std::string (*text)(const Prediction& one)) {
    const std::vector<const Prediction*> first = study::contenders(outcome, metric, devices);
    if (first.size() < 2) return "";
    return fmt::format("{}: too close to call {} ({} to {})", study::anyOf(first), onDevices(devices),
                       text(*first.front()), text(*first.back()));
}

std::string nothingFits(std::int64_t devices) {
    return fmt::format("The model fits on none of the accelerators {}. A smaller batch or more devices may help.",
                       onDevices(devices));
}

/// The largest first: small points stay in sight.
constexpr double kMinRadius = 2.5, kMaxRadius = 10;

double radiusOf(double share, double max) {
    return max > 0 ? kMinRadius + (kMaxRadius - kMinRadius) * std::sqrt(share / max) : kMinRadius;
}

double timeOf(const AlikeOperators& op) {
    return op.time.value * static_cast<double>(op.count);
}

/// The accelerator as its file describes it, as far as its prediction knows.
hardware::Accelerator machineOf(const Prediction& prediction) {
    hardware::Accelerator machine;
    machine.name = prediction.accelerator;
    if (prediction.peak.value > 0) machine.peakFlops[prediction.dtype] = prediction.peak;
    for (const predict::LevelUse& level : prediction.memory.levels)
        machine.memory.push_back({.name = escaped(level.level, kLongestName),
                                  .capacity = level.capacity,
                                  .bandwidth = level.bandwidth,
                                  .onChip = level.onChip});
    return machine;
}

}  // namespace

// What a result holds -------------------------------------------------------------------------------------------------

std::vector<PredictedAccelerator> acceleratorsOf(const PredictionOutcome& outcome) {
    std::vector<PredictedAccelerator> all;
    for (const Prediction& one : outcome.predictions) {
        const bool known = std::any_of(all.begin(), all.end(),
                                       [&](const PredictedAccelerator& each) { return each.id == one.accelerator; });
        if (!known) all.push_back({one.accelerator, one.name, kCategories.at(all.size() % kColours)});
    }
    return all;
}

std::vector<std::int64_t> deviceCountsOf(const PredictionOutcome& outcome) {
    std::vector<std::int64_t> counts;
    for (const Prediction& one : outcome.predictions) counts.push_back(one.devices);
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

const Prediction* predictionOf(const PredictionOutcome& outcome, std::string_view accelerator, std::int64_t devices) {
    for (const Prediction& one : outcome.predictions)
        if (one.accelerator == accelerator && one.devices == devices) return &one;
    return nullptr;
}

// Accelerators side by side -------------------------------------------------------------------------------------------

std::vector<const Prediction*> inOrder(const PredictionOutcome& outcome, std::int64_t devices) {
    return barsBy(outcome, devices, throughputOf).rows;
}

Chart throughputChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "throughput", .title = "Throughput " + onDevices(devices), .horizontal = true};
    chart.y = {.title = "Throughput (samples/s)", .fromZero = true};
    chart.empty = nothingFits(devices);
    const Bars bars = barsBy(outcome, devices, throughputOf);
    if (!bars.rows.empty() && bars.values.front())
        chart.title = fmt::format("{} trains {}{} {}: {}", shownName(bars.rows.front()->accelerator),
                                  shownName(outcome.model), bars.rows.size() > 1 ? " fastest" : "", onDevices(devices),
                                  study::uncertainSamplesText(*bars.values.front()));
    if (std::string tie = tieText(outcome, study::kSampleRate, devices,
                                  [](const Prediction& one) { return study::uncertainSamplesText(one.throughput); });
        !tie.empty())
        chart.title = std::move(tie);
    addBars(chart, outcome, bars, true, study::uncertainSamplesText);
    addReasons(chart, bars, "has no throughput.");
    addConfidence(chart, outcome, study::kSampleRate, devices);
    return chart;
}

Chart pricePerformanceChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "price-performance", .title = "Samples per dollar " + onDevices(devices), .horizontal = true};
    chart.y = {.title = "Samples per dollar", .fromZero = true};
    const Bars bars = barsBy(outcome, devices, perDollarOf);
    const bool any = !bars.rows.empty() && bars.values.front();
    if (any)
        chart.title = fmt::format("{} gives the most for a dollar {}: {}", shownName(bars.rows.front()->accelerator),
                                  onDevices(devices), dollarText(study::kSamplesPerDollar, *bars.values.front()));
    if (std::string tie =
            tieText(outcome, study::kSamplesPerDollar, devices,
                    [](const Prediction& one) { return dollarText(study::kSamplesPerDollar, *one.samplesPerUsd); });
        !tie.empty())
        chart.title = std::move(tie);
    chart.empty =
        "No accelerator that fits has a price: write one into the table of predictions, or give it by --prices.";
    if (!any) return chart;
    addBars(chart, outcome, bars, true, [](double value) { return dollarText(study::kSamplesPerDollar, value); });
    addReasons(chart, bars, "has no price per hour: write one into the table of predictions, or give it by --prices.");
    addConfidence(chart, outcome, study::kSamplesPerDollar, devices);
    return chart;
}

namespace {

/// ">99" of "> 99 %": of a cell whose picture says that it is in per cent.
std::string shortChance(double probability) {
    std::string text = study::chanceText(probability);
    std::erase_if(text, [](char c) { return c == ' ' || c == '%'; });
    return text;
}

}  // namespace

HeatMap duelMap(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    const bool isPrice = metric == study::kSamplesPerDollar;
    HeatMap map;
    map.id = isPrice ? "duels-price" : "duels";
    map.title = fmt::format("Probability (%) of being ahead by {} {}", isPrice ? "samples per dollar" : "throughput",
                            onDevices(devices));
    map.rowTitle = "ahead";
    map.columnTitle = "of";
    map.empty = "Predict for two accelerators or more to see which of each two is ahead.";
    const study::Duels duels = study::duelsOf(outcome, metric, devices);
    if (duels.order.size() < 2) return map;
    struct Band {
        double from;
        std::string_view name;
        double difference;
    };
    constexpr std::array kBands{Band{study::kCalled, "90 % or more: ahead", 1}, Band{0.5, "50 to 90 %", 0.4},
                                Band{1 - study::kCalled, "10 to 50 %", -0.4}, Band{0, "10 % or less: behind", -1}};
    for (const Band& band : kBands)
        map.categories.push_back({std::string(band.name), "", differenceColour(band.difference)});
    const std::size_t count = duels.order.size();
    for (const Prediction* one : duels.order) {
        map.rows.push_back(shownName(one->accelerator));
        map.columns.push_back(shownName(one->accelerator));
    }
    for (std::size_t i = 0; i < count * count; ++i) {
        const std::string &row = map.rows[i / count], &column = map.columns[i % count];
        const double ahead = duels.ahead[i];
        if (i / count == i % count) {
            map.cells.push_back(-1);
            map.texts.emplace_back();
            map.details.emplace_back();
            continue;
        }
        const auto* const band =
            std::find_if(kBands.begin(), kBands.end(), [&](const Band& each) { return ahead >= each.from; });
        map.cells.push_back(static_cast<std::int16_t>(band - kBands.begin()));
        map.texts.push_back(shortChance(ahead));
        map.details.push_back(fmt::format("{} is ahead of {}: {}", row, column, study::chanceText(ahead)));
    }
    return map;
}

Chart batchThroughputChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "batch-throughput", .title = "Throughput by batch " + onDevices(devices)};
    chart.x = {.title = "Samples per step on each device", .logarithmic = true};
    chart.y = {.title = "Throughput (samples/s)", .fromZero = true};
    chart.empty = "The batch was given. Leave it to the study (auto) to see what every batch would train.";
    std::vector<Series> marks;
    std::vector<std::string> limits;
    for (const Prediction* one : inOrder(outcome, devices)) {
        Series curve{.id = one->accelerator,
                     .name = shownName(one->accelerator),
                     .mark = Mark::line,
                     .colour = std::string(acceleratorColour(outcome, one->accelerator))};
        for (const predict::BatchMemory& tried : one->batches) {
            if (!tried.fits || !(tried.throughput > 0)) continue;
            curve.x.push_back(static_cast<double>(tried.batch));
            curve.y.push_back(tried.throughput);
            curve.valueTexts.push_back(fmt::format("{} {} with batch {}", study::uncertainSamplesText(tried.throughput),
                                                   study::errorText(*one), formatCount(tried.batch)));
        }
        if (curve.x.empty()) continue;
        Series band{.id = one->accelerator + "/error", .mark = Mark::band, .colour = curve.colour, .x = curve.x};
        for (const double value : curve.y) {
            band.low.push_back(value * (1 + one->error.low));
            band.y.push_back(value * (1 + one->error.high));
        }
        Series mark{.id = one->accelerator + "/chosen", .mark = Mark::points, .colour = curve.colour};
        for (std::size_t i = 0; i < curve.x.size(); ++i)
            if (curve.x[i] == static_cast<double>(one->batch)) {
                mark.x.push_back(curve.x[i]);
                mark.y.push_back(curve.y[i]);
                mark.valueTexts.push_back(curve.valueTexts[i]);
                mark.labels.push_back(fmt::format("{}, {}", curve.name, formatCount(one->batch)));
            }
        if (!one->batches.empty() && !one->batches.back().fits)
            limits.push_back(fmt::format("{} {}", shownName(one->accelerator), formatCount(one->batches.back().batch)));
        chart.series.push_back(std::move(band));
        curve.shape = mark.shape = static_cast<int>(marks.size());
        chart.series.push_back(std::move(curve));
        if (!mark.x.empty()) marks.push_back(std::move(mark));
    }
    if (chart.series.empty()) return chart;
    for (Series& mark : marks) chart.series.push_back(std::move(mark));
    const std::vector<const Prediction*> order = inOrder(outcome, devices);
    chart.title = fmt::format("{} trains {} {} with batch {}", shownName(order.front()->accelerator),
                              study::uncertainSamplesText(order.front()->throughput), onDevices(devices),
                              formatCount(order.front()->batch));
    chart.notes.emplace_back("Marked: the batch of the prediction. The areas hold 90 % of what its numbers allow.");
    if (!limits.empty()) chart.notes.push_back("Does not fit any more: " + joined(limits, ", ") + ".");
    return chart;
}

Chart trainingCostChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "training-cost", .title = "Cost to train " + onDevices(devices), .horizontal = true};
    chart.y = {.title = "Cost (US dollars)", .fromZero = true};
    chart.empty = "Say in the study how many samples to train, and give the accelerators prices, to see what it costs.";
    const Bars bars = barsBy(outcome, devices, costOf, true);
    if (bars.rows.empty() || !bars.values.front()) return chart;
    const Prediction& best = *bars.rows.front();
    const auto text = [](const Prediction& one) {
        return dollarText("training_cost_usd", *one.trainingCostUsd) +
               (one.trainingTime ? " in " + formatSeconds(one.trainingTime->value) : std::string());
    };
    chart.title = tieText(outcome, study::kSamplesPerDollar, devices, text);
    if (chart.title.empty())
        chart.title = fmt::format("Training costs least on {}: {}", shownName(best.accelerator), text(best));
    addBars(chart, outcome, bars, false, [](double value) { return dollarText("training_cost_usd", value); });
    addReasons(chart, bars, "has no price per hour: write one into the table of predictions, or give it by --prices.");
    return chart;
}

Chart methodChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "methods", .title = "The same by baseline predictors, " + onDevices(devices), .horizontal = true};
    chart.y = {.title = "Throughput (samples/s)", .fromZero = true};
    chart.empty = nothingFits(devices);
    struct Method {
        std::string_view id, name, colour;
    };
    constexpr std::array kMethods{Method{"roofline", "Roofline of the whole step", kCategories[5]},
                                  Method{"utilization", "Utilisation of the reference", kCategories[6]},
                                  Method{"similarity", "Most similar measured model", kCategories[7]}};
    const Bars bars = barsBy(outcome, devices, throughputOf);
    Series own{
        .id = "prediction", .name = "This prediction", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    std::vector<Series> others;
    for (const Method& method : kMethods)
        others.push_back({.id = std::string(method.id),
                          .name = std::string(method.name),
                          .mark = Mark::bars,
                          .colour = std::string(method.colour)});
    for (std::size_t i = 0; i < bars.rows.size(); ++i) {
        chart.x.categories.push_back(shownName(bars.rows[i]->accelerator));
        chart.endTexts.emplace_back(bars.values[i] ? "" : "does not fit");
        const auto add = [&](Series& series, double value) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(value);
            series.valueTexts.push_back(study::uncertainText(value));
        };
        if (bars.values[i]) add(own, *bars.values[i]);
        for (const predict::Baseline& baseline : bars.rows[i]->baselines)
            for (std::size_t m = 0; m < kMethods.size(); ++m)
                if (baseline.id == kMethods.at(m).id && baseline.throughput) add(others[m], *baseline.throughput);
    }
    if (own.x.empty()) return chart;
    chart.series.push_back(std::move(own));
    for (Series& series : others)
        if (!series.x.empty()) chart.series.push_back(std::move(series));
    addReasons(chart, bars, "");
    return chart;
}

Chart stageChart(const PredictionOutcome& outcome, std::int64_t devices) {
    Chart chart{.id = "stages", .title = "What training consists of, " + onDevices(devices), .horizontal = true};
    chart.y = {.title = "Time for 1,000 samples", .measure = Measure::seconds, .fromZero = true};
    chart.empty = nothingFits(devices);
    const Bars bars = barsBy(outcome, devices, throughputOf);
    std::vector<Series> parts;
    for (const StagePart& part : kStageParts)
        parts.push_back({.id = std::string(part.id),
                         .name = std::string(part.name),
                         .mark = Mark::stackedBars,
                         .colour = std::string(part.colour)});
    Series hidden{.id = "hidden",
                  .name = "Hidden behind the rest",
                  .mark = Mark::stackedBars,
                  .colour = std::string(kCategories[5]),
                  .dashed = true};
    for (std::size_t i = 0; i < bars.rows.size(); ++i) {
        const Prediction& one = *bars.rows[i];
        chart.x.categories.push_back(
            bars.values[i] ? fmt::format("{}, batch {}", shownName(one.accelerator), formatCount(one.batch))
                           : shownName(one.accelerator));
        // Steps of different batches compare by what the same number of samples takes.
        const double scale = bars.values[i] ? kComparedSamples / (one.throughput * one.step.value) : 0;
        chart.endTexts.push_back(bars.values[i] ? formatSeconds(scale * one.step.value) : "does not fit");
        if (!bars.values[i]) continue;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            parts[p].x.push_back(static_cast<double>(i));
            parts[p].y.push_back(scale * kStageParts.at(p).seconds(one));
        }
        hidden.x.push_back(static_cast<double>(i));
        hidden.y.push_back(scale * one.overlap.value);
    }
    parts.push_back(std::move(hidden));
    const auto isThere = [](const Series& series) {
        return std::any_of(series.y.begin(), series.y.end(), [](double value) { return value > 0; });
    };
    for (Series& part : parts)
        if (isThere(part)) chart.series.push_back(std::move(part));
    if (!bars.rows.empty() && bars.values.front()) {
        const Prediction& best = *bars.rows.front();
        const double share = best.step.value > 0 ? std::min(ratio(best.compute, best.step), 1.0) : 0;
        chart.title = fmt::format("{} spends {} of its time computing, {}", shownName(best.accelerator), percent(share),
                                  onDevices(devices));
    }
    addReasons(chart, bars, "");
    if (outcome.dataset.empty()) chart.notes.emplace_back("Loading is not counted: the study names no dataset.");
    return chart;
}

// Devices -------------------------------------------------------------------------------------------------------------

namespace {

constexpr double kManyFold = 16;  ///< devices over such a range stand on a logarithmic axis

struct Growth {
    PredictedAccelerator accelerator;
    std::vector<const Prediction*> fitting;  ///< by rising number of devices
};

std::vector<Growth> growthOf(const PredictionOutcome& outcome) {
    std::vector<Growth> all;
    const std::vector<std::int64_t> counts = deviceCountsOf(outcome);
    for (const PredictedAccelerator& each : acceleratorsOf(outcome)) {
        Growth growth{.accelerator = each, .fitting = {}};
        for (const std::int64_t devices : counts)
            if (const Prediction* one = predictionOf(outcome, each.id, devices); one != nullptr && !one->infeasible)
                growth.fitting.push_back(one);
        all.push_back(std::move(growth));
    }
    return all;
}

Axis deviceAxis(const PredictionOutcome& outcome) {
    const std::vector<std::int64_t> counts = deviceCountsOf(outcome);
    const bool wide =
        !counts.empty() && static_cast<double>(counts.back()) >= kManyFold * static_cast<double>(counts.front());
    return {.title = "Devices", .logarithmic = wide, .fromZero = !wide};
}

void addUnfit(Chart& chart, const PredictionOutcome& outcome) {
    for (const Prediction& one : outcome.predictions)
        if (one.infeasible)
            chart.notes.push_back(fmt::format("{} does not fit: {}.", shownName(study::nameOf(one)), *one.infeasible));
}

std::string scalingHint() {
    return "Predict for several device counts, such as 1, 2, 4, 8, to see how throughput grows with them.";
}

/// How near the best comes to what its fewest devices promise: "gaudi2 keeps 93 % on 8 devices".
std::string scalingTitle(const std::vector<Growth>& all) {
    const Growth* best = nullptr;
    double max = -1;
    for (const Growth& growth : all) {
        if (growth.fitting.size() < 2) continue;
        const Prediction &first = *growth.fitting.front(), &last = *growth.fitting.back();
        const double efficiency =
            last.throughput / first.throughput * static_cast<double>(first.devices) / static_cast<double>(last.devices);
        if (efficiency <= max) continue;
        max = efficiency;
        best = &growth;
    }
    if (best == nullptr) return "Throughput by number of devices";
    return fmt::format("{}: {} scaling efficiency {}", shownName(best->accelerator.id), percent(max),
                       onDevices(best->fitting.back()->devices));
}

}  // namespace

Chart deviceScalingChart(const PredictionOutcome& outcome) {
    Chart chart{.id = "scaling", .title = "Throughput by number of devices"};
    chart.x = deviceAxis(outcome);
    chart.y = {.title = "Throughput (samples/s)", .logarithmic = chart.x.logarithmic, .fromZero = !chart.x.logarithmic};
    chart.empty = scalingHint();
    const std::vector<Growth> all = growthOf(outcome);
    if (deviceCountsOf(outcome).size() < 2) return chart;
    std::vector<Series> ideals, curves;
    for (const Growth& growth : all) {
        if (growth.fitting.empty()) continue;
        Series curve{.id = growth.accelerator.id,
                     .name = shownName(growth.accelerator.id),
                     .mark = Mark::line,
                     .colour = std::string(growth.accelerator.colour)};
        Series ideal = curve;
        ideal.id += "/ideal";
        ideal.name.clear();
        ideal.dashed = ideal.dimmed = true;
        const Prediction& first = *growth.fitting.front();
        for (const Prediction* one : growth.fitting) {
            const auto devices = static_cast<double>(one->devices);
            curve.x.push_back(devices);
            curve.y.push_back(one->throughput);
            curve.valueTexts.push_back(study::uncertainSamplesText(one->throughput));
            ideal.x.push_back(devices);
            ideal.y.push_back(first.throughput / static_cast<double>(first.devices) * devices);
            ideal.valueTexts.push_back(study::uncertainSamplesText(ideal.y.back()) + " without communication");
        }
        if (growth.fitting.size() > 1) ideals.push_back(std::move(ideal));
        curves.push_back(std::move(curve));
    }
    if (curves.empty()) return chart;
    chart.title = scalingTitle(all);
    for (Series& each : ideals) chart.series.push_back(std::move(each));
    for (Series& each : curves) chart.series.push_back(std::move(each));
    chart.notes.emplace_back("Dashed: ideal linear scaling.");
    addUnfit(chart, outcome);
    return chart;
}

Chart deviceSpeedupChart(const PredictionOutcome& outcome) {
    Chart chart{.id = "device-speedup", .title = "Speed-up by number of devices"};
    chart.x = deviceAxis(outcome);
    chart.y = {.title = "Speed-up over the smallest device count",
               .logarithmic = chart.x.logarithmic,
               .fromZero = !chart.x.logarithmic};
    chart.empty = scalingHint();
    const std::vector<std::int64_t> counts = deviceCountsOf(outcome);
    if (counts.size() < 2) return chart;
    for (const Growth& growth : growthOf(outcome)) {
        if (growth.fitting.empty() || growth.fitting.front()->devices != counts.front()) continue;
        Series curve{.id = growth.accelerator.id,
                     .name = shownName(growth.accelerator.id),
                     .mark = Mark::line,
                     .colour = std::string(growth.accelerator.colour)};
        for (const Prediction* one : growth.fitting) {
            curve.x.push_back(static_cast<double>(one->devices));
            curve.y.push_back(one->throughput / growth.fitting.front()->throughput);
            curve.valueTexts.push_back(study::timesText(curve.y.back()));
        }
        chart.series.push_back(std::move(curve));
    }
    if (chart.series.empty()) return chart;
    Series ideal{.id = "ideal", .name = "as many devices", .mark = Mark::bound, .cannotBeBelow = false};
    for (const std::int64_t devices : counts) {
        ideal.x.push_back(static_cast<double>(devices));
        ideal.y.push_back(static_cast<double>(devices) / static_cast<double>(counts.front()));
    }
    chart.title = scalingTitle(growthOf(outcome));
    chart.series.push_back(std::move(ideal));
    addUnfit(chart, outcome);
    return chart;
}

// Memory --------------------------------------------------------------------------------------------------------------

std::vector<std::size_t> usedLevels(const Prediction& prediction) {
    std::vector<std::size_t> used, larger;
    for (std::size_t level = prediction.memory.levels.size(); level-- > 0;) {
        const bool now = predict::sumOf(prediction.memory.levels[level].bytes) > 0;
        const bool ever =
            std::any_of(prediction.batches.begin(), prediction.batches.end(), [&](const predict::BatchMemory& tried) {
                return level < tried.levels.size() && predict::sumOf(tried.levels[level]) > 0;
            });
        if (now || ever) (now ? used : larger).push_back(level);
    }
    used.insert(used.end(), larger.begin(), larger.end());
    return used;
}

namespace {

Series memorySeries(std::size_t category) {
    return {.id = std::string(predict::idOf(static_cast<predict::Category>(category))),
            .name = std::string(predict::titleOf(static_cast<predict::Category>(category))),
            .mark = Mark::stackedBars,
            .colour = std::string(kMemoryColours.at(category))};
}

}  // namespace

Chart batchMemoryChart(const Prediction& prediction, std::size_t level) {
    Chart chart{.id = fmt::format("memory-{}", level), .title = "Memory of a device by batch"};
    chart.y = {.title = "Memory of one device", .measure = Measure::bytes, .fromZero = true};
    chart.x = {.title = "Batch"};
    chart.empty = "This result contains no data of other batches. Run the study again to see it.";
    if (level >= prediction.memory.levels.size() || prediction.batches.empty()) return chart;
    const predict::LevelUse& its = prediction.memory.levels[level];
    for (const predict::BatchMemory& tried : prediction.batches) chart.x.categories.push_back(formatCount(tried.batch));
    for (std::size_t c = 0; c < predict::kCategories; ++c) {
        Series series = memorySeries(c);
        bool any = false;
        for (std::size_t i = 0; i < prediction.batches.size(); ++i) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(prediction.batches[i].levels.at(level)[c]);
            any = any || series.y.back() > 0;
        }
        if (any) chart.series.push_back(std::move(series));
    }
    if (chart.series.empty()) {
        chart.empty = fmt::format("Nothing lies in {} with any of these batches.", shownName(its.level));
        return chart;
    }
    const std::string name = fmt::format("{} of {}", shownName(its.level), shownName(prediction.accelerator));
    chart.title = fmt::format("What a step puts into the {}", name);
    if (its.capacity) {
        chart.series.push_back({.id = "capacity",
                                .name = shownName(its.level),
                                .mark = Mark::bound,
                                .y = {its.capacity->value},
                                .cannotBeBelow = false});
        if (!prediction.infeasible)
            chart.title = fmt::format("Batch {} takes {} of the {} of {}", formatCount(prediction.batch),
                                      formatQuantity(predict::sumOf(its.bytes), Measure::bytes),
                                      formatQuantity(its.capacity->value, Measure::bytes), name);
    }
    if (prediction.infeasible) {
        chart.title = fmt::format("{} does not fit", shownName(study::nameOf(prediction)));
        chart.notes.push_back(
            fmt::format("{} does not fit: {}.", shownName(prediction.accelerator), *prediction.infeasible));
    } else if (!prediction.batches.back().fits) {
        chart.notes.push_back(fmt::format("Batch {} is too large; larger candidates were not tried.",
                                          formatCount(prediction.batches.back().batch)));
    }
    return chart;
}

Chart levelChart(const Prediction& prediction) {
    Chart chart{.id = "memory-levels", .title = "How full memory is", .horizontal = true};
    chart.y = {.title = "Share of the capacity (%)", .fromZero = true};
    chart.empty = "The capacities of this accelerator's memory are not known. Give them in its editor.";
    std::vector<const predict::LevelUse*> rows;
    for (const predict::LevelUse& level : prediction.memory.levels)
        if (level.capacity && level.capacity->value > 0) {
            rows.push_back(&level);
            chart.x.categories.push_back(shownName(level.level));
            chart.endTexts.push_back(fmt::format("{} of {}",
                                                 formatQuantity(predict::sumOf(level.bytes), Measure::bytes),
                                                 formatQuantity(level.capacity->value, Measure::bytes)));
        }
    if (rows.empty()) return chart;
    for (std::size_t c = 0; c < predict::kCategories; ++c) {
        Series series = memorySeries(c);
        bool any = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double share = rows[i]->bytes[c] / rows[i]->capacity->value;
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(100 * share);
            series.valueTexts.push_back(formatQuantity(rows[i]->bytes[c], Measure::bytes));
            any = any || share > 0;
        }
        if (any) chart.series.push_back(std::move(series));
    }
    if (chart.series.empty()) {
        chart.empty = "Nothing is known to lie in this accelerator's memory.";
        return chart;
    }
    constexpr double kWhole = 100;
    chart.series.push_back({.id = "capacity",
                            .name = "capacity",
                            .mark = Mark::bound,
                            .y = {kWhole},
                            .valueTexts = {""},
                            .cannotBeBelow = false});
    chart.title = prediction.infeasible
                      ? fmt::format("{} does not fit", shownName(study::nameOf(prediction)))
                      : fmt::format("Memory of {} with batch {}", shownName(study::nameOf(prediction)),
                                    formatCount(prediction.batch));
    if (prediction.infeasible)
        chart.notes.push_back(
            fmt::format("{} does not fit: {}.", shownName(prediction.accelerator), *prediction.infeasible));
    return chart;
}

// Roofline ------------------------------------------------------------------------------------------------------------

namespace {

/// "62 % of the computing time of bow waits for memory".
std::string rooflineTitle(const Prediction& prediction, const std::vector<AlikeOperators>& operators) {
    double whole = 0, memory = 0, measured = 0;
    for (const AlikeOperators& op : operators) {
        whole += timeOf(op);
        if (op.way == predict::Way::measured)
            measured += timeOf(op);
        else if (op.bound != "compute")
            memory += timeOf(op);
    }
    if (!(whole > 0)) return fmt::format("Roofline of {}", shownName(prediction.accelerator));
    if (measured > 0)
        return fmt::format("On {}, {} of the computing time is measured, {} bound by memory",
                           shownName(prediction.accelerator), percent(measured / whole), percent(memory / whole));
    return fmt::format("On {}, {} of the computing time is bound by memory", shownName(prediction.accelerator),
                       percent(memory / whole));
}

std::string operatorText(const AlikeOperators& op, double whole) {
    std::string text = escaped(op.name, 60);
    if (op.count > 1) text += fmt::format(" and {} identical", formatCount(op.count - 1));
    text += fmt::format(" · {}, {} · {}", escaped(op.type, kLongestName), model::nameOf(op.phase),
                        formatSeconds(timeOf(op)));
    if (whole > 0) text += fmt::format(", {}", percent(timeOf(op) / whole));
    return text + " · " + study::boundText(op.way, op.bound);
}

}  // namespace

OperatorRoofline operatorRoofline(const PredictionOutcome& outcome, const Prediction& prediction) {
    OperatorRoofline picture;
    Chart& chart = picture.chart;
    chart = roofline(machineOf(prediction), prediction.dtype);
    chart.id = "operators-roofline";
    chart.y.title = "Rate";
    picture.operators.resize(chart.series.size());
    const std::vector<AlikeOperators>& operators = study::operatorsOf(outcome, prediction);
    chart.empty = prediction.infeasible
                      ? fmt::format("{} does not fit: {}.", shownName(prediction.accelerator), *prediction.infeasible)
                      : std::string("This result contains no per-operator times. Run the study again to see them.");
    if (operators.empty()) {
        chart.series.clear();
        picture.operators.clear();
        chart.title = fmt::format("Roofline of {}", shownName(prediction.accelerator));
        return picture;
    }
    double whole = 0, max = 0, unseen = 0;
    for (const AlikeOperators& op : operators) {
        whole += timeOf(op);
        max = std::max(max, timeOf(op));
    }
    std::vector<std::size_t> order(operators.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return timeOf(operators[a]) > timeOf(operators[b]); });
    for (std::size_t g = 0; g < model::kOperatorClasses; ++g) {
        const auto group = static_cast<model::OperatorClass>(g);
        const std::string name(model::nameOf(group));
        Series series{.id = name,
                      .name = name,
                      .mark = Mark::points,
                      .colour = std::string(operatorColour(name)),
                      .opacity = 0.55};
        std::vector<std::size_t> points;
        for (const std::size_t i : order) {
            const AlikeOperators& op = operators[i];
            if (op.group != group) continue;
            if (!(op.flops.value > 0) || !(op.bytes.value > 0) || !(op.time.value > 0)) {
                unseen += timeOf(op);
                continue;
            }
            series.x.push_back(op.flops.value / op.bytes.value);
            series.y.push_back((op.flops / op.time).value);
            series.radii.push_back(radiusOf(timeOf(op), max));
            series.valueTexts.push_back(operatorText(op, whole));
            points.push_back(i);
        }
        if (points.empty()) continue;
        chart.series.push_back(std::move(series));
        picture.operators.push_back(std::move(points));
    }
    // The roof reaches as far as the operators do.
    double near = std::numeric_limits<double>::infinity(), far = 0;
    for (const Series& series : chart.series)
        if (series.mark == Mark::points)
            for (const double intensity : series.x) {
                near = std::min(near, intensity);
                far = std::max(far, intensity);
            }
    constexpr double kBefore = 2, kBeyond = 30;  // the latter is room for the name at its end
    for (Series& series : chart.series) {
        if (series.mark == Mark::points || series.x.empty()) continue;
        // On the slope of a memory, which is a rate over an intensity.
        const double from = std::min(series.x.front(), near / kBefore);
        series.y.front() *= from / series.x.front();
        series.x.front() = from;
        if (series.mark == Mark::bound) series.x.back() = std::max(series.x.back(), kBeyond * far);
    }
    chart.title = rooflineTitle(prediction, operators);
    chart.notes.push_back(fmt::format("Operators of one step of batch {}; larger points take more of its time.",
                                      formatCount(prediction.batch)));
    if (unseen > 0)
        chart.notes.back() +=
            fmt::format(" What only moves data ({} of the time) has no place here.", percent(unseen / whole));
    return picture;
}

// Sheets --------------------------------------------------------------------------------------------------------------

namespace {

std::vector<std::string> headOf(const Prediction& one) {
    return {one.accelerator, std::to_string(one.devices)};
}

}  // namespace

Table exactBatchTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {
        {"accelerator"}, {"devices", true},       {"batch", true}, {"fits"}, {"throughput_samples_per_s", true},
        {"level"},       {"capacity_bytes", true}};
    for (std::size_t c = 0; c < predict::kCategories; ++c)
        table.columns.push_back({std::string(predict::idOf(static_cast<predict::Category>(c))) + "_bytes", true});
    for (const Prediction& one : outcome.predictions)
        for (const predict::BatchMemory& tried : one.batches)
            for (std::size_t level = 0; level < tried.levels.size(); ++level) {
                const predict::LevelUse& its = one.memory.levels.at(level);
                std::vector<std::string> row = headOf(one);
                row.push_back(std::to_string(tried.batch));
                row.emplace_back(tried.fits ? "yes" : "no");
                row.push_back(tried.throughput > 0 ? exactNumber(tried.throughput) : "");
                row.push_back(its.level);
                row.push_back(its.capacity ? exactNumber(its.capacity->value) : "");
                for (const double bytes : tried.levels[level]) row.push_back(exactNumber(bytes));
                table.rows.push_back(std::move(row));
            }
    return table;
}

Table exactSourceTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"accelerator"}, {"number"}, {"class"}, {"source"}};
    for (const PredictedAccelerator& each : acceleratorsOf(outcome))
        for (const Prediction& one : outcome.predictions) {
            if (one.accelerator != each.id) continue;
            for (const auto& [path, from] : one.sources)
                table.rows.push_back({each.id, path, from.reliability, hardware::sourceText(from)});
            break;
        }
    return table;
}

}  // namespace tessera::report

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/field_metrics.h"
#include "core/study/prediction/fields.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using predict::Prediction;

constexpr std::string_view kPaper = "Xie et al., Centimani, USENIX ATC 2024";

using Terms = std::vector<Explanation::Term>;

void batchTerm(const Prediction& one, Terms& terms) {
    terms.push_back({"batch", formatCount(one.batch), "result, batch"});
    terms.push_back({"devices", formatCount(one.devices), "parameter devices"});
}

void stageTerms(const Prediction& one, Terms& terms) {
    terms.push_back({"loading", formatSeconds(one.load), "result, stages.load_s"});
    terms.push_back({"computation", formatSeconds(one.compute), "result, stages.compute_s"});
    terms.push_back({"communication", formatSeconds(one.communication),
                     one.collective.empty() ? "result, stages.communication_s" : "collective " + one.collective});
}

void throughputTerms(const Prediction& one, Terms& terms) {
    batchTerm(one, terms);
    terms.push_back({"step time", formatSeconds(one.step), "result, step_time_s"});
    terms.push_back({"error", fmt::format("{:.0f} % to +{:.0f} %", 100 * one.error.low, 100 * one.error.high),
                     "class " + one.error.reliability});
}

/// What the accelerator's file says of a number that has its own field.
std::string fromFile(const Prediction& one, const std::string& path) {
    const auto found = one.sources.find(path);
    const std::string file = "accelerator " + inQuotes(one.accelerator);
    if (found == one.sources.end()) return file;
    return fmt::format("{}, {}", file, escaped(hardware::whereFrom(found->second), 1024));
}

void priceTerms(const Prediction& one, Terms& terms) {
    terms.push_back({"throughput", uncertainSamplesText(one.throughput), "result, throughput_samples_per_s"});
    if (one.pricePerHourUsd)
        terms.push_back(
            {"price of all devices per hour", dollarsText(*one.pricePerHourUsd), fromFile(one, "price_per_hour_usd")});
}

void computeTerms(const Prediction& one, Terms& terms) {
    const predict::OperatorShares& shares = one.operators;
    terms.push_back({"operators", formatCount(shares.operators), "the training graph"});
    terms.push_back({"of them by a measured kernel", formatCount(shares.measured), "result, operators.common"});
    terms.push_back({"their time", formatSeconds(shares.measuredTime), "result, operators.common_time_s"});
    for (const auto& [path, from] : one.sources)
        if (path.starts_with("peak_flops.") || path.starts_with("efficiency.") ||
            path.ends_with("bandwidth_bytes_per_s"))
            terms.push_back(
                {path, from.reliability.empty() ? "class not said" : from.reliability, escaped(from.source, 1024)});
}

void communicationTerms(const Prediction& one, Terms& terms) {
    terms.push_back({"devices", formatCount(one.devices), "parameter devices"});
    terms.push_back({"collective", one.collective.empty() ? "none" : one.collective, "result, collective"});
    for (const auto& [path, from] : one.sources)
        if (path.starts_with("all_reduce") || path.starts_with("network"))
            terms.push_back({path, from.reliability, escaped(from.source, 1024)});
}

void loadTerms(const Prediction& one, Terms& terms) {
    batchTerm(one, terms);
    terms.push_back({"bandwidth to the host", "see source", fromFile(one, "host_bandwidth_bytes_per_s")});
}

void memoryTerms(const Prediction& one, Terms& terms) {
    for (std::size_t c = 0; c < predict::kCategories; ++c)
        terms.push_back({std::string(titleOf(static_cast<predict::Category>(c))),
                         formatQuantity(one.memory.bytes[c], Measure::bytes),
                         fmt::format("result, memory.{}", idOf(static_cast<predict::Category>(c)))});
    if (!one.memory.at.empty()) terms.push_back({"operator that runs then", inQuotes(one.memory.at), "result"});
    terms.push_back({"placement", one.policy, fromFile(one, "placement")});
}

constexpr unsigned kAll = kText | kExactTable | kTable, kSeen = kExactTable | kTable;

/// What does not fit has no numbers.
FieldValue where(const Prediction& fits, const auto& value) {
    return fits.infeasible ? FieldValue() : given(value);
}
template <auto member>
FieldValue number(const Prediction& one) {
    return where(one, one.*member);
}

std::string perDollar(double value) {
    return uncertainText(value) + " samples/$";
}

FieldValue measuredShare(const Prediction& one) {
    const predict::OperatorShares& shares = one.operators;
    if (shares.operators == 0) return {};
    return where(one, static_cast<double>(shares.measured) / static_cast<double>(shares.operators));
}

}  // namespace

const std::vector<Field<Prediction>>& predictionFields() {
    static const std::vector<Field<Prediction>> kFields{
        {"prediction", "Prediction", kParts | kWords, [](const Prediction& one) { return given(nameOf(one)); }},
        {"accelerator", "Accelerator", kAll | kWords, [](const Prediction& one) { return given(one.accelerator); }},
        {"devices", "Devices", kAll, [](const Prediction& one) { return given(one.devices); }},
        {"fits", "Fits", kText | kExactTable | kWords,
         [](const Prediction& one) { return FieldValue(one.infeasible ? "no" : "yes"); }},
        {.id = "throughput_samples_per_s",
         .title = "Throughput",
         .uses = kMetric | kAll | kUncertain,
         .get = number<&Prediction::throughput>,
         .better = Better::higher,
         .format = uncertainSamplesText,
         .formula = "throughput = batch × devices / step time (model parallelism: batch / step time)",
         .source = "section 4.3",
         .terms = throughputTerms},
        {"error_low", "Least error", kExactTable, [](const Prediction& one) { return where(one, one.error.low); }},
        {"error_high", "Greatest error", kExactTable, [](const Prediction& one) { return where(one, one.error.high); }},
        {.id = "error",
         .title = "Error",
         .uses = kText | kTable | kWords,
         .get = [](const Prediction& one) { return where(one, errorText(one)); },
         .help = "90 % of the errors that the numbers behind the prediction allow"},
        {.id = "step_time_s",
         .title = "Step time",
         .uses = kMetric | kAll,
         .get = number<&Prediction::step>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "step = max(loading, computation + communication); asynchronous: max of the three",
         .source = "section 4.3.4",
         .terms = stageTerms},
        {.id = "samples_per_usd",
         .title = "Samples per dollar",
         .uses = kMetric | kAll,
         .get = number<&Prediction::samplesPerUsd>,
         .better = Better::higher,
         .format = perDollar,
         .formula = "samples per dollar = throughput × 3600 / hourly price",
         .source = "section 6.2.1",
         .terms = priceTerms},
        {.id = "compute_s",
         .title = "Computation",
         .uses = kMetric | kSeen | kParts,
         .get = number<&Prediction::compute>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "Σ over operators of the measured kernel, else FLOPs / min(peak, intensity × bandwidth) + launch",
         .source = "equations 1 and 2",
         .terms = computeTerms},
        {.id = "communication_s",
         .title = "Communication",
         .uses = kMetric | kSeen | kParts,
         .get = number<&Prediction::communication>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "bytes of the gradients through the collective; of a cut model its activations through the links",
         .source = "equations 3 and 4",
         .terms = communicationTerms},
        {.id = "load_s",
         .title = "Loading",
         .uses = kMetric | kSeen | kParts,
         .get = number<&Prediction::load>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .help = "And preparing samples",
         .formula = "batch × (sample bytes / host bandwidth + preparing one sample)",
         .source = "section 4.3.1",
         .terms = loadTerms},
        {.id = "overlap_s",
         .title = "Hidden by overlap",
         .uses = kMetric | kSeen | kParts,
         .get = number<&Prediction::overlap>,
         .measure = Measure::seconds,
         .help = "What of these runs at the same time",
         .formula = "loading + computation + communication − step time",
         .source = "section 4.3.4",
         .terms = stageTerms,
         .head = "Hidden"},
        {.id = "batch",
         .title = "Batch per device",
         .uses = kMetric | kAll,
         .get = number<&Prediction::batch>,
         .help = "Samples of a step on each device",
         .formula = "of the candidates that fit, the one that trains fastest; by rule 'memory' that of the least "
                    "10·(on-chip left)² + (off-chip left)²",
         .source = "equation 5",
         .terms = memoryTerms},
        {.id = "memory_bytes",
         .title = "Memory per device",
         .uses = kMetric | kSeen,
         .get = [](const Prediction& one) { return where(one, predict::sumOf(one.memory.bytes)); },
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "the most that is live at one moment of the step",
         .source = "section 4.2.2",
         .terms = memoryTerms},
        {.id = "price_per_hour_usd",
         .title = "Price per hour",
         .uses = kMetric | kAll,
         .get = number<&Prediction::pricePerHourUsd>,
         .better = Better::lower,
         .help = "Of all devices",
         .format = dollarsText,
         .formula = "hourly price of a device × devices",
         .source = "section 6.2.1",
         .terms = priceTerms},
        {.id = "energy_per_sample_j",
         .title = "Energy per sample",
         .uses = kMetric | kAll,
         .get = number<&Prediction::joulesPerSample>,
         .measure = Measure::joules,
         .better = Better::lower,
         .formula = "power of a device × devices / throughput",
         .source = "definition",
         .terms = priceTerms},
        {.id = "training_time_s",
         .title = "Time to train",
         .uses = kMetric | kAll | kOptional,
         .get = number<&Prediction::trainingTime>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "samples / throughput",
         .source = "definition",
         .terms = priceTerms},
        {.id = "training_cost_usd",
         .title = "Cost to train",
         .uses = kMetric | kAll | kOptional,
         .get = number<&Prediction::trainingCostUsd>,
         .better = Better::lower,
         .format = uncertainDollarsText,
         .formula = "time to train × hourly price",
         .source = "definition",
         .terms = priceTerms},
        {.id = "common_share",
         .title = "Operators by measured kernels",
         .uses = kMetric | kSeen,
         .get = measuredShare,
         .help = "Operators whose time comes from a measured kernel",
         .format = percentText,
         .formula = "operators with a measured kernel / operators",
         .source = "section 6.3.2",
         .terms = computeTerms},
        {"operators", "Operators", kExactTable | kParts,
         [](const Prediction& one) { return where(one, one.operators.operators); }},
        {"measured_operators", "By measured kernels", kExactTable | kParts,
         [](const Prediction& one) { return where(one, one.operators.measured); }},
        {"error_class", "Class of the error", kExactTable | kWords,
         [](const Prediction& one) { return where(one, one.error.reliability); }},
        {"collective", "Collective", kExactTable | kParts | kWords, number<&Prediction::collective>},
        {"placement", "Placement", kExactTable | kWords, number<&Prediction::policy>},
        {"reason", "Why not", kExactTable | kTable | kWords,
         [](const Prediction& one) { return given(one.infeasible); }},
    };
    return kFields;
}

std::vector<Metric> predictionMetrics(const PredictionOutcome& outcome) {
    std::vector<Metric> metrics;
    const Prediction* best = fastestPrediction(outcome);
    if (best == nullptr) return metrics;
    addMetricsBy(metrics, predictionFields(), *best, "");
    for (const Prediction& one : outcome.predictions)
        if (!one.infeasible) addMetricsBy(metrics, predictionFields(), one, nameOf(one));
    return metrics;
}

std::optional<std::string> predictionMetricText(std::string_view name, double value) {
    return metricTextBy(predictionFields(), name, value);
}

const predict::Ranking* rankingOf(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    for (const predict::Ranking& ranking : outcome.ranking)
        if (ranking.metric == metric && ranking.devices == devices) return &ranking;
    return nullptr;
}

namespace {

/// The predictions of a ranking, best first.
std::vector<const Prediction*> ranked(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    std::vector<const Prediction*> all;
    if (const predict::Ranking* ranking = rankingOf(outcome, metric, devices))
        for (const std::string& accelerator : ranking->order)
            for (const Prediction& one : outcome.predictions)
                if (one.accelerator == accelerator && one.devices == devices) all.push_back(&one);
    return all;
}

double probabilityAhead(const Prediction& one, const Prediction& other, std::string_view metric) {
    const auto value = [&](const Prediction& of) {
        return metric == kSamplesPerDollar ? of.samplesPerUsd.value_or(0) : of.throughput;
    };
    return predict::probabilityOfMore(value(one), one.error, value(other), other.error);
}

}  // namespace

std::vector<const Prediction*> contenders(const PredictionOutcome& outcome, std::string_view metric,
                                          std::int64_t devices) {
    std::vector<const Prediction*> all;
    for (const Prediction* one : ranked(outcome, metric, devices))
        if (all.empty() || probabilityAhead(*all.front(), *one, metric) < kCalled) all.push_back(one);
    return all;
}

std::vector<std::vector<const Prediction*>> tiedGroups(const PredictionOutcome& outcome, std::string_view metric,
                                                       std::int64_t devices) {
    std::vector<std::vector<const Prediction*>> groups;
    for (const Prediction* one : ranked(outcome, metric, devices)) {
        if (groups.empty() || probabilityAhead(*groups.back().front(), *one, metric) >= kCalled) groups.emplace_back();
        groups.back().push_back(one);
    }
    return groups;
}

std::string orderText(const std::vector<std::vector<const Prediction*>>& groups) {
    std::vector<std::string> parts;
    for (const std::vector<const Prediction*>& group : groups) {
        std::vector<std::string> names;
        for (const Prediction* one : group) names.push_back(escaped(one->accelerator));
        parts.push_back(joined(names, " ≈ "));
    }
    return joined(parts, " > ");
}

Duels duelsOf(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    constexpr double kEven = 0.5;
    Duels duels{.order = ranked(outcome, metric, devices), .ahead = {}};
    for (const Prediction* one : duels.order)
        for (const Prediction* other : duels.order)
            duels.ahead.push_back(one == other ? kEven : probabilityAhead(*one, *other, metric));
    return duels;
}

std::string chanceText(double probability) {
    constexpr double kPercent = 100, kLeast = 0.01;
    if (probability < kLeast) return "< 1 %";
    if (probability > 1 - kLeast) return "> 99 %";
    return fmt::format("{:.0f} %", kPercent * probability);
}

std::string errorText(const Prediction& one) {
    constexpr double kPercent = 100;
    const double low = std::round(-kPercent * one.error.low), high = std::round(kPercent * one.error.high);
    return low == high ? fmt::format("± {} %", high) : fmt::format("−{}/+{} %", low, high);
}

std::string anyOf(const std::vector<const Prediction*>& predictions) {
    constexpr std::size_t kMaxNamed = 3;
    std::vector<std::string> names;
    for (const Prediction* one : predictions) names.push_back(escaped(one->accelerator));
    if (names.size() > kMaxNamed) {
        const std::size_t more = names.size() - (kMaxNamed - 1);
        names.resize(kMaxNamed - 1);
        names.push_back(fmt::format("{} others", more));
    }
    if (names.size() < 2) return joined(names, "");
    const std::string last = names.back();
    names.pop_back();
    return joined(names, ", ") + " or " + last;
}

std::string correctText(const predict::Ranking& ranking) {
    return fmt::format("probability that this ranking of {} is correct: {}", ranking.order.size(),
                       percentText(ranking.probability));
}

std::string predictionHeadline(const PredictionOutcome& outcome) {
    const Prediction* best = fastestPrediction(outcome);
    if (best == nullptr) return "fits on no accelerator";
    const std::vector<const Prediction*> first = contenders(outcome, kSampleRate, best->devices);
    std::string text = first.size() > 1 ? anyOf(first) + ": too close to call · " : "";
    text += fmt::format("{} samples/s ({} to {}) on {} · batch {}", uncertainText(best->throughput),
                        uncertainText(best->throughput * (1 + best->error.low)),
                        uncertainText(best->throughput * (1 + best->error.high)), escaped(nameOf(*best)),
                        formatCount(best->batch));
    const predict::Ranking* ranking = rankingOf(outcome, kSampleRate, best->devices);
    if (ranking != nullptr && ranking->order.size() > 1) text += " · " + correctText(*ranking);
    return text;
}

std::optional<Explanation> explainPrediction(const Result& result, const PredictionOutcome& outcome,
                                             const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const bool isBest = slash == std::string::npos;
    const Prediction* best = fastestPrediction(outcome);
    for (const Prediction& one : outcome.predictions)
        if (isBest ? &one == best : nameOf(one) == path.substr(0, slash))
            return explainedBy(predictionFields(), one, result, isBest ? path : path.substr(slash + 1),
                               {.owner = escaped(nameOf(one)), .paper = kPaper});
    return std::nullopt;
}

}  // namespace tessera::study

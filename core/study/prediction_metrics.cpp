#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/prediction_study.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using predict::Prediction;

constexpr std::string_view kPaper = "Xie et al., Centimani, USENIX ATC 2024";

/// How numbers are said whose name is not said by their unit alone.
enum class Said : std::uint8_t { quantity, rate, dollars, cost, perDollar, percent, count };

using Terms = std::vector<Explanation::Term>;

std::string seconds(Seconds time) {
    return formatQuantity(time.value, Measure::seconds);
}

std::string dollars(double amount) {
    constexpr double kCents = 1000;  // from here on nobody counts them
    return "$" + (amount < kCents ? fmt::format("{:.4g}", amount) : formatCount(std::round(amount)));
}

void batchTerm(const Prediction& one, Terms& terms) {
    terms.push_back({"batch", formatCount(static_cast<double>(one.batch)), "result, batch"});
    terms.push_back({"devices", formatCount(static_cast<double>(one.devices)), "parameter devices"});
}

void stageTerms(const Prediction& one, Terms& terms) {
    terms.push_back({"loading", seconds(one.load), "result, stages.load_s"});
    terms.push_back({"computation", seconds(one.compute), "result, stages.compute_s"});
    terms.push_back({"communication", seconds(one.communication),
                     one.collective.empty() ? "result, stages.communication_s" : "collective " + one.collective});
}

void throughputTerms(const Prediction& one, Terms& terms) {
    batchTerm(one, terms);
    terms.push_back({"step time", seconds(one.step), "result, step_time_s"});
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
    terms.push_back({"throughput", uncertainText(one.throughput) + " samples/s", "result, throughput_samples_per_s"});
    if (one.pricePerHourUsd)
        terms.push_back(
            {"price of all devices per hour", dollars(*one.pricePerHourUsd), fromFile(one, "price_per_hour_usd")});
}

void computeTerms(const Prediction& one, Terms& terms) {
    const predict::OperatorShares& shares = one.operators;
    terms.push_back({"operators", formatCount(static_cast<double>(shares.operators)), "the training graph"});
    terms.push_back({"of them by a measured kernel", formatCount(static_cast<double>(shares.measured)),
                     "result, operators.common"});
    terms.push_back({"their time", seconds(shares.measuredTime), "result, operators.common_time_s"});
    for (const auto& [path, from] : one.sources)
        if (path.starts_with("peak_flops.") || path.starts_with("efficiency.") ||
            path.ends_with("bandwidth_bytes_per_s"))
            terms.push_back(
                {path, from.reliability.empty() ? "class not said" : from.reliability, escaped(from.source, 1024)});
}

void communicationTerms(const Prediction& one, Terms& terms) {
    terms.push_back({"devices", formatCount(static_cast<double>(one.devices)), "parameter devices"});
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

/// A number of every prediction: the one place that knows its name, title, unit, direction and how it comes about.
struct PredictionMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    Said said;
    std::optional<double> (*value)(const Prediction& one);
    std::string_view formula;
    std::string_view source;  ///< in the paper; "definition" elsewhere
    void (*terms)(const Prediction& one, Terms& terms);
};

const std::vector<PredictionMetric>& predictionMetricRows() {
    static const std::vector<PredictionMetric> kRows{
        {"throughput_samples_per_s", "Throughput", Measure::count, Better::higher, Said::rate,
         [](const Prediction& one) { return std::optional(one.throughput); },
         "throughput = batch × devices / step time (model parallelism: batch / step time)", "section 4.3",
         throughputTerms},
        {"step_time_s", "Step time", Measure::seconds, Better::lower, Said::quantity,
         [](const Prediction& one) { return std::optional(one.step.value); },
         "step = max(loading, computation + communication); asynchronous: max of the three", "section 4.3.4",
         stageTerms},
        {"samples_per_usd", "Samples per dollar", Measure::count, Better::higher, Said::perDollar,
         [](const Prediction& one) { return one.samplesPerUsd; },
         "samples per dollar = throughput × 3600 / hourly price", "section 6.2.1", priceTerms},
        {"compute_s", "Computation", Measure::seconds, Better::lower, Said::quantity,
         [](const Prediction& one) { return std::optional(one.compute.value); },
         "Σ over operators of the measured kernel, else FLOPs / min(peak, intensity × bandwidth) + launch",
         "equations 1 and 2", computeTerms},
        {"communication_s", "Communication", Measure::seconds, Better::lower, Said::quantity,
         [](const Prediction& one) { return std::optional(one.communication.value); },
         "bytes of the gradients through the collective; of a cut model its activations through the links",
         "equations 3 and 4", communicationTerms},
        {"load_s", "Loading", Measure::seconds, Better::lower, Said::quantity,
         [](const Prediction& one) { return std::optional(one.load.value); },
         "batch × (sample bytes / host bandwidth + preparing one sample)", "section 4.3.1", loadTerms},
        {"overlap_s", "Hidden by overlap", Measure::seconds, Better::neither, Said::quantity,
         [](const Prediction& one) { return std::optional(one.overlap.value); },
         "loading + computation + communication − step time", "section 4.3.4", stageTerms},
        {"batch", "Batch per device", Measure::count, Better::neither, Said::count,
         [](const Prediction& one) { return std::optional(static_cast<double>(one.batch)); },
         "of the candidates that fit, the one that trains fastest; by rule 'memory' that of the least 10·(on-chip "
         "left)² + "
         "(off-chip left)²",
         "equation 5", memoryTerms},
        {"memory_bytes", "Memory per device", Measure::bytes, Better::lower, Said::quantity,
         [](const Prediction& one) { return std::optional(predict::sumOf(one.memory.bytes)); },
         "the most that is live at one moment of the step", "section 4.2.2", memoryTerms},
        {"price_per_hour_usd", "Price per hour", Measure::count, Better::lower, Said::dollars,
         [](const Prediction& one) { return one.pricePerHourUsd; }, "hourly price of a device × devices",
         "section 6.2.1", priceTerms},
        {"energy_per_sample_j", "Energy per sample", Measure::joules, Better::lower, Said::quantity,
         [](const Prediction& one) { return one.joulesPerSample; }, "power of a device × devices / throughput",
         "definition", priceTerms},
        {"training_time_s", "Time to train", Measure::seconds, Better::lower, Said::quantity,
         [](const Prediction& one) -> std::optional<double> {
             return one.trainingTime ? std::optional(one.trainingTime->value) : std::nullopt;
         },
         "samples / throughput", "definition", priceTerms},
        {"training_cost_usd", "Cost to train", Measure::count, Better::lower, Said::cost,
         [](const Prediction& one) { return one.trainingCostUsd; }, "time to train × hourly price", "definition",
         priceTerms},
        {"common_share", "Operators by measured kernels", Measure::count, Better::neither, Said::percent,
         [](const Prediction& one) -> std::optional<double> {
             const predict::OperatorShares& shares = one.operators;
             if (shares.operators == 0) return std::nullopt;
             return static_cast<double>(shares.measured) / static_cast<double>(shares.operators);
         },
         "operators with a measured kernel / operators", "section 6.3.2", computeTerms},
    };
    return kRows;
}

void addMetrics(std::vector<Metric>& metrics, const Prediction& one, const std::string& owner) {
    for (const PredictionMetric& row : predictionMetricRows()) {
        const std::optional<double> value = row.value(one);
        if (!value || !std::isfinite(*value)) continue;
        metrics.push_back({.name = owner.empty() ? std::string(row.name) : fmt::format("{}/{}", owner, row.name),
                           .title = std::string(row.title),
                           .owner = owner,
                           .value = *value,
                           .measure = row.measure,
                           .better = row.better,
                           .uncertain = row.said == Said::rate});
    }
}

}  // namespace

std::vector<Metric> predictionMetrics(const PredictionOutcome& outcome) {
    std::vector<Metric> metrics;
    const Prediction* best = fastestPrediction(outcome);
    if (best == nullptr) return metrics;
    addMetrics(metrics, *best, "");
    for (const Prediction& one : outcome.predictions)
        if (!one.infeasible) addMetrics(metrics, one, nameOf(one));
    return metrics;
}

std::optional<std::string> predictionMetricText(std::string_view name, double value) {
    for (const PredictionMetric& row : predictionMetricRows()) {
        if (row.name != name) continue;
        if (row.said == Said::dollars) return dollars(value);
        if (row.said == Said::cost) return "$" + uncertainText(value);
        if (row.said == Said::perDollar) return uncertainText(value) + " samples/$";
        if (row.said == Said::percent) return percentText(value);
    }
    return std::nullopt;
}

const predict::Ranking* rankingOf(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices) {
    for (const predict::Ranking& ranking : outcome.ranking)
        if (ranking.metric == metric && ranking.devices == devices) return &ranking;
    return nullptr;
}

std::vector<const Prediction*> contenders(const PredictionOutcome& outcome, std::string_view metric,
                                          std::int64_t devices) {
    std::vector<const Prediction*> all;
    const predict::Ranking* ranking = rankingOf(outcome, metric, devices);
    if (ranking == nullptr) return all;
    const auto valueOf = [&](const Prediction& one) {
        return metric == kByPrice ? one.samplesPerUsd.value_or(0) : one.throughput;
    };
    for (const std::string& accelerator : ranking->order)
        for (const Prediction& one : outcome.predictions) {
            if (one.accelerator != accelerator || one.devices != devices) continue;
            if (all.empty() || predict::probabilityOfMore(valueOf(*all.front()), all.front()->error, valueOf(one),
                                                          one.error) < kCalled)
                all.push_back(&one);
        }
    return all;
}

std::string anyOf(const std::vector<const Prediction*>& predictions) {
    constexpr std::size_t kMostNamed = 3;
    std::vector<std::string> names;
    for (const Prediction* one : predictions) names.push_back(escaped(one->accelerator));
    if (names.size() > kMostNamed) {
        const std::size_t more = names.size() - (kMostNamed - 1);
        names.resize(kMostNamed - 1);
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

std::string headline(const PredictionOutcome& outcome) {
    const Prediction* best = fastestPrediction(outcome);
    if (best == nullptr) return "fits on no accelerator";
    const std::vector<const Prediction*> first = contenders(outcome, kByThroughput, best->devices);
    std::string text = first.size() > 1 ? anyOf(first) + ": too close to call · " : "";
    text += fmt::format("{} samples/s ({} to {}) on {} · batch {}", uncertainText(best->throughput),
                        uncertainText(best->throughput * (1 + best->error.low)),
                        uncertainText(best->throughput * (1 + best->error.high)), escaped(nameOf(*best)),
                        formatCount(static_cast<double>(best->batch)));
    const predict::Ranking* ranking = rankingOf(outcome, kByThroughput, best->devices);
    if (ranking != nullptr && ranking->order.size() > 1) text += " · " + correctText(*ranking);
    return text;
}

std::optional<Explanation> explainPrediction(const Result& result, const PredictionOutcome& outcome,
                                             const std::string& path) {
    for (const Metric& metric : predictionMetrics(outcome)) {
        if (metric.name != path) continue;
        const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
        const auto& rows = predictionMetricRows();
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const PredictionMetric& one) { return one.name == name; });
        const Prediction* of = fastestPrediction(outcome);
        for (const Prediction& one : outcome.predictions)
            if (!metric.owner.empty() && nameOf(one) == metric.owner) of = &one;
        if (row == rows.end() || of == nullptr) return std::nullopt;
        Explanation explanation;
        explanation.title = fmt::format("{} of {}", metric.title, escaped(nameOf(*of)));
        explanation.value = textOf(metric);
        explanation.exact = exactNumber(metric.value);
        if (const std::string_view unit = unitName(metric.measure); !unit.empty())
            explanation.exact += fmt::format(" {}", unit);
        explanation.formula = row->formula;
        row->terms(*of, explanation.terms);
        explanation.source =
            row->source == "definition" ? std::string(row->source) : fmt::format("{}, {}", kPaper, row->source);
        explanation.notes = result.assumptions;
        return explanation;
    }
    return std::nullopt;
}

}  // namespace tessera::study

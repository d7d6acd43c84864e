#include "core/study/codesign/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using codesign::ModelResult;

/// How numbers are said whose name is not said by their unit alone.
enum class NumberFormat : std::uint8_t { quantity, times, percent, rate, count };

/// A number of the whole result: the one place that knows its name, title, unit and direction.
struct WholeMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    NumberFormat said;
    std::optional<double> (*value)(const codesign::Result& result);
};

/// A bandwidth is a result where it is searched.
template <typename ValueOf>
std::optional<double> ifSearched(const hardware::Range& range, const ValueOf& valueOf) {
    return range.values.empty() ? std::nullopt : std::optional<double>(valueOf().value);
}

const std::vector<WholeMetric>& wholeMetrics() {
    static const std::vector<WholeMetric> kRows{
        {"objective", "Objective", Measure::count, Better::higher, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> { return result.best->objective; }},
        {"objective_bound", "Bound of the objective", Measure::count, Better::neither, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> { return result.bound; }},
        {"area_mm2", "Area", Measure::area, Better::lower, NumberFormat::quantity,
         [](const codesign::Result& result) -> std::optional<double> { return result.best->area.value; }},
        {"area_share", "Share of the largest area", Measure::count, Better::neither, NumberFormat::percent,
         [](const codesign::Result& result) -> std::optional<double> {
             return ratio(result.best->area, result.areaBound);
         }},
        {"hbm_bytes", "HBM", Measure::bytes, Better::lower, NumberFormat::quantity,
         [](const codesign::Result& result) -> std::optional<double> { return result.best->hbm.value; }},
        {"mean_mfu", "Model FLOPs utilisation, mean", Measure::count, Better::higher, NumberFormat::percent,
         [](const codesign::Result& result) -> std::optional<double> { return result.best->mfu; }},
        {"mean_energy_j", "Energy of a sample, mean", Measure::joules, Better::lower, NumberFormat::quantity,
         [](const codesign::Result& result) -> std::optional<double> { return result.best->energyPerSample; }},
        {"hbm_bandwidth_bytes_per_s", "Bandwidth of the HBM", Measure::bytesPerSecond, Better::neither,
         NumberFormat::quantity,
         [](const codesign::Result& result) {
             return ifSearched(result.space.hbmBandwidth,
                               [&] { return hardware::ratesOf(result.best->architecture, result.space).hbmBandwidth; });
         }},
        {"network_bandwidth_bytes_per_s", "Bandwidth between accelerators", Measure::bytesPerSecond, Better::neither,
         NumberFormat::quantity,
         [](const codesign::Result& result) {
             return ifSearched(result.space.networkBandwidth,
                               [&] { return codesign::networkOf(result.best->architecture, result.options); });
         }},
        {"interface_power_w", "Power of the interfaces at their full rate", Measure::watts, Better::lower,
         NumberFormat::quantity,
         [](const codesign::Result& result) {
             const std::optional<Watts>& power = result.best->interfacePower;
             return power ? std::optional<double>(power->value) : std::nullopt;
         }},
        {"objective_per_mm2", "Objective per mm²", Measure::count, Better::higher, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> {
             return result.best->objective / result.best->area.value;
         }},
        {"explored_points", "Points evaluated", Measure::count, Better::neither, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> { return static_cast<double>(result.explored); }},
        {"skipped_points", "Points that bounds ruled out", Measure::count, Better::neither, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> {
             return static_cast<double>(result.skippedByBound);
         }},
        {"front_points", "Points of the front", Measure::count, Better::neither, NumberFormat::count,
         [](const codesign::Result& result) -> std::optional<double> {
             return static_cast<double>(result.front.size());
         }},
    };
    return kRows;
}

/// The same for every model.
struct ModelMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    NumberFormat said;
    std::optional<double> (*value)(const ModelResult& model);
};

const std::vector<ModelMetric>& modelMetrics() {
    static const std::vector<ModelMetric> kRows{
        {"throughput_samples_per_s", "Throughput", Measure::count, Better::higher, NumberFormat::rate,
         [](const ModelResult& model) { return std::optional(model.throughput); }},
        {"time_per_batch_s", "Time per batch", Measure::seconds, Better::lower, NumberFormat::quantity,
         [](const ModelResult& model) { return std::optional(model.timePerBatch.value); }},
        {"mfu", "Model FLOPs utilisation", Measure::count, Better::higher, NumberFormat::percent,
         [](const ModelResult& model) { return std::optional(model.mfu); }},
        {"energy_j_per_sample", "Energy of a sample", Measure::joules, Better::lower, NumberFormat::quantity,
         [](const ModelResult& model) { return std::optional(model.energyPerSample); }},
        {"pipeline", "Stages", Measure::count, Better::neither, NumberFormat::count,
         [](const ModelResult& model) { return std::optional(static_cast<double>(model.pipeline)); }},
        {"data", "Replicas", Measure::count, Better::neither, NumberFormat::count,
         [](const ModelResult& model) { return std::optional(static_cast<double>(model.data)); }},
        {"tensor", "Tensor-parallel width", Measure::count, Better::neither, NumberFormat::count,
         [](const ModelResult& model) { return std::optional(static_cast<double>(model.tensor)); }},
        {"micro_batch", "Micro-batch", Measure::count, Better::neither, NumberFormat::count,
         [](const ModelResult& model) { return std::optional(static_cast<double>(model.choice.microBatch)); }},
        {"speedup_over_tpuv4_expert", "Over the reference, experts' placement", Measure::count, Better::higher,
         NumberFormat::times, [](const ModelResult& model) { return model.speedupOverExpert; }},
        {"speedup_over_tpuv4_solver", "Over the reference, our placement", Measure::count, Better::higher,
         NumberFormat::times, [](const ModelResult& model) { return model.speedupOverSolver; }},
    };
    return kRows;
}

std::string said(NumberFormat how, Measure measure, double value) {
    switch (how) {
        case NumberFormat::times:
            return timesText(value);
        case NumberFormat::percent:
            return percentText(value);
        case NumberFormat::rate:
            return rateText(value) + " samples/s";
        case NumberFormat::quantity:
            return formatQuantity(value, measure);
        case NumberFormat::count:
            break;
    }
    return formatCount(value);
}

}  // namespace

std::vector<Metric> codesignMetrics(const CodesignOutcome& outcome) {
    std::vector<Metric> metrics;
    const codesign::Result& result = outcome.result;
    if (!result.best) return metrics;
    for (const WholeMetric& row : wholeMetrics())
        if (const std::optional<double> value = row.value(result))
            metrics.push_back({.name = std::string(row.name),
                               .title = std::string(row.title),
                               .owner = "",
                               .value = *value,
                               .measure = row.measure,
                               .better = row.better});
    for (const ModelResult& model : result.perModel) {
        if (!model.feasible) continue;
        for (const ModelMetric& row : modelMetrics()) {
            const std::optional<double> value = row.value(model);
            if (!value || !std::isfinite(*value)) continue;
            metrics.push_back({.name = fmt::format("{}/{}", model.model, row.name),
                               .title = std::string(row.title),
                               .owner = model.model,
                               .value = *value,
                               .measure = row.measure,
                               .better = row.better});
        }
    }
    return metrics;
}

std::optional<std::string> codesignMetricText(std::string_view name, double value) {
    for (const WholeMetric& row : wholeMetrics())
        if (row.name == name && row.said != NumberFormat::quantity) return said(row.said, row.measure, value);
    for (const ModelMetric& row : modelMetrics())
        if (row.name == name && row.said != NumberFormat::quantity) return said(row.said, row.measure, value);
    return std::nullopt;
}

std::string objectiveText(const CodesignOutcome& outcome, double value) {
    const codesign::Result& result = outcome.result;
    if (result.options.objective == codesign::Objective::mean) return rateText(value) + " samples/s";
    const std::string of = result.space.reference ? result.space.reference->name : "";
    return of.empty() ? formatCount(value) : timesText(value) + " " + of;
}

std::string certaintyText(const codesign::Result& result) {
    if (result.optimal) return "proven optimal";
    if (result.options.search != codesign::SearchKind::exhaustive || result.endedBy != EndedBy::done)
        return "best found (not proven)";
    if (!result.best || !(result.bound > 0)) return "no bound";
    return fmt::format("optimum is at most {} higher", percentText(result.bound / result.best->objective - 1));
}

std::string codesignTitle(const CodesignOutcome& outcome) {
    return shortNames(outcome.result.models) + " on " + outcome.result.space.name;
}

std::string codesignHeadline(const CodesignOutcome& outcome) {
    const codesign::Result& result = outcome.result;
    if (!result.best) return "no accelerator";
    return fmt::format("{} · {} · {:.4g} mm² · {}", objectiveText(outcome, result.best->objective),
                       hardware::nameOf(result.best->architecture), result.best->area.value, certaintyText(result));
}

}  // namespace tessera::study

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/grid.h"
#include "core/study/calibrate/study.h"
#include "core/study/field_metrics.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kPeak = "peak_flops", kBandwidth = "bandwidth_bytes_per_s";

/// The rate of the data type that identifies a machine, and of its memory.
std::optional<double> peakOf(const hardware::Accelerator& accelerator) {
    const auto found = accelerator.peakFlops.find("fp32");
    return found == accelerator.peakFlops.end() ? std::nullopt : std::optional(found->second.value);
}

std::optional<double> memoryRate(const hardware::Accelerator& accelerator) {
    if (accelerator.memory.empty() || !accelerator.memory.back().bandwidth) return std::nullopt;
    return accelerator.memory.back().bandwidth->value;
}

std::string correlationText(double value) {
    return fmt::format("{:.3f}", value);
}

void sourceTerms(const CalibrationOutcome& outcome, Terms& terms) {
    terms.push_back(
        {"machine", escaped(outcome.made.accelerator.vendor, 1024), escaped(outcome.made.measuredBy, 1024)});
}

void passTerms(const CalibrationOutcome& outcome, Terms& terms) {
    terms.push_back({"kernels that both passes measured", formatCount(outcome.made.agreement.compared),
                     "result, agreement.kernels"});
    sourceTerms(outcome, terms);
}

/// A number of one data type or level of memory.
struct OwnedRate {
    std::string owner;
    std::string_view name;
    const char* title;
    double value = 0;
    Measure measure = Measure::flopsPerSecond;
};
std::vector<OwnedRate> ownedRates(const CalibrationOutcome& outcome) {
    std::vector<OwnedRate> rates;
    for (const auto& [dtype, rate] : outcome.made.accelerator.peakFlops)
        rates.push_back({.owner = dtype, .name = kPeak, .title = "Peak rate", .value = rate.value});
    for (const hardware::MemoryLevel& level : outcome.made.accelerator.memory)
        if (level.bandwidth)
            rates.push_back({.owner = level.name,
                             .name = kBandwidth,
                             .title = "Bandwidth",
                             .value = level.bandwidth->value,
                             .measure = Measure::bytesPerSecond});
    return rates;
}

Metric metricOf(const OwnedRate& rate) {
    return {.name = fmt::format("{}/{}", rate.owner, rate.name),
            .title = rate.title,
            .owner = rate.owner,
            .value = rate.value,
            .measure = rate.measure,
            .better = Metric::Better::higher};
}

}  // namespace

const std::vector<Field<CalibrationOutcome>>& calibrationFields() {
    using Row = CalibrationOutcome;
    using Better = Metric::Better;
    constexpr std::string_view kMeasured = "measured on this machine";
    static const std::vector<Field<Row>> kFields{
        {.id = kPeak,
         .title = "Peak rate in fp32",
         .uses = kMetric,
         .get = [](const Row& row) { return given(peakOf(row.made.accelerator)); },
         .measure = Measure::flopsPerSecond,
         .better = Better::higher,
         .formula = "the higher of multiply-adds in registers and of the fastest product",
         .source = kMeasured,
         .terms = sourceTerms},
        {.id = "memory_bytes_per_s",
         .title = "Bandwidth of memory",
         .uses = kMetric,
         .get = [](const Row& row) { return given(memoryRate(row.made.accelerator)); },
         .measure = Measure::bytesPerSecond,
         .better = Better::higher,
         .formula = "bytes read and written beyond all caches / time",
         .source = kMeasured,
         .terms = sourceTerms},
        {.id = "all_reduce_bytes_per_s",
         .title = "All-reduce between two processes",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 const auto& network = row.made.accelerator.network;
                 return network ? FieldValue(network->value) : FieldValue();
             },
         .measure = Measure::bytesPerSecond,
         .better = Better::higher,
         .formula = "bytes that are summed / time, of the largest sum that was measured",
         .source = kMeasured,
         .terms = sourceTerms},
        {.id = "launch_overhead_s",
         .title = "Time of the smallest kernel",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 const double time = row.made.accelerator.launchOverhead.value;
                 return time > 0 ? FieldValue(time) : FieldValue();
             },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "median time of relu on 16 elements",
         .source = kMeasured,
         .terms = sourceTerms},
        {.id = "median_difference",
         .title = "Difference of the two passes",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 const calibrate::Agreement& agreement = row.made.agreement;
                 return agreement.compared > 0 ? FieldValue(agreement.difference) : FieldValue();
             },
         .better = Better::lower,
         .format = percentText,
         .formula = "median over kernels of |first - second| / their mean; at most 10 % is quiet",
         .source = "definition",
         .terms = passTerms},
        {.id = "rank_correlation",
         .title = "Rank correlation of the two passes",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 const calibrate::Agreement& agreement = row.made.agreement;
                 return agreement.compared > 0 ? FieldValue(agreement.rank) : FieldValue();
             },
         .better = Better::higher,
         .format = correlationText,
         .formula = "Spearman's rank correlation of the passes' times; at least 0.9 is quiet",
         .source = "definition",
         .terms = passTerms},
        {.id = "kernels",
         .title = "Kernels and shapes",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.made.kernels.measured.size()); },
         .better = Better::higher,
         .formula = "kernels and shapes that were measured",
         .source = "definition"},
        {.id = "not_reached",
         .title = "Kernels that the time did not allow",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.outOfTime); },
         .better = Better::lower,
         .formula = "kernels and shapes that were asked for, less those that were measured or have no benchmark",
         .source = "definition"},
        {.id = "outliers",
         .title = "Repetitions left out as outliers",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.made.kernels.dropped); },
         .better = Better::lower,
         .formula = "repetitions further above the median than 5 scaled median absolute deviations and 10 %",
         .source = "Rousseeuw, Croux, J. Am. Stat. Assoc. 88 (1993)"},
        {.id = "time_s",
         .title = "Time of the calibration",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(row.made.seconds); },
         .measure = Measure::seconds,
         .formula = "from its beginning to its end",
         .source = "definition"},
    };
    return kFields;
}

std::string calibrationHeadline(const CalibrationOutcome& outcome) {
    const calibrate::Calibration& made = outcome.made;
    std::vector<std::string> parts;
    if (const auto peak = peakOf(made.accelerator))
        parts.push_back(formatQuantity(*peak, Measure::flopsPerSecond) + " in fp32");
    if (const auto rate = memoryRate(made.accelerator))
        parts.push_back(fmt::format("{} from {}", formatQuantity(*rate, Measure::bytesPerSecond),
                                    escaped(made.accelerator.memory.back().name)));
    parts.push_back(formatCounted(made.kernels.measured.size(), "kernel and shape", "kernels and shapes"));
    if (made.agreement.compared == 0)
        parts.emplace_back("noise not known");
    else
        parts.push_back(fmt::format("{}: passes differ by {}", made.agreement.noisy ? "noisy" : "quiet",
                                    percentText(made.agreement.difference)));
    return joined(parts, " · ");
}

std::string calibrationTitle(const Result& result) {
    const std::vector<std::string>& models = result.study.models;
    return models.empty() ? "This machine" : "This machine, for " + shortNames(models);
}

std::vector<Metric> calibrationMetrics(const CalibrationOutcome& outcome) {
    std::vector<Metric> metrics = metricsBy(calibrationFields(), outcome);
    for (const OwnedRate& rate : ownedRates(outcome)) metrics.push_back(metricOf(rate));
    return metrics;
}

std::optional<std::string> calibrationMetricText(std::string_view name, double value) {
    return metricTextBy(calibrationFields(), name, value);
}

std::optional<Explanation> explainCalibration(const Result& result, const std::string& path) {
    const auto& outcome = result.outcome.get<CalibrationOutcome>();
    for (const OwnedRate& rate : ownedRates(outcome)) {
        const Metric metric = metricOf(rate);
        if (metric.name != path) continue;
        Explanation explanation{.title = fmt::format("{} of {}", rate.title, escaped(rate.owner)),
                                .value = textOf(metric),
                                .exact = fmt::format("{} {}", exactNumber(rate.value), unitName(rate.measure)),
                                .formula = "operations or bytes / time",
                                .terms = {},
                                .source = "measured on this machine",
                                .notes = result.assumptions};
        sourceTerms(outcome, explanation.terms);
        return explanation;
    }
    return explainedBy(calibrationFields(), outcome, result, path);
}

const std::vector<Field<calibrate::Rate>>& rateFields() {
    using calibrate::Rate;
    static const std::vector<Field<Rate>> kFields{
        {"what", "What", kText | kExactTable | kTable | kWords, [](const Rate& rate) { return FieldValue(rate.name); }},
        {.id = "rate",
         .title = "Rate",
         .uses = kText | kExactTable | kTable,
         .get = [](const Rate& rate) { return FieldValue(rate.value); },
         .text = [](const Rate& rate) { return formatQuantity(rate.value, rate.measure); }},
        {"unit", "Unit", kExactTable | kWords,
         [](const Rate& rate) { return FieldValue(std::string(unitName(rate.measure))); }},
        {.id = "capacity_bytes",
         .title = "Capacity",
         .uses = kText | kExactTable | kTable,
         .get = [](const Rate& rate) { return rate.capacity ? FieldValue(rate.capacity->value) : FieldValue(); },
         .measure = Measure::bytes},
    };
    return kFields;
}

const std::vector<Field<calibrate::Measured>>& kernelFields() {
    using calibrate::Measured;
    constexpr unsigned kEvery = kText | kExactTable | kTable;
    static const std::vector<Field<Measured>> kFields{
        {"kernel", "Kernel", kEvery | kWords, [](const Measured& one) { return FieldValue(one.request.kernel); }},
        {"shape", "Shape", kEvery | kWords,
         [](const Measured& one) { return FieldValue(calibrate::shapeText(one.request.sizes)); }},
        {"dtype", "Type", kEvery | kWords, [](const Measured& one) { return FieldValue(one.request.dtype); }},
        {.id = "time_s",
         .title = "Time",
         .uses = kEvery,
         .get = [](const Measured& one) { return FieldValue(one.seconds()); },
         .measure = Measure::seconds,
         .better = Metric::Better::lower,
         .help = "Median of the repetitions, the mean of both passes"},
        {.id = "spread",
         .title = "Spread",
         .uses = kEvery,
         .get = [](const Measured& one) { return FieldValue(one.spread()); },
         .better = Metric::Better::lower,
         .help = "Half of the range between the quartiles of the repetitions, of the median: the larger, the noisier",
         .format = percentText},
        {.id = "rate_flops",
         .title = "Rate",
         .uses = kEvery,
         .get =
             [](const Measured& one) {
                 const double operations = calibrate::operationsOf(one.request);
                 return operations > 0 && one.seconds() > 0 ? FieldValue(operations / one.seconds()) : FieldValue();
             },
         .measure = Measure::flopsPerSecond,
         .better = Metric::Better::higher},
    };
    return kFields;
}

}  // namespace tessera::study

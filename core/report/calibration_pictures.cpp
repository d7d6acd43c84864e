#include "core/report/calibration_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/grid.h"
#include "core/report/field_table.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using calibrate::Measured;
using study::CalibrationOutcome;

constexpr const char* kNoKernels = "No kernel was reached in the time. Measure for longer.";
constexpr const char* kNoRates = "No rate was measured.";

/// The kernels in the order in which they were measured, each once, with their shapes.
struct OfKernel {
    std::string name;
    std::vector<const Measured*> shapes;
};
std::vector<OfKernel> byKernel(const CalibrationOutcome& outcome) {
    std::vector<OfKernel> kernels;
    for (const Measured& one : outcome.made.kernels.measured) {
        const std::string name = one.request.dtype == "fp32"
                                     ? one.request.kernel
                                     : fmt::format("{}, {}", one.request.kernel, one.request.dtype);
        auto found =
            std::find_if(kernels.begin(), kernels.end(), [&](const OfKernel& other) { return other.name == name; });
        if (found == kernels.end()) found = kernels.insert(kernels.end(), {name, {}});
        found->shapes.push_back(&one);
    }
    return kernels;
}

double productOf(const Measured& one) {
    double product = 1;
    for (const double size : one.request.sizes) product *= std::max(size, 1.0);
    return product;
}

std::string textOf(const Measured& one) {
    return fmt::format("{} {}, {}: {} ± {}", one.request.kernel, calibrate::shapeText(one.request.sizes),
                       one.request.dtype, formatSeconds(one.seconds()), study::percentText(one.spread()));
}

/// A chart of points, a series per kernel. A kernel of which `y` is not known has none.
template <typename Y>
void addKernels(Chart& chart, const CalibrationOutcome& outcome, double (*x)(const Measured&), const Y& y) {
    std::size_t next = 0;
    for (const OfKernel& kernel : byKernel(outcome)) {
        Series series{.id = kernel.name,
                      .name = kernel.name,
                      .mark = Mark::points,
                      .colour = std::string(kCategories.at(next++ % kCategories.size())),
                      .opacity = 0.7};
        for (const Measured* one : kernel.shapes) {
            const double value = y(*one);
            if (!(value > 0) || !(x(*one) > 0)) continue;
            series.x.push_back(x(*one));
            series.y.push_back(value);
            series.low.push_back(value * std::max(1 - one->spread(), 0.01));
            series.high.push_back(value * (1 + one->spread()));
            series.valueTexts.push_back(textOf(*one));
        }
        if (!series.x.empty()) chart.series.push_back(std::move(series));
    }
}

Chart rateChart(const CalibrationOutcome& outcome, const char* id, const char* title, Measure measure) {
    Chart chart{.id = id, .title = title, .horizontal = true, .empty = kNoRates};
    chart.y = {.title = title, .measure = measure, .fromZero = true};
    Series bars{.id = "rates", .name = "", .mark = Mark::bars, .colour = "accent"};
    for (const calibrate::Rate& rate : calibrate::ratesOf(outcome.made.accelerator)) {
        if (rate.measure != measure) continue;
        bars.x.push_back(static_cast<double>(chart.x.categories.size()));
        bars.y.push_back(rate.value);
        bars.valueTexts.push_back(formatQuantity(rate.value, rate.measure));
        constexpr std::string_view kPeak = "peak ";
        chart.x.categories.push_back(rate.name.starts_with(kPeak) ? rate.name.substr(kPeak.size()) : rate.name);
    }
    if (!bars.x.empty()) chart.series.push_back(std::move(bars));
    return chart;
}

std::vector<double> spreadsOf(const OfKernel& kernel) {
    std::vector<double> spreads;
    for (const Measured* one : kernel.shapes) spreads.push_back(one->spread());
    return spreads;
}

}  // namespace

Chart peakChart(const CalibrationOutcome& outcome) {
    return rateChart(outcome, "peaks", "Peak rate", Measure::flopsPerSecond);
}

Chart bandwidthChart(const CalibrationOutcome& outcome) {
    Chart chart = rateChart(outcome, "bandwidths", "Bandwidth", Measure::bytesPerSecond);
    chart.notes.emplace_back("Of an all-reduce: the bytes that are summed, over its time.");
    return chart;
}

Chart kernelTimeChart(const CalibrationOutcome& outcome) {
    Chart chart{.id = "kernels", .title = "Time of kernels", .empty = kNoKernels};
    chart.x = {.title = "Product of the shape's sizes", .logarithmic = true};
    chart.y = {.title = "Time", .measure = Measure::seconds, .logarithmic = true};
    addKernels(chart, outcome, productOf, [](const Measured& one) { return one.seconds(); });
    chart.title = fmt::format(
        "{} measured", formatCounted(outcome.made.kernels.measured.size(), "kernel and shape", "kernels and shapes"));
    chart.notes.emplace_back("Error bars: half the interquartile range of the repetitions.");
    return chart;
}

Chart kernelRateChart(const CalibrationOutcome& outcome) {
    Chart chart{.id = "kernel-rates", .title = "Rate of products and convolutions", .empty = kNoKernels};
    chart.x = {.title = "Operations of one kernel", .measure = Measure::flops, .logarithmic = true};
    chart.y = {.title = "Rate", .measure = Measure::flopsPerSecond, .logarithmic = true};
    const auto operations = [](const Measured& one) { return calibrate::operationsOf(one.request); };
    addKernels(chart, outcome, operations, [&](const Measured& one) { return operations(one) / one.seconds(); });
    const auto peak = outcome.made.accelerator.peakFlops.find("fp32");
    if (chart.series.empty() || peak == outcome.made.accelerator.peakFlops.end()) return chart;
    double min = chart.series[0].x[0], max = min;
    for (const Series& series : chart.series)
        for (const double x : series.x) {
            min = std::min(min, x);
            max = std::max(max, x);
        }
    const double rate = peak->second.value;
    chart.series.push_back({.id = "peak",
                            .name = "peak fp32 " + formatQuantity(rate, Measure::flopsPerSecond),
                            .mark = Mark::line,
                            .colour = "secondary",
                            .x = {min, max},
                            .y = {rate, rate},
                            .dashed = true});
    return chart;
}

Chart spreadChart(const CalibrationOutcome& outcome) {
    Chart chart{.id = "spread", .title = "Spread of kernels", .horizontal = true, .empty = kNoKernels};
    chart.y = {.title = "Spread, per cent", .fromZero = true};
    Series bars{.id = "spread", .name = "", .mark = Mark::bars, .colour = "accent"};
    for (const OfKernel& kernel : byKernel(outcome)) {
        const std::vector<double> spreads = spreadsOf(kernel);
        const double median = medianOf(spreads), max = *std::max_element(spreads.begin(), spreads.end());
        bars.x.push_back(static_cast<double>(chart.x.categories.size()));
        bars.y.push_back(100 * median);
        bars.low.push_back(100 * median);
        bars.high.push_back(100 * max);
        bars.valueTexts.push_back(fmt::format("{}, at most {}", study::percentText(median), study::percentText(max)));
        chart.x.categories.push_back(kernel.name);
    }
    if (!bars.x.empty()) chart.series.push_back(std::move(bars));
    chart.notes.emplace_back("The median over a kernel's shapes; the line reaches to the largest.");
    return chart;
}

Table rateTable(const CalibrationOutcome& outcome, study::FieldUse use) {
    return tableOf(study::rateFields(), calibrate::ratesOf(outcome.made.accelerator), use);
}

Table kernelTable(const CalibrationOutcome& outcome, study::FieldUse use) {
    return tableOf(study::kernelFields(), outcome.made.kernels.measured, use);
}

Table spreadTable(const CalibrationOutcome& outcome) {
    Table table{.columns = {{"kernel"}, {"shapes", true}, {"median spread", true}, {"largest spread", true}},
                .rows = {}};
    for (const OfKernel& kernel : byKernel(outcome)) {
        const std::vector<double> spreads = spreadsOf(kernel);
        table.rows.push_back({kernel.name, formatCount(spreads.size()), study::percentText(medianOf(spreads)),
                              study::percentText(*std::max_element(spreads.begin(), spreads.end()))});
    }
    return table;
}

std::vector<std::string> calibrationSentences(const CalibrationOutcome& outcome) {
    const calibrate::Calibration& made = outcome.made;
    return {fmt::format("{} in {} kernels and shapes, {} repetitions, {} outliers left out, in {}", made.measuredBy,
                        made.kernels.measured.size(), made.kernels.repetitions, made.kernels.dropped,
                        formatSeconds(made.seconds)),
            made.agreement.sentence};
}

}  // namespace tessera::report

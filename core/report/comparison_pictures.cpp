#include "core/report/comparison_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/report/comparison_report.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

/// "Throughput (samples/s)": the axis of a metric whose measure is a mere count.
std::string axisTitle(const study::Metric& metric) {
    const std::string_view name = std::string_view(metric.name).substr(metric.name.rfind('/') + 1);
    if (name.ends_with("samples_per_s")) return metric.title + " (samples/s)";
    if (name.ends_with("tokens_per_s")) return metric.title + " (tokens/s)";
    return metric.title;
}

/// The runs that have a value, the best first.
std::vector<std::size_t> inOrder(const study::Comparison::MetricRow& row) {
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; run < row.values.size(); ++run)
        if (row.values[run]) runs.push_back(run);
    if (row.metric.better == study::Metric::Better::neither) return runs;
    const bool less = row.metric.better == study::Metric::Better::lower;
    std::stable_sort(runs.begin(), runs.end(), [&](std::size_t a, std::size_t b) {
        return less ? *row.values[a] < *row.values[b] : *row.values[a] > *row.values[b];
    });
    return runs;
}

}  // namespace

Chart comparisonChart(const study::Comparison& comparison, const std::string& metric, std::size_t max) {
    Chart chart{.id = "compare-" + metric};
    std::replace(chart.id.begin(), chart.id.end(), '/', '-');
    chart.horizontal = true;
    chart.empty = "The runs have no such number in common.";
    const auto row = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                  [&](const study::Comparison::MetricRow& one) { return one.metric.name == metric; });
    if (row == comparison.metrics.end()) return chart;
    chart.title = row->metric.title + (row->metric.owner.empty() ? "" : ", " + row->metric.owner);
    if (!row->comparable) chart.title += fmt::format(" (not comparable: {})", comparison.unlike);
    std::vector<std::size_t> runs = inOrder(*row);
    if (runs.size() > max) {
        chart.notes.push_back(fmt::format("The first {} of {} runs and the baseline.", max, runs.size()));
        std::vector<std::size_t> few(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(max));
        const bool has = std::find(few.begin(), few.end(), comparison.baseline) != few.end();
        if (!has && row->values[comparison.baseline]) few.push_back(comparison.baseline);
        runs = std::move(few);
    }
    chart.y = {.title = axisTitle(row->metric), .measure = row->metric.measure, .fromZero = true};
    for (const std::size_t run : runs) {
        study::Metric value = row->metric;
        value.value = *row->values[run];
        std::string text = study::textOf(value);
        if (const std::string delta = deltaText(comparison, *row, run); !delta.empty() && row->comparable)
            text += " · " + delta;
        const bool baseline = run == comparison.baseline;
        Series series{.id = std::to_string(run), .mark = Mark::bars};
        series.colour = std::string(baseline ? kCategories[5] : kCategories[0]);
        series.dashed = baseline;
        series.x = {static_cast<double>(chart.x.categories.size())};
        series.y = {*row->values[run]};
        series.valueTexts = {std::move(text)};
        chart.x.categories.push_back(comparison.letters[run] + "  " + comparison.runs[run]);
        chart.series.push_back(std::move(series));
    }
    return chart;
}

}  // namespace tessera::report

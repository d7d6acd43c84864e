#include "core/report/scaling_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/partition_pictures.h"
#include "core/report/strategy_colour.h"

namespace tessera::report {

namespace {

using study::ScalingPlan;
using study::ScalingPoint;

Series& seriesOf(Chart& chart, const std::string& strategy) {
    const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                    [&](const Series& series) { return series.id == strategy; });
    if (found != chart.series.end()) return *found;
    chart.series.push_back({.id = strategy,
                            .name = strategy,
                            .colour = std::string(strategyColour(strategy)),
                            .dashed = isBaseline(strategy)});
    return chart.series.back();
}

/// The strategy that is furthest ahead on the whole array.
const ScalingPlan* leader(const ScalingPoint& whole) {
    const auto best =
        std::max_element(whole.plans.begin(), whole.plans.end(),
                         [](const ScalingPlan& a, const ScalingPlan& b) { return a.speedupOverDp < b.speedupOverDp; });
    return best == whole.plans.end() ? nullptr : &*best;
}

}  // namespace

Chart scalingChart(const study::Scaling& scaling) {
    Chart chart{.id = "scaling", .title = "Speed-up over data parallelism by levels of splits"};
    // Levels are whole: each has its place and its name.
    chart.x = {.title = "Levels of splits"};
    chart.y = {.title = "Speed-up over data parallelism (×)", .fromZero = true};
    chart.empty = "Nothing is split: there is one accelerator.";
    for (const ScalingPoint& point : scaling.points) {
        const auto place = static_cast<double>(chart.x.categories.size());
        chart.x.categories.push_back(std::to_string(point.levels));
        for (const ScalingPlan& plan : point.plans) {
            Series& series = seriesOf(chart, plan.strategy);
            series.x.push_back(place);
            series.y.push_back(plan.speedupOverDp);
            series.valueTexts.push_back(fmt::format("{:.3g}× · {} · {}", plan.speedupOverDp,
                                                    formatQuantity(plan.stepTime.value, Measure::seconds),
                                                    formatCount(static_cast<double>(point.accelerators)) +
                                                        (point.accelerators == 1 ? " accelerator" : " accelerators")));
        }
    }
    if (scaling.points.size() < 2) return chart;
    const ScalingPoint& whole = scaling.points.back();
    if (const ScalingPlan* const best = leader(whole); best != nullptr && best->speedupOverDp > 1.005)
        chart.title =
            fmt::format("{} is {:.3g}× as fast as data parallelism on {} accelerators, {:.3g}× on {}", best->strategy,
                        best->speedupOverDp, formatCount(static_cast<double>(whole.accelerators)),
                        seriesOf(chart, best->strategy).y.front(),
                        formatCount(static_cast<double>(scaling.points.front().accelerators)));
    return chart;
}

Table scalingTable(const study::Scaling& scaling) {
    Table table;
    table.columns = {{"levels", true},
                     {"accelerators", true},
                     {"strategy"},
                     {"step_time_s", true},
                     {"throughput_samples_per_s", true},
                     {"speedup_over_dp", true},
                     {"fits"}};
    for (const ScalingPoint& point : scaling.points)
        for (const ScalingPlan& plan : point.plans)
            table.rows.push_back({std::to_string(point.levels), std::to_string(point.accelerators), plan.strategy,
                                  exactNumber(plan.stepTime.value), exactNumber(plan.throughput),
                                  exactNumber(plan.speedupOverDp), plan.fits ? "yes" : "no"});
    return table;
}

}  // namespace tessera::report

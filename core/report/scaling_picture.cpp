#include "core/report/scaling_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/field_table.h"
#include "core/report/partition_pictures.h"
#include "core/report/strategy_colour.h"
#include "core/study/metric.h"

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

/// What the largest size gains over data parallelism, beside the smallest.
std::string speedupTitle(const study::Scaling& scaling, const ScalingPlan& best) {
    const ScalingPoint &whole = scaling.points.back(), &smallest = scaling.points.front();
    const auto before = std::find_if(smallest.plans.begin(), smallest.plans.end(),
                                     [&](const ScalingPlan& plan) { return plan.strategy == best.strategy; });
    return fmt::format("{} is {:.3g}× as fast as data parallelism on {} accelerators, {:.3g}× on {}", best.strategy,
                       best.speedupOverDp, formatCount(whole.accelerators),
                       before == smallest.plans.end() ? 1 : before->speedupOverDp, formatCount(smallest.accelerators));
}

/// What the largest size trains, and what share that is of the smallest size's times their numbers.
std::string rateTitle(const study::Scaling& scaling, const ScalingPlan& best) {
    const ScalingPoint &whole = scaling.points.back(), &smallest = scaling.points.front();
    const auto alone =
        std::max_element(smallest.plans.begin(), smallest.plans.end(),
                         [](const ScalingPlan& a, const ScalingPlan& b) { return a.throughput < b.throughput; });
    const double times = static_cast<double>(whole.accelerators) / static_cast<double>(smallest.accelerators);
    return fmt::format("{} trains {} samples/s on {} accelerators, {:.0f} % of linear scaling from {}", best.strategy,
                       study::rateText(best.throughput), formatCount(whole.accelerators),
                       100 * best.throughput / (times * alone->throughput), formatCount(smallest.accelerators));
}

}  // namespace

Chart scalingChart(const study::Scaling& scaling) {
    // Against data parallelism, as AccPar's figure 8; on real networks that is what most of the plans are.
    const bool isRate = scaling.costs == partition::Costs::physical;
    Chart chart{.id = "scaling",
                .title = isRate ? "Samples/s by accelerators" : "Speed-up over data parallelism by accelerators"};
    // Sizes are halves of each other: each has its place and its name.
    chart.x = {.title = "Accelerators"};
    chart.y = {.title = isRate ? "Samples/s" : "Speed-up over data parallelism (×)", .fromZero = true};
    chart.empty = "Nothing is split: there is one accelerator.";
    for (const ScalingPoint& point : scaling.points) {
        const auto place = static_cast<double>(chart.x.categories.size());
        chart.x.categories.push_back(formatCount(point.accelerators));
        for (const ScalingPlan& plan : point.plans) {
            Series& series = seriesOf(chart, plan.strategy);
            series.x.push_back(place);
            series.y.push_back(isRate ? plan.throughput : plan.speedupOverDp);
            series.valueTexts.push_back(fmt::format(
                "{} samples/s · {:.3g}× · {} · {}", study::rateText(plan.throughput), plan.speedupOverDp,
                formatSeconds(plan.stepTime),
                formatCount(point.accelerators) + (point.accelerators == 1 ? " accelerator" : " accelerators")));
        }
    }
    if (scaling.points.size() < 2) return chart;
    const ScalingPlan* const best = leader(scaling.points.back());
    if (best == nullptr) return chart;
    if (isRate)
        chart.title = rateTitle(scaling, *best);
    else if (best->speedupOverDp > 1.005)
        chart.title = speedupTitle(scaling, *best);
    return chart;
}

std::vector<ScaledPlan> scaledPlansOf(const study::Scaling& scaling) {
    std::vector<ScaledPlan> all;
    for (const ScalingPoint& point : scaling.points)
        for (const ScalingPlan& plan : point.plans) all.push_back({&point, &plan});
    return all;
}

const std::vector<study::Field<ScaledPlan>>& scaledPlanFields() {
    using study::given;
    constexpr unsigned kBoth = study::kTable | study::kExactTable;
    static const std::vector<study::Field<ScaledPlan>> kFields{
        {"levels", "Levels", kBoth, [](const ScaledPlan& row) { return given(row.point->levels); }},
        {"accelerators", "Accelerators", kBoth, [](const ScaledPlan& row) { return given(row.point->accelerators); }},
        {"strategy", "Strategy", kBoth | study::kWords,
         [](const ScaledPlan& row) { return given(row.plan->strategy); }},
        {.id = "step_time_s",
         .title = "Step time",
         .uses = kBoth,
         .get = [](const ScaledPlan& row) { return given(row.plan->stepTime); },
         .measure = Measure::seconds},
        {.id = "throughput_samples_per_s",
         .title = "Samples/s",
         .uses = kBoth,
         .get = [](const ScaledPlan& row) { return given(row.plan->throughput); },
         .format = study::rateText},
        {.id = "speedup_over_dp",
         .title = "Speed-up",
         .uses = kBoth,
         .get = [](const ScaledPlan& row) { return given(row.plan->speedupOverDp); },
         .format = study::timesText},
        {.id = "fits",
         .title = "Fits",
         .uses = kBoth | study::kWords,
         .get = [](const ScaledPlan& row) { return given(std::string_view(row.plan->fits ? "yes" : "no")); },
         .help = "Whether the plan fits into the memory of every accelerator"},
    };
    return kFields;
}

Table scalingTable(const study::Scaling& scaling) {
    return tableOf(scaledPlanFields(), scaledPlansOf(scaling), study::kExactTable);
}

}  // namespace tessera::report

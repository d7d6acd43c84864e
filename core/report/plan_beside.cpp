#include "core/report/plan_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/plan/axes.h"
#include "core/plan/scaling.h"
#include "core/report/field_table.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"
#include "core/study/plan/fields.h"

namespace tessera::report {

namespace {

using study::MeasuredBeside;
using study::PlanOutcome;
using study::ScaledPlan;

constexpr int kCircle = 0, kMeasuredShape = 2, kTriangle = 3;
constexpr double kDiamondRadius = 4.5;

double stepSecondsOf(const ScaledPlan& its) {
    return its.best->of(plan::Objective::time);
}

/// "292 tokens/s measured on 1,024 h100, batch 512, tp 8 · pp 8 · dp 8 · cp 2, Megatron-Bridge 25.11 (megatron-bridge);
/// 272 predicted for it".
std::string measuredRunText(const MeasuredBeside& its) {
    std::string text = fmt::format("{} tokens/s measured on {} {}", study::uncertainText(its.tokensPerSecond),
                                   formatCount(its.accelerators), its.accelerator);
    if (its.globalBatch > 0) text += fmt::format(", batch {}", formatCount(its.globalBatch));
    std::vector<std::string> degrees;
    for (const plan::AxisRow& axis : plan::layerDegrees())
        if (const double degree = its.of(axis.axis); degree > (axis.isAlwaysSaid ? 0 : 1))
            degrees.push_back(fmt::format("{} {:.0f}", axis.id, degree));
    if (!degrees.empty()) text += ", " + joined(degrees, " · ");
    if (!its.software.empty()) text += ", " + escaped(its.software, study::kMaxQuoted);
    if (!its.source.empty()) text += fmt::format(" ({})", escaped(its.source, study::kMaxQuoted));
    if (its.predicted) text += fmt::format("; {} predicted for it", study::uncertainText(*its.predicted));
    return text;
}

Series measuredDiamonds() {
    return {.id = "measured", .name = "measured", .mark = Mark::points, .colour = "text", .shape = kMeasuredShape};
}

void addDiamond(Series& series, double x, double y, std::string text) {
    series.x.push_back(x);
    series.y.push_back(y);
    series.valueTexts.push_back(std::move(text));
    series.radii.push_back(kDiamondRadius);
}

std::string measuredNote(const PlanOutcome& outcome) {
    std::vector<std::string> sources;
    for (const MeasuredBeside& each : outcome.measured)
        if (!each.source.empty()) study::addOnce(sources, {escaped(each.source, study::kMaxQuoted)});
    return fmt::format("Diamonds are published runs{}, each with its own batch, degrees and software.",
                       sources.empty() ? "" : fmt::format(" ({})", joined(sources, ", ")));
}

/// What is best on each of the sizes: a line with its interval, and points with their steps.
void addPlanned(Chart& chart, const PlanOutcome& outcome) {
    const std::string blue(kCategories[0]);
    Series band{.id = "interval", .name = "90 % interval", .mark = Mark::band, .colour = blue};
    Series line{.id = "line", .mark = Mark::line, .colour = blue, .reference = true};
    Series points{
        .id = "planned", .name = "the best on as many", .mark = Mark::points, .colour = blue, .shape = kCircle};
    Series none{.id = "nothing", .name = "nothing fits", .mark = Mark::points, .colour = "bad", .shape = kTriangle};
    std::vector<double> low, high;
    for (const ScaledPlan& each : outcome.scaling) {
        const auto count = static_cast<double>(each.accelerators);
        const std::string accelerators = formatCounted(count, "accelerator", "accelerators");
        if (!each.best) {
            none.x.push_back(count);
            none.y.push_back(0);
            none.valueTexts.push_back(fmt::format("{}: {}", accelerators, each.misfit));
            none.labels.push_back(formatCount(each.accelerators) + ": nothing fits");
            continue;
        }
        const double rate = each.perAccelerator(), used = each.best->of(plan::Objective::accelerators);
        for (Series* series : {&band, &line, &points}) series->x.push_back(count);
        for (Series* series : {&line, &points}) series->y.push_back(rate);
        low.push_back(rate * stepSecondsOf(each) / each.high);
        high.push_back(rate * stepSecondsOf(each) / each.low);
        const std::string step = formatSeconds(stepSecondsOf(each));
        points.labels.push_back(formatCount(each.accelerators) + ": " + step);
        points.valueTexts.push_back(fmt::format(
            "{} {}/s per accelerator · {} a step on {}{} · {}", study::uncertainText(rate), outcome.unit(), step,
            accelerators, used < count ? fmt::format(", of which {} are in use", formatCount(used)) : std::string(),
            each.configuration));
    }
    // A single point has no area about it.
    const bool isArea = points.x.size() > 1;
    (isArea ? band.low : points.low) = std::move(low);
    (isArea ? band.y : points.high) = std::move(high);
    if (isArea) chart.series.push_back(std::move(band));
    for (Series* series : {&line, &points, &none})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
}

/// "From 128 to 2,048 accelerators a step gets 20.4× as fast".
std::string scalingTitle(const PlanOutcome& outcome) {
    const ScaledPlan *first = nullptr, *last = nullptr;
    for (const ScaledPlan& each : outcome.scaling) {
        if (!each.best) continue;
        if (first == nullptr) first = &each;
        last = &each;
    }
    if (first == nullptr) return "Throughput per accelerator";
    if (outcome.goal() != plan::Objective::time)
        return fmt::format("Minimum {} on {} to {} accelerators: throughput of each",
                           plan::kObjectiveNames.of(outcome.goal()), formatCount(outcome.scaling.front().accelerators),
                           formatCount(outcome.scaling.back().accelerators));
    if (first == last)
        return fmt::format("Of {} to {} accelerators, {} alone hold a plan",
                           formatCount(outcome.scaling.front().accelerators),
                           formatCount(outcome.scaling.back().accelerators), formatCount(first->accelerators));
    return fmt::format("{}× the accelerators, from {} to {}, make a step {} as fast",
                       formatCount(last->times / first->times), formatCount(first->accelerators),
                       formatCount(last->accelerators), study::timesText(stepSecondsOf(*first) / stepSecondsOf(*last)));
}

/// What is the same on all sizes, and why there are no larger ones.
std::string sizesNote(const PlanOutcome& outcome) {
    const ScaledPlan& largest = outcome.scaling.back();
    std::string note =
        fmt::format("Labels: accelerators and the step of a batch of {}.", formatCount(outcome.globalBatch));
    const bool hasNoNetwork =
        std::any_of(outcome.groups.begin(), outcome.groups.end(), [&](const study::PlannedGroup& group) {
            return group.networkRate <= 0 &&
                   static_cast<double>(group.count) * 2 * largest.times > static_cast<double>(group.perNode);
        });
    if (hasNoNetwork)
        note += fmt::format(" No inter-node network is given for more than {} accelerators.",
                            formatCount(largest.accelerators));
    else if (largest.times < plan::kFleetSizes.back())
        note += fmt::format(" More than {} have more configurations than a study looks at.",
                            formatCount(largest.accelerators));
    return note;
}

}  // namespace

Chart planScalingChart(const PlanOutcome& outcome) {
    Chart chart{.id = "scaling", .title = scalingTitle(outcome)};
    chart.x = {.title = "Accelerators", .logarithmic = true};
    chart.y = {.title = fmt::format("{}/s per accelerator", outcome.hasTokens() ? "Tokens" : "Samples"),
               .fromZero = true};
    chart.empty = outcome.best() == nullptr ? kNoPlan
                                            : "The run was kept by a version that did not look at other numbers of "
                                              "accelerators. Repeat it to see them.";
    addPlanned(chart, outcome);
    Series marks = measuredDiamonds();
    for (const MeasuredBeside& each : outcome.measured)
        addDiamond(marks, static_cast<double>(each.accelerators), each.tokensPerSecond, measuredRunText(each));
    if (!marks.x.empty()) {
        chart.series.push_back(std::move(marks));
        chart.notes.push_back(measuredNote(outcome));
    }
    if (!outcome.scaling.empty()) chart.notes.insert(chart.notes.begin(), sizesNote(outcome));
    return chart;
}

Table planScalingTable(const PlanOutcome& outcome) {
    return tableOf(study::planSizeFields(), study::planSizeRows(outcome), study::kText);
}
Table exactPlanScalingTable(const PlanOutcome& outcome) {
    return tableOf(study::planSizeFields(), study::planSizeRows(outcome), study::kExactTable);
}

Table planMeasuredTable(const PlanOutcome& outcome) {
    return tableOf(study::planBesideFields(), study::planBesideRows(outcome), study::kText);
}
Table exactPlanMeasuredTable(const PlanOutcome& outcome) {
    return tableOf(study::planBesideFields(), study::planBesideRows(outcome), study::kExactTable);
}

std::string planMeasuredSentence(const PlanOutcome& outcome) {
    std::vector<std::string> kinds, elsewhere;
    for (const study::PlannedGroup& group : outcome.groups) study::addOnce(kinds, {group.accelerator});
    for (const study::MeasuredElsewhere& each : outcome.measuredElsewhere)
        elsewhere.push_back(fmt::format("{} ({})", each.dtype, formatCounted(each.runs, "run", "runs")));
    const std::string begin = fmt::format("Others measured this model on {}", joined(kinds, " or "));
    if (outcome.measured.empty()) {
        if (elsewhere.empty()) return {};
        return fmt::format("{} in {}, not in {}.", begin, joined(elsewhere, ", "), joined(outcome.dtypes, " or "));
    }
    const auto [min, max] =
        std::minmax_element(outcome.measured.begin(), outcome.measured.end(),
                            [](const auto& a, const auto& b) { return a.tokensPerSecond < b.tokensPerSecond; });
    const std::string low = study::uncertainText(min->tokensPerSecond),
                      high = study::uncertainText(max->tokensPerSecond);
    std::string text =
        fmt::format("{}: {} of {} tokens/s per accelerator", begin,
                    formatCounted(outcome.measured.size(), "run", "runs"), low == high ? low : low + " to " + high);
    if (outcome.best() != nullptr)
        text += fmt::format("; this plan: {}", study::uncertainText(PlanOutcome::perAccelerator(*outcome.best())));
    return text + ".";
}

void markMeasuredSteps(Chart& chart, const PlanOutcome& outcome) {
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr || chart.series.empty()) return;
    const std::optional<std::string> accelerator = outcome.acceleratorOf(best->configuration);
    const std::string& dtype = outcome.dtypes.at(best->configuration.dtype);
    Series marks = measuredDiamonds();
    for (const MeasuredBeside& each : outcome.measured) {
        if (each.accelerator != accelerator || (each.dtype != dtype && outcome.dtypes.size() > 1)) continue;
        const double step = outcome.globalBatch * outcome.sequence /
                            (each.tokensPerSecond * best->scores.of(plan::Objective::accelerators));
        addDiamond(marks, static_cast<double>(chart.x.categories.size()), step,
                   fmt::format("{} if each did as {}", formatSeconds(step), measuredRunText(each)));
    }
    if (marks.x.empty()) return;
    chart.x.categories.emplace_back("Published runs");
    chart.endTexts.emplace_back();
    chart.series.push_back(std::move(marks));
    chart.notes.push_back("Diamonds: the step of the best one if each of its accelerators did as published ones did.");
}

}  // namespace tessera::report

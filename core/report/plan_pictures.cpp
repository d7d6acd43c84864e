#include "core/report/plan_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/plan/axes.h"
#include "core/report/plan_beside.h"
#include "core/report/plan_points.h"
#include "core/study/metric.h"
#include "core/study/plan/fields.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

constexpr std::size_t kMaxBars = 20;
constexpr const char* kNothingFits = kNoPlan;

constexpr std::array<std::size_t, study::kStageMemoryTerms.size()> kMemoryColours{0, 1, 2, 5};

/// "tp 8", "pp 16", …: axis by axis, without the schedule; empty where an axis is left out.
std::vector<std::string> partsOf(const plan::Configuration& configuration) {
    std::vector<std::string> parts;
    for (const plan::AxisRow& axis : plan::axes()) {
        if (axis.axis == plan::Axis::schedule) continue;
        const std::string value = plan::valueText(configuration, axis);
        parts.push_back(value.empty() ? value : fmt::format("{} {}", axis.id, value));
    }
    return parts;
}

}  // namespace

std::string planLabel(const plan::Configuration& configuration) {
    std::vector<std::string> parts = partsOf(configuration);
    std::erase(parts, std::string());
    return joined(parts, " · ");
}

namespace {

/// Labels of configurations without what all of them share, which is said apart.
struct SharedLabels {
    std::vector<std::string> own;
    std::string shared;
};

/// Those of a label, axis by axis, without degrees of 1; and what a data type, or the groups of a fleet, add to it.
std::vector<std::string> allPartsOf(const PlanOutcome& outcome, const plan::Configuration& configuration) {
    std::vector<std::string> parts = partsOf(configuration);
    for (std::string& each : parts)
        if (each == "tp 1" || each == "pp 1" || each == "dp 1") each.clear();
    if (outcome.dtypes.size() > 1) parts.push_back(outcome.dtypes[configuration.dtype]);
    if (outcome.groups.size() < 2) return parts;
    std::vector<std::string> groups;
    for (const plan::Part& part : configuration.parts) groups.push_back(outcome.groups[part.group].name);
    parts.push_back(joined(groups, configuration.isStacked() ? " → " : " + "));
    return parts;
}

SharedLabels labelsOf(const PlanOutcome& outcome, std::span<const plan::Evaluated> configurations) {
    std::vector<std::vector<std::string>> parts;
    for (const plan::Evaluated& each : configurations) parts.push_back(allPartsOf(outcome, each.configuration));
    SharedLabels labels;
    std::vector<std::string> shared;
    for (std::size_t p = 0; parts.size() > 1 && p < parts.front().size(); ++p) {
        const std::string first = parts.front()[p];
        if (std::any_of(parts.begin(), parts.end(), [&](const auto& row) { return row[p] != first; })) continue;
        if (!first.empty()) shared.push_back(first);
        for (auto& row : parts) row[p].clear();
    }
    labels.shared = joined(shared, " · ");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::erase(parts[i], std::string());
        labels.own.push_back(fmt::format("{}: {}", i + 1, joined(parts[i], " · ")));
    }
    return labels;
}

std::span<const plan::Evaluated> firstOf(const PlanOutcome& outcome) {
    return {outcome.configurations.data(), std::min(outcome.configurations.size(), kMaxBars)};
}

double stepOf(const plan::Evaluated& each) {
    return each.scores.of(plan::Objective::time);
}

/// Bars of all that takes time, from a part of it on.
std::vector<Series> timeSeries(std::span<const plan::Evaluated> configurations, std::size_t firstPart) {
    std::vector<Series> all;
    std::vector<double> longest;  // share of a step
    for (std::size_t i = 0; i < configurations.size(); ++i) {
        const std::vector<study::StepTimePart> parts = study::stepTimeParts(configurations[i].time);
        for (std::size_t p = firstPart; p < parts.size(); ++p) {
            if (i == 0) {
                all.push_back({.id = parts[p].id,
                               .name = parts[p].title,
                               .mark = Mark::stackedBars,
                               .colour = std::string(kCategories.at(p))});
                longest.push_back(0);
            }
            const double value = std::max(parts[p].seconds, 0.0);
            all[p - firstPart].x.push_back(static_cast<double>(i));
            all[p - firstPart].y.push_back(value);
            longest[p - firstPart] = std::max(longest[p - firstPart], value / stepOf(configurations[i]));
        }
    }
    constexpr double kMinShare = 5e-4;
    std::size_t next = 0;
    std::erase_if(all, [&](const Series&) { return longest[next++] <= kMinShare; });
    return all;
}

void nameBars(Chart& chart, const PlanOutcome& outcome, std::span<const plan::Evaluated> shown) {
    SharedLabels labels = labelsOf(outcome, shown);
    chart.x.categories = std::move(labels.own);
    if (!labels.shared.empty()) chart.notes.push_back("All: " + labels.shared + ".");
    if (shown.size() < outcome.configurations.size())
        chart.notes.push_back(
            fmt::format("The first {} of {} configurations.", shown.size(), outcome.configurations.size()));
}

/// "134 s", "135 s, +0.6 %"; where something else than time is least, that, too: "139 s, $57.2, +0.1 %".
std::string endTextOf(const PlanOutcome& outcome, const plan::Evaluated& its) {
    const plan::Objective goal = outcome.goal();
    std::string text = formatSeconds(stepOf(its));
    const double value = its.scores.of(goal), best = outcome.best()->scores.of(goal);
    if (goal == plan::Objective::accelerators)
        text += ", " + formatCounted(value, "accelerator", "accelerators");
    else if (goal != plan::Objective::time)
        text += ", " + objectiveText(goal, value);
    constexpr double kSeen = 0.05;
    const double percent = best > 0 ? 100 * (value / best - 1) : 0;
    if (std::abs(percent) < kSeen) return text;
    return text + fmt::format(", {}{:.1f} %", percent < 0 ? "−" : "+", std::abs(percent));
}

}  // namespace

Chart planTimeChart(const PlanOutcome& outcome) {
    Chart chart{.id = "step-time", .title = "Step-time breakdown of the best configurations", .horizontal = true};
    chart.y = {.title = "Step time", .measure = Measure::seconds, .fromZero = true};
    chart.empty = kNothingFits;
    const std::span<const plan::Evaluated> shown = firstOf(outcome);
    chart.series = timeSeries(shown, 0);
    nameBars(chart, outcome, shown);
    for (const plan::Evaluated& each : shown) chart.endTexts.push_back(endTextOf(outcome, each));
    markMeasuredSteps(chart, outcome);
    return chart;
}

Chart planOverheadChart(const PlanOutcome& outcome) {
    Chart chart{.id = "overhead", .title = "Non-compute time of a step", .horizontal = true};
    chart.y = {.title = "Non-compute time", .measure = Measure::seconds, .fromZero = true};
    chart.empty = kNothingFits;
    const std::span<const plan::Evaluated> shown = firstOf(outcome);
    chart.series = timeSeries(shown, 1);
    nameBars(chart, outcome, shown);
    for (const plan::Evaluated& each : shown)
        chart.endTexts.push_back(
            fmt::format("{} of {}", formatSeconds(stepOf(each) - each.time.compute), formatSeconds(stepOf(each))));
    return chart;
}

std::vector<Series> planMemorySeries(std::span<const plan::EvaluatedStage> stages) {
    std::vector<Series> all;
    for (std::size_t t = 0; t < study::kStageMemoryTerms.size(); ++t) {
        const study::StageMemoryTerm& term = study::kStageMemoryTerms[t];
        Series series{.id = std::string(term.key.substr(0, term.key.rfind('_'))),
                      .name = std::string(term.title),
                      .mark = Mark::stackedBars,
                      .colour = std::string(kCategories.at(kMemoryColours[t]))};
        for (std::size_t s = 0; s < stages.size(); ++s) {
            series.x.push_back(static_cast<double>(s));
            series.y.push_back(term.of(stages[s]));
        }
        all.push_back(std::move(series));
    }
    Series capacity{.id = "capacity", .name = "Capacity", .mark = Mark::bound, .cannotBeBelow = false};
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (stages[s].capacity <= 0) continue;
        capacity.x.push_back(static_cast<double>(s));
        capacity.y.push_back(stages[s].capacity);
    }
    if (!capacity.x.empty()) all.push_back(std::move(capacity));
    return all;
}

Chart planMemoryChart(const PlanOutcome& outcome, const std::string& rank) {
    Chart chart{.id = "memory", .title = "Memory of an accelerator by stage"};
    chart.x = {.title = "Stage"};
    chart.y = {.title = "Memory", .measure = Measure::bytes, .fromZero = true};
    chart.empty = kNothingFits;
    const plan::Evaluated* its = outcome.ranked(rank);
    if (its == nullptr) return chart;
    for (std::size_t s = 0; s < its->stages.size(); ++s) chart.x.categories.push_back(fmt::format("{}", s + 1));
    chart.series = planMemorySeries(its->stages);
    chart.title = fmt::format("Memory of an accelerator by stage: {}", planLabel(its->configuration));
    return chart;
}

Chart planSensitivityChart(const PlanOutcome& outcome) {
    Chart chart{.id = "sensitivity", .title = "Speed-up from 10 % more of each resource", .horizontal = true};
    chart.y = {.title = "Shorter step (%)", .fromZero = true};
    chart.empty = kNothingFits;
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return chart;
    constexpr std::array<std::string_view, 5> kTitles{"Peak FLOP/s", "Memory bandwidth", "Memory capacity",
                                                      "Links inside a node", "Network between nodes"};
    constexpr std::array<std::string_view, 5> kTexts{"peak FLOP/s", "memory bandwidth", "memory",
                                                     "bandwidth inside a node", "bandwidth between nodes"};
    Series gain{.id = "gain", .name = "Shorter step", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    const double step = stepOf(*best);
    double max = 0;
    for (const plan::Sensitivity& each : outcome.sensitivities) {
        gain.x.push_back(static_cast<double>(chart.x.categories.size()));
        const double percent = each.seconds > 0 ? 100 * std::max(1 - each.seconds / step, 0.0) : 0;
        gain.y.push_back(percent);
        constexpr double kMin = 0.05;
        gain.valueTexts.push_back(percent <= 0     ? "nothing"
                                  : percent < kMin ? "under 0.1 %"
                                                   : fmt::format("{:.1f} %", percent));
        if (percent > max) {
            max = percent;
            chart.title = fmt::format("10 % more {} would make the step {:.1f} % shorter",
                                      kTexts.at(static_cast<std::size_t>(each.resource)), percent);
        }
        chart.x.categories.emplace_back(kTitles.at(static_cast<std::size_t>(each.resource)));
    }
    chart.series.push_back(std::move(gain));
    chart.notes = {"Of the listed configurations, judged again; a new search may find more."};
    return chart;
}

Chart planCountChart(const PlanOutcome& outcome) {
    Chart chart{.id = "configurations",
                .title = fmt::format("{} configurations by outcome", formatCount(outcome.counted.all)),
                .horizontal = true};
    chart.y = {.title = "Configurations", .fromZero = true};
    Series counts{.id = "count", .name = "Configurations", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    const auto add = [&](const char* name, std::int64_t count) {
        if (count == 0) return;
        counts.x.push_back(static_cast<double>(chart.x.categories.size()));
        counts.y.push_back(static_cast<double>(count));
        counts.valueTexts.push_back(formatCount(count));
        chart.x.categories.emplace_back(name);
    };
    add("Fit and were compared", outcome.counted.fitting);
    add("Cannot be faster than those, by a bound", outcome.counted.bounded);
    add("Too slow for the deadline", outcome.counted.late);
    add("Weights, gradients, optimizer do not fit", outcome.counted.parameters);
    add("Activations do not fit", outcome.counted.activations);
    add("Layer or head at work does not fit", outcome.counted.working);
    chart.series.push_back(std::move(counts));
    return chart;
}

}  // namespace tessera::report

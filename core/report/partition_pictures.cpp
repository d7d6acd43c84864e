#include "core/report/partition_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/report/strategy_colour.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"

namespace tessera::report {

namespace {

using partition::LevelPlan;
using partition::Plan;

const Plan& planOf(const study::PartitionOutcome& outcome, const std::string& strategy) {
    for (const Plan& plan : outcome.result.plans)
        if (plan.strategy == strategy) return plan;
    throw UsageError(fmt::format("The result has no plan of strategy {}.", inQuotes(strategy)));
}

const std::string& nameOf(const study::PartitionOutcome& outcome, std::int32_t layer) {
    static const std::string kUnknown = "?";
    const auto index = static_cast<std::size_t>(layer);
    return layer >= 0 && index < outcome.result.names.size() ? outcome.result.names[index] : kUnknown;
}

std::string splitName(const LevelPlan& level) {
    return fmt::format("{} · {}", level.level, level.group) +
           (level.occurrences > 1 ? fmt::format(" ×{}", level.occurrences) : "");
}

Axis categories(std::string title, std::vector<std::string> names) {
    return {.title = std::move(title), .categories = std::move(names)};
}

std::vector<double> indices(std::size_t count) {
    std::vector<double> list(count);
    for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<double>(i);
    return list;
}

constexpr std::string_view kOneAccelerator = "Nothing is split: there is one accelerator.";

HeatMap::Category typeCategory(std::size_t index, std::string name, std::string mark) {
    return {.name = std::move(name), .mark = std::move(mark), .colour = std::string(kPartitionTypes.at(index))};
}

std::string cellDetail(const study::PartitionOutcome& outcome, const LevelPlan& level,
                       const partition::LayerPlan& layer) {
    return fmt::format("{}: {} at level {} · compute {} · within the layer {} · between layers {}",
                       nameOf(outcome, layer.layer), partition::nameOf(layer.type), splitName(level),
                       formatSeconds(layer.compute), formatSeconds(layer.intra), formatSeconds(layer.inter));
}

/// One series per strategy, so that each has its colour; the category is the strategy.
Series strategyBar(const Plan& plan, std::size_t index, double value, std::string text) {
    Series series;
    series.id = plan.strategy;
    series.mark = Mark::bars;
    series.colour = std::string(strategyColour(plan.strategy));
    series.dashed = isBaseline(plan.strategy);
    series.x = {static_cast<double>(index)};
    series.y = {value};
    series.valueTexts = {std::move(text)};
    return series;
}

std::vector<std::string> strategyNames(const study::PartitionOutcome& outcome) {
    std::vector<std::string> names;
    for (const Plan& plan : outcome.result.plans) names.push_back(plan.strategy);
    return names;
}

/// The fastest plan's strategy and how much faster it is.
const Plan* fastest(const study::PartitionOutcome& outcome) {
    const auto& plans = outcome.result.plans;
    const auto best = std::min_element(plans.begin(), plans.end(),
                                       [](const Plan& a, const Plan& b) { return a.stepTime < b.stepTime; });
    return best == plans.end() ? nullptr : &*best;
}

/// What one side of a split moves. The rows are of the slower side, of the first one where both are equally slow.
double transfersOf(const LevelPlan& level, bool first) {
    Seconds moved{0};
    if (first == (level.sideI >= level.sideJ) || level.other.empty()) {
        for (const partition::LayerPlan& layer : level.layers) moved += layer.intra + layer.inter;
        for (const partition::JoinPlan& join : level.joins) moved += join.inter;
    } else {
        for (const partition::Transfers& other : level.other) moved += other.intra + other.inter;
    }
    return moved.value;
}

}  // namespace

std::optional<std::size_t> slowestShare(const Plan& plan) {
    const auto slowest =
        std::max_element(plan.shares.begin(), plan.shares.end(),
                         [](const partition::AcceleratorShare& a, const partition::AcceleratorShare& b) {
                             return a.compute + a.communication < b.compute + b.communication;
                         });
    if (slowest == plan.shares.end()) return std::nullopt;
    return static_cast<std::size_t>(slowest - plan.shares.begin());
}

HeatMap typeMap(const study::PartitionOutcome& outcome, const std::string& strategy) {
    const Plan& plan = planOf(outcome, strategy);
    HeatMap map;
    map.id = "types";
    map.title = fmt::format("Type of every layer at every level, {}", strategy);
    map.rowTitle = "Level";
    map.columnTitle = "Layers";
    map.rowNoteTitle = "ratio";
    map.categories = {typeCategory(0, "I: batch", "I"), typeCategory(1, "II: input channels", "II"),
                      typeCategory(2, "III: output channels", "III")};
    map.empty = kOneAccelerator;
    std::vector<std::int32_t> column;  // by the layer graph's index
    for (const LevelPlan& level : plan.levels)
        for (const partition::LayerPlan& layer : level.layers) {
            if (layer.layer < 0) continue;
            const auto index = static_cast<std::size_t>(layer.layer);
            if (index >= column.size()) column.resize(index + 1, -1);
            if (column[index] >= 0) continue;
            column[index] = static_cast<std::int32_t>(map.columns.size());
            map.columns.push_back(nameOf(outcome, layer.layer));
        }
    if (map.columns.empty()) return map;
    map.cells.assign(plan.levels.size() * map.columns.size(), -1);
    map.details.resize(map.cells.size());
    for (std::size_t row = 0; row < plan.levels.size(); ++row) {
        const LevelPlan& level = plan.levels[row];
        map.rows.push_back(splitName(level));
        map.rowNotes.push_back(study::ratioText(level.ratio));
        map.rowGroups.push_back(level.group);
        for (const partition::LayerPlan& layer : level.layers) {
            if (layer.layer < 0) continue;
            const std::size_t cell =
                row * map.columns.size() + static_cast<std::size_t>(column[static_cast<std::size_t>(layer.layer)]);
            map.cells[cell] = static_cast<std::int16_t>(layer.type);
            map.details[cell] = cellDetail(outcome, level, layer);
        }
    }
    return map;
}

Chart ratioChart(const study::PartitionOutcome& outcome, const std::string& strategy) {
    const Plan& plan = planOf(outcome, strategy);
    Chart chart{.id = "ratios", .title = fmt::format("Share of the first side at every level, {}", strategy)};
    std::vector<std::string> names;
    Series series{.id = "ratio", .name = "Share of the first side", .mark = Mark::bars};
    series.colour = std::string(strategyColour(strategy));
    for (const LevelPlan& level : plan.levels) {
        names.push_back(splitName(level));
        series.y.push_back(level.ratio);
        series.valueTexts.push_back(study::ratioText(level.ratio));
    }
    series.x = indices(names.size());
    chart.x = categories("Level", std::move(names));
    chart.y = {.title = "Share of the first side", .fromZero = true};
    chart.series = {std::move(series)};
    chart.horizontal = true;
    chart.empty = kOneAccelerator;
    return chart;
}

Chart layerChart(const study::PartitionOutcome& outcome, const std::string& strategy, std::size_t split) {
    const Plan& plan = planOf(outcome, strategy);
    Chart chart{.id = "layers", .title = fmt::format("Time of every layer, {}", strategy)};
    chart.empty = kOneAccelerator;
    chart.x = categories("Layer", {});
    chart.y = {.title = "Critical-path time", .measure = Measure::seconds, .fromZero = true};
    if (split >= plan.levels.size()) return chart;
    const LevelPlan& level = plan.levels[split];
    chart.title = fmt::format("Time of every layer at level {}, {}", splitName(level), strategy);
    struct Part {
        std::string_view id, name, colour;
        Seconds partition::LayerPlan::*time;
    };
    const std::array parts{
        Part{"compute", "Compute", operatorColour("matrix"), &partition::LayerPlan::compute},
        Part{"intra", "Transfers within the layer", operatorColour("communication"), &partition::LayerPlan::intra},
        Part{"inter", "Transfers between layers", kCategories[7], &partition::LayerPlan::inter}};
    for (const Part& part : parts) {
        Series series{.id = std::string(part.id), .name = std::string(part.name), .mark = Mark::stackedBars};
        series.colour = std::string(part.colour);
        series.x = indices(level.layers.size());
        for (const partition::LayerPlan& layer : level.layers) series.y.push_back((layer.*part.time).value);
        chart.series.push_back(std::move(series));
    }
    for (const partition::LayerPlan& layer : level.layers) chart.x.categories.push_back(nameOf(outcome, layer.layer));
    return chart;
}

Chart speedupChart(const study::PartitionOutcome& outcome) {
    Chart chart{.id = "speedup", .title = "Speed-up over data parallelism"};
    const Plan* best = fastest(outcome);
    if (best != nullptr && best->speedupOverDp > 1.005)
        chart.title = fmt::format("{} is {:.3g}× as fast as data parallelism", best->strategy, best->speedupOverDp);
    chart.x = categories("", strategyNames(outcome));
    chart.y = {.title = "Speed-up over data parallelism (×)", .fromZero = true};
    chart.horizontal = true;
    chart.empty = "Run the study to compare strategies here.";
    for (std::size_t i = 0; i < outcome.result.plans.size(); ++i) {
        const Plan& plan = outcome.result.plans[i];
        chart.series.push_back(
            strategyBar(plan, i, plan.speedupOverDp,
                        fmt::format("{:.3g}× · {}", plan.speedupOverDp, formatSeconds(plan.stepTime))));
    }
    return chart;
}

Chart stepTimeChart(const study::PartitionOutcome& outcome) {
    Chart chart{.id = "step-time", .title = "Step time by strategy"};
    chart.x = categories("", strategyNames(outcome));
    chart.y = {.title = "Step time", .measure = Measure::seconds, .fromZero = true};
    chart.horizontal = true;
    chart.empty = "Run the study to compare strategies here.";
    Series bound{.id = "bound", .name = "proven bound", .mark = Mark::bound};
    for (std::size_t i = 0; i < outcome.result.plans.size(); ++i) {
        const Plan& plan = outcome.result.plans[i];
        chart.series.push_back(strategyBar(plan, i, plan.stepTime.value, formatSeconds(plan.stepTime)));
        if (plan.boundsCost || !(plan.lowerBound.value > 0)) continue;
        bound.x.push_back(static_cast<double>(i));
        bound.y.push_back(plan.lowerBound.value);
    }
    if (!bound.x.empty()) chart.series.push_back(std::move(bound));
    return chart;
}

Chart levelTimeChart(const study::PartitionOutcome& outcome, const std::string& strategy) {
    const Plan& plan = planOf(outcome, strategy);
    Chart chart{.id = "levels", .title = fmt::format("Where the step goes, level by level, {}", strategy)};
    chart.x = categories("Level", {});
    chart.y = {.title = "Time of the slowest accelerator", .measure = Measure::seconds, .fromZero = true};
    chart.horizontal = true;
    chart.empty = "Run the study to see here where the step goes.";
    const std::optional<std::size_t> index = slowestShare(plan);
    if (!index) return chart;
    const partition::AcceleratorShare* const slowest = &plan.shares[*index];
    const auto add = [&](Series& series, std::string name, double time) {
        series.x.push_back(static_cast<double>(chart.x.categories.size()));
        series.y.push_back(time);
        series.valueTexts.push_back(
            plan.stepTime.value > 0
                ? fmt::format("{} · {}", formatSeconds(time), study::percentText(time / plan.stepTime.value))
                : formatSeconds(time));
        chart.x.categories.push_back(std::move(name));
    };
    Series transfers{.id = "communication", .name = "Communication", .mark = Mark::bars};
    transfers.colour = std::string(operatorColour("communication"));
    Series compute{.id = "compute", .name = "Compute", .mark = Mark::bars};
    compute.colour = std::string(operatorColour("matrix"));
    for (const partition::PathStep& step : slowest->path) {
        const LevelPlan& level = plan.levels.at(static_cast<std::size_t>(step.split));
        add(transfers, fmt::format("{} · {}", level.level, level.group), transfersOf(level, step.first));
    }
    if (slowest->path.empty() && slowest->communication.value > 0)
        add(transfers, "all levels", slowest->communication.value);
    add(compute, fmt::format("one {}", slowest->kind), slowest->compute.value);
    chart.series = {std::move(transfers), std::move(compute)};
    std::erase_if(chart.series, [](const Series& series) { return series.y.empty(); });
    if (plan.stepTime.value > 0) {
        const double moved = ratio(slowest->communication, plan.stepTime);
        chart.title = fmt::format("{} of the step is communication, {}",
                                  moved > 0.995 ? "Nearly all" : study::percentText(moved), strategy);
    }
    return chart;
}

Chart memoryChart(const study::PartitionOutcome& outcome, const std::string& strategy) {
    const Plan& plan = planOf(outcome, strategy);
    Chart chart{.id = "memory", .title = fmt::format("Memory of one accelerator of each kind, {}", strategy)};
    chart.y = {.title = "Memory", .measure = Measure::bytes, .fromZero = true};
    chart.horizontal = true;
    chart.empty = "Run the study to see here what the plan needs.";
    std::vector<std::string> names;
    Series fits{.id = "memory", .name = "fits", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    Series over{.id = "too-much", .name = "does not fit", .mark = Mark::bars, .colour = "bad"};
    Series capacity{.id = "capacity", .name = "capacity", .mark = Mark::bound};
    capacity.cannotBeBelow = false;
    for (std::size_t i = 0; i < plan.shares.size(); ++i) {
        const partition::AcceleratorShare& share = plan.shares[i];
        names.push_back(fmt::format("{} × {}", share.count, share.kind));
        Series& bar = share.fits ? fits : over;
        bar.x.push_back(static_cast<double>(i));
        bar.y.push_back(share.memory.value);
        if (!share.capacity) continue;
        capacity.x.push_back(static_cast<double>(i));
        capacity.y.push_back(share.capacity->value);
    }
    chart.x = categories("", std::move(names));
    for (Series* series : {&fits, &over, &capacity})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
    return chart;
}

}  // namespace tessera::report

#include "core/report/partition_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/codesign_report.h"
#include "core/report/mapping_report.h"
#include "core/report/prediction_report.h"
#include "core/study/codesign/outcome.h"
#include "core/study/mapping/outcome.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/outcome.h"
#include "core/study/prediction/outcome.h"

namespace tessera::report {

namespace {

using partition::LevelPlan;
using partition::Plan;
using study::PartitionOutcome;

constexpr std::size_t kMaxRuns = 24;

/// Runs of equal types in layer order: "I×5 III II".
std::string runs(const LevelPlan& level) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < level.layers.size();) {
        std::size_t to = from;
        while (to < level.layers.size() && level.layers[to].type == level.layers[from].type) ++to;
        if (parts.size() == kMaxRuns) {
            parts.push_back(fmt::format("… ({} layers)", level.layers.size() - from));
            break;
        }
        std::string part(partition::nameOf(level.layers[from].type));
        if (to - from > 1) part += fmt::format("×{}", to - from);
        parts.push_back(part);
        from = to;
    }
    return joined(parts, " ");
}

}  // namespace

const Plan& bestPlan(const PartitionOutcome& outcome) {
    return *study::fastestPlan(outcome);
}

Table subsetTable(const Plan& plan) {
    constexpr std::size_t kMaxShown = 8;
    Table table;
    table.columns = {{"idle"},           {"accelerators", true}, {"step time", true},
                     {"speed-up", true}, {"lower bound", true},  {"certainty if these take part"}};
    for (std::size_t k = 0; k < plan.subsets.size(); ++k) {
        const partition::SubsetPlan& subset = plan.subsets[k];
        if (k >= kMaxShown && !subset.idle.empty()) continue;
        table.rows.push_back({subset.idle.empty() ? "none" : study::idleText(subset.idle),
                              formatCount(static_cast<double>(subset.accelerators)), secondsText(subset.stepTime),
                              study::timesText(subset.speedupOverDp),
                              subset.lowerBound.value > 0 ? secondsText(subset.lowerBound) : "–",
                              study::gapText(subset.stepTime.value, subset.lowerBound.value)});
    }
    return table;
}

std::string unsolvedSubsets(const Plan& plan) {
    std::vector<std::string> parts;
    const auto add = [&](std::int64_t count, const char* one, const char* more) {
        if (count > 0) parts.push_back(formatCounted(static_cast<double>(count), one, more));
    };
    add(plan.subsetsRuledOut, "further subset is ruled out by its bound",
        "further subsets are ruled out by their bounds");
    add(plan.subsetsLeft, "further subset was not solved", "further subsets were not solved");
    return parts.empty() ? std::string() : joined(parts, "; ") + ".";
}

Table strategyTable(const PartitionOutcome& outcome) {
    Table table;
    table.columns = {{"strategy"}, {"step time", true}, {"samples/s", true},   {"speed-up", true},
                     {"idle"},     {"cost", true},      {"lower bound", true}, {"certainty"},
                     {"fits"}};
    for (const Plan& plan : outcome.result.plans)
        table.rows.push_back({plan.strategy, secondsText(plan.stepTime), study::rateText(plan.throughput),
                              study::timesText(plan.speedupOverDp),
                              plan.idle.empty() ? "none" : study::idleText(plan.idle), secondsText(plan.cost),
                              plan.lowerBound.value > 0 ? secondsText(plan.lowerBound) : "–",
                              study::certaintyText(plan), plan.fits ? "yes" : "no"});
    return table;
}

Table levelTable(const Plan& plan) {
    Table table;
    table.columns = {{"level", true},     {"group"}, {"accelerators", true}, {"times", true}, {"ratio", true},
                     {"objective", true}, {"types"}};
    for (const LevelPlan& level : plan.levels)
        table.rows.push_back({std::to_string(level.level), level.group,
                              formatCount(static_cast<double>(level.accelerators)),
                              formatCount(static_cast<double>(level.occurrences)), study::ratioText(level.ratio),
                              secondsText(level.objective), runs(level)});
    return table;
}

Table acceleratorTable(const Plan& plan) {
    Table table;
    table.columns = {{"kind"},         {"count", true}, {"compute", true}, {"communication", true},
                     {"memory", true}, {"of", true},    {"fits"}};
    for (const partition::AcceleratorShare& share : plan.shares)
        table.rows.push_back({share.kind, formatCount(static_cast<double>(share.count)), secondsText(share.compute),
                              secondsText(share.communication), formatQuantity(share.memory.value, Measure::bytes),
                              share.capacity ? formatQuantity(share.capacity->value, Measure::bytes) : "not known",
                              share.capacity ? (share.fits ? "yes" : "no") : "not checked"});
    return table;
}

Table layerTable(const PartitionOutcome& outcome) {
    Table table;
    table.columns = {{"strategy"},    {"level", true},     {"group"},         {"layer"},        {"type"},
                     {"ratio", true}, {"compute_s", true}, {"intra_s", true}, {"inter_s", true}};
    for (const Plan& plan : outcome.result.plans)
        for (const LevelPlan& level : plan.levels)
            for (const partition::LayerPlan& layer : level.layers)
                table.rows.push_back({plan.strategy, std::to_string(level.level), level.group,
                                      outcome.result.names.at(static_cast<std::size_t>(layer.layer)),
                                      std::string(partition::nameOf(layer.type)), exactNumber(level.ratio),
                                      exactNumber(layer.compute.value), exactNumber(layer.intra.value),
                                      exactNumber(layer.inter.value)});
    return table;
}

std::string partitionText(const study::Result& result, const PartitionOutcome& outcome) {
    const Plan& best = bestPlan(outcome);
    std::string text = headline(result) + "\n\n";
    text += fmt::format("{} on {}: {} accelerators, batch {}\n\n", escaped(outcome.model), escaped(outcome.fleet),
                        formatCount(static_cast<double>(outcome.accelerators)), formatCount(outcome.result.batch));
    text += toText(strategyTable(outcome));
    if (!best.subsets.empty()) {
        text += fmt::format("\nSubsets of the fleet under {}\n", best.strategy) + toText(subsetTable(best));
        if (const std::string rest = unsolvedSubsets(best); !rest.empty()) text += rest + "\n";
    }
    text += fmt::format("\nSplits of {}, types from the first layer to the last\n", best.strategy);
    text += toText(levelTable(best));
    text += fmt::format("\nAccelerators under {}\n", best.strategy) + toText(acceleratorTable(best));
    if (!result.assumptions.empty()) text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + escaped(sentence, 1024) + "\n";
    return text;
}

}  // namespace tessera::report

#include "core/report/partition_report.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/field_table.h"
#include "core/study/partition/fields.h"
#include "core/study/partition/outcome.h"

namespace tessera::report {

namespace {

using partition::LevelPlan;
using partition::Plan;
using study::PartitionOutcome;

}  // namespace

const Plan& bestPlan(const PartitionOutcome& outcome) {
    return *study::fastestPlan(outcome);
}

Table subsetTable(const Plan& plan) {
    constexpr std::size_t kMaxShown = 8;
    std::vector<partition::SubsetPlan> rows;
    for (std::size_t k = 0; k < plan.subsets.size(); ++k)
        if (k < kMaxShown || plan.subsets[k].idle.empty()) rows.push_back(plan.subsets[k]);
    return tableOf(study::subsetFields(), rows, study::kText);
}

std::string unsolvedSubsets(const Plan& plan) {
    std::vector<std::string> parts;
    const auto add = [&](std::int64_t count, const char* one, const char* more) {
        if (count > 0) parts.push_back(formatCounted(count, one, more));
    };
    add(plan.subsetsRuledOut, "further subset is ruled out by its bound",
        "further subsets are ruled out by their bounds");
    add(plan.subsetsLeft, "further subset was not solved", "further subsets were not solved");
    return parts.empty() ? std::string() : joined(parts, "; ") + ".";
}

Table strategyTable(const PartitionOutcome& outcome) {
    return tableOf(study::planFields(), outcome.result.plans, study::kText);
}

Table levelTable(const Plan& plan) {
    return tableOf(study::levelFields(), plan.levels, study::kText);
}

Table acceleratorTable(const Plan& plan) {
    return tableOf(study::shareFields(), plan.shares, study::kText);
}

Table layerTable(const PartitionOutcome& outcome) {
    std::vector<study::SplitRow> rows;
    for (const Plan& plan : outcome.result.plans)
        for (const LevelPlan& level : plan.levels)
            for (const partition::LayerPlan& layer : level.layers)
                rows.push_back({.result = &outcome.result, .plan = &plan, .level = &level, .layer = layer, .join = {}});
    return tableOf(study::splitRowFields(), rows, study::kExactTable);
}

std::string partitionText(const study::Result& result, const PartitionOutcome& outcome) {
    const Plan& best = bestPlan(outcome);
    std::string text = headline(result) + "\n\n";
    text += fmt::format("{} on {}: {} accelerators, batch {}\n\n", escaped(outcome.model), escaped(outcome.fleet),
                        formatCount(outcome.accelerators), formatCount(outcome.result.batch));
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

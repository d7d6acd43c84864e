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

namespace tessera::report {

namespace {

using partition::LevelPlan;
using partition::Plan;
using study::PartitionOutcome;

constexpr std::size_t kMostRuns = 24;

std::string seconds(Seconds time) {
    return formatQuantity(time.value, Measure::seconds);
}

/// Runs of equal types in layer order: "I×5 III II".
std::string runs(const LevelPlan& level) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < level.layers.size();) {
        std::size_t to = from;
        while (to < level.layers.size() && level.layers[to].type == level.layers[from].type) ++to;
        if (parts.size() == kMostRuns) {
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

std::string partitionText(const study::Result& result, const PartitionOutcome& outcome) {
    const Plan& best = bestPlan(outcome);
    std::string text = headline(result) + "\n\n";
    text += fmt::format("{} on {}: {} accelerators, batch {}\n\n", escaped(outcome.model), escaped(outcome.fleet),
                        formatCount(static_cast<double>(outcome.accelerators)), formatCount(outcome.result.batch));
    text += toText(strategyTable(outcome));
    const std::vector<std::string> without = fasterWithout(best);
    if (!without.empty()) text += "\n" + joined(without, "\n") + "\n";
    text += fmt::format("\nSplits of {}, types from the first layer to the last\n", best.strategy);
    text += toText(levelTable(best));
    text += fmt::format("\nAccelerators under {}\n", best.strategy) + toText(acceleratorTable(best));
    if (!result.assumptions.empty()) text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + escaped(sentence, 1024) + "\n";
    return text;
}

}  // namespace

const Plan& bestPlan(const PartitionOutcome& outcome) {
    return *study::fastestPlan(outcome);
}

std::vector<std::string> fasterWithout(const Plan& plan) {
    std::vector<std::string> sentences;
    for (const partition::WithoutGroup& other : plan.without)
        if (other.stepTime < plan.stepTime)
            sentences.push_back(fmt::format("Faster without {}: {}/step, {} over DP on the whole fleet.",
                                            escaped(other.group), seconds(other.stepTime),
                                            study::timesText(other.speedupOverDp)));
    return sentences;
}

Table strategyTable(const PartitionOutcome& outcome) {
    Table table;
    table.columns = {{"strategy"},   {"step time", true},   {"samples/s", true}, {"over DP", true},
                     {"cost", true}, {"lower bound", true}, {"certainty"},       {"fits"}};
    for (const Plan& plan : outcome.result.plans)
        table.rows.push_back({plan.strategy, seconds(plan.stepTime), study::rateText(plan.throughput),
                              study::timesText(plan.speedupOverDp), seconds(plan.cost),
                              plan.lowerBound.value > 0 ? seconds(plan.lowerBound) : "–", study::certaintyText(plan),
                              plan.fits ? "yes" : "no"});
    return table;
}

Table levelTable(const Plan& plan) {
    Table table;
    table.columns = {{"level", true},     {"group"}, {"accelerators", true}, {"times", true}, {"ratio", true},
                     {"objective", true}, {"types"}};
    for (const LevelPlan& level : plan.levels)
        table.rows.push_back({std::to_string(level.level), level.group,
                              formatCount(static_cast<double>(level.accelerators)),
                              formatCount(static_cast<double>(level.occurrences)), fmt::format("{:.4f}", level.ratio),
                              seconds(level.objective), runs(level)});
    return table;
}

Table acceleratorTable(const Plan& plan) {
    Table table;
    table.columns = {{"kind"},         {"count", true}, {"compute", true}, {"communication", true},
                     {"memory", true}, {"of", true},    {"fits"}};
    for (const partition::AcceleratorShare& share : plan.shares)
        table.rows.push_back({share.kind, formatCount(static_cast<double>(share.count)), seconds(share.compute),
                              seconds(share.communication), formatQuantity(share.memory.value, Measure::bytes),
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

std::string toText(const study::Result& result) {
    if (const auto* mapping = std::get_if<study::MappingOutcome>(&result.outcome)) return mappingText(result, *mapping);
    if (const auto* codesign = std::get_if<study::CodesignOutcome>(&result.outcome))
        return codesignText(result, *codesign);
    if (const auto* prediction = std::get_if<study::PredictionOutcome>(&result.outcome))
        return predictionText(result, *prediction);
    return partitionText(result, std::get<PartitionOutcome>(result.outcome));
}

}  // namespace tessera::report

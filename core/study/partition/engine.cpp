#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/study/engine_rows.h"
#include "core/study/partition/document.h"
#include "core/study/partition/explain.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/packed_result.h"
#include "core/study/partition/study.h"
#include "core/study/partition/timeline.h"

namespace tessera::study {

namespace {

std::string title(const PartitionOutcome& outcome) {
    return outcome.model + " on " + outcome.fleet;
}

std::vector<InputFile> files(const Study& study) {
    if (study.hardware.empty()) return {};
    return fleetFiles(study.hardware[0], hardware::loadFleet(placeOfInput(study.hardware[0])));
}

std::optional<std::string> keptTimeline(const PartitionOutcome& outcome) {
    const partition::Plan* best = fastestPlan(outcome);
    // That of a very deep network is made from the result when it is asked for.
    if (best == nullptr || rowCount(*best) > kMaxRowsOfTimeline) return std::nullopt;
    return best->strategy;
}

std::vector<InputFact> facts(const PartitionOutcome& outcome) {
    std::vector<InputFact> facts{
        {"Model", "name", outcome.model},
        {"Model", "layers and merge nodes", std::to_string(outcome.result.names.size())},
        {"Hardware", "name", outcome.fleet},
        {"Hardware", "accelerators", std::to_string(outcome.accelerators)},
    };
    for (std::size_t g = 0; g < outcome.groups.size(); ++g) {
        const GroupNumbers& group = outcome.groups[g];
        const auto add = [&](const char* field, const std::string& value) {
            facts.push_back({"Hardware", fmt::format("groups[{}].{}", g, field), value});
        };
        add("name", group.name);
        add("accelerator", group.accelerator);
        add("count", std::to_string(group.count));
        add("peak", formatQuantity(group.peak.value, Measure::flopsPerSecond));
        add("efficiency", exactNumber(group.efficiency));
        add("network", formatQuantity(toBitsPerSecond(group.rate), Measure::bitsPerSecond));
        if (group.capacity) add("memory", formatQuantity(group.capacity->value, Measure::bytes));
    }
    return facts;
}

AmountOfWork work(const PartitionOutcome& outcome) {
    const partition::Plan* best = fastestPlan(outcome);
    AmountOfWork work{
        .amount = exactNumber(outcome.result.batch), .devices = outcome.accelerators, .samples = outcome.result.batch};
    if (best == nullptr) return work;
    work.seconds = best->stepTime.value;
    std::int64_t taking = 0;
    for (const partition::AcceleratorShare& share : best->shares) taking += share.count;
    if (taking > 0 && !best->idle.empty()) work.devices = taking;
    return work;
}

}  // namespace

Engine partitionEngine() {
    return {
        .id = "partition",
        .title = "Partition",
        .description = "Splits every layer's tensors over an array of accelerators, equal or mixed.",
        .hardwareKind = "fleet",
        .loadsAtBatch = true,
        .checkpoints = true,
        .parameters = partitionParameters,
        .infer = inferPartition,
        .laterParameters = {"groups"},
        .files = files,
        .run = runPartition,
        .estimate = estimatePartition,
        .objectives = {{"", "Step time", formatSeconds}},
        .resultSchema = "tessera.partition-result/1",
        .jsonSchema = partitionSchema,
        .write = writePartitionJson,
        .read = readPartitionResult,
        .rowCount = rowCount,
        .packed = {packResult, unpackResult},
        .titleOf = ofOutcome<title>,
        .headline = ofOutcome<partitionHeadline>,
        .metrics = ofOutcome<partitionMetrics>,
        .metricText = partitionMetricText,
        .explain = explainedBy<PartitionOutcome, explainPartition>,
        .keyMetrics = {{"throughput_samples_per_s"}},
        .timeline =
            [](const Result& result, const std::string& strategy) {
                return stepTimeline(result.study, result.outcome.get<PartitionOutcome>(), strategy);
            },
        .keptTimeline = ofOutcome<keptTimeline>,
        .facts = ofOutcome<facts>,
        .deciding = {{"step_time_s", true, "All runs take {0} per step", "No run is faster than {1}, at {0} per step",
                      "{1} is {2} as fast as {3}: {0} against {4} per step"},
                     {"throughput_samples_per_s", false, "All runs train {0}", "No run is faster than {1}, at {0}",
                      "{1} is {2} as fast as {3}: {0} against {4}"}},
        .work = ofOutcome<work>,
        .ofWork = {"step_time_s", "cost_s", "lower_bound_s", "compute_s", "communication_s"},
        .addToComparison = addPartitionsToComparison,
        .question = "How should the layers be split: {}?"};
}

}  // namespace tessera::study

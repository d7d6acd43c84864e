#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/study/document_schema.h"
#include "core/study/members.h"
#include "core/study/placement/study.h"

namespace tessera::study {

namespace {

using codesign::Plan;

// `name` is the model's.
constexpr DocumentKind kKind{
    .schema = "tessera.placement-result/1",
    .command = "place",
    .nameOfStudy = "study_name",
    .about =
        "How a model's layers are placed on many accelerators: stages of a pipeline, its replicas, a "
        "tensor-parallel degree."};
constexpr std::size_t kLongestReason = 1'000'000;
constexpr std::size_t kMaxReported = 1000;
constexpr std::int64_t kMaxReplicas = 1'000'000'000;
constexpr EnumNames<bool> kBranches{"parallel", "serial"};
constexpr NumberRule kRound = kNotNegative.asWhole();
constexpr std::string_view kNumberOrNull = R"({"type": ["number", "null"], "minimum": 0})";
constexpr std::string_view kTextOrNull = R"({"type": ["string", "null"]})";

// Plans ---------------------------------------------------------------------------------------------------------------

constexpr Key kMemoryKey{"memory", "What fills an accelerator's memory at its fullest."};
constexpr auto kMemory = [](auto& doc, auto& memory) {
    doc({"weights_and_gradients_bytes", "Weights and their gradients."}, memory.weights, kRound);
    doc({"optimizer_bytes", "The optimizer's state."}, memory.optimizer, kRound);
    doc({"activations_bytes", "Of the micro-batch at work."}, memory.activations, kRound);
    doc({"in_flight_bytes",
         "Kept for the micro-batches between their forward and backward pass: their activations, or, where activations "
         "are recomputed, the tensors that enter the stage."},
        memory.stashed, kRound);
    doc({"micro_batches_in_flight", "How many they are at most."}, memory.inFlight);
    doc.unlessEmpty({"beside_bytes",
                     "Fixed memory: the software's own, and what the layer at work takes; left out where nothing "
                     "is counted.",
                     kFromZero},
                    memory.beside, kRound);
};

/// A plan holds indices of layers, its document their ids.
std::vector<std::int64_t> idsOf(const std::vector<std::size_t>& layers, const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> all;
    for (const std::size_t layer : layers) all.push_back(ids[layer]);
    return all;
}

std::vector<std::size_t> indicesOf(const std::vector<std::int64_t>& layers, std::vector<std::int64_t>& ids) {
    std::vector<std::size_t> all;
    for (const std::int64_t id : layers) {
        const auto found = std::find(ids.begin(), ids.end(), id);
        all.push_back(static_cast<std::size_t>(found - ids.begin()));
        if (found == ids.end()) ids.push_back(id);
    }
    return all;
}

constexpr auto kStage = [](auto& doc, auto& stage, auto& ids) {
    std::vector<std::int64_t> layers;
    if constexpr (!kReads<decltype(doc)>) layers = idsOf(stage.layers, ids);
    doc({"layers", "Ids of the file; of a model from 0.", kSomeEntries}, layers,
        std::numeric_limits<std::int64_t>::min());
    if constexpr (kReads<decltype(doc)>) stage.layers = indicesOf(layers, ids);
    doc({"accelerators", "Of one replica."}, stage.accelerators, 1);
    doc({"load_s", "Forward and backward pass of one micro-batch, waiting for tensors included."}, stage.load,
        kNotNegative);
    doc({"forward_s", "The part of the load that is the forward pass."}, stage.forward, kNotNegative);
    doc.require(!(stage.forward > stage.load), "forward_s", "a part of the load");
    doc.derived({"memory_bytes", "Of one accelerator, the sum of the terms.", kNotNegative.schema},
                [&] { return wholeWherePossible(stage.memory.total().value); });
    doc.object(kMemoryKey, stage.memory, kMemory);
};

template <typename Value>
Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

/// A plan's members, null or empty where there is none; `more(doc)` stand between its times and its degrees.
constexpr auto kPlan = [](auto& doc, auto& plan, auto& outcome, const auto& more) {
    std::optional<Seconds> time;
    if (plan) time = plan->timePerBatch;
    doc.orNull({"time_per_batch_s", "Of the plan, which is the fastest or one's own; null where none fits."}, time,
               kPositive);
    if constexpr (!kWrites<decltype(doc)>)
        if (time) plan = Plan{.timePerBatch = *time, .stages = {}};
    doc.derived({"throughput_samples_per_s", "Null without a global batch.", kNumberOrNull},
                [&] { return orNull(outcome.throughputOf(plan)); });
    more(doc);
    if (doc.where(plan.has_value())) {
        doc.derived({"pipeline", "Stages.", R"({"minimum": 1})"}, plan->stages.size());
        doc({"data", "Replicas of the pipeline."}, plan->data, 1, kMaxReplicas);
        doc({"tensor", "Tensor-parallel degree."}, plan->tensorParallel, 1);
        doc.list({"stages", "From the model's input to its output; empty where nothing fits."}, plan->stages,
                 [&](auto& row, auto& stage) { kStage(row, stage, outcome.layers); });
        doc.require(!plan->stages.empty(), "stages", "at least one stage", "an empty list");
    } else {
        for (const char* key : {"pipeline", "data", "tensor"}) doc.derived(key, nullptr);
        doc.derived("stages", Json::array());
    }
};

constexpr auto kChosen = [](auto& doc, auto& chosen) {
    doc({"micro_batch", "Samples of a micro-batch."}, chosen.samples, 1);
    doc({"recompute", "What of the activations is computed again in the backward pass."}, chosen.recompute,
        physical::kRecomputeNames);
};

constexpr auto kCosts = [](auto& doc, auto& costs) {
    doc({"fleet", "As it calls itself."}, costs.fleet);
    doc({"accelerator", "Its description."}, costs.accelerator);
    doc({"dtype", "Data type of the products."}, costs.dtype);
    doc({"software", "Stack or profile that trains."}, costs.software);
    doc({"sequence", "Tokens of a sample; left out for what is no transformer."}, costs.sequence, 1);
    doc({"zero", "Stage of ZeRO where there are several replicas."}, costs.zero, 0, 1);
    doc.unlessEmpty({"layer_names", "Of the layers, by their ids; left out where they are numbered.", kSomeEntries},
                    costs.names);
    kChosen(doc, costs.chosen);
};

constexpr auto kOwnPlan = [](auto& doc, auto& own, auto& outcome) {
    doc({"given", "As the user named it."}, own.given);
    doc.object({"chosen", "What makes it fastest, of a model; left out for layers of a file."}, own.chosen, kChosen);
    bool feasible = own.misfit.empty();
    doc({"feasible", "It fits."}, feasible);
    if (doc.where(feasible))
        doc.derived("reason", nullptr);
    else
        doc({"reason", "Why it does not fit."}, own.misfit);
    kPlan(doc, own.plan, outcome, [&](auto& inner) {
        inner.derived({"times_the_fastest",
                       "Its time over that of the fastest plan; null where one of them does not fit.", kNumberOrNull},
                      [&] { return orNull(outcome.timesTheFastest()); });
    });
    doc.require(own.plan || !own.misfit.empty(), "time_per_batch_s", "the time of a plan that fits");
};

constexpr auto kShortage = [](auto& doc, auto& shortage) {
    doc({"least_accelerators", "That any plan occupies."}, shortage.minAccelerators, 1);
    doc.group({"fits_with", "Each change alone."}, [&](auto& with) {
        with.orNull({"memory_bytes",
                     "The smallest memory of an accelerator with which a plan fits; null where accelerators are too "
                     "few."},
                    shortage.memory, kRound);
        with.orNull(
            {"accelerators", "The fewest accelerators with which a plan fits this memory; null where no number does."},
            shortage.accelerators, 1);
        with({"recompute", "A plan fits where activations are recomputed instead of stored."}, shortage.recompute);
    });
    if constexpr (kDescribes<decltype(doc)>) shortage.closest.emplace().stages.emplace_back();
    if constexpr (kReads<decltype(doc)>)
        if (!doc.at("fullest").isNull()) shortage.closest.emplace();
    if (!doc.where(shortage.closest.has_value())) return doc.derived("fullest", nullptr);
    auto& stages = shortage.closest->stages;
    doc.group({"fullest", "The fullest stage of the plan that needs the least memory."}, [&](auto& fullest) {
        auto count = static_cast<std::int64_t>(stages.size());
        fullest({"tensor", "Tensor-parallel degree."}, shortage.closest->tensorParallel, 1);
        fullest({"pipeline", "Stages."}, count, 1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
        if constexpr (kReads<decltype(doc)>) stages.resize(static_cast<std::size_t>(count));
        fullest({"stage", "Which of them, from 0."}, shortage.stage, 0, count - 1);
        auto& memory = stages[shortage.stage].memory;
        fullest.derived({"memory_bytes", "Sum of the terms.", kNotNegative.schema},
                        [&] { return wholeWherePossible(memory.total().value); });
        fullest.object(kMemoryKey, memory, kMemory);
    });
};

// The request ---------------------------------------------------------------------------------------------------------

constexpr auto kRequest = [](auto& doc, auto& outcome) {
    auto& problem = outcome.problem;
    doc({"layers", "Of the model."}, outcome.layerCount, 1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
    std::vector<std::int64_t> degrees;
    for (const codesign::DegreeCosts& costs : problem.byDegree) degrees.push_back(costs.degree);
    doc({"widths", "Tensor-parallel degrees that were tried."}, degrees, 1);
    if constexpr (kReads<decltype(doc)>)
        for (const std::int64_t degree : degrees)
            problem.byDegree.push_back({.degree = degree, .layers = {}, .edges = {}});
    doc({"accelerators", "That there are."}, problem.accelerators, 1);
    doc({"micro_batches", "Of a batch."}, problem.microBatches, 1);
    doc({"memory_bytes", "Of one accelerator."}, problem.memory, kRound);
    doc({"bandwidth_bytes_per_s", "Between any two accelerators."}, problem.bandwidth, kRound);
    doc({"recompute", "Activations are recomputed instead of stored; of layers of a file not in the last stage."},
        problem.recompute);
    doc.object({"costs", "Whose the layers' costs are, and what is chosen for the plan; left out for those of a file."},
               outcome.of, kCosts);
    if (doc.where(!outcome.of)) {
        doc({"optimizer", "That updates the weights of layers of a file."}, outcome.optimizer,
            codesign::kPublishedOptimizerNames);
        doc({"optimizer_memory", "Rule by which the state of that is counted."}, outcome.rule,
            codesign::kOptimizerMemoryNames);
    }
    doc({"branches",
         "How layers of a stage run that do not depend on each other: at the same time at full speed, or one after the "
         "other."},
        problem.serialBranches, kBranches);
    doc.orNull({"global_batch", "Samples of a batch."}, outcome.globalBatch, 1);
    constexpr Key kReported{"reported", "The file's fields about an expert's placement, which change nothing.",
                            R"({"additionalProperties": {"type": "number"}})"};
    doc.group(kReported, [&](auto& reported) {
        if constexpr (kReads<decltype(doc)>) {
            for (const auto& [key, value] : reported.node().members())
                outcome.reported.emplace_back(key, value.number());
            if (outcome.reported.size() > kMaxReported) reported.node().fail("at most 1000 fields");
        } else {
            for (const auto& [key, value] : outcome.reported)
                reported(key, value < 0 ? Json(value) : wholeWherePossible(value));
        }
    });
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& placement = outcome.placement;
    doc.unlessEmpty({"name", "Of the model, as the file or the model has it."}, outcome.name);
    doc.derived(kParametersKey, *result.study.parameters);
    doc.object({"problem", "What was placed, on what."}, outcome, kRequest);
    bool feasible = placement.plan.has_value();
    doc({"feasible", "A plan fits."}, feasible);
    doc.derived({"reason", "Why nothing fits and what would, as a sentence.", kTextOrNull},
                placement.shortage ? Json(placement.shortage->reason) : Json());
    kPlan(doc, placement.plan, outcome, [](auto& /*doc*/) {});
    doc.require(feasible == placement.plan.has_value(), "feasible", "whether there is a plan");
    doc({"optimal", "No plan is faster, or none fits. False where not all plans were compared; see the warnings."},
        placement.optimal);
    if (doc.where(placement.plan.has_value())) {
        doc({"lower_bound_s", "No plan takes less for a batch; null where none fits."}, placement.lowerBound,
            kNotNegative);
        doc.derived({"gap",
                     "By how much the plan may be slower than the fastest, as a share; 0 where it is proven fastest, "
                     "null where none fits.",
                     kFromZero},
                    [&] { return outcome.gap(); });
    } else {
        for (const char* key : {"lower_bound_s", "gap"}) doc.derived(key, nullptr);
    }
    doc({"cuts", "Sets of layers that plans may be cut at."}, outcome.cuts, 2);
    doc.objectOrNull({"shortage", "Where nothing fits: what would; else null."}, placement.shortage, kShortage);
    doc.object({"own_plan", "One of the user's own, evaluated by the same rules; left out where none is given."},
               outcome.own, [&](auto& inner, auto& own) { kOwnPlan(inner, own, outcome); });
    if constexpr (kReads<decltype(doc)>) {
        if (placement.shortage) placement.shortage->reason = doc.at("reason").text(kLongestReason);
        placement.warnings = result.warnings;
    }
};

}  // namespace

void writePlacementJson(const Result& result, const TextSink& write) {
    writeDocument<PlacementOutcome>(result, write, kKind, kDocument);
}

Result readPlacementResult(const JsonNode& document, const Study& study) {
    return readDocument<PlacementOutcome>(document, study, kKind, kDocument);
}

Json placementSchema() {
    return documentSchema<PlacementOutcome>(kKind, kDocument);
}

}  // namespace tessera::study

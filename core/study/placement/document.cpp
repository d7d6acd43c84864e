#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/study/members.h"
#include "core/study/placement/study.h"

namespace tessera::study {

namespace {

using codesign::Plan;

constexpr DocumentKind kKind{"tessera.placement-result/1", "place", "study_name"};  // `name` is the model's
constexpr std::size_t kLongestReason = 1'000'000;
constexpr std::size_t kMaxReported = 1000;
constexpr std::int64_t kMaxReplicas = 1'000'000'000;
constexpr std::array kOptimizers{codesign::Optimizer::sgd, codesign::Optimizer::momentum, codesign::Optimizer::adam,
                                 codesign::Optimizer::mixedAdam};
constexpr std::array kRules{codesign::OptimizerMemory::reference, codesign::OptimizerMemory::exact,
                            codesign::OptimizerMemory::mixed};
constexpr std::array kBranches{std::pair(false, std::string_view("parallel")),
                               std::pair(true, std::string_view("serial"))};
constexpr NumberRule kRound = kNotNegative.asWhole();

// Plans ---------------------------------------------------------------------------------------------------------------

constexpr auto kMemory = [](auto& doc, auto& memory) {
    doc("weights_and_gradients_bytes", memory.weights, kRound);
    doc("optimizer_bytes", memory.optimizer, kRound);
    doc("activations_bytes", memory.activations, kRound);
    doc("in_flight_bytes", memory.stashed, kRound);
    doc("micro_batches_in_flight", memory.inFlight);
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
    doc("layers", layers, std::numeric_limits<std::int64_t>::min());
    if constexpr (kReads<decltype(doc)>) stage.layers = indicesOf(layers, ids);
    doc("accelerators", stage.accelerators, 1);
    doc("load_s", stage.load, kNotNegative);
    doc("forward_s", stage.forward, kNotNegative);
    doc.require(!(stage.forward > stage.load), "forward_s", "a part of the load");
    doc.derived("memory_bytes", [&] { return wholeWherePossible(stage.memory.total().value); });
    doc.object("memory", stage.memory, kMemory);
};

template <typename Value>
Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

/// A plan's members, null or empty where there is none; `more(doc)` stand between its times and its degrees.
constexpr auto kPlan = [](auto& doc, auto& plan, auto& outcome, const auto& more) {
    std::optional<Seconds> time;
    if (plan) time = plan->timePerBatch;
    doc.orNull("time_per_batch_s", time, kPositive);
    if constexpr (kReads<decltype(doc)>)
        if (time) plan = Plan{.timePerBatch = *time, .stages = {}};
    doc.derived("throughput_samples_per_s", [&] { return orNull(outcome.throughputOf(plan)); });
    more(doc);
    if (plan) {
        doc.derived("pipeline", plan->stages.size());
        doc("data", plan->data, 1, kMaxReplicas);
        doc("tensor", plan->tensor, 1);
        doc.list("stages", plan->stages, [&](auto& row, auto& stage) { kStage(row, stage, outcome.layers); });
        doc.require(!plan->stages.empty(), "stages", "at least one stage", "an empty list");
    } else {
        for (const char* key : {"pipeline", "data", "tensor"}) doc.derived(key, nullptr);
        doc.derived("stages", Json::array());
    }
};

constexpr auto kOwnPlan = [](auto& doc, auto& own, auto& outcome) {
    doc("given", own.given);
    bool feasible = own.misfit.empty();
    doc("feasible", feasible);
    if (feasible)
        doc.derived("reason", nullptr);
    else
        doc("reason", own.misfit);
    kPlan(doc, own.plan, outcome,
          [&](auto& inner) { inner.derived("times_the_fastest", [&] { return orNull(outcome.timesTheFastest()); }); });
    doc.require(own.plan || !own.misfit.empty(), "time_per_batch_s", "the time of a plan that fits");
};

constexpr auto kShortage = [](auto& doc, auto& shortage) {
    doc("least_accelerators", shortage.minAccelerators, 1);
    doc.group("fits_with", [&](auto& with) {
        with.orNull("memory_bytes", shortage.memory, kRound);
        with.orNull("accelerators", shortage.accelerators, 1);
        with("recompute", shortage.recompute);
    });
    if constexpr (kReads<decltype(doc)>)
        if (!doc.at("fullest").isNull()) shortage.closest.emplace();
    if (!shortage.closest) return doc.derived("fullest", nullptr);
    auto& stages = shortage.closest->stages;
    doc.group("fullest", [&](auto& fullest) {
        auto count = static_cast<std::int64_t>(stages.size());
        fullest("tensor", shortage.closest->tensor, 1);
        fullest("pipeline", count, 1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
        if constexpr (kReads<decltype(doc)>) stages.resize(static_cast<std::size_t>(count));
        fullest("stage", shortage.stage, 0, count - 1);
        auto& memory = stages[shortage.stage].memory;
        fullest.derived("memory_bytes", [&] { return wholeWherePossible(memory.total().value); });
        fullest.object("memory", memory, kMemory);
    });
};

// The request ---------------------------------------------------------------------------------------------------------

constexpr auto kAsked = [](auto& doc, auto& outcome) {
    auto& problem = outcome.problem;
    doc("layers", outcome.layerCount, 1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
    std::vector<std::int64_t> widths;
    for (const codesign::WidthCosts& width : problem.widths) widths.push_back(width.width);
    doc("widths", widths, 1);
    if constexpr (kReads<decltype(doc)>)
        for (const std::int64_t width : widths) problem.widths.push_back({.width = width, .layers = {}, .edges = {}});
    doc("accelerators", problem.accelerators, 1);
    doc("micro_batches", problem.microBatches, 1);
    doc("memory_bytes", problem.memory, kRound);
    doc("bandwidth_bytes_per_s", problem.bandwidth, kRound);
    doc("recompute", problem.recompute);
    doc("optimizer", outcome.optimizer, kOptimizers);
    doc("optimizer_memory", outcome.rule, kRules);
    doc("branches", problem.serialBranches, kBranches);
    doc.orNull("global_batch", outcome.globalBatch, 1);
    doc.group("reported", [&](auto& reported) {
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
    doc.unlessEmpty("name", outcome.name);
    doc.derived("parameters", *result.study.parameters);
    doc.object("problem", outcome, kAsked);
    bool feasible = placement.plan.has_value();
    doc("feasible", feasible);
    doc.derived("reason", placement.shortage ? Json(placement.shortage->reason) : Json());
    kPlan(doc, placement.plan, outcome, [](auto& /*doc*/) {});
    doc.require(feasible == placement.plan.has_value(), "feasible", "whether there is a plan");
    doc("optimal", placement.optimal);
    if (placement.plan) {
        doc("lower_bound_s", placement.lowerBound, kNotNegative);
        doc.derived("gap", [&] { return outcome.gap(); });
    } else {
        for (const char* key : {"lower_bound_s", "gap"}) doc.derived(key, nullptr);
    }
    doc("cuts", outcome.cuts, 2);
    doc.objectOrNull("shortage", placement.shortage, kShortage);
    doc.object("own_plan", outcome.own, [&](auto& inner, auto& own) { kOwnPlan(inner, own, outcome); });
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

}  // namespace tessera::study

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/study/document_study.h"
#include "core/study/placement/study.h"

namespace tessera::study {

namespace {

using codesign::Placement;
using codesign::Plan;

constexpr std::size_t kLongestName = 1'000'000;
constexpr std::size_t kMaxReported = 1000;
constexpr std::int64_t kMaxReplicas = 1'000'000'000;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::array kOptimizers{codesign::Optimizer::sgd, codesign::Optimizer::momentum, codesign::Optimizer::adam,
                                 codesign::Optimizer::mixedAdam};

Json number(Bytes bytes) {
    return wholeWherePossible(bytes.value);
}
template <typename Value>
Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

// Writing -------------------------------------------------------------------------------------------------------------

Json jsonOf(const codesign::StageMemory& memory) {
    return {{"weights_and_gradients_bytes", number(memory.weights)},
            {"optimizer_bytes", number(memory.optimizer)},
            {"activations_bytes", number(memory.activations)},
            {"in_flight_bytes", number(memory.stashed)},
            {"micro_batches_in_flight", memory.inFlight}};
}

Json stagesJson(const std::optional<Plan>& plan, const PlacementOutcome& outcome) {
    Json stages = Json::array();
    if (!plan) return stages;
    for (const codesign::PlacedStage& stage : plan->stages) {
        Json layers = Json::array();
        for (const std::size_t layer : stage.layers) layers.push_back(outcome.layers[layer]);
        stages.push_back({{"layers", layers},
                          {"accelerators", stage.accelerators},
                          {"load_s", stage.load.value},
                          {"forward_s", stage.forward.value},
                          {"memory_bytes", number(stage.memory.total())},
                          {"memory", jsonOf(stage.memory)}});
    }
    return stages;
}

/// Time, throughput and degrees, null where there is no plan.
void putPlan(Json& json, const std::optional<Plan>& plan) {
    json["pipeline"] = plan ? Json(plan->stages.size()) : Json();
    json["data"] = plan ? Json(plan->data) : Json();
    json["tensor"] = plan ? Json(plan->tensor) : Json();
}

Json jsonOf(const codesign::Shortage& shortage) {
    Json json{{"least_accelerators", shortage.minAccelerators},
              {"fits_with",
               {{"memory_bytes", shortage.memory ? number(*shortage.memory) : Json()},
                {"accelerators", orNull(shortage.accelerators)},
                {"recompute", shortage.recompute}}},
              {"fullest", nullptr}};
    if (!shortage.closest) return json;
    const Plan& plan = *shortage.closest;
    json["fullest"] = {{"tensor", plan.tensor},
                       {"pipeline", plan.stages.size()},
                       {"stage", shortage.stage},
                       {"memory_bytes", number(plan.stages[shortage.stage].memory.total())},
                       {"memory", jsonOf(plan.stages[shortage.stage].memory)}};
    return json;
}

Json problemJson(const PlacementOutcome& outcome) {
    const codesign::PlacementProblem& problem = outcome.problem;
    Json widths = Json::array();
    for (const codesign::WidthCosts& width : problem.widths) widths.push_back(width.width);
    Json reported = Json::object();
    for (const auto& [key, value] : outcome.reported)
        reported[key] = value < 0 ? Json(value) : wholeWherePossible(value);
    return {{"layers", outcome.layerCount},
            {"widths", widths},
            {"accelerators", problem.accelerators},
            {"micro_batches", problem.microBatches},
            {"memory_bytes", number(problem.memory)},
            {"bandwidth_bytes_per_s", wholeWherePossible(problem.bandwidth.value)},
            {"recompute", problem.recompute},
            {"optimizer", codesign::nameOf(outcome.optimizer)},
            {"optimizer_memory", codesign::nameOf(outcome.rule)},
            {"branches", problem.serialBranches ? "serial" : "parallel"},
            {"global_batch", orNull(outcome.globalBatch)},
            {"reported", reported}};
}

Json jsonOf(const OwnPlan& own, const PlacementOutcome& outcome) {
    Json json{{"given", own.given},
              {"feasible", own.misfit.empty()},
              {"reason", own.misfit.empty() ? Json() : Json(own.misfit)},
              {"time_per_batch_s", own.plan ? Json(own.plan->timePerBatch.value) : Json()},
              {"throughput_samples_per_s", orNull(outcome.throughputOf(own.plan))},
              {"times_the_fastest", orNull(outcome.timesTheFastest())}};
    putPlan(json, own.plan);
    json["stages"] = stagesJson(own.plan, outcome);
    return json;
}

// Reading -------------------------------------------------------------------------------------------------------------

/// The ids of layers as they are met, by which plans hold indices.
class LayerIds {
public:
    std::size_t indexOf(std::int64_t id) {
        const auto [found, isNew] = indices_.try_emplace(id, ids_.size());
        if (isNew) ids_.push_back(id);
        return found->second;
    }
    std::vector<std::int64_t> take() { return std::move(ids_); }

private:
    std::vector<std::int64_t> ids_;
    std::map<std::int64_t, std::size_t> indices_;
};

codesign::StageMemory readMemory(const JsonNode& node) {
    return {.weights = Bytes{node.at("weights_and_gradients_bytes").notNegative()},
            .optimizer = Bytes{node.at("optimizer_bytes").notNegative()},
            .activations = Bytes{node.at("activations_bytes").notNegative()},
            .stashed = Bytes{node.at("in_flight_bytes").notNegative()},
            .inFlight = node.at("micro_batches_in_flight").whole(0, kMax)};
}

/// A plan with its stages; none where its time is null.
std::optional<Plan> readPlan(const JsonNode& node, LayerIds& ids) {
    if (node.at("time_per_batch_s").isNull()) return std::nullopt;
    Plan plan{.timePerBatch = Seconds{node.at("time_per_batch_s").positive()},
              .tensor = node.at("tensor").whole(1, kMax),
              .data = node.at("data").whole(1, kMaxReplicas),
              .stages = {}};
    for (const JsonNode& each : node.at("stages").elements(codesign::kMaxPlacedLayers)) {
        codesign::PlacedStage& stage = plan.stages.emplace_back();
        for (const JsonNode& layer : each.at("layers").elements(codesign::kMaxPlacedLayers))
            stage.layers.push_back(ids.indexOf(layer.whole(std::numeric_limits<std::int64_t>::min(), kMax)));
        stage.accelerators = each.at("accelerators").whole(1, kMax);
        stage.load = Seconds{each.at("load_s").notNegative()};
        stage.forward = Seconds{each.at("forward_s").notNegative()};
        if (stage.forward > stage.load) each.at("forward_s").fail("a part of the load");
        stage.memory = readMemory(each.at("memory"));
    }
    if (plan.stages.empty()) node.at("stages").fail("at least one stage", "an empty list");
    return plan;
}

codesign::Shortage readShortage(const JsonNode& node, std::string reason) {
    codesign::Shortage shortage;
    shortage.reason = std::move(reason);
    shortage.minAccelerators = node.at("least_accelerators").whole(1, kMax);
    const JsonNode with = node.at("fits_with");
    if (!with.at("memory_bytes").isNull()) shortage.memory = Bytes{with.at("memory_bytes").notNegative()};
    if (!with.at("accelerators").isNull()) shortage.accelerators = with.at("accelerators").whole(1, kMax);
    shortage.recompute = with.at("recompute").boolean();
    const JsonNode fullest = node.at("fullest");
    if (fullest.isNull()) return shortage;
    Plan& plan = shortage.closest.emplace();
    plan.tensor = fullest.at("tensor").whole(1, kMax);
    const std::int64_t stages = fullest.at("pipeline").whole(1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
    plan.stages.resize(static_cast<std::size_t>(stages));
    shortage.stage = static_cast<std::size_t>(fullest.at("stage").whole(0, stages - 1));
    plan.stages[shortage.stage].memory = readMemory(fullest.at("memory"));
    return shortage;
}

void readProblem(const JsonNode& node, PlacementOutcome& outcome) {
    codesign::PlacementProblem& problem = outcome.problem;
    outcome.layerCount = node.at("layers").whole(1, static_cast<std::int64_t>(codesign::kMaxPlacedLayers));
    for (const JsonNode& width : node.at("widths").elements(codesign::kMaxWidths))
        problem.widths.push_back({.width = width.whole(1, kMax), .layers = {}, .edges = {}});
    problem.accelerators = node.at("accelerators").whole(1, kMax);
    problem.microBatches = node.at("micro_batches").whole(1, kMax);
    problem.memory = Bytes{node.at("memory_bytes").notNegative()};
    problem.bandwidth = BytesPerSecond{node.at("bandwidth_bytes_per_s").notNegative()};
    problem.recompute = node.at("recompute").boolean();
    std::vector<std::string> rules;
    for (const std::string_view each : codesign::kOptimizerMemoryNames.all()) rules.emplace_back(each);
    outcome.optimizer = readNamed(node.at("optimizer"), kOptimizers);
    outcome.rule = *codesign::kOptimizerMemoryNames.named(node.at("optimizer_memory").oneOf(rules));
    problem.serialBranches = node.at("branches").oneOf({"parallel", "serial"}) == "serial";
    if (!node.at("global_batch").isNull()) outcome.globalBatch = node.at("global_batch").whole(1, kMax);
    for (const auto& [key, value] : node.at("reported").members()) {
        if (outcome.reported.size() == kMaxReported) node.at("reported").fail("at most 1000 fields");
        outcome.reported.emplace_back(key, value.number());
    }
}

OwnPlan readOwnPlan(const JsonNode& node, LayerIds& ids) {
    OwnPlan own{.given = node.at("given").text(kLongestName)};
    own.plan = readPlan(node, ids);
    if (!node.at("feasible").boolean()) own.misfit = node.at("reason").text(kLongestName);
    if (own.misfit.empty() && !own.plan) node.at("time_per_batch_s").fail("the time of a plan that fits");
    return own;
}

}  // namespace

Json placementJson(const Result& result) {
    const auto& outcome = result.outcome.get<PlacementOutcome>();
    const Placement& placement = outcome.placement;
    Json json = documentHead("tessera.placement-result/1", "place", result.inputs);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json["study_name"] = result.study.name;
    if (!outcome.name.empty()) json["name"] = outcome.name;
    json["parameters"] = *result.study.parameters;
    json["problem"] = problemJson(outcome);
    json["feasible"] = placement.plan.has_value();
    json["reason"] = placement.shortage ? Json(placement.shortage->reason) : Json();
    json["time_per_batch_s"] = placement.plan ? Json(placement.plan->timePerBatch.value) : Json();
    json["throughput_samples_per_s"] = orNull(outcome.throughputOf(placement.plan));
    putPlan(json, placement.plan);
    json["stages"] = stagesJson(placement.plan, outcome);
    json["optimal"] = placement.optimal;
    json["lower_bound_s"] = placement.plan ? Json(placement.lowerBound.value) : Json();
    json["gap"] = placement.plan ? Json(outcome.gap()) : Json();
    json["cuts"] = outcome.cuts;
    json["shortage"] = placement.shortage ? jsonOf(*placement.shortage) : Json();
    if (outcome.own) json["own_plan"] = jsonOf(*outcome.own, outcome);
    finishDocument(json, result.assumptions, result.warnings);
    return json;
}

Result readPlacementResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    // `name` is the model's.
    result.study.name = document.has("study_name") ? document.at("study_name").text(kLongestName) : "";
    PlacementOutcome outcome;
    outcome.name = document.has("name") ? document.at("name").text(kLongestName) : "";
    readProblem(document.at("problem"), outcome);
    LayerIds ids;
    Placement& placement = outcome.placement;
    placement.plan = readPlan(document, ids);
    if (document.at("feasible").boolean() != placement.plan.has_value())
        document.at("feasible").fail("whether there is a plan");
    placement.optimal = document.at("optimal").boolean();
    if (placement.plan) placement.lowerBound = Seconds{document.at("lower_bound_s").notNegative()};
    if (!document.at("shortage").isNull())
        placement.shortage = readShortage(document.at("shortage"), document.at("reason").text(kLongestName));
    placement.warnings = result.warnings;
    outcome.cuts = static_cast<std::size_t>(document.at("cuts").whole(2, kMax));
    if (document.has("own_plan")) outcome.own = readOwnPlan(document.at("own_plan"), ids);
    outcome.layers = ids.take();
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

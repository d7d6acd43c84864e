#include "core/study/partition/document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/number.h"
#include "core/study/document_study.h"
#include "core/study/partition/outcome.h"
#include "core/study/provenance.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::JoinPlan;
using partition::LayerPlan;
using partition::LevelPlan;
using partition::Plan;
using partition::SubsetPlan;

constexpr std::size_t kMaxRows = 10'000'000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

template <typename Row>
Json rowsJson(const LevelPlan& level, const std::vector<Row>& rows, const std::vector<std::string>& names) {
    Json list = Json::array();
    for (const Row& row : rows) {
        Json& json = list.emplace_back(Json::object());
        putRow(level, row, names.at(toIndex(row.layer)),
               [&](const char* key, const auto& value) { json[key] = value; });
    }
    return list;
}

Json levelJson(const LevelPlan& level, const std::vector<std::string>& names) {
    Json json = levelHead(level);
    json["layers"] = rowsJson(level, level.layers, names);
    json["joins"] = rowsJson(level, level.joins, names);
    return json;
}

Json shareJson(const AcceleratorShare& share) {
    Json json = {{"kind", share.kind},
                 {"count", share.count},
                 {"compute_s", share.compute.value},
                 {"communication_s", share.communication.value},
                 {"memory_bytes", share.memory.value}};
    if (share.capacity) json["capacity_bytes"] = share.capacity->value;
    json["fits"] = share.fits;
    if (share.layerCompute.empty()) return json;
    json["parameter_elements"] = share.parameters;
    json["activation_elements"] = share.activations;
    Json& path = json["path"] = Json::array();
    for (const partition::PathStep& step : share.path)
        path.push_back({{"split", step.split}, {"side", step.first ? "i" : "j"}});
    Json& layers = json["layer_compute_s"] = Json::array();
    for (const Seconds time : share.layerCompute) layers.push_back(time.value);
    return json;
}

Json subsetJson(const SubsetPlan& subset) {
    return {{"idle_groups", subset.idle},
            {"accelerators", subset.accelerators},
            {"step_time_s", subset.stepTime.value},
            {"speedup_over_dp", subset.speedupOverDp},
            {"lower_bound_s", subset.lowerBound.value}};
}

std::vector<std::string> namesIn(const JsonNode& node) {
    std::vector<std::string> names;
    for (const JsonNode& name : node.elements(kMaxRows)) names.push_back(name.text(kLongestName));
    return names;
}

/// A number; null stands for one that JSON has no word for, and reads as NaN so that it is written as null again.
double numberIn(const JsonNode& node) {
    return node.isNull() ? std::numeric_limits<double>::quiet_NaN() : node.number();
}

double numberAt(const JsonNode& node, const std::string& key) {
    return numberIn(node.at(key));
}

Seconds secondsAt(const JsonNode& node, const std::string& key) {
    return {numberAt(node, key)};
}

template <typename Value, std::size_t Count>
Value wordAt(const JsonNode& node, const std::string& key, const std::array<Value, Count>& values) {
    std::vector<std::string> words;
    for (const Value value : values) words.emplace_back(partition::nameOf(value));
    const std::string word = node.at(key).oneOf(words);
    return values[static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin())];
}

partition::Type typeAt(const JsonNode& node) {
    using partition::Type;
    return wordAt(node, "type", std::array{Type::I, Type::II, Type::III});
}

partition::Layout layoutAt(const JsonNode& node) {
    using partition::Layout;
    return wordAt(node, "layout", std::array{Layout::rows, Layout::channels, Layout::duplicated});
}

void readOther(LevelPlan& level, const JsonNode& row, std::int32_t layer, std::size_t layers) {
    if (!row.has("other_inter_s")) return;
    level.other.resize(layers);
    if (row.has("other_intra_s")) level.other[toIndex(layer)].intra = secondsAt(row, "other_intra_s");
    level.other[toIndex(layer)].inter = secondsAt(row, "other_inter_s");
}

partition::SplitHardware readHardware(const JsonNode& node) {
    return {.flopsI = {numberAt(node, "flops_i")},
            .flopsJ = {numberAt(node, "flops_j")},
            .rateI = {numberAt(node, "rate_i_bytes_per_s")},
            .rateJ = {numberAt(node, "rate_j_bytes_per_s")},
            .latency = secondsAt(node, "latency_s")};
}

LevelPlan readLevel(const JsonNode& node, const LayerNames& names) {
    LevelPlan level;
    level.level = static_cast<int>(node.at("level").whole(0, 1000));
    level.group = node.at("group").text(kLongestName);
    level.accelerators = node.at("accelerators").whole(1, kMaxCount);
    level.occurrences = node.at("occurrences").whole(1, kMaxCount);
    level.ratio = node.at("ratio").number();
    if (!(level.ratio >= 0 && level.ratio <= 1)) node.at("ratio").fail("a number from 0 to 1");
    level.objective = secondsAt(node, "objective_s");
    level.sideI = secondsAt(node, "side_i_s");
    level.sideJ = secondsAt(node, "side_j_s");
    level.lowerBound = secondsAt(node, "lower_bound_s");
    if (node.has("hardware")) level.hardware = readHardware(node.at("hardware"));
    std::int32_t last = -1;
    for (const JsonNode& row : node.at("layers").elements(kMaxRows)) {
        last = names.find(row.at("name"), last);
        level.layers.push_back({.layer = last,
                                .type = typeAt(row),
                                .compute = secondsAt(row, "compute_s"),
                                .intra = secondsAt(row, "intra_s"),
                                .inter = secondsAt(row, "inter_s")});
        readOther(level, row, last, names.size());
    }
    last = -1;
    for (const JsonNode& row : node.at("joins").elements(kMaxRows)) {
        last = names.find(row.at("name"), last);
        level.joins.push_back({.layer = last,
                               .layout = layoutAt(row),
                               .compute = secondsAt(row, "compute_s"),
                               .inter = secondsAt(row, "inter_s")});
        readOther(level, row, last, names.size());
    }
    return level;
}

AcceleratorShare readShare(const JsonNode& node, const Plan& plan, const LayerNames& names) {
    AcceleratorShare share;
    share.kind = node.at("kind").text(kLongestName);
    share.count = node.at("count").whole(1, kMaxCount);
    share.compute = secondsAt(node, "compute_s");
    share.communication = secondsAt(node, "communication_s");
    share.memory = {numberAt(node, "memory_bytes")};
    if (node.has("capacity_bytes")) share.capacity = Bytes{numberAt(node, "capacity_bytes")};
    share.fits = node.at("fits").boolean();
    if (!node.has("layer_compute_s")) return share;
    share.parameters = numberAt(node, "parameter_elements");
    share.activations = numberAt(node, "activation_elements");
    for (const JsonNode& step : node.at("path").elements(plan.levels.size())) {
        const auto split = step.at("split").whole(0, static_cast<std::int64_t>(plan.levels.size()) - 1);
        share.path.push_back({static_cast<std::int32_t>(split), step.at("side").oneOf({"i", "j"}) == "i"});
    }
    const JsonNode times = node.at("layer_compute_s");
    for (const JsonNode& time : times.elements(kMaxRows)) share.layerCompute.push_back({numberIn(time)});
    if (share.layerCompute.size() != names.size())
        times.fail("one time for each of " + std::to_string(names.size()) + " layers",
                   "a list of " + std::to_string(share.layerCompute.size()));
    return share;
}

}  // namespace

LayerNames::LayerNames(const std::vector<std::string>& names) : names_(&names) {
    for (std::size_t n = 0; n < names.size(); ++n) indices_[names[n]].push_back(static_cast<std::int32_t>(n));
}

std::int32_t LayerNames::find(const JsonNode& name, std::int32_t after) const {
    const auto found = indices_.find(name.text(kLongestName));
    if (found == indices_.end()) name.fail("the name of a layer of this model");
    const std::vector<std::int32_t>& places = found->second;
    const auto next = std::upper_bound(places.begin(), places.end(), after);
    return next == places.end() ? places.front() : *next;
}

Json planHead(const Plan& plan) {
    return {{"step_time_s", plan.stepTime.value},
            {"throughput_samples_per_s", plan.throughput},
            {"speedup_over_dp", plan.speedupOverDp},
            {"idle_groups", plan.idle},
            {"cost_s", plan.cost.value},
            {"lower_bound_s", plan.lowerBound.value},
            {"bounds", plan.boundsCost ? "cost_s" : "step_time_s"},
            {"bounds_subsets", plan.boundsSubsets},
            {"gap", plan.gap},
            {"optimal", plan.optimal},
            {"ended_by", nameOf(plan.endedBy)},
            {"fits", plan.fits}};
}

Json levelHead(const LevelPlan& level) {
    Json json = {{"level", level.level},
                 {"group", level.group},
                 {"accelerators", level.accelerators},
                 {"occurrences", level.occurrences},
                 {"ratio", level.ratio},
                 {"objective_s", level.objective.value},
                 {"side_i_s", level.sideI.value},
                 {"side_j_s", level.sideJ.value},
                 {"lower_bound_s", level.lowerBound.value}};
    if (level.hardware)
        json["hardware"] = {{"flops_i", level.hardware->flopsI.value},
                            {"flops_j", level.hardware->flopsJ.value},
                            {"rate_i_bytes_per_s", level.hardware->rateI.value},
                            {"rate_j_bytes_per_s", level.hardware->rateJ.value},
                            {"latency_s", level.hardware->latency.value}};
    return json;
}

Json planTail(const Plan& plan) {
    Json json = Json::object();
    Json& shares = json["per_accelerator"] = Json::array();
    for (const AcceleratorShare& share : plan.shares) shares.push_back(shareJson(share));
    Json& without = json["without_group"] = Json::object();
    const SubsetPlan* whole = partition::wholeFleetOf(plan);
    for (const SubsetPlan& subset : plan.subsets)
        if (subset.idle.size() == 1 && whole != nullptr)
            without[subset.idle.front()] = {{"step_time_s", subset.stepTime.value},
                                            {"speedup_over_dp", subset.speedupOverDp},
                                            {"faster", subset.stepTime < whole->stepTime}};
    Json& subsets = json["subsets"] = Json::array();
    for (const SubsetPlan& subset : plan.subsets) subsets.push_back(subsetJson(subset));
    json["subsets_ruled_out"] = plan.subsetsRuledOut;
    json["subsets_left"] = plan.subsetsLeft;
    return json;
}

Json planJson(const Plan& plan, const std::vector<std::string>& names) {
    Json json = planHead(plan);
    Json& levels = json["levels"] = Json::array();
    for (const LevelPlan& level : plan.levels) levels.push_back(levelJson(level, names));
    json.update(planTail(plan));
    return json;
}

namespace {

void readSubsets(Plan& plan, const JsonNode& node) {
    plan.idle = namesIn(node.at("idle_groups"));
    plan.boundsSubsets = node.at("bounds_subsets").boolean();
    for (const JsonNode& row : node.at("subsets").elements(kMaxRows)) {
        SubsetPlan subset;
        subset.idle = namesIn(row.at("idle_groups"));
        subset.accelerators = row.at("accelerators").whole(1, kMaxCount);
        subset.stepTime = secondsAt(row, "step_time_s");
        subset.speedupOverDp = numberAt(row, "speedup_over_dp");
        subset.lowerBound = secondsAt(row, "lower_bound_s");
        plan.subsets.push_back(std::move(subset));
    }
    plan.subsetsRuledOut = node.at("subsets_ruled_out").whole(0, kMaxCount);
    plan.subsetsLeft = node.at("subsets_left").whole(0, kMaxCount);
}

/// Documents of older programs: the plan is always that of the whole fleet, and single groups were left out in turn.
void readWithoutGroup(Plan& plan, const JsonNode& node) {
    std::int64_t all = 0;
    std::map<std::string, std::int64_t> counts;
    for (const AcceleratorShare& share : plan.shares) all += counts[share.kind] = share.count;
    for (const auto& [group, other] : node.members())
        plan.subsets.push_back({.idle = {group},
                                .accelerators = all - counts[group],
                                .stepTime = secondsAt(other, "step_time_s"),
                                .speedupOverDp = numberAt(other, "speedup_over_dp"),
                                .lowerBound = {}});
    if (plan.subsets.empty()) return;
    plan.subsets.push_back({{}, all, plan.stepTime, plan.speedupOverDp, plan.boundsCost ? Seconds{} : plan.lowerBound});
    std::stable_sort(plan.subsets.begin(), plan.subsets.end(),
                     [](const SubsetPlan& a, const SubsetPlan& b) { return a.stepTime < b.stepTime; });
}

}  // namespace

Plan readPlan(const JsonNode& node, const std::string& strategy, const LayerNames& names) {
    Plan plan;
    plan.strategy = strategy;
    plan.stepTime = secondsAt(node, "step_time_s");
    plan.throughput = numberAt(node, "throughput_samples_per_s");
    plan.speedupOverDp = numberAt(node, "speedup_over_dp");
    plan.cost = secondsAt(node, "cost_s");
    plan.lowerBound = secondsAt(node, "lower_bound_s");
    plan.boundsCost = node.at("bounds").oneOf({"cost_s", "step_time_s"}) == "cost_s";
    plan.gap = numberAt(node, "gap");
    plan.optimal = node.at("optimal").boolean();
    plan.endedBy = readEndedBy(node.at("ended_by"));
    plan.fits = node.at("fits").boolean();
    for (const JsonNode& level : node.at("levels").elements()) plan.levels.push_back(readLevel(level, names));
    for (const JsonNode& share : node.at("per_accelerator").elements())
        plan.shares.push_back(readShare(share, plan, names));
    if (node.has("subsets"))
        readSubsets(plan, node);
    else
        readWithoutGroup(plan, node.at("without_group"));
    return plan;
}

Json groupJson(const GroupNumbers& group) {
    Json json = {{"name", group.name},
                 {"accelerator", group.accelerator},
                 {"count", group.count},
                 {"peak_flops", group.peak.value},
                 {"efficiency", group.efficiency},
                 {"network_bytes_per_s", group.rate.value}};
    if (group.capacity) json["capacity_bytes"] = group.capacity->value;
    json["sources"] = sourcesJson(group.sources);
    return json;
}

GroupNumbers readGroup(const JsonNode& node) {
    GroupNumbers group;
    group.name = node.at("name").text(kLongestName);
    group.accelerator = node.at("accelerator").text(kLongestName);
    group.count = node.at("count").whole(1, kMaxCount);
    group.peak = {numberAt(node, "peak_flops")};
    group.efficiency = numberAt(node, "efficiency");
    group.rate = {numberAt(node, "network_bytes_per_s")};
    if (node.has("capacity_bytes")) group.capacity = Bytes{numberAt(node, "capacity_bytes")};
    group.sources = readSources(node.at("sources"));
    return group;
}

}  // namespace tessera::study

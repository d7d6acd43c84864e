#include "core/study/partition/document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"
#include "core/study/partition/outcome.h"
#include "core/study/partition/study.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::Plan;
using partition::SubsetPlan;

constexpr DocumentKind kKind{.schema = "tessera.partition-result/1",
                             .command = "partition",
                             .about = "How a model's layers are split over a fleet, by strategy. Times in seconds.",
                             .seeded = true};
/// Null, which stands for what is not finite, is read, but no plan is to hold it.
constexpr NumberRule kFinite{kOrUnknown.read};
constexpr std::string_view kShareOfWhole = R"({"minimum": 0, "maximum": 1})";
constexpr Key kParameters{
    "parameters", "Of the study, by name.",
    R"({"type": "object", "allOf": [{"$ref": "study.schema.json#/oneOf/0/properties/parameters"}]})"};
constexpr Key kOthers{"without_group",
                      "Of `subsets`, those with one idle group, by its name; `faster` is against the whole fleet.",
                      R"({"additionalProperties": {
        "type": "object",
        "required": ["step_time_s", "speedup_over_dp", "faster"],
        "additionalProperties": false,
        "properties": {"step_time_s": {"type": "number"},
                       "speedup_over_dp": {"type": "number"},
                       "faster": {"type": "boolean"}}}})"};
constexpr Key kOtherIntra{"other_intra_s", "On the faster side, where it differs."};
constexpr Key kOtherInter{"other_inter_s", "On the faster side, where it differs."};
constexpr std::size_t kLongestName = 1'000'000;
constexpr std::size_t kMaxLayers = 10'000'000;
constexpr std::int64_t kDeepest = 1000;
constexpr std::array kSides{std::pair(true, std::string_view("i")), std::pair(false, std::string_view("j"))};
constexpr std::array kBounded{std::pair(true, std::string_view("cost_s")),
                              std::pair(false, std::string_view("step_time_s"))};

// Levels --------------------------------------------------------------------------------------------------------------

/// The name of the layer that a row is about, by which a reader finds it: of several the first after `after`.
void putName(DocumentWriter& doc, std::int32_t layer, const std::vector<std::string>& names, std::int32_t /*after*/) {
    doc("name", names.at(toIndex(layer)));
}
void putName(DocumentSchema& doc, std::int32_t /*layer*/, const std::vector<std::string>& /*names*/,
             std::int32_t /*after*/) {
    doc("name", std::string());
}
void putName(const DocumentReader& doc, std::int32_t& layer, const LayerNames& names, std::int32_t after) {
    layer = names.find(doc.at("name"), after);
}

/// What the other side moves, where it differs.
constexpr auto kOther = [](auto& doc, auto& others, std::int32_t layer, std::size_t layers, bool intra) {
    const std::size_t at = toIndex(layer);
    if (!doc.has("other_inter_s", at < others.size())) return;
    if constexpr (kReads<decltype(doc)>) others.resize(layers);
    if constexpr (kDescribes<decltype(doc)>) others.resize(at + 1);
    auto&& other = others[at];
    if (intra && doc.has("other_intra_s", true)) doc(kOtherIntra, other.intra, kFinite);
    doc(kOtherInter, other.inter, kFinite);
};

/// A list of rows as a document has it: to be written, itself; to be read or described, one that is filled entry by
/// entry, which `close` makes it of.
template <typename Doc, typename Rows>
decltype(auto) opened(Rows& rows) {
    if constexpr (kReads<Doc> || kDescribes<Doc>)
        return rows.all();
    else
        return (rows);
}
template <typename Doc, typename Rows, typename Opened>
void close(Rows& rows, Opened&& filled) {
    if constexpr (kReads<Doc> || kDescribes<Doc>) rows = std::forward<Opened>(filled);
}

constexpr auto kHardware = [](auto& doc, auto& hardware) {
    doc({"flops_i", "FLOP/s of all accelerators of the first side."}, hardware.flopsI, kFinite);
    doc("flops_j", hardware.flopsJ, kFinite);
    doc({"rate_i_bytes_per_s", "Of one accelerator of the first side, as far as the link between the sides lets it."},
        hardware.rateI, kFinite);
    doc("rate_j_bytes_per_s", hardware.rateJ, kFinite);
    doc({"latency_s", "Per transfer."}, hardware.latency, kFinite);
};

/// Into how many parts a level cuts a layer or join.
constexpr auto kDegrees = [](auto& doc, auto& degrees) {
    if (!doc.has("batch_parts", true)) return;
    doc({"batch_parts", "With physical costs: cuts of the samples (of a join: of its rows)."}, degrees.batch, 1);
    doc({"in_parts", "With physical costs: cuts of the input channels."}, degrees.in, 1);
    doc({"out_parts", "With physical costs: cuts of the output channels, groups or heads."}, degrees.out, 1);
};

constexpr auto kLevel = [](auto& doc, auto& level, const auto& names) {
    doc({"level", "0 is the top-level split."}, level.level, 0, kDeepest);
    doc("group", level.group);
    doc({"accelerators", "In the group before the split."}, level.accelerators, 1);
    doc({"occurrences", "Equal groups that this plan stands for."}, level.occurrences, 1);
    const bool hasParts = doc.has("parts", level.parts > 0);
    if (hasParts) doc({"parts", "With physical costs: units that this level of the network joins."}, level.parts, 1);
    doc({"ratio", "Share of the first side.", kShareOfWhole}, level.ratio);
    doc.require(level.ratio >= 0 && level.ratio <= 1, "ratio", "a number from 0 to 1");
    doc({"objective_s", "What the types were chosen by."}, level.objective, kFinite);
    doc("side_i_s", level.sideI, kFinite);
    doc("side_j_s", level.sideJ, kFinite);
    doc("lower_bound_s", level.lowerBound, kFinite);
    doc.object({"hardware", "What the two sides compute and communicate with."}, level.hardware, kHardware);
    using Doc = decltype(doc);
    auto&& layers = opened<Doc>(level.layers);
    auto&& joins = opened<Doc>(level.joins);
    auto&& other = opened<Doc>(level.other);
    doc.list("layers", layers, [&](auto& row, auto& layer, std::size_t number) {
        putName(row, layer.layer, names, number > 0 ? layers[number - 1].layer : -1);
        row("type", layer.type, partition::kTypeNames);
        if (hasParts) kDegrees(row, layer.degrees);
        row("compute_s", layer.compute, kFinite);
        row("intra_s", layer.intra, kFinite);
        row("inter_s", layer.inter, kFinite);
        kOther(row, other, layer.layer, names.size(), true);
    });
    doc.list("joins", joins, [&](auto& row, auto& join, std::size_t number) {
        putName(row, join.layer, names, number > 0 ? joins[number - 1].layer : -1);
        row("layout", join.layout, partition::kLayoutNames);
        if (hasParts) kDegrees(row, join.degrees);
        row("compute_s", join.compute, kFinite);
        row("inter_s", join.inter, kFinite);
        kOther(row, other, join.layer, names.size(), false);
    });
    close<Doc>(level.layers, layers);
    close<Doc>(level.joins, joins);
    close<Doc>(level.other, other);
};

// Plans ---------------------------------------------------------------------------------------------------------------

constexpr auto kShare = [](auto& doc, auto& share, std::size_t levels, std::size_t layers) {
    doc("kind", share.kind);
    doc("count", share.count, 1);
    doc("compute_s", share.compute, kFinite);
    doc("communication_s", share.communication, kFinite);
    doc({"memory_bytes", "", kFromZero}, share.memory, kFinite);
    doc({"capacity_bytes", "", kFromZero}, share.capacity, kFinite);
    doc("fits", share.fits);
    if (!doc.has("layer_compute_s", !share.layerCompute.empty())) return;
    doc({"parameter_elements", "Weights of the shard that memory_bytes counts."}, share.parameters, kFinite);
    doc({"activation_elements", "Activations of the shard that memory_bytes counts."}, share.activations, kFinite);
    doc.list(
        {"path", "The splits from the whole fleet down to the slowest accelerator of this kind."}, share.path,
        [&](auto& row, auto& step) {
            row({"split", "Index into levels."}, step.split, 0, static_cast<std::int64_t>(levels) - 1);
            row("side", step.first, kSides);
        },
        levels);
    auto&& compute = opened<decltype(doc)>(share.layerCompute);
    doc({"layer_compute_s", "Compute of the slowest accelerator, in the order of the document's layers."}, compute,
        kFinite);
    doc.requireSize("layer_compute_s", compute.size(), layers, "one time for each of {} layers");
    close<decltype(doc)>(share.layerCompute, compute);
};

constexpr auto kSubset = [](auto& doc, auto& subset) {
    doc({"idle_groups", "Empty: the whole fleet."}, subset.idle);
    doc({"accelerators", "That take part."}, subset.accelerators, 1);
    doc("step_time_s", subset.stepTime, kFinite);
    doc("speedup_over_dp", subset.speedupOverDp, kFinite);
    doc({"lower_bound_s", "Of the step time if exactly these groups take part; 0 where it is not known."},
        subset.lowerBound, kFinite);
};

/// Of the subsets those without one group.
constexpr auto kWithoutGroup = [](auto& doc, auto& plan) {
    const SubsetPlan* whole = partition::wholeFleetOf(plan);
    for (const SubsetPlan& subset : plan.subsets)
        if (subset.idle.size() == 1 && whole != nullptr)
            doc.group(subset.idle.front(), [&](auto& other) {
                other("step_time_s", subset.stepTime);
                other("speedup_over_dp", subset.speedupOverDp);
                other("faster", subset.stepTime < whole->stepTime);
            });
};

/// Documents of older programs: the plan is always that of the whole fleet, and single groups were left out in turn.
void readWithoutGroup(Plan& plan, const JsonNode& node) {
    std::int64_t all = 0;
    std::map<std::string, std::int64_t> counts;
    for (const AcceleratorShare& share : plan.shares) all += counts[share.kind] = share.count;
    for (const auto& [group, other] : node.members())
        plan.subsets.push_back({.idle = {group},
                                .accelerators = all - counts[group],
                                .stepTime = {detail::readNumber(other.at("step_time_s"), kFinite)},
                                .speedupOverDp = detail::readNumber(other.at("speedup_over_dp"), kFinite),
                                .lowerBound = {}});
    if (plan.subsets.empty()) return;
    plan.subsets.push_back({{}, all, plan.stepTime, plan.speedupOverDp, plan.boundsCost ? Seconds{} : plan.lowerBound});
    std::stable_sort(plan.subsets.begin(), plan.subsets.end(),
                     [](const SubsetPlan& a, const SubsetPlan& b) { return a.stepTime < b.stepTime; });
}

constexpr auto kPlan = [](auto& doc, auto& plan, const auto& names) {
    const bool subsets = doc.has("subsets");
    doc("step_time_s", plan.stepTime, kFinite);
    doc("throughput_samples_per_s", plan.throughput, kFinite);
    doc({"speedup_over_dp", "Over data parallelism that chooses among the same subsets of the fleet."},
        plan.speedupOverDp, kFinite);
    if (subsets)
        doc({"idle_groups", "Groups of the fleet that take no part in this plan, in the order of the file."},
            plan.idle);
    doc({"cost_s", "Of level 0, by the rule of the chosen ratio and objective."}, plan.cost, kFinite);
    doc({"lower_bound_s", "Of what `bounds` names: no plan that is free in the same things takes less."},
        plan.lowerBound, kFinite);
    doc({"bounds", "What lower_bound_s, gap and optimal speak of: cost_s where there is one level, else step_time_s."},
        plan.boundsCost, kBounded);
    if (subsets)
        doc({"bounds_subsets",
             "Whether lower_bound_s holds whichever groups take part; else only if the same groups do."},
            plan.boundsSubsets);
    doc({"gap", "Value over lower bound, minus 1."}, plan.gap, kFinite);
    doc("optimal", plan.optimal);
    doc({"ended_by",
         "`proof` where the bound was met, `search` where the search ended by its own rule, `stop` where it was "
         "stopped."},
        plan.endedBy);
    doc({"fits", "Whether every accelerator's memory holds its share."}, plan.fits);
    doc.list("levels", plan.levels, [&](auto& row, auto& level) { kLevel(row, level, names); });
    doc.list("per_accelerator", plan.shares,
             [&](auto& row, auto& share) { kShare(row, share, plan.levels.size(), names.size()); });
    if constexpr (kReads<decltype(doc)>)
        if (!subsets) return readWithoutGroup(plan, doc.at("without_group"));
    doc.derived(kOthers, plan, kWithoutGroup);
    doc.list({"subsets",
              "The subsets of the fleet's groups that were solved, best first, the whole fleet among them; equal "
              "groups stand for one another. Empty where every group has to take part."},
             plan.subsets, kSubset);
    doc({"subsets_ruled_out", "Further subsets whose lower bound is no less than this plan's step time."},
        plan.subsetsRuledOut);
    doc({"subsets_left", "Further subsets of which only a lower bound was worked out."}, plan.subsetsLeft);
};

// The whole -----------------------------------------------------------------------------------------------------------

constexpr auto kGroup = [](auto& doc, auto& group) {
    doc("name", group.name);
    doc("accelerator", group.accelerator);
    doc("count", group.count, 1);
    doc({"peak_flops", "FLOP/s of one accelerator in the study's data type."}, group.peak, kFinite);
    doc({"efficiency", "Share of the peak that matrix products reach."}, group.efficiency, kFinite);
    doc({"network_bytes_per_s", "Of one accelerator."}, group.rate, kFinite);
    doc("capacity_bytes", group.capacity, kFinite);
    doc({"sources", "By the field's name."}, group.sources);
};

/// Documents of the first programs name the layers in the splits only.
std::vector<std::string> layerNames(const JsonNode& document) {
    if (document.has("layers")) return readSentences(document.at("layers"), kMaxLayers);
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const auto& [strategy, plan] : document.at("strategies").members())
        for (const JsonNode& level : plan.at("levels").elements(kMaxLayers))
            for (const char* rows : {"layers", "joins"})
                for (const JsonNode& row : level.at(rows).elements(kMaxLayers)) {
                    const std::string name = row.at("name").text(kLongestName);
                    if (seen.insert(name).second) names.push_back(name);
                }
    return names;
}

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc("model", outcome.model);
    doc("fleet", outcome.fleet);
    doc("accelerators", outcome.accelerators, 1);
    if (doc.has("groups", !outcome.groups.empty()))
        doc.list({"groups", "The numbers of the fleet's groups that the result rests on, with where they come from."},
                 outcome.groups, kGroup);
    doc("batch", outcome.result.batch, kPositive.asWhole());
    if (doc.has("cost_model", outcome.result.costs != partition::Costs::paper))
        doc({"cost_model", "Of results with other costs than the paper's."}, outcome.result.costs,
            partition::kCostsNames);
    doc.derived("dtype", [&] { return result.study.parameters->value("dtype", "bf16"); });
    doc.derived(kParameters, *result.study.parameters);
    auto& plans = outcome.result.plans;
    auto& layers = outcome.result.names;
    // With one strategy there is one cost, and scripts that solve a single split look for it here.
    if constexpr (kDescribes<decltype(doc)>) plans.emplace_back();
    if (doc.where(plans.size() == 1))
        doc.derived({"cost_s", "Of the only strategy, where one was asked for."}, plans[0].cost);
    const auto putPlans = [&](const auto& names) {
        doc.byName({"strategies", "By the strategy's name."}, plans, &Plan::strategy,
                   [&](auto& inner, auto& plan) { kPlan(inner, plan, names); });
    };
    if constexpr (kReads<decltype(doc)>) {
        layers = layerNames(doc.node());
        putPlans(LayerNames(layers));
    } else {
        if (doc.has("layers", true))
            doc({"layers", "The names of the layers and joins, in the network's order."}, layers);
        putPlans(layers);
    }
    doc.require(!plans.empty(), "strategies", "at least one strategy", "an empty object");
};

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

Json planJson(const Plan& plan, const std::vector<std::string>& names) {
    return jsonOf(plan, [&](auto& doc, auto& of) { kPlan(doc, of, names); });
}

Plan readPlan(const JsonNode& node, const std::string& strategy, const LayerNames& names) {
    Plan plan = readMembers<Plan>(node, [&](auto& doc, auto& of) { kPlan(doc, of, names); });
    plan.strategy = strategy;
    return plan;
}

void writePartitionJson(const Result& result, const TextSink& write) {
    writeDocument<PartitionOutcome>(result, write, kKind, kDocument);
}

Result readPartitionResult(const JsonNode& document, const Study& study) {
    return readDocument<PartitionOutcome>(document, study, kKind, kDocument);
}

Json partitionSchema() {
    return documentSchema<PartitionOutcome>(kKind, kDocument);
}

const partition::Plan* fastestPlan(const PartitionOutcome& outcome) {
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    // With physical costs a strategy that is exact within memory is not to lose to one that does not fit.
    const bool asksMemory = outcome.result.costs == partition::Costs::physical;
    const auto best =
        std::min_element(plans.begin(), plans.end(), [&](const partition::Plan& a, const partition::Plan& b) {
            return asksMemory && a.fits != b.fits ? a.fits : a.stepTime < b.stepTime;
        });
    return best == plans.end() ? nullptr : &*best;
}

}  // namespace tessera::study

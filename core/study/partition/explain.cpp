#include "core/study/partition/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/array.h"
#include "core/study/field_metrics.h"
#include "core/study/metric.h"
#include "core/study/partition/fields.h"
#include "core/study/partition/study.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::LevelPlan;
using partition::Plan;

constexpr std::string_view kPaper = "AccPar (Song et al., HPCA 2020)";
constexpr std::string_view kFromResult = "this result";

std::string paper(std::string_view place) {
    return fmt::format("{}, {}", kPaper, place);
}

std::string bytes(double value) {
    return formatQuantity(value, Measure::bytes);
}

std::string network(BytesPerSecond rate) {
    return formatQuantity(toBitsPerSecond(rate), Measure::bitsPerSecond);
}

/// Everything that an explanation draws on.
struct Context {
    const Result* result = nullptr;
    const PartitionOutcome* outcome = nullptr;
    const Plan* plan = nullptr;

    bool isPhysical() const { return outcome->result.costs == partition::Costs::physical; }
    bool paperModel() const {
        const partition::Strategy* row = partition::findStrategy(plan->strategy);
        return row != nullptr && row->paperModel;
    }
    bool overlap() const { return parameter("overlap") == "comm"; }
    std::string parameter(const std::string& name) const {
        const auto found = result->study.parameters->find(name);
        if (found == result->study.parameters->end() || found->is_null()) return "";
        return found->is_string() ? found->get<std::string>() : found->dump();
    }
    std::string at(const std::string& place) const { return fmt::format("{}, {}", plan->strategy, place); }
};

/// Collects one explanation.
class Builder {
public:
    /// What is explained: a number of a row as its field says it, and whose it is.
    template <typename Row>
    Builder(const Context& context, const Field<Row>& field, const Row& row, const std::string& whose)
        : context_(&context) {
        made_.title = std::string(field.title) + whose;
        made_.value = textOf(field, row);
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        made_.exact = number == nullptr ? exactOf(field, row) : exactWithUnit(field.id, *number, field.measure);
    }
    Builder& formula(std::string text) {
        made_.formula = std::move(text);
        return *this;
    }
    Builder& source(std::string text) {
        made_.source = std::move(text);
        return *this;
    }
    Builder& note(std::string text) {
        if (!text.empty()) made_.notes.push_back(std::move(text));
        return *this;
    }
    Builder& term(std::string name, std::string value, std::string_view whereFrom) {
        made_.terms.push_back({std::move(name), std::move(value), std::string(whereFrom)});
        return *this;
    }
    Builder& parameter(const std::string& name, const std::string& meaning) {
        const std::string value = context_->parameter(name);
        return value.empty() ? *this : term(meaning, value, "parameter " + name);
    }

    /// A number of one accelerator of a group, with the sentence that the hardware file gives for it.
    Builder& groupNumber(const std::string& kind, const std::string& field) {
        const auto& groups = context_->outcome->groups;
        const auto group = std::find_if(groups.begin(), groups.end(),
                                        [&](const GroupNumbers& candidate) { return candidate.name == kind; });
        if (group == groups.end()) return *this;
        std::string from = fmt::format("fleet {}, group {}, {}", inQuotes(context_->outcome->fleet), inQuotes(kind),
                                       inQuotes(group->accelerator));
        const auto source = group->sources.find(field);
        if (source == group->sources.end())
            from += "; its file names no source";
        else
            from += (source->second.reliability.empty() ? ": " : ", ") + escaped(hardware::whereFrom(source->second));
        const std::string one = " of one " + escaped(kind);
        if (field == "peak_flops")
            return term("peak rate" + one, formatQuantity(group->peak.value, Measure::flopsPerSecond), from);
        if (field == "efficiency") return term("efficiency" + one, percentText(group->efficiency), from);
        if (field == "network_bytes_per_s") return term("network rate" + one, network(group->rate), from);
        if (field == "capacity_bytes" && group->capacity)
            return term("memory" + one, bytes(group->capacity->value), from);
        if (field == "count") return term("accelerators of group " + escaped(kind), formatCount(group->count), from);
        return *this;
    }
    /// What all times of the paper's own cost model rest on.
    Builder& paperNote() {
        if (context_->paperModel())
            note(
                "accpar-paper takes the paper's section 5.3 literally: all that a side does, transfers included, is "
                "multiplied by its ratio, and shapes below the top-level split are halved.");
        return *this;
    }
    /// The result's assumptions that hold a word.
    Builder& assumption(std::string_view word) {
        for (const std::string& sentence : context_->result->assumptions)
            if (sentence.find(word) != std::string::npos) note(sentence);
        return *this;
    }
    Explanation made() { return std::move(made_); }

private:
    const Context* context_;
    Explanation made_;
};

double widthOf(const Context& context) {
    return partition::bytesOfDtype(context.parameter("dtype")).value_or(2);
}

std::string shareTitle(const AcceleratorShare& share) {
    return "one " + escaped(share.kind);
}

// ---------------------------------------------------------------------------------------------- one accelerator

Explanation explainCompute(Builder& builder, const Context& context, const AcceleratorShare& share) {
    builder.formula("compute = Σ over layers of FLOP of the accelerator's shard / (peak rate · efficiency)")
        .source(paper("section 4.2, Table 6 and Eq. 8"));
    for (const GroupNumbers& group : context.outcome->groups)
        if (group.name == share.kind)
            builder.term("FLOP of the shard, forward and backward",
                         formatQuantity(share.compute.value * group.peak.value * group.efficiency, Measure::flops),
                         "derived from this result");
    return builder.groupNumber(share.kind, "peak_flops")
        .groupNumber(share.kind, "efficiency")
        .parameter("batch", "samples per step over the whole fleet")
        .parameter("dtype", "data type")
        .parameter("flop", "how operations are counted")
        .note(
            "FLOP of a layer: A_out·(2·D_i·k − 1) + A_in·(2·D_o·k − 1) + A_W·(2·B·o − 1), of the sizes that all splits "
            "leave.")
        .paperNote()
        .made();
}

Explanation explainCommunication(Builder& builder, const Context& context, const AcceleratorShare& share) {
    builder
        .formula(
            "communication = Σ over the splits on its path of Σ over layers of (within the layer + into the layer)")
        .source(paper("section 4.1, Eq. 7, Tables 4 and 5"));
    for (const partition::PathStep& step : share.path) {
        const LevelPlan& level = context.plan->levels[static_cast<std::size_t>(step.split)];
        double moved = 0;
        const bool rows = step.first == (level.sideI >= level.sideJ) || level.other.empty();
        if (rows) {
            for (const partition::LayerPlan& layer : level.layers) moved += (layer.intra + layer.inter).value;
            for (const partition::JoinPlan& join : level.joins) moved += join.inter.value;
        } else {
            for (const partition::Transfers& other : level.other) moved += (other.intra + other.inter).value;
        }
        builder.term(fmt::format("level {}, split of {}", level.level, escaped(level.group)), formatSeconds(moved),
                     context.at(fmt::format("levels[{}]", step.split)));
    }
    return builder.groupNumber(share.kind, "network_bytes_per_s")
        .assumption("exchanges its own shard")
        .paperNote()
        .made();
}

Explanation explainMemory(Builder& builder, const Context& context, const AcceleratorShare& share) {
    const double width = widthOf(context);
    const double state = model::stateBytesPerParameter(partitionOptions(context.result->study).optimizer);
    builder.formula("memory = weights · (2 · width + optimizer state) + activations · width")
        .source("the shard's tensors, counted");
    if (share.parameters > 0 || share.activations > 0)
        builder.term("weights of the shard, elements", formatCount(share.parameters), kFromResult)
            .term("activations that the backward pass keeps, elements", formatCount(share.activations), kFromResult);
    return builder.term("width of " + escaped(context.parameter("dtype")), bytes(width), "parameter dtype")
        .term("state of the optimizer " + context.parameter("optimizer") + " per weight", bytes(state),
              "parameter optimizer")
        .groupNumber(share.kind, "capacity_bytes")
        .assumption("Memory counts")
        .made();
}

using ShareExplainer = Explanation (*)(Builder&, const Context&, const AcceleratorShare&);
constexpr std::array<std::pair<std::string_view, ShareExplainer>, 3> kShareNumbers{{
    {"compute_s", explainCompute},
    {"communication_s", explainCommunication},
    {"memory_bytes", explainMemory},
}};

// -------------------------------------------------------------------------------------------------- whole plans

const AcceleratorShare& shareOfMax(const Plan& plan, double (*value)(const AcceleratorShare&)) {
    return *std::max_element(plan.shares.begin(), plan.shares.end(),
                             [&](const AcceleratorShare& a, const AcceleratorShare& b) { return value(a) < value(b); });
}

Explanation explainStepTime(Builder& builder, const Context& context) {
    const Plan& plan = *context.plan;
    builder
        .formula(context.overlap()
                     ? "step time = max over accelerators of Σ over layers of max(its transfers, its compute)"
                     : "step time = max over accelerators of (transfers on its path through the splits + "
                       "its compute)")
        .source(paper("section 4, Eq. 7 and 8, summed along the hierarchy of splits"));
    for (std::size_t k = 0; k < plan.shares.size(); ++k) {
        const AcceleratorShare& share = plan.shares[k];
        const std::string from = context.at(fmt::format("per_accelerator[{}]", k));
        builder.term("transfers of " + shareTitle(share), formatSeconds(share.communication), from)
            .term("compute of " + shareTitle(share), formatSeconds(share.compute), from);
    }
    return builder.assumption("overlap")
        .assumption("sum of its accelerators")
        .assumption("100 % of the peak")
        .assumption("no latency")
        .paperNote()
        .made();
}

Explanation explainThroughput(Builder& builder, const Context& context) {
    return builder.formula("throughput = batch / step time")
        .source("definition")
        .parameter("batch", "batch, samples per step over the whole fleet")
        .term("step time", formatSeconds(context.plan->stepTime), context.at("step_time_s"))
        .made();
}

Explanation explainSpeedup(Builder& builder, const Context& context) {
    const Plan& plan = *context.plan;
    const Seconds dp{plan.speedupOverDp * plan.stepTime.value};
    const bool listed =
        !context.paperModel() && std::any_of(context.outcome->result.plans.begin(), context.outcome->result.plans.end(),
                                             [](const Plan& other) { return other.strategy == "dp"; });
    return builder.formula("speed-up = step time of data parallelism / step time of this plan")
        .source(paper("section 6.2, the measure of Figures 5 and 6"))
        .term("step time of data parallelism, on its best subset of the fleet where groups may stay idle",
              formatSeconds(dp), listed ? "dp, step_time_s" : "solved for this ratio only; derived from this result")
        .term("step time of " + plan.strategy, formatSeconds(plan.stepTime), context.at("step_time_s"))
        .paperNote()
        .made();
}

bool ratioIsGiven(const Context& context) {
    const auto found = context.result->study.parameters->find("ratio");
    return found != context.result->study.parameters->end() && (found->is_number() || *found == "equal");
}

Explanation explainCost(Builder& builder, const Context& context) {
    const Plan& plan = *context.plan;
    const bool given = ratioIsGiven(context);
    builder
        .formula(given ? "cost = Σ over layers and edges of the objective of both sides' times"
                       : "cost = max(side i, side j), each side summed over all layers and edges")
        .source(paper("section 5.1, Eq. 9"));
    if (!plan.levels.empty()) {
        const LevelPlan& root = plan.levels.front();
        builder.term("side i", formatSeconds(root.sideI), context.at("levels[0]/side_i_s"))
            .term("side j", formatSeconds(root.sideJ), context.at("levels[0]/side_j_s"))
            .term("ratio", exactNumber(root.ratio), context.at("levels[0]/ratio"));
    } else {
        builder.note("The fleet is a single accelerator; nothing is split, and the cost is the step time.");
    }
    return builder.parameter("objective", "objective").parameter("ratio", "rule of the ratio").paperNote().made();
}

Explanation explainBound(Builder& builder, const Context& context) {
    const Plan& plan = *context.plan;
    builder
        .formula(plan.boundsCost
                     ? "bound = max over weights λ of min over types of λ·side i + (1 − λ)·side j, on intervals "
                       "of the ratio"
                     : "bound = max over λ of min over types and ratios of λ·side i + (1 − λ)·side j, each side "
                       "with the cheapest sequence of types down to one accelerator")
        .source("Lagrangian bound; the cost model is that of " + paper("section 4"))
        .term("what it bounds", plan.boundsCost ? "top-level split cost" : "step time",
              context.at(plan.boundsCost ? "cost_s" : "step_time_s"))
        .note(plan.boundsCost
                  ? "No plan that is free in the same things costs less at the top-level split."
                  : "What deeper splits move between layers is left out, so the true optimum may lie above.");
    if (!plan.boundsCost)
        builder.note(
            plan.boundsSubsets
                ? "No plan takes less time whichever groups of the fleet take part: of the bounds for each subset "
                  "of them it is the least."
                : "No plan takes less time in which the same groups take part.");
    if (plan.endedBy == EndedBy::stop)
        builder.note("The search was ended early, so this bound may be far from the optimum.");
    return builder.made();
}

Explanation explainGap(Builder& builder, const Context& context) {
    const Plan& plan = *context.plan;
    const Seconds value = plan.boundsCost ? plan.cost : plan.stepTime;
    return builder.formula("gap = value / lower bound − 1")
        .source("definition")
        .term(plan.boundsCost ? "top-level split cost" : "step time", formatSeconds(value),
              context.at(plan.boundsCost ? "cost_s" : "step_time_s"))
        .term("lower bound", formatSeconds(plan.lowerBound), context.at("lower_bound_s"))
        .note(plan.optimal ? "The bound meets the value: the plan is proven optimal."
                           : "The plan is at most this far from the optimum; it may be nearer.")
        .made();
}

/// What the kind that has the most of it has; the number's field has a value, so there is one.
template <ShareExplainer explainer, auto part>
Explanation explainLargest(Builder& builder, const Context& context) {
    const AcceleratorShare& share =
        shareOfMax(*context.plan, [](const AcceleratorShare& each) { return (each.*part).value; });
    builder.note(fmt::format("Of all kinds {} has the most.", inQuotes(share.kind)));
    return explainer(builder, context, share);
}

Explanation explainMemoryShare(Builder& builder, const Context& context) {
    const AcceleratorShare& share =
        shareOfMax(*context.plan, [](const AcceleratorShare& each) { return memoryUse(each).value_or(0); });
    builder.formula("peak memory use = max over kinds of memory in use / capacity")
        .source("definition")
        .term("memory in use of " + shareTitle(share), bytes(share.memory.value), context.at("memory_bytes"));
    if (share.capacity) builder.term("capacity", bytes(share.capacity->value), kFromResult);
    return builder.groupNumber(share.kind, "capacity_bytes").made();
}

using PlanExplainer = Explanation (*)(Builder&, const Context&);
constexpr std::array<std::pair<std::string_view, PlanExplainer>, 10> kPlanNumbers{{
    {"step_time_s", explainStepTime},
    {"throughput_samples_per_s", explainThroughput},
    {"speedup_over_dp", explainSpeedup},
    {"cost_s", explainCost},
    {"lower_bound_s", explainBound},
    {"gap", explainGap},
    {"compute_s", explainLargest<explainCompute, &AcceleratorShare::compute>},
    {"communication_s", explainLargest<explainCommunication, &AcceleratorShare::communication>},
    {"memory_bytes", explainLargest<explainMemory, &AcceleratorShare::memory>},
    {"memory_share", explainMemoryShare},
}};

// -------------------------------------------------------------------------------------------------------- splits

/// One split of a plan, by its index.
struct SplitContext {
    Context base;
    const LevelPlan* level = nullptr;
    std::size_t number = 0;

    std::string name() const { return fmt::format("level {} ({})", level->level, escaped(level->group)); }
    std::string at(const std::string& field) const { return base.at(fmt::format("levels[{}]/{}", number, field)); }
    bool slowerIsFirst() const { return level->sideI >= level->sideJ; }
    bool kindsPart() const { return level->group.find('|') != std::string::npos; }
};

Builder& hardwareTerms(Builder& builder, const SplitContext& split) {
    if (!split.level->hardware) return builder;
    const partition::SplitHardware& hardware = *split.level->hardware;
    builder
        .term("c_i, FLOP/s of all accelerators of side i",
              formatQuantity(hardware.flopsI.value, Measure::flopsPerSecond), split.at("hardware"))
        .term("c_j, FLOP/s of all accelerators of side j",
              formatQuantity(hardware.flopsJ.value, Measure::flopsPerSecond), split.at("hardware"))
        .term("b_i, network rate of one accelerator of side i", network(hardware.rateI), split.at("hardware"))
        .term("b_j, network rate of one accelerator of side j", network(hardware.rateJ), split.at("hardware"));
    if (hardware.latency.value > 0)
        builder.term("latency per transfer", formatSeconds(hardware.latency), split.at("hardware"));
    return builder;
}

std::string pinnedRatio(const SplitContext& split) {
    const auto pins = split.base.result->study.parameters->find("pin_ratio");
    if (pins == split.base.result->study.parameters->end() || !pins->is_object()) return "";
    const auto pin = pins->find(std::to_string(split.level->level));
    return pin == pins->end() ? "" : pin->dump();
}

/// How a split's ratio came about.
struct RatioStory {
    std::string formula;
    std::string source;
};

RatioStory ratioStory(const SplitContext& split) {
    const std::string& strategy = split.base.plan->strategy;
    if (split.base.paperModel())
        return split.kindsPart()
                   ? RatioStory{"ratio = Y / (X + Y), X and Y the times of sides i and j for the whole work",
                                paper("section 5.3, Eq. 10")}
                   : RatioStory{"ratio = 1/2 between equal accelerators", paper("section 5.3")};
    if (strategy != "accpar")
        return {"ratio = accelerators of side i / accelerators of both sides",
                fmt::format("{} splits by the share of accelerators", strategy)};
    if (!pinnedRatio(split).empty()) return {"ratio = the number given for this level", "parameter pin_ratio"};
    if (!split.kindsPart())
        return {"ratio = accelerators of side i / accelerators of both sides", "equal accelerators get equal shares"};
    const std::string rule = split.base.parameter("ratio");
    if (rule == "balanced")
        return {"ratio = where the slowest accelerator's time, types chosen anew for each ratio, is least",
                paper("section 5.3") + ", with a search in place of Eq. 10"};
    if (rule == "eq10")
        return {"ratio = Y / (X + Y), X and Y the times of sides i and j for the whole work",
                paper("section 5.3, Eq. 10")};
    if (rule == "alternating")
        return {"ratio = the least max(side i, side j) for the types, in turns with the types", paper("section 5.3")};
    return {"ratio = the number given", "parameter ratio"};
}

Explanation explainRatio(Builder& builder, const SplitContext& split) {
    const RatioStory story = ratioStory(split);
    builder.formula(story.formula)
        .source(story.source)
        .term("side i", formatSeconds(split.level->sideI), split.at("side_i_s"))
        .term("side j", formatSeconds(split.level->sideJ), split.at("side_j_s"));
    hardwareTerms(builder, split);
    if (!pinnedRatio(split).empty() && split.base.plan->strategy == "accpar")
        builder.term("ratio given for this level", pinnedRatio(split), "parameter pin_ratio");
    return builder.parameter("ratio", "rule of the ratio")
        .note("The ratio is the first side's share of every layer's split dimension.")
        .paperNote()
        .made();
}

Explanation explainSide(Builder& builder, const SplitContext& split, bool first) {
    const char* side = first ? "i" : "j";
    builder
        .formula(fmt::format("side {0} = Σ over layers of (compute + within the layer + into the layer), at ratio {1}",
                             side, first ? "α" : "β = 1 − α"))
        .source(paper("section 4, Eq. 7 and 8"))
        .term("ratio α", exactNumber(split.level->ratio), split.at("ratio"));
    return hardwareTerms(builder, split).paperNote().made();
}

Explanation explainObjective(Builder& builder, const SplitContext& split) {
    const std::string& strategy = split.base.plan->strategy;
    const bool accpar = strategy.starts_with("accpar");
    const bool sides = accpar && split.kindsPart() && !ratioIsGiven(split.base) && pinnedRatio(split).empty();
    if (sides)
        builder.formula("objective = max(side i, side j)");
    else if (accpar)
        builder.formula("objective = Σ over layers and edges of the objective of both sides' times");
    else
        builder.formula("objective = Σ over layers and edges of (time of side i + time of side j)");
    builder
        .source(strategy == "hypar" ? std::string("HyPar (Song et al., HPCA 2019), which chooses by elements moved; "
                                                  "shown is the time of that choice")
                                    : paper("section 5.1, Eq. 9"))
        .term("side i", formatSeconds(split.level->sideI), split.at("side_i_s"))
        .term("side j", formatSeconds(split.level->sideJ), split.at("side_j_s"));
    if (accpar && !sides) builder.parameter("objective", "how the sides' times combine");
    return hardwareTerms(builder, split).paperNote().made();
}

Explanation explainSplitBound(Builder& builder, const SplitContext& split) {
    builder.formula("bound = the least objective over all types (and ratios, where the ratio is searched)")
        .source("min-sum elimination (Dechter 1999); " + paper("section 5.1, Eq. 9") + ", on chains")
        .term("objective", formatSeconds(split.level->objective), split.at("objective_s"));
    if (split.level->lowerBound.value <= 0)
        builder.note(
            "0 means that no bound was computed for this split alone; the plan's own bound speaks of the whole.");
    return builder.made();
}

using SplitExplainer = Explanation (*)(Builder&, const SplitContext&);
constexpr std::array<std::pair<std::string_view, SplitExplainer>, 5> kSplitNumbers{{
    {"ratio", explainRatio},
    {"objective_s", explainObjective},
    {"lower_bound_s", explainSplitBound},
    {"side_i_s", [](Builder& builder, const SplitContext& split) { return explainSide(builder, split, true); }},
    {"side_j_s", [](Builder& builder, const SplitContext& split) { return explainSide(builder, split, false); }},
}};

// -------------------------------------------------------------------------------------------------------- layers

/// A layer or join at one split.
struct RowContext {
    SplitContext split;
    SplitRow at;

    bool isJoin() const { return at.join.has_value(); }
};

/// The numbers of the side that a row's times are of: the slower one.
Builder& sideTerms(Builder& builder, const RowContext& row, bool rate) {
    const bool first = row.split.slowerIsFirst();
    const char* side = first ? "i" : "j";
    builder.term(fmt::format("share of side {}, the slower one", side),
                 exactNumber(first ? row.split.level->ratio : 1 - row.split.level->ratio), row.split.at("ratio"));
    if (!row.split.level->hardware) return builder;
    const partition::SplitHardware& hardware = *row.split.level->hardware;
    if (!rate)
        return builder.term(fmt::format("c_{}, FLOP/s of all accelerators of the side", side),
                            formatQuantity((first ? hardware.flopsI : hardware.flopsJ).value, Measure::flopsPerSecond),
                            row.split.at("hardware"));
    builder.term(fmt::format("b_{}, network rate of one accelerator of the side", side),
                 network(first ? hardware.rateI : hardware.rateJ), row.split.at("hardware"));
    if (hardware.latency.value > 0)
        builder.term("latency per transfer", formatSeconds(hardware.latency), row.split.at("hardware"));
    return builder;
}

Explanation explainRowCompute(Builder& builder, const RowContext& row) {
    builder
        .formula(row.isJoin() ? "compute = share · FLOP / c of the side; a duplicated join is done whole by both sides"
                              : "compute = share · FLOP / c of the side")
        .source(paper("section 4.2, Table 6 and Eq. 8"));
    if (row.split.level->hardware) {
        const partition::SplitHardware& hardware = *row.split.level->hardware;
        builder.term("FLOP of this side, forward and backward",
                     formatQuantity(
                         row.at.compute().value * (row.split.slowerIsFirst() ? hardware.flopsI : hardware.flopsJ).value,
                         Measure::flops),
                     "derived from this result");
    }
    return sideTerms(builder, row, false)
        .parameter("flop", "how operations are counted")
        .note(
            "FLOP of a layer: A_out·(2·D_i·k − 1) + A_in·(2·D_o·k − 1) + A_W·(2·B·o − 1), of the sizes that the splits "
            "above "
            "leave.")
        .paperNote()
        .made();
}

Builder& movedTerms(Builder& builder, const RowContext& row, Seconds time, bool oneTransfer) {
    if (row.split.level->hardware) {
        const partition::SplitHardware& hardware = *row.split.level->hardware;
        const BytesPerSecond rate = row.split.slowerIsFirst() ? hardware.rateI : hardware.rateJ;
        const double late = oneTransfer ? hardware.latency.value : 0;
        builder.term(oneTransfer || hardware.latency.value == 0
                         ? "bytes that one accelerator fetches"
                         : "bytes that one accelerator fetches, latency included",
                     bytes(std::max(0.0, time.value - late) * rate.value), "derived from this result");
    }
    return sideTerms(builder, row, true)
        .term("width of " + escaped(row.split.base.parameter("dtype")), bytes(widthOf(row.split.base)),
              "parameter dtype");
}

Explanation explainRowIntra(Builder& builder, const RowContext& row) {
    // Table 4: what each type has to sum up.
    const std::string_view tensor = row.at.type() == "I"    ? "A(W), the gradient of the weights"
                                    : row.at.type() == "II" ? "A(F_out), partial sums of the output"
                                                            : "A(E_in), partial sums of the input's error";
    builder.formula(fmt::format("within the layer, type {} = {} · width / b of the side", row.at.type(), tensor))
        .source(paper("section 4.1.1, Table 4"));
    movedTerms(builder, row, row.at.intra(), row.at.intra().value > 0);
    if (row.at.type() == "II") builder.parameter("psum", "where partial sums are taken");
    if (row.at.intra().value == 0)
        builder.note(
            "Nothing moves: a grouped convolution split by groups, an embedding table split by columns, or a side "
            "without a share.");
    return builder.note("It does not depend on the ratio.").paperNote().made();
}

Explanation explainRowInter(Builder& builder, const RowContext& row) {
    builder
        .formula(
            "into the layer = Σ over its inputs of A · (rem(p→q) + rem(q→p)) · width / b of the side; rem = 0 for the "
            "same "
            "layout or from a duplicated one, β into a duplicated one, α·β otherwise")
        .source(paper("section 4.1.2, Table 5"));
    return movedTerms(builder, row, row.at.inter(), false)
        .term("type or layout of this layer", row.at.type(), kFromResult)
        .paperNote()
        .made();
}

Explanation explainRowType(Builder& builder, const RowContext& row) {
    struct Meaning {
        std::string_view type, meaning;
    };
    constexpr std::array<Meaning, 6> kMeanings{{{"I", "samples (batch)"},
                                                {"II", "input channels"},
                                                {"III", "output channels"},
                                                {"r", "rows (batch)"},
                                                {"c", "channels"},
                                                {"d", "nothing: both sides hold all of it"}}};
    for (const Meaning& meaning : kMeanings)
        if (meaning.type == row.at.type())
            builder.term("what is split", std::string(meaning.meaning), paper("section 3.2"));
    const std::string& strategy = row.split.base.plan->strategy;
    std::string rule = "the types of all layers together minimise the objective of the split";
    if (strategy == "dp") rule = "data parallelism splits every layer by samples";
    if (strategy == "owt") rule = "one weird trick: convolutions by samples, fully connected layers by input channels";
    if (strategy == "hypar") rule = "HyPar: I or II along the main path, whichever moves the fewest elements";
    builder.formula((row.isJoin() ? "layout: " : "type: ") + rule)
        .source(strategy == "owt"     ? std::string("Krizhevsky, arXiv:1404.5997")
                : strategy == "hypar" ? std::string("HyPar (Song et al., HPCA 2019)")
                                      : paper("section 5.1, Eq. 9"))
        .term("compute", formatSeconds(row.at.compute()), row.split.at("layers"))
        .term("within the layer", formatSeconds(row.at.intra()), row.split.at("layers"))
        .term("into the layer", formatSeconds(row.at.inter()), row.split.at("layers"));
    const auto pins = row.split.base.result->study.parameters->find("pin");
    if (strategy == "accpar" && pins != row.split.base.result->study.parameters->end() && pins->is_object() &&
        pins->contains(row.at.name()))
        builder.note("The type of this layer was fixed by the parameter pin.");
    return builder.made();
}

using RowExplainer = Explanation (*)(Builder&, const RowContext&);
constexpr std::array<std::pair<std::string_view, RowExplainer>, 4> kRowNumbers{{
    {"compute_s", explainRowCompute},
    {"intra_s", explainRowIntra},
    {"inter_s", explainRowInter},
    {"type", explainRowType},
}};

// ------------------------------------------------------------------------------------------------- physical costs

constexpr std::string_view kPhysicalModel = "the model of networks and collectives that predict uses";

Explanation physicalStory(Builder& builder, std::string formula, std::string_view assumption = {}) {
    builder.formula(std::move(formula)).source(std::string(kPhysicalModel));
    if (!assumption.empty()) builder.assumption(assumption);
    return builder.made();
}

Explanation explainPhysicalStep(Builder& builder, const Context& context) {
    const AcceleratorShare& share = context.plan->shares.front();
    builder.term("compute", formatSeconds(share.compute), context.at("per_accelerator[0]/compute_s"))
        .term("transfers", formatSeconds(share.communication), context.at("per_accelerator[0]/communication_s"));
    return physicalStory(builder, "step time = compute + transfers that nothing hides", "behind the backward pass");
}

Explanation explainPhysicalCompute(Builder& builder, const Context& /*context*/, const AcceleratorShare& share) {
    return physicalStory(
        builder.groupNumber(share.kind, "peak_flops")
            .parameter("batch", "samples per step over the whole fleet")
            .parameter("dtype", "data type"),
        "compute = (1 + what the slowest of equal accelerators adds) · Σ over layers of the kernels of the shard, "
        "forward and backward, + the optimizer's update + the wait for samples of the hosts",
        "Kernels take");
}

Explanation explainPhysicalTransfers(Builder& builder, const Context& context, const AcceleratorShare& share) {
    for (const partition::PathStep& step : share.path) {
        const LevelPlan& level = context.plan->levels[static_cast<std::size_t>(step.split)];
        double moved = 0;
        for (const partition::LayerPlan& layer : level.layers) moved += (layer.intra + layer.inter).value;
        for (const partition::JoinPlan& join : level.joins) moved += join.inter.value;
        builder.term(fmt::format("level {}, {}", level.level, escaped(level.group)), formatSeconds(moved),
                     context.at(fmt::format("levels[{}]", step.split)));
    }
    return physicalStory(
        builder,
        "transfers = Σ over layers of (partial sums + gradients that the backward pass does not hide + "
        "what is gathered or exchanged before the layer, in both passes)",
        "Collectives run");
}

Explanation explainPhysicalBound(Builder& builder, const Context& context) {
    builder
        .formula(
            "bound = max over weights of min over all cuts of all layers of the weighted sum of the step's times "
            "and of memory")
        .source("bucket elimination (Dechter 1999) with cutting planes, closed by branch and bound")
        .term("what it bounds", "step time", context.at("step_time_s"));
    if (context.plan->strategy != "joint" && context.plan->strategy != "dp" && context.plan->strategy != "owt")
        builder.note("It is of all plans, whether they fit in memory or not.");
    return builder.made();
}

constexpr std::array<std::pair<std::string_view, ShareExplainer>, 3> kPhysicalShareNumbers{{
    {"compute_s", explainPhysicalCompute},
    {"communication_s", explainPhysicalTransfers},
    {"memory_bytes", explainMemory},
}};
constexpr std::array<std::pair<std::string_view, PlanExplainer>, 10> kPhysicalPlanNumbers{{
    {"step_time_s", explainPhysicalStep},
    {"throughput_samples_per_s", explainThroughput},
    {"speedup_over_dp", explainSpeedup},
    {"cost_s", explainPhysicalStep},
    {"lower_bound_s", explainPhysicalBound},
    {"gap", explainGap},
    {"compute_s", explainLargest<explainPhysicalCompute, &AcceleratorShare::compute>},
    {"communication_s", explainLargest<explainPhysicalTransfers, &AcceleratorShare::communication>},
    {"memory_bytes", explainLargest<explainMemory, &AcceleratorShare::memory>},
    {"memory_share", explainMemoryShare},
}};

Explanation explainLevelTime(Builder& builder, const SplitContext& split) {
    return physicalStory(builder.term("units that the level joins", formatCount(split.level->parts), split.at("parts")),
                         "time = Σ over layers of (compute + what moves at this level)", "attributed to levels");
}
Explanation explainLevelRatio(Builder& builder, const SplitContext& split) {
    return builder.formula("ratio = 1 / units that the level joins")
        .source("definition")
        .term("units", formatCount(split.level->parts), split.at("parts"))
        .made();
}
constexpr std::array<std::pair<std::string_view, SplitExplainer>, 5> kPhysicalSplitNumbers{{
    {"ratio", explainLevelRatio},
    {"objective_s", explainLevelTime},
    {"lower_bound_s", explainSplitBound},
    {"side_i_s", explainLevelTime},
    {"side_j_s", explainLevelTime},
}};

Explanation explainPhysicalRow(Builder& builder, const RowContext& row) {
    const partition::Degrees& cuts = row.at.layer ? row.at.layer->degrees : row.at.join->degrees;
    builder.term("cuts of the samples at this level", formatCount(cuts.batch), kFromResult)
        .term("cuts of the inputs", formatCount(cuts.in), kFromResult)
        .term("cuts of the outputs", formatCount(cuts.out), kFromResult);
    return physicalStory(builder,
                         "compute: kernels of the shard that all levels leave; within the layer: partial sums and "
                         "gradients; into the layer: what is gathered or exchanged before it",
                         "attributed to levels");
}
constexpr std::array<std::pair<std::string_view, RowExplainer>, 4> kPhysicalRowNumbers{{
    {"compute_s", explainPhysicalRow},
    {"intra_s", explainPhysicalRow},
    {"inter_s", explainPhysicalRow},
    {"type", explainPhysicalRow},
}};

// --------------------------------------------------------------------------------------------------------- paths

/// "levels[3]" → 3 where the name fits and the list is long enough.
std::optional<std::size_t> indexIn(std::string_view step, std::string_view list, std::size_t size) {
    if (!step.starts_with(list)) return std::nullopt;
    step.remove_prefix(list.size());
    if (!step.starts_with('[') || !step.ends_with(']')) return std::nullopt;
    step = step.substr(1, step.size() - 2);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), number);
    if (error != std::errc{} || end != step.data() + step.size() || number >= size) return std::nullopt;
    return number;
}

/// Explains the number of a row that a field and an explainer are there for.
template <typename Explainers, typename Row, typename... Arguments>
std::optional<Explanation> explained(const Explainers& explainers, const std::vector<Field<Row>>& fields,
                                     std::string_view id, const Row& row, const std::string& whose,
                                     const Context& context, const Arguments&... arguments) {
    for (const auto& [name, explainer] : explainers)
        for (const Field<Row>& field : fields) {
            if (name != id || field.id != id || exactOf(field, row).empty()) continue;
            Builder builder(context, field, row, whose);
            return explainer(builder, arguments...);
        }
    return std::nullopt;
}

std::optional<Explanation> explainRow(const SplitContext& split, std::string_view step, std::string_view field) {
    const LevelPlan& level = *split.level;
    const auto layer = indexIn(step, "layers", level.layers.size());
    const auto join = indexIn(step, "joins", level.joins.size());
    if (!layer && !join) return std::nullopt;
    const RowContext row{.split = split,
                         .at = splitRow(split.base.outcome->result, *split.base.plan, level,
                                        layer ? *layer : level.layers.size() + *join)};
    return explained(split.base.isPhysical() ? kPhysicalRowNumbers : kRowNumbers, splitRowFields(),
                     join && field == "layout" ? "type" : field, row.at,
                     fmt::format(" of {} at {}", escaped(row.at.name()), split.name()), split.base, row);
}

std::optional<Explanation> explainPlan(const Context& context, const std::vector<std::string_view>& steps) {
    const Plan& plan = *context.plan;
    if (steps.size() == 1)
        return explained(context.isPhysical() ? kPhysicalPlanNumbers : kPlanNumbers, planFields(), steps[0], plan,
                         " of " + plan.strategy, context, context);
    if (const auto k = indexIn(steps[0], "per_accelerator", plan.shares.size()); k && steps.size() == 2) {
        const AcceleratorShare& share = plan.shares[*k];
        return explained(context.isPhysical() ? kPhysicalShareNumbers : kShareNumbers, shareFields(), steps[1], share,
                         fmt::format(" of {} under {}", shareTitle(share), plan.strategy), context, context, share);
    }
    const auto level = indexIn(steps[0], "levels", plan.levels.size());
    if (!level || steps.size() > 3) return std::nullopt;
    const SplitContext split{.base = context, .level = &plan.levels[*level], .number = *level};
    if (steps.size() == 3) return explainRow(split, steps[1], steps[2]);
    return explained(context.isPhysical() ? kPhysicalSplitNumbers : kSplitNumbers, levelFields(), steps[1],
                     *split.level, fmt::format(" of {} under {}", split.name(), plan.strategy), context, split);
}

Explanation explainAccelerators(const Context& context) {
    Builder builder(context, fleetFields().front(), *context.outcome, "");
    builder.formula("accelerators = Σ over groups of their count").source("definition");
    for (const GroupNumbers& group : context.outcome->groups) builder.groupNumber(group.name, "count");
    return builder.made();
}

}  // namespace

std::optional<Explanation> explainPartition(const Result& result, const PartitionOutcome& outcome,
                                            const std::string& path) {
    std::vector<std::string_view> steps = split(path, '/');
    Context context{.result = &result, .outcome = &outcome, .plan = fastestPlan(outcome)};
    if (context.plan == nullptr || steps.empty()) return std::nullopt;
    if (steps.size() == 1 && steps[0] == "accelerators") return explainAccelerators(context);
    if (steps.size() == 1) return explainPlan(context, steps);
    for (const Plan& plan : outcome.result.plans) {
        if (plan.strategy != steps[0]) continue;
        context.plan = &plan;
        steps.erase(steps.begin());
        return explainPlan(context, steps);
    }
    return std::nullopt;
}

}  // namespace tessera::study

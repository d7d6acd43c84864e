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
#include "core/study/metric.h"
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

std::string seconds(Seconds time) {
    return formatQuantity(time.value, Measure::seconds);
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

    bool paperModel() const { return plan->strategy == "accpar-paper"; }
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
    explicit Builder(const Context& context) : context_(&context) {}

    Builder& title(std::string text) {
        made_.title = std::move(text);
        return *this;
    }
    Builder& time(Seconds value) {
        made_.value = seconds(value);
        made_.exact = exactNumber(value.value) + " s";
        return *this;
    }
    Builder& number(std::string shown, double value, const std::string& unit = "") {
        made_.value = std::move(shown);
        made_.exact = exactNumber(value) + (unit.empty() ? "" : " " + unit);
        return *this;
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
        if (field == "count")
            return term("accelerators of group " + escaped(kind), formatCount(static_cast<double>(group->count)), from);
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

Explanation explainCompute(const Context& context, const AcceleratorShare& share) {
    Builder builder(context);
    builder.title(fmt::format("Compute of {} under {}", shareTitle(share), context.plan->strategy))
        .time(share.compute)
        .formula("compute = Σ over layers of FLOP of the accelerator's shard / (peak rate · efficiency)")
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

Explanation explainCommunication(const Context& context, const AcceleratorShare& share) {
    Builder builder(context);
    builder.title(fmt::format("Communication of {} under {}", shareTitle(share), context.plan->strategy))
        .time(share.communication)
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
        builder.term(fmt::format("level {}, split of {}", level.level, escaped(level.group)), seconds({moved}),
                     context.at(fmt::format("levels[{}]", step.split)));
    }
    return builder.groupNumber(share.kind, "network_bytes_per_s")
        .assumption("exchanges its own shard")
        .paperNote()
        .made();
}

Explanation explainMemory(const Context& context, const AcceleratorShare& share) {
    const double width = widthOf(context);
    const double state = model::stateBytesPerParameter(partitionOptions(context.result->study).optimizer);
    Builder builder(context);
    builder.title(fmt::format("Memory of {} under {}", shareTitle(share), context.plan->strategy))
        .number(bytes(share.memory.value), share.memory.value, "B")
        .formula("memory = weights · (2 · width + optimiser state) + activations · width")
        .source("the shard's tensors, counted");
    if (share.parameters > 0 || share.activations > 0)
        builder.term("weights of the shard, elements", formatCount(share.parameters), kFromResult)
            .term("activations that the backward pass keeps, elements", formatCount(share.activations), kFromResult);
    return builder.term("width of " + escaped(context.parameter("dtype")), bytes(width), "parameter dtype")
        .term("state of the optimiser " + context.parameter("optimizer") + " per weight", bytes(state),
              "parameter optimizer")
        .groupNumber(share.kind, "capacity_bytes")
        .assumption("Memory counts")
        .made();
}

using ShareExplainer = Explanation (*)(const Context&, const AcceleratorShare&);
constexpr std::array<std::pair<std::string_view, ShareExplainer>, 3> kShareNumbers{{
    {"compute_s", explainCompute},
    {"communication_s", explainCommunication},
    {"memory_bytes", explainMemory},
}};

// -------------------------------------------------------------------------------------------------- whole plans

const AcceleratorShare* shareOfMax(const Plan& plan, double (*value)(const AcceleratorShare&)) {
    const auto max =
        std::max_element(plan.shares.begin(), plan.shares.end(),
                         [&](const AcceleratorShare& a, const AcceleratorShare& b) { return value(a) < value(b); });
    return max == plan.shares.end() ? nullptr : &*max;
}

Explanation explainStepTime(const Context& context) {
    const Plan& plan = *context.plan;
    Builder builder(context);
    builder.title("Step time of " + plan.strategy)
        .time(plan.stepTime)
        .formula(context.overlap()
                     ? "step time = max over accelerators of Σ over layers of max(its transfers, its compute)"
                     : "step time = max over accelerators of (transfers on its path through the splits + "
                       "its compute)")
        .source(paper("section 4, Eq. 7 and 8, summed along the hierarchy of splits"));
    for (std::size_t k = 0; k < plan.shares.size(); ++k) {
        const AcceleratorShare& share = plan.shares[k];
        const std::string from = context.at(fmt::format("per_accelerator[{}]", k));
        builder.term("transfers of " + shareTitle(share), seconds(share.communication), from)
            .term("compute of " + shareTitle(share), seconds(share.compute), from);
    }
    return builder.assumption("overlap")
        .assumption("sum of its accelerators")
        .assumption("100 % of the peak")
        .assumption("no latency")
        .paperNote()
        .made();
}

Explanation explainThroughput(const Context& context) {
    return Builder(context)
        .title("Throughput of " + context.plan->strategy)
        .number(rateText(context.plan->throughput) + " samples/s", context.plan->throughput, "samples/s")
        .formula("throughput = batch / step time")
        .source("definition")
        .parameter("batch", "batch, samples per step over the whole fleet")
        .term("step time", seconds(context.plan->stepTime), context.at("step_time_s"))
        .made();
}

Explanation explainSpeedup(const Context& context) {
    const Plan& plan = *context.plan;
    const Seconds dp{plan.speedupOverDp * plan.stepTime.value};
    const bool listed =
        !context.paperModel() && std::any_of(context.outcome->result.plans.begin(), context.outcome->result.plans.end(),
                                             [](const Plan& other) { return other.strategy == "dp"; });
    return Builder(context)
        .title(fmt::format("Speed-up of {} over data parallelism", plan.strategy))
        .number(timesText(plan.speedupOverDp), plan.speedupOverDp)
        .formula("speed-up = step time of data parallelism / step time of this plan")
        .source(paper("section 6.2, the measure of Figures 5 and 6"))
        .term("step time of data parallelism, on its best subset of the fleet where groups may stay idle", seconds(dp),
              listed ? "dp, step_time_s" : "solved for this ratio only; derived from this result")
        .term("step time of " + plan.strategy, seconds(plan.stepTime), context.at("step_time_s"))
        .paperNote()
        .made();
}

bool ratioIsGiven(const Context& context) {
    const auto found = context.result->study.parameters->find("ratio");
    return found != context.result->study.parameters->end() && (found->is_number() || *found == "equal");
}

Explanation explainCost(const Context& context) {
    const Plan& plan = *context.plan;
    const bool given = ratioIsGiven(context);
    Builder builder(context);
    builder.title("Top-level split cost under " + plan.strategy)
        .time(plan.cost)
        .formula(given ? "cost = Σ over layers and edges of the objective of both sides' times"
                       : "cost = max(side i, side j), each side summed over all layers and edges")
        .source(paper("section 5.1, Eq. 9"));
    if (!plan.levels.empty()) {
        const LevelPlan& root = plan.levels.front();
        builder.term("side i", seconds(root.sideI), context.at("levels[0]/side_i_s"))
            .term("side j", seconds(root.sideJ), context.at("levels[0]/side_j_s"))
            .term("ratio", exactNumber(root.ratio), context.at("levels[0]/ratio"));
    } else {
        builder.note("The fleet is a single accelerator; nothing is split, and the cost is the step time.");
    }
    return builder.parameter("objective", "objective").parameter("ratio", "rule of the ratio").paperNote().made();
}

Explanation explainBound(const Context& context) {
    const Plan& plan = *context.plan;
    Builder builder(context);
    builder.title("Lower bound for " + plan.strategy)
        .time(plan.lowerBound)
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

Explanation explainGap(const Context& context) {
    const Plan& plan = *context.plan;
    const Seconds value = plan.boundsCost ? plan.cost : plan.stepTime;
    return Builder(context)
        .title("Gap of " + plan.strategy)
        .number(percentText(plan.gap), plan.gap)
        .formula("gap = value / lower bound − 1")
        .source("definition")
        .term(plan.boundsCost ? "top-level split cost" : "step time", seconds(value),
              context.at(plan.boundsCost ? "cost_s" : "step_time_s"))
        .term("lower bound", seconds(plan.lowerBound), context.at("lower_bound_s"))
        .note(plan.optimal ? "The bound meets the value: the plan is proven optimal."
                           : "The plan is at most this far from the optimum; it may be nearer.")
        .made();
}

Explanation explainMost(const Context& context, ShareExplainer explainer, double (*value)(const AcceleratorShare&),
                        const std::string& what) {
    const AcceleratorShare* share = shareOfMax(*context.plan, value);
    if (share == nullptr) return {};
    Explanation made = explainer(context, *share);
    made.notes.insert(made.notes.begin(), fmt::format("Of all kinds {} has the most {}.", inQuotes(share->kind), what));
    return made;
}

Explanation explainMostCompute(const Context& context) {
    return explainMost(
        context, explainCompute, [](const AcceleratorShare& share) { return share.compute.value; }, "compute");
}

Explanation explainMostCommunication(const Context& context) {
    return explainMost(
        context, explainCommunication, [](const AcceleratorShare& share) { return share.communication.value; },
        "communication");
}

Explanation explainMostMemory(const Context& context) {
    return explainMost(
        context, explainMemory, [](const AcceleratorShare& share) { return share.memory.value; }, "memory in use");
}

double fullness(const AcceleratorShare& share) {
    return share.capacity && share.capacity->value > 0 ? share.memory.value / share.capacity->value : 0;
}

Explanation explainMemoryShare(const Context& context) {
    const AcceleratorShare* share = shareOfMax(*context.plan, fullness);
    if (share == nullptr || !share->capacity) return {};
    return Builder(context)
        .title("Peak memory use under " + context.plan->strategy)
        .number(percentText(fullness(*share)), fullness(*share))
        .formula("peak memory use = max over kinds of memory in use / capacity")
        .source("definition")
        .term("memory in use of " + shareTitle(*share), bytes(share->memory.value), context.at("memory_bytes"))
        .term("capacity", bytes(share->capacity->value), kFromResult)
        .groupNumber(share->kind, "capacity_bytes")
        .made();
}

using PlanExplainer = Explanation (*)(const Context&);
constexpr std::array<std::pair<std::string_view, PlanExplainer>, 10> kPlanNumbers{{
    {"step_time_s", explainStepTime},
    {"throughput_samples_per_s", explainThroughput},
    {"speedup_over_dp", explainSpeedup},
    {"cost_s", explainCost},
    {"lower_bound_s", explainBound},
    {"gap", explainGap},
    {"compute_s", explainMostCompute},
    {"communication_s", explainMostCommunication},
    {"memory_bytes", explainMostMemory},
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
        builder.term("latency per transfer", seconds(hardware.latency), split.at("hardware"));
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
    if (strategy == "accpar-paper")
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

Explanation explainRatio(const SplitContext& split) {
    const RatioStory story = ratioStory(split);
    Builder builder(split.base);
    builder.title(fmt::format("Ratio of {} under {}", split.name(), split.base.plan->strategy))
        .number(fmt::format("{:.4f}", split.level->ratio), split.level->ratio)
        .formula(story.formula)
        .source(story.source)
        .term("side i", seconds(split.level->sideI), split.at("side_i_s"))
        .term("side j", seconds(split.level->sideJ), split.at("side_j_s"));
    hardwareTerms(builder, split);
    if (!pinnedRatio(split).empty() && split.base.plan->strategy == "accpar")
        builder.term("ratio given for this level", pinnedRatio(split), "parameter pin_ratio");
    return builder.parameter("ratio", "rule of the ratio")
        .note("The ratio is the first side's share of every layer's split dimension.")
        .paperNote()
        .made();
}

Explanation explainSide(const SplitContext& split, bool first) {
    const char* side = first ? "i" : "j";
    Builder builder(split.base);
    builder.title(fmt::format("Side {} of {} under {}", side, split.name(), split.base.plan->strategy))
        .time(first ? split.level->sideI : split.level->sideJ)
        .formula(fmt::format("side {0} = Σ over layers of (compute + within the layer + into the layer), at ratio {1}",
                             side, first ? "α" : "β = 1 − α"))
        .source(paper("section 4, Eq. 7 and 8"))
        .term("ratio α", exactNumber(split.level->ratio), split.at("ratio"));
    return hardwareTerms(builder, split).paperNote().made();
}

Explanation explainObjective(const SplitContext& split) {
    const std::string& strategy = split.base.plan->strategy;
    const bool accpar = strategy.starts_with("accpar");
    const bool sides = accpar && split.kindsPart() && !ratioIsGiven(split.base) && pinnedRatio(split).empty();
    Builder builder(split.base);
    builder.title(fmt::format("Objective of {} under {}", split.name(), strategy)).time(split.level->objective);
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
        .term("side i", seconds(split.level->sideI), split.at("side_i_s"))
        .term("side j", seconds(split.level->sideJ), split.at("side_j_s"));
    if (accpar && !sides) builder.parameter("objective", "how the sides' times combine");
    return hardwareTerms(builder, split).paperNote().made();
}

Explanation explainSplitBound(const SplitContext& split) {
    Builder builder(split.base);
    builder.title(fmt::format("Lower bound of {} under {}", split.name(), split.base.plan->strategy))
        .time(split.level->lowerBound)
        .formula("bound = the least objective over all types (and ratios, where the ratio is searched)")
        .source("min-sum elimination (Dechter 1999); " + paper("section 5.1, Eq. 9") + ", on chains")
        .term("objective", seconds(split.level->objective), split.at("objective_s"));
    if (split.level->lowerBound.value <= 0)
        builder.note(
            "0 means that no bound was computed for this split alone; the plan's own bound speaks of the whole.");
    return builder.made();
}

using SplitExplainer = Explanation (*)(const SplitContext&);
constexpr std::array<std::pair<std::string_view, SplitExplainer>, 5> kSplitNumbers{{
    {"ratio", explainRatio},
    {"objective_s", explainObjective},
    {"lower_bound_s", explainSplitBound},
    {"side_i_s", [](const SplitContext& split) { return explainSide(split, true); }},
    {"side_j_s", [](const SplitContext& split) { return explainSide(split, false); }},
}};

// -------------------------------------------------------------------------------------------------------- layers

/// A layer or join at one split; `type` is its type or layout.
struct RowContext {
    SplitContext split;
    std::string layer;
    std::string type;
    bool join = false;
    Seconds compute, intra, inter;

    std::string title(const std::string& what) const {
        return fmt::format("{} of {} at {}", what, escaped(layer), split.name());
    }
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
        builder.term("latency per transfer", seconds(hardware.latency), row.split.at("hardware"));
    return builder;
}

Explanation explainRowCompute(const RowContext& row) {
    Builder builder(row.split.base);
    builder.title(row.title("Compute"))
        .time(row.compute)
        .formula(row.join ? "compute = share · FLOP / c of the side; a duplicated join is done whole by both sides"
                          : "compute = share · FLOP / c of the side")
        .source(paper("section 4.2, Table 6 and Eq. 8"));
    if (row.split.level->hardware) {
        const partition::SplitHardware& hardware = *row.split.level->hardware;
        builder.term(
            "FLOP of this side, forward and backward",
            formatQuantity(row.compute.value * (row.split.slowerIsFirst() ? hardware.flopsI : hardware.flopsJ).value,
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

Explanation explainRowIntra(const RowContext& row) {
    // Table 4: what each type has to sum up.
    const std::string_view tensor = row.type == "I"    ? "A(W), the gradient of the weights"
                                    : row.type == "II" ? "A(F_out), partial sums of the output"
                                                       : "A(E_in), partial sums of the input's error";
    Builder builder(row.split.base);
    builder.title(row.title("Transfer within the layer"))
        .time(row.intra)
        .formula(fmt::format("within the layer, type {} = {} · width / b of the side", row.type, tensor))
        .source(paper("section 4.1.1, Table 4"));
    movedTerms(builder, row, row.intra, row.intra.value > 0);
    if (row.type == "II") builder.parameter("psum", "where partial sums are taken");
    if (row.intra.value == 0)
        builder.note(
            "Nothing moves: a grouped convolution split by groups, an embedding table split by columns, or a side "
            "without a share.");
    return builder.note("It does not depend on the ratio.").paperNote().made();
}

Explanation explainRowInter(const RowContext& row) {
    Builder builder(row.split.base);
    builder.title(row.title("Transfer into the layer"))
        .time(row.inter)
        .formula(
            "into the layer = Σ over its inputs of A · (rem(p→q) + rem(q→p)) · width / b of the side; rem = 0 for the "
            "same "
            "layout or from a duplicated one, β into a duplicated one, α·β otherwise")
        .source(paper("section 4.1.2, Table 5"));
    return movedTerms(builder, row, row.inter, false)
        .term("type or layout of this layer", row.type, kFromResult)
        .paperNote()
        .made();
}

Explanation explainRowType(const RowContext& row) {
    struct Meaning {
        std::string_view type, meaning;
    };
    constexpr std::array<Meaning, 6> kMeanings{{{"I", "samples (batch)"},
                                                {"II", "input channels"},
                                                {"III", "output channels"},
                                                {"r", "rows (batch)"},
                                                {"c", "channels"},
                                                {"d", "nothing: both sides hold all of it"}}};
    Builder builder(row.split.base);
    builder.title(row.title(row.join ? "Layout" : "Type"));
    for (const Meaning& meaning : kMeanings)
        if (meaning.type == row.type)
            builder.number(std::string(meaning.type), 0)
                .term("what is split", std::string(meaning.meaning), paper("section 3.2"));
    const std::string& strategy = row.split.base.plan->strategy;
    std::string rule = "the types of all layers together minimise the objective of the split";
    if (strategy == "dp") rule = "data parallelism splits every layer by samples";
    if (strategy == "owt") rule = "one weird trick: convolutions by samples, fully connected layers by input channels";
    if (strategy == "hypar") rule = "HyPar: I or II along the main path, whichever moves the fewest elements";
    builder.formula((row.join ? "layout: " : "type: ") + rule)
        .source(strategy == "owt"     ? std::string("Krizhevsky, arXiv:1404.5997")
                : strategy == "hypar" ? std::string("HyPar (Song et al., HPCA 2019)")
                                      : paper("section 5.1, Eq. 9"))
        .term("compute", seconds(row.compute), row.split.at("layers"))
        .term("within the layer", seconds(row.intra), row.split.at("layers"))
        .term("into the layer", seconds(row.inter), row.split.at("layers"));
    const auto pins = row.split.base.result->study.parameters->find("pin");
    if (strategy == "accpar" && pins != row.split.base.result->study.parameters->end() && pins->is_object() &&
        pins->contains(row.layer))
        builder.note("The type of this layer was fixed by the parameter pin.");
    Explanation made = builder.made();
    made.exact = row.type;
    return made;
}

struct RowNumber {
    std::string_view name;
    bool layers, joins;  ///< which rows have it
    Explanation (*explain)(const RowContext&);
};
constexpr std::array<RowNumber, 5> kRowNumbers{{
    {"compute_s", true, true, explainRowCompute},
    {"intra_s", true, false, explainRowIntra},
    {"inter_s", true, true, explainRowInter},
    {"type", true, false, explainRowType},
    {"layout", false, true, explainRowType},
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

std::optional<Explanation> explainRow(const SplitContext& split, std::string_view step, std::string_view field) {
    const std::vector<std::string>& names = split.base.outcome->result.names;
    RowContext row{.split = split, .layer = {}, .type = {}, .join = false, .compute = {}, .intra = {}, .inter = {}};
    if (const auto k = indexIn(step, "layers", split.level->layers.size())) {
        const partition::LayerPlan& layer = split.level->layers[*k];
        row.layer = names.at(static_cast<std::size_t>(layer.layer));
        row.type = partition::nameOf(layer.type);
        row.compute = layer.compute;
        row.intra = layer.intra;
        row.inter = layer.inter;
    } else if (const auto j = indexIn(step, "joins", split.level->joins.size())) {
        const partition::JoinPlan& join = split.level->joins[*j];
        row.layer = names.at(static_cast<std::size_t>(join.layer));
        row.type = partition::nameOf(join.layout);
        row.join = true;
        row.compute = join.compute;
        row.inter = join.inter;
    } else {
        return std::nullopt;
    }
    for (const RowNumber& number : kRowNumbers)
        if (number.name == field && (row.join ? number.joins : number.layers)) return number.explain(row);
    return std::nullopt;
}

std::optional<Explanation> explainPlan(const Context& context, const std::vector<std::string_view>& steps) {
    if (steps.size() == 1) {
        for (const auto& [name, explainer] : kPlanNumbers) {
            if (name != steps[0]) continue;
            Explanation made = explainer(context);
            return made.title.empty() ? std::nullopt : std::optional(std::move(made));
        }
        return std::nullopt;
    }
    if (const auto k = indexIn(steps[0], "per_accelerator", context.plan->shares.size()); k && steps.size() == 2) {
        for (const auto& [name, explainer] : kShareNumbers)
            if (name == steps[1]) return explainer(context, context.plan->shares[*k]);
        return std::nullopt;
    }
    const auto level = indexIn(steps[0], "levels", context.plan->levels.size());
    if (!level) return std::nullopt;
    const SplitContext split{.base = context, .level = &context.plan->levels[*level], .number = *level};
    if (steps.size() == 3) return explainRow(split, steps[1], steps[2]);
    if (steps.size() == 2)
        for (const auto& [name, explainer] : kSplitNumbers)
            if (name == steps[1]) return explainer(split);
    return std::nullopt;
}

Explanation explainAccelerators(const Context& context) {
    Builder builder(context);
    builder.title("Accelerators")
        .number(formatCount(static_cast<double>(context.outcome->accelerators)),
                static_cast<double>(context.outcome->accelerators))
        .formula("accelerators = Σ over groups of their count")
        .source("definition");
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

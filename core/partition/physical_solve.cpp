#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/partition.h"
#include "core/partition/physical_costs.h"
#include "core/partition/physical_sides.h"
#include "core/partition/subsets.h"
#include "core/partition/thread_progress.h"
#include "core/physical/device.h"

namespace tessera::partition {

namespace {

std::string kernelsOf(const PhysicalCosts& costs, const hardware::Group& group, const Options& options) {
    return fmt::format(
        "Kernels take what the model of networks says of them on {} in {} under the software profile {}, "
        "as in predict.",
        inQuotes(group.accelerator.id.empty() ? group.accelerator.name : group.accelerator.id), options.dtype,
        inQuotes(physical::kSoftwareProfileNames.of(costs.profile())));
}

/// What the plans of all members of `sides` rest on.
std::vector<std::string> physicalAssumptions(PhysicalSides& sides, const hardware::Fleet& fleet, const Options& options,
                                             bool leavesWaysOut, bool hasGraph) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < sides.members().size(); ++i) {
        std::string kernels = kernelsOf(sides.costsOf(i), fleet.groups[sides.members()[i]], options);
        if (std::find(list.begin(), list.end(), kernels) == list.end()) list.push_back(std::move(kernels));
    }
    if (fleet.groups.size() > 1) {
        list.emplace_back(
            "Each group holds whole copies of the model and takes as many of the samples as lets all end together, or "
            "as fit its memory where these are fewer; gradients cross between the groups at the rate of the slowest "
            "link that each has to the others.");
        list.emplace_back(
            "The lower bound of several groups is the least of theirs where all end together: with any other shares "
            "some group has more samples, and takes no less time.");
        if (options.groups == Groups::best)
            list.emplace_back(
                "Groups may stay idle: speed-ups are over data parallelism that may leave groups idle, too.");
    }
    list.emplace_back(
        "Collectives run over the levels that a cut spans; partial sums are summed and scattered, what is read whole "
        "is gathered, once for all layers that read the same tensor.");
    list.emplace_back(
        "Gradients are summed behind the backward pass, as far as it is long enough and the software overlaps them; "
        "all other transfers take turns with compute.");
    list.emplace_back(
        "Hosts prepare the samples of the next step meanwhile; where the step waits for them, that wait is compute of "
        "the first layer.");
    list.emplace_back(
        "What moves at several levels at once is attributed to levels in proportion to what each would take alone.");
    list.emplace_back("Each layer's cut holds for forward, backward and gradient pass together.");
    list.push_back(fmt::format(
        "Memory counts weights and gradients in {}, the state of {} in 32 bits, the activations that the backward pass "
        "reads and gathered copies of them, without the scores of attention, which fused kernels make again; no "
        "separate master copy of the weights, no workspace.",
        options.dtype, model::optimizerKind(options.optimizer).title));
    if (options.transformer)
        list.emplace_back(
            "Kernels and the gradient all-reduce are scaled so that data parallelism takes what the model of whole "
            "steps of "
            "transformers says, as in predict.");
    for (const hardware::Group& group : fleet.groups)
        if (!hardware::memoryCapacity(group.accelerator))
            list.push_back(fmt::format("Group {} gives no memory, so whether the plan fits there was not checked.",
                                       inQuotes(group.name)));
    if (leavesWaysOut)
        list.push_back(
            fmt::format("Of each layer the {} ways to cut it that are fastest alone are looked at, so that "
                        "no bound is known.",
                        PhysicalStudy::kMaxWays));
    if (!hasGraph)
        list.emplace_back(
            "The model is a table of layers: what its layers read and write besides their products is estimated from "
            "the sizes of their maps.");
    return list;
}

/// Numbers of the groups that may work together, the whole fleet first.
struct LookedAt {
    std::vector<std::vector<std::size_t>> members;
    bool complete = true;  ///< every other subset is equal to one of these but for names
};

/// Of many groups those that are left where one after another of the slowest is idle.
LookedAt membersLookedAt(const hardware::Fleet& fleet, const Options& options) {
    constexpr std::size_t kMaxComplete = 15;
    std::vector<std::size_t> all(fleet.groups.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    LookedAt looked{.members = {all}, .complete = all.size() == 1};
    auto& members = looked.members;
    if (options.groups == Groups::all || all.size() == 1) return looked;
    Subsets subsets = subsetsOf(fleet, options.dtype);
    looked.complete = subsets.complete && subsets.list.size() <= kMaxComplete;
    if (!looked.complete) {
        const auto peak = [&](std::size_t g) {
            return physical::peakOf(physical::deviceOf(fleet.groups[g].accelerator), options.dtype);
        };
        std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return peak(a) > peak(b); });
        for (; all.size() > 1; members.push_back(all), std::sort(members.back().begin(), members.back().end()))
            all.pop_back();
        return looked;
    }
    for (const Subset& subset : subsets.list) {
        std::vector<std::size_t> those;
        for (std::size_t g = 0; g < fleet.groups.size(); ++g)
            if (std::find(subset.idle.begin(), subset.idle.end(), fleet.groups[g].name) == subset.idle.end())
                those.push_back(g);
        if (those.size() < all.size()) members.push_back(std::move(those));
    }
    return looked;
}

/// Where all subsets were looked at, the least of their bounds holds whichever groups take part.
void boundBySubsets(Plan& best, const std::vector<SubsetPlan>& rows) {
    double bound = best.stepTime.value;
    for (const SubsetPlan& row : rows) bound = std::min(bound, row.lowerBound.value);
    best.boundsSubsets = bound > 0;
    if (best.boundsSubsets) setBound(best, bound);
}

/// The best plan of a strategy, one that fits before one that does not, and how the subsets compare.
Plan bestOf(std::vector<PhysicalSides>& subsets, bool complete, const std::string& strategy, ThreadProgress& watch) {
    std::optional<Plan> best;
    std::vector<SubsetPlan> rows;
    for (PhysicalSides& sides : subsets) {
        Plan plan = sides.planOf(strategy, watch);
        rows.push_back({.idle = sides.idle(),
                        .accelerators = sides.accelerators(),
                        .stepTime = plan.stepTime,
                        .lowerBound = plan.lowerBound});
        const bool isBetter =
            !best || (plan.fits != best->fits ? plan.fits : plan.stepTime.value < best->stepTime.value);
        if (isBetter) best = std::move(plan);
    }
    if (rows.size() > 1) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const SubsetPlan& a, const SubsetPlan& b) { return a.stepTime.value < b.stepTime.value; });
        if (complete) boundBySubsets(*best, rows);
        best->subsets = std::move(rows);
    }
    return std::move(*best);
}

}  // namespace

Costs costsFor(const Options& options, const hardware::Fleet& fleet) {
    if (options.costs) return *options.costs;
    const bool saysLevels =
        !fleet.groups.empty() &&
        std::none_of(fleet.groups.begin(), fleet.groups.end(), [](const auto& group) { return group.levels.empty(); });
    return saysLevels ? Costs::physical : Costs::paper;
}

std::vector<std::string> strategiesFor(Costs costs) {
    Options options;
    if (costs == Costs::physical) options.strategies.insert(options.strategies.begin(), "joint");
    return options.strategies;
}

std::vector<std::string> physicalProblems(const Options& options, const hardware::Fleet& fleet) {
    std::vector<std::string> broken;
    const auto refuse = [&](bool isGiven, std::string_view name) {
        if (isGiven)
            broken.push_back(fmt::format("{} belongs to the cost model paper; leave it out or ask for that", name));
    };
    refuse(options.levels.has_value(), "levels");
    refuse(options.ratio != RatioRule::balanced, "ratio");
    refuse(!options.pinnedRatios.empty(), "pin_ratio");
    refuse(options.overlap != Overlap::none, "overlap");
    refuse(options.objective != Objective::max, "objective");
    refuse(options.psum != Psum::next, "psum");
    refuse(options.join != JoinRule::free, "join");
    refuse(options.flop != FlopRule::exact, "flop");
    refuse(!options.computation, "no-compute");
    refuse(options.costModel != CostModel::exact, "the paper's section 5.3");
    if (options.batch < static_cast<double>(fleet.groups.size()))
        broken.push_back(fmt::format("a batch of {} over {} groups; expected at least a sample for each", options.batch,
                                     fleet.groups.size()));
    for (const hardware::Group& group : fleet.groups)
        if (group.levels.empty() && group.count > 1)
            broken.push_back(
                fmt::format("group {} does not describe its network levels, which the cost model "
                            "physical needs",
                            inQuotes(group.name)));
    return broken;
}

void addMisfits(const Plan& plan, std::vector<std::string>& warnings) {
    for (const AcceleratorShare& share : plan.shares)
        if (!share.fits)
            warnings.push_back(fmt::format("{} does not fit: an accelerator of group {} would hold {} and has {}",
                                           plan.strategy, inQuotes(share.kind),
                                           formatQuantity(share.memory.value, Measure::bytes),
                                           formatQuantity(share.capacity->value, Measure::bytes)));
}

Result solvePhysical(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                     const Options& given, SearchControl control) {
    Options options = given;
    options.costs = Costs::physical;
    if (const std::vector<std::string> broken = problems(options, layers, fleet); !broken.empty())
        throw UsageError(joined(broken, "; "));
    SharedProgress watched{.control = control};
    watched.total = static_cast<double>(options.strategies.size()) + 1;
    ThreadProgress preparing(watched, "timing the layers", "preparation");
    preparing.poll();
    std::vector<PhysicalSides> subsets;
    LookedAt looked = membersLookedAt(fleet, options);
    for (std::vector<std::size_t>& members : looked.members)
        subsets.emplace_back(layers, graph, fleet, std::move(members), options);
    watched.done = 1;

    std::vector<std::optional<PartialPlan>> made(options.strategies.size());
    std::vector<std::string> leftOut;
    const auto report = [&] {
        if (!control.checkpoint) return;
        std::vector<const PartialPlan*> plans;
        for (const std::optional<PartialPlan>& partial : made)
            if (partial) plans.push_back(&*partial);
        control.checkpoint(plans);
    };
    for (std::size_t p = 0; p < made.size(); ++p) {
        const std::string& strategy = options.strategies[p];
        // What is missing of memory is known from the search alone, so that a plan that does not fit is made again.
        for (PartialPlan& partial : control.resume)
            if (partial.plan.strategy == strategy && partial.plan.fits) made[p] = std::move(partial);
        if (!made[p]) {
            ThreadProgress watch(watched, "cutting by " + strategy, strategy);
            watch.poll();
            if (watched.plans > 0 && watch.finishing()) {
                leftOut.push_back(strategy);
                continue;
            }
            made[p] = PartialPlan{.plan = bestOf(subsets, looked.complete, strategy, watch), .proven = true};
            const Plan& plan = made[p]->plan;
            watch.incumbent("step time", CurveRole::value, 0, plan.stepTime.value,
                            fmt::format("{}: {}/step", strategy, formatSeconds(plan.stepTime)));
            report();
        }
        ++watched.plans;
        watched.done = watched.done + 1;
    }

    Result result;
    result.batch = options.batch;
    result.costs = Costs::physical;
    for (const model::Layer& layer : layers.layers) result.names.push_back(layer.name);
    ThreadProgress watch(watched, "timing data parallelism", "dp");
    double dp = 0;
    for (const std::optional<PartialPlan>& partial : made)
        if (partial && partial->plan.strategy == "dp") dp = partial->plan.stepTime.value;
    if (dp == 0) dp = bestOf(subsets, looked.complete, "dp", watch).stepTime.value;
    result.assumptions = layers.assumptions;
    const bool leavesWaysOut = std::any_of(made.begin(), made.end(), [](const std::optional<PartialPlan>& partial) {
        return partial && partial->plan.lowerBound.value == 0;
    });
    for (std::string& sentence : physicalAssumptions(subsets.front(), fleet, options, leavesWaysOut, graph != nullptr))
        result.assumptions.push_back(std::move(sentence));
    if (!leftOut.empty())
        result.warnings.push_back(fmt::format("The search was ended early; left out: {}.", joined(leftOut, ", ")));
    const bool jointFits = std::all_of(made.begin(), made.end(), [](const std::optional<PartialPlan>& partial) {
        return !partial || partial->plan.strategy != "joint" || partial->plan.fits;
    });
    if (const auto min = subsets.front().minMemory(); min && !jointFits) {
        const std::string held = fmt::format("the least that an accelerator of group {} would hold is {}",
                                             inQuotes(min->first), formatQuantity(min->second, Measure::bytes));
        result.warnings.push_back(
            (fleet.groups.size() > 1
                 ? "Where all groups end together " + held + ", and no shares of the samples were found that fit"
                 : "No way to cut the layers fits in memory: " + held) +
            "; take a smaller batch or more accelerators. joint shows the fastest plan whatever its memory.");
    }
    for (std::optional<PartialPlan>& partial : made) {
        if (!partial) continue;
        Plan& plan = partial->plan;
        plan.speedupOverDp = dp / plan.stepTime.value;
        for (SubsetPlan& subset : plan.subsets) subset.speedupOverDp = dp / subset.stepTime.value;
        addMisfits(plan, result.warnings);
        result.plans.push_back(std::move(plan));
    }
    return result;
}

Result solveByCosts(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                    const Options& given, SearchControl control) {
    return costsFor(given, fleet) == Costs::physical ? solvePhysical(layers, graph, fleet, given, std::move(control))
                                                     : solve(layers, fleet, given, std::move(control));
}

}  // namespace tessera::partition

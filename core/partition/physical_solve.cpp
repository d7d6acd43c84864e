#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/partition.h"
#include "core/partition/physical_costs.h"
#include "core/partition/sharded_problem.h"
#include "core/partition/thread_progress.h"

namespace tessera::partition {

namespace {

constexpr double kMeetsBound = 1e-9;
constexpr std::size_t kMostWays = 400;  ///< of a layer to be cut
/// Table entries of the search for a proof, for each of Options::nodeLimit.
constexpr double kEntriesOfNode = 2e5;

/// A plan as shardings by vertex, with what is known of it.
struct ShardedPlan {
    std::vector<Sharding> shardings;
    double lowerBound = 0;  ///< of the sum of seconds; 0: not known
    bool isOptimal = false;
    bool noneFits = false;   ///< proven
    double leastMemory = 0;  ///< of one accelerator, in any plan
};

/// Solves one problem for every strategy.
class PhysicalStudy {
public:
    PhysicalStudy(const model::LayerGraph& layers, const PhysicalCosts& costs, const hardware::Group& group,
                  const Options& options)
        : layers_(layers), costs_(costs), group_(group), options_(options) {
        if (const auto memory = hardware::memoryCapacity(group.accelerator)) capacity_ = memory->value;
        three_ = shardingsOf(costs.sizes(), true);
        two_ = shardingsOf(costs.sizes(), false);
    }

    ShardedPlan planOf(const std::string& strategy, ThreadProgress& watch) {
        if (strategy == "joint") {
            ShardedPlan plan = searched([&](std::int32_t v) { return allWays(v); }, watch);
            if (plan.noneFits) leastMemory_ = plan.leastMemory;
            return plan;
        }
        if (strategy == "dp") return searched([&](std::int32_t) { return std::vector<Sharding>{two_.front()}; }, watch);
        if (strategy == "owt") return searched([&](std::int32_t v) { return owtWays(v); }, watch);
        ShardedPlan plan;
        plan.shardings = levelByLevel(strategy == "hypar", watch);
        plan.lowerBound = freeBound(watch);
        return plan;
    }

    Plan planned(const std::string& strategy, const ShardedPlan& sharded) const;
    bool leftWaysOut() const { return leavesOut_; }
    /// Bytes that an accelerator holds at least, where joint found that no plan fits.
    std::optional<double> leastMemory() const { return leastMemory_; }

private:
    bool isLayer(std::int32_t vertex) const { return !costs_.isGathered(vertex); }
    const PhysicalLayer& layerOf(std::int32_t vertex) const { return costs_.vertices()[toIndex(vertex)]; }
    bool cutsInputs(std::int32_t vertex) const { return layerOf(vertex).isWeighted || costs_.isGathered(vertex); }

    std::optional<Type> pinOf(std::int32_t vertex) const {
        if (!isLayer(vertex)) return std::nullopt;
        const auto pin = options_.pinnedTypes.find(layers_.layers[toIndex(vertex)].name);
        return pin == options_.pinnedTypes.end() ? std::nullopt : std::optional(pin->second);
    }

    static bool isOfType(const Sharding& sharding, Type type) {
        const Degrees parts = productOf(sharding);
        return (type == Type::I || parts.batch == 1) && (type == Type::II || parts.in == 1) &&
               (type == Type::III || parts.out == 1);
    }

    /// Every way that a vertex allows; all batch where there is no other.
    std::vector<Sharding> allWays(std::int32_t vertex) const {
        const std::optional<Type> pin = pinOf(vertex);
        std::vector<Sharding> ways;
        for (const Sharding& way : cutsInputs(vertex) ? three_ : two_)
            if (pin ? isOfType(way, *pin) : costs_.allows(vertex, way)) ways.push_back(way);
        if (ways.empty()) ways.push_back(two_.front());
        return ways;
    }

    /// "One weird trick": what has weights is cut by batch, but fully connected layers by inputs.
    std::vector<Sharding> owtWays(std::int32_t vertex) const {
        const PhysicalLayer& layer = layerOf(vertex);
        if (!isLayer(vertex) || (layer.isJoin && layer.cutsRows)) return allWays(vertex);
        Sharding way = two_.front();
        if (layer.isWeighted && !layer.isConvolution)
            for (Degrees& level : way) std::swap(level.batch, level.in);
        return {way};
    }

    ShardedPlan searched(const ShardedProblem::Ways& ways, ThreadProgress& watch) {
        ShardedProblem sharded(
            costs_, ways, [&](const ShardTimes& s) { return costs_.cost(s); }, kMostWays, capacity_);
        const JointSolution solution = solveJoint(
            sharded.problem(), static_cast<double>(options_.nodeLimit) * kEntriesOfNode, [&] { watch.poll(); });
        leavesOut_ = leavesOut_ || sharded.leavesOut();
        const bool isKnown = !sharded.leavesOut();
        return {sharded.shardings(solution.states), isKnown ? solution.lowerBound : 0, isKnown && solution.proven,
                solution.noneFits, solution.leastMemory};
    }

    /// A bound of all plans, whether they fit or not.
    double freeBound(ThreadProgress& watch) {
        if (freeBound_) return *freeBound_;
        ShardedProblem sharded(
            costs_, [&](std::int32_t v) { return allWays(v); }, [&](const ShardTimes& s) { return costs_.cost(s); },
            kMostWays);
        freeBound_ = solveJoint(sharded.problem(), 0, [&] { watch.poll(); }).lowerBound;
        if (sharded.leavesOut()) freeBound_ = 0;
        return *freeBound_;
    }

    /// One cut in a few equal parts after another, from the outermost level in, each the best for itself: what AccPar
    /// does, and HyPar with two types and nothing but transfers counted.
    std::vector<Sharding> levelByLevel(bool hypar, ThreadProgress& watch) {
        std::vector<Sharding> plan(costs_.vertices().size(), Sharding(costs_.sizes().size()));
        for (std::size_t level = costs_.sizes().size(); level-- > 0;)
            for (std::int64_t rest = costs_.sizes()[level]; rest > 1;) {
                std::int64_t factor = 2;
                while (rest % factor != 0) ++factor;
                rest /= factor;
                plan = cutOnce(plan, level, factor, hypar, watch);
            }
        return plan;
    }

    std::vector<Sharding> cutOnce(const std::vector<Sharding>& plan, std::size_t level, std::int64_t factor, bool hypar,
                                  ThreadProgress& watch) {
        const auto ways = [&](std::int32_t vertex) {
            std::vector<std::int64_t Degrees::*> cuts{&Degrees::batch};
            if (cutsInputs(vertex)) cuts.push_back(&Degrees::in);
            if (!hypar || !layerOf(vertex).isWeighted) cuts.push_back(&Degrees::out);
            const std::optional<Type> pin = pinOf(vertex);
            std::vector<Sharding> made;
            for (const auto cut : cuts) {
                Sharding way = plan[toIndex(vertex)];
                way[level].*cut *= factor;
                if (pin ? isOfType(way, *pin) : costs_.allows(vertex, way)) made.push_back(std::move(way));
            }
            if (!made.empty()) return made;
            made.push_back(plan[toIndex(vertex)]);
            made.back()[level].batch *= factor;
            return made;
        };
        const auto weigh = [&](const ShardTimes& shard) {
            if (!hypar) return costs_.cost(shard);
            const double moved = shard.partialSums + shard.reduction;
            return JointCost{moved, moved, 0};
        };
        ShardedProblem sharded(costs_, ways, weigh, kMostWays);
        return sharded.shardings(solveJoint(sharded.problem(), 0, [&] { watch.poll(); }).states);
    }

    const model::LayerGraph& layers_;
    const PhysicalCosts& costs_;
    const hardware::Group& group_;
    const Options& options_;
    double capacity_ = kInfinity;
    std::vector<Sharding> three_, two_;
    std::optional<double> freeBound_, leastMemory_;
    bool leavesOut_ = false;
};

// Plans
// ----------------------------------------------------------------------------------------------------------------

/// What is cut at one level alone.
Sharding levelAlone(const Sharding& sharding, std::size_t level) {
    Sharding alone(sharding.size());
    alone[level] = sharding[level];
    return alone;
}

Type typeOf(const Degrees& degrees) {
    if (degrees.batch >= degrees.in && degrees.batch >= degrees.out) return Type::I;
    return degrees.in >= degrees.out ? Type::II : Type::III;
}

/// Parts of a time at each level, in proportion to what each level would take alone.
std::vector<double> byLevel(double seconds, std::vector<double> alone) {
    double sum = 0;
    for (const double part : alone) sum += part;
    for (double& part : alone) part = sum > 0 ? seconds * part / sum : 0;
    if (!(sum > 0) && !alone.empty()) alone.front() = seconds;
    return alone;
}

/// Times of a plan's layers, and of what moves at each level.
struct PlanTimes {
    std::vector<ShardTimes> shards;    ///< by vertex
    std::vector<double> intra, inter;  ///< by layer and level: [vertex * levels + level]
    std::size_t levels = 0;
    double compute = 0, moved = 0, reduction = 0, backward = 0, exposed = 0;
    double memory = 0, parameters = 0, activations = 0;

    double seconds() const { return compute + moved + exposed; }
};

PlanTimes timesOf(const PhysicalCosts& costs, const std::vector<Sharding>& plan) {
    PlanTimes times;
    const std::size_t levels = costs.sizes().size();
    times.levels = levels;
    times.shards.reserve(plan.size());
    for (std::size_t v = 0; v < plan.size(); ++v) {
        const ShardTimes shard = costs.shard(signedIndex(v), plan[v]);
        times.shards.push_back(shard);
        times.compute += shard.compute();
        times.moved += shard.partialSums;
        times.reduction += shard.reduction;
        times.backward += shard.backward;
        times.memory += shard.memory;
        times.parameters += shard.parameters;
        times.activations += shard.activations;
    }
    times.exposed = std::max(costs.exposed() * times.reduction, times.reduction - times.backward);
    const double share = times.reduction > 0 ? times.exposed / times.reduction : 0;
    times.intra.resize(plan.size() * levels);
    times.inter.resize(plan.size() * levels);
    for (std::size_t v = 0; v < plan.size(); ++v) {
        std::vector<double> alone;
        for (std::size_t l = 0; l < levels; ++l) {
            const ShardTimes part = costs.shard(signedIndex(v), levelAlone(plan[v], l));
            alone.push_back(part.partialSums + share * part.reduction);
        }
        const std::vector<double> parts =
            byLevel(times.shards[v].partialSums + share * times.shards[v].reduction, std::move(alone));
        std::copy(parts.begin(), parts.end(), times.intra.begin() + static_cast<std::ptrdiff_t>(v * levels));
    }
    for (const PhysicalCosts::Edge& edge : costs.edges()) {
        const Sharding& from = plan[toIndex(edge.from)];
        const Sharding& to = plan[toIndex(edge.to)];
        const double seconds = costs.handOver(edge, from, to);
        times.moved += seconds;
        std::vector<double> alone;
        for (std::size_t l = 0; l < levels; ++l)
            alone.push_back(edge.isCopy ? 0 : costs.handOver(edge, levelAlone(from, l), levelAlone(to, l)));
        const std::vector<double> parts = byLevel(seconds, std::move(alone));
        for (std::size_t l = 0; l < levels; ++l) times.inter[toIndex(edge.to) * levels + l] += parts[l];
    }
    // What is gathered for several layers is told with the first that reads it.
    std::vector<bool> isTold(plan.size(), false);
    for (const PhysicalCosts::Edge& edge : costs.edges()) {
        if (!edge.isCopy || isTold[toIndex(edge.from)]) continue;
        isTold[toIndex(edge.from)] = true;
        for (std::size_t l = 0; l < levels; ++l)
            times.inter[toIndex(edge.to) * levels + l] +=
                times.inter[toIndex(edge.from) * levels + l] + times.intra[toIndex(edge.from) * levels + l];
    }
    return times;
}

LevelPlan levelPlan(const model::LayerGraph& layers, const PhysicalCosts& costs, const std::vector<Sharding>& plan,
                    const PlanTimes& times, std::size_t level) {
    PlanRows<LayerPlan>::Maker weighted;
    PlanRows<JoinPlan>::Maker joins;
    double seconds = 0;
    for (std::size_t n = 0; n < layers.layers.size(); ++n) {
        const ShardTimes& shard = times.shards[n];
        const Degrees& degrees = plan[n][level];
        const double intra = times.intra[n * times.levels + level], inter = times.inter[n * times.levels + level];
        seconds += shard.compute() + intra + inter;
        if (model::isJoin(layers.layers[n].kind))
            joins.add({signedIndex(n),
                       degrees.batch >= degrees.out ? Layout::rows : Layout::channels,
                       {shard.compute()},
                       {inter + intra},
                       degrees});
        else
            weighted.add({signedIndex(n), typeOf(degrees), {shard.compute()}, {intra}, {inter}, degrees});
    }
    LevelPlan made;
    made.layers = std::move(weighted).rows();
    made.joins = std::move(joins).rows();
    made.ratio = 1 / static_cast<double>(costs.sizes()[level]);
    made.objective = made.sideI = made.sideJ = {seconds};
    return made;
}

AcceleratorShare shareOf(const hardware::Group& group, const PlanTimes& times, std::size_t layers) {
    AcceleratorShare share;
    share.kind = group.name;
    share.count = group.count;
    share.compute = {times.compute};
    share.communication = {times.moved + times.exposed};
    share.memory = {times.memory};
    share.capacity = hardware::memoryCapacity(group.accelerator);
    share.fits = !share.capacity || times.memory <= share.capacity->value;
    share.parameters = times.parameters;
    share.activations = times.activations;
    std::vector<Seconds> compute;
    for (std::size_t n = 0; n < layers; ++n) compute.push_back({times.shards[n].compute()});
    share.layerCompute = compute;
    return share;
}

Plan PhysicalStudy::planned(const std::string& strategy, const ShardedPlan& sharded) const {
    PlanTimes times = timesOf(costs_, sharded.shardings);
    Plan plan;
    plan.strategy = strategy;
    plan.stepTime = plan.cost = {costs_.step(times.seconds())};
    // The wait for samples is told with the first layer, which reads them.
    const double wait = std::max(plan.stepTime.value - times.seconds(), 0.0);
    times.shards.front().update += wait;
    times.compute += wait;
    plan.throughput = options_.batch / plan.stepTime.value;
    AcceleratorShare share = shareOf(group_, times, layers_.layers.size());
    std::int64_t below = group_.count, groups = 1;
    int number = 0;
    for (std::size_t l = costs_.sizes().size(); l-- > 0;) {
        const std::int64_t size = costs_.sizes()[l];
        if (size > 1) {
            LevelPlan level = levelPlan(layers_, costs_, sharded.shardings, times, l);
            level.level = number++;
            level.group = group_.levels[l].name;
            level.accelerators = below;
            level.occurrences = groups;
            level.parts = size;
            share.path.push_back({signedIndex(plan.levels.size()), true});
            plan.levels.push_back(std::move(level));
        }
        below /= size;
        groups *= size;
    }
    plan.fits = share.fits;
    plan.shares.push_back(std::move(share));
    const double value = plan.stepTime.value;
    if (sharded.lowerBound > 0) {
        const double bound = std::min(costs_.step(sharded.lowerBound), value);
        const bool isMet = sharded.isOptimal || value <= bound * (1 + kMeetsBound);
        plan.optimal = isMet && plan.fits;
        plan.lowerBound = {isMet ? value : bound};
        plan.gap = isMet ? 0 : value / bound - 1;
    }
    plan.endedBy = plan.optimal ? EndedBy::proof : EndedBy::search;
    return plan;
}

std::vector<std::string> physicalAssumptions(const PhysicalCosts& costs, const hardware::Group& group,
                                             const Options& options, bool leavesWaysOut, bool hasGraph) {
    std::vector<std::string> list{
        fmt::format("Kernels take what the model of networks says of them on {} in {} under the software profile {}, "
                    "as in predict.",
                    inQuotes(group.accelerator.id.empty() ? group.accelerator.name : group.accelerator.id),
                    options.dtype, inQuotes(physical::kSoftwareProfileNames.of(costs.profile())))};
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
        "What moves at several levels at once is told by level in proportion to what each would take alone.");
    list.emplace_back("Each layer's cut holds for forward, backward and gradient pass together.");
    list.push_back(fmt::format(
        "Memory counts weights and gradients in {}, the state of {} in 32 bits, the activations that the backward pass "
        "reads and gathered copies of them, without the scores of attention, which fused kernels make again; no "
        "separate master copy of the weights, no workspace.",
        options.dtype, model::optimizerKind(options.optimizer).title));
    if (options.transformer)
        list.emplace_back(
            "Kernels and sums of gradients are scaled so that data parallelism takes what the model of whole steps of "
            "transformers says, as in predict.");
    if (!hardware::memoryCapacity(group.accelerator))
        list.push_back(fmt::format("Group {} gives no memory, so whether the plan fits there was not checked.",
                                   inQuotes(group.name)));
    if (leavesWaysOut)
        list.push_back(
            fmt::format("Of each layer the {} ways to cut it that are fastest alone are looked at, so that "
                        "no bound is known.",
                        kMostWays));
    if (!hasGraph)
        list.emplace_back(
            "The model is a table of layers: what its layers read and write besides their products is estimated from "
            "the sizes of their maps.");
    return list;
}

}  // namespace

Costs costsFor(const Options& options, const hardware::Fleet& fleet) {
    if (options.costs) return *options.costs;
    const bool saysLevels = fleet.groups.size() == 1 && !fleet.groups.front().levels.empty();
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
    if (fleet.groups.size() != 1)
        broken.push_back(
            fmt::format("the fleet has {} groups; the cost model physical takes one group of equal "
                        "accelerators (of several: cost_model paper)",
                        fleet.groups.size()));
    for (const hardware::Group& group : fleet.groups)
        if (group.levels.empty() && group.count > 1)
            broken.push_back(
                fmt::format("group {} does not say the levels of its network, which the cost model "
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
    const hardware::Group& group = fleet.groups.front();
    const PhysicalCosts costs(layers, graph, group, options);
    PhysicalStudy study(layers, costs, group, options);
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
        for (PartialPlan& partial : control.resume)
            if (partial.plan.strategy == strategy) made[p] = std::move(partial);
        if (!made[p]) {
            ThreadProgress watch(watched, "cutting by " + strategy, strategy);
            watch.poll();
            if (watched.plans > 0 && watch.finishing()) {
                leftOut.push_back(strategy);
                continue;
            }
            made[p] = PartialPlan{.plan = study.planned(strategy, study.planOf(strategy, watch)), .proven = true};
            const Plan& plan = made[p]->plan;
            watch.incumbent(
                "step time", CurveRole::value, 0, plan.stepTime.value,
                fmt::format("{}: {}/step", strategy, formatQuantity(plan.stepTime.value, Measure::seconds)));
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
    if (dp == 0) dp = study.planned("dp", study.planOf("dp", watch)).stepTime.value;
    result.assumptions = layers.assumptions;
    for (std::string& sentence : physicalAssumptions(costs, group, options, study.leftWaysOut(), graph != nullptr))
        result.assumptions.push_back(std::move(sentence));
    if (!leftOut.empty())
        result.warnings.push_back(fmt::format("The search was ended early; left out: {}.", joined(leftOut, ", ")));
    if (const std::optional<double> least = study.leastMemory())
        result.warnings.push_back(fmt::format(
            "No way to cut the layers fits in memory: the least that an accelerator of group {} would hold is "
            "{}; take a smaller batch or more accelerators. joint shows the fastest plan whatever its memory.",
            inQuotes(group.name), formatQuantity(*least, Measure::bytes)));
    for (std::optional<PartialPlan>& partial : made) {
        if (!partial) continue;
        Plan& plan = partial->plan;
        plan.speedupOverDp = dp / plan.stepTime.value;
        addMisfits(plan, result.warnings);
        result.plans.push_back(std::move(plan));
    }
    return result;
}

}  // namespace tessera::partition

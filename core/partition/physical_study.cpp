#include "core/partition/physical_study.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::partition {

namespace {

constexpr double kMeetsBound = 1e-9;
/// Table entries of the search for a proof, for each of Options::nodeLimit.
constexpr double kEntriesOfNode = 2e5;

/// Those ways that cut nothing but samples at the levels from `levels` on.
std::vector<Sharding> withinLevels(std::vector<Sharding> ways, std::size_t levels) {
    std::erase_if(ways, [&](const Sharding& way) {
        return std::any_of(way.begin() + static_cast<std::ptrdiff_t>(levels), way.end(),
                           [](const Degrees& level) { return level.in > 1 || level.out > 1; });
    });
    return ways;
}

}  // namespace

void setBound(Plan& plan, double bound, bool isProven) {
    const double value = plan.stepTime.value;
    if (bound > 0) {
        bound = std::min(bound, value);
        const bool isMet = isProven || value <= bound * (1 + kMeetsBound);
        plan.optimal = isMet && plan.fits;
        plan.lowerBound = {isMet ? value : bound};
        plan.gap = isMet ? 0 : value / bound - 1;
    }
    plan.endedBy = plan.optimal ? EndedBy::proof : EndedBy::search;
}

PhysicalStudy::PhysicalStudy(const model::LayerGraph& layers, const PhysicalCosts& costs, const hardware::Group& group,
                             const Options& options, std::size_t levels)
    : layers_(layers), costs_(costs), group_(group), options_(options), levels_(levels) {
    if (const auto memory = hardware::memoryCapacity(group.accelerator)) capacity_ = memory->value;
    three_ = withinLevels(shardingsOf(costs.sizes(), true), levels);
    two_ = withinLevels(shardingsOf(costs.sizes(), false), levels);
}

ShardedPlan PhysicalStudy::planOf(const std::string& strategy, ThreadProgress& watch) {
    if (strategy == "joint") {
        ShardedPlan plan = searched([&](std::int32_t v) { return allWays(v); }, watch);
        if (plan.noneFits) minMemory_ = plan.minMemory;
        return plan;
    }
    if (strategy == "dp") return searched([&](std::int32_t) { return std::vector<Sharding>{two_.front()}; }, watch);
    if (strategy == "owt") return searched([&](std::int32_t v) { return owtWays(v); }, watch);
    ShardedPlan plan;
    plan.shardings = levelByLevel(strategy == "hypar", watch);
    plan.lowerBound = freeBound(watch);
    return plan;
}

std::optional<Type> PhysicalStudy::pinOf(std::int32_t vertex) const {
    if (!isLayer(vertex)) return std::nullopt;
    const auto pin = options_.pinnedTypes.find(layers_.layers[toIndex(vertex)].name);
    return pin == options_.pinnedTypes.end() ? std::nullopt : std::optional(pin->second);
}

/// By what is cut within the levels.
bool PhysicalStudy::isOfType(Sharding sharding, Type type) const {
    sharding.resize(levels_);
    const Degrees parts = productOf(sharding);
    return (type == Type::I || parts.batch == 1) && (type == Type::II || parts.in == 1) &&
           (type == Type::III || parts.out == 1);
}

/// Every way that a vertex allows; all batch where there is no other.
std::vector<Sharding> PhysicalStudy::allWays(std::int32_t vertex) const {
    const std::optional<Type> pin = pinOf(vertex);
    std::vector<Sharding> ways;
    for (const Sharding& way : cutsInputs(vertex) ? three_ : two_)
        if (pin ? isOfType(way, *pin) : costs_.allows(vertex, way)) ways.push_back(way);
    if (ways.empty()) ways.push_back(two_.front());
    return ways;
}

/// "One weird trick": what has weights is cut by batch, but fully connected layers by inputs.
std::vector<Sharding> PhysicalStudy::owtWays(std::int32_t vertex) const {
    const PhysicalLayer& layer = layerOf(vertex);
    if (!isLayer(vertex) || (layer.isJoin && layer.cutsRows)) return allWays(vertex);
    Sharding way = two_.front();
    if (layer.isWeighted && !layer.isConvolution)
        for (std::size_t l = 0; l < levels_; ++l) std::swap(way[l].batch, way[l].in);
    return {way};
}

ShardedPlan PhysicalStudy::searched(const ShardedProblem::Ways& ways, ThreadProgress& watch) {
    ShardedProblem sharded(
        costs_, ways, [&](const ShardTimes& s) { return costs_.cost(s); }, kMaxWays, capacity_);
    const JointSolution solution =
        solveJoint(sharded.problem(), static_cast<double>(options_.nodeLimit) * kEntriesOfNode, [&] { watch.poll(); });
    const bool isKnown = !sharded.leavesOut();
    return {sharded.shardings(solution.states), isKnown ? solution.lowerBound : 0, isKnown && solution.proven,
            solution.noneFits, solution.minMemory};
}

/// A bound of all plans, whether they fit or not.
double PhysicalStudy::freeBound(ThreadProgress& watch) {
    if (freeBound_) return *freeBound_;
    ShardedProblem sharded(
        costs_, [&](std::int32_t v) { return allWays(v); }, [&](const ShardTimes& s) { return costs_.cost(s); },
        kMaxWays);
    freeBound_ = solveJoint(sharded.problem(), 0, [&] { watch.poll(); }).lowerBound;
    if (sharded.leavesOut()) freeBound_ = 0;
    return *freeBound_;
}

/// One cut in a few equal parts after another, from the outermost level in, each the best for itself: what AccPar
/// does, and HyPar with two types and nothing but transfers counted.
std::vector<Sharding> PhysicalStudy::levelByLevel(bool hypar, ThreadProgress& watch) {
    std::vector<Sharding> plan(costs_.vertices().size(), Sharding(costs_.sizes().size()));
    for (Sharding& sharding : plan)
        for (std::size_t level = levels_; level < sharding.size(); ++level)
            sharding[level].batch = costs_.sizes()[level];
    for (std::size_t level = levels_; level-- > 0;)
        for (std::int64_t rest = costs_.sizes()[level]; rest > 1;) {
            std::int64_t factor = 2;
            while (rest % factor != 0) ++factor;
            rest /= factor;
            plan = cutOnce(plan, level, factor, hypar, watch);
        }
    return plan;
}

std::vector<Sharding> PhysicalStudy::cutOnce(const std::vector<Sharding>& plan, std::size_t level, std::int64_t factor,
                                             bool hypar, ThreadProgress& watch) {
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
    ShardedProblem sharded(costs_, ways, weigh, kMaxWays);
    return sharded.shardings(solveJoint(sharded.problem(), 0, [&] { watch.poll(); }).states);
}

// Plans
// ----------------------------------------------------------------------------------------------------------------

namespace {

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

}  // namespace

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
    setBound(plan, sharded.lowerBound > 0 ? costs_.step(sharded.lowerBound) : 0, sharded.isOptimal);
    return plan;
}

}  // namespace tessera::partition

#include "core/partition/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

namespace {

/// A group of accelerators that is split, or that stands as a leaf.
struct Part {
    std::int32_t cluster = -1;  ///< in the array; its kind is halved further where it has one
    std::int64_t count = 0;     ///< accelerators in this part
};

/// What the splits above leave to a part.
struct Inherited {
    std::vector<Share> shares;
    double communication = 0;      ///< transfers on the path from the root
    std::vector<double> perLayer;  ///< the same by layer, kept only for `--overlap comm`
    double scale = 1;              ///< the paper's factor on all times below a root split
    int level = 0;
    std::int64_t occurrences = 1;
    bool idle = false;  ///< no work is left to it
};

/// Memory to be used again: levels come and go by the hundred, and fresh memory costs as much as filling it.
template <typename Memory>
class Spares {
public:
    Memory take() {
        if (spares_.empty()) return {};
        Memory memory = std::move(spares_.back());
        spares_.pop_back();
        return memory;
    }
    void give(Memory memory) { spares_.push_back(std::move(memory)); }

private:
    std::vector<Memory> spares_;
};

class Solver {
public:
    Solver(const Network& network, const Array& array, const Strategy& strategy, const Options& options,
           const NodeContext& context)
        : network_(network),
          array_(array),
          strategy_(strategy),
          options_(options),
          context_(context),
          paper_(strategy.paperModel || options.costModel == CostModel::paper),
          elimination_(network.plan, context.watch),
          splitsAreFew_(array.clusters[toIndex(array.root)].count <= kMaxSplits) {
        result_.shares.resize(array.kinds.size());
        for (std::size_t k = 0; k < array.kinds.size(); ++k) {
            result_.shares[k].kind = array.kinds[k].name;
            result_.shares[k].count = array.kinds[k].count;
        }
        slowest_.assign(array.kinds.size(), -1);
    }

    HierarchyResult run() {
        Inherited inherited;
        inherited.shares.assign(network_.nodes.size(), Share{});
        if (options_.overlap == Overlap::comm) inherited.perLayer.assign(network_.nodes.size(), 0);
        result_.stepTime = solve({array_.root, array_.clusters[toIndex(array_.root)].count}, inherited, false,
                                 std::numeric_limits<double>::infinity());
        return std::move(result_);
    }

private:
    const Cluster& cluster(const Part& part) const { return array_.clusters[toIndex(part.cluster)]; }

    bool isLeaf(const Part& part, int level) const {
        return part.count == 1 || (options_.levels && level >= *options_.levels);
    }

    double flopsOfPart(const Part& part) const {
        const Cluster& c = cluster(part);
        return c.kind >= 0 ? array_.kinds[toIndex(c.kind)].flops * static_cast<double>(part.count) : c.flops;
    }

    std::pair<Part, Part> halves(const Part& part) const {
        const Cluster& c = cluster(part);
        if (c.kind >= 0) return {{part.cluster, part.count - part.count / 2}, {part.cluster, part.count / 2}};
        return {{c.first, array_.clusters[toIndex(c.first)].count},
                {c.second, array_.clusters[toIndex(c.second)].count}};
    }

    Sides sidesOf(const Part& part, const Part& first, const Part& second) const {
        const Cluster& c = cluster(part);
        const double bytes = *bytesOfDtype(options_.dtype);
        Sides sides;
        sides.flopsI = flopsOfPart(first);
        sides.flopsJ = flopsOfPart(second);
        const double cap = c.kind >= 0 ? std::numeric_limits<double>::infinity() : c.rateCap;
        sides.perElementI = bytes / std::min(cluster(first).bytesPerSecond, cap);
        sides.perElementJ = bytes / std::min(cluster(second).bytesPerSecond, cap);
        sides.latency = c.kind >= 0 ? 0 : c.latency;
        sides.model = paper_ ? CostModel::paper : CostModel::exact;
        return sides;
    }

    /// Splits a part and all below it; returns the time of its slowest accelerator. A trial records nothing and gives
    /// up once it passes `limit`. What is inherited is gone afterwards.
    double solve(const Part& part, Inherited& inherited, bool trial, double limit) {
        if (context_.watch != nullptr) context_.watch->poll();
        if (inherited.idle) return finishIdle(part, trial);
        if (isLeaf(part, inherited.level)) return finishLeaf(part, inherited, trial);
        const std::pair<Part, Part> parts = halves(part);
        const Part first = parts.first;
        Part second = parts.second;
        const bool halved = cluster(part).kind >= 0;
        if (halved && first.count != second.count && splits_ >= static_cast<std::size_t>(kMaxSplits)) {
            second.count = first.count;
            result_.simplified = true;
        }
        ++splits_;
        NodeContext node = context_;
        node.level = inherited.level;
        node.kindsPart = !halved && !sharesEqually(cluster(part), options_, strategy_.paperModel);
        node.trial = trial;
        node.countShare =
            paper_ ? 0.5 : static_cast<double>(first.count) / static_cast<double>(first.count + second.count);
        node.ratios = ratiosTakingPart(flopsOfPart(first), flopsOfPart(second), node.countShare, options_);
        node.curves = context_.curves && inherited.level == 0;
        if (const auto found = context_.found.find(part.cluster); found != context_.found.end())
            node.foundRatio = found->second;
        Level level(network_, inherited.shares, sidesOf(part, first, second), spareLevels_.take());
        const bool goesOn = !isLeaf(first, inherited.level + 1) || !isLeaf(second, inherited.level + 1);
        if (node.kindsPart && goesOn && !trial)
            node.wholeTime = [&](const Split& split, double max) {
                const std::size_t before = splits_;
                const double time =
                    sidesTime(level, split, level.totals(split.states), inherited, first, second, true, max);
                splits_ = before;
                return time;
            };
        const Split split = strategy_.choose(level, elimination_, node);
        const SplitHardware hardware = hardwareOf(level.sides());
        if (leavesOneIdle(split)) level.setSides(withoutTransfers(level.sides()));
        const Totals totals = level.totals(split.states);
        if (!trial) record(part, level, split, totals, hardware, inherited);
        if (areTwins(first, second, split))
            return twinsTime(level, split, totals, inherited, first, second, trial, limit);
        const double time = sidesTime(level, split, totals, inherited, first, second, trial, limit);
        spareLevels_.give(std::move(level).release());
        return time;
    }

    /// Equal halves of one kind have equal shapes and times: one is solved for both.
    bool areTwins(const Part& first, const Part& second, const Split& split) const {
        return cluster(first).shape == cluster(second).shape && first.count == second.count && split.ratio == 0.5;
    }

    /// The time of both of two twins. Most levels of a hierarchy are of twins: their memory serves the levels below.
    double twinsTime(Level& level, const Split& split, const Totals& totals, Inherited& inherited, const Part& first,
                     const Part& second, bool trial, double limit) {
        const double moved = movedBelow(level, split, totals, inherited);
        if (trial && moved >= limit) {
            spareLevels_.give(std::move(level).release());
            return moved;
        }
        const std::int32_t number = lastSplit(trial);
        Inherited next = below(level, split, totals, inherited, true, 2);
        spareLevels_.give(std::move(level).release());
        spareShares_.give(std::move(inherited.shares));
        const double time = solveSide(first, std::move(next), true, number, trial, limit);
        if (!trial && first.cluster != second.cluster) copyShares(first, second, number);
        return time;
    }

    /// The split that was recorded last; none in a trial.
    std::int32_t lastSplit(bool trial) const { return trial ? -1 : signedIndex(result_.levels.size()) - 1; }

    /// What the side that moves more moves down to here: a trial's time cannot be less.
    double movedBelow(const Level& level, const Split& split, const Totals& totals, const Inherited& inherited) const {
        return std::max(communicationBelow(level, split, totals, inherited, true),
                        communicationBelow(level, split, totals, inherited, false));
    }

    /// A side without any work is absent: nothing is exchanged with it. The paper's own rules for the ratio know
    /// no absent side: its Table 4 charges what moves inside a layer whatever the ratio is.
    bool leavesOneIdle(const Split& split) const {
        return (split.ratio == 0 || split.ratio == 1) && !paper_ && !isPapersRule(options_.ratio);
    }

    static Sides withoutTransfers(Sides sides) {
        sides.perElementI = sides.perElementJ = sides.latency = 0;
        return sides;
    }

    /// `solve` of one side, which remembers the way down to it.
    double solveSide(const Part& part, Inherited inherited, bool first, std::int32_t split, bool trial, double limit) {
        if (!trial) path_.push_back({split, first});
        const double time = solve(part, inherited, trial, limit);
        if (!trial) path_.pop_back();
        if (!inherited.shares.empty()) spareShares_.give(std::move(inherited.shares));
        return time;
    }

    double sidesTime(const Level& level, const Split& split, const Totals& totals, const Inherited& inherited,
                     const Part& first, const Part& second, bool trial, double limit) {
        const bool twins = areTwins(first, second, split);
        const std::int32_t number = lastSplit(trial);
        const auto timeOf = [&](bool isFirst) {
            return solveSide(isFirst ? first : second, below(level, split, totals, inherited, isFirst, twins ? 2 : 1),
                             isFirst, number, trial, limit);
        };
        if (const double moved = movedBelow(level, split, totals, inherited); trial && moved >= limit) return moved;
        if (twins) return timeOf(true);
        // A trial that is worse than the best so far ends sooner with the slower side. Where splits are counted, their
        // order counts, too.
        const bool firstGoesFirst =
            !trial || !splitsAreFew_ ||
            sideI(totals, level.sides(), split.ratio) >= sideJ(totals, level.sides(), split.ratio);
        const double time = timeOf(firstGoesFirst);
        return trial && time >= limit ? time : std::max(time, timeOf(!firstGoesFirst));
    }

    double communicationBelow(const Level& level, const Split& split, const Totals& totals, const Inherited& inherited,
                              bool first) const {
        return inherited.communication + inherited.scale * transfers(totals, level.sides(), split.ratio, first);
    }

    Inherited below(const Level& level, const Split& split, const Totals& totals, const Inherited& inherited,
                    bool first, std::int64_t times) {
        Inherited next;
        next.level = inherited.level + 1;
        next.occurrences = inherited.occurrences * times;
        next.idle = leavesOneIdle(split) && split.ratio == (first ? 0 : 1);
        const double ratio = first ? split.ratio : 1 - split.ratio;
        // The paper's figures halve shapes whatever the ratio, and scale all that a side does by twice its ratio.
        next.scale = paper_ ? inherited.scale * 2 * ratio : inherited.scale;
        const double shrink = paper_ ? 0.5 : ratio;
        next.shares = level.shrunkShares(inherited.shares, split.states, shrink, spareShares_.take());
        next.communication = communicationBelow(level, split, totals, inherited, first);
        if (!inherited.perLayer.empty()) {
            next.perLayer = level.interByConsumer(split.states, split.ratio, first);
            for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
                const auto node = static_cast<std::int32_t>(n);
                const double intra = level.intra(node, level.stateOf(node, split.states), split.ratio, first);
                next.perLayer[n] = inherited.perLayer[n] + inherited.scale * (next.perLayer[n] + intra);
            }
        }
        return next;
    }

    static double transfers(Totals totals, const Sides& sides, double ratio, bool first) {
        totals.shared = totals.whole = 0;
        return first ? sideI(totals, sides, ratio) : sideJ(totals, sides, ratio);
    }

    void record(const Part& part, const Level& level, const Split& split, const Totals& totals,
                const SplitHardware& hardware, const Inherited& inherited) {
        const double i = sideI(totals, level.sides(), split.ratio);
        const double j = sideJ(totals, level.sides(), split.ratio);
        const bool slowerIsI = i >= j;
        LevelPlan plan;
        plan.level = inherited.level;
        plan.group = cluster(part).name;
        plan.accelerators = part.count;
        plan.occurrences = inherited.occurrences;
        plan.ratio = split.ratio;
        if (cluster(part).kind < 0) result_.ratios[part.cluster] = split.ratio;
        plan.objective = {inherited.scale * split.value};
        plan.sideI = {inherited.scale * i};
        plan.sideJ = {inherited.scale * j};
        plan.lowerBound = {inherited.scale * split.lowerBound};
        PlanRows<LayerPlan>::Maker layers;
        PlanRows<JoinPlan>::Maker joins;
        const std::vector<double> inter = level.interByConsumer(split.states, split.ratio, slowerIsI);
        for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
            const auto node = static_cast<std::int32_t>(n);
            const std::uint8_t state = level.stateOf(node, split.states);
            const Seconds compute{inherited.scale * level.compute(node, state, split.ratio, slowerIsI)};
            const Seconds moved{inherited.scale * inter[n]};
            if (!network_.nodes[n].weighted) {
                const auto layout = static_cast<Layout>(network_.nodes[n].in[state]);
                joins.add({node, layout, compute, moved});
                continue;
            }
            const Seconds intra{inherited.scale * level.intra(node, state, split.ratio, slowerIsI)};
            layers.add({node, static_cast<Type>(state), compute, intra, moved});
        }
        plan.layers = std::move(layers).rows();
        plan.joins = std::move(joins).rows();
        plan.hardware = hardware;
        plan.other = otherSide(level, split, inherited.scale, !slowerIsI);
        if (inherited.level == 0) {
            result_.root = split;
            result_.rootSideI = i;
            result_.rootSideJ = j;
        }
        result_.levels.push_back(std::move(plan));
    }

    SplitHardware hardwareOf(const Sides& sides) const {
        const double bytes = *bytesOfDtype(options_.dtype);
        return {.flopsI = {sides.flopsI},
                .flopsJ = {sides.flopsJ},
                .rateI = {bytes / sides.perElementI},
                .rateJ = {bytes / sides.perElementJ},
                .latency = {sides.latency}};
    }

    /// Transfers of the side that LevelPlan's layers do not include; empty where both sides' are equal.
    Repeated<Transfers> otherSide(const Level& level, const Split& split, double scale, bool first) const {
        const Sides& sides = level.sides();
        if (split.ratio == 0.5 && sides.perElementI == sides.perElementJ) return {};
        Repeated<Transfers>::Maker moved;
        const std::vector<double> inter = level.interByConsumer(split.states, split.ratio, first);
        for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
            const auto node = static_cast<std::int32_t>(n);
            const double intra = level.intra(node, level.stateOf(node, split.states), split.ratio, first);
            moved.add({{scale * intra}, {scale * inter[n]}});
        }
        return std::move(moved).list();
    }

    /// The accelerators of `second` do and hold what those of `first` do, which are their equals.
    void copyShares(const Part& first, const Part& second, std::int32_t split) {
        const std::vector<std::int32_t> from = kindsOf(first.cluster);
        const std::vector<std::int32_t> to = kindsOf(second.cluster);
        for (std::size_t k = 0; k < from.size(); ++k) {
            AcceleratorShare copy = result_.shares[toIndex(from[k])];
            copy.kind = result_.shares[toIndex(to[k])].kind;
            for (PathStep& step : copy.path)
                if (step.split == split) step.first = false;
            result_.shares[toIndex(to[k])] = std::move(copy);
            slowest_[toIndex(to[k])] = slowest_[toIndex(from[k])];
        }
    }

    double finishIdle(const Part& part, bool trial) {
        if (trial) return 0;
        for (const std::int32_t kind : kindsOf(part.cluster)) {
            AcceleratorShare& share = result_.shares[toIndex(kind)];
            if (array_.kinds[toIndex(kind)].capacity) share.capacity = *array_.kinds[toIndex(kind)].capacity;
            share.path = path_;
            share.layerCompute = std::vector<Seconds>(network_.nodes.size());
        }
        return 0;
    }

    double finishLeaf(const Part& part, const Inherited& inherited, bool trial) {
        const double flops = flopsOfPart(part);
        const double width = *bytesOfDtype(options_.dtype);
        double compute = 0;
        double time = inherited.communication;
        double parameters = 0;
        double activations = 0;
        leafCompute_.clear();
        for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
            const NodeDetail& detail = network_.details[n];
            const Share& share = inherited.shares[n];
            const double seconds = inherited.scale * flopsOf(network_, n, share) / flops;
            leafCompute_.push_back({seconds});
            compute += seconds;
            if (!inherited.perLayer.empty()) time += std::max(0.0, seconds - inherited.perLayer[n]);
            parameters += detail.parameters * share.in * (network_.nodes[n].grouped ? 1 : share.out);
            activations += detail.activations * share.samples * share.out;
        }
        if (inherited.perLayer.empty()) time += compute;
        if (trial) return time;
        // A weight and its gradient in the data type, the optimizer's state, and what the backward pass keeps.
        const double bytes =
            parameters * (2 * width + model::stateBytesPerParameter(options_.optimizer)) + activations * width;
        for (const std::int32_t kind : kindsOf(part.cluster)) {
            AcceleratorShare& share = result_.shares[toIndex(kind)];
            const Kind& of = array_.kinds[toIndex(kind)];
            if (bytes > share.memory.value) {
                share.memory = {bytes};
                share.parameters = parameters;
                share.activations = activations;
            }
            if (of.capacity) {
                // Below the last level a group counts as one accelerator, with all its memory.
                share.capacity = *of.capacity * static_cast<double>(std::min(part.count, of.count));
                share.fits = share.fits && bytes <= share.capacity->value;
            }
            if (time <= slowest_[toIndex(kind)]) continue;
            slowest_[toIndex(kind)] = time;
            share.compute = {compute};
            share.communication = {inherited.communication};
            share.path = path_;
            share.layerCompute = leafCompute_;
        }
        return time;
    }

    std::vector<std::int32_t> kindsOf(std::int32_t root) const {
        std::vector<std::int32_t> kinds;
        std::vector<std::int32_t> stack{root};
        while (!stack.empty()) {
            const Cluster& at = array_.clusters[toIndex(stack.back())];
            stack.pop_back();
            if (at.kind >= 0) {
                kinds.push_back(at.kind);
            } else {
                stack.push_back(at.second);
                stack.push_back(at.first);
            }
        }
        return kinds;
    }

    const Network& network_;
    const Array& array_;
    const Strategy& strategy_;
    const Options& options_;
    const NodeContext& context_;
    bool paper_;
    Elimination elimination_;
    HierarchyResult result_;
    std::vector<double> slowest_;
    std::vector<PathStep> path_;        ///< to the part being solved; not kept in trials
    std::vector<Seconds> leafCompute_;  ///< of the leaf being finished, by node
    std::size_t splits_ = 0;
    bool splitsAreFew_;  ///< kMaxSplits cannot be reached
    Spares<Level::Memory> spareLevels_;
    Spares<std::vector<Share>> spareShares_;
};

}  // namespace

HierarchyResult solveHierarchy(const Network& network, const Array& array, const Strategy& strategy,
                               const Options& options, const NodeContext& context) {
    return Solver(network, array, strategy, options, context).run();
}

}  // namespace tessera::partition

#include "core/partition/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

namespace {

/// One side of the first split, as far as the bound knows it.
struct SideBelow {
    double flopsOfLeaf = 1;          ///< FLOP/s of the accelerator (or last group) at the end of the path
    std::vector<double> perElement;  ///< seconds per element at each split of the path below the first
    double share = 1;  ///< of the side's work that is done at the end of the path, on the larger halves; 0 = not known
    bool mixed = false;     ///< kinds part below: only compute is counted
    bool averaged = false;  ///< the path is no longer than that of any array meant; compute is shared out evenly
    double leaves = 1;      ///< accelerators of the side
    double flops = 1;       ///< FLOP/s of the side
};

/// Parts of the cost that a bound counts; with overlap of transfers and compute each is bounded alone.
struct Counted {
    bool compute = true;
    bool transfers = true;
};

/// Time that a node costs below the top-level split, on the best of all sequences of types.
class Below {
public:
    Below(const Network& network, SideBelow side, Counted counted)
        : network_(&network),
          side_(std::move(side)),
          depth_(static_cast<int>(side_.perElement.size())),
          counted_(counted) {
        const std::size_t depth = side_.perElement.size();
        cost_.resize((depth + 1) * (depth + 1));
        halves_.resize(depth + 1, 1.0);
        for (std::size_t k = 1; k <= depth; ++k) halves_[k] = halves_[k - 1] / 2;
    }

    double time(std::size_t node, const Share& share) {
        if (side_.mixed) return mixedTime(node, share);
        const Node& how = network_->nodes[node];
        if (!how.weighted) return std::max(sharedTime(node, share), leafTime(node, halved(share, depth_, 0, 0)));
        if (how.grouped || how.embedding) return splitFree(node, share);
        return lattice(node, share);
    }

private:
    Share halved(const Share& share, int samples, int in, int out) const {
        return {share.samples * half(samples), share.in * half(in), share.out * half(out)};
    }

    double leafTime(std::size_t node, const Share& share) const {
        if (side_.averaged) return 0;
        return counted_.compute ? unclampedFlops(*network_, node, share) / side_.flopsOfLeaf : 0;
    }

    /// A node's work in multiplications and additions, and what the FLOP rule takes off per element made, at most.
    struct Work {
        double all = 0, off = 0;
    };
    Work workOf(std::size_t node, const Share& share) const {
        const Node& how = network_->nodes[node];
        const NodeSize& size = network_->sizes[node];
        const NodeDetail& detail = network_->details[node];
        if (!how.weighted) return {flopsOf(*network_, node, share), 0};
        if (how.embedding || !network_->computation) return {};
        const double all = size.aConv * size.perConv + size.aIn * size.perIn + size.aWeight * size.perWeight;
        return {all * share.samples * share.out * (how.grouped ? 1 : share.in),
                size.aConv * detail.kernelArea + size.aIn * detail.kernelArea + size.aWeight * detail.mapArea};
    }

    /// Compute at the end of the path: whatever the types are, its share of the work is done there.
    double sharedTime(std::size_t node, const Share& share) const {
        if (side_.averaged) return mixedTime(node, share);
        if (!counted_.compute || side_.share * std::exp2(depth_) <= 1 + 1e-9) return 0;
        const Work work = workOf(node, share);
        return (work.all * side_.share - work.off) / side_.flopsOfLeaf;
    }

    /// Compute is shared out, so the slowest accelerator does at least the average. The FLOP rule takes one addition
    /// off per element made, which each accelerator may do for its own part: at most all elements, on each.
    double mixedTime(std::size_t node, const Share& share) const {
        if (!counted_.compute) return 0;
        const Work work = workOf(node, share);
        return std::max(0.0, work.all - side_.leaves * work.off) / side_.flops;
    }

    /// Layers with types that move nothing: splitting by them is free, by samples costs the weights' gradient.
    double splitFree(std::size_t node, const Share& share) const {
        const Node& how = network_->nodes[node];
        const NodeSize& size = network_->sizes[node];
        const double atEnd = sharedTime(node, share);
        const double perElement =
            counted_.transfers && depth_ > 0 ? *std::min_element(side_.perElement.begin(), side_.perElement.end()) : 0;
        double best = kInfinity;
        for (int free = 0; free <= depth_; ++free) {
            const int rows = depth_ - free;
            const Share end = halved(share, rows, how.grouped ? free : 0, free);
            double moved = 0;
            // Rows are split last, when the tensor to be summed is smallest.
            const double summed = how.embedding ? size.aConv * share.samples * end.out : size.aWeight * end.in;
            for (int r = 0; r < rows; ++r) moved += how.embedding ? summed * half(r) : summed;
            best = std::min(best, std::max(atEnd, leafTime(node, end)) + moved * perElement);
        }
        return best;
    }

    /// The cheapest sequence of types: dynamic programming over how often each was chosen. Choosing I costs A_W, II the
    /// partial sums, III A_in, each as small as the splits so far have made it.
    double lattice(std::size_t node, const Share& share) {
        const NodeSize& size = network_->sizes[node];
        const int depth = depth_;
        const double allWeight = size.aWeight * share.in * share.out;
        const double allPsum = size.aPsum * share.samples * share.out;
        const double allInput = size.aIn * share.samples * share.in;
        const auto at = [depth](int a, int b) {
            return static_cast<std::size_t>(a) * static_cast<std::size_t>(depth + 1) + static_cast<std::size_t>(b);
        };
        cost_[at(0, 0)] = 0;
        for (int done = 0; done < depth; ++done) {
            const double perElement = counted_.transfers ? side_.perElement[static_cast<std::size_t>(done)] : 0;
            const double weight = allWeight * perElement;
            const double psum = allPsum * perElement;
            const double input = allInput * perElement;
            // In place: what is fewer of either kind is still that of one split less.
            for (int a = done + 1; a >= 0; --a)
                for (int b = done + 1 - a; b >= 0; --b) {
                    const int byOut = done - a - b;
                    double min = byOut >= 0 ? cost_[at(a, b)] + input * half(a) * half(b) : kInfinity;
                    if (a > 0) min = std::min(min, cost_[at(a - 1, b)] + weight * half(b) * half(byOut + 1));
                    if (b > 0) min = std::min(min, cost_[at(a, b - 1)] + psum * half(a) * half(byOut + 1));
                    cost_[at(a, b)] = min;
                }
        }
        const double atEnd = sharedTime(node, share);
        double best = kInfinity;
        for (int a = 0; a <= depth; ++a)
            for (int b = 0; a + b <= depth; ++b) {
                const double leaf = leafTime(node, halved(share, a, b, depth - a - b));
                best = std::min(best, cost_[at(a, b)] + std::max(atEnd, leaf));
            }
        return best;
    }

    double half(int times) const { return halves_[static_cast<std::size_t>(times)]; }

    const Network* network_;
    SideBelow side_;
    int depth_;  ///< of the path
    Counted counted_;
    std::vector<double> cost_;
    std::vector<double> halves_;  ///< one half to each power
};

/// The first split with what lies below it folded into each node's cost.
class FirstSplit {
public:
    /// Of the context's network, or of its sample.
    FirstSplit(const BoundContext& context, CostModel model, Counted counted, const Allowed& allowed)
        : context_(&context),
          allowed_(&allowed),
          paper_(model == CostModel::paper),
          level_(rootLevel(*context.network, *context.array, *context.options, model)),
          elimination_(context.network->plan, context.watch),
          sides_{sideBelow(true), sideBelow(false)},
          counted_(counted) {
        // Compute is counted where it is done, at the leaves.
        Sides sides = level_.sides();
        sides.flopsI = sides.flopsJ = kInfinity;
        if (!counted.transfers) sides.perElementI = sides.perElementJ = sides.latency = 0;
        level_.setSides(sides);
        findKinds();
    }

    /// Times below the split at one ratio: [node * 6 + side * 3 + state].
    std::vector<double> below(double ratio) {
        const Network& network = *context_->network;
        std::vector<double> ofKind(kinds_.size() * 6);
        for (std::size_t side = 0; side < 2; ++side) {
            const double share = side == 0 ? ratio : 1 - ratio;
            Below below(network, sides_[side], counted_);
            for (std::size_t k = 0; k < kinds_.size(); ++k) {
                if (context_->watch != nullptr && k % 64 == 0) context_->watch->poll();
                const std::size_t n = kinds_[k];
                for (std::uint8_t s = 0; s < 3; ++s)
                    ofKind[k * 6 + side * 3 + s] = paper_
                                                       ? 2 * share * below.time(n, shrunk(network.nodes[n], {}, s, 0.5))
                                                       : below.time(n, shrunk(network.nodes[n], {}, s, share));
            }
        }
        std::vector<double> times(network.nodes.size() * 6);
        for (std::size_t n = 0; n < kindOf_.size(); ++n)
            std::copy_n(ofKind.begin() + static_cast<std::ptrdiff_t>(kindOf_[n] * 6), 6,
                        times.begin() + static_cast<std::ptrdiff_t>(n * 6));
        return times;
    }

    /// The bound at one ratio and weight, with the two sides of the assignment that attains it.
    struct Point {
        double value = 0, i = 0, j = 0;
    };
    Point at(double ratio, double weight, const std::vector<double>& below) {
        const Network& network = *context_->network;
        level_.fill(elimination_, ratio, {Combine::Kind::weighted, weight}, *allowed_);
        for (std::size_t n = 0; n < network.nodes.size(); ++n) {
            double* costs = elimination_.unary(network.nodes[n].variable);
            for (std::size_t s = 0; s < 3; ++s)
                costs[s] += weight * below[n * 6 + s] + (1 - weight) * below[n * 6 + 3 + s];
        }
        const Elimination::Outcome outcome = elimination_.minimise();
        const States& states = elimination_.states();
        const Totals totals = level_.totals(states);
        Point point{outcome.lowerBound, sideI(totals, level_.sides(), ratio), sideJ(totals, level_.sides(), ratio)};
        for (std::size_t n = 0; n < network.nodes.size(); ++n) {
            const std::uint8_t s = level_.stateOf(static_cast<std::int32_t>(n), states);
            point.i += below[n * 6 + s];
            point.j += below[n * 6 + 3 + s];
        }
        return point;
    }

private:
    /// Layers that are repeated cost the same below: each kind is worked out once.
    void findKinds() {
        const Network& network = *context_->network;
        std::map<std::array<double, 8>, std::size_t> known;
        kindOf_.reserve(network.nodes.size());
        for (std::size_t n = 0; n < network.nodes.size(); ++n) {
            if (context_->watch != nullptr && n % 64 == 0) context_->watch->poll();
            const Node& node = network.nodes[n];
            const NodeSize& size = network.sizes[n];
            const int manner = (node.weighted ? 1 : 0) + (node.grouped ? 2 : 0) + (node.embedding ? 4 : 0) +
                               8 * node.in[1] + 32 * node.in[2];
            const auto [place, added] =
                known.try_emplace({size.aIn, size.aConv, size.aPsum, size.aWeight, size.perIn, size.perWeight,
                                   size.fixedFlops, static_cast<double>(manner)},
                                  kinds_.size());
            if (added) kinds_.push_back(n);
            kindOf_.push_back(place->second);
        }
    }

    SideBelow sideBelow(bool first) const {
        const Array& array = *context_->array;
        const Cluster& root = array.clusters[toIndex(array.root)];
        std::int32_t cluster = array.root;
        std::int64_t count = first ? root.count - root.count / 2 : root.count / 2;
        if (root.kind < 0) {
            cluster = first ? root.first : root.second;
            count = array.clusters[toIndex(cluster)].count;
        }
        if (context_->max != nullptr) return rangeBelow(first);
        return sideOf(cluster, count);
    }

    /// A side of any array between the context's and the largest one meant.
    SideBelow rangeBelow(bool first) const {
        const Array& min = *context_->array;
        const Cluster& from = min.clusters[toIndex(min.root)];
        const std::int32_t cluster = first ? from.first : from.second;
        SideBelow side = sideOf(cluster, min.clusters[toIndex(cluster)].count);
        const Cluster& to = context_->max->clusters[toIndex(context_->max->root)];
        const Cluster& all = context_->max->clusters[toIndex(first ? to.first : to.second)];
        side.leaves = static_cast<double>(all.count);
        side.flops = all.flops;
        side.averaged = true;
        return side;
    }

    SideBelow sideOf(std::int32_t cluster, std::int64_t count) const {
        const Array& array = *context_->array;
        const Options& options = *context_->options;
        const Cluster& root = array.clusters[toIndex(array.root)];
        const bool ratiosPinnedBelow = std::any_of(options.pinnedRatios.begin(), options.pinnedRatios.end(),
                                                   [](const auto& p) { return p.first > 0; });
        SideBelow side;
        side.leaves = static_cast<double>(count);
        side.flops = flopsOfPart(cluster, count);
        side.mixed = ratiosPinnedBelow || !isShared(array.clusters[toIndex(cluster)]);
        if (side.mixed) return side;
        // The larger half: its share is at least one half at every split.
        const std::size_t max = options.levels ? static_cast<std::size_t>(*options.levels - 1) : kAnyDepth;
        while (count > 1 && side.perElement.size() < max) {
            const Cluster& at = array.clusters[toIndex(cluster)];
            const auto all = static_cast<double>(count);
            if (at.kind >= 0) {
                count -= count / 2;
            } else {
                const bool second = array.clusters[toIndex(at.second)].count > array.clusters[toIndex(at.first)].count;
                cluster = second ? at.second : at.first;
                count = array.clusters[toIndex(cluster)].count;
            }
            side.share *= static_cast<double>(count) / all;
            const double cap = at.kind >= 0 ? kInfinity : at.rateCap;
            // The paper's model multiplies every transfer by its side's ratio, one half below the top-level split.
            side.perElement.push_back(*bytesOfDtype(options.dtype) / std::min(at.bytesPerSecond, cap) *
                                      (paper_ ? 0.5 : 1));
        }
        side.flopsOfLeaf = flopsOfPart(cluster, count);
        // Halves of a very large group may be taken as equal; the paper's are, whatever their numbers.
        if (paper_ || root.count > kMaxSplits) side.share = 0;
        return side;
    }

    double flopsOfPart(std::int32_t cluster, std::int64_t count) const {
        const Cluster& of = context_->array->clusters[toIndex(cluster)];
        return of.kind >= 0 ? context_->array->kinds[toIndex(of.kind)].flops * static_cast<double>(count) : of.flops;
    }

    /// Whether all splits of a cluster are by the accelerators' share.
    bool isShared(const Cluster& cluster) const {
        return cluster.kind >= 0 || sharesEqually(cluster, *context_->options, paper_);
    }

    static constexpr std::size_t kAnyDepth = std::numeric_limits<std::size_t>::max();

    const BoundContext* context_;
    const Allowed* allowed_;
    bool paper_;
    Level level_;
    Elimination elimination_;
    std::array<SideBelow, 2> sides_;
    Counted counted_;
    std::vector<std::size_t> kinds_;   ///< a node of each kind
    std::vector<std::size_t> kindOf_;  ///< by node
};

/// An interval of ratios with what lies below at its ends.
struct Interval {
    double from = 0, to = 0;
    std::vector<double> belowFrom, belowTo;
    double bound = 0;
    double weight = 0.5;
};

/// The largest, over weights, of the smaller value at the interval's two ends (see ratio.h on why that is a bound).
void boundInterval(FirstSplit& split, Interval& interval) {
    double low = 0;
    double high = 1;
    double weight = interval.weight;
    constexpr int kWeights = 6;
    FirstSplit::Point rising, falling;
    bool hasRising = false;
    bool hasFalling = false;
    for (int k = 0; k < kWeights; ++k) {
        FirstSplit::Point point = split.at(interval.from, weight, interval.belowFrom);
        if (interval.to > interval.from) {
            const FirstSplit::Point other = split.at(interval.to, weight, interval.belowTo);
            if (other.value < point.value) point = other;
        }
        if (point.value > interval.bound) {
            interval.bound = point.value;
            interval.weight = weight;
        }
        const double slope = point.i - point.j;
        if (slope == 0) return;
        (slope > 0 ? low : high) = weight;
        (slope > 0 ? rising : falling) = point;
        (slope > 0 ? hasRising : hasFalling) = true;
        if (hasRising && hasFalling) {
            weight = (falling.j - rising.j) / ((rising.i - rising.j) - (falling.i - falling.j));
            if (weight * (rising.i - rising.j) + rising.j <= interval.bound * (1 + 1e-6)) return;
            if (!(weight > low && weight < high)) return;
        } else {
            weight = k < 3 ? (low + high) / 2 : (slope > 0 ? 1.0 : 0.0);
        }
    }
}

std::vector<Interval>::iterator lowest(std::vector<Interval>& intervals) {
    return std::min_element(intervals.begin(), intervals.end(),
                            [](const Interval& a, const Interval& b) { return a.bound < b.bound; });
}

/// Intervals from one ratio to another, in no order: the one with the minimum bound is halved, `splits` times.
std::vector<Interval> intervalsOver(FirstSplit& split, double from, double to, int splits,
                                    const BoundContext& context) {
    std::vector<Interval> open(1);
    open[0] = {.from = from, .to = to, .belowFrom = split.below(from), .belowTo = {}};
    open[0].belowTo = to > from ? split.below(to) : open[0].belowFrom;
    boundInterval(split, open[0]);
    if (from == to) return open;
    for (int k = 0; k < splits; ++k) {
        if (context.watch != nullptr) {
            context.watch->poll();
            if (context.watch->finishing()) break;
        }
        const auto min = lowest(open);
        Interval left = *min;
        Interval right = *min;
        left.to = right.from = (min->from + min->to) / 2;
        left.belowTo = right.belowFrom = split.below(left.to);
        boundInterval(split, left);
        boundInterval(split, right);
        *min = std::move(left);
        open.push_back(std::move(right));
        if (context.watch != nullptr && context.curves)
            context.watch->point("step time", CurveRole::bound, k + 1, lowest(open)->bound);
    }
    return open;
}

/// The same intervals in rising order, as few as hold the minimum bound: neighbours become one where its bound allows.
std::vector<Interval> merged(FirstSplit& split, std::vector<Interval> intervals) {
    constexpr double kSlack = 1e-6;
    const double min = lowest(intervals)->bound * (1 + kSlack);
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
    std::vector<Interval> few;
    for (Interval& next : intervals) {
        if (!few.empty()) {
            Interval both = few.back().bound < next.bound ? next : few.back();
            both.from = few.back().from;
            both.belowFrom = few.back().belowFrom;
            both.to = next.to;
            both.belowTo = next.belowTo;
            both.bound = 0;
            boundInterval(split, both);
            if (both.bound >= min) {
                few.back() = std::move(both);
                continue;
            }
        }
        few.push_back(std::move(next));
    }
    return few;
}

double boundOver(const BoundContext& context, CostModel model, Counted counted, const Allowed& allowed,
                 std::pair<double, double> ratios) {
    const auto [from, to] = ratios;
    FirstSplit split(context, model, counted, allowed);
    // A bound may stop at any time; this many splits bring it within a fraction of a percent of where it ends.
    constexpr std::size_t kFew = 1000;
    const int splits = context.network->nodes.size() > kFew ? 4 : 8;
    if (from == to || context.sample == nullptr) {
        std::vector<Interval> intervals = intervalsOver(split, from, to, splits, context);
        return lowest(intervals)->bound;
    }
    // Of a large network, intervals and weights are found on the sample and hold as well: any weight gives a bound.
    constexpr int kSplitsOfSample = 16;
    BoundContext ofSample = context;
    ofSample.network = &context.sample->network;
    ofSample.curves = false;
    FirstSplit sample(ofSample, model, counted, allowed.empty() ? allowed : *context.pinnedInSample);
    double bound = kInfinity;
    std::vector<double> below = split.below(from);
    for (const Interval& interval : merged(sample, intervalsOver(sample, from, to, kSplitsOfSample, ofSample))) {
        if (context.watch != nullptr) context.watch->poll();
        const double start = split.at(interval.from, interval.weight, below).value;
        below = split.below(interval.to);
        bound = std::min({bound, start, split.at(interval.to, interval.weight, below).value});
    }
    return bound;
}

/// The ratios of level 0 that the plans `row` competes with may use.
std::pair<double, double> ratiosOf(const BoundContext& context, const Strategy& row, CostModel model) {
    const Options& options = *context.options;
    const Cluster& root = context.array->clusters[toIndex(context.array->root)];
    const std::int64_t first =
        root.kind >= 0 ? root.count - root.count / 2 : context.array->clusters[toIndex(root.first)].count;
    const double share = model == CostModel::paper ? 0.5 : static_cast<double>(first) / static_cast<double>(root.count);
    if (row.paperModel) return root.kind >= 0 ? std::pair(share, share) : std::pair(0.0, 1.0);
    const auto pinned = options.pinnedRatios.find(0);
    const bool given =
        pinned != options.pinnedRatios.end() || options.ratio == RatioRule::equal || options.ratio == RatioRule::fixed;
    if (row.searchesAll && pinned != options.pinnedRatios.end()) return {pinned->second, pinned->second};
    if (root.kind >= 0 || sharesEqually(root, options, row.paperModel)) return {share, share};
    if (!given) {
        const RatioRange free = ratiosTakingPart(context.array->clusters[toIndex(root.first)].flops,
                                                 context.array->clusters[toIndex(root.second)].flops, share, options);
        return {free.from, free.to};
    }
    if (!row.searchesAll) return {share, share};
    const double ratio = options.ratio == RatioRule::equal ? 0.5 : options.fixedRatio;
    return {ratio, ratio};
}

}  // namespace

Level rootLevel(const Network& network, const Array& array, const Options& options, CostModel model) {
    const Cluster& root = array.clusters[toIndex(array.root)];
    const double bytes = *bytesOfDtype(options.dtype);
    Sides sides;
    sides.model = model;
    if (root.kind >= 0) {
        const double flops = array.kinds[toIndex(root.kind)].flops;
        const std::int64_t smaller = root.count / 2;
        sides.flopsI = flops * static_cast<double>(root.count - smaller);
        sides.flopsJ = flops * static_cast<double>(smaller);
        sides.perElementI = sides.perElementJ = bytes / root.bytesPerSecond;
    } else {
        const Cluster& first = array.clusters[toIndex(root.first)];
        const Cluster& second = array.clusters[toIndex(root.second)];
        sides.flopsI = first.flops;
        sides.flopsJ = second.flops;
        sides.perElementI = bytes / std::min(first.bytesPerSecond, root.rateCap);
        sides.perElementJ = bytes / std::min(second.bytesPerSecond, root.rateCap);
        sides.latency = root.latency;
    }
    return {network, std::vector<Share>(network.nodes.size()), sides};
}

double boundCost(const BoundContext& context, const Strategy& row, double ratio, CostModel model) {
    static const Allowed kAny;
    const Options& options = *context.options;
    const Allowed& allowed = row.searchesAll && !row.paperModel ? *context.pinned : kAny;
    const Level level = rootLevel(*context.network, *context.array, options, model);
    Elimination elimination(context.network->plan, context.watch);
    if (options.ratio == RatioRule::fixed || options.ratio == RatioRule::equal)
        return bestTypes(level, elimination, ratio, combineOf(options), allowed, options.nodeLimit).lowerBound;
    const auto [from, to] = ratiosOf(context, row, model);
    return balance(level, elimination, allowed, options.nodeLimit, {from, to}, {context.watch, false}).lowerBound;
}

namespace {

/// All work at the FLOP/s of the array: of a single accelerator, or a group that counts as one.
double unsplitTime(const BoundContext& context) {
    double flops = 0;
    for (std::size_t n = 0; n < context.network->nodes.size(); ++n) flops += flopsOf(*context.network, n, {});
    return flops / context.array->clusters[toIndex(context.array->root)].flops;
}

/// The bound where the other side of the first split is absent: that of a shorter hierarchy.
double boundOfOneSide(const BoundContext& context, const Strategy& row, std::int32_t side) {
    Array rest = *context.array;
    rest.root = side;
    Options options = *context.options;
    options.pinnedRatios.clear();
    for (const auto& [level, ratio] : context.options->pinnedRatios)
        if (level > 0) options.pinnedRatios[level - 1] = ratio;
    if (options.levels) --*options.levels;
    BoundContext below = context;
    below.array = &rest;
    below.options = &options;
    return options.levels == 0 ? unsplitTime(below) : boundStepTime(below, row, CostModel::exact);
}

}  // namespace

double boundStepTime(const BoundContext& context, const Strategy& row, CostModel model) {
    static const Allowed kAny;
    const Cluster& root = context.array->clusters[toIndex(context.array->root)];
    if (root.count == 1) return unsplitTime(context);
    const Allowed& allowed = row.searchesAll && !row.paperModel ? *context.pinned : kAny;
    const auto [from, to] = ratiosOf(context, row, model);
    if (root.kind < 0 && from == to && (from == 0 || from == 1) && model == CostModel::exact &&
        !isPapersRule(context.options->ratio))
        return boundOfOneSide(context, row, from == 1 ? root.first : root.second);
    const auto bound = [&, ratios = std::pair(from, to)](Counted counted) {
        return boundOver(context, model, counted, allowed, ratios);
    };
    if (context.options->overlap == Overlap::none) return bound({});
    return std::max(bound({.compute = true, .transfers = false}), bound({.compute = false, .transfers = true}));
}

double boundRange(const BoundContext& context, const Strategy& row, CostModel model, const SubsetRange& range) {
    static const Allowed kAny;
    const double compute = boundCompute(*context.network, range.max);
    const Options& options = *context.options;
    if (!range.alike || model == CostModel::paper || options.overlap != Overlap::none) return compute;
    BoundContext within = context;
    within.array = &range.min;
    within.max = &range.max;
    within.curves = false;
    const Allowed& allowed = row.searchesAll ? *context.pinned : kAny;
    return std::max(compute, boundOver(within, model, {}, allowed, {0.0, 1.0}));
}

double boundCompute(const Network& network, const Array& array) {
    if (!network.computation) return 0;
    const Cluster& root = array.clusters[toIndex(array.root)];
    SideBelow all;
    all.mixed = true;
    all.leaves = static_cast<double>(root.count);
    all.flops = root.flops;
    Below below(network, all, {});
    double time = 0;
    for (std::size_t n = 0; n < network.nodes.size(); ++n) time += below.time(n, {});
    return time;
}

}  // namespace tessera::partition

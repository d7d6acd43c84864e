#include "core/partition/strategies.h"

#include <algorithm>
#include <array>

#include "core/base/names.h"
#include "core/base/number.h"

namespace tessera::partition {

namespace {

constexpr std::uint8_t kI = 1, kII = 2, kFree = 7;  // masks of allowed states

/// Types are given as masks; joins (and layers left open) take what costs least in the sum of both sides.
Split withTypes(const Level& level, Elimination& elimination, const Allowed& allowed, double ratio) {
    if (std::none_of(allowed.begin(), allowed.end(), [](std::uint8_t mask) { return mask == kFree; })) {
        Split split;  // nothing is left to choose
        for (const std::uint8_t mask : allowed) split.states.push_back(mask == kII ? 1 : 0);
        split.ratio = ratio;
        split.value = level.cost(split.states, ratio, {Combine::Kind::sum});
        return split;
    }
    return bestTypes(level, elimination, ratio, {Combine::Kind::sum}, allowed);
}

/// Data parallelism: every layer Type I, every join split by rows.
Split chooseDp(const Level& level, Elimination&, const NodeContext& context) {
    Split split;
    split.states.assign(toIndex(level.network().variables()), 0);
    split.ratio = context.countShare;
    split.value = level.cost(split.states, split.ratio, {Combine::Kind::sum});
    return split;
}

/// "One weird trick": convolutions Type I, fully connected layers Type II. Krizhevsky, arXiv:1404.5997.
Split chooseOwt(const Level& level, Elimination& elimination, const NodeContext& context) {
    const Network& network = level.network();
    Allowed allowed(toIndex(network.variables()), kFree);
    for (const Node& node : network.nodes)
        if (node.weighted) allowed[toIndex(node.variable)] = node.convolution || node.embedding ? kI : kII;
    return withTypes(level, elimination, allowed, context.countShare);
}

/// HyPar: types I and II along the main path by dynamic programming over the elements that both sides move, without
/// computation; shortcut layers Type I. Song et al., HPCA 2019.
Split chooseHypar(const Level& level, Elimination& elimination, const NodeContext& context) {
    const Network& network = level.network();
    const double ratio = context.countShare;
    const double exchanged = 2 * ratio * (1 - ratio);  // rows <-> channels, both sides, per direction
    // Moves between a layer and the next along the path, per element: [type before * 2 + type after] (Table 5, summed).
    const std::array<double, 4> moved{0, 2 * exchanged, 1, 1};
    std::vector<std::int32_t> path;
    for (const std::int32_t n : network.mainPath)
        if (network.nodes[toIndex(n)].weighted) path.push_back(n);
    std::array<double, 2> best{};
    std::vector<std::array<std::uint8_t, 2>> from(path.size());
    for (std::size_t k = 0; k < path.size(); ++k) {
        const std::int32_t n = path[k];
        std::array<double, 2> next{};
        for (std::uint8_t t = 0; t < 2; ++t) {
            std::array<double, 2> arriving = best;
            for (std::size_t before = 0; before < 2 && k > 0; ++before)
                arriving[before] += moved[before * 2 + t] * level.inputElements(n);
            from[k][t] = arriving[1] < arriving[0] ? 1 : 0;
            next[t] = arriving[from[k][t]] + level.intraElements(n, t) + level.intraElements(n, t);
        }
        best = next;
    }
    Allowed allowed(toIndex(network.variables()), kFree);
    for (const Node& node : network.nodes)
        if (node.weighted) allowed[toIndex(node.variable)] = kI;
    std::uint8_t type = best[1] < best[0] ? 1 : 0;
    for (std::size_t k = path.size(); k-- > 0;) {
        allowed[toIndex(network.nodes[toIndex(path[k])].variable)] = type == 1 ? kII : kI;
        type = from[k][type];
    }
    return withTypes(level, elimination, allowed, ratio);
}

/// AccPar: all types; where kinds part, the ratio too.
Split chooseAccpar(const Level& level, Elimination& elimination, const NodeContext& context) {
    const Options& options = *context.options;
    const Allowed& allowed = *context.pinned;
    const Combine combine = combineOf(options);
    // A single split is proven as far as the node limit allows; of many, each is solved quickly.
    const std::int64_t nodes = options.levels == 1 ? options.nodeLimit : 0;
    const auto pinned = options.pinnedRatios.find(context.level);
    if (pinned != options.pinnedRatios.end())
        return bestTypes(level, elimination, pinned->second, combine, allowed, nodes);
    if (!context.kindsPart) return bestTypes(level, elimination, context.countShare, combine, allowed, nodes);
    const Search search{context.watch, context.curves};
    switch (options.ratio) {
        case RatioRule::balanced: {
            if (context.foundRatio) return bestTypes(level, elimination, *context.foundRatio, {}, allowed);
            if (context.wholeTime)
                return balanceWhole(level, elimination, allowed, context.wholeTime, context.ratios, search);
            constexpr std::int64_t kTrialLimit = 40;
            return balance(level, elimination, allowed, context.trial ? kTrialLimit : options.nodeLimit, context.ratios,
                           search);
        }
        case RatioRule::eq10:
        case RatioRule::alternating:
            return alternate(level, elimination, options.ratio, allowed, search);
        case RatioRule::equal:
            return bestTypes(level, elimination, 0.5, combine, allowed, nodes);
        case RatioRule::fixed:
            return bestTypes(level, elimination, options.fixedRatio, combine, allowed, nodes);
    }
    return {};
}

/// AccPar as in section 5.3: where kinds part, types by `max` and the ratio by Eq. 10 in turns.
Split chooseAccparPaper(const Level& level, Elimination& elimination, const NodeContext& context) {
    if (!context.kindsPart) return bestTypes(level, elimination, 0.5, {}, {});
    return alternate(level, elimination, RatioRule::eq10, {}, {context.watch, context.curves});
}

std::vector<Strategy>& all() {
    static std::vector<Strategy> rows{
        {.id = "joint",
         .title = "Joint",
         .description = "Batch, input and output cuts at all levels of the network at once, exact, within memory; "
                        "with physical costs.",
         .onPaper = false,
         .onPhysical = true,
         .searchesAll = true,
         .colour = 3,
         .baseline = false},
        {.id = "accpar",
         .title = "AccPar",
         .description = "Every layer batch-, input- or output-split, exact; ratios balance unequal sides.",
         .choose = chooseAccpar,
         .onPhysical = true,
         .searchesAll = true,
         .colour = 0,
         .baseline = false},
        {.id = "accpar-paper",
         .title = "AccPar (paper)",
         .description = "AccPar under the paper's section 5.3: transfers scale with the ratio.",
         .choose = chooseAccparPaper,
         .paperModel = true,
         .searchesAll = true,
         .colour = 4,
         .baseline = false},
        {.id = "hypar",
         .title = "HyPar",
         .description = "Batch or input split along the main path, least elements moved, equal shares.",
         .choose = chooseHypar,
         .onPhysical = true,
         .colour = 1},
        {.id = "owt",
         .title = "One weird trick",
         .description = "Convolutions split by batch, fully connected layers by input channels.",
         .choose = chooseOwt,
         .onPhysical = true,
         .colour = 2},
        {.id = "dp",
         .title = "Data parallel",
         .description = "Every layer split by batch, equal shares: the baseline.",
         .choose = chooseDp,
         .onPhysical = true,
         .colour = 5},
    };
    return rows;
}

}  // namespace

const std::vector<Strategy>& strategies() {
    return all();
}

void addStrategy(const Strategy& strategy) {
    all().push_back(strategy);
}

const Strategy* findStrategy(std::string_view id) {
    return findRow(strategies(), id);
}

bool isPapersRule(RatioRule rule) {
    return rule == RatioRule::eq10 || rule == RatioRule::alternating;
}

bool sharesEqually(const Cluster& cluster, const Options& options, bool paperModel) {
    return cluster.alike >= 0 && options.ratio == RatioRule::balanced && !paperModel;
}

RatioRange ratiosTakingPart(double flopsI, double flopsJ, double countShare, const Options& options) {
    if (isPapersRule(options.ratio) || options.costModel == CostModel::paper) return {};
    const double share = flopsI / (flopsI + flopsJ);
    const double sample = 1 / options.batch;
    return {std::min({sample, share / 2, countShare}), 1 - std::min({sample, (1 - share) / 2, 1 - countShare})};
}

Combine combineOf(const Options& options) {
    switch (options.objective) {
        case Objective::max:
            return {Combine::Kind::max};
        case Objective::sum:
            return {Combine::Kind::sum};
        case Objective::side:
            return {Combine::Kind::side};
    }
    return {};
}

}  // namespace tessera::partition

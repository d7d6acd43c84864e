// Laws that hold for every network: brute force over all assignments, and bounds that no plan passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/partition/bound.h"
#include "core/partition/partition.h"
#include "core/partition/ratio.h"
#include "tests/core/partition/problems.h"

namespace tessera::partition {
namespace {

/// Calls `visit` with every assignment of the variables.
void enumerate(std::int32_t variables, const std::function<void(const States&)>& visit) {
    States states(static_cast<std::size_t>(variables), 0);
    for (;;) {
        visit(states);
        std::size_t v = 0;
        while (v < states.size() && ++states[v] == 3) states[v++] = 0;
        if (v == states.size()) return;
    }
}

Options randomOptions(RandomStream& random) {
    Options options;
    options.batch = static_cast<double>(std::uint64_t{1} << random.below(10));
    options.psum = random.below(2) == 0 ? Psum::next : Psum::conv;
    options.flop = random.below(4) == 0 ? FlopRule::table6 : FlopRule::exact;
    options.join = random.below(4) == 0 ? JoinRule::next : JoinRule::free;
    options.computation = random.below(5) != 0;
    return options;
}

Sides randomSides(RandomStream& random) {
    const auto power = [&](double base) { return base * std::exp2(static_cast<double>(random.below(8))); };
    Sides sides{power(1e11), power(1e11), 2 / power(1e8), 2 / power(1e8), 0, CostModel::exact};
    if (random.below(3) == 0) sides.latency = 1e-6;
    if (random.below(6) == 0) sides.model = CostModel::paper;
    return sides;
}

Combine randomCombine(RandomStream& random) {
    constexpr std::array kKinds{Combine::Kind::max, Combine::Kind::sum, Combine::Kind::side, Combine::Kind::weighted};
    return {kKinds[random.below(kKinds.size())], random.uniform()};
}

TEST(Elimination, agreesWithBruteForceOnRandomNetworks) {
    int withJoins = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomStream random(seed);
        const model::LayerGraph graph = test::randomNetwork(random, 8);
        const Options options = randomOptions(random);
        const Network network = prepare(graph, options);
        const Level level(network, std::vector<Share>(network.nodes.size()), randomSides(random));
        const Combine combine = randomCombine(random);
        const double ratio = random.uniform();
        Elimination elimination(network.plan);
        const Split split = bestTypes(level, elimination, ratio, combine, {});
        double best = INFINITY;
        enumerate(network.variables(),
                  [&](const States& states) { best = std::min(best, level.cost(states, ratio, combine)); });
        ASSERT_NEAR(split.value, best, 1e-12 * best) << "seed " << seed;
        ASSERT_NEAR(level.cost(split.states, ratio, combine), best, 1e-12 * best) << "seed " << seed;
        if (std::any_of(graph.layers.begin(), graph.layers.end(),
                        [](const model::Layer& layer) { return model::isJoin(layer.kind); }))
            ++withJoins;
    }
    EXPECT_GT(withJoins, 500);
}

/// Every variable joined to every other: no order is narrow.
std::vector<std::pair<std::int32_t, std::int32_t>> completeGraph(std::int32_t variables) {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t a = 0; a < variables; ++a)
        for (std::int32_t b = a + 1; b < variables; ++b) edges.emplace_back(a, b);
    return edges;
}

TEST(Elimination, isExactOnWideGraphsByFixingVariables) {
    // 9 variables are enumerable; a plan over 16 is wider than any table kept.
    const EliminationPlan plan(16, completeGraph(16));
    EXPECT_FALSE(plan.conditioned().empty());
    EXPECT_LE(plan.width(), EliminationPlan::kWidest);
    Elimination elimination(plan);
    elimination.begin();
    RandomStream random(7);
    // Only the first nine variables cost anything, so that brute force can follow.
    std::vector<std::array<double, 3>> unary(9);
    std::vector<std::array<double, 9>> joint(plan.pairs().size());
    for (std::size_t v = 0; v < 9; ++v)
        for (std::size_t s = 0; s < 3; ++s)
            elimination.unary(static_cast<std::int32_t>(v))[s] = unary[v][s] = random.uniform();
    for (std::size_t p = 0; p < joint.size(); ++p) {
        if (plan.pairs()[p].first >= 9 || plan.pairs()[p].second >= 9) continue;
        for (std::size_t s = 0; s < 9; ++s)
            elimination.pair(static_cast<std::int32_t>(p))[s] = joint[p][s] = random.uniform();
    }
    double best = INFINITY;
    enumerate(9, [&](const States& states) {
        double cost = 0;
        for (std::size_t v = 0; v < 9; ++v) cost += unary[v][states[v]];
        for (std::size_t p = 0; p < joint.size(); ++p) {
            const auto [a, b] = plan.pairs()[p];
            if (a >= 9 || b >= 9) continue;
            cost += joint[p][static_cast<std::size_t>(states[static_cast<std::size_t>(a)] * 3 +
                                                      states[static_cast<std::size_t>(b)])];
        }
        best = std::min(best, cost);
    });
    const Elimination::Outcome outcome = elimination.minimise(100'000);
    EXPECT_TRUE(outcome.exact);
    EXPECT_NEAR(outcome.value, best, 1e-12);
    EXPECT_NEAR(outcome.lowerBound, best, 1e-12);
}

TEST(Elimination, saysHowFarItIsWhenTheNodeLimitEndsIt) {
    const EliminationPlan plan(18, completeGraph(18));
    Elimination elimination(plan);
    elimination.begin();
    RandomStream random(3);
    for (std::int32_t v = 0; v < 18; ++v)
        for (std::size_t s = 0; s < 3; ++s) elimination.unary(v)[s] = random.uniform();
    for (std::int32_t p = 0; p < plan.pairCount(); ++p)
        for (std::size_t s = 0; s < 9; ++s) elimination.pair(p)[s] = random.uniform();
    const Elimination::Outcome outcome = elimination.minimise(4);
    EXPECT_LE(outcome.lowerBound, outcome.value);
    EXPECT_GT(outcome.lowerBound, 0);
    EXPECT_EQ(elimination.states().size(), 18U);
}

/// The least max(side_i, side_j) over all assignments and ratios.
double bruteForceBalance(const Level& level) {
    double best = INFINITY;
    enumerate(level.network().variables(), [&](const States& states) {
        const Totals totals = level.totals(states);
        if (!std::isfinite(totals.intra)) return;
        const double ratio = bestRatio(totals, level.sides());
        best = std::min(best, std::max(sideI(totals, level.sides(), ratio), sideJ(totals, level.sides(), ratio)));
    });
    return best;
}

TEST(Balance, findsTheBestRatioAndTypesOfRandomNetworksAndNeverClaimsTooMuch) {
    int proven = 0;
    constexpr int kNetworks = 600;
    for (std::uint64_t seed = 0; seed < kNetworks; ++seed) {
        RandomStream random(seed, 1);
        const model::LayerGraph graph = test::randomNetwork(random, 8);
        const Options options = randomOptions(random);
        const Network network = prepare(graph, options);
        const Level level(network, std::vector<Share>(network.nodes.size()), randomSides(random));
        Elimination elimination(network.plan);
        const Split split = balance(level, elimination, {}, options.nodeLimit);
        const double best = bruteForceBalance(level);
        ASSERT_NEAR(split.value, best, 1e-9 * best) << "seed " << seed;
        ASSERT_LE(split.lowerBound, best * (1 + 1e-9)) << "seed " << seed;
        proven += split.proven ? 1 : 0;
    }
    EXPECT_GE(proven, kNetworks * 95 / 100);
}

TEST(BestRatio, isTheMinimumOfTheSlowerSideOnAFineGrid) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomStream random(seed, 2);
        const auto amount = [&](double scale) { return random.below(3) == 0 ? 0.0 : scale * random.uniform(); };
        const Totals totals{amount(1e13), amount(1e12), amount(1e8), amount(1e9), amount(1e8), 0};
        const Sides sides = randomSides(random);
        const double ratio = bestRatio(totals, sides);
        ASSERT_GE(ratio, 0);
        ASSERT_LE(ratio, 1);
        const double value = std::max(sideI(totals, sides, ratio), sideJ(totals, sides, ratio));
        if (sides.model == CostModel::paper) continue;
        for (int k = 0; k <= 1000; ++k) {
            const double other = k / 1000.0;
            ASSERT_LE(value, std::max(sideI(totals, sides, other), sideJ(totals, sides, other)) * (1 + 1e-12) + 1e-300)
                << "seed " << seed << " at " << other;
        }
    }
}

/// Fleets of one to three kinds, with odd and even counts.
hardware::Fleet randomFleet(RandomStream& random) {
    std::vector<hardware::Group> groups;
    const std::uint64_t kinds = 1 + random.below(3);
    for (std::uint64_t k = 0; k < kinds; ++k)
        groups.push_back(test::group("g" + std::to_string(k), 1e12 * static_cast<double>(1 + random.below(300)),
                                     1e9 * static_cast<double>(1 + random.below(100)),
                                     1 + static_cast<std::int64_t>(random.below(40))));
    return test::fleetOf(std::move(groups));
}

TEST(Bound, isNeverAboveAnyPlan) {
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        RandomStream random(seed, 3);
        const model::LayerGraph graph = test::randomNetwork(random, 10);
        Options options = randomOptions(random);
        options.ratio = std::array{RatioRule::balanced, RatioRule::eq10, RatioRule::alternating, RatioRule::equal,
                                   RatioRule::fixed}[random.below(5)];
        options.fixedRatio = random.uniform();
        options.overlap = random.below(4) == 0 ? Overlap::comm : Overlap::none;
        if (random.below(3) == 0) options.levels = 1 + static_cast<int>(random.below(5));
        const Result result = solve(graph, randomFleet(random), options);
        for (const Plan& plan : result.plans) {
            const bool one = options.levels == 1 && !plan.levels.empty();
            const double value = one ? plan.cost.value : plan.stepTime.value;
            ASSERT_LE(plan.lowerBound.value, value) << "seed " << seed << " " << plan.strategy;
            ASSERT_GE(plan.gap, 0);
            // A bound of 0 says nothing of a plan that takes time.
            ASSERT_EQ(plan.optimal, plan.gap == 0 && (plan.lowerBound.value > 0 || value == 0)) << "seed " << seed;
        }
    }
}

/// The bound itself, before it is cut at the plan's own time: a bound above a plan would hide there.
TEST(Bound, staysBelowTheBestOfManyRandomPlans) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomStream random(seed, 4);
        const model::LayerGraph graph = test::randomNetwork(random, 5);
        Options options = randomOptions(random);
        const hardware::Fleet fleet = randomFleet(random);
        const Network network = prepare(graph, options);
        const Array array = makeArray(fleet, options.dtype);
        const Allowed any;
        const bool paper = random.below(2) == 0;
        const StrategyRow& row = *findStrategy(paper ? "accpar-paper" : "accpar");
        const double bound =
            boundStepTime({&network, &array, &options, &any}, row, paper ? CostModel::paper : CostModel::exact);
        static std::uint64_t stream = 0;
        StrategyRow anything{{"random", "Random", ""},
                             [](const Level& level, Elimination&, const NodeContext& context) {
                                 RandomStream dice(17, stream++);
                                 Split split;
                                 for (std::int32_t v = 0; v < level.network().variables(); ++v)
                                     split.states.push_back(static_cast<std::uint8_t>(dice.below(3)));
                                 split.ratio = context.kindsPart ? dice.uniform() : context.countShare;
                                 return split;
                             },
                             paper,
                             true};
        NodeContext context;
        context.options = &options;
        context.pinned = &any;
        for (int k = 0; k < 50; ++k)
            ASSERT_LE(bound, solveHierarchy(network, array, anything, options, context).stepTime * (1 + 1e-9))
                << "seed " << seed;
        for (StrategyRow strategy : strategyRows()) {
            if (strategy.paperModel && !paper) continue;
            strategy.paperModel = paper;
            ASSERT_LE(bound, solveHierarchy(network, array, strategy, options, context).stepTime * (1 + 1e-9))
                << "seed " << seed << " " << strategy.strategy.id;
        }
    }
}

}  // namespace
}  // namespace tessera::partition

// Laws that hold for every network: brute force over all assignments, and bounds that no plan passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/partition/bound.h"
#include "core/partition/partition.h"
#include "core/partition/ratio.h"
#include "core/partition/subsets.h"
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

TEST(Elimination, messagesGiveAnAssignmentAndABoundOfWideGraphs) {
    int proven = 0;
    constexpr std::uint64_t kGraphs = 40;
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        // Two variables more than a table holds; brute force follows the nine that cost anything.
        const EliminationPlan plan(11, completeGraph(11));
        ASSERT_FALSE(plan.conditioned().empty());
        Elimination elimination(plan);
        elimination.begin();
        RandomStream random(seed, 7);
        std::vector<std::array<double, 3>> unary(9);
        std::vector<std::array<double, 9>> joint(plan.pairs().size());
        for (std::size_t v = 0; v < 9; ++v)
            for (std::size_t s = 0; s < 3; ++s)
                elimination.unary(static_cast<std::int32_t>(v))[s] = unary[v][s] =
                    v == 4 && s == 1 ? INFINITY : random.uniform();
        for (std::size_t p = 0; p < joint.size(); ++p)
            for (std::size_t s = 0; s < 9; ++s) {
                const bool counts = plan.pairs()[p].first < 9 && plan.pairs()[p].second < 9;
                elimination.pair(static_cast<std::int32_t>(p))[s] = joint[p][s] = counts ? random.uniform() / 8 : 0;
            }
        double best = INFINITY;
        enumerate(9, [&](const States& states) {
            double cost = 0;
            for (std::size_t v = 0; v < 9; ++v) cost += unary[v][states[v]];
            for (std::size_t p = 0; p < joint.size(); ++p) {
                const auto a = static_cast<std::size_t>(plan.pairs()[p].first);
                const auto b = static_cast<std::size_t>(plan.pairs()[p].second);
                if (a < 9 && b < 9) cost += joint[p][static_cast<std::size_t>(states[a] * 3 + states[b])];
            }
            best = std::min(best, cost);
        });
        const Elimination::Outcome outcome = elimination.minimise();
        ASSERT_LE(outcome.lowerBound, best * (1 + 1e-9)) << "seed " << seed;
        ASSERT_GE(outcome.value, best * (1 - 1e-9)) << "seed " << seed;
        ASSERT_LE(outcome.value, best * 1.1) << "seed " << seed;
        proven += outcome.exact ? 1 : 0;
    }
    EXPECT_GT(proven, 0);
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
        const Strategy& row = *findStrategy(paper ? "accpar-paper" : "accpar");
        const double bound =
            boundStepTime({&network, &array, &options, &any}, row, paper ? CostModel::paper : CostModel::exact);
        static std::uint64_t stream = 0;
        Strategy anything{"random",
                          "Random",
                          "",
                          [](const Level& level, Elimination&, const NodeContext& context) {
                              RandomStream dice(17, stream++);
                              Split split;
                              for (std::int32_t v = 0; v < level.network().variables(); ++v)
                                  split.states.push_back(static_cast<std::uint8_t>(dice.below(3)));
                              const double between = dice.uniform() * (context.ratios.to - context.ratios.from);
                              split.ratio = context.kindsPart ? context.ratios.from + between : context.countShare;
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
        for (Strategy strategy : strategies()) {
            if (!strategy.onPaper || (strategy.paperModel && !paper)) continue;
            strategy.paperModel = paper;
            ASSERT_LE(bound, solveHierarchy(network, array, strategy, options, context).stepTime * (1 + 1e-9))
                << "seed " << seed << " " << strategy.id;
        }
    }
}

/// One split everywhere that groups part: types and joins from the root's, the ratio from a grid.
struct Dictated {
    States states;
    double share = 0.5;  ///< where between the ends of the range that lets both sides take part
} dictated;

Split chooseDictated(const Level&, Elimination&, const NodeContext& context) {
    Split split;
    split.states = dictated.states;
    split.ratio = context.kindsPart ? context.ratios.from + dictated.share * (context.ratios.to - context.ratios.from)
                                    : context.countShare;
    return split;
}

/// The least step time over all types at every split alike and a grid of ratios, on one subset of the fleet.
double bestDictated(const Network& network, const Array& array, const Options& options) {
    const Strategy row{"dictated", "Dictated", "", chooseDictated, false, true};
    const Allowed any;
    NodeContext context;
    context.options = &options;
    context.pinned = &any;
    double best = INFINITY;
    enumerate(network.variables(), [&](const States& states) {
        dictated.states = states;
        for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            dictated.share = share;
            best = std::min(best, solveHierarchy(network, array, row, options, context).stepTime);
        }
    });
    return best;
}

/// Two to four groups of one to three accelerators; some groups are equal, some are linked.
hardware::Fleet smallFleet(RandomStream& random) {
    std::vector<hardware::Group> groups;
    const std::uint64_t count = 2 + random.below(3);
    for (std::uint64_t g = 0; g < count; ++g) {
        const std::string name = "g" + std::to_string(g);
        if (g > 0 && random.below(3) == 0) {
            groups.push_back(groups[random.below(g)]);
            groups.back().name = name;
            continue;
        }
        groups.push_back(test::group(name, 1e12 * static_cast<double>(1 + random.below(100)),
                                     1e9 * static_cast<double>(1 + random.below(100)),
                                     1 + static_cast<std::int64_t>(random.below(3))));
    }
    hardware::Fleet fleet = test::fleetOf(std::move(groups));
    if (random.below(3) == 0)
        fleet.links.push_back({"g0", "g1", fromBitsPerSecond(1e9 * static_cast<double>(1 + random.below(50))), {1e-6}});
    return fleet;
}

TEST(Subsets, noPlanOnAnySubsetOfTheFleetBeatsTheBound) {
    int withIdle = 0;
    constexpr std::uint64_t kCases = 300;
    for (std::uint64_t seed = 0; seed < kCases; ++seed) {
        RandomStream random(seed, 5);
        const model::LayerGraph graph = test::randomNetwork(random, 3);
        const hardware::Fleet fleet = smallFleet(random);
        Options options;
        options.batch = static_cast<double>(std::uint64_t{1} << random.below(10));
        options.strategies = {"accpar", "dp"};
        options.groups = Groups::best;
        const Result result = solve(graph, fleet, options);
        options.groups = Groups::all;
        const Plan all = solve(graph, fleet, options).plans.at(0);
        const Plan& best = result.plans.at(0);
        ASSERT_TRUE(best.boundsSubsets) << "seed " << seed;
        ASSERT_LE(best.stepTime.value, all.stepTime.value * (1 + 1e-9)) << "seed " << seed;
        ASSERT_LE(best.lowerBound, all.lowerBound) << "seed " << seed;
        for (const SubsetPlan& subset : best.subsets) {
            ASSERT_LE(best.stepTime.value, subset.stepTime.value * (1 + 1e-9)) << "seed " << seed;
            ASSERT_LE(best.lowerBound.value, subset.stepTime.value) << "seed " << seed;
            ASSERT_LE(subset.lowerBound.value, subset.stepTime.value * (1 + 1e-9)) << "seed " << seed;
        }
        withIdle += best.idle.empty() ? 0 : 1;
        const Network network = prepare(graph, options);
        double overall = INFINITY;
        for (std::uint64_t mask = 1; mask < std::uint64_t{1} << fleet.groups.size(); ++mask) {
            std::vector<bool> kept;
            for (std::size_t g = 0; g < fleet.groups.size(); ++g) kept.push_back((mask >> g & 1U) != 0);
            const Array array = makeArray(restricted(fleet, kept), options.dtype);
            const double time = bestDictated(network, array, options);
            const Allowed any;
            const double bound =
                boundStepTime({.network = &network, .array = &array, .options = &options, .pinned = &any},
                              *findStrategy("accpar"), CostModel::exact);
            ASSERT_LE(bound, time * (1 + 1e-9)) << "seed " << seed << ", groups " << mask;
            overall = std::min(overall, time);
        }
        ASSERT_LE(best.lowerBound.value, overall * (1 + 1e-9)) << "seed " << seed;
    }
    EXPECT_GT(withIdle, 30);
    EXPECT_LT(withIdle, static_cast<int>(kCases));
}

TEST(Subsets, equalGroupsStandForOneAnother) {
    std::vector<hardware::Group> groups;
    for (int n = 0; n < 4; ++n) groups.push_back(test::group("a" + std::to_string(n), 1e12, 1e9, 8));
    groups.push_back(test::group("b", 2e12, 1e9, 8));
    hardware::Fleet fleet = test::fleetOf(groups);
    EXPECT_EQ(interchangeableGroups(fleet, "bf16"), (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {4}}));
    EXPECT_EQ(subsetsOf(fleet, "bf16").list.size(), 9U);
    // A link to b sets two of them apart.
    for (const char* node : {"a0", "a2"}) fleet.links.push_back({node, "b", fromBitsPerSecond(1e9), {}});
    EXPECT_EQ(interchangeableGroups(fleet, "bf16"), (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 3}, {4}}));
}

/// How many of an array's groups have names that begin with a letter.
std::int64_t groupsOf(const Array& array, char letter) {
    return std::count_if(array.kinds.begin(), array.kinds.end(),
                         [&](const Kind& kind) { return kind.name.front() == letter; });
}

TEST(Subsets, theBoundOfARangeHoldsForEverySubsetInIt) {
    std::int64_t checked = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomStream random(seed, 6);
        std::vector<hardware::Group> groups;
        for (const char letter : {'a', 'b'}) {
            const hardware::Group one = test::group("", 1e12 * static_cast<double>(1 + random.below(100)),
                                                    1e9 * static_cast<double>(1 + random.below(100)),
                                                    1 + static_cast<std::int64_t>(random.below(3)));
            const std::uint64_t count = 3 + random.below(4);
            for (std::uint64_t n = 0; n < count; ++n) {
                groups.push_back(one);
                groups.back().name = letter + std::to_string(n);
            }
        }
        const hardware::Fleet fleet = test::fleetOf(groups);
        Options options;
        options.batch = static_cast<double>(std::uint64_t{1} << random.below(10));
        const model::LayerGraph graph = test::randomNetwork(random, 5);
        const Network network = prepare(graph, options);
        const Allowed any;
        const Strategy& row = *findStrategy("accpar");
        NodeContext context;
        context.options = &options;
        context.pinned = &any;
        const std::vector<Subset> subsets = subsetsOf(fleet, "bf16").list;
        for (const SubsetRange& range : rangesOf(fleet, "bf16")) {
            const double bound =
                boundRange({.network = &network, .array = &range.min, .options = &options, .pinned = &any}, row,
                           CostModel::exact, range);
            for (const Subset& subset : subsets) {
                const auto isWithin = [&](char letter) {
                    const std::int64_t count = groupsOf(subset.array, letter);
                    return count >= groupsOf(range.min, letter) && count <= groupsOf(range.max, letter);
                };
                if (!isWithin('a') || !isWithin('b')) continue;
                ++checked;
                for (const char* id : {"accpar", "dp", "owt"})
                    ASSERT_LE(bound,
                              solveHierarchy(network, subset.array, *findStrategy(id), options, context).stepTime *
                                  (1 + 1e-9))
                        << "seed " << seed << " " << id;
            }
        }
    }
    EXPECT_GT(checked, 500) << "every subset of both sorts is in one range";
}

TEST(Subsets, ofVeryManyGroupsTheBoundStillHoldsForEach) {
    RandomStream random(9);
    std::vector<hardware::Group> groups;
    for (int n = 0; n < 40; ++n)
        groups.push_back(test::group("g" + std::to_string(n), 1e12 * static_cast<double>(1 + n), 1e10, 2));
    const model::LayerGraph graph = test::randomNetwork(random, 6);
    Options options;
    options.strategies = {"dp"};
    options.groups = Groups::best;
    const Result result = solve(graph, test::fleetOf(groups), options);
    const Plan& plan = result.plans.at(0);
    EXPECT_TRUE(plan.boundsSubsets);
    EXPECT_LE(plan.lowerBound, plan.stepTime);
    EXPECT_TRUE(std::any_of(result.assumptions.begin(), result.assumptions.end(), [](const std::string& sentence) {
        return sentence.find("there are too many more to look at each") != std::string::npos;
    }));
}

}  // namespace
}  // namespace tessera::partition

// What users ask of the engine: strategies side by side, pins, levels, memory, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/partition/partition.h"
#include "core/partition/strategies.h"
#include "tests/core/partition/problems.h"
#include "tests/support/accpar_cases.h"

namespace tessera::partition {
namespace {

model::LayerGraph caseGraph(const std::string& file) {
    return test::loadAccparCase(test::sourcePath("tests/data/accpar/" + file)).graph;
}
model::LayerGraph alexnet() {
    return caseGraph("041_real_homog.json");
}
model::LayerGraph resnet18() {
    return caseGraph("051_real_homog.json");
}

hardware::Fleet boards() {
    return test::fleetOf({test::group("v2", 180e12, 8e9, 128), test::group("v3", 420e12, 16e9, 128)});
}

const Plan& planOf(const Result& result, const std::string& id) {
    return *std::find_if(result.plans.begin(), result.plans.end(), [&](const Plan& p) { return p.strategy == id; });
}

/// Every strategy of the table obeys the same laws.
class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, plansEveryNodeOfTheHierarchyAndNeverPassesItsBound) {
    Options options;
    options.strategies = {GetParam()};
    const Result result = solve(resnet18(), boards(), options);
    const Plan& plan = result.plans.at(0);
    EXPECT_EQ(plan.strategy, GetParam());
    EXPECT_GT(plan.stepTime.value, 0);
    EXPECT_DOUBLE_EQ(plan.throughput, 512 / plan.stepTime.value);
    EXPECT_GT(plan.speedupOverDp, 0);
    EXPECT_LE(plan.lowerBound.value, plan.stepTime.value);
    EXPECT_NEAR(plan.gap, plan.stepTime.value / plan.lowerBound.value - 1, 1e-12);
    std::int64_t covered = 0;
    for (const LevelPlan& level : plan.levels) {
        EXPECT_EQ(level.layers.size(), 21U);
        EXPECT_EQ(level.joins.size(), 8U);
        EXPECT_GE(level.ratio, 0);
        EXPECT_LE(level.ratio, 1);
        if (level.accelerators == 2) covered += 2 * level.occurrences;
    }
    EXPECT_EQ(covered, 256) << "every accelerator is in one pair of the last level";
    ASSERT_EQ(plan.shares.size(), 2U);
    const double slowest = std::max((plan.shares[0].compute + plan.shares[0].communication).value,
                                    (plan.shares[1].compute + plan.shares[1].communication).value);
    EXPECT_NEAR(slowest, plan.stepTime.value, 1e-12 * slowest);
}

TEST_P(EveryStrategy, repeatsItselfForAnyNumberOfThreads) {
    Options options;
    options.strategies = {GetParam(), GetParam() == "dp" ? "owt" : "dp"};
    const Result one = solve(resnet18(), boards(), options, {{.threads = 1}});
    const Result four = solve(resnet18(), boards(), options, {{.threads = 4}});
    for (std::size_t p = 0; p < one.plans.size(); ++p) {
        EXPECT_EQ(one.plans[p].stepTime, four.plans[p].stepTime);
        EXPECT_EQ(one.plans[p].lowerBound, four.plans[p].lowerBound);
        ASSERT_EQ(one.plans[p].levels.size(), four.plans[p].levels.size());
        for (std::size_t l = 0; l < one.plans[p].levels.size(); ++l) {
            EXPECT_EQ(one.plans[p].levels[l].ratio, four.plans[p].levels[l].ratio);
            for (std::size_t k = 0; k < one.plans[p].levels[l].layers.size(); ++k)
                EXPECT_EQ(one.plans[p].levels[l].layers[k].type, four.plans[p].levels[l].layers[k].type);
        }
    }
}

TEST_P(EveryStrategy, handlesASingleAccelerator) {
    Options options;
    options.strategies = {GetParam()};
    const Plan plan = solve(alexnet(), test::fleetOf({test::group("one", 1e14, 1e9, 1)}), options).plans.at(0);
    EXPECT_TRUE(plan.levels.empty());
    EXPECT_TRUE(plan.optimal);
    // 5217728123360 FLOP by the oracle's count.
    EXPECT_NEAR(plan.stepTime.value, 5217728123360.0 / 1e14, 1e-9 * plan.stepTime.value);
}

TEST_P(EveryStrategy, stopsWhenAsked) {
    Options options;
    options.strategies = {GetParam()};
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(solve(resnet18(), boards(), options, {{.cancel = source.get_token()}}), InterruptedError);
}

std::vector<std::string> allIds() {
    std::vector<std::string> ids;
    for (const Strategy& strategy : strategies())
        if (strategy.onPaper) ids.emplace_back(strategy.id);
    return ids;
}
INSTANTIATE_TEST_SUITE_P(Table, EveryStrategy, testing::ValuesIn(allIds()), [](const auto& row) {
    std::string name = row.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Partition, balancesTheWholeStepOfResNet18) {
    // Alternation from one half ends at ratio 1 and 1.26 times data parallelism; looking below the first level, 2.55.
    Options options;
    options.strategies = {"accpar"};
    EXPECT_NEAR(solve(resnet18(), boards(), options).plans.at(0).speedupOverDp, 2.55, 0.02);
    options.ratio = RatioRule::alternating;
    EXPECT_LT(solve(resnet18(), boards(), options).plans.at(0).speedupOverDp, 2.0);
}

TEST(Partition, leavesSlowBoardsIdleWhereThatIsFaster) {
    Options options;
    options.strategies = {"accpar", "dp"};
    options.costModel = CostModel::paper;
    const model::LayerGraph graph = caseGraph("049_real_homog.json");
    const Plan all = solve(graph, boards(), options).plans.at(0);
    EXPECT_TRUE(all.idle.empty());
    EXPECT_TRUE(all.subsets.empty());
    options.groups = Groups::best;
    const Result result = solve(graph, boards(), options);
    const Plan& plan = result.plans.at(0);
    EXPECT_EQ(plan.idle, (std::vector<std::string>{"v2"}));
    ASSERT_EQ(plan.shares.size(), 1U);
    EXPECT_EQ(plan.shares[0].kind, "v3");
    EXPECT_LT(plan.stepTime, all.stepTime);
    EXPECT_TRUE(plan.boundsSubsets);
    EXPECT_LE(plan.lowerBound, plan.stepTime);
    const SubsetPlan* whole = wholeFleetOf(plan);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->stepTime, all.stepTime) << "the whole fleet stands beside the best subset";
    EXPECT_EQ(whole->accelerators, 256);
    EXPECT_EQ(plan.subsets.front().idle, plan.idle);
    EXPECT_EQ(plan.subsets.front().stepTime, plan.stepTime);
    EXPECT_EQ(plan.subsets.size() + static_cast<std::size_t>(plan.subsetsRuledOut + plan.subsetsLeft), 3U);
    EXPECT_DOUBLE_EQ(plan.speedupOverDp, planOf(result, "dp").stepTime.value / plan.stepTime.value)
        << "data parallelism chooses its accelerators as well";
}

TEST(Partition, everyGroupTakesPartWhereRatiosArePinned) {
    Options options;
    options.strategies = {"accpar"};
    options.groups = Groups::best;
    options.pinnedRatios[0] = 0.25;
    const Result result = solve(alexnet(), boards(), options);
    EXPECT_TRUE(result.plans[0].idle.empty());
    EXPECT_TRUE(std::count(result.assumptions.begin(), result.assumptions.end(),
                           "Every group of the fleet takes part, since ratios of its splits are pinned."));
}

TEST(Partition, aSideWithoutWorkIsAbsent) {
    // All work on v3: neither it nor v2 exchanges anything across the first split.
    Options options;
    options.strategies = {"accpar"};
    const Plan alone = solve(alexnet(), test::fleetOf({test::group("v3", 420e12, 16e9, 128)}), options).plans.at(0);
    options.pinnedRatios[0] = 0;
    const Plan plan = solve(alexnet(), boards(), options).plans.at(0);
    EXPECT_DOUBLE_EQ(plan.stepTime.value, alone.stepTime.value);
    EXPECT_LE(plan.lowerBound, plan.stepTime);
    ASSERT_EQ(plan.shares.size(), 2U);
    EXPECT_EQ(plan.shares[0].kind, "v2");
    EXPECT_EQ(plan.shares[0].communication.value, 0);
    EXPECT_EQ(plan.shares[0].compute.value, 0);
    EXPECT_EQ(plan.shares[0].memory.value, 0);
}

TEST(Partition, allGroupsTakePartWithSomeWork) {
    Options options;
    options.strategies = {"accpar"};
    const Plan plan = solve(alexnet(), boards(), options).plans.at(0);
    EXPECT_GE(plan.levels[0].ratio, 1 / options.batch);
    EXPECT_LE(plan.levels[0].ratio, 1 - 1 / options.batch);
}

TEST(Partition, equalAcceleratorsInSeveralGroupsSplitByTheirShare) {
    // Four nodes of one kind and four of a faster one, the nodes linked more slowly than what is within.
    std::vector<hardware::Group> groups;
    for (int n = 0; n < 4; ++n) groups.push_back(test::group("a" + std::to_string(n), 312e12, 4800e9, 8));
    for (int n = 0; n < 4; ++n) groups.push_back(test::group("h" + std::to_string(n), 990e12, 7200e9, 8));
    hardware::Fleet fleet = test::fleetOf(groups);
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = a + 1; b < groups.size(); ++b)
            fleet.links.push_back({groups[a].name, groups[b].name, fromBitsPerSecond(200e9), {1e-6}});
    Options options;
    options.strategies = {"accpar"};
    const Plan all = solve(resnet18(), fleet, options).plans.at(0);
    for (const LevelPlan& level : all.levels)
        if (level.group.find('h') == std::string::npos || level.group.find('a') == std::string::npos) {
            EXPECT_EQ(level.ratio, 0.5) << level.group;
        }
    ASSERT_EQ(all.shares.size(), 8U);
    for (const std::size_t first : {0U, 4U})
        for (std::size_t k = first; k < first + 4; ++k) {
            EXPECT_EQ(all.shares[k].kind, groups[k].name);
            EXPECT_EQ(all.shares[k].compute, all.shares[first].compute) << "equal hardware does equal work";
            EXPECT_EQ(all.shares[k].memory, all.shares[first].memory);
            EXPECT_FALSE(all.shares[k].path.empty());
        }
    options.groups = Groups::best;
    const Plan best = solve(resnet18(), fleet, options).plans.at(0);
    // 0 to 4 of either kind, not 256 single groups.
    EXPECT_EQ(best.subsets.size() + static_cast<std::size_t>(best.subsetsRuledOut + best.subsetsLeft), 24U);
    EXPECT_LE(best.stepTime, all.stepTime);
}

TEST(Partition, ownSearchIsNoSlowerThanTheBaselinesOnTheOraclesNetworks) {
    for (const auto& path : test::accparCases("real_homog")) {
        const Result result = solve(test::loadAccparCase(path).graph, boards(), Options{});
        for (const Plan& plan : result.plans)
            EXPECT_LE(result.plans[0].stepTime.value, plan.stepTime.value) << path << " " << plan.strategy;
    }
}

TEST(Partition, pinnedLayerKeepsItsTypeAtEveryLevelAndCostsNoLess) {
    Options options;
    options.strategies = {"accpar"};
    const model::LayerGraph graph = alexnet();
    const Plan free = solve(graph, boards(), options).plans.at(0);
    options.pinnedTypes["fc1"] = Type::I;
    const Result result = solve(graph, boards(), options);
    const std::size_t fc1 = test::indexOf(graph, "fc1");
    for (const LevelPlan& level : result.plans[0].levels)
        for (const LayerPlan& layer : level.layers)
            if (static_cast<std::size_t>(layer.layer) == fc1) {
                EXPECT_EQ(layer.type, Type::I);
            }
    EXPECT_GT(result.plans[0].stepTime, free.stepTime);
    EXPECT_GE(result.plans[0].lowerBound, free.lowerBound);
}

TEST(Partition, pinnedRatioHoldsAtItsLevel) {
    Options options;
    options.strategies = {"accpar"};
    options.pinnedRatios[0] = 0.25;
    options.pinnedRatios[2] = 0.75;
    const Plan plan = solve(alexnet(), boards(), options).plans.at(0);
    for (const LevelPlan& level : plan.levels) {
        if (level.level == 0) {
            EXPECT_EQ(level.ratio, 0.25);
        }
        if (level.level == 2) {
            EXPECT_EQ(level.ratio, 0.75);
        }
        if (level.level == 1) {
            EXPECT_EQ(level.ratio, 0.5);
        }
    }
    EXPECT_LE(plan.lowerBound, plan.stepTime);
}

TEST(Partition, levelsLimitTheDepth) {
    Options options;
    options.strategies = {"accpar"};
    options.levels = 3;
    const Plan plan = solve(alexnet(), boards(), options).plans.at(0);
    int deepest = 0;
    for (const LevelPlan& level : plan.levels) deepest = std::max(deepest, level.level);
    EXPECT_EQ(deepest, 2);
}

TEST(Partition, oddGroupsSplitIntoUnequalHalvesByTheirNumber) {
    Options options;
    options.strategies = {"accpar", "dp"};
    const Result result = solve(alexnet(), test::fleetOf({test::group("g", 1e14, 1e10, 7)}), options);
    for (const Plan& plan : result.plans) {
        EXPECT_EQ(plan.levels[0].accelerators, 7);
        EXPECT_DOUBLE_EQ(plan.levels[0].ratio, 4.0 / 7);
        std::int64_t leaves = 0;
        for (const LevelPlan& level : plan.levels) {
            if (level.accelerators == 2) leaves += 2 * level.occurrences;
            if (level.accelerators == 3) leaves += level.occurrences;
        }
        EXPECT_EQ(leaves, 7);
    }
}

TEST(Partition, aLinkCapsTheRateAndAddsItsLatency) {
    Options options;
    options.strategies = {"dp"};
    options.levels = 1;
    hardware::Fleet fleet = test::pairFleet(1e14, 1e14, 1e11, 1e11);
    const Plan fast = solve(alexnet(), fleet, options).plans.at(0);
    fleet.links.push_back({.from = "i", .to = "j", .rate = fromBitsPerSecond(1e10), .latency = {1e-3}});
    const Plan slow = solve(alexnet(), fleet, options).plans.at(0);
    // Data parallelism moves the gradients of AlexNet's 8 layers once: a tenth of the rate, and 8 latencies.
    const double moved = fast.shares[0].communication.value;
    EXPECT_NEAR(slow.shares[0].communication.value, 10 * moved + 8e-3, 1e-9);
}

TEST(Partition, threeKindsPartWhereTheirSpeedsDifferMost) {
    const hardware::Fleet fleet = test::fleetOf(
        {test::group("slow", 1e12, 1e9, 4), test::group("fast", 1e14, 1e10, 4), test::group("faster", 2e14, 1e10, 4)});
    Options options;
    options.strategies = {"accpar"};
    const Plan plan = solve(alexnet(), fleet, options).plans.at(0);
    EXPECT_EQ(plan.levels[0].group, "slow|fast|faster");
    EXPECT_EQ(plan.levels[0].accelerators, 12);
    EXPECT_TRUE(std::any_of(plan.levels.begin(), plan.levels.end(),
                            [](const LevelPlan& l) { return l.group == "fast|faster"; }));
    EXPECT_LE(plan.lowerBound, plan.stepTime);
    options.groups = Groups::best;
    const Plan best = solve(alexnet(), fleet, options).plans.at(0);
    EXPECT_EQ(best.subsets.size() + static_cast<std::size_t>(best.subsetsRuledOut + best.subsetsLeft), 7U);
    EXPECT_LE(best.stepTime, plan.stepTime);
}

TEST(Partition, overlapNeverSlowsAStep) {
    Options options;
    const Result none = solve(resnet18(), boards(), options);
    options.overlap = Overlap::comm;
    const Result overlapped = solve(resnet18(), boards(), options);
    EXPECT_LE(planOf(overlapped, "dp").stepTime, planOf(none, "dp").stepTime);
    EXPECT_GE(planOf(overlapped, "dp").stepTime.value, planOf(none, "dp").shares[0].communication.value);
}

TEST(Partition, memoryCountsTheShardAndWarnsWhereItDoesNotFit) {
    model::LayerGraph graph;
    graph.name = "one layer";
    model::Layer layer;
    layer.name = "fc";
    layer.inChannels = 1000;
    layer.outChannels = 1000;
    layer.parameters = 1e6;
    layer.activations = 1000;
    graph.layers = {layer};
    hardware::Fleet fleet = test::fleetOf({test::group("g", 1e12, 1e9, 2)});
    fleet.groups[0].accelerator.memory = {{.name = "HBM", .capacity = Bytes{1e6}, .bandwidth = {}, .onChip = false}};
    Options options;
    options.batch = 8;
    options.strategies = {"dp"};
    const Result result = solve(graph, fleet, options);
    // Data parallel: all 1e6 weights and gradients of 2 bytes, Adam's 8 bytes, and half of 8 * 1000 activations of 2.
    EXPECT_DOUBLE_EQ(result.plans[0].shares[0].memory.value, 1e6 * (2 + 2 + 8) + 4 * 1000 * 2);
    EXPECT_FALSE(result.plans[0].fits);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0], "dp does not fit: an accelerator of group 'g' would hold 12 MB and has 1 MB");
}

TEST(Partition, embeddingTablesAreSplitByRowsTouchedOrByColumns) {
    model::LayerGraph graph;
    graph.name = "table";
    model::Layer table;
    table.name = "table";
    table.kind = model::LayerKind::embedding;
    table.inChannels = 1e6;
    table.outChannels = 64;
    table.parameters = 64e6;
    graph.layers = {table};
    Options options;
    options.strategies = {"accpar", "dp", "owt", "hypar"};
    options.batch = 16;
    const Result result = solve(graph, test::fleetOf({test::group("g", 1e12, 8e9, 2)}), options);
    EXPECT_EQ(planOf(result, "accpar").levels[0].layers[0].type, Type::III);
    EXPECT_EQ(planOf(result, "accpar").stepTime.value, 0);
    // The gradient of 16 rows of 64 elements of 2 bytes at 1 GB/s.
    EXPECT_DOUBLE_EQ(planOf(result, "dp").stepTime.value, 16 * 64 * 2 / 1e9);
    EXPECT_EQ(planOf(result, "owt").levels[0].layers[0].type, Type::I);
    EXPECT_EQ(planOf(result, "hypar").levels[0].layers[0].type, Type::I);
}

TEST(Partition, deepChainsAreSplitAsWellAsShorterOnes) {
    // From 20,000 layers on, ratios are searched on a sample.
    Options options;
    options.strategies = {"accpar"};
    const Plan shorter = solve(test::equalChain(20'000), boards(), options).plans.at(0);
    const Plan longer = solve(test::equalChain(30'000), boards(), options).plans.at(0);
    EXPECT_LE(longer.gap, 0.01);
    EXPECT_LE(longer.stepTime.value / 30'000, 1.005 * shorter.stepTime.value / 20'000);
    EXPECT_GT(longer.lowerBound.value, 0);
}

TEST(Partition, pinsHoldWhereRatiosAreSearchedOnASample) {
    Options options;
    options.strategies = {"accpar"};
    options.pinnedTypes["l7"] = Type::II;
    const Plan plan = solve(test::randomChain(20'500), boards(), options).plans.at(0);
    for (const LevelPlan& level : plan.levels) EXPECT_EQ(level.layers.at(7).type, Type::II);
    EXPECT_LE(plan.lowerBound, plan.stepTime);
}

TEST(Partition, denseGraphsAreSplitWellThoughTooWideForExactElimination) {
    Options options;
    options.strategies = {"accpar", "hypar"};
    for (const std::int32_t reach : {8, 14, 40}) {
        const Result result = solve(test::denseGraph(40, reach), boards(), options);
        const Plan& plan = result.plans.at(0);
        EXPECT_LE(plan.gap, 0.25) << "reach " << reach;
        EXPECT_LT(1.5 * plan.stepTime.value, result.plans.at(1).stepTime.value) << "reach " << reach;
    }
}

TEST(Partition, manyNodesOfTwoKindsHaveABound) {
    Options options;
    options.strategies = {"accpar"};
    options.groups = Groups::best;
    for (const int groups : {8, 16, 64}) {
        const Plan plan = solve(resnet18(), test::nodes(groups, false), options).plans.at(0);
        EXPECT_GT(plan.lowerBound.value, 0) << groups;
        EXPECT_LE(plan.gap, 0.15) << groups;
    }
    options.groups = Groups::all;
    for (const int groups : {64, 256}) {
        const Plan plan = solve(resnet18(), test::nodes(groups, false), options).plans.at(0);
        EXPECT_GT(plan.lowerBound.value, 0) << groups;
        EXPECT_LE(plan.gap, 0.15) << groups;
    }
}

TEST(Partition, namesEngineFileAndFieldOfAMissingNumber) {
    hardware::Fleet fleet = boards();
    Options options;
    options.dtype = "fp32";
    try {
        solve(alexnet(), fleet, options);
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(
            error.what(),
            "test.json: field 'peak_flops.fp32' is missing; expected a peak for this data type (the file gives "
            "bf16; --dtype chooses), which the partition engine needs of group 'v2'");
    }
    options.dtype = "bf16";
    fleet.groups[1].accelerator.network.reset();
    try {
        solve(alexnet(), fleet, options);
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(),
                     "test.json: field 'network_bits_per_s' is missing; expected a network rate, which the partition "
                     "engine needs of group 'v3'");
    }
}

TEST(Partition, listsEveryBrokenRuleOfItsOptions) {
    Options options;
    options.batch = -1;
    options.dtype = "float";
    options.strategies = {"accpar", "best", "accpar"};
    options.pinnedTypes["fc9"] = Type::I;
    options.pinnedRatios[1] = 2;
    const std::vector<std::string> expected{
        "batch is -1; expected a number above 0",
        "dtype is 'float'; expected one of bf16, fp16, fp32, tf32, fp64, fp8, int8",
        "strategy is 'best'; expected one of joint, accpar, accpar-paper, hypar, owt, dp",
        "strategy 'accpar' is given twice; expected every strategy once",
        "pin-ratio of level 1 is 2; expected a number from 0 to 1",
        "pin names 'fc9', which is no weighted layer of 'alexnet'; did you mean 'fc1'?"};
    EXPECT_EQ(problems(options, alexnet(), boards()), expected);
}

TEST(Partition, hugeAndOddFleetsEnd) {
    Options options;
    options.strategies = {"accpar"};
    const Plan plan = solve(alexnet(), test::fleetOf({test::group("g", 1e14, 1e10, 999'983)}), options).plans.at(0);
    EXPECT_GT(plan.stepTime.value, 0);
    EXPECT_LE(plan.lowerBound, plan.stepTime);
}

}  // namespace
}  // namespace tessera::partition

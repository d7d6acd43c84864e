#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/partition/partition.h"
#include "core/physical/device.h"

/// Groups of a fleet side by side with physical costs.
namespace tessera::partition {
namespace {

constexpr double kNetwork = 50e9;  ///< bytes/s of one accelerator beyond its node

hardware::Group groupOfNodes(const std::string& name, const std::string& accelerator, std::int64_t nodes) {
    hardware::Group group{
        .name = name, .accelerator = hardware::loadAccelerator(accelerator), .count = 8 * nodes, .network = {}};
    const double link = physical::deviceOf(group.accelerator).linkBytesPerSecond;
    group.levels.push_back({.name = "links", .size = 8, .bandwidth = BytesPerSecond{link}});
    if (nodes > 1) group.levels.push_back({.name = "network", .size = nodes, .bandwidth = BytesPerSecond{kNetwork}});
    return group;
}

hardware::Fleet fleetOf(std::vector<hardware::Group> groups, double linkRate = kNetwork) {
    hardware::Fleet fleet;
    fleet.name = "fleet";
    for (std::size_t i = 1; i < groups.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            fleet.links.push_back({groups[j].name, groups[i].name, BytesPerSecond{linkRate}, Seconds{0}});
    fleet.groups = std::move(groups);
    return fleet;
}

struct SidesCase {
    model::Model model;
    model::LayerGraph layers;
    Options options;

    SidesCase(const std::string& name, double batch, std::vector<std::string> strategies) {
        model::LoadOptions load;
        load.batch = static_cast<std::int64_t>(batch);
        model = model::loadModel("zoo:" + name, load);
        layers = model::layerGraph(model);
        if (model.graph() != nullptr) model::countStored(layers, *model.graph());
        options.batch = batch;
        options.strategies = std::move(strategies);
    }
    Plan planOn(const hardware::Fleet& fleet) const {
        return solvePhysical(layers, model.graph(), fleet, options).plans.front();
    }
};

TEST(Sides, twoHalvesOfAFleetAreWorthTheFleet) {
    for (const std::string strategy : {"dp", "joint"}) {
        const SidesCase at("resnet50", 2048, {strategy});
        const Plan whole = at.planOn(fleetOf({groupOfNodes("all", "h100", 4)}));
        const Plan halves = at.planOn(fleetOf({groupOfNodes("a", "h100", 2), groupOfNodes("b", "h100", 2)}));
        EXPECT_NEAR(halves.stepTime.value / whole.stepTime.value, 1, 0.01) << strategy;
        EXPECT_TRUE(halves.idle.empty());
        EXPECT_DOUBLE_EQ(halves.levels.front().ratio, 0.5) << strategy;
    }
}

TEST(Sides, endTogetherSoThatNoOtherSharesAreFaster) {
    const SidesCase at("resnet50", 256, {"dp"});
    const hardware::Fleet fleet = fleetOf({groupOfNodes("a100", "a100", 1), groupOfNodes("h100", "h100", 1)});
    Options wholeFleet = at.options;
    wholeFleet.groups = Groups::all;
    const Plan plan = solvePhysical(at.layers, at.model.graph(), fleet, wholeFleet).plans.front();
    // Each group beside another as fast as itself takes what it takes beside the other: twice the group and the
    // samples.
    const auto alone = [&](const std::string& name, std::int64_t samples) {
        const SidesCase twice("resnet50", static_cast<double>(2 * samples), {"dp"});
        return twice.planOn(fleetOf({groupOfNodes("one", name, 1), groupOfNodes("two", name, 1)})).stepTime.value;
    };
    double best = kInfinity;
    for (std::int64_t samples = 32; samples <= 160; samples += 4)
        best = std::min(best, std::max(alone("a100", samples), alone("h100", 256 - samples)));
    EXPECT_LE(plan.stepTime.value, best * 1.003);
    const double samples = plan.levels.front().ratio * 256;
    EXPECT_DOUBLE_EQ(samples, std::round(samples));
    EXPECT_GT(samples, 60);
    EXPECT_LT(samples, 128) << "the slower group has less";
}

TEST(Sides, aGroupBehindASlowLinkStaysIdle) {
    SidesCase at("resnet50", 512, {"joint", "dp"});
    at.options.groups = Groups::best;
    const std::vector<hardware::Group> groups{groupOfNodes("a100", "a100", 1), groupOfNodes("h100", "h100", 1)};
    const Plan slow = at.planOn(fleetOf(groups, 2e6));
    EXPECT_EQ(slow.idle, std::vector<std::string>{"a100"});
    EXPECT_EQ(slow.subsets.size(), 3U);
    EXPECT_TRUE(std::is_sorted(slow.subsets.begin(), slow.subsets.end(), [](const SubsetPlan& a, const SubsetPlan& b) {
        return a.stepTime.value < b.stepTime.value;
    }));
    EXPECT_TRUE(slow.boundsSubsets);
    EXPECT_LE(slow.lowerBound.value, slow.stepTime.value);
    const Plan fast = at.planOn(fleetOf(groups));
    EXPECT_TRUE(fast.idle.empty());
    EXPECT_LT(fast.stepTime.value, slow.stepTime.value);
    EXPECT_LT(fast.gap, 0.05);
}

TEST(Sides, aGroupOfLittleMemoryTakesWhatFitsIt) {
    hardware::Group small = groupOfNodes("small", "v100-16gb", 1), large = groupOfNodes("large", "a100", 1);
    for (const std::string strategy : {"dp", "joint"}) {
        const SidesCase at("resnet50", 12288, {strategy});
        const Plan plan = at.planOn(fleetOf({small, large}));
        ASSERT_TRUE(plan.fits) << strategy;
        const AcceleratorShare& full = plan.shares.front();
        EXPECT_GT(full.memory.value, 0.95 * full.capacity->value) << "as much as it can";
        hardware::Group roomy = small;
        for (hardware::MemoryLevel& level : roomy.accelerator.memory)
            if (level.capacity) level.capacity->value *= 4;
        const Plan free = at.planOn(fleetOf({roomy, large}));
        EXPECT_GT(free.levels.front().ratio, plan.levels.front().ratio) << strategy;
        EXPECT_LT(free.stepTime.value, plan.stepTime.value) << strategy;
        EXPECT_LE(plan.lowerBound.value, free.stepTime.value) << "memory makes no bound higher than it is";
    }
    // Nowhere is there room for all.
    SidesCase most("resnet50", 65536, {"joint"});
    most.options.groups = Groups::all;
    const Result none = solvePhysical(most.layers, most.model.graph(), fleetOf({small, large}), most.options);
    EXPECT_FALSE(none.plans.front().fits);
    EXPECT_NE(none.warnings.front().find("no shares of the samples were found that fit"), std::string::npos);
}

TEST(Sides, tellEveryGroupWithItsLevels) {
    const SidesCase at("bert-large", 1024, {"joint"});
    const Plan plan = at.planOn(
        fleetOf({groupOfNodes("a100", "a100", 2), groupOfNodes("h100", "h100", 2), groupOfNodes("h200", "h200", 1)}));
    ASSERT_EQ(plan.shares.size(), 3U);
    ASSERT_EQ(plan.levels.size(), 6U);
    EXPECT_EQ(plan.levels[0].group, "a100|h100|h200");
    EXPECT_EQ(plan.levels[0].accelerators, 40);
    EXPECT_EQ(plan.levels[0].parts, 3);
    EXPECT_EQ(plan.levels[1].group, "a100 network");
    EXPECT_EQ(plan.levels[2].occurrences, 2);
    EXPECT_EQ(plan.levels[5].group, "h200 links");
    std::int64_t accelerators = 0;
    for (const AcceleratorShare& share : plan.shares) {
        accelerators += share.count;
        EXPECT_LE(share.compute.value + share.communication.value, plan.stepTime.value * (1 + 1e-9)) << share.kind;
        EXPECT_GT(share.compute.value + share.communication.value, plan.stepTime.value * 0.98) << share.kind;
        for (const PathStep& step : share.path) ASSERT_LT(toIndex(step.split), plan.levels.size());
    }
    EXPECT_EQ(accelerators, 40);
}

TEST(Sides, ofUnknownRateAreRefusedInOneSentence) {
    const SidesCase at("alexnet", 256, {"dp"});
    hardware::Fleet fleet = fleetOf({groupOfNodes("a", "h100", 1), groupOfNodes("b", "h100", 1)});
    fleet.links.clear();
    try {
        at.planOn(fleet);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "the rate between the groups 'a' and 'b' is not known; expected a link of the fleet");
    }
}

}  // namespace
}  // namespace tessera::partition

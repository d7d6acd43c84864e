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
#include "core/partition/physical_costs.h"
#include "core/partition/sharded_problem.h"
#include "core/physical/device.h"
#include "core/physical/network_model.h"

namespace tessera::partition {
namespace {

/// Accelerators in nodes of eight, joined by a network of 50 GB/s for each.
hardware::Fleet nodesOf(const std::string& accelerator, std::int64_t count) {
    hardware::Group group{
        .name = accelerator, .accelerator = hardware::loadAccelerator(accelerator), .count = count, .network = {}};
    const double link = physical::deviceOf(group.accelerator).linkBytesPerSecond;
    const std::int64_t inside = std::min<std::int64_t>(count, 8);
    group.levels.push_back({.name = "links", .size = inside, .bandwidth = BytesPerSecond{link}});
    if (count > inside)
        group.levels.push_back({.name = "network", .size = count / inside, .bandwidth = BytesPerSecond{50e9}});
    hardware::Fleet fleet;
    fleet.name = accelerator;
    fleet.groups.push_back(std::move(group));
    return fleet;
}

struct PhysicalCase {
    model::Model model;
    model::LayerGraph layers;
};

PhysicalCase physicalCase(const std::string& name, double batch) {
    model::LoadOptions load;
    load.batch = static_cast<std::int64_t>(batch);
    PhysicalCase made{model::loadModel("zoo:" + name, load), {}};
    made.layers = model::layerGraph(made.model);
    if (made.model.graph() != nullptr) model::countStored(made.layers, *made.model.graph());
    return made;
}

Result solved(const PhysicalCase& at, const hardware::Fleet& fleet, const Options& options) {
    return solvePhysical(at.layers, at.model.graph(), fleet, options);
}

const Plan& planNamed(const Result& result, const std::string& strategy) {
    return *std::find_if(result.plans.begin(), result.plans.end(),
                         [&](const Plan& plan) { return plan.strategy == strategy; });
}

class DataParallelStep : public testing::TestWithParam<const char*> {};

TEST_P(DataParallelStep, isThatOfTheModelOfNetworks) {
    Options options;
    options.batch = 64;
    options.strategies = {"dp"};
    const PhysicalCase at = physicalCase(GetParam(), options.batch);
    for (const std::string accelerator : {"a100", "h100"})
        for (const int devices : {1, 8}) {
            const hardware::Fleet fleet = nodesOf(accelerator, devices);
            physical::TrainingRun run;
            run.model = std::string("zoo:") + GetParam();
            run.accelerators = run.perNode = devices;
            run.globalBatch = options.batch;
            run.dtype = options.dtype;
            run.optimizer = "adam";
            const physical::Device device = physical::deviceOf(fleet.groups.front().accelerator);
            const double whole =
                physical::networkStep(physical::networkCost(run, device), physical::networkFit(-1).parameters).seconds;
            const Plan plan = solved(at, fleet, options).plans.front();
            EXPECT_NEAR(plan.stepTime.value / whole, 1, 0.02) << accelerator << ", " << devices;
        }
}

INSTANTIATE_TEST_SUITE_P(TenModels, DataParallelStep,
                         testing::Values("resnet18", "resnet50", "resnext50", "vgg16", "alexnet", "mobilenet-v2",
                                         "efficientnet-b0", "densenet121", "bert-large", "gpt2"));

TEST(Physical, JointIsNeverSlowerAndSaysSo) {
    for (const char* model : {"resnet50", "alexnet", "bert-base"}) {
        Options options;
        options.batch = 128;
        options.strategies = strategiesFor(Costs::physical);
        const PhysicalCase at = physicalCase(model, options.batch);
        for (const std::int64_t count : {1, 8, 32}) {
            const Result result = solved(at, nodesOf("a100", count), options);
            const Plan& joint = planNamed(result, "joint");
            ASSERT_TRUE(joint.fits) << model;
            EXPECT_TRUE(joint.optimal) << model << " on " << count << ", gap " << joint.gap;
            for (const Plan& plan : result.plans) {
                if (!plan.fits) continue;
                EXPECT_GE(plan.stepTime.value, joint.stepTime.value * (1 - 1e-9))
                    << model << " on " << count << " by " << plan.strategy;
                if (plan.lowerBound.value > 0) {
                    EXPECT_LE(plan.lowerBound.value, plan.stepTime.value);
                }
            }
        }
    }
}

TEST(Physical, JointIsTheBestOfAllCuts) {
    Options options;
    options.strategies = {"joint"};
    for (const double batch : {16.0, 512.0}) {
        options.batch = batch;
        const PhysicalCase at = physicalCase("mlp", batch);
        const hardware::Fleet fleet = nodesOf("a100", 8);
        const PhysicalCosts costs(at.layers, at.model.graph(), fleet.groups.front(), options);
        const std::vector<Sharding> ways = shardingsOf(costs.sizes(), true);
        const std::size_t layers = costs.vertices().size();
        std::vector<std::size_t> taken(layers, 0);
        double best = kInfinity;
        for (bool goesOn = true; goesOn;) {
            JointCost sum;
            bool isAllowed = true;
            for (std::size_t v = 0; v < layers; ++v) {
                const auto vertex = static_cast<std::int32_t>(v);
                isAllowed = isAllowed && costs.allows(vertex, ways[taken[v]]);
                const JointCost cost = costs.cost(costs.shard(vertex, ways[taken[v]]));
                sum.first += cost.first;
                sum.second += cost.second;
            }
            double seconds = std::max(sum.first, sum.second);
            for (const PhysicalCosts::Edge& edge : costs.edges())
                seconds += costs.handOver(edge, ways[taken[toIndex(edge.from)]], ways[taken[toIndex(edge.to)]]);
            if (isAllowed) best = std::min(best, seconds);
            std::size_t v = 0;
            for (; v < layers && ++taken[v] == ways.size(); ++v) taken[v] = 0;
            goesOn = v < layers;
        }
        const Plan plan = solved(at, fleet, options).plans.front();
        EXPECT_TRUE(plan.optimal);
        EXPECT_NEAR(plan.stepTime.value, costs.step(best), 1e-9 * plan.stepTime.value) << batch;
    }
}

TEST(Physical, ASlowerNetworkOfAFleetSlowsTheSumsOfATransformersGradients) {
    Options options;
    options.batch = 64;
    options.strategies = {"dp"};
    options.transformer = physical::TrainingRun{
        .model = "zoo:gpt",
        .dims = {{"layers", "12"}, {"hidden", "768"}, {"heads", "12"}, {"sequence", "1024"}, {"vocabulary", "50257"}}};
    const PhysicalCase at = physicalCase("gpt2", options.batch);
    hardware::Fleet fleet = nodesOf("h100", 32);
    const double fast = planNamed(solved(at, fleet, options), "dp").stepTime.value;
    fleet.groups[0].levels[1].bandwidth = BytesPerSecond{1e9};
    EXPECT_GT(planNamed(solved(at, fleet, options), "dp").stepTime.value, 1.5 * fast);
}

TEST(Physical, TimesAddUp) {
    Options options;
    options.batch = 64;
    options.strategies = strategiesFor(Costs::physical);
    const PhysicalCase at = physicalCase("bert-base", options.batch);
    const Result result = solved(at, nodesOf("h100", 32), options);
    for (const Plan& plan : result.plans) {
        const AcceleratorShare& share = plan.shares.front();
        double compute = 0, moved = 0;
        for (const Seconds& each : share.layerCompute) compute += each.value;
        for (const LevelPlan& level : plan.levels) {
            std::int64_t parts = 1;
            for (const LayerPlan& layer : level.layers) {
                moved += layer.intra.value + layer.inter.value;
                parts = layer.degrees.parts();
                EXPECT_EQ(parts, level.parts);
            }
            for (const JoinPlan& join : level.joins) moved += join.inter.value;
        }
        EXPECT_NEAR(compute, share.compute.value, 1e-9 * compute) << plan.strategy;
        EXPECT_NEAR(moved, share.communication.value, 1e-9 * (compute + moved)) << plan.strategy;
        EXPECT_NEAR(plan.stepTime.value, compute + moved, 1e-9 * plan.stepTime.value) << plan.strategy;
    }
}

TEST(Physical, CutsLayersWhereTheWholeModelDoesNotFit) {
    Options options;
    options.batch = 8;
    options.strategies = strategiesFor(Costs::physical);
    const PhysicalCase at = physicalCase("llama2-7b", options.batch);
    const Result result = solved(at, nodesOf("h100", 8), options);
    EXPECT_FALSE(planNamed(result, "dp").fits);
    const Plan& joint = planNamed(result, "joint");
    EXPECT_TRUE(joint.fits);
    EXPECT_LE(joint.gap, 0.02);
    const PlanRows<LayerPlan>& layers = joint.levels.front().layers;
    EXPECT_TRUE(
        std::any_of(layers.begin(), layers.end(), [](const LayerPlan& layer) { return layer.type != Type::I; }));
}

TEST(Physical, PinnedLayersStay) {
    Options options;
    options.batch = 64;
    options.strategies = {"joint", "accpar"};
    const PhysicalCase at = physicalCase("alexnet", options.batch);
    const std::string name = at.layers.layers[2].name;
    options.pinnedTypes[name] = Type::III;
    for (const Plan& plan : solved(at, nodesOf("a100", 8), options).plans)
        EXPECT_EQ(plan.levels.front().layers[2].degrees, (Degrees{1, 1, 8})) << plan.strategy;
}

TEST(Physical, RefusesWhatBelongsToThePaper) {
    const PhysicalCase at = physicalCase("alexnet", 64);
    const hardware::Fleet fleet = nodesOf("a100", 8);
    Options options;
    options.levels = 1;
    EXPECT_THROW(solved(at, fleet, options), UsageError);
    options = {};
    options.strategies = {"accpar-paper"};
    EXPECT_THROW(solved(at, fleet, options), UsageError);
    options = {};
    options.strategies = {"joint"};
    EXPECT_THROW(solve(at.layers, fleet, options), UsageError);
    hardware::Fleet flat = fleet;
    flat.groups.front().levels.clear();
    options = {};
    EXPECT_THROW(solved(at, flat, options), UsageError);
    EXPECT_EQ(costsFor(options, flat), Costs::paper);
    EXPECT_EQ(costsFor(options, fleet), Costs::physical);
    hardware::Fleet both = fleet;
    both.groups.push_back(fleet.groups.front());
    EXPECT_EQ(costsFor(options, both), Costs::physical);
    both.groups.push_back(flat.groups.front());
    EXPECT_EQ(costsFor(options, both), Costs::paper) << "one group does not say its levels";
}

}  // namespace
}  // namespace tessera::partition

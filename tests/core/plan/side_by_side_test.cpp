// Whole networks side by side on several groups of accelerators: what the search finds is the best of all ways to share
// the micro-batches, and two halves of a fleet are worth the fleet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/codesign/placement/placement.h"
#include "core/model/model.h"
#include "core/plan/layered.h"
#include "core/plan/network_layers.h"
#include "core/plan/rules.h"
#include "core/plan/search.h"
#include "tests/core/plan/problems.h"
#include "tests/core/plan/random_problem.h"
#include "tests/support/work.h"

namespace tessera::plan {
namespace {

/// A network on a group: seconds of a micro-batch, of what ends a step alone and with other groups, and bytes.
struct ToyGroup {
    int count = 1;
    double each = 1, alone = 0, shared = 0, bytes = 0;
    double price = 1;  ///< USD of an hour
};

constexpr double kMemory = 100;

codesign::PlacementProblem toyProblem(const ToyGroup& group, const Configuration& like, int replicas, double once,
                                      double globalBatch) {
    codesign::LayerCosts layer;
    layer.forward = Seconds{like.micro * group.each / 3};
    layer.backward = Seconds{like.micro * group.each * 2 / 3};
    layer.activations = Bytes{like.micro * group.bytes};
    layer.update = Seconds{once};
    codesign::PlacementProblem made;
    made.byDegree = {{.degree = 1, .layers = {layer}, .edges = {}}};
    made.accelerators = group.count;
    made.microBatches = static_cast<std::int64_t>(globalBatch) / like.micro;
    made.memory = Bytes{kMemory};
    made.bandwidth = BytesPerSecond{1e9};
    made.steady = codesign::SteadyPipeline{.replicas = replicas, .filling = {Seconds{}}};
    return made;
}

Problem toyFleet(const std::vector<ToyGroup>& groups, double globalBatch) {
    Problem problem;
    problem.globalBatch = globalBatch;
    problem.dtypes = {"toy"};
    problem.between.assign(groups.size(), std::vector<double>(groups.size(), 1));
    for (const ToyGroup& group : groups) {
        LayeredModel layers;
        layers.names = {"all"};
        layers.graph.layers = 1;
        layers.problem = [group, globalBatch](const Configuration& like) {
            return toyProblem(group, like, like.data, group.alone, globalBatch);
        };
        layers.shared = [group, globalBatch](const Configuration& like, const GroupShare& share) {
            return toyProblem(group, like, share.replicas, group.shared, globalBatch);
        };
        problem.groups.push_back({.name = "toy", .accelerator = "toy", .count = group.count});
        problem.groups.back().pricePerHour = group.price;
        problem.layersByGroup.push_back(std::make_shared<const LayeredModel>(std::move(layers)));
    }
    return problem;
}

/// The least seconds of a step: every set of groups, every number of replicas on each, every share of the
/// micro-batches.
double leastSeconds(const std::vector<ToyGroup>& groups, int globalBatch) {
    double least = std::numeric_limits<double>::infinity();
    for (int micro = 1; micro <= globalBatch; ++micro) {
        if (globalBatch % micro != 0) continue;
        const int all = globalBatch / micro;
        for (const ToyGroup& group : groups)
            for (int data = 1; data <= std::min(group.count, all); ++data)
                if (all % data == 0 && micro * group.bytes <= kMemory)
                    least = std::min(least, all / data * micro * group.each + group.alone);
        // By group: whether it is in use, its replicas, and the micro-batches of each; what is left of `all`.
        const std::function<void(std::size_t, int, int, double, double)> share = [&](std::size_t at, int left, int used,
                                                                                     double passes, double once) {
            if (at == groups.size()) {
                if (left <= 0 && used > 1) least = std::min(least, passes + once);
                return;
            }
            share(at + 1, left, used, passes, once);
            const ToyGroup& group = groups[at];
            if (micro * group.bytes > kMemory) return;
            for (int replicas = 1; replicas <= group.count; ++replicas)
                for (int each = 1; each <= all; ++each)
                    share(at + 1, left - replicas * each, used + 1, std::max(passes, each * micro * group.each),
                          std::max(once, group.shared));
        };
        share(0, all, 0, 0, 0);
    }
    return least;
}

TEST(NetworksSideBySide, areSharedAsWellAsCanBe) {
    PlanRandom random(11);
    int shared = 0, uneven = 0, none = 0;
    for (int i = 0; i < test::randomCases(2000); ++i) {
        std::vector<ToyGroup> groups(static_cast<std::size_t>(random.within(2, 3)));
        for (ToyGroup& group : groups)
            group = {.count = random.within(1, 4),
                     .each = random.between(0.5, 2),
                     .alone = random.between(0, 0.5),
                     .shared = random.between(0, 1),
                     .bytes = random.between(1, 150)};
        const int batch = random.within(1, 12);
        const Problem problem = toyFleet(groups, batch);
        const Found found = search(problem, {}, {.longestStep = {}, .top = 1}, {.threads = 1});
        EXPECT_EQ(found.ended, EndedBy::proof);
        const double least = leastSeconds(groups, batch);
        if (found.top.empty()) {
            ASSERT_EQ(least, std::numeric_limits<double>::infinity()) << "case " << i;
            ASSERT_TRUE(found.closest);
            ++none;
            continue;
        }
        const Ranked& best = found.top.front();
        ASSERT_NEAR(best.scores.of(Objective::time), least, 1e-9 * least) << "case " << i;
        // What is kept is judged the same again, and is whole.
        const Evaluated again = evaluate(problem, best.configuration);
        ASSERT_NEAR(again.scores.of(Objective::time), least, 1e-9 * least) << "case " << i;
        ASSERT_NEAR(again.time.compute + again.time.data, least, 1e-9 * least);
        ASSERT_LE(again.scores.of(Objective::memory), kMemory);
        int microBatches = 0, accelerators = 0;
        for (const Part& part : best.configuration.parts) {
            microBatches += part.replicas * part.microBatches;
            accelerators += part.replicas;
        }
        ASSERT_GE(microBatches * best.configuration.micro, batch);
        ASSERT_EQ(best.scores.of(Objective::accelerators), accelerators);
        ASSERT_NEAR(best.scores.of(Objective::price), accelerators * least / 3600, 1e-9);
        shared += best.configuration.isSideBySide();
        uneven += best.configuration.isSideBySide() &&
                  best.configuration.parts[0].microBatches != best.configuration.parts[1].microBatches;
    }
    EXPECT_GT(shared, test::randomCases(2000) / 3);
    EXPECT_GT(uneven, test::randomCases(2000) / 50);
    EXPECT_GT(none, 0);
}

Problem resnetOn(const hardware::Fleet& fleet, const std::string& dtype = "bf16") {
    model::LoadOptions load;
    load.batch = 2;
    const model::Model loaded = model::loadModel("zoo:resnet50", load);
    std::vector<LayersOnGroup> layers;
    for (const hardware::Group& group : fleet.groups)
        layers.push_back({networkLayers(*loaded.graph(), group,
                                        {.model = "zoo:resnet50",
                                         .globalBatch = 2048,
                                         .dtype = dtype,
                                         .software = "fused",
                                         .accelerators = group.count}),
                          "fused"});
    return problemOf(fleet, std::move(layers), 2048, dtype);
}

double bestSeconds(const Problem& problem) {
    return search(problem, {}, {.longestStep = {}, .top = 1}, {.threads = 1}).top.front().scores.of(Objective::time);
}

TEST(NetworksSideBySide, OnHalvesOfAFleetAreWorthTheFleet) {
    const hardware::Fleet whole = planFleet({planGroup("a100", 16)});
    const double rate = whole.groups.front().levels.back().bandwidth->value;
    const auto halves = [](double between) {
        return bestSeconds(resnetOn(planFleet({planGroup("a100", 8), planGroup("a100", 8)}, between)));
    };
    EXPECT_NEAR(halves(rate) / bestSeconds(resnetOn(whole)), 1, 0.01);
    EXPECT_LT(halves(rate), 0.6 * bestSeconds(resnetOn(planFleet({planGroup("a100", 8)}))));
    // What joins them costs where it is slow.
    EXPECT_GT(halves(rate / 100), 1.1 * halves(rate));
}

TEST(NetworksSideBySide, AreRefusedInASentence) {
    const Problem problem = toyFleet({{.count = 2}, {.count = 2}}, 8);
    const auto refusal = [&](Configuration at) {
        try {
            evaluate(problem, at);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refusal({.data = 4, .parts = {{0, 1, 2, 2}, {1, 1, 2, 2}}}), "accepted");
    EXPECT_THAT(refusal({.data = 5, .parts = {{0, 1, 3, 2}, {1, 1, 2, 2}}}),
                testing::HasSubstr("on several groups of accelerators as whole models alone"));
    EXPECT_THAT(refusal({.pipeline = 1, .data = 16, .parts = {{0, 1, 8, 1}, {1, 1, 8, 1}}}),
                testing::HasSubstr("do not divide the global batch"));
}

}  // namespace
}  // namespace tessera::plan

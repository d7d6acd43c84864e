// Layers with costs of their own are one value: plan's search divides them among stages and replicas with nothing but
// that.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/layered.h"
#include "core/plan/search.h"

namespace tessera::plan {
namespace {

/// A chain of layers, of whose passes each takes as many seconds; an accelerator holds any of them.
LayeredModel toyLayers(const std::vector<double>& seconds) {
    LayeredModel toy;
    toy.graph.layers = seconds.size();
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        toy.names.push_back("toy" + std::to_string(i));
        if (i > 0) toy.graph.edges.push_back({i - 1, i});
    }
    toy.micros = {1};
    toy.ofReplicas = false;
    toy.problem = [seconds](const Configuration& like) {
        codesign::DegreeCosts costs{.degree = like.tensor, .layers = {}, .edges = {}};
        for (const double each : seconds) {
            codesign::LayerCosts layer;
            layer.forward = Seconds{each};
            layer.backward = Seconds{2 * each};
            layer.weights = Bytes{1};
            costs.layers.push_back(layer);
        }
        costs.edges.resize(seconds.size() - 1);
        return codesign::PlacementProblem{.byDegree = {costs},
                                          .accelerators = 2,
                                          .microBatches = 4,
                                          .memory = Bytes{1e9},
                                          .bandwidth = BytesPerSecond{1e9}};
    };
    return toy;
}

TEST(ToyLayers, areDividedByTheSearchOfPlan) {
    Space space;
    space.axes[static_cast<std::size_t>(Axis::pipeline)].values = {2};
    const Problem problem = problemOf(toyLayers({1, 2, 3, 6}), 2, 4);
    const Found found = search(problem, space, {.longestStep = {}, .top = 1}, {});
    ASSERT_EQ(found.top.size(), 1U);
    EXPECT_EQ(found.ended, EndedBy::proof);
    const Evaluated best = evaluate(problem, found.top.front().configuration);
    ASSERT_EQ(best.stages.size(), 2U);
    EXPECT_EQ(best.stages.front().numbers, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(best.stages.back().numbers, (std::vector<std::size_t>{3}));
    // Stages of 18 seconds each, four micro-batches, and the first one's way through the other stage.
    EXPECT_NEAR(best.scores.of(Objective::time), (4 + 1) * 18.0, 1e-6);
}

}  // namespace
}  // namespace tessera::plan

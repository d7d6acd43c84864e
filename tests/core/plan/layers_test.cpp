// The layers of a model with costs of their own: they add up to what the physical model says of the whole, and what a
// placement makes of them is what a plan makes of equal layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/physical/network_model.h"
#include "core/plan/group_model.h"
#include "core/plan/judge.h"
#include "core/plan/network_layers.h"
#include "core/plan/rules.h"
#include "core/plan/transformer_layers.h"
#include "tests/core/plan/problems.h"

namespace tessera::plan {
namespace {

using codesign::PlacementProblem;
using physical::Recompute;

double sumOf(const PlacementProblem& problem, Seconds codesign::LayerCosts::*time) {
    double sum = 0;
    for (const codesign::LayerCosts& layer : problem.byDegree.front().layers) sum += (layer.*time).value;
    return sum;
}

/// A configuration of one group, with all of its micro-batches.
Configuration configurationOf(const Problem& problem, Configuration at) {
    at.parts = {{0, at.pipeline, at.data, allMicroBatches(problem, at) / at.data}};
    return at;
}

TEST(TransformerLayers, addUpToTheWholeModel) {
    for (const physical::TrainingRun& run : planModels()) {
        const auto problem =
            std::make_shared<Problem>(problemOf(planFleet({planGroup("h100", 16)}), run, 32, {"bf16"}));
        setMemory(problem->groups.front(), 1e15);
        const LayeredModel layered = transformerLayers(problem, 0, 16);
        ASSERT_EQ(layered.graph.layers, static_cast<std::size_t>(problem->layers()));
        for (const Recompute recompute : layered.recomputes) {
            const Configuration at = configurationOf(
                *problem, {.tensor = 4, .data = 4, .micro = 2, .recompute = onAllStages(recompute), .zero = 1});
            const PlacementProblem made = layered.problem(at);
            GroupModel model(problem->groups.front(), at, problem->groups.front().networkRate);
            const physical::StepLayout layout = layoutOf(at, at.parts.front());
            const int layers = problem->layers();
            // Where some layers have experts, waiting for kernels' launches does not add up by sorts.
            const double within = problem->model().denseLayers > 0 ? 0.02 : 1e-12;
            const physical::LayerTimes& times = model.times(layout);
            EXPECT_NEAR(sumOf(made, &codesign::LayerCosts::forward) / (layers * times.forward + times.headForward), 1,
                        within);
            EXPECT_NEAR(sumOf(made, &codesign::LayerCosts::backward) / (layers * times.backward + times.headBackward),
                        1, within);
            EXPECT_NEAR(sumOf(made, &codesign::LayerCosts::update) / model.once(layout, layers).both(), 1, 1e-9);
            std::vector<std::size_t> all(layered.graph.layers);
            std::iota(all.begin(), all.end(), 0U);
            codesign::PlacedStage whole;
            whole.layers = all;
            const codesign::Plan plan = codesign::evaluate(
                layered.graph, made, {.timePerBatch = {}, .tensorParallel = 4, .data = 4, .stages = {whole}});
            const codesign::StageMemory& memory = plan.stages.front().memory;
            const physical::StepMemory known = model.memoryOf(layout, 0, layers);
            EXPECT_NEAR((memory.weights + memory.optimizer).value / known.parameters, 1, 1e-9);
            EXPECT_NEAR(memory.total().value / (known.total() + model.variant().allowance), 1, 1e-9);
            EXPECT_NEAR(plan.timePerBatch.value / Judge(*problem, at).judge(at).scores.of(Objective::time), 1, within)
                << run.model;
        }
    }
}

TEST(TransformerLayers, ArePlacedAsAPlanDividesThem) {
    PlanRandom random(5);
    int compared = 0, full = 0, pipelines = 0;
    for (const char* const accelerator : {"a100", "h100", "v100", "gaudi2"})
        for (const physical::TrainingRun& run : planModels()) {
            const auto problem =
                std::make_shared<const Problem>(problemOf(planFleet({planGroup(accelerator, 64)}), run, 96, {"bf16"}));
            const LayeredModel layered = transformerLayers(problem, 0, 64);
            const codesign::Placer placer(layered.graph);
            for (int i = 0; i < 12; ++i) {
                Configuration at{.tensor = random.oneOf(layered.tensors),
                                 .pipeline = random.within(1, 9),
                                 .data = random.oneOf(std::vector{1, 2, 3, 4, 8}),
                                 .micro = random.oneOf(std::vector{1, 2, 4}),
                                 .recompute = onAllStages(random.oneOf(layered.recomputes)),
                                 .zero = random.below(2)};
                if (at.data == 1) at.zero = 0;
                at = configurationOf(*problem, at);
                if (faultOf(*problem, at) != Fault::none) continue;
                const Judgement judged = Judge(*problem, at).judge(at);
                const codesign::Placement placed = placer.place(
                    layered.problem(at), {.degrees = codesign::Degrees{
                                              .pipeline = at.pipeline, .tensorParallel = at.tensor, .data = at.data}});
                // Layers with experts beside others without have memory of their own.
                if (problem->model().denseLayers == 0) {
                    EXPECT_EQ(placed.plan.has_value(), judged.fits) << run.model << " " << shortText(at);
                }
                full += judged.fits ? 0 : 1;
                if (!placed.plan || !judged.fits) continue;
                ++compared;
                pipelines += at.pipeline > 1 ? 1 : 0;
                const double apart = std::fabs(placed.plan->timePerBatch.value / judged.scores.of(Objective::time) - 1);
                EXPECT_LT(apart, 0.02) << accelerator << " " << run.model << " " << shortText(at);
            }
        }
    EXPECT_GT(compared, 60);
    EXPECT_GT(pipelines, 40);
    EXPECT_GT(full, 60);
}

TEST(TransformerLayers, WithAndWithoutExpertsHaveCostsOfTheirOwn) {
    physical::TrainingRun run = planModels().back();
    run.dims["dense_layers"] = "3";
    const auto problem =
        std::make_shared<const Problem>(problemOf(planFleet({planGroup("h100", 64)}), run, 64, {"bf16"}));
    const LayeredModel layered = transformerLayers(problem, 0, 64);
    const Configuration at = configurationOf(*problem, {.tensor = 2, .pipeline = 4, .data = 4});
    const PlacementProblem made = layered.problem(at);
    const std::vector<codesign::LayerCosts>& layers = made.byDegree.front().layers;
    EXPECT_EQ(layers[1], layers[2]);
    EXPECT_EQ(layers[3], layers[10]);
    EXPECT_GT(layers[3].weights, 5 * layers[2].weights) << "128 experts against one feed-forward network";
}

struct NetworkCase {
    std::string name, accelerator, dtype, software;
};

TEST(NetworkLayers, addUpToTheWholeNetwork) {
    for (const NetworkCase& each :
         {NetworkCase{"zoo:resnet50", "a100", "bf16", "fused"}, NetworkCase{"zoo:vgg16", "v100", "fp16", "eager"},
          NetworkCase{"zoo:mobilenet-v2", "tpu-v3", "bf16", "tuned"},
          NetworkCase{"zoo:unet", "h100", "fp32", "fused"}}) {
        model::LoadOptions load;
        load.batch = 2;
        const model::Model loaded = model::loadModel(each.name, load);
        const LayeredModel layered = networkLayers(
            *loaded.graph(), planGroup(each.accelerator, 8),
            {.model = each.name, .globalBatch = 64, .dtype = each.dtype, .software = each.software, .accelerators = 8});
        EXPECT_GT(layered.graph.layers, 5U) << each.name;
        EXPECT_EQ(layered.names.size(), layered.graph.layers);
        const PlacementProblem made = layered.problem({.data = 2, .micro = 8});
        EXPECT_EQ(made.microBatches, 8);
        physical::TrainingRun run{.model = each.name};
        run.accelerators = run.perNode = 2;
        run.dataParallel = 2;
        run.microBatch = 8;
        run.dtype = each.dtype;
        run.software = each.software;
        run.optimizer = "adam";
        const physical::NetworkCost cost =
            physical::networkCost(run, physical::deviceOf(bundledAccelerator(each.accelerator)));
        const physical::NetworkParameters& parameters = physical::networkFit(-1).parameters;
        const physical::NetworkStep step = physical::networkStep(cost, parameters);
        const double passes =
            sumOf(made, &codesign::LayerCosts::forward) + sumOf(made, &codesign::LayerCosts::backward);
        EXPECT_NEAR(passes / step.computing, 1, 1e-9) << each.name;
        // The collective is one over the levels of the group instead of one of a node.
        const double once = sumOf(made, &codesign::LayerCosts::update);
        EXPECT_NEAR(once / (step.update + parameters.exposed * cost.reduction), 1, 0.3) << each.name;
        EXPECT_GT(once, step.update);
        // Computed again in full: no less time, no more memory.
        const PlacementProblem again = layered.problem({.data = 2, .micro = 8, .recompute = Recomputation::full});
        EXPECT_NEAR(sumOf(again, &codesign::LayerCosts::backward), passes, passes * 1e-9);
        const auto keptOf = [](const PlacementProblem& problem) {
            double kept = 0;
            for (const codesign::LayerCosts& layer : problem.byDegree.front().layers) kept += layer.activations.value;
            return kept;
        };
        EXPECT_LT(keptOf(again), keptOf(made));
        EXPECT_GT(again.beside.value, 0);
        // Twice the samples keep twice as much, and hand on twice as much.
        const PlacementProblem twice = layered.problem({.data = 2, .micro = 16});
        EXPECT_NEAR(keptOf(twice), 2 * keptOf(made), 1e-9 * keptOf(twice));
        EXPECT_NEAR(twice.byDegree.front().edges.front().value, 2 * made.byDegree.front().edges.front().value, 1);
    }
}

TEST(NetworkLayers, AreRefusedInASentenceWhereANumberLacks) {
    model::LoadOptions load;
    const model::Model loaded = model::loadModel("zoo:lenet5", load);
    try {
        networkLayers(*loaded.graph(), planGroup("a100", 8),
                      {.model = "zoo:lenet5", .dtype = "fp7", .software = "fused"});
        ADD_FAILURE() << "accepted";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("has no peak for 'fp7'"));
    }
    hardware::Group apart = planGroup("a100", 16);
    apart.levels.back().bandwidth.reset();
    const LayeredModel layered = networkLayers(
        *loaded.graph(), apart,
        {.model = "zoo:lenet5", .globalBatch = 64, .dtype = "bf16", .software = "fused", .accelerators = 16});
    EXPECT_EQ(layered.problem({.data = 1}).accelerators, 16);
    EXPECT_THROW(layered.problem({.data = 16}), UsageError);
}

}  // namespace
}  // namespace tessera::plan

// PHAZE's cases by the search for a plan with the paper's assumptions: its best configuration is the best placement.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/codesign/placement/placement.h"
#include "core/codesign/search/model_search.h"
#include "core/hardware/library.h"
#include "core/plan/layered.h"
#include "core/plan/network_layers.h"
#include "core/plan/search.h"
#include "core/plan/transformer_layers.h"
#include "tests/core/codesign/placement_cases.h"
#include "tests/core/plan/problems.h"
#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

using codesign::Placement;
using codesign::PlacementProblem;
using codesign::Plan;
using physical::Recompute;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The best of a problem's whole space; none where nothing fits.
std::optional<Evaluated> bestOf(const Problem& problem) {
    SearchOptions options;
    options.top = 1;
    const Found found = search(problem, {}, options, {});
    EXPECT_EQ(found.ended, EndedBy::proof);
    if (found.top.empty()) return std::nullopt;
    Evaluated best = evaluate(problem, found.top.front().configuration);
    EXPECT_NEAR(best.scores.of(Objective::time) / found.top.front().scores.of(Objective::time), 1, 1e-12);
    return best;
}

/// The stages of an evaluated configuration and of a placement, by the numbers of their layers.
std::vector<std::vector<std::size_t>> stagesOf(const Evaluated& evaluated) {
    std::vector<std::vector<std::size_t>> stages;
    for (const EvaluatedStage& stage : evaluated.stages) stages.push_back(stage.numbers);
    return stages;
}
std::vector<std::vector<std::size_t>> stagesOf(const Plan& plan) {
    std::vector<std::vector<std::size_t>> stages;
    for (const codesign::PlacedStage& stage : plan.stages) stages.push_back(stage.layers);
    return stages;
}

void expectSame(const Evaluated& planned, const Plan& placed, const std::string& name) {
    EXPECT_NEAR(planned.scores.of(Objective::time) / placed.timePerBatch.value, 1, 1e-12) << name;
    EXPECT_EQ(planned.configuration.tensor, placed.tensorParallel) << name;
    EXPECT_EQ(planned.configuration.data, placed.data) << name;
    EXPECT_EQ(stagesOf(planned), stagesOf(placed)) << name;
    ASSERT_EQ(planned.stages.size(), placed.stages.size()) << name;
    for (std::size_t s = 0; s < placed.stages.size(); ++s) {
        const codesign::PlacedStage& stage = placed.stages[s];
        EXPECT_NEAR(planned.stages[s].forward + planned.stages[s].backward, stage.load.value, 1e-12 * stage.load.value);
        EXPECT_NEAR(planned.stages[s].memory.total(), stage.memory.total().value, 1e-9 * stage.memory.total().value);
    }
}

/// The published cases and those that are bundled.
std::vector<codesign::cases::OracleCase> allCases() {
    std::vector<codesign::cases::OracleCase> cases = codesign::cases::oracleCases();
    for (const char* const name : {"bert-large", "megatron-8.3b"}) {
        codesign::cases::OracleCase bundled{
            .name = name,
            .file = codesign::readPlacementFile(JsonDocument::load(codesign::placementPath(name))),
            .seconds = {},
            .plan = {}};
        bundled.file.problem.optimizerState =
            codesign::optimizerState(bundled.file.optimizer, codesign::OptimizerMemory::reference).value();
        cases.push_back(std::move(bundled));
    }
    return cases;
}

TEST(PlanOfPhaze, isThePlacementOfEveryCase) {
    std::size_t feasible = 0, infeasible = 0, pipelines = 0, uneven = 0;
    for (const codesign::cases::OracleCase& known : allCases()) {
        const PlacementProblem& given = known.file.problem;
        const Problem problem = problemOf(layersOfFile(known.file, given.optimizerState), given.accelerators,
                                          static_cast<double>(given.microBatches));
        const Placement placement = codesign::Placer(known.file.graph).place(given);
        const std::optional<Evaluated> best = bestOf(problem);
        ASSERT_EQ(best.has_value(), placement.plan.has_value()) << known.name;
        if (!best) {
            ++infeasible;
            continue;
        }
        ++feasible;
        pipelines += best->stages.size() > 1 ? 1 : 0;
        uneven += given.microBatches % best->configuration.data != 0 ? 1 : 0;
        expectSame(*best, *placement.plan, known.name);
        if (known.seconds) {
            EXPECT_NEAR(best->scores.of(Objective::time) / *known.seconds, 1, 1e-9) << known.name;
        }
    }
    EXPECT_EQ(feasible, 52U);
    EXPECT_EQ(infeasible, 20U);
    EXPECT_GT(pipelines, 20U);
    EXPECT_GT(uneven, 5U) << "replicas need not divide the micro-batches";
}

TEST(PlanOfPhaze, choosesRecomputationAsTheBetterOfTwoPlacements) {
    std::size_t compared = 0, recomputed = 0;
    for (const codesign::cases::OracleCase& known : allCases()) {
        const PlacementProblem& given = known.file.problem;
        LayeredModel layers = layersOfFile(known.file, given.optimizerState);
        layers.recomputes = {Recompute::none, Recompute::full};
        const codesign::Placer placer(known.file.graph);
        std::optional<Plan> better;
        bool isRecomputed = false;
        for (const bool recompute : {false, true}) {
            PlacementProblem problem = given;
            problem.recompute = recompute;
            Placement placement = placer.place(problem);
            if (!placement.plan || (better && placement.plan->timePerBatch >= better->timePerBatch)) continue;
            better = std::move(placement.plan);
            isRecomputed = recompute;
        }
        const std::optional<Evaluated> best =
            bestOf(problemOf(std::move(layers), given.accelerators, static_cast<double>(given.microBatches)));
        ASSERT_EQ(best.has_value(), better.has_value()) << known.name;
        if (!best) continue;
        ++compared;
        recomputed += isRecomputed ? 1 : 0;
        EXPECT_NEAR(best->scores.of(Objective::time) / better->timePerBatch.value, 1, 1e-12) << known.name;
        if (best->stages.size() > 1) {
            EXPECT_EQ(best->configuration.recompute == Recomputation::full, isRecomputed) << known.name;
        }
    }
    EXPECT_GT(compared, 52U);
    EXPECT_GT(recomputed, 5U);
}

TEST(PlanOfPhaze, saysWhatLacksWhereNothingFits) {
    std::size_t compared = 0;
    for (const codesign::cases::OracleCase& known : allCases()) {
        const PlacementProblem& given = known.file.problem;
        const codesign::Placer placer(known.file.graph);
        const Placement placement = placer.place(given, {.explain = true});
        if (placement.plan) continue;
        SearchOptions options;
        const Found found = search(problemOf(layersOfFile(known.file, given.optimizerState), given.accelerators,
                                             static_cast<double>(given.microBatches)),
                                   {}, options, {});
        ASSERT_EQ(found.closest.has_value(), placement.shortage->memory.has_value()) << known.name;
        if (!found.closest) continue;
        ++compared;
        EXPECT_NEAR(found.closest->second.total() / placement.shortage->memory->value, 1, 1e-12) << known.name;
        EXPECT_EQ(found.counted.fitting, 0);
        EXPECT_EQ(found.counted.all, found.counted.parameters + found.counted.activations + found.counted.working);
    }
    EXPECT_GT(compared, 10U);
}

/// The models of the paper's table 2 on its reference accelerator: with their widths, micro-batches and recomputation.
TEST(PlanOfPhaze, isTheBestOfCoDesignOnItsReference) {
    codesign::Options options;
    const hardware::Template space = hardware::loadTemplate("phaze");
    const hardware::Architecture reference = hardware::architectureOf(space, *space.reference);
    const Bytes hbm{static_cast<double>(space.hbm.values.front())};
    std::set<int> tensors;
    std::set<Recomputation> recomputes;
    std::size_t compared = 0;
    std::vector<std::string> names{"zoo:opt-350m", "zoo:bert-large", "zoo:gpt2-xl", "zoo:llama2-7b"};
    for (const char* const large :
         {"zoo:megatron-bert", "zoo:megatron-gpt-2.5b", "zoo:megatron-gpt-8.3b", "zoo:gpt3-175b"})
        if (!test::kSanitized) names.emplace_back(large);
    for (const std::string& name : names) {
        codesign::WorkloadOptions load;
        const codesign::Workload workload = codesign::loadWorkload(name, load);
        codesign::Memos memos;
        const codesign::ModelSearch model(workload, space, options, memos, {});
        const codesign::ModelValue value = model.evaluate(reference, hbm, 0, 0, {});
        LayeredModel layers;
        layers.names = workload.layers;
        layers.graph = workload.graph;
        layers.tensors.clear();
        layers.recomputes = {Recompute::none, Recompute::full};
        layers.ofReplicas = false;
        for (const codesign::Slice& slice : workload.slices) {
            const auto add = [](std::vector<int>& to, std::int64_t number) {
                if (std::find(to.begin(), to.end(), number) == to.end()) to.push_back(static_cast<int>(number));
            };
            add(layers.tensors, slice.degree);
            add(layers.micros, slice.microBatch);
        }
        layers.problem = [&](const Configuration& like) {
            return model.problem(reference, hbm, {like.micro, like.recompute == Recomputation::full}, like.tensor, 0,
                                 {});
        };
        const std::optional<Evaluated> best =
            bestOf(problemOf(std::move(layers), options.accelerators, static_cast<double>(options.globalBatch)));
        ASSERT_EQ(best.has_value(), value.plan.has_value()) << name;
        if (!best) continue;
        EXPECT_NEAR(best->tokensPerSecond / value.throughput, 1, 1e-12) << name;
        expectSame(*best, *value.plan, name);
        EXPECT_EQ(best->configuration.micro, value.choice.microBatch) << name;
        EXPECT_EQ(best->configuration.recompute == Recomputation::full && best->stages.size() > 1,
                  value.choice.recompute && best->stages.size() > 1)
            << name;
        ++compared;
        tensors.insert(best->configuration.tensor);
        recomputes.insert(best->configuration.recompute);
    }
    EXPECT_EQ(compared, names.size()) << "all of them fit";
    EXPECT_EQ(recomputes.size(), 2U);
    EXPECT_GT(tensors.size(), test::kSanitized ? 0U : 1U);
}

/// Layers of their own by the physical model, through the same search.
TEST(PlanOfLayers, isThatOfTheTransformerWhereLayersAreItsOwn) {
    int compared = 0;
    for (const physical::TrainingRun& run : planModels()) {
        const auto transformer =
            std::make_shared<const Problem>(problemOf(planFleet({planGroup("h100", 16)}), run, 32, {"bf16"}));
        if (transformer->model().denseLayers > 0) continue;
        Space space;
        narrow(space, "--fix", "cp=1,ep=1,zero=0,schedule=1f1b", *transformer);
        SearchOptions options;
        options.top = 1;
        const Found equal = search(*transformer, space, options, {});
        LayeredModel layers = transformerLayers(transformer, 0, 16);
        layers.zeros = {0};
        const Found own = search(problemOf(std::move(layers), 16, 32), {}, options, {});
        ASSERT_EQ(own.top.empty(), equal.top.empty()) << run.model;
        if (own.top.empty()) continue;
        ++compared;
        EXPECT_NEAR(own.top.front().scores.of(Objective::time) / equal.top.front().scores.of(Objective::time), 1, 0.01)
            << run.model << " " << shortText(own.top.front().configuration) << " for "
            << shortText(equal.top.front().configuration);
    }
    EXPECT_GT(compared, 5);
}

TEST(PlanOfLayers, isTheBestPlacementOfANetwork) {
    const model::Model loaded = model::loadModel("zoo:resnet18", {.batch = 2, .dimensions = {}});
    const LayeredModel layers = networkLayers(
        *loaded.graph(), planGroup("a100", 8),
        {.model = "zoo:resnet18", .globalBatch = 64, .dtype = "bf16", .software = "fused", .accelerators = 8});
    const codesign::Placer placer(layers.graph);
    double best = kInfinite;
    for (const int micro : {1, 2, 4, 8, 16, 32, 64})
        for (const Recompute recompute : layers.recomputes)
            for (int data = 1; data <= std::min(8, 64 / micro); data *= 2)
                if (const Placement placement = placer.place(layers.problem(
                        {.pipeline = 2, .data = data, .micro = micro, .recompute = onAllStages(recompute)}));
                    placement.plan)
                    best = std::min(best, placement.plan->timePerBatch.value);
    const std::optional<Evaluated> planned = bestOf(problemOf(layers, 8, 64));
    ASSERT_TRUE(planned);
    EXPECT_NEAR(planned->scores.of(Objective::time) / best, 1, 1e-12);
    EXPECT_GT(planned->high, planned->low) << "measured runs say how far it may be off";
    EXPECT_NEAR(planned->time.compute + planned->time.bubble + planned->time.data, planned->scores.of(Objective::time),
                1e-12);
}

TEST(PlanOfLayers, saysWhatAConfigurationLacks) {
    const codesign::PlacementFile file =
        codesign::readPlacementFile(JsonDocument::load(codesign::placementPath("megatron-8.3b")));
    const Problem problem = problemOf(layersOfFile(file, 0), 1024, 512);
    const auto at = [](Configuration configuration) {
        configuration.parts = {{0, configuration.pipeline, configuration.data, 1}};
        return configuration;
    };
    EXPECT_EQ(faultText(problem, at({.tensor = 8, .pipeline = 8, .data = 16})), "");
    EXPECT_EQ(faultText(problem, at({.tensor = 3})),
              "the layers have no costs at a tensor-parallel degree of 3; expected one of 1, 2, 4, 8");
    EXPECT_EQ(faultText(problem, at({.pipeline = 74})), "74 pipeline stages are more than 73 layers");
    EXPECT_EQ(faultText(problem, at({.context = 2})), "layers with costs of their own are not split along sequences");
    EXPECT_EQ(faultText(problem, at({.zero = 1})), "the layers have no costs with ZeRO 1 and 1 replica");
    EXPECT_NE(faultText(problem, at({.micro = 2})), "");
    EXPECT_NE(faultText(problem, at({.data = 513})), "");
    Configuration waves = at({.pipeline = 2});
    waves.schedule = physical::PipelineSchedule::gpipe;
    EXPECT_EQ(faultText(problem, waves), "layers with costs of their own run 1f1b without virtual stages");
    EXPECT_THROW(evaluate(problem, at({.tensor = 8, .pipeline = 64, .data = 64})), UsageError) << "accelerators";
    EXPECT_THROW(evaluate(problem, at({.tensor = 1, .pipeline = 1, .data = 1})), UsageError) << "memory";
}

}  // namespace
}  // namespace tessera::plan

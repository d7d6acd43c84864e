#include "core/plan/layered_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/physical/device.h"
#include "core/physical/estimate.h"

namespace tessera::plan {

using codesign::PlacedStage;
using codesign::Plan;

namespace {

physical::StepMemory stepMemoryOf(const codesign::StageMemory& memory) {
    return {.parameters = (memory.weights + memory.optimizer).value,
            .activations = (memory.activations + memory.stashed).value,
            .working = memory.beside.value};
}

/// The fullest stage of a plan that fits no memory.
Shortage shortageOf(const Plan& plan, double capacity) {
    Shortage shortage{.capacity = capacity};
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const physical::StepMemory memory = stepMemoryOf(plan.stages[s].memory);
        if (s > 0 && memory.total() <= shortage.memory.total()) continue;
        shortage.stage = static_cast<int>(s);
        shortage.memory = memory;
    }
    return shortage;
}

}  // namespace

LayeredJudge::LayeredJudge(const Problem& problem) : problem_(problem), placer_(problem.layered->graph) {}

codesign::PlanTable& LayeredJudge::tableOf(const Configuration& configuration) {
    const bool ofReplicas = problem_.layered->ofReplicas;
    const Key key{configuration.tensor,
                  configuration.micro,
                  ofReplicas ? configuration.data : 0,
                  ofReplicas ? configuration.zero : 0,
                  configuration.recompute,
                  ofReplicas && configuration.pipeline == 1};
    auto& table = tables_[key];
    if (!table) table = std::make_unique<codesign::PlanTable>(placer_, problem_.layered->problem(configuration));
    return *table;
}

Judgement LayeredJudge::judge(const Configuration& configuration, Wanted wanted) {
    codesign::PlanTable& table = tableOf(configuration);
    Judgement judgement;
    const int stages = configuration.pipeline, replicas = configuration.data;
    const auto fastest = table.fastest(stages, replicas);
    if (!fastest) {
        const std::optional<Plan> leanest = table.leanest(stages, replicas);
        judgement.lacksAccelerators = !leanest;
        if (leanest) judgement.shortage = shortageOf(*leanest, table.problem().memory.value);
        return judgement;
    }
    judgement.fits = true;
    Scores& scores = judgement.scores;
    const auto count = static_cast<double>(fastest->accelerators);
    scores.of(Objective::time) = fastest->time.value;
    scores.of(Objective::accelerators) = count;
    scores.of(Objective::price) = problem_.groups.front().priceOf(count, fastest->time.value);
    if (!wanted.memory && !wanted.layers) return judgement;
    const Plan plan = *table.plan(stages, replicas);
    for (const PlacedStage& stage : plan.stages) {
        double& most = scores.of(Objective::memory);
        most = std::max(most, stage.memory.total().value);
        if (wanted.layers) judgement.layers.push_back(static_cast<int>(stage.layers.size()));
    }
    return judgement;
}

Evaluated LayeredJudge::evaluate(const Configuration& configuration) {
    const Judgement judgement = judge(configuration, {.layers = false, .memory = true});
    if (judgement.lacksAccelerators)
        throw UsageError(fmt::format("{} stages of {} replicas take more than the {} accelerators",
                                     configuration.pipeline, configuration.data,
                                     formatCount(static_cast<double>(problem_.groups.front().count))));
    if (!judgement.fits)
        throw UsageError(fmt::format("stage {} needs {} of an accelerator's {}", judgement.shortage.stage + 1,
                                     formatQuantity(judgement.shortage.total(), Measure::bytes),
                                     formatQuantity(judgement.shortage.capacity, Measure::bytes)));
    codesign::PlanTable& table = tableOf(configuration);
    const codesign::PlacementProblem& placed = table.problem();
    const Plan plan = *table.plan(configuration.pipeline, configuration.data);
    Evaluated evaluated{.configuration = configuration, .scores = judgement.scores};
    const double step = plan.timePerBatch.value;
    const physical::Estimate interval = physical::estimateAround(step, problem_.layered->spread);
    evaluated.low = interval.low;
    evaluated.high = interval.high;
    evaluated.tokensPerSecond = problem_.tokens() / step;
    const PlanGroup& group = problem_.groups.front();
    if (!group.variants.empty())
        evaluated.utilisation =
            modelFlopOf(problem_) / (physical::peakOf(group.variants.front().setting.device, problem_.dtypes.front()) *
                                     judgement.scores.of(Objective::accelerators) * step);
    Seconds all;
    for (const PlacedStage& stage : plan.stages) {
        all += stage.load;
        evaluated.stages.push_back({.layers = static_cast<int>(stage.layers.size()),
                                    .forward = stage.forward.value,
                                    .backward = (stage.load - stage.forward).value,
                                    .memory = stepMemoryOf(stage.memory),
                                    .capacity = placed.memory.value,
                                    .numbers = stage.layers});
    }
    TimeShares& time = evaluated.time;
    const std::int64_t ofBusiest = codesign::microBatchesOfReplica(placed.microBatches, plan.data);
    time.compute = static_cast<double>(ofBusiest) * all.value / static_cast<double>(plan.stages.size());
    time.data = codesign::onceOf(plan, placed.microBatches, placed.steady.has_value()).value;
    time.bubble = step - time.compute - time.data;
    if (const auto& steady = placed.steady; steady && plan.stages.size() > 1) {
        const std::size_t stages = plan.stages.size();
        const double hops = steady->filling.at(std::min(stages, steady->filling.size()) - 1).value;
        const physical::StepLayout layout{.pipeline = configuration.pipeline,
                                          .microBatches = static_cast<double>(ofBusiest)};
        evaluated.transfer = evaluated.wait = hops / physical::hopSeconds1F1B(layout, 1);
        time.pipeline = hops;
        time.data -= hops;
    }
    evaluated.pipeline = step - time.data;
    return evaluated;
}

}  // namespace tessera::plan

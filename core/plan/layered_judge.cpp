#include "core/plan/layered_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/plan/micro_batches.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using codesign::PlacedStage;
using codesign::Plan;

namespace {

physical::StepMemory stepMemoryOf(const codesign::StageMemory& memory) {
    return {.parameters = (memory.weights + memory.optimizer).value,
            .activations = (memory.activations + memory.stashed).value,
            .working = memory.beside.value};
}

/// The fullest stage of a plan that fits no memory of a group.
Shortage shortageOf(const Plan& plan, std::size_t group, double capacity) {
    Shortage shortage{.group = group, .capacity = capacity};
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const physical::StepMemory memory = stepMemoryOf(plan.stages[s].memory);
        if (s > 0 && memory.total() <= shortage.memory.total()) continue;
        shortage.stage = static_cast<int>(s);
        shortage.memory = memory;
    }
    return shortage;
}

EvaluatedStage stageOf(const PlacedStage& stage, std::size_t group, double capacity) {
    return {.group = group,
            .layers = static_cast<int>(stage.layers.size()),
            .forward = stage.forward.value,
            .backward = (stage.load - stage.forward).value,
            .memory = stepMemoryOf(stage.memory),
            .capacity = capacity,
            .numbers = stage.layers};
}

/// Bytes/s of one accelerator of a part to the other groups of its configuration, at worst.
double rateToOthers(const Problem& problem, const Configuration& configuration, const Part& part) {
    double rate = std::numeric_limits<double>::infinity();
    for (const Part& other : configuration.parts)
        if (other.group != part.group) rate = std::min(rate, problem.between[part.group][other.group]);
    return rate;
}

/// What those that have replicas do with their micro-batches.
std::vector<SharingPipelines> sharing(const std::vector<double>& secondsEach, const Configuration& configuration) {
    std::vector<SharingPipelines> pipelines;
    for (std::size_t i = 0; i < secondsEach.size(); ++i)
        pipelines.push_back({.each = secondsEach[i], .replicas = configuration.parts[i].replicas});
    return pipelines;
}

}  // namespace

LayeredJudge::LayeredJudge(const Problem& problem) : problem_(problem), placer_(problem.layered()->graph) {}

codesign::PlanTable& LayeredJudge::tableOf(const Configuration& configuration) {
    const std::size_t group = configuration.parts.front().group;
    const LayeredModel& layered = *problem_.layered(group);
    const bool ofReplicas = layered.ofReplicas;
    const Key key{group,
                  configuration.tensor,
                  configuration.micro,
                  ofReplicas ? configuration.data : 0,
                  ofReplicas ? configuration.zero : 0,
                  configuration.recompute,
                  ofReplicas && configuration.pipeline == 1};
    auto& table = tables_[key];
    if (!table) table = std::make_unique<codesign::PlanTable>(placer_, layered.problem(configuration));
    return *table;
}

LayeredJudge::Whole LayeredJudge::wholeOf(const Configuration& configuration, const Part& part) const {
    codesign::PlacementProblem problem =
        problem_.layered(part.group)
            ->shared(configuration, {.replicas = part.replicas,
                                     .groups = configuration.parts.size(),
                                     .rate = rateToOthers(problem_, configuration, part)});
    problem.microBatches = part.replicas;  // one each: what is left is what a step adds
    Plan plan;
    plan.tensorParallel = configuration.tensor;
    plan.data = part.replicas;
    plan.stages.emplace_back().layers.resize(problem_.layered(part.group)->graph.layers);
    std::iota(plan.stages.front().layers.begin(), plan.stages.front().layers.end(), std::size_t{0});
    Whole whole{.capacity = problem.memory.value};
    whole.plan = codesign::evaluate(placer_.graph(), problem, plan);
    whole.each = whole.plan.stages.front().load.value;
    whole.once = codesign::onceOf(whole.plan, problem.microBatches, problem.steady.has_value()).value;
    return whole;
}

std::vector<LayeredJudge::Whole> LayeredJudge::wholesOf(const Configuration& configuration) const {
    std::vector<Whole> wholes;
    for (const Part& part : configuration.parts) wholes.push_back(wholeOf(configuration, part));
    return wholes;
}

std::function<double(int)> LayeredJudge::secondsOfReplicas(const Configuration& configuration) {
    // The fewer accelerators, the less one waits for the slowest.
    Configuration fewest = configuration;
    fewest.data = static_cast<int>(fewest.parts.size());
    for (Part& part : fewest.parts) part.replicas = 1;
    std::vector<ReplicaRate> rates;
    for (std::size_t i = 0; i < fewest.parts.size(); ++i)
        rates.push_back({1 / wholeOf(fewest, fewest.parts[i]).each, configuration.parts[i].replicas});
    const double all = allMicroBatches(problem_, configuration);
    return [rates = std::move(rates), all](int replicas) { return all / fastestRate(rates, replicas); };
}

Judgement LayeredJudge::judgeSideBySide(const Configuration& configuration, Wanted wanted) const {
    Judgement judgement;
    const std::vector<Whole> wholes = wholesOf(configuration);
    std::vector<double> each;
    std::vector<Shortage> held;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        each.push_back(wholes[i].each);
        held.push_back(shortageOf(wholes[i].plan, configuration.parts[i].group, wholes[i].capacity));
    }
    judgement.shortage = *std::max_element(held.begin(), held.end(),
                                           [](const Shortage& a, const Shortage& b) { return a.share() < b.share(); });
    if (judgement.shortage.share() > 1) return judgement;
    judgement.fits = true;
    const int all = allMicroBatches(problem_, configuration);
    judgement.shares = bestShares(all, configuration.data, sharing(each, configuration));
    const Configuration shared = judgement.shared(configuration);
    Scores& scores = judgement.scores;
    double passes = 0, once = 0;
    // Gradients are reduced among the replicas that there are.
    const std::vector<Whole> final = wholesOf(shared);
    for (std::size_t i = 0; i < final.size(); ++i) {
        passes = std::max(passes, shared.parts[i].microBatches * final[i].each);
        once = std::max(once, final[i].once);
    }
    scores.of(Objective::time) = passes + once;
    scores.of(Objective::accelerators) = shared.data;
    for (std::size_t i = 0; i < final.size(); ++i) {
        const Part& part = shared.parts[i];
        scores.of(Objective::price) += problem_.groups[part.group].priceOf(part.replicas, passes + once);
        if (wanted.memory) {
            double& max = scores.of(Objective::memory);
            max = std::max(max, final[i].plan.stages.front().memory.total().value);
        }
    }
    if (wanted.layers) judgement.layers = {problem_.layers()};
    return judgement;
}

Evaluated LayeredJudge::evaluateSideBySide(const Configuration& configuration, const Judgement& judgement) const {
    const Configuration shared = judgement.shared(configuration);
    Evaluated evaluated = summaryOf(shared, judgement.scores);
    const std::vector<Whole> wholes = wholesOf(shared);
    const auto share = [](const EvaluatedStage& stage) { return stage.memory.total() / stage.capacity; };
    EvaluatedStage fullest;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        const EvaluatedStage stage = stageOf(wholes[i].plan.stages.front(), shared.parts[i].group, wholes[i].capacity);
        if (i == 0 || share(stage) > share(fullest)) fullest = stage;
        evaluated.time.compute = std::max(evaluated.time.compute, shared.parts[i].microBatches * wholes[i].each);
    }
    evaluated.stages = {fullest};
    evaluated.time.data = judgement.scores.of(Objective::time) - evaluated.time.compute;
    evaluated.pipeline = evaluated.time.compute;
    return evaluated;
}

Evaluated LayeredJudge::summaryOf(const Configuration& configuration, const Scores& scores) const {
    Evaluated evaluated{.configuration = configuration, .scores = scores};
    const double step = scores.of(Objective::time);
    double spread = 0, peak = 0;
    for (const Part& part : configuration.parts) {
        spread = std::max(spread, problem_.layered(part.group)->spread);
        const PlanGroup& group = problem_.groups[part.group];
        if (group.variants.empty()) continue;
        const double count = configuration.parts.size() > 1 ? part.replicas : scores.of(Objective::accelerators);
        peak += count * physical::peakOf(group.variants.front().setting.device, problem_.dtypes.front());
    }
    const physical::Estimate interval = physical::estimateAround(step, spread);
    evaluated.low = interval.low;
    evaluated.high = interval.high;
    evaluated.tokensPerSecond = problem_.tokens() / step;
    if (peak > 0) evaluated.utilisation = modelFlopOf(problem_) / (peak * step);
    return evaluated;
}

Judgement LayeredJudge::judge(const Configuration& configuration, Wanted wanted) {
    if (configuration.isSideBySide()) return judgeSideBySide(configuration, wanted);
    const std::size_t group = configuration.parts.front().group;
    codesign::PlanTable& table = tableOf(configuration);
    Judgement judgement;
    const int stages = configuration.pipeline, replicas = configuration.data;
    const auto fastest = table.fastest(stages, replicas);
    if (!fastest) {
        const std::optional<Plan> leanest = table.leanest(stages, replicas);
        judgement.lacksAccelerators = !leanest;
        if (leanest) judgement.shortage = shortageOf(*leanest, group, table.problem().memory.value);
        return judgement;
    }
    judgement.fits = true;
    Scores& scores = judgement.scores;
    const auto count = static_cast<double>(fastest->accelerators);
    scores.of(Objective::time) = fastest->time.value;
    scores.of(Objective::accelerators) = count;
    scores.of(Objective::price) = problem_.groups[group].priceOf(count, fastest->time.value);
    if (!wanted.memory && !wanted.layers) return judgement;
    const Plan plan = *table.plan(stages, replicas);
    for (const PlacedStage& stage : plan.stages) {
        double& max = scores.of(Objective::memory);
        max = std::max(max, stage.memory.total().value);
        if (wanted.layers) judgement.layers.push_back(static_cast<int>(stage.layers.size()));
    }
    return judgement;
}

Evaluated LayeredJudge::evaluate(const Configuration& configuration) {
    const Judgement judgement = judge(configuration, {.layers = false, .memory = true});
    const std::size_t group = configuration.parts.front().group;
    if (judgement.lacksAccelerators)
        throw UsageError(fmt::format("{} stages of {} replicas take more than the {} accelerators",
                                     configuration.pipeline, configuration.data,
                                     formatCount(problem_.groups[group].count)));
    if (!judgement.fits)
        throw UsageError(fmt::format("stage {} needs {} of an accelerator's {}", judgement.shortage.stage + 1,
                                     formatQuantity(judgement.shortage.total(), Measure::bytes),
                                     formatQuantity(judgement.shortage.capacity, Measure::bytes)));
    if (configuration.isSideBySide()) return evaluateSideBySide(configuration, judgement);
    codesign::PlanTable& table = tableOf(configuration);
    const codesign::PlacementProblem& placed = table.problem();
    const Plan plan = *table.plan(configuration.pipeline, configuration.data);
    const double step = plan.timePerBatch.value;
    Evaluated evaluated = summaryOf(configuration, judgement.scores);
    Seconds all;
    for (const PlacedStage& stage : plan.stages) {
        all += stage.load;
        evaluated.stages.push_back(stageOf(stage, group, placed.memory.value));
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

#include "core/plan/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/plan/layered.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;

/// Both are whole as a rule, of which the remainder takes a tenth of the time.
bool divides(double by, double number) {
    const auto wholeBy = static_cast<std::int64_t>(by), whole = static_cast<std::int64_t>(number);
    if (static_cast<double>(wholeBy) == by && static_cast<double>(whole) == number) return whole % wholeBy == 0;
    return std::fmod(number, by) == 0;
}

bool canBeChunks(const Problem& problem, const Configuration& configuration) {
    if (configuration.schedule != PipelineSchedule::interleaved) return configuration.chunks == 1;
    const double pieces = static_cast<double>(configuration.pipeline) * configuration.chunks;
    const int layers = problem.layers();
    // Embedding and head count as a layer each where layers alone do not divide (as in stageLayersOf).
    const bool isEven =
        divides(pieces, layers) || (!divides(configuration.pipeline, layers) && divides(pieces, layers + 2));
    return configuration.chunks > 1 && isEven && configuration.microBatches() % configuration.pipeline == 0;
}

bool canBeZero(const Problem& problem, const Configuration& configuration) {
    if (configuration.zero == 0) return true;
    if (std::int64_t{configuration.data} * configuration.context < 2) return false;
    // Replicas side by side take unequal numbers of micro-batches, after each of which stage 2 would wait for all.
    if (configuration.zero == 2 && configuration.parts.size() > 1) return false;
    if (configuration.zero < 2 || configuration.pipeline == 1) return true;
    // Megatron-LM and DeepSpeed refuse it: gradients of micro-batches are added up whole.
    return problem.groups.front().variants[configuration.dtype].setting.stack.sharding ==
           physical::StackSharding::fsdp2;
}

bool canBeSchedule(const Configuration& configuration) {
    const bool isOneForward = configuration.schedule == PipelineSchedule::oneForwardOneBackward;
    if (configuration.pipeline == 1 || configuration.isSideBySide()) return isOneForward;
    return configuration.parts.size() == 1 || isOneForward || configuration.schedule == PipelineSchedule::gpipe;
}

/// Zero-bubble schedules take their gradients apart, which recomputation of some layers shifts.
bool mayRecomputePerStage(const Configuration& configuration) {
    return configuration.recompute != Recomputation::perStage || configuration.schedule == PipelineSchedule::gpipe ||
           configuration.schedule == PipelineSchedule::oneForwardOneBackward ||
           configuration.schedule == PipelineSchedule::interleaved;
}

bool canBeRecompute(const Problem& problem, const Configuration& configuration) {
    if (configuration.recompute == Recomputation::selective) return recomputesSelectively(problem, configuration);
    return configuration.recompute != Recomputation::perStage || !configuration.isSideBySide();
}

bool canBeBatch(const Problem& problem, const Configuration& configuration) {
    if (!divides(configuration.micro, problem.globalBatch)) return false;
    if (configuration.isSideBySide()) return allMicroBatches(problem, configuration) >= configuration.data;
    return divides(static_cast<double>(configuration.data) * configuration.micro, problem.globalBatch);
}

bool areThere(const Problem& problem, const Configuration& configuration) {
    for (const Part& part : configuration.parts)
        if (configuration.perStage() * part.stages * part.replicas > problem.groups[part.group].count) return false;
    return !configuration.parts.empty();
}

/// Devices that hold what a copy of all experts may be shared among (Megatron Core, parallel_state.py).
double devicesOfExperts(const Configuration& configuration) {
    return static_cast<double>(configuration.data) * configuration.context *
           (configuration.wholeExperts ? configuration.tensor : 1);
}

bool canBeExperts(const Problem& problem, const Configuration& configuration) {
    if (configuration.expert == 1 && !configuration.wholeExperts) return true;
    if (configuration.wholeExperts && configuration.tensor == 1) return false;
    return problem.model().experts >= 1 && divides(configuration.expert, problem.model().experts) &&
           divides(configuration.expert, devicesOfExperts(configuration));
}

bool hasOrders(const Problem& problem, const Configuration& configuration) {
    const std::string_view stack = problem.groups.front().variants[configuration.dtype].setting.stack.id;
    return stack != "torchtitan" && stack.find("deepspeed") == std::string_view::npos;
}

/// Megatron Core takes stages next to each other only where a copy of all experts, of dense layers their tensors alone,
/// takes what a stage of a replica has (parallel_state.py).
bool areStagesAlike(const Configuration& configuration) {
    return std::int64_t{configuration.expert} * configuration.expertTensor() == configuration.perStage();
}

bool canBeOrder(const Problem& problem, const Configuration& configuration) {
    if (configuration.order == physical::RankOrder::pipelineLast) return true;
    return !configuration.isStacked() && hasOrders(problem, configuration) && areStagesAlike(configuration) &&
           ordersDiffer(problem, configuration);
}

}  // namespace

bool ordersDiffer(const Problem& problem, const Configuration& configuration) {
    return std::any_of(configuration.parts.begin(), configuration.parts.end(), [&](const Part& part) {
        const std::int64_t perNode = problem.groups[part.group].perNode, stage = configuration.perStage();
        return part.stages > 1 && part.replicas > 1 && stage < perNode && stage * part.stages * part.replicas > perNode;
    });
}

bool recomputesSelectively(const Problem& problem, const Configuration& configuration) {
    const physical::StackTraits& stack = problem.groups.front().variants[configuration.dtype].setting.stack;
    return !stack.fusedAttention || stack.keepsEverySecond;
}

Fault faultOfDegrees(const Problem& problem, const Configuration& configuration) {
    if (problem.layered()) return layeredFaultOfDegrees(problem, configuration);
    const physical::Transformer& model = problem.model();
    if (!divides(configuration.tensor, model.heads)) return Fault::heads;
    if (configuration.pipeline > model.layers) return Fault::stages;
    if (configuration.context > 1 && !divides(2.0 * configuration.context, model.sequence)) return Fault::sequence;
    if (!canBeBatch(problem, configuration)) return Fault::batch;
    if (!canBeExperts(problem, configuration)) return Fault::experts;
    if (!areThere(problem, configuration)) return Fault::accelerators;
    if (!canBeRecompute(problem, configuration)) return Fault::recompute;
    return Fault::none;
}

Fault faultOfVariant(const Problem& problem, const Configuration& configuration) {
    if (problem.layered()) return layeredFaultOfVariant(problem, configuration);
    if (!canBeSchedule(configuration)) return Fault::schedule;
    if (!mayRecomputePerStage(configuration)) return Fault::recompute;
    if (!canBeChunks(problem, configuration)) return Fault::chunks;
    if (!canBeZero(problem, configuration)) return Fault::zero;
    if (!canBeOrder(problem, configuration)) return Fault::order;
    return Fault::none;
}

Fault faultOf(const Problem& problem, const Configuration& configuration) {
    const Fault fault = faultOfDegrees(problem, configuration);
    return fault != Fault::none ? fault : faultOfVariant(problem, configuration);
}

namespace {

std::string acceleratorsText(const Problem& problem, const Configuration& configuration) {
    for (const Part& part : configuration.parts) {
        const PlanGroup& group = problem.groups[part.group];
        const std::int64_t takes = configuration.perStage() * part.stages * part.replicas;
        if (takes > group.count)
            return fmt::format("it takes {} accelerators of group {}, which has {}", formatCount(takes),
                               inQuotes(group.name), formatCount(group.count));
    }
    return "it takes more accelerators than the fleet has";
}

std::string expertsText(const Problem& problem, const Configuration& configuration) {
    if (problem.model().experts < 1) return "expert parallelism needs a model with experts";
    if (configuration.wholeExperts && configuration.tensor == 1)
        return "experts are whole anyway where tensor parallelism is 1";
    return fmt::format("expert parallelism of {} does not divide {} experts, or {}data x context parallelism of {}",
                       configuration.expert, problem.model().experts, configuration.wholeExperts ? "tensor x " : "",
                       devicesOfExperts(configuration));
}

std::string scheduleText(const Configuration& configuration) {
    if (configuration.pipeline == 1) return "a schedule needs a pipeline of 2 stages or more";
    // GPipe takes as long and holds all micro-batches, of which replicas have different numbers.
    if (configuration.isSideBySide()) return "groups side by side run 1f1b";
    return "a pipeline through several groups runs 1f1b or gpipe";
}

std::string orderText(const Problem& problem, const Configuration& configuration) {
    const std::string_view order = physical::kRankOrderNames.of(configuration.order);
    if (configuration.isStacked())
        return fmt::format("a pipeline through several groups has no ranks in the order {}", order);
    if (!hasOrders(problem, configuration)) return fmt::format("the software has no ranks in the order {}", order);
    if (!areStagesAlike(configuration))
        return fmt::format(
            "the order {} needs as many accelerators for a copy of all experts as for a stage: expert x expert-tensor "
            "parallelism is {}, tensor x context parallelism {}",
            order, std::int64_t{configuration.expert} * configuration.expertTensor(), configuration.perStage());
    return fmt::format("the order {} is that of all ranks here: no node holds several stages and not all", order);
}

std::string chunksText(const Problem& problem, const Configuration& configuration) {
    if (configuration.schedule != PipelineSchedule::interleaved)
        return "virtual stages are of the interleaved schedule alone";
    if (configuration.chunks < 2) return "the interleaved schedule takes at least 2 virtual stages";
    if (configuration.microBatches() % configuration.pipeline != 0)
        return fmt::format("the interleaved schedule takes micro-batches that the {} stages divide, not {}",
                           configuration.pipeline, configuration.microBatches());
    return fmt::format("{} stages of {} virtual ones do not divide {} layers, nor these with embedding and head",
                       configuration.pipeline, configuration.chunks, problem.layers());
}

}  // namespace

std::string faultText(const Problem& problem, const Configuration& configuration) {
    if (problem.layered()) return layeredFaultText(problem, configuration);
    const physical::Transformer& model = problem.model();
    switch (faultOf(problem, configuration)) {
        case Fault::none:
            return {};
        case Fault::heads:
            return fmt::format("tensor parallelism of {} does not divide {} heads of attention", configuration.tensor,
                               model.heads);
        case Fault::stages:
            return fmt::format("{} pipeline stages are more than {} layers", configuration.pipeline, model.layers);
        case Fault::sequence:
            return fmt::format("context parallelism of {} does not cut {} tokens in two equal pieces each",
                               configuration.context, formatCount(model.sequence));
        case Fault::experts:
            return expertsText(problem, configuration);
        case Fault::batch:
            return fmt::format("{} replicas of micro-batches of {} do not divide the global batch of {}",
                               configuration.data, configuration.micro, formatCount(problem.globalBatch));
        case Fault::accelerators:
            return acceleratorsText(problem, configuration);
        case Fault::chunks:
            return chunksText(problem, configuration);
        case Fault::zero:
            if (std::int64_t{configuration.data} * configuration.context < 2)
                return "ZeRO shards among replicas, of which there is one";
            if (configuration.pipeline == 1) return "groups side by side do not shard gradients alone (ZeRO 2)";
            return "the software does not shard gradients (ZeRO 2 and 3) with a pipeline";
        case Fault::recompute:
            if (configuration.recompute == Recomputation::selective)
                return "selective recomputation saves nothing where the software fuses attention";
            return configuration.isSideBySide()
                       ? std::string("groups side by side recompute alike on all stages, not per stage")
                       : fmt::format("recomputation per stage runs with gpipe, 1f1b and interleaved, not with {}",
                                     physical::nameOf(configuration.schedule));
        case Fault::schedule:
            return scheduleText(configuration);
        case Fault::order:
            return orderText(problem, configuration);
    }
    return {};
}

}  // namespace tessera::plan

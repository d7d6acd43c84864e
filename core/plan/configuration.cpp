#include "core/plan/configuration.h"

#include <fmt/format.h>

namespace tessera::plan {

physical::StepLayout layoutOf(const Configuration& configuration, const Part& part) {
    const bool isPerStage = configuration.recompute == Recomputation::perStage;
    physical::StepLayout layout{
        .tensor = configuration.tensor,
        .pipeline = configuration.pipeline,
        .data = configuration.data,
        .context = configuration.context,
        .expert = configuration.expert,
        .wholeExperts = configuration.wholeExperts,
        .chunks = configuration.chunks,
        .micro = static_cast<double>(configuration.micro),
        .microBatches = static_cast<double>(part.microBatches),
        .schedule = configuration.schedule,
        .recompute = isPerStage ? physical::Recompute::none : static_cast<physical::Recompute>(configuration.recompute),
        .sequenceParallel = configuration.tensor > 1,
        .zero = configuration.zero,
        .order = configuration.order,
        .apart = configuration.isSideBySide()};
    return layout;
}

std::string shortText(const Configuration& configuration) {
    std::string text =
        fmt::format("tp={},pp={},dp={}", configuration.tensor, configuration.pipeline, configuration.data);
    if (configuration.context > 1) text += fmt::format(",cp={}", configuration.context);
    if (configuration.expert > 1) text += fmt::format(",ep={}", configuration.expert);
    if (configuration.wholeExperts) text += ",etp=1";
    text += fmt::format(",mb={}", configuration.micro);
    if (configuration.chunks > 1) text += fmt::format(",vp={}", configuration.chunks);
    if (configuration.zero > 0) text += fmt::format(",zero={}", configuration.zero);
    if (configuration.recompute != Recomputation::none)
        text += fmt::format(",recompute={}", kRecomputationNames.of(configuration.recompute));
    if (configuration.pipeline > 1) text += fmt::format(",schedule={}", physical::nameOf(configuration.schedule));
    if (configuration.order != physical::RankOrder::pipelineLast)
        text += fmt::format(",order={}", physical::kRankOrderNames.of(configuration.order));
    return text;
}

}  // namespace tessera::plan

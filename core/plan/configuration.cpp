#include "core/plan/configuration.h"

#include <fmt/format.h>

#include "core/plan/axes.h"

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
    std::string text;
    for (const AxisRow& axis : axes())
        if (const std::string value = valueText(configuration, axis); !value.empty())
            text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.id, value);
    return text;
}

}  // namespace tessera::plan

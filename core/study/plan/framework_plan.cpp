#include <algorithm>

#include "core/base/error.h"
#include "core/study/plan/outcome.h"

namespace tessera::study {

plan::FrameworkPlan frameworkPlanOf(const PlanOutcome& outcome, const std::string& rank) {
    const plan::Evaluated* its = outcome.ranked(rank);
    if (its == nullptr) throw UsageError("no configuration fits, so that there is no plan to write");
    if (!outcome.shape)
        throw UsageError(
            "the run was kept by a version that did not keep the model's shape; repeat it to write its plan");
    const plan::Configuration& configuration = its->configuration;
    plan::FrameworkPlan plan{.model = outcome.model,
                             .fleet = outcome.fleet,
                             .shape = *outcome.shape,
                             .globalBatch = outcome.globalBatch,
                             .dtype = outcome.dtypes.at(configuration.dtype),
                             .configuration = configuration,
                             .layers = {},
                             .recomputed = {},
                             .machines = {}};
    for (const plan::EvaluatedStage& stage : its->stages) {
        plan.layers.push_back(stage.layers);
        plan.recomputed.push_back(stage.recomputed);
    }
    for (const plan::Part& part : configuration.parts) {
        const PlannedGroup& group = outcome.groups.at(part.group);
        const std::int64_t count = configuration.perStage() * part.stages * part.replicas;
        plan.machines.push_back({group.accelerator, count, std::min(group.perNode, count)});
    }
    return plan;
}

}  // namespace tessera::study

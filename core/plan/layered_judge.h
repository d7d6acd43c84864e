#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "core/codesign/placement/placement.h"
#include "core/plan/evaluate.h"
#include "core/plan/judge.h"
#include "core/plan/layered.h"

namespace tessera::plan {

/// What Judge is for layers with costs of their own: the division of the layers among the stages is that of
/// core/codesign's placement, exact, and so is the time of a step by the rules of the costs. Prices are the group's,
/// energy is not known.
class LayeredJudge {
public:
    explicit LayeredJudge(const Problem& problem);

    Judgement judge(const Configuration& configuration, Wanted wanted);
    /// Throws UsageError for a configuration that does not fit.
    Evaluated evaluate(const Configuration& configuration);

private:
    /// What costs depend on beside what a judge's configurations share: replicas and ZeRO where costs do, and whether
    /// there is a pipeline.
    using Key = std::tuple<int, int, int, int, Recomputation, bool>;
    codesign::PlanTable& tableOf(const Configuration& configuration);

    const Problem& problem_;
    codesign::Placer placer_;
    std::map<Key, std::unique_ptr<codesign::PlanTable>> tables_;
};

}  // namespace tessera::plan

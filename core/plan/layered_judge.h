#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/codesign/placement/placement.h"
#include "core/plan/evaluate.h"
#include "core/plan/judge.h"
#include "core/plan/layered.h"

namespace tessera::plan {

/// What Judge is for layers with costs of their own: the division of the layers among the stages is that of
/// core/codesign's placement, exact, and so is the time of a step by the rules of the costs. Whole models side by side
/// on several groups take as many micro-batches each as make the slowest fastest, and end with the reduction and update
/// of the slowest. Prices are the groups', energy is not known.
class LayeredJudge {
public:
    explicit LayeredJudge(const Problem& problem);

    Judgement judge(const Configuration& configuration, Wanted wanted);
    /// Throws UsageError for a configuration that does not fit.
    Evaluated evaluate(const Configuration& configuration);
    /// Seconds that so many replicas take at least of those that the parts of a configuration side by side hold, one of
    /// each part among them.
    std::function<double(int replicas)> secondsOfReplicas(const Configuration& configuration);

private:
    /// A whole model on an accelerator of a group.
    struct Whole {
        double each = 0;  ///< s of a micro-batch
        double once = 0;  ///< s that a step adds
        codesign::Plan plan = {};
        double capacity = 0;  ///< bytes
    };
    Whole wholeOf(const Configuration& configuration, const Part& part) const;
    std::vector<Whole> wholesOf(const Configuration& configuration) const;
    Judgement judgeSideBySide(const Configuration& configuration, Wanted wanted) const;
    Evaluated evaluateSideBySide(const Configuration& configuration, const Judgement& judgement) const;
    /// What is said of a configuration from its seconds alone.
    Evaluated summaryOf(const Configuration& configuration, const Scores& scores) const;

    /// The group, and what costs depend on beside what a judge's configurations share: replicas and ZeRO where costs
    /// do, and whether there is a pipeline.
    using Key = std::tuple<std::size_t, int, int, int, int, Recomputation, bool>;
    codesign::PlanTable& tableOf(const Configuration& configuration);

    const Problem& problem_;
    codesign::Placer placer_;
    std::map<Key, std::unique_ptr<codesign::PlanTable>> tables_;
};

}  // namespace tessera::plan

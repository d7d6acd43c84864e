#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/plan/evaluate.h"
#include "core/plan/group_model.h"
#include "core/plan/judge.h"
#include "core/plan/layered_judge.h"
#include "core/plan/micro_batches.h"
#include "core/plan/mixed_stages.h"
#include "core/plan/stage_needs.h"
#include "core/plan/stages.h"

namespace tessera::plan {

/// A part of a configuration with the model of its group.
struct PlacedPart {
    const Part* part = nullptr;
    physical::StepLayout layout;  ///< side by side as if the pipeline were full
    double microBatches = 1;      ///< of a replica in the mean
    GroupModel* model = nullptr;
    int first = 0;  ///< its first stage

    /// Of layers that run through a replica's micro-batches.
    physical::StepLayout passes() const {
        physical::StepLayout its = layout;
        its.microBatches = microBatches;
        return its;
    }
    const physical::LayerTimes& times(std::size_t kind = 0) const { return model->times(passes(), kind); }
    /// Whether it holds the last stage of a pipeline of so many.
    bool hasHead(int pipeline) const { return first + part->stages == pipeline; }
};
using PlacedParts = std::vector<PlacedPart>;

/// USD of a step of a part.
double priceOf(const Configuration& configuration, const PlacedPart& placed, double seconds);
/// Seconds that a step takes beside all else on the slowest part.
double longestStart(const PlacedParts& placed);

/// What a judge knows, and the steps of its judgement.
struct Judge::Data {
    Data(const Problem& given, Configuration common) : problem(given), like(std::move(common)), layers(given.layers()) {
        if (problem.layered()) layered = std::make_unique<LayeredJudge>(problem);
    }

    Judgement judge(const Configuration& configuration, Wanted wanted);
    Judgement judgeUpTo(Configuration configuration, const std::function<bool(int)>& allows, Wanted wanted);
    std::optional<double> minBytes(const Configuration& configuration);
    Scores bound(const Configuration& configuration, Wanted wanted);
    Scores boundOfStages(const Configuration& configuration, const PlacedParts& min, const PlacedParts& max) const;
    double secondsBound(const Configuration& configuration, const PlacedParts& min, const PlacedParts& max) const;
    Scores sharedBound(const Configuration& configuration, const PlacedParts& placed) const;
    double secondsOfMicroBatch(const Configuration& configuration, const PlacedPart& placed) const;
    double joulesBound(const Configuration& configuration, const PlacedParts& placed, double seconds) const;
    double memoryBound(const PlacedParts& placed) const;
    Evaluated evaluate(const Configuration& given, double bytes);

    // Where a configuration lies.
    GroupModel& model(std::size_t group, double rate);
    double rateOf(const Configuration& configuration, const Part& part) const;
    PlacedParts placedOf(const Configuration& configuration);

    // What its parts take.
    double transferOf(const Configuration& configuration, const PlacedParts& placed) const;
    static double pipelineSeconds(const Configuration& configuration, const PlacedPart& placed,
                                  const DivisionCost& cost, double microBatches, double hop);
    DivisionCost costOn(const PlacedPart& placed, const RowChoice& choice) const;
    std::function<double(int replicas)> secondsOfReplicas(const Configuration& configuration);
    std::vector<SharingPipelines> sharingOf(const Configuration& configuration, const PlacedParts& placed,
                                            const RowChoice& choice, double hop) const;

    // What memory allows.
    static Shortage shortageAt(const PlacedPart& placed, const HeldStage& held);
    static Shortage shortageAt(const PlacedPart& placed, const HeldStage& held, const RecomputedLayers& recomputed);
    Shortage minShortage(const PipelineNeeds& needs) const;

    Judgement judgeOne(const Configuration& configuration, Wanted wanted);
    Judgement judgeInterleaved(const Configuration& configuration, Wanted wanted);
    Judgement judgeStacked(const Configuration& configuration, Wanted wanted);
    Judgement judgeMixed(const Configuration& configuration, Wanted wanted);
    Judgement judgeSideBySide(const Configuration& configuration, Wanted wanted);
    std::vector<int> interleavedLayers(const Configuration& configuration) const;
    std::optional<std::vector<int>> mixedLayers(const Configuration& configuration, const PlacedParts& placed,
                                                const MixedStages& stages, double& seconds) const;

    /// How a configuration that fits is to be scored.
    struct Scored {
        const Configuration& configuration;
        const PlacedParts& placed;
        std::vector<int> held;  ///< layers by stage; may be empty where the parts are not stacked and memory not wanted
        double seconds = 0;     ///< of a step
        std::vector<RecomputedLayers> recomputed = {};  ///< by stage; empty where all stages are of one kind
    };
    void score(Judgement& judgement, Scored scored, Wanted wanted) const;
    double joulesOf(const Scored& scored, const PlacedPart& placed) const;
    void scoreMemory(Scores& scores, const Scored& scored) const;

    void setShares(Evaluated& evaluated, const PlacedParts& placed) const;

    const Problem& problem;
    Configuration like;
    int layers;
    std::unique_ptr<LayeredJudge> layered = {};  ///< of layers with costs of their own; null = of equal ones
    std::map<std::pair<std::size_t, double>, std::unique_ptr<GroupModel>> models;  ///< by group and rate
};

}  // namespace tessera::plan

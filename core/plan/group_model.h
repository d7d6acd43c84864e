#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "core/physical/step.h"
#include "core/physical/step_memory.h"
#include "core/plan/configuration.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// Seconds in which a device is busy with a layer or head of a micro-batch, by what bounds it.
struct BusyTimes {
    double products = 0, memory = 0;
    void add(const physical::PassSeconds& pass, const physical::StepConstants& constants);
};

/// Seconds that a step adds once on a stage.
struct OnceTimes {
    double reduction = 0;  ///< of gradients, exposed
    double update = 0;
    double both() const { return reduction + update; }
};

/// What a stage holds whatever its layers, and what each layer adds.
struct StageBytes {
    physical::StepMemory fixed, layer;
};

/// What a group does in configurations of equal tensor, context and expert degree, micro-batch, recomputation and data
/// type. Remembers what configurations one after another share, so it is not safe from several threads.
class GroupModel {
public:
    /// `rate`: bytes/s of one accelerator beyond its node.
    GroupModel(const PlanGroup& group, const Configuration& like, double rate);

    const physical::StepConstants& constants() const { return variant_.constants; }
    const GroupVariant& variant() const { return variant_; }
    const PlanGroup& group() const { return group_; }
    const physical::StepSetting& setting() const { return setting_; }
    const physical::StepModel& step() const { return step_; }
    double watts() const { return watts_; }
    const BusyTimes& layerBusy() const { return layerBusy_; }
    const BusyTimes& headBusy() const { return headBusy_; }
    /// Bytes of an accelerator; infinite where its memory is not known.
    double capacity() const;

    /// With the gathering of parameters that ZeRO 3 shards. Holds until it is asked for another layout.
    const physical::LayerTimes& times(const physical::StepLayout& layout);
    const physical::LayerTimes& plainTimes() const { return plain_; }
    /// Of a micro-batch to the next stage.
    double transfer(const physical::StepLayout& layout);
    OnceTimes once(const physical::StepLayout& layout, int layers);

    StageBytes bytesAt(const physical::StepLayout& layout, int position) const;
    physical::StepMemory memoryOf(const physical::StepLayout& layout, int position, int layers) const;

private:
    physical::LayerTimes timesWith(const physical::GroupSeconds& gather) const;

    const PlanGroup& group_;
    const GroupVariant& variant_;
    physical::StepSetting setting_;
    physical::StepModel step_;
    physical::StageMemoryModel memory_;
    double watts_;
    BusyTimes layerBusy_, headBusy_;
    physical::LayerTimes plain_;
    std::pair<int, physical::LayerTimes> sharded_{-1, {}};  ///< by replicas
    std::pair<int, int> transferKey_{-1, -1};               ///< replicas and stages
    double transfer_ = 0;
    std::tuple<int, int, double> reductionKey_{-1, 0, 0};  ///< replicas, ZeRO, its micro-batches
    std::vector<double> reductions_;                       ///< by layers
};

}  // namespace tessera::plan

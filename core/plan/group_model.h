#pragma once

#include <array>
#include <cstddef>
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

/// What of a layout decides which devices hold the same parameters.
struct Reach {
    int data = -1;
    int pipeline = 0;  ///< where stages are neighbours
    bool apart = false;

    bool operator==(const Reach&) const = default;
};

/// What a group does in configurations of equal tensor, context and expert degree, micro-batch, recomputation and data
/// type: with layers of one kind, or, where these recompute by stage, of all kinds. Remembers what configurations one
/// after another share, so it is not safe from several threads.
class GroupModel {
public:
    /// `rate`: bytes/s of one accelerator beyond its node.
    GroupModel(const PlanGroup& group, const Configuration& like, double rate);

    const physical::StepConstants& constants() const { return variant_.constants; }
    const GroupVariant& variant() const { return variant_; }
    const PlanGroup& group() const { return group_; }
    const physical::StepSetting& setting() const { return setting_; }
    /// Kinds of layers by what of them is computed again, from that which is computed fastest.
    std::size_t kinds() const { return kinds_.size(); }
    physical::Recompute kind(std::size_t kind) const { return kinds_[kind].recompute; }
    const physical::StepModel& step(std::size_t kind = 0) const { return kinds_[kind].step; }
    double watts() const { return watts_; }
    const BusyTimes& layerBusy(std::size_t kind = 0) const { return kinds_[kind].busy; }
    const BusyTimes& headBusy() const { return headBusy_; }
    /// Bytes of an accelerator; infinite where its memory is not known.
    double capacity() const;
    /// Calls `use` with each kind that some of the layers of a stage are of, and how many.
    template <typename Use>
    void forEachKind(int layers, const RecomputedLayers& recomputed, const Use& use) const {
        for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
            if (const int count = countOf(kinds_[kind].recompute, layers, recomputed); count > 0) use(kind, count);
    }
    /// How all layers of a stage are recomputed where there is one kind of them.
    RecomputedLayers allOfOneKind(int layers) const;

    /// With the gathering of parameters that ZeRO 3 shards, and the adding of gradients. Holds until it is asked for
    /// another layout.
    const physical::LayerTimes& times(const physical::StepLayout& layout, std::size_t kind = 0);
    /// Without either.
    const physical::LayerTimes& plainTimes(std::size_t kind = 0) const { return kinds_[kind].plain; }
    /// Of a micro-batch to the next stage.
    double transfer(const physical::StepLayout& layout);
    OnceTimes once(const physical::StepLayout& layout, int layers);

    StageBytes bytesAt(const physical::StepLayout& layout, int position, std::size_t kind = 0) const;
    physical::StepMemory memoryOf(const physical::StepLayout& layout, int position, int layers,
                                  std::size_t kind = 0) const;
    /// Of a stage whose layers are of several kinds.
    physical::StepMemory memoryOf(const physical::StepLayout& layout, int position, int layers,
                                  const RecomputedLayers& recomputed) const;

private:
    /// What of a layout decides what its layers take: the reach of ZeRO 3, and micro-batches where gradients are added.
    using TimesKey = std::tuple<Reach, double>;
    /// What layers of one kind take.
    struct Kind {
        explicit Kind(const physical::StepSetting& setting);
        physical::Recompute recompute;
        physical::StepModel step;
        physical::StageMemoryModel memory;
        BusyTimes busy = {};
        physical::LayerTimes plain = {};
        std::array<std::pair<TimesKey, physical::LayerTimes>, 2> timed = {};  ///< by order of ranks
    };
    /// What is reduced once, of one order of ranks.
    struct Reductions {
        std::tuple<Reach, int, double> key = {Reach(), 0, 0};  ///< with ZeRO and its micro-batches
        std::vector<double> seconds = {};                      ///< by layers
    };
    static int countOf(physical::Recompute kind, int layers, const RecomputedLayers& recomputed);
    physical::LayerTimes timesWith(const Kind& kind, const physical::GroupSeconds& gather,
                                   const physical::AddedGradients& added) const;

    const PlanGroup& group_;
    const GroupVariant& variant_;
    physical::StepSetting setting_;
    std::vector<Kind> kinds_;
    double watts_;
    BusyTimes headBusy_;
    std::array<std::pair<std::pair<int, int>, double>, 2> transfers_;  ///< by order of ranks: replicas and stages
    std::array<Reductions, 2> reductions_;                             ///< by order of ranks
};

}  // namespace tessera::plan

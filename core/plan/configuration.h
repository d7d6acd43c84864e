#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/physical/step.h"

/// How to train a model on a cluster: the parallel configurations of a space, each judged by core/physical, and the
/// best of all of them.
namespace tessera::plan {

/// Which activations are computed again in the backward pass: on all stages alike (as `physical::Recompute`), or on
/// each stage of as few layers as make the step shortest, which is none where its memory holds them all.
enum class Recomputation : std::uint8_t { none, selective, full, perStage };
inline constexpr EnumNames<Recomputation> kRecomputationNames{"none", "selective", "full", "per-stage"};
constexpr Recomputation onAllStages(physical::Recompute recompute) {
    return static_cast<Recomputation>(recompute);
}

/// Layers of a stage by what of them is computed again; the others keep all.
struct RecomputedLayers {
    int selective = 0;  ///< attention
    int full = 0;

    auto operator<=>(const RecomputedLayers&) const = default;
};

/// A group of the fleet and what of a configuration it holds.
struct Part {
    std::size_t group = 0;
    int stages = 1;        ///< of the pipeline
    int replicas = 1;      ///< data-parallel ones
    int microBatches = 1;  ///< of each of these replicas and step

    auto operator<=>(const Part&) const = default;
};

/// One way to train: degrees of parallelism, schedule, memory savings, and which group of the fleet holds what. Parts
/// either follow each other along the pipeline (equal replicas, stages that add up) or hold whole replicas each (equal
/// stages, replicas that add up).
struct Configuration {
    std::size_t dtype = 0;  ///< of the problem's data types
    int tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
    bool wholeExperts = false;  ///< tensor parallelism leaves experts whole
    int chunks = 1;             ///< virtual stages of a device
    int micro = 1;              ///< samples of a micro-batch
    physical::PipelineSchedule schedule = physical::PipelineSchedule::oneForwardOneBackward;
    Recomputation recompute = Recomputation::none;
    int zero = 0;
    physical::RankOrder order = physical::RankOrder::pipelineLast;
    std::vector<Part> parts = {};

    /// Accelerators of a stage of a replica.
    std::int64_t perStage() const { return std::int64_t{tensor} * context; }
    /// Accelerators that split an expert.
    int expertTensor() const { return wholeExperts ? 1 : tensor; }
    std::int64_t accelerators() const {
        std::int64_t sum = 0;
        for (const Part& part : parts) sum += perStage() * part.stages * part.replicas;
        return sum;
    }
    /// True where the pipeline passes through several groups.
    bool isStacked() const { return parts.size() > 1 && parts.front().stages < pipeline; }
    /// True where groups hold whole replicas each.
    bool isSideBySide() const { return parts.size() > 1 && !isStacked(); }
    /// Maximum number of micro-batches of a replica.
    int microBatches() const {
        int max = 0;
        for (const Part& part : parts) max = std::max(max, part.microBatches);
        return max;
    }

    auto operator<=>(const Configuration&) const = default;
};

/// The layout of a part of a configuration for core/physical, where recomputation by stage counts as none.
physical::StepLayout layoutOf(const Configuration& configuration, const Part& part);

/// "tp=8,pp=16,dp=4,mb=1,zero=1,recompute=full": what `readSpace` reads; axes at 1, none or the default left out.
std::string shortText(const Configuration& configuration);

}  // namespace tessera::plan

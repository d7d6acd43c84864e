#pragma once

#include <cstdint>
#include <string>

#include "core/plan/configuration.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// What keeps a configuration from being one, whatever the memory.
enum class Fault : std::uint8_t {
    none,
    heads,         ///< tensor parallelism splits heads of attention
    stages,        ///< a stage holds a layer at least
    sequence,      ///< context parallelism gives each accelerator two equal pieces of the sequence
    experts,       ///< expert parallelism splits experts, among replicas and parts of the sequence, whole ones also
                   ///< among what tensor parallelism splits
    batch,         ///< replicas and micro-batches divide the global batch
    accelerators,  ///< a group has as many as its part takes
    chunks,        ///< virtual stages are equal, of the interleaved schedule, whose micro-batches the stages divide
    zero,          ///< what ZeRO shards is there, and the software shards it with a pipeline
    recompute,     ///< selective recomputation is of attention in parts, that by stage of schedules of two passes
    schedule,      ///< a schedule needs a pipeline; one through several groups runs 1F1B or GPipe, groups side by side
                   ///< 1F1B, which takes no longer than GPipe and holds less
    order,         ///< other than Megatron-LM's own where it differs, all parts are alike and the software has it
};

/// What is wrong first; none where nothing is.
Fault faultOf(const Problem& problem, const Configuration& configuration);
/// The same of what does not depend on schedule, virtual stages, ZeRO and order of ranks, and of these four alone:
/// `faultOf` is the first of both that is one.
Fault faultOfDegrees(const Problem& problem, const Configuration& configuration);
Fault faultOfVariant(const Problem& problem, const Configuration& configuration);
/// The same as a sentence with the numbers; empty where nothing is wrong.
std::string faultText(const Problem& problem, const Configuration& configuration);

/// Whether the order of a configuration's ranks changes what lies in one node: stages and replicas of a part both leave
/// a node, and more than one stage of a replica fits it.
bool ordersDiffer(const Problem& problem, const Configuration& configuration);

/// Whether selective recomputation saves anything: the scores that attention in parts keeps, or products where the
/// group's software selects among operators.
bool recomputesSelectively(const Problem& problem, const Configuration& configuration);

/// Micro-batches of all replicas in a step; the global batch is a multiple of the micro-batch.
inline int allMicroBatches(const Problem& problem, const Configuration& configuration) {
    return static_cast<int>(problem.globalBatch / configuration.micro);
}

}  // namespace tessera::plan

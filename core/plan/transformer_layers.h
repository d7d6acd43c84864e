#pragma once

#include <cstdint>
#include <memory>

#include "core/plan/layered.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// The layers of a problem's transformer on so many accelerators of one of its groups, as GroupModel has them: times by
/// kernels and collectives of tensor parallelism, memory by ZeRO and recomputation, and once for each step the exposed
/// reduction of gradients and the update. Layers with experts and those without have costs of their own. The embedding
/// goes with the first layer and the head with the last one, and a layer's gradients take a part of what those of all
/// layers take.
LayeredModel transformerLayers(std::shared_ptr<const Problem> problem, std::size_t group, std::int64_t accelerators);

}  // namespace tessera::plan

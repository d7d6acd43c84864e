#pragma once

#include <cstddef>
#include <span>

namespace tessera::plan {

/// What a stage takes of an accelerator that holds it: `fixed + layers x layer` bytes of `capacity`.
struct StageNeed {
    std::size_t stage = 0;
    double fixed = 0, layer = 0, capacity = 0;
    double share(int layers) const { return (fixed + layers * layer) / capacity; }
};

/// The need that binds, and the layers of its stage.
struct BindingNeed {
    std::size_t need = 0;  ///< its index
    int layers = 0;
};

/// Of all divisions of layers over stages, each with at least one, that whose fullest accelerator is the least full:
/// the memory without which none fits. There is a need at least of each of the `stages`.
BindingNeed bindingNeedOf(int layers, std::size_t stages, std::span<const StageNeed> needs);

}  // namespace tessera::plan

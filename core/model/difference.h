#pragma once

#include <string>
#include <vector>

#include "core/model/layers.h"

namespace tessera::model {

/// Change of a layer or join between two networks, which are matched by name.
struct LayerDifference {
    enum class Kind : std::uint8_t { removed, added, changed } kind = Kind::changed;
    std::string name;
    std::string before, after;  ///< "conv 64 → 128, 3 × 3, map 56 × 56"; empty where it is absent
};

/// Kind, channels, kernel and map of a layer in a few words.
std::string described(const Layer& layer);

/// Every layer that is not the same in both, in the order of the networks: those of `before` first, added ones last.
std::vector<LayerDifference> differences(const LayerGraph& before, const LayerGraph& after);

}  // namespace tessera::model

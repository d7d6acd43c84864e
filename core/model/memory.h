#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/model/graph_hierarchy.h"
#include "core/model/model.h"

/// Memory of one training step by what it holds: the whole model on one device, nothing split, nothing recomputed.
namespace tessera::model {

enum class MemoryUse {
    weights,      ///< trained parameters as stored
    gradients,    ///< one per parameter, of the same type
    optimizer,    ///< Adam: two 4-byte moments per parameter
    activations,  ///< outputs that the backward pass reads (countTraining); of a table of layers, all of them
    inputs,       ///< what one step reads; graphs only
    constants,    ///< stored but not trained: constants and running statistics; graphs only
};

inline constexpr EnumNames<MemoryUse> kMemoryUseNames{"weights",     "gradients", "optimizer",
                                                      "activations", "inputs",    "constants"};
constexpr std::string_view nameOf(MemoryUse use) {
    return kMemoryUseNames.of(use);
}

struct MemoryPart {
    MemoryUse use = MemoryUse::weights;
    std::optional<double> bytes;  ///< empty where a shape that it needs is unknown
};

/// Memory of training by use, in the order of MemoryUse; a table of layers knows nothing of inputs and constants.
/// `whole` are the totals of the hierarchy's first node (`totalsOf`), made with the same batch.
std::vector<MemoryPart> trainingMemory(const Model& model, const NodeTotals& whole);

}  // namespace tessera::model

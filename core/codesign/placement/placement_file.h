#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/codesign/placement/placement.h"
#include "core/model/optimizer.h"

namespace tessera::codesign {

using model::Optimizer;

/// Rule by which an optimizer's state is counted: as in the published program; in the type of the weights; or in mixed
/// precision, where the state and a copy of the weights have 32 bits and weights and gradients 16: with Adam 16 bytes
/// for each parameter in all.
enum class OptimizerMemory : std::uint8_t { reference, exact, mixed };

inline constexpr EnumNames<OptimizerMemory> kOptimizerMemoryNames{"reference", "exact", "mixed"};

/// The words of optimizers that weights may be placed with.
constexpr EnumNames<Optimizer> optimizerWords(std::string_view model::OptimizerKind::*word) {
    const auto of = [word](Optimizer optimizer) { return model::optimizerKind(optimizer).*word; };
    return {of(Optimizer::sgd), of(Optimizer::momentum), of(Optimizer::adam), of(Optimizer::mixedAdam)};
}
/// In studies.
inline constexpr EnumNames<Optimizer> kOptimizerNames = optimizerWords(&model::OptimizerKind::id);
/// In the published program's files.
inline constexpr EnumNames<Optimizer> kPublishedOptimizerNames = optimizerWords(&model::OptimizerKind::published);
constexpr std::string_view nameOf(Optimizer optimizer) {
    return kPublishedOptimizerNames.of(optimizer);
}
constexpr std::string_view nameOf(OptimizerMemory rule) {
    return kOptimizerMemoryNames.of(rule);
}
/// Bytes of state per byte of weights: reference SGD 0, Adam 1; exact SGD 0, momentum 1, Adam 2, mixed-precision Adam 6
/// (32-bit copy, mean and variance of 16-bit weights); mixed SGD 2, momentum 4, Adam 6. None where the rule does not
/// know the optimizer.
std::optional<double> optimizerState(Optimizer optimizer, OptimizerMemory rule);

/// A file of the published program (`device_placement`): layers with their costs, and on what they are placed.
struct PlacementFile {
    std::string name;                  ///< empty where the file has none
    std::vector<std::int64_t> layers;  ///< their ids
    LayerGraph graph;
    PlacementProblem problem;  ///< `optimizerState` is left to the rule
    Optimizer optimizer = Optimizer::sgd;
    /// Fields of an expert's placement in the file that are not inputs, in the file's words: ("fixedPP", 12), …
    std::vector<std::pair<std::string, double>> reported;
};

/// Limits; each is named in the error.
inline constexpr std::size_t kMaxPlacedLayers = 4096;
inline constexpr std::size_t kMaxPlacedEdges = 65'536;
inline constexpr std::size_t kMaxDegrees = 64;

/// Throws DataError.
PlacementFile readPlacementFile(const JsonDocument& document);

/// A file, or a name of the library (`data/placements`), as its path. Throws UsageError (unknown, with a hint).
std::string placementPath(const std::string& nameOrPath);

}  // namespace tessera::codesign

#pragma once

#include <string>
#include <string_view>

#include "core/model/layers.h"

namespace tessera::model {

/// The field `schema` is this and "/1".
inline constexpr std::string_view kLayersKind = "tessera.layers";

/// Tessera's own layer table, `layers.json`:
/// `{"schema": "tessera.layers/1", "name": ..., "layers": [...], "edges": [["a", "b"], ...]}` with layers
/// `{"name", "kind": "fc"|"conv", "in_channels", "out_channels", "in_height", "in_width", "conv_height", "conv_width",
/// "out_height", "out_width", "kernel_height", "kernel_width", "groups"}` and joins
/// `{"name", "kind": "add"|"concat", "channels", "height", "width"}`. Channels and names are required; sizes, kernels
/// and groups default to 1, `out_*` to `conv_*`, the network's name to the file's. Without `edges` the layers are a
/// chain. A layer has at most one input, a join at least two. Throws DataError{file, line, field}.
LayerGraph readLayersJson(std::string bytes, const std::string& file);

/// Writes a table of layers as text; reading it back gives an equal one, but for `assumptions`, which the format does
/// not hold. Throws UsageError where the graph holds what the format cannot say: fractional sizes, kinds other than
/// those above.
std::string writeLayersJson(const LayerGraph& graph);

}  // namespace tessera::model

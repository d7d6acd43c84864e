#pragma once

#include <string>
#include <string_view>

#include "core/model/layers.h"

namespace tessera::model {

/// Network text of AccPar's published program: words and numbers, one pair a line.
///
///     num_layers 2
///     conv1 CONV
///     in_ch 3
///     in_fmap_h 224
///     in_fmap_w 224
///     kernel 3
///     out_ch 64
///     out_fmap_h 112
///     out_fmap_w 112
///     pool 2
///     fc1 FC
///     in_ch 802816
///     out_ch 1000
///
/// `NAME CONV` or `NAME FC` starts a layer; its fields follow in any order. `in_ch` and `out_ch` are required, and the
/// four maps of a CONV; `kernel` (a side; or `kernel_h`, `kernel_w`) and `pool` default to 1. `out_fmap_*` is the map
/// handed on, after a pooling by `pool`: the convolution itself makes a map `pool` times as high and as wide. A pair
/// may be separated by blanks, `:`, `=` or a comma and may end in commas; `#` and `//` start comments. Layers form a
/// chain. Throws DataError{file, line, column}.
bool looksLikeAccpar(std::string_view bytes);
LayerGraph readAccpar(const std::string& bytes, const std::string& file);

}  // namespace tessera::model

#pragma once

#include <string>
#include <string_view>

#include "core/model/model.h"

namespace tessera::model {

/// Calculon's model files (Isaev, McDonald, Dennison, Vuduc: "Calculon: a methodology and tool for high-level co-design
/// of systems and large language models", SC 2023): a JSON object of whole numbers above 0, `hidden`, `feedforward`,
/// `seq_size`, `attn_heads`, `attn_size` (features per head) and `num_blocks`; a `name` may stand beside them.
/// It stands for Megatron's decoder: learned positions, normalisations in front, 51,200 words and a head that shares
/// their table, so that its parameters are those of Calculon (equation 2 of Narayanan et al., SC 2021) and the last
/// normalisation's. Dimensions: `sequence` up to `seq_size`, its default, and `tensor_parallel`, which divides
/// `attn_heads` and `feedforward` and makes the slice of one device.
bool looksLikeCalculon(std::string_view bytes);
/// Throws DataError{file, line, field}, UsageError for dimensions out of their range.
Graph readCalculon(const std::string& bytes, const std::string& file, const LoadOptions& options);

}  // namespace tessera::model

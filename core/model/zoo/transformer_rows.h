#pragma once

#include <cstdint>
#include <vector>

#include "core/model/zoo/zoo.h"

namespace tessera::model::zoo {

/// Where no table of positions bounds the sequence.
inline constexpr std::int64_t kAnyLength = 1'000'000;

/// The transformers among the zoo's entries.
std::vector<ZooEntry> transformerRows();

}  // namespace tessera::model::zoo

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/cost/dataflow.h"

namespace tessera::cost {

/// Extents are 32-bit numbers in the published code; larger ones mean nothing here either.
inline constexpr std::int64_t kMaxLayerExtent = 2'147'483'647;

/// A number of a layer and what it is called: "K", "the batch".
struct NamedSize {
    std::string_view name;
    std::int64_t value = 0;
    std::int64_t min = 1;
};

/// The first number of a layer that is not from its smallest to `kMaxLayerExtent`, if any.
std::optional<NamedSize> oddSizeOf(const Layer& layer);

}  // namespace tessera::cost

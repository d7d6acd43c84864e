#pragma once

#include <cstddef>
#include <vector>

#include "core/base/quantity.h"
#include "core/hardware/template.h"

namespace tessera::hardware {

/// Distribution of the areas of a template's accelerators, and the number that a search may build.
struct AreaCensus {
    SquareMillimetres bound;
    std::vector<double> areas;  ///< mm², in the order of `architectures`
    std::size_t within = 0;     ///< those of at most the bound
    std::size_t estimated = 0;  ///< those within the bound whose area the model gives only by an estimate of a buffer's

    bool operator==(const AreaCensus&) const = default;
};

AreaCensus areaCensus(const Template& space);

}  // namespace tessera::hardware

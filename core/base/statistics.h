#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera {

/// The median; of an even number of values the mean of the middle two, 0 of none.
inline double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace tessera

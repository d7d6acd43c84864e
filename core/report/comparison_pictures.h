#pragma once

#include <cstddef>
#include <string>

#include "core/draw/picture.h"
#include "core/study/comparison.h"

namespace tessera::report {

/// Runs of which pictures are drawn; more are compared in tables.
inline constexpr std::size_t kMaxPictured = 8;

/// A metric of several runs as bars, the best first, the baseline dashed; of more than `max` runs the best ones and
/// the baseline.
Chart comparisonChart(const study::Comparison& comparison, const std::string& metric, std::size_t max = kMaxPictured);

}  // namespace tessera::report

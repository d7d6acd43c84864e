#pragma once

#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/study/exploration/evaluation.h"

/// The evaluated points of an exploration that goes on later.
namespace tessera::study {

using KeptPoints = std::vector<std::pair<explore::Point, EvaluatedPoint>>;

/// The state of a checkpoint, and its points. Throws DataError.
Json keptPointsJson(const KeptPoints& points);
KeptPoints readKeptPoints(const JsonNode& state, const ExploredSpace& space, MetricPool& metrics);

}  // namespace tessera::study

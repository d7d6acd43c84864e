#pragma once

#include <string>
#include <vector>

#include "core/explore/point_table.h"
#include "core/study/metric.h"
#include "core/study/study.h"

namespace tessera::study {

/// A run, as a point among others.
struct RunPoint {
    std::string name;
    Study study;
    std::vector<Metric> metrics = {};  ///< of its result; empty where there is none
    std::string failure = {};          ///< why there is none; empty where it is not known
};

/// Runs as points of an exploration, such as those of a sweep: the metrics of their bests, the engine's objective
/// first, then what their studies differ in (parameters, inputs, dimensions, seed). Runs without a result have no
/// numbers, and a reason.
explore::PointTable pointTable(const std::vector<RunPoint>& runs);

}  // namespace tessera::study

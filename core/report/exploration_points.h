#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/report/points.h"
#include "core/study/result.h"
#include "core/study/run_points.h"

namespace tessera::report {

/// The study of an exploration with what is shown of its points (a table of `study::pointTableOf`) as its space: each
/// variable that is chosen from the least to the greatest of its values there, or those values where it has a list, and
/// each range of another value as a constraint besides those that it has. Of the method `list`, the points themselves.
study::Study narrowedStudy(const study::Result& exploration, const PointStates& states,
                           const std::map<std::size_t, Stretch>& ranges);

/// An exploration of what is shown of runs of one engine (a table of `study::pointTable`): of the first one's study,
/// over what they differ in. Numbers are ranges from the least to the greatest, anything else is a list of what they
/// have; the objective is the engine's, and ranges of other metrics are constraints. Throws UsageError where that is no
/// exploration: of several engines, without a difference that can vary, without a metric to improve.
study::Study explorationOfRuns(const std::vector<study::RunPoint>& runs, const PointStates& states,
                               const std::map<std::size_t, Stretch>& ranges);

}  // namespace tessera::report

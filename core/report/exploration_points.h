#pragma once

#include <cstddef>
#include <map>

#include "core/draw/chart_layout.h"
#include "core/report/points.h"
#include "core/study/result.h"

namespace tessera::report {

/// The study of an exploration with what is shown of its points (a table of `study::pointTableOf`) as its space: each
/// variable that is chosen from the least to the greatest of its values there, or those values where it has a list, and
/// each range of another value as a constraint besides those that it has. Of the method `list`, the points themselves.
study::Study narrowedStudy(const study::Result& exploration, const PointStates& states,
                           const std::map<std::size_t, Stretch>& ranges);

}  // namespace tessera::report

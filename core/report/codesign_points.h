#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/explore/point_table.h"
#include "core/report/point_pictures.h"
#include "core/study/codesign/points.h"

/// The architectures that a co-design search evaluated, with their values and the Pareto front. The same in
/// the window, on the command line and in reports.
namespace tessera::report {

/// The front of another search, to compare with.
struct OtherFront {
    std::string name;
    std::vector<codesign::Point> points;
};

/// What a scatter of two values says beside its points: whether the front is proven, and the fronts of other searches.
ScatterExtras codesignExtras(const codesign::Result& result, const explore::PointTable& points, std::size_t x,
                             std::size_t y, const std::vector<OtherFront>& others = {});

/// Area against the objective, and all architectures in all values.
Chart paretoChart(const codesign::Result& result);
ParallelPicture parallelPicture(const codesign::Result& result);

/// Tables of full precision for spreadsheets: the points' values, and the designs' roles in the search.
Table exactPointTable(const codesign::Result& result, const std::vector<const codesign::Point*>& points);
Table exactPointTable(const codesign::Result& result, const std::vector<study::KnownDesign>& designs);

}  // namespace tessera::report

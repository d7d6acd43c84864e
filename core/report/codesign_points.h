#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/codesign/search/search.h"
#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/explore/point_table.h"
#include "core/report/point_pictures.h"

/// The architectures that a co-design search evaluated, with their values and the Pareto front. The same in
/// the window, on the command line and in reports.
namespace tessera::report {

/// A number that only points of some searches have.
struct BandwidthColumn {
    std::string id;     ///< of its explore::PointColumn
    std::string name;   ///< with its unit: "hbm_bandwidth_bytes_per_s"
    std::string title;  ///< "HBM rate"
    std::string help;
    Measure measure;
    std::function<double(const codesign::Point&)> of;
};
/// Bandwidths and the power of interfaces; empty where no bandwidth is searched and no power known.
std::vector<BandwidthColumn> bandwidthColumns(const codesign::Result& result);

/// An architecture with what it is to the search.
struct PointRow {
    codesign::Point point;
    bool onFront = false;       ///< of area against objective, as the search found it
    bool best = false;          ///< what the search chose
    std::string baseline = {};  ///< title of the first baseline that has this architecture
};
/// Evaluated architectures, the front and the baselines, each architecture once, by rising area.
std::vector<PointRow> pointRows(const codesign::Result& result);

/// The front of another search, to compare with.
struct OtherFront {
    std::string name;
    std::vector<codesign::Point> points;
};

/// The rows as points of an exploration, in the same order: area, objective, area efficiency, HBM, utilisation, energy,
/// bandwidths where they are searched, each model's throughput where there are several, then what an architecture
/// consists of.
explore::PointTable pointTable(const codesign::Result& result, const std::vector<PointRow>& rows);
explore::PointTable pointTable(const codesign::Result& result);

/// What a scatter of two values says beside its points: whether the front is proven, and the fronts of other searches.
ScatterExtras codesignExtras(const codesign::Result& result, const explore::PointTable& points, std::size_t x,
                             std::size_t y, const std::vector<OtherFront>& others = {});

/// Area against the objective, and all architectures in all values.
Chart paretoChart(const codesign::Result& result);
ParallelPicture parallelPicture(const codesign::Result& result);

/// Tables of full precision for spreadsheets: the points' values, and the rows' roles in the search.
Table exactPointTable(const codesign::Result& result, const std::vector<const codesign::Point*>& points);
Table exactPointTable(const codesign::Result& result, const std::vector<PointRow>& rows);

}  // namespace tessera::report

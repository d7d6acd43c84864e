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

/// The architectures that a co-design search evaluated, with their values and the Pareto front. The same in
/// the window, on the command line and in reports.
namespace tessera::report {

/// Objective or metric of an architecture.
struct PointValue {
    std::string id = {};     ///< "area", "objective", "throughput:0"; never changes
    std::string title = {};  ///< for people: "Area"
    std::string help = {};   ///< one sentence
    Measure measure = Measure::count;
    double factor = 1;      ///< from the value to what an axis shows, such as 100 for a share in percent
    std::string unit = {};  ///< said after the number where the measure has none: "samples/s", "%"
    bool more = true;       ///< the larger, the better
    std::function<double(const codesign::Point&)> of = {};
};

/// Objective, area, HBM, performance per area, utilisation, energy, then each model's throughput where there are
/// several.
std::vector<PointValue> pointValues(const codesign::Result& result);
/// "139.9 mm²", "1.41×", "52.3 %".
std::string textOf(const PointValue& value, const codesign::Point& point);

/// A number that only points of some searches have.
struct PointColumn {
    std::string id;     ///< of its PointValue
    std::string name;   ///< with its unit: "hbm_bandwidth_bytes_per_s"
    std::string title;  ///< "HBM rate"
    std::string help;
    Measure measure;
    std::function<double(const codesign::Point&)> of;
};
/// Bandwidths and the power of interfaces; empty where no bandwidth is searched and no power known.
std::vector<PointColumn> bandwidthColumns(const codesign::Result& result);

/// An architecture with what it is to the search.
struct PointRow {
    codesign::Point point;
    bool onFront = false;       ///< of area against objective, as the search found it
    bool best = false;          ///< what the search chose
    std::string baseline = {};  ///< title of the first baseline that has this architecture
};
/// Evaluated architectures, the front and the baselines, each architecture once, by rising area.
std::vector<PointRow> pointRows(const codesign::Result& result);

/// Rows of the Pareto front in two values, by rising x. Those that run no model are left out; so are baselines,
/// whose placement may be an expert's.
std::vector<std::size_t> frontOf(const std::vector<PointRow>& rows, const PointValue& x, const PointValue& y);
/// The row of a front where further gains get dear, as `explore::kneeOf` has it. Empty below three rows.
std::optional<std::size_t> kneeOf(const std::vector<PointRow>& rows, const std::vector<std::size_t>& front,
                                  const PointValue& x, const PointValue& y);

/// The front of another search, to compare with.
struct OtherFront {
    std::string name;
    std::vector<codesign::Point> points;
};

/// A scatter of all rows and where their points stand.
struct ParetoPicture {
    Chart chart;
    std::vector<std::vector<std::size_t>> rows;  ///< by series and point: the row; of other fronts none
};
struct ParetoLook {
    std::vector<bool> shown = {};  ///< by row: what is brushed; empty = all
    std::vector<OtherFront> others = {};
    bool logarithmicX = false, logarithmicY = false;
};
ParetoPicture paretoPicture(const codesign::Result& result, const std::vector<PointRow>& rows, const PointValue& x,
                            const PointValue& y, const ParetoLook& look = {});

/// Area against the objective, nothing brushed.
ParetoPicture paretoPicture(const codesign::Result& result);

/// All rows in all values: the front in the accent, what the search chose on top.
ParallelPicture parallelPicture(const codesign::Result& result, const std::vector<PointRow>& rows,
                                const std::vector<PointValue>& values);

/// Tables of full precision for spreadsheets: the points' values, and the rows' roles in the search.
Table exactPointTable(const codesign::Result& result, const std::vector<const codesign::Point*>& points);
Table exactPointTable(const codesign::Result& result, const std::vector<PointRow>& rows);

}  // namespace tessera::report

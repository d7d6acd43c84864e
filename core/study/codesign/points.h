#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/codesign/search/search.h"
#include "core/explore/point_table.h"

/// The architectures that a co-design search evaluated, with their values.
namespace tessera::study {

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
struct KnownDesign {
    codesign::Point point;
    bool onFront = false;       ///< of area against objective, as the search found it
    bool best = false;          ///< what the search chose
    std::string baseline = {};  ///< title of the first baseline that has this architecture
};
/// Evaluated architectures, the front and the baselines, each architecture once, by rising area.
std::vector<KnownDesign> knownDesigns(const codesign::Result& result);

/// The designs as points of an exploration, in the same order: area, objective, area efficiency, HBM, utilisation,
/// energy, bandwidths where they are searched, each model's throughput where there are several, then what an
/// architecture consists of.
explore::PointTable pointTable(const codesign::Result& result, const std::vector<KnownDesign>& designs);
explore::PointTable pointTable(const codesign::Result& result);

}  // namespace tessera::study

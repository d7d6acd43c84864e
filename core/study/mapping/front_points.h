#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/explore/point_table.h"
#include "core/study/mapping/outcome.h"

namespace tessera::study {

/// The fronts of a search of mappings as points, for who looks while it works: two objectives, and whose they are.
class FrontPoints {
public:
    /// `outcome` says the problem and the two objectives; `algorithms` are those that search. Both are kept.
    FrontPoints(const MappingOutcome& outcome, const std::vector<std::string>& algorithms);

    /// The points of an algorithm's front that were not returned before.
    explore::PointTable fresh(const std::string& algorithm, const std::vector<mapping::FrontPoint>& front);

private:
    const MappingOutcome& outcome_;
    const std::vector<std::string>& algorithms_;
    std::set<std::tuple<std::string, double, double>> known_;
};

}  // namespace tessera::study

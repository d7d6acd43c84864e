#pragma once

#include <string>
#include <vector>

#include "core/codesign/schedule/schedule.h"

namespace tessera::study {

/// What the scheduling engine found. Times are in the unit of the operators' file.
struct ScheduleOutcome {
    std::string layer;  ///< as its file calls it; may be empty
    std::string method;
    codesign::Cores cores;
    std::vector<codesign::Operator> operators;  ///< as in the file, without the latencies
    codesign::ScheduleResult result;

    /// By how much the makespan may be above the optimum at most, as a share of the makespan.
    double gap() const;
    /// By how much it is below running one operator after the other, as a share of that.
    double gain() const;
};

}  // namespace tessera::study

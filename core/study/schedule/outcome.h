#pragma once

#include <string>
#include <vector>

#include "core/codesign/schedule/schedule.h"

namespace tessera::study {

/// Result of the scheduling engine. Times are in the unit of the operators' file.
struct ScheduleOutcome {
    std::string layer;  ///< as its file calls it; may be empty
    std::string method;
    codesign::Cores cores;
    std::vector<codesign::Operator> operators;  ///< as in the file, without the latencies
    codesign::ScheduleResult result;

    /// Largest distance of the makespan above the optimum, as a share of the makespan.
    double gap() const;
    /// Reduction against running one operator after the other, as a share of that.
    double gain() const;
};

}  // namespace tessera::study

#pragma once

#include <string>

#include "core/base/units.h"
#include "core/study/mapping/outcome.h"

namespace tessera::study {

/// Axis of the objective that the algorithms are compared by.
struct ObjectiveAxis {
    std::string title = "Best so far";
    Measure measure = Measure::count;
    double factor = 1;  ///< from the objective's own unit to what is shown
};

/// Axis and number format of an objective's values.
ObjectiveAxis axisOf(const MappingOutcome& outcome, mapping::Objective objective);

}  // namespace tessera::study

#pragma once

#include <string>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// Estimated run time of a study, and its problems.
struct Estimate {
    std::string text;                   ///< "54 layers, 8 levels of splits, 4 strategies: less than a second"
    double seconds = 0;                 ///< a rough time on one core; 0 where the study cannot run
    std::vector<std::string> problems;  ///< every broken rule as a sentence; empty where the study can run
};

/// Reads the study's inputs and checks every rule that a run would. Never throws for a study that is wrong: its errors
/// are the problems.
Estimate estimate(const Study& study);

}  // namespace tessera::study

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/study/plan/outcome.h"

namespace tessera::report {

/// Groups of a fleet that reach each other at one rate, as a cluster's drawing joins them.
struct LinkLane {
    double rate = 0;                       ///< bytes/s of an accelerator, per direction
    std::vector<std::size_t> groups = {};  ///< rising, two at least
    bool inUse = false;                    ///< by a configuration that lies on several of them
    std::string text = {};                 ///< "50 GB/s each between the groups: the pipeline passes here"
};

/// The links between the groups of a plan's fleet, those at one rate together, the fastest first; what a configuration
/// uses is told. Empty where there is one group.
std::vector<LinkLane> linkLanes(const study::PlanOutcome& outcome, const plan::Configuration& configuration);

}  // namespace tessera::report

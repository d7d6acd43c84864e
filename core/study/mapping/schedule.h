#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/timeline.h"
#include "core/study/mapping/outcome.h"
#include "core/study/result.h"

namespace tessera::study {

/// Meaning of a job's colour.
enum class JobColour : std::uint8_t { kind, model };

/// The schedule of a run as a timeline: a track per core, an event per job, and the bandwidth that each core gets below
/// on the same axis with that of the system (MAGMA, Fig. 15). In seconds and bytes per second where the clock is known,
/// else in cycles and bytes per cycle.
Timeline scheduleTimeline(const MappingOutcome& outcome, const mapping::Run& run, JobColour colour = JobColour::kind);

/// Use of a core in a schedule. Cycles where not said otherwise.
struct CoreUse {
    std::size_t jobs = 0;
    double noStall = 0;  ///< what its jobs would take without stalls
    double stalled = 0;  ///< what waiting for bandwidth adds
    double idle = 0;     ///< after its last job, until the makespan
    double bytes = 0;    ///< that it moves
    double peak = 0;     ///< bytes per cycle, its maximum required bandwidth
};
/// Use of every core.
std::vector<CoreUse> coreUse(const MappingOutcome& outcome, const mapping::Run& run);

/// The run of an algorithm. Throws UsageError where the result has none.
const mapping::Run& runOf(const MappingOutcome& outcome, const std::string& algorithm);

/// Seconds of one cycle where the clock is known, else 1: what cycles are multiplied by to be shown.
double secondsPerCycle(const MappingOutcome& outcome);

}  // namespace tessera::study

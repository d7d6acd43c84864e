#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/study/field.h"
#include "core/study/mapping/outcome.h"
#include "core/study/mapping/schedule.h"
#include "core/study/result.h"

/// Fields of a mapping result's algorithms, cores and jobs.
namespace tessera::study {

/// The run of an algorithm.
struct MappedRun {
    const MappingOutcome* outcome;
    const mapping::Run* run;
};
/// A core under the mapping of an algorithm.
struct MappedCore {
    const MappingOutcome* outcome;
    const mapping::Run* run;
    std::size_t core;
    CoreUse use;
};
/// A job under the mapping of an algorithm.
struct MappedJob {
    const MappingOutcome* outcome;
    const mapping::Run* run;
    std::size_t job;
};

/// Fields of the jobs and the platform, whatever the algorithm.
const std::vector<Field<MappingOutcome>>& problemFields();
const std::vector<Field<MappedRun>>& runFields();
const std::vector<Field<MappedCore>>& coreFields();
const std::vector<Field<MappedJob>>& jobFields();

/// Runs of an outcome, in the study's order of algorithms.
std::vector<MappedRun> mappedRuns(const MappingOutcome& outcome);
std::vector<MappedCore> mappedCores(const MappingOutcome& outcome, const mapping::Run& run);
/// Jobs in the order of their numbers.
std::vector<MappedJob> mappedJobs(const MappingOutcome& outcome, const mapping::Run& run);

/// "1.2 GB/s", or bytes per cycle where the clock is not known.
std::string bandwidthText(const mapping::Problem& problem, double bytesPerCycle);
/// Throughput in FLOP per second (per cycle where the clock is not known); empty if operation counts are unknown.
std::optional<double> throughputOf(const MappingOutcome& outcome, double makespan);

}  // namespace tessera::study

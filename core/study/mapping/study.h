#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cost/dataflow.h"
#include "core/mapping/mapping.h"
#include "core/study/estimate.h"
#include "core/study/mapping/outcome.h"
#include "core/study/parameter.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::study {

/// The mapping engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& mappingParameters();

/// Settings from a study's parameters: the engine's options, without `pareto` and `warmStart`, and what makes its
/// problem.
struct MappingSettings : mapping::Options {
    std::optional<BytesPerSecond> bandwidth = {};  ///< that sub-accelerators share; none: the platform's
    cost::BandwidthDefinition definition = cost::BandwidthDefinition::streaming;
    cost::Variant variant = cost::Variant::corrected;
    std::optional<std::int64_t> groupSize = {};  ///< jobs that are drawn; none: as many as the workload says
    std::optional<std::uint64_t> jobSeed = {};   ///< that they are drawn with; none: the search's
    std::optional<double> bytesPerCycle = {};    ///< bandwidth of a table of jobs
    std::optional<Hertz> clock = {};             ///< of a table of jobs
    std::vector<mapping::Objective> front = {};
    HeldJson start = {};      ///< the mappings to start from; null = none
    HeldJson evaluated = {};  ///< the mapping that is scored instead of a search; null = none
};
/// The parameters must be valid (see readParameter).
MappingSettings mappingSettings(const Study& study);

/// The files behind a study's names, those that they name among them; what comes with the program as a whole (models of
/// the zoo) is none. Throws FileError, DataError, UsageError.
std::vector<InputFile> mappingFiles(const Study& study);

/// Inputs of a study, read: the problem, and everything of the outcome but its result.
struct MappingInputs {
    MappingOutcome outcome;
    std::vector<Input> inputs;
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
};
/// Reads them: a platform with the jobs that are drawn from a workload, or a table of jobs.
/// Throws FileError, DataError, UsageError, InterruptedError.
MappingInputs readMappingInputs(const Study& study, const RunContext& context);

/// The parts of the two functions above that are about a platform and a workload.
std::vector<InputFile> platformFiles(const Study& study);
MappingInputs readPlatformInputs(const Study& study, const RunContext& context);

/// The value of the parameter `warm_start` that starts another run from this one: its problem and its best mappings.
Json warmStartOf(const Result& result);

/// The study that searches on from what this run found. Throws UsageError for another engine's result.
Study continuationOf(const Result& result);

/// Value of `warm_start` and `evaluate` from a file: of a mapping run's result all mappings with their problem, or the
/// best mapping; any other document as it stands. Throws DataError.
Json warmStartIn(const JsonDocument& file);
Json mappingIn(const JsonDocument& file);

/// Maps the study's jobs. Throws like study::run.
Result runMapping(const Study& study, const RunContext& context);

/// See study::estimate.
Estimate estimateMapping(const Study& study);

}  // namespace tessera::study

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/mapping/job_table.h"
#include "core/study/mapping/study.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

/// Parameters that have no meaning for this kind of input.
void refuseParameters(const Study& study, std::initializer_list<const char*> names, const std::string& why) {
    for (const char* name : names)
        if (study.parameters->contains(name))
            throw UsageError(fmt::format("option {} {}", findParameter(mappingParameters(), name)->option, why));
}

MappingInputs tableInputs(const Study& study) {
    refuseParameters(study, {"bandwidth", "group_size", "job_seed"}, "is for a platform; a table of jobs has none");
    const MappingSettings settings = mappingSettings(study);
    if (!settings.bytesPerCycle) throw UsageError("a table of jobs needs a bandwidth: --bandwidth-bytes-per-cycle X");
    const std::string& name = study.workloads[0];
    const std::string bytes = readFile(placeOfInput(name), mapping::kLargestJobTable);
    MappingInputs inputs;
    MappingOutcome& outcome = inputs.outcome;
    outcome.jobTable = std::filesystem::path(name).stem().string();
    outcome.problem = mapping::readJobTable(bytes, name);
    outcome.problem.name = outcome.jobTable;
    outcome.problem.bandwidth = *settings.bytesPerCycle;
    if (settings.clock && !(settings.clock->value > 0))
        throw UsageError("option --clock is 0; expected a frequency above 0");
    outcome.problem.clock = settings.clock;
    if (!(outcome.problem.bandwidth > 0))
        throw UsageError("option --bandwidth-bytes-per-cycle is 0; expected a number above 0");
    for (const std::string& core : outcome.problem.cores) {
        CoreNumbers numbers;
        numbers.name = core;
        numbers.clock = outcome.problem.clock;
        outcome.cores.push_back(std::move(numbers));
    }
    inputs.inputs.push_back({name, sha256(bytes)});
    inputs.assumptions.emplace_back("Latencies and required bandwidths are those of the table of jobs, as given.");
    return inputs;
}

}  // namespace

std::vector<InputFile> mappingFiles(const Study& study) {
    if (study.workloads.size() != 1) return {};
    if (!study.hardware.empty()) return platformFiles(study);
    return {{.hardware = false, .name = study.workloads[0], .path = placeOfInput(study.workloads[0])}};
}

MappingInputs readMappingInputs(const Study& study, const RunContext& context) {
    if (study.workloads.size() != 1) throw UsageError("a mapping study takes exactly one workload or table of jobs");
    if (study.hardware.size() > 1) throw UsageError("a mapping study takes at most one platform");
    const Reading reading(context, "reading the jobs", "the mapping search");
    MappingInputs inputs = study.hardware.empty() ? tableInputs(study) : readPlatformInputs(study, context);
    reading.check();
    return inputs;
}

}  // namespace tessera::study

#include "core/hardware/platform.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/cost/job_analysis.h"
#include "core/cost/workload.h"
#include "core/hardware/library.h"
#include "core/study/mapping/study.h"
#include "core/study/provenance.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

void addSource(hardware::ProvenanceMap& sources, const std::string& field, const hardware::Platform& platform,
               const std::string& path) {
    if (const auto found = platform.provenance.find(path); found != platform.provenance.end())
        sources[field] = found->second;
}

std::vector<CoreNumbers> coreNumbers(const hardware::Platform& platform) {
    const std::vector<std::size_t> rows = hardware::coresOf(platform);
    const std::vector<std::string> names = hardware::coreNames(platform);
    std::vector<CoreNumbers> cores;
    for (std::size_t c = 0; c < rows.size(); ++c) {
        const hardware::SubAccelerator& row = platform.subAccelerators[rows[c]];
        CoreNumbers core;
        core.name = names[c];
        core.dataflow = row.dataflow.name;
        core.height = row.height;
        core.width = row.width;
        core.flexible = row.flexible;
        core.local = row.localBuffer;
        core.shared = row.sharedBuffer;
        core.clock = hardware::clockOf(platform, row);
        const std::string at = fmt::format("sub_accelerators[{}].", rows[c]);
        for (const auto& [field, path] :
             {std::pair("dataflow", "dataflow"), std::pair("height", "height"), std::pair("width", "width"),
              std::pair("local_bytes", "sl_bytes"), std::pair("shared_bytes", "sg_bytes")})
            addSource(core.sources, field, platform, at + path);
        addSource(core.sources, "clock_hz", platform, row.clock ? at + "clock_hz" : "clock_hz");
        cores.push_back(std::move(core));
    }
    return cores;
}

mapping::Problem problemOf(const cost::JobTable& table) {
    mapping::Problem problem;
    problem.name = table.name;
    problem.jobs = table.jobs;
    problem.cores = table.cores;
    problem.latency = table.latency;
    problem.requiredBandwidth = table.requiredBandwidth;
    problem.energy = table.energy;
    problem.macs = table.macs;
    problem.bandwidth = table.bandwidth;
    problem.clock = table.clock;
    return problem;
}

std::vector<InputFile> filesOf(const Study& study, const hardware::Platform& platform, const cost::Workload& workload) {
    std::vector<InputFile> files;
    const auto add = [&](const std::string& name, const std::string& path) {
        addFile(files, {.hardware = true, .name = name, .path = path});
    };
    add(study.hardware[0], platform.file);
    for (const hardware::SubAccelerator& row : platform.subAccelerators)
        for (const hardware::DataflowSource& source : {row.dataflow, row.depthwise})
            if (!source.text.empty() && !source.isInline)
                add(source.name, resolveRelativeTo(platform.file, source.name));
    for (InputFile& file : workloadFiles(study.workloads[0], workload)) addFile(files, std::move(file));
    return files;
}

}  // namespace

std::vector<InputFile> platformFiles(const Study& study) {
    model::LoadOptions load;
    load.dimensions = study.dimensions;
    return filesOf(study, cost::loadPlatform(placeOfInput(study.hardware[0])),
                   cost::loadWorkload(placeOfInput(study.workloads[0]), load));
}

MappingInputs readPlatformInputs(const Study& study, const RunContext& context) {
    hardware::Platform platform = cost::loadPlatform(placeOfInput(study.hardware[0]));
    const MappingSettings settings = mappingSettings(study);
    platform.bandwidth = settings.bandwidth.value_or(platform.bandwidth);
    if (!(platform.bandwidth.value > 0)) throw UsageError("option --bandwidth is 0; expected a bandwidth above 0");
    model::LoadOptions load;
    load.dimensions = study.dimensions;
    const cost::Workload workload = cost::loadWorkload(placeOfInput(study.workloads[0]), load);
    const cost::JobPool pool = cost::jobPool(workload);
    const std::vector<cost::Job> jobs =
        cost::drawGroup(pool, settings.groupSize.value_or(0), settings.jobSeed.value_or(settings.seed));
    const cost::JobTable table = cost::jobTable(
        jobs, platform, {.variant = settings.variant, .bandwidth = settings.definition, .threads = context.threads});

    MappingInputs inputs;
    MappingOutcome& outcome = inputs.outcome;
    outcome.platform = platform.name;
    outcome.workload = workload.name;
    outcome.variant = cost::nameOf(settings.variant);
    outcome.bandwidthDefinition = cost::nameOf(settings.definition);
    outcome.problem = problemOf(table);
    outcome.cores = coreNumbers(platform);
    outcome.differingRows = table.differing;
    for (const cost::Job& job : jobs) {
        outcome.jobModels.push_back(job.model);
        outcome.jobKinds.push_back(lowered(model::nameOf(job.layer.kind)));
    }
    inputs.inputs = inputsOf(filesOf(study, platform, workload));
    inputs.assumptions = table.assumptions;
    inputs.warnings = pool.warnings;
    OwnNumbers own;
    own.add(platform.name, platform.provenance, [&](const std::string& path) {
        return path != "bandwidth_bytes_per_s" || !study.parameters->contains("bandwidth");
    });
    addOnce(inputs.assumptions, own.sentences());
    return inputs;
}

}  // namespace tessera::study

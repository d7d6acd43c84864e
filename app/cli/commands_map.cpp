#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/study.h"

namespace tessera::cli {

namespace {

struct MapArguments {
    std::string platform, workload, jobs, jobTable, seed = "1";
    ParameterTexts parameters;
};

/// A job table excludes the others; a platform needs jobs.
void setInputs(study::Study& study, const MapArguments& options) {
    const bool drawn = !options.workload.empty();
    const bool listed = !options.jobs.empty();
    if (!options.jobTable.empty()) {
        if (!options.platform.empty() || drawn || listed)
            throw UsageError("option --job-table cannot be combined with --platform, --workload or --jobs");
        study.workloads = {options.jobTable};
        return;
    }
    if (options.platform.empty())
        throw UsageError("option --platform is missing (or --job-table with --bandwidth-bytes-per-cycle)");
    if (drawn == listed) throw UsageError("expected one of --workload and --jobs");
    study.hardware = {options.platform};
    study.workloads = {drawn ? options.workload : options.jobs};
}

std::vector<std::string> taken(ParameterTexts& given, const std::string& name) {
    std::vector<std::string> texts;
    std::swap(texts, given.texts[name]);
    return texts;
}

/// Papers write bandwidths as bare numbers of GB/s; here they would be bytes per second.
void refuseBareBandwidth(const ParameterTexts& given) {
    const auto texts = given.texts.find("bandwidth");
    if (texts == given.texts.end() || texts->second.empty()) return;
    const std::string& text = texts->second.back();
    if (text.find_first_not_of("0123456789.eE+-") != std::string::npos) return;
    throw UsageError(fmt::format("option --bandwidth is {}; give a unit, for example {}GB/s", inQuotes(text), text));
}

/// What `--warm-start` names: a file with a result or a mapping, else a run of the history.
Json warmStartNamed(const Context& context, const std::string& name) {
    std::error_code ignored;
    if (!isStandardInput(name) && !std::filesystem::is_regular_file(name, ignored)) {
        const store::Store history = openHistory(context, store::OpenMode::readOnly);
        const store::RunId run = history.find(name);
        const auto result = history.result(run);
        if (!result) throw UsageError(fmt::format("run {} has no result to start from", run));
        return study::warmStartOf(*result);
    }
    return study::warmStartIn(JsonDocument::load(name));
}

/// Reads a mapping that is to be scored against the problem here, so that an error names the file and its line.
Json mappingNamed(const std::string& name, const study::Study& study, Context& context) {
    const JsonDocument document = JsonDocument::load(name);
    const mapping::Problem problem = study::readMappingInputs(study, contextOf(context)).outcome.problem;
    if (!document.root().has("schema")) study::readMapping(document.root(), problem.jobs.size(), problem.cores.size());
    return study::mappingIn(document);
}

}  // namespace

Action addMap(CLI::App& app) {
    const auto options = std::make_shared<MapArguments>();
    addText(app, "--platform", options->platform, "PLATFORM",
            "a platform's file, or a name of 'tessera hardware list --kind platform'");
    addText(app, "--workload", options->workload, "WORKLOAD",
            "a workload's file or a bundled one (vision, language, recommendation, mix), or a MODEL");
    addInput(app, "--jobs", options->jobs, "FILE", "layers to map, in the CSV form of M3E");
    addInput(app, "--job-table", options->jobTable, "FILE",
             "a CSV of what every job takes on every core; with --bandwidth-bytes-per-cycle, without a platform");
    addParameters(app, study::mappingParameters(), options->parameters);
    addText(app, "--seed", options->seed, "N", "seed of the search, and of drawn jobs without --job-seed (default 1)");
    return [options](Context& context) {
        study::Study study = study::newStudy("mapping");
        setInputs(study, *options);
        study.seed = static_cast<std::uint64_t>(wholeOf("--seed", options->seed, 0, kMaxSeed));
        const std::vector<std::string> evaluate = taken(options->parameters, "evaluate");
        const std::vector<std::string> warmStart = taken(options->parameters, "warm_start");
        refuseBareBandwidth(options->parameters);
        setParameters(study, options->parameters);
        if (!warmStart.empty()) study.parameters["warm_start"] = warmStartNamed(context, warmStart.back());
        if (!evaluate.empty()) study.parameters["evaluate"] = mappingNamed(evaluate.back(), study, context);
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli

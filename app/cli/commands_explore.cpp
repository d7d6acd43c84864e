#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/slurm.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/hardware/field.h"
#include "core/physical/measured_table.h"
#include "core/study/document_study.h"
#include "core/study/exploration/inputs.h"
#include "core/study/exploration/settable.h"
#include "core/study/exploration/study.h"
#include "core/study/exploration/variable_text.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "core/study/title.h"

namespace tessera::cli {

namespace {

using study::Study;

struct ExploreOptions {
    std::string study, begin, point, out, seed;
    std::string nodes, ranksPerNode, time, partition;  ///< of a job
    std::vector<std::string> vary, objectives, constraints;
    ParameterTexts parameters;
    bool list = false, slurm = false;
};

/// The parameters that have an option of their own: those that are documents are made of other options.
std::vector<study::Parameter> plainParameters() {
    std::vector<study::Parameter> rows = study::explorationParameters();
    std::erase_if(rows, [](const study::Parameter& row) {
        return row.kind == study::ParameterKind::document || row.kind == study::ParameterKind::list;
    });
    return rows;
}

/// Sets a parameter that is a document, checked as a file's.
void setDocument(Study& exploration, const char* name, const Json& value) {
    const JsonDocument document = study::documentOf(Json{{name, value}}, "the command line");
    exploration.parameters[name] =
        study::readParameter(*study::findParameter(study::explorationParameters(), name), document.root().at(name));
}

Json variableOfOption(const std::string& text, const Study& base) {
    try {
        return study::variableInText(text, base);
    } catch (const UsageError&) {
        throw UsageError(fmt::format("option '--vary' is {}; expected {}", inQuotes(text, 200), study::kVariableForms));
    }
}

/// Adds variables of the command line; one of a name that is there takes its place.
void addVariables(Study& exploration, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    const Study base = study::baseOf(exploration);
    Json list = exploration.parameters->value("variables", Json::array());
    for (const std::string& text : texts) {
        const JsonDocument document = study::documentOf(variableOfOption(text, base), "--vary " + text);
        const Json variable = toJson(study::readVariable(document.root()));
        const auto same = std::find_if(list.begin(), list.end(),
                                       [&](const Json& each) { return each.at("name") == variable.at("name"); });
        if (same != list.end())
            *same = variable;
        else
            list.push_back(variable);
    }
    setDocument(exploration, "variables", list);
}

/// The rows of a CSV as objects by its head.
Json rowsOfCsv(const std::string& path) {
    const physical::MeasuredTable table = physical::readMeasuredTable(readFile(path), path);
    Json rows = Json::array();
    for (const physical::MeasuredRow& each : table.rows) {
        Json row = Json::object();
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            row[table.columns[i]] = study::numberOrText(each.cells[i]);
        rows.push_back(std::move(row));
    }
    return rows;
}

void addBegin(Study& exploration, const std::string& path) {
    if (path.empty()) return;
    // What standard input holds is known by how it begins.
    const bool isJson = isStandardInput(path) ? trimmed(readFile(path)).starts_with("[")
                                              : std::filesystem::path(path).extension() == ".json";
    setDocument(exploration, "begin", isJson ? JsonDocument::load(path).json() : rowsOfCsv(path));
}

Study studyOf(const ExploreOptions& options) {
    Study exploration = explorationOf(options.study);
    addVariables(exploration, options.vary);
    if (!options.objectives.empty()) setDocument(exploration, "objectives", options.objectives);
    if (!options.constraints.empty()) {
        Json list = exploration.parameters->value("constraints", Json::array());
        for (const std::string& constraint : options.constraints) list.push_back(constraint);
        setDocument(exploration, "constraints", list);
    }
    addBegin(exploration, options.begin);
    setParameters(exploration, options.parameters);
    if (!options.seed.empty())
        exploration.seed = static_cast<std::uint64_t>(wholeOf("--seed", options.seed, 0, kMaxSeed));
    return exploration;
}

/// What of a study can vary, and which metrics it has.
void listSpace(Context& context, const ExploreOptions& options) {
    Study exploration = explorationOf(options.study);
    addVariables(exploration, options.vary);
    const Study base = study::baseOf(exploration);
    const InputScope inputs;
    const std::vector<study::Settable> settables = study::settablesOf(study::choicesOf(exploration));
    std::optional<study::Result> result;
    std::string reason;
    try {
        result = study::run(base, contextOf(context));
    } catch (const InfeasibleError& error) {
        reason = error.what();
    }
    context.console.endProgress();
    Json json = study::documentHead("tessera.exploration-space/1", "explore",
                                    result ? result->inputs : std::vector<study::Input>());
    json["study"] = study::toJson(base);
    report::Table varies, metrics;
    varies.columns = {{"sets"}, {"name"}, {"now", true}, {"unit"}, {"takes"}, {"what it is"}};
    metrics.columns = {{"metric"}, {"now", true}, {"better"}, {"title"}};
    Json& listed = json["variables"] = Json::array();
    for (const study::Settable& each : settables) {
        // As --vary takes it.
        varies.rows.push_back({each.kind, each.nameInLine(), each.now, each.unit, each.takes,
                               each.title.empty() ? each.help : each.title});
        listed.push_back({{"target", each.kind},
                          {"of", each.name},
                          {"title", each.title},
                          {"now", each.now},
                          {"unit", each.unit},
                          {"takes", each.takes},
                          {"help", each.help}});
    }
    Json& numbers = json["metrics"] = Json::array();
    if (result)
        for (const study::Metric& metric : study::metricsOf(*result)) {
            if (!metric.owner.empty()) continue;
            const std::string better(study::kBetterNames.of(metric.better));
            metrics.rows.push_back({metric.name, study::textOf(metric), better, metric.title});
            numbers.push_back(
                {{"id", metric.name}, {"title", metric.title}, {"now", metric.value}, {"better", better}});
        }
    study::finishDocument(json, {}, {});
    if (context.common.json) {
        context.console.printJson(json);
        return;
    }
    context.console.print("What can vary\n" + report::toText(varies));
    context.console.print(result ? "\nMetrics\n" + report::toText(metrics)
                                 : fmt::format("\nThe study has no metrics as it is: {}\n", reason));
}

/// Writes the study of a point of a run, with the hardware that it names.
void writePoint(Context& context, const ExploreOptions& options) {
    const store::Store history = openHistory(context, store::OpenMode::readOnly);
    const store::RunId run = history.find(options.study);
    const std::optional<study::Result> result = history.result(run);
    if (!result) throw UsageError(fmt::format("run {} has no result", run));
    if (result->outcome.as<study::ExplorationOutcome>() == nullptr)
        throw UsageError(fmt::format("run {} is no exploration; '--point' takes a point of one", run));
    const auto& outcome = result->outcome.get<study::ExplorationOutcome>();
    const std::int64_t number = wholeOf("--point", options.point, 1, static_cast<std::int64_t>(outcome.points.size()));
    const std::string out = options.out.empty() ? fmt::format("point-{}.json", number) : options.out;
    const InputScope inputs(
        std::make_shared<InputFiles>([&history, run] { return store::storedInputs(history, run); }));
    const auto files = study::pointStudyFiles(*result, static_cast<std::size_t>(number - 1), out);
    std::vector<std::string> names;
    writeFiles(files);
    for (const auto& [path, bytes] : files) names.push_back(path.string());
    if (!context.common.json) {
        context.console.print(
            fmt::format("{}: the study of point {} of run {}{}\n", escaped(out), number, run,
                        names.size() > 1 ? fmt::format(", with {} beside it", names.size() - 1) : ""));
        return;
    }
    Json json = study::documentHead("tessera.exploration-point/1", "explore", result->inputs);
    json["run"] = run;
    json["point"] = number;
    json["files"] = names;
    study::finishDocument(json, {}, {});
    context.console.printJson(json);
}

/// The options that only a job has.
void refuseJobOptions(const ExploreOptions& options) {
    for (const auto& [name, value] : {std::pair("--nodes", &options.nodes),
                                      {"--ranks-per-node", &options.ranksPerNode},
                                      {"--time", &options.time},
                                      {"--partition", &options.partition}})
        if (!value->empty()) throw UsageError(fmt::format("option '{}' is for --slurm", name));
}

/// Writes a job script of Slurm, with the study beside it.
void writeJob(Context& context, const ExploreOptions& options) {
    constexpr std::int64_t kMostNodes = 100'000, kMostRanks = 1024;
    if (options.out.empty()) throw UsageError("option '--slurm' needs --out, the job script that is written");
    const Study exploration = studyOf(options);
    SlurmJob job{.name = exploration.name.empty() ? "Exploration of " + study::titleOf(study::baseOf(exploration))
                                                  : exploration.name,
                 .script = options.out,
                 .time = options.time,
                 .partition = options.partition,
                 .threads = context.common.threads};
    if (!options.nodes.empty()) job.nodes = wholeOf("--nodes", options.nodes, 1, kMostNodes);
    if (!options.ranksPerNode.empty())
        job.ranksPerNode = wholeOf("--ranks-per-node", options.ranksPerNode, 1, kMostRanks);
    if (studyOfJob(job) == job.script || historyOfJob(job) == job.script)
        throw UsageError(
            fmt::format("option '--out' is {}; expected a name that does not end with .json or .db, which "
                        "are of the study and the history beside it",
                        inQuotes(options.out, 200)));
    const std::vector<std::pair<std::filesystem::path, std::string>> files{
        {job.script, slurmScript(job)}, {studyOfJob(job), toText(study::toJson(exploration))}};
    for (const auto& [path, bytes] : files) writeFile(path, bytes);
    if (context.common.json) {
        Json json = study::documentHead("tessera.exploration-job/1", "explore", {});
        json["script"] = job.script;
        json["study"] = studyOfJob(job);
        json["history"] = historyOfJob(job);
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
        return;
    }
    context.console.print(fmt::format("{}: a job of {} for 'sbatch', with {} beside it\n", escaped(job.script),
                                      formatCounted(job.nodes, "node", "nodes"), escaped(studyOfJob(job))));
}

}  // namespace

Action addExplore(CLI::App& app) {
    const auto options = std::make_shared<ExploreOptions>();
    addText(app, "STUDY", options->study, "",
            "an exploration or any other study, as a file or by its bundled name; with --point a run's number, name or "
            "uid, or 'last'")
        ->required();
    offer(
        addTexts(app, "--vary", options->vary, "NAME=VALUES",
                 "what varies: a parameter, 'models', 'workloads' or 'hardware', 'dim.NAME', or the path of a hardware "
                 "field, over LOW..HIGH, LOW..HIGH:log, LOW..HIGH:STEP or values with commas between them (texts with "
                 "commas in "
                 "quotation marks); ALIAS@NAME gives the variable another name; may be repeated"),
        {"@variables"});
    offer(addTexts(app, "--objective", options->objectives, "METRIC[:min|:max]",
                   "a metric to minimise or maximise; may be repeated"),
          {"@objectives"});
    offer(addTexts(app, "--constraint", options->constraints, "METRIC<=VALUE", "a limit, also >=; may be repeated"),
          {"@constraints"});
    addInput(
        app, "--begin", options->begin, "FILE",
        "points to evaluate first, as CSV with the variables' names in its first line; of the method list the only "
        "ones");
    addParameters(app, plainParameters(), options->parameters);
    addText(app, "--seed", options->seed, "N", "seed of random numbers (default 1)");
    app.add_flag("--list", options->list, "lists what of a study can vary, and its metrics");
    addText(app, "--point", options->point, "N",
            "writes the study of this point of a run, which 'tessera run' repeats");
    addFile(app, kOut, options->out, "FILE",
            "where --point writes it (default point-N.json), or the job script of --slurm");
    app.add_flag("--slurm", options->slurm,
                 "writes a job script of Slurm that explores on several nodes, with the study beside it");
    addText(app, "--nodes", options->nodes, "N", "nodes of the job (default 1)");
    addText(app, "--ranks-per-node", options->ranksPerNode, "N",
            "processes on each node, which share its cores (default 1; one has at most 64 threads)");
    addText(app, "--time", options->time, "T", "limit of the job's time, as Slurm takes it: 04:30:00, 2-12");
    addText(app, "--partition", options->partition, "NAME", "partition of the job");
    return [options](Context& context) {
        if (options->list) return listSpace(context, *options);
        if (!options->point.empty()) return writePoint(context, *options);
        if (options->slurm) return writeJob(context, *options);
        refuseJobOptions(*options);
        if (!options->out.empty())
            throw UsageError("option '--out' is for --point and --slurm; results go to the history");
        context.keepsBest = true;
        show(context, runRecorded(context, studyOf(*options)));
    };
}

}  // namespace tessera::cli

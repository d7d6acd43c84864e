#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "app/cli/sweep.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/draw/table.h"
#include "core/model/readers/readers.h"
#include "core/report/partition_report.h"
#include "core/report/report_document.h"
#include "core/study/partition/study.h"
#include "core/study/study.h"

namespace tessera::cli {

namespace {

/// The bundled studies of the tour, in the order of their reports: of every engine that does not measure this machine.
constexpr std::array<std::string_view, 10> kTour{
    "llama3.1-405b-512-h100", "resnet50-mixed-tpus",   "vgg19-mixed-gpus",        "mixed-jobs-race",
    "bert-large-accelerator", "resnet50-accelerators", "megatron-8.3b-placement", "mixture-of-experts-schedule",
    "resnet50-layers-nvdla",  "hbm-nvlink-price"};

void tour(Context& context, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directory(folder, error);  // not those above it, which a slip of the pen would name
    if (error) throw FileError(fmt::format("{}: cannot be made: {}", escaped(folder), error.message()));
    std::vector<study::Result> results;
    std::vector<std::string> files;
    report::Table table;
    table.columns = {{"study"}, {"finding"}, {"file"}};
    Json json = study::documentHead("tessera.tour/1", "tour", {});
    Json& studies = json["studies"] = Json::array();
    for (const std::string_view id : kTour) {
        const std::string name(id);
        results.push_back(runFile(context, name, study::loadStudy(name)));
        const study::Result& result = results.back();
        const std::string file = (std::filesystem::path(folder) / (name + ".json")).string();
        writeFile(file, toText(study::toJson(result)));
        const std::string finding = study::headline(result);
        table.rows.push_back({result.study.name, finding, file});
        studies.push_back({{"name", result.study.name}, {"finding", finding}, {"file", file}});
        context.console.warn(result.warnings);
    }
    const std::string page = (std::filesystem::path(folder) / "report.html").string();
    std::vector<report::ReportRun> runs;
    for (const study::Result& result : results) runs.push_back({.title = "", .result = &result});
    writeFile(page, report::htmlReport("Tessera tour", runs, {.comparison = false}));
    json["report"] = page;
    study::finishDocument(json, {}, {});
    context.console.endProgress();
    if (context.common.json)
        context.console.printJson(json);
    else
        context.console.print(report::toText(table) + fmt::format("\nReport: {}\n", escaped(page)));
    finishRecording(context);
}

}  // namespace

Action addPartition(CLI::App& app) {
    struct Options {
        std::string model;
        std::string fleet;
        std::vector<std::string> dimensions;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "--model", options->model, "MODEL",
            fmt::format("a file ({}) or zoo:NAME", fmt::join(model::modelSuffixes(), ", ")))
        ->required();
    addText(app, "--fleet", options->fleet, "FLEET", "a fleet's file, or a name of 'tessera hardware list'")
        ->required();
    addTexts(app, "--dim", options->dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
    addParameters(app, study::partitionParameters(), options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("partition");
        study.models = {options->model};
        study.hardware = {options->fleet};
        study.dimensions = dimensionsOf(options->dimensions);
        const std::string dtype = study.parameters->at("dtype").get<std::string>();
        study::inferParameters(study);
        setParameters(study, options->parameters);
        const study::Result result = runRecorded(context, study);
        const std::string taken = result.study.parameters->at("dtype").get<std::string>();
        if (options->parameters.texts["dtype"].empty() && taken != dtype)
            context.console.showWarnings(
                {fmt::format("Not every accelerator of the fleet has a peak for {}, so {} is taken; --dtype chooses.",
                             dtype, taken)});
        show(context, result);
    };
}

Action addRun(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    addText(app, "STUDY", *name, "", "a study file, or the name of a bundled study")->required();
    return [name](Context& context) {
        const study::Study study = study::loadStudy(*name);
        refuseSeveral(context, study);
        show(context, runFile(context, *name, study));
    };
}

Action addResume(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    addText(app, "RUN", *name, "", "a run's number, name or uid, or 'last'")->required();
    return [name](Context& context) {
        const store::Store history = openHistory(context, store::OpenMode::readOnly);
        const store::RunId run = history.find(*name);
        if (resumeSweep(context, history, run)) return;
        if (const auto finished = history.result(run)) {
            show(context, *finished);
            return;
        }
        if (context.common.noStore) {
            study::RunContext runContext = contextOf(context);
            if (const std::optional<Json> state = history.checkpoint(run)) runContext.resume = *state;
            show(context, study::run(history.study(run), runContext));
            return;
        }
        show(context, runRecorded(context, history.study(run), run));
    };
}

Action addTour(CLI::App& app) {
    const auto folder = std::make_shared<std::string>("tessera-tour");
    addText(app, kOut, *folder, "DIR", "where results and report go (default tessera-tour)");
    return [folder](Context& context) { tour(context, *folder); };
}

}  // namespace tessera::cli

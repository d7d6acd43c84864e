#include "app/cli/command.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace tessera::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> kCommands{
        {"model list", "List the models of the zoo.", "tessera model list", addModelList},
        {"model inspect", "Count a model's parameters, operations and activations, and the work of training it.",
         "tessera model inspect zoo:resnet50 --batch 8 --layers", addModelInspect},
        {"model convert", "Write a model in another format.",
         "tessera model convert zoo:alexnet --to dot --out alexnet.dot", addModelConvert},
        {"hardware list", "List the bundled and own hardware.", "tessera hardware list --kind fleet", addHardwareList},
        {"hardware show", "Show an accelerator, a fleet, a platform or a template.",
         "tessera hardware show accpar-heterogeneous", addHardwareShow},
        {"hardware copy", "Write a copy of bundled hardware, to be edited.",
         "tessera hardware copy accpar-heterogeneous mine.json", addHardwareCopy},
        {"hardware validate", "Check a hardware file.", "tessera hardware validate accpar-heterogeneous",
         addHardwareValidate},
        {"partition", "Split every layer's tensors over an array of accelerators and compare strategies.",
         "tessera partition --model zoo:resnet50 --fleet accpar-heterogeneous --batch 512", addPartition},
        {"map", "Assign jobs to the cores of an accelerator that share its bandwidth, and order them.",
         "tessera map --workload mix --platform S2 --bandwidth 32GB/s --algorithm magma,tessera --samples 10000",
         addMap},
        {"predict", "Predict training throughput and price of a model on accelerators.",
         "tessera predict --model zoo:resnet50 --accelerator a100-40gb,sn30,bow,cs2,gaudi2 --devices 1,8", addPredict},
        {"plan", "Find the parallel configuration in which a model is trained best on a fleet.",
         "tessera plan --model zoo:llama3.1-405b --fleet dgx-h100x64 --global-batch 2048 --sequence 8192", addPlan},
        {"calibrate", "Measure this machine and make an accelerator of it that 'predict' knows as this-machine.",
         "tessera calibrate --quick --for zoo:lenet5 --time-limit 5s --out this-machine.json", addCalibrate},
        {"validate", "Predict measured kernels, collectives and schedules, and show the errors beside published peers.",
         "tessera validate schedules", addValidate, true},
        {"fit", "Fit the kernels of an accelerator to measurements, and keep them in its description.",
         "tessera fit --kernels v100 --accelerator v100 --out v100-fitted.json", addFit},
        {"explore", "Explore how a study's results follow its parameters, inputs and the fields of its hardware.",
         "tessera explore resnet50-layers-nvdla --vary pes=256..4096:log --vary offchip_bandwidth=8..128:log "
         "--objective cycles --method random --points 20",
         addExplore, true},
        {"sweep", "Run a study over a range of any parameter.",
         "tessera sweep resnet50-mixed-tpus --over batch=128,512 --over levels=2,4", addSweep, true},
        {"cost", "Estimate latency, energy and buffer sizes of every layer of a list on one array under a dataflow.",
         "tessera cost --jobs zoo:alexnet --dataflow nvdla --pes 2048", addCost},
        {"place", "Place a model's layers on many accelerators: pipeline stages, replicas, tensor-parallel degree.",
         "tessera place --layers bert-large --global-batch 4096", addPlace},
        {"codesign", "Search an accelerator's architecture together with the placement of models on a cluster of it.",
         "tessera codesign --model zoo:bert-large --accelerators 64 --global-batch 256 --search random --samples 50",
         addCodesign},
        {"schedule", "Schedule the operators of a layer on the cores of one accelerator.",
         "tessera schedule --operators mixture-of-experts", addSchedule},
        {"run", "Run a study file, or a bundled study by its name.", "tessera run resnet50-mixed-tpus", addRun, true},
        {"resume", "Continue an interrupted run of the history.", "tessera resume last", addResume, true},
        {"history list", "List the runs of the history, newest first.",
         "tessera history list --engine partition --sort step_time_s --ascending", addHistoryList},
        {"history show", "Show a run: study, inputs, metrics, notes.", "tessera history show last", addHistoryShow},
        {"history search", "Find runs by words in names, tags, notes, models and hardware.",
         "tessera history search resnet", addHistorySearch},
        {"history compare", "Compare runs: differences in inputs, metrics and layers.", "tessera history compare 1 2",
         addHistoryCompare},
        {"history export", "Write runs into a file that another history imports, or an Optuna study.",
         "tessera history export last --out run.tessera", addHistoryExport},
        {"history import", "Add the runs of an exported file.", "tessera history import run.tessera", addHistoryImport},
        {"history merge", "Add the runs of another history that are not here yet.",
         "tessera history merge history-backup.db", addHistoryMerge},
        {"history backup", "Copy the history while it may be in use.", "tessera history backup history-backup.db",
         addHistoryBackup},
        {"history vacuum", "Remove deleted runs for good and free their space.", "tessera history vacuum",
         addHistoryVacuum},
        {"history verify", "Check the file, its references and the hashes of its contents.", "tessera history verify",
         addHistoryVerify},
        {"history delete", "Delete runs; --restore brings them back until 'vacuum' removes them.",
         "tessera history delete last", addHistoryDelete},
        {"history tag", "Add tags to a run, or remove them.", "tessera history tag last baseline", addHistoryTag},
        {"history note", "Write a run's note.", "tessera history note last chosen-for-the-spring-order",
         addHistoryNote},
        {"history star", "Star runs.", "tessera history star last", addHistoryStar},
        {"report", "Write a report of runs: HTML, PDF or Markdown.", "tessera report last --out report.html",
         addReport},
        {"export", "Write a run's table, timeline or picture.", "tessera export last --what chart --out types.svg",
         addExport},
        {"reproduce", "Recompute figures of papers, the paper's number beside ours; 'list' names them.",
         "tessera reproduce accpar-fig5", addReproduce, true},
        {"schema", "Print the JSON Schema of a kind of document that commands read or write.", "tessera schema fleet",
         addSchema},
        {"tour", "Run the bundled studies and write a report.", "tessera tour --out tour", addTour},
    };
    return kCommands;
}

CLI::Option* addText(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                     const std::string& help) {
    return app.add_option(names, value, help)->type_name(valueName)->take_last();
}

namespace {

std::string problemOfName(const std::string& name) {
    return name.empty() ? "expected a file's name" : "";
}

}  // namespace

CLI::Option* addInput(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                      const std::string& help) {
    return addText(app, names, value, valueName, help)->check(problemOfName);
}

CLI::Option* addFile(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                     const std::string& help) {
    return addInput(app, names, value, valueName, help)->check([](const std::string& name) {
        return name == kStandardStream ? std::string("expected a file's name, not '-'") : "";
    });
}

CLI::Option* addOut(CLI::App& app, std::string& file, const std::string& help) {
    return addText(app, kOut, file, "FILE", help + "; '-' is standard output")->check(problemOfName);
}

void writeOut(const Context& context, const std::string& file, std::string_view bytes, const std::string& sentence) {
    if (file == kStandardStream) {
        if (context.common.json)
            throw UsageError("option '--out' is '-', where --json writes its document; expected a file");
        context.console.print(bytes);
        return;
    }
    writeFile(file, bytes);
    if (!context.common.json) context.console.print(sentence);
}

std::string suffixOf(const std::string& file, const std::string& format) {
    if (!format.empty()) return "." + lowered(format);
    if (file == kStandardStream)
        throw UsageError("option '--out' is '-', whose name does not tell the format; expected --format, too");
    return lowered(std::filesystem::path(file).extension().string());
}

CLI::Option* addTexts(CLI::App& app, const std::string& names, std::vector<std::string>& values,
                      const std::string& valueName, const std::string& help) {
    return app.add_option(names, values, help)
        ->type_name(valueName)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::int64_t wholeOf(const std::string& option, const std::string& text, std::int64_t min, std::int64_t max) {
    return wholeIn(fmt::format("option '{}'", option), text, min, max);
}

std::int64_t wholeIn(const std::string& what, const std::string& text, std::int64_t min, std::int64_t max) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
        throw UsageError(
            fmt::format("{} is {}; expected a whole number from {} to {}", what, inQuotes(text), min, max));
    return value;
}

std::map<std::string, std::int64_t> dimensionsOf(const std::vector<std::string>& texts) {
    std::map<std::string, std::int64_t> dimensions;
    for (const std::string& text : texts) {
        const std::size_t at = text.rfind('=');
        if (at == std::string::npos || at == 0)
            throw UsageError(fmt::format("option '--dim' is {}; expected NAME=N", inQuotes(text)));
        dimensions[text.substr(0, at)] = wholeOf("--dim " + escaped(text.substr(0, at)), text.substr(at + 1), 0,
                                                 std::numeric_limits<std::int32_t>::max());
    }
    return dimensions;
}

}  // namespace tessera::cli

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/calibrate.h"
#include "core/calibrate/grid.h"
#include "core/draw/table.h"
#include "core/model/model.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

struct Options {
    std::string out, model, batch = "1,4,16", optimizer = "adam", dtypes, timeLimit;
    std::vector<std::string> dimensions;
    bool quick = false, noTcp = false;
};

std::vector<std::int64_t> batchesOf(const std::string& text) {
    std::vector<std::int64_t> batches;
    for (const std::string_view part : split(text, ',')) {
        batches.push_back(wholeOf("--batch", std::string(trimmed(part)), 1, calibrate::kMostBatch));
        if (batches.size() > calibrate::kMostBatches)
            throw UsageError("option '--batch' names more than 64 batch sizes");
    }
    return batches;
}

/// None where the option is not given.
std::vector<std::string> dtypesOf(const std::string& text) {
    std::vector<std::string> dtypes;
    if (text.empty()) return dtypes;
    for (const std::string_view part : split(text, ',')) {
        const std::string_view dtype = trimmed(part);
        if (dtype != "fp32" && dtype != "bf16")
            throw UsageError(fmt::format("option '--dtype' is {}; expected fp32, bf16 or both, separated by a comma",
                                         inQuotes(text)));
        dtypes.emplace_back(dtype);
    }
    return dtypes;
}

std::optional<double> limitOf(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const std::optional<double> seconds = parseQuantity(text, Measure::seconds);
    if (!seconds || !(*seconds >= calibrate::kLeastSeconds) || *seconds > calibrate::kMostSeconds)
        throw UsageError(fmt::format("option '--time-limit' is {}; expected a time from 1s to 3600s", inQuotes(text)));
    return seconds;
}

model::Optimizer optimizerOf(const std::string& name) {
    std::vector<std::string> names;
    for (const model::OptimizerKind& row : model::optimizerKinds()) {
        if (row.id == name) return row.optimizer;
        names.emplace_back(row.id);
    }
    throw UsageError(
        fmt::format("option '--optimizer' is {}; expected one of {}", inQuotes(name), joined(names, ", ")));
}

/// The kernels of a step of training.
std::vector<calibrate::Request> kernelsOf(const Options& options, std::vector<study::Input>& inputs) {
    const std::vector<std::int64_t> batches = batchesOf(options.batch);
    const model::Optimizer optimizer = optimizerOf(options.optimizer);
    if (options.model.empty()) return {};
    model::LoadOptions load;
    load.dimensions = dimensionsOf(options.dimensions);
    const model::Model model = model::loadModel(options.model, load);
    inputs.push_back({options.model, model.sha256});
    return calibrate::requestsOf(model, optimizer, batches);
}

struct Done {
    calibrate::Calibration made;
    calibrate::Files files;
    std::vector<study::Input> inputs;
};

Json jsonOf(const Done& done) {
    const calibrate::Calibration& made = done.made;
    Json json = study::documentHead("tessera.calibration/1", "calibrate", done.inputs);
    json["accelerator"] = done.files.accelerator.string();
    json["kernels"] = done.files.kernels.string();
    json["measured_by"] = made.measuredBy;
    json["time_s"] = made.seconds;
    json["noisy"] = made.agreement.noisy;
    json["agreement"] = {{"kernels", made.agreement.compared},
                         {"median_difference", made.agreement.difference},
                         {"rank_correlation", made.agreement.rank}};
    json["repetitions"] = made.kernels.repetitions;
    json["outliers"] = made.kernels.dropped;
    json["not_known"] = made.kernels.unknown.size();
    json["not_reached"] = made.kernels.outOfTime.size();
    Json& rows = json["rows"] = Json::array();
    for (const calibrate::Measured& one : made.kernels.measured)
        rows.push_back({{"kernel", one.request.kernel},
                        {"shape", calibrate::shapeText(one.request.sizes)},
                        {"dtype", one.request.dtype},
                        {"time_s", one.seconds()},
                        {"spread", one.spread()}});
    study::finishDocument(
        json,
        {"One device is one process with the threads that were measured.",
         "Operands lie row-major in memory, not in a cache; bringing them into other layouts and back "
         "is part of a kernel's time."},
        made.warnings);
    return json;
}

std::string textOf(const Done& done) {
    const calibrate::Calibration& made = done.made;
    report::Table rates;
    rates.columns = {{"what"}, {"rate", true}, {"capacity", true}};
    for (const calibrate::Rate& rate : calibrate::ratesOf(made.accelerator))
        rates.rows.push_back({rate.name, formatQuantity(rate.value, rate.measure),
                              rate.capacity ? formatQuantity(rate.capacity->value, Measure::bytes) : ""});
    std::string text = report::toText(rates);
    text += fmt::format("\n{} in {} kernels and shapes, {} repetitions, {} outliers left out, in {}\n{}\n",
                        made.measuredBy, made.kernels.measured.size(), made.kernels.repetitions, made.kernels.dropped,
                        formatQuantity(made.seconds, Measure::seconds), made.agreement.sentence);
    for (const std::string& warning : made.warnings)
        if (warning != made.agreement.sentence) text += warning + "\n";
    return text + fmt::format("\nwritten to {}\nkernels in {}\n", done.files.accelerator.string(),
                              done.files.kernels.string());
}

}  // namespace

Action addCalibrate(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    addFile(app, "--out", options->out, "FILE",
            "the accelerator's file, with its kernels beside it (default: this-machine, in your own hardware)");
    app.add_flag("--quick", options->quick, "fewer shapes, in 30 s instead of 180 s");
    addText(app, "--for", options->model, "MODEL", "first measures the operators of training this model");
    addTexts(app, "--dim", options->dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
    addText(app, "--batch", options->batch, "LIST", "batch sizes of that model, separated by commas (default 1,4,16)");
    addText(app, "--optimizer", options->optimizer, "NAME", "its optimiser: sgd, momentum, adam (default adam)");
    addText(app, "--dtype", options->dtypes, "LIST",
            "data types of kernels: fp32, bf16 (default fp32, and bf16 where the processor has instructions for it)");
    app.add_flag("--no-tcp", options->noTcp,
                 "opens no network socket: leaves out all-reduce over TCP, which frameworks use and which is otherwise "
                 "measured on the loopback interface");
    addText(app, "--time-limit", options->timeLimit, "TIME",
            "at most this long in all (default 180s, 30s with --quick)");
    return [options](Context& context) {
        Done done;
        calibrate::Options how;
        how.quick = options->quick;
        how.seconds = limitOf(options->timeLimit);
        how.threads = context.threads;
        how.dtypes = dtypesOf(options->dtypes);
        how.kernels = kernelsOf(*options, done.inputs);
        how.tcp = !options->noTcp;
        done.files = options->out.empty() ? calibrate::filesInLibrary() : calibrate::filesAt(options->out);
        calibrate::makeFolders(done.files);  // before the work
        done.made = calibrate::calibrate(how, context.control());
        calibrate::write(done.made, done.files);
        context.console.endProgress();
        if (context.common.json)
            context.console.printJson(jsonOf(done));
        else
            context.console.print(textOf(done));
    };
}

}  // namespace tessera::cli

#include "core/study/calibrate/study.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/grid.h"
#include "core/model/model.h"
#include "core/study/names.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

constexpr double kMaxThreads = 1024;

/// What the study says, with its model read.
struct Inputs {
    calibrate::Options options;
    std::vector<Input> inputs;
};

Inputs readInputs(const Study& study, const RunHooks& hooks) {
    if (study.models.size() > 1) throw UsageError("a calibration takes at most one model");
    const Reading reading(hooks, "reading the model", std::string(calibrate::kCalibration));
    const Json given = completeParameters(study);
    Inputs inputs;
    calibrate::Options& options = inputs.options;
    options.quick = given.at("quick").get<bool>();
    options.tcp = given.at("tcp").get<bool>();
    options.threads = given.at("threads").get<unsigned>();
    if (given.contains("time_limit")) options.seconds = given.at("time_limit").get<double>();
    if (given.contains("dtypes")) options.dtypes = given.at("dtypes").get<std::vector<std::string>>();
    const std::vector<std::int64_t> batches =
        wholeNumbers("--batch", given.at("batch").get<std::string>(), calibrate::kMaxBatch);
    if (study.models.empty()) return inputs;
    model::Optimizer optimizer = model::Optimizer::adam;
    for (const model::OptimizerKind& row : model::optimizerKinds())
        if (row.id == given.at("optimizer").get<std::string>()) optimizer = row.optimizer;
    model::LoadOptions load;
    load.dimensions = study.dimensions;
    const model::Model model = model::loadModel(hooks.located(study.models[0]), load);
    inputs.inputs.push_back({study.models[0], model.sha256});
    options.kernels = calibrate::requestsOf(model, optimizer, batches);
    reading.check();
    return inputs;
}

CalibrationOutcome outcomeOf(calibrate::Calibration made) {
    CalibrationOutcome outcome;
    outcome.unknown = made.kernels.unknown.size();
    outcome.outOfTime = made.kernels.outOfTime.size();
    made.kernels.unknown.clear();
    made.kernels.outOfTime.clear();
    for (calibrate::Measured& one : made.kernels.measured)
        one.passes = {{.seconds = one.seconds(), .spread = one.spread()}};
    made.warnings.clear();
    outcome.made = std::move(made);
    return outcome;
}

}  // namespace

const std::vector<Parameter>& calibrationParameters() {
    static const std::vector<Parameter> kParameters{
        {.name = "quick",
         .option = "--quick",
         .label = "Fewer shapes",
         .kind = ParameterKind::flag,
         .fallback = "false",
         .words = {},
         .value = {},
         .help = "fewer shapes, in 30 s instead of 180 s"},
        {.name = "batch",
         .option = "--batch",
         .kind = ParameterKind::text,
         .fallback = R"("1,4,16")",
         .words = {},
         .value = "LIST",
         .help = "batch sizes of the model, separated by commas"},
        {.name = "optimizer",
         .option = "--optimizer",
         .kind = ParameterKind::word,
         .fallback = R"("adam")",
         .words = idsOf(model::optimizerKinds()),
         .value = "NAME",
         .help = "the model's optimiser"},
        {.name = "dtypes",
         .option = "--dtype",
         .label = "Data types",
         .kind = ParameterKind::words,
         .fallback = "",
         .words = {"fp32", "bf16"},
         .value = "LIST",
         .help = "data types of kernels; without it fp32, and bf16 where the processor has instructions for it"},
        {.name = "tcp",
         .option = "--no-tcp",
         .label = "No network",
         .kind = ParameterKind::flag,
         .fallback = "true",
         .words = {},
         .value = {},
         .help = "opens no network socket: leaves out all-reduce over TCP, which frameworks use"},
        {.name = "time_limit",
         .option = "--time-limit",
         .kind = ParameterKind::number,
         .measure = Measure::seconds,
         .fallback = "",
         .min = calibrate::kMinSeconds,
         .max = calibrate::kMaxSeconds,
         .words = {},
         .value = "TIME",
         .help = "at most this long in all; without it 180 s, or 30 s where shapes are fewer"},
        {.name = "threads",
         .option = "--threads",
         .kind = ParameterKind::whole,
         .fallback = "0",
         .min = 0,
         .max = kMaxThreads,
         .words = {},
         .value = "N",
         .help = "threads of the process that is one device; 0 takes all cores"},
    };
    return kParameters;
}

Result runCalibration(const Study& study, const RunHooks& hooks) {
    Inputs inputs = readInputs(study, hooks);
    calibrate::Calibration made = calibrate::calibrate(inputs.options, hooks);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.warnings = std::move(made.warnings);
    reportWarnings(hooks, result.warnings);
    result.assumptions = {"The numbers were measured: measured again, they are a little others.",
                          "One device is one process with the threads that were measured.",
                          "Operands lie row-major in memory, not in a cache; bringing them into other layouts and back "
                          "is part of a kernel's time."};
    result.outcome = outcomeOf(std::move(made));
    return result;
}

Estimate estimateCalibration(const Study& study) {
    Estimate estimate;
    const calibrate::Options options = readInputs(study, {}).options;
    estimate.seconds = calibrate::limitOf(options);
    std::string what = "rates of this machine";
    if (!options.kernels.empty())
        what += fmt::format(", {} of the model", formatCounted(static_cast<double>(options.kernels.size()),
                                                               "kernel and shape", "kernels and shapes"));
    estimate.text = fmt::format("{}, and {} of shapes: {}", what, options.quick ? "a coarse grid" : "the whole grid",
                                formatWait(estimate.seconds));
    return estimate;
}

}  // namespace tessera::study

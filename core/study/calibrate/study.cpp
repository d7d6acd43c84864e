#include "core/study/calibrate/study.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/grid.h"
#include "core/model/model.h"
#include "core/study/option_table.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

constexpr double kMaxThreads = 1024;

/// What a study's parameters mean: the engine's options, and what is measured of a model.
struct Settings : calibrate::Options {
    std::vector<std::int64_t> batches;
    model::Optimizer optimizer = model::Optimizer::adam;
};

const OptionTable<Settings>& calibrationTable() {
    static const OptionTable<Settings> kTable{
        {"quick", "--quick", &Settings::quick, Values::flag().labelled("Fewer shapes"),
         "fewer shapes, in 30 s instead of 180 s"},
        {"batch", "--batch LIST", wholeNumbersInto(&Settings::batches, "--batch", calibrate::kMaxBatch),
         Values::text().byDefault("1,4,16"), "batch sizes of the model, separated by commas"},
        {"optimizer", "--optimizer NAME", &Settings::optimizer,
         Values::word(idsOf<std::string_view>(model::optimizerKinds())), "the model's optimizer"},
        {"dtypes", "--dtype LIST", &Settings::dtypes, Values::words({"fp32", "bf16"}).labelled("Data types"),
         "data types of kernels; without it fp32, and bf16 where the processor has instructions for it"},
        {"tcp", "--no-tcp", &Settings::tcp, Values::flag().labelled("No network"),
         "opens no network socket: leaves out all-reduce over TCP, which frameworks use"},
        {"time_limit", "--time-limit TIME", &Settings::seconds,
         Values::number(calibrate::kMinSeconds, calibrate::kMaxSeconds, Measure::seconds),
         "at most this long in all; without it 180 s, or 30 s where shapes are fewer"},
        {"threads", "--threads N", &Settings::threads, Values::whole(0, kMaxThreads),
         "threads of the process that is one device; 0 takes all cores"},
    };
    return kTable;
}

/// What the study says, with its model read.
struct Inputs {
    calibrate::Options options;
    std::vector<Input> inputs;
};

Inputs readInputs(const Study& study, const RunContext& context) {
    if (study.models.size() > 1) throw UsageError("a calibration takes at most one model");
    const Reading reading(context, "reading the model", std::string(calibrate::kCalibration));
    const Settings settings = calibrationTable().of(study);
    Inputs inputs{.options = settings, .inputs = {}};
    if (study.models.empty()) return inputs;
    model::LoadOptions load;
    load.dimensions = study.dimensions;
    const model::Model model = model::loadModel(placeOfInput(study.models[0]), load);
    inputs.inputs.push_back({study.models[0], model.sha256});
    inputs.options.kernels = calibrate::requestsOf(model, settings.optimizer, settings.batches);
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
    return calibrationTable().parameters();
}

Result runCalibration(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
    calibrate::Calibration made = calibrate::calibrate(inputs.options, context);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.warnings = std::move(made.warnings);
    reportWarnings(context, result.warnings);
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
        what += fmt::format(", {} of the model",
                            formatCounted(options.kernels.size(), "kernel and shape", "kernels and shapes"));
    estimate.text = fmt::format("{}, and {} of shapes: {}", what, options.quick ? "a coarse grid" : "the whole grid",
                                formatWait(estimate.seconds));
    return estimate;
}

}  // namespace tessera::study

#include "core/study/prediction/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/dataset.h"
#include "core/hardware/library.h"
#include "core/physical/software.h"
#include "core/study/known_transformer.h"
#include "core/study/option_table.h"
#include "core/study/prediction/prices.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"
#include "core/study/title.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using predict::Prediction;

constexpr std::int64_t kMaxDevices = 1'000'000;
constexpr std::int64_t kMaxBatch = 1'000'000'000;
constexpr std::uint64_t kSeed = 1;
constexpr double kLongestLibraryPath = 4096;
constexpr double kLongestPrices = 4096;

std::vector<std::string_view> collectiveNames() {
    std::vector<std::string_view> names{"auto"};
    for (const predict::Collective& row : predict::collectives()) names.push_back(row.id);
    return names;
}

/// What the study's parameters say: the engine's options, without what has to be read, and what is predicted.
struct Settings : predict::Options {
    std::string dtype = "bf16";
    model::Optimizer optimizer = model::Optimizer::adam;
    std::vector<std::int64_t> devices;
    std::string datasetName;  ///< empty = loading is not counted
    std::string referenceName = "a100-40gb";
    Prices prices;
};

void setPrices(Settings& settings, const Json& text) {
    if (text.is_string()) settings.prices = pricesIn(text.get<std::string>());
}

void setBatch(Settings& settings, const Json& batch) {
    if (!batch.is_number()) return;
    const double samples = batch.get<double>();
    if (samples != std::floor(samples))
        throw UsageError(fmt::format("option '--batch' is '{}'; expected 'auto' or a whole number", samples));
    settings.batch = static_cast<std::int64_t>(samples);
}

void setCollective(Settings& settings, const Json& name) {
    if (name != "auto") settings.collective = name.get<std::string>();
}

const OptionTable<Settings>& predictionTable() {
    static const OptionTable<Settings> kTable{
        {"batch", "--batch auto|N", setBatch,
         Values::wordOrNumber({"auto"}, 1, static_cast<double>(kMaxBatch)).inWholes().byDefault("auto"),
         "samples per step on each device; auto chooses among the candidates that fit"},
        {"cost_model", "--cost-model MODEL", &Settings::costModel, Values::word(predict::kCostModelNames.all()),
         "model of time: physical, which is held to measured runs (tessera validate), or Centimani's of the paper"},
        {"software", "--software STACK", &Settings::software, Values::text(),
         "software that trains, for the physical model: eager, fused or tuned, or a stack's name such as 'PyTorch'"},
        {"devices", "--devices LIST", wholeNumbersInto(&Settings::devices, "--devices", kMaxDevices),
         Values::text().byDefault("1"), "device counts, separated by commas"},
        {"parallelism", "--parallelism KIND", &Settings::parallelism, Values::word(predict::kParallelismNames.all()),
         "how several devices share the work"},
        {"dataset", "--dataset NAME", &Settings::datasetName, Values::text(kLongestLibraryPath).ofLibrary("datasets"),
         "a dataset's file or bundled name, such as imagenet; without one loading is not counted"},
        {"dtype", "--dtype TYPE", &Settings::dtype, Values::text().labelled("Data type"),
         "data type of the computation; bf16 and fp16 stand for each other where one is missing, and fp32 for both"},
        {"optimizer", "--optimizer NAME", &Settings::optimizer,
         Values::word(idsOf<std::string_view>(model::optimizerKinds())),
         "whose state takes memory and whose update takes time"},
        {"candidates", "--candidates LIST", wholeNumbersInto(&Settings::candidates, "--candidates", kMaxBatch),
         Values::text(), "batch sizes that 'auto' chooses from; without it, powers of two up to 65,536"},
        {"batch_rule", "--batch-rule RULE", &Settings::batchRule, Values::word(predict::kBatchRuleNames.all()),
         "which candidate 'auto' takes of those that fit: the one that trains fastest, or the one that fills "
         "memory best (Centimani, equation 5)"},
        {"samples", "--samples N", &Settings::samples, Values::number(1, 1e18),
         "samples to train, for time, cost and energy; without it, those of the dataset"},
        {"prices", "--prices LIST", setPrices, Values::text(kLongestPrices),
         "US dollars for an hour of a device, in place of the accelerator's own, such as h100=2.99,a100=1.79"},
        {"collective", "--collective NAME", setCollective, Values::word(collectiveNames()).byDefault("auto"),
         "gradient all-reduce algorithm; auto takes the measured one, else the ring"},
        {"updates", "--updates KIND", &Settings::asynchronous, Values::word({"sync", "async"}),
         "whether devices wait for each other; async needs a parameter server"},
        {"gradient_bits", "--gradient-bits N", &Settings::gradientBits, Values::number(1, 64),
         "bits of one gradient element on the wire; without it, as stored"},
        {"gradient_density", "--gradient-density SHARE", &Settings::gradientDensity, Values::number(1e-9, 1),
         "share of the gradient's elements that is sent"},
        {"reference", "--reference NAME", &Settings::referenceName,
         Values::text(kLongestLibraryPath).ofLibrary("accelerators"),
         "accelerator whose measured utilisation the baseline scales: a file or a bundled name"},
        {"memory_model", "--memory-model NAME", &Settings::memoryModel,
         Values::word(idsOf<std::string_view>(predict::memoryModels())).forResearch(),
         "how the memory of a step is estimated"},
        {"workspace", "--workspace SIZE", &Settings::workspace, Values::number(0, 1e18, Measure::bytes).forResearch(),
         "memory that libraries take for themselves"},
    };
    return kTable;
}

/// The table of kernels that an accelerator's file names: beside it.
std::string kernelPath(const hardware::Accelerator& accelerator) {
    return (std::filesystem::path(accelerator.file).parent_path() / *accelerator.kernels).string();
}

/// An accelerator's file, which a study calls `name`, and that of its kernels.
std::vector<InputFile> acceleratorFiles(const std::string& name, const hardware::Accelerator& accelerator) {
    std::vector<InputFile> files{{.hardware = true, .name = name, .path = accelerator.file}};
    if (!accelerator.kernels) return files;
    const std::string path = kernelPath(accelerator);
    const std::string file = std::filesystem::path(path).filename().string();
    files.push_back({.hardware = true, .name = fmt::format("{}/{}", accelerator.id, file), .path = path});
    return files;
}

/// The file of the reference accelerator, which a study calls `name`.
InputFile referenceFile(const std::string& name, const hardware::Accelerator& reference) {
    return {.hardware = true, .name = name, .path = reference.file};
}

struct Inputs {
    Settings settings;
    std::shared_ptr<const model::Model> model;
    std::shared_ptr<const predict::Workload> workload;
    std::vector<predict::Machine> machines;
    std::vector<Input> inputs;
    std::vector<std::string> assumptions, warnings;
};

void readAccelerators(const Study& study, Inputs& inputs) {
    std::set<std::string> seen;
    for (const std::string& name : study.hardware) {
        predict::Machine machine = readMachine(name, placeOfInput(name), inputs.settings.dtype, inputs.inputs);
        if (!seen.insert(machine.id()).second)
            throw UsageError(fmt::format("accelerator {} is named twice", inQuotes(name)));
        setPrice(machine, inputs.settings.prices);
        addOnce(inputs.assumptions, machine.assumptions);
        addOnce(inputs.warnings, machine.warnings);
        inputs.machines.push_back(std::move(machine));
    }
    const std::vector<std::string> ids(seen.begin(), seen.end());
    for (const auto& [name, price] : inputs.settings.prices)
        if (!seen.contains(name))
            throw UsageError(
                fmt::format("option '--prices' names {}; {}", inQuotes(name),
                            withClosest("did you mean {}?", name, ids, "the study has no such accelerator")));
}

/// The models that accelerators name as measured, and the reference of the utilisation baseline.
void readBenchmarks(const Study& study, Inputs& inputs) {
    Settings& settings = inputs.settings;
    settings.reference = hardware::loadAccelerator(placeOfInput(settings.referenceName));
    for (Input& input : inputsOf({referenceFile(settings.referenceName, *settings.reference)}))
        if (std::ranges::find(inputs.inputs, input) == inputs.inputs.end()) inputs.inputs.push_back(std::move(input));
    std::set<std::string> names;
    const auto collect = [&](const hardware::Accelerator& accelerator) {
        for (const hardware::Benchmark& benchmark : accelerator.benchmarks) names.insert(benchmark.model);
    };
    for (const predict::Machine& machine : inputs.machines) collect(machine.accelerator);
    if (settings.reference) collect(*settings.reference);
    for (const std::string& name : names) {
        const bool same = study.models.front() == name && study.dimensions.empty();
        const auto make = [&] {
            return predict::workloadOf(*model::sharedModel(name), inputs.workload->precision, settings.optimizer);
        };
        const std::shared_ptr<const predict::Workload> other =
            same ? inputs.workload
                 : madeOfInputs(fmt::format("{}\n{}\n{}", name, settings.dtype, static_cast<int>(settings.optimizer)),
                                make);
        settings.benchmarks.push_back(
            {.model = name, .flopsPerSample = other->flops(1), .parameters = other->parameters});
    }
}

void readDatasetOf(Inputs& inputs) {
    Settings& settings = inputs.settings;
    if (settings.datasetName.empty()) {
        inputs.assumptions.emplace_back(
            settings.costModel == predict::CostModel::physical
                ? "No dataset is named: hosts prepare samples of images by their size, as in "
                  "the measured runs; reading from storage is not counted."
                : "Loading samples is not counted: no dataset is named.");
        return;
    }
    hardware::Dataset dataset = hardware::loadDataset(placeOfInput(settings.datasetName));
    inputs.inputs.push_back({settings.datasetName, sha256(readFile(dataset.file))});
    if (dataset.samples && !settings.samples) settings.samples = dataset.samples;
    for (const predict::Machine& machine : inputs.machines)
        addOnce(inputs.assumptions, predict::loadingTime(dataset, machine.accelerator).assumptions);
    settings.dataset = std::move(dataset);
}

/// What a prediction takes from measurements of something else, a sentence each.
std::vector<std::string> beyondMeasurements(const Prediction& one, const std::vector<predict::Machine>& machines) {
    std::vector<std::string> sentences;
    if (one.operators.outsideHull > 0)
        sentences.push_back(
            fmt::format("{}: {} have measured kernels, but outside of the measured shapes; they are priced by the "
                        "roofline.",
                        escaped(one.accelerator), formatCounted(one.operators.outsideHull, "operator", "operators")));
    const auto machine =
        std::ranges::find_if(machines, [&](const predict::Machine& each) { return each.id() == one.accelerator; });
    if (one.collective != "measured" || machine == machines.end()) return sentences;
    const bool known = std::ranges::any_of(
        machine->accelerator.allReduce,
        [&](const hardware::MeasuredCollective& each) { return each.devices.value_or(one.devices) == one.devices; });
    if (!known)
        sentences.push_back(fmt::format(
            "{}: no all-reduce between {} devices was measured; a ring's is computed from those measured between "
            "another number.",
            escaped(one.accelerator), one.devices));
    return sentences;
}

void addOwnNumbers(Inputs& inputs) {
    OwnNumbers own;
    for (const predict::Machine& machine : inputs.machines)
        own.add(machine.accelerator.name, machine.accelerator.provenance);
    if (const auto& dataset = inputs.settings.dataset) own.add(dataset->name, dataset->provenance);
    addOnce(inputs.assumptions, own.sentences());
    if (own.count() > 0)
        inputs.assumptions.emplace_back(inputs.settings.costModel == predict::CostModel::physical
                                            ? "Numbers of your own are taken as they are: the interval of a prediction "
                                              "does not say how far they are off."
                                            : "In the errors of predictions, numbers of your own count as assumed.");
}

constexpr std::string_view kPaperErrors =
    "Errors of predictions are independent of each other and log-normal. Their standard deviation is the mean over the "
    "parts of a step, weighted by time, of that of the numbers that each rests on: measured 8.65 % (the mean error of "
    "6.9 % in Centimani, section 6.2.1), datasheet 30 % and assumed 50 % (set by this program). How far rooflines are "
    "off is taken from the kernels that were measured on the same accelerator; without any it is 30 % or more.";
constexpr std::string_view kPhysicalErrors =
    "Times are those of the physical model, whose constants were fitted to measured runs; the interval of a prediction "
    "holds 90 % of the measured runs of its kind, each judged by constants that have not seen it (tessera validate). "
    "Accelerators whose own measured kernels serve the model are predicted by those, as in Centimani.";
constexpr std::string_view kPhysicalNodes =
    "Devices stand in nodes of 8 that their links join; each node has the network that systems of such devices have.";

void addAssumptions(Inputs& inputs) {
    const Settings& settings = inputs.settings;
    addOnce(inputs.assumptions, inputs.workload->assumptions);
    if (inputs.workload->precision.master)
        inputs.assumptions.emplace_back("Training is in mixed precision, with float32 copies of the parameters.");
    if (settings.workspace <= 0) inputs.assumptions.emplace_back("Libraries take no workspace of their own.");
    inputs.assumptions.emplace_back(settings.costModel == predict::CostModel::physical ? kPhysicalErrors
                                                                                       : kPaperErrors);
    if (settings.parallelism == predict::Parallelism::model && settings.costModel == predict::CostModel::physical &&
        inputs.workload->transformer)
        inputs.assumptions.emplace_back(
            "Model parallelism splits a transformer by the fastest of all parallel configurations of the devices, as "
            "'tessera plan' finds it; what is no computation counts as communication, with idle time in pipelines.");
    else if (settings.parallelism == predict::Parallelism::model)
        inputs.assumptions.emplace_back(
            "Model parallelism cuts the forward pass into stretches of equal time, which run one after the other "
            "(Centimani, equation 3).");
    if (settings.costModel == predict::CostModel::physical && !physical::softwareStackOf(settings.software))
        inputs.assumptions.push_back(
            fmt::format("{} is no software stack that is known: it is taken to fuse kernels as most do.",
                        inQuotes(settings.software)));
    if (settings.costModel == predict::CostModel::physical &&
        std::ranges::any_of(settings.devices, [](std::int64_t devices) { return devices > 1; }))
        inputs.assumptions.emplace_back(kPhysicalNodes);
    addOwnNumbers(inputs);
}

Inputs readInputs(const Study& study, const RunContext& context) {
    if (study.models.size() != 1) throw UsageError("a prediction study takes exactly one model");
    if (study.hardware.empty()) throw UsageError("a prediction study takes at least one accelerator");
    const Reading reading(context, "reading the model", "the prediction");
    Inputs inputs;
    Settings& settings = inputs.settings;
    settings = predictionTable().of(study);
    if (settings.candidates.empty()) settings.candidates = predict::powersOfTwo();
    const predict::Precision precision = predict::precisionOf(settings.dtype);
    // At its own batch whatever the study's is: what grows with the samples is scaled, and points of an exploration
    // that differ in the batch share one model.
    const model::LoadOptions load = loadingOf(study);
    const std::string place = placeOfInput(study.models[0]);
    inputs.model = model::sharedModel(place, load);
    inputs.inputs.push_back({study.models[0], inputs.model->sha256});
    const std::string key = fmt::format("{}\n{}\n{}\n{}", study.models[0], model::loadingKey(place, load),
                                        settings.dtype, static_cast<int>(settings.optimizer));
    inputs.workload = madeOfInputs(key, [&] {
        predict::Workload workload = predict::workloadOf(*inputs.model, precision, settings.optimizer);
        workload.transformer = knownTransformer(study.models[0], study.dimensions);
        return workload;
    });
    addOnce(inputs.warnings, inputs.model->warnings);
    addOnce(inputs.warnings, inputs.workload->warnings);
    const std::int64_t loaded = inputs.model->graph()->batch;
    if (loaded != 1 && loaded != settings.batch)
        inputs.assumptions.push_back(
            fmt::format("The model fixes batch {}; all tensors that carry the batch are scaled.", loaded));
    readAccelerators(study, inputs);
    readDatasetOf(inputs);
    readBenchmarks(study, inputs);
    addAssumptions(inputs);
    reading.check();
    return inputs;
}

}  // namespace

const std::vector<Parameter>& predictionParameters() {
    return predictionTable().parameters();
}

predict::Machine readMachine(const std::string& name, const std::string& path, const std::string& dtype,
                             std::vector<Input>& inputs) {
    hardware::Accelerator accelerator = hardware::loadAccelerator(path);
    predict::KernelTable kernels;
    if (accelerator.kernels) {
        const std::string file = kernelPath(accelerator);
        kernels = predict::readKernels(readFile(file, predict::kLargestKernelTable), file);
    }
    for (Input& input : inputsOf(acceleratorFiles(name, accelerator))) inputs.push_back(std::move(input));
    return predict::machineOf(std::move(accelerator), std::move(kernels), dtype);
}

std::vector<InputFile> predictionFiles(const Study& study) {
    std::vector<InputFile> files;
    for (const std::string& name : study.hardware)
        std::ranges::move(acceleratorFiles(name, hardware::loadAccelerator(placeOfInput(name))),
                          std::back_inserter(files));
    if (const auto dataset = study.parameters->find("dataset"); dataset != study.parameters->end())
        std::ranges::move(filesNamed({dataset->get<std::string>()}, true, hardware::datasetPath),
                          std::back_inserter(files));
    const std::string reference = study.parameters->value("reference", Settings().referenceName);
    addFile(files, referenceFile(reference, hardware::loadAccelerator(placeOfInput(reference))));
    return files;
}

namespace {

/// The operators of one batch on one device are kept once, however many devices there are: see `operatorsOf`.
void dropRepeated(std::vector<Prediction>& predictions) {
    std::set<std::pair<std::string, std::int64_t>> kept;
    for (Prediction& one : predictions)
        if (!kept.emplace(one.accelerator, one.batch).second) one.operators.alike.clear();
}

}  // namespace

Result runPrediction(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
    Result result;
    result.study = study;
    result.study.seed = study.seed.value_or(kSeed);
    result.inputs = std::move(inputs.inputs);
    result.assumptions = std::move(inputs.assumptions);
    result.warnings = std::move(inputs.warnings);
    reportWarnings(context, result.warnings);

    PredictionOutcome outcome;
    outcome.model = modelName(study.models.at(0), inputs.model->name);
    outcome.dtype = inputs.settings.dtype;
    outcome.dataset = inputs.settings.datasetName;
    outcome.parameters = inputs.workload->parameters;
    outcome.flopsPerSample = inputs.workload->flops(1);
    const predict::Predictor predictor(*inputs.workload, inputs.settings);
    const auto total = static_cast<double>(inputs.machines.size() * inputs.settings.devices.size());
    for (const predict::Machine& machine : inputs.machines)
        for (const std::int64_t devices : inputs.settings.devices) {
            context.throwIfCancelled("the prediction");
            outcome.predictions.push_back(predictor.predict(machine, devices));
            context.reportProgress("predictions", static_cast<double>(outcome.predictions.size()), total);
        }
    dropRepeated(outcome.predictions);
    if (fastestPrediction(outcome) == nullptr) {
        std::vector<std::string> reasons;
        for (const Prediction& one : outcome.predictions) reasons.push_back(*one.infeasible);
        throw InfeasibleError(
            fmt::format("{} fits on none of the accelerators: {}", escaped(outcome.model), joined(reasons, "; ")));
    }
    for (const Prediction& one : outcome.predictions)
        addOnce(result.assumptions, beyondMeasurements(one, inputs.machines));
    outcome.ranking = predict::rankingsOf(outcome.predictions, *result.study.seed);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimatePrediction(const Study& study) {
    Estimate estimate;
    try {
        const Inputs inputs = readInputs(study, {});
        const predict::Predictor checked(*inputs.workload, inputs.settings);
        const auto count = static_cast<double>(inputs.machines.size() * inputs.settings.devices.size());
        const auto operators = static_cast<double>(inputs.workload->operators.size());
        constexpr double kSecondsPerOperator = 1e-6;  // memory of every candidate and the time
        estimate.seconds = count * operators * kSecondsPerOperator;
        estimate.text = fmt::format("{} of {} per step: {}", formatCounted(count, "prediction", "predictions"),
                                    formatCounted(operators, "operator", "operators"), formatWait(estimate.seconds));
    } catch (const std::exception& error) {
        estimate.problems.emplace_back(error.what());
        estimate.text = error.what();
    }
    return estimate;
}

const Prediction* fastestPrediction(const PredictionOutcome& outcome) {
    const Prediction* best = nullptr;
    for (const Prediction& one : outcome.predictions)
        if (!one.infeasible && (best == nullptr || one.throughput > best->throughput)) best = &one;
    return best;
}

const std::vector<predict::AlikeOperators>& operatorsOf(const PredictionOutcome& outcome,
                                                        const Prediction& prediction) {
    for (const Prediction& one : outcome.predictions)
        if (one.accelerator == prediction.accelerator && one.batch == prediction.batch && !one.operators.alike.empty())
            return one.operators.alike;
    return prediction.operators.alike;
}

std::string nameOf(const Prediction& prediction) {
    return prediction.devices == 1 ? prediction.accelerator
                                   : fmt::format("{}@{}", prediction.accelerator, prediction.devices);
}

}  // namespace tessera::study

#include "core/study/codesign/study.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/study/checkpoint.h"
#include "core/study/codesign/document.h"
#include "core/study/codesign/metrics.h"
#include "core/study/names.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

using codesign::Options;

constexpr const char* kReferenceArea = "tpu-v4";
constexpr double kMaxAccelerators = 1e6;
constexpr double kMaxBatch = 1e6;

/// An optimiser by the name that studies write.
struct OptimizerName {
    std::string_view name;
    codesign::Optimizer optimizer;
};
constexpr std::array kOptimizers{
    OptimizerName{"sgd", codesign::Optimizer::sgd}, OptimizerName{"momentum", codesign::Optimizer::momentum},
    OptimizerName{"adam", codesign::Optimizer::adam}, OptimizerName{"mixed-adam", codesign::Optimizer::mixedAdam}};

std::vector<Parameter> makeParameters() {
    using Kind = ParameterKind;
    return {
        {.name = "accelerators",
         .option = "--accelerators",
         .kind = Kind::whole,
         .fallback = "1024",
         .min = 1,
         .max = kMaxAccelerators,
         .words = {},
         .value = "N",
         .help = "accelerators that train a model together"},
        {.name = "global_batch",
         .option = "--global-batch",
         .kind = Kind::whole,
         .fallback = "4096",
         .min = 1,
         .max = kMaxBatch,
         .words = {},
         .value = "N",
         .help = "samples of a batch"},
        {.name = "area_limit",
         .option = "--area-limit",
         .kind = Kind::wordOrNumber,
         .measure = Measure::area,
         .fallback = R"("tpu-v4")",
         .min = 0,
         .max = 1e9,
         .words = {kReferenceArea},
         .value = "AREA",
         .help = "largest accelerator, mm²; 'tpu-v4' is the template's own bound"},
        {.name = "search",
         .option = "--search",
         .kind = Kind::word,
         .fallback = R"("exhaustive")",
         .words = namesOf(codesign::searches()),
         .value = "NAME",
         .help = "which architectures are evaluated"},
        {.name = "hysteresis",
         .option = "--hysteresis",
         .kind = Kind::whole,
         .fallback = "6",
         .min = 1,
         .max = 1e6,
         .words = {},
         .value = "H",
         .help = "areas whose best must not rise before 'hysteresis' stops"},
        {.name = "samples",
         .option = "--samples",
         .kind = Kind::whole,
         .fallback = "1000",
         .min = 1,
         .max = 1e6,
         .words = {},
         .value = "N",
         .help = "architectures that 'random' draws"},
        {.name = "estimator",
         .option = "--estimator",
         .kind = Kind::word,
         .fallback = R"("physical")",
         .words = idsOf(cost::estimators()),
         .value = "NAME",
         .help = "how operators are estimated"},
        {.name = "objective",
         .option = "--objective",
         .kind = Kind::word,
         .fallback = R"("geomean")",
         .words = {"geomean", "mean", "worst"},
         .value = "NAME",
         .help = "how several models are weighed"},
        {.name = "weights",
         .option = "--weight",
         .kind = Kind::namedNumbers,
         .fallback = "{}",
         .min = 0,
         .max = kInfinity,
         .words = {},
         .value = "N=W",
         .help = "weight of the N-th model, from 0; may be repeated (default 1 each)"},
        {.name = "optimizer",
         .option = "--optimizer",
         .kind = Kind::word,
         .fallback = R"("adam")",
         .words = namesOf(kOptimizers),
         .value = "NAME",
         .help = "how weights are updated"},
        {.name = "bandwidth",
         .option = "--bandwidth",
         .kind = Kind::number,
         .measure = Measure::bytesPerSecond,
         .fallback = "3e11",
         .min = 0,
         .max = kInfinity,
         .words = {},
         .value = "BW",
         .help = "between any two accelerators, B/s; the default is a TPU v4's six links"},
        {.name = "hbm_bandwidths",
         .option = "--hbm-bandwidths",
         .kind = Kind::numbers,
         .measure = Measure::bytesPerSecond,
         .fallback = "",
         .min = 1,
         .max = static_cast<double>(hardware::kFastestInterface),
         .words = {},
         .value = "BW,...",
         .help = "of the HBM that are searched instead of the template's, B/s; baselines keep the template's"},
        {.name = "network_bandwidths",
         .option = "--network-bandwidths",
         .kind = Kind::numbers,
         .measure = Measure::bytesPerSecond,
         .fallback = "",
         .min = 1,
         .max = static_cast<double>(hardware::kFastestInterface),
         .words = {},
         .value = "BW,...",
         .help = "between any two accelerators that are searched instead of the template's, B/s; baselines keep "
                 "--bandwidth"},
        {.name = "bucket",
         .option = "--bucket",
         .kind = Kind::number,
         .measure = Measure::area,
         .fallback = "0.01",
         .min = 0,
         .max = 1e9,
         .words = {},
         .value = "AREA",
         .help = "width of an area of 'hysteresis', mm²",
         .research = true},
        {.name = "schedule_states",
         .option = "--schedule-states",
         .kind = Kind::whole,
         .fallback = "400000",
         .min = 1,
         .max = 1e9,
         .words = {},
         .value = "N",
         .help = "search-node budget per phase schedule",
         .research = true},
    };
}

void checkInputs(const Study& study) {
    if (study.models.empty()) throw UsageError("a co-design study takes at least one model");
    if (study.hardware.size() != 1) throw UsageError("a co-design study takes exactly one template");
    for (std::size_t i = 0; i < study.models.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (study.models[i] == study.models[j])
                throw UsageError(fmt::format("model {} is given twice", inQuotes(study.models[i])));
}

/// Weights by model, those that are not given 1.
std::vector<double> weightsOf(const Study& study) {
    std::vector<double> weights(study.models.size(), 1);
    const Json given = completeParameters(study).at("weights");
    for (const auto& [name, value] : given.items()) {
        const auto model = static_cast<std::size_t>(std::stoull(name));
        if (model >= weights.size())
            throw UsageError(
                fmt::format("option --weight names model {}; there are {}, counted from 0", name, weights.size()));
        weights[model] = value.get<double>();
    }
    return weights;
}

/// Searches the bandwidths that the study gives instead of the template's. Throws UsageError.
void searchBandwidths(const Study& study, hardware::Template& space) {
    const Json given = completeParameters(study);
    const auto set = [&](const char* name, hardware::Range& range) {
        if (!given.contains(name)) return;
        range = {};
        for (const Json& value : given.at(name)) range.values.push_back(std::llround(value.get<double>()));
    };
    set("hbm_bandwidths", space.hbmBandwidth);
    set("network_bandwidths", space.networkBandwidth);
    const std::size_t points = hardware::architectureCount(space) * space.hbm.values.size();
    if (points > hardware::kMaxPoints)
        throw UsageError(fmt::format("the bandwidths make {} points of the template; expected at most {}", points,
                                     hardware::kMaxPoints));
}

struct CodesignInputs {
    hardware::Template space;
    std::vector<codesign::Workload> workloads;
    std::vector<Input> inputs;
};

CodesignInputs readInputs(const Study& study, const Options& options, const RunHooks& hooks) {
    checkInputs(study);
    const Reading reading(hooks, "reading the models", "the co-design search");
    CodesignInputs read;
    const std::string& hardware = study.hardware.front();
    read.space = hardware::loadTemplate(hooks.located(hardware));
    searchBandwidths(study, read.space);
    for (const std::string& name : study.models) {
        codesign::WorkloadOptions load;
        load.optimizer = options.optimizer;
        load.wordBytes = read.space.rates.wordBytes;
        load.dimensions = study.dimensions;
        load.stop = hooks.cancel;
        read.workloads.push_back(codesign::loadWorkload(name, load, hooks.located(name)));
        read.inputs.push_back({name, read.workloads.back().sha256});
        reading.check();
    }
    read.inputs.push_back({hardware, sha256(readFile(read.space.file))});
    return read;
}

/// Hands states on, but not more often than every other second: each holds all that was found.
std::function<void(const codesign::Progress&)> checkpoints(std::function<void(Json)> sink) {
    if (!sink) return {};
    constexpr std::chrono::seconds kEvery{2};
    auto last = std::chrono::steady_clock::now() - kEvery;
    return [sink = std::move(sink), last, kEvery](const codesign::Progress& progress) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kEvery) return;
        last = now;
        sink(progressJson(progress));
    };
}

/// Why nothing fits: the first model that does not.
std::string reasonOf(const codesign::Result& found, const CodesignInputs& inputs) {
    if (found.architectures == 0)
        return fmt::format(
            "no accelerator of the template is within {:.6g} mm²; its smallest one needs a larger "
            "--area-limit",
            found.areaBound.value);
    std::string models;
    for (const codesign::Workload& workload : inputs.workloads)
        models += (models.empty() ? "" : ", ") + inQuotes(workload.name);
    const double hbm =
        static_cast<double>(*std::max_element(inputs.space.hbm.values.begin(), inputs.space.hbm.values.end()));
    return fmt::format(
        "no plan of {} fits {} accelerators with {} of HBM each, whatever the micro-batch and recomputation; more "
        "--accelerators or a template with a larger HBM may fit, 'tessera place' tells how much",
        models, found.options.accelerators, formatQuantity(hbm, Measure::bytes));
}

}  // namespace

const std::vector<Parameter>& codesignParameters() {
    static const std::vector<Parameter> kParameters = makeParameters();
    return kParameters;
}

Options codesignOptions(const Study& study) {
    const Json given = completeParameters(study);
    Options options;
    options.accelerators = given.at("accelerators").get<std::int64_t>();
    options.globalBatch = given.at("global_batch").get<std::int64_t>();
    if (const Json& area = given.at("area_limit"); area.is_number())
        options.areaLimit = SquareMillimetres{area.get<double>()};
    options.search = *codesign::searchNamed(given.at("search").get<std::string>());
    options.hysteresis = given.at("hysteresis").get<std::int64_t>();
    options.samples = given.at("samples").get<std::int64_t>();
    options.estimator = given.at("estimator").get<std::string>();
    options.objective = *codesign::objectiveNamed(given.at("objective").get<std::string>());
    for (const OptimizerName& row : kOptimizers)
        if (row.name == given.at("optimizer").get<std::string>()) options.optimizer = row.optimizer;
    options.bandwidth = BytesPerSecond{given.at("bandwidth").get<double>()};
    options.bucket = SquareMillimetres{given.at("bucket").get<double>()};
    options.scheduleStates = given.at("schedule_states").get<std::int64_t>();
    options.seed = study.seed.value_or(1);
    return options;
}

Result runCodesign(const Study& study, const RunHooks& hooks) {
    Options options = codesignOptions(study);
    options.weights = weightsOf(study);
    Result result;
    result.study = study;
    result.study.seed = options.seed;
    const CodesignInputs inputs = readInputs(study, options, hooks);
    result.inputs = inputs.inputs;
    codesign::Hooks engineHooks{hooks};
    engineHooks.checkpoint = checkpoints(checkpointSink(hooks, result));
    if (const auto state = resumedState(hooks, result))
        engineHooks.resume = readProgress(state->root(), study.models.size());
    CodesignOutcome outcome;
    outcome.result = codesign::search(inputs.workloads, inputs.space, options, engineHooks);
    if (outcome.result.endedBy != EndedBy::stop && (!outcome.result.best || outcome.result.best->objective == 0))
        throw InfeasibleError(reasonOf(outcome.result, inputs));
    addOnce(result.assumptions, outcome.result.assumptions);
    OwnNumbers own;
    own.add(inputs.space.name, inputs.space.provenance);
    addOnce(result.assumptions, own.sentences());
    addOnce(result.warnings, outcome.result.warnings);
    // They stand in the result itself; a run that is read back has them there alone.
    outcome.result.assumptions.clear();
    outcome.result.warnings.clear();
    reportWarnings(hooks, result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateCodesign(const Study& study) {
    Estimate estimate;
    std::size_t architectures = 0;
    try {
        const Options options = codesignOptions(study);
        weightsOf(study);
        checkInputs(study);
        hardware::Template space = hardware::loadTemplate(study.hardware.front());
        searchBandwidths(study, space);
        architectures = hardware::architectureCount(space);
        if (options.search == codesign::SearchKind::random)
            architectures = std::min(architectures, static_cast<std::size_t>(options.samples));
        if (!(options.bandwidth.value > 0)) throw UsageError("option --bandwidth is 0; expected a bandwidth above 0");
        if (!(options.bucket.value > 0)) throw UsageError("option --bucket is 0; expected an area above 0");
    } catch (const std::exception& error) {
        estimate.problems.emplace_back(error.what());
        estimate.text = estimate.problems.front();
        return estimate;
    }
    // Measured: most architectures are ruled out in microseconds.
    constexpr double kSecondsPerArchitecture = 5e-4;
    const auto models = static_cast<double>(study.models.size());
    estimate.seconds = kSecondsPerArchitecture * static_cast<double>(architectures) * models;
    estimate.text = fmt::format("{}, {}: {} on one core", formatCounted(models, "model", "models"),
                                formatCounted(static_cast<double>(architectures), "architecture", "architectures"),
                                formatWait(estimate.seconds));
    return estimate;
}

}  // namespace tessera::study

#include "core/study/codesign/study.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/pacer.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/study/checkpoint.h"
#include "core/study/codesign/document.h"
#include "core/study/codesign/metrics.h"
#include "core/study/codesign/points.h"
#include "core/study/option_table.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

using codesign::Options;

constexpr double kMaxAccelerators = 1e6;
constexpr double kMaxBatch = 1e6;

/// What a study's parameters mean: the engine's options, without `weights`, and what changes its inputs.
struct CodesignSettings : Options {
    std::map<std::size_t, double> weightOf;                      ///< by model
    std::vector<std::int64_t> hbmBandwidths, networkBandwidths;  ///< searched instead of the template's
};

/// The numbers of a range in whole bytes per second.
template <std::vector<std::int64_t> CodesignSettings::*range>
void setRange(CodesignSettings& settings, const Json& values) {
    for (const Json& value : values) (settings.*range).push_back(std::llround(value.get<double>()));
}

const OptionTable<CodesignSettings>& codesignTable() {
    using Settings = CodesignSettings;
    constexpr auto kFastest = static_cast<double>(hardware::kFastestInterface);
    static const OptionTable<Settings> kTable{
        {"accelerators", "--accelerators N", &Settings::accelerators, Values::whole(1, kMaxAccelerators),
         "accelerators that train a model together"},
        {"global_batch", "--global-batch N", &Settings::globalBatch, Values::whole(1, kMaxBatch), "samples of a batch"},
        {"area_limit", "--area-limit AREA", &Settings::areaLimit,
         Values::wordOrNumber({"tpu-v4"}, 0, 1e9, Measure::area),
         "largest accelerator, mm²; 'tpu-v4' is the template's own bound"},
        {"search", "--search NAME", &Settings::search, Values::word(codesign::kSearchNames.all()),
         "which architectures are evaluated"},
        {"hysteresis", "--hysteresis H", &Settings::hysteresis, Values::whole(1, 1e6),
         "areas whose best must not rise before 'hysteresis' stops"},
        {"samples", "--samples N", &Settings::samples, Values::whole(1, 1e6), "architectures that 'random' draws"},
        {"estimator", "--estimator NAME", &Settings::estimator,
         Values::word(idsOf<std::string_view>(cost::estimators())), "how operators are estimated"},
        {"objective", "--objective NAME", &Settings::objective, Values::word(codesign::kObjectiveNames.all()),
         "objective over several models"},
        {"weights", "--weight N=W", &Settings::weightOf, Values::namedNumbers(0, kInfinity),
         "weight of the N-th model, from 0; may be repeated (default 1 each)"},
        {"optimizer", "--optimizer NAME", &Settings::optimizer, Values::word(codesign::kOptimizerNames.all()),
         "how weights are updated"},
        {"bandwidth", "--bandwidth BW", &Settings::bandwidth, Values::number(0, kInfinity, Measure::bytesPerSecond),
         "network bandwidth between any two accelerators, B/s; the default is a TPU v4's six links"},
        {"hbm_bandwidths", "--hbm-bandwidths BW,...", setRange<&Settings::hbmBandwidths>,
         Values::numbers(1, kFastest, Measure::bytesPerSecond),
         "HBM bandwidths to search instead of the template's, B/s; baselines keep the template's"},
        {"network_bandwidths", "--network-bandwidths BW,...", setRange<&Settings::networkBandwidths>,
         Values::numbers(1, kFastest, Measure::bytesPerSecond),
         "network bandwidths between any two accelerators to search instead of the template's, B/s; baselines keep "
         "--bandwidth"},
        {"bucket", "--bucket AREA", &Settings::bucket, Values::number(0, 1e9, Measure::area).forResearch(),
         "width of an area of 'hysteresis', mm²"},
        {"schedule_states", "--schedule-states N", &Settings::scheduleStates, Values::whole(1, 1e9).forResearch(),
         "search-node budget per phase schedule"},
    };
    return kTable;
}

CodesignSettings settingsOf(const Study& study) {
    CodesignSettings settings = codesignTable().of(study);
    settings.seed = study.seed.value_or(1);
    return settings;
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
std::vector<double> weightsOf(const Study& study, const CodesignSettings& settings) {
    std::vector<double> weights(study.models.size(), 1);
    for (const auto& [model, weight] : settings.weightOf) {
        if (model >= weights.size())
            throw UsageError(
                fmt::format("option --weight names model {}; there are {}, counted from 0", model, weights.size()));
        weights[model] = weight;
    }
    return weights;
}

/// Searches the bandwidths that the study gives instead of the template's. Throws UsageError.
void searchBandwidths(const CodesignSettings& settings, hardware::Template& space) {
    if (!settings.hbmBandwidths.empty()) space.hbmBandwidth = {.values = settings.hbmBandwidths};
    if (!settings.networkBandwidths.empty()) space.networkBandwidth = {.values = settings.networkBandwidths};
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

CodesignInputs readInputs(const Study& study, const CodesignSettings& settings, const RunContext& context) {
    checkInputs(study);
    const Reading reading(context, "reading the models", "the co-design search");
    CodesignInputs read;
    const std::string& hardware = study.hardware.front();
    read.space = hardware::loadTemplate(placeOfInput(hardware));
    searchBandwidths(settings, read.space);
    for (const std::string& name : study.models) {
        codesign::WorkloadOptions load;
        load.optimizer = settings.optimizer;
        load.wordBytes = read.space.rates.wordBytes;
        load.dimensions = study.dimensions;
        read.workloads.push_back(codesign::loadWorkload(name, load, placeOfInput(name), context));
        read.inputs.push_back({name, read.workloads.back().sha256});
        reading.check();
    }
    read.inputs.push_back({hardware, sha256(readFile(read.space.file))});
    return read;
}

/// Hands states on, but not more often than every other second: each holds all that was found.
std::function<void(const codesign::Progress&)> checkpoints(std::function<void(Json)> sink) {
    if (!sink) return {};
    constexpr Pacer::Rule kEvery{.minPause = std::chrono::seconds{2}, .pauseOverCost = Pacer::kTenthOfTime};
    return [sink = std::move(sink), pacer = Pacer(kEvery)](const codesign::Progress& progress) mutable {
        if (pacer.isDue()) pacer.timed([&] { sink(progressJson(progress)); });
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
        "--accelerators or a template with a larger HBM may fit, see 'tessera place'",
        models, found.options.accelerators, formatQuantity(hbm, Measure::bytes));
}

}  // namespace

const std::vector<Parameter>& codesignParameters() {
    return codesignTable().parameters();
}

Options codesignOptions(const Study& study) {
    return settingsOf(study);
}

namespace {

/// Passes what a search evaluated to who looks, now and then; null where nobody does. Both must outlive it.
std::function<void(const codesign::Progress& progress)> liveDesigns(const codesign::Result& searched,
                                                                    const RunContext& context) {
    if (!context.evaluated) return {};
    struct Sent {
        std::set<std::pair<std::size_t, bool>> designs;  ///< architecture, and whether it was scheduled in full
        Pacer pacer{{.minPause = std::chrono::milliseconds{200}}};
    };
    return [&searched, &context, sent = std::make_shared<Sent>()](const codesign::Progress& progress) {
        if (!sent->pacer.isDue()) return;
        std::vector<KnownDesign> fresh;
        for (const codesign::Progress::Evaluated& each : progress.evaluated)
            if (sent->designs.emplace(each.architecture, each.refined).second) fresh.push_back({.point = each.point});
        if (!fresh.empty()) context.evaluated(pointTable(searched, fresh));
        sent->pacer.noteDone();
    };
}

}  // namespace

Result runCodesign(const Study& study, const RunContext& context) {
    CodesignSettings settings = settingsOf(study);
    settings.weights = weightsOf(study, settings);
    Result result;
    result.study = study;
    result.study.seed = settings.seed;
    const CodesignInputs inputs = readInputs(study, settings, context);
    result.inputs = inputs.inputs;
    codesign::SearchControl control{RunControl(context)};
    codesign::Result searched;
    searched.space = inputs.space;
    searched.options = settings;
    for (const codesign::Workload& workload : inputs.workloads) searched.models.push_back(workload.name);
    const auto keep = checkpoints(checkpointSink(context, result));
    const auto tell = liveDesigns(searched, context);
    if (keep || tell)
        control.checkpoint = [&](const codesign::Progress& progress) {
            if (tell) tell(progress);
            if (keep) keep(progress);
        };
    if (const auto state = resumedState(context, result))
        control.resume = readProgress(state->root(), study.models.size());
    CodesignOutcome outcome;
    outcome.result = codesign::search(inputs.workloads, inputs.space, settings, control);
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
    reportWarnings(context, result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateCodesign(const Study& study) {
    Estimate estimate;
    std::size_t architectures = 0;
    try {
        const CodesignSettings settings = settingsOf(study);
        weightsOf(study, settings);
        checkInputs(study);
        hardware::Template space = hardware::loadTemplate(placeOfInput(study.hardware.front()));
        searchBandwidths(settings, space);
        architectures = hardware::architectureCount(space);
        if (settings.search == codesign::SearchKind::random)
            architectures = std::min(architectures, static_cast<std::size_t>(settings.samples));
        if (!(settings.bandwidth.value > 0)) throw UsageError("option --bandwidth is 0; expected a bandwidth above 0");
        if (!(settings.bucket.value > 0)) throw UsageError("option --bucket is 0; expected an area above 0");
    } catch (const std::exception& error) {
        estimate.problems.emplace_back(error.what());
        estimate.text = estimate.problems.front();
        return estimate;
    }
    // Measured: most architectures are ruled out in microseconds.
    constexpr double kSecondsPerArchitecture = 5e-4;
    const auto models = static_cast<double>(study.models.size());
    estimate.seconds = kSecondsPerArchitecture * static_cast<double>(architectures) * models;
    estimate.text =
        fmt::format("{}, {}: {} on one core", formatCounted(models, "model", "models"),
                    formatCounted(architectures, "architecture", "architectures"), formatWait(estimate.seconds));
    return estimate;
}

}  // namespace tessera::study

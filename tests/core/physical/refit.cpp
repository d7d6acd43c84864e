#include "tests/core/physical/refit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/elementary.h"
#include "core/physical/estimate.h"
#include "core/physical/step_memory.h"

namespace tessera::physical {

double sampleSeconds(const StepSample& sample, const StepConstants& constants) {
    double least = std::numeric_limits<double>::infinity();
    for (const StepWork& work : sample.choices) {
        const StepTimes times = stepTimesOf(work, constants);
        least = std::min(least, sample.forwardOnly ? times.forward : times.step);
    }
    return least;
}

namespace {

/// How strongly a constant is held to where it starts, in samples' errors of 100 %.
constexpr double kStepHold = 0.1;

double stepDeviation(std::span<const StepSample> samples, const StepConstants& constants, const StepConstants& start) {
    double sum = 0;
    for (const StepSample& sample : samples)
        sum += sample.weight * std::fabs(elementary::log(sampleSeconds(sample, constants) / sample.seconds));
    for (double StepConstants::*field : kStepFields) {
        const double moved = elementary::log(constants.*field / start.*field);
        sum += kStepHold * moved * moved;
    }
    return sum;
}

}  // namespace

StepConstants fitStep(std::span<const StepSample> samples, const StepConstants& start) {
    StepConstants best = start;
    double least = stepDeviation(samples, best, start);
    const auto improves = [&](std::size_t field, double factor) {
        StepConstants trial = best;
        double& value = trial.*kStepFields[field];
        value = std::clamp(value * factor, kStepBounds[field].min, kStepBounds[field].max);
        const double deviation = stepDeviation(samples, trial, start);
        if (!(deviation < least - 1e-9)) return false;
        least = deviation;
        best = trial;
        return true;
    };
    for (double step = 0.5; step > 0.01; step /= 2) {
        bool moved = true;
        for (int round = 0; moved && round < 30; ++round) {
            moved = false;
            for (std::size_t field = 0; field < kStepConstants; ++field)
                for (const double factor : {1 + step, 1 / (1 + step)}) moved |= improves(field, factor);
        }
    }
    return best;
}

std::vector<MeasuredRun> transformerRunsOf(const MeasuredTable& table) {
    std::vector<MeasuredRun> runs;
    for (const auto& row : table.rows) {
        const TrainingRun run = trainingRunOf(table, row);
        if (isTransformer(run.model)) runs.push_back({run, table.notNegative(row, "value")});
    }
    return runs;
}

namespace {

/// Seconds that a measured metric stands for; nothing for one that is no time.
std::optional<double> measuredSeconds(const MeasuredRun& measured, const StepSetting& setting) {
    const StepLayout& layout = setting.layout;
    const double samples =
        measured.run.globalBatch > 0 ? measured.run.globalBatch : layout.micro * layout.microBatches * layout.data;
    switch (measured.run.metric) {
        case RunMetric::step:
        case RunMetric::forward:
            return measured.value;
        case RunMetric::samples:
            return samples / measured.value;
        case RunMetric::tokensPerAccelerator:
            return samples * setting.model.sequence / measured.value / measured.run.accelerators;
        default:
            return std::nullopt;
    }
}

/// Weights of sets within their stack.
class SetWeights {
public:
    void add(std::string_view stack, const std::string& set) { ++counts_[std::string(stack)][set]; }
    double of(std::string_view stack, const std::string& set) const {
        const auto& sets = counts_.at(std::string(stack));
        double fewest = sets.at(set);
        for (const auto& [name, count] : sets) fewest = std::min(fewest, count);
        return std::sqrt(fewest / sets.at(set));
    }

private:
    std::map<std::string, std::map<std::string, double>> counts_;
};

}  // namespace

std::vector<StepSample> stepSamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices) {
    std::vector<StepSample> samples;
    std::vector<const MeasuredRun*> sources;
    SetWeights weights;
    for (const MeasuredRun& measured : runs) {
        std::string refusal;
        const Device* device = devices.deviceNamed(measured.run.accelerator, refusal);
        if (device == nullptr) continue;
        const std::vector<StepSetting> settings = stepSettingsOf(measured.run, *device, refusal);
        if (settings.empty()) continue;
        const std::optional<double> seconds = measuredSeconds(measured, settings.front());
        if (!seconds) continue;
        StepSample sample{.seconds = *seconds,
                          .forwardOnly = measured.run.metric == RunMetric::forward,
                          .fold = runFold(measured.run),
                          .stack = settings.front().stack.fit};
        for (const StepSetting& setting : settings) sample.choices.push_back(stepWorkOf(setting));
        weights.add(sample.stack, measured.run.set);
        samples.push_back(std::move(sample));
        sources.push_back(&measured);
    }
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i].weight = weights.of(samples[i].stack, sources[i]->run.set);
    return samples;
}

namespace {

/// Every so many of them.
std::vector<StepSample> thinned(const std::vector<StepSample>& samples, std::size_t every) {
    std::vector<StepSample> kept;
    for (std::size_t i = 0; i < samples.size(); i += every) kept.push_back(samples[i]);
    return kept;
}

/// The fits of a stack ("any": of all samples), first with all of its samples and then without each part, with the
/// `conformalSpread` of the samples seen, each by the fit without its own part. `fitTo` makes a fit's constants of
/// samples, `errorOf` is a sample's by a fit.
template <typename Fit, typename Sample, typename FitTo, typename ErrorOf>
std::vector<Fit> refit(const std::vector<Sample>& samples, std::string_view stack, const FitTo& fitTo,
                       const ErrorOf& errorOf) {
    std::vector<Fit> fits;
    std::vector<std::vector<Sample>> seen;
    for (int leftOut = -1; leftOut < kRunFolds; ++leftOut) {
        std::vector<Sample>& own = seen.emplace_back();
        for (const Sample& sample : samples)
            if ((stack == "any" || sample.stack == stack) && sample.fold != leftOut) own.push_back(sample);
        Fit fit;
        fit.stack = stack;
        fit.leftOut = leftOut;
        fit.runs = static_cast<int>(own.size());
        fitTo(fit, own);
        fits.push_back(fit);
    }
    for (std::size_t i = 0; i < fits.size(); ++i) {
        std::vector<double> errors;
        for (const Sample& sample : seen[i])
            errors.push_back(errorOf(sample, fits[static_cast<std::size_t>(sample.fold) + 1]));
        fits[i].spread = conformalSpread(std::move(errors));
    }
    return fits;
}

}  // namespace

std::vector<StepFit> refitStack(const std::vector<StepSample>& samples, std::string_view stack) {
    constexpr std::size_t kThinned = 4;
    return refit<StepFit>(
        samples, stack,
        [stack](StepFit& fit, const std::vector<StepSample>& own) {
            fit.constants = fitStep(stack == "any" ? thinned(own, kThinned) : own, {});
        },
        [](const StepSample& sample, const StepFit& fit) {
            return std::fabs(elementary::log(sampleSeconds(sample, fit.constants) / sample.seconds));
        });
}

std::vector<MemorySample> memorySamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices) {
    std::vector<MemorySample> samples;
    std::string refusal;
    for (const MeasuredRun& measured : runs) {
        const Device* device = devices.deviceNamed(measured.run.accelerator, refusal);
        if (device == nullptr || measured.run.metric != RunMetric::memory) continue;
        const std::vector<StepSetting> settings = stepSettingsOf(measured.run, *device, refusal);
        if (settings.empty()) continue;
        samples.push_back({.modelled = stepMemoryOf(settings.front()).total(),
                           .measured = measured.value,
                           .fold = runFold(measured.run),
                           .stack = settings.front().stack.memory});
    }
    return samples;
}

namespace {

double memoryDeviation(const MemorySample& sample, double allowance) {
    return std::fabs(elementary::log(sample.measured / (sample.modelled + allowance)));
}

double bestAllowance(const std::vector<MemorySample>& samples) {
    constexpr int kMost = 400;
    constexpr double kApart = 5e7;
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kMost; ++i) {
        double sum = 0;
        for (const MemorySample& sample : samples) sum += memoryDeviation(sample, i * kApart);
        if (sum < least) std::tie(least, best) = std::pair(sum, i * kApart);
    }
    return best;
}

}  // namespace

std::vector<MemoryFit> refitMemory(const std::vector<MemorySample>& samples, std::string_view stack) {
    return refit<MemoryFit>(
        samples, stack,
        [](MemoryFit& fit, const std::vector<MemorySample>& own) { fit.allowance = bestAllowance(own); },
        [](const MemorySample& sample, const MemoryFit& fit) { return memoryDeviation(sample, fit.allowance); });
}

namespace {

/// Where fits start: what data sheets, kernels and descriptions of stacks let expect.
/// Factors of products of GPUs: medians of the convolutions of 16 channels or more in kernels/v100.csv. Arrays neither
/// share tiles among units nor start kernels. The others are those that data sheets and stacks let expect.
const NetworkParameters& networkPrior() {
    static constexpr NetworkParameters kPrior{.half = 1.3,
                                              .tensor32 = 1.5,
                                              .single = 1.15,
                                              .array = 0.7,
                                              .onChip = 3,
                                              .eagerBytes = 0.75,
                                              .fusedBytes = 0.8,
                                              .tunedBytes = 0.85,
                                              .statistics = 0.5,
                                              .direct = 0.1,
                                              .gap = 5e-6,
                                              .host = 4e-6,
                                              .straggler = 0.02,
                                              .exposed = 0.3,
                                              .feed = 4e-4};
    return kPrior;
}

/// What no machine exceeds.
bool networkPossible(const NetworkParameters& p) {
    return p.eagerBytes <= 1 && p.fusedBytes <= 1 && p.tunedBytes <= 1 && p.statistics <= 1 && p.direct <= 1 &&
           p.exposed <= 1;
}

double networkDeviation(std::span<const MeasuredNetwork> runs, const NetworkParameters& p) {
    if (!networkPossible(p)) return std::numeric_limits<double>::infinity();
    // A parameter twice its prior weighs as a run that is off by 4 %.
    constexpr double kPull = 0.06;
    double sum = 0;
    for (const MeasuredNetwork& run : runs)
        sum += run.weight * std::fabs(elementary::log(run.seconds / networkStep(run.cost, p).seconds));
    for (const auto field : kNetworkFields) sum += kPull * std::fabs(elementary::log(p.*field / networkPrior().*field));
    return sum;
}

}  // namespace

NetworkParameters fitNetworks(std::span<const MeasuredNetwork> runs, const NetworkParameters& start) {
    NetworkParameters best = start;
    double least = networkDeviation(runs, best);
    for (double step = 0.5; step > 0.005; step /= 2) {
        bool moved = true;
        for (int round = 0; moved && round < 30; ++round) {
            moved = false;
            for (const auto field : kNetworkFields)
                for (const double factor : {1 + step, 1 / (1 + step)}) {
                    NetworkParameters trial = best;
                    trial.*field *= factor;
                    const double deviation = networkDeviation(runs, trial);
                    if (!(deviation < least)) continue;
                    least = deviation;
                    best = trial;
                    moved = true;
                }
        }
    }
    return best;
}

namespace {

void weighNetworks(std::vector<MeasuredNetwork>& runs) {
    std::map<std::string_view, double> counts;
    for (const MeasuredNetwork& run : runs) counts[run.group] += 1;
    for (MeasuredNetwork& run : runs) run.weight = 1 / std::sqrt(counts[run.group]);
}

template <typename Seen>
NetworkFit networkFitOn(const std::vector<MeasuredNetwork>& runs, int leftOut, const Seen& isSeen) {
    std::vector<MeasuredNetwork> seen;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(seen), isSeen);
    return {leftOut, static_cast<int>(seen.size()), fitNetworks(seen, networkPrior()), {}};
}

/// A run beside what a fit without it says.
struct UnseenNetwork {
    NetworkClass likeness;
    int fold;
    double deviation;
};

UnseenNetwork unseenNetwork(const MeasuredNetwork& run, NetworkClass likeness, const NetworkParameters& parameters) {
    return {likeness, run.fold, std::fabs(elementary::log(run.seconds / networkStep(run.cost, parameters).seconds))};
}

std::vector<UnseenNetwork> unseenNetworks(const std::vector<MeasuredNetwork>& runs,
                                          const std::vector<NetworkFit>& fits) {
    std::vector<UnseenNetwork> unseen;
    for (const MeasuredNetwork& run : runs)
        unseen.push_back(
            unseenNetwork(run, run.cost.likeness, fits[static_cast<std::size_t>(run.fold) + 1].parameters));
    std::set<std::string_view> kinds;
    for (const MeasuredNetwork& run : runs) kinds.insert(run.kind);
    kinds.erase(std::string_view{});
    for (const std::string_view kind : kinds) {
        const NetworkFit fit = networkFitOn(runs, -1, [&](const MeasuredNetwork& run) { return run.kind != kind; });
        for (const MeasuredNetwork& run : runs)
            if (run.kind == kind) unseen.push_back(unseenNetwork(run, NetworkClass::generation, fit.parameters));
    }
    return unseen;
}

double spreadOf(const std::vector<UnseenNetwork>& unseen, NetworkClass likeness, int leftOut) {
    std::vector<double> deviations;
    for (const UnseenNetwork& run : unseen)
        if (run.likeness == likeness && run.fold != leftOut) deviations.push_back(run.deviation);
    // The next generation need not be as like those measured as these are to each other.
    constexpr double kFurther = 1.5;
    return conformalSpread(std::move(deviations)) * (likeness == NetworkClass::generation ? kFurther : 1);
}

/// What of a run may be left out as a whole.
std::string networkKind(const TrainingRun& run, NetworkClass likeness) {
    if (likeness == NetworkClass::generation) return run.model;
    if (likeness != NetworkClass::node && likeness != NetworkClass::nodes) return {};
    return run.accelerator.starts_with("v100") ? "volta" : "ampere";
}

}  // namespace

std::vector<NetworkFit> fitNetworkFolds(std::vector<MeasuredNetwork> runs) {
    weighNetworks(runs);
    std::vector<NetworkFit> fits;
    for (int leftOut = -1; leftOut < kRunFolds; ++leftOut)
        fits.push_back(networkFitOn(runs, leftOut, [&](const MeasuredNetwork& run) { return run.fold != leftOut; }));
    const std::vector<UnseenNetwork> unseen = unseenNetworks(runs, fits);
    for (NetworkFit& fit : fits)
        for (std::size_t i = 0; i < kNetworkClasses; ++i)
            fit.spread[i] = spreadOf(unseen, static_cast<NetworkClass>(i), fit.leftOut);
    return fits;
}

std::optional<MeasuredNetwork> measuredNetwork(const TrainingRun& run, const Device& device, double value) {
    if (run.metric != RunMetric::samples && run.metric != RunMetric::step) return std::nullopt;
    MeasuredNetwork measured{.cost = networkCost(run, device), .fold = runFold(run)};
    measured.seconds = run.metric == RunMetric::samples ? measured.cost.samples / value : value;
    measured.kind = networkKind(run, measured.cost.likeness);
    const int scale = static_cast<int>(std::log2(run.accelerators)) / 2;
    measured.group = run.model + '|' + run.accelerator + '|' + run.dtype + '|' +
                     std::string(kSoftwareProfileNames.of(measured.cost.profile)) + '|' + std::to_string(scale);
    return measured;
}

namespace {

/// Rows of a family with their terms; `coefficients` of a product are 1.
struct TransferSamples {
    std::vector<MeasuredTerms> terms;
    std::vector<std::string> dtypes;
};

/// The rows of a family by the accelerator's own products, or by those of all others.
TransferSamples transferSamples(const AcceleratorKernels& measured, KernelFamily family, bool leftOut) {
    TransferSamples samples;
    for (const KernelRow& row : measured.rows) {
        const KernelKind* kind = kernelKind(row.request.kernel);
        if (kind == nullptr || kind->family != family || !kernelFault(row.request).empty()) continue;
        const std::string& dtype = row.request.dtype;
        const ProductsAsked asked{.kernel = row.request.kernel,
                                  .source = leftOut ? std::string_view() : std::string_view(row.source),
                                  .without = leftOut ? std::string_view(measured.device.id) : std::string_view()};
        const KernelPlace place{machineOf(measured.device, dtype), bytesOf(dtype),
                                productParametersOf(measured.device, dtype, asked).parameters};
        samples.terms.push_back({kernelTerms(*kind, row.request.shape, place), row.seconds});
        samples.dtypes.push_back(dtype);
    }
    return samples;
}

struct TransferErrors {
    std::vector<double> residuals = {};
    double sum = 0;

    void add(const MeasuredTerms& row, const KernelTerms& coefficients) {
        const double share = secondsOf(row.terms, coefficients) / row.seconds;
        residuals.push_back(std::fabs(elementary::log(share)));
        sum += std::fabs(share - 1);
    }
};

void append(std::vector<MeasuredTerms>& to, const std::vector<MeasuredTerms>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// The rows of each data type by the coefficients of the others.
void leaveOutTypes(const TransferSamples& samples, TransferErrors& errors) {
    std::map<std::string, std::vector<MeasuredTerms>> others;
    for (const std::string& dtype : samples.dtypes)
        if (std::vector<MeasuredTerms>& rest = others[dtype]; rest.empty())
            for (std::size_t i = 0; i < samples.terms.size(); ++i)
                if (samples.dtypes[i] != dtype) rest.push_back(samples.terms[i]);
    std::map<std::string, KernelTerms> coefficients;
    for (const auto& [dtype, rest] : others) coefficients[dtype] = fitTerms(rest);
    for (std::size_t i = 0; i < samples.terms.size(); ++i)
        errors.add(samples.terms[i], coefficients.at(samples.dtypes[i]));
}

TransferredTerms transferredFamily(const std::vector<AcceleratorKernels>& measured, KernelFamily family) {
    const bool isProduct = family == KernelFamily::product;
    std::vector<TransferSamples> own;
    std::vector<MeasuredTerms> all;
    for (const AcceleratorKernels& one : measured) {
        own.push_back(transferSamples(one, family, false));
        append(all, own.back().terms);
    }
    TransferredTerms transferred{.family = family, .coefficients = isProduct ? KernelTerms{1} : fitTerms(all)};
    TransferErrors errors;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (own[i].terms.empty()) continue;
        std::vector<MeasuredTerms> others;
        for (std::size_t j = 0; j < own.size(); ++j)
            if (j != i) append(others, own[j].terms);
        if (others.empty()) {
            leaveOutTypes(own[i], errors);
            continue;
        }
        const KernelTerms coefficients = isProduct ? KernelTerms{1} : fitTerms(others);
        for (const MeasuredTerms& row : transferSamples(measured[i], family, true).terms) errors.add(row, coefficients);
    }
    transferred.rows = static_cast<int>(errors.residuals.size());
    if (transferred.rows > 0) transferred.meanError = errors.sum / transferred.rows;
    transferred.spread = conformalSpread(std::move(errors.residuals));
    return transferred;
}

}  // namespace

std::vector<TransferredTerms> fitTransferred(const std::vector<AcceleratorKernels>& measured) {
    std::vector<TransferredTerms> families;
    for (std::size_t i = 0; i < hardware::kKernelFamilyNames.size(); ++i)
        families.push_back(transferredFamily(measured, static_cast<KernelFamily>(i)));
    return families;
}

}  // namespace tessera::physical

#include "core/physical/training_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/physical/energy.h"
#include "core/physical/kernel.h"
#include "core/physical/pipeline.h"
#include "core/physical/step_memory.h"

namespace tessera::physical {

const Device* DeviceLibrary::deviceNamed(const std::string& name, std::string& refusal) {
    const std::lock_guard lock(mutex_);
    auto [at, isNew] = entries_.try_emplace(name);
    if (isNew) {
        try {
            at->second.device = deviceOf(hardware::loadAccelerator(name));
        } catch (const std::runtime_error& error) {
            at->second.refusal = error.what();
        }
    }
    refusal = at->second.refusal;
    return at->second.device ? &*at->second.device : nullptr;
}

double networkRateOf(const Device& device) {
    constexpr double kLinkShare = 12, kNewCard = 50e9;
    if (device.linkBytesPerSecond <= 0) return 0;
    return device.peaks.contains("fp8") ? kNewCard : device.linkBytesPerSecond / kLinkShare;
}

namespace {

/// Accelerators that links join where those are more than a node: racks of NVLink, meshes of TPUs.
int linkedOf(const TrainingRun& run, const Device& device) {
    constexpr std::string_view kRackScale = "gb", kMesh = "tpu";
    constexpr int kRack = 72;
    if (device.id.starts_with(kRackScale)) return std::clamp(run.accelerators, 1, kRack);
    if (device.id.starts_with(kMesh)) return run.accelerators;
    return std::clamp(run.perNode, 1, run.accelerators);
}

/// Bytes/s of all linked devices to the network; a node without links has a card of 100 Gbit/s.
double networkOf(const TrainingRun& run, const Device& device) {
    const double nodes = static_cast<double>(linkedOf(run, device)) / std::clamp(run.perNode, 1, run.accelerators);
    if (run.networkBytesPerSecond > 0) return run.networkBytesPerSecond * nodes;
    constexpr double kOneCard = 12.5e9;
    if (device.linkBytesPerSecond <= 0) return kOneCard;
    return std::max(networkRateOf(device) * linkedOf(run, device), kOneCard);
}

std::string dtypeOf(const TrainingRun& run, const Device& device) {
    if (!run.dtype.empty()) return run.dtype;
    return device.peaks.contains("fp8") &&
                   stackTraitsOf(run.software, device, "", false).profile == SoftwareProfile::tuned
               ? "fp8"
               : "bf16";
}

/// Degrees of parallelism, as far as the run says them.
bool setDegrees(StepLayout& layout, const TrainingRun& run, std::string& refusal) {
    layout.tensor = run.tensorParallel.value_or(1);
    layout.pipeline = run.pipelineParallel.value_or(1);
    layout.context = run.contextParallel.value_or(1);
    const std::int64_t model = std::int64_t{layout.tensor} * layout.pipeline * layout.context;
    if (model > run.accelerators) {
        refusal =
            fmt::format("tensor x pipeline x context parallelism is {} on {} accelerators", model, run.accelerators);
        return false;
    }
    layout.data = run.dataParallel.value_or(static_cast<int>(run.accelerators / model));
    const int alike = std::max(layout.data * layout.context, 1);
    layout.expert = run.expertParallel.value_or(1);
    layout.wholeExperts = layout.expert > alike;
    layout.expert = std::min(layout.expert, layout.wholeExperts ? alike * layout.tensor : alike);
    layout.chunks = run.virtualStages.value_or(1);
    return true;
}

/// Tuned stacks interleave; chunks that are not said are single layers.
void setSchedule(StepLayout& layout, const TrainingRun& run, const Transformer& model, bool tuned) {
    const bool interleaves = layout.chunks > 1 || (tuned && layout.pipeline > 1 && !run.virtualStages);
    layout.schedule =
        run.schedule.value_or(interleaves ? PipelineSchedule::interleaved : PipelineSchedule::oneForwardOneBackward);
    if (layout.schedule == PipelineSchedule::interleaved && !run.virtualStages)
        layout.chunks = std::max(static_cast<int>(stageLayersOf(model, layout).fullest), 1);
}

void setBatches(StepLayout& layout, const TrainingRun& run, double micro) {
    const double replica = run.globalBatch > 0 ? run.globalBatch / layout.data : 0;
    layout.micro = micro;
    layout.microBatches = replica > 0 ? std::max(1.0, std::ceil(replica / layout.micro - 1e-9)) : 1;
    if (replica > 0 && replica < layout.micro) layout.micro = replica;
}

/// Whether a setting fits with what its software holds beside a model.
bool fitsWithSoftware(const StepSetting& setting) {
    return fitsDevice(setting, memoryFitOf(setting.stack.memory, -1).allowance);
}

/// Degrees that no run said: tensors are split inside a node, then layers in stages, until the model fits.
void chooseDegrees(StepSetting& setting, const TrainingRun& run) {
    StepLayout& layout = setting.layout;
    for (int model = 1; model <= run.accelerators; model *= 2) {
        layout.tensor = std::min(model, std::clamp(run.perNode, 1, run.accelerators));
        layout.pipeline = model / layout.tensor;
        if (layout.pipeline > setting.model.layers || layout.tensor > setting.model.heads) break;
        layout.data = std::max(run.accelerators / (layout.tensor * layout.pipeline), 1);
        layout.sequenceParallel = layout.tensor > 1;
        setBatches(layout, run, run.microBatch > 0 ? run.microBatch : 1);
        if (fitsWithSoftware(setting)) break;
    }
}

/// Micro-batches that a run leaves open, of what fits; else the least.
std::vector<StepSetting> choicesOf(const StepSetting& setting, const TrainingRun& run) {
    std::vector<double> micros{1, 2, 4, 8};
    if (run.microBatch > 0) micros = {run.microBatch};
    if (run.microBatch <= 0 && run.globalBatch <= 0) micros = {1};
    std::vector<StepSetting> choices;
    for (const double micro : micros) {
        StepSetting choice = setting;
        setBatches(choice.layout, run, micro);
        const bool divides = std::fmod(run.globalBatch, choice.layout.data * micro) == 0;
        if (!choices.empty() && (!divides || !fitsWithSoftware(choice))) continue;
        choices.push_back(choice);
    }
    return choices;
}

}  // namespace

std::vector<StepSetting> stepSettingsOf(const TrainingRun& run, const Device& device, std::string& refusal) {
    const std::optional<Transformer> model = transformerOf(run, refusal);
    if (!model) return {};
    if (!(device.bandwidth > 0)) {
        refusal = fmt::format("the bandwidth of the memory of {} is not known", run.accelerator);
        return {};
    }
    StepSetting setting{.model = *model,
                        .layout = {},
                        .device = device,
                        .dtype = dtypeOf(run, device),
                        .perNode = linkedOf(run, device),
                        .nodeBytesPerSecond = networkOf(run, device),
                        .stack = {},
                        .training = run.training,
                        .updates = !run.optimizer.empty(),
                        .dropsTokens = lowered(run.software).find("drop") != std::string::npos};
    if (!(peakOf(device, setting.dtype) > 0)) {
        refusal = fmt::format("the data type {} is not known", inQuotes(run.dtype));
        return {};
    }
    setting.stack = stackTraitsOf(run.software, device, setting.dtype, !model->causal);
    if (!setDegrees(setting.layout, run, refusal)) return {};
    const bool tuned = setting.stack.profile == SoftwareProfile::tuned;
    setting.layout.recompute = run.recompute.value_or(Recompute::none);
    const bool isFsdp2 = setting.stack.sharding == StackSharding::fsdp2;
    setting.layout.sequenceParallel = run.sequenceParallel.value_or((tuned || isFsdp2) && setting.layout.tensor > 1);
    setting.layout.zero = run.zero.value_or(tuned ? 1 : 0);
    if (!run.tensorParallel && !run.pipelineParallel && !run.dataParallel && run.accelerators > 1)
        chooseDegrees(setting, run);
    setSchedule(setting.layout, run, *model, tuned);
    // By default FSDP2 keeps what it has gathered through a pipeline (torchtitan, fsdp_reshard_after_forward).
    if (isFsdp2 && setting.layout.pipeline > 1 && setting.layout.zero == 3) setting.layout.zero = 2;
    return choicesOf(setting, run);
}

namespace {

/// Bounds as those of the logarithm of a time whose reciprocal is asked for, which turns them round.
Prediction reciprocalOf(const Estimate& seconds, double amount) {
    return {.estimate = Estimate{amount / seconds.value, amount / seconds.high, amount / seconds.low}};
}

double samplesOf(const TrainingRun& run, const StepLayout& layout) {
    return run.globalBatch > 0 ? run.globalBatch : layout.micro * layout.microBatches * layout.data;
}

constexpr double kBubbleSpread = 0.03;

/// Of a pipeline whose stages are equal, as authors compute it from profiles of one.
Prediction bubbleOf(const StepSetting& setting, const StepTimes& times) {
    const StepLayout& layout = setting.layout;
    Pipeline pipeline{.schedule = layout.schedule,
                      .stages = layout.pipeline,
                      .microBatches = static_cast<int>(std::min(layout.microBatches, 1e6)),
                      .chunks = layout.chunks,
                      .times = times.stage,
                      .transfer = times.transfer};
    pipeline.keptForWeights = keptForWeightsOf(setting);
    if (std::string why = pipelineRefusal(pipeline); !why.empty()) return {.refused = std::move(why)};
    const double share = simulatePipeline(pipeline).bubbleShare;
    return {.estimate = Estimate{share, std::max(share - kBubbleSpread, 0.0), std::min(share + kBubbleSpread, 1.0)}};
}

Prediction memoryOf(const std::vector<StepSetting>& settings, int leftOut) {
    const MemoryFit& fit = memoryFitOf(settings.front().stack.memory, leftOut);
    const double bytes = stepMemoryOf(settings.front()).total() + fit.allowance;
    return {.estimate = estimateAround(bytes, fit.spread)};
}

struct FastestStep {
    StepTimes times;
    const StepSetting* setting = nullptr;
};

FastestStep fastestOf(const std::vector<StepSetting>& settings, const StepConstants& constants) {
    FastestStep best;
    for (const StepSetting& setting : settings) {
        const StepTimes times = stepTimesOf(stepWorkOf(setting), constants);
        if (best.setting == nullptr || times.step < best.times.step) best = {times, &setting};
    }
    return best;
}

}  // namespace

Prediction predictTransformer(const TrainingRun& run, const Device& device, SeenRows seen) {
    std::string refusal;
    const std::vector<StepSetting> settings = stepSettingsOf(run, device, refusal);
    if (settings.empty()) return {.refused = std::move(refusal)};
    const int leftOut = seen == SeenRows::allRows ? -1 : runFold(run);
    if (run.metric == RunMetric::memory) return memoryOf(settings, leftOut);
    const StepFit& fit = stepFitOf(settings.front().stack.fit, leftOut);
    const FastestStep best = fastestOf(settings, fit.constants);
    if (run.metric == RunMetric::bubble) return bubbleOf(*best.setting, best.times);
    if (run.metric == RunMetric::forward) return {.estimate = estimateAround(best.times.forward, fit.spread)};
    if (run.metric == RunMetric::energy) {
        const double joules = stepJoules(run, device, {best.times.step, best.times.products, best.times.memory});
        return {.estimate = estimateAround(joules, std::hypot(fit.spread, kPowerSpread))};
    }
    const Estimate step = estimateAround(best.times.step, fit.spread);
    const double samples = samplesOf(run, best.setting->layout);
    if (run.metric == RunMetric::samples) return reciprocalOf(step, samples);
    if (run.metric == RunMetric::tokensPerAccelerator)
        return reciprocalOf(step, samples * best.setting->model.sequence / run.accelerators);
    return {.estimate = step};
}

ReplicaStep replicaStepOf(const TrainingRun& run, const Device& device) {
    const auto stepOf = [&](const TrainingRun& of) {
        std::string refusal;
        const std::vector<StepSetting> settings = stepSettingsOf(of, device, refusal);
        if (settings.empty()) throw UsageError(refusal);
        const StepFit& fit = stepFitOf(settings.front().stack.fit, -1);
        return ReplicaStep{
            .times = fastestOf(settings, fit.constants).times, .shown = fit.constants.data, .spread = fit.spread};
    };
    ReplicaStep step = stepOf(run);
    TrainingRun alone = run;
    alone.accelerators = alone.perNode = 1;
    alone.dataParallel = 1;
    alone.globalBatch = run.globalBatch / run.accelerators;
    step.computed = run.accelerators > 1 ? stepOf(alone).times.step : step.times.step;
    step.exposed = step.times.step - step.computed;
    return step;
}

}  // namespace tessera::physical

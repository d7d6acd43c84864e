#include "core/physical/utilisation.h"

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/physical/network_model.h"
#include "core/physical/network_run.h"
#include "core/physical/training_predictor.h"
#include "core/physical/transformer.h"

namespace tessera::physical {

double forwardFlopOf(const Transformer& model) {
    const TransformerParameters parameters = parametersOf(model);
    const double met = parameters.active - parameters.embedding - parameters.head;
    const double head = model.headShare * model.vocabulary * model.tableWidth() + 2 * widthProductOf(model);
    const double scores = 4 * keysOf(model) * model.heads * model.headSize * model.layers;
    return model.sequence * (2 * (met + head) + scores);
}

namespace {

/// A step of a run: how long it takes at the peak of all its accelerators, and how many samples it has.
struct StepAtPeak {
    double seconds = 0;
    double samples = 0;
    double sequence = 0;  ///< tokens of a sample; 0 where there are none
};

std::optional<StepAtPeak> transformerAtPeak(const TrainingRun& run, const Device& device) {
    std::string refusal;
    const std::vector<StepSetting> settings = stepSettingsOf(run, device, refusal);
    if (settings.empty()) return std::nullopt;
    const StepSetting& setting = settings.front();
    const StepLayout& layout = setting.layout;
    const double samples = run.globalBatch > 0 ? run.globalBatch : layout.micro * layout.microBatches * layout.data;
    const bool trains = run.training && run.metric != RunMetric::forward;
    const double flop = (trains ? 3 : 1) * samples * forwardFlopOf(setting.model);
    return StepAtPeak{flop / (run.accelerators * peakOf(device, setting.dtype)), samples, setting.model.sequence};
}

std::optional<StepAtPeak> networkAtPeak(const TrainingRun& run, const Device& device) {
    const NetworkCost cost = networkCost(run, device);
    StepAtPeak step{.samples = cost.samples};
    for (const NetworkKernel& kernel : cost.kernels)
        if (cost.training || !kernel.backward) step.seconds += cost.passes * kernel.count * kernel.floor;
    return step;
}

/// Seconds of a step that a value of the run's metric means; nothing for a metric of another kind.
std::optional<double> secondsMeant(const TrainingRun& run, const StepAtPeak& step, double value) {
    switch (run.metric) {
        case RunMetric::step:
        case RunMetric::forward:
            return value;
        case RunMetric::samples:
            return step.samples / value;
        case RunMetric::tokensPerAccelerator:
            if (step.sequence <= 0) return std::nullopt;
            return step.samples * step.sequence / (run.accelerators * value);
        case RunMetric::memory:
        case RunMetric::energy:
        case RunMetric::bubble:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> impliedShareOfPeak(const TrainingRun& run, const Device& device, double value) {
    if (!(value > 0)) return std::nullopt;
    try {
        const bool isKnown = isTransformer(run.model) || isNetworkRun(run);
        const std::optional<StepAtPeak> step = !isKnown                   ? std::nullopt
                                               : isTransformer(run.model) ? transformerAtPeak(run, device)
                                                                          : networkAtPeak(run, device);
        if (!step) return std::nullopt;
        const std::optional<double> seconds = secondsMeant(run, *step, value);
        if (!seconds) return std::nullopt;
        return step->seconds / *seconds;
    } catch (const UsageError&) {  // a dimension that is no number
        return std::nullopt;
    }
}

}  // namespace tessera::physical

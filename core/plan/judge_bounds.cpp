// What no division of a configuration beats.

#include <algorithm>

#include "core/physical/energy.h"
#include "core/plan/judge_data.h"

namespace tessera::plan {

namespace {

/// Joules of a micro-batch on a device of some watts, beyond those of waiting as long.
double joulesBeyondWaiting(double watts, const BusyTimes& busy) {
    const double step = busy.products + busy.memory;
    if (step <= 0) return 0;
    const double worked = physical::joulesOf(watts, {.step = step, .products = busy.products, .memory = busy.memory});
    return worked - physical::joulesOf(watts, {.step = step, .products = 0, .memory = 0});
}

}  // namespace

/// Joules of a pipeline, of whose groups the one that takes less for a layer holds as many as it can, where nothing is
/// updated.
double Judge::Data::joulesBound(const Configuration& configuration, const PlacedParts& placed, double seconds) const {
    double waiting = 0, min = 0, all = 0, head = 0, fixed = 0;  // of the kind of layers that is busy least
    for (const PlacedPart& each : placed) {
        const double watts = each.model->watts(), stages = each.part->stages;
        const double layer = joulesBeyondWaiting(watts, each.model->layerBusy());
        waiting += stages * physical::joulesOf(watts, {.step = seconds, .products = 0, .memory = 0});
        min = &each == &placed.front() ? layer : std::min(min, layer);
        all += stages * layer;
        fixed += stages;
        if (each.hasHead(configuration.pipeline)) head = joulesBeyondWaiting(watts, each.model->headBusy());
    }
    const Part& part = *placed.front().part;
    const double working = part.microBatches * (all + (layers - fixed) * min + head);
    return static_cast<double>(configuration.perStage()) * part.replicas * (waiting + working);
}

/// Bytes of the fullest accelerator where stages hold fractions of layers, so that all are as full. Several stages
/// count as the last of them, which holds the fewest micro-batches.
double Judge::Data::memoryBound(const PlacedParts& placed) const {
    constexpr int kAtOnce = 8;
    double held = 0, inverse = 0;
    const auto add = [&](const PlacedPart& each, int stages, int last) {
        // Of several kinds of layers that which keeps least, without what works on them.
        const StageBytes bytes = each.model->bytesAt(each.layout, last, each.model->kinds() - 1);
        const double layer = bytes.layer.total();
        const double fixed = each.model->kinds() == 1 ? bytes.fixed.total() : bytes.fixed.parameters;
        held += stages * (fixed + each.model->variant().allowance) / layer;
        inverse += stages / layer;
    };
    for (const PlacedPart& each : placed) {
        const int end = each.first + each.part->stages;
        int at = each.first;
        // The first and the last of all hold more than layers.
        if (at == 0) add(each, 1, at++);
        const int plain = end == each.layout.pipeline ? end - 1 : end;
        for (; at < plain; at = std::min(at + kAtOnce, plain)) {
            const int next = std::min(at + kAtOnce, plain);
            add(each, next - at, next - 1);
        }
        if (plain < end) add(each, 1, plain);
    }
    return (layers + held) / inverse;
}

/// Seconds of a step through groups one after the other, whose parts have stages from those of `min` to those of
/// `max`, which hold fractions of layers: no stage less than one.
double Judge::Data::secondsBound(const Configuration& configuration, const PlacedParts& min,
                                 const PlacedParts& max) const {
    // All stages as long as each other; longer where a stage of one layer takes that.
    const double head = max.back().times().head();
    double work = head / max.back().times().both(), rate = 0, longest = 0, fastest = 0, all = head, held = 0;
    work += layers;
    for (std::size_t i = 0; i < max.size(); ++i) {
        const double layer = max[i].times().both(), stages = max[i].part->stages;
        rate += stages / layer;
        longest = std::max(longest, i + 1 < max.size() ? layer : layer + head / stages);
        fastest = i == 0 ? layer : std::min(fastest, layer);
        all += min[i].part->stages * layer;
        held += min[i].part->stages;
    }
    longest = std::max(longest, work / rate);
    all += (layers - held) * fastest;
    return pipelineSeconds(configuration, max.front(), {.longest = longest, .all = all}, max.front().part->microBatches,
                           0);
}

Scores Judge::Data::boundOfStages(const Configuration& configuration, const PlacedParts& min,
                                  const PlacedParts& max) const {
    Scores scores;
    double& seconds = scores.of(Objective::time);
    seconds = secondsBound(configuration, min, max);
    scores.of(Objective::accelerators) = static_cast<double>(configuration.accelerators());
    for (const PlacedPart& each : min) scores.of(Objective::price) += priceOf(configuration, each, seconds);
    scores.of(Objective::energy) = joulesBound(configuration, min, seconds);
    return scores;
}

Scores Judge::Data::bound(const Configuration& configuration, Wanted wanted) {
    if (layered) return {};
    const PlacedParts placed = placedOf(configuration);
    if (configuration.isSideBySide()) return sharedBound(configuration, placed);
    Scores scores = boundOfStages(configuration, placed, placed);
    if (wanted.memory && configuration.isStacked()) scores.of(Objective::memory) = memoryBound(placed);
    return scores;
}

}  // namespace tessera::plan

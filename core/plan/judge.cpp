#include "core/plan/judge.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "core/physical/energy.h"
#include "core/plan/judge_data.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using physical::LayerTimes;
using physical::StepMemory;

namespace {

constexpr double kHour = 3600;

/// USD of a step of a part.
double priceOf(const Configuration& configuration, const PlacedPart& placed, double seconds) {
    const auto count = static_cast<double>(configuration.perStage() * placed.part->stages * placed.part->replicas);
    return count * placed.model->group().pricePerHour.value_or(0) / kHour * seconds;
}

double longestStart(const PlacedParts& placed) {
    double start = 0;
    for (const PlacedPart& each : placed) start = std::max(start, each.model->constants().start);
    return start;
}

}  // namespace

MemoryTerm Shortage::largest() const {
    if (memory.activations >= memory.parameters && memory.activations >= memory.working) return MemoryTerm::activations;
    return memory.working > memory.parameters ? MemoryTerm::working : MemoryTerm::parameters;
}

Judgement Judge::Data::judge(const Configuration& configuration, Wanted wanted) {
    if (layered) return layered->judge(configuration, wanted);
    if (configuration.parts.size() > 1)
        return configuration.isStacked() ? judgeStacked(configuration, wanted) : judgeSideBySide(configuration, wanted);
    const bool isInterleaved = configuration.schedule == physical::PipelineSchedule::interleaved;
    return isInterleaved ? judgeInterleaved(configuration, wanted) : judgeOne(configuration, wanted);
}

/// The scores of a configuration that fits; a judgement of parts side by side has their micro-batches.
void Judge::Data::score(Judgement& judgement, Scored scored, Wanted wanted) const {
    judgement.fits = true;
    Scores& scores = judgement.scores;
    scores.of(Objective::time) = scored.seconds;
    scores.of(Objective::accelerators) = static_cast<double>(scored.configuration.accelerators());
    for (std::size_t i = 0; i < scored.placed.size(); ++i) {
        const PlacedPart& each = scored.placed[i];
        const int microBatches = judgement.microBatches.empty() ? each.part->microBatches : judgement.microBatches[i];
        scores.of(Objective::price) += priceOf(scored.configuration, each, scored.seconds);
        scores.of(Objective::energy) += joulesOf(scored, each, microBatches);
    }
    if (wanted.memory) scoreMemory(scores, scored);
    if (wanted.layers) judgement.layers = std::move(scored.held);
}

/// Of all accelerators of a part.
double Judge::Data::joulesOf(const Scored& scored, const PlacedPart& placed, int microBatches) const {
    const Configuration& configuration = scored.configuration;
    const Part& part = *placed.part;
    double inPart = layers;
    if (configuration.isStacked()) {
        inPart = 0;
        for (int s = placed.first; s < placed.first + part.stages; ++s)
            inPart += scored.held[static_cast<std::size_t>(s)];
    }
    const bool hasHead = placed.hasHead(configuration.pipeline);
    const auto busy = [&](double BusyTimes::*member) {
        const double head = hasHead ? placed.model->headBusy().*member : 0;
        return microBatches * (inPart * placed.model->layerBusy().*member + head) / part.stages;
    };
    const double update = placed.model->step().optimizer(placed.layout, inPart / part.stages);
    const double each = physical::joulesOf(
        placed.model->watts(),
        {.step = scored.seconds, .products = busy(&BusyTimes::products), .memory = busy(&BusyTimes::memory) + update});
    return static_cast<double>(configuration.perStage() * part.stages * part.replicas) * each;
}

void Judge::Data::scoreMemory(Scores& scores, const Scored& scored) const {
    double& most = scores.of(Objective::memory);
    for (const PlacedPart& each : scored.placed)
        for (int s = 0; s < each.part->stages; ++s) {
            const int stage = each.first + s, held = scored.held[static_cast<std::size_t>(stage)];
            const StepMemory memory = each.model->memoryOf(each.layout, stage, held);
            most = std::max(most, memory.total() + each.model->variant().allowance);
        }
}

Judgement Judge::Data::judgeOne(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PlacedPart& only = placed.front();
    const PipelineNeeds needs(placed);
    const std::vector<int> most = needs.most(layers);
    const LayerTimes& times = only.times();
    const std::function<double(int)> once = [&](int held) { return only.model->once(only.layout, held).both(); };
    const StageRow row{
        .stages = configuration.pipeline, .layer = times.both(), .head = times.head(), .most = most, .once = &once};
    const double hop = transferOf(configuration, placed), start = only.model->constants().start;
    const auto division = bestDivision(layers, std::span(&row, 1), [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, only, cost, only.part->microBatches, hop) + cost.once + start;
    });
    if (!division) {
        judgement.shortage = leastShortage(needs);
        return judgement;
    }
    Scored scored{.configuration = configuration, .placed = placed, .held = {}, .seconds = division->seconds};
    if (wanted.layers || wanted.memory) scored.held = layersOf(row, division->rows.front(), layers);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

/// Virtual stages are equal, so the layers of each stage are those that Megatron-LM gives it.
std::vector<int> Judge::Data::interleavedLayers(const Configuration& configuration) const {
    const physical::StageLayers even =
        stageLayersOf(problem.model(), layoutOf(configuration, configuration.parts.front()));
    std::vector<int> held(static_cast<std::size_t>(configuration.pipeline), static_cast<int>(even.fullest));
    held.front() = static_cast<int>(even.first);
    held.back() = static_cast<int>(even.last);
    return held;
}

Judgement Judge::Data::judgeInterleaved(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PlacedPart& only = placed.front();
    std::vector<int> held = interleavedLayers(configuration);
    const PipelineNeeds needs(placed);
    HeldStage fullest{0, held[0]};
    for (std::size_t s = 1; s < held.size(); ++s)
        if (needs.shareOf({s, held[s]}) > needs.shareOf(fullest)) fullest = {s, held[s]};
    if (needs.shareOf(fullest) > 1) {
        judgement.shortage = shortageAt(only, fullest);
        return judgement;
    }
    const int most = *std::max_element(held.begin(), held.end());
    const RowChoice choice{*std::max_element(held.begin(), held.end() - 1), held.back()};
    const double seconds = pipelineSeconds(configuration, only, costOn(only, choice), only.part->microBatches,
                                           transferOf(configuration, placed)) +
                           only.model->once(only.layout, most).both() + only.model->constants().start;
    score(judgement, {.configuration = configuration, .placed = placed, .held = std::move(held), .seconds = seconds},
          wanted);
    return judgement;
}

Judgement Judge::Data::judgeStacked(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PipelineNeeds needs(placed);
    const std::vector<int> most = needs.most(layers);
    std::vector<std::function<double(int)>> once;
    for (const PlacedPart& each : placed)
        once.emplace_back([&each](int held) { return each.model->once(each.layout, held).both(); });
    std::vector<StageRow> rows;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const LayerTimes& times = placed[i].times();
        rows.push_back({.stages = placed[i].part->stages,
                        .layer = times.both(),
                        .head = placed[i].hasHead(configuration.pipeline) ? times.head() : 0,
                        .most = std::span(most).subspan(static_cast<std::size_t>(placed[i].first),
                                                        static_cast<std::size_t>(placed[i].part->stages)),
                        .once = &once[i]});
    }
    const double hop = transferOf(configuration, placed), start = longestStart(placed);
    const int microBatches = placed.front().part->microBatches;
    const auto division = bestDivision(layers, rows, [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, placed.front(), cost, microBatches, hop) + cost.once + start;
    });
    if (!division) {
        judgement.shortage = leastShortage(needs);
        return judgement;
    }
    Scored scored{.configuration = configuration, .placed = placed, .held = {}, .seconds = division->seconds};
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const int each : layersOf(rows[i], division->rows[i], division->layers[i])) scored.held.push_back(each);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

Judgement Judge::Data::judgeSideBySide(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PipelineNeeds needs(placed);
    const std::vector<int> most = needs.most(layers);
    // The layers are the same on all groups: none of their choices may be left out, so the head counts as where it
    // takes longest in units of a layer.
    double head = 0;
    for (const PlacedPart& each : placed) head = std::max(head, each.times().head() / each.times().both());
    const std::function<double(int)> once = [&](int held) {
        double slowest = 0;
        for (const PlacedPart& each : placed) slowest = std::max(slowest, each.model->once(each.layout, held).both());
        return slowest;
    };
    const StageRow row{.stages = configuration.pipeline, .layer = 1, .head = head, .most = most, .once = &once};
    const double hop = transferOf(configuration, placed), start = longestStart(placed);
    const int all = allMicroBatches(problem, configuration);
    double best = 0;
    RowChoice chosen;
    forEachDivision(layers, row, [&](const RowChoice& choice) {
        const std::vector<SharingPipelines> pipelines = sharingOf(configuration, placed, choice, hop);
        std::vector<int> shares = sharedMicroBatches(all, pipelines);
        double slowest = 0;
        for (std::size_t i = 0; i < placed.size(); ++i) slowest = std::max(slowest, pipelines[i].seconds(shares[i]));
        const double seconds = slowest + once(costOn(placed.front(), choice).fullest) + start;
        if (best > 0 && seconds >= best) return;
        best = seconds;
        chosen = choice;
        judgement.microBatches = std::move(shares);
    });
    if (best <= 0) {
        judgement.shortage = leastShortage(needs);
        return judgement;
    }
    Scored scored{.configuration = configuration, .placed = placed, .held = {}, .seconds = best};
    if (wanted.layers || wanted.memory) scored.held = layersOf(row, chosen, layers);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

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
    double waiting = 0, least = 0, most = 0, head = 0, fixed = 0;
    for (const PlacedPart& each : placed) {
        const double watts = each.model->watts(), stages = each.part->stages;
        const double layer = joulesBeyondWaiting(watts, each.model->layerBusy());
        waiting += stages * physical::joulesOf(watts, {.step = seconds, .products = 0, .memory = 0});
        least = &each == &placed.front() ? layer : std::min(least, layer);
        most += stages * layer;
        fixed += stages;
        if (each.hasHead(configuration.pipeline)) head = joulesBeyondWaiting(watts, each.model->headBusy());
    }
    const Part& part = *placed.front().part;
    const double working = part.microBatches * (most + (layers - fixed) * least + head);
    return static_cast<double>(configuration.perStage()) * part.replicas * (waiting + working);
}

/// Bytes of the fullest accelerator where stages hold fractions of layers, so that all are as full. Several stages
/// count as the last of them, which holds the fewest micro-batches.
double Judge::Data::memoryBound(const PlacedParts& placed) const {
    constexpr int kAtOnce = 8;
    double held = 0, inverse = 0;
    const auto add = [&](const PlacedPart& each, int stages, int last) {
        const StageBytes bytes = each.model->bytesAt(each.layout, last);
        const double layer = bytes.layer.total();
        held += stages * (bytes.fixed.total() + each.model->variant().allowance) / layer;
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

/// Seconds of a step through one group, or two one after the other, whose stages hold fractions of layers.
double Judge::Data::secondsBound(const Configuration& configuration, const PlacedParts& placed) const {
    const int microBatches = placed.front().part->microBatches;
    const auto secondsOf = [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, placed.front(), cost, microBatches, 0);
    };
    const LayerTimes& ahead = placed.front().times();
    const LayerTimes& behind = placed.back().times();
    const double front = placed.front().part->stages, head = behind.head();
    if (placed.size() == 1) {
        const double all = layers * ahead.both() + head;
        return secondsOf({.longest = all / front, .all = all});
    }
    // Layers that make both rows' stages equally long, then as many as may go to the faster row.
    const double back = placed.back().part->stages, x = ahead.both(), y = behind.both();
    const double first = std::clamp((layers * y + head) * front / (x * back + y * front), front, layers - back);
    return secondsOf({.longest = std::max(first * x / front, ((layers - first) * y + head) / back),
                      .all = x < y ? (layers - back) * x + back * y + head : front * x + (layers - front) * y + head});
}

/// Seconds of replicas side by side that share fractions of micro-batches, where no stage is ever idle.
double Judge::Data::sharedSecondsBound(const Configuration& configuration, const PlacedParts& placed) const {
    double perSecond = 0;  // micro-batches
    for (const PlacedPart& each : placed) {
        const LayerTimes& times = each.times();
        perSecond += each.part->replicas * configuration.pipeline / (layers * times.both() + times.head());
    }
    return allMicroBatches(problem, configuration) / perSecond;
}

Scores Judge::Data::bound(const Configuration& configuration, Wanted wanted) {
    if (layered) return {};
    const PlacedParts placed = placedOf(configuration);
    const bool isStacked = configuration.isStacked(), isShared = placed.size() > 1 && !isStacked;
    Scores scores;
    double& seconds = scores.of(Objective::time);
    seconds = isShared ? sharedSecondsBound(configuration, placed) : secondsBound(configuration, placed);
    scores.of(Objective::accelerators) = static_cast<double>(configuration.accelerators());
    for (const PlacedPart& each : placed) scores.of(Objective::price) += priceOf(configuration, each, seconds);
    if (!isShared) scores.of(Objective::energy) = joulesBound(configuration, placed, seconds);
    if (wanted.memory && isStacked) scores.of(Objective::memory) = memoryBound(placed);
    return scores;
}

Judge::Judge(const Problem& problem, const Configuration& like) : data_(std::make_unique<Data>(problem, like)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Scores Judge::bound(const Configuration& configuration, Wanted wanted) {
    return data_->bound(configuration, wanted);
}

Evaluated Judge::evaluate(const Configuration& configuration) {
    if (data_->layered) return data_->layered->evaluate(configuration);
    return data_->evaluate(configuration);
}

Judgement Judge::judge(const Configuration& configuration, Wanted wanted) {
    return data_->judge(configuration, wanted);
}

}  // namespace tessera::plan

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

std::optional<Recomputation> alikeOf(const std::vector<int>& layers, const std::vector<RecomputedLayers>& recomputed) {
    for (const Recomputation each : {Recomputation::none, Recomputation::selective, Recomputation::full}) {
        bool isAlike = true;
        for (std::size_t s = 0; s < layers.size(); ++s)
            isAlike &= recomputed[s] == RecomputedLayers{.selective = each == Recomputation::selective ? layers[s] : 0,
                                                         .full = each == Recomputation::full ? layers[s] : 0};
        if (isAlike) return each;
    }
    return std::nullopt;
}

MemoryTerm Shortage::largest() const {
    if (memory.activations >= memory.parameters && memory.activations >= memory.working) return MemoryTerm::activations;
    return memory.working > memory.parameters ? MemoryTerm::working : MemoryTerm::parameters;
}

Configuration Judgement::shared(Configuration configuration) const {
    if (shares.replicas.empty()) return configuration;
    configuration.data = 0;
    for (std::size_t i = 0; i < configuration.parts.size(); ++i) {
        configuration.parts[i].replicas = shares.replicas[i];
        configuration.parts[i].microBatches = shares.microBatches[i];
        configuration.data += shares.replicas[i];
    }
    return configuration;
}

Judgement Judge::Data::judge(const Configuration& configuration, Wanted wanted) {
    if (layered) return layered->judge(configuration, wanted);
    if (configuration.recompute == Recomputation::perStage) return judgeMixed(configuration, wanted);
    if (configuration.parts.size() > 1)
        return configuration.isStacked() ? judgeStacked(configuration, wanted) : judgeSideBySide(configuration, wanted);
    const bool isInterleaved = configuration.schedule == physical::PipelineSchedule::interleaved;
    return isInterleaved ? judgeInterleaved(configuration, wanted) : judgeOne(configuration, wanted);
}

/// The scores of a configuration that fits.
void Judge::Data::score(Judgement& judgement, Scored scored, Wanted wanted) const {
    judgement.fits = true;
    Scores& scores = judgement.scores;
    scores.of(Objective::time) = scored.seconds;
    scores.of(Objective::accelerators) = static_cast<double>(scored.configuration.accelerators());
    for (const PlacedPart& each : scored.placed) {
        scores.of(Objective::price) += priceOf(scored.configuration, each, scored.seconds);
        scores.of(Objective::energy) += joulesOf(scored, each);
    }
    if (wanted.memory) scoreMemory(scores, scored);
    if (!wanted.layers) return;
    if (scored.recomputed.empty())
        for (const int each : scored.held) scored.recomputed.push_back(scored.placed.front().model->allOfOneKind(each));
    judgement.recomputed = std::move(scored.recomputed);
    judgement.layers = std::move(scored.held);
}

/// Of all accelerators of a part.
double Judge::Data::joulesOf(const Scored& scored, const PlacedPart& placed) const {
    const Configuration& configuration = scored.configuration;
    const Part& part = *placed.part;
    double inPart = layers;
    if (configuration.isStacked()) {
        inPart = 0;
        for (int s = placed.first; s < placed.first + part.stages; ++s)
            inPart += scored.held[static_cast<std::size_t>(s)];
    }
    BusyTimes inLayers;
    const auto addLayers = [&](std::size_t kind, double count) {
        inLayers.products += count * placed.model->layerBusy(kind).products;
        inLayers.memory += count * placed.model->layerBusy(kind).memory;
    };
    if (scored.recomputed.empty()) addLayers(0, inPart);
    for (int s = placed.first; !scored.recomputed.empty() && s < placed.first + part.stages; ++s) {
        const auto at = static_cast<std::size_t>(s);
        placed.model->forEachKind(scored.held[at], scored.recomputed[at], addLayers);
    }
    const bool hasHead = placed.hasHead(configuration.pipeline);
    const auto busy = [&](double BusyTimes::*member) {
        const double head = hasHead ? placed.model->headBusy().*member : 0;
        return part.microBatches * (inLayers.*member + head) / part.stages;
    };
    const double update = placed.model->step().optimizer(placed.layout, inPart / part.stages);
    const physical::AddedGradients added = placed.model->step().accumulation(placed.passes());
    const double adding = part.microBatches * (inPart * added.layer + (hasHead ? added.head : 0)) / part.stages *
                          placed.model->constants().products;
    const double each =
        physical::joulesOf(placed.model->watts(), {.step = scored.seconds,
                                                   .products = busy(&BusyTimes::products),
                                                   .memory = busy(&BusyTimes::memory) + adding + update});
    return static_cast<double>(configuration.perStage() * part.stages * part.replicas) * each;
}

void Judge::Data::scoreMemory(Scores& scores, const Scored& scored) const {
    double& max = scores.of(Objective::memory);
    for (const PlacedPart& each : scored.placed)
        for (int s = 0; s < each.part->stages; ++s) {
            const int stage = each.first + s, held = scored.held[static_cast<std::size_t>(stage)];
            const auto at = static_cast<std::size_t>(stage);
            const StepMemory memory = scored.recomputed.empty()
                                          ? each.model->memoryOf(each.layout, stage, held)
                                          : each.model->memoryOf(each.layout, stage, held, scored.recomputed[at]);
            max = std::max(max, memory.total() + each.model->variant().allowance);
        }
}

Judgement Judge::Data::judgeOne(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PlacedPart& only = placed.front();
    const PipelineNeeds needs(placed, wanted.bytes);
    const std::vector<int> max = needs.maxLayers(layers);
    const LayerTimes& times = only.times();
    const std::function<double(int)> once = [&](int held) { return only.model->once(only.layout, held).both(); };
    const StageRow row{
        .stages = configuration.pipeline, .layer = times.both(), .head = times.head(), .maxLayers = max, .once = &once};
    const double hop = transferOf(configuration, placed), start = only.model->constants().start;
    const auto division = bestDivision(layers, std::span(&row, 1), [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, only, cost, only.part->microBatches, hop) + cost.once + start;
    });
    if (!division) {
        judgement.shortage = minShortage(needs);
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
    const PipelineNeeds needs(placed, wanted.bytes);
    HeldStage fullest{0, held[0]};
    for (std::size_t s = 1; s < held.size(); ++s)
        if (needs.shareOf({s, held[s]}) > needs.shareOf(fullest)) fullest = {s, held[s]};
    if (needs.shareOf(fullest) > 1) {
        judgement.shortage = shortageAt(only, fullest);
        return judgement;
    }
    const int max = *std::max_element(held.begin(), held.end());
    const RowChoice choice{*std::max_element(held.begin(), held.end() - 1), held.back()};
    const double seconds = pipelineSeconds(configuration, only, costOn(only, choice), only.part->microBatches,
                                           transferOf(configuration, placed)) +
                           only.model->once(only.layout, max).both() + only.model->constants().start;
    score(judgement, {.configuration = configuration, .placed = placed, .held = std::move(held), .seconds = seconds},
          wanted);
    return judgement;
}

Judgement Judge::Data::judgeStacked(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const PipelineNeeds needs(placed, wanted.bytes);
    const std::vector<int> max = needs.maxLayers(layers);
    std::vector<std::function<double(int)>> once;
    for (const PlacedPart& each : placed)
        once.emplace_back([&each](int held) { return each.model->once(each.layout, held).both(); });
    std::vector<StageRow> rows;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const LayerTimes& times = placed[i].times();
        rows.push_back({.stages = placed[i].part->stages,
                        .layer = times.both(),
                        .head = placed[i].hasHead(configuration.pipeline) ? times.head() : 0,
                        .maxLayers = std::span(max).subspan(static_cast<std::size_t>(placed[i].first),
                                                            static_cast<std::size_t>(placed[i].part->stages)),
                        .once = &once[i]});
    }
    const double hop = transferOf(configuration, placed), start = longestStart(placed);
    const int microBatches = placed.front().part->microBatches;
    const auto division = bestDivision(layers, rows, [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, placed.front(), cost, microBatches, hop) + cost.once + start;
    });
    if (!division) {
        judgement.shortage = minShortage(needs);
        return judgement;
    }
    Scored scored{.configuration = configuration, .placed = placed, .held = {}, .seconds = division->seconds};
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const int each : layersOf(rows[i], division->rows[i], division->layers[i])) scored.held.push_back(each);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

/// Of virtual stages that are equal, or of the best division.
std::optional<std::vector<int>> Judge::Data::mixedLayers(const Configuration& configuration, const PlacedParts& placed,
                                                         const MixedStages& stages, double& seconds) const {
    const double hop = transferOf(configuration, placed), start = longestStart(placed);
    const std::function<double(const DivisionCost&)> secondsOf = [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, placed.front(), cost, placed.front().part->microBatches, hop) +
               cost.once + start;
    };
    if (configuration.schedule != physical::PipelineSchedule::interleaved) {
        std::optional<MixedDivision> division = bestDivision(stages, secondsOf);
        if (!division) return std::nullopt;
        seconds = division->seconds;
        return std::move(division->layers);
    }
    std::vector<int> held = interleavedLayers(configuration);
    for (std::size_t s = 0; s < held.size(); ++s)
        if (held[s] > stages.maxLayers(s)) return std::nullopt;
    seconds = secondsOf(stages.costOf(held));
    return held;
}

Judgement Judge::Data::judgeMixed(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const PlacedParts placed = placedOf(configuration);
    const MixedStages stages(placed, layers, wanted.bytes);
    Scored scored{.configuration = configuration, .placed = placed, .held = {}, .seconds = 0};
    std::optional<std::vector<int>> held = mixedLayers(configuration, placed, stages, scored.seconds);
    if (!held) {
        const bool isFixed = configuration.schedule == physical::PipelineSchedule::interleaved;
        const auto [stage, recomputed] =
            isFixed ? stages.fullestOf(interleavedLayers(configuration)) : stages.fullestOfEmptiest();
        judgement.shortage = shortageAt(stages.placed(stage.stage), stage, recomputed);
        return judgement;
    }
    scored.held = std::move(*held);
    for (std::size_t s = 0; s < scored.held.size(); ++s)
        scored.recomputed.push_back(stages.recomputed({s, scored.held[s]}));
    judgement.alike = alikeOf(scored.held, scored.recomputed);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

std::optional<double> Judge::Data::minBytes(const Configuration& configuration) {
    const PlacedParts placed = placedOf(configuration);
    const bool isFixed = configuration.schedule == physical::PipelineSchedule::interleaved;
    if (configuration.recompute == Recomputation::perStage) {
        const MixedStages stages(placed, layers, std::numeric_limits<double>::infinity());
        return isFixed ? stages.minBytesOf(interleavedLayers(configuration)) : stages.minBytes();
    }
    const PipelineNeeds needs(placed);
    return isFixed ? needs.bytesOf(interleavedLayers(configuration)) : needs.minBytes(layers);
}

Judge::Judge(const Problem& problem, const Configuration& like) : data_(std::make_unique<Data>(problem, like)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Scores Judge::bound(const Configuration& configuration, Wanted wanted) {
    return data_->bound(configuration, wanted);
}

Scores Judge::boundOfStages(const Configuration& min, const Configuration& max) {
    return data_->boundOfStages(min, data_->placedOf(min), data_->placedOf(max));
}

Evaluated Judge::evaluate(const Configuration& configuration, double bytes) {
    if (data_->layered) return data_->layered->evaluate(configuration);
    return data_->evaluate(configuration, bytes);
}

Judgement Judge::judgeUpTo(const Configuration& configuration, const std::function<bool(int)>& allows, Wanted wanted) {
    return data_->judgeUpTo(configuration, allows, wanted);
}

std::optional<double> Judge::minBytes(const Configuration& configuration) {
    return data_->minBytes(configuration);
}

Judgement Judge::judge(const Configuration& configuration, Wanted wanted) {
    return data_->judge(configuration, wanted);
}

}  // namespace tessera::plan

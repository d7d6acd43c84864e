#include "core/plan/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/plan/judge_data.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using physical::LayerTimes;

namespace {

/// Seconds of collectives that both passes of a layer show, by kind.
struct ExposedTimes {
    double tensor = 0, context = 0, expert = 0;
};

ExposedTimes exposedOf(const physical::StepPasses& passes, const physical::StepConstants& c) {
    ExposedTimes sum;
    for (const physical::PassSeconds* pass : {&passes.forward, &passes.backward}) {
        sum.tensor +=
            c.tensor * (pass->inside - pass->contextInside) + (pass->network - pass->contextNetwork) / c.network;
        sum.context += c.tensor * pass->contextInside + pass->contextNetwork / c.network;
        sum.expert += c.tensor * (pass->exchange + pass->exchangeNetwork / c.network);
    }
    return sum;
}

/// What the stages of a part take, by an evaluation of all.
struct PartLoad {
    const PlacedPart* placed = nullptr;
    DivisionCost cost = {};  ///< with what the part adds once
    int layers = 0;
    RecomputedLayers recomputed = {};  ///< of them
    OnceTimes once = {};
};

/// Seconds of layers, of some of which are recomputed.
double layerSeconds(const PlacedPart& placed, int layers, const RecomputedLayers& recomputed,
                    double (*secondsOf)(const LayerTimes& times)) {
    double sum = 0;
    placed.model->forEachKind(layers, recomputed,
                              [&](std::size_t kind, int count) { sum += count * secondsOf(placed.times(kind)); });
    return sum;
}

double bothPasses(const LayerTimes& times) {
    return times.both();
}

PartLoad partLoadOf(const Evaluated& evaluated, const PlacedPart& placed) {
    PartLoad load{.placed = &placed};
    const LayerTimes& times = placed.times();
    for (int s = placed.first; s < placed.first + placed.part->stages; ++s) {
        const EvaluatedStage& stage = evaluated.stages[static_cast<std::size_t>(s)];
        const bool hasHead = s == evaluated.configuration.pipeline - 1;
        const double both =
            layerSeconds(placed, stage.layers, stage.recomputed, bothPasses) + (hasHead ? times.head() : 0);
        load.layers += stage.layers;
        load.recomputed.selective += stage.recomputed.selective;
        load.recomputed.full += stage.recomputed.full;
        load.cost.all += both;
        load.cost.longest = std::max(load.cost.longest, both);
        load.cost.fullest = std::max(load.cost.fullest, stage.layers);
    }
    load.once = placed.model->once(placed.layout, load.cost.fullest);
    load.cost.once = load.once.both();
    return load;
}

/// Adds what collectives of a part show in a step, of the mean stage of a pipeline of so many.
void addCollectives(TimeShares& shares, const PartLoad& load, int pipeline, int microBatches) {
    const GroupModel& model = *load.placed->model;
    model.forEachKind(load.layers, load.recomputed, [&](std::size_t kind, int layers) {
        const ExposedTimes exposed = exposedOf(model.step(kind).passes(), model.constants());
        const double count = static_cast<double>(microBatches) * layers / pipeline;
        shares.tensor += count * exposed.tensor;
        shares.context += count * exposed.context;
        shares.expert += count * exposed.expert;
        const LayerTimes &all = load.placed->times(kind), &plain = model.plainTimes(kind);
        if (load.placed->layout.zero >= 3) shares.data += count * (all.both() - plain.both());
    });
}

double shareOf(const EvaluatedStage& stage) {
    return (stage.memory.total() + stage.allowance) / stage.capacity;
}

/// A stage of the pipeline as a part holds it.
EvaluatedStage stageOf(const PlacedPart& placed, int stage, int layers, const RecomputedLayers& recomputed,
                       bool isLast) {
    const auto secondsOf = [&](double (*pass)(const LayerTimes&)) {
        return layerSeconds(placed, layers, recomputed, pass);
    };
    const LayerTimes& times = placed.times();
    return {
        .group = placed.part->group,
        .layers = layers,
        .recomputed = recomputed,
        .forward = secondsOf([](const LayerTimes& each) { return each.forward; }) + (isLast ? times.headForward : 0),
        .backward = secondsOf([](const LayerTimes& each) { return each.backward; }) + (isLast ? times.headBackward : 0),
        .memory = placed.model->memoryOf(placed.layout, stage, layers, recomputed),
        .allowance = placed.model->variant().allowance,
        .capacity = placed.model->capacity()};
}

/// The stages of a pipeline; where several groups hold the same one, on that whose memory it fills most.
std::vector<EvaluatedStage> stagesOf(const PlacedParts& placed, const Judgement& judgement) {
    const std::vector<int>& layers = judgement.layers;
    std::vector<EvaluatedStage> stages(layers.size());
    for (const PlacedPart& each : placed)
        for (int s = each.first; s < each.first + each.part->stages; ++s) {
            const auto at = static_cast<std::size_t>(s);
            const EvaluatedStage stage =
                stageOf(each, s, layers[at], judgement.recomputed[at], at + 1 == layers.size());
            if (stages[at].capacity == 0 || shareOf(stage) > shareOf(stages[at])) stages[at] = stage;
        }
    return stages;
}

[[noreturn]] void throwShortage(const Shortage& lacks) {
    throw UsageError(fmt::format("stage {} needs {} of an accelerator's {}", lacks.stage + 1,
                                 formatQuantity(lacks.total(), Measure::bytes),
                                 formatQuantity(lacks.capacity, Measure::bytes)));
}

/// FLOP/s of all accelerators in use.
double peakOfAll(const Problem& problem, const Configuration& configuration, const PlacedParts& placed) {
    double peak = 0;
    for (const PlacedPart& each : placed) {
        const auto count = static_cast<double>(configuration.perStage() * each.part->stages * each.part->replicas);
        peak += count * physical::peakOf(each.model->setting().device, problem.dtypes[configuration.dtype]);
    }
    return peak;
}

}  // namespace

/// What takes the seconds of the pipeline, of parts side by side of the one that ends last.
void Judge::Data::setShares(Evaluated& evaluated, const PlacedParts& placed) const {
    const Configuration& configuration = evaluated.configuration;
    const bool isStacked = configuration.isStacked();
    std::vector<PartLoad> loads;
    for (const PlacedPart& each : placed) loads.push_back(partLoadOf(evaluated, each));
    const auto endsOf = [&](const PartLoad& load, double hop) {
        return pipelineSeconds(configuration, *load.placed, load.cost, load.placed->part->microBatches, hop);
    };
    PartLoad pipeline = loads.front();
    for (const PartLoad& load : loads) {
        if (!isStacked && endsOf(load, evaluated.transfer) > endsOf(pipeline, evaluated.transfer)) pipeline = load;
        if (isStacked && &load != &loads.front()) {
            pipeline.cost.all += load.cost.all;
            pipeline.cost.longest = std::max(pipeline.cost.longest, load.cost.longest);
            pipeline.cost.fullest = std::max(pipeline.cost.fullest, load.cost.fullest);
        }
    }
    TimeShares& shares = evaluated.time;
    const int microBatches = pipeline.placed->part->microBatches;
    for (const PartLoad& load : loads)
        if (isStacked || load.placed == pipeline.placed)
            addCollectives(shares, load, configuration.pipeline, microBatches);
    const double busy = microBatches * pipeline.cost.all / configuration.pipeline, alone = endsOf(pipeline, 0);
    shares.compute = busy - shares.tensor - shares.context - shares.expert - shares.data;
    evaluated.pipeline = endsOf(pipeline, evaluated.transfer);
    shares.pipeline = evaluated.pipeline - alone;
    shares.bubble = alone - busy;
    const OnceTimes once = std::max_element(loads.begin(), loads.end(), [](const PartLoad& a, const PartLoad& b) {
                               return a.cost.once < b.cost.once;
                           })->once;
    shares.data += once.reduction;
    shares.optimizer = once.update;
    for (const PlacedPart& each : placed) shares.start = std::max(shares.start, each.model->constants().start);
}

Evaluated Judge::Data::evaluate(const Configuration& given, double bytes) {
    const Judgement judgement = judge(given, {.layers = true, .memory = true, .bytes = bytes});
    if (!judgement.fits) throwShortage(judgement.shortage);
    Evaluated evaluated{.configuration = judgement.shared(given), .scores = judgement.scores};
    const PlacedParts placed = placedOf(evaluated.configuration);
    evaluated.stages = stagesOf(placed, judgement);
    evaluated.transfer = transferOf(given, placed);
    if (given.pipeline > 1 && waitsForHops(placed.front().model->setting().stack, given.schedule))
        evaluated.wait = evaluated.transfer * chunksOf(given.schedule, given.chunks);
    double spread = 0;
    for (const PlacedPart& each : placed) spread = std::max(spread, each.model->variant().spread);
    const double step = judgement.scores.of(Objective::time);
    const physical::Estimate interval = physical::estimateAround(step, spread);
    evaluated.low = interval.low;
    evaluated.high = interval.high;
    evaluated.tokensPerSecond = problem.tokens() / step;
    evaluated.utilisation = modelFlopOf(problem) / (peakOfAll(problem, given, placed) * step);
    setShares(evaluated, placed);
    return evaluated;
}

physical::Pipeline pipelineOf(const Evaluated& evaluated, int microBatches) {
    const Configuration& configuration = evaluated.configuration;
    physical::Pipeline pipeline{.schedule = configuration.schedule,
                                .stages = configuration.pipeline,
                                .microBatches = microBatches,
                                .chunks = configuration.chunks,
                                .transfer = evaluated.wait > 0 ? 0 : evaluated.transfer};
    // The last stage sends no activations on and the first no gradients, but for those of other chunks.
    const bool chunked = chunksOf(configuration.schedule, configuration.chunks) > 1;
    for (std::size_t s = 0; s < evaluated.stages.size(); ++s) {
        const EvaluatedStage& stage = evaluated.stages[s];
        const double sent = chunked || s + 1 < evaluated.stages.size() ? evaluated.wait : 0,
                     returned = chunked || s > 0 ? evaluated.wait : 0;
        pipeline.perStage.push_back({stage.forward + sent, stage.backward / 2 + returned, stage.backward / 2});
    }
    return pipeline;
}

std::optional<double> simulatedExcessOf(const Evaluated& evaluated) {
    const Configuration& configuration = evaluated.configuration;
    if (configuration.pipeline == 1 || configuration.isSideBySide()) return std::nullopt;
    const physical::Pipeline pipeline = pipelineOf(evaluated, configuration.microBatches());
    if (!physical::pipelineRefusal(pipeline).empty()) return std::nullopt;
    return (physical::simulatePipeline(pipeline).span - evaluated.pipeline) / evaluated.scores.of(Objective::time);
}

Evaluated evaluate(const Problem& problem, const Configuration& configuration, double bytes) {
    if (const std::string fault = faultText(problem, configuration); !fault.empty()) throw UsageError(fault);
    return Judge(problem, configuration).evaluate(configuration, bytes);
}

}  // namespace tessera::plan

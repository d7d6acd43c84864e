// Whole replicas side by side on several groups.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/plan/judge_data.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using physical::LayerTimes;

Judgement Judge::Data::judgeSideBySide(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    PlacedParts placed = placedOf(configuration);
    const PipelineNeeds needs(placed, wanted.bytes);
    const std::vector<int> max = needs.maxLayers(layers);
    // The layers are the same on all groups: none of their choices may be left out, so the head counts as where it
    // takes longest in units of a layer.
    double head = 0;
    for (const PlacedPart& each : placed) head = std::max(head, each.times().head() / each.times().both());
    const std::function<double(int)> once = [&](int held) {
        double slowest = 0;
        for (const PlacedPart& each : placed) slowest = std::max(slowest, each.model->once(each.layout, held).both());
        return slowest;
    };
    const StageRow row{.stages = configuration.pipeline, .layer = 1, .head = head, .maxLayers = max, .once = &once};
    const double hop = transferOf(configuration, placed), start = longestStart(placed);
    const int all = allMicroBatches(problem, configuration);
    double best = 0;
    RowChoice chosen;
    forEachDivision(layers, row, [&](const RowChoice& choice) {
        const std::vector<SharingPipelines> pipelines = sharingOf(configuration, placed, choice, hop);
        Shares shares = bestShares(all, configuration.data, pipelines);
        double slowest = 0;
        for (std::size_t i = 0; i < placed.size(); ++i)
            slowest = std::max(slowest, pipelines[i].seconds(shares.microBatches[i]));
        const double seconds = slowest + once(costOn(placed.front(), choice).fullest) + start;
        if (best > 0 && seconds >= best) return;
        best = seconds;
        chosen = choice;
        judgement.shares = std::move(shares);
    });
    if (best <= 0) {
        judgement.shortage = minShortage(needs);
        return judgement;
    }
    const Configuration shared = judgement.shared(configuration);
    for (std::size_t i = 0; i < placed.size(); ++i) placed[i].part = &shared.parts[i];
    Scored scored{.configuration = shared, .placed = placed, .held = {}, .seconds = best};
    if (wanted.layers || wanted.memory) scored.held = layersOf(row, chosen, layers);
    score(judgement, std::move(scored), wanted);
    return judgement;
}

/// Seconds of a micro-batch on a replica that is full, whose stages take as long.
double Judge::Data::secondsOfMicroBatch(const Configuration& configuration, const PlacedPart& placed) const {
    const LayerTimes& times = placed.model->plainTimes();
    return (layers * times.both() + times.head()) / configuration.pipeline;
}

/// Seconds that so many replicas of the parts take at least, which have some each: micro-batches may be cut.
std::function<double(int)> Judge::Data::secondsOfReplicas(const Configuration& configuration) {
    if (layered) return layered->secondsOfReplicas(configuration);
    const PlacedParts placed = placedOf(configuration);
    std::vector<ReplicaRate> rates;
    for (const PlacedPart& each : placed)
        rates.push_back({1 / secondsOfMicroBatch(configuration, each), each.part->replicas});
    const double all = allMicroBatches(problem, configuration), filling = configuration.pipeline - 1.0,
                 start = longestStart(placed);
    return [rates, all, filling, start](int replicas) {
        return (all + replicas * filling) / fastestRate(rates, replicas) + start;
    };
}

/// All numbers of replicas that may be faster than those before, from the most, which has the fewest micro-batches
/// each.
Judgement Judge::Data::judgeUpTo(Configuration configuration, const std::function<bool(int)>& allows, Wanted wanted) {
    Judgement best;
    int max = 0;
    for (const Part& part : configuration.parts) max += part.replicas;
    max = std::min(max, allMicroBatches(problem, configuration));
    const std::function<double(int)> minSeconds = secondsOfReplicas(configuration);
    for (int replicas = max; replicas >= static_cast<int>(configuration.parts.size()); --replicas) {
        configuration.data = replicas;
        if (best.fits && minSeconds(replicas) >= best.scores.of(Objective::time)) continue;
        if (!allows(replicas)) continue;
        Judgement judgement = judge(configuration, wanted);
        const bool isBetter = judgement.fits && judgement.scores.of(Objective::time) < best.scores.of(Objective::time);
        if (!best.fits || isBetter) best = std::move(judgement);
        // Fewer replicas have less room each.
        if (!best.fits) return best;
    }
    return best;
}

/// Of up to as many replicas side by side as the parts say, one of each at least, that share fractions of micro-batches
/// and never have an idle stage.
Scores Judge::Data::sharedBound(const Configuration& configuration, const PlacedParts& placed) const {
    const double all = allMicroBatches(problem, configuration);
    double perSecond = 0, cheapest = std::numeric_limits<double>::infinity();  // USD of a micro-batch
    for (const PlacedPart& each : placed) {
        const double seconds = secondsOfMicroBatch(configuration, each);
        perSecond += each.part->replicas / seconds;
        cheapest = std::min(cheapest, priceOf(configuration, each, seconds) / each.part->replicas);
    }
    Scores scores;
    scores.of(Objective::time) = all / perSecond;
    scores.of(Objective::price) = all * cheapest;
    scores.of(Objective::accelerators) =
        static_cast<double>(configuration.perStage() * configuration.pipeline) * static_cast<double>(placed.size());
    return scores;
}

}  // namespace tessera::plan

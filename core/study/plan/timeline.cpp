#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/pipeline.h"
#include "core/study/metric.h"
#include "core/study/plan/study.h"

namespace tessera::study {

namespace {

using physical::PipelinePass;

/// Micro-batches that are drawn: until the pipeline is full and a while longer.
constexpr int kDrawnRounds = 2, kLeastDrawn = 12;

std::string_view passText(PipelinePass pass) {
    switch (pass) {
        case PipelinePass::forward:
            return "forward";
        case PipelinePass::backwardInput:
            return "backward, activations";
        case PipelinePass::backwardWeight:
            return "backward, weights";
        case PipelinePass::backward:
            break;
    }
    return "backward";
}

/// Of interleaved micro-batches the stages take whole rounds.
int drawnOf(const plan::Configuration& configuration) {
    const int all = configuration.microBatches();
    const int wanted = std::max(kDrawnRounds * configuration.pipeline, kLeastDrawn);
    if (wanted >= all) return all;
    return configuration.schedule == physical::PipelineSchedule::interleaved ? kDrawnRounds * configuration.pipeline
                                                                             : wanted;
}

/// Says how much of the whole step is idle: where few micro-batches are drawn, the picture shows more.
std::string titleOf(const plan::Evaluated& best) {
    const double idle = best.time.bubble / best.scores.of(plan::Objective::time);
    if (best.configuration.pipeline == 1) return "One stage, without a pipeline";
    return fmt::format("{} stages, {}: {} of the whole step is bubble", best.configuration.pipeline,
                       physical::nameOf(best.configuration.schedule), percentText(idle));
}

/// Those that occur.
void setCategories(Timeline& timeline) {
    for (const char* name : {"forward", "backward", "backward, activations", "backward, weights"})
        if (std::any_of(timeline.events.begin(), timeline.events.end(),
                        [&](const Timeline::Event& event) { return event.category == name; }))
            timeline.categories.emplace_back(name);
}

}  // namespace

Timeline planTimeline(const PlanOutcome& outcome, const std::string& rank) {
    const plan::Evaluated* best = outcome.ranked(rank);
    if (best == nullptr) throw UsageError("the result has no pipeline: nothing fits");
    const plan::Configuration& configuration = best->configuration;
    const int drawn = drawnOf(configuration);
    Timeline timeline;
    timeline.title = titleOf(*best);
    for (std::size_t s = 0; s < best->stages.size(); ++s) {
        const plan::EvaluatedStage& stage = best->stages[s];
        const bool isPerStage = configuration.recompute == plan::Recomputation::perStage;
        const std::string again = isPerStage ? ", again: " + recomputedText(stage) : std::string();
        timeline.tracks.push_back(
            {.name = fmt::format("stage {} · {}{}", s + 1, formatCounted(stage.layers, "layer", "layers"), again),
             .group = outcome.groups[stage.group].name});
    }
    for (const physical::PipelineEvent& event : physical::pipelineEvents(plan::pipelineOf(*best, drawn))) {
        timeline.events.push_back({.track = event.stage,
                                   .start = event.begin,
                                   .duration = event.end - event.begin,
                                   .name = fmt::format("{}", event.microBatch + 1),
                                   .category = std::string(passText(event.pass)),
                                   .details = {{"micro-batch", fmt::format("{}", event.microBatch + 1)}}});
        if (configuration.chunks > 1)
            timeline.events.back().details.emplace_back("virtual stage", fmt::format("{}", event.chunk + 1));
        timeline.length = std::max(timeline.length, event.end);
    }
    setCategories(timeline);
    if (drawn < configuration.microBatches())
        timeline.notes.push_back(
            fmt::format("The first {} of {} micro-batches of a replica; the others repeat the middle.", drawn,
                        formatCount(configuration.microBatches())));
    timeline.notes.emplace_back("Reduction of gradients and the update follow.");
    return timeline;
}

}  // namespace tessera::study

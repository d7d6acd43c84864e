#include "core/study/codesign/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/codesign/outcome.h"

namespace tessera::study {

Timeline pipelineTimeline(const CodesignOutcome& outcome, const std::string& model) {
    const std::vector<codesign::ModelResult>& models = outcome.result.perModel;
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const codesign::ModelResult& each) { return each.model == model; });
    if (found == models.end() || !found->feasible) {
        std::vector<std::string> known;
        for (const codesign::ModelResult& each : models)
            if (each.feasible) known.push_back(each.model);
        throw UsageError(fmt::format("the result has no pipeline of {}; it has {}", inQuotes(model),
                                     known.empty() ? "none" : joined(known, ", ")));
    }
    return pipelineTimeline(*found, outcome.result.options.globalBatch);
}

Timeline pipelineTimeline(const codesign::ModelResult& model, std::int64_t globalBatch) {
    const codesign::PipelineSchedule schedule = codesign::pipelineOf(model, globalBatch);
    Timeline timeline;
    timeline.title = fmt::format("One batch of {} on {} stages", escaped(model.model), model.pipeline);
    for (std::size_t s = 0; s < model.stages.size(); ++s)
        timeline.tracks.push_back({.name = fmt::format("stage {}", s + 1), .group = "one of the replicas"});
    for (const codesign::PipelineEvent& event : schedule.events) {
        const bool pass = event.phase == codesign::PipelineEvent::Phase::forward ||
                          event.phase == codesign::PipelineEvent::Phase::backward;
        const std::string phase(codesign::nameOf(event.phase));
        timeline.events.push_back({.track = static_cast<std::int32_t>(event.stage),
                                   .start = event.start.value,
                                   .duration = (event.finish - event.start).value,
                                   .name = pass ? fmt::format("{} {}", phase, event.microBatch + 1) : phase,
                                   .category = phase});
    }
    timeline.length = schedule.length.value;
    timeline.categories = {"forward", "backward", "all-reduce", "update"};
    if (schedule.shown < schedule.microBatches)
        timeline.notes.push_back(
            fmt::format("The first {} of {} micro-batches are shown.", schedule.shown, schedule.microBatches));
    timeline.notes.push_back(fmt::format("{} replicas do the same side by side.", model.data));
    return timeline;
}

}  // namespace tessera::study

#include "core/codesign/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace tessera::codesign {

namespace {

/// A pass that a stage does next.
struct Pass {
    PipelinePhase phase = PipelinePhase::forward;
    std::int64_t microBatch = 0;
};

/// A stage on its way through a batch.
struct Stage {
    std::int64_t warmUp = 1;  ///< forward passes before the first backward pass
    std::int64_t forwards = 0, backwards = 0;
    Seconds free;
    std::vector<Seconds> forwardDone, backwardDone;  ///< by micro-batch, as far as it got

    /// Empty at the end of the batch.
    std::optional<Pass> next(std::int64_t microBatches) const {
        if (backwards == microBatches) return std::nullopt;
        const bool fill = forwards < microBatches && forwards - backwards < warmUp;
        return fill ? Pass{PipelinePhase::forward, forwards} : Pass{PipelinePhase::backward, backwards};
    }
};

class Simulation {
public:
    Simulation(const ModelResult& model, std::int64_t microBatches, std::int64_t shown)
        : model_(model), microBatches_(microBatches), shown_(shown), stages_(model.stages.size()) {
        const auto count = static_cast<std::int64_t>(stages_.size());
        for (std::int64_t s = 0; s < count; ++s)
            stages_[static_cast<std::size_t>(s)].warmUp = std::min(count - s, microBatches);
    }

    std::vector<PipelineEvent> run() {
        bool moved = true;
        while (moved && !isShown()) {
            moved = false;
            for (std::size_t s = 0; s < stages_.size(); ++s)
                while (advance(s)) moved = true;
        }
        return std::move(events_);
    }

    Seconds freeAt(std::size_t stage) const { return stages_[stage].free; }

private:
    /// All that is wanted has happened.
    bool isShown() const {
        return std::all_of(stages_.begin(), stages_.end(),
                           [&](const Stage& stage) { return stage.backwards >= shown_; });
    }

    /// When what a pass needs is there; empty while that is not known.
    std::optional<Seconds> readyAt(std::size_t s, const Pass& pass) const {
        const auto at = static_cast<std::size_t>(pass.microBatch);
        const auto doneIn = [at](const std::vector<Seconds>& done) {
            return at < done.size() ? std::optional(done[at]) : std::nullopt;
        };
        if (pass.phase == PipelinePhase::forward)
            return s == 0 ? std::optional(Seconds{}) : doneIn(stages_[s - 1].forwardDone);
        return s + 1 == stages_.size() ? doneIn(stages_[s].forwardDone) : doneIn(stages_[s + 1].backwardDone);
    }

    bool advance(std::size_t s) {
        Stage& stage = stages_[s];
        if (stage.backwards >= shown_) return false;
        const std::optional<Pass> pass = stage.next(microBatches_);
        const std::optional<Seconds> ready = pass ? readyAt(s, *pass) : std::nullopt;
        if (!ready) return false;
        const bool forward = pass->phase == PipelinePhase::forward;
        const Seconds start = std::max(stage.free, *ready);
        const Seconds finish = start + (forward ? model_.stages[s].forward : model_.stages[s].backward);
        if (pass->microBatch < shown_)
            events_.push_back({.stage = static_cast<std::int64_t>(s),
                               .microBatch = pass->microBatch,
                               .phase = pass->phase,
                               .start = start,
                               .finish = finish});
        (forward ? stage.forwardDone : stage.backwardDone).push_back(finish);
        ++(forward ? stage.forwards : stage.backwards);
        stage.free = finish;
        return true;
    }

    const ModelResult& model_;
    std::int64_t microBatches_, shown_;
    std::vector<Stage> stages_;
    std::vector<PipelineEvent> events_;
};

}  // namespace

std::string_view nameOf(PipelinePhase phase) {
    switch (phase) {
        case PipelinePhase::forward:
            return "forward";
        case PipelinePhase::backward:
            return "backward";
        case PipelinePhase::allReduce:
            return "all-reduce";
        case PipelinePhase::update:
            break;
    }
    return "update";
}

std::int64_t microBatchesOf(const ModelResult& model, std::int64_t globalBatch) {
    const std::int64_t atOnce = std::max<std::int64_t>(1, model.choice.microBatch * model.data);
    return std::max<std::int64_t>(1, (globalBatch + atOnce - 1) / atOnce);
}

PipelineSchedule pipelineOf(const ModelResult& model, std::int64_t globalBatch, std::int64_t mostMicroBatches) {
    PipelineSchedule schedule;
    if (!model.feasible || model.stages.empty()) return schedule;
    schedule.stages = static_cast<std::int64_t>(model.stages.size());
    schedule.microBatches = microBatchesOf(model, globalBatch);
    schedule.shown = std::clamp<std::int64_t>(mostMicroBatches, 1, schedule.microBatches);
    Simulation simulation(model, schedule.microBatches, schedule.shown);
    schedule.events = simulation.run();
    if (schedule.shown == schedule.microBatches)
        for (std::size_t s = 0; s < model.stages.size(); ++s) {
            Seconds at = simulation.freeAt(s);
            const auto add = [&](PipelinePhase phase, Seconds time) {
                if (!(time.value > 0)) return;
                schedule.events.push_back({.stage = static_cast<std::int64_t>(s),
                                           .microBatch = 0,
                                           .phase = phase,
                                           .start = at,
                                           .finish = at + time});
                at = at + time;
            };
            if (model.data > 1) add(PipelinePhase::allReduce, model.time.gradientAllReduce);
            if (s == 0) add(PipelinePhase::update, model.time.update);
        }
    std::stable_sort(schedule.events.begin(), schedule.events.end(),
                     [](const PipelineEvent& a, const PipelineEvent& b) {
                         return a.stage != b.stage ? a.stage < b.stage : a.start < b.start;
                     });
    for (const PipelineEvent& event : schedule.events) schedule.length = std::max(schedule.length, event.finish);
    return schedule;
}

}  // namespace tessera::codesign

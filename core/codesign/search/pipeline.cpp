#include <algorithm>
#include <map>
#include <utility>

#include "core/codesign/search/search.h"

namespace tessera::codesign {

namespace {

constexpr std::int64_t kMaxEvents = 4096;

using Phase = PipelineEvent::Phase;

/// Runs the passes of the first micro-batches, each stage in its fixed order.
class Simulation {
public:
    Simulation(const std::vector<StageResult>& stages, std::int64_t microBatches)
        : stages_(stages),
          microBatches_(microBatches),
          forward_(stages.size(), std::vector<double>(static_cast<std::size_t>(microBatches), kUnknown)),
          backward_(forward_) {}

    std::vector<PipelineEvent> run() {
        std::vector<std::size_t> next(stages_.size(), 0);
        std::vector<double> free(stages_.size(), 0);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t s = 0; s < stages_.size(); ++s)
                while (next[s] < 2 * static_cast<std::size_t>(microBatches_) && tryPass(s, next[s], free[s])) {
                    ++next[s];
                    moved = true;
                }
        }
        std::stable_sort(events_.begin(), events_.end(),
                         [](const PipelineEvent& a, const PipelineEvent& b) { return a.stage < b.stage; });
        return std::move(events_);
    }

private:
    static constexpr double kUnknown = -1;

    /// The n-th pass of a stage: first as many forward passes as stages follow (and one), then backward and forward in
    /// turn.
    std::pair<Phase, std::int64_t> passOf(std::size_t stage, std::size_t n) const {
        const auto number = static_cast<std::int64_t>(n);
        const std::int64_t ahead = std::min(microBatches_, static_cast<std::int64_t>(stages_.size() - stage));
        if (number < ahead) return {Phase::forward, number};
        const std::int64_t turns = 2 * (microBatches_ - ahead);
        const std::int64_t after = number - ahead;
        if (after >= turns) return {Phase::backward, microBatches_ - ahead + (after - turns)};
        return after % 2 == 0 ? std::pair(Phase::backward, after / 2) : std::pair(Phase::forward, ahead + after / 2);
    }

    bool tryPass(std::size_t s, std::size_t n, double& free) {
        const auto [phase, microBatch] = passOf(s, n);
        const auto i = static_cast<std::size_t>(microBatch);
        double ready = 0;
        if (phase == Phase::forward)
            ready = s == 0 ? 0 : forward_[s - 1][i];
        else
            ready = s + 1 == stages_.size() ? forward_[s][i] : backward_[s + 1][i];
        if (ready == kUnknown) return false;
        const double start = std::max(free, ready);
        free = start + (phase == Phase::forward ? stages_[s].forward : stages_[s].backward).value;
        (phase == Phase::forward ? forward_ : backward_)[s][i] = free;
        events_.push_back(
            {.stage = s, .microBatch = microBatch, .phase = phase, .start = Seconds{start}, .finish = Seconds{free}});
        return true;
    }

    const std::vector<StageResult>& stages_;
    std::int64_t microBatches_;
    std::vector<std::vector<double>> forward_, backward_;  ///< ends, by stage and micro-batch
    std::vector<PipelineEvent> events_;
};

}  // namespace

PipelineSchedule pipelineOf(const ModelResult& model, std::int64_t globalBatch) {
    PipelineSchedule schedule;
    if (!model.feasible || model.stages.empty()) return schedule;
    const auto stages = static_cast<std::int64_t>(model.stages.size());
    schedule.microBatches = ((globalBatch - 1) / model.choice.microBatch) / model.data + 1;
    schedule.shown = std::min(schedule.microBatches, std::max<std::int64_t>(1, kMaxEvents / (2 * stages)));
    // What comes later does not change the first passes.
    const std::int64_t run = std::min(schedule.microBatches, schedule.shown + stages);
    std::vector<PipelineEvent> events = Simulation(model.stages, run).run();
    std::vector<Seconds> ends(model.stages.size());
    for (const PipelineEvent& event : events) {
        if (event.microBatch >= schedule.shown) continue;
        ends[event.stage] = std::max(ends[event.stage], event.finish);
        schedule.length = std::max(schedule.length, event.finish);
        schedule.events.push_back(event);
    }
    if (schedule.shown < schedule.microBatches) return schedule;
    // The first stage ends the batch; only its AllReduce and update are part of the model of time.
    std::vector<PipelineEvent> last;
    Seconds at = ends.front();
    for (const auto& [phase, length] :
         {std::pair(Phase::allReduce, model.time.gradientAllReduce), std::pair(Phase::update, model.time.update)}) {
        if (!(length > Seconds{})) continue;
        last.push_back({.stage = 0, .microBatch = 0, .phase = phase, .start = at, .finish = at + length});
        at += length;
    }
    const auto second = std::find_if(schedule.events.begin(), schedule.events.end(),
                                     [](const PipelineEvent& event) { return event.stage > 0; });
    schedule.events.insert(second, last.begin(), last.end());
    schedule.length = std::max(schedule.length, at);
    return schedule;
}

}  // namespace tessera::codesign

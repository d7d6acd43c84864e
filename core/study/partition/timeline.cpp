#include "core/study/partition/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::LevelPlan;
using partition::Plan;
using partition::Transfers;

/// What one split makes an accelerator move, by the layer graph's index.
struct LevelTransfers {
    const LevelPlan* level = nullptr;
    bool first = true;
    std::vector<Transfers> moved;
    std::vector<std::string_view> states;  ///< type or layout
};

LevelTransfers transfersOf(const Plan& plan, const partition::PathStep& step, std::size_t layers) {
    const LevelPlan& level = plan.levels.at(toIndex(step.split));
    LevelTransfers found{.level = &level, .first = step.first, .moved = {}, .states = {}};
    found.moved.resize(layers);
    found.states.resize(layers);
    for (const partition::LayerPlan& layer : level.layers) {
        found.moved[toIndex(layer.layer)] = {layer.intra, layer.inter};
        found.states[toIndex(layer.layer)] = partition::nameOf(layer.type);
    }
    for (const partition::JoinPlan& join : level.joins) {
        found.moved[toIndex(join.layer)] = {{0}, join.inter};
        found.states[toIndex(join.layer)] = partition::nameOf(join.layout);
    }
    // The rows are of the slower side, of the first one where both are equally slow.
    const bool rowsAreFirst = level.sideI >= level.sideJ;
    if (step.first != rowsAreFirst && level.other.size() == layers) found.moved = level.other.all();
    return found;
}

/// Puts one kind's step onto its tracks, layer after layer.
class KindTracks {
public:
    KindTracks(Timeline& timeline, const Plan& plan, const AcceleratorShare& share,
               const std::vector<std::string>& names)
        : timeline_(&timeline), share_(&share), names_(&names) {
        const std::string group = fmt::format("{} ({})", share.kind, formatCount(share.count));
        compute_ = addTrack(share.kind + " · compute", group);
        for (const partition::PathStep& step : share.path) {
            levels_.push_back(transfersOf(plan, step, names.size()));
            tracks_.push_back(addTrack(fmt::format("{} · level {}", share.kind, levels_.back().level->level), group));
        }
    }

    void lay(bool overlap) {
        for (std::size_t n = 0; n < names_->size(); ++n) {
            const double compute = share_->layerCompute[n].value;
            if (overlap) {
                // A layer's transfers run beside its own compute; the next layer waits for both.
                const double began = now_;
                addCompute(n, compute);
                const double computed = now_;
                now_ = began;
                addAll(n, false);
                addAll(n, true);
                now_ = std::max(now_, computed);
            } else {
                addAll(n, false);
                addCompute(n, compute);
                addAll(n, true);
            }
        }
    }

    double length() const { return now_; }

private:
    std::int32_t addTrack(std::string name, const std::string& group) {
        timeline_->tracks.push_back({std::move(name), group});
        return static_cast<std::int32_t>(timeline_->tracks.size() - 1);
    }

    void addCompute(std::size_t layer, double seconds) { add(compute_, layer, seconds, "compute", nullptr); }

    /// The layer's transfers at every split of the path: between layers, or within the layer.
    void addAll(std::size_t layer, bool intra) {
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const Transfers& moved = levels_[l].moved[layer];
            add(tracks_[l], layer, intra ? moved.intra.value : moved.inter.value, intra ? "intra" : "inter",
                &levels_[l]);
        }
    }

    void add(std::int32_t track, std::size_t layer, double seconds, const char* category, const LevelTransfers* at) {
        if (!(seconds > 0)) return;
        const double end = now_ + seconds;
        // The end of one event is the start of the next to the last bit, so that they never overlap.
        timeline_->events.push_back({.track = track,
                                     .start = now_,
                                     .duration = end - now_,
                                     .name = (*names_)[layer],
                                     .category = category,
                                     .details = {}});
        auto& details = timeline_->events.back().details;
        if (at != nullptr) {
            details.emplace_back("level", std::to_string(at->level->level));
            details.emplace_back("split", escaped(at->level->group));
            details.emplace_back("type", std::string(at->states[layer]));
            details.emplace_back("share", fmt::format("{:.4g}", at->first ? at->level->ratio : 1 - at->level->ratio));
        }
        now_ = end;
    }

    Timeline* timeline_;
    const AcceleratorShare* share_;
    const std::vector<std::string>* names_;
    std::int32_t compute_ = 0;
    std::vector<LevelTransfers> levels_;
    std::vector<std::int32_t> tracks_;
    double now_ = 0;
};

/// A result that does not say what each layer of a kind takes: its totals as one bar each.
double layTotals(Timeline& timeline, const AcceleratorShare& share) {
    const std::string group = fmt::format("{} ({})", share.kind, formatCount(share.count));
    double now = 0;
    const auto add = [&](const std::string& name, const char* category, double seconds) {
        timeline.tracks.push_back({fmt::format("{} · {}", share.kind, name), group});
        if (!(seconds > 0)) return;
        timeline.events.push_back({.track = static_cast<std::int32_t>(timeline.tracks.size() - 1),
                                   .start = now,
                                   .duration = seconds,
                                   .name = "all layers",
                                   .category = category,
                                   .details = {}});
        now += seconds;
    };
    add("compute", "compute", share.compute.value);
    add("transfers", "inter", share.communication.value);
    return now;
}

std::vector<std::string> notesOf(bool overlap, bool complete) {
    std::vector<std::string> notes{
        "One bar of a layer holds its forward, backward and gradient pass together, as the cost model counts them.",
        "Of each kind the slowest accelerator is shown; the step ends when the slowest of all is done."};
    notes.emplace_back(overlap ? "A layer's transfers run beside its own compute, and the next layer begins when both "
                                 "have ended."
                               : "Transfers and compute take turns: what moves between layers, the layer's compute, "
                                 "then what moves within the layer.");
    if (!complete)
        notes.emplace_back(
            "This result does not hold the times of single layers on each kind, so compute and transfers are one bar "
            "each.");
    return notes;
}

Timeline timelineOfPlan(const Study& study, const PartitionOutcome& outcome, const Plan& plan) {
    Timeline timeline;
    timeline.title =
        fmt::format("One step of {} on {} under {}", escaped(outcome.model), escaped(outcome.fleet), plan.strategy);
    const bool overlap = study.parameters->value("overlap", "none") == "comm";
    const std::vector<std::string>& names = outcome.result.names;
    bool complete = true;
    for (const AcceleratorShare& share : plan.shares) {
        if (share.layerCompute.size() != names.size() || names.empty()) {
            complete = false;
            timeline.length = std::max(timeline.length, layTotals(timeline, share));
            continue;
        }
        KindTracks tracks(timeline, plan, share, names);
        tracks.lay(overlap);
        timeline.length = std::max(timeline.length, tracks.length());
    }
    std::stable_sort(timeline.events.begin(), timeline.events.end(),
                     [](const Timeline::Event& a, const Timeline::Event& b) {
                         return a.track != b.track ? a.track < b.track : a.start < b.start;
                     });
    timeline.notes = notesOf(overlap, complete);
    return timeline;
}

}  // namespace

Timeline stepTimeline(const Study& study, const PartitionOutcome& outcome, const std::string& strategy) {
    for (const Plan& plan : outcome.result.plans)
        if (plan.strategy == strategy) return timelineOfPlan(study, outcome, plan);
    std::vector<std::string> known;
    for (const Plan& plan : outcome.result.plans) known.push_back(plan.strategy);
    throw UsageError(fmt::format("the result has no strategy {}; it has {}", inQuotes(strategy), joined(known, ", ")));
}

}  // namespace tessera::study

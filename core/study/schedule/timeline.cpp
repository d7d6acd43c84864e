#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/metric.h"
#include "core/study/schedule/study.h"

namespace tessera::study {

namespace {

/// Where an operator runs. An AllReduce without a core stands in a lane of its own.
struct Lane {
    int group = 0;  ///< 0 = all cores, 1 = tensor, 2 = vector, 3 = network
    std::int64_t core = 0;
    auto operator<=>(const Lane&) const = default;
    std::string name() const {
        constexpr std::array kNames{"All cores", "Tensor core", "Vector core", "Network"};
        const std::string name = kNames.at(static_cast<std::size_t>(group));
        return group == 1 || group == 2 ? fmt::format("{} {}", name, core) : name;
    }
};

std::vector<Lane> lanesOf(const codesign::ScheduledOperator& each) {
    std::vector<Lane> lanes;
    if (each.placed.allCores) lanes.push_back({0, 0});
    if (each.placed.tensorCore) lanes.push_back({1, *each.placed.tensorCore});
    if (each.placed.vectorCore) lanes.push_back({2, *each.placed.vectorCore});
    if (lanes.empty()) lanes.push_back(each.network ? Lane{3, 0} : Lane{0, 0});
    return lanes;
}

std::string kindOf(const codesign::ScheduledOperator& each) {
    if (each.network) return "AllReduce";
    switch (each.kind) {
        case codesign::CoreKind::tensor:
            return "tensor";
        case codesign::CoreKind::vector:
            return "vector";
        case codesign::CoreKind::fused:
            break;
    }
    return "fused";
}

}  // namespace

Timeline coreTimeline(const std::vector<codesign::ScheduledOperator>& operators) {
    Timeline timeline;
    timeline.categories = {"tensor", "vector", "fused", "AllReduce"};
    std::map<Lane, std::int32_t> tracks;
    for (const codesign::ScheduledOperator& each : operators)
        for (const Lane& lane : lanesOf(each)) tracks.emplace(lane, 0);
    for (auto& [lane, track] : tracks) {
        track = static_cast<std::int32_t>(timeline.tracks.size());
        timeline.tracks.push_back({.name = lane.name(), .group = {}});
    }
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const codesign::ScheduledOperator& each = operators[i];
        for (const Lane& lane : lanesOf(each))
            timeline.events.push_back(
                {.track = tracks.at(lane),
                 .start = each.placed.start,
                 .duration = each.placed.finish - each.placed.start,
                 .name = each.name,
                 .category = kindOf(each),
                 .details = {{"operator", std::to_string(i + 1)},
                             {"runs on", each.placed.allCores ? "all cores" : "one core of its kind"}}});
    }
    std::stable_sort(timeline.events.begin(), timeline.events.end(),
                     [](const Timeline::Event& a, const Timeline::Event& b) {
                         return a.track != b.track ? a.track < b.track : a.start < b.start;
                     });
    return timeline;
}

Timeline scheduleTimeline(const ScheduleOutcome& outcome) {
    std::vector<codesign::ScheduledOperator> operators;
    for (std::size_t i = 0; i < outcome.operators.size(); ++i) {
        const codesign::Operator& each = outcome.operators[i];
        operators.push_back({.name = each.name.empty() ? fmt::format("operator {}", each.id) : each.name,
                             .kind = each.kind,
                             .placed = outcome.result.schedule.operators[i]});
    }
    Timeline timeline = coreTimeline(operators);
    timeline.categories = {"tensor", "vector", "fused"};
    timeline.title = fmt::format("{} on {}, {}", outcome.layer.empty() ? "Operators" : escaped(outcome.layer, 60),
                                 formatCounted(outcome.cores.tensor, "tensor core", "tensor cores"),
                                 formatCounted(outcome.cores.vector, "vector core", "vector cores"));
    timeline.length = outcome.result.schedule.makespan;
    timeline.unit = "cycles";
    timeline.notes = {"Cycles stand for the unit of the operators' file.",
                      outcome.result.optimal
                          ? "No schedule is shorter."
                          : fmt::format("A schedule may be shorter by {} at most.", percentText(outcome.gap()))};
    return timeline;
}

}  // namespace tessera::study

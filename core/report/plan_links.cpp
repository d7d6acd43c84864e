#include "core/report/plan_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::report {

namespace {

using study::PlannedLink;
using study::PlanOutcome;

/// Joins the groups of a link, and all that either was joined with.
void joinGroups(std::vector<std::vector<std::size_t>>& sets, const PlannedLink& link) {
    std::vector<std::size_t> joined{link.from, link.to};
    for (const std::vector<std::size_t>& set : sets)
        if (std::count(set.begin(), set.end(), link.from) + std::count(set.begin(), set.end(), link.to) > 0)
            joined.insert(joined.end(), set.begin(), set.end());
    std::sort(joined.begin(), joined.end());
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    std::erase_if(sets, [&](const std::vector<std::size_t>& set) {
        return std::includes(joined.begin(), joined.end(), set.begin(), set.end());
    });
    sets.push_back(std::move(joined));
}

/// Whether what a configuration sends from group to group takes a link.
bool isTaken(const plan::Configuration& configuration, const PlannedLink& link) {
    const std::vector<plan::Part>& parts = configuration.parts;
    for (std::size_t a = 0; a < parts.size(); ++a)
        for (std::size_t b = a + 1; b < parts.size(); ++b) {
            if (configuration.isStacked() && b > a + 1) continue;
            if (std::min(parts[a].group, parts[b].group) == link.from &&
                std::max(parts[a].group, parts[b].group) == link.to)
                return true;
        }
    return false;
}

std::string laneText(const PlanOutcome& outcome, const plan::Configuration& configuration, const LinkLane& lane) {
    constexpr std::size_t kLongestName = 30;
    std::vector<std::string> names;
    for (const std::size_t group : lane.groups) names.push_back(escaped(outcome.groups.at(group).name, kLongestName));
    const std::string last = names.back();
    names.pop_back();
    const bool isAll = lane.groups.size() == outcome.groups.size();
    std::string text = fmt::format("{} each between {}", formatQuantity(lane.rate, Measure::bytesPerSecond),
                                   isAll ? "the groups" : joined(names, ", ") + " and " + last);
    if (lane.inUse)
        text += configuration.isStacked() ? ": the pipeline passes here" : ": gradients are added up across";
    return text;
}

}  // namespace

std::vector<LinkLane> linkLanes(const PlanOutcome& outcome, const plan::Configuration& configuration) {
    std::map<double, std::vector<std::vector<std::size_t>>, std::greater<>> sets;
    for (const PlannedLink& link : outcome.links) joinGroups(sets[link.rate], link);
    std::vector<LinkLane> lanes;
    for (const auto& [rate, its] : sets)
        for (const std::vector<std::size_t>& groups : its) lanes.push_back({.rate = rate, .groups = groups});
    for (LinkLane& lane : lanes) {
        lane.inUse = std::any_of(outcome.links.begin(), outcome.links.end(), [&](const PlannedLink& link) {
            return link.rate == lane.rate && std::count(lane.groups.begin(), lane.groups.end(), link.from) > 0 &&
                   isTaken(configuration, link);
        });
        lane.text = laneText(outcome, configuration, lane);
    }
    return lanes;
}

}  // namespace tessera::report

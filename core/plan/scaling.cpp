#include "core/plan/scaling.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/plan/layered.h"

namespace tessera::plan {

namespace {

/// Configurations of a larger fleet that are looked at: less than a second's whatever those of the fleet itself, else
/// so many times those, so that no size takes much longer than the study without it; and never more than some seconds'.
double maxConfigurations(const Found& whole) {
    constexpr double kAlways = 1e6, kTimes = 4, kNever = 1e7;
    return std::max(kAlways, std::min(kTimes * static_cast<double>(whole.counted.all), kNever));
}

/// Whether so many times its accelerators leave a node of a group that has no network beyond it.
bool needsNetwork(const Problem& problem, double times) {
    return std::any_of(problem.groups.begin(), problem.groups.end(), [&](const PlanGroup& group) {
        return group.networkRate <= 0 && static_cast<double>(group.count) * times > group.perNode;
    });
}

std::optional<Problem> scaledBy(const Problem& problem, double times) {
    if (needsNetwork(problem, times)) return std::nullopt;
    Problem scaled = problem;
    for (PlanGroup& group : scaled.groups) {
        const double count = static_cast<double>(group.count) * times;
        if (count < 1 || std::floor(count) != count) return std::nullopt;
        group.count = static_cast<std::int64_t>(count);
    }
    followHardware(scaled);
    return scaled;
}

/// Configurations of the next size, by those of the last two.
double estimatedNext(const std::vector<ScaledFleet>& fleets) {
    // Pairs of groups have four times as many on twice the accelerators, a group at most as many as it has stages.
    constexpr double kMin = 1.5, kMax = 4;
    const auto configurations = [](const ScaledFleet& fleet) { return static_cast<double>(fleet.found.counted.all); };
    const double last = configurations(fleets.back());
    if (fleets.size() < 2 || configurations(fleets[fleets.size() - 2]) <= 0) return kMax * last;
    return std::clamp(last / configurations(fleets[fleets.size() - 2]), kMin, kMax) * last;
}

}  // namespace

std::vector<ScaledFleet> scaledFleets(const Problem& problem, const Space& space, const SearchOptions& options,
                                      const Found& whole, const RunControl& control) {
    std::vector<ScaledFleet> fleets;
    RunControl quiet = control;
    quiet.progress = {};
    const double max = maxConfigurations(whole);
    double done = 0;
    for (const double times : kFleetSizes) {
        control.reportProgress("fleets of other sizes", done++, static_cast<double>(kFleetSizes.size()));
        if (times == 1) {
            fleets.push_back({.times = times, .problem = problem, .found = whole});
            continue;
        }
        std::optional<Problem> scaled = scaledBy(problem, times);
        if (!scaled || (times > 1 && estimatedNext(fleets) > max)) continue;
        Found found = searchBest(*scaled, space, options, quiet);
        if (found.ended != EndedBy::proof) continue;
        fleets.push_back({.times = times, .problem = std::move(*scaled), .found = std::move(found)});
    }
    return fleets;
}

}  // namespace tessera::plan

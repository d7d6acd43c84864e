#include "core/study/comparison.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/study/mapping/metrics.h"
#include "core/study/mapping/outcome.h"

namespace tessera::study {

void addMappingsToComparison(Comparison& comparison, const std::vector<const Result*>& results) {
    std::vector<Comparison::JobRow>& rows = comparison.jobs;
    std::map<std::pair<std::string_view, int>, std::size_t> places;
    for (std::size_t r = 0; r < results.size(); ++r) {
        const auto* outcome = results[r]->outcome.as<MappingOutcome>();
        const mapping::Run* best = outcome == nullptr ? nullptr : bestRun(*outcome);
        if (best == nullptr) continue;
        const mapping::Problem& problem = outcome->problem;
        const double unit = problem.clock ? 1 / problem.clock->value : 1;
        std::map<std::string_view, int> met;
        for (std::size_t j = 0; j < best->schedule.jobs.size(); ++j) {
            const mapping::Schedule::Job& job = best->schedule.jobs[j];
            const std::string& name = problem.jobs[j];
            const auto [place, added] = places.try_emplace({name, met[name]++}, rows.size());
            if (added) {
                rows.push_back({.job = j, .name = name, .places = {}, .same = false});
                rows.back().places.resize(results.size());
            }
            rows[place->second].places[r] = {.core = problem.cores[static_cast<std::size_t>(job.core)],
                                             .order = job.order,
                                             .start = job.start * unit,
                                             .finish = job.finish * unit,
                                             .seconds = problem.clock.has_value()};
        }
    }
    std::erase_if(rows, [](Comparison::JobRow& row) {
        std::vector<std::pair<std::string, std::int32_t>> present;
        for (const auto& place : row.places)
            if (place) present.emplace_back(place->core, place->order);
        row.same =
            std::all_of(present.begin(), present.end(), [&](const auto& place) { return place == present.front(); });
        return present.size() < 2;
    });
}

}  // namespace tessera::study

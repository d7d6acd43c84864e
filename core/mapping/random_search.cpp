#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/mapping/population.h"
#include "core/mapping/searches.h"

namespace tessera::mapping {

namespace {

struct Batches {
    std::int64_t next = 0;
    Json state() const { return {{"batch", next}}; }
};

}  // namespace

/// Draws mappings in batches of the population's size, after those to start from.
Search startRandom(Trial& /*trial*/, const Json& state) {
    const auto batches = std::make_shared<Batches>();
    if (!state.is_null()) batches->next = state.at("batch").get<std::int64_t>();
    return searchBy(batches, [](Batches& at, Trial& run) {
        if (at.next == 0) {
            firstGeneration(run, populationSize(run, 1));
        } else {
            std::vector<Mapping> drawn(populationSize(run, 1));
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                RandomStream random = streamOf(run, at.next, i);
                drawn[i] = randomMapping(run.jobs(), run.cores(), random);
            }
            run.evaluateAll(drawn);
        }
        ++at.next;
    });
}

}  // namespace tessera::mapping

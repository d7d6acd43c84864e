#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/mapping/population.h"
#include "core/mapping/searches.h"

namespace tessera::mapping {

/// Draws mappings in batches of the population's size, after those to start from.
Search startRandom(Trial& /*trial*/, const Json& state) {
    const auto batch = std::make_shared<std::int64_t>(state.is_null() ? 0 : state.at("batch").get<std::int64_t>());
    return {.step =
                [batch](Trial& run) {
                    if (*batch == 0) {
                        firstGeneration(run, populationSize(run, 1));
                    } else {
                        std::vector<Mapping> drawn(populationSize(run, 1));
                        for (std::size_t i = 0; i < drawn.size(); ++i) {
                            RandomStream random = streamOf(run, *batch, i);
                            drawn[i] = randomMapping(run.jobs(), run.cores(), random);
                        }
                        run.evaluateAll(drawn);
                    }
                    ++*batch;
                    run.generation();
                    return true;
                },
            .state =
                [batch] {
                    return Json{{"batch", *batch}};
                }};
}

}  // namespace tessera::mapping

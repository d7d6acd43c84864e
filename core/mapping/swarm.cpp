#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/mapping/population.h"
#include "core/mapping/real_genome.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

/// Mappings that fly through the box of real numbers. Kennedy, Eberhart: "Particle swarm optimization", ICNN 1995, with
/// an inertia weight. Not pagmo's, whose archive leaves the speeds out, so that a run could not be gone on with.
struct Swarm {
    std::int64_t generation = 0;
    std::vector<double> places, speeds, bests;  ///< by mapping and gene
    std::vector<double> values;                 ///< of the bests

    void step(Trial& trial) {
        if (generation == 0)
            begin(trial);
        else
            fly(trial);
        ++generation;
    }

    void begin(Trial& trial) {
        const Population first = firstGeneration(trial, populationSize(trial, 2));
        for (std::size_t i = 0; i < first.members.size(); ++i) {
            const std::vector<double> genome = unitOf(first.members[i], trial.cores());
            places.insert(places.end(), genome.begin(), genome.end());
            RandomStream random = streamOf(trial, 1, i);
            const double fastest = trial.setting("speed");
            for (std::size_t g = 0; g < genome.size(); ++g) speeds.push_back(fastest * (2 * random.uniform() - 1));
        }
        bests = places;
        values = first.values;
    }

    void fly(Trial& trial) {
        const std::size_t genes = 2 * trial.jobs();
        const double momentum = trial.setting("momentum"), fastest = trial.setting("speed");
        const double toOwn = trial.setting("parent-best"), toAll = trial.setting("global-best");
        const auto leader = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
        std::vector<Mapping> mappings(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            RandomStream random = streamOf(trial, generation + 1, i);
            for (std::size_t g = 0; g < genes; ++g) {
                double& place = places[i * genes + g];
                double& speed = speeds[i * genes + g];
                speed = momentum * speed + toOwn * random.uniform() * (bests[i * genes + g] - place);
                speed += toAll * random.uniform() * (bests[leader * genes + g] - place);
                speed = std::clamp(speed, -fastest, fastest);
                place = std::clamp(place + speed, 0.0, 1.0);
            }
            mappings[i] = mappingOfUnit({places.data() + i * genes, genes}, trial.cores());
            trial.poll();
        }
        const std::vector<double> found = trial.evaluateAll(mappings);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (found[i] >= values[i]) continue;
            values[i] = found[i];
            const auto from = static_cast<std::ptrdiff_t>(i * genes);
            std::copy_n(places.begin() + from, genes, bests.begin() + from);
        }
    }

    Json state() const {
        return {{"generation", generation},
                {"places", packed(places)},
                {"speeds", packed(speeds)},
                {"bests", packed(bests)},
                {"values", packed(values)}};
    }

    void resume(const Trial& trial, const Json& json) {
        generation = json.at("generation");
        places = unpackedDoubles(json.at("places"));
        speeds = unpackedDoubles(json.at("speeds"));
        bests = unpackedDoubles(json.at("bests"));
        values = unpackedDoubles(json.at("values"));
        const std::size_t size = values.size() * 2 * trial.jobs();
        if (values.empty() || places.size() != size || speeds.size() != size || bests.size() != size) refuseState();
    }
};

}  // namespace

Search startParticleSwarm(Trial& trial, const Json& state) {
    const auto swarm = std::make_shared<Swarm>();
    if (!state.is_null()) swarm->resume(trial, state);
    return searchBy(swarm);
}

}  // namespace tessera::mapping

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/de.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/types.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/base64.h"
#include "core/mapping/population.h"
#include "core/mapping/real_genome.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

/// A mapping of real numbers: first the cores, in [0, cores], then the priorities, in [0, 1].
Mapping mappingOf(const pagmo::vector_double& genome, std::size_t cores) {
    const std::size_t jobs = genome.size() / 2;
    Mapping mapping;
    mapping.core.resize(jobs);
    mapping.priority.resize(jobs);
    const auto last = static_cast<double>(cores - 1);
    for (std::size_t j = 0; j < jobs; ++j) {
        const double core = genome[j], priority = genome[jobs + j];
        // What is not a number is 0, for the comparisons fail.
        mapping.core[j] = core > 0 ? static_cast<std::int32_t>(std::min(core, last)) : 0;
        mapping.priority[j] = priority > 0 ? std::min(priority, kBelowOne) : 0;
    }
    return mapping;
}

/// In the middle of the cores' ranges.
pagmo::vector_double genomeOf(const Mapping& mapping) {
    pagmo::vector_double genome;
    genome.reserve(2 * mapping.core.size());
    for (const std::int32_t core : mapping.core) genome.push_back(core + 0.5);
    genome.insert(genome.end(), mapping.priority.begin(), mapping.priority.end());
    return genome;
}

/// The mapping problem as pagmo sees it.
struct Evaluated {
    Trial* trial = nullptr;

    pagmo::vector_double fitness(const pagmo::vector_double& genome) const {
        return {trial->evaluate(mappingOf(genome, trial->cores()))};
    }
    std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {  // NOLINT(readability-identifier-naming)
        const std::size_t jobs = trial->jobs();
        pagmo::vector_double max(2 * jobs, 1);
        std::fill_n(max.begin(), jobs, static_cast<double>(trial->cores()));
        return {pagmo::vector_double(2 * jobs, 0), std::move(max)};
    }
    /// pagmo asks for it; checkpoints keep the genomes, and a trial is never kept.
    template <typename Archive>
    void serialize(Archive& /*archive*/, unsigned /*version*/) {}
};

std::string textOf(const pagmo::algorithm& algorithm) {
    std::ostringstream out;
    {
        boost::archive::binary_oarchive archive(out);
        archive << algorithm;
    }
    return toBase64(out.str());
}

pagmo::algorithm algorithmFrom(const Json& json) {
    const std::optional<std::string> bytes = fromBase64(json.get<std::string>());
    if (!bytes) refuseState();
    std::istringstream in(*bytes);
    pagmo::algorithm algorithm;
    try {
        boost::archive::binary_iarchive archive(in);
        archive >> algorithm;
    } catch (const boost::archive::archive_exception&) {
        refuseState();
    }
    return algorithm;
}

/// A search by an algorithm of pagmo, which remembers from one generation to the next.
struct Evolution {
    pagmo::algorithm algorithm;
    pagmo::population population;

    void begin(Trial& trial, std::size_t min) {
        population = pagmo::population(pagmo::problem(Evaluated{&trial}), 0U, 0U);
        const Population first = firstGeneration(trial, populationSize(trial, min));
        for (std::size_t i = 0; i < first.members.size(); ++i)
            population.push_back(genomeOf(first.members[i]), {first.values[i]});
    }

    Json state() const {
        std::vector<double> genes, values;
        for (const pagmo::vector_double& genome : population.get_x())
            genes.insert(genes.end(), genome.begin(), genome.end());
        for (const pagmo::vector_double& value : population.get_f()) values.push_back(value.front());
        return {{"algorithm", textOf(algorithm)}, {"genes", packed(genes)}, {"values", packed(values)}};
    }

    void resume(Trial& trial, const Json& state) {
        algorithm = algorithmFrom(state.at("algorithm"));
        population = pagmo::population(pagmo::problem(Evaluated{&trial}), 0U, 0U);
        const std::vector<double> genes = unpackedDoubles(state.at("genes"));
        const std::vector<double> values = unpackedDoubles(state.at("values"));
        const std::size_t length = 2 * trial.jobs();
        if (values.empty() || genes.size() != values.size() * length) refuseState();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto from = genes.begin() + static_cast<std::ptrdiff_t>(i * length);
            population.push_back({from, from + static_cast<std::ptrdiff_t>(length)}, {values[i]});
        }
    }
};

Search startEvolution(Trial& trial, const Json& state, pagmo::algorithm algorithm, std::size_t min) {
    const auto evolution = std::make_shared<Evolution>();
    evolution->algorithm = std::move(algorithm);
    if (!state.is_null()) evolution->resume(trial, state);
    return searchBy(evolution, [min](Evolution& under, Trial& run) {
        if (under.population.size() == 0)
            under.begin(run, min);
        else
            under.population = under.algorithm.evolve(under.population);
    });
}

unsigned seedOf(const Trial& trial) {
    return static_cast<unsigned>(trial.seed() >> 32U);
}

}  // namespace

Search startStandardGenetic(Trial& trial, const Json& state) {
    const pagmo::sga algorithm(1, trial.setting("crossover"), 1, trial.setting("mutation"), 1, 2, "single", "uniform",
                               "tournament", seedOf(trial));
    return startEvolution(trial, state, pagmo::algorithm(algorithm), 8);
}

/// The variant rand-to-best/1/bin is the one with a weight for the local and one for the global difference; pagmo has
/// one weight for both, which is what the table says.
Search startDifferentialEvolution(Trial& trial, const Json& state) {
    constexpr unsigned kRandToBest = 8;
    const pagmo::de algorithm(1, trial.setting("weight"), trial.setting("crossover"), kRandToBest, 0, 0, seedOf(trial));
    return startEvolution(trial, state, pagmo::algorithm(algorithm), 8);
}

}  // namespace tessera::mapping

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/mapping/population.h"
#include "core/mapping/searches.h"

namespace tessera::mapping {

namespace {

/// A share of a generation, from `least` to `most`.
std::size_t shareOf(std::size_t population, double share, std::size_t least, std::size_t most) {
    const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(population)));
    return std::clamp(wanted, least, most);
}

/// Places [from, to) of a genome of that length.
struct Range {
    std::size_t from = 0, to = 0;
};

Range drawRange(std::size_t length, RandomStream& random) {
    const std::size_t a = random.below(length + 1), b = random.below(length + 1);
    return {.from = std::min(a, b), .to = std::max(a, b)};
}

/// The genes from a pivot on of one genome, cores or priorities, change owner. Section V-B2, "Crossover-gen".
void crossGenome(Mapping& son, Mapping& daughter, RandomStream& random) {
    const bool isCores = random.below(2) == 0;
    const auto pivot = static_cast<std::ptrdiff_t>(random.below(son.core.size()));
    if (isCores)
        std::swap_ranges(son.core.begin() + pivot, son.core.end(), daughter.core.begin() + pivot);
    else
        std::swap_ranges(son.priority.begin() + pivot, son.priority.end(), daughter.priority.begin() + pivot);
}

/// A range of both genomes changes owner, so that jobs keep core and priority together. "Crossover-rg".
void crossRange(Mapping& son, Mapping& daughter, RandomStream& random) {
    const Range range = drawRange(son.core.size(), random);
    for (std::size_t j = range.from; j < range.to; ++j) {
        std::swap(son.core[j], daughter.core[j]);
        std::swap(son.priority[j], daughter.priority[j]);
    }
}

/// The child takes over the giver's jobs of a core with their priorities; its own other jobs there go anywhere.
void passCore(Mapping& child, const Mapping& giver, std::int32_t core, std::size_t cores, RandomStream& random) {
    for (std::size_t j = 0; j < child.core.size(); ++j) {
        if (giver.core[j] == core) {
            child.core[j] = core;
            child.priority[j] = giver.priority[j];
        } else if (child.core[j] == core) {
            child.core[j] = static_cast<std::int32_t>(random.below(cores));
        }
    }
}

/// The schedule of one core changes owner. "Crossover-accel".
void crossCore(Mapping& son, Mapping& daughter, std::size_t cores, RandomStream& random) {
    const auto core = static_cast<std::int32_t>(random.below(cores));
    const Mapping before = son;
    passCore(son, daughter, core, cores, random);
    passCore(daughter, before, core, cores, random);
}

/// Every gene is drawn anew at this rate.
void mutate(Mapping& child, double rate, std::size_t cores, RandomStream& random) {
    for (std::int32_t& core : child.core)
        if (random.uniform() < rate) core = static_cast<std::int32_t>(random.below(cores));
    for (double& priority : child.priority)
        if (random.uniform() < rate) priority = random.uniform();
}

struct Rates {
    double elites = 0, parents = 0, genome = 0, range = 0, core = 0, mutation = 0;
};

Rates ratesOf(const Trial& trial) {
    return {.elites = trial.setting("elites"),
            .parents = trial.setting("parents"),
            .genome = trial.setting("crossover-gen"),
            .range = trial.setting("crossover-rg"),
            .core = trial.setting("crossover-accel"),
            .mutation = trial.setting("mutation")};
}

/// Two children of two parents.
void breed(Mapping& son, Mapping& daughter, const Rates& rates, std::size_t cores, RandomStream& random) {
    if (random.uniform() < rates.genome) crossGenome(son, daughter, random);
    if (random.uniform() < rates.range) crossRange(son, daughter, random);
    if (random.uniform() < rates.core) crossCore(son, daughter, cores, random);
    mutate(son, rates.mutation, cores, random);
    mutate(daughter, rates.mutation, cores, random);
}

/// Best first; of several that are worth the same, which mostly are the same schedule, all but one go last, so that
/// twins do not crowd out the parents.
void sortWithoutTwins(Population& population) {
    population.sort();
    Population sorted{.generation = population.generation, .members = {}, .values = {}};
    for (const bool takesTwins : {false, true})
        for (std::size_t i = 0; i < population.members.size(); ++i) {
            const bool isTwin = i > 0 && population.values[i] == population.values[i - 1];
            if (isTwin != takesTwins) continue;
            sorted.members.push_back(std::move(population.members[i]));
            sorted.values.push_back(population.values[i]);
        }
    population = std::move(sorted);
}

/// The elites live on as they are; their samples are not spent again. All others are children of two of the best.
void nextGeneration(Trial& trial, Population& population, const Rates& rates) {
    sortWithoutTwins(population);
    const std::size_t size = population.members.size();
    const std::size_t elites = shareOf(size, rates.elites, 1, size - 1);
    const std::size_t parents = shareOf(size, rates.parents, 2, size);
    std::vector<Mapping> children;
    for (std::size_t child = 0; children.size() + elites < size; child += 2) {
        RandomStream random = streamOf(trial, population.generation, child);
        const std::size_t dad = random.below(parents);
        const std::size_t mom = (dad + 1 + random.below(parents - 1)) % parents;
        Mapping son = population.members[dad];
        Mapping daughter = population.members[mom];
        breed(son, daughter, rates, trial.cores(), random);
        children.push_back(std::move(son));
        if (children.size() + elites < size) children.push_back(std::move(daughter));
        trial.poll();
    }
    const std::vector<double> values = trial.evaluateAll(children);
    for (std::size_t i = 0; i < children.size(); ++i) {
        population.members[elites + i] = std::move(children[i]);
        population.values[elites + i] = values[i];
    }
    ++population.generation;
}

/// As the published code does it: what should be an exchange copies from the daughter to the son and back again, so
/// that the children become alike in the range; parents may be one and the same; elites are evaluated again.
void breedOneWay(Mapping& son, const Mapping& daughter, const Rates& rates, std::size_t cores, RandomStream& random) {
    const auto jobs = son.core.size();
    if (random.uniform() < rates.genome) {
        const auto pivot = static_cast<std::ptrdiff_t>(random.below(jobs));
        if (random.below(2) == 0)
            std::copy(daughter.core.begin() + pivot, daughter.core.end(), son.core.begin() + pivot);
        else
            std::copy(daughter.priority.begin() + pivot, daughter.priority.end(), son.priority.begin() + pivot);
    }
    if (random.uniform() < rates.range) {
        const Range range = drawRange(jobs, random);
        for (std::size_t j = range.from; j < range.to; ++j) {
            son.core[j] = daughter.core[j];
            son.priority[j] = daughter.priority[j];
        }
    }
    if (random.uniform() < rates.core)
        passCore(son, daughter, static_cast<std::int32_t>(random.below(cores)), cores, random);
}

void nextPublishedGeneration(Trial& trial, Population& population, const Rates& rates) {
    population.sort();
    const auto size = populationSize(trial, 2);
    const std::size_t elites = shareOf(size, rates.elites, 1, size);
    const std::size_t parents = shareOf(size, rates.parents, 2, size);
    std::vector<Mapping> next(population.members.begin(),
                              population.members.begin() + static_cast<std::ptrdiff_t>(elites));
    for (std::size_t child = 0; child < size; child += 2) {
        RandomStream random = streamOf(trial, population.generation, child);
        Mapping son = population.members[random.below(parents)];
        Mapping daughter = population.members[random.below(parents)];
        breedOneWay(son, daughter, rates, trial.cores(), random);
        mutate(son, rates.mutation, trial.cores(), random);
        mutate(daughter, rates.mutation, trial.cores(), random);
        next.push_back(std::move(son));
        if (child + 1 < size) next.push_back(std::move(daughter));
        trial.poll();
    }
    population.values = trial.evaluateAll(next);
    population.members = std::move(next);
    ++population.generation;
}

using Breeder = void (*)(Trial&, Population&, const Rates&);

Search startGenetic(Trial& trial, const Json& state, Breeder breeder) {
    const auto population = std::make_shared<Population>();
    if (!state.is_null()) *population = Population::from(state, trial.jobs(), trial.cores());
    return {.step =
                [population, breeder, rates = ratesOf(trial)](Trial& run) {
                    if (population->generation == 0)
                        *population = firstGeneration(run, populationSize(run, 2));
                    else
                        breeder(run, *population, rates);
                    run.generation();
                    return true;
                },
            .state = [population] { return population->toJson(); }};
}

}  // namespace

Search startMagma(Trial& trial, const Json& state) {
    return startGenetic(trial, state, nextGeneration);
}

Search startMagmaPublished(Trial& trial, const Json& state) {
    return startGenetic(trial, state, nextPublishedGeneration);
}

}  // namespace tessera::mapping

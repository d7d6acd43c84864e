#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/mapping/bound.h"
#include "core/mapping/population.h"
#include "core/mapping/searches.h"

namespace tessera::mapping {

namespace {

constexpr double kSlack = 1 + 1e-9;  ///< for bounds that were rounded

/// A share of a generation, from `min` to `max`.
std::size_t shareOf(std::size_t population, double share, std::size_t min, std::size_t max) {
    const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(population)));
    return std::clamp(wanted, min, max);
}

/// Places [from, to) of a genome of that length.
struct Range {
    std::size_t from = 0, to = 0;
};

Range drawRange(std::size_t length, RandomStream& random) {
    const std::size_t a = random.below(length + 1), b = random.below(length + 1);
    return {.from = std::min(a, b), .to = std::max(a, b)};
}

/// Every gene of one genome, cores or priorities, changes owner or does not, by a coin each. The paper's
/// "Crossover-gen" (section V-B2) exchanges what lies behind a pivot; but which jobs stand side by side in a list says
/// nothing.
void crossGenome(Mapping& son, Mapping& daughter, RandomStream& random) {
    const bool isCores = random.below(2) == 0;
    for (std::size_t j = 0; j < son.core.size(); ++j) {
        if (random.below(2) == 0) continue;
        if (isCores)
            std::swap(son.core[j], daughter.core[j]);
        else
            std::swap(son.priority[j], daughter.priority[j]);
    }
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
void mutateGenes(Mapping& child, double rate, std::size_t cores, RandomStream& random) {
    for (std::int32_t& core : child.core)
        if (random.uniform() < rate) core = static_cast<std::int32_t>(random.below(cores));
    for (double& priority : child.priority)
        if (random.uniform() < rate) priority = random.uniform();
}

/// Both genes of a job are drawn anew at a rate that is itself drawn, up to half of it away from `mean`: a child of
/// few changes ends what one of many has begun.
void mutateJobs(Mapping& child, double mean, std::size_t cores, RandomStream& random) {
    const double rate = mean * (0.5 + random.uniform());
    for (std::size_t j = 0; j < child.core.size(); ++j) {
        if (random.uniform() >= rate) continue;
        child.core[j] = static_cast<std::int32_t>(random.below(cores));
        child.priority[j] = random.uniform();
    }
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

/// Two children of two parents. One crossover at most, so that none undoes what another keeps together.
void breed(Mapping& son, Mapping& daughter, const Rates& rates, std::size_t cores, RandomStream& random) {
    const double all = rates.genome + rates.range + rates.core;
    const double drawn = random.uniform() * std::max(1.0, all);
    if (drawn < rates.genome)
        crossGenome(son, daughter, random);
    else if (drawn < rates.genome + rates.range)
        crossRange(son, daughter, random);
    else if (drawn < all)
        crossCore(son, daughter, cores, random);
    mutateJobs(son, rates.mutation, cores, random);
    mutateJobs(daughter, rates.mutation, cores, random);
}

/// Jobs that two mappings have on different cores.
std::size_t mappingDistance(const Mapping& a, const Mapping& b) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < a.core.size(); ++j) count += a.core[j] != b.core[j] ? 1 : 0;
    return count;
}

/// Best first; of those that have no two jobs on different cores all but the best go last, so that twins do not crowd
/// out the parents. Looked at only until there are `wanted` that are not.
void sortWithoutTwins(Population& population, std::size_t wanted) {
    population.sort();
    const std::size_t size = population.members.size();
    std::vector<std::size_t> order, twins;
    for (std::size_t i = 0; i < size; ++i) {
        const auto isAlike = [&](std::size_t other) {
            return mappingDistance(population.members[other], population.members[i]) < 2;
        };
        const bool isTwin = order.size() < wanted && std::any_of(order.begin(), order.end(), isAlike);
        (isTwin ? twins : order).push_back(i);
    }
    order.insert(order.end(), twins.begin(), twins.end());
    Population sorted{.generation = population.generation, .members = {}, .values = {}};
    for (const std::size_t i : order) {
        sorted.members.push_back(std::move(population.members[i]));
        sorted.values.push_back(population.values[i]);
    }
    population = std::move(sorted);
}

/// The parents, by place: the first is the better of two that are drawn; the second, of several that are drawn the
/// same way, the one least like the first.
std::pair<std::size_t, std::size_t> drawParents(const Population& population, std::size_t parents,
                                                RandomStream& random) {
    constexpr int kSuitors = 7;
    const auto draw = [&] {
        const std::size_t a = random.below(parents), b = random.below(parents);
        return std::min(a, b);
    };
    const std::size_t dad = draw();
    std::size_t mom = (dad + 1) % parents, max = 0;
    for (int suitor = 0; suitor < kSuitors; ++suitor) {
        const std::size_t other = draw();
        if (other == dad) continue;
        const std::size_t apart = mappingDistance(population.members[dad], population.members[other]);
        if (apart <= max) continue;
        max = apart;
        mom = other;
    }
    return {dad, mom};
}

/// The elites live on as they are; their samples are not spent again. All others are children of two of the best.
void nextGeneration(Trial& trial, Population& population, const Rates& rates) {
    const std::size_t size = population.members.size();
    const std::size_t elites = shareOf(size, rates.elites, 1, size - 1);
    const std::size_t parents = shareOf(size, rates.parents, 2, size);
    sortWithoutTwins(population, std::max(elites, parents));
    std::vector<Mapping> children;
    for (std::size_t child = 0; children.size() + elites < size; child += 2) {
        RandomStream random = streamOf(trial, population.generation, child);
        const auto [dad, mom] = drawParents(population, parents, random);
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
        mutateGenes(son, rates.mutation, trial.cores(), random);
        mutateGenes(daughter, rates.mutation, trial.cores(), random);
        next.push_back(std::move(son));
        if (child + 1 < size) next.push_back(std::move(daughter));
        trial.poll();
    }
    population.values = trial.evaluateAll(next);
    population.members = std::move(next);
    ++population.generation;
}

using Breeder = void (*)(Trial&, Population&, const Rates&);

Search startGenetic(Trial& trial, const Json& state, Breeder breeder, const FirstDraw& draw) {
    const auto population = std::make_shared<Population>();
    if (!state.is_null()) *population = Population::from(state, trial.jobs(), trial.cores());
    return searchBy(population, [breeder, draw, rates = ratesOf(trial)](Population& under, Trial& run) {
        if (under.generation == 0)
            under = firstGeneration(run, populationSize(run, 2), draw);
        else
            breeder(run, under, rates);
    });
}

/// By pair, whether the makespan can be at most `bound` with the job on that core: neither the job alone may take
/// longer, nor the longest of the other jobs with this one's stalls on top, which all cores wait for.
std::vector<bool> canReach(double bound, const Problem& problem, const std::vector<double>& extraLoad) {
    const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
    std::vector<double> noStall(jobs, std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < jobs; ++j)
        for (std::size_t k = 0; k < cores; ++k)
            noStall[j] = std::min(noStall[j], problem.latency[problem.pair(j, k)] + extraLoad[problem.pair(j, k)]);
    const auto longest = std::max_element(noStall.begin(), noStall.end());
    double second = 0;
    for (auto job = noStall.begin(); job != noStall.end(); ++job)
        if (job != longest) second = std::max(second, *job);
    std::vector<bool> can(extraLoad.size());
    for (std::size_t j = 0; j < jobs; ++j) {
        const double others = noStall.begin() + static_cast<std::ptrdiff_t>(j) == longest ? second : *longest;
        for (std::size_t k = 0; k < cores; ++k) {
            const std::size_t pair = problem.pair(j, k);
            can[pair] = std::max(problem.latency[pair], others) + extraLoad[pair] <= bound * kSlack;
        }
    }
    return can;
}

/// For every job the sums of its cores' chances, which are as the roots of their speeds for it, stalls of a job alone
/// included. Where a few cores suit few jobs, hardly any uniform draw is free of jobs that a core is far too slow for,
/// and what is right beside them is lost with them. Cores from which the bound is out of reach have no chance.
std::vector<double> chancesBySpeed(const Problem& problem, double bound) {
    const std::size_t cores = problem.cores.size();
    const std::vector<double> extraLoad = excess(problem);
    const std::vector<bool> can = canReach(bound, problem, extraLoad);
    std::vector<double> chances(extraLoad.size());
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
        const auto first = can.begin() + static_cast<std::ptrdiff_t>(j * cores);
        const bool none = std::none_of(first, first + static_cast<std::ptrdiff_t>(cores), [](bool is) { return is; });
        double sum = 0;
        for (std::size_t k = 0; k < cores; ++k) {
            const std::size_t pair = problem.pair(j, k);
            if (none || can[pair]) sum += 1 / std::sqrt(problem.latency[pair] + extraLoad[pair]);
            chances[pair] = sum;
        }
        for (std::size_t k = 0; k < cores; ++k) chances[problem.pair(j, k)] /= sum;
    }
    return chances;
}

FirstDraw drawBySpeed(const Trial& trial) {
    const double share = trial.setting("first-by-speed");
    return [share, chances = chancesBySpeed(trial.problem(), trial.bound().makespan), jobs = trial.jobs(),
            cores = trial.cores()](RandomStream& random) {
        const bool isBySpeed = random.uniform() < share;
        Mapping mapping = randomMapping(jobs, cores, random);
        if (!isBySpeed) return mapping;
        for (std::size_t j = 0; j < jobs; ++j) {
            const auto first = chances.begin() + static_cast<std::ptrdiff_t>(j * cores);
            const auto drawn =
                std::upper_bound(first, first + static_cast<std::ptrdiff_t>(cores - 1), random.uniform());
            mapping.core[j] = static_cast<std::int32_t>(drawn - first);
        }
        return mapping;
    };
}

}  // namespace

Search startMagma(Trial& trial, const Json& state) {
    return startGenetic(trial, state, nextGeneration, drawBySpeed(trial));
}

Search startMagmaPublished(Trial& trial, const Json& state) {
    return startGenetic(trial, state, nextPublishedGeneration, {});
}

}  // namespace tessera::mapping

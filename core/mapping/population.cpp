#include "core/mapping/population.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/mapping/state.h"

namespace tessera::mapping {

Mapping randomMapping(std::size_t jobs, std::size_t cores, RandomStream& random) {
    Mapping mapping;
    mapping.core.resize(jobs);
    mapping.priority.resize(jobs);
    for (std::int32_t& core : mapping.core) core = static_cast<std::int32_t>(random.below(cores));
    for (double& priority : mapping.priority) priority = random.uniform();
    return mapping;
}

void Population::sort() {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<Mapping> sorted(members.size());
    std::vector<double> sortedValues(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        sorted[i] = std::move(members[order[i]]);
        sortedValues[i] = values[order[i]];
    }
    members = std::move(sorted);
    values = std::move(sortedValues);
}

Json Population::state() const {
    Json json = mapping::toJson(std::span<const Mapping>(members));
    json["generation"] = generation;
    json["values"] = packed(values);
    return json;
}

Population Population::from(const Json& json, std::size_t jobs, std::size_t cores) {
    Population population{.generation = json.at("generation"),
                          .members = mappingsFrom(json, jobs, cores),
                          .values = unpackedDoubles(json.at("values"))};
    if (population.members.empty() || population.values.size() != population.members.size()) refuseState();
    return population;
}

Population firstGeneration(Trial& trial, std::size_t size, const FirstDraw& draw) {
    Population first;
    const std::vector<Mapping>& warm = trial.options().warmStart;
    first.members.assign(warm.begin(), warm.begin() + static_cast<std::ptrdiff_t>(std::min(warm.size(), size)));
    for (std::size_t i = first.members.size(); i < size; ++i) {
        RandomStream random = streamOf(trial, 0, i);
        first.members.push_back(draw ? draw(random) : randomMapping(trial.jobs(), trial.cores(), random));
        trial.poll();
    }
    first.values = trial.evaluateAll(first.members);
    first.generation = 1;
    return first;
}

RandomStream streamOf(const Trial& trial, std::int64_t generation, std::size_t child) {
    return RandomStream(trial.seed(), (static_cast<std::uint64_t>(generation) << 20U) + child);
}

namespace {

/// As many mappings as there are jobs; of more than a thousand jobs fewer, so that they need some tens of megabytes,
/// and the samples are enough for ten generations.
std::size_t defaultPopulation(std::size_t jobs, std::int64_t samples) {
    constexpr std::size_t kMany = 1000, kMaxGenes = 2'000'000, kMin = 50, kGenerations = 10;
    if (jobs <= kMany) return jobs;
    const std::size_t affordable = std::max(kMin, static_cast<std::size_t>(samples) / kGenerations);
    return std::min(std::max(kMin, kMaxGenes / jobs), affordable);
}

}  // namespace

std::size_t populationSize(const Trial& trial, std::size_t min) {
    const auto given = static_cast<std::size_t>(trial.setting("population"));
    return std::max(min, given == 0 ? defaultPopulation(trial.jobs(), trial.options().samples) : given);
}

}  // namespace tessera::mapping

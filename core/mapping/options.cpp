#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/mapping/mapping.h"

namespace tessera::mapping {

namespace {

constexpr std::int64_t kMaxSamples = 1'000'000'000;
constexpr std::size_t kMaxExplored = 100'000;
constexpr std::size_t kMaxWarm = 10'000;

using Sentences = std::vector<std::string>;

void checkAlgorithms(const Options& options, Sentences& broken) {
    if (options.algorithms.empty()) broken.emplace_back("no algorithm is chosen; expected at least one");
    std::set<std::string> seen;
    for (const std::string& id : options.algorithms) {
        if (findAlgorithm(id) == nullptr)
            broken.push_back(unknownNameText("there is no mapping algorithm", id, idsOf(algorithms())));
        else if (!seen.insert(id).second)
            broken.push_back(fmt::format("the algorithm '{}' is chosen twice", id));
    }
}

void checkSetting(const std::string& name, double value, Sentences& broken) {
    std::vector<std::string> known;
    for (const Algorithm& algorithm : algorithms())
        for (const Setting& setting : algorithm.settings) {
            known.push_back(fmt::format("{}.{}", algorithm.id, setting.name));
            if (known.back() != name) continue;
            const bool isWhole = !setting.whole || value == std::floor(value);
            if (value >= setting.min && value <= setting.max && isWhole) return;
            broken.push_back(fmt::format("the setting '{}' is {}; expected a {} from {} to {}", name,
                                         exactNumber(value), setting.whole ? "whole number" : "number",
                                         exactNumber(setting.min), exactNumber(setting.max)));
            return;
        }
    broken.push_back(unknownNameText("there is no setting", name, known));
}

bool needsEnergy(Objective objective, const Weights& weights) {
    return objective == Objective::energy || objective == Objective::edp ||
           (objective == Objective::weighted && weights.energy > 0);
}

void checkObjectives(const Options& options, const Problem& problem, Sentences& broken) {
    const Weights& weights = options.weights;
    std::vector<Objective> wanted{options.objective};
    if (options.pareto) {
        wanted.insert(wanted.end(), {options.pareto->first, options.pareto->second});
        if (options.pareto->first == options.pareto->second)
            broken.push_back(
                fmt::format("the front is of '{}' and itself; expected two objectives", nameOf(options.pareto->first)));
    }
    const auto isWanted = [&](Objective objective) {
        return std::find(wanted.begin(), wanted.end(), objective) != wanted.end();
    };
    if (isWanted(Objective::weighted)) {
        const auto isWeight = [](double weight) { return std::isfinite(weight) && weight >= 0; };
        if (!isWeight(weights.makespan) || !isWeight(weights.latency) || !isWeight(weights.energy))
            broken.push_back(fmt::format("the weights are {}, {} and {}; expected numbers of 0 or more",
                                         exactNumber(weights.makespan), exactNumber(weights.latency),
                                         exactNumber(weights.energy)));
        else if (weights.makespan + weights.latency + weights.energy <= 0)
            broken.emplace_back("all weights are 0; expected at least one above 0");
    }
    if (!problem.energy.empty()) return;
    for (const Objective objective : wanted) {
        if (!needsEnergy(objective, weights)) continue;
        broken.push_back(fmt::format("the objective '{}' needs the energy of the jobs, which this table does not have",
                                     nameOf(objective)));
        return;
    }
}

void checkWarmStart(const Options& options, const Problem& problem, Sentences& broken) {
    if (options.warmStart.size() > kMaxWarm)
        broken.push_back(fmt::format("there are {} mappings to start from; expected at most {}",
                                     options.warmStart.size(), kMaxWarm));
    const auto jobs = problem.jobs.size(), cores = problem.cores.size();
    for (std::size_t i = 0; i < options.warmStart.size(); ++i) {
        const Mapping& mapping = options.warmStart[i];
        if (mapping.core.size() != jobs || mapping.priority.size() != jobs) {
            broken.push_back(fmt::format("mapping {} to start from has {} cores and {} priorities; expected {} of each",
                                         i + 1, mapping.core.size(), mapping.priority.size(), jobs));
            return;
        }
        for (std::size_t j = 0; j < jobs; ++j) {
            const bool isCore = mapping.core[j] >= 0 && static_cast<std::size_t>(mapping.core[j]) < cores;
            if (isCore && mapping.priority[j] >= 0 && mapping.priority[j] < 1) continue;
            broken.push_back(fmt::format(
                "mapping {} to start from puts job {} on core {} with priority {}; expected a core from 0 to {} and a "
                "priority from 0 to below 1",
                i + 1, j, mapping.core[j], exactNumber(mapping.priority[j]), cores - 1));
            return;
        }
    }
}

}  // namespace

std::vector<std::string> problems(const Options& options, const Problem& problem) {
    Sentences broken;
    checkAlgorithms(options, broken);
    if (options.samples < 1 || options.samples > kMaxSamples)
        broken.push_back(
            fmt::format("the samples are {}; expected a whole number from 1 to {}", options.samples, kMaxSamples));
    if (options.explored > kMaxExplored)
        broken.push_back(
            fmt::format("the explored samples to keep are {}; expected at most {}", options.explored, kMaxExplored));
    checkObjectives(options, problem, broken);
    for (const auto& [name, value] : options.settings) checkSetting(name, value, broken);
    checkWarmStart(options, problem, broken);
    return broken;
}

}  // namespace tessera::mapping

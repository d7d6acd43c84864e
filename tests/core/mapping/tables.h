#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/mapping.h"
#include "tests/support/job_table.h"
#include "tests/support/paths.h"

/// Job tables and mappings that tests of the mapping engine work on.
namespace tessera::test {

/// Latencies and demands over several orders of magnitude; whole numbers half of the time, so that jobs end together.
inline mapping::Problem randomTable(RandomStream& random, std::size_t jobs, std::size_t cores) {
    mapping::Problem problem;
    problem.name = "random";
    for (std::size_t j = 0; j < jobs; ++j) problem.jobs.push_back("j" + std::to_string(j));
    for (std::size_t k = 0; k < cores; ++k) problem.cores.push_back("c" + std::to_string(k));
    const bool isWhole = random.below(2) == 0;
    for (std::size_t p = 0; p < jobs * cores; ++p) {
        double latency = 1 + static_cast<double>(random.below(5));
        if (!isWhole) latency += random.uniform();
        if (random.below(8) == 0) latency *= 50;
        double requiredBandwidth = random.uniform() * 2;
        if (random.below(5) == 0) requiredBandwidth = 0;
        if (random.below(6) == 0) requiredBandwidth *= 100;
        problem.latency.push_back(latency);
        problem.requiredBandwidth.push_back(requiredBandwidth);
        problem.energy.push_back(0.5 + random.uniform());
    }
    problem.macs.assign(jobs, 1000);
    problem.bandwidth = 0.25 + 4 * random.uniform();
    return problem;
}

/// Cores and priorities uniform; some priorities equal, for ties.
inline mapping::Mapping randomMapping(RandomStream& random, const mapping::Problem& problem) {
    mapping::Mapping mapping;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
        mapping.core.push_back(static_cast<std::int32_t>(random.below(problem.cores.size())));
        mapping.priority.push_back(random.below(4) == 0 ? 0.5 : random.uniform());
    }
    return mapping;
}

/// A table of the reference data that the tests have a copy of, or of the shared data.
inline mapping::Problem magmaTable(const std::string& name, double bandwidth) {
    const std::string file = "job_tables/" + name + ".csv";
    std::filesystem::path path = sourcePath("tests/data/magma/" + file);
    if (!std::filesystem::exists(path)) path = sharedPath("magma/" + file);
    mapping::Problem problem = mapping::loadJobTable(path.string());
    problem.bandwidth = bandwidth;
    return problem;
}

/// The least objective over all mappings: every assignment in every order. For a handful of jobs.
inline double bruteForce(const mapping::Problem& problem, mapping::Objective objective, const mapping::Weights& weights,
                         const mapping::Bound& bound) {
    const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
    std::size_t assignments = 1;
    for (std::size_t j = 0; j < jobs; ++j) assignments *= cores;
    std::vector<std::size_t> order(jobs);
    for (std::size_t j = 0; j < jobs; ++j) order[j] = j;
    mapping::Mapping mapping{std::vector<std::int32_t>(jobs), std::vector<double>(jobs)};
    double min = -1;
    do {
        for (std::size_t i = 0; i < jobs; ++i)
            mapping.priority[order[i]] = static_cast<double>(i) / static_cast<double>(jobs);
        for (std::size_t code = 0; code < assignments; ++code) {
            std::size_t rest = code;
            for (std::size_t j = 0; j < jobs; ++j, rest /= cores)
                mapping.core[j] = static_cast<std::int32_t>(rest % cores);
            const double value = mapping::objectiveOf(mapping::evaluate(problem, mapping), objective, weights, bound);
            if (min < 0 || value < min) min = value;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return min;
}

}  // namespace tessera::test

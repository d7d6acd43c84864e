#pragma once

#include <cstddef>
#include <string>

#include "core/base/random.h"
#include "core/mapping/mapping.h"
#include "tests/support/job_table.h"
#include "tests/support/paths.h"

namespace tessera::test {

/// A table drawn with a seed: every third core is slower and asks for less.
inline mapping::Problem drawnProblem(std::size_t jobs, std::size_t cores, double bandwidth, std::uint64_t seed) {
    RandomStream random(seed);
    mapping::Problem problem;
    problem.name = "drawn";
    problem.bandwidth = bandwidth;
    for (std::size_t core = 0; core < cores; ++core) problem.cores.push_back("core " + std::to_string(core));
    for (std::size_t job = 0; job < jobs; ++job) {
        problem.jobs.push_back("job " + std::to_string(job));
        problem.macs.push_back(1000);
        const double size = 100 + 900 * random.uniform(), bytes = 20 * random.uniform();
        for (std::size_t core = 0; core < cores; ++core) {
            const double slowness = core % 3 == 2 ? 1.5 + random.uniform() : 1;
            problem.latency.push_back(size * slowness);
            problem.requiredBandwidth.push_back(bytes / slowness);
            problem.energy.push_back(1e-6 * size * (core % 3 == 2 ? 0.5 : 1));
        }
    }
    return problem;
}

/// A table of the reference data at a bandwidth in bytes per cycle.
inline mapping::Problem referenceProblem(const std::string& name, double bandwidth) {
    mapping::Problem problem = mapping::loadJobTable(sharedPath("magma/job_tables/" + name + "_insts0.csv").string());
    problem.bandwidth = bandwidth;
    return problem;
}

}  // namespace tessera::test

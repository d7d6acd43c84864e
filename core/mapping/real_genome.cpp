#include "core/mapping/real_genome.h"

#include <algorithm>

#include "core/explore/covariance.h"

namespace tessera::mapping {

Mapping mappingOfUnit(std::span<const double> genome, std::size_t cores) {
    const std::size_t jobs = genome.size() / 2;
    Mapping mapping;
    mapping.core.resize(jobs);
    mapping.priority.resize(jobs);
    for (std::size_t j = 0; j < jobs; ++j) {
        const auto core = static_cast<std::int32_t>(explore::folded(genome[j]) * static_cast<double>(cores));
        mapping.core[j] = std::min(core, static_cast<std::int32_t>(cores) - 1);
        mapping.priority[j] = explore::folded(genome[jobs + j]);
    }
    return mapping;
}

std::vector<double> unitOf(const Mapping& mapping, std::size_t cores) {
    std::vector<double> genome;
    genome.reserve(2 * mapping.core.size());
    for (const std::int32_t core : mapping.core) genome.push_back((core + 0.5) / static_cast<double>(cores));
    genome.insert(genome.end(), mapping.priority.begin(), mapping.priority.end());
    return genome;
}

}  // namespace tessera::mapping

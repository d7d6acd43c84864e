#include "core/mapping/real_genome.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/base/elementary.h"

namespace tessera::mapping {

namespace {

double folded(double x) {
    if (!std::isfinite(x)) return 0;
    const double turn = std::fabs(x) - 2 * std::floor(std::fabs(x) / 2);  // in [0, 2)
    return std::min(turn > 1 ? 2 - turn : turn, kBelowOne);
}

}  // namespace

Mapping mappingOfUnit(std::span<const double> genome, std::size_t cores) {
    const std::size_t jobs = genome.size() / 2;
    Mapping mapping;
    mapping.core.resize(jobs);
    mapping.priority.resize(jobs);
    for (std::size_t j = 0; j < jobs; ++j) {
        const auto core = static_cast<std::int32_t>(folded(genome[j]) * static_cast<double>(cores));
        mapping.core[j] = std::min(core, static_cast<std::int32_t>(cores) - 1);
        mapping.priority[j] = folded(genome[jobs + j]);
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

double NormalStream::next() {
    if (hasSecond_) {
        hasSecond_ = false;
        return second_;
    }
    double u = 0, v = 0, square = 0;
    do {
        u = 2 * random_.uniform() - 1;
        v = 2 * random_.uniform() - 1;
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double length = elementary::sqrt(-2 * elementary::log(square) / square);
    second_ = v * length;
    hasSecond_ = true;
    return u * length;
}

void initialiseEigen() {
    static const bool kInitialised = [] {
        Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);
        return true;
    }();
    static_cast<void>(kInitialised);
}

}  // namespace tessera::mapping

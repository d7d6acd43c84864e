#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/hardware/level.h"
#include "core/physical/collective.h"

namespace tessera::partition {

/// Seconds of collectives over the levels of a network, looked up fast: of each operation and span the model
/// (physical::collectiveOver) is asked at a few sizes only, between which seconds are linear in bytes.
class LevelCollectives {
public:
    explicit LevelCollectives(std::vector<hardware::TopologyLevel> levels);

    /// Number of an operation over `span` accelerators at each level; -1 where that is a single one.
    std::int32_t operation(physical::Collective collective, const std::vector<std::int64_t>& span);
    /// Seconds of an operation of that number; 0 for -1. `bytes` as physical::CollectiveRequest counts them.
    double seconds(std::int32_t operation, double bytes);

private:
    struct Curve {
        physical::Collective collective = physical::Collective::allReduce;
        std::vector<std::int64_t> span = {};
        std::vector<double> seconds = {};  ///< at each size of the grid; below 0 where not asked yet
    };
    double at(Curve& curve, std::size_t size);

    std::vector<hardware::TopologyLevel> levels_;
    std::vector<Curve> curves_;
    std::map<std::pair<physical::Collective, std::vector<std::int64_t>>, std::int32_t> numbers_;
};

}  // namespace tessera::partition

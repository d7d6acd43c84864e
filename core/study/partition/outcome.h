#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/hardware/numbers.h"
#include "core/partition/partition.h"

namespace tessera::study {

/// The numbers of one group of the fleet that partitioning used, kept so that a stored result can be explained alone.
struct GroupNumbers {
    std::string name;
    std::string accelerator;
    std::int64_t count = 0;
    FlopsPerSecond peak;  ///< of one accelerator in the study's data type
    double efficiency = 1;
    BytesPerSecond rate;  ///< of one accelerator's network
    std::optional<Bytes> capacity;
    /// Source of each number by the field of the result: "peak_flops", "network_bytes_per_s", …
    hardware::ProvenanceMap sources;
};

/// Result of the partition engine.
struct PartitionOutcome {
    std::string model;
    std::string fleet;
    std::int64_t accelerators = 0;
    std::vector<GroupNumbers> groups;  ///< in file order; empty in results of older programs
    partition::Result result;
};

/// The fastest plan, with physical costs of those that fit where some do, which headlines are about; ties go to the
/// first in the study. Null where there is no plan.
const partition::Plan* fastestPlan(const PartitionOutcome& outcome);

}  // namespace tessera::study

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/hardware/numbers.h"
#include "core/mapping/mapping.h"

namespace tessera::study {

/// One sub-accelerator as mapping used it, kept so that a stored result can be explained alone.
struct CoreNumbers {
    std::string name;
    std::string dataflow;     ///< "nvdla"; empty where a table of jobs says nothing about it
    std::int64_t height = 0;  ///< of the array of processing elements; 0 = not known
    std::int64_t width = 0;
    bool flexible = false;  ///< the array's shape is chosen for every job
    Bytes local;            ///< SL: the buffer of one processing element
    Bytes shared;           ///< SG: the buffer that all of them share
    std::optional<Hertz> clock;
    /// Source of each number by the field of the result: "dataflow", "clock_hz", …
    hardware::ProvenanceMap sources;
};

/// Result of the mapping engine with the inputs needed to interpret it, so that a stored result is self-contained.
struct MappingOutcome {
    std::string platform;  ///< empty for a table of jobs
    std::string workload;  ///< empty for a table of jobs
    std::string jobTable;  ///< the table's name; empty otherwise
    std::vector<CoreNumbers> cores;
    std::string variant;              ///< of the cost model; empty for a table of jobs
    std::string bandwidthDefinition;  ///< of the required bandwidth; empty for a table of jobs
    mapping::Problem problem;
    mapping::Objective objective = mapping::Objective::throughput;
    mapping::Weights weights;
    std::int64_t samples = 0;  ///< that each algorithm was allowed
    std::optional<std::pair<mapping::Objective, mapping::Objective>> pareto;
    bool evaluated = false;              ///< a given mapping was scored, nothing was searched
    std::int64_t differingRows = 0;      ///< of the problem's table, on which the variants of the cost model differ
    std::vector<std::string> jobModels;  ///< by job: the network that it is of; empty where not known
    std::vector<std::string> jobKinds;   ///< by job: "conv", "dsconv", "gemm"; empty where not known
    mapping::Result result;
};

/// The run with the minimum objective value; ties go to the first in the study. Null where there is none.
const mapping::Run* bestRun(const MappingOutcome& outcome);

}  // namespace tessera::study

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/cost/dataflow.h"
#include "core/cost/workload.h"
#include "core/hardware/platform.h"

namespace tessera::cost {

/// Latency, energy and traffic of every job on every core of a platform, with the shared bandwidth. The layout is that
/// of the mapping engine's problem: tables of pairs are row-major, [job * cores.size() + core].
struct JobTable {
    std::string name;                ///< of the platform; the caller may put its workload before it
    std::vector<std::string> jobs;   ///< names
    std::vector<std::string> cores;  ///< names
    std::vector<double> latency;     ///< cycles of the platform's clock on a core that never stalls, by pair; above 0
    std::vector<double> requiredBandwidth;  ///< required bandwidth in bytes per such cycle, by pair
    std::vector<double> energy;             ///< joules, by pair
    std::vector<double> macs;               ///< multiply-accumulates, by job
    double bandwidth = 0;                   ///< of the platform, bytes per cycle
    std::optional<Hertz> clock;             ///< of the platform
    std::vector<std::int64_t> width;        ///< of the array, by pair: what a flexible array chose, else the platform's
    std::int64_t differing = 0;             ///< pairs on which the variants `published` and `corrected` differ
    std::int64_t overflowing = 0;           ///< pairs whose first tiles do not fit the buffers of the core
    std::vector<std::string> assumptions;   ///< sentences; they name the variant and the definition of bandwidth

    bool operator==(const JobTable&) const = default;
};

struct AnalysisOptions {
    Variant variant = Variant::corrected;
    BandwidthDefinition bandwidth = BandwidthDefinition::streaming;
    unsigned threads = 1;  ///< never changes the table
};

/// The layer that a job runs, once: `published` knows the kind and the six sizes alone; `corrected` strides, padding
/// and groups too, and, of a convolution, the samples of the mini-batch that its `repeats` are. A dilated kernel is a
/// dense one on a map that is smaller by what the dilation adds.
Layer layerOf(const model::LayerJob& job, Variant variant);
/// Number of sequential runs of that layer.
std::int64_t runsOf(const model::LayerJob& job, Variant variant);

/// A dataflow of a core, bundled or its own; `file` is the platform's. Throws UsageError (unknown, with a hint),
/// FileError, DataError.
Dataflow dataflowOf(const hardware::DataflowSource& source, const std::string& file);

/// Reads a platform like the hardware's own reader, and each of its dataflows too. Throws DataError, at the field of a
/// dataflow that there is not or that cannot be read.
hardware::Platform readPlatform(const JsonNode& root);
/// Loads a platform by its file path or its name in the library, with its dataflows. Throws FileError, DataError,
/// UsageError (unknown, with a hint).
hardware::Platform loadPlatform(const std::string& nameOrPath);

/// The job-analysis table of a group on a platform: each pair by the dataflow model, depthwise layers under the
/// dataflow that the core names for them; a flexible core takes the shape of minimum latency for each job. Throws
/// UsageError where a job cannot run on a core (the sentence names both) and for more than 10,000,000 pairs, and as
/// `dataflowOf` does.
JobTable jobTable(const std::vector<Job>& jobs, const hardware::Platform& platform,
                  const AnalysisOptions& options = {});

}  // namespace tessera::cost

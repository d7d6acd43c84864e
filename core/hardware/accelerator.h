#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/schema.h"
#include "core/hardware/kernel_fit.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

struct Kind;

struct MemoryLevel {
    std::string name;
    std::optional<Bytes> capacity;
    std::optional<BytesPerSecond> bandwidth;
    bool onChip = false;
    bool operator==(const MemoryLevel&) const = default;
};

/// A collective that was measured: what one accelerator sends in all, over how long that takes.
struct MeasuredCollective {
    Bytes bytes;                          ///< reduced on each device
    std::optional<std::int64_t> devices;  ///< empty where the source does not say
    BytesPerSecond bandwidth;
    bool operator==(const MeasuredCollective&) const = default;
};

/// A model whose training was measured on the accelerator.
struct Benchmark {
    std::string model;       ///< of the zoo: "zoo:resnet50"
    double utilization = 0;  ///< share of the peak that is reached
    bool operator==(const Benchmark&) const = default;
};

/// One accelerator as a buyer sees it (`tessera.accelerator/1`). What an engine needs and does not find is an error of
/// that engine, so most fields are optional. Memory levels run from the fastest to the largest.
struct Accelerator {
    std::string id;    ///< the file's stem, such as "tpu-v3-board"; empty for an inline one
    std::string file;  ///< where it was read from, for errors
    std::string name;
    std::string vendor;
    std::map<std::string, FlopsPerSecond> peakFlops;       ///< by data type: "bf16", "fp16", "fp32", "int8", ...
    std::map<std::string, FlopsPerSecond> sustainedFlops;  ///< by data type, of large products under the power limit
    std::optional<std::int64_t> computeUnits;              ///< streaming multiprocessors, matrix engines, cores
    std::map<std::string, double> efficiency;              ///< by operation class, such as "gemm"; default 1
    std::vector<MemoryLevel> memory;
    std::optional<BytesPerSecond> network;     ///< the file's `network_bits_per_s`: one direction
    std::optional<std::int64_t> networkPeers;  ///< others that its links lead to without a switch, in equal parts
    std::optional<BytesPerSecond> hostBandwidth;
    std::optional<Watts> power;
    std::optional<double> pricePerHourUsd;
    std::optional<std::string> placementPolicy;
    /// Names of memory levels in the order in which they fill, by category of training data; over the policy's.
    std::map<std::string, std::vector<std::string>> placementLevels;
    std::optional<std::string> kernels;  ///< path of a table of measured kernels
    Seconds launchOverhead;
    std::optional<FlopsPerSecond> hostPeak;  ///< of the host's share that prepares this accelerator's samples
    std::optional<Seconds> networkLatency;   ///< of one message
    std::vector<MeasuredCollective> allReduce;
    std::vector<Benchmark> benchmarks;
    std::vector<KernelFit> kernelFits;  ///< one of each family and data type
    ProvenanceMap provenance;           ///< by JSON path, such as "peak_flops.bf16"

    bool operator==(const Accelerator&) const = default;
};

/// The table of its fields.
const Kind& acceleratorKind();

/// Reads one accelerator: a whole document, whose file's stem becomes the id, or an inline one, which has no id and may
/// leave out `schema`. Throws DataError; several faults of a file as Faults.
Accelerator readAccelerator(const JsonNode& given);
/// The document that reads back as the same accelerator.
Json toJson(const Accelerator& accelerator);

/// The largest memory level's capacity, empty where the accelerator gives no memory.
std::optional<Bytes> memoryCapacity(const Accelerator& accelerator);

}  // namespace tessera::hardware

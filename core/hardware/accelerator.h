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

/// One level of an accelerator's memory.
struct MemoryLevel {
    std::string name;                         ///< "HBM3"
    std::optional<Bytes> capacity;            ///< in bytes; empty = not known
    std::optional<BytesPerSecond> bandwidth;  ///< in bytes per second, reading or writing; empty = not known
    bool onChip = false;                      ///< on the die, such as SRAM
    bool operator==(const MemoryLevel&) const = default;
};

/// A measured collective.
struct MeasuredCollective {
    Bytes bytes;                          ///< reduced on each device
    std::optional<std::int64_t> devices;  ///< that took part; empty where the source does not say
    BytesPerSecond bandwidth;             ///< bytes that one accelerator sends in all, per second of the collective
    bool operator==(const MeasuredCollective&) const = default;
};

/// Measured training of a model on the accelerator.
struct Benchmark {
    std::string model;       ///< of the zoo: "zoo:resnet50"
    double utilization = 0;  ///< share of the peak rate that is reached, from 0 to 1
    bool operator==(const Benchmark&) const = default;
};

/// One accelerator as a buyer sees it (`tessera.accelerator/1`). What an engine needs and does not find is an error of
/// that engine, so most fields are optional.
struct Accelerator {
    std::string id;      ///< the file's stem, such as "tpu-v3-board"; empty for an inline one
    std::string file;    ///< where it was read from, for errors
    std::string name;    ///< for people: "NVIDIA H100 SXM"
    std::string vendor;  ///< empty = not known
    /// Dense peak rates in FLOP/s by data type ("bf16", "fp16", "fp32", "int8", ...); a multiply-add is two operations.
    std::map<std::string, FlopsPerSecond> peakFlops;
    /// Rates in FLOP/s of large matrix multiplications under the power limit, by data type.
    std::map<std::string, FlopsPerSecond> sustainedFlops;
    std::optional<std::int64_t> computeUnits;  ///< streaming multiprocessors, matrix engines, cores
    std::map<std::string, double> efficiency;  ///< share of the peak by class of operations ("gemm"); default 1
    std::vector<MemoryLevel> memory;           ///< from the fastest to the largest
    std::optional<BytesPerSecond> network;     ///< of all links in one direction; the file's `network_bits_per_s` / 8
    std::optional<std::int64_t> networkPeers;  ///< others that its links lead to without a switch, in equal parts
    std::optional<BytesPerSecond> hostBandwidth;  ///< between host and accelerator, bytes per second
    std::optional<Watts> power;                   ///< under load, watts
    std::optional<double> pricePerHourUsd;        ///< rent of one accelerator, US dollars per hour
    std::optional<std::string> placementPolicy;   ///< which memory level holds what, by the policy's name: "off-chip"
    /// Names of memory levels in the order in which they fill, by category of training data; over the policy's.
    std::map<std::string, std::vector<std::string>> placementLevels;
    std::optional<std::string> kernels;         ///< path of a table of measured kernels
    Seconds launchOverhead;                     ///< of one kernel
    std::optional<FlopsPerSecond> hostPeak;     ///< FLOP/s of the host's share that prepares this accelerator's samples
    std::optional<Seconds> networkLatency;      ///< of one message
    std::vector<MeasuredCollective> allReduce;  ///< measured all-reduces
    std::vector<Benchmark> benchmarks;          ///< measured training of whole models
    std::vector<KernelFit> kernelFits;          ///< one of each family and data type
    ProvenanceMap provenance;                   ///< by JSON path, such as "peak_flops.bf16"

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

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"

namespace tessera::hardware {

/// How far a number can be trusted.
struct Provenance {
    std::string source;       ///< where it comes from, in words
    std::string reliability;  ///< "measured", "datasheet" or "assumed"; the file calls it "class"
    bool operator==(const Provenance&) const = default;
};

struct MemoryLevel {
    std::string name;
    std::optional<Bytes> capacity;
    std::optional<BytesPerSecond> bandwidth;
    bool onChip = false;
    bool operator==(const MemoryLevel&) const = default;
};

/// One accelerator as a buyer sees it (`tessera.accelerator/1`). What an engine needs and does not find is an error of
/// that engine, so most fields are optional. Memory levels run from the fastest to the largest.
struct Accelerator {
    std::string id;    ///< the file's stem, such as "tpu-v3-board"; empty for an inline one
    std::string file;  ///< where it was read from, for errors
    std::string name;
    std::string vendor;
    std::map<std::string, FlopsPerSecond> peakFlops;  ///< by data type: "bf16", "fp16", "fp32", "int8", ...
    std::map<std::string, double> efficiency;         ///< by operation class, such as "gemm"; default 1
    std::vector<MemoryLevel> memory;
    std::optional<BytesPerSecond> network;            ///< the file's `network_bits_per_s`
    std::optional<BytesPerSecond> hostBandwidth;
    std::optional<Watts> power;
    std::optional<double> pricePerHourUsd;
    std::optional<std::string> placementPolicy;
    std::optional<std::string> kernels;               ///< path of a table of measured kernels
    Seconds launchOverhead;
    std::map<std::string, Provenance> provenance;     ///< by JSON path, such as "peak_flops.bf16"

    bool operator==(const Accelerator&) const = default;
};

/// Reads one accelerator from a node. Throws DataError.
Accelerator readAccelerator(const JsonNode& node);
Json toJson(const Accelerator& accelerator);

/// The largest memory level's capacity, empty where the accelerator gives no memory.
std::optional<Bytes> memoryCapacity(const Accelerator& accelerator);

}  // namespace tessera::hardware

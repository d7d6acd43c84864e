#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/schema.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

struct Kind;

/// A dataflow as a platform names it.
struct DataflowSource {
    /// A bundled dataflow's name, such as "nvdla"; a path relative to the platform's file; or, of one written inline,
    /// its name.
    std::string name;
    /// The text of a dataflow that is not bundled, in MAESTRO's form; empty where `name` is a bundled one.
    std::string text = {};
    bool isInline = false;  ///< the text stands in the platform's own file

    bool operator==(const DataflowSource&) const = default;
};

/// `count` equal cores of a multi-core accelerator: an array of processing elements with its buffers and the dataflow
/// that it runs. Kao, Krishna: "MAGMA", HPCA 2022, section III, calls it a sub-accelerator.
struct SubAccelerator {
    std::string name;
    std::int64_t count = 1;
    std::int64_t height = 32;  ///< rows of the array
    std::int64_t width = 64;   ///< columns of the array, what a dataflow calls its cluster size
    DataflowSource dataflow{.name = "nvdla"};
    DataflowSource depthwise{.name = "depthwise"};  ///< what depthwise layers run under
    Bytes localBuffer;                              ///< SL, of one processing element
    Bytes sharedBuffer;                             ///< SG, of the whole array
    std::optional<Hertz> clock = {};                ///< empty = the platform's
    bool flexible = false;                          ///< the shape of the array is chosen per job (section VI-F)

    bool operator==(const SubAccelerator&) const = default;
};

/// Cores that work on independent jobs and share the bandwidth to memory (`tessera.platform/1`).
struct Platform {
    std::string id;    ///< the file's stem, such as "s2"; empty for an inline one
    std::string file;  ///< where it was read from, for errors and relative paths
    std::string name;
    Hertz clock;               ///< what cycles of a job table are counted in
    BytesPerSecond bandwidth;  ///< shared by all cores
    std::vector<SubAccelerator> subAccelerators;
    ProvenanceMap provenance = {};  ///< by JSON path, such as "sub_accelerators[1].sg_bytes"

    bool operator==(const Platform&) const = default;
};

/// Limits of a platform's file; each is named in the error.
inline constexpr std::size_t kMaxSubAccelerators = 1000;
inline constexpr std::int64_t kMaxCores = 10'000;
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;  ///< of one array
inline constexpr std::size_t kLargestInlineDataflow = std::size_t{1} << 20;

/// The table of its fields.
const Kind& platformKind();

/// Reads a platform: a whole document, whose file's stem becomes the id, or an inline one, which has no id and may
/// leave out `schema`. A dataflow that is named by a path is read, too (its text alone: whether it is a dataflow is for
/// the cost model to say, as `refuse` may: it throws where it is none). Throws DataError, several faults as Faults.
Platform readPlatform(const JsonNode& given, const std::function<void(const DataflowSource& source)>& refuse = {});

/// The document that reads back as the same platform: a dataflow that came by name or path is written that way.
Json toJson(const Platform& platform);
/// Writes a platform with every dataflow that is not bundled written out, so that the document means the same anywhere.
Json toJsonInline(const Platform& platform);

/// All cores of the platform: the sum of the counts.
std::int64_t coreCount(const Platform& platform);
/// The processing elements of all cores.
std::int64_t elementCount(const Platform& platform);
/// The row of `subAccelerators` that each core is one of, in their order.
std::vector<std::size_t> coresOf(const Platform& platform);
/// Name of every core: its row's name, with a number from 1 where the row stands for several ("HB 2").
std::vector<std::string> coreNames(const Platform& platform);
/// The clock of a core.
Hertz clockOf(const Platform& platform, const SubAccelerator& core);
/// The shared bandwidth in bytes per cycle of the platform's clock: what a job table is mapped under.
double bytesPerCycle(const Platform& platform);

}  // namespace tessera::hardware

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/schema.h"
#include "core/hardware/architecture.h"
#include "core/hardware/area.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

struct Kind;

/// The values that a search tries for one parameter, from small to large.
struct Range {
    std::vector<std::int64_t> values;
    /// Step as the file writes it: "×2" or "+8" for steps from the first to the last; empty for a list.
    std::string step = {};

    bool operator==(const Range&) const = default;
};

/// An accelerator that others may not be larger than.
struct Reference {
    std::string name;
    std::int64_t tensorCores = 1, vectorCores = 1, width = 1, height = 1, globalBuffer = 1;
    std::optional<std::int64_t> hbmBandwidth = {}, networkBandwidth = {};  ///< bytes per second, where they are its own

    bool operator==(const Reference&) const = default;
};

/// A family of accelerators to search (`tessera.template/1`): the values of its parameters, what follows from them, and
/// the technology that they are made in.
struct Template {
    std::string id;    ///< the file's stem, such as "phaze"; empty for an inline one
    std::string file;  ///< where it was read from, for errors
    std::string name;
    Range tensorCores, vectorCores;
    Range width, height;  ///< PE_x and PE_y, powers of two
    Range globalBuffer;   ///< bytes, powers of two
    Range hbm;            ///< bytes
    /// Bytes per second of the HBM, and to any other accelerator; no values: not searched, all have the same.
    Range hbmBandwidth = {}, networkBandwidth = {};
    Rates rates;  ///< the HBM's bandwidth is that of accelerators without one of their own
    /// An L2 is as large as a core's elements (its lanes) times this, ...
    double l2BytesPerElement = 16;
    Bytes minL2;                ///< ... but not smaller.
    double maxGlobalWords = 1;  ///< glb_bw is a word per cycle for each element of all tensor cores, at most this
    AreaModel area;
    std::optional<Interface> hbmInterface = {}, networkInterface = {};  ///< none: nothing is known of them
    std::optional<Reference> reference;                                 ///< the bound is its area, ...
    std::optional<SquareMillimetres> bound;                             ///< ... or, where there is none, this
    ProvenanceMap provenance = {};  ///< by JSON path, such as "parameters.num_tc.from"

    bool operator==(const Template&) const = default;
};

/// Limits of a template's file; each is named in the error.
inline constexpr std::int64_t kMaxCoresOfAKind = std::int64_t{1} << 20;
inline constexpr std::int64_t kLongestArraySide = std::int64_t{1} << 16;
inline constexpr std::int64_t kLargestBuffer = std::int64_t{1} << 50;     ///< bytes, also of an HBM
inline constexpr std::size_t kMaxValues = 1000;                           ///< of one parameter
inline constexpr std::size_t kMaxBufferAreas = 100;                       ///< of one table
inline constexpr std::int64_t kFastestInterface = std::int64_t{1} << 50;  ///< bytes per second
/// Architectures times HBM sizes; PHAZE's table 1 has 259,584, with four bandwidths of HBM and network each 16 times
/// that.
inline constexpr std::size_t kMaxPoints = 5'000'000;

/// The table of its fields.
const Kind& templateKind();

/// Reads a template: a whole document, whose file's stem becomes the id, or an inline one, which has no id and may
/// leave out `schema`. Throws DataError.
Template readTemplate(const JsonNode& given);
/// The document that reads back as the same template.
Json toJson(const Template& space);

/// The architecture of given parameters with what the template derives: L2 of both kinds of cores and glb_bw.
/// PHAZE, appendix C.1: L2 = max(1 KB, 2^(log2 PE_x + log2 PE_y - 6) KB), a vector core counting as PE_y = 1. Its
/// glb_bw "is scaled to ensure optimal utilization of all tensor cores" up to 4096 words per cycle, without a formula;
/// a word for each element is the one that gives the minimum (4) of table 1 and all values of table 2.
Architecture architectureOf(const Template& space, std::int64_t tensorCores, std::int64_t vectorCores,
                            std::int64_t width, std::int64_t height, std::int64_t globalBuffer);
/// The reference's, derived like any other, with the bandwidths that it has of its own.
Architecture architectureOf(const Template& space, const Reference& reference);

/// Number of architectures of the template; HBM sizes are not among what they differ in.
std::size_t architectureCount(const Template& space);
/// Number of architectures that differ in nothing but the bandwidths of HBM and network: they follow each other, and
/// the last one has the greatest of both.
std::size_t bandwidthCount(const Template& space);
/// One of them, by its place in a fixed order: tensor cores slowest, then vector cores, width, height, GLB, bandwidth
/// of the HBM, and that of the network fastest, each from small to large.
Architecture architectureAt(const Template& space, std::size_t index);
/// All of them in that order, whatever their area.
std::vector<Architecture> architectures(const Template& space);

/// Area of an architecture, with its interfaces where the template gives their areas.
Area areaOf(const Architecture& architecture, const Template& space);
/// Power of interfaces of a bandwidth at their full rate; empty if the template gives no power.
std::optional<Watts> interfacePower(const Architecture& architecture, const Template& space);
/// The rates of an architecture: the template's, but for a bandwidth of its own.
Rates ratesOf(const Architecture& architecture, const Template& space);

/// The largest area that a search may use.
SquareMillimetres areaBound(const Template& space);

}  // namespace tessera::hardware

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/quantity.h"

namespace tessera::hardware {

/// One accelerator of an architecture template: tensor cores and vector cores, each with its L2, around a global buffer
/// (GLB) beside an HBM. Wang, Tarnawski, Phanishayee, Mahajan: "Integrated Hardware Architecture and Device Placement
/// Search" (PHAZE), ICML 2024, figure 1(a) and table 1.
struct Architecture {
    std::int64_t tensorCores = 1;  ///< num_tc
    std::int64_t vectorCores = 1;  ///< num_vc
    std::int64_t width = 1;        ///< PE_x: columns of a tensor core's array, and lanes of a vector core
    std::int64_t height = 1;       ///< PE_y: rows of a tensor core's array
    Bytes globalBuffer;            ///< GLB, shared by all cores
    Bytes tensorL2;                ///< of one tensor core
    Bytes vectorL2;                ///< of one vector core
    double globalWords = 1;        ///< glb_bw: words per cycle between the GLB and all cores together
    /// Bandwidth to its HBM, and to any other accelerator, where these are its own; else those that all of a search
    /// have.
    std::optional<BytesPerSecond> hbmBandwidth = {}, networkBandwidth = {};

    bool operator==(const Architecture&) const = default;
};

/// Rates that time depends on besides an architecture.
struct Rates {
    Hertz clock;
    BytesPerSecond hbmBandwidth;
    std::int64_t wordBytes = 2;

    bool operator==(const Rates&) const = default;
};

/// A size of a buffer as architects say it: "128 MiB", "4 KiB", "1000 B", in the largest unit without a fraction.
/// `between` stands between number and unit.
std::string bufferSize(Bytes size, std::string_view between = " ");

/// "8tc-2vc-128x128-128MiB": cores, array and GLB, and the bandwidths that are its own ("-hbm1200GBps-net300GBps"):
/// what a template's points differ in. It distinguishes points of one template and may be part of a file's name; what
/// is derived from the rest (L2, GLB bandwidth) is not in it.
std::string nameOf(const Architecture& architecture);

/// Multiply-accumulates of all tensor cores in a cycle.
double peakMacs(const Architecture& architecture);

}  // namespace tessera::hardware

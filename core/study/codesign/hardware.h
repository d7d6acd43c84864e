#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"

/// Architectures of a co-design search as hardware of the other engines.
namespace tessera::study {

/// Names of the architectures that a search evaluated ("4tc-16vc-256x256-4MiB"): the best, the front from the largest,
/// then the rest.
std::vector<std::string> designNames(const codesign::Result& result);
/// The architecture of a name, with its values. Throws UsageError.
codesign::Point designNamed(const codesign::Result& result, const std::string& name);

/// What a search reckons with and its document does not keep.
struct DesignWords {
    std::int64_t bytes = 2;  ///< of a word
};

/// Returns the accelerator of an architecture: peak of its tensor cores (two operations for each multiply-accumulate),
/// global buffer, HBM and network, each number with what it follows from. Its name tells its area.
hardware::Accelerator acceleratorOf(const codesign::Result& result, const codesign::Point& design,
                                    const DesignWords& words = {});
/// Returns as many of it as the search trains models on, joined by one switch.
hardware::Fleet fleetOf(const codesign::Result& result, const codesign::Point& design, const DesignWords& words = {});
/// Returns its tensor cores as cores that share the HBM's bandwidth, under the dataflow `nvdla`. An element of a job is
/// one byte: the bandwidth counts elements. The L2 of a core is divided between the buffers of its elements and the one
/// of the whole array.
hardware::Platform platformOf(const codesign::Result& result, const codesign::Point& design,
                              const DesignWords& words = {});

}  // namespace tessera::study

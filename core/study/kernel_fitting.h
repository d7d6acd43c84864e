#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/hardware/accelerator.h"
#include "core/physical/kernel_fit.h"
#include "core/study/result.h"

namespace tessera::study {

/// Fits of measured kernels of an accelerator.
struct KernelFitReport {
    hardware::Accelerator accelerator;  ///< with the fits, in place of older ones of the same family and data type
    physical::KernelFittings fittings;
    std::vector<Input> inputs;  ///< tables of kernels, then the accelerator's file
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;  ///< what of the tables is left out
};

/// Fits the forms of kernels to the tables. A table is a file of any format that `physical::readMeasurements` reads, or
/// the name of an accelerator whose bundled table is meant; the accelerator is a file or a name of the library. Throws
/// UsageError for an unknown name, FileError, DataError (no kernel that is known, an accelerator without peaks or
/// bandwidth) and InterruptedError.
KernelFitReport fitMeasuredKernels(const std::vector<std::string>& tables, const std::string& accelerator,
                                   const RunControl& control = {});

/// `tessera.kernel-fit/1`.
Json toJson(const KernelFitReport& report);

}  // namespace tessera::study

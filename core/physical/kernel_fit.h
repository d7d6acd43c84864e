#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/run_control.h"
#include "core/hardware/accelerator.h"
#include "core/physical/device.h"
#include "core/physical/kernel.h"
#include "core/physical/kernel_forms.h"

namespace tessera::physical {

/// The parameters that the kernels of one family and data type give, with what they were fitted to.
struct KernelFitting {
    FittedForm form;
    std::size_t rows = 0;
    std::vector<std::string> sources = {};  ///< in the order of their first rows
    double medianError = 0;                 ///< of |form / measured - 1|
};

/// All fits of some rows, by family and data type, and what is no row of them.
struct KernelFittings {
    std::vector<KernelFitting> fits;
    std::size_t skipped = 0;
    std::string firstSkipped = {};  ///< why the first of them is no kernel that is known
};

/// Fits the forms of kernel_forms.h to measured kernels of a device: one of each family and data type, products by
/// `fitGemm` (to 2,000 shapes at most, spread evenly), the others by `fitTerms` on top of them. A shape counts once, by
/// the median of its rows; fewer shapes than twice the parameters scale those of other accelerators by one factor.
/// Parameters have six digits, so that a file keeps all of them. Uses several threads; the result is the same whatever
/// their number. Throws InterruptedError.
KernelFittings fitKernels(const Device& device, const std::vector<KernelRow>& rows, const RunControl& control = {});

/// The fit as an accelerator's file says it.
hardware::KernelFit kernelFitOf(const KernelFitting& fitting);

}  // namespace tessera::physical

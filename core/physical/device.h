#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/hardware/accelerator.h"
#include "core/physical/gemm.h"
#include "core/physical/kernel.h"

namespace tessera::physical {

/// What the models of time and memory need to know of an accelerator. Rates are those of its datasheet: what of them is
/// reached is a matter of kernels and software.
struct Device {
    std::string id = {};  ///< of its description ("a100-pcie-40gb"), by which its measured kernels are found
    std::string vendor = {};
    std::map<std::string, double, std::less<>> peaks = {};  ///< FLOP/s by data type
    double bandwidth = 0;                                   ///< bytes/s of device memory
    double cache = 0;               ///< bytes of the last memory level on chip; 1 byte where there is none
    double units = 0;               ///< processors that work on one tile each
    double memory = 0;              ///< bytes of its largest level
    double linkBytesPerSecond = 0;  ///< to other accelerators, per direction; 0: none, so by the host
    double hostBytesPerSecond = 0;  ///< to the host, per direction
    double watts = 0;               ///< under load; 0: not said
};

/// The device of a description. What the description leaves out is taken from what it has: a bandwidth of memory from
/// its fastest level that says one, one unit for each 2 TFLOP/s of its fastest 16-bit type.
Device deviceOf(const hardware::Accelerator& accelerator);

/// FLOP/s of a data type ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4", "int8"): its own; else that of the
/// other 16-bit type, else of the next wider type that the device has. 0 for an unknown data type.
double peakOf(const Device& device, std::string_view dtype);

/// The device as products of a data type see it.
Machine machineOf(const Device& device, std::string_view dtype);

/// Parameters of `gemmSeconds` and where they come from.
struct ProductParameters {
    GemmParameters parameters;
    KernelBasis basis = KernelBasis::transferred;
    std::string_view accelerator = {};  ///< whose products gave them
};

/// The parameters that serve products of a data type on a device: fitted on its own measured products where there are
/// some (of several sources that with most rows), else on those of the accelerator that is least unlike in peak and
/// bandwidth.
ProductParameters productParametersOf(const Device& device, std::string_view dtype);

}  // namespace tessera::physical

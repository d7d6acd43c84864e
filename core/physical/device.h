#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/hardware/accelerator.h"
#include "core/physical/gemm.h"
#include "core/physical/kernel_forms.h"

namespace tessera::physical {

/// Where the seconds of a kernel come from, best first.
enum class KernelBasis : std::uint8_t {
    measured,     ///< interpolated between measured shapes, or one of them
    fitted,       ///< outside of them: the form alone, with parameters from rows of this accelerator
    transferred,  ///< no rows of this kernel and data type: parameters of other accelerators
};

/// What the models of time and memory need to know of an accelerator. Rates are those of its datasheet: what of them is
/// reached is a matter of kernels and software.
struct Device {
    std::string id = {};  ///< of its description ("a100-pcie-40gb"), by which its measured kernels are found
    std::string vendor = {};
    std::map<std::string, double, std::less<>> peaks = {};  ///< FLOP/s by data type
    /// FLOP/s by data type that large products were measured to reach, where that is known.
    std::map<std::string, double, std::less<>> sustained = {};
    double bandwidth = 0;               ///< bytes/s of device memory
    double cache = 0;                   ///< bytes of the last memory level on chip; 1 byte where there is none
    double units = 0;                   ///< processors that work on one tile each
    double memory = 0;                  ///< bytes of its largest level
    double linkBytesPerSecond = 0;      ///< to other accelerators, per direction; 0: none, so by the host
    std::int64_t neighbours = 0;        ///< that its links lead to, in equal parts; 0: a switch joins all
    double hostBytesPerSecond = 0;      ///< to the host, per direction
    double watts = 0;                   ///< under load; 0: not said
    std::vector<FittedForm> fits = {};  ///< of its kernels, in its description
};

/// The device of a description. What the description leaves out is taken from what it has: a bandwidth of memory from
/// its fastest level that says one, one unit for each 2 TFLOP/s of its fastest 16-bit type.
Device deviceOf(const hardware::Accelerator& accelerator);

/// The row of a data type that kernels are priced in (`Dtype::isPriced`); null for another.
const Dtype* pricedDtype(std::string_view dtype);

/// FLOP/s of a data type: its own; else that of the other 16-bit type, else of the next wider type that the device has.
/// 0 for a type that is not priced.
double peakOf(const Device& device, std::string_view dtype);

/// Bytes of an element of a data type; 0 for one that is not priced.
double bytesOf(std::string_view dtype);

/// The device as products of a data type see it: at the peak of its datasheet or, where its large products were
/// measured and it has no fitted kernels, at the clock by which the kernels of others reach that rate.
Machine machineOf(const Device& device, std::string_view dtype);

/// Parameters of `gemmSeconds` and where they come from.
struct ProductParameters {
    GemmParameters parameters;
    KernelBasis basis = KernelBasis::transferred;
    std::string accelerator = {};  ///< whose products gave them
};

/// Which of several fits serve products best.
struct ProductsAsked {
    std::string_view kernel = "gemm";  ///< "batched_gemm" has its own
    std::string_view source = {};      ///< of the measurements; empty: that with most rows
    int leftOut = -1;                  ///< as of GemmFit; of a half, what the description says does not count
    std::string_view without = {};     ///< an accelerator whose products do not count
};

/// The other 16-bit type where the device multiplies both as fast, so that kernels of one stand for those of the other;
/// empty where there is none.
std::string_view alikeType(const Device& device, std::string_view dtype);

/// The fit of a family and data type that the device's description has, else that of its
/// `alikeType`; null where there is none.
const FittedForm* fittedFormOf(const Device& device, KernelFamily family, std::string_view dtype);

/// The parameters that serve products of a data type on a device: those of its description; else of the same word size
/// if any, then fitted on its own measured products, else on those of the accelerator that is least unlike in peak and
/// bandwidth; among these of that kernel, data type and source, with most products.
ProductParameters productParametersOf(const Device& device, std::string_view dtype, const ProductsAsked& asked = {});

}  // namespace tessera::physical

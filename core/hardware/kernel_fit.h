#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tessera::hardware {

/// What decides the time of a kernel.
enum class KernelFamily : std::uint8_t {
    product,
    attention,
    elementwise,
    normalization,
    convolution,
    recurrent,
};
inline constexpr EnumNames<KernelFamily> kKernelFamilyNames{"product",       "attention",   "elementwise",
                                                            "normalization", "convolution", "recurrent"};

/// A parameter of a family's form of time (core/physical/kernel_forms.h), as files name it.
struct KernelParameter {
    std::string_view key;
    std::string_view unit;  ///< "s"; empty: a plain number
    std::string_view about;
};
/// Parameters of a family, in the order of its form.
std::span<const KernelParameter> kernelParameters(KernelFamily family);

/// How sure the numbers of a fit are.
enum class FitClass : std::uint8_t { fitted };
inline constexpr EnumNames<FitClass> kFitClassNames{"fitted"};

/// Parameters of the kernels of one family and data type, fitted to measured kernels of the accelerator.
struct KernelFit {
    KernelFamily family = KernelFamily::product;
    std::string dtype;
    std::int64_t rows = 0;                     ///< that it was fitted to
    std::string sources;                       ///< who measured them, or in which files they stand
    std::map<std::string, double> parameters;  ///< all of `kernelParameters`
    double spread = 0;                         ///< 90 % of the rows lie within this logarithm of the form
    FitClass reliability = FitClass::fitted;
    bool operator==(const KernelFit&) const = default;
};

}  // namespace tessera::hardware

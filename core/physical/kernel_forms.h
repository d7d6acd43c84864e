#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/kernel_fit.h"
#include "core/physical/gemm.h"

namespace tessera::physical {

using hardware::KernelFamily;

/// A kernel that the model knows; its sizes are those of data/measured/README.md.
struct KernelKind {
    std::string_view name;
    KernelFamily family;
    std::size_t minSizes, maxSizes;  ///< of a shape
    std::string_view sizes;          ///< in words
    double gates = 1;                ///< recurrent: products of a word's step, in units of outputs x (inputs + outputs)
};

/// The kind of that name, else null.
const KernelKind* kernelKind(std::string_view name);

/// Seconds that the parts of a kernel would take by datasheet; unused ones are 0.
using KernelTerms = std::array<double, 5>;

/// Where a kernel runs.
struct KernelPlace {
    Machine machine;      ///< with the peak of the data type
    double bytes = 2;     ///< of an element
    GemmParameters gemm;  ///< for products and what is made of them
};

/// The terms whose sum, each times a coefficient, is a kernel's time:
/// - product: `gemmSeconds`.
/// - attention: 1 us; FLOP of the causal half in blocks of 128 rows, in whole waves over the units, at peak; the same
/// at
///   a sequence of 128 (fused attention ramps up as s / (s + s0)) and at a head size of 64; bytes.
/// - elementwise, normalization: 1 us; bytes from memory and from the cache at the bandwidth of memory; rows a unit in
///   units of 10 ns (normalization).
/// - convolution: 1 us; the product (samples x positions) x filters x (channels x window / groups), for windows of
///   3 x 3 with stride 1 (which have algorithms of fewer FLOP: Lavin and Gray, CVPR 2016) and for others; bytes; the
///   same product by FLOP at peak.
/// - recurrent: a microsecond a word; the products of all words; the weights read once a word; operands of all words.
KernelTerms kernelTerms(const KernelKind& kind, std::span<const double> shape, const KernelPlace& place);

/// Floating-point operations of a kernel, those of a causal mask left out; 0 for what memory bounds.
double kernelFlop(const KernelKind& kind, std::span<const double> shape);

/// The product of a "gemm" or "batched_gemm" of these sizes.
Product productOf(std::span<const double> shape, double bytes);

/// The form of the kernels of one family and data type on an accelerator of one's own, fitted to measurements.
struct FittedForm {
    KernelFamily family = KernelFamily::product;
    std::string dtype = {};
    GemmParameters products = {};  ///< of a product
    KernelTerms coefficients{1};   ///< of `kernelTerms`
    double spread = 0;             ///< 90 % of the measured kernels lie within this logarithm of the form
};
/// The form that a file's parameters mean.
FittedForm fittedForm(const hardware::KernelFit& fit);
/// Its parameters by the names that files have for them (`hardware::kernelParameters`).
std::map<std::string, double> parametersOf(const FittedForm& form);

/// Terms of a measured kernel and its seconds.
struct MeasuredTerms {
    KernelTerms terms{};
    double seconds = 0;
};

/// Coefficients, none below 0, with the least sum of squared relative errors, then scaled by one factor so that half of
/// the kernels take longer. All 0 for no kernels.
KernelTerms fitTerms(std::span<const MeasuredTerms> kernels);

/// Coefficients times the one factor with which half of the kernels take longer; as they are for no kernels.
KernelTerms scaledTerms(std::span<const MeasuredTerms> kernels, KernelTerms coefficients);

/// Coefficients of a family for an accelerator without rows of it, fitted to the rows of all others (class fitted).
struct TransferredTerms {
    KernelFamily family;
    KernelTerms coefficients{};
    double spread = 0;  ///< 90 % of the rows of an accelerator left out lie within this logarithm of the others' form
    double meanError = 0;  ///< mean of |predicted / measured - 1| of these rows
    int rows = 0;
};
const TransferredTerms& transferredTerms(KernelFamily family);

/// Sum of the terms times their coefficients.
double secondsOf(const KernelTerms& terms, const KernelTerms& coefficients);

}  // namespace tessera::physical

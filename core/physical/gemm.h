#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace tessera::physical {

/// A product of matrices, `batch` times: (m x k) by (k x n).
struct Product {
    double batch = 1;
    double m = 1;
    double n = 1;
    double k = 1;
    double inputBytes = 2;   ///< of an element of either operand
    double outputBytes = 2;  ///< of an element of the result
};

/// What an accelerator gives a kernel, from its datasheet.
struct Machine {
    double peak = 0;       ///< FLOP/s in the data type of the product, dense, at boost clock
    double bandwidth = 0;  ///< bytes/s of device memory
    double cache = 0;      ///< bytes of the last cache
    double units = 0;      ///< multiprocessors
};

/// Fitted parameters of `gemmSeconds`, for one accelerator, data type and source of measurements.
struct GemmParameters {
    double launch = 0;      ///< s: of a kernel that does nothing
    double wave = 0;        ///< s: start and end of a wave of tiles
    double efficiency = 0;  ///< share of peak of an endless tile; only the share of a real tile is at most 1
    double halfTile = 0;    ///< rows and columns of a tile at which that share halves
    double bandwidth = 0;   ///< share of the bandwidth of memory
    double cache = 0;       ///< bandwidth of the cache in units of that of memory
    double fill = 0;        ///< tiles per unit that fill the memory
};

/// All of them, in their order.
inline constexpr std::array<double GemmParameters::*, 7> kGemmMembers{
    &GemmParameters::launch,    &GemmParameters::wave,  &GemmParameters::efficiency, &GemmParameters::halfTile,
    &GemmParameters::bandwidth, &GemmParameters::cache, &GemmParameters::fill};

/// Seconds of a product: the fastest of 14 tiles and 9 splits of k, each `launch + max(waves of tiles, bytes) + sum of
/// the split's parts`. Tiles waste what they do not fill, and so do waves; small tiles reuse less; operands that fit
/// the cache come from it; few tiles cannot fill the memory. Rises with each extent of a tile, and falls with peak,
/// bandwidth and units.
double gemmSeconds(const Product& product, const Machine& machine, const GemmParameters& parameters);

/// A product and the seconds that it was measured to take.
struct MeasuredProduct {
    Product product;
    double seconds = 0;
};

/// The parameters, near `start`, that make the mean |log(measured / model)| of the products smallest, with the share of
/// peak of the largest tile at most 1: coordinates are scaled up and down in turn by steps that halve, so the result is
/// the same on any machine and a little above the least.
GemmParameters fitGemm(std::span<const MeasuredProduct> products, const Machine& machine, const GemmParameters& start);

/// Parameters of one accelerator, kernel ("gemm" or "batched_gemm"), data type and source, with what they were fitted
/// on.
struct GemmFit {
    std::string_view accelerator, kernel, dtype, source;
    int leftOut = -1;   ///< the half of the shapes that the fit did not see, by `shapeHalf`; -1: it saw all
    int products = 0;   ///< that it saw
    double spread = 0;  ///< 90 % of them lie within this logarithm of the form
    GemmParameters parameters;
};

/// All fits of `fitGemm` to data/measured/kernels, each source apart: three for each accelerator, kernel, data type and
/// source, of all shapes and of either half.
std::span<const GemmFit> gemmFits();

/// The half, 0 or 1, that a shape belongs to when fits are judged: a hash of its sizes.
int shapeHalf(std::span<const double> sizes);

}  // namespace tessera::physical

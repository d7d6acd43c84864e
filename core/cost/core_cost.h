#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/quantity.h"
#include "core/cost/dataflow.h"
#include "core/hardware/architecture.h"

namespace tessera::cost {

/// `batch` independent products out[m,n] = left[m,k] * right[k,n], what a tensor core runs. A fully connected layer is
/// one product with the samples among its rows.
struct Gemm {
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    /// Distinct elements of `left` over batch * m * k: below 1 where the windows of a convolution overlap. Those are
    /// laid out on chip, so that the HBM is read for distinct elements only.
    double leftShare = 1;
    double outputShare = 1;  ///< the same of the output, where windows are added up

    bool operator==(const Gemm&) const = default;
};

/// Multiply-accumulates.
double macsOf(const Gemm& gemm);

/// A convolution (or fully connected layer) as products: a row for each sample and output pixel, a batch for each
/// group.
Gemm gemmOf(const Layer& layer);

/// Work of a vector core per element of an operator: rows of a table (`vectorKinds`).
struct VectorKind {
    std::string_view id;              ///< never changes
    std::string_view title;           ///< for people
    std::string_view steps;           ///< what is done per element, in words
    int simple = 1;                   ///< sums, products, comparisons, selections, moves: one cycle each
    int elementary = 0;               ///< divisions, roots, exp, log, tanh, erf: kElementaryCycles each
    double reads = 1;                 ///< elements read for each element of the operator
    double writes = 1;                ///< elements written
    std::string_view operators = {};  ///< types of a model's operators that do this, separated by spaces
    std::string_view gradients = {};  ///< types whose gradients do this
};

/// Cycles of a lane for an elementary function: a look-up and a polynomial of third degree (three multiply-adds). Own
/// choice; vector cores of this kind (Ghodrati et al.: "Tandem Processor", ASPLOS 2024) build them from primitives.
inline constexpr int kElementaryCycles = 4;
double cyclesPerElement(const VectorKind& kind);

std::span<const VectorKind> vectorKinds();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addVectorKind(const VectorKind& kind);
/// nullptr where there is no such row.
const VectorKind* vectorKindNamed(std::string_view id);
/// Returns what an operator of the type does, or the gradient of one; nullptr where no row names it.
const VectorKind* vectorKindOf(std::string_view op, bool gradient);

/// Work of a vector core.
struct VectorWork {
    std::int64_t elements = 1;
    double cyclesPerElement = 1;  ///< of one lane
    double reads = 0;             ///< elements
    double writes = 0;            ///< elements

    bool operator==(const VectorWork&) const = default;
};
VectorWork vectorWork(const VectorKind& kind, std::int64_t elements);

/// An operator of a layer: a product, element-wise work, or (both given) a product whose output goes straight to a
/// vector core. At least one of them is given.
struct CoreWork {
    std::optional<Gemm> gemm;
    std::optional<VectorWork> vector;

    bool operator==(const CoreWork&) const = default;
};

/// The largest extent of a product, and the maximum number of elements of vector work.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;

/// Reason why the work has no cost, a sentence without a full stop; empty where it has one.
std::string problemOf(const CoreWork& work);
/// Reason why an architecture has no cost; empty where it has one: its counts, buffers and bandwidth are above 0, the
/// sides of its array powers of two. A template's architectures have none.
std::string problemOf(const hardware::Architecture& architecture);

/// The operand that stays where it is while the others pass.
enum class Stationary : std::uint8_t { weight, output, input };
inline constexpr std::array kStationaries{Stationary::weight, Stationary::output, Stationary::input};
inline constexpr EnumNames<Stationary> kStationaryNames{"weight", "output", "input"};
constexpr std::string_view nameOf(Stationary stationary) {
    return kStationaryNames.of(stationary);
}

/// Rows, columns and the summed extent of a tile (or their split over cores).
struct Extents3 {
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;

    bool operator==(const Extents3&) const = default;
};

/// Tiling of a matrix multiplication on tensor cores. All numbers are powers of two.
struct Tiling {
    Stationary inCore = Stationary::weight;    ///< in the array and over the tiles of an L2
    Stationary inBuffer = Stationary::output;  ///< over the tiles of the global buffer
    bool transposed = false;                   ///< the array's width takes what its height takes otherwise
    Extents3 l2Tile;
    Extents3 bufferTile;
    Extents3 cores;               ///< side by side along each extent
    std::int64_t batchCores = 1;  ///< and along the batch

    bool operator==(const Tiling&) const = default;
};

/// Resource that bounds a time.
enum class Limit : std::uint8_t { compute, hbm, globalBuffer };
inline constexpr EnumNames<Limit> kLimitNames{"compute", "hbm", "global-buffer"};
constexpr std::string_view nameOf(Limit limit) {
    return kLimitNames.of(limit);
}

/// Latency, energy and traffic of an operator on one core, or on all.
struct CoreUse {
    Seconds latency;
    Joules energy;           ///< dynamic
    double cycles = 0;       ///< of the cores, if no word were late
    double hbmBytes = 0;     ///< read and written
    double globalWords = 0;  ///< between the global buffer and the cores
    Limit limit = Limit::compute;
    std::optional<Tiling> tiling;  ///< of a product

    bool operator==(const CoreUse&) const = default;
};

struct OperatorCost {
    double macs = 0;
    CoreUse oneCore;   ///< a tensor core, a vector core, or one of each
    CoreUse allCores;  ///< never slower
};

/// Achieved over possible multiply-accumulates: of all tensor cores for the given time.
double utilisation(double macs, Seconds time, const hardware::Architecture& architecture, const hardware::Rates& rates);

/// Bounds on the latencies of an operator.
struct MinTimes {
    Seconds oneCore;
    Seconds allCores;
};

class TilingMemo;

/// A way to estimate operators: rows of a table.
struct Estimator {
    std::string_view id;  ///< never changes
    std::string_view title;
    std::string_view description;
    std::span<const std::string_view> assumptions;  ///< sentences for every result that rests on it
    OperatorCost (*estimateWith)(const CoreWork&, const hardware::Architecture&, const hardware::Rates&, TilingMemo&);
    /// A latency that no core, and one that no number of cores is faster than, in a fraction of an estimate's time.
    MinTimes (*min)(const CoreWork&, const hardware::Architecture&, const hardware::Rates&);

    OperatorCost estimate(const CoreWork& work, const hardware::Architecture& architecture,
                          const hardware::Rates& rates) const;
};

/// The first row is the default.
std::span<const Estimator> estimators();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addEstimator(const Estimator& estimator);
/// nullptr where there is no such row.
const Estimator* estimatorNamed(std::string_view id);

/// A ring AllReduce of `size` bytes over `devices` equal devices: each sends 2 * (devices - 1) / devices * size.
Seconds allReduceTime(std::int64_t devices, Bytes size, BytesPerSecond bandwidth);

}  // namespace tessera::cost

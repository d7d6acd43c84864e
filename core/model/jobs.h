#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/model/graph.h"
#include "core/model/layers.h"

namespace tessera::model {

struct Model;

/// Computation of a job; the numbers are M3E's codes T.
enum class JobKind : std::uint8_t {
    ffn = 0,     ///< a fully connected layer on one row: Out, In, 1, 1, 1, 1
    conv = 1,    ///< K, C, Y, X, R, S
    dsconv = 2,  ///< depthwise: 1, C, Y, X, R, S
    gemm = 3,    ///< M, N, K, 1, 1, 1
};

inline constexpr EnumNames<JobKind> kJobKindNames{"FFN", "CONV", "DSCONV", "GEMM"};  ///< as M3E writes them
constexpr std::string_view nameOf(JobKind kind) {
    return kJobKindNames.of(kind);
}

/// A job of the multi-tenant mapper: one layer on one mini-batch (Kao, Krishna: "MAGMA", HPCA 2022, section III).
/// `d` are M3E's six sizes. Y and X are extents of the input map without padding; M3E itself knows neither strides nor
/// padding nor groups, so that a model of the published kind reads `kind` and `d` alone.
struct LayerJob {
    std::string name;
    JobKind kind = JobKind::ffn;
    std::array<std::int64_t, 6> d{1, 1, 1, 1, 1, 1};
    /// Groups of a CONV: d's C are the input channels of one group, d's K the output channels of all.
    std::int64_t groups = 1;
    std::int64_t strideY = 1;
    std::int64_t strideX = 1;
    std::int64_t dilationY = 1;
    std::int64_t dilationX = 1;
    std::int64_t padTop = 0;
    std::int64_t padBottom = 0;
    std::int64_t padLeft = 0;
    std::int64_t padRight = 0;
    /// Number of sequential runs of `d`: samples of the mini-batch for convolutions, heads times samples for products
    /// of activations, time steps for the state of a recurrent layer. All else of the job is of one run.
    std::int64_t repeats = 1;

    bool operator==(const LayerJob&) const = default;
};

/// Rows and columns of the map that one run of a CONV or DSCONV makes, from extents, padding, stride and dilation; 0
/// where the window does not fit. 1 for FFN and GEMM.
std::int64_t outputY(const LayerJob& job);
std::int64_t outputX(const LayerJob& job);

/// Multiply-accumulates of all runs. As double: exact up to 2^53, and never overflowing.
double macs(const LayerJob& job);

/// The jobs of a network for a mini-batch of `batch` samples, in order of its layers. What multiplies is a job:
/// fully connected layers are FFN where they see one row in all and GEMM else (rows of all samples at once, so that
/// weights are fetched once); convolutions are CONV or DSCONV; products of activations (attention) are GEMM, once per
/// head and sample; a recurrent layer is two jobs, "NAME.input" with all time steps at once and "NAME.state" step by
/// step and direction by direction. Look-ups in tables and joins are none. A transposed convolution is the convolution
/// of stride 1 with as many multiply-accumulates (one window per pixel of its input).
/// The multiply-accumulates of the jobs sum up to those of the network. Throws DataError where a shape that is needed
/// is unknown, UsageError for a batch below 1.
std::vector<LayerJob> jobsOf(const Graph& graph, std::int64_t batch);
/// The job of a layer; none for a look-up or a join without multiplications. Strides and padding are those that lead
/// from the map read to the map made. A recurrent layer is one job with all time steps at once.
std::optional<LayerJob> jobOf(const Layer& layer, std::int64_t batch);
/// The jobs of all layers of a table (see jobOf).
std::vector<LayerJob> jobsOf(const LayerGraph& layers, std::int64_t batch);
/// Jobs of a model, whichever form it has; errors name its file.
std::vector<LayerJob> jobsOf(const Model& model, std::int64_t batch);

}  // namespace tessera::model

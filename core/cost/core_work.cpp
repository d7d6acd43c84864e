// What cores are asked to do: products, and element-wise work by a table of cycles.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/cost/core_cost.h"

namespace tessera::cost {

namespace {

/// Every row, and those that a program brings.
std::vector<VectorKind>& allVectorKinds() {
    static std::vector<VectorKind> rows{
        {"move", "Move", "move", 1, 0, 1, 1},
        {"add", "Addition", "add", 1, 0, 2, 1, "Add Sub"},
        {"multiply", "Multiplication", "multiply", 1, 0, 2, 1, "Mul"},
        {"divide", "Division", "divide", 0, 1, 2, 1, "Div"},
        {"scale", "Scaling by a number", "multiply", 1, 0, 1, 1},
        {"bias", "Bias", "add", 1, 0, 1, 1},
        {"mask", "Mask", "select", 1, 0, 2, 1, "Where", "Where"},
        {"reduce", "Sum", "add", 1, 0, 1, 0, "ReduceSum"},
        {"relu", "ReLU", "compare", 1, 0, 1, 1, "Relu"},
        {"relu-gradient", "ReLU, backward", "select", 1, 0, 2, 1, "", "Relu"},
        {"tanh", "Tanh", "tanh", 0, 1, 1, 1, "Tanh"},
        {"tanh-gradient", "Tanh, backward", "square, subtract, multiply", 3, 0, 2, 1, "", "Tanh"},
        {"sigmoid", "Sigmoid", "exp, add, divide", 1, 2, 1, 1, "Sigmoid"},
        {"sigmoid-gradient", "Sigmoid, backward", "subtract, multiply, multiply", 3, 0, 2, 1, "", "Sigmoid"},
        {"silu", "SiLU", "exp, add, divide, multiply", 2, 2, 1, 1},
        {"silu-gradient", "SiLU, backward", "exp, add, divide, subtract, multiply, add, multiply, multiply", 6, 2, 2,
         1},
        {"gelu", "GELU", "multiply, erf, add, multiply, multiply", 4, 1, 1, 1, "Gelu FastGelu BiasGelu"},
        {"gelu-gradient", "GELU, backward",
         "multiply, erf, add, multiply, square, multiply, exp, multiply, multiply, add, multiply", 9, 2, 2, 1, "",
         "Gelu FastGelu BiasGelu"},
        {"dropout", "Dropout", "draw, compare, multiply; the mask is kept", 3, 0, 1, 2, "Dropout"},
        {"dropout-gradient", "Dropout, backward", "multiply", 1, 0, 2, 1, "", "Dropout"},
        {"softmax", "Softmax", "compare, subtract, exp, add, multiply by the sum's inverse", 4, 1, 1, 1, "Softmax"},
        {"softmax-gradient", "Softmax, backward", "multiply, add, subtract, multiply", 4, 0, 2, 1, "", "Softmax"},
        {"layer-norm", "Layer normalisation", "add, subtract, square, add, multiply by 1/sqrt, scale, shift", 7, 0, 1,
         1, "LayerNormalization"},
        {"layer-norm-gradient", "Layer normalisation, backward",
         "subtract, multiply by 1/sqrt, scale, add, multiply, add, subtract, multiply, subtract, multiply by "
         "1/sqrt; multiply and add for the scale, add for the shift",
         13, 0, 2, 1, "", "LayerNormalization"},
        {"rms-norm", "RMS normalisation", "square, add, multiply by 1/sqrt, scale", 4, 0, 1, 1,
         "RMSNormalization SimplifiedLayerNormalization"},
        {"rms-norm-gradient", "RMS normalisation, backward",
         "multiply by 1/sqrt, scale, multiply, add, multiply, subtract, multiply by 1/sqrt; multiply and add for "
         "the scale",
         9, 0, 2, 1, "", "RMSNormalization SimplifiedLayerNormalization"},
        {"embedding", "Embedding", "move", 1, 0, 1, 1},
        {"embedding-gradient", "Embedding, backward", "add", 1, 0, 2, 1},
        {"cross-entropy", "Cross entropy", "compare, subtract, exp, add", 3, 1, 1, 0},
        {"cross-entropy-gradient", "Cross entropy, backward", "subtract, exp, multiply by the sum's inverse, subtract",
         3, 1, 1, 1},
        {"sgd", "SGD update", "multiply, subtract", 2, 0, 2, 1},
        {"momentum", "Momentum update", "multiply, add, multiply, subtract", 4, 0, 3, 2},
        {"adam", "Adam update",
         "multiply, multiply, add for the mean; square, multiply, multiply, add for the variance; multiply, "
         "multiply for their bias; root, add, divide, multiply, subtract",
         12, 2, 4, 3},
    };
    return rows;
}

bool isAmong(std::string_view op, std::string_view types) {
    const std::vector<std::string_view> all = split(types, ' ');
    return !op.empty() && std::find(all.begin(), all.end(), op) != all.end();
}

}  // namespace

double macsOf(const Gemm& gemm) {
    return real(gemm.batch) * real(gemm.m) * real(gemm.n) * real(gemm.k);
}

Gemm gemmOf(const Layer& layer) {
    const bool depthwise = layer.kind == LayerKind::dsconv;
    const std::int64_t groups = depthwise ? layer.c : layer.groups;
    Gemm gemm{.batch = groups,
              .m = layer.batch * outputRows(layer) * outputColumns(layer),
              .n = depthwise ? 1 : layer.k / groups,
              .k = layer.c / groups * layer.r * layer.s};
    const double unfolded = real(gemm.batch) * real(gemm.m) * real(gemm.k);
    gemm.leftShare = std::min(1.0, inputElements(layer) / unfolded);
    return gemm;
}

double cyclesPerElement(const VectorKind& kind) {
    return kind.simple + kElementaryCycles * kind.elementary;
}

std::span<const VectorKind> vectorKinds() {
    return allVectorKinds();
}

void addVectorKind(const VectorKind& kind) {
    allVectorKinds().push_back(kind);
}

const VectorKind* vectorKindNamed(std::string_view id) {
    return findRow(allVectorKinds(), id);
}

const VectorKind* vectorKindOf(std::string_view op, bool gradient) {
    for (const VectorKind& kind : allVectorKinds())
        if (isAmong(op, gradient ? kind.gradients : kind.operators)) return &kind;
    return nullptr;
}

VectorWork vectorWork(const VectorKind& kind, std::int64_t elements) {
    return {.elements = elements,
            .cyclesPerElement = cyclesPerElement(kind),
            .reads = kind.reads * real(elements),
            .writes = kind.writes * real(elements)};
}

std::string problemOf(const CoreWork& work) {
    if (!work.gemm && !work.vector) return "there is neither a product nor element-wise work";
    const auto outside = [](std::int64_t extent) { return extent < 1 || extent > kLargestExtent; };
    const auto share = [](double value) { return value > 0 && value <= 1; };
    if (work.gemm) {
        const Gemm& gemm = *work.gemm;
        for (const std::int64_t extent : {gemm.batch, gemm.m, gemm.n, gemm.k})
            if (outside(extent)) return fmt::format("an extent is {}; it must be from 1 to 2^40", extent);
        if (!share(gemm.leftShare) || !share(gemm.outputShare))
            return "a share of distinct elements is not above 0 and at most 1";
    }
    if (work.vector) {
        const VectorWork& vector = *work.vector;
        if (outside(vector.elements))
            return fmt::format("there are {} elements; there must be from 1 to 2^40", vector.elements);
        if (!(vector.cyclesPerElement > 0) || !(vector.reads >= 0) || !(vector.writes >= 0))
            return "cycles of an element must be above 0, elements read and written not below 0";
    }
    return {};
}

std::string problemOf(const hardware::Architecture& architecture) {
    if (architecture.tensorCores < 1 || architecture.vectorCores < 1) return "it has no tensor core, or no vector core";
    for (const std::int64_t side : {architecture.width, architecture.height})
        if (side < 1 || !std::has_single_bit(static_cast<std::uint64_t>(side)))
            return fmt::format("a side of its array is {}; it must be a power of two", side);
    for (const Bytes buffer : {architecture.globalBuffer, architecture.tensorL2, architecture.vectorL2})
        if (!(buffer.value > 0)) return "a buffer holds nothing";
    if (!(architecture.globalWords > 0)) return "its global buffer has no bandwidth";
    return {};
}

double utilisation(double macs, Seconds time, const hardware::Architecture& architecture,
                   const hardware::Rates& rates) {
    return macs / (time.value * rates.clock.value * peakMacs(architecture));
}

Seconds allReduceTime(std::int64_t devices, Bytes size, BytesPerSecond bandwidth) {
    assert(devices >= 1);
    return 2.0 * (real(devices - 1) / real(devices)) * size / bandwidth;
}

}  // namespace tessera::cost

#include "core/physical/kernel_forms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/statistics.h"

namespace tessera::physical {
namespace {

constexpr std::string_view kConvSizes =
    "samples x channels x height x width x filters x kernel height x kernel width x stride x groups";
constexpr std::string_view kRecurrentSizes = "words x samples x inputs x outputs";
constexpr std::string_view kElementSizes = "elements, or elements x 1";
constexpr std::array<KernelKind, 22> kKernelKinds{{
    {"gemm", KernelFamily::product, 3, 3, "rows x columns x inner"},
    {"batched_gemm", KernelFamily::product, 4, 4, "batches x rows x columns x inner"},
    {"attention", KernelFamily::attention, 5, 5, "samples x query heads x key-value heads x sequence x head size"},
    {"softmax", KernelFamily::normalization, 2, 2, "rows x columns"},
    {"layernormalization", KernelFamily::normalization, 2, 2, "rows x columns"},
    {"rmsnormalization", KernelFamily::normalization, 2, 2, "rows x columns"},
    {"add", KernelFamily::elementwise, 1, 2, kElementSizes},
    {"mul", KernelFamily::elementwise, 1, 2, kElementSizes},
    {"div", KernelFamily::elementwise, 1, 2, kElementSizes},
    {"pow", KernelFamily::elementwise, 1, 2, kElementSizes},
    {"relu", KernelFamily::elementwise, 1, 1, "elements"},
    {"tanh", KernelFamily::elementwise, 1, 1, "elements"},
    {"gelu", KernelFamily::elementwise, 1, 1, "elements"},
    {"conv", KernelFamily::convolution, 9, 9, kConvSizes},
    {"conv_input_gradient", KernelFamily::convolution, 9, 9, kConvSizes},
    {"conv_weight_gradient", KernelFamily::convolution, 9, 9, kConvSizes},
    {"rnn", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 1},
    {"gru", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 3},
    {"lstm", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 4},
    {"rnn_gradient", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 2},
    {"gru_gradient", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 6},
    {"lstm_gradient", KernelFamily::recurrent, 4, 4, kRecurrentSizes, 8},
}};

/// The operations on two operands read both where the second is no number.
double operandsOf(const KernelKind& kind, std::span<const double> shape) {
    return kind.maxSizes == 2 && shape.size() == 1 ? 3 : 2;
}

struct ConvolutionSizes {
    double positions, inputs, outputs, weights;  // elements but positions, which are those of a filter over all samples
    Product product;
    bool isThreeByThree;
};

ConvolutionSizes convolutionSizes(std::string_view name, std::span<const double> shape, double bytes) {
    const double samples = shape[0], channels = shape[1], height = shape[2], width = shape[3], filters = shape[4];
    const double window = shape[5] * shape[6], stride = shape[7], groups = shape[8];
    const double positions =
        samples * (std::floor((height - shape[5]) / stride) + 1) * (std::floor((width - shape[6]) / stride) + 1);
    ConvolutionSizes sizes{positions,
                           samples * channels * height * width,
                           positions * filters,
                           filters * channels * window / groups,
                           {},
                           shape[5] == 3 && shape[6] == 3 && stride == 1};
    const double inner = channels * window / groups, columns = filters / groups;
    sizes.product = {groups, positions, columns, inner, bytes, bytes};
    if (name == "conv_input_gradient") std::swap(sizes.product.n, sizes.product.k);
    if (name == "conv_weight_gradient") std::swap(sizes.product.m, sizes.product.k);
    return sizes;
}

KernelTerms attentionTerms(std::span<const double> shape, const KernelPlace& place) {
    const double samples = shape[0], heads = shape[1], sequence = shape[3], head = shape[4];
    const double units = place.machine.units, blocks = samples * heads * std::ceil(sequence / 128);
    const double waves = std::ceil(blocks / units) * units;
    const double flop = waves * 2 * 128 * sequence * head / place.machine.peak;
    const double bytes = samples * sequence * head * 2 * (heads + shape[2]) * place.bytes;
    return {1e-6, flop, flop * 128 / sequence, flop * 64 / head, bytes / place.machine.bandwidth};
}

KernelTerms memoryTerms(double bytes, double rows, const KernelPlace& place) {
    const double outside = std::clamp(bytes / (0.7 * place.machine.cache) - 0.5, 0.0, 1.0);
    const double seconds = bytes / place.machine.bandwidth;
    return {1e-6, seconds * outside, seconds * (1 - outside), 1e-8 * rows / place.machine.units, 0};
}

KernelTerms convolutionTerms(std::string_view name, std::span<const double> shape, const KernelPlace& place) {
    const ConvolutionSizes sizes = convolutionSizes(name, shape, place.bytes);
    GemmParameters parameters = place.gemm;
    parameters.launch = 0;
    const double product = gemmSeconds(sizes.product, place.machine, parameters);
    const double bytes = (sizes.inputs + sizes.outputs + sizes.weights) * place.bytes;
    const double flop = 2 * sizes.positions * sizes.weights / place.machine.peak;
    return {1e-6, sizes.isThreeByThree ? product : 0, sizes.isThreeByThree ? 0 : product,
            bytes / place.machine.bandwidth, flop};
}

KernelTerms recurrentTerms(const KernelKind& kind, std::span<const double> shape, const KernelPlace& place) {
    const double words = shape[0], samples = shape[1], inputs = shape[2], outputs = shape[3];
    GemmParameters parameters = place.gemm;
    parameters.launch = 0;
    const Product step{1, samples, kind.gates * outputs, outputs, place.bytes, place.bytes};
    const double weights = kind.gates * outputs * (inputs + outputs) * place.bytes;
    const double flop = kernelFlop(kind, shape) / place.machine.peak;
    return {words * 1e-6, words * gemmSeconds(step, place.machine, parameters), flop,
            words * weights / place.machine.bandwidth, 1e-6};
}

using TermMatrix = std::array<std::array<double, 6>, 5>;

/// Normal equations of relative errors: sum of terms / seconds against 1.
TermMatrix normalEquations(std::span<const MeasuredTerms> kernels) {
    TermMatrix matrix{};
    for (const auto& [terms, seconds] : kernels)
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const double share = terms[i] / seconds;
            for (std::size_t j = 0; j < terms.size(); ++j) matrix[i][j] += share * terms[j] / seconds;
            matrix[i].back() += share;
        }
    return matrix;
}

/// The solution in which only the terms of `chosen` (bits) count; nothing where they depend on each other.
std::optional<KernelTerms> solvedFor(TermMatrix matrix, unsigned chosen) {
    KernelTerms solution{};
    for (std::size_t i = 0; i < solution.size(); ++i) {
        if ((chosen >> i & 1) == 0) continue;
        const double pivot = matrix[i][i];
        if (!(pivot > 1e-12)) return std::nullopt;
        for (std::size_t row = 0; row < solution.size(); ++row) {
            if (row == i || (chosen >> row & 1) == 0) continue;
            const double factor = matrix[row][i] / pivot;
            for (std::size_t column = i; column < matrix[row].size(); ++column)
                matrix[row][column] -= factor * matrix[i][column];
        }
    }
    for (std::size_t i = 0; i < solution.size(); ++i)
        if ((chosen >> i & 1) != 0) solution[i] = matrix[i].back() / matrix[i][i];
    return solution;
}

double squaredErrors(std::span<const MeasuredTerms> kernels, const KernelTerms& coefficients) {
    double sum = 0;
    for (const auto& [terms, seconds] : kernels) {
        const double error = secondsOf(terms, coefficients) / seconds - 1;
        sum += error * error;
    }
    return sum;
}

double medianFactor(std::span<const MeasuredTerms> kernels, const KernelTerms& coefficients) {
    std::vector<double> factors;
    for (const auto& [terms, seconds] : kernels) factors.push_back(seconds / secondsOf(terms, coefficients));
    return medianOf(std::move(factors));
}

}  // namespace

const KernelKind* kernelKind(std::string_view name) {
    const auto* found = std::find_if(kKernelKinds.begin(), kKernelKinds.end(),
                                     [&](const KernelKind& kind) { return kind.name == name; });
    return found == kKernelKinds.end() ? nullptr : &*found;
}

Product productOf(std::span<const double> shape, double bytes) {
    const bool batched = shape.size() == 4;
    const std::span<const double> sizes = shape.subspan(batched ? 1 : 0);
    // Results of 8-bit products are written in 16 bits.
    return {batched ? shape[0] : 1, sizes[0], sizes[1], sizes[2], bytes, std::max(bytes, 2.0)};
}

FittedForm fittedForm(const hardware::KernelFit& fit) {
    FittedForm form{.family = fit.family, .dtype = fit.dtype, .spread = fit.spread};
    const std::span<const hardware::KernelParameter> names = hardware::kernelParameters(fit.family);
    const bool isProduct = fit.family == KernelFamily::product;
    if (!isProduct) form.coefficients = {};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = fit.parameters.find(std::string(names[i].key));
        if (found == fit.parameters.end()) continue;
        (isProduct ? form.products.*kGemmMembers[i] : form.coefficients[i]) = found->second;
    }
    return form;
}

std::map<std::string, double> parametersOf(const FittedForm& form) {
    std::map<std::string, double> parameters;
    const std::span<const hardware::KernelParameter> names = hardware::kernelParameters(form.family);
    const bool isProduct = form.family == KernelFamily::product;
    for (std::size_t i = 0; i < names.size(); ++i)
        parameters[std::string(names[i].key)] = isProduct ? form.products.*kGemmMembers[i] : form.coefficients[i];
    return parameters;
}

KernelTerms kernelTerms(const KernelKind& kind, std::span<const double> shape, const KernelPlace& place) {
    switch (kind.family) {
        case KernelFamily::product:
            return {gemmSeconds(productOf(shape, place.bytes), place.machine, place.gemm)};
        case KernelFamily::attention:
            return attentionTerms(shape, place);
        case KernelFamily::elementwise:
            return memoryTerms(operandsOf(kind, shape) * shape[0] * place.bytes, 0, place);
        case KernelFamily::normalization:
            return memoryTerms(2 * shape[0] * shape[1] * place.bytes, shape[0], place);
        case KernelFamily::convolution:
            return convolutionTerms(kind.name, shape, place);
        case KernelFamily::recurrent:
            return recurrentTerms(kind, shape, place);
    }
    return {};
}

double kernelFlop(const KernelKind& kind, std::span<const double> shape) {
    if (kind.family == KernelFamily::product) {
        double flop = 2;
        for (const double size : shape) flop *= size;
        return flop;
    }
    if (kind.family == KernelFamily::attention) return 2 * shape[0] * shape[1] * shape[3] * shape[3] * shape[4];
    if (kind.family == KernelFamily::recurrent)
        return 2 * shape[0] * shape[1] * kind.gates * shape[3] * (shape[2] + shape[3]);
    if (kind.family != KernelFamily::convolution) return 0;
    const ConvolutionSizes sizes = convolutionSizes(kind.name, shape, 2);
    return 2 * sizes.positions * sizes.weights;
}

KernelTerms fitTerms(std::span<const MeasuredTerms> kernels) {
    const TermMatrix matrix = normalEquations(kernels);
    KernelTerms best{};
    double min = std::numeric_limits<double>::infinity();
    // Five terms: all sets of those above 0 are few.
    for (unsigned chosen = 1; chosen < 1U << best.size(); ++chosen) {
        const std::optional<KernelTerms> solution = solvedFor(matrix, chosen);
        if (!solution || *std::min_element(solution->begin(), solution->end()) < 0) continue;
        const double errors = squaredErrors(kernels, *solution);
        if (!(errors < min)) continue;
        min = errors;
        best = *solution;
    }
    return min < std::numeric_limits<double>::infinity() ? scaledTerms(kernels, best) : best;
}

KernelTerms scaledTerms(std::span<const MeasuredTerms> kernels, KernelTerms coefficients) {
    if (kernels.empty()) return coefficients;
    const double factor = medianFactor(kernels, coefficients);
    for (double& coefficient : coefficients) coefficient *= factor;
    return coefficients;
}

double secondsOf(const KernelTerms& terms, const KernelTerms& coefficients) {
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) sum += terms[i] * coefficients[i];
    return sum;
}

}  // namespace tessera::physical

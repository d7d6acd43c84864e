#include "core/calibrate/kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <numeric>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/names.h"

namespace tessera::calibrate {

namespace {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using Dims = memory::dims;
using Sizes = predict::KernelTable::Sizes;
using Arguments = std::unordered_map<int, memory>;

constexpr std::size_t kTensorAlignment = 64;
constexpr std::size_t kMaxSets = 16;
constexpr float kEpsilon = 1e-5F;
constexpr float kSlope = 0.01F;  // of a leaky ReLU
constexpr auto kScaleShift = dnnl::normalization_flags::use_scale_shift;

/// Bytes for operands, as many as a kernel's sets of them need. Asked for once, touched where used.
class Pool {
public:
    explicit Pool(std::size_t bytes) : size_(bytes) {
        void* const place =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) throw std::bad_alloc();
        start_ = static_cast<char*>(place);
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() { munmap(start_, size_); }

    void clear() { used_ = 0; }
    std::size_t used() const { return used_; }
    std::size_t size() const { return size_; }

    /// Null where the pool is used up. Small positive numbers: zeros and denormals take other times.
    void* take(std::size_t bytes, dnnl_data_type_t type) {
        const std::size_t whole = (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
        if (whole > size_ - used_) return nullptr;
        char* const place = start_ + used_;
        used_ += whole;
        if (type == dnnl_f32)
            fill(place, bytes, numbers_);
        else if (type == dnnl_bf16)
            fill(place, bytes, halves_);
        else
            std::memset(place, 1, bytes);
        return place;
    }

private:
    static constexpr std::size_t kNumbers = 4096;

    template <typename Number>
    static void fill(char* place, std::size_t bytes, const std::array<Number, kNumbers>& numbers) {
        for (std::size_t at = 0; at < bytes; at += sizeof(numbers))
            std::memcpy(place + at, numbers.data(), std::min(sizeof(numbers), bytes - at));
    }
    static std::array<float, kNumbers> numbers() {
        std::array<float, kNumbers> made{};
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] = 0.5F + static_cast<float>((i * 2654435761U >> 8U) & 0xFFU) / 512.0F;
        return made;
    }
    /// The same as bfloat16: the upper half of a float's bits.
    static std::array<std::uint16_t, kNumbers> halves(const std::array<float, kNumbers>& numbers) {
        std::array<std::uint16_t, kNumbers> made{};
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(numbers[i]) >> 16U);
        return made;
    }

    std::array<float, kNumbers> numbers_ = numbers();
    std::array<std::uint16_t, kNumbers> halves_ = halves(numbers_);
    char* start_ = nullptr;
    std::size_t size_;
    std::size_t used_ = 0;
};

/// Thrown where the pool cannot hold a kernel's operands.
struct TooLarge {};

struct Step {
    dnnl::primitive primitive;
    Arguments arguments;
};

/// What one repetition runs on one set of operands.
using Steps = std::vector<Step>;

memory::data_type typeOf(const std::string& dtype) {
    if (dtype == "bf16") return memory::data_type::bf16;
    if (dtype == "int8") return memory::data_type::s8;
    return memory::data_type::f32;
}

/// The same dimensions, in the layout that a primitive likes best.
memory::desc anyLayout(const memory::desc& row) {
    return {row.dims(), row.data_type(), memory::format_tag::any};
}

/// Row-major.
memory::desc plain(const Dims& dims, memory::data_type type) {
    Dims strides(dims.size(), 1);
    for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
    return {dims, type, strides};
}

/// Builds the steps of one set of operands.
class Builder {
public:
    Builder(const dnnl::engine& engine, Pool& pool) : engine_(engine), pool_(pool) {}

    memory operand(const memory::desc& desc) {
        void* const place = pool_.take(desc.get_size(), desc.data.data_type);
        if (place == nullptr) throw TooLarge{};
        return {desc, engine_, place};
    }
    void run(const dnnl::primitive& primitive, Arguments arguments) {
        steps_.push_back({primitive, std::move(arguments)});
    }
    /// A row-major operand, brought into the layout that a primitive wants.
    memory input(const memory::desc& row, const memory::desc& wanted) {
        const memory given = operand(row);
        if (row == wanted) return given;
        const memory inside = operand(wanted);
        run(dnnl::reorder(given, inside), {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, inside}});
        return inside;
    }
    /// Where a primitive writes; `finish` brings it back.
    memory output(const memory::desc& row, const memory::desc& wanted) {
        const memory inside = operand(wanted);
        if (!(row == wanted)) leaving_.emplace_back(inside, operand(row));
        return inside;
    }
    Steps finish() {
        for (const auto& [inside, outside] : leaving_)
            run(dnnl::reorder(inside, outside), {{DNNL_ARG_FROM, inside}, {DNNL_ARG_TO, outside}});
        return std::move(steps_);
    }

private:
    const dnnl::engine& engine_;
    Pool& pool_;
    Steps steps_;
    std::vector<std::pair<memory, memory>> leaving_;
};

/// Adds the steps of one repetition. Its primitives are made before.
using AddSteps = std::function<void(Builder&)>;

struct KernelRequest {
    const dnnl::engine& engine;
    std::string_view kernel;
    memory::data_type type;
    Dims sizes;
    bool backward = false;  ///< the name ends with "_gradient"
};

/// A family of kernels: which names and how many axes it answers to.
struct Family {
    std::string_view name;
    std::size_t axes;
    bool hasGradient;
    AddSteps (*make)(const KernelRequest& request);
};

// Convolutions --------------------------------------------------------------------------------------------------------

/// Samples, channels, height and width under the windows, filters, kernel height and width, stride, groups.
struct Convolution {
    Dims strides, padding;
    memory::desc source, weights, result;  ///< row-major
    explicit Convolution(const KernelRequest& request) {
        const Dims& s = request.sizes;
        const auto half = [](memory::dim kernel, memory::dim covered) {
            const memory::dim pad = (kernel - 1) / 2;
            return covered - 2 * pad >= 1 ? pad : 0;
        };
        padding = {half(s[5], s[2]), half(s[6], s[3])};
        strides = {s[7], s[7]};
        source = plain({s[0], s[1], s[2] - 2 * padding[0], s[3] - 2 * padding[1]}, request.type);
        result = plain({s[0], s[4], (s[2] - s[5]) / s[7] + 1, (s[3] - s[6]) / s[7] + 1}, request.type);
        weights = plain(s[8] > 1 ? Dims{s[8], s[4] / s[8], s[1] / s[8], s[5], s[6]} : Dims{s[4], s[1], s[5], s[6]},
                        request.type);
    }
    static bool valid(const Dims& s) { return s[2] >= s[5] && s[3] >= s[6] && s[1] % s[8] == 0 && s[4] % s[8] == 0; }

    dnnl::convolution_forward::primitive_desc forward(const dnnl::engine& engine, bool biased) const {
        const memory::desc bias = biased ? anyLayout(plain({result.dims()[1]}, result.data_type())) : memory::desc();
        return {{prop_kind::forward_training, algorithm::convolution_direct, anyLayout(source), anyLayout(weights),
                 bias, anyLayout(result), strides, padding, padding},
                engine};
    }
    /// Of one of the two backward passes.
    template <typename Backward>
    typename Backward::primitive_desc backward(const dnnl::engine& engine) const {
        return {{algorithm::convolution_direct, anyLayout(source), anyLayout(weights), anyLayout(result), strides,
                 padding, padding},
                engine,
                forward(engine, false)};
    }
};

AddSteps convolve(const KernelRequest& request) {
    if (!Convolution::valid(request.sizes)) return {};
    const Convolution shape(request);
    const auto inside = shape.forward(request.engine, true);
    const dnnl::convolution_forward run(inside);
    return [=](Builder& steps) {
        const memory source = steps.input(shape.source, inside.src_desc());
        const memory weights = steps.input(shape.weights, inside.weights_desc());
        const memory bias = steps.operand(inside.bias_desc());
        const memory result = steps.output(shape.result, inside.dst_desc());
        steps.run(run,
                  {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, result}});
    };
}

AddSteps convBackwardData(const KernelRequest& request) {
    if (!Convolution::valid(request.sizes)) return {};
    const Convolution shape(request);
    const auto inside = shape.backward<dnnl::convolution_backward_data>(request.engine);
    const dnnl::convolution_backward_data run(inside);
    return [=](Builder& steps) {
        const memory gradient = steps.input(shape.result, inside.diff_dst_desc());
        const memory weights = steps.input(shape.weights, inside.weights_desc());
        const memory result = steps.output(shape.source, inside.diff_src_desc());
        steps.run(run, {{DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_SRC, result}});
    };
}

AddSteps convBackwardWeights(const KernelRequest& request) {
    if (!Convolution::valid(request.sizes)) return {};
    const Convolution shape(request);
    const auto inside = shape.backward<dnnl::convolution_backward_weights>(request.engine);
    const dnnl::convolution_backward_weights run(inside);
    return [=](Builder& steps) {
        const memory source = steps.input(shape.source, inside.src_desc());
        const memory gradient = steps.input(shape.result, inside.diff_dst_desc());
        const memory result = steps.output(shape.weights, inside.diff_weights_desc());
        steps.run(run, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_DIFF_WEIGHTS, result}});
    };
}

// Products of matrices ------------------------------------------------------------------------------------------------

/// Batches × rows × columns × inner; without batches where there are none.
dnnl::matmul::primitive_desc productOf(const dnnl::engine& engine, const Dims& batches, memory::dim rows,
                                       memory::dim columns, memory::dim inner, memory::data_type type) {
    const auto matrix = [&](memory::dim height, memory::dim width, memory::data_type each) {
        Dims dims = batches;
        dims.push_back(height);
        dims.push_back(width);
        return plain(dims, each);
    };
    const memory::data_type sum = type == memory::data_type::s8 ? memory::data_type::s32 : type;
    return {{matrix(rows, inner, type), matrix(inner, columns, type), matrix(rows, columns, sum)}, engine};
}

void addProduct(Builder& steps, const dnnl::matmul& run, const dnnl::matmul::primitive_desc& inside) {
    steps.run(run, {{DNNL_ARG_SRC, steps.operand(inside.src_desc())},
                    {DNNL_ARG_WEIGHTS, steps.operand(inside.weights_desc())},
                    {DNNL_ARG_DST, steps.operand(inside.dst_desc())}});
}

AddSteps matmul(const KernelRequest& request) {
    const Dims& s = request.sizes;
    const bool batched = s.size() == 4;
    const auto inside = batched ? productOf(request.engine, {s[0]}, s[1], s[2], s[3], request.type)
                                : productOf(request.engine, {}, s[0], s[1], s[2], request.type);
    const dnnl::matmul run(inside);
    return [=](Builder& steps) { addProduct(steps, run, inside); };
}

/// Heads × words × width of one: scores, their softmax, and the words that they choose.
AddSteps attention(const KernelRequest& request) {
    const Dims& s = request.sizes;
    const auto scores = productOf(request.engine, {s[0]}, s[1], s[1], s[2], request.type);
    const auto chosen = productOf(request.engine, {s[0]}, s[1], s[2], s[1], request.type);
    const dnnl::softmax_forward::primitive_desc shares({prop_kind::forward_training, scores.dst_desc(), 2},
                                                       request.engine);
    const dnnl::matmul score(scores), choose(chosen);
    const dnnl::softmax_forward share(shares);
    return [=](Builder& steps) {
        const memory raw = steps.operand(scores.dst_desc()), weighted = steps.operand(scores.dst_desc());
        steps.run(score, {{DNNL_ARG_SRC, steps.operand(scores.src_desc())},
                          {DNNL_ARG_WEIGHTS, steps.operand(scores.weights_desc())},
                          {DNNL_ARG_DST, raw}});
        steps.run(share, {{DNNL_ARG_SRC, raw}, {DNNL_ARG_DST, weighted}});
        steps.run(choose, {{DNNL_ARG_SRC, weighted},
                           {DNNL_ARG_WEIGHTS, steps.operand(chosen.weights_desc())},
                           {DNNL_ARG_DST, steps.operand(chosen.dst_desc())}});
    };
}

/// The operands of one recurrent layer in one direction, row-major: words × samples × inputs × outputs.
struct Recurrence {
    memory::desc in, out, state, weightsIn, weightsState;
    memory::desc cell, bias;  ///< sums: floats whatever the others are
    Recurrence(const Dims& s, memory::data_type type)
        : in(plain({s[0], s[1], s[2]}, type)),
          out(plain({s[0], s[1], s[3]}, type)),
          state(plain({1, 1, s[1], s[3]}, type)),
          weightsIn(plain({1, 1, s[2], 4, s[3]}, type)),
          weightsState(plain({1, 1, s[3], 4, s[3]}, type)),
          cell(plain({1, 1, s[1], s[3]}, memory::data_type::f32)),
          bias(plain({1, 1, 4, s[3]}, memory::data_type::f32)) {}
};

Arguments recurrenceArguments(const Recurrence& of, const dnnl::lstm_forward::primitive_desc& inside, Builder& steps) {
    return {{DNNL_ARG_SRC_LAYER, steps.operand(of.in)},
            {DNNL_ARG_SRC_ITER, steps.operand(of.state)},
            {DNNL_ARG_SRC_ITER_C, steps.operand(of.cell)},
            {DNNL_ARG_WEIGHTS_LAYER, steps.input(of.weightsIn, inside.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER, steps.input(of.weightsState, inside.weights_iter_desc())},
            {DNNL_ARG_BIAS, steps.operand(of.bias)},
            {DNNL_ARG_DST_LAYER, steps.operand(of.out)},
            {DNNL_ARG_DST_ITER, steps.operand(of.state)},
            {DNNL_ARG_DST_ITER_C, steps.operand(of.cell)},
            {DNNL_ARG_WORKSPACE, steps.operand(inside.workspace_desc())}};
}

AddSteps recurBack(const KernelRequest& request, const Recurrence& of,
                   const dnnl::lstm_forward::primitive_desc& inside) {
    const Recurrence gradient(request.sizes, memory::data_type::f32);
    const dnnl::lstm_backward::primitive_desc back(
        {prop_kind::backward, dnnl::rnn_direction::unidirectional_left2right,
         // What the forward pass had …
         of.in, of.state, of.cell, anyLayout(of.weightsIn), anyLayout(of.weightsState), of.bias, of.out, of.state,
         of.cell,
         // … and the gradients of all that.
         gradient.in, gradient.state, gradient.cell, anyLayout(gradient.weightsIn), anyLayout(gradient.weightsState),
         gradient.bias, gradient.out, gradient.state, gradient.cell},
        request.engine, inside);
    const dnnl::lstm_backward run(back);
    return [=](Builder& steps) {
        Arguments arguments = recurrenceArguments(of, inside, steps);
        arguments[DNNL_ARG_WEIGHTS_LAYER] = steps.input(of.weightsIn, back.weights_layer_desc());
        arguments[DNNL_ARG_WEIGHTS_ITER] = steps.input(of.weightsState, back.weights_iter_desc());
        for (const auto& [argument, desc] :
             std::initializer_list<std::pair<int, memory::desc>>{{DNNL_ARG_DIFF_SRC_LAYER, gradient.in},
                                                                 {DNNL_ARG_DIFF_SRC_ITER, gradient.state},
                                                                 {DNNL_ARG_DIFF_SRC_ITER_C, gradient.cell},
                                                                 {DNNL_ARG_DIFF_BIAS, gradient.bias},
                                                                 {DNNL_ARG_DIFF_DST_LAYER, gradient.out},
                                                                 {DNNL_ARG_DIFF_DST_ITER, gradient.state},
                                                                 {DNNL_ARG_DIFF_DST_ITER_C, gradient.cell}})
            arguments[argument] = steps.operand(desc);
        arguments[DNNL_ARG_DIFF_WEIGHTS_LAYER] = steps.output(gradient.weightsIn, back.diff_weights_layer_desc());
        arguments[DNNL_ARG_DIFF_WEIGHTS_ITER] = steps.output(gradient.weightsState, back.diff_weights_iter_desc());
        steps.run(run, std::move(arguments));
    };
}

/// Words × samples × inputs × outputs of one layer in one direction.
AddSteps lstm(const KernelRequest& request) {
    const Recurrence of(request.sizes, request.type);
    const dnnl::lstm_forward::primitive_desc inside(
        {prop_kind::forward_training, dnnl::rnn_direction::unidirectional_left2right, of.in, of.state, of.cell,
         anyLayout(of.weightsIn), anyLayout(of.weightsState), of.bias, of.out, of.state, of.cell},
        request.engine);
    if (request.backward) return recurBack(request, of, inside);
    const dnnl::lstm_forward run(inside);
    return [=](Builder& steps) { steps.run(run, recurrenceArguments(of, inside, steps)); };
}

// Element by element --------------------------------------------------------------------------------------------------

struct Function {
    std::string_view name;
    algorithm kind;
    float alpha = 0, beta = 0;
};
constexpr std::array kFunctions{
    Function{"relu", algorithm::eltwise_relu},
    Function{"leakyrelu", algorithm::eltwise_relu, kSlope},
    Function{"elu", algorithm::eltwise_elu, 1},
    Function{"gelu", algorithm::eltwise_gelu_erf},
    Function{"tanh", algorithm::eltwise_tanh},
    Function{"sigmoid", algorithm::eltwise_logistic},
    Function{"softplus", algorithm::eltwise_soft_relu},
    Function{"hardswish", algorithm::eltwise_hardswish},
    Function{"exp", algorithm::eltwise_exp},
    Function{"log", algorithm::eltwise_log},
    Function{"sqrt", algorithm::eltwise_sqrt},
    Function{"abs", algorithm::eltwise_abs},
    Function{"neg", algorithm::eltwise_linear, -1},
    Function{"clip", algorithm::eltwise_clip, 0, 6},
};

AddSteps apply(const KernelRequest& request) {
    std::string_view name = request.kernel;
    if (request.backward) name.remove_suffix(std::string_view("_gradient").size());
    const Function* const row = findRow(kFunctions, name);
    if (row == nullptr) return {};
    const memory::desc all = plain(request.sizes, request.type);
    const dnnl::eltwise_forward::primitive_desc inside(
        {prop_kind::forward_training, row->kind, all, row->alpha, row->beta}, request.engine);
    if (!request.backward) {
        const dnnl::eltwise_forward run(inside);
        return [=](Builder& steps) {
            steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)}, {DNNL_ARG_DST, steps.operand(all)}});
        };
    }
    const dnnl::eltwise_backward::primitive_desc back({row->kind, all, all, row->alpha, row->beta}, request.engine,
                                                      inside);
    const dnnl::eltwise_backward run(back);
    return [=](Builder& steps) {
        steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)},
                        {DNNL_ARG_DIFF_DST, steps.operand(all)},
                        {DNNL_ARG_DIFF_SRC, steps.operand(all)}});
    };
}

/// Elements, and those of the smaller operand where it is broadcast.
AddSteps combine(const KernelRequest& request) {
    constexpr std::array<std::pair<std::string_view, algorithm>, 7> kKinds{{{"add", algorithm::binary_add},
                                                                            {"sum", algorithm::binary_add},
                                                                            {"sub", algorithm::binary_sub},
                                                                            {"mul", algorithm::binary_mul},
                                                                            {"div", algorithm::binary_div},
                                                                            {"max", algorithm::binary_max},
                                                                            {"min", algorithm::binary_min}}};
    const auto* const row =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.first == request.kernel; });
    if (row == kKinds.end()) return {};
    const memory::dim small = request.sizes.size() > 1 ? request.sizes[1] : request.sizes[0];
    if (small > request.sizes[0] || request.sizes[0] % small != 0) return {};
    const memory::desc all = plain({request.sizes[0] / small, small}, request.type),
                       one = plain({1, small}, request.type);
    const dnnl::binary::primitive_desc inside({row->second, all, one, all}, request.engine);
    const dnnl::binary run(inside);
    return [=](Builder& steps) {
        steps.run(run, {{DNNL_ARG_SRC_0, steps.operand(all)},
                        {DNNL_ARG_SRC_1, steps.operand(one)},
                        {DNNL_ARG_DST, steps.operand(all)}});
    };
}

// Normalisation -------------------------------------------------------------------------------------------------------

/// Rows × columns.
AddSteps softmax(const KernelRequest& request) {
    const memory::desc all = plain(request.sizes, request.type);
    const dnnl::softmax_forward::primitive_desc inside({prop_kind::forward_training, all, 1}, request.engine);
    if (!request.backward) {
        const dnnl::softmax_forward run(inside);
        return [=](Builder& steps) {
            steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)}, {DNNL_ARG_DST, steps.operand(all)}});
        };
    }
    const dnnl::softmax_backward::primitive_desc back({all, all, 1}, request.engine, inside);
    const dnnl::softmax_backward run(back);
    return [=](Builder& steps) {
        steps.run(run, {{DNNL_ARG_DST, steps.operand(all)},
                        {DNNL_ARG_DIFF_DST, steps.operand(all)},
                        {DNNL_ARG_DIFF_SRC, steps.operand(all)}});
    };
}

/// The steps of a normalisation with scale and shift, of layers or batches.
template <typename Forward, typename Backward>
AddSteps normalise(const KernelRequest& request, const memory::desc& all, memory::dim channels,
                   const typename Forward::primitive_desc& inside, const typename Backward::primitive_desc& back) {
    const memory::desc scales = plain({2, channels}, memory::data_type::f32);
    if (!request.backward) {
        const Forward run(inside);
        return [=](Builder& steps) {
            steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)},
                            {DNNL_ARG_DST, steps.operand(all)},
                            {DNNL_ARG_MEAN, steps.operand(inside.mean_desc())},
                            {DNNL_ARG_VARIANCE, steps.operand(inside.variance_desc())},
                            {DNNL_ARG_SCALE_SHIFT, steps.operand(scales)}});
        };
    }
    const Backward run(back);
    return [=](Builder& steps) {
        steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)},
                        {DNNL_ARG_MEAN, steps.operand(inside.mean_desc())},
                        {DNNL_ARG_VARIANCE, steps.operand(inside.variance_desc())},
                        {DNNL_ARG_DIFF_DST, steps.operand(all)},
                        {DNNL_ARG_DIFF_SRC, steps.operand(all)},
                        {DNNL_ARG_SCALE_SHIFT, steps.operand(scales)},
                        {DNNL_ARG_DIFF_SCALE_SHIFT, steps.operand(scales)}});
    };
}

/// Samples × channels × pixels.
AddSteps normaliseBatch(const KernelRequest& request) {
    const Dims& s = request.sizes;
    const memory::desc all = plain({s[0], s[1], s[2], 1}, request.type);
    const dnnl::batch_normalization_forward::primitive_desc inside(
        {prop_kind::forward_training, all, kEpsilon, kScaleShift}, request.engine);
    const dnnl::batch_normalization_backward::primitive_desc back(
        {prop_kind::backward, all, all, kEpsilon, kScaleShift}, request.engine, inside);
    return normalise<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>(request, all, s[1], inside,
                                                                                            back);
}

/// Rows × columns.
AddSteps normaliseLayer(const KernelRequest& request) {
    const memory::desc all = plain(request.sizes, request.type);
    const dnnl::layer_normalization_forward::primitive_desc inside(
        {prop_kind::forward_training, all, kEpsilon, kScaleShift}, request.engine);
    const dnnl::layer_normalization_backward::primitive_desc back(
        {prop_kind::backward, all, all, kEpsilon, kScaleShift}, request.engine, inside);
    return normalise<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>(
        request, all, request.sizes[1], inside, back);
}

// Pooling -------------------------------------------------------------------------------------------------------------

AddSteps poolWindows(const KernelRequest& request, algorithm kind, const Dims& image, const Dims& window,
                     const Dims& strides) {
    const Dims padding = kind == algorithm::pooling_max || strides[0] < window[0]
                             ? Dims{(window[0] - 1) / 2, (window[1] - 1) / 2}
                             : Dims{0, 0};
    Dims result = image;
    for (std::size_t i = 0; i < 2; ++i) {
        const memory::dim covered = image[2 + i] + 2 * padding[i];
        if (covered < window[i]) return {};
        result[2 + i] = (covered - window[i]) / strides[i] + 1;
    }
    const memory::desc whole = plain(image, request.type), made = plain(result, request.type);
    const dnnl::pooling_forward::primitive_desc inside(
        {prop_kind::forward_training, kind, whole, made, strides, window, padding, padding}, request.engine);
    const memory::desc chosen = inside.workspace_desc();
    const auto withChoice = [chosen](Builder& steps, Arguments arguments) {
        if (chosen.get_size() > 0) arguments[DNNL_ARG_WORKSPACE] = steps.operand(chosen);
        return arguments;
    };
    if (!request.backward) {
        const dnnl::pooling_forward run(inside);
        return [=](Builder& steps) {
            steps.run(run,
                      withChoice(steps, {{DNNL_ARG_SRC, steps.operand(whole)}, {DNNL_ARG_DST, steps.operand(made)}}));
        };
    }
    const dnnl::pooling_backward::primitive_desc back({kind, whole, made, strides, window, padding, padding},
                                                      request.engine, inside);
    const dnnl::pooling_backward run(back);
    return [=](Builder& steps) {
        steps.run(run, withChoice(steps, {{DNNL_ARG_DIFF_DST, steps.operand(made)},
                                          {DNNL_ARG_DIFF_SRC, steps.operand(whole)}}));
    };
}

/// Planes × height × width × window × stride.
AddSteps maxPool(const KernelRequest& request) {
    const Dims& s = request.sizes;
    return poolWindows(request, algorithm::pooling_max, {1, s[0], s[1], s[2]}, {s[3], s[3]}, {s[4], s[4]});
}
AddSteps poolAverage(const KernelRequest& request) {
    const Dims& s = request.sizes;
    return poolWindows(request, algorithm::pooling_avg_exclude_padding, {1, s[0], s[1], s[2]}, {s[3], s[3]},
                       {s[4], s[4]});
}
/// Planes × pixels.
AddSteps poolAll(const KernelRequest& request) {
    const Dims& s = request.sizes;
    return poolWindows(request, algorithm::pooling_avg_exclude_padding, {1, s[0], s[1], 1}, {s[1], 1}, {s[1], 1});
}

// Sums and moves ------------------------------------------------------------------------------------------------------

/// Summed × kept × summed, as products with ones.
AddSteps sumAxes(const KernelRequest& request) {
    const Dims& s = request.sizes;
    std::vector<dnnl::matmul::primitive_desc> products;
    if (s[2] > 1) products.push_back(productOf(request.engine, {}, s[0] * s[1], 1, s[2], request.type));
    if (s[0] > 1 || s[2] == 1) products.push_back(productOf(request.engine, {}, 1, s[1], s[0], request.type));
    return [=](Builder& steps) {
        for (const dnnl::matmul::primitive_desc& each : products) addProduct(steps, dnnl::matmul(each), each);
    };
}

void addMove(Builder& steps, const memory::desc& from, const memory::desc& to) {
    const memory source = steps.operand(from), result = steps.operand(to);
    steps.run(dnnl::reorder(source, result), {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, result}});
}

/// Outer × first × second × inner, the middle two of which exchange places.
AddSteps transpose(const KernelRequest& request) {
    const Dims& s = request.sizes;
    const memory::desc from({s[0], s[2], s[1], s[3]}, request.type, Dims{s[1] * s[2] * s[3], s[3], s[2] * s[3], 1});
    const memory::desc to = plain({s[0], s[2], s[1], s[3]}, request.type);
    return [=](Builder& steps) { addMove(steps, from, to); };
}

AddSteps copy(const KernelRequest& request) {
    const memory::desc all = plain(request.sizes, request.type);
    return [=](Builder& steps) { addMove(steps, all, all); };
}

/// What sets elements before few of them are added to: the gradient of a table of which rows were looked up.
AddSteps clear(const KernelRequest& request) {
    const memory::desc all = plain(request.sizes, request.type);
    const dnnl::eltwise_forward run(
        {{prop_kind::forward_inference, algorithm::eltwise_linear, all, 0, 0}, request.engine});
    return [=](Builder& steps) {
        const memory place = steps.operand(all);
        steps.run(run, {{DNNL_ARG_SRC, place}, {DNNL_ARG_DST, place}});
    };
}

/// Elements that are read and written under a condition; the condition, where it is smaller, lies in a cache.
AddSteps choose(const KernelRequest& request) {
    const memory::desc all = plain({request.sizes[0]}, request.type);
    const dnnl::eltwise_forward run(
        {{prop_kind::forward_inference, algorithm::eltwise_clip, all, 0, 1}, request.engine});
    return [=](Builder& steps) {
        steps.run(run, {{DNNL_ARG_SRC, steps.operand(all)}, {DNNL_ARG_DST, steps.operand(all)}});
    };
}

// Optimizers ----------------------------------------------------------------------------------------------------------

/// Passes over the parameters as frameworks make them, each tensor read and written in memory.
AddSteps update(const KernelRequest& request) {
    const memory::desc all = plain(request.sizes, request.type);
    const dnnl::sum::primitive_desc added(all, std::vector<float>{1, -kSlope}, {all, all}, request.engine);
    const dnnl::sum add(added);
    const auto accumulate = [add](Builder& steps, const memory& into, const memory& what) {
        steps.run(add, {{DNNL_ARG_MULTIPLE_SRC, into}, {DNNL_ARG_MULTIPLE_SRC + 1, what}, {DNNL_ARG_DST, into}});
    };
    if (request.kernel == "sgdupdate")
        return [=](Builder& steps) { accumulate(steps, steps.operand(all), steps.operand(all)); };
    if (request.kernel == "momentumupdate")
        return [=](Builder& steps) {
            const memory momentum = steps.operand(all);
            accumulate(steps, momentum, steps.operand(all));
            accumulate(steps, steps.operand(all), momentum);
        };
    const auto function = [&](algorithm kind, float alpha, float beta) {
        return dnnl::eltwise_forward({{prop_kind::forward_inference, kind, all, alpha, beta}, request.engine});
    };
    const dnnl::eltwise_forward square = function(algorithm::eltwise_square, 0, 0);
    const dnnl::eltwise_forward root = function(algorithm::eltwise_sqrt, 0, 0);
    const dnnl::eltwise_forward shift = function(algorithm::eltwise_linear, 1, kEpsilon);
    const dnnl::binary divide({{algorithm::binary_div, all, all, all}, request.engine});
    return [=](Builder& steps) {
        const memory gradient = steps.operand(all), mean = steps.operand(all), variance = steps.operand(all);
        const memory scratch = steps.operand(all);
        accumulate(steps, mean, gradient);
        steps.run(square, {{DNNL_ARG_SRC, gradient}, {DNNL_ARG_DST, scratch}});
        accumulate(steps, variance, scratch);
        steps.run(root, {{DNNL_ARG_SRC, variance}, {DNNL_ARG_DST, scratch}});
        steps.run(shift, {{DNNL_ARG_SRC, scratch}, {DNNL_ARG_DST, scratch}});
        steps.run(divide, {{DNNL_ARG_SRC_0, mean}, {DNNL_ARG_SRC_1, scratch}, {DNNL_ARG_DST, scratch}});
        accumulate(steps, steps.operand(all), scratch);
    };
}

/// Functions and combinations of elements have rows of their own in their tables.
const std::vector<Family>& families() {
    static const std::vector<Family> kFamilies = [] {
        std::vector<Family> rows{
            {"gemm", 3, false, matmul},
            {"batched_gemm", 4, false, matmul},
            {"conv", 9, false, convolve},
            {"conv_input_gradient", 9, false, convBackwardData},
            {"conv_weight_gradient", 9, false, convBackwardWeights},
            {"attention", 3, false, attention},
            {"lstm", 4, true, lstm},
            {"softmax", 2, true, softmax},
            {"batchnormalization", 3, true, normaliseBatch},
            {"layernormalization", 2, true, normaliseLayer},
            {"maxpool", 5, true, maxPool},
            {"averagepool", 5, true, poolAverage},
            {"globalaveragepool", 2, true, poolAll},
            {"reducesum", 3, false, sumAxes},
            {"transpose", 4, false, transpose},
            {"gather_gradient", 1, false, clear},
            {"slice_gradient", 1, false, clear},
            {"where", 1, true, choose},
            {"where", 2, true, choose},
            {"sgdupdate", 1, false, update},
            {"momentumupdate", 1, false, update},
            {"adamupdate", 1, false, update},
        };
        for (const Function& each : kFunctions) rows.push_back({each.name, 1, true, apply});
        for (const std::string_view name : {"concat", "split"}) rows.push_back({name, 1, true, copy});
        for (const std::string_view name : {"gather", "slice", "expand", "cast"})
            rows.push_back({name, 1, false, copy});
        for (const std::string_view name : {"add", "sum", "sub", "mul", "div", "max", "min"}) {
            rows.push_back({name, 1, false, combine});
            rows.push_back({name, 2, false, combine});
        }
        return rows;
    }();
    return kFamilies;
}

std::string gradientOf(std::string_view name) {
    return std::string(name) + "_gradient";
}

/// Sizes as oneDNN takes them; empty where one is no whole number or too large for its indices.
std::optional<Dims> dimsOf(const Sizes& sizes) {
    constexpr double kLargest = 2e9;
    Dims dims;
    double product = 1;
    for (const double size : sizes) {
        product *= size;
        if (!(size >= 1) || size > kLargest || size != std::floor(size) || product > 1e18) return std::nullopt;
        dims.push_back(static_cast<memory::dim>(size));
    }
    return dims;
}

/// OpenMP's runtime comes with oneDNN, whichever it was built with.
bool setThreads(unsigned threads) {
    void* const found = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    if (found == nullptr) return false;
    reinterpret_cast<void (*)(int)>(found)(static_cast<int>(threads));
    return true;
}

}  // namespace

struct KernelLibrary::Parts {
    Parts(std::size_t bytes, std::size_t beyond)
        : engine(dnnl::engine::kind::cpu, 0), stream(engine), pool(bytes), cold(beyond) {}

    dnnl::engine engine;
    dnnl::stream stream;
    Pool pool;
    std::size_t cold;
    bool threads = false;
};

KernelLibrary::KernelLibrary(unsigned threads, std::size_t pool, std::size_t cold)
    : parts_(std::make_unique<Parts>(pool, cold)) {
    parts_->threads = setThreads(threads);
}

KernelLibrary::~KernelLibrary() = default;

bool KernelLibrary::threadsSet() const {
    return parts_->threads;
}

std::string KernelLibrary::version() {
    const dnnl_version_t* const version = dnnl_version();
    return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

bool KernelLibrary::multiplies(const std::string& dtype) {
    constexpr memory::dim kSize = 256;
    try {
        const auto product = productOf(parts_->engine, {}, kSize, kSize, kSize, typeOf(dtype));
        return std::string_view(product.impl_info_str()).find("ref") == std::string_view::npos;
    } catch (const dnnl::error&) {
        return false;
    }
}

bool KernelLibrary::hasInstructionsFor(const std::string& dtype) {
    if (dtype != "bf16") return dtype == "fp32";
    constexpr auto kBits = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kBits) == kBits;
}

Kernel KernelLibrary::prepare(const Request& request) {
    const std::optional<Dims> sizes = dimsOf(request.sizes);
    if (!sizes) return {};
    const bool product = request.kernel == "gemm" || request.kernel == "batched_gemm";
    if (request.dtype != "fp32" && request.dtype != "bf16" && !(product && request.dtype == "int8")) return {};
    for (const Family& family : families()) {
        const bool backward = family.hasGradient && request.kernel == gradientOf(family.name);
        if (family.axes != sizes->size() || (!backward && request.kernel != family.name)) continue;
        try {
            const AddSteps add = family.make({.engine = parts_->engine,
                                              .kernel = request.kernel,
                                              .type = typeOf(request.dtype),
                                              .sizes = *sizes,
                                              .backward = backward});
            if (!add) return {};
            std::vector<Steps> sets;
            parts_->pool.clear();
            std::size_t each = 0;
            do {
                Builder steps(parts_->engine, parts_->pool);
                add(steps);
                sets.push_back(steps.finish());
                each = parts_->pool.used() / sets.size();
            } while (sets.size() < kMaxSets && parts_->pool.used() < parts_->cold &&
                     parts_->pool.used() + each <= parts_->pool.size());
            return [this, sets = std::move(sets), next = std::size_t{0}]() mutable {
                for (const Step& step : sets[next]) step.primitive.execute(parts_->stream, step.arguments);
                parts_->stream.wait();
                next = (next + 1) % sets.size();
            };
        } catch (const TooLarge&) {
            return {};
        } catch (const dnnl::error&) {
            return {};  // what oneDNN cannot run has no time
        }
    }
    return {};
}

std::vector<std::string> kernelNames() {
    std::vector<std::string> names;
    for (const Family& family : families()) {
        if (std::find(names.begin(), names.end(), family.name) == names.end()) names.emplace_back(family.name);
        if (family.hasGradient) names.push_back(gradientOf(family.name));
    }
    return names;
}

}  // namespace tessera::calibrate

#include "core/predict/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/repeated.h"
#include "core/base/text.h"
#include "core/model/counts.h"

namespace tessera::predict {

namespace {

using model::DataType;
using model::kNoTensor;
using model::Operator;
using model::OperatorClass;
using model::Phase;
using model::Tensor;
using model::TensorIndex;
using model::TensorRole;
using model::TrainingGraph;

constexpr std::int32_t kNever = -1;

/// What equal operators of a step share.
class WorkPool {
public:
    using Traffic = std::array<Affine, kCategories>;

    Shared<Traffic> traffic(const Traffic& traffic) {
        std::string key;
        for (const Affine& part : traffic) append(key, part);
        return traffics_.shared(key, [&] { return traffic; });
    }
    Shared<KernelShape> kernel(const KernelShape& kernel) {
        std::string key = kernel.kernel + '\n';
        for (const Affine& size : kernel.sizes) append(key, size);
        return kernels_.shared(key, [&] { return kernel; });
    }

private:
    static void append(std::string& key, const Affine& number) {
        appendBytes(key, number.fixed);
        appendBytes(key, number.perSample);
    }

    SharedPool<Shared<Traffic>> traffics_;
    SharedPool<Shared<KernelShape>> kernels_;
};

class Reduction {
public:
    Reduction(const model::Model& model, const model::Graph& forward, const Precision& precision,
              model::Optimizer optimizer)
        : model_(model),
          forward_(forward),
          precision_(precision),
          training_(model::trainingOf(forward, {.optimizer = optimizer})),
          graph_(training_.graph),
          samples_(static_cast<double>(std::max<std::int64_t>(1, forward.batch))) {
        result_.name = model.name;
        result_.precision = precision;
        result_.optimizer = optimizer;
        result_.warnings = graph_.warnings;
    }

    Workload reduce() && {
        classify();
        addOperators();
        addTensors();
        addMasterCopies();
        addCrossing();
        addLayers();
        result_.kernels = physical::networkWorkOf(training_);
        result_.assumptions.emplace_back(model::kNoLoss);
        if (std::any_of(graph_.operators.begin(), graph_.operators.end(),
                        [](const Operator& each) { return !each.body.empty(); }))
            result_.assumptions.emplace_back("Operators inside of If, Loop and Scan take no time.");
        return std::move(result_);
    }

private:
    const Operator& op(std::size_t index) const { return graph_.operators[index]; }
    const Tensor& tensor(TensorIndex index) const { return graph_.tensor(index); }

    void classify() {
        const std::size_t count = graph_.tensors.size();
        category_.assign(count, Category::inputOutput);
        isState_.assign(count, false);
        scales_ = model::growingWithBatch(training_);
        for (std::size_t i = 0; i < count; ++i)
            if (model::isStored(graph_.tensors[i].role)) category_[i] = Category::weights;
        const std::vector<std::int32_t> producers = model::producers(graph_);
        for (const model::ParameterUpdate& update : training_.updates) {
            for (const TensorIndex part : model::partsOfGradient(training_, update, producers))
                category_[toIndex(part)] = Category::gradients;
            for (const TensorIndex state : update.state) {
                category_[toIndex(state)] = Category::gradients;
                isState_[toIndex(state)] = true;
            }
            // What an update puts out is written where the parameter and its state are.
            const std::vector<TensorIndex>& outputs = op(toIndex(update.op)).outputs;
            for (std::size_t o = 0; o < outputs.size(); ++o) {
                if (outputs[o] == kNoTensor) continue;
                category_[toIndex(outputs[o])] = o == 0 ? Category::weights : Category::gradients;
                isState_[toIndex(outputs[o])] = o > 0;
            }
        }
    }

    double bytesEach(TensorIndex index) const {
        if (isState_[toIndex(index)]) return kStateBytes;
        const DataType type = tensor(index).type;
        return model::isFloat(type) || type == DataType::undefined ? precision_.bytes : model::bytesPerElement(type);
    }

    double elements(TensorIndex index) const {
        const Tensor& of = tensor(index);
        const auto count = model::elementCount(of.shape);
        if (count) return static_cast<double>(*count);
        // Shapes that only shape arithmetic has are small; what computes is not.
        if (of.role == TensorRole::derived || of.role == TensorRole::constant) return 0;
        unknownShape(of);
    }

    [[noreturn]] void unknownShape(const Tensor& of) const {
        std::string expected = "known shapes";
        for (const std::string& name : model::unboundDimensions(forward_))
            expected += (expected.ends_with("shapes") ? ": give" : "") + std::string(" --dim ") + escaped(name) + "=N";
        throw DataError({.file = model_.source, .where = fmt::format("tensor {}", inQuotes(of.name))},
                        model::toText(of.shape), expected);
    }

    Affine affine(TensorIndex index, double each) const {
        const double size = elements(index) * each;
        return scales_[toIndex(index)] ? Affine{0, size / samples_} : Affine{size, 0};
    }
    Affine bytes(TensorIndex index) const { return affine(index, bytesEach(index)); }

    bool anyScales(const Operator& of) const {
        const auto scales = [&](TensorIndex index) { return index != kNoTensor && scales_[toIndex(index)]; };
        return std::any_of(of.inputs.begin(), of.inputs.end(), scales) ||
               std::any_of(of.outputs.begin(), of.outputs.end(), scales);
    }

    void addOperators() {
        result_.operators.reserve(graph_.operators.size());
        for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
            const Operator& from = op(i);
            StepOperator& made = result_.operators.emplace_back();
            made.name = from.name;
            made.type = from.type;
            made.phase = training_.phaseOf(static_cast<std::int32_t>(i));
            made.source = training_.sources[i];
            const model::OperatorKind* const kind = model::kindOf(from);
            made.group = kind == nullptr ? OperatorClass::vector : kind->group;
            made.free = model::relabels(from) || !from.body.empty() || isShapeArithmetic(from);
            if (made.free) continue;
            const model::OperatorCount counts = model::countOf(graph_, from);
            const bool scales = made.phase != Phase::update && anyScales(from);
            const auto flops = [&](const std::optional<std::int64_t>& count) {
                const double value = count ? static_cast<double>(*count) : 0;
                return scales ? Affine{0, value / samples_} : Affine{value, 0};
            };
            made.matrixFlops = flops(counts.flopsMatrix);
            made.vectorFlops = flops(counts.flopsVector);
            const std::array<Affine, kCategories> traffic = trafficOf(from);
            for (const Affine& part : traffic) made.bytes += part;
            made.traffic = pool_.traffic(traffic);
            made.kernel = pool_.kernel(kernelOf(from, made));
        }
    }

    /// Computes sizes, no data: nothing that an accelerator runs.
    bool isShapeArithmetic(const Operator& of) const {
        return std::all_of(of.outputs.begin(), of.outputs.end(), [&](TensorIndex output) {
            return output == kNoTensor ||
                   (tensor(output).role == TensorRole::derived && !model::isFloat(tensor(output).type));
        });
    }

    /// Bytes that an operator reads and writes, by category.
    std::array<Affine, kCategories> trafficOf(const Operator& from) const {
        std::array<Affine, kCategories> sum;
        const auto add = [&](TensorIndex index, const Affine& moved) {
            sum.at(slotOf(category_[toIndex(index)])) += moved;
        };
        const bool lookUp = from.type == "Gather" || from.type == "LookUpGradient";
        for (std::size_t i = 0; i < from.inputs.size(); ++i) {
            const TensorIndex input = from.inputs[i];
            if (input == kNoTensor) continue;
            // Of a table only the rows that are looked up are read: as much as is written.
            if (lookUp && i == 0 && tensor(input).role == TensorRole::parameter) {
                add(input, bytes(from.outputs.front()));
                continue;
            }
            add(input, bytes(input));
        }
        for (const TensorIndex output : from.outputs)
            if (output != kNoTensor) add(output, bytes(output));
        return sum;
    }

    // Kernels -----------------------------------------------------------------------------------------------------

    double dimension(TensorIndex index, std::size_t axis) const {
        const model::Shape& shape = tensor(index).shape;
        return shape && axis < shape->size() ? static_cast<double>((*shape)[axis]) : 0;
    }

    KernelShape kernelOf(const Operator& from, const StepOperator& made) const {
        if (from.type->starts_with("Conv")) return convolution(from, made);
        const Operator& forward = made.source < 0 ? from : op(toIndex(made.source));
        if (forward.type == "LSTM" && (&from == &forward || from.type == "MatrixGradient"))
            return recurrence(forward, &from != &forward);
        if (made.matrixFlops.fixed + made.matrixFlops.perSample > 0) return product(from, made);
        if (made.group == OperatorClass::matrix) return {};
        KernelShape kernel{.kernel = kernelName(from, made), .sizes = {}};
        const TensorIndex output = from.outputs.empty() ? kNoTensor : from.outputs.front();
        if (output == kNoTensor) return {};
        kernel.sizes = {affine(output, 1)};
        if (made.group == OperatorClass::normalisation)
            normalised(output, kernel);
        else if (from.type->starts_with("Reduce"))
            reduced(from, kernel);
        else if (from.type == "Transpose")
            transposed(from, kernel);
        else if (kernel.kernel.find("pool") != std::string::npos)
            pooled(made.source < 0 ? from : op(toIndex(made.source)), kernel);
        else if (made.group == OperatorClass::vector && from.inputs.size() == 2)
            broadcast(from, kernel);
        return kernel;
    }

    /// The product of dimensions [begin, end) of a tensor, as it grows with the batch where the first is among them.
    Affine extent(TensorIndex index, std::size_t begin, std::size_t end) const {
        double product = 1;
        for (std::size_t axis = begin; axis < end; ++axis) product *= dimension(index, axis);
        return begin == 0 && end > 0 && scales_[toIndex(index)] ? Affine{0, product / samples_} : Affine{product, 0};
    }

    /// Rows × columns of what works along the last axis; samples × channels × pixels of a batch normalisation.
    void normalised(TensorIndex output, KernelShape& kernel) const {
        const model::Shape& shape = tensor(output).shape;
        if (!shape || shape->empty()) return;
        const std::size_t rank = shape->size();
        if (kernel.kernel.starts_with("batchnormalization") && rank > 1) {
            kernel.sizes = {extent(output, 0, 1), extent(output, 1, 2), extent(output, 2, rank)};
            return;
        }
        const auto columns = static_cast<double>(shape->back());
        if (columns <= 0) return;
        const Affine all = kernel.sizes.front();
        kernel.sizes = {{all.fixed / columns, all.perSample / columns}, {columns, 0}};
    }

    /// Summed × kept × summed, where the axes fall into such stretches: sums of rows, of columns, over samples and
    /// pixels.
    void reduced(const Operator& from, KernelShape& kernel) const {
        const TensorIndex input = from.inputs.front();
        const auto* list = model::attributeAs<std::vector<std::int64_t>>(from.attributes, "axes");
        if (list == nullptr || !tensor(input).shape) return;
        const std::size_t rank = tensor(input).shape->size();
        const auto sums = [&](std::size_t axis) {
            return std::any_of(list->begin(), list->end(), [&](std::int64_t each) {
                return (each < 0 ? each + static_cast<std::int64_t>(rank) : each) == static_cast<std::int64_t>(axis);
            });
        };
        std::size_t first = 0, last = rank;
        while (first < rank && sums(first)) ++first;
        while (last > first && sums(last - 1)) --last;
        for (std::size_t axis = first; axis < last; ++axis)
            if (sums(axis)) return;
        kernel.sizes = {extent(input, 0, first), extent(input, first, last), extent(input, last, rank)};
    }

    /// Outer × first × second × inner, where a transposition exchanges two stretches of axes.
    void transposed(const Operator& from, KernelShape& kernel) const {
        const TensorIndex input = from.inputs.front();
        if (!tensor(input).shape) return;
        const std::size_t rank = tensor(input).shape->size();
        std::vector<std::int64_t> order(rank);
        for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
        if (const auto* list = model::attributeAs<std::vector<std::int64_t>>(from.attributes, "perm")) order = *list;
        if (order.size() != rank) return;
        std::size_t first = 0, last = rank;
        while (first < rank && order[first] == static_cast<std::int64_t>(first)) ++first;
        while (last > first && order[last - 1] == static_cast<std::int64_t>(last - 1)) --last;
        if (first == last) return;
        const auto middle = static_cast<std::size_t>(order[first]);
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t moved = middle + (i - first);
            if (order[i] != static_cast<std::int64_t>(moved < last ? moved : moved - last + first)) return;
        }
        kernel.sizes = {extent(input, 0, first), extent(input, first, middle), extent(input, middle, last),
                        extent(input, last, rank)};
    }

    /// Planes × height × width × window × stride, all of the pooled image; planes × pixels where one window is all.
    void pooled(const Operator& forward, KernelShape& kernel) const {
        const TensorIndex input = forward.inputs.front();
        if (!tensor(input).shape || tensor(input).shape->size() != 4) return;
        if (forward.type->starts_with("Global")) {
            kernel.sizes = {extent(input, 0, 2), extent(input, 2, 4)};
            return;
        }
        kernel.sizes = {extent(input, 0, 2),
                        extent(input, 2, 3),
                        extent(input, 3, 4),
                        {firstOf(forward, "kernel_shape", 1), 0},
                        {firstOf(forward, "strides", 1), 0}};
    }

    /// A second axis where one of two operands is smaller than the other: its elements.
    void broadcast(const Operator& from, KernelShape& kernel) const {
        double min = std::numeric_limits<double>::infinity();
        Affine smallest;
        for (const TensorIndex input : from.inputs) {
            if (input == kNoTensor || elements(input) >= min) continue;
            min = elements(input);
            smallest = affine(input, 1);
        }
        if (min >= 1 && min < elements(from.outputs.front())) kernel.sizes.push_back(smallest);
    }

    /// The first of a list of numbers, or a number.
    static double firstOf(const Operator& from, const char* name, double otherwise) {
        if (const auto* list = model::attributeAs<std::vector<std::int64_t>>(from.attributes, name))
            return list->empty() ? otherwise : static_cast<double>(list->front());
        const auto* one = model::attributeAs<std::int64_t>(from.attributes, name);
        return one == nullptr ? otherwise : static_cast<double>(*one);
    }

    /// "relu"; of the backward pass "relu_gradient", by the operator that it is of.
    std::string kernelName(const Operator& from, const StepOperator& made) const {
        if (!from.type->ends_with("Gradient") || made.source < 0) return lowered(from.type);
        return lowered(op(toIndex(made.source)).type) + "_gradient";
    }

    /// Rows × columns × inner of a product of matrices; batches of products before them.
    KernelShape product(const Operator& from, const StepOperator& made) const {
        if (from.type != "Gemm" && from.type != "MatMul" && from.type != "FusedMatMul") return {};
        const TensorIndex output = from.outputs.front();
        const model::Shape& shape = tensor(output).shape;
        if (!shape || shape->empty()) return {};
        const Affine all = affine(output, 1);
        const auto columns = static_cast<double>(shape->back());
        const double flops = made.matrixFlops.fixed + samples_ * made.matrixFlops.perSample;
        const double whole = all.fixed + samples_ * all.perSample;
        const double inner = flops / 2 / whole;
        const bool sumsSamples = all.perSample == 0 && made.matrixFlops.perSample > 0;
        const Affine depth = sumsSamples ? Affine{0, inner / samples_} : Affine{inner, 0};
        const bool batched = from.inputs.size() > 1 && from.type != "Gemm" && tensor(from.inputs[1]).shape &&
                             tensor(from.inputs[1]).shape->size() > 2;
        if (!batched)
            return {.kernel = "gemm", .sizes = {{all.fixed / columns, all.perSample / columns}, {columns, 0}, depth}};
        const double rows = shape->size() > 1 ? static_cast<double>((*shape)[shape->size() - 2]) : 1;
        return {
            .kernel = "batched_gemm",
            .sizes = {{all.fixed / columns / rows, all.perSample / columns / rows}, {rows, 0}, {columns, 0}, depth}};
    }

    /// Samples, channels, height and width that windows cover (the input with its padding), filters, kernel height and
    /// width, stride and groups, all of the forward convolution. A transposed convolution is the backward pass of one
    /// from its output to its input (Dumoulin, Visin, "A guide to convolution arithmetic for deep learning", 2016).
    KernelShape convolution(const Operator& from, const StepOperator& made) const {
        const Operator& forward = made.source < 0 ? from : op(toIndex(made.source));
        const bool mirrored = forward.type == "ConvTranspose";
        if ((forward.type != "Conv" && !mirrored) || forward.inputs.size() < 2) return {};
        const TensorIndex filters = forward.inputs[1];
        const TensorIndex image = mirrored ? forward.outputs[0] : forward.inputs[0];
        const TensorIndex result = mirrored ? forward.inputs[0] : forward.outputs[0];
        if (!tensor(image).shape || tensor(image).shape->size() != 4 || !tensor(result).shape ||
            !tensor(filters).shape || firstOf(forward, "dilations", 1) != 1)
            return {};
        KernelShape kernel{.kernel = mirrored ? "conv_input_gradient" : "conv", .sizes = {}};
        if (from.type == "ConvolutionInputGradient") kernel.kernel = mirrored ? "conv" : "conv_input_gradient";
        if (from.type == "ConvolutionWeightGradient") kernel.kernel = "conv_weight_gradient";
        const double stride = firstOf(forward, "strides", 1);
        kernel.sizes.push_back(extent(image, 0, 1));
        for (const double size : {dimension(image, 1), (dimension(result, 2) - 1) * stride + dimension(filters, 2),
                                  (dimension(result, 3) - 1) * stride + dimension(filters, 3), dimension(result, 1),
                                  dimension(filters, 2), dimension(filters, 3), stride, firstOf(forward, "group", 1)})
            kernel.sizes.push_back({size, 0});
        return kernel;
    }

    /// Words × samples × inputs × outputs of a recurrent layer in one direction.
    KernelShape recurrence(const Operator& forward, bool backward) const {
        const TensorIndex words = forward.inputs[0], state = forward.inputs.size() > 2 ? forward.inputs[2] : kNoTensor;
        if (state == kNoTensor || !tensor(words).shape || tensor(words).shape->size() != 3 || dimension(state, 0) != 1)
            return {};
        const double samples = dimension(words, 1);
        return {.kernel = backward ? "lstm_gradient" : "lstm",
                .sizes = {{dimension(words, 0), 0},
                          scales_[toIndex(words)] ? Affine{0, samples / samples_} : Affine{samples, 0},
                          {dimension(words, 2), 0},
                          {dimension(state, 2), 0}}};
    }

    // Memory ------------------------------------------------------------------------------------------------------

    /// The tensor whose storage a tensor is in: through operators that only relabel.
    std::vector<TensorIndex> storages() const {
        std::vector<TensorIndex> storage(graph_.tensors.size());
        std::iota(storage.begin(), storage.end(), 0);
        for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
            const Operator& by = op(i);
            if (!model::relabels(by) || by.inputs.empty() || by.inputs[0] == kNoTensor || by.outputs.empty() ||
                by.outputs[0] == kNoTensor)
                continue;
            storage[toIndex(by.outputs[0])] = storage[toIndex(by.inputs[0])];
        }
        // An update writes where the parameter and its state are.
        for (const model::ParameterUpdate& update : training_.updates) {
            const Operator& by = op(toIndex(update.op));
            for (std::size_t o = 0; o < by.outputs.size(); ++o)
                if (by.outputs[o] != kNoTensor)
                    storage[toIndex(by.outputs[o])] = o == 0 ? update.parameter : update.state[o - 1];
        }
        return storage;
    }

    /// A product of two activations.
    bool isActivationProduct(std::size_t index) const {
        const Operator& by = op(index);
        return (by.type == "MatMul" || by.type == "FusedMatMul") && by.inputs.size() > 1 &&
               std::all_of(by.inputs.begin(), by.inputs.begin() + 2, [&](TensorIndex input) {
                   return input != kNoTensor && tensor(input).role == TensorRole::activation;
               });
    }

    /// By tensor: a score of attention, which is what is made of one product of activations up to the next one that
    /// reads it, element by element and by a softmax; or the gradient of one.
    std::vector<bool> scores() const {
        std::vector<bool> scores(graph_.tensors.size(), false);
        std::vector<std::int32_t> from(graph_.tensors.size(), -1);  // the product that a forward tensor is made of
        std::vector<bool> isOfAttention(forward_.operators.size(), false);
        const auto count = [&](TensorIndex index) { return model::elementCount(tensor(index).shape); };
        for (std::size_t i = 0; i < forward_.operators.size(); ++i) {
            const Operator& by = op(i);
            if (by.outputs.empty() || by.outputs[0] == kNoTensor) continue;
            const TensorIndex made = by.outputs[0];
            for (const TensorIndex input : by.inputs) {
                if (input == kNoTensor || from[toIndex(input)] < 0) continue;
                const std::int32_t product = from[toIndex(input)];
                if (isActivationProduct(i)) isOfAttention[toIndex(product)] = true;
                const bool keeps = count(made) && count(made) == count(op(toIndex(product)).outputs[0]);
                if (!isActivationProduct(i) && by.type != "Transpose" && keeps) from[toIndex(made)] = product;
            }
            if (isActivationProduct(i)) from[toIndex(made)] = static_cast<std::int32_t>(i);
        }
        for (std::size_t t = 0; t < forward_.tensors.size(); ++t)
            scores[t] = from[t] >= 0 && isOfAttention[toIndex(from[t])];
        markGradients(scores);
        return scores;
    }

    /// Gradients of marked tensors, and what else of the same size the operators make that lead to them.
    void markGradients(std::vector<bool>& marked) const {
        for (auto i = toIndex(training_.backward); i < toIndex(training_.update); ++i) {
            const std::int32_t source = training_.sources[i];
            if (source < 0) continue;
            std::optional<std::int64_t> size;
            for (const std::vector<TensorIndex>* list : {&op(toIndex(source)).inputs, &op(toIndex(source)).outputs})
                for (const TensorIndex one : *list)
                    if (one != kNoTensor && marked[toIndex(one)]) size = model::elementCount(tensor(one).shape);
            for (const TensorIndex output : op(i).outputs)
                if (size && output != kNoTensor && model::elementCount(tensor(output).shape) == size)
                    marked[toIndex(output)] = true;
        }
    }

    void addTensors() {
        const std::vector<TensorIndex> storage = storages();
        const std::vector<bool> isScore = scores();
        const auto last = static_cast<std::int32_t>(graph_.operators.size()) - 1;
        std::vector<std::int32_t> birth(graph_.tensors.size(), kNever), death(graph_.tensors.size(), kNever);
        std::vector<std::int32_t> source(graph_.tensors.size(), -1);
        const auto use = [&](TensorIndex index, std::int32_t position) {
            if (index == kNoTensor) return;
            const std::size_t place = toIndex(storage[toIndex(index)]);
            if (birth[place] == kNever || position < birth[place]) birth[place] = position;
            death[place] = std::max(death[place], position);
            if (source[place] < 0) source[place] = training_.sources[toIndex(position)];
        };
        for (std::int32_t i = 0; i <= last; ++i) {
            for (const TensorIndex output : op(toIndex(i)).outputs) use(output, i);
            for (const TensorIndex input : op(toIndex(i)).inputs) use(input, i);
        }
        for (const TensorIndex input : forward_.inputs)
            if (birth[toIndex(input)] != kNever) birth[toIndex(input)] = 0;
        // The loss reads what the model puts out.
        if (training_.backward <= last)
            for (const TensorIndex output : forward_.outputs) {
                const std::size_t place = toIndex(storage[toIndex(output)]);
                if (birth[place] != kNever) death[place] = std::max(death[place], training_.backward);
            }
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
            const auto index = static_cast<TensorIndex>(i);
            if (storage[i] != index || birth[i] == kNever) continue;
            const bool isPersistent = category_[i] == Category::weights || isState_[i];
            if (category_[i] == Category::inputOutput && tensor(index).role == TensorRole::derived &&
                !model::isFloat(tensor(index).type))
                continue;
            result_.tensors.push_back({.category = category_[i],
                                       .bytes = bytes(index),
                                       .birth = isPersistent ? 0 : birth[i],
                                       .death = isPersistent ? last : death[i],
                                       .source = source[i],
                                       .isScore = isScore[i]});
        }
    }

    void addMasterCopies() {
        const auto last = static_cast<std::int32_t>(graph_.operators.size()) - 1;
        for (const model::ParameterUpdate& update : training_.updates) {
            result_.gradientBytes += bytes(update.gradient).fixed;
            if (!precision_.master) continue;
            const double copy = kStateBytes * elements(update.parameter);
            StepOperator& by = result_.operators[toIndex(update.op)];
            by.bytes.fixed += 2 * copy;
            WorkPool::Traffic traffic = by.traffic;
            traffic.at(slotOf(Category::algorithm)).fixed += 2 * copy;
            by.traffic = pool_.traffic(traffic);
            result_.tensors.push_back({.category = Category::algorithm,
                                       .bytes = {copy, 0},
                                       .birth = 0,
                                       .death = last,
                                       .source = training_.sources[toIndex(update.op)]});
        }
        for (const Tensor& of : forward_.tensors)
            if (of.role == TensorRole::parameter)
                result_.parameters += static_cast<double>(model::elementCount(of.shape).value_or(0));
    }

    /// Of every cut behind a forward operator: the activations made before it that an operator behind it reads.
    void addCrossing() {
        const std::size_t count = forward_.operators.size();
        std::vector<double> change(count + 1, 0);
        const std::vector<std::int32_t> makers = model::producers(forward_);
        std::vector<std::int32_t> last(forward_.tensors.size(), kNever);
        for (std::size_t i = 0; i < count; ++i)
            for (const TensorIndex input : forward_.operators[i].inputs)
                if (input != kNoTensor) last[toIndex(input)] = static_cast<std::int32_t>(i);
        for (std::size_t t = 0; t < forward_.tensors.size(); ++t) {
            if (makers[t] < 0 || last[t] <= makers[t] || !scales_[t]) continue;
            const double size = bytes(static_cast<TensorIndex>(t)).perSample;
            change[toIndex(makers[t])] += size;
            change[toIndex(last[t])] -= size;
        }
        result_.crossing.resize(count);
        double open = 0;
        for (std::size_t i = 0; i < count; ++i) result_.crossing[i] = open += change[i];
    }

    /// Sizes for the closed form of the memory model.
    void addLayers() {
        const auto perSample = [&](TensorIndex index) {
            return index == kNoTensor || !scales_[toIndex(index)] ||
                           !(model::isFloat(tensor(index).type) || tensor(index).type == DataType::undefined)
                       ? 0.0
                       : affine(index, 1).perSample;
        };
        for (const TensorIndex input : forward_.inputs) result_.layerInput += affine(input, 1).perSample;
        for (std::size_t i = 0; i < forward_.operators.size(); ++i) {
            if (result_.operators[i].free) continue;
            double read = 0, made = 0;
            for (const TensorIndex input : forward_.operators[i].inputs) read += perSample(input);
            for (const TensorIndex output : forward_.operators[i].outputs) made += perSample(output);
            result_.layerOutput += made;
            result_.largestLayer = std::max(result_.largestLayer, read + made);
        }
    }

    const model::Model& model_;
    const model::Graph& forward_;
    Precision precision_;
    TrainingGraph training_;
    const model::Graph& graph_;
    double samples_;
    std::vector<Category> category_;
    std::vector<bool> isState_;
    std::vector<bool> scales_;
    WorkPool pool_;
    Workload result_;
};

}  // namespace

Precision precisionOf(std::string_view dtype) {
    std::vector<Dtype> trained;
    std::copy_if(studiedDtypes().begin(), studiedDtypes().end(), std::back_inserter(trained),
                 [](const Dtype& row) { return row.isFloat; });
    const Dtype& row = rowNamed(trained, dtype, "cannot train in the data type");
    return {.dtype = std::string(dtype), .bytes = row.bytes, .master = row.bytes < 4};
}

double Workload::flops(double batch) const {
    double sum = 0;
    for (const StepOperator& op : operators) sum += op.matrixFlops.at(batch) + op.vectorFlops.at(batch);
    return sum;
}

Workload workloadOf(const model::Model& model, const Precision& precision, model::Optimizer optimizer) {
    const model::Graph* const graph = model.graph();
    if (graph == nullptr)
        throw DataError({.file = model.source}, "a table of layers",
                        "a model with operators, from a graph's file or the zoo, which prediction needs");
    return Reduction(model, *graph, precision, optimizer).reduce();
}

}  // namespace tessera::predict

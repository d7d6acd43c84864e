#include "core/model/operators/backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

std::int64_t number(std::size_t size) {
    return static_cast<std::int64_t>(size);
}

}  // namespace

// The tape ------------------------------------------------------------------------------------------------------------

const Tensor& GradientTape::tensor(TensorIndex index) const {
    const std::size_t at = toIndex(index), behind = forward.tensors.size();
    return at < behind ? forward.tensors[at] : tensors[at - behind];
}

TensorIndex GradientTape::addTensor(std::string name, DataType type, SharedShape shape, TensorRole role) {
    tensors.push_back({.name = std::move(name), .shape = std::move(shape), .symbols = {}, .type = type, .role = role});
    return static_cast<TensorIndex>(forward.tensors.size() + tensors.size()) - 1;
}

std::int32_t GradientTape::addOperator(Operator op, std::int32_t source) {
    operators.push_back(std::move(op));
    sources.push_back(source);
    return static_cast<std::int32_t>(forward.operators.size() + operators.size()) - 1;
}

TensorIndex BackwardContext::out(std::size_t output) const {
    return output < op().outputs.size() ? op().outputs[output] : kNoTensor;
}

bool BackwardContext::wants(std::size_t input) const {
    return has(input) && tape_.wanted[toIndex(in(input))];
}

TensorIndex BackwardContext::gradient(std::size_t output) const {
    return output < gradients_.size() ? gradients_[output] : kNoTensor;
}

std::vector<TensorIndex> BackwardContext::gradients() const {
    std::vector<TensorIndex> arrived;
    for (const TensorIndex gradient : gradients_)
        if (gradient != kNoTensor) arrived.push_back(gradient);
    return arrived;
}

Operator BackwardContext::begin(std::string_view type, std::vector<TensorIndex> inputs, Attributes attributes,
                                std::string_view domain) {
    Operator made;
    // Names of operators are unique, and what follows the last '#' is a number.
    made.name = fmt::format("{}{}#{}", tape_.mark, op().name, ++made_);
    made.type = tape_.pool.text(type);
    made.domain = tape_.pool.text(domain);
    made.inputs = std::move(inputs);
    made.attributes = tape_.pool.attributes(std::move(attributes));
    made.layer = op().layer;
    made.block = op().block;
    made.body = op().body;
    return made;
}

TensorIndex BackwardContext::make(std::string_view type, std::vector<TensorIndex> inputs, DataType outputType,
                                  SharedShape outputShape, Attributes attributes, std::string_view domain) {
    Operator made = begin(type, std::move(inputs), std::move(attributes), domain);
    const TensorIndex output = tape_.addTensor(made.name, outputType, std::move(outputShape), TensorRole::activation);
    made.outputs = {output};
    tape_.addOperator(std::move(made), index_);
    return output;
}

std::vector<TensorIndex> BackwardContext::makeLike(std::string_view type, std::vector<TensorIndex> inputs,
                                                   const std::vector<TensorIndex>& like, Attributes attributes) {
    Operator made = begin(type, std::move(inputs), std::move(attributes), {});
    for (const TensorIndex one : like) {
        if (one == kNoTensor) {
            made.outputs.push_back(kNoTensor);
            continue;
        }
        std::string name = fmt::format("{}.{}", made.name, made.outputs.size());
        made.outputs.push_back(tape_.addTensor(std::move(name), this->type(one), shape(one), TensorRole::activation));
    }
    std::vector<TensorIndex> outputs = made.outputs;
    tape_.addOperator(std::move(made), index_);
    return outputs;
}

std::vector<TensorIndex> BackwardContext::makeGradients(std::string_view type, std::vector<TensorIndex> inputs,
                                                        const std::vector<TensorIndex>& like, Attributes attributes) {
    attributes["of"] = op().type.get();
    std::unordered_map<TensorIndex, std::int64_t> placeOf;
    for (std::size_t i = 1; i < inputs.size(); ++i) placeOf.emplace(inputs[i], number(i));
    Integers places;
    for (const TensorIndex one : like) {
        const auto place = placeOf.find(one);
        places.push_back(one == kNoTensor || place == placeOf.end() ? -1 : place->second);
    }
    if (like.size() == 1 && places.front() < 0) {
        // The rule of the row cannot read what the operator does not: the forward value is not kept for its shape.
        attributes["type"] = static_cast<std::int64_t>(this->type(like.front()));
        if (shape(like.front())) attributes["shape"] = Integers(*shape(like.front()));
    } else {
        attributes["like"] = std::move(places);
    }
    return makeLike(type, std::move(inputs), like, std::move(attributes));
}

TensorIndex BackwardContext::makeGradient(std::string_view type, std::vector<TensorIndex> inputs, TensorIndex like,
                                          std::int64_t flops) {
    Attributes attributes;
    if (flops != 0) attributes["flops_each"] = flops;
    return makeGradients(type, std::move(inputs), {like}, std::move(attributes)).front();
}

TensorIndex BackwardContext::summedTo(TensorIndex gradient, TensorIndex like) {
    const Shape from = shape(gradient), to = shape(like);
    if (from == to) return gradient;
    if (!from || !to || to->size() > from->size()) return makeGradient("ElementwiseGradient", {gradient}, like, 1);
    const std::size_t missing = from->size() - to->size();
    Integers axes(missing);
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    bool keepsOne = false;
    std::vector<std::int64_t> kept(missing, 1);
    for (std::size_t i = 0; i < to->size(); ++i) {
        kept.push_back((*to)[i]);
        if ((*to)[i] == (*from)[missing + i]) continue;
        // A size that is not known may be that of the gradient, or 1.
        if ((*to)[i] != 1) return makeGradient("ElementwiseGradient", {gradient}, like, 1);
        axes.push_back(number(missing + i));
        keepsOne = true;
    }
    const bool keeps = missing == 0 || keepsOne;
    const TensorIndex sum = make("ReduceSum", {gradient}, type(gradient), keeps ? Shape(kept) : to,
                                 {{"axes", std::move(axes)}, {"keepdims", std::int64_t{keeps ? 1 : 0}}});
    return missing > 0 && keepsOne ? reshapedTo(sum, like) : sum;
}

TensorIndex BackwardContext::reshapedTo(TensorIndex gradient, TensorIndex like) {
    const Shape to = shape(like);
    if (shape(gradient) == to) return gradient;
    if (!elementCount(to)) return makeGradient("MoveGradient", {gradient}, like);
    return make("Reshape", {gradient}, type(gradient), to, {{"allowzero", std::int64_t{1}}, {"shape", Integers(*to)}});
}

void BackwardContext::give(std::size_t input, TensorIndex gradient) {
    tape_.parts[toIndex(in(input))].push_back(gradient);
}

// Rules ---------------------------------------------------------------------------------------------------------------

namespace backward {

namespace {

bool readsInput(const Backward& backward) {
    return backward.reads == Backward::Reads::input || backward.reads == Backward::Reads::both;
}
bool readsOutput(const Backward& backward) {
    return backward.reads == Backward::Reads::output || backward.reads == Backward::Reads::both;
}

/// The output's gradient and what the row says that the gradient of an input reads.
std::vector<TensorIndex> readBy(const BackwardContext& node, TensorIndex gradient, std::size_t input) {
    std::vector<TensorIndex> read{gradient};
    const Backward& backward = node.kind().backward;
    if (readsInput(backward)) read.push_back(node.in(input));
    if (readsOutput(backward)) read.push_back(node.out(0));
    return read;
}

/// Inputs that are no floats and hold where elements go: indices, lengths.
std::vector<TensorIndex> withPlaces(const BackwardContext& node, TensorIndex gradient) {
    std::vector<TensorIndex> read{gradient};
    for (std::size_t i = 1; i < node.inputs(); ++i)
        if (node.has(i) && isInteger(node.type(node.in(i)))) read.push_back(node.in(i));
    return read;
}

/// `total` where it is known.
void count(Attributes& attributes, const char* name, const std::optional<std::int64_t>& total) {
    if (total) attributes[name] = *total;
}

std::optional<std::int64_t> forwardMacs(const BackwardContext& node) {
    return node.kind().macs == nullptr ? 0 : node.kind().macs(node.counts());
}

/// The gradients of every input that is wanted, by one operator that reads all inputs.
void together(BackwardContext& node, std::string_view type, Attributes attributes) {
    std::vector<TensorIndex> read = node.gradients();
    std::vector<TensorIndex> like;
    for (std::size_t i = 0; i < node.inputs(); ++i) {
        if (node.has(i)) read.push_back(node.in(i));
        like.push_back(node.wants(i) ? node.in(i) : kNoTensor);
    }
    const std::vector<TensorIndex> made = node.makeGradients(type, std::move(read), like, std::move(attributes));
    for (std::size_t i = 0; i < made.size(); ++i)
        if (made[i] != kNoTensor) node.give(i, made[i]);
}

}  // namespace

void none(BackwardContext&) {}

void elementwise(BackwardContext& node) {
    if (!node.wants(0)) return;
    node.give(0, node.makeGradient("ElementwiseGradient", readBy(node, node.gradient(), 0), node.in(0),
                                   node.kind().backward.flops));
}

void pass(BackwardContext& node) {
    if (node.wants(0)) node.give(0, node.gradient());
}

// Several inputs ------------------------------------------------------------------------------------------------------

void add(BackwardContext& node) {
    for (std::size_t i = 0; i < node.inputs(); ++i)
        if (node.wants(i)) node.give(i, node.summedTo(node.gradient(), node.in(i)));
}

void subtract(BackwardContext& node) {
    if (node.wants(0)) node.give(0, node.summedTo(node.gradient(), node.in(0)));
    if (!node.wants(1)) return;
    const TensorIndex sum = node.summedTo(node.gradient(), node.in(1));
    node.give(1, node.make("Neg", {sum}, node.type(sum), Shape(node.shape(sum))));
}

namespace {

/// gradient * other or gradient / other.
TensorIndex withOther(BackwardContext& node, std::string_view type, std::size_t other) {
    const TensorIndex gradient = node.gradient();
    return node.make(type, {gradient, node.in(other)}, node.type(gradient), Shape(node.shape(gradient)));
}

}  // namespace

void multiply(BackwardContext& node) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        if (node.wants(i)) node.give(i, node.summedTo(withOther(node, "Mul", 1 - i), node.in(i)));
}

void divide(BackwardContext& node) {
    if (node.wants(0)) node.give(0, node.summedTo(withOther(node, "Div", 1), node.in(0)));
    if (!node.wants(1)) return;
    // -dy y / b: multiply, divide, negate.
    const TensorIndex each =
        node.makeGradient("ElementwiseGradient", {node.gradient(), node.out(0), node.in(1)}, node.out(0), 3);
    node.give(1, node.summedTo(each, node.in(1)));
}

void power(BackwardContext& node) {
    // dy b a^(b - 1): subtract, power, multiply, multiply; dy y log a: log, multiply, multiply.
    constexpr std::int64_t kBase = 4, kExponent = 3;
    if (node.wants(0)) {
        const TensorIndex each =
            node.makeGradient("ElementwiseGradient", {node.gradient(), node.in(0), node.in(1)}, node.out(0), kBase);
        node.give(0, node.summedTo(each, node.in(0)));
    }
    if (!node.wants(1)) return;
    const TensorIndex each =
        node.makeGradient("ElementwiseGradient", {node.gradient(), node.in(0), node.out(0)}, node.out(0), kExponent);
    node.give(1, node.summedTo(each, node.in(1)));
}

void remainder(BackwardContext& node) {
    if (node.wants(0)) node.give(0, node.summedTo(node.gradient(), node.in(0)));
}

void eachInput(BackwardContext& node) {
    for (std::size_t i = 0; i < node.inputs(); ++i) {
        if (!node.wants(i)) continue;
        const TensorIndex each = node.makeGradient("ElementwiseGradient", readBy(node, node.gradient(), i), node.out(0),
                                                   node.kind().backward.flops);
        node.give(i, node.summedTo(each, node.in(i)));
    }
}

void slope(BackwardContext& node) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (!node.wants(i)) continue;
        std::vector<TensorIndex> read{node.gradient(), node.in(0)};
        if (i == 0) read.push_back(node.in(1));
        const TensorIndex each =
            node.makeGradient("ElementwiseGradient", std::move(read), node.out(0), node.kind().backward.flops);
        node.give(i, node.summedTo(each, node.in(i)));
    }
}

void choose(BackwardContext& node) {
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (!node.wants(i)) continue;
        const TensorIndex each = node.makeGradient("ElementwiseGradient", {node.gradient(), node.in(0)}, node.out(0),
                                                   node.kind().backward.flops);
        node.give(i, node.summedTo(each, node.in(i)));
    }
}

void biased(BackwardContext& node) {
    std::vector<TensorIndex> read{node.gradient(), node.in(0)};
    if (node.has(1)) read.push_back(node.in(1));
    const TensorIndex each =
        node.makeGradient("ElementwiseGradient", std::move(read), node.out(0), node.kind().backward.flops);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        if (node.wants(i)) node.give(i, node.summedTo(each, node.in(i)));
}

void cast(BackwardContext& node) {
    if (!node.wants(0)) return;
    const TensorIndex gradient = node.gradient();
    const DataType type = node.type(node.in(0));
    if (node.type(gradient) == type) return node.give(0, gradient);
    node.give(
        0, node.make("Cast", {gradient}, type, Shape(node.shape(gradient)), {{"to", static_cast<std::int64_t>(type)}}));
}

void dropout(BackwardContext& node) {
    if (!node.wants(0)) return;
    std::vector<TensorIndex> read{node.gradient()};
    if (node.out(1) != kNoTensor) read.push_back(node.out(1));
    node.give(0, node.makeGradient("ElementwiseGradient", std::move(read), node.in(0), node.kind().backward.flops));
}

// Multiplications -----------------------------------------------------------------------------------------------------

namespace {

/// One factor of a product: which tensor, and whether it enters transposed.
struct Factor {
    TensorIndex tensor = kNoTensor;
    bool transposed = false;
};

/// The two products that make the gradients of Y = A' B', where A' and B' are A and B or transposed.
std::array<std::array<Factor, 2>, 2> gradientFactors(const Factor& a, const Factor& b, TensorIndex dy) {
    using Product = std::array<Factor, 2>;
    const Product ofA = a.transposed ? Product{Factor{b.tensor, b.transposed}, Factor{dy, true}}
                                     : Product{Factor{dy, false}, Factor{b.tensor, !b.transposed}};
    const Product ofB = b.transposed ? Product{Factor{dy, true}, Factor{a.tensor, a.transposed}}
                                     : Product{Factor{a.tensor, !a.transposed}, Factor{dy, false}};
    return {ofA, ofB};
}

Attributes productAttributes(const BackwardContext& node, const std::array<Factor, 2>& factors) {
    Attributes attributes;
    if (factors[0].transposed) attributes["transA"] = std::int64_t{1};
    if (factors[1].transposed) attributes["transB"] = std::int64_t{1};
    if (const auto alpha = node.op().attributes->find("alpha"); alpha != node.op().attributes->end())
        attributes["alpha"] = alpha->second;
    return attributes;
}

bool transposes(const BackwardContext& node, const char* name) {
    return node.counts().integer(name, 0) != 0;
}

/// One product for each wanted operand that no rule for matrices holds for, such as of a vector.
void anyProduct(BackwardContext& node, std::size_t operand) {
    Attributes attributes;
    count(attributes, "macs", forwardMacs(node));
    std::vector<TensorIndex> read{node.gradient()};
    for (std::size_t i = 0; i < node.inputs(); ++i)
        if (i != operand && node.has(i)) read.push_back(node.in(i));
    node.give(operand,
              node.makeGradients("MatrixGradient", std::move(read), {node.in(operand)}, std::move(attributes)).front());
}

/// The leading axes as one.
TensorIndex flattened(BackwardContext& node, TensorIndex tensor) {
    const std::vector<std::int64_t> dims = *node.shape(tensor);
    const std::vector<std::int64_t> rows(dims.begin(), dims.end() - 1);
    std::vector<std::int64_t> flat{elementCount(rows).value_or(kUnknown), dims.back()};
    return node.make("Reshape", {tensor}, node.type(tensor), flat,
                     {{"allowzero", std::int64_t{1}}, {"shape", Integers(flat)}});
}

/// The gradient of a matrix B that many matrices A are multiplied with: one product of all their rows.
void ofSharedMatrix(BackwardContext& node, bool transposed) {
    const TensorIndex a = flattened(node, node.in(0)), dy = flattened(node, node.gradient());
    const auto factors = gradientFactors({a, false}, {node.in(1), transposed}, dy)[1];
    node.give(1, node.make("Gemm", {factors[0].tensor, factors[1].tensor}, node.type(node.in(1)),
                           Shape(node.shape(node.in(1))), productAttributes(node, factors)));
}

/// The shape of a product of the last two axes, leading axes as the gradient of the output has them.
Shape batchedLike(const BackwardContext& node, TensorIndex operand) {
    Shape result = node.shape(node.gradient());
    const Shape& own = node.shape(operand);
    std::copy(own->end() - 2, own->end(), result->end() - 2);
    return result;
}

}  // namespace

void gemm(BackwardContext& node) {
    const Factor a{node.in(0), transposes(node, "transA")}, b{node.in(1), transposes(node, "transB")};
    const auto products = gradientFactors(a, b, node.gradient());
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        if (node.wants(i))
            node.give(i, node.make("Gemm", {products[i][0].tensor, products[i][1].tensor}, node.type(node.in(i)),
                                   Shape(node.shape(node.in(i))), productAttributes(node, products[i])));
    if (node.wants(2)) node.give(2, node.summedTo(node.gradient(), node.in(2)));
}

void matmul(BackwardContext& node) {
    const Shape a = node.shape(node.in(0)), b = node.shape(node.in(1)), dy = node.shape(node.gradient());
    const bool matrices = a && b && dy && a->size() > 1 && b->size() > 1 && dy->size() > 1;
    const bool transA = transposes(node, "transA"), transB = transposes(node, "transB");
    const bool shared = matrices && b->size() == 2 && a->size() > 2;
    const bool countable = matrices && elementCount(a) && elementCount(dy);
    const auto products = gradientFactors({node.in(0), transA}, {node.in(1), transB}, node.gradient());
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (!node.wants(i)) continue;
        if (i == 1 && shared && !transA && countable) {
            ofSharedMatrix(node, transB);
        } else if (!matrices || (i == 1 && shared)) {
            anyProduct(node, i);
        } else {
            const TensorIndex each =
                node.make("FusedMatMul", {products[i][0].tensor, products[i][1].tensor}, node.type(node.in(i)),
                          batchedLike(node, node.in(i)), productAttributes(node, products[i]), kContributed);
            node.give(i, node.summedTo(each, node.in(i)));
        }
    }
}

void convolution(BackwardContext& node) {
    const auto product = [&](std::string_view type, std::size_t other, std::size_t of) {
        Attributes attributes = node.op().attributes;
        count(attributes, "macs", forwardMacs(node));
        node.give(
            of,
            node.makeGradients(type, {node.gradient(), node.in(other)}, {node.in(of)}, std::move(attributes)).front());
    };
    if (node.wants(0)) product("ConvolutionInputGradient", 1, 0);
    if (node.wants(1)) product("ConvolutionWeightGradient", 0, 1);
    if (!node.wants(2)) return;
    const Shape& shape = node.shape(node.gradient());
    if (!shape || shape->size() < 2)
        return node.give(2, node.makeGradient("ElementwiseGradient", {node.gradient()}, node.in(2), 1));
    Integers axes{0};
    for (std::size_t i = 2; i < shape->size(); ++i) axes.push_back(number(i));
    node.give(2, node.make("ReduceSum", {node.gradient()}, node.type(node.in(2)), Shape(node.shape(node.in(2))),
                           {{"axes", std::move(axes)}, {"keepdims", std::int64_t{0}}}));
}

void einstein(BackwardContext& node) {
    for (std::size_t i = 0; i < node.inputs(); ++i)
        if (node.wants(i)) anyProduct(node, i);
}

void composite(BackwardContext& node) {
    // Each product has two gradients; each of the other steps one, of about its cost.
    Attributes attributes;
    count(attributes, "macs", times(2, forwardMacs(node)));
    count(attributes, "flops", vectorFlops(node.kind(), node.counts()));
    together(node, "MatrixGradient", std::move(attributes));
}

// Normalisations ------------------------------------------------------------------------------------------------------

namespace {

/// The gradients of the data, of a scale and of a shift as long as it, each where it is wanted.
struct NormGradients {
    TensorIndex data = kNoTensor, scale = kNoTensor, shift = kNoTensor;
};

struct NormInputs {
    TensorIndex data = kNoTensor;  ///< what is normalised
    std::size_t scale = 1, shift = 2;
    bool dataWanted = true;
};

NormGradients normGradients(BackwardContext& node, TensorIndex gradient, const NormInputs& inputs) {
    std::vector<TensorIndex> read{gradient, inputs.data};
    const bool scaled = node.has(inputs.scale);
    if (scaled) read.push_back(node.in(inputs.scale));
    std::vector<TensorIndex> like{inputs.dataWanted ? inputs.data : kNoTensor};
    // A shift has the shape of the scale, and is not read.
    const bool scaleWanted = node.wants(inputs.scale), shiftWanted = scaled && node.wants(inputs.shift);
    if (scaleWanted || shiftWanted) like.push_back(scaleWanted ? node.in(inputs.scale) : kNoTensor);
    if (shiftWanted) like.push_back(node.in(inputs.scale));
    Attributes attributes{{"flops_each", node.kind().backward.flops}};
    const auto made = node.makeGradients("NormalisationGradient", std::move(read), like, std::move(attributes));
    NormGradients result{.data = made[0]};
    if (scaleWanted) result.scale = made[1];
    if (shiftWanted) result.shift = made[2];
    return result;
}

void giveWhereMade(BackwardContext& node, std::size_t input, TensorIndex gradient) {
    if (gradient != kNoTensor) node.give(input, gradient);
}

}  // namespace

void normalisation(BackwardContext& node) {
    const NormGradients made = normGradients(node, node.gradient(), {.data = node.in(0), .dataWanted = node.wants(0)});
    giveWhereMade(node, 0, made.data);
    giveWhereMade(node, 1, made.scale);
    giveWhereMade(node, 2, made.shift);
}

void skipNormalisation(BackwardContext& node) {
    // Inputs: data, what is added to it, scale, [shift,] bias; the sum is output 3.
    const bool simplified = node.op().type == "SkipSimplifiedLayerNormalization";
    const std::size_t shift = simplified ? node.inputs() : 3, bias = simplified ? 3 : 4;
    const TensorIndex sum = node.out(3) != kNoTensor ? node.out(3) : node.in(0);
    TensorIndex data = node.gradient(3);
    if (node.gradient(0) != kNoTensor) {
        const NormGradients made = normGradients(node, node.gradient(0), {.data = sum, .scale = 2, .shift = shift});
        giveWhereMade(node, 2, made.scale);
        giveWhereMade(node, shift, made.shift);
        data = data == kNoTensor ? made.data
                                 : node.make("Sum", {made.data, data}, node.type(data), Shape(node.shape(data)));
    }
    if (data == kNoTensor) return;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, bias})
        if (node.wants(i)) node.give(i, node.summedTo(data, node.in(i)));
}

void embeddingNormalisation(BackwardContext& node) {
    // Inputs: ids, segments, tables of words, positions and segments, scale, shift. Without the sum (output 2) the
    // normalised output stands for it.
    const TensorIndex sum = node.out(2) != kNoTensor ? node.out(2) : node.out(0);
    const NormGradients made = normGradients(node, node.gradient(), {.data = sum, .scale = 5, .shift = 6});
    giveWhereMade(node, 5, made.scale);
    giveWhereMade(node, 6, made.shift);
    for (const std::size_t table : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
        if (!node.wants(table)) continue;
        std::vector<TensorIndex> read{made.data};
        const std::size_t indices = table == 2 ? 0 : 1;
        if (table != 3 && node.has(indices)) read.push_back(node.in(indices));
        node.give(table, node.makeGradient("LookUpGradient", std::move(read), node.in(table), 1));
    }
}

void alongAxis(BackwardContext& node) {
    node.give(0, node.makeGradient("NormalisationGradient", readBy(node, node.gradient(), 0), node.in(0),
                                   node.kind().backward.flops));
}

void localResponse(BackwardContext& node) {
    // For each channel of the window multiply and add; 6 for the element itself.
    const std::int64_t each = 2 * std::clamp<std::int64_t>(node.counts().integer("size", 1), 1, 1 << 20) + 6;
    node.give(0,
              node.makeGradient("NormalisationGradient", {node.gradient(), node.in(0), node.out(0)}, node.in(0), each));
}

// Windows and reductions ----------------------------------------------------------------------------------------------

void pooling(BackwardContext& node) {
    // Each element of the output has a part in every element of its window.
    std::optional<std::int64_t> window = 1;
    if (const auto kernel = node.counts().integers("kernel_shape")) {
        for (const std::int64_t size : *kernel) window = times(window, size);
    } else {
        const auto from = node.counts().inElements(0), to = node.counts().outElements(0);
        window = from && to && *to > 0 ? std::optional(*from / *to) : std::nullopt;
    }
    Attributes attributes;
    count(attributes, "flops_each", times(node.kind().backward.flops, window));
    node.give(
        0, node.makeGradients("PoolingGradient", readBy(node, node.gradient(), 0), {node.in(0)}, std::move(attributes))
               .front());
}

void regions(BackwardContext& node) {
    Attributes attributes;
    count(attributes, "flops", vectorFlops(node.kind(), node.counts()));
    std::vector<TensorIndex> read{node.gradient()};
    for (std::size_t i = 1; i < node.inputs(); ++i) read.push_back(node.in(i));
    if (readsInput(node.kind().backward)) read.push_back(node.in(0));
    if (node.wants(0))
        node.give(0,
                  node.makeGradients("PoolingGradient", std::move(read), {node.in(0)}, std::move(attributes)).front());
}

namespace {

/// One element of the gradient for each element of the input.
TensorIndex spread(BackwardContext& node, TensorIndex gradient) {
    return node.makeGradient("MoveGradient", {gradient}, node.in(0));
}

}  // namespace

void reduction(BackwardContext& node) {
    const Backward& backward = node.kind().backward;
    if (backward.reads == Backward::Reads::nothing) {
        // What scales all elements alike does so before there are many.
        const TensorIndex scaled = backward.flops == 0 ? node.gradient()
                                                       : node.makeGradient("ElementwiseGradient", {node.gradient()},
                                                                           node.out(0), backward.flops);
        return node.give(0, spread(node, scaled));
    }
    const TensorIndex each = spread(node, node.gradient());
    node.give(0, node.makeGradient("ElementwiseGradient", readBy(node, each, 0), node.in(0), backward.flops));
}

void loss(BackwardContext& node) {
    if (!node.wants(0)) return;
    const TensorIndex each = spread(node, node.gradient());
    node.give(0, node.makeGradient("ElementwiseGradient", {each, node.in(0), node.in(1)}, node.in(0),
                                   node.kind().backward.flops));
}

// Moves ---------------------------------------------------------------------------------------------------------------

void reshape(BackwardContext& node) {
    node.give(0, node.reshapedTo(node.gradient(), node.in(0)));
}

void transpose(BackwardContext& node) {
    const auto given = node.counts().integers("perm");
    Attributes attributes;
    if (given) {
        Integers inverse(given->size());
        for (std::size_t i = 0; i < given->size(); ++i) {
            // Where the input's shape is not known, nothing has checked the permutation.
            const std::int64_t axis = (*given)[i];
            if (axis < 0 || axis >= number(given->size())) return move(node);
            inverse[static_cast<std::size_t>(axis)] = number(i);
        }
        attributes["perm"] = std::move(inverse);
    }
    node.give(0, node.make("Transpose", {node.gradient()}, node.type(node.in(0)), Shape(node.shape(node.in(0))),
                           std::move(attributes)));
}

void concatenate(BackwardContext& node) {
    const Shape whole = node.shape(node.gradient());
    std::int64_t axis = node.counts().integer("axis", 1);
    if (whole && axis < 0) axis += number(whole->size());
    Integers sizes;
    bool all = whole.has_value();
    for (std::size_t i = 0; i < node.inputs(); ++i) {
        const auto size = node.counts().inDim(i, axis);
        all = all && node.wants(i) && size;
        sizes.push_back(size.value_or(kUnknown));
    }
    if (!all) {
        for (std::size_t i = 0; i < node.inputs(); ++i)
            if (node.wants(i)) node.give(i, node.makeGradient("MoveGradient", {node.gradient()}, node.in(i)));
        return;
    }
    const std::vector<TensorIndex> parts =
        node.makeLike("Split", {node.gradient()}, node.op().inputs, {{"axis", axis}, {"split", std::move(sizes)}});
    for (std::size_t i = 0; i < parts.size(); ++i) node.give(i, parts[i]);
}

void split(BackwardContext& node) {
    const std::vector<TensorIndex> parts = node.gradients();
    // Parts that nothing reads have a gradient of zeros.
    if (parts.size() < node.op().outputs.size())
        return node.give(0, node.makeGradient("MoveGradient", parts, node.in(0)));
    node.give(0, node.make("Concat", parts, node.type(node.in(0)), Shape(node.shape(node.in(0))),
                           {{"axis", node.counts().integer("axis", 0)}}));
}

void expand(BackwardContext& node) {
    node.give(0, node.summedTo(node.gradient(), node.in(0)));
}

void move(BackwardContext& node) {
    if (!node.wants(0)) return;
    node.give(0, node.makeGradient("MoveGradient", withPlaces(node, node.gradient()), node.in(0)));
}

void lookUp(BackwardContext& node) {
    if (node.gradient() == kNoTensor || !node.wants(0)) return;
    std::vector<TensorIndex> read = withPlaces(node, node.gradient());
    // Indices of the largest elements are an output.
    if (node.out(1) != kNoTensor && isInteger(node.type(node.out(1)))) read.push_back(node.out(1));
    node.give(0, node.makeGradient("LookUpGradient", std::move(read), node.in(0), 1));
}

void scatter(BackwardContext& node) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}})
        if (node.wants(i)) node.give(i, node.makeGradient("MoveGradient", {node.gradient(), node.in(1)}, node.in(i)));
}

void linear(BackwardContext& node) {
    Attributes attributes;
    count(attributes, "flops", vectorFlops(node.kind(), node.counts()));
    if (node.wants(0))
        node.give(
            0,
            node.makeGradients("ElementwiseGradient", {node.gradient()}, {node.in(0)}, std::move(attributes)).front());
}

void resample(BackwardContext& node) {
    if (!node.wants(0)) return;
    // As the forward pass, with an addition for each element that is read there once only.
    const auto forward = vectorFlops(node.kind(), node.counts());
    Attributes attributes;
    count(attributes, "flops", plus(forward, node.counts().outElements(0)));
    node.give(
        0, node.makeGradients("ElementwiseGradient", {node.gradient()}, {node.in(0)}, std::move(attributes)).front());
}

void sample(BackwardContext& node) {
    const std::int64_t each = node.kind().backward.flops;
    if (node.wants(0))
        node.give(0, node.makeGradient("LookUpGradient", {node.gradient(), node.in(1)}, node.in(0), each));
    if (node.wants(1))
        node.give(
            1, node.makeGradient("ElementwiseGradient", {node.gradient(), node.in(0), node.in(1)}, node.in(1), each));
}

void rotary(BackwardContext& node) {
    std::vector<TensorIndex> read{node.gradient()};
    for (std::size_t i = 1; i < node.inputs(); ++i) read.push_back(node.in(i));
    if (node.wants(0))
        node.give(0, node.makeGradient("ElementwiseGradient", std::move(read), node.in(0), node.kind().backward.flops));
}

// Collectives ---------------------------------------------------------------------------------------------------------

void allReduce(BackwardContext& node) {
    node.give(0, node.make("AllReduce", {node.gradient()}, node.type(node.in(0)), Shape(node.shape(node.in(0))),
                           node.op().attributes));
}

void allGather(BackwardContext& node) {
    node.give(0, node.make("ReduceScatter", {node.gradient()}, node.type(node.in(0)), Shape(node.shape(node.in(0))),
                           node.op().attributes));
}

void reduceScatter(BackwardContext& node) {
    node.give(0, node.make("AllGather", {node.gradient()}, node.type(node.in(0)), Shape(node.shape(node.in(0))),
                           node.op().attributes));
}

void unknown(BackwardContext& node) {
    together(node, "OpaqueGradient", {});
}

}  // namespace backward

}  // namespace tessera::model

#include "core/model/zoo/network.h"

#include <utility>

#include "core/base/text.h"

namespace tessera::model::zoo {

namespace {

using Integers = std::vector<std::int64_t>;

Integers twice(std::int64_t value) {
    return {value, value};
}

Attributes convolution(const ConvOptions& options) {
    const std::int64_t pad = options.pad;
    return {{"kernel_shape", twice(options.kernel)},
            {"strides", twice(options.stride)},
            {"pads", Integers{pad, pad, pad, pad}},
            {"group", options.groups}};
}

Attributes pooling(const PoolOptions& options) {
    const std::int64_t pad = options.pad;
    return {{"kernel_shape", twice(options.kernel)},
            {"strides", twice(options.stride)},
            {"pads", Integers{pad, pad, pad, pad}},
            {"ceil_mode", std::int64_t{options.ceil ? 1 : 0}}};
}

}  // namespace

Network::Network(const std::string& id, std::int64_t batch, std::map<std::string, std::int64_t> dimensions)
    : Network(id, "zoo:" + id, batch, std::move(dimensions)) {}

Network::Network(const std::string& name, const std::string& file, std::int64_t batch,
                 std::map<std::string, std::int64_t> dimensions)
    : file_(file), builder_(name, file), batch_(batch), dimensions_(std::move(dimensions)) {}

std::string Network::scoped(const std::string& layer) const {
    return block_.empty() ? layer : block_ + "." + layer;
}

/// An operator behind `x` belongs to the layer of `x` while the block is the same; else it stands for itself.
Network::Spot Network::spotBehind(const std::string& x, const std::string& type) {
    const auto before = owners_.find(x);
    const bool follows = before != owners_.end() && before->second.block == block_;
    const std::string base = follows ? before->second.layer + "." + lowered(type) : scoped(lowered(type));
    const int copy = ++taken_[base];
    const std::string name = copy == 1 ? base : base + std::to_string(copy);
    return {.name = name, .layer = follows ? before->second.layer : name};
}

void Network::addOperator(const std::string& type, std::vector<std::string> inputs,
                          const std::vector<std::string>& outputs, const Attributes& attributes, const Spot& spot) {
    OperatorSpec spec;
    spec.type = type;
    spec.inputs = std::move(inputs);
    spec.outputs = outputs;
    spec.attributes = attributes;
    spec.name = spot.name;
    spec.layer = spot.layer;
    spec.block = block_;
    builder_.add(std::move(spec));
    for (const std::string& output : outputs) owners_[output] = {.layer = spot.layer, .block = block_};
}

std::string Network::addOnEdge(const std::string& type, const std::vector<std::string>& inputs,
                               const Attributes& attributes) {
    const Spot spot = spotBehind(inputs.front(), type);
    addOperator(type, inputs, {spot.name}, attributes, spot);
    return spot.name;
}

std::string Network::addLayer(const std::string& type, std::vector<std::string> inputs, const std::string& name,
                              const Attributes& attributes) {
    addOperator(type, std::move(inputs), {name}, attributes, {.name = name, .layer = name});
    return name;
}

std::string Network::input(const std::string& name, const std::vector<std::int64_t>& dimensions, DataType type) {
    std::vector<std::int64_t> shape{batch_};
    shape.insert(shape.end(), dimensions.begin(), dimensions.end());
    builder_.addInput(name, type, shape);
    return name;
}

std::string Network::stored(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::string tensor = scoped(name);
    builder_.addStored(tensor, DataType::float32, shape);
    return tensor;
}

std::string Network::constant(const std::string& name, DataType type, const std::vector<std::int64_t>& shape) {
    std::string tensor = scoped(name);
    builder_.addConstant(tensor, type, shape);
    return tensor;
}

std::string Network::conv(const std::string& x, const std::string& layer, std::int64_t channels,
                          const ConvOptions& options) {
    const std::string name = scoped(layer);
    const std::int64_t k = options.kernel;
    std::vector<std::string> inputs{x, name + ".weight"};
    builder_.addStored(inputs.back(), DataType::float32, {channels, this->channels(x) / options.groups, k, k});
    if (options.bias) {
        inputs.push_back(name + ".bias");
        builder_.addStored(inputs.back(), DataType::float32, {channels});
    }
    return addLayer("Conv", std::move(inputs), name, convolution(options));
}

std::string Network::wideConv(const std::string& x, const std::string& layer, std::int64_t channels,
                              const WideConvOptions& options) {
    const auto& [kernel, stride, pad] = options;
    const std::string weight = stored(layer + ".weight", {channels, this->channels(x), kernel.height, kernel.width});
    return addLayer("Conv", {x, weight, stored(layer + ".bias", {channels})}, scoped(layer),
                    {{"kernel_shape", Integers{kernel.height, kernel.width}},
                     {"strides", Integers{stride.height, stride.width}},
                     {"pads", Integers{pad.height, pad.width, pad.height, pad.width}}});
}

std::string Network::transposedConv(const std::string& x, const std::string& layer, std::int64_t channels,
                                    const ConvOptions& options) {
    const std::string name = scoped(layer);
    const std::int64_t k = options.kernel;
    std::vector<std::string> inputs{x, name + ".weight"};
    builder_.addStored(inputs.back(), DataType::float32, {this->channels(x), channels / options.groups, k, k});
    if (options.bias) {
        inputs.push_back(name + ".bias");
        builder_.addStored(inputs.back(), DataType::float32, {channels});
    }
    return addLayer("ConvTranspose", std::move(inputs), name, convolution(options));
}

std::string Network::fc(const std::string& x, const std::string& layer, std::int64_t features) {
    const std::string name = scoped(layer);
    builder_.addStored(name + ".weight", DataType::float32, {features, channels(x)});
    builder_.addStored(name + ".bias", DataType::float32, {features});
    return addLayer("Gemm", {x, name + ".weight", name + ".bias"}, name, {{"transB", std::int64_t{1}}});
}

std::string Network::fcLike(const std::string& x, const std::string& layer, const std::string& other) {
    const std::string owner = scoped(other);
    return addLayer("Gemm", {x, owner + ".weight", owner + ".bias"}, scoped(layer), {{"transB", std::int64_t{1}}});
}

std::string Network::join(const std::string& type, const std::vector<std::string>& parts, const std::string& layer,
                          const Attributes& attributes) {
    return addLayer(type, parts, scoped(layer), attributes);
}

std::string Network::add(const std::string& a, const std::string& b, const std::string& layer) {
    return join("Add", {a, b}, layer, {});
}

std::string Network::subtract(const std::string& a, const std::string& b, const std::string& layer) {
    return join("Sub", {a, b}, layer, {});
}

std::string Network::multiply(const std::string& a, const std::string& b, const std::string& layer) {
    return join("Mul", {a, b}, layer, {});
}

std::string Network::concat(const std::vector<std::string>& parts, const std::string& layer) {
    return join("Concat", parts, layer, {{"axis", std::int64_t{1}}});
}

std::string Network::batchNorm(const std::string& x) {
    const Spot spot = spotBehind(x, "norm");
    std::vector<std::string> inputs{x};
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
        inputs.push_back(spot.name + part);
        builder_.addStored(inputs.back(), DataType::float32, {channels(x)});
    }
    addOperator("BatchNormalization", inputs, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::unary(const std::string& type, const std::string& x, const Attributes& attributes) {
    return addOnEdge(type, {x}, attributes);
}

/// Numbers are constants rather than stored tensors, which would count as trained.
std::string Network::scalar(const std::string& near, double value) {
    std::string name = spotBehind(near, "number").name;
    builder_.addConstant(name, DataType::float32, {}, std::vector<double>{value});
    return name;
}

std::string Network::relu6(const std::string& x) {
    return clip(x, 0, 6);
}

std::string Network::clip(const std::string& x, double min, double max) {
    const std::string lower = scalar(x, min);
    return addOnEdge("Clip", {x, lower, scalar(x, max)}, {});
}

std::string Network::silu(const std::string& x) {
    return addOnEdge("Mul", {x, unary("Sigmoid", x)}, {});
}

std::string Network::maxPool(const std::string& x, const PoolOptions& options) {
    return unary("MaxPool", x, pooling(options));
}

std::string Network::averagePool(const std::string& x, const PoolOptions& options) {
    return unary("AveragePool", x, pooling(options));
}

std::string Network::spatialMean(const std::string& x) {
    return unary("ReduceMean", x, {{"axes", Integers{2, 3}}, {"keepdims", std::int64_t{0}}});
}

std::string Network::flatten(const std::string& x) {
    return unary("Flatten", x, {{"axis", std::int64_t{1}}});
}

std::string Network::integers(const std::string& name, const std::vector<std::int64_t>& values) {
    std::vector<double> elements;
    for (const std::int64_t value : values) elements.push_back(static_cast<double>(value));
    builder_.addConstant(name, DataType::int64, {static_cast<std::int64_t>(values.size())}, elements);
    return name;
}

std::vector<std::string> Network::halves(const std::string& x) {
    const Spot spot = spotBehind(x, "split");
    const std::int64_t half = channels(x) / 2;
    const std::vector<std::string> outputs{spot.name + ".first", spot.name + ".second"};
    addOperator("Split", {x, integers(spot.name + ".sizes", {half, half})}, outputs, {{"axis", std::int64_t{1}}}, spot);
    return outputs;
}

std::string Network::reshape(const std::string& x, const std::vector<std::int64_t>& shape) {
    const Spot spot = spotBehind(x, "reshape");
    addOperator("Reshape", {x, integers(spot.name + ".shape", shape)}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::channelShuffle(const std::string& x, std::int64_t groups) {
    const std::vector<std::int64_t> shape = *builder_.tensor(x).shape;
    const std::string grouped = reshape(x, {shape[0], groups, shape[1] / groups, shape[2], shape[3]});
    return reshape(unary("Transpose", grouped, {{"perm", Integers{0, 2, 1, 3, 4}}}), shape);
}

std::string Network::linear(const std::string& x, const std::string& layer, std::int64_t features) {
    const std::string weight = stored(layer + ".weight", {width(x), features});
    return addLayer("MatMul", {x, weight}, scoped(layer), {});
}

std::string Network::linearOfEach(const std::string& x, const std::string& layer, std::int64_t features) {
    const std::string weight = stored(layer + ".weight", {shape(x).front(), width(x), features});
    return addLayer("MatMul", {x, weight}, scoped(layer), {});
}

std::string Network::tiedLinear(const std::string& x, const std::string& layer, const std::string& table) {
    const std::string weight = unary("Transpose", table, {{"perm", Integers{1, 0}}});
    return addLayer("MatMul", {x, weight}, scoped(layer), {});
}

/// An operator behind `x` with trained vectors as long as the last axis.
std::string Network::withTrained(const std::string& type, const std::string& x, const std::vector<const char*>& parts,
                                 const Attributes& attributes) {
    const Spot spot = spotBehind(x, type == "Add" ? "bias" : "norm");
    std::vector<std::string> inputs{x};
    for (const char* part : parts) {
        inputs.push_back(spot.name + part);
        builder_.addStored(inputs.back(), DataType::float32, {width(x)});
    }
    addOperator(type, inputs, {spot.name}, attributes, spot);
    return spot.name;
}

std::string Network::bias(const std::string& x) {
    return withTrained("Add", x, {".value"}, {});
}

std::string Network::layerNorm(const std::string& x) {
    return withTrained("LayerNormalization", x, {".weight", ".bias"}, {{"axis", std::int64_t{-1}}});
}

std::string Network::scaledLayerNorm(const std::string& x) {
    return withTrained("LayerNormalization", x, {".weight"}, {{"axis", std::int64_t{-1}}});
}

std::string Network::plainLayerNorm(const std::string& x) {
    const Spot spot = spotBehind(x, "norm");
    // Whole numbers, which are cast: a long float constant counts as trained.
    builder_.addConstant(spot.name + ".ones", DataType::int64, {width(x)});
    const std::string ones = unary("Cast", spot.name + ".ones", {{"to", std::int64_t{1}}});
    addOperator("LayerNormalization", {x, ones}, {spot.name}, {{"axis", std::int64_t{-1}}}, spot);
    return spot.name;
}

std::string Network::rmsNorm(const std::string& x) {
    return withTrained("RMSNormalization", x, {".weight"}, {{"axis", std::int64_t{-1}}});
}

std::string Network::lookUp(const std::string& indices, const std::string& layer, const std::string& table) {
    return addLayer("Gather", {table, indices}, scoped(layer), {{"axis", std::int64_t{0}}});
}

std::string Network::transpose(const std::string& x, const std::vector<std::int64_t>& order) {
    return unary("Transpose", x, {{"perm", order}});
}

std::string Network::expand(const std::string& x, const std::vector<std::int64_t>& shape) {
    const Spot spot = spotBehind(x, "expand");
    addOperator("Expand", {x, integers(spot.name + ".shape", shape)}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::product(const std::string& a, const std::string& b, const std::string& layer) {
    return join("MatMul", {a, b}, layer, {});
}

std::string Network::scale(const std::string& x, double factor) {
    return addOnEdge("Mul", {x, scalar(x, factor)}, {});
}

std::string Network::masked(const std::string& x, const std::string& mask) {
    const Spot spot = spotBehind(x, "mask");
    addOperator("Where", {mask, x, scalar(x, -1e9)}, {spot.name}, {}, spot);
    return spot.name;
}

std::vector<std::string> Network::split(const std::string& x, std::int64_t parts, std::int64_t axis) {
    const std::vector<std::int64_t>& sizes = shape(x);
    const std::int64_t size = (axis < 0 ? *(sizes.end() + axis) : sizes.at(static_cast<std::size_t>(axis))) / parts;
    return splitInto(x, Integers(static_cast<std::size_t>(parts), size), axis);
}

std::vector<std::string> Network::splitInto(const std::string& x, const std::vector<std::int64_t>& sizes,
                                            std::int64_t axis) {
    const Spot spot = spotBehind(x, "split");
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < sizes.size(); ++i) outputs.push_back(spot.name + ".part" + std::to_string(i + 1));
    addOperator("Split", {x, integers(spot.name + ".sizes", sizes)}, outputs, {{"axis", axis}}, spot);
    return outputs;
}

std::string Network::concatenate(const std::vector<std::string>& parts, std::int64_t axis, const std::string& layer) {
    return join("Concat", parts, layer, {{"axis", axis}});
}

std::string Network::at(const std::string& x, std::int64_t axis, std::int64_t index) {
    const Spot spot = spotBehind(x, "pick");
    builder_.addConstant(spot.name + ".index", DataType::int64, {}, std::vector<double>{static_cast<double>(index)});
    addOperator("Gather", {x, spot.name + ".index"}, {spot.name}, {{"axis", axis}}, spot);
    return spot.name;
}

std::pair<std::string, std::string> Network::largest(const std::string& x, std::int64_t count) {
    const Spot spot = spotBehind(x, "largest");
    std::pair<std::string, std::string> made{spot.name, spot.name + ".places"};
    addOperator("TopK", {x, integers(spot.name + ".count", {count})}, {made.first, made.second},
                {{"axis", std::int64_t{-1}}}, spot);
    return made;
}

std::string Network::sortedOrder(const std::string& x) {
    const Spot spot = spotBehind(x, "order");
    addOperator("TopK", {x, integers(spot.name + ".count", {width(x)})}, {spot.name + ".sorted", spot.name},
                {{"axis", std::int64_t{-1}}, {"largest", std::int64_t{0}}}, spot);
    return spot.name;
}

std::string Network::quotient(const std::string& x, std::int64_t divisor) {
    const Spot spot = spotBehind(x, "quotient");
    addOperator("Div", {x, integers(spot.name + ".divisor", {divisor})}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::extended(const std::string& x, std::int64_t count) {
    const Spot spot = spotBehind(x, "pad");
    addOperator("Pad", {x, integers(spot.name + ".pads", {0, count})}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::pick(const std::string& x, std::int64_t axis, std::int64_t count) {
    const Spot spot = spotBehind(x, "pick");
    builder_.addConstant(spot.name + ".indices", DataType::int64, {count});
    addOperator("Gather", {x, spot.name + ".indices"}, {spot.name}, {{"axis", axis}}, spot);
    return spot.name;
}

std::string Network::withFirstStep(const std::string& x, const std::string& name) {
    const std::string row = stored(name, {1, 1, width(x)});
    const Spot spot = spotBehind(row, "expand");
    addOperator("Expand", {row, integers(spot.name + ".shape", {batch_, 1, width(x)})}, {spot.name}, {}, spot);
    const Spot joined = spotBehind(x, "concat");
    addOperator("Concat", {spot.name, x}, {joined.name}, {{"axis", std::int64_t{1}}}, joined);
    return joined.name;
}

std::string Network::padded(const std::string& x, std::int64_t axis) {
    const Spot spot = spotBehind(x, "pad");
    Integers pads(2 * shape(x).size(), 0);
    pads.at(static_cast<std::size_t>(axis)) = 1;
    addOperator("Pad", {x, integers(spot.name + ".pads", pads)}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::withoutFirst(const std::string& x, std::int64_t axis) {
    const Spot spot = spotBehind(x, "slice");
    const std::string from = integers(spot.name + ".from", {1});
    const std::string to = integers(spot.name + ".to", {shape(x).at(static_cast<std::size_t>(axis))});
    addOperator("Slice", {x, from, to, integers(spot.name + ".axes", {axis})}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::sum(const std::string& x, std::int64_t axis) {
    const Spot spot = spotBehind(x, "sum");
    addOperator("ReduceSum", {x, integers(spot.name + ".axes", {axis})}, {spot.name}, {{"keepdims", std::int64_t{0}}},
                spot);
    return spot.name;
}

std::string Network::runningSum(const std::string& x, std::int64_t axis) {
    const Spot spot = spotBehind(x, "running_sum");
    builder_.addConstant(spot.name + ".axis", DataType::int64, {}, std::vector<double>{static_cast<double>(axis)});
    addOperator("CumSum", {x, spot.name + ".axis"}, {spot.name}, {{"exclusive", std::int64_t{1}}}, spot);
    return spot.name;
}

std::string Network::allReduce(const std::string& x, std::int64_t devices) {
    return devices == 1 ? x : unary("AllReduce", x, {{"devices", devices}});
}

std::string Network::replicate(const std::string& x, std::int64_t devices) {
    return devices == 1 ? x : unary("Replicate", x, {{"devices", devices}});
}

std::string Network::lstm(const std::string& x, const std::string& layer, std::int64_t hidden, bool bidirectional) {
    constexpr std::int64_t kGates = 4;
    const std::int64_t directions = bidirectional ? 2 : 1;
    const std::string input = stored(layer + ".input", {directions, kGates * hidden, width(x)});
    const std::string state = stored(layer + ".state", {directions, kGates * hidden, hidden});
    const std::string biases = stored(layer + ".bias", {directions, 2 * kGates * hidden});
    const std::int64_t steps = shape(x).at(1);
    const std::string y = addLayer("LSTM", {x, input, state, biases}, scoped(layer),
                                   {{"hidden_size", hidden},
                                    {"layout", std::int64_t{1}},
                                    {"direction", std::string(bidirectional ? "bidirectional" : "forward")}});
    return reshape(y, {batch_, steps, directions * hidden});
}

std::int64_t Network::channels(const std::string& x) const {
    return builder_.tensor(x).shape->at(1);
}

Graph Network::finish(const std::string& output) && {
    builder_.addOutput(output);
    return std::move(builder_).build();
}

}  // namespace tessera::model::zoo

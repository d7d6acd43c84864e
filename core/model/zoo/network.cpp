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

Network::Network(const std::string& id, const LoadOptions& options)
    : builder_(id, "zoo:" + id), batch_(options.batch.value_or(1)) {}

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

std::string Network::input(const std::string& name, const std::vector<std::int64_t>& dimensions) {
    std::vector<std::int64_t> shape{batch_};
    shape.insert(shape.end(), dimensions.begin(), dimensions.end());
    builder_.addInput(name, DataType::float32, shape);
    return name;
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

std::string Network::join(const std::string& type, const std::vector<std::string>& parts, const std::string& layer,
                          const Attributes& attributes) {
    return addLayer(type, parts, scoped(layer), attributes);
}

std::string Network::add(const std::string& a, const std::string& b, const std::string& layer) {
    return join("Add", {a, b}, layer, {});
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

std::string Network::relu6(const std::string& x) {
    // Bounds are constants rather than stored tensors, which would count as trained.
    std::vector<std::string> inputs{x};
    for (const double bound : {0.0, 6.0}) {
        inputs.push_back(spotBehind(x, "bound").name);
        builder_.addConstant(inputs.back(), DataType::float32, {}, std::vector<double>{bound});
    }
    return addOnEdge("Clip", inputs, {});
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

std::string Network::reshaped(const std::string& x, const std::vector<std::int64_t>& shape) {
    const Spot spot = spotBehind(x, "reshape");
    addOperator("Reshape", {x, integers(spot.name + ".shape", shape)}, {spot.name}, {}, spot);
    return spot.name;
}

std::string Network::channelShuffle(const std::string& x, std::int64_t groups) {
    const std::vector<std::int64_t> shape = *builder_.tensor(x).shape;
    const std::string grouped = reshaped(x, {shape[0], groups, shape[1] / groups, shape[2], shape[3]});
    return reshaped(unary("Transpose", grouped, {{"perm", Integers{0, 2, 1, 3, 4}}}), shape);
}

std::int64_t Network::channels(const std::string& x) const {
    return builder_.tensor(x).shape->at(1);
}

Graph Network::finish(const std::string& output) && {
    builder_.addOutput(output);
    return std::move(builder_).build();
}

}  // namespace tessera::model::zoo

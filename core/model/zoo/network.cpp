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

/// A free name for an operator that follows the layer of `x`.
std::string Network::helper(const std::string& x, const std::string& type) {
    const auto layer = layerOf_.find(x);
    const std::string base = layer == layerOf_.end() ? lowered(type) : layer->second + "." + lowered(type);
    const int copy = ++taken_[base];
    return copy == 1 ? base : base + std::to_string(copy);
}

void Network::addOperator(const std::string& type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                          const Attributes& attributes, const std::string& layer, const std::string& name) {
    OperatorSpec spec;
    spec.type = type;
    spec.inputs = std::move(inputs);
    spec.name = name.empty() ? outputs.front() : name;
    spec.outputs = std::move(outputs);
    spec.attributes = attributes;
    spec.layer = layer;
    spec.block = block_;
    builder_.add(std::move(spec));
}

std::string Network::addOnEdge(const std::string& type, const std::vector<std::string>& inputs,
                               const Attributes& attributes) {
    const std::string name = helper(inputs.front(), type);
    const auto layer = layerOf_.find(inputs.front());
    const std::string owner = layer == layerOf_.end() ? std::string() : layer->second;
    addOperator(type, inputs, {name}, attributes, owner);
    if (!owner.empty()) layerOf_[name] = owner;
    return name;
}

std::string Network::addLayer(const std::string& type, std::vector<std::string> inputs, const std::string& name,
                              const Attributes& attributes) {
    addOperator(type, std::move(inputs), {name}, attributes, name);
    layerOf_[name] = name;
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
    const std::string name = helper(x, "norm");
    std::vector<std::string> inputs{x};
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
        inputs.push_back(name + part);
        builder_.addStored(inputs.back(), DataType::float32, {channels(x)});
    }
    const auto layer = layerOf_.find(x);
    const std::string owner = layer == layerOf_.end() ? std::string() : layer->second;
    addOperator("BatchNormalization", inputs, {name}, {}, owner);
    if (!owner.empty()) layerOf_[name] = owner;
    return name;
}

std::string Network::unary(const std::string& type, const std::string& x, const Attributes& attributes) {
    return addOnEdge(type, {x}, attributes);
}

std::string Network::relu6(const std::string& x) {
    // Bounds are constants rather than stored tensors, which would count as trained.
    std::vector<std::string> inputs{x};
    for (const double bound : {0.0, 6.0}) {
        inputs.push_back(helper(x, "bound"));
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
    const std::string name = helper(x, "split");
    const std::int64_t half = channels(x) / 2;
    const std::string sizes = integers(name + ".sizes", {half, half});
    const std::string& owner = layerOf_[x];
    const std::vector<std::string> outputs{name + ".first", name + ".second"};
    addOperator("Split", {x, sizes}, outputs, {{"axis", std::int64_t{1}}}, owner, name);
    for (const std::string& output : outputs) layerOf_[output] = owner;
    return outputs;
}

std::string Network::channelShuffle(const std::string& x, std::int64_t groups) {
    const auto& shape = *builder_.tensor(x).shape;
    const std::int64_t width = shape[1] / groups;
    const std::string apart = helper(x, "groups");
    const std::string grouped =
        addOnEdge("Reshape", {x, integers(apart, {shape[0], groups, width, shape[2], shape[3]})}, {});
    const std::string turned = unary("Transpose", grouped, {{"perm", Integers{0, 2, 1, 3, 4}}});
    const std::string together = helper(x, "together");
    return addOnEdge("Reshape", {turned, integers(together, {shape[0], shape[1], shape[2], shape[3]})}, {});
}

std::int64_t Network::channels(const std::string& x) const {
    return builder_.tensor(x).shape->at(1);
}

Graph Network::finish(const std::string& output) && {
    builder_.addOutput(output);
    return std::move(builder_).build();
}

}  // namespace tessera::model::zoo

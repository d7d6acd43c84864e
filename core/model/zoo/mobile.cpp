#include <array>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

/// `repeats` blocks of one shape; the first has the stride.
struct Stage {
    std::int64_t expansion, kernel, stride, channels;
    int repeats;
};

using Activation = std::string (Network::*)(const std::string&);

std::string depthwise(Network& net, const std::string& x, const std::string& layer, std::int64_t kernel,
                      std::int64_t stride) {
    const std::int64_t channels = net.channels(x);
    return convNorm(net, x, layer, channels,
                    {.kernel = kernel, .stride = stride, .pad = kernel / 2, .groups = channels});
}

/// Scales channels by what two small layers make of the map's mean. Hu, Shen, Sun: "Squeeze-and-Excitation Networks",
/// CVPR 2018.
std::string squeezeExcite(Network& net, const std::string& x, std::int64_t squeezed) {
    const std::string down = net.silu(net.conv(net.globalAveragePool(x), "se.reduce", squeezed, {.bias = true}));
    const std::string up = net.conv(down, "se.expand", net.channels(x), {.bias = true});
    return net.multiply(net.unary("Sigmoid", up), x, "se.scale");
}

/// Expand, filter per channel, project; a shortcut where the shape stays.
std::string invertedResidual(Network& net, const std::string& x, const Stage& stage, std::int64_t stride,
                             Activation activation, bool excite) {
    const std::int64_t inChannels = net.channels(x);
    std::string y = x;
    if (stage.expansion != 1) y = (net.*activation)(convNorm(net, y, "expand", inChannels * stage.expansion, {}));
    y = (net.*activation)(depthwise(net, y, "depthwise", stage.kernel, stride));
    if (excite) y = squeezeExcite(net, y, inChannels / 4);
    y = convNorm(net, y, "project", stage.channels, {});
    return stride == 1 && inChannels == stage.channels ? net.add(x, y, "add") : y;
}

std::string invertedResiduals(Network& net, std::string x, const std::vector<Stage>& stages, Activation activation,
                              bool excite) {
    for (std::size_t s = 0; s < stages.size(); ++s)
        for (int i = 0; i < stages[s].repeats; ++i) {
            net.block("stage" + std::to_string(s + 1) + "." + std::to_string(i));
            x = invertedResidual(net, x, stages[s], i == 0 ? stages[s].stride : 1, activation, excite);
        }
    net.block("");
    return x;
}

/// A convolution, the stages, a convolution and a classifier.
Graph residualNetwork(Network net, const std::vector<Stage>& stages, Activation activation, bool excite) {
    std::string x = net.input("input", {3, 224, 224});
    x = (net.*activation)(convNorm(net, x, "conv1", 32, {.kernel = 3, .stride = 2, .pad = 1}));
    x = invertedResiduals(net, x, stages, activation, excite);
    x = (net.*activation)(convNorm(net, x, "conv2", 1280, {}));
    x = net.fc(net.flatten(net.globalAveragePool(x)), "fc", 1000);
    return std::move(net).finish(x);
}

std::string relu(Network& net, const std::string& x) {
    return net.relu(x);
}

}  // namespace

Graph mobilenetV2(Network net) {
    return residualNetwork(std::move(net),
                           {{1, 3, 1, 16, 1},
                            {6, 3, 2, 24, 2},
                            {6, 3, 2, 32, 3},
                            {6, 3, 2, 64, 4},
                            {6, 3, 1, 96, 3},
                            {6, 3, 2, 160, 3},
                            {6, 3, 1, 320, 1}},
                           &Network::relu6, false);
}

Graph mnasnet(Network net) {
    std::string x = net.input("input", {3, 224, 224});
    x = net.relu(convNorm(net, x, "conv1", 32, {.kernel = 3, .stride = 2, .pad = 1}));
    x = net.relu(depthwise(net, x, "depthwise1", 3, 1));
    x = convNorm(net, x, "project1", 16, {});
    x = invertedResiduals(
        net, x,
        {{3, 3, 2, 24, 3}, {3, 5, 2, 40, 3}, {6, 5, 2, 80, 3}, {6, 3, 1, 96, 2}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}},
        &Network::relu, false);
    x = net.relu(convNorm(net, x, "conv2", 1280, {}));
    x = net.fc(net.spatialMean(x), "fc", 1000);
    return std::move(net).finish(x);
}

Graph efficientnetB0(Network net) {
    return residualNetwork(std::move(net),
                           {{1, 3, 1, 16, 1},
                            {6, 3, 2, 24, 2},
                            {6, 5, 2, 40, 2},
                            {6, 3, 2, 80, 3},
                            {6, 5, 1, 112, 3},
                            {6, 5, 2, 192, 4},
                            {6, 3, 1, 320, 1}},
                           &Network::silu, true);
}

namespace {

std::string fire(Network& net, const std::string& x, const std::string& block, std::int64_t squeeze,
                 std::int64_t expand) {
    net.block(block);
    const std::string squeezed = net.relu(net.conv(x, "squeeze", squeeze, {.bias = true}));
    const std::string small = net.relu(net.conv(squeezed, "expand1x1", expand, {.bias = true}));
    const std::string large = net.relu(net.conv(squeezed, "expand3x3", expand, {.kernel = 3, .pad = 1, .bias = true}));
    const std::string both = net.concat({small, large}, "concat");
    net.block("");
    return both;
}

}  // namespace

Graph squeezenet(Network net) {
    constexpr PoolOptions kPool{.kernel = 3, .stride = 2, .ceil = true};
    std::string x = net.input("input", {3, 224, 224});
    x = net.relu(net.conv(x, "conv1", 96, {.kernel = 7, .stride = 2, .bias = true}));
    x = fire(net, net.maxPool(x, kPool), "fire2", 16, 64);
    x = fire(net, x, "fire3", 16, 64);
    x = fire(net, x, "fire4", 32, 128);
    x = fire(net, net.maxPool(x, kPool), "fire5", 32, 128);
    x = fire(net, x, "fire6", 48, 192);
    x = fire(net, x, "fire7", 48, 192);
    x = fire(net, x, "fire8", 64, 256);
    x = fire(net, net.maxPool(x, kPool), "fire9", 64, 256);
    x = net.relu(net.conv(x, "conv10", 1000, {.bias = true}));
    x = net.flatten(net.globalAveragePool(x));
    return std::move(net).finish(x);
}

namespace {

/// The unit of stride 2: both branches read the whole map.
std::string reducingUnit(Network& net, const std::string& x, std::int64_t half) {
    std::string left = depthwise(net, x, "left.depthwise", 3, 2);
    left = relu(net, convNorm(net, left, "left.conv", half, {}));
    std::string right = relu(net, convNorm(net, x, "conv1", half, {}));
    right = depthwise(net, right, "depthwise", 3, 2);
    right = relu(net, convNorm(net, right, "conv2", half, {}));
    return net.channelShuffle(net.concat({left, right}, "concat"), 2);
}

/// The unit of stride 1: one half of the channels passes.
std::string passingUnit(Network& net, const std::string& x, std::int64_t half) {
    const std::vector<std::string> parts = net.halves(x);
    std::string y = relu(net, convNorm(net, parts[1], "conv1", half, {}));
    y = depthwise(net, y, "depthwise", 3, 1);
    y = relu(net, convNorm(net, y, "conv2", half, {}));
    return net.channelShuffle(net.concat({parts[0], y}, "concat"), 2);
}

}  // namespace

Graph shufflenetV2(Network net) {
    struct Units {
        int count;
        std::int64_t channels;
    };
    constexpr std::array kStages{Units{4, 116}, Units{8, 232}, Units{4, 464}};
    std::string x = net.input("input", {3, 224, 224});
    x = relu(net, convNorm(net, x, "conv1", 24, {.kernel = 3, .stride = 2, .pad = 1}));
    x = net.maxPool(x, {.kernel = 3, .stride = 2, .pad = 1});
    for (std::size_t stage = 0; stage < kStages.size(); ++stage)
        for (int i = 0; i < kStages[stage].count; ++i) {
            net.block("stage" + std::to_string(stage + 2) + "." + std::to_string(i));
            const std::int64_t half = kStages[stage].channels / 2;
            x = i == 0 ? reducingUnit(net, x, half) : passingUnit(net, x, half);
        }
    net.block("");
    x = relu(net, convNorm(net, x, "conv5", 1024, {}));
    x = net.fc(net.spatialMean(x), "fc", 1000);
    return std::move(net).finish(x);
}

}  // namespace tessera::model::zoo

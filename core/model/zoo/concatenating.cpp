#include <array>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

std::string convNormRelu(Network& net, const std::string& x, const std::string& layer, std::int64_t channels,
                         const ConvOptions& options) {
    return net.relu(net.batchNorm(net.conv(x, layer, channels, options)));
}

/// Channels of the four branches: 1x1; 3x3 behind its reduction; 3x3 (5x5 in the paper) behind its reduction; 1x1
/// behind pooling.
struct Inception {
    const char* block;
    std::int64_t one, reduceThree, three, reduceFive, five, pooled;
};

std::string inception(Network& net, const std::string& x, const Inception& size) {
    net.block(size.block);
    const std::string one = convNormRelu(net, x, "branch1", size.one, {});
    const std::string reduceThree = convNormRelu(net, x, "branch2.reduce", size.reduceThree, {});
    const std::string three = convNormRelu(net, reduceThree, "branch2", size.three, {.kernel = 3, .pad = 1});
    const std::string reduceFive = convNormRelu(net, x, "branch3.reduce", size.reduceFive, {});
    const std::string five = convNormRelu(net, reduceFive, "branch3", size.five, {.kernel = 3, .pad = 1});
    const std::string pool = net.maxPool(x, {.kernel = 3, .stride = 1, .pad = 1, .ceil = true});
    const std::string pooled = convNormRelu(net, pool, "branch4", size.pooled, {});
    const std::string all = net.concat({one, three, five, pooled}, "concat");
    net.block("");
    return all;
}

}  // namespace

Graph googlenet(Network net) {
    constexpr PoolOptions kPool{.kernel = 3, .stride = 2, .ceil = true};
    constexpr PoolOptions kLastPool{.kernel = 2, .stride = 2, .ceil = true};
    std::string x = net.input("input", {3, 224, 224});
    x = net.maxPool(convNormRelu(net, x, "conv1", 64, {.kernel = 7, .stride = 2, .pad = 3}), kPool);
    x = convNormRelu(net, x, "conv2", 64, {});
    x = net.maxPool(convNormRelu(net, x, "conv3", 192, {.kernel = 3, .pad = 1}), kPool);
    x = inception(net, x, {"inception3a", 64, 96, 128, 16, 32, 32});
    x = net.maxPool(inception(net, x, {"inception3b", 128, 128, 192, 32, 96, 64}), kPool);
    x = inception(net, x, {"inception4a", 192, 96, 208, 16, 48, 64});
    x = inception(net, x, {"inception4b", 160, 112, 224, 24, 64, 64});
    x = inception(net, x, {"inception4c", 128, 128, 256, 24, 64, 64});
    x = inception(net, x, {"inception4d", 112, 144, 288, 32, 64, 64});
    x = net.maxPool(inception(net, x, {"inception4e", 256, 160, 320, 32, 128, 128}), kLastPool);
    x = inception(net, x, {"inception5a", 256, 160, 320, 32, 128, 128});
    x = inception(net, x, {"inception5b", 384, 192, 384, 48, 128, 128});
    x = net.fc(net.flatten(net.globalAveragePool(x)), "fc", 1000);
    return std::move(net).finish(x);
}

namespace {

std::string normRelu(Network& net, const std::string& x) {
    return net.relu(net.batchNorm(x));
}

/// Adds `growth` channels to the map. Each concatenation reads the one before, so that a cut through the network
/// crosses few edges.
std::string denseLayer(Network& net, const std::string& x, std::int64_t growth) {
    const std::string inner = net.conv(normRelu(net, x), "conv1", 4 * growth, {});
    const std::string grown = net.conv(normRelu(net, inner), "conv2", growth, {.kernel = 3, .pad = 1});
    return net.concat({x, grown}, "concat");
}

}  // namespace

Graph densenet121(Network net) {
    constexpr std::array kLayers{6, 12, 24, 16};
    constexpr std::int64_t kGrowth = 32;
    std::string x = net.input("input", {3, 224, 224});
    x = convNormRelu(net, x, "conv0", 2 * kGrowth, {.kernel = 7, .stride = 2, .pad = 3});
    x = net.maxPool(x, {.kernel = 3, .stride = 2, .pad = 1});
    for (std::size_t block = 0; block < kLayers.size(); ++block) {
        for (int i = 1; i <= kLayers[block]; ++i) {
            net.block("denseblock" + std::to_string(block + 1) + "." + std::to_string(i));
            x = denseLayer(net, x, kGrowth);
        }
        net.block("");
        x = normRelu(net, x);
        if (block + 1 == kLayers.size()) break;
        x = net.conv(x, "transition" + std::to_string(block + 1), net.channels(x) / 2, {});
        x = net.averagePool(x, {});
    }
    x = net.fc(net.flatten(net.globalAveragePool(x)), "fc", 1000);
    return std::move(net).finish(x);
}

namespace {

std::string twoConvs(Network& net, std::string x, const std::string& block, std::int64_t channels) {
    net.block(block);
    for (const char* layer : {"conv1", "conv2"})
        x = net.relu(net.conv(x, layer, channels, {.kernel = 3, .pad = 1, .bias = true}));
    net.block("");
    return x;
}

}  // namespace

Graph unet(Network net) {
    constexpr int kLevels = 4;
    std::string x = net.input("input", {3, 256, 256});
    std::vector<std::string> passed;
    std::int64_t channels = 64;
    for (int level = 1; level <= kLevels; ++level, channels *= 2) {
        x = twoConvs(net, x, "down" + std::to_string(level), channels);
        passed.push_back(x);
        x = net.maxPool(x, {});
    }
    x = twoConvs(net, x, "bottom", channels);
    for (int level = kLevels; level >= 1; --level) {
        channels /= 2;
        const std::string block = "up" + std::to_string(level);
        net.block(block);
        x = net.transposedConv(x, "up", channels, {.kernel = 2, .stride = 2, .bias = true});
        x = net.concat({passed.back(), x}, "concat");
        passed.pop_back();
        x = twoConvs(net, x, block, channels);
    }
    x = net.conv(x, "out", 2, {.bias = true});
    return std::move(net).finish(x);
}

}  // namespace tessera::model::zoo

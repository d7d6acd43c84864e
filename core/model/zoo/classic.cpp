#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

Graph lenet5(Network net) {
    std::string x = net.input("input", {1, 32, 32});
    x = net.unary("Tanh", net.conv(x, "conv1", 6, {.kernel = 5, .bias = true}));
    x = net.averagePool(x, {});
    x = net.unary("Tanh", net.conv(x, "conv2", 16, {.kernel = 5, .bias = true}));
    x = net.flatten(net.averagePool(x, {}));
    x = net.unary("Tanh", net.fc(x, "fc1", 120));
    x = net.unary("Tanh", net.fc(x, "fc2", 84));
    x = net.fc(x, "fc3", 10);
    return std::move(net).finish(x);
}

Graph accparLenet(Network net) {
    std::string x = net.input("input", {1, 28, 28});
    x = net.maxPool(net.conv(x, "cv1", 20, {.kernel = 5, .bias = true}), {});
    x = net.maxPool(net.conv(x, "cv2", 50, {.kernel = 5, .bias = true}), {});
    x = net.relu(net.fc(net.flatten(x), "fc1", 500));
    x = net.fc(x, "fc2", 10);
    return std::move(net).finish(x);
}

namespace {

constexpr PoolOptions kOverlappingPool{.kernel = 3, .stride = 2};

std::string convRelu(Network& net, const std::string& x, const std::string& layer, std::int64_t channels,
                     std::int64_t kernel) {
    return net.relu(net.conv(x, layer, channels, {.kernel = kernel, .pad = kernel / 2, .bias = true}));
}

/// Three fully connected layers; the adaptive pooling before them does nothing at the networks' own input size.
std::string classifier(Network& net, std::string x) {
    x = net.flatten(net.averagePool(x, {.kernel = 1, .stride = 1}));
    x = net.relu(net.fc(x, "fc1", 4096));
    x = net.relu(net.fc(x, "fc2", 4096));
    return net.fc(x, "fc3", 1000);
}

/// Five convolutions of the given channels, of which the first takes the image with `border` around it.
Graph alexnetOf(Network net, std::int64_t size, const std::string& conv, std::int64_t border,
                const std::array<std::int64_t, 5>& channels) {
    std::string x = net.input("input", {3, size, size});
    x = net.relu(net.conv(x, conv + "1", channels[0], {.kernel = 11, .stride = 4, .pad = border, .bias = true}));
    x = convRelu(net, net.maxPool(x, kOverlappingPool), conv + "2", channels[1], 5);
    x = convRelu(net, net.maxPool(x, kOverlappingPool), conv + "3", channels[2], 3);
    x = convRelu(net, x, conv + "4", channels[3], 3);
    x = convRelu(net, x, conv + "5", channels[4], 3);
    x = classifier(net, net.maxPool(x, kOverlappingPool));
    return std::move(net).finish(x);
}

}  // namespace

Graph alexnet(Network net) {
    return alexnetOf(std::move(net), 224, "conv", 2, {64, 192, 384, 256, 256});
}

Graph accparAlexnet(Network net) {
    return alexnetOf(std::move(net), 227, "cv", 0, {96, 256, 384, 384, 256});
}

Graph vgg(Network net, int depth) {
    // Convolutions per stage: configurations A, B, D and E of the paper.
    static const std::map<int, std::vector<int>> kStages{
        {11, {1, 1, 2, 2, 2}}, {13, {2, 2, 2, 2, 2}}, {16, {2, 2, 3, 3, 3}}, {19, {2, 2, 4, 4, 4}}};
    const std::vector<int>& stages = kStages.at(depth);
    std::string x = net.input("input", {3, 224, 224});
    std::int64_t channels = 64;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (int i = 1; i <= stages[stage]; ++i)
            x = convRelu(net, x, "conv" + std::to_string(stage + 1) + "_" + std::to_string(i), channels, 3);
        x = net.maxPool(x, {});
        if (channels < 512) channels *= 2;
    }
    x = classifier(net, x);
    return std::move(net).finish(x);
}

}  // namespace tessera::model::zoo

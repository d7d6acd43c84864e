#include <map>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

struct Stages {
    std::vector<int> blocks;  ///< per stage
    bool bottleneck = true;
    std::int64_t groups = 1;
    std::int64_t groupWidth = 64;  ///< channels per group of the 3x3 convolution, in the first stage
};

std::string basicBranch(Network& net, const std::string& x, std::int64_t planes, std::int64_t stride) {
    const std::string first = convNorm(net, x, "conv1", planes, {.kernel = 3, .stride = stride, .pad = 1});
    return convNorm(net, net.relu(first), "conv2", planes, {.kernel = 3, .pad = 1});
}

/// Version 1.5: the stride lies in the 3x3 convolution.
std::string bottleneckBranch(Network& net, const std::string& x, std::int64_t planes, std::int64_t stride,
                             const Stages& stages) {
    const std::int64_t width = planes * stages.groupWidth / 64 * stages.groups;
    const std::string first = net.relu(convNorm(net, x, "conv1", width, {}));
    const std::string second = net.relu(
        convNorm(net, first, "conv2", width, {.kernel = 3, .stride = stride, .pad = 1, .groups = stages.groups}));
    return convNorm(net, second, "conv3", planes * 4, {});
}

std::string block(Network& net, const std::string& x, std::int64_t planes, std::int64_t stride, const Stages& stages) {
    const std::string branch =
        stages.bottleneck ? bottleneckBranch(net, x, planes, stride, stages) : basicBranch(net, x, planes, stride);
    const bool same = stride == 1 && net.channels(x) == net.channels(branch);
    const std::string shortcut = same ? x : convNorm(net, x, "downsample", net.channels(branch), {.stride = stride});
    return net.relu(net.add(branch, shortcut, "add"));
}

Graph residual(Network net, const Stages& stages) {
    std::string x = net.input("input", {3, 224, 224});
    x = net.relu(convNorm(net, x, "conv1", 64, {.kernel = 7, .stride = 2, .pad = 3}));
    x = net.maxPool(x, {.kernel = 3, .stride = 2, .pad = 1});
    std::int64_t planes = 64;
    for (std::size_t stage = 0; stage < stages.blocks.size(); ++stage) {
        for (int i = 0; i < stages.blocks[stage]; ++i) {
            net.block("layer" + std::to_string(stage + 1) + "." + std::to_string(i));
            x = block(net, x, planes, stage > 0 && i == 0 ? 2 : 1, stages);
        }
        planes *= 2;
    }
    net.block("");
    x = net.fc(net.flatten(net.globalAveragePool(x)), "fc", 1000);
    return std::move(net).finish(x);
}

}  // namespace

Graph resnet(Network net, int depth) {
    static const std::map<int, Stages> kStages{{18, {.blocks = {2, 2, 2, 2}, .bottleneck = false}},
                                               {34, {.blocks = {3, 4, 6, 3}, .bottleneck = false}},
                                               {50, {.blocks = {3, 4, 6, 3}}},
                                               {101, {.blocks = {3, 4, 23, 3}}},
                                               {152, {.blocks = {3, 8, 36, 3}}}};
    return residual(std::move(net), kStages.at(depth));
}

Graph resnext50(Network net) {
    return residual(std::move(net), {.blocks = {3, 4, 6, 3}, .groups = 32, .groupWidth = 4});
}

}  // namespace tessera::model::zoo

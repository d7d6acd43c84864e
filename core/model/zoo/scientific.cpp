#include <string>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

constexpr std::int64_t kUnoWidth = 1000;

/// Three fully connected layers on the features of a sample; a second use has the weights of the first.
std::string features(Network& net, std::string x, const std::string& name, const std::string& weights) {
    for (const char* part : {".fc0", ".fc1", ".fc2"}) {
        const std::string layer = name + part;
        const std::string other = weights + part;
        x = net.relu(layer == other ? net.fc(x, layer, kUnoWidth) : net.fcLike(x, layer, other));
    }
    return x;
}

}  // namespace

Graph candleUno(Network net) {
    constexpr std::int64_t kGenes = 942, kDescriptors = 5270, kFingerprints = 2048;
    std::vector<std::string> parts{net.input("dose1", {1}), net.input("dose2", {1})};
    parts.push_back(features(net, net.input("cell", {kGenes}), "cell", "cell"));
    for (const char* drug : {"drug1", "drug2"}) {
        const std::string name = drug;
        parts.push_back(features(net, net.input(name + "_descriptors", {kDescriptors}), name + ".descriptors",
                                 "drug1.descriptors"));
        parts.push_back(features(net, net.input(name + "_fingerprints", {kFingerprints}), name + ".fingerprints",
                                 "drug1.fingerprints"));
    }
    std::string x = net.concat(parts, "concat");
    for (const char* layer : {"fc0", "fc1", "fc2"}) x = net.relu(net.fc(x, layer, kUnoWidth));
    const std::string output = net.fc(x, "fc3", 1);
    return std::move(net).finish(output);
}

namespace {

/// Every pixel attends to all others, in half the channels.
std::string nonLocal(Network& net, const std::string& x) {
    const std::vector<std::int64_t> shape = net.shape(x);
    const std::int64_t half = shape[1] / 2, pixels = shape[2] * shape[3];
    const auto rows = [&](const char* layer) {
        return net.reshape(net.conv(x, layer, half, {.bias = true}), {shape[0], half, pixels});
    };
    const std::string query = net.transpose(rows("attention.query"), {0, 2, 1});
    const std::string weights = net.softmax(net.product(query, rows("attention.key"), "attention.scores"));
    const std::string mixed =
        net.product(weights, net.transpose(rows("attention.value"), {0, 2, 1}), "attention.context");
    const std::string map = net.reshape(net.transpose(mixed, {0, 2, 1}), {shape[0], half, shape[2], shape[3]});
    return net.add(net.conv(map, "attention.output", shape[1], {.bias = true}), x, "attention.sum");
}

}  // namespace

Graph braggNn(Network net) {
    const auto leaky = [&](const std::string& x) { return net.unary("LeakyRelu", x, {{"alpha", 0.01}}); };
    std::string x = net.conv(net.input("input", {1, 11, 11}), "conv1", 64, {.kernel = 3, .bias = true});
    x = leaky(nonLocal(net, x));
    x = leaky(net.conv(x, "conv2", 32, {.kernel = 3, .bias = true}));
    x = net.flatten(leaky(net.conv(x, "conv3", 8, {.kernel = 3, .bias = true})));
    x = leaky(net.fc(x, "fc1", 16));
    x = leaky(net.fc(x, "fc2", 8));
    x = leaky(net.fc(x, "fc3", 4));
    x = leaky(net.fc(x, "fc4", 2));
    const std::string output = net.fc(x, "fc5", 2);
    return std::move(net).finish(output);
}

}  // namespace tessera::model::zoo

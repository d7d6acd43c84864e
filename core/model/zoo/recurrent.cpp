#include <utility>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

/// Bahdanau's attention: a fully connected layer on every pair of steps, and a vector that makes a score of it.
std::string additiveAttention(Network& net, const std::string& x, const std::string& memory, std::int64_t width) {
    const std::int64_t target = net.shape(x).at(1), source = net.shape(memory).at(1);
    const std::string query = net.reshape(net.linear(x, "attention.query", width), {net.batch(), target, 1, width});
    const std::string key = net.reshape(net.linear(memory, "attention.key", width), {net.batch(), 1, source, width});
    const std::string pairs = net.unary("Tanh", net.add(query, key, "attention.pairs"));
    const std::string scores = net.reshape(net.linear(pairs, "attention.scores", 1), {net.batch(), target, source});
    return net.product(net.softmax(scores), memory, "attention.context");
}

}  // namespace

Graph gnmt(Network net) {
    constexpr std::int64_t kLayers = 8, kHidden = 1024, kVocabulary = 32000;
    const std::string sourceIds = net.input("source", {net.dimension("sequence")}, DataType::int64);
    const std::string targetIds = net.input("target", {net.dimension("target")}, DataType::int64);
    const auto look = [&](const std::string& ids, const std::string& side) {
        return net.lookUp(ids, side + ".embedding", net.stored(side + ".table", {kVocabulary, kHidden}));
    };
    // Sums around the layers begin with the third.
    const auto behind = [&](const std::string& x, const std::string& y, const std::string& sum, std::int64_t layer) {
        return layer < 2 ? y : net.add(x, y, sum);
    };
    std::string memory = net.lstm(look(sourceIds, "encoder"), "encoder.lstm0", kHidden, true);
    for (std::int64_t i = 1; i < kLayers; ++i) {
        const std::string layer = std::to_string(i);
        const std::string sum = "encoder.sum" + layer;
        const std::string made = net.lstm(memory, "encoder.lstm" + layer, kHidden, false);
        memory = behind(memory, made, sum, i);
    }
    std::string x = net.lstm(look(targetIds, "decoder"), "decoder.lstm0", kHidden, false);
    const std::string context = additiveAttention(net, x, memory, kHidden);
    for (std::int64_t i = 1; i < kLayers; ++i) {
        const std::string layer = std::to_string(i);
        const std::string both = net.concatenate({x, context}, 2, "decoder.concat" + layer);
        const std::string sum = "decoder.sum" + layer;
        const std::string made = net.lstm(both, "decoder.lstm" + layer, kHidden, false);
        x = behind(x, made, sum, i);
    }
    const std::string output = net.bias(net.linear(x, "head", kVocabulary));
    return std::move(net).finish(output);
}

namespace {

/// Normalises the features of all steps of all samples together.
std::string stepNorm(Network& net, const std::string& x) {
    const std::vector<std::int64_t> shape = net.shape(x);
    return net.reshape(net.batchNorm(net.reshape(x, {shape[0] * shape[1], shape[2]})), shape);
}

}  // namespace

Graph deepSpeech2(Network net) {
    constexpr std::int64_t kFrequencies = 161, kLayers = 5, kHidden = 1024, kSymbols = 29;
    const auto bounded = [&](const std::string& x) { return net.clip(net.batchNorm(x), 0, 20); };
    const std::string input = net.input("spectrogram", {1, kFrequencies, net.dimension("frames")});
    std::string x = bounded(net.wideConv(input, "conv1", 32, {.kernel = {41, 11}, .stride = {2, 2}, .pad = {20, 5}}));
    x = bounded(net.wideConv(x, "conv2", 32, {.kernel = {21, 11}, .stride = {2, 1}, .pad = {10, 5}}));
    const std::vector<std::int64_t> map = net.shape(x);
    x = net.transpose(net.reshape(x, {map[0], map[1] * map[2], map[3]}), {0, 2, 1});
    for (std::int64_t i = 1; i <= kLayers; ++i) {
        const std::string read = i == 1 ? x : stepNorm(net, x);
        const std::string both = net.lstm(read, "lstm" + std::to_string(i), kHidden, true);
        x = net.sum(net.reshape(both, {net.batch(), map[3], 2, kHidden}), 2);
    }
    const std::string output = net.softmax(net.linear(stepNorm(net, x), "fc", kSymbols));
    return std::move(net).finish(output);
}

}  // namespace tessera::model::zoo

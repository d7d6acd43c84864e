#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"

namespace tessera::model::zoo {

namespace {

constexpr std::int64_t kDense = 13;       ///< numbers of a Criteo sample
constexpr std::int64_t kCategories = 26;  ///< categories of a Criteo sample

/// Fully connected layers "NAME0", "NAME1", ..., each with an activation.
std::string tower(Network& net, std::string x, const std::string& name, const std::vector<std::int64_t>& widths,
                  const std::string& activation) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::string layer = name + std::to_string(i);
        x = net.unary(activation, net.fc(x, layer, widths[i]));
    }
    return x;
}

}  // namespace

Graph wideAndDeep(Network net) {
    constexpr std::int64_t kRows = 100'000, kWidth = 32;
    const std::string numbers = net.input("dense", {kDense});
    const std::string categories = net.input("categories", {kCategories}, DataType::int64);
    const std::string weights =
        net.lookUp(categories, "wide.embedding", net.stored("wide.table", {kCategories * kRows, 1}));
    const std::string wide = net.add(net.sum(weights, 1), net.fc(numbers, "wide.fc", 1), "wide.sum");
    std::vector<std::string> parts{numbers};
    for (std::int64_t i = 0; i < kCategories; ++i) {
        const std::string layer = "deep.embedding" + std::to_string(i);
        parts.push_back(net.lookUp(net.at(categories, 1, i), layer, net.stored(layer + ".table", {kRows, kWidth})));
    }
    const std::string deep = tower(net, net.concat(parts, "deep.concat"), "deep.fc", {1024, 512, 256}, "Relu");
    const std::string output = net.unary("Sigmoid", net.add(wide, net.fc(deep, "deep.fc3", 1), "sum"));
    return std::move(net).finish(output);
}

Graph dlrm(Network net) {
    constexpr std::int64_t kWidth = 16, kVectors = kCategories + 1;
    constexpr std::array<std::int64_t, kCategories> kRows{
        1460, 583,   10131227, 2202608, 305,  24,   12517, 633,     3,  93145, 5683,   8351593, 3194,
        27,   14992, 5461306,  10,      5652, 2173, 4,     7046547, 18, 15,    286181, 105,     142572};
    const std::string numbers = net.input("dense", {kDense});
    const std::string categories = net.input("categories", {kCategories}, DataType::int64);
    const std::string bottom = tower(net, numbers, "bottom.fc", {512, 256, 64, kWidth}, "Relu");
    std::vector<std::string> vectors{bottom};
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        const std::string layer = "embedding" + std::to_string(i);
        const std::string index = net.at(categories, 1, static_cast<std::int64_t>(i));
        vectors.push_back(net.lookUp(index, layer, net.stored(layer + ".table", {kRows.at(i), kWidth})));
    }
    const std::string all = net.reshape(net.concat(vectors, "vectors"), {net.batch(), kVectors, kWidth});
    const std::string pairs = net.product(all, net.transpose(all, {0, 2, 1}), "interaction");
    // Every pair of different vectors once.
    const std::string flat = net.reshape(pairs, {net.batch(), kVectors * kVectors});
    const std::string once = net.pick(flat, 1, kVectors * (kVectors - 1) / 2);
    const std::string x = tower(net, net.concat({bottom, once}, "features"), "top.fc", {512, 256}, "Relu");
    const std::string output = net.unary("Sigmoid", net.fc(x, "top.fc2", 1));
    return std::move(net).finish(output);
}

Graph neuMf(Network net) {
    constexpr std::int64_t kUsers = 138'493, kItems = 26'744, kFactors = 64, kWidth = 128;
    const std::string user = net.input("user", {}, DataType::int64);
    const std::string item = net.input("item", {}, DataType::int64);
    const auto look = [&](const std::string& ids, const std::string& layer, std::int64_t rows, std::int64_t width) {
        return net.lookUp(ids, layer, net.stored(layer + ".table", {rows, width}));
    };
    const std::string factors = net.multiply(look(user, "factors.user", kUsers, kFactors),
                                             look(item, "factors.item", kItems, kFactors), "factors.product");
    const std::string both =
        net.concat({look(user, "mlp.user", kUsers, kWidth), look(item, "mlp.item", kItems, kWidth)}, "mlp.concat");
    const std::string mlp = tower(net, both, "mlp.fc", {256, 128, kFactors}, "Relu");
    const std::string output = net.unary("Sigmoid", net.fc(net.concat({factors, mlp}, "concat"), "fc", 1));
    return std::move(net).finish(output);
}

namespace {

/// How much every step of the history counts for the item: a small network on both, their difference and product.
std::string interest(Network& net, const std::string& item, const std::string& history, const std::string& mask) {
    const std::vector<std::int64_t> shape = net.shape(history);
    const std::string wanted = net.expand(net.reshape(item, {shape[0], 1, shape[2]}), shape);
    const std::string pairs = net.concatenate({wanted, history, net.subtract(wanted, history, "attention.difference"),
                                               net.multiply(wanted, history, "attention.product")},
                                              2, "attention.concat");
    std::string x = net.unary("Sigmoid", net.bias(net.linear(pairs, "attention.fc0", 80)));
    x = net.unary("Sigmoid", net.bias(net.linear(x, "attention.fc1", 40)));
    const std::string scores = net.transpose(net.bias(net.linear(x, "attention.fc2", 1)), {0, 2, 1});
    const std::string weights =
        net.softmax(net.scale(net.masked(scores, mask), 1 / std::sqrt(static_cast<double>(shape[2]))));
    return net.reshape(net.product(weights, history, "attention.context"), {shape[0], shape[2]});
}

}  // namespace

Graph din(Network net) {
    constexpr std::int64_t kItems = 63'001, kGroups = 801, kWidth = 64;
    const std::int64_t steps = net.dimension("history");
    const std::string items = net.stored("items", {kItems, kWidth});
    const std::string groups = net.stored("groups", {kGroups, kWidth});
    const std::string item = net.input("item", {}, DataType::int64);
    const std::string group = net.input("group", {}, DataType::int64);
    const std::string pastItems = net.input("past_items", {steps}, DataType::int64);
    const std::string pastGroups = net.input("past_groups", {steps}, DataType::int64);
    const std::string mask = net.input("mask", {1, steps}, DataType::boolean);
    const std::string wanted = net.concat(
        {net.lookUp(item, "item.embedding", items), net.lookUp(group, "group.embedding", groups)}, "item.concat");
    const std::string history = net.concatenate(
        {net.lookUp(pastItems, "past_items.embedding", items), net.lookUp(pastGroups, "past_groups.embedding", groups)},
        2, "history.concat");
    const std::string user = net.fc(net.batchNorm(interest(net, wanted, history, mask)), "history.fc", 2 * kWidth);
    const std::string x = tower(net, net.batchNorm(net.concat({user, wanted}, "concat")), "fc", {80, 40}, "Sigmoid");
    const std::string offset = net.lookUp(item, "item.bias", net.stored("item.biases", {kItems, 1}));
    const std::string output = net.unary("Sigmoid", net.add(net.fc(x, "fc2", 1), offset, "sum"));
    return std::move(net).finish(output);
}

}  // namespace tessera::model::zoo

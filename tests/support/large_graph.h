#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/builder.h"

namespace tessera::test {

/// 10,000 operators: 100 blocks of 10 layers of 10; no two blocks are equal, so that nothing folds by repetition.
inline model::Graph largeGraph() {
    model::GraphBuilder builder("large", "test");
    builder.addInput("x", model::DataType::float32, std::vector<std::int64_t>{1, 64, 8, 8});
    std::string x = "x";
    for (int i = 0; i < 10'000; ++i) {
        const int block = i / 100;
        const std::string scope = "stage" + std::to_string(block / 25) + "." + std::to_string(block);
        const std::string layer = scope + ".layer" + std::to_string(i / 10 % 10);
        const std::string name = layer + ".op" + std::to_string(i % 10);
        model::Attributes attributes;
        const bool isSlope = i % 10 == 0;
        if (isSlope) attributes["alpha"] = 0.001 * (1 + block);
        x = builder.add({.type = isSlope ? "LeakyRelu" : "Relu",
                         .inputs = {x},
                         .outputs = {name},
                         .attributes = std::move(attributes),
                         .name = name,
                         .domain = {},
                         .layer = layer,
                         .block = scope});
    }
    builder.addOutput(x);
    return std::move(builder).build();
}

}  // namespace tessera::test

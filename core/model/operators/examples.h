#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/model/operators/operator_table.h"

/// Short forms for the worked examples of the table's rows.
namespace tessera::model {

inline ExampleTensor floats(std::vector<std::int64_t> shape) {
    return {.type = DataType::float32, .shape = std::move(shape)};
}
inline ExampleTensor floats(std::vector<std::int64_t> shape, std::vector<double> elements) {
    return {.type = DataType::float32, .shape = std::move(shape), .elements = std::move(elements)};
}
inline ExampleTensor wholes(std::vector<std::int64_t> shape) {
    return {.type = DataType::int64, .shape = std::move(shape)};
}
/// A stored list of integers.
inline ExampleTensor list(std::vector<double> elements) {
    const auto size = static_cast<std::int64_t>(elements.size());
    return {.type = DataType::int64, .shape = {size}, .elements = std::move(elements)};
}
/// A stored integer.
inline ExampleTensor whole(double element) {
    return {.type = DataType::int64, .shape = {}, .elements = std::vector<double>{element}};
}
inline ExampleTensor ofType(DataType type, std::vector<std::int64_t> shape) {
    return {.type = type, .shape = std::move(shape)};
}
inline ExampleTensor leftOut() {
    return {};
}

}  // namespace tessera::model

#include "core/base/error.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"

namespace tessera {

namespace {

std::string sentence(const Place& place, const std::string& found, const std::string& expected) {
    std::string text = escaped(place.file);
    if (place.line > 0) text += fmt::format(":{}", place.line);
    if (place.column > 0) text += fmt::format(":{}", place.column);
    if (!text.empty()) text += ": ";
    if (!place.where.empty()) text += place.where + ": ";
    text += place.field.empty() ? "found " : fmt::format("field '{}' is ", escaped(place.field));
    return text + found + "; expected " + expected;
}

}  // namespace

DataError::DataError(Place where, std::string found_, std::string expected_)
    : std::runtime_error(sentence(where, found_, expected_)),
      place(std::move(where)),
      found(std::move(found_)),
      expected(std::move(expected_)) {}

}  // namespace tessera

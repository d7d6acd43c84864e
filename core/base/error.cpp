#include "core/base/error.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"

namespace tessera {

namespace {

constexpr std::size_t kLongest = 4096;  // of each part, which may hold text from a file

/// "FILE:LINE: node 'conv1': ".
std::string beginning(const Place& place) {
    std::string text = escaped(place.file, kLongest);
    if (place.line > 0) text += fmt::format(":{}", place.line);
    if (place.column > 0) text += fmt::format(":{}", place.column);
    if (!text.empty()) text += ": ";
    if (!place.where.empty()) text += escaped(place.where, kLongest) + ": ";
    return text;
}

std::string sentence(const Place& place, const std::string& found, const std::string& expected) {
    std::string text = beginning(place);
    text += place.field.empty() ? "found " : fmt::format("field '{}' is ", escaped(place.field));
    return text + escaped(found, kLongest) + "; expected " + escaped(expected, kLongest);
}

}  // namespace

DataError::DataError(Place where, std::string found_, std::string expected_)
    : std::runtime_error(sentence(where, found_, expected_)),
      place(std::move(where)),
      found(std::move(found_)),
      expected(std::move(expected_)) {}

DataError::DataError(Place where, std::string sentence_)
    : std::runtime_error(beginning(where) + escaped(sentence_, kLongest)),
      place(std::move(where)),
      found(std::move(sentence_)) {}

}  // namespace tessera

#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// A character of UTF-8 text.
struct Character {
    std::size_t length = 0;  ///< in bytes; 0 = the bytes are not well-formed
    char32_t code = 0;       ///< its code point
};

/// The well-formed character at the start of a text that is not empty.
Character firstCharacter(std::string_view text);

/// True for characters without a glyph and for those that act on a terminal, on line-based readers or on the text
/// around them: controls, separators of lines and paragraphs, marks of direction, and characters without a width.
bool isControl(char32_t code);

/// Number of terminal columns of a text: two for a wide character (East Asian Width W and F), none for a mark that
/// combines with the one before, else one.
std::size_t displayWidth(std::string_view text);

}  // namespace tessera

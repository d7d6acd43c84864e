#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

/// Names and notes come from strangers' files. How they are written so that each kind of reader takes them for text,
/// whatever they hold; `escaped` does the same for terminals.
namespace tessera {

inline constexpr std::size_t kUncut = std::numeric_limits<std::size_t>::max();

/// Escapes a text for a spreadsheet: removes control characters and puts an apostrophe before what would be taken for a
/// formula (= + - @, also behind blanks or apostrophes). A number stays as it is, a negative one too.
std::string sheetText(std::string_view text);
/// Inverse of `sheetText`, except that removed control characters stay removed.
std::string_view fromSheet(std::string_view cell);

/// A cell of CSV (RFC 4180): `sheetText`, in double quotes where it holds a separator, a quote, what begins a comment
/// in Tessera's own tables (# //), or blanks at an end.
std::string csvCell(std::string_view text);

/// Inside HTML and SVG, in an element or an attribute.
std::string htmlEscaped(std::string_view text);

/// Inside Markdown: what would be read as markup stands behind a backslash.
std::string markdownEscaped(std::string_view text);

/// Inside a Graphviz string in double quotes, shown as it stands; cut after `limit` bytes.
std::string dotEscaped(std::string_view text, std::size_t limit = kUncut);

/// A JSON text whose strings hold no control characters: those that JSON leaves as they are become \uNNNN, which reads
/// back the same. Keeps the text where there is none.
std::string jsonEscaped(std::string json);

}  // namespace tessera

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Text from a file made safe to show on one line: control characters (what acts on a terminal or on the text around
/// it, and invisible characters: `isControl` of character.h) and bytes that are not UTF-8 become `\xNN`, and what is
/// longer than `limit` bytes is cut (at a character's start) with an ellipsis.
std::string escaped(std::string_view text, std::size_t limit = 256);

/// `escaped` between single quotes, as error messages show values.
std::string inQuotes(std::string_view text, std::size_t limit = 80);

/// True where the bytes are well-formed UTF-8 (no overlong forms, no surrogates).
bool isUtf8(std::string_view text);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);
/// ASCII letters in lower case, all other bytes as they are, whatever the locale.
std::string lowered(std::string_view text);

/// The name in `known` that a person probably meant by `name` (case-insensitive edit distance at most 2, or a
/// common prefix), or an empty view. For "did you mean" hints.
std::string_view closest(std::string_view name, const std::vector<std::string>& known);
/// The result views into `known`, which must therefore outlive it.
std::string_view closest(std::string_view name, std::vector<std::string>&& known) = delete;
/// The names in `known`, at most `count`, that have most of the letters of `name` in its order and little else, the
/// nearest first: for long names, such as paths. The results view into `known`.
std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string>& known,
                                           std::size_t count);
/// Returns `sentence` with that name in quotes for its {}, or `otherwise` where no known name is close.
std::string withClosest(std::string_view sentence, std::string_view name, const std::vector<std::string>& known,
                        std::string_view otherwise = {});

}  // namespace tessera

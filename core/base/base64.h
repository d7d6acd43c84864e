#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// Bytes as a text of letters, digits, '+', '/' and '=' (RFC 4648), for JSON.
std::string toBase64(std::string_view bytes);
/// The bytes again; empty where the text is no such text.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace tessera

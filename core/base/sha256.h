#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// SHA-256 of the bytes as 64 lower-case hexadecimal digits; names the inputs of a result.
std::string sha256(std::string_view bytes);

}  // namespace tessera

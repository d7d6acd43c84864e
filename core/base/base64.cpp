#include "core/base/base64.h"

#include <openssl/evp.h>

#include <limits>
#include <stdexcept>

namespace tessera {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const unsigned char* bytesOf(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytesOf(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

int lengthOf(std::string_view text) {
    if (text.size() > std::numeric_limits<int>::max() / 2)
        throw std::length_error("a text of more than 1 GiB as base64");
    return static_cast<int>(text.size());
}

}  // namespace

std::string toBase64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the zero that ends it
    text.resize(static_cast<std::size_t>(EVP_EncodeBlock(bytesOf(text), bytesOf(bytes), lengthOf(bytes))));
    return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
    const std::size_t digits = text.find_last_not_of('=') + 1;
    const std::size_t padding = text.size() - digits;
    if (text.size() % 4 != 0 || padding > 2) return std::nullopt;
    if (text.substr(0, digits).find_first_not_of(kDigits) != std::string_view::npos) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(bytesOf(bytes), bytesOf(text), lengthOf(text)) < 0) return std::nullopt;
    bytes.resize(bytes.size() - padding);
    return bytes;
}

}  // namespace tessera

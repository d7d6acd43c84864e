#include "core/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "core/base/poll.h"

namespace tessera {

std::string sha256(std::string_view bytes) {
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    constexpr std::size_t kChunkMicroseconds = 3000;
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    bool works = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    for (; works && !bytes.empty(); bytes.remove_prefix(std::min(kChunk, bytes.size()))) {
        const std::string_view chunk = bytes.substr(0, kChunk);
        works = EVP_DigestUpdate(context.get(), chunk.data(), chunk.size()) == 1;
        if (chunk.size() == kChunk) poll(kChunkMicroseconds);
    }
    if (!works || EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1)
        throw std::runtime_error("SHA-256 is not available in this installation of OpenSSL");
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
}

}  // namespace tessera

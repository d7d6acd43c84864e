#include "core/store/compression.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>

#include "core/store/store.h"

namespace tessera::store {

namespace {

constexpr int kLevel = 3;

[[noreturn]] void failCompression(const std::string& why) {
    throw StoreError(StoreProblem::damaged, why);
}

}  // namespace

std::string compressed(std::string_view bytes) {
    // Little of the room is touched, and so little memory taken.
    const std::size_t room = ZSTD_compressBound(bytes.size());
    const auto result = std::make_unique_for_overwrite<char[]>(room);  // NOLINT(modernize-avoid-c-arrays)
    const std::size_t size = ZSTD_compress(result.get(), room, bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size) != 0) failCompression(ZSTD_getErrorName(size));
    return {result.get(), size};
}

std::string decompressed(std::string_view bytes, std::size_t size) {
    if (size > kLargestContent)
        failCompression(fmt::format("it would be {} bytes; at most {} MiB are kept", size, kLargestContent >> 20));
    if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size)
        failCompression("its size is not the one that was noted");
    std::string result(size, '\0');
    const std::size_t written = ZSTD_decompress(result.data(), result.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(written) != 0) failCompression(ZSTD_getErrorName(written));
    if (written != size) failCompression("it is cut off");
    return result;
}

}  // namespace tessera::store

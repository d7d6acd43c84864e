#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::store {

/// Largest content that the history keeps, and so the maximum size of one that is read.
inline constexpr std::size_t kLargestContent = std::size_t{512} << 20;

/// One zstd frame that says its content's size.
std::string compressed(std::string_view bytes);

/// Throws StoreError (damaged), whose message says no more than why, where the bytes are no such frame,
/// or hold another number of bytes than `size`, or more than kLargestContent.
std::string decompressed(std::string_view bytes, std::size_t size);

}  // namespace tessera::store

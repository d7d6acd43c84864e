#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::codesign {

/// Sets of operators or layers as words of 64 bits.
using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

inline std::size_t wordsFor(std::size_t count) {
    return (count + kWordBits - 1) / kWordBits;
}
inline bool has(const Word* set, std::size_t i) {
    return (set[i / kWordBits] >> (i % kWordBits) & 1U) != 0;
}
inline void insertBit(Word* set, std::size_t i) {
    set[i / kWordBits] |= Word{1} << (i % kWordBits);
}
inline void eraseBit(Word* set, std::size_t i) {
    set[i / kWordBits] &= ~(Word{1} << (i % kWordBits));
}

/// Calls visit(i) for every member of a word whose first bit is `base`, in ascending order.
template <typename Visit>
void forEachBit(Word word, std::size_t base, const Visit& visit) {
    for (; word != 0; word &= word - 1) visit(base + static_cast<std::size_t>(std::countr_zero(word)));
}

/// One set for each of `count` operators.
class BitRows {
public:
    BitRows() = default;
    explicit BitRows(std::size_t count) : words_(wordsFor(count)), bits_(count * words_, 0) {}

    Word* operator[](std::size_t row) { return bits_.data() + row * words_; }
    const Word* operator[](std::size_t row) const { return bits_.data() + row * words_; }
    std::size_t words() const { return words_; }

private:
    std::size_t words_ = 0;
    std::vector<Word> bits_;
};

}  // namespace tessera::codesign

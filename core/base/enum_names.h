#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// The words for the values of an enum, in files, options and help: written once, beside the enum, in the order of its
/// values, which count from 0. Values at the end may have none.
template <typename Enum>
class EnumNames {
public:
    constexpr EnumNames(std::initializer_list<std::string_view> names) : count_(names.size()) {
        std::size_t next = 0;
        for (const std::string_view name : names) names_.at(next++) = name;
    }

    constexpr std::size_t size() const { return count_; }
    constexpr std::string_view of(Enum value) const { return names_.at(static_cast<std::size_t>(value)); }
    /// The value that a word stands for; nothing where it is none of them.
    constexpr std::optional<Enum> named(std::string_view word) const {
        for (std::size_t i = 0; i < count_; ++i)
            if (names_.at(i) == word) return static_cast<Enum>(i);
        return std::nullopt;
    }
    std::vector<std::string_view> all() const { return {names_.begin(), names_.begin() + count_}; }

private:
    std::array<std::string_view, 12> names_{};
    std::size_t count_;
};

}  // namespace tessera

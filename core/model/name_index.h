#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/number.h"

namespace tessera::model {

/// A set of indices of named things, looked up by name; the names stay where they are.
template <typename Named>
class NameIndex {
public:
    /// -1 where there is none.
    std::int32_t find(const std::vector<Named>& things, std::string_view name) const {
        const auto [first, last] = indices_.equal_range(hash(name));
        for (auto entry = first; entry != last; ++entry)
            if (things[toIndex(entry->second)].name == name) return entry->second;
        return -1;
    }
    void add(std::string_view name, std::int32_t index) { indices_.emplace(hash(name), index); }
    void reserve(std::size_t size) { indices_.reserve(size); }

private:
    static std::size_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

    std::unordered_multimap<std::size_t, std::int32_t> indices_;
};

}  // namespace tessera::model

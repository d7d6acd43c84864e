#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Many short lists of indices side by side in one: as vectors they would take ten times the memory.
class IndexLists {
public:
    IndexLists() = default;
    /// `forEach(add)` calls `add(list, index)` for every index of every list, those of one list in their order. It is
    /// called twice.
    template <typename ForEach>
    IndexLists(std::size_t lists, const ForEach& forEach) : starts_(lists + 1, 0) {
        forEach([&](std::size_t list, std::int32_t /*index*/) { ++starts_[list + 1]; });
        for (std::size_t list = 0; list < lists; ++list) starts_[list + 1] += starts_[list];
        indices_.resize(starts_.back());
        std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
        forEach([&](std::size_t list, std::int32_t index) { indices_[next[list]++] = index; });
    }

    std::size_t size() const { return starts_.empty() ? 0 : starts_.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t list) const {
        return {indices_.data() + starts_[list], indices_.data() + starts_[list + 1]};
    }

private:
    std::vector<std::uint32_t> starts_;
    std::vector<std::int32_t> indices_;
};

}  // namespace tessera

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tessera::plan {

/// Calls `use` with every way to give `layers` to some stages, at least one each.
inline void forEachComposition(int layers, std::size_t stages,
                               const std::function<void(const std::vector<int>&)>& use) {
    std::vector<int> held;
    const std::function<void(int)> place = [&](int left) {
        if (held.size() + 1 == stages) {
            if (left < 1) return;
            held.push_back(left);
            use(held);
            held.pop_back();
            return;
        }
        for (int each = 1; each < left; ++each) {
            held.push_back(each);
            place(left - each);
            held.pop_back();
        }
    };
    place(layers);
}

}  // namespace tessera::plan

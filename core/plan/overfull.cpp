#include "core/plan/overfull.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::plan {

namespace {

/// Most layers of each stage where no accelerator is fuller than a share.
std::vector<int> layersAt(double share, int layers, std::size_t stages, std::span<const StageNeed> needs) {
    std::vector<int> most(stages, layers);
    for (const StageNeed& need : needs) {
        const double held = (share * need.capacity - need.fixed) / need.layer;
        int& its = most[need.stage];
        its = std::min(its, held < 1 ? 0 : static_cast<int>(std::min(held, static_cast<double>(layers))));
    }
    return most;
}

bool holdsAll(const std::vector<int>& most, int layers) {
    std::int64_t sum = 0;
    for (const int each : most) {
        if (each < 1) return false;
        sum += each;
    }
    return sum >= layers;
}

/// The fullest of the needs; of a stage with one layer only where `all`.
std::size_t fullestOf(std::span<const StageNeed> needs, const std::vector<int>& held, bool all) {
    std::size_t fullest = needs.size();
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const int own = held[needs[i].stage];
        if (!all && own <= 1) continue;
        if (fullest == needs.size() || needs[i].share(own) > needs[fullest].share(held[needs[fullest].stage]))
            fullest = i;
    }
    return fullest;
}

}  // namespace

BindingNeed bindingNeedOf(int layers, std::size_t stages, std::span<const StageNeed> needs) {
    const int even = static_cast<int>((static_cast<std::size_t>(layers) + stages - 1) / stages);
    double low = 0, high = 0;
    for (const StageNeed& need : needs) high = std::max(high, need.share(even));
    constexpr int kHalvings = 48;
    high *= 1 + 1e-12;  // rounding may put the even division a little above
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (holdsAll(layersAt(middle, layers, stages, needs), layers) ? high : low) = middle;
    }
    std::vector<int> held = layersAt(high, layers, stages, needs);
    int surplus = -layers;
    for (const int each : held) surplus += each;
    for (; surplus > 0; --surplus) {
        const std::size_t fullest = fullestOf(needs, held, false);
        if (fullest == needs.size()) break;
        --held[needs[fullest].stage];
    }
    const std::size_t binding = fullestOf(needs, held, true);
    return {binding, held[needs[binding].stage]};
}

}  // namespace tessera::plan

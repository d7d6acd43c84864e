#include "core/codesign/schedule/schedule_cores.h"

#include <algorithm>

namespace tessera::codesign {

CorePool::CorePool(const Cores& cores)
    : tensorBusy_(static_cast<std::size_t>(cores.tensor), false),
      vectorBusy_(static_cast<std::size_t>(cores.vector), false) {}

std::int64_t CorePool::freePair() const {
    const std::size_t pairs = std::min(tensorBusy_.size(), vectorBusy_.size());
    for (std::size_t c = 0; c < pairs; ++c)
        if (!tensorBusy_[c] && !vectorBusy_[c]) return static_cast<std::int64_t>(c + 1);
    return 0;
}

std::int64_t CorePool::freeCore(const std::vector<bool>& mine, const std::vector<bool>& theirs,
                                CorePreference preference, std::int64_t partner) const {
    const std::size_t pairs = std::min(mine.size(), theirs.size());
    if (preference == CorePreference::partner) {
        const auto c = static_cast<std::size_t>(partner - 1);
        return c < mine.size() && !mine[c] ? partner : 0;
    }
    if (preference != CorePreference::whole)
        for (std::size_t c = pairs; c < mine.size(); ++c)
            if (!mine[c]) return static_cast<std::int64_t>(c + 1);
    if (preference == CorePreference::unpaired) return 0;
    for (const bool partnerBusy : {true, false}) {
        if (partnerBusy && preference == CorePreference::whole) continue;
        for (std::size_t c = 0; c < pairs; ++c)
            if (!mine[c] && theirs[c] == partnerBusy) return static_cast<std::int64_t>(c + 1);
    }
    return 0;
}

CorePool::Taken CorePool::acquire(CoreKind kind, CorePreference preference, std::int64_t partner) {
    Taken taken;
    if (kind == CoreKind::fused)
        taken.tensor = taken.vector = freePair();
    else if (kind == CoreKind::tensor)
        taken.tensor = freeCore(tensorBusy_, vectorBusy_, preference, partner);
    else
        taken.vector = freeCore(vectorBusy_, tensorBusy_, preference, partner);
    if (taken.tensor > 0) tensorBusy_[static_cast<std::size_t>(taken.tensor - 1)] = true;
    if (taken.vector > 0) vectorBusy_[static_cast<std::size_t>(taken.vector - 1)] = true;
    return taken;
}

void CorePool::release(const Taken& taken) {
    if (taken.tensor > 0) tensorBusy_[static_cast<std::size_t>(taken.tensor - 1)] = false;
    if (taken.vector > 0) vectorBusy_[static_cast<std::size_t>(taken.vector - 1)] = false;
}

}  // namespace tessera::codesign

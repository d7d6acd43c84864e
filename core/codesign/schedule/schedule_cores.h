#pragma once

#include <cstdint>
#include <vector>

#include "core/codesign/schedule/schedule_piece.h"

namespace tessera::codesign {

/// Free cores while a schedule is written down.
class CorePool {
public:
    struct Taken {
        std::int64_t tensor = 0, vector = 0;  ///< from 1; 0 = none
    };
    /// Preferred core of a tensor or vector operator.
    enum class CorePreference {
        any,       ///< one without a partner first, then one whose partner is busy
        unpaired,  ///< one without a partner
        whole,     ///< one whose partner is free
        partner,   ///< the partner of a certain core
    };

    explicit CorePool(const Cores& cores);

    /// Zeros where no core fits the preference. `partner` (from 1) is the core of the other kind whose
    /// partner is preferred.
    Taken acquire(CoreKind kind, CorePreference preference = CorePreference::any, std::int64_t partner = 0);
    void release(const Taken& taken);

private:
    std::int64_t freePair() const;
    std::int64_t freeCore(const std::vector<bool>& mine, const std::vector<bool>& theirs, CorePreference preference,
                          std::int64_t partner) const;

    std::vector<bool> tensorBusy_, vectorBusy_;
};

}  // namespace tessera::codesign

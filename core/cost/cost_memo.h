#pragma once

#include <cstddef>
#include <unordered_map>

#include "core/cost/core_cost.h"
#include "core/cost/tensor_core.h"

namespace tessera::cost {

/// Estimates that are kept by pairs of work and architecture: architectures that differ only in what the work does not
/// touch (vector cores for a product, arrays for element-wise work) share one. Not for several threads: each has its
/// own, and since an estimate depends on its pair alone, results do not depend on how pairs meet memos.
class CostMemo {
public:
    CostMemo(const Estimator& estimator, const hardware::Rates& rates) : estimator_(estimator), rates_(rates) {}

    /// The estimate; the reference holds as long as the memo. `problemOf(work)` must be empty.
    const OperatorCost& of(const CoreWork& work, const hardware::Architecture& architecture);

    std::size_t size() const { return known_.size(); }
    const Estimator& estimator() const { return estimator_; }
    const hardware::Rates& rates() const { return rates_; }

private:
    struct Key {
        CoreWork work;
        hardware::Architecture architecture;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    const Estimator& estimator_;
    hardware::Rates rates_;
    TilingMemo tilings_;
    std::unordered_map<Key, OperatorCost, Hash> known_;
};

}  // namespace tessera::cost

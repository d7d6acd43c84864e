#include "core/cost/cost_memo.h"

#include <cassert>

#include "core/cost/mixer.h"

namespace tessera::cost {

namespace {

/// The architecture without what the work does not touch. The bandwidth of the global buffer stays, derived or not.
hardware::Architecture touched(const CoreWork& work, hardware::Architecture architecture) {
    if (!work.vector) {
        architecture.vectorCores = 0;
        architecture.vectorL2 = {};
    } else if (!work.gemm) {
        architecture.tensorCores = 0;
        architecture.height = 0;
        architecture.tensorL2 = {};
    }
    return architecture;
}

}  // namespace

std::size_t CostMemo::Hash::operator()(const Key& key) const {
    Mixer mixer;
    if (key.work.gemm) {
        const Gemm& gemm = *key.work.gemm;
        mixer.add(gemm.batch).add(gemm.m).add(gemm.n).add(gemm.k).add(gemm.leftShare).add(gemm.outputShare);
    }
    if (key.work.vector) {
        const VectorWork& vector = *key.work.vector;
        mixer.add(vector.elements).add(vector.cyclesPerElement).add(vector.reads).add(vector.writes);
    }
    const hardware::Architecture& a = key.architecture;
    mixer.add(a.tensorCores).add(a.vectorCores).add(a.width).add(a.height).add(a.globalBuffer.value);
    mixer.add(a.tensorL2.value).add(a.vectorL2.value).add(a.globalWords);
    return mixer.result();
}

const OperatorCost& CostMemo::of(const CoreWork& work, const hardware::Architecture& architecture) {
    assert(problemOf(work).empty());
    const auto [entry, isNew] = known_.try_emplace({work, touched(work, architecture)});
    if (isNew) entry->second = estimator_.estimateWith(work, architecture, rates_, tilings_);
    return entry->second;
}

}  // namespace tessera::cost

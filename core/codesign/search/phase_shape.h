#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/codesign/schedule/operators.h"
#include "core/codesign/schedule/schedule.h"
#include "core/codesign/search/workload.h"

namespace tessera::codesign {

/// Seconds of an operator on one core and on all cores.
struct Latency {
    double one = 0;
    double all = 0;
};

/// A phase of a layer with everything that does not depend on the architecture worked out.
class PhaseShape {
public:
    /// AllReduces are over `degree` accelerators.
    PhaseShape(const LayerPhase& phase, std::int64_t degree);

    std::size_t size() const { return graph_.operators.size(); }
    /// Lower bound of the makespan of any schedule: longest path and load of the cores, piece by piece. `works` are
    /// latencies by work, `network` is the bandwidth of AllReduces.
    double bound(const std::vector<Latency>& works, const Cores& cores, BytesPerSecond network) const;
    /// The operators with their latencies in seconds, to be scheduled.
    OperatorGraph operators(const std::vector<Latency>& works, BytesPerSecond network) const;
    /// Seconds of all AllReduces.
    double reduceTime(BytesPerSecond network) const;
    const LayerPhase& phase() const { return phase_; }

private:
    Latency latencyOf(std::size_t op, const std::vector<Latency>& works, BytesPerSecond network) const {
        const LayerOperator& of = phase_.operators[op];
        if (!of.reduced) return works[of.work];
        const double wait = waitOf(of, network);
        return {wait, wait};
    }
    double waitOf(const LayerOperator& reduce, BytesPerSecond network) const;

    const LayerPhase& phase_;
    std::int64_t degree_;
    OperatorGraph graph_;  ///< without latencies
    struct Step {
        std::uint32_t op = 0;
        std::uint32_t before = 0;  ///< end of its entries in `before_`
        bool lastOfPiece = false;
    };
    std::vector<Step> steps_;  ///< in topological order, piece by piece
    std::vector<std::uint32_t> before_;
};

}  // namespace tessera::codesign

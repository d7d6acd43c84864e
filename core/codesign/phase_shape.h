#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/codesign/operators.h"
#include "core/codesign/schedule.h"
#include "core/codesign/workload.h"

namespace tessera::codesign {

/// Seconds of an operator on one core and on all cores.
struct Latency {
    double one = 0;
    double all = 0;
};

/// A phase of a layer with everything that does not depend on the architecture worked out.
class PhaseShape {
public:
    /// `width` and `bandwidth` are those of AllReduces.
    PhaseShape(const LayerPhase& phase, std::int64_t width, BytesPerSecond bandwidth);

    std::size_t size() const { return graph_.operators.size(); }
    /// No schedule is shorter: longest path and load of the cores, piece by piece. `works` are latencies by work.
    double bound(const std::vector<Latency>& works, const Cores& cores) const;
    /// The operators with their latencies in seconds, to be scheduled.
    OperatorGraph operators(const std::vector<Latency>& works) const;
    /// Seconds of one operator after the other, each in its faster form.
    double serial(const std::vector<Latency>& works) const;
    /// Seconds of all AllReduces.
    double network() const { return network_; }
    const LayerPhase& phase() const { return phase_; }

private:
    Latency latencyOf(std::size_t op, const std::vector<Latency>& works) const {
        const LayerOperator& of = phase_.operators[op];
        return of.reduced ? Latency{waits_[op], waits_[op]} : works[of.work];
    }

    const LayerPhase& phase_;
    OperatorGraph graph_;        ///< without latencies
    std::vector<double> waits_;  ///< seconds of AllReduces, by operator
    double network_ = 0;
    struct Step {
        std::uint32_t op = 0;
        std::uint32_t before = 0;  ///< end of its entries in `before_`
        bool lastOfPiece = false;
    };
    std::vector<Step> steps_;  ///< in topological order, piece by piece
    std::vector<std::uint32_t> before_;
};

}  // namespace tessera::codesign

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/evaluator.h"

namespace tessera::mapping {

/// A relaxation of schedules: on the clock that stops while cores stall (see evaluator.h), time is cut into equal
/// spans, and within a span every core moves its bytes evenly. Evening out the required bandwidth only shortens stalls,
/// so that its makespan is not above the schedule's but for rounding; no schedule is made, and a change costs a few
/// hundred additions.
class CoarseSchedule {
public:
    /// The problem outlives it.
    explicit CoarseSchedule(const Problem& problem);

    /// Holds orders of jobs by core, every job once.
    void hold(std::span<const std::vector<std::int32_t>> orders);
    const std::vector<std::vector<std::int32_t>>& orders() const { return orders_; }
    /// Makespan of what is held, in cycles.
    double makespan() const { return held_; }
    /// Makespan after a change to what is held, in cycles; infinity where the cores' no-stall cycles or the bytes alone
    /// are above the limit. `keep` makes the last change tried, unless it was infinite, the held one.
    double tryMove(const Evaluator::Move& move, double limit);
    double trySwap(const Evaluator::Swap& exchange, double limit);
    void keep();

    /// Anneals over moves and exchanges of jobs, from a temperature relative to the makespan down to nothing; holds the
    /// best. Calls `poll`, which may throw, every fraction of a millisecond.
    void anneal(RandomStream& random, std::int64_t proposals, double temperature, const std::function<void()>& poll);

private:
    static constexpr std::size_t kSpans = 256, kBlock = 16, kBlocks = kSpans / kBlock;
    using Spans = std::array<float, kSpans>;  ///< cycles at the whole bandwidth
    struct Place {
        std::int32_t core = 0;
        std::int32_t position = 0;
    };
    struct Change {
        std::size_t core = 0;
        std::vector<std::int32_t> order;
        std::size_t position = 0;  ///< first that differs
        std::size_t first = 0;     ///< span that may differ
        Spans moved{};             ///< from there on
        double end = 0;
    };
    double cycles(std::size_t pair) const { return problem_.latency[pair] * share_[pair]; }
    std::size_t fill(const std::vector<std::int32_t>& order, std::size_t core, std::size_t position,
                     Spans& moved) const;
    double stallsOf(const Spans& moved, std::size_t block) const;
    double makespanOf(const Spans& moved, double end, std::size_t block) const;
    bool isAbove(double limit, std::size_t changes, double moved) const;
    double tryChanges(std::size_t count);
    void sumUp();

    const Problem& problem_;
    std::size_t jobs_, cores_;
    double width_ = 0;  ///< cycles of a span; the last one has no end
    std::vector<std::vector<std::int32_t>> orders_;
    std::vector<Place> place_;
    std::vector<Spans> moved_;   ///< by core
    std::vector<double> ends_;   ///< no-stall cycles, by core
    std::vector<double> share_;  ///< required share of the bandwidth, by pair
    Spans sum_{}, sumTried_{};
    std::array<double, kBlocks + 1> stalled_{};  ///< cycles before every block of spans
    std::size_t firstTried_ = 0;                 ///< span that differs in what was tried
    double all_ = 0;                             ///< cycles at the whole bandwidth, of all jobs
    double held_ = 0, tried_ = 0, allTried_ = 0;
    std::array<Change, 2> changes_;
    std::size_t changed_ = 0;
};

}  // namespace tessera::mapping

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/mapping/mapping.h"

namespace tessera::mapping {

/// Values of mappings, fast and without allocating once it has grown to the problem's size: of whole mappings, and of
/// local changes to a mapping that it holds as explicit orders.
///
/// All running jobs slow down by the same factor, so the order in which jobs finish does not depend on the bandwidth:
/// on a clock τ that stops while they stall every core's jobs end at the sums of their no-stall latencies, and time
/// advances by max(1, R(τ)/BW) dτ, where R is the required bandwidth of the running jobs. One merge of the cores'
/// timelines is the whole evaluation. A change redoes the timelines of the cores that it touches, and the merge from
/// the last landmark before it. The values are the same bits whichever way they came about.
///
/// Not for use by several threads at once; the problem outlives it and has no `problems`.
class Evaluator {
public:
    explicit Evaluator(const Problem& problem);

    /// Values of a mapping of the problem's size. Forgets what is held.
    Values evaluate(const Mapping& mapping);

    /// A job to another place: `position` counts among the jobs of `core` without this one, from 0 to their number.
    struct Move {
        std::int32_t job = 0;
        std::int32_t core = 0;
        std::int32_t position = 0;
    };
    /// Two jobs change places, on one core or on two.
    struct Swap {
        std::int32_t first = 0;
        std::int32_t second = 0;
    };

    /// Holds a mapping and evaluates it.
    Values hold(const Mapping& mapping);
    Values hold(std::span<const std::vector<std::int32_t>> orders);
    /// Job order of a core in the held mapping. Below: its objective values, the place of a job, the no-stall cycles of
    /// a core.
    std::span<const std::int32_t> order(std::size_t core) const { return {line(core).job.data(), line(core).size}; }
    const Values& values() const { return held_; }
    std::int32_t coreOf(std::int32_t job) const { return place_[static_cast<std::size_t>(job)].core; }
    std::int32_t positionOf(std::int32_t job) const { return place_[static_cast<std::size_t>(job)].position; }
    double busy(std::size_t core) const { return line(core).end(); }

    /// Upper limits beyond which a move is rejected early: on more, any value above the limit may be returned, and the
    /// change cannot be kept.
    struct Limit {
        double makespan = std::numeric_limits<double>::infinity();
    };
    /// Values after a change to what is held. `keep` makes the last change tried the held one.
    Values tryMove(const Move& move, const Limit& limit);
    Values tryMove(const Move& move) { return tryMove(move, Limit{}); }
    Values trySwap(const Swap& exchange, const Limit& limit);
    Values trySwap(const Swap& exchange) { return trySwap(exchange, Limit{}); }
    void keep();

    /// The held mapping as core and priority of every job, evenly spaced.
    Mapping mapping() const;
    /// Start and finish of every job of the held mapping. Times are the same bits as those of the values.
    Schedule schedule();

private:
    struct Event {
        double finish = 0;             ///< of a job, no-stall cycles
        double requiredBandwidth = 0;  ///< until then
    };
    struct Line {  ///< of one core; events have one entry more, for a core that has nothing left to do
        std::vector<std::int32_t> job;
        std::vector<Event> events;
        std::size_t size = 0;
        double end() const { return size == 0 ? 0 : events[size - 1].finish; }
    };
    struct Place {
        std::int32_t core = 0;
        std::int32_t position = 0;
    };
    struct Landmark {  ///< the merge after a number of events
        double now = 0, total = 0, completions = 0, moved = 0;
    };
    struct Touched {
        std::int32_t core = -1;
        std::size_t from = 0;  ///< first position that differs
    };

    const Line& line(std::size_t core) const { return lines_[core]; }
    void fill(Line& line, std::size_t core, std::size_t start) const;
    void rebuildTimelines();
    template <typename Observe>
    Values merge(std::size_t landmark, double limit, const Observe& watch);
    template <std::size_t kLeaves, typename Observe>
    Values mergeOf(std::size_t landmark, double limit, const Observe& watch);
    Values evaluateChange(std::size_t touched, double limit);
    static void prepare(Line& line, std::size_t size);
    double maxEndWithout(std::int32_t first, std::int32_t second) const;

    const Problem& problem_;
    std::size_t jobs_, cores_, leaves_;
    double perByte_;               ///< 1 / bandwidth
    std::vector<double> bytes_;    ///< latency · required bandwidth, by pair
    std::vector<Line> lines_;      ///< held
    std::array<Line, 2> changed_;  ///< of the cores that a change touches
    std::array<Touched, 2> touched_{};
    std::size_t touchedCount_ = 0;
    bool keepable_ = false;
    std::vector<Place> place_;
    Values held_, tried_;
    double bytesHeld_ = 0, bytesTried_ = 0;
    double horizon_ = 0;  ///< of the merge under way: no-stall cycles of the fullest core
    double energyTried_ = 0;

    std::size_t stride_ = 8;  ///< events between landmarks
    std::size_t firstTried_ = 0;
    std::vector<Landmark> landmarks_, triedLandmarks_;
    std::vector<std::int32_t> cursors_, triedCursors_;  ///< by landmark and core

    std::vector<const Event*> events_;  ///< of the merge under way, by core
    std::vector<const Event*> next_;    ///< of every core, in it
    std::vector<std::int64_t> key_;     ///< tournament of the next finishes, as ordered bits
    std::vector<std::int32_t> winner_;
    std::vector<double> requested_;  ///< sums of required bandwidths

    struct Keyed {
        double priority = 0;
        std::int32_t job = 0;
    };
    void arrange(const Mapping& mapping);
    static void sort(Keyed* first, Keyed* last);
    std::vector<Keyed> drawn_, sorted_;
    std::vector<std::uint32_t> bucket_, begin_;
};

}  // namespace tessera::mapping

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/poll.h"
#include "core/base/run_control.h"
#include "core/codesign/schedule/schedule_piece.h"

namespace tessera::codesign {

/// Remaining budget of a search, shared by the pieces of a graph.
class Budget {
public:
    Budget(std::chrono::steady_clock::time_point deadline, std::optional<std::int64_t> nodes, std::stop_token stop)
        : deadline_(deadline), max_(nodes.value_or(std::numeric_limits<std::int64_t>::max())), stop_(std::move(stop)) {}

    /// Counts one state. True once there is nothing left.
    bool spend() {
        if (ended_) return true;
        if (nodes_ >= max_) {
            ended_ = EndedBy::nodes;
            return true;
        }
        ++nodes_;
        return nodes_ % kStates == 0 && spent();
    }
    /// Looks at the clock and at the stop request.
    bool spent() {
        constexpr std::size_t kMicroseconds = 20;  // that so many states take
        if (ended_) return true;
        poll(kMicroseconds);
        if (stop_.stop_requested())
            ended_ = EndedBy::stop;
        else if (workingTime() >= deadline_)
            ended_ = EndedBy::time;
        return ended_.has_value();
    }
    std::optional<EndedBy> ended() const { return ended_; }
    std::int64_t nodes() const { return nodes_; }

private:
    static constexpr std::int64_t kStates = 4;  ///< between looks at the clock

    std::chrono::steady_clock::time_point deadline_;
    std::int64_t max_;
    std::stop_token stop_;
    std::int64_t nodes_ = 0;
    std::optional<EndedBy> ended_;
};

/// Branch and bound over the states of one piece: which operators have started and finished, and what runs for how much
/// longer. States are visited level by level (operators started + finished), the best `width` of each level by their
/// bound; what is left out at a width bounds the makespan from below, and nothing left out is a proof. A state is
/// dropped where another one with the same operators started and finished has everything at least as early.
///
/// What keeps it small, beside the bound: between blocks (nothing runs) an operator that is ready runs alone now or
/// never alone; identical branches are one; an operator that fits beside what runs and takes a core that no other
/// operator needs starts at once.
class PieceSearch {
public:
    PieceSearch(const Piece& piece, PieceSchedule first);
    PieceSearch(PieceSearch&&) noexcept;
    PieceSearch& operator=(PieceSearch&&) noexcept;
    ~PieceSearch();

    /// One visit of all levels. Nothing where the best schedule is proved already, or memory ended an earlier visit.
    void visit(std::size_t width, Budget& budget);

    bool proved() const;
    double bound() const;
    const PieceSchedule& best() const;

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tessera::codesign

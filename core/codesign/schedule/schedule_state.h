#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/codesign/schedule/schedule_cores.h"
#include "core/codesign/schedule/schedule_piece.h"
#include "core/codesign/schedule/schedule_price.h"
#include "core/codesign/schedule/schedule_symmetry.h"

namespace tessera::codesign {

/// Position of an operator in its piece.
using Slot = std::uint16_t;
inline constexpr std::size_t kMaxSearched = 1024;  ///< operators of a piece that the search takes on

/// Place of a running tensor or vector operator on a pair, as far as it matters to fused operators: one of these, or
/// the operator beside it.
inline constexpr Slot kApart = 0xFFFF;  ///< on no pair, or irrelevant
inline constexpr Slot kWhole = 0xFFFE;  ///< on a pair by itself; other values: beside that operator

struct Running {
    double left = 0;  ///< until it finishes
    Slot slot = 0;
    Slot place = kApart;
    bool operator==(const Running&) const = default;
};

/// A moment of a partial schedule.
struct State {
    std::vector<Word> started;
    std::vector<Word> concurrent;  ///< not started, and left out when they could have run alone: they never will
    std::vector<Running> running;  ///< by slot
    double time = 0;               ///< since the start of the piece
    double serialLeft = 0;         ///< of what has not started, one after the other
    std::array<double, kMaxPrices> load = {};  ///< minimum load of what has not started, under each price
    std::size_t rank = 0;                      ///< of the last start at this moment; later ones have no lower rank

    bool resting() const { return running.empty(); }
    double drained() const;  ///< when all that runs has finished
    std::size_t progress() const;
};

/// One step from a state to the next.
struct Move {
    /// `atOnce` is `concurrent` out of turn: it leaves the order of starts at a moment as it is.
    enum class Kind : std::uint8_t { exclusive, concurrent, atOnce, advance };
    Kind kind = Kind::advance;
    Slot slot = 0;
    Slot place = kApart;
};

/// The rules by which states follow each other. Slots are names that symmetries permute; `Trace` follows them.
class StateSpace {
public:
    explicit StateSpace(const Piece& piece);

    /// Schedule of a path of moves: start and cores of each operator.
    struct Trace {
        std::vector<Slot> actual;  ///< the operator that a slot stands for
        PieceSchedule schedule;
        CorePool pool;
        std::vector<CorePool::Taken> taken;
    };

    State root(Trace* trace = nullptr);
    /// Every move that may lead to an optimum. Moves are made from the state that was looked at last.
    void findMoves(const State& state, std::vector<Move>& moves);
    void look(const State& state);
    /// Makes a move, and those that follow from it.
    void apply(State& state, const Move& move, Trace* trace = nullptr);
    /// Brings a state into its normal form: symmetric blocks in order, what is furthest first.
    void sortBlocks(State& state, Trace* trace = nullptr);
    /// Lower bound of the makespan of any completion; no tighter than needed where it reaches `enough`.
    double bound(const State& state, double enough) const;
    /// Runs the rest one after the other once what runs has finished.
    void finish(State& state, Trace& trace);
    Trace newTrace() const;

    std::size_t words() const { return words_; }
    const Piece& piece() const { return piece_; }

private:
    /// Degree to which tensor and vector operators compete with fused ones for pairs.
    enum class Sharing {
        none,         ///< nothing is fused: cores of a kind are alike
        vectorApart,  ///< vector operators never need a pair; tensor operators and fused ones share the tensor cores
        tensorApart,  ///< the other way round
        ample,        ///< every operator has cores of its own
        pairs         ///< it matters who stands beside whom
    };

    void countCores();
    void rankSlots();
    void findReady(const State& state);
    void findMovesAtRest(const State& state, std::vector<Move>& moves);
    void addStarts(const State& state, std::size_t slot, std::vector<Move>& moves);
    void runExclusively(State& state, std::size_t slot, Trace* trace) const;
    void runConcurrently(State& state, const Move& move, Trace* trace) const;
    void advance(State& state, Trace* trace) const;
    void normaliseState(State& state, Trace* trace);
    void permute(State& state, const std::vector<Slot>& source, Trace* trace) const;
    void keepConcurrent(State& state, std::size_t slot) const;
    CorePool::Taken coresFor(const Move& move, Trace& trace) const;
    void findTwins(const State& state);
    void describe(const State& state, const std::vector<std::size_t>& block, std::vector<Word>& text) const;
    const Running* runningAt(const State& state, std::size_t slot) const;
    /// The places at which an operator can start now.
    void findPlaces(const State& state, std::size_t slot);
    std::optional<std::size_t> startsAtOnce(const State& state) const;

    const Piece& piece_;
    std::size_t words_;
    std::vector<Prices> prices_;
    std::vector<std::array<double, kMaxPrices>> concurrentLoad_;  ///< of an operator beside others, under each price
    std::vector<std::array<double, kMaxPrices>> minLoad_;         ///< as it is cheapest
    std::vector<Symmetry> symmetries_;
    std::vector<std::size_t> rank_;   ///< alike for counterparts of symmetric blocks
    std::vector<std::size_t> order_;  ///< by rank
    Sharing sharing_ = Sharing::none;
    bool tensorAmple_ = false, vectorAmple_ = false;  ///< no operator ever waits for one
    std::vector<CorePool::Taken> ownCores_;           ///< where they are ample

    // What the last call found; kept to spare allocations.
    std::vector<Word> done_;
    std::vector<std::size_t> ready_;
    std::vector<std::size_t> seen_;  ///< ready in the state that was looked at last
    std::vector<bool> twin_;         ///< its counterpart in the block before is in the same state
    std::vector<Slot> places_;
    std::vector<std::vector<Word>> texts_;
    std::vector<std::size_t> sorted_;
    std::vector<Slot> source_;
};

}  // namespace tessera::codesign

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/codesign/bits.h"
#include "core/codesign/schedule/operators.h"
#include "core/codesign/schedule/schedule.h"

namespace tessera::codesign {

/// A part of the graph that is scheduled on its own: every operator of one piece precedes every operator of the next
/// (the pieces are the components of the graph of incomparable operators), so that nothing of two pieces ever runs at
/// the same time and makespans add up. Operators are numbered in topological order.
struct Piece {
    std::vector<std::size_t> members;  ///< positions in the graph
    std::vector<CoreKind> kinds;
    std::vector<double> single;  ///< latency on one core
    std::vector<double> serial;  ///< the shorter of one core and all cores: what it takes alone
    /// Operators that never run beside another one in some optimal schedule: on one core they would take as long as
    /// they and all that could overlap them take one after the other.
    std::vector<bool> exclusive;
    std::vector<std::vector<std::size_t>> predecessors, successors;  ///< direct ones, inside the piece
    BitRows before;                                                  ///< all that precede
    BitRows concurrent;                                              ///< all that neither precede nor follow
    Cores cores;                                                     ///< no more of a kind than twice the operators
    bool whole = true;                                               ///< all latencies are whole numbers

    std::size_t size() const { return members.size(); }
    std::int64_t pairs() const { return cores.tensor < cores.vector ? cores.tensor : cores.vector; }
    bool usesTensor(std::size_t i) const { return kinds[i] != CoreKind::vector; }
    bool usesVector(std::size_t i) const { return kinds[i] != CoreKind::tensor; }
    double serialSum() const;
    /// A schedule that is this close to a bound is optimal: 0 where latencies are whole, else 1e-9 of the serial time.
    double tolerance() const;
    /// A bound that sums of shares gave, less what rounding may have added; whole where latencies are.
    double safely(double bound) const;
};

/// The pieces of a graph, in the order in which they run. They are made one by one: of a chain of a million operators
/// each is one. Finding them takes time in proportion to operators and edges.
class Pieces {
public:
    /// The graph stays.
    explicit Pieces(const OperatorGraph& graph);

    std::size_t size() const { return cuts_.size() - 1; }
    /// Positions in the graph of the operators of a piece, in topological order.
    std::span<const std::size_t> members(std::size_t index) const {
        return std::span(order_).subspan(cuts_[index], cuts_[index + 1] - cuts_[index]);
    }
    Piece piece(std::size_t index, const Cores& cores) const;

private:
    void cut();

    const OperatorGraph& graph_;
    std::vector<std::size_t> order_;                      ///< topological
    std::vector<std::vector<std::size_t>> predecessors_;  ///< by rank: ranks, ascending, each once
    std::vector<std::size_t> cuts_;                       ///< the ranks at which pieces begin, and the number of all
};

/// Start and form of each operator of a piece, counted from the piece's start. An operator alone takes `serial`.
struct PieceSchedule {
    struct Run {
        double start = 0;
        bool concurrent = false;                      ///< in the single-core form, perhaps with others beside it
        std::int64_t tensorCore = 0, vectorCore = 0;  ///< from 1; 0 = none
    };
    double makespan = 0;
    std::vector<Run> runs;
};

/// Makespan of one after the other.
PieceSchedule serialSchedule(const Piece& piece);

/// A bound on every schedule of a piece that needs no search: load of the cores and longest path.
double quickBound(const Piece& piece);

/// Appends the schedule of a piece to that of the graph.
void place(const Piece& piece, const PieceSchedule& made, const OperatorGraph& graph, Schedule& whole);

}  // namespace tessera::codesign

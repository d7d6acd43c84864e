#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/partition/thread_progress.h"

namespace tessera::partition {

/// Exact minimisation of a sum of unary and pairwise costs over variables with three states each, by bucket
/// elimination (Dechter: "Bucket elimination: a unifying framework for reasoning", Artificial Intelligence 113, 1999).
/// The plan (order, scopes) depends on the graph alone and serves many evaluations with different costs.
/// On a chain this is the dynamic programme of AccPar's Eq. 9; on residual blocks that of its section 5.2.
class EliminationPlan {
public:
    /// Widest table that is kept: 3^(7+1) numbers. Where elimination would need more, messages along the pairs give an
    /// assignment and a bound, and what these leave open is closed by branch and bound over variables that are fixed
    /// one by one (see `conditioned`).
    static constexpr int kWidest = 7;

    /// `edges` join variables a != b; parallel edges share one pair. Order: minimum fill first, ties by number.
    EliminationPlan(std::int32_t variables, const std::vector<std::pair<std::int32_t, std::int32_t>>& edges);

    std::int32_t variables() const { return variables_; }
    /// Index of the pair {a, b}, for writing its costs.
    std::int32_t pairCount() const { return static_cast<std::int32_t>(pairs_.size()); }
    /// The pair's variables, first < second; pairs beyond the given edges (fill) are at the end.
    const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs() const { return pairs_; }
    /// Pair of a given edge, and true if the edge's first end is the pair's second variable.
    struct EdgeSlot {
        std::int32_t pair;
        bool flipped;
    };
    const std::vector<EdgeSlot>& edgeSlots() const { return edgeSlots_; }
    int width() const { return width_; }
    const std::vector<std::int32_t>& conditioned() const { return conditioned_; }

private:
    friend class Elimination;
    /// A list inside `lists_`: the lists of all steps stand together, in the order in which they are walked.
    struct Range {
        std::uint32_t first = 0, count = 0;
    };
    struct Step {
        std::int32_t variable = 0;
        std::int32_t target = -1;  ///< with two neighbours: the pair that takes the message
        std::size_t offset = 0;    ///< of the message's table, with three or more
        Range scope;               ///< neighbours still present, ascending
        Range pairs;               ///< the pair that joins each with `variable`; -1 = none
        Range tables;              ///< tables (of three or more variables) that mention the variable, by step
    };
    std::span<const std::int32_t> listOf(Range range) const { return {lists_.data() + range.first, range.count}; }
    Range keep(const std::vector<std::int32_t>& list);
    std::int32_t pairIndex(std::int32_t a, std::int32_t b);
    std::int32_t pairOf(std::int32_t a, std::int32_t b) const;
    bool order();
    void condition(std::size_t count);

    std::int32_t variables_ = 0;
    std::size_t givenPairs_ = 0;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> index_;  ///< of pairs; serves construction only
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
    std::vector<EdgeSlot> edgeSlots_;
    std::vector<Step> steps_;
    std::vector<std::int32_t> lists_;
    std::vector<std::int32_t> conditioned_;
    std::vector<std::vector<std::int32_t>> pairsOf_;  ///< by variable, its given pairs; where any are conditioned
    /// Pairs of each conditioned variable, all of them with variables that are not conditioned earlier.
    std::vector<std::vector<std::int32_t>> conditionedPairs_;
    std::size_t tableSize_ = 0;
    int width_ = 0;
};

/// Numbers and scratch space of one minimisation; reusable, so that repeated evaluations allocate nothing.
class Elimination {
public:
    /// `watch` is polled during long minimisations; it must outlive this.
    explicit Elimination(const EliminationPlan& plan, ThreadProgress* watch = nullptr);

    /// Begins anew. Then add to `unary`, whose costs are zero, write every cost of every given pair, and call
    /// `minimise`.
    void begin();
    /// Cost of each state of a variable. Infinity forbids a state.
    double* unary(std::int32_t variable) { return &unary_[static_cast<std::size_t>(variable) * 3]; }
    /// Costs of a pair, [state of first * 3 + state of second].
    double* pair(std::int32_t index) { return &pair_[static_cast<std::size_t>(index) * 9]; }

    struct Outcome {
        double value = 0;       ///< cost of `states()`
        double lowerBound = 0;  ///< equal to `value` unless the node limit was reached
        bool exact = true;
    };
    /// Consumes the costs. `nodeLimit` bounds the branch and bound over conditioned variables, where there are any.
    Outcome minimise(std::int64_t nodeLimit = 0);
    /// The minimising state of every variable, after `minimise`. Ties go to the lower state.
    const std::vector<std::uint8_t>& states() const { return states_; }

private:
    double eliminate();
    void decode();
    void eliminateWide(const EliminationPlan::Step& step);
    double wideValue(const EliminationPlan::Step& step, std::uint8_t state) const;
    Outcome branch(std::int64_t nodeLimit);
    double sendMessages(bool forward);
    void roundMessages();
    void improve(std::vector<std::uint8_t>& states) const;
    double passMessages(std::vector<std::uint8_t>& best, double& bestCost);
    void applyMessages();
    double costOf(const std::vector<std::uint8_t>& states) const;
    double conditionalCost(const std::vector<std::uint8_t>& states, std::int32_t variable, int state) const;

    /// Polls after some work: `cost` counts table entries.
    void spend(std::size_t cost);

    const EliminationPlan* plan_;
    ThreadProgress* watch_ = nullptr;
    std::size_t spent_ = 0;
    std::vector<double> unary_;
    std::vector<double> pair_;
    std::vector<double> tables_;
    std::vector<double> work_;
    std::vector<std::uint8_t> states_;
    std::vector<std::uint8_t> favourites_;  ///< by step with one neighbour: the best state for each of the neighbour's
    std::vector<double> savedUnary_, savedPair_;
    std::vector<double> givenUnary_, givenPair_;  ///< before messages shifted costs
    std::vector<double> messages_;                ///< by pair and end: [pair * 6 + end * 3 + state of the end]
};

}  // namespace tessera::partition

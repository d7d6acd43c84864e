#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/partition/joint.h"

namespace tessera::partition {

/// Minimises a weighted sum of a JointProblem's costs by bucket elimination. Messages are remembered by what they are
/// made of, so that equal blocks of a network are worked out once. Where a message would have more than
/// `kLargestMessage` entries, its bucket is parted (mini-buckets, Dechter and Rish, JACM 50, 2003): the value is then a
/// lower bound, and the states are good ones.
class JointElimination {
public:
    static constexpr double kLargestMessage = 4e6;

    JointElimination(const JointProblem& problem, std::function<void()> poll);

    /// Weights of `first`, `second` and `memory`; the seconds of pairs weigh 1 unless the first two are 0.
    struct Weights {
        double first = 1, second = 0, memory = 0;
    };
    struct Outcome {
        double value = 0;  ///< a lower bound of the weighted sum; the sum of `states` where `exact`
        bool exact = true;
        std::vector<std::int32_t> states;
    };
    /// `forbidden`: by vertex the states that are not to be taken, empty for most.
    Outcome minimise(const Weights& weights, const std::vector<std::vector<bool>>& forbidden);
    /// Table entries looked at so far.
    double spent() const { return spent_; }
    /// Counts further work, as long as looking at so many entries takes.
    void spend(double entries);

private:
    struct Factor {
        std::vector<std::int32_t> scope;  ///< vertices, ascending
        std::int32_t table = 0;
    };
    using Table = std::vector<double>;
    using Bucket = std::vector<Factor>;

    void orderVertices();
    std::size_t statesOf(std::int32_t vertex) const;
    double entriesOf(const std::vector<std::int32_t>& scope) const;
    void weigh(const Weights& weights, const std::vector<std::vector<bool>>& forbidden);
    void weighTables(bool counts);
    void place(Factor factor);
    std::vector<Bucket> parted(std::int32_t vertex, const Bucket& bucket);
    void eliminate(std::int32_t vertex, const Bucket& bucket, bool withUnary);
    std::int32_t message(std::int32_t vertex, const Bucket& bucket, const std::vector<std::int32_t>& scope,
                         bool withUnary);
    Table combined(std::int32_t vertex, const Bucket& bucket, const std::vector<std::int32_t>& scope, bool withUnary);
    Table arranged(const Factor& factor, const std::vector<std::int32_t>& order) const;
    std::int32_t bestState(std::int32_t vertex, const std::vector<std::int32_t>& states) const;

    const JointProblem* problem_;
    std::function<void()> poll_;
    std::vector<std::int32_t> order_;                          ///< vertices as they are eliminated
    std::vector<std::int32_t> rank_;                           ///< place of each vertex in it
    std::vector<Table> unaries_;                               ///< by number: kinds first, then vertices of their own
    std::vector<std::int32_t> unary_;                          ///< number of each vertex's
    std::vector<Table> tables_;                                ///< the problem's, then messages
    std::vector<Bucket> buckets_;                              ///< by vertex
    std::map<std::vector<std::int32_t>, std::int32_t> known_;  ///< messages by what they are made of
    double constant_ = 0;
    bool exact_ = true;
    bool countsTables_ = true;  ///< false: only which pairs are forbidden
    double spent_ = 0, sincePoll_ = 0;
};

}  // namespace tessera::partition

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tessera::partition {

/// What a state of a vertex adds to a plan. A step takes the larger of the two sums of seconds: `first` where what runs
/// behind other work is hidden, `second` where it is longer than that work and outlasts it.
struct JointCost {
    double first = 0;
    double second = 0;  ///< may be below 0
    double memory = 0;  ///< of the sum, at most JointProblem::capacity is allowed
};

/// A choice of one state for each vertex of a graph, all at once: of vertices (layers) and edges (what is handed on)
/// many are equal and share one table.
struct JointProblem {
    struct Edge {
        std::int32_t from = 0, to = 0;  ///< vertices, from < to
        std::int32_t table = 0;
    };
    std::vector<std::vector<JointCost>> kinds;  ///< costs by state; at least one state each
    std::vector<std::int32_t> vertices;         ///< kind of each
    /// Seconds, in both sums: [state of `from` * states of `to` + state of `to`]. Infinity forbids a pair.
    std::vector<std::vector<double>> tables;
    std::vector<Edge> edges;
    double capacity = std::numeric_limits<double>::infinity();
};

struct JointSolution {
    std::vector<std::int32_t> states;  ///< by vertex
    double seconds = 0;                ///< of the step
    double memory = 0;
    double lowerBound = 0;  ///< of the seconds of every plan that fits; of every plan where none does
    bool proven = false;    ///< `seconds` meets the bound to 1e-9
    bool fits = true;       ///< within the capacity; else no plan is known to, and this is the fastest one seen
    bool noneFits = false;  ///< proven: no plan does
    double minMemory = 0;   ///< of the plans seen; where none fits, of all
};

/// Sums of a plan.
JointCost jointCost(const JointProblem& problem, const std::vector<std::int32_t>& states);

/// The plan with the least `max(first, second)` among those that fit the capacity. Exact elimination of vertices (see
/// EliminationPlan; here with any number of states, and tables of equal parts of the graph worked out once) minimises
/// weighted sums, whose best weights by cutting planes give a lower bound; what is left open between it and the best
/// plan seen is closed by branch and bound. `effort` bounds the table entries that are looked at once there is a plan
/// and a bound; `poll` is called about every millisecond and may throw.
JointSolution solveJoint(const JointProblem& problem, double effort, const std::function<void()>& poll = {});

}  // namespace tessera::partition

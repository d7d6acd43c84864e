#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/run_control.h"
#include "core/plan/evaluate.h"
#include "core/plan/space.h"

namespace tessera::plan {

/// Groups of a fleet above which a pipeline passes through two of them at most, so that a search ends.
inline constexpr std::size_t kMaxStacked = 4;

/// Options of a search for configurations.
struct SearchOptions {
    /// What is minimised. Price needs the price of every group.
    Objective objective = Objective::time;
    /// Seconds of a step above which a configuration does not count. Set it to find the cheapest plan that meets a
    /// deadline.
    std::optional<double> longestStep = {};
    /// How many of the best configurations are returned, at least 1. Fewer bound more of the search away.
    std::size_t top = 20;
    /// Two objectives in which the non-dominated (Pareto-optimal) configurations are kept. Choose those that are traded
    /// against each other.
    std::pair<Objective, Objective> front = {Objective::time, Objective::accelerators};
};

/// Configurations by what became of them.
struct Counted {
    std::int64_t all = 0;          ///< of the space, with degrees that divide what they split
    std::int64_t parameters = 0;   ///< do not fit, mostly for weights, gradients and optimizer
    std::int64_t activations = 0;  ///< mostly for activations
    std::int64_t working = 0;      ///< mostly for the layer or head at work
    std::int64_t bounded = 0;      ///< no better by a lower bound than what was found before
    std::int64_t late = 0;         ///< slower than the longest step that is allowed
    std::int64_t fitting = 0;      ///< compared
    void add(const Counted& other);
};

/// A configuration that a search found, with its value of each objective.
struct Ranked {
    Configuration configuration;
    Scores scores;
    /// Bytes of an accelerator, of whose divisions within it this is the fastest: what `evaluate` takes.
    double bytes = std::numeric_limits<double>::infinity();
};

/// Result of a search: the best configurations, the front, and why others do not count.
struct Found {
    /// Best first. What may recompute by stage and does on all alike is left out beside what does so anyway.
    std::vector<Ranked> top;
    std::vector<Ranked> front;  ///< by the first objective, rising
    Counted counted;
    /// Of what does not fit, the configuration that lacks the smallest share; none where all fit.
    std::optional<std::pair<Configuration, Shortage>> closest;
    /// Of what is too late, the fastest.
    std::optional<Ranked> fastestLate;
    /// The first that was looked at and is no configuration, whatever the memory (`faultText`); none where all are.
    std::optional<Configuration> faulty;
    EndedBy ended = EndedBy::proof;
};

/// Looks at every configuration of the space: on one group of the fleet with any number of replicas and stages; through
/// several groups one after the other (`kMaxStacked`); with whole replicas side by side on
/// several groups, as many on each as make the step shortest. Of the second sort those are left out that by a lower
/// bound of their scores cannot beat what was found before. The layers of each configuration are divided so that its
/// step is shortest; where memory is the objective, so that its fullest accelerator holds least within the longest
/// step, and of such divisions the shortest counts. A front with memory and another value has both divisions. Equal
/// results whatever the threads; ties go to the lesser configuration. Throws InterruptedError where it is cancelled;
/// `finish` ends it with what it has.
Found search(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control);

/// Finds the first of `search(problem, space, options, control).top` in less time: whatever by a lower bound is no
/// better than what was found before is not judged. The front is empty, and what is counted, closest or late says
/// something where nothing is found alone. Throws like `search`.
Found searchBest(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control);

}  // namespace tessera::plan

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/explore/space.h"

namespace tessera::explore {

/// What a point came to.
struct Evaluation {
    std::vector<double> objectives = {};  ///< each the smaller the better; empty where the point could not be evaluated
    double violation = 0;                 ///< of its constraints, summed as shares of their limits; 0 = it keeps all

    bool isFeasible() const { return !objectives.empty() && violation <= 0; }
};

/// Evaluates points, maybe many at once; the answers are in the order of the points. Fewer answers than points end
/// the exploration: its budget is spent, or it was stopped.
using EvaluatePoints = std::function<std::vector<Evaluation>(std::span<const Point> points)>;

/// What a method is to explore, and how long.
struct MethodProblem {
    std::vector<Variable> variables = {};
    std::size_t objectives = 1;
    std::int64_t points = 100;  ///< at most
    std::uint64_t seed = 1;
    int population = 0;  ///< of a search by generations or batches; 0 = the method's own choice; `bayes` takes up to 64
    std::vector<Point> begin = {};  ///< points to evaluate first; of `list` the only ones
};

/// A way to explore: a row, from which studies, `--help` and forms know it.
struct Method {
    std::string_view id;     ///< "latin-hypercube"; written to files, never changes
    std::string_view title;  ///< "Latin hypercube"
    std::string_view help;   ///< one line
    enum class Kind : std::uint8_t { sample, search, sensitivity } kind = Kind::sample;
    std::size_t maxObjectives = 0;  ///< 0 = any number
    bool needsRanges = false;       ///< takes no variable whose values have no order
    /// Evaluates points until the budget is spent, the same ones for the same problem and the same evaluations,
    /// whatever evaluates them. Throws UsageError for what it cannot explore. Polls while it works.
    void (*run)(const MethodProblem& problem, const EvaluatePoints& evaluate) = nullptr;
    /// Number of points that it would evaluate, at most `problem.points`; 0 where these are too few for it.
    std::int64_t (*count)(const MethodProblem& problem) = nullptr;
    /// Throws UsageError for what it cannot explore; null = it explores any problem. `run` may rest on it.
    void (*check)(const MethodProblem& problem) = nullptr;
};

/// Throws UsageError for a problem that no method can explore, or that this one cannot: before anything is evaluated.
void checkProblem(const Method& method, const MethodProblem& problem);

/// Every method, in the order in which they are listed.
const std::deque<Method>& methods();
/// Adds a method to those there are, for programs that bring their own; rows that were given out stay where they are.
/// Throws std::logic_error where its id is taken.
void addMethod(const Method& method);
/// Throws UsageError, with a hint, where there is no such method.
const Method& methodNamed(std::string_view id);

}  // namespace tessera::explore

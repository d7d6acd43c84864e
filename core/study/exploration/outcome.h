#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/json.h"
#include "core/study/exploration/explored_space.h"
#include "core/study/metric.h"

namespace tessera::study {

/// A number of the base study's results, as the exploration knows it.
struct ExploredMetric {
    std::string id;  ///< as `Metric::name`
    std::string title;
    Measure measure = Measure::count;
    Metric::Better better = Metric::Better::neither;
    bool uncertain = false;

    bool operator==(const ExploredMetric&) const = default;
};
/// "36.2 ms"; "–" where there is none.
std::string textOf(const ExploredMetric& metric, double value);

/// Why a point is no solution.
enum class PointFault : std::uint8_t {
    none,
    infeasible,  ///< the engine finds none
    constraint,  ///< of the exploration
    broken,      ///< it is no study that can be run
};
inline constexpr EnumNames<PointFault> kPointFaultNames{"none", "infeasible", "constraint", "broken"};

/// A point and what came of it.
struct ExploredPoint {
    std::vector<double> values = {};   ///< by variable
    std::vector<double> metrics = {};  ///< by metric; NaN where it has none
    PointFault fault = PointFault::none;
    std::string reason = {};  ///< a sentence; empty of a solution
    std::string kind = {};    ///< the reason without what is this point's alone
    double violation = 0;     ///< of constraints, as shares of their limits

    bool isFeasible() const { return fault == PointFault::none; }
    /// Of a variable by its number; NaN where the point has none.
    double valueOf(std::size_t variable) const {
        return variable < values.size() ? values[variable] : std::numeric_limits<double>::quiet_NaN();
    }
};

/// What an exploration minimises or maximises: a metric, or a variable of that name.
struct ExploredObjective {
    std::string id;
    std::string title;
    Goal goal = Goal::min;

    /// A value of it as one of which less is better. Its own inverse.
    double asLess(double value) const { return asLessIsBetter(goal, value); }
};

/// Limits of a metric or variable.
struct ExploredConstraint {
    std::string id;
    std::string title;
    std::optional<double> min = {}, max = {};
};

/// How many points are no solution for a reason.
struct CountedReason {
    PointFault fault = PointFault::infeasible;
    std::string reason;  ///< without its numbers
    std::int64_t points = 0;
};

/// How much of what an objective varies by a variable is to blame for, with the interval of its estimate.
struct VariableEffect {
    std::string variable;
    double value = 0, low = 0, high = 0;  ///< first-order index, mean of absolute effects, or importance
    std::optional<double> total = {}, totalLow = {}, totalHigh = {};  ///< with interactions
    std::optional<double> spread = {};  ///< of elementary effects: not linear, or interacting
};
/// What effects are: those of the methods of these names, else importances.
inline constexpr std::string_view kMorris = "morris", kSobolIndices = "sobol-indices", kImportance = "importance";
struct ObjectiveEffects {
    std::string objective;
    std::vector<VariableEffect> effects = {};  ///< in the order of the variables
    std::optional<double> explained = {};      ///< share of the variance that the model behind importances predicts
};

/// A result of the base study that is kept whole.
struct KeptPoint {
    std::size_t point = 0;
    HeldJson document = {};  ///< as `tessera run --json` writes it
};

/// Result of an exploration, with what is needed to read it alone.
struct ExplorationOutcome {
    std::string engine;  ///< of the base study
    std::string base;    ///< its title
    std::string method;
    std::vector<ExploredVariable> variables;
    std::vector<ExploredMetric> metrics;
    std::vector<ExploredObjective> objectives;
    std::vector<ExploredConstraint> constraints;
    std::vector<ExploredPoint> points;           ///< each once, in the order in which they were asked for
    std::optional<ExploredPoint> baseline = {};  ///< the base study itself; a value is NaN where it has none
    std::vector<std::size_t> front;  ///< points that no other beats in all objectives, by the first objective
    std::optional<std::size_t> knee = {}, chosen = {};
    std::string chosenFor = {};  ///< why, a phrase
    /// Points so far and the share that the front dominates of the box between the worst and best of all points.
    std::vector<std::pair<double, double>> hypervolume;
    std::int64_t repeated = 0;  ///< points that were asked for again
    std::vector<CountedReason> reasons;
    std::string effectKind = {};  ///< kMorris, kSobolIndices or kImportance; empty = there are no effects
    std::vector<ObjectiveEffects> effects;
    EndedBy ended = EndedBy::done;
    std::vector<KeptPoint> kept;

    std::int64_t feasible() const;
    const ExploredMetric* metric(std::string_view id) const;
    const ExploredVariable* variable(std::string_view name) const;
    /// Title and measure of a metric or variable; the id itself where there is none of it.
    std::string titleOf(std::string_view id) const;
    Measure measureOf(std::string_view id) const;
    /// The value of a metric or variable at a point; NaN where it has none.
    double valueOf(const ExploredPoint& point, std::string_view id) const;
    /// "4.8 TB/s" of it.
    std::string textOf(std::string_view id, double value) const;
    /// The point that is best in an objective; none where no point is feasible.
    std::optional<std::size_t> best(const ExploredObjective& objective) const;
    /// Whether each point is on the front.
    std::vector<bool> onFront() const;
    /// Whether lists have the sizes that belong together, and numbers of points are those of points.
    bool isConsistent() const;
};

}  // namespace tessera::study

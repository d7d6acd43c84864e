#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/explore/bootstrap.h"
#include "core/explore/method_rows.h"
#include "core/explore/sensitivity.h"
#include "core/explore/session.h"

namespace tessera::explore {

namespace {

/// The values between which a variable moves: each of several; of a range, and of steps on a log scale, a few that are
/// even on its own scale.
class Levels {
public:
    explicit Levels(const Variable& variable) : variable_(&variable) {
        constexpr std::size_t kFew = 4;
        count_ = valueCount(variable);
        if (count_ > 0 && !(variable.values.empty() && variable.scale == Scale::log)) return;
        for (std::size_t i = 0; i < kFew; ++i) {
            const double value = valueAt(variable, static_cast<double>(i) / static_cast<double>(kFew - 1));
            if (few_.empty() || value != few_.back()) few_.push_back(value);
        }
        count_ = few_.size();
    }

    std::size_t size() const { return count_; }
    double at(std::size_t level) const { return few_.empty() ? valueNumbered(*variable_, level) : few_[level]; }

private:
    const Variable* variable_;
    std::size_t count_ = 0;
    std::vector<double> few_;
};

/// Trajectories from random places: each point differs from the one before in one variable, which moves by about half
/// of its levels.
class MorrisDesign {
public:
    explicit MorrisDesign(const MethodProblem& problem) : problem_(problem), moving_(freeVariables(problem.variables)) {
        for (const Variable& variable : problem.variables) levels_.emplace_back(variable);
        const auto left = problem.points - static_cast<std::int64_t>(problem.begin.size());
        const auto each = static_cast<std::int64_t>(length());
        trajectories_ = left < each ? 0 : moving_.empty() ? 1 : static_cast<std::size_t>(left / each);
    }

    std::size_t trajectories() const { return trajectories_; }
    /// Points of a trajectory.
    std::size_t length() const { return moving_.size() + 1; }

    struct Trajectory {
        std::vector<Point> points;
        std::vector<std::size_t> moved;  ///< the variable in which each point but the first differs from the one before
    };
    Trajectory trajectory(std::size_t number) const {
        RandomStream random(problem_.seed, number);
        Trajectory made;
        Point point(problem_.variables.size());
        std::vector<double> after(point.size());
        for (std::size_t i = 0; i < point.size(); ++i) {
            const std::size_t jump = levels_[i].size() / 2;
            std::size_t from = random.below(levels_[i].size() - jump), to = from + jump;
            if (random.below(2) == 0) std::swap(from, to);
            point[i] = levels_[i].at(from);
            after[i] = levels_[i].at(to);
        }
        made.points.push_back(point);
        made.moved = moving_;
        for (std::size_t i = made.moved.size(); i > 1; --i) std::swap(made.moved[i - 1], made.moved[random.below(i)]);
        for (const std::size_t i : made.moved) {
            point[i] = after[i];
            made.points.push_back(point);
        }
        return made;
    }

private:
    const MethodProblem& problem_;
    std::vector<std::size_t> moving_;  ///< variables with more than one value
    std::vector<Levels> levels_;       ///< by variable
    std::size_t trajectories_ = 0;
};

/// Where a value lies between the first and the last of its variable, on its own scale.
double placeOf(const Variable& variable, double value) {
    const std::size_t count = valueCount(variable);
    if (count < 2) return shareOf(variable, value);
    if (variable.values.empty() && variable.scale == Scale::log)
        return shareOf(
            {.name = {}, .low = variable.low, .high = valueNumbered(variable, count - 1), .scale = Scale::log}, value);
    return static_cast<double>(numberOf(variable, value)) / static_cast<double>(count - 1);
}

std::int64_t countMorris(const MethodProblem& problem) {
    const MorrisDesign design(problem);
    const std::size_t points = design.trajectories() * design.length();
    return points == 0 ? 0 : static_cast<std::int64_t>(problem.begin.size() + points);
}

void checkMorris(const MethodProblem& problem) {
    for (const Variable& variable : problem.variables)
        if (variable.isCategory)
            throw UsageError(
                fmt::format("elementary effects need an order among the values of {}, which has "
                            "categories; expected numbers, or the method sobol-indices",
                            inQuotes(variable.name)));
    const MorrisDesign design(problem);
    if (design.trajectories() == 0)
        throw UsageError(
            fmt::format("elementary effects of {} variables take {} points for each trajectory; expected "
                        "at least as many beside the {} to begin with, not {}",
                        problem.variables.size(), design.length(), problem.begin.size(), problem.points));
}

void runMorris(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    checkMorris(problem);
    Session session(problem, evaluate);
    const MorrisDesign design(problem);
    session.begin();
    session.evaluateGroups(design.trajectories(), [&](std::size_t i) { return design.trajectory(i).points; });
}

}  // namespace

Method morrisMethod() {
    return {.id = "morris",
            .title = "Elementary effects",
            .help = "Which variables matter, by steps of one variable at a time from many places (Morris)",
            .kind = Method::Kind::sensitivity,
            .needsRanges = true,
            .run = runMorris,
            .count = countMorris,
            .check = checkMorris};
}

std::vector<ElementaryEffects> morrisEffects(const MethodProblem& problem, std::span<const double> values,
                                             double probability) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const MorrisDesign design(problem);
    std::vector<std::vector<double>> effects(problem.variables.size());
    for (std::size_t i = 0; i < design.trajectories(); ++i) {
        const std::size_t first = problem.begin.size() + i * design.length();
        const MorrisDesign::Trajectory trajectory = design.trajectory(i);
        for (std::size_t k = 0; k < trajectory.moved.size() && first + k + 1 < values.size(); ++k) {
            const std::size_t moved = trajectory.moved[k];
            const Variable& variable = problem.variables[moved];
            const double step =
                placeOf(variable, trajectory.points[k + 1][moved]) - placeOf(variable, trajectory.points[k][moved]);
            const double effect = (values[first + k + 1] - values[first + k]) / step;
            if (std::isfinite(effect)) effects[moved].push_back(effect);
        }
    }
    std::vector<ElementaryEffects> all;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        const std::vector<double>& own = effects[i];
        const auto count = static_cast<double>(own.size());
        ElementaryEffects& made = all.emplace_back();
        made.count = own.size();
        made.mean = std::accumulate(own.begin(), own.end(), 0.0) / count;
        double square = 0;
        for (const double effect : own) square += (effect - made.mean) * (effect - made.mean);
        made.deviation = own.size() < 2 ? none : std::sqrt(square / (count - 1));
        made.magnitude = bootstrapped(own.size(), problem.seed + i, probability, [&](const std::vector<double>& times) {
            double sum = 0;
            for (std::size_t k = 0; k < own.size(); ++k) sum += times[k] * std::fabs(own[k]);
            return sum / count;
        });
    }
    return all;
}

}  // namespace tessera::explore

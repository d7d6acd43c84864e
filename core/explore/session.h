#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "core/explore/method.h"

/// What methods are written on: a budget that is spent, and points that are known already.
namespace tessera::explore {

/// How many points are handed over at once by methods that know them all beforehand.
inline constexpr std::size_t kBlock = 1024;

/// Throws UsageError for a problem that no method can explore.
void checkProblem(const MethodProblem& problem);

/// The budget of one exploration.
class Session {
public:
    /// Throws UsageError for a problem that no method can explore. Both must outlive the session.
    Session(const MethodProblem& problem, const EvaluatePoints& evaluate);

    const MethodProblem& problem() const { return problem_; }
    std::int64_t left() const { return isOver_ ? 0 : problem_.points - spent_; }
    bool isOver() const { return left() <= 0; }

    /// The answers to the first of these points, as many as the budget still has and the evaluator gives; fewer than
    /// points end the session. Answers with a number that is not finite are those of points that failed.
    std::vector<Evaluation> evaluate(std::vector<Point> points);
    /// Evaluates groups of points, which `make` makes by their number, until all were or the session is over; many at
    /// once, and each group as a whole.
    void evaluateGroups(std::size_t groups, const std::function<std::vector<Point>(std::size_t)>& make);
    /// Evaluates the points that the problem begins with.
    std::vector<Evaluation> begin() { return evaluate(problem_.begin); }

private:
    const MethodProblem& problem_;
    const EvaluatePoints& evaluate_;
    std::int64_t spent_ = 0;
    bool isOver_ = false;
};

/// Points that were asked for.
class KnownPoints {
public:
    explicit KnownPoints(const std::vector<Variable>& variables);

    bool has(const Point& point) const { return numbers_.contains(point); }
    /// The number with which a point was added; `size()` where it was not.
    std::size_t numberOf(const Point& point) const;
    /// Numbers a point that is not known, from 0.
    void add(const Point& point);
    std::size_t size() const { return numbers_.size(); }
    /// Of the known points those that the space has, where it has several; points to begin with may lie elsewhere.
    std::size_t inside() const { return inside_; }
    /// True where every point of the space is known, as far as could be found: of a continuum that is so narrow that it
    /// has few numbers, once a search for another one has failed.
    bool isAll() const { return hasFailed_ || (count_ > 0 && inside_ >= count_); }
    /// A random point that is not known, added; none where none was found, and then `isAll`.
    std::optional<Point> addRandom(RandomStream& random);

private:
    struct Hash {
        std::size_t operator()(const Point& point) const;
    };
    std::optional<Point> firstUnknownFrom(std::vector<std::size_t> numbers) const;

    const std::vector<Variable>& variables_;
    std::size_t count_;  ///< of different points; 0 = a continuum
    std::size_t inside_ = 0;
    bool hasFailed_ = false;  ///< to find another point
    std::unordered_map<Point, std::size_t, Hash> numbers_;
};

}  // namespace tessera::explore

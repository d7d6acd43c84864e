#include "core/explore/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::explore {

namespace {

bool isNumber(const Evaluation& evaluation) {
    return !std::isnan(evaluation.violation) && std::all_of(evaluation.objectives.begin(), evaluation.objectives.end(),
                                                            [](double value) { return std::isfinite(value); });
}

}  // namespace

void checkProblem(const MethodProblem& problem) {
    checkVariables(problem.variables);
    if (problem.objectives < 1) throw UsageError("no objectives were given; expected at least one");
    if (problem.points < 1) throw UsageError(fmt::format("{} points were given; expected at least 1", problem.points));
    if (problem.population < 0)
        throw UsageError(fmt::format("the population is {}; expected at least 1, or 0 for the method's own choice",
                                     problem.population));
    for (std::size_t i = 0; i < problem.begin.size(); ++i) {
        const Point& point = problem.begin[i];
        if (point.size() != problem.variables.size())
            throw UsageError(fmt::format("point {} of those to begin with has {}; expected one for each of {}", i + 1,
                                         formatCounted(point.size(), "value", "values"),
                                         formatCounted(problem.variables.size(), "variable", "variables")));
        for (std::size_t j = 0; j < point.size(); ++j)
            if (!std::isfinite(point[j]))
                throw UsageError(fmt::format("point {} of those to begin with has no number for {}; expected one",
                                             i + 1, inQuotes(problem.variables[j].name)));
    }
}

Session::Session(const MethodProblem& problem, const EvaluatePoints& evaluate)
    : problem_(problem), evaluate_(evaluate) {
    checkProblem(problem);
}

std::vector<Evaluation> Session::evaluate(std::vector<Point> points) {
    if (points.size() > static_cast<std::size_t>(left())) points.resize(static_cast<std::size_t>(left()));
    if (points.empty()) return {};
    std::vector<Evaluation> answers = evaluate_(points);
    if (answers.size() < points.size()) isOver_ = true;
    answers.resize(std::min(answers.size(), points.size()));
    spent_ += static_cast<std::int64_t>(answers.size());
    for (Evaluation& answer : answers) {
        if (!answer.objectives.empty() && answer.objectives.size() != problem_.objectives)
            throw std::logic_error(
                fmt::format("a point has {} objectives; expected {}", answer.objectives.size(), problem_.objectives));
        if (!isNumber(answer)) answer.objectives.clear();
    }
    return answers;
}

void Session::evaluateGroups(std::size_t groups, const std::function<std::vector<Point>(std::size_t)>& make) {
    std::vector<Point> block;
    for (std::size_t i = 0; i < groups && !isOver(); ++i) {
        for (Point& point : make(i)) block.push_back(std::move(point));
        if (block.size() >= kBlock || i + 1 == groups) evaluate(std::exchange(block, {}));
    }
}

std::size_t KnownPoints::Hash::operator()(const Point& point) const {
    std::uint64_t hash = point.size();
    for (const double value : point) {
        hash ^= std::bit_cast<std::uint64_t>(value + 0.0);  // of -0 as of 0, which equals it
        hash *= 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    }
    return hash;
}

KnownPoints::KnownPoints(const std::vector<Variable>& variables)
    : variables_(variables), count_(pointCount(variables)) {}

std::size_t KnownPoints::numberOf(const Point& point) const {
    const auto found = numbers_.find(point);
    return found == numbers_.end() ? numbers_.size() : found->second;
}

void KnownPoints::add(const Point& point) {
    const bool isNew = numbers_.emplace(point, numbers_.size()).second;
    if (isNew && count_ > 0 && pointAt(variables_, sharesOf(variables_, point)) == point) ++inside_;
}

std::optional<Point> KnownPoints::addRandom(RandomStream& random) {
    constexpr int kTries = 32;
    Point point(variables_.size());
    for (int i = 0; i < kTries; ++i) {
        for (std::size_t j = 0; j < point.size(); ++j) point[j] = valueAt(variables_[j], random.uniform());
        if (has(point)) continue;
        add(point);
        return point;
    }
    // Most of the space is known, which is therefore small.
    std::vector<std::size_t> numbers(variables_.size());
    for (std::size_t j = 0; j < numbers.size(); ++j)
        numbers[j] = explore::numberOf(variables_[j], valueAt(variables_[j], random.uniform()));
    std::optional<Point> found = firstUnknownFrom(std::move(numbers));
    if (found)
        add(*found);
    else
        hasFailed_ = true;
    return found;
}

/// Goes once through the space from a point on; of a continuum through its low end alone.
std::optional<Point> KnownPoints::firstUnknownFrom(std::vector<std::size_t> numbers) const {
    const std::vector<std::size_t> first = numbers;
    Point point(numbers.size());
    do {
        poll();
        for (std::size_t j = 0; j < point.size(); ++j) point[j] = valueNumbered(variables_[j], numbers[j]);
        if (!has(point)) return point;
        for (std::size_t j = numbers.size(); j-- > 0;) {
            if (++numbers[j] < valueCount(variables_[j])) break;
            numbers[j] = 0;
        }
    } while (numbers != first);
    return std::nullopt;
}

}  // namespace tessera::explore

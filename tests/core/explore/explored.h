#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/explore/method.h"

/// Explorations of functions of the tests.
namespace tessera::explore::test {

using Function = std::function<Evaluation(const Point&)>;

inline Variable range(std::string name, double low, double high) {
    return {.name = std::move(name), .low = low, .high = high};
}
inline Variable steps(std::string name, double low, double high, double step) {
    return {.name = std::move(name), .low = low, .high = high, .step = step};
}
inline Variable logRange(std::string name, double low, double high) {
    return {.name = std::move(name), .low = low, .high = high, .scale = Scale::log};
}
inline Variable listed(std::string name, std::vector<double> values) {
    return {.name = std::move(name), .values = std::move(values)};
}
inline Variable category(std::string name, int count) {
    Variable variable{.name = std::move(name), .values = {}, .isCategory = true};
    for (int i = 0; i < count; ++i) variable.values.push_back(i);
    return variable;
}
inline std::vector<Variable> ranges(std::size_t count, double low, double high) {
    std::vector<Variable> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(range("x" + std::to_string(i), low, high));
    return all;
}

/// What an exploration asked for, and what it was told.
struct Explored {
    std::vector<Point> points;
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> batches;  ///< points of each call
    bool wasAskedAfterEnd = false;

    /// The least objective of the feasible points among the first `count`.
    double best(std::size_t count = std::numeric_limits<std::size_t>::max()) const {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < std::min(count, evaluations.size()); ++i)
            if (evaluations[i].isFeasible()) least = std::min(least, evaluations[i].objectives[0]);
        return least;
    }
};

/// Explores a function; no more than `limit` points are answered.
inline Explored explored(std::string_view method, const MethodProblem& problem, const Function& function,
                         std::size_t limit = std::numeric_limits<std::size_t>::max()) {
    Explored all;
    bool isOver = false;
    methodNamed(method).run(problem, [&](std::span<const Point> points) {
        all.wasAskedAfterEnd = all.wasAskedAfterEnd || isOver;
        all.batches.push_back(points.size());
        std::vector<Evaluation> answers;
        for (const Point& point : points) {
            if (all.points.size() == limit) {
                isOver = true;
                break;
            }
            all.points.push_back(point);
            all.evaluations.push_back(function(point));
            answers.push_back(all.evaluations.back());
        }
        return answers;
    });
    return all;
}

/// True where every value is one of its variable.
inline bool isInside(const std::vector<Variable>& variables, const Point& point) {
    if (point.size() != variables.size()) return false;
    for (std::size_t i = 0; i < point.size(); ++i) {
        const Variable& variable = variables[i];
        const bool isValue = valueCount(variable) > 0
                                 ? valueNumbered(variable, numberOf(variable, point[i])) == point[i]
                                 : point[i] >= variable.low && point[i] <= variable.high;
        if (!isValue) return false;
    }
    return true;
}

}  // namespace tessera::explore::test

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/explore/method_rows.h"
#include "core/explore/session.h"

namespace tessera::explore {

namespace {

std::size_t levelCount(const Variable& variable) {
    constexpr std::size_t kUsualLevels = 5;
    const std::size_t values = valueCount(variable), levels = static_cast<std::size_t>(variable.levels);
    const bool isList = variable.isCategory || !variable.values.empty();
    if (values > 0 && (isList || levels == 0 || levels >= values)) return values;
    return levels > 0 ? levels : kUsualLevels;
}

double levelValue(const Variable& variable, std::size_t level) {
    const std::size_t count = levelCount(variable);
    if (count == valueCount(variable)) return valueNumbered(variable, level);
    return valueAt(variable, count == 1 ? 0.5 : static_cast<double>(level) / static_cast<double>(count - 1));
}

/// As a real number, since grids that nobody can evaluate have to be named.
double gridSize(const std::vector<Variable>& variables) {
    double size = 1;
    for (const Variable& variable : variables) size *= static_cast<double>(levelCount(variable));
    return size;
}

std::int64_t countGrid(const MethodProblem& problem) {
    const double all = gridSize(problem.variables) + static_cast<double>(problem.begin.size());
    return all <= static_cast<double>(problem.points) ? static_cast<std::int64_t>(all) : 0;
}

void checkGrid(const MethodProblem& problem) {
    const double size = gridSize(problem.variables);
    const double all = size + static_cast<double>(problem.begin.size());
    if (all > static_cast<double>(problem.points)) {
        std::vector<std::string> factors;
        for (const Variable& variable : problem.variables) factors.push_back(formatCount(levelCount(variable)));
        const std::string product = factors.size() > 1 ? " (" + joined(factors, " × ") + ")" : "";
        const std::string beside =
            problem.begin.empty() ? "" : fmt::format(" beside the {} to begin with", problem.begin.size());
        throw UsageError(
            fmt::format("the grid has {}{}{}, more than the {} allowed; expected fewer levels or values, "
                        "or a larger number of points",
                        formatCounted(size, "point", "points"), product, beside, formatCount(problem.points)));
    }
}

void runGrid(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    checkGrid(problem);
    Session session(problem, evaluate);
    session.begin();
    std::vector<std::size_t> levels(problem.variables.size(), 0);
    for (bool isDone = false; !isDone && !session.isOver();) {
        std::vector<Point> block;
        while (!isDone && block.size() < kBlock) {
            Point& point = block.emplace_back(levels.size());
            for (std::size_t i = 0; i < point.size(); ++i) point[i] = levelValue(problem.variables[i], levels[i]);
            isDone = true;
            for (std::size_t i = levels.size(); i-- > 0;) {
                if (++levels[i] < levelCount(problem.variables[i])) {
                    isDone = false;
                    break;
                }
                levels[i] = 0;
            }
        }
        session.evaluate(std::move(block));
    }
}

std::int64_t countList(const MethodProblem& problem) {
    const auto all = static_cast<std::int64_t>(problem.begin.size());
    return all <= problem.points ? all : 0;
}

void checkList(const MethodProblem& problem) {
    if (problem.begin.empty()) throw UsageError("the list has no points; expected at least one");
    if (static_cast<std::int64_t>(problem.begin.size()) > problem.points)
        throw UsageError(fmt::format("the list has {}, more than the {} allowed; expected a larger number of points",
                                     formatCounted(problem.begin.size(), "point", "points"),
                                     formatCount(problem.points)));
}

void runList(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    checkList(problem);
    Session session(problem, evaluate);
    session.evaluateGroups(problem.begin.size(), [&](std::size_t i) { return std::vector<Point>{problem.begin[i]}; });
}

void runRandom(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    Session session(problem, evaluate);
    KnownPoints known(problem.variables);
    for (const Point& point : problem.begin) known.add(point);
    session.begin();
    RandomStream random(problem.seed);
    while (!session.isOver() && !known.isAll()) {
        const auto size = static_cast<std::size_t>(std::min(session.left(), static_cast<std::int64_t>(kBlock)));
        std::vector<Point> block;
        while (block.size() < size && !known.isAll())
            if (std::optional<Point> point = known.addRandom(random)) block.push_back(*std::move(point));
        session.evaluate(std::move(block));
    }
}

}  // namespace

Method gridMethod() {
    return {.id = "grid",
            .title = "Grid",
            .help = "Every combination of the variables' values, or of the levels of their ranges",
            .kind = Method::Kind::sample,
            .run = runGrid,
            .count = countGrid,
            .check = checkGrid};
}

Method listMethod() {
    return {.id = "list",
            .title = "List of points",
            .help = "The points that are given, in their order",
            .kind = Method::Kind::sample,
            .run = runList,
            .count = countList,
            .check = checkList};
}

Method randomMethod() {
    return {.id = "random",
            .title = "Random sample",
            .help = "Independent points, each different from all before",
            .kind = Method::Kind::sample,
            .run = runRandom,
            .count = countDifferent};
}

}  // namespace tessera::explore

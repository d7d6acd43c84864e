#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/explore/method_rows.h"
#include "core/explore/session.h"

namespace tessera::explore {

namespace {

std::deque<Method>& allMethods() {
    static std::deque<Method> kAll = {gridMethod(),  listMethod(),  randomMethod(), latinHypercubeMethod(),
                                      sobolMethod(), nsga2Method(), moeadMethod(),  differentialMethod(),
                                      cmaesMethod(), bayesMethod(), morrisMethod(), sobolIndicesMethod()};
    return kAll;
}

}  // namespace

const std::deque<Method>& methods() {
    return allMethods();
}

void addMethod(const Method& method) {
    if (findRow(methods(), method.id) != nullptr)
        throw std::logic_error(fmt::format("there is a method {} already; expected another id", inQuotes(method.id)));
    allMethods().push_back(method);
}

void checkProblem(const Method& method, const MethodProblem& problem) {
    checkProblem(problem);
    if (method.check != nullptr) method.check(problem);
}

const Method& methodNamed(std::string_view id) {
    return rowNamed(methods(), id, "unknown method");
}

std::int64_t countAll(const MethodProblem& problem) {
    return problem.points;
}

std::int64_t countDifferent(const MethodProblem& problem) {
    const std::size_t count = pointCount(problem.variables);
    if (count == 0) return problem.points;
    // Points to begin with are evaluated as they are: some may stand outside of the space, some there twice.
    KnownPoints known(problem.variables);
    for (const Point& point : problem.begin) known.add(point);
    const std::size_t all = problem.begin.size() + (count - std::min(count, known.inside()));
    return all < static_cast<std::size_t>(problem.points) ? static_cast<std::int64_t>(all) : problem.points;
}

}  // namespace tessera::explore

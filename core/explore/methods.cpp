#include <algorithm>

#include "core/base/names.h"
#include "core/explore/method_rows.h"
#include "core/explore/session.h"

namespace tessera::explore {

namespace {

std::vector<Method>& allMethods() {
    static std::vector<Method> kAll = {gridMethod(),  listMethod(),  randomMethod(), latinHypercubeMethod(),
                                       sobolMethod(), nsga2Method(), moeadMethod(),  differentialMethod(),
                                       cmaesMethod(), bayesMethod(), morrisMethod(), sobolIndicesMethod()};
    return kAll;
}

}  // namespace

const std::vector<Method>& methods() {
    return allMethods();
}

void addMethod(const Method& method) {
    allMethods().push_back(method);
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

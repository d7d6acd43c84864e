#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"
#include "core/mapping/evaluator.h"
#include "core/mapping/mapping.h"

namespace tessera::mapping {
namespace {

void check(const Problem& problem, const Mapping& mapping) {
    const std::size_t jobs = problem.jobs.size();
    if (mapping.core.size() != jobs || mapping.priority.size() != jobs)
        throw UsageError(fmt::format("a mapping of {} cores and {} priorities; expected one of each for {} jobs",
                                     mapping.core.size(), mapping.priority.size(), jobs));
    for (std::size_t j = 0; j < jobs; ++j) {
        if (mapping.core[j] < 0 || static_cast<std::size_t>(mapping.core[j]) >= problem.cores.size())
            throw UsageError(fmt::format("sub-accelerator of job {} is {}; expected a whole number from 0 to {}", j,
                                         mapping.core[j], problem.cores.size() - 1));
        if (!(mapping.priority[j] >= 0 && mapping.priority[j] < 1))
            throw UsageError(fmt::format("priority of job {} is {}; expected a number from 0 up to, but not, 1", j,
                                         mapping.priority[j]));
    }
}

}  // namespace

Schedule schedule(const Problem& problem, const Mapping& mapping) {
    check(problem, mapping);
    Evaluator evaluator(problem);
    evaluator.hold(mapping);
    return evaluator.schedule();
}

Values evaluate(const Problem& problem, const Mapping& mapping) {
    check(problem, mapping);
    return Evaluator(problem).evaluate(mapping);
}

}  // namespace tessera::mapping

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/run_control.h"
#include "core/codesign/schedule/operators.h"

/// Operator scheduling on one accelerator: section 4 and Figure 3 of PHAZE (Wang et al., ICML 2024). Minimises the
/// makespan of a layer's operators, each of which runs on one core of its kind (a fused one on tensor core c and vector
/// core c) or on all cores with nothing beside it. Times are in the unit of the operators' file.
namespace tessera::codesign {

/// The cores of an accelerator. The first min(tensor, vector) of each kind are paired.
struct Cores {
    std::int64_t tensor = 1;
    std::int64_t vector = 1;
    bool operator==(const Cores&) const = default;
};

/// Start, finish and cores of one operator, times in the unit of the operators' file.
struct OperatorSlot {
    double start = 0;
    double finish = 0;
    bool allCores = false;                   ///< then without cores of its own
    std::optional<std::int64_t> tensorCore;  ///< from 1, as in the paper
    std::optional<std::int64_t> vectorCore;
    bool operator==(const OperatorSlot&) const = default;
};

/// A schedule of all operators of a graph.
struct Schedule {
    double makespan = 0;
    std::vector<OperatorSlot> operators;  ///< in the order of the graph
    bool operator==(const Schedule&) const = default;
};

/// Returns the makespan where operators run one after the other, each in its faster form.
double serialTime(const OperatorGraph& graph);

/// How a graph is scheduled, and for how long.
struct ScheduleOptions {
    /// A scheduler by its id. `exact` proves what it finds; a heuristic where a graph is too large for it.
    std::string method = "exact";
    /// Time limit. Raise it where a result is not proved optimal.
    std::chrono::milliseconds time{60'000};
    /// States of `exact` to look at, or nodes of CBC's tree; none = no limit. Set it where a run has to be repeatable:
    /// a time limit is not.
    std::optional<std::int64_t> nodes = {};
};

/// A schedule, and how far from the best it may be.
struct ScheduleResult {
    Schedule schedule;
    double lowerBound = 0;  ///< no schedule is shorter
    bool optimal = false;   ///< proved: the makespan equals the bound (within 1e-9 of it where latencies are not whole)
    double serial = 0;      ///< `serialTime`
    EndedBy ended = EndedBy::heuristic;
    std::int64_t nodes = 0;  ///< states or nodes looked at
    std::vector<std::string> assumptions = {};
};

/// A row of the table of methods.
struct ScheduleMethod {
    std::string_view name;
    std::string_view summary;
    ScheduleResult (*solve)(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                            const RunControl& control);
};

const std::vector<ScheduleMethod>& scheduleMethods();

/// Schedules by the method that the options name, on one thread. Throws UsageError where there is no such method,
/// FileError where `ilp` cannot run CBC.
ScheduleResult scheduleOperators(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                                 const RunControl& control = {});

}  // namespace tessera::codesign

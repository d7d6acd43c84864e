#pragma once

#include <string>

#include "core/codesign/schedule/schedule.h"

namespace tessera::codesign {

/// Operators that the integer linear program takes: its rows grow with their third power.
inline constexpr std::size_t kMaxInProgram = 150;

/// Kinds of cores that the program assigns to operators one by one.
struct CoreVariables {
    bool tensor = false;
    bool vector = false;
    bool operator==(const CoreVariables&) const = default;
};

/// The program of Figure 3 in CPLEX's LP format, its variables called as in the paper: T, t1, y1, x1_2, ztc1_1, zvc1_1,
/// operators and cores counted from 1. `x` of operators that depend on each other is a constant and left out.
std::string scheduleProgram(const OperatorGraph& graph, const Cores& cores, const CoreVariables& variables);

/// Figure 3 of the paper through CBC (`cbc`, a child process), with its relaxation in two stages (appendix A): first
/// without the variables that give operators cores, then with those of the kinds of which too many were used. Throws
/// FileError where CBC is not installed, UsageError above `kMaxInProgram` operators.
ScheduleResult solveByIlp(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                          const RunControl& control);

}  // namespace tessera::codesign

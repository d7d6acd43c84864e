#pragma once

#include "core/codesign/schedule.h"

namespace tessera::codesign {

/// Figure 3 of the paper through CBC (`cbc`, a child process), with its relaxation in two stages: first without the
/// variables that give operators cores, then with those of the kinds of which too many were used. Throws FileError
/// where CBC is not installed.
ScheduleResult solveByIlp(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options);

}  // namespace tessera::codesign

#pragma once

#include <string>
#include <vector>

#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/exploration/outcome.h"

/// Pictures and tables of explorations, the same in the window, on the command line and in reports.
namespace tessera::report {

/// The first two objectives; of one alone the variable that it follows most.
Chart explorationFrontChart(const study::ExplorationOutcome& outcome);
/// Every objective over the points as they were evaluated, the best so far as a line: one that is `objective`.
Chart explorationProgressChart(const study::ExplorationOutcome& outcome);
/// What the front dominates over the points.
Chart explorationHypervolumeChart(const study::ExplorationOutcome& outcome);
/// What matters to each objective, with intervals.
Chart explorationEffectChart(const study::ExplorationOutcome& outcome);
/// How many points are infeasible, by reason.
Chart explorationReasonChart(const study::ExplorationOutcome& outcome);
/// All solutions in all variables and objectives.
ParallelPicture explorationParallel(const study::ExplorationOutcome& outcome);

/// Points with their variables, objectives and constraints; of full precision with all metrics.
Table explorationPointTable(const study::ExplorationOutcome& outcome, const std::vector<std::size_t>& points);
Table exactExplorationTable(const study::ExplorationOutcome& outcome, const std::vector<std::size_t>& points);
Table explorationVariableTable(const study::ExplorationOutcome& outcome);
Table explorationEffectTable(const study::ExplorationOutcome& outcome);
Table explorationReasonTable(const study::ExplorationOutcome& outcome);

}  // namespace tessera::report

#pragma once

#include <cstddef>
#include <string>

#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/explore/point_table.h"
#include "core/report/point_pictures.h"
#include "core/study/plan/outcome.h"

/// The configurations that a plan keeps, in any of their values: the best ones, by rank, and those of its front.
namespace tessera::report {

/// The best configurations first, each at its rank from 0, then those of the front that are not among them, then what
/// others measured: accelerators, tokens per second, and the time that a step of the study takes at that rate.
/// Objectives are those of the study and of its front; the price is left out where one is not known.
explore::PointTable pointTable(const study::PlanOutcome& outcome);

/// "134 s", "$221", "149 GB": a value of an objective.
std::string objectiveText(plan::Objective value, double number);

/// What a scatter of two values says: what more accelerators gain, beside ideal scaling.
ScatterExtras planExtras(const explore::PointTable& points, std::size_t x, std::size_t y);

/// The front of the two values that the study names.
Chart planFrontChart(const study::PlanOutcome& outcome);
/// All configurations in all values.
ParallelPicture planParallel(const study::PlanOutcome& outcome);

}  // namespace tessera::report

#pragma once

#include <cstddef>
#include <string>

#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/explore/point_table.h"
#include "core/report/point_pictures.h"
#include "core/study/plan/outcome.h"
#include "core/study/result.h"

/// The configurations that a plan keeps, in any of their values: the best ones, by rank, and those of its front.
namespace tessera::report {

/// The best configurations first, each at its rank from 0, then those of the front that are not among them, then what
/// others measured: accelerators, tokens per second, and the time that a step of the study takes at that rate.
/// Objectives are those of the study and of its front; the price is left out where one is not known.
explore::PointTable pointTable(const study::PlanOutcome& outcome);

/// The plan's study with what is shown of its configurations (those of `pointTable`) as its space: of every axis in
/// which some are left out it allows what those that are shown have, within what it allowed before. Ranges of times,
/// prices and the like are nothing that a plan can be asked for; they count by the configurations that they leave.
study::Study narrowedPlan(const study::Result& plan, const PointStates& states);

/// "134 s", "$221", "149 GB": a value of an objective.
std::string objectiveText(plan::Objective value, double number);

/// What a scatter of two values says: what more accelerators gain, beside ideal scaling.
ScatterExtras planExtras(const explore::PointTable& points, std::size_t x, std::size_t y);

/// The front of the two values that the study names.
Chart planFrontChart(const study::PlanOutcome& outcome);
/// All configurations in all values.
ParallelPicture planParallel(const study::PlanOutcome& outcome);

}  // namespace tessera::report

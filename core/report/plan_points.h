#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/study/plan/outcome.h"

/// The configurations that a plan keeps, in any two of their values: those of its front and the best ones.
namespace tessera::report {

struct PlanPoint {
    std::string text;  ///< as `plan::shortText`
    plan::Scores scores;
    std::optional<std::size_t> rank = {};  ///< among the best, from 0
};
std::vector<PlanPoint> planPoints(const study::PlanOutcome& outcome);

/// Values that a study's configurations differ in: without the price where one is not known.
std::vector<plan::Objective> planValues(const study::PlanOutcome& outcome);
/// "Step time".
std::string titleOf(plan::Objective value);
/// "134 s", "$221", "149 GB": a value of an objective.
std::string objectiveText(plan::Objective value, double number);

/// Which points no other beats in two values, by rising x.
std::vector<std::size_t> planFront(const std::vector<PlanPoint>& points, plan::Objective x, plan::Objective y);

/// A scatter of points and where they stand in it.
struct PlanScatter {
    Chart chart;
    std::vector<std::vector<std::size_t>> points;  ///< by series and place in it
};
/// `shown` says of each point whether brushes hold it; empty = all.
PlanScatter planScatter(const study::PlanOutcome& outcome, const std::vector<PlanPoint>& points, plan::Objective x,
                        plan::Objective y, const std::vector<bool>& shown = {});
/// All points in all values.
ParallelPicture planParallel(const study::PlanOutcome& outcome, const std::vector<PlanPoint>& points);

/// The front of the two values that the study names.
Chart planFrontChart(const study::PlanOutcome& outcome);

}  // namespace tessera::report

#pragma once

#include <string>
#include <vector>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/plan/outcome.h"

/// What stands beside a plan: the best on other numbers of its accelerators, and published runs of its model. Both are
/// compared in tokens per second of an accelerator.
namespace tessera::report {

/// Tokens per second of an accelerator by how many there are, with the published runs as diamonds.
Chart planScalingChart(const study::PlanOutcome& outcome);
/// A row for each number of accelerators, for people and in full precision.
Table planScalingTable(const study::PlanOutcome& outcome);
Table exactPlanScalingTable(const study::PlanOutcome& outcome);

/// The best configuration and the published runs, a row each: what differs, and what each accelerator does.
Table planMeasuredTable(const study::PlanOutcome& outcome);
Table exactPlanMeasuredTable(const study::PlanOutcome& outcome);
/// "Measured runs of this model on h100: …", a sentence; empty where nobody measured any.
std::string planMeasuredSentence(const study::PlanOutcome& outcome);

/// Adds a line of diamonds to `planTimeChart`: the best one's step if each of its accelerators did what published ones
/// did. Nothing where there are none of its accelerator and data type.
void markMeasuredSteps(Chart& chart, const study::PlanOutcome& outcome);

}  // namespace tessera::report

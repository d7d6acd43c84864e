#pragma once

#include <cstddef>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "core/study/plan/outcome.h"

namespace tessera::report {

/// What takes the step of the best configurations, one bar each.
Chart planTimeChart(const study::PlanOutcome& outcome);
/// What fills the accelerators of each stage of the best configuration, below their capacity.
Chart planMemoryChart(const study::PlanOutcome& outcome);
/// The configurations that no other beats in two values.
Chart planFrontChart(const study::PlanOutcome& outcome);
/// What a tenth more of a resource would gain.
Chart planSensitivityChart(const study::PlanOutcome& outcome);
/// What became of the configurations of the space.
Chart planCountChart(const study::PlanOutcome& outcome);

/// What the cells of a cluster's drawing show.
enum class ClusterColour { memory, time };
/// The nodes of the fleet with the stage that each accelerator holds under the best configuration.
Drawing planClusterDrawing(const study::PlanOutcome& outcome, ClusterColour colour, double width = 960);

/// "tp 8 · pp 16 · dp 4": a configuration in few letters.
std::string planLabel(const plan::Configuration& configuration);

}  // namespace tessera::report

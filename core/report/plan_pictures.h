#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "core/study/plan/outcome.h"

namespace tessera::report {

/// What pictures of a plan say where there is none.
inline constexpr const char* kNoPlan =
    "Nothing fits, so there is no configuration to show. The headline says what is missing.";

/// Step-time breakdown of the best configurations, one bar each.
Chart planTimeChart(const study::PlanOutcome& outcome);
/// The same without compute, in which they differ little.
Chart planOverheadChart(const study::PlanOutcome& outcome);
/// What fills the accelerators of each stage of the configuration of a rank, below their capacity.
Chart planMemoryChart(const study::PlanOutcome& outcome, const std::string& rank);
/// Bars of what fills accelerators of some stages, and their capacity.
std::vector<Series> planMemorySeries(std::span<const plan::EvaluatedStage> stages);
/// Speed-up from 10 % more of each resource.
Chart planSensitivityChart(const study::PlanOutcome& outcome);
/// Configurations of the space by outcome: fits, out of memory, pruned.
Chart planCountChart(const study::PlanOutcome& outcome);

/// What the cells of a cluster's drawing show.
enum class ClusterColour { memory, time };
/// The nodes of the fleet and what joins them, with the stage that each accelerator holds under the configuration of a
/// rank.
Drawing planClusterDrawing(const study::PlanOutcome& outcome, const std::string& rank, ClusterColour colour,
                           double width, const TextWidth& measure);

/// An answer in sentences: what breaks, or what it costs and which shares of the step are longer than the best's.
std::vector<std::string> planAnswerSentences(const study::PlanOutcome& outcome, const study::AskedConfiguration& asked);
/// The step beside the best's, whole and without compute, or the memory that the stage that lacks most would need.
std::vector<Chart> planAnswerCharts(const study::PlanOutcome& outcome, const study::PlanAnswer& answer);

/// "tp 8 · pp 16 · dp 4": a configuration in few letters.
std::string planLabel(const plan::Configuration& configuration);

}  // namespace tessera::report

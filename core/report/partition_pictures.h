#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/curve.h"
#include "core/draw/picture.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"

/// The pictures of a partition result, the same in the window, on the command line and in reports.
namespace tessera::report {

/// Layers × splits coloured by type (AccPar, Fig. 7); levels count from 0, as everywhere. Of more than 200 layers
/// nothing is folded: the drawing does that.
HeatMap typeMap(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Share of the first side per split, by level.
Chart ratioChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Compute, intra-layer and inter-layer time per layer at one split (index into the plan's levels), stacked.
Chart layerChart(const study::PartitionOutcome& outcome, const std::string& strategy, std::size_t split);
/// Speed-up over data parallelism per strategy (Figs. 5, 6), and step time with its bound.
Chart speedupChart(const study::PartitionOutcome& outcome);
Chart stepTimeChart(const study::PartitionOutcome& outcome);
/// Step time by part: transfers of the slowest accelerator at each level on its way down, and its computation, with
/// their shares of the step.
Chart levelTimeChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Index into the plan's shares of the accelerator that the step waits for; empty where there are none.
std::optional<std::size_t> slowestShare(const partition::Plan& plan);
/// Memory per accelerator of each kind against its capacity.
Chart memoryChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Convergence charts of searches, one chart per quantity that they have curves of, never none. Strategies keep their
/// colours, baselines are dashed, and the label of a bound says how far the best one is from it. `generations`: see
/// mappingConvergenceCharts.
std::vector<Chart> convergenceCharts(const std::vector<Curve>& curves, bool logarithmic, bool generations = false);

}  // namespace tessera::report

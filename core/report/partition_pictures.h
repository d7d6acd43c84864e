#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/report/picture.h"
#include "core/study/comparison.h"
#include "core/study/result.h"

/// The pictures of a partition result, the same in the window, on the command line and in reports.
namespace tessera::report {

/// Layers × splits coloured by type (AccPar, Fig. 7). Of more than 200 layers nothing is folded: the drawing does that.
HeatMap typeMap(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Share of the first side per split, by level.
Chart ratioChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Compute, intra-layer and inter-layer time per layer at one split (index into the plan's levels), stacked.
Chart layerChart(const study::PartitionOutcome& outcome, const std::string& strategy, std::size_t split);
/// Speed-up over data parallelism per strategy (Figs. 5, 6), and step time with its bound.
Chart speedupChart(const study::PartitionOutcome& outcome);
Chart stepTimeChart(const study::PartitionOutcome& outcome);
/// Objective of each split by level, and how much of the step time the levels up to it make up (Fig. 8).
Chart levelChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Memory per accelerator of each kind against its capacity.
Chart memoryChart(const study::PartitionOutcome& outcome, const std::string& strategy);
/// Curves of a search: "best" against the bound, one series per curve of the trace.
Chart convergenceChart(const std::vector<std::pair<std::string, std::vector<std::pair<double, double>>>>& curves,
                       bool logarithmic);
/// A metric of several runs as bars, the baseline dashed.
Chart comparisonChart(const study::Comparison& comparison, const std::string& metric);

}  // namespace tessera::report

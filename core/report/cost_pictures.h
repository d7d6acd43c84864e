#pragma once

#include <string_view>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/cost/study.h"

/// The pictures and tables of layer costs, the same in the window, on the command line and in reports.
namespace tessera::report {

/// A number of every layer as bars in the order of the layers, by its id in `study::layerNumbers`. Of many layers the
/// bars stand upright, and where there is no room for all, the largest of its neighbours stands for them.
Chart layerChart(const study::CostOutcome& outcome, std::string_view number);
/// Share of the largest layers in the sum of a number.
Chart largestLayersChart(const study::CostOutcome& outcome, std::string_view number);
/// Every layer by its multiply-accumulates per off-chip byte and per cycle, below what array and bandwidth allow.
Chart layerRoofline(const study::CostOutcome& outcome);

/// One row per layer, with its place in the input.
Table layerCostTable(const study::CostOutcome& outcome, study::FieldUse use);
/// The text of that table for people: of a million layers the table would take a gigabyte.
std::string layerCostText(const study::CostOutcome& outcome);
/// Reasons why the variants of the cost model differ, one row per layer on which they do.
Table variantTable(const study::CostOutcome& outcome);
/// "5 rows, 1 cannot be analysed; the variants published and corrected differ on 3; this is corrected".
std::string countSentence(const study::CostOutcome& outcome);

}  // namespace tessera::report

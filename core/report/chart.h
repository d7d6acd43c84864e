#pragma once

#include <string>
#include <vector>

#include "core/partition/partition.h"
#include "core/report/theme.h"

/// Charts as SVG text: pure functions of values and theme, the same bytes every time.
namespace tessera::report {

struct Bar {
    std::string label;
    double value = 0;
    std::string valueText;  ///< printed at the bar's end
    std::string_view colour;
};

/// Horizontal bars from zero, the value printed at each end.
std::string barChart(const std::string& title, const std::vector<Bar>& bars, const Theme& theme);

/// Layers from left to right, splits from top to bottom, coloured by type; I, II and III are printed where a cell is
/// wider than 14 px. Of more than 200 layers, neighbours share a cell that shows their most frequent type.
std::string partitionHeatMap(const partition::Plan& plan, const std::vector<std::string>& names, const Theme& theme);

}  // namespace tessera::report

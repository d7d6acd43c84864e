#include "core/study/mapping/front_points.h"

#include <algorithm>

#include "core/study/mapping/objective_axis.h"

namespace tessera::study {

FrontPoints::FrontPoints(const MappingOutcome& outcome, const std::vector<std::string>& algorithms)
    : outcome_(outcome), algorithms_(algorithms) {}

explore::PointTable FrontPoints::fresh(const std::string& algorithm, const std::vector<mapping::FrontPoint>& front) {
    using explore::PointColumn;
    const auto objectiveColumn = [&](mapping::Objective objective, const std::string& help) {
        const ObjectiveAxis axis = axisOf(outcome_, objective);
        return PointColumn{.id = std::string(mapping::nameOf(objective)),
                           .title = axis.title,
                           .help = help,
                           .measure = axis.measure,
                           .role = PointColumn::Role::objective,
                           .better = PointColumn::Better::lower};
    };
    const auto [first, second] = *outcome_.pareto;
    PointColumn whose{.id = "algorithm",
                      .title = "Algorithm",
                      .help = "That has found the mapping",
                      .role = PointColumn::Role::variable,
                      .words = algorithms_};
    PointColumn x = objectiveColumn(first, "Of a mapping that no other of the algorithm beat when it was found");
    PointColumn y = objectiveColumn(second, x.help);
    const double xFactor = axisOf(outcome_, first).factor, yFactor = axisOf(outcome_, second).factor;
    const auto place = std::find(algorithms_.begin(), algorithms_.end(), algorithm) - algorithms_.begin();
    explore::PointTable table{.title = "Mappings"};
    for (const mapping::FrontPoint& point : front) {
        if (!known_.emplace(algorithm, point.first, point.second).second) continue;
        whose.values.push_back(static_cast<double>(place));
        x.values.push_back(point.first * xFactor);
        y.values.push_back(point.second * yFactor);
        table.reasons.emplace_back();
        table.marks.push_back(0);
    }
    table.columns = {std::move(x), std::move(y), std::move(whose)};
    return table;
}

}  // namespace tessera::study

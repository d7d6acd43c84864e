#include "core/explore/surface.h"

#include <algorithm>
#include <cmath>

#include "core/explore/gaussian_process.h"
#include "core/explore/table_space.h"

namespace tessera::explore {

namespace {

std::vector<double> axisValues(const Variable& variable, std::size_t size) {
    std::vector<double> values;
    const std::size_t count = valueCount(variable);
    if (count > 0 && count <= size) {
        for (std::size_t i = 0; i < count; ++i) values.push_back(valueNumbered(variable, i));
        return values;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double value =
            valueAt(variable, size == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(size - 1));
        if (values.empty() || value != values.back()) values.push_back(value);
    }
    return values;
}

}  // namespace

Surface responseSurface(const std::vector<Variable>& variables, const std::vector<Point>& points,
                        std::span<const double> values, std::size_t x, std::size_t y, const Point& at,
                        std::size_t size) {
    Surface surface;
    if (x == y || points.size() < 3 || size == 0) return surface;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        const std::vector<double>& categories = variables[k].values;
        const bool isKnown = !variables[k].isCategory || k == x || k == y ||
                             std::find(categories.begin(), categories.end(), at[k]) != categories.end();
        if (!isKnown) return surface;
    }
    std::vector<std::vector<double>> shares;
    std::vector<double> theirs;
    for (const std::size_t i : someOf(points.size(), kSurfacePoints)) {
        shares.push_back(sharesOf(variables, points[i]));
        theirs.push_back(values[i]);
    }
    const GaussianProcess process(variables, shares, theirs);
    surface.points = theirs.size();
    surface.explained = std::max(process.explained(), 0.0);
    surface.x = axisValues(variables[x], size);
    surface.y = axisValues(variables[y], size);
    std::vector<std::vector<double>> places;
    for (const double row : surface.y)
        for (const double column : surface.x) {
            std::vector<double>& place = places.emplace_back(sharesOf(variables, at));
            place[x] = shareOf(variables[x], column);
            place[y] = shareOf(variables[y], row);
        }
    for (const GaussianProcess::Prediction& each : process.at(places)) {
        surface.mean.push_back(each.mean);
        surface.error.push_back(each.deviation);
    }
    return surface;
}

Surface responseSurface(const PointTable& table, std::size_t valueColumn, std::size_t xColumn, std::size_t yColumn,
                        std::size_t at, std::size_t size) {
    const TableSpace space = spaceOf(table, valueColumn);
    const auto numberOfColumn = [&](std::size_t column) {
        return static_cast<std::size_t>(std::find(space.columns.begin(), space.columns.end(), column) -
                                        space.columns.begin());
    };
    const std::size_t x = numberOfColumn(xColumn), y = numberOfColumn(yColumn);
    if (x == space.columns.size() || y == space.columns.size() || at >= table.size()) return {};
    Point chosen;
    for (const std::size_t column : space.columns) {
        const PointColumn& own = table.columns[column];
        if (at >= own.values.size() || !std::isfinite(own.values[at])) return {};
        chosen.push_back(own.values[at]);
    }
    return responseSurface(space.variables, space.points, space.values, x, y, chosen, size);
}

}  // namespace tessera::explore

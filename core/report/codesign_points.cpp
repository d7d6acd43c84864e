#include "core/report/codesign_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"
#include "core/report/field_table.h"
#include "core/study/codesign/fields.h"

namespace tessera::report {

ScatterExtras codesignExtras(const codesign::Result& result, const explore::PointTable& points, std::size_t x,
                             std::size_t y, const std::vector<OtherFront>& others) {
    ScatterExtras extras;
    const std::string &across = points.columns[x].id, &up = points.columns[y].id;
    if (result.optimal && ((across == "area" && up == "objective") || (up == "area" && across == "objective")))
        extras.qualifier = ", proven";
    for (std::size_t i = 0; i < others.size(); ++i) {
        std::vector<study::KnownDesign> designs;
        for (const codesign::Point& point : others[i].points)
            if (point.objective > 0) designs.push_back({.point = point});
        const explore::PointTable theirs = study::pointTable(result, designs);
        Series line{.id = fmt::format("other-{}", i),
                    .name = escaped(others[i].name, 40),
                    .mark = Mark::line,
                    .colour = std::string(kCategories.at((i + 6) % kCategories.size())),
                    .x = theirs.columns[x].values,
                    .y = theirs.columns[y].values,
                    .dashed = true};
        line.valueTexts = theirs.names;
        extras.beside.push_back(std::move(line));
    }
    return extras;
}

Chart paretoChart(const codesign::Result& result) {
    const explore::PointTable points = study::pointTable(result);
    Chart chart = scatterOf(points, {.x = 0, .y = 1, .extras = codesignExtras(result, points, 0, 1)}).chart;
    chart.empty = "No architecture of the search runs every model.";
    if (result.evaluated.size() >= result.options.maxTraced)
        chart.notes.push_back(
            fmt::format("Of the evaluated architectures, {} are kept.", formatCount(result.evaluated.size())));
    return chart;
}

ParallelPicture parallelPicture(const codesign::Result& result) {
    const explore::PointTable points = study::pointTable(result);
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < points.columns.size(); ++i)
        if (points.columns[i].role != explore::PointColumn::Role::variable &&
            points.columns[i].id.find(':') == std::string::npos)
            columns.push_back(i);
    ParallelPicture picture = parallelOf(points, columns);
    picture.empty = "No architecture of the search runs every model.";
    if (result.optimal) picture.title += ", the front proven";
    return picture;
}

Table exactPointTable(const codesign::Result& result, const std::vector<const codesign::Point*>& points) {
    std::vector<study::DesignPoint> rows;
    for (const codesign::Point* point : points) rows.push_back({&result, point});
    Table table = tableOf(study::pointFields(), rows, study::kExactTable);
    const auto add = [&](std::string name, const std::function<double(const codesign::Point&)>& of) {
        table.columns.push_back({std::move(name), true});
        for (std::size_t row = 0; row < points.size(); ++row) table.rows[row].push_back(exactNumber(of(*points[row])));
    };
    for (std::size_t i = 0; i < result.models.size(); ++i)
        add(modelTitle(result.models[i]) + "_samples_per_s",
            [i](const codesign::Point& point) { return i < point.throughput.size() ? point.throughput[i] : 0; });
    for (const study::BandwidthColumn& column : study::bandwidthColumns(result)) add(column.name, column.of);
    return table;
}

Table exactPointTable(const codesign::Result& result, const std::vector<study::KnownDesign>& designs) {
    std::vector<const codesign::Point*> points;
    for (const study::KnownDesign& row : designs) points.push_back(&row.point);
    Table table = exactPointTable(result, points);
    table.columns.insert(table.columns.begin(), Table::Column{"architecture"});
    for (const char* flag : {"on_front", "best", "baseline"}) table.columns.push_back({flag});
    for (std::size_t i = 0; i < designs.size(); ++i) {
        std::vector<std::string>& cells = table.rows[i];
        cells.insert(cells.begin(), hardware::nameOf(designs[i].point.architecture));
        for (std::string flag : {std::string(designs[i].onFront ? "yes" : ""),
                                 std::string(designs[i].best ? "yes" : ""), designs[i].baseline})
            cells.push_back(std::move(flag));
    }
    return table;
}

}  // namespace tessera::report

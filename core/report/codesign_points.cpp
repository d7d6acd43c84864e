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

std::vector<BandwidthColumn> bandwidthColumns(const codesign::Result& result) {
    std::vector<BandwidthColumn> columns;
    if (!result.space.hbmBandwidth.values.empty())
        columns.push_back({"hbm-bandwidth", "hbm_bandwidth_bytes_per_s", "HBM rate",
                           "Between the HBM and the global buffer", Measure::bytesPerSecond,
                           [others = result.space.rates.hbmBandwidth](const codesign::Point& point) {
                               return point.architecture.hbmBandwidth.value_or(others).value;
                           }});
    if (!result.space.networkBandwidth.values.empty())
        columns.push_back({"network-bandwidth", "network_bandwidth_bytes_per_s", "Network",
                           "Between any two accelerators", Measure::bytesPerSecond,
                           [others = result.options.bandwidth](const codesign::Point& point) {
                               return point.architecture.networkBandwidth.value_or(others).value;
                           }});
    if (result.best && result.best->interfacePower)
        columns.push_back({"interface-power", "interface_power_w", "Interfaces",
                           "Of the interfaces to HBM and network at their full rate", Measure::watts,
                           [](const codesign::Point& point) { return point.interfacePower.value_or(Watts{}).value; }});
    return columns;
}

std::vector<PointRow> pointRows(const codesign::Result& result) {
    std::vector<PointRow> rows;
    std::map<std::string, std::size_t> known;
    const auto rowOf = [&](const codesign::Point& point) -> PointRow& {
        const auto [found, isNew] = known.emplace(hardware::nameOf(point.architecture), rows.size());
        if (isNew) rows.push_back({.point = point});
        return rows[found->second];
    };
    for (const codesign::Point& point : result.front) rowOf(point).onFront = true;
    if (result.best) rowOf(*result.best).best = true;
    for (const codesign::Point& point : result.evaluated) rowOf(point);
    for (const codesign::Baseline& baseline : result.baselines) {
        // An expert's placement has a lower objective than the architecture itself: it stands in the tables of models
        // alone.
        if (baseline.placement != "solver") continue;
        PointRow& row = rowOf(baseline.point);
        if (row.baseline.empty()) row.baseline = escaped(baseline.title, 80);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const PointRow& a, const PointRow& b) { return a.point.area < b.point.area; });
    return rows;
}

namespace {

using explore::PointColumn;
using Better = explore::PointColumn::Better;
using ColumnRole = explore::PointColumn::Role;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Objective by the study's way of weighing; samples per second only where it is the mean of that.
PointColumn objectiveColumn(const codesign::Result& result) {
    const bool rate = result.options.objective == codesign::Objective::mean;
    const std::string over =
        result.space.reference ? escaped(result.space.reference->name, 40) : std::string("the reference");
    const char* const how = result.options.objective == codesign::Objective::worst ? "the slowest model's" : "the";
    PointColumn column{.id = "objective", .title = rate ? "Throughput" : fmt::format("Throughput over {}", over)};
    column.unit = rate ? "samples/s" : "×";
    column.help = rate                        ? "Weighted arithmetic mean over the models"
                  : result.models.size() == 1 ? fmt::format("Throughput over that of {}", over)
                                              : fmt::format("Of {} throughput over that of {}{}", how, over,
                                                            result.options.objective == codesign::Objective::geomean
                                                                ? ", the weighted geometric mean over the models"
                                                                : "");
    column.role = ColumnRole::objective;
    column.better = Better::higher;
    return column;
}

/// A memory in the largest binary unit that its smallest size has.
void useBinaryUnit(PointColumn& column) {
    constexpr double kKibi = 1024;
    double least = std::numeric_limits<double>::infinity();
    for (const double value : column.values)
        if (value > 0) least = std::min(least, value);
    const bool giga = least >= kKibi * kKibi * kKibi;
    column.unit = giga ? "GiB" : least >= kKibi * kKibi ? "MiB" : "KiB";
    const double factor = giga ? kKibi * kKibi * kKibi : least >= kKibi * kKibi ? kKibi * kKibi : kKibi;
    for (double& value : column.values) value /= factor;
}

/// What an architecture consists of, by the fields of its points.
std::vector<PointColumn> architectureColumns(const codesign::Result& result, const std::vector<PointRow>& rows) {
    std::vector<PointColumn> columns;
    for (const auto& field : study::pointFields()) {
        if ((field.uses & study::kTable) == 0) continue;
        PointColumn column{.id = std::string(field.id), .title = std::string(field.title)};
        column.help = field.help;
        column.role = ColumnRole::variable;
        column.log = true;  // a template doubles its sizes
        for (const PointRow& row : rows) {
            const study::FieldValue value = field.get({&result, &row.point});
            const auto* number = std::get_if<double>(&value);
            column.values.push_back(number == nullptr ? kNone : *number);
        }
        if (field.measure == Measure::bytes) useBinaryUnit(column);
        columns.push_back(std::move(column));
    }
    return columns;
}

}  // namespace

explore::PointTable pointTable(const codesign::Result& result, const std::vector<PointRow>& rows) {
    explore::PointTable table{.title = "Architectures"};
    for (const PointRow& row : rows) {
        table.names.push_back(row.baseline.empty() ? hardware::nameOf(row.point.architecture) : row.baseline);
        table.reasons.emplace_back(row.point.objective > 0 ? "" : "it does not run every model");
        table.marks.push_back(static_cast<std::uint8_t>((row.baseline.empty() ? 0 : explore::kBaseline) |
                                                        (row.best ? explore::kChosen : 0) |
                                                        (row.onFront ? explore::kFront : 0)));
    }
    const auto add = [&](PointColumn column, const std::function<double(const codesign::Point&)>& of) {
        for (const PointRow& row : rows) column.values.push_back(row.point.objective > 0 ? of(row.point) : kNone);
        table.columns.push_back(std::move(column));
    };
    PointColumn area{
        .id = "area", .title = "Area", .help = "Of the accelerator without its HBM", .measure = Measure::area};
    area.role = ColumnRole::objective;
    area.better = Better::lower;
    add(area, [](const codesign::Point& point) { return point.area.value; });
    const PointColumn objective = objectiveColumn(result);
    add(objective, [](const codesign::Point& point) { return point.objective; });
    const bool rate = objective.unit != "×";
    PointColumn perArea = objective;
    perArea.id = "per-area";
    perArea.title += " per area";
    perArea.help = "Performance per area: " + objective.help;
    perArea.unit = rate ? "samples/s per mm²" : "× per 100 mm²";
    perArea.role = ColumnRole::metric;
    add(perArea, [factor = rate ? 1.0 : 100.0](const codesign::Point& point) {
        return point.area.value > 0 ? point.objective / point.area.value * factor : kNone;
    });
    PointColumn hbm{.id = "hbm", .title = "HBM", .help = "The smallest of the template that gives this throughput"};
    hbm.better = Better::lower;
    add(hbm, [](const codesign::Point& point) { return point.hbm.value; });
    useBinaryUnit(table.columns.back());
    PointColumn mfu{.id = "mfu",
                    .title = "Utilisation",
                    .help = "Model FLOPs over those of all tensor cores in the time of a batch, mean over the models",
                    .unit = "%"};
    mfu.better = Better::higher;
    add(mfu, [](const codesign::Point& point) { return 100 * point.mfu; });
    PointColumn energy{.id = "energy",
                       .title = "Energy per sample",
                       .help = "Dynamic energy of cores and memories, mean over the models",
                       .measure = Measure::joules};
    energy.better = Better::lower;
    add(energy, [](const codesign::Point& point) { return point.energyPerSample; });
    for (const BandwidthColumn& column : bandwidthColumns(result)) {
        PointColumn its{.id = column.id, .title = column.title, .help = column.help, .measure = column.measure};
        its.better = Better::lower;
        add(its, column.of);
    }
    for (std::size_t i = 0; i < result.models.size() && result.models.size() > 1; ++i) {
        PointColumn own{.id = fmt::format("throughput:{}", i),
                        .title = "Throughput of " + modelTitle(result.models[i]),
                        .help = "Samples of the global batch per second",
                        .unit = "samples/s"};
        own.better = Better::higher;
        add(own,
            [i](const codesign::Point& point) { return i < point.throughput.size() ? point.throughput[i] : kNone; });
    }
    for (PointColumn& column : architectureColumns(result, rows)) table.columns.push_back(std::move(column));
    return table;
}

explore::PointTable pointTable(const codesign::Result& result) {
    return pointTable(result, pointRows(result));
}

ScatterExtras codesignExtras(const codesign::Result& result, const explore::PointTable& points, std::size_t x,
                             std::size_t y, const std::vector<OtherFront>& others) {
    ScatterExtras extras;
    const std::string &across = points.columns[x].id, &up = points.columns[y].id;
    if (result.optimal && ((across == "area" && up == "objective") || (up == "area" && across == "objective")))
        extras.qualifier = ", proven";
    for (std::size_t i = 0; i < others.size(); ++i) {
        std::vector<PointRow> rows;
        for (const codesign::Point& point : others[i].points)
            if (point.objective > 0) rows.push_back({.point = point});
        const explore::PointTable theirs = pointTable(result, rows);
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
    const explore::PointTable points = pointTable(result);
    Chart chart = scatterOf(points, {.x = 0, .y = 1, .extras = codesignExtras(result, points, 0, 1)}).chart;
    chart.empty = "No architecture of the search runs every model.";
    if (result.evaluated.size() >= result.options.maxTraced)
        chart.notes.push_back(fmt::format("Of the evaluated architectures, {} are kept.",
                                          formatCount(static_cast<double>(result.evaluated.size()))));
    return chart;
}

ParallelPicture parallelPicture(const codesign::Result& result) {
    const explore::PointTable points = pointTable(result);
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < points.columns.size(); ++i)
        if (points.columns[i].role != ColumnRole::variable && points.columns[i].id.find(':') == std::string::npos)
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
    for (const BandwidthColumn& column : bandwidthColumns(result)) add(column.name, column.of);
    return table;
}

Table exactPointTable(const codesign::Result& result, const std::vector<PointRow>& rows) {
    std::vector<const codesign::Point*> points;
    for (const PointRow& row : rows) points.push_back(&row.point);
    Table table = exactPointTable(result, points);
    table.columns.insert(table.columns.begin(), Table::Column{"architecture"});
    for (const char* flag : {"on_front", "best", "baseline"}) table.columns.push_back({flag});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string>& cells = table.rows[i];
        cells.insert(cells.begin(), hardware::nameOf(rows[i].point.architecture));
        for (std::string flag :
             {std::string(rows[i].onFront ? "yes" : ""), std::string(rows[i].best ? "yes" : ""), rows[i].baseline})
            cells.push_back(std::move(flag));
    }
    return table;
}

}  // namespace tessera::report

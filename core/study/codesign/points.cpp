#include "core/study/codesign/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/architecture.h"
#include "core/study/codesign/fields.h"
#include "core/study/title.h"

namespace tessera::study {

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

std::vector<KnownDesign> knownDesigns(const codesign::Result& result) {
    std::vector<KnownDesign> rows;
    std::map<std::string, std::size_t> known;
    const auto rowOf = [&](const codesign::Point& point) -> KnownDesign& {
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
        KnownDesign& row = rowOf(baseline.point);
        if (row.baseline.empty()) row.baseline = escaped(baseline.title, 80);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const KnownDesign& a, const KnownDesign& b) { return a.point.area < b.point.area; });
    return rows;
}

namespace {

using explore::PointColumn;
using Direction = explore::PointColumn::Better;
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
    column.better = Direction::higher;
    return column;
}

constexpr double kMebi = 1024.0 * 1024, kGibi = 1024 * kMebi;

/// Bytes in a binary unit, which is the same for all searches.
void useUnit(PointColumn& column, const char* unit, double bytes) {
    column.unit = unit;
    for (double& value : column.values) value /= bytes;
}

/// What an architecture consists of, by the fields of its points.
std::vector<PointColumn> architectureColumns(const codesign::Result& result, const std::vector<KnownDesign>& designs) {
    std::vector<PointColumn> columns;
    for (const auto& field : pointFields()) {
        if ((field.uses & kTable) == 0) continue;
        PointColumn column{.id = std::string(field.id), .title = std::string(field.title)};
        column.help = field.help;
        column.role = ColumnRole::variable;
        column.log = true;  // a template doubles its sizes
        for (const KnownDesign& row : designs) {
            const FieldValue value = field.get({&result, &row.point});
            const auto* number = std::get_if<double>(&value);
            column.values.push_back(number == nullptr ? kNone : *number);
        }
        if (field.measure == Measure::bytes) useUnit(column, "MiB", kMebi);
        columns.push_back(std::move(column));
    }
    return columns;
}

}  // namespace

explore::PointTable pointTable(const codesign::Result& result, const std::vector<KnownDesign>& designs) {
    explore::PointTable table{.title = "Architectures"};
    for (const KnownDesign& row : designs) {
        table.names.push_back(row.baseline.empty() ? hardware::nameOf(row.point.architecture) : row.baseline);
        table.reasons.emplace_back(row.point.objective > 0 ? "" : "it does not run every model");
        table.marks.push_back(static_cast<std::uint8_t>((row.baseline.empty() ? 0 : explore::kBaseline) |
                                                        (row.best ? explore::kChosen : 0) |
                                                        (row.onFront ? explore::kFront : 0)));
    }
    const auto add = [&](PointColumn column, const std::function<double(const codesign::Point&)>& of) {
        for (const KnownDesign& row : designs) column.values.push_back(row.point.objective > 0 ? of(row.point) : kNone);
        table.columns.push_back(std::move(column));
    };
    PointColumn area{
        .id = "area", .title = "Area", .help = "Of the accelerator without its HBM", .measure = Measure::area};
    area.role = ColumnRole::objective;
    area.better = Direction::lower;
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
    hbm.better = Direction::lower;
    add(hbm, [](const codesign::Point& point) { return point.hbm.value; });
    useUnit(table.columns.back(), "GiB", kGibi);
    PointColumn mfu{.id = "mfu",
                    .title = "Model FLOPs utilisation",
                    .help = "Model FLOPs over those of all tensor cores in the time of a batch, mean over the models",
                    .unit = "%"};
    mfu.better = Direction::higher;
    add(mfu, [](const codesign::Point& point) { return 100 * point.mfu; });
    PointColumn energy{.id = "energy",
                       .title = "Energy per sample",
                       .help = "Dynamic energy of cores and memories, mean over the models",
                       .measure = Measure::joules};
    energy.better = Direction::lower;
    add(energy, [](const codesign::Point& point) { return point.energyPerSample; });
    for (const BandwidthColumn& column : bandwidthColumns(result)) {
        PointColumn its{.id = column.id, .title = column.title, .help = column.help, .measure = column.measure};
        its.better = Direction::lower;
        add(its, column.of);
    }
    for (std::size_t i = 0; i < result.models.size() && result.models.size() > 1; ++i) {
        PointColumn own{.id = fmt::format("throughput:{}", i),
                        .title = "Throughput of " + modelTitle(result.models[i]),
                        .help = "Samples of the global batch per second",
                        .unit = "samples/s"};
        own.better = Direction::higher;
        add(own,
            [i](const codesign::Point& point) { return i < point.throughput.size() ? point.throughput[i] : kNone; });
    }
    for (PointColumn& column : architectureColumns(result, designs)) table.columns.push_back(std::move(column));
    return table;
}

explore::PointTable pointTable(const codesign::Result& result) {
    return pointTable(result, knownDesigns(result));
}

}  // namespace tessera::study

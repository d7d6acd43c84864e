#include "core/report/codesign_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/explore/front.h"
#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"
#include "core/report/field_table.h"
#include "core/study/codesign/fields.h"

namespace tessera::report {

namespace {

std::string numberText(const PointValue& value, double number) {
    if (value.measure == Measure::bytes) return hardware::bufferSize(Bytes{number});
    if (value.measure != Measure::count) return formatQuantity(number, value.measure);
    const std::string text = formatCount(number * value.factor);
    if (value.unit.empty()) return text;
    return value.unit == "×" ? text + "×" : text + " " + value.unit;
}

/// Two values of every row, row by row and the smaller the better; NaN of architectures that run no model.
std::vector<double> pairsOf(const std::vector<PointRow>& rows, const PointValue& x, const PointValue& y) {
    std::vector<double> pairs;
    for (const PointRow& row : rows)
        for (const PointValue* const value : {&x, &y}) {
            const double number = row.point.objective > 0 ? value->of(row.point) : std::nan("");
            pairs.push_back(value->more ? -number : number);
        }
    return pairs;
}

/// Objective by the study's way of weighing; samples per second only where it is the mean of that.
PointValue objectiveValue(const codesign::Result& result) {
    const bool rate = result.options.objective == codesign::Objective::mean;
    const std::string over =
        result.space.reference ? escaped(result.space.reference->name, 40) : std::string("the reference");
    const char* const how = result.options.objective == codesign::Objective::worst ? "the slowest model's" : "the";
    PointValue value{.id = "objective", .title = rate ? "Throughput" : fmt::format("Throughput over {}", over)};
    value.unit = rate ? "samples/s" : "×";
    value.help = rate                        ? "Weighted arithmetic mean over the models"
                 : result.models.size() == 1 ? fmt::format("Throughput over that of {}", over)
                                             : fmt::format("Of {} throughput over that of {}{}", how, over,
                                                           result.options.objective == codesign::Objective::geomean
                                                               ? ", the weighted geometric mean over the models"
                                                               : "");
    value.of = [](const codesign::Point& point) { return point.objective; };
    return value;
}

}  // namespace

std::vector<PointValue> pointValues(const codesign::Result& result) {
    std::vector<PointValue> values;
    values.push_back({.id = "area",
                      .title = "Area",
                      .help = "Of the accelerator without its HBM",
                      .measure = Measure::area,
                      .unit = {},
                      .more = false,
                      .of = [](const codesign::Point& point) { return point.area.value; }});
    values.push_back(objectiveValue(result));
    PointValue perArea = values.back();
    perArea.id = "per-area";
    perArea.title = perArea.title + " per area";
    perArea.help = "Performance per area: " + perArea.help;
    perArea.unit = perArea.unit == "×" ? "× per 100 mm²" : "samples/s per mm²";
    perArea.factor = values.back().unit == "×" ? 100 : 1;
    perArea.of = [](const codesign::Point& point) {
        return point.area.value > 0 ? point.objective / point.area.value : 0;
    };
    values.push_back(std::move(perArea));
    values.push_back({.id = "hbm",
                      .title = "HBM",
                      .help = "The smallest of the template that gives this throughput",
                      .measure = Measure::bytes,
                      .unit = {},
                      .more = false,
                      .of = [](const codesign::Point& point) { return point.hbm.value; }});
    values.push_back({.id = "mfu",
                      .title = "Utilisation",
                      .help = "Model FLOPs over those of all tensor cores in the time of a batch, mean over the models",
                      .factor = 100,
                      .unit = "%",
                      .of = [](const codesign::Point& point) { return point.mfu; }});
    values.push_back({.id = "energy",
                      .title = "Energy per sample",
                      .help = "Dynamic energy of cores and memories, mean over the models",
                      .measure = Measure::joules,
                      .unit = {},
                      .more = false,
                      .of = [](const codesign::Point& point) { return point.energyPerSample; }});
    for (const PointColumn& column : bandwidthColumns(result))
        values.push_back({.id = column.id,
                          .title = column.title,
                          .help = column.help,
                          .measure = column.measure,
                          .unit = {},
                          .more = false,
                          .of = column.of});
    if (result.models.size() > 1)
        for (std::size_t i = 0; i < result.models.size(); ++i)
            values.push_back({.id = fmt::format("throughput:{}", i),
                              .title = "Throughput of " + modelTitle(result.models[i]),
                              .help = "Samples of the global batch per second",
                              .unit = "samples/s",
                              .of = [i](const codesign::Point& point) {
                                  return i < point.throughput.size() ? point.throughput[i] : 0;
                              }});
    return values;
}

std::vector<PointColumn> bandwidthColumns(const codesign::Result& result) {
    std::vector<PointColumn> columns;
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

std::string textOf(const PointValue& value, const codesign::Point& point) {
    return numberText(value, value.of(point));
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

std::vector<std::size_t> frontOf(const std::vector<PointRow>& rows, const PointValue& x, const PointValue& y) {
    std::vector<std::size_t> front = explore::frontLineOf(pairsOf(rows, x, y));
    if (x.more) std::reverse(front.begin(), front.end());
    return front;
}

std::optional<std::size_t> kneeOf(const std::vector<PointRow>& rows, const std::vector<std::size_t>& front,
                                  const PointValue& x, const PointValue& y) {
    return explore::kneeOf(pairsOf(rows, x, y), 2, front);
}

namespace {

Axis axisOf(const PointValue& value, bool logarithmic) {
    std::string title = value.title;
    if (!value.unit.empty() && value.unit != "×") title += fmt::format(" ({})", value.unit);
    return {.title = std::move(title), .measure = value.measure, .logarithmic = logarithmic};
}

/// Collects points of one series.
class PointSeries {
public:
    PointSeries(const PointValue& x, const PointValue& y, Series series) : x_(x), y_(y), series_(std::move(series)) {}
    void add(const codesign::Point& point, std::string text, std::string label, std::optional<std::size_t> row) {
        series_.x.push_back(x_.of(point) * x_.factor);
        series_.y.push_back(y_.of(point) * y_.factor);
        series_.valueTexts.push_back(std::move(text));
        series_.labels.push_back(std::move(label));
        if (row) rows_.push_back(*row);
    }
    bool isEmpty() const { return series_.x.empty(); }
    void setName(std::string name) { series_.name = std::move(name); }
    void putInto(ParetoPicture& picture) {
        if (series_.x.empty()) return;
        picture.chart.series.push_back(std::move(series_));
        picture.rows.push_back(std::move(rows_));
    }

private:
    const PointValue& x_;
    const PointValue& y_;
    Series series_;
    std::vector<std::size_t> rows_;
};

/// What an architecture is to a search. Its marker says so whatever is brushed; colour and opacity say the rest.
enum class Role : std::uint8_t { evaluated, front, baseline, knee, best };

struct RoleLook {
    std::string_view id, name, colour;
    int shape;
    bool arrows;  ///< out of sight it is marked at the edge
};
constexpr std::array kRoles{
    RoleLook{"others", "evaluated", kCategories[5], 0, false}, RoleLook{"on-front", "on the front", "accent", 2, false},
    RoleLook{"baselines", "baseline", kCategories[1], 3, true}, RoleLook{"knee", "knee", kCategories[4], 1, true},
    RoleLook{"best", "chosen", kCategories[2], 4, true}};

/// The points of a role: those in all brushes, and those that are filtered out.
struct RoleSeries {
    RoleSeries(const RoleLook& role, const PointValue& x, const PointValue& y)
        : shown(x, y, seriesOf(role)), filtered(x, y, filteredOf(role)) {}
    PointSeries shown, filtered;

    static Series seriesOf(const RoleLook& role) {
        return {.id = std::string(role.id),
                .name = std::string(role.name),
                .mark = Mark::points,
                .colour = std::string(role.colour),
                .shape = role.shape,
                .edgeArrows = role.arrows};
    }
    static Series filteredOf(const RoleLook& role) {
        return {.id = "filtered-" + std::string(role.id),
                .mark = Mark::points,
                .colour = "disabled",
                .opacity = 0.35,
                .shape = role.shape};
    }
};

/// One name in the legend stands for all that is filtered out.
void nameFirst(std::vector<RoleSeries>& roles) {
    for (RoleSeries& role : roles)
        if (!role.filtered.isEmpty()) return role.filtered.setName("filtered out");
}

struct Extent {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// What an axis shows of all points that could be built: the fronts, and on each side half as much again.
std::optional<Range> focusOf(const Chart& chart, std::vector<double> Series::*values) {
    Extent fronts, all;
    for (const Series& series : chart.series)
        for (const double value : series.*values) {
            if (series.id.ends_with("baselines")) continue;
            all.add(value);
            if (series.mark == Mark::line || series.id == "best") fronts.add(value);
        }
    if (!(fronts.high > fronts.low)) return all.high > all.low ? std::optional(Range{all.low, all.high}) : std::nullopt;
    const double more = (fronts.high - fronts.low) / 2;
    return Range{std::max(all.low, fronts.low - more), std::min(all.high, fronts.high + more)};
}

void setFocus(Chart& chart) {
    chart.x.focus = focusOf(chart, &Series::x);
    chart.y.focus = focusOf(chart, &Series::y);
}

std::string paretoTitle(const codesign::Result& result, const std::vector<PointRow>& rows,
                        const std::vector<std::size_t>& front, const PointValue& x, const PointValue& y) {
    if (front.empty()) return fmt::format("{} against {}", y.title, x.title);
    const bool proven =
        result.optimal && ((x.id == "area" && y.id == "objective") || (y.id == "area" && x.id == "objective"));
    return fmt::format("{} of {} known architectures are best in {} and {}{}", front.size(),
                       formatCount(static_cast<double>(rows.size())), x.title, y.title, proven ? ", proven" : "");
}

}  // namespace

ParetoPicture paretoPicture(const codesign::Result& result, const std::vector<PointRow>& rows, const PointValue& x,
                            const PointValue& y, const ParetoLook& look) {
    ParetoPicture picture;
    Chart& chart = picture.chart;
    const std::vector<std::size_t> front = frontOf(rows, x, y);
    const std::optional<std::size_t> knee = kneeOf(rows, front, x, y);
    chart.id = fmt::format("pareto-{}-{}", x.id, y.id);
    chart.title = paretoTitle(result, rows, front, x, y);
    chart.x = axisOf(x, look.logarithmicX);
    chart.y = axisOf(y, look.logarithmicY);
    chart.empty = "No architecture of the search runs every model.";
    const auto isShown = [&](std::size_t row) { return row >= look.shown.size() || look.shown[row]; };
    const auto nameAt = [&](std::size_t row) { return hardware::nameOf(rows[row].point.architecture); };
    std::vector<bool> inFront(rows.size(), false);
    for (const std::size_t row : front) inFront[row] = true;

    std::vector<RoleSeries> roles;
    for (const RoleLook& role : kRoles) roles.push_back(RoleSeries(role, x, y));
    PointSeries line(x, y,
                     {.id = "front",
                      .name = "front",
                      .mark = Mark::line,
                      .colour = "accent",
                      .shape = kRoles.at(static_cast<std::size_t>(Role::front)).shape});
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const PointRow& its = rows[row];
        if (!(its.point.objective > 0)) continue;
        const Role role = its.best                ? Role::best
                          : !its.baseline.empty() ? Role::baseline
                          : knee == row           ? Role::knee
                          : inFront[row]          ? Role::front
                                                  : Role::evaluated;
        RoleSeries& series = roles[static_cast<std::size_t>(role)];
        const std::string text = its.baseline.empty() ? nameAt(row) : its.baseline + ", " + nameAt(row);
        const std::string label = role == Role::evaluated ? "" : role == Role::baseline ? its.baseline : nameAt(row);
        if (isShown(row))
            series.shown.add(its.point, text, label, row);
        else
            series.filtered.add(its.point, text, "", row);
    }
    for (const std::size_t row : front) line.add(rows[row].point, nameAt(row), nameAt(row), row);
    nameFirst(roles);
    for (RoleSeries& role : roles) role.filtered.putInto(picture);
    roles.front().shown.putInto(picture);
    line.putInto(picture);
    for (std::size_t role = 1; role < roles.size(); ++role) roles[role].shown.putInto(picture);
    for (std::size_t i = 0; i < look.others.size(); ++i) {
        PointSeries series(x, y,
                           {.id = fmt::format("other-{}", i),
                            .name = escaped(look.others[i].name, 40),
                            .mark = Mark::line,
                            .colour = std::string(kCategories.at((i + 6) % kCategories.size())),
                            .dashed = true});
        for (const codesign::Point& point : look.others[i].points)
            if (point.objective > 0) series.add(point, hardware::nameOf(point.architecture), "", std::nullopt);
        series.putInto(picture);
    }
    setFocus(chart);
    if (result.evaluated.size() >= result.options.maxTraced)
        chart.notes.push_back(fmt::format("Of the evaluated architectures, {} are kept.",
                                          formatCount(static_cast<double>(result.evaluated.size()))));
    return picture;
}

ParetoPicture paretoPicture(const codesign::Result& result) {
    const std::vector<PointValue> values = pointValues(result);
    return paretoPicture(result, pointRows(result), values[0], values[1]);
}

namespace {

/// Axes that stand close together have room for a word or two.
std::string_view briefTitle(std::string_view id) {
    struct Brief {
        std::string_view id, title;
    };
    constexpr std::array kBrief{Brief{"objective", "Throughput"}, Brief{"per-area", "Per area"},
                                Brief{"mfu", "Utilisation"}, Brief{"energy", "Energy"}};
    for (const Brief& row : kBrief)
        if (row.id == id) return row.title;
    return {};
}

}  // namespace

ParallelPicture parallelPicture(const codesign::Result& result, const std::vector<PointRow>& rows,
                                const std::vector<PointValue>& values) {
    ParallelPicture picture{.id = "parallel", .title = "Every architecture in all values", .axes = {}, .rows = {}};
    picture.empty = "No architecture of the search runs every model.";
    for (const PointValue& value : values) {
        picture.axes.push_back(axisOf(value, false));
        if (const std::string_view brief = briefTitle(value.id); !brief.empty()) picture.axes.back().title = brief;
        picture.endText.emplace_back([value](double shown) { return numberText(value, shown / value.factor); });
    }
    for (const PointRow& row : rows) {
        ParallelPicture::Row line{.name = hardware::nameOf(row.point.architecture), .values = {}};
        // What runs no model has a value of 0 in all of them: it has no line.
        for (const PointValue& value : values)
            line.values.push_back(row.point.objective > 0 ? value.of(row.point) * value.factor
                                                          : std::numeric_limits<double>::quiet_NaN());
        if (row.best)
            line.colour = std::string(kCategories[2]);
        else if (!row.baseline.empty())
            line.colour = std::string(kCategories[1]);
        else if (row.onFront)
            line.colour = "accent";
        picture.rows.push_back(std::move(line));
    }
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
    for (const PointColumn& column : bandwidthColumns(result)) add(column.name, column.of);
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

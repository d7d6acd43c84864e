#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/units.h"
#include "core/partition/partition.h"
#include "core/report/mapping_pictures.h"
#include "core/report/partition_pictures.h"
#include "core/report/strategy_colour.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

/// What engines call the quantities of their curves, and what is on the axes of a chart of them. Charts come in this
/// order.
struct CurveKind {
    std::string_view id, title, x, y;
    Measure measure;
};
constexpr std::array kKinds{
    CurveKind{"ratio search", "Search for the ratio of the top-level split", "Ratios tried", "Critical-path time",
              Measure::seconds},
    CurveKind{"step time", "Step time and its proven bound", "Intervals of the proof", "Step time", Measure::seconds},
    CurveKind{"architecture search", "Best accelerator so far", "Architectures explored", "Objective", Measure::count},
    CurveKind{"time by level", "Time of the slowest split of each level", "Level", "Critical-path time",
              Measure::seconds},
};

CurveKind kindNamed(std::string_view id) {
    for (const CurveKind& kind : kKinds)
        if (kind.id == id) return kind;
    return {id, "Best result so far", "Work done", "Objective", Measure::count};
}

/// All curves of one owner in one chart.
struct Bundle {
    std::string run, owner;
    std::string colour = {};
    bool dashed = false;
    std::array<const CurvePoints*, kCurveRoleNames.size()> curves{};

    std::string who() const { return run.empty() || owner.empty() ? run + owner : run + " · " + owner; }
    const CurvePoints*& of(CurveRole role) { return curves.at(static_cast<std::size_t>(role)); }
    const CurvePoints* of(CurveRole role) const { return curves.at(static_cast<std::size_t>(role)); }
    std::optional<double> last(CurveRole role) const {
        const CurvePoints* const points = of(role);
        return points == nullptr || points->empty() ? std::nullopt : std::optional(points->back().second);
    }
};

std::vector<Bundle> bundled(const std::vector<const Curve*>& curves) {
    std::vector<Bundle> bundles;
    for (const Curve* const curve : curves) {
        const auto same = [&](const Bundle& bundle) {
            return bundle.run == curve->run && bundle.owner == curve->name.owner;
        };
        auto found = std::find_if(bundles.begin(), bundles.end(), same);
        if (found == bundles.end())
            found = bundles.insert(bundles.end(), Bundle{.run = curve->run, .owner = curve->name.owner});
        // A value as it was found is the best so far.
        found->of(curve->name.role == CurveRole::value ? CurveRole::best : curve->name.role) = &curve->points;
    }
    // A strategy keeps its colour, unless several runs show it.
    const bool runs =
        std::any_of(bundles.begin(), bundles.end(), [&](const Bundle& bundle) { return bundle.run != bundles[0].run; });
    std::size_t next = 0;
    for (Bundle& bundle : bundles) {
        const bool strategy = partition::findStrategy(bundle.owner) != nullptr;
        bundle.colour =
            std::string(strategy && !runs ? strategyColour(bundle.owner) : kCategories.at(next++ % kCategories.size()));
        bundle.dashed = strategy && isBaseline(bundle.owner);
    }
    return bundles;
}

Series curveSeries(const Bundle& bundle, CurveRole role, std::string name) {
    Series series{.id = bundle.who() + "/" + std::string(kCurveRoleNames.of(role)),
                  .name = std::move(name),
                  .mark = Mark::steps,
                  .colour = bundle.colour,
                  .dashed = bundle.dashed};
    for (const auto& [x, y] : *bundle.of(role)) {
        series.x.push_back(x);
        series.y.push_back(y);
    }
    return series;
}

void extend(Series& series, double to) {
    if (series.x.empty() || !(series.x.back() < to)) return;
    series.x.push_back(to);
    series.y.push_back(series.y.back());
}

/// What a generation found: its spread about its mean at each step.
std::optional<Series> bandOf(const Bundle& bundle) {
    const CurvePoints* const mean = bundle.of(CurveRole::mean);
    const CurvePoints* const spread = bundle.of(CurveRole::spread);
    if (mean == nullptr || spread == nullptr) return std::nullopt;
    Series series{.id = bundle.who() + "/spread", .mark = Mark::band, .colour = bundle.colour};
    for (std::size_t i = 0; i < std::min(mean->size(), spread->size()); ++i) {
        const auto& [x, middle] = (*mean)[i];
        series.x.push_back(x);
        series.low.push_back(middle - (*spread)[i].second);
        series.y.push_back(middle + (*spread)[i].second);
    }
    return series;
}

/// What is known about the distance of a best value from its bound: "proven optimal", "gap 7 %".
std::string gapText(const Bundle& bundle) {
    const std::optional<double> best = bundle.last(CurveRole::best);
    const std::optional<double> bound = bundle.last(CurveRole::bound);
    if (!best || !bound || !(*bound > 0) || !(*best > 0)) return "";
    const double gap = *best / *bound - 1;
    return gap < 1e-9 ? "proven optimal" : "gap " + study::percentText(gap);
}

/// A bound whose far side is hatched; a step function that holds until the end.
Series boundOf(const Bundle& bundle, double end) {
    const std::string gap = gapText(bundle);
    Series series = curveSeries(bundle, CurveRole::bound, gap.empty() ? "bound" : "bound, " + gap);
    series.mark = Mark::bound;
    series.dashed = false;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (i > 0) {
            x.push_back(series.x[i]);
            y.push_back(series.y[i - 1]);
        }
        x.push_back(series.x[i]);
        y.push_back(series.y[i]);
    }
    series.x = std::move(x);
    series.y = std::move(y);
    extend(series, end);
    return series;
}

Chart chartOf(const CurveKind& kind, const std::vector<const Curve*>& curves, bool logarithmic) {
    Chart chart{.id = kind.id.empty() ? "progress" : "convergence-" + std::string(kind.id),
                .title = std::string(kind.title)};
    chart.x = {.title = std::string(kind.x)};
    chart.y = {.title = std::string(kind.y), .measure = kind.measure, .logarithmic = logarithmic};
    chart.empty = "Start the run to watch it get better here.";
    const std::vector<Bundle> bundles = bundled(curves);
    double end = 0;
    for (const Curve* const curve : curves)
        if (!curve->points.empty()) end = std::max(end, curve->points.back().first);
    const auto bounds = std::count_if(bundles.begin(), bundles.end(),
                                      [](const Bundle& bundle) { return bundle.of(CurveRole::bound) != nullptr; });
    for (const Bundle& bundle : bundles)
        if (std::optional<Series> band = bandOf(bundle)) chart.series.push_back(std::move(*band));
    for (const Bundle& bundle : bundles) {
        const std::string who = bundle.who().empty() ? "best" : bundle.who();
        if (bundle.of(CurveRole::mean) != nullptr) {
            chart.series.push_back(curveSeries(bundle, CurveRole::mean, bundle.who().empty() ? "mean" : who + " mean"));
            chart.series.back().mark = Mark::line;
            chart.series.back().dashed = true;
        }
        if (bundle.of(CurveRole::bound) != nullptr && bounds > 1) {
            const std::string gap = gapText(bundle);
            chart.series.push_back(
                curveSeries(bundle, CurveRole::bound, fmt::format("{} bound{}{}", who, gap.empty() ? "" : ", ", gap)));
            chart.series.back().colour = "secondary";
            chart.series.back().dashed = true;
            extend(chart.series.back(), end);
        }
        if (bundle.of(CurveRole::best) != nullptr) {
            chart.series.push_back(curveSeries(bundle, CurveRole::best, who));
            if (chart.series.back().x.size() == 1) extend(chart.series.back(), end);
        }
        if (bundle.of(CurveRole::bound) != nullptr && bounds == 1) chart.series.push_back(boundOf(bundle, end));
    }
    const std::optional<double> best = bundles.size() == 1 ? bundles[0].last(CurveRole::best) : std::nullopt;
    if (best && kind.id != "time by level") {
        const std::string gap = gapText(bundles[0]);
        chart.title =
            fmt::format("{}: {}{}", kind.title, formatQuantity(*best, kind.measure), gap.empty() ? "" : ", " + gap);
    }
    return chart;
}

}  // namespace

std::vector<Chart> convergenceCharts(const std::vector<Curve>& curves, bool logarithmic, bool generations) {
    if (std::vector<Chart> mapping = mappingConvergenceCharts(curves, logarithmic, generations); !mapping.empty())
        return mapping;
    std::vector<std::pair<std::string, std::vector<const Curve*>>> kinds;
    for (const CurveKind& kind : kKinds) kinds.emplace_back(kind.id, std::vector<const Curve*>{});
    for (const Curve& curve : curves) {
        const auto same = [&](const auto& kind) { return kind.first == curve.name.quantity; };
        auto found = std::find_if(kinds.begin(), kinds.end(), same);
        if (found == kinds.end()) found = kinds.insert(kinds.end(), {curve.name.quantity, {}});
        found->second.push_back(&curve);
    }
    std::vector<Chart> charts;
    for (const auto& [id, its] : kinds)
        if (!its.empty()) charts.push_back(chartOf(kindNamed(id), its, logarithmic));
    if (charts.empty()) charts.push_back(chartOf(kindNamed(""), {}, logarithmic));
    return charts;
}

}  // namespace tessera::report

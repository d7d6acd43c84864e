#include "core/report/template_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/area.h"

namespace tessera::report {

namespace {

constexpr int kMaxClasses = 6;  ///< of size on either side of the bound; what is beyond joins the last one

std::string areaText(double squareMillimetres) {
    return formatQuantity(squareMillimetres, Measure::area);
}

/// Sizes by how often the bound must be halved (below 0: doubled) to reach them: class 0 is (bound / 2, bound].
int classOf(double area, double bound) {
    const double halvings = std::floor(std::log2(bound / area));
    return static_cast<int>(std::clamp(halvings, -static_cast<double>(kMaxClasses), double{kMaxClasses}));
}

}  // namespace

std::vector<AreaPart> areaParts(const std::vector<hardware::Area>& areas) {
    using hardware::Area;
    std::vector<AreaPart> parts{{"tensor-cores", "Tensor cores", operatorColour("matrix"), &Area::tensorCores},
                                {"vector-cores", "Vector cores", operatorColour("vector"), &Area::vectorCores},
                                {"l2", "L2", operatorColour("normalisation"), &Area::l2},
                                {"glb", "Global buffer", operatorColour("memory"), &Area::globalBuffer}};
    const std::array interfaces{
        AreaPart{"hbm-interface", "HBM interface", kCategories[7], &Area::hbmInterface},
        AreaPart{"network-interface", "Network interface", operatorColour("communication"), &Area::networkInterface}};
    for (const AreaPart& part : interfaces)
        if (std::any_of(areas.begin(), areas.end(), [&](const Area& area) { return (area.*part.size).value > 0; }))
            parts.push_back(part);
    return parts;
}

Chart referenceAreaChart(const hardware::Template& space) {
    Chart chart{.id = "reference-area", .title = "The bound is an area", .horizontal = true};
    if (!space.reference) return chart;
    const hardware::Area area = areaOf(architectureOf(space, *space.reference), space);
    const std::string name = escaped(space.reference->name, 40);
    chart.title = fmt::format("{} takes {}", name, areaText(area.total().value));
    chart.x = {.title = "", .categories = {name}};
    chart.y = {.title = "Area", .measure = Measure::area, .fromZero = true};
    for (const AreaPart& part : areaParts({area}))
        chart.series.push_back(Series{.id = std::string(part.id),
                                      .name = std::string(part.name),
                                      .mark = Mark::stackedBars,
                                      .colour = std::string(part.colour),
                                      .x = {0},
                                      .y = {(area.*part.size).value}});
    if (area.l2Estimated || area.globalBufferEstimated)
        chart.notes = areaNotes(architectureOf(space, *space.reference), area);
    return chart;
}

Chart areaCensusChart(const hardware::Template& space, const hardware::AreaCensus& census) {
    Chart chart{.id = "template-areas"};
    chart.title = fmt::format("{} of {} accelerators are within {}", formatCount(census.within),
                              formatCount(census.areas.size()), areaText(census.bound.value));
    int smallest = -kMaxClasses, largest = kMaxClasses;
    std::array<double, 2 * kMaxClasses + 1> counts{};
    const auto indexOf = [](int at) { return static_cast<std::size_t>(at) + std::size_t{kMaxClasses}; };
    for (const double area : census.areas) {
        const int at = classOf(area, census.bound.value);
        ++counts.at(indexOf(at));
        smallest = std::max(smallest, at);
        largest = std::min(largest, at);
    }
    Series within{.id = "within", .name = "within the bound", .mark = Mark::stackedBars, .colour = "accent"};
    Series beyond{.id = "beyond", .name = "larger", .mark = Mark::stackedBars, .colour = "border"};
    // The unit stands in the title alone: classes are many, and their labels short.
    chart.x = {.title = "Area in mm², each class up to"};
    chart.y = {.title = "Accelerators", .fromZero = true};
    chart.empty = fmt::format("{} has no accelerators.", escaped(space.name, 40));
    for (int at = smallest; at >= largest; --at) {
        const auto place = static_cast<double>(chart.x.categories.size());
        chart.x.categories.push_back(at == -kMaxClasses ? "more"
                                                        : formatCount(std::round(census.bound.value * std::exp2(-at))));
        Series& series = at >= 0 ? within : beyond;
        series.x.push_back(place);
        series.y.push_back(counts.at(indexOf(at)));
    }
    for (Series* series : {&within, &beyond})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
    return chart;
}

}  // namespace tessera::report

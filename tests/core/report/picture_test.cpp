#include "core/draw/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/draw/axis.h"
#include "core/draw/chart_layout.h"
#include "core/draw/heat_map_layout.h"
#include "core/draw/timeline_layout.h"
#include "core/report/hardware_pictures.h"
#include "core/report/partition_pictures.h"
#include "core/report/strategy_colour.h"
#include "core/study/partition/outcome.h"
#include "tests/support/partition_result.h"

namespace tessera::report {
namespace {

const study::PartitionOutcome& outcomeOf(const study::Result& result) {
    return result.outcome.get<study::PartitionOutcome>();
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(HeatMap, hasOneCellPerLayerAndSplit) {
    const study::Result result = test::handMadeResult();
    const std::string svg = toSvg(typeMap(outcomeOf(result), "accpar"), Theme(ThemeKind::light));
    EXPECT_EQ(countOf(svg, "</title></rect>"), 4U);
    EXPECT_EQ(countOf(svg, "fc&lt;1&gt;: III at level 0 · slow|fast"), 1U);
    EXPECT_EQ(svg.find("fc<1>"), std::string::npos);
    EXPECT_NE(svg.find("#E08A1E"), std::string::npos);
}

TEST(HeatMap, narrowCellsShareTheirLetterAndNamesDiffer) {
    HeatMap map;
    map.categories = {{"Type I", "I", "#2F6FDE"}, {"Type II", "II", "#E08A1E"}};
    map.rows = {"0", "1"};
    constexpr int kColumns = 60;
    for (int i = 0; i < kColumns; ++i)
        map.columns.push_back("features.block" + std::to_string(i % 3) + ".conv.very.long.middle.part.fc" +
                              std::to_string(i));
    for (int i = 0; i < 2 * kColumns; ++i) map.cells.push_back(static_cast<std::int16_t>(i % kColumns < 30 ? 0 : 1));
    const HeatMapLayout layout = layOut(map, {.fill = true}, {600, 400}, estimatedWidth);
    ASSERT_LT(layout.cellWidth, 14);
    std::vector<std::string> names;
    int letters = 0;
    for (const Shape& shape : layout.drawing.shapes)
        if (const auto* label = std::get_if<Label>(&shape)) {
            letters += label->strong && (label->text == "I" || label->text == "II") ? 1 : 0;
            if (label->angle != 0) names.push_back(label->text);
        }
    EXPECT_EQ(letters, 4) << "one for each stretch of a type";
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "neighbours can be told apart";
}

// Two of nearly the same height beyond the same edge: neither name lies over the other's arrow, nor over its name.
TEST(Chart, namesAtTheEdgeKeepOffEachOthersArrows) {
    for (const double apart : {0.0, 0.02, 0.05, 0.1, 0.2, 0.4}) {
        Chart chart;
        chart.x.focus = Range{0, 10};
        chart.series.push_back({.id = "found", .mark = Mark::points, .x = {1, 4, 9}, .y = {1, 3, 4}});
        chart.series.push_back({.id = "baseline",
                                .mark = Mark::points,
                                .x = {230, 279},
                                .y = {2.5, 2.5 + apart},
                                .labels = {"TPUv4 as the experts set it", "the other baseline"},
                                .edgeArrows = true});
        const ChartLayout layout = layOut(chart, {}, {720, 400}, estimatedWidth);
        std::vector<Rect> arrows, names;
        for (const Shape& shape : layout.front.shapes) {
            if (const auto* path = std::get_if<Path>(&shape); path != nullptr && !path->fill.empty()) {
                const Point tip = path->points.front();
                if (path->points.size() == 3) arrows.push_back({tip.x - 10, tip.y - 5, 10, 10});
            }
            if (const auto* name = std::get_if<Label>(&shape);
                name != nullptr && name->full.find(", 2") != std::string::npos)
                names.push_back({name->at.x, name->at.y - 11, estimatedWidth(name->text, name->size, false), 14});
        }
        ASSERT_EQ(arrows.size(), 2U) << apart;
        ASSERT_EQ(names.size(), 2U) << apart;
        const auto touch = [](const Rect& a, const Rect& b) {
            return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
        };
        EXPECT_FALSE(touch(names[0], names[1])) << apart;
        for (const Rect& name : names)
            for (const Rect& arrow : arrows) EXPECT_FALSE(touch(name, arrow)) << apart;
    }
}

TEST(Svg, readersWithoutNestingGetGroups) {
    const std::string svg =
        R"svg(<svg viewBox="0 0 9 9"><svg x="1" y="2" width="4" height="4" viewBox="3 0 8 8"><path fill="url(#a)"/>)svg"
        R"svg(<text stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke">a</text></svg></svg>)svg";
    const std::string group = R"svg(<g transform="translate(1 2) scale(0.5 0.5) translate(-3 -0)" font-size="11">)svg";
    EXPECT_EQ(withoutNesting(svg),
              R"svg(<svg viewBox="0 0 9 9">)svg" + group + R"svg(<path fill="none"/><text>a</text></g></svg>)svg");
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Chart barsOf(std::vector<double> values) {
    Chart chart{.id = "bars", .title = "Speed-up"};
    chart.y = {.title = "Speed-up", .fromZero = true};
    chart.horizontal = true;
    Series series{.id = "a", .mark = Mark::bars, .colour = "#2F6FDE"};
    for (std::size_t i = 0; i < values.size(); ++i) {
        chart.x.categories.push_back("row " + std::to_string(i));
        series.x.push_back(static_cast<double>(i));
    }
    series.y = std::move(values);
    chart.series = {std::move(series)};
    return chart;
}

Chart linesOf(std::size_t lines, std::size_t points) {
    Chart chart{.id = "lines", .title = "Best so far"};
    chart.x = {.title = "Samples"};
    chart.y = {.title = "Step time", .measure = Measure::seconds};
    for (std::size_t s = 0; s < lines; ++s) {
        Series series{.id = std::to_string(s), .name = "run " + std::to_string(s), .colour = "#2F6FDE"};
        for (std::size_t i = 0; i < points; ++i) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(0.5 + 0.25 * std::sin(static_cast<double>(i)));
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

TEST(Ticks, areAtMostFiveAtStepsOfOneTwoOrFive) {
    EXPECT_EQ(ticks(0, 10, false), (std::vector<double>{0, 5, 10}));
    EXPECT_EQ(ticks(0, 4, false), (std::vector<double>{0, 1, 2, 3, 4}));
    EXPECT_EQ(ticks(1, 1000, true), (std::vector<double>{1, 10, 100, 1000}));
    for (const double size : {1e-300, 1e-9, 0.3, 7.0, 123456.0, 1e300})
        for (const double low : {0.0, -1.0, 0.37}) {
            const std::vector<double> places = ticks(low * size, (low + 1) * size, false);
            EXPECT_GE(places.size(), 2U) << size << " " << low;
            EXPECT_LE(places.size(), 5U) << size << " " << low;
        }
    EXPECT_LE(ticks(1e-300, 1e300, true).size(), 5U);
    EXPECT_TRUE(ticks(0, kInfinity, false).empty());
    EXPECT_TRUE(ticks(-1, 10, true).empty());
}

TEST(Ticks, sayValuesWithTheirUnitOrCategory) {
    EXPECT_EQ(tickText(0.0362, {.measure = Measure::seconds}), "36.2 ms");
    EXPECT_EQ(tickText(1, {.categories = {"a", "b\n"}}), "b\\x0A");
    EXPECT_EQ(tickText(7, {.categories = {"a"}}), "");
}

TEST(Ticks, sayLargeCountsByTheirPrefix) {
    EXPECT_EQ(tickTexts({0, 20'000, 500'000, 1e6, 2.5e6, 1e8, 1.5e10}, {}),
              (std::vector<std::string>{"0", "20,000", "500,000", "1 M", "2.5 M", "100 M", "15 G"}));
    EXPECT_EQ(tickTexts({1e6, 2e6}, {.measure = Measure::seconds}).front(),
              tickText(1e6, {.measure = Measure::seconds}));
}

TEST(BarChart, startsAtZeroAndPrintsValues) {
    const ChartLayout layout = layOut(barsOf({2, 1, 0, -1}), {}, {960, 300}, estimatedWidth);
    ASSERT_EQ(layout.bars.size(), 4U);
    EXPECT_NEAR(layout.bars[0].area.width, 2 * layout.bars[1].area.width, 1e-9);
    EXPECT_EQ(layout.bars[2].area.width, 0);
    EXPECT_NEAR(layout.bars[3].area.right(), layout.bars[0].area.x, 1e-9) << "negative bars run to the left";
    const std::string svg = toSvg(barsOf({2, 1}), Theme(ThemeKind::light));
    EXPECT_NE(svg.find("font-weight=\"600\">2</text>"), std::string::npos);
    EXPECT_EQ(svg, toSvg(barsOf({2, 1}), Theme(ThemeKind::light)));
}

TEST(LineChart, thinsCurvesToTwoPointsPerPixel) {
    const Chart chart = linesOf(1, 100000);
    const ChartLayout layout = layOut(chart, {}, {960, 420}, estimatedWidth);
    const auto parts = curveOf(chart.series[0], layout);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_LE(static_cast<double>(parts[0].size()), 2 * layout.plot.width + 4);
}

/// A thick carpet with one spike up and one down, each of a single point.
Chart carpet(std::size_t points) {
    Chart chart = linesOf(1, points);
    for (std::size_t i = 0; i < points; ++i) chart.series[0].y[i] = i % 2 == 0 ? 1 : 2;
    chart.series[0].y[points / 3] = -7;
    chart.series[0].y[points / 3 * 2] = 11;
    return chart;
}

TEST(LineChart, keepsTheExtremesOfThinnedCurves) {
    const Chart chart = carpet(100'000);
    const ChartLayout layout = layOut(chart, {}, {960, 420}, estimatedWidth);
    const auto parts = curveOf(chart.series[0], layout);
    ASSERT_EQ(parts.size(), 1U);
    const auto [top, bottom] =
        std::minmax_element(parts[0].begin(), parts[0].end(), [](const Point& a, const Point& b) { return a.y < b.y; });
    EXPECT_NEAR(top->y, layout.y.pixel(11), 1e-9);
    EXPECT_NEAR(top->x, layout.x.pixel(66'666), 1e-9);
    EXPECT_NEAR(bottom->y, layout.y.pixel(-7), 1e-9);
    EXPECT_NEAR(bottom->x, layout.x.pixel(33'333), 1e-9);
}

TEST(LineChart, anAreaStandsForAVeryLongLine) {
    const Chart chart = carpet(100'000);
    const ChartLayout layout = layOut(chart, {}, {960, 420}, estimatedWidth);
    const std::vector<Point> part = curveOf(chart.series[0], layout).at(0);
    const std::vector<Rect> area = areaCovered(part, 2, false, layout.plot, 2);
    EXPECT_LT(static_cast<double>(area.size()), 2 * layout.plot.width) << "fewer than columns";
    const auto isCovered = [&](Point at) {
        const auto covering =
            std::count_if(area.begin(), area.end(), [&](const Rect& each) { return each.contains(at); });
        EXPECT_LE(covering, 1) << "what is half transparent must not overlap";
        return covering == 1;
    };
    for (const double value : {1.0, 1.5, 2.0})
        for (double x = layout.plot.x + 0.1; x < layout.plot.right() - 1; x += 0.5)
            EXPECT_TRUE(isCovered({x, layout.y.pixel(value)})) << x << " " << value;
    for (const auto& [at, value] : {std::pair{33'333, -7.0}, std::pair{66'666, 11.0}}) {
        const double middle = std::floor(layout.x.pixel(at)) + 0.5;
        EXPECT_TRUE(isCovered({middle, layout.y.pixel(value * 0.9)})) << "a spike is as high as the line";
        EXPECT_FALSE(isCovered({middle + 2, layout.y.pixel(value * 0.9)})) << "and as thin";
    }
    const auto pixelsOf = [](const std::vector<Rect>& rectangles) {
        double sum = 0;
        for (const Rect& each : rectangles) sum += each.width * each.height;
        return sum;
    };
    EXPECT_NEAR(pixelsOf(areaCovered(part, 2, true, layout.plot, 2)) / pixelsOf(area), 0.6, 0.02);
    // Where the line has gaps, it is a line.
    ChartView view;
    view.x = Stretch{500, 520};
    const ChartLayout near = layOut(chart, view, {960, 420}, estimatedWidth);
    EXPECT_TRUE(areaCovered(curveOf(chart.series[0], near).at(0), 2, false, near.plot, 1).empty());
    const Chart calm = linesOf(1, 60);
    const ChartLayout plain = layOut(calm, {}, {960, 420}, estimatedWidth);
    EXPECT_TRUE(areaCovered(curveOf(calm.series[0], plain).at(0), 2, false, plain.plot, 1).empty());
}

TEST(LineChart, breaksWhereAValueIsMissing) {
    Chart chart = linesOf(1, 9);
    chart.series[0].y[4] = std::nan("");
    const ChartLayout layout = layOut(chart, {}, {960, 420}, estimatedWidth);
    EXPECT_EQ(curveOf(chart.series[0], layout).size(), 2U);
}

TEST(LineChart, labelsAtTheEndsNeverTouch) {
    const ChartLayout layout = layOut(linesOf(4, 20), {}, {960, 420}, estimatedWidth);
    ASSERT_EQ(layout.keys.size(), 4U);
    for (std::size_t i = 1; i < layout.keys.size(); ++i)
        EXPECT_GE(layout.keys[i].area.y - layout.keys[i - 1].area.y, 13.9);
    EXPECT_GE(layout.keys[0].area.x, layout.plot.right());
}

TEST(LineChart, theNameOfAHiddenCurveStaysWhereItWas) {
    const Chart chart = linesOf(4, 20);
    const ChartLayout whole = layOut(chart, {.x = {}, .y = {}, .allKeys = true}, {960, 420}, estimatedWidth);
    const auto keyOf = [](const ChartLayout& layout, std::size_t series) {
        return std::find_if(layout.keys.begin(), layout.keys.end(),
                            [&](const ChartLayout::Key& key) { return key.series == series; });
    };
    for (const std::size_t hidden : {std::size_t{1}, std::size_t{2}}) {  // the others keep the axes as they are
        ChartView view;
        view.allKeys = true;
        view.hidden.assign(4, false);
        view.hidden[hidden] = true;
        const ChartLayout layout = layOut(chart, view, {960, 420}, estimatedWidth);
        ASSERT_EQ(layout.keys.size(), 4U);
        EXPECT_NEAR(keyOf(layout, hidden)->area.y, keyOf(whole, hidden)->area.y, 1e-9);
    }
    const ChartLayout none = layOut(chart, {.x = {}, .y = {}, .hidden = {true, true, true, true}, .allKeys = true},
                                    {960, 420}, estimatedWidth);
    EXPECT_EQ(none.keys.size(), 4U) << "there are names to show them again";
}

TEST(Chart, emptyOneSaysWhatToDo) {
    Chart chart{.id = "none", .title = "Step time", .empty = "Run the study to see it."};
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::dark)).find("Run the study to see it."), std::string::npos);
    chart.series = {{.id = "a", .x = {1, 2}, .y = {kInfinity, std::nan("")}}};
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::dark)).find("Run the study to see it."), std::string::npos);
    for (const Shape& shape : layOut(Chart{}, {}, {960, 420}, estimatedWidth).back.shapes)
        EXPECT_EQ(std::get<Label>(shape).text, "") << "nothing is said of what is not known yet";
    Chart bars = barsOf({1, 2});
    bars.empty = "Run the study to see it.";
    const ChartLayout hidden =
        layOut(bars, {.x = {}, .y = {}, .hidden = {true}, .allKeys = true}, {960, 420}, estimatedWidth);
    ASSERT_TRUE(hidden.empty);
    EXPECT_EQ(std::get<Label>(hidden.back.shapes.back()).text, "Everything is hidden. Click a name to show it again.");
}

TEST(Chart, boundIsALineWithALabelAndAHatchedRegion) {
    Chart chart = linesOf(1, 10);
    chart.series.push_back({.id = "bound", .name = "proven bound", .mark = Mark::bound, .y = {0.2}});
    const std::string svg = toSvg(chart, Theme(ThemeKind::light));
    EXPECT_NE(svg.find("proven bound 200 ms"), std::string::npos);
    EXPECT_NE(svg.find("url(#lines-border)"), std::string::npos);
}

// As memory beside its capacity: the line would strike the total of a pile through.
TEST(Chart, totalsOfPilesStandBeyondABoundCloseAboveThem) {
    Chart chart{.id = "memory", .title = "Memory"};
    chart.y = {.title = "Memory", .fromZero = true};
    chart.x.categories = {"1", "2"};
    chart.series.push_back({.id = "low", .name = "low", .mark = Mark::stackedBars, .x = {0, 1}, .y = {38, 34}});
    chart.series.push_back({.id = "top", .name = "top", .mark = Mark::stackedBars, .x = {0, 1}, .y = {43, 27}});
    chart.series.push_back({.id = "bound", .name = "Capacity", .mark = Mark::bound, .y = {85}});
    const ChartLayout layout = layOut(chart, {}, {600, 300}, estimatedWidth);
    const double bound = layout.y.pixel(85);
    std::map<std::string, const Label*> told;
    for (const Shape& shape : layout.front.shapes)
        if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->strong)
            told[label->text] = label;
    ASSERT_TRUE(told.contains("81") && told.contains("61"));
    EXPECT_LT(told.at("81")->at.y, bound) << "above the line";
    EXPECT_GT(told.at("61")->at.y - 10, bound) << "on its pile, far below the line";
    EXPECT_LT(layout.y.pixel(61) - told.at("61")->at.y, 6);
}

TEST(Chart, boundsLabelStandsWhereNoCurveRuns) {
    Chart chart = linesOf(1, 10);
    chart.series.push_back(
        {.id = "bound", .name = "proven bound", .mark = Mark::bound, .y = {0.2}, .cannotBeBelow = true});
    std::vector<double>& heights = chart.series[0].y;
    std::fill(heights.begin(), heights.begin() + 5, 1.0);
    std::fill(heights.begin() + 5, heights.end(), 0.22);  // ends where the label would be
    const auto labelOf = [](const Chart& shown) {
        const ChartLayout layout = layOut(shown, {}, {960, 420}, estimatedWidth);
        for (const Shape& shape : layout.front.shapes)
            if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->text.starts_with("proven"))
                return label->at.x - layout.plot.x;
        return -1.0;
    };
    EXPECT_LT(labelOf(chart), 100);
    std::fill(heights.begin(), heights.end(), 0.22);
    EXPECT_GT(labelOf(chart), 500) << "beyond the line where curves run all along it";
    for (double& y : chart.series[0].y) y = 1;
    EXPECT_GT(labelOf(chart), 500) << "else it stands at the right";
}

TEST(Chart, valuesOfBarsStandInThemWhereABoundIsCloseBehind) {
    Chart chart = barsOf({102, 101, 40});
    chart.series.push_back({.id = "bound", .name = "bound", .mark = Mark::bound, .y = {103}});
    const ChartLayout layout = layOut(chart, {}, {960, 420}, estimatedWidth);
    const double bound = layout.y.pixel(103);
    std::size_t inside = 0, behind = 0;
    for (const Shape& shape : layout.front.shapes)
        if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->strong) {
            if (label->anchor == Anchor::end) {
                ++inside;
                EXPECT_LT(label->at.x, bound);
            } else {
                ++behind;
                EXPECT_LT(label->at.x + estimatedWidth(label->text, label->size, true), bound);
            }
        }
    EXPECT_EQ(inside, 2U);
    EXPECT_EQ(behind, 1U);
}

TEST(Chart, logarithmicAxisIsMarked) {
    Chart chart = linesOf(1, 10);
    chart.y.logarithmic = true;
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::light)).find("Step time (log)"), std::string::npos);
}

TEST(Chart, anyValuesGiveFiniteCoordinates) {
    for (const bool logarithmic : {false, true})
        for (const Mark mark : {Mark::line, Mark::steps, Mark::points, Mark::bars, Mark::stackedBars, Mark::bound}) {
            Chart chart{.id = "strange", .title = std::string(5000, 'x') + "<b>\n\xFF"};
            chart.x.logarithmic = chart.y.logarithmic = logarithmic;
            chart.series = {{.id = "a",
                             .name = std::string(900, 'n'),
                             .mark = mark,
                             .colour = "#2F6FDE",
                             .x = {0, 1, 2, 3, 4, 5, 1e300},
                             .y = {0, -1e300, kInfinity, std::nan(""), 1e300, 1e-300, 1}}};
            const std::string svg = toSvg(chart, Theme(ThemeKind::light));
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf"), std::string::npos);
            EXPECT_EQ(svg.find("<b>"), std::string::npos);
        }
}

TEST(Chart, csvHasUnitsAndFullPrecision) {
    Chart chart = linesOf(1, 1);
    chart.series[0].y = {0.1 + 0.2};
    EXPECT_EQ(toCsv(chart), "series,Samples,Step time (s)\r\nrun 0,0,0.30000000000000004\r\n");
}

TEST(HeatMap, foldsManyLayersIntoCells) {
    HeatMap map;
    map.title = "Types";
    map.columnTitle = "Layers";
    map.rows = {"1"};
    map.categories = {{"I", "I", "#2F6FDE"}};
    for (int i = 0; i < 1000; ++i) map.columns.push_back("l" + std::to_string(i));
    map.cells.assign(1000, 0);
    const std::string svg = toSvg(map, Theme(ThemeKind::dark));
    EXPECT_EQ(countOf(svg, "</title></rect>"), 200U);
    EXPECT_NE(svg.find("A cell is 5 layers and shows the most frequent category."), std::string::npos);
}

HeatMap residual(std::size_t rowsPerKind) {
    HeatMap map;
    map.id = "types";
    map.title = "Type of every layer at every level, accpar";
    map.rowTitle = "Level";
    map.rowNoteTitle = "ratio";
    map.columnTitle = "Layers";
    map.categories = {{"I: batch", "I", "#2F6FDE"}, {"II: input channels", "II", "#E08A1E"}};
    map.columns = {"net.conv1"};
    for (int block = 1; block <= 4; ++block)
        for (int layer = 0; layer < 13; ++layer)
            map.columns.push_back("net.layer" + std::to_string(block) + "." + std::to_string(layer) + ".conv");
    map.columns.emplace_back("net.fc");
    for (const std::string kind : {"v2|v3", "v2", "v3"})
        for (std::size_t row = 0; row < (kind == "v2|v3" ? 1 : rowsPerKind); ++row) {
            map.rows.push_back(std::to_string(row) + " · " + kind);
            map.rowGroups.push_back(kind);
            map.rowNotes.emplace_back("0.5");
        }
    map.cells.assign(map.rows.size() * map.columns.size(), 0);
    return map;
}

const Label* labelOf(const Drawing& drawing, const std::string& text) {
    for (const Shape& shape : drawing.shapes)
        if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->text == text) return label;
    return nullptr;
}

TEST(HeatMap, hasHighRowsWithEveryNameInASmallWindow) {
    const HeatMap map = residual(7);
    ASSERT_EQ(map.rows.size(), 15U);
    for (const double width : {620.0, 860.0}) {
        const HeatMapLayout layout = layOut(map, {.fill = true}, {width, 330}, estimatedWidth);
        EXPECT_GE(layout.cellHeight, 14) << width;
        EXPECT_LE(layout.drawing.height - layout.plot.bottom(), 72) << width;
        for (const std::string& row : map.rows) EXPECT_NE(labelOf(layout.drawing, row), nullptr) << row;
        EXPECT_NE(labelOf(layout.drawing, "ratio"), nullptr);
        EXPECT_NE(labelOf(layout.drawing, "layer2"), nullptr) << "what neighbours share stands once";
        EXPECT_EQ(labelOf(layout.drawing, "net.fc"), nullptr) << "what all share stands nowhere";
    }
    const HeatMapLayout wide = layOut(map, {.fill = true}, {1100, 330}, estimatedWidth);
    EXPECT_NE(labelOf(wide.drawing, "I"), nullptr);
    const HeatMapLayout large = layOut(map, {.fill = true}, {1500, 600}, estimatedWidth);
    EXPECT_GT(large.cellHeight, 30);
}

TEST(HeatMap, cutNamesCanBeToldApart) {
    HeatMap map = residual(2);
    map.columns.clear();
    for (int i = 0; i < 3000; ++i) map.columns.push_back("block" + std::to_string(i) + "_convolution_with_a_long_name");
    map.cells.assign(map.rows.size() * map.columns.size(), 0);
    const HeatMapLayout layout = layOut(map, {.fill = true}, {860, 330}, estimatedWidth);
    std::vector<std::string> names;
    for (const Shape& shape : layout.drawing.shapes)
        if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->angle == 90)
            names.push_back(label->text);
    EXPECT_GT(names.size(), 30U);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Drawing, cutsNamesWhereTheyDiffer) {
    const auto cut = [](std::string_view name, std::vector<std::string_view> besides, double width) {
        return fittedApart(name, besides, width, 11, estimatedWidth);
    };
    EXPECT_EQ(cut("layer125.conv", {"layer0.conv", "layer250.conv"}, 200), "layer125.conv");
    EXPECT_EQ(cut("encoder.layer1250.conv", {"encoder.layer1251.conv"}, 72), "…1250.conv");
    const std::string number = cut("encoder.layer1250.convolution", {"encoder.layer1251.convolution"}, 50);
    EXPECT_EQ(number.substr(0, 7), "…1250") << "a number is not torn apart";
    EXPECT_EQ(cut("stem.something", {"head.something"}, 60),
              fittedInTheMiddle("stem.something", 60, 11, false, estimatedWidth));
    EXPECT_EQ(cut("каскад.слойА.свёртка", {"каскад.слойБ.свёртка"}, 40).substr(0, 5), "…А");
}

TEST(HeatMap, keepsGroupsOfRowsApart) {
    const HeatMapLayout layout = layOut(residual(3), {.fill = true}, {860, 330}, estimatedWidth);
    ASSERT_EQ(layout.gaps, (std::vector<std::size_t>{1, 4}));
    EXPECT_NEAR(layout.cell(1, 0).y - layout.cell(0, 0).bottom(), layout.gap, 1e-9);
    EXPECT_NEAR(layout.cell(2, 0).y, layout.cell(1, 0).bottom(), 1e-9);
    EXPECT_NEAR(layout.cell(6, 0).bottom(), layout.plot.bottom(), 1e-9);
    for (std::size_t row = 0; row < 7; ++row) {
        const Rect cell = layout.cell(static_cast<double>(row), 0);
        EXPECT_NEAR(layout.rowAt(cell.y + cell.height / 4), static_cast<double>(row) + 0.25, 1e-9);
    }
    EXPECT_EQ(std::floor(layout.rowAt(layout.cell(1, 0).y - 1)), 0);
}

TEST(HeatMap, givesRowsTheRoomOfNamesWhereTheyWouldBeThin) {
    const HeatMapLayout layout = layOut(residual(7), {.fill = true}, {860, 240}, estimatedWidth);
    EXPECT_GE(layout.cellHeight, 11.5);
    EXPECT_NE(labelOf(layout.drawing, "layer2"), nullptr);
    const HeatMapLayout thin = layOut(residual(7), {.fill = true}, {200, 60}, estimatedWidth);
    EXPECT_GT(thin.cellHeight, 0);
}

TEST(Timeline, traceHasNamesAndNoOverlaps) {
    Timeline timeline;
    timeline.title = "Step";
    timeline.tracks = {{"compute \"1\"", "v3"}, {"transfers", "v3"}};
    timeline.events = {{.track = 0, .start = 0, .duration = 0.1, .name = "a<b>\n", .category = "compute"},
                       {.track = 0, .start = 0.0999999999, .duration = 0.1, .name = "b", .category = "compute"},
                       {.track = 1, .start = 0.05, .duration = kInfinity, .name = "c", .category = "intra"}};
    timeline.length = 0.2;
    const Json trace = Json::parse(toChromeTrace(timeline));
    double end = 0;
    std::size_t events = 0;
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        ++events;
        if (event["tid"] != 1) continue;
        EXPECT_GE(event["ts"].get<double>(), end);
        end = event["ts"].get<double>() + event["dur"].get<double>();
    }
    EXPECT_EQ(events, 3U);
    EXPECT_EQ(trace["traceEvents"][0]["name"], "process_name");
    EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "v3");
    EXPECT_EQ(trace["traceEvents"][1]["args"]["name"], "compute \"1\"");
    EXPECT_NE(toSvg(timeline, Theme(ThemeKind::light)).find("transfers"), std::string::npos);
}

TEST(PartitionPictures, keepStrategyColoursAndNameThePlan) {
    const study::Result result = test::handMadeResult();
    const Chart chart = speedupChart(outcomeOf(result));
    EXPECT_EQ(chart.title, "accpar is 6.31× as fast as data parallelism");
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_EQ(chart.series[0].colour, strategyColour("accpar"));
    EXPECT_FALSE(chart.series[0].dashed);
    EXPECT_TRUE(chart.series[1].dashed);
    EXPECT_EQ(chart.series[0].valueTexts[0], "6.31× · 36.2 ms");
    EXPECT_THROW(typeMap(outcomeOf(result), "none"), UsageError);
}

TEST(PartitionPictures, stackLayerTimesAndShowCapacity) {
    const study::Result result = test::handMadeResult();
    const Chart layers = layerChart(outcomeOf(result), "accpar", 0);
    ASSERT_EQ(layers.series.size(), 3U);
    EXPECT_EQ(layers.series[1].y, (std::vector<double>{0.2, 0.05}));
    EXPECT_EQ(layers.x.categories, (std::vector<std::string>{"cv1", "fc<1>"}));
    EXPECT_TRUE(layerChart(outcomeOf(result), "accpar", 99).series.empty());
    EXPECT_EQ(ratioChart(outcomeOf(result), "accpar").series[0].y, (std::vector<double>{0.25, 0.25}));
    EXPECT_EQ(memoryChart(outcomeOf(result), "accpar").series.back().y, (std::vector<double>{64e9}));
}

TEST(PartitionPictures, countLevelsFromZero) {
    const study::Result result = test::handMadeResult();
    const std::string first = "0 · slow|fast";
    EXPECT_EQ(typeMap(outcomeOf(result), "accpar").rows[0], first);
    EXPECT_EQ(ratioChart(outcomeOf(result), "accpar").x.categories[0], first);
    EXPECT_NE(layerChart(outcomeOf(result), "accpar", 0).title.find(first), std::string::npos);
}

TEST(PartitionPictures, sayWhereTheStepGoes) {
    study::Result result = test::handMadeResult();
    partition::Plan& plan = result.outcome.get<study::PartitionOutcome>().result.plans[0];
    plan.stepTime = Seconds{0.4};
    plan.shares[0].compute = Seconds{0.1};
    plan.shares[0].communication = Seconds{0.3};
    plan.shares[0].path = {{0, true}};
    plan.levels[0].sideI = Seconds{1};
    plan.levels[0].sideJ = Seconds{0.5};
    plan.levels[0].joins.clear();
    plan.shares.resize(1);
    const Chart chart = levelTimeChart(outcomeOf(result), "accpar");
    EXPECT_EQ(chart.title, "75 % of the step is communication, accpar");
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_EQ(chart.series[0].name, "Communication");
    double moved = 0;
    for (const partition::LayerPlan& layer : plan.levels[0].layers) moved += layer.intra.value + layer.inter.value;
    EXPECT_DOUBLE_EQ(chart.series[0].y.at(0), moved);
    EXPECT_EQ(chart.series[1].valueTexts.at(0), "100 ms · 25 %");
    EXPECT_EQ(chart.x.categories.front(), "0 · slow|fast");
    EXPECT_EQ(chart.x.categories.back(), "one " + plan.shares[0].kind);
}

TEST(Convergence, tellsBestBoundAndGapOfOneSearch) {
    using enum CurveRole;
    const std::vector<Curve> curves{{{"accpar", "ratio search", best}, {{1, 0.05}, {3, 0.042}}},
                                    {{"accpar", "ratio search", bound}, {{1, 0.03}, {2, 0.04}}},
                                    {{"accpar", "time by level", value}, {{0, 0.04}, {1, 0.03}}},
                                    {{"accpar", "step time", value}, {{0, 0.06}}},
                                    {{"accpar", "step time", bound}, {{1, 0.05}, {8, 0.06}}}};
    const std::vector<Chart> charts = convergenceCharts(curves, true);
    ASSERT_EQ(charts.size(), 3U);
    EXPECT_EQ(charts[0].title, "Search for the ratio of the top-level split: 42 ms, gap 5 %");
    EXPECT_TRUE(charts[0].y.logarithmic);
    EXPECT_EQ(charts[0].y.measure, Measure::seconds);
    ASSERT_EQ(charts[0].series.size(), 2U);
    EXPECT_EQ(charts[0].series[0].colour, strategyColour("accpar"));
    EXPECT_EQ(charts[0].series[1].mark, Mark::bound);
    EXPECT_EQ(charts[0].series[1].name, "bound, gap 5 %");
    EXPECT_EQ(charts[0].series[1].x, (std::vector<double>{1, 2, 2, 3})) << "a bound holds until the end";
    EXPECT_NE(charts[1].title.find("proven optimal"), std::string::npos) << charts[1].title;
    EXPECT_EQ(charts[1].series[0].x.back(), 8);
    EXPECT_EQ(charts[2].x.title, "Level");
    EXPECT_EQ(convergenceCharts({}, false).front().series.size(), 0U);
}

TEST(Convergence, keepsBaselinesDashedAndRunsApart) {
    using enum CurveRole;
    const std::vector<Curve> strategies{{{"accpar", "ratio search", best}, {{0, 2}, {1, 1}}},
                                        {{"hypar", "ratio search", best}, {{0, 3}}}};
    const Chart one = convergenceCharts(strategies, false).front();
    ASSERT_EQ(one.series.size(), 2U);
    EXPECT_FALSE(one.series[0].dashed);
    EXPECT_TRUE(one.series[1].dashed);
    const std::vector<Curve> runs{{{"accpar", "ratio search", best}, {{0, 2}, {1, 1}}, "A"},
                                  {{"accpar", "ratio search", bound}, {{0, 0.5}}, "A"},
                                  {{"accpar", "ratio search", best}, {{0, 3}}, "B"},
                                  {{"accpar", "ratio search", bound}, {{0, 0.5}}, "B"}};
    const Chart two = convergenceCharts(runs, false).front();
    ASSERT_EQ(two.series.size(), 4U);
    EXPECT_EQ(two.series[1].name, "A · accpar");
    EXPECT_NE(two.series[1].colour, two.series[3].colour);
    EXPECT_EQ(two.series[0].name, "A · accpar bound, gap 100 %");
}

TEST(Convergence, showsMeanAndSpreadOfGenerations) {
    using enum CurveRole;
    const std::vector<Curve> curves{{{"magma", "fitness", best}, {{0, 2}, {1, 1}}},
                                    {{"magma", "fitness", mean}, {{0, 4}, {1, 3}}},
                                    {{"magma", "fitness", spread}, {{0, 2}, {1, 2}}}};
    const Chart chart = convergenceCharts(curves, false).front();
    ASSERT_EQ(chart.series.size(), 3U);
    EXPECT_EQ(chart.series[0].mark, Mark::band);
    EXPECT_EQ(chart.series[0].low, (std::vector<double>{2, 1}));
    EXPECT_EQ(chart.series[1].name, "magma mean");
    const ChartLayout layout = layOut(chart, {}, {600, 300}, estimatedWidth);
    const bool area = std::any_of(layout.back.shapes.begin(), layout.back.shapes.end(), [](const Shape& shape) {
        const auto* path = std::get_if<Path>(&shape);
        return path != nullptr && path->points.size() == 4 && path->opacity < 0.5;
    });
    EXPECT_TRUE(area);
}

TEST(Print, hatchesWhatColoursMean) {
    const study::Result result = test::handMadeResult();
    const std::string svg = toSvg(typeMap(outcomeOf(result), "accpar"), Theme(ThemeKind::light));
    EXPECT_NE(svg.find("@media print{"), std::string::npos);
    const std::string paper = asPrinted(svg);
    EXPECT_EQ(paper.find("@media"), std::string::npos);
    EXPECT_NE(paper.find("<style>.print0-E08A1E{fill:url(#print0-E08A1E)}"), std::string::npos);
    EXPECT_EQ(countOf(paper, "{"), countOf(paper, "}"));
}

TEST(Timeline, namesOfEventsStandInOrBesideThem) {
    Timeline timeline;
    timeline.tracks = {{.name = "core", .group = {}}};
    timeline.length = 10;
    timeline.events = {
        {.track = 0, .start = 0, .duration = 2, .name = "a.very.long.name.of.an.operator.first", .category = "c"},
        {.track = 0, .start = 2, .duration = 0.2, .name = "beside", .category = "c"},
        {.track = 0, .start = 5, .duration = 5, .name = "inside", .category = "c"}};
    TimelineView view{.fill = true};
    const TimelineLayout layout = layOut(timeline, view, {800, 300}, estimatedWidth);
    std::vector<std::string> texts;
    for (const Shape& shape : layout.drawing.shapes)
        if (const auto* label = std::get_if<Label>(&shape)) texts.push_back(label->text);
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "beside"), 1);
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "inside"), 1);
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
        return text.find("…") != std::string::npos && text.starts_with("a.") && text.ends_with("first");
    })) << "both ends of a name that is cut";
    EXPECT_GT(layout.laneHeight, 40) << "one lane uses the page";
    timeline.notes = {"A note."};
    const auto says = [&](bool notes) {
        view.notes = notes;
        for (const Shape& shape : layOut(timeline, view, {800, 300}, estimatedWidth).drawing.shapes)
            if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->text == "A note.")
                return true;
        return false;
    };
    EXPECT_TRUE(says(true));
    EXPECT_FALSE(says(false)) << "where a window says it elsewhere";
}

TEST(Timeline, needsNoRoomForATitleThatIsNotThere) {
    Timeline timeline;
    timeline.tracks = {{"compute", ""}};
    timeline.events = {{.track = 0, .start = 0, .duration = 1, .name = "a", .category = "compute"}};
    timeline.length = 1;
    const double without = layOut(timeline, {}, {600, 200}, estimatedWidth).plot.y;
    timeline.title = "Step";
    EXPECT_GE(layOut(timeline, {}, {600, 200}, estimatedWidth).plot.y, without + 24);
}

TEST(HardwarePictures, rooflineBendsWhereMemoryAndComputeMeet) {
    hardware::Accelerator accelerator;
    accelerator.name = "v3";
    accelerator.peakFlops["bf16"] = FlopsPerSecond{100e12};
    accelerator.memory = {{.name = "HBM", .capacity = std::nullopt, .bandwidth = BytesPerSecond{1e12}}};
    const Chart chart = roofline(accelerator, "bf16");
    ASSERT_EQ(chart.series.size(), 1U);
    EXPECT_EQ(chart.series[0].x[1], 100);
    EXPECT_EQ(chart.series[0].y[1], 100e12);
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::light)).find("100 TFLOP/s"), std::string::npos);
    EXPECT_TRUE(roofline(accelerator, "fp8").series.empty());
}

TEST(HardwarePictures, fleetShowsGroupsAndRates) {
    hardware::Fleet fleet;
    fleet.name = "pair";
    for (const char* name : {"slow", "fast"}) {
        hardware::Group group;
        group.name = name;
        group.count = 128;
        group.network = fromBitsPerSecond(8e9);
        fleet.groups.push_back(group);
    }
    fleet.links = {{"slow", "fast", fromBitsPerSecond(1e9), Seconds{}}};
    const std::string svg = fleetDrawing(fleet, Theme(ThemeKind::light));
    EXPECT_NE(svg.find("128 × slow"), std::string::npos);
    EXPECT_NE(svg.find("network 8 Gb/s each"), std::string::npos);
    EXPECT_NE(svg.find("1 Gb/s"), std::string::npos);
    // As wide as its place: nothing is made smaller to fit.
    const std::string narrow = fleetDrawing(fleet, Theme(ThemeKind::light), 320);
    EXPECT_NE(narrow.find("viewBox=\"-12 -12 344 "), std::string::npos) << narrow.substr(0, 200);
    EXPECT_NE(narrow.find("128 × fast"), std::string::npos);
    fleet.groups.resize(hardware::kMaxGroups, fleet.groups[0]);
    EXPECT_LT(fleetDrawing(fleet, Theme(ThemeKind::light)).size(), 1000000U);
}

}  // namespace
}  // namespace tessera::report

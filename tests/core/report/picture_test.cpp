#include "core/report/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/report/chart_layout.h"
#include "core/report/partition_pictures.h"
#include "tests/support/partition_result.h"

namespace tessera::report {
namespace {

const study::PartitionOutcome& outcomeOf(const study::Result& result) {
    return std::get<study::PartitionOutcome>(result.outcome);
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
    EXPECT_EQ(countOf(svg, "fc&lt;1&gt;: III at split 1 · slow|fast"), 1U);
    EXPECT_EQ(svg.find("fc<1>"), std::string::npos);
    EXPECT_NE(svg.find("#E08A1E"), std::string::npos);
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

TEST(Chart, emptyOneSaysWhatToDo) {
    Chart chart{.id = "none", .title = "Step time", .empty = "Run the study to see it."};
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::dark)).find("Run the study to see it."), std::string::npos);
    chart.series = {{.id = "a", .x = {1, 2}, .y = {kInfinity, std::nan("")}}};
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::dark)).find("Run the study to see it."), std::string::npos);
}

TEST(Chart, boundIsALineWithALabelAndAHatchedRegion) {
    Chart chart = linesOf(1, 10);
    chart.series.push_back({.id = "bound", .name = "proven bound", .mark = Mark::bound, .y = {0.2}});
    const std::string svg = toSvg(chart, Theme(ThemeKind::light));
    EXPECT_NE(svg.find("proven bound 200 ms"), std::string::npos);
    EXPECT_NE(svg.find("url(#lines-border)"), std::string::npos);
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

TEST(Timeline, traceHasNamesAndNoOverlaps) {
    study::Timeline timeline;
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
    fleet.groups.resize(hardware::kMostGroups, fleet.groups[0]);
    EXPECT_LT(fleetDrawing(fleet, Theme(ThemeKind::light)).size(), 1000000U);
}

}  // namespace
}  // namespace tessera::report

#include "core/report/codesign_pictures.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "core/draw/chart_layout.h"
#include "core/report/codesign_points.h"
#include "core/report/codesign_report.h"
#include "core/report/template_pictures.h"
#include "core/study/codesign/outcome.h"
#include "core/study/metric.h"
#include "tests/support/codesign_result.h"

namespace tessera::report {
namespace {

const Series* seriesNamed(const Chart& chart, const std::string& id) {
    for (const Series& series : chart.series)
        if (series.id == id) return &series;
    return nullptr;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class CodesignPictures : public testing::Test {
protected:
    codesign::Result result = test::handMadeCodesign();
    std::vector<study::KnownDesign> rows = study::knownDesigns(result);
    explore::PointTable points = study::pointTable(result, rows);

    std::size_t column(const char* id) const { return columnNamed(points, id).value(); }
    std::vector<std::size_t> frontIn(const char* x, const char* y) const {
        return frontOf(points, column(x), column(y));
    }
    /// Area against the objective.
    PointScatter scatter(PointStates states = {}, const std::vector<OtherFront>& others = {}) const {
        const std::size_t x = column("area"), y = column("objective");
        return scatterOf(
            points,
            {.x = x, .y = y, .states = std::move(states), .extras = codesignExtras(result, points, x, y, others)});
    }
};

TEST_F(CodesignPictures, knowsEveryArchitectureOnce) {
    ASSERT_EQ(rows.size(), 12U);
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const study::KnownDesign& row) { return row.onFront; }), 9);
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const study::KnownDesign& row) { return row.best; }), 1);
    EXPECT_EQ(
        std::count_if(rows.begin(), rows.end(), [](const study::KnownDesign& row) { return !row.baseline.empty(); }),
        1);
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].point.area, rows[i].point.area);
}

TEST_F(CodesignPictures, pointsAreTheRowsInTheirOrder) {
    ASSERT_EQ(points.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(points.columns[column("area")].values[i], rows[i].point.area.value);
        EXPECT_EQ(points.columns[column("objective")].values[i], rows[i].point.objective);
        EXPECT_EQ(points.columns[column("mfu")].values[i], 100 * rows[i].point.mfu);
        EXPECT_EQ(points.columns[column("num_tc")].values[i],
                  static_cast<double>(rows[i].point.architecture.tensorCores));
        EXPECT_EQ(hasMark(points, i, explore::kFront), rows[i].onFront);
        EXPECT_EQ(hasMark(points, i, explore::kChosen), rows[i].best);
        EXPECT_EQ(hasMark(points, i, explore::kBaseline), !rows[i].baseline.empty());
    }
    const auto textAt = [&](const char* id, std::size_t point) {
        return textOf(points.columns[column(id)], points.columns[column(id)].values[point]);
    };
    EXPECT_EQ(textAt("hbm", 0), hardware::bufferSize(rows[0].point.hbm));
    EXPECT_EQ(textAt("objective", 0), "0.04×");
    EXPECT_EQ(textAt("glb_bytes", 0), "2 MiB");
}

TEST_F(CodesignPictures, theFrontOfAreaAndThroughputIsTheSearchs) {
    const std::vector<std::size_t> front = frontIn("area", "objective");
    ASSERT_EQ(front.size(), 9U);
    for (const std::size_t row : front) EXPECT_TRUE(rows[row].onFront);
    EXPECT_TRUE(rows[front.back()].best);
}

TEST_F(CodesignPictures, frontsOfOtherValuesFollowTheirDirections) {
    // Utilisation rises and energy falls with the objective: only the best one is left.
    EXPECT_EQ(frontIn("energy", "mfu").size(), 1U);
    // Of two HBM sizes: the best architecture of each.
    const std::vector<std::size_t> front = frontIn("hbm", "objective");
    ASSERT_EQ(front.size(), 2U);
    EXPECT_EQ(rows[front[0]].point.objective, 1.18);
    EXPECT_EQ(rows[front[1]].point.objective, 1.41);
    EXPECT_TRUE(frontIn("num_tc", "objective").empty()) << "no number of cores is better than another";
}

TEST_F(CodesignPictures, everyPointOfTheScatterIsARow) {
    const PointScatter picture = scatter();
    ASSERT_EQ(picture.chart.series.size(), picture.points.size());
    std::size_t drawn = 0;
    for (std::size_t s = 0; s < picture.points.size(); ++s) {
        const Series& series = picture.chart.series[s];
        if (series.mark != Mark::points) continue;
        ASSERT_EQ(series.x.size(), picture.points[s].size()) << series.id;
        drawn += series.x.size();
        for (std::size_t i = 0; i < series.x.size(); ++i)
            EXPECT_EQ(series.x[i], rows[picture.points[s][i]].point.area.value);
    }
    EXPECT_EQ(drawn, rows.size());
    EXPECT_EQ(picture.chart.title, "9 of 11 architectures are best in Area and Throughput over TPUv4, proven");
    EXPECT_NE(seriesNamed(picture.chart, "knee"), nullptr);
    EXPECT_EQ(seriesNamed(picture.chart, "best")->valueTexts.front(), "2tc-64vc-256x256-16MiB");
}

TEST_F(CodesignPictures, brushingChangesNoShape) {
    const auto shapesOf = [&](const PointStates& states) {
        std::vector<MarkerShape> shapes(rows.size());
        const PointScatter picture = scatter(states);
        for (std::size_t s = 0; s < picture.points.size(); ++s)
            for (const std::uint32_t row : picture.points[s]) shapes[row] = shapeOf(picture.chart.series[s], s);
        return shapes;
    };
    const std::vector<MarkerShape> all = shapesOf({});
    EXPECT_EQ(std::set<MarkerShape>(all.begin(), all.end()).size(), 5U) << "every role has its own";
    for (std::size_t row = 0; row < rows.size(); ++row) {
        PointStates states(rows.size(), PointState::filtered);
        states[row] = PointState::shown;
        EXPECT_EQ(shapesOf(states), all) << row;
    }
}

TEST_F(CodesignPictures, theScatterBeginsWithTheFrontAndNamesBaselinesAtItsEdge) {
    for (study::KnownDesign& row : rows) {
        if (row.baseline.empty()) continue;
        row.point.area = SquareMillimetres{900};
        row.best = row.onFront = false;
    }
    points = study::pointTable(result, rows);
    const Chart chart = scatter().chart;
    ASSERT_TRUE(chart.x.focus && chart.y.focus);
    EXPECT_LT(chart.x.focus->high, 900);
    const ChartLayout layout = layOut(chart, {}, {900, 500}, estimatedWidth);
    EXPECT_GT(layout.wholeX.high, 900) << "zooming out shows everything";
    const auto labelled = [&](const ChartLayout& its, const std::string& part) {
        return std::count_if(its.front.shapes.begin(), its.front.shapes.end(), [&](const Shape& shape) {
            const auto* label = std::get_if<Label>(&shape);
            return label != nullptr && label->halo && says(label->text, part);
        });
    };
    EXPECT_EQ(labelled(layout, ", 900 mm²"), 1) << "an arrow with name and value";
    ChartView wide;
    wide.x = layout.wholeX;
    wide.y = layout.wholeY;
    EXPECT_EQ(labelled(layOut(chart, wide, {900, 500}, estimatedWidth), ", 900 mm²"), 0);
}

TEST_F(CodesignPictures, labelsOfTheScatterLieOnNothing) {
    for (const Size size : {Size{420, 260}, Size{700, 420}, Size{1200, 700}}) {
        const ChartLayout layout = layOut(paretoChart(result), {}, size, estimatedWidth);
        std::vector<Rect> labels, marks;
        for (const Shape& shape : layout.front.shapes) {
            if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->halo)
                labels.push_back({label->at.x, label->at.y - 9, estimatedWidth(label->text, 11, false), 11});
            if (const auto* marker = std::get_if<Marker>(&shape); marker != nullptr)
                marks.push_back({marker->at.x - 3, marker->at.y - 3, 6, 6});
        }
        EXPECT_FALSE(labels.empty());
        const auto touch = [](const Rect& a, const Rect& b) {
            return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
        };
        for (std::size_t i = 0; i < labels.size(); ++i) {
            for (std::size_t j = i + 1; j < labels.size(); ++j) EXPECT_FALSE(touch(labels[i], labels[j]));
            // In a small picture the few names that must be there lie on marks, with a halo.
            for (const Rect& mark : marks) EXPECT_TRUE(size.width < 500 || !touch(labels[i], mark)) << size.width;
        }
    }
}

TEST_F(CodesignPictures, whatIsNotBrushedIsDimmedAndOtherFrontsAreDashed) {
    PointStates states(rows.size(), PointState::filtered);
    states[3] = PointState::shown;
    const PointScatter picture = scatter(states, {{.name = "Run 7", .points = result.front}});
    std::size_t filtered = 0;
    std::vector<std::string> names;
    for (const Series& series : picture.chart.series) {
        if (!series.id.starts_with("filtered-")) continue;
        filtered += series.x.size();
        EXPECT_EQ(series.colour, "disabled");
        if (!series.name.empty()) names.push_back(series.name);
    }
    EXPECT_EQ(filtered, rows.size() - 1);
    EXPECT_EQ(names, std::vector<std::string>{"filtered out"}) << "once in the legend";
    const auto other = std::find_if(picture.chart.series.begin(), picture.chart.series.end(),
                                    [](const Series& series) { return series.id == "other-0"; });
    ASSERT_NE(other, picture.chart.series.end());
    EXPECT_TRUE(other->dashed);
    EXPECT_EQ(other->x.size(), 9U);
    EXPECT_TRUE(picture.points[static_cast<std::size_t>(other - picture.chart.series.begin())].empty());
}

TEST_F(CodesignPictures, theExplorationRisesToTheBest) {
    for (const bool byArea : {false, true}) {
        const Chart chart = explorationChart(result, byArea);
        const Series* best = seriesNamed(chart, "best");
        ASSERT_NE(best, nullptr);
        EXPECT_EQ(best->x.size(), result.trace.size());
        EXPECT_EQ(best->y.back(), 1.41);
        EXPECT_TRUE(std::is_sorted(best->y.begin(), best->y.end()));
        EXPECT_EQ(chart.x.measure == Measure::area, byArea);
        EXPECT_TRUE(says(chart.notes.at(0), "123,456 of 7,000,000 points were evaluated"));
    }
}

TEST_F(CodesignPictures, operatorsStandOnTheirCores) {
    const Timeline timeline = operatorTimeline(result.perModel[0], false);
    ASSERT_EQ(timeline.tracks.size(), 5U);  // all cores, two tensor cores, two vector cores
    EXPECT_EQ(timeline.tracks[0].name, "All cores");
    EXPECT_EQ(timeline.tracks[2].name, "Tensor core 2");
    // A fused operator on one core holds one of each kind.
    EXPECT_EQ(std::count_if(timeline.events.begin(), timeline.events.end(),
                            [](const Timeline::Event& event) { return event.name == "key + bias"; }),
              2);
    EXPECT_TRUE(says(timeline.notes.at(0), "save 10 %")) << timeline.notes.at(0);
    EXPECT_TRUE(says(timeline.notes.at(0), "optimality gap ≤ 2.3 %")) << timeline.notes.at(0);
    EXPECT_TRUE(operatorTimeline({}, true).events.empty());
}

TEST_F(CodesignPictures, thePlacementShowsStagesReplicasAndMemory) {
    const Drawing drawing = placementDrawing(result.perModel[1], 960, estimatedWidth);
    const std::string svg = toSvg(drawing, Theme(ThemeKind::light));
    for (const char* words : {"4 stages × 64 replicas, slices 4 wide, on 1,024 accelerators", "Stage 4",
                              "block0 … block17", "18 layers", "4 × 64", "of 32 GiB", "Optimizer", "30 ms"})
        EXPECT_TRUE(says(svg, words)) << words;
    codesign::ModelResult unfit;
    unfit.model = "zoo:gpt3";
    unfit.reason = "stage 1 needs 90 GB";
    EXPECT_TRUE(says(toSvg(placementDrawing(unfit, 960, estimatedWidth), Theme(ThemeKind::light)),
                     "gpt3 does not fit: stage 1 needs 90 GB"));
    for (const double width : {1.0, 300.0, 4000.0})
        EXPECT_GT(placementDrawing(result.perModel[1], width, estimatedWidth).height, 100);
}

TEST_F(CodesignPictures, timesAddUpToTheBatch) {
    const Chart chart = timeChart(result, 1);
    ASSERT_EQ(chart.x.categories.size(), 3U);
    double sum = 0;
    for (const Series& series : chart.series) sum += series.y.at(0);
    EXPECT_NEAR(sum, result.perModel[1].timePerBatch.value, 1e-12);
    const Chart shares = timeShareChart(result);
    double whole = 0;
    for (const Series& series : shares.series) whole += series.y.at(1);
    EXPECT_NEAR(whole, 100, 1e-9);
    EXPECT_TRUE(timeChart(result, 7).series.empty());
}

TEST_F(CodesignPictures, memoryStandsAgainstTheHbm) {
    const Chart chart = stageMemoryChart(result.perModel[1]);
    EXPECT_EQ(chart.x.categories.size(), 4U);
    ASSERT_NE(seriesNamed(chart, "hbm"), nullptr);
    constexpr double kGibi = 0x1p30;
    EXPECT_EQ(seriesNamed(chart, "stash")->y, (std::vector<double>{6e9 / kGibi, 4e9 / kGibi, 2e9 / kGibi, 0}));
    EXPECT_EQ(seriesNamed(chart, "hbm")->y.front(), 32);
    EXPECT_EQ(chart.title, "megatron-gpt-8.3b needs 19.6 GiB of 32 GiB at most");
}

TEST_F(CodesignPictures, areasAndSpeedups) {
    const Chart areas = areaPartsChart(result);
    EXPECT_EQ(areas.x.categories, (std::vector<std::string>{"2tc-64vc-256x256-16MiB", "TPUv4"}));
    EXPECT_NEAR(seriesNamed(areas, "glb")->y[1], 175.423, 1e-3);
    const Chart speedups = referenceSpeedupChart(result);
    EXPECT_EQ(seriesNamed(speedups, "expert")->y, (std::vector<double>{2.1, 2.1}));
}

TEST_F(CodesignPictures, sheetsHaveARowForEverything) {
    EXPECT_EQ(exactPointTable(result, rows).rows.size(), 12U);
    EXPECT_EQ(exactModelTable(result).rows.size(), 6U);
    EXPECT_EQ(exactStageTable(result).rows.size(), 5U);
    EXPECT_EQ(exactTraceTable(result).rows.size(), result.trace.size());
    for (const Table& table : {exactPointTable(result, rows), exactModelTable(result), exactStageTable(result)})
        for (const std::vector<std::string>& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST_F(CodesignPictures, bandwidthsAreNamedWhereTheyAreSearched) {
    EXPECT_TRUE(study::bandwidthColumns(result).empty());
    result.space = hardware::loadTemplate("phaze-bandwidths");
    const auto give = [&](codesign::Point& point) {
        point.architecture.hbmBandwidth = BytesPerSecond{2.4e12};
        point.architecture.networkBandwidth = BytesPerSecond{6e11};
        point.parts = areaOf(point.architecture, result.space);
        point.interfacePower = interfacePower(point.architecture, result.space);
    };
    give(*result.best);
    for (codesign::Point& point : result.front) give(point);
    const std::vector<study::BandwidthColumn> columns = study::bandwidthColumns(result);
    ASSERT_EQ(columns.size(), 3U);
    EXPECT_EQ(columns[0].of(*result.best), 2.4e12);
    EXPECT_EQ(columns[1].of(*result.best), 6e11);
    EXPECT_EQ(columns[1].of(result.baselines[0].point), 3e11) << "that of the study";
    EXPECT_NEAR(columns[2].of(*result.best), 8 * 9.58464 + 24 * 2, 1e-9);
    const study::CodesignOutcome outcome{result};
    for (const Table& table :
         {acceleratorTable(outcome), frontTable(outcome), exactPointTable(result, study::knownDesigns(result))}) {
        for (const std::vector<std::string>& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
        EXPECT_TRUE(says(toText(table), "HBM rate") || says(toText(table), "hbm_bandwidth_bytes_per_s"));
    }
    EXPECT_TRUE(says(toText(acceleratorTable(outcome)), "2.4 TB/s"));
    EXPECT_TRUE(says(toCsv(frontTable(outcome)), "2400000000000,600000000000,"));
    const Chart areas = areaPartsChart(result);
    EXPECT_NEAR(seriesNamed(areas, "hbm-interface")->y[0], 8 * 10.45, 1e-9);
    EXPECT_NEAR(seriesNamed(areas, "network-interface")->y[0], 24 * 1.888, 1e-9);
    std::set<std::string> colours;
    for (const Series& series : areas.series) colours.insert(series.colour);
    EXPECT_EQ(colours.size(), areas.series.size()) << "parts that share a colour";
    const study::Result whole = test::wholeCodesign(result);
    EXPECT_TRUE(says(study::headline(whole), "-hbm2400GBps-net600GBps"));
    EXPECT_TRUE(says(codesignText(whole, outcome), "600 GB/s"));
}

TEST_F(CodesignPictures, nothingThatFitsIsSaidNotDrawn) {
    codesign::Result empty;
    empty.space = result.space;
    empty.models = {"zoo:gpt3"};
    empty.perModel.resize(1);
    empty.perModel[0].model = "zoo:gpt3";
    EXPECT_TRUE(study::knownDesigns(empty).empty());
    EXPECT_TRUE(paretoChart(empty).series.empty());
    for (const Chart& chart :
         {explorationChart(empty, false), timeChart(empty, 0), timeShareChart(empty),
          stageMemoryChart(empty.perModel[0]), areaPartsChart(empty), referenceSpeedupChart(empty)}) {
        EXPECT_TRUE(chart.series.empty()) << chart.id;
        EXPECT_FALSE(chart.empty.empty()) << chart.id;
    }
}

TEST(TemplatePictures, classesOfSizeHoldEveryAccelerator) {
    const hardware::Template space = hardware::loadTemplate("phaze");
    const hardware::AreaCensus census = hardware::areaCensus(space);
    EXPECT_EQ(census.areas.size(), 86'528U);
    const Chart chart = areaCensusChart(space, census);
    double within = 0, all = 0;
    for (const Series& series : chart.series)
        for (const double count : series.y) {
            all += count;
            if (series.id == "within") within += count;
        }
    EXPECT_EQ(all, 86'528);
    EXPECT_EQ(within, static_cast<double>(census.within));
    const Chart parts = referenceAreaChart(space);
    double area = 0;
    for (const Series& series : parts.series) area += series.y.at(0);
    EXPECT_NEAR(area, 278.82667631216, 1e-9);  // published
}

}  // namespace
}  // namespace tessera::report

#include "core/report/mapping_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/draw/timeline_layout.h"
#include "core/report/catalogue.h"
#include "core/report/mapping_report.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "tests/support/portfolio_result.h"

namespace tessera::report {
namespace {

using study::MappingOutcome;
using testing::HasSubstr;

const MappingOutcome& mappingOf(const study::Result& result) {
    return result.outcome.get<MappingOutcome>();
}

const Series& seriesOfName(const Chart& chart, const std::string& id) {
    for (const Series& series : chart.series)
        if (series.id == id) return series;
    throw std::logic_error("no series " + id);
}

TEST(MappingPictures, theScheduleHasATrackPerCoreAndTheBandwidthBelow) {
    const study::Result result = test::handMadePortfolio();
    const MappingOutcome& outcome = mappingOf(result);
    const mapping::Run& run = outcome.result.runs.front();
    const Timeline timeline = study::scheduleTimeline(outcome, run);
    ASSERT_EQ(timeline.tracks.size(), 3U);
    EXPECT_EQ(timeline.events.size(), 6U);
    EXPECT_DOUBLE_EQ(timeline.length, run.schedule.makespan / 200e6);
    EXPECT_EQ(timeline.categories, (std::vector<std::string>{"conv", "dsconv", "gemm"}));
    ASSERT_TRUE(timeline.usage);
    EXPECT_EQ(stepsOf(timeline), run.schedule.bandwidth.size());
    EXPECT_DOUBLE_EQ(*timeline.usage->limit, 8 * 200e6);
    EXPECT_LE(peakOf(timeline), *timeline.usage->limit * (1 + 1e-12));
    // What the cores get over time is all that their jobs move.
    double moved = 0;
    for (std::size_t step = 0; step < stepsOf(timeline); ++step) {
        const double end = step + 1 < stepsOf(timeline) ? timeline.usage->times[step + 1] : timeline.length;
        for (std::size_t core = 0; core < 3; ++core)
            moved += timeline.usage->values[step * 3 + core] * (end - timeline.usage->times[step]);
    }
    double bytes = 0;
    for (const study::CoreUse& use : study::coreUse(outcome, run)) bytes += use.bytes;
    EXPECT_NEAR(moved, bytes, bytes * 1e-12);
}

TEST(MappingPictures, theDrawingPutsBandwidthOnTheAxisOfTheJobs) {
    const study::Result result = test::handMadePortfolio();
    const Timeline timeline = study::scheduleTimeline(mappingOf(result), mappingOf(result).result.runs.front());
    const TimelineLayout layout = layOut(timeline, {}, {960, 420}, estimatedWidth);
    EXPECT_GT(layout.usage.height, 50);
    EXPECT_DOUBLE_EQ(layout.usage.x, layout.plot.x);
    EXPECT_DOUBLE_EQ(layout.usage.width, layout.plot.width);
    EXPECT_GE(layout.usage.y, layout.plot.bottom());
    const std::string svg = toSvg(timeline, Theme(ThemeKind::light));
    EXPECT_THAT(svg, HasSubstr("System bandwidth 1.6 GB/s"));
    EXPECT_THAT(svg, HasSubstr("conv1&lt;a&gt;"));
    EXPECT_THAT(toChromeTrace(timeline), HasSubstr(R"("ph":"C")"));
    const TimelineLayout window =
        layOut(timeline, {.from = 0, .to = timeline.length / 3, .fill = true}, {700, 300}, estimatedWidth);
    EXPECT_LE(window.usage.bottom(), 300);
}

TEST(MappingPictures, withoutAClockEverythingIsInCycles) {
    study::Result result = test::handMadePortfolio();
    auto& outcome = result.outcome.get<MappingOutcome>();
    outcome.problem.clock.reset();
    const Timeline timeline = study::scheduleTimeline(outcome, outcome.result.runs.front());
    EXPECT_DOUBLE_EQ(timeline.length, outcome.result.runs.front().schedule.makespan);
    EXPECT_THAT(toSvg(timeline, Theme(ThemeKind::light)), HasSubstr("System bandwidth 8 B/cycle"));
    EXPECT_THAT(toCsv(timeline), HasSubstr("start (cycles)"));
    EXPECT_EQ(algorithmChart(outcome).y.title, "Throughput (FLOP/cycle)");
    EXPECT_THAT(objectiveText(outcome, mapping::Objective::throughput, 7500), "7,500 cycles");
}

TEST(MappingPictures, convergenceShowsEveryAlgorithmAndTheBound) {
    const study::Result result = test::handMadePortfolio();
    const std::vector<Chart> charts = mappingConvergenceCharts(mappingOf(result));
    ASSERT_EQ(charts.size(), 2U);
    const Chart& chart = charts.front();
    EXPECT_EQ(chart.series.size(), 4U);
    EXPECT_TRUE(chart.x.logarithmic);
    EXPECT_DOUBLE_EQ(seriesOfName(chart, "bound").y.front(), 7500 / 200e6);
    const Series& best = seriesOfName(chart, "tessera");
    EXPECT_TRUE(std::is_sorted(best.y.rbegin(), best.y.rend()));
    EXPECT_DOUBLE_EQ(best.y.back(), mappingOf(result).result.runs.front().value / 200e6);
    EXPECT_TRUE(seriesOfName(chart, "random").dashed);
    EXPECT_THAT(chart.title, HasSubstr("optimality gap"));
    EXPECT_TRUE(charts.back().y.logarithmic);
    for (const Series& series : charts.back().series)
        for (const double gap : series.y) EXPECT_GT(gap, 0);
}

TEST(MappingPictures, convergenceIsReadFromTheCurvesOfARunThatWorks) {
    using enum CurveRole;
    std::vector<Curve> curves{{{"magma", "", value}, {{1, 30}, {40, 20}}},
                              {{"magma", "", best}, {{10, 30}, {50, 20}}},
                              {{"magma", "", mean}, {{10, 40}, {50, 25}}},
                              {{"magma", "", spread}, {{10, 5}, {50, 2}}},
                              {{"", "", bound}, {{0, 18}}}};
    EXPECT_EQ(mappingConvergenceCharts(curves, true).front().series.size(), 2U)
        << "means and spreads are for those who ask";
    const std::vector<Chart> charts = mappingConvergenceCharts(curves, true, true);
    ASSERT_EQ(charts.size(), 2U);
    EXPECT_TRUE(charts.front().y.logarithmic);
    const Series& found = charts.front().series.at(2);
    EXPECT_EQ(found.id, "magma");
    EXPECT_EQ(found.x, (std::vector<double>{1, 10, 40, 50}));
    EXPECT_EQ(seriesOfName(charts.front(), "magma/spread").low, (std::vector<double>{35, 23}));
    EXPECT_THAT(charts.front().title, HasSubstr("optimality gap 11 %"));
    EXPECT_TRUE(mappingConvergenceCharts({{{"accpar", "step time", best}, {{0, 1}}}}, false).empty());
    EXPECT_TRUE(mappingConvergenceCharts({{{"accpar root", "", bound}, {{0, 1}}}}, false).empty());
    EXPECT_EQ(convergenceCharts(curves, false).front().id, "convergence");
    // Of two runs each has its name and its colour.
    for (Curve& curve : curves) curve.run = "A · 1";
    curves.push_back({{"magma", "", best}, {{10, 35}}, "B"});
    const Chart compared = convergenceCharts(curves, false).front();
    EXPECT_EQ(compared.series.at(0).name, "A · 1 · magma");
    EXPECT_EQ(compared.series.at(1).name, "B · magma");
    EXPECT_NE(compared.series.at(0).colour, compared.series.at(1).colour);
}

TEST(MappingPictures, algorithmsHaveStandings) {
    using enum CurveRole;
    const std::vector<Curve> curves{{{"slow", "", best}, {{10, 30}, {50, 24}}},
                                    {{"magma", "", best}, {{10, 30}, {40, 20}, {60, 20}}},
                                    {{"", "", bound}, {{0, 16}}}};
    const Table table = standingsTable(curves);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0], (std::vector<std::string>{"magma", "20", "25 %", "60", "40"}));
    EXPECT_EQ(table.rows[1], (std::vector<std::string>{"slow", "24", "50 %", "50", "50"}));
    EXPECT_TRUE(standingsTable({{{"accpar", "step time", best}, {{0, 1}}}}).rows.empty());
    const study::Result result = test::handMadePortfolio();
    const Table found = standingsTable(mappingOf(result));
    EXPECT_EQ(found.rows.size(), mappingOf(result).result.runs.size());
    EXPECT_EQ(found.rows[0][0], "tessera");
}

TEST(MappingPictures, convergenceIsSeenWhereItIsDecided) {
    const std::vector<AlgorithmCurve> runs{{.algorithm = "tessera", .best = {{1, 1e8}, {10, 5e6}, {1000, 3.35e6}}},
                                           {.algorithm = "magma", .best = {{1, 1e8}, {10, 6e6}, {1000, 4e6}}},
                                           {.algorithm = "random", .best = {{1, 1.2e8}, {10, 9e7}, {1000, 8e7}}}};
    const Chart chart = mappingConvergenceCharts(runs, 3.26e6, {}, {}).front();
    ASSERT_TRUE(chart.y.focus.has_value());
    EXPECT_EQ(chart.y.focus->low, 3.26e6);
    EXPECT_GE(chart.y.focus->high, 4e6);
    EXPECT_LT(chart.y.focus->high, 8e6) << "neither the first samples nor what does not compete";
    for (const Series& series : chart.series) EXPECT_NE(series.mark, Mark::band);
}

TEST(MappingPictures, algorithmsAreBarsOfThroughputBelowTheirBound) {
    const study::Result result = test::handMadePortfolio();
    const Chart chart = algorithmChart(mappingOf(result));
    EXPECT_EQ(chart.x.categories, (std::vector<std::string>{"tessera", "magma", "random"}));
    const double bound = seriesOfName(chart, "bound").y.front();
    EXPECT_FALSE(seriesOfName(chart, "bound").cannotBeBelow);
    for (const char* algorithm : {"tessera", "magma", "random"})
        EXPECT_LE(seriesOfName(chart, algorithm).y.front(), bound);
    EXPECT_THAT(chart.title, HasSubstr("is best"));
}

TEST(MappingPictures, alikeCoresShareTheirPointsOfDemand) {
    const study::Result result = test::handMadePortfolio();
    const Chart chart = requiredBandwidthChart(mappingOf(result));
    ASSERT_EQ(chart.series.size(), 3U);
    EXPECT_EQ(chart.series[0].name, "nvdla 128×64 (same for 2)");
    EXPECT_EQ(chart.series[1].name, "shidiannao 32×64");
    EXPECT_EQ(chart.series[0].x.size(), 6U);
    EXPECT_EQ(chart.series[2].id, "bandwidth");
}

TEST(MappingPictures, coresRunStallAndIdleUntilTheMakespan) {
    const study::Result result = test::handMadePortfolio();
    const Chart chart = coreChart(mappingOf(result), "magma");
    const double makespan = mappingOf(result).result.runs[1].schedule.makespan / 200e6;
    ASSERT_EQ(chart.series.size(), 3U);
    for (std::size_t core = 0; core < 3; ++core)
        EXPECT_NEAR(chart.series[0].y[core] + chart.series[1].y[core] + chart.series[2].y[core], makespan,
                    makespan * 1e-12);
    EXPECT_THROW(coreChart(mappingOf(result), "nobody"), UsageError);
}

TEST(MappingPictures, exploredSamplesAndFrontsSayWhatIsMissing) {
    study::Result result = test::handMadePortfolio();
    auto& outcome = result.outcome.get<MappingOutcome>();
    EXPECT_EQ(exploredChart(outcome).series.size(), 6U);  // samples and the best of each
    EXPECT_FALSE(frontChart(outcome).empty.empty());
    outcome.pareto = std::pair(mapping::Objective::throughput, mapping::Objective::energy);
    mapping::Run& run = outcome.result.runs.front();
    run.front = {{.values = run.values, .first = 8000, .second = 9e-6, .mapping = run.mapping},
                 {.values = run.values, .first = 9000, .second = 8e-6, .mapping = run.mapping}};
    const Chart front = frontChart(outcome);
    ASSERT_EQ(front.series.size(), 1U);
    EXPECT_EQ(front.title, "2 compromises between makespan and energy");
    for (mapping::Run& each : outcome.result.runs) each.explored.clear();
    EXPECT_THAT(exploredChart(outcome).empty, HasSubstr("kept no samples"));
}

TEST(MappingPictures, aSweepIsPointsWithALineForEachAlgorithm) {
    study::MappingSweep sweep{.kind = study::SweepKind::groupSize, .points = {}};
    for (const double jobs : {10.0, 20.0})
        sweep.points.push_back({.value = jobs,
                                .runs = {{.algorithm = "magma", .makespan = 90 * jobs, .throughput = 4, .gap = 0.1},
                                         {.algorithm = "random", .makespan = 99 * jobs, .throughput = 3, .gap = 0.2}},
                                .bound = 80 * jobs,
                                .max = 5});
    const explore::PointTable points = pointTable(sweep);
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(nameOf(points, 3), "random at 20");
    const auto [x, y] = firstValues(points);
    EXPECT_EQ(points.columns[x].id, "group-size");
    EXPECT_EQ(points.columns[y].id, "throughput");
    const ScatterExtras extras = sweepExtras(sweep, points, x, y);
    ASSERT_EQ(extras.beside.size(), 3U) << "two algorithms and the bound";
    EXPECT_EQ(extras.beside[0].y, (std::vector<double>{4, 4}));
    EXPECT_EQ(extras.beside[2].id, "bound");
    EXPECT_TRUE(sweepExtras(sweep, points, y, x).beside.empty());
    // Without known work there are no rates.
    for (study::SweepPoint& point : sweep.points) point.max.reset();
    const explore::PointTable times = pointTable(sweep);
    EXPECT_FALSE(columnNamed(times, "throughput"));
    EXPECT_EQ(times.columns[firstValues(times).second].id, "makespan_cycles");
}

TEST(MappingPictures, everyRowOfTheCatalogueIsMade) {
    const study::Result result = test::handMadePortfolio();
    const Selection at = selectionOf(result, "");
    EXPECT_EQ(at.choice, "tessera");
    EXPECT_EQ(selectionOf(result, "random").choice, "random");
    EXPECT_THROW(selectionOf(result, "accpar"), UsageError);
    const Catalogue& catalogue = catalogueOf("mapping");
    ASSERT_GE(catalogue.pictures.size(), 8U);
    for (const PictureRow& row : catalogue.pictures) {
        if ((row.where & kSolvedAnew) != 0) continue;
        const Picture picture = row.make({result, at, {}});
        EXPECT_THAT(toSvg(picture, Theme(ThemeKind::dark)), HasSubstr("</svg>")) << row.id;
        EXPECT_FALSE(toCsv(picture).empty()) << row.id;
    }
    for (const TableRow& row : catalogue.tables) {
        if (selectionsOf(row, result, at).empty()) continue;
        const Table table = row.make({result, at, {}});
        EXPECT_FALSE(table.rows.empty()) << row.id;
        for (const auto& cells : table.rows) EXPECT_EQ(cells.size(), table.columns.size()) << row.id;
    }
    EXPECT_THROW(catalogueOf("nothing"), UsageError);
}

TEST(MappingReport, timeThatACoreIsStalledIsNoWork) {
    const study::Result result = test::handMadePortfolio();
    const MappingOutcome& outcome = mappingOf(result);
    const mapping::Run& run = study::runOf(outcome, "random");
    const std::vector<study::MappedCore> cores = study::mappedCores(outcome, run);
    ASSERT_TRUE(
        std::any_of(cores.begin(), cores.end(), [](const study::MappedCore& core) { return core.use.stalled > 0; }));
    const Table people = coreTable(outcome, run), sheet = coreTable(outcome, run, study::kExactTable);
    const auto cell = [](const Table& table, const std::string& column, std::size_t row) {
        const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                        [&](const Table::Column& each) { return each.title == column; });
        return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin()));
    };
    const Chart chart = coreChart(outcome, "random");
    const Series& running = seriesOfName(chart, "running");
    for (const study::MappedCore& core : cores) {
        double works = 0;
        for (const study::MappedJob& job : study::mappedJobs(outcome, run))
            if (run.schedule.jobs[job.job].core == static_cast<std::int32_t>(core.core))
                works += outcome.problem.latency[outcome.problem.pair(job.job, core.core)];
        EXPECT_EQ(cell(people, "runs", core.core), study::cyclesText(outcome.problem, works));
        EXPECT_EQ(cell(people, "utilisation", core.core), study::percentText(works / run.schedule.makespan));
        EXPECT_EQ(cell(sheet, "running_cycles", core.core), exactNumber(works));
        EXPECT_DOUBLE_EQ(running.y[core.core], works / outcome.problem.clock->value) << "as the picture says it";
    }
}

TEST(MappingPictures, manyStepsOfBandwidthAreDrawnOncePerPixel) {
    Timeline timeline;
    timeline.title = "many";
    timeline.tracks = {{"a", ""}, {"b", ""}};
    timeline.length = 1;
    timeline.events = {{.track = 0, .start = 0, .duration = 1, .name = "job", .category = "job"}};
    Timeline::Usage usage{.title = "Bandwidth"};
    constexpr int kSteps = 50'000;
    for (int step = 0; step < kSteps; ++step) {
        usage.times.push_back(static_cast<double>(step) / kSteps);
        usage.values.insert(usage.values.end(), {1e9, step % 2 == 0 ? 2e9 : 0});
    }
    timeline.usage = usage;
    const TimelineLayout layout = layOut(timeline, {}, {960, 420}, estimatedWidth);
    std::size_t points = 0;
    for (const Shape& shape : layout.drawing.shapes)
        if (const auto* path = std::get_if<Path>(&shape)) points += path->points.size();
    EXPECT_LT(points, 10'000U);
    EXPECT_DOUBLE_EQ(peakOf(timeline), 3e9);
    EXPECT_FALSE(stepAt(timeline, -1));
    EXPECT_EQ(stepAt(timeline, 2), kSteps - 1);
}

}  // namespace
}  // namespace tessera::report

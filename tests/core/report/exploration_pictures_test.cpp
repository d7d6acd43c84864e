// Explorations as pictures, and what is shown of them as studies.

#include "core/report/exploration_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/report/exploration_points.h"
#include "core/study/exploration/study.h"
#include "core/study/metric.h"
#include "core/study/study.h"

namespace tessera::report {
namespace {

using study::ExplorationOutcome;
using testing::HasSubstr;

/// Elements and dataflow of a small network's layers, against cycles and energy.
study::Result explored(const std::string& rest = R"("method": "grid", "points": 40)") {
    const std::string text =
        R"({"schema": "tessera.exploration/1", "name": "Small", "study": {"engine": "cost", "workloads": ["zoo:lenet5"],
            "parameters": {"pes": 256}},
            "variables": [{"parameter": "pes", "low": 64, "high": 1024, "scale": "log", "levels": 5},
                          {"parameter": "dataflow", "values": ["nvdla", "eyeriss"]}],
            "objectives": ["cycles", "energy_j"], )" +
        rest + "}";
    return study::run(study::readStudy(JsonDocument::parse(text, "x.json").root()));
}

const ExplorationOutcome& exploredBy(const study::Result& result) {
    return result.outcome.get<ExplorationOutcome>();
}

/// What is shown once only points with a value of a column within a range are.
PointStates exploredWithin(const study::Result& result, std::size_t column, Stretch range) {
    const explore::PointTable points = study::pointTableOf(exploredBy(result));
    PointStates states(points.size(), PointState::filtered);
    for (std::size_t i = 0; i < points.size(); ++i)
        if (const double value = valueOf(points.columns[column], i); value >= range.low && value <= range.high)
            states[i] = PointState::shown;
    return states;
}

TEST(ExplorationPictures, aFrontIsSaidInTheWordsOfItsMetrics) {
    const study::Result result = explored();
    ASSERT_EQ(exploredBy(result).points.size(), 10U);
    const Chart front = explorationFrontChart(exploredBy(result));
    EXPECT_EQ(front.id, "front");
    EXPECT_THAT(front.title, HasSubstr("best in"));
    EXPECT_EQ(front.y.title, exploredBy(result).titleOf("cycles"));
    const Chart progress = explorationProgressChart(exploredBy(result));
    EXPECT_THAT(progress.title, HasSubstr("of 10 points"));
    const ParallelPicture parallel = explorationParallel(exploredBy(result));
    EXPECT_GE(parallel.axes.size(), 4U);
    EXPECT_EQ(parallel.rows, study::pointTableOf(exploredBy(result)).size());
    EXPECT_FALSE(explorationFrontChart({}).empty.empty());
}

TEST(ExplorationPictures, numbersOfMetricsAreSaidAsResultsSayThem) {
    explore::PointColumn price{.id = "price_usd", .title = "Price of a step"};
    EXPECT_THAT(textOf(price, 3.25), testing::StartsWith("$3.2"));
    EXPECT_EQ(titleOf(price), "Price of a step ($)");
    explore::PointColumn variable{.id = "price_usd", .title = "Price"};
    variable.role = explore::PointColumn::Role::variable;
    EXPECT_EQ(textOf(variable, 3), "3");
}

TEST(ExplorationPictures, whatIsShownIsAStudyOfItsOwn) {
    const study::Result result = explored();
    const study::Study narrowed = narrowedStudy(result, exploredWithin(result, 0, {100, 600}), {{0, {100, 600}}});
    EXPECT_EQ(narrowed.name, "Small, narrowed");
    const Json& pes = narrowed.parameters->at("variables").at(0);
    EXPECT_GE(pes.at("low").get<double>(), 100);
    EXPECT_LE(pes.at("high").get<double>(), 600);
    EXPECT_TRUE(pes.at("low").is_number_integer());
    const study::Result again = study::run(narrowed);
    ASSERT_GT(exploredBy(again).points.size(), 0U);
    for (const study::ExploredPoint& point : exploredBy(again).points) {
        EXPECT_GE(point.values[0], 100);
        EXPECT_LE(point.values[0], 600);
    }
    // The category keeps its words.
    EXPECT_EQ(narrowed.parameters->at("variables").at(1).at("values"), (Json{"nvdla", "eyeriss"}));
    const study::Study one = narrowedStudy(result, exploredWithin(result, 1, {1, 1}), {});
    EXPECT_EQ(one.parameters->at("variables").at(1).at("values"), Json::array({"eyeriss"}));
    const study::Result ofOne = study::run(one);
    ASSERT_GT(exploredBy(ofOne).points.size(), 0U);
    for (const study::ExploredPoint& point : exploredBy(ofOne).points) EXPECT_EQ(point.values[1], 0);
}

TEST(ExplorationPictures, rangesOfResultsAreConstraintsBesideThoseThereAre) {
    const study::Result result = explored(R"("method": "grid", "points": 40, "constraints": ["cycles <= 1e12"])");
    const explore::PointTable points = study::pointTableOf(exploredBy(result));
    const std::size_t cycles = columnNamed(points, "cycles").value();
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        least = std::min(least, valueOf(points.columns[cycles], i));
        most = std::max(most, valueOf(points.columns[cycles], i));
    }
    ASSERT_LT(least, most);
    const double middle = std::sqrt(least * most);
    const Stretch range{least / 2, middle};
    const study::Study narrowed = narrowedStudy(result, exploredWithin(result, cycles, range), {{cycles, range}});
    const Json& constraints = narrowed.parameters->at("constraints");
    ASSERT_EQ(constraints.size(), 1U);
    EXPECT_FALSE(constraints[0].contains("min")) << "no point is below";
    EXPECT_EQ(constraints[0].at("max").get<double>(), middle);
    const study::Result again = study::run(narrowed);
    ASSERT_GT(exploredBy(again).points.size(), 0U);
    for (const study::ExploredPoint& point : exploredBy(again).points)
        EXPECT_EQ(point.isFeasible(), exploredBy(result).valueOf(point, "cycles") <= middle);
}

TEST(ExplorationPictures, aListOfPointsIsNarrowedToThoseShown) {
    const study::Result result = explored(
        R"("method": "list", "points": 3, "begin": [{"pes": 64, "dataflow": "nvdla"}, {"pes": 128, "dataflow": "eyeriss"},
                                                    {"pes": 512, "dataflow": "nvdla"}])");
    ASSERT_EQ(exploredBy(result).points.size(), 3U);
    const study::Study narrowed = narrowedStudy(result, exploredWithin(result, 0, {100, 600}), {});
    EXPECT_EQ(narrowed.parameters->at("begin"),
              (Json::array({{{"pes", 128}, {"dataflow", "eyeriss"}}, {{"pes", 512}, {"dataflow", "nvdla"}}})));
    EXPECT_EQ(exploredBy(study::run(narrowed)).points.size(), 2U);
}

study::RunPoint costRun(const char* pes, const char* dataflow) {
    study::RunPoint run{.name = std::string(dataflow) + " " + pes, .study = study::newStudy("cost")};
    run.study.workloads = {"zoo:lenet5"};
    study::setParameter(run.study, "pes", {pes});
    study::setParameter(run.study, "dataflow", {dataflow});
    run.metrics = study::metricsOf(study::run(run.study));
    return run;
}

TEST(ExplorationPictures, runsOfASweepAreExploredBetween) {
    std::vector<study::RunPoint> runs{costRun("64", "nvdla"), costRun("256", "nvdla"), costRun("256", "eyeriss"),
                                      costRun("1024", "eyeriss")};
    const study::Study study = explorationOfRuns(runs, {}, {});
    const study::Result result = study::run(study);
    const ExplorationOutcome& outcome = exploredBy(result);
    ASSERT_EQ(outcome.variables.size(), 2U);
    EXPECT_EQ(outcome.variable("pes")->range.low, 64);
    EXPECT_EQ(outcome.variable("pes")->range.high, 1024);
    EXPECT_EQ(outcome.variable("dataflow")->words, (std::vector<std::string>{"nvdla", "eyeriss"}));
    EXPECT_GT(outcome.feasible(), 0);
    // Of what is shown: what it has in common is no variable.
    const PointStates first{PointState::shown, PointState::shown, PointState::filtered, PointState::excluded};
    const study::Study fewer = explorationOfRuns(runs, first, {});
    ASSERT_EQ(fewer.parameters->at("variables").size(), 1U);
    EXPECT_EQ(fewer.parameters->at("variables")[0].at("high"), 256);
    EXPECT_THROW(explorationOfRuns({runs[1]}, {}, {}), UsageError);
    runs[3].study = study::newStudy("schedule");
    EXPECT_THROW(explorationOfRuns(runs, {}, {}), UsageError);
}

}  // namespace
}  // namespace tessera::report

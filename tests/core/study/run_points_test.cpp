#include "core/study/run_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tessera::study {
namespace {

using testing::ElementsAre;

RunPoint runOf(const char* hardware, const char* batch, double seconds) {
    RunPoint run{.name = std::string("run on ") + hardware, .study = newStudy("partition")};
    run.study.models = {"zoo:lenet5"};
    run.study.hardware = {hardware};
    if (*batch != 0) setParameter(run.study, "batch", {batch});
    if (seconds > 0)
        run.metrics = {
            {.name = "speedup_over_dp", .title = "Speed-up", .owner = {}, .value = 2, .better = Metric::Better::higher},
            {.name = "step_time_s",
             .title = "Step time",
             .owner = {},
             .value = seconds,
             .measure = Measure::seconds,
             .better = Metric::Better::lower},
            {.name = "accpar/step_time_s", .title = "Step time", .owner = "accpar", .value = 9}};
    return run;
}

const explore::PointColumn& columnOf(const explore::PointTable& points, const std::string& id) {
    for (const explore::PointColumn& column : points.columns)
        if (column.id == id) return column;
    throw std::logic_error("no column " + id);
}

TEST(RunPoints, variablesAreWhatStudiesDifferInAndMetricsThoseOfTheBest) {
    std::vector<RunPoint> runs{runOf("small", "256", 0.02), runOf("large", "512", 0.01), runOf("large", "1024", 0)};
    runs[2].failure = "nothing fits";
    const explore::PointTable points = pointTable(runs);
    ASSERT_EQ(points.size(), 3U);
    EXPECT_THAT(points.reasons, ElementsAre("", "", "nothing fits"));
    EXPECT_THAT(points.names, ElementsAre("run on small", "run on large", "run on large"));
    const explore::PointColumn& batch = columnOf(points, "batch");
    EXPECT_THAT(batch.values, ElementsAre(256, 512, 1024));
    EXPECT_EQ(batch.role, explore::PointColumn::Role::variable);
    const explore::PointColumn& hardware = columnOf(points, "hardware");
    EXPECT_THAT(hardware.words, ElementsAre("small", "large"));
    EXPECT_THAT(hardware.values, ElementsAre(0, 1, 1));
    const explore::PointColumn& step = columnOf(points, "step_time_s");
    EXPECT_EQ(step.measure, Measure::seconds);
    EXPECT_EQ(step.better, explore::PointColumn::Better::lower);
    EXPECT_EQ(step.values[1], 0.01);
    EXPECT_TRUE(std::isnan(step.values[2]));
    EXPECT_EQ(columnOf(points, "speedup_over_dp").unit, "×");
    for (const explore::PointColumn& column : points.columns) {
        EXPECT_EQ(column.values.size(), 3U) << column.id;
        EXPECT_NE(column.id, "models") << "the same in all";
        EXPECT_NE(column.id, "accpar/step_time_s") << "not of the best";
    }
}

TEST(RunPoints, theObjectiveOfTheEngineComesFirst) {
    std::vector<RunPoint> runs;
    for (const double objective : {1.0, 2.0})
        runs.push_back({.name = "search",
                        .study = newStudy("codesign"),
                        .metrics = {{.name = "area_mm2", .title = "Area", .owner = {}, .value = 100},
                                    {.name = "objective", .title = "Objective", .owner = {}, .value = objective}}});
    const explore::PointTable points = pointTable(runs);
    EXPECT_EQ(points.columns.front().id, "objective");
    EXPECT_EQ(points.columns.front().role, explore::PointColumn::Role::objective);
    EXPECT_EQ(columnOf(points, "area_mm2").role, explore::PointColumn::Role::metric);
}

TEST(RunPoints, whatAStudyLeavesOutIsAtItsDefault) {
    const explore::PointTable points = pointTable({runOf("f", "", 1), runOf("f", "64", 1)});
    const explore::PointColumn& batch = columnOf(points, "batch");
    ASSERT_EQ(batch.values.size(), 2U);
    EXPECT_TRUE(std::isfinite(batch.values[0]));
    EXPECT_NE(batch.values[0], 64);
    EXPECT_EQ(batch.values[1], 64);
    const explore::PointTable same = pointTable({runOf("f", "64", 1), runOf("f", "64", 2)});
    for (const explore::PointColumn& column : same.columns)
        EXPECT_NE(column.role, explore::PointColumn::Role::variable) << column.id;
    EXPECT_EQ(pointTable(std::vector<RunPoint>()).size(), 0U);
}

}  // namespace
}  // namespace tessera::study

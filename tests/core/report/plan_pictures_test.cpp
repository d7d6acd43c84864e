#include "core/report/plan_pictures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/draw/chart_layout.h"
#include "core/report/catalogue.h"
#include "core/report/plan_beside.h"
#include "core/report/plan_links.h"
#include "core/report/plan_points.h"
#include "core/study/plan/study.h"
#include "tests/support/plan_result.h"

namespace tessera::report {
namespace {

using study::PlanOutcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const PlanOutcome& planOf(const study::Result& result) {
    return result.outcome.get<PlanOutcome>();
}

Drawing clusterOf(const study::Result& result, const std::string& rank = {}, double width = 960,
                  ClusterColour colour = ClusterColour::memory) {
    return planClusterDrawing(planOf(result), rank, colour, width, estimatedWidth);
}

/// Cells of accelerators: the boxes that say something.
std::vector<Box> cellsOf(const Drawing& drawing) {
    std::vector<Box> cells;
    for (const Shape& shape : drawing.shapes)
        if (const auto* box = std::get_if<Box>(&shape); box != nullptr && !box->tip.empty()) cells.push_back(*box);
    return cells;
}

std::vector<std::string> textsOf(const Drawing& drawing) {
    std::vector<std::string> texts;
    for (const Shape& shape : drawing.shapes)
        if (const auto* label = std::get_if<Label>(&shape)) texts.push_back(label->text);
    return texts;
}

Rect areaOf(const Label& label) {
    const double wide = estimatedWidth(label.text, label.size, label.strong);
    const double left = label.anchor == Anchor::end      ? label.at.x - wide
                        : label.anchor == Anchor::middle ? label.at.x - wide / 2
                                                         : label.at.x;
    return {left, label.at.y - label.size * 0.8, wide, static_cast<double>(label.size)};
}

bool meet(const Rect& a, const Rect& b) {
    constexpr double kHair = 0.5;
    return a.x + kHair < b.right() && b.x + kHair < a.right() && a.y + kHair < b.bottom() && b.y + kHair < a.bottom();
}

/// Texts that lie over each other or leave the drawing.
std::vector<std::string> misplaced(const std::vector<const Drawing*>& drawings, const Rect& whole) {
    std::vector<const Label*> labels;
    for (const Drawing* drawing : drawings)
        for (const Shape& shape : drawing->shapes)
            if (const auto* label = std::get_if<Label>(&shape);
                label != nullptr && label->angle == 0 && !label->text.empty())
                labels.push_back(label);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Rect area = areaOf(*labels[i]);
        if (area.x < whole.x - 1 || area.right() > whole.right() + 1 || area.bottom() > whole.bottom() + 1)
            found.push_back(labels[i]->text + " leaves the picture");
        for (std::size_t j = 0; j < i; ++j)
            if (meet(area, areaOf(*labels[j]))) found.push_back(labels[i]->text + " on " + labels[j]->text);
    }
    return found;
}

std::vector<std::string> misplaced(const Chart& chart, Size size) {
    const ChartLayout layout = layOut(chart, {}, size, estimatedWidth);
    return misplaced({&layout.back, &layout.front}, {0, 0, size.width, size.height});
}

std::vector<std::string> misplaced(const Drawing& drawing) {
    return misplaced({&drawing}, {0, 0, drawing.width, drawing.height});
}

const Series* planSeries(const Chart& chart, const std::string& id) {
    const auto found =
        std::find_if(chart.series.begin(), chart.series.end(), [&](const Series& series) { return series.id == id; });
    return found == chart.series.end() ? nullptr : &*found;
}

TEST(PlanPictures, aClusterHasACellForEachAcceleratorAndSaysWhatJoinsThem) {
    const study::Result& result = test::smallPlan();
    for (const double width : {500.0, 960.0, 1013.0, 1650.0}) {
        const Drawing drawing = clusterOf(result, {}, width);
        EXPECT_EQ(cellsOf(drawing).size(), 128U) << width;
        EXPECT_EQ(drawing.width, width);
        EXPECT_LE(drawing.height, std::max(430.0, 0.42 * width) + 1) << width;
        EXPECT_THAT(misplaced(drawing), testing::IsEmpty()) << width;
        EXPECT_THAT(textsOf(drawing), testing::Contains(HasSubstr("16 nodes of 8"))) << width;
    }
    EXPECT_THAT(textsOf(clusterOf(result)), testing::Contains(HasSubstr("network of ")));
}

TEST(PlanPictures, aClusterShowsTheStagesOfTheChosenConfiguration) {
    const PlanOutcome& outcome = planOf(test::smallPlan());
    for (const std::size_t rank : {std::size_t{1}, std::size_t{5}, outcome.configurations.size()}) {
        const plan::Evaluated& its = outcome.configurations[rank - 1];
        std::set<std::string> stages;
        for (const Box& cell : cellsOf(clusterOf(test::smallPlan(), std::to_string(rank))))
            stages.insert(cell.tip.substr(0, cell.tip.find(',')));
        EXPECT_EQ(stages.size(), its.stages.size()) << rank;
        EXPECT_EQ(cellsOf(clusterOf(test::smallPlan(), std::to_string(rank))).size(),
                  static_cast<std::size_t>(its.configuration.accelerators()));
    }
    EXPECT_NE(toSvg(clusterOf(test::smallPlan(), "1"), Theme(ThemeKind::light)),
              toSvg(clusterOf(test::smallPlan(), "20"), Theme(ThemeKind::light)));
}

TEST(PlanPictures, podsAreDrawnInBlocksAndGroupsBelowEachOther) {
    const study::Result& pod = test::planned("zoo:llama2-7b", "tpu-v3-pod", 1024, {{"fix", "tp=1,pp=4"}});
    const Drawing drawing = clusterOf(pod);
    EXPECT_EQ(cellsOf(drawing).size(), 1024U);
    EXPECT_THAT(textsOf(drawing), testing::Contains(HasSubstr("drawn in blocks of 64")));
    EXPECT_THAT(misplaced(drawing), testing::IsEmpty());
    EXPECT_LT(drawing.height, 700);
    const Drawing mixed = clusterOf(test::mixedPlan());
    EXPECT_THAT(textsOf(mixed), testing::IsSupersetOf({std::string("32 × h100"), std::string("32 × h200")}));
    EXPECT_THAT(misplaced(mixed), testing::IsEmpty());
}

/// A configuration that takes the first stages from a group and the others from another one.
study::PlanOutcome stackedPlan() {
    return planOf(test::planned("zoo:llama2-7b", "h100-h200-mixed", 256, {{"fix", "pp=8,dp=4"}, {"top", 200}}));
}

TEST(PlanPictures, linksBetweenGroupsAreDrawnWithTheirRate) {
    const study::PlanOutcome outcome = stackedPlan();
    std::size_t across = 0, alone = 0;
    for (std::size_t i = 0; i < outcome.configurations.size(); ++i) {
        const plan::Configuration& configuration = outcome.configurations[i].configuration;
        const std::vector<LinkLane> lanes = linkLanes(outcome, configuration);
        ASSERT_EQ(lanes.size(), 1U);
        EXPECT_EQ(lanes[0].rate, 50e9);
        EXPECT_THAT(lanes[0].groups, ElementsAre(0U, 1U));
        EXPECT_EQ(lanes[0].inUse, configuration.parts.size() > 1);
        EXPECT_THAT(lanes[0].text, testing::StartsWith("50 GB/s each between the groups"));
        const Drawing drawing =
            planClusterDrawing(outcome, std::to_string(i + 1), ClusterColour::time, 960, estimatedWidth);
        EXPECT_THAT(textsOf(drawing), testing::Contains(lanes[0].text));
        std::size_t used = 0;
        for (const Shape& shape : drawing.shapes)
            if (const auto* path = std::get_if<Path>(&shape); path != nullptr && path->stroke == "accent") ++used;
        EXPECT_EQ(used > 0, lanes[0].inUse);
        ++(lanes[0].inUse ? across : alone);
    }
    EXPECT_GT(across, 0U);
    EXPECT_GT(alone, 0U);
}

TEST(PlanPictures, groupsOfOneRateShareALane) {
    study::PlanOutcome outcome = planOf(test::mixedPlan());
    outcome.groups = {outcome.groups[0], outcome.groups[0], outcome.groups[0], outcome.groups[0]};
    for (std::size_t g = 0; g < outcome.groups.size(); ++g) outcome.groups[g].name = std::string(1, char('a' + g));
    outcome.links = {{0, 1, 50e9}, {0, 2, 25e9}, {0, 3, 25e9}, {1, 2, 25e9}, {1, 3, 25e9}, {2, 3, 50e9}};
    const plan::Configuration configuration{.pipeline = 4, .parts = {{1, 2, 1, 8}, {2, 2, 1, 8}}};
    const std::vector<LinkLane> lanes = linkLanes(outcome, configuration);
    ASSERT_EQ(lanes.size(), 3U);
    EXPECT_EQ(lanes[0].text, "50 GB/s each between a and b");
    EXPECT_EQ(lanes[1].text, "50 GB/s each between c and d");
    EXPECT_EQ(lanes[2].text, "25 GB/s each between the groups: the pipeline passes here");
    EXPECT_THAT(lanes[2].groups, ElementsAre(0U, 1U, 2U, 3U));
    for (const double width : {500.0, 960.0, 1650.0})
        EXPECT_THAT(misplaced(planClusterDrawing(outcome, "1", ClusterColour::memory, width, estimatedWidth)),
                    testing::IsEmpty());
}

TEST(PlanPictures, sharesOfTimeAddUpToTheStep) {
    const PlanOutcome& outcome = planOf(test::smallPlan());
    const Chart whole = planTimeChart(outcome), overhead = planOverheadChart(outcome);
    ASSERT_EQ(whole.x.categories.size(), outcome.configurations.size());
    EXPECT_EQ(planSeries(overhead, "compute"), nullptr);
    for (std::size_t i = 0; i < outcome.configurations.size(); ++i) {
        double sum = 0;
        for (const Series& series : whole.series) sum += series.y[i];
        const double step = outcome.configurations[i].scores.of(plan::Objective::time);
        EXPECT_NEAR(sum, step, 2e-3 * step) << i;
        EXPECT_THAT(whole.x.categories[i], testing::StartsWith(std::to_string(i + 1) + ": "));
    }
    EXPECT_EQ(std::set<std::string>(whole.x.categories.begin(), whole.x.categories.end()).size(),
              whole.x.categories.size());
}

TEST(PlanBesidePictures, scalingShowsWhatEachAcceleratorDoes) {
    const PlanOutcome& outcome = planOf(test::largePlan());
    const Chart chart = planScalingChart(outcome);
    const Series* planned = planSeries(chart, "planned");
    const Series* nothing = planSeries(chart, "nothing");
    ASSERT_NE(planned, nullptr);
    ASSERT_NE(nothing, nullptr) << "175 billion parameters on 16 A100";
    EXPECT_EQ(planned->x.size() + nothing->x.size(), outcome.scaling.size());
    EXPECT_THAT(nothing->valueTexts.front(), HasSubstr("16 accelerators: each accelerator lacks"));
    const auto whole = std::find(planned->x.begin(), planned->x.end(), 128) - planned->x.begin();
    EXPECT_NEAR(planned->y[static_cast<std::size_t>(whole)],
                outcome.best()->tokensPerSecond / outcome.best()->scores.of(plan::Objective::accelerators), 1e-9);
    EXPECT_THAT(planned->labels[static_cast<std::size_t>(whole)], testing::StartsWith("128: "));
    const Series* band = planSeries(chart, "interval");
    ASSERT_NE(band, nullptr);
    for (std::size_t i = 0; i < planned->y.size(); ++i) {
        EXPECT_LT(band->low[i], planned->y[i]);
        EXPECT_GT(band->y[i], planned->y[i]);
    }
    EXPECT_EQ(planScalingTable(outcome).rows.size(), outcome.scaling.size());
    EXPECT_THAT(planScalingTable(outcome).rows.front().back(), testing::StartsWith("nothing fits: "));
    EXPECT_EQ(planScalingChart(planOf(test::emptyPlan())).empty, kNoPlan);
}

TEST(PlanBesidePictures, publishedRunsAreDiamonds) {
    const PlanOutcome& outcome = planOf(test::measuredPlan());
    ASSERT_FALSE(outcome.measured.empty());
    const Chart scaling = planScalingChart(outcome), steps = planTimeChart(outcome);
    const Series* marks = planSeries(scaling, "measured");
    ASSERT_NE(marks, nullptr);
    ASSERT_EQ(marks->x.size(), outcome.measured.size());
    for (std::size_t i = 0; i < marks->x.size(); ++i) {
        EXPECT_EQ(marks->x[i], static_cast<double>(outcome.measured[i].accelerators));
        EXPECT_EQ(marks->y[i], outcome.measured[i].tokensPerSecond);
        EXPECT_THAT(marks->valueTexts[i], HasSubstr("tokens/s measured on "));
        EXPECT_THAT(marks->valueTexts[i], HasSubstr(" predicted for it"));
    }
    // Beside the bars, the step that each means for the best.
    ASSERT_EQ(steps.x.categories.size(), outcome.configurations.size() + 1);
    EXPECT_EQ(steps.x.categories.back(), "Published runs");
    const Series* lines = planSeries(steps, "measured");
    ASSERT_NE(lines, nullptr);
    const double used = outcome.best()->scores.of(plan::Objective::accelerators);
    for (std::size_t i = 0; i < lines->x.size(); ++i) {
        EXPECT_EQ(lines->x[i], static_cast<double>(outcome.configurations.size()));
        EXPECT_NEAR(lines->y[i] * outcome.measured[i].tokensPerSecond * used, 1536.0 * 2048, 1e-3);
    }
    EXPECT_EQ(planSeries(planOverheadChart(outcome), "measured"), nullptr);
}

TEST(PlanBesidePictures, aTableSaysWhatDiffers) {
    const PlanOutcome& outcome = planOf(test::measuredPlan());
    const Table table = planMeasuredTable(outcome), exact = exactPlanMeasuredTable(outcome);
    ASSERT_EQ(table.rows.size(), outcome.measured.size() + 1);
    EXPECT_EQ(table.rows[0][0], "this plan");
    EXPECT_EQ(table.rows[1][0], "measured");
    EXPECT_EQ(exact.rows[1].back(), outcome.measured[0].id);
    EXPECT_THAT(planMeasuredSentence(outcome), testing::StartsWith("Others measured this model on h100: "));
    EXPECT_THAT(planMeasuredSentence(outcome), HasSubstr("; this plan: "));
    PlanOutcome other = outcome;
    other.measured.clear();
    other.measuredElsewhere = {{"fp16", 2}};
    EXPECT_EQ(planMeasuredSentence(other), "Others measured this model on h100 in fp16 (2 runs), not in bf16 or fp8.");
    EXPECT_TRUE(planMeasuredTable(other).rows.empty());
    EXPECT_EQ(planSeries(planTimeChart(other), "measured"), nullptr);
    other.measuredElsewhere.clear();
    EXPECT_EQ(planMeasuredSentence(other), "");
}

TEST(PlanBesidePictures, barsSayWhatIsLeast) {
    const PlanOutcome& outcome =
        planOf(test::planned("zoo:llama2-7b", "h100-h200-mixed", 256, {{"objective", "price"}, {"fix", "tp=1,pp=4"}}));
    const Chart chart = planTimeChart(outcome);
    ASSERT_GT(chart.endTexts.size(), 5U);
    EXPECT_THAT(chart.endTexts.front(), testing::MatchesRegex("[0-9.]+ s, \\$[0-9.]+"));
    EXPECT_THAT(chart.endTexts.back(), testing::MatchesRegex("[0-9.]+ s, \\$[0-9.]+, \\+[0-9.]+ %"));
    for (const std::string& name : chart.x.categories) EXPECT_THAT(name, testing::Not(HasSubstr("dp 1 ")));
}

TEST(PlanPictures, labelsNeitherCollideNorLeaveThePicture) {
    for (const study::Result* result : {&test::smallPlan(), &test::mixedPlan(), &test::measuredPlan()}) {
        const PlanOutcome& outcome = planOf(*result);
        for (const Size size : {Size{1010, 480}, Size{960, 420}, Size{1650, 780}}) {
            for (const Chart& chart :
                 {planTimeChart(outcome), planOverheadChart(outcome), planMemoryChart(outcome, "1"),
                  planFrontChart(outcome), planSensitivityChart(outcome), planCountChart(outcome),
                  planScalingChart(outcome)})
                EXPECT_THAT(misplaced(chart, size), testing::IsEmpty()) << chart.id << " " << size.width;
        }
    }
}

TEST(PlanPictures, memoryIsBelowTheCapacityOfEachStage) {
    const PlanOutcome& outcome = planOf(test::mixedPlan());
    for (const char* rank : {"1", "7"}) {
        const Chart chart = planMemoryChart(outcome, rank);
        const Series* capacity = planSeries(chart, "capacity");
        ASSERT_NE(capacity, nullptr);
        ASSERT_EQ(chart.x.categories.size(), outcome.ranked(rank)->stages.size());
        for (std::size_t s = 0; s < chart.x.categories.size(); ++s) {
            double sum = 0;
            for (const Series& series : chart.series)
                if (series.mark == Mark::stackedBars) sum += series.y[s];
            EXPECT_LE(sum, capacity->y[s]) << rank << " " << s;
        }
    }
}

TEST(PlanPictures, pointsAreTheBestConfigurationsByRankThenTheFront) {
    const PlanOutcome& outcome = planOf(test::smallPlan());
    const explore::PointTable points = pointTable(outcome);
    ASSERT_GT(points.size(), outcome.configurations.size());
    for (std::size_t rank = 0; rank < outcome.configurations.size(); ++rank) {
        EXPECT_EQ(points.names[rank], plan::shortText(outcome.configurations[rank].configuration));
        EXPECT_EQ(hasMark(points, rank, explore::kChosen), rank == 0);
    }
    const auto front = static_cast<std::size_t>(std::count_if(points.marks.begin(), points.marks.end(),
                                                              [](auto mark) { return (mark & explore::kFront) != 0; }));
    EXPECT_EQ(front, outcome.front.size());
    const auto& tensor = points.columns[columnNamed(points, "tensor_parallel").value()];
    const auto& schedule = points.columns[columnNamed(points, "schedule").value()];
    for (std::size_t rank = 0; rank < outcome.configurations.size(); ++rank) {
        const plan::Configuration& its = outcome.configurations[rank].configuration;
        EXPECT_EQ(tensor.values[rank], its.tensor);
        EXPECT_EQ(textOf(schedule, schedule.values[rank]),
                  its.pipeline > 1 ? std::string(physical::nameOf(its.schedule)) : "no pipeline");
    }
}

TEST(PlanPictures, pointsOnTheFrontAreLabelledByTheirDegrees) {
    const PlanOutcome& outcome = planOf(test::smallPlan());
    const explore::PointTable points = pointTable(outcome);
    for (std::size_t rank = 0; rank < outcome.configurations.size(); ++rank) {
        const plan::Configuration& its = outcome.configurations[rank].configuration;
        std::string degrees;
        for (const auto& [name, degree] : {std::pair("tp", its.tensor),
                                           {"pp", its.pipeline},
                                           {"dp", its.data},
                                           {"cp", its.context},
                                           {"ep", its.expert}})
            if (degree > 1) degrees += fmt::format("{}{} {}", degrees.empty() ? "" : " · ", name, degree);
        EXPECT_EQ(report::labelOf(points, rank), degrees.empty() ? "tp 1" : degrees);
    }
    const Chart chart = planFrontChart(outcome);
    std::size_t labels = 0;
    for (const Series& series : chart.series)
        for (std::size_t i = 0; i < series.labels.size(); ++i) {
            if (series.labels[i].empty()) continue;
            ++labels;
            EXPECT_THAT(series.labels[i], Not(HasSubstr("="))) << "short beside a point";
            EXPECT_THAT(series.valueTexts[i], HasSubstr("tp=")) << "whole where it is pointed at";
        }
    EXPECT_GT(labels, 0U);
}

TEST(PlanPictures, whatIsShownIsPlannedAgain) {
    const study::Result& plan = test::smallPlan();
    const explore::PointTable points = pointTable(planOf(plan));
    const auto& tensor = points.columns[columnNamed(points, "tensor_parallel").value()];
    const double last = valueOf(tensor, points.size() - 1);
    PointStates states(points.size(), PointState::filtered);
    bool others = false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (valueOf(tensor, i) == last)
            states[i] = PointState::shown;
        else
            others = true;
    ASSERT_TRUE(others);
    const study::Study narrowed = narrowedPlan(plan, states);
    const auto allow = narrowed.parameters->at("allow").get<std::string>();
    EXPECT_THAT(allow, testing::HasSubstr("tp=" + std::to_string(static_cast<int>(last))));
    const study::Result again = study::run(narrowed);
    ASSERT_FALSE(planOf(again).configurations.empty());
    for (const auto& each : planOf(again).configurations) EXPECT_EQ(each.configuration.tensor, last);
    // Where nothing is left out, nothing is asked for.
    EXPECT_EQ(narrowedPlan(plan, {}).parameters, plan.study.parameters);
}

TEST(PlanPictures, aFrontOfAnyTwoValuesHasNoPointThatAnotherBeats) {
    const explore::PointTable points = pointTable(planOf(test::smallPlan()));
    for (std::size_t x = 0; x < points.columns.size(); ++x)
        for (std::size_t y = 0; y < points.columns.size(); ++y) {
            if (points.columns[x].better != explore::PointColumn::Better::lower ||
                points.columns[y].better != explore::PointColumn::Better::lower)
                continue;
            const std::vector<double>&across = points.columns[x].values, &up = points.columns[y].values;
            const std::vector<std::size_t> front = frontOf(points, x, y);
            ASSERT_FALSE(front.empty());
            for (const std::size_t its : front)
                for (std::size_t other = 0; other < points.size() && !hasMark(points, other, explore::kMeasured);
                     ++other)
                    EXPECT_FALSE(across[other] <= across[its] && up[other] <= up[its] &&
                                 (across[other] < across[its] || up[other] < up[its]));
            const PointScatter scatter = scatterOf(points, {.x = x, .y = y});
            std::size_t drawn = 0;
            for (const auto& its : scatter.points) drawn += its.size();
            std::size_t known = 0;
            for (std::size_t i = 0; i < points.size(); ++i)
                known += std::isfinite(across[i]) && std::isfinite(up[i]) ? 1 : 0;
            EXPECT_EQ(drawn, known);
        }
}

TEST(PlanPictures, whatOthersMeasuredIsMarkedAndOnNoFront) {
    const PlanOutcome& outcome = planOf(test::measuredPlan());
    const explore::PointTable points = pointTable(outcome);
    const std::size_t time = columnNamed(points, "time").value(), count = columnNamed(points, "accelerators").value();
    std::size_t measured = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!hasMark(points, i, explore::kMeasured)) continue;
        const study::MeasuredBeside& run = outcome.measured[measured++];
        EXPECT_EQ(points.columns[count].values[i], static_cast<double>(run.accelerators));
        EXPECT_NEAR(points.columns[time].values[i] * run.tokensPerSecond * static_cast<double>(run.accelerators),
                    outcome.globalBatch * outcome.sequence, 1e-3);
        const std::vector<std::size_t> front = frontOf(points, count, time);
        EXPECT_EQ(std::find(front.begin(), front.end(), i), front.end());
        const auto& tensor = points.columns[columnNamed(points, "tensor_parallel").value()];
        EXPECT_TRUE(run.of(plan::Axis::tensor) > 0 ? tensor.values[i] == run.of(plan::Axis::tensor)
                                                   : std::isnan(tensor.values[i]));
    }
    EXPECT_EQ(measured, outcome.measured.size());
}

TEST(PlanPictures, moreAcceleratorsStandBesideIdealScaling) {
    const explore::PointTable points = pointTable(planOf(test::smallPlan()));
    const std::size_t x = columnNamed(points, "accelerators").value(), y = columnNamed(points, "time").value();
    const ScatterExtras extras = planExtras(points, x, y);
    EXPECT_THAT(extras.title, HasSubstr("accelerators a step gets"));
    ASSERT_EQ(extras.beside.size(), 1U);
    for (std::size_t i = 0; i < extras.beside[0].x.size(); ++i)
        EXPECT_LE(extras.beside[0].y[i], points.columns[y].values[frontOf(points, x, y)[i]] * (1 + 1e-12));
    EXPECT_TRUE(planExtras(points, y, x).beside.empty());
}

TEST(PlanPictures, everyConfigurationIsAChoiceOfTheCatalogue) {
    const study::Result& result = test::smallPlan();
    EXPECT_EQ(selectionOf(result, "").choice, "1");
    EXPECT_EQ(selectionOf(result, "20").choice, "20");
    EXPECT_THROW(selectionOf(result, "21"), UsageError);
    const PictureRow& memory = pictureNamed("plan", "memory");
    EXPECT_EQ(titleOf(memory, result, selectionOf(result, "3")), "Memory of configuration 3");
    const study::RunContext none;
    for (const PictureRow& row : catalogueOf("plan").pictures)
        for (const char* choice : {"1", "12"}) {
            const Selection at = selectionOf(result, choice);
            EXPECT_FALSE(toSvg(row.make({result, at, none}), Theme(ThemeKind::dark)).empty()) << row.id;
        }
    const Selection at = selectionOf(result, "4");
    EXPECT_EQ(tableNamed("plan", "stages").make({result, at, none}).rows.size(),
              planOf(result).configurations[3].stages.size());
}

TEST(PlanPictures, whereNothingFitsThePicturesSayIt) {
    const study::Result& result = test::emptyPlan();
    const PlanOutcome& outcome = planOf(result);
    ASSERT_EQ(outcome.best(), nullptr);
    EXPECT_THAT(textsOf(clusterOf(result)), ElementsAre(kNoPlan));
    for (const Chart& chart : {planTimeChart(outcome), planMemoryChart(outcome, ""), planFrontChart(outcome)})
        EXPECT_EQ(chart.empty, kNoPlan) << chart.id;
    EXPECT_FALSE(planCountChart(outcome).series.front().x.empty());
}

study::PlanAnswer answerTo(const study::Result& result, const std::string& configuration) {
    return study::askPlan(result.study, planOf(result).fleet, configuration, {});
}

TEST(PlanAnswer, saysWhatAConfigurationCosts) {
    const study::Result& result = test::smallPlan();
    const study::PlanAnswer answer = answerTo(result, "tp=8,pp=16,mb=1");
    ASSERT_TRUE(answer.asked.evaluated);
    const std::vector<std::string> sentences = planAnswerSentences(planOf(result), answer.asked);
    ASSERT_EQ(sentences.size(), 2U);
    EXPECT_THAT(sentences[0], HasSubstr("% more than the best"));
    EXPECT_THAT(sentences[1], HasSubstr("Against the best: +"));
    const std::vector<Chart> charts = planAnswerCharts(planOf(result), answer);
    ASSERT_EQ(charts.size(), 2U);
    EXPECT_EQ(charts[0].x.categories.size(), 2U);
    for (const Chart& chart : charts) EXPECT_THAT(misplaced(chart, {1010, 360}), testing::IsEmpty());
}

TEST(PlanAnswer, knowsTheBestItself) {
    const study::Result& result = test::smallPlan();
    const study::PlanAnswer answer = answerTo(result, plan::shortText(planOf(result).best()->configuration));
    EXPECT_THAT(planAnswerSentences(planOf(result), answer.asked), ElementsAre(HasSubstr("the best itself")));
}

TEST(PlanAnswer, saysWhatBreaks) {
    const study::Result& result = test::smallPlan();
    const auto misfitOf = [&](const std::string& configuration) {
        return planAnswerSentences(planOf(result), answerTo(result, configuration).asked).front();
    };
    EXPECT_THAT(misfitOf("tp=7"), HasSubstr("does not divide 64 heads"));
    EXPECT_THAT(misfitOf("pp=200"), HasSubstr("more than 80 layers"));
    EXPECT_THAT(misfitOf("dp=3"), HasSubstr("do not divide the global batch"));
    EXPECT_THAT(misfitOf("ep=2"), HasSubstr("needs a model with experts"));
    const study::PlanAnswer full = answerTo(result, "tp=1,pp=1,recompute=none,zero=0");
    EXPECT_FALSE(full.asked.evaluated);
    ASSERT_TRUE(full.closest);
    EXPECT_THAT(full.asked.misfit, HasSubstr("lacks"));
    const std::vector<Chart> charts = planAnswerCharts(planOf(result), full);
    ASSERT_EQ(charts.size(), 1U);
    EXPECT_NE(planSeries(charts[0], "capacity"), nullptr);
    EXPECT_THROW(answerTo(result, "tq=3"), UsageError);
}

TEST(PlanAnswer, endsWhereItIsCancelled) {
    std::stop_source source;
    source.request_stop();
    study::RunContext context;
    context.cancel = source.get_token();
    const study::Result& result = test::smallPlan();
    EXPECT_THROW(study::askPlan(result.study, planOf(result).fleet, "tp=8", context), InterruptedError);
}

}  // namespace
}  // namespace tessera::report

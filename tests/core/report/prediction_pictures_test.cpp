#include "core/report/prediction_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/draw/chart_layout.h"
#include "core/report/catalogue.h"
#include "core/report/measured_marks.h"
#include "core/report/prediction_report.h"
#include "core/study/prediction/study.h"
#include "core/study/study.h"
#include "tests/support/prediction_result.h"

namespace tessera::report {
namespace {

const Series* findSeries(const Chart& chart, const std::string& id) {
    for (const Series& series : chart.series)
        if (series.id == id) return &series;
    return nullptr;
}

bool saysIn(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool notes(const Chart& chart, const std::string& part) {
    return std::any_of(chart.notes.begin(), chart.notes.end(),
                       [&](const std::string& note) { return saysIn(note, part); });
}

/// How many cells each line of a CSV has; a comma or line end inside of quotes is part of a cell.
std::vector<std::size_t> cellsByLine(const std::string& csv) {
    std::vector<std::size_t> cells;
    std::size_t count = 1;
    bool quoted = false;
    for (const char c : csv) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) ++count;
        if (c != '\n' || quoted) continue;
        cells.push_back(count);
        count = 1;
    }
    return cells;
}

/// Labels that lie over each other; texts are as wide as the estimate says.
std::vector<std::string> overlaps(const Chart& chart, Size size) {
    const ChartLayout layout = layOut(chart, {}, size, estimatedWidth);
    std::vector<std::pair<Rect, std::string>> texts;
    for (const Drawing* drawing : {&layout.back, &layout.front})
        for (const Shape& shape : drawing->shapes)
            if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->angle == 0) {
                if (label->text.empty()) continue;
                const double wide = estimatedWidth(label->text, label->size, label->strong);
                const double left = label->anchor == Anchor::end      ? label->at.x - wide
                                    : label->anchor == Anchor::middle ? label->at.x - wide / 2
                                                                      : label->at.x;
                texts.emplace_back(Rect{left, label->at.y - label->size * 0.75, wide, label->size * 0.8}, label->text);
            }
    std::vector<std::string> found;
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const Rect &a = texts[i].first, &b = texts[j].first;
            if (a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom())
                found.push_back(texts[i].second + " | " + texts[j].second);
        }
    return found;
}

class PredictionPictures : public testing::Test {
protected:
    study::PredictionOutcome outcome = test::handMadePredictions();
    const predict::Prediction& swift = *predictionOf(outcome, "swift", 1);
    const predict::Prediction& small = *predictionOf(outcome, "small", 1);
};

TEST_F(PredictionPictures, knowAcceleratorsAndNumbersOfDevices) {
    ASSERT_EQ(acceleratorsOf(outcome).size(), 4U);
    EXPECT_EQ(acceleratorsOf(outcome)[0].id, "swift");
    EXPECT_NE(acceleratorsOf(outcome)[0].colour, acceleratorsOf(outcome)[1].colour);
    EXPECT_EQ(deviceCountsOf(outcome), (std::vector<std::int64_t>{1, 8}));
    EXPECT_EQ(predictionOf(outcome, "nobody", 1), nullptr);
}

TEST_F(PredictionPictures, throughputStandsBestFirstWithItsError) {
    const Chart chart = throughputChart(outcome, 1);
    EXPECT_EQ(chart.x.categories, (std::vector<std::string>{"swift", "free", "cheap", "small"}));
    EXPECT_EQ(chart.title, "swift or free: too close to call on 1 device (584 samples/s to 438 samples/s)");
    const Series* best = findSeries(chart, "swift");
    ASSERT_NE(best, nullptr);
    EXPECT_EQ(best->y.front(), swift.throughput);
    EXPECT_DOUBLE_EQ(best->low.front(), swift.throughput * (1 + swift.error.low));
    EXPECT_DOUBLE_EQ(best->high.front(), swift.throughput * (1 + swift.error.high));
    EXPECT_TRUE(notes(chart, "Probability that this ranking of 3 is correct: "));
    // What does not fit stands there with its reason.
    EXPECT_EQ(findSeries(chart, "small"), nullptr);
    EXPECT_EQ(chart.endTexts.back(), "does not fit");
    EXPECT_TRUE(notes(chart, "small does not fit: batch 64 needs 2 GB more"));
}

TEST_F(PredictionPictures, nameNoWinnerWhereErrorsLeaveItOpen) {
    for (predict::Prediction& one : outcome.predictions) {
        if (one.infeasible || one.devices != 1) continue;
        const double value = one.accelerator == "swift" ? 100'455 : one.accelerator == "cheap" ? 97'634 : 1'000;
        one.throughput = value;
        one.samplesPerUsd = value / 4;
        one.trainingCostUsd = 4e8 / value;
        one.trainingTime = Seconds{1e8 / value};
        one.error = predict::errorOf("assumed");
    }
    outcome.ranking = predict::rankingsOf(outcome.predictions, 1);
    const Chart chart = throughputChart(outcome, 1);
    EXPECT_EQ(chart.title, "swift or cheap: too close to call on 1 device (100,000 samples/s to 97,600 samples/s)");
    EXPECT_EQ(findSeries(chart, "swift")->valueTexts.front(), "100,000 samples/s −56/+128 %");
    EXPECT_TRUE(saysIn(pricePerformanceChart(outcome, 1).title, ": too close to call on 1 device"))
        << pricePerformanceChart(outcome, 1).title;
    EXPECT_TRUE(saysIn(trainingCostChart(outcome, 1).title, ": too close to call on 1 device"))
        << trainingCostChart(outcome, 1).title;
}

TEST_F(PredictionPictures, valuesStandBehindTheirErrorBars) {
    const Chart chart = throughputChart(outcome, 1);
    const ChartLayout layout = layOut(chart, {}, {900, 300}, estimatedWidth);
    for (const Series& series : chart.series) {
        const auto label =
            std::find_if(layout.front.shapes.begin(), layout.front.shapes.end(), [&](const Shape& shape) {
                const auto* text = std::get_if<Label>(&shape);
                return text != nullptr && text->text == series.valueTexts.front();
            });
        ASSERT_NE(label, layout.front.shapes.end()) << series.id;
        EXPECT_GT(std::get<Label>(*label).at.x, layout.y.pixel(series.high.front())) << series.id;
    }
    const bool said = std::any_of(layout.front.shapes.begin(), layout.front.shapes.end(), [](const Shape& shape) {
        const auto* text = std::get_if<Label>(&shape);
        return text != nullptr && text->text == "does not fit";
    });
    EXPECT_TRUE(said) << "in place of a bar";
}

TEST_F(PredictionPictures, aValueWithAnErrorIsAPointWithItsInterval) {
    const Chart chart = throughputChart(outcome, 1);
    const ChartLayout layout = layOut(chart, {}, {900, 300}, estimatedWidth);
    std::size_t markers = 0, boxes = 0;
    for (const Drawing* drawing : {&layout.back, &layout.front})
        for (const Shape& shape : drawing->shapes) {
            markers += std::holds_alternative<Marker>(shape) ? 1 : 0;
            boxes += std::holds_alternative<Box>(shape) ? 1 : 0;
        }
    EXPECT_EQ(markers, chart.series.size());
    EXPECT_EQ(boxes, 0U);
    ASSERT_EQ(layout.bars.size(), chart.series.size()) << "they are clicked where their bars would be";
}

TEST_F(PredictionPictures, thoseThatAreTooCloseToCallAreGrouped) {
    EXPECT_EQ(study::orderText(study::tiedGroups(outcome, study::kSampleRate, 1)), "swift ≈ free > cheap");
    EXPECT_TRUE(notes(throughputChart(outcome, 1), "swift ≈ free > cheap (≈: too close to call)."));
    EXPECT_EQ(rankingTable(outcome).rows.front()[2], "swift ≈ free > cheap");
    EXPECT_TRUE(study::tiedGroups(outcome, study::kSampleRate, 64).empty());
}

TEST_F(PredictionPictures, everyTwoAreComparedByHowLikelyOneIsAhead) {
    const study::Duels duels = study::duelsOf(outcome, study::kSampleRate, 1);
    ASSERT_EQ(duels.order.size(), 3U);
    EXPECT_EQ(duels.order.front()->accelerator, "swift");
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(duels.ahead[3 * i + j] + duels.ahead[3 * j + i], 1, 1e-12);
    EXPECT_GT(duels.ahead[2], study::kCalled) << "swift is ahead of cheap";
    const HeatMap map = duelMap(outcome, study::kSampleRate, 1);
    EXPECT_EQ(map.rows, (std::vector<std::string>{"swift", "free", "cheap"}));
    EXPECT_EQ(map.rows, map.columns);
    EXPECT_EQ(map.cells[0], -1) << "nobody is compared with itself";
    EXPECT_EQ(map.cells[2], 0);
    EXPECT_EQ(map.cells[6], 3);
    EXPECT_EQ(map.texts[2] + " %", study::chanceText(duels.ahead[2]));
    EXPECT_TRUE(saysIn(toSvg(map, Theme(ThemeKind::light)), map.texts[1]));
    EXPECT_TRUE(saysIn(map.details[2], study::chanceText(duels.ahead[2])));
    EXPECT_EQ(study::chanceText(0.9999), "> 99 %");
    EXPECT_EQ(study::chanceText(0.0001), "< 1 %");
    EXPECT_EQ(study::chanceText(0.856), "86 %");
    EXPECT_TRUE(duelMap(outcome, study::kSampleRate, 64).cells.empty());
    const Table table = duelTable(outcome);
    EXPECT_EQ(table.columns.size(), 3U + acceleratorsOf(outcome).size());
    ASSERT_FALSE(table.rows.empty());
    EXPECT_EQ(table.rows[0][2], "swift");
    EXPECT_EQ(table.rows[0][3], "–");
}

TEST_F(PredictionPictures, throughputByBatchEndsWhereMemoryDoes) {
    const Chart chart = batchThroughputChart(outcome, 1);
    const Series* curve = findSeries(chart, "swift");
    ASSERT_NE(curve, nullptr);
    EXPECT_EQ(curve->x, (std::vector<double>{64, 128, 256}));
    EXPECT_DOUBLE_EQ(curve->y.back(), swift.throughput);
    const Series* chosen = findSeries(chart, "swift/chosen");
    ASSERT_NE(chosen, nullptr);
    EXPECT_EQ(chosen->x, std::vector<double>{256});
    EXPECT_EQ(chosen->labels, std::vector<std::string>{"swift, 256"});
    EXPECT_EQ(chart.title, "swift trains 584 samples/s on 1 device with batch 256");
    const Series* area = findSeries(chart, "swift/error");
    ASSERT_NE(area, nullptr);
    EXPECT_DOUBLE_EQ(area->low.back(), swift.throughput * (1 + swift.error.low));
    EXPECT_TRUE(notes(chart, "swift 512"));
    EXPECT_EQ(findSeries(chart, "small"), nullptr);
    for (predict::Prediction& one : outcome.predictions)
        for (predict::BatchMemory& tried : one.batches) tried.throughput = 0;
    EXPECT_TRUE(batchThroughputChart(outcome, 1).series.empty());
    EXPECT_TRUE(saysIn(batchThroughputChart(outcome, 1).empty, "The batch was given"));
}

TEST_F(PredictionPictures, withoutAPriceThereIsNoBarButAHint) {
    const Chart chart = pricePerformanceChart(outcome, 1);
    EXPECT_TRUE(saysIn(chart.title, "cheap gives the most for a dollar")) << chart.title;
    EXPECT_EQ(findSeries(chart, "free"), nullptr);
    EXPECT_TRUE(notes(chart, "free has no price per hour"));
    for (predict::Prediction& one : outcome.predictions) one.samplesPerUsd = one.trainingCostUsd = std::nullopt;
    EXPECT_TRUE(pricePerformanceChart(outcome, 1).series.empty());
    EXPECT_TRUE(saysIn(pricePerformanceChart(outcome, 1).empty, "into the table of predictions"));
    EXPECT_TRUE(trainingCostChart(outcome, 1).series.empty());
}

TEST_F(PredictionPictures, stagesAddUpToTheTimeOfAThousandSamplesAndWhatIsHidden) {
    const Chart chart = stageChart(outcome, 8);
    double sum = 0;
    for (const Series& series : chart.series)
        if (series.id != "hidden") sum += series.y.front();
    const predict::Prediction& first = *inOrder(outcome, 8).front();
    EXPECT_NEAR(sum, 1000 / first.throughput, 1e-9 * sum) << "accelerators with other batches compare";
    EXPECT_DOUBLE_EQ(findSeries(chart, "hidden")->y.front() / sum, first.overlap.value / first.step.value);
    EXPECT_EQ(chart.y.title, "Time for 1,000 samples");
    EXPECT_TRUE(saysIn(chart.x.categories.front(), "swift, batch 256"));
    EXPECT_EQ(chart.endTexts.back(), "does not fit");
}

TEST_F(PredictionPictures, baselinePredictorsStandBesideTheirPrediction) {
    const Chart chart = methodChart(outcome, 1);
    ASSERT_EQ(chart.series.size(), 3U) << "nobody measured a similar model";
    EXPECT_EQ(findSeries(chart, "roofline")->y.front(), swift.throughput * 1.8);
    EXPECT_EQ(findSeries(chart, "prediction")->y.size(), 3U);
}

TEST_F(PredictionPictures, scalingIsMeasuredByTheFewestDevices) {
    const Chart chart = deviceScalingChart(outcome);
    EXPECT_EQ(chart.series.size(), 6U) << "a curve and what it would be for each that fits";
    const Series* ideal = findSeries(chart, "swift/ideal");
    ASSERT_NE(ideal, nullptr);
    EXPECT_TRUE(ideal->dashed);
    EXPECT_DOUBLE_EQ(ideal->y.back(), 8 * swift.throughput);
    const Chart speedup = deviceSpeedupChart(outcome);
    EXPECT_EQ(findSeries(speedup, "ideal")->y.back(), 8);
    EXPECT_LT(findSeries(speedup, "swift")->y.back(), 8);
    std::erase_if(outcome.predictions, [](const predict::Prediction& one) { return one.devices == 8; });
    EXPECT_TRUE(deviceScalingChart(outcome).series.empty());
    EXPECT_TRUE(saysIn(deviceScalingChart(outcome).empty, "several device counts"));
}

TEST_F(PredictionPictures, memoryOfEveryCandidateStandsAgainstItsLevel) {
    EXPECT_EQ(usedLevels(swift), (std::vector<std::size_t>{1})) << "nothing lies in L2";
    const Chart chart = batchMemoryChart(swift, 1);
    EXPECT_EQ(chart.x.categories, (std::vector<std::string>{"64", "128", "256", "512"}));
    EXPECT_EQ(findSeries(chart, "input_output")->y.back(), 40e9);
    const Series* capacity = findSeries(chart, "capacity");
    ASSERT_NE(capacity, nullptr);
    EXPECT_EQ(capacity->mark, Mark::bound);
    EXPECT_EQ(capacity->y.front(), 40e9);
    EXPECT_TRUE(saysIn(chart.title, "Batch 256 takes 26.5 GB of the 40 GB")) << chart.title;
    EXPECT_TRUE(notes(batchMemoryChart(small, 1), "small does not fit"));
    EXPECT_TRUE(saysIn(levelChart(swift).endTexts.back(), "26.5 GB of 40 GB"));
    predict::Prediction old = swift;
    old.batches.clear();
    EXPECT_TRUE(saysIn(batchMemoryChart(old, 1).empty, "Run the study again"));
}

TEST_F(PredictionPictures, operatorsLieOnTheRoofline) {
    const OperatorRoofline picture = operatorRoofline(outcome, swift);
    ASSERT_EQ(picture.chart.series.size(), picture.operators.size());
    const std::vector<predict::AlikeOperators>& all = study::operatorsOf(outcome, swift);
    std::size_t points = 0;
    for (std::size_t s = 0; s < picture.operators.size(); ++s) {
        const Series& series = picture.chart.series[s];
        if (series.mark != Mark::points) {
            EXPECT_TRUE(picture.operators[s].empty()) << series.id;
            continue;
        }
        ASSERT_EQ(series.x.size(), picture.operators[s].size());
        ASSERT_EQ(series.radii.size(), series.x.size());
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            const predict::AlikeOperators& op = all[picture.operators[s][i]];
            EXPECT_DOUBLE_EQ(series.x[i], op.flops.value / op.bytes.value);
            EXPECT_DOUBLE_EQ(series.y[i], op.flops.value / op.time.value);
            EXPECT_TRUE(saysIn(series.valueTexts[i], op.name));
            if (i > 0) {
                EXPECT_LE(series.radii[i], series.radii[i - 1]) << "small ones are drawn last";
            }
        }
        points += series.x.size();
    }
    EXPECT_EQ(points, 5U) << "what only moves data has no place";
    double near = std::numeric_limits<double>::infinity(), far = 0;
    for (const Series& series : picture.chart.series)
        if (series.mark == Mark::points)
            for (const double intensity : series.x) {
                near = std::min(near, intensity);
                far = std::max(far, intensity);
            }
    for (const Series& series : picture.chart.series) {
        if (series.mark == Mark::points) continue;
        EXPECT_LT(series.x.front(), near) << "a roof is above all operators";
        EXPECT_DOUBLE_EQ(series.y.front() / series.x.front(), series.y[1] / series.x[1]) << series.id;
        if (series.mark == Mark::bound) {
            EXPECT_GT(series.x.back(), far);
        }
    }
    EXPECT_TRUE(notes(picture.chart, "only moves data"));
    // Kept once, the operators are found for other device counts, too.
    EXPECT_EQ(operatorRoofline(outcome, *predictionOf(outcome, "swift", 8)).operators, picture.operators);
    EXPECT_TRUE(operatorRoofline(outcome, small).chart.series.empty());
    EXPECT_TRUE(saysIn(operatorRoofline(outcome, small).chart.empty, "small does not fit"));
}

TEST_F(PredictionPictures, textsDoNotTouch) {
    for (const Size size : {Size{760, 300}, Size{1160, 420}}) {
        for (const Chart& chart :
             {throughputChart(outcome, 8), pricePerformanceChart(outcome, 8), trainingCostChart(outcome, 8),
              methodChart(outcome, 8), stageChart(outcome, 8), batchMemoryChart(swift, 1), levelChart(swift),
              deviceScalingChart(outcome), operatorRoofline(outcome, swift).chart})
            EXPECT_EQ(overlaps(chart, size), std::vector<std::string>()) << chart.id << " at " << size.width;
    }
}

/// Measurements of the training of a model of the zoo on two of the accelerators.
physical::MeasuredTable measuredOfZoo() {
    return physical::readMeasuredTable(
        "set,id,model,dims,accelerator,accelerators,dtype,global_batch,training,software,metric,value,source\n"
        "s,1,zoo:resnet50,,swift,8,bf16,2048,1,NGC MXNet 21.05,samples_per_s,9000,book\n"
        "s,2,zoo:resnet50,,swift,8,bf16,2048,1,PyTorch,samples_per_s,14000,book\n"
        "s,3,zoo:resnet50,,cheap,8,bf16,256,1,,samples_per_s,21000,\n"
        "s,4,zoo:resnet50,,swift,1,bf16,256,1,,samples_per_s,1500,\n"
        "s,5,zoo:resnet50,,swift,8,fp32,2048,1,,samples_per_s,700,book\n",
        "own.csv");
}

TEST_F(PredictionPictures, measurementsAreMarkedWhereModelAndHardwareAgree) {
    study::Study study = study::newStudy("predict");
    study.models = {"zoo:resnet50"};
    Chart chart = throughputChart(outcome, 8);
    const std::size_t bars = chart.series.size();
    markMeasuredBars(chart, study, outcome, 8, measuredOfZoo());
    ASSERT_EQ(chart.series.size(), bars + 1);
    const Series& marks = chart.series.back();
    EXPECT_EQ(marks.mark, Mark::points);
    EXPECT_THAT(marks.y, testing::UnorderedElementsAre(9000, 14000, 21000));
    const std::vector<const predict::Prediction*> order = inOrder(outcome, 8);
    for (std::size_t i = 0; i < marks.x.size(); ++i)
        EXPECT_EQ(order.at(static_cast<std::size_t>(marks.x[i]))->accelerator, marks.y[i] > 20'000 ? "cheap" : "swift");
    EXPECT_THAT(marks.valueTexts, testing::Contains("9,000 samples/s measured, batch 2,048, NGC MXNet 21.05 (book)"));
    EXPECT_TRUE(notes(chart, "published measurements (book)"));
    EXPECT_TRUE(saysIn(toSvg(chart, Theme(ThemeKind::light)), ">measured<")) << "the legend explains the marks";
    for (const Size size : {Size{760, 300}, Size{1160, 420}})
        EXPECT_EQ(overlaps(chart, size), std::vector<std::string>()) << size.width;
    Chart scaling = deviceScalingChart(outcome);
    const std::size_t curves = scaling.series.size();
    markMeasuredCurves(scaling, study, outcome, measuredOfZoo());
    ASSERT_EQ(scaling.series.size(), curves + 2) << "one for each accelerator that was measured";
    EXPECT_EQ(overlaps(scaling, {1160, 420}), std::vector<std::string>());
}

TEST_F(PredictionPictures, nothingIsMarkedWhereNothingAgrees) {
    study::Study study = study::newStudy("predict");
    study.models = {"zoo:vgg16"};
    const Chart plain = throughputChart(outcome, 8);
    Chart chart = plain;
    markMeasuredBars(chart, study, outcome, 8, measuredOfZoo());
    EXPECT_EQ(toSvg(chart, Theme(ThemeKind::light)), toSvg(plain, Theme(ThemeKind::light)));
}

TEST_F(PredictionPictures, aValueStandsBehindTheMarksOfItsBar) {
    study::Study study = study::newStudy("predict");
    study.models = {"zoo:resnet50"};
    Chart chart = throughputChart(outcome, 8);
    markMeasuredBars(chart, study, outcome, 8, measuredOfZoo());
    const ChartLayout layout = layOut(chart, {}, {1160, 420}, estimatedWidth);
    std::size_t labels = 0;
    for (const PlacedPoint& mark : pointsOf(chart.series.back(), layout))
        for (const auto& shape : layout.front.shapes)
            if (const auto* label = std::get_if<Label>(&shape); label != nullptr && label->strong) {
                ++labels;
                const double width = estimatedWidth(label->text, label->size, true);
                EXPECT_FALSE(label->at.x < mark.at.x && mark.at.x < label->at.x + width &&
                             std::fabs(label->at.y - 4 - mark.at.y) < 8)
                    << label->text << " lies on a mark";
            }
    EXPECT_GT(labels, 0U);
}

TEST_F(PredictionPictures, areExportedByName) {
    const study::Result result = test::wholePrediction(outcome);
    EXPECT_EQ(selectionOf(result, "").choice, "swift@8");
    const Selection at = selectionOf(result, "cheap@8");
    EXPECT_EQ(at.level, 1U) << "the largest that holds something";
    EXPECT_THROW(selectionOf(result, "nobody"), UsageError);
    const Theme theme(ThemeKind::light);
    for (const PictureRow& row : catalogueOf("predict").pictures) {
        const Picture picture = row.make({result, at, {}});
        EXPECT_TRUE(saysIn(toSvg(picture, theme), "<svg")) << row.id;
        const std::string csv = toCsv(picture);
        const std::vector<std::size_t> cells = cellsByLine(csv);
        ASSERT_GE(cells.size(), 2U) << row.id << ": a head and data\n" << csv;
        for (const std::size_t count : cells) EXPECT_EQ(count, cells.front()) << row.id << '\n' << csv;
        EXPECT_TRUE(std::any_of(csv.begin(), csv.end(), [](char c) { return c >= '1' && c <= '9'; })) << csv;
    }
    for (const TableRow& row : catalogueOf("predict").tables)
        if (!selectionsOf(row, result, at).empty()) {
            EXPECT_FALSE(row.make({result, at, {}}).rows.empty()) << row.id;
        }
}

TEST_F(PredictionPictures, sheetsHoldWholeNumbers) {
    const Table predictions = predictionTable(outcome, study::kExactTable);
    ASSERT_EQ(predictions.rows.size(), 8U);
    for (const auto& row : predictions.rows) EXPECT_EQ(row.size(), predictions.columns.size());
    EXPECT_EQ(predictions.rows[3][2], "no");
    EXPECT_EQ(exactBatchTable(outcome).rows.size(), 2U * (3 * 4 + 1) * 2) << "by candidate and level";
    EXPECT_EQ(exactOperatorTable(outcome, swift).rows.size(), 6U);
    EXPECT_EQ(exactSourceTable(outcome).rows.size(), 8U);
}

}  // namespace
}  // namespace tessera::report

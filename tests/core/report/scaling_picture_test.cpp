#include "core/report/scaling_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/partition_pictures.h"
#include "core/report/strategy_colour.h"

namespace tessera::report {
namespace {

study::Scaling handMade() {
    const auto point = [](int levels, std::int64_t accelerators, double speedup) {
        return study::ScalingPoint{
            levels,
            accelerators,
            {{"accpar", Seconds{1 / speedup}, 512, speedup, true}, {"dp", Seconds{1}, 64, 1, false}}};
    };
    return {.points = {point(2, 4, 1.5), point(3, 8, 2.25), point(4, 16, 3)}, .assumptions = {}};
}

TEST(ScalingChart, hasACurvePerStrategyInItsColourAndAPlacePerSize) {
    const Chart chart = scalingChart(handMade());
    EXPECT_EQ(chart.x.categories, (std::vector<std::string>{"4", "8", "16"}));
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_EQ(chart.series[0].id, "accpar");
    EXPECT_EQ(chart.series[0].colour, strategyColour("accpar"));
    EXPECT_FALSE(chart.series[0].dashed);
    EXPECT_TRUE(chart.series[1].dashed);
    EXPECT_EQ(chart.series[0].mark, Mark::line);
    EXPECT_EQ(chart.series[0].x, (std::vector<double>{0, 1, 2}));
    EXPECT_EQ(chart.series[0].y, (std::vector<double>{1.5, 2.25, 3}));
    EXPECT_EQ(chart.title, "accpar is 3× as fast as data parallelism on 16 accelerators, 1.5× on 4");
    EXPECT_EQ(chart.series[0].valueTexts[1], "512 samples/s · 2.25× · 444 ms · 8 accelerators");
    const std::string svg = toSvg(chart, Theme(ThemeKind::light));
    for (const char* const text : {">4<", ">8<", ">16<", "Accelerators", "accpar"})
        EXPECT_NE(svg.find(text), std::string::npos) << text;
}

TEST(ScalingChart, onPhysicalCostsShowsRates) {
    study::Scaling scaling = handMade();
    scaling.costs = partition::Costs::physical;
    const Chart chart = scalingChart(scaling);
    EXPECT_EQ(chart.y.title, "Samples/s");
    EXPECT_EQ(chart.series[0].y, (std::vector<double>{512, 512, 512}));
    EXPECT_EQ(chart.title, "accpar trains 512 samples/s on 16 accelerators, 25 % of linear scaling from 4");
}

TEST(ScalingChart, ofOneAcceleratorSaysThatNothingIsSplit) {
    const Chart chart = scalingChart({});
    EXPECT_TRUE(chart.series.empty());
    EXPECT_NE(toSvg(chart, Theme(ThemeKind::light)).find("Nothing is split"), std::string::npos);
}

TEST(ScalingTable, hasARowPerSizeAndStrategyInFullPrecision) {
    EXPECT_EQ(toCsv(scalingTable(handMade())),
              "levels,accelerators,strategy,step_time_s,throughput_samples_per_s,speedup_over_dp,fits\r\n"
              "2,4,accpar,0.6666666666666666,512,1.5,yes\r\n2,4,dp,1,64,1,no\r\n"
              "3,8,accpar,0.4444444444444444,512,2.25,yes\r\n3,8,dp,1,64,1,no\r\n"
              "4,16,accpar,0.3333333333333333,512,3,yes\r\n4,16,dp,1,64,1,no\r\n");
}

}  // namespace
}  // namespace tessera::report

#include "core/study/metric.h"

#include <gtest/gtest.h>

namespace tessera::study {
namespace {

TEST(Metric, ratesHaveAsManyDigitsAsPeopleRead) {
    EXPECT_EQ(rateText(0.012345), "0.01235");
    EXPECT_EQ(rateText(3.2784), "3.278");
    EXPECT_EQ(rateText(14'143.7), "14,140");
    EXPECT_EQ(rateText(1'234), "1,234");
    EXPECT_EQ(rateText(363'381), "363,400");
    EXPECT_EQ(rateText(999'949), "999,900");
    EXPECT_EQ(rateText(999'951), "1 million");
    EXPECT_EQ(rateText(34'366'875), "34.37 million");
    EXPECT_EQ(rateText(5e9), "5000 million");
}

TEST(Metric, aKnownPriceKeepsItsCentsAndAPredictedOneHasThreeDigits) {
    EXPECT_EQ(dollarsText(3.901), "$3.901");
    EXPECT_EQ(dollarsText(1234.5), "$1,235");
    EXPECT_EQ(uncertainDollarsText(3.901), "$3.9");
    EXPECT_EQ(uncertainDollarsText(999.7), "$1,000");
    EXPECT_EQ(uncertainDollarsText(236'789), "$237,000");
    EXPECT_EQ(uncertainDollarsText(12'345'678), "$12.3 million");
}

}  // namespace
}  // namespace tessera::study

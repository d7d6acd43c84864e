#include "core/study/metric.h"

#include <gtest/gtest.h>

namespace tessera::study::test {
namespace {

TEST(Metric, ratesHaveAsManyDigitsAsPeopleRead) {
    EXPECT_EQ(rateText(0.012345), "0.01235");
    EXPECT_EQ(rateText(3.2784), "3.278");
    EXPECT_EQ(rateText(14'143.7), "14,144");
    EXPECT_EQ(rateText(999'999), "999,999");
    EXPECT_EQ(rateText(34'366'875), "34.37 million");
    EXPECT_EQ(rateText(5e9), "5000 million");
}

}  // namespace
}  // namespace tessera::study::test

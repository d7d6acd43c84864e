#include "core/physical/named_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/hardware/library.h"
#include "core/physical/device.h"

namespace tessera::physical {
namespace {

using testing::HasSubstr;

double secondsOf(const CollectiveRequest& request) {
    const Prediction prediction = predictNamedSystem(request);
    EXPECT_TRUE(prediction.estimate) << request.system << ": " << prediction.refused;
    return prediction.estimate ? prediction.estimate->value : 0;
}

CollectiveRequest allReduceOf(const std::string& system, int accelerators, double bytes) {
    return {.system = system, .accelerators = accelerators, .perNode = accelerators, .bytes = bytes};
}

TEST(NamedSystem, OfEveryAcceleratorThatSaysItsLinksMovesNoFasterThanThey) {
    int timed = 0;
    for (const auto& [id, path] : hardware::libraryFiles("accelerators", "\"tessera.accelerator/")) {
        const Device device = deviceOf(hardware::loadAccelerator(id));
        const double rate = device.linkBytesPerSecond > 0 ? device.linkBytesPerSecond : device.hostBytesPerSecond;
        if (!(rate > 0)) continue;
        ++timed;
        for (const Collective operation : {Collective::allGather, Collective::reduceScatter, Collective::allToAll}) {
            CollectiveRequest request = allReduceOf(id, 8, 1e9);
            request.operation = operation;
            EXPECT_GT(secondsOf(request), 1e9 * 7 / 8 / rate) << id;
            EXPECT_LT(secondsOf(request), 4 * (1e9 * 7 / 8 / rate) + 1e-4) << id;
        }
    }
    EXPECT_GE(timed, 35);
}

TEST(NamedSystem, OfABoardWithTheSameLinksIsWhatWasMeasured) {
    EXPECT_EQ(secondsOf(allReduceOf("h200", 8, 1e8)), predictCollective(allReduceOf("h100", 8, 1e8)).estimate->value);
    EXPECT_FALSE(isMeasuredSystem("h200"));
    EXPECT_TRUE(isMeasuredSystem("h100-pairwise-nvlink"));
}

TEST(NamedSystem, WithLinksInPairsTurnsToTheHostBeyondTwo) {
    const double pair = secondsOf(allReduceOf("a40-pairwise-nvlink", 2, 1e8));
    const double four = secondsOf(allReduceOf("a40-pairwise-nvlink", 4, 1e8));
    EXPECT_EQ(pair, secondsOf(allReduceOf("a40", 2, 1e8)));
    EXPECT_GT(four, 2 * pair);
    EXPECT_GT(four, secondsOf(allReduceOf("a40", 4, 1e8)));
}

TEST(NamedSystem, BetweenNodesTakesTheNetworkOfAFleetOfTheLibrary) {
    CollectiveRequest request = allReduceOf("b200", 16, 1e9);
    request.perNode = 8;
    EXPECT_GT(secondsOf(request), secondsOf(allReduceOf("b200", 8, 1e9)));
    request.system = "l4";
    EXPECT_THAT(predictNamedSystem(request).refused, HasSubstr("the rate of the network of 'l4' is not known"));
}

TEST(NamedSystem, OfAnUnknownNameIsRefused) {
    EXPECT_THAT(predictNamedSystem(allReduceOf("somewhere", 8, 1e6)).refused,
                HasSubstr("no accelerator of the library is named so"));
    EXPECT_THAT(predictNamedSystem(allReduceOf("b200", 0, 1e6)).refused, HasSubstr("expected numbers above 0"));
}

}  // namespace
}  // namespace tessera::physical

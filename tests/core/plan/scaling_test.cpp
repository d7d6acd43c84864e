#include "core/plan/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "tests/core/plan/problems.h"

namespace tessera::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Problem nodesOf(std::vector<hardware::Group> groups, std::size_t model = 0) {
    return problemOf(planFleet(std::move(groups)), planModels()[model], 64, {"bf16"});
}

std::vector<ScaledFleet> scaledOf(const Problem& problem, const SearchOptions& options = {}) {
    return scaledFleets(problem, {}, options, search(problem, {}, options, {}), {});
}

std::vector<double> timesOf(const std::vector<ScaledFleet>& fleets) {
    std::vector<double> times;
    for (const ScaledFleet& fleet : fleets) times.push_back(fleet.times);
    return times;
}

TEST(ScaledFleets, haveTheBestOfTheirOwnSearch) {
    for (const Problem& problem :
         {nodesOf({planGroup("h100", 16)}), nodesOf({planGroup("h100", 16), planGroup("a100", 16)})}) {
        for (const Objective objective : {Objective::time, Objective::energy}) {
            const SearchOptions options{.objective = objective};
            const std::vector<ScaledFleet> fleets = scaledOf(problem, options);
            EXPECT_THAT(timesOf(fleets), ElementsAre(0.125, 0.25, 0.5, 1, 2, 4));
            for (const ScaledFleet& fleet : fleets) {
                for (std::size_t g = 0; g < problem.groups.size(); ++g)
                    EXPECT_EQ(static_cast<double>(fleet.problem.groups[g].count),
                              fleet.times * static_cast<double>(problem.groups[g].count));
                const Found all = search(fleet.problem, {}, options, {});
                ASSERT_FALSE(all.top.empty());
                ASSERT_FALSE(fleet.found.top.empty());
                EXPECT_EQ(fleet.found.top.front().configuration, all.top.front().configuration) << fleet.times;
            }
        }
    }
}

TEST(ScaledFleets, doNotCutAcceleratorsInPieces) {
    EXPECT_THAT(timesOf(scaledOf(nodesOf({planGroup("h100", 12)}))), ElementsAre(0.25, 0.5, 1, 2, 4));
    EXPECT_THAT(timesOf(scaledOf(nodesOf({planGroup("h100", 16), planGroup("a100", 9)}))), ElementsAre(1, 2, 4));
}

TEST(ScaledFleets, haveNoMoreThanANodeWhereNothingJoinsNodes) {
    EXPECT_THAT(timesOf(scaledOf(nodesOf({planGroup("h100", 8)}))), ElementsAre(0.125, 0.25, 0.5, 1));
}

TEST(ScaledFleets, sayWhyNothingFitsASmallOne) {
    const std::vector<ScaledFleet> fleets = scaledOf(nodesOf({planGroup("h100", 64)}, 1));  // GPT-3 175B
    ASSERT_FALSE(fleets.empty());
    EXPECT_TRUE(fleets.front().found.top.empty());
    ASSERT_TRUE(fleets.front().found.closest);
    EXPECT_GT(fleets.front().found.closest->second.share(), 1);
    EXPECT_FALSE(fleets.back().found.top.empty());
}

TEST(ScaledFleets, leaveOutSpacesThatTakeMuchLonger) {
    const Problem problem = nodesOf({planGroup("h100", 16)});
    Found whole = search(problem, {}, {}, {});
    whole.counted.all = 3'000'000;  // four times as many are estimated
    EXPECT_THAT(timesOf(scaledFleets(problem, {}, {}, whole, {})), ElementsAre(0.125, 0.25, 0.5, 1));
    whole.counted.all = 2'000'000;
    EXPECT_THAT(timesOf(scaledFleets(problem, {}, {}, whole, {})), ElementsAre(0.125, 0.25, 0.5, 1, 2, 4));
}

TEST(ScaledFleets, endWithTheSizesThatTheyHave) {
    const Problem problem = nodesOf({planGroup("h100", 16)});
    const Found whole = search(problem, {}, {}, {});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THAT(timesOf(scaledFleets(problem, {}, {}, whole, {.finish = stop.get_token()})), ElementsAre(1));
    EXPECT_THROW(scaledFleets(problem, {}, {}, whole, {.cancel = stop.get_token()}), InterruptedError);
}

}  // namespace
}  // namespace tessera::plan

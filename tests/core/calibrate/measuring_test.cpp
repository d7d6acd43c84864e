#include "core/calibrate/measuring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace tessera::calibrate::test {
namespace {

using testing::ElementsAre;

TEST(Summary, isTheMedianOfWhatIsNoOutlier) {
    const Timing timing = summarise({1.02, 1.0, 9.0, 1.01, 0.99, 1.0});
    EXPECT_EQ(timing.seconds, 1.0);
    EXPECT_EQ(timing.kept, 5U);
    EXPECT_EQ(timing.dropped, 1U);
    EXPECT_NEAR(timing.spread, 0.005, 1e-12) << "between 1.00 and 1.01";
}

TEST(Summary, keepsWhatIsWithinATenth) {
    // All but one are equal: their deviation is 0, and still 9 % more is no outlier, 11 % is one.
    EXPECT_EQ(summarise({1, 1, 1, 1, 1.09}).dropped, 0U);
    EXPECT_EQ(summarise({1, 1, 1, 1, 1.11}).dropped, 1U);
}

TEST(Summary, neverDropsShortTimes) {
    const Timing timing = summarise({0.1, 1, 1, 1, 1});
    EXPECT_EQ(timing.dropped, 0U);
    EXPECT_EQ(timing.seconds, 1);
    EXPECT_EQ(summarise({}).kept, 0U);
    EXPECT_EQ(summarise({2}).seconds, 2);
}

Measured twice(double first, double second) {
    return {.request = {}, .passes = {{.seconds = first, .spread = 0.01}, {.seconds = second, .spread = 0.03}}};
}

TEST(Agreement, ofTwoPassesIsQuiet) {
    const std::vector<Measured> measured{twice(1, 1.05), twice(2, 2.1), twice(3, 3), twice(4, 4.2), twice(5, 9)};
    const Agreement agreement = agreementOf(measured);
    EXPECT_EQ(agreement.compared, 5U);
    EXPECT_NEAR(agreement.difference, 0.05 / 1.025, 1e-12) << "one kernel alone does not make a machine noisy";
    EXPECT_EQ(agreement.rank, 1);
    EXPECT_FALSE(agreement.noisy);
    EXPECT_THAT(agreement.sentence,
                testing::StartsWith("This machine was quiet: two passes over 5 kernels differ by 4.9 %"));
    EXPECT_EQ(measured[0].seconds(), 1.025);
    EXPECT_EQ(measured[0].spread(), 0.03);
}

TEST(Agreement, failsByTimes) {
    const Agreement agreement = agreementOf({twice(1, 1.2), twice(2, 2.4), twice(3, 3.6), twice(4, 4.8), twice(5, 6)});
    EXPECT_NEAR(agreement.difference, 0.2 / 1.1, 1e-12);
    EXPECT_EQ(agreement.rank, 1);
    EXPECT_TRUE(agreement.noisy);
    EXPECT_THAT(agreement.sentence, testing::StartsWith("This machine was noisy"));
}

TEST(Agreement, failsByOrder) {
    // Differences of a few per cent that turn the order of close kernels around.
    const Agreement agreement =
        agreementOf({twice(1.00, 1.05), twice(1.01, 1.04), twice(1.02, 1.03), twice(1.03, 1.02), twice(1.04, 1.01)});
    EXPECT_LT(agreement.difference, 0.1);
    EXPECT_NEAR(agreement.rank, -1, 1e-12);
    EXPECT_TRUE(agreement.noisy);
}

TEST(Agreement, needsTwoPasses) {
    const Agreement agreement = agreementOf({{.request = {}, .passes = {{.seconds = 1}}}});
    EXPECT_EQ(agreement.compared, 0U);
    EXPECT_TRUE(agreement.noisy);
}

/// A clock that only kernels and preparations move.
class Measuring : public testing::Test {
protected:
    Tools tools() {
        return {.now = [this] { return now_; },
                .prepare = [this](const Request& request) -> Kernel {
                    now_ += preparation_;
                    prepared_.push_back(request.kernel);
                    if (request.kernel == "nothing") return {};
                    const double each = request.sizes.front();
                    return [this, each] { now_ += each; };
                }};
    }
    static Request request(const char* kernel, double seconds) { return {.kernel = kernel, .sizes = {seconds}}; }

    double now_ = 100;
    double preparation_ = 0;
    std::vector<std::string> prepared_;
};

TEST_F(Measuring, timesEveryKernelTwice) {
    const Outcome outcome =
        measureTwice({request("a", 0.01), request("nothing", 1), request("b", 0.02)}, tools(), 10, {});
    ASSERT_EQ(outcome.measured.size(), 2U);
    EXPECT_NEAR(outcome.measured[0].seconds(), 0.01, 1e-9);
    EXPECT_NEAR(outcome.measured[1].seconds(), 0.02, 1e-9);
    EXPECT_EQ(outcome.measured[1].passes.size(), 2U);
    EXPECT_THAT(outcome.unknown, ElementsAre(request("nothing", 1)));
    EXPECT_TRUE(outcome.outOfTime.empty());
    EXPECT_THAT(prepared_, ElementsAre("a", "nothing", "b", "a", "b")) << "what is not known is not asked for again";
    EXPECT_EQ(outcome.repetitions, 4 * 25U) << "no more are needed";
    EXPECT_EQ(outcome.dropped, 0U);
}

TEST_F(Measuring, sharesTheTime) {
    preparation_ = 0.1;
    const double started = now_;
    std::vector<Request> requests(10, request("a", 0.05));
    const Outcome outcome = measureTwice(requests, tools(), 10, {});
    EXPECT_EQ(outcome.measured.size(), 10U);
    EXPECT_LE(now_ - started, 10 + 0.1) << "at most one repetition more";
    EXPECT_GT(now_ - started, 8) << "the time is used";
    for (const Measured& one : outcome.measured) EXPECT_GE(one.passes[0].kept, 3U);
}

TEST_F(Measuring, leavesOutTheLastWhereTheTimeIsOver) {
    const double started = now_;
    const Outcome outcome = measureTwice({request("a", 1), request("b", 1), request("c", 1)}, tools(), 4, {});
    ASSERT_FALSE(outcome.measured.empty());
    EXPECT_EQ(outcome.measured[0].request.kernel, "a");
    ASSERT_FALSE(outcome.outOfTime.empty());
    EXPECT_EQ(outcome.outOfTime.back().kernel, "c");
    EXPECT_LE(now_ - started, 4 + 2) << "one kernel's first two runs more";
}

TEST_F(Measuring, stopsBetweenRepetitions) {
    std::stop_source stop;
    Tools stopping = tools();
    int runs = 0;
    stopping.prepare = [&](const Request&) -> Kernel {
        return [&] {
            now_ += 0.01;
            if (++runs == 5) stop.request_stop();
        };
    };
    EXPECT_THROW(measureTwice({request("a", 1), request("b", 1)}, stopping, 10, {.cancel = stop.get_token()}),
                 InterruptedError);
    EXPECT_EQ(runs, 5);
}

TEST_F(Measuring, tellsItsProgress) {
    double last = 0;
    int events = 0;
    measureTwice({request("a", 0.01), request("b", 0.01)}, tools(), 10, {.progress = [&](const ProgressEvent& event) {
                     EXPECT_EQ(event.task, "kernels");
                     EXPECT_EQ(event.total, 4);
                     EXPECT_GT(event.done, last);
                     last = event.done;
                     ++events;
                 }});
    EXPECT_EQ(events, 4);
    EXPECT_EQ(last, 4);
}

}  // namespace
}  // namespace tessera::calibrate::test

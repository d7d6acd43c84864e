#include "core/base/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace tessera {
namespace {

using std::chrono::milliseconds;

Pacer::Clock::time_point at(int count) {
    return Pacer::Clock::time_point(milliseconds(count));
}

TEST(Pacer, lastsItsPauseFromTheEndOfOneToTheNext) {
    Pacer pacer({.minPause = milliseconds(10)});
    EXPECT_TRUE(pacer.isDue(at(0))) << "the first at once";
    pacer.noteDone(at(5), milliseconds(5));
    EXPECT_FALSE(pacer.isDue(at(14)));
    EXPECT_TRUE(pacer.isDue(at(15)));
    EXPECT_TRUE(pacer.isDue(at(15))) << "until it is done";
    pacer.noteDone(at(40));
    EXPECT_FALSE(pacer.isDue(at(49))) << "time that went by counts once";
    EXPECT_TRUE(pacer.isDue(at(50)));
}

TEST(Pacer, beginsWithAPauseWhereItIsToldSinceWhen) {
    const Pacer pacer({.minPause = milliseconds(10)}, at(100));
    EXPECT_FALSE(pacer.isDue(at(109)));
    EXPECT_TRUE(pacer.isDue(at(110)));
}

TEST(Pacer, takesATenthOfTheTimeAtMost) {
    Pacer pacer({.pauseOverCost = Pacer::kTenthOfTime});
    constexpr int kCost = 7;
    int working = 0;
    for (int now = 0; now < 10'000;) {
        if (!pacer.isDue(at(now))) {
            ++now;
            continue;
        }
        now += kCost;
        working += kCost;
        pacer.noteDone(at(now), milliseconds(kCost));
    }
    EXPECT_LE(working, 1000 + kCost);
    EXPECT_GE(working, 1000 - kCost);
}

TEST(Pacer, pausesByWhicheverIsLonger) {
    Pacer pacer({.minPause = milliseconds(50), .pauseOverCost = 9});
    pacer.noteDone(at(1), milliseconds(1));
    EXPECT_FALSE(pacer.isDue(at(50)));
    EXPECT_TRUE(pacer.isDue(at(51)));
    pacer.noteDone(at(60), milliseconds(10));
    EXPECT_FALSE(pacer.isDue(at(149)));
    EXPECT_TRUE(pacer.isDue(at(150)));
}

TEST(Pacer, waitsForWhatIsExpectedToCostMore) {
    Pacer pacer({.pauseOverCost = Pacer::kTenthOfTime}, at(0));
    EXPECT_TRUE(pacer.isDue(at(0))) << "nothing is known of it";
    EXPECT_FALSE(pacer.isDue(at(899), milliseconds(100)));
    EXPECT_TRUE(pacer.isDue(at(900), milliseconds(100)));
    pacer.noteDone(at(1000), milliseconds(200));
    EXPECT_FALSE(pacer.isDue(at(2799), milliseconds(100))) << "the last cost more than was expected";
    EXPECT_TRUE(pacer.isDue(at(2800), milliseconds(100)));
}

TEST(Pacer, countsWhatItTimesUnlessThatThrows) {
    Pacer pacer({.minPause = std::chrono::hours(1)});
    EXPECT_THROW(pacer.timed([] { throw std::runtime_error("no disk"); }), std::runtime_error);
    EXPECT_TRUE(pacer.isDue());
    int done = 0;
    pacer.timed([&] { ++done; });
    EXPECT_EQ(done, 1);
    EXPECT_FALSE(pacer.isDue());
}

}  // namespace
}  // namespace tessera

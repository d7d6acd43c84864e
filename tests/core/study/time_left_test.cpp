#include "core/study/time_left.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera::study {
namespace {

using Kind = ProgressEvent::Kind;

std::string textOf(const TimeLeft& time) {
    const std::optional<TimeLeft::Span> left = time.left();
    return left ? spanText(*left) : "unknown";
}

/// An engine that does `rate` of a task per second, told ten times a second up to `until`.
void work(TimeLeft& time, const char* task, double rate, double total, double from, double until) {
    for (double at = from; at <= until + 1e-9; at += 0.1)
        time.note({.task = task, .done = std::min(total, rate * (at - from)), .total = total}, at);
}

/// Algorithms that take turns of equal time, as in a race: the samples that each does per second of its turns.
struct Race {
    std::map<std::string, double> rates;
    double samples = 1000;
    std::map<std::string, double> done = {};
    double now = 0;

    void turnUntil(TimeLeft& time, double until) {
        while (now < until) {
            bool any = false;
            for (const auto& [name, rate] : rates) {
                if (done[name] >= samples) continue;
                any = true;
                now += 0.05;
                done[name] = std::min(samples, done[name] + rate * 0.05);
                double all = 0;
                for (const auto& [other, its] : done) all += its;
                time.note({.kind = Kind::point,
                           .task = "portfolio of 3 algorithms",
                           .done = all,
                           .total = samples * static_cast<double>(rates.size()),
                           .curve = {.owner = name, .role = CurveRole::best},
                           .x = done[name],
                           .y = 1},
                          now);
            }
            if (!any) return;
        }
    }
    double left() const {
        double seconds = 0;
        for (const auto& [name, rate] : rates) {
            const auto its = done.find(name);
            seconds += (samples - (its == done.end() ? 0 : its->second)) / rate;
        }
        return seconds;
    }
};

Study race(double samples) {
    Study study;
    study.engine = "mapping";
    study.parameters["samples"] = samples;
    return study;
}

TEST(TimeLeft, isUnknownAtTheBeginningAndAtTheEnd) {
    TimeLeft time;
    EXPECT_EQ(textOf(time), "unknown");
    work(time, "predictions", 10, 1000, 0, 1);
    EXPECT_EQ(textOf(time), "unknown") << "a second tells too little";
    work(time, "predictions", 10, 1000, 0, 10);
    EXPECT_EQ(textOf(time), "about 1 min 30 s") << "900 at 10 a second";
    time.note({.task = "predictions", .done = 1000, .total = 1000}, 101);
    EXPECT_EQ(textOf(time), "unknown") << "what is done takes no more time; 0 s would be untrue while it lasts";
}

TEST(TimeLeft, ofARaceCountsEveryAlgorithmAtItsOwnRate) {
    TimeLeft time(race(1000));
    Race three{.rates = {{"random", 1000}, {"magma", 100}, {"cma", 20}}};
    three.turnUntil(time, 6);
    ASSERT_TRUE(time.left().has_value());
    // 40 seconds and more of one slow algorithm, when two thirds of all samples are nearly done.
    EXPECT_GT(three.left(), 50);
    EXPECT_NEAR(time.left()->min, three.left(), 0.1 * three.left());
    EXPECT_NEAR(time.left()->max, three.left(), 0.1 * three.left());
    three.turnUntil(time, 40);
    ASSERT_TRUE(time.left().has_value());
    EXPECT_NEAR(time.left()->max, three.left(), 0.1 * three.left());
}

TEST(TimeLeft, ofARaceIsUnknownUntilAllHaveBegun) {
    TimeLeft time(race(1000));
    Race one{.rates = {{"magma", 100}}};
    for (double at = 0; at < 5; at += 0.1)
        time.note({.kind = Kind::point,
                   .task = "portfolio of 2 algorithms",
                   .done = 100 * at,
                   .total = 2000,
                   .curve = {.owner = "magma", .role = CurveRole::best},
                   .x = 100 * at,
                   .y = 1},
                  at);
    EXPECT_EQ(textOf(time), "unknown");
}

TEST(TimeLeft, forgetsAnAlgorithmThatEndedBeforeItsTime) {
    TimeLeft time(race(1000));
    Race two{.rates = {{"magma", 50}, {"cma", 50}}};
    two.turnUntil(time, 8);
    two.rates.erase("cma");  // it proved its best
    two.done.erase("cma");
    const double at = two.now;
    for (double now = at; now < at + 6; now += 0.05)
        time.note({.kind = Kind::point,
                   .task = "portfolio of 3 algorithms",
                   .done = two.done["magma"] + 200,
                   .total = 2000,
                   .curve = {.owner = "magma", .role = CurveRole::best},
                   .x = two.done["magma"] += 2.5,
                   .y = 1},
                  now);
    ASSERT_TRUE(time.left().has_value());
    EXPECT_NEAR(time.left()->max, (1000 - two.done["magma"]) / 50, 1.5);
}

TEST(TimeLeft, saysWhatComesAfterThePhaseThatItCounts) {
    Study study;
    study.engine = "codesign";
    TimeLeft time(study);
    work(time, "searching architectures", 100, 3000, 0, 10);
    ASSERT_TRUE(time.left().has_value());
    EXPECT_EQ(spanText(*time.left()), "about 20 s");
    EXPECT_EQ(time.left()->then, "proving the best");
    time.note({.task = "searching architectures", .done = 3000, .total = 3000}, 30);
    time.note({.task = "proving the best", .done = 16, .total = 64}, 31);
    EXPECT_EQ(textOf(time), "unknown") << "the new phase has a rate of its own";
    for (double at = 31; at < 36; at += 0.5)
        time.note({.task = "proving the best", .done = 16 + 4 * (at - 31), .total = 64}, at);
    ASSERT_TRUE(time.left().has_value());
    EXPECT_EQ(spanText(*time.left()), "about 8 s");
    EXPECT_EQ(time.left()->then, "");
}

TEST(TimeLeft, isARangeWhereTheWorkGetsSlowerAndNothingWhereItStands) {
    TimeLeft time;
    double done = 0, at = 0;
    for (; at < 6; at += 0.1) time.note({.task = "search", .done = done += 10, .total = 3000}, at);
    for (; at < 9; at += 0.1) time.note({.task = "search", .done = done += 4, .total = 3000}, at);
    EXPECT_EQ(textOf(time), "30 s to 55 s");
    for (; at < 40; at += 0.1) time.note({.task = "search", .done = done, .total = 3000}, at);
    EXPECT_EQ(textOf(time), "unknown");
}

TEST(TimeLeft, isSaidAsAPersonWould) {
    const auto text = [](double min, double max) { return spanText({.min = min, .max = max}); };
    EXPECT_EQ(text(0.1, 2), "a few seconds");
    EXPECT_EQ(text(6.7, 7.2), "about 7 s");
    EXPECT_EQ(text(43, 49), "about 45 s");
    EXPECT_EQ(text(20, 70), "20 s to 1 min 10 s");
    EXPECT_EQ(text(58, 62), "about 1 min");
    EXPECT_EQ(text(119, 119), "about 2 min");
    EXPECT_EQ(text(190, 560), "3 min to 9 min");
    EXPECT_EQ(text(5000, 5400), "about 1.5 h");
    EXPECT_EQ(leftText({.min = 20, .max = 70}), "20 s to 1 min 10 s left");
    EXPECT_EQ(leftText({.min = 20, .max = 20, .then = "proving the best"}), "about 20 s left, then proving the best");
}

}  // namespace
}  // namespace tessera::study

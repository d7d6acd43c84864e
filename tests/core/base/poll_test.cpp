#include "core/base/poll.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace tessera {
namespace {

TEST(Poll, asksTheInnermostScopeOfItsThreadAfterEveryMillisecond) {
    poll(5000);  // nobody listens
    int outer = 0;
    int inner = 0;
    const PollScope first([&] { ++outer; });
    for (int i = 0; i < 5000; ++i) poll();
    EXPECT_EQ(outer, 5);
    {
        const PollScope second([&] { ++inner; });
        poll(2500);
        EXPECT_EQ(inner, 1) << "once, however long it was";
        std::jthread([] { poll(5000); }).join();
    }
    EXPECT_EQ(inner, 1);
    EXPECT_EQ(outer, 5);
    poll(1000);
    EXPECT_EQ(outer, 6);
}

TEST(Poll, endsTheWorkByThrowing) {
    const auto work = [] {
        const PollScope scope([] { throw std::runtime_error("enough"); });
        for (int i = 0; i < 10'000; ++i) poll();
    };
    EXPECT_THROW(work(), std::runtime_error);
    poll(5000);  // the scope is gone
}

}  // namespace
}  // namespace tessera

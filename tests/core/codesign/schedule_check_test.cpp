#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/operators.h"

namespace tessera::codesign {
namespace {

const Cores kCores{2, 2};

OperatorGraph threeOperators() {
    OperatorGraph graph;
    graph.operators = {{.id = 10, .kind = CoreKind::tensor, .latency = 5, .allCoresLatency = 4},
                       {.id = 11, .kind = CoreKind::vector, .latency = 4, .allCoresLatency = 2},
                       {.id = 12, .kind = CoreKind::fused, .latency = 6, .allCoresLatency = 3}};
    graph.edges = {{0, 2}};
    return graph;
}

constexpr std::int64_t kNoCore = 0;

OperatorSlot on(std::int64_t tensorCore, std::int64_t vectorCore, double start, double finish) {
    OperatorSlot placed;
    placed.start = start;
    placed.finish = finish;
    if (tensorCore != kNoCore) placed.tensorCore = tensorCore;
    if (vectorCore != kNoCore) placed.vectorCore = vectorCore;
    return placed;
}

OperatorSlot onAll(double start, double finish) {
    OperatorSlot placed = on(kNoCore, kNoCore, start, finish);
    placed.allCores = true;
    return placed;
}

/// 10 and 11 beside each other, then 12 on the second pair.
Schedule goodSchedule() {
    return {.makespan = 11, .operators = {on(1, kNoCore, 0, 5), on(kNoCore, 1, 0, 4), on(2, 2, 5, 11)}};
}

TEST(ScheduleCheck, passesWhatKeepsEveryRule) {
    EXPECT_EQ(problemOf(goodSchedule(), threeOperators(), kCores), "");
}

TEST(ScheduleCheck, namesTheRuleThatIsBroken) {
    using Change = std::function<void(Schedule&)>;
    const std::vector<std::pair<Change, std::string>> cases{
        {[](Schedule& s) { s.operators.pop_back(); }, "2 operators are scheduled of 3"},
        {[](Schedule& s) { s.makespan = 12; }, "the makespan is not the last finish"},
        {[](Schedule& s) { s.operators[1].start = -1; }, "operator 11 starts before 0"},
        {[](Schedule& s) { s.operators[1].finish = 5; }, "operator 11 does not take its latency"},
        {[](Schedule& s) { s.operators[1].allCores = true; }, "operator 11 does not take its latency"},
        {[](Schedule& s) { s.operators[1].vectorCore = 3; }, "operator 11 is not on a core of its kind"},
        {[](Schedule& s) { s.operators[1].tensorCore = 2; }, "operator 11 is not on a core of its kind"},
        {[](Schedule& s) { s.operators[0].tensorCore.reset(); }, "operator 10 is not on a core of its kind"},
        {[](Schedule& s) { s.operators[2].vectorCore = 1; }, "fused operator 12 is not on a pair"},
        {[](Schedule& s) { s.operators[2].start = 4, s.operators[2].finish = 10; },
         "operator 12 starts before operator 10 has finished"},
        {[](Schedule& s) { s.operators[1] = on(kNoCore, 2, 6, 10); }, "operators 12 and 11 overlap on vector core 2"},
        {[](Schedule& s) { s.operators[1] = onAll(3, 5); }, "operator 11 is on all cores while operator 10 runs"},
        {[](Schedule& s) {
             s.operators[2] = onAll(5, 8);
             s.operators[1] = on(kNoCore, 1, 6, 10);
         },
         "operator 12 is on all cores while operator 11 runs"},
    };
    for (const auto& [change, problem] : cases) {
        Schedule schedule = goodSchedule();
        change(schedule);
        EXPECT_EQ(problemOf(schedule, threeOperators(), kCores), problem);
    }
}

}  // namespace
}  // namespace tessera::codesign

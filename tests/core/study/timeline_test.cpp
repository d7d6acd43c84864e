#include "core/study/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/partition/outcome.h"
#include "tests/core/study/studies.h"
#include "tests/support/partition_result.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

class EveryTimeline : public testing::TestWithParam<test::Sample> {};

TEST_P(EveryTimeline, takesAsLongAsTheStepAndNeverOverlaps) {
    const Result result = run(test::studyOf(GetParam()));
    const auto& outcome = result.outcome.get<PartitionOutcome>();
    for (const partition::Plan& plan : outcome.result.plans) {
        const Timeline timeline = timelineOf(result, plan.strategy);
        EXPECT_NEAR(timeline.length, plan.stepTime.value, 1e-9 * plan.stepTime.value) << plan.strategy;
        double end = 0;
        for (std::size_t e = 0; e < timeline.events.size(); ++e) {
            const Timeline::Event& event = timeline.events[e];
            EXPECT_GT(event.duration, 0);
            end = std::max(end, event.start + event.duration);
            if (e == 0 || timeline.events[e - 1].track != event.track) continue;
            const Timeline::Event& before = timeline.events[e - 1];
            EXPECT_LE(before.track, event.track);
            EXPECT_LE(before.start + before.duration, event.start * (1 + 1e-12)) << event.name;
        }
        EXPECT_NEAR(end, timeline.length, 1e-9 * timeline.length);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(timeline).dump()), "timeline.schema.json"), "");
    }
}

TEST_P(EveryTimeline, addsUpToWhatEachKindComputesAndMoves) {
    const Result result = run(test::studyOf(GetParam()));
    const auto& outcome = result.outcome.get<PartitionOutcome>();
    for (const partition::Plan& plan : outcome.result.plans) {
        const Timeline timeline = timelineOf(result, plan.strategy);
        for (const partition::AcceleratorShare& share : plan.shares) {
            double compute = 0;
            double moved = 0;
            for (const Timeline::Event& event : timeline.events) {
                if (!timeline.tracks[static_cast<std::size_t>(event.track)].name.starts_with(share.kind + " "))
                    continue;
                (event.category == "compute" ? compute : moved) += event.duration;
            }
            EXPECT_NEAR(compute, share.compute.value, 1e-9 * (share.compute.value + 1e-12)) << share.kind;
            EXPECT_NEAR(moved, share.communication.value, 1e-9 * (share.communication.value + 1e-12)) << share.kind;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryTimeline, testing::ValuesIn(test::samples()), test::nameOf);

TEST(Timeline, ofAResultWithoutLayerTimesShowsTotalsAndSaysSo) {
    const Timeline timeline = timelineOf(test::handMadeResult(), "accpar");
    EXPECT_EQ(timeline.events.size(), 4U);
    EXPECT_NE(timeline.notes.back().find("one bar each"), std::string::npos);
}

TEST(Timeline, ofAnUnknownStrategyIsRefused) {
    EXPECT_THROW(timelineOf(test::handMadeResult(), "nobody"), UsageError);
}

}  // namespace
}  // namespace tessera::study

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/core/study/studies.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

using Clock = std::chrono::steady_clock;

std::string textOfResult(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

class EveryInterruptedRun : public testing::TestWithParam<test::Sample> {};

TEST_P(EveryInterruptedRun, goesOnToTheSameBytesFromEveryCheckpoint) {
    const Study study = test::studyOf(GetParam());
    const std::string whole = textOfResult(run(study, {.threads = 1}));
    int checkpoints = 0;
    for (int stopAt = 1;; ++stopAt) {
        std::stop_source cancel;
        Json state;
        int seen = 0;
        RunHooks hooks;
        hooks.threads = stopAt % 2 == 0 ? 2 : 1;
        hooks.cancel = cancel.get_token();
        hooks.checkpoint = [&](const Json& now) {
            state = now;
            if (++seen == stopAt) cancel.request_stop();
        };
        try {
            const std::string text = textOfResult(run(study, hooks));
            EXPECT_EQ(text, whole);
            if (seen < stopAt) break;  // ran to its end before it was to be stopped
        } catch (const InterruptedError&) {
            ++checkpoints;
        }
        ASSERT_FALSE(state.is_null());
        RunHooks again;
        again.threads = 1;
        again.resume = Json::parse(toText(state));
        EXPECT_EQ(textOfResult(run(study, again)), whole) << "after checkpoint " << stopAt;
        ASSERT_LT(stopAt, 100);
    }
    EXPECT_GE(checkpoints, 1);
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryInterruptedRun, testing::ValuesIn(test::samples()), test::nameOf);

Json checkpointOf(const Study& study) {
    Json state;
    RunHooks hooks;
    hooks.checkpoint = [&](const Json& now) { state = now; };
    run(study, hooks);
    return state;
}

TEST(Checkpoint, ofAnotherStudyOrDamagedIsRefused) {
    const Study study = test::studyOf(test::samples().front());
    const Json state = checkpointOf(study);
    Study other = study;
    setParameter(other, "batch", {"256"});
    RunHooks hooks;
    hooks.resume = state;
    EXPECT_THROW(run(other, hooks), DataError);
    hooks.resume["inputs"][0]["sha256"] = std::string(64, '0');
    EXPECT_THROW(run(study, hooks), DataError);
    hooks.resume = Json{{"schema", "nonsense"}};
    EXPECT_THROW(run(study, hooks), DataError);
    hooks.resume = state;
    hooks.resume["plans"][0]["plan"]["levels"] = 7;
    EXPECT_THROW(run(study, hooks), DataError);
}

TEST(Checkpoint, ofAnotherVersionIsNotUsed) {
    const Study study = test::studyOf(test::samples().front());
    RunHooks hooks;
    hooks.resume = checkpointOf(study);
    hooks.resume["tool_version"] = "0.0.0";
    hooks.resume["plans"][0]["plan"]["levels"] = 7;
    EXPECT_EQ(textOfResult(run(study, hooks)), textOfResult(run(study)));
}

/// A study that takes seconds if nobody ends it.
Study longStudy() {
    Study study = test::studyOf({"long", "zoo:densenet121", "a100-h100-mixed"});
    setParameter(study, "strategies", {"accpar,hypar,owt,dp"});
    return study;
}

TEST(Cancel, isAnsweredWithinATenthOfASecondWheneverItComes) {
    for (const int after : {0, 5, 20, 60, 150}) {
        std::stop_source cancel;
        std::atomic<Clock::rep> asked{0};
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(after));
            asked = Clock::now().time_since_epoch().count();
            cancel.request_stop();
        });
        RunHooks hooks;
        hooks.cancel = cancel.get_token();
        hooks.threads = 1;
        try {
            run(longStudy(), hooks);
        } catch (const InterruptedError&) {
            const Clock::duration took{Clock::now().time_since_epoch().count() - asked};
            // Twice the bound, for busy machines.
            EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), 1000) << after;
        }
    }
}

TEST(Finish, keepsWhatThereIsAndClaimsNothing) {
    for (const char* sample : {"mixedResidual", "oneLevel"}) {
        test::Sample found;
        for (const test::Sample& candidate : test::samples())
            if (candidate.name == sample) found = candidate;
        std::stop_source finish;
        finish.request_stop();
        RunHooks hooks;
        hooks.finish = finish.get_token();
        hooks.threads = 1;
        const Result ended = run(test::studyOf(found), hooks);
        const Result whole = run(test::studyOf(found));
        const auto& plans = std::get<PartitionOutcome>(ended.outcome).result.plans;
        const auto& proven = std::get<PartitionOutcome>(whole.outcome).result.plans;
        ASSERT_EQ(plans.size(), proven.size());
        for (std::size_t p = 0; p < plans.size(); ++p) {
            EXPECT_EQ(plans[p].endedBy, "stop");
            EXPECT_FALSE(plans[p].optimal);
            EXPECT_GE(plans[p].stepTime.value, proven[p].stepTime.value * 0.5);
            EXPECT_GT(plans[p].speedupOverDp, 0);
        }
        EXPECT_NE(ended.warnings.back().find("ended early"), std::string::npos);
        EXPECT_NE(headline(ended).find("no bound"), std::string::npos) << headline(ended);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(textOfResult(ended)), "partition-result.schema.json"), "");
        EXPECT_EQ(textOfResult(readResult(JsonDocument::parse(toText(toJson(ended)), "r").root(), ended.study)),
                  textOfResult(ended));
    }
}

TEST(Finish, inTheMiddleAnswersWithinASecond) {
    std::stop_source finish;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        finish.request_stop();
    });
    RunHooks hooks;
    hooks.finish = finish.get_token();
    hooks.threads = 1;
    const Clock::time_point began = Clock::now();
    const Result result = run(longStudy(), hooks);
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - began).count(), 10.0);
    EXPECT_FALSE(std::get<PartitionOutcome>(result.outcome).result.plans.empty());
}

TEST(Progress, isFrequentAndTellsCurvesForPeople) {
    std::map<std::string, int> series;
    std::set<std::string> tasks;
    Clock::time_point last = Clock::now();
    double longest = 0;
    double farthest = 0;
    RunHooks hooks;
    hooks.threads = 1;
    hooks.progress = [&](const ProgressEvent& event) {
        longest = std::max(longest, std::chrono::duration<double>(Clock::now() - last).count());
        if (event.kind == ProgressEvent::Kind::point || event.kind == ProgressEvent::Kind::incumbent)
            ++series[event.series];
        tasks.insert(event.task);
        farthest = std::max(farthest, event.total > 0 ? event.done / event.total : 0);
        last = Clock::now();
    };
    const Result watched = run(longStudy(), hooks);
    EXPECT_LT(longest, 2.0);  // 20 ms of work; the machine may be busy
    EXPECT_GE(series["accpar: ratio search best"], 3);
    EXPECT_GE(series["accpar: time by level"], 3);
    EXPECT_GE(series["accpar: bound"], 3);
    EXPECT_GE(farthest, 0.5);
    EXPECT_TRUE(tasks.contains("splitting by accpar"));
    EXPECT_EQ(textOfResult(watched), textOfResult(run(longStudy(), {.threads = 2})));
}

TEST(Locate, readsAnInputFromAnotherPlaceUnderItsOwnName) {
    Study study = test::studyOf(test::samples().front());
    const std::string expected = textOfResult(run(study));
    const std::string model = study.models[0];
    study.models[0] = "gone.onnx";
    RunHooks hooks;
    hooks.locate = [&](const std::string& name) { return name == "gone.onnx" ? model : std::string(); };
    const Result result = run(study, hooks);
    EXPECT_EQ(result.inputs[0].name, "gone.onnx");
    EXPECT_EQ(metricsOf(result), metricsOf(run(test::studyOf(test::samples().front()))));
}

}  // namespace
}  // namespace tessera::study

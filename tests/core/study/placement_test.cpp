#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/estimate.h"
#include "core/study/key_result.h"
#include "core/study/placement/study.h"
#include "core/study/schedule/study.h"
#include "core/study/study.h"
#include "core/study/timeline.h"
#include "tests/support/broken_document.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

/// The engines that solve one of co-design's inner problems alone: placement and scheduling.
namespace tessera::study {
namespace {

Study studyOf(const std::string& engine, const std::string& workload,
              const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    Study study = newStudy(engine);
    study.name = "mine";
    study.workloads = {workload};
    for (const auto& [name, text] : parameters) setParameter(study, name, {text});
    return study;
}

std::string casePath(const std::string& name) {
    return test::sourcePath("tests/data/phaze/dp_cases/inputs/" + name).string();
}

/// Results of both engines: with and without a plan that fits, with plans of one's own, proven and not.
const std::vector<Result>& samples() {
    static const std::vector<Result> kResults{
        run(studyOf("place", "bert-large", {{"global_batch", "4096"}})),
        run(studyOf("place", casePath("16_gpt3_mbs1_80GB_stash.json"), {{"plan", "1,4,1"}})),
        run(studyOf("place", casePath("28_gpt3_mbs1_32GB_recomp.json"), {{"plan", "file"}})),
        run(studyOf("place", casePath("17_gpt3_mbs1_32GB_stash.json"))),
        run(studyOf("place", casePath("16_gpt3_mbs1_80GB_stash.json"), {{"accelerators", "3"}})),
        run(studyOf("schedule", "mixture-of-experts")),
        run(studyOf("schedule", "mixture-of-experts", {{"method", "list"}, {"vector_cores", "3"}}))};
    return kResults;
}

TEST(PlacementAndSchedule, readBackExactlyWhatTheyWrite) {
    for (const Result& result : samples()) {
        const Json document = toJson(result);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.dump()), result.study.engine == "place"
                                                                                 ? "placement-result.schema.json"
                                                                                 : "schedule-result.schema.json"),
                  "");
        const Result read = readResult(JsonDocument::parse(toText(document), "run.json").root(), result.study);
        EXPECT_EQ(toText(toJson(read)), toText(document));
        EXPECT_EQ(read.study, result.study);
        EXPECT_EQ(headline(read), headline(result));
        EXPECT_EQ(metricsOf(read), metricsOf(result));
    }
}

TEST(PlacementAndSchedule, refuseBrokenDocumentsInOneSentence) {
    for (const std::size_t sample : {0U, 2U, 3U, 6U}) EXPECT_GT(test::refusedWhenBroken(samples()[sample]), 100U);
}

TEST(PlacementAndSchedule, explainEveryMetric) {
    for (const Result& result : samples())
        for (const Metric& metric : metricsOf(result)) {
            const std::optional<Explanation> explanation = explain(result, metric.name);
            ASSERT_TRUE(explanation) << metric.name;
            EXPECT_EQ(explanation->value, textOf(metric)) << metric.name;
            EXPECT_FALSE(explanation->formula.empty() || explanation->terms.empty() || explanation->source.empty())
                << metric.name;
        }
    EXPECT_FALSE(explain(samples().front(), "makespan"));
}

TEST(PlacementAndSchedule, tellWhatTheyWillDo) {
    EXPECT_EQ(estimate(studyOf("place", "megatron-8.3b")).text,
              "73 layers at 4 tensor-parallel degrees on 1,024 accelerators: less than a second");
    EXPECT_EQ(estimate(studyOf("schedule", "mixture-of-experts", {{"method", "list"}})).text,
              "44 operators on 4 tensor cores and 8 vector cores: less than a second");
    for (const char* engine : {"place", "schedule"}) {
        const Estimate wrong = estimate(studyOf(engine, "missing.json"));
        ASSERT_EQ(wrong.problems.size(), 1U) << engine;
        EXPECT_THAT(wrong.problems.front(), testing::HasSubstr("missing.json"));
        EXPECT_THAT(estimate(newStudy(engine)).problems.front(), testing::HasSubstr("takes exactly one"));
    }
}

TEST(Placement, ItsPipelineEndsWithItsBatchOfEqualStages) {
    const Result& result = samples().front();
    const auto& outcome = result.outcome.get<PlacementOutcome>();
    const Timeline timeline = timelineOf(result, "");
    EXPECT_EQ(timeline.tracks.size(), outcome.placement.plan->stages.size());
    EXPECT_LE(timeline.length, outcome.placement.plan->timePerBatch.value * (1 + 1e-9));
    EXPECT_GT(timeline.length, outcome.placement.plan->timePerBatch.value / 2);
    const codesign::ModelResult model = placedModel(outcome);
    EXPECT_EQ(model.choice.microBatch, 4096 / outcome.problem.microBatches);
    EXPECT_GT(model.time.gradientAllReduce.value, 0);
    EXPECT_THROW(timelineOf(samples()[3], ""), UsageError);
}

TEST(Placement, ItsMisfitIsTheReasonOfTheDocument) {
    EXPECT_EQ(placementMisfit(samples()[0].outcome.get<PlacementOutcome>()), "");
    EXPECT_THAT(placementMisfit(samples()[1].outcome.get<PlacementOutcome>()),
                testing::HasSubstr("no plan of 1 stage, tensor-parallel degree 4 and 1 replica fits"));
    EXPECT_EQ(placementMisfit(samples()[3].outcome.get<PlacementOutcome>()),
              toJson(samples()[3])["reason"].get<std::string>());
}

TEST(Schedule, ItsTimelineHoldsEveryOperatorOnItsCores) {
    for (const std::size_t sample : {5U, 6U}) {
        const auto& outcome = samples()[sample].outcome.get<ScheduleOutcome>();
        const Timeline timeline = timelineOf(samples()[sample], "");
        EXPECT_EQ(timeline.length, outcome.result.schedule.makespan);
        std::size_t events = 0;
        for (const codesign::OperatorSlot& placed : outcome.result.schedule.operators)
            events += (placed.allCores ? 1U : 0U) + (placed.tensorCore ? 1U : 0U) + (placed.vectorCore ? 1U : 0U);
        EXPECT_EQ(timeline.events.size(), events);
    }
}

TEST(Schedule, IsGivenUpAndIsFinished) {
    const Study study =
        studyOf("schedule", test::sourcePath("tests/data/phaze/ilp_cases/layers/L7_perhead12_fwd_4x16.json").string());
    std::stop_source stopped;
    RunContext finishing;
    finishing.finish = stopped.get_token();
    RunContext cancelled;
    cancelled.cancel = stopped.get_token();
    finishing.progress = cancelled.progress = [&](const ProgressEvent& event) {
        if (event.task.starts_with("scheduling")) stopped.request_stop();
    };
    EXPECT_EQ(run(study, finishing).outcome.get<ScheduleOutcome>().result.ended, EndedBy::stop);
    stopped = std::stop_source();
    cancelled.cancel = stopped.get_token();
    EXPECT_THROW(run(study, cancelled), InterruptedError);
}

TEST(Schedule, ItsKeyResultIsTheMakespan) {
    std::map<std::string, double> metrics;
    for (const Metric& metric : metricsOf(samples()[5])) metrics[metric.name] = metric.value;
    EXPECT_EQ(keyResult("schedule", metrics, headline(samples()[5])), "3407");
    EXPECT_EQ(gapText("schedule", metrics), "proven");
}

}  // namespace
}  // namespace tessera::study

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/estimate.h"
#include "core/study/key_result.h"
#include "core/study/placement/study.h"
#include "core/study/plan/study.h"
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

Study modelStudy(const std::string& model, const std::string& fleet,
                 const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    Study study = newStudy("place");
    study.name = "mine";
    study.models = {model};
    study.hardware = {fleet};
    for (const auto& [name, text] : parameters) setParameter(study, name, {text});
    return study;
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
        run(studyOf("schedule", "mixture-of-experts", {{"method", "list"}, {"vector_cores", "3"}})),
        run(modelStudy("zoo:llama2-7b", "dgx-a100x16", {{"global_batch", "256"}, {"plan", "4,2,8"}})),
        run(modelStudy("zoo:resnet50", "dgx-h100x8", {{"global_batch", "128"}, {"plan", "3,1,2"}})),
        run(modelStudy("zoo:gpt3-175b", "dgx-h100x8", {{"global_batch", "8"}, {"plan", "2,4,1"}}))};
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
    for (const std::size_t sample : {0U, 2U, 3U, 6U, 8U, 9U})
        EXPECT_GT(test::refusedWhenBroken(samples()[sample]), 100U);
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

/// Parallel degrees of a model on a fleet, and what is fixed beside them.
struct SameDegrees {
    std::string model, fleet;
    std::int64_t batch = 256;
    int pipeline = 1, tensor = 1, data = 1, micro = 1;
    std::string recompute = "none";
};

TEST(Placement, OfAModelTakesAsLongAsAPlanOfTheSameDegrees) {
    int pipelines = 0;
    for (const SameDegrees& each : std::vector<SameDegrees>{{"zoo:llama3.1-8b", "dgx-h100x8", 128, 1, 2, 4, 2},
                                                            {"zoo:llama3.1-8b", "dgx-h100x8", 128, 2, 2, 2, 1},
                                                            {"zoo:llama3.1-8b", "dgx-a100x16", 256, 4, 2, 16, 1},
                                                            {"zoo:llama2-70b", "dgx-a100x16", 256, 8, 8, 2, 1, "full"},
                                                            {"zoo:llama2-70b", "dgx-h100x64", 512, 5, 8, 8, 1},
                                                            {"zoo:gpt3-175b", "dgx-h100x64", 512, 8, 8, 8, 2},
                                                            {"zoo:gpt3-175b", "dgx-h100x64", 512, 16, 4, 8, 1, "full"},
                                                            {"zoo:mixtral-8x7b", "dgx-h100x64", 256, 8, 8, 4, 1},
                                                            {"zoo:bert-large", "dgx-v100x8", 256, 3, 1, 2, 4},
                                                            {"zoo:gpt2-xl", "tpu-v4-pod", 512, 4, 1, 16, 4},
                                                            {"zoo:opt-6.7b", "gaudi2x8", 64, 2, 4, 1, 2, "full"}}) {
        Study planned = newStudy("plan");
        planned.models = {each.model};
        planned.hardware = {each.fleet};
        const std::string batch = std::to_string(each.batch), micro = std::to_string(each.micro);
        setParameter(planned, "global_batch", {batch});
        setParameter(planned, "top", {"1"});
        setParameter(planned, "fix",
                     {"tp=" + std::to_string(each.tensor) + ",pp=" + std::to_string(each.pipeline) + ",dp=" +
                      std::to_string(each.data) + ",mb=" + micro + ",cp=1,ep=1,vp=1,recompute=" + each.recompute +
                      ",zero=" + (each.data > 1 ? "1" : "0") + (each.pipeline > 1 ? ",schedule=1f1b" : "")});
        const Result plan = run(planned);
        const plan::Evaluated* best = plan.outcome.as<PlanOutcome>()->best();
        ASSERT_NE(best, nullptr) << each.model << " on " << each.fleet << ": " << headline(plan);
        const Result result =
            run(modelStudy(each.model, each.fleet,
                           {{"global_batch", batch},
                            {"micro_batches", micro},
                            {"recompute", each.recompute},
                            {"widths", std::to_string(each.tensor)},
                            {"plan", std::to_string(each.pipeline) + "," + std::to_string(each.tensor) + "," +
                                         std::to_string(each.data)}}));
        const OwnPlan& own = result.outcome.as<PlacementOutcome>()->own.value();
        ASSERT_EQ(own.misfit, "") << each.model;
        EXPECT_NEAR(own.plan->timePerBatch.value / best->scores.of(plan::Objective::time), 1, 0.02)
            << each.model << " on " << each.fleet;
        pipelines += each.pipeline > 1 ? 1 : 0;
    }
    EXPECT_GE(pipelines, 10);
}

TEST(Placement, OfAModelChoosesTheFastestOfItsChoices) {
    const auto& free = samples()[7].outcome.get<PlacementOutcome>();
    ASSERT_TRUE(free.placement.plan);
    EXPECT_EQ(free.of->sequence, 4096);
    EXPECT_LE(free.placement.plan->timePerBatch, free.own->plan->timePerBatch);
    // Choosing among what it chose gives the same, without it no better.
    const std::string micro = std::to_string(free.of->chosen.samples);
    const Result same = run(modelStudy("zoo:llama2-7b", "dgx-a100x16",
                                       {{"global_batch", "256"},
                                        {"micro_batches", micro},
                                        {"widths", std::to_string(free.placement.plan->tensorParallel)}}));
    EXPECT_EQ(same.outcome.as<PlacementOutcome>()->placement.plan, free.placement.plan);
    const Result narrow = run(modelStudy("zoo:llama2-7b", "dgx-a100x16",
                                         {{"global_batch", "256"}, {"recompute", "full"}, {"accelerators", "64"}}));
    const auto& less = narrow.outcome.get<PlacementOutcome>();
    EXPECT_GT(less.placement.plan->timePerBatch, free.placement.plan->timePerBatch);
    EXPECT_LE(PlacementOutcome::occupied(*less.placement.plan), 64);
    EXPECT_EQ(less.of->chosen.recompute, physical::Recompute::full);
}

TEST(Placement, OfAModelIsTheSameWhateverTheThreads) {
    const Study study = modelStudy("zoo:bert-large", "dgx-a100x16", {{"global_batch", "512"}});
    RunContext one, four;
    one.threads = 1;
    four.threads = 4;
    EXPECT_EQ(toText(toJson(run(study, one))), toText(toJson(run(study, four))));
}

TEST(Placement, OfAModelSaysWhatDoesNotFit) {
    const auto& outcome = samples()[9].outcome.get<PlacementOutcome>();
    EXPECT_FALSE(outcome.placement.plan);
    EXPECT_THAT(placementMisfit(outcome),
                testing::AllOf(testing::HasSubstr("an accelerator has 85.5 GB"), testing::HasSubstr("would fit with")));
    EXPECT_THAT(outcome.own->misfit, testing::HasSubstr("no plan of 2 stages, tensor-parallel degree 4 and 1 replica"));
    EXPECT_EQ(outcome.of->chosen.recompute, physical::Recompute::full);
}

TEST(Placement, OfAModelAndOfAFileTakeWhatIsTheirs) {
    const auto refusal = [](const Study& study) {
        try {
            run(study);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(refusal(modelStudy("zoo:resnet18", "h100-h200-mixed")),
                testing::HasSubstr("has 2 groups of accelerators; expected one of equal accelerators"));
    EXPECT_THAT(refusal(modelStudy("zoo:resnet18", "dgx-h100x8", {{"widths", "2"}})),
                testing::HasSubstr("option '--widths' names 2; expected 1: only transformers"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"widths", "3,5"}})),
                testing::HasSubstr("option '--widths' names 3, 5; expected divisors of the model's heads"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"micro_batches", "7"}})),
                testing::HasSubstr("option '--micro-batches' names 7; expected divisors of the batch of 1024"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"recompute", "selective"}})),
                testing::HasSubstr("option '--recompute' is selective; expected none or full"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"accelerators", "9"}})),
                testing::HasSubstr("option '--accelerators' is 9; expected at most the 8 of the fleet"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"branches", "serial"}})),
                testing::HasSubstr("option '--branches' is of files of layers"));
    EXPECT_THAT(refusal(studyOf("place", "bert-large", {{"zero", "0"}})),
                testing::HasSubstr("option '--zero' is of models"));
    EXPECT_THAT(refusal(modelStudy("zoo:bert-large", "dgx-h100x8", {{"plan", "99,1,1"}})),
                testing::HasSubstr("the plan has 99 stages for 24 layers"));
    Study both = modelStudy("zoo:bert-large", "dgx-h100x8");
    both.workloads = {"bert-large"};
    EXPECT_THAT(refusal(both), testing::HasSubstr("not both"));
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

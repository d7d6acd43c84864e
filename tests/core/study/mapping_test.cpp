#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/study/comparison.h"
#include "core/study/explanation.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"
#include "core/study/mapping/schedule.h"
#include "core/study/mapping/study.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "core/study/timeline.h"
#include "core/study/title.h"
#include "tests/support/golden.h"
#include "tests/support/mapping_result.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

using test::handMadeMapping;

nlohmann::json plain(const Json& json) {
    return nlohmann::json::parse(json.dump());
}

Study tableStudy(const std::string& table = "S1_recom_insts0") {
    Study study = newStudy("mapping");
    study.workloads = {test::sourcePath("tests/data/magma/job_tables/" + table + ".csv")};
    setParameter(study, "bandwidth_bytes_per_cycle", {"16"});
    setParameter(study, "samples", {"300"});
    study.seed = 3;
    return study;
}

Result reread(const Result& result) {
    return readResult(JsonDocument::parse(toText(toJson(result)), "result.json").root(), result.study);
}

TEST(MappingDocument, comesBackExactlyAndMeetsItsSchema) {
    const Result result = handMadeMapping();
    const Json json = toJson(result);
    EXPECT_EQ(test::schemaErrors(plain(json), "mapping-result.schema.json"), "");
    EXPECT_EQ(toJson(reread(result)), json);
    const auto& before = result.outcome.get<MappingOutcome>();
    const Result again = reread(result);
    const auto& after = again.outcome.get<MappingOutcome>();
    EXPECT_EQ(after.result.runs, before.result.runs);
    EXPECT_EQ(after.result.bound, before.result.bound);
    EXPECT_EQ(after.problem, before.problem);
    EXPECT_EQ(after.jobModels, before.jobModels);
}

TEST(MappingMetrics, aDistanceOfRoundingIsNone) {
    EXPECT_EQ(percentText(3e-14), "0 %");
    EXPECT_EQ(percentText(2e-8), "< 0.0001 %");
    EXPECT_EQ(percentText(0.0094), "0.94 %");
    EXPECT_EQ(percentText(0.25), "25 %");
}

TEST(MappingDocument, tellsOfTheBestRunAtTheTop) {
    const Json json = toJson(handMadeMapping());
    EXPECT_EQ(json["algorithm"], "magma");
    EXPECT_EQ(json["optimal"], true);
    EXPECT_EQ(json["runs"].size(), 2U);
    EXPECT_EQ(json["runs"][0]["algorithm"], "random");
    EXPECT_EQ(json["makespan_s"].get<double>(), json["makespan_cycles"].get<double>() / 200e6);
    EXPECT_EQ(json["throughput_flops"].get<double>(), 2 * 1750 / json["makespan_s"].get<double>());
    EXPECT_EQ(json["jobs"][1]["sub_accelerator"], 1);
    EXPECT_EQ(json["jobs"][2]["order"], 1);
}

TEST(MappingDocument, ofSeveralThatAreAlikeTheFirstThereIsTheBest) {
    Result result = handMadeMapping();
    auto& outcome = result.outcome.get<MappingOutcome>();
    outcome.result.runs[0].value = outcome.result.runs[1].value * (1 + 1e-12);
    outcome.result.runs[0].bestAfter = 9;
    outcome.result.runs[1].bestAfter = 1688;
    EXPECT_EQ(bestRun(outcome), outcome.result.runs.data());
    outcome.result.runs[0].value = outcome.result.runs[1].value * (1 + 1e-6);
    EXPECT_EQ(bestRun(outcome), &outcome.result.runs[1]);
}

TEST(MappingDocument, holdsTheRunOfOneAlgorithmAndNoSecondsWithoutAClock) {
    Result result = handMadeMapping();
    auto& outcome = result.outcome.get<MappingOutcome>();
    outcome.result.runs.pop_back();
    outcome.problem.clock.reset();
    const Json json = toJson(result);
    ASSERT_EQ(json["runs"].size(), 1U);
    EXPECT_EQ(json["runs"][0]["algorithm"], json["algorithm"]);
    EXPECT_FALSE(json.contains("makespan_s"));
    EXPECT_FALSE(json.contains("throughput_flops"));
    EXPECT_EQ(toJson(reread(result)), json);
    EXPECT_EQ(test::schemaErrors(plain(json), "mapping-result.schema.json"), "");
}

TEST(MappingDocument, keepsWhatACurveDoesNotKnow) {
    Result result = handMadeMapping();
    auto& outcome = result.outcome.get<MappingOutcome>();
    outcome.result.runs[0].convergence[0].mean = std::nan("");
    const Json json = toJson(result);
    EXPECT_TRUE(json["runs"][0]["convergence"][0]["mean"].is_null());
    EXPECT_EQ(toJson(reread(result)), json);
    EXPECT_EQ(test::schemaErrors(plain(json), "mapping-result.schema.json"), "");
}

TEST(MappingDocument, refusesAMappingThatDoesNotFit) {
    const auto refusal = [](const std::string& text) {
        try {
            readMapping(JsonDocument::parse(text, "m.json").root(), 2, 3);
        } catch (const DataError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refusal(R"({"sub_accelerator":[0,2],"priority":[0,0.5]})"), "accepted");
    EXPECT_EQ(refusal(R"({"sub_accelerator":[0,3],"priority":[0,0.5]})"),
              "m.json:1: field 'sub_accelerator[1]' is '3'; expected a whole number from 0 to 2");
    EXPECT_EQ(refusal(R"({"sub_accelerator":[0],"priority":[0,0.5]})"),
              "m.json:1: field 'sub_accelerator' is a list of 1; expected one entry for each of 2 jobs");
    EXPECT_EQ(refusal(R"({"sub_accelerator":[0,1],"priority":[0,1]})"),
              "m.json:1: field 'priority[1]' is '1'; expected a number of 0 or more and below 1");
}

TEST(MappingMetrics, everyOneIsExplained) {
    const Result result = handMadeMapping();
    const std::vector<Metric> metrics = metricsOf(result);
    EXPECT_GE(metrics.size(), 20U);
    std::string formulas;
    for (const Metric& metric : metrics) {
        const auto explanation = explain(result, metric.name);
        ASSERT_TRUE(explanation) << metric.name;
        formulas += metric.name + ": " + explanation->formula + '\n';
        EXPECT_FALSE(explanation->terms.empty()) << metric.name;
        EXPECT_EQ(explanation->value, textOf(metric)) << metric.name;
    }
    EXPECT_FALSE(explain(result, "nothing"));
    test::expectGolden(formulas, "tests/data/formulas/mapping.txt");
}

TEST(MappingMetrics, headlineNamesRateMakespanCertaintyAndAlgorithm) {
    const Result result = handMadeMapping();
    EXPECT_EQ(headline(result), "7 GFLOP/s · 500 ns makespan · proven optimal after 12 samples · magma");
    EXPECT_EQ(titleOf(result), "three on pair");
    EXPECT_EQ(titleOf(result.study), "three on pair");
}

TEST(MappingTimeline, hasATrackPerCoreWhoseJobsDoNotOverlap) {
    Result result = handMadeMapping();
    const Timeline timeline = timelineOf(result, "magma");
    ASSERT_EQ(timeline.tracks.size(), 2U);
    EXPECT_EQ(timeline.events.size(), 3U);
    EXPECT_EQ(timeline.unit, "s");
    for (std::size_t i = 1; i < timeline.events.size(); ++i) {
        const Timeline::Event& before = timeline.events[i - 1];
        if (timeline.events[i].track != before.track) continue;
        EXPECT_GE(timeline.events[i].start, before.start + before.duration - 1e-20);
    }
    EXPECT_EQ(test::schemaErrors(plain(toJson(timeline)), "timeline.schema.json"), "");
    result.outcome.get<MappingOutcome>().problem.clock.reset();
    const Timeline inCycles = timelineOf(result, "magma");
    EXPECT_EQ(inCycles.unit, "cycles");
    EXPECT_EQ(inCycles.length, result.outcome.get<MappingOutcome>().result.runs[1].values.makespan);
    EXPECT_EQ(test::schemaErrors(plain(toJson(inCycles)), "timeline.schema.json"), "");
    EXPECT_THROW(timelineOf(result, "nobody"), UsageError);
}

TEST(MappingComparison, comparesJobByJob) {
    const Result one = handMadeMapping();
    Result two = one;
    two.outcome.get<MappingOutcome>().result.runs.pop_back();
    const Comparison comparison = compare({&one, &two}, {"one", "two"});
    ASSERT_EQ(comparison.jobs.size(), 3U);
    EXPECT_TRUE(comparison.jobs[0].same);
    EXPECT_FALSE(comparison.jobs[1].same);
    EXPECT_EQ(comparison.jobs[1].places[0]->core, "LB");
    EXPECT_EQ(comparison.jobs[1].places[1]->core, "HB");
    EXPECT_TRUE(comparison.layers.empty());
}

TEST(MappingStudy, comesBackFromItsJson) {
    Study study = tableStudy();
    study.name = "Race";
    setParameter(study, "settings", {"magma.mutation=0.1"});
    setParameter(study, "weights", {"makespan=2", "energy=1"});
    setParameter(study, "pareto", {"throughput,energy"});
    study.parameters["evaluate"] = {{"sub_accelerator", {0, 1}}, {"priority", {0, 0.5}}};
    const Json json = toJson(study);
    EXPECT_FALSE(json.contains("models"));
    EXPECT_FALSE(json.contains("hardware"));
    EXPECT_EQ(toJson(readStudy(JsonDocument::parse(toText(json), "s.json").root())), json);
    EXPECT_EQ(test::schemaErrors(plain(json), "study.schema.json"), "");
}

TEST(MappingStudy, handsOnItsFrontWhileItSearches) {
    Study study = newStudy("mapping");
    study.workloads = {"mix"};
    study.hardware = {"s2"};
    for (const auto& [name, value] : {std::pair("pareto", "latency,energy"),
                                      {"algorithms", "magma,tessera"},
                                      {"samples", "2000"},
                                      {"group_size", "30"}})
        setParameter(study, name, {value});
    std::set<std::pair<double, double>> seen;
    std::vector<std::string> algorithms;
    RunContext context;
    context.evaluated = [&](const explore::PointTable& points) {
        ASSERT_EQ(points.columns.size(), 3U);
        EXPECT_EQ(points.columns[0].title, "Mean latency");
        EXPECT_EQ(points.columns[1].title, "Energy");
        for (const explore::PointColumn& column : points.columns) EXPECT_EQ(column.values.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            seen.emplace(points.columns[0].values[i], points.columns[1].values[i]);
            algorithms.push_back(points.columns[2].words.at(static_cast<std::size_t>(points.columns[2].values[i])));
        }
    };
    const Result watched = run(study, context);
    const auto& outcome = watched.outcome.get<MappingOutcome>();
    const double second = secondsPerCycle(outcome);
    for (const mapping::Run& each : outcome.result.runs) {
        EXPECT_FALSE(each.front.empty());
        EXPECT_NE(std::find(algorithms.begin(), algorithms.end(), each.algorithm), algorithms.end());
        for (const mapping::FrontPoint& point : each.front)
            EXPECT_TRUE(seen.contains({point.first * second, point.second})) << each.algorithm;
    }
    EXPECT_EQ(toText(toJson(watched)), toText(toJson(run(study)))) << "whoever looks on";
}

TEST(MappingStudy, refusesInputsThatItsEngineDoesNotTake) {
    const auto refusal = [](const std::string& text) {
        try {
            readStudy(JsonDocument::parse(text, "s.json").root());
        } catch (const DataError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refusal(R"({"schema":"tessera.study/1","engine":"mapping","workloads":["mix"],"models":["zoo:vgg11"]})"),
              "s.json:1: field 'models' is given; expected a study without models, which its engine does not take");
    EXPECT_EQ(refusal(R"({"schema":"tessera.study/1","engine":"mapping","hardware":["s2"]})"),
              "s.json:1: field 'workloads' is missing; expected the field to be given");
}

TEST(MappingStudy, bytesDoNotDependOnThreadsAndFollowTheSeed) {
    Study study = tableStudy();
    const Json one = toJson(run(study, {{{.threads = 1}}}));
    EXPECT_EQ(toJson(run(study, {{{.threads = 2}}})), one);
    EXPECT_EQ(test::schemaErrors(plain(one), "mapping-result.schema.json"), "");
    study.seed = 4;
    EXPECT_NE(toJson(run(study, {{{.threads = 1}}}))["convergence"], one["convergence"]);
}

TEST(MappingStudy, goesOnFromACheckpointToTheSameResult) {
    Study study = tableStudy();
    study.parameters["algorithms"] = {"magma"};
    std::vector<Json> states;
    RunContext watching;
    watching.checkpoint = [&](const Json& state) { states.push_back(state); };
    const Json whole = toJson(run(study, watching));
    std::stop_source stop;
    Json last;
    RunContext context;
    context.cancel = stop.get_token();
    context.checkpoint = [&](const Json& state) { last = state; };
    context.progress = [&](const ProgressEvent& event) {
        if (event.kind == ProgressEvent::Kind::point && event.curve == CurveName{"magma", "", CurveRole::best} &&
            event.x >= 150)
            stop.request_stop();
    };
    EXPECT_THROW(run(study, context), InterruptedError);
    ASSERT_FALSE(last.is_null());
    RunContext again;
    again.resume = last;
    EXPECT_EQ(toJson(run(study, again)), whole);
    Study other = study;
    setParameter(other, "samples", {"301"});
    EXPECT_THROW(run(other, again), DataError);
    Study reseeded = study;
    reseeded.seed = study.seed.value_or(1) + 1;
    EXPECT_THROW(run(reseeded, again), DataError);
}

TEST(MappingStudy, scoresAGivenMapping) {
    Study study = tableStudy();
    const Result searched = run(study);
    const auto& best = *bestRun(searched.outcome.get<MappingOutcome>());
    study.parameters["evaluate"] = mappingJson(best.mapping);
    const Result scored = run(study);
    const auto& outcome = scored.outcome.get<MappingOutcome>();
    ASSERT_EQ(outcome.result.runs.size(), 1U);
    EXPECT_EQ(outcome.result.runs[0].values, best.values);
    EXPECT_EQ(outcome.result.runs[0].schedule, best.schedule);
    EXPECT_EQ(outcome.result.runs[0].algorithm, "given");
    EXPECT_TRUE(outcome.evaluated);
    EXPECT_EQ(toJson(reread(scored)), toJson(scored));
}

TEST(MappingStudy, saysWhereTheScoredMappingWasFoundForOtherJobs) {
    const Result first = run(tableStudy());
    const Json found = mappingIn(JsonDocument::parse(toText(toJson(first)), "first.json"));
    Study study = tableStudy();
    study.parameters["evaluate"] = found;
    EXPECT_TRUE(run(study).warnings.empty());
    Study other = tableStudy("S2_mix_insts0");
    other.parameters["evaluate"] = found;
    EXPECT_EQ(run(other).warnings,
              (std::vector<std::string>{"The mapping that is scored was found for other jobs or sub-accelerators: job "
                                        "by job it says little about these."}));
}

TEST(MappingStudy, startsFromAnotherRun) {
    Study study = tableStudy();
    const Result first = run(study);
    study.parameters["warm_start"] = warmStartOf(first);
    const Result second = run(study);
    const auto& before = first.outcome.get<MappingOutcome>();
    const std::string sentence = "The searches start from 1 given mapping: without a search, " +
                                 cyclesText(before.problem, bestRun(before)->values.makespan) + " makespan.";
    EXPECT_EQ(std::count(second.assumptions.begin(), second.assumptions.end(), sentence), 1)
        << second.assumptions.front();
    EXPECT_LE(bestRun(second.outcome.get<MappingOutcome>())->value,
              bestRun(first.outcome.get<MappingOutcome>())->value);
    Study other = tableStudy("S2_mix_insts0");
    other.parameters["warm_start"] = warmStartOf(first);
    EXPECT_EQ(run(other).outcome.get<MappingOutcome>().result.runs.size(), 1U);
}

TEST(MappingStudy, estimateSaysWhatIsWrongBeforeItRuns) {
    Study study = tableStudy();
    EXPECT_TRUE(estimate(study).problems.empty()) << estimate(study).text;
    EXPECT_GT(estimate(study).seconds, 0);
    study.parameters->erase("bandwidth_bytes_per_cycle");
    ASSERT_EQ(estimate(study).problems.size(), 1U);
    EXPECT_EQ(estimate(study).problems[0], "a table of jobs needs a bandwidth: --bandwidth-bytes-per-cycle X");
    study.workloads.clear();
    EXPECT_FALSE(estimate(study).problems.empty());
}

TEST(MappingStudy, hashesOfPartitionStudiesStayAsTheyWere) {
    const Study study = readStudy(JsonDocument::parse(R"({"schema":"tessera.study/1","engine":"partition",
"models":["zoo:vgg11"],"hardware":["accpar-homogeneous"]})",
                                                      "s.json")
                                      .root());
    EXPECT_FALSE(toJson(study).contains("workloads"));
    EXPECT_EQ(contentHash(study), "53edbb950901b21aa5925672443c18fcc45ff2912aaf6575f32e01d87ed733d1");
}

}  // namespace
}  // namespace tessera::study

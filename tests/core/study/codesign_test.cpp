// The co-design engine as a study: its document, metrics, explanations, timeline, report, checkpoints and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/study/codesign_document.h"
#include "core/study/codesign_metrics.h"
#include "core/study/codesign_study.h"
#include "core/study/explain.h"
#include "core/study/metric.h"
#include "core/study/progress_value.h"
#include "core/study/study.h"
#include "core/study/timeline.h"
#include "tests/support/golden.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

using testing::HasSubstr;

Study smallStudy() {
    Study study = newStudy("codesign");
    study.models = {"zoo:bert-base"};
    study.hardware = {"phaze"};
    setParameter(study, "accelerators", {"16"});
    setParameter(study, "global_batch", {"64"});
    setParameter(study, "search", {"random"});
    setParameter(study, "samples", {"48"});
    study.seed = 5;
    return study;
}

const Result& smallResult() {
    static const Result kResult = run(smallStudy());
    return kResult;
}

TEST(CodesignStudy, itsDocumentComesBackExactlyAndMeetsItsSchema) {
    const Json json = toJson(smallResult());
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(json.dump()), "codesign-result.schema.json"), "");
    const Result again = readResult(JsonDocument::parse(toText(json), "result.json").root(), smallResult().study);
    EXPECT_EQ(toJson(again), json);
    EXPECT_EQ(again.study, smallResult().study);
    EXPECT_EQ(json.at("ended_by"), "samples");
    EXPECT_EQ(json.at("per_model").size(), 1U);
    EXPECT_TRUE(json.at("best").is_object());
}

TEST(CodesignStudy, everyMetricIsExplained) {
    std::set<std::string> names;
    const std::vector<Metric> metrics = metricsOf(smallResult());
    EXPECT_GE(metrics.size(), 15U);
    std::string formulas;
    for (const Metric& metric : metrics) {
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
        const auto explanation = explain(smallResult(), metric.name);
        ASSERT_TRUE(explanation) << metric.name;
        formulas += metric.name + ": " + explanation->formula + '\n';
        EXPECT_FALSE(explanation->terms.empty()) << metric.name;
        EXPECT_EQ(explanation->value, textOf(metric)) << metric.name;
    }
    EXPECT_FALSE(explain(smallResult(), "nothing"));
    test::expectGolden(formulas, "tests/data/formulas/codesign.txt");
    EXPECT_THAT(headline(smallResult()), HasSubstr("mm² · best found (not proven)"));
}

TEST(CodesignStudy, itsTimelineIsThePipelineOfAModel) {
    const Timeline timeline = timelineOf(smallResult(), "zoo:bert-base");
    const auto& model = std::get<CodesignOutcome>(smallResult().outcome).result.perModel[0];
    EXPECT_EQ(timeline.tracks.size(), static_cast<std::size_t>(model.pipeline));
    EXPECT_FALSE(timeline.events.empty());
    EXPECT_LE(timeline.length, model.timePerBatch.value * (1 + 1e-9));
    EXPECT_THROW(timelineOf(smallResult(), "zoo:lenet5"), UsageError);
}

TEST(CodesignStudy, isTheSameStudyWhenItIsReadBack) {
    const Study study = smallStudy();
    const Study again = readStudy(JsonDocument::parse(toText(toJson(study)), "study.json").root());
    EXPECT_EQ(again, study);
    EXPECT_EQ(contentHash(again), contentHash(study));
}

TEST(CodesignStudy, continuesFromItsCheckpoint) {
    std::vector<Json> states;
    RunHooks hooks;
    hooks.checkpoint = [&](const Json& state) { states.push_back(state); };
    const Result whole = run(smallStudy(), hooks);
    ASSERT_FALSE(states.empty());
    RunHooks resumed;
    resumed.resume = states.front();
    EXPECT_EQ(toJson(run(smallStudy(), resumed)), toJson(whole));
    EXPECT_EQ(toJson(whole), toJson(smallResult()));
    Study other = smallStudy();
    setParameter(other, "samples", {"47"});
    try {
        run(other, resumed);
        ADD_FAILURE() << "a state of another study was taken";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("of another study"));
    }
}

TEST(CodesignStudy, saysWhatIsWrong) {
    const auto refuses = [](const auto& change, const std::string& sentence) {
        Study study = smallStudy();
        change(study);
        try {
            run(study);
            ADD_FAILURE() << sentence;
        } catch (const std::exception& error) {
            EXPECT_THAT(error.what(), HasSubstr(sentence));
        }
    };
    refuses([](Study& study) { study.models.clear(); }, "takes at least one model");
    refuses([](Study& study) { study.models = {"zoo:bert-base", "zoo:bert-base"}; }, "is given twice");
    refuses([](Study& study) { study.hardware = {"phaze", "phaze"}; }, "takes exactly one template");
    refuses([](Study& study) { study.hardware = {"phase"}; }, "there is no");
    refuses([](Study& study) { setParameter(study, "weights", {"3=2"}); }, "names model 3");
    refuses([](Study& study) { setParameter(study, "area_limit", {"1"}); }, "no accelerator of the template is within");
    Study large = smallStudy();
    large.models = {"zoo:gpt3-175b"};
    EXPECT_THROW(run(large), InfeasibleError);
    EXPECT_FALSE(estimate([] {
                     Study study = smallStudy();
                     study.models.clear();
                     return study;
                 }())
                     .problems.empty());
    EXPECT_GT(estimate(smallStudy()).seconds, 0);
}

}  // namespace
TEST(ProgressValue, knowsWhichOfTwoIsBetter) {
    EXPECT_TRUE(isBetter(newStudy("codesign"), 2, 1)) << "a throughput";
    EXPECT_FALSE(isBetter(newStudy("codesign"), 1, 2));
    EXPECT_FALSE(isBetter(newStudy("codesign"), 1, 1));
    EXPECT_TRUE(isBetter(newStudy("mapping"), 1, 2)) << "a makespan";
    EXPECT_FALSE(isBetter(newStudy("partition"), 2, 1)) << "a step time";
}

}  // namespace tessera::study

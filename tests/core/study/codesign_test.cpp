// The co-design engine as a study: its document, metrics, explanations, timeline, report, checkpoints and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/study/codesign/document.h"
#include "core/study/codesign/metrics.h"
#include "core/study/codesign/points.h"
#include "core/study/codesign/study.h"
#include "core/study/explanation.h"
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

/// The small study with bandwidths of its own.
Study bandwidthStudy(const std::string& space) {
    Study study = smallStudy();
    study.hardware = {space};
    setParameter(study, "hbm_bandwidths", {"2.4TB/s,600GB/s"});
    setParameter(study, "network_bandwidths", {"300GB/s,50GB/s"});
    return study;
}

TEST(CodesignStudy, searchesTheBandwidthsThatAreGiven) {
    const Study study = bandwidthStudy("phaze");
    EXPECT_EQ(study.parameters->at("hbm_bandwidths"), Json::parse("[6e11, 2.4e12]"));
    const Result result = run(study);
    const Json json = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(json.dump()), "codesign-result.schema.json"), "");
    const Result again = readResult(JsonDocument::parse(toText(json), "result.json").root(), result.study);
    EXPECT_EQ(toJson(again), json);
    const Json& best = json.at("best").at("architecture");
    for (const Json& point : json.at("evaluated")) {
        const double hbm = point.at("architecture").at("hbm_bandwidth_bytes_per_s").get<double>();
        const double network = point.at("architecture").at("network_bandwidth_bytes_per_s").get<double>();
        EXPECT_TRUE(hbm == 6e11 || hbm == 2.4e12) << hbm;
        EXPECT_TRUE(network == 5e10 || network == 3e11) << network;
    }
    EXPECT_THAT(headline(result), HasSubstr(best.at("name").get<std::string>()));
    EXPECT_THAT(best.at("name").get<std::string>(), HasSubstr("GBps-net"));
    EXPECT_THAT(result.assumptions, testing::Contains(HasSubstr("not known and not counted")));
    for (const Metric& metric : metricsOf(result)) EXPECT_TRUE(explain(result, metric.name)) << metric.name;
}

TEST(CodesignStudy, saysWhatBandwidthsCostWhereTheTemplateDoes) {
    Study study = smallStudy();
    study.hardware = {"phaze-bandwidths"};
    const Result result = run(study);
    const Json json = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(json.dump()), "codesign-result.schema.json"), "");
    EXPECT_GT(json.at("best").at("interface_power_w").get<double>(), 0);
    EXPECT_GT(json.at("best").at("area_parts").at("hbm_interface_mm2").get<double>(), 0);
    EXPECT_GT(json.at("best").at("area_parts").at("network_interface_mm2").get<double>(), 0);
    EXPECT_THAT(result.assumptions, testing::Contains(HasSubstr("LLMCompass")));
    const auto explanation = explain(result, "interface_power_w");
    ASSERT_TRUE(explanation);
    EXPECT_THAT(explanation->exact, HasSubstr(" W"));
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
    const auto& model = smallResult().outcome.get<CodesignOutcome>().result.perModel[0];
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
    RunContext context;
    context.checkpoint = [&](const Json& state) { states.push_back(state); };
    const Result whole = run(smallStudy(), context);
    ASSERT_FALSE(states.empty());
    RunContext resumed;
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

TEST(CodesignStudy, tellsOfWhatItEvaluatesWhileItWorks) {
    explore::PointTable told;
    RunContext context;
    context.evaluated = [&](const explore::PointTable& points) {
        ASSERT_GT(points.size(), 0U);
        if (told.size() > 0) {
            ASSERT_EQ(points.columns.size(), told.columns.size());
        }
        told.columns.resize(points.columns.size());
        for (std::size_t i = 0; i < points.columns.size(); ++i) {
            EXPECT_TRUE(told.columns[i].id.empty() || told.columns[i].unit == points.columns[i].unit);
            told.columns[i].id = points.columns[i].id;
            told.columns[i].unit = points.columns[i].unit;
            EXPECT_EQ(points.columns[i].values.size(), points.size());
        }
        told.names.insert(told.names.end(), points.names.begin(), points.names.end());
        told.reasons.insert(told.reasons.end(), points.reasons.begin(), points.reasons.end());
    };
    const Result whole = run(smallStudy(), context);
    EXPECT_EQ(toJson(whole), toJson(smallResult())) << "whoever looks on";
    ASSERT_GT(told.size(), 0U);
    const explore::PointTable all = pointTable(whole.outcome.get<CodesignOutcome>().result);
    EXPECT_EQ(told.columns.size(), all.columns.size());
    for (std::size_t i = 0; i < all.columns.size(); ++i) EXPECT_EQ(told.columns[i].id, all.columns[i].id);
    for (const std::string& name : told.names)
        EXPECT_NE(std::find(all.names.begin(), all.names.end(), name), all.names.end()) << name;
}

TEST(CodesignStudy, saysWhatIsWrong) {
    const auto refuses = [](const auto& change, const std::string& sentence) {
        Study study = smallStudy();
        try {
            change(study);
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
    refuses([](Study& study) { setParameter(study, "hbm_bandwidths", {"1TB/s,fast"}); },
            "option '--hbm-bandwidths' is '1TB/s,fast'; expected one to 100 different numbers");
    refuses([](Study& study) { setParameter(study, "network_bandwidths", {"1GB/s,1000MB/s"}); }, "different numbers");
    refuses([](Study& study) { setParameter(study, "network_bandwidths", {"0"}); }, "different numbers");
    refuses(
        [](Study& study) {
            std::string many = "1";
            for (int i = 2; i <= 30; ++i) many += "," + std::to_string(i);
            setParameter(study, "network_bandwidths", {many});
        },
        "points of the template; expected at most 5000000");
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

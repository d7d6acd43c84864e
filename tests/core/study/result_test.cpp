#include "core/study/result.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/core/study/studies.h"
#include "tests/support/partition_result.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

Result rereadResult(const Result& result) {
    return readResult(JsonDocument::parse(toText(toJson(result)), "result.json").root(), result.study);
}

std::string writtenResult(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

std::string resultRefusal(const Json& document, const Study& study) {
    try {
        readResult(JsonDocument::parse(toText(document), "result.json").root(), study);
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

class EverySample : public testing::TestWithParam<test::Sample> {};

TEST_P(EverySample, comesBackExactly) {
    const Result result = run(test::studyOf(GetParam()));
    EXPECT_EQ(writtenResult(rereadResult(result)), writtenResult(result));
    EXPECT_EQ(writtenResult(result), toText(toJson(result)));
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(writtenResult(result)), "partition-result.schema.json"), "");
    EXPECT_EQ(headline(rereadResult(result)), headline(result));
    EXPECT_EQ(metricsOf(rereadResult(result)), metricsOf(result));
}

INSTANTIATE_TEST_SUITE_P(Samples, EverySample, testing::ValuesIn(test::samples()), test::nameOf);

TEST(StoredResult, isWrittenInTheLayoutOfEveryOtherDocument) {
    Result result = test::handMadeResult();
    partition::Result& outcome = result.outcome.get<PartitionOutcome>().result;
    outcome.names = {"a \"quoted\"\n\x01 name \xC3\xA9", "not UTF-8 \xFF", ""};
    outcome.plans[1].strategy = "odd \"\xC3\xA9\" strategy";
    outcome.plans[1].levels[1].layers.clear();
    using Limits = std::numeric_limits<double>;
    const std::vector<double> numbers{0.0,
                                      -0.0,
                                      0.1,
                                      1,
                                      512,
                                      1e-7,
                                      123456789.125,
                                      1e15,
                                      1e16,
                                      1e22,
                                      1e100,
                                      1e-5,
                                      1e-4,
                                      2e5,
                                      5e-324,
                                      Limits::max(),
                                      1.0 / 3,
                                      -2.5,
                                      Limits::infinity(),
                                      Limits::quiet_NaN()};
    for (const double number : numbers) {
        outcome.plans[0].levels[0].layers.change(0, [&](partition::LayerPlan& row) { row.compute = {number}; });
        outcome.plans[0].levels[0].other = {{{number}, {number}}, {{0}, {0}}, {{0}, {1 / number}}};
        EXPECT_EQ(writtenResult(result), toText(toJson(result))) << number;
    }
}

TEST(StoredResult, keepsTheVersionThatComputedIt) {
    Result result = test::handMadeResult();
    result.version = "0.0.1";
    EXPECT_EQ(rereadResult(result).version, "0.0.1");
    EXPECT_EQ(toJson(rereadResult(result)), toJson(result));
}

TEST(StoredResult, ofAnOlderProgramHasNoLayerList) {
    const Result result = test::handMadeResult();
    Json old = toJson(result);
    old.erase("layers");
    const Result read = readResult(JsonDocument::parse(toText(old), "old.json").root(), result.study);
    EXPECT_EQ(toJson(read)["strategies"], old["strategies"]);
}

TEST(StoredResult, thatIsDamagedIsRefusedWithThePlace) {
    const Result result = test::handMadeResult();
    const Json good = toJson(result);
    Json bad = good;
    bad["strategies"]["accpar"]["levels"][0]["layers"][1]["type"] = "IV";
    EXPECT_EQ(resultRefusal(bad, result.study).substr(0, 12), "result.json:");
    EXPECT_NE(resultRefusal(bad, result.study)
                  .find("field 'strategies.accpar.levels[0].layers[1].type' is 'IV'; expected one "
                        "of I, II, III"),
              std::string::npos)
        << resultRefusal(bad, result.study);
    bad = good;
    bad["strategies"]["accpar"]["levels"][0]["layers"][1]["name"] = "nobody";
    EXPECT_NE(resultRefusal(bad, result.study).find("expected the name of a layer"), std::string::npos);
    bad = good;
    bad["schema"] = "tessera.partition-result/9";
    EXPECT_NE(resultRefusal(bad, result.study).find("expected 'tessera.partition-result/1'"), std::string::npos);
    bad = good;
    bad["strategies"] = Json::object();
    EXPECT_NE(resultRefusal(bad, result.study), "accepted");
}

/// Whatever one field is replaced by, reading says so or takes it; it never crashes.
TEST(StoredResult, withAnyFieldReplacedIsReadOrRefused) {
    Study study = test::studyOf({"small", "zoo:lenet5", "accpar-heterogeneous"});
    setParameter(study, "levels", {"2"});
    setParameter(study, "strategies", {"accpar"});
    const Result result = run(study);
    const Json good = toJson(result);
    std::vector<Json::json_pointer> places;
    const Json flat = good.flatten();
    for (const auto& [path, value] : flat.items()) places.emplace_back(path);
    for (std::size_t p = 0; p < places.size(); ++p)
        for (const Json& value : {Json(), Json(-1), Json(1e300), Json("x"), Json::array(), Json::object()}) {
            Json bad = good;
            bad[places[p]] = value;
            const std::string said = resultRefusal(bad, result.study);
            EXPECT_FALSE(said.empty());
        }
}

TEST(Metrics, beginWithTheBestPlansAndHaveUniqueNames) {
    const std::vector<Metric> metrics = metricsOf(test::handMadeResult());
    EXPECT_EQ(metrics.front().name, "step_time_s");
    EXPECT_EQ(metrics.front().value, 0.0362);
    EXPECT_EQ(textOf(metrics.front()), "36.2 ms");
    std::map<std::string, Metric> byName;
    for (const Metric& metric : metrics) EXPECT_TRUE(byName.emplace(metric.name, metric).second) << metric.name;
    EXPECT_EQ(textOf(byName.at("dp/speedup_over_dp")), "1×");
    EXPECT_EQ(byName.at("dp/speedup_over_dp").owner, "dp");
    EXPECT_EQ(textOf(byName.at("accpar/throughput_samples_per_s")), "14,140 samples/s");
    EXPECT_EQ(textOf(byName.at("accpar/memory_share")), "3.1 %");
    EXPECT_EQ(textOf(byName.at("accelerators")), "4");
}

TEST(Headline, saysWhatCameOutInOneLine) {
    Result result = test::handMadeResult();
    EXPECT_EQ(headline(result), "6.31× over data parallelism · 36.2 ms/step · proven optimal · accpar");
    result.outcome.get<PartitionOutcome>().result.plans.clear();
    EXPECT_EQ(headline(result), "no plan");
}

}  // namespace
}  // namespace tessera::study

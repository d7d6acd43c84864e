#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/hardware/dataset.h"
#include "core/hardware/library.h"
#include "core/study/explanation.h"
#include "core/study/prediction/prices.h"
#include "core/study/prediction/study.h"
#include "tests/support/golden.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

Study predictStudy(const std::vector<std::string>& accelerators,
                   const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    Study study = newStudy("predict");
    study.models = {"zoo:resnet18"};
    study.hardware = accelerators;
    study.seed = 1;
    for (const auto& [name, text] : parameters) setParameter(study, name, {text});
    return study;
}

const Result& sample() {
    static const Result result =
        run(predictStudy({"a100-40gb", "gaudi2", "bow", "sn30", "cs2"},
                         {{"devices", "1,8"}, {"samples", "1000000"}, {"optimizer", "momentum"}}));
    return result;
}

const PredictionOutcome& predictionOf(const Result& result) {
    return result.outcome.get<PredictionOutcome>();
}

nlohmann::json plainJson(const Json& json) {
    return nlohmann::json::parse(json.dump());
}

template <typename Error>
std::string predictionRefusal(const Study& study) {
    try {
        run(study);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

PredictionOutcome twoPredictions(double first, double second, const char* reliability) {
    PredictionOutcome outcome;
    for (const auto& [name, value] : {std::pair("cs2", first), std::pair("bow", second)}) {
        predict::Prediction one;
        one.accelerator = one.name = name;
        one.batch = 2048;
        one.throughput = value;
        one.error = predict::errorOf(reliability);
        outcome.predictions.push_back(std::move(one));
    }
    outcome.ranking = predict::rankingsOf(outcome.predictions, 1);
    return outcome;
}

TEST(PredictionHeadline, namesNoWinnerWhereErrorsLeaveItOpen) {
    const PredictionOutcome open = twoPredictions(100'455, 97'634, "assumed");
    EXPECT_EQ(predictionHeadline(open),
              fmt::format("cs2 or bow: too close to call · 100,000 samples/s (44,100 to 229,000) on cs2 "
                          "· batch 2,048 · probability that this ranking of 2 is correct: {}",
                          percentText(open.ranking.front().probability)));
    const PredictionOutcome sure = twoPredictions(100'455, 10'000, "measured");
    EXPECT_EQ(predictionHeadline(sure),
              "100,000 samples/s (87,100 to 116,000) on cs2 · batch 2,048 · probability that this "
              "ranking of 2 is correct: 100 %");
    EXPECT_EQ(contenders(sure, kSampleRate, 1).size(), 1U);
    EXPECT_TRUE(contenders(sure, kSampleRate, 8).empty());
}

TEST(PredictionHeadline, saysNoMoreDigitsThanTheErrorAllows) {
    for (const auto& [value, text] : {std::pair(100'455.0, "100,000"),
                                      {1'234'567.0, "1.23 million"},
                                      {999.6, "1,000"},
                                      {4.5678, "4.57"},
                                      {0.0, "0"}})
        EXPECT_EQ(uncertainText(value), text);
    const std::vector<Metric> metrics = predictionMetrics(twoPredictions(100'455, 97'634, "assumed"));
    ASSERT_FALSE(metrics.empty());
    EXPECT_EQ(metrics.front().name, "throughput_samples_per_s");
    EXPECT_EQ(textOf(metrics.front()), "100,000 samples/s");
}

TEST(PredictionStudy, aSliceOfATransformerTakesLessThanTheWhole) {
    const auto stepOf = [](std::int64_t width) {
        Study study = predictStudy({"h200"}, {{"batch", "8"}});
        study.models = {"zoo:gpt2-xl"};
        study.dimensions = {{"tensor_parallel", width}};
        return predictionOf(run(study)).predictions.front().step.value;
    };
    EXPECT_LT(stepOf(5), 0.7 * stepOf(1));
}

TEST(PredictionStudy, saysWhereSumsWereMeasuredBetweenOtherNumbersOfDevices) {
    const test::ScratchFolder folder;
    const std::filesystem::path file = folder / "pair.json";
    writeFile(file, R"({"schema": "tessera.accelerator/1", "name": "pair", "peak_flops": {"bf16": 1e14},
        "memory": [{"name": "RAM", "capacity_bytes": 1e11, "bandwidth_bytes_per_s": 1e12}],
        "all_reduce": [{"bytes": 1e8, "devices": 2, "bandwidth_bytes_per_s": 1e10}]})");
    const auto sentences = [&](const std::string& devices) {
        std::vector<std::string> found;
        for (const std::string& each : run(predictStudy({file.string()}, {{"devices", devices}})).assumptions)
            if (each.find("no all-reduce between") != std::string::npos) found.push_back(each);
        return found;
    };
    EXPECT_THAT(sentences("1,2"), testing::IsEmpty());
    const auto sentence = [&](int devices) {
        return fmt::format(
            "{}: no all-reduce between {} devices was measured; a ring's is computed from those measured between "
            "another number.",
            file.stem().string(), devices);
    };
    EXPECT_THAT(sentences("2,4,16"), testing::ElementsAre(sentence(4), sentence(16)));
}

TEST(PredictionStudy, everyBatchThatFitsIsTimed) {
    for (const predict::Prediction& one : predictionOf(sample()).predictions) {
        ASSERT_FALSE(one.batches.empty());
        for (const predict::BatchMemory& tried : one.batches) {
            EXPECT_EQ(tried.throughput > 0, tried.fits && !one.infeasible) << nameOf(one) << ' ' << tried.batch;
            if (tried.batch == one.batch) {
                EXPECT_DOUBLE_EQ(tried.throughput, one.throughput) << nameOf(one);
            }
        }
    }
    const Result given = run(predictStudy({"h100"}, {{"batch", "64"}}));
    for (const predict::BatchMemory& tried : predictionOf(given).predictions.front().batches)
        EXPECT_EQ(tried.throughput, 0) << "the batch was given";
}

TEST(Prices, areReadAndWritten) {
    EXPECT_EQ(pricesIn(" h100=2.99, a100 = $1.5"), (Prices{{"h100", 2.99}, {"a100", 1.5}}));
    EXPECT_EQ(textOf(Prices{{"h100", 2.99}, {"a100", 1.5}}), "a100=1.5,h100=2.99");
    EXPECT_TRUE(pricesIn("").empty());
    for (const char* wrong : {"h100", "h100=", "=2", "h100=-1", "h100=0", "h100=cheap"}) {
        EXPECT_THROW(pricesIn(wrong), UsageError) << wrong;
    }
    EXPECT_THAT(predictionRefusal<UsageError>(predictStudy({"h100"}, {{"prices", "h200=2"}})),
                testing::HasSubstr("option '--prices' names 'h200'; did you mean 'h100'?"));
}

TEST(Prices, aResultWithOtherPricesIsThatOfAStudyThatSaysThem) {
    const std::vector<std::pair<std::string, std::string>> parameters{{"devices", "1,8"}, {"samples", "1000000"}};
    const Result plain = run(predictStudy({"h100", "h200", "mi210"}, parameters));
    auto priced = parameters;
    priced.emplace_back("prices", "h100=9,mi210=3.2");
    const Result anew = run(predictStudy({"h100", "h200", "mi210"}, priced));
    const Result first = repriced(plain, {{"h100", 4}});
    const Result result = repriced(first, {{"h100", 9}, {"mi210", 3.2}});
    EXPECT_EQ(result.study.parameters->at("prices"), "h100=9,mi210=3.2");
    ASSERT_EQ(predictionOf(result).predictions.size(), predictionOf(anew).predictions.size());
    for (std::size_t i = 0; i < predictionOf(anew).predictions.size(); ++i)
        EXPECT_EQ(predictionOf(result).predictions[i], predictionOf(anew).predictions[i]) << i;
    EXPECT_EQ(predictionOf(result).ranking, predictionOf(anew).ranking);
    const predict::Ranking* order = nullptr;
    for (const predict::Ranking& each : predictionOf(anew).ranking)
        if (each.metric == kSamplesPerDollar && each.devices == 1) order = &each;
    ASSERT_NE(order, nullptr);
    EXPECT_EQ(order->order.front(), "h200") << "h100 costs twice as much now";
    const hardware::Provenance& own = predictionOf(result).predictions.front().sources.at("price_per_hour_usd");
    EXPECT_EQ(own.reliability, hardware::kOwnNumber);
    ASSERT_TRUE(own.was.has_value());
    EXPECT_NEAR(own.was->value, *devicePrice(predictionOf(plain).predictions.front()), 1e-12);
    Study before = predictStudy({"h100"});
    Json older = *before.parameters;
    older.erase("prices");
    before.parameters = older;
    EXPECT_EQ(contentHash(predictStudy({"h100"})), contentHash(before)) << "studies of before keep their name";
}

TEST(PredictionStudy, isWrittenAndReadBackExactly) {
    const Json document = toJson(sample());
    EXPECT_EQ(test::schemaErrors(plainJson(document), "prediction-result.schema.json"), "");
    const JsonDocument text = JsonDocument::parse(toText(document), "result.json");
    const Result again = readResult(text.root(), sample().study);
    EXPECT_EQ(toJson(again), document);
    EXPECT_EQ(headline(again), headline(sample()));
}

TEST(PredictionStudy, isTheSameWheneverItRuns) {
    const Study study = predictStudy({"a100-40gb", "bow"}, {{"devices", "1,2"}});
    EXPECT_EQ(toText(toJson(run(study))), toText(toJson(run(study))));
}

TEST(PredictionStudy, predictsEveryAcceleratorByEveryNumberOfDevices) {
    const PredictionOutcome& outcome = predictionOf(sample());
    ASSERT_EQ(outcome.predictions.size(), 10U);
    std::set<std::string> names;
    for (const predict::Prediction& one : outcome.predictions) {
        names.insert(nameOf(one));
        if (one.infeasible) continue;
        EXPECT_GT(one.throughput, 0);
        double placed = 0;
        for (const predict::LevelUse& level : one.memory.levels) {
            EXPECT_LE(predict::sumOf(level.bytes), level.capacity->value) << nameOf(one);
            placed += predict::sumOf(level.bytes);
        }
        EXPECT_NEAR(placed / predict::sumOf(one.memory.bytes), 1, 1e-12);
        EXPECT_DOUBLE_EQ(one.trainingTime->value, 1'000'000 / one.throughput);
    }
    EXPECT_EQ(names.size(), 10U);
    EXPECT_EQ(outcome.ranking.size(), 4U) << "two metrics at two device counts";
}

TEST(PredictionStudy, explainsEveryMetric) {
    const std::vector<Metric> metrics = metricsOf(sample());
    ASSERT_GT(metrics.size(), 20U);
    std::set<std::string> names;
    std::map<std::string, std::string> formulas;  // of all accelerators and device counts
    for (const Metric& metric : metrics) {
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
        const std::optional<Explanation> explanation = explain(sample(), metric.name);
        ASSERT_TRUE(explanation) << metric.name;
        EXPECT_EQ(explanation->value, textOf(metric));
        const std::string number = metric.name.substr(metric.name.find_last_of('/') + 1);
        EXPECT_EQ(formulas.emplace(number, explanation->formula).first->second, explanation->formula) << metric.name;
        EXPECT_FALSE(explanation->source.empty());
        EXPECT_FALSE(explanation->terms.empty()) << metric.name;
    }
    EXPECT_FALSE(explain(sample(), "no_such_number"));
    std::string text;
    for (const auto& [number, formula] : formulas) text += number + ": " + formula + '\n';
    test::expectGolden(text, "tests/data/formulas/prediction.txt");
}

TEST(PredictionStudy, namesItsInputs) {
    std::set<std::string> names;
    for (const Input& input : sample().inputs) names.insert(input.name);
    for (const char* name : {"zoo:resnet18", "bow", "bow/bow.csv", "gaudi2"}) EXPECT_TRUE(names.contains(name)) << name;
    for (const InputFile& file : predictionFiles(sample().study)) EXPECT_TRUE(names.contains(file.name)) << file.name;
}

TEST(PredictionStudy, bundledOneRunsAndFitsItsSchema) {
    const Study study = loadStudy("resnet50-accelerators");
    EXPECT_EQ(test::schemaErrors(plainJson(toJson(study)), "study.schema.json"), "");
    const Result result = run(study);
    EXPECT_EQ(test::schemaErrors(plainJson(toJson(result)), "prediction-result.schema.json"), "");
    EXPECT_NE(fastestPrediction(predictionOf(result)), nullptr);
}

TEST(PredictionStudy, refusesInOneSentence) {
    EXPECT_EQ(predictionRefusal<UsageError>(predictStudy({"bow", "bow"})), "accelerator 'bow' is named twice");
    EXPECT_EQ(predictionRefusal<UsageError>(predictStudy({"bow"}, {{"devices", "1,x"}})),
              "option '--devices' is '1,x'; expected at most 64 whole numbers from 1 to 1000000, separated by commas");
    EXPECT_EQ(predictionRefusal<UsageError>(predictStudy({"bow"}, {{"dtype", "int3"}})),
              "cannot train in the data type 'int3'; expected one of bf16, fp16, fp32, tf32, fp64, fp8");
    EXPECT_EQ(predictionRefusal<UsageError>(predictStudy({"bow"}, {{"dataset", "imagenett"}})),
              "there is no dataset 'imagenett'; did you mean 'imagenet'?");
    const std::string fp64 = predictionRefusal<DataError>(predictStudy({"bow"}, {{"dtype", "fp64"}}));
    EXPECT_TRUE(
        fp64.ends_with("bow.json: field 'peak_flops.fp64' is missing; expected the peak rate of the data type, "
                       "which the prediction engine needs"))
        << fp64;
    const std::string host = predictionRefusal<DataError>(predictStudy({"bow"}, {{"dataset", "imagenet"}}));
    EXPECT_TRUE(
        host.ends_with("bow.json: field 'host_bandwidth_bytes_per_s' is missing; expected the bandwidth to the "
                       "host, which loading a dataset needs"))
        << host;
    const std::string none = predictionRefusal<InfeasibleError>(predictStudy({"a100-40gb"}, {{"batch", "1000000"}}));
    EXPECT_TRUE(none.starts_with("resnet18 fits on none of the accelerators: batch 1,000,000 needs ")) << none;
}

TEST(PredictionStudy, countsLoadingOfADataset) {
    const Result result = run(predictStudy({"a100-40gb"}, {{"dataset", "imagenet"}, {"batch", "32"}}));
    const predict::Prediction& one = predictionOf(result).predictions.at(0);
    EXPECT_DOUBLE_EQ(one.load.value, 32 * 115440 / 32e9);
    EXPECT_DOUBLE_EQ(one.step.value, std::max(one.load.value, one.compute.value));
    EXPECT_DOUBLE_EQ(one.trainingTime->value, 1281167 / one.throughput) << "one pass over it";
}

TEST(PredictionStudy, tellsWhatItWillTakeAndWhatIsWrong) {
    EXPECT_TRUE(estimate(predictStudy({"bow"})).problems.empty());
    EXPECT_EQ(estimate(predictStudy({"bow", "bow"})).problems,
              std::vector<std::string>{"accelerator 'bow' is named twice"});
}

TEST(Datasets, bundledOnesFitTheirSchema) {
    for (const auto& [id, path] : hardware::libraryFiles("datasets", "\"tessera.dataset/")) {
        std::ifstream stream(path);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(stream), "dataset.schema.json"), "") << id;
        const hardware::Dataset dataset = hardware::loadDataset(id);
        const JsonDocument again = JsonDocument::parse(toText(hardware::toJson(dataset)), dataset.file);
        EXPECT_EQ(hardware::readDataset(again.root()), dataset) << id;
    }
}

}  // namespace
}  // namespace tessera::study

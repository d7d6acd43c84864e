#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/cost/study.h"
#include "core/study/explanation.h"
#include "core/study/key_result.h"
#include "core/study/title.h"
#include "tests/support/broken_document.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

Study costStudy(const std::string& workload, const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    Study study = newStudy("cost");
    study.workloads = {workload};
    for (const auto& [name, text] : parameters) setParameter(study, name, {text});
    return study;
}

const CostOutcome& outcomeOf(const Result& result) {
    return result.outcome.get<CostOutcome>();
}

class CostStudy : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        writeFile(path, text);
        return path.string();
    }
    TemporaryFolder folder_;
};

TEST_F(CostStudy, readsBackExactlyWhatItWrites) {
    const std::string table = write("jobs.csv",
                                    "0,0,80,96,30,30,3,3,1\n"
                                    "0,1,1,144,58,58,3,3,2\n"
                                    "0,4,8,8,2,9,3,3,1\n");
    for (const char* variant : {"corrected", "published"}) {
        const Result result = run(costStudy(table, {{"variant", variant}, {"pes", "256"}}));
        const Json document = toJson(result);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.dump()), "layer-costs.schema.json"), "");
        const Result read = readResult(JsonDocument::parse(toText(document), "run.json").root(), result.study);
        EXPECT_EQ(toJson(read).dump(), document.dump());
        EXPECT_EQ(outcomeOf(read).layers, outcomeOf(result).layers);
        EXPECT_EQ(outcomeOf(read).array, outcomeOf(result).array);
        EXPECT_EQ(read.study, result.study);
        EXPECT_EQ(headline(read), headline(result));
    }
}

TEST_F(CostStudy, refusesBrokenDocumentsInOneSentence) {
    const Result result = run(costStudy(write("jobs.csv", "0,0,80,96,30,30,3,3,1\n0,4,8,8,2,9,3,3,1\n")));
    EXPECT_GT(test::refusedWhenBroken(result), 200U);
}

TEST(CostResult, sumsTheLayers) {
    const Result result = run(costStudy("zoo:alexnet"));
    const CostOutcome& outcome = outcomeOf(result);
    ASSERT_EQ(outcome.layers.size(), 8U);
    double cycles = 0, energy = 0;
    for (const LayerEstimate& layer : outcome.layers) {
        cycles += static_cast<double>(layer.cost.cycles);
        energy += layer.cost.energy;
        EXPECT_NEAR(layer.cost.utilisation, *macsPerCycle(layer) / 2048, 1e-9) << layer.name;
    }
    std::map<std::string, double> metrics;
    for (const Metric& metric : metricsOf(result)) {
        metrics[metric.name] = metric.value;
        const auto explained = explain(result, metric.name);
        ASSERT_TRUE(explained) << metric.name;
        EXPECT_EQ(explained->value, textOf(metric)) << metric.name;
        EXPECT_FALSE(explained->formula.empty()) << metric.name;
    }
    EXPECT_FALSE(explain(result, "nothing"));
    EXPECT_EQ(metrics.at("cycles"), cycles);
    EXPECT_EQ(metrics.at("energy_j"), energy);
    EXPECT_EQ(metrics.at("layers"), 8);
    EXPECT_EQ(metrics.at("not_analysed"), 0);
    EXPECT_LT(metrics.at("utilisation"), 1);
    EXPECT_EQ(titleOf(result), "alexnet under nvdla");
    EXPECT_EQ(keyResult("cost", metrics, headline(result)), formatCount(cycles) + " cycles");
    EXPECT_THAT(headline(result), testing::HasSubstr("nvdla on 2,048 elements"));
}

TEST(CostResult, isTheSameBytesWithAnyNumberOfThreads) {
    RunContext many;
    many.threads = 4;
    EXPECT_EQ(toText(toJson(run(costStudy("zoo:alexnet")))), toText(toJson(run(costStudy("zoo:alexnet"), many))));
}

TEST_F(CostStudy, tellsWhatItRestsOn) {
    const std::string table = write("jobs.csv", "0,0,80,96,30,30,3,3,1\n");
    const std::string dataflow = write("mine.m", "Dataflow { SpatialMap(1,1) K; TemporalMap(1,1) C; }\n");
    const Study study = costStudy(table, {{"dataflow", dataflow}});
    const Result result = run(study);
    ASSERT_EQ(result.inputs.size(), 2U);
    EXPECT_EQ(result.inputs[0].name, table);
    EXPECT_EQ(result.inputs[1].name, dataflow);
    const std::vector<InputFile> files = costFiles(study);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path, table);
    EXPECT_EQ(files[1].path, dataflow);

    // Read from elsewhere, the result is the same.
    const std::string moved = write("moved.csv", readFile(table)), other = write("other.m", readFile(dataflow));
    RunContext context;
    context.files = std::make_shared<InputFiles>();
    context.files->redirect(table, moved);
    context.files->redirect(dataflow, other);
    std::filesystem::remove(table);
    std::filesystem::remove(dataflow);
    Json repeated = toJson(run(study, context));
    EXPECT_EQ(repeated["dataflow"], "other") << "a dataflow is called as its file";
    repeated["dataflow"] = "mine";
    EXPECT_EQ(repeated, toJson(result));
}

TEST_F(CostStudy, reportsProgressAndStops) {
    std::string table;
    for (int i = 0; i < 300; ++i) table += "0,0,80,96,30,30,3,3,1\n";
    const Study study = costStudy(write("jobs.csv", table));
    double last = 0;
    RunContext context;
    context.progress = [&](const ProgressEvent& event) {
        if (event.task == "layers") last = event.done / event.total;
    };
    run(study, context);
    EXPECT_EQ(last, 1);
    std::stop_source stop;
    context.cancel = stop.get_token();
    context.progress = [&](const ProgressEvent& event) {
        if (event.task == "layers") stop.request_stop();
    };
    EXPECT_THROW(run(study, context), InterruptedError);
}

TEST(CostEstimate, saysHowManyLayersOrWhatIsWrong) {
    EXPECT_THAT(estimate(costStudy("zoo:alexnet")).text, testing::HasSubstr("8 layers: less than a second"));
    const Estimate wrong = estimate(costStudy("zoo:alexnet", {{"dataflow", "nvdia"}}));
    ASSERT_EQ(wrong.problems.size(), 1U);
    EXPECT_THAT(wrong.problems[0], testing::HasSubstr("did you mean 'nvdla'?"));
    EXPECT_FALSE(estimate(newStudy("cost")).problems.empty());
}

}  // namespace
}  // namespace tessera::study

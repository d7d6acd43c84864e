// What a vector core does and an estimator are a row each: a search for an accelerator reckons with them, and they are
// listed, offered and said in results with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/cost/core_cost.h"
#include "core/model/operators/backward.h"
#include "core/model/operators/examples.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/zoo.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "ui/editors/study_form.h"

namespace tessera::cost {
namespace {

using testing::HasSubstr;

/// Two operators that count alike in a model; of the second alone a row says what a vector core does for it.
model::OperatorKind waveKind(std::string_view id) {
    return {.id = id,
            .title = id,
            .shape = [](model::RuleContext& node) { node.setLike(0, 0); },
            .backward = model::backward::ofInput("multiply", 1),
            .cost = "negate",
            .flopsPerOutput = 1,
            .example = {.inputs = {model::floats({2, 3})}, .outputs = {model::floats({2, 3})}, .macs = 0, .flops = 6}};
}

model::Graph wavingNetwork(model::zoo::Network net, const std::string& op) {
    const std::string x = net.unary(op, net.fc(net.input("input", {64}), "fc1", 64));
    return std::move(net).finish(net.fc(x, "fc2", 10));
}

model::ZooEntry wavingEntry(std::string_view id, model::Graph (*build)(model::zoo::Network)) {
    return {.id = std::string(id),
            .title = "Waving",
            .family = "perceptron",
            .source = "a test",
            .description = "Two layers with a wave between.",
            .build = build};
}

constexpr int kWaveSteps = 100'000;
constexpr std::array<std::string_view, 1> kTwiceAssumptions{"Everything takes twice as long as it does."};

OperatorCost twiceAsLong(const CoreWork& work, const hardware::Architecture& architecture, const hardware::Rates& rates,
                         TilingMemo& tilings) {
    OperatorCost cost = estimatorNamed("physical")->estimateWith(work, architecture, rates, tilings);
    for (CoreUse* use : {&cost.oneCore, &cost.allCores}) use->latency = 2.0 * use->latency;
    return cost;
}

MinTimes twiceTheMin(const CoreWork& work, const hardware::Architecture& architecture, const hardware::Rates& rates) {
    MinTimes min = estimatorNamed("physical")->min(work, architecture, rates);
    for (Seconds* time : {&min.oneCore, &min.allCores}) *time = 2.0 * *time;
    return min;
}

class CostRows : public testing::Test {
protected:
    static void SetUpTestSuite() {
        model::addOperatorKind(waveKind("Wave"));
        model::addOperatorKind(waveKind("SlowWave"));
        model::addZooEntry(
            wavingEntry("waving", [](model::zoo::Network net) { return wavingNetwork(std::move(net), "Wave"); }));
        model::addZooEntry(wavingEntry(
            "slowly-waving", [](model::zoo::Network net) { return wavingNetwork(std::move(net), "SlowWave"); }));
        addVectorKind({.id = "slow-wave",
                       .title = "Slow wave",
                       .steps = "exp, a hundred thousand times",
                       .simple = 0,
                       .elementary = kWaveSteps,
                       .operators = "SlowWave SlowerWave"});
        addEstimator({"toy-twice", "Twice as long", "the physical estimate, twice", kTwiceAssumptions, twiceAsLong,
                      twiceTheMin});
    }
    /// The result of one architecture for the model, on an accelerator without others.
    static Json designed(const std::string& model, const std::string& estimator) {
        study::Study study = study::newStudy("codesign");
        study.models = {"zoo:" + model};
        study.hardware = {"phaze"};
        study.seed = 5;
        for (const auto& [name, value] :
             {std::pair{"accelerators", "1"}, {"global_batch", "16"}, {"search", "random"}, {"samples", "1"}})
            study::setParameter(study, name, {value});
        study::setParameter(study, "estimator", {estimator});
        return study::toJson(study::run(study));
    }
    static double throughputOf(const Json& result) {
        return result.at("best").at("throughput_samples_per_s").at(0).get<double>();
    }
};

TEST_F(CostRows, aVectorKindIsWhatItsOperatorsTake) {
    ASSERT_EQ(vectorKindOf("SlowWave", false), vectorKindNamed("slow-wave"));
    EXPECT_EQ(vectorKindOf("SlowWave", true), nullptr) << "the row says nothing of gradients";
    EXPECT_EQ(vectorKindOf("Wave", false), nullptr);
    EXPECT_EQ(cyclesPerElement(*vectorKindNamed("slow-wave")), kElementaryCycles * kWaveSteps);
    const Json slow = designed("slowly-waving", "physical");
    const Json quick = designed("waving", "physical");
    EXPECT_EQ(slow.at("best").at("architecture"), quick.at("best").at("architecture")) << "the same draw";
    EXPECT_LT(10 * throughputOf(slow), throughputOf(quick));
}

TEST_F(CostRows, anEstimatorIsReckonedWithAndSaidInTheResult) {
    const Json twice = designed("waving", "toy-twice");
    EXPECT_DOUBLE_EQ(2 * throughputOf(twice), throughputOf(designed("waving", "physical")));
    EXPECT_THAT(twice.at("assumptions").get<std::vector<std::string>>(),
                testing::Contains(std::string(kTwiceAssumptions[0])));
    EXPECT_EQ(twice.at("parameters").at("estimator"), "toy-twice");
}

TEST_F(CostRows, anEstimatorIsListedByTheCommandLineAndOfferedByTheForm) {
    EXPECT_THAT(test::printed({"codesign", "--help"}), HasSubstr("physical, phaze, toy-twice"));
    const auto* parameter = study::findParameter(study::engineNamed("codesign").parameters(), "estimator");
    ASSERT_NE(parameter, nullptr);
    EXPECT_TRUE(ui::fieldOf(*parameter)->words.contains(QStringLiteral("toy-twice")));
}

}  // namespace
}  // namespace tessera::cost

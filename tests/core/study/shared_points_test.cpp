#include "core/study/exploration/shared_points.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/study/shared_work.h"
#include "core/study/study.h"
#include "tests/support/scratch_folder.h"

/// Points as other processes evaluate them: from what they are given alone, to what is evaluated here.
namespace tessera::study {
namespace {

constexpr const char* kLayersOfShared = R"({"schema": "tessera.layers/1", "name": "toy", "layers": [
{"name": "cv1", "kind": "conv", "in_channels": 3, "out_channels": 64, "in_height": 32, "in_width": 32,
 "conv_height": 32, "conv_width": 32, "kernel_height": 3, "kernel_width": 3}]})";

/// An exploration of a file of its own, which is gone once rank 0 has read it.
class SharedPoints : public testing::Test {
protected:
    SharedPoints() : files_(std::make_shared<InputFiles>()) {
        const std::string model = (scratch_.path() / "toy.json").string();
        std::ofstream(model) << kLayersOfShared;
        study_ = readStudy(JsonDocument::parse(fmt::format(R"({{"schema": "tessera.exploration/1",
"study": {{"engine": "cost", "workloads": ["{}"]}},
"variables": [{{"parameter": "pes", "low": 16, "high": 4096}},
              {{"parameter": "offchip_bandwidth", "low": 8, "high": 128}},
              {{"name": "noc", "parameter": "noc_bandwidth", "formula": "offchip_bandwidth - 10"}}],
"objectives": ["cycles", "energy_j"], "constraints": ["cycles <= 20000"]}})",
                                                           model),
                                               "x.json")
                               .root());
        definition_ = definitionOf(study_);
        {
            const InputScope inputs(files_);
            space_.emplace(definition_.base, definition_.variables);
        }
        evaluator_.emplace(definition_, *space_, files_);
        std::optional<Result> result;
        evaluator_->evaluateBase(
            {}, [] {}, result);
        setup_ = sharedSetup(study_, *files_, 2);
        std::filesystem::remove(model);
    }

    test::ScratchFolder scratch_;
    std::shared_ptr<InputFiles> files_;
    Study study_;
    ExplorationDefinition definition_;
    std::optional<ExploredSpace> space_;
    std::optional<PointEvaluator> evaluator_;
    std::shared_ptr<const ranks::Setup> setup_;
};

TEST_F(SharedPoints, areWhatIsEvaluatedHereWithoutAnyFile) {
    EXPECT_EQ(setup_->kind, kPointsOfExploration);
    EXPECT_EQ(setup_->threads, 2U);
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(setup_->bytes);
    SharedAnswers answers(*space_, definition_.objectives.size(), evaluator_->metrics());
    int constrained = 0, whole = 0;
    for (const bool keepsWhole : {false, true})
        for (const double pes : {16.0, 100.0, 4096.0}) {
            const explore::Point point{pes, 64};
            const std::optional<std::string> answer = doer->answer(questionOf(point, keepsWhole), {});
            ASSERT_TRUE(answer) << "it is evaluated there";
            const EvaluatedPoint there = answers.read(point, *answer);
            const EvaluatedPoint here = evaluator_->evaluate(point, {}, keepsWhole);
            EXPECT_EQ(there.values, here.values);
            EXPECT_EQ(there.metrics, here.metrics) << "the same metrics of the same pool";
            EXPECT_EQ(there.objectives, here.objectives);
            EXPECT_EQ(there.fault, here.fault);
            EXPECT_EQ(there.reason, here.reason);
            EXPECT_EQ(there.kind, here.kind);
            EXPECT_EQ(there.violation, here.violation);
            ASSERT_EQ(there.document != nullptr, here.document != nullptr);
            if (there.document) {
                ++whole;
                EXPECT_EQ(toText(**there.document), toText(**here.document));
            }
            constrained += there.fault == PointFault::constraint ? 1 : 0;
        }
    EXPECT_GT(constrained, 0);
    EXPECT_GT(whole, 0);
}

TEST_F(SharedPoints, thatCannotBeEvaluatedAreForRankZero) {
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(setup_->bytes);
    const explore::Point point{100, 8.0};  // the computed bandwidth is below 0
    EXPECT_EQ(evaluator_->evaluate(point, {}).fault, PointFault::broken);
    EXPECT_FALSE(doer->answer(questionOf(point, false), {}));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(doer->answer(questionOf({100, 64}, false), {.cancel = stop.get_token()}), InterruptedError);
}

TEST_F(SharedPoints, answersThatAreNoneAreRefused) {
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(setup_->bytes);
    const explore::Point point{100, 64};
    const std::string answer = doer->answer(questionOf(point, false), {}).value();
    SharedAnswers answers(*space_, definition_.objectives.size(), evaluator_->metrics());
    EXPECT_NO_THROW(answers.read(point, answer));
    EXPECT_THROW(answers.read({100, 65}, answer), DataError) << "of another point";
    for (std::size_t size = 0; size < answer.size(); size += 7)
        EXPECT_THROW(answers.read(point, answer.substr(0, size)), DataError) << size;
    std::mt19937 random(11);
    int refused = 0;
    for (int i = 0; i < 500; ++i) {
        std::string broken = answer;
        broken[random() % broken.size()] = static_cast<char>(random());
        try {
            answers.read(point, broken);
        } catch (const DataError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_NO_THROW(answers.read(point, answer));
}

TEST_F(SharedPoints, setupsThatAreNoneAreRefused) {
    const std::string& bytes = setup_->bytes;
    for (std::size_t size = 0; size < bytes.size(); size += 97)
        EXPECT_THROW(sharedPointsDoer(bytes.substr(0, size)), DataError) << size;
    EXPECT_THROW(sharedPointsDoer(bytes + "more"), DataError);
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(bytes);
    EXPECT_THROW(doer->answer("nonsense", {}), DataError);
    EXPECT_THROW(doer->answer(questionOf({100, 64}, false) + "x", {}), DataError);
    EXPECT_TRUE(sharedWork().contains(kPointsOfExploration));
}

// The bytes of a run are those of this process, also where the other one has neither the files nor the folder.
TEST_F(SharedPoints, runsOfStudiesAreTheSameElsewhere) {
    const std::string model = (scratch_.path() / "gone.json").string();
    std::ofstream(model) << kLayersOfShared;
    Study study = newStudy("partition");
    study.models = {model};
    study.hardware = {"accpar-heterogeneous"};
    setParameter(study, "batch", std::vector<std::string>{"64"});
    const std::string here = toJson(run(study)).dump();
    const std::shared_ptr<const ranks::Setup> setup = sharedRuns({study}, std::make_shared<InputFiles>(), 1);
    std::filesystem::remove(model);
    ASSERT_TRUE(sharedWork().contains(setup->kind));
    const std::unique_ptr<ranks::TaskDoer> doer = sharedRunsDoer(setup->bytes);
    const std::optional<std::string> answer = doer->answer(questionOf(study), {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(toJson(resultOf(*answer, study)).dump(), here);
    EXPECT_THROW(doer->answer("nonsense", {}), DataError);
    EXPECT_THROW(resultOf(answer->substr(0, answer->size() / 2), study), DataError);
    EXPECT_THROW(sharedRunsDoer(setup->bytes + "more"), DataError);
}

}  // namespace
}  // namespace tessera::study

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
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/made_file.h"
#include "core/study/shared_validation.h"
#include "core/study/shared_work.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
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

/// Files that only this process makes, as those of runs of its history; a fleet names its accelerator by such a name.
class SharedMadeFiles : public testing::Test {
protected:
    SharedMadeFiles() {
        std::string fleet = readFile(test::sourcePath("data/fleets/dgx-h100x8.json"));
        const std::string own = R"("accelerator": "h100")";
        fleet.replace(fleet.find(own), own.size(), R"("accelerator": "toy:fleet-chip.json")");
        setFileMaker(
            {.prefix = "toy:",
             .has = [](const std::string& name) { return name == "toy:fleet" || name == "toy:fleet-chip.json"; },
             .bytes =
                 [fleet](const std::string& name) {
                     return name == "toy:fleet" ? fleet : readFromDisk(test::sourcePath("data/accelerators/h100.json"));
                 }});
    }
    ~SharedMadeFiles() override { setFileMaker({.prefix = {}, .has = {}, .bytes = {}}); }

    /// From now on this is a process that opens no history.
    static void forgetHowTheyAreMade() { setFileMaker({.prefix = {}, .has = {}, .bytes = {}}); }
};

TEST_F(SharedMadeFiles, goToOtherProcessesWithThePoints) {
    const Study study = readStudy(JsonDocument::parse(R"({"schema": "tessera.exploration/1",
"study": {"engine": "plan", "models": ["zoo:llama2-7b"], "hardware": ["toy:fleet"],
          "parameters": {"global_batch": 64, "fix": "tp=8,pp=1"}},
"variables": [{"name": "links", "field": "fleet.levels[NVSwitch].bandwidth_bytes_per_s", "low": 1e11, "high": 1e12}],
"objectives": ["step_time_s"]})",
                                                      "x.json")
                                      .root());
    const auto files = std::make_shared<InputFiles>();
    const ExplorationDefinition definition = definitionOf(study);
    std::optional<ExploredSpace> space;
    {
        const InputScope inputs(files);
        space.emplace(definition.base, definition.variables);
    }
    PointEvaluator evaluator(definition, *space, files);
    const explore::Point point{5e11};
    const EvaluatedPoint here = evaluator.evaluate(point, {});
    const std::shared_ptr<const ranks::Setup> setup = sharedSetup(study, *files, 1);
    forgetHowTheyAreMade();
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(setup->bytes);
    const std::optional<std::string> answer = doer->answer(questionOf(point, false), {});
    ASSERT_TRUE(answer) << "it is evaluated there";
    EXPECT_EQ(SharedAnswers(*space, 1, evaluator.metrics()).read(point, *answer).metrics, here.metrics);
    EXPECT_FALSE(isFile("toy:other"));
    EXPECT_THROW((void)readFile("toy:other"), FileError);
}

TEST_F(SharedMadeFiles, goToOtherProcessesWithRuns) {
    Study study = newStudy("partition");
    study.models = {"zoo:lenet5"};
    study.hardware = {"toy:fleet"};
    const std::string here = toJson(run(study)).dump();
    const std::shared_ptr<const ranks::Setup> setup = sharedRuns({study}, std::make_shared<InputFiles>(), 1);
    forgetHowTheyAreMade();
    const std::unique_ptr<ranks::TaskDoer> doer = sharedRunsDoer(setup->bytes);
    const std::optional<std::string> answer = doer->answer(questionOf(study), {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(toJson(resultOf(*answer, study)).dump(), here);
}

/// Rows of measured tables: the same predictions, from the tables alone.
TEST(SharedRows, areWhatIsPredictedHere) {
    const std::string file = test::sourcePath("data/measured/collectives.csv");
    const std::vector<physical::JudgedTable> tables{
        {.table = physical::readMeasuredTable(readFile(file), "gone/collectives.csv"), .sets = {}}};
    std::vector<physical::OpenTable> here = physical::openTables(tables);
    const std::shared_ptr<const ranks::Setup> setup = sharedRows(here, {}, 1);
    physical::predictTables(here, {});
    ASSERT_TRUE(sharedWork().contains(setup->kind));
    const std::unique_ptr<ranks::TaskDoer> doer = sharedRowsDoer(setup->bytes);
    const RowBlock block{.table = 0, .first = 5, .rows = 20};
    const std::string answer = doer->answer(questionOf(block), {}).value();
    std::vector<physical::OpenTable> there = physical::openTables(tables);
    readRows(answer, there, block);
    for (std::size_t i = 5; i < 25; ++i) {
        const physical::Prediction &one = here[0].rows[i].prediction, &other = there[0].rows[i].prediction;
        ASSERT_EQ(one.estimate.has_value(), other.estimate.has_value());
        EXPECT_EQ(one.refused, other.refused);
        if (!one.estimate) continue;
        EXPECT_EQ(one.estimate->value, other.estimate->value);
        EXPECT_EQ(one.estimate->low, other.estimate->low);
        EXPECT_EQ(one.estimate->high, other.estimate->high);
    }
    EXPECT_FALSE(there[0].rows[4].prediction.estimate) << "of no other row";
    EXPECT_THROW(doer->answer("nonsense", {}), DataError);
    EXPECT_THROW(doer->answer(questionOf({.table = 1, .first = 0, .rows = 1}), {}), DataError);
    EXPECT_THROW(doer->answer(questionOf({.table = 0, .first = ~std::size_t{0}, .rows = 2}), {}), DataError);
    EXPECT_THROW(readRows(answer.substr(1), there, block), DataError);
    EXPECT_THROW(sharedRowsDoer(setup->bytes + "more"), DataError);
    for (std::size_t size = 0; size < setup->bytes.size(); size += 9973)
        EXPECT_THROW(sharedRowsDoer(setup->bytes.substr(0, size)), DataError) << size;
}

}  // namespace
}  // namespace tessera::study

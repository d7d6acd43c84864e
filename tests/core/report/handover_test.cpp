#include "core/report/handover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/made_file.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/store/documents.h"
#include "core/store/recorder.h"
#include "core/study/codesign/hardware.h"
#include "core/study/codesign/outcome.h"
#include "core/study/exploration/outcome.h"
#include "core/study/mapping/outcome.h"
#include "core/study/partition/outcome.h"
#include "core/study/plan/outcome.h"
#include "core/study/prediction/outcome.h"
#include "core/study/prediction/study.h"
#include "core/study/study.h"
#include "tests/support/codesign_result.h"
#include "tests/support/scratch_folder.h"

/// What of one engine's result is an input of another: every pair is made, read by its reader and run by the engine
/// that takes it, and the numbers agree.
namespace tessera::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Handover : public testing::Test {
protected:
    Handover() {
        serveRunInputs([path = path()] { return store::Store::open(path, store::OpenMode::readOnly); });
    }
    ~Handover() override { setFileMaker({.prefix = {}, .has = {}, .bytes = {}}); }

    std::filesystem::path path() const { return folder_ / "history.db"; }
    study::Result ran(const study::Study& study) {
        store::RecordOptions options;
        options.path = path();
        options.begun = [this](store::RunId id) { last_ = id; };
        return store::runRecorded(study, {}, options).result;
    }
    /// What is stored of a run, and made again of what is stored.
    void expectRepeatable(store::RunId run) const {
        const store::Store store = store::Store::open(path(), store::OpenMode::readOnly);
        // Of the history's contents alone: what was made is not asked for again.
        setFileMaker({.prefix = "run:",
                      .has = [](const std::string&) { return false; },
                      .bytes = [](const std::string& name) -> std::string { throw FileError(name); }});
        study::RunContext context;
        context.files = store::storedInputs(store, run);
        EXPECT_EQ(study::toJson(study::run(store.study(run), context)), study::toJson(*store.result(run)));
        serveRunInputs([path = path()] { return store::Store::open(path, store::OpenMode::readOnly); });
    }
    /// "run:3/fleet" of the last run.
    std::string input(const std::string& rest) const { return "run:" + std::to_string(last_) + "/" + rest; }

    static study::Study predictOn(const std::string& accelerator, const std::string& devices) {
        study::Study study = study::newStudy("predict");
        study.models = {"zoo:resnet50"};
        study.hardware = {accelerator};
        study::setParameter(study, "devices", {devices});
        study::setParameter(study, "batch", {"8"});
        return study;
    }
    /// Seconds of a step of data parallelism by `plan`.
    static double plannedStep(const std::string& fleet, int devices) {
        study::Study study = study::newStudy("plan");
        study.models = {"zoo:resnet50"};
        study.hardware = {fleet};
        study::setParameter(study, "global_batch", {std::to_string(8 * devices)});
        study::setParameter(study, "fix",
                            {"tp=1,pp=1,cp=1,dp=" + std::to_string(devices) + ",mb=8,recompute=none,zero=0"});
        return study::run(study).outcome.get<study::PlanOutcome>().best()->scores.of(plan::Objective::time);
    }
    study::Result codesigned() { return ran(test::smallCodesign()); }

    store::RunId last_ = 0;

private:
    test::ScratchFolder folder_;
};

TEST_F(Handover, predictedAcceleratorsAreAFleetThatTakesAsLong) {
    const study::Result result = ran(predictOn("a100", "1,8,16"));
    for (const predict::Prediction& each : result.outcome.get<study::PredictionOutcome>().predictions) {
        const std::string name = input("fleet/" + study::nameOf(each));
        const hardware::Fleet fleet = hardware::loadFleet(name);
        ASSERT_EQ(fleet.groups.size(), 1U);
        EXPECT_EQ(fleet.groups[0].count, each.devices);
        EXPECT_EQ(fleet.groups[0].reference, "a100") << "the library has it as the run had it";
        EXPECT_NEAR(plannedStep(name, static_cast<int>(each.devices)) / each.step.value, 1, 0.02)
            << each.devices << " devices";
    }
}

TEST_F(Handover, anAcceleratorOfOnesOwnStandsBesideItsFleet) {
    const test::ScratchFolder own;
    const std::string file = (own / "mine.json").string();
    hardware::Accelerator accelerator = hardware::loadAccelerator("a100");
    accelerator.peakFlops["bf16"] = FlopsPerSecond{100e12};
    writeFile(file, tessera::toText(hardware::toJson(accelerator)));
    ran(predictOn(file, "8"));
    // As the run had it, whatever became of the file.
    std::filesystem::remove(file);
    const hardware::Fleet fleet = hardware::loadFleet(input("fleet/mine@8"));
    EXPECT_EQ(fleet.groups[0].accelerator.id, "mine");
    EXPECT_EQ(fleet.groups[0].accelerator.peakFlops.at("bf16"), FlopsPerSecond{100e12});

    study::Study study = study::newStudy("partition");
    study.models = {"zoo:alexnet"};
    study.hardware = {input("fleet/mine@8")};
    const study::Result result = ran(study);
    EXPECT_EQ(result.outcome.get<study::PartitionOutcome>().result.plans.empty(), false);
    EXPECT_EQ(result.study.hardware, study.hardware) << "the history says where it came from";
    const auto kept = store::Store::open(path(), store::OpenMode::readOnly).inputs(last_);
    EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [&](const store::InputContent& each) {
        return each.name == study.hardware.front() && each.bytes == readFile(study.hardware.front());
    })) << "and holds what was used";
    expectRepeatable(last_);
}

TEST_F(Handover, aCoDesignedArchitectureIsAnAcceleratorAPlatformAndAFleet) {
    const codesign::Result found = codesigned().outcome.get<study::CodesignOutcome>().result;
    ASSERT_TRUE(found.best);
    const hardware::Architecture& best = found.best->architecture;
    const double peak = 2 * hardware::peakMacs(best) * found.space.rates.clock.value;

    const hardware::Accelerator accelerator = hardware::loadAccelerator(input("accelerator"));
    EXPECT_EQ(accelerator.peakFlops.at("bf16").value, peak);
    EXPECT_EQ(hardware::memoryCapacity(accelerator), found.best->hbm);
    EXPECT_EQ(accelerator.network, codesign::networkOf(best, found.options));
    char area[32];
    std::snprintf(area, sizeof area, "%.4g mm²", found.best->area.value);
    EXPECT_THAT(accelerator.name, AllOf(HasSubstr(hardware::nameOf(best)), HasSubstr(area)));
    EXPECT_THAT(accelerator.provenance.at("peak_flops.bf16").source, HasSubstr("co-design of zoo:bert-base on PHAZE"));

    const hardware::Fleet fleet = hardware::loadFleet(input("fleet"));
    EXPECT_EQ(hardware::acceleratorCount(fleet), 16);
    EXPECT_EQ(fleet.groups[0].accelerator.peakFlops, accelerator.peakFlops);

    const hardware::Platform platform = hardware::loadPlatform(input("platform"));
    EXPECT_EQ(2 * static_cast<double>(hardware::elementCount(platform)) * platform.clock.value, peak);
    EXPECT_EQ(platform.bandwidth.value * 2, hardware::ratesOf(best, found.space).hbmBandwidth.value)
        << "words of two bytes";

    // Each is run by the engine that takes it.
    const std::string source = "run:" + std::to_string(last_);
    study::Study predict = predictOn(source + "/accelerator", "1,16");
    predict.models = {"zoo:bert-base"};
    const study::Result predicted = ran(predict);
    // The utilisation that the co-design printed is that of this peak, with the work that a prediction counts.
    const codesign::ModelResult& model = found.perModel.front();
    EXPECT_NEAR(
        model.mfu * peak * 16 / model.throughput / predicted.outcome.get<study::PredictionOutcome>().flopsPerSample, 1,
        0.05);
    EXPECT_FALSE(predicted.outcome.get<study::PredictionOutcome>().predictions.front().infeasible);
    expectRepeatable(last_);
    study::Study map = study::newStudy("mapping");
    map.workloads = {"zoo:alexnet"};
    map.hardware = {source + "/platform"};
    study::setParameter(map, "algorithms", {"herald-like"});
    EXPECT_EQ(ran(map).outcome.get<study::MappingOutcome>().result.runs.size(), 1U);
    expectRepeatable(last_);
    EXPECT_GT(plannedStep(source + "/fleet", 16), 0);
}

TEST_F(Handover, anyArchitectureOfTheSearchMayBeChosen) {
    const study::Result result = codesigned();
    const codesign::Result& found = result.outcome.get<study::CodesignOutcome>().result;
    const std::vector<std::string> names = study::designNames(found);
    ASSERT_GT(names.size(), 2U);
    EXPECT_EQ(names.front(), hardware::nameOf(found.best->architecture));
    for (const std::string& name : names) {
        const hardware::Accelerator its = hardware::loadAccelerator(input("accelerator/" + name));
        EXPECT_EQ(its.peakFlops.at("bf16").value,
                  2 * hardware::peakMacs(study::designNamed(found, name).architecture) * found.space.rates.clock.value);
    }
}

class StageHandover : public Handover, public testing::WithParamInterface<const char*> {};

/// The operators of a stage's model by the names of their blocks.
std::size_t blocksOf(const model::Graph& graph) {
    std::vector<std::string> names;
    for (const model::Operator& each : graph.operators)
        if (!each.block.empty() && std::find(names.begin(), names.end(), each.block) == names.end())
            names.push_back(each.block);
    return names.size();
}

TEST_P(StageHandover, coversTheLayersOfTheStageAndIsPartitioned) {
    study::Study study = study::newStudy("plan");
    study.models = {"zoo:gpt2"};
    study.hardware = {"dgx-h100x8"};
    study::setParameter(study, "global_batch", {"32"});
    study::setParameter(study, "fix", {GetParam()});
    const study::Result result = ran(study);
    const auto& outcome = result.outcome.get<study::PlanOutcome>();
    const plan::Evaluated& best = *outcome.best();
    const std::string plan = "run:" + std::to_string(last_);
    std::size_t operators = 0;
    std::int64_t parameters = 0;
    for (std::size_t i = 0; i < best.stages.size(); ++i) {
        const study::Study made = study::loadStudy(plan + "/stage/1/" + std::to_string(i + 1));
        EXPECT_EQ(made.engine, "partition");
        const model::Model model = model::loadModel(made.models.front());
        ASSERT_NE(model.graph(), nullptr);
        EXPECT_EQ(blocksOf(*model.graph()), static_cast<std::size_t>(best.stages[i].layers)) << i;
        operators += model.graph()->operators.size();
        parameters += model::summarise(*model.graph()).parameters.value_or(0);
        const hardware::Fleet fleet = hardware::loadFleet(made.hardware.front());
        EXPECT_EQ(hardware::acceleratorCount(fleet) * static_cast<std::int64_t>(best.stages.size()),
                  best.configuration.accelerators());
        const study::Result stage = ran(made);
        EXPECT_FALSE(stage.outcome.get<study::PartitionOutcome>().result.plans.empty());
        expectRepeatable(last_);
    }
    const model::Model whole = model::loadModel("zoo:gpt2");
    EXPECT_EQ(operators, whole.graph()->operators.size()) << "no operator is lost, none stands twice";
    EXPECT_GE(parameters, *model::summarise(*whole.graph()).parameters);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, StageHandover,
                         testing::Values("tp=2,pp=4,dp=1", "tp=1,pp=2,dp=4,vp=3,schedule=interleaved",
                                         "tp=4,pp=1,dp=2"),
                         [](const auto& tested) { return "plan" + std::to_string(tested.index); });

TEST_F(Handover, theStageOfANetworkIsItsLayers) {
    study::Study study = study::newStudy("plan");
    study.models = {"zoo:resnet18"};
    study.hardware = {"dgx-h100x8"};
    study::setParameter(study, "global_batch", {"64"});
    study::setParameter(study, "fix", {"pp=2,dp=4"});
    const study::Result result = ran(study);
    const plan::Evaluated& best = *result.outcome.get<study::PlanOutcome>().best();
    ASSERT_EQ(best.stages.size(), 2U);
    std::int64_t parameters = 0;
    const std::string plan = "run:" + std::to_string(last_);
    for (const char* stage : {"/stage/1/1", "/stage/1/2"}) {
        const study::Study made = study::loadStudy(plan + stage);
        parameters += *model::summarise(*model::loadModel(made.models.front()).graph()).parameters;
        EXPECT_FALSE(study::run(made).outcome.get<study::PartitionOutcome>().result.plans.empty());
    }
    EXPECT_EQ(parameters, *model::summarise(*model::loadModel("zoo:resnet18").graph()).parameters);
}

TEST_F(Handover, aPointOfAnExplorationIsAStudyOfTheSameNumbers) {
    study::Study base = predictOn("a100", "8");
    study::Study study = study::newStudy("explore");
    study::setParameter(study, "study", JsonDocument::parse(tessera::toText(study::toJson(base)), "base").root());
    study::setParameter(
        study, "variables",
        JsonDocument::parse(R"([{"name": "hbm", "field": "accelerators.a100.memory[HBM2e].bandwidth_bytes_per_s",
                                 "values": ["1 TB/s", "3 TB/s"]}])",
                            "variables")
            .root());
    study::setParameter(study, "objectives", JsonDocument::parse(R"(["throughput_samples_per_s"])", "o").root());
    study::setParameter(study, "method", {"grid"});
    const study::Result result = ran(study);
    const auto& outcome = result.outcome.get<study::ExplorationOutcome>();
    ASSERT_EQ(outcome.points.size(), 2U);
    for (std::size_t point = 0; point < 2; ++point) {
        const study::Study made = study::loadStudy(input("study/" + std::to_string(point + 1)));
        const study::Result alone = study::run(made);
        const auto metrics = study::metricsOf(alone);
        bool isFound = false;
        for (std::size_t i = 0; i < outcome.metrics.size(); ++i)
            for (const study::Metric& metric : metrics)
                if (metric.name == outcome.metrics[i].id) {
                    isFound = true;
                    EXPECT_EQ(metric.value, outcome.points[point].metrics[i]) << metric.name;
                }
        EXPECT_TRUE(isFound);
    }
}

TEST_F(Handover, whatCannotBeMadeIsRefusedWithItsReason) {
    ran(predictOn("a100", "8"));
    const auto refusal = [](const std::string& name) -> std::string {
        try {
            (void)readFile(name);
        } catch (const FileError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_THAT(refusal(input("fleet/a100@9")), HasSubstr("has nothing of 'a100@9'; expected one of a100@8"));
    EXPECT_THAT(refusal(input("platform")), HasSubstr("a run of predict makes no 'platform'; expected one of fleet"));
    EXPECT_THAT(refusal("run:99/fleet"), HasSubstr("there is no run '99'"));
    EXPECT_THAT(refusal("run:last/fleet"), HasSubstr("'last' is no number of a run"));
    EXPECT_THAT(refusal("run:1"), HasSubstr("expected run:NUMBER/FILE"));
    EXPECT_FALSE(isFile(input("fleet/other")));
    EXPECT_TRUE(isFile(input("fleet/a100@8")));
}

TEST_F(Handover, everyRowSaysWhatItMakesForWhom) {
    for (const Catalogue& catalogue : catalogues())
        for (const FileRow* row : handoversOf(catalogue.engine)) {
            EXPECT_TRUE(row->makes == "study" || !takersOf(row->makes).empty()) << row->id << " is taken by no engine";
            EXPECT_EQ(row->suffix, ".json") << row->id;
            EXPECT_EQ(row->id.find_first_of("/"), std::string_view::npos) << row->id;
        }
}

}  // namespace
}  // namespace tessera::report

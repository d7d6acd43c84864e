#include "core/study/scaling.h"

#include <atomic>

#include "core/base/error.h"
#include "core/hardware/library.h"
#include "core/study/partition/study.h"
#include "tests/core/study/studies.h"

namespace tessera::study {
namespace {

Study scalingStudy(const std::string& fleet, const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    return test::studyOf({"scaled", "zoo:vgg11", fleet, parameters});
}

std::vector<int> levelsOf(const Scaling& scaling) {
    std::vector<int> levels;
    for (const ScalingPoint& point : scaling.points) levels.push_back(point.levels);
    return levels;
}

TEST(Scaling, endsWithTheRunItself) {
    for (const test::Sample& sample : test::samples()) {
        Study study = test::studyOf(sample);
        setParameter(study, "groups", {"all"});
        const Result whole = run(study);
        const auto& outcome = whole.outcome.get<PartitionOutcome>();
        const ScalingPoint last = scaling(study).points.back();
        EXPECT_EQ(last.accelerators, outcome.accelerators) << sample.name;
        ASSERT_EQ(last.plans.size(), outcome.result.plans.size());
        for (std::size_t i = 0; i < last.plans.size(); ++i) {
            const partition::Plan& plan = outcome.result.plans[i];
            EXPECT_EQ(last.plans[i],
                      (ScalingPlan{plan.strategy, plan.stepTime, plan.throughput, plan.speedupOverDp, plan.fits}))
                << sample.name;
        }
    }
}

TEST(Scaling, halvesEveryGroupDownToOneAcceleratorOfEach) {
    const Scaling found = scaling(scalingStudy("accpar-heterogeneous"));
    EXPECT_EQ(levelsOf(found), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
    for (const ScalingPoint& point : found.points) EXPECT_EQ(point.accelerators, 1 << point.levels);
    EXPECT_FALSE(found.assumptions.empty());
}

TEST(Scaling, isThatOfRunsOnSmallerFleets) {
    const Study study = scalingStudy("accpar-heterogeneous", {{"strategies", "accpar,dp"}});
    const PartitionInputs inputs = readPartitionInputs(study, {});
    partition::Options options = inputs.options;
    options.groups = partition::Groups::all;
    hardware::Fleet eighth = inputs.fleet;
    for (hardware::Group& group : eighth.groups) group.count = 16;
    const partition::Result alone = partition::solve(*inputs.layers, eighth, options);
    const ScalingPoint point = scaling(study).points.at(4);
    EXPECT_EQ(point.accelerators, 32);
    for (std::size_t i = 0; i < alone.plans.size(); ++i) EXPECT_EQ(point.plans[i].stepTime, alone.plans[i].stepTime);
}

std::vector<std::int64_t> acceleratorsOf(const Scaling& scaling) {
    std::vector<std::int64_t> accelerators;
    for (const ScalingPoint& point : scaling.points) accelerators.push_back(point.accelerators);
    return accelerators;
}

TEST(Scaling, onPhysicalCostsHalvesTheOutermostLevel) {
    const Study nodes = scalingStudy("dgx-a100x16", {{"strategies", "joint,dp"}});
    const Scaling found = scaling(nodes);
    EXPECT_EQ(acceleratorsOf(found), (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128}));
    Study node = nodes;
    node.hardware = {"dgx-a100x8"};
    EXPECT_EQ(found.points[2].plans[0].strategy, "joint");
    EXPECT_EQ(found.points[2].plans[0].stepTime,
              run(node).outcome.get<PartitionOutcome>().result.plans.front().stepTime)
        << "an eighth and a half of sixteen nodes is one of them";
    EXPECT_EQ(acceleratorsOf(scaling(scalingStudy("h100-h200-mixed", {{"strategies", "dp"}}))),
              (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(acceleratorsOf(scaling(scalingStudy("tpu-v2-pod", {{"strategies", "dp"}}))),
              (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128, 256}))
        << "a torus is halved along its longest dimension";
}

TEST(Scaling, ofALimitedDepthHasThatManyLevels) {
    const Scaling found = scaling(scalingStudy("accpar-homogeneous", {{"levels", "3"}}));
    EXPECT_EQ(levelsOf(found), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(found.points.front().accelerators, 32);
    EXPECT_EQ(found.points.back().accelerators, 128);
}

TEST(Scaling, ofOddAndUnequalGroupsHasEveryNumberOfLevelsOnce) {
    const Study study = scalingStudy("accpar-heterogeneous");
    const PartitionInputs inputs = readPartitionInputs(study, {});
    const partition::Options& options = inputs.options;
    hardware::Fleet fleet = inputs.fleet;
    fleet.groups[0].count = 1;
    fleet.groups[1].count = 11;
    const Scaling found = scaling(*inputs.layers, inputs.model->graph(), fleet, options);
    EXPECT_EQ(levelsOf(found), (std::vector<int>{1, 2, 3, 4, 5}));
    EXPECT_EQ(found.points.back().accelerators, 12);
    fleet.groups.resize(1);
    EXPECT_TRUE(scaling(*inputs.layers, inputs.model->graph(), fleet, options).points.empty()) << "one accelerator";
}

TEST(Scaling, isTheSameForAnyNumberOfThreads) {
    const Study study = scalingStudy("a100-h100-mixed");
    EXPECT_EQ(scaling(study, {{{.threads = 1}}}).points, scaling(study, {{{.threads = 4}}}).points);
}

TEST(Scaling, tellsHowFarItIsAndGivesUpOnCancel) {
    const Study study = scalingStudy("accpar-heterogeneous");
    std::atomic<int> events = 0;
    std::atomic<int> max = 0;
    RunContext context;
    context.progress = [&](const ProgressEvent& event) {
        ++events;
        if (event.total > 0) max = std::max(max.load(), static_cast<int>(event.done));
    };
    scaling(study, context);
    EXPECT_EQ(max, 8);
    EXPECT_GE(events, 8);

    std::stop_source cancel;
    context.cancel = cancel.get_token();
    context.progress = [&](const ProgressEvent& event) {
        if (event.done >= 2) cancel.request_stop();
    };
    EXPECT_THROW(scaling(study, context), InterruptedError);
}

TEST(Scaling, keepsWhatWasSolvedWhenItIsToEnd) {
    std::stop_source finish;
    RunContext context;
    context.threads = 1;
    context.finish = finish.get_token();
    context.progress = [&](const ProgressEvent& event) {
        if (event.done >= 3) finish.request_stop();
    };
    const Study study = scalingStudy("accpar-heterogeneous");
    const std::vector<ScalingPoint> whole = scaling(study).points;
    const std::vector<ScalingPoint> part = scaling(study, context).points;
    ASSERT_EQ(part.size(), 3U);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.end() - 3)) << "the array as it is comes first";
}

TEST(Scaling, readsInputsWhereTheyAreKept) {
    Study study = scalingStudy("accpar-heterogeneous");
    const std::vector<ScalingPoint> expected = scaling(study).points;
    RunContext context;
    context.files = std::make_shared<InputFiles>();
    context.files->redirect("elsewhere", "zoo:vgg11");
    study.models = {"elsewhere"};
    EXPECT_EQ(scaling(study, context).points, expected);
    EXPECT_THROW(scaling(study), std::exception);
}

}  // namespace
}  // namespace tessera::study

#include "ui/workspace/job_row.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/turns.h"
#include "ui/jobs/jobs.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

TEST(JobRow, theUiThreadIsNeverBusyForLongWhileAHeavyStudyRuns) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:densenet121"};
    study.hardware = {"accpar-heterogeneous"};
    JobQueue jobs({});
    int changes = 0;
    QObject::connect(&jobs, &JobQueue::changed, [&](int job) {
        ++changes;
        JobRow::factsOf(jobs.state(job));
    });
    const int job = jobs.enqueue(study);
    test::TurnMeter meter;
    waitUntil([&] { return jobs.working() == 0; }, 1500);
    EXPECT_LT(meter.take(), 50 * test::kSlowerBuild);
    EXPECT_GT(changes, 0);
    jobs.cancel(job);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }, 10000));
}

TEST(JobRow, sayHowFarHowGoodAndHowLong) {
    RunState state;
    state.status = store::RunStatus::running;
    state.task = "splitting";
    state.done = 71;
    state.total = 100;
    state.rate = 612;
    state.best = "36.2 ms";
    state.sinceImprovement = 5;
    state.left = "about 2 s left";
    EXPECT_EQ(JobRow::factsOf(state),
              "71 % · splitting · 612 per s · best 36.2 ms · no improvement for 5.0 s · about 2 s left");
}

TEST(JobRow, aFinishedRunSaysItsAnswerRatherThanTheLastBest) {
    RunState state;
    state.status = store::RunStatus::done;
    state.best = "174 ms";
    state.seconds = 2;
    EXPECT_EQ(JobRow::factsOf(state), "done · took 2.0 s · best 174 ms");
    state.result = std::make_shared<const study::Result>(test::handMadeResult());
    EXPECT_EQ(JobRow::factsOf(state), "done · took 2.0 s · " + QString::fromStdString(study::headline(*state.result)));
}

}  // namespace
}  // namespace tessera::ui

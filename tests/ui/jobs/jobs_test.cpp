#include "ui/jobs/jobs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/store/documents.h"
#include "core/study/study.h"
#include "tests/support/wait.h"
#include "tests/support/work.h"
#include "ui/jobs/curve_recorder.h"
#include "ui/jobs/job.h"

namespace tessera::ui {
namespace {

using test::waitUntil;
using enum store::RunStatus;

study::Study studyOf(const std::string& model, const std::string& fleet = "accpar-heterogeneous") {
    study::Study study = study::newStudy("partition");
    study.models = {model};
    study.hardware = {fleet};
    return study;
}

study::Study quick() {
    return studyOf("zoo:lenet5", "accpar-homogeneous");
}

study::Study heavy() {
    return studyOf("zoo:densenet121");
}

/// A chain of layers that keeps an engine busy for seconds.
class Chain {
public:
    Chain() {
        QFile file(folder_.filePath("chain.json"));
        if (!file.open(QIODevice::WriteOnly)) return;
        file.write(R"({"schema": "tessera.layers/1", "name": "chain", "layers": [)");
        constexpr int kLayers = test::kSlowerBuild > 1 ? 500 : 20'000;
        for (int i = 0; i < kLayers; ++i)
            file.write(QString(R"(%1{"name": "l%2", "kind": "fc", "in_channels": %3, "out_channels": %4})")
                           .arg(i > 0 ? ",\n" : "")
                           .arg(i)
                           .arg(64 + i % 7)
                           .arg(64 + (i + 1) % 7)
                           .toUtf8());
        file.write("]}");
    }
    study::Study study() const {
        study::Study study = studyOf(folder_.filePath("chain.json").toStdString());
        study::setParameter(study, "levels", {"2"});
        return study;
    }

private:
    QTemporaryDir folder_;
};

std::string textOf(const study::Result& result) {
    std::string text;
    study::writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

bool worksOn(const JobQueue& jobs, int job) {
    return jobs.state(job).status == running && !jobs.state(job).task.isEmpty();
}

TEST(Jobs, aStudyRunsAndItsResultIsInTheState) {
    JobQueue jobs({});
    const QSignalSpy finished(&jobs, &JobQueue::finished);
    const int job = jobs.enqueue(quick());
    ASSERT_TRUE(waitUntil([&] { return finished.count() == 1; }));
    const RunState state = jobs.state(job);
    EXPECT_EQ(state.status, done) << state.problem.toStdString();
    ASSERT_NE(state.result, nullptr);
    EXPECT_EQ(state.result->study.models, quick().models);
    EXPECT_EQ(state.title, "lenet5 on accpar-homogeneous, batch 512");
    EXPECT_EQ(jobs.working(), 0);
    jobs.forget(job);
    EXPECT_TRUE(jobs.jobs().isEmpty());
}

TEST(Jobs, aRunThatCannotBeginSaysWhyInASentence) {
    JobQueue jobs({});
    const int job = jobs.enqueue(studyOf("zoo:nothing"));
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    EXPECT_EQ(jobs.state(job).status, failed);
    EXPECT_TRUE(jobs.state(job).problem.contains("nothing")) << jobs.state(job).problem.toStdString();
}

/// Everything that an engine's events change.
std::vector<double> heardOf(const RunState& state) {
    std::vector<double> heard{state.done, state.total, static_cast<double>(state.log.size())};
    if (state.curves == nullptr) return heard;
    for (const auto& curve : *state.curves) {
        heard.push_back(static_cast<double>(curve.points.size()));
        heard.push_back(curve.points.back().first);
        heard.push_back(curve.points.back().second);
    }
    return heard;
}

TEST(Jobs, pointsOfASearchAreGatheredInTheirOrder) {
    RunState state;
    state.study = quick();
    Job job(std::move(state));
    const study::RunContext context = job.context();
    ASSERT_TRUE(context.evaluated);
    const auto tell = [&](std::vector<double> values) {
        explore::PointTable points{.columns = {{.id = "x", .title = "X"}}};
        points.reasons.resize(values.size());
        points.marks.resize(values.size());
        points.columns[0].values = std::move(values);
        context.evaluated(points);
    };
    EXPECT_EQ(job.state().points, nullptr);
    tell({1, 2});
    job.takeChange();
    const auto first = job.state().points;
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->columns[0].values, (std::vector<double>{1, 2}));
    tell({3});
    EXPECT_EQ(first->size(), 2U) << "what a view holds stays as it is";
    job.finish(done, nullptr, {});
    EXPECT_EQ(job.state().points->columns[0].values, (std::vector<double>{1, 2, 3}));
}

TEST(Jobs, aPausedRunStandsStillAndGoesOnToTheSameBytes) {
    const Chain chain;
    JobQueue jobs({});
    const int job = jobs.enqueue(chain.study());
    ASSERT_TRUE(waitUntil([&] { return worksOn(jobs, job) && jobs.state(job).done > 0; }));
    const std::vector<double> before = heardOf(jobs.state(job));
    ASSERT_TRUE(waitUntil([&] { return heardOf(jobs.state(job)) != before; })) << "events come all the time";

    jobs.pause(job);
    EXPECT_EQ(jobs.state(job).status, paused);
    const double seconds = jobs.state(job).seconds;
    waitUntil([] { return false; }, 150);  // what every thread was about to say
    const std::vector<double> heard = heardOf(jobs.state(job));
    waitUntil([] { return false; }, 500);
    EXPECT_EQ(heardOf(jobs.state(job)), heard) << "the engine works while the run is paused";
    EXPECT_EQ(jobs.state(job).seconds, seconds) << "the clock runs while the run is paused";
    EXPECT_EQ(jobs.working(), 1);

    jobs.unpause(job);
    EXPECT_EQ(jobs.state(job).status, running);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    ASSERT_NE(jobs.state(job).result, nullptr) << jobs.state(job).problem.toStdString();
    EXPECT_TRUE(textOf(*jobs.state(job).result) == textOf(study::run(chain.study()))) << "not printed: it is long";
}

TEST(Jobs, cancelIsAnsweredAtOnceAlsoWhilePaused) {
    for (const bool pausedBefore : {false, true}) {
        JobQueue jobs({});
        const int job = jobs.enqueue(heavy());
        ASSERT_TRUE(waitUntil([&] { return worksOn(jobs, job); }));
        if (pausedBefore) jobs.pause(job);
        const double before = test::workMilliseconds();
        jobs.cancel(job);
        EXPECT_LT(test::workMilliseconds() - before, 50 * test::kSlowerBuild) << "the window waits for nobody";
        ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
        EXPECT_EQ(jobs.state(job).status, cancelled);
        EXPECT_EQ(jobs.state(job).result, nullptr);
    }
}

TEST(Jobs, stopIsAnsweredAtOnceAndKeepsWhatWasFound) {
    for (const bool pausedBefore : {false, true}) {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("history.db").toStdString();
        JobQueue jobs(path);
        const int job = jobs.enqueue(heavy());
        ASSERT_TRUE(waitUntil([&] { return worksOn(jobs, job); }));
        if (pausedBefore) jobs.pause(job);
        const double before = test::workMilliseconds();
        jobs.stop(job);
        EXPECT_LT(test::workMilliseconds() - before, 100);
        ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; })) << "on the wall, of a busy machine";
        const RunState state = jobs.state(job);
        EXPECT_EQ(state.status, done) << state.problem.toStdString();
        ASSERT_NE(state.result, nullptr);
        EXPECT_EQ(store::Store::open(path).run(state.run)->status, done);
    }
}

TEST(Jobs, aRunOfAHistoryThatIsOnlyReadIsRepeatedButNotKept) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    const store::RunId run = store::Store::open(path).addRun(quick(), cancelled);
    JobQueue jobs({});
    jobs.setHistory(path, true);
    const int job = jobs.repeat(run);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    EXPECT_EQ(jobs.state(job).status, done) << jobs.state(job).problem.toStdString();
    EXPECT_EQ(jobs.state(job).run, 0);
    EXPECT_EQ(store::Store::open(path).count({}), 1);
}

TEST(Jobs, runsStartInOrderAndAWaitingOneCanBeCancelled) {
    JobQueue jobs({});
    QVector<int> order;
    QObject::connect(&jobs, &JobQueue::finished, [&](int job) { order.append(job); });
    const int first = jobs.enqueue(quick());
    const int second = jobs.enqueue(quick());
    const int third = jobs.enqueue(quick());
    EXPECT_EQ(jobs.state(third).status, queued);
    EXPECT_EQ(jobs.jobs(), (QVector<int>{third, second, first}));
    jobs.cancel(second);
    EXPECT_EQ(jobs.state(second).status, cancelled);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    EXPECT_EQ(order, (QVector<int>{second, first, third}));
}

TEST(Jobs, aRecordedRunCanBeRepeatedFromTheHistory) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    JobQueue jobs(path);
    const int job = jobs.enqueue(quick());
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    const store::RunId run = jobs.state(job).run;
    ASSERT_GT(run, 0) << jobs.state(job).problem.toStdString();
    const int again = jobs.repeat(run);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    ASSERT_NE(jobs.state(again).result, nullptr) << jobs.state(again).problem.toStdString();
    EXPECT_EQ(study::toJson(*jobs.state(again).result), study::toJson(*jobs.state(job).result));
    EXPECT_NE(jobs.state(again).run, run);
}

TEST(Jobs, whatWorksWhenTheWindowClosesIsInterruptedAndWhatWaitsIsKept) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    {
        JobQueue jobs(path);
        const int job = jobs.enqueue(heavy());
        jobs.enqueue(quick());
        ASSERT_TRUE(waitUntil([&] { return worksOn(jobs, job) && jobs.state(job).run != 0; }));
    }
    store::Store history = store::Store::open(path);
    EXPECT_EQ(history.findInterrupted().size(), 2U);
}

TEST(Jobs, whatWaitsOrIsPausedStandsSoInTheHistory) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    const Chain chain;
    store::RunId first = 0;
    store::RunId kept = 0;
    {
        JobQueue jobs(path);
        const int job = jobs.enqueue(chain.study());
        const int waiting = jobs.enqueue(quick());
        const int dropped = jobs.enqueue(quick());
        ASSERT_TRUE(waitUntil([&] {
            return worksOn(jobs, job) && jobs.state(job).run != 0 && jobs.state(waiting).run != 0 &&
                   jobs.state(dropped).run != 0;
        }));
        first = jobs.state(job).run;
        kept = jobs.state(waiting).run;
        const store::Store history = store::Store::open(path);
        EXPECT_EQ(history.run(kept)->status, queued);
        EXPECT_EQ(history.study(kept), quick());
        const store::RunId gone = jobs.state(dropped).run;
        jobs.cancel(dropped);
        EXPECT_TRUE(waitUntil([&] { return history.run(gone)->status == cancelled; }));
        jobs.pause(job);
        EXPECT_TRUE(waitUntil([&] { return history.run(first)->status == paused; }));
        jobs.unpause(job);
        EXPECT_TRUE(waitUntil([&] { return history.run(first)->status == running; }));
        jobs.pause(job);
    }
    const store::Store history = store::Store::open(path);
    EXPECT_EQ(history.run(first)->status, interrupted);
    EXPECT_EQ(history.run(kept)->status, interrupted);
    EXPECT_EQ(history.count({}), 3);
}

TEST(Jobs, whatWaitedIsWorkedOnUnderItsNumber) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    JobQueue jobs(path);
    const int first = jobs.enqueue(quick());
    const int second = jobs.enqueue(quick());
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    const int again = jobs.repeat(jobs.state(first).run);
    const int last = jobs.repeat(jobs.state(first).run);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    std::set<store::RunId> runs;
    const store::Store history = store::Store::open(path);
    for (const int job : {first, second, again, last}) {
        EXPECT_EQ(jobs.state(job).status, done) << jobs.state(job).problem.toStdString();
        runs.insert(jobs.state(job).run);
        EXPECT_EQ(history.run(jobs.state(job).run)->status, done);
        EXPECT_TRUE(history.result(jobs.state(job).run).has_value());
    }
    EXPECT_EQ(runs.size(), 4U);
    EXPECT_EQ(history.count({}), 4);
    EXPECT_TRUE(jobs.unkept().isEmpty());
}

TEST(Jobs, aResultThatCouldNotBeWrittenIsKnownToBeInMemoryOnly) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    const Chain chain;
    JobQueue jobs(path);
    const QSignalSpy troubled(&jobs, &JobQueue::troubled);
    const int job = jobs.enqueue(chain.study());
    ASSERT_TRUE(waitUntil([&] { return worksOn(jobs, job) && jobs.state(job).run != 0; }));
    const store::RunId run = jobs.state(job).run;
    EXPECT_TRUE(jobs.unkept().isEmpty()) << "it has no result yet";
    {
        // Programs do not delete a run at work; somebody who works on the tables may.
        sqlite3* tables = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &tables), SQLITE_OK);
        sqlite3_busy_timeout(tables, 10'000);
        const std::string statements = "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = " + std::to_string(run);
        EXPECT_EQ(sqlite3_exec(tables, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(tables);
    }
    jobs.stop(job);
    ASSERT_TRUE(waitUntil([&] { return jobs.working() == 0; }));
    EXPECT_EQ(jobs.state(job).status, done);
    ASSERT_NE(jobs.state(job).result, nullptr);
    EXPECT_EQ(jobs.state(job).run, 0) << "compare and report would look for it in vain";
    EXPECT_EQ(jobs.unkept(), QVector<int>{job});
    ASSERT_EQ(troubled.count(), 1);
    EXPECT_TRUE(troubled.at(0).at(0).toString().startsWith(QString("run %1 could not be kept whole: ").arg(run)));
    jobs.forget(job);
    EXPECT_TRUE(jobs.unkept().isEmpty());
}

TEST(Jobs, aRunThatGoesOnShowsFromTheBeginningWhatItHadFound) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("history.db").toStdString();
    const study::Study study = quick();
    store::RunId run = 0;
    {
        store::Store history = store::Store::open(path);
        run = history.addRun(study, running);
        Json state;
        study::RunContext context;
        context.checkpoint = [&](const Json& told) { state = told; };
        study::run(study, context);
        history.record(run, {.before = {{"accpar: step time", 1, 0.5}, {"accpar: step time", 2, 0.25}},
                             .checkpoint = state,
                             .after = {{"accpar: step time", 3, 0.125}}});
        history.setStatus(run, interrupted, "");
    }
    JobQueue jobs(path);
    const int job = jobs.resume(run);
    ASSERT_TRUE(waitUntil([&] { return jobs.state(job).status == done; })) << jobs.state(job).problem.toStdString();
    const auto curves = jobs.state(job).curves;
    ASSERT_NE(curves, nullptr);
    const auto its = std::find_if(curves->begin(), curves->end(), [](const Curve& curve) {
        return curve.name == CurveName{"accpar", "step time"};
    });
    ASSERT_NE(its, curves->end());
    ASSERT_GE(its->points.size(), 2U);
    EXPECT_EQ(its->points[0], (std::pair<double, double>(1, 0.5)));
    EXPECT_EQ(its->points[1], (std::pair<double, double>(2, 0.25)));
}

TEST(Curves, staysBoundedAndKeepsItsEnds) {
    CurveRecorder recorder;
    constexpr int kPoints = 100'000;
    for (int i = 0; i < kPoints; ++i) recorder.add({.role = CurveRole::best}, i, -i);
    const auto curves = recorder.snapshot();
    ASSERT_EQ(curves->size(), 1U);
    const auto& points = curves->front().points;
    EXPECT_LE(points.size(), CurveRecorder::kMaxPoints);
    EXPECT_EQ(points.front().first, 0);
    EXPECT_EQ(points.back().first, kPoints - 1);
}

}  // namespace
}  // namespace tessera::ui

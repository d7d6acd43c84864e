#include "core/store/store.h"

#include <unistd.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/sha256.h"
#include "core/store/documents.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/core/store/fixture.h"

namespace tessera::store::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class StoreTest : public StoreFile {
protected:
    Store store_ = Store::open(file());
};

TEST_F(StoreTest, keepsAFinishedRunWithAllThatBelongsToIt) {
    study::Result result = tessera::test::handMadeResult();
    result.study.name = "Two layers";
    result.study.seed = std::numeric_limits<std::uint64_t>::max();
    const RunId run = store_.addRun(result.study);
    EXPECT_EQ(store_.run(run)->status, RunStatus::running);
    EXPECT_FALSE(store_.result(run).has_value());

    result.study.seed = 7;
    const InputContent model{InputContent::Kind::model, "zoo:two", sha256("model"), "model"};
    store_.finishRun(run, result, "fine", {model}, {{"timeline", "application/json", "{}"}});

    Store other = Store::open(file());
    const RunRow row = *other.run(run);
    EXPECT_EQ(row.status, RunStatus::done);
    EXPECT_EQ(row.name, "Two layers");
    EXPECT_EQ(row.engine, "partition");
    EXPECT_EQ(row.models, "zoo:two");
    EXPECT_EQ(row.hardware, "pair");
    EXPECT_EQ(row.studyHash, study::contentHash(result.study));
    EXPECT_EQ(row.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(row.headline, "fine");
    EXPECT_EQ(row.version, TESSERA_VERSION);
    EXPECT_GE(*row.finished, *row.started);
    std::string text;
    study::writeJson(result, [&](std::string_view part) { text += part; });
    EXPECT_EQ(*other.resultText(run), text);
    EXPECT_EQ(study::toJson(*other.result(run)), study::toJson(result));
    EXPECT_EQ(other.metrics(run), study::metricsOf(result));
    EXPECT_THAT(other.artifacts(run), ElementsAre("timeline"));
    EXPECT_EQ(other.artifact(run, "timeline")->bytes, "{}");
    EXPECT_FALSE(other.artifact(run, "report").has_value());
    ASSERT_THAT(other.inputs(run), SizeIs(1));
    EXPECT_EQ(other.inputs(run)[0].bytes, "model");
    EXPECT_EQ(other.inputs(run)[0].sha256, model.sha256);
}

TEST_F(StoreTest, givesAStudyBackAsItWas) {
    study::Study study = studyOf("a model.onnx", "my fleet.json", "Name");
    study.dimensions["seq"] = 128;
    study.seed = 3;
    EXPECT_EQ(store_.study(store_.addRun(study)), study);
}

TEST_F(StoreTest, keepsAContentOnceHoweverManyRunsUseIt) {
    const std::string bytes(10'000, 'm');
    const study::Result result = tessera::test::handMadeResult();
    for (const char* name : {"a.onnx", "b.onnx"}) {
        const RunId run = store_.addRun(result.study);
        store_.finishRun(run, result, "", {{InputContent::Kind::model, name, sha256(bytes), bytes}});
    }
    EXPECT_EQ(store_.verify().inputs, 1);
    EXPECT_EQ(store_.inputs(2)[0].name, "b.onnx");
    EXPECT_EQ(store_.inputs(2)[0].bytes, bytes);
}

TEST_F(StoreTest, appendsTracesInTheOrderInWhichTheyCame) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    store_.record(run, {.before = {{"best", 1, 10}, {"bound", 1, 5}, {"best", 2, 9}}});
    std::vector<TracePoint> many;
    for (int i = 3; i <= 10'000; ++i) many.push_back({"best", double(i), 1.0 / i});
    store_.record(run, {.before = many});
    const auto trace = store_.trace(run);
    ASSERT_THAT(trace, SizeIs(2));
    EXPECT_THAT(trace.at("bound"), ElementsAre(Pair(1, 5)));
    ASSERT_THAT(trace.at("best"), SizeIs(10'000));
    for (std::size_t i = 0; i < 10'000; ++i) EXPECT_EQ(trace.at("best")[i].first, double(i + 1));
    EXPECT_EQ(store_.verify().tracePoints, 10'001);
    EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(StoreTest, aRunThatIsTakenUpContinuesItsTraceFromTheCheckpoint) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    store_.record(run, {.before = {{"best", 1, 10}}});
    store_.record(run, {.before = {{"best", 2, 9}}, .checkpoint = Json{{"step", 2}}, .after = {{"best", 3, 8}}});
    store_.record(run, {.before = {{"best", 4, 7}}});
    EXPECT_THAT(store_.trace(run).at("best"), SizeIs(4));
    store_.setStatus(run, RunStatus::interrupted);
    EXPECT_EQ(*store_.takeUp(run), (Json{{"step", 2}}));
    EXPECT_EQ(store_.run(run)->status, RunStatus::running);
    EXPECT_THAT(store_.trace(run).at("best"), ElementsAre(Pair(1, 10), Pair(2, 9)));
}

TEST_F(StoreTest, aRunIsTakenUpOnce) {
    const RunId run = store_.addRun(studyOf("m", "h"), RunStatus::queued);
    EXPECT_FALSE(store_.run(run)->started.has_value());
    EXPECT_FALSE(store_.takeUp(run).has_value());
    EXPECT_TRUE(store_.run(run)->started.has_value());
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store_.takeUp(run); }, &sentence), StoreProblem::busy);
    EXPECT_EQ(sentence, "run 1 is being worked on by process " + std::to_string(getpid()) + " on " +
                            store_.run(run)->host + "; wait for its end, or stop it there");
    store_.finishRun(run, tessera::test::handMadeResult(), "");
    EXPECT_THROW(store_.takeUp(run), UsageError);
    EXPECT_THROW(store_.takeUp(99), UsageError);
}

TEST_F(StoreTest, aRunAtWorkIsNotDeletedOrPurged) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    const RunId done = addDone(store_, studyOf("m", "h"));
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store_.setDeleted({done, run}, true); }, &sentence), StoreProblem::busy);
    EXPECT_EQ(sentence, "run 1 is being worked on by process " + std::to_string(getpid()) + " on " +
                            store_.run(run)->host + "; wait for its end, or stop it there");
    EXPECT_THAT(store_.query({}, 10), SizeIs(2)) << "all or nothing";
    // As an older program leaves it.
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE run SET deleted = 1 WHERE id = 1; DELETE FROM seal WHERE run = 1");
    EXPECT_EQ(problemOf([&] { store_.purge(); }), StoreProblem::busy);
    store_.setStatus(run, RunStatus::failed);
    EXPECT_EQ(store_.purge(), 1);
}

TEST_F(StoreTest, aRunWorkedForAsLongAsItsProcessesDid) {
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
    const RunId run = store_.addRun(studyOf("m", "h"));
    wait();
    store_.setStatus(run, RunStatus::paused);
    wait();
    store_.setStatus(run, RunStatus::running);
    store_.record(run, {.before = {{"best", 1, 2}}});  // its last sign of life
    wait();
    // As a kill leaves it.
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("UPDATE run SET process = 'gone'; DELETE FROM seal");
    EXPECT_THAT(store_.findInterrupted(), SizeIs(1));
    wait();
    store_.takeUp(run);
    store_.finishRun(run, tessera::test::handMadeResult(), "");
    const RunRow row = *store_.run(run);
    EXPECT_GE(row.worked, 100);
    EXPECT_LT(row.worked, *row.finished - *row.started - 250) << "three waits in which nobody worked";
}

TEST_F(StoreTest, aSweepIsQueuedAtOnceAndFoundByAnyOfItsRuns) {
    addDone(store_, studyOf("m", "h"));
    const Json document{{"over", "batch"}};
    const std::vector<RunId> runs = store_.addSweep(document, {studyOf("a", "h"), studyOf("b", "h")});
    EXPECT_THAT(runs, ElementsAre(2, 3));
    EXPECT_EQ(store_.run(2)->status, RunStatus::queued);
    EXPECT_FALSE(store_.sweepOf(1).has_value());
    const Sweep sweep = *store_.sweepOf(3);
    EXPECT_EQ(sweep.document, document);
    EXPECT_THAT(sweep.runs, ElementsAre(Pair(0U, 2), Pair(1U, 3)));
    store_.takeUp(2);
    store_.finishRun(2, tessera::test::handMadeResult(), "");
    store_.setDeleted({2}, true);
    EXPECT_EQ(store_.purge(), 1);
    EXPECT_THAT(store_.sweepOf(3)->runs, ElementsAre(Pair(1U, 3)));
    EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(StoreTest, aStatusIsChangedOnlyWhereItIsStillWhatItWas) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    EXPECT_TRUE(store_.changeStatus(run, RunStatus::running, RunStatus::paused));
    EXPECT_EQ(store_.run(run)->status, RunStatus::paused);
    store_.finishRun(run, tessera::test::handMadeResult(), "done");
    EXPECT_FALSE(store_.changeStatus(run, RunStatus::paused, RunStatus::running)) << "it went on meanwhile";
    EXPECT_EQ(store_.run(run)->status, RunStatus::done);
    EXPECT_EQ(store_.run(run)->headline, "done");
    EXPECT_FALSE(store_.changeStatus(99, RunStatus::queued, RunStatus::cancelled));
}

TEST_F(StoreTest, keepsTheCheckpointOfWhatCanContinue) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    for (const RunStatus status : {RunStatus::failed, RunStatus::interrupted, RunStatus::paused, RunStatus::running}) {
        store_.record(run, {.checkpoint = Json{{"state", 1}}});
        store_.setStatus(run, status, "why");
        EXPECT_TRUE(store_.checkpoint(run).has_value()) << nameOf(status);
        EXPECT_EQ(store_.run(run)->headline, "why");
    }
    store_.setStatus(run, RunStatus::cancelled);
    EXPECT_FALSE(store_.checkpoint(run).has_value());
}

TEST_F(StoreTest, findsRunsByNumberNameAndLast) {
    EXPECT_THROW(store_.find("last"), UsageError);
    const RunId first = addDone(store_, studyOf("m", "h"));
    const RunId second = addDone(store_, studyOf("m", "h"));
    EXPECT_EQ(store_.find("last"), second);
    EXPECT_EQ(store_.find("1"), first);
    const std::string uid = store_.run(first)->uid;
    EXPECT_EQ(store_.find(uid), first);
    EXPECT_EQ(store_.find(uid.substr(0, 8)), first);
    for (const std::string& wrong : std::vector<std::string>{"3", "", "0", uid.substr(0, 3), uid + "b", "%",
                                                             "99999999999999999999", std::string("la\0st", 5)})
        EXPECT_THROW(store_.find(wrong), UsageError) << wrong;
    store_.setDeleted({second}, true);
    EXPECT_EQ(store_.find("last"), first);
    EXPECT_EQ(store_.find("2"), second) << "by its number a deleted run can be brought back";
}

TEST_F(StoreTest, keepsAnnotations) {
    const RunId run = addDone(store_, studyOf("m", "h", "old"));
    addDone(store_, studyOf("m", "h"));
    store_.setName(run, "new");
    store_.setTags(run, {"slow", " slow ", "paper", ""});
    store_.setNote(run, "it's \"odd\"\nsecond line");
    store_.setStarred({run}, true);
    const RunRow row = *store_.run(run);
    EXPECT_EQ(row.name, "new");
    EXPECT_THAT(row.tags, ElementsAre("paper", "slow"));
    EXPECT_EQ(row.note, "it's \"odd\"\nsecond line");
    EXPECT_TRUE(row.starred);
    EXPECT_EQ(store_.study(run).name, "old") << "a run's name is not its study's";
    EXPECT_THAT(store_.tags(), ElementsAre(Pair("paper", 1), Pair("slow", 1)));
    store_.setTags(run, {});
    store_.setNote(run, "");
    EXPECT_THAT(store_.run(run)->tags, IsEmpty());
    EXPECT_EQ(store_.run(run)->note, "");
    EXPECT_THROW(store_.setNote(77, "x"), UsageError);
}

TEST_F(StoreTest, manyRunsAreMarkedAtOnceAndToldApart) {
    const RunId a = addDone(store_, studyOf("m", "h"));
    const RunId b = addDone(store_, studyOf("m", "h"));
    constexpr RunId kGone = 77;
    EXPECT_THAT(store_.setStarred({a}, true), ElementsAre(a));
    EXPECT_THAT(store_.setStarred({a, b, kGone}, true), ElementsAre(b)) << "the other had its star before";
    EXPECT_THAT(store_.setStarred({b}, false), ElementsAre(b));
    EXPECT_TRUE(store_.run(a)->starred);
    store_.setTags(b, {"paper"});
    EXPECT_THAT(store_.setTag({a, b, kGone}, " paper ", true), ElementsAre(a));
    EXPECT_THAT(idsOf(store_.query({.text = "paper"}, 10)), ElementsAre(b, a)) << "the search knows it too";
    EXPECT_THAT(store_.setTag({a}, "paper", false), ElementsAre(a));
    EXPECT_THAT(idsOf(store_.query({.text = "paper"}, 10)), ElementsAre(b));
    EXPECT_THAT(store_.setTag({a}, "  ", true), IsEmpty());
    EXPECT_THAT(store_.setDeleted({a, b, kGone}, true), ElementsAre(a, b));
    EXPECT_THAT(store_.setDeleted({a}, true), IsEmpty());
}

TEST_F(StoreTest, deletedRunsComeBackUntilTheyArePurged) {
    const RunId kept = addDone(store_, studyOf("m", "h"));
    const study::Result result = tessera::test::handMadeResult();
    const RunId run = store_.addRun(result.study);
    store_.finishRun(run, result, "", {{InputContent::Kind::model, "zoo:two", sha256("x"), "x"}});
    store_.record(run, {.before = {{"a", 1, 1}}});
    store_.setTags(run, {"t"});
    store_.setDeleted({run}, true);
    EXPECT_THAT(idsOf(store_.query({}, 10)), ElementsAre(kept));
    EXPECT_THAT(idsOf(store_.query({.deleted = true}, 10)), ElementsAre(run));
    EXPECT_THAT(store_.tags(), IsEmpty());
    store_.setDeleted({run}, false);
    EXPECT_THAT(store_.query({}, 10), SizeIs(2));
    store_.setDeleted({run}, true);
    EXPECT_EQ(store_.purge(), 1);
    EXPECT_EQ(store_.purge(), 0);
    EXPECT_FALSE(store_.run(run).has_value());
    const Verification found = store_.verify();
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_EQ(found.inputs, 0);
    EXPECT_EQ(found.tracePoints, 0);
    EXPECT_EQ(found.runs, 1);
}

TEST_F(StoreTest, metricsThatAreNoNumbersAreLeftOut) {
    study::Result result = tessera::test::handMadeResult();
    auto& plan = result.outcome.get<study::PartitionOutcome>().result.plans[0];
    plan.throughput = std::numeric_limits<double>::quiet_NaN();
    const RunId run = store_.addRun(result.study);
    store_.finishRun(run, result, "");
    EXPECT_THAT(store_.metrics(run),
                ::testing::Each(::testing::Field(&study::Metric::value, ::testing::Not(::testing::IsNan()))));
}

TEST_F(StoreTest, kindsOfMetricsKeepTheirTitlesAndUnits) {
    EXPECT_TRUE(store_.metricKinds().empty());
    const study::Result result = tessera::test::handMadeResult();
    store_.finishRun(store_.addRun(result.study), result, "");
    std::vector<study::Metric> expected = study::metricsOf(result);
    for (study::Metric& metric : expected) metric.value = 0;
    EXPECT_EQ(store_.metricKinds(), expected);
}

TEST_F(StoreTest, aRunWithoutANameIsNamedAfterWhatItIsAbout) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:resnet50"};
    study.hardware = {"accpar-heterogeneous"};
    study.parameters["batch"] = 512;
    const RunId run = store_.addRun(study);
    EXPECT_EQ(store_.run(run)->name, "resnet50 on accpar-heterogeneous, batch 512");
    EXPECT_EQ(store_.study(run).name, "");
    EXPECT_EQ(store_.query({.text = "batch 512"}, 10).size(), 1U) << "and found by that name";
    study.name = "Mine";
    EXPECT_EQ(store_.run(store_.addRun(study))->name, "Mine");
}

TEST(StoreInMemory, worksWithoutAFile) {
    Store store = Store::inMemory();
    EXPECT_EQ(store.path(), "");
    EXPECT_FALSE(store.isReadOnly());
    const RunId run = addDone(store, studyOf("m", "h"));
    EXPECT_EQ(store.find("last"), run);
    EXPECT_THAT(store.findInterrupted(), IsEmpty());
}

TEST(StorePathNamed, isThatOfTheEnvironmentWhereNobodyNamesOne) {
    setenv("TESSERA_STORE", "/tmp/mine.db", 1);
    EXPECT_EQ(pathNamed(""), "/tmp/mine.db");
    EXPECT_EQ(pathNamed("/tmp/other.db"), "/tmp/other.db");
    setenv("TESSERA_STORE", "/no/such/folder/mine.db", 1);
    EXPECT_THROW(pathNamed(""), FileError);
    unsetenv("TESSERA_STORE");
    EXPECT_EQ(pathNamed(""), defaultPath());
}

TEST(StoreDefaultPath, followsTheDataFolder) {
    const char* before = std::getenv("XDG_DATA_HOME");
    const std::string kept = before != nullptr ? before : "";
    setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(defaultPath(), "/data/tessera/history.db");
    setenv("XDG_DATA_HOME", "relative", 1);
    EXPECT_TRUE(defaultPath().string().ends_with("/.local/share/tessera/history.db"));
    before != nullptr ? setenv("XDG_DATA_HOME", kept.c_str(), 1) : unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace tessera::store::test

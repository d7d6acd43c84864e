#include "core/store/recorder.h"

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/store/documents.h"
#include "core/store/owner.h"
#include "core/study/metric.h"
#include "tests/core/store/fixture.h"
#include "tests/support/paths.h"

namespace tessera::store::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

study::Study smallStudy() {
    study::Study study = study::newStudy("partition");
    study.name = "small";
    study.models = {"zoo:accpar-alexnet"};
    study.hardware = {"accpar-homogeneous"};
    return study;
}

std::string resultText(const study::Result& result) {
    std::string text;
    study::writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

class Recording : public StoreFile {
protected:
    RecordOptions options() {
        RecordOptions options;
        options.path = file();
        options.trouble = [this](const std::string& sentence) { troubles_.push_back(sentence); };
        return options;
    }
    std::vector<std::string> troubles_;
};

TEST_F(Recording, keepsResultInputsMetricsAndTimeline) {
    RecordOptions options = Recording::options();
    options.tags = {"nightly"};
    RunId begun = 0;
    options.begun = [&](RunId run) { begun = run; };
    const Recorded recorded = runRecorded(smallStudy(), {}, options);
    EXPECT_EQ(recorded.run, begun);
    EXPECT_THAT(troubles_, IsEmpty());
    const Store store = Store::open(file());
    const RunRow row = *store.run(recorded.run);
    EXPECT_EQ(row.status, RunStatus::done);
    EXPECT_EQ(row.headline, study::headline(recorded.result));
    EXPECT_THAT(row.tags, ElementsAre("nightly"));
    EXPECT_EQ(*store.resultText(recorded.run), resultText(recorded.result));
    EXPECT_EQ(store.metrics(recorded.run), study::metricsOf(recorded.result));
    EXPECT_EQ(Json::parse(store.artifact(recorded.run, "timeline")->bytes)["schema"], "tessera.timeline/1");
    std::vector<study::Input> inputs;
    for (const InputContent& input : store.inputs(recorded.run)) {
        EXPECT_EQ(sha256(input.bytes), input.sha256);
        inputs.push_back({input.name, input.sha256});
    }
    EXPECT_THAT(inputs, ::testing::UnorderedElementsAreArray(recorded.result.inputs));
    EXPECT_THAT(store.verify().problems, IsEmpty());
}

TEST_F(Recording, keepsThePointsThatTheEngineReports) {
    std::mutex mutex;
    std::map<std::string, std::size_t> points;
    study::RunContext context;
    context.progress = [&](const ProgressEvent& event) {
        const std::lock_guard lock(mutex);
        if (event.kind == ProgressEvent::Kind::point || event.kind == ProgressEvent::Kind::incumbent)
            ++points[toText(event.curve)];
    };
    const Recorded recorded = runRecorded(smallStudy(), context, options());
    std::map<std::string, std::size_t> kept;
    for (const auto& [series, curve] : Store::open(file()).trace(recorded.run)) kept[series] = curve.size();
    EXPECT_EQ(kept, points);
}

TEST_F(Recording, saysWhatWentWrong) {
    study::Study study = smallStudy();
    study.models = {"absent.onnx"};
    EXPECT_THROW(runRecorded(study, {}, options()), FileError);
    const RunRow row = Store::open(file()).query({}, 1).at(0);
    EXPECT_EQ(row.status, RunStatus::failed);
    EXPECT_THAT(row.headline, HasSubstr("cannot read 'absent.onnx'"));
}

TEST_F(Recording, tellsCancelledFromInterrupted) {
    std::stop_source stop;
    stop.request_stop();
    study::RunContext context;
    context.cancel = stop.get_token();
    EXPECT_THROW(runRecorded(smallStudy(), context, options()), InterruptedError);
    RecordOptions closing = options();
    closing.whenCancelled = [] { return RunStatus::interrupted; };
    EXPECT_THROW(runRecorded(smallStudy(), context, closing), InterruptedError);
    Store store = Store::open(file());
    EXPECT_EQ(store.run(1)->status, RunStatus::cancelled);
    EXPECT_EQ(store.run(2)->status, RunStatus::interrupted);
    EXPECT_THAT(idsOf(store.findInterrupted()), ElementsAre(2));
}

TEST_F(Recording, neverLosesAResultToABrokenHistory) {
    std::ofstream(file()) << "no history";
    const Recorded recorded = runRecorded(smallStudy(), {}, options());
    EXPECT_EQ(recorded.run, 0);
    EXPECT_EQ(resultText(recorded.result), resultText(study::run(smallStudy())));
    ASSERT_THAT(troubles_, SizeIs(1));
    EXPECT_THAT(troubles_[0], HasSubstr("is not a history of Tessera"));
}

TEST_F(Recording, neverLosesAResultToSomebodyWhoDeletesTheRun) {
    RecordOptions options = Recording::options();
    options.begun = [&](RunId run) {
        // Programs do not delete a run at work; somebody who works on the tables may.
        execute(*openConnection(file(), OpenMode::readWrite).database, "DELETE FROM run WHERE id = ?", run);
    };
    const Recorded recorded = runRecorded(smallStudy(), {}, options);
    EXPECT_EQ(recorded.run, 0);
    EXPECT_EQ(resultText(recorded.result), resultText(study::run(smallStudy())));
    EXPECT_THAT(troubles_, ElementsAre("run 1 could not be kept whole: there is no run 1 in the history"));
}

TEST_F(Recording, refusesToContinueWhatIsDone) {
    RecordOptions again = options();
    again.run = runRecorded(smallStudy(), {}, options()).run;
    EXPECT_THROW(runRecorded(smallStudy(), {}, again), UsageError);
    EXPECT_EQ(Store::open(file()).run(1)->status, RunStatus::done);
}

TEST_F(Recording, refusesToContinueWhatSomebodyWorksOn) {
    Store store = Store::open(file());
    RecordOptions again = options();
    again.run = store.addRun(smallStudy());
    EXPECT_EQ(problemOf([&] { runRecorded(smallStudy(), {}, again); }), StoreProblem::busy);
    EXPECT_THAT(troubles_, IsEmpty());
}

TEST_F(Recording, refusesToContinueFromADamagedCheckpoint) {
    RecordOptions again = options();
    {
        Store store = Store::open(file());
        again.run = store.addRun(smallStudy());
        store.record(*again.run, {.checkpoint = Json{{"step", 1}}});
        store.setStatus(*again.run, RunStatus::interrupted);
    }
    execute(*openConnection(file(), OpenMode::readWrite).database, "UPDATE checkpoint SET size = size + 1");
    std::string sentence;
    EXPECT_EQ(problemOf([&] { runRecorded(smallStudy(), {}, again); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("the checkpoint of run 1 is not what was stored"));
}

constexpr const char* kHistoryOfVictim = "TESSERA_TEST_HISTORY";

/// Run in a process of its own, by `runAndKill`: a recorded run that stops at its third event.
TEST(RecordingVictim, DISABLED_stopsAtItsThirdEvent) {
    study::RunContext context;
    std::atomic<int> events = 0;
    context.progress = [&](const ProgressEvent&) {
        if (++events >= 3) std::this_thread::sleep_for(std::chrono::minutes(1));
    };
    RecordOptions options;
    options.path = std::getenv(kHistoryOfVictim);
    runRecorded(smallStudy(), context, options);
}

/// Starts this program again as the victim. Forking alone would do without the threads that this process may have by
/// now: those that the engines share.
pid_t startVictim(const fs::path& path) {
    std::string program = "/proc/self/exe";
    std::string disabled = "--gtest_also_run_disabled_tests";
    std::string filter = "--gtest_filter=RecordingVictim.*";
    std::vector<char*> arguments{program.data(), disabled.data(), filter.data(), nullptr};
    std::string history = std::string(kHistoryOfVictim) + '=' + path.string();
    std::vector<char*> environment{history.data()};
    for (char** variable = environ; *variable != nullptr; ++variable)
        // Which part of the tests this process runs is nothing to the victim.
        if (!std::string_view(*variable).starts_with("GTEST_")) environment.push_back(*variable);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environment.data());
    EXPECT_EQ(error, 0);
    return error == 0 ? child : 0;
}

/// Kills a recorded run in a process of its own, which by then has stopped at its third event.
RunId runAndKill(const fs::path& path) {
    const pid_t child = startVictim(path);
    if (child == 0) return 0;
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    while (steady_clock::now() < end) {
        std::this_thread::sleep_for(milliseconds(20));
        std::error_code ignored;
        if (!fs::exists(path, ignored)) continue;
        try {
            Store store = Store::open(path);
            if (!store.query({.status = RunStatus::running}, 1).empty()) {
                EXPECT_THAT(store.findInterrupted(), IsEmpty()) << "its process lives";
                break;
            }
        } catch (const StoreError&) {
            continue;
        }
    }
    std::this_thread::sleep_for(milliseconds(400));
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it has ended by itself";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return 1;
}

TEST_F(Recording, whatWaitedOrWasPausedWhenItsProcessDiedIsFound) {
    const pid_t child = fork();
    if (child == 0) {
        Store store = Store::open(file());
        store.addRun(smallStudy(), RunStatus::queued);
        store.addRun(smallStudy(), RunStatus::paused);
        store.addRun(smallStudy(), RunStatus::running);
        std::this_thread::sleep_for(std::chrono::minutes(1));
        _exit(0);
    }
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    std::error_code ignored;
    while (steady_clock::now() < end && (!fs::exists(file(), ignored) || Store::open(file()).count({}) < 3))
        std::this_thread::sleep_for(milliseconds(20));
    Store store = Store::open(file());
    EXPECT_THAT(store.findInterrupted(), IsEmpty()) << "its process lives";
    EXPECT_EQ(problemOf([&] { store.takeUp(1); }), StoreProblem::busy) << "it is in the queue of another process";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_THAT(idsOf(store.findInterrupted()), ElementsAre(3, 2, 1));
    RecordOptions options = Recording::options();
    options.run = 1;
    EXPECT_EQ(resultText(runRecorded(smallStudy(), {}, options).result), resultText(study::run(smallStudy())));
    EXPECT_EQ(store.run(1)->status, RunStatus::done);
}

TEST_F(Recording, aKilledRunIsFoundAndContinuesToTheSameBytes) {
    const RunId run = runAndKill(file());
    {
        Store store = Store::open(file());
        EXPECT_THAT(store.verify().problems, IsEmpty());
        EXPECT_THAT(store.query({.status = RunStatus::running}, 10), SizeIs(1)) << "nobody has marked it";
        EXPECT_EQ(Store::open(file(), OpenMode::readOnly).run(run)->status, RunStatus::interrupted);
        EXPECT_THAT(idsOf(store.findInterrupted()), ElementsAre(run));
        EXPECT_EQ(store.run(run)->status, RunStatus::interrupted);
        EXPECT_EQ(store.study(run), smallStudy());
    }
    RecordOptions again = options();
    again.run = run;
    const Recorded recorded = runRecorded(Store::open(file()).study(run), {}, again);
    EXPECT_EQ(recorded.run, run);
    Store store = Store::open(file());
    EXPECT_EQ(store.run(run)->status, RunStatus::done);
    EXPECT_FALSE(store.checkpoint(run).has_value());
    EXPECT_EQ(*store.resultText(run), resultText(study::run(smallStudy())));
    EXPECT_THAT(store.verify().problems, IsEmpty());
    EXPECT_THAT(troubles_, IsEmpty());
}

TEST(Owners, areKnownByTheirStart) {
    const Owner self = thisProcess();
    EXPECT_TRUE(mayLive(self));
    EXPECT_FALSE(mayLive({self.host, self.pid, "another start"})) << "the number was used again";
    EXPECT_FALSE(mayLive({self.host, 0, ""}));
    EXPECT_TRUE(mayLive({"elsewhere", 1, "x"})) << "other machines cannot be asked";
}

TEST_F(Recording, readsInputsThatAreGoneFromTheHistory) {
    const fs::path model = file("model.json");
    const fs::path chip = file("chips/chip.json");
    const fs::path fleet = file("fleet.json");
    fs::create_directory(file("chips"));
    fs::copy_file(tessera::test::sourcePath("data/accelerators/tpu-v3-board.json"), chip);
    Json document = Json::parse(readFile(tessera::test::sourcePath("data/fleets/accpar-homogeneous.json")));
    document["groups"][0]["accelerator"] = "chips/chip.json";
    writeFile(fleet, toText(document));
    writeFile(model, InputSet(smallStudy(), {}).of(study::run(smallStudy())).at(0).bytes);
    study::Study study = smallStudy();
    study.models = {model.string()};
    study.hardware = {fleet.string()};
    const Recorded first = runRecorded(study, {}, options());
    const Store store = Store::open(file());
    ASSERT_THAT(store.inputs(first.run), SizeIs(3));
    EXPECT_EQ(storedInputs(store, first.run)->placeOf(model.string()), model.string()) << "nothing has changed";

    fs::remove(model);
    writeFile(chip, "{}");
    study::RunContext context;
    context.files = storedInputs(store, first.run);
    EXPECT_EQ(context.files->placeOf("zoo:resnet50"), "zoo:resnet50");
    EXPECT_FALSE(fs::exists(context.files->placeOf(model.string()))) << "nothing is written";
    EXPECT_EQ(study::toJson(study::run(study, context)), study::toJson(first.result));
    const InputScope scope(context.files);
    EXPECT_TRUE(isFile(placeOfInput(model.string())));
    EXPECT_EQ(readFile(fs::path(placeOfInput(fleet.string())).parent_path() / "chips/chip.json"),
              readFile(tessera::test::sourcePath("data/accelerators/tpu-v3-board.json")));
}

TEST_F(Recording, rerunsWhatIsReadOnceWithTheSameBytes) {
    const fs::path model = file("model.json");
    const std::string bytes = InputSet(smallStudy(), {}).of(study::run(smallStudy())).at(0).bytes;
    ASSERT_EQ(mkfifo(model.c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(model) << bytes; });
    study::Study study = smallStudy();
    study.models = {model.string()};
    const Recorded recorded = runRecorded(study, {}, options());
    EXPECT_THAT(troubles_, IsEmpty());
    fs::remove(model);
    const Store store = Store::open(file());
    EXPECT_EQ(store.inputs(recorded.run).at(0).bytes, bytes) << "a pipe is kept, too";
    study::RunContext context;
    context.files = storedInputs(store, recorded.run);
    EXPECT_EQ(resultText(study::run(study, context)), resultText(recorded.result));
}

TEST_F(Recording, runsOnTheInputsThatItKeepsWhateverBecomesOfThem) {
    const fs::path model = file("model.json");
    const std::string bytes = InputSet(smallStudy(), {}).of(study::run(smallStudy())).at(0).bytes;
    writeFile(model, bytes);
    study::Study study = smallStudy();
    study.models = {model.string()};
    const std::string whole = resultText(study::run(study));
    bool changed = false;
    study::RunContext context;
    context.progress = [&](const ProgressEvent& event) {
        if (event.task != "reading the model" || std::exchange(changed, true)) return;
        writeFile(model, "{}");  // after what is kept was read, and before the engine reads
    };
    const Recorded recorded = runRecorded(study, context, options());
    ASSERT_TRUE(changed);
    EXPECT_EQ(resultText(recorded.result), whole);
    EXPECT_THAT(Store::open(file()).inputs(recorded.run), SizeIs(3)) << "the model among them";
}

TEST_F(Recording, keepsInputsThatAreChangedWhileTheRunWorks) {
    const fs::path model = file("model.json");
    const std::string bytes = InputSet(smallStudy(), {}).of(study::run(smallStudy())).at(0).bytes;
    writeFile(model, bytes);
    study::Study study = smallStudy();
    study.models = {model.string()};
    std::atomic<bool> changed = false;  // engines report from each of their threads
    study::RunContext context;
    context.progress = [&](const ProgressEvent& event) {
        if (event.kind == ProgressEvent::Kind::incumbent && !changed.exchange(true)) writeFile(model, "{}");
    };
    const Recorded recorded = runRecorded(study, context, options());
    ASSERT_TRUE(changed) << "while the engine worked";
    const Store store = Store::open(file());
    const std::vector<InputContent> kept = store.inputs(recorded.run);
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const auto& each) { return each.name == model; });
    ASSERT_NE(found, kept.end());
    EXPECT_EQ(found->bytes, bytes);
}

TEST_F(Recording, keepsTheTemplateOfACodesign) {
    const fs::path space = file("own.json");
    fs::copy_file(tessera::test::sourcePath("data/templates/phaze.json"), space);
    study::Study study = study::newStudy("codesign");
    study.models = {"zoo:bert-base"};
    study.hardware = {space.string()};
    study::setParameter(study, "accelerators", {"16"});
    study::setParameter(study, "global_batch", {"64"});
    study::setParameter(study, "search", {"random"});
    study::setParameter(study, "samples", {"16"});
    study.seed = 5;
    const Recorded recorded = runRecorded(study, {}, options());
    fs::remove(space);
    const Store store = Store::open(file());
    EXPECT_THAT(store.inputs(recorded.run), SizeIs(2));
    study::RunContext context;
    context.files = storedInputs(store, recorded.run);
    EXPECT_EQ(toText(study::toJson(study::run(study, context))), toText(study::toJson(recorded.result)));
}

/// A platform whose cores have a dataflow of a file, and a workload of a model in a file, both beside the file itself.
TEST_F(Recording, readsWorkloadsAndPlatformsThatAreGoneFromTheHistory) {
    for (const char* folder : {"flows", "nets"}) fs::create_directory(file(folder));
    const fs::path flow = file("flows/own.m"), net = file("nets/net.json");
    const fs::path platform = file("platform.json"), workload = file("workload.json");
    fs::copy_file(tessera::test::sourcePath("data/dataflows/nvdla.m"), flow);
    writeFile(net, InputSet(smallStudy(), {}).of(study::run(smallStudy())).at(0).bytes);
    Json cores = Json::parse(readFile(tessera::test::sourcePath("data/platforms/s1.json")));
    for (Json& core : cores["sub_accelerators"]) core["dataflow"] = "flows/own.m";
    writeFile(platform, toText(cores));
    Json jobs = Json::parse(readFile(tessera::test::sourcePath("data/workloads/vision.json")));
    jobs["models"] = Json::array({{{"model", "nets/net.json"}, {"kind", "vision"}}});
    writeFile(workload, toText(jobs));
    study::Study study = study::newStudy("mapping");
    study.workloads = {workload.string()};
    study.hardware = {platform.string()};
    study.parameters["samples"] = 50;
    study.parameters["algorithms"] = {"random"};
    study.seed = 1;
    const Recorded first = runRecorded(study, {}, options());
    EXPECT_THAT(troubles_, IsEmpty());
    const Store store = Store::open(file());
    EXPECT_THAT(store.inputs(first.run), SizeIs(4));
    EXPECT_EQ(storedInputs(store, first.run)->placeOf(workload.string()), workload.string()) << "nothing has changed";

    for (const fs::path& gone : {flow, net}) fs::remove(gone);
    writeFile(platform, "{}");
    study::RunContext context;
    context.files = storedInputs(store, first.run);
    EXPECT_NE(context.files->placeOf(platform.string()), platform.string());
    EXPECT_NE(context.files->placeOf(workload.string()), workload.string());
    EXPECT_EQ(resultText(study::run(study, context)), resultText(first.result));
    EXPECT_THROW(study::run(study), std::exception) << "the files themselves are of no use any more";
}

/// How long the readers and the writer below go on: TESSERA_SOAK_SECONDS, as `TESSERA_SOAK_SECONDS=60 ctest -R
/// NeverMeet` for the minute of the specification.
milliseconds soakTime() {
    const char* seconds = std::getenv("TESSERA_SOAK_SECONDS");
    return seconds != nullptr ? milliseconds(1000 * std::atoi(seconds)) : milliseconds(1500);
}

/// One writer and eight readers, each with a connection of its own.
TEST_F(Recording, oneWriterAndEightReadersNeverMeetALock) {
    Store writer = Store::open(file());
    addDone(writer, studyOf("m", "h"));
    std::atomic<bool> stop = false;
    std::atomic<int> reads = 0;
    std::vector<std::string> errors;
    std::mutex mutex;
    std::vector<std::jthread> readers;
    for (int i = 0; i < 8; ++i)
        readers.emplace_back([&] {
            try {
                const Store store = Store::open(file());
                while (!stop) {
                    for (const RunRow& row : store.query({.orderBy = "step_time_s", .metrics = {"step_time_s"}}, 20))
                        store.trace(row.id);
                    ++reads;
                }
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                errors.emplace_back(error.what());
            }
        });
    const auto end = steady_clock::now() + soakTime();
    while (steady_clock::now() < end) {
        const RunId run = addDone(writer, studyOf("m", "h"));
        writer.record(run, {.before = std::vector<TracePoint>(100, {"best", 1, 2})});
        writer.setTags(run, {"t"});
    }
    stop = true;
    readers.clear();
    EXPECT_THAT(errors, IsEmpty());
    EXPECT_GT(reads, 8);
    EXPECT_THAT(writer.verify().problems, IsEmpty());
}

/// Whether `work` ends well in each of four processes that do it at once; what it throws is printed.
template <typename Work>
bool allEndWell(const Work& work) {
    constexpr int kProcesses = 4;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            try {
                work();
                _exit(0);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "%s\n", error.what());
                _exit(1);
            }
        }
        children.push_back(child);
    }
    bool well = true;
    for (const pid_t child : children) {
        int status = 0;
        well = waitpid(child, &status, 0) == child && status == 0 && well;
    }
    return well;
}

TEST_F(Recording, severalProcessesWriteAtOnce) {
    constexpr int kRuns = 20;
    EXPECT_TRUE(allEndWell([&] {
        Store store = Store::open(file());
        for (int k = 0; k < kRuns; ++k) addDone(store, studyOf("m", "h"));
    }));
    const Store store = Store::open(file());
    EXPECT_EQ(store.count({}), 4 * kRuns);
    EXPECT_THAT(store.verify().problems, IsEmpty());
}

/// One that looks while another makes the tables sees all of them or none.
TEST_F(Recording, severalProcessesMakeTheFileAtOnce) {
    constexpr int kFiles = 40;
    for (int i = 0; i < kFiles; ++i)
        EXPECT_TRUE(allEndWell([&] { Store::open(file() += std::to_string(i)); })) << "file " << i;
}

}  // namespace
}  // namespace tessera::store::test

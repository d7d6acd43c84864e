#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/app/cli.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

/// `tessera explore` by several processes, introduced by the environment as a launcher introduces them: the bytes of
/// one process, whatever becomes of the others.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Shell functions: `worker RANK SIZE` starts another process in the background, whose id is in $last; `first SIZE
/// ARGUMENTS` is rank 0.
constexpr const char* kFunctions = R"(
meet=$PWD/meet.$$
worker() { TESSERA_RANKS=rank=$1,size=$2,meet=$meet "$TESSERA" 2>>workers.txt & last=$!; }
first() { local size=$1; shift; TESSERA_RANKS=rank=0,size=$size,meet=$meet "$TESSERA" "$@"; }
)";

class Several : public Cli {
protected:
    Several() {
        // Points that fail, that keep no constraint and that are no study, among others.
        write("layers.json", R"({"schema": "tessera.exploration/1",
"study": {"engine": "cost", "workloads": ["zoo:resnet50"]},
"variables": [{"parameter": "pes", "low": 16, "high": 4096, "scale": "log"},
              {"parameter": "offchip_bandwidth", "low": 8, "high": 128},
              {"name": "half", "parameter": "noc_bandwidth", "formula": "offchip_bandwidth - 10"}],
"objectives": ["cycles", "energy_j"], "constraints": ["cycles <= 8000000"],
"method": "nsga2", "points": 160, "population": 40, "seed": 3})");
        // Some seconds of work.
        write("links.json", R"({"schema": "tessera.exploration/1",
"study": {"engine": "plan", "models": ["zoo:llama3-70b"], "hardware": ["dgx-h100x64"],
          "parameters": {"global_batch": 1024, "allow": "tp=2,4,8,pp=1,2,4,8,cp=1"}},
"variables": [{"name": "links", "field": "fleet.levels[NVSwitch].bandwidth_bytes_per_s", "low": "225 GB/s", "high": "1.8 TB/s"}],
"objectives": ["step_time_s", "price_usd"], "method": "sobol", "points": 128})");
    }
    Ended several(const std::string& commands) const { return runShell(kFunctions + commands, folder_); }
    std::string workersSaid() const { return runShell("cat workers.txt", folder_).output; }
};

TEST_F(Several, giveTheBytesOfOneWithAnyNumberOfRanksAndThreads) {
    for (const std::string more : {"", " --keep all", " --keep front", " --stop-after 20"}) {
        const Ended one = runShell("\"$TESSERA\" explore layers.json --json --no-store" + more, folder_);
        ASSERT_EQ(one.code, 0) << one.errors;
        EXPECT_THAT(one.output, HasSubstr("\"fault\": \"broken\"")) << "of points that cannot be evaluated, too";
        EXPECT_THAT(one.output, HasSubstr("\"fault\": \"constraint\""));
        for (const std::string size : {"1", "2", "3", "4"}) {
            const std::string threads = size == "3" ? " --threads 2" : "";
            const Ended all = several("for rank in $(seq 1 $((" + size + " - 1))); do worker $rank " + size +
                                      "; done; first " + size + " explore layers.json --json --no-store" + more +
                                      threads + "; code=$?; wait; exit $code");
            EXPECT_EQ(all.code, 0) << all.errors;
            EXPECT_TRUE(all.output == one.output) << size << " ranks" << more;
        }
    }
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, loseNothingWhereWorkersAreKilled) {
    const Ended one = runShell("\"$TESSERA\" explore links.json --json --no-store", folder_);
    ASSERT_EQ(one.code, 0) << one.errors;
    // Each of three dies soon after it has begun, and comes back twice.
    const Ended all = several(R"(
for rank in 1 2 3; do
    (for pause in 0.3 0.5 0.4; do worker $rank 4; sleep $pause; kill -KILL $last; wait $last; done) 2>&- &
done
first 4 explore links.json --json --no-store; code=$?; wait; exit $code)");
    EXPECT_EQ(all.code, 0) << all.errors;
    EXPECT_TRUE(all.output == one.output) << "not printed: it is long";
    // On a slow machine a worker may be killed before it has a point, which costs none.
    if (!all.errors.empty()) {
        EXPECT_THAT(all.errors, AllOf(HasSubstr("warning: rank "), HasSubstr(" ended while it had ")));
    }
}

TEST_F(Several, goOnWhereTheirMasterWasKilledInAnyNumber) {
    const Ended one = runShell("\"$TESSERA\" explore links.json --json --no-store", folder_);
    ASSERT_EQ(one.code, 0) << one.errors;
    // Rank 0 is killed once it has kept a part of it; the others end with it.
    const Ended killed = several(R"(worker 1 3; one=$last; worker 2 3; two=$last
TESSERA_RANKS=rank=0,size=3,meet=$meet "$TESSERA" explore links.json --json > part.json 2> part.txt & pid=$!
for i in $(seq 200); do "$TESSERA" history list --status running --json 2>&- | grep -q '"total": 1' && break; sleep 0.02; done
sleep 0.4; kill -KILL $pid; wait $pid; wait $one && wait $two)");
    EXPECT_EQ(killed.code, 0) << "workers end without rank 0, " << killed.errors;
    for (const std::string how : {"worker 1 2; first 2 resume 1 --json; code=$?; wait; exit $code"}) {
        const Ended resumed = several(how);
        EXPECT_EQ(resumed.code, 0) << resumed.errors;
        EXPECT_TRUE(resumed.output == one.output) << "not printed: it is long";
    }
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, endWithTheBestSoFarWhereOneIsToldToStop) {
    write("long.json", R"({"schema": "tessera.exploration/1",
"study": {"engine": "plan", "models": ["zoo:llama3-70b"], "hardware": ["dgx-h100x64"],
          "parameters": {"global_batch": 1024, "allow": "tp=8,pp=1,2,cp=1"}},
"variables": [{"name": "links", "field": "fleet.levels[NVSwitch].bandwidth_bytes_per_s", "low": "225 GB/s", "high": "1.8 TB/s"}],
"objectives": ["step_time_s"], "method": "sobol", "points": 100000})");
    const Ended stopped = several(R"(worker 1 2; one=$last
TESSERA_RANKS=rank=0,size=2,meet=$meet "$TESSERA" explore long.json --json > part.json & pid=$!
sleep 3; kill -INT $pid; wait $pid; code=$?; wait $one || code=99; cat part.json; exit $code)");
    ASSERT_EQ(stopped.code, 0) << stopped.errors;
    const nlohmann::json document = nlohmann::json::parse(stopped.output, nullptr, false);
    EXPECT_EQ(document["ended_by"], "stop");
    EXPECT_GT(document["points"].size(), 1U);
}

TEST_F(Several, keepTheResultThatIsPrintedWhereTheDiskIsFull) {
    const Ended one = runShell("\"$TESSERA\" explore layers.json", folder_);
    const Ended full = several("worker 1 2; (ulimit -f 150; first 2 explore layers.json); code=$?; wait; exit $code");
    EXPECT_EQ(full.code, 0);
    EXPECT_EQ(full.output, one.output);
    EXPECT_THAT(full.errors, HasSubstr("could not be kept whole: "));
    const Ended resumed = several("worker 1 2; first 2 resume 2; code=$?; wait; exit $code");
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_EQ(resumed.output, one.output) << "there is room again";
}

TEST_F(Several, shareSweepsAndSeeds) {
    write("jobs.json", R"({"schema": "tessera.study/1", "engine": "mapping", "workloads": ["mix"], "hardware": ["s2"],
"parameters": {"samples": 400, "algorithms": ["magma"]}, "seed": 1})");
    const std::string seeds = " sweep jobs.json --over seed=1,2,3,4,5,6,7,8 --json";
    const Ended one = runShell("\"$TESSERA\"" + seeds + " --no-store", folder_);
    ASSERT_EQ(one.code, 0) << one.errors;
    const Ended alone = several("worker 1 3; worker 2 3; first 3" + seeds + " --no-store; code=$?; wait; exit $code");
    EXPECT_EQ(alone.code, 0) << alone.errors;
    EXPECT_EQ(alone.output, one.output);
    // All runs are kept, each under its own number.
    const Ended kept = several("worker 1 2; first 2" + seeds + "; code=$?; wait; exit $code");
    EXPECT_EQ(kept.code, 0) << kept.errors;
    const nlohmann::json document = nlohmann::json::parse(kept.output, nullptr, false);
    ASSERT_EQ(document["points"].size(), 8U);
    for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(document["points"][p]["run"], p + 1);
    const nlohmann::json whole = nlohmann::json::parse(one.output, nullptr, false);
    for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(document["points"][p]["metrics"], whole["points"][p]["metrics"]);
    const nlohmann::json list =
        nlohmann::json::parse(tessera({"history", "list", "--status", "done", "--json"}).output, nullptr, false);
    EXPECT_EQ(list["total"], 8);
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, recomputeFigures) {
    const std::string figures = " reproduce accpar-fig7 magma-fig15 accpar-fig6 --no-store";
    for (const std::string form : {"", " --json"}) {
        const Ended one = runShell("\"$TESSERA\"" + figures + form, folder_);
        ASSERT_EQ(one.code, 0) << one.errors;
        const Ended two = several("worker 1 2; first 2" + figures + form + "; code=$?; wait; exit $code");
        EXPECT_EQ(two.code, 0) << two.errors;
        EXPECT_EQ(two.output, one.output);
    }
    const Ended none = several("worker 1 2; first 2 reproduce accpar-fig6 accpar-fig66; code=$?; wait; exit $code");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.errors, StartsWith("tessera: there is no figure 'accpar-fig66'"));
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, validateTheSameRows) {
    for (const std::string what :
         {" validate --json", " validate kernels schedules --rows", " validate --set vtrain-multi"}) {
        const Ended one = runShell("\"$TESSERA\"" + what, folder_);
        ASSERT_EQ(one.code, 0) << one.errors;
        const Ended three = several("worker 1 3; worker 2 3; first 3" + what + "; code=$?; wait; exit $code");
        EXPECT_EQ(three.code, 0) << three.errors;
        EXPECT_TRUE(three.output == one.output) << what << ", not printed: it is long";
    }
    const Ended none = several("worker 1 2; first 2 validate kernles; code=$?; wait; exit $code");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.errors, StartsWith("tessera: there is no set 'kernles'; did you mean 'kernels'?"));
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, takeInputsThatAreMadeOfRuns) {
    ASSERT_EQ(
        runShell("\"$TESSERA\" predict --model zoo:resnet18 --accelerator a100,h100 --devices 8 --batch 32", folder_)
            .code,
        0);
    write("made.json", R"({"schema": "tessera.exploration/1",
"study": {"engine": "partition", "models": ["zoo:lenet5"], "hardware": ["run:1/fleet/a100@8"]},
"variables": [{"parameter": "batch", "low": 64, "high": 4096},
              {"input": "hardware", "values": ["run:1/fleet/a100@8", "run:1/fleet/h100@8"]}],
"objectives": ["step_time_s"], "method": "sobol", "points": 64})");
    for (const std::string command :
         {" explore made.json --json --no-store",
          " sweep resnet50-mixed-tpus --over hardware=run:1/fleet/a100@8,run:1/fleet/h100@8 --over batch=64,128 --json "
          "--no-store"}) {
        const Ended one = runShell("\"$TESSERA\"" + command, folder_);
        ASSERT_EQ(one.code, 0) << one.errors;
        EXPECT_EQ(one.output.find("\"fault\": \"broken\""), std::string::npos);
        const Ended three = several("worker 1 3; worker 2 3; first 3" + command + "; code=$?; wait; exit $code");
        EXPECT_EQ(three.code, 0) << three.errors;
        EXPECT_TRUE(three.output == one.output) << command;
    }
    EXPECT_EQ(workersSaid(), "");
}

TEST_F(Several, goOnWithASweepOfAnyNumber) {
    const std::string over = " --over batch=64,128,256,512,1024,2048 --over levels=1,2,3,4 --json";
    const Ended one = runShell("\"$TESSERA\" sweep resnet50-mixed-tpus" + over, folder_);
    ASSERT_EQ(one.code, 0) << one.errors;
    // Rank 0 is killed once it has kept a part of it.
    const Ended killed = several(R"(export XDG_DATA_HOME=$PWD/other; worker 1 2; one=$last
TESSERA_RANKS=rank=0,size=2,meet=$meet "$TESSERA" sweep resnet50-mixed-tpus --over batch=64,128,256,512,1024,2048 --over levels=1,2,3,4 --json > part.json 2> part.txt & pid=$!
for i in $(seq 200); do "$TESSERA" history list --status done --json 2>&- | grep -q '"total": [1-9]' && break; sleep 0.02; done
kill -KILL $pid; wait $pid; wait $one)");
    EXPECT_EQ(killed.code, 0) << killed.errors;
    const Ended resumed = several(
        "export XDG_DATA_HOME=$PWD/other; worker 1 3; worker 2 3; first 3 resume 1 --json; code=$?; wait; exit $code");
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_EQ(resumed.output, one.output);
}

TEST_F(Several, refuseWhatOneProcessDoes) {
    const std::string tail = "; code=$?; wait; exit $code";
    const Ended predict = several("worker 1 2; first 2 predict --model zoo:lenet5 --accelerator a100" + tail);
    EXPECT_EQ(predict.code, 2);
    EXPECT_EQ(
        predict.errors,
        "tessera: 'tessera predict' is one process, and this was started as one of 2; explorations and sweeps are "
        "what several share; see 'tessera predict --help'\n");
    const Ended run = several("worker 1 2; first 2 run resnet50-mixed-tpus --no-store" + tail);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, StartsWith("tessera: a study of engine 'partition' is run by one process, and this"));
    EXPECT_EQ(several("worker 1 2; first 2 --version" + tail).code, 0);
    EXPECT_EQ(workersSaid(), "");
    const Ended nonsense = runShell("TESSERA_RANKS=nonsense \"$TESSERA\" --version", folder_);
    EXPECT_EQ(nonsense.code, 2);
    EXPECT_EQ(
        nonsense.errors,
        "tessera: the environment's TESSERA_RANKS is 'nonsense'; expected what introduces one process to others\n");
}

TEST_F(Several, wantTheModuleWhereALauncherStartedThem) {
    // The program without what is installed beside it.
    fs::create_directory(path("bin"));
    fs::copy_file(program(), path("bin/tessera"));
    const auto launched = [&](const std::string& variables) {
        return runShell(variables + " bin/tessera explore layers.json --no-store", folder_);
    };
    const Ended first = launched("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0");
    EXPECT_EQ(first.code, 2);
    EXPECT_EQ(first.output, "");
    EXPECT_THAT(first.errors, AllOf(StartsWith("tessera: this is one of 4 processes that mpirun started, but /"),
                                    HasSubstr("lib/tessera/tessera-mpi.so is not there; start it alone, or build it")));
    EXPECT_EQ(std::count(first.errors.begin(), first.errors.end(), '\n'), 1);
    const Ended other = launched("SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2");
    EXPECT_EQ(other.code, 0) << "rank 0 has said it";
    EXPECT_EQ(other.output + other.errors, "");
    // One of one is alone, and so is a job script, which has Slurm's variables but is no step.
    EXPECT_EQ(launched("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0").code, 0);
    EXPECT_EQ(launched("SLURM_NTASKS=4 SLURM_PROCID=0").code, 0);
}

TEST_F(Several, asAJobOfSlurm) {
    const Ended written = tessera({"explore", "resnet50-layers-nvdla", "--vary", "pes=64..4096:log", "--objective",
                                   "cycles", "--points", "40", "--slurm", "--nodes", "4", "--ranks-per-node", "2",
                                   "--time", "02:30:00", "--partition", "long", "--out", "layers-job.sh"});
    EXPECT_EQ(written.code, 0) << written.errors;
    EXPECT_EQ(written.output, "layers-job.sh: a job of 4 nodes for 'sbatch', with layers-job.json beside it\n");
    expectGolden(runShell("cat layers-job.sh", folder_).output, "tests/data/slurm/layers-job.sh");
    // What it explores is the study.
    EXPECT_EQ(tessera({"explore", "layers-job.json", "--no-store", "--json"}).output,
              tessera({"explore", "resnet50-layers-nvdla", "--vary", "pes=64..4096:log", "--objective", "cycles",
                       "--points", "40", "--no-store", "--json"})
                  .output);
    const Ended json = tessera({"explore", "layers.json", "--slurm", "--out", "job's.sh", "--threads", "4", "--json"});
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(json.output, nullptr, false), "exploration-job.schema.json"), "");
    EXPECT_EQ(runShell("sh -n \"job's.sh\"", folder_).code, 0) << "it is a script, whatever its name";

    const auto refused = [&](const std::vector<std::string>& more) {
        const Ended ended = tessera(with({"explore", "layers.json"}, more));
        EXPECT_EQ(ended.code, 2);
        return ended.errors;
    };
    EXPECT_THAT(refused({"--slurm"}), HasSubstr("option '--slurm' needs --out"));
    EXPECT_THAT(refused({"--nodes", "3"}), HasSubstr("option '--nodes' is for --slurm"));
    EXPECT_THAT(refused({"--slurm", "--out", "a.sh", "--nodes", "0"}), HasSubstr("'--nodes'"));
    EXPECT_THAT(refused({"--slurm", "--out", "a.sh", "--time", "1h"}), HasSubstr("option '--time' is '1h'; expected"));
    EXPECT_THAT(refused({"--slurm", "--out", "a.sh", "--partition", "a b"}),
                HasSubstr("option '--partition' is 'a b'"));
    EXPECT_THAT(refused({"--slurm", "--out", "a.json"}), HasSubstr("does not end with .json or .db"));
    EXPECT_FALSE(fs::exists(path("a.sh")));
}

}  // namespace
}  // namespace tessera::test

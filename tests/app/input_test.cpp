#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/hardware/library.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::size_t linesOf(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string workload(const std::string& source) {
    return R"({"schema": "tessera.workload/1", "name": "w", "draw": "in-order",
"models": [
{"model": "zoo:lenet5"},
)" + source +
           "]}";
}

TEST_F(Cli, saysWhereAFileHoldsWhatDoesNotExist) {
    write("model.json", workload(R"({"model": "zoo:nonesuch"})"));
    write("dimension.json", workload(R"({"model": "zoo:bert-large", "dimensions": {"sequenze": 128}})"));
    write("platform.json", R"({"schema": "tessera.platform/1", "name": "p", "clock_hz": 200e6,
"bandwidth_bytes_per_s": 16e9, "sub_accelerators": [
{"name": "A", "count": 1, "array_height": 32, "array_width": 64, "dataflow": "assumed", "sl_bytes": 1024,
 "sg_bytes": 149504}]})");
    write("m3e.csv", "0,0,64,3,224,224,7,7,1\n0,1,2147483648,64,112,112,7,7,1\n");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"map", "--platform", "S2", "--workload", "model.json"},
         "model.json:4: field 'models[1].model' is 'zoo:nonesuch'; expected a model that can be read (the zoo has no "
         "model 'nonesuch'; 'tessera model list' names them all)\n"},
        {{"map", "--platform", "S2", "--workload", "dimension.json"},
         "dimension.json:4: field 'models[1].dimensions' is not of the model 'zoo:bert-large'; expected dimensions "
         "that can be read ('zoo:bert-large' has no dimension 'sequenze'; "},
        {{"map", "--platform", "platform.json", "--workload", "mix"},
         "platform.json:3: field 'sub_accelerators[0].dataflow' is 'assumed'; expected a dataflow that can be read "
         "(there is no dataflow 'assumed'; "},
        {{"map", "--platform", "S2", "--jobs", "m3e.csv"},
         "m3e.csv:2:5: found '2147483648'; expected a number of at most 2147483647 (d0)\n"},
        {{"cost", "--dataflow", "nvdla", "--pes", "64", "--jobs", "m3e.csv"},
         "m3e.csv:2:5: found '2147483648'; expected a number of at most 2147483647 (d0)\n"},
    };
    for (const auto& [arguments, start] : cases) {
        const Ended ended = tessera(with(arguments, {"--no-store", "--quiet"}));
        EXPECT_EQ(ended.code, 3) << ended.errors;
        EXPECT_THAT(ended.errors, StartsWith(start));
        EXPECT_EQ(linesOf(ended.errors), 1U) << ended.errors;
    }
}

TEST_F(Cli, namesTheFileThatMemoryDoesNotHold) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer reserves more addresses";
    std::string text = R"({"schema": "tessera.layers/1", "name": "chain", "layers": [)";
    for (int i = 0; i < 400'000; ++i)
        text += (i == 0 ? "\n" : ",\n") + std::string(R"({"name": "l)") + std::to_string(i) +
                R"(", "kind": "fc", "in_channels": 8, "out_channels": 8})";
    write("chain.json", text + "]}");
    for (const std::string kilobytes : {"220000", "260000", "300000", "340000"}) {
        const Ended ended = runShell("ulimit -v " + kilobytes + "; \"$TESSERA\" model inspect chain.json", folder_);
        if (ended.code == 0) continue;  // it fits
        EXPECT_EQ(ended.code, 3) << kilobytes << ended.errors;
        EXPECT_EQ(ended.errors,
                  "chain.json: found more than this process has memory for; expected a smaller file, or more memory\n");
    }
}

TEST_F(Cli, namesTmpdirWhereItCannotBeUsed) {
    ASSERT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    const std::string sentence =
        "no temporary folder can be made in '/proc/none' (No such file or directory); set TMPDIR to a folder that can "
        "be written\n";
    for (const std::string command : {"report 1 --out r.pdf", "schedule --operators mixture-of-experts --method ilp"}) {
        const Ended ended = runShell("TMPDIR=/proc/none \"$TESSERA\" " + command, folder_);
        EXPECT_EQ(ended.code, 6) << command;
        EXPECT_EQ(ended.errors, sentence) << command;
    }
}

TEST_F(Cli, readsStandardInputAndWritesStandardOutput) {
    const Ended converted = runShell("\"$TESSERA\" model convert - --to json --out - < toy.json", folder_);
    EXPECT_EQ(converted.code, 0) << converted.errors;
    EXPECT_EQ(JsonDocument::parse(converted.output, "out").json().at("name"), "toy");
    EXPECT_FALSE(std::filesystem::exists(path("-")));
    const std::vector<std::pair<std::string, std::string>> cases{
        {"cat toy.json | \"$TESSERA\" model inspect /dev/stdin", "toy (/dev/stdin), batch 1"},
        {"cat toy.json | \"$TESSERA\" partition --model - --fleet accpar-heterogeneous --no-store", "toy on AccPar"},
        {"\"$TESSERA\" hardware copy accpar-homogeneous - | \"$TESSERA\" partition --model toy.json --fleet - "
         "--no-store",
         "toy on AccPar homogeneous"},
        {"\"$TESSERA\" hardware copy S2 - | \"$TESSERA\" hardware validate -", "-: a valid platform, 'S2'"},
        {"cat toy.json | \"$TESSERA\" cost --jobs - --dataflow nvdla --pes 64", "cv1"},
        {"\"$TESSERA\" cost --jobs toy.json --dataflow - --pes 64 < " + sourcePath("data/dataflows/nvdla.m").string(),
         "cv1"},
        {"\"$TESSERA\" map --platform S2 --workload mix --samples 50 --json --no-store | \"$TESSERA\" map --platform "
         "S2 "
         "--workload mix --samples 50 --warm-start - --no-store",
         "makespan"},
        {"printf 'pes\\n256\\n512\\n' | \"$TESSERA\" explore resnet50-layers-nvdla --vary pes=256..1024 --objective "
         "cycles "
         "--method list --begin - --no-store",
         "512"},
        {"\"$TESSERA\" plan --model zoo:llama2-7b --fleet dgx-h100x8 --global-batch 16 --quiet && \"$TESSERA\" export "
         "last "
         "--what file --name megatron-lm --out -",
         "PLAN_ARGS=("},
    };
    for (const auto& [command, part] : cases) {
        const Ended ended = runShell(command, folder_);
        EXPECT_EQ(ended.code, 0) << command << ended.errors;
        EXPECT_THAT(ended.output, HasSubstr(part)) << command;
    }
    ASSERT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    EXPECT_THAT(tessera({"report", "last", "--out", "-", "--format", "md"}).output, StartsWith("# "));
    EXPECT_THAT(tessera({"export", "last", "--out", "-", "--format", "csv"}).output, HasSubstr(",cv1,"));
    EXPECT_EQ(tessera({"export", "last", "--out", "-"}).errors,
              "tessera: option '--out' is '-', whose name does not tell the format; expected --format, too; see "
              "'tessera export --help'\n");
    EXPECT_EQ(tessera({"model", "convert", "toy.json", "--to", "json", "--out", "-", "--json"}).errors,
              "tessera: option '--out' is '-', where --json writes its document; expected a file; see 'tessera model "
              "convert --help'\n");
}

TEST_F(Cli, refusesDevicesAndPipesThatNobodyWritesToInASentence) {
    for (const std::string device : {"/dev/zero", "/dev/urandom"}) {
        const Ended ended = tessera({"model", "inspect", device});
        EXPECT_EQ(ended.code, 6);
        EXPECT_EQ(ended.errors, "cannot read '" + device + "': it is not a regular file but a device\n");
    }
    const Ended pipe = runShell("mkfifo p.json && \"$TESSERA\" model inspect p.json", folder_);
    EXPECT_EQ(pipe.code, 6);
    EXPECT_EQ(pipe.errors, "cannot read 'p.json': it is not a regular file but a pipe, and nothing writes to it\n");
    EXPECT_EQ(runShell("bash -c '\"$TESSERA\" partition --model <(cat toy.json) --fleet accpar-homogeneous --no-store'",
                       folder_)
                  .code,
              0);
}

TEST_F(Cli, makesNoFolderForASlipOfThePen) {
    const std::string folder = path("nowhere");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"model", "convert", "toy.json", "--to", "json", "--out", "nowhere/x.json"},
         "cannot write 'nowhere/x.json': there is no folder 'nowhere'\n"},
        {with(kToy, {"--store", "nowhere/h.db"}),
         "there is no folder '" + folder + "' for the history 'nowhere/h.db'\n"},
        {{"calibrate", "--quick", "--out", "nowhere/m.json"}, "there is no folder 'nowhere' for the calibration\n"},
        {{"tour", "--out", "nowhere/tour"}, "nowhere/tour: cannot be made: No such file or directory\n"},
    };
    for (const auto& [arguments, sentence] : cases) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, 6) << arguments.front();
        EXPECT_EQ(ended.errors, sentence);
        EXPECT_FALSE(std::filesystem::exists(folder)) << arguments.front();
    }
}

/// Every row of the library, as its engine takes it with nothing else given.
TEST_F(Cli, worksWithEveryBundledHardwareByDefault) {
    for (const hardware::LibraryEntry& entry : hardware::libraryEntries()) {
        std::vector<std::string> command;
        if (entry.kind == "fleet") command = {"partition", "--model", "toy.json", "--fleet", entry.id};
        if (entry.kind == "accelerator") command = {"predict", "--model", "zoo:lenet5", "--accelerator", entry.id};
        if (entry.kind == "platform")
            command = {"map", "--workload", "vision", "--platform", entry.id, "--samples", "20"};
        if (command.empty()) continue;
        const Ended ended = tessera(with(command, {"--no-store", "--quiet"}));
        EXPECT_EQ(ended.code, 0) << entry.id << ": " << ended.errors;
    }
    const Ended mixed = tessera({"partition", "--model", "toy.json", "--fleet", "v100-a100-upgrade", "--no-store"});
    EXPECT_EQ(mixed.errors,
              "warning: Not every accelerator of the fleet has a peak for bf16, so fp16 is taken; --dtype chooses.\n");
}

TEST_F(Cli, startsFromACopyOfBundledHardware) {
    EXPECT_EQ(tessera({"hardware", "copy", "accpar-heterogeneous", "mine.json"}).output,
              "mine.json: a copy of the fleet 'AccPar heterogeneous'\n");
    EXPECT_EQ(tessera({"hardware", "validate", "mine.json"}).output,
              "mine.json: a valid fleet, 'AccPar heterogeneous'\n");
    EXPECT_EQ(tessera({"partition", "--model", "toy.json", "--fleet", "mine.json", "--no-store"}).output,
              tessera({"partition", "--model", "toy.json", "--fleet", "accpar-heterogeneous", "--no-store"}).output);
}

TEST_F(Cli, saysWhatMakesThisMachineAndWhichParameterIsMeant) {
    EXPECT_EQ(
        tessera({"predict", "--model", "zoo:lenet5", "--accelerator", "this-machine"}).errors,
        "tessera: there is no accelerator 'this-machine'; 'tessera calibrate' measures this machine and makes it; "
        "see 'tessera predict --help'\n");
    EXPECT_EQ(tessera({"sweep", "resnet50-mixed-tpus", "--over", "bacth=1,2"}).errors,
              "tessera: engine 'partition' has no parameter 'bacth'; did you mean 'batch'? see 'tessera sweep "
              "--help'\n");
    EXPECT_EQ(tessera({"model", "inspect", "zoo:resnet5"}).errors,
              "tessera: the zoo has no model 'resnet5'; did you mean 'resnet50'? 'tessera model list' names them all; "
              "see 'tessera model inspect --help'\n");
}

TEST_F(Cli, writesNoEscapeSequenceWhereTheTerminalIsNotToHaveAny) {
    // `script` gives the program a terminal; the search takes longer than the delay of the bar.
    const std::string command =
        "\"$TESSERA\" codesign --model zoo:alexnet --accelerators 64 --global-batch 256 --search "
        "random --samples 60 --no-store";
    if (runShell("command -v script > /dev/null").code != 0) GTEST_SKIP() << "no 'script' here";
    for (const std::string variable : {"NO_COLOR=1", "TERM=dumb"}) {
        const Ended ended = runShell(variable + " script -qec '" + command + "' /dev/null", folder_);
        EXPECT_EQ(ended.output.find('\x1B'), std::string::npos) << variable;
    }
}

/// What a terminal shows while a search works.
TEST_F(Cli, saysTheTimeThatIsLeftAsTheWindowDoes) {
    if (runShell("command -v script > /dev/null").code != 0) GTEST_SKIP() << "no 'script' here";
    if (kSanitized) GTEST_SKIP() << "the search takes minutes";
    // An estimate wants two seconds of work and a twentieth of it; a slow machine need not see the end.
    const Ended ended = runShell(
        "TERM=xterm script -qec 'timeout --foreground -s INT 10 \"$TESSERA\" map --workload mix --platform S2 "
        "--bandwidth 16GB/s --algorithm random --samples 3000000 --no-store' /dev/null",
        folder_);
    static const std::regex kLeft("· ([^·\r]*) left(, then [a-z ]+)?");
    int times = 0;
    for (std::sregex_iterator each(ended.output.begin(), ended.output.end(), kLeft), end; each != end; ++each) {
        const std::string time = (*each)[1];
        EXPECT_TRUE(time.starts_with("about ") || time == "a few seconds" || time.find(" to ") != std::string::npos)
            << time;
        ++times;
    }
    EXPECT_GT(times, 0) << ended.output;
}

}  // namespace
}  // namespace tessera::test

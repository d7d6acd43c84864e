// What shells complete: asked of the program as they ask it, and through the shells themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "tests/app/cli.h"

namespace tessera::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class Completion : public Cli {
protected:
    /// The words that fit, without what they are.
    std::vector<std::string> offered(const std::vector<std::string>& words) const {
        return firstWords(tessera(with({"__complete"}, words)).output);
    }

    static std::vector<std::string> firstWords(const std::string& lines) {
        std::vector<std::string> words;
        std::istringstream stream(lines);
        for (std::string line; std::getline(stream, line);) words.push_back(line.substr(0, line.find('\t')));
        return words;
    }

    /// What bash makes of a line, by its own words of completion.
    std::vector<std::string> inBash(const std::string& line) const {
        return firstWords(runShell("source <(\"$TESSERA\" completion bash)\n"
                                   "PATH=$(dirname \"$TESSERA\"):$PATH\n"
                                   "COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; COMP_LINE='" +
                                       line +
                                       "'; COMP_POINT=${#COMP_LINE}; _tessera; printf '%s\\n' \"${COMPREPLY[@]}\"",
                                   folder_)
                              .output);
    }
};

TEST_F(Completion, offersCommandsOptionsAndWords) {
    EXPECT_THAT(offered({"part"}), ElementsAre("partition"));
    EXPECT_THAT(offered({"history", "ex"}), ElementsAre("export"));
    EXPECT_THAT(offered({"help", "history", "ex"}), ElementsAre("export"));
    EXPECT_THAT(offered({"partition", "--fl"}), ElementsAre("--fleet", "--flop"));
    EXPECT_THAT(offered({"map", "--objective", "ed"}), ElementsAre("edp"));
    EXPECT_THAT(offered({"map", "--objective=ed"}), ElementsAre("--objective=edp"));
    EXPECT_THAT(offered({"map", "--algorithm", "tessera,magma-p"}), ElementsAre("tessera,magma-published"));
    EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
    EXPECT_THAT(offered({"model", "convert", "zoo:alexnet", "--to", "sc"}), ElementsAre("scalesim-csv"));
    EXPECT_THAT(offered({"history", "list", "--status", "int"}), ElementsAre("interrupted"));
    EXPECT_THAT(offered({"history", "list", "--le"}), IsEmpty()) << "a spelling of older versions";
    EXPECT_THAT(offered({"run", "resnet50-mixed"}), ElementsAre("resnet50-mixed-tpus", ":files"));
    EXPECT_THAT(offered({"tour", "--out", "x"}), ElementsAre(":folders"));
}

TEST_F(Completion, offersEveryModelAndAllHardware) {
    const auto models = offered({"partition", "--model", ""});
    for (const model::ZooEntry& entry : model::zooEntries()) EXPECT_THAT(models, Contains("zoo:" + entry.id));
    EXPECT_THAT(models, Contains(":files"));
    const std::vector<std::pair<std::string, std::vector<std::string>>> options{
        {"fleet", {"plan", "--fleet", ""}},
        {"accelerator", {"predict", "--accelerator", ""}},
        {"platform", {"map", "--platform", ""}},
        {"template", {"codesign", "--template", ""}}};
    for (const auto& [kind, command] : options) {
        const auto words = offered(command);
        const auto all = offered({"hardware", "show", ""});
        for (const hardware::LibraryEntry& entry : hardware::libraryEntries()) {
            if (entry.kind == kind) {
                EXPECT_THAT(words, Contains(entry.id));
                EXPECT_THAT(all, Contains(entry.id));
            }
        }
        EXPECT_THAT(words, Not(Contains("zoo:resnet50")));
    }
}

TEST_F(Completion, offersRunsAndTheirTags) {
    EXPECT_THAT(offered({"history", "show", ""}), ElementsAre("last"));
    ASSERT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    ASSERT_EQ(tessera({"history", "tag", "last", "baseline", "--quiet"}).code, 0);
    EXPECT_THAT(offered({"history", "show", ""}), ElementsAre("last", "1"));
    EXPECT_THAT(offered({"report", "1", ""}), ElementsAre("last", "1"));
    EXPECT_THAT(offered({"history", "list", "--tag", "b"}), ElementsAre("baseline"));
    EXPECT_THAT(offered({"--store", "other.db", "history", "show", ""}), Not(Contains("1")));
}

TEST_F(Completion, offersSizesOfTheModel) {
    EXPECT_THAT(offered({"partition", "--model", "zoo:gpt2", "--dim", "seq"}), ElementsAre("sequence="));
    EXPECT_THAT(offered({"model", "inspect", "zoo:gpt2", "--dim", "sequence="}), ElementsAre("sequence=1024"));
    EXPECT_THAT(offered({"predict", "--model=zoo:gpt", "--dim", "lay"}), ElementsAre("layers="));
    EXPECT_THAT(offered({"model", "inspect", "zoo:resnet50", "--dim", ""}), Not(Contains("sequence=")));
    EXPECT_THAT(offered({"model", "inspect", "toy.json", "--dim", ""}), IsEmpty());
    EXPECT_THAT(offered({"model", "inspect", "--dim", ""}), IsEmpty()) << "no model yet";
}

TEST_F(Completion, offersWhatOfAStudyCanVary) {
    const std::vector<std::string> explore{"explore", "resnet50-mixed-tpus", "--vary"};
    EXPECT_THAT(offered(with(explore, {"batc"})), ElementsAre("batch="));
    EXPECT_THAT(offered(with(explore, {"fleet.groups[0].co"})), ElementsAre("fleet.groups[0].count="));
    EXPECT_THAT(offered(with(explore, {"strategies=accpar,hy"})), ElementsAre("strategies=accpar,hypar"));
    EXPECT_THAT(offered(with(explore, {"hardware=v100-a"})), ElementsAre("hardware=v100-a100-upgrade"));
    EXPECT_THAT(offered({"sweep", "resnet50-mixed-tpus", "--over", "batc"}), ElementsAre("batch="));
    EXPECT_THAT(offered({"sweep", "resnet50-mixed-tpus", "--over", "models=zoo:vgg16,zoo:vgg1"}),
                Contains("models=zoo:vgg16,zoo:vgg19"));
    EXPECT_THAT(offered({"sweep", "resnet50-mixed-tpus", "--over", "fleet."}), IsEmpty()) << "fields of hardware";
    EXPECT_THAT(offered(with(explore, {"batch=1", "--objective", "step"})), ElementsAre("step_time_s"));
    EXPECT_THAT(offered(with(explore, {"batch=1", "--objective", "step_time_s:"})),
                ElementsAre("step_time_s:min", "step_time_s:max"));
    EXPECT_THAT(offered(with(explore, {"batch=1", "--constraint", "step"})),
                ElementsAre("step_time_s<=", "step_time_s>="));
    EXPECT_THAT(offered({"explore", "no-such-study", "--vary", ""}), IsEmpty());
}

TEST_F(Completion, offersColumnsAndMetricsOfTheHistory) {
    EXPECT_THAT(offered({"history", "list", "--columns", "name,har"}), ElementsAre("name,hardware"));
    EXPECT_THAT(offered({"history", "list", "--min", "step"}), IsEmpty()) << "no run has metrics yet";
    EXPECT_THAT(offered({"history", "list", "--where", "sta"}), ElementsAre("starred", "status:"));
    EXPECT_THAT(offered({"history", "list", "--where", "status:int"}), ElementsAre("status:interrupted"));
    EXPECT_THAT(offered({"history", "list", "--where", "engine:part"}), ElementsAre("engine:partition"));
    ASSERT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    EXPECT_THAT(offered({"history", "list", "--columns", "name,step"}), Contains("name,step_time_s"));
    EXPECT_THAT(offered({"history", "list", "--sort", "step"}), Contains("step_time_s"));
    EXPECT_THAT(offered({"history", "search", "toy", "--max", "step"}), Contains("step_time_s="));
    EXPECT_THAT(offered({"history", "list", "--where", "step"}), Contains("step_time_s<"));
}

TEST_F(Completion, worksInBash) {
    EXPECT_THAT(inBash("tessera part"), ElementsAre("partition"));
    EXPECT_THAT(inBash("tessera partition --fleet v100-a"), ElementsAre("v100-a100-upgrade"));
    // ':' and '=' end words there.
    EXPECT_THAT(inBash("tessera partition --model zoo:vgg1"), Contains("vgg19"));
    EXPECT_THAT(inBash("tessera map --objective=ed"), ElementsAre("edp"));
    EXPECT_THAT(inBash("tessera partition --model to"), ElementsAre("toy.json"));
    EXPECT_THAT(inBash("tessera model inspect zoo:gpt2 --dim seq"), ElementsAre("sequence="));
    EXPECT_THAT(inBash("tessera explore resnet50-mixed-tpus --vary strategies=accpar,hy"), ElementsAre("accpar,hypar"));
    // What a shell would take for a redirection.
    EXPECT_THAT(inBash("tessera explore resnet50-mixed-tpus --constraint step_time_s"),
                ElementsAre("step_time_s\\<=", "step_time_s\\>="));
    write("with space.json", "{}");
    EXPECT_THAT(inBash("tessera hardware validate wi"), ElementsAre("with space.json"));
}

TEST_F(Completion, worksInFish) {
    if (runShell("command -v fish").code != 0) GTEST_SKIP() << "no 'fish' here";
    const Ended ended = runShell(
        "export HOME=$PWD PATH=$(dirname \"$TESSERA\"):$PATH; fish -c 'tessera completion fish | source; complete -C "
        "\"tessera partition --fleet v100-a\"; complete -C \"tessera partition --model to\"; complete -C \"tessera "
        "model inspect zoo:gpt2 --dim seq\"; complete -C \"tessera sweep resnet50-mixed-tpus --over batc\"'",
        folder_);
    EXPECT_THAT(firstWords(ended.output), ElementsAre("v100-a100-upgrade", "toy.json", "sequence=", "batch="))
        << ended.errors;
}

TEST_F(Completion, worksInZsh) {
    if (runShell("command -v zsh").code != 0) GTEST_SKIP() << "no 'zsh' here";
    // Outside of a line editor: what its own functions are given is printed.
    const Ended ended = runShell(
        "export PATH=$(dirname \"$TESSERA\"):$PATH; tessera completion zsh > _tessera; zsh -fc 'compdef() { : }; "
        "compadd() "
        "{ local name=${@[-1]}; print -rl -- ${(P)name} }; _files() { print files }; source ./_tessera; words=(tessera "
        "partition --fleet "
        "v100-a); "
        "CURRENT=4; _tessera; words=(tessera model inspect zoo:gpt2 --dim seq); CURRENT=6; _tessera'",
        folder_);
    EXPECT_THAT(firstWords(ended.output), ElementsAre("v100-a100-upgrade", "files", "sequence=")) << ended.errors;
}

TEST_F(Completion, refusesAShellThatItDoesNotKnow) {
    const Ended ended = tessera({"completion", "csh"});
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.errors,
              "tessera: there is no completion for the shell 'csh'; expected one of bash, zsh, fish; see 'tessera "
              "completion --help'\n");
}

}  // namespace
}  // namespace tessera::test

#include "tests/app/cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "tests/app/program.h"
#include "tests/support/sanitizers.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The page of the command line: every command, its arguments and its own options.
const std::map<std::string, std::vector<std::string>> kPage{
    {"help", {"COMMAND", "--man", "--man-pages"}},
    {"version", {}},
    {"completion", {"SHELL", "--out"}},
    {"model list", {}},
    {"model inspect", {"MODEL", "--batch", "--dim", "--layers", "--training"}},
    {"model convert", {"MODEL", "--to", "--out", "--dim"}},
    {"hardware list", {"--kind"}},
    {"hardware show", {"NAME"}},
    {"hardware copy", {"NAME", "FILE"}},
    {"hardware validate", {"FILE"}},
    {"partition",
     {"--model", "--fleet", "--batch", "--cost-model", "--dtype", "--levels", "--strategy", "--ratio", "--pin",
      "--pin-ratio", "--optimizer", "--overlap", "--objective", "--psum", "--join", "--flop", "--no-compute", "--dim",
      "--groups"}},
    {"map", {"--platform",  "--workload",   "--jobs",
             "--job-table", "--bandwidth",  "--bandwidth-definition",
             "--variant",   "--group-size", "--bandwidth-bytes-per-cycle",
             "--clock",     "--algorithm",  "--samples",
             "--objective", "--weight",     "--pareto",
             "--set",       "--explored",   "--warm-start",
             "--evaluate",  "--seed",       "--job-seed"}},
    {"explore",
     {"STUDY", "--vary", "--objective", "--constraint", "--begin", "--method", "--points", "--population",
      "--stop-after", "--keep", "--seed", "--list", "--point", "--out", "--slurm", "--nodes", "--ranks-per-node",
      "--time", "--partition"}},
    {"sweep", {"STUDY", "--over"}},
    {"cost",
     {"--jobs", "--dataflow", "--pes", "--cluster", "--variant", "--noc-bandwidth", "--noc-hops", "--noc-hop-latency",
      "--offchip-bandwidth", "--simd-lanes"}},
    {"place",
     {"--layers", "--model", "--fleet", "--dim", "--accelerators", "--global-batch", "--optimizer-memory", "--branches",
      "--sequence", "--dtype", "--software", "--widths", "--micro-batches", "--recompute", "--zero", "--plan",
      "--plan-file"}},
    {"schedule", {"--operators", "--tensor-cores", "--vector-cores", "--method", "--time-limit", "--node-limit"}},
    {"run", {"STUDY"}},
    {"codesign",
     {"--model", "--template", "--dim", "--accelerators", "--global-batch", "--area-limit", "--search", "--hysteresis",
      "--samples", "--estimator", "--objective", "--weight", "--optimizer", "--bandwidth", "--hbm-bandwidths",
      "--network-bandwidths", "--bucket", "--schedule-states", "--seed"}},
    {"resume", {"RUN"}},
    {"history list",
     {"--engine", "--model", "--hardware", "--tag", "--status", "--since", "--until", "--where", "--min", "--max",
      "--starred", "--imported", "--deleted", "--sort", "--ascending", "--columns", "--limit"}},
    {"history show", {"RUN", "--result"}},
    {"history search",
     {"WORD", "--engine", "--model", "--hardware", "--tag", "--status", "--since", "--until", "--where", "--min",
      "--max", "--starred", "--imported", "--deleted", "--sort", "--ascending", "--columns", "--limit"}},
    {"history compare", {"RUN", "--baseline", "--all"}},
    {"history export", {"RUN", "--out", "--format"}},
    {"history import", {"FILE"}},
    {"history merge", {"FILE"}},
    {"history backup", {"FILE"}},
    {"history vacuum", {}},
    {"history verify", {}},
    {"history delete", {"RUN", "--restore"}},
    {"history tag", {"RUN", "TAG", "--remove"}},
    {"history note", {"RUN", "TEXT"}},
    {"history star", {"RUN", "--remove"}},
    {"report", {"RUN", "--out", "--format", "--title", "--question", "--author", "--baseline", "--studies"}},
    {"export", {"RUN", "--what", "--name", "--select", "--out", "--format", "--theme", "--scale"}},
    {"predict",
     {"--model",
      "--accelerator",
      "--dim",
      "--batch",
      "--cost-model",
      "--software",
      "--devices",
      "--parallelism",
      "--dataset",
      "--dtype",
      "--optimizer",
      "--candidates",
      "--batch-rule",
      "--samples",
      "--prices",
      "--collective",
      "--updates",
      "--gradient-bits",
      "--gradient-density",
      "--reference",
      "--memory-model",
      "--workspace",
      "--seed"}},
    {"plan",
     {"--model", "--fleet", "--dim", "--global-batch", "--sequence", "--dtype", "--software", "--objective", "--fix",
      "--allow", "--evaluate", "--top", "--front", "--tokens", "--deadline", "--limits"}},
    {"calibrate",
     {"--out", "--quick", "--for", "--dim", "--batch", "--optimizer", "--dtype", "--no-tcp", "--time-limit"}},
    {"reproduce", {"NAME", "--cost-model"}},
    {"schema", {"KIND", "--out"}},
    {"tour", {"--out"}},
    {"fit", {"--kernels", "--accelerator", "--out"}},
    {"validate", {"SET", "--set", "--rows"}},
};
const std::vector<std::string> kCommon{"--help",        "--json",    "--quiet",    "--verbose",
                                       "--no-progress", "--threads", "--no-store", "--store"};

/// Options and arguments that a help text lists: the first words of its indented lines.
std::set<std::string> listed(const std::string& help) {
    std::set<std::string> found;
    std::istringstream stream(help);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("Example:")) break;
        if (!line.starts_with("  ") || line.starts_with("   ")) continue;
        std::string word = words(line).front();
        if (const std::size_t comma = word.rfind(','); comma != std::string::npos) word = word.substr(comma + 1);
        found.insert(word);
    }
    return found;
}

TEST_F(Cli, helpOfEveryCommandListsExactlyItsOptions) {
    for (const auto& [command, options] : kPage) {
        const Ended ended = tessera(with(words(command), {"--help"}));
        EXPECT_EQ(ended.code, 0) << command;
        std::set<std::string> expected(options.begin(), options.end());
        expected.insert(kCommon.begin(), kCommon.end());
        EXPECT_EQ(listed(ended.output), expected) << command;
    }
}

TEST_F(Cli, topLevelHelpListsEveryCommand) {
    const Ended ended = tessera({"--help"});
    EXPECT_EQ(ended.code, 0);
    const std::set<std::string> found = listed(ended.output);
    for (const auto& [command, options] : kPage) EXPECT_TRUE(found.count(words(command).front())) << command;
    for (const std::string& option : kCommon) EXPECT_TRUE(found.count(option)) << option;
    EXPECT_TRUE(found.count("--version"));
}

TEST_F(Cli, everyExampleInAHelpTextWorks) {
    // Examples of the history speak of its runs.
    for (const std::string ratio : {"equal", "0.3", "0.7", "balanced"})
        ASSERT_EQ(tessera(with(kToy, {"--ratio", ratio})).code, 0);
    for (const auto& [command, options] : kPage) {
        const std::string help = tessera(with(words(command), {"--help"})).output;
        const std::size_t at = help.find("Example:\n  tessera ");
        ASSERT_NE(at, std::string::npos) << command;
        const std::size_t from = at + std::string("Example:\n  tessera ").size();
        const std::string example = help.substr(from, help.find('\n', from) - from);
        EXPECT_TRUE(example.starts_with(command)) << example;
        // How far it got is told where it takes long, which is a matter of the machine.
        const Ended ended = tessera(with(words(example), {"--no-progress"}));
        EXPECT_EQ(ended.code, 0) << example << "\n" << ended.errors;
        EXPECT_EQ(ended.errors, "") << example;
    }
}

TEST_F(Cli, printsItsVersion) {
    const Ended ended = tessera({"--version"});
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.output, "tessera " TESSERA_VERSION "\n");
    EXPECT_EQ(tessera({"version"}).output, ended.output);
}

TEST_F(Cli, helpIsAlsoACommandAndWhatNothingAsksFor) {
    EXPECT_EQ(tessera({"help"}).output, tessera({"--help"}).output);
    EXPECT_EQ(tessera({}).output, tessera({"--help"}).output);
    EXPECT_EQ(tessera({}).code, 0);
    EXPECT_EQ(tessera({"help", "history", "list"}).output, tessera({"history", "list", "--help"}).output);
    EXPECT_EQ(tessera({"help", "model"}).output, tessera({"model", "--help"}).output);
    const Ended wrong = tessera({"help", "partitoin"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.errors,
              "tessera: unknown command 'partitoin', did you mean 'partition'? see 'tessera help --help'\n");
}

TEST_F(Cli, hasAManualPageOfEveryCommandWithAllItsOptions) {
    const auto hyphened = [](const std::string& text) {
        std::string shown;
        for (const char c : text) shown += c == '-' ? "\\-" : std::string(1, c);
        return shown;
    };
    fs::create_directory(path("man"));
    ASSERT_EQ(tessera({"help", "--man-pages", "man"}).code, 0);
    for (const auto& [command, options] : kPage) {
        const std::string page = tessera(with(with({"help"}, words(command)), {"--man"})).output;
        EXPECT_TRUE(page.starts_with(".TH \"TESSERA")) << command;
        for (const std::string& option : with(options, kCommon)) {
            const bool isOption = option.starts_with("-");
            EXPECT_NE(page.find((isOption ? "\\fB" : "\\fI") + hyphened(option) + "\\fR"), std::string::npos)
                << command << " " << option;
        }
        std::string name = "tessera-" + command;
        std::replace(name.begin(), name.end(), ' ', '-');
        std::ifstream file(path("man/" + name + ".1"));
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), page) << command;
    }
    const std::string general = tessera({"help", "--man"}).output;
    for (const std::string part : {"TESSERA_STORE", "TESSERA_THREADS", "NO_COLOR", "EXIT STATUS"})
        EXPECT_NE(general.find(part), std::string::npos) << part;
    if (runShell("command -v groff").code != 0) GTEST_SKIP() << "no 'groff' here";
    const Ended set = runShell("for page in man/*.1; do groff -man -Kutf8 -ww -Tutf8 -z \"$page\"; done", folder_);
    EXPECT_EQ(set.errors, "");
}

TEST_F(Cli, hasShortNamesOfOptionsThatAreTypedOften) {
    ASSERT_EQ(tessera(with(kToy, {"-qj2", "--store", "h.db"})).code, 0);
    EXPECT_EQ(tessera({"model", "list", "-v", "-j", "1"}).output, tessera({"model", "list"}).output);
    EXPECT_EQ(tessera({"-V"}).output, tessera({"--version"}).output);
    EXPECT_EQ(tessera({"partition", "-h"}).output, tessera({"partition", "--help"}).output);
    EXPECT_EQ(tessera({"report", "last", "-o", "r.md", "--store", "h.db"}).output, "1 run written to r.md\n");
    EXPECT_TRUE(fs::exists(path("r.md")));
}

TEST_F(Cli, takesDefaultsFromTheEnvironment) {
    setenv("TESSERA_STORE", path("named.db").c_str(), 1);
    EXPECT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    EXPECT_TRUE(fs::exists(path("named.db")));
    EXPECT_FALSE(fs::exists(path("share/tessera/history.db")));
    EXPECT_EQ(tessera({"history", "list"}).output, tessera({"history", "list", "--store", "named.db"}).output);
    EXPECT_EQ(tessera(with(kToy, {"--quiet", "--store", "other.db"})).code, 0);
    EXPECT_TRUE(fs::exists(path("other.db")));
    setenv("TESSERA_STORE", path("nowhere/h.db").c_str(), 1);
    EXPECT_EQ(tessera(kToy).code, 6);
    unsetenv("TESSERA_STORE");
    setenv("TESSERA_THREADS", "many", 1);
    EXPECT_EQ(tessera({"model", "list"}).errors,
              "tessera: the environment's TESSERA_THREADS is 'many'; expected a whole number from 0 to 1024; see "
              "'tessera model list --help'\n");
    EXPECT_EQ(tessera({"model", "list", "--threads", "2"}).code, 0);
    setenv("TESSERA_THREADS", "2", 1);
    EXPECT_EQ(tessera({"model", "list"}).code, 0);
    unsetenv("TESSERA_THREADS");
}

TEST_F(Cli, takesCommonOptionsBeforeAndAfterEveryCommand) {
    const std::vector<std::string> common{"--json", "--quiet",    "--no-progress", "--threads",
                                          "1",      "--no-store", "--store",       "history.db"};
    for (const std::string command : {"model list", "hardware list", "reproduce list"}) {
        const Ended after = tessera(with(words(command), common));
        const Ended before = tessera(with(common, words(command)));
        EXPECT_EQ(after.code, 0) << command << after.errors;
        EXPECT_EQ(before.output, after.output) << command;
        EXPECT_FALSE(nlohmann::json::parse(after.output).empty());
    }
    EXPECT_EQ(tessera({"model", "--json", "list"}).output, tessera({"model", "list", "--json"}).output);
}

/// "partition-result" of a document that says "tessera.partition-result/1".
std::string schemaOf(const nlohmann::json& document) {
    const std::string schema = document["schema"];
    return schema.substr(8, schema.find('/') - 8);
}

TEST_F(Cli, everyJsonDocumentMeetsItsSchemaAndOpensAndClosesAlike) {
    const std::vector<std::vector<std::string>> commands{
        {"model", "list"},
        {"model", "inspect", "toy.json", "--layers"},
        {"model", "inspect", "zoo:lenet5", "--layers", "--training"},
        {"model", "convert", "toy.json", "--to", "json", "--out", "copy.json"},
        {"hardware", "list"},
        {"hardware", "show", "accpar-heterogeneous"},
        {"hardware", "show", "a100"},
        {"hardware", "show", "phaze"},
        {"hardware", "validate", "accpar-homogeneous"},
        {"hardware", "copy", "accpar-homogeneous", "mine.json"},
        kToy,
        with(kToy, {"--levels", "1", "--ratio", "0.7", "--strategy", "accpar"}),
        with(kToy, {"--ratio", "equal", "--pin", "fc1=III", "--pin-ratio", "0=0.3", "--overlap", "comm"}),
        {"cost", "--jobs", "zoo:alexnet", "--dataflow", "eyeriss", "--pes", "168"},
        {"place", "--layers", "bert-large"},
        {"place", "--model", "zoo:resnet18", "--fleet", "dgx-a100x8", "--global-batch", "64", "--plan", "2,1,4"},
        {"schedule", "--operators", "mixture-of-experts"},
        {"schedule", "--operators", "mixture-of-experts", "--method", "list", "--tensor-cores", "3"},
        {"plan", "--model", "zoo:llama2-7b", "--fleet", "dgx-h100x8", "--global-batch", "64", "--limits"},
        {"fit", "--kernels", "v100", "--accelerator", "v100"},
        {"reproduce", "list"},
        {"reproduce", "accpar-fig7"},
    };
    for (const auto& command : commands) {
        const Ended ended = tessera(with(command, {"--json"}));
        ASSERT_EQ(ended.code, 0) << command.front() << ended.errors;
        const auto document = nlohmann::ordered_json::parse(ended.output);
        std::vector<std::string> keys;
        for (const auto& [key, value] : document.items()) keys.push_back(key);
        EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.begin() + 4),
                  (std::vector<std::string>{"schema", "tool_version", "command", "inputs"}));
        EXPECT_EQ(std::vector<std::string>(keys.end() - 2, keys.end()),
                  (std::vector<std::string>{"assumptions", "warnings"}));
        const auto plain = nlohmann::json::parse(ended.output);
        EXPECT_EQ(schemaErrors(plain, schemaOf(plain) + ".schema.json"), "") << schemaOf(plain);
    }
}

TEST_F(Cli, bytesDoNotDependOnThreads) {
    const std::string one = tessera(with(kToy, {"--json", "--threads", "1"})).output;
    EXPECT_EQ(one, tessera(with(kToy, {"--json", "--threads", "4"})).output);
    EXPECT_EQ(one, tessera(with(kToy, {"--json"})).output);
}

TEST_F(Cli, beginsTheTextWithTheHeadline) {
    const Ended ended = tessera(kToy);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_NE(ended.output.substr(0, ended.output.find('\n')).find("× over data parallelism · "), std::string::npos);
}

TEST_F(Cli, endsWith2AndOneSentenceOnWrongUsage) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"partitoin"}, "tessera: unknown command 'partitoin', did you mean 'partition'? see 'tessera --help'\n"},
        {{"partition", "--modle", "x"},
         "tessera: unknown option '--modle', did you mean '--model'? see 'tessera partition --help'\n"},
        {{"partition", "--fleet", "f"}, "tessera: option --model is missing; see 'tessera partition --help'\n"},
        {{"partition", "--model"}, "tessera: option --model needs a value; see 'tessera partition --help'\n"},
        {{"model", "inspect"}, "tessera: argument MODEL is missing; see 'tessera model inspect --help'\n"},
        {{"model"}, "tessera: a command is missing; there are list, inspect, convert; see 'tessera model --help'\n"},
        {{"model", "list", "more"}, "tessera: unknown argument 'more'; see 'tessera model list --help'\n"},
        {{"model", "list", "--threads", "many"},
         "tessera: option '--threads' is 'many'; expected a whole number from 0 to 1024; see 'tessera model list "
         "--help'\n"},
        {{"hardware", "list", "--kind", "toaster"},
         "tessera: option '--kind' is 'toaster'; expected one of accelerator, fleet, platform, template; see 'tessera "
         "hardware list --help'\n"},
        {{"model", "inspect", "toy.json", "--training"},
         "tessera: toy.json is a table of layers; training needs a graph of operators, as of ONNX or the zoo; see "
         "'tessera model inspect --help'\n"},
        {{"model", "inspect", "toy.json", "--dim", "N"},
         "tessera: option '--dim' is 'N'; expected NAME=N; see 'tessera model inspect --help'\n"},
    };
    for (const auto& [arguments, message] : cases) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, 2) << message;
        EXPECT_EQ(ended.errors, message);
        EXPECT_EQ(ended.output, "");
    }
}

/// 784-512-256-10: the first layer's data is not trained, so that it has one product in the backward pass.
TEST_F(Cli, inspectShowsWhatAStepOfTrainingTakes) {
    const std::vector<std::string> command{"model", "inspect", "zoo:mlp", "--training"};
    const Json json = Json::parse(tessera(with(command, {"--json"})).output);
    const Json& training = json.at("training");
    EXPECT_EQ(training.at("optimizer"), "adam");
    EXPECT_EQ(training.at("forward"),
              (Json{{"operators", 5}, {"flops_matrix", 1'070'080}, {"flops_vector", 512 + 256 + 512 + 256 + 10}}));
    EXPECT_EQ(
        training.at("backward"),
        (Json{{"operators", 10}, {"flops_matrix", 1'337'344}, {"flops_vector", 2 * (512 + 256) + 512 + 256 + 10}}));
    EXPECT_EQ(training.at("update"), (Json{{"operators", 6}, {"flops_matrix", 0}, {"flops_vector", 12 * 535'818}}));
    EXPECT_EQ(training.at("parameters"), 535'818);
    EXPECT_EQ(training.at("parameter_bytes"), 4 * 535'818);
    EXPECT_EQ(training.at("gradient_bytes"), 4 * 535'818);
    EXPECT_EQ(training.at("optimizer_bytes"), 8 * 535'818);
    EXPECT_EQ(training.at("kept_activation_bytes"), 4 * (512 + 256));
    EXPECT_FALSE(Json::parse(tessera({"model", "inspect", "zoo:mlp", "--json"}).output).contains("training"));
    const std::string text = tessera(command).output;
    for (const char* line : {"backward              10                  1,337,344", "state of Adam",
                             "Training begins with the gradients of the outputs"})
        EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST_F(Cli, endsWith3AndExactlyOneLineOnInvalidInput) {
    write("bad.json", "{\"schema\": \"tessera.layers/1\",\n \"layers\": 5}");
    write("fleet.json", R"({"schema": "tessera.fleet/1", "name": "f", "groups": [
{"name": "a", "accelerator": "a100", "count": -4}]})");
    write("study.json", R"({"schema": "tessera.study/1", "engine": "partition", "models": ["toy.json"],
"hardware": ["nowhere"]})");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"model", "inspect", "bad.json"}, "bad.json:"},
        {{"hardware", "validate", "fleet.json"}, "fleet.json:2: field 'groups[0].count' is '-4'; expected "},
        {{"partition", "--model", "toy.json", "--fleet", "fleet.json"}, "fleet.json:2: "},
        {{"run", "study.json"}, "study.json: "},
        {{"run", "toy.json"}, "toy.json:1: field 'schema' is 'tessera.layers/1'; expected 'tessera.study/1'\n"},
    };
    for (const auto& [arguments, start] : cases) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, 3) << start << ended.errors;
        EXPECT_EQ(lines(ended.errors), 1U) << ended.errors;
        EXPECT_EQ(ended.errors.substr(0, start.size()), start);
        EXPECT_EQ(ended.output, "");
    }
}

TEST_F(Cli, endsWith6WhereAFileCannotBeReadOrWritten) {
    EXPECT_EQ(tessera({"model", "inspect", "missing.json"}).code, 6);
    EXPECT_EQ(tessera({"model", "inspect", "."}).code, 6);
    EXPECT_EQ(tessera({"model", "convert", "toy.json", "--to", "json", "--out", "no/such/folder/x.json"}).code, 6);
    EXPECT_EQ(tessera({"tour", "--out", "toy.json"}).code, 6);
    EXPECT_EQ(runShell("\"$TESSERA\" model list > /dev/full", folder_).code, 6);
    EXPECT_EQ(runShell("\"$TESSERA\" model list >&-", folder_).code, 6);
    const Ended large = runShell("ulimit -f 1; \"$TESSERA\" model convert zoo:resnet50 --to json --out x", folder_);
    EXPECT_EQ(large.code, 6) << "a file that may not grow is no crash";
    EXPECT_EQ(lines(large.errors), 1U) << large.errors;
    EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(Cli, needsNoStandardErrorAndNoStandardInput) {
    EXPECT_EQ(runShell("\"$TESSERA\" nonsense 2>&-", folder_).code, 2);
    EXPECT_EQ(runShell("\"$TESSERA\" nonsense 2>/dev/full", folder_).code, 2);
    const std::string toy = "\"$TESSERA\" partition --model toy.json --fleet accpar-heterogeneous --json";
    const Ended ended = runShell(toy + " <&- 2>&-", folder_);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.output, runShell(toy, folder_).output);
    EXPECT_EQ(runShell("\"$TESSERA\" history verify", folder_).code, 0) << "the history is no standard stream";
}

TEST_F(Cli, survivesAReaderThatGoesAway) {
    const Ended ended = runShell(
        "\"$TESSERA\" partition --model toy.json --fleet accpar-heterogeneous --json | true; "
        "exit ${PIPESTATUS[0]}",
        folder_);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.errors, "");
}

TEST_F(Cli, showsNamesFromFilesEscaped) {
    write("evil.json", R"({"schema": "tessera.layers/1", "name": "a\u001b[31mb", "layers": [
{"name": "x\ny", "kind": "fc", "in_channels": 64, "out_channels": 64}]})");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"partition", "--model", "evil.json", "--fleet", "accpar-homogeneous", "--levels", "1"},
             {"model", "inspect", "evil.json", "--layers"},
             {"cost", "--jobs", "evil.json", "--dataflow", "eyeriss", "--pes", "256"},
             {"history", "show", "last"},
             {"history", "list"}}) {
        const Ended ended = tessera(command);
        EXPECT_EQ(ended.code, 0) << command[0] << ": " << ended.errors;
        for (const std::string& text : {ended.output, ended.errors}) {
            EXPECT_EQ(text.find('\x1B'), std::string::npos) << command[0];
            EXPECT_EQ(text.find("x\ny"), std::string::npos) << command[0];
        }
        if (command[0] == "partition" || command[0] == "model") {
            EXPECT_NE(ended.output.find("a\\x1B[31mb"), std::string::npos) << command[0] << ":\n" << ended.output;
        }
    }
    write("broken.json", "{\"schema\": \"tessera.layers/1\", \"a\\u001b[31mb\": 1}");
    const Ended refused = tessera({"model", "inspect", "broken.json"});
    EXPECT_EQ(refused.code, 3);
    EXPECT_EQ(refused.errors.find('\x1B'), std::string::npos) << refused.errors;
    EXPECT_NE(refused.errors.find("a\\x1B[31mb"), std::string::npos) << refused.errors;
}

TEST_F(Cli, worksWithinTwoGibibytesOfAddressSpace) {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer reserves more addresses";
    const Ended ended = runShell(
        "ulimit -v 2097152; \"$TESSERA\" partition --model toy.json --fleet accpar-heterogeneous "
        "--threads 64 --json && \"$TESSERA\" reproduce accpar-fig5 --threads 64",
        folder_);
    EXPECT_EQ(ended.code, 0) << ended.errors;
}

TEST_F(Cli, runsAStudyFileLikeTheCommandItself) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "partition", "models": ["toy.json"],
"hardware": ["accpar-heterogeneous"], "parameters": {"batch": 256, "ratio": "equal"}})");
    const auto study = nlohmann::json::parse(tessera({"run", "study.json", "--json"}).output);
    const auto command =
        nlohmann::json::parse(tessera(with(kToy, {"--batch", "256", "--ratio", "equal", "--json"})).output);
    EXPECT_EQ(study["strategies"], command["strategies"]);
}

TEST_F(Cli, toursBundledStudiesAndWritesAReport) {
    const Ended ended = tessera({"tour", "--out", "out", "--json"});
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const auto document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "tour.schema.json"), "");
    EXPECT_TRUE(fs::exists(path(document["report"])));
    std::set<std::string> engines;
    for (const auto& study : document["studies"]) {
        std::ifstream stream(path(study["file"]));
        const auto result = nlohmann::json::parse(stream);
        EXPECT_EQ(schemaErrors(result, schemaOf(result) + ".schema.json"), "");
        engines.insert(schemaOf(result));
    }
    EXPECT_EQ(engines, (std::set<std::string>{"codesign-result", "exploration-result", "layer-costs", "mapping-result",
                                              "partition-result", "placement-result", "plan-result",
                                              "prediction-result", "schedule-result"}));
}

}  // namespace
}  // namespace tessera::test

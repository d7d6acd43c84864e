// A command is one row and its function: help at every level, its options, its errors and its example follow.

#include "tests/extension/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/completion.h"
#include "app/cli/program.h"

namespace tessera::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Action addGreet(CLI::App& app) {
    struct Options {
        std::string name;
        std::string word = "Hello";
    };
    const auto options = std::make_shared<Options>();
    addText(app, "MODEL", options->name, "", "a model of the zoo")->required();
    offer(addText(app, "--word", options->word, "WORD", "what to say (default Hello)"),
          {"Hello", "Good morning", "Good evening"});
    return [options](Context& context) {
        const std::string said = options->word + ", " + options->name;
        if (context.common.json)
            context.console.printJson(Json{{"said", said}});
        else
            context.console.print(said + "\n");
    };
}

class ToyCommand : public testing::Test {
protected:
    ToyCommand() {
        table_.push_back({"model greet", "Greet a model.", "tessera model greet zoo:lenet5", addGreet});
        table_.push_back({"greet", "Greet anything.", "tessera greet world --word Hi", addGreet});
    }
    std::string said(const std::vector<std::string>& arguments) const { return test::printed(arguments, table_); }
    /// Exit code and sentence of a command that is refused.
    std::pair<int, std::string> refused(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "tessera");
        std::vector<char*> pointers;
        for (std::string& argument : arguments) pointers.push_back(argument.data());
        testing::internal::CaptureStderr();
        const int code = run(static_cast<int>(pointers.size()), pointers.data(), {}, table_);
        return {code, testing::internal::GetCapturedStderr()};
    }
    std::vector<Command> table_ = commands();
};

TEST_F(ToyCommand, isInTheHelpOfTheProgramAndOfItsGroup) {
    EXPECT_THAT(said({"--help"}), HasSubstr("Greet anything."));
    EXPECT_THAT(said({"model", "--help"}), AllOf(HasSubstr("greet"), HasSubstr("Greet a model.")));
    EXPECT_THAT(test::printed({"--help"}), testing::Not(HasSubstr("Greet"))) << "the program's own table is as it was";
}

TEST_F(ToyCommand, hasHelpWithItsOptionsAndItsExample) {
    const std::string help = said({"model", "greet", "--help"});
    EXPECT_THAT(help, AllOf(HasSubstr("Greet a model."), HasSubstr("--word WORD"), HasSubstr("--json"),
                            HasSubstr("Example:\n  tessera model greet zoo:lenet5")));
    EXPECT_EQ(said({"help", "model", "greet"}), help);
}

TEST_F(ToyCommand, hasAPageOfTheManualAndWordsForShells) {
    EXPECT_THAT(said({"help", "model", "greet", "--man"}),
                AllOf(HasSubstr(".TH \"TESSERA\\-MODEL\\-GREET\" 1"), HasSubstr("\\fB\\-\\-word\\fR \\fIWORD\\fR")));
    EXPECT_EQ(said({"__complete", "gre"}), "greet\tGreet anything.\n");
    EXPECT_EQ(said({"__complete", "greet", "--wo"}), "--word\twhat to say (default Hello)\n");
    EXPECT_EQ(said({"__complete", "greet", "--word", "Good"}), "Good morning\nGood evening\n");
    EXPECT_THAT(said({"__complete", "greet", "zoo:lenet"}), HasSubstr("zoo:lenet5\t"));
}

TEST_F(ToyCommand, itsExampleRuns) {
    EXPECT_EQ(said({"model", "greet", "zoo:lenet5"}), "Hello, zoo:lenet5\n");
    EXPECT_EQ(said({"greet", "world", "--word", "Hi"}), "Hi, world\n");
    EXPECT_EQ(Json::parse(said({"greet", "world", "--json"})).at("said"), "Hello, world");
}

TEST_F(ToyCommand, isRefusedAsEveryOther) {
    EXPECT_EQ(refused({"greet"}),
              std::pair(2, std::string("tessera: argument MODEL is missing; see 'tessera greet --help'\n")));
    EXPECT_EQ(refused({"greet", "x", "--wrod", "y"}),
              std::pair(2, std::string("tessera: unknown option '--wrod', did you mean '--word'? see 'tessera greet "
                                       "--help'\n")));
    EXPECT_THAT(refused({"gret"}).second, HasSubstr("did you mean 'greet'?"));
}

}  // namespace
}  // namespace tessera::cli

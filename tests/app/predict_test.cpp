#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/units.h"
#include "core/study/metric.h"
#include "tests/app/cli.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

const std::vector<std::string> kPredict{"predict", "--model", "zoo:resnet18", "--accelerator", "a100-40gb,bow"};

TEST_F(Cli, predictsAndKeepsTheRun) {
    const Ended ended = tessera(with(kPredict, {"--devices", "1,8", "--json"}));
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const auto document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "prediction-result.schema.json"), "");
    EXPECT_EQ(document["predictions"].size(), 4U);
    const auto kept = nlohmann::json::parse(tessera({"history", "show", "last", "--result", "--json"}).output);
    EXPECT_EQ(kept, document);
}

TEST_F(Cli, predictSpeaksToPeople) {
    const std::string text = tessera(kPredict).output;
    for (const char* part : {" samples/s (", "Ranking", "Stages of a step", "Memory of a device", "Assumptions"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    // The numbers are those of the document.
    const auto document = nlohmann::json::parse(tessera(with(kPredict, {"--json"})).output);
    const nlohmann::json* fastest = nullptr;
    for (const auto& one : document["predictions"]) {
        const std::string rate = study::uncertainText(one["throughput_samples_per_s"]);
        EXPECT_NE(text.find(rate), std::string::npos) << one["accelerator"] << ' ' << rate << " in\n" << text;
        const std::string step = formatQuantity(one["step_time_s"], Measure::seconds);
        EXPECT_NE(text.find(step), std::string::npos) << one["accelerator"] << ' ' << step << " in\n" << text;
        const bool faster =
            fastest == nullptr || one["throughput_samples_per_s"] > (*fastest)["throughput_samples_per_s"];
        if (faster) fastest = &one;
    }
    ASSERT_NE(fastest, nullptr);
    EXPECT_NE(text.substr(0, text.find('\n')).find(fastest->at("accelerator").get<std::string>()), std::string::npos)
        << text;
    for (const auto& sentence : document["assumptions"]) {
        const std::string start = sentence.get<std::string>().substr(0, 40);
        EXPECT_NE(text.find(start), std::string::npos) << start;
    }
}

TEST_F(Cli, predictTakesPricesOfOnesOwn) {
    const Ended ended = tessera(with(kPredict, {"--prices", "a100-40gb=1.5,bow=100", "--json"}));
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const auto document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(document["predictions"][0]["price_per_hour_usd"], 1.5);
    EXPECT_EQ(document["predictions"][0]["sources"]["price_per_hour_usd"]["class"], "yours");
    for (const auto& ranking : document["ranking"])
        if (ranking["metric"] == "samples_per_usd") {
            EXPECT_EQ(ranking["order"][0], "a100-40gb");
        }
    const std::string text = tessera(with(kPredict, {"--prices", "a100-40gb=1.5,bow=100"})).output;
    for (const char* part : {"Probability of being ahead", "$1.5", " > "})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    const Ended wrong = tessera(with(kPredict, {"--prices", "bow"}));
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.errors.find("expected ACCELERATOR=DOLLARS pairs"), std::string::npos) << wrong.errors;
}

TEST_F(Cli, predictTellsWhatDoesNotFit) {
    const Ended none = tessera(with(kPredict, {"--batch", "10000000"}));
    EXPECT_EQ(none.code, 4);
    EXPECT_NE(none.errors.find("fits on none of the accelerators: batch 10,000,000 needs "), std::string::npos)
        << none.errors;
}

TEST_F(Cli, predictRefusesWrongUsage) {
    EXPECT_EQ(tessera({"predict", "--model", "zoo:resnet18"}).code, 2);
    const Ended empty = tessera({"predict", "--model", "zoo:resnet18", "--accelerator", "bow,,cs2"});
    EXPECT_EQ(empty.code, 2);
    EXPECT_NE(empty.errors.find("option '--accelerator' is 'bow,,cs2'; expected names or files separated by commas"),
              std::string::npos)
        << empty.errors;
    EXPECT_EQ(tessera(with(kPredict, {"--batch", "1.5"})).code, 2);
    EXPECT_EQ(tessera({"predict", "--model", "zoo:resnet18", "--accelerator", "no-such"}).code, 2);
}

}  // namespace
}  // namespace tessera::test

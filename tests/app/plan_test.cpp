#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Plan : public Cli {
protected:
    std::string textOf(const std::string& file) const { return readFile(path(file)); }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        return with({"plan", "--model", "zoo:llama3.1-70b", "--fleet", "dgx-h100x64", "--global-batch", "128"}, more);
    }
    nlohmann::json documentOf(const std::vector<std::string>& arguments) const {
        const Ended ended = tessera(with(arguments, {"--json", "--no-store"}));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        const nlohmann::json document = nlohmann::json::parse(ended.output);
        EXPECT_EQ(schemaErrors(document, "plan-result.schema.json"), "");
        return document;
    }
};

/// Accelerators that the parts of a configuration take.
std::int64_t acceleratorsOf(const nlohmann::json& configuration) {
    std::int64_t sum = 0;
    for (const auto& part : configuration["parts"])
        sum += part["stages"].get<std::int64_t>() * part["replicas"].get<std::int64_t>() *
               configuration["tensor"].get<std::int64_t>() * configuration["context"].get<std::int64_t>();
    return sum;
}

TEST_F(Plan, findsTheBestConfigurationsAndProvesThem) {
    const nlohmann::json document = documentOf(command({}));
    EXPECT_EQ(document["optimal"], "proof");
    EXPECT_EQ(document["feasible"], true);
    ASSERT_EQ(document["configurations"].size(), 20U);
    double before = 0;
    for (const auto& each : document["configurations"]) {
        const double step = each["step_time_s"];
        EXPECT_GE(step, before);
        EXPECT_LT(each["low_s"], step);
        EXPECT_GT(each["high_s"], step);
        before = step;
        double sum = 0;
        for (const auto& [name, seconds] : each["time"].items()) sum += seconds.get<double>();
        EXPECT_NEAR(sum, step, 1e-9 * step);
        EXPECT_EQ(acceleratorsOf(each["configuration"]), each["accelerators"]);
        std::int64_t layers = 0;
        for (const auto& stage : each["stages"]) {
            layers += stage["layers"].get<std::int64_t>();
            const double used = stage["parameters_bytes"].get<double>() + stage["activations_bytes"].get<double>() +
                                stage["working_bytes"].get<double>() + stage["software_bytes"].get<double>();
            EXPECT_LE(used, stage["capacity_bytes"]);
        }
        EXPECT_EQ(layers, 80);
    }
    const auto& counted = document["counted"];
    std::int64_t sum = counted["bounded"].get<std::int64_t>() + counted["compared"].get<std::int64_t>();
    for (const auto& [reason, count] : counted["rejected"].items()) sum += count.get<std::int64_t>();
    EXPECT_EQ(sum, counted["all"]);
}

TEST_F(Plan, bytesDoNotDependOnThreads) {
    const auto outputOf = [&](const std::string& threads) {
        return tessera({"plan", "--model", "zoo:llama2-7b", "--fleet", "h100-h200-mixed", "--global-batch", "256",
                        "--json", "--no-store", "--threads", threads})
            .output;
    };
    const std::string one = outputOf("1");
    EXPECT_EQ(one, outputOf("2"));
    EXPECT_EQ(one, outputOf("7"));
}

TEST_F(Plan, keepsToWhatIsFixedAndAllowed) {
    const nlohmann::json document = documentOf(command({"--fix", "tp=8,pp=4", "--allow", "zero=0,1,recompute=full"}));
    for (const auto& each : document["configurations"]) {
        const auto& configuration = each["configuration"];
        EXPECT_EQ(configuration["tensor"], 8);
        EXPECT_EQ(configuration["pipeline"], 4);
        EXPECT_EQ(configuration["recompute"], "full");
        EXPECT_LE(configuration["zero"], 1);
    }
}

TEST_F(Plan, judgesAConfigurationBesideTheBest) {
    const nlohmann::json document = documentOf(command({"--evaluate", "tp=8,pp=8,dp=1,mb=1,recompute=full"}));
    const double best = document["configurations"][0]["step_time_s"], asked = document["asked"]["best"]["step_time_s"];
    EXPECT_GT(asked, best);
    const Ended none = tessera(command({"--evaluate", "tp=1,pp=1,cp=1,mb=1,zero=0", "--no-store"}));
    EXPECT_EQ(none.code, 4);
    EXPECT_THAT(none.errors, HasSubstr("lacks"));
    EXPECT_THAT(none.output, HasSubstr("cannot be"));
}

TEST_F(Plan, saysHowLongAndHowMuchTokensTake) {
    const nlohmann::json document = documentOf(command({"--tokens", "1e9", "--objective", "price"}));
    const Ended ended = tessera(command({"--tokens", "1e9", "--objective", "price", "--no-store"}));
    EXPECT_THAT(ended.output.substr(0, ended.output.find('\n')), HasSubstr("days, $"));
    double before = 0;
    for (const auto& each : document["configurations"]) {
        EXPECT_GE(each["price_usd"].get<double>(), before);
        before = each["price_usd"];
    }
}

TEST_F(Plan, saysWhatLacksAndWhatWouldDo) {
    const Ended ended = tessera({"plan", "--model", "zoo:gpt3-175b", "--fleet", "dgx-h100x8", "--fix",
                                 "group=h100,mb=8", "--json", "--no-store"});
    EXPECT_EQ(ended.code, 4);
    EXPECT_THAT(ended.errors, HasSubstr("no configuration fits the memory"));
    const nlohmann::json document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "plan-result.schema.json"), "");
    EXPECT_GT(document["shortage"]["memory_bytes"], 85e9);
    EXPECT_GE(document["shortage"]["times_accelerators"], 2);
    EXPECT_TRUE(document["configurations"].empty());
}

TEST_F(Plan, saysByHowMuchADeadlineIsMissed) {
    const Ended ended = tessera(command({"--tokens", "1e12", "--deadline", "86400", "--no-store"}));
    EXPECT_EQ(ended.code, 4);
    EXPECT_THAT(ended.errors, HasSubstr("no configuration meets the deadline"));
    EXPECT_THAT(ended.errors, HasSubstr("times that"));
    const nlohmann::json document =
        documentOf(command({"--tokens", "1e9", "--deadline", "864000", "--objective", "accelerators"}));
    const double steps = std::ceil(1e9 / (128 * 8192.0));
    EXPECT_LE(document["configurations"][0]["step_time_s"].get<double>() * steps, 864000);
}

TEST_F(Plan, findsTheLimitsOfAFleet) {
    const nlohmann::json document =
        documentOf({"plan", "--model", "zoo:llama2-7b", "--fleet", "dgx-h100x8", "--global-batch", "64", "--limits"});
    const auto& limits = document["limits"];
    EXPECT_GE(limits["sequence"], 4096);
    EXPECT_EQ(limits["sequence"].get<std::int64_t>() % 1024, 0);
    EXPECT_GT(limits["layers"], 32);
    EXPECT_GE(limits["micro_batch"], 1);
    EXPECT_GE(limits["accelerators"], 1);
    // One more layer does not fit.
    const std::vector<std::string> deeper{"plan",       "--model",     "zoo:llama",     "--fleet",        "dgx-h100x8",
                                          "--dim",      "hidden=4096", "--dim",         "ffn=11008",      "--dim",
                                          "heads=32",   "--dim",       "sequence=4096", "--global-batch", "64",
                                          "--no-store", "--dim"};
    const auto layers = limits["layers"].get<std::int64_t>();
    EXPECT_EQ(tessera(with(deeper, {"layers=" + std::to_string(layers)})).code, 0);
    EXPECT_EQ(tessera(with(deeper, {"layers=" + std::to_string(layers + 1)})).code, 4);
}

TEST_F(Plan, showsOtherNumbersOfAcceleratorsAndWhatOthersMeasured) {
    const std::vector<std::string> gpt{"plan", "--model", "zoo:gpt3-175b", "--fleet", "dgx-h100x64", "--global-batch",
                                       "1536", "--dtype", "fp8",           "--fix",   "tp=4,pp=8"};
    const nlohmann::json document = documentOf(gpt);
    ASSERT_GE(document["scaling"].size(), 4U);
    double before = 0;
    for (const auto& each : document["scaling"]) {
        EXPECT_GT(each["accelerators"], before);
        before = each["accelerators"];
        EXPECT_EQ(each.contains("best"), !each.contains("misfit"));
    }
    ASSERT_GE(document["measured"].size(), 5U);
    for (const auto& each : document["measured"]) EXPECT_GT(each["tokens_per_s_per_accelerator"], 300);
    const std::string text = tessera(with(gpt, {"--no-store"})).output;
    EXPECT_THAT(text, HasSubstr("Others measured this model on h100: "));
    EXPECT_THAT(text, HasSubstr("\nThe best by number of accelerators\n"));
    EXPECT_THAT(text, HasSubstr("\nPublished runs beside the plan\n"));
    ASSERT_EQ(tessera(with(gpt, {"--store", "beside.db"})).code, 0);
    for (const char* table : {"scaling", "measured"})
        EXPECT_EQ(
            tessera({"export", "1", "--name", table, "--out", std::string(table) + ".csv", "--store", "beside.db"})
                .code,
            0);
    EXPECT_THAT(textOf("measured.csv"), HasSubstr("mlperf-gpt3-"));
    ASSERT_EQ(tessera({"report", "1", "--out", "beside.html", "--store", "beside.db"}).code, 0);
    EXPECT_THAT(textOf("beside.html"), HasSubstr(">Measured<"));
}

TEST_F(Plan, takesTransformersOfOtherKindsByTheirBlocks) {
    const auto planned = [&](const char* file, const char* fleet) {
        return tessera({"plan", "--model", sourcePath("tests/data/configs/" + std::string(file)).string(), "--fleet",
                        fleet, "--global-batch", "64", "--no-store"});
    };
    const Ended encoderDecoder = planned("mt5-base.json", "dgx-h100x8");
    EXPECT_EQ(encoderDecoder.code, 0) << encoderDecoder.errors;
    EXPECT_THAT(encoderDecoder.errors, HasSubstr("it has an encoder beside its decoder"));
    EXPECT_THAT(encoderDecoder.output, HasSubstr(" samples/s"));
    // A block of its experts fills more than an accelerator.
    const Ended linear = planned("minimax-text-01.json", "dgx-h100x64");
    EXPECT_EQ(linear.code, 4) << linear.errors;
    EXPECT_THAT(linear.errors, HasSubstr("the attention of some layers is linear"));
}

TEST_F(Plan, refusesWhatCannotBePlanned) {
    const auto refusal = [&](const std::vector<std::string>& arguments) {
        const Ended ended = tessera(with(arguments, {"--no-store"}));
        EXPECT_EQ(ended.code, 2) << ended.errors;
        return ended.errors;
    };
    EXPECT_THAT(refusal({"plan", "--model", "zoo:resnet50", "--fleet", "dgx-h100x8", "--tokens", "1e9"}),
                HasSubstr("'zoo:resnet50' is none: its samples have no tokens"));
    EXPECT_THAT(
        refusal({"plan", "--model", sourcePath("tests/data/tables/maestro.csv").string(), "--fleet", "dgx-h100x8"}),
        HasSubstr("is a table of layers; expected a model with operators"));
    EXPECT_THAT(refusal(command({"--fix", "tq=3"})), HasSubstr("'tq'"));
    EXPECT_THAT(refusal(command({"--fix", "tp=x"})), HasSubstr("a whole number"));
    EXPECT_THAT(refusal(command({"--front", "time"})), HasSubstr("expected two"));
    std::string unpriced = readFile(sourcePath("data/fleets/nvl72.json"));
    const std::string priced = R"("accelerator": "gb200")";
    unpriced.replace(unpriced.find(priced), priced.size(), R"("accelerator": "gaudi3")");
    write("unpriced.json", unpriced);
    EXPECT_THAT(refusal({"plan", "--model", "zoo:llama2-7b", "--fleet", path("unpriced.json"), "--objective", "price"}),
                HasSubstr("the price of 'gaudi3' is not known"));
    EXPECT_THAT(refusal({"plan", "--model", "zoo:llama2-7b", "--fleet", "accpar-heterogeneous"}),
                HasSubstr("is not known"));
}

TEST_F(Plan, isKeptComparedReportedAndExported) {
    ASSERT_EQ(tessera(command({"--store", "kept.db"})).code, 0);
    ASSERT_EQ(tessera(command({"--store", "kept.db", "--fix", "tp=8"})).code, 0);
    const Ended compared = tessera({"history", "compare", "1", "2", "--store", "kept.db"});
    EXPECT_EQ(compared.code, 0) << compared.errors;
    EXPECT_EQ(tessera({"report", "1", "--out", "plan.html", "--store", "kept.db"}).code, 0);
    EXPECT_EQ(
        tessera({"sweep", "llama3.1-405b-512-h100", "--over", "global_batch=1024,2048", "--store", "kept.db"}).code, 0);
    for (const char* picture :
         {"step-time", "scaling", "memory", "front", "sensitivity", "configurations", "pipeline", "cluster"})
        EXPECT_EQ(tessera({"export", "1", "--what", "chart", "--name", picture, "--out", std::string(picture) + ".svg",
                           "--store", "kept.db"})
                      .code,
                  0)
            << picture;
    EXPECT_EQ(tessera({"export", "1", "--what", "timeline", "--out", "pipeline.json", "--store", "kept.db"}).code, 0);
    EXPECT_EQ(tessera({"history", "verify", "--store", "kept.db"}).code, 0);
}

TEST_F(Plan, isWrittenForFrameworksThatCanRunIt) {
    const std::string store = "frameworks.db";
    ASSERT_EQ(
        tessera(command({"--store", store, "--fix", "tp=8,pp=8,schedule=interleaved", "--software", "megatron-lm"}))
            .code,
        0);
    const auto written = [&](const std::string& name, const std::string& file) {
        return tessera({"export", "last", "--what", "file", "--name", name, "--out", file, "--store", store});
    };
    EXPECT_EQ(written("megatron-lm", "plan.sh").code, 0);
    EXPECT_EQ(written("nemo", "plan.txt").code, 0);
    const Ended refused = written("deepspeed", "plan.json");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.errors, HasSubstr("not as interleaved"));
    EXPECT_THAT(written("megatron-lm", "plan.json").errors, HasSubstr("expected .sh"));
    // Any of the best can be written, not the first alone.
    const auto ranked = [&](const std::string& rank, const std::string& file) {
        return tessera({"export", "last", "--what", "file", "--name", "megatron-lm", "--rank", rank, "--out", file,
                        "--store", store});
    };
    EXPECT_EQ(ranked("1", "first.sh").code, 0);
    EXPECT_EQ(ranked("3", "third.sh").code, 0);
    EXPECT_EQ(textOf("first.sh"), textOf("plan.sh"));
    EXPECT_NE(textOf("third.sh"), textOf("plan.sh"));
    const Ended none = ranked("21", "none.sh");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.errors, HasSubstr("the result has nothing of '21'"));
    EXPECT_EQ(
        tessera({"plan", "--model", "zoo:gpt3-175b", "--fleet", "dgx-h100x8", "--fix", "mb=8", "--store", store}).code,
        4);
    EXPECT_THAT(written("megatron-lm", "none.sh").errors, HasSubstr("no configuration fits"));
}

}  // namespace
}  // namespace tessera::test

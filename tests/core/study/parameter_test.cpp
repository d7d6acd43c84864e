#include "core/study/parameter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/study/codesign/study.h"
#include "core/study/partition/study.h"
#include "core/study/stored_form.h"
#include "core/study/study.h"
#include "core/study/study_schema.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

const Parameter& row(std::string_view name) {
    return *findParameter(partitionParameters(), name);
}

std::string parameterRefusal(std::string_view name, const std::string& text) {
    try {
        parseParameter(row(name), {text});
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(EveryParameter, hasNameOptionAndHelpOfItsOwn) {
    for (const Engine& engine : engines()) {
        std::set<std::string_view> names;
        std::set<std::string_view> options;
        for (const Parameter& parameter : engine.parameters()) {
            EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
            EXPECT_TRUE(options.insert(parameter.option).second) << parameter.option;
            EXPECT_TRUE(parameter.option.starts_with("--")) << parameter.option;
            EXPECT_FALSE(parameter.help.empty()) << parameter.name;
        }
    }
}

TEST(EveryParameter, takesItsOwnDefault) {
    for (const Engine& engine : engines())
        for (const Parameter& parameter : engine.parameters()) {
            const Json fallback = defaultOf(parameter);
            if (fallback.is_null()) continue;
            const JsonDocument document = JsonDocument::parse(Json{{"value", fallback}}.dump(), "defaults");
            EXPECT_EQ(readParameter(parameter, document.root().at("value")), fallback) << parameter.name;
        }
}

TEST(EveryParameter, isTheSameBytesBeforeAndAfterItWasStored) {
    for (const Engine& engine : engines())
        for (const Parameter& parameter : engine.parameters()) {
            for (const Json& value : {defaultOf(parameter), storedForm(parameter, Json(std::ceil(parameter.min)))}) {
                if (value.is_null() ||
                    (value.is_number() && parameter.kind != ParameterKind::number &&
                     parameter.kind != ParameterKind::whole && parameter.kind != ParameterKind::wordOrNumber))
                    continue;
                const JsonDocument document = JsonDocument::parse(Json{{"value", value}}.dump(), "stored");
                EXPECT_EQ(readParameter(parameter, document.root().at("value")).dump(), value.dump())
                    << engine.id << ' ' << parameter.name;
            }
        }
}

TEST(EveryParameter, isDescribedByTheSchemaOfStudiesThatIsShipped) {
    test::expectGolden(studyFileSchema().dump(2) + "\n", "data/schemas/study.schema.json");
    for (const Engine& engine : engines()) {
        if (engine.studySchema.empty()) continue;
        // What the entries of lists are is written by hand.
        Json schema = ownStudyFileSchema(engine);
        const std::string file = "data/schemas/" + schema.at("$id").get<std::string>();
        schema["definitions"] = JsonDocument::load(test::sourcePath(file).string()).json().at("definitions");
        test::expectGolden(schema.dump(2) + "\n", file);
    }
}

/// What a schema says against a value of a parameter; empty where it is valid.
std::string schemaRefusal(const Parameter& parameter, const Json& value) {
    return test::errorsBySchema(nlohmann::json::parse(value.dump()), nlohmann::json::parse(schemaOf(parameter).dump()));
}

TEST(ParameterSchema, takesWhatTheReaderTakes) {
    for (const auto& [name, value] : {std::pair("batch", Json(512)),
                                      {"batch", Json("4k")},
                                      {"ratio", Json("eq10")},
                                      {"ratio", Json(0.5)},
                                      {"ratio", Json("0.5")},
                                      {"strategies", Json{"accpar", "dp"}},
                                      {"pin", Json{{"fc", "II"}}},
                                      {"pin_ratio", Json{{"63", 0.5}}},
                                      {"computation", Json(false)},
                                      {"dtype", Json("bf16")}})
        EXPECT_EQ(schemaRefusal(row(name), value), "") << name;
    const Parameter& bandwidths = *findParameter(codesignParameters(), "hbm_bandwidths");
    for (const Json& value : {Json{1e12}, Json("1GB/s,2GB/s")}) EXPECT_EQ(schemaRefusal(bandwidths, value), "");
}

TEST(ParameterSchema, refusesWhatTheReaderRefuses) {
    for (const auto& [name, value] : {std::pair("batch", Json(0)),
                                      {"batch", Json(1.5)},
                                      {"batch", Json("")},
                                      {"ratio", Json(1.5)},
                                      {"strategies", Json::array()},
                                      {"strategies", Json{"dp", "dp"}},
                                      {"pin", Json{{"fc", "IV"}}},
                                      {"pin_ratio", Json{{"64", 0.5}}},
                                      {"pin_ratio", Json{{"0", 1.5}}},
                                      {"computation", Json("no")},
                                      {"groups", Json("some")},
                                      {"dtype", Json(std::string(65, 'x'))}})
        EXPECT_NE(schemaRefusal(row(name), value), "") << name << ' ' << value.dump();
}

TEST(Parameter, readsWholeNumbersWithPrefixes) {
    EXPECT_EQ(parseParameter(row("batch"), {"512"}), Json(512));
    EXPECT_EQ(parseParameter(row("batch"), {"4k"}), Json(4000));
    EXPECT_EQ(parseParameter(row("batch"), {"1", "2"}), Json(2)) << "the last one counts";
}

TEST(Parameter, refusesWhatIsNoWholeNumberInItsRange) {
    EXPECT_EQ(parameterRefusal("batch", "0"),
              "option '--batch' is '0'; expected a whole number from 1 to 1,000,000,000");
    EXPECT_EQ(parameterRefusal("batch", "8.5"),
              "option '--batch' is '8.5'; expected a whole number from 1 to 1,000,000,000");
    EXPECT_EQ(parameterRefusal("batch", "nan"),
              "option '--batch' is 'nan'; expected a whole number from 1 to 1,000,000,000");
    EXPECT_EQ(parameterRefusal("levels", "64"), "option '--levels' is '64'; expected a whole number from 1 to 63");
}

TEST(Parameter, takesARuleOrANumberAsRatio) {
    EXPECT_EQ(parseParameter(row("ratio"), {"eq10"}), Json("eq10"));
    EXPECT_EQ(parseParameter(row("ratio"), {"0.7"}), Json(0.7));
    EXPECT_EQ(parameterRefusal("ratio", "1.5"),
              "option '--ratio' is '1.5'; expected one of balanced, eq10, alternating, equal, or a number from 0 to 1");
    EXPECT_EQ(parameterRefusal("ratio", "equall"),
              "option '--ratio' is 'equall'; expected one of balanced, eq10, alternating, equal, or a number from 0 to "
              "1 (did you mean 'equal'?)");
}

TEST(Parameter, splitsListsAtCommasAndTakesEveryWordOnce) {
    EXPECT_EQ(parseParameter(row("strategies"), {"accpar, dp"}), Json::array({"accpar", "dp"}));
    EXPECT_EQ(parameterRefusal("strategies", "dp,dp"),
              "option '--strategy' is 'dp,dp'; expected one or more of joint, accpar, accpar-paper, hypar, owt, dp, "
              "each once");
}

TEST(Parameter, sortsNumbersAndTakesEachOnce) {
    const Parameter& bandwidths = *findParameter(codesignParameters(), "hbm_bandwidths");
    EXPECT_EQ(parseParameter(bandwidths, {"2.4TB/s, 600GB/s"}), Json::parse("[6e11, 2.4e12]"));
    EXPECT_EQ(parseParameter(bandwidths, {"1e12"}), Json::parse("[1e12]"));
    const auto reads = [&](const char* value) {
        const JsonDocument document = JsonDocument::parse(std::string(R"({"value": )") + value + "}", "study.json");
        return readParameter(bandwidths, document.root().at("value"));
    };
    EXPECT_EQ(reads("[2, 1]"), Json::parse("[1.0, 2.0]"));
    EXPECT_EQ(reads(R"("1GB/s,2GB/s")"), Json::parse("[1e9, 2e9]"));
    for (const char* const wrong : {"[]", "[1, 1]", "[0]", "[-1]", R"(["1GB/s"])", "5", "true", R"("1GB/s,,")"})
        EXPECT_THROW(reads(wrong), DataError) << wrong;
    for (const char* const wrong : {"", "fast", "1GB/s,fast", "1GB/s,1000MB/s", "0", "1GB"})
        EXPECT_THROW(parseParameter(bandwidths, {wrong}), UsageError) << wrong;
}

TEST(Parameter, pinsLayersWhoseNamesHoldAnEqualsSign) {
    EXPECT_EQ(parseParameter(row("pin"), {"a=b=II", "fc=I"}), (Json{{"a=b", "II"}, {"fc", "I"}}));
    EXPECT_EQ(parameterRefusal("pin", "fc=IV"),
              "option '--pin' is 'fc=IV'; expected LAYER=TYPE where the value is one of I, II, III");
    EXPECT_EQ(parseParameter(row("pin_ratio"), {"0=0.3"}), (Json{{"0", 0.3}}));
    EXPECT_EQ(parameterRefusal("pin_ratio", "x=0.3"),
              "option '--pin-ratio' is 'x=0.3'; expected LEVEL=R with a level from 0 to 63 and a number from 0 to 1");
}

TEST(Parameter, aFlagTurnsItsDefaultRound) {
    EXPECT_EQ(parseParameter(row("computation"), {}), Json(false));
}

}  // namespace
}  // namespace tessera::study

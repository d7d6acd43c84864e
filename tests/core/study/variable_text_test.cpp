#include "core/study/exploration/variable_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/study/exploration/definition.h"
#include "core/study/exploration/settable.h"
#include "core/study/exploration/study.h"
#include "core/study/study.h"

namespace tessera::study {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Json asRead(const Json& entry) {
    const JsonDocument document = JsonDocument::parse(Json{{"entry", entry}}.dump(), "x.json");
    return toJson(readVariable(document.root().at("entry")));
}

TEST(VariableText, linesMeanWhatTheirObjectsMean) {
    struct Row {
        const char* line;
        const char* object;
    };
    const std::vector<Row> rows{
        {"pes=64..4096:log", R"({"parameter": "pes", "low": 64, "high": 4096, "scale": "log"})"},
        {"pes = 64 .. 4096 : 64", R"({"parameter": "pes", "low": 64, "high": 4096, "step": 64})"},
        {"pes=1..8:integer:levels=4", R"({"parameter": "pes", "low": 1, "high": 8, "integer": true, "levels": 4})"},
        {"width@pes=1,2,4", R"({"name": "width", "parameter": "pes", "values": [1, 2, 4]})"},
        {"software=eager,fused", R"({"parameter": "software", "values": ["eager", "fused"]})"},
        {"fix=\"tp=8,pp=2\",\"tp=4,pp=4\"", R"({"parameter": "fix", "values": ["tp=8,pp=2", "tp=4,pp=4"]})"},
        {"models=zoo:resnet50,../x.onnx", R"({"input": "models", "values": ["zoo:resnet50", "../x.onnx"]})"},
        {"dim.sequence=128..2048", R"({"dimension": "sequence", "low": 128, "high": 2048})"},
        {"fleet.levels[1].bandwidth_bytes_per_s=100 GB/s..900 GB/s:log",
         R"({"field": "fleet.levels[1].bandwidth_bytes_per_s", "low": "100 GB/s", "high": "900 GB/s", "scale": "log"})"},
        {"price:=4.9 + 0.35 * hbm", R"({"name": "price", "formula": "4.9 + 0.35 * hbm"})"},
        {"price@accelerators.h100.price_per_hour_usd:=4.9 + hbm",
         R"({"name": "price", "field": "accelerators.h100.price_per_hour_usd", "formula": "4.9 + hbm"})"},
        {R"({"parameter": "pes", "low": 1, "high": 2, "help": "a note"})",
         R"({"parameter": "pes", "low": 1, "high": 2, "help": "a note"})"},
    };
    for (const Row& row : rows) {
        const Json object = Json::parse(row.object);
        EXPECT_EQ(asRead(row.line), asRead(object)) << row.line;
        // And back: the shortest line, from the object and from what was read of it.
        EXPECT_EQ(asRead(textOfVariable(object)), asRead(object)) << textOfVariable(object);
        if (!textOfVariable(object).starts_with('{')) {
            EXPECT_EQ(textOfVariable(asRead(object)), textOfVariable(object));
        }
        EXPECT_EQ(textOfVariable(Json(row.line)), row.line) << "a line stays as it was typed";
    }
    EXPECT_EQ(textOfVariable(asRead("pes=64..4096:log")), "pes=64..4096:log");
    EXPECT_EQ(textOfVariable(asRead("price:=4.9 + hbm")), "price:=4.9 + hbm");
    EXPECT_EQ(textOfVariable(asRead("width@pes=1,2")), "width@pes=1,2");
    EXPECT_THAT(textOfVariable(Json::parse(R"({"parameter": "pes", "values": ["64", 65]})")), testing::StartsWith("{"))
        << "the text 64 is no number, which a line could not say";
}

TEST(VariableText, whatIsNoLineIsRefusedInASentence) {
    for (const char* line : {"", "pes", "=1..2", "pes=", "pes=1..2:", "pes=1,,2", "pes=\"1,2", "@=1", "{", "{}",
                             "pes=1..2:levels=x", "pes=1.."}) {
        try {
            asRead(line);
            ADD_FAILURE() << line;
        } catch (const DataError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
            EXPECT_THAT(error.what(), HasSubstr("x.json")) << line;
        }
    }
}

TEST(VariableText, objectivesAndConstraintsAreLines) {
    EXPECT_EQ(textOfObjective(Json{{"metric", "step_time_s"}}), "step_time_s");
    EXPECT_EQ(textOfObjective(Json{{"metric", "mfu"}, {"goal", "max"}}), "mfu:max");
    EXPECT_EQ(textOfConstraint(Json{{"metric", "cycles"}, {"max", 8e6}}), "cycles <= 8000000");
    EXPECT_EQ(textOfConstraint(Json{{"metric", "memory_bytes"}, {"min", "2 GB"}}), "memory_bytes >= 2 GB");
    EXPECT_THAT(textOfConstraint(Json{{"metric", "a"}, {"min", 1}, {"max", 2}}), testing::StartsWith("{"));
}

// Every bundled exploration is the same when all of its lists are lines.
TEST(VariableText, bundledExplorationsAreLines) {
    int seen = 0;
    for (const auto& [name, title] : bundledStudies()) {
        const Study study = loadStudy(name);
        if (study.engine != "explore") continue;
        ++seen;
        Study lines = study;
        for (const Parameter& parameter : explorationParameters()) {
            if (parameter.lineOf == nullptr || !lines.parameters->contains(std::string(parameter.name))) continue;
            for (Json& entry : lines.parameters[std::string(parameter.name)]) {
                const bool hasHelp = entry.contains("help");
                entry = parameter.lineOf(entry);
                EXPECT_EQ(entry.get<std::string>().starts_with("{"), hasHelp) << entry;
            }
        }
        const Study again = readStudy(JsonDocument::parse(toText(toJson(lines)), "lines.json").root());
        EXPECT_EQ(contentHash(again), contentHash(study)) << name;
        // What a form offers while the lines are typed.
        const std::vector<std::string> offered = offeredVariables(study);
        EXPECT_THAT(offered, Contains(HasSubstr("=")));
        EXPECT_THAT(offeredMetrics(study), Not(IsEmpty()));
    }
    EXPECT_EQ(seen, 4);
}

}  // namespace
}  // namespace tessera::study

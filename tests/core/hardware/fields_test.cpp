// Every row of every hardware table: read and written, in the schema, shown, refused where it is wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "core/base/text.h"
#include "core/hardware/field.h"
#include "tests/support/field_schema.h"
#include "tests/support/golden.h"
#include "tests/support/hardware_examples.h"
#include "tests/support/schema.h"

namespace tessera::test {

static void PrintTo(const HardwareExamples& examples, std::ostream* out) {
    *out << examples.kind->id;
}

namespace {

using namespace hardware;

class EveryField : public testing::TestWithParam<HardwareExamples> {
protected:
    static const Kind& kind() { return *GetParam().kind; }
    static std::string schemaFile() { return kind().id + ".schema.json"; }
    static JsonDocument parsed(const Json& json) { return JsonDocument::parse(json.dump(1), "x.json"); }
    /// All that is wrong with a document.
    static std::vector<DataError> faults(const Json& json) {
        try {
            (void)GetParam().rewritten(parsed(json).root());
        } catch (const Faults& several) {
            return several.all;
        } catch (const DataError& one) {
            return {one};
        }
        return {};
    }
    template <typename Look>
    static void forEachPlace(const Look& look) {
        for (const Json& document : GetParam().documents)
            for (const FieldPlace& place : fieldPlaces(kind().fields, document)) look(document, place);
    }
};

TEST_P(EveryField, isSetByAnExample) {
    std::set<std::string> rows;
    forEachPlace([&](const Json&, const FieldPlace& place) { rows.insert(place.row); });
    for (const std::string& row : allRows(kind().fields)) EXPECT_TRUE(rows.contains(row)) << row;
}

TEST_P(EveryField, isReadAndWrittenAsItWas) {
    for (const Json& document : GetParam().documents)
        EXPECT_EQ(GetParam().rewritten(parsed(document).root()).dump(1), document.dump(1));
}

TEST_P(EveryField, isInTheSchema) {
    for (const Json& document : GetParam().documents)
        EXPECT_EQ(schemaErrors(nlohmann::json::parse(document.dump()), schemaFile()), "");
    forEachPlace([](const Json& document, const FieldPlace& place) {
        // Only what the schema names may be there: an unknown field beside this one is refused.
        Json other = document;
        other.at(place.pointer.parent_pointer())["no_such_field"] = 1;
        EXPECT_NE(schemaErrors(nlohmann::json::parse(other.dump()), schemaFile()), "") << place.path;
        Json wrong = document;
        wrong[place.pointer] = place.field->holds == Holds::flag ? Json(7) : Json(true);
        EXPECT_NE(schemaErrors(nlohmann::json::parse(wrong.dump()), schemaFile()), "") << place.path;
    });
}

TEST_P(EveryField, isShown) {
    forEachPlace([](const Json& document, const FieldPlace& place) {
        const std::vector<ShownValue> shown = shownValues(kind().fields, document);
        const auto found = std::find_if(shown.begin(), shown.end(), [&](const ShownValue& value) {
            return value.path == place.path || value.path.starts_with(place.path + ".") ||
                   value.path.starts_with(place.path + "[");
        });
        ASSERT_NE(found, shown.end()) << place.path;
        EXPECT_FALSE(trimmed(found->label).empty()) << place.path;
        EXPECT_FALSE(found->value.empty()) << place.path;
    });
}

TEST_P(EveryField, isRefusedWithFileAndPlaceWhereItIsWrong) {
    forEachPlace([](const Json& document, const FieldPlace& place) {
        Json wrong = document;
        wrong[place.pointer] = place.field->holds == Holds::flag ? Json(7) : Json(true);
        const std::vector<DataError> found = faults(wrong);
        const auto fault = std::find_if(found.begin(), found.end(),
                                        [&](const DataError& each) { return each.place.field == place.path; });
        ASSERT_NE(fault, found.end()) << place.path;
        EXPECT_EQ(fault->place.file, "x.json");
        EXPECT_GT(fault->place.line, 1) << place.path;
        EXPECT_FALSE(fault->expected.empty());
        EXPECT_TRUE(
            std::string(fault->what())
                .starts_with("x.json:" + std::to_string(fault->place.line) + ": field '" + place.path + "' is "))
            << fault->what();
    });
}

TEST_P(EveryField, isExplained) {
    forEachPlace([](const Json&, const FieldPlace& place) {
        EXPECT_TRUE(place.field->about.ends_with('.')) << place.path;
        EXPECT_TRUE(!place.field->title.empty() || place.field->holds == Holds::object) << place.path;
    });
}

TEST_P(EveryField, isNeededOrSaysWhatCountsWithoutIt) {
    forEachPlace([](const Json& document, const FieldPlace& place) {
        Json without = document;
        without.at(place.pointer.parent_pointer()).erase(place.field->key);
        const std::vector<DataError> found = faults(without);
        const bool missed = std::any_of(found.begin(), found.end(), [&](const DataError& each) {
            return each.place.field == place.path && each.found == "missing";
        });
        EXPECT_EQ(missed, place.field->needed) << place.path;
    });
}

TEST_P(EveryField, isDescribedByTheSchemaThatIsShipped) {
    expectGolden(schemaDocument(kind()).dump(2) + "\n", "data/schemas/" + schemaFile());
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryField, testing::ValuesIn(hardwareExamples()),
                         [](const auto& row) { return row.param.kind->id; });

TEST(HardwareFaults, areToldAllAtOnce) {
    const std::string text = R"({"schema": "tessera.accelerator/1", "name": " ",
"peak_flops": {"bf16": -1, "fp32": 1},
"memory": [{"name": "HBM", "capacity_bytes": "much"}],
"power_wats": 3})";
    try {
        (void)readAccelerator(JsonDocument::parse(text, "a.json").root());
        FAIL();
    } catch (const Faults& faults) {
        std::vector<std::string> sentences;
        for (const DataError& fault : faults.all) sentences.emplace_back(fault.what());
        EXPECT_EQ(sentences,
                  (std::vector<std::string>{
                      "a.json:4: field 'power_wats' is unknown; expected 'power_watts' perhaps",
                      "a.json:1: field 'name' is ' '; expected a name that is not blank",
                      "a.json:2: field 'peak_flops.bf16' is '-1'; expected a number above 0",
                      "a.json:3: field 'memory[0].capacity_bytes' is the text 'much'; expected a number above 0, or a "
                      "text with its unit such as '32 GiB'"}));
        EXPECT_EQ(std::string(faults.what()), sentences[0] + " (and 3 other faults)");
    }
}

TEST(HardwareFaults, ofAFleetAndOfWhatStandsInItAreToldTogether) {
    const std::string text = R"({"schema": "tessera.fleet/2", "name": "f", "groups": [
{"name": "a", "accelerator": {"name": "x", "peak_flops": {"bf16": 0}, "power_watts": 0}},
{"name": "b", "accelerator": "tpu-v9", "count": 0}],
"links": [{"between": ["a", "c"], "bits_per_s": 0}], "topology": {"node": ["a", "a"]}})";
    try {
        (void)readFleet(JsonDocument::parse(text, "f.json").root());
        FAIL();
    } catch (const Faults& faults) {
        std::set<std::string> fields;
        for (const DataError& fault : faults.all) fields.insert(fault.place.field);
        EXPECT_EQ(fields,
                  (std::set<std::string>{"groups[0].accelerator.peak_flops.bf16", "groups[0].accelerator.power_watts",
                                         "groups[1].accelerator", "groups[1].count", "links[0].between[1]",
                                         "links[0].bits_per_s", "topology.node[1]"}));
    }
}

TEST(HardwareFaults, areToldUpToTwentyOfThem) {
    std::string levels;
    for (int i = 0; i < 50; ++i) levels += std::string(i == 0 ? "" : ",") + R"({"name": "", "capacity_bytes": 0})";
    const std::string text =
        R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"bf16": 1}, "memory": [)" + levels + "]}";
    try {
        (void)readAccelerator(JsonDocument::parse(text, "a.json").root());
        FAIL();
    } catch (const Faults& faults) {
        EXPECT_EQ(faults.all.size(), 20U);
    }
}

}  // namespace
}  // namespace tessera::test

// A field of hardware is one row of its kind's table: a toy field is read, written, in the schema, shown and edited
// with nothing but its row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QTest>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/hardware/field.h"
#include "tests/support/field_schema.h"
#include "tests/support/hardware_examples.h"
#include "ui/editors/hardware_facts.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/kind_form.h"
#include "ui/models/text.h"

namespace tessera {
namespace {

using namespace hardware;
using testing::Contains;
using testing::ElementsAre;
using testing::StrCaseEq;

/// A kind of hardware of this test's own.
struct Cooler {
    std::string id = {};
    std::string file = {};
    std::string name = {};
    Watts power = {};
    std::optional<Seconds> start = {};  ///< what the toy field sets
    ProvenanceMap provenance = {};
};

Kind coolerKind() {
    using F = FieldsOf<Cooler>;
    return {.id = "cooler",
            .title = "Cooler",
            .history = {.kind = "tessera.cooler"},
            .about = "What cools an accelerator.",
            .fields = {F::name(&Cooler::name, "name", "Name", "The name shown to people."),
                       F::number(&Cooler::power, "power_watts", "Power", Measure::watts, kPositive, "What it takes.")}};
}

/// The row of the toy field.
Field toyField() {
    return FieldsOf<Cooler>::number(&Cooler::start, "start_s", "Start", Measure::seconds, kNotNegative,
                                    "Time until it cools.")
        .otherwise("not said");
}

class HardwareField : public testing::Test {
protected:
    HardwareField() { kind_.fields.push_back(toyField()); }
    static JsonDocument document(const std::string& start) {
        return JsonDocument::parse(
            "{\"schema\": \"tessera.cooler/1\", \"name\": \"fan\",\n\"power_watts\": 5,\n\"start_s\": " + start + "}",
            "c.json");
    }
    Kind kind_ = coolerKind();
};

TEST_F(HardwareField, isUnknownWithoutItsRow) {
    try {
        (void)readDocument<Cooler>(document("1").root(), coolerKind());
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "c.json:3: field 'start_s' is unknown; expected one of schema, name, power_watts");
    }
}

TEST_F(HardwareField, isReadAndWrittenWithItsUnitAndItsSource) {
    const Cooler cooler =
        readDocument<Cooler>(document(R"({"value": "3 ms", "source": "me", "class": "measured"})").root(), kind_);
    EXPECT_EQ(cooler.start, Seconds{0.003});
    EXPECT_EQ(cooler.provenance.at("start_s"), (Provenance{"me", "measured"}));
    EXPECT_EQ(
        documentJson(cooler, kind_).dump(),
        R"({"schema":"tessera.cooler/1","name":"fan","power_watts":5,"start_s":{"value":0.003,"source":"me","class":"measured"}})");
}

TEST_F(HardwareField, isRefusedWithFileAndPlaceWhereItIsWrong) {
    try {
        (void)readDocument<Cooler>(document("-1").root(), kind_);
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "c.json:3: field 'start_s' is '-1'; expected a number of 0 or more");
    }
}

TEST_F(HardwareField, isInTheSchema) {
    const Json field = schemaDocument(kind_).at("/definitions/cooler/properties/start_s"_json_pointer);
    EXPECT_EQ(field.at("description"), "Time until it cools. Default: not said.");
    EXPECT_EQ(field.at("allOf"), Json::parse(R"([{"$ref": "accelerator.schema.json#/definitions/not_negative"}])"));
}

TEST_F(HardwareField, isShown) {
    const std::vector<ShownValue> shown = shownValues(kind_.fields, document("0.003").json());
    ASSERT_EQ(shown.size(), 3U);
    EXPECT_EQ(shown[2].label, "start");
    EXPECT_EQ(shown[2].value, "3 ms");
}

/// "Start: 3 ms" of every row of facts.
std::vector<std::string> rowsOf(const ui::Facts& facts) {
    std::vector<std::string> rows;
    for (const ui::Facts::Section& section : facts.sections)
        for (const ui::Facts::Row& row : section.rows) rows.push_back((row.label + ": " + row.value).toStdString());
    return rows;
}

TEST_F(HardwareField, isAFact) {
    EXPECT_THAT(rowsOf(ui::hardwareFacts(kind_, document("0.003").json())), ElementsAre("Power: 5 W", "Start: 3 ms"));
}

TEST(EveryHardwareField, isAFact) {
    for (const test::HardwareExamples& example : test::hardwareExamples()) {
        for (const Json& document : example.documents) {
            const std::vector<std::string> rows = rowsOf(ui::hardwareFacts(*example.kind, document));
            for (const ShownValue& shown : shownValues(example.kind->fields, document)) {
                if (shown.title == "Name") continue;
                const std::string text = (ui::shownText(shown.label) + ": " + ui::shownText(shown.value)).toStdString();
                EXPECT_THAT(rows, Contains(StrCaseEq(text))) << example.kind->id << ' ' << shown.path;
            }
        }
    }
}

TEST_F(HardwareField, hasAnEditorThatTakesUnits) {
    ui::EditedJson edited(document("0.003").json());
    ui::KindForm form(ui::formOf(kind_), &edited);
    QLineEdit* box = nullptr;
    for (QLineEdit* each : form.findChildren<QLineEdit*>())
        if (each->accessibleName().startsWith(QStringLiteral("Start"))) box = each;
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->text(), QStringLiteral("3 ms"));
    form.show();
    form.activateWindow();
    box->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return box->hasFocus(); }));
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("5 ms"));
    EXPECT_EQ(ui::plainValue(edited.json().at("start_s")), Json(0.005));
    EXPECT_EQ(edited.json().at("start_s").at("class"), "yours");
}

}  // namespace
}  // namespace tessera

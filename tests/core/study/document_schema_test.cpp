// JSON Schemas of result documents, by the rows that write and read them.

#include "core/study/document_schema.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/study/engine.h"
#include "tests/support/golden.h"

namespace tessera::study {
namespace {

struct Sail {
    double area = 0;
};

struct Boat {
    std::string name;
    std::int64_t crew = 1;
    double draught = 1;
    double speed = 0;
    bool afloat = true;
    std::string kind = "sloop";
    std::optional<Seconds> lap;
    std::optional<double> price;
    std::optional<Sail> spare;
    std::optional<Sail> spinnaker;
    std::string harbour;
    std::vector<Sail> sails;
};

constexpr std::array<std::string_view, 2> kKinds{"sloop", "ketch"};
constexpr auto kSail = [](auto& doc, auto& sail) { doc({"area_m2", "Of the cloth."}, sail.area, kPositive); };
constexpr Definition kDefinedSail("sail", "What drives it.", kSail);

Json boatSchema(const auto& rows) {
    return DocumentSchema::ofObject([&](DocumentSchema& doc) {
        Boat boat;
        rows(doc, boat);
    });
}

TEST(DocumentSchema, saysTypesAndWhatMayBeLeftOutOrNull) {
    const Json schema = boatSchema([](auto& doc, auto& boat) {
        doc("name", boat.name);
        doc({"crew", "People."}, boat.crew, 1, 9);
        doc({"draught_m", "", kFromZero}, boat.draught);
        doc("speed", boat.speed, kOrUnknown);
        doc("kind", boat.kind, kKinds);
        doc("lap_s", boat.lap, kNotNegative);
        doc.orNull("price", boat.price);
        doc.object("spare", boat.spare, kSail);
        doc.objectOrNull("spinnaker", boat.spinnaker, kSail);
        doc.unlessEmpty("harbour", boat.harbour);
        doc.derived("sail_count", [&] { return boat.sails.size(); });
    });
    EXPECT_EQ(schema["required"].dump(),
              R"(["name","crew","draught_m","speed","kind","price","spinnaker","sail_count"])");
    EXPECT_EQ(schema["additionalProperties"], false);
    const Json& properties = schema["properties"];
    EXPECT_EQ(properties["name"].dump(), R"({"type":"string"})");
    EXPECT_EQ(properties["crew"].dump(), R"({"description":"People.","type":"integer","minimum":1})");
    EXPECT_EQ(properties["draught_m"].dump(), R"({"type":"number","minimum":0})");
    EXPECT_EQ(properties["speed"].dump(), R"({"type":["number","null"]})");
    EXPECT_EQ(properties["kind"].dump(), R"({"enum":["sloop","ketch"]})");
    EXPECT_EQ(properties["lap_s"].dump(), R"({"type":"number","minimum":0})");
    EXPECT_EQ(properties["price"].dump(), R"({"type":["number","null"]})");
    EXPECT_EQ(properties["spinnaker"]["type"].dump(), R"(["object","null"])");
    EXPECT_EQ(properties["spare"]["properties"]["area_m2"].dump(),
              R"({"description":"Of the cloth.","type":"number","exclusiveMinimum":0})");
    EXPECT_EQ(properties["sail_count"].dump(), R"({"type":"integer","minimum":0})");
}

TEST(DocumentSchema, hasBothWaysOfADecision) {
    const Json schema = boatSchema([](auto& doc, auto& boat) {
        doc("afloat", boat.afloat);
        if (doc.has("kind", !boat.kind.empty())) doc("kind", boat.kind);
        if (!doc.where(boat.afloat)) {
            doc.derived("speed", nullptr);
            return doc("harbour", boat.harbour);
        }
        doc("speed", boat.speed);
        doc("crew", boat.crew);
    });
    EXPECT_EQ(schema["required"].dump(), R"(["afloat","speed"])");
    EXPECT_EQ(schema["properties"]["speed"].dump(), R"({"type":["number","null"]})");
    for (const char* key : {"kind", "harbour", "crew"}) EXPECT_TRUE(schema["properties"].contains(key)) << key;
}

TEST(DocumentSchema, saysOnceWhatIsDefined) {
    const auto rows = [](auto& doc, auto& boat, auto& /*result*/) {
        doc.list("sails", boat.sails, kDefinedSail);
        doc.objectOrNull("spare", boat.spare, kDefinedSail);
    };
    const Json schema = documentSchema<Boat>({.schema = "tessera.boat/1", .command = "sail", .about = "A boat."}, rows);
    EXPECT_EQ(schema["$id"], "boat.schema.json");
    EXPECT_EQ(schema["title"], "tessera.boat/1");
    EXPECT_EQ(schema["properties"]["sails"].dump(), R"({"type":"array","items":{"$ref":"#/definitions/sail"}})");
    EXPECT_EQ(schema["properties"]["spare"].dump(), R"({"anyOf":[{"$ref":"#/definitions/sail"},{"type":"null"}]})");
    EXPECT_EQ(schema["definitions"]["sail"]["description"], "What drives it.");
    EXPECT_EQ(schema["definitions"].size(), 1U);
}

TEST(EveryResultDocument, isDescribedByTheSchemaThatIsShipped) {
    for (const Engine& engine : engines()) {
        ASSERT_NE(engine.jsonSchema, nullptr) << engine.id;
        const Json schema = engine.jsonSchema();
        EXPECT_EQ(schema.at("title"), engine.resultSchema);
        test::expectGolden(schema.dump(2) + "\n", "data/schemas/" + schema.at("$id").get<std::string>());
    }
}

}  // namespace
}  // namespace tessera::study

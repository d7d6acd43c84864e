#include "core/base/json.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/schema.h"
#include "tests/support/sanitizers.h"

using tessera::DataError;
using tessera::Json;
using tessera::JsonDocument;
using tessera::JsonNode;

namespace {

JsonDocument parsed(std::string text) {
    return JsonDocument::parse(std::move(text), "a.json");
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

/// The message of the DataError that `action` throws.
template <typename Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

std::string refusal(const std::string& text) {
    return messageOf([&] { parsed(text); });
}

TEST(JsonDocument, readsEveryKindOfValueInFileOrder) {
    const Json json =
        parsed(R"({"z": [1, -2, 2.5, "t", true, null], "a": {"k": 18446744073709551615}, "": {}})").json();
    EXPECT_EQ(json.dump(), R"({"z":[1,-2,2.5,"t",true,null],"a":{"k":18446744073709551615},"":{}})");
}

TEST(JsonDocument, readsAScalarAlone) {
    EXPECT_EQ(parsed(" 42\n").json(), 42);
}

TEST(JsonDocument, ignoresAByteOrderMark) {
    EXPECT_EQ(parsed("\xEF\xBB\xBF{\"a\": 1}").json()["a"], 1);
}

TEST(JsonDocument, readsWindowsLineEndsAndCountsTheirLines) {
    const JsonDocument document = parsed("{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n");
    EXPECT_EQ(document.lineOf("b"), 3);
}

TEST(JsonDocument, refusesAnEmptyFile) {
    EXPECT_EQ(refusal(""), "a.json:1: found an empty file; expected well-formed JSON");
    EXPECT_EQ(refusal(" \n\n"), "a.json:2: found an empty file; expected well-formed JSON");
    EXPECT_EQ(refusal("\xEF\xBB\xBF"), "a.json:1: found an empty file; expected well-formed JSON");
}

TEST(JsonDocument, saysWhereTheSyntaxIsWrongAndWhatIsExpectedThere) {
    constexpr const char* kValue = "a value: an object, a list, a text in double quotes, a number, true, false or null";
    struct Row {
        std::string text, place, found, expected;
    };
    const std::vector<Row> rows{
        {"{\n  \"a\": 1,\n}\n", "3:1", "'}'", "a key in double quotes"},
        {"{\n  \"a\": 1\n  \"b\": 2\n}", "3:3", "'\"b\"'", "',' or '}'"},
        {"{\"a\" 1}", "1:6", "'1'", "':' behind the key"},
        {"{\"alpha\": 1, beta: 2}", "1:14", "'beta'", "a key in double quotes"},
        {"[1,\n2,\nNaN]", "3:1", "'NaN'", "a finite number: JSON has no 'NaN'"},
        {"{\"a\": inf}", "1:7", "'inf'", "a finite number: JSON has no 'inf'"},
        {"[-Infinity]", "1:2", "'-Infinity'", "a finite number: JSON has no '-Infinity'"},
        {"{} x", "1:4", "'x'", "the end of the file"},
        {"[1,\n// comment\n2]", "2:1", "'/'", "no comment"},
        {"[True]", "1:2", "'True'", "'true'"},
        {"[None]", "1:2", "'None'", "'null'"},
        {"['a']", "1:2", "'\''", "double quotes"},
        {"[1 22]", "1:4", "'22'", "',' or ']'"},
        {"[1, 2, ]", "1:8", "']'", kValue},
        {"[1, tru]", "1:5", "'tru'", kValue},
        {"[01]", "1:2", "'01'", "a number as JSON has it, such as -0.5 or 1e9"},
        {"[+1]", "1:2", "'+1'", "a number as JSON has it, such as -0.5 or 1e9"},
        {"[1.e5]", "1:2", "'1.e5'", "a number as JSON has it, such as -0.5 or 1e9"},
        {"[\"a\nb\"]", "1:4", "a line end inside a text",
         R"(\n for a line end, \t for a tab, \u and four digits for any other)"},
        {R"(["\x"])", "1:4", "'x'", R"(one of " \ / b f n r t u behind a backslash)"},
        {R"(["\u12g4"])", "1:7", "'g'", R"(four hexadecimal digits behind \u)"},
        {"[1,", "1:4", "the end of the file", kValue},
        {"{\"a\":1", "1:7", "the end of the file", "',' or '}'"},
        {"[\n\"abc", "2:5", "the end of the file", "'\"' at the end of the text"},
        {"{\n\"a\": \"x\xFF\"}", "2:8", "'\\xFF'", "text in UTF-8"},
        {"\xFF\xFE{", "1:1", "'\\xFF'", "text in UTF-8"},
    };
    for (const Row& row : rows)
        EXPECT_EQ(refusal(row.text), "a.json:" + row.place + ": found " + row.found + "; expected " + row.expected);
}

TEST(JsonDocument, refusesADuplicateKeyWithItsLine) {
    EXPECT_EQ(refusal("{\n \"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3\n}"),
              "a.json:4: found the key 'a' twice in one object; expected every key once");
}

TEST(JsonDocument, refusesNumbersThatAreNotFinite) {
    EXPECT_EQ(refusal("{\n \"a\": [0,\n  1e400\n]}"), "a.json:3: field 'a[1]' is '1e400'; expected a finite number");
    EXPECT_EQ(refusal("-1e400"), "a.json:1: found '-1e400'; expected a finite number");
}

TEST(JsonDocument, readsHugeIntegersAsDoubles) {
    EXPECT_EQ(parsed("123456789012345678901234567890").root().number(), 123456789012345678901234567890.0);
    EXPECT_EQ(parsed("1e-400").root().number(), 0);
}

TEST(JsonDocument, refusesZeroBytesInsteadOfIgnoringWhatFollows) {
    EXPECT_EQ(refusal(std::string("{}\n\0junk", 8)), "a.json:2: found a zero byte; expected JSON in UTF-8");
}

TEST(JsonDocument, takesAHundredLevelsAndRefusesMore) {
    EXPECT_NO_THROW(parsed(repeated("[", 100) + repeated("]", 100)));
    EXPECT_EQ(refusal(repeated("[", 101) + repeated("]", 101)),
              "a.json:1: found nesting deeper than 100; expected at most 100 levels of objects and lists");
    EXPECT_EQ(refusal(repeated("{\"a\":", 3'000'000)),
              "a.json:1: found nesting deeper than 100; expected at most 100 levels of objects and lists");
}

TEST(JsonDocument, takesObjectsOfManyKeysInLinearTime) {
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
    text.back() = '}';
    EXPECT_EQ(parsed(text).json().size(), 200'000U);
}

TEST(JsonDocument, refusesMoreValuesThanItsLimit) {
    if (tessera::test::kSanitized) GTEST_SKIP() << "ten million values take too long under a sanitizer";
    EXPECT_EQ(refusal("[" + repeated("0,", 10'000'001) + "0]"),
              "a.json:1: found more than 10000000 values; expected at most 10000000 values in a file");
}

TEST(JsonDocument, findsTheLineOfEveryPath) {
    const JsonDocument document = parsed("\n{\n \"a\": [\n  1,\n  {\"b\": {}, \"c\":\n [] }\n ],\n\n \"d\": 5\n}");
    EXPECT_EQ(document.lineOf(""), 2);
    EXPECT_EQ(document.lineOf("a"), 3);
    EXPECT_EQ(document.lineOf("a[0]"), 4);
    EXPECT_EQ(document.lineOf("a[1]"), 5);
    EXPECT_EQ(document.lineOf("a[1].b"), 5);
    EXPECT_EQ(document.lineOf("a[1].c"), 5);
    EXPECT_EQ(document.lineOf("d"), 9);
    EXPECT_EQ(document.lineOf("e"), 0);
    EXPECT_EQ(document.lineOf("a[2]"), 0);
}

TEST(JsonDocument, survivesEveryTruncationAndEveryFlippedByte) {
    const std::string text =
        "{\"n\": [1, 2.5e3, -7], \"s\": \"\\u00e9\\ud83d\\ude00 x\", \"b\": true, \"o\": {\"z\": null}}";
    for (std::size_t i = 0; i < text.size(); ++i) EXPECT_THROW(parsed(text.substr(0, i)), DataError) << i;
    for (std::size_t i = 0; i < text.size(); ++i)
        for (int bit = 0; bit < 256; ++bit) {
            std::string changed = text;
            changed[i] = static_cast<char>(bit);
            try {
                parsed(changed);
            } catch (const DataError& error) {
                EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
            }
        }
}

TEST(JsonDocument, handsLongListsOverEntryByEntry) {
    const std::string text = R"({"name": "n", "list": [{"a": [1, {"b": 2}]}, 3, [], "four"], "nested": {"list": [5]},
"list2": [6]})";
    std::vector<std::string> seen;
    const JsonDocument document = JsonDocument::parse(text, "f.json", "list", [&](const JsonNode& entry) {
        seen.push_back(entry.path() + "=" + entry.json().dump());
    });
    EXPECT_EQ(seen, (std::vector<std::string>{R"(list[0]={"a":[1,{"b":2}]})", "list[1]=3", "list[2]=[]",
                                              R"(list[3]="four")"}));
    EXPECT_EQ(document.json().dump(), R"({"name":"n","list":[],"nested":{"list":[5]},"list2":[6]})");
}

TEST(JsonDocument, placesErrorsOfEntriesThatItHandsOver) {
    std::string message;
    JsonDocument::parse("{\"list\": [\n1,\n{\"a\": 4}]}", "f.json", "list", [&](const JsonNode& entry) {
        if (!entry.isObject()) return;
        try {
            entry.at("a").text();
        } catch (const DataError& error) {
            message = error.what();
        }
    });
    EXPECT_EQ(message, "f.json:3: field 'list[1].a' is '4'; expected a text");
}

TEST(Json, writesDocumentsOfLongListsAsOthers) {
    for (const std::size_t size : {0UL, 1UL, 3UL, 100'000UL}) {
        Json whole{{"head", "\n  \"list\": []"}, {"list", Json::array()}, {"tail", 1}};
        const auto entry = [](std::size_t i) {
            return i % 2 == 0 ? Json{{"i", i}, {"text", "a\nb"}, {"deep", {{"x", Json::array({1, "y"})}}}} : Json(i);
        };
        std::string text;
        tessera::writeText(whole, {{"list", size, entry}}, [&](std::string_view piece) { text += piece; });
        for (std::size_t i = 0; i < size; ++i) whole["list"].push_back(entry(i));
        EXPECT_TRUE(text == tessera::toText(whole)) << size;
    }
}

TEST(JsonNode, namesFileLineFieldFoundAndExpected) {
    const JsonDocument document =
        JsonDocument::parse("{\"groups\": [\n{\"count\": 1},\n{\"count\": -4}]}", "data/fleets/mix.json");
    const JsonNode count = document.root().at("groups").elements()[1].at("count");
    EXPECT_EQ(messageOf([&] { (void)count.whole(1, std::numeric_limits<std::int64_t>::max()); }),
              "data/fleets/mix.json:3: field 'groups[1].count' is '-4'; expected a whole number above 0");
}

TEST(JsonNode, tellsATextFromANumber) {
    const JsonNode root = parsed(R"({"a": "4", "b": null, "c": [1, 2], "d": {}, "e": 4})").root();
    EXPECT_EQ(messageOf([&] { (void)root.at("a").positive(); }),
              "a.json:1: field 'a' is the text '4'; expected a number above 0");
    EXPECT_EQ(messageOf([&] { (void)root.at("b").number(); }), "a.json:1: field 'b' is 'null'; expected a number");
    EXPECT_EQ(messageOf([&] { (void)root.at("c").boolean(); }),
              "a.json:1: field 'c' is a list; expected true or false");
    EXPECT_EQ(messageOf([&] { (void)root.at("d").text(); }), "a.json:1: field 'd' is an object; expected a text");
    EXPECT_EQ(messageOf([&] { (void)root.at("e").text(); }), "a.json:1: field 'e' is '4'; expected a text");
    EXPECT_EQ(messageOf([&] { (void)root.at("e").elements(); }), "a.json:1: field 'e' is '4'; expected a list");
}

TEST(JsonNode, takesWholeNumbersInTheirRangeOnly) {
    const JsonNode root =
        parsed(R"([64.0, 8.5, 9223372036854775807, 9223372036854775808, 1e19, -9223372036854775808, 0])").root();
    const auto entries = root.elements();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(entries[0].whole(1, 100), 64);
    EXPECT_THROW((void)entries[1].whole(1, 100), DataError);
    EXPECT_EQ(entries[2].whole(1, kMax), kMax);
    EXPECT_THROW((void)entries[3].whole(1, kMax), DataError);
    EXPECT_THROW((void)entries[4].whole(1, kMax), DataError);
    EXPECT_EQ(entries[5].whole(kMin, 0), kMin);
    EXPECT_EQ(messageOf([&] { (void)entries[6].whole(1, 5); }),
              "a.json:1: field '[6]' is '0'; expected a whole number from 1 to 5");
}

TEST(JsonNode, limitsTextsByCharactersNotBytes) {
    const std::string name = repeated("é", 256);
    EXPECT_EQ(parsed("\"" + name + "\"").root().text(256), name);
    EXPECT_THROW((void)parsed("\"" + name + "e\"").root().text(256), DataError);
}

TEST(JsonNode, namesAnUnknownFieldAndTheOneThatWasMeant) {
    const JsonNode root = parsed("{\n\"name\": 1,\n\"cuont\": 2}").root();
    EXPECT_EQ(messageOf([&] {
                  root.allowOnly({"name", "count"});
              }),
              "a.json:3: field 'cuont' is unknown; expected 'count' perhaps");
    EXPECT_EQ(messageOf([&] {
                  root.allowOnly({"name", "x"});
              }),
              "a.json:3: field 'cuont' is unknown; expected one of name, x");
}

TEST(JsonNode, saysWhatIsMissing) {
    const JsonNode root = parsed("{\n\"a\": {}}").root();
    EXPECT_EQ(messageOf([&] { (void)root.at("a").at("b"); }),
              "a.json:2: field 'a.b' is missing; expected the field to be given");
    EXPECT_EQ(root.textOr("none", "default"), "default");
    EXPECT_EQ(root.wholeOr("none", 7, 1, 9), 7);
}

TEST(JsonNode, keepsItsDocumentAlive) {
    const JsonNode node = parsed(R"({"a": ["long enough for the heap, surely"]})").root().at("a").elements()[0];
    EXPECT_EQ(node.text(), "long enough for the heap, surely");
}

TEST(JsonNode, showsControlCharactersOfKeysEscaped) {
    const std::string message = messageOf([] { parsed(R"({"a\nb\u001b": 1})").root().allowOnly({"name"}); });
    EXPECT_EQ(message, "a.json:1: field 'a\\x0Ab\\x1B' is unknown; expected one of name");
}

TEST(JsonText, endsWithANewlineAndReplacesWhatIsNotUtf8) {
    EXPECT_EQ(tessera::toText(Json{{"a", 0.1}}), "{\n  \"a\": 0.1\n}\n");
    EXPECT_NO_THROW((void)tessera::toText(Json{{"a", "\xFF"}}));
}

TEST(JsonText, holdsNoControlCharacterAndReadsBackTheSame) {
    const std::string name = "a\x1B\x7F\xC2\x9B\xE2\x80\xAE\xF3\xA0\x80\x81 日本 é";
    const std::string text = tessera::toText(Json{{name, name}});
    EXPECT_EQ(text,
              "{\n  \"a\\u001b\\u007F\\u009B\\u202E\\uDB40\\uDC01 日本 é\": "
              "\"a\\u001b\\u007F\\u009B\\u202E\\uDB40\\uDC01 日本 é\"\n}\n");
    EXPECT_EQ(parsed(text).json(), (Json{{name, name}}));
}

TEST(Schema, keepsTheLinesOfADocumentThatAMigrationLeavesAsItIs) {
    const tessera::SchemaHistory history{.kind = "tessera.toy",
                                         .migrations = {{.from = 1, .apply = [](tessera::Json&) {}}}};
    const JsonDocument document = parsed("{\"schema\": \"tessera.toy/1\",\n\n\n\"a\": 5}");
    EXPECT_EQ(messageOf([&] { atCurrentSchema(document.root(), history).at("a").fail("a 6"); }),
              "a.json:4: field 'a' is '5'; expected a 6");
}

TEST(Schema, migratesOlderVersionsStepByStepAndRefusesNewerOnes) {
    const tessera::SchemaHistory history{.kind = "tessera.toy",
                                         .migrations = {{.from = 1,
                                                         .apply =
                                                             [](Json& json) {
                                                                 json["b"] = json["a"];
                                                                 json.erase("a");
                                                             }},
                                                        {.from = 2, .apply = [](Json& json) { json["c"] = 3; }}}};
    EXPECT_EQ(tessera::currentSchema(history), "tessera.toy/3");
    const JsonNode old = atCurrentSchema(parsed(R"({"schema": "tessera.toy/1", "a": 5})").root(), history);
    EXPECT_EQ(old.json().dump(), R"({"schema":"tessera.toy/3","b":5,"c":3})");
    EXPECT_EQ(old.document().file(), "a.json");
    const auto refused = [&](const std::string& text) {
        return messageOf([&] { (void)atCurrentSchema(parsed(text).root(), history); });
    };
    EXPECT_EQ(
        refused(R"({"schema": "tessera.toy/4"})"),
        "a.json:1: field 'schema' is 'tessera.toy/4'; expected an older version: tessera.toy/4 is newer than this "
        "program, which reads up to tessera.toy/3");
    EXPECT_EQ(refused(R"({"a": 1})"), "a.json:1: field 'schema' is missing; expected 'tessera.toy/3'");
    for (const char* other : {"tessera.fleet/1", "tessera.toy/0", "tessera.toy/01", "tessera.toy/", "tessera.toy",
                              "tessera.toy/1x", "tessera.toyota/1", "tessera.toy/99999999999999999999"})
        EXPECT_EQ(refused(std::string(R"({"schema": ")") + other + "\"}"),
                  std::string("a.json:1: field 'schema' is '") + other + "'; expected 'tessera.toy/3'");
    EXPECT_EQ(refused("[1]"), "a.json:1: found a list; expected an object with the field 'schema': 'tessera.toy/3'");
}

}  // namespace

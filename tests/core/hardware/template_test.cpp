#include "core/hardware/template.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/hardware/library.h"
#include "tests/core/hardware/documents.h"
#include "tests/support/schema.h"

using namespace tessera;
using namespace tessera::hardware;

namespace {

/// A template of every form that a field may have.
const char* const kFullTemplate = R"({
 "schema": "tessera.template/1", "name": "full \u00e9",
 "parameters": {
  "num_tc": {"from": {"value": 1, "source": "table"}, "to": 8, "step": "x2"}, "num_vc": [1, {"value": 3, "class": "assumed"}],
  "pe_x": [4, 16], "pe_y": {"from": 2, "to": 8, "step": "\u00d72"}, "glb_bytes": [1024, 4096],
  "hbm_bytes": {"from": 100, "to": 300, "step": "+100"}},
 "clock_hz": 1e9, "hbm_bandwidth_bytes_per_s": 1.5e12, "word_bytes": 2, "l2_bytes_per_element": 16,
 "least_l2_bytes": 256, "most_glb_words_per_cycle": 200,
 "area": {"tensor_element_um2": 1.5, "vector_lane_um2": {"value": 0.1, "source": "own", "class": "measured"},
          "l2": [{"bytes": 256, "um2": 1}, {"bytes": 512, "um2": {"value": 2.25, "source": "own"}}],
          "glb": [{"bytes": 1024, "um2": 10}, {"bytes": 4096, "um2": 40}]},
 "bound": {"name": "largest", "num_tc": 4, "num_vc": 1, "pe_x": 16, "pe_y": 8, "glb_bytes": {"value": 4096, "source": "s"}}
})";

Template parsedTemplate(const std::string& text, const std::string& file = "dir/mine.json") {
    return readTemplate(JsonDocument::parse(text, file).root());
}

std::string templateRefusal(const std::string& text) {
    return test::messageOf([&] { parsedTemplate(text); });
}

/// The template with another value at a JSON pointer, on one line; a null leaves the field out.
std::string with(const std::string& pointer, const std::string& value) {
    Json json = Json::parse(kFullTemplate);
    const Json::json_pointer at(pointer);
    if (value == "null")
        json[at.parent_pointer()].erase(at.back());
    else
        json[at] = Json::parse(value);
    return json.dump();
}

TEST(Template, readsEveryField) {
    const Template space = parsedTemplate(kFullTemplate);
    EXPECT_EQ(space.id, "mine");
    EXPECT_EQ(space.name, "full é");
    EXPECT_EQ(space.tensorCores, (Range{{1, 2, 4, 8}, "×2"}));
    EXPECT_EQ(space.vectorCores, (Range{{1, 3}, ""}));
    EXPECT_EQ(space.width, (Range{{4, 16}, ""}));
    EXPECT_EQ(space.height, (Range{{2, 4, 8}, "×2"}));
    EXPECT_EQ(space.globalBuffer, (Range{{1024, 4096}, ""}));
    EXPECT_EQ(space.hbm, (Range{{100, 200, 300}, "+100"}));
    EXPECT_EQ(space.rates, (Rates{Hertz{1e9}, BytesPerSecond{1.5e12}, 2}));
    EXPECT_EQ(space.area.tensorElement, 1.5);
    EXPECT_EQ(space.area.l2, (std::vector<BufferArea>{{Bytes{256}, 1}, {Bytes{512}, 2.25}}));
    EXPECT_EQ(space.reference, (Reference{"largest", 4, 1, 16, 8, 4096}));
    EXPECT_FALSE(space.bound.has_value());
    EXPECT_EQ(space.provenance.at("parameters.num_tc.from").source, "table");
    EXPECT_EQ(space.provenance.at("parameters.num_vc[1]"), (Provenance{"", "assumed"}));
    EXPECT_EQ(space.provenance.at("area.l2[1].um2").source, "own");
    EXPECT_EQ(space.provenance.at("bound.glb_bytes").source, "s");
}

TEST(Template, isWrittenBackWithoutLossAndValid) {
    for (const std::string& text : {std::string(kFullTemplate), [] {
                                        Json json = Json::parse(kFullTemplate);
                                        json.erase("bound");
                                        json["bound_mm2"] = 12.5;
                                        return json.dump();
                                    }()}) {
        const Template space = parsedTemplate(text);
        EXPECT_EQ(parsedTemplate(toText(toJson(space))), space);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(text), "template.schema.json"), "");
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(space).dump()), "template.schema.json"), "");
    }
}

TEST(Template, listsItsArchitecturesInOrder) {
    const Template space = parsedTemplate(kFullTemplate);
    const std::vector<Architecture> all = architectures(space);
    ASSERT_EQ(all.size(), 4U * 2 * 2 * 3 * 2);
    EXPECT_EQ(all.size(), architectureCount(space));
    EXPECT_EQ(nameOf(all[0]), "1tc-1vc-4x2-1KiB");
    EXPECT_EQ(nameOf(all[1]), "1tc-1vc-4x2-4KiB");
    EXPECT_EQ(nameOf(all[2]), "1tc-1vc-4x4-1KiB");
    EXPECT_EQ(nameOf(all[6]), "1tc-1vc-16x2-1KiB");
    EXPECT_EQ(nameOf(all[12]), "1tc-3vc-4x2-1KiB");
    EXPECT_EQ(nameOf(all.back()), "8tc-3vc-16x8-4KiB");
    std::set<std::string> names;
    for (const Architecture& architecture : all) names.insert(nameOf(architecture));
    EXPECT_EQ(names.size(), all.size());
}

/// The full template with both bandwidths searched and both interfaces known, but for the power of the links.
std::string withBandwidths() {
    Json json = Json::parse(kFullTemplate);
    json["parameters"]["hbm_bandwidth_bytes_per_s"] = Json::parse(R"([1000, {"value": 2500, "source": "t"}])");
    json["parameters"]["network_bandwidth_bytes_per_s"] = Json::parse(R"({"from": 100, "to": 400, "step": "×2"})");
    json["hbm_interface"] =
        Json::parse(R"({"unit": "stack", "bytes_per_s": 500, "mm2": {"value": 3, "source": "s"}, "watts": 7})");
    json["network_interface"] = Json::parse(R"({"unit": "link", "bytes_per_s": 150, "mm2": 0.5})");
    json["bound"]["network_bandwidth_bytes_per_s"] = 300;
    return json.dump();
}

TEST(Template, readsBandwidthsAndWritesThemBack) {
    const Template space = parsedTemplate(withBandwidths());
    EXPECT_EQ(space.hbmBandwidth, (Range{{1000, 2500}, ""}));
    EXPECT_EQ(space.networkBandwidth, (Range{{100, 200, 400}, "×2"}));
    EXPECT_EQ(space.hbmInterface, (Interface{"stack", BytesPerSecond{500}, SquareMillimetres{3}, Watts{7}}));
    EXPECT_EQ(space.networkInterface, (Interface{"link", BytesPerSecond{150}, SquareMillimetres{0.5}, {}}));
    EXPECT_EQ(space.provenance.at("parameters.hbm_bandwidth_bytes_per_s[1]").source, "t");
    EXPECT_EQ(space.provenance.at("hbm_interface.mm2").source, "s");
    EXPECT_EQ(parsedTemplate(toText(toJson(space))), space);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(withBandwidths()), "template.schema.json"), "");
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(space).dump()), "template.schema.json"), "");
}

TEST(Template, countsWholeUnitsOfInterfaces) {
    const Template space = parsedTemplate(withBandwidths());
    const std::vector<Architecture> all = architectures(space);
    ASSERT_EQ(all.size(), 96U * 6);
    EXPECT_EQ(bandwidthCount(space), 6U);
    EXPECT_EQ(nameOf(all[0]), "1tc-1vc-4x2-1KiB-hbm1e-06GBps-net1e-07GBps");
    EXPECT_EQ(all[1].networkBandwidth, BytesPerSecond{200});
    EXPECT_EQ(all[3].hbmBandwidth, BytesPerSecond{2500});
    EXPECT_EQ(all[5].networkBandwidth, BytesPerSecond{400}) << "the greatest of both comes last";
    EXPECT_EQ(all[6].globalBuffer, Bytes{4096});
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(architectureAt(space, i), all[i]);
    std::set<std::string> names;
    for (const Architecture& architecture : all) names.insert(nameOf(architecture));
    EXPECT_EQ(names.size(), all.size());
    // 2500 B/s are five stacks of 500, 400 B/s three links of 150.
    const Area area = areaOf(all[5], space), bare = areaOf(all[5], space.area);
    EXPECT_EQ(area.hbmInterface, SquareMillimetres{15});
    EXPECT_EQ(area.networkInterface, SquareMillimetres{1.5});
    EXPECT_EQ(area.total(), bare.total() + SquareMillimetres{15} + SquareMillimetres{1.5});
    EXPECT_EQ(interfacePower(all[5], space), Watts{35}) << "of the stacks: that of a link is not known";
    EXPECT_EQ(ratesOf(all[5], space).hbmBandwidth, BytesPerSecond{2500});
    const Architecture reference = architectureOf(space, *space.reference);
    EXPECT_EQ(ratesOf(reference, space).hbmBandwidth, space.rates.hbmBandwidth);
    EXPECT_EQ(areaOf(reference, space).networkInterface, SquareMillimetres{1}) << "two links of 300 B/s";
    EXPECT_EQ(areaBound(space), areaOf(reference, space).total());
    const Template published = loadTemplate("phaze");
    EXPECT_FALSE(interfacePower(architectureAt(published, 0), published).has_value());
}

TEST(Template, namesSizesOfBuffers) {
    EXPECT_EQ(bufferSize(Bytes{34'359'738'368}), "32 GiB");
    EXPECT_EQ(bufferSize(Bytes{1'048'576}), "1 MiB");
    EXPECT_EQ(bufferSize(Bytes{1'536}, ""), "1536B");
    EXPECT_EQ(bufferSize(Bytes{2'048}), "2 KiB");
}

TEST(Template, derivesL2AndBandwidth) {
    const Template space = parsedTemplate(kFullTemplate);
    const Architecture small = architectureOf(space, 1, 1, 4, 2, 1024);
    EXPECT_EQ(small.tensorL2, Bytes{256});  // 8 elements of 16 bytes are below the least
    EXPECT_EQ(small.vectorL2, Bytes{256});
    EXPECT_EQ(small.globalWords, 8);
    const Architecture large = architectureOf(space, 8, 3, 16, 8, 4096);
    EXPECT_EQ(large.tensorL2, Bytes{128 * 16});
    EXPECT_EQ(large.vectorL2, Bytes{256});
    EXPECT_EQ(large.globalWords, 200);  // of 8 * 128 elements
    EXPECT_EQ(peakMacs(large), 1024);
}

TEST(Template, derivesWhatPhazePrints) {
    const Template space = loadTemplate("phaze");
    EXPECT_EQ(architectureCount(space), 13U * 13 * 8 * 8 * 8);
    EXPECT_EQ(space.hbm.values, (std::vector<std::int64_t>{34'359'738'368, 68'719'476'736, 85'899'345'920}));
    // Table 2: {4,1024,256,64,256} with {8 MB, 4096 words}; {1,1024,256,256,256} with L2 of 1 MB and 4 KB.
    EXPECT_EQ(architectureOf(space, 4, 1024, 256, 64, 8 << 20).globalWords, 4096);
    const Architecture one = architectureOf(space, 1, 1024, 256, 256, 8 << 20);
    EXPECT_EQ(one.tensorL2, Bytes{1 << 20});
    EXPECT_EQ(one.vectorL2, Bytes{4096});
    EXPECT_EQ(one.globalWords, 4096);
    // Table 1: at least 4 words per cycle, L2 from 1 KB.
    const Architecture min = architectures(space).front();
    EXPECT_EQ(min.globalWords, 4);
    EXPECT_EQ(min.tensorL2, Bytes{1024});
    EXPECT_EQ(nameOf(architectureOf(space, *space.reference)), "8tc-2vc-128x128-128MiB");
}

struct TemplateFault {
    const char* name;
    std::string text;
    const char* message;
};
void PrintTo(const TemplateFault& wrong, std::ostream* out) {
    *out << wrong.name;
}

class WrongTemplate : public testing::TestWithParam<TemplateFault> {};

TEST_P(WrongTemplate, isRefusedWithOneSentence) {
    EXPECT_EQ(templateRefusal(GetParam().text), std::string("dir/mine.json:1: ") + GetParam().message);
}

std::string tenOf(std::int64_t factor) {
    Json list = Json::array();
    for (std::int64_t i = 1; i <= 10; ++i) list.push_back(factor == 2 ? std::int64_t{1} << i : i);
    return list.dump();
}

std::string millionPoints() {
    Json json = Json::parse(kFullTemplate);
    for (const char* key : {"num_tc", "num_vc", "hbm_bytes"}) json["parameters"][key] = Json::parse(tenOf(1));
    for (const char* key : {"pe_x", "pe_y", "glb_bytes"}) json["parameters"][key] = Json::parse(tenOf(2));
    json["parameters"]["network_bandwidth_bytes_per_s"] = Json::parse(tenOf(1));
    return json.dump();
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongTemplate,
    testing::Values(
        TemplateFault{"anotherKind", with("/schema", R"("tessera.fleet/1")"),
                      "field 'schema' is 'tessera.fleet/1'; expected 'tessera.template/1'"},
        TemplateFault{"noParameter", with("/parameters/pe_x", "null"),
                      "field 'parameters.pe_x' is missing; expected the field to be given"},
        TemplateFault{
            "anotherParameter", with("/parameters/lanes", "[2]"),
            "field 'parameters.lanes' is unknown; expected one of num_tc, num_vc, pe_x, pe_y, glb_bytes, hbm_bytes, "
            "hbm_bandwidth_bytes_per_s, network_bandwidth_bytes_per_s"},
        TemplateFault{"emptyList", with("/parameters/num_tc", "[]"),
                      "field 'parameters.num_tc' is an empty list; expected at least one value"},
        TemplateFault{"emptyRange", with("/parameters/num_tc", R"({"from": 8, "to": 1, "step": "×2"})"),
                      "field 'parameters.num_tc.to' is 1; expected a number of at least 'from', 8"},
        TemplateFault{"neitherListNorSteps", with("/parameters/num_tc", "3"),
                      "field 'parameters.num_tc' is '3'; expected a list of numbers, or {\"from\", \"to\", \"step\"}"},
        TemplateFault{"notReached", with("/parameters/num_tc", R"({"from": 1, "to": 100, "step": "×2"})"),
                      "field 'parameters.num_tc.to' is 100; expected a number that steps of ×2 from 1 reach"},
        TemplateFault{"standingStep", with("/parameters/num_tc", R"({"from": 1, "to": 100, "step": "×1"})"),
                      "field 'parameters.num_tc.step' is '×1'; expected a step such as '×2' or '+8'"},
        TemplateFault{"stepOfWords", with("/parameters/num_tc", R"({"from": 1, "to": 100, "step": "double"})"),
                      "field 'parameters.num_tc.step' is 'double'; expected a step such as '×2' or '+8'"},
        TemplateFault{"tooManySteps", with("/parameters/num_tc", R"({"from": 1, "to": 5000, "step": "+1"})"),
                      "field 'parameters.num_tc' is more; expected at most 1000 values"},
        TemplateFault{"zero", with("/parameters/num_vc", "[0, 1]"),
                      "field 'parameters.num_vc[0]' is '0'; expected a whole number above 0"},
        TemplateFault{"negative", with("/parameters/hbm_bytes", "[-5]"),
                      "field 'parameters.hbm_bytes[0]' is '-5'; expected a whole number above 0"},
        TemplateFault{"fraction", with("/parameters/hbm_bytes", "[1.5]"),
                      "field 'parameters.hbm_bytes[0]' is '1.5'; expected a whole number above 0"},
        TemplateFault{"tooManyCores", with("/parameters/num_tc", "[2000000]"),
                      "field 'parameters.num_tc[0]' is '2000000'; expected a whole number of at most 1048576"},
        TemplateFault{"twice", with("/parameters/num_vc", "[2, 2]"),
                      "field 'parameters.num_vc[1]' is 2; expected a number above 2, the one before it"},
        TemplateFault{"falling", with("/parameters/pe_x", "[8, 4]"),
                      "field 'parameters.pe_x[1]' is 4; expected a number above 8, the one before it"},
        TemplateFault{"noPowerOfTwo", with("/parameters/pe_x", "[8, 12]"),
                      "field 'parameters.pe_x[1]' is 12; expected a power of two"},
        TemplateFault{
            "stepOffThePowers", with("/parameters/pe_y", R"({"from": 2, "to": 8, "step": "+2"})"),
            "field 'parameters.pe_y.step' is '+2', which leads to 6; expected steps from one power of two to the "
            "next"},
        TemplateFault{"oddBuffer", with("/parameters/glb_bytes", "[3000000]"),
                      "field 'parameters.glb_bytes[0]' is 3000000; expected a power of two"},
        TemplateFault{"tenMillionPoints", millionPoints(),
                      "field 'parameters' is a search of 10000000 points or more; expected at most 5000000 points"},
        TemplateFault{
            "fallingBandwidths", with("/parameters/hbm_bandwidth_bytes_per_s", "[2e12, 1e12]"),
            "field 'parameters.hbm_bandwidth_bytes_per_s[1]' is 1000000000000; expected a number above 2000000000000, "
            "the one before it"},
        TemplateFault{"noBandwidths", with("/parameters/network_bandwidth_bytes_per_s", "[]"),
                      "field 'parameters.network_bandwidth_bytes_per_s' is an empty list; expected at least one value"},
        TemplateFault{"interfaceWithoutRate", with("/hbm_interface", R"({"unit": "stack", "mm2": 1})"),
                      "field 'hbm_interface.bytes_per_s' is missing; expected the field to be given"},
        TemplateFault{"interfaceOfNothing", with("/hbm_interface", R"({"unit": "stack", "bytes_per_s": 5, "mm2": 0})"),
                      "field 'hbm_interface.mm2' is '0'; expected a number above 0"},
        TemplateFault{"interfaceWithoutBandwidth",
                      with("/network_interface", R"({"unit": "link", "bytes_per_s": 5, "mm2": 1})"),
                      "field 'network_interface' is an interface without a bandwidth; expected "
                      "'parameters.network_bandwidth_bytes_per_s' beside it"},
        TemplateFault{"noClock", with("/clock_hz", "0"), "field 'clock_hz' is '0'; expected a number above 0"},
        TemplateFault{"oneBufferArea", with("/area/l2", R"([{"bytes": 1024, "um2": 5}])"),
                      "field 'area.l2' is a list of one; expected at least two sizes, so that others can be estimated"},
        TemplateFault{"bufferTwice", with("/area/glb/1/bytes", "1024"),
                      "field 'area.glb[1].bytes' is '1024'; expected a size above that of the entry before it"},
        TemplateFault{
            "shrinkingArea", with("/area/glb/1/um2", "5"),
            "field 'area.glb[1].um2' is '5'; expected an area of at least that of the smaller buffer before it"},
        TemplateFault{
            "noBound", with("/bound", "null"),
            "found a template with neither; expected either an accelerator as 'bound' or an area as 'bound_mm2'"},
        TemplateFault{
            "twoBounds", with("/bound_mm2", "5"),
            "found a template with both; expected either an accelerator as 'bound' or an area as 'bound_mm2'"},
        TemplateFault{"boundOffThePowers", with("/bound/pe_y", "7"),
                      "field 'bound.pe_y' is 7; expected a power of two"},
        TemplateFault{"noParameters", R"({"schema": "tessera.template/1", "name": "p", "parameters": {}})",
                      "field 'parameters.num_tc' is missing; expected the field to be given (and 13 other faults)"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Template, survivesEveryTruncationAndFlippedBytes) {
    const std::string whole = kFullTemplate;
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(templateRefusal(whole.substr(0, length)), "no error") << length;
    RandomStream random(5);
    for (int i = 0; i < 3'000; ++i) {
        std::string text = whole;
        text[random.below(text.size())] = static_cast<char>(random.below(256));
        try {
            const Template space = parsedTemplate(text);
            EXPECT_EQ(parsedTemplate(toText(toJson(space))), space);
            EXPECT_GT(areaBound(space).value, 0);
        } catch (const DataError&) {
            continue;
        }
    }
}

}  // namespace

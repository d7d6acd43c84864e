#include "core/study/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/study/explanation.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A number that a user set in place of `before`.
Json own(const Json& value, const Json& before) {
    return {{"value", value}, {"source", "set by hand on 2026-11-23"}, {"class", "yours"}, {"was", before}};
}

/// Copies of bundled hardware with numbers of one's own, in a folder that goes away with the test.
class OwnNumbersTest : public testing::Test {
protected:
    /// The bundled file with other values at these places.
    std::string edited(const std::string& bundled, const std::vector<std::pair<std::string, Json>>& values) const {
        Json json = Json::parse(readFile(test::sourcePath("data/" + bundled)));
        json["name"] = "Mine";
        for (const auto& [pointer, value] : values) {
            Json& number = json[Json::json_pointer(pointer)];
            number = own(value, number);
        }
        const std::filesystem::path path = folder_ / std::filesystem::path(bundled).filename();
        writeFile(path, toText(json));
        return path.string();
    }
    static Study study(const std::string& engine, const std::string& model, const std::string& hardware) {
        Study made = newStudy(engine);
        (engine == "mapping" ? made.workloads : made.models) = {model};
        made.hardware = {hardware};
        made.seed = 1;
        return made;
    }
    test::ScratchFolder folder_;
};

TEST_F(OwnNumbersTest, ofAFleetAreInTheAssumptionsAndExplained) {
    Study partition =
        study("partition", "zoo:lenet5",
              edited("fleets/a100-h100-mixed.json", {{"/groups/1/count", 16}, {"/links/0/bits_per_s", 4e11}}));
    const Result result = run(partition);
    EXPECT_THAT(result.assumptions,
                Contains("The result rests on 2 numbers of your own: groups[1].count of 'Mine' (was 32), "
                         "links[0].bits_per_s of 'Mine' (was 200000000000)."));
    const Json json = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(json.dump()), "partition-result.schema.json"), "");
    EXPECT_EQ(toJson(readResult(JsonDocument::parse(toText(json), "result.json").root(), partition)), json);
    EXPECT_THAT(json.dump(), HasSubstr(R"("class":"yours","was":{"value":32,"source":"Assumed: four nodes of 8")"));
}

TEST_F(OwnNumbersTest, ofAPlatformAreInTheAssumptions) {
    Study mapping = study("mapping", "vision", edited("platforms/s1.json", {{"/clock_hz", 4e8}}));
    setParameter(mapping, "samples", {"100"});
    setParameter(mapping, "algorithms", {"tessera"});
    EXPECT_THAT(run(mapping).assumptions,
                Contains("The result rests on 1 number of your own: clock_hz of 'Mine' (was 200000000)."));
}

TEST_F(OwnNumbersTest, thatTheStudyOverridesDoNotCount) {
    const std::string platform = edited("platforms/s1.json", {{"/bandwidth_bytes_per_s", 1e9}});
    for (const bool overridden : {false, true}) {
        Study mapping = study("mapping", "vision", platform);
        setParameter(mapping, "samples", {"100"});
        setParameter(mapping, "algorithms", {"tessera"});
        if (overridden) setParameter(mapping, "bandwidth", {"16GB/s"});
        const Result result = run(mapping);
        EXPECT_EQ(testing::Matches(Contains(HasSubstr("of your own")))(result.assumptions), !overridden);
    }
}

TEST_F(OwnNumbersTest, ofATemplateAreInTheAssumptions) {
    Study codesign = study("codesign", "zoo:bert-base", edited("templates/phaze.json", {{"/clock_hz", 1e9}}));
    setParameter(codesign, "accelerators", {"16"});
    setParameter(codesign, "global_batch", {"64"});
    setParameter(codesign, "search", {"random"});
    setParameter(codesign, "samples", {"4"});
    EXPECT_THAT(run(codesign).assumptions,
                Contains("The result rests on 1 number of your own: clock_hz of 'Mine' (was 1050000000)."));
}

TEST_F(OwnNumbersTest, ofAnAcceleratorAreInTheAssumptionsAndCountAsAssumed) {
    const std::string mine = edited("accelerators/h100.json", {{"/memory/1/bandwidth_bytes_per_s", 4e12}});
    const Study predict = study("predict", "zoo:lenet5", mine);
    const Result result = run(predict);
    EXPECT_THAT(result.assumptions,
                Contains("The result rests on 1 number of your own: memory[1].bandwidth_bytes_per_s of 'Mine' (was "
                         "3350000000000)."));
    EXPECT_THAT(result.assumptions,
                Contains("Numbers of your own are taken as they are: the interval of a prediction does not say how "
                         "far they are off."));
    const auto* fastest = fastestPrediction(result.outcome.get<PredictionOutcome>());
    ASSERT_NE(fastest, nullptr);
    EXPECT_EQ(fastest->error.reliability, "assumed");
    const Json json = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(json.dump()), "prediction-result.schema.json"), "");
    EXPECT_EQ(toJson(readResult(JsonDocument::parse(toText(json), "result.json").root(), predict)), json);
}

TEST_F(OwnNumbersTest, areNamedUpToSix) {
    hardware::ProvenanceMap numbers;
    for (int i = 0; i < 8; ++i) numbers["n" + std::to_string(i)] = {.source = "me", .reliability = "yours"};
    numbers["other"] = {.source = "sheet", .reliability = "datasheet"};
    OwnNumbers all;
    all.add("a", numbers);
    all.add("a", numbers);
    EXPECT_EQ(all.count(), 8U);
    EXPECT_EQ(all.sentences(), std::vector<std::string>{
                                   "The result rests on 8 numbers of your own: n0 of 'a', n1 of 'a', n2 of 'a', n3 of "
                                   "'a', n4 of 'a', n5 of 'a', and 2 more."});
    EXPECT_TRUE(OwnNumbers().sentences().empty());
}

}  // namespace
}  // namespace tessera::study

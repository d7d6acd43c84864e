#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Validate : public Cli {
protected:
    Validate() {
        write("v100.csv", "# source: deepbench\nkernel,shape,dtype,seconds\nrelu,1048576,fp32,1.2e-5\n");
        write("steps.csv", "set,id,model,dims,accelerator,metric,value\nmine,first,zoo:gpt,layers=2,a100,step_s,0.5\n");
        write("empty.csv", "one,two\n1,2\n");
    }

    nlohmann::json documentOf(const std::vector<std::string>& arguments) const {
        const Ended ended = tessera(with(with({"validate"}, arguments), {"--json"}));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return nlohmann::json::parse(ended.output);
    }
};

TEST_F(Validate, tellsTheErrorsOfEverySetBesideThePeers) {
    const Ended ended = tessera({"validate", "schedules", "collectives"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output, AllOf(HasSubstr("590 measured rows in 7 sets\n"), HasSubstr("collectives-h100-dgx"),
                                    HasSubstr("zb-2p"), HasSubstr("latency + bytes / bandwidth"),
                                    HasSubstr("Collectives are predicted without any row")));
    EXPECT_THAT(ended.output, Not(HasSubstr("refused, each")));
}

TEST_F(Validate, theDocumentHasSetsAndRowsOfItsSchema) {
    const nlohmann::json document = documentOf({"schedules", "vtrain-multi"});
    EXPECT_EQ(schemaErrors(document, "measured-validation.schema.json"), "");
    EXPECT_EQ(document["schema"], "tessera.validation/2");
    EXPECT_EQ(document["inputs"][0]["name"], "measured/schedules.csv");
    ASSERT_EQ(document["sets"].size(), 2U);
    EXPECT_EQ(document["sets"][0]["set"], "schedules");
    EXPECT_EQ(document["sets"][0]["rows"], 36);
    EXPECT_EQ(document["sets"][1]["predicted"], 55);
    EXPECT_LT(document["sets"][1]["mean_error"], 0.1);
    EXPECT_EQ(document["sets"][1]["baselines"].size(), 3U);
    EXPECT_TRUE(document["sets"][1]["refusals"].empty());
    ASSERT_EQ(document["rows"].size(), 91U);
    EXPECT_TRUE(document["rows"][0]["refused"].is_null());
    EXPECT_GT(document["rows"][90]["predicted"], 0);
    EXPECT_TRUE(document["rows"][90]["refused"].is_null());
}

TEST_F(Validate, takesTablesOfOnesOwnAndFoldersOfThem) {
    EXPECT_EQ(documentOf({"v100.csv"})["sets"][0]["set"], "kernels-v100");
    EXPECT_EQ(documentOf({"steps.csv"})["rows"][0]["id"], "first");
    EXPECT_EQ(documentOf({"steps.csv", "schedules"})["sets"].size(), 2U);
    EXPECT_EQ(documentOf({"steps.csv", "v100.csv", "--set", "mine"})["sets"].size(), 1U);
    std::filesystem::create_directory(path("tables"));
    std::filesystem::rename(path("steps.csv"), path("tables/steps.csv"));
    write("tables/baselines.csv",
          "set,rows,method,mean_error,median_error,worst_error,source\nmine,1,guess,0.5,,,me\n");
    const nlohmann::json document = documentOf({"tables"});
    EXPECT_EQ(document["sets"][0]["baselines"][0]["method"], "guess");
    EXPECT_TRUE(document["sets"][0]["baselines"][0]["worst_error"].is_null());
}

TEST_F(Validate, listsRowsOnRequest) {
    EXPECT_THAT(tessera({"validate", "steps.csv"}).output, Not(HasSubstr("first")));
    EXPECT_THAT(tessera({"validate", "steps.csv", "--rows"}).output,
                AllOf(HasSubstr("first"), HasSubstr("1 refused, each counted as 100 %")));
}

TEST_F(Validate, bytesDoNotDependOnThreads) {
    const std::vector<std::string> collectives{"validate", "collectives", "--json", "--threads"};
    EXPECT_EQ(tessera(with(collectives, {"1"})).output, tessera(with(collectives, {"4"})).output);
}

TEST_F(Validate, wrongInputIsOneSentence) {
    const Ended unknown = tessera({"validate", "kernel"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("there is no set 'kernel'; did you mean 'kernels'?"));
    std::filesystem::create_directory(path("nothing"));
    EXPECT_THAT(tessera({"validate", "nothing"}).errors, HasSubstr("the folder 'nothing' has no measured tables"));
    const Ended columns = tessera({"validate", "empty.csv"});
    EXPECT_EQ(columns.code, 3);
    EXPECT_THAT(columns.errors, testing::StartsWith("empty.csv: header: found 'one,two'; expected the columns "));
    EXPECT_EQ(tessera({"validate", "absent.csv"}).code, 6);
}

}  // namespace
}  // namespace tessera::test

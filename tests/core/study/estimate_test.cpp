#include "core/study/estimate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/core/study/studies.h"

namespace tessera::study {
namespace {

TEST(Estimate, saysHowMuchThereIsToDo) {
    const Estimate found = estimate(test::studyOf({"", "zoo:resnet50", "accpar-heterogeneous"}));
    EXPECT_TRUE(found.problems.empty());
    EXPECT_EQ(
        found.text,
        "54 layers and 16 merge nodes, 15 splits, 4 strategies on 256 accelerators: less than a second on one core");
    EXPECT_GT(found.seconds, 0);
}

TEST(Estimate, namesEveryBrokenRule) {
    Study study = test::studyOf({"", "zoo:alexnet", "v100-a100-upgrade", {{"cost_model", "paper"}}});
    setParameter(study, "pin", {"nobody=II"});
    const Estimate found = estimate(study);
    ASSERT_EQ(found.problems.size(), 2U);
    EXPECT_NE(found.problems[0].find("pin names 'nobody'"), std::string::npos);
    EXPECT_NE(found.problems[1].find("peak_flops.bf16"), std::string::npos);
    EXPECT_EQ(found.seconds, 0);
    study.models = {"zoo:nothing"};
    study.hardware = {"nowhere"};
    EXPECT_EQ(estimate(study).problems.size(), 2U);
    study.models.clear();
    study.engine = "dream";
    EXPECT_EQ(estimate(study).problems.size(), 1U);
}

TEST(Estimate, ofAWrongStudyNeverThrows) {
    Study study = test::studyOf(test::samples().front());
    study.parameters["batch"] = "many";
    EXPECT_FALSE(estimate(study).problems.empty());
    study.parameters["batch"] = -5;
    EXPECT_FALSE(estimate(study).problems.empty());
    study.parameters["batch"] = 512;
    study.parameters["ratio"] = "often";
    EXPECT_FALSE(estimate(study).problems.empty());
}

}  // namespace
}  // namespace tessera::study

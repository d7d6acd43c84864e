#include "core/study/explain_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/model.h"
#include "tests/support/golden.h"

namespace tessera::study {
namespace {

class ExplainModel : public testing::Test {
protected:
    const model::Model model_ = model::loadModel("zoo:resnet18");
    const model::GraphHierarchy fold_ = model::hierarchyOf(*model_.graph());
    const std::vector<model::NodeTotals> totals_ = model::totalsOf(*model_.graph(), fold_);
    const CountedModel counted_{model_, fold_, totals_, 1};
};

TEST_F(ExplainModel, everyCountNamesItsRuleAndWhatItAddsUp) {
    const model::Summary summary = model::summarise(*model_.graph());
    const auto parameters = explainCount(counted_, "parameters");
    ASSERT_TRUE(parameters);
    EXPECT_EQ(parameters->title, "Parameters of resnet18");
    EXPECT_EQ(parameters->exact, std::to_string(*summary.parameters));
    EXPECT_EQ(parameters->exact, "11689512") << "torchvision's";
    EXPECT_NE(parameters->formula.find("each once"), std::string::npos);
    ASSERT_GE(parameters->terms.size(), 2U);
    EXPECT_EQ(parameters->terms[0].name, "20 × Conv") << "what adds most comes first";
    EXPECT_EQ(parameters->terms.back().value, "zoo:resnet18");
    EXPECT_EQ(parameters->source, "Tessera's counting rules");
    EXPECT_EQ(explainCount(counted_, "macs")->exact, std::to_string(*summary.macs));
    EXPECT_EQ(explainCount(counted_, "flops")->exact,
              std::to_string(*summary.flopsMatrix + *summary.flopsVector) + " FLOP");
    const auto activations = explainCount(counted_, "activations");
    EXPECT_EQ(activations->exact, std::to_string(*summary.activationElements));
    EXPECT_EQ(activations->terms[0].name, "batch");
    EXPECT_FALSE(explainCount(counted_, "colour"));
}

TEST_F(ExplainModel, everyClassOfMemoryIsExplained) {
    const auto parts = model::trainingMemory(model_, totals_.front());
    ASSERT_EQ(parts.size(), 6U);
    std::string formulas;
    for (const model::MemoryPart& part : parts) {
        const auto explained = explainMemory(counted_, part.use);
        ASSERT_TRUE(explained) << nameOf(part.use);
        EXPECT_EQ(explained->exact, std::to_string(static_cast<std::int64_t>(*part.bytes)) + " B");
        formulas += std::string(nameOf(part.use)) + ": " + explained->formula + '\n';
    }
    for (const char* count : {"parameters", "macs", "flops", "activations"})
        formulas += std::string(count) + ": " + explainCount(counted_, count)->formula + '\n';
    test::expectGolden(formulas, "tests/data/formulas/model.txt");
    EXPECT_EQ(explainMemory(counted_, model::MemoryUse::optimizer)->exact, std::to_string(8 * 11689512) + " B");
}

}  // namespace
}  // namespace tessera::study

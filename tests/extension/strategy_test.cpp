// A partition strategy is one row: it is chosen, compared, listed, drawn and offered with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/partition/level.h"
#include "core/partition/strategies.h"
#include "core/report/strategy_colour.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "ui/editors/study_form.h"

namespace tessera::partition {
namespace {

using testing::HasSubstr;

/// Every layer split by its input channels, in equal shares.
Split chooseInputs(const Level& level, Elimination& /*elimination*/, const NodeContext& context) {
    Split split;
    split.states.assign(static_cast<std::size_t>(level.network().variables()), 1);
    split.ratio = context.countShare;
    split.value = level.cost(split.states, split.ratio, {Combine::Kind::sum});
    return split;
}

class ToyStrategy : public testing::Test {
protected:
    static void SetUpTestSuite() {
        addStrategy({.id = "inputs",
                     .title = "All inputs",
                     .description = "Every layer split by its input channels.",
                     .choose = chooseInputs,
                     .colour = 3,
                     .baseline = false});
    }
};

TEST_F(ToyStrategy, isListedByTheCommandLine) {
    EXPECT_THAT(test::printed({"partition", "--help"}), HasSubstr("dp, inputs"));
}

TEST_F(ToyStrategy, isComparedWithTheOthersAndBoundByThem) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:lenet5"};
    study.hardware = {"accpar-heterogeneous"};
    study::setParameter(study, "strategies", {"accpar,inputs"});
    const Json json = study::toJson(study::run(study));
    const Json& strategies = json.at("strategies");
    ASSERT_TRUE(strategies.contains("inputs")) << json.dump(1).substr(0, 2000);
    EXPECT_GE(strategies.at("inputs").at("step_time_s"), strategies.at("accpar").at("step_time_s"));
}

TEST_F(ToyStrategy, isPrintedAndReported) {
    const std::string text = test::printed({"partition", "--model", "zoo:lenet5", "--fleet", "accpar-heterogeneous",
                                            "--strategy", "inputs,dp", "--no-store", "--no-progress"});
    EXPECT_THAT(text, HasSubstr("inputs"));
}

TEST_F(ToyStrategy, isDrawnAsItsRowSays) {
    EXPECT_EQ(report::strategyColour("inputs"), report::strategyColour("de")) << "both say the fourth colour";
    EXPECT_FALSE(report::isBaseline("inputs"));
}

TEST_F(ToyStrategy, isOfferedByTheForm) {
    const auto* parameter = study::findParameter(study::engineNamed("partition").parameters(), "strategies");
    ASSERT_NE(parameter, nullptr);
    EXPECT_TRUE(ui::fieldOf(*parameter)->words.contains(QStringLiteral("inputs")));
}

}  // namespace
}  // namespace tessera::partition

// A mapping algorithm is one row: it is run, set, listed, drawn, resumed and offered with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/mapping/search.h"
#include "core/report/strategy_colour.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "ui/editors/study_form.h"

namespace tessera::mapping {
namespace {

using testing::HasSubstr;

/// All jobs in their order, on the cores in turn, `stride` further at every try.
Search startTurns(Trial& trial, const Json& state) {
    const auto stride = static_cast<std::size_t>(trial.setting("stride"));
    const auto tried = std::make_shared<std::size_t>(state.is_null() ? 0 : state.at("tried").get<std::size_t>());
    return {.step =
                [=](Trial& run) {
                    Mapping mapping;
                    for (std::size_t job = 0; job < run.jobs(); ++job) {
                        mapping.core.push_back(static_cast<std::int32_t>((job + *tried) % run.cores()));
                        mapping.priority.push_back(static_cast<double>(job) / static_cast<double>(run.jobs()));
                    }
                    run.evaluate(mapping);
                    *tried += stride;
                    run.generation();
                    return *tried < run.cores();
                },
            .state =
                [=] {
                    return Json{{"tried", *tried}};
                }};
}

class ToyAlgorithm : public testing::Test {
protected:
    static void SetUpTestSuite() {
        addAlgorithm({.id = "turns",
                      .title = "In turns",
                      .description = "Jobs to the cores in turn.",
                      .settings = {{.name = "stride",
                                    .fallback = 1,
                                    .min = 1,
                                    .max = 9,
                                    .whole = true,
                                    .help = "cores by which the next try begins later"}},
                      .source = "a test",
                      .colour = 5,
                      .start = startTurns});
    }
    static study::Study toyStudy() {
        study::Study study = study::newStudy("mapping");
        study.workloads = {"mix"};
        study.hardware = {"s1"};
        study::setParameter(study, "group_size", {"20"});
        study::setParameter(study, "algorithms", {"turns"});
        return study;
    }
};

TEST_F(ToyAlgorithm, isListedByTheCommandLine) {
    EXPECT_THAT(test::printed({"map", "--help"}), HasSubstr("ai-mt-like, turns"));
}

TEST_F(ToyAlgorithm, isRunWithItsSettings) {
    const Json json = study::toJson(study::run(toyStudy()));
    EXPECT_EQ(json.at("samples"), 4) << "a try for each of S1's cores";
    study::Study wide = toyStudy();
    study::setParameter(wide, "settings", {"turns.stride=2"});
    EXPECT_EQ(study::toJson(study::run(wide)).at("samples"), 2);
    EXPECT_THROW(study::setParameter(wide, "settings", {"turns.step=2"}), UsageError);
}

TEST_F(ToyAlgorithm, goesOnFromItsCheckpoints) {
    std::vector<Json> states;
    study::RunContext context;
    context.checkpoint = [&](const Json& state) { states.push_back(state); };
    const Json whole = study::toJson(study::run(toyStudy(), context));
    ASSERT_FALSE(states.empty());
    study::RunContext resumed;
    resumed.resume = states.front();
    EXPECT_EQ(study::toJson(study::run(toyStudy(), resumed)), whole);
}

TEST_F(ToyAlgorithm, isPrinted) {
    const std::string text =
        test::printed({"map", "--workload", "mix", "--platform", "s1", "--group-size", "20", "--algorithm",
                       "turns,random", "--samples", "40", "--no-store", "--no-progress"});
    EXPECT_THAT(text, HasSubstr("turns"));
}

TEST_F(ToyAlgorithm, isDrawnAsItsRowSays) {
    EXPECT_EQ(report::strategyColour("turns"), report::strategyColour("random")) << "both say the sixth colour";
    EXPECT_TRUE(report::isBaseline("turns"));
}

TEST_F(ToyAlgorithm, isOfferedByTheForm) {
    const std::vector<study::Parameter>& parameters = study::engineNamed("mapping").parameters();
    EXPECT_TRUE(ui::fieldOf(*study::findParameter(parameters, "algorithms"))->words.contains(QStringLiteral("turns")));
}

}  // namespace
}  // namespace tessera::mapping

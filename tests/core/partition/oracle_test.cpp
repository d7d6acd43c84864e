// The oracle cases of tests/data/accpar: optima proven by enumeration in an independent program.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/partition/bound.h"
#include "core/partition/hierarchy.h"
#include "core/partition/level.h"
#include "core/partition/partition.h"
#include "core/partition/ratio.h"
#include "tests/core/partition/problems.h"
#include "tests/support/accpar_cases.h"

namespace tessera::partition {
namespace {

using test::AccparCase;
constexpr double kTolerance = 1e-9;

Options optionsOf(const AccparCase& testCase) {
    const auto& json = testCase.json;
    const auto& rules = json.contains("pair") ? json.at("pair") : json.at("options");
    Options options;
    options.batch = testCase.batch;
    options.strategies = {"accpar"};
    options.psum = rules.at("psum") == "conv" ? Psum::conv : Psum::next;
    options.flop = rules.at("flop") == "table6" ? FlopRule::table6 : FlopRule::exact;
    options.computation = rules.value("computation", true);
    options.join = json.value("join", std::string("free")) == "next" ? JoinRule::next : JoinRule::free;
    if (json.contains("alpha")) {
        options.ratio = RatioRule::fixed;
        options.fixedRatio = json.at("alpha");
    }
    const std::string objective = json.value("objective", std::string("max"));
    options.objective = objective == "sum" ? Objective::sum : objective == "i" ? Objective::side : Objective::max;
    options.levels = 1;
    return options;
}

hardware::Fleet pairOf(const AccparCase& testCase) {
    const auto& pair = testCase.json.at("pair");
    return test::pairFleet(pair.at("c_i"), pair.at("c_j"), pair.at("b_i"), pair.at("b_j"));
}

class FixedRatioCase : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(FixedRatioCase, costsWhatEnumerationProvedAndPicksTheSameTypes) {
    const AccparCase testCase = test::loadAccparCase(GetParam());
    const Result result = solve(testCase.graph, pairOf(testCase), optionsOf(testCase));
    const Plan& plan = result.plans.at(0);
    const auto& expect = testCase.json.at("expect");
    const double cost = expect.at("cost");
    EXPECT_NEAR(plan.cost.value, cost, kTolerance * cost);
    EXPECT_TRUE(plan.optimal);
    EXPECT_EQ(plan.gap, 0);
    if (expect.value("n_optimal", 2) > 1) return;
    std::map<std::string, std::string> types;
    for (const LayerPlan& layer : plan.levels.at(0).layers)
        types[result.names[static_cast<std::size_t>(layer.layer)]] = nameOf(layer.type);
    for (std::size_t k = 0; k < testCase.layerNames.size(); ++k)
        EXPECT_EQ(types.at(testCase.layerNames[k]), expect.at("types")[k]) << testCase.layerNames[k];
}

std::string nameOfCase(const testing::TestParamInfo<std::filesystem::path>& info) {
    return info.param.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Chains, FixedRatioCase, testing::ValuesIn(test::accparCases("chain_fixed")), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Residual, FixedRatioCase, testing::ValuesIn(test::accparCases("residual_fixed")), nameOfCase);
INSTANTIATE_TEST_SUITE_P(RealNetworks, FixedRatioCase, testing::ValuesIn(test::accparCases("real_homog")), nameOfCase);

class RatioCase : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RatioCase, findsAndProvesTheGlobalOptimum) {
    const AccparCase testCase = test::loadAccparCase(GetParam());
    Options options = optionsOf(testCase);
    options.ratio = RatioRule::balanced;
    const Plan plan = solve(testCase.graph, pairOf(testCase), options).plans.at(0);
    const double optimum = testCase.json.at("expect").at("global_optimum").at("value");
    EXPECT_NEAR(plan.cost.value, optimum, kTolerance * optimum);
    EXPECT_LE(plan.lowerBound.value, optimum * (1 + kTolerance));
    EXPECT_TRUE(plan.optimal) << "gap " << plan.gap;
    // The step counts each side's compute on its own shard, which has a few additions less than its share of the whole.
    EXPECT_LE(plan.stepTime.value, plan.cost.value * (1 + kTolerance));
    EXPECT_GE(plan.stepTime.value, plan.cost.value * 0.99);
}

TEST_P(RatioCase, alternatesAsTheIndependentProgramDoes) {
    const AccparCase testCase = test::loadAccparCase(GetParam());
    Options options = optionsOf(testCase);
    for (const auto& [rule, key] :
         {std::pair(RatioRule::alternating, "alternating_exact"), std::pair(RatioRule::eq10, "alternating_eq10")}) {
        options.ratio = rule;
        const Plan plan = solve(testCase.graph, pairOf(testCase), options).plans.at(0);
        const double value = testCase.json.at("expect").at(key).at("value");
        EXPECT_NEAR(plan.cost.value, value, 1e-6 * value) << key;
    }
}

INSTANTIATE_TEST_SUITE_P(All, RatioCase, testing::ValuesIn(test::accparCases("ratio")), nameOfCase);

class ArrayCase : public testing::TestWithParam<std::filesystem::path> {
protected:
    void SetUp() override {
        testCase_ = test::loadAccparCase(GetParam());
        options_ = optionsOf(testCase_);
        options_.levels.reset();
        rule_ = testCase_.json.at("options").at("rule");
        paper_ = testCase_.json.at("options").at("comm") == "linear";
        if (paper_) options_.costModel = CostModel::paper;
        options_.ratio = rule_ == "half" ? RatioRule::equal : RatioRule::alternating;
    }

    hardware::Fleet fleet(bool mixed) const {
        const auto& kinds = testCase_.json.at("accelerators");
        const auto make = [&](const std::string& kind) {
            return test::group(kind, kinds.at(kind).at("flops"), kinds.at(kind).at("bw"), 128);
        };
        if (mixed) return test::fleetOf({make("v2"), make("v3")});
        return test::fleetOf({make("v3")});
    }

    /// The bound as it is computed, before a plan cuts it at its own time.
    double rawBound(const std::string& strategy, bool mixed) const {
        const Network network = prepare(testCase_.graph, options_);
        const Array array = makeArray(fleet(mixed), options_.dtype);
        const Allowed any;
        const Strategy& row = *findStrategy(paper_ && strategy == "accpar" ? "accpar-paper" : strategy);
        return boundStepTime({&network, &array, &options_, &any}, row, paper_ ? CostModel::paper : CostModel::exact);
    }

    /// Step time of the listed ratios, types and joins, evaluated by our cost model.
    double reevaluate(const nlohmann::json& levels, bool mixed);

    AccparCase testCase_;
    Options options_;
    std::string rule_;
    bool paper_ = false;
};

/// A listed plan, replayed as a strategy. Nodes come root first, then down the first kind, then down the second: the
/// order of the file.
struct Listed {
    const nlohmann::json* levels = nullptr;
    const AccparCase* testCase = nullptr;
    std::size_t position = 0;
    double worstExcess = 0;  ///< of our own best types' cost over the listed ones', on the same tensors
} listed;

Split chooseListed(const Level& level, Elimination& elimination, const NodeContext&) {
    const nlohmann::json& row = listed.levels->at(listed.position++);
    Split split;
    split.states.assign(static_cast<std::size_t>(level.network().variables()), 0);
    split.ratio = row.at("alpha");
    const std::string types = row.at("types");
    for (std::size_t k = 0; k < types.size(); ++k)
        split.states[test::indexOf(listed.testCase->graph, listed.testCase->layerNames[k])] =
            static_cast<std::uint8_t>(types[k] - '1');
    const std::string joins = row.at("joins");
    for (std::size_t k = 0; k < joins.size(); ++k)
        split.states[test::indexOf(listed.testCase->graph, listed.testCase->joinNames[k])] =
            static_cast<std::uint8_t>(std::string("rcd").find(joins[k]));
    split.value = level.cost(split.states, split.ratio, {});
    const Split ours = bestTypes(level, elimination, split.ratio, {}, {});
    listed.worstExcess = std::max(listed.worstExcess, ours.value / split.value - 1);
    return split;
}

double ArrayCase::reevaluate(const nlohmann::json& levels, bool mixed) {
    listed = {&levels, &testCase_};
    const Network network = prepare(testCase_.graph, options_);
    const Array array = makeArray(fleet(mixed), options_.dtype);
    const Strategy row{"listed", "Listed", "", chooseListed, paper_, true};
    const Allowed any;
    NodeContext context;
    context.options = &options_;
    context.pinned = &any;
    return solveHierarchy(network, array, row, options_, context).stepTime;
}

TEST_P(ArrayCase, listedPlansTakeTheListedStepTime) {
    for (const auto& [name, expected] : testCase_.json.at("expect").items()) {
        for (const bool mixed : {true, false}) {
            const auto& levels = expected.at(mixed ? "levels_hetero" : "levels_homog");
            if (levels.is_null()) continue;
            const double step = expected.at(mixed ? "step_hetero" : "step_homog");
            EXPECT_NEAR(reevaluate(levels, mixed), step, kTolerance * step) << name << (mixed ? " mixed" : " equal");
            EXPECT_LE(listed.worstExcess, 1e-12) << name << ": our types cost more on the same tensors";
        }
    }
}

TEST_P(ArrayCase, everyStrategyTakesTheListedStepTime) {
    const std::map<std::string, std::string> ids{
        {"DP", "dp"}, {"OWT", "owt"}, {"HyPar", "hypar"}, {"AccPar", "accpar"}};
    for (const auto& [name, expected] : testCase_.json.at("expect").items()) {
        for (const bool mixed : {true, false}) {
            options_.strategies = {ids.at(name)};
            const Plan plan = solve(testCase_.graph, fleet(mixed), options_).plans.at(0);
            const double step = expected.at(mixed ? "step_hetero" : "step_homog");
            // Ties between equally good types at one level may lead to different levels below: up to 1 % is such a tie.
            const double tolerance = name == "DP" || name == "OWT" ? kTolerance : 0.01;
            EXPECT_NEAR(plan.stepTime.value, step, tolerance * step) << name << (mixed ? " mixed" : " equal");
            EXPECT_LE(rawBound(ids.at(name), mixed), step * (1 + kTolerance)) << name << (mixed ? " mixed" : " equal");
            EXPECT_GT(plan.lowerBound.value, 0) << name;
            RecordProperty(name + (mixed ? "_mixed_ratio" : "_equal_ratio"),
                           std::to_string(plan.stepTime.value / step));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(ExactHalf, ArrayCase, testing::ValuesIn(test::accparCases("array_exact_half")), nameOfCase);
INSTANTIATE_TEST_SUITE_P(ExactExact, ArrayCase, testing::ValuesIn(test::accparCases("array_exact_exact")), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Paperlike, ArrayCase, testing::ValuesIn(test::accparCases("array_paperlike")), nameOfCase);

}  // namespace
}  // namespace tessera::partition

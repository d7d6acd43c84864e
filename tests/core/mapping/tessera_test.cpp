// Our own search: against all mappings of small tables, against the best known of the reference's, and its promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/mapping/mapping.h"
#include "tests/core/mapping/tables.h"

using namespace tessera;
using namespace tessera::mapping;

namespace {

Options optionsOf(std::int64_t samples, std::uint64_t seed, Objective objective = Objective::throughput) {
    Options options;
    options.algorithms = {"tessera"};
    options.samples = samples;
    options.seed = seed;
    options.objective = objective;
    return options;
}

mapping::Run runOf(const Problem& problem, const Options& options) {
    return solve(problem, options).runs.front();
}

TEST(Tessera, findsTheBestOfAllMappingsOfSmallTables) {
    RandomStream random(21);
    for (int n = 0; n < 12; ++n) {
        const Problem problem = test::randomTable(random, 2 + random.below(4), 1 + random.below(3));
        for (const Objective objective :
             {Objective::throughput, Objective::latency, Objective::energy, Objective::edp, Objective::weighted}) {
            const Options options = optionsOf(3000, 1, objective);
            const Bound bound = lowerBound(problem, objective, options.weights);
            const double best = test::bruteForce(problem, objective, options.weights, bound);
            const mapping::Run run = runOf(problem, options);
            EXPECT_NEAR(run.value, best, 1e-9 * best) << nameOf(objective) << " of table " << n;
            EXPECT_LE(run.samples, 3000);
        }
    }
}

struct Case {
    std::string table;
    double bandwidth;
    /// Least makespan in the reference's published runs and in a million samples of simulated annealing on the same
    /// table (best_known.json and results.csv of the reference data), cycles.
    double bestKnown;
    bool atBound = false;
};

void expectBeaten(const Case& known) {
    const Problem problem = test::magmaTable(known.table, known.bandwidth);
    double sum = 0;
    constexpr int kSeeds = 5;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const mapping::Run run = runOf(problem, optionsOf(10'000, seed));
        sum += run.value;
        EXPECT_LE(run.samples, 10'000);
        EXPECT_EQ(run.value, evaluate(problem, run.mapping).makespan);
        if (!known.atBound) continue;
        EXPECT_TRUE(run.optimal);
        EXPECT_EQ(run.endedBy, EndedBy::proof);
        EXPECT_LE(run.samples, 10);
    }
    EXPECT_LE(sum / kSeeds, known.bestKnown * 1.005) << known.table << " " << known.bandwidth;
}

TEST(Tessera, comesCloseToTheBestKnownWithFewSamples) {
    expectBeaten({"S1_recom_insts0", 16, 114'190.60670689172});
    expectBeaten({"S2_mix_insts0", 16, 1'900'083.8037020955});
    expectBeaten({"S2_mix_insts0", 1, 1'982'834.780041638});
}

TEST(Tessera, comesCloseToTheBestKnownOfEveryReferenceCase) {
    TESSERA_NEEDS_SHARED("magma/job_tables");
    expectBeaten({"S2_vision_insts0", 16, 2'947'232});
    expectBeaten({"S4_mix_insts0", 1, 2'157'048.527993071});
    expectBeaten({"S1_lang_insts0", 16, 1'354'146});
    expectBeaten({"S1_mix_insts0", 16, 1'871'874.15894705});
    expectBeaten({"S1_vision_insts0", 16, 7'128'601, true});
    expectBeaten({"S4_vision_insts0", 256, 1'679'617, true});
    expectBeaten({"S4_mix_insts0", 256, 1'679'617, true});
    expectBeaten({"S6_mix_insts0", 16, 1'679'617});
    expectBeaten({"S3_recom_insts0", 1, 748'618.578125, true});
}

TEST(Tessera, endsAtOnceWhereOneLongJobIsTheBound) {
    RandomStream random(22);
    Problem problem = test::randomTable(random, 30, 4);
    std::fill_n(problem.latency.begin(), 4, 1e6);
    std::fill(problem.requiredBandwidth.begin(), problem.requiredBandwidth.end(), 0);
    const mapping::Run run = runOf(problem, optionsOf(10'000, 1));
    EXPECT_TRUE(run.optimal);
    EXPECT_EQ(run.endedBy, EndedBy::proof);
    EXPECT_LE(run.samples, 3);
}

TEST(Tessera, isNeverWorseThanItsWarmStart) {
    const Problem problem = test::magmaTable("S2_mix_insts0", 1);
    Options options = optionsOf(20'000, 1);
    const mapping::Run first = runOf(problem, options);
    options.samples = 50;
    options.seed = 9;
    options.warmStart = {first.mapping};
    EXPECT_LE(runOf(problem, options).value, first.value);
}

TEST(Tessera, answersForOneJobOneCoreAndMoreCoresThanJobs) {
    RandomStream random(23);
    for (const auto& [jobs, cores] : {std::pair{1, 1}, {1, 7}, {9, 1}, {2, 40}}) {
        Problem problem = test::randomTable(random, static_cast<std::size_t>(jobs), static_cast<std::size_t>(cores));
        problem.energy.clear();
        for (const std::int64_t samples : {1, 2, 300}) {
            const Result result = solve(problem, optionsOf(samples, 1));
            EXPECT_LE(result.runs.front().samples, samples);
            EXPECT_GE(result.runs.front().value, result.bound.objective * (1 - 1e-12));
        }
    }
}

TEST(Tessera, goesOnFromEveryStateToTheSameEnd) {
    const Problem problem = test::magmaTable("S1_recom_insts0", 16);
    for (const Objective objective : {Objective::throughput, Objective::latency}) {
        const Options options = optionsOf(30'000, 3, objective);
        std::vector<Json> states;
        SearchControl control;
        control.checkpoint = [&](const Json& state) { states.push_back(state); };
        const Result whole = solve(problem, options, control);
        ASSERT_FALSE(states.empty());
        const std::size_t stride = std::max<std::size_t>(1, states.size() / 6);
        for (std::size_t s = 0; s < states.size(); s += stride) {
            SearchControl again;
            again.resume = Json::parse(states[s].dump());
            EXPECT_EQ(solve(problem, options, again), whole) << "state " << s << " of " << states.size();
        }
    }
}

}  // namespace

// Lower bounds: never above what the best of all mappings has, and close to it where the literature's are not.
#include "core/mapping/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/mapping/load_program.h"
#include "tests/core/mapping/tables.h"
#include "tests/support/sanitizers.h"

using namespace tessera;
using namespace tessera::mapping;

namespace {

constexpr std::array kObjectives{Objective::throughput, Objective::latency, Objective::energy, Objective::edp,
                                 Objective::weighted};

TEST(Bound, isNeverAboveTheBestOfAllMappings) {
    RandomStream random(11);
    constexpr Weights kWeights{.makespan = 1, .latency = 0.5, .energy = 2};
    int tight = 0;
    for (int n = 0; n < 150; ++n) {
        const Problem problem = test::randomTable(random, 1 + random.below(4), 1 + random.below(3));
        for (const Objective objective : kObjectives) {
            const Bound bound = lowerBound(problem, objective, kWeights);
            const double best = test::bruteForce(problem, objective, kWeights, bound);
            ASSERT_LE(bound.objective, best * (1 + 1e-12)) << nameOf(objective) << " of table " << n;
            ASSERT_GT(bound.objective, 0);
            if (objective == Objective::throughput && bound.objective > best * (1 - 1e-9)) ++tight;
            ASSERT_GE(bound.makespan, std::max({bound.longestJob, bound.load, bound.bandwidth}) * (1 - 1e-9));
        }
    }
    EXPECT_GT(tight, 60);  // of 150
}

TEST(Bound, ofTheReferenceTablesIsCloseToTheBestKnown) {
    // Best known makespans of the reference's results after a million samples.
    const Bound recommendation = lowerBound(test::magmaTable("S1_recom_insts0", 16));
    EXPECT_GT(recommendation.makespan, 111'625);
    EXPECT_LT(recommendation.makespan, 114'190.6);
    EXPECT_LT(114'190.6 / recommendation.makespan, 1.001);
    EXPECT_EQ(recommendation.method, "load and bandwidth combined");
    const Bound mix = lowerBound(test::magmaTable("S2_mix_insts0", 1));
    EXPECT_GT(mix.makespan, 1'919'881);
    EXPECT_LT(mix.makespan, 1'982'834.78);
    EXPECT_LT(1'982'834.78 / mix.makespan, 1.003);
}

TEST(Bound, countsWhatLongJobsLeaveOfTheBandwidthTogether) {
    // Two long jobs of 0.3 of the bandwidth each and twelve short ones of 2: one after the other on the third core they
    // take 48 cycles at 2.6, and what is left of the long ones 52 more.
    Problem problem;
    problem.cores = {"x", "y", "z"};
    problem.bandwidth = 1;
    for (int job = 0; job < 14; ++job) {
        problem.jobs.push_back(std::to_string(job));
        problem.latency.insert(problem.latency.end(), 3, job < 2 ? 100 : 4);
        problem.requiredBandwidth.insert(problem.requiredBandwidth.end(), 3, job < 2 ? 0.3 : 2);
    }
    EXPECT_NEAR(lowerBound(problem).makespan, 48 * 2.6 + 52, 1e-9);
    const mapping::Run run = solve(problem, {.samples = 2000}).runs.front();
    EXPECT_TRUE(run.optimal) << run.value;
}

TEST(Bound, tollsAreNeverAboveWhatAScheduleTakes) {
    RandomStream random(12);
    std::size_t rows = 0;
    const int tables = test::kSanitized ? 20 : 200;
    for (int n = 0; n < tables; ++n) {
        Problem problem = test::randomTable(random, 13 + random.below(20), 2 + random.below(4));
        const std::size_t cores = problem.cores.size(), longJobs = random.below(5);
        for (std::size_t p = 0; p < problem.latency.size(); ++p) {
            const bool isLong = p / cores < longJobs;
            problem.latency[p] *= isLong ? 20 : 1;
            problem.requiredBandwidth[p] = problem.bandwidth * random.uniform() * (isLong ? 0.3 : 3);
        }
        const double bound = lowerBound(problem).makespan;
        for (int draw = 0; draw < 5; ++draw) {
            Mapping mapping;
            for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
                mapping.core.push_back(static_cast<std::int32_t>(random.below(cores)));
                mapping.priority.push_back(random.uniform());
            }
            if (draw == 0) mapping = solve(problem, {.samples = 300}).runs.front().mapping;
            const double makespan = evaluate(problem, mapping).makespan;
            for (const std::vector<double>& row : tolls(problem, makespan)) {
                double sum = 0;
                for (std::size_t j = 0; j < problem.jobs.size(); ++j)
                    sum += row[problem.pair(j, static_cast<std::size_t>(mapping.core[j]))];
                ASSERT_LE(sum, makespan * (1 + 1e-12)) << "table " << n << ", draw " << draw;
                ++rows;
            }
            ASSERT_LE(bound, makespan * (1 + 1e-12)) << "table " << n;
        }
    }
    EXPECT_GT(rows, 15U * static_cast<unsigned>(tables));
}

TEST(Bound, namesWhatItRestsOn) {
    Problem problem;
    problem.jobs = {"a", "b"};
    problem.cores = {"x", "y"};
    problem.latency = {10, 10, 1, 1};
    problem.requiredBandwidth = {0, 0, 0, 0};
    problem.bandwidth = 1;
    EXPECT_EQ(lowerBound(problem).method, "longest job");
    EXPECT_NEAR(lowerBound(problem).makespan, 10, 1e-9);
    problem.jobs = {"a", "b", "c", "d"};
    problem.latency.assign(8, 10);
    problem.requiredBandwidth.assign(8, 0);
    EXPECT_EQ(lowerBound(problem).method, "load");
    EXPECT_NEAR(lowerBound(problem).makespan, 20, 1e-9);
    problem.requiredBandwidth.assign(8, 1);
    EXPECT_EQ(lowerBound(problem).method, "bandwidth");
    EXPECT_NEAR(lowerBound(problem).makespan, 40, 1e-9);
    // Three equal jobs on two equal cores: no fraction of a job helps.
    problem.jobs.resize(3);
    problem.latency.resize(6);
    problem.requiredBandwidth.assign(6, 0);
    EXPECT_NEAR(lowerBound(problem).makespan, 20, 1e-9);
}

TEST(Bound, answersForLargeTables) {
    RandomStream random(12);
    const Problem many = test::randomTable(random, 5000, 16);
    const Bound bound = lowerBound(many);
    EXPECT_GT(bound.makespan, 0);
    EXPECT_LE(bound.makespan, evaluate(many, test::randomMapping(random, many)).makespan);
    const Problem wide = test::randomTable(random, 20, 500);
    EXPECT_GT(lowerBound(wide).makespan, 0);
}

/// Whatever the weights, the dual value is a bound of the program; the simplex method must reach the greatest.
TEST(LoadProgram, hasNoBetterWeightsThanItsOwn) {
    RandomStream random(13);
    for (int n = 0; n < 200; ++n) {
        LoadProgram program;
        program.items = 1 + random.below(12);
        program.options = 1 + random.below(4);
        program.rows = 1 + random.below(5);
        program.use.resize(program.items * program.options * program.rows);
        for (double& use : program.use) use = random.below(3) == 0 ? 0 : 10 * random.uniform();
        program.allowed.resize(program.items * program.options);
        for (std::size_t p = 0; p < program.allowed.size(); ++p)
            program.allowed[p] = p % program.options == 0 || random.below(4) != 0 ? 1 : 0;
        const LoadSolution solution = solveLoad(program, 1e8);
        EXPECT_TRUE(solution.exact);
        for (int other = 0; other < 200; ++other) {
            std::vector<double> weights = solution.weights;
            for (double& weight : weights)
                weight = other < 100 ? random.uniform() : weight * (0.95 + 0.1 * random.uniform());
            EXPECT_LE(loadValue(program, weights), solution.value * (1 + 1e-9) + 1e-12);
        }
        // No choice of one option each is below it.
        for (int choice = 0; choice < 200; ++choice) {
            std::vector<double> load(program.rows);
            for (std::size_t j = 0; j < program.items; ++j) {
                std::size_t option = random.below(program.options);
                if (program.allowed[j * program.options + option] == 0) option = 0;
                for (std::size_t r = 0; r < program.rows; ++r)
                    load[r] += program.use[(j * program.options + option) * program.rows + r];
            }
            EXPECT_GE(*std::max_element(load.begin(), load.end()), solution.value);
        }
        if (HasFailure()) break;
    }
}

/// What Cancel and Finish rest on: work after the answer is counted, not timed.
TEST(Bound, makesDoWithWhatItHasWhenThatIsEnough) {
    RandomStream random(31);
    const Problem problem = test::randomTable(random, 1000, 16);
    std::int64_t asked = 0;
    const Bound whole = lowerBound(problem, Objective::throughput, {}, [&] {
        ++asked;
        return false;
    });
    EXPECT_EQ(whole, lowerBound(problem));
    const std::int64_t all = asked;
    Options options;
    options.algorithms = {"tessera"};
    options.samples = 2000;
    const double reached = solve(problem, options).runs.front().value;
    EXPECT_GT(all, 200) << "asked too seldom to be heard in time";
    for (const std::int64_t after : {std::int64_t{1}, all / 2}) {
        asked = 0;
        const Bound early = lowerBound(problem, Objective::throughput, {}, [&] { return ++asked >= after; });
        EXPECT_LE(asked, after + 10);
        EXPECT_GE(early.makespan, std::max(early.longestJob, early.bandwidth));
        EXPECT_LE(early.makespan, reached);
    }
    struct Enough {};
    EXPECT_THROW(lowerBound(problem, Objective::throughput, {}, []() -> bool { throw Enough{}; }), Enough);
}

}  // namespace

#include "core/partition/joint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "core/base/number.h"

namespace tessera::partition {
namespace {

double pick(std::mt19937_64& random, double from, double to) {
    return from + (to - from) * std::uniform_real_distribution<double>(0, 1)(random);
}

std::size_t pickCount(std::mt19937_64& random, int from, int to) {
    return static_cast<std::size_t>(std::uniform_int_distribution<int>(from, to)(random));
}

/// A few vertices of a few states in a chain with edges across, some forbidden pairs, and a capacity that binds in half
/// of the cases.
JointProblem smallJoint(std::mt19937_64& random) {
    JointProblem problem;
    const std::size_t kinds = pickCount(random, 1, 3), vertices = pickCount(random, 1, 6);
    for (std::size_t k = 0; k < kinds; ++k) {
        problem.kinds.emplace_back();
        const std::size_t states = pickCount(random, 1, 4);
        for (std::size_t s = 0; s < states; ++s)
            problem.kinds[k].push_back({pick(random, 0, 10), pick(random, -4, 12), pick(random, 0, 5)});
    }
    for (std::size_t v = 0; v < vertices; ++v)
        problem.vertices.push_back(static_cast<std::int32_t>(pickCount(random, 0, static_cast<int>(kinds) - 1)));
    const auto join = [&](std::size_t from, std::size_t to) {
        const std::size_t size =
            problem.kinds[toIndex(problem.vertices[from])].size() * problem.kinds[toIndex(problem.vertices[to])].size();
        std::vector<double> table;
        for (std::size_t i = 0; i < size; ++i)
            table.push_back(pickCount(random, 0, 19) == 0 ? kInfinity : pick(random, 0, 6));
        problem.edges.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to),
                                 static_cast<std::int32_t>(problem.tables.size())});
        problem.tables.push_back(std::move(table));
    };
    for (std::size_t v = 1; v < vertices; ++v) join(v - 1, v);
    for (std::size_t extra = pickCount(random, 0, 3); extra > 0 && vertices > 1; --extra) {
        const std::size_t from = pickCount(random, 0, static_cast<int>(vertices) - 2);
        join(from, pickCount(random, static_cast<int>(from) + 1, static_cast<int>(vertices) - 1));
    }
    if (pickCount(random, 0, 1) == 0) problem.capacity = pick(random, 0, 3.5) * static_cast<double>(vertices);
    return problem;
}

/// The least step of all plans that fit; nothing where none does.
std::optional<double> bruteForce(const JointProblem& problem) {
    std::optional<double> best;
    std::vector<std::int32_t> states(problem.vertices.size(), 0);
    while (true) {
        const JointCost cost = jointCost(problem, states);
        const double seconds = std::max(cost.first, cost.second);
        if (cost.memory <= problem.capacity && seconds < kInfinity && (!best || seconds < *best)) best = seconds;
        std::size_t v = 0;
        for (; v < states.size(); ++v) {
            if (toIndex(++states[v]) < problem.kinds[toIndex(problem.vertices[v])].size()) break;
            states[v] = 0;
        }
        if (v == states.size()) return best;
    }
}

TEST(Joint, FindsWhatBruteForceFinds) {
    std::mt19937_64 random(7);
    int fitting = 0, bound = 0;
    for (int round = 0; round < 4000; ++round) {
        const JointProblem problem = smallJoint(random);
        const std::optional<double> best = bruteForce(problem);
        const JointSolution solution = solveJoint(problem, 1e9);
        if (!best) {
            EXPECT_FALSE(solution.fits && solution.seconds < kInfinity) << round;
            continue;
        }
        ++fitting;
        bound += problem.capacity < kInfinity ? 1 : 0;
        EXPECT_TRUE(solution.fits) << round;
        EXPECT_TRUE(solution.proven) << round;
        EXPECT_NEAR(solution.seconds, *best, 1e-8 * std::max(1.0, std::fabs(*best))) << round;
        const JointCost cost = jointCost(problem, solution.states);
        EXPECT_EQ(solution.seconds, std::max(cost.first, cost.second)) << round;
        EXPECT_LE(cost.memory, problem.capacity) << round;
    }
    EXPECT_GT(fitting, 2500);
    EXPECT_GT(bound, 700);
}

TEST(Joint, ClaimsNoMoreThanItKnows) {
    std::mt19937_64 random(11);
    int open = 0;
    for (int round = 0; round < 2000; ++round) {
        const JointProblem problem = smallJoint(random);
        const std::optional<double> best = bruteForce(problem);
        const JointSolution solution = solveJoint(problem, 0);
        if (!best) continue;
        EXPECT_FALSE(solution.noneFits) << round;
        const double slack = 1e-8 * std::max(1.0, std::fabs(*best));
        if (!solution.fits) continue;
        EXPECT_LE(solution.lowerBound, *best + slack) << round;
        EXPECT_GE(solution.seconds, *best - slack) << round;
        if (solution.proven) {
            EXPECT_NEAR(solution.seconds, *best, slack) << round;
        }
        open += solution.proven ? 0 : 1;
    }
    EXPECT_GT(open, 20);  // else nothing was left to claim
}

TEST(Joint, BoundsGraphsThatAreTooWide) {
    // A clique: every message but the first few would be too large.
    std::mt19937_64 random(3);
    JointProblem problem;
    problem.kinds.emplace_back();
    for (int s = 0; s < 12; ++s) problem.kinds[0].push_back({pick(random, 0, 1), pick(random, 0, 1), 0});
    problem.vertices.assign(10, 0);
    for (std::int32_t from = 0; from < 10; ++from)
        for (std::int32_t to = from + 1; to < 10; ++to) {
            problem.edges.push_back({from, to, static_cast<std::int32_t>(problem.tables.size())});
            problem.tables.emplace_back();
            for (int i = 0; i < 144; ++i) problem.tables.back().push_back(pick(random, 0, 1));
        }
    const JointSolution solution = solveJoint(problem, 0);
    EXPECT_LE(solution.lowerBound, solution.seconds);
    EXPECT_GT(solution.lowerBound, 0);
    EXPECT_FALSE(solution.proven);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::int32_t> states;
        for (int v = 0; v < 10; ++v) states.push_back(static_cast<std::int32_t>(pickCount(random, 0, 11)));
        const JointCost cost = jointCost(problem, states);
        EXPECT_GE(std::max(cost.first, cost.second), solution.lowerBound);
    }
}

}  // namespace
}  // namespace tessera::partition

#include "core/plan/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/rules.h"
#include "tests/core/plan/problems.h"
#include "tests/core/plan/reference.h"
#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

/// Three groups, far more unequal than any on the market, and a model of more layers than brute force over all
/// configurations could look at; heads of a few layers' time.
Problem unlikeGroups(PlanRandom& random) {
    physical::TrainingRun run = planRun("zoo:llama", {{"layers", std::to_string(random.within(6, 13))},
                                                      {"hidden", "2048"},
                                                      {"heads", "16"},
                                                      {"ffn", "4096"},
                                                      {"sequence", "1024"},
                                                      {"vocabulary", std::to_string(random.within(1, 8) * 20000)}});
    Problem problem =
        problemOf(planFleet({planGroup("h100", 8), planGroup("a100", 8), planGroup("l40s", 8)}), run, 12, {"bf16"});
    for (PlanGroup& group : problem.groups) {
        physical::Device& device = group.variants.front().setting.device;
        device.bandwidth *= std::pow(10, random.between(-1.5, 0.5));
        for (auto& [dtype, peak] : device.peaks) peak *= std::pow(10, random.between(-1, 1));
        const double all = 18 * physical::parametersOf(problem.model()).total;
        setMemory(group, group.variants.front().allowance + all * random.between(0.15, 1.5));
        group.pricePerHour = random.between(1, 10);
    }
    return problem;
}

Configuration stackedAtRandom(PlanRandom& random) {
    const int data = random.oneOf(std::vector{1, 2, 3});
    Configuration at{.pipeline = 0, .data = data};
    std::vector<std::size_t> groups{0, 1, 2};
    std::swap(groups[0], groups[static_cast<std::size_t>(random.below(3))]);
    std::swap(groups[1], groups[static_cast<std::size_t>(random.within(1, 2))]);
    if (!random.isOneOf(3)) groups.pop_back();
    for (const std::size_t group : groups) {
        at.parts.push_back({group, random.within(1, 2), data, 12 / data});
        at.pipeline += at.parts.back().stages;
    }
    return at;
}

Configuration sideBySideAtRandom(PlanRandom& random) {
    Configuration at{.pipeline = random.within(1, 4)};
    const int first = random.within(1, 8 / at.pipeline), second = random.within(1, 8 / at.pipeline);
    at.data = first + second;
    at.parts = {{0, at.pipeline, first, 1}, {1, at.pipeline, second, 1}};
    return at;
}

Configuration pipelineAtRandom(PlanRandom& random) {
    Configuration at{.pipeline = random.within(1, 4), .data = random.within(1, 2)};
    at.parts = {{static_cast<std::size_t>(random.below(2)), at.pipeline, at.data, 12 / at.data}};
    if (at.pipeline > 1 && random.isOneOf(2))
        at.schedule = random.oneOf(std::vector{physical::PipelineSchedule::gpipe, physical::PipelineSchedule::zbH1,
                                               physical::PipelineSchedule::zbH2, physical::PipelineSchedule::zb2p});
    return at;
}

/// Whether a configuration fits, judged as by trying all divisions and shares.
bool isJudgedAsByBruteForce(const Problem& problem, const Configuration& at) {
    PlanReference reference(problem);
    const std::optional<double> least = reference.leastSeconds(at, PlanReference::kAnyBytes);
    const Judgement judgement = Judge(problem, at).judge(at, {.layers = true, .memory = true});
    EXPECT_EQ(judgement.fits, least.has_value()) << shortText(at);
    if (!judgement.fits) {
        const double share = reference.minShare(at);
        EXPECT_NEAR(judgement.shortage.total() / judgement.shortage.capacity, share, 1e-9 * share) << shortText(at);
        return false;
    }
    if (!least) return false;
    EXPECT_NEAR(judgement.scores.of(Objective::time), *least, 1e-9 * *least) << shortText(at);
    const Configuration whole = judgement.shared(at);
    const std::optional<Scores> scores = reference.scoresOf(whole, judgement.layers, judgement.recomputed);
    EXPECT_TRUE(scores.has_value()) << shortText(at);
    for (std::size_t i = 0; scores && i < kObjectives; ++i)
        EXPECT_NEAR(judgement.scores.values[i], scores->values[i], 1e-9 * scores->values[i]) << shortText(at);
    return true;
}

TEST(Judge, findsTheBestDivisionOnFarUnequalGroups) {
    PlanRandom random(31);
    int fitting = 0;
    const int cases = test::randomCases(1500);
    for (int i = 0; i < cases && !HasFailure(); ++i) {
        SCOPED_TRACE("case " + std::to_string(i));
        const Problem problem = unlikeGroups(random);
        Configuration at = random.isOneOf(3)   ? pipelineAtRandom(random)
                           : random.isOneOf(2) ? stackedAtRandom(random)
                                               : sideBySideAtRandom(random);
        at.recompute = static_cast<Recomputation>(random.below(4));
        at.zero = at.pipeline > 1 ? random.below(2) : random.below(4);
        if (at.data == 1) at.zero = 0;
        if (faultOf(problem, at) != Fault::none) continue;
        fitting += isJudgedAsByBruteForce(problem, at) ? 1 : 0;
    }
    EXPECT_GT(fitting, cases / 3);
}

/// The pipeline with fewer or more stages on each of its parts.
Configuration widened(PlanRandom& random, Configuration at, int sign) {
    at.pipeline = 0;
    for (Part& part : at.parts) {
        part.stages = std::clamp(part.stages + sign * random.within(0, 2), 1, 8 / part.replicas);
        at.pipeline += part.stages;
    }
    return at;
}

/// A bound is one: no division of a pipeline through several groups scores less.
TEST(Judge, boundsWhatNoDivisionBeats) {
    PlanRandom random(32);
    for (int i = 0; i < test::randomCases(1500); ++i) {
        const Problem problem = unlikeGroups(random);
        Configuration at = stackedAtRandom(random);
        at.recompute = static_cast<Recomputation>(random.below(4));
        if (faultOf(problem, at) != Fault::none) continue;
        Judge judge(problem, at);
        constexpr Wanted kWanted{.layers = false, .memory = true};
        const Scores bound = judge.bound(at, kWanted);
        const Judgement judgement = judge.judge(at, kWanted);
        if (!judgement.fits) continue;
        for (std::size_t n = 0; n < kObjectives; ++n)
            ASSERT_LE(bound.values[n], judgement.scores.values[n] * (1 + 1e-12)) << "case " << i << " objective " << n;
        for (const double value : bound.values) ASSERT_GT(value, 0);
        const Scores ofMany = judge.boundOfStages(widened(random, at, -1), widened(random, at, 1));
        for (std::size_t n = 0; n < kObjectives; ++n)
            ASSERT_LE(ofMany.values[n], bound.values[n] * (1 + 1e-12)) << "case " << i << " objective " << n;
    }
}

}  // namespace
}  // namespace tessera::plan

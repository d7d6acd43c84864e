#include "core/plan/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/plan/rules.h"
#include "tests/core/plan/random_problem.h"
#include "tests/core/plan/reference.h"
#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

constexpr std::size_t kTime = 0;

std::string configurationText(const Configuration& configuration) {
    std::string text = shortText(configuration);
    for (const Part& part : configuration.parts)
        text += " [group " + std::to_string(part.group) + ": " + std::to_string(part.stages) + " stages of " +
                std::to_string(part.replicas) + " replicas, " + std::to_string(part.microBatches) + " micro-batches]";
    return text;
}

void expectNear(const Scores& found, const Scores& expected, const std::string& what) {
    for (std::size_t i = 0; i < kObjectives; ++i)
        EXPECT_NEAR(found.values[i], expected.values[i], 1e-9 * expected.values[i]) << what << " objective " << i;
}

/// All configurations of a random plan, each judged alone and compared with what core/physical says.
class BruteForce {
public:
    explicit BruteForce(const RandomPlan& plan) : plan_(plan), reference_(plan.problem) {
        forEachConfiguration(plan.problem, plan.space, [&](const Configuration& each) { look(each); });
    }

    std::vector<Ranked> fitting;
    std::int64_t all = 0;
    double leastShortage = std::numeric_limits<double>::infinity();
    std::int64_t unfit = 0;

private:
    void look(const Configuration& each) {
        ++all;
        const Judgement judgement = judgeOf(each).judge(each, {.layers = true, .memory = true});
        const std::optional<double> least = reference_.leastSeconds(each);
        ASSERT_EQ(judgement.fits, least.has_value()) << configurationText(each);
        if (!judgement.fits) return lookAtShortage(each, judgement.shortage);
        const double seconds = judgement.scores.of(Objective::time);
        ASSERT_NEAR(seconds, *least, 1e-9 * seconds) << configurationText(each);
        Configuration whole = each;
        for (std::size_t i = 0; i < judgement.microBatches.size(); ++i)
            whole.parts[i].microBatches = judgement.microBatches[i];
        ASSERT_EQ(std::accumulate(judgement.layers.begin(), judgement.layers.end(), 0), plan_.problem.layers());
        const std::optional<Scores> scores = reference_.scoresOf(whole, judgement.layers);
        ASSERT_TRUE(scores) << configurationText(each);
        expectNear(judgement.scores, *scores, configurationText(each));
        fitting.push_back({whole, judgement.scores});
    }

    void lookAtShortage(const Configuration& each, const Shortage& shortage) {
        ++unfit;
        EXPECT_GT(shortage.total(), shortage.capacity) << configurationText(each);
        const double share = reference_.leastShare(each);
        EXPECT_NEAR(shortage.total() / shortage.capacity, share, 1e-9 * share) << configurationText(each);
        leastShortage = std::min(leastShortage, shortage.total() / shortage.capacity);
    }

    Judge& judgeOf(const Configuration& c) {
        auto& judge = judges_[{c.dtype, c.tensor, c.context, c.expert, c.micro, static_cast<int>(c.recompute)}];
        if (!judge) judge = std::make_unique<Judge>(plan_.problem, c);
        return *judge;
    }

    const RandomPlan& plan_;
    PlanReference reference_;
    std::map<std::tuple<std::size_t, int, int, int, int, int>, std::unique_ptr<Judge>> judges_;
};

/// The scores of what is not wanted are not compared: memory is computed only where it is.
std::vector<double> valuesOf(const std::vector<Ranked>& ranked, Objective objective) {
    std::vector<double> values;
    for (const Ranked& each : ranked) values.push_back(each.scores.of(objective));
    return values;
}

std::vector<double> bestValues(const std::vector<Ranked>& all, const SearchOptions& options) {
    std::vector<double> values = valuesOf(all, options.objective);
    std::sort(values.begin(), values.end());
    values.resize(std::min(values.size(), options.top));
    return values;
}

using Pair = std::pair<double, double>;

Pair pairOf(const Ranked& ranked, const SearchOptions& options) {
    return {ranked.scores.of(options.front.first), ranked.scores.of(options.front.second)};
}

/// Pairs of values that no other beats, rising.
std::vector<Pair> frontValues(const std::vector<Ranked>& all, const SearchOptions& options) {
    std::vector<Pair> pairs;
    for (const Ranked& each : all) pairs.push_back(pairOf(each, options));
    std::sort(pairs.begin(), pairs.end());
    std::vector<Pair> front;
    for (const Pair& each : pairs)
        if (front.empty() || each.second < front.back().second) front.push_back(each);
    return front;
}

void expectSame(const Found& found, const BruteForce& all, const SearchOptions& options) {
    std::vector<Ranked> inTime, late;
    for (const Ranked& each : all.fitting)
        (each.scores.values[kTime] > options.longestStep.value_or(1e300) ? late : inTime).push_back(each);
    EXPECT_EQ(valuesOf(found.top, options.objective), bestValues(inTime, options));
    std::vector<Pair> front;
    for (const Ranked& each : found.front) front.push_back(pairOf(each, options));
    EXPECT_EQ(front, frontValues(inTime, options));
    const Counted& counted = found.counted;
    const std::int64_t unfit = counted.parameters + counted.activations + counted.working;
    EXPECT_EQ(counted.all, all.all);
    EXPECT_EQ(unfit + counted.bounded + counted.late + counted.fitting, counted.all);
    EXPECT_EQ(found.ended, EndedBy::proof);
    if (counted.bounded > 0) return;
    EXPECT_EQ(unfit, all.unfit);
    EXPECT_EQ(counted.late, static_cast<std::int64_t>(late.size()));
    EXPECT_EQ(counted.fitting, static_cast<std::int64_t>(inTime.size()));
    EXPECT_EQ(found.closest.has_value(), all.unfit > 0);
    if (found.closest) {
        EXPECT_EQ(found.closest->second.total() / found.closest->second.capacity, all.leastShortage);
    }
    EXPECT_EQ(found.fastestLate.has_value(), !late.empty());
    if (found.fastestLate) {
        const SearchOptions fastest{.objective = Objective::time, .longestStep = {}, .top = 1};
        EXPECT_EQ(found.fastestLate->scores.values[kTime], bestValues(late, fastest).front());
    }
}

/// What is found is among all, with the scores that it has there.
void expectAmong(const Found& found, const BruteForce& all, Objective objective) {
    std::map<Configuration, Scores> known;
    for (const Ranked& each : all.fitting) known.emplace(each.configuration, each.scores);
    for (const Ranked& each : found.top) {
        const auto at = known.find(each.configuration);
        ASSERT_NE(at, known.end()) << configurationText(each.configuration);
        EXPECT_EQ(at->second.of(objective), each.scores.of(objective));
        EXPECT_EQ(at->second.values[kTime], each.scores.values[kTime]);
    }
}

struct Tally {
    int fitting = 0, infeasible = 0, bounded = 0, mixedBest = 0;
};

void lookAtRandomPlan(PlanRandom& random, Tally& tally) {
    RandomPlan plan = randomPlan(random);
    const BruteForce all(plan);
    if (!all.fitting.empty() && random.isOneOf(3))
        plan.options.longestStep = random.oneOf(all.fitting).scores.values[kTime];
    const Found found = search(plan.problem, plan.space, plan.options, {.threads = 1});
    expectSame(found, all, plan.options);
    expectAmong(found, all, plan.options.objective);
    ++(all.fitting.empty() ? tally.infeasible : tally.fitting);
    tally.bounded += found.counted.bounded > 0 ? 1 : 0;
    tally.mixedBest += !found.top.empty() && found.top.front().configuration.parts.size() > 1 ? 1 : 0;
}

TEST(Search, findsWhatBruteForceFinds) {
    PlanRandom random(2026);
    Tally tally;
    const int cases = test::randomCases(2200);
    for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("case " + std::to_string(i));
        lookAtRandomPlan(random, tally);
    }
    EXPECT_GT(tally.fitting, cases / 2);
    EXPECT_GT(tally.infeasible, cases / 50);
    EXPECT_GT(tally.bounded, cases / 50);
    EXPECT_GT(tally.mixedBest, cases / 50);
}

}  // namespace
}  // namespace tessera::plan

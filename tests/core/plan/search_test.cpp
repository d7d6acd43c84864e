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

#include "core/plan/evaluate.h"
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

    /// Looks at the divisions that hold least, where these are asked for.
    void lookAtMemory() {
        const SearchOptions& options = plan_.options;
        const std::vector<Objective> wanted{options.objective, options.front.first, options.front.second};
        if (std::find(wanted.begin(), wanted.end(), Objective::memory) == wanted.end()) return;
        const double longest = options.longestStep.value_or(std::numeric_limits<double>::infinity());
        for (const auto& [each, seconds] : all_)
            if (seconds <= longest) lookAtMemory(each, longest);
    }

    /// Each as its step is shortest, and as its fullest accelerator holds least in time. What recomputes by stage and
    /// on all stages alike is left out where the space has that anyway.
    std::vector<Ranked> fitting, emptiest;
    std::int64_t all = 0, unfit = 0;
    double minShortage = std::numeric_limits<double>::infinity();
    int perStage = 0, reordered = 0, whole = 0;

    std::int64_t late(double longest) const {
        return std::count_if(all_.begin(), all_.end(), [&](const auto& each) { return each.second > longest; });
    }
    std::int64_t fits() const { return static_cast<std::int64_t>(all_.size()); }

private:
    bool allows(const Configuration& each, int replicas) const {
        return allowsReplicas(plan_.problem, plan_.space, each, replicas);
    }

    Judgement judgementOf(const Configuration& each, const Wanted& wanted) {
        if (!each.isSideBySide()) return judgeOf(each).judge(each, wanted);
        return judgeOf(each).judgeUpTo(
            each, [&](int replicas) { return allows(each, replicas); }, wanted);
    }

    std::optional<double> leastSecondsOf(const Configuration& each, double bytes) {
        if (!each.isSideBySide()) return reference_.leastSeconds(each, bytes);
        return reference_.leastSecondsUpTo(
            each, [&](int replicas) { return allows(each, replicas); }, bytes);
    }

    void look(const Configuration& each) {
        ++all;
        const Judgement judgement = judgementOf(each, {.layers = true, .memory = true});
        const std::optional<double> least = leastSecondsOf(each, PlanReference::kAnyBytes);
        ASSERT_EQ(judgement.fits, least.has_value()) << configurationText(each);
        if (!judgement.fits) return lookAtShortage(each, judgement.shortage);
        const double seconds = judgement.scores.of(Objective::time);
        ASSERT_NEAR(seconds, *least, 1e-9 * seconds) << configurationText(each);
        all_.emplace_back(each, seconds);
        if (const auto ranked = rankedOf(each, judgement)) fitting.push_back(*ranked);
        perStage += each.recompute == Recomputation::perStage ? 1 : 0;
        reordered += each.order == physical::RankOrder::dataLast ? 1 : 0;
        whole += each.wholeExperts ? 1 : 0;
    }

    /// A judgement whose scores are those of its layers.
    std::optional<Ranked> rankedOf(const Configuration& each, const Judgement& judgement) {
        const Configuration shared = judgement.shared(each);
        EXPECT_EQ(std::accumulate(judgement.layers.begin(), judgement.layers.end(), 0), plan_.problem.layers());
        const std::optional<Scores> scores = reference_.scoresOf(shared, judgement.layers, judgement.recomputed);
        EXPECT_TRUE(scores) << configurationText(each);
        if (!scores) return std::nullopt;
        expectNear(judgement.scores, *scores, configurationText(each));
        const auto alike = alikeOf(judgement.layers, judgement.recomputed);
        if (each.recompute == Recomputation::perStage && alike &&
            plan_.space.allows(Axis::recompute, static_cast<int>(*alike)))
            return std::nullopt;
        return Ranked{shared, judgement.scores};
    }

    void lookAtMemory(const Configuration& each, double longest) {
        constexpr double kRounding = 1e-9;
        const double least =
            reference_.minBytes(each, longest, [&](double bytes) { return leastSecondsOf(each, bytes); });
        const Judgement judgement =
            judgementOf(each, {.layers = true, .memory = true, .bytes = least * (1 + kRounding)});
        ASSERT_TRUE(judgement.fits) << configurationText(each);
        ASSERT_NEAR(judgement.scores.of(Objective::memory), least, kRounding * least) << configurationText(each);
        const double seconds = leastSecondsOf(each, least).value();
        ASSERT_NEAR(judgement.scores.of(Objective::time), seconds, kRounding * seconds) << configurationText(each);
        if (const auto ranked = rankedOf(each, judgement)) emptiest.push_back(*ranked);
    }

    void lookAtShortage(const Configuration& each, const Shortage& shortage) {
        ++unfit;
        EXPECT_GT(shortage.total(), shortage.capacity) << configurationText(each);
        const double share = reference_.minShare(each);
        EXPECT_NEAR(shortage.total() / shortage.capacity, share, 1e-9 * share) << configurationText(each);
        minShortage = std::min(minShortage, shortage.total() / shortage.capacity);
    }

    Judge& judgeOf(const Configuration& c) {
        auto& judge =
            judges_[{c.dtype, c.tensor, c.context, c.expert, c.wholeExperts, c.micro, static_cast<int>(c.recompute)}];
        if (!judge) judge = std::make_unique<Judge>(plan_.problem, c);
        return *judge;
    }

    const RandomPlan& plan_;
    PlanReference reference_;
    std::map<std::tuple<std::size_t, int, int, int, bool, int, int>, std::unique_ptr<Judge>> judges_;
    std::vector<std::pair<Configuration, double>> all_;  // that fit, with the seconds of a step
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

std::vector<Ranked> inTime(const std::vector<Ranked>& all, const SearchOptions& options) {
    std::vector<Ranked> found;
    for (const Ranked& each : all)
        if (each.scores.values[kTime] <= options.longestStep.value_or(1e300)) found.push_back(each);
    return found;
}

/// Values that a division was chosen for are the same to rounding.
void expectAlike(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * expected[i]);
}

/// The front of divisions for time and for memory, where either is asked for.
std::vector<Ranked> candidatesOfFront(const BruteForce& all, const SearchOptions& options) {
    std::vector<Ranked> candidates;
    const bool ofFirst = options.front.first == Objective::memory, ofSecond = options.front.second == Objective::memory;
    if (!ofFirst || !ofSecond) candidates = inTime(all.fitting, options);
    if (ofFirst || ofSecond) candidates.insert(candidates.end(), all.emptiest.begin(), all.emptiest.end());
    return candidates;
}

void expectSameFront(const Found& found, const BruteForce& all, const SearchOptions& options) {
    std::vector<Pair> front;
    for (const Ranked& each : found.front) front.push_back(pairOf(each, options));
    const std::vector<Pair> expected = frontValues(candidatesOfFront(all, options), options);
    const bool ofMemory = options.front.first == Objective::memory || options.front.second == Objective::memory;
    if (!ofMemory) {
        EXPECT_EQ(front, expected);
        return;
    }
    // What is alike to rounding may be a point or not.
    for (const auto& [points, others] : {std::pair(front, expected), std::pair(expected, front)})
        for (const Pair& each : points)
            EXPECT_TRUE(std::any_of(others.begin(), others.end(), [&](const Pair& other) {
                return other.first <= each.first * (1 + 1e-8) && other.second <= each.second * (1 + 1e-8);
            }));
}

void expectSame(const Found& found, const BruteForce& all, const SearchOptions& options) {
    const bool ofMemory = options.objective == Objective::memory;
    expectAlike(valuesOf(found.top, options.objective),
                bestValues(ofMemory ? all.emptiest : inTime(all.fitting, options), options));
    expectSameFront(found, all, options);
    const Counted& counted = found.counted;
    const std::int64_t unfit = counted.parameters + counted.activations + counted.working;
    EXPECT_EQ(counted.all, all.all);
    EXPECT_EQ(unfit + counted.bounded + counted.late + counted.fitting, counted.all);
    EXPECT_EQ(found.ended, EndedBy::proof);
    if (counted.bounded > 0) return;
    const std::int64_t late = all.late(options.longestStep.value_or(1e300));
    EXPECT_EQ(unfit, all.unfit);
    EXPECT_EQ(counted.late, late);
    EXPECT_EQ(counted.fitting, all.fits() - late);
    EXPECT_EQ(found.closest.has_value(), all.unfit > 0);
    if (found.closest) {
        EXPECT_EQ(found.closest->second.total() / found.closest->second.capacity, all.minShortage);
    }
    EXPECT_EQ(found.fastestLate.has_value(), late > 0);
}

/// What is found is among all, with the scores that it has there.
void expectAmong(const Problem& problem, const Found& found, const BruteForce& all, Objective objective) {
    std::map<Configuration, Scores> known;
    for (const Ranked& each : objective == Objective::memory ? all.emptiest : all.fitting)
        known.emplace(each.configuration, each.scores);
    for (const Ranked& each : found.top) {
        const auto at = known.find(each.configuration);
        ASSERT_NE(at, known.end()) << configurationText(each.configuration);
        EXPECT_NEAR(at->second.of(objective), each.scores.of(objective), 1e-9 * each.scores.of(objective));
        const Scores again = evaluate(problem, each.configuration, each.bytes).scores;
        EXPECT_EQ(again.of(objective), each.scores.of(objective)) << configurationText(each.configuration);
        EXPECT_EQ(again.values[kTime], each.scores.values[kTime]) << configurationText(each.configuration);
    }
}

struct Tally {
    int fitting = 0, infeasible = 0, bounded = 0, mixedBest = 0, perStage = 0, reordered = 0, whole = 0,
        throughThree = 0;
};

void lookAtRandomPlan(PlanRandom& random, Tally& tally) {
    RandomPlan plan = randomPlan(random);
    BruteForce all(plan);
    if (!all.fitting.empty() && random.isOneOf(3))
        plan.options.longestStep = random.oneOf(all.fitting).scores.values[kTime];
    all.lookAtMemory();
    const Found found = search(plan.problem, plan.space, plan.options, {.threads = 1});
    expectSame(found, all, plan.options);
    expectAmong(plan.problem, found, all, plan.options.objective);
    ++(all.fitting.empty() ? tally.infeasible : tally.fitting);
    tally.bounded += found.counted.bounded > 0 ? 1 : 0;
    tally.mixedBest += !found.top.empty() && found.top.front().configuration.parts.size() > 1 ? 1 : 0;
    tally.throughThree += std::any_of(found.top.begin(), found.top.end(), [](const Ranked& each) {
        return each.configuration.isStacked() && each.configuration.parts.size() > 2;
    });
    tally.perStage += all.perStage > 0 ? 1 : 0;
    tally.reordered += all.reordered > 0 ? 1 : 0;
    tally.whole += all.whole > 0 ? 1 : 0;
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
    EXPECT_GE(tally.throughThree, cases / 200);
    EXPECT_GT(tally.perStage, cases / 6);
    EXPECT_GT(tally.reordered, cases / 20);
    EXPECT_GT(tally.whole, cases / 50);
}

}  // namespace
}  // namespace tessera::plan

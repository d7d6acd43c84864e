#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/plan/rules.h"
#include "core/plan/search.h"
#include "tests/core/plan/random_problem.h"
#include "tests/support/sanitizers.h"
#include "tests/support/work.h"

namespace tessera::plan {
namespace {

/// All that a search says, to be compared.
auto saidOf(const Found& found) {
    std::vector<std::tuple<Configuration, std::array<double, kObjectives>>> ranked;
    for (const auto* list : {&found.top, &found.front})
        for (const Ranked& each : *list) ranked.emplace_back(each.configuration, each.scores.values);
    if (found.fastestLate) ranked.emplace_back(found.fastestLate->configuration, found.fastestLate->scores.values);
    const Counted& c = found.counted;
    const std::vector<std::int64_t> counted{c.all,     c.parameters, c.activations, c.working,
                                            c.bounded, c.late,       c.fitting};
    std::optional<std::tuple<Configuration, int, std::size_t, double>> closest;
    if (found.closest)
        closest.emplace(found.closest->first, found.closest->second.stage, found.closest->second.group,
                        found.closest->second.total());
    return std::tuple(ranked, counted, closest, found.top.size(), found.ended);
}

TEST(Searches, areTheSameWithAnyNumberOfThreads) {
    PlanRandom random(5);
    for (int i = 0; i < test::randomCases(200); ++i) {
        RandomPlan plan = randomPlan(random);
        const Found alone = search(plan.problem, plan.space, plan.options, {.threads = 1});
        if (!alone.top.empty() && random.isOneOf(2))
            plan.options.longestStep = alone.top.front().scores.of(Objective::time) * random.between(0.9, 1.5);
        const auto said = saidOf(search(plan.problem, plan.space, plan.options, {.threads = 1}));
        for (const unsigned threads : {2U, 5U})
            ASSERT_EQ(saidOf(search(plan.problem, plan.space, plan.options, {.threads = threads})), said)
                << "case " << i << " with " << threads << " threads";
    }
}

/// What is nearest to what was asked for, where nothing is found.
std::pair<std::optional<Configuration>, std::optional<Configuration>> whyNothingOf(const Found& found) {
    std::pair<std::optional<Configuration>, std::optional<Configuration>> why;
    if (found.closest) why.first = found.closest->first;
    if (found.fastestLate) why.second = found.fastestLate->configuration;
    return why;
}

TEST(Searches, forTheBestAloneFindTheFirstOfAll) {
    PlanRandom random(11);
    for (int i = 0; i < test::randomCases(400); ++i) {
        RandomPlan plan = randomPlan(random);
        for (std::size_t o = 0; o < kObjectives; ++o) {
            plan.options.objective = static_cast<Objective>(o);
            plan.options.longestStep.reset();
            const Found all = search(plan.problem, plan.space, plan.options, {.threads = 1});
            if (!all.top.empty() && random.isOneOf(3))
                plan.options.longestStep = all.top.back().scores.of(Objective::time) * random.between(0.7, 1.1);
            const Found late = search(plan.problem, plan.space, plan.options, {.threads = 1});
            for (const unsigned threads : {1U, 3U}) {
                const Found best = searchBest(plan.problem, plan.space, plan.options, {.threads = threads});
                ASSERT_EQ(best.counted.all, late.counted.all) << "case " << i;
                ASSERT_EQ(best.top.empty(), late.top.empty()) << "case " << i;
                if (late.top.empty()) {
                    ASSERT_EQ(whyNothingOf(best), whyNothingOf(late)) << "case " << i;
                    continue;
                }
                ASSERT_EQ(best.top.size(), 1U);
                ASSERT_EQ(best.top[0].configuration, late.top[0].configuration)
                    << "case " << i << ", " << kObjectiveNames.of(plan.options.objective) << ": "
                    << shortText(best.top[0].configuration) << " instead of " << shortText(late.top[0].configuration);
            }
        }
    }
}

/// Llama 3.1 405B on 512 H100 and 512 H200.
const Problem& largeProblem() {
    static const Problem kProblem =
        problemOf(planFleet({planGroup("h100", 512), planGroup("h200", 512)}), planModels()[6], 2048, {"bf16"});
    return kProblem;
}

/// Runs a search that is asked to end after some time. Returns the milliseconds of its work after that, and what it
/// found, if anything.
std::pair<double, std::optional<Found>> askedAfter(std::chrono::milliseconds time, bool isCancelled) {
    std::stop_source ask;
    RunControl control{.threads = 1};
    (isCancelled ? control.cancel : control.finish) = ask.get_token();
    const clockid_t work = test::workClockOfThisThread();
    std::atomic<double> asked = -1;
    std::jthread later([&](const std::stop_token& stop) {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end && !stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        asked = test::workMilliseconds(work);
        ask.request_stop();
    });
    std::optional<Found> found;
    try {
        found = search(largeProblem(), {}, {}, control);
    } catch (const InterruptedError& error) {
        EXPECT_EQ(std::string(error.what()), "the search for a plan was stopped");
    }
    const double ended = test::workMilliseconds();
    return {asked < 0 ? 0 : ended - asked, std::move(found)};
}

TEST(Searches, areGivenUpWithinATenthOfASecond) {
    constexpr double kMilliseconds = 100;
    for (const int time : {0, 30, 400, 1500}) {
        const auto [took, found] = askedAfter(std::chrono::milliseconds(time), true);
        EXPECT_FALSE(found) << "after " << time << " ms";
        EXPECT_LT(took, kMilliseconds * test::kSlowerBuild) << "after " << time << " ms";
    }
}

TEST(Searches, thatAreEndedSayWhatTheyHave) {
    constexpr double kMilliseconds = 1000;
    const Found none = askedAfter(std::chrono::milliseconds(0), false).second.value();
    EXPECT_EQ(none.ended, EndedBy::stop);
    const auto [took, found] = askedAfter(std::chrono::milliseconds(800), false);
    EXPECT_LT(took, kMilliseconds * test::kSlowerBuild);
    EXPECT_EQ(found->ended, EndedBy::stop);
    ASSERT_FALSE(found->top.empty());
    for (const Ranked& each : found->top) EXPECT_EQ(faultText(largeProblem(), each.configuration), "");
}

/// Seconds of the fastest configuration; endless where none fits.
double fastestOf(const Problem& problem, const Space& space) {
    const Found found = search(problem, space, {.longestStep = {}, .top = 1}, {.threads = 1});
    return found.top.empty() ? HUGE_VAL : found.top.front().scores.of(Objective::time);
}

/// Something about hardware that is better than before.
struct Improvement {
    const char* name;
    std::function<void(Problem&, PlanRandom&)> improve;
};

void forEachDevice(Problem& problem, const std::function<void(physical::Device&)>& use) {
    for (PlanGroup& group : problem.groups)
        for (GroupVariant& variant : group.variants) use(variant.setting.device);
}

std::vector<Improvement> improvements() {
    return {{"memory",
             [](Problem& problem, PlanRandom& random) {
                 const double factor = random.between(1, 2);
                 forEachDevice(problem, [&](physical::Device& device) { device.memory *= factor; });
             }},
            {"memory of one group",
             [](Problem& problem, PlanRandom& random) {
                 for (GroupVariant& variant : problem.groups.front().variants)
                     variant.setting.device.memory *= random.between(1, 2);
             }},
            {"bandwidth",
             [](Problem& problem, PlanRandom& random) {
                 const double factor = random.between(1, 2);
                 forEachDevice(problem, [&](physical::Device& device) { device.bandwidth *= factor; });
             }},
            {"peak",
             [](Problem& problem, PlanRandom& random) {
                 const double factor = random.between(1, 2);
                 forEachDevice(problem, [&](physical::Device& device) {
                     for (auto& [dtype, peak] : device.peaks) peak *= factor;
                 });
             }},
            {"network",
             [](Problem& problem, PlanRandom& random) {
                 const double factor = random.between(1, 4);
                 for (PlanGroup& group : problem.groups) group.networkRate *= factor;
                 for (auto& rates : problem.between)
                     for (double& rate : rates) rate *= factor;
             }},
            {"links between groups", [](Problem& problem, PlanRandom& random) {
                 const double factor = random.between(1, 4);
                 for (auto& rates : problem.between)
                     for (double& rate : rates) rate *= factor;
             }}};
}

TEST(Searches, areNeverSlowerOnBetterHardware) {
    PlanRandom random(77);
    const std::vector<Improvement> all = improvements();
    for (int i = 0; i < test::randomCases(400); ++i) {
        const RandomPlan plan = randomPlan(random);
        const double before = fastestOf(plan.problem, plan.space);
        for (const Improvement& improvement : all) {
            Problem better = plan.problem;
            improvement.improve(better, random);
            EXPECT_LE(fastestOf(better, plan.space), before * (1 + 1e-9)) << "case " << i << ": " << improvement.name;
        }
    }
}

TEST(Searches, areNeverSlowerOnMoreAccelerators) {
    PlanRandom random(79);
    for (int i = 0; i < test::randomCases(600); ++i) {
        RandomPlan plan = randomPlan(random);
        const double before = fastestOf(plan.problem, plan.space);
        const int group = random.below(static_cast<int>(plan.problem.groups.size()));
        plan.problem.groups[static_cast<std::size_t>(group)].count += random.within(1, 8);
        EXPECT_LE(fastestOf(plan.problem, plan.space), before) << "case " << i;
    }
}

/// More replicas than micro-batches are idle, and one that shortens nothing makes the sum of gradients longer.
TEST(Searches, leaveReplicasSideBySideOutThatShortenNothing) {
    const auto fleetOf = [](std::int64_t first, std::int64_t second) {
        return planFleet({planGroup("h100", first, 1, 50e9), planGroup("h100", second, 1, 50e9)}, 50e9);
    };
    Space space;
    narrow(space, "--fix", "tp=1,pp=1,cp=1,mb=1,zero=0", problemOf(fleetOf(8, 8), planModels()[0], 16, {"bf16"}));
    const auto bestOf = [&](std::int64_t first, std::int64_t second, double batch) {
        const Problem problem = problemOf(fleetOf(first, second), planModels()[0], batch, {"bf16"});
        return search(problem, space, {.longestStep = {}, .top = 1}, {.threads = 1}).top.front();
    };
    // 16 micro-batches: one each on 16 of 20.
    const Ranked most = bestOf(10, 10, 16);
    EXPECT_EQ(most.configuration.data, 16);
    const Ranked whole = bestOf(8, 8, 16);
    for (std::size_t n = 0; n < kObjectives; ++n) EXPECT_DOUBLE_EQ(most.scores.values[n], whole.scores.values[n]);
    // 64 of them: four each on 16, as fast as on 20, and with a shorter sum.
    EXPECT_EQ(bestOf(10, 10, 64).configuration.data, 16);
    EXPECT_EQ(bestOf(10, 10, 60).configuration.data, 20);
}

/// Whatever else is fixed: as long, and no less memory.
TEST(Searches, withGpipeNeverBeat1f1b) {
    PlanRandom random(80);
    const int cases = test::randomCases(300);
    int compared = 0;
    for (int i = 0; i < cases; ++i) {
        RandomPlan plan = randomPlan(random);
        const auto bestOf = [&](physical::PipelineSchedule schedule, Objective objective) {
            plan.space.axes[static_cast<std::size_t>(Axis::schedule)].values = {static_cast<int>(schedule)};
            const SearchOptions options{.objective = objective, .longestStep = {}, .top = 1};
            const Found found = search(plan.problem, plan.space, options, {.threads = 1});
            return found.top.empty() ? HUGE_VAL : found.top.front().scores.of(objective);
        };
        for (const Objective objective : {Objective::time, Objective::memory}) {
            const double gpipe = bestOf(physical::PipelineSchedule::gpipe, objective);
            const double other = bestOf(physical::PipelineSchedule::oneForwardOneBackward, objective);
            compared += other < HUGE_VAL ? 1 : 0;
            ASSERT_LE(other, gpipe * (1 + 1e-9)) << "case " << i;
        }
    }
    EXPECT_GT(compared, cases / 3);
}

TEST(Searches, ofALargerSpaceAreNeverWorse) {
    PlanRandom random(78);
    for (int i = 0; i < test::randomCases(300); ++i) {
        const RandomPlan plan = randomPlan(random);
        const double all = fastestOf(plan.problem, plan.space);
        for (std::size_t axis = 0; axis < plan.space.axes.size(); ++axis) {
            Space narrower = plan.space;
            std::vector<int>& values = narrower.axes[axis].values;
            if (values.empty())
                values = {axis == static_cast<std::size_t>(Axis::group) ? 0 : random.within(1, 2)};
            else
                values.resize(1);
            // Two schedules of three are chosen where nobody names one.
            if (axis == static_cast<std::size_t>(Axis::schedule) && plan.space.axes[axis].values.empty()) continue;
            EXPECT_GE(fastestOf(plan.problem, narrower), all) << "case " << i << " axis " << axis;
        }
    }
}

}  // namespace
}  // namespace tessera::plan

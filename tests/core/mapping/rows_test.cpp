// The laws that every row of the algorithm table obeys.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/mapping/search.h"
#include "tests/core/mapping/problems.h"
#include "tests/core/mapping/tables.h"
#include "tests/support/work.h"

using namespace tessera;
using namespace tessera::mapping;

namespace tessera::mapping {
void PrintTo(const Algorithm& algorithm, std::ostream* out) {
    *out << algorithm.id;
}
}  // namespace tessera::mapping

namespace {

Options optionsFor(std::string_view algorithm, std::int64_t samples = 400) {
    Options options;
    options.algorithms = {std::string(algorithm)};
    options.samples = samples;
    options.explored = 50;
    return options;
}

bool isConstructive(std::string_view id) {
    return id == "herald-like" || id == "ai-mt-like";
}

bool isValid(const Mapping& mapping, const Problem& problem) {
    const auto isCore = [&](std::int32_t core) {
        return core >= 0 && static_cast<std::size_t>(core) < problem.cores.size();
    };
    const auto isPriority = [](double priority) { return priority >= 0 && priority < 1; };
    return mapping.core.size() == problem.jobs.size() && mapping.priority.size() == problem.jobs.size() &&
           std::all_of(mapping.core.begin(), mapping.core.end(), isCore) &&
           std::all_of(mapping.priority.begin(), mapping.priority.end(), isPriority);
}

class EveryAlgorithm : public ::testing::TestWithParam<Algorithm> {};

/// Solves while the listener cancels after a number of points of the best's curve; returns the state then.
Json stateAfter(const Problem& problem, const Options& options, int points, const Json& resume = nullptr) {
    std::stop_source cancel;
    Json state;
    int seen = 0;
    SearchControl control;
    control.cancel = cancel.get_token();
    control.resume = resume;
    control.checkpoint = [&](const Json& handed) { state = Json::parse(handed.dump()); };
    control.progress = [&](const ProgressEvent& event) {
        if (event.curve.role == CurveRole::best && ++seen == points) cancel.request_stop();
    };
    EXPECT_THROW(solve(problem, options, control), InterruptedError);
    return state;
}

TEST_P(EveryAlgorithm, givesTheSameResultForAnyThreadsAndAgain) {
    const Problem problem = test::drawnProblem(30, 4, 20, 1);
    Options options = optionsFor(GetParam().id, 600);
    const Result once = solve(problem, options, {{{.threads = 1}}});
    EXPECT_EQ(solve(problem, options, {{{.threads = 2}}}), once);
    options.seed = 2;
    if (!isConstructive(GetParam().id)) {
        EXPECT_NE(solve(problem, options).runs, once.runs);
    }
}

TEST_P(EveryAlgorithm, goesOnToTheSameResultAfterInterruptions) {
    if (isConstructive(GetParam().id)) GTEST_SKIP() << "one sample cannot be interrupted";
    const Problem problem = test::drawnProblem(20, 3, 20, 2);
    // Beside another, which is somewhere on its way, or done.
    Options options = optionsFor(GetParam().id, 500);
    if (GetParam().id != "random") options.algorithms.insert(options.algorithms.begin(), "random");
    const Result whole = solve(problem, options);
    const auto first = static_cast<int>(whole.runs.size() > 1 ? whole.runs.front().convergence.size() : 0);
    const auto generations = static_cast<int>(whole.runs.back().convergence.size());
    for (const int after : {1, std::max(1, generations / 2), std::max(1, generations - 1)}) {
        if (after >= generations) continue;  // the end of the last generation is the end of the work
        Json state = stateAfter(problem, options, first + after);
        ASSERT_FALSE(state.is_null());
        SearchControl control;
        control.resume = state;
        EXPECT_EQ(solve(problem, options, control), whole) << "interrupted after " << after << " of " << generations;
        if (after + 1 >= generations) continue;
        state = stateAfter(problem, options, 1, state);
        control.resume = state;
        EXPECT_EQ(solve(problem, options, control), whole) << "interrupted twice";
    }
}

TEST_P(EveryAlgorithm, spendsItsSamplesAndNoMore) {
    const Problem problem = test::drawnProblem(25, 4, 1e6, 3);
    for (const std::int64_t samples : {1, 7, 333}) {
        const auto run = solve(problem, optionsFor(GetParam().id, samples)).runs.front();
        EXPECT_TRUE(isValid(run.mapping, problem));
        EXPECT_LE(run.bestAfter, run.samples);
        EXPECT_GE(run.bestAfter, 1);
        if (run.endedBy == EndedBy::samples) {
            EXPECT_EQ(run.samples, samples);
        } else {
            EXPECT_LE(run.samples, samples);
            EXPECT_TRUE(run.endedBy == EndedBy::proof || run.endedBy == EndedBy::done) << nameOf(run.endedBy);
        }
        ASSERT_FALSE(run.convergence.empty());
        EXPECT_EQ(run.convergence.back().samples, run.samples);
        EXPECT_EQ(run.convergence.back().best, run.value);
    }
}

TEST_P(EveryAlgorithm, findsNothingWorseWithMoreSamples) {
    const Problem problem = test::drawnProblem(25, 4, 30, 4);
    double before = std::numeric_limits<double>::infinity();
    for (const std::int64_t samples : {50, 200, 800}) {
        const double value = solve(problem, optionsFor(GetParam().id, samples)).runs.front().value;
        // `tessera` divides what it has between its phases.
        EXPECT_LE(value, before * (GetParam().id == "tessera" ? 1.02 : 1));
        before = value;
    }
}

TEST_P(EveryAlgorithm, minimisesAnyObjective) {
    const Problem problem = test::drawnProblem(20, 4, 20, 5);
    for (const Objective objective :
         {Objective::throughput, Objective::latency, Objective::energy, Objective::edp, Objective::weighted}) {
        Options options = optionsFor(GetParam().id, 1000);
        options.objective = objective;
        const Result result = solve(problem, options);
        const auto& run = result.runs.front();
        EXPECT_EQ(run.values, evaluate(problem, run.mapping));
        EXPECT_EQ(run.value, objectiveOf(run.values, objective, options.weights, result.bound));
        EXPECT_GE(run.value, result.bound.objective * (1 - 1e-9)) << nameOf(objective);
        EXPECT_EQ(run.schedule.makespan, run.values.makespan);
        if (isConstructive(GetParam().id)) continue;
        Options few = options;
        few.samples = 1;
        EXPECT_LT(run.value, solve(problem, few).runs.front().value * (run.optimal ? 1.0000001 : 1))
            << nameOf(objective);
    }
}

TEST_P(EveryAlgorithm, solvesTheSmallestProblems) {
    struct Size {
        std::size_t jobs, cores;
    };
    for (const Size size : {Size{1, 1}, Size{1, 5}, Size{2, 1}, Size{3, 8}, Size{9, 1}}) {
        const Problem problem = test::drawnProblem(size.jobs, size.cores, 10, 6);
        const auto run = solve(problem, optionsFor(GetParam().id, 300)).runs.front();
        EXPECT_TRUE(isValid(run.mapping, problem)) << size.jobs << " jobs on " << size.cores << " cores";
        if (size.jobs == 1 && size.cores == 1) {
            EXPECT_TRUE(run.optimal);
            EXPECT_EQ(run.samples, 1);
            EXPECT_EQ(run.endedBy, EndedBy::proof);
        }
    }
}

TEST_P(EveryAlgorithm, stopsAtTheBound) {
    // One job is far longer than all others together.
    Problem problem = test::drawnProblem(12, 4, 1e9, 7);
    for (std::size_t core = 0; core < 4; ++core) problem.latency[core] = 1e6;
    const auto run = solve(problem, optionsFor(GetParam().id, 5000)).runs.front();
    if (!isConstructive(GetParam().id)) {
        EXPECT_TRUE(run.optimal);
        EXPECT_EQ(run.endedBy, EndedBy::proof);
        EXPECT_LT(run.samples, 5000);
        EXPECT_EQ(run.bestAfter, run.samples);
    }
    EXPECT_GE(run.value, 1e6);
}

TEST_P(EveryAlgorithm, startsFromMappingsThatItIsGiven) {
    if (isConstructive(GetParam().id)) GTEST_SKIP() << "has no first generation";
    const Problem problem = test::drawnProblem(25, 4, 20, 8);
    const auto good = solve(problem, optionsFor("magma", 3000)).runs.front();
    Options options = optionsFor(GetParam().id, 60);
    options.warmStart = {good.mapping};
    // Searches of real numbers put priorities to a hair.
    EXPECT_LE(solve(problem, options).runs.front().value, good.value * 1.000001);
}

TEST_P(EveryAlgorithm, answersCancelSoonAndFinishWithTheBestSoFar) {
    if (isConstructive(GetParam().id)) GTEST_SKIP() << "is over before anybody could ask";
    const Problem problem = test::drawnProblem(400, 8, 50, 9);
    const Options options = optionsFor(GetParam().id, 100'000'000);
    const clockid_t working = test::workClockOfThisThread();
    for (const bool cancels : {true, false}) {
        std::stop_source stop;
        double asked = 0;
        SearchControl control;
        (cancels ? control.cancel : control.finish) = stop.get_token();
        std::jthread asking([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            asked = test::workMilliseconds(working);
            stop.request_stop();
        });
        if (cancels) {
            EXPECT_THROW(solve(problem, options, control), InterruptedError);
        } else {
            const auto run = solve(problem, options, control).runs.front();
            EXPECT_EQ(run.endedBy, EndedBy::stop);
            EXPECT_GT(run.samples, 0);
            EXPECT_TRUE(isValid(run.mapping, problem));
        }
        asking.join();
        EXPECT_LT(test::workMilliseconds() - asked, 500 * test::kSlowerBuild);
    }
}

TEST_P(EveryAlgorithm, describesItselfAndItsSettings) {
    const Algorithm& row = GetParam();
    EXPECT_FALSE(row.title.empty());
    EXPECT_GT(row.description.size(), 20U);
    EXPECT_FALSE(row.source.empty());
    std::set<std::string_view> names;
    for (const Setting& setting : row.settings) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
        EXPECT_LE(setting.min, setting.fallback) << setting.name;
        EXPECT_GE(setting.max, setting.fallback) << setting.name;
        EXPECT_FALSE(setting.help.empty()) << setting.name;
        // Both ends of the range are settings to work with.
        // With more jobs than are solved exactly, which takes longer than the search.
        const Problem problem = test::drawnProblem(16, 3, 20, 10);
        for (const double value : {setting.min, setting.max}) {
            Options options = optionsFor(row.id, 200);
            options.settings[std::string(row.id) + "." + std::string(setting.name)] = value;
            EXPECT_TRUE(isValid(solve(problem, options).runs.front().mapping, problem)) << setting.name << " " << value;
        }
    }
}

std::string testNameOf(const ::testing::TestParamInfo<Algorithm>& row) {
    std::string name(row.param.id);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, EveryAlgorithm, ::testing::ValuesIn(algorithms()), testNameOf);

TEST(AlgorithmTable, everyRowHasItsSearch) {
    for (const Algorithm& algorithm : algorithms()) {
        EXPECT_NE(algorithm.start, nullptr) << algorithm.id;
        EXPECT_EQ(findAlgorithm(algorithm.id), &algorithm);
        EXPECT_GE(algorithm.colour, 0);
        EXPECT_LT(algorithm.colour, 8);
    }
}

TEST(MappingOptions, wrongOnesAreNamedInSentences) {
    const Problem problem = test::drawnProblem(3, 2, 20, 1);
    const auto sentences = [&](auto change) {
        Options options;
        change(options);
        return problems(options, problem);
    };
    EXPECT_TRUE(sentences([](Options&) {}).empty());
    EXPECT_EQ(sentences([](Options& o) { o.samples = 0; }),
              std::vector<std::string>{"the samples are 0; expected a whole number from 1 to 1000000000"});
    EXPECT_EQ(sentences([](Options& o) { o.algorithms.clear(); }),
              std::vector<std::string>{"no algorithm is chosen; expected at least one"});
    EXPECT_EQ(sentences([](Options& o) {
                  o.algorithms = {"magma", "magma"};
              }),
              std::vector<std::string>{"the algorithm 'magma' is chosen twice"});
    EXPECT_EQ(sentences([](Options& o) { o.settings["magma.mutation"] = 2; }),
              std::vector<std::string>{"the setting 'magma.mutation' is 2; expected a number from 0 to 1"});
    EXPECT_EQ(
        sentences([](Options& o) { o.settings["magma.population"] = 1.5; }),
        std::vector<std::string>{"the setting 'magma.population' is 1.5; expected a whole number from 0 to 10000"});
    EXPECT_EQ(sentences([](Options& o) { o.settings["magma.mutatoin"] = 1; }),
              std::vector<std::string>{"there is no setting 'magma.mutatoin'; did you mean 'magma.mutation'?"});
    EXPECT_EQ(sentences([](Options& o) { o.settings["magma.mutation"] = std::nan(""); }).size(), 1U);
    EXPECT_EQ(sentences([](Options& o) {
                  o.objective = Objective::weighted;
                  o.weights = {.makespan = 0, .latency = 0, .energy = 0};
              }),
              std::vector<std::string>{"all weights are 0; expected at least one above 0"});
    EXPECT_EQ(sentences([](Options& o) {
                  o.pareto = {Objective::energy, Objective::energy};
              }),
              std::vector<std::string>{"the front is of 'energy' and itself; expected two objectives"});
    EXPECT_EQ(sentences([](Options& o) { o.warmStart = {{.core = {0}, .priority = {0}}}; }),
              std::vector<std::string>{"mapping 1 to start from has 1 cores and 1 priorities; expected 3 of each"});
    EXPECT_EQ(sentences([](Options& o) {
                  o.warmStart = {{.core = {0, 2, 0}, .priority = {0, 0, 0}}};
              }),
              std::vector<std::string>{"mapping 1 to start from puts job 1 on core 2 with priority 0; expected a core "
                                       "from 0 to 1 and a priority from 0 to below 1"});
    Problem poor = problem;
    poor.energy.clear();
    Options options;
    options.objective = Objective::edp;
    EXPECT_EQ(problems(options, poor), std::vector<std::string>{"the objective 'edp' needs the energy of the jobs, "
                                                                "which this table does not have"});
    EXPECT_THROW(solve(poor, options), UsageError);
}

TEST(MappingRace, takesTurnsAndCountsAllSamples) {
    const Problem problem = test::drawnProblem(60, 4, 20, 11);
    Options options = optionsFor("magma", 40'000);
    options.algorithms = {"magma", "random", "stdga"};
    std::vector<std::string> curves;  // whose turn it was, without repetition
    double done = 0;
    SearchControl control;
    control.progress = [&](const ProgressEvent& event) {
        if (event.curve.role == CurveRole::bound) return;
        EXPECT_EQ(event.task, "portfolio of 3 algorithms");
        EXPECT_EQ(event.total, 120'000);
        EXPECT_GE(event.done, done);
        EXPECT_LE(event.done, event.total);
        done = event.done;
        if (event.kind == ProgressEvent::Kind::point && (curves.empty() || curves.back() != event.curve.owner))
            curves.push_back(event.curve.owner);
    };
    const Result race = solve(problem, options, control);
    EXPECT_GT(done, 119'000);
    EXPECT_GT(curves.size(), 12U) << "one after the other";
    for (const auto& run : race.runs) {
        Options alone = options;
        alone.algorithms = {run.algorithm};
        const auto again = solve(problem, alone).runs.front();
        EXPECT_EQ(again.mapping, run.mapping) << run.algorithm;
        EXPECT_EQ(again.convergence, run.convergence) << run.algorithm;
    }
}

TEST(MappingState, ofAnotherProblemIsRefused) {
    const Problem problem = test::drawnProblem(20, 3, 20, 2);
    const Options options = optionsFor("magma", 500);
    SearchControl control;
    control.resume = stateAfter(problem, options, 2);
    Options other = options;
    other.seed = 3;
    EXPECT_THROW(solve(problem, other, control), UsageError);
    Json broken = *control.resume;
    broken["lanes"][0]["search"][0]["core"] = "%%%";
    control.resume = broken;
    EXPECT_THROW(solve(problem, options, control), UsageError);
    control.resume = Json{{"format", 7}};
    EXPECT_THROW(solve(problem, options, control), UsageError);
}

TEST(MappingCurves, areThinnedButEndWithTheRun) {
    Options options = optionsFor("random", 9001);
    options.settings["random.population"] = 2;
    // Too many jobs for a proof, which would end the run.
    const auto run = solve(test::drawnProblem(30, 3, 20, 2), options).runs.front();
    EXPECT_LE(run.convergence.size(), 2000U);
    EXPECT_GT(run.convergence.size(), 900U);
    EXPECT_EQ(run.convergence.back().samples, run.samples);
    EXPECT_LE(run.explored.size(), 50U);
    EXPECT_GE(run.explored.size(), 25U);
    for (std::size_t i = 1; i < run.convergence.size(); ++i) {
        EXPECT_LT(run.convergence[i - 1].samples, run.convergence[i].samples);
        EXPECT_GE(run.convergence[i - 1].best, run.convergence[i].best);
    }
}

TEST(ExploredPlane, spreadsMostAlongItsFirstAxis) {
    Options options = optionsFor("random", 2000);
    options.algorithms = {"random", "magma"};
    options.explored = 300;
    const Result result = solve(test::drawnProblem(10, 3, 20, 2), options);
    double x = 0, y = 0, meanX = 0;
    for (const auto& run : result.runs)
        for (const ExploredPoint& point : run.explored) {
            x += point.x * point.x;
            y += point.y * point.y;
            meanX += point.x;
        }
    EXPECT_GT(x, y);
    EXPECT_GT(y, 0);
    EXPECT_NEAR(meanX, 0, 1e-3);
}

TEST(MappingFront, holdsMappingsOfWhichNoneBeatsAnother) {
    const Problem problem = test::drawnProblem(20, 4, 20, 5);
    Options options = optionsFor("magma", 3000);
    options.pareto = {Objective::throughput, Objective::energy};
    const Result result = solve(problem, options);
    const auto& run = result.runs.front();
    EXPECT_LE(run.samples, 3000);
    ASSERT_GT(run.front.size(), 3U);
    // Samples are left over only by the part for the energy, where that is proven.
    if (run.samples < 3000) {
        EXPECT_NEAR(run.front.back().second, result.bound.energy, 1e-8 * result.bound.energy);
    }
    for (std::size_t i = 0; i < run.front.size(); ++i) {
        const FrontPoint& point = run.front[i];
        EXPECT_EQ(point.values, evaluate(problem, point.mapping));
        EXPECT_EQ(point.first, point.values.makespan);
        EXPECT_EQ(point.second, point.values.energy);
        if (i == 0) continue;
        EXPECT_LT(run.front[i - 1].first, point.first);
        EXPECT_GT(run.front[i - 1].second, point.second);
    }
    EXPECT_EQ(run.front.front().first, run.value);
    // Interrupted in a later part, it goes on to the same front.
    SearchControl control;
    control.resume = stateAfter(problem, options, static_cast<int>(run.convergence.size() / 2));
    EXPECT_EQ(solve(problem, options, control), result);
}

TEST(AdaptedMapping, ofTheSameProblemIsTheSame) {
    const Problem problem = test::drawnProblem(20, 3, 20, 5);
    const Mapping mapping = solve(problem, optionsFor("magma")).runs.front().mapping;
    EXPECT_EQ(transferred(mapping, problem, problem), mapping);
}

TEST(AdaptedMapping, isABetterStartThanAnyDrawnOne) {
    const Problem from = test::drawnProblem(40, 3, 20, 5), to = test::drawnProblem(60, 3, 20, 6);
    const Mapping mapping = solve(from, optionsFor("magma", 4000)).runs.front().mapping;
    const Mapping start = transferred(mapping, from, to);
    ASSERT_TRUE(isValid(start, to));
    EXPECT_LT(evaluate(to, start).makespan, solve(to, optionsFor("random", 1)).runs.front().value);
}

TEST(ParticleSwarm, findsMoreThanRandomMappings) {
    for (const auto& [table, bandwidth] : {std::pair{"S2_mix_insts0", 16.0}, {"S2_mix_insts0", 1.0}}) {
        const Problem problem = test::magmaTable(table, bandwidth);
        const auto makespanOf = [&](const char* algorithm) {
            return solve(problem, optionsFor(algorithm, 10'000)).runs.front().value;
        };
        EXPECT_LT(makespanOf("pso"), makespanOf("random")) << bandwidth;
        EXPECT_LT(makespanOf("pso"), makespanOf("pso-published")) << bandwidth;
    }
}

TEST(Magma, hasSeveralGenerationsOfLargeGroupsWithFewSamples) {
    const Problem problem = test::drawnProblem(4000, 8, 100, 7);
    const mapping::Run run = solve(problem, optionsFor("magma", 1000)).runs.front();
    EXPECT_EQ(run.samples, 1000);
    EXPECT_GE(run.convergence.size(), 8U);
    EXPECT_LT(run.convergence.back().best, run.convergence.front().best);
}

TEST(Elementary, agreesWithTheLibrary) {
    for (double x = -700; x < 700; x += 0.37) EXPECT_NEAR(elementary::exp(x) / std::exp(x), 1, 1e-14) << x;
    for (double x = 1e-9; x < 1e9; x *= 1.37) {
        EXPECT_NEAR(elementary::log(x), std::log(x), 1e-15 * (1 + std::fabs(std::log(x)))) << x;
        EXPECT_NEAR(elementary::pow(x, 0.3) / std::pow(x, 0.3), 1, 1e-14) << x;
    }
    for (double x = -30; x < 30; x += 0.013) EXPECT_NEAR(elementary::tanh(x), std::tanh(x), 4e-16) << x;
    EXPECT_EQ(elementary::exp(1000), std::numeric_limits<double>::infinity());
    EXPECT_EQ(elementary::exp(-1000), 0);
    EXPECT_TRUE(std::isnan(elementary::log(-1)));
    EXPECT_EQ(elementary::log(0), -std::numeric_limits<double>::infinity());
}

struct ReferenceCase {
    std::string table;
    double bandwidth;
    double reference;  ///< mean makespan of the reference search's three seeds, cycles
};

TEST(Magma, isAsGoodAsTheReferenceSearchOnEveryCase) {
    TESSERA_NEEDS_SHARED("magma/job_tables");
    const std::vector<ReferenceCase> cases{
        {"S2_vision", 16, 3'122'799}, {"S2_mix", 16, 2'233'019},    {"S2_mix", 1, 2'451'106},
        {"S4_mix", 1, 2'174'853},     {"S1_recom", 16, 114'204.54}, {"S1_lang", 16, 1'355'090},
        {"S1_mix", 16, 1'872'058.5},  {"S1_vision", 16, 7'128'601}, {"S4_vision", 256, 1'679'617},
        {"S4_mix", 256, 1'679'617},   {"S6_mix", 16, 1'679'617},    {"S3_recom", 1, 748'618.578125}};
    for (const ReferenceCase& one : cases) {
        const Problem problem = test::referenceProblem(one.table, one.bandwidth);
        double mean = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            Options options = optionsFor("magma", 10'000);
            options.seed = seed;
            mean += solve(problem, options).runs.front().value / 5;
        }
        EXPECT_LE(mean, one.reference * (1 + 1e-9)) << one.table << " at " << one.bandwidth;
    }
}

}  // namespace

// Llama 3.1 405B on 512 H100 and 512 H200: how long all of its configurations take, and one of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/hardware/library.h"
#include "core/plan/search.h"
#include "tests/bench/target.h"
#include "tests/support/paths.h"

namespace tessera::plan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kProcessors = 2;

const Problem& benchProblem() {
    static const Problem kProblem = [] {
        hardware::Fleet fleet = hardware::loadFleet(test::sourcePath("data/fleets/h100-h200-mixed.json").string());
        for (hardware::Group& group : fleet.groups) {
            group.count = 512;
            group.levels.back().size = group.count / group.levels.front().size;
        }
        const physical::TrainingRun run{.set = "mine",
                                        .id = "1",
                                        .model = "zoo:llama",
                                        .dims = {{"layers", "126"},
                                                 {"heads", "128"},
                                                 {"kv_heads", "8"},
                                                 {"hidden", "16384"},
                                                 {"ffn", "53248"},
                                                 {"vocabulary", "128256"},
                                                 {"sequence", "8192"}},
                                        .optimizer = "adam",
                                        .software = "Megatron-LM"};
        return problemOf(fleet, run, 2048, {"bf16"});
    }();
    return kProblem;
}

/// By every objective, and by time with recomputation by stage, which nobody gets who does not ask for it.
void planSearch(benchmark::State& state) {
    const Problem& problem = benchProblem();
    const bool isPerStage = state.range(0) == static_cast<std::int64_t>(kObjectives);
    const auto objective = isPerStage ? Objective::time : static_cast<Objective>(state.range(0));
    Space space;
    if (isPerStage) narrow(space, "--allow", "recompute=none,full,per-stage", problem);
    Counted counted;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const Found found = search(problem, space, {.objective = objective}, {.threads = kProcessors});
        counted = found.counted;
        if (found.top.empty()) state.SkipWithError("the search finds nothing");
    }
    const std::string name = std::string(kObjectiveNames.of(objective)) + (isPerStage ? ", per stage" : "");
    state.SetLabel(name);
    state.counters["configurations"] = static_cast<double>(counted.all);
    state.counters["judged"] = static_cast<double>(counted.all - counted.bounded);
    if (counted.all < 1'000'000) state.SkipWithError("the space has less than a million configurations");
    const bench::Target uniform{.what = "The best plan of a million, on two cores,", .bound = 10};
    const bench::Target perStage{.what = "The best plan where stages may recompute, on two cores,", .bound = 20};
    bench::hold(state, isPerStage ? perStage : uniform, clock.each(state) / kProcessors, name);
}

/// Configurations on one group, through two groups, and beside each other; the first two also where some stages
/// recompute as many layers as do not fit.
Configuration benchConfiguration(std::int64_t sort) {
    Configuration at{.tensor = 8,
                     .pipeline = 16,
                     .data = 4,
                     .recompute = sort > 2 ? Recomputation::perStage : Recomputation::full,
                     .zero = 1,
                     .parts = {{0, 16, 4, 512}}};
    if (sort == 1 || sort == 4) at.parts = {{0, 8, 4, 512}, {1, 8, 4, 512}};
    if (sort == 2) {
        at.data = 8;
        at.parts = {{0, 16, 4, 1}, {1, 16, 4, 1}};
    }
    return at;
}

/// One configuration after another of those that share what a judge computes once.
void planJudge(benchmark::State& state) {
    const Problem& problem = benchProblem();
    const Configuration at = benchConfiguration(state.range(0));
    Judge judge(problem, at);
    const Judgement judgement = judge.judge(at, {.layers = true});
    if (!judgement.fits) return state.SkipWithError("the configuration does not fit");
    if (at.recompute == Recomputation::perStage && judgement.alike)
        return state.SkipWithError("all stages recompute alike");
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        benchmark::DoNotOptimize(judge.judge(at));
    }
    bench::hold(state, {.what = "A configuration of a plan", .bound = 20e-6}, clock.each(state),
                "sort " + std::to_string(state.range(0)));
}

/// All that is said of one configuration, from nothing.
void planEvaluate(benchmark::State& state) {
    const Configuration at = benchConfiguration(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(benchProblem(), at));
}

void planCancel(benchmark::State& state) {
    const Problem& problem = benchProblem();
    double seconds = 0;
    for (auto _ : state) {
        std::stop_source cancel;
        std::atomic<Clock::rep> asked = 0;
        std::jthread later([&](const std::stop_token& stop) {
            const Clock::time_point end = Clock::now() + std::chrono::milliseconds(state.range(0));
            while (Clock::now() < end && !stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            asked = Clock::now().time_since_epoch().count();
            cancel.request_stop();
        });
        try {
            search(problem, {}, {}, {.cancel = cancel.get_token(), .threads = 2});
        } catch (const InterruptedError&) {
            const Clock::duration ended = Clock::now().time_since_epoch();
            seconds = std::max(seconds, std::chrono::duration<double>(ended - Clock::duration(asked.load())).count());
        }
    }
    bench::hold(state, {.what = "Giving up the search of a plan", .bound = 0.1}, seconds,
                "after " + std::to_string(state.range(0)) + " ms");
}

}  // namespace

BENCHMARK(planSearch)
    ->Name("long/planSearch")
    ->DenseRange(0, static_cast<int>(kObjectives))
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(planJudge)->ArgName("sort")->DenseRange(0, 4)->Unit(benchmark::kMicrosecond);
BENCHMARK(planEvaluate)->ArgName("sort")->DenseRange(0, 4)->Unit(benchmark::kMicrosecond);
BENCHMARK(planCancel)
    ->Arg(5)
    ->Arg(50)
    ->Arg(300)
    ->Arg(1000)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace tessera::plan

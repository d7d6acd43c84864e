// Speed of engine 2 (targets in the specification), on one thread: full evaluations, local changes, bounds, searches.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/evaluator.h"
#include "core/mapping/mapping.h"
#include "tests/core/mapping/tables.h"

namespace tessera {
namespace {

constexpr std::size_t kMappings = 64;

double cpuSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// An error above a bound: the rate is of this process' own time.
void expectRate(benchmark::State& state, double begun, double min) {
    const double rate = static_cast<double>(state.iterations()) / (cpuSeconds() - begun);
    state.counters["per_second"] = rate;
    if (state.iterations() > 10'000 && rate < min)
        state.SkipWithError(
            ("a rate of " + std::to_string(rate) + " per second; expected " + std::to_string(min)).c_str());
}

std::vector<mapping::Mapping> mappingsOf(const mapping::Problem& problem) {
    RandomStream random(1);
    std::vector<mapping::Mapping> mappings;
    for (std::size_t i = 0; i < kMappings; ++i) mappings.push_back(test::randomMapping(random, problem));
    return mappings;
}

mapping::Problem tableOf(std::size_t jobs, std::size_t cores) {
    RandomStream random(2);
    return test::randomTable(random, jobs, cores);
}

void evaluateWhole(benchmark::State& state) {
    const mapping::Problem problem =
        tableOf(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    const std::vector<mapping::Mapping> mappings = mappingsOf(problem);
    mapping::Evaluator evaluator(problem);
    std::size_t next = 0;
    const double begun = cpuSeconds();
    for (auto _ : state) benchmark::DoNotOptimize(evaluator.evaluate(mappings[next++ % kMappings]).makespan);
    if (state.range(0) == 100) expectRate(state, begun, 500'000);
}
BENCHMARK(evaluateWhole)->Args({100, 8})->Args({1000, 16})->Args({10'000, 16});

// A change is merged where it matters and cut off at the limit; a local search stands on that.
// Ratio: changeLocally/8 <= 0.4 * evaluateWhole/100/8
// Ten times the jobs: n log n, and some for memory.
// Ratio: evaluateWhole/10000/16 <= 25 * evaluateWhole/1000/16

/// Moves and exchanges as a search makes them: what is no better than the limit is not looked at to its end, and one
/// that is becomes the held one.
void changeLocally(benchmark::State& state) {
    const mapping::Problem problem = tableOf(100, static_cast<std::size_t>(state.range(0)));
    mapping::Evaluator evaluator(problem);
    evaluator.hold(mappingsOf(problem).front());
    RandomStream random(3);
    const double begun = cpuSeconds();
    for (auto _ : state) {
        const auto job = static_cast<std::int32_t>(random.below(100));
        const mapping::Evaluator::Limit limit{evaluator.values().makespan};
        double makespan = 0;
        if (random.below(2) == 0) {
            makespan = evaluator.trySwap({job, static_cast<std::int32_t>(random.below(100))}, limit).makespan;
        } else {
            const auto core = static_cast<std::int32_t>(random.below(problem.cores.size()));
            const std::size_t size = evaluator.order(static_cast<std::size_t>(core)).size();
            const std::size_t places = core == evaluator.coreOf(job) ? size : size + 1;
            makespan = evaluator.tryMove({job, core, static_cast<std::int32_t>(random.below(places))}, limit).makespan;
        }
        if (makespan < limit.makespan) evaluator.keep();
    }
    expectRate(state, begun, 2'000'000);
}
BENCHMARK(changeLocally)->Arg(8);

/// The same without a limit: every change is merged to its end.
void changeToTheEnd(benchmark::State& state) {
    const mapping::Problem problem = tableOf(100, 8);
    mapping::Evaluator evaluator(problem);
    evaluator.hold(mappingsOf(problem).front());
    RandomStream random(3);
    const double begun = cpuSeconds();
    for (auto _ : state) {
        const auto job = static_cast<std::int32_t>(random.below(100));
        benchmark::DoNotOptimize(evaluator.trySwap({job, static_cast<std::int32_t>(random.below(100))}).makespan);
    }
    expectRate(state, begun, 0);
}
BENCHMARK(changeToTheEnd);

void boundOf(benchmark::State& state) {
    const mapping::Problem problem =
        tableOf(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    for (auto _ : state) benchmark::DoNotOptimize(mapping::lowerBound(problem).makespan);
}
BENCHMARK(boundOf)->Args({100, 4})->Args({100, 8})->Args({100, 16})->Args({1000, 16})->Unit(benchmark::kMillisecond);

/// Seconds of a search of 10,000 samples. Half of it anneals the relaxation of schedules, which halves what mappings
/// miss of their bounds; without it 0.05 s were enough.
constexpr double kSearchSeconds = 0.12;

void searchCase(benchmark::State& state, const std::string& table, double bandwidth) {
    const mapping::Problem problem = test::magmaTable(table, bandwidth);
    mapping::Options options;
    options.algorithms = {"tessera"};
    double gap = 0;
    const double begun = cpuSeconds();
    for (auto _ : state) {
        const mapping::Result result = mapping::solve(problem, options, {{.threads = 1}});
        gap = result.runs.front().gap;
    }
    state.counters["gap"] = gap;
    const double seconds = (cpuSeconds() - begun) / static_cast<double>(state.iterations());
    if (seconds > kSearchSeconds)
        state.SkipWithError(
            fmt::format("a search of 10,000 samples takes {:.3f} s; expected at most {} s", seconds, kSearchSeconds)
                .c_str());
}
BENCHMARK_CAPTURE(searchCase, recommendationS1, "S1_recom_insts0", 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchCase, mixS2, "S2_mix_insts0", 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchCase, mixS2Narrow, "S2_mix_insts0", 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

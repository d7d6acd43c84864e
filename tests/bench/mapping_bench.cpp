// Speed of engine 2 (targets in the specification), on one thread: full evaluations, local changes, bounds, searches.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/evaluator.h"
#include "core/mapping/mapping.h"
#include "tests/bench/target.h"
#include "tests/core/mapping/tables.h"

namespace tessera {
namespace {

constexpr std::size_t kMappings = 64;

/// Holds the iterations of a second of this process' own time to what they have to be; few of them say nothing.
void holdRate(benchmark::State& state, const bench::ProcessorClock& clock, const char* what, double min) {
    if (state.iterations() > 10'000)
        bench::hold(state, {.what = what, .bound = min, .unit = "/s", .side = bench::Side::atLeast},
                    1 / clock.each(state));
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
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(evaluator.evaluate(mappings[next++ % kMappings]).makespan);
    if (state.range(0) == 100) holdRate(state, clock, "Evaluation of whole mappings, 100 jobs on 8 cores,", 500'000);
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
    const bench::ProcessorClock clock;
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
    holdRate(state, clock, "Evaluation of local changes, 100 jobs on 8 cores,", 2'000'000);
}
BENCHMARK(changeLocally)->Arg(8);

/// The same without a limit: every change is merged to its end.
void changeToTheEnd(benchmark::State& state) {
    const mapping::Problem problem = tableOf(100, 8);
    mapping::Evaluator evaluator(problem);
    evaluator.hold(mappingsOf(problem).front());
    RandomStream random(3);
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const auto job = static_cast<std::int32_t>(random.below(100));
        benchmark::DoNotOptimize(evaluator.trySwap({job, static_cast<std::int32_t>(random.below(100))}).makespan);
    }
    state.counters["per_second"] = 1 / clock.each(state);
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
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const mapping::Result result = mapping::solve(problem, options, {{{.threads = 1}}});
        gap = result.runs.front().gap;
    }
    state.counters["gap"] = gap;
    bench::hold(state, {.what = "A mapping search of 10,000 samples", .bound = kSearchSeconds}, clock.each(state),
                fmt::format("{} at {} bytes per cycle", table, bandwidth));
}
BENCHMARK_CAPTURE(searchCase, recommendationS1, "S1_recom_insts0", 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchCase, mixS2, "S2_mix_insts0", 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchCase, mixS2Narrow, "S2_mix_insts0", 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

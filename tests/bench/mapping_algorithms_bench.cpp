// Every row of the table of mapping algorithms: samples per second, and the best value over five seeds. The slow part,
// `--benchmark_filter=long/`, works on the groups of 100 jobs of the reference data and prints a table.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/mapping/mapping.h"
#include "tests/core/mapping/problems.h"

namespace tessera {
namespace {

struct Findings {
    double best = std::numeric_limits<double>::infinity(), mean = 0, bound = 0;
    std::int64_t samples = 0;
};

Findings fiveSeeds(const mapping::Problem& problem, const std::string& algorithm, std::int64_t samples) {
    Findings findings;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        mapping::Options options;
        options.algorithms = {algorithm};
        options.samples = samples;
        options.seed = seed;
        const mapping::Result result = mapping::solve(problem, options, {{{.threads = 1}}});
        const mapping::Run& run = result.runs.front();
        findings.best = std::min(findings.best, run.value);
        findings.mean += run.value / 5;
        findings.bound = result.bound.objective;
        findings.samples += run.samples;
    }
    return findings;
}

void compare(benchmark::State& state, const mapping::Problem& problem, const std::string& algorithm,
             std::int64_t samples) {
    Findings findings;
    std::int64_t evaluated = 0;
    for (auto _ : state) {
        findings = fiveSeeds(problem, algorithm, samples);
        evaluated += findings.samples;
    }
    state.counters["samples/s"] = benchmark::Counter(static_cast<double>(evaluated), benchmark::Counter::kIsRate);
    state.counters["best"] = findings.best;
    state.counters["mean"] = findings.mean;
    state.counters["gap"] = findings.mean / findings.bound - 1;
}

struct Case {
    std::string table;
    double bandwidth;  ///< bytes per cycle
};

const bool kRegistered = [] {
    const mapping::Problem small = test::drawnProblem(100, 8, 100, 1);
    for (const mapping::Algorithm& algorithm : mapping::algorithms()) {
        const std::string id(algorithm.id);
        benchmark::RegisterBenchmark(("drawn/" + id).c_str(), [=](benchmark::State& state) {
            compare(state, small, id, 500);
        })->Unit(benchmark::kMillisecond);
        for (const Case& one : {Case{"S2_vision", 16}, Case{"S2_mix", 16}, Case{"S4_mix", 1}, Case{"S1_lang", 16}}) {
            if (!std::filesystem::exists(test::sharedPath("magma/job_tables"))) continue;
            const auto solveOne = [=](benchmark::State& state) {
                compare(state, test::referenceProblem(one.table, one.bandwidth), id, 10'000);
            };
            benchmark::RegisterBenchmark(fmt::format("long/{}_{}/{}", one.table, one.bandwidth, id).c_str(), solveOne)
                ->Unit(benchmark::kMillisecond)
                ->Iterations(1);
        }
    }
    return true;
}();

}  // namespace
}  // namespace tessera

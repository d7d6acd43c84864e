// How good the search of this program is: all platforms, tasks, three bandwidths and both variants of the cost model,
// 144 cases a seed, beside MAGMA with the same samples. `--benchmark_filter=long/` runs them all; at
// least 135 have to be proven or at most 1 % above the bound, and MAGMA nowhere ahead. What is not `long/` is a part.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/study/mapping/study.h"
#include "tests/bench/target.h"

namespace tessera {
namespace {

constexpr double kClose = 1.01, kSame = 1 + 1e-9;

struct Case {
    std::string platform, workload, variant;
    double bandwidth = 0;  ///< GB/s
};

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const char* platform : {"s1", "s2", "s3", "s4", "s5", "s6"})
        for (const char* workload : {"vision", "language", "recommendation", "mix"})
            for (const char* variant : {"corrected", "published"})
                for (const double bandwidth : {1.0, 16.0, 256.0})
                    cases.push_back({platform, workload, variant, bandwidth});
    return cases;
}

mapping::Problem problemOf(const Case& one) {
    study::Study study = study::newStudy("mapping");
    study.hardware = {one.platform};
    study.workloads = {one.workload};
    study.seed = 1;
    study.parameters = Json{{"bandwidth", one.bandwidth * 1e9}, {"variant", one.variant}};
    return study::readMappingInputs(study, {}).outcome.problem;
}

double makespanOf(const mapping::Problem& problem, const char* algorithm, std::uint64_t seed) {
    mapping::Options options;
    options.algorithms = {algorithm};
    options.seed = seed;
    options.explored = 0;
    return mapping::solve(problem, options, {{{.threads = 1}}}).runs.front().value;
}

/// Every `stride`-th case; with all of them, what must hold.
void mapCases(benchmark::State& state, std::size_t stride) {
    const std::vector<Case> cases = allCases();
    std::int64_t close = 0, behind = 0, count = 0;
    double worst = 1;
    for (auto _ : state) {
        close = behind = count = 0;
        for (std::size_t i = 0; i < cases.size(); i += stride, ++count) {
            const mapping::Problem problem = problemOf(cases[i]);
            const auto seed = static_cast<std::uint64_t>(state.range(0));
            const double ours = makespanOf(problem, "tessera", seed);
            const double above = ours / mapping::lowerBound(problem).makespan;
            close += above <= kClose ? 1 : 0;
            worst = std::max(worst, above);
            behind += ours > makespanOf(problem, "magma", seed) * kSame ? 1 : 0;
        }
    }
    state.counters["cases"] = static_cast<double>(count);
    state.counters["close"] = static_cast<double>(close);
    state.counters["worst"] = worst - 1;
    state.counters["behind"] = static_cast<double>(behind);
    if (stride > 1) return;
    const std::string seed = "seed " + std::to_string(state.range(0));
    bench::hold(state,
                {.what = "The search of 144 mappings, within 1 % of their bounds,",
                 .bound = 135,
                 .unit = "of 144",
                 .side = bench::Side::atLeast},
                static_cast<double>(close), seed);
    bench::hold(state, {.what = "The search of 144 mappings, behind MAGMA's,", .bound = 0, .unit = "of 144"},
                static_cast<double>(behind), seed);
}

void someCases(benchmark::State& state) {
    mapCases(state, 12);
}
BENCHMARK(someCases)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
    benchmark::RegisterBenchmark("long/allCases", [](benchmark::State& state) { mapCases(state, 1); })
        ->Arg(1)
        ->Arg(2)
        ->Arg(3)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    return true;
}();

}  // namespace
}  // namespace tessera

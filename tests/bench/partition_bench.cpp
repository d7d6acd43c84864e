// Speed of engine 1 (targets in the specification): all four strategies with their bounds on 128 + 128 accelerators,
// 8 levels, one thread.
#include <benchmark/benchmark.h>

#include <string>

#include "core/partition/partition.h"
#include "tests/core/partition/problems.h"
#include "tests/support/accpar_cases.h"

namespace tessera {
namespace {

hardware::Fleet mixedFleet() {
    return test::fleetOf({test::group("v2", 180e12, 8e9, 128), test::group("v3", 420e12, 16e9, 128)});
}

void solveCase(benchmark::State& state, const std::string& file) {
    const test::AccparCase testCase = test::loadAccparCase(test::sourcePath("tests/data/accpar/" + file));
    const hardware::Fleet fleet = mixedFleet();
    partition::Options options;
    options.dropGroups = false;
    double gap = 0;
    for (auto _ : state) {
        const partition::Result result = partition::solve(testCase.graph, fleet, options);
        benchmark::DoNotOptimize(&result);
        gap = result.plans.front().gap;
    }
    state.counters["gap"] = gap;
}
BENCHMARK_CAPTURE(solveCase, lenet, "039_real_homog.json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, alexnet, "041_real_homog.json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, vgg19, "049_real_homog.json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, resnet18, "051_real_homog.json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, resnet50, "055_real_homog.json")->Unit(benchmark::kMillisecond);

/// A chain of equal layers: time per layer shows whether the engine is linear.
void solveChain(benchmark::State& state) {
    model::LayerGraph graph;
    graph.name = "chain";
    const auto layers = static_cast<std::int32_t>(state.range(0));
    RandomStream random(1);
    for (std::int32_t n = 0; n < layers; ++n) {
        graph.layers.push_back(test::randomLayer(random, "l" + std::to_string(n)));
        if (n > 0) graph.edges.push_back({n - 1, n, 0});
    }
    model::completeLayerGraph(graph, "chain");
    const hardware::Fleet fleet = mixedFleet();
    partition::Options options;
    options.dropGroups = false;
    for (auto _ : state) {
        const partition::Result result = partition::solve(graph, fleet, options);
        benchmark::DoNotOptimize(&result);
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK(solveChain)->Arg(1000)->Arg(10'000)->Arg(100'000)->Complexity(benchmark::oN)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

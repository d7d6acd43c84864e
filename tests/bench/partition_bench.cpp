// Speed of engine 1 (targets in the specification): all four strategies with their bounds on 128 + 128 accelerators,
// 8 levels, one thread.
#include <benchmark/benchmark.h>

#include <string>

#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/partition/partition.h"
#include "tests/bench/target.h"
#include "tests/core/partition/problems.h"
#include "tests/support/accpar_cases.h"

namespace tessera {
namespace {

hardware::Fleet mixedFleet() {
    return test::fleetOf({test::group("v2", 180e12, 8e9, 128), test::group("v3", 420e12, 16e9, 128)});
}

void solveAll(benchmark::State& state, const model::LayerGraph& graph, const hardware::Fleet& fleet,
              partition::Groups groups = partition::Groups::all) {
    partition::Options options;
    options.groups = groups;
    double gap = 0;
    for (auto _ : state) {
        const partition::Result result = partition::solve(graph, fleet, options, {{.threads = 1}});
        benchmark::DoNotOptimize(&result);
        gap = result.plans.front().gap;
    }
    state.counters["gap"] = gap;
}

/// The same, held to a target.
void solvePromptly(benchmark::State& state, const model::LayerGraph& graph, const hardware::Fleet& fleet,
                   const bench::Target& target, const std::string& of = {}) {
    const bench::ProcessorClock clock;
    solveAll(state, graph, fleet);
    bench::hold(state, target, clock.each(state), of);
}

void solveCase(benchmark::State& state, const std::string& file, const bench::Target& target) {
    const test::AccparCase testCase = test::loadAccparCase(test::sourcePath("tests/data/accpar/" + file));
    const hardware::Fleet fleet = mixedFleet();
    solvePromptly(state, testCase.graph, fleet, target, file);
}

/// LeNet, AlexNet and VGG-19, ResNet-18 and 50.
const bench::Target kPlain{.what = "A partition of LeNet to VGG-19 on 256 accelerators", .bound = 1e-3};
const bench::Target kResidual{.what = "A partition of a ResNet on 256 accelerators", .bound = 5e-3};
BENCHMARK_CAPTURE(solveCase, lenet, "039_real_homog.json", kPlain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, alexnet, "041_real_homog.json", kPlain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, vgg19, "049_real_homog.json", kPlain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, resnet18, "051_real_homog.json", kResidual)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveCase, resnet50, "055_real_homog.json", kResidual)->Unit(benchmark::kMillisecond);

void solveDenseNet(benchmark::State& state) {
    solvePromptly(state, model::layerGraph(model::loadModel("zoo:densenet121")), mixedFleet(),
                  {.what = "A partition of DenseNet-121 on 256 accelerators", .bound = 50e-3});
}
BENCHMARK(solveDenseNet)->Unit(benchmark::kMillisecond);

// Linear in the layers.
// Ratio: solveChain/100000 <= 15 * solveChain/10000
// Ratio: solveChain/10000 <= 15 * solveChain/1000

/// A chain of random layers: time per layer shows whether the engine is linear, the gap whether it is as good.
void solveChain(benchmark::State& state) {
    solvePromptly(state, test::randomChain(static_cast<std::int32_t>(state.range(0))), mixedFleet(),
                  {.what = "A partition of a chain of up to 100,000 layers", .bound = 1},
                  std::to_string(state.range(0)) + " layers");
    state.SetComplexityN(state.range(0));
}
BENCHMARK(solveChain)
    ->Arg(1000)
    ->Arg(10'000)
    ->Arg(20'000)
    ->Arg(30'000)
    ->Arg(100'000)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

/// Layers that read many before them: too wide for exact elimination from a reach of 8 on.
void solveDense(benchmark::State& state) {
    solveAll(state,
             test::denseGraph(static_cast<std::int32_t>(state.range(0)), static_cast<std::int32_t>(state.range(1))),
             mixedFleet());
}
BENCHMARK(solveDense)
    ->Args({60, 6})
    ->Args({60, 8})
    ->Args({60, 14})
    ->Args({60, 60})
    ->Args({120, 24})
    ->Unit(benchmark::kMillisecond);

/// Nodes of 8 accelerators of two kinds, and the best subset of them.
void solveNodes(benchmark::State& state) {
    const test::AccparCase testCase = test::loadAccparCase(test::sourcePath("tests/data/accpar/055_real_homog.json"));
    solveAll(state, testCase.graph, test::nodes(static_cast<int>(state.range(0))), partition::Groups::best);
}
BENCHMARK(solveNodes)->Arg(8)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(solveNodes)->Name("long/solveNodes")->Arg(256)->Unit(benchmark::kMillisecond);

/// Joint cuts of a model over nodes of 8 H100, by physical costs, on one core.
void solveJointly(benchmark::State& state, const std::string& name) {
    const auto count = state.range(0);
    hardware::Group group{
        .name = "h100", .accelerator = hardware::loadAccelerator("h100"), .count = count, .network = {}};
    group.levels.push_back({.name = "links", .size = 8, .bandwidth = BytesPerSecond{450e9}});
    if (count > 8) group.levels.push_back({.name = "network", .size = count / 8, .bandwidth = BytesPerSecond{50e9}});
    const hardware::Fleet fleet = test::fleetOf({group});
    partition::Options options;
    options.batch = 1024;
    options.strategies = {"joint"};
    model::LoadOptions load;
    load.batch = static_cast<std::int64_t>(options.batch);
    const model::Model model = model::loadModel(name, load);
    const model::LayerGraph layers = model::layerGraph(model);
    double gap = 0;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const partition::Result result =
            partition::solvePhysical(layers, model.graph(), fleet, options, {{.threads = 1}});
        gap = result.plans.front().gap;
    }
    state.counters["gap"] = gap;
    bench::hold(state, {.what = "A partition by physical costs", .bound = 0.5}, clock.each(state),
                name + " on " + std::to_string(count));
}
BENCHMARK_CAPTURE(solveJointly, resnet50, "zoo:resnet50")->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveJointly, bertLarge, "zoo:bert-large")->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solveJointly, llama2, "zoo:llama2-7b")->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

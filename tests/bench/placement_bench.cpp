#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/codesign/placement/placement.h"
#include "tests/bench/target.h"
#include "tests/core/codesign/placement_cases.h"

namespace {

using namespace tessera;
using namespace tessera::codesign;

/// Processor seconds of PHAZE's published program (-O3) for a case, by what its name contains; 0 where not measured.
double publishedSeconds(const std::string& name) {
    constexpr std::pair<const char*, double> kMeasured[]{
        {"bertlarge", 0.09}, {"megatron2.5b", 0.92}, {"megatron8.3b", 3.45}, {"gpt3", 2.26}};
    for (const auto& [part, seconds] : kMeasured)
        if (name.find(part) != std::string::npos) return seconds;
    return 0;
}

/// A case of the published program from its graph on, with the reason where nothing fits; the time of that program
/// beside it.
void placeCase(benchmark::State& state) {
    static const std::vector<codesign::cases::OracleCase> kCases = codesign::cases::oracleCases();
    const codesign::cases::OracleCase& known = kCases.at(static_cast<std::size_t>(state.range(0)));
    state.SetLabel(known.name);
    if (const double published = publishedSeconds(known.name); published > 0) state.counters["published_s"] = published;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const Placement placement = Placer(known.file.graph).place(known.file.problem, {.explain = true});
        if (placement.plan.has_value() != known.seconds.has_value()) state.SkipWithError("the case is not placed");
        benchmark::DoNotOptimize(placement);
    }
    bench::hold(state, {.what = "A placement of the published cases", .bound = 5e-3}, clock.each(state), known.name);
}

/// A deep transformer: layers alike but for a few percent, a shortcut over every fourth, widths 1 to 4.
std::pair<LayerGraph, PlacementProblem> deep(std::size_t layers, double gigabytes, bool recompute) {
    LayerGraph graph{.layers = layers, .edges = {}};
    for (std::size_t i = 0; i + 1 < layers; ++i) graph.edges.push_back({i, i + 1});
    for (std::size_t i = 0; i + 4 < layers; i += 4) graph.edges.push_back({i, i + 4});
    PlacementProblem problem{.byDegree = {},
                             .accelerators = 4096,
                             .microBatches = 8192,
                             .memory = {gigabytes * 1e9},
                             .bandwidth = {100e9},
                             .optimizerState = 2,
                             .recompute = recompute};
    for (const std::int64_t degree : {1, 2, 4}) {
        DegreeCosts& costs = problem.byDegree.emplace_back();
        costs.degree = degree;
        const auto share = static_cast<double>(degree);
        for (std::size_t i = 0; i < layers; ++i) {
            const double uneven = 1 + static_cast<double>(i * 7919 % 97) / 1000;
            costs.layers.push_back({.weights = {400e6 * uneven / share},
                                    .activations = {1e9 * uneven / share},
                                    .forward = {4e-3 * uneven / share + 0.2e-3 * (share - 1)},
                                    .backward = {8e-3 * uneven / share + 0.2e-3 * (share - 1)},
                                    .tensorParallel = true});
        }
        for (std::size_t e = 0; e < graph.edges.size(); ++e) costs.edges.push_back({50e6});
    }
    return {graph, problem};
}

void placeDeep(benchmark::State& state) {
    const auto [graph, problem] =
        deep(static_cast<std::size_t>(state.range(0)), static_cast<double>(state.range(1)), state.range(2) != 0);
    const Placer placer(graph);
    std::size_t stages = 0;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const Placement placement = placer.place(problem);
        stages = placement.plan ? placement.plan->stages.size() : 0;
    }
    state.counters["stages"] = static_cast<double>(stages);
    bench::hold(state, {.what = "A placement of up to 1,000 layers", .bound = 50e-3}, clock.each(state),
                std::to_string(state.range(0)) + " layers, " + std::to_string(state.range(1)) + " GB" +
                    (state.range(2) != 0 ? ", recomputed" : ""));
}

/// The deep model by a plan's degrees: the fastest plan's own.
void placeDegrees(benchmark::State& state) {
    const auto [graph, problem] = deep(1000, 80, false);
    const Placer placer(graph);
    const Plan fastest = placer.place(problem).plan.value();
    const PlacementOptions options{.fasterThan = {},
                                   .degrees = Degrees{.pipeline = static_cast<std::int64_t>(fastest.stages.size()),
                                                      .tensorParallel = fastest.tensorParallel,
                                                      .data = fastest.data}};
    for (auto _ : state) {
        const Placement made = placer.place(problem, options);
        if (made.plan->timePerBatch.value > fastest.timePerBatch.value * (1 + 1e-12))
            state.SkipWithError("a plan of the fastest one's degrees is slower than it");
    }
}
// Only cuts are left to choose, of one width and one number of stages.
// Ratio: placeDegrees <= 2 * placeDeep/layers:1000/GB:80/recompute:0

/// Two branches side by side, of which every pair of places can be a cut.
void placeBranches(benchmark::State& state) {
    const auto length = static_cast<std::size_t>(state.range(0));
    auto [graph, problem] = deep(2 * length, 80, false);
    graph.edges.clear();
    for (std::size_t i = 0; i + 1 < length; ++i) {
        graph.edges.push_back({i, i + 1});
        graph.edges.push_back({length + i, length + i + 1});
    }
    for (DegreeCosts& costs : problem.byDegree) costs.edges.resize(graph.edges.size());
    const Placer placer(graph);
    for (auto _ : state) benchmark::DoNotOptimize(placer.place(problem));
    state.counters["cuts"] = static_cast<double>(placer.cuts());
}

}  // namespace

BENCHMARK(placeCase)->DenseRange(0, 69)->Unit(benchmark::kMillisecond);
BENCHMARK(placeDeep)
    ->ArgNames({"layers", "GB", "recompute"})
    ->ArgsProduct({{192, 1000}, {24, 80, 640}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(placeDegrees)->Unit(benchmark::kMillisecond);
BENCHMARK(placeBranches)->Name("long/placeBranches")->Arg(50)->Arg(100)->Arg(198)->Unit(benchmark::kMillisecond);

// How fast a model of 10,000 operators is folded and laid out.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/draw/graph_layout.h"
#include "core/model/graph_hierarchy.h"
#include "tests/bench/target.h"
#include "tests/support/large_graph.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

const model::Graph& graph() {
    static const model::Graph kGraph = test::largeGraph();
    return kGraph;
}

void layOut(const model::GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded) {
    const model::VisibleGraph visible = model::visibleGraph(hierarchy, expanded);
    report::LayoutRequest request;
    std::vector<std::int32_t> places(hierarchy.nodes.size(), -1);
    for (const std::int32_t open : visible.open) {
        const std::int32_t around = hierarchy.node(open).parent;
        const auto parent = around < 0 ? -1 : places[static_cast<std::size_t>(around)];
        places[static_cast<std::size_t>(open)] = static_cast<std::int32_t>(request.frames.size());
        request.frames.push_back({parent, 120});
    }
    std::vector<std::size_t> cards(hierarchy.nodes.size(), 0);
    for (const std::int32_t node : visible.nodes) {
        cards[static_cast<std::size_t>(node)] = request.nodes.size();
        request.nodes.push_back({150, 60, places[static_cast<std::size_t>(hierarchy.node(node).parent)]});
    }
    for (const model::VisibleEdge& edge : visible.edges)
        request.edges.push_back(
            {cards[static_cast<std::size_t>(edge.from)], cards[static_cast<std::size_t>(edge.to)], edge.data});
    benchmark::DoNotOptimize(report::layOut(request));
}

/// On the wall.
double eachSince(Clock::time_point start, const benchmark::State& state) {
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(state.iterations());
}

void firstPicture(benchmark::State& state) {
    graph();
    const auto start = Clock::now();
    for (auto _ : state) {
        const model::GraphHierarchy hierarchy = model::hierarchyOf(graph());
        benchmark::DoNotOptimize(model::totalsOf(graph(), hierarchy));
        layOut(hierarchy, model::firstExpanded(hierarchy));
    }
    bench::hold(state, {.what = "The first layout of 10,000 operators", .bound = 1}, eachSince(start, state));
}
BENCHMARK(firstPicture)->Unit(benchmark::kMillisecond)->UseRealTime();

// A block opens in less time than the first picture takes.
// Ratio: openABlock/real_time <= 0.4 * firstPicture/real_time

void openABlock(benchmark::State& state) {
    const model::GraphHierarchy hierarchy = model::hierarchyOf(graph());
    std::set<std::int32_t> expanded = model::firstExpanded(hierarchy);
    for (std::size_t i = 0; i < hierarchy.nodes.size(); ++i)
        if (hierarchy.nodes[i].name == "stage1.30") expanded.insert(static_cast<std::int32_t>(i));
    const auto start = Clock::now();
    for (auto _ : state) layOut(hierarchy, expanded);
    bench::hold(state, {.what = "The layout of an opened block of 10,000 operators", .bound = 0.3},
                eachSince(start, state));
}
BENCHMARK(openABlock)->Unit(benchmark::kMillisecond)->UseRealTime();

void sums(benchmark::State& state) {
    const model::GraphHierarchy hierarchy = model::hierarchyOf(graph());
    const auto start = Clock::now();
    for (auto _ : state) benchmark::DoNotOptimize(model::totalsOf(graph(), hierarchy));
    bench::hold(state, {.what = "Summing up 10,000 operators", .bound = 0.1}, eachSince(start, state));
}
BENCHMARK(sums)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tessera

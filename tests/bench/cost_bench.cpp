#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/dataflow.h"
#include "tests/bench/target.h"

namespace {

using namespace tessera;
using namespace tessera::cost;

/// Layers of ordinary networks: convolutions, depthwise ones, products of matrices, fully connected.
std::vector<Layer> layers() {
    std::vector<Layer> made;
    for (const std::int64_t channels : {16, 64, 80, 96, 256, 512})
        for (const std::int64_t map : {9, 16, 30, 58, 114}) {
            made.push_back({.k = channels, .c = channels, .y = map, .x = map, .r = 3, .s = 3});
            made.push_back({.k = 4 * channels, .c = channels, .y = map, .x = map});
            made.push_back({.kind = LayerKind::dsconv, .c = channels, .y = map, .x = map, .r = 3, .s = 3});
            made.push_back({.k = 8 * channels, .c = channels, .y = map});
        }
    return made;
}

/// One layer after the other under one dataflow.
void analyseLayers(benchmark::State& state) {
    constexpr std::array kStyles{"nvdla", "eyeriss", "shidiannao"};
    const std::string name = kStyles[static_cast<std::size_t>(state.range(0))];
    const Dataflow style = bundledDataflow(name);
    const Dataflow depthwise = bundledDataflow("depthwise");
    const Variant variant = state.range(1) == 0 ? Variant::published : Variant::corrected;
    const std::vector<Layer> all = layers();
    std::int64_t done = 0;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        for (const Layer& layer : all)
            benchmark::DoNotOptimize(analyse(layer, dataflowFor(layer, style, depthwise), {}, variant));
        done += static_cast<std::int64_t>(all.size());
    }
    state.SetItemsProcessed(done);
    bench::hold(state, {.what = "The cost of a layer under a dataflow", .bound = 5e-6},
                clock.seconds() / static_cast<double>(done),
                name + (variant == Variant::published ? ", published" : ", corrected"));
}

}  // namespace

BENCHMARK(analyseLayers)->ArgNames({"dataflow", "corrected"})->ArgsProduct({{0, 1, 2}, {0, 1}});

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/core_cost.h"
#include "core/hardware/library.h"
#include "tests/bench/target.h"

namespace {

using namespace tessera;
using namespace tessera::cost;

/// The products of a transformer layer of the given width, forward and backward, and its softmax and normalisation.
std::vector<CoreWork> layerOf(std::int64_t rows, std::int64_t width, std::int64_t heads, std::int64_t length) {
    std::vector<Gemm> products{{.m = rows, .n = 3 * width, .k = width},
                               {.m = rows, .n = width, .k = width},
                               {.m = rows, .n = 4 * width, .k = width},
                               {.m = rows, .n = width, .k = 4 * width},
                               {.batch = heads * rows / length, .m = length, .n = length, .k = width / heads},
                               {.batch = heads * rows / length, .m = length, .n = width / heads, .k = length}};
    std::vector<CoreWork> works;
    for (const Gemm& gemm : products) {
        const Gemm ofActivations{.batch = gemm.batch, .m = gemm.m, .n = gemm.k, .k = gemm.n};
        const Gemm ofWeights{.batch = gemm.batch, .m = gemm.k, .n = gemm.n, .k = gemm.m};
        for (const Gemm& one : {gemm, ofActivations, ofWeights}) works.push_back({.gemm = one, .vector = {}});
    }
    works.push_back({.gemm = {}, .vector = vectorWork(*vectorKindNamed("softmax"), heads * rows * length)});
    works.push_back({.gemm = {}, .vector = vectorWork(*vectorKindNamed("layer-norm"), rows * width)});
    works.push_back({.gemm = products[2], .vector = vectorWork(*vectorKindNamed("gelu"), 4 * rows * width)});
    return works;
}

std::vector<CoreWork> works() {
    std::vector<CoreWork> all = layerOf(512, 1024, 16, 512);                          // BERT-large
    for (const CoreWork& work : layerOf(1024, 1600, 25, 1024)) all.push_back(work);   // GPT-2 1.5B
    for (const CoreWork& work : layerOf(2048, 12288, 96, 2048)) all.push_back(work);  // GPT-3
    return all;
}

/// Every `step`-th architecture of the bundled template that fits its bound.
std::vector<hardware::Architecture> someArchitectures(std::size_t step) {
    const hardware::Template space = hardware::loadTemplate("phaze");
    std::vector<hardware::Architecture> some;
    std::size_t fitting = 0;
    for (const hardware::Architecture& architecture : architectures(space))
        if (areaOf(architecture, space).total() <= areaBound(space) && fitting++ % step == 0)
            some.push_back(architecture);
    return some;
}

/// One operator after the other on one architecture after the other, nothing remembered.
void estimateOperators(benchmark::State& state) {
    const Estimator& estimator = estimators()[static_cast<std::size_t>(state.range(0))];
    const std::vector<CoreWork> all = works();
    const std::vector<hardware::Architecture> some = someArchitectures(997);
    const hardware::Rates rates = hardware::loadTemplate("phaze").rates;
    std::int64_t done = 0;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        for (const hardware::Architecture& architecture : some)
            for (const CoreWork& work : all) benchmark::DoNotOptimize(estimator.estimate(work, architecture, rates));
        done += static_cast<std::int64_t>(all.size() * some.size());
    }
    state.SetItemsProcessed(done);
    bench::hold(state, {.what = "The cost of an operator on a core", .bound = 100e-6},
                clock.seconds() / static_cast<double>(done), std::string(estimator.id));
}

/// The areas of all points of the bundled template.
void areasOfATemplate(benchmark::State& state) {
    const hardware::Template space = hardware::loadTemplate("phaze");
    const std::vector<hardware::Architecture> all = architectures(space);
    std::int64_t done = 0;
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        for (const hardware::Architecture& architecture : all)
            benchmark::DoNotOptimize(areaOf(architecture, space.area));
        done += static_cast<std::int64_t>(all.size());
    }
    state.SetItemsProcessed(done);
    bench::hold(state, {.what = "The area of an architecture", .bound = 1e-6},
                clock.seconds() / static_cast<double>(done));
}

}  // namespace

BENCHMARK(estimateOperators)->ArgName("estimator")->Arg(0)->Arg(1);
BENCHMARK(areasOfATemplate);

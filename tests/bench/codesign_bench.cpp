#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/hardware/library.h"
#include "tests/bench/target.h"

namespace {

using namespace tessera;
using namespace tessera::codesign;

/// The paper's workloads.
const std::vector<std::string>& workloads() {
    static const std::vector<std::string> kNames{"zoo:opt-350m",          "zoo:bert-large",    "zoo:gpt2-xl",
                                                 "zoo:llama2-7b",         "zoo:megatron-bert", "zoo:megatron-gpt-2.5b",
                                                 "zoo:megatron-gpt-8.3b", "zoo:gpt3-175b"};
    return kNames;
}

/// An exhaustive search of the bundled template for one workload by an estimator, which ends with a proof. (The paper:
/// hours on 128 cores.)
void searchExhaustively(benchmark::State& state) {
    const std::string& name = workloads().at(static_cast<std::size_t>(state.range(0)));
    Options options;
    options.estimator = state.range(1) == 0 ? "physical" : "phaze";
    state.SetLabel(name + ", " + options.estimator);
    const hardware::Template space = hardware::loadTemplate("phaze");
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        const Result result = search({loadWorkload(name, {})}, space, options);
        state.counters["explored"] = static_cast<double>(result.explored);
        if (!result.optimal) state.SkipWithError("the best is not proven");
        benchmark::DoNotOptimize(result);
    }
    bench::hold(state, {.what = "A search of every accelerator for a workload, on two cores,", .bound = 60},
                clock.each(state) / 2, name + ", " + options.estimator);
}

/// A hundred architectures drawn from the template, everything about them worked out.
void searchSome(benchmark::State& state) {
    const hardware::Template space = hardware::loadTemplate("phaze");
    Options options;
    options.search = SearchKind::random;
    options.samples = 100;
    const std::vector<Workload> models{loadWorkload("zoo:bert-large", {})};
    for (auto _ : state) benchmark::DoNotOptimize(search(models, space, options));
}

}  // namespace

BENCHMARK(searchExhaustively)
    ->Name("long/searchExhaustively")
    ->ArgsProduct({benchmark::CreateDenseRange(0, 7, 1), {0, 1}})
    ->Unit(benchmark::kSecond)
    ->Iterations(1);
BENCHMARK(searchSome)->Unit(benchmark::kMillisecond);

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/predict/predict.h"
#include "tests/bench/target.h"

namespace {

using namespace tessera;
using namespace tessera::predict;

Workload workloadNamed(const std::string& name) {
    return workloadOf(model::loadModel(name), precisionOf("bf16"), model::Optimizer::adam);
}

/// From a loaded model on: its training graph, the batch, the times.
void predictOn(benchmark::State& state, const std::string& name, const bench::Target& target) {
    const model::Model model = model::loadModel(name);
    const Machine machine = machineOf(hardware::loadAccelerator("h100"), {}, "bf16");
    const auto once = [&] {
        const Workload workload = workloadOf(model, precisionOf("bf16"), model::Optimizer::adam);
        benchmark::DoNotOptimize(Predictor(workload, {}).predict(machine, 1));
    };
    constexpr int kFirst = 5;  // they touch memory that the others find
    for (int i = 0; i < kFirst; ++i) once();
    const bench::ProcessorClock clock;
    for (auto _ : state) once();
    bench::hold(state, target, clock.each(state));
}

void resnet50(benchmark::State& state) {
    predictOn(state, "zoo:resnet50", {.what = "A prediction of ResNet-50", .bound = 5e-3});
}
BENCHMARK(resnet50);

void gpt3(benchmark::State& state) {
    predictOn(state, "zoo:gpt3-175b", {.what = "A prediction of GPT-3", .bound = 50e-3});
}
BENCHMARK(gpt3);

// As many times longer as the step has operators, and some for its collectives.
// Ratio: gpt3 <= 25 * resnet50

/// 12 accelerators × 20 batch sizes × 8 device counts, with the orders.
void sweep(benchmark::State& state) {
    const Workload workload = workloadNamed("zoo:resnet50");
    std::vector<Machine> machines;
    for (const char* name :
         {"a100", "a100-40gb", "v100", "h100", "h200", "tpu-v2", "tpu-v3", "tpu-v4", "sn30", "bow", "cs2", "gaudi2"})
        machines.push_back(machineOf(hardware::loadAccelerator(name), {}, "bf16"));
    const bench::ProcessorClock clock;
    for (auto _ : state) {
        for (std::int64_t batch = 8; batch <= 160; batch += 8) {
            Options options;
            options.batch = batch;
            options.collective = "parameter-server";
            const Predictor predictor(workload, options);
            std::vector<Prediction> predictions;
            for (const Machine& machine : machines) {
                Machine linked = machine;
                if (!linked.accelerator.network) linked.accelerator.network = fromBitsPerSecond(100e9);
                for (std::int64_t devices = 1; devices <= 128; devices *= 2)
                    predictions.push_back(predictor.predict(linked, devices));
            }
            benchmark::DoNotOptimize(rankingsOf(predictions, 1));
        }
    }
    bench::hold(state, {.what = "A sweep of 12 accelerators, 20 batches and 8 counts", .bound = 2}, clock.each(state));
}
BENCHMARK(sweep)->Unit(benchmark::kMillisecond);

}  // namespace

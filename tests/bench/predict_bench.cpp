#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/predict/predict.h"

namespace {

using namespace tessera;
using namespace tessera::predict;

/// Seconds of this processor that one round may take.
void hold(benchmark::State& state, double max, std::clock_t started, const char* sentence) {
    const double took = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    const double each = took / static_cast<double>(state.iterations());
    state.counters["seconds"] = each;
    if (each > max) state.SkipWithError(sentence);
}

Workload workloadNamed(const std::string& name) {
    return workloadOf(model::loadModel(name), precisionOf("bf16"), model::Optimizer::adam);
}

/// From a loaded model on: its training graph, the batch, the times.
void predictOn(benchmark::State& state, const std::string& name, double max, const char* sentence) {
    const model::Model model = model::loadModel(name);
    const Machine machine = machineOf(hardware::loadAccelerator("h100"), {}, "bf16");
    const auto once = [&] {
        const Workload workload = workloadOf(model, precisionOf("bf16"), model::Optimizer::adam);
        benchmark::DoNotOptimize(Predictor(workload, {}).predict(machine, 1));
    };
    constexpr int kFirst = 5;  // they touch memory that the others find
    for (int i = 0; i < kFirst; ++i) once();
    const std::clock_t started = std::clock();
    for (auto _ : state) once();
    hold(state, max, started, sentence);
}

void resnet50(benchmark::State& state) {
    predictOn(state, "zoo:resnet50", 5e-3, "a prediction of ResNet-50 takes more than 5 milliseconds");
}
BENCHMARK(resnet50);

void gpt3(benchmark::State& state) {
    predictOn(state, "zoo:gpt3-175b", 50e-3, "a prediction of GPT-3 takes more than 50 milliseconds");
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
    const std::clock_t started = std::clock();
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
    hold(state, 2, started, "the sweep takes more than 2 seconds");
}
BENCHMARK(sweep)->Unit(benchmark::kMillisecond);

}  // namespace

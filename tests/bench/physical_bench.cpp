#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/hardware/library.h"
#include "core/physical/collective.h"
#include "core/physical/kernel.h"
#include "core/physical/step.h"
#include "core/physical/training_predictor.h"
#include "core/study/measured_validation.h"

namespace {

using namespace tessera;
using namespace tessera::physical;

/// Seconds of this processor that one round may take; a millisecond in all is within what its clock tells.
void hold(benchmark::State& state, double max, std::clock_t started, const char* sentence) {
    const double took = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    const double each = took / static_cast<double>(state.iterations());
    state.counters["seconds"] = each;
    if (each > max && took > 1e-3) state.SkipWithError(sentence);
}

/// 100 layers on 512 H100: 8 in tensors, 8 in pipeline stages, 1F1B.
TrainingRun largeRun() {
    TrainingRun run{.model = "zoo:gpt",
                    .dims = {{"layers", "100"},
                             {"hidden", "12288"},
                             {"heads", "96"},
                             {"sequence", "2048"},
                             {"vocabulary", "51200"}},
                    .accelerator = "h100",
                    .accelerators = 512,
                    .perNode = 8};
    run.dtype = "bf16";
    run.globalBatch = 1024;
    run.microBatch = 1;
    run.tensorParallel = 8;
    run.pipelineParallel = 8;
    run.dataParallel = 8;
    run.optimizer = "adam";
    run.software = "Megatron-LM";
    return run;
}

void stepOf100Layers(benchmark::State& state) {
    const Device device = deviceOf(hardware::loadAccelerator("h100"));
    std::string refusal;
    const std::vector<StepSetting> settings = stepSettingsOf(largeRun(), device, refusal);
    if (settings.empty()) throw UsageError(refusal);
    const StepConstants& constants = stepFitOf(settings.front().stack.fit, -1).constants;
    stepWorkOf(settings.front());  // the first reads what was measured
    const std::clock_t started = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(stepTimesOf(stepWorkOf(settings.front()), constants));
    hold(state, 20e-6, started, "a step of 100 layers takes more than 20 microseconds");
}
BENCHMARK(stepOf100Layers);

/// The same once its kernels and collectives are known.
void stepOfKnownWork(benchmark::State& state) {
    const Device device = deviceOf(hardware::loadAccelerator("h100"));
    std::string refusal;
    const std::vector<StepSetting> settings = stepSettingsOf(largeRun(), device, refusal);
    if (settings.empty()) throw UsageError(refusal);
    const StepWork work = stepWorkOf(settings.front());
    const StepConstants& constants = stepFitOf(settings.front().stack.fit, -1).constants;
    const std::clock_t started = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(stepTimesOf(work, constants));
    hold(state, 2e-6, started, "a step whose work is known takes more than 2 microseconds");
}
BENCHMARK(stepOfKnownWork);

void collective(benchmark::State& state) {
    const CollectiveRequest request{
        .system = "h100", .operation = Collective::allReduce, .accelerators = 8, .perNode = 8, .bytes = 5e7};
    predictCollective(request);  // the first reads what was measured
    const std::clock_t started = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(predictCollective(request));
    hold(state, 1e-6, started, "a collective takes more than a microsecond");
}
BENCHMARK(collective);

void validateAllRows(benchmark::State& state) {
    const std::clock_t started = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(study::validateMeasured({}, {}));
    hold(state, 40, started, "a validation of all rows takes more than 20 seconds of two cores");
}
BENCHMARK(validateAllRows)->Unit(benchmark::kMillisecond);

}  // namespace

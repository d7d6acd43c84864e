#include <benchmark/benchmark.h>

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
#include "tests/bench/target.h"

namespace {

using namespace tessera;
using namespace tessera::physical;

/// Holds one round to a target; the first touches memory that the others find, and few say nothing.
void holdEach(benchmark::State& state, const bench::ProcessorClock& clock, const bench::Target& target) {
    if (clock.seconds() > 1e-3) bench::hold(state, target, clock.each(state));
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
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(stepTimesOf(stepWorkOf(settings.front()), constants));
    holdEach(state, clock, {.what = "A step of 100 layers", .bound = 20e-6});
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
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(stepTimesOf(work, constants));
    holdEach(state, clock, {.what = "A step of 100 layers whose work is known", .bound = 2e-6});
}
BENCHMARK(stepOfKnownWork);

void collective(benchmark::State& state) {
    const CollectiveRequest request{
        .system = "h100", .operation = Collective::allReduce, .accelerators = 8, .perNode = 8, .bytes = 5e7};
    predictCollective(request);  // the first reads what was measured
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(predictCollective(request));
    holdEach(state, clock, {.what = "A collective", .bound = 1e-6});
}
BENCHMARK(collective);

void validateAllRows(benchmark::State& state) {
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(study::validateMeasured({}, {}));
    bench::hold(state, {.what = "A validation of all measured rows, on two cores,", .bound = 20},
                clock.each(state) / 2);
}
BENCHMARK(validateAllRows)->Unit(benchmark::kMillisecond);

}  // namespace

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/physical/measured_table.h"
#include "core/physical/step.h"
#include "core/physical/step_fit.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// The devices of the library by name, each read once. Safe from several threads.
class DeviceLibrary {
public:
    /// Null where there is none of that name or it cannot be used, with a sentence in `refusal`.
    const Device* deviceNamed(const std::string& name, std::string& refusal);

private:
    struct Entry {
        std::optional<Device> device = {};
        std::string refusal = {};
    };
    std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> entries_;
};

/// Bytes/s to the network and per direction of one device in systems that are built of it, where nobody says: a card of
/// 400 Gbit/s since there is FP8, before a twelfth of the rate of its links (V100: 100 Gbit/s, A100: 200); 0 where it
/// has no links.
double networkRateOf(const Device& device);

/// What a transformer's run may be, with documented defaults for what the row leaves open: data_parallel =
/// accelerators / (tensor x pipeline x context), global_batch = micro_batch x data_parallel, one chunk, 1F1B
/// (interleaved with several chunks), nothing computed again; tuned stacks split sequences with tensors and shard the
/// optimizer. Where no degree is said, the fewest devices that hold the model, inside a node first. A micro-batch and
/// chunks that are not said leave a choice (1, 2, 4, 8 samples; 1 to 4 chunks) of what fits, of which the fastest
/// counts. Empty, with a sentence in `refusal`, where it cannot be.
std::vector<StepSetting> stepSettingsOf(const TrainingRun& run, const Device& device, std::string& refusal);

/// Which rows the constants may have seen.
enum class SeenRows : std::uint8_t {
    allRows,     ///< for users' predictions
    otherFolds,  ///< only those of other parts than the run's, for judging
};

/// The metric of a transformer's run. Refused with a sentence.
Prediction predictTransformer(const TrainingRun& run, const Device& device, SeenRows seen);

/// A step of a transformer on equal devices that each hold all of it.
struct ReplicaStep {
    double computed = 0;  ///< s of one device alone, with its update
    double exposed = 0;   ///< s of the reduction of gradients that computation does not hide
    StepTimes times = {};
    double shown = 1;   ///< share of any such reduction that computation does not hide
    double spread = 0;  ///< 90 % of measured runs lie within this logarithm
};
/// The step of a run with data parallelism alone. Throws UsageError with the sentence of a refusal.
ReplicaStep replicaStepOf(const TrainingRun& run, const Device& device);

/// A run and what was measured of it.
struct MeasuredRun {
    TrainingRun run;
    double value = 0;  ///< in the unit of its metric
};

/// The runs of transformers of a table (columns of data/measured/training.csv). Throws DataError.
std::vector<MeasuredRun> transformerRunsOf(const MeasuredTable& table);

/// The runs whose time or throughput was measured, as `fitStep` wants them; what is refused is left out. Sets of one
/// stack weigh as the square root of their rows, so that the largest does not decide alone.
std::vector<StepSample> stepSamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices);

/// The fits of a stack ("any": of a quarter of all samples) as `stepFits` has them: first what all of its samples say,
/// then what they say without each part. A spread is the `conformalSpread` of the samples seen, each by the fit without
/// its own part.
std::vector<StepFit> refitStack(const std::vector<StepSample>& samples, std::string_view stack);

/// A run whose peak of memory was measured.
struct MemorySample {
    double modelled = 0, measured = 0;  ///< bytes, the first without what the software holds
    int fold = 0;                       ///< `runFold`
    std::string_view stack = {};        ///< `StackTraits::memory`
};
/// The runs whose memory was measured; what is refused is left out.
std::vector<MemorySample> memorySamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices);
/// The fits of a stack ("any": of all samples) as `memoryFits` has them, in the order of `refitStack`: the allowance of
/// whole 50 MB that makes the mean |log(measured / model)| smallest.
std::vector<MemoryFit> refitMemory(const std::vector<MemorySample>& samples, std::string_view stack);

}  // namespace tessera::physical

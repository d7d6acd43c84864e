#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/physical/step.h"
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

}  // namespace tessera::physical

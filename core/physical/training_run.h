#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/physical/measured_table.h"
#include "core/physical/pipeline.h"

namespace tessera::physical {

/// What of the activations is computed again in the backward pass.
enum class Recompute : std::uint8_t { none, selective, full };
inline constexpr EnumNames<Recompute> kRecomputeNames{"none", "selective", "full"};

/// What is said of a run. Times are of all devices.
enum class RunMetric : std::uint8_t {
    step,                  ///< s per step
    forward,               ///< s of the forward pass
    samples,               ///< per second, of all devices
    tokensPerAccelerator,  ///< per second
    memory,                ///< bytes, the peak of one device
    energy,                ///< J per step
    bubble                 ///< idle share of a pipeline
};
inline constexpr EnumNames<RunMetric> kRunMetricNames{
    "step_s", "forward_s", "samples_per_s", "tokens_per_s_per_accelerator", "memory_bytes", "energy_j", "bubble_share"};

/// One configuration of a model on accelerators, as the columns of data/measured/training.csv say it. An empty optional
/// is what the row leaves open; whoever predicts says what is assumed for it.
struct TrainingRun {
    std::string set = {}, id = {};
    std::string model = {};                                     ///< "zoo:gpt", "zoo:resnet50"
    std::map<std::string, std::string, std::less<>> dims = {};  ///< "layers" -> "30", "attention" -> "mla"
    std::string accelerator = {};
    int accelerators = 1;
    int perNode = 1;
    double networkBytesPerSecond = 0;  ///< of one whole node and per direction; 0: not said
    std::string dtype = {};            ///< of the products of matrices; empty: not said
    double globalBatch = 0;            ///< samples per step of all devices; 0: not said
    double microBatch = 0;             ///< samples per forward pass of one replica; 0: not said
    std::optional<int> tensorParallel = {}, pipelineParallel = {}, dataParallel = {}, contextParallel = {},
                       expertParallel = {}, virtualStages = {};
    std::optional<PipelineSchedule> schedule = {};
    std::optional<Recompute> recompute = {};
    std::optional<bool> sequenceParallel = {};
    std::optional<int> zero = {};  ///< stage 0 to 3
    std::string optimizer = {};    ///< empty: not said
    bool training = true;          ///< else inference
    std::string software = {};     ///< in the words of the source
    RunMetric metric = RunMetric::step;

    /// A dimension that is a number; nothing where the run does not give it. Throws UsageError for one that is no
    /// number above 0.
    std::optional<double> dim(std::string_view name) const;
    /// As `dim`, or another value.
    double dimOr(std::string_view name, double otherwise) const;
};

/// Returns the run of a row. Columns that the table lacks are not said. Throws DataError at a cell that means nothing,
/// UsageError for a schedule, recomputation or metric that is not known.
TrainingRun trainingRunOf(const MeasuredTable& table, const MeasuredRow& row);

/// Parts that rows are split into when constants are fitted and judged.
inline constexpr int kRunFolds = 5;
/// The part of a run: a hash of its configuration, so that all metrics of one run lie together, whatever the set, the
/// software and the name of the row.
int runFold(const TrainingRun& run);

}  // namespace tessera::physical

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/quantity.h"
#include "core/hardware/numbers.h"
#include "core/model/operators/operator_table.h"
#include "core/model/training.h"

/// Training throughput of a model on an accelerator: after Xie et al., "Centimani: Enabling Fast AI Accelerator
/// Selection for DNN Training with a Novel Performance Predictor", USENIX ATC 2024.
namespace tessera::predict {

/// Category of memory in one training step (Centimani, 4.2.2).
enum class Category : std::uint8_t {
    inputOutput,  ///< inputs, activations and their gradients
    weights,      ///< parameters, and what else is stored with the model
    gradients,    ///< of the parameters, and the optimizer state
    algorithm,    ///< float32 master copies of mixed precision
    ephemeral,    ///< workspaces of libraries, buffers of communication
};
inline constexpr std::size_t kCategories = 5;
constexpr std::size_t slotOf(Category category) {
    return static_cast<std::size_t>(category);
}
/// "input_output", "weights", "gradients", "algorithm", "ephemeral": ids in files.
std::string_view idOf(Category category);
/// "inputs and activations", …: for people.
std::string_view titleOf(Category category);
/// Bytes, by Category.
using CategoryBytes = std::array<double, kCategories>;
double sumOf(const CategoryBytes& bytes);

/// One level of an accelerator's memory and what lies in it.
struct LevelUse {
    std::string level;
    bool onChip = false;
    std::optional<Bytes> capacity;
    std::optional<BytesPerSecond> bandwidth;
    CategoryBytes bytes{};
    bool operator==(const LevelUse&) const = default;
};

/// Peak memory of one device during the step.
struct MemoryUse {
    CategoryBytes bytes{};
    std::vector<LevelUse> levels;  ///< empty where the accelerator gives none
    std::string at;                ///< the operator that runs at that moment
    bool operator==(const MemoryUse&) const = default;
};

/// The memory of one device with a batch that was tried.
struct BatchMemory {
    std::int64_t batch = 1;
    bool fits = true;
    std::vector<CategoryBytes> levels;  ///< in the order of MemoryUse::levels
    double throughput = 0;              ///< samples per second over all devices; 0 = not known
    bool operator==(const BatchMemory&) const = default;
};

/// Source of an operator's time.
enum class Way : std::uint8_t {
    measured,     ///< a kernel in the accelerator's own table (Centimani, eq. 2)
    roofline,     ///< the same equation where there is none
    fitted,       ///< the physical model, whose parameters the accelerator's own products gave
    transferred,  ///< the physical model, with parameters of the accelerator that is least unlike
};
inline constexpr EnumNames<Way> kWayNames{"measured", "roofline", "fitted", "transferred"};
/// The bound of an operator that is done in the kernel of one before it.
inline constexpr std::string_view kJoined = "joined";

struct OperatorTime {
    std::string name;
    std::string type;
    model::Phase phase = model::Phase::forward;
    Way way = Way::roofline;
    std::string bound;         ///< "compute", a memory level or `kJoined`; of a measured kernel: its name
    bool outsideHull = false;  ///< the kernel is in the table, but not around this shape
    Seconds time;
    bool operator==(const OperatorTime&) const = default;
};

/// Operators of one type and phase with the same work, bytes and time: repeated layers of a model.
struct AlikeOperators {
    std::string name;  ///< of the first
    std::string type;
    model::Phase phase = model::Phase::forward;
    model::OperatorClass group = model::OperatorClass::vector;
    std::int64_t count = 1;
    Way way = Way::roofline;
    std::string bound;  ///< as of an OperatorTime
    Flops flops;        ///< of one
    Bytes bytes;        ///< of one, read and written
    Seconds time;       ///< of one
    bool operator==(const AlikeOperators&) const = default;
};

/// Shares of measured and roofline times in a step's operators.
struct OperatorShares {
    std::int64_t operators = 0;  ///< that take time
    std::int64_t measured = 0;
    std::int64_t outsideHull = 0;
    Seconds measuredTime;
    Seconds time;
    std::vector<OperatorTime> slowest;  ///< slowest first
    /// Operators that take time, in the order of the schedule; of very many different ones those that take the most.
    std::vector<AlikeOperators> alike;
    bool operator==(const OperatorShares&) const = default;
};

/// Standard deviations of a normal distribution to its 5 % and 95 %.
inline constexpr double kNinetieth = 1.6448536269514722;

/// Error interval of a prediction: 90 % of its error distribution, as shares of the throughput.
struct RelativeError {
    double low = 0;
    double high = 0;
    std::string reliability;  ///< the weakest class of the numbers that it rests on
    /// Share of the variance that predictions of the same model on other accelerators err by as well.
    double shared = 0;
    bool operator==(const RelativeError&) const = default;
};

/// The throughput by a baseline predictor, for comparison.
struct Baseline {
    std::string id;                    ///< "roofline", "utilization", "similarity"
    std::optional<double> throughput;  ///< samples per second
    std::string missing = {};          ///< what it would need, where there is none
    bool operator==(const Baseline&) const = default;
};

/// The all-reduce of the physical model, of whatever algorithm is the fastest.
inline constexpr std::string_view kFastestCollective = "fastest";

/// One accelerator, by one number of devices. Times are of one step.
struct Prediction {
    std::string accelerator;  ///< id, else name
    std::string name;
    std::int64_t devices = 1;
    std::int64_t batch = 0;  ///< per device; of model parallelism in all; 0 where none fits
    MemoryUse memory;
    std::vector<BatchMemory> batches;  ///< the candidates, rising, up to the first that does not fit
    std::string dtype;                 ///< that the accelerator computes in; empty in results of older programs
    FlopsPerSecond peak;               ///< in that type; likewise 0
    std::string policy;                ///< of placement
    std::string software;              ///< the stack that the physical model was asked for; empty: the paper's model
    std::string collective;            ///< how gradients are summed; empty where they are not
    Seconds load, compute, communication, overlap, step;
    double throughput = 0;  ///< samples per second, over all devices
    std::optional<double> pricePerHourUsd;
    std::optional<double> samplesPerUsd;
    std::optional<double> joulesPerSample;
    std::optional<Seconds> trainingTime;    ///< of the requested samples
    std::optional<double> trainingCostUsd;  ///< likewise
    std::optional<Joules> trainingEnergy;   ///< likewise
    RelativeError error;
    OperatorShares operators;
    std::vector<Baseline> baselines;
    std::optional<std::string> infeasible;  ///< why it does not fit, a sentence; then nothing but memory is known
    hardware::ProvenanceMap sources;        ///< of the accelerator's numbers, by their path in its file
    bool operator==(const Prediction&) const = default;
};

/// The accelerators by one metric, best first, at one number of devices.
struct Ranking {
    std::string metric;  ///< "throughput_samples_per_s" or "samples_per_usd"
    std::int64_t devices = 1;
    std::vector<std::string> order;
    double probability = 1;  ///< that the order holds, by the error distributions
    bool operator==(const Ranking&) const = default;
};

}  // namespace tessera::predict

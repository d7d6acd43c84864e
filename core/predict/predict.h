#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/hardware/dataset.h"
#include "core/predict/machine.h"
#include "core/predict/memory.h"
#include "core/predict/prediction.h"
#include "core/predict/stages.h"
#include "core/predict/workload.h"

namespace tessera::predict {

/// How devices share the training: each holds all of the model, or a stretch of its layers.
enum class Parallelism : std::uint8_t { data, model };
inline constexpr EnumNames<Parallelism> kParallelismNames{"data", "model"};

/// Rule that chooses among the batches that fit: the one that trains fastest, of equally fast ones the largest, where
/// caches do not count, since what small batches gain there the starts of their kernels take; or by equation 5 of
/// Centimani, which needs memory alone and as a rule takes the largest.
enum class BatchRule : std::uint8_t { fastest, memory };
inline constexpr EnumNames<BatchRule> kBatchRuleNames{"fastest", "memory"};

/// Bandwidth of an operator's operands: at the rates of the levels where the step's data lie, or, as Centimani
/// publishes it, at that of the fastest level that they fit into (DataPlaces::byOperands).
enum class LevelRule : std::uint8_t { placed, operands };

/// The model of time: that of hardware that exists (core/physical), or Centimani's as it is published.
enum class CostModel : std::uint8_t { physical, paper };
inline constexpr EnumNames<CostModel> kCostModelNames{"physical", "paper"};

/// A model whose training was measured on some accelerator, as far as baselines need it.
struct BenchmarkModel {
    std::string model;  ///< "zoo:resnet50"
    double flopsPerSample = 0;
    double parameters = 0;
};

/// Options of a prediction.
struct Options {
    /// Model of time. `physical` is held to measured runs and prices software; `paper` repeats Centimani. Where the
    /// accelerator's own measured kernels serve the model, times are interpolated from these with either.
    CostModel costModel = CostModel::physical;
    /// Software stack by profile (eager, fused, tuned) or by name ("PyTorch", "MXNet"), for the physical model: it is
    /// worth a factor of up to two on the same hardware.
    std::string software = "fused";
    /// Samples per step on each device; empty = the best candidate. Give the one that training will use where it is
    /// fixed.
    std::optional<std::int64_t> batch;
    /// Batches to choose from, rising. Few of them where a framework or convergence allows no others.
    std::vector<std::int64_t> candidates;
    /// Choice among the candidates that fit. `memory` repeats Centimani, which considers memory alone.
    BatchRule batchRule = BatchRule::fastest;
    /// Rates at which operands move. `operands` repeats Centimani, which knows no data in slower memory.
    LevelRule levelRule = LevelRule::placed;
    /// Parallelism over several devices. `model` where a model does not fit one device. By the physical model a
    /// transformer is then split by the best parallel configuration of the devices; else stretches of it wait for
    /// each other.
    Parallelism parallelism = Parallelism::data;
    /// All-reduce algorithm for gradients, a row of `collectives()`; empty = the fastest by the physical model, of the
    /// paper's model the measured one where there is one, else the ring. Name one to compare algorithms.
    std::string collective;
    /// Devices do not wait for each other's gradients: a parameter server's training, which may need more steps.
    bool asynchronous = false;
    /// Bits of one gradient's element on the wire; empty = as stored. For compressed gradients.
    std::optional<double> gradientBits;
    /// Share of the gradients' elements that is sent: below 1 for sparse exchange, such as of the largest ones alone.
    double gradientDensity = 1;
    /// A row of `memoryModels()`: how the memory of a step is estimated. "closed-form" is a published
    /// estimate that counts all activations at once: the safe side.
    std::string memoryModel = "live-ranges";
    /// Bytes that libraries take for themselves. Measure it once: batches that nearly fill memory depend on it.
    double workspace = 0;
    /// Dataset of the training. Without one, loading samples takes no time.
    std::optional<hardware::Dataset> dataset;
    /// Samples to train, for time, cost and energy of a whole training; empty = these are left out.
    std::optional<double> samples;
    /// The accelerator whose measured utilisation the baseline `utilization` scales.
    std::optional<hardware::Accelerator> reference;
    std::vector<BenchmarkModel> benchmarks;  ///< those that accelerators name, for baselines
    /// Operators that are listed one by one, slowest first.
    std::size_t slowest = 10;
};

/// Options that are Centimani's model of time.
Options paperOptions();

/// Powers of two from 1 to 65536.
std::vector<std::int64_t> powersOfTwo();

/// Predicts one model on any number of accelerators. The workload must outlive it.
class Predictor {
public:
    /// Throws UsageError for options that contradict each other.
    Predictor(const Workload& workload, Options options);

    /// Throws DataError for a number of the accelerator that is missing. A batch that does not fit is no error.
    Prediction predict(const Machine& machine, std::int64_t devices) const;

private:
    struct Cut;
    struct Fit;
    struct Step;
    enum class Caches : std::uint8_t { counted, ignored };
    Step stepOf(const Machine& machine, const Cut& cut, const Fit& fit, double batch, std::int64_t devices,
                Caches caches = Caches::counted) const;
    void addPhysicalTimes(const Machine& machine, double batch, std::int64_t devices, Step& step) const;
    void addPaperTimes(const Machine& machine, double batch, std::int64_t devices, Step& step) const;
    void addCrossing(const Machine& machine, const Cut& cut, double batch, Step& step) const;
    RelativeError errorOfStep(const Machine& machine, const Step& step, const OperatorShares& shares,
                              double batch) const;
    std::optional<std::int64_t> chosenBatch(const Machine& machine, const Cut& cut,
                                            const std::vector<BatchMemory>& tried, std::int64_t devices) const;
    bool isPlanned(const Cut& cut, std::int64_t devices) const;
    void predictPlanned(Prediction& prediction, const Machine& machine) const;
    Cut cutOf(const Machine& machine, std::int64_t devices) const;
    Fit fitOf(const Machine& machine, const Cut& cut, double batch, std::int64_t devices) const;
    std::vector<BatchMemory> triedBatches(const Machine& machine, const Cut& cut, std::int64_t devices) const;
    static std::optional<std::int64_t> bestOf(const Machine& machine, const std::vector<BatchMemory>& tried);
    /// What every candidate that fits would train; nothing where the batch is given.
    void addThroughputs(const Machine& machine, const Cut& cut, Prediction& prediction) const;
    std::optional<std::int64_t> bestBatch(const Machine& machine, const Cut& cut, std::int64_t devices) const;
    const Collective* collectiveFor(const Machine& machine) const;
    Seconds allReduceTime(const Machine& machine, const Collective& collective, std::int64_t devices) const;
    Bytes gradientsSent() const;
    void addDecision(Prediction& prediction, const Machine& machine) const;
    /// `devices`: that compute at the same time.
    void addBaselines(Prediction& prediction, const Machine& machine, double devices) const;
    std::string shortageSentence(const Machine& machine, const Cut& cut, const Fit& fit, double batch,
                                 std::int64_t devices) const;

    const Workload& workload_;
    Options options_;
    const MemoryModel& memoryModel_;
    Scores scores_;
    LiveRanges live_;
};

// Confidence ----------------------------------------------------------------------------------------------------------

/// Standard deviation of the logarithm of measured over predicted throughput, by the class of the numbers that a
/// prediction rests on.
double spreadOf(std::string_view reliability);
/// The one that an error was made of.
double spreadOf(const RelativeError& error);
/// 5 % and 95 % of the distribution with this standard deviation, as shares of the prediction below and above it.
RelativeError errorOf(std::string_view reliability, double spread);
/// Relative error of numbers of a class.
RelativeError errorOf(std::string_view reliability);

/// A part of a step: how long it takes, and the spread of its time.
struct UncertainTime {
    Seconds time;
    double spread = 0;
};
/// The spread of their sum, where all parts err alike: the mean of theirs, weighted by time. 0 where no time passes.
double spreadOf(const std::vector<UncertainTime>& parts);

/// The probability that the first of two predicted values is really the larger. The parts of their errors that are not
/// shared are independent.
double probabilityOfMore(double value, const RelativeError& error, double other, const RelativeError& otherError);

/// The predictions that fit at one number of devices by a metric, best first, with the probability that the order
/// holds: draws of every prediction's error, whose parts that are not shared are independent. Empty where fewer than
/// one fits.
std::vector<Ranking> rankingsOf(const std::vector<Prediction>& predictions, std::uint64_t seed);

}  // namespace tessera::predict

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/physical/collective.h"
#include "core/physical/kernel.h"
#include "core/physical/named_system.h"
#include "core/physical/network_model.h"
#include "core/physical/network_run.h"
#include "core/physical/pipeline.h"
#include "core/physical/training_predictor.h"
#include "core/physical/transformer.h"
#include "core/physical/utilisation.h"
#include "core/physical/validation.h"

namespace tessera::physical {

namespace {

/// Half-width of the bars of bubble shares: more than the rounding of the profile (1 us) and of the printed shares
/// (1e-4) leaves open.
constexpr double kBubbleBar = 0.001;
constexpr std::size_t kRowsPerTask = 64;

/// Calls `judge` for every row, on several threads.
template <typename Judge>
void eachRow(std::vector<ValidationRow>& rows, const RunControl& control, const Judge& judge) {
    parallelFor((rows.size() + kRowsPerTask - 1) / kRowsPerTask, control.threads, [&](std::size_t task) {
        control.throwIfCancelled("the validation");
        const std::size_t end = std::min(rows.size(), (task + 1) * kRowsPerTask);
        for (std::size_t i = task * kRowsPerTask; i < end; ++i) judge(rows[i]);
    });
}

/// Sets the prediction of every row, on several threads.
template <typename Predict>
void predictEach(std::vector<ValidationRow>& rows, const RunControl& control, const Predict& predict) {
    eachRow(rows, control, [&](ValidationRow& row) { row.prediction = predict(row); });
}

std::string tableStemOf(const MeasuredTable& table) {
    return std::filesystem::path(table.file).stem().string();
}

// Collectives.

CollectiveRequest collectiveRequestOf(const MeasuredTable& table, const MeasuredRow& row) {
    const std::optional<Collective> operation = collectiveNamed(table.text(row, "operation"));
    if (!operation) table.fail(row, "operation", fmt::format("one of {}", fmt::join(kCollectiveNames.all(), ", ")));
    CollectiveRequest request{.system = table.name(row, "system"),
                              .operation = *operation,
                              .accelerators = table.count(row, "accelerators"),
                              .perNode = table.count(row, "per_node"),
                              .bytes = table.positive(row, "bytes"),
                              .source = std::string(table.sourceOf(row))};
    if (request.perNode > request.accelerators) table.fail(row, "per_node", "at most the accelerators");
    return request;
}

std::vector<ValidationRow> collectiveRows(const MeasuredTable& table) {
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const MeasuredRow& row = table.rows[i];
        const CollectiveRequest request = collectiveRequestOf(table, row);
        const std::string operation(kCollectiveNames.of(request.operation));
        rows.push_back({.set = "collectives-" + request.system,
                        .part = operation,
                        .id = fmt::format("{}-{}-{}-{}-{}-{}", request.system, operation, request.accelerators,
                                          request.perNode, table.text(row, "bytes"), request.source),
                        .metric = "seconds",
                        .measured = table.positive(row, "seconds"),
                        .index = i});
    }
    return rows;
}

void predictCollectives(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& control) {
    predictEach(rows, control, [&](const ValidationRow& row) {
        const CollectiveRequest request = collectiveRequestOf(table, table.rows[row.index]);
        return isMeasuredSystem(request.system) ? judgeCollective(request) : predictNamedSystem(request);
    });
}

// Kernels: the accelerator is that of the row, else the name of the file.

std::string kernelAcceleratorOf(const MeasuredTable& table, const MeasuredRow& row) {
    return table.has("accelerator") ? table.name(row, "accelerator") : tableStemOf(table);
}

std::vector<ValidationRow> kernelRows(const MeasuredTable& table) {
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const MeasuredRow& row = table.rows[i];
        const KernelRow kernel = kernelRowOf(table, row);
        const std::string accelerator = kernelAcceleratorOf(table, row);
        rows.push_back({.set = "kernels-" + accelerator,
                        .part = kernel.request.kernel,
                        .id = fmt::format("{}-{}-{}-{}-{}", accelerator, kernel.request.kernel,
                                          table.text(row, "shape"), kernel.request.dtype, kernel.source),
                        .metric = "seconds",
                        .measured = kernel.seconds,
                        .index = i});
    }
    return rows;
}

std::string unknownAccelerator(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [id, path] : hardware::libraryFiles("accelerators", "\"tessera.accelerator/")) known.push_back(id);
    return fmt::format(
        "no datasheet of the accelerator {} is known; the file's name, or the column 'accelerator', is one of {}",
        inQuotes(name), joined(known, ", "));
}

/// The device whose kernels are judged; null with a sentence in `refusal`.
const Device* kernelDevice(DeviceLibrary& devices, const std::string& name, std::string& refusal) {
    const Device* device = devices.deviceNamed(name, refusal);
    if (device == nullptr) {
        if (!hardware::libraryFile("accelerators", "\"tessera.accelerator/", name)) refusal = unknownAccelerator(name);
        return nullptr;
    }
    if (!(device->bandwidth > 0)) refusal = fmt::format("{} has no bandwidth of its memory", inQuotes(name));
    if (!(peakOf(*device, "fp32") > 0)) refusal = fmt::format("{} has no peak of any data type", inQuotes(name));
    return refusal.empty() ? device : nullptr;
}

/// The rows of one accelerator, and which of the table's they are.
struct KernelsOfOne {
    std::vector<KernelRow> kernels;
    std::map<std::size_t, std::size_t> places;  ///< in `kernels`, by row of the table
    std::map<std::size_t, std::string> faults;  ///< of rows that are no kernels that are known
};

void predictKernels(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& control) {
    std::map<std::string, KernelsOfOne> tables;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        KernelsOfOne& one = tables[kernelAcceleratorOf(table, table.rows[i])];
        KernelRow kernel = kernelRowOf(table, table.rows[i]);
        if (std::string fault = kernelFault(kernel.request); !fault.empty()) {
            one.faults[i] = std::move(fault);
            continue;
        }
        one.places[i] = one.kernels.size();
        one.kernels.push_back(std::move(kernel));
    }
    DeviceLibrary devices;
    std::map<std::string, std::string> refusals;
    std::map<std::string, KernelModel> models;
    for (auto& [accelerator, one] : tables)
        if (const Device* device = kernelDevice(devices, accelerator, refusals[accelerator]))
            models.emplace(accelerator, KernelModel(*device, std::move(one.kernels)));
    predictEach(rows, control, [&](const ValidationRow& row) {
        const std::string accelerator = kernelAcceleratorOf(table, table.rows[row.index]);
        const auto model = models.find(accelerator);
        if (model == models.end()) return Prediction{.refused = refusals.at(accelerator)};
        const KernelsOfOne& one = tables.at(accelerator);
        if (const auto fault = one.faults.find(row.index); fault != one.faults.end())
            return Prediction{.refused = fault->second};
        return model->second.judge(one.places.at(row.index));
    });
}

// Schedules: bubble shares (table t5) by the profiles (t9) of the same runs, by the shapes of the models (t3).

/// Model, stages, micro-batch, micro-batches.
using ScheduleKey = std::tuple<std::string, int, int, int>;

ScheduleKey scheduleKeyOf(const MeasuredTable& table, const MeasuredRow& row) {
    return {table.name(row, "model"), table.count(row, "stages"), table.count(row, "micro_batch"),
            table.count(row, "microbatches")};
}

/// What was profiled of a run.
struct ScheduleProfile {
    PipelineStage stage;
    double transfer = 0;
    int quantities = 0;  ///< of the four that make it whole
};

/// The shape of a model; 0 what its table does not say.
struct ScheduleShape {
    double layers = 0, heads = 0, hidden = 0, sequence = 0;
};

struct ScheduleProfiles {
    std::map<ScheduleKey, ScheduleProfile> byRun;
    std::map<std::string, ScheduleShape> shapes;  ///< by model
};

double& profiledQuantity(ScheduleProfile& profile, const MeasuredTable& table, const MeasuredRow& row) {
    const std::string_view quantity = table.text(row, "quantity");
    if (quantity == "forward_s") return profile.stage.forward;
    if (quantity == "backward_input_s") return profile.stage.backwardInput;
    if (quantity == "backward_weight_s") return profile.stage.backwardWeight;
    if (quantity == "communication_s") return profile.transfer;
    table.fail(row, "quantity", "one of forward_s, backward_input_s, backward_weight_s, communication_s");
}

void addScheduleShape(ScheduleShape& shape, const MeasuredTable& table, const MeasuredRow& row) {
    const std::string_view quantity = table.text(row, "quantity");
    if (quantity == "layers") shape.layers = table.count(row, "value");
    if (quantity == "heads") shape.heads = table.count(row, "value");
    if (quantity == "hidden") shape.hidden = table.count(row, "value");
    if (quantity == "sequence") shape.sequence = table.count(row, "value");
}

ScheduleProfiles scheduleProfilesOf(const MeasuredTable& table) {
    ScheduleProfiles profiles;
    for (const MeasuredRow& row : table.rows) {
        if (table.text(row, "table") == "t3") addScheduleShape(profiles.shapes[table.name(row, "model")], table, row);
        if (table.text(row, "table") != "t9") continue;
        ScheduleProfile& profile = profiles.byRun[scheduleKeyOf(table, row)];
        profiledQuantity(profile, table, row) = table.notNegative(row, "value");
        ++profile.quantities;
    }
    return profiles;
}

std::vector<ValidationRow> scheduleRows(const MeasuredTable& table) {
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const MeasuredRow& row = table.rows[i];
        if (table.text(row, "quantity") != "bubble_share") continue;
        const auto [model, stages, microBatch, microBatches] = scheduleKeyOf(table, row);
        const std::string schedule = table.name(row, "schedule");
        rows.push_back({.set = "schedules",
                        .part = schedule,
                        .id = fmt::format("{}-{}-{}-{}-{}-{}", table.text(row, "table"), model, stages, microBatch,
                                          microBatches, schedule),
                        .metric = "bubble_share",
                        .measured = table.notNegative(row, "value"),
                        .index = i,
                        .absolute = true});
    }
    return rows;
}

/// The pipeline whose bubbles the authors print: the first and the last stage hold a layer less, interleaved chunks are
/// single layers.
Pipeline publishedPipelineOf(const ScheduleKey& key, PipelineSchedule schedule, const ScheduleProfile& profile,
                             const ScheduleShape& shape) {
    const auto& [model, stages, microBatch, microBatches] = key;
    const bool interleaved = schedule == PipelineSchedule::interleaved;
    Pipeline pipeline{.schedule = schedule, .stages = stages, .microBatches = microBatches};
    if (interleaved) pipeline.chunks = std::max((static_cast<int>(shape.layers) + 2) / stages, 1);
    pipeline.times = profile.stage;
    pipeline.transfer = profile.transfer;
    pipeline.keptForWeights = 32 * shape.hidden / (34 * shape.hidden + 5 * shape.heads * shape.sequence);
    pipeline.groupedWrap = true;
    return pipeline;
}

Prediction bubbleShareOf(const ScheduleKey& key, std::string_view schedule, const ScheduleProfiles& profiles) {
    const auto profile = profiles.byRun.find(key);
    if (profile == profiles.byRun.end() || profile->second.quantities < 4)
        return {.refused = "the table has no profile (t9) of this run"};
    const auto shape = profiles.shapes.find(std::get<0>(key));
    if (shape == profiles.shapes.end() || shape->second.layers * shape->second.hidden == 0)
        return {.refused = "the table does not say the shape (t3) of this model"};
    const std::optional<PipelineSchedule> order = pipelineScheduleNamed(schedule);
    if (!order) return {.refused = fmt::format("the schedule {} is not known", inQuotes(schedule))};
    const Pipeline pipeline = publishedPipelineOf(key, *order, profile->second, shape->second);
    if (std::string why = pipelineRefusal(pipeline); !why.empty()) return {.refused = std::move(why)};
    const double share = simulatePipeline(pipeline).bubbleShare;
    return {.estimate = Estimate{share, std::max(share - kBubbleBar, 0.0), share + kBubbleBar}};
}

void predictSchedules(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& control) {
    const ScheduleProfiles profiles = scheduleProfilesOf(table);
    predictEach(rows, control, [&](const ValidationRow& row) {
        return bubbleShareOf(scheduleKeyOf(table, table.rows[row.index]), row.part, profiles);
    });
}

// Training.

std::vector<ValidationRow> trainingRows(const MeasuredTable& table) {
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const MeasuredRow& row = table.rows[i];
        const std::string metric = table.name(row, "metric");
        const bool isShare = metric == "bubble_share";  // which may be 0
        rows.push_back({.set = table.name(row, "set"),
                        .part = metric,
                        .id = table.name(row, "id"),
                        .metric = metric,
                        .measured = isShare ? table.notNegative(row, "value") : table.positive(row, "value"),
                        .index = i,
                        .absolute = isShare});
    }
    return rows;
}

/// Models of one kind, and how the metric of a run of them is predicted by what has not seen it.
struct TrainingFamily {
    bool (*holds)(std::string_view model);
    Prediction (*judge)(const TrainingRun& run, const Device& device);
};

Prediction judgeTransformer(const TrainingRun& run, const Device& device) {
    return predictTransformer(run, device, SeenRows::otherFolds);
}

bool isNetwork(std::string_view model) {
    return isNetworkRun({.model = std::string(model)});
}

Prediction judgeNetwork(const TrainingRun& run, const Device& device) {
    return predictNetworkRun(run, device, runFold(run));
}

/// The first that holds a model judges it.
constexpr std::array<TrainingFamily, 2> kTrainingFamilies{
    {{isTransformer, judgeTransformer}, {isNetwork, judgeNetwork}}};

/// Sets the prediction of a row's run, and what of the peak it and the measured value mean. Throws UsageError for a
/// dimension that is no number.
void judgeRun(ValidationRow& row, const TrainingRun& run, DeviceLibrary& devices) {
    const auto refuse = [&](std::string why) { row.prediction = {.refused = std::move(why)}; };
    const auto* family = std::find_if(kTrainingFamilies.begin(), kTrainingFamilies.end(),
                                      [&](const TrainingFamily& each) { return each.holds(run.model); });
    if (family == kTrainingFamilies.end())
        return refuse(fmt::format("steps of {} are not predicted: it is no model of the zoo", run.model));
    std::string refusal;
    const Device* device = devices.deviceNamed(run.accelerator, refusal);
    if (device == nullptr) return refuse(std::move(refusal));
    row.prediction = family->judge(run, *device);
    row.measuredShare = impliedShareOfPeak(run, *device, row.measured);
    if (row.prediction.estimate) row.predictedShare = impliedShareOfPeak(run, *device, row.prediction.estimate->value);
}

void predictTraining(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& control) {
    DeviceLibrary devices;
    eachRow(rows, control, [&](ValidationRow& row) {
        try {
            judgeRun(row, trainingRunOf(table, table.rows[row.index]), devices);
        } catch (const UsageError& error) {  // what the row asks for is not known
            row.prediction = {.refused = error.what()};
        }
    });
}

/// "gemm" of "gemm: roofline with one fitted share" on a set of kernels.
std::string peerPartOf(std::string_view set, std::string_view method) {
    const std::size_t colon = method.find(": ");
    if (!set.starts_with("kernels-") || colon == std::string_view::npos) return {};
    return std::string(method.substr(0, colon));
}

std::optional<double> peerError(const MeasuredTable& table, const MeasuredRow& row, std::string_view column) {
    if (table.text(row, column).empty()) return std::nullopt;
    return table.notNegative(row, column);
}

std::vector<Predictor>& allPredictors() {
    static std::vector<Predictor> all{
        {"training",
         {"set", "id", "model", "dims", "accelerator", "metric", "value"},
         "Steps and memory are predicted by constants of the software that are fitted on four fifths of the runs "
         "without the row's own.",
         trainingRows,
         predictTraining},
        {"collectives",
         {"system", "operation", "accelerators", "per_node", "bytes", "seconds"},
         "Collectives are predicted without any row of the same source, system and size.",
         collectiveRows,
         predictCollectives},
        {"kernels",
         {"kernel", "shape", "dtype", "seconds"},
         "Kernels are predicted without the rows of the same shape, by parameters fitted on the other half of the "
         "shapes.",
         kernelRows,
         predictKernels},
        {"schedules",
         {"table", "model", "stages", "micro_batch", "microbatches", "schedule", "quantity", "value"},
         "Bubble shares are those that their authors compute from profiled times, simulated here from the same "
         "profiles; "
         "nothing is fitted, and their errors are differences of shares.",
         scheduleRows,
         predictSchedules},
    };
    return all;
}

}  // namespace

const std::vector<Predictor>& predictors() {
    return allPredictors();
}

void addPredictor(const Predictor& predictor) {
    allPredictors().push_back(predictor);
}

const Predictor* predictorOf(const MeasuredTable& table) {
    for (const Predictor& predictor : predictors())
        if (std::all_of(predictor.columns.begin(), predictor.columns.end(),
                        [&](std::string_view column) { return table.has(column); }))
            return &predictor;
    return nullptr;
}

std::vector<PeerErrors> readPeers(const MeasuredTable& table) {
    std::vector<PeerErrors> peers;
    for (const MeasuredRow& row : table.rows) {
        const std::string set = table.name(row, "set"), method = table.name(row, "method");
        peers.push_back({.set = set,
                         .part = peerPartOf(set, method),
                         .method = method,
                         .rows = static_cast<std::size_t>(table.count(row, "rows")),
                         .mean = table.notNegative(row, "mean_error"),
                         .median = peerError(table, row, "median_error"),
                         .worst = peerError(table, row, "worst_error"),
                         .source = std::string(table.text(row, "source"))});
    }
    return peers;
}

}  // namespace tessera::physical

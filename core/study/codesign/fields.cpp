#include "core/study/codesign/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/codesign/metrics.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using codesign::ModelResult;
using codesign::Point;
using codesign::StageResult;
using codesign::TimeParts;
using Design = codesign::Result;
using Terms = std::vector<Explanation::Term>;

constexpr unsigned kShown = kText | kTable, kAll = kText | kTable | kExactTable, kSeen = kTable | kExactTable;
constexpr std::string_view kDefinition = "definition";

std::string bufferText(double bytes) {
    return hardware::bufferSize(Bytes{bytes});
}

std::string memoryText(double bytes) {
    return memorySize(Bytes{bytes});
}

// ------------------------------------------------------------------------------------------ what formulas are put into

std::string templateOf(const Design& result) {
    return "template " + inQuotes(result.space.name);
}

void objectiveTerms(const Design& result, Terms& terms) {
    for (std::size_t m = 0; m < result.perModel.size(); ++m) {
        const ModelResult& model = result.perModel[m];
        terms.push_back({"throughput of " + escaped(model.model), samplesText(model.throughput), "result"});
        if (model.speedupOverSolver)
            terms.push_back({"over the reference with our placement", timesText(*model.speedupOverSolver), "result"});
        if (result.perModel.size() > 1 && m < result.options.weights.size())
            terms.push_back({"weight", formatCount(result.options.weights[m]), "parameter weights"});
    }
}

void boundTerms(const Design& result, Terms& terms) {
    terms.push_back({"best found", objectiveText(result, result.best->objective), "result"});
    terms.push_back(
        {"states of an operator schedule", formatCount(result.options.scheduleStates), "parameter schedule_states"});
}

void areaTerms(const Design& result, Terms& terms) {
    const hardware::Area& parts = result.best->parts;
    const auto add = [&](const char* name, SquareMillimetres area) {
        terms.push_back({name, formatQuantity(area.value, Measure::area), templateOf(result) + ", area model"});
    };
    add("arrays of tensor cores", parts.tensorCores);
    add("lanes of vector cores", parts.vectorCores);
    add("L2 of all cores", parts.l2);
    add("global buffer", parts.globalBuffer);
    if (parts.hbmInterface.value > 0) add("interface to the HBM", parts.hbmInterface);
    if (parts.networkInterface.value > 0) add("interface to other accelerators", parts.networkInterface);
    add("largest area", result.areaBound);
}

void bandwidthTerms(const Design& result, Terms& terms) {
    const auto add = [&](const char* name, const hardware::Range& range) {
        if (range.values.empty()) return;
        std::vector<std::string> values;
        for (const std::int64_t value : range.values)
            values.push_back(formatQuantity(static_cast<double>(value), Measure::bytesPerSecond));
        terms.push_back({name, joined(values, ", "), templateOf(result)});
    };
    add("searched bandwidths of the HBM", result.space.hbmBandwidth);
    add("searched bandwidths between accelerators", result.space.networkBandwidth);
}

void hbmTerms(const Design& result, Terms& terms) {
    for (const ModelResult& model : result.perModel)
        terms.push_back({"needed by " + escaped(model.model), bufferText(model.hbm.value), "result"});
}

void countTerms(const Design& result, Terms& terms) {
    terms.push_back({"architectures within the area", formatCount(result.architectures), "result"});
    terms.push_back({"points", formatCount(result.points), "result"});
}

void meanTerms(const Design& result, Terms& terms) {
    for (const ModelResult& model : result.perModel) {
        terms.push_back({"utilisation of " + escaped(model.model), percentText(model.mfu), "result"});
        terms.push_back({"energy of a sample of " + escaped(model.model),
                         formatQuantity(model.energyPerSample, Measure::joules), "result"});
    }
}

void energyTerms(const TrainedModel& row, Terms& terms) {
    meanTerms(*row.result, terms);
}

void timeTerms(const TrainedModel& row, Terms& terms) {
    for (const Field<TrainedModel>& field : modelFields())
        if ((field.uses & (kParts | kMetric | kWords)) == kParts)
            terms.push_back({std::string(field.title), textOf(field, row), "result, time_parts_s"});
    terms.push_back({"micro-batch", formatCount(row.model->choice.microBatch), "result"});
}

void rateTerms(const TrainedModel& row, Terms& terms) {
    terms.push_back({"global batch", formatCount(row.result->options.globalBatch), "parameter global_batch"});
    terms.push_back({"time per batch", formatSeconds(row.model->timePerBatch), "result"});
}

void mfuTerms(const TrainedModel& row, Terms& terms) {
    terms.push_back({"throughput", samplesText(row.model->throughput), "result"});
    terms.push_back({"accelerators", formatCount(row.result->options.accelerators), "parameter accelerators"});
    terms.push_back({"multiply-accumulates per cycle of an accelerator",
                     formatCount(hardware::peakMacs(row.result->best->architecture)), "architecture"});
    terms.push_back(
        {"clock", formatQuantity(row.result->space.rates.clock.value, Measure::hertz), templateOf(*row.result)});
}

void speedupTerms(const TrainedModel& row, Terms& terms) {
    terms.push_back({"throughput here", samplesText(row.model->throughput), "result"});
    for (const codesign::Baseline& baseline : row.result->baselines)
        for (const ModelResult& model : baseline.models)
            if (model.model == row.model->model && model.feasible && baseline.id.starts_with("tpuv4"))
                terms.push_back({escaped(baseline.title), samplesText(model.throughput), "result"});
}

void planTerms(const TrainedModel& row, Terms& terms) {
    terms.push_back({"stages", formatCount(row.model->pipeline), "result"});
    terms.push_back({"replicas", formatCount(row.model->data), "result"});
    terms.push_back({"accelerators of a slice", formatCount(row.model->tensorParallel), "result"});
    terms.push_back({"accelerators", formatCount(row.result->options.accelerators), "parameter accelerators"});
}

// ----------------------------------------------------------------------------------------------------------- values

/// A number of the best accelerator.
template <auto part>
FieldValue ofBest(const Design& result) {
    return given(std::invoke(part, *result.best));
}

/// A bandwidth is a result where it is searched.
FieldValue hbmRate(const Design& result) {
    if (result.space.hbmBandwidth.values.empty()) return {};
    return given(hardware::ratesOf(result.best->architecture, result.space).hbmBandwidth);
}
FieldValue networkRate(const Design& result) {
    if (result.space.networkBandwidth.values.empty()) return {};
    return given(codesign::networkOf(result.best->architecture, result.options));
}

/// A number of a model that fits; nothing of one that does not.
FieldValue ifFits(const TrainedModel& row, const auto& value) {
    return row.model->feasible ? given(value) : FieldValue();
}
template <auto part>
FieldValue ofModel(const TrainedModel& row) {
    return ifFits(row, row.model->*part);
}
template <auto part>
FieldValue ofTime(const TrainedModel& row) {
    return ifFits(row, row.model->time.*part);
}

template <auto part>
FieldValue ofStage(const ModelStage& row) {
    return given(std::invoke(part, *row.stage));
}
template <auto part>
FieldValue ofMemory(const ModelStage& row) {
    return given(std::invoke(part, row.stage->memory));
}

template <auto part>
FieldValue ofPoint(const DesignPoint& row) {
    return given(row.point->*part);
}
template <auto part>
FieldValue ofArchitecture(const DesignPoint& row) {
    return given(row.point->architecture.*part);
}

/// What a point that runs no model is said to have.
std::string ifRuns(const DesignPoint& row, std::string text) {
    return row.point->objective > 0 ? std::move(text) : "–";
}

std::string wordsPerCycle(double value) {
    return formatCount(value) + " words/cycle";
}

}  // namespace

const std::vector<Field<Design>>& bestFields() {
    using F = Field<Design>;
    static const std::vector<F> kFields{
        F{"objective", "Objective", kMetric, ofBest<&Point::objective>, nullptr, Measure::count, Better::higher}.by(
            "geomean or worst: of throughput over the reference's; mean: of throughput",
            "section 3.2 (mean); the others are ours", objectiveTerms),
        F{"objective_bound", "Bound of the objective", kMetric, valueOf<&Design::bound>}.by(
            "the greatest objective that bounds on operator schedules leave possible", kDefinition, boundTerms),
        F{"area_mm2", "Area", kMetric, ofBest<&Point::area>, nullptr, Measure::area, Better::lower}.by(
            "area = num_tc·(PE_x·PE_y·element + L2) + num_vc·(PE_x·lane + L2) + GLB", "its published areas", areaTerms),
        F{.id = "area_share",
          .title = "Share of the largest area",
          .uses = kMetric,
          .get = [](const Design& result) { return given(ratio(result.best->area, result.areaBound)); },
          .format = percentText}
            .by("area / largest area", "section 6.1", areaTerms),
        F{"hbm_bytes", "HBM", kMetric, ofBest<&Point::hbm>, nullptr, Measure::bytes, Better::lower}.by(
            "the smallest HBM of the template with this objective", kDefinition, hbmTerms),
        F{.id = "mean_mfu",
          .title = "Model FLOPs utilisation, mean",
          .uses = kMetric,
          .get = ofBest<&Point::mfu>,
          .better = Better::higher,
          .format = percentText}
            .by("mean over models of model FLOPs utilisation", kDefinition, meanTerms),
        F{"mean_energy_j", "Energy per sample, mean", kMetric, ofBest<&Point::energyPerSample>, nullptr,
          Measure::joules, Better::lower}
            .by("mean over models of the energy of a sample", kDefinition, meanTerms),
        F{"hbm_bandwidth_bytes_per_s", "Bandwidth of the HBM", kMetric, hbmRate, nullptr, Measure::bytesPerSecond}.by(
            "that of the architecture with the greatest objective", kDefinition, bandwidthTerms),
        F{"network_bandwidth_bytes_per_s", "Bandwidth between accelerators", kMetric, networkRate, nullptr,
          Measure::bytesPerSecond}
            .by("that of the architecture with the greatest objective", kDefinition, bandwidthTerms),
        F{"interface_power_w", "Power of the interfaces at their full rate", kMetric, ofBest<&Point::interfacePower>,
          nullptr, Measure::watts, Better::lower}
            .by("power = Σ over interfaces of ⌈bandwidth / rate of a unit⌉·power of a unit", kDefinition,
                bandwidthTerms),
        F{.id = "objective_per_mm2",
          .title = "Objective per mm²",
          .uses = kMetric,
          .get = [](const Design& result) { return given(result.best->objective / result.best->area.value); },
          .better = Better::higher}
            .by("objective / area", kDefinition, areaTerms),
        F{"explored_points", "Points evaluated", kMetric, valueOf<&Design::explored>}.by(
            "points whose operators were estimated and scheduled", kDefinition, countTerms),
        F{"skipped_points", "Points that bounds ruled out", kMetric, valueOf<&Design::skippedByBound>}.by(
            "points whose bound is no better than what is known at no larger area", kDefinition, countTerms),
        F{"front_points", "Points of the front", kMetric,
          [](const Design& result) {
              return given(result.front.size());
          }}.by("architectures that none of no larger area beats", kDefinition, countTerms),
    };
    return kFields;
}

const std::vector<Field<TrainedModel>>& modelFields() {
    using Row = TrainedModel;
    using F = Field<Row>;
    constexpr unsigned kTime = kExactTable | kParts;
    static const std::vector<F> kFields{
        {"model", "Model", kAll | kParts | kWords, [](const Row& row) { return given(modelTitle(row.model->model)); },
         [](const Row& row) { return escaped(row.model->model); }},
        {"on", "On", kExactTable | kWords, valueOf<&Row::on>},
        {"fits", "Fits", kExactTable | kWords,
         [](const Row& row) { return given(row.model->feasible ? "yes" : "no"); }},
        F{.id = "throughput_samples_per_s",
          .title = "Throughput",
          .uses = kMetric | kExactTable | kFacts,
          .get = ofModel<&ModelResult::throughput>,
          .better = Better::higher,
          .format = samplesText}
            .by("throughput = global batch / time per batch", "section 5", rateTerms),
        {.id = "samples_per_s",
         .title = "Samples/s",
         .uses = kShown,
         .get = ofModel<&ModelResult::throughput>,
         .explained = "throughput_samples_per_s",
         .format = rateText},
        {.id = "throughput_bound_samples_per_s",
         .title = "At most, on this accelerator",
         .uses = kExactTable | kFacts,
         .get = ofModel<&ModelResult::throughputBound>,
         .format = samplesText},
        F{"time_per_batch_s", "Time per batch", kMetric | kTime | kFacts, ofModel<&ModelResult::timePerBatch>, nullptr,
          Measure::seconds, Better::lower}
            .by("time = max load·(⌈B/d⌉ + S − 1) + 4·(d − 1)/d·W(first stage)/bandwidth + update",
                "section 5 and appendix B", timeTerms),
        F{"pipeline", "Stages", kMetric | kAll | kWhat, ofModel<&ModelResult::pipeline>}.by(
            "stages of the plan with the least time per batch", "section 5", planTerms),
        F{.id = "data",
          .title = "Replicas",
          .uses = kMetric | kAll | kWhat,
          .get = ofModel<&ModelResult::data>,
          .help = "Of the pipeline, each on its own accelerators"}
            .by("replicas of the plan with the least time per batch", "section 5", planTerms),
        F{.id = "tensor",
          .title = "Tensor-parallel degree",
          .uses = kMetric | kAll | kWhat,
          .get = ofModel<&ModelResult::tensorParallel>,
          .help = "Accelerators that a layer is sliced over"}
            .by("tensor-parallel degree of the plan with the least time per batch", "section 5", planTerms)
            .headed("TP"),
        F{.id = "micro_batch",
          .title = "Micro-batch",
          .uses = kMetric | kAll | kWhat,
          .get = [](const Row& row) { return ifFits(row, row.model->choice.microBatch); },
          .help = "Samples"}
            .by("micro-batch with the least time per batch", "section 5", planTerms),
        {"recompute", "Activations", kAll | kWhat | kWords,
         [](const Row& row) { return ifFits(row, std::string_view(row.model->choice.recompute ? "yes" : "no")); },
         [](const Row& row) { return std::string(row.model->choice.recompute ? "recomputed" : "stored"); }},
        {.id = "hbm_bytes",
         .title = "HBM",
         .uses = kAll | kWhat,
         .get = ofModel<&ModelResult::hbm>,
         .measure = Measure::bytes,
         .help = "The smallest of the template that gives this throughput",
         .format = bufferText},
        F{.id = "mfu",
          .title = "Model FLOPs utilisation",
          .uses = kMetric | kAll | kFacts,
          .get = ofModel<&ModelResult::mfu>,
          .better = Better::higher,
          .help = "Model FLOPs over those of all tensor cores in the time of a batch",
          .format = percentText}
            .by("MFU = FLOPs of forward and backward pass·throughput / (2·MACs per cycle·clock·accelerators)",
                "appendix D", mfuTerms)
            .headed("MFU"),
        F{"energy_j_per_sample", "Energy per sample", kMetric | kSeen | kFacts, ofModel<&ModelResult::energyPerSample>,
          nullptr, Measure::joules, Better::lower}
            .by("energy = Σ over operators of what their cores and memories do, for one sample", kDefinition,
                energyTerms),
        F{.id = "speedup_over_tpuv4_expert",
          .title = "Over the reference, experts' placement",
          .uses = kMetric | kAll | kFacts,
          .get = ofModel<&ModelResult::speedupOverExpert>,
          .better = Better::higher,
          .help = "Over the reference with the experts' placement",
          .format = timesText}
            .by("throughput / throughput of the reference with the experts' placement", "table 4", speedupTerms)
            .headed("Over experts"),
        F{.id = "speedup_over_tpuv4_solver",
          .title = "Over the reference, our placement",
          .uses = kMetric | kAll | kFacts,
          .get = ofModel<&ModelResult::speedupOverSolver>,
          .better = Better::higher,
          .help = "Over the reference with our placement",
          .format = timesText}
            .by("throughput / throughput of the reference with our placement", "section 6.1", speedupTerms)
            .headed("Over our placement"),
        {"compute_s", "Computing", kTime, ofTime<&TimeParts::compute>, nullptr, Measure::seconds},
        F{"tensor_all_reduce_s", "All-reduce of slices", kTime, ofTime<&TimeParts::tensorAllReduce>, nullptr,
          Measure::seconds}
            .headed("Slices"),
        F{"transfer_s", "Waiting for tensors", kTime, ofTime<&TimeParts::transfer>, nullptr, Measure::seconds}.headed(
            "Transfers"),
        {"bubble_s", "Bubble", kTime, ofTime<&TimeParts::bubble>, nullptr, Measure::seconds},
        F{"gradient_all_reduce_s", "All-reduce of gradients", kTime, ofTime<&TimeParts::gradientAllReduce>, nullptr,
          Measure::seconds}
            .headed("Gradients"),
        {"update_s", "Update", kTime, ofTime<&TimeParts::update>, nullptr, Measure::seconds},
        {"reason", "Why not", kShown | kWords | kOptional,
         [](const Row& row) { return row.model->feasible ? FieldValue() : given(row.model->reason); }},
    };
    return kFields;
}

const std::vector<Field<ModelStage>>& stageFields() {
    using Row = ModelStage;
    using codesign::StageMemory;
    constexpr const char* kPass = "Of one micro-batch, transfers included";
    static const std::vector<Field<Row>> kFields{
        {"model", "Model", kExactTable | kWords, valueOf<&Row::model>},
        {"stage", "Stage", kSeen, [](const Row& row) { return given(row.number + 1); }},
        {"first_layer", "From", kSeen | kWords,
         [](const Row& row) { return row.stage->layers.empty() ? FieldValue() : given(row.stage->layers.front()); }},
        {"last_layer", "To", kSeen | kWords,
         [](const Row& row) { return row.stage->layers.empty() ? FieldValue() : given(row.stage->layers.back()); }},
        {"layers", "Layers", kSeen | kSummed, [](const Row& row) { return given(row.stage->layers.size()); }},
        {"accelerators", "Accelerators", kSeen, ofStage<&StageResult::accelerators>, nullptr, Measure::count,
         Better::neither, "Of one replica"},
        {"forward_s", "Forward", kSeen, ofStage<&StageResult::forward>, nullptr, Measure::seconds, Better::lower,
         kPass},
        {"backward_s", "Backward", kSeen, ofStage<&StageResult::backward>, nullptr, Measure::seconds, Better::lower,
         kPass},
        {"load_s", "Load", kSeen, ofStage<&StageResult::load>, nullptr, Measure::seconds, Better::lower,
         "The greatest one sets the pace"},
        {"in_flight", "In flight", kSeen, ofMemory<&StageMemory::inFlight>, nullptr, Measure::count, Better::neither,
         "Micro-batches between their forward and backward pass, at most"},
        {"weights_bytes", "Weights", kSeen, ofMemory<&StageMemory::weights>, nullptr, Measure::bytes, Better::lower,
         "And their gradients", "", memoryText},
        {"optimizer_bytes", "Optimizer", kSeen, ofMemory<&StageMemory::optimizer>, nullptr, Measure::bytes,
         Better::lower, "Its state", "", memoryText},
        {"activations_bytes", "Activations", kSeen, ofMemory<&StageMemory::activations>, nullptr, Measure::bytes,
         Better::lower, "Of the micro-batch at work", "", memoryText},
        {"stash_bytes", "Stored activations (in flight)", kSeen, ofMemory<&StageMemory::stashed>, nullptr,
         Measure::bytes, Better::lower, "For micro-batches in flight", "", memoryText},
        {"total_bytes", "Memory", kSeen, ofMemory<&StageMemory::total>, nullptr, Measure::bytes, Better::lower,
         "Of an accelerator", "", memoryText},
    };
    return kFields;
}

const std::vector<Field<DesignPoint>>& pointFields() {
    using Row = DesignPoint;
    using hardware::Architecture;
    static const std::vector<Field<Row>> kFields{
        {"num_tc", "Tensor cores", kAll | kFacts, ofArchitecture<&Architecture::tensorCores>},
        {"num_vc", "Vector cores", kAll | kFacts, ofArchitecture<&Architecture::vectorCores>},
        {.id = "pe_x",
         .title = "Width",
         .uses = kSeen,
         .get = ofArchitecture<&Architecture::width>,
         .help = "Columns of a tensor core's array: PE_x"},
        {.id = "pe_y",
         .title = "Height",
         .uses = kSeen,
         .get = ofArchitecture<&Architecture::height>,
         .help = "Rows of a tensor core's array: PE_y"},
        {"array", "Array", kText | kFacts | kWords,
         [](const Row& row) {
             const Architecture& its = row.point->architecture;
             return given(fmt::format("{} × {}", its.width, its.height));
         }},
        {.id = "glb_bytes",
         .title = "Global buffer",
         .uses = kAll | kFacts,
         .get = ofArchitecture<&Architecture::globalBuffer>,
         .measure = Measure::bytes,
         .format = bufferText},
        {.id = "tensor_l2_bytes",
         .title = "L2 of a tensor core",
         .uses = kFacts,
         .get = ofArchitecture<&Architecture::tensorL2>,
         .measure = Measure::bytes,
         .format = bufferText},
        {.id = "vector_l2_bytes",
         .title = "L2 of a vector core",
         .uses = kFacts,
         .get = ofArchitecture<&Architecture::vectorL2>,
         .measure = Measure::bytes,
         .format = bufferText},
        {.id = "glb_words_per_cycle",
         .title = "GLB bandwidth",
         .uses = kFacts,
         .get = ofArchitecture<&Architecture::globalWords>,
         .format = wordsPerCycle},
        {"own_hbm_bandwidth_bytes_per_s", "HBM bandwidth", kFacts, ofArchitecture<&Architecture::hbmBandwidth>, nullptr,
         Measure::bytesPerSecond},
        {"own_network_bandwidth_bytes_per_s", "Network", kFacts, ofArchitecture<&Architecture::networkBandwidth>,
         nullptr, Measure::bytesPerSecond},
        {"area_mm2", "Area", kText | kExactTable, ofPoint<&Point::area>, nullptr, Measure::area, Better::lower},
        {.id = "hbm_bytes",
         .title = "HBM",
         .uses = kText | kExactTable,
         .get = ofPoint<&Point::hbm>,
         .measure = Measure::bytes,
         .format = bufferText},
        {"objective", "Objective", kText | kExactTable, ofPoint<&Point::objective>,
         [](const Row& row) { return ifRuns(row, objectiveText(*row.result, row.point->objective)); }},
        {"mfu", "MFU", kText | kExactTable, ofPoint<&Point::mfu>,
         [](const Row& row) { return ifRuns(row, percentText(row.point->mfu)); }},
        {"energy_j_per_sample", "Energy per sample", kExactTable, ofPoint<&Point::energyPerSample>, nullptr,
         Measure::joules, Better::lower},
    };
    return kFields;
}

std::vector<TrainedModel> trainedModels(const codesign::Result& result) {
    std::vector<TrainedModel> rows;
    const std::string on = result.best ? hardware::nameOf(result.best->architecture) : "";
    for (const ModelResult& model : result.perModel) rows.push_back({&result, &model, on});
    return rows;
}

std::vector<TrainedModel> modelsOnBaselines(const Design& result) {
    std::vector<TrainedModel> rows;
    for (const codesign::Baseline& baseline : result.baselines)
        for (const ModelResult& model : baseline.models) rows.push_back({&result, &model, escaped(baseline.title, 80)});
    return rows;
}

std::vector<ModelStage> stagesOf(const ModelResult& model) {
    std::vector<ModelStage> rows;
    for (const StageResult& stage : model.stages) rows.push_back({modelTitle(model.model), &stage, rows.size()});
    return rows;
}

std::string memorySize(Bytes size) {
    constexpr double kKibi = 1024, kMin = 0.9995, kThousand = 999.5;
    struct Unit {
        double bytes;
        const char* name;
    };
    for (const Unit& unit : {Unit{kKibi * kKibi * kKibi, "GiB"}, Unit{kKibi * kKibi, "MiB"}, Unit{kKibi, "KiB"}})
        if (const double amount = size.value / unit.bytes; amount >= kMin)
            return amount < kThousand ? fmt::format("{:.3g} {}", amount, unit.name)
                                      : fmt::format("{} {}", formatCount(std::round(amount)), unit.name);
    return fmt::format("{} B", formatCount(std::round(size.value)));
}

}  // namespace tessera::study

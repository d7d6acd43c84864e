#include "core/study/cost/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cost/job_analysis.h"
#include "core/cost/workload.h"
#include "core/model/readers/layer_csv.h"
#include "core/study/option_table.h"
#include "core/study/reading.h"
#include "core/study/title.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

constexpr double kMax = 2'147'483'647;
constexpr double kLongestPath = 4096;
constexpr std::size_t kReported = 64;  ///< layers between two reports
constexpr const char* kWork = "the analysis";

/// A layer to analyse.
struct Job {
    std::string name;
    cost::Layer layer;
    std::int64_t runs = 1;
};

struct Inputs {
    std::vector<Job> jobs;
    std::string dataflowName;  ///< as the study names it
    cost::Dataflow dataflow, depthwise;
    CostOutcome outcome;  ///< but for its layers
    std::vector<Input> inputs;
    std::vector<std::string> warnings;
};

/// What a study's parameters mean: the array, and how it is analysed.
struct Settings : cost::Array {
    std::string dataflow = "nvdla";
    cost::Variant variant = cost::Variant::corrected;
};

const OptionTable<Settings>& costTable() {
    static const OptionTable<Settings> kTable{
        {"dataflow", "--dataflow NAME", &Settings::dataflow, Values::text(kLongestPath),
         "nvdla, eyeriss, shidiannao, under which depthwise layers run under the depthwise dataflow, or a "
         "mapping file FILE.m for every layer"},
        {"pes", "--pes N", &Settings::pes, Values::whole(1, kMax).labelled("Processing elements"),
         "processing elements"},
        {"cluster", "--cluster N", &Settings::clusterSize, Values::whole(1, kMax).labelled("Elements of a cluster"),
         "elements of a cluster, the constant ClusterSz"},
        {"variant", "--variant VARIANT", &Settings::variant, Values::word(cost::kVariantNames.all()).forResearch(),
         "variant of the cost model: published is MAESTRO's as the published MAGMA code uses it, with its known "
         "errors"},
        {"noc_bandwidth", "--noc-bandwidth B", &Settings::nocBandwidth,
         Values::whole(1, kMax).labelled("On-chip bandwidth (elements per cycle)"), "elements per cycle on chip"},
        {"noc_hops", "--noc-hops N", &Settings::nocHops, Values::whole(0, kMax).labelled("On-chip hops"),
         "hops on chip"},
        {"noc_hop_latency", "--noc-hop-latency N", &Settings::nocHopLatency,
         Values::whole(0, kMax).labelled("Cycles of a hop"), "cycles of a hop"},
        {"offchip_bandwidth", "--offchip-bandwidth B", &Settings::offchipBandwidth,
         Values::whole(1, kMax).labelled("Off-chip bandwidth (elements per cycle)"), "elements per cycle off chip"},
        {"simd_lanes", "--simd-lanes N", &Settings::simdLanes,
         Values::whole(1, kMax).labelled("Multiply-accumulates per element and cycle"),
         "multiply-accumulates per element and cycle"},
    };
    return kTable;
}

/// The bytes of an M3E table, whose rows are analysed as they stand there; empty for any other workload.
std::string m3eTable(const std::string& path) {
    if (!path.ends_with(".csv") && !isStandardInput(path) && !isFile(path)) return "";
    std::string bytes = readFile(path);
    return model::looksLikeM3e(bytes) ? bytes : "";
}

cost::Workload workloadOf(const Study& study, const std::string& path) {
    model::LoadOptions load;
    load.dimensions = study.dimensions;
    return cost::loadWorkload(path, load);
}

/// The rows of an M3E table, or the jobs of a model or workload in order.
void readJobs(const Study& study, Inputs& inputs) {
    const std::string& name = study.workloads.at(0);
    const std::string path = placeOfInput(name);
    if (const std::string bytes = m3eTable(path); !bytes.empty()) {
        inputs.inputs.push_back({name, sha256(bytes)});
        for (const model::LayerJob& job : model::readM3eJobs(bytes, name))
            inputs.jobs.push_back({job.name, cost::layerOfJob(static_cast<std::int64_t>(job.kind), job.d).value()});
        return;
    }
    const cost::Variant variant = inputs.outcome.variant;
    const cost::Workload workload = workloadOf(study, path);
    const cost::JobPool pool = cost::jobPool(workload);
    std::string listing;
    for (const std::vector<cost::Job>& source : pool.jobs)
        for (const cost::Job& job : source) {
            inputs.jobs.push_back(
                {cost::nameOf(job), cost::layerOf(job.layer, variant), cost::runsOf(job.layer, variant)});
            listing += inputs.jobs.back().name + "\n";
        }
    inputs.warnings = pool.warnings;
    inputs.inputs = inputsOf(workloadFiles(name, workload));
    // A bundled network is identified by its layers.
    if (inputs.inputs.empty()) inputs.inputs.push_back({name, sha256(listing)});
}

Inputs readInputs(const Study& study, const RunContext& context) {
    if (study.workloads.size() != 1) throw UsageError("a cost study takes exactly one list of layers");
    const Reading reading(context, "reading the layers", kWork);
    const Settings settings = costTable().of(study);
    Inputs inputs;
    CostOutcome& outcome = inputs.outcome;
    outcome.array = settings;
    outcome.variant = settings.variant;
    inputs.dataflowName = settings.dataflow;
    const std::string dataflow = placeOfInput(inputs.dataflowName);
    inputs.dataflow = cost::loadDataflow(dataflow);
    outcome.dataflow = inputs.dataflow.name;
    inputs.depthwise = cost::bundledDataflow("depthwise");
    readJobs(study, inputs);
    inputs.inputs.push_back({inputs.dataflowName, sha256(cost::isDataflowFile(inputs.dataflowName)
                                                             ? readFile(dataflow, cost::kLargestDataflowFile)
                                                             : cost::writeDataflow(inputs.dataflow))});
    reading.check();
    return inputs;
}

void repeat(cost::LayerCost& cost, std::int64_t runs) {
    const auto times = static_cast<double>(runs);
    if (__builtin_mul_overflow(cost.cycles, runs, &cost.cycles) || __builtin_mul_overflow(cost.macs, runs, &cost.macs))
        throw UsageError("a job repeats so often that its cycles do not fit into 64 bits");
    cost.energy *= times;
    cost.offChipBytes *= times;
}

LayerEstimate analysed(const Job& job, const cost::Dataflow& dataflow, const CostOutcome& request) {
    cost::Analysis analysis = cost::analyse(job.layer, dataflow, request.array, request.variant);
    LayerEstimate layer{.name = job.name,
                        .cost = {},
                        .problem = std::move(analysis.problem),
                        .differences = cost::differences(job.layer, dataflow, request.array)};
    if (!layer.ok()) return layer;
    const cost::LayerCost& found = analysis.cost;
    layer.cost = {.cycles = found.cycles,
                  .l1Bytes = found.l1Bytes,
                  .l2Bytes = found.l2Bytes,
                  .macs = found.macs,
                  .energy = found.energy,
                  .offChipBytes = found.offChipBytes,
                  .utilisation = found.utilisation};
    repeat(layer.cost, job.runs);
    return layer;
}

}  // namespace

const std::vector<Parameter>& costParameters() {
    return costTable().parameters();
}

std::vector<InputFile> costFiles(const Study& study) {
    if (study.workloads.size() != 1) return {};
    const std::string& name = study.workloads[0];
    const std::string path = placeOfInput(name);
    std::vector<InputFile> files;
    if (m3eTable(path).empty())
        files = workloadFiles(name, workloadOf(study, path));
    else
        files.push_back({.hardware = false, .name = name, .path = path});
    const std::string dataflow = study.parameters->value("dataflow", "");
    if (cost::isDataflowFile(dataflow))
        files.push_back({.hardware = true, .name = dataflow, .path = placeOfInput(dataflow)});
    return files;
}

Result runCost(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.warnings = std::move(inputs.warnings);
    reportWarnings(context, result.warnings);
    CostOutcome& outcome = inputs.outcome;
    const bool isOwn = cost::isDataflowFile(inputs.dataflowName);  // a user's file is what runs
    bool depthwise = false;
    for (const Job& job : inputs.jobs) {
        context.throwIfCancelled(kWork);
        const bool isDepthwise = job.layer.kind == cost::LayerKind::dsconv && !isOwn;
        depthwise = depthwise || isDepthwise;
        outcome.layers.push_back(analysed(job, isDepthwise ? inputs.depthwise : inputs.dataflow, outcome));
        if (outcome.layers.size() % kReported == 0 || outcome.layers.size() == inputs.jobs.size())
            context.reportProgress("layers", static_cast<double>(outcome.layers.size()),
                                   static_cast<double>(inputs.jobs.size()));
    }
    result.assumptions = {
        outcome.variant == cost::Variant::published
            ? "Variant published: MAESTRO's analysis as the published MAGMA code uses it, its known errors included."
            : "Variant corrected: the published analysis without its known errors, with energy of multiply-accumulates "
              "and DRAM.",
        "One element is one byte; buffers are doubled to load while computing."};
    if (depthwise) result.assumptions.emplace_back("Depthwise layers run under the depthwise dataflow.");
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateCost(const Study& study) {
    Estimate estimate;
    const auto layers = static_cast<double>(readInputs(study, {}).jobs.size());
    constexpr double kSecondsPerLayer = 50e-6;  // both variants
    estimate.seconds = layers * kSecondsPerLayer;
    estimate.text = fmt::format("{}: {}", formatCounted(layers, "layer", "layers"), formatWait(estimate.seconds));
    return estimate;
}

}  // namespace tessera::study

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cost/dataflow.h"
#include "core/cost/job_analysis.h"
#include "core/cost/workload.h"
#include "core/draw/table.h"
#include "core/model/readers/layer_csv.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

constexpr std::int64_t kLargestOption = 2'147'483'647;

struct CostOptions {
    std::string jobs;
    std::string dataflow;
    std::string variant = "corrected";
    std::string pes;
    std::string cluster = "64";
    std::string nocBandwidth = "81920000";
    std::string nocHops = "1";
    std::string nocHopLatency = "1";
    std::string offchipBandwidth = "81920000";
    std::string simdLanes = "1";
};

/// A layer to analyse.
struct CostJob {
    std::string name;
    cost::Layer layer;
    std::int64_t runs = 1;
};

struct CostRow {
    std::string name;
    cost::Analysis analysis;
    std::vector<std::string> differences;
};

/// Everything that the command shows.
struct CostTable {
    const CostOptions& options;
    cost::Dataflow dataflow;
    cost::Array array;
    cost::Variant variant = cost::Variant::corrected;
    std::vector<study::Input> inputs = {};
    std::vector<std::string> warnings = {};
    std::vector<CostRow> rows = {};
    std::size_t differing = 0;
    std::size_t failed = 0;
    bool depthwise = false;
};

cost::Array arrayOf(const CostOptions& options) {
    return {.pes = wholeOf("--pes", options.pes, 1, kLargestOption),
            .clusterSize = wholeOf("--cluster", options.cluster, 1, kLargestOption),
            .nocBandwidth = wholeOf("--noc-bandwidth", options.nocBandwidth, 1, kLargestOption),
            .nocHops = wholeOf("--noc-hops", options.nocHops, 0, kLargestOption),
            .nocHopLatency = wholeOf("--noc-hop-latency", options.nocHopLatency, 0, kLargestOption),
            .offchipBandwidth = wholeOf("--offchip-bandwidth", options.offchipBandwidth, 1, kLargestOption),
            .simdLanes = wholeOf("--simd-lanes", options.simdLanes, 1, kLargestOption)};
}

cost::Variant variantOf(const std::string& name) {
    if (const auto variant = cost::variantNamed(name)) return *variant;
    throw UsageError(fmt::format("option '--variant' is {}; expected corrected or published", inQuotes(name)));
}

/// The rows of an M3E table as they stand there, or the jobs of a model or workload in order.
std::vector<CostJob> jobsOf(const std::string& name, CostTable& table) {
    std::vector<CostJob> jobs;
    std::error_code ignored;
    const bool isFile = std::filesystem::exists(name, ignored) || name.ends_with(".csv");
    const std::string bytes = isFile ? readFile(name) : std::string();
    if (isFile && model::looksLikeM3e(bytes)) {
        table.inputs.push_back({name, sha256(bytes)});
        for (const model::LayerJob& job : model::readM3eJobs(bytes, name))
            jobs.push_back({job.name, cost::layerOfJob(static_cast<std::int64_t>(job.kind), job.d).value()});
        return jobs;
    }
    std::string listing;
    const cost::JobPool pool = cost::jobPool(cost::loadWorkload(name));
    for (const std::vector<cost::Job>& source : pool.jobs)
        for (const cost::Job& job : source) {
            jobs.push_back(
                {cost::nameOf(job), cost::layerOf(job.layer, table.variant), cost::runsOf(job.layer, table.variant)});
            listing += jobs.back().name + "\n";
        }
    table.warnings = pool.warnings;
    table.inputs.push_back({name, sha256(isFile ? bytes : listing)});
    return jobs;
}

void repeat(cost::LayerCost& cost, std::int64_t runs) {
    const auto times = static_cast<double>(runs);
    if (__builtin_mul_overflow(cost.cycles, runs, &cost.cycles) || __builtin_mul_overflow(cost.macs, runs, &cost.macs))
        throw UsageError("a job repeats so often that its cycles do not fit into 64 bits");
    cost.energy *= times;
    cost.offChipBytes *= times;
}

CostTable analyseAll(const CostOptions& options, const Context& context) {
    CostTable table{
        .options = options, .dataflow = {}, .array = arrayOf(options), .variant = variantOf(options.variant)};
    table.dataflow = cost::loadDataflow(options.dataflow);
    const cost::Dataflow depthwise = cost::bundledDataflow("depthwise");
    const bool isOwn = cost::isDataflowFile(options.dataflow);  // what somebody wrote is what runs
    const std::vector<CostJob> jobs = jobsOf(options.jobs, table);
    table.inputs.push_back({options.dataflow, sha256(cost::writeDataflow(table.dataflow))});
    for (const CostJob& job : jobs) {
        if (context.stop.stop_requested()) throw InterruptedError("the analysis was stopped");
        const bool isDepthwise = job.layer.kind == cost::LayerKind::dsconv && !isOwn;
        table.depthwise = table.depthwise || isDepthwise;
        const cost::Dataflow& dataflow = isDepthwise ? depthwise : table.dataflow;
        CostRow row{.name = job.name,
                    .analysis = cost::analyse(job.layer, dataflow, table.array, table.variant),
                    .differences = cost::differences(job.layer, dataflow, table.array)};
        if (row.analysis.ok()) repeat(row.analysis.cost, job.runs);
        table.failed += row.analysis.ok() ? 0 : 1;
        table.differing += row.differences.empty() ? 0 : 1;
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<std::string> assumptionsOf(const CostTable& table) {
    std::vector<std::string> assumptions{
        table.variant == cost::Variant::published
            ? "Variant published: MAESTRO's analysis as the published MAGMA code uses it, its known errors included."
            : "Variant corrected: the published analysis without its known errors, with energy of multiply-accumulates "
              "and DRAM.",
        "One element is one byte; buffers are doubled to load while computing."};
    if (table.depthwise) assumptions.emplace_back("Depthwise layers run under the depthwise dataflow.");
    return assumptions;
}

Json number(double value) {
    constexpr double kExact = 9'007'199'254'740'992;
    if (value > -kExact && value < kExact && value == static_cast<double>(static_cast<std::int64_t>(value)))
        return static_cast<std::int64_t>(value);
    return value;
}

Json jsonOf(const CostRow& row, std::size_t index) {
    Json json{{"index", index}, {"name", row.name}};
    if (!row.analysis.ok()) {
        json["error"] = row.analysis.problem;
    } else {
        const cost::LayerCost& cost = row.analysis.cost;
        json["cycles"] = cost.cycles;
        json["l1_bytes"] = cost.l1Bytes;
        json["l2_bytes"] = cost.l2Bytes;
        json["macs"] = cost.macs;
        json["energy_j"] = cost.energy;
        json["off_chip_bytes"] = number(cost.offChipBytes);
        json["utilisation"] = cost.utilisation;
    }
    json["differences"] = row.differences;
    return json;
}

Json jsonOf(const CostTable& table) {
    Json json = study::documentHead("tessera.layer-costs/1", "cost", table.inputs);
    json["variant"] = cost::nameOf(table.variant);
    json["dataflow"] = table.dataflow.name;
    json["array"] = {{"pes", table.array.pes},
                     {"cluster", table.array.clusterSize},
                     {"noc_bytes_per_cycle", table.array.nocBandwidth},
                     {"noc_hops", table.array.nocHops},
                     {"noc_hop_latency_cycles", table.array.nocHopLatency},
                     {"offchip_bytes_per_cycle", table.array.offchipBandwidth},
                     {"simd_lanes", table.array.simdLanes}};
    Json& rows = json["rows"] = Json::array();
    for (std::size_t i = 0; i < table.rows.size(); ++i) rows.push_back(jsonOf(table.rows[i], i));
    json["differs"] = table.differing;
    study::finishDocument(json, assumptionsOf(table), table.warnings);
    return json;
}

std::string textOf(const CostTable& table) {
    report::Table text;
    text.columns = {{"row", true},  {"name"},         {"cycles", true},   {"L1", true},          {"L2", true},
                    {"MACs", true}, {"energy", true}, {"off chip", true}, {"utilisation", true}, {"differs"}};
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const CostRow& row = table.rows[i];
        const std::string differs = row.differences.empty() ? "" : "yes";
        if (!row.analysis.ok()) {
            text.rows.push_back(
                {fmt::format("{}", i), row.name, row.analysis.problem, "", "", "", "", "", "", differs});
            continue;
        }
        const cost::LayerCost& cost = row.analysis.cost;
        text.rows.push_back({fmt::format("{}", i), row.name, fmt::format("{}", cost.cycles),
                             fmt::format("{} B", cost.l1Bytes), fmt::format("{} B", cost.l2Bytes),
                             fmt::format("{}", cost.macs), formatQuantity(cost.energy, Measure::joules),
                             formatQuantity(cost.offChipBytes, Measure::bytes),
                             fmt::format("{:.1f} %", 100 * cost.utilisation), differs});
    }
    return report::toText(text) + fmt::format(
                                      "\n{} rows, {} cannot be analysed; the variants published and corrected "
                                      "differ on {}; this is {}\n",
                                      table.rows.size(), table.failed, table.differing, cost::nameOf(table.variant));
}

}  // namespace

Action addCost(CLI::App& app) {
    const auto options = std::make_shared<CostOptions>();
    addInput(app, "--jobs", options->jobs, "FILE", "layers, as an M3E job table (CSV); a workload or a model, too")
        ->required();
    addText(
        app, "--dataflow", options->dataflow, "NAME",
        "nvdla, eyeriss, shidiannao, under which depthwise layers run under the depthwise dataflow, or a mapping file "
        "FILE.m for every layer")
        ->required();
    addText(app, "--pes", options->pes, "N", "processing elements")->required();
    addText(app, "--cluster", options->cluster, "N", "elements of a cluster, the constant ClusterSz (default 64)");
    addText(app, "--variant", options->variant, "VARIANT", "corrected or published (default corrected)");
    addText(app, "--noc-bandwidth", options->nocBandwidth, "B", "elements per cycle on chip (default 81920000)");
    addText(app, "--noc-hops", options->nocHops, "N", "hops on chip (default 1)");
    addText(app, "--noc-hop-latency", options->nocHopLatency, "N", "cycles of a hop (default 1)");
    addText(app, "--offchip-bandwidth", options->offchipBandwidth, "B",
            "elements per cycle off chip (default 81920000)");
    addText(app, "--simd-lanes", options->simdLanes, "N", "multiply-accumulates per element and cycle (default 1)");
    return [options](Context& context) {
        const CostTable table = analyseAll(*options, context);
        context.console.showWarnings(table.warnings);
        if (context.common.json)
            context.console.printJson(jsonOf(table));
        else
            context.console.print(textOf(table));
    };
}

}  // namespace tessera::cli

#include "core/cost/job_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/hardware/library.h"

namespace tessera::cost {

namespace {

using hardware::Platform;
using hardware::SubAccelerator;

constexpr std::size_t kMaxPairs = 10'000'000;

/// A row of the platform with what its analysis needs.
struct Core {
    const SubAccelerator* row = nullptr;
    Dataflow dataflow, depthwise;
    Array array;
    double clockRatio = 1;  ///< its clock over the platform's
};

BufferLimits limitsOf(const SubAccelerator& core) {
    const auto whole = [](Bytes buffer) { return static_cast<std::int64_t>(std::clamp(buffer.value, 1.0, 0x1p62)); };
    return {.l1Bytes = whole(core.localBuffer), .l2Bytes = whole(core.sharedBuffer)};
}

std::vector<Core> coresIn(const Platform& platform) {
    std::vector<Core> cores;
    for (const SubAccelerator& row : platform.subAccelerators) {
        Core core{.row = &row,
                  .dataflow = dataflowOf(row.dataflow, platform.file),
                  .depthwise = dataflowOf(row.depthwise, platform.file),
                  .array = {}};
        core.array.pes = row.height * row.width;
        core.array.clusterSize = row.width;
        core.array.sharedBytes = limitsOf(row).l2Bytes;
        core.array.localBytes = limitsOf(row).l1Bytes;
        core.clockRatio = hardware::clockOf(platform, row).value / platform.clock.value;
        cores.push_back(std::move(core));
    }
    return cores;
}

/// A job on a row of the platform.
struct Pair {
    double latency = 0;
    double requiredBandwidth = 0;
    double energy = 0;
    std::int64_t width = 0;
    bool differs = false;
    bool overflows = false;
    bool clamped = false;  ///< the published model gives a negative bandwidth
    std::string problem;
};

/// True where a variant sees other cycles, buffers or multiply-accumulates than the other, of all runs of the job.
bool differ(const LayerCost& a, std::int64_t runsOfA, const LayerCost& b, std::int64_t runsOfB) {
    const auto times = [](std::int64_t value, std::int64_t runs) {
        return static_cast<double>(value) * static_cast<double>(runs);
    };
    return times(a.cycles, runsOfA) != times(b.cycles, runsOfB) || a.l1Bytes != b.l1Bytes || a.l2Bytes != b.l2Bytes ||
           times(a.macs, runsOfA) != times(b.macs, runsOfB);
}

Variant otherThan(Variant variant) {
    return variant == Variant::published ? Variant::corrected : Variant::published;
}

Pair pairOf(const model::LayerJob& job, const Core& core, const AnalysisOptions& options) {
    poll();
    const Layer layer = layerOf(job, options.variant);
    const Dataflow& dataflow = dataflowFor(layer, core.dataflow, core.depthwise);
    Array array = core.array;
    Analysis analysis;
    if (core.row->flexible) {
        FlexibleArray chosen = flexibleArray(layer, dataflow, array, options.variant, limitsOf(*core.row));
        array = chosen.array;
        analysis = std::move(chosen.analysis);
    } else {
        analysis = analyse(layer, dataflow, array, options.variant);
    }
    Pair pair;
    pair.problem = analysis.problem;
    pair.width = array.clusterSize;
    const LayerCost& cost = analysis.cost;
    if (analysis.ok() && cost.cycles <= 0) pair.problem = fmt::format("the model gives it {} cycles", cost.cycles);
    if (!pair.problem.empty()) return pair;

    const std::int64_t runs = runsOf(job, options.variant);
    const double bytesPerCycle = requiredBandwidth(cost, options.bandwidth);
    pair.latency = static_cast<double>(cost.cycles) * static_cast<double>(runs) / core.clockRatio;
    pair.clamped = !(bytesPerCycle >= 0);
    pair.requiredBandwidth = pair.clamped ? 0 : bytesPerCycle * core.clockRatio;
    pair.energy = std::max(cost.energy, 0.0) * static_cast<double>(runs);
    const BufferLimits limits = limitsOf(*core.row);
    pair.overflows = cost.l1Bytes > limits.l1Bytes || cost.l2Bytes > limits.l2Bytes;

    const Variant variant = otherThan(options.variant);
    const Layer there = layerOf(job, variant);
    const Analysis other = analyse(there, dataflowFor(there, core.dataflow, core.depthwise), array, variant);
    pair.differs = !other.ok() || differ(cost, runs, other.cost, runsOf(job, variant));
    return pair;
}

/// Jobs whose strides, padding or groups the published model does not see.
bool isSimplified(const model::LayerJob& job) {
    return job.strideY != 1 || job.strideX != 1 || job.groups != 1 ||
           job.padTop + job.padBottom + job.padLeft + job.padRight != 0;
}

bool isDilated(const model::LayerJob& job) {
    return job.dilationY != 1 || job.dilationX != 1;
}

std::string bandwidthSentence(BandwidthDefinition definition) {
    return definition == BandwidthDefinition::streaming
               ? "Required bandwidth by the definition 'streaming': off-chip bytes of the layer, each operand as often "
                 "as it is fetched, by cycles."
               : "Required bandwidth by the definition 'tile': half of the shared buffer that the first tiles fill, by "
                 "cycles less one, as in the published code.";
}

std::string depthwiseSentence(const Platform& platform) {
    const auto& cores = platform.subAccelerators;
    const auto isBundled = [](const SubAccelerator& core) { return core.depthwise == SubAccelerator{}.depthwise; };
    if (std::all_of(cores.begin(), cores.end(), isBundled))
        return "Depthwise layers run under the depthwise dataflow on every core.";
    std::vector<std::string> parts;
    for (const SubAccelerator& core : cores)
        parts.push_back(fmt::format("{} on {}", inQuotes(core.depthwise.name), inQuotes(core.name)));
    return fmt::format("Depthwise layers run under {}.", joined(parts, ", "));
}

std::vector<std::string> assumptionsOf(const JobTable& table, const std::vector<Job>& jobs, const Platform& platform,
                                       const AnalysisOptions& options, std::int64_t clamped) {
    const auto count = [&](bool (*matches)(const model::LayerJob&)) {
        return std::count_if(jobs.begin(), jobs.end(), [&](const Job& job) { return matches(job.layer); });
    };
    std::vector<std::string> sentences;
    sentences.push_back(fmt::format(
        "Latencies by the variant '{}' of the dataflow model; it differs from '{}' on {} of "
        "{} pairs of a job and a core.",
        nameOf(options.variant), nameOf(otherThan(options.variant)), table.differing, table.latency.size()));
    sentences.push_back(bandwidthSentence(options.bandwidth));
    if (options.variant == Variant::corrected)
        sentences.emplace_back(
            "A tensor that fits into the shared buffer (sg_bytes) whole, beside the tiles at work and the next ones, "
            "is "
            "moved between off chip and the buffer once; any other as often as its tiles are.");
    if (count([](const model::LayerJob& job) { return job.kind == model::JobKind::dsconv; }) > 0)
        sentences.push_back(depthwiseSentence(platform));
    if (std::any_of(platform.subAccelerators.begin(), platform.subAccelerators.end(),
                    [](const SubAccelerator& core) { return core.flexible; }))
        sentences.emplace_back(
            "Flexible cores take, for each job, the array shape of least latency among those aligned to the layer.");
    if (options.variant == Variant::published && count(isSimplified) > 0)
        sentences.push_back(
            fmt::format("The published model knows neither strides nor padding nor groups: {} of {} "
                        "jobs are analysed without theirs.",
                        count(isSimplified), jobs.size()));
    if (options.variant == Variant::corrected && count(isDilated) > 0)
        sentences.push_back(
            fmt::format("Dilated kernels of {} jobs count as dense ones on a smaller map.", count(isDilated)));
    if (table.overflowing > 0)
        sentences.push_back(fmt::format(
            "On {} of {} pairs the tiles need larger buffers than the core has; {}.", table.overflowing,
            table.latency.size(),
            options.variant == Variant::published
                ? "the model takes them as if they fitted"
                : "what the shared buffer (sg_bytes) does not hold passes through it in pieces, and what a local "
                  "buffer "
                  "(sl_bytes) does not hold is fetched again for every step, from off chip where the shared buffer "
                  "does not hold the tiles either"));
    if (clamped > 0)
        sentences.push_back(
            fmt::format("On {} pairs the published model gives a negative bandwidth, which counts as 0.", clamped));
    return sentences;
}

[[noreturn]] void failFor(const Job& job, const SubAccelerator& core, const std::string& problem) {
    throw UsageError(
        fmt::format("the job {} cannot run on the core {}: {}", inQuotes(nameOf(job)), inQuotes(core.name), problem));
}

}  // namespace

Layer layerOf(const model::LayerJob& job, Variant variant) {
    const auto& d = job.d;
    Layer layer;
    switch (job.kind) {
        case model::JobKind::ffn:
            layer.k = d[0];
            layer.c = d[1];
            return layer;
        case model::JobKind::gemm:
            layer.k = d[1];
            layer.c = d[2];
            layer.y = d[0];
            return layer;
        case model::JobKind::conv:
            layer.kind = LayerKind::conv;
            break;
        case model::JobKind::dsconv:
            layer.kind = LayerKind::dsconv;
            break;
    }
    layer.k = d[0];
    layer.c = d[1];
    layer.y = d[2];
    layer.x = d[3];
    layer.r = d[4];
    layer.s = d[5];
    if (variant == Variant::published) {
        // What is smaller than its kernel without padding is taken as large as that.
        layer.y = std::max(layer.y, layer.r);
        layer.x = std::max(layer.x, layer.s);
        return layer;
    }
    layer.strideY = job.strideY;
    layer.strideX = job.strideX;
    layer.padY = job.padTop + job.padBottom;
    layer.padX = job.padLeft + job.padRight;
    if (job.kind == model::JobKind::conv) {
        layer.groups = job.groups;
        layer.c = d[1] * job.groups;
    }
    layer.batch = job.repeats;
    // The dense kernel makes as many outputs on a map that is smaller by what the dilation adds.
    const auto shrink = [](std::int64_t& extent, std::int64_t& padding, std::int64_t surplus) {
        const std::int64_t fromPadding = std::min(padding, surplus);
        padding -= fromPadding;
        extent = std::max<std::int64_t>(1, extent - (surplus - fromPadding));
    };
    shrink(layer.y, layer.padY, (job.dilationY - 1) * (layer.r - 1));
    shrink(layer.x, layer.padX, (job.dilationX - 1) * (layer.s - 1));
    return layer;
}

std::int64_t runsOf(const model::LayerJob& job, Variant variant) {
    const bool slides = job.kind == model::JobKind::conv || job.kind == model::JobKind::dsconv;
    return variant == Variant::corrected && slides ? 1 : job.repeats;
}

Dataflow dataflowOf(const hardware::DataflowSource& source, const std::string& file) {
    if (source.text.empty()) return bundledDataflow(source.name);
    Dataflow dataflow = readDataflow(source.text, source.isInline ? file : source.name);
    if (source.isInline) dataflow.name = source.name;
    return dataflow;
}

Platform readPlatform(const JsonNode& root) {
    return hardware::readPlatform(
        root, [&](const hardware::DataflowSource& source) { (void)dataflowOf(source, root.document().file()); });
}

Platform loadPlatform(const std::string& nameOrPath) {
    return readPlatform(hardware::platformDocument(nameOrPath).root());
}

JobTable jobTable(const std::vector<Job>& jobs, const Platform& platform, const AnalysisOptions& options) {
    const std::vector<std::size_t> rowOfCore = hardware::coresOf(platform);
    if (jobs.empty()) throw UsageError("there is no job; expected at least one");
    if (jobs.size() * rowOfCore.size() > kMaxPairs)
        throw UsageError(
            fmt::format("{} jobs on {} cores make more than {} pairs", jobs.size(), rowOfCore.size(), kMaxPairs));
    const std::vector<Core> rows = coresIn(platform);
    std::vector<Pair> pairs(jobs.size() * rows.size());
    parallelFor(jobs.size(), options.threads, [&](std::size_t job) {
        for (std::size_t row = 0; row < rows.size(); ++row)
            pairs[job * rows.size() + row] = pairOf(jobs[job].layer, rows[row], options);
    });

    JobTable table;
    table.name = platform.name;
    table.cores = hardware::coreNames(platform);
    table.bandwidth = hardware::bytesPerCycle(platform);
    table.clock = platform.clock;
    std::int64_t clamped = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        table.jobs.push_back(nameOf(jobs[job]));
        const Layer layer = layerOf(jobs[job].layer, options.variant);
        table.macs.push_back(trueMacs(layer) * static_cast<double>(runsOf(jobs[job].layer, options.variant)));
        for (const std::size_t row : rowOfCore) {
            const Pair& pair = pairs[job * rows.size() + row];
            if (!pair.problem.empty()) failFor(jobs[job], *rows[row].row, pair.problem);
            table.latency.push_back(pair.latency);
            table.requiredBandwidth.push_back(pair.requiredBandwidth);
            table.energy.push_back(pair.energy);
            table.width.push_back(pair.width);
            table.differing += pair.differs ? 1 : 0;
            table.overflowing += pair.overflows ? 1 : 0;
            clamped += pair.clamped ? 1 : 0;
        }
    }
    table.assumptions = assumptionsOf(table, jobs, platform, options, clamped);
    return table;
}

}  // namespace tessera::cost

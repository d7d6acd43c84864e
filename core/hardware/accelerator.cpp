#include "core/hardware/accelerator.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/hardware/field.h"

namespace tessera::hardware {

namespace {

constexpr std::size_t kMaxMeasured = 1000;
constexpr std::int64_t kMaxDevices = 1'000'000'000;
constexpr std::int64_t kMaxUnits = 1'000'000'000;
constexpr std::int64_t kMaxKernelRows = 1'000'000'000;

Fields memoryFields() {
    using F = FieldsOf<MemoryLevel>;
    return {F::name(&MemoryLevel::name, "name", "Name", "Name of the level, such as HBM; no two levels share one."),
            F::number(&MemoryLevel::capacity, "capacity_bytes", "Capacity", Measure::bytes, kPositive,
                      "How much it holds, in bytes.")
                .otherwise("not said"),
            F::number(&MemoryLevel::bandwidth, "bandwidth_bytes_per_s", "Bandwidth", Measure::bytesPerSecond, kPositive,
                      "Bytes per second, not bits.")
                .otherwise("not said"),
            F::flag(&MemoryLevel::onChip, "on_chip", "On chip", "Whether the level lies on the chip.")
                .otherwise("no", Json(false))
                .alwaysWritten()};
}

Fields collectiveFields() {
    using F = FieldsOf<MeasuredCollective>;
    return {F::number(&MeasuredCollective::bytes, "bytes", "Size", Measure::bytes, kPositive,
                      "Bytes that are reduced on each device."),
            F::number(&MeasuredCollective::devices, "devices", "Devices", Measure::count, wholeUpTo(kMaxDevices),
                      "Devices that took part.")
                .otherwise("not said"),
            F::number(&MeasuredCollective::bandwidth, "bandwidth_bytes_per_s", "Bandwidth", Measure::bytesPerSecond,
                      kPositive, "Bytes that one device sends in all, over the time that this takes.")};
}

Fields benchmarkFields() {
    using F = FieldsOf<Benchmark>;
    return {F::name(&Benchmark::model, "model", "Model", "A model of the zoo, such as zoo:resnet50.")
                .describedBy(Json{{"type", "string"}, {"pattern", "^zoo:"}, {"maxLength", 256}}),
            F::number(&Benchmark::utilization, "utilization", "Utilization", Measure::count, kFraction,
                      "Share of the peak that is reached.")};
}

Fields kernelFitFields() {
    using F = FieldsOf<KernelFit>;
    return {
        F::word(&KernelFit::family, "family", "Family", kKernelFamilyNames, "What decides the time of the kernels."),
        F::name(&KernelFit::dtype, "dtype", "Data type",
                "Of their operands: fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4 or int8."),
        F::number(&KernelFit::rows, "rows", "Rows", Measure::count, wholeUpTo(kMaxKernelRows),
                  "Measured kernels that the parameters are fitted to."),
        F::name(&KernelFit::sources, "sources", "Sources", "The files or authors of the measurements."),
        F::map(&KernelFit::parameters, "parameters", "Parameters", "parameter",
               F::valueOf("Value", Measure::count, kNotNegative, "In the unit that the name ends with, or none."),
               "The parameters of the family's form, which tessera fit names.",
               "All parameters of the family are needed."),
        F::number(&KernelFit::spread, "spread", "Spread", Measure::count, kNotNegative,
                  "90 % of the measured kernels lie within this logarithm of the form."),
        F::word(&KernelFit::reliability, "class", "Class", kFitClassNames, "How sure the parameters are.")};
}

Fields placementFields() {
    using F = FieldsOf<Accelerator>;
    return {F::name(&Accelerator::placementPolicy, "policy", "Placement",
                    "Name of the policy that says where tensors live, such as off-chip."),
            F::namesBy(&Accelerator::placementLevels, "levels", "Memory by category", "category", "Levels",
                       "By category of training data (input_output, weights, gradients, algorithm, ephemeral) the "
                       "names of the memory levels in the order in which they fill.",
                       "Without an entry the policy decides.")
                .otherwise("the policy's own")};
}

Fields acceleratorFields() {
    using F = FieldsOf<Accelerator>;
    return {
        F::name(&Accelerator::name, "name", "Name", "The name shown to people."),
        F::text(&Accelerator::vendor, "vendor", "Vendor", "Who makes it.").otherwise("not said", Json("")),
        F::map(&Accelerator::peakFlops, "peak_flops", "Peak rates", "data type",
               F::valueOf("Peak", Measure::flopsPerSecond, kPositive, "Multiply-adds count as two operations."),
               "Peak rate in FLOP/s by data type: bf16, fp16, fp32, tf32, fp64, fp8, mxfp8, nvfp4, int8 or another; "
               "dense, and for integers operations count as FLOP. An engine needs the data type that it is asked for.",
               "Add the peak rate of at least one data type."),
        F::map(&Accelerator::sustainedFlops, "sustained_flops", "Sustained rates", "data type",
               F::valueOf("Rate", Measure::flopsPerSecond, kPositive, "Multiply-adds count as two operations."),
               "Rate in FLOP/s that large matrix multiplications were measured to reach under the power limit, by data "
               "type. "
               "Set it for an accelerator without measured kernels whose clock falls far below that of its peak.",
               "Without an entry, products reach as much of the peak as on the most alike measured accelerator.")
            .otherwise("as the most alike"),
        F::number(&Accelerator::computeUnits, "compute_units", "Compute units", Measure::count, wholeUpTo(kMaxUnits),
                  "Processors that work on one tile each: streaming multiprocessors of a GPU, matrix engines, cores.")
            .otherwise("not said"),
        F::map(&Accelerator::efficiency, "efficiency", "Efficiency", "class of operations",
               F::valueOf("Efficiency", Measure::count, kFraction, "Share of the peak, above 0 and at most 1."),
               "Share of the peak that is reached, by class of operation, such as gemm.",
               "Without an entry every operation runs at the peak rate.")
            .otherwise("1 for each class"),
        F::list(&Accelerator::memory, "memory", "Memory, from the fastest to the largest", "memory level",
                memoryFields(), "Memory levels, from the fastest to the largest.",
                "Add a level, such as HBM, so that plans are checked against its capacity.", 0, 100, "level")
            .otherwise("not said; checks of capacity are then left out", Json::array()),
        F::number(&Accelerator::network, "network_bits_per_s", "Network", Measure::bitsPerSecond, kPositive,
                  "Rate of one accelerator's links or network in bits per second (not bytes): all links together, one "
                  "direction.")
            .otherwise("not said; partition needs it here or in the group"),
        F::number(&Accelerator::networkPeers, "network_peers", "Network peers", Measure::count, wholeUpTo(kMaxDevices),
                  "Others of a node that its links lead to without a switch, in equal parts: two accelerators that "
                  "talk to each other have that share of the network's rate. Levels of a fleet say it themselves.")
            .otherwise("none: a switch, which brings the whole rate to any one"),
        F::number(&Accelerator::hostBandwidth, "host_bandwidth_bytes_per_s", "Host link", Measure::bytesPerSecond,
                  kPositive, "Bandwidth between host and accelerator in bytes per second.")
            .otherwise("not said"),
        F::number(&Accelerator::power, "power_watts", "Power", Measure::watts, kPositive,
                  "Power of one accelerator under load in watts.")
            .otherwise("not said"),
        F::number(&Accelerator::pricePerHourUsd, "price_per_hour_usd", "Price", Measure::count, kNotNegative,
                  "Rent of one accelerator in US dollars per hour.")
            .in("$ per hour")
            .otherwise("not said"),
        F::group("placement", "", placementFields(), "Which memory level holds what.").otherwise("not said"),
        F::name(&Accelerator::kernels, "kernels", "Measured kernels",
                "Path of a table of measured kernels, relative to this file.")
            .otherwise("none"),
        F::number(&Accelerator::launchOverhead, "launch_overhead_s", "Launch overhead", Measure::seconds, kNotNegative,
                  "Time to start one kernel in seconds.")
            .otherwise("0", Json(0)),
        F::number(&Accelerator::hostPeak, "host_peak_flops", "Host peak", Measure::flopsPerSecond, kPositive,
                  "Peak rate in FLOP/s of the share of the host that prepares this accelerator's samples.")
            .otherwise("not said"),
        F::number(&Accelerator::networkLatency, "network_latency_s", "Network latency", Measure::seconds, kNotNegative,
                  "Time of an empty message between two accelerators in seconds.")
            .otherwise("not said; transfers then have no latency"),
        F::list(&Accelerator::allReduce, "all_reduce", "Measured all-reduces", "all-reduce", collectiveFields(),
                "All-reduces that were measured.", "Add an all-reduce that was measured.", 0, kMaxMeasured)
            .otherwise("none", Json::array()),
        F::list(&Accelerator::benchmarks, "benchmarks", "Measured models", "model", benchmarkFields(),
                "Models whose training was measured.", "Add a model of the zoo whose training was measured.", 0,
                kMaxMeasured)
            .otherwise("none", Json::array()),
        F::list(&Accelerator::kernelFits, "kernel_fits", "Fitted kernels", "fit", kernelFitFields(),
                "Parameters of kernels that are fitted to measurements, as tessera fit writes them: one of each family "
                "and data type.",
                "Let tessera fit add them.")
            .otherwise("none; parameters of other accelerators then serve", Json::array())};
}

/// Refuses fits that do not have the parameters of their family, or that say the same twice.
void checkFits(const std::vector<JsonNode>& nodes, const std::vector<KernelFit>& fits) {
    std::set<std::pair<KernelFamily, std::string>> seen;
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const KernelFit& fit = fits[i];
        if (!seen.emplace(fit.family, fit.dtype).second)
            nodes[i].at("dtype").fail("a family and data type that no other fit has");
        const JsonNode parameters = nodes[i].at("parameters");
        std::vector<std::string> known;
        for (const KernelParameter& parameter : kernelParameters(fit.family)) known.emplace_back(parameter.key);
        parameters.allowOnly(known);
        for (const std::string& key : known) (void)parameters.at(key);
    }
}

/// Refuses levels that do not run from the fastest to the largest.
void checkOrder(const JsonNode& memory, const std::vector<MemoryLevel>& levels) {
    const std::vector<JsonNode> nodes = memory.elements();
    std::optional<BytesPerSecond> slowest;
    std::optional<Bytes> largest;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const MemoryLevel& level = levels[i];
        if (slowest && level.bandwidth && *level.bandwidth > *slowest)
            nodes[i]
                .at("bandwidth_bytes_per_s")
                .fail("levels from the fastest to the largest", "more than that of a level before it");
        if (level.bandwidth) slowest = level.bandwidth;
        if (level.capacity && (!largest || *level.capacity > *largest)) largest = level.capacity;
    }
    if (!levels.empty() && levels.back().capacity && *levels.back().capacity < *largest)
        nodes.back()
            .at("capacity_bytes")
            .fail("levels from the fastest to the largest", "less than that of a level before it");
}

/// What holds across fields.
void checkAccelerator(Accelerator& accelerator, const JsonNode& node, Reading& reading) {
    if (node.has("memory") && reading.good(node.at("memory")))
        reading.attempt([&] { checkOrder(node.at("memory"), accelerator.memory); });
    if (node.has("placement") && node.at("placement").isObject() && node.at("placement").has("levels") &&
        reading.good(node.at("placement").at("levels"))) {
        std::vector<std::string> known;
        for (const MemoryLevel& level : accelerator.memory) known.push_back(level.name);
        for (const std::pair<std::string, JsonNode>& category : node.at("placement").at("levels").members())
            for (const JsonNode& level : category.second.elements()) reading.attempt([&] { (void)level.oneOf(known); });
    }
    if (node.has("kernel_fits") && reading.good(node.at("kernel_fits")))
        reading.attempt([&] { checkFits(node.at("kernel_fits").elements(), accelerator.kernelFits); });
    if (!node.has("benchmarks") || !node.at("benchmarks").isArray()) return;
    for (const JsonNode& benchmark : node.at("benchmarks").elements())
        if (benchmark.isObject() && benchmark.has("model") && reading.good(benchmark.at("model")) &&
            !benchmark.at("model").text().starts_with("zoo:"))
            reading.attempt([&] { benchmark.at("model").fail("a model of the zoo, zoo:NAME"); });
}

}  // namespace

const Kind& acceleratorKind() {
    static const Kind kind{
        .id = "accelerator",
        .title = "Accelerator",
        .history = {.kind = "tessera.accelerator"},
        .about =
            "An accelerator's file: one accelerator as a buyer sees it. What an engine needs and does not find is "
            "an error of that engine, so few fields are required. All numbers are in SI base units; the unit is "
            "the suffix of the key. Every number may instead be an object {\"value\", \"source\", \"class\", "
            "\"was\"}. Text is shown escaped and never used as a path, but for kernels.",
        .fields = acceleratorFields()};
    return kind;
}

Accelerator readAccelerator(const JsonNode& given) {
    return readDocument<Accelerator>(given, acceleratorKind(), checkAccelerator);
}

Json toJson(const Accelerator& accelerator) {
    return documentJson(accelerator, acceleratorKind());
}

std::optional<Bytes> memoryCapacity(const Accelerator& accelerator) {
    std::optional<Bytes> largest;
    for (const MemoryLevel& level : accelerator.memory)
        if (level.capacity && (!largest || *level.capacity > *largest)) largest = level.capacity;
    return largest;
}

}  // namespace tessera::hardware

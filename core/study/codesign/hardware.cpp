#include "core/study/codesign/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/codesign/points.h"

namespace tessera::study {

namespace {

/// Describes where a number of an architecture comes from.
class Sources {
public:
    Sources(const codesign::Result& result, const codesign::Point& design)
        : start_(fmt::format("co-design of {} on {}: {}", joined(result.models, ", "), result.space.name,
                             hardware::nameOf(design.architecture))) {
        constexpr std::size_t kLongest = 160;
        if (start_.size() > kLongest)
            start_ = fmt::format("co-design on {}: {}", result.space.name, hardware::nameOf(design.architecture));
    }
    hardware::Provenance operator()(const std::string& how) const {
        return {.source = fmt::format("{}; {}", start_, how), .reliability = "assumed"};
    }

private:
    std::string start_;
};

std::string clockText(const codesign::Result& result) {
    return formatQuantity(result.space.rates.clock.value, Measure::hertz);
}

std::string arraysText(const hardware::Architecture& its) {
    return fmt::format("{} of {} x {} elements", formatCounted(its.tensorCores, "array", "arrays"), its.height,
                       its.width);
}

std::string_view typeOfWord(std::int64_t bytes) {
    return bytes <= 1 ? "fp8" : bytes <= 2 ? "bf16" : "fp32";
}

}  // namespace

std::vector<std::string> designNames(const codesign::Result& result) {
    std::vector<std::string> names;
    const auto add = [&](const codesign::Point& point) {
        std::string name = hardware::nameOf(point.architecture);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    if (result.best) add(*result.best);
    std::for_each(result.front.rbegin(), result.front.rend(), add);
    for (const KnownDesign& design : knownDesigns(result)) add(design.point);
    return names;
}

codesign::Point designNamed(const codesign::Result& result, const std::string& name) {
    for (const KnownDesign& design : knownDesigns(result))
        if (hardware::nameOf(design.point.architecture) == name) return design.point;
    throw UsageError(fmt::format("the search evaluated no architecture {}", inQuotes(name)));
}

hardware::Accelerator acceleratorOf(const codesign::Result& result, const codesign::Point& design,
                                    const DesignWords& words) {
    const hardware::Architecture& its = design.architecture;
    const hardware::Rates rates = hardware::ratesOf(its, result.space);
    const Sources source(result, design);
    hardware::Accelerator made;
    made.name = fmt::format("{} {}, {:.4g} mm²", result.space.name, hardware::nameOf(its), design.area.value);
    const std::string dtype(typeOfWord(words.bytes));
    made.peakFlops[dtype] = FlopsPerSecond{2 * hardware::peakMacs(its) * rates.clock.value};
    made.provenance["peak_flops." + dtype] = source(fmt::format("2 x {} x {}", arraysText(its), clockText(result)));
    made.computeUnits = its.tensorCores;
    made.provenance["compute_units"] = source("tensor cores");
    const double buffer = its.globalWords * static_cast<double>(words.bytes) * rates.clock.value;
    hardware::MemoryLevel onChip{.name = "GLB", .capacity = its.globalBuffer, .bandwidth = {}, .onChip = true};
    made.provenance["memory[0].capacity_bytes"] = source("global buffer");
    // Levels run from the fastest: the buffer of few cores may be slower than the HBM.
    if (buffer >= rates.hbmBandwidth.value) {
        onChip.bandwidth = BytesPerSecond{buffer};
        made.provenance["memory[0].bandwidth_bytes_per_s"] = source(
            fmt::format("{:.10g} words of {} bytes a cycle x {}", its.globalWords, words.bytes, clockText(result)));
    }
    made.memory.push_back(std::move(onChip));
    made.memory.push_back({.name = "HBM", .capacity = design.hbm, .bandwidth = rates.hbmBandwidth});
    made.provenance["memory[1].capacity_bytes"] = source("the smallest HBM of the template that gives its objective");
    made.provenance["memory[1].bandwidth_bytes_per_s"] = source("HBM");
    made.network = codesign::networkOf(its, result.options);
    made.provenance["network_bits_per_s"] = source("network between any two accelerators");
    return made;
}

hardware::Fleet fleetOf(const codesign::Result& result, const codesign::Point& design, const DesignWords& words) {
    hardware::Group group;
    group.name = "co-designed";
    group.accelerator = acceleratorOf(result, design, words);
    group.count = result.options.accelerators;
    const hardware::Provenance source = Sources(result, design)("accelerators of the system");
    hardware::Fleet fleet;
    fleet.provenance["groups[0].count"] = source;
    if (group.count > 1) {
        group.levels = {{.name = "network",
                         .size = group.count,
                         .bandwidth = codesign::networkOf(design.architecture, result.options)}};
        fleet.provenance["groups[0].levels[0].bandwidth_bytes_per_s"] =
            Sources(result, design)("network between any two accelerators");
    }
    fleet.name = fmt::format("{} × {}", group.count, group.accelerator.name);
    fleet.groups.push_back(std::move(group));
    return fleet;
}

hardware::Platform platformOf(const codesign::Result& result, const codesign::Point& design, const DesignWords& words) {
    const hardware::Architecture& its = design.architecture;
    const hardware::Rates rates = hardware::ratesOf(its, result.space);
    const Sources source(result, design);
    hardware::Platform made;
    made.name = fmt::format("{} {}", result.space.name, hardware::nameOf(its));
    made.clock = rates.clock;
    made.provenance["clock_hz"] = source("clock");
    made.bandwidth = rates.hbmBandwidth / static_cast<double>(words.bytes);
    made.provenance["bandwidth_bytes_per_s"] =
        source(fmt::format("HBM, in elements: a job counts one byte for each, here words of {} bytes", words.bytes));
    constexpr double kShare = 0.5;  // of the L2
    const double elements = static_cast<double>(its.width) * static_cast<double>(its.height);
    hardware::SubAccelerator core;
    core.name = "tensor core";
    core.count = its.tensorCores;
    core.height = its.height;
    core.width = its.width;
    core.localBuffer = Bytes{std::max(1.0, std::floor(kShare * its.tensorL2.value / elements))};
    core.sharedBuffer = its.tensorL2 * kShare;
    made.subAccelerators.push_back(std::move(core));
    made.provenance["sub_accelerators[0].count"] = source("tensor cores; vector cores take no layers with weights");
    made.provenance["sub_accelerators[0].array_height"] = source("PE_y");
    made.provenance["sub_accelerators[0].array_width"] = source("PE_x");
    made.provenance["sub_accelerators[0].sl_bytes"] = source("half of the L2 of a core, for each element");
    made.provenance["sub_accelerators[0].sg_bytes"] = source("half of the L2 of a core");
    return made;
}

}  // namespace tessera::study

#include "core/physical/device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "core/base/elementary.h"

namespace tessera::physical {
namespace {

/// Data types from the narrowest, those beside each other in a group as wide.
constexpr std::array<std::string_view, 8> kByWidth{"nvfp4", "mxfp8", "fp8", "int8", "bf16", "fp16", "tf32", "fp32"};

double peakNamed(const Device& device, std::string_view dtype) {
    const auto found = device.peaks.find(dtype);
    return found == device.peaks.end() ? 0 : found->second;
}

}  // namespace

Device deviceOf(const hardware::Accelerator& accelerator) {
    Device device{.id = accelerator.id, .vendor = accelerator.vendor, .cache = 1};
    for (const auto& [dtype, peak] : accelerator.peakFlops) device.peaks[dtype] = peak.value;
    for (const hardware::MemoryLevel& level : accelerator.memory) {
        if (level.capacity) device.memory = level.capacity->value;
        if (level.capacity && level.onChip) device.cache = level.capacity->value;
        if (level.bandwidth && (device.bandwidth == 0 || !level.onChip)) device.bandwidth = level.bandwidth->value;
    }
    if (accelerator.network) device.linkBytesPerSecond = accelerator.network->value;
    if (accelerator.hostBandwidth) device.hostBytesPerSecond = accelerator.hostBandwidth->value;
    if (accelerator.power) device.watts = accelerator.power->value;
    constexpr double kPeakOfUnit = 2e12;
    device.units = accelerator.computeUnits ? static_cast<double>(*accelerator.computeUnits)
                                            : std::max(1.0, std::round(peakOf(device, "bf16") / kPeakOfUnit));
    return device;
}

double peakOf(const Device& device, std::string_view dtype) {
    const auto* at = std::find(kByWidth.begin(), kByWidth.end(), dtype);
    if (at == kByWidth.end()) return 0;
    if (const double own = peakNamed(device, dtype); own > 0) return own;
    if (dtype == "fp16" && peakNamed(device, "bf16") > 0) return peakNamed(device, "bf16");
    if (dtype == "tf32") return peakOf(device, "fp32");
    for (; at != kByWidth.end(); ++at)
        if (const double wider = peakNamed(device, *at); wider > 0 && *at != "int8") return wider;
    // An accelerator without units for this type runs it on what it has.
    double most = 0;
    for (const auto& [name, peak] : device.peaks)
        if (name != "int8") most = std::max(most, peak);
    return most;
}

Machine machineOf(const Device& device, std::string_view dtype) {
    return {peakOf(device, dtype), device.bandwidth, device.cache, device.units};
}

ProductParameters productParametersOf(const Device& device, std::string_view dtype) {
    const GemmFit* best = nullptr;
    std::tuple<bool, double, bool, int> least;
    for (const GemmFit& fit : gemmFits()) {
        if (fit.leftOut != -1 || fit.kernel != "gemm") continue;
        const KernelSheet* other = kernelSheet(fit.accelerator);
        const double unlike = fit.accelerator == device.id
                                  ? 0
                                  : 1e-3 + std::fabs(elementary::log(peakOf(device, dtype) / peakOf(*other, dtype))) +
                                        std::fabs(elementary::log(device.bandwidth / other->bandwidth));
        const std::tuple key(bytesOf(fit.dtype) != bytesOf(dtype), unlike, fit.dtype != dtype, -fit.products);
        if (best != nullptr && !(key < least)) continue;
        best = &fit;
        least = key;
    }
    return {best->parameters, best->accelerator == device.id ? KernelBasis::fitted : KernelBasis::transferred,
            best->accelerator};
}

}  // namespace tessera::physical

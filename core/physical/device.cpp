#include "core/physical/device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/base/elementary.h"
#include "core/base/names.h"
#include "core/hardware/library.h"

namespace tessera::physical {
namespace {

double peakNamed(const Device& device, std::string_view dtype) {
    const auto found = device.peaks.find(dtype);
    return found == device.peaks.end() ? 0 : found->second;
}

/// Bytes of the narrowest products that anybody measured, which stand for narrower ones.
constexpr double kNarrowest = 1;

/// A fit of products and the bundled accelerator that it belongs to.
struct FittedDevice {
    const GemmFit* fit;
    const Device* device;
};

/// All of `gemmFits`, in their order. Read once.
const std::vector<FittedDevice>& fittedDevices() {
    static const auto kFitted = [] {
        static std::map<std::string_view, Device> devices;
        std::vector<FittedDevice> fitted;
        for (const GemmFit& fit : gemmFits()) {
            if (!devices.contains(fit.accelerator))
                devices.emplace(fit.accelerator,
                                deviceOf(hardware::loadBundledAccelerator(std::string(fit.accelerator))));
            fitted.push_back({&fit, &devices.at(fit.accelerator)});
        }
        return fitted;
    }();
    return kFitted;
}

/// FLOP/s of a measured accelerator in a data type where others are compared with it: what it has no units for it runs
/// in FP32, fewer than 16 bits in FP16.
double comparedPeak(const Device& device, std::string_view dtype) {
    if (const double own = peakNamed(device, dtype); own > 0) return own;
    const double half = peakNamed(device, "fp16");
    return bytesOf(dtype) < 2 && half > 0 ? half : peakNamed(device, "fp32");
}

/// How unlike a device is a measured accelerator: the logarithms between their peaks and bandwidths.
double unlikeness(const Device& device, const Device& measured, std::string_view dtype) {
    return std::fabs(elementary::log(peakOf(device, dtype) / comparedPeak(measured, dtype))) +
           std::fabs(elementary::log(device.bandwidth / measured.bandwidth));
}

}  // namespace

Device deviceOf(const hardware::Accelerator& accelerator) {
    Device device{.id = accelerator.id, .vendor = accelerator.vendor, .cache = 1};
    for (const auto& [dtype, peak] : accelerator.peakFlops) device.peaks[dtype] = peak.value;
    for (const auto& [dtype, rate] : accelerator.sustainedFlops) device.sustained[dtype] = rate.value;
    for (const hardware::MemoryLevel& level : accelerator.memory) {
        if (level.capacity) device.memory = level.capacity->value;
        if (level.capacity && level.onChip) device.cache = level.capacity->value;
        if (level.bandwidth && (device.bandwidth == 0 || !level.onChip)) device.bandwidth = level.bandwidth->value;
    }
    if (accelerator.network) device.linkBytesPerSecond = accelerator.network->value;
    device.neighbours = accelerator.networkPeers.value_or(0);
    if (accelerator.hostBandwidth) device.hostBytesPerSecond = accelerator.hostBandwidth->value;
    for (const hardware::KernelFit& fit : accelerator.kernelFits) device.fits.push_back(fittedForm(fit));
    if (accelerator.power) device.watts = accelerator.power->value;
    constexpr double kPeakOfUnit = 2e12;
    device.units = accelerator.computeUnits ? static_cast<double>(*accelerator.computeUnits)
                                            : std::max(1.0, std::round(peakOf(device, "bf16") / kPeakOfUnit));
    return device;
}

const Dtype* pricedDtype(std::string_view dtype) {
    const Dtype* const row = findRow(kDtypes, dtype);
    return row == nullptr || !row->isPriced ? nullptr : row;
}

double peakOf(const Device& device, std::string_view dtype) {
    const Dtype* type = pricedDtype(dtype);
    if (type == nullptr) return 0;
    if (const double own = peakNamed(device, dtype); own > 0) return own;
    if (dtype == "fp16" && peakNamed(device, "bf16") > 0) return peakNamed(device, "bf16");
    while ((type = pricedDtype(type->wider)) != nullptr)
        if (const double wider = peakNamed(device, type->id); wider > 0) return wider;
    // An accelerator without units for this type runs it on what it has.
    double max = 0;
    for (const auto& [name, peak] : device.peaks)
        if (name != "int8") max = std::max(max, peak);
    return max;
}

Machine machineOf(const Device& device, std::string_view dtype) {
    Machine machine{peakOf(device, dtype), device.bandwidth, device.cache, device.units};
    const auto sustained = device.sustained.find(dtype);
    if (sustained == device.sustained.end()) return machine;
    const ProductParameters products = productParametersOf(device, dtype);
    if (products.basis != KernelBasis::transferred) return machine;
    constexpr double kLarge = 8192;
    const double bytes = bytesOf(dtype), rate = 2 * kLarge * kLarge * kLarge /
                                                gemmSeconds({1, kLarge, kLarge, kLarge, bytes, std::max(bytes, 2.0)},
                                                            machine, products.parameters);
    machine.peak *= std::min(1.0, sustained->second / rate);
    return machine;
}

double bytesOf(std::string_view dtype) {
    const Dtype* const found = pricedDtype(dtype);
    return found == nullptr ? 0 : found->bytes;
}

std::string_view alikeType(const Device& device, std::string_view dtype) {
    const std::string_view other = dtype == "bf16" ? "fp16" : dtype == "fp16" ? "bf16" : "";
    return !other.empty() && peakOf(device, other) == peakOf(device, dtype) ? other : std::string_view();
}

const FittedForm* fittedFormOf(const Device& device, KernelFamily family, std::string_view dtype) {
    for (const std::string_view type : {dtype, alikeType(device, dtype)})
        for (const FittedForm& form : device.fits)
            if (form.family == family && form.dtype == type) return &form;
    return nullptr;
}

ProductParameters productParametersOf(const Device& device, std::string_view dtype, const ProductsAsked& asked) {
    const std::string_view kernel = asked.kernel == "batched_gemm" ? asked.kernel : std::string_view("gemm");
    if (asked.leftOut < 0 && !device.fits.empty() && asked.without.empty())
        if (const FittedForm* form = fittedFormOf(device, KernelFamily::product, dtype))
            return {form->products, KernelBasis::fitted, device.id};
    const FittedDevice* best = nullptr;
    std::tuple<bool, double, bool, bool, bool, int> min;
    for (const FittedDevice& fitted : fittedDevices()) {
        const GemmFit& fit = *fitted.fit;
        if (fit.leftOut != asked.leftOut || fit.accelerator == asked.without) continue;
        const bool isOwn = fit.accelerator == device.id;
        const std::tuple key(bytesOf(fit.dtype) != std::max(bytesOf(dtype), kNarrowest),
                             isOwn ? 0 : 1e-3 + unlikeness(device, *fitted.device, dtype), fit.kernel != kernel,
                             fit.dtype != dtype, fit.source != asked.source, -fit.products);
        if (best != nullptr && !(key < min)) continue;
        best = &fitted;
        min = key;
    }
    const GemmFit& fit = *best->fit;
    return {fit.parameters, fit.accelerator == device.id ? KernelBasis::fitted : KernelBasis::transferred,
            std::string(fit.accelerator)};
}

}  // namespace tessera::physical

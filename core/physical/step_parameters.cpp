#include "core/physical/step_parameters.h"

#include <string>

namespace tessera::physical {
namespace {

/// The name in `stepFits` of a stack's constants, or an empty one.
std::string_view fittedName(std::string_view name) {
    for (const StepFit& fit : stepFits())
        if (fit.stack == name) return fit.stack;
    return {};
}

/// Whose constants serve a stack: submissions to MLPerf are one stack, whatever they name first.
std::string_view stepFitNamed(std::string_view constants, SoftwareProfile profile, bool encoder, bool withoutBf16) {
    // Products of NVIDIA's chips before Ampere are known from few shapes, so runs of some stacks are fitted apart.
    if (withoutBf16)
        if (const std::string_view older = fittedName(std::string(constants) + "-volta"); !older.empty()) return older;
    if (const std::string_view own = fittedName(constants); !own.empty()) return own;
    // Those of BERT are a code of their own, without pipelines and padding.
    if (profile == SoftwareProfile::tuned) return encoder ? "tuned-encoder" : "tuned";
    return kSoftwareProfileNames.of(profile);
}

/// What is done where nothing names a stack, and by a graph that is compiled for the device.
SoftwareStack stackOfProfile(SoftwareProfile profile) {
    return {.id = std::string(kSoftwareProfileNames.of(profile)),
            .profile = profile,
            .fusedKernels = profile != SoftwareProfile::eager,
            .hidesHops = profile == SoftwareProfile::tuned};
}

/// Attention of 16 bits and fewer.
bool fusesAttention(const SoftwareStack& stack, const Device& device) {
    return stack.attention == StackAttention::fused ||
           (stack.attention == StackAttention::fusedWithFp8 && device.peaks.contains("fp8"));
}

}  // namespace

StackTraits stackTraitsOf(std::string_view software, const Device& device, std::string_view dtype, bool encoder) {
    static const SoftwareStack unknown = stackOfProfile(SoftwareProfile::fused);
    static const SoftwareStack compiledGraph = stackOfProfile(SoftwareProfile::tuned);
    const SoftwareStack* stack = softwareStackOf(software);
    const bool isPyTorch = stack != nullptr && stack->id == "pytorch";
    const Dtype* const type = pricedDtype(dtype);
    const bool narrow = type != nullptr && type->isFloat && type->bytes < 2;
    // What compiles graphs for accelerators without a stack of their own launches no kernels one by one.
    const bool compiled = isPyTorch && !device.vendor.empty() && device.vendor != "NVIDIA" && device.vendor != "AMD";
    if (compiled || (narrow && (stack == nullptr || isPyTorch))) stack = &compiledGraph;
    if (stack == nullptr) stack = &unknown;
    const bool wide = type != nullptr && type->bytes >= 4;
    return {.id = stack->id,
            .profile = stack->profile,
            .fusedAttention = !wide && fusesAttention(*stack, device),
            .fusedKernels = stack->fusedKernels,
            .alternates = stack->hostWaits,
            .hidesHops = stack->hidesHops,
            .sharding = stack->sharding,
            .gradientBuckets = stack->gradientBuckets,
            .lossInParts = stack->lossInParts,
            .keepsEverySecond = stack->keepsEverySecond,
            .fit = stepFitNamed(stack->constants, stack->profile, encoder, !device.peaks.contains("bf16")),
            .memory = stack->memory.empty() ? stack->id : stack->memory};
}

namespace {

template <typename Fit>
const Fit* fitNamed(std::span<const Fit> fits, std::string_view stack, int leftOut) {
    for (const Fit& fit : fits)
        if (fit.stack == stack && fit.leftOut == leftOut) return &fit;
    return nullptr;
}

}  // namespace

const StepFit& stepFitOf(std::string_view stack, int leftOut) {
    if (const StepFit* own = fitNamed(stepFits(), stack, leftOut)) return *own;
    return *fitNamed(stepFits(), "any", leftOut);
}

const MemoryFit& memoryFitOf(std::string_view stack, int leftOut) {
    if (const MemoryFit* own = fitNamed(memoryFits(), stack, leftOut)) return *own;
    return *fitNamed(memoryFits(), "any", leftOut);
}

}  // namespace tessera::physical

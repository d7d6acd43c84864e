#include "core/physical/step_parameters.h"

#include <algorithm>

namespace tessera::physical {
namespace {

/// Stacks whose attention is made of batched products and a softmax in the years that the tables cover.
constexpr std::array<std::string_view, 6> kAttentionInParts{"megatron-deepspeed", "megatron-lm",    "oneflow",
                                                            "tensorflow",         "tensorflow-xla", "pytorch"};

bool isOneOf(std::string_view id, std::span<const std::string_view> ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Whose constants serve a stack: submissions to MLPerf are one stack, whatever they name first.
std::string_view stepFitNamed(std::string_view id, SoftwareProfile profile, bool encoder, bool withoutBf16) {
    constexpr std::array<std::string_view, 8> kOwn{"llm-foundry", "megatron-bridge", "megatron-deepspeed",
                                                   "megatron-lm", "oneflow",         "pytorch",
                                                   "tensorflow",  "torch-compile"};
    // Products of NVIDIA's chips before Ampere are known from few shapes, so their runs are fitted apart.
    if (withoutBf16 && id == "megatron-deepspeed") return "megatron-deepspeed-volta";
    if (withoutBf16 && id == "megatron-lm") return "megatron-lm-volta";
    if (isOneOf(id, kOwn)) return id;
    // Those of BERT are a code of their own, without pipelines and padding.
    if (profile == SoftwareProfile::tuned) return encoder ? "tuned-encoder" : "tuned";
    return kSoftwareProfileNames.of(profile);
}

}  // namespace

StackTraits stackTraitsOf(std::string_view software, const Device& device, std::string_view dtype, bool encoder) {
    const SoftwareStack* stack = softwareStackOf(software);
    StackTraits traits;
    traits.profile = stack == nullptr ? SoftwareProfile::fused : stack->profile;
    traits.id = stack == nullptr ? kSoftwareProfileNames.of(traits.profile) : stack->id;
    const bool narrow = dtype == "fp8" || dtype == "mxfp8" || dtype == "nvfp4";
    // What compiles graphs for accelerators without a stack of their own launches no kernels one by one.
    const bool compiled =
        traits.id == "pytorch" && !device.vendor.empty() && device.vendor != "NVIDIA" && device.vendor != "AMD";
    if (compiled || (narrow && (stack == nullptr || traits.id == "pytorch"))) {
        traits.profile = SoftwareProfile::tuned;
        traits.id = kSoftwareProfileNames.of(SoftwareProfile::tuned);
    }
    const bool wide = dtype == "fp32" || dtype == "tf32";
    const bool since = device.peaks.contains("fp8") && (traits.id == "megatron-lm" || traits.id == "pytorch");
    traits.fusedAttention = !wide && (since || !isOneOf(traits.id, kAttentionInParts));
    traits.fusedKernels = traits.profile != SoftwareProfile::eager || traits.id == "megatron-deepspeed";
    traits.alternates = traits.id == "megatron-deepspeed" || traits.id == "megatron-lm";
    traits.fit = stepFitNamed(traits.id, traits.profile, encoder, !device.peaks.contains("bf16"));
    return traits;
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

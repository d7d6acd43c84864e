#include "core/physical/software.h"

#include <array>
#include <string>

#include "core/base/text.h"

namespace tessera::physical {
namespace {

constexpr SoftwareProfile kEager = SoftwareProfile::eager, kFused = SoftwareProfile::fused,
                          kTuned = SoftwareProfile::tuned;

constexpr std::array<SoftwareStack, 22> kSoftwareStacks{{
    {"megatron-bridge", "megatron-bridge", kTuned, "NVIDIA's own recipes: fused kernels, FP8, overlapped collectives"},
    {"nemo", "nemo", kTuned, "NVIDIA's submissions and recipes on Transformer Engine"},
    {"megatron-deepspeed", "megatron-deepspeed", kEager, "PyTorch kernel by kernel with fused softmax and optimizer"},
    {"megatron-lm", "megatron", kFused, "fused bias, activation, dropout, softmax; kernels launched from Python"},
    {"oneflow", "oneflow", kFused, "a static graph, compiled"},
    {"llm-foundry", "llm-foundry", kFused, "fused attention, PyTorch FSDP"},
    {"torchtitan", "torchtitan", kFused, "torch.compile of each block, FSDP2"},
    {"torch-compile", "torch.compile", kFused, "operators joined by Inductor"},
    {"tensorflow-xla", "xla", kFused, "operators joined by XLA"},
    {"poplar", "poplar", kTuned, "a static program of the whole step"},
    {"nvidia-release", "nvidia release", kTuned, "a submission to MLPerf with NVIDIA's containers"},
    {"ngc", "ngc", kTuned, "a submission to MLPerf with NVIDIA's containers"},
    {"mxnet", "mxnet", kTuned, "fused normalisation, activation and residual, channels last"},
    {"mindspore", "mindspore", kTuned, "a static graph, sunk to the device"},
    {"paddle", "paddle", kFused, "fused kernels, static graph"},
    {"tensorflow", "tensorflow", kEager, "a kernel for each operator"},
    {"tensorflow", "tf2", kEager, "a kernel for each operator"},
    {"jax", "jax", kFused, "operators joined by XLA"},
    {"pytorch", "pytorch", kEager, "a kernel for each operator"},
    // No stack but its profile, by users.
    {"eager", "eager", kEager, "a kernel for each operator"},
    {"tuned", "tuned", kTuned, "what submissions to MLPerf do"},
    {"fused", "fused", kFused, "normalisation, activation and residual in one kernel"},
}};

}  // namespace

std::span<const SoftwareStack> softwareStacks() {
    return kSoftwareStacks;
}

const SoftwareStack* softwareStackOf(std::string_view text) {
    const std::string lower = lowered(text);
    for (const SoftwareStack& stack : kSoftwareStacks)
        if (lower.find(stack.word) != std::string::npos) return &stack;
    return nullptr;
}

}  // namespace tessera::physical

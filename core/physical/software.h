#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"

namespace tessera::physical {

/// What a software stack does for the same operators on the same hardware. In the measured tables that is worth a
/// factor of 1.5 to 2. What each changes, and by which source, stands in data/software/stacks.json.
enum class SoftwareProfile : std::uint8_t {
    eager,  ///< a kernel for each operator; where kernels are short, the time to launch them shows
    fused,  ///< normalisation, activation, bias and residual in one kernel, fused attention and optimizer, channels
            ///< last
    tuned,  ///< what submissions to MLPerf do: graphs of kernels, all of it overlapped, data types per operator
};
inline constexpr EnumNames<SoftwareProfile> kSoftwareProfileNames{"eager", "fused", "tuned"};

/// How a stack makes attention in data types of 16 bits and fewer.
enum class StackAttention : std::uint8_t {
    fused,
    inParts,       ///< batched products and a softmax
    fusedWithFp8,  ///< fused on devices that compute in 8-bit floating point, in parts on older ones
};
inline constexpr EnumNames<StackAttention> kStackAttentionNames{"fused", "in parts", "fused with fp8"};

/// How a stack keeps parameters that devices hold alike.
enum class StackSharding : std::uint8_t {
    zero,   ///< weights of 16 bits beside an optimizer's state of 32, as DeepSpeed and Megatron-LM
    fsdp2,  ///< shards of 32 bits, gathered in 16; through a pipeline, gathered and reduced once a step
};
inline constexpr EnumNames<StackSharding> kStackShardingNames{"zero", "fsdp2"};

/// A stack by the words in which sources name it: an entry of a file of the library's folder `software`.
struct SoftwareStack {
    std::string id = {};                  ///< "megatron-deepspeed"
    std::vector<std::string> words = {};  ///< in lower case; a text that contains one of them names the stack
    std::vector<std::string> with = {};   ///< where there are any, the text must contain one of these, too
    SoftwareProfile profile = SoftwareProfile::fused;
    std::string does = {};  ///< what of the stack makes it so
    StackAttention attention = StackAttention::fused;
    bool fusedKernels = true;  ///< normalisation, bias, dropout and activation in one kernel
    bool hostWaits = false;    ///< host and device wait for each other within a pass: launched kernel by kernel
    bool hidesHops = false;    ///< exchanges between the chunks of an interleaved pipeline run beside computation
    StackSharding sharding = StackSharding::zero;
    double gradientBuckets = 0;     ///< bytes that it holds to reduce gradients in a backward pass without a pipeline
    bool lossInParts = false;       ///< logits are copied to 32 bits, their softmax and gradients are kept beside
    bool keepsEverySecond = false;  ///< selective recomputation keeps every second product, and attention
    std::string constants = {};     ///< stack of `stepFits` whose constants serve it; empty: those of its profile
    std::string memory = {};  ///< stack of `memoryFits` whose allowance serves it; empty: its own, else that of all
};

/// The stacks of a file, in its order: the first whose word a text contains is the one that it names. Throws DataError.
std::vector<SoftwareStack> readSoftwareStacks(const JsonNode& node);

/// The stacks of the library, a person's own files (`$XDG_DATA_HOME/tessera/software`) before the bundled one, read
/// once. Throws FileError or DataError for a file that is none.
std::span<const SoftwareStack> softwareStacks();

/// The stack that a text names ("MXNet NVIDIA Release 21.05"), whatever the case; null where it names none that is
/// known, for which `fused` is assumed. Throws as `softwareStacks`.
const SoftwareStack* softwareStackOf(std::string_view text);

}  // namespace tessera::physical

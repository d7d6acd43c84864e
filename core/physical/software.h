#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/enum_names.h"

namespace tessera::physical {

/// What a software stack does for the same operators on the same hardware. In the measured tables that is worth a
/// factor of 1.5 to 2.
enum class SoftwareProfile : std::uint8_t {
    eager,  ///< a kernel for each operator; where kernels are short, the time to launch them shows
    fused,  ///< normalisation, activation, bias and residual in one kernel, fused attention and optimizer, channels
            ///< last
    tuned,  ///< what submissions to MLPerf do: graphs of kernels, all of it overlapped, data types per operator
};
inline constexpr EnumNames<SoftwareProfile> kSoftwareProfileNames{"eager", "fused", "tuned"};

/// A stack by the words in which sources name it.
struct SoftwareStack {
    std::string_view id;    ///< "megatron-deepspeed"
    std::string_view word;  ///< in lower case; a text that contains it names the stack
    SoftwareProfile profile = SoftwareProfile::fused;
    std::string_view why;  ///< what of the stack makes it so
};

/// The stacks, those whose words are the most special first.
std::span<const SoftwareStack> softwareStacks();

/// The stack that a text names ("MXNet NVIDIA Release 21.05"), whatever the case; null where it names none that is
/// known, for which `fused` is assumed.
const SoftwareStack* softwareStackOf(std::string_view text);

}  // namespace tessera::physical

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/physical/estimate.h"

namespace tessera::physical {

/// An operation of a group of accelerators.
enum class Collective : std::uint8_t { allReduce, allGather, reduceScatter, allToAll, sendReceive };
inline constexpr EnumNames<Collective> kCollectiveNames{"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                                        "send_recv"};

/// Returns the operation of a name as in data/measured/collectives.csv; nothing where it is none of them.
constexpr std::optional<Collective> collectiveNamed(std::string_view name) {
    return kCollectiveNames.named(name);
}

/// The links of a system that nobody measured, for parameters transferred from those that were.
struct Interconnect {
    double linkBytesPerSecond = 0;     ///< of one accelerator inside a node and per direction; 0: unknown
    double networkBytesPerSecond = 0;  ///< of one whole node to the network and per direction; 0: unknown
    double latencySeconds = 0;         ///< of the first byte of a message inside a node; 0: as the measured ones
    double networkLatencySeconds = 0;  ///< the same to another node; 0: as the measured ones
    bool switchAdds = false;           ///< the switch adds up (NVLink SHARP), so a sum may cross each link once

    bool operator==(const Interconnect&) const = default;
};

/// What is to be timed: one operation that nothing else disturbs.
struct CollectiveRequest {
    std::string system = {};  ///< as in collectives.csv ("a100", "h100-dgx"); another name needs `interconnect`
    Collective operation = Collective::allReduce;
    int accelerators = 1;
    int perNode = 1;   ///< of them in one node
    double bytes = 0;  ///< of what collectives.csv counts: the vector, the gathered result, the input, the message
    /// The table that the time is to be comparable with ("vtrain-nccl"); empty or unknown: the first of the system.
    std::string source = {};
    std::optional<Interconnect> interconnect = {};
};

/// Returns the seconds that a collective takes on an idle system, or says why there is no answer.
Prediction predictCollective(const CollectiveRequest& request);

/// Returns `predictCollective` as it would be had nobody measured this size: the parameters are fitted, and the ratio
/// interpolated, without any row of the same source, system and size, so that a row may be compared with it.
Prediction judgeCollective(const CollectiveRequest& request);

}  // namespace tessera::physical

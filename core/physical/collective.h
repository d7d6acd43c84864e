#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/physical/estimate.h"

namespace tessera::physical {

/// An operation of a group of accelerators.
enum class Collective : std::uint8_t { allReduce, allGather, reduceScatter, allToAll, sendReceive, broadcast };
inline constexpr EnumNames<Collective> kCollectiveNames{"all_reduce", "all_gather", "reduce_scatter",
                                                        "all_to_all", "send_recv",  "broadcast"};

/// Returns the operation of a name as in data/measured/collectives.csv; nothing where it is none of them.
constexpr std::optional<Collective> collectiveNamed(std::string_view name) {
    return kCollectiveNames.named(name);
}

/// The links of a system that nobody measured, for parameters transferred from those that were.
struct Interconnect {
    double linkBytesPerSecond = 0;     ///< of one accelerator inside a node and per direction
    double networkBytesPerSecond = 0;  ///< of one whole node to the network and per direction; 0: none
    double latencySeconds = 0;         ///< of a short all-reduce of two accelerators of a node; 0: as where measured
    double networkLatencySeconds = 0;  ///< what leaving the node adds to it; 0: as where measured
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
    std::optional<Interconnect> interconnect = {};  ///< used where the system was not measured
};

/// Returns the seconds that a collective takes on an idle system: the model with parameters fitted for the system and
/// source, corrected by the ratios measured/model of near sizes and groups. A system that nobody measured takes
/// transferred parameters and a wider interval. Refused with a sentence where neither is known or a number is wrong.
Prediction predictCollective(const CollectiveRequest& request);

/// True where somebody measured collectives of a system of that name.
bool isMeasuredSystem(std::string_view system);

/// Returns the system whose measured collectives are those of a switched node of an accelerator (of a description's id,
/// "a100-40gb") with links of that rate: its own, its kind's or that of the same board, where the rates differ by less
/// than 5 %. Empty where nobody measured one.
std::string_view measuredSystemOf(std::string_view accelerator, double linkBytesPerSecond);

/// The measured rows that a judged prediction does without, in the fit and in the correction.
enum class CollectiveOmission : std::uint8_t {
    row,     ///< that of the request: same system, source, operation, group, and size
    size,    ///< all of its size, whatever the operation and group
    system,  ///< all of its accelerator's generation, whatever the source: parameters are transferred
};

/// Returns `predictCollective` as it would be had nobody measured some rows, so that a row may be compared with it
/// although it was used for the fit. `interconnect` is needed where the system is left out, and ignored elsewhere.
Prediction judgeCollective(const CollectiveRequest& request, CollectiveOmission omitted = CollectiveOmission::size);

}  // namespace tessera::physical

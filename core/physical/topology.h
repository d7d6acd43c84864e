#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/physical/collective.h"
#include "core/physical/device.h"

namespace tessera::physical {

/// A group of accelerators of a fleet that one collective joins.
struct SpanningGroup {
    /// Members taken at each level, innermost first; 1 of each level that is not named. Their product is the group.
    std::span<const std::int64_t> span;
    /// Groups that do the same at the same time beside each other, each with as many other accelerators of the same
    /// units, this one included: they share ports and what a level carries.
    std::int64_t concurrent = 1;
    /// The measured system whose innermost level this is (`measuredSystemOf`); empty: parameters are transferred.
    std::string_view system = {};
};

/// Returns the bytes/s in one direction that the part of a group which lies in one unit of level `at` has to the other
/// units: accelerators there that are busy (the group's and those of groups beside it) share a port up to `sharedBy` at
/// a time, and all of them together 1 / oversubscription of the rate of the unit's ports. 0 where the level's bandwidth
/// is not known.
double unitBandwidth(std::span<const hardware::TopologyLevel> levels, std::size_t at, const SpanningGroup& group);

/// Returns the seconds of a collective of a group over the levels that it spans. `bytes` counts as in
/// CollectiveRequest. Innermost first: what a switch or a link for each pair joins, by `predictCollective`; further
/// levels hierarchically, each moving what one unit holds (reduce-scatter inside, all-reduce across, all-gather inside:
/// Thakur et al. 2005); a torus by dimensions, parts of the data starting with different ones so that all links are
/// busy (Jouppi et al. 2023), both directions of a dimension where the group takes all of it. A message crosses only
/// its outermost level. More bandwidth is never slower, and, but for `system`, more bytes are never faster. Refused
/// with a sentence where a crossed level's bandwidth is not known or a number is wrong.
Prediction collectiveOver(std::span<const hardware::TopologyLevel> levels, Collective operation,
                          const SpanningGroup& group, double bytes);

/// Returns a group's levels. Where it has none, what is known without: the group's own network rate joins all of them;
/// else accelerators with links (without: by the host, whose lanes carry both directions of two at once) are joined up
/// to eight at a time, and the rate beyond is not known.
std::vector<hardware::TopologyLevel> levelsOf(const hardware::Group& group);
/// The same of a number of accelerators that are in no fleet.
std::vector<hardware::TopologyLevel> levelsOf(const hardware::Accelerator& accelerator, std::int64_t count);

/// Returns the device of a group's accelerators, joined as the innermost of its levels says: its rate, where the
/// accelerator has links at all, and how many neighbours they lead to.
Device deviceIn(const hardware::Group& group);

}  // namespace tessera::physical

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/base/quantity.h"

namespace tessera::hardware {

struct Field;
class Reading;

/// How a level joins its units.
enum class LevelKind : std::uint8_t {
    switched,  ///< any unit reaches any other at its full rate
    ring,      ///< each unit has two neighbours
    torus,     ///< rings in each of several dimensions
    full,      ///< each pair of units has a link of its own
    mesh,      ///< each unit has links to so many others
};
inline constexpr EnumNames<LevelKind> kLevelKindNames{"switch", "ring", "torus", "full", "mesh"};

/// A level of the network inside of a group of equal accelerators: joins `size` units of the level before it; those
/// of the innermost level are single accelerators. Rates count one direction.
struct TopologyLevel {
    std::string name;
    std::int64_t size = 1;  ///< units of the level before it that this one joins
    LevelKind kind = LevelKind::switched;
    std::vector<std::int64_t> dims = {};     ///< of a torus: units along each dimension, whose product is the size
    std::optional<std::int64_t> peers = {};  ///< of a mesh: units that each unit has links to, in equal parts
    /// Of the port by which an accelerator sends at this level: all its links of the level together, one direction.
    /// Empty: not known, so what crosses the level has no answer.
    std::optional<BytesPerSecond> bandwidth = {};
    std::optional<Seconds> latency = {};  ///< of the shortest exchange of two units; empty: as of similar systems
    double oversubscription = 1;          ///< rate of all ports below over what the level carries at once, at least 1
    std::int64_t sharedBy = 1;            ///< accelerators that share one port of that bandwidth
    bool isRest = false;  ///< the file leaves the outermost size out: it is what the group's count leaves
    bool operator==(const TopologyLevel&) const = default;
};

/// Limits of a list of levels, named in the errors.
inline constexpr std::size_t kMaxLevels = 16;
inline constexpr std::size_t kMaxDimensions = 8;
inline constexpr std::int64_t kMaxLevelSize = 1'000'000;

/// Returns the bytes/s that one accelerator sends across a level in one direction while all accelerators below do so:
/// bandwidth / oversubscription / sharedBy. Nothing where the bandwidth is not known.
std::optional<BytesPerSecond> effectiveBandwidth(const TopologyLevel& level);

/// Returns how many others the links of a unit lead to: all of a level whose pairs are linked, a mesh's peers, the
/// neighbours of a ring or torus. 0 of a switch, which brings the whole rate to any one.
std::int64_t neighboursAt(const TopologyLevel& level);

/// Returns the share of a unit's rate that it has to the members of a group, where its links lead to that many
/// neighbours in equal parts: those to `others` of them; all of it where a switch joins them (0 neighbours).
double shareOfLinks(std::int64_t neighbours, double others);

/// Returns the number of accelerators that the levels join: the product of their sizes.
std::int64_t acceleratorsJoined(std::span<const TopologyLevel> levels);

/// The table of a level's fields.
std::vector<Field> levelFields();

/// Fills in the outermost size where the file leaves it out, and notes what does not hold across the fields of the
/// levels of a group of `count` accelerators: the product of the sizes is the count, dimensions are those of a torus.
void checkLevels(std::vector<TopologyLevel>& levels, std::int64_t count, const JsonNode& node, Reading& reading);

}  // namespace tessera::hardware

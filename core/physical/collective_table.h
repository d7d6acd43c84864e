#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/physical/collective.h"

namespace tessera::physical {

/// Parameters of the model of collectives, all above 0. "Links" join accelerators inside a node (or a pair); "outer" is
/// the network between nodes, "host" the level between pairs of one node.
struct CollectiveParameters {
    double sumLatency = 0;       ///< s, start of an all-reduce
    double moveLatency = 0;      ///< s, of an all-gather or reduce-scatter
    double exchangeLatency = 0;  ///< s, of an all-to-all
    double sendLatency = 0;      ///< s, of a message
    double sumHop = 0;           ///< s, each accelerator of an all-reduce after the second
    double moveHop = 0;          ///< s, the same of an all-gather or reduce-scatter
    double exchangeHop = 0;      ///< s, the same of an all-to-all
    double efficiency = 0;       ///< share of the datasheet's link rate that long collectives reach
    double sendShare = 0;        ///< the same of messages
    double switchShare = 0;      ///< the same where the switch adds up
    double copyRate = 0;         ///< of copying the own part into the result, over the datasheet's link rate
    double ramp = 0;             ///< s, kappa of the ramp kappa^(1 - gamma) x^gamma
    double exchangeRamp = 0;     ///< s, the same of an all-to-all
    double sendRamp = 0;         ///< s, the same of messages
    double outerRamp = 0;        ///< s, the same beyond the links
    double rampExponent = 0;     ///< gamma
    double outerLatency = 0;     ///< s, what a collective between nodes starts later than inside
    double outerSend = 0;        ///< s, the same of a message
    double outerRate = 0;        ///< bytes/s to the network by one accelerator of a node
    double outerGrowth = 0;      ///< exponent of that rate in the accelerators of the node
    double hostLatency = 0;      ///< s, as outerLatency, between pairs of one node
    double hostRate = 0;         ///< bytes/s between pairs of one node
};
inline constexpr std::size_t kCollectiveParameters = 22;
inline constexpr std::array<double CollectiveParameters::*, kCollectiveParameters> kCollectiveFields{
    &CollectiveParameters::sumLatency,   &CollectiveParameters::moveLatency,  &CollectiveParameters::exchangeLatency,
    &CollectiveParameters::sendLatency,  &CollectiveParameters::sumHop,       &CollectiveParameters::moveHop,
    &CollectiveParameters::exchangeHop,  &CollectiveParameters::efficiency,   &CollectiveParameters::sendShare,
    &CollectiveParameters::switchShare,  &CollectiveParameters::copyRate,     &CollectiveParameters::ramp,
    &CollectiveParameters::exchangeRamp, &CollectiveParameters::sendRamp,     &CollectiveParameters::outerRamp,
    &CollectiveParameters::rampExponent, &CollectiveParameters::outerLatency, &CollectiveParameters::outerSend,
    &CollectiveParameters::outerRate,    &CollectiveParameters::outerGrowth,  &CollectiveParameters::hostLatency,
    &CollectiveParameters::hostRate,
};

/// A measured time.
struct CollectiveSample {
    double bytes = 0;
    double seconds = 0;
};

/// Times of one operation over one group by size, ascending.
struct CollectiveSeries {
    std::size_t fabric = 0;  ///< index of `collectiveFabrics`
    Collective operation = Collective::allReduce;
    int accelerators = 1;
    int perNode = 1;
    std::span<const CollectiveSample> samples;
};

/// Half-widths of the 90 % interval of log(measured / judged), over rows judged without any row of their size (of
/// fewer than 9 such rows half as much again as the largest; where there are none, assumed as for transfer). About a
/// megabyte libraries change their protocol, at a size that differs by operation and group: there they are widest.
struct CollectiveSpread {
    double shorter = 0;  ///< inside a node, below kLongCollective bytes
    double middle = 0;   ///< inside a node, from there to kLongestCollective
    double longer = 0;   ///< inside a node, from there
    double outer = 0;    ///< between nodes, and pairs of one node that links do not join
};

/// A system as one source measured it. Clocks of sources include different things, so each is fitted apart.
struct CollectiveFabric {
    std::string_view system;
    std::string_view source;
    std::string_view generation;    ///< what is left out together where a system is left out
    double linkBytesPerSecond = 0;  ///< datasheet, of one accelerator and per direction
    int linked = 0;                 ///< accelerators that links join where that is not the whole node; 0: all
    bool switchAdds = false;
    CollectiveParameters parameters = {};  ///< class fitted: `fitCollectives` on all rows of the system and source
    CollectiveSpread spread = {};
};

/// Bytes from which a collective counts as long.
inline constexpr double kLongCollective = 1e6;
/// Bytes from which the rate of the links is nearly all.
inline constexpr double kLongestCollective = 16e6;

/// What a fit holds to where rows say nothing: round values of the order of what is measured (class assumed).
inline constexpr CollectiveParameters kCollectivePrior{
    .sumLatency = 8e-6,
    .moveLatency = 9e-6,
    .exchangeLatency = 9e-6,
    .sendLatency = 5e-6,
    .sumHop = 2e-6,
    .moveHop = 1e-6,
    .exchangeHop = 0.3e-6,
    .efficiency = 0.8,
    .sendShare = 0.9,
    .switchShare = 0.725,
    .copyRate = 1.8,
    .ramp = 20e-6,
    .exchangeRamp = 20e-6,
    .sendRamp = 5e-6,
    .outerRamp = 30e-6,
    .rampExponent = 0.55,
    .outerLatency = 20e-6,
    .outerSend = 15e-6,
    .outerRate = 5e9,
    .outerGrowth = 0.7,
    .hostLatency = 30e-6,
    .hostRate = 25e9,
};

/// The measured systems; of one system the first is what a request without a source means.
std::span<const CollectiveFabric> collectiveFabrics();
/// All rows of data/measured/collectives.csv.
std::span<const CollectiveSeries> collectiveSeries();

}  // namespace tessera::physical

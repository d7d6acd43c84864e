#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/partition/array.h"
#include "core/partition/ratio.h"
#include "core/partition/thread_progress.h"

namespace tessera::partition {

/// Node of the hierarchy to split, with options, pinned types and hardware of both sides.
struct NodeContext {
    const Options* options = nullptr;
    const Allowed* pinned = nullptr;  ///< the user's pinned types, as allowed states; empty = none
    int level = 0;
    bool kindsPart = false;                 ///< two kinds part here; else equal accelerators are shared out
    double countShare = 0.5;                ///< the first side's share of the accelerators
    RatioRange ratios = {};                 ///< where a free ratio is looked for
    std::optional<double> foundRatio = {};  ///< a free ratio that is known to be good
    ThreadProgress* watch = nullptr;
    bool curves = false;  ///< this node's search is the one that listeners see
    bool trial = false;   ///< the answer is wanted for a comparison: spend little
    /// The time of the node's slowest accelerator if the node is split so, with all that follows below; may return any
    /// larger value once it passes `limit`. Empty where the two sides are not split further.
    std::function<double(const Split& split, double limit)> wholeTime = {};
    std::map<std::int32_t, double> found = {};  ///< ratios that are known to be good, by the array's cluster
};

/// The ratios at which both sides take part: each has the work of at least one sample, or half of its share of the
/// FLOP/s or its share of the accelerators where that is less. All from 0 to 1 for the paper's own rules.
RatioRange ratiosTakingPart(double flopsI, double flopsJ, double countShare, const Options& options);
/// True if the ratio is the accelerators' share: between equal ones, also where they stand in several groups. The
/// paper's own rules, and ratios that are given, act wherever groups part.
bool sharesEqually(const Cluster& cluster, const Options& options, bool paperModel);
/// True if a rule for the ratio is one of those that the paper describes.
bool isPapersRule(RatioRule rule);

/// The objective by which types are chosen under `options`.
Combine combineOf(const Options& options);

}  // namespace tessera::partition

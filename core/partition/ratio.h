#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/partition/level.h"
#include "core/partition/thread_progress.h"

namespace tessera::partition {

/// Progress reporting of a ratio search.
struct Search {
    ThreadProgress* watch = nullptr;  ///< may be null
    bool curves = false;              ///< reports how the search goes
};

/// The types and the ratio of one split.
struct Split {
    States states;
    double ratio = 0.5;
    double value = 0;       ///< what was minimised: the combined objective, or max(side_i, side_j)
    double lowerBound = 0;  ///< of `value` over all types (and ratios, where these were free)
    bool proven = false;    ///< lowerBound meets value to 1e-9
};

/// Allowed states of each variable: one bit per state; empty = all.
using Allowed = std::vector<std::uint8_t>;

/// The best types at a given ratio: exact min-sum elimination. In graphs too wide for that `nodeLimit` bounds the
/// search for a proof (see Elimination::minimise).
Split bestTypes(const Level& level, Elimination& elimination, double ratio, Combine combine, const Allowed& allowed,
                std::int64_t nodeLimit = 0);

/// Types at ratio 1/2, then the best ratio for them, then types again, until an assignment repeats; the visited pair
/// with the minimum of max(side_i, side_j). `rule` is eq10 (the paper's linear equation) or alternating (the exact
/// minimiser).
Split alternate(const Level& level, Elimination& elimination, RatioRule rule, const Allowed& allowed,
                const Search& search = {});

/// Ratios from one to another, ends included.
struct RatioRange {
    double from = 0, to = 1;
};

/// The minimum of max(side_i, side_j) over types and the ratios of a range, by branch and bound. For a weight w in
/// [0,1], min over types of w*side_i + (1-w)*side_j is a bound at a ratio, and, both sides being concave in the ratio,
/// the smaller of its values at the ends of an interval bounds the whole interval. Intervals and states are split, best
/// bound first, until the bound meets the best split found or `nodeLimit` eliminations are spent.
Split balance(const Level& level, Elimination& elimination, const Allowed& allowed, std::int64_t nodeLimit,
              RatioRange ratios = {}, const Search& watching = {});

/// The ratio that balances all that the two sides do, down to their accelerators. `wholeTime` gives the time of the
/// slowest accelerator for a split. Where sides are split further, the split that is best for this level alone can be
/// far from it: a level's transfers hardly depend on the ratio, what follows below does. Tries the ends of the range,
/// the shares of FLOP/s and of network rate and the level's own optimum, then closes in on the best by halving the gaps
/// beside it. Of ratios that are as good the one next to the share of FLOP/s is taken.
Split balanceWhole(const Level& level, Elimination& elimination, const Allowed& allowed,
                   const std::function<double(const Split&, double limit)>& wholeTime, RatioRange ratios = {},
                   const Search& search = {});

}  // namespace tessera::partition

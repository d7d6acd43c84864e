#pragma once

#include <vector>

#include "core/codesign/schedule/schedule_piece.h"

namespace tessera::codesign {

/// Returns, by operator, the shares of paths that pass through it and add most to a bound of the makespan; of a long
/// piece those of a few dozen paths, each the best beside the others, which is less than the best flow. `rates` are
/// prices of cores by operator, `value` what all shares add up to.
///
/// Operators that run beside others and follow each other on a path take their
/// single-core latencies one after the other, at times when nothing runs alone; so does any mean of paths. Where each
/// operator takes the cheaper of both ways, the makespan is at least
///     sum over operators of min(serial, single * (rate + share of the paths that pass)),
/// if `rates` cost 1 - `value` together and the paths' shares add up to `value`. The best
/// shares are a flow through the piece whose arcs each gain single per unit until serial is reached: a maximum of gain,
/// found by augmenting along the best path. (The dual of crashing the activities of a project: Fulkerson, Management
/// Science 7(2), 1961.)
std::vector<double> pathShares(const Piece& piece, const std::vector<double>& rates, double value);

}  // namespace tessera::codesign

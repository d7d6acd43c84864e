#pragma once

#include <vector>

#include "core/codesign/schedule/schedule_piece.h"
#include "core/codesign/schedule/schedule_price.h"
#include "core/codesign/schedule/schedule_search.h"

namespace tessera::codesign {

/// Priority rule of a list schedule.
struct ListRule {
    std::vector<bool> exclusive;   ///< with nothing beside it; all of Piece::exclusive are
    std::vector<double> priority;  ///< the greatest that is ready starts first
    bool onlyFill = false;         ///< what joins a block later must not outlast it
    bool drains = false;           ///< the same only while what runs alone waits and is more urgent than what joins
};

/// Latency of each operator plus the longest path behind it, in the forms that are given.
std::vector<double> tails(const Piece& piece, const std::vector<bool>& exclusive);

PieceSchedule scheduleBy(const Piece& piece, const ListRule& rule);

/// The best of several list schedules by critical path: blocks in which operators run beside each other as soon as they
/// can, each kept only where it is shorter than its operators one after the other.
PieceSchedule listSchedule(const Piece& piece);

/// Looks for a shorter schedule of a piece that is too large to be searched through, by at most so many lists: those
/// whose operators run alone where prices say that this is cheaper, then random changes of the best one. Ends where
/// `bound` is reached, and with the time of the budget; the same for the same piece otherwise.
void improveByLists(const Piece& piece, const std::vector<Prices>& prices, double bound, std::size_t lists,
                    PieceSchedule& best, Budget& budget);

}  // namespace tessera::codesign

#include "core/codesign/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/codesign/schedule/schedule_ilp.h"
#include "core/codesign/schedule/schedule_list.h"
#include "core/codesign/schedule/schedule_piece.h"
#include "core/codesign/schedule/schedule_price.h"
#include "core/codesign/schedule/schedule_search.h"
#include "core/codesign/schedule/schedule_state.h"

namespace tessera::codesign {

namespace {

/// How many states of a level are kept, visit by visit.
constexpr std::array<std::size_t, 5> kWidths{1, 16, 512, 16'384, 131'072};

/// Pieces of more operators are seldom searched through: lists and bounds get more time.
constexpr std::size_t kWide = 64;

/// A piece of several operators with the best schedule and bound so far.
struct Part {
    Piece piece;
    PieceSchedule best = {};
    double bound = 0;
    std::unique_ptr<PieceSearch> search = {};

    bool proved() const { return bound >= best.makespan - piece.tolerance(); }
};

bool isAlone(const Pieces& pieces, std::size_t index) {
    return pieces.members(index).size() == 1;
}

/// Operators alone need no search: of a chain of a million of them nothing is kept.
std::vector<Part> partsOf(const Pieces& pieces, const Cores& cores) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (isAlone(pieces, i)) continue;
        Part& part = parts.emplace_back(Part{.piece = pieces.piece(i, cores)});
        part.best = serialSchedule(part.piece);
        part.bound = quickBound(part.piece);
    }
    return parts;
}

ScheduleResult resultOf(const OperatorGraph& graph, const Cores& cores, const Pieces& pieces,
                        const std::vector<Part>& parts, EndedBy unproved) {
    ScheduleResult result;
    result.schedule.operators.resize(graph.operators.size());
    result.serial = serialTime(graph);
    result.optimal = true;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (isAlone(pieces, i)) {
            const Piece alone = pieces.piece(i, cores);
            place(alone, serialSchedule(alone), graph, result.schedule);
            result.lowerBound += alone.serialSum();
            continue;
        }
        const Part& part = parts[next++];
        place(part.piece, part.best, graph, result.schedule);
        result.lowerBound += part.bound;
        result.optimal = result.optimal && part.proved();
    }
    const double makespan = result.schedule.makespan;
    result.lowerBound = result.optimal ? makespan : std::min(result.lowerBound, makespan);
    result.ended = result.optimal ? EndedBy::proof : unproved;
    return result;
}

/// The best schedule by lists, and of a wide piece a better bound.
void list(Part& part, const ScheduleOptions& options, Budget& budget) {
    constexpr double kOperators = 4'000'000;      // of all lists of a piece together
    constexpr std::int64_t kStatesForAList = 64;  // of the limit of states, which are counted apart
    part.best = listSchedule(part.piece);
    if (part.proved() || part.piece.size() <= kWide) return;
    auto lists = static_cast<std::size_t>(kOperators / static_cast<double>(part.piece.size()));
    if (options.nodes) lists = std::min(lists, static_cast<std::size_t>(*options.nodes / kStatesForAList));
    if (lists == 0 || budget.spent()) return;
    const std::vector<Prices> prices = pricesFor(part.piece);
    if (part.piece.size() <= kMaxWindows) part.bound = std::max(part.bound, intervalBound(part.piece, prices));
    improveByLists(part.piece, prices, part.bound, lists, part.best, budget);
}

ScheduleResult solveByList(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                           const RunControl& control) {
    Budget budget(workingTime() + options.time, options.nodes, control.finish);
    const Pieces pieces(graph);
    std::vector<Part> parts = partsOf(pieces, cores);
    for (Part& part : parts) list(part, options, budget);
    return resultOf(graph, cores, pieces, parts, EndedBy::heuristic);
}

ScheduleResult solveExactly(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                            const RunControl& control) {
    Budget budget(workingTime() + options.time, options.nodes, control.finish);
    const Pieces pieces(graph);
    std::vector<Part> parts = partsOf(pieces, cores);
    for (Part& part : parts) {
        if (budget.spent()) break;
        if (!part.proved()) list(part, options, budget);
        if (!part.proved() && part.piece.size() <= kMaxSearched)
            part.search = std::make_unique<PieceSearch>(part.piece, part.best);
    }
    for (const std::size_t width : kWidths)
        for (Part& part : parts) {
            if (part.search == nullptr || part.proved() || budget.spent()) continue;
            control.reportProgress(fmt::format("scheduling, {} states of a level", width));
            part.search->visit(width, budget);
            part.best = part.search->best();
            part.bound = std::max(part.bound, part.search->bound());
        }
    ScheduleResult result = resultOf(graph, cores, pieces, parts, budget.ended().value_or(EndedBy::memory));
    result.nodes = budget.nodes();
    return result;
}

}  // namespace

double serialTime(const OperatorGraph& graph) {
    double sum = 0;
    for (const Operator& each : graph.operators) sum += std::min(each.latency, each.allCoresLatency);
    return sum;
}

const std::vector<ScheduleMethod>& scheduleMethods() {
    static const std::vector<ScheduleMethod> kMethods{
        {"exact", "branch and bound", solveExactly},
        {"ilp", "the paper's integer linear program, solved by CBC", solveByIlp},
        {"list", "critical-path list scheduling", solveByList},
    };
    return kMethods;
}

ScheduleResult scheduleOperators(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                                 const RunControl& control) {
    return rowNamed(scheduleMethods(), options.method, "there is no scheduling method")
        .solve(graph, cores, options, control);
}

}  // namespace tessera::codesign

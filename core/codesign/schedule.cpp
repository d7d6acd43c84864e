#include "core/codesign/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/codesign/schedule_ilp.h"
#include "core/codesign/schedule_piece.h"
#include "core/codesign/schedule_search.h"
#include "core/codesign/schedule_state.h"

namespace tessera::codesign {

namespace {

/// How many states of a level are kept, visit by visit.
constexpr std::array<std::size_t, 7> kWidths{1, 8, 64, 512, 4096, 32'768, 131'072};

void report(const ScheduleOptions& options, const std::string& task) {
    if (!options.progress) return;
    ProgressEvent event;
    event.task = task;
    options.progress(event);
}

ScheduleResult resultOf(const OperatorGraph& graph, const std::vector<Piece>& pieces,
                        const std::vector<PieceSchedule>& schedules, double bound) {
    ScheduleResult result;
    result.schedule = assemble(graph, pieces, schedules);
    result.serial = serialTime(graph);
    result.lowerBound = std::min(bound, result.schedule.makespan);
    return result;
}

ScheduleResult solveByList(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions&) {
    const std::vector<Piece> pieces = piecesOf(graph, cores);
    std::vector<PieceSchedule> schedules;
    double bound = 0;
    bool met = true;
    for (const Piece& piece : pieces) {
        schedules.push_back(listSchedule(piece));
        const double least = quickBound(piece);
        met = met && least >= schedules.back().makespan;
        bound += least;
    }
    ScheduleResult result = resultOf(graph, pieces, schedules, bound);
    result.optimal = met;
    return result;
}

ScheduleResult solveExactly(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options) {
    Budget budget(std::chrono::steady_clock::now() + options.time, options.nodes, options.stop);
    const std::vector<Piece> pieces = piecesOf(graph, cores);
    std::vector<std::optional<PieceSearch>> searches(pieces.size());
    std::vector<PieceSchedule> schedules;
    std::vector<double> bounds;
    std::size_t open = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        schedules.push_back(budget.spent() ? serialSchedule(pieces[p]) : listSchedule(pieces[p]));
        bounds.push_back(quickBound(pieces[p]));
        if (bounds[p] >= schedules[p].makespan) continue;
        ++open;
        if (pieces[p].size() <= kMostSearched && !budget.spent()) searches[p].emplace(pieces[p], schedules[p]);
    }
    for (const std::size_t width : kWidths) {
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            if (!searches[p] || searches[p]->proved()) continue;
            report(options, fmt::format("scheduling, {} states of a level", width));
            searches[p]->visit(width, budget);
            schedules[p] = searches[p]->best();
            bounds[p] = std::max(bounds[p], searches[p]->bound());
            if (searches[p]->proved()) --open;
        }
        if (open == 0 || budget.spent()) break;
    }
    double bound = 0;
    for (const double each : bounds) bound += each;
    ScheduleResult result = resultOf(graph, pieces, schedules, bound);
    result.optimal = open == 0;
    if (result.optimal) result.lowerBound = result.schedule.makespan;
    result.ended = result.optimal ? Ended::proof : budget.ended().value_or(Ended::memory);
    result.nodes = budget.nodes();
    return result;
}

}  // namespace

std::string_view nameOf(Ended ended) {
    constexpr std::array<std::string_view, 6> kNames{"proof", "heuristic", "time", "nodes", "memory", "stop"};
    return kNames[static_cast<std::size_t>(ended)];
}

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

ScheduleResult scheduleOperators(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options) {
    for (const ScheduleMethod& method : scheduleMethods())
        if (method.name == options.method) return method.solve(graph, cores, options);
    std::vector<std::string> names;
    for (const ScheduleMethod& method : scheduleMethods()) names.emplace_back(method.name);
    throw UsageError(
        fmt::format("there is no scheduling method {}; expected {}", inQuotes(options.method), joined(names, ", ")));
}

}  // namespace tessera::codesign

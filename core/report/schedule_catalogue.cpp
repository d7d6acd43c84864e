#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/study/metric.h"
#include "core/study/schedule/study.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using study::ScheduleOutcome;

const ScheduleOutcome& scheduleOutcomeOf(const study::Result& result) {
    return result.outcome.get<ScheduleOutcome>();
}

std::string layerOf(const ScheduleOutcome& outcome) {
    return outcome.layer.empty() ? "operators" : outcome.layer;
}

std::string coresText(const ScheduleOutcome& outcome) {
    return fmt::format("{}, {}", formatCounted(outcome.cores.tensor, "tensor core", "tensor cores"),
                       formatCounted(outcome.cores.vector, "vector core", "vector cores"));
}

std::string coresText(const codesign::OperatorSlot& placed) {
    if (placed.allCores) return "all";
    if (placed.tensorCore && placed.vectorCore) return fmt::format("pair {}", *placed.tensorCore);
    return placed.tensorCore ? fmt::format("tensor {}", *placed.tensorCore)
                             : fmt::format("vector {}", placed.vectorCore.value_or(0));
}

/// By start, as they run.
Table operatorTable(const ScheduleOutcome& outcome) {
    const std::vector<codesign::OperatorSlot>& all = outcome.result.schedule.operators;
    std::vector<std::size_t> order(outcome.operators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(all[a].start, all[a].finish, a) < std::tuple(all[b].start, all[b].finish, b);
    });
    Table table;
    table.columns = {{"id", true}, {"operator"}, {"type"}, {"start", true}, {"finish", true}, {"cores"}};
    for (const std::size_t i : order) {
        const codesign::Operator& each = outcome.operators[i];
        table.rows.push_back({fmt::format("{}", each.id), each.name, std::string(codesign::nameOf(each.kind)),
                              exactNumber(all[i].start), exactNumber(all[i].finish), coresText(all[i])});
    }
    return table;
}

/// The schedule beside one operator after the other, with the bound below which there is none.
Chart makespanChart(const ScheduleOutcome& outcome) {
    const codesign::ScheduleResult& found = outcome.result;
    Chart chart{.id = "makespan",
                .title = fmt::format(
                    "{} below one operator after the other, {}", study::percentText(outcome.gain()),
                    found.optimal ? "proven optimal" : "gap " + study::percentText(outcome.gap()) + " at most"),
                .horizontal = true};
    chart.x.categories = {"one after the other", "schedule"};
    chart.y = {.title = "Makespan (unit of the file)", .fromZero = true};
    chart.series.push_back({.id = "makespan",
                            .name = "Makespan",
                            .mark = Mark::bars,
                            .x = {0, 1},
                            .y = {found.serial, found.schedule.makespan}});
    chart.series.push_back({.id = "lower-bound",
                            .name = "Lower bound",
                            .mark = Mark::bound,
                            .x = {0, 1},
                            .y = {found.lowerBound, found.lowerBound}});
    return chart;
}

/// How much of the makespan each core is at work.
Chart useChart(const ScheduleOutcome& outcome) {
    const Timeline timeline = study::scheduleTimeline(outcome);
    Chart chart{.id = "core-use", .title = "How long each core is at work"};
    chart.x = {.title = "Core"};
    chart.y = {.title = "Busy (% of the makespan)", .fromZero = true};
    Series busy{.id = "busy", .name = "Busy", .mark = Mark::bars};
    std::vector<double> times(timeline.tracks.size());
    double shared = 0;  // while operators run on all cores
    for (const Timeline::Event& event : timeline.events) times[static_cast<std::size_t>(event.track)] += event.duration;
    for (const codesign::OperatorSlot& placed : outcome.result.schedule.operators)
        if (placed.allCores) shared += placed.finish - placed.start;
    for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
        const bool isAll = timeline.tracks[t].name == "All cores";
        chart.x.categories.push_back(timeline.tracks[t].name);
        busy.x.push_back(static_cast<double>(t));
        busy.y.push_back(timeline.length > 0 ? 100 * (times[t] + (isAll ? 0 : shared)) / timeline.length : 0);
    }
    chart.series.push_back(std::move(busy));
    chart.notes = {"A core's share counts operators that run on all cores."};
    return chart;
}

std::vector<PictureRow> schedulePictures() {
    return {
        {{"schedule", "Schedule", "Operators on the cores of the accelerator", Scope::result, kEverywhere | kTimeline},
         from(study::scheduleTimeline)},
        {{"makespan", "Makespan", "The makespan beside its bound and one operator after the other", Scope::result,
          kEverywhere},
         from(makespanChart)},
        {{"core-use", "Core use", "How much of the makespan each core is at work", Scope::result, kEverywhere},
         from(useChart)},
    };
}

std::vector<TableRow> scheduleTables() {
    return {{{"operators", "Operators", "When and on which cores each operator runs", Scope::result, kEverywhere},
             from(operatorTable)},
            metricsRow()};
}

std::string sentence(const ScheduleOutcome& outcome) {
    return fmt::format("{} on {}; method {}, ended by {}", escaped(layerOf(outcome)), coresText(outcome),
                       outcome.method, nameOf(outcome.result.ended));
}

std::string scheduleAnswer(const study::Result& result) {
    const ScheduleOutcome& outcome = scheduleOutcomeOf(result);
    const codesign::ScheduleResult& found = outcome.result;
    return fmt::format("The {} operators of {} are done after {}, {:.2g} % below one after the other. {}",
                       formatCount(outcome.operators.size()),
                       outcome.layer.empty() ? escaped(study::titleOf(result)) : escaped(outcome.layer),
                       formatCount(found.schedule.makespan), 100 * outcome.gain(),
                       certaintySentence(found.optimal ? std::string("proven optimal")
                                                       : study::gapText(found.schedule.makespan, found.lowerBound)));
}

}  // namespace

Catalogue scheduleCatalogue() {
    return {.engine = "schedule",
            .pictures = schedulePictures(),
            .tables = scheduleTables(),
            .firstTable = "operators",
            .preposition = "of",
            .subject = [](const study::Result& result) { return layerOf(scheduleOutcomeOf(result)); },
            .choices = [](const study::Result&) { return std::vector<std::string>(); },
            .sentences =
                [](const study::Result& result) {
                    return std::vector<std::string>{sentence(scheduleOutcomeOf(result)) + "."};
                },
            .answer = scheduleAnswer,
            .text =
                [](const study::Result& result) {
                    const ScheduleOutcome& outcome = scheduleOutcomeOf(result);
                    return fmt::format("{}\n\n{}\n\n{}", study::scheduleHeadline(outcome), sentence(outcome),
                                       toText(operatorTable(outcome)));
                }};
}

}  // namespace tessera::report

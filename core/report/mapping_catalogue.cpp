#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/report/mapping_pictures.h"
#include "core/report/mapping_report.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"
#include "core/study/mapping/outcome.h"
#include "core/study/mapping/schedule.h"
#include "core/study/mapping/sweep.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

const study::MappingOutcome& mappingOutcomeOf(const study::Result& result) {
    return result.outcome.get<study::MappingOutcome>();
}

const study::MappingOutcome& mappingOf(const View& view) {
    return mappingOutcomeOf(view.result);
}

const mapping::Run& run(const View& view) {
    return study::runOf(mappingOf(view), view.at.choice);
}

bool keptSamples(const View& view) {
    const std::vector<mapping::Run>& runs = mappingOf(view).result.runs;
    return std::any_of(runs.begin(), runs.end(), [](const mapping::Run& each) { return !each.explored.empty(); });
}

bool hasFront(const View& view) {
    return mappingOf(view).pareto.has_value();
}

/// Ids and titles of sweeps, which live as long as the program.
struct SweepNames {
    std::string id, title, about;
};

const std::vector<SweepNames>& sweepNames() {
    static const std::vector<SweepNames> kNames = [] {
        std::vector<SweepNames> names;
        for (const study::Sweep& each : study::sweeps())
            names.push_back({fmt::format("sweep-{}", each.id), fmt::format("Sweep: {}", each.title),
                             fmt::format("Throughput with {}, re-solved", each.help)});
        return names;
    }();
    return kNames;
}

/// A row per kind of sweep.
template <typename SweepRow, typename Make>
void addSweeps(std::vector<SweepRow>& rows, Make make) {
    for (std::size_t i = 0; i < study::sweeps().size(); ++i) {
        const SweepNames& names = sweepNames()[i];
        const study::SweepKind kind = study::sweeps()[i].kind;
        rows.push_back(
            {{names.id, names.title, names.about, Scope::result, kSolvedAnew,
              [kind](const View& view) { return !study::sweepValues(view.result, kind).empty(); }},
             [kind, make](const View& view) { return make(study::sweep(view.result, kind, view.context)); }});
    }
}

std::vector<PictureRow> mappingPictures() {
    std::vector<PictureRow> rows{
        {{"schedule", "Schedule", "Jobs on their cores, with the bandwidth they get", Scope::choice,
          kEverywhere | kTimeline},
         [](const View& view) {
             return study::scheduleTimeline(mappingOf(view), run(view),
                                            static_cast<study::JobColour>(view.at.colouring));
         }},
        {{"algorithms", "Algorithms", "What each algorithm reached, with the bound", Scope::result, kEverywhere},
         from(algorithmChart)},
        {{"convergence", "Convergence", "The best of each algorithm against its samples, with the bound", Scope::result,
          kEverywhere},
         [](const View& view) { return mappingConvergenceCharts(mappingOf(view)).front(); }},
        {{"optimality-gap", "Optimality gap", "The same as distances from the bound", Scope::result, kEverywhere},
         [](const View& view) { return mappingConvergenceCharts(mappingOf(view)).back(); }},
        {{"cores", "Cores", "What every core does", Scope::choice, kEverywhere}, from(coreChart)},
        {{"required-bandwidth", "Latency and bandwidth",
          "No-stall latency and required bandwidth of every job by kind of core", Scope::result, kEverywhere},
         from(requiredBandwidthChart)},
        {{"search-space", "Search space", "Search-space projection (PCA)", Scope::result, kWindow, keptSamples},
         from(exploredChart)},
        {{"pareto", "Pareto front", "What two objectives cannot have together", Scope::result, kWindow, hasFront},
         from(frontChart)},
    };
    addSweeps(rows, sweepChart);
    return rows;
}

std::vector<TableRow> mappingTables() {
    std::vector<TableRow> rows{
        {{"jobs", "Jobs of all mappings", "Every job of every algorithm's mapping"},
         [](const View& view) {
             std::vector<const mapping::Run*> runs;
             for (const mapping::Run& each : mappingOf(view).result.runs) runs.push_back(&each);
             return exactJobTable(mappingOf(view), runs);
         }},
        {{"algorithms", "Algorithms", "Algorithms side by side", Scope::result, kEverywhere},
         [](const View& view) { return algorithmTable(mappingOf(view)); },
         [](const View& view) { return algorithmTable(mappingOf(view), study::kExactTable); }},
        {{"race", "Standings", "Algorithms in their order: best, gap to the bound, samples to the best"},
         [](const View& view) { return standingsTable(mappingOf(view)); }},
        {{"bounds", "Lower bounds of the makespan", "Lower bounds of the makespan", Scope::result, kEverywhere},
         from(boundTable)},
        {{"cores", "Sub-accelerators", "Work of each sub-accelerator", Scope::choice, kEverywhere},
         [](const View& view) { return coreTable(mappingOf(view), run(view)); },
         [](const View& view) { return coreTable(mappingOf(view), run(view), study::kExactTable); }},
        {{"schedule", "Jobs", "Every job of one algorithm's mapping, by core and order", Scope::choice, kEverywhere},
         [](const View& view) { return jobTable(mappingOf(view), run(view)); },
         [](const View& view) { return exactJobTable(mappingOf(view), {&run(view)}); }},
        {{"job-table", "Job table", "What every job takes on every core, as 'tessera map --job-table' reads it"},
         from(problemTable)},
        {{"pareto", "Pareto front", "The mappings of one algorithm's front", Scope::choice, kWindow, hasFront},
         [](const View& view) { return frontTable(mappingOf(view), run(view)); }},
        metricsRow(),
    };
    addSweeps(rows, exactSweepTable);
    return rows;
}

std::vector<std::string> algorithms(const study::Result& result) {
    std::vector<std::string> names{study::bestRun(mappingOutcomeOf(result))->algorithm};
    for (const mapping::Run& each : mappingOutcomeOf(result).result.runs)
        if (each.algorithm != names.front()) names.push_back(each.algorithm);
    return names;
}

std::string mappingAnswer(const study::Result& result) {
    const study::MappingOutcome& outcome = mappingOutcomeOf(result);
    const mapping::Run* best = study::bestRun(outcome);
    if (best == nullptr) return "";
    std::string text =
        fmt::format("{} has the {} jobs of {} done after {}", best->algorithm, formatCount(outcome.problem.jobs.size()),
                    escaped(study::mappingTitle(outcome)), study::cyclesText(outcome.problem, best->values.makespan));
    if (const auto rate = study::throughputOf(outcome.problem, best->values))
        text += fmt::format(", at {}", formatQuantity(rate->value, Measure::flopsPerSecond));
    return text + ". " + certaintySentence(study::certaintyText(*best));
}

}  // namespace

Catalogue mappingCatalogue() {
    return {.engine = "mapping",
            .pictures = mappingPictures(),
            .tables = mappingTables(),
            .firstTable = "jobs",
            .preposition = "under",
            .subject = [](const study::Result& result) { return study::mappingTitle(mappingOutcomeOf(result)); },
            .choices = algorithms,
            .sentences = [](const study::Result& result) { return mappingSentences(result, mappingOutcomeOf(result)); },
            .answer = mappingAnswer,
            .text = [](const study::Result& result) { return mappingText(result, mappingOutcomeOf(result)); }};
}

}  // namespace tessera::report

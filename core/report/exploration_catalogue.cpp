#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/report/exploration_pictures.h"
#include "core/study/exploration/study.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using study::ExplorationOutcome;

const ExplorationOutcome& explorationOf(const study::Result& result) {
    return result.outcome.get<ExplorationOutcome>();
}

std::vector<std::size_t> allPoints(const ExplorationOutcome& outcome) {
    std::vector<std::size_t> points(outcome.points.size());
    std::iota(points.begin(), points.end(), std::size_t{0});
    return points;
}

/// The point that a choice names, from 1; the chosen one where it names none. Throws UsageError.
std::size_t pointOf(const ExplorationOutcome& outcome, const std::string& choice) {
    std::size_t number = 0;
    if (choice.empty() && outcome.chosen) return *outcome.chosen;
    const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), number);
    if (error != std::errc() || end != choice.data() + choice.size() || number < 1 || number > outcome.points.size())
        throw UsageError(fmt::format("there is no point {}; expected a number from 1 to {}", inQuotes(choice),
                                     outcome.points.size()));
    return number - 1;
}

Table frontPointTable(const ExplorationOutcome& outcome) {
    return explorationPointTable(outcome, outcome.front);
}
Table exactFrontTable(const ExplorationOutcome& outcome) {
    return exactExplorationTable(outcome, outcome.front);
}
Table pointsTable(const ExplorationOutcome& outcome) {
    return explorationPointTable(outcome, allPoints(outcome));
}
Table exactPointsTable(const ExplorationOutcome& outcome) {
    return exactExplorationTable(outcome, allPoints(outcome));
}

/// All that is known of a point.
Table pointTable(const ExplorationOutcome& outcome, const std::string& choice) {
    Table table;
    table.columns = {{"what"}, {"value", true}, {"as it is", true}};
    if (outcome.points.empty()) return table;
    const study::ExploredPoint& point = outcome.points[pointOf(outcome, choice)];
    const auto add = [&](const std::string& id) {
        table.rows.push_back({outcome.titleOf(id), outcome.textOf(id, outcome.valueOf(point, id)),
                              outcome.baseline ? outcome.textOf(id, outcome.valueOf(*outcome.baseline, id)) : "–"});
    };
    for (std::size_t i = 0; i < outcome.variables.size(); ++i) {
        const study::ExploredVariable& variable = outcome.variables[i];
        table.rows.push_back({variable.title, study::textOf(variable, point.valueOf(i)),
                              outcome.baseline ? study::textOf(variable, outcome.baseline->valueOf(i)) : "–"});
    }
    for (const study::ExploredMetric& metric : outcome.metrics) add(metric.id);
    if (!point.reason.empty()) table.rows.push_back({"no solution", point.reason, ""});
    return table;
}

Picture parallelOfPoints(const View& view) {
    constexpr Size kParallelPlot{960, 420};
    const ParallelPicture all = explorationParallel(explorationOf(view.result));
    Drawing drawing = layOut(all, {}, kParallelPlot, estimatedWidth).drawing;
    drawing.title = all.title;
    return drawing;
}

bool hasSeveral(const View& view) {
    return explorationOf(view.result).objectives.size() > 1;
}
bool hasEffects(const View& view) {
    return !explorationOf(view.result).effects.empty();
}
bool hasReasons(const View& view) {
    return !explorationOf(view.result).reasons.empty();
}
bool hasSolutions(const View& view) {
    return explorationOf(view.result).feasible() > 0;
}

std::vector<PictureRow> explorationPictures() {
    return {
        {{"front", "Front", "Points in two objectives, and those that are non-dominated (Pareto-optimal)",
          Scope::result, kEverywhere},
         from(explorationFrontChart)},
        {{"parallel", "Parallel axes", "Every solution in all variables and objectives", Scope::result,
          kEverywhere | kWithoutNumbers, hasSolutions},
         parallelOfPoints},
        {{"effects", "What matters", "Sensitivity of each objective to each variable, with intervals", Scope::result,
          kEverywhere, hasEffects},
         from(explorationEffectChart)},
        {{"hypervolume", "Hypervolume", "What the front dominates over the points evaluated", Scope::result,
          kEverywhere, hasSeveral},
         from(explorationHypervolumeChart)},
        {{"progress", "Progress", "The first objective over the points evaluated, the best so far as a line",
          Scope::result, kEverywhere},
         from(explorationProgressChart)},
        {{"reasons", "Infeasible points", "Reasons for infeasibility", Scope::result, kEverywhere, hasReasons},
         from(explorationReasonChart)},
    };
}

std::vector<TableRow> explorationTables() {
    return {
        {{"front", "Front", "Non-dominated (Pareto-optimal) points", Scope::result, kEverywhere, hasSolutions},
         from(frontPointTable),
         from(exactFrontTable)},
        {{"effects", "What matters", "Sensitivity of each objective to each variable", Scope::result, kEverywhere,
          hasEffects},
         from(explorationEffectTable)},
        {{"reasons", "Infeasible points", "Reasons for infeasibility", Scope::result, kEverywhere, hasReasons},
         from(explorationReasonTable)},
        {{"variables", "Variables", "What varies, and over which values", Scope::result, kEverywhere},
         from(explorationVariableTable)},
        {{"points", "Points", "All points with all metrics", Scope::result, kWindow},
         from(pointsTable),
         from(exactPointsTable)},
        {{"point", "Point", "All that is known of a point", Scope::choice, kWindow, hasSolutions}, from(pointTable)},
        metricsRow()};
}

/// The study of a point, and the hardware that it names.
std::vector<std::pair<std::filesystem::path, std::string>> studyOfPoint(const View& view,
                                                                        const std::filesystem::path& out) {
    const ExplorationOutcome& outcome = explorationOf(view.result);
    const InputScope inputs(view.context.files);
    return study::pointStudyFiles(view.result, pointOf(outcome, view.at.choice), out);
}

/// The result of a point, where it is kept whole.
std::vector<std::pair<std::filesystem::path, std::string>> resultOfPoint(const View& view,
                                                                         const std::filesystem::path& out) {
    const ExplorationOutcome& outcome = explorationOf(view.result);
    const std::size_t point = pointOf(outcome, view.at.choice);
    for (const study::KeptPoint& kept : outcome.kept)
        if (kept.point == point) return {{out, tessera::toText(*kept.document)}};
    throw UsageError(
        fmt::format("the result of point {} is not kept whole; 'keep' says which are, and the file 'study' "
                    "runs it again",
                    point + 1));
}

std::vector<std::string> explorationSentences(const study::Result& result) {
    const ExplorationOutcome& outcome = explorationOf(result);
    std::vector<std::string> all;
    all.push_back(fmt::format(
        "{} of {} by the method {}{}.", formatCounted(outcome.points.size(), "point", "points"), outcome.base,
        outcome.method,
        outcome.repeated > 0 ? fmt::format("; {} asked for again", formatCount(outcome.repeated)) : std::string()));
    if (outcome.chosen) all.push_back(fmt::format("Point {} is chosen: {}.", *outcome.chosen + 1, outcome.chosenFor));
    return all;
}

/// The chosen point, then the others of the front, then the rest.
std::vector<std::string> pointChoices(const study::Result& result) {
    const ExplorationOutcome& outcome = explorationOf(result);
    constexpr std::size_t kMostChoices = 1000;
    std::vector<std::string> choices;
    std::vector<bool> isListed(outcome.points.size());
    const auto add = [&](std::size_t point) {
        if (!isListed[point] && choices.size() < kMostChoices) choices.push_back(fmt::format("{}", point + 1));
        isListed[point] = true;
    };
    if (outcome.chosen) add(*outcome.chosen);
    for (const std::size_t point : outcome.front) add(point);
    for (std::size_t point = 0; point < outcome.points.size(); ++point) add(point);
    return choices;
}

/// All of them, however many: a study of any can be asked for.
std::vector<std::string> everyPoint(const study::Result& result) {
    std::vector<std::string> names;
    const ExplorationOutcome& outcome = explorationOf(result);
    if (outcome.chosen) names.push_back(fmt::format("{}", *outcome.chosen + 1));
    for (std::size_t point = 0; point < outcome.points.size(); ++point)
        if (point != outcome.chosen) names.push_back(fmt::format("{}", point + 1));
    return names;
}

/// A long front for a terminal: how it begins and ends, and what is chosen.
Table shortFront(const ExplorationOutcome& outcome) {
    constexpr std::size_t kMostRows = 16, kFirstRows = 7;
    if (outcome.front.size() <= kMostRows) return frontPointTable(outcome);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < outcome.front.size(); ++i)
        if (i < kFirstRows || i + kFirstRows >= outcome.front.size() || outcome.front[i] == outcome.chosen)
            shown.push_back(outcome.front[i]);
    Table table = explorationPointTable(outcome, shown);
    table.rows.insert(table.rows.begin() + kFirstRows, std::vector<std::string>(table.columns.size(), "…"));
    return table;
}

std::string explorationText(const study::Result& result) {
    const ExplorationOutcome& outcome = explorationOf(result);
    std::string all = study::headline(result) + "\n";
    for (const std::string& sentence : explorationSentences(result)) all += sentence + "\n";
    if (!outcome.front.empty())
        all += (outcome.objectives.size() > 1 ? "\nFront\n" : "\nBest\n") + toText(shortFront(outcome));
    if (!outcome.effects.empty()) all += "\nWhat matters\n" + toText(explorationEffectTable(outcome));
    if (!outcome.reasons.empty()) all += "\nInfeasible points\n" + toText(explorationReasonTable(outcome));
    all += "\nVariables\n" + toText(explorationVariableTable(outcome));
    all += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) all += "- " + sentence + "\n";
    return all;
}

}  // namespace

Catalogue explorationCatalogue() {
    return {.engine = "explore",
            .pictures = explorationPictures(),
            .tables = explorationTables(),
            .firstTable = "points",
            .preposition = "",
            .subject = [](const study::Result& result) { return explorationOf(result).base; },
            .choices = pointChoices,
            .sentences = explorationSentences,
            .text = explorationText,
            .files = {{{"study", "Study of a point", "A point's study, with the hardware that it names beside it",
                        Scope::choice, 0, hasSolutions},
                       ".json",
                       studyOfPoint,
                       "study",
                       "point",
                       everyPoint},
                      {{"result", "Result of a point", "A point's result, where it is kept whole", Scope::choice,
                        kWindow, [](const View& view) { return !explorationOf(view.result).kept.empty(); }},
                       ".json",
                       resultOfPoint}}};
}

}  // namespace tessera::report

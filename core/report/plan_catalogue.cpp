#include <fmt/format.h>

#include <algorithm>

#include "core/base/ended_by.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/parallel_layout.h"
#include "core/report/catalogues.h"
#include "core/report/field_table.h"
#include "core/report/plan_beside.h"
#include "core/report/plan_pictures.h"
#include "core/report/plan_points.h"
#include "core/study/metric.h"
#include "core/study/plan/fields.h"
#include "core/study/plan/stage.h"
#include "core/study/plan/study.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

const PlanOutcome& planOutcomeOf(const study::Result& result) {
    return result.outcome.get<PlanOutcome>();
}

bool isPlanned(const View& view) {
    return planOutcomeOf(view.result).best() != nullptr;
}

template <study::FieldUse use>
Table configurationTable(const PlanOutcome& outcome) {
    return tableOf(study::planConfigurationFields(), study::planConfigurationRows(outcome), use);
}
template <study::FieldUse use>
Table planStageTable(const PlanOutcome& outcome, const std::string& rank) {
    return tableOf(study::planStageFields(), study::planStageRows(outcome, rank), use);
}

Table frontTable(const PlanOutcome& outcome) {
    Table table;
    table.columns = {{"configuration"},
                     {std::string(plan::kObjectiveNames.of(outcome.frontOf.first)), true},
                     {std::string(plan::kObjectiveNames.of(outcome.frontOf.second)), true}};
    for (const study::FrontPoint& point : outcome.front)
        table.rows.push_back({point.text, exactNumber(point.first), exactNumber(point.second)});
    return table;
}

bool comparesFleets(const View& view) {
    return !planOutcomeOf(view.result).fleets.empty();
}

bool isScaled(const View& view) {
    return !planOutcomeOf(view.result).scaling.empty();
}

bool isMeasured(const View& view) {
    return !planOutcomeOf(view.result).measured.empty();
}

/// The best of each fleet that the study compares.
Table fleetTable(const PlanOutcome& outcome) {
    Table table;
    table.columns = {{"fleet"}, {"accelerators", true}, {"step", true}, {"price of a step", true}, {"configuration"}};
    for (const study::ComparedFleet& fleet : outcome.fleets) {
        if (!fleet.best) {
            table.rows.push_back({fleet.name, formatCount(fleet.accelerators), "nothing fits", "", ""});
            continue;
        }
        const double price = fleet.best->of(plan::Objective::price);
        table.rows.push_back(
            {fleet.name, formatCount(fleet.accelerators), formatSeconds(fleet.best->of(plan::Objective::time)),
             price > 0 ? objectiveText(plan::Objective::price, price) : std::string("–"), fleet.configuration});
    }
    return table;
}

template <ClusterColour colour>
Picture clusterOf(const View& view) {
    constexpr double kWidth = 960;
    return planClusterDrawing(planOutcomeOf(view.result), view.at.choice, colour, kWidth, estimatedWidth);
}

bool wasAsked(const View& view) {
    return planOutcomeOf(view.result).asked && planOutcomeOf(view.result).asked->evaluated;
}

/// The configuration that the study asks about, beside the best.
Picture answerOf(const View& view) {
    const PlanOutcome& outcome = planOutcomeOf(view.result);
    if (!wasAsked(view))
        return Chart{.id = "answer-step-time",
                     .title = "Evaluated configuration",
                     .empty = "No configuration was evaluated. Name one with --evaluate, or in the study."};
    return planAnswerCharts(outcome, {.asked = *outcome.asked}).front();
}

/// The kept configurations in all values.
Picture parallelOf(const View& view) {
    constexpr Size kParallelAxes{960, 420};
    const PlanOutcome& outcome = planOutcomeOf(view.result);
    const ParallelPicture all = planParallel(outcome);
    Drawing drawing = layOut(all, {}, kParallelAxes, estimatedWidth).drawing;
    drawing.title = all.title;
    return drawing;
}

std::vector<PictureRow> planPictures() {
    return {
        {{"cluster", "Cluster", "Which stage each accelerator holds, coloured by its memory", Scope::choice,
          kEverywhere | kWithoutNumbers, isPlanned},
         clusterOf<ClusterColour::memory>},
        {{"step-time", "Step time", "Step-time breakdown of the best configurations", Scope::result, kEverywhere},
         from(planTimeChart)},
        {{"overhead", "Overhead", "Non-compute time of a step", Scope::result, kEverywhere}, from(planOverheadChart)},
        {{"scaling", "Scaling", "Throughput per accelerator at other cluster sizes, beside published runs",
          Scope::result, kEverywhere},
         from(planScalingChart)},
        {{"pipeline", "Pipeline", "Forward and backward passes of the micro-batches by stage", Scope::choice,
          kEverywhere | kTimeline, isPlanned},
         from(study::planTimeline)},
        {{"memory", "Memory", "What fills an accelerator of each stage", Scope::choice, kEverywhere, isPlanned},
         from(planMemoryChart)},
        {{"front", "Front", "Non-dominated (Pareto-optimal) configurations in two objectives", Scope::result,
          kEverywhere},
         from(planFrontChart)},
        {{"parallel", "Parallel axes", "The kept configurations in all values", Scope::result,
          kWindow | kWithoutNumbers, isPlanned},
         parallelOf},
        {{"answer", "Evaluated configuration", "The configuration that the study evaluates, beside the best",
          Scope::result, kEverywhere, wasAsked},
         answerOf},
        {{"sensitivity", "Sensitivity", "Speed-up from 10 % more of each resource", Scope::result, kEverywhere},
         from(planSensitivityChart)},
        {{"cluster-time", "Cluster by time", "Which stage each accelerator holds, coloured by its time", Scope::choice,
          kWindow | kWithoutNumbers, isPlanned},
         clusterOf<ClusterColour::time>},
        {{"configurations", "Space", "Configurations by outcome (fits, out of memory, pruned)", Scope::result,
          kEverywhere},
         from(planCountChart)},
    };
}

std::vector<TableRow> planTables() {
    return {
        {{"configurations", "Configurations", "The best configurations, and why others lose", Scope::result,
          kEverywhere},
         from(configurationTable<study::kText>),
         from(configurationTable<study::kExactTable>)},
        {{"stages", "Stages", "Layers, times and memory of the stages", Scope::choice, kEverywhere, isPlanned},
         from(planStageTable<study::kText>),
         from(planStageTable<study::kExactTable>)},
        {{"fleets", "Fleets", "The best configuration of each fleet", Scope::result, kEverywhere, comparesFleets},
         from(fleetTable)},
        {{"scaling", "Scaling", "The best by number of accelerators", Scope::result, kEverywhere, isScaled},
         from(planScalingTable),
         from(exactPlanScalingTable)},
        {{"measured", "Measured", "Published runs of the model beside the plan, and what differs", Scope::result,
          kEverywhere, isMeasured},
         from(planMeasuredTable),
         from(exactPlanMeasuredTable)},
        {{"front", "Front", "Non-dominated (Pareto-optimal) configurations in two objectives", Scope::result, kWindow},
         from(frontTable)},
        metricsRow()};
}

/// A framework that a configuration is written for. The window lists those that can run it.
FileRow fileOf(const plan::Framework& framework) {
    const auto runs = [framework](const View& view) {
        const PlanOutcome& outcome = planOutcomeOf(view.result);
        return outcome.best() != nullptr && outcome.shape &&
               framework.misfit(frameworkPlanOf(outcome, view.at.choice)).empty();
    };
    const auto make = [framework](const View& view, const std::filesystem::path& out) {
        const study::Result& result = view.result;
        const std::string text = plan::exported(frameworkPlanOf(planOutcomeOf(result), view.at.choice), framework);
        return std::vector<std::pair<std::filesystem::path, std::string>>{{out, text}};
    };
    return {{framework.id, framework.title, framework.about, Scope::choice, kWindow, runs}, framework.suffix, make};
}

std::vector<FileRow> planFiles() {
    std::vector<FileRow> rows;
    for (const plan::Framework& framework : plan::frameworks()) rows.push_back(fileOf(framework));
    rows.push_back({{"stage", "Partition of a stage",
                     "The study that partitions a stage (rank/stage, such as 1/3) over its accelerators, with its "
                     "layers and its fleet beside it",
                     Scope::choice, 0, [](const View& view) { return planOutcomeOf(view.result).best() != nullptr; }},
                    ".json",
                    [](const View& view, const std::filesystem::path& out) {
                        const InputScope inputs(view.context.files);
                        return study::planStageFiles(view.result, view.at.choice, out);
                    },
                    "study",
                    "stage",
                    study::planStageNames});
    return rows;
}

/// What alone fits; of a network's layers there is no sequence and no other depth.
std::string limitsSentence(const plan::Limits& limits) {
    std::string model;
    if (limits.sequence > 0)
        model =
            fmt::format("{} tokens a sample, {} layers, ", formatCount(limits.sequence), formatCount(limits.layers));
    return fmt::format("Each alone fits: {}micro-batches of {}; the fewest accelerators are {}.", model, limits.micro,
                       formatCount(limits.accelerators));
}

std::vector<std::string> planSentences(const study::Result& result) {
    const PlanOutcome& outcome = planOutcomeOf(result);
    std::vector<std::string> all;
    if (outcome.asked) all = planAnswerSentences(outcome, *outcome.asked);
    if (outcome.limits) all.push_back(limitsSentence(*outcome.limits));
    if (std::string measured = planMeasuredSentence(outcome); !measured.empty()) all.push_back(std::move(measured));
    return all;
}

std::vector<std::string> planRanks(const study::Result& result) {
    std::vector<std::string> ranks;
    for (std::size_t i = 0; i < planOutcomeOf(result).configurations.size(); ++i)
        ranks.push_back(fmt::format("{}", i + 1));
    return ranks;
}

/// A long table for a terminal: how it begins and ends.
Table shortened(Table table) {
    constexpr std::size_t kMaxRows = 12, kFirst = 6, kLast = 3;
    if (table.rows.size() <= kMaxRows) return table;
    std::vector<std::vector<std::string>> rows(table.rows.begin(), table.rows.begin() + kFirst);
    rows.emplace_back(table.columns.size(), "…");
    rows.insert(rows.end(), table.rows.end() - kLast, table.rows.end());
    table.rows = std::move(rows);
    return table;
}

std::string planText(const study::Result& result) {
    const PlanOutcome& outcome = planOutcomeOf(result);
    std::string all = study::planHeadline(outcome) + "\n";
    for (const std::string& sentence : planSentences(result)) all += sentence + "\n";
    if (!outcome.fleets.empty()) all += "\nFleets\n" + toText(fleetTable(outcome));
    if (outcome.best() != nullptr) {
        all += "\nConfigurations\n" + toText(configurationTable<study::kText>(outcome));
        all += "\nStages of the best\n" + toText(shortened(planStageTable<study::kText>(outcome, {})));
    }
    if (!outcome.scaling.empty()) all += "\nThe best by number of accelerators\n" + toText(planScalingTable(outcome));
    if (!outcome.measured.empty())
        all += "\nPublished runs beside the plan\n" + toText(shortened(planMeasuredTable(outcome)));
    all += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) all += "- " + sentence + "\n";
    return all;
}

std::string planAnswer(const study::Result& result) {
    const PlanOutcome& outcome = planOutcomeOf(result);
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return "";
    return fmt::format(
        "{} trains best on {} with {}: {} a step ({} to {}), {} {}/s, {} of peak. {}", escaped(outcome.model),
        escaped(outcome.fleet), study::configurationText(best->configuration),
        formatSeconds(best->scores.of(plan::Objective::time)), formatSeconds(best->low), formatSeconds(best->high),
        study::uncertainText(best->tokensPerSecond), outcome.unit(), study::percentText(best->utilisation),
        outcome.ended == EndedBy::proof ? fmt::format("By the model of time that is the best of all {} configurations.",
                                                      formatCount(outcome.counted.all))
                                        : std::string("The search was stopped: there may be better ones."));
}

}  // namespace

Catalogue planCatalogue() {
    return {.engine = "plan",
            .pictures = planPictures(),
            .tables = planTables(),
            .firstTable = "configurations",
            .preposition = "of configuration",
            .subject = [](const study::Result& result) { return planOutcomeOf(result).model; },
            .choices = planRanks,
            .sentences = planSentences,
            .answer = planAnswer,
            .text = planText,
            .files = planFiles()};
}

}  // namespace tessera::report

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/report_document.h"
#include "core/report/scaling_picture.h"
#include "core/study/metric.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/outcome.h"
#include "core/study/scaling.h"
#include "core/study/timeline.h"

namespace tessera::report {

namespace {

const study::PartitionOutcome& partitionOutcomeOf(const study::Result& result) {
    return result.outcome.get<study::PartitionOutcome>();
}

const study::PartitionOutcome& partitionOf(const View& view) {
    return partitionOutcomeOf(view.result);
}

const partition::Plan& plan(const View& view) {
    for (const partition::Plan& each : partitionOf(view).result.plans)
        if (each.strategy == view.at.choice) return each;
    throw UsageError(fmt::format("the result has no strategy {}", inQuotes(view.at.choice)));
}

bool isSplit(const View& view) {
    return !plan(view).levels.empty();
}

std::vector<PictureRow> partitionPictures() {
    return {
        {{"types", "Types of layers", "Partition types by layer and split", Scope::choice, kEverywhere}, from(typeMap)},
        {{"speedup", "Speed-up", "Speed-up over data parallelism", Scope::result, kEverywhere}, from(speedupChart)},
        {{"step-time", "Step time", "Step time by strategy, with its bound"}, from(stepTimeChart)},
        {{"layers", "Time by layer", "Time by layer at the top-level split", Scope::split, kEverywhere, isSplit},
         [](const View& view) { return layerChart(partitionOf(view), view.at.choice, view.at.split); }},
        {{"levels", "Time by level", "Time by level of the hierarchy", Scope::choice, kEverywhere, isSplit},
         from(levelTimeChart)},
        {{"ratios", "Ratio by level", "Share of the first side of each split", Scope::choice, kWindow, isSplit},
         from(ratioChart)},
        {{"memory", "Memory", "Memory of each kind of accelerator", Scope::choice, kEverywhere}, from(memoryChart)},
        {{"scaling", "Scaling", "Speed-up by levels of splits, re-solved", Scope::result, kSolvedAnew},
         [](const View& view) { return scalingChart(study::scaling(view.result.study, view.context)); }},
        {{"timeline", "Timeline", "What happens when in a step", Scope::choice, kWindow | kTimeline},
         [](const View& view) { return study::timelineOf(view.result, view.at.choice); }},
    };
}

std::vector<TableRow> partitionTables() {
    return {
        {{"layers", "Layers", "Every layer of every split, full precision"}, from(layerTable)},
        {{"strategies", "Strategies", "Strategies side by side", Scope::result, kEverywhere}, from(strategyTable)},
        {{"subsets", "Subsets of the fleet", "Subsets of the fleet that were solved", Scope::choice, kEverywhere,
          [](const View& view) { return !plan(view).subsets.empty(); }},
         [](const View& view) { return subsetTable(plan(view)); }},
        {{"levels", "Splits", "Splits, with the types of their layers", Scope::choice, kEverywhere},
         [](const View& view) { return levelTable(plan(view)); }},
        {{"accelerators", "Accelerators", "Work and memory by kind of accelerator", Scope::choice, kEverywhere},
         [](const View& view) { return acceleratorTable(plan(view)); }},
        {{"scaling", "Scaling", "Strategies on a half, a quarter, … of the array, re-solved", Scope::result,
          kSolvedAnew},
         [](const View& view) { return scalingTable(study::scaling(view.result.study, view.context)); }},
        metricsRow(),
    };
}

std::vector<std::string> strategies(const study::Result& result) {
    std::vector<std::string> names{bestPlan(partitionOutcomeOf(result)).strategy};
    for (const partition::Plan& each : partitionOutcomeOf(result).result.plans)
        if (each.strategy != names.front()) names.push_back(each.strategy);
    return names;
}

std::vector<std::string> partitionSentences(const study::Result& result) {
    const study::PartitionOutcome& outcome = partitionOutcomeOf(result);
    const partition::Plan& best = bestPlan(outcome);
    std::vector<std::string> all{fmt::format("{} on {}: {} accelerators, batch {}", escaped(outcome.model),
                                             escaped(outcome.fleet), formatCount(outcome.accelerators),
                                             formatCount(outcome.result.batch))};
    if (std::string rest = unsolvedSubsets(best); !rest.empty()) all.push_back(std::move(rest));
    for (std::string& advice : memoryAdvice(result, best)) all.push_back(std::move(advice));
    return all;
}

std::string partitionAnswer(const study::Result& result) {
    const study::PartitionOutcome& outcome = partitionOutcomeOf(result);
    const partition::Plan* best = study::fastestPlan(outcome);
    if (best == nullptr) return "";
    std::string text =
        fmt::format("Split by {}, a step of {} on {} takes {}, {} as fast as data parallelism: {} samples/s",
                    best->strategy, escaped(outcome.model), escaped(outcome.fleet), formatSeconds(best->stepTime),
                    study::timesText(best->speedupOverDp), study::rateText(best->throughput));
    if (!best->idle.empty())
        text += fmt::format(", on {} with {} idle", study::placeText(*best), study::idleText(best->idle));
    return text + (best->fits ? ". " : ", but it does not fit in memory. ") +
           certaintySentence(study::certaintyText(*best));
}

}  // namespace

Catalogue partitionCatalogue() {
    return {.engine = "partition",
            .pictures = partitionPictures(),
            .tables = partitionTables(),
            .firstTable = "layers",
            .preposition = "under",
            .subject = [](const study::Result& result) { return partitionOutcomeOf(result).model; },
            .choices = strategies,
            .sentences = partitionSentences,
            .part =
                [](const View& view, Scope scope) {
                    return scope == Scope::split ? fmt::format("split {}", view.at.split) : std::string();
                },
            .answer = partitionAnswer,
            .text = [](const study::Result& result) { return partitionText(result, partitionOutcomeOf(result)); }};
}

}  // namespace tessera::report

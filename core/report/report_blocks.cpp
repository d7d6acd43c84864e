#include "core/report/report_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/codesign_pictures.h"
#include "core/report/codesign_points.h"
#include "core/report/codesign_report.h"
#include "core/report/comparison_report.h"
#include "core/report/mapping_pictures.h"
#include "core/report/mapping_report.h"
#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/prediction_pictures.h"
#include "core/report/prediction_report.h"
#include "core/study/comparison.h"
#include "core/study/timeline.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

constexpr std::size_t kMostCompared = 200;
constexpr std::size_t kMostRows = 200;  ///< of a table of differences; the rest is counted

using Blocks = std::vector<Block>;

std::string titleOf(const ReportRun& run) {
    if (!run.title.empty()) return run.title;
    if (!run.result->study.name.empty()) return run.result->study.name;
    if (const auto* mapping = std::get_if<study::MappingOutcome>(&run.result->outcome)) return study::titleOf(*mapping);
    if (const auto* codesign = std::get_if<study::CodesignOutcome>(&run.result->outcome))
        return study::titleOf(*codesign);
    if (std::holds_alternative<study::PredictionOutcome>(run.result->outcome)) return study::titleOf(run.result->study);
    const auto& outcome = std::get<study::PartitionOutcome>(run.result->outcome);
    return outcome.model + " on " + outcome.fleet;
}

void addTable(Blocks& blocks, const std::string& title, Table table) {
    if (table.rows.empty()) return;
    const std::size_t rows = table.rows.size();
    if (rows > kMostRows) table.rows.resize(kMostRows);
    blocks.emplace_back(Heading{3, title});
    blocks.emplace_back(std::move(table));
    if (rows > kMostRows)
        blocks.emplace_back(
            Paragraph{fmt::format("{} more rows are not shown.", formatCount(double(rows - kMostRows))), true});
}

void addSentences(Blocks& blocks, const std::string& title, const std::vector<std::string>& list) {
    if (list.empty()) return;
    blocks.emplace_back(Heading{3, title});
    blocks.emplace_back(Sentences{list});
}

bool hasMetric(const study::Comparison& comparison, std::string_view name) {
    return std::any_of(comparison.metrics.begin(), comparison.metrics.end(),
                       [&](const study::Comparison::MetricRow& row) { return row.metric.name == name; });
}

void addComparison(Blocks& blocks, const std::vector<ReportRun>& runs, const ReportOptions& options) {
    std::vector<const study::Result*> results;
    std::vector<std::string> titles;
    for (const ReportRun& run : runs) {
        results.push_back(run.result);
        titles.push_back(titleOf(run));
    }
    const study::Comparison comparison = study::compare(results, titles);
    blocks.emplace_back(Heading{2, "Comparison"});
    blocks.emplace_back(HeadlineText{comparison.finding});
    for (const std::string& warning : comparison.warnings) blocks.emplace_back(Paragraph{warning});
    if (options.pictures)
        for (const std::string& metric : {comparison.deciding, std::string("speedup_over_dp")})
            if (hasMetric(comparison, metric)) blocks.emplace_back(Picture{comparisonChart(comparison, metric)});
    if (!options.tables) return;
    addTable(blocks, "What differs in the inputs", inputTable(comparison, false));
    addTable(blocks, "What differs in the outcome", metricTable(comparison, false));
    addTable(blocks, "Layers with different types", layerDifferenceTable(comparison, false));
    addTable(blocks, "Jobs at different places", jobDifferenceTable(comparison, false));
}

void addPictures(Blocks& blocks, const study::PartitionOutcome& outcome, const partition::Plan& best) {
    blocks.emplace_back(Picture{typeMap(outcome, best.strategy)});
    blocks.emplace_back(Picture{speedupChart(outcome)});
    if (best.levels.empty()) return;
    blocks.emplace_back(Picture{layerChart(outcome, best.strategy, 0)});
    blocks.emplace_back(Picture{levelChart(outcome, best.strategy)});
    const bool capacities =
        std::any_of(best.shares.begin(), best.shares.end(),
                    [](const partition::AcceleratorShare& share) { return share.capacity.has_value(); });
    if (capacities) blocks.emplace_back(Picture{memoryChart(outcome, best.strategy)});
}

void addPictures(Blocks& blocks, const study::MappingOutcome& outcome, const mapping::Run& best) {
    blocks.emplace_back(Picture{study::scheduleTimeline(outcome, best)});
    blocks.emplace_back(Picture{algorithmChart(outcome)});
    for (Chart& chart : raceCharts(outcome)) blocks.emplace_back(Picture{std::move(chart)});
    blocks.emplace_back(Picture{coreChart(outcome, best.algorithm)});
    blocks.emplace_back(Picture{demandChart(outcome)});
}

void addPictures(Blocks& blocks, const study::PredictionOutcome& outcome, const predict::Prediction& best) {
    const auto add = [&](Chart chart) {
        if (!chart.series.empty()) blocks.emplace_back(Picture{std::move(chart)});
    };
    add(throughputChart(outcome, best.devices));
    add(pricePerformanceChart(outcome, best.devices));
    add(stageChart(outcome, best.devices));
    add(deviceScalingChart(outcome));
    for (const std::size_t level : usedLevels(best)) add(batchMemoryChart(best, level));
    add(operatorRoofline(outcome, best).chart);
}

void addProvenance(Blocks& blocks, const study::Result& result) {
    Table inputs;
    inputs.columns = {{"input"}, {"SHA-256"}};
    for (const study::Input& input : result.inputs) inputs.rows.push_back({input.name, input.sha256});
    addTable(blocks, "Where from", std::move(inputs));
}

void addOutcome(Blocks& blocks, const study::Result& result, const study::MappingOutcome& outcome,
                const ReportOptions& options) {
    blocks.emplace_back(HeadlineText{study::headline(outcome)});
    for (const std::string& sentence : mappingSentences(result, outcome)) blocks.emplace_back(Paragraph{sentence});
    const mapping::Run& best = *study::bestRun(outcome);
    if (options.pictures) addPictures(blocks, outcome, best);
    if (!options.tables) return;
    addTable(blocks, "Algorithms", algorithmTable(outcome));
    addTable(blocks, "Lower bounds of the makespan", boundTable(outcome));
    addTable(blocks, "Sub-accelerators under " + best.algorithm, coreTable(outcome, best));
    addTable(blocks, "Jobs under " + best.algorithm, jobTable(outcome, best));
}

void addOutcome(Blocks& blocks, const study::Result& /*result*/, const study::PredictionOutcome& outcome,
                const ReportOptions& options) {
    blocks.emplace_back(HeadlineText{study::headline(outcome)});
    for (const std::string& sentence : infeasibleSentences(outcome)) blocks.emplace_back(Paragraph{sentence});
    if (const predict::Prediction* best = study::fastestPrediction(outcome); options.pictures && best != nullptr)
        addPictures(blocks, outcome, *best);
    if (!options.tables) return;
    addTable(blocks, "Predictions", predictionTable(outcome));
    addTable(blocks, "Ranking", rankingTable(outcome));
    addTable(blocks, "Stages of a step", stageTable(outcome));
    addTable(blocks, "Memory of a device", memoryTable(outcome));
    addTable(blocks, "Samples/s by baseline predictors", baselineTable(outcome));
    addTable(blocks, "Slowest operators of the fastest", slowestTable(outcome));
}

void addOutcome(Blocks& blocks, const study::Result& result, const study::PartitionOutcome& outcome,
                const ReportOptions& options) {
    const partition::Plan& best = bestPlan(outcome);
    blocks.emplace_back(HeadlineText{headline(outcome)});
    blocks.emplace_back(Paragraph{
        fmt::format("{} on {}: {} accelerators, batch {}", escaped(outcome.model), escaped(outcome.fleet),
                    formatCount(static_cast<double>(outcome.accelerators)), formatCount(outcome.result.batch)),
        true});
    if (!best.subsets.empty()) {
        addTable(blocks, "Subsets of the fleet", subsetTable(best));
        if (const std::string rest = unsolvedSubsets(best); !rest.empty()) blocks.emplace_back(Paragraph{rest});
    }
    for (const std::string& sentence : memoryAdvice(result, best)) blocks.emplace_back(Paragraph{sentence});
    if (options.pictures) addPictures(blocks, outcome, best);
    if (options.tables) {
        addTable(blocks, "Strategies", strategyTable(outcome));
        addTable(blocks, "Splits", levelTable(best));
        addTable(blocks, "Accelerators", acceleratorTable(best));
    }
}

void addOutcome(Blocks& blocks, const study::Result& result, const study::CodesignOutcome& outcome,
                const ReportOptions& options) {
    blocks.emplace_back(HeadlineText{study::headline(outcome)});
    for (const std::string& sentence : codesignSentences(outcome)) blocks.emplace_back(Paragraph{sentence});
    if (options.pictures) {
        blocks.emplace_back(Picture{paretoPicture(outcome.result).chart});
        blocks.emplace_back(Picture{explorationChart(outcome.result, false)});
        blocks.emplace_back(Picture{speedupChart(outcome.result)});
        blocks.emplace_back(Picture{timeShareChart(outcome.result)});
    }
    if (options.pictures)
        for (const codesign::ModelResult& model : outcome.result.perModel) {
            if (!model.feasible) continue;
            blocks.emplace_back(Heading{3, "Pipeline of " + model.model});
            blocks.emplace_back(Picture{study::timelineOf(result, model.model)});
        }
    if (!options.tables) return;
    addTable(blocks, "Accelerators", acceleratorTable(outcome));
    addTable(blocks, "Models", trainedModelTable(outcome));
    addTable(blocks, "Where the time of a batch goes", batchTimeTable(outcome));
    addTable(blocks, "Front of area and objective", frontTable(outcome));
}

void addRun(Blocks& blocks, const ReportRun& run, const ReportOptions& options) {
    const study::Result& result = *run.result;
    blocks.emplace_back(Heading{2, titleOf(run)});
    std::visit([&](const auto& outcome) { addOutcome(blocks, result, outcome, options); }, result.outcome);
    if (options.assumptions) {
        addSentences(blocks, "Assumptions", result.assumptions);
        addSentences(blocks, "Warnings", result.warnings);
    }
    if (options.provenance) addProvenance(blocks, result);
}

}  // namespace

std::vector<Block> reportBlocks(const std::string& title, const std::vector<ReportRun>& runs,
                                const ReportOptions& options) {
    Blocks blocks;
    blocks.emplace_back(Heading{1, title});
    blocks.emplace_back(Paragraph{
        fmt::format("{}Tessera {}", options.date.empty() ? "" : options.date + " · ", TESSERA_VERSION), true});
    if (options.comparison && runs.size() > 1 && runs.size() <= kMostCompared) addComparison(blocks, runs, options);
    for (const ReportRun& run : runs) addRun(blocks, run, options);
    if (options.studies) {
        blocks.emplace_back(Heading{2, "Appendix: studies as files"});
        for (const ReportRun& run : runs)
            blocks.emplace_back(Listing{titleOf(run), tessera::toText(study::toJson(run.result->study))});
    }
    return blocks;
}

}  // namespace tessera::report

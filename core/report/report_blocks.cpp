#include "core/report/report_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogue.h"
#include "core/report/comparison_pictures.h"
#include "core/report/comparison_report.h"
#include "core/study/comparison.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

constexpr std::size_t kMaxCompared = 200;
constexpr std::size_t kMaxRows = 200;  ///< of a table of differences; the rest is counted

using Blocks = std::vector<Block>;

std::string titleOf(const ReportRun& run) {
    if (!run.title.empty()) return run.title;
    return study::titleOf(*run.result);
}

void addTable(Blocks& blocks, const std::string& title, Table table) {
    if (table.rows.empty()) return;
    const std::size_t rows = table.rows.size();
    if (rows > kMaxRows) table.rows.resize(kMaxRows);
    blocks.emplace_back(Heading{3, title});
    blocks.emplace_back(std::move(table));
    if (rows > kMaxRows)
        blocks.emplace_back(
            Paragraph{fmt::format("{} more rows are not shown.", formatCount(double(rows - kMaxRows))), true});
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

/// The selections that a report has of a row: a model's rows are shown of every model.
std::vector<Selection> selectionsOf(const Row& row, const study::Result& result, const Catalogue& catalogue) {
    if ((row.where & kReport) == 0) return {};
    if (row.scope != Scope::model) return selectionsOf(row, result, selectionOf(result, ""));
    std::vector<Selection> found;
    for (const std::string& choice : catalogue.choices(result))
        for (Selection& at : selectionsOf(row, result, selectionOf(result, choice))) found.push_back(std::move(at));
    return found;
}

bool isEmpty(const Picture& picture) {
    const auto* chart = std::get_if<Chart>(&picture);
    return chart != nullptr && chart->series.empty();
}

void addPictures(Blocks& blocks, const study::Result& result, const Catalogue& catalogue) {
    for (const PictureRow& row : catalogue.pictures)
        for (const Selection& at : selectionsOf(row, result, catalogue)) {
            Picture picture = row.make({result, at, {}});
            if (isEmpty(picture)) continue;
            if (row.scope == Scope::model) blocks.emplace_back(Heading{3, titleOf(row, result, at)});
            blocks.emplace_back(std::move(picture));
        }
}

void addTables(Blocks& blocks, const study::Result& result, const Catalogue& catalogue) {
    for (const TableRow& row : catalogue.tables)
        for (const Selection& at : selectionsOf(row, result, catalogue))
            addTable(blocks, titleOf(row, result, at), row.make({result, at, {}}));
}

void addProvenance(Blocks& blocks, const study::Result& result) {
    Table inputs;
    inputs.columns = {{"input"}, {"SHA-256"}};
    for (const study::Input& input : result.inputs) inputs.rows.push_back({input.name, input.sha256});
    addTable(blocks, "Where from", std::move(inputs));
}

void addOutcome(Blocks& blocks, const study::Result& result, const ReportOptions& options) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    blocks.emplace_back(HeadlineText{study::headline(result)});
    for (const std::string& sentence : catalogue.sentences(result)) blocks.emplace_back(Paragraph{sentence});
    if (options.pictures) addPictures(blocks, result, catalogue);
    if (options.tables) addTables(blocks, result, catalogue);
}

void addRun(Blocks& blocks, const ReportRun& run, const ReportOptions& options) {
    const study::Result& result = *run.result;
    blocks.emplace_back(Heading{2, titleOf(run)});
    addOutcome(blocks, result, options);
    if (options.assumptions) {
        addSentences(blocks, "Assumptions", result.assumptions);
        addSentences(blocks, "Warnings", result.warnings);
    }
    if (options.provenance) addProvenance(blocks, result);
}

}  // namespace

std::vector<Block> runBlocks(const ReportRun& run, const ReportOptions& options) {
    Blocks blocks;
    addRun(blocks, run, options);
    return blocks;
}

std::vector<Block> reportBlocks(const std::string& title, const std::vector<ReportRun>& runs,
                                const ReportOptions& options) {
    Blocks blocks;
    blocks.emplace_back(Heading{1, title});
    blocks.emplace_back(Paragraph{
        fmt::format("{}Tessera {}", options.date.empty() ? "" : options.date + " · ", TESSERA_VERSION), true});
    if (options.comparison && runs.size() > 1 && runs.size() <= kMaxCompared) addComparison(blocks, runs, options);
    for (const ReportRun& run : runs) addRun(blocks, run, options);
    if (options.studies) {
        blocks.emplace_back(Heading{2, "Appendix: studies as files"});
        for (const ReportRun& run : runs)
            blocks.emplace_back(Listing{titleOf(run), tessera::toText(study::toJson(run.result->study))});
    }
    return blocks;
}

}  // namespace tessera::report

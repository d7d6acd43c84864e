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
#include "core/study/engine.h"
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
        blocks.emplace_back(Paragraph{fmt::format("{} more rows are not shown.", formatCount(rows - kMaxRows)), true});
}

void addSentences(Blocks& blocks, const std::string& title, const std::vector<std::string>& list) {
    if (list.empty()) return;
    blocks.emplace_back(Heading{3, title});
    blocks.emplace_back(Sentences{list});
}

/// Runs of a report and how they compare.
struct Compared {
    std::vector<std::string> titles;
    study::ComparedKinds kinds;  ///< each run alone where nothing is compared
};

Compared comparedOf(const std::vector<ReportRun>& runs, const ReportOptions& options) {
    Compared compared;
    std::vector<const study::Result*> results;
    for (const ReportRun& run : runs) {
        results.push_back(run.result);
        compared.titles.push_back(titleOf(run));
    }
    if (options.comparison && runs.size() > 1 && runs.size() <= kMaxCompared)
        compared.kinds = study::compareByKind(results, compared.titles, std::min(options.baseline, runs.size() - 1));
    else
        for (std::size_t run = 0; run < runs.size(); ++run) compared.kinds.alone.push_back(run);
    return compared;
}

/// Metrics that have a picture, the deciding one first: those of a direction that tell the runs apart.
std::vector<std::string> picturedMetrics(const study::Comparison& comparison) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> names;
    if (!comparison.deciding.empty()) names.push_back(comparison.deciding);
    for (const study::Comparison::MetricRow& row : comparison.metrics) {
        const auto known = std::count_if(row.values.begin(), row.values.end(), [](const auto& value) { return value; });
        if (names.size() < kMost && row.comparable && !row.same && row.metric.owner.empty() && known > 1 &&
            row.metric.better != study::Metric::Better::neither && row.metric.name != comparison.deciding)
            names.push_back(row.metric.name);
    }
    return names;
}

void addComparison(Blocks& blocks, const study::Comparison& comparison, bool first, const ReportOptions& options) {
    blocks.emplace_back(Heading{2, "Comparison of " + study::letterList(comparison.letters)});
    blocks.emplace_back(HeadlineText{comparison.finding});
    if (options.pictures)
        for (const std::string& metric : picturedMetrics(comparison))
            if (!first || metric != comparison.deciding)  // which is on the first page
                blocks.emplace_back(Picture{comparisonChart(comparison, metric)});
    if (!options.tables) return;
    addTable(blocks, "Numbers", metricTable(comparison, false));
    addTable(blocks, "Numbers of each", ownedMetricTable(comparison, false));
    addTable(blocks, "What differs in the inputs", shownInputs(comparison, false));
    addTable(blocks, partTitle(comparison, true), partTable(comparison, false));
    addTable(blocks, "Layers with different types", layerDifferenceTable(comparison, false));
    addTable(blocks, "Shares of types", shareTable(comparison, false));
    addTable(blocks, "Jobs at different places", jobDifferenceTable(comparison, false));
    for (const std::string& note : comparison.notes) blocks.emplace_back(Paragraph{note, true});
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

/// The pictures that a report has of a result, with `first` alone that of its first page, else without it.
void addPictures(Blocks& blocks, const study::Result& result, const Catalogue& catalogue, bool first, bool others) {
    bool isFirst = true;
    for (const PictureRow& row : catalogue.pictures)
        for (const Selection& at : selectionsOf(row, result, catalogue)) {
            Picture picture = row.make({result, at, {}});
            if (isEmpty(picture)) continue;
            const bool wanted = std::exchange(isFirst, false) ? first : others;
            if (!wanted && !others) return;
            if (!wanted) continue;
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

void addOutcome(Blocks& blocks, const study::Result& result, const ReportOptions& options, bool hasPage) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    blocks.emplace_back(HeadlineText{study::headline(result)});
    for (const std::string& sentence : catalogue.sentences(result)) blocks.emplace_back(Paragraph{sentence});
    if (options.pictures) addPictures(blocks, result, catalogue, !hasPage, true);
    if (options.tables) addTables(blocks, result, catalogue);
}

/// `hasPage`: the first page of the report is of this run, and has its first picture.
void addRun(Blocks& blocks, const ReportRun& run, const std::string& title, const ReportOptions& options,
            bool hasPage) {
    const study::Result& result = *run.result;
    blocks.emplace_back(Heading{2, title});
    addOutcome(blocks, result, options, hasPage);
    if (options.assumptions) {
        addSentences(blocks, "Assumptions", result.assumptions);
        addSentences(blocks, "Warnings", result.warnings);
    }
    if (options.provenance) addProvenance(blocks, result);
}

std::string questionOf(const std::vector<ReportRun>& runs, const Compared& compared, const ReportOptions& options) {
    if (!options.question.empty()) return options.question;
    if (runs.size() > 1)
        return compared.kinds.comparisons.size() == 1 && compared.kinds.alone.empty()
                   ? fmt::format("Which of these {} runs is ahead, and by how much?", runs.size())
                   : fmt::format("What did these {} runs find?", runs.size());
    const std::string_view question = study::engineOf(*runs.front().result).question;
    return fmt::format(fmt::runtime(question.empty() ? "What came out of {}?" : question), compared.titles.front());
}

void addAnswers(Blocks& blocks, const std::vector<ReportRun>& runs, const Compared& compared) {
    if (runs.size() == 1) {
        blocks.emplace_back(HeadlineText{answerText(*runs.front().result)});
        return;
    }
    for (const study::Comparison& comparison : compared.kinds.comparisons)
        blocks.emplace_back(HeadlineText{comparison.finding});
    for (const std::size_t run : compared.kinds.alone)
        blocks.emplace_back(Paragraph{
            fmt::format("{} ({}): {}", study::letterOf(run), compared.titles[run], answerText(*runs[run].result))});
}

void addFirstPicture(Blocks& blocks, const std::vector<ReportRun>& runs, const Compared& compared) {
    if (runs.size() == 1)
        addPictures(blocks, *runs.front().result, catalogueOf(runs.front().result->study.engine), true, false);
    else if (!compared.kinds.comparisons.empty() && !compared.kinds.comparisons.front().deciding.empty())
        blocks.emplace_back(
            Picture{comparisonChart(compared.kinds.comparisons.front(), compared.kinds.comparisons.front().deciding)});
}

/// What a reader must know before relying on the answer.
std::vector<std::string> caveatsOf(const std::vector<ReportRun>& runs, const Compared& compared,
                                   const ReportOptions& options) {
    constexpr std::size_t kMostWarnings = 6;
    std::vector<std::string> all;
    for (const study::Comparison& comparison : compared.kinds.comparisons) {
        if (!comparison.unlike.empty())
            all.push_back(fmt::format("Times of whole steps are not comparable among {}: {}.",
                                      study::letterList(comparison.letters), comparison.unlike));
        all.insert(all.end(), comparison.warnings.begin(), comparison.warnings.end());
    }
    if (options.comparison && compared.kinds.comparisons.size() + compared.kinds.alone.size() > 1)
        all.emplace_back("Runs of different kinds have no numbers in common: each kind has pages of its own.");
    std::size_t warnings = 0, assumptions = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const study::Result& result = *runs[run].result;
        const std::string of = runs.size() == 1 ? "" : study::letterOf(run) + ": ";
        const study::Engine& engine = study::engineOf(result);
        if (engine.misfit != nullptr)
            if (const std::string misfit = engine.misfit(result); !misfit.empty()) all.push_back(of + misfit);
        for (const std::string& warning : result.warnings)
            if (warnings++ < kMostWarnings) all.push_back(of + warning);
        if (!engine.measures) assumptions += result.assumptions.size();
    }
    if (warnings > kMostWarnings)
        all.push_back(fmt::format("{} more warnings stand with the runs.", warnings - kMostWarnings));
    if (assumptions > 0)
        all.push_back(fmt::format("The numbers are computed by a model of time and not measured; they rest on {}{}.",
                                  formatCounted(assumptions, "assumption", "assumptions"),
                                  options.assumptions ? ", which stand with each run" : ""));
    return all;
}

/// The runs by their letters, with what each found.
Table runTable(const std::vector<ReportRun>& runs, const Compared& compared) {
    Table table;
    table.columns = {{""}, {"run"}, {"kind"}, {"result"}};
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const std::string headline = study::headline(*runs[run].result);
        constexpr std::string_view kParts = " · ";
        std::size_t end = headline.find(kParts);
        if (end != std::string::npos) end = headline.find(kParts, end + kParts.size());
        table.rows.push_back({study::letterOf(run), compared.titles[run],
                              std::string(study::engineOf(*runs[run].result).title), headline.substr(0, end)});
    }
    return table;
}

void addFirstPage(Blocks& blocks, const std::string& title, const std::vector<ReportRun>& runs,
                  const Compared& compared, const ReportOptions& options) {
    blocks.emplace_back(Heading{1, title});
    std::vector<std::string> made;
    for (const std::string& each : {options.date, options.author, std::string("Tessera ") + TESSERA_VERSION})
        if (!each.empty()) made.push_back(each);
    blocks.emplace_back(Paragraph{joined(made, " · "), true});
    blocks.emplace_back(Question{questionOf(runs, compared, options)});
    addAnswers(blocks, runs, compared);
    if (options.pictures) addFirstPicture(blocks, runs, compared);
    if (runs.size() > 1) addTable(blocks, "Runs", runTable(runs, compared));
    addSentences(blocks, "Caveats", caveatsOf(runs, compared, options));
    if (std::vector<AttachedFile> files = reportAttachments(runs, options); !files.empty()) {
        blocks.emplace_back(Heading{3, "Attached"});
        blocks.emplace_back(Attachments{std::move(files)});
    }
}

}  // namespace

std::vector<AttachedFile> reportAttachments(const std::vector<ReportRun>& runs, const ReportOptions& options) {
    std::vector<AttachedFile> files;
    if (!options.studies) return files;
    for (std::size_t run = 0; run < runs.size(); ++run)
        files.push_back({.name = fmt::format("study-{}.json", study::letterOf(run)),
                         .title = fmt::format("Study of {} ({})", study::letterOf(run), titleOf(runs[run])),
                         .bytes = tessera::toText(study::toJson(runs[run].result->study))});
    return files;
}

std::vector<Block> runBlocks(const ReportRun& run, const ReportOptions& options) {
    Blocks blocks;
    addRun(blocks, run, titleOf(run), options, false);
    return blocks;
}

std::vector<Block> reportBlocks(const std::string& title, const std::vector<ReportRun>& runs,
                                const ReportOptions& options) {
    if (runs.empty()) return {Heading{1, title}};
    const Compared compared = comparedOf(runs, options);
    Blocks blocks;
    addFirstPage(blocks, title, runs, compared, options);
    for (std::size_t i = 0; i < compared.kinds.comparisons.size(); ++i)
        addComparison(blocks, compared.kinds.comparisons[i], i == 0, options);
    for (std::size_t run = 0; run < runs.size(); ++run)
        addRun(blocks, runs[run],
               (runs.size() > 1 ? study::letterOf(run) + "  " : std::string()) + compared.titles[run], options,
               runs.size() == 1);
    return blocks;
}

}  // namespace tessera::report

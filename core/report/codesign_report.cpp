#include "core/report/codesign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/codesign_points.h"
#include "core/report/field_table.h"
#include "core/study/codesign/fields.h"
#include "core/study/codesign/metrics.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using study::CodesignOutcome;

constexpr std::size_t kMaxFrontRows = 12;

/// Points by name, with bandwidths and power where they are searched and known.
Table pointTable(const CodesignOutcome& outcome, const char* what,
                 const std::vector<std::pair<std::string, const codesign::Point*>>& named) {
    std::vector<study::DesignPoint> points;
    for (const auto& [name, point] : named) points.push_back({&outcome.result, point});
    Table table = tableOf(study::pointFields(), points, study::kText);
    table.columns.insert(table.columns.begin(), Table::Column{what});
    for (std::size_t i = 0; i < named.size(); ++i) table.rows[i].insert(table.rows[i].begin(), named[i].first);
    for (const study::BandwidthColumn& column : study::bandwidthColumns(outcome.result)) {
        table.columns.push_back({column.title, true});
        for (std::size_t i = 0; i < named.size(); ++i)
            table.rows[i].push_back(formatQuantity(column.of(*named[i].second), column.measure));
    }
    return table;
}

Table frontForPeople(const CodesignOutcome& outcome) {
    const std::vector<codesign::Point>& front = outcome.result.front;
    const std::size_t shown = std::min(front.size(), kMaxFrontRows);
    std::vector<std::pair<std::string, const codesign::Point*>> points;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t at = shown == 1 ? 0 : i * (front.size() - 1) / (shown - 1);
        points.emplace_back(fmt::format("{} of {}", at + 1, front.size()), &front[at]);
    }
    return pointTable(outcome, "front", points);
}

}  // namespace

Table acceleratorTable(const CodesignOutcome& outcome) {
    std::vector<std::pair<std::string, const codesign::Point*>> points;
    if (outcome.result.best) points.emplace_back("best", &*outcome.result.best);
    for (const codesign::Baseline& baseline : outcome.result.baselines)
        points.emplace_back(baseline.title, &baseline.point);
    return pointTable(outcome, "accelerator", points);
}

Table trainedModelTable(const CodesignOutcome& outcome) {
    return tableOf(study::modelFields(), study::trainedModels(outcome.result), study::kText);
}

Table batchTimeTable(const CodesignOutcome& outcome) {
    std::vector<study::TrainedModel> rows = study::trainedModels(outcome.result);
    std::erase_if(rows, [](const study::TrainedModel& row) { return !row.model->feasible; });
    return tableOf(study::modelFields(), rows, study::kParts);
}

Table frontTable(const CodesignOutcome& outcome) {
    std::vector<const codesign::Point*> points;
    for (const codesign::Point& point : outcome.result.front) points.push_back(&point);
    return exactPointTable(outcome.result, points);
}

std::vector<std::string> codesignSentences(const CodesignOutcome& outcome) {
    const codesign::Result& result = outcome.result;
    std::vector<std::string> sentences{fmt::format(
        "{} architectures within {:.5g} mm² make {} points; {} were evaluated and {} ruled out by bounds ({} search).",
        formatCount(result.architectures), result.areaBound.value, formatCount(result.points),
        formatCount(result.explored), formatCount(result.skippedByBound), codesign::nameOf(result.options.search))};
    if (result.options.estimator == "phaze")
        sentences.emplace_back(
            "The estimator 'phaze' gives vector operators all the bandwidth that they ask for: 'many vector cores' "
            "follows from that; compare with --estimator physical.");
    const bool whole = result.options.search == codesign::SearchKind::exhaustive && result.endedBy == EndedBy::done;
    if (result.best && whole && result.frontGap > 0)
        sentences.push_back(
            fmt::format("Smaller accelerators on the front: none of their area or less is more than {} better.",
                        study::percentText(result.frontGap)));
    if (result.best && whole && !result.optimal)
        sentences.push_back(fmt::format(
            "No point has a greater objective with the operator schedules that were found; those that were not proved "
            "optimal leave room for {}.",
            study::certaintyText(result)));
    return sentences;
}

std::string codesignText(const study::Result& result, const CodesignOutcome& outcome) {
    std::string text = study::codesignTitle(outcome) + "\n" + study::codesignHeadline(outcome) + "\n";
    for (const Table& table :
         {acceleratorTable(outcome), trainedModelTable(outcome), batchTimeTable(outcome), frontForPeople(outcome)})
        if (!table.rows.empty()) text += "\n" + toText(table);
    text += '\n';
    for (const std::string& sentence : codesignSentences(outcome)) text += sentence + "\n";
    for (const std::string& sentence : result.assumptions) text += sentence + "\n";
    return text;
}

}  // namespace tessera::report

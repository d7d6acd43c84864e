#include "core/report/codesign_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/codesign_points.h"
#include "core/study/codesign/metrics.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using codesign::ModelResult;
using study::CodesignOutcome;

constexpr std::size_t kMaxFrontRows = 12;

std::string whole(std::int64_t value) {
    return formatCount(static_cast<double>(value));
}

std::vector<std::string> pointRow(const CodesignOutcome& outcome, const std::string& name,
                                  const codesign::Point& point) {
    const hardware::Architecture& of = point.architecture;
    const codesign::Result& result = outcome.result;
    std::vector<std::string> row{name,
                                 whole(of.tensorCores),
                                 whole(of.vectorCores),
                                 fmt::format("{} × {}", of.width, of.height),
                                 hardware::bufferSize(of.globalBuffer),
                                 fmt::format("{:.4g} mm²", point.area.value),
                                 hardware::bufferSize(point.hbm)};
    const auto rate = [&](BytesPerSecond bandwidth) {
        row.push_back(formatQuantity(bandwidth.value, Measure::bytesPerSecond));
    };
    if (!result.space.hbmBandwidth.values.empty()) rate(hardware::ratesOf(of, result.space).hbmBandwidth);
    if (!result.space.networkBandwidth.values.empty()) rate(codesign::networkOf(of, result.options));
    row.push_back(point.objective > 0 ? study::objectiveText(outcome, point.objective) : "–");
    row.push_back(point.objective > 0 ? study::percentText(point.mfu) : "–");
    return row;
}

/// The columns of `pointRow`; bandwidths only where they are searched.
std::vector<Table::Column> pointColumns(const CodesignOutcome& outcome, const std::string& first) {
    std::vector<Table::Column> columns{{first},          {"tensor", true}, {"vector", true}, {"array", true},
                                       {"buffer", true}, {"area", true},   {"HBM", true}};
    if (!outcome.result.space.hbmBandwidth.values.empty()) columns.push_back({"HBM rate", true});
    if (!outcome.result.space.networkBandwidth.values.empty()) columns.push_back({"network", true});
    columns.push_back({"objective", true});
    columns.push_back({"MFU", true});
    return columns;
}

std::string timesOrNothing(const std::optional<double>& factor) {
    return factor ? study::timesText(*factor) : "–";
}

Table frontForPeople(const CodesignOutcome& outcome) {
    Table table;
    table.columns = pointColumns(outcome, "front");
    const std::vector<codesign::Point>& front = outcome.result.front;
    const std::size_t shown = std::min(front.size(), kMaxFrontRows);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t at = shown == 1 ? 0 : i * (front.size() - 1) / (shown - 1);
        table.rows.push_back(pointRow(outcome, fmt::format("{} of {}", at + 1, front.size()), front[at]));
    }
    return table;
}

}  // namespace

Table acceleratorTable(const CodesignOutcome& outcome) {
    Table table;
    table.columns = pointColumns(outcome, "accelerator");
    if (outcome.result.best) table.rows.push_back(pointRow(outcome, "best", *outcome.result.best));
    for (const codesign::Baseline& baseline : outcome.result.baselines)
        table.rows.push_back(pointRow(outcome, baseline.title, baseline.point));
    return table;
}

Table trainedModelTable(const CodesignOutcome& outcome) {
    Table table;
    table.columns = {{"model"},
                     {"samples/s", true},
                     {"stages", true},
                     {"replicas", true},
                     {"width", true},
                     {"micro-batch", true},
                     {"activations"},
                     {"HBM", true},
                     {"MFU", true},
                     {"over experts", true},
                     {"over our placement", true}};
    for (const ModelResult& model : outcome.result.perModel) {
        if (!model.feasible) {
            table.rows.push_back({escaped(model.model), "–", "–", "–", "–", "–", model.reason, "–", "–", "–", "–"});
            continue;
        }
        table.rows.push_back({escaped(model.model), study::rateText(model.throughput), whole(model.pipeline),
                              whole(model.data), whole(model.tensor), whole(model.choice.microBatch),
                              model.choice.recompute ? "computed again" : "kept", hardware::bufferSize(model.hbm),
                              study::percentText(model.mfu), timesOrNothing(model.speedupOverExpert),
                              timesOrNothing(model.speedupOverSolver)});
    }
    return table;
}

Table batchTimeTable(const CodesignOutcome& outcome) {
    Table table;
    table.columns = {{"time of a batch"}, {"whole", true},  {"compute", true},   {"slices", true},
                     {"transfers", true}, {"bubble", true}, {"gradients", true}, {"update", true}};
    const auto text = [](Seconds time) { return formatQuantity(time.value, Measure::seconds); };
    for (const ModelResult& model : outcome.result.perModel) {
        if (!model.feasible) continue;
        const codesign::TimeParts& time = model.time;
        table.rows.push_back({escaped(model.model), text(model.timePerBatch), text(time.compute),
                              text(time.tensorAllReduce), text(time.transfer), text(time.bubble),
                              text(time.gradientAllReduce), text(time.update)});
    }
    return table;
}

Table frontTable(const CodesignOutcome& outcome) {
    Table table;
    table.columns = {
        {"num_tc", true},   {"num_vc", true},    {"pe_x", true},      {"pe_y", true}, {"glb_bytes", true},
        {"area_mm2", true}, {"hbm_bytes", true}, {"objective", true}, {"mfu", true},  {"energy_j_per_sample", true}};
    for (const std::string& model : outcome.result.models)
        table.columns.push_back({model + " throughput_samples_per_s", true});
    const std::vector<PointColumn> searched = bandwidthColumns(outcome.result);
    for (const PointColumn& column : searched) table.columns.push_back({column.name, true});
    for (const codesign::Point& point : outcome.result.front) {
        const hardware::Architecture& of = point.architecture;
        std::vector<std::string>& row = table.rows.emplace_back();
        row = {std::to_string(of.tensorCores),    std::to_string(of.vectorCores),     std::to_string(of.width),
               std::to_string(of.height),         exactNumber(of.globalBuffer.value), exactNumber(point.area.value),
               exactNumber(point.hbm.value),      exactNumber(point.objective),       exactNumber(point.mfu),
               exactNumber(point.energyPerSample)};
        for (const double throughput : point.throughput) row.push_back(exactNumber(throughput));
        for (const PointColumn& column : searched) row.push_back(exactNumber(column.of(point)));
    }
    return table;
}

std::vector<std::string> codesignSentences(const CodesignOutcome& outcome) {
    const codesign::Result& result = outcome.result;
    std::vector<std::string> sentences{fmt::format(
        "{} architectures within {:.5g} mm² make {} points; {} were evaluated and {} ruled out by bounds ({} search).",
        whole(result.architectures), result.areaBound.value, whole(result.points), whole(result.explored),
        whole(result.skippedByBound), codesign::nameOf(result.options.search))};
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

#include "core/report/prediction_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/field_table.h"
#include "core/report/prediction_pictures.h"
#include "core/study/metric.h"
#include "core/study/prediction/fields.h"
#include "core/study/prediction/study.h"

namespace tessera::report {

namespace {

using predict::Prediction;
using study::PredictionOutcome;

constexpr std::string_view kNone = "–";

std::string bytes(double value) {
    return formatQuantity(value, Measure::bytes);
}

}  // namespace

Table predictionTable(const PredictionOutcome& outcome, study::FieldUse use) {
    return tableOf(study::predictionFields(), outcome.predictions, use);
}

Table exactOperatorTable(const PredictionOutcome& outcome, const Prediction& prediction) {
    return tableOf(study::operatorFields(), study::timedOperators(outcome, prediction), study::kExactTable);
}

Table stageTable(const PredictionOutcome& outcome) {
    std::vector<Prediction> rows;
    for (const Prediction& one : outcome.predictions)
        if (!one.infeasible) rows.push_back(one);
    return tableOf(study::predictionFields(), rows, study::kParts);
}

Table memoryTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"prediction"}, {"level"}, {"used", true}, {"of", true}};
    for (std::size_t c = 0; c < predict::kCategories; ++c)
        table.columns.push_back({std::string(titleOf(static_cast<predict::Category>(c))), true});
    for (const Prediction& one : outcome.predictions)
        for (const predict::LevelUse& level : one.memory.levels) {
            std::vector<std::string> row{study::nameOf(one), level.level, bytes(predict::sumOf(level.bytes)),
                                         level.capacity ? bytes(level.capacity->value) : "not known"};
            for (const double part : level.bytes) row.push_back(bytes(part));
            table.rows.push_back(std::move(row));
        }
    return table;
}

Table rankingTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"by"}, {"devices", true}, {"ranking, best first"}, {"probability that it is correct", true}};
    for (const predict::Ranking& row : outcome.ranking)
        table.rows.push_back({row.metric == study::kSamplesPerDollar ? "samples per dollar" : "throughput",
                              formatCount(row.devices),
                              study::orderText(study::tiedGroups(outcome, row.metric, row.devices)),
                              study::percentText(row.probability)});
    return table;
}

Table duelTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"by"}, {"devices", true}, {"ahead"}};
    std::vector<std::string> others;
    for (const PredictedAccelerator& each : acceleratorsOf(outcome)) {
        others.push_back(each.id);
        table.columns.push_back({"of " + each.id, true});
    }
    for (const predict::Ranking& row : outcome.ranking) {
        const study::Duels duels = study::duelsOf(outcome, row.metric, row.devices);
        const std::size_t count = duels.order.size();
        for (std::size_t i = 0; count > 1 && i < count; ++i) {
            std::vector<std::string>& cells = table.rows.emplace_back();
            cells = {row.metric == study::kSamplesPerDollar ? "samples per dollar" : "throughput",
                     formatCount(row.devices), duels.order[i]->accelerator};
            for (const std::string& other : others) {
                const auto at = std::find_if(duels.order.begin(), duels.order.end(),
                                             [&](const Prediction* one) { return one->accelerator == other; });
                const auto j = static_cast<std::size_t>(at - duels.order.begin());
                cells.push_back(j == count || j == i ? std::string(kNone)
                                                     : study::chanceText(duels.ahead[i * count + j]));
            }
        }
    }
    return table;
}

Table baselineTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"prediction"}, {"this prediction", true}};
    const auto text = [](const predict::Baseline& baseline) {
        return baseline.throughput ? study::uncertainText(*baseline.throughput) : std::string(kNone);
    };
    for (const Prediction& one : outcome.predictions) {
        if (one.infeasible) continue;
        if (table.columns.size() == 2)
            for (const predict::Baseline& baseline : one.baselines) table.columns.push_back({baseline.id, true});
        std::vector<std::string> row{study::nameOf(one), study::uncertainText(one.throughput)};
        for (const predict::Baseline& baseline : one.baselines) row.push_back(text(baseline));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table slowestTable(const PredictionOutcome& outcome) {
    Table table;
    table.columns = {{"operator"}, {"type"}, {"phase"}, {"time", true}, {"source"}};
    const Prediction* best = study::fastestPrediction(outcome);
    if (best == nullptr) return table;
    for (const predict::OperatorTime& op : best->operators.slowest)
        table.rows.push_back({op.name, op.type, std::string(model::nameOf(op.phase)), formatSeconds(op.time),
                              study::boundText(op.way, op.bound)});
    return table;
}

std::vector<std::string> infeasibleSentences(const PredictionOutcome& outcome) {
    std::vector<std::string> sentences;
    for (const Prediction& one : outcome.predictions)
        if (one.infeasible)
            sentences.push_back(fmt::format("{} does not fit: {}.", study::nameOf(one), *one.infeasible));
    return sentences;
}

std::string predictionText(const study::Result& result, const PredictionOutcome& outcome) {
    std::string text = study::predictionHeadline(outcome) + "\n\n";
    text += fmt::format("{}: {} parameters, {} per sample, computed in {}\n\n", escaped(outcome.model),
                        formatCount(outcome.parameters), formatQuantity(outcome.flopsPerSample, Measure::flops),
                        escaped(outcome.dtype));
    text += toText(predictionTable(outcome));
    for (const std::string& sentence : infeasibleSentences(outcome)) text += "\n" + escaped(sentence, 4096) + "\n";
    text += "\nRanking\n" + toText(rankingTable(outcome));
    if (const Table duels = duelTable(outcome); !duels.rows.empty())
        text += "\nProbability of being ahead\n" + toText(duels);
    text += "\nStages of a step\n" + toText(stageTable(outcome));
    text += "\nMemory of a device\n" + toText(memoryTable(outcome));
    text += "\nSamples/s by baseline predictors\n" + toText(baselineTable(outcome));
    if (const Prediction* best = study::fastestPrediction(outcome))
        text +=
            fmt::format("\nSlowest operators on {}\n", escaped(study::nameOf(*best))) + toText(slowestTable(outcome));
    if (!result.assumptions.empty()) text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + escaped(sentence, 1024) + "\n";
    return text;
}

}  // namespace tessera::report

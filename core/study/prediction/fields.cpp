#include "core/study/prediction/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/model/training.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

using Row = TimedOperator;

constexpr std::size_t kLongestCell = 40;

double allTime(const Row& row) {
    return row.op->time.value * static_cast<double>(row.op->count);
}

FieldValue ratioOf(double above, double below) {
    return below > 0 ? FieldValue(above / below) : FieldValue();
}

std::string intensityText(double value) {
    return formatCount(value) + " FLOP/B";
}

}  // namespace

const std::vector<Field<TimedOperator>>& operatorFields() {
    constexpr unsigned kSeen = kExactTable | kTable | kFacts;
    static const std::vector<Field<Row>> kFields{
        {.id = "operator",
         .title = "Operator",
         .uses = kExactTable | kTable | kWords,
         .get = [](const Row& row) { return given(row.op->name); },
         .help = "The first of the identical ones"},
        {"type", "Type", kExactTable | kTable | kWords, [](const Row& row) { return given(row.op->type); }},
        {"phase", "Pass", kExactTable | kTable | kWords,
         [](const Row& row) { return given(model::nameOf(row.op->phase)); }},
        {"class", "Class", kExactTable | kWords, [](const Row& row) { return given(model::nameOf(row.op->group)); }},
        {.id = "count",
         .title = "Count",
         .uses = kSeen | kSummed,
         .get = [](const Row& row) { return given(row.op->count); },
         .help = "Identical operators: repeated layers"},
        {"flops", "Operations", kExactTable | kWhat, [](const Row& row) { return given(row.op->flops); }, nullptr,
         Measure::flops},
        {"bytes", "Read and written", kExactTable | kWhat, [](const Row& row) { return given(row.op->bytes); }, nullptr,
         Measure::bytes},
        {"time_s", "Time of one", kExactTable | kFacts, [](const Row& row) { return given(row.op->time); }, nullptr,
         Measure::seconds},
        {.id = "time_of_all_s",
         .title = "Time",
         .uses = kSeen | kSummed,
         .get = [](const Row& row) { return FieldValue(allTime(row)); },
         .measure = Measure::seconds,
         .help = "Of all identical ones, in one step"},
        {.id = "share",
         .title = "Share",
         .uses = kSeen,
         .get = [](const Row& row) { return ratioOf(allTime(row), row.prediction->operators.time.value); },
         .help = "Of the computation of a step",
         .format = percentText},
        {.id = "intensity_flops_per_byte",
         .title = "Intensity",
         .uses = kExactTable | kTable | kWhat,
         .get = [](const Row& row) { return ratioOf(row.op->flops.value, row.op->bytes.value); },
         .help = "FLOP per byte that is read or written",
         .format = intensityText},
        {"rate_flops", "Rate", kExactTable | kTable | kWhat,
         [](const Row& row) {
             return row.op->flops.value > 0 ? ratioOf(row.op->flops.value, row.op->time.value) : FieldValue();
         },
         nullptr, Measure::flopsPerSecond},
        {"way", "Way", kExactTable | kWords, [](const Row& row) { return given(predict::kWayNames.of(row.op->way)); }},
        {"bound", "Bound", kExactTable | kWords, [](const Row& row) { return given(row.op->bound); }},
        {"source", "Source", kTable | kFacts | kWords,
         [](const Row& row) { return given(boundText(row.op->way, row.op->bound)); }},
    };
    return kFields;
}

std::string boundText(predict::Way way, const std::string& bound) {
    if (way == predict::Way::measured) return "measured kernel " + escaped(bound, kLongestCell);
    if (bound == predict::kJoined) return "in the kernel of the operator before it";
    return bound == "compute" ? "bound by computation" : "bound by " + escaped(bound, kLongestCell);
}

std::vector<TimedOperator> timedOperators(const PredictionOutcome& outcome, const predict::Prediction& prediction) {
    std::vector<TimedOperator> rows;
    for (const predict::AlikeOperators& op : operatorsOf(outcome, prediction)) rows.push_back({&prediction, &op});
    return rows;
}

}  // namespace tessera::study

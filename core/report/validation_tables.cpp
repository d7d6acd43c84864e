#include "core/report/validation_tables.h"

#include <fmt/format.h>

#include <optional>

#include "core/report/field_table.h"

namespace tessera::report {

namespace {

using study::given;

std::string measuredText(const JudgedRow& row) {
    return row.quantity == nullptr ? exactNumber(row.row->measured) : valueText(*row.quantity, row.row->measured);
}

/// A number of the estimate; nothing where the row is refused.
template <double physical::Estimate::*number>
study::FieldValue estimated(const JudgedRow& row) {
    const std::optional<physical::Estimate>& estimate = row.row->prediction.estimate;
    return estimate ? given((*estimate).*number) : study::FieldValue();
}

std::string predictedText(const JudgedRow& row) {
    const double value = row.row->prediction.estimate->value;
    return row.quantity == nullptr ? fmt::format("{:.5g}", value) : valueText(*row.quantity, value);
}

/// In a quantity also whether it lies above or below; nothing is said of a row that is refused.
std::string rowErrorText(const JudgedRow& row) {
    if (row.quantity == nullptr) return errorText(row.row->error);
    return row.row->prediction.estimate ? deviationText(*row.row) : "–";
}

study::FieldValue intervalOf(const JudgedRow& row) {
    const std::optional<physical::Estimate>& estimate = row.row->prediction.estimate;
    if (!estimate) return given(row.row->prediction.refused);
    const auto text = [&](double value) {
        return row.quantity == nullptr ? fmt::format("{:.4g}", value) : valueText(*row.quantity, value);
    };
    return given(fmt::format("{} to {}", text(estimate->low), text(estimate->high)));
}

}  // namespace

std::string errorText(double error) {
    return fmt::format("{:.{}f} %", error * 100, error < 0.1 ? 2 : error < 1 ? 1 : 0);
}

const std::vector<study::Field<NamedErrors>>& errorFields() {
    constexpr unsigned kTables = study::kText | study::kTable | study::kExactTable, kAll = kTables | study::kFacts;
    static const std::vector<study::Field<NamedErrors>> kFields{
        {"set", "Set", kTables | study::kWords, [](const NamedErrors& row) { return given(row.name); }},
        {.id = "rows",
         .title = "Rows",
         .uses = kAll,
         .get = [](const NamedErrors& row) { return given(row.errors->rows); },
         .help = "Measured numbers"},
        {.id = "predicted",
         .title = "Predicted",
         .uses = study::kTable | study::kExactTable,
         .get = [](const NamedErrors& row) { return given(row.errors->predicted); },
         .help = "Rows that have a prediction"},
        {.id = "refused",
         .title = "Refused",
         .uses = study::kText | study::kTable | study::kFacts,
         .get = [](const NamedErrors& row) { return given(row.errors->rows - row.errors->predicted); },
         .help = "Rows without one, each an error of 100 %"},
        {.id = "mean_error",
         .title = "Mean error",
         .uses = kAll,
         .get = [](const NamedErrors& row) { return given(row.errors->mean); },
         .help = "Of |predicted − measured| / measured; of shares, the difference",
         .format = errorText},
        {.id = "median_error",
         .title = "Median error",
         .uses = kAll,
         .get = [](const NamedErrors& row) { return given(row.errors->median); },
         .help = "Half of the rows have a smaller error",
         .format = errorText,
         .head = "Median"},
        {.id = "worst_error",
         .title = "Worst error",
         .uses = kAll,
         .get = [](const NamedErrors& row) { return given(row.errors->worst); },
         .help = "The largest error of a row",
         .format = errorText,
         .head = "Worst"},
        {.id = "spearman",
         .title = "Rank correlation",
         .uses = study::kText | study::kExactTable | study::kFacts,
         .get = [](const NamedErrors& row) { return given(row.errors->spearman); },
         .format = [](double value) { return fmt::format("{:.3f}", value); },
         .head = "Spearman"},
        {.id = "coverage",
         .title = "Inside the 90 % interval",
         .uses = kAll,
         .get = [](const NamedErrors& row) { return given(row.errors->coverage); },
         .help = "Share of the predicted rows whose 90 % interval holds the measured value",
         .format = errorText,
         .head = "Inside bar"},
        {.id = "best_peer_mean_error",
         .title = "Best peer",
         .uses = kTables,
         .get = [](const NamedErrors& row) { return given(physical::bestPeerOf(*row.errors)); },
         .help = "Lowest mean error of a published method",
         .format = errorText},
    };
    return kFields;
}

const std::vector<study::Field<JudgedRow>>& judgedRowFields() {
    constexpr unsigned kAll = study::kText | study::kTable | study::kExactTable;
    static const std::vector<study::Field<JudgedRow>> kFields{
        {"set", "Set", kAll | study::kWords, [](const JudgedRow& row) { return given(row.row->set); }},
        {"id", "Row", kAll | study::kWords, [](const JudgedRow& row) { return given(row.row->id); }},
        {"metric", "Metric", study::kText | study::kExactTable | study::kWords,
         [](const JudgedRow& row) { return given(row.row->metric); }},
        {.id = "measured",
         .title = "Measured",
         .uses = kAll,
         .get = [](const JudgedRow& row) { return given(row.row->measured); },
         .text = measuredText,
         .help = "As its source says"},
        {.id = "predicted",
         .title = "Predicted",
         .uses = kAll,
         .get = estimated<&physical::Estimate::value>,
         .text = predictedText,
         .help = "By what has not seen the row"},
        {.id = "error",
         .title = "Error",
         .uses = kAll,
         .get = [](const JudgedRow& row) { return given(row.row->error); },
         .text = rowErrorText,
         .help = "Above what was measured, or below it"},
        {"low", "From", study::kExactTable, estimated<&physical::Estimate::low>},
        {"high", "To", study::kExactTable, estimated<&physical::Estimate::high>},
        {.id = "interval",
         .title = "90 % interval, or why refused",
         .uses = study::kText | study::kTable | study::kWords,
         .get = intervalOf,
         .help = "Nine of ten measured values lie inside"},
        {.id = "measured_share_of_peak",
         .title = "Peak share",
         .uses = study::kTable | study::kExactTable,
         .get = [](const JudgedRow& row) { return given(row.row->measuredShare); },
         .help = "Share of the accelerators' peak that the measured value means; above 75 % it is doubted",
         .format = errorText},
        {"predicted_share_of_peak", "Predicted peak share", study::kExactTable,
         [](const JudgedRow& row) { return given(row.row->predictedShare); }},
        {"refused", "Why refused", study::kExactTable | study::kWords,
         [](const JudgedRow& row) { return given(row.row->prediction.refused); }},
    };
    return kFields;
}

namespace {

std::vector<NamedErrors> namedErrorsOf(const physical::Validation& validation, bool parts) {
    std::vector<NamedErrors> all;
    for (const physical::ValidationSet& set : validation.sets) {
        all.push_back({set.set, &set.errors});
        if (!parts || set.parts.size() < 2) continue;
        for (const physical::ValidationPart& part : set.parts) all.push_back({"  " + part.part, &part.errors});
    }
    return all;
}

}  // namespace

Table setTable(const physical::Validation& validation, bool parts) {
    return tableOf(errorFields(), namedErrorsOf(validation, parts), study::kText);
}

Table rowTable(const physical::Validation& validation) {
    std::vector<JudgedRow> all;
    for (const physical::ValidationRow& row : validation.rows) all.push_back({&row});
    return tableOf(judgedRowFields(), all, study::kText);
}

Table exactSetTable(const physical::Validation& validation) {
    return tableOf(errorFields(), namedErrorsOf(validation, false), study::kExactTable);
}

Table exactRowTable(const physical::Validation& validation, const std::vector<std::size_t>& rows) {
    std::vector<JudgedRow> all;
    for (const std::size_t i : rows) all.push_back({&validation.rows.at(i)});
    return tableOf(judgedRowFields(), all, study::kExactTable);
}

}  // namespace tessera::report

#include "core/physical/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/names.h"
#include "core/base/statistics.h"

namespace tessera::physical {

namespace {

using ValidationRows = std::vector<const ValidationRow*>;

/// Ranks from 0, equal values sharing the mean of theirs.
std::vector<double> ranksOf(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        end = first + 1;  // what is no number equals nothing, not even itself
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        for (std::size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    }
    return ranks;
}

/// An estimate that is no number is none.
void refuseWithoutNumber(Prediction& prediction) {
    if (!prediction.estimate) return;
    const auto& [value, low, high] = *prediction.estimate;
    if (!std::isfinite(value) || std::isnan(low) || std::isnan(high))
        prediction = {.refused = "the prediction is no finite number"};
}

std::optional<double> spearmanOfRows(const ValidationRows& rows) {
    std::vector<double> predicted, measured;
    for (const ValidationRow* row : rows) {
        if (!row->prediction.estimate) continue;
        predicted.push_back(row->prediction.estimate->value);
        measured.push_back(row->measured);
    }
    return spearmanOf(predicted, measured);
}

std::vector<PeerErrors> peersOf(const std::vector<PeerErrors>& peers, std::string_view set, std::string_view part) {
    std::vector<PeerErrors> found;
    for (const PeerErrors& peer : peers)
        if (peer.set == set && (part.empty() || peer.part == part)) found.push_back(peer);
    return found;
}

ErrorSummary errorSummaryWith(const ValidationRows& rows, std::vector<PeerErrors> peers) {
    ErrorSummary summary{.rows = rows.size(), .spearman = spearmanOfRows(rows), .peers = std::move(peers)};
    if (rows.empty()) return summary;
    std::vector<double> errors;
    std::size_t inside = 0;
    for (const ValidationRow* row : rows) {
        errors.push_back(row->error);
        if (!row->prediction.estimate) continue;
        ++summary.predicted;
        if (isInsideBar(*row)) ++inside;
    }
    summary.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    summary.median = medianOf(errors);
    summary.worst = *std::max_element(errors.begin(), errors.end());
    if (summary.predicted > 0) summary.coverage = static_cast<double>(inside) / static_cast<double>(summary.predicted);
    return summary;
}

/// The rows by the text that a member holds, in the order of their first ones.
std::vector<std::pair<std::string, ValidationRows>> groupedBy(const ValidationRows& rows,
                                                              std::string ValidationRow::*member) {
    std::vector<std::pair<std::string, ValidationRows>> groups;
    std::map<std::string_view, std::size_t> known;
    for (const ValidationRow* row : rows) {
        const auto [found, isNew] = known.emplace(row->*member, groups.size());
        if (isNew) groups.emplace_back(row->*member, ValidationRows{});
        groups[found->second].second.push_back(row);
    }
    return groups;
}

std::vector<std::pair<std::string, std::size_t>> refusalsOf(const ValidationRows& rows) {
    std::vector<std::pair<std::string, std::size_t>> refusals;
    std::map<std::string_view, std::size_t> known;
    for (const ValidationRow* row : rows) {
        if (row->prediction.estimate) continue;
        const auto [found, isNew] = known.emplace(row->prediction.refused, refusals.size());
        if (isNew) refusals.emplace_back(row->prediction.refused, 0);
        ++refusals[found->second].second;
    }
    return refusals;
}

ValidationSet validationSetOf(const std::string& name, const ValidationRows& rows,
                              const std::vector<PeerErrors>& peers) {
    ValidationSet set{
        .set = name, .errors = errorSummaryWith(rows, peersOf(peers, name, {})), .refusals = refusalsOf(rows)};
    for (const auto& [part, members] : groupedBy(rows, &ValidationRow::part))
        set.parts.push_back({part, errorSummaryWith(members, peersOf(peers, name, part))});
    return set;
}

const Predictor& knownPredictorOf(const MeasuredTable& table) {
    if (const Predictor* predictor = predictorOf(table)) return *predictor;
    std::vector<std::string> kinds;
    for (const Predictor& predictor : predictors())
        kinds.push_back(fmt::format("'{}' ({})", fmt::join(predictor.columns, ","), predictor.id));
    throw DataError({.file = table.file, .where = "header"}, fmt::format("'{}'", fmt::join(table.columns, ",")),
                    "the columns " + joined(kinds, " or "));
}

/// Names for several sets of one origin.
struct SetFamily {
    std::string_view name, set;
};
constexpr std::array<SetFamily, 2> kSetFamilies{
    {{"mlperf-llm", "mlperf-gpt3"}, {"mlperf-llm", "mlperf-llama"}}};  // large language models of MLPerf Training

/// The name of the family that a set belongs to; its own where it is of none.
std::string_view familyOf(std::string_view set) {
    const auto* found = std::find_if(kSetFamilies.begin(), kSetFamilies.end(),
                                     [&](const SetFamily& family) { return family.set == set; });
    return found == kSetFamilies.end() ? set : found->name;
}

bool isNamed(const std::vector<std::string>& names, std::string_view set, std::string_view predictor) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const auto& name) {
               return name == set || name == predictor || name == familyOf(set);
           });
}

/// Throws where a name is of no set and no predictor of the tables.
void checkSetNames(const std::vector<std::string>& names, const std::vector<const OpenTable*>& tables) {
    std::set<std::string> known;
    for (const OpenTable* table : tables) {
        known.insert(std::string(table->predictor->id));
        for (const ValidationRow& row : table->rows) {
            known.insert(row.set);
            known.insert(std::string(familyOf(row.set)));
        }
    }
    for (const std::string& name : names)
        if (!known.contains(name))
            throw UsageError(unknownNameText("there is no set", name, {known.begin(), known.end()}));
}

/// The tables with all their rows, and every name that is asked for known.
std::vector<OpenTable> wholeTables(const std::vector<JudgedTable>& tables, const std::vector<std::string>& sets) {
    std::vector<OpenTable> open;
    for (const JudgedTable& judged : tables) {
        const Predictor& predictor = knownPredictorOf(judged.table);
        open.push_back({&judged, &predictor, predictor.rowsOf(judged.table)});
    }
    std::vector<const OpenTable*> all, chosen;
    for (const OpenTable& table : open) {
        all.push_back(&table);
        if (!table.judged->sets.empty()) chosen.push_back(&table);
    }
    checkSetNames(sets, all);
    for (const OpenTable* table : chosen) checkSetNames(table->judged->sets, chosen);
    return open;
}

void keepNamed(OpenTable& table, const std::vector<std::string>& sets) {
    std::erase_if(table.rows, [&](const ValidationRow& row) {
        return !isNamed(sets, row.set, table.predictor->id) ||
               !isNamed(table.judged->sets, row.set, table.predictor->id);
    });
}

}  // namespace

double errorOf(const ValidationRow& row) {
    if (!row.prediction.estimate) return 1;
    const double difference = std::fabs(row.prediction.estimate->value - row.measured);
    return row.absolute ? difference : difference / row.measured;
}

bool isInsideBar(const ValidationRow& row) {
    const std::optional<Estimate>& estimate = row.prediction.estimate;
    return estimate && estimate->low <= row.measured && row.measured <= estimate->high;
}

ErrorSummary errorSummaryOf(const std::vector<const ValidationRow*>& rows) {
    return errorSummaryWith(rows, {});
}

std::optional<double> bestPeerOf(const ErrorSummary& errors) {
    std::optional<double> best;
    std::size_t partRows = 0;
    double partErrors = 0;
    for (const PeerErrors& peer : errors.peers) {
        if (peer.rows == errors.rows) best = std::min(best.value_or(peer.mean), peer.mean);
        if (peer.part.empty()) continue;
        partRows += peer.rows;
        partErrors += static_cast<double>(peer.rows) * peer.mean;
    }
    if (!best && partRows == errors.rows && partRows > 0) best = partErrors / static_cast<double>(partRows);
    return best;
}

std::optional<double> spearmanOf(const std::vector<double>& left, const std::vector<double>& right) {
    const std::vector<double> a = ranksOf(left), b = ranksOf(right);
    const double mean = (static_cast<double>(a.size()) - 1) / 2;
    double product = 0, squareA = 0, squareB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += (a[i] - mean) * (b[i] - mean);
        squareA += (a[i] - mean) * (a[i] - mean);
        squareB += (b[i] - mean) * (b[i] - mean);
    }
    if (squareA == 0 || squareB == 0) return std::nullopt;
    return product / std::sqrt(squareA * squareB);
}

std::vector<OpenTable> openTables(const std::vector<JudgedTable>& tables, const std::vector<std::string>& sets) {
    std::vector<OpenTable> open = wholeTables(tables, sets);
    for (OpenTable& table : open) keepNamed(table, sets);
    return open;
}

void predictTables(std::vector<OpenTable>& tables, const RunControl& control) {
    double done = 0, all = 0;
    for (const OpenTable& table : tables) all += static_cast<double>(table.rows.size());
    for (OpenTable& table : tables) {
        if (table.rows.empty()) continue;
        control.throwIfCancelled("the validation");
        control.reportProgress("predicting measured rows", done, all);
        table.predictor->predict(table.judged->table, table.rows, control);
        done += static_cast<double>(table.rows.size());
    }
}

Validation validate(const std::vector<JudgedTable>& tables, const std::vector<PeerErrors>& peers,
                    const std::vector<std::string>& sets, const RunControl& control, const PredictTables& predict) {
    Validation validation;
    std::vector<OpenTable> open = openTables(tables, sets);
    predict(open, control);
    for (OpenTable& table : open) {
        if (table.rows.empty()) continue;
        for (ValidationRow& row : table.rows) refuseWithoutNumber(row.prediction);
        for (ValidationRow& row : table.rows) {
            row.error = errorOf(row);
            row.file = validation.files.size();
        }
        validation.files.push_back(table.judged->table.file);
        validation.kinds.emplace_back(table.predictor->id);
        std::move(table.rows.begin(), table.rows.end(), std::back_inserter(validation.rows));
    }
    ValidationRows rows;
    for (const ValidationRow& row : validation.rows) rows.push_back(&row);
    for (const auto& [set, members] : groupedBy(rows, &ValidationRow::set))
        validation.sets.push_back(validationSetOf(set, members, peers));
    return validation;
}

}  // namespace tessera::physical

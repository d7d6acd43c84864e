#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/run_control.h"
#include "core/physical/estimate.h"
#include "core/physical/measured_table.h"

namespace tessera::physical {

/// A measured number and what is predicted for it by a model that has not seen it.
struct ValidationRow {
    std::string set = {};   ///< rows of one origin: "vtrain-multi", "kernels-a100", "collectives-h100", "schedules"
    std::string part = {};  ///< of the set: a kernel, an operation, a schedule, a metric
    std::string id = {};
    std::string metric = {};
    double measured = 0;  ///< SI units of the metric
    Prediction prediction = {};
    double error = 1;       ///< see `errorOf`
    std::size_t index = 0;  ///< the row of its table
    std::size_t file = 0;   ///< of its table: the place in `Validation::files`
    bool absolute = false;  ///< a share, whose error is the difference and not relative
    /// Shares of the peak of its accelerators that the measured and the predicted value mean (`impliedShareOfPeak`).
    std::optional<double> measuredShare = {}, predictedShare = {};
};

/// Returns |predicted - measured| / measured; the difference alone of a share; 1 of a row that is refused.
double errorOf(const ValidationRow& row);

/// Errors that somebody else reaches on the rows of a set, as `baselines.csv` has them.
struct PeerErrors {
    std::string set;
    std::string part;  ///< empty: the whole set
    std::string method;
    std::size_t rows = 0;
    double mean = 0;
    std::optional<double> median = {};
    std::optional<double> worst = {};
    std::string source;
};

/// The errors of some rows. A refused row counts as an error of 1 in mean, median and worst.
struct ErrorSummary {
    std::size_t rows = 0;
    std::size_t predicted = 0;
    double mean = 0;
    double median = 0;
    double worst = 0;
    std::optional<double> spearman = {};  ///< rank correlation of predicted and measured; none below 2 distinct values
    std::optional<double> coverage = {};  ///< share of the predicted rows whose truth lies inside the 90 % interval
    std::vector<PeerErrors> peers = {};
};

/// Returns the errors of some rows, beside no peer.
ErrorSummary errorSummaryOf(const std::vector<const ValidationRow*>& rows);

/// Returns the least mean error of a peer over all the rows, or of the one that has an error for every part of them;
/// nothing where no peer covers them.
std::optional<double> bestPeerOf(const ErrorSummary& errors);

/// Whether the 90 % interval of a predicted row holds the measured value; false of a refused row.
bool isInsideBar(const ValidationRow& row);

/// A part of a set by its name.
struct ValidationPart {
    std::string part;
    ErrorSummary errors;
};

/// The rows of one origin, over all their files.
struct ValidationSet {
    std::string set;
    ErrorSummary errors;
    std::vector<ValidationPart> parts = {};                          ///< in the order of their first rows
    std::vector<std::pair<std::string, std::size_t>> refusals = {};  ///< sentences, and for how many rows
};

/// Predictions beside measurements.
struct Validation {
    std::vector<ValidationSet> sets = {};  ///< in the order of their first rows
    std::vector<ValidationRow> rows = {};  ///< in the order of the tables
    std::vector<std::string> files = {};   ///< of the tables that have some of the rows
    std::vector<std::string> kinds = {};   ///< of these tables, by the ids of their predictors
};

/// A kind of table, and how its rows are predicted.
struct Predictor {
    std::string_view id;                    ///< a name for all sets of such tables: "kernels"
    std::vector<std::string_view> columns;  ///< by which a table of them is known
    std::string_view how;                   ///< what keeps a row from being judged by what it was fitted to
    /// The rows of a table, without predictions. Throws DataError for cells that mean nothing.
    std::vector<ValidationRow> (*rowsOf)(const MeasuredTable& table);
    /// Sets the predictions of some rows of the table. Throws InterruptedError.
    void (*predict)(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& control);
};

/// Returns what can be judged. A new kind of measurement is a row here.
const std::vector<Predictor>& predictors();
/// Adds a kind of table that a program of its own judges. Call it before anything reads `predictors`.
void addPredictor(const Predictor& predictor);
/// Returns the predictor of a table by its columns; null where it is none that anything here judges.
const Predictor* predictorOf(const MeasuredTable& table);

/// Returns the peers of a table with columns set, rows, method, mean_error, median_error, worst_error, source. A method
/// "gemm: ..." of a set of kernels is one of the part "gemm". Throws DataError.
std::vector<PeerErrors> readPeers(const MeasuredTable& table);

/// A table to be judged.
struct JudgedTable {
    MeasuredTable table;
    std::vector<std::string> sets = {};  ///< of sets or predictors, whose rows are taken; empty: all
};

/// A table with those of its rows that are to be predicted.
struct OpenTable {
    const JudgedTable* judged;
    const Predictor* predictor;
    std::vector<ValidationRow> rows;
};

/// The tables with their rows of those sets or predictors that `sets` names (empty: all). Throws DataError for tables
/// that no predictor knows and cells that mean nothing, UsageError where a set is named that the tables do not have.
std::vector<OpenTable> openTables(const std::vector<JudgedTable>& tables, const std::vector<std::string>& sets = {});

/// Sets the predictions of rows of tables, each row by itself: so that some of them may be predicted elsewhere. Throws
/// InterruptedError. Progress counts rows.
using PredictTables = std::function<void(std::vector<OpenTable>& tables, const RunControl& control)>;
void predictTables(std::vector<OpenTable>& tables, const RunControl& control);

/// Predicts the rows of the tables, see `openTables`, by `predict`, and sums up their errors beside those of the peers.
/// Throws what these throw.
Validation validate(const std::vector<JudgedTable>& tables, const std::vector<PeerErrors>& peers,
                    const std::vector<std::string>& sets = {}, const RunControl& control = {},
                    const PredictTables& predict = predictTables);

/// Returns Spearman's rank correlation, equal values sharing their mean rank; nothing below two distinct values on
/// either side.
std::optional<double> spearmanOf(const std::vector<double>& left, const std::vector<double>& right);

}  // namespace tessera::physical

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/physical/validation.h"
#include "core/ranks/conductor.h"
#include "core/ranks/worker.h"

/// Rows of measured tables as tasks that other processes predict, a block of them each.
namespace tessera::study {

/// The kind of such work.
inline constexpr const char* kRowsOfMeasuredTables = "rows of measured tables";

/// Rows of a table that follow each other, by number.
struct RowBlock {
    std::size_t table = 0, first = 0, rows = 0;
};
/// A block as a worker is asked for it.
std::string questionOf(const RowBlock& block);
/// Sets the predictions of a block's rows as a worker answered. Throws DataError.
void readRows(const std::string& answer, std::vector<physical::OpenTable>& tables, const RowBlock& block);

/// What other processes need to predict rows of those tables, of the sets that `sets` names (empty: all). Each takes
/// `threads` (0 = its cores).
std::shared_ptr<const ranks::Setup> sharedRows(const std::vector<physical::OpenTable>& tables,
                                               const std::vector<std::string>& sets, unsigned threads);
/// Predicts the rows of the tables here and in other processes.
physical::PredictTables sharedPredictions(std::shared_ptr<ranks::Conductor> others, std::vector<std::string> sets);
/// Predicts blocks of rows in another process. Throws DataError.
std::unique_ptr<ranks::TaskDoer> sharedRowsDoer(const std::string& setup);

}  // namespace tessera::study

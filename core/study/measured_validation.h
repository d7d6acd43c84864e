#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/physical/validation.h"
#include "core/study/result.h"

namespace tessera::ranks {
class Conductor;
}

namespace tessera::study {

/// Predictions beside measurements, and the files that they were read from.
struct MeasuredValidation {
    physical::Validation validation;
    std::vector<physical::MeasuredTable> tables;  ///< of `validation.files`, in their order
    std::vector<Input> inputs;  ///< whose rows were predicted; bundled ones as "measured/collectives.csv"
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings = {};  ///< values that no accelerator is believed to reach
    std::vector<std::string> leftOut = {};   ///< what of the files is no measurement that is known
};

/// Predicts the rows of measured tables. A name is a CSV file, a folder of them, or a set or kind of set of the bundled
/// tables, which lie in the folder `measured` of the data folders; no name = all bundled ones. `sets` keeps only the
/// rows of those sets. The peers of a table are those of `baselines.csv` beside it. Throws UsageError for an unknown
/// set and a folder without tables, FileError, DataError and InterruptedError. Where there are `others`, they predict
/// some of the rows.
MeasuredValidation validateMeasured(const std::vector<std::string>& names, const std::vector<std::string>& sets,
                                    const RunControl& control = {},
                                    const std::shared_ptr<ranks::Conductor>& others = {});

/// What the table says of a row: the names of its columns and their cells, of those columns that say something, without
/// those that name the row and its value.
std::vector<std::pair<std::string, std::string>> configurationOf(const MeasuredValidation& validation,
                                                                 const physical::ValidationRow& row);
/// The columns that the table has and the row leaves empty: what a prediction has to assume.
std::vector<std::string> unsaidOf(const MeasuredValidation& validation, const physical::ValidationRow& row);
/// The key of the source of a row, empty where the table says none, and the line of its file.
std::pair<std::string, std::int64_t> sourceOf(const MeasuredValidation& validation, const physical::ValidationRow& row);
/// What keeps a row from being judged by what it was fitted to, in a sentence.
std::string howJudged(const MeasuredValidation& validation, const physical::ValidationRow& row);

/// `tessera.validation/2`: the errors of every set, and every row; what a refused row or an unsaid number lacks is
/// null.
Json toJson(const MeasuredValidation& validation);

}  // namespace tessera::study

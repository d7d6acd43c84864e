#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/physical/validation.h"
#include "core/study/result.h"

namespace tessera::study {

/// Predictions beside measurements, and the files that they were read from.
struct MeasuredValidation {
    physical::Validation validation;
    std::vector<Input> inputs;  ///< whose rows were predicted; bundled ones as "measured/collectives.csv"
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings = {};  ///< values that no accelerator is believed to reach
};

/// Predicts the rows of measured tables. A name is a CSV file, a folder of them, or a set or kind of set of the bundled
/// tables, which lie in the folder `measured` of the data folders; no name = all bundled ones. `sets` keeps only the
/// rows of those sets. The peers of a table are those of `baselines.csv` beside it. Throws UsageError for an unknown
/// set and a folder without tables, FileError, DataError and InterruptedError.
MeasuredValidation validateMeasured(const std::vector<std::string>& names, const std::vector<std::string>& sets,
                                    const RunControl& control = {});

/// `tessera.validation/2`: the errors of every set, and every row; what a refused row or an unsaid number lacks is
/// null.
Json toJson(const MeasuredValidation& validation);

}  // namespace tessera::study

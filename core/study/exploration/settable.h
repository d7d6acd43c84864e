#pragma once

#include <string>
#include <vector>

#include "core/study/study.h"

/// What of a study can vary.
namespace tessera::study {

/// Something that a variable can set.
struct Settable {
    std::string kind;  ///< "parameter", "input", "dimension", "field"
    std::string name;
    std::string now;  ///< its value, as a person reads it
    std::string takes, unit, help;
    std::string title = {};  ///< of a field

    /// As a line of text names it: see variable_text.h.
    std::string nameInLine() const;
};

/// All of a study; `choices` are it and those that differ from it in what varies already. Reads hardware as this
/// thread's InputFiles say. Throws UsageError, DataError, FileError.
std::vector<Settable> settablesOf(const std::vector<Study>& choices);

/// Beginnings of lines for the variables of an exploration: "pes=".
std::vector<std::string> offeredVariables(const Study& exploration);
/// Metrics of the explored study by which results are known and compared.
std::vector<std::string> offeredMetrics(const Study& exploration);

}  // namespace tessera::study

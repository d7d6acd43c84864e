#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/draw/table.h"
#include "core/physical/validation.h"
#include "core/report/validation_pictures.h"
#include "core/study/field.h"

/// Predictions beside measurements as tables, of the command line, of the window and of spreadsheets.
namespace tessera::report {

/// Returns an error or a share with three digits or so: "7.08 %", "92.1 %", "277 %".
std::string errorText(double error);

/// The errors of a set, or of a part of one, under its name. Refers to what the errors belong to.
struct NamedErrors {
    std::string name;
    const physical::ErrorSummary* errors;
};
const std::vector<study::Field<NamedErrors>>& errorFields();

/// A measured row beside its prediction. Refers to both.
struct JudgedRow {
    const physical::ValidationRow* row;
    const ValidationQuantity* quantity = nullptr;  ///< in which its values are said; null = in SI units
};
const std::vector<study::Field<JudgedRow>>& judgedRowFields();

/// Returns a line for each set and, with `parts`, for each part of those that have several.
Table setTable(const physical::Validation& validation, bool parts);
/// Returns a line for each row, in SI units.
Table rowTable(const physical::Validation& validation);
/// The same in full precision, of all sets and of some rows (indices in `validation.rows`).
Table exactSetTable(const physical::Validation& validation);
Table exactRowTable(const physical::Validation& validation, const std::vector<std::size_t>& rows);

}  // namespace tessera::report

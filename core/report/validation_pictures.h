#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/draw/picture.h"
#include "core/physical/validation.h"

/// Predictions beside measurements as a picture.
namespace tessera::report {

/// Rows of one unit, which share a picture.
struct ValidationQuantity {
    std::string id;     ///< "step", "kernels"
    std::string title;  ///< "Step time"
    Measure measure = Measure::count;
    std::string unit = {};  ///< of a count: "samples/s"
    double scale = 1;       ///< by which values are shown: 100 for shares
};

/// The quantities that some rows of the validation have, in the order of a fixed table; what that does not know is one
/// by its metric.
std::vector<ValidationQuantity> quantitiesOf(const physical::Validation& validation);
/// The id of the quantity of a row.
std::string quantityOf(const physical::Validation& validation, const physical::ValidationRow& row);

/// "3.57 s", "2,470 samples/s": a value of the quantity, to 3 or 4 digits.
std::string valueText(const ValidationQuantity& quantity, double value);
/// "+12 %": how far a prediction lies from what was measured; in points of a share; empty where it is refused.
std::string deviationText(const physical::ValidationRow& row);

/// Predicted over measured, on logarithmic axes, with the line where they are equal and a band of 20 % around it.
struct ValidationPicture {
    Chart chart;
    /// Index of the row in `Validation::rows` by series and point; empty for the band and the line.
    std::vector<std::vector<std::size_t>> rows;
    std::size_t shown = 0;     ///< points
    std::size_t drawable = 0;  ///< rows that have a prediction and a place on the axes
};

/// The picture of some rows (indices in `validation.rows`) of one quantity. Of very many, those that lie next to each
/// other are thinned out, the same ones every time; `kept` (an index likewise) stays. Sets have a colour each; beyond
/// seven the smaller ones share one.
ValidationPicture validationPicture(const physical::Validation& validation, const ValidationQuantity& quantity,
                                    const std::vector<std::size_t>& rows, std::optional<std::size_t> kept = {});

}  // namespace tessera::report

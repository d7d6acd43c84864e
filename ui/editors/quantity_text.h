#pragma once

#include <QString>
#include <optional>

#include "core/base/units.h"

namespace tessera::ui {

/// Valid range of a number.
struct QuantityRange {
    double min = 0;
    double max = 1e30;
    bool minExcluded = false;  ///< above `min`, not equal to it
    bool whole = false;
};

/// Quantity that a user typed: a value, or the reason why it is none.
struct QuantityReading {
    std::optional<double> value;
    QString problem;  ///< a sentence; empty where there is a value
};

/// The shortest text with a prefix and unit that reads back as exactly `value`: "16 GB/s", "32 KiB", "5.248 Tb/s".
QString exactQuantity(double value, Measure measure);

/// Reads "16 GB/s", "180 TFLOPS", "32 KiB", and checks the range.
QuantityReading readQuantity(const QString& text, Measure measure, const QuantityRange& range);

/// An example for the measure, to be named in reasons and shown in empty fields: "16 GB/s".
QString exampleOf(Measure measure);

/// The text with its number moved by `steps` steps of its second digit, the unit kept: "180 TFLOP/s" becomes
/// "190 TFLOP/s". Whole numbers without a unit move by one. Empty where the text is no quantity or would leave the
/// range.
QString steppedQuantity(const QString& text, int steps, Measure measure, const QuantityRange& range);

}  // namespace tessera::ui

#pragma once

#include <QString>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/units.h"

namespace tessera::ui {

/// The values of a parameter that a search tries, as a person writes them on one line: "1 to 4096, ×2",
/// "8 MiB to 64 MiB, +8 MiB", or a list, "32 GiB, 64 GiB, 80 GiB".
struct RangeReading {
    Json value;       ///< a list, or from, to and step; the text itself where it is neither
    QString problem;  ///< a sentence; empty where it can be read
    int count = 0;    ///< how many values it has
};

/// Numbers that stood in `before`, too, keep what is said about them; others are the user's own.
RangeReading readRangeText(const QString& text, Measure measure, const Json& before);
QString rangeText(const Json& range, Measure measure);

/// The number that tells most about where a range comes from: the first of the user's own, else the first; with what is
/// said about it; null where there is none.
Json provenanceOfRange(const Json& range);
/// The range with another provenance of all its numbers.
Json rangeWithProvenance(Json range, const QString& source, const QString& reliability);

}  // namespace tessera::ui

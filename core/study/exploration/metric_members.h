#pragma once

#include "core/study/exploration/outcome.h"
#include "core/study/members.h"

/// How metrics of explorations stand in documents.
namespace tessera::study {

inline constexpr auto kExploredMetric = [](auto& doc, auto& metric) {
    doc({"id", "Name of the metric."}, metric.id);
    doc({"title", "For people."}, metric.title);
    doc({"measure", "What it measures; in its base unit."}, metric.measure, kMeasureNames);
    doc({"better", "Which way is better."}, metric.better, kBetterNames);
    doc.unlessEmpty({"uncertain", "Carries an error of some per cent."}, metric.uncertain);
};

}  // namespace tessera::study

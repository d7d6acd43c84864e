#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/metric.h"
#include "core/study/result.h"

/// The numbers of a co-design that people compare.
namespace tessera::study {

/// See metricsOf: the best accelerator's, then those of each model on it.
std::vector<Metric> codesignMetrics(const CodesignOutcome& outcome);

/// How a number of a co-design is said, by the last part of its metric's name; empty where that is none of its own.
std::optional<std::string> codesignMetricText(std::string_view name, double value);

/// "2.92× TPUv4", "12,345 samples/s": a value of the objective.
std::string objectiveText(const CodesignOutcome& outcome, double value);
/// "proven optimal", "at most 4.1 % below the bound", "best found (not proven)".
std::string certaintyText(const codesign::Result& result);

}  // namespace tessera::study

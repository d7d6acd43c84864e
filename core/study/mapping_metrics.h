#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/metric.h"
#include "core/study/result.h"

/// The numbers of a mapping that people compare.
namespace tessera::study {

/// See metricsOf: the best run's, then those of each algorithm.
std::vector<Metric> mappingMetrics(const MappingOutcome& outcome);

/// How a number of a mapping is said, by the last part of its metric's name; empty where that is none of mapping's own.
std::optional<std::string> mappingMetricText(std::string_view name, double value);

/// On how much of the table the variants of the cost model differ, as a sentence; empty where they do not, or where
/// there is no cost model.
std::string variantsSentence(const MappingOutcome& outcome);

}  // namespace tessera::study

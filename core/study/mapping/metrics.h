#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/explanation.h"
#include "core/study/mapping/outcome.h"
#include "core/study/metric.h"

/// The numbers of a mapping that people compare.
namespace tessera::study {

struct Comparison;

/// See metricsOf: the best run's, then those of each algorithm.
std::vector<Metric> mappingMetrics(const MappingOutcome& outcome);

/// Formats a metric's value by the last part of its name; empty for another engine's.
std::optional<std::string> mappingMetricText(std::string_view name, double value);

/// See `explain`: every metric of a mapping, of the best run and of each algorithm, and the numbers of jobs.
std::optional<Explanation> explainMapping(const Result& result, const MappingOutcome& outcome, const std::string& path);

/// "mix on S2", or the name of the table of jobs.
std::string mappingTitle(const MappingOutcome& outcome);
/// "1.9 TFLOP/s · 9.5 ms makespan · optimality gap ≤ 0.9 % · tessera".
std::string mappingHeadline(const MappingOutcome& outcome);
/// "proven optimal after 12 samples", "optimality gap ≤ 0.9 %".
std::string certaintyText(const mapping::Run& run);
/// "9.5 ms" with a clock, else "1,899,000 cycles".
std::string cyclesText(const mapping::Problem& problem, double cycles);
/// Sentence on how much of the table the variants of the cost model differ; empty where they do not, or where
/// there is no cost model.
std::string variantsSentence(const MappingOutcome& outcome);

/// See Engine::addToComparison: adds the best mapping's jobs of every run, by name; of equal names the first stands
/// beside the first.
void addMappingsToComparison(Comparison& comparison, const std::vector<const Result*>& results);

}  // namespace tessera::study

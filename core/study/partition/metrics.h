#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/metric.h"
#include "core/study/partition/outcome.h"

/// The numbers of a partition that people compare.
namespace tessera::study {

struct Comparison;

/// See metricsOf: the fastest plan's, then those of each strategy.
std::vector<Metric> partitionMetrics(const PartitionOutcome& outcome);
/// Formats a metric's value by the last part of its name; empty for another engine's.
std::optional<std::string> partitionMetricText(std::string_view name, double value);

/// "6.31× over data parallelism · 36.2 ms/step on 128 v3, v2 idle · proven optimal · accpar · all 256: 50 ms/step,
/// optimality gap ≤ 7 % if all take part · at 100 % of peak".
std::string partitionHeadline(const PartitionOutcome& outcome);
std::string certaintyText(const partition::Plan& plan);
/// The groups that take no part in a partition, those that do ("128 v3 + 4 v4"), and what the whole fleet would take
/// instead ("all 256: 50 ms/step, …"), which is empty where it takes part.
std::string idleText(const std::vector<std::string>& idle);
std::string placeText(const partition::Plan& plan);
std::string wholeFleetText(const PartitionOutcome& outcome, const partition::Plan& plan);
/// "at 100 % of peak" where a plan's times rest on peak rates without an efficiency below 1; "a100 at 100 % of peak"
/// where those of some groups do; empty where none do.
std::string peakText(const PartitionOutcome& outcome, const partition::Plan& plan);

/// See Engine::addToComparison: adds the types of layers at splits that runs have in common, and the shares of types.
void addPartitionsToComparison(Comparison& comparison, const std::vector<const Result*>& results);

}  // namespace tessera::study

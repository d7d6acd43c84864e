#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/codesign/outcome.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"

/// The numbers of a co-design that people compare.
namespace tessera::study {

/// See metricsOf: the best accelerator's, then those of each model on it.
std::vector<Metric> codesignMetrics(const CodesignOutcome& outcome);

/// Formats a metric's value by the last part of its name; empty for another engine's.
std::optional<std::string> codesignMetricText(std::string_view name, double value);
/// See `explain`.
std::optional<Explanation> explainCodesign(const Result& result, const CodesignOutcome& outcome,
                                           const std::string& path);

/// "bert-large, gpt2-xl on PHAZE".
std::string codesignTitle(const CodesignOutcome& outcome);
/// "2.92× TPUv4 · 8tc-32vc-256x128-4MiB · 219 mm² · proven optimal".
std::string codesignHeadline(const CodesignOutcome& outcome);
/// "2.92× TPUv4", "12,345 samples/s": a value of the objective.
std::string objectiveText(const codesign::Result& result, double value);
/// "proven optimal", "at most 4.1 % below the bound", "best found (not proven)".
std::string certaintyText(const codesign::Result& result);

}  // namespace tessera::study

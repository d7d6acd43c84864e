#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// One-line result of a run of any engine, for lists of runs: its key number, and its optimality gap.
namespace tessera::study {

/// The metrics that `keyResult` and `gapText` read, of all engines.
const std::vector<std::string>& keyMetrics();

/// "2,944 samples/s", "1.9 TFLOP/s", "3.31× TPUv4", from a run's metrics by name; of what has no metric that says it
/// all, from the first part of its headline. Empty where nothing is known.
std::string keyResult(std::string_view engine, const std::map<std::string, double>& metrics, std::string_view headline);

/// "≤ 7 %": the optimality gap; "proven" where there is none left; empty where nothing bounds the result.
std::string gapText(std::string_view engine, const std::map<std::string, double>& metrics);

}  // namespace tessera::study

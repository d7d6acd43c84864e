#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/study/result.h"

namespace tessera::study {

/// A number of a result that history sorts by, comparisons list, and "explain this number" can be asked about.
struct Metric {
    /// Path, unique within a result: "step_time_s" (of the best plan), "accpar/step_time_s". The unit is the suffix.
    std::string name;
    std::string title;  ///< "Step time"
    std::string owner;  ///< the strategy it belongs to; empty = the run's best
    double value = 0;
    Measure measure = Measure::count;
    enum class Better { lower, higher, neither } better = Better::neither;
    bool operator==(const Metric&) const = default;
};

/// The metrics of a result: first the run's own (its best plan's), then those of each strategy, in table order.
std::vector<Metric> metricsOf(const Result& result);

/// "6.31× over DP · 36.2 ms/step · proven optimal · accpar": one line on what came out.
std::string headline(const Result& result);
std::string headline(const PartitionOutcome& outcome);
/// "1.9 TFLOP/s · 9.5 ms makespan · at most 0.9 % above the bound · tessera".
std::string headline(const MappingOutcome& outcome);
/// "2,310 samples/s on gaudi2 · batch 64 · order of 5 sure to 43 %".
std::string headline(const PredictionOutcome& outcome);

/// "2.92× TPUv4 · 8tc-32vc-256x128-4MiB · 219 mm² · proven optimal".
std::string headline(const CodesignOutcome& outcome);

/// "36.2 ms", "6.31×", "7.2 %", by the metric's measure and name.
std::string textOf(const Metric& metric);

/// How people read a factor ("6.31×"), a share ("7.2 %"), a rate per second ("14,144") and what is known about a plan's
/// distance from the optimum ("proven optimal", "at most 2.1 % above the bound").
std::string timesText(double factor);
std::string percentText(double share);
std::string rateText(double perSecond);
std::string certaintyText(const partition::Plan& plan);
/// "proven optimal after 12 samples", "at most 0.9 % above the bound".
std::string certaintyText(const mapping::Run& run);
/// "9.5 ms" with a clock, else "1,899,000 cycles".
std::string cyclesText(const mapping::Problem& problem, double cycles);

}  // namespace tessera::study

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
    bool uncertain = false;  ///< carries an error of some per cent: is said with three digits
    bool operator==(const Metric&) const = default;
};

/// The metrics of a result: first the run's own (its best plan's), then those of each strategy, in table order.
std::vector<Metric> metricsOf(const Result& result);

/// "6.31× over data parallelism · 36.2 ms/step on 128 v3, v2 idle · proven optimal · accpar · all 256: 50 ms/step,
/// optimality gap ≤ 7 % if all take part · at 100 % of peak": one line on what came out.
std::string headline(const Result& result);
std::string headline(const PartitionOutcome& outcome);
/// "1.9 TFLOP/s · 9.5 ms makespan · optimality gap ≤ 0.9 % · tessera".
std::string headline(const MappingOutcome& outcome);
/// "2,310 samples/s (1,020 to 5,250) on gaudi2 · batch 64 · probability that this ranking of 5 is correct: 43 %"; where
/// the fastest cannot be told: "cs2 or bow: too close to call · 100,000 samples/s (…".
std::string headline(const PredictionOutcome& outcome);

/// "2.92× TPUv4 · 8tc-32vc-256x128-4MiB · 219 mm² · proven optimal".
std::string headline(const CodesignOutcome& outcome);

/// "36.2 ms", "6.31×", "7.2 %", by the metric's measure and name.
std::string textOf(const Metric& metric);

/// How people read a factor ("6.31×"), a share ("7.2 %"), a rate per second with four significant digits ("14,140") and
/// what is known about a plan's distance from the optimum ("proven optimal", "optimality gap ≤ 2.1 %").
std::string timesText(double factor);
std::string percentText(double share);
std::string rateText(double perSecond);
/// A rate or an amount that carries an error of some per cent, with three significant digits: "100,000", "4.57".
std::string uncertainText(double value);
/// A share of work: "0.2500"; a side that takes part never reads as 0: "2e-05".
std::string ratioText(double ratio);
std::string certaintyText(const partition::Plan& plan);
/// "proven optimal", "optimality gap ≤ 2.1 %", "2.5× the bound"; "no bound" where it is 0.
std::string gapText(double value, double lowerBound);
/// The groups that take no part in a partition, those that do ("128 v3 + 4 v4"), and what the whole fleet would take
/// instead ("all 256: 50 ms/step, …"), which is empty where it takes part.
std::string idleText(const std::vector<std::string>& idle);
std::string placeText(const partition::Plan& plan);
std::string wholeFleetText(const PartitionOutcome& outcome, const partition::Plan& plan);
/// "at 100 % of peak" where a plan's times rest on peak rates without an efficiency below 1; "a100 at 100 % of peak"
/// where those of some groups do; empty where none do.
std::string peakText(const PartitionOutcome& outcome, const partition::Plan& plan);
/// "proven optimal after 12 samples", "optimality gap ≤ 0.9 %".
std::string certaintyText(const mapping::Run& run);
/// "9.5 ms" with a clock, else "1,899,000 cycles".
std::string cyclesText(const mapping::Problem& problem, double cycles);

}  // namespace tessera::study

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/study/result.h"

namespace tessera::study {

/// A number of a result that history sorts by, comparisons list, and "explain this number" explains.
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
/// Metrics by which runs of several engines are compared.
inline constexpr std::string_view kSampleRate = "throughput_samples_per_s", kTokenRate = "tokens_per_s",
                                  kSamplesPerDollar = "samples_per_usd";
inline constexpr EnumNames<Metric::Better> kBetterNames{"lower", "higher", "neither"};

/// The metrics of a result: first the run's own (its best plan's), then those of each strategy, in table order.
std::vector<Metric> metricsOf(const Result& result);

/// "6.31× over data parallelism · 36.2 ms/step · proven optimal · accpar": one line on what came out, the number that
/// counts first.
std::string headline(const Result& result);

/// "36.2 ms", "6.31×", "7.2 %", by the metric's measure and name.
std::string textOf(const Metric& metric);

/// Formats a factor ("6.31×"), a share ("7.2 %"), a rate per second with four significant digits ("14,140").
std::string timesText(double factor);
std::string percentText(double share);
std::string rateText(double perSecond);
/// A rate or an amount that carries an error of some per cent, with three significant digits: "100,000", "4.57".
std::string uncertainText(double value);
/// Formats a throughput: "14,140 samples/s"; and one that carries an error: "14,100 samples/s".
std::string samplesText(double perSecond);
std::string uncertainSamplesText(double perSecond);
/// Formats US dollars: a price that is known ("$3.901"), and one that is predicted ("$3.9", "$237,000").
std::string dollarsText(double amount);
std::string uncertainDollarsText(double amount);
/// A share of work: "0.2500"; a side that takes part never reads as 0: "2e-05".
std::string ratioText(double ratio);
/// Formats an optimality gap: "proven optimal", "optimality gap ≤ 2.1 %", "2.5× the bound"; "no bound" where the bound
/// is 0.
std::string gapText(double value, double lowerBound);

}  // namespace tessera::study

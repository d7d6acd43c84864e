#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/run_control.h"
#include "core/predict/kernels.h"

/// Timing of kernels: repetitions, discarded ones, two passes that are compared, and a time budget.
namespace tessera::calibrate {

/// Subject of RunControl's error when a calibration is stopped.
inline constexpr std::string_view kCalibration = "the calibration";

/// One kernel in one shape, as prediction looks it up (`predict::KernelShape` at one batch size).
struct Request {
    std::string kernel;
    std::string dtype = "fp32";
    predict::KernelTable::Sizes sizes;
    bool operator==(const Request&) const = default;
};
/// "64x56x56".
std::string shapeText(const predict::KernelTable::Sizes& sizes);

/// Statistics of the repetitions of one kernel.
struct Timing {
    double seconds = 0;       ///< their median, outliers left out
    double spread = 0;        ///< half of the range between the quartiles, as a share of the median
    std::size_t kept = 0;     ///< repetitions
    std::size_t dropped = 0;  ///< outliers
};
/// Outliers lie further above the median than 5 scaled median absolute deviations (Rousseeuw, Croux, "Alternatives to
/// the median absolute deviation", J. Am. Stat. Assoc. 88, 1993) and 10 % of it: time can only be lost to something
/// else, never gained.
Timing summarise(std::vector<double> seconds);

struct Measured {
    Request request;
    std::vector<Timing> passes;  ///< one or two
    double seconds() const;      ///< the mean of the passes' medians
    double spread() const;       ///< the largest
};

/// Agreement of two passes: true if the median of their relative differences is at most 10 % and the rank correlation
/// (Spearman) at least 0.9.
struct Agreement {
    std::size_t compared = 0;
    double difference = 0;
    double rank = 1;
    bool noisy = false;
    std::string sentence;  ///< for people
};
Agreement agreementOf(const std::vector<Measured>& measured);

/// Runs one kernel once.
using Kernel = std::function<void()>;

/// Clock and kernels, replaceable in tests.
struct Tools {
    std::function<double()> now;                    ///< seconds, never falling
    std::function<Kernel(const Request&)> prepare;  ///< empty where the kernel or shape is not known
};

struct Outcome {
    std::vector<Measured> measured;  ///< in the order of the requests
    std::vector<Request> unknown;    ///< that there is no kernel for
    std::vector<Request> outOfTime;  ///< that the budget did not reach
    std::size_t repetitions = 0;
    std::size_t dropped = 0;
};

/// Times every request in two passes in the given seconds: each kernel gets an equal share of what is left, at least 3
/// repetitions and at most 25, in front of which it runs once untimed (which counts where it takes longer than the
/// share). Requests stand in order of importance: those
/// that a used-up budget leaves out are the last. Throws InterruptedError on a stop request, which is looked at between
/// repetitions.
Outcome measureTwice(const std::vector<Request>& requests, const Tools& tools, double seconds,
                     const RunControl& control);

}  // namespace tessera::calibrate

#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/calibrate/measuring.h"
#include "core/hardware/accelerator.h"

/// Turns this machine into an accelerator of the library: measures rates, bandwidths, kernels and sums between
/// processes, each with the date, the processor, the version of oneDNN and the threads that it was measured with.
namespace tessera::calibrate {

struct Options {
    bool quick = false;             ///< a coarser grid, at most 30 s instead of 180
    std::optional<double> seconds;  ///< at most so long in all, within a second or one kernel; the default by `quick`
    unsigned threads = 0;           ///< of one process, which is one device; 0 = all cores
    std::vector<std::string> dtypes{};  ///< of all kernels: "fp32", "bf16"; none = fp32, and bf16 where the processor
                                        ///< has instructions for it
    std::vector<Request> kernels{};     ///< measured before the standard grid: the operators of a model
    bool grid = true;                   ///< the standard grid, too
    std::string name = "this machine";
};

inline constexpr double kSeconds = 180;
inline constexpr double kQuickSeconds = 30;

/// What was measured, ready to be written.
struct Calibration {
    hardware::Accelerator accelerator;  ///< without `kernels`, which `write` sets
    Outcome kernels;
    Agreement agreement;
    std::string measuredBy;             ///< "measured by tessera calibrate on …": the source of every number
    double seconds = 0;                 ///< how long it took
    std::vector<std::string> warnings;  ///< sentences: noise, what could not be measured, what the time did not allow
};

/// Measures this machine. Progress tells stages and kernels; a stop request is answered between repetitions, each of
/// which is one run of one kernel. Meant for a thread of its own: it sets the threads of OpenMP of the calling thread.
/// Throws InterruptedError.
Calibration calibrate(const Options& options, const ProgressSink& progress, const std::stop_token& stop);

/// The table of kernels as prediction reads it, with what is to be known of it in lines of comment.
std::string kernelCsv(const Calibration& calibration);

/// Where a calibration was written.
struct Files {
    std::filesystem::path accelerator, kernels;
};
/// Writes both files: the accelerator's at `file` with its kernels beside it (`file`'s stem with .csv), or, without a
/// file, as `this-machine` into the library's own folder: accelerators/this-machine.json and kernels/this-machine.csv.
/// Throws FileError.
Files write(const Calibration& calibration, const std::optional<std::filesystem::path>& file);

}  // namespace tessera::calibrate

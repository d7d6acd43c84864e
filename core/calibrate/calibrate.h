#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/run_control.h"
#include "core/base/units.h"
#include "core/calibrate/measuring.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/library.h"

/// Turns this machine into an accelerator of the library: measures rates, bandwidths, kernels and all-reduces between
/// processes, each with the date, the processor, the version of oneDNN and the threads that it was measured with.
namespace tessera::calibrate {

/// Options of a calibration.
struct Options {
    /// A coarser grid, at most 30 s instead of 180: for a first look, or a machine that others use meanwhile.
    bool quick = false;
    /// Time limit of the whole calibration, within a second or one kernel; the default by `quick`. Raise it where a
    /// result says that kernels were left out for want of time.
    std::optional<double> seconds;
    /// Threads of one process, which is one device; 0 = all cores. Use fewer where training will share the machine.
    unsigned threads = 0;
    /// Data types of all kernels: "fp32", "bf16"; none = fp32, and bf16 where the processor has instructions for it.
    /// One alone leaves more time for its shapes.
    std::vector<std::string> dtypes{};
    /// Kernels measured before the standard grid: set the operators of a model that predictions will be of.
    std::vector<Request> kernels{};
    /// The standard grid, too. Off where one model's kernels are all that is wanted.
    bool grid = true;
    /// All-reduces between processes by TCP on loopback, too. Off where no socket may be opened.
    bool tcp = true;
    /// Name of the accelerator. Change it where several machines are calibrated.
    std::string name = "this machine";
};

inline constexpr double kSeconds = 180;
inline constexpr double kQuickSeconds = 30;
inline constexpr double kMinSeconds = 1;  ///< of `seconds`
inline constexpr double kMaxSeconds = 3600;
inline constexpr const char* kName = hardware::kThisMachine;  ///< of a calibration in the library

/// Time limit in seconds.
double limitOf(const Options& options);

/// Tasks of a calibration in order, as progress events name them: "bandwidth".
const std::vector<std::string_view>& tasks();

/// Measurements of a calibration, ready to be written.
struct Calibration {
    hardware::Accelerator accelerator;  ///< without `kernels`, which `write` sets
    Outcome kernels;
    Agreement agreement;
    std::string measuredBy;             ///< "measured by tessera calibrate on …": the source of every number
    double seconds = 0;                 ///< how long it took
    std::vector<std::string> warnings;  ///< sentences: noise, what could not be measured, what the time did not allow
};

/// Measures this machine. Progress reports stages and kernels; a stop request is answered between repetitions, each of
/// which is one run of one kernel. Meant for a thread of its own: it sets the threads of OpenMP of the calling thread.
/// Throws InterruptedError.
Calibration calibrate(const Options& options, const RunControl& control = {});

/// The table of kernels as prediction reads it, with what is to be known of it in lines of comment.
std::string kernelCsv(const Calibration& calibration);

/// A rate that was measured, with the capacity where it is that of a level of memory.
struct Rate {
    std::string name;  ///< "peak fp32", "L1", "all-reduce of 1.05 MB, 2 processes"
    double value = 0;
    Measure measure = Measure::bytesPerSecond;
    std::optional<Bytes> capacity = {};
};
/// Peaks, then levels of memory from the fastest, then all-reduce between processes.
std::vector<Rate> ratesOf(const hardware::Accelerator& accelerator);

/// Paths of a calibration's files.
struct Files {
    std::filesystem::path accelerator, kernels;
};
/// A file with its kernels beside it: its stem with .csv.
Files filesAt(const std::filesystem::path& accelerator);
/// Paths of a calibration's files in the user's library: accelerators/NAME.json and kernels/NAME.csv. Throws FileError
/// where there is none.
Files filesInLibrary(const std::string& name = kName);
/// Makes the folders of files in the library. Throws FileError where they cannot be made, or where the folder of other
/// files is not there.
void makeFolders(const Files& files);
/// Paths and contents of both files, in the order in which they are to be written.
std::vector<std::pair<std::filesystem::path, std::string>> contents(const Calibration& calibration, const Files& files);
/// Writes both files, their folders made as above. Throws FileError.
void write(const Calibration& calibration, const Files& files);

}  // namespace tessera::calibrate

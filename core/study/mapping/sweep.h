#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/result.h"
#include "core/study/study.h"

/// Sweeps of a mapping study over one parameter: how algorithms fare with less bandwidth, more jobs, fewer samples.
namespace tessera::study {

enum class SweepKind : std::uint8_t { bandwidth, groupSize, samples };

/// A row of the table of sweeps.
struct Sweep {
    SweepKind kind;
    std::string_view id;     ///< "bandwidth"
    std::string_view title;  ///< "Bandwidth"
    std::string_view help;
};
const std::vector<Sweep>& sweeps();

struct SweepRun {
    std::string algorithm;
    double makespan = 0;               ///< cycles
    std::optional<double> throughput;  ///< FLOP per second, per cycle without a clock; empty where work is not known
    double gap = 0;
};

struct SweepPoint {
    double value = 0;            ///< of what is varied: bytes per second (per cycle without a clock), jobs, samples
    std::vector<SweepRun> runs;  ///< in the order asked for
    double bound = 0;            ///< lower bound of the makespan, cycles
    std::optional<double> max;   ///< the throughput that the bound allows
};

struct MappingSweep {
    SweepKind kind = SweepKind::bandwidth;
    bool clocked = false;            ///< values are per second, not per cycle
    std::vector<SweepPoint> points;  ///< rising
};

/// Default values of a run's sweep: seven times twice the bandwidth around its own, five sizes of the group up to twice
/// its own, five budgets of samples up to its own. Empty where that cannot be varied: tables of jobs have no group.
std::vector<double> sweepValues(const Result& result, SweepKind kind);
/// The study of a run with one value varied.
Study variation(const Result& result, SweepKind kind, double value);

/// Solves every variation. Uses of the context progress (in variations), cancel, finish (what was solved until then is
/// kept), threads and files. Throws like study::run.
MappingSweep sweep(const Result& result, SweepKind kind, const RunContext& context = {});

}  // namespace tessera::study

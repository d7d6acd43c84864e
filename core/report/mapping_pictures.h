#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/explore/point_table.h"
#include "core/report/partition_pictures.h"
#include "core/report/point_pictures.h"
#include "core/study/mapping/objective_axis.h"
#include "core/study/mapping/outcome.h"
#include "core/study/mapping/schedule.h"
#include "core/study/mapping/sweep.h"
#include "core/study/result.h"

/// The pictures and tables of a mapping result, the same in the window, on the command line and in reports. The
/// schedule itself is a Timeline (`study::scheduleTimeline`).
namespace tessera::report {

/// Curve of one algorithm: samples and objective, in order.
struct AlgorithmCurve {
    std::string algorithm;
    CurvePoints best;
    CurvePoints mean = {}, spread = {};  ///< of a generation, at the same samples; may be missing
    std::string run = {};                ///< see Curve

    /// "magma", of a run "RUN · magma".
    std::string label() const { return run.empty() ? algorithm : run + " · " + algorithm; }
};

using study::axisOf;
using study::ObjectiveAxis;

/// View options of convergence charts.
struct ConvergenceOptions {
    bool logarithmic = false;   ///< the first chart's values; samples always are
    std::string detailed = {};  ///< label of the algorithm whose generations show their mean and spread
};

/// The best of each algorithm against its samples with the bound, and the same as the distance from the bound on a
/// logarithmic axis (MAGMA, Fig. 11).
std::vector<Chart> mappingConvergenceCharts(const std::vector<AlgorithmCurve>& runs, std::optional<double> bound,
                                            const ObjectiveAxis& axis, const ConvergenceOptions& look);
/// Convergence charts of a result.
std::vector<Chart> mappingConvergenceCharts(const study::MappingOutcome& outcome, const ConvergenceOptions& look = {});
/// Convergence charts of curves as the engine reports them while it works. With `generations` the algorithm that came
/// last is the detailed one. Empty where they are not of a mapping search.
std::vector<Chart> mappingConvergenceCharts(const std::vector<Curve>& curves, bool logarithmic,
                                            bool generations = false);

/// Algorithms in the order of what they found: best, gap to the bound, samples, and samples to the best. Without rows
/// where the curves are not of a mapping search.
Table standingsTable(const std::vector<Curve>& curves);
Table standingsTable(const study::MappingOutcome& outcome);

/// Result of each algorithm, with the bound: throughput where the work of the jobs is known and it is what was
/// maximised, else the objective (MAGMA, Figs. 8, 9).
Chart algorithmChart(const study::MappingOutcome& outcome);
/// No-stall latency and required bandwidth of every job on every kind of core (MAGMA, Fig. 7).
Chart requiredBandwidthChart(const study::MappingOutcome& outcome);
/// Samples of every algorithm in the plane of their two principal components, the best of each marked (MAGMA, Fig. 10).
Chart exploredChart(const study::MappingOutcome& outcome);
/// Pareto front of two objectives, a curve per algorithm.
Chart frontChart(const study::MappingOutcome& outcome);
/// Time of every core until the makespan by use: runs, stalls, idles.
Chart coreChart(const study::MappingOutcome& outcome, const std::string& algorithm);

/// Results of the algorithms over a varied parameter of the study, with the bound (MAGMA, Figs. 9, 14).
Chart sweepChart(const study::MappingSweep& sweep);
Table exactSweepTable(const study::MappingSweep& sweep);
/// The runs of a sweep, each algorithm at each value.
explore::PointTable pointTable(const study::MappingSweep& sweep);
/// Beside a scatter of them: a line for each algorithm and the bound, where it has the values of `sweepChart`.
ScatterExtras sweepExtras(const study::MappingSweep& sweep, const explore::PointTable& points, std::size_t x,
                          std::size_t y);

/// "9.50 ms", "1,900,084 cycles", "12.3 J".
std::string objectiveText(const study::MappingOutcome& outcome, mapping::Objective objective, double value);

}  // namespace tessera::report

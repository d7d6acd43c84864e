#pragma once

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/calibrate/study.h"

/// The pictures and tables of calibrations, the same in the window, on the command line and in reports.
namespace tessera::report {

/// Peak rates by data type.
Chart peakChart(const study::CalibrationOutcome& outcome);
/// Bandwidths of the levels of memory, and of all-reduce between processes.
Chart bandwidthChart(const study::CalibrationOutcome& outcome);
/// The time of every kernel and shape over the product of the shape's sizes, with its spread.
Chart kernelTimeChart(const study::CalibrationOutcome& outcome);
/// The rate of every product and convolution over its operations, below the peak.
Chart kernelRateChart(const study::CalibrationOutcome& outcome);
/// The spread of every kernel: its median over shapes, and up to where it reaches.
Chart spreadChart(const study::CalibrationOutcome& outcome);

/// One row per rate; per kernel and shape; per kernel with its spread over shapes.
Table rateTable(const study::CalibrationOutcome& outcome, study::FieldUse use);
Table kernelTable(const study::CalibrationOutcome& outcome, study::FieldUse use);
Table spreadTable(const study::CalibrationOutcome& outcome);
/// "measured by … in 64 kernels and shapes, 1,200 repetitions, 3 outliers left out, in 30 s", and whether the passes
/// agree.
std::vector<std::string> calibrationSentences(const study::CalibrationOutcome& outcome);

}  // namespace tessera::report

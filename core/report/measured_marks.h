#pragma once

#include <cstdint>

#include "core/draw/picture.h"
#include "core/physical/measured_table.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"

/// Published measurements as marks in pictures of predictions, where model, accelerator, number of devices and data
/// type agree. Both pictures stay as they are where nothing of the table agrees.
namespace tessera::report {

/// Adds the measured throughputs to `throughputChart` at a number of devices.
void markMeasuredBars(Chart& chart, const study::Study& study, const study::PredictionOutcome& outcome,
                      std::int64_t devices, const physical::MeasuredTable& table);

/// Adds the measured throughputs to `deviceScalingChart`.
void markMeasuredCurves(Chart& chart, const study::Study& study, const study::PredictionOutcome& outcome,
                        const physical::MeasuredTable& table);

}  // namespace tessera::report

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/calibrate/calibrate.h"
#include "core/study/estimate.h"
#include "core/study/explanation.h"
#include "core/study/field.h"
#include "core/study/metric.h"
#include "core/study/parameter.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// The calibration of this machine as a study. Its result is a measurement: the same study gives other numbers on
/// another machine, and a little other ones each time.
namespace tessera::study {

/// Measured accelerator and kernel tables, so that their files can be written from a stored result.
struct CalibrationOutcome {
    /// Calibration without warnings, which stand in the result, and without the lists of kernels that were not
    /// measured, of which the numbers are kept. The two passes over a kernel are kept as one of their mean and the
    /// larger spread.
    calibrate::Calibration made;
    std::size_t unknown = 0;                     ///< kernels that there is no benchmark for
    std::size_t outOfTime = 0;                   ///< kernels that the time did not allow
    std::optional<calibrate::Files> files = {};  ///< where it was written, if it was
};

/// Fields of a calibration (metrics and explanations), of a kernel in one shape, of a rate.
const std::vector<Field<CalibrationOutcome>>& calibrationFields();
const std::vector<Field<calibrate::Measured>>& kernelFields();
const std::vector<Field<calibrate::Rate>>& rateFields();

/// The calibration's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& calibrationParameters();

/// Measures this machine, first the operators of the study's model where it names one. Throws like study::run.
Result runCalibration(const Study& study, const RunContext& context);
/// See study::estimate.
Estimate estimateCalibration(const Study& study);

/// Writes and reads `tessera.calibration/1`. Reading throws DataError.
void writeCalibrationJson(const Result& result, const TextSink& write);
Result readCalibrationResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json calibrationSchema();

/// See study::headline, metricsOf, textOf.
std::string calibrationHeadline(const CalibrationOutcome& outcome);
std::vector<Metric> calibrationMetrics(const CalibrationOutcome& outcome);
std::optional<std::string> calibrationMetricText(std::string_view name, double value);
std::optional<Explanation> explainCalibration(const Result& result, const std::string& path);
/// "This machine", "This machine, for resnet50".
std::string calibrationTitle(const Result& result);

}  // namespace tessera::study

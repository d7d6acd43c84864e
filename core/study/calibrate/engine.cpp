#include <fmt/format.h>

#include "core/base/units.h"
#include "core/study/calibrate/study.h"
#include "core/study/engine_rows.h"

namespace tessera::study {

namespace {

std::vector<InputFact> facts(const CalibrationOutcome& outcome) {
    std::vector<InputFact> facts{{"Hardware", "name", outcome.made.accelerator.vendor},
                                 {"Hardware", "source", outcome.made.measuredBy}};
    for (const hardware::MemoryLevel& level : outcome.made.accelerator.memory)
        if (level.capacity)
            facts.push_back({"Hardware", fmt::format("capacity of {}", level.name),
                             formatQuantity(level.capacity->value, Measure::bytes)});
    return facts;
}

/// What is measured, one after the other.
std::vector<LaterTask> stages() {
    std::vector<LaterTask> tasks;
    const std::vector<std::string_view>& all = calibrate::tasks();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) tasks.push_back({all[i], all[i + 1]});
    return tasks;
}

}  // namespace

Engine calibrationEngine() {
    return {.id = "calibrate",
            .title = "Calibration",
            .description = "Measures this machine and makes an accelerator of it that predictions know.",
            .hardwareKind = {},
            .models = InputArity::atMostOne,
            .hardware = InputArity::none,
            .measures = true,
            .parameters = calibrationParameters,
            .run = runCalibration,
            .estimate = estimateCalibration,
            .laterTasks = stages(),
            .resultSchema = "tessera.calibration/1",
            .jsonSchema = calibrationSchema,
            .write = writeCalibrationJson,
            .read = readCalibrationResult,
            .titleOf = calibrationTitle,
            .headline = ofOutcome<calibrationHeadline>,
            .metrics = ofOutcome<calibrationMetrics>,
            .metricText = calibrationMetricText,
            .explain = explainCalibration,
            .keyMetrics = {{"peak_flops", Measure::flopsPerSecond}},
            .facts = ofOutcome<facts>,
            .deciding = {{"peak_flops", false, "All runs measured a peak of {0}",
                          "No run measured a higher peak than {1}, {0}",
                          "{1} measured {2} the peak of {3}: {0} against {4}"}},
            .question = "What does this machine achieve: {}?"};
}

}  // namespace tessera::study

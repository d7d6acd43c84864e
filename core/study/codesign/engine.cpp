#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/study/codesign/document.h"
#include "core/study/codesign/metrics.h"
#include "core/study/codesign/study.h"
#include "core/study/codesign/timeline.h"
#include "core/study/engine_rows.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

std::string factorText(double value) {
    return timesText(value);
}

std::optional<std::string> keptTimeline(const CodesignOutcome& outcome) {
    if (outcome.result.perModel.empty() || !outcome.result.perModel.front().feasible) return std::nullopt;
    return outcome.result.perModel.front().model;
}

std::vector<InputFact> facts(const CodesignOutcome& outcome) {
    const codesign::Result& result = outcome.result;
    std::vector<InputFact> facts;
    for (std::size_t m = 0; m < result.models.size(); ++m)
        facts.push_back({"Model", result.models.size() == 1 ? "name" : fmt::format("name[{}]", m), result.models[m]});
    const auto& rates = result.space.rates;
    facts.push_back({"Hardware", "name", result.space.name});
    facts.push_back({"Hardware", "area limit", formatQuantity(result.areaBound.value, Measure::area)});
    facts.push_back({"Hardware", "architectures", formatCount(result.architectures)});
    facts.push_back({"Hardware", "clock", formatQuantity(rates.clock.value, Measure::hertz)});
    facts.push_back({"Hardware", "HBM bandwidth", formatQuantity(rates.hbmBandwidth.value, Measure::bytesPerSecond)});
    return facts;
}

}  // namespace

Engine codesignEngine() {
    return {.id = "codesign",
            .title = "Co-design",
            .description =
                "Searches an accelerator's architecture together with the placement of models on a cluster of it.",
            .hardwareKind = "template",
            .models = InputArity::many,
            .drawsNumbers = true,
            .checkpoints = true,
            .parameters = codesignParameters,
            .files = [](const Study& study) { return filesNamed(study.hardware, true, hardware::templatePath); },
            .run = runCodesign,
            .estimate = estimateCodesign,
            .objectives = {{"geomean", "Throughput over the reference", factorText, true},
                           {"mean", "Mean throughput (samples/s)", formatCount, true},
                           {"worst", "Least throughput over the reference", factorText, true}},
            .laterTasks = {{"searching architectures", "proving the best"}},
            .resultSchema = "tessera.codesign-result/1",
            .jsonSchema = codesignSchema,
            .write = writeCodesignJson,
            .read = readCodesignResult,
            .titleOf = ofOutcome<codesignTitle>,
            .headline = ofOutcome<codesignHeadline>,
            .metrics = ofOutcome<codesignMetrics>,
            .metricText = codesignMetricText,
            .explain = explainedBy<CodesignOutcome, explainCodesign>,
            .objectiveMetric = "objective",
            .boundMetric = "objective_bound",
            .timeline =
                [](const Result& result, const std::string& model) {
                    return pipelineTimeline(result.outcome.get<CodesignOutcome>(), model);
                },
            .keptTimeline = ofOutcome<keptTimeline>,
            .facts = ofOutcome<facts>,
            .question = "Which accelerator should be built: {}?"};
}

}  // namespace tessera::study

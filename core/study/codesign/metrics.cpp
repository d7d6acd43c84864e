#include "core/study/codesign/metrics.h"

#include <fmt/format.h>

#include <string>

#include "core/base/text.h"
#include "core/study/codesign/fields.h"
#include "core/study/field_metrics.h"
#include "core/study/title.h"

namespace tessera::study {

std::vector<Metric> codesignMetrics(const CodesignOutcome& outcome) {
    std::vector<Metric> metrics;
    if (!outcome.result.best) return metrics;
    addMetricsBy(metrics, bestFields(), outcome.result, "");
    for (const TrainedModel& row : trainedModels(outcome.result))
        addMetricsBy(metrics, modelFields(), row, row.model->model);
    return metrics;
}

std::optional<std::string> codesignMetricText(std::string_view name, double value) {
    std::optional<std::string> text = metricTextBy(bestFields(), name, value);
    return text ? text : metricTextBy(modelFields(), name, value);
}

std::optional<Explanation> explainCodesign(const Result& result, const CodesignOutcome& outcome,
                                           const std::string& path) {
    constexpr std::string_view kPaper = "Wang et al.: PHAZE, ICML 2024";
    if (!outcome.result.best) return std::nullopt;
    for (const TrainedModel& row : trainedModels(outcome.result)) {
        const std::string owner = row.model->model + "/";
        if (path.starts_with(owner))
            return explainedBy(modelFields(), row, result, path.substr(owner.size()),
                               {.owner = escaped(row.model->model), .paper = kPaper});
    }
    return explainedBy(bestFields(), outcome.result, result, path, {.owner = {}, .paper = kPaper});
}

std::string objectiveText(const codesign::Result& result, double value) {
    if (result.options.objective == codesign::Objective::mean) return samplesText(value);
    const std::string of = result.space.reference ? result.space.reference->name : "";
    return of.empty() ? formatCount(value) : timesText(value) + " " + of;
}

std::string certaintyText(const codesign::Result& result) {
    if (result.optimal) return "proven optimal";
    if (result.options.search != codesign::SearchKind::exhaustive || result.endedBy != EndedBy::done)
        return "best found (not proven)";
    if (!result.best || !(result.bound > 0)) return "no bound";
    return fmt::format("optimum is at most {} higher", percentText(result.bound / result.best->objective - 1));
}

std::string codesignTitle(const CodesignOutcome& outcome) {
    return shortNames(outcome.result.models) + " on " + outcome.result.space.name;
}

std::string codesignHeadline(const CodesignOutcome& outcome) {
    const codesign::Result& result = outcome.result;
    if (!result.best) return "no accelerator";
    return fmt::format("{} · {} · {:.4g} mm² · {}", objectiveText(result, result.best->objective),
                       hardware::nameOf(result.best->architecture), result.best->area.value, certaintyText(result));
}

}  // namespace tessera::study

#include "core/report/measured_marks.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/prediction_pictures.h"
#include "core/study/measured_throughput.h"

namespace tessera::report {

namespace {

using study::MeasuredThroughput;

constexpr int kDiamond = 2;
constexpr double kMarkRadius = 4.5;
constexpr std::size_t kLongestSoftware = 60;

/// "2,470 samples/s measured, batch 2,048, MXNet NVIDIA Release 21.05 (dle)".
std::string measuredText(const MeasuredThroughput& one) {
    std::string text = fmt::format("{} samples/s measured", formatCount(one.samplesPerSecond));
    if (one.run.globalBatch > 0) text += fmt::format(", batch {}", formatCount(one.run.globalBatch));
    if (!one.run.software.empty()) text += ", " + escaped(one.run.software, kLongestSoftware);
    if (!one.source.empty()) text += fmt::format(" ({})", escaped(one.source, kLongestSoftware));
    return text;
}

Series measuredSeries(std::string id, std::string name, std::string colour) {
    return {.id = std::move(id),
            .name = std::move(name),
            .mark = Mark::points,
            .colour = std::move(colour),
            .shape = kDiamond};
}

void addMeasured(Series& series, double x, const std::vector<MeasuredThroughput>& all) {
    for (const MeasuredThroughput& one : all) {
        series.x.push_back(x);
        series.y.push_back(one.samplesPerSecond);
        series.valueTexts.push_back(measuredText(one));
        series.radii.push_back(kMarkRadius);
    }
}

void addSources(std::vector<std::string>& sources, const std::vector<MeasuredThroughput>& all) {
    for (const MeasuredThroughput& one : all)
        if (!one.source.empty()) study::addOnce(sources, {escaped(one.source, kLongestSoftware)});
}

std::string marksNote(const std::vector<std::string>& sources) {
    return fmt::format("Diamonds are published measurements{}, each at its own batch and with its own software.",
                       sources.empty() ? "" : fmt::format(" ({})", joined(sources, ", ")));
}

std::vector<MeasuredThroughput> measuredOf(const predict::Prediction& one, const study::Study& study,
                                           const physical::MeasuredTable& table) {
    return study::measuredThroughputs(table, study, one.accelerator, one.devices, one.dtype);
}

}  // namespace

void markMeasuredBars(Chart& chart, const study::Study& study, const study::PredictionOutcome& outcome,
                      std::int64_t devices, const physical::MeasuredTable& table) {
    if (chart.series.empty()) return;
    Series marks = measuredSeries("measured", "measured", "text");
    std::vector<std::string> sources;
    const std::vector<const predict::Prediction*> rows = inOrder(outcome, devices);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<MeasuredThroughput> all = measuredOf(*rows[i], study, table);
        addMeasured(marks, static_cast<double>(i), all);
        addSources(sources, all);
    }
    if (marks.x.empty()) return;
    chart.series.push_back(std::move(marks));
    chart.notes.push_back(marksNote(sources));
}

void markMeasuredCurves(Chart& chart, const study::Study& study, const study::PredictionOutcome& outcome,
                        const physical::MeasuredTable& table) {
    if (chart.series.empty()) return;
    std::vector<std::string> sources;
    for (const PredictedAccelerator& each : acceleratorsOf(outcome)) {
        Series marks =
            measuredSeries(each.id + "/measured", escaped(each.id, 40) + ", measured", std::string(each.colour));
        for (const predict::Prediction& one : outcome.predictions) {
            if (one.accelerator != each.id) continue;
            const std::vector<MeasuredThroughput> all = measuredOf(one, study, table);
            addMeasured(marks, static_cast<double>(one.devices), all);
            addSources(sources, all);
        }
        if (!marks.x.empty()) chart.series.push_back(std::move(marks));
    }
    if (!sources.empty()) chart.notes.push_back(marksNote(sources));
}

}  // namespace tessera::report

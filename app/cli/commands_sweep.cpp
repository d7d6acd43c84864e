#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/table.h"
#include "core/study/metric.h"
#include "core/study/study.h"

namespace tessera::cli {

namespace {

constexpr std::size_t kMostPoints = 10'000;
constexpr std::size_t kMetricsInTable = 4;

/// A parameter and the values that it takes in turn.
struct Axis {
    std::string parameter;
    std::vector<std::string> values;
};

/// One run of the sweep: a value of every axis.
struct Point {
    std::vector<std::string> values;
    std::optional<store::RunId> run;
    study::Result result;
};

Axis axisOf(const std::string& text) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
        throw UsageError(fmt::format("option '--over' is {}; expected PARAMETER=LIST", inQuotes(text)));
    Axis axis{.parameter = text.substr(0, at), .values = {}};
    for (const std::string_view value : split(std::string_view(text).substr(at + 1), ','))
        axis.values.emplace_back(trimmed(value));
    if (std::any_of(axis.values.begin(), axis.values.end(), [](const std::string& value) { return value.empty(); }))
        throw UsageError(fmt::format("option '--over' is {}; expected values separated by commas", inQuotes(text)));
    return axis;
}

std::vector<Axis> axesOf(const std::vector<std::string>& texts) {
    std::vector<Axis> axes;
    std::size_t points = 1;
    for (const std::string& text : texts) {
        axes.push_back(axisOf(text));
        const auto same = [&](const Axis& axis) { return axis.parameter == axes.back().parameter; };
        if (std::count_if(axes.begin(), axes.end(), same) > 1)
            throw UsageError(fmt::format("parameter {} is swept over twice", inQuotes(axes.back().parameter)));
        points *= axes.back().values.size();
        if (points > kMostPoints)
            throw UsageError(fmt::format("the sweep has more than {} points; expected fewer", kMostPoints));
    }
    return axes;
}

/// Sets a parameter of the engine, the seed, or one of the inputs.
void setValue(study::Study& study, const std::string& name, const std::string& value) {
    if (name == "seed")
        study.seed = static_cast<std::uint64_t>(wholeOf("seed", value, 0, std::numeric_limits<std::int64_t>::max()));
    else if (name == "models")
        study.models = {value};
    else if (name == "workloads")
        study.workloads = {value};
    else if (name == "hardware")
        study.hardware = {value};
    else
        study::setParameter(study, name, {value});
}

/// The combination of a number: the last axis changes first.
std::vector<std::string> combination(const std::vector<Axis>& axes, std::size_t number) {
    std::vector<std::string> values(axes.size());
    for (std::size_t a = axes.size(); a-- > 0;) {
        values[a] = axes[a].values[number % axes[a].values.size()];
        number /= axes[a].values.size();
    }
    return values;
}

std::string nameOf(const std::vector<Axis>& axes, const std::vector<std::string>& values) {
    std::vector<std::string> parts;
    for (std::size_t a = 0; a < axes.size(); ++a) parts.push_back(axes[a].parameter + "=" + values[a]);
    return joined(parts, ", ");
}

std::vector<Point> runPoints(Context& context, const std::string& file, const study::Study& base,
                             const std::vector<Axis>& axes) {
    std::size_t count = 1;
    for (const Axis& axis : axes) count *= axis.values.size();
    std::vector<study::Study> studies;
    std::vector<Point> points(count);
    // Every value is checked before the first run.
    for (std::size_t p = 0; p < count; ++p) {
        points[p].values = combination(axes, p);
        studies.push_back(base);
        for (std::size_t a = 0; a < axes.size(); ++a) setValue(studies.back(), axes[a].parameter, points[p].values[a]);
        if (!base.name.empty()) studies.back().name = fmt::format("{} · {}", base.name, nameOf(axes, points[p].values));
    }
    for (std::size_t p = 0; p < count; ++p)
        points[p].result =
            runFile(context, fmt::format("{} ({})", file, nameOf(axes, points[p].values)), studies[p], &points[p].run);
    return points;
}

std::vector<study::Metric> bestMetrics(const study::Result& result) {
    std::vector<study::Metric> metrics = study::metricsOf(result);
    std::erase_if(metrics, [](const study::Metric& metric) { return !metric.owner.empty(); });
    return metrics;
}

report::Table tableOf(const std::vector<Axis>& axes, const std::vector<Point>& points) {
    report::Table table;
    for (const Axis& axis : axes) table.columns.push_back({axis.parameter});
    const std::vector<study::Metric> shown = bestMetrics(points.front().result);
    const std::size_t count = std::min(shown.size(), kMetricsInTable);
    for (std::size_t m = 0; m < count; ++m) table.columns.push_back({lowered(shown[m].title), true});
    table.columns.push_back({"finding"});
    for (const Point& point : points) {
        std::vector<std::string> row = point.values;
        const std::vector<study::Metric> metrics = bestMetrics(point.result);
        for (std::size_t m = 0; m < count; ++m) {
            const auto found = std::find_if(metrics.begin(), metrics.end(),
                                            [&](const study::Metric& metric) { return metric.name == shown[m].name; });
            row.push_back(found == metrics.end() ? "–" : study::textOf(*found));
        }
        row.push_back(study::headline(point.result));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Json documentOf(const study::Study& study, const std::vector<Axis>& axes, const std::vector<Point>& points) {
    std::vector<study::Input> inputs;
    for (const Point& point : points)
        for (const study::Input& input : point.result.inputs)
            if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    Json json = study::documentHead("tessera.sweep/1", "sweep", inputs, study.seed);
    json["study"] = study::toJson(study);
    Json& over = json["over"] = Json::array();
    for (const Axis& axis : axes) over.push_back({{"parameter", axis.parameter}, {"values", axis.values}});
    Json& list = json["points"] = Json::array();
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
    for (const Point& point : points) {
        Json values = Json::object();
        for (std::size_t a = 0; a < axes.size(); ++a) values[axes[a].parameter] = point.values[a];
        Json metrics = Json::object();
        for (const study::Metric& metric : study::metricsOf(point.result)) metrics[metric.name] = metric.value;
        Json row = {{"values", values}};
        if (point.run) row["run"] = *point.run;
        row["finding"] = study::headline(point.result);
        row["metrics"] = std::move(metrics);
        list.push_back(std::move(row));
        study::addOnce(assumptions, point.result.assumptions);
        study::addOnce(warnings, point.result.warnings);
    }
    study::finishDocument(json, assumptions, warnings);
    return json;
}

}  // namespace

Action addSweep(CLI::App& app) {
    struct Options {
        std::string study;
        std::vector<std::string> over;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "STUDY", options->study, "", "a study file, or the name of a bundled study")->required();
    addTexts(app, "--over", options->over, "PARAMETER=LIST",
             "values of a parameter, separated by commas; also seed, models, workloads and hardware; may be repeated "
             "for every combination")
        ->required();
    return [options](Context& context) {
        const study::Study study = study::loadStudy(options->study);
        const std::vector<Axis> axes = axesOf(options->over);
        const std::vector<Point> points = runPoints(context, options->study, study, axes);
        context.console.endProgress();
        const Json document = documentOf(study, axes, points);
        context.console.warn(document.at("warnings").get<std::vector<std::string>>());
        if (context.common.json)
            context.console.printJson(document);
        else
            context.console.print(report::toText(tableOf(axes, points)));
        finishRecording(context);
    };
}

}  // namespace tessera::cli

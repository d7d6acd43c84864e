#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "app/cli/sweep.h"
#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/draw/table.h"
#include "core/ranks/conductor.h"
#include "core/store/documents.h"
#include "core/study/engine.h"
#include "core/study/metric.h"
#include "core/study/parameter.h"
#include "core/study/shared_work.h"
#include "core/study/study.h"

namespace tessera::cli {

namespace {

constexpr std::size_t kMaxPoints = 10'000;
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
        if (points > kMaxPoints)
            throw UsageError(fmt::format("the sweep has more than {} points; expected fewer", kMaxPoints));
    }
    return axes;
}

/// Sets a parameter of the engine, the seed, or one of the inputs.
void setValue(study::Study& study, const std::string& name, const std::string& value) {
    if (name == "seed") {
        // The jobs stay the same, so that runs differ by the search alone.
        const bool drawsJobs =
            study::findParameter(study::engineNamed(study.engine).parameters(), "job_seed") != nullptr;
        if (drawsJobs && !study.hardware.empty() && !study.parameters->contains("job_seed"))
            study.parameters["job_seed"] = study.seed.value_or(1);
        study.seed = static_cast<std::uint64_t>(wholeOf("seed", value, 0, std::numeric_limits<std::int64_t>::max()));
    } else if (name == "models")
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

/// What a sweep was asked for.
struct Request {
    std::string file;  ///< of the study, for messages
    study::Study study;
    std::vector<Axis> axes;
};

/// The form in which the history keeps it.
Json toJson(const Request& request) {
    Json json = {{"file", request.file}, {"study", study::toJson(request.study)}};
    Json& over = json["over"] = Json::array();
    for (const Axis& axis : request.axes) over.push_back({{"parameter", axis.parameter}, {"values", axis.values}});
    return json;
}

Request readRequest(const JsonNode& node) {
    Request request{.file = node.at("file").text(), .study = study::readStudy(node.at("study")), .axes = {}};
    for (const JsonNode& axis : node.at("over").elements(kMaxPoints)) {
        request.axes.push_back({.parameter = axis.at("parameter").text(), .values = {}});
        for (const JsonNode& value : axis.at("values").elements(kMaxPoints))
            request.axes.back().values.push_back(value.text());
    }
    return request;
}

/// The points with their studies; every value is checked before the first run.
std::pair<std::vector<Point>, std::vector<study::Study>> pointsOf(const Request& request) {
    std::size_t count = 1;
    for (const Axis& axis : request.axes) count *= axis.values.size();
    std::vector<Point> points(count);
    std::vector<study::Study> studies(count, request.study);
    for (std::size_t p = 0; p < count; ++p) {
        points[p].values = combination(request.axes, p);
        for (std::size_t a = 0; a < request.axes.size(); ++a)
            setValue(studies[p], request.axes[a].parameter, points[p].values[a]);
        if (!request.study.name.empty())
            studies[p].name = fmt::format("{} · {}", request.study.name, nameOf(request.axes, points[p].values));
    }
    return {std::move(points), std::move(studies)};
}

/// Puts all points into the history's queue, so that a sweep that is broken off can go on. Empty where it cannot be
/// written, which is reported once.
std::map<std::size_t, store::RunId> queued(Context& context, const Request& request,
                                           const std::vector<study::Study>& studies) {
    std::map<std::size_t, store::RunId> runs;
    if (context.common.noStore) return runs;
    try {
        store::Store history = store::Store::open(historyPath(context.common));
        for (const store::RunId run : history.addSweep(toJson(request), studies)) runs.emplace(runs.size(), run);
    } catch (const FileError& error) {
        context.historyTrouble = error.what();
        reportTrouble(context);
    }
    return runs;
}

/// Ends what still waits of a sweep that does not go on now.
void endWaiting(const Context& context, const std::map<std::size_t, store::RunId>& runs, store::RunStatus status) {
    if (runs.empty() || context.common.noStore) return;
    try {
        store::Store history = store::Store::open(historyPath(context.common));
        for (const auto& [point, run] : runs) history.changeStatus(run, store::RunStatus::queued, status);
    } catch (const FileError&) {
        return;  // they are found as those of a process that is gone
    }
}

/// The result of a point: the one that is kept, else what is left of it is run.
study::Result storedResult(Context& context, const store::Store* history, const std::string& name,
                           const study::Study& study, const std::optional<store::RunId>& kept,
                           std::optional<store::RunId>& number) {
    if (history != nullptr && kept) {
        if (std::optional<study::Result> finished = history->result(*kept)) {
            number = kept;
            return std::move(*finished);
        }
        if (context.common.noStore) {
            study::RunContext runContext = contextOf(context);
            if (const std::optional<Json> state = history->checkpoint(*kept)) runContext.resume = *state;
            return study::run(study, runContext);
        }
    }
    // A failure to write was reported, and is not tried again.
    if (!context.historyTrouble.empty()) return study::run(study, contextOf(context));
    return runFile(context, name, study, &number, kept);
}

/// A sweep at work.
class PointRunner {
public:
    /// `history` is null where the sweep begins.
    PointRunner(Context& context, const store::Store* history, const Request& request,
                const std::map<std::size_t, store::RunId>& runs, const std::vector<study::Study>& studies,
                std::vector<Point>& points)
        : context_(context), history_(history), request_(request), runs_(runs), studies_(studies), points_(points) {}

    /// Runs the points that are not done, here and in other processes where there are such.
    void run() {
        try {
            // What one process runs, it runs alone.
            const std::shared_ptr<ranks::Conductor> others = std::exchange(context_.ranks, nullptr);
            if (others && !study::engineNamed(request_.study.engine).measures)
                share(*others);
            else
                for (std::size_t p = 0; p < points_.size(); ++p) runHere(p);
        } catch (const InterruptedError&) {
            endWaiting(context_, runs_, store::RunStatus::interrupted);
            throw;
        } catch (const std::exception&) {
            endWaiting(context_, runs_, store::RunStatus::cancelled);
            throw;
        }
    }

private:
    std::optional<store::RunId> runOf(std::size_t point) const {
        const auto found = runs_.find(point);
        return found == runs_.end() ? std::nullopt : std::optional(found->second);
    }
    std::string nameOfPoint(std::size_t point) const { return nameOf(request_.axes, points_[point].values); }

    void runHere(std::size_t p) {
        points_[p].result = storedResult(context_, history_, fmt::format("{} ({})", request_.file, nameOfPoint(p)),
                                         studies_[p], runOf(p), points_[p].run);
    }

    void share(ranks::Conductor& others) {
        std::vector<std::size_t> open;
        for (std::size_t p = 0; p < points_.size(); ++p) {
            const std::optional<store::RunId> run = history_ == nullptr ? std::nullopt : runOf(p);
            if (std::optional<study::Result> finished = run ? history_->result(*run) : std::nullopt) {
                points_[p].result = std::move(*finished);
                points_[p].run = run;
            } else
                open.push_back(p);
        }
        std::string trouble;
        const unsigned before = std::exchange(context_.threads, others.threadsHere(context_.threads));
        others.run(study::sharedRuns(studies_, std::make_shared<InputFiles>(), before),
                   {.count = open.size(),
                    .question = [&](std::size_t i) { return study::questionOf(studies_[open[i]]); },
                    .here = [&](std::size_t i) { runHere(open[i]); },
                    .answered =
                        [&](std::size_t i, const std::string& answer) {
                            Point& point = points_[open[i]];
                            point.result = study::resultOf(answer, studies_[open[i]]);
                            const std::optional<store::RunId> run = runOf(open[i]);
                            if (context_.common.noStore || !run || !trouble.empty()) return;
                            trouble = keepFinished(context_, studies_[open[i]], *run, point.result);
                            if (trouble.empty()) point.run = run;
                        },
                    .stop = context_.stop,
                    .threads = 1,
                    .one = "run",
                    .many = "runs",
                    .name = [&](std::size_t i) { return nameOfPoint(open[i]); }});
        context_.threads = before;
        context_.control().throwIfCancelled("the sweep");
        if (trouble.empty() || !context_.historyTrouble.empty()) return;
        context_.historyTrouble = trouble;
        reportTrouble(context_);
    }

    Context& context_;
    const store::Store* history_;
    const Request& request_;
    const std::map<std::size_t, store::RunId>& runs_;
    const std::vector<study::Study>& studies_;
    std::vector<Point>& points_;
};

std::vector<study::Metric> bestMetrics(const study::Result& result) {
    std::vector<study::Metric> metrics = study::metricsOf(result);
    std::erase_if(metrics, [](const study::Metric& metric) { return !metric.owner.empty(); });
    return metrics;
}

report::Table pointTable(const std::vector<Axis>& axes, const std::vector<Point>& points) {
    report::Table table;
    for (const Axis& axis : axes) table.columns.push_back({axis.parameter});
    // Of the first point that has numbers: where nothing fits there are none.
    std::vector<study::Metric> shown;
    for (std::size_t p = 0; p < points.size() && shown.empty(); ++p) shown = bestMetrics(points[p].result);
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

void showSweep(Context& context, const Request& request, const std::vector<Point>& points) {
    context.console.endProgress();
    const Json document = documentOf(request.study, request.axes, points);
    context.console.warn(document.at("warnings").get<std::vector<std::string>>());
    if (context.common.json)
        context.console.printJson(document);
    else
        context.console.print(report::toText(pointTable(request.axes, points)));
    finishRecording(context);
}

}  // namespace

bool resumeSweep(Context& context, const store::Store& history, store::RunId run) {
    const std::optional<store::Sweep> sweep = history.sweepOf(run);
    if (!sweep) return false;
    const JsonDocument document = JsonDocument::parse(sweep->document.dump(), fmt::format("the sweep of run {}", run));
    const Request request = readRequest(document.root());
    auto [points, studies] = pointsOf(request);
    PointRunner(context, &history, request, sweep->runs, studies, points).run();
    showSweep(context, request, points);
    return true;
}

Action addSweep(CLI::App& app) {
    struct Options {
        std::string study;
        std::vector<std::string> over;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "STUDY", options->study, "", "a study file, or the name of a bundled study")->required();
    offer(addTexts(app, "--over", options->over, "PARAMETER=LIST",
                   "values of a parameter, separated by commas; also seed, models, workloads and hardware; may be "
                   "repeated for every combination"),
          {"@swept"})
        ->required();
    return [options](Context& context) {
        const Request request{
            .file = options->study, .study = study::loadStudy(options->study), .axes = axesOf(options->over)};
        auto [points, studies] = pointsOf(request);
        const std::map<std::size_t, store::RunId> runs = queued(context, request, studies);
        PointRunner(context, nullptr, request, runs, studies, points).run();
        showSweep(context, request, points);
    };
}

}  // namespace tessera::cli

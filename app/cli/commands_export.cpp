#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "core/base/account.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogue.h"
#include "core/report/export_file.h"
#include "core/report/report_document.h"
#include "core/study/timeline.h"

namespace tessera::cli {

namespace {

struct ExportRequest {
    std::string run, what = "table", name, strategy, out, format, theme = "light", scale = "2";
};

report::Theme themeOf(const std::string& name) {
    return report::themeNamed("option '--theme'", name);
}

double scaleOf(const std::string& text) {
    return static_cast<double>(wholeOf("--scale", text, 1, 8));
}

std::string pictureBytes(const report::Picture& picture, const ExportRequest& request, const std::string& suffix,
                         const std::stop_token& stop) {
    return report::pictureFile(picture, request.what, suffix, themeOf(request.theme), scaleOf(request.scale), stop);
}

/// Runs what finds a row by the option's value; its mistakes are the option's.
const auto& rowOf(const auto& find, const ExportRequest& request, std::string_view engine, std::string_view first) {
    try {
        return find(engine, request.name.empty() ? first : request.name);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("option '--name' is {}: {}", inQuotes(request.name), error.what()));
    }
}

/// Writes the files that other commands read.
void writeFilesOf(const study::Result& result, const ExportRequest& request, store::RunId run, const Context& context,
                  const study::RunContext& runContext) {
    const report::Catalogue& catalogue = report::catalogueOf(result.study.engine);
    if (catalogue.files.empty())
        throw UsageError(fmt::format("option '--what' is 'file'; a run of {} has none", catalogue.engine));
    const report::FileRow& row = rowOf(report::fileNamed, request, catalogue.engine, catalogue.files.front().id);
    // The row says the format, and so standard output needs none.
    const bool isStream = request.out == kStandardStream;
    if (!isStream || !request.format.empty())
        if (const std::string suffix = suffixOf(request.out, request.format); suffix != row.suffix)
            report::refuseSuffix(request.what, suffix, std::string(row.suffix));
    const report::Selection at = report::selectionOf(row, result, request.strategy);
    const auto files = row.make({result, at, runContext}, request.out);
    context.console.endProgress();
    if (isStream) {
        if (files.size() != 1)
            throw UsageError(
                fmt::format("option '--out' is '-'; {} is {} files; expected a file's name", row.id, files.size()));
        writeOut(context, request.out, files.front().second, "");
        return;
    }
    writeFiles(files);
    if (context.common.json) return;
    std::vector<std::string> names;
    for (const auto& [path, bytes] : files) names.push_back(escaped(path.string()));
    context.console.print(fmt::format("run {}: {} written to {}\n", run, row.id, joined(names, " and ")));
}

std::string bytesOf(const study::Result& result, const ExportRequest& request, const study::RunContext& runContext) {
    const std::string suffix = suffixOf(request.out, request.format);
    const report::Catalogue& catalogue = report::catalogueOf(result.study.engine);
    const report::Selection at = report::selectionOf(result, request.strategy);
    const report::View view{result, at, runContext};
    // What is asked for must make sense, also where it changes nothing.
    themeOf(request.theme);
    scaleOf(request.scale);
    if (request.what == "table") {
        if (suffix != ".csv") report::refuseSuffix("table", suffix, ".csv");
        const report::TableRow& row = rowOf(report::tableNamed, request, catalogue.engine, catalogue.firstTable);
        return report::toCsv(row.exact ? row.exact(view) : row.make(view));
    }
    if (request.what == "timeline") {
        if (!request.name.empty())
            throw UsageError(
                fmt::format("option '--name' is {}; a run has one timeline, without a name", inQuotes(request.name)));
        const Timeline timeline = study::timelineOf(result, at.choice);
        if (suffix == ".json") return report::toChromeTrace(timeline);
        return pictureBytes(timeline, request, suffix, runContext.cancel);
    }
    if (request.what == "chart") {
        const report::PictureRow& row =
            rowOf(report::pictureNamed, request, catalogue.engine, catalogue.pictures.front().id);
        if (suffix == ".csv" && (row.where & report::kWithoutNumbers) != 0)
            report::refuseSuffix("drawing", suffix, ".svg, .png or .pdf");
        return pictureBytes(row.make(view), request, suffix, runContext.cancel);
    }
    throw UsageError(
        fmt::format("option '--what' is {}; expected table, timeline, chart or file", inQuotes(request.what)));
}

/// "Charts of mapping runs:", the default first.
std::string listOf(const auto& rows, std::string_view first, std::string_view kind, std::string_view engine) {
    std::string text = fmt::format("\n{} of {} runs:\n", kind, engine);
    const auto add = [&](const report::Row& row) { text += fmt::format("  {:<20} {}\n", row.id, row.about); };
    for (const report::Row& row : rows)
        if (row.id == first) add(row);
    for (const report::Row& row : rows)
        if (row.id != first) add(row);
    return text;
}

/// Every chart and table with what it shows.
std::string everyRow() {
    std::string text;
    for (const report::Catalogue& each : report::catalogues()) {
        text += listOf(each.pictures, each.pictures.front().id, "Charts", each.engine) +
                listOf(each.tables, each.firstTable, "Tables", each.engine);
        std::vector<report::FileRow> files, inputs;
        for (const report::FileRow& row : each.files) (row.makes.empty() ? files : inputs).push_back(row);
        if (!files.empty()) text += listOf(files, files.front().id, "Files", each.engine);
        if (!inputs.empty()) text += listOf(inputs, inputs.front().id, "Inputs for other studies", each.engine);
    }
    return text +
           "\nOther studies also name these files without an export, as run:RUN/NAME or run:RUN/NAME/PART:\n"
           "  tessera plan --fleet run:12/fleet/h100@8 ...\n";
}

std::string reportBytes(const std::string& title, const std::vector<report::ReportRun>& runs, const std::string& suffix,
                        report::ReportOptions options, const std::stop_token& stop) {
    options.date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
    return report::reportFile(title, runs, suffix, options, stop);
}

study::Result resultOf(const store::Store& history, store::RunId run) {
    auto result = history.result(run);
    if (!result)
        throw UsageError(fmt::format("run {} has no result; {}", run, resumeHint(history.run(run)->engine, run)));
    return std::move(*result);
}

}  // namespace

Action addReport(CLI::App& app) {
    struct Options {
        std::vector<std::string> runs;
        std::string out, format, title = "Tessera report", baseline;
        report::ReportOptions report;
    };
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "runs by number, name or uid, or 'last'")->required()->type_name("");
    addOut(app, options->out, "the file to write: .html, .pdf or .md")->required();
    offer(addText(app, "--format", options->format, "NAME", "html, pdf or md; default by the file's suffix"),
          {"html", "pdf", "md"});
    addText(app, "--title", options->title, "TEXT", "the report's title (default Tessera report)");
    addText(app, "--question", options->report.question, "TEXT",
            "the question that the first page answers (default that of the runs' engines)");
    addText(app, "--author", options->report.author, "NAME", "who sends it (default your account's name)");
    addText(app, "--baseline", options->baseline, "RUN", "the run that others are compared with (default the first)");
    app.add_flag("--studies", options->report.studies, "attach every run's study as a file");
    return [options](Context& context) {
        const store::Store history = openHistory(context, store::OpenMode::readOnly);
        std::vector<store::RunId> ids;
        std::vector<study::Result> results;
        std::vector<std::string> titles;
        for (const std::string& name : options->runs) {
            const store::RunId id = history.find(name);
            if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
            ids.push_back(id);
            results.push_back(resultOf(history, ids.back()));
            const auto row = history.run(ids.back());
            titles.push_back(row ? row->name : "");
        }
        std::vector<report::ReportRun> runs;
        for (std::size_t i = 0; i < results.size(); ++i) runs.push_back({titles[i], &results[i]});
        report::ReportOptions report = options->report;
        if (report.author.empty()) report.author = accountName();
        report.baseline = placeOfBaseline(history, ids, options->baseline);
        const std::string suffix = suffixOf(options->out, options->format);
        writeOut(context, options->out, reportBytes(options->title, runs, suffix, report, context.stop),
                 fmt::format("{} written to {}\n", formatCounted(ids.size(), "run", "runs"), escaped(options->out)));
        if (context.common.json) {
            Json json = study::documentHead("tessera.report/1", "report", inputsOf(results));
            json["runs"] = ids;
            json["file"] = options->out;
            study::finishDocument(json, {}, {});
            context.console.printJson(json);
        }
    };
}

Action addExport(CLI::App& app) {
    const auto request = std::make_shared<ExportRequest>();
    addText(app, "RUN", request->run, "", "a run's number, name or uid, or 'last'")->required();
    offer(addText(app, "--what", request->what, "KIND", "table, timeline, chart or file (default table)"),
          {"table", "timeline", "chart", "file"});
    offer(
        addText(app, "--name", request->name, "NAME", "which table, chart or file, as listed below; default the first"),
        {"@exports"});
    app.footer(everyRow());
    addText(
        app, "--strategy,--rank,--select", request->strategy, "NAME",
        "whose partition or mapping, the rank of a plan's configuration, or which point, prediction, architecture or "
        "stage (default the best)");
    addOut(app, request->out, "the file to write: .csv, .svg, .png, .pdf, or .json for a timeline as a Chrome trace")
        ->required();
    offer(addText(app, "--format", request->format, "NAME", "csv, svg, png, pdf or json; default by the file's suffix"),
          {"csv", "svg", "png", "pdf", "json"});
    offer(addText(app, "--theme", request->theme, "NAME", "of pictures: light or dark (default light)"),
          {"light", "dark"});
    addText(app, "--scale", request->scale, "N", "of a PNG, from 1 to 8 (default 2)");
    return [request](Context& context) {
        const store::Store history = openHistory(context, store::OpenMode::readOnly);
        const store::RunId run = history.find(request->run);
        const study::Result result = resultOf(history, run);
        study::RunContext runContext = contextOf(context);
        // What is re-solved rests on the run's own inputs; they are only looked at where one is asked for.
        runContext.files = std::make_shared<InputFiles>([&history, run] { return store::storedInputs(history, run); });
        if (request->what == "file") {
            writeFilesOf(result, *request, run, context, runContext);
        } else {
            const std::string bytes = bytesOf(result, *request, runContext);
            context.console.endProgress();
            writeOut(context, request->out, bytes,
                     fmt::format("run {}: {} written to {}\n", run, request->what, escaped(request->out)));
        }
        if (context.common.json) {
            Json json = study::documentHead("tessera.export/1", "export", result.inputs);
            json["run"] = run;
            json["what"] = request->what;
            json["file"] = request->out;
            study::finishDocument(json, {}, {});
            context.console.printJson(json);
        }
    };
}

}  // namespace tessera::cli

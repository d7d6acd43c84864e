#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/report/comparison_report.h"
#include "core/store/documents.h"
#include "core/store/run_list.h"
#include "core/study/comparison.h"
#include "core/study/key_result.h"
#include "core/study/metric.h"

namespace tessera::cli {

namespace {

using store::HistoryQuery;
using store::OpenMode;
using store::RunId;
using store::RunRow;
using store::Store;

constexpr std::int64_t kMaxListed = 1'000'000;

/// Milliseconds since 1970 at which a local day begins, or, `later` days on, another. Throws UsageError.
std::int64_t dayOf(const std::string& option, const std::string& text, int later = 0) {
    if (const std::optional<std::int64_t> day = store::dayNamed(text, later)) return *day;
    throw UsageError(
        fmt::format("option '{}' is {}; expected a day such as 2026-03-01, or '7 days'", option, inQuotes(text)));
}

/// A column of a list: one that all runs have, else a metric.
struct ListColumn {
    const store::RunColumn* common = nullptr;
    study::Metric metric = {};
};

/// The longest texts that a column shows.
std::size_t letters(std::string_view id) {
    return id == "outcome" || id == "note" ? 80 : 40;
}

report::Table tableOf(const std::vector<RunRow>& rows, const std::vector<ListColumn>& columns) {
    report::Table table;
    table.columns = {{"run", true}};
    for (const ListColumn& column : columns)
        table.columns.push_back(column.common != nullptr
                                    ? report::Table::Column{std::string(column.common->id), column.common->isNumber}
                                    : report::Table::Column{column.metric.name, true});
    for (const RunRow& row : rows) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells.push_back(std::to_string(row.id));
        for (const ListColumn& column : columns) {
            if (column.common != nullptr) {
                const bool isStatus = column.common->id == "status";
                const bool isDamaged = column.common->id == "result" && !row.damage.empty();
                cells.push_back(isDamaged ? "damaged"
                                          : escaped(column.common->text(row), letters(column.common->id)) +
                                                (isStatus && row.starred ? " ★" : ""));
                continue;
            }
            const auto found = row.metrics.find(column.metric.name);
            study::Metric metric = column.metric;
            metric.value = found == row.metrics.end() ? 0 : found->second;
            cells.push_back(found == row.metrics.end() ? "–" : study::textOf(metric));
        }
    }
    return table;
}

void printRuns(const Context& context, const std::string& command, const std::vector<RunRow>& rows,
               const std::vector<ListColumn>& columns, std::int64_t total) {
    if (context.common.json) {
        Json json = study::documentHead("tessera.history/1", command, {});
        json["total"] = total;
        Json& runs = json["runs"] = Json::array();
        for (const RunRow& row : rows) runs.push_back(store::toJson(row));
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
        return;
    }
    if (rows.empty()) {
        context.console.print("No such runs. 'tessera partition' and 'tessera run' leave theirs here.\n");
        return;
    }
    std::string text = report::toText(tableOf(rows, columns));
    const auto shown = static_cast<std::int64_t>(rows.size());
    if (total > shown) text += fmt::format("\n{} of {} runs; --limit shows more\n", shown, formatCount(total));
    context.console.print(text);
}

/// The outcome of a command that changes the history: a sentence, or a document.
void printChange(const Context& context, const std::string& command, const std::string& sentence, const Json& facts,
                 const std::vector<std::string>& warnings = {}) {
    if (!context.common.json) {
        context.console.print(sentence + "\n");
        return;
    }
    Json json = study::documentHead("tessera.history-change/1", command, {});
    json.update(facts);
    study::finishDocument(json, {}, warnings);
    context.console.printJson(json);
}

std::vector<RunId> found(const Store& history, const std::vector<std::string>& names) {
    std::vector<RunId> runs;
    for (const std::string& name : names) {
        const RunId run = history.find(name);
        if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    }
    return runs;
}

std::string counted(std::size_t count) {
    return count == 1 ? "1 run" : fmt::format("{} runs", count);
}

/// The options that choose runs: `list` and `search` share them.
struct Choice {
    std::string engine, model, hardware, tag, status, since, until, sort = "started", limit = "50", columns;
    std::vector<std::string> where, min, max;
    std::vector<std::string> oldMin, oldMax;  ///< by the spellings of older versions
    bool starred = false, imported = false, ascending = false, deleted = false;
};

void addChoice(CLI::App& app, Choice& choice) {
    offer(addText(app, "--engine", choice.engine, "NAME", "runs of this engine"), {"@engines"});
    addText(app, "--model", choice.model, "MODEL", "runs whose model has this in its name, such as resnet");
    addText(app, "--hardware", choice.hardware, "NAME",
            "runs whose fleet, or an accelerator of it, has this in its name");
    addText(app, "--tag", choice.tag, "TAG", "runs with this tag");
    offer(addText(app, "--status", choice.status, "STATUS",
                  "queued, running, paused, interrupted, done, failed or cancelled"),
          {"@statuses"});
    addText(app, "--since", choice.since, "DAY", "started on this day or later, such as 2026-03-01 or '7 days'");
    addText(app, "--until", choice.until, "DAY", "started on this day or earlier");
    offer(
        addTexts(app, "--where", choice.where, "CONDITION",
                 "a condition as the studio's filters have them, such as 'gap < 5 %' or 'tag: night'; may be repeated"),
        {"@conditions"});
    addTexts(app, "--min", choice.min, "METRIC=N",
             "a metric is at least N, such as memory_bytes=64GiB; may be repeated");
    addTexts(app, "--max", choice.max, "METRIC=N", "a metric is at most N, such as step_time_s=40ms; may be repeated");
    const std::string hidden;
    addTexts(app, "--least", choice.oldMin, "METRIC=N", "the same as --min")->group(hidden);
    addTexts(app, "--most", choice.oldMax, "METRIC=N", "the same as --max")->group(hidden);
    app.add_flag("--starred", choice.starred, "starred runs only");
    app.add_flag("--imported", choice.imported, "runs that came from another file only");
    app.add_flag("--deleted", choice.deleted, "deleted runs that can still be restored");
    offer(addText(app, "--sort", choice.sort, "COLUMN",
                  "started, name, status, engine, model, hardware, or a metric such as step_time_s (default started)"),
          {"@sort-columns"});
    app.add_flag("--ascending", choice.ascending, "smallest or oldest first");
    offer(addText(app, "--columns", choice.columns, "LIST",
                  "columns, with commas between them: name, engine, model, hardware, result, gap, tags, started, "
                  "status, took, "
                  "outcome, note, origin, or metrics such as step_time_s; of one engine the default has its metrics"),
          {"@columns"});
    addText(app, "--limit", choice.limit, "N", "number of runs (default 50)");
}

/// What a metric of the history measures. Throws UsageError, with a hint, where no run has such a metric; an empty
/// history has none to compare with.
Measure measureOf(const std::string& option, const std::string& name, const Store& history) {
    std::vector<std::string> known;
    for (const study::Metric& kind : history.metricKinds()) {
        if (kind.name == name) return kind.measure;
        known.push_back(kind.name);
    }
    if (known.empty()) return Measure::count;
    throw UsageError(fmt::format("option '{}' is {}; {}", option, inQuotes(name),
                                 withClosest("did you mean {}?", name, known, "no run has such a metric")));
}

/// METRIC=N texts; N may have a unit. Throws UsageError.
std::pair<std::string, double> boundOf(const std::string& option, const std::string& text, const Store& history) {
    const std::size_t at = text.rfind('=');
    if (at != std::string::npos && at > 0) {
        const std::string name = text.substr(0, at);
        const std::optional<double> value = parseQuantity(text.substr(at + 1), measureOf(option, name, history));
        if (value) return {name, *value};
    }
    throw UsageError(fmt::format("option '{}' is {}; expected METRIC=N", option, inQuotes(text)));
}

/// Throws UsageError where an option's text means nothing.
HistoryQuery queryOf(const Choice& choice, const Store& history) {
    HistoryQuery query;
    query.engine = choice.engine;
    query.model = choice.model;
    query.hardware = choice.hardware;
    query.tag = choice.tag;
    if (!choice.status.empty()) {
        query.status = store::statusNamed(choice.status);
        if (!query.status)
            throw UsageError(
                fmt::format("option '--status' is {}; expected queued, running, paused, interrupted, "
                            "done, failed or cancelled",
                            inQuotes(choice.status)));
    }
    if (!choice.since.empty()) query.from = dayOf("--since", choice.since);
    if (!choice.until.empty()) query.to = dayOf("--until", choice.until, 1) - 1;
    const auto addBounds = [&](const std::string& option, const std::vector<std::string>& texts, bool isMin) {
        for (const std::string& text : texts) {
            const auto [metric, value] = boundOf(option, text, history);
            query.ranges.push_back(
                {metric, isMin ? std::optional(value) : std::nullopt, isMin ? std::nullopt : std::optional(value)});
        }
    };
    addBounds("--min", choice.min, true);
    addBounds("--max", choice.max, false);
    addBounds("--least", choice.oldMin, true);
    addBounds("--most", choice.oldMax, false);
    if (choice.starred) query.starred = true;
    if (choice.imported) query.imported = true;
    query.deleted = choice.deleted;
    query.descending = !choice.ascending;
    query.orderBy = choice.sort;
    if (!choice.where.empty()) {
        const std::vector<study::Metric> kinds = history.metricKinds();
        for (const std::string& text : choice.where) store::addCondition(query, text, kinds);
    }
    static const std::set<std::string> kColumns{"started", "name", "status", "engine", "model", "hardware"};
    if (!kColumns.contains(choice.sort)) {
        measureOf("--sort", choice.sort, history);
        query.metrics.push_back(choice.sort);
    }
    return query;
}

/// The columns that are asked for, else those that lists have: of one engine its metrics too. Throws UsageError.
std::vector<ListColumn> columnsOf(const std::string& asked, const HistoryQuery& query, const Store& history) {
    std::vector<ListColumn> columns;
    const std::vector<study::Metric> kinds = history.metricKinds();
    const auto addMetric = [&](const std::string& name) {
        const auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const study::Metric& each) { return each.name == name; });
        if (kind != kinds.end()) columns.push_back({.metric = *kind});
        return kind != kinds.end();
    };
    if (asked.empty()) {
        for (const char* id : {"started", "status", "engine", "name", "model", "hardware", "result", "gap", "tags"})
            if (id != std::string_view("engine") || query.engine.empty())
                columns.push_back({.common = store::findRunColumn(id)});
        if (!query.engine.empty())
            for (const std::string& name : store::engineMetrics(history, query.engine)) addMetric(name);
        return columns;
    }
    for (const std::string_view part : split(asked, ',')) {
        const std::string name(trimmed(part));
        if (const store::RunColumn* common = store::findRunColumn(name)) {
            columns.push_back({.common = common});
            continue;
        }
        if (addMetric(name)) continue;
        std::vector<std::string> known;
        for (const store::RunColumn& column : store::runColumns()) known.emplace_back(column.id);
        const std::string common = joined(known, ", ");
        for (const study::Metric& kind : kinds) known.push_back(kind.name);
        throw UsageError(fmt::format(
            "option '--columns' names {}; {}", inQuotes(name),
            withClosest("did you mean {}?", name, known, "expected a metric of the history or one of " + common)));
    }
    return columns;
}

void listRuns(Context& context, const std::string& command, const Choice& choice, const std::string& text) {
    const Store history = openHistory(context, OpenMode::readOnly);
    HistoryQuery query = queryOf(choice, history);
    query.text = text;
    std::vector<ListColumn> columns = columnsOf(choice.columns, query, history);
    if (!choice.columns.empty())
        for (const ListColumn& column : columns)
            if (column.common == nullptr) query.metrics.push_back(column.metric.name);
    // The document has the metrics that were asked for; the table's columns need more.
    HistoryQuery shown = query;
    if (!context.common.json) {
        for (const ListColumn& column : columns)
            if (column.common == nullptr) shown.metrics.push_back(column.metric.name);
        const std::vector<std::string>& keys = study::keyMetrics();
        shown.metrics.insert(shown.metrics.end(), keys.begin(), keys.end());
    }
    const std::int64_t limit = wholeOf("--limit", choice.limit, 1, kMaxListed);
    const std::vector<RunRow> rows = history.query(shown, limit);
    // Where some came from elsewhere, a list says which.
    if (choice.columns.empty() &&
        std::any_of(rows.begin(), rows.end(), [](const RunRow& row) { return row.imported.has_value(); }))
        columns.push_back({.common = store::findRunColumn("origin")});
    printRuns(context, command, rows, columns, history.count(query));
    for (const RunRow& row : rows)
        if (!row.damage.empty()) throw FileError(row.damage);
}

/// Names and hashes of what a run's result rests on.
std::vector<study::Input> storedInputsOf(const Store& history, RunId run) {
    std::vector<study::Input> inputs;
    for (const store::InputContent& input : history.inputs(run)) inputs.push_back({input.name, input.sha256});
    return inputs;
}

std::string cellOf(const RunRow& row, const std::vector<study::Metric>& metrics,
                   const std::vector<study::Input>& inputs, const study::Study& study) {
    report::Table facts;
    facts.columns = {{"property"}, {"value"}};
    const auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) facts.rows.push_back({name, escaped(value, 400)});
    };
    add("name", row.name);
    add("status", std::string(store::nameOf(row.status)) + (row.starred ? " ★" : ""));
    add("engine", row.engine);
    add("model", row.models);
    add("hardware", row.hardware);
    add("started", store::dateText(row.started));
    add("finished", store::dateText(row.finished));
    if (row.started) add("took", formatSeconds(static_cast<double>(row.worked) / 1000));
    if (row.imported) add("imported", fmt::format("from {} on {}", row.importedFrom, store::dateText(row.imported)));
    add("tags", joined(row.tags, ", "));
    add("note", row.note);
    add("host", row.host);
    add("version", row.version);
    add("uid", row.uid);
    add("study", row.studyHash);
    std::string text = fmt::format("run {}: {}\n\n{}", row.id, escaped(row.headline, 400), report::toText(facts));
    report::Table values;
    values.columns = {{"metric"}, {"of"}, {"value", true}, {"name"}};
    for (const study::Metric& metric : metrics)
        values.rows.push_back({metric.title, metric.owner, study::textOf(metric), metric.name});
    if (!values.rows.empty()) text += "\n" + report::toText(values);
    report::Table contents;
    contents.columns = {{"input"}, {"SHA-256"}};
    for (const study::Input& input : inputs) contents.rows.push_back({escaped(input.name), input.sha256});
    if (!contents.rows.empty()) text += "\n" + report::toText(contents);
    return text + "\nStudy\n" + tessera::toText(study::toJson(study));
}

void showRun(Context& context, const std::string& name, bool result) {
    const Store history = openHistory(context, OpenMode::readOnly);
    const RunId run = history.find(name);
    if (result) {
        if (!history.writeResult(run, [&](std::string_view part) { context.console.print(part); }))
            throw UsageError(fmt::format("run {} has no result; {}", run, resumeHint(history.run(run)->engine, run)));
        return;
    }
    const auto row = history.run(run);
    if (!row) throw UsageError(fmt::format("there is no run {}", run));
    const std::vector<study::Metric> metrics = history.metrics(run);
    const study::Study study = history.study(run);
    const std::vector<study::Input> inputs = storedInputsOf(history, run);
    if (!context.common.json) {
        context.console.print(cellOf(*row, metrics, inputs, study));
        return;
    }
    Json json = study::documentHead("tessera.history-run/1", "history show", inputs, row->seed);
    const Json facts = store::toJson(*row);
    for (const auto& [key, value] : facts.items())
        if (key != "seed") json[key] = value;
    json["study_document"] = study::toJson(study);
    Json& values = json["metrics"] = Json::object();
    for (const study::Metric& metric : metrics) values[metric.name] = metric.value;
    json["artifacts"] = history.artifacts(run);
    study::finishDocument(json, {}, {});
    context.console.printJson(json);
}

void compareRuns(Context& context, const std::vector<std::string>& names, const std::string& baseline, bool all) {
    const Store history = openHistory(context, OpenMode::readOnly);
    const std::vector<RunId> runs = found(history, names);
    if (runs.size() < 2) throw UsageError("two runs or more are needed for a comparison");
    const std::size_t reference = placeOfBaseline(history, runs, baseline);
    std::vector<study::Result> results;
    std::vector<std::string> titles;
    for (const RunId run : runs) {
        auto result = history.result(run);
        if (!result) throw UsageError(fmt::format("run {} has no result to compare", run));
        results.push_back(std::move(*result));
        const auto row = history.run(run);
        titles.push_back(fmt::format("run {}", run) + (row && !row->name.empty() ? ", " + row->name : ""));
    }
    std::vector<const study::Result*> pointers;
    pointers.reserve(results.size());
    for (const study::Result& result : results) pointers.push_back(&result);
    const study::ComparedKinds kinds = study::compareByKind(pointers, titles, reference);
    if (context.common.json) {
        const study::Comparison comparison = study::compare(pointers, titles, reference);
        Json json = study::documentHead("tessera.comparison/1", "history compare", inputsOf(results));
        json.update(report::toJson(comparison));
        json["groups"] = report::toJson(kinds);
        study::finishDocument(json, {}, comparison.warnings);
        context.console.printJson(json);
    } else {
        context.console.print(report::toText(kinds, titles, all));
    }
}

/// Makes a command on runs that are named on the command line.
Action onRuns(CLI::App& app, std::function<void(Context&, Store&, const std::vector<RunId>&)> work) {
    const auto names = std::make_shared<std::vector<std::string>>();
    app.add_option("RUN", *names, "runs by number, name or uid, or 'last'")->required()->type_name("");
    return [names, work = std::move(work)](Context& context) {
        Store history = openHistory(context, OpenMode::readWrite);
        work(context, history, found(history, *names));
    };
}

/// While it lives, long work on the history ends soon after Ctrl+C; `what` was stopped then.
PollScope untilStopped(const Context& context, std::string what) {
    return PollScope([&context, what = std::move(what)] {
        if (context.stop.stop_requested()) throw InterruptedError(what + " was stopped");
    });
}

/// "run 3 was left out: …", "runs 3, 7 and 2 more were left out; of the first: …".
std::string leftOutText(const std::map<RunId, std::string>& damaged) {
    constexpr std::size_t kMaxNamed = 10;
    const auto& [first, why] = *damaged.begin();
    if (damaged.size() == 1) return fmt::format("run {} was left out: {}", first, why);
    std::vector<std::string> names;
    for (const auto& [run, sentence] : damaged)
        if (names.size() < kMaxNamed) names.push_back(std::to_string(run));
    const std::size_t others = damaged.size() - names.size();
    return fmt::format("runs {}{} were left out; of the first one: {}", joined(names, ", "),
                       others == 0 ? "" : fmt::format(" and {} more", others), why);
}

Action addMerging(CLI::App& app, const std::string& command, const std::string& help) {
    const auto file = std::make_shared<std::string>();
    addFile(app, "FILE", *file, "", help)->required();
    return [file, command](Context& context) {
        const PollScope polling = untilStopped(context, "taking in " + escaped(*file));
        Store history = openHistory(context, OpenMode::readWrite);
        const store::MergeCount count = history.merge(*file);
        std::vector<std::string> warnings;
        for (const auto& [run, sentence] : count.damaged)
            warnings.push_back(fmt::format("Run {} was left out: {}.", run, sentence));
        printChange(
            context, command,
            fmt::format("{} added, {} already here", counted(static_cast<std::size_t>(count.added)), count.present),
            {{"added", count.added}, {"present", count.present}}, warnings);
        if (!count.damaged.empty()) throw store::StoreError(store::StoreProblem::damaged, leftOutText(count.damaged));
    };
}

}  // namespace

Action addHistoryList(CLI::App& app) {
    const auto choice = std::make_shared<Choice>();
    addChoice(app, *choice);
    return [choice](Context& context) { listRuns(context, "history list", *choice, ""); };
}

Action addHistorySearch(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    const auto choice = std::make_shared<Choice>();
    app.add_option("WORD", *words, "words, found by their beginning in names, tags, notes, models and hardware")
        ->required()
        ->type_name("");
    addChoice(app, *choice);
    return [words, choice](Context& context) { listRuns(context, "history search", *choice, joined(*words, " ")); };
}

Action addHistoryShow(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    const auto result = std::make_shared<bool>(false);
    addText(app, "RUN", *name, "", "a run's number, name or uid, or 'last'")->required();
    app.add_flag("--result", *result, "prints the run's result document, as the run itself did with --json");
    return [name, result](Context& context) { showRun(context, *name, *result); };
}

Action addHistoryCompare(CLI::App& app) {
    struct Options {
        std::vector<std::string> runs;
        std::string baseline;
        bool all = false;
    };
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "two runs or more")->required()->type_name("");
    addText(app, "--baseline", options->baseline, "RUN", "the run that ratios refer to (default the first)");
    app.add_flag("--all", options->all, "also shows what is the same");
    return [options](Context& context) { compareRuns(context, options->runs, options->baseline, options->all); };
}

Action addHistoryExport(CLI::App& app) {
    struct Options {
        std::vector<std::string> runs;
        std::string out, format = "tessera";
    };
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "runs by number, name or uid, or 'last'")->required()->type_name("");
    addFile(app, kOut, options->out, "FILE", "the file to write")->required();
    addText(app, "--format", options->format, "FORMAT",
            "tessera: for another history, optuna: a study of one run for Optuna Dashboard (default tessera)");
    return [options](Context& context) {
        if (options->format != "tessera" && options->format != "optuna")
            throw UsageError(
                fmt::format("option '--format' is {}; expected tessera or optuna", inQuotes(options->format)));
        const PollScope polling = untilStopped(context, "the export to " + escaped(options->out));
        const Store history = openHistory(context, OpenMode::readOnly);
        const std::vector<RunId> runs = found(history, options->runs);
        if (options->format == "tessera")
            history.exportRuns(runs, options->out);
        else if (runs.size() == 1)
            history.exportOptuna(runs.front(), options->out);
        else
            throw UsageError("the format optuna takes exactly one run");
        printChange(context, "history export",
                    fmt::format("{} written to {}", counted(runs.size()), escaped(options->out)),
                    {{"runs", runs}, {"file", options->out}, {"format", options->format}});
    };
}

Action addHistoryImport(CLI::App& app) {
    return addMerging(app, "history import", "a file that 'tessera history export' wrote");
}

Action addHistoryMerge(CLI::App& app) {
    return addMerging(app, "history merge", "another history");
}

Action addHistoryBackup(CLI::App& app) {
    const auto file = std::make_shared<std::string>();
    addFile(app, "FILE", *file, "", "the copy")->required();
    return [file](Context& context) {
        const PollScope polling = untilStopped(context, "the copy to " + escaped(*file));
        const Store history = openHistory(context, OpenMode::readOnly);
        history.backup(*file);
        printChange(context, "history backup", fmt::format("copied to {}", escaped(*file)), {{"file", *file}});
    };
}

Action addHistoryVacuum(CLI::App& /*app*/) {
    return [](Context& context) {
        const PollScope polling = untilStopped(context, "tidying the history");
        Store history = openHistory(context, OpenMode::readWrite);
        const std::int64_t removed = history.purge();
        history.vacuum();
        printChange(context, "history vacuum",
                    fmt::format("{} removed for good", counted(static_cast<std::size_t>(removed))),
                    {{"removed", removed}});
    };
}

Action addHistoryVerify(CLI::App& /*app*/) {
    return [](Context& context) {
        const Store history = openHistory(context, OpenMode::readOnly);
        const RunControl control = context.control();
        const store::Verification found = history.verify([&](std::int64_t done, std::int64_t runs) {
            control.reportProgress(runs == 0 ? "checking the file" : "checking the runs", static_cast<double>(done),
                                   static_cast<double>(runs));
            return !control.cancelled();
        });
        context.console.endProgress();
        if (context.common.json) {
            Json json = study::documentHead("tessera.history-verification/1", "history verify", {});
            json["sound"] = found.problems.empty();
            json["runs"] = found.runs;
            json["stored_inputs"] = found.inputs;
            json["trace_points"] = found.tracePoints;
            json["problems"] = found.problems;
            study::finishDocument(json, {}, {});
            context.console.printJson(json);
        } else if (found.problems.empty()) {
            context.console.print(fmt::format("sound: {}, {} stored inputs, {} trace points\n",
                                              counted(static_cast<std::size_t>(found.runs)), found.inputs,
                                              found.tracePoints));
        } else {
            for (const std::string& problem : found.problems) context.console.print(escaped(problem, 400) + "\n");
        }
        if (!found.problems.empty())
            throw FileError(
                fmt::format("{}: {} found; restore a backup of the history, or remove the damaged runs by 'tessera "
                            "history delete' and 'tessera history vacuum'",
                            escaped(history.path().string()),
                            found.problems.size() == 1 ? "1 problem was"
                                                       : std::to_string(found.problems.size()) + " problems were"));
    };
}

Action addHistoryDelete(CLI::App& app) {
    const auto restore = std::make_shared<bool>(false);
    app.add_flag("--restore", *restore, "brings deleted runs back");
    return onRuns(app, [restore](Context& context, Store& history, const std::vector<RunId>& runs) {
        history.setDeleted(runs, !*restore);
        printChange(context, "history delete",
                    fmt::format("{} {}", counted(runs.size()),
                                *restore           ? "restored"
                                : runs.size() == 1 ? "deleted; --restore brings it back until 'vacuum'"
                                                   : "deleted; --restore brings them back until 'vacuum'"),
                    {{"runs", runs}, {"deleted", !*restore}});
    });
}

Action addHistoryTag(CLI::App& app) {
    struct Options {
        std::string run;
        std::vector<std::string> tags;
        bool remove = false;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "RUN", options->run, "", "a run's number, name or uid, or 'last'")->required();
    app.add_option("TAG", options->tags, "tags")->required()->type_name("");
    app.add_flag("--remove", options->remove, "takes the tags off");
    return [options](Context& context) {
        Store history = openHistory(context, OpenMode::readWrite);
        const RunId run = history.find(options->run);
        const auto row = history.run(run);
        std::set<std::string> tags;
        if (row) tags.insert(row->tags.begin(), row->tags.end());
        for (const std::string& text : options->tags) {
            const std::string tag(trimmed(text));
            if (tag.empty()) throw UsageError("argument TAG is ''; expected a word");
            if (options->remove)
                tags.erase(tag);
            else
                tags.insert(tag);
        }
        const std::vector<std::string> list(tags.begin(), tags.end());
        history.setTags(run, list);
        printChange(context, "history tag",
                    list.empty() ? fmt::format("run {} has no tags", run)
                                 : fmt::format("run {} has {}", run, escaped(joined(list, ", "), 400)),
                    {{"runs", {run}}, {"tags", list}});
    };
}

Action addHistoryNote(CLI::App& app) {
    struct Options {
        std::string run, text;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "RUN", options->run, "", "a run's number, name or uid, or 'last'")->required();
    addText(app, "TEXT", options->text, "", "the note; '' removes it")->required();
    return [options](Context& context) {
        Store history = openHistory(context, OpenMode::readWrite);
        const RunId run = history.find(options->run);
        history.setNote(run, options->text);
        printChange(context, "history note",
                    fmt::format("run {} {}", run, options->text.empty() ? "has no note" : "has the note"),
                    {{"runs", {run}}, {"note", options->text}});
    };
}

Action addHistoryStar(CLI::App& app) {
    const auto remove = std::make_shared<bool>(false);
    app.add_flag("--remove", *remove, "takes the star off");
    return onRuns(app, [remove](Context& context, Store& history, const std::vector<RunId>& runs) {
        history.setStarred(runs, !*remove);
        printChange(context, "history star",
                    fmt::format("{} {}", counted(runs.size()), *remove ? "without a star" : "starred"),
                    {{"runs", runs}, {"starred", !*remove}});
    });
}

}  // namespace tessera::cli

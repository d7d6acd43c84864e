#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/handover.h"
#include "core/store/documents.h"
#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/engine.h"
#include "core/study/metric.h"

namespace tessera::python {

namespace {

using store::OpenMode;
using store::RunId;

/// Makes a query of the members of a JSON object that are given. Throws UsageError, DataError.
store::HistoryQuery queryOf(const JsonNode& node) {
    node.allowOnly(
        {"text", "engine", "model", "hardware", "tag", "status", "starred", "sort", "ascending", "metrics", "deleted"});
    store::HistoryQuery query{.text = node.textOr("text", ""),
                              .engine = node.textOr("engine", ""),
                              .model = node.textOr("model", ""),
                              .hardware = node.textOr("hardware", ""),
                              .tag = node.textOr("tag", "")};
    if (node.has("status")) {
        query.status = store::statusNamed(node.at("status").text());
        if (!query.status)
            throw UsageError(
                fmt::format("the status is {}; expected one of queued, running, paused, interrupted, done, "
                            "failed, cancelled",
                            inQuotes(node.at("status").text())));
    }
    if (node.has("starred")) query.starred = node.at("starred").boolean();
    if (node.has("deleted")) query.deleted = node.at("deleted").boolean();
    query.orderBy = node.textOr("sort", query.orderBy);
    if (node.has("ascending")) query.descending = !node.at("ascending").boolean();
    if (node.has("metrics"))
        for (const JsonNode& name : node.at("metrics").elements()) query.metrics.push_back(name.text());
    return query;
}

/// Rows of the history as JSON, with the metrics that are asked for.
py::str runs(const std::string& history, const std::string& query, std::int64_t limit) {
    return toPython(unlocked([&] {
        const store::Store opened = store::openNamed(history, OpenMode::readOnly);
        Json rows = Json::array();
        const store::HistoryQuery wanted =
            withDocument(query, "the query", [](const JsonDocument& document) { return queryOf(document.root()); });
        for (const store::RunRow& row : opened.query(wanted, limit)) rows.push_back(store::toJson(row));
        return toText(rows);
    }));
}

std::int64_t count(const std::string& history) {
    return unlocked([&] { return store::openNamed(history, OpenMode::readOnly).count({}); });
}

RunId find(const std::string& history, const std::string& name) {
    return unlocked([&] { return store::openNamed(history, OpenMode::readOnly).find(name); });
}

HeldStudy study(const std::string& history, const std::string& name) {
    return unlocked([&] {
        const store::Store opened = store::openNamed(history, OpenMode::readOnly);
        return HeldStudy{opened.study(opened.find(name))};
    });
}

HeldResult result(const std::string& history, const std::string& name) {
    return unlocked([&] {
        const store::Store opened = store::openNamed(history, OpenMode::readOnly);
        const RunId run = opened.find(name);
        std::optional<study::Result> found = opened.result(run);
        if (!found)
            throw UsageError(
                fmt::format("run {} has no result; its status is {}", run, store::nameOf(opened.run(run)->status)));
        return HeldResult{.result = std::make_shared<const study::Result>(std::move(*found)),
                          .study = HeldStudy{opened.study(run)},
                          .files = store::storedInputs(opened, run),
                          .run = run};
    });
}

/// Keeps a result that was computed elsewhere, as a run that is done.
RunId add(const std::string& history, const HeldResult& held, const std::string& name,
          const std::vector<std::string>& tags) {
    return unlocked([&] {
        store::Store opened = store::openNamed(history, OpenMode::readWrite);
        const std::lock_guard lock(*held.usesFiles);
        study::RunContext context;
        context.files = held.files;
        store::InputSet inputs(held.result->study, context);
        const RunId run = opened.addRun(held.result->study);
        opened.finishRun(run, *held.result, study::headline(*held.result), std::move(inputs).of(*held.result));
        if (!name.empty()) opened.setName(run, name);
        if (!tags.empty()) opened.setTags(run, tags);
        return run;
    });
}

/// Studies name inputs that are made of runs of this history, until another one serves.
void serve(const std::string& history) {
    report::serveRunInputs([history] { return store::openNamed(history, OpenMode::readOnly); });
}

void setTags(const std::string& history, const std::string& name, const std::vector<std::string>& tags) {
    unlocked([&] {
        store::Store opened = store::openNamed(history, OpenMode::readWrite);
        opened.setTags(opened.find(name), tags);
    });
}

void setNote(const std::string& history, const std::string& name, const std::string& note) {
    unlocked([&] {
        store::Store opened = store::openNamed(history, OpenMode::readWrite);
        opened.setNote(opened.find(name), note);
    });
}

}  // namespace

void addHistory(py::module_& module) {
    serve("");
    module.def("history_serve", serve);
    module.def("history_path", [](const std::string& history) { return toPython(store::pathNamed(history).string()); });
    module.def("history_runs", runs);
    module.def("history_count", count);
    module.def("history_find", find);
    module.def("history_study", study);
    module.def("history_result", result);
    module.def("history_add", add);
    module.def("history_set_tags", setTags);
    module.def("history_set_note", setNote);
}

}  // namespace tessera::python

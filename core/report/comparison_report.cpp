#include "core/report/comparison_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::report {

namespace {

constexpr std::size_t kLongestValue = 80;
constexpr std::size_t kLongestNote = 400;

Table tableWith(const std::vector<std::string>& heads, const std::vector<std::string>& runs, bool numbers) {
    Table table;
    for (const std::string& head : heads) table.columns.push_back({head});
    for (const std::string& run : runs) table.columns.push_back({escaped(run, kLongestValue), numbers});
    return table;
}

std::string shownCell(const std::string& value) {
    return value.empty() ? "–" : escaped(value, kLongestValue);
}

std::string cell(const study::Comparison& comparison, const study::Comparison::MetricRow& row, std::size_t run) {
    if (!row.values[run]) return "–";
    study::Metric metric = row.metric;
    metric.value = *row.values[run];
    std::string text = study::textOf(metric);
    if (run != comparison.baseline && row.ratios[run]) text += fmt::format(" ({:.3g}×)", *row.ratios[run]);
    return text;
}

std::string section(const std::string& title, const Table& table) {
    return table.rows.empty() ? "" : "\n" + title + "\n" + toText(table);
}

}  // namespace

Table inputTable(const study::Comparison& comparison, bool all) {
    Table table = tableWith({"section", "field"}, comparison.runs, false);
    for (const study::Comparison::Row& row : comparison.inputs) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.section, escaped(row.field, kLongestValue)};
        for (const std::string& value : row.values) cells.push_back(shownCell(value));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table metricTable(const study::Comparison& comparison, bool all) {
    Table table = tableWith({"metric", "of"}, comparison.runs, true);
    for (const study::Comparison::MetricRow& row : comparison.metrics) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.metric.title, row.metric.owner};
        for (std::size_t run = 0; run < comparison.runs.size(); ++run) cells.push_back(cell(comparison, row, run));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table layerDifferenceTable(const study::Comparison& comparison, bool all) {
    Table table = tableWith({"strategy", "level", "group", "layer"}, comparison.runs, false);
    table.columns[1].number = true;
    for (const study::Comparison::LayerRow& row : comparison.layers) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.strategy, std::to_string(row.level), escaped(row.group, kLongestValue),
                                       escaped(row.layer, kLongestValue)};
        for (const std::string& type : row.types) cells.push_back(shownCell(type));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table shareTable(const study::Comparison& comparison, bool all) {
    Table table = tableWith({"strategy", "type"}, comparison.runs, true);
    for (const study::Comparison::ShareRow& row : comparison.shares) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.strategy, row.type};
        for (const auto& share : row.shares) cells.push_back(share ? study::percentText(*share) : "–");
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table jobDifferenceTable(const study::Comparison& comparison, bool all) {
    Table table = tableWith({"job"}, comparison.runs, false);
    for (const study::Comparison::JobRow& row : comparison.jobs) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{escaped(row.name, kLongestValue)};
        for (const auto& place : row.places)
            cells.push_back(!place ? "–"
                                   : fmt::format("{} #{} at {}", escaped(place->core, kLongestValue), place->order,
                                                 place->seconds ? formatQuantity(place->start, Measure::seconds)
                                                                : formatCount(std::round(place->start)) + " cycles"));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string toText(const study::Comparison& comparison, bool all) {
    std::string text;
    for (const std::string& warning : comparison.warnings) text += "Note: " + escaped(warning, kLongestNote) + "\n";
    text += section("Inputs", inputTable(comparison, all)) + section("Metrics", metricTable(comparison, all)) +
            section("Layers", layerDifferenceTable(comparison, all)) +
            section("Shares of types", shareTable(comparison, all)) +
            section("Jobs", jobDifferenceTable(comparison, all));
    for (const std::string& note : comparison.notes) text += "\n" + escaped(note, kLongestNote) + "\n";
    if (text.empty()) return "The runs are the same.\n";
    text = escaped(comparison.finding, kLongestNote) + "\n" + (text.front() == '\n' ? "" : "\n") + text;
    return text;
}

namespace {

Json jobsJson(const study::Comparison& comparison) {
    Json jobs = Json::array();
    for (const study::Comparison::JobRow& row : comparison.jobs) {
        Json places = Json::array();
        for (const auto& place : row.places) {
            if (!place) {
                places.push_back(nullptr);
                continue;
            }
            const std::string unit = place->seconds ? "_s" : "_cycles";
            places.push_back({{"sub_accelerator", place->core},
                              {"order", place->order},
                              {"start" + unit, place->start},
                              {"finish" + unit, place->finish}});
        }
        jobs.push_back({{"job", row.job}, {"name", row.name}, {"places", places}, {"same", row.same}});
    }
    return jobs;
}

}  // namespace

Json toJson(const study::Comparison& comparison) {
    Json json = {{"runs", comparison.runs},
                 {"baseline", comparison.baseline},
                 {"deciding_metric", comparison.deciding.empty() ? Json(nullptr) : Json(comparison.deciding)},
                 {"finding", comparison.finding}};
    Json& inputs = json["input_differences"] = Json::array();
    for (const study::Comparison::Row& row : comparison.inputs)
        inputs.push_back({{"section", row.section}, {"field", row.field}, {"values", row.values}, {"same", row.same}});
    Json& metrics = json["metrics"] = Json::array();
    for (const study::Comparison::MetricRow& row : comparison.metrics) {
        Json values = Json::array();
        Json ratios = Json::array();
        for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json(nullptr));
        for (const auto& ratio : row.ratios) ratios.push_back(ratio ? Json(*ratio) : Json(nullptr));
        metrics.push_back({{"metric", row.metric.name}, {"values", values}, {"ratios", ratios}, {"same", row.same}});
    }
    Json& layers = json["layers"] = Json::array();
    for (const study::Comparison::LayerRow& row : comparison.layers)
        layers.push_back({{"strategy", row.strategy},
                          {"level", row.level},
                          {"group", row.group},
                          {"layer", row.layer},
                          {"types", row.types},
                          {"same", row.same}});
    Json& shares = json["type_shares"] = Json::array();
    for (const study::Comparison::ShareRow& row : comparison.shares) {
        Json values = Json::array();
        for (const auto& share : row.shares) values.push_back(share ? Json(*share) : Json(nullptr));
        shares.push_back({{"strategy", row.strategy}, {"type", row.type}, {"shares", values}, {"same", row.same}});
    }
    if (!comparison.jobs.empty()) json["jobs"] = jobsJson(comparison);
    json["notes"] = comparison.notes;
    return json;
}

}  // namespace tessera::report

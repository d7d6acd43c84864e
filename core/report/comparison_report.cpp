#include "core/report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table_columns.h"
#include "core/report/field_table.h"

namespace tessera::report {

namespace {

constexpr std::size_t kLongestValue = 80;
constexpr std::size_t kLongestNote = 600;
constexpr std::size_t kTextWidth = 150;
constexpr std::size_t kMaxBeside = 8;  ///< runs that have a column each where their inputs are many

using study::Comparison;
using study::Metric;

Table lettered(const std::vector<std::string>& heads, const Comparison& comparison, bool numbers) {
    Table table;
    for (const std::string& head : heads) table.columns.push_back({head});
    for (const std::string& letter : comparison.letters) table.columns.push_back({letter, numbers});
    return table;
}

std::string shownCell(const std::string& value) {
    return value.empty() ? "–" : escaped(value, kLongestValue);
}

std::string textAt(const Comparison::MetricRow& row, double value) {
    Metric metric = row.metric;
    metric.value = value;
    return study::textOf(metric);
}

std::string valueText(const Comparison::MetricRow& row, std::size_t run) {
    return row.values[run] ? textAt(row, *row.values[run]) : "–";
}

/// Shares are told apart by points: "twice a gap of 0.1 %" means little.
bool isShare(const Comparison::MetricRow& row) {
    return row.metric.measure == Measure::count && textAt(row, 1).ends_with(" %");
}

std::string signOf(double difference) {
    return difference < 0 ? "−" : "+";
}

std::string differenceText(const Comparison::MetricRow& row, double value, double base) {
    const double difference = value - base;
    if (isShare(row)) return fmt::format("{}{:.2g} points", signOf(difference), 100 * std::abs(difference));
    if (base == 0) return signOf(difference) + textAt(row, std::abs(difference));
    const double ratio = value / base;
    if (ratio <= 0.5 || ratio >= 2) return study::timesText(ratio);
    return signOf(difference) + study::percentText(std::abs(ratio - 1));
}

/// Whether a metric has a column: at least two runs have it, and it tells them apart.
bool isShown(const Comparison::MetricRow& row, bool all) {
    const auto known = std::count_if(row.values.begin(), row.values.end(), [](const auto& value) { return value; });
    return known > 1 && (all || !row.same);
}

std::string headOf(const Comparison::MetricRow& row) {
    return columnHead(row.metric.title) + (row.comparable ? "" : " (not comparable)");
}

void addMetricColumns(Table& table, const Comparison& comparison, const Comparison::MetricRow& row) {
    table.columns.push_back({headOf(row), true});
    if (row.comparable)
        table.columns.push_back({fmt::format("{} vs {}", kDifference, comparison.letters[comparison.baseline]), true});
}

void addMetricCells(std::vector<std::string>& cells, const Comparison& comparison, const Comparison::MetricRow& row,
                    std::size_t run) {
    cells.push_back(valueText(row, run));
    if (!row.comparable) return;
    const std::string delta = deltaText(comparison, row, run);
    cells.push_back(run == comparison.baseline ? "baseline" : delta.empty() ? "–" : delta);
}

std::string section(const std::string& title, const Table& table, std::size_t keys) {
    return table.rows.empty() ? "" : "\n" + title + "\n" + toText(table, keys, kTextWidth);
}

}  // namespace

std::string deltaText(const Comparison& comparison, const Comparison::MetricRow& row, std::size_t run) {
    constexpr double kRounding = 1e-9;
    const std::optional<double>&value = row.values[run], &base = row.values[comparison.baseline];
    if (run == comparison.baseline || !value || !base) return "";
    if (!row.comparable) return "not comparable";
    const double difference = *value - *base;
    if (std::abs(difference) <= kRounding * std::abs(*base)) return "same";
    const std::string text = differenceText(row, *value, *base);
    if (row.metric.better == Metric::Better::neither) return text;
    return text + ((difference < 0) == (row.metric.better == Metric::Better::lower) ? ", better" : ", worse");
}

std::vector<const Comparison::MetricRow*> shownMetrics(const Comparison& comparison, bool all) {
    std::vector<const Comparison::MetricRow*> rows;
    for (const bool comparable : {true, false})
        for (const Comparison::MetricRow& row : comparison.metrics)
            if (row.comparable == comparable && row.metric.owner.empty() && isShown(row, all)) rows.push_back(&row);
    return rows;
}

Table metricTable(const Comparison& comparison, bool all) {
    const std::vector<const Comparison::MetricRow*> rows = shownMetrics(comparison, all);
    Table table;
    if (rows.empty()) return table;
    table.columns = {{""}, {"run"}};
    for (const Comparison::MetricRow* row : rows) addMetricColumns(table, comparison, *row);
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells = {comparison.letters[run], escaped(comparison.runs[run], kLongestValue)};
        for (const Comparison::MetricRow* row : rows) addMetricCells(cells, comparison, *row, run);
    }
    return table;
}

Table ownedMetricTable(const Comparison& comparison, bool all) {
    struct Owned {
        std::string owner;
        std::vector<const Comparison::MetricRow*> rows;  ///< one per column, null where it has none
    };
    std::vector<Owned> owners;
    std::vector<const Comparison::MetricRow*> columns;  // one that stands for each
    std::map<std::string, std::size_t> columnOf, ownerOf;
    for (const Comparison::MetricRow& row : comparison.metrics) {
        if (row.metric.owner.empty() || !row.comparable || !isShown(row, all)) continue;
        const auto [column, newColumn] = columnOf.try_emplace(row.metric.title, columns.size());
        if (newColumn) columns.push_back(&row);
        const auto [owner, newOwner] = ownerOf.try_emplace(row.metric.owner, owners.size());
        if (newOwner) owners.push_back({row.metric.owner, {}});
        std::vector<const Comparison::MetricRow*>& its = owners[owner->second].rows;
        its.resize(std::max(its.size(), column->second + 1), nullptr);
        its[column->second] = &row;
    }
    Table table;
    if (owners.empty()) return table;
    table.columns = {{"of"}, {"run"}};
    for (const Comparison::MetricRow* row : columns) addMetricColumns(table, comparison, *row);
    for (Owned& owner : owners) {
        owner.rows.resize(columns.size(), nullptr);
        for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
            if (std::none_of(owner.rows.begin(), owner.rows.end(),
                             [&](const auto* row) { return row != nullptr && row->values[run]; }))
                continue;
            std::vector<std::string>& cells = table.rows.emplace_back();
            cells = {escaped(owner.owner, kLongestValue), comparison.letters[run]};
            for (const Comparison::MetricRow* row : owner.rows) {
                if (row != nullptr)
                    addMetricCells(cells, comparison, *row, run);
                else
                    cells.insert(cells.end(), 2, "–");
            }
        }
    }
    return table;
}

Table inputTable(const Comparison& comparison, bool all) {
    Table table = lettered({"section", "field"}, comparison, false);
    for (const Comparison::Row& row : comparison.inputs) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.section, escaped(row.field, kLongestValue)};
        for (const std::string& value : row.values) cells.push_back(shownCell(value));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table shownInputs(const Comparison& comparison, bool all) {
    constexpr std::size_t kHash = 64, kShown = 12;
    Table table = inputTable(comparison, all);
    const bool engines = std::any_of(comparison.inputs.begin(), comparison.inputs.end(),
                                     [](const Comparison::Row& row) { return row.field == "engine" && !row.same; });
    if (!all)
        std::erase_if(table.rows, [&](const std::vector<std::string>& row) {
            const auto missing = static_cast<std::size_t>(std::count(row.begin() + 2, row.end(), "–"));
            return missing + 3 >= row.size() && (engines || row[0] == "Hardware" || row[0] == "Workload");
        });
    for (std::vector<std::string>& row : table.rows)
        for (std::string& cell : row)
            if (cell.size() == kHash && cell.find_first_not_of("0123456789abcdef") == std::string::npos)
                cell.resize(kShown);
    if (comparison.runs.size() <= kMaxBeside || table.rows.empty()) return table;
    for (std::vector<std::string>& row : table.rows) {
        row[1] = row[0] + " " + row[1];
        row.erase(row.begin());
    }
    table.columns.erase(table.columns.begin());
    return transposed(table, "run");
}

Table layerDifferenceTable(const Comparison& comparison, bool all) {
    Table table = lettered({"strategy", "level", "group", "layer"}, comparison, false);
    table.columns[1].number = true;
    for (const Comparison::LayerRow& row : comparison.layers) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{row.strategy, std::to_string(row.level), escaped(row.group, kLongestValue),
                                       escaped(row.layer, kLongestValue)};
        for (const std::string& type : row.types) cells.push_back(shownCell(type));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table shareTable(const Comparison& comparison, bool all) {
    Table table = lettered({"strategy", "type"}, comparison, true);
    for (const Comparison::ShareRow& row : comparison.shares) {
        const auto known = std::count_if(row.shares.begin(), row.shares.end(), [](const auto& share) { return share; });
        if ((row.same || known < 2) && !all) continue;
        std::vector<std::string> cells{row.strategy, row.type};
        for (const auto& share : row.shares) cells.push_back(share ? study::percentText(*share) : "–");
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table jobDifferenceTable(const Comparison& comparison, bool all) {
    Table table = lettered({"job"}, comparison, false);
    for (const Comparison::JobRow& row : comparison.jobs) {
        if (row.same && !all) continue;
        std::vector<std::string> cells{escaped(row.name, kLongestValue)};
        for (const auto& place : row.places)
            cells.push_back(!place ? "–"
                                   : fmt::format("{} #{} at {}", escaped(place->core, kLongestValue), place->order,
                                                 place->seconds ? formatSeconds(place->start)
                                                                : formatCount(std::round(place->start)) + " cycles"));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string partTitle(const Comparison& comparison, bool many) {
    const std::string& title = comparison.partsTitle;
    return many || !title.ends_with('s') ? title : title.substr(0, title.size() - 1);
}

Table partTable(const Comparison& comparison, bool all) {
    Table table = lettered({columnHead(partTitle(comparison, false))}, comparison, false);
    for (const Comparison::PartRow& row : comparison.parts) {
        if (row.same && !all) continue;
        std::vector<std::string>& cells = table.rows.emplace_back();
        cells.push_back(escaped(row.name, kLongestValue));
        const std::optional<study::ComparedPart>& base = row.parts[comparison.baseline];
        for (std::size_t run = 0; run < row.parts.size(); ++run) {
            const std::optional<study::ComparedPart>& part = row.parts[run];
            std::string text = !part                                      ? "–"
                               : part->what.empty() || part->text.empty() ? part->what + part->text
                                                                          : part->what + " · " + part->text;
            if (run != comparison.baseline && part && base && comparison.unlike.empty() && base->value > 0 &&
                part->value > 0 && part->value != base->value)
                text += fmt::format(" ({}, {})", study::timesText(part->value / base->value),
                                    part->value < base->value ? "better" : "worse");
            cells.push_back(escaped(text, 2 * kLongestValue));
        }
    }
    return table;
}

std::string toText(const Comparison& comparison, bool all) {
    std::string text;
    if (!comparison.unlike.empty())
        text += fmt::format("Note: Times of whole steps are not comparable: {}.\n", comparison.unlike);
    for (const std::string& warning : comparison.warnings) text += "Note: " + escaped(warning, kLongestNote) + "\n";
    text += section("Metrics", metricTable(comparison, all), 2);
    if (comparison.runs.size() <= kMaxBeside || all)
        text += section("Metrics of each", ownedMetricTable(comparison, all), 2);
    text += section("Inputs", shownInputs(comparison, all), comparison.runs.size() > kMaxBeside ? 1 : 2) +
            section(partTitle(comparison, true), partTable(comparison, all), 1) +
            section("Layers", layerDifferenceTable(comparison, all), 4) +
            section("Shares of types", shareTable(comparison, all), 2) +
            section("Jobs", jobDifferenceTable(comparison, all), 1);
    for (const std::string& note : comparison.notes) text += "\n" + escaped(note, kLongestNote) + "\n";
    if (text.empty()) return "The runs are the same.\n";
    return escaped(comparison.finding, kLongestNote) + "\n" + (text.front() == '\n' ? "" : "\n") + text;
}

std::string toText(const study::ComparedKinds& kinds, const std::vector<std::string>& titles, bool all) {
    std::vector<std::string> texts;
    const bool several = kinds.comparisons.size() + kinds.alone.size() > 1;
    for (const Comparison& comparison : kinds.comparisons) {
        texts.push_back((several ? "Runs " + study::letterList(comparison.letters) + "\n" : "") +
                        toText(comparison, all));
    }
    std::vector<std::string> alone;
    for (const std::size_t run : kinds.alone)
        alone.push_back(fmt::format("{} ({})", study::letterOf(run), escaped(titles[run], kLongestValue)));
    if (!alone.empty())
        texts.push_back(fmt::format("{}: no numbers in common with {}.\n", joined(alone, ", "),
                                    several && kinds.comparisons.empty() ? "each other" : "the others"));
    return joined(texts, "\n");
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

Json partsJson(const Comparison& comparison) {
    Json rows = Json::array();
    for (const Comparison::PartRow& row : comparison.parts) {
        Json parts = Json::array();
        for (const auto& part : row.parts)
            parts.push_back(part ? Json{{"what", part->what}, {"value", part->value}, {"text", part->text}}
                                 : Json(nullptr));
        rows.push_back({{"name", row.name}, {"parts", parts}, {"same", row.same}});
    }
    return {{"title", comparison.partsTitle}, {"rows", rows}};
}

}  // namespace

Json toJson(const study::Comparison& comparison) {
    Json json = {{"runs", comparison.runs},
                 {"letters", comparison.letters},
                 {"baseline", comparison.baseline},
                 {"unlike", comparison.unlike.empty() ? Json(nullptr) : Json(comparison.unlike)},
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
        metrics.push_back({{"metric", row.metric.name},
                           {"title", row.metric.title},
                           {"better", study::kBetterNames.of(row.metric.better)},
                           {"comparable", row.comparable},
                           {"values", values},
                           {"ratios", ratios},
                           {"same", row.same}});
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
    if (!comparison.parts.empty()) json["parts"] = partsJson(comparison);
    json["notes"] = comparison.notes;
    return json;
}

Json toJson(const study::ComparedKinds& kinds) {
    Json groups = Json::array();
    for (std::size_t i = 0; i < kinds.comparisons.size(); ++i) {
        const Comparison& comparison = kinds.comparisons[i];
        groups.push_back({{"runs", kinds.places[i]},
                          {"baseline", kinds.places[i][comparison.baseline]},
                          {"unlike", comparison.unlike.empty() ? Json(nullptr) : Json(comparison.unlike)},
                          {"deciding_metric", comparison.deciding.empty() ? Json(nullptr) : Json(comparison.deciding)},
                          {"finding", comparison.finding}});
    }
    for (const std::size_t run : kinds.alone) groups.push_back({{"runs", {run}}});
    return groups;
}

}  // namespace tessera::report

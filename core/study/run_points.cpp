#include "core/study/run_points.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"
#include "core/study/parameter.h"

namespace tessera::study {

namespace {

using explore::PointColumn;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// One thing that a study sets: an input, a dimension, a parameter or the seed.
struct StudySetting {
    std::string id, title, help;
    std::string text;
    Measure measure = Measure::count;
};

std::string textOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string spelled(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

/// All settings of a study, inputs first; what it leaves out is at its default.
std::vector<StudySetting> settingsOf(const Study& study) {
    std::vector<StudySetting> settings;
    const auto inputs = [&](const char* id, const char* title, const std::vector<std::string>& names) {
        if (!names.empty()) settings.push_back({.id = id, .title = title, .help = {}, .text = joined(names, ", ")});
    };
    inputs("models", "Model", study.models);
    inputs("workloads", "Workload", study.workloads);
    inputs("hardware", "Hardware", study.hardware);
    for (const auto& [name, value] : study.dimensions)
        settings.push_back({.id = "dimension:" + name, .title = name, .help = {}, .text = std::to_string(value)});
    for (const Parameter& parameter : engineNamed(study.engine).parameters()) {
        const std::string name(parameter.name);
        const bool given = study.parameters->contains(name);
        const Json value = given ? study.parameters->at(name) : defaultOf(parameter);
        if (value.is_null() || parameter.kind == ParameterKind::document) continue;
        settings.push_back({.id = name,
                            .title = parameter.label.empty() ? spelled(name) : std::string(parameter.label),
                            .help = std::string(parameter.help),
                            .text = textOf(value),
                            .measure = parameter.measure});
    }
    if (study.seed)
        settings.push_back({.id = "seed", .title = "Seed", .help = {}, .text = std::to_string(*study.seed)});
    return settings;
}

/// One setting by run; "" where a run has none of that name.
struct Differing {
    StudySetting what;
    std::vector<std::string> texts;
};

PointColumn columnOf(Differing differing) {
    PointColumn column{.id = std::move(differing.what.id),
                       .title = std::move(differing.what.title),
                       .help = std::move(differing.what.help)};
    column.role = PointColumn::Role::variable;
    // Numbers, where all are; a parameter of a measure stands in its base unit.
    bool numbers = true;
    for (const std::string& text : differing.texts) {
        const std::optional<double> number = parseQuantity(text, differing.what.measure);
        numbers = numbers && (text.empty() || number);
        column.values.push_back(number.value_or(kUnknown));
    }
    if (numbers) {
        column.measure = differing.what.measure;
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (const double value : column.values) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
        constexpr double kWide = 16;
        column.log = low > 0 && high >= kWide * low;
        return column;
    }
    column.values.clear();
    for (const std::string& text : differing.texts) {
        const std::string word = text.empty() ? "–" : escaped(text, 80);
        const auto known = std::find(column.words.begin(), column.words.end(), word);
        column.values.push_back(static_cast<double>(known - column.words.begin()));
        if (known == column.words.end()) column.words.push_back(word);
    }
    return column;
}

std::vector<PointColumn> variablesOf(const std::vector<RunPoint>& runs) {
    std::vector<Differing> all;
    std::map<std::string, std::size_t> places;
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (StudySetting& setting : settingsOf(runs[run].study)) {
            const auto [place, isNew] = places.try_emplace(setting.id, all.size());
            if (isNew) {
                all.push_back({.what = setting, .texts = {}});
                all.back().texts.resize(runs.size());
            }
            all[place->second].texts[run] = std::move(setting.text);
        }
    std::vector<PointColumn> columns;
    for (Differing& each : all) {
        const auto differs = [&](const std::string& text) { return text != each.texts.front(); };
        if (std::any_of(each.texts.begin(), each.texts.end(), differs)) columns.push_back(columnOf(std::move(each)));
    }
    return columns;
}

/// "%" or "×" where a metric is said so, and by what its number is multiplied then.
std::pair<std::string, double> unitOf(const Metric& metric) {
    const std::string text = textOf(metric);
    if (text.ends_with(" %")) return {"%", 100};
    if (text.ends_with("×")) return {"×", 1};
    if (text.starts_with("$")) return {"$", 1};
    constexpr std::string_view kRate = " samples/s";
    return {text.ends_with(kRate) ? std::string(kRate.substr(1)) : std::string(), 1};
}

std::vector<PointColumn> metricColumns(const std::vector<RunPoint>& runs) {
    std::vector<PointColumn> columns;
    std::map<std::string, std::size_t> places;
    std::vector<double> factors;
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (const Metric& metric : runs[run].metrics) {
            if (!metric.owner.empty()) continue;
            const auto [place, isNew] = places.try_emplace(metric.name, columns.size());
            if (isNew) {
                const auto [unit, factor] = unitOf(metric);
                PointColumn column{.id = metric.name, .title = metric.title, .measure = metric.measure, .unit = unit};
                const bool objective = engineNamed(runs[run].study.engine).objectiveMetric == metric.name;
                column.role = objective ? PointColumn::Role::objective : PointColumn::Role::metric;
                column.better = metric.better == Metric::Better::higher  ? PointColumn::Better::higher
                                : metric.better == Metric::Better::lower ? PointColumn::Better::lower
                                                                         : PointColumn::Better::neither;
                column.values.assign(runs.size(), kUnknown);
                columns.push_back(std::move(column));
                factors.push_back(factor);
            }
            columns[place->second].values[run] = metric.value * factors[place->second];
        }
    std::stable_partition(columns.begin(), columns.end(),
                          [](const PointColumn& column) { return column.role == PointColumn::Role::objective; });
    return columns;
}

}  // namespace

explore::PointTable pointTable(const std::vector<RunPoint>& runs) {
    explore::PointTable points{.title = "Runs"};
    for (const RunPoint& run : runs) {
        points.names.push_back(run.name);
        points.marks.push_back(0);
        const bool known = !run.metrics.empty();
        points.reasons.push_back(known ? "" : run.failure.empty() ? "it has no result" : run.failure);
    }
    points.columns = metricColumns(runs);
    for (PointColumn& column : variablesOf(runs)) points.columns.push_back(std::move(column));
    return points;
}

}  // namespace tessera::study

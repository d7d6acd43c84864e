#include "core/report/exploration_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/study/document_study.h"
#include "core/study/engine.h"
#include "core/study/exploration/study.h"
#include "core/study/parameter.h"
#include "core/study/study.h"

namespace tessera::report {

namespace {

using study::ExplorationOutcome;
using study::ExploredVariable;

constexpr double kLargestWhole = 9e15;  ///< below it, doubles are whole numbers as they are written

constexpr std::size_t kLeastPoints = 16;
constexpr std::string_view kDimensionColumn = "dimension:";

/// A number as a study's file gives it: without a point where it is whole.
Json numberJson(double value) {
    if (std::floor(value) == value && std::fabs(value) < kLargestWhole) return static_cast<std::int64_t>(value);
    return value;
}

Json valueJson(const ExploredVariable& variable, double value) {
    if (variable.isCategory()) return variable.words.at(static_cast<std::size_t>(value));
    return numberJson(value);
}

/// The variable's member of the study, over those of its values.
void narrow(Json& definition, const ExploredVariable& variable, const std::set<double>& values) {
    if (!variable.isCategory() && variable.range.values.empty()) {
        definition["low"] = valueJson(variable, *values.begin());
        definition["high"] = valueJson(variable, *values.rbegin());
        return;
    }
    const std::size_t known = variable.isCategory() ? variable.words.size() : variable.range.values.size();
    const auto given = definition.find("values");
    // As the study wrote them, where it did.
    const bool written =
        variable.isCategory() && given != definition.end() && given->is_array() && given->size() == known;
    Json list = Json::array();
    for (const double value : values)
        list.push_back(written ? given->at(static_cast<std::size_t>(value)) : valueJson(variable, value));
    definition["values"] = std::move(list);
}

/// What is asked of a value from now on, with what was `asked` of it before.
Json constraintOf(const explore::PointColumn& column, const Stretch& range,
                  const std::vector<study::ExploredConstraint>& asked = {}) {
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    for (const study::ExploredConstraint& before : asked)
        if (before.id == column.id) {
            low = before.min.value_or(low);
            high = before.max.value_or(high);
        }
    // Ends that no point reaches say nothing.
    const auto any = [&](auto beyond) { return std::any_of(column.values.begin(), column.values.end(), beyond); };
    if (any([&](double value) { return value < range.low; })) low = std::max(low, range.low);
    if (any([&](double value) { return value > range.high; })) high = std::min(high, range.high);
    Json constraint = {{"metric", column.id}};
    // Shares are shown in per cent.
    const double factor = column.unit == "%" ? 0.01 : 1;
    if (std::isfinite(low)) constraint["min"] = low * factor;
    if (std::isfinite(high)) constraint["max"] = high * factor;
    return constraint;
}

/// What a run has of a value that runs differ in, as a study says it; null where it has several or leaves it open.
Json givenBy(const study::Study& study, const std::string& id) {
    for (const auto& [name, list] : {std::pair("models", &study.models), std::pair("workloads", &study.workloads),
                                     std::pair("hardware", &study.hardware)})
        if (id == name) return list->size() == 1 ? Json(list->front()) : Json();
    if (id.starts_with(kDimensionColumn)) {
        const auto found = study.dimensions.find(id.substr(kDimensionColumn.size()));
        return found == study.dimensions.end() ? Json() : Json(found->second);
    }
    if (id == "seed") return study.seed ? Json(*study.seed) : Json();
    if (study.parameters->contains(id)) return study.parameters->at(id);
    const study::Parameter* const row = study::findParameter(study::engineNamed(study.engine).parameters(), id);
    return row == nullptr ? Json() : study::defaultOf(*row);
}

/// What runs differ in as a variable; null where it is the same in all of `shown`, or cannot vary.
Json variableOf(const explore::PointColumn& column, const std::vector<study::RunPoint>& runs,
                const std::vector<std::size_t>& shown) {
    std::string name = column.id;
    std::replace(name.begin(), name.end(), ':', '_');
    Json variable = {{"name", name}};
    if (column.id == "models" || column.id == "workloads" || column.id == "hardware")
        variable["input"] = column.id;
    else if (column.id.starts_with(kDimensionColumn))
        variable["dimension"] = column.id.substr(kDimensionColumn.size());
    else
        variable["parameter"] = column.id;
    if (column.words.empty()) {
        std::set<double> values;
        for (const std::size_t run : shown)
            if (const double value = report::valueOf(column, run); std::isfinite(value)) values.insert(value);
        if (values.size() < 2) return {};
        variable["low"] = numberJson(*values.begin());
        variable["high"] = numberJson(*values.rbegin());
        variable["scale"] = column.log ? "log" : "linear";
        return variable;
    }
    Json values = Json::array();
    for (const std::size_t run : shown) {
        Json value = givenBy(runs[run].study, column.id);
        if (!value.is_null() && std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(std::move(value));
    }
    if (values.size() < 2) return {};
    variable["values"] = std::move(values);
    return variable;
}

}  // namespace

study::Study explorationOfRuns(const std::vector<study::RunPoint>& runs, const PointStates& states,
                               const std::map<std::size_t, Stretch>& ranges) {
    const explore::PointTable points = study::pointTable(runs);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (stateOf(states, i) == PointState::shown) shown.push_back(i);
    if (shown.empty()) throw UsageError("no run is shown");
    const study::Study& base = runs[shown.front()].study;
    for (const std::size_t run : shown)
        if (runs[run].study.engine != base.engine) throw UsageError("runs of several engines are no exploration");

    Json variables = Json::array(), objectives = Json::array(), constraints = Json::array();
    for (std::size_t c = 0; c < points.columns.size(); ++c) {
        const explore::PointColumn& column = points.columns[c];
        if (column.role == explore::PointColumn::Role::variable) {
            if (Json variable = variableOf(column, runs, shown); !variable.is_null())
                variables.push_back(std::move(variable));
            continue;
        }
        if (column.role == explore::PointColumn::Role::objective) objectives.push_back(column.id);
        if (const auto range = ranges.find(c); range != ranges.end())
            if (Json asked = constraintOf(column, range->second); asked.size() > 1)
                constraints.push_back(std::move(asked));
    }
    const auto better = std::find_if(points.columns.begin(), points.columns.end(), [](const auto& column) {
        return column.better != explore::PointColumn::Better::neither;
    });
    if (objectives.empty() && better != points.columns.end()) objectives.push_back(better->id);
    if (variables.empty()) throw UsageError("these runs differ in nothing that can vary");
    if (objectives.empty()) throw UsageError("these runs have no metric to improve");

    study::Study study = study::newStudy("explore");
    Json parameters = *study.parameters;
    parameters["study"] = study::toJson(base);
    parameters["variables"] = std::move(variables);
    parameters["objectives"] = std::move(objectives);
    if (!constraints.empty()) parameters["constraints"] = std::move(constraints);
    parameters["points"] = static_cast<std::int64_t>(std::max<std::size_t>(kLeastPoints, 4 * shown.size()));
    study.parameters = std::move(parameters);
    // As its own file would say it.
    return study::readStudy(study::documentOf(study::toJson(study), "the exploration").root());
}

study::Study narrowedStudy(const study::Result& exploration, const PointStates& states,
                           const std::map<std::size_t, Stretch>& ranges) {
    const auto& outcome = exploration.outcome.get<ExplorationOutcome>();
    const explore::PointTable points = study::pointTableOf(outcome);
    study::Study study = exploration.study;
    Json parameters = *study.parameters;

    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < outcome.points.size(); ++i)
        if (stateOf(states, i) == PointState::shown) shown.push_back(i);
    Json& definitions = parameters["variables"];
    for (std::size_t v = 0; v < outcome.variables.size() && v < definitions.size() && !shown.empty(); ++v) {
        const ExploredVariable& variable = outcome.variables[v];
        std::set<double> values;
        for (const std::size_t point : shown)
            if (const double value = outcome.points[point].values.at(v); std::isfinite(value)) values.insert(value);
        if (variable.isChosen() && !values.empty()) narrow(definitions[v], variable, values);
    }

    Json constraints = parameters.contains("constraints") ? parameters["constraints"] : Json::array();
    for (const auto& [at, range] : ranges) {
        const bool isChosen = at < outcome.variables.size() && outcome.variables[at].isChosen();
        if (isChosen || at >= points.columns.size()) continue;
        const explore::PointColumn& column = points.columns[at];
        Json asked = constraintOf(column, range, outcome.constraints);
        if (asked.size() < 2) continue;
        std::erase_if(constraints.get_ref<Json::array_t&>(),
                      [&column](const Json& before) { return before.at("metric") == column.id; });
        constraints.push_back(std::move(asked));
    }
    if (!constraints.empty()) parameters["constraints"] = std::move(constraints);

    // Points to begin with may lie outside now.
    parameters.erase("begin");
    if (outcome.method == "list") {
        Json& begin = parameters["begin"] = Json::array();
        for (const std::size_t point : shown) {
            Json& row = begin.emplace_back(Json::object());
            for (std::size_t v = 0; v < outcome.variables.size(); ++v)
                if (outcome.variables[v].isChosen())
                    row[outcome.variables[v].name] =
                        valueJson(outcome.variables[v], outcome.points[point].values.at(v));
        }
    }
    study.parameters = std::move(parameters);
    if (!study.name.empty() && !study.name.ends_with(kNarrowed)) study.name += kNarrowed;
    return study;
}

}  // namespace tessera::report

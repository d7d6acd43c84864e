#include "core/report/exploration_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/study/exploration/study.h"

namespace tessera::report {

namespace {

using study::ExplorationOutcome;
using study::ExploredVariable;

constexpr double kLargestWhole = 9e15;  ///< below it, doubles are whole numbers as they are written

/// A value as a study's file gives it: a word, or a number without a point where it is whole.
Json valueJson(const ExploredVariable& variable, double value) {
    if (variable.isCategory()) return variable.words.at(static_cast<std::size_t>(value));
    if (std::floor(value) == value && std::fabs(value) < kLargestWhole) return static_cast<std::int64_t>(value);
    return value;
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

/// What is asked of a value from now on, with what was asked of it before.
Json constraintOf(const ExplorationOutcome& outcome, const explore::PointColumn& column, const Stretch& range) {
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    for (const study::ExploredConstraint& before : outcome.constraints)
        if (before.id == column.id) {
            low = before.min.value_or(low);
            high = before.max.value_or(high);
        }
    // Ends that no point reaches say nothing.
    const auto any = [&](auto beyond) { return std::any_of(column.values.begin(), column.values.end(), beyond); };
    if (any([&](double value) { return value < range.low; })) low = std::max(low, range.low);
    if (any([&](double value) { return value > range.high; })) high = std::min(high, range.high);
    Json constraint = {{"metric", column.id}};
    if (std::isfinite(low)) constraint["min"] = low;
    if (std::isfinite(high)) constraint["max"] = high;
    return constraint;
}

}  // namespace

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
        Json asked = constraintOf(outcome, column, range);
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
    if (!study.name.empty() && !study.name.ends_with(", narrowed")) study.name += ", narrowed";
    return study;
}

}  // namespace tessera::report

#include "core/study/exploration/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/exploration/variable_text.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr std::size_t kLongestVariableName = 64, kLongestPathOfField = 1000, kLongestFormula = 1000,
                      kLongestVariableHelp = 1000;
constexpr std::size_t kLongestLine = 10'000;
constexpr std::size_t kMaxVariableValues = 10'000;
constexpr std::int64_t kMaxGridLevels = 1'000'000;
constexpr std::array kTargets{VariableTarget::parameter, VariableTarget::input, VariableTarget::dimension,
                              VariableTarget::field};

bool isVariableName(std::string_view text) {
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !text.empty() && text.size() <= kLongestVariableName &&
           std::isdigit(static_cast<unsigned char>(text.front())) == 0 && std::all_of(text.begin(), text.end(), isPart);
}

/// "bandwidth_bytes_per_s" of "fleet.levels[1].bandwidth_bytes_per_s".
std::string lastPartOf(const std::string& path) {
    std::string name = path.substr(path.rfind('.') + 1);
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

/// A number, or a text that may be one with its unit.
Json readAmount(const JsonNode& node) {
    if (!node.isNumber() && !node.isString()) node.fail("a number, or a text with its unit");
    return node.isNumber() ? Json(node.number()) : Json(node.text());
}

void readTarget(VariableDefinition& variable, const JsonNode& node) {
    for (const VariableTarget target : kTargets) {
        const std::string key(kVariableTargetNames.of(target));
        if (!node.has(key)) continue;
        if (variable.target != VariableTarget::none) node.at(key).fail("one target of a variable", "a second target");
        variable.target = target;
        variable.of = target == VariableTarget::input ? node.at(key).oneOf({"models", "workloads", "hardware"})
                                                      : node.at(key).text(kLongestPathOfField);
    }
    if (node.has("formula")) {
        variable.formula = node.at("formula").text(kLongestFormula);
        if (variable.target == VariableTarget::input) node.at("input").fail("no input where there is a formula");
    }
    if (variable.target == VariableTarget::none && variable.formula.empty())
        node.fail("what the variable sets: 'parameter', 'input', 'dimension' or 'field', or a 'formula'",
                  "without any");
}

void readRange(VariableDefinition& variable, const JsonNode& node) {
    for (const auto& [key, amount] :
         {std::pair("low", &variable.low), std::pair("high", &variable.high), std::pair("step", &variable.step)})
        if (node.has(key)) *amount = readAmount(node.at(key));
    if (node.has("low") != node.has("high"))
        node.fail("'low' and 'high'", node.has("low") ? "without 'high'" : "without 'low'");
    if (node.has("scale")) variable.scale = node.at("scale").oneOf(kScaleNames);
    if (node.has("integer")) variable.integer = node.at("integer").boolean();
    if (node.has("levels")) variable.levels = static_cast<int>(node.at("levels").whole(1, kMaxGridLevels));
}

void readValues(VariableDefinition& variable, const JsonNode& node) {
    if (!node.has("values")) return;
    const JsonNode list = node.at("values");
    if (node.has("low")) list.fail("either values, or a range from 'low' to 'high'", "beside a range");
    Json values = Json::array();
    std::set<std::string> seen;
    for (const JsonNode& value : list.elements(kMaxVariableValues)) {
        const auto found = [&](const std::string& name) { return Json(besideOrGiven(list.document().file(), name)); };
        if (variable.target == VariableTarget::input)
            values.push_back(found(value.text(kLongestPathOfField)));
        else if (variable.target == VariableTarget::parameter && value.isString())
            values.push_back(found(value.json().get<std::string>()));
        else
            values.push_back(value.isNumber() ? Json(value.number()) : value.json());
        const Json& added = values.back();
        // 1 and 1.0 are one value.
        if (!seen.insert(added.is_number() ? exactNumber(added.get<double>()) : added.dump()).second)
            value.fail("values that differ");
    }
    if (values.empty()) list.fail("at least one value", "an empty list");
    variable.values = std::move(values);
}

/// "step_time_s" and what stands behind one of the signs in it.
struct Compared {
    std::string metric = {}, sign = {}, value = {};
};
Compared comparedIn(const std::string& text, const std::vector<std::string>& signs) {
    for (const std::string& sign : signs)
        if (const std::size_t at = text.find(sign); at != std::string::npos)
            return {.metric = std::string(trimmed(std::string_view(text).substr(0, at))),
                    .sign = sign,
                    .value = std::string(trimmed(std::string_view(text).substr(at + sign.size())))};
    return {.metric = std::string(trimmed(text))};
}

/// An entry that a line of text writes out, where the line begins with "{", and what else `read` makes of the line.
Json entryOf(const JsonNode& node, Json (*read)(const std::string& line)) {
    const std::string line = node.text(kLongestLine);
    try {
        return trimmed(line).starts_with('{') ? JsonDocument::parse(line, "the entry").json() : read(line);
    } catch (const UsageError& error) {
        node.fail(std::string(kVariableForms));
    } catch (const DataError& error) {
        node.fail(error.expected, error.found);
    }
}

/// It as one of the node's document, beside whose file other files are found.
JsonDocument besideNode(const JsonNode& node, const Json& entry) {
    return JsonDocument::parse(Json{{"entry", entry}}.dump(), node.document().file());
}

}  // namespace

VariableDefinition readVariable(const JsonNode& node) {
    if (node.isString()) return readVariable(besideNode(node, entryOf(node, variableInText)).root().at("entry"));
    node.allowOnly({"name", "parameter", "input", "dimension", "field", "formula", "low", "high", "scale", "step",
                    "integer", "levels", "values", "help"});
    VariableDefinition variable;
    readTarget(variable, node);
    if (!node.has("name") && variable.target == VariableTarget::none) node.fail("a 'name'", "without one");
    variable.name = node.has("name") ? node.at("name").text() : lastPartOf(variable.of);
    if (!isVariableName(variable.name)) {
        const std::string expected =
            fmt::format("a name of at most {} letters, digits and _, no digit first", kLongestVariableName);
        if (node.has("name")) node.at("name").fail(expected);
        node.fail("a 'name'", "without one");
    }
    if (node.has("help")) variable.help = node.at("help").text(kLongestVariableHelp);
    readRange(variable, node);
    readValues(variable, node);
    if (variable.formula.empty()) return variable;
    for (const char* key : {"low", "step", "values", "levels", "integer", "scale"})
        if (node.has(key)) node.at(key).fail("no range or values where a formula gives the value", "given");
    return variable;
}

Json toJson(const VariableDefinition& variable) {
    Json json{{"name", variable.name}};
    if (variable.target != VariableTarget::none)
        json[std::string(kVariableTargetNames.of(variable.target))] = variable.of;
    for (const auto& [key, amount] : {std::pair("low", &variable.low), std::pair("high", &variable.high),
                                      std::pair("step", &variable.step), std::pair("values", &variable.values)})
        if (!(*amount)->is_null()) json[key] = **amount;
    if (variable.scale != explore::Scale::linear) json["scale"] = kScaleNames.of(variable.scale);
    if (variable.integer) json["integer"] = true;
    if (variable.levels > 0) json["levels"] = variable.levels;
    if (!variable.formula.empty()) json["formula"] = variable.formula;
    if (!variable.help.empty()) json["help"] = variable.help;
    return json;
}

ObjectiveDefinition readObjective(const JsonNode& node) {
    if (!node.isString()) {
        node.allowOnly({"metric", "goal"});
        ObjectiveDefinition objective{.metric = node.at("metric").text()};
        if (node.has("goal")) objective.goal = node.at("goal").oneOf(kGoalNames);
        return objective;
    }
    if (trimmed(node.text(kLongestLine)).starts_with('{'))
        return readObjective(besideNode(node, entryOf(node, nullptr)).root().at("entry"));
    const Compared parts = comparedIn(node.text(), {":"});
    ObjectiveDefinition objective{.metric = parts.metric};
    if (!parts.sign.empty()) objective.goal = kGoalNames.named(parts.value);
    if (parts.metric.empty() || (!parts.sign.empty() && !objective.goal))
        node.fail("a metric, or METRIC:min or METRIC:max");
    return objective;
}

Json toJson(const ObjectiveDefinition& objective) {
    Json json{{"metric", objective.metric}};
    if (objective.goal) json["goal"] = kGoalNames.of(*objective.goal);
    return json;
}

ConstraintDefinition readConstraint(const JsonNode& node) {
    ConstraintDefinition constraint;
    if (node.isString()) {
        if (trimmed(node.text(kLongestLine)).starts_with('{'))
            return readConstraint(besideNode(node, entryOf(node, nullptr)).root().at("entry"));
        const Compared parts = comparedIn(node.text(), {"<=", ">="});
        if (parts.metric.empty() || parts.value.empty()) node.fail("METRIC <= VALUE or METRIC >= VALUE");
        constraint.metric = parts.metric;
        (parts.sign == "<=" ? constraint.max : constraint.min) = numberOrText(parts.value);
        return constraint;
    }
    node.allowOnly({"metric", "min", "max"});
    constraint.metric = node.at("metric").text();
    if (node.has("min")) constraint.min = readAmount(node.at("min"));
    if (node.has("max")) constraint.max = readAmount(node.at("max"));
    if (!node.has("min") && !node.has("max")) node.fail("'min' or 'max'", "without either");
    return constraint;
}

Json toJson(const ConstraintDefinition& constraint) {
    Json json{{"metric", constraint.metric}};
    if (!constraint.min->is_null()) json["min"] = *constraint.min;
    if (!constraint.max->is_null()) json["max"] = *constraint.max;
    return json;
}

}  // namespace tessera::study

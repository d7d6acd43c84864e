#include "core/study/exploration/variable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"
#include "core/study/exploration/definition.h"
#include "core/study/parameter.h"

namespace tessera::study {

namespace {

constexpr std::string_view kDimensionPrefix = "dim.";
constexpr std::array<std::string_view, 3> kInputLists{"models", "workloads", "hardware"};

/// What a name means: `{"parameter": NAME}` and so on. `base` is null where the study is not known.
Json targetOf(const std::string& name, const Study* base) {
    if (std::find(kInputLists.begin(), kInputLists.end(), name) != kInputLists.end()) return {{"input", name}};
    const bool isParameter = base != nullptr && findParameter(engineNamed(base->engine).parameters(), name) != nullptr;
    if (isParameter || name == "seed") return {{"parameter", name}};
    if (name.starts_with(kDimensionPrefix)) return {{"dimension", name.substr(kDimensionPrefix.size())}};
    if (base != nullptr && base->dimensions.contains(name)) return {{"dimension", name}};
    return name.find_first_of(".[") == std::string::npos ? Json{{"parameter", name}} : Json{{"field", name}};
}

[[noreturn]] void refuseLine(const std::string& text) {
    throw UsageError(fmt::format("the variable is {}; expected {}", inQuotes(text, 200), kVariableForms));
}

/// The values of a list: names, or numbers where they are such; between quotation marks texts with commas in them.
Json listInLine(const std::string& values, bool areNames, const std::string& text) {
    Json list = Json::array();
    for (std::size_t at = 0; at <= values.size();) {
        const std::string_view rest = std::string_view(values).substr(at);
        const std::size_t blank = std::min(rest.find_first_not_of(' '), rest.size());
        std::size_t end = 0;
        if (rest.substr(blank).starts_with('"')) {
            const std::size_t close = rest.find('"', blank + 1);
            if (close == std::string_view::npos) refuseLine(text);
            end = std::min(rest.find(',', close), rest.size());
            if (!trimmed(rest.substr(close + 1, end - close - 1)).empty()) refuseLine(text);
            list.push_back(std::string(rest.substr(blank + 1, close - blank - 1)));
        } else {
            end = std::min(rest.find(','), rest.size());
            if (trimmed(rest.substr(0, end)).empty()) refuseLine(text);
            list.push_back(areNames ? Json(std::string(trimmed(rest.substr(0, end))))
                                    : numberOrText(rest.substr(0, end)));
        }
        at += end + 1;
    }
    return list;
}

/// Where the dots of a range stand, which begins with a number: "../x.json" is a file.
std::size_t dotsOfRange(const std::string& values) {
    const std::size_t first = values.find_first_not_of(" +-.");
    const std::size_t dots = values.find("..");
    const bool isRange = dots != std::string::npos && first < dots &&
                         std::isdigit(static_cast<unsigned char>(values[first])) != 0 &&
                         values.find_first_of(",\"") > dots;
    return isRange ? dots : std::string::npos;
}

/// What stands behind the range: ":log", ":STEP", ":integer", ":levels=N".
void readOptions(std::string_view options, Json& variable, const std::string& text) {
    constexpr std::string_view kLevels = "levels=";
    while (!options.empty()) {
        options.remove_prefix(1);
        const std::string_view option = trimmed(options.substr(0, options.find(':')));
        options.remove_prefix(std::min(options.find(':'), options.size()));
        if (option == "log")
            variable["scale"] = "log";
        else if (option == "integer")
            variable["integer"] = true;
        else if (option.starts_with(kLevels))
            variable["levels"] = numberOrText(option.substr(kLevels.size()));
        else if (!option.empty())
            variable["step"] = numberOrText(option);
        else
            refuseLine(text);
    }
}

/// See variableInText; `base` is null where the study is not known.
Json inLine(const std::string& text, const Study* base) {
    if (trimmed(text).starts_with('{')) return JsonDocument::parse(text, "the variable").json();
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) refuseLine(text);
    const bool isFormula = text[equals - 1] == ':';
    std::string name(trimmed(std::string_view(text).substr(0, equals - (isFormula ? 1 : 0))));
    Json variable = Json::object();
    const std::size_t alias = name.find('@');
    if (alias != std::string::npos) {
        variable["name"] = std::string(trimmed(name.substr(0, alias)));
        name = trimmed(name.substr(alias + 1));
    }
    if (name.empty()) refuseLine(text);
    const std::string values(trimmed(std::string_view(text).substr(equals + 1)));
    if (isFormula) {
        // A name alone is one to compute with.
        if (alias == std::string::npos)
            variable["name"] = name;
        else
            variable.update(targetOf(name, base));
        variable["formula"] = values;
        return variable;
    }
    variable.update(targetOf(name, base));
    const bool isInput = variable.contains("input");
    const std::size_t dots = isInput ? std::string::npos : dotsOfRange(values);
    if (dots == std::string::npos) {
        variable["values"] = listInLine(values, isInput, text);
        return variable;
    }
    const std::string_view high = std::string_view(values).substr(dots + 2);
    const std::size_t colon = std::min(high.find(':'), high.size());
    variable["low"] = numberOrText(values.substr(0, dots));
    if (trimmed(high.substr(0, colon)).empty()) refuseLine(text);
    variable["high"] = numberOrText(high.substr(0, colon));
    readOptions(high.substr(colon), variable, text);
    return variable;
}

std::string amountText(const Json& amount) {
    return amount.is_number() ? exactNumber(amount.get<double>()) : amount.get<std::string>();
}

std::string nameAndTarget(const Json& variable) {
    const auto named = variable.find("name");
    const std::string name = named == variable.end() ? "" : named->get<std::string>() + "@";
    for (const char* key : {"parameter", "input", "field"})
        if (const auto found = variable.find(key); found != variable.end()) return name + found->get<std::string>();
    if (const auto found = variable.find("dimension"); found != variable.end())
        return name + std::string(kDimensionPrefix) + found->get<std::string>();
    return variable.at("name").get<std::string>();
}

std::string lineOf(const Json& variable) {
    std::string line = nameAndTarget(variable);
    if (const auto formula = variable.find("formula"); formula != variable.end())
        return line + ":=" + formula->get<std::string>();
    line += '=';
    if (const auto values = variable.find("values"); values != variable.end()) {
        std::vector<std::string> texts;
        for (const Json& value : *values) {
            const std::string text = amountText(value);
            texts.push_back(text.find_first_of(", ") == std::string::npos ? text : '"' + text + '"');
        }
        return line + joined(texts, ",");
    }
    line += amountText(variable.at("low")) + ".." + amountText(variable.at("high"));
    if (const auto step = variable.find("step"); step != variable.end()) line += ":" + amountText(*step);
    if (variable.contains("scale") && variable.at("scale") == "log") line += ":log";
    if (variable.value("integer", false)) line += ":integer";
    if (const auto levels = variable.find("levels"); levels != variable.end()) line += ":levels=" + amountText(*levels);
    return line;
}

/// The line that `read` turns into the same value, else the value's own text.
std::string lineThatReadsBack(const Json& value, const std::function<std::string(const Json&)>& write,
                              const std::function<Json(const std::string&)>& read) {
    if (value.is_string()) return value.get<std::string>();
    try {
        std::string line = write(value);
        if (read(line) == read(value.dump())) return line;
    } catch (const std::exception&) {
        // What no line can say.
    }
    return value.dump();
}

/// The value that a line stands for, by the reader of its kind.
template <typename Definition>
Json valueRead(const std::string& line, Definition (*read)(const JsonNode&)) {
    const JsonDocument document = JsonDocument::parse(Json{{"entry", line}}.dump(), "the entry");
    return toJson(read(document.root().at("entry")));
}

}  // namespace

Json numberOrText(std::string_view text) {
    const std::optional<double> number = parseQuantity(trimmed(text), Measure::count);
    return number ? Json(*number) : Json(std::string(trimmed(text)));
}

Json variableInText(const std::string& text) {
    return inLine(text, nullptr);
}

Json variableInText(const std::string& text, const Study& base) {
    return inLine(text, &base);
}

std::string textOfVariable(const Json& variable) {
    return lineThatReadsBack(
        variable,
        [](const Json& value) {
            // A name that its target gives need not be said.
            if (!value.contains("name")) return lineOf(value);
            Json unnamed = value;
            unnamed.erase("name");
            const bool follows =
                !value.contains("formula") && valueRead(lineOf(unnamed), readVariable).at("name") == value.at("name");
            return lineOf(follows ? unnamed : value);
        },
        [](const std::string& line) { return valueRead(line, readVariable); });
}

std::string textOfObjective(const Json& objective) {
    return lineThatReadsBack(
        objective,
        [](const Json& value) {
            const auto goal = value.find("goal");
            return value.at("metric").get<std::string>() + (goal == value.end() ? "" : ":" + goal->get<std::string>());
        },
        [](const std::string& line) { return valueRead(line, readObjective); });
}

std::string textOfConstraint(const Json& constraint) {
    return lineThatReadsBack(
        constraint,
        [](const Json& value) {
            const bool isMax = value.contains("max");
            return fmt::format("{} {} {}", value.at("metric").get<std::string>(),
                               isMax ? "<=" : ">=", amountText(value.at(isMax ? "max" : "min")));
        },
        [](const std::string& line) { return valueRead(line, readConstraint); });
}

}  // namespace tessera::study

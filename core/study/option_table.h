#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/study/parameter.h"
#include "core/study/result.h"

/// The parameters of an engine, each bound to the member of the engine's options that it sets: from one row follow the
/// option, its default, its words, its help, its field in forms, and what a study makes of it. Only for the files that
/// have such a table.
namespace tessera::study {

/// Values that a parameter takes: a Parameter without its name, option and help.
struct Values {
    static Values number(double min, double max, Measure measure = Measure::count) {
        return {{.kind = ParameterKind::number, .measure = measure, .min = min, .max = max}};
    }
    static Values whole(double min, double max) { return {{.kind = ParameterKind::whole, .min = min, .max = max}}; }
    static Values numbers(double min, double max, Measure measure) {
        return {{.kind = ParameterKind::numbers, .measure = measure, .min = min, .max = max}};
    }
    /// Words of an enum in the order of its values, or of a bool for false and true.
    static Values word(std::vector<std::string_view> words) {
        return {{.kind = ParameterKind::word, .words = std::move(words)}};
    }
    static Values words(std::vector<std::string_view> words) {
        return {{.kind = ParameterKind::words, .words = std::move(words)}};
    }
    static Values wordOrNumber(std::vector<std::string_view> words, double min, double max,
                               Measure measure = Measure::count) {
        return {{.kind = ParameterKind::wordOrNumber,
                 .measure = measure,
                 .min = min,
                 .max = max,
                 .words = std::move(words)}};
    }
    static Values text(double longest = 0) { return {{.kind = ParameterKind::text, .max = longest}}; }
    static Values flag() { return {{.kind = ParameterKind::flag}}; }
    static Values namedWords(std::vector<std::string_view> words) {
        return {{.kind = ParameterKind::namedWords, .words = std::move(words)}};
    }
    static Values namedNumbers(double min, double max) {
        return {{.kind = ParameterKind::namedNumbers, .min = min, .max = max}};
    }
    static Values wordNumbers(std::vector<std::string_view> words, double min, double max) {
        return {{.kind = ParameterKind::wordNumbers, .min = min, .max = max, .words = std::move(words)}};
    }
    static Values document(Json (*fromFile)(const JsonDocument& file) = nullptr) {
        return {{.kind = ParameterKind::document, .fromFile = fromFile}};
    }
    /// A document or a list that `fromNode` reads.
    static Values documentBy(Json (*fromNode)(const JsonNode& node)) {
        return {{.kind = ParameterKind::document, .fromNode = fromNode}};
    }
    static Values listBy(Json (*fromNode)(const JsonNode& node)) {
        return {{.kind = ParameterKind::list, .fromNode = fromNode}};
    }
    /// Of entries that are lines of text in forms.
    static Values linesBy(Json (*fromNode)(const JsonNode& node), std::string (*lineOf)(const Json& entry),
                          std::string_view entry, std::vector<std::string> (*offered)(const Study& study)) {
        return {
            {.kind = ParameterKind::list, .fromNode = fromNode, .lineOf = lineOf, .entry = entry, .offered = offered}};
    }

    // What few rows say.
    Values&& labelled(std::string_view label) &&;
    Values&& ofLibrary(std::string_view folder) &&;
    Values&& forResearch() &&;
    /// Of a word or number.
    Values&& inWholes() &&;
    /// JSON Schema of a document or list.
    Values&& shapedAs(Json (*schema)()) &&;
    /// The default, where it is not the member's or a function sets several members.
    Values&& byDefault(Json value) &&;

    Parameter parameter;
};

/// Members by their type.
namespace members {

template <typename Type>
struct IsOptional : std::false_type {};
template <typename Type>
struct IsOptional<std::optional<Type>> : std::true_type {};

/// The place of a word among the parameter's, from 0.
std::size_t placeOf(const Parameter& parameter, const Json& word);

/// Sets a member to a parameter's value. The place of a word among the parameter's is the number of an enum's value,
/// or says false or true; where a number may be missing, a word says that it is.
template <typename Member>
void set(Member& member, const Parameter& parameter, const Json& value) {
    if constexpr (IsOptional<Member>::value) {
        member.reset();
        if (parameter.kind != ParameterKind::wordOrNumber || !value.is_string())
            set(member.emplace(), parameter, value);
    } else if constexpr (std::is_same_v<Member, HeldJson>) {
        member = value;
    } else if constexpr (std::is_same_v<Member, bool>) {
        member = value.is_boolean() ? value.get<bool>() : placeOf(parameter, value) == 1;
    } else if constexpr (std::is_enum_v<Member>) {
        member = static_cast<Member>(placeOf(parameter, value));
    } else if constexpr (requires { member.value; }) {  // a quantity
        member.value = value.get<double>();
    } else if constexpr (requires { typename Member::mapped_type; }) {
        for (const auto& [name, each] : value.items()) {
            typename Member::key_type key{};
            if constexpr (std::is_arithmetic_v<typename Member::key_type>)
                std::from_chars(name.data(), name.data() + name.size(), key);
            else
                key = name;
            set(member[key], parameter, each);
        }
    } else if constexpr (requires { member.emplace_back(); }) {
        member.clear();
        for (const Json& each : value) set(member.emplace_back(), parameter, each);
    } else {
        value.get_to(member);
    }
}

/// The value of a parameter that gives the member what it has; null where that is nothing.
template <typename Member>
Json valueOf(const Member& member, const Parameter& parameter) {
    if constexpr (IsOptional<Member>::value) {
        if (member) return valueOf(*member, parameter);
        return parameter.kind == ParameterKind::wordOrNumber ? Json(parameter.words.front()) : Json();
    } else if constexpr (std::is_same_v<Member, HeldJson>) {
        return *member;
    } else if constexpr (std::is_same_v<Member, bool> || std::is_enum_v<Member>) {
        if (parameter.kind == ParameterKind::flag) return static_cast<bool>(member);
        return parameter.words.at(static_cast<std::size_t>(member));
    } else if constexpr (requires { member.value; }) {
        return member.value;
    } else if constexpr (requires { typename Member::mapped_type; }) {
        return Json::object();
    } else if constexpr (requires { member.empty(); }) {
        return member.empty() ? Json() : Json(member);
    } else {
        return member;
    }
}

}  // namespace members

/// A parameter and what it sets.
template <typename Options>
struct OptionRow {
    /// `use` is how it stands on the command line: "--batch N"; of a flag without a value. `target` is a member of
    /// Options or of a base of it, whose value in `Options{}` is the default, or a function(Options&, const Json&
    /// value).
    template <typename Target>
    OptionRow(std::string_view name, std::string_view use, Target target, Values values, std::string_view help)
        : parameter(std::move(values.parameter)) {
        const std::size_t blank = std::min(use.find(' '), use.size());
        parameter.name = name;
        parameter.option = use.substr(0, blank);
        parameter.value = use.substr(std::min(blank + 1, use.size()));
        parameter.help = help;
        if constexpr (std::is_member_object_pointer_v<Target>) {
            set = [target](Options& options, const Parameter& row, const Json& value) {
                members::set(options.*target, row, value);
            };
            if (parameter.fallback == HeldJson()) parameter.fallback = members::valueOf(Options{}.*target, parameter);
        } else {
            set = [target](Options& options, const Parameter&, const Json& value) { target(options, value); };
        }
    }

    Parameter parameter;
    std::function<void(Options& options, const Parameter& parameter, const Json& value)> set;
};

/// Setter of a member to the whole numbers from 1 to `max` that a text lists.
template <typename Options>
auto wholeNumbersInto(std::vector<std::int64_t> Options::*member, std::string_view option, std::int64_t max) {
    return [=](Options& options, const Json& text) {
        options.*member = wholeNumbers(option, text.get<std::string>(), max);
    };
}

/// The rows of an engine, in the order in which they are listed.
template <typename Options>
class OptionTable {
public:
    OptionTable(std::initializer_list<OptionRow<Options>> rows) {
        for (const OptionRow<Options>& row : rows) {
            parameters_.push_back(row.parameter);
            set_.push_back(row.set);
        }
    }

    const std::vector<Parameter>& parameters() const { return parameters_; }

    /// The options that a study's parameters mean, which must be valid (see readParameter). Throws what the functions
    /// of the rows throw.
    Options of(const Study& study) const {
        Options options;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const Json fallback = defaultOf(parameters_[i]);
            const auto given = study.parameters->find(std::string(parameters_[i].name));
            const Json& value = given == study.parameters->end() ? fallback : *given;
            if (!value.is_null()) set_[i](options, parameters_[i], value);
        }
        return options;
    }

private:
    std::vector<Parameter> parameters_;
    std::vector<decltype(OptionRow<Options>::set)> set_;
};

}  // namespace tessera::study

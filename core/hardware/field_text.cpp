#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/architecture.h"
#include "core/hardware/field.h"

namespace tessera::hardware {

namespace {

const Json& plain(const Json& value) {
    return value.is_object() && value.contains("value") ? value.at("value") : value;
}

std::string numberText(double number, const Field& field) {
    if (!field.unit.empty()) return exactNumber(number) + " " + field.unit;
    if (field.holds == Holds::range && field.measure == Measure::bytes) return bufferSize(Bytes{number});
    return field.measure == Measure::count ? formatCount(number) : formatQuantity(number, field.measure);
}

std::string rangeText(const Json& range, const Field& field) {
    const auto text = [&](const Json& value) { return numberText(plain(value).get<double>(), field); };
    if (range.is_object())
        return fmt::format("{} to {}, steps of {}", text(range.at("from")), text(range.at("to")),
                           range.at("step").get<std::string>());
    constexpr std::size_t kMaxShown = 12;
    std::vector<std::string> shown;
    for (const Json& value : range) {
        shown.push_back(shown.size() == kMaxShown ? "…" : text(value));
        if (shown.size() > kMaxShown) break;
    }
    return joined(shown, ", ");
}

std::string valueText(const Json& given, const Field& field) {
    if (field.holds == Holds::range) return rangeText(given, field);
    const Json& value = plain(given);
    if (value.is_number()) return numberText(value.get<double>(), field);
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains("name") && value.at("name").is_string())
        return value.at("name").get<std::string>();
    if (!value.is_array()) return value.dump();
    std::vector<std::string> parts;
    for (const Json& part : value) parts.push_back(valueText(part, field));
    return joined(parts, ", ");
}

/// Where a number comes from, or the first of a range that says it.
std::string fromOf(const Json& value) {
    if (value.is_object() && value.contains("value"))
        return whereFrom(readProvenance(JsonDocument::parse(value.dump(), {}).root(), Measure::count));
    if (value.is_structured())
        for (const Json& inside : value)
            if (const std::string from = inside.is_structured() ? fromOf(inside) : std::string(); !from.empty())
                return from;
    return {};
}

class Collector {
public:
    std::vector<ShownValue> all;

    void add(const Fields& fields, const Json& json, const ShownValue& around) {
        for (const Field& field : fields) {
            if (!json.contains(field.key)) continue;
            ShownValue at = around;
            at.path = joinedField(around.path, field.key);
            addField(field, json.at(field.key), at);
        }
    }

private:
    void addField(const Field& field, const Json& value, ShownValue at) {
        switch (field.holds) {
            case Holds::object:
                at.label += lowerFirst(field.title.empty() ? field.entry : field.title);
                if (!at.label.empty()) at.label += " ";
                if (at.section.empty()) at.section = field.heading.empty() ? field.title : field.heading;
                return add(field.fields, value, at);
            case Holds::map:
                for (const auto& [name, inner] : value.items()) {
                    ShownValue one = at;
                    one.path = joinedField(at.path, name);
                    one.section = field.title;
                    one.label += lowerFirst(field.fields.front().title) + " " + name;
                    one.title = name;
                    addValue(field.fields.front(), inner, one);
                }
                return;
            case Holds::list:
                for (std::size_t i = 0; i < value.size(); ++i) {
                    const Json name = value[i].value("name", Json());
                    ShownValue one = at;
                    one.path = fmt::format("{}[{}]", at.path, i);
                    one.section = at.entry.empty() ? field.title : fmt::format("{} of {}", field.title, at.entry);
                    one.entry = name.is_string() ? name.get<std::string>() : std::to_string(i + 1);
                    one.label += name.is_string() ? one.entry + " " : fmt::format("{} {} ", field.entry, i + 1);
                    add(field.fields, value[i], one);
                }
                return;
            default:
                at.label += lowerFirst(field.title);
                at.title = field.title;
                addValue(field, value, at);
        }
    }
    void addValue(const Field& field, const Json& value, ShownValue& at) {
        at.value = valueText(value, field);
        if (plain(value).is_number()) at.exact = exactNumber(plain(value).get<double>());
        at.from = fromOf(value);
        all.push_back(std::move(at));
    }
};

}  // namespace

std::string lowerFirst(std::string title) {
    const bool acronym = title.size() > 1 && std::islower(static_cast<unsigned char>(title[1])) == 0;
    if (!title.empty() && !acronym) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
    return title;
}

std::vector<ShownValue> shownValues(const Fields& fields, const Json& document) {
    Collector collector;
    collector.add(fields, document, {});
    return std::move(collector.all);
}

}  // namespace tessera::hardware

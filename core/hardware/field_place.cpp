#include "core/hardware/field_place.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/accelerator.h"

namespace tessera::hardware {

namespace {

class PlaceCollector {
public:
    std::vector<FieldPlace> all;

    void add(const Fields& fields, const Json& object, const FieldPlace& around) {
        for (const Field& field : fields) {
            FieldPlace at = around;
            at.path = joinedField(around.path, field.key);
            at.steps.push_back({.key = field.key});
            addField(field, object.value(field.key, Json()), std::move(at));
        }
    }

private:
    void addField(const Field& field, const Json& value, FieldPlace at) {
        switch (field.holds) {
            case Holds::object:
                if (value.is_null()) return;  // what is inside would need the rest of it
                at.label += lowerFirst(field.title.empty() ? field.entry : field.title);
                if (!at.label.empty() && at.label.back() != ' ') at.label += " ";
                return add(field.fields, value, at);
            case Holds::map:
                for (const auto& [name, inner] : value.items()) {
                    FieldPlace one = at;
                    one.path = joinedField(at.path, name);
                    one.label += lowerFirst(field.fields.front().title) + " " + name;
                    one.steps.push_back({.key = name});
                    addValue(field.fields.front(), inner, std::move(one));
                }
                return;
            case Holds::list:
                for (std::size_t i = 0; i < value.size(); ++i) addEntry(field, value[i], i, at);
                return;
            case Holds::other:
                // An accelerator that a fleet's file holds itself.
                if (value.is_object() && field.key == acceleratorKind().id) {
                    at.label += lowerFirst(field.title) + " ";
                    return add(acceleratorKind().fields, value, at);
                }
                [[fallthrough]];
            default:
                at.label += lowerFirst(field.title);
                addValue(field, value, std::move(at));
        }
    }
    void addEntry(const Field& field, const Json& entry, std::size_t number, const FieldPlace& list) {
        const Json name = entry.is_object() ? entry.value("name", Json()) : Json();
        FieldPlace one = list;
        one.path = fmt::format("{}[{}]", list.path, number);
        one.steps.push_back({.entry = number, .name = name.is_string() ? name.get<std::string>() : std::string()});
        one.label += name.is_string() ? name.get<std::string>() + " " : fmt::format("{} {} ", field.entry, number + 1);
        add(field.fields, entry, one);
    }
    void addValue(const Field& field, const Json& value, FieldPlace at) {
        at.row = &field;
        at.value = value.is_object() && value.contains("value") ? value.at("value") : value;
        all.push_back(std::move(at));
    }
};

/// The step at the beginning of a path, which is taken off it.
bool takeStep(std::string_view& path, const FieldPlace::Step& step) {
    if (!step.key.empty()) {
        if (!path.starts_with(step.key)) return false;
        path.remove_prefix(step.key.size());
        return true;
    }
    const std::size_t end = path.find(']');
    if (!path.starts_with('[') || end == std::string_view::npos) return false;
    const std::string_view inside = path.substr(1, end - 1);
    std::size_t number = 0;
    const auto [last, error] = std::from_chars(inside.data(), inside.data() + inside.size(), number);
    const bool isNumber = error == std::errc() && last == inside.data() + inside.size();
    if (isNumber ? number != step.entry : step.name.empty() || lowered(inside) != lowered(step.name)) return false;
    path.remove_prefix(end + 1);
    return true;
}

}  // namespace

std::vector<FieldPlace> fieldPlaces(const Kind& kind, const Json& document) {
    PlaceCollector collector;
    collector.add(kind.fields, document, {});
    return std::move(collector.all);
}

bool isAt(const FieldPlace& place, std::string_view path) {
    bool first = true;
    for (const FieldPlace::Step& step : place.steps) {
        if (!first && !step.key.empty()) {
            if (!path.starts_with('.')) return false;
            path.remove_prefix(1);
        }
        if (!takeStep(path, step)) return false;
        first = false;
    }
    return path.empty();
}

Json& valueAt(Json& document, const FieldPlace& place) {
    Json* at = &document;
    for (const FieldPlace::Step& step : place.steps) at = step.key.empty() ? &(*at)[step.entry] : &(*at)[step.key];
    return *at;
}

}  // namespace tessera::hardware

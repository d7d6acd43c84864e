#include "ui/editors/json_path.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/text.h"

namespace tessera::ui {

namespace {

std::optional<std::size_t> positionIn(const std::string& step) {
    std::size_t position = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), position);
    if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
    return position;
}

template <typename Node>
Node* stepInto(Node* node, const std::string& step) {
    if (node->is_object()) {
        const auto found = node->find(step);
        return found == node->end() ? nullptr : &*found;
    }
    if (!node->is_array()) return nullptr;
    const std::optional<std::size_t> position = positionIn(step);
    return position && *position < node->size() ? &(*node)[*position] : nullptr;
}

template <typename Node>
Node* find(Node& root, const JsonPath& path) {
    Node* node = &root;
    for (const std::string& step : path) {
        node = stepInto(node, step);
        if (node == nullptr) return nullptr;
    }
    return node;
}

}  // namespace

JsonPath pathOf(const std::string& keys) {
    JsonPath path;
    if (keys.empty()) return path;
    for (const std::string_view step : split(keys, '.')) path.emplace_back(step);
    return path;
}

JsonPath joinedPath(JsonPath base, const JsonPath& below) {
    base.insert(base.end(), below.begin(), below.end());
    return base;
}

const Json* valueAt(const Json& root, const JsonPath& path) {
    return find(root, path);
}

void setValue(Json& root, const JsonPath& path, Json value) {
    Json* node = &root;
    for (const std::string& step : path) {
        if (node->is_null()) *node = Json::object();
        if (node->is_object()) {
            node = &(*node)[step];
            continue;
        }
        node = stepInto(node, step);
        if (node == nullptr) return;
    }
    *node = std::move(value);
}

void eraseValue(Json& root, const JsonPath& path) {
    if (path.empty()) return;
    const JsonPath around(path.begin(), path.end() - 1);
    Json* parent = find(root, around);
    if (parent == nullptr || stepInto(parent, path.back()) == nullptr) return;
    if (parent->is_array()) {
        parent->erase(*positionIn(path.back()));
        return;
    }
    parent->erase(path.back());
    if (parent->empty()) {
        // An object inside a list is an entry of its own and stays.
        const Json* outer = around.empty() ? nullptr : find(root, JsonPath(around.begin(), around.end() - 1));
        if (outer != nullptr && outer->is_object()) eraseValue(root, around);
    }
}

void renameMember(Json& object, const std::string& from, const std::string& to) {
    Json renamed = Json::object();
    for (const auto& [key, value] : object.items()) renamed[key == from ? to : key] = value;
    object = std::move(renamed);
}

std::string dottedPath(const Json& root, const JsonPath& path) {
    std::string dotted;
    const Json* node = &root;
    for (const std::string& step : path) {
        if (node != nullptr && node->is_array())
            dotted += "[" + step + "]";
        else
            dotted += (dotted.empty() ? "" : ".") + step;
        if (node != nullptr) node = stepInto(node, step);
    }
    return dotted;
}

JsonPath pathFromDotted(const Json& root, const std::string& dotted) {
    JsonPath path;
    const Json* node = &root;
    std::string rest = dotted;
    const auto startsWithStep = [&](const std::string& step) {
        return rest.starts_with(step) &&
               (rest.size() == step.size() || rest[step.size()] == '.' || rest[step.size()] == '[');
    };
    while (!rest.empty() && node != nullptr) {
        const std::size_t before = path.size();
        if (node->is_array()) {
            const std::size_t close = rest.find(']');
            if (rest.front() != '[' || close == std::string::npos) break;
            path.push_back(rest.substr(1, close - 1));
            rest.erase(0, close + 1);
        } else if (node->is_object()) {
            // Keys may hold dots: the longest one that fits is meant.
            std::string longest;
            for (const auto& [key, value] : node->items())
                if (key.size() >= longest.size() && startsWithStep(key)) longest = key;
            if (longest.empty()) break;
            path.push_back(longest);
            rest.erase(0, longest.size());
        }
        if (path.size() == before) break;
        if (rest.starts_with('.')) rest.erase(0, 1);
        node = stepInto(node, path.back());
        if (node == nullptr) path.pop_back();
    }
    return path;
}

bool isSourced(const Json& value) {
    return value.is_object() && value.contains("value");
}

const Json& plainValue(const Json& value) {
    return isSourced(value) ? value.at("value") : value;
}

Json numberValue(double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

}  // namespace tessera::ui

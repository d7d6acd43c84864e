#include "core/hardware/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::hardware {

namespace {

constexpr std::size_t kMaxFaults = 20;

std::string summary(const std::vector<DataError>& found) {
    const std::string first = found.front().what();
    if (found.size() == 1) return first;
    return fmt::format("{} (and {})", first, formatCounted(found.size() - 1, "other fault", "other faults"));
}

bool isInside(std::string_view path, std::string_view around) {
    return path.starts_with(around) &&
           (around.empty() || path.size() == around.size() || path[around.size()] == '.' || path[around.size()] == '[');
}

/// Whether a value is what counts where the field is left out, and nothing more is said about it.
bool isImplied(const Field& field, const Json& value) {
    if (value.is_null()) return true;
    if (field.needed || field.always) return false;
    if (value.is_structured() && value.empty()) return true;
    return !(*field.fallback).is_null() && value == *field.fallback;
}

}  // namespace

Faults::Faults(std::vector<DataError> several)
    : DataError(several.front()), all(std::move(several)), message_(summary(all)) {}

Reading::Reading(const JsonNode& base, ProvenanceMap& provenance) : base_(base), provenance_(provenance) {}

double Reading::number(const JsonNode& node, const Bounds& bounds, Measure measure) {
    if (!node.isObject()) return readNumber(node, bounds, measure);
    node.allowOnly({"value", "source", "class", "alternatives", "was"});
    std::size_t skipped = base_.path().size();
    if (skipped > 0 && node.path().size() > skipped && node.path()[skipped] == '.') ++skipped;
    provenance_[node.path().substr(skipped)] = readProvenance(node, measure);
    return readNumber(node.at("value"), bounds, measure);
}

bool Reading::good(const JsonNode& node) const {
    return std::none_of(faults_.begin(), faults_.end(),
                        [&](const DataError& fault) { return isInside(fault.place.field, node.path()); });
}

void Reading::run(const std::function<void()>& read) {
    try {
        attempt(read);
    } catch (const Enough&) {
        // The first ones are reported.
    }
    if (faults_.size() == 1) throw DataError(faults_.front());
    if (!faults_.empty()) throw Faults(faults_);
}

void Reading::add(const DataError& fault) {
    // A file that several fields name has its faults once.
    const std::string_view sentence = fault.what();
    for (const DataError& known : faults_)
        if (known.what() == sentence) return;
    faults_.push_back(fault);
    if (faults_.size() == kMaxFaults) throw Enough();
}

Field&& Field::otherwise(std::string what, HeldJson value) && {
    needed = false;
    without = std::move(what);
    fallback = std::move(value);
    return std::move(*this);
}

Field&& Field::alwaysWritten() && {
    always = true;
    return std::move(*this);
}

Field&& Field::underHeading(std::string above) && {
    heading = std::move(above);
    return std::move(*this);
}

Field&& Field::in(std::string shownUnit) && {
    unit = std::move(shownUnit);
    return std::move(*this);
}

Field&& Field::called(std::string one) && {
    entry = std::move(one);
    return std::move(*this);
}

Field&& Field::describedBy(HeldJson asSchema) && {
    schema = std::move(asSchema);
    return std::move(*this);
}

std::string joinedField(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

void readFields(const Fields& fields, void* object, const JsonNode& node, Reading& reading,
                const std::vector<std::string>& extra) {
    if (!node.isObject()) return reading.attempt([&] { node.fail("an object"); });
    std::vector<std::string> keys = extra;
    for (const Field& field : fields) keys.push_back(field.key);
    std::set<std::string_view> misspelt;  // said already, so not missing
    for (const auto& [key, child] : node.members()) {
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
        const std::string expected = withClosest("{} perhaps", key, keys, "one of " + joined(keys, ", "));
        misspelt.insert(closest(key, keys));
        const JsonNode& wrong = child;
        reading.attempt([&wrong, &expected] { wrong.fail(expected, "unknown"); });
    }
    for (const Field& field : fields)
        if (node.has(field.key) || (field.needed && !misspelt.contains(field.key)))
            reading.attempt([&] { field.read(object, node.at(field.key), reading); });
}

void writeFields(const Fields& fields, const void* object, Json& json, const std::string& path,
                 const Writing& writing) {
    for (const Field& field : fields) {
        Json value = field.write(object, joinedField(path, field.key), writing);
        if (!isImplied(field, value)) json[field.key] = std::move(value);
    }
}

namespace detail {

void readEntries(const Field& field, const JsonNode& node, Reading& reading,
                 const std::function<void(const JsonNode&)>& entry) {
    const std::vector<JsonNode> entries = node.elements(field.max);
    if (field.minEntries == 1 && entries.empty()) node.fail("at least one " + field.entry, "an empty list");
    std::set<std::string> names;
    for (const JsonNode& child : entries) {
        reading.attempt([&] { entry(child); });
        if (field.distinct.empty() || !child.isObject() || !child.has("name")) continue;
        const JsonNode name = child.at("name");
        if (name.isString() && !names.insert(name.json().get<std::string>()).second)
            reading.attempt([&] { name.fail(fmt::format("a name that no other {} has", field.distinct)); });
    }
}

void readMembers(const Field& field, const JsonNode& node, Reading& reading,
                 const std::function<void(const std::string&, const JsonNode&)>& member) {
    constexpr std::size_t kLongestName = 256;
    const auto members = node.members();
    if (members.size() < field.minEntries) node.fail("at least one entry", "an empty object");
    if (members.size() > field.max) node.fail(fmt::format("at most {} entries", field.max));
    for (const std::pair<std::string, JsonNode>& each : members)
        reading.attempt([&] {
            if (each.first.empty() || each.first.size() > kLongestName)
                each.second.fail("a name of 1 to 256 characters", "under another name");
            member(each.first, each.second);
        });
}

std::vector<std::string> namesIn(const JsonNode& node) {
    constexpr std::size_t kMaxNames = 100;
    std::vector<std::string> names;
    for (const JsonNode& name : node.elements(kMaxNames)) names.push_back(name.text());
    if (names.empty()) node.fail("at least one entry", "an empty list");
    return names;
}

void setNumbers(std::vector<std::int64_t>& member, const JsonNode& node, const Bounds& bounds, std::size_t max,
                Reading& reading) {
    for (const JsonNode& each : node.elements(max))
        member.push_back(static_cast<std::int64_t>(reading.number(each, bounds, Measure::count)));
    if (member.empty()) node.fail("at least one number", "an empty list");
}

Json numbersJson(const std::vector<std::int64_t>& member, const std::string& path, const Writing& writing) {
    Json json = Json::array();
    for (std::size_t i = 0; i < member.size(); ++i)
        json.push_back(numberJson(static_cast<double>(member[i]), fmt::format("{}[{}]", path, i), writing.provenance));
    return json.empty() ? Json() : json;
}

std::string stemOf(const std::string& file) {
    return std::filesystem::path(file).stem().string();
}

}  // namespace detail

}  // namespace tessera::hardware

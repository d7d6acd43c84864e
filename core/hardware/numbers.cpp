#include "core/hardware/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace tessera::hardware {

namespace {

constexpr double kSmallest = 1e-30;
constexpr double kLargest = 1e30;
constexpr std::size_t kLongestSource = 1000;
constexpr std::size_t kMostAlternatives = 10;

}  // namespace

NumberReader::NumberReader(const JsonNode& base, ProvenanceMap& provenance) : base_(base), provenance_(provenance) {}

JsonNode NumberReader::valueOf(const JsonNode& node) const {
    if (!node.isObject()) return node;
    node.allowOnly({"value", "source", "class", "alternatives"});
    Provenance found;
    if (node.has("source")) found.source = node.at("source").text(kLongestSource);
    if (node.has("class")) found.reliability = node.at("class").oneOf({"measured", "datasheet", "assumed"});
    if (node.has("alternatives"))
        for (const JsonNode& other : node.at("alternatives").elements(kMostAlternatives)) {
            other.allowOnly({"value", "source"});
            found.alternatives.push_back(
                {.value = other.at("value").number(),
                 .source = other.has("source") ? other.at("source").text(kLongestSource) : ""});
        }
    std::size_t skipped = base_.path().size();
    if (skipped > 0 && node.path().size() > skipped && node.path()[skipped] == '.') ++skipped;
    provenance_[node.path().substr(skipped)] = found;
    return node.at("value");
}

double NumberReader::positive(const JsonNode& node) const {
    const JsonNode value = valueOf(node);
    const double number = value.positive();
    if (number < kSmallest || number > kLargest) value.fail("a number from 1e-30 to 1e30");
    return number;
}

double NumberReader::notNegative(const JsonNode& node) const {
    const JsonNode value = valueOf(node);
    const double number = value.notNegative();
    if (number > kLargest) value.fail("a number from 0 to 1e30");
    return number == 0 ? 0 : number;  // -0.0 becomes 0
}

double NumberReader::fraction(const JsonNode& node) const {
    const JsonNode value = valueOf(node);
    const double number = value.positive();
    if (number < kSmallest || number > 1) value.fail("a number above 0 and at most 1");
    return number;
}

std::int64_t NumberReader::count(const JsonNode& node, std::int64_t most) const {
    const JsonNode value = valueOf(node);
    const std::int64_t number = value.whole(1, std::numeric_limits<std::int64_t>::max());
    if (number > most) value.fail(fmt::format("a whole number of at most {}", most));
    return number;
}

namespace {

/// 512 rather than 512.0.
Json plainNumber(double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

}  // namespace

Json numberJson(double value, const std::string& path, const ProvenanceMap& provenance) {
    Json number = plainNumber(value);
    const auto known = provenance.find(path);
    if (known == provenance.end()) return number;
    Json object = Json::object();
    object["value"] = std::move(number);
    if (!known->second.source.empty()) object["source"] = known->second.source;
    if (!known->second.reliability.empty()) object["class"] = known->second.reliability;
    for (const Alternative& other : known->second.alternatives) {
        Json& entry = object["alternatives"].emplace_back(Json::object());
        entry["value"] = plainNumber(other.value);
        if (!other.source.empty()) entry["source"] = other.source;
    }
    return object;
}

std::string nameIn(const JsonNode& node) {
    std::string name = node.text();
    if (trimmed(name).empty()) node.fail("a name that is not blank");
    return name;
}

}  // namespace tessera::hardware

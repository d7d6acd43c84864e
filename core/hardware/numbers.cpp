#include "core/hardware/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::hardware {

namespace {

constexpr double kSmallest = 1e-30;
constexpr double kLargest = 1e30;
constexpr std::size_t kLongestSource = 1000;
constexpr std::size_t kMostAlternatives = 10;

/// 512 rather than 512.0.
Json plainNumber(double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

std::string sourceIn(const JsonNode& node) {
    return node.has("source") ? node.at("source").text(kLongestSource) : "";
}

std::string reliabilityIn(const JsonNode& node) {
    return node.has("class") ? node.at("class").oneOf(reliabilities()) : "";
}

std::vector<Alternative> alternativesIn(const JsonNode& node) {
    std::vector<Alternative> alternatives;
    if (!node.has("alternatives")) return alternatives;
    for (const JsonNode& other : node.at("alternatives").elements(kMostAlternatives)) {
        other.allowOnly({"value", "source"});
        alternatives.push_back({.value = other.at("value").number(), .source = sourceIn(other)});
    }
    return alternatives;
}

/// What a number and one that it replaced have in common.
template <typename Said>
void writeSaid(Json& object, const Said& said) {
    if (!said.source.empty()) object["source"] = said.source;
    if (!said.reliability.empty()) object["class"] = said.reliability;
    for (const Alternative& other : said.alternatives) {
        Json& entry = object["alternatives"].emplace_back(Json::object());
        entry["value"] = plainNumber(other.value);
        if (!other.source.empty()) entry["source"] = other.source;
    }
}

std::string besideClass(const std::string& reliability, const std::string& source) {
    return reliability + (reliability.empty() || source.empty() ? "" : ": ") + source;
}

}  // namespace

const std::vector<std::string>& reliabilities() {
    static const std::vector<std::string> kWords{"measured", "datasheet", "assumed", kOwnNumber};
    return kWords;
}

std::string sourceText(const Provenance& provenance) {
    if (!provenance.was) return provenance.source;
    const std::string before = besideClass(provenance.was->reliability, provenance.was->source);
    return fmt::format("{}; was {}{}{}", provenance.source, exactNumber(provenance.was->value),
                       before.empty() ? "" : ", ", before);
}

std::string whereFrom(const Provenance& provenance) {
    return besideClass(provenance.reliability, sourceText(provenance));
}

Former readFormer(const JsonNode& node) {
    node.allowOnly({"value", "source", "class", "alternatives"});
    return {.value = node.at("value").number(),
            .source = sourceIn(node),
            .reliability = reliabilityIn(node),
            .alternatives = alternativesIn(node)};
}

Provenance readProvenance(const JsonNode& node) {
    Provenance found{
        .source = sourceIn(node), .reliability = reliabilityIn(node), .alternatives = alternativesIn(node)};
    if (node.has("was")) found.was = readFormer(node.at("was"));
    return found;
}

void writeProvenance(Json& object, const Provenance& provenance) {
    writeSaid(object, provenance);
    if (!provenance.was) return;
    Json& was = object["was"] = Json{{"value", plainNumber(provenance.was->value)}};
    writeSaid(was, *provenance.was);
}

NumberReader::NumberReader(const JsonNode& base, ProvenanceMap& provenance) : base_(base), provenance_(provenance) {}

JsonNode NumberReader::valueOf(const JsonNode& node) const {
    if (!node.isObject()) return node;
    node.allowOnly({"value", "source", "class", "alternatives", "was"});
    std::size_t skipped = base_.path().size();
    if (skipped > 0 && node.path().size() > skipped && node.path()[skipped] == '.') ++skipped;
    provenance_[node.path().substr(skipped)] = readProvenance(node);
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

Json numberJson(double value, const std::string& path, const ProvenanceMap& provenance) {
    Json number = plainNumber(value);
    const auto known = provenance.find(path);
    if (known == provenance.end()) return number;
    Json object = Json::object();
    object["value"] = std::move(number);
    writeProvenance(object, known->second);
    return object;
}

std::string nameIn(const JsonNode& node) {
    std::string name = node.text();
    if (trimmed(name).empty()) node.fail("a name that is not blank");
    return name;
}

}  // namespace tessera::hardware

#include "core/hardware/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::hardware {

namespace {

constexpr double kSmallest = 1e-30;
constexpr double kLargest = 1e30;
constexpr std::size_t kLongestSource = 1000;
constexpr std::size_t kMostAlternatives = 10;

/// A field's name says what it measures and in which unit.
struct NamedUnit {
    std::string_view ending;
    Measure measure;
    const char* example;
};
constexpr std::array kUnits{
    NamedUnit{"bytes_per_s", Measure::bytesPerSecond, "16 GB/s"},
    NamedUnit{"bits_per_s", Measure::bitsPerSecond, "200 Gb/s"},
    NamedUnit{"bytes", Measure::bytes, "32 GiB"},
    NamedUnit{"bytes_per_element", Measure::bytes, "1 KiB"},
    NamedUnit{"peak_flops", Measure::flopsPerSecond, "180 TFLOP/s"},
    NamedUnit{"watts", Measure::watts, "450 W"},
    NamedUnit{"hz", Measure::hertz, "200 MHz"},
    NamedUnit{"s", Measure::seconds, "5 µs"},
    NamedUnit{"mm2", Measure::area, "80 mm²"},
};

/// The unit of a number at a path such as "memory[0].capacity_bytes.value" or "peak_flops.bf16"; null where it has
/// none. The outermost field with a unit counts: what is inside of it is named by people.
const NamedUnit* unitAt(std::string_view path) {
    for (std::string_view key : split(path, '.')) {
        key = key.substr(0, key.find('['));
        for (const NamedUnit& unit : kUnits)
            if (key == unit.ending || key.ends_with("_" + std::string(unit.ending))) return &unit;
    }
    return nullptr;
}

[[noreturn]] void failAsText(const JsonNode& node, const std::string& expected) {
    node.fail(expected, "the text " + inQuotes(node.json().get_ref<const std::string&>()));
}

/// The number in base units that a text with its unit says, such as "40 GiB"; empty where the value is no text, or the
/// field has no unit.
std::optional<double> spelledOut(const JsonNode& node, const std::string& expected) {
    const NamedUnit* unit = node.isString() ? unitAt(node.path()) : nullptr;
    if (unit == nullptr) return std::nullopt;
    const auto& text = node.json().get_ref<const std::string&>();
    const std::optional<double> value = parseQuantity(text, unit->measure);
    // A number alone in quotes has no unit, which is what a text is there to say.
    if (!value || parseQuantity(text, Measure::count))
        failAsText(node, fmt::format("{}, or a text with its unit such as '{}'", expected, unit->example));
    return value;
}

double anyNumber(const JsonNode& node) {
    const std::optional<double> said = spelledOut(node, "a number");
    return said ? *said : node.number();
}

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
        alternatives.push_back({.value = anyNumber(other.at("value")), .source = sourceIn(other)});
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
    return {.value = anyNumber(node.at("value")),
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
    constexpr const char* kExpected = "a number above 0";
    const std::optional<double> said = spelledOut(value, kExpected);
    if (said && !(*said > 0)) failAsText(value, kExpected);
    const double number = said ? *said : value.positive();
    if (number < kSmallest || number > kLargest) value.fail("a number from 1e-30 to 1e30");
    return number;
}

double NumberReader::notNegative(const JsonNode& node) const {
    const JsonNode value = valueOf(node);
    constexpr const char* kExpected = "a number of 0 or more";
    const std::optional<double> said = spelledOut(value, kExpected);
    if (said && !(*said >= 0)) failAsText(value, kExpected);
    const double number = said ? *said : value.notNegative();
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
    constexpr const char* kExpected = "a whole number above 0";
    const std::optional<double> said = spelledOut(value, kExpected);
    if (said && (*said != std::floor(*said) || *said < 1 || *said >= 0x1p63)) failAsText(value, kExpected);
    const std::int64_t number =
        said ? static_cast<std::int64_t>(*said) : value.whole(1, std::numeric_limits<std::int64_t>::max());
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

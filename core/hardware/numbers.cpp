#include "core/hardware/numbers.h"

#include <fmt/format.h>

#include <array>
#include <bit>
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
constexpr std::size_t kMaxAlternatives = 10;

/// A number of each measure as a text. A measure that is not here has no unit.
struct Example {
    Measure measure;
    const char* text;
};
constexpr std::array kExamples{
    Example{Measure::bytesPerSecond, "16 GB/s"},
    Example{Measure::bitsPerSecond, "200 Gb/s"},
    Example{Measure::bytes, "32 GiB"},
    Example{Measure::flopsPerSecond, "180 TFLOP/s"},
    Example{Measure::watts, "450 W"},
    Example{Measure::hertz, "200 MHz"},
    Example{Measure::seconds, "5 µs"},
    Example{Measure::area, "80 mm²"},
};

const char* exampleOf(Measure measure) {
    for (const Example& example : kExamples)
        if (example.measure == measure) return example.text;
    return nullptr;
}

[[noreturn]] void failAsText(const JsonNode& node, const std::string& expected) {
    node.fail(expected, "the text " + inQuotes(node.json().get_ref<const std::string&>()));
}

/// The number in base units that a text with its unit says, such as "40 GiB"; empty where the value is no text, or the
/// field has no unit.
std::optional<double> spelledOut(const JsonNode& node, Measure measure, const std::string& expected) {
    const char* example = node.isString() ? exampleOf(measure) : nullptr;
    if (example == nullptr) return std::nullopt;
    const auto& text = node.json().get_ref<const std::string&>();
    const std::optional<double> value = parseQuantity(text, measure);
    // A number alone in quotes has no unit, which is what a text is there to say.
    if (!value || parseQuantity(text, Measure::count))
        failAsText(node, fmt::format("{}, or a text with its unit such as '{}'", expected, example));
    return value;
}

double anyNumber(const JsonNode& node, Measure measure) {
    const std::optional<double> spelled = spelledOut(node, measure, "a number");
    return spelled ? *spelled : node.number();
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

std::vector<Alternative> alternativesIn(const JsonNode& node, Measure measure) {
    std::vector<Alternative> alternatives;
    if (!node.has("alternatives")) return alternatives;
    for (const JsonNode& other : node.at("alternatives").elements(kMaxAlternatives)) {
        other.allowOnly({"value", "source"});
        alternatives.push_back({.value = anyNumber(other.at("value"), measure), .source = sourceIn(other)});
    }
    return alternatives;
}

/// What a number and one that it replaced have in common.
template <typename NumberFormat>
void writeFormat(Json& object, const NumberFormat& format) {
    if (!format.source.empty()) object["source"] = format.source;
    if (!format.reliability.empty()) object["class"] = format.reliability;
    for (const Alternative& other : format.alternatives) {
        Json& entry = object["alternatives"].emplace_back(Json::object());
        entry["value"] = plainNumber(other.value);
        if (!other.source.empty()) entry["source"] = other.source;
    }
}

bool isSourced(const Json& number) {
    return number.is_object() && number.contains("value");
}

/// What was there before anybody set it by hand: nothing where it says nothing of itself.
Json formerOf(const Json& before) {
    if (!isSourced(before)) return {};
    if (before.value("class", Json()) == Json(kOwnNumber)) return before.value("was", Json());
    if (!before.at("value").is_number()) return {};
    Json former = before;
    former.erase("was");
    return former;
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

Former readFormer(const JsonNode& node, Measure measure) {
    node.allowOnly({"value", "source", "class", "alternatives"});
    return {.value = anyNumber(node.at("value"), measure),
            .source = sourceIn(node),
            .reliability = reliabilityIn(node),
            .alternatives = alternativesIn(node, measure)};
}

Provenance readProvenance(const JsonNode& node, Measure measure) {
    Provenance found{
        .source = sourceIn(node), .reliability = reliabilityIn(node), .alternatives = alternativesIn(node, measure)};
    if (node.has("was")) found.was = readFormer(node.at("was"), measure);
    return found;
}

void writeProvenance(Json& object, const Provenance& provenance) {
    writeFormat(object, provenance);
    if (!provenance.was) return;
    Json& was = object["was"] = Json{{"value", plainNumber(provenance.was->value)}};
    writeFormat(was, *provenance.was);
}

bool acceptsUnits(const Bounds& bounds, Measure measure) {
    return bounds != kFraction && exampleOf(measure) != nullptr;
}

double readNumber(const JsonNode& node, const Bounds& bounds, Measure measure) {
    if (bounds.whole) {
        const char* const expected = bounds.min > 0 ? "a whole number above 0" : "a whole number of 0 or more";
        const std::optional<double> spelled = spelledOut(node, measure, expected);
        if (spelled && (*spelled != std::floor(*spelled) || *spelled < bounds.min || *spelled >= 0x1p63))
            failAsText(node, expected);
        const std::int64_t number =
            spelled ? static_cast<std::int64_t>(*spelled)
                    : node.whole(static_cast<std::int64_t>(bounds.min), std::numeric_limits<std::int64_t>::max());
        const auto max = static_cast<std::int64_t>(bounds.max);
        if (number > max) node.fail(fmt::format("a whole number of at most {}", max));
        if (bounds.powerOfTwo && !std::has_single_bit(static_cast<std::uint64_t>(number)))
            node.fail("a power of two", fmt::format("{}", number));
        return static_cast<double>(number);
    }
    if (bounds == kFraction) {
        const double number = node.positive();
        if (number < kSmallest || number > 1) node.fail("a number above 0 and at most 1");
        return number;
    }
    const bool above = bounds.minExcluded;
    const char* const expected = above ? "a number above 0" : "a number of 0 or more";
    const std::optional<double> spelled = spelledOut(node, measure, expected);
    if (spelled && !(above ? *spelled > 0 : *spelled >= 0)) failAsText(node, expected);
    const double number = spelled ? *spelled : above ? node.positive() : node.notNegative();
    if ((above && number < kSmallest) || number > kLargest)
        node.fail(above ? "a number from 1e-30 to 1e30" : "a number from 0 to 1e30");
    if (number < bounds.min) node.fail(fmt::format("a number of {:.0f} or more", bounds.min));
    return number == 0 ? 0 : number;  // -0.0 becomes 0
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

Json ownNumber(const Json& before, const Json& value, const std::string& source) {
    const Json& plain = isSourced(before) ? before.at("value") : before;
    if (value.is_null() || value == plain) return value.is_null() ? value : before;
    const Json former = formerOf(before);
    if (former.is_object() && former.value("value", Json()) == value) return former;
    Json number{{"value", value}, {"source", source}, {"class", kOwnNumber}};
    if (former.is_object()) number["was"] = former;
    return number;
}

}  // namespace tessera::hardware

#include "core/hardware/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"

namespace tessera::hardware {

namespace {

/// A parameter of the search: its field, its member, what its values must be.
struct Parameter {
    const char* key;
    Range Template::*range;
    std::int64_t most;
    bool powersOfTwo;       ///< what L2 and areas are derived from is given for powers of two only
    bool optional = false;  ///< may be left out: then it is not searched
};

constexpr std::array kParameters{
    Parameter{"num_tc", &Template::tensorCores, kMostCoresOfAKind, false},
    Parameter{"num_vc", &Template::vectorCores, kMostCoresOfAKind, false},
    Parameter{"pe_x", &Template::width, kLongestArraySide, true},
    Parameter{"pe_y", &Template::height, kLongestArraySide, true},
    Parameter{"glb_bytes", &Template::globalBuffer, kLargestBuffer, true},
    Parameter{"hbm_bytes", &Template::hbm, kLargestBuffer, false},
    Parameter{"hbm_bandwidth_bytes_per_s", &Template::hbmBandwidth, kFastestInterface, false, true},
    Parameter{"network_bandwidth_bytes_per_s", &Template::networkBandwidth, kFastestInterface, false, true},
};

/// The fields of a reference, in the order of the parameters (the size of an HBM is no part of it), ...
constexpr std::array kReferenceFields{&Reference::tensorCores, &Reference::vectorCores, &Reference::width,
                                      &Reference::height, &Reference::globalBuffer};
/// ... then those that it may have of its own, in the order of the last parameters.
constexpr std::array kReferenceBandwidths{&Reference::hbmBandwidth, &Reference::networkBandwidth};
constexpr std::size_t kFirstBandwidth = kParameters.size() - kReferenceBandwidths.size();

/// What joins an accelerator to something else.
struct InterfaceField {
    const char* key;
    std::optional<Interface> Template::*member;
};
constexpr std::array kInterfaces{InterfaceField{"hbm_interface", &Template::hbmInterface},
                                 InterfaceField{"network_interface", &Template::networkInterface}};

bool isPowerOfTwo(std::int64_t value) {
    return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

std::int64_t readValue(const JsonNode& node, const Parameter& parameter, const NumberReader& numbers) {
    const std::int64_t value = numbers.count(node, parameter.most);
    if (parameter.powersOfTwo && !isPowerOfTwo(value)) node.fail("a power of two", fmt::format("{}", value));
    return value;
}

/// What a step makes of a value.
struct Step {
    bool multiplies = true;
    std::int64_t amount = 2;

    std::int64_t after(std::int64_t value) const { return multiplies ? value * amount : value + amount; }
    std::string text() const { return fmt::format("{}{}", multiplies ? "×" : "+", amount); }
};

Step readStep(const JsonNode& node) {
    const std::string text = node.text();
    Step step;
    std::string_view digits = text;
    for (const std::string_view sign : {"×", "x", "+"})
        if (digits.starts_with(sign)) {
            step.multiplies = sign != "+";
            digits.remove_prefix(sign.size());
            break;
        }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step.amount);
    const bool read = digits.size() != text.size() && error == std::errc() && end == digits.data() + digits.size();
    // Factors are small and sums stay below the largest buffer twice, so that no next value overflows.
    if (!read || step.amount < (step.multiplies ? 2 : 1) || step.amount > (step.multiplies ? 1024 : kLargestBuffer))
        node.fail("a step such as '×2' or '+8'");
    return step;
}

Range readSteps(const JsonNode& node, const Parameter& parameter, const NumberReader& numbers) {
    node.allowOnly({"from", "to", "step"});
    const Step step = readStep(node.at("step"));
    const std::int64_t from = readValue(node.at("from"), parameter, numbers);
    const std::int64_t to = readValue(node.at("to"), parameter, numbers);
    if (to < from) node.at("to").fail(fmt::format("a number of at least 'from', {}", from), fmt::format("{}", to));
    Range range{.values = {}, .step = step.text()};
    for (std::int64_t value = from; value <= to; value = step.after(value)) {
        if (range.values.size() == kMostValues) node.fail(fmt::format("at most {} values", kMostValues), "more");
        if (parameter.powersOfTwo && !isPowerOfTwo(value))
            node.at("step").fail("steps from one power of two to the next",
                                 fmt::format("{}, which leads to {}", inQuotes(range.step), value));
        range.values.push_back(value);
    }
    if (range.values.back() != to)
        node.at("to").fail(fmt::format("a number that steps of {} from {} reach", range.step, from),
                           fmt::format("{}", to));
    return range;
}

Range readList(const JsonNode& node, const Parameter& parameter, const NumberReader& numbers) {
    Range range;
    for (const JsonNode& child : node.elements(kMostValues)) {
        const std::int64_t value = readValue(child, parameter, numbers);
        if (!range.values.empty() && value <= range.values.back())
            child.fail(fmt::format("a number above {}, the one before it", range.values.back()),
                       fmt::format("{}", value));
        range.values.push_back(value);
    }
    if (range.values.empty()) node.fail("at least one value", "an empty list");
    return range;
}

Range readRange(const JsonNode& node, const Parameter& parameter, const NumberReader& numbers) {
    if (node.isArray()) return readList(node, parameter, numbers);
    if (!node.isObject()) node.fail(R"(a list of numbers, or {"from", "to", "step"})");
    return readSteps(node, parameter, numbers);
}

std::vector<std::string> parameterKeys() {
    std::vector<std::string> keys;
    for (const Parameter& parameter : kParameters) keys.emplace_back(parameter.key);
    return keys;
}

void readParameters(const JsonNode& node, Template& space, const NumberReader& numbers) {
    node.allowOnly(parameterKeys());
    std::size_t points = 1;
    for (const Parameter& parameter : kParameters) {
        if (parameter.optional && !node.has(parameter.key)) continue;
        space.*parameter.range = readRange(node.at(parameter.key), parameter, numbers);
        points *= (space.*parameter.range).values.size();
        if (points > kMostPoints)
            node.fail(fmt::format("at most {} points", kMostPoints),
                      fmt::format("a search of {} points or more", points));
    }
}

std::vector<BufferArea> readBuffers(const JsonNode& node, const NumberReader& numbers) {
    std::vector<BufferArea> table;
    for (const JsonNode& child : node.elements(kMostBufferAreas)) {
        child.allowOnly({"bytes", "um2"});
        const JsonNode size = child.at("bytes");
        const BufferArea entry{Bytes{static_cast<double>(numbers.count(size, kLargestBuffer))},
                               numbers.positive(child.at("um2"))};
        if (!table.empty() && entry.size <= table.back().size) size.fail("a size above that of the entry before it");
        if (!table.empty() && entry.squareMicrometres < table.back().squareMicrometres)
            child.at("um2").fail("an area of at least that of the smaller buffer before it");
        table.push_back(entry);
    }
    if (table.size() < 2)
        node.fail("at least two sizes, so that others can be estimated",
                  table.empty() ? "an empty list" : "a list of one");
    return table;
}

AreaModel readArea(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"tensor_element_um2", "vector_lane_um2", "l2", "glb"});
    return {.tensorElement = numbers.positive(node.at("tensor_element_um2")),
            .vectorLane = numbers.positive(node.at("vector_lane_um2")),
            .l2 = readBuffers(node.at("l2"), numbers),
            .globalBuffer = readBuffers(node.at("glb"), numbers)};
}

Reference readReference(const JsonNode& node, const NumberReader& numbers) {
    std::vector<std::string> keys{"name"};
    for (std::size_t i = 0; i < kReferenceFields.size(); ++i) keys.emplace_back(kParameters[i].key);
    for (std::size_t i = kFirstBandwidth; i < kParameters.size(); ++i) keys.emplace_back(kParameters[i].key);
    node.allowOnly(keys);
    Reference reference;
    reference.name = nameIn(node.at("name"));
    for (std::size_t i = 0; i < kReferenceFields.size(); ++i)
        reference.*kReferenceFields[i] = readValue(node.at(kParameters[i].key), kParameters[i], numbers);
    for (std::size_t i = 0; i < kReferenceBandwidths.size(); ++i) {
        const Parameter& parameter = kParameters[kFirstBandwidth + i];
        if (node.has(parameter.key))
            reference.*kReferenceBandwidths[i] = readValue(node.at(parameter.key), parameter, numbers);
    }
    return reference;
}

Interface readInterface(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"unit", "bytes_per_s", "mm2", "watts"});
    Interface read{
        .unit = nameIn(node.at("unit")),
        .rate = BytesPerSecond{static_cast<double>(numbers.count(node.at("bytes_per_s"), kFastestInterface))},
        .area = {},
        .power = {}};
    if (node.has("mm2")) read.area = SquareMillimetres{numbers.positive(node.at("mm2"))};
    if (node.has("watts")) read.power = Watts{numbers.positive(node.at("watts"))};
    return read;
}

/// Every accelerator has an area: what has a price needs a bandwidth.
void readInterfaces(const JsonNode& node, Template& space, const NumberReader& numbers) {
    for (const InterfaceField& field : kInterfaces)
        if (node.has(field.key)) space.*field.member = readInterface(node.at(field.key), numbers);
    if (!space.networkInterface) return;
    const JsonNode given = node.at(kInterfaces.back().key);
    const char* const key = kParameters.back().key;
    if (space.networkBandwidth.values.empty())
        given.fail(fmt::format("'parameters.{}' beside it", key), "an interface without a bandwidth");
    if (space.reference && !space.reference->networkBandwidth)
        given.fail(fmt::format("'bound.{}' beside it", key), "an interface without the bandwidth of the bound");
}

void readBound(const JsonNode& node, Template& space, const NumberReader& numbers) {
    if (node.has("bound") == node.has("bound_mm2"))
        node.fail("either an accelerator as 'bound' or an area as 'bound_mm2'",
                  node.has("bound") ? "a template with both" : "a template with neither");
    if (node.has("bound"))
        space.reference = readReference(node.at("bound"), numbers);
    else
        space.bound = SquareMillimetres{numbers.positive(node.at("bound_mm2"))};
}

/// Writes numbers with what is known about them.
class Writer {
public:
    explicit Writer(const ProvenanceMap& provenance) : provenance_(provenance) {}

    Json number(double value, const std::string& path) const { return numberJson(value, path, provenance_); }
    Json number(std::int64_t value, const std::string& path) const { return number(static_cast<double>(value), path); }

    Json range(const Range& range, const std::string& path) const {
        if (!range.step.empty()) {
            Json json = Json::object();
            json["from"] = number(range.values.front(), path + ".from");
            json["to"] = number(range.values.back(), path + ".to");
            json["step"] = range.step;
            return json;
        }
        Json json = Json::array();
        for (std::size_t i = 0; i < range.values.size(); ++i)
            json.push_back(number(range.values[i], fmt::format("{}[{}]", path, i)));
        return json;
    }

    Json buffers(const std::vector<BufferArea>& table, const std::string& path) const {
        Json json = Json::array();
        for (std::size_t i = 0; i < table.size(); ++i) {
            Json entry = Json::object();
            entry["bytes"] = number(table[i].size.value, fmt::format("{}[{}].bytes", path, i));
            entry["um2"] = number(table[i].squareMicrometres, fmt::format("{}[{}].um2", path, i));
            json.push_back(std::move(entry));
        }
        return json;
    }

    Json interface(const Interface& given, const std::string& path) const {
        Json json = Json::object();
        json["unit"] = given.unit;
        json["bytes_per_s"] = number(given.rate.value, path + ".bytes_per_s");
        if (given.area) json["mm2"] = number(given.area->value, path + ".mm2");
        if (given.power) json["watts"] = number(given.power->value, path + ".watts");
        return json;
    }

private:
    const ProvenanceMap& provenance_;
};

}  // namespace

const SchemaHistory& templateSchema() {
    static const SchemaHistory history{.kind = "tessera.template", .migrations = {}};
    return history;
}

Template readTemplate(const JsonNode& given) {
    const bool whole = given.path().empty();
    const JsonNode node = whole || given.has("schema") ? atCurrentSchema(given, templateSchema()) : given;
    node.allowOnly({"schema", "name", "parameters", "clock_hz", "hbm_bandwidth_bytes_per_s", "word_bytes",
                    "l2_bytes_per_element", "least_l2_bytes", "most_glb_words_per_cycle", "area", "bound", "bound_mm2",
                    kInterfaces[0].key, kInterfaces[1].key});
    Template space;
    space.file = given.document().file();
    if (whole) space.id = std::filesystem::path(space.file).stem().string();
    const NumberReader numbers(node, space.provenance);
    space.name = nameIn(node.at("name"));
    readParameters(node.at("parameters"), space, numbers);
    space.rates.clock = Hertz{numbers.positive(node.at("clock_hz"))};
    space.rates.hbmBandwidth = BytesPerSecond{numbers.positive(node.at("hbm_bandwidth_bytes_per_s"))};
    space.rates.wordBytes = numbers.count(node.at("word_bytes"), 64);
    space.l2BytesPerElement = static_cast<double>(numbers.count(node.at("l2_bytes_per_element"), kLargestBuffer));
    space.leastL2 = Bytes{static_cast<double>(numbers.count(node.at("least_l2_bytes"), kLargestBuffer))};
    space.mostGlobalWords = static_cast<double>(numbers.count(node.at("most_glb_words_per_cycle"), kMostCoresOfAKind));
    space.area = readArea(node.at("area"), numbers);
    readBound(node, space, numbers);
    readInterfaces(node, space, numbers);
    return space;
}

Json toJson(const Template& space) {
    const Writer write(space.provenance);
    Json json = Json::object();
    json["schema"] = currentSchema(templateSchema());
    json["name"] = space.name;
    Json& parameters = json["parameters"] = Json::object();
    for (const Parameter& parameter : kParameters)
        if (!parameter.optional || !(space.*parameter.range).values.empty())
            parameters[parameter.key] =
                write.range(space.*parameter.range, fmt::format("parameters.{}", parameter.key));
    json["clock_hz"] = write.number(space.rates.clock.value, "clock_hz");
    json["hbm_bandwidth_bytes_per_s"] = write.number(space.rates.hbmBandwidth.value, "hbm_bandwidth_bytes_per_s");
    json["word_bytes"] = write.number(space.rates.wordBytes, "word_bytes");
    json["l2_bytes_per_element"] = write.number(space.l2BytesPerElement, "l2_bytes_per_element");
    json["least_l2_bytes"] = write.number(space.leastL2.value, "least_l2_bytes");
    json["most_glb_words_per_cycle"] = write.number(space.mostGlobalWords, "most_glb_words_per_cycle");
    Json& area = json["area"] = Json::object();
    area["tensor_element_um2"] = write.number(space.area.tensorElement, "area.tensor_element_um2");
    area["vector_lane_um2"] = write.number(space.area.vectorLane, "area.vector_lane_um2");
    area["l2"] = write.buffers(space.area.l2, "area.l2");
    area["glb"] = write.buffers(space.area.globalBuffer, "area.glb");
    if (space.reference) {
        Json& bound = json["bound"] = Json::object();
        bound["name"] = space.reference->name;
        for (std::size_t i = 0; i < kReferenceFields.size(); ++i)
            bound[kParameters[i].key] =
                write.number((*space.reference).*kReferenceFields[i], fmt::format("bound.{}", kParameters[i].key));
        for (std::size_t i = 0; i < kReferenceBandwidths.size(); ++i) {
            const char* const key = kParameters[kFirstBandwidth + i].key;
            if (const std::optional<std::int64_t>& own = (*space.reference).*kReferenceBandwidths[i])
                bound[key] = write.number(*own, fmt::format("bound.{}", key));
        }
    } else {
        json["bound_mm2"] = write.number(space.bound->value, "bound_mm2");
    }
    for (const InterfaceField& field : kInterfaces)
        if (const std::optional<Interface>& given = space.*field.member)
            json[field.key] = write.interface(*given, field.key);
    return json;
}

Architecture architectureOf(const Template& space, std::int64_t tensorCores, std::int64_t vectorCores,
                            std::int64_t width, std::int64_t height, std::int64_t globalBuffer) {
    Architecture architecture{.tensorCores = tensorCores,
                              .vectorCores = vectorCores,
                              .width = width,
                              .height = height,
                              .globalBuffer = Bytes{static_cast<double>(globalBuffer)},
                              .tensorL2 = {},
                              .vectorL2 = {},
                              .globalWords = 1};
    const auto l2 = [&](double elements) { return std::max(space.leastL2, Bytes{elements * space.l2BytesPerElement}); };
    architecture.tensorL2 = l2(static_cast<double>(width) * static_cast<double>(height));
    architecture.vectorL2 = l2(static_cast<double>(width));
    architecture.globalWords = std::min(space.mostGlobalWords, peakMacs(architecture));
    return architecture;
}

Architecture architectureOf(const Template& space, const Reference& reference) {
    Architecture architecture = architectureOf(space, reference.tensorCores, reference.vectorCores, reference.width,
                                               reference.height, reference.globalBuffer);
    const auto own = [](const std::optional<std::int64_t>& value) {
        return value ? std::optional(BytesPerSecond{static_cast<double>(*value)}) : std::nullopt;
    };
    architecture.hbmBandwidth = own(reference.hbmBandwidth);
    architecture.networkBandwidth = own(reference.networkBandwidth);
    return architecture;
}

std::size_t bandwidthCount(const Template& space) {
    return std::max<std::size_t>(1, space.hbmBandwidth.values.size()) *
           std::max<std::size_t>(1, space.networkBandwidth.values.size());
}

std::size_t architectureCount(const Template& space) {
    return space.tensorCores.values.size() * space.vectorCores.values.size() * space.width.values.size() *
           space.height.values.size() * space.globalBuffer.values.size() * bandwidthCount(space);
}

Architecture architectureAt(const Template& space, std::size_t index) {
    const auto next = [&](const Range& range) {
        const std::size_t at = index % range.values.size();
        index /= range.values.size();
        return range.values[at];
    };
    const auto bandwidth = [&](const Range& range) {
        return range.values.empty() ? std::nullopt : std::optional(BytesPerSecond{static_cast<double>(next(range))});
    };
    const std::optional<BytesPerSecond> network = bandwidth(space.networkBandwidth),
                                        hbm = bandwidth(space.hbmBandwidth);
    const std::int64_t globalBuffer = next(space.globalBuffer), height = next(space.height), width = next(space.width),
                       vectorCores = next(space.vectorCores), tensorCores = next(space.tensorCores);
    Architecture architecture = architectureOf(space, tensorCores, vectorCores, width, height, globalBuffer);
    architecture.hbmBandwidth = hbm;
    architecture.networkBandwidth = network;
    return architecture;
}

std::vector<Architecture> architectures(const Template& space) {
    std::vector<Architecture> all;
    const std::size_t count = architectureCount(space);
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back(architectureAt(space, i));
    return all;
}

Area areaOf(const Architecture& architecture, const Template& space) {
    Area area = areaOf(architecture, space.area);
    const auto of = [](const std::optional<Interface>& joined, const std::optional<BytesPerSecond>& bandwidth) {
        return joined && joined->area && bandwidth ? unitsFor(*joined, *bandwidth) * *joined->area
                                                   : SquareMillimetres{};
    };
    area.hbmInterface = of(space.hbmInterface, architecture.hbmBandwidth.value_or(space.rates.hbmBandwidth));
    area.networkInterface = of(space.networkInterface, architecture.networkBandwidth);
    return area;
}

std::optional<Watts> interfacePower(const Architecture& architecture, const Template& space) {
    std::optional<Watts> sum;
    const auto add = [&](const std::optional<Interface>& joined, const std::optional<BytesPerSecond>& bandwidth) {
        if (!joined || !joined->power || !bandwidth) return;
        sum = sum.value_or(Watts{}) + unitsFor(*joined, *bandwidth) * *joined->power;
    };
    add(space.hbmInterface, architecture.hbmBandwidth.value_or(space.rates.hbmBandwidth));
    add(space.networkInterface, architecture.networkBandwidth);
    return sum;
}

Rates ratesOf(const Architecture& architecture, const Template& space) {
    Rates rates = space.rates;
    rates.hbmBandwidth = architecture.hbmBandwidth.value_or(rates.hbmBandwidth);
    return rates;
}

SquareMillimetres areaBound(const Template& space) {
    if (!space.reference) return *space.bound;
    return areaOf(architectureOf(space, *space.reference), space).total();
}

}  // namespace tessera::hardware

#include "core/hardware/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/field.h"

namespace tessera::hardware {

namespace {

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

Range readSteps(const JsonNode& node, const Bounds& bounds, Measure measure, Reading& reading) {
    node.allowOnly({"from", "to", "step"});
    const Step step = readStep(node.at("step"));
    const auto from = static_cast<std::int64_t>(reading.number(node.at("from"), bounds, measure));
    const auto to = static_cast<std::int64_t>(reading.number(node.at("to"), bounds, measure));
    if (to < from) node.at("to").fail(fmt::format("a number of at least 'from', {}", from), fmt::format("{}", to));
    Range range{.values = {}, .step = step.text()};
    for (std::int64_t value = from; value <= to; value = step.after(value)) {
        if (range.values.size() == kMaxValues) node.fail(fmt::format("at most {} values", kMaxValues), "more");
        if (bounds.powerOfTwo && !std::has_single_bit(static_cast<std::uint64_t>(value)))
            node.at("step").fail("steps from one power of two to the next",
                                 fmt::format("{}, which leads to {}", inQuotes(range.step), value));
        range.values.push_back(value);
    }
    if (range.values.back() != to)
        node.at("to").fail(fmt::format("a number that steps of {} from {} reach", range.step, from),
                           fmt::format("{}", to));
    return range;
}

Range readList(const JsonNode& node, const Bounds& bounds, Measure measure, Reading& reading) {
    Range range;
    for (const JsonNode& child : node.elements(kMaxValues)) {
        const auto value = static_cast<std::int64_t>(reading.number(child, bounds, measure));
        if (!range.values.empty() && value <= range.values.back())
            child.fail(fmt::format("a number above {}, the one before it", range.values.back()),
                       fmt::format("{}", value));
        range.values.push_back(value);
    }
    if (range.values.empty()) node.fail("at least one value", "an empty list");
    return range;
}

Json rangeJson(const Range& range, const std::string& path, const ProvenanceMap& provenance) {
    const auto number = [&](std::int64_t value, const std::string& at) {
        return numberJson(static_cast<double>(value), path + at, provenance);
    };
    if (!range.step.empty())
        return {{"from", number(range.values.front(), ".from")},
                {"to", number(range.values.back(), ".to")},
                {"step", range.step}};
    Json json = Json::array();
    for (std::size_t i = 0; i < range.values.size(); ++i)
        json.push_back(number(range.values[i], fmt::format("[{}]", i)));
    return json;
}

/// A row for the values that a search tries for one parameter; where it is left out, it has none.
Field rangeField(Range Template::*member, std::string key, std::string title, Measure measure, Bounds bounds,
                 std::string about) {
    Field field = FieldsOf<Template>::other(
        std::move(key), std::move(title), std::move(about), {},
        [member, bounds, measure](Template& space, const JsonNode& node, Reading& reading) {
            if (!node.isArray() && !node.isObject()) node.fail(R"(a list of numbers, or {"from", "to", "step"})");
            space.*member = (node.isArray() ? readList : readSteps)(node, bounds, measure, reading);
        },
        [member](const Template& space, const std::string& path, const Writing& writing) {
            const Range& range = space.*member;
            return range.values.empty() ? Json() : rangeJson(range, path, writing.provenance);
        });
    field.holds = Holds::range;
    field.measure = measure;
    field.bounds = bounds;
    return field;
}

constexpr Bounds powersOfTwo(std::int64_t max) {
    Bounds bounds = wholeUpTo(max);
    bounds.powerOfTwo = true;
    return bounds;
}

// What L2 and areas are derived from is given for powers of two only.
constexpr Bounds kCores = wholeUpTo(kMaxCoresOfAKind), kSide = powersOfTwo(kLongestArraySide),
                 kBuffer = powersOfTwo(kLargestBuffer), kMemory = wholeUpTo(kLargestBuffer),
                 kBandwidth = wholeUpTo(kFastestInterface);
constexpr const char* kHbmBandwidth = "hbm_bandwidth_bytes_per_s";
constexpr const char* kNetworkBandwidth = "network_bandwidth_bytes_per_s";

Fields parameterFields() {
    return {rangeField(&Template::tensorCores, "num_tc", "Tensor cores", Measure::count, kCores,
                       "Number of tensor cores (num_tc)."),
            rangeField(&Template::vectorCores, "num_vc", "Vector cores", Measure::count, kCores,
                       "Number of vector cores (num_vc)."),
            rangeField(&Template::width, "pe_x", "Array width", Measure::count, kSide,
                       "Columns of a tensor core's array and lanes of a vector core (PE_x); powers of two."),
            rangeField(&Template::height, "pe_y", "Array height", Measure::count, kSide,
                       "Rows of a tensor core's array (PE_y); powers of two."),
            rangeField(&Template::globalBuffer, "glb_bytes", "Global buffer", Measure::bytes, kBuffer,
                       "Size of the global buffer (GLB) in bytes; powers of two."),
            rangeField(&Template::hbm, "hbm_bytes", "HBM", Measure::bytes, kMemory,
                       "Size of the HBM in bytes; it takes none of the area."),
            rangeField(&Template::hbmBandwidth, kHbmBandwidth, "HBM bandwidths", Measure::bytesPerSecond, kBandwidth,
                       "Bandwidth of the HBM in whole bytes per second.")
                .otherwise("not searched, that of the template"),
            rangeField(&Template::networkBandwidth, kNetworkBandwidth, "Network bandwidths", Measure::bytesPerSecond,
                       kBandwidth, "Bandwidth between any two accelerators in whole bytes per second.")
                .otherwise("not searched, that of the study")};
}

Fields bufferFields() {
    using F = FieldsOf<BufferArea>;
    return {F::number(&BufferArea::size, "bytes", "Size", Measure::bytes, kMemory, "Size in bytes."),
            F::number(&BufferArea::squareMicrometres, "um2", "Area", Measure::count, kPositive,
                      "Area in square micrometres.")
                .in("µm²")};
}

Fields areaFields() {
    using F = FieldsOf<AreaModel>;
    const std::string empty = "Add the areas of at least two sizes; others are estimated from the nearest.";
    return {
        F::number(&AreaModel::tensorElement, "tensor_element_um2", "Tensor element", Measure::count, kPositive,
                  "One multiplier of a tensor core with its L1, in square micrometres.")
            .in("µm²")
            .underHeading("Areas of the elements"),
        F::number(&AreaModel::vectorLane, "vector_lane_um2", "Vector lane", Measure::count, kPositive,
                  "One lane of a vector core with its L1, in square micrometres.")
            .in("µm²"),
        F::list(&AreaModel::l2, "l2", "Areas of an L2, from small to large", "size of L2", bufferFields(),
                "Areas of an L2. From small to large; sizes between or beyond are estimated.", empty, 2,
                kMaxBufferAreas),
        F::list(&AreaModel::globalBuffer, "glb", "Areas of the global buffer, from small to large", "size of buffer",
                bufferFields(), "Areas of a global buffer. From small to large; sizes between or beyond are estimated.",
                empty, 2, kMaxBufferAreas)};
}

Fields referenceFields() {
    using F = FieldsOf<Reference>;
    return {
        F::name(&Reference::name, "name", "Accelerator", "Its name."),
        F::number(&Reference::tensorCores, "num_tc", "Tensor cores", Measure::count, kCores, "Number of tensor cores."),
        F::number(&Reference::vectorCores, "num_vc", "Vector cores", Measure::count, kCores, "Number of vector cores."),
        F::number(&Reference::width, "pe_x", "Array width", Measure::count, kSide,
                  "Columns of a tensor core's array and lanes of a vector core (PE_x); a power of two."),
        F::number(&Reference::height, "pe_y", "Array height", Measure::count, kSide,
                  "Rows of a tensor core's array (PE_y); a power of two."),
        F::number(&Reference::globalBuffer, "glb_bytes", "Global buffer", Measure::bytes, kBuffer,
                  "Size of the global buffer in bytes; a power of two."),
        F::number(&Reference::hbmBandwidth, kHbmBandwidth, "HBM bandwidth", Measure::bytesPerSecond, kBandwidth,
                  "Bandwidth of its HBM in bytes per second.")
            .otherwise("that of the template"),
        F::number(&Reference::networkBandwidth, kNetworkBandwidth, "Network bandwidth", Measure::bytesPerSecond,
                  kBandwidth, "Bandwidth between any two of it in bytes per second; needed beside 'network_interface'.")
            .otherwise("that of the study")};
}

Fields interfaceFields() {
    using F = FieldsOf<Interface>;
    return {F::name(&Interface::unit, "unit", "Unit", "What its bandwidth comes in, such as a stack or a link."),
            F::number(&Interface::rate, "bytes_per_s", "Rate", Measure::bytesPerSecond, kBandwidth,
                      "Bandwidth of a unit in bytes per second; a bandwidth takes as many whole units as it needs."),
            F::number(&Interface::area, "mm2", "Area", Measure::area, kPositive,
                      "Area of a unit on the accelerator in square millimetres.")
                .otherwise("not known and not counted"),
            F::number(&Interface::power, "watts", "Power", Measure::watts, kPositive,
                      "Power of a unit at its full rate, with what is at its other end.")
                .otherwise("not known and not counted")};
}

Fields templateFields() {
    using F = FieldsOf<Template>;
    return {
        F::name(&Template::name, "name", "Name", "The name shown to people."),
        F::group("parameters", "", parameterFields(),
                 "The values that a search tries for each parameter: a list, or steps from a first to a last value.")
            .underHeading("What a search tries"),
        F::number(
            [](auto& space) -> auto& { return space.rates.clock; }, "clock_hz", "Clock", Measure::hertz, kPositive,
            "Clock of all cores in cycles per second.")
            .underHeading("Rates"),
        F::number(
            [](auto& space) -> auto& { return space.rates.hbmBandwidth; }, kHbmBandwidth, "HBM bandwidth",
            Measure::bytesPerSecond, kPositive, "Bandwidth of the HBM in bytes per second."),
        F::number(
            [](auto& space) -> auto& { return space.rates.wordBytes; }, "word_bytes", "Word", Measure::bytes,
            wholeUpTo(64), "Size of a number in bytes."),
        F::number(&Template::l2BytesPerElement, "l2_bytes_per_element", "L2 per element", Measure::bytes, kMemory,
                  "L2 of a core in bytes for each element of its array, or each of its lanes."),
        F::number(&Template::minL2, "least_l2_bytes", "Smallest L2", Measure::bytes, kMemory,
                  "The smallest L2 of a core in bytes."),
        F::number(&Template::maxGlobalWords, "most_glb_words_per_cycle", "GLB bandwidth", Measure::count, kCores,
                  "The widest path between the global buffer and all cores, in words per cycle; below it, a word for "
                  "each element of all tensor cores.")
            .in("words/cycle"),
        F::object(&Template::area, "area", "", areaFields(), "Areas of the parts."),
        F::object(&Template::reference, "bound", "", referenceFields(),
                  "The accelerator whose area is the bound; its L2 and bandwidths are derived like those of the "
                  "others.")
            .called("bound")
            .otherwise(""),
        F::number(&Template::bound, "bound_mm2", "Area", Measure::area, kPositive,
                  "The bound as an area in square millimetres.")
            .otherwise(""),
        F::object(&Template::hbmInterface, "hbm_interface", "HBM", interfaceFields(),
                  "What joins an accelerator to its HBM.")
            .underHeading("Interface of the HBM")
            .otherwise("not known and not counted"),
        F::object(&Template::networkInterface, "network_interface", "Link", interfaceFields(),
                  "What joins an accelerator to others; 'parameters.network_bandwidth_bytes_per_s' is given beside it.")
            .underHeading("Interface of the network")
            .otherwise("not known and not counted")};
}

void checkPoints(const JsonNode& parameters, const Template& space) {
    std::size_t points = 1;
    for (const Range& range : {space.tensorCores, space.vectorCores, space.width, space.height, space.globalBuffer,
                               space.hbm, space.hbmBandwidth, space.networkBandwidth}) {
        points *= std::max<std::size_t>(1, range.values.size());
        if (points > kMaxPoints)
            parameters.fail(fmt::format("at most {} points", kMaxPoints),
                            fmt::format("a search of {} points or more", points));
    }
}

void checkBuffers(const JsonNode& node, const std::vector<BufferArea>& table) {
    const std::vector<JsonNode> entries = node.elements();
    for (std::size_t i = 1; i < table.size(); ++i) {
        if (table[i].size <= table[i - 1].size) entries[i].at("bytes").fail("a size above that of the entry before it");
        if (table[i].squareMicrometres < table[i - 1].squareMicrometres)
            entries[i].at("um2").fail("an area of at least that of the smaller buffer before it");
    }
    if (table.size() < 2)
        node.fail("at least two sizes, so that others can be estimated",
                  table.empty() ? "an empty list" : "a list of one");
}

/// What holds across fields.
void checkTemplate(Template& space, const JsonNode& node, Reading& reading) {
    const auto where = [&](const JsonNode& object, const char* key, const auto& look) {
        if (object.isObject() && object.has(key) && reading.good(object.at(key)))
            reading.attempt([&] { look(object.at(key)); });
    };
    where(node, "parameters", [&](const JsonNode& parameters) { checkPoints(parameters, space); });
    if (node.has("area")) {
        where(node.at("area"), "l2", [&](const JsonNode& table) { checkBuffers(table, space.area.l2); });
        where(node.at("area"), "glb", [&](const JsonNode& table) { checkBuffers(table, space.area.globalBuffer); });
    }
    if (node.has("bound") == node.has("bound_mm2"))
        reading.attempt([&] {
            node.fail("either an accelerator as 'bound' or an area as 'bound_mm2'",
                      node.has("bound") ? "a template with both" : "a template with neither");
        });
    // Every accelerator has an area: what has a price needs a bandwidth.
    where(node, "network_interface", [&](const JsonNode& given) {
        const bool read = node.has("parameters") && reading.good(node.at("parameters"));
        if (read && space.networkBandwidth.values.empty())
            given.fail(fmt::format("'parameters.{}' beside it", kNetworkBandwidth), "an interface without a bandwidth");
        if (space.reference && !space.reference->networkBandwidth)
            given.fail(fmt::format("'bound.{}' beside it", kNetworkBandwidth),
                       "an interface without the bandwidth of the bound");
    });
}

}  // namespace

const Kind& templateKind() {
    static const Kind kind{
        .id = "template",
        .title = "Template",
        .history = {.kind = "tessera.template"},
        .about =
            "A family of accelerators to search. Every number may be an object {\"value\", \"source\", \"class\", "
            "\"was\"}. Beyond this schema, values of a list rise, steps reach the last value, sides of arrays and "
            "global buffers are powers of two, and a template has at most 5000000 points.",
        .fields = templateFields(),
        .oneOf = Json::array({{{"required", Json::array({"bound"})}}, {{"required", Json::array({"bound_mm2"})}}})};
    return kind;
}

Template readTemplate(const JsonNode& given) {
    return readDocument<Template>(given, templateKind(), checkTemplate);
}

Json toJson(const Template& space) {
    return documentJson(space, templateKind());
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
    const auto l2 = [&](double elements) { return std::max(space.minL2, Bytes{elements * space.l2BytesPerElement}); };
    architecture.tensorL2 = l2(static_cast<double>(width) * static_cast<double>(height));
    architecture.vectorL2 = l2(static_cast<double>(width));
    architecture.globalWords = std::min(space.maxGlobalWords, peakMacs(architecture));
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

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/base/text.h"
#include "core/study/cost/study.h"
#include "core/study/document_study.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxLayers = 10'000'000;
constexpr std::size_t kLongestName = 1'000'000;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxWhole = std::numeric_limits<std::int64_t>::max();

/// A row for a member of LayerCost: a whole number, or a real one, which may be null where it is not finite.
template <auto member, bool whole = false>
LayerNumber numberOf(Field<LayerEstimate> field) {
    using Value = std::remove_cvref_t<decltype(cost::LayerCost().*member)>;
    field.get = [](const LayerEstimate& layer) {
        return layer.ok() ? FieldValue(static_cast<double>(layer.cost.*member)) : FieldValue();
    };
    return {.field = field,
            .write = [](const cost::LayerCost& cost) -> Json {
                if constexpr (whole) return wholeWherePossible(cost.*member);
                return cost.*member;
            },
            .read =
                [](const JsonNode& node, cost::LayerCost& cost) {
                    if constexpr (std::is_same_v<Value, double>)
                        cost.*member = node.isNull() ? std::numeric_limits<double>::quiet_NaN() : node.number();
                    else
                        cost.*member = node.whole(kMin, kMaxWhole);
                }};
}

/// A number of the array by its key.
struct ArrayNumber {
    const char* key;
    std::int64_t cost::Array::*member;
    std::int64_t min;
};
constexpr std::array kArray{ArrayNumber{"pes", &cost::Array::pes, 1},
                            ArrayNumber{"cluster", &cost::Array::clusterSize, 1},
                            ArrayNumber{"noc_bytes_per_cycle", &cost::Array::nocBandwidth, 1},
                            ArrayNumber{"noc_hops", &cost::Array::nocHops, 0},
                            ArrayNumber{"noc_hop_latency_cycles", &cost::Array::nocHopLatency, 0},
                            ArrayNumber{"offchip_bytes_per_cycle", &cost::Array::offchipBandwidth, 1},
                            ArrayNumber{"simd_lanes", &cost::Array::simdLanes, 1}};

std::string percentWithDigit(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string exactBytes(const LayerEstimate& layer, std::int64_t cost::LayerCost::*member) {
    return fmt::format("{} B", layer.cost.*member);
}

FieldValue valueOf(const std::optional<double>& value) {
    return value ? FieldValue(*value) : FieldValue();
}

FieldValue wordsOf(const std::string& text) {
    return text.empty() ? FieldValue() : FieldValue(text);
}

Json jsonOf(const LayerEstimate& layer, std::size_t index) {
    Json json{{"index", index}, {"name", layer.name}};
    if (!layer.ok()) json["error"] = layer.problem;
    if (layer.ok())
        for (const LayerNumber& number : layerNumbers()) json[std::string(number.field.id)] = number.write(layer.cost);
    json["differences"] = layer.differences;
    return json;
}

LayerEstimate readLayer(const JsonNode& node) {
    LayerEstimate layer;
    layer.name = node.at("name").text(kLongestName);
    if (node.has("error")) {
        layer.problem = node.at("error").text(kLongestName);
        if (layer.ok()) node.at("error").fail("a sentence", "empty");
    } else {
        for (const LayerNumber& number : layerNumbers()) number.read(node.at(std::string(number.field.id)), layer.cost);
    }
    layer.differences = readSentences(node.at("differences"));
    return layer;
}

}  // namespace

const std::vector<LayerNumber>& layerNumbers() {
    using cost::LayerCost;
    using Better = Metric::Better;
    constexpr unsigned kEvery = kText | kSheet | kTable;
    static const std::vector<LayerNumber> kNumbers{
        numberOf<&LayerCost::cycles>(
            {.id = "cycles",
             .title = "Cycles",
             .uses = kEvery,
             .text = [](const LayerEstimate& layer) { return fmt::format("{}", layer.cost.cycles); },
             .better = Better::lower,
             .help = "Without stalls of a shared bandwidth"}),
        numberOf<&LayerCost::l1Bytes>(
            {.id = "l1_bytes",
             .title = "L1",
             .uses = kEvery,
             .text = [](const LayerEstimate& layer) { return exactBytes(layer, &LayerCost::l1Bytes); },
             .measure = Measure::bytes,
             .help = "Local buffer of one element, doubled"}),
        numberOf<&LayerCost::l2Bytes>(
            {.id = "l2_bytes",
             .title = "L2",
             .uses = kEvery,
             .text = [](const LayerEstimate& layer) { return exactBytes(layer, &LayerCost::l2Bytes); },
             .measure = Measure::bytes,
             .help = "Shared buffer, doubled"}),
        numberOf<&LayerCost::macs>(
            {.id = "macs",
             .title = "MACs",
             .uses = kEvery,
             .text = [](const LayerEstimate& layer) { return fmt::format("{}", layer.cost.macs); },
             .help = "Multiply-accumulates; published counters may be negative"}),
        numberOf<&LayerCost::energy>(
            {.id = "energy_j", .title = "Energy", .uses = kEvery, .measure = Measure::joules, .better = Better::lower}),
        numberOf<&LayerCost::offChipBytes, true>({.id = "off_chip_bytes",
                                                  .title = "Off chip",
                                                  .uses = kEvery,
                                                  .measure = Measure::bytes,
                                                  .better = Better::lower,
                                                  .help = "Each operand as often as it is fetched, and outputs"}),
        numberOf<&LayerCost::utilisation>({.id = "utilisation",
                                           .title = "Utilisation",
                                           .uses = kEvery,
                                           .better = Better::higher,
                                           .help = "Multiply-accumulates per cycle, element and lane",
                                           .said = percentWithDigit}),
    };
    return kNumbers;
}

const std::vector<Field<LayerEstimate>>& layerFields() {
    using Row = LayerEstimate;
    static const std::vector<Field<Row>> kFields = [] {
        std::vector<Field<Row>> fields{
            {"name", "Layer", kText | kSheet | kTable | kWords, [](const Row& row) { return FieldValue(row.name); }}};
        for (const LayerNumber& number : layerNumbers()) fields.push_back(number.field);
        fields.push_back(
            {"macs_per_cycle", "MACs per cycle", kSheet, [](const Row& row) { return valueOf(macsPerCycle(row)); }});
        fields.push_back({"macs_per_off_chip_byte", "MACs per off-chip byte", kSheet,
                          [](const Row& row) { return valueOf(intensityOf(row)); }});
        fields.push_back({"differs", "Differs", kText | kTable | kWords, [](const Row& row) {
                              return FieldValue(std::string(row.differences.empty() ? "" : "yes"));
                          }});
        fields.push_back({"differences", "Why the variants differ", kSheet | kWords,
                          [](const Row& row) { return wordsOf(joined(row.differences, "; ")); }});
        fields.push_back({"problem", "Why it cannot be analysed", kText | kSheet | kTable | kWords | kOptional,
                          [](const Row& row) { return FieldValue(row.problem); }});
        return fields;
    }();
    return kFields;
}

std::optional<double> intensityOf(const LayerEstimate& layer) {
    if (!layer.ok() || layer.cost.macs <= 0 || !(layer.cost.offChipBytes > 0)) return std::nullopt;
    return static_cast<double>(layer.cost.macs) / layer.cost.offChipBytes;
}

std::optional<double> macsPerCycle(const LayerEstimate& layer) {
    if (!layer.ok() || layer.cost.macs <= 0 || layer.cost.cycles <= 0) return std::nullopt;
    return static_cast<double>(layer.cost.macs) / static_cast<double>(layer.cost.cycles);
}

void writeCostJson(const Result& result, const TextSink& write) {
    const auto& outcome = result.outcome.get<CostOutcome>();
    Json json = resultHead("tessera.layer-costs/1", "cost", result);
    json["variant"] = cost::nameOf(outcome.variant);
    json["dataflow"] = outcome.dataflow;
    for (const ArrayNumber& number : kArray) json["array"][number.key] = outcome.array.*number.member;
    Json& rows = json["rows"] = Json::array();
    for (const LayerEstimate& layer : outcome.layers) rows.push_back(jsonOf(layer, rows.size()));
    json["differs"] = totalsOf(outcome).differing;
    finishDocument(json, result.assumptions, result.warnings);
    write(toText(json));
}

Result readCostResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    CostOutcome outcome;
    const JsonNode variant = document.at("variant");
    outcome.variant = *cost::kVariantNames.named(variant.oneOf({"corrected", "published"}));
    outcome.dataflow = document.at("dataflow").text(kLongestName);
    const JsonNode array = document.at("array");
    for (const ArrayNumber& number : kArray)
        outcome.array.*number.member = array.at(number.key).whole(number.min, kMaxWhole);
    for (const JsonNode& node : document.at("rows").elements(kMaxLayers)) outcome.layers.push_back(readLayer(node));
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/base/text.h"
#include "core/study/cost/study.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

constexpr DocumentKind kKind{.schema = "tessera.layer-costs/1",
                             .command = "cost",
                             .about = "What every layer of a list costs on one array under a dataflow."};
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
            .schema = std::is_same_v<Value, double> ? kOrUnknown.schema : R"({"type": "integer"})",
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

constexpr auto kCostedArray = [](auto& doc, auto& array) {
    doc({"pes", "Processing elements."}, array.pes, 1);
    doc({"cluster", "The constant ClusterSz of mappings."}, array.clusterSize, 1);
    doc({"noc_bytes_per_cycle", "Bandwidth on chip."}, array.nocBandwidth, 1);
    doc({"noc_hops", "Hops on chip."}, array.nocHops);
    doc({"noc_hop_latency_cycles", "Latency of a hop."}, array.nocHopLatency);
    doc({"offchip_bytes_per_cycle", "Bandwidth off chip."}, array.offchipBandwidth, 1);
    doc({"simd_lanes", "Multiply-accumulates per element and cycle."}, array.simdLanes, 1);
};

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

constexpr auto kLayer = [](auto& doc, auto& layer, std::size_t number) {
    doc.derived({"index", "0-based row."}, number);
    doc("name", layer.name);
    if (doc.has("error", !layer.ok())) {
        doc({"error", "Why the row cannot be analysed; the numbers are then absent."}, layer.problem);
        doc.require(!layer.ok(), "error", "a sentence", "empty");
    } else {
        for (const LayerNumber& each : layerNumbers()) {
            if constexpr (kReads<decltype(doc)>)
                each.read(doc.at(each.field.id), layer.cost);
            else
                doc({each.field.id, each.field.help.empty() ? each.field.title : each.field.help, each.schema},
                    each.write(layer.cost));
        }
    }
    doc({"differences", "Why the two variants differ on the row; empty where they agree."}, layer.differences);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc.derived(kParametersKey, *result.study.parameters);
    doc("variant", outcome.variant, cost::kVariantNames);
    doc({"dataflow", "The dataflow of layers that are not depthwise."}, outcome.dataflow);
    doc.object("array", outcome.array, kCostedArray);
    doc.list("rows", outcome.layers, kLayer);
    doc.derived({"differs", "Rows on which the two variants differ."}, [&] { return totalsOf(outcome).differing; });
};

}  // namespace

const std::vector<LayerNumber>& layerNumbers() {
    using cost::LayerCost;
    using Better = Metric::Better;
    constexpr unsigned kEvery = kText | kExactTable | kTable;
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
                                           .format = percentWithDigit}),
    };
    return kNumbers;
}

const std::vector<Field<LayerEstimate>>& layerFields() {
    using Row = LayerEstimate;
    static const std::vector<Field<Row>> kFields = [] {
        std::vector<Field<Row>> fields{{"name", "Layer", kText | kExactTable | kTable | kWords,
                                        [](const Row& row) { return FieldValue(row.name); }}};
        for (const LayerNumber& number : layerNumbers()) fields.push_back(number.field);
        fields.push_back({"macs_per_cycle", "MACs per cycle", kExactTable,
                          [](const Row& row) { return valueOf(macsPerCycle(row)); }});
        fields.push_back({"macs_per_off_chip_byte", "MACs per off-chip byte", kExactTable,
                          [](const Row& row) { return valueOf(intensityOf(row)); }});
        fields.push_back({"differs", "Differs", kText | kTable | kWords, [](const Row& row) {
                              return FieldValue(std::string(row.differences.empty() ? "" : "yes"));
                          }});
        fields.push_back({"differences", "Why the variants differ", kExactTable | kWords,
                          [](const Row& row) { return wordsOf(joined(row.differences, "; ")); }});
        fields.push_back({"problem", "Why it cannot be analysed", kText | kExactTable | kTable | kWords | kOptional,
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
    writeDocument<CostOutcome>(result, write, kKind, kDocument);
}

Result readCostResult(const JsonNode& document, const Study& study) {
    return readDocument<CostOutcome>(document, study, kKind, kDocument);
}

Json costSchema() {
    return documentSchema<CostOutcome>(kKind, kDocument);
}

}  // namespace tessera::study

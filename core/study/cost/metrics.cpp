#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/cost/study.h"
#include "core/study/field_metrics.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using Terms = std::vector<Explanation::Term>;

std::string cyclesText(double value) {
    return formatCount(value) + " cycles";
}

/// A number that there is only where a layer can be analysed.
template <auto member>
FieldValue known(const CostTotals& totals) {
    return totals.isKnown() ? FieldValue(totals.*member) : FieldValue();
}

void layerTerms(const CostTotals& totals, Terms& terms) {
    terms.push_back({"layers", formatCount(totals.layers - totals.failed), "result, rows"});
    if (totals.failed > 0) terms.push_back({"layers that cannot be analysed", formatCount(totals.failed), "result"});
}

void arrayTerms(const CostTotals& totals, Terms& terms) {
    layerTerms(totals, terms);
    terms.push_back({"multiply-accumulates", formatCount(totals.macs), "result, rows"});
    terms.push_back({"cycles", formatCount(totals.cycles), "result, rows"});
    terms.push_back({"processing elements", formatCount(totals.array.pes), "parameter pes"});
    terms.push_back({"lanes", formatCount(totals.array.simdLanes), "parameter simd_lanes"});
}

}  // namespace

const std::vector<Field<CostTotals>>& totalFields() {
    using Better = Metric::Better;
    constexpr std::string_view kModel = "MAESTRO (MICRO 2019), as MAGMA (HPCA 2022) uses it";
    static const std::vector<Field<CostTotals>> kFields{
        {.id = "cycles",
         .title = "Cycles",
         .uses = kMetric,
         .get = known<&CostTotals::cycles>,
         .better = Better::lower,
         .format = cyclesText,
         .formula = "cycles = Σ over layers of their cycles, one after the other",
         .source = kModel,
         .terms = layerTerms},
        {.id = "energy_j",
         .title = "Energy",
         .uses = kMetric,
         .get = known<&CostTotals::energy>,
         .measure = Measure::joules,
         .better = Better::lower,
         .formula = "energy = Σ over layers of their energy",
         .source = kModel,
         .terms = layerTerms},
        {.id = "off_chip_bytes",
         .title = "Off-chip traffic",
         .uses = kMetric,
         .get = known<&CostTotals::offChipBytes>,
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "traffic = Σ over layers of each operand as often as it is fetched, and of outputs",
         .source = kModel,
         .terms = layerTerms},
        {.id = "utilisation",
         .title = "Utilisation",
         .uses = kMetric,
         .get = known<&CostTotals::utilisation>,
         .better = Better::higher,
         .format = percentText,
         .formula = "utilisation = multiply-accumulates / (cycles · processing elements · lanes)",
         .source = "definition",
         .terms = arrayTerms},
        {.id = "macs",
         .title = "Multiply-accumulates",
         .uses = kMetric,
         .get = known<&CostTotals::macs>,
         .formula = "multiply-accumulates = Σ over layers",
         .source = "definition",
         .terms = layerTerms},
        {.id = "l1_bytes",
         .title = "Largest local buffer",
         .uses = kMetric,
         .get = known<&CostTotals::localBytes>,
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "max over layers of what one element holds, doubled to load while computing",
         .source = kModel,
         .terms = layerTerms},
        {.id = "l2_bytes",
         .title = "Largest shared buffer",
         .uses = kMetric,
         .get = known<&CostTotals::sharedBytes>,
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "max over layers of what the array holds, doubled to load while computing",
         .source = kModel,
         .terms = layerTerms},
        {.id = "layers",
         .title = "Layers",
         .uses = kMetric,
         .get = valueOf<&CostTotals::layers>,
         .formula = "layers of the workload",
         .source = "definition"},
        {.id = "not_analysed",
         .title = "Layers that cannot be analysed",
         .uses = kMetric,
         .get = valueOf<&CostTotals::failed>,
         .better = Better::lower,
         .formula = "layers for which the dataflow or the array says why they have no cost",
         .source = "definition",
         .terms = layerTerms},
        {.id = "differs",
         .title = "Layers on which the variants differ",
         .uses = kMetric,
         .get = valueOf<&CostTotals::differing>,
         .formula = "layers whose cycles, buffers or multiply-accumulates the known errors of the published analysis "
                    "change",
         .source = "definition",
         .terms = layerTerms},
    };
    return kFields;
}

CostTotals totalsOf(const CostOutcome& outcome) {
    CostTotals totals;
    totals.array = outcome.array;
    totals.layers = outcome.layers.size();
    for (const LayerEstimate& layer : outcome.layers) {
        totals.differing += layer.differences.empty() ? 0 : 1;
        if (!layer.ok()) {
            ++totals.failed;
            continue;
        }
        totals.cycles += static_cast<double>(layer.cost.cycles);
        totals.macs += static_cast<double>(layer.cost.macs);
        totals.energy += layer.cost.energy;
        totals.offChipBytes += layer.cost.offChipBytes;
        totals.localBytes = std::max(totals.localBytes, static_cast<double>(layer.cost.l1Bytes));
        totals.sharedBytes = std::max(totals.sharedBytes, static_cast<double>(layer.cost.l2Bytes));
    }
    const double possible =
        totals.cycles * static_cast<double>(outcome.array.pes) * static_cast<double>(outcome.array.simdLanes);
    if (possible > 0) totals.utilisation = totals.macs / possible;
    return totals;
}

std::string costHeadline(const CostOutcome& outcome) {
    const CostTotals totals = totalsOf(outcome);
    const std::size_t layers = outcome.layers.size();
    if (!totals.isKnown()) return fmt::format("none of {} can be analysed", formatCounted(layers, "layer", "layers"));
    std::string text = fmt::format("{} cycles · {} · {} off chip · {} utilisation · {} on {}",
                                   formatCount(totals.cycles), formatQuantity(totals.energy, Measure::joules),
                                   formatQuantity(totals.offChipBytes, Measure::bytes), percentText(totals.utilisation),
                                   escaped(outcome.dataflow), formatCounted(outcome.array.pes, "element", "elements"));
    if (totals.failed > 0)
        text += fmt::format(" · {} of {} cannot be analysed", formatCount(totals.failed),
                            formatCounted(layers, "layer", "layers"));
    return text;
}

std::string costTitle(const Result& result) {
    return fmt::format("{} under {}", titleOf(result.study), result.outcome.get<CostOutcome>().dataflow);
}

std::vector<Metric> costMetrics(const CostOutcome& outcome) {
    return metricsBy(totalFields(), totalsOf(outcome));
}

std::optional<std::string> costMetricText(std::string_view name, double value) {
    return metricTextBy(totalFields(), name, value);
}

std::optional<Explanation> explainCost(const Result& result, const std::string& path) {
    return explainedBy(totalFields(), totalsOf(result.outcome.get<CostOutcome>()), result, path);
}

}  // namespace tessera::study

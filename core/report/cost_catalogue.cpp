#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/report/cost_pictures.h"
#include "core/study/cost/study.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using study::CostOutcome;

const CostOutcome& viewedCost(const View& view) {
    return view.result.outcome.get<CostOutcome>();
}

auto byLayer(std::string_view number) {
    return [number](const View& view) { return layerChart(viewedCost(view), number); };
}

bool hasMany(const View& view) {
    constexpr std::size_t kFew = 12;
    return viewedCost(view).layers.size() > kFew;
}

std::vector<PictureRow> costPictures() {
    return {
        {{"cycles", "Cycles", "Cycles of every layer", Scope::result, kEverywhere}, byLayer("cycles")},
        {{"largest", "Longest layers", "The layers that take most of the cycles", Scope::result, kEverywhere, hasMany},
         [](const View& view) { return largestLayersChart(viewedCost(view), "cycles"); }},
        {{"energy", "Energy", "Energy of every layer", Scope::result, kEverywhere}, byLayer("energy_j")},
        {{"off-chip", "Off-chip traffic", "Bytes that every layer reads and writes off chip", Scope::result,
          kEverywhere},
         byLayer("off_chip_bytes")},
        {{"utilisation", "Utilisation", "How much of the array every layer uses", Scope::result, kEverywhere},
         byLayer("utilisation")},
        {{"roofline", "Roofline", "Layers below what the array and its bandwidth allow", Scope::result, kEverywhere},
         from(layerRoofline)},
    };
}

std::vector<TableRow> costTables() {
    return {
        {{"layers", "Layers", "One row per layer", Scope::result, kEverywhere},
         [](const View& view) { return layerCostTable(viewedCost(view), study::kText); },
         [](const View& view) { return layerCostTable(viewedCost(view), study::kExactTable); }},
        {{"variants", "Where the variants differ", "Why the variants of the cost model differ, by layer", Scope::result,
          kWindow},
         from(variantTable)},
        metricsRow(),
    };
}

std::string costText(const study::Result& result) {
    const auto& outcome = result.outcome.get<CostOutcome>();
    return study::costHeadline(outcome) + "\n\n" + layerCostText(outcome) + "\n" + countSentence(outcome) + "\n";
}

std::string costAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<CostOutcome>();
    const study::CostTotals totals = study::totalsOf(outcome);
    if (!totals.isKnown()) return "";
    return fmt::format(
        "The {} layers of {} take {} cycles and {} under {} on {} elements. They use {} of the elements "
        "and move {} off the chip.",
        formatCount(totals.layers - totals.failed), escaped(study::shortNames(result.study.workloads)),
        formatCount(totals.cycles), formatQuantity(totals.energy, Measure::joules), escaped(outcome.dataflow),
        formatCount(totals.array.pes), study::percentText(totals.utilisation),
        formatQuantity(totals.offChipBytes, Measure::bytes));
}

}  // namespace

Catalogue costCatalogue() {
    return {.engine = "cost",
            .pictures = costPictures(),
            .tables = costTables(),
            .firstTable = "layers",
            .preposition = "of",
            .subject = [](const study::Result& result) { return study::shortNames(result.study.workloads); },
            .choices = [](const study::Result&) { return std::vector<std::string>(); },
            .sentences = [](const study::Result& result) -> std::vector<std::string> {
                return {countSentence(result.outcome.get<CostOutcome>()) + "."};
            },
            .answer = costAnswer,
            .text = costText};
}

}  // namespace tessera::report

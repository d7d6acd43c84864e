#include <string>

#include "core/base/units.h"
#include "core/study/cost/study.h"
#include "core/study/engine_rows.h"

namespace tessera::study {

namespace {

std::vector<InputFact> facts(const CostOutcome& outcome) {
    return {{"Workload", "layers", std::to_string(outcome.layers.size())}};
}

AmountOfWork work(const Result& result) {
    std::string amount;
    for (const Input& input : result.inputs)
        if (input.name == result.study.workloads.at(0)) amount = input.sha256;
    return {amount, 0};
}

ComparedParts layersOf(const CostOutcome& outcome) {
    ComparedParts all{.title = "Layers", .parts = {}};
    for (const LayerEstimate& layer : outcome.layers) {
        const auto cycles = static_cast<double>(layer.cost.cycles);
        all.parts.push_back(
            layer.ok()
                ? ComparedPart{.name = layer.name, .what = {}, .value = cycles, .text = formatCount(cycles) + " cycles"}
                : ComparedPart{.name = layer.name, .what = "cannot be analysed", .value = 0, .text = {}});
    }
    return all;
}

}  // namespace

Engine costEngine() {
    return {.id = "cost",
            .title = "Layer costs",
            .description =
                "Estimates cycles, energy and off-chip traffic of every layer of a list on one array under a dataflow.",
            .hardwareKind = {},
            .models = InputArity::none,
            .workloads = InputArity::one,
            .hardware = InputArity::none,
            .parameters = costParameters,
            .files = costFiles,
            .run = runCost,
            .estimate = estimateCost,
            .resultSchema = "tessera.layer-costs/1",
            .jsonSchema = costSchema,
            .write = writeCostJson,
            .read = readCostResult,
            .titleOf = costTitle,
            .headline = ofOutcome<costHeadline>,
            .metrics = ofOutcome<costMetrics>,
            .metricText = costMetricText,
            .explain = explainCost,
            .keyMetrics = {{"cycles"}},
            .facts = ofOutcome<facts>,
            .deciding = {{"cycles", true, "All runs take {0}", "No run is done before {1}, after {0}",
                          "{1} is {2} as fast as {3}: {0} against {4}"}},
            .work = work,
            .ofWork = {"cycles", "energy_j", "off_chip_bytes", "macs"},
            .parts = ofOutcome<layersOf>,
            .question = "What do the layers cost: {}?"};
}

}  // namespace tessera::study

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/dataflow.h"
#include "core/study/estimate.h"
#include "core/study/explanation.h"
#include "core/study/field.h"
#include "core/study/metric.h"
#include "core/study/parameter.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// Estimates of single layers as a study: what each takes on one array of processing elements under a dataflow.
namespace tessera::study {

/// Cost of a layer in all its runs, or the reason why it cannot be analysed.
struct LayerEstimate {
    std::string name;
    cost::LayerCost cost;                  ///< what `layerNumbers` names; the rest is 0
    std::string problem;                   ///< a sentence without a full stop; empty where `cost` holds
    std::vector<std::string> differences;  ///< why the variants of the cost model differ on the layer

    bool ok() const { return problem.empty(); }
    bool operator==(const LayerEstimate&) const = default;
};

/// Result of the cost engine with the inputs needed to interpret it, so that a stored result is self-contained.
struct CostOutcome {
    std::string dataflow;  ///< of layers that are not depthwise
    cost::Variant variant = cost::Variant::corrected;
    cost::Array array;
    std::vector<LayerEstimate> layers;  ///< in the order of the input
};

/// The sums and extremes over the layers that can be analysed.
struct CostTotals {
    double cycles = 0, macs = 0;
    double energy = 0;  ///< J
    double offChipBytes = 0;
    double utilisation = 0;  ///< multiply-accumulates per cycle, element and lane
    double localBytes = 0;   ///< the largest local buffer of a processing element
    double sharedBytes = 0;  ///< the largest shared buffer
    std::size_t layers = 0;
    std::size_t failed = 0;     ///< layers that cannot be analysed
    std::size_t differing = 0;  ///< layers on which the variants of the cost model differ
    cost::Array array;

    bool isKnown() const { return failed < layers; }
};
CostTotals totalsOf(const CostOutcome& outcome);
/// Fields of the totals: metrics and explanations.
const std::vector<Field<CostTotals>>& totalFields();

/// A number of a layer: documents both ways and tables are made from these rows.
struct LayerNumber {
    Field<LayerEstimate> field;
    std::string_view schema;  ///< JSON of what the document may hold
    Json (*write)(const cost::LayerCost& cost);
    void (*read)(const JsonNode& node, cost::LayerCost& cost);
};
const std::vector<LayerNumber>& layerNumbers();
/// The name of a layer, its numbers, and how it differs.
const std::vector<Field<LayerEstimate>>& layerFields();
/// The multiply-accumulates per byte that crosses the chip's edge, and per cycle; nothing where there are none.
std::optional<double> intensityOf(const LayerEstimate& layer);
std::optional<double> macsPerCycle(const LayerEstimate& layer);

/// The cost engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& costParameters();

/// The files behind the study's names, see Engine::files. Throws FileError, DataError, UsageError.
std::vector<InputFile> costFiles(const Study& study);
/// Analyses every layer of the study's workload. Throws like study::run.
Result runCost(const Study& study, const RunContext& context);
/// See study::estimate.
Estimate estimateCost(const Study& study);

/// Writes and reads `tessera.layer-costs/1`. Reading throws DataError.
void writeCostJson(const Result& result, const TextSink& write);
Result readCostResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json costSchema();

/// See study::headline, metricsOf, textOf.
std::string costHeadline(const CostOutcome& outcome);
std::vector<Metric> costMetrics(const CostOutcome& outcome);
std::optional<std::string> costMetricText(std::string_view name, double value);
std::optional<Explanation> explainCost(const Result& result, const std::string& path);
/// "alexnet under nvdla".
std::string costTitle(const Result& result);

}  // namespace tessera::study

#include "core/study/codesign/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/codesign/metrics.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

using codesign::ModelResult;
using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kPaper = "Wang et al.: PHAZE, ICML 2024";

/// Everything that an explanation draws on.
struct Context {
    const CodesignOutcome& outcome;
    const ModelResult* model = nullptr;  ///< of a model's metric

    const codesign::Result& result() const { return outcome.result; }
};

/// How a number comes about: the one place that knows its formula, its terms and its source.
struct Rule {
    std::string_view metric;
    std::string_view formula;
    std::string_view source;
    void (*terms)(const Context& context, Terms& terms);
};

std::string seconds(Seconds time) {
    return formatQuantity(time.value, Measure::seconds);
}

std::string whole(std::int64_t value) {
    return formatCount(static_cast<double>(value));
}

void objectiveTerms(const Context& context, Terms& terms) {
    const codesign::Result& result = context.result();
    for (std::size_t m = 0; m < result.perModel.size(); ++m) {
        const ModelResult& model = result.perModel[m];
        terms.push_back({"throughput of " + escaped(model.model), rateText(model.throughput) + " samples/s", "result"});
        if (model.speedupOverSolver)
            terms.push_back({"over the reference with our placement", timesText(*model.speedupOverSolver), "result"});
        if (result.perModel.size() > 1 && m < result.options.weights.size())
            terms.push_back({"weight", formatCount(result.options.weights[m]), "parameter weights"});
    }
}

void boundTerms(const Context& context, Terms& terms) {
    terms.push_back({"best found", objectiveText(context.outcome, context.result().best->objective), "result"});
    terms.push_back({"states of an operator schedule", whole(context.result().options.scheduleStates),
                     "parameter schedule_states"});
}

void areaTerms(const Context& context, Terms& terms) {
    const codesign::Point& best = *context.result().best;
    const std::string from = "template " + inQuotes(context.result().space.name) + ", area model";
    const auto add = [&](const char* name, SquareMillimetres area) {
        terms.push_back({name, formatQuantity(area.value, Measure::area), from});
    };
    add("arrays of tensor cores", best.parts.tensorCores);
    add("lanes of vector cores", best.parts.vectorCores);
    add("L2 of all cores", best.parts.l2);
    add("global buffer", best.parts.globalBuffer);
    if (best.parts.hbmInterface.value > 0) add("interface to the HBM", best.parts.hbmInterface);
    if (best.parts.networkInterface.value > 0) add("interface to other accelerators", best.parts.networkInterface);
    add("largest area", context.result().areaBound);
}

void bandwidthTerms(const Context& context, Terms& terms) {
    const auto add = [&](const char* name, const hardware::Range& range) {
        if (range.values.empty()) return;
        std::vector<std::string> values;
        for (const std::int64_t value : range.values)
            values.push_back(formatQuantity(static_cast<double>(value), Measure::bytesPerSecond));
        terms.push_back({name, joined(values, ", "), "template " + inQuotes(context.result().space.name)});
    };
    add("searched bandwidths of the HBM", context.result().space.hbmBandwidth);
    add("searched bandwidths between accelerators", context.result().space.networkBandwidth);
}

void hbmTerms(const Context& context, Terms& terms) {
    for (const ModelResult& model : context.result().perModel)
        terms.push_back(
            {"needed by " + escaped(model.model), formatQuantity(model.hbm.value, Measure::bytes), "result"});
}

void countTerms(const Context& context, Terms& terms) {
    terms.push_back({"architectures within the area", whole(context.result().architectures), "result"});
    terms.push_back({"points", whole(context.result().points), "result"});
}

void meanTerms(const Context& context, Terms& terms) {
    for (const ModelResult& model : context.result().perModel) {
        terms.push_back({"utilisation of " + escaped(model.model), percentText(model.mfu), "result"});
        terms.push_back({"energy of a sample of " + escaped(model.model),
                         formatQuantity(model.energyPerSample, Measure::joules), "result"});
    }
}

void timeTerms(const Context& context, Terms& terms) {
    const codesign::TimeParts& time = context.model->time;
    for (const auto& [name, part] :
         {std::pair("compute", time.compute), std::pair("AllReduce of slices", time.tensorAllReduce),
          std::pair("transfers between stages", time.transfer), std::pair("bubble of the pipeline", time.bubble),
          std::pair("AllReduce of gradients", time.gradientAllReduce), std::pair("update", time.update)})
        terms.push_back({name, seconds(part), "result, time_parts_s"});
    terms.push_back({"micro-batch", whole(context.model->choice.microBatch), "result"});
}

void rateTerms(const Context& context, Terms& terms) {
    terms.push_back({"global batch", whole(context.result().options.globalBatch), "parameter global_batch"});
    terms.push_back({"time per batch", seconds(context.model->timePerBatch), "result"});
}

void mfuTerms(const Context& context, Terms& terms) {
    terms.push_back({"throughput", rateText(context.model->throughput) + " samples/s", "result"});
    terms.push_back({"accelerators", whole(context.result().options.accelerators), "parameter accelerators"});
    terms.push_back({"multiply-accumulates per cycle of an accelerator",
                     formatCount(hardware::peakMacs(context.result().best->architecture)), "architecture"});
    terms.push_back({"clock", formatQuantity(context.result().space.rates.clock.value, Measure::hertz),
                     "template " + inQuotes(context.result().space.name)});
}

void speedupTerms(const Context& context, Terms& terms) {
    terms.push_back({"throughput here", rateText(context.model->throughput) + " samples/s", "result"});
    for (const codesign::Baseline& baseline : context.result().baselines)
        for (const ModelResult& model : baseline.models)
            if (model.model == context.model->model && model.feasible && baseline.id.starts_with("tpuv4"))
                terms.push_back({escaped(baseline.title), rateText(model.throughput) + " samples/s", "result"});
}

void planTerms(const Context& context, Terms& terms) {
    terms.push_back({"stages", whole(context.model->pipeline), "result"});
    terms.push_back({"replicas", whole(context.model->data), "result"});
    terms.push_back({"accelerators of a slice", whole(context.model->tensor), "result"});
    terms.push_back({"accelerators", whole(context.result().options.accelerators), "parameter accelerators"});
}

const std::vector<Rule>& rules() {
    static const std::vector<Rule> kRules{
        {"objective", "geomean or worst: of throughput over the reference's; mean: of throughput",
         "section 3.2 (mean); the others are ours", objectiveTerms},
        {"objective_bound", "the greatest objective that bounds on operator schedules leave possible", "definition",
         boundTerms},
        {"area_mm2", "area = num_tc·(PE_x·PE_y·element + L2) + num_vc·(PE_x·lane + L2) + GLB", "its published areas",
         areaTerms},
        {"area_share", "area / largest area", "section 6.1", areaTerms},
        {"hbm_bytes", "the smallest HBM of the template with this objective", "definition", hbmTerms},
        {"mean_mfu", "mean over models of model FLOPs utilisation", "definition", meanTerms},
        {"mean_energy_j", "mean over models of the energy of a sample", "definition", meanTerms},
        {"hbm_bandwidth_bytes_per_s", "that of the architecture with the greatest objective", "definition",
         bandwidthTerms},
        {"network_bandwidth_bytes_per_s", "that of the architecture with the greatest objective", "definition",
         bandwidthTerms},
        {"interface_power_w", "power = Σ over interfaces of ⌈bandwidth / rate of a unit⌉·power of a unit", "definition",
         bandwidthTerms},
        {"objective_per_mm2", "objective / area", "definition", areaTerms},
        {"explored_points", "points whose operators were estimated and scheduled", "definition", countTerms},
        {"skipped_points", "points whose bound is no better than what is known at no larger area", "definition",
         countTerms},
        {"front_points", "architectures that none of no larger area beats", "definition", countTerms},
        {"throughput_samples_per_s", "throughput = global batch / time per batch", "section 5", rateTerms},
        {"time_per_batch_s", "time = max load·(⌈B/d⌉ + S − 1) + 4·(d − 1)/d·W(first stage)/bandwidth + update",
         "section 5 and appendix B", timeTerms},
        {"mfu", "MFU = FLOPs of forward and backward pass·throughput / (2·MACs per cycle·clock·accelerators)",
         "appendix D", mfuTerms},
        {"energy_j_per_sample", "energy = Σ over operators of what their cores and memories do, for one sample",
         "definition", meanTerms},
        {"pipeline", "stages of the plan with the least time per batch", "section 5", planTerms},
        {"data", "replicas of the plan with the least time per batch", "section 5", planTerms},
        {"tensor", "width of the plan with the least time per batch", "section 5", planTerms},
        {"micro_batch", "micro-batch with the least time per batch", "section 5", planTerms},
        {"speedup_over_tpuv4_expert", "throughput / throughput of the reference with the experts' placement", "table 4",
         speedupTerms},
        {"speedup_over_tpuv4_solver", "throughput / throughput of the reference with our placement", "section 6.1",
         speedupTerms},
    };
    return kRules;
}

/// The value in its base unit: the name says which.
std::string exactText(const Metric& metric, std::string_view name) {
    const std::string text = exactNumber(metric.value);
    for (const auto& [suffix, unit] :
         {std::pair("_samples_per_s", " samples/s"), std::pair("_bytes", " B"), std::pair("_mm2", " mm²"),
          std::pair("_bytes_per_s", " B/s"), std::pair("_w", " W"), std::pair("_s", " s"), std::pair("_j", " J"),
          std::pair("_j_per_sample", " J")})
        if (name.ends_with(suffix) && name != "objective_per_mm2") return text + unit;
    return text;
}

}  // namespace

std::optional<Explanation> explainCodesign(const Result& result, const CodesignOutcome& outcome,
                                           const std::string& path) {
    for (const Metric& metric : metricsOf(result)) {
        if (metric.name != path) continue;
        const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
        const auto rule =
            std::find_if(rules().begin(), rules().end(), [&](const Rule& row) { return row.metric == name; });
        if (rule == rules().end()) return std::nullopt;
        Context context{.outcome = outcome};
        for (const ModelResult& model : outcome.result.perModel)
            if (model.model == metric.owner) context.model = &model;
        Explanation explanation;
        explanation.title = metric.title + (metric.owner.empty() ? "" : " of " + escaped(metric.owner));
        explanation.value = textOf(metric);
        explanation.exact = exactText(metric, name);
        explanation.formula = rule->formula;
        rule->terms(context, explanation.terms);
        explanation.source =
            rule->source == "definition" ? std::string(rule->source) : fmt::format("{}, {}", kPaper, rule->source);
        explanation.notes = result.assumptions;
        return explanation;
    }
    return std::nullopt;
}

}  // namespace tessera::study

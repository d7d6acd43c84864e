#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/codesign/search/search.h"
#include "core/cost/core_cost.h"
#include "core/reproduce/reproduce_phaze.h"

/// Tables 4 and 5 of PHAZE: what the models ask for, how experts place them, and how much of an accelerator they use.
namespace tessera::study {

namespace {

constexpr double kMega = 1e6;

/// What a model at micro-batch 1 and its smallest width consists of.
PrintedComplexity complexityOf(const codesign::Workload& workload) {
    const codesign::Slice& slice = workload.slices.front();
    std::vector<double> copies(slice.kinds.size(), 0);
    for (const std::size_t kind : slice.kindOf) ++copies[kind];
    const auto repeated = static_cast<std::size_t>(std::max_element(copies.begin(), copies.end()) - copies.begin());
    const codesign::LayerKind& layer = slice.kinds[repeated];
    PrintedComplexity found;
    found.layers = copies[repeated];
    found.operators = static_cast<double>(layer.forward.operators.size() + layer.backward.operators.size());
    found.parameterMegabytes = layer.weights.value / kMega;
    for (std::size_t k = 0; k < slice.kinds.size(); ++k) {
        found.activationMegabytes += copies[k] * slice.kinds[k].activations.value / kMega;
        for (const codesign::LayerOperator& op : slice.kinds[k].forward.operators) {
            if (op.reduced) continue;
            const cost::CoreWork& work = workload.works[op.work];
            if (work.gemm) found.tensorFlops += copies[k] * cost::macsOf(*work.gemm);
            if (work.vector) found.vectorFlops += copies[k] * static_cast<double>(work.vector->elements);
        }
    }
    return found;
}

/// A column of table 4.
struct Column {
    std::string_view metric;
    std::string_view title;
    double PrintedComplexity::*member;
};
constexpr std::array kColumns{
    Column{"layers", "layers", &PrintedComplexity::layers},
    Column{"operators_per_layer", "operators", &PrintedComplexity::operators},
    Column{"parameter_mb_per_layer", "parameters", &PrintedComplexity::parameterMegabytes},
    Column{"activation_mb", "activations", &PrintedComplexity::activationMegabytes},
    Column{"tensor_operations", "tensor operations", &PrintedComplexity::tensorFlops},
    Column{"vector_operations", "vector operations", &PrintedComplexity::vectorFlops},
};

void addComplexity(CodesignExperiment& experiment, const PrintedWorkload& printed, const PrintedComplexity& ours) {
    for (const Column& column : kColumns)
        experiment.row(std::string(printed.name), column.metric, ours.*column.member,
                       printed.complexity ? std::optional((*printed.complexity).*column.member) : std::nullopt);
}

}  // namespace

Reproduction phazeTable4(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    const Models models = allModels();
    CodesignExperiment experiment(figure, options, control, models.size() * kEstimating.size());
    experiment.read(models);
    std::array<int, kColumns.size()> close{};
    for (const std::size_t model : models) {
        const PrintedWorkload& printed = printedWorkloads()[model];
        const PrintedComplexity ours = complexityOf(experiment.workload(model));
        addComplexity(experiment, printed, ours);
        for (std::size_t q = 0; printed.complexity && q < kColumns.size(); ++q) {
            constexpr double kClose = 0.1;
            const double ratio = ours.*kColumns.at(q).member / (*printed.complexity).*kColumns.at(q).member;
            if (std::abs(ratio - 1) <= kClose) ++close.at(q);
        }
    }
    std::vector<std::string> agreements;
    for (std::size_t q = 0; q < kColumns.size(); ++q)
        agreements.push_back(fmt::format("{} for {}", kColumns.at(q).title, close.at(q)));
    std::array<std::vector<double>, kEstimating.size()> gains;
    for (const std::size_t model : models)
        for (std::size_t e = 0; e < kEstimating.size(); ++e) {
            const codesign::Result result =
                experiment.on(experiment.architectureOf(kPrintedLargest), {model}, kEstimating.at(e));
            const std::optional<codesign::ExpertPlacement>& paper = experiment.workload(model).expert;
            const codesign::ModelResult& ours = baselineOf(result, "tpuv4-solver");
            const codesign::ModelResult& expert = baselineOf(result, "tpuv4-expert");
            const std::string item = itemOf(printedWorkloads()[model].name, kEstimating.at(e));
            const auto add = [&](std::string_view metric, std::int64_t number,
                                 std::int64_t codesign::ExpertPlacement::*member) {
                experiment.row(item, metric, static_cast<double>(number),
                               paper ? std::optional(static_cast<double>((*paper).*member)) : std::nullopt);
            };
            add("pipeline", ours.pipeline, &codesign::ExpertPlacement::pipeline);
            add("data", ours.data, &codesign::ExpertPlacement::data);
            add("tensor", ours.tensorParallel, &codesign::ExpertPlacement::tensorParallel);
            if (!expert.feasible || !ours.feasible) continue;
            gains.at(e).push_back(ours.throughput / expert.throughput);
            experiment.row(item, "over_expert", gains.at(e).back());
        }
    for (std::size_t e = 0; e < kEstimating.size(); ++e)
        if (!gains.at(e).empty())
            experiment.mean("solver over expert" + std::string(kEstimating.at(e).suffix), geometricMean(gains.at(e)));
    experiment.note(
        "Ours are counted for one sample and the smallest tensor-parallel degree (4 for gpt3-175b, 1 for all others), "
        "in "
        "words of 2 bytes. A layer is one of the repeated blocks; its operators are those of forward and backward "
        "pass, fused ones as one, its parameters those of one slice. Activations are what the backward pass of the "
        "whole model reads; operations are those of its forward pass, a multiply-accumulate as one, an element of a "
        "vector operator as one.");
    experiment.note(fmt::format(
        "The paper does not say what its counts are of. Of seven models, ours are within a tenth of its number in {}. "
        "No one reading gives all of its numbers: its tensor FLOPs are multiply-accumulates of one forward pass for "
        "Megatron 2.5B, three times as many for OPT, a third for GPT-2 and an eighth for BertLarge. Its 12 layers of "
        "OPT are 24 in its table 2.",
        joined(agreements, ", ")));
    experiment.note(
        "The paper's {p, d, t} are the experts'; ours are the placements of our solver on TPUv4, and 'over_expert' is "
        "how much faster they are than the experts' there.");
    return std::move(experiment).finish();
}

Reproduction phazeTable5(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    constexpr double kPercent = 100;
    const Models models = allModels();
    CodesignExperiment experiment(figure, options, control, 2 * kEstimating.size());
    experiment.read(models);
    std::array<codesign::Result, kEstimating.size()> common, printed;
    for (std::size_t e = 0; e < kEstimating.size(); ++e) {
        common.at(e) = experiment.best(models, kEstimating.at(e), codesign::Objective::mean);
        printed.at(e) = experiment.on(experiment.architectureOf(kPrintedCommon), models, kEstimating.at(e));
    }
    for (const std::size_t model : models)
        for (std::size_t e = 0; e < kEstimating.size(); ++e) {
            const std::optional<PrintedUtilisation>& paper = printedWorkloads()[model].utilisation;
            const auto add = [&](std::string_view metric, const codesign::ModelResult& ours,
                                 double PrintedUtilisation::*member) {
                if (ours.feasible)
                    experiment.row(itemOf(printedWorkloads()[model].name, kEstimating.at(e)), metric,
                                   kPercent * ours.mfu, paper ? std::optional((*paper).*member) : std::nullopt);
            };
            add("tpuv4-expert", baselineOf(printed.at(e), "tpuv4-expert", model), &PrintedUtilisation::expert);
            add("tpuv4-solver", baselineOf(printed.at(e), "tpuv4-solver", model), &PrintedUtilisation::solver);
            add("papers-common", printed.at(e).perModel[model], &PrintedUtilisation::common);
            add("common", common.at(e).perModel[model], &PrintedUtilisation::common);
        }
    for (std::size_t e = 0; e < kEstimating.size(); ++e) {
        std::size_t more = 0, count = 0;
        for (const std::size_t model : models) {
            const codesign::ModelResult& tpu = baselineOf(printed.at(e), "tpuv4-solver", model);
            if (!tpu.feasible || !printed.at(e).perModel[model].feasible) continue;
            ++count;
            if (printed.at(e).perModel[model].mfu > tpu.mfu) ++more;
        }
        experiment.verdict(
            fmt::format("the common accelerator, with as many multipliers as TPUv4, has a higher utilisation ('{}')",
                        kEstimating.at(e).id),
            more == count, fmt::format("the paper's has it for {} of {} models", more, count));
        const hardware::Architecture& ours = common.at(e).best->architecture;
        experiment.note(fmt::format(
            "By the estimator '{}' the accelerator of the greatest mean throughput is {}, with {:.3g} times as many "
            "multipliers as TPUv4: utilisations of accelerators that differ in them do not compare as throughputs do.",
            kEstimating.at(e).id, hardware::nameOf(ours),
            hardware::peakMacs(ours) / hardware::peakMacs(experiment.architectureOf(kPrintedLargest))));
    }
    experiment.note(
        "Percent of the peak of all tensor cores of 1024 accelerators. FLOPs of a model are two per "
        "multiply-accumulate "
        "of forward and backward pass, counted once where activations are computed again. 'papers-common' is the "
        "accelerator that the paper prints, 'common' the one that our search finds; the paper's number stands beside "
        "both. The paper prints no row for Llama2-7B.");
    std::vector<double> overExpert, overSolver;
    for (const PrintedWorkload& workload : printedWorkloads())
        if (workload.utilisation) {
            overExpert.push_back(workload.utilisation->common / workload.utilisation->expert);
            overSolver.push_back(workload.utilisation->common / workload.utilisation->solver);
        }
    experiment.note(fmt::format(
        "On accelerators with equally many multipliers utilisations differ as throughputs do. The paper's utilisations "
        "make its common accelerator {:.3g} times as fast as TPUv4 with the experts' placement and {:.3g} times as "
        "fast "
        "as TPUv4 with the solver's (geometric means); its section 6.1 prints 2.9 and 1.8.",
        geometricMean(overExpert), geometricMean(overSolver)));
    return std::move(experiment).finish();
}

}  // namespace tessera::study

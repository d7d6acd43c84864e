#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/reproduce/reproduce_figures.h"
#include "core/study/partition/study.h"
#include "core/study/scaling.h"
#include "core/study/workload_files.h"

/// The figures of Song et al.: "AccPar", HPCA 2020.
namespace tessera::study {

namespace {

using partition::CostModel;

constexpr double kBatch = 512;         // section 6.1
constexpr double kAlexNetBatch = 128;  // caption of figure 7
constexpr int kAlexNetLevels = 7;
constexpr int kMinLevels = 2;
constexpr int kMaxLevels = 9;

/// The nine networks. The paper says nine and lists eight; VGG-16 completes them.
constexpr std::array<std::string_view, 9> kNetworks{"accpar-lenet", "accpar-alexnet", "vgg11",    "vgg13",   "vgg16",
                                                    "vgg19",        "resnet18",       "resnet34", "resnet50"};

/// A metric of figures 5 and 6, with the geometric means that section 6 prints.
struct SpeedupMetric {
    std::string_view strategy;
    double heterogeneous;
    double homogeneous;
};
constexpr std::array kMetrics{SpeedupMetric{"owt", 2.98, 2.94}, SpeedupMetric{"hypar", 3.78, 3.51},
                              SpeedupMetric{"accpar", 6.30, 3.86}};

struct Network {
    model::LayerGraph layers;
    Input input;
};

Network loadNetwork(std::string_view name) {
    const std::string source = fmt::format("zoo:{}", name);
    const model::Model model = model::loadModel(source);
    return {model::layerGraph(model), {source, model.sha256}};
}

struct Array {
    hardware::Fleet fleet;
    std::vector<Input> inputs;
};

Array loadArray(const std::string& name) {
    hardware::Fleet fleet = hardware::loadFleet(name);
    std::vector<Input> inputs = inputsOf(fleetFiles(name, fleet));
    return {std::move(fleet), std::move(inputs)};
}

partition::Options optionsFor(const ReproductionOptions& requested) {
    partition::Options options;
    options.batch = kBatch;
    options.costModel = requested.costModel.value_or(CostModel::paper);
    options.strategies.clear();
    for (const SpeedupMetric& metric : kMetrics) options.strategies.emplace_back(metric.strategy);
    return options;
}

Reproduction begin(const Figure& figure, const ReproductionOptions& options) {
    Reproduction result;
    result.name = figure.name;
    result.title = figure.title;
    const bool paper = options.costModel.value_or(CostModel::paper) == CostModel::paper;
    result.costModel = paper ? "paper" : "exact";
    result.notes.emplace_back(
        "The paper's numbers follow from its section 5.3, where every transfer of a side is multiplied by the side's "
        "share; that is --cost-model paper.");
    result.notes.emplace_back(
        "Section 4 of the paper charges the exchange inside a layer in full whatever the share is, and AccPar's ratio "
        "is "
        "then chosen for the whole step instead of by Eq. 10 at one level; that is --cost-model exact.");
    return result;
}

void addAssumptions(Reproduction& result, const std::vector<std::string>& more) {
    addOnce(result.assumptions, more);
}

template <typename Plan>
double speedupOf(const std::vector<Plan>& plans, std::string_view strategy) {
    for (const Plan& plan : plans)
        if (plan.strategy == strategy || (strategy == "accpar" && plan.strategy == "accpar-paper"))
            return plan.speedupOverDp;
    throw UsageError(fmt::format("the engine returned no plan for strategy '{}'", strategy));
}

/// Figures 5 and 6: every network on one array, and the geometric mean over the nine.
Reproduction networksOn(const Figure& figure, const std::string& fleetName, double SpeedupMetric::*paper,
                        const ReproductionOptions& requested, const RunControl& control) {
    Reproduction result = begin(figure, requested);
    const Array array = loadArray(fleetName);
    const partition::Options options = optionsFor(requested);
    std::vector<Network> networks(kNetworks.size());
    std::vector<partition::Result> solved(kNetworks.size());
    PartCounter counter(control, "networks", kNetworks.size());
    parallelFor(kNetworks.size(), control.threads, [&](std::size_t i) {
        networks[i] = loadNetwork(kNetworks.at(i));
        solved[i] = partition::solve(networks[i].layers, array.fleet, options, {control.ofOnePart()});
        counter.finishOne();
    });
    std::array<double, kMetrics.size()> logarithms{};
    for (std::size_t i = 0; i < kNetworks.size(); ++i) {
        result.inputs.push_back(networks[i].input);
        addAssumptions(result, solved[i].assumptions);
        for (std::size_t m = 0; m < kMetrics.size(); ++m) {
            const std::string metric(kMetrics.at(m).strategy);
            const double ours = speedupOf(solved[i].plans, metric);
            logarithms.at(m) += std::log(ours);
            result.rows.push_back({std::string(kNetworks.at(i)), metric, std::nullopt, std::nullopt, ours});
        }
    }
    for (std::size_t m = 0; m < kMetrics.size(); ++m)
        result.geometricMeans.push_back({std::string(kMetrics.at(m).strategy), kMetrics.at(m).*paper,
                                         std::exp(logarithms.at(m) / static_cast<double>(kNetworks.size()))});
    result.inputs.insert(result.inputs.end(), array.inputs.begin(), array.inputs.end());
    result.notes.emplace_back(
        "The paper prints geometric means, not the networks' own speed-ups; it speaks of nine networks and lists "
        "eight, and VGG-16 is taken as the ninth.");
    return result;
}

/// "1.90 to 2.13": speed-ups of the ResNets.
std::string spanOf(const std::vector<double>& speedups) {
    const auto [min, max] = std::minmax_element(speedups.begin(), speedups.end());
    return fmt::format("{:.2f} to {:.2f}", *min, *max);
}

/// The ResNets' spans with another batch, by metric: how much they depend on what activations weigh against weights.
std::string resnetSpans(double batch, const ReproductionOptions& requested, const RunControl& control) {
    const Array array = loadArray("accpar-heterogeneous");
    partition::Options options = optionsFor(requested);
    options.batch = batch;
    std::array<std::vector<double>, kMetrics.size()> speedups;
    for (const std::string_view name : kNetworks) {
        if (!name.starts_with("resnet")) continue;
        const partition::Result solved =
            partition::solve(loadNetwork(name).layers, array.fleet, options, {control.ofOnePart()});
        for (std::size_t m = 0; m < kMetrics.size(); ++m)
            speedups.at(m).push_back(speedupOf(solved.plans, kMetrics.at(m).strategy));
    }
    return fmt::format("{} (OWT), {} (HyPar) and {} (AccPar)", spanOf(speedups[0]), spanOf(speedups[1]),
                       spanOf(speedups[2]));
}

Reproduction figure5(const Figure& figure, const ReproductionOptions& requested, const RunControl& control) {
    Reproduction result = networksOn(figure, "accpar-heterogeneous", &SpeedupMetric::heterogeneous, requested, control);
    result.notes.emplace_back(
        "In the text the VGG networks span 5.33 to 8.24 (OWT), 5.92 to 9.46 (HyPar) and 9.75 to 16.14 (AccPar), the "
        "ResNets 1.03 to 1.04, 1.22 to 1.38 and 1.92 to 2.20 (one of its sentences has the first two the other way "
        "round).");
    result.notes.push_back(fmt::format(
        "Here the ResNets span {}, and with half of the batch {}: their speed-ups fall with what the activations that "
        "layers exchange weigh against the weights. The paper's spans lie between the two. It does not say whether the "
        "convolutions of shortcuts are layers of their own, as they are here, or in which convolution of a block the "
        "stride is; both change what is exchanged, and neither is in the VGG networks, which agree.",
        resnetSpans(kBatch, requested, control), resnetSpans(kBatch / 2, requested, control)));
    return result;
}

Reproduction accparFigure6(const Figure& figure, const ReproductionOptions& requested, const RunControl& control) {
    return networksOn(figure, "accpar-homogeneous", &SpeedupMetric::homogeneous, requested, control);
}

/// Figure 7: the types that AccPar chooses for AlexNet's layers at each of seven levels.
Reproduction accparFigure7(const Figure& figure, const ReproductionOptions& requested, const RunControl& control) {
    Reproduction result = begin(figure, requested);
    const Array array = loadArray("accpar-homogeneous");
    const Network network = loadNetwork("accpar-alexnet");
    partition::Options options = optionsFor(requested);
    options.batch = kAlexNetBatch;
    options.levels = kAlexNetLevels;
    options.strategies = {"accpar"};
    const partition::Result solved = partition::solve(network.layers, array.fleet, options, {control.ofOnePart()});
    for (const partition::LevelPlan& level : solved.plans.at(0).levels)
        for (const partition::LayerPlan& layer : level.layers)
            result.rows.push_back({solved.names.at(static_cast<std::size_t>(layer.layer)), "accpar", level.level + 1,
                                   std::nullopt, std::string(partition::nameOf(layer.type))});
    addAssumptions(result, solved.assumptions);
    result.inputs.push_back(network.input);
    result.inputs.insert(result.inputs.end(), array.inputs.begin(), array.inputs.end());
    result.notes.emplace_back(
        "The paper shows the types as a picture: II and III in the fully connected layers, mostly but not only I in "
        "the convolutions, and more II and III at deeper levels.");
    return result;
}

/// Figure 8: VGG-19 on 2^h accelerators, half of them TPU-v2 and half TPU-v3.
Reproduction accparFigure8(const Figure& figure, const ReproductionOptions& requested, const RunControl& control) {
    Reproduction result = begin(figure, requested);
    const Array array = loadArray("accpar-heterogeneous");
    const Network network = loadNetwork("vgg19");
    hardware::Fleet largest = array.fleet;
    for (hardware::Group& group : largest.groups) group.count = std::int64_t{1} << (kMaxLevels - 1);
    const RunContext context{{control}};
    const Scaling solved = scaling(network.layers, nullptr, largest, optionsFor(requested), context);
    for (const ScalingPoint& point : solved.points)
        for (const SpeedupMetric& metric : kMetrics)
            if (point.levels >= kMinLevels)
                result.rows.push_back({"vgg19", std::string(metric.strategy), point.levels, std::nullopt,
                                       speedupOf(point.plans, metric.strategy)});
    addAssumptions(result, solved.assumptions);
    result.inputs.push_back(network.input);
    result.inputs.insert(result.inputs.end(), array.inputs.begin(), array.inputs.end());
    result.notes.emplace_back(
        "The paper shows the speed-ups as a picture without numbers. Level h means 2^h accelerators, half of either "
        "kind; 9 levels need 512, twice the array of section 6.1.");
    return result;
}

}  // namespace

std::vector<Figure> accparFigures() {
    constexpr std::string_view kPaper = "Song et al., AccPar, HPCA 2020";
    return {
        {"accpar-fig5", "Speed-up over data parallelism, 128 TPU-v2 and 128 TPU-v3", kPaper, figure5, true},
        {"accpar-fig6", "Speed-up over data parallelism, 128 TPU-v3", kPaper, accparFigure6, true},
        {"accpar-fig7", "Types that AccPar chooses for AlexNet, seven levels", kPaper, accparFigure7, true},
        {"accpar-fig8", "Speed-up of VGG-19 by the depth of the hierarchy", kPaper, accparFigure8, true},
    };
}

}  // namespace tessera::study

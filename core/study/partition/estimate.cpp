#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/partition/array.h"
#include "core/partition/level.h"
#include "core/study/partition/study.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

/// Measured on one core of 2020: choosing the types of one layer at one split, and everything that goes with it.
constexpr double kSecondsPerLayerAndSplit = 0.5e-6;
constexpr double kTriesOfARatio = 20;  ///< where two kinds part and the ratio is free
constexpr double kMaxSplits = 2048;    ///< that the engine solves within one kind
constexpr double kMaxSubsets = 64;     ///< of the fleet's groups that the engine solves
constexpr int kChainWidth = 2;         ///< of elimination, up to which all networks take about the same time

/// Splits of `count` equal accelerators that the engine solves: one per level where all halves are equal.
double splitsOf(std::int64_t count, std::optional<int> levels) {
    if (count <= 1) return 0;
    double depth = std::ceil(std::log2(static_cast<double>(count)));
    const bool even = (count & (count - 1)) == 0;
    if (levels) depth = std::min(depth, static_cast<double>(*levels));
    return even ? depth : std::min({std::exp2(depth) - 1, static_cast<double>(count - 1), kMaxSplits});
}

struct Work {
    double splits = 0;
    double seconds = 0;
};

Work workOf(const partition::Options& options, const partition::Network& network, const hardware::Fleet& fleet) {
    const auto groups = static_cast<double>(fleet.groups.size());
    std::optional<int> below;
    if (options.levels) below = *options.levels - 1;
    Work work;
    work.splits = groups - 1;
    for (const hardware::Group& group : fleet.groups)
        work.splits += splitsOf(group.count, fleet.groups.size() > 1 ? below : options.levels);
    const double wide = std::pow(3.0, std::max(0, network.plan.width() - kChainWidth));
    double passes = 0;
    for (const std::string& strategy : options.strategies) {
        const bool searches = strategy == "accpar" && options.ratio == partition::RatioRule::balanced && groups > 1;
        passes += searches ? kTriesOfARatio : 1;
    }
    if (groups > 1 && options.groups == partition::Groups::best)
        passes *= std::min(std::exp2(groups) - 1, kMaxSubsets);  // every subset of them is solved as well
    work.seconds = passes * work.splits * static_cast<double>(network.nodes.size()) * wide * kSecondsPerLayerAndSplit;
    return work;
}

/// Choosing among the ways to cut equal layers is quick, whatever their number; what grows is their reading.
Work physicalWorkOf(const partition::Options& options, const model::LayerGraph& layers, const hardware::Fleet& fleet) {
    constexpr double kSecondsPerLayer = 2e-4, kSecondsPerPair = 2e-7;
    double ways = 1;
    for (const hardware::TopologyLevel& level : fleet.groups.front().levels) {
        const double halvings = std::log2(static_cast<double>(std::max<std::int64_t>(level.size, 1)));
        ways *= (halvings + 1) * (halvings + 2) / 2;
    }
    Work work;
    work.splits = static_cast<double>(fleet.groups.front().levels.size());
    work.seconds = static_cast<double>(options.strategies.size()) *
                   (static_cast<double>(layers.layers.size()) * kSecondsPerLayer + ways * ways * kSecondsPerPair);
    return work;
}

/// Every group's missing numbers, not only those of the first.
void checkGroups(const hardware::Fleet& fleet, const std::string& dtype, std::vector<std::string>& problems) {
    if (!partition::bytesOfDtype(dtype)) return;
    for (const hardware::Group& group : fleet.groups) {
        hardware::Fleet alone;
        alone.groups = {group};
        try {
            partition::makeArray(alone, dtype);
        } catch (const DataError& error) {
            problems.emplace_back(error.what());
        }
    }
}

}  // namespace

Estimate estimatePartition(const Study& study) {
    Estimate estimate;
    const auto attempt = [&](const auto& work) {
        try {
            work();
        } catch (const std::exception& error) {
            addOnce(estimate.problems, {error.what()});
        }
    };
    if (study.models.size() != 1) estimate.problems.emplace_back("a partition study takes exactly one model");
    if (study.hardware.size() != 1) estimate.problems.emplace_back("a partition study takes exactly one fleet");
    std::optional<partition::Options> options;
    std::optional<model::LayerGraph> layers;
    std::optional<hardware::Fleet> fleet;
    attempt([&] { options = partitionOptions(study); });
    if (study.models.size() == 1 && options)
        attempt([&] {
            model::LoadOptions load;
            load.batch = static_cast<std::int64_t>(options->batch);
            load.dimensions = study.dimensions;
            const model::Model model = model::loadModel(placeOfInput(study.models[0]), load);
            if (const std::optional<std::string> problem = sliceProblem(model)) throw UsageError(*problem);
            layers = model::layerGraph(model);
        });
    if (study.hardware.size() == 1) attempt([&] { fleet = hardware::loadFleet(placeOfInput(study.hardware[0])); });
    if (options && fleet) attempt([&] { options = partitionOptions(study, *fleet); });
    const bool isPhysical = options && options->costs == partition::Costs::physical;
    if (options && layers && fleet)
        for (std::string& problem : partition::problems(*options, *layers, *fleet))
            estimate.problems.push_back(std::move(problem));
    if (options && fleet && !isPhysical) checkGroups(*fleet, options->dtype, estimate.problems);
    if (!estimate.problems.empty()) {
        estimate.text = estimate.problems.size() == 1
                            ? estimate.problems.front()
                            : fmt::format("{} things have to be put right first", estimate.problems.size());
        return estimate;
    }
    const Work work = isPhysical ? physicalWorkOf(*options, *layers, *fleet)
                                 : workOf(*options, partition::prepare(*layers, *options), *fleet);
    const auto joins = std::count_if(layers->layers.begin(), layers->layers.end(),
                                     [](const model::Layer& layer) { return model::isJoin(layer.kind); });
    std::string text = formatCounted(std::ssize(layers->layers) - joins, "layer", "layers");
    if (joins > 0) text += " and " + formatCounted(joins, "merge node", "merge nodes");
    estimate.seconds = work.seconds;
    estimate.text = fmt::format("{}, {}, {} on {}: {} on one core", text, formatCounted(work.splits, "split", "splits"),
                                formatCounted(options->strategies.size(), "strategy", "strategies"),
                                formatCounted(hardware::acceleratorCount(*fleet), "accelerator", "accelerators"),
                                formatWait(work.seconds));
    return estimate;
}

}  // namespace tessera::study

#include "core/study/scaling.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/study/partition/study.h"

namespace tessera::study {

namespace {

/// A size of the array, and how deep its hierarchy may be.
struct Size {
    hardware::Fleet fleet;
    partition::Options options;
};

bool canBeHalved(const hardware::Fleet& fleet) {
    return std::any_of(fleet.groups.begin(), fleet.groups.end(), [](const auto& group) { return group.count > 1; });
}

/// Half of what the outermost level of several units joins; of a torus half of its longest dimension.
void halveLevels(std::vector<hardware::TopologyLevel>& levels) {
    const auto outer = std::find_if(levels.rbegin(), levels.rend(), [](const auto& level) { return level.size > 1; });
    if (outer == levels.rend()) return;
    outer->size -= outer->size / 2;
    if (outer->dims.empty()) return;
    std::int64_t& longest = *std::max_element(outer->dims.begin(), outer->dims.end());
    longest -= longest / 2;
    outer->size = 1;
    for (const std::int64_t each : outer->dims) outer->size *= each;
}

void halve(hardware::Group& group) {
    if (group.levels.empty()) {
        group.count -= group.count / 2;
        return;
    }
    halveLevels(group.levels);
    group.count = 1;
    for (const hardware::TopologyLevel& level : group.levels) group.count *= level.size;
}

/// The array as it is, its half, and so on.
std::vector<Size> sizesOf(const hardware::Fleet& fleet, partition::Options options) {
    options.groups = partition::Groups::all;
    std::vector<Size> sizes{{fleet, std::move(options)}};
    while (canBeHalved(sizes.back().fleet) && sizes.back().options.levels.value_or(2) > 1) {
        Size half = sizes.back();
        for (hardware::Group& group : half.fleet.groups) halve(group);
        if (half.options.levels) --*half.options.levels;
        sizes.push_back(std::move(half));
    }
    return sizes;
}

ScalingPoint pointOf(const hardware::Fleet& fleet, const partition::Result& solved) {
    const std::int64_t accelerators = hardware::acceleratorCount(fleet);
    ScalingPoint point{
        .levels = depthOf(accelerators, solved.costs, solved.plans.front()), .accelerators = accelerators, .plans = {}};
    for (const partition::Plan& plan : solved.plans)
        point.plans.push_back({plan.strategy, plan.stepTime, plan.throughput, plan.speedupOverDp, plan.fits});
    return point;
}

/// Says how many sizes are done, also while one is worked on: that is where a pause holds the work.
class Counter {
public:
    Counter(const RunControl& control, std::size_t total) : control_(control), total_(total) {}
    void report() const {
        control_.reportProgress("sizes of the array", static_cast<double>(done_.load()), static_cast<double>(total_));
    }
    void finishOne() {
        ++done_;
        report();
    }

private:
    const RunControl& control_;
    std::size_t total_;
    std::atomic<std::size_t> done_ = 0;
};

}  // namespace

int depthOf(std::int64_t accelerators, partition::Costs costs, const partition::Plan& plan) {
    int depth = 0;
    if (costs == partition::Costs::physical) {
        for (; accelerators > 1; accelerators -= accelerators / 2) ++depth;
        return depth;
    }
    for (const partition::LevelPlan& level : plan.levels) depth = std::max(depth, level.level + 1);
    return depth;
}

Scaling scaling(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                const partition::Options& options, const RunContext& context) {
    const std::vector<Size> sizes = sizesOf(fleet, options);
    std::vector<std::optional<partition::Result>> solved(sizes.size());
    const EitherStop stop(context);
    Counter counter(context, sizes.size());
    parallelFor(sizes.size(), context.threads, [&](std::size_t i) {
        partition::SearchControl control;
        control.progress = [&](const ProgressEvent&) { counter.report(); };
        control.cancel = stop.token();
        control.threads = 1;  // the sizes are what is solved side by side
        try {
            solved[i] = partition::solveByCosts(layers, graph, sizes[i].fleet, sizes[i].options, std::move(control));
        } catch (const InterruptedError&) {
            if (context.cancelled()) throw;
            return;
        }
        counter.finishOne();
    });

    Scaling scaling{.points = {}, .assumptions = {}, .costs = partition::costsFor(options, fleet)};
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (!solved[i]) continue;
        ScalingPoint point = pointOf(sizes[i].fleet, *solved[i]);
        if (point.levels == 0) continue;
        addOnce(scaling.assumptions, solved[i]->assumptions);
        if (!scaling.points.empty() && scaling.points.back().levels == point.levels) scaling.points.pop_back();
        scaling.points.push_back(std::move(point));
    }
    return scaling;
}

Scaling scaling(const Study& study, const RunContext& context) {
    const PartitionInputs inputs = readPartitionInputs(study, context);
    return scaling(*inputs.layers, inputs.model->graph(), inputs.fleet, inputs.options, context);
}

}  // namespace tessera::study

#include "core/study/scaling.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stop_token>
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

/// The array as it is, its half, and so on.
std::vector<Size> sizesOf(const hardware::Fleet& fleet, partition::Options options) {
    options.groups = partition::Groups::all;
    std::vector<Size> sizes{{fleet, std::move(options)}};
    while (canBeHalved(sizes.back().fleet) && sizes.back().options.levels.value_or(2) > 1) {
        Size half = sizes.back();
        for (hardware::Group& group : half.fleet.groups) group.count -= group.count / 2;
        if (half.options.levels) --*half.options.levels;
        sizes.push_back(std::move(half));
    }
    return sizes;
}

int depthOf(const partition::Result& solved) {
    int depth = 0;
    for (const partition::LevelPlan& level : solved.plans.front().levels) depth = std::max(depth, level.level + 1);
    return depth;
}

ScalingPoint pointOf(const hardware::Fleet& fleet, const partition::Result& solved) {
    ScalingPoint point{.levels = depthOf(solved), .accelerators = hardware::acceleratorCount(fleet), .plans = {}};
    for (const partition::Plan& plan : solved.plans)
        point.plans.push_back({plan.strategy, plan.stepTime, plan.throughput, plan.speedupOverDp, plan.fits});
    return point;
}

/// A stop request that any of two others makes.
class EitherStop {
public:
    EitherStop(const std::stop_token& one, const std::stop_token& other)
        : one_(one, Request{this}), other_(other, Request{this}) {}
    std::stop_token token() const { return source_.get_token(); }

private:
    struct Request {
        EitherStop* self;
        void operator()() const { self->source_.request_stop(); }
    };
    std::stop_source source_;
    std::stop_callback<Request> one_, other_;
};

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

Scaling scaling(const model::LayerGraph& layers, const hardware::Fleet& fleet, const partition::Options& options,
                const RunContext& context) {
    const std::vector<Size> sizes = sizesOf(fleet, options);
    std::vector<std::optional<partition::Result>> solved(sizes.size());
    const EitherStop stop(context.cancel, context.finish);
    Counter counter(context, sizes.size());
    parallelFor(sizes.size(), context.threads, [&](std::size_t i) {
        partition::SearchControl control;
        control.progress = [&](const ProgressEvent&) { counter.report(); };
        control.cancel = stop.token();
        control.threads = 1;  // the sizes are what is solved side by side
        try {
            solved[i] = partition::solve(layers, sizes[i].fleet, sizes[i].options, std::move(control));
        } catch (const InterruptedError&) {
            if (context.cancelled()) throw;
            return;
        }
        counter.finishOne();
    });

    Scaling scaling;
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
    partition::Options options = partitionOptions(study);
    const PartitionInputs inputs = readPartitionInputs(study, options, context);
    const bool isPhysical = partition::costsFor(options, inputs.fleet) == partition::Costs::physical;
    std::erase_if(options.strategies, [](const std::string& id) {
        const partition::Strategy* strategy = partition::findStrategy(id);
        return strategy != nullptr && !strategy->onPaper;
    });
    Scaling scaled = scaling(*inputs.layers, inputs.fleet, options, context);
    if (isPhysical)
        scaled.assumptions.emplace_back(
            "Sizes of the fleet are compared by the cost model paper, whose splits in halves they follow.");
    return scaled;
}

}  // namespace tessera::study

#include "core/plan/sensitivity.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/plan/layered.h"
#include "core/plan/rules.h"

namespace tessera::plan {

namespace {

void enlarge(physical::StepSetting& setting, Resource resource) {
    physical::Device& device = setting.device;
    switch (resource) {
        case Resource::peak:
            for (auto& [dtype, peak] : device.peaks) peak *= kMoreOfResource;
            return;
        case Resource::bandwidth:
            device.bandwidth *= kMoreOfResource;
            return;
        case Resource::memory:
            device.memory *= kMoreOfResource;
            return;
        case Resource::links:
            device.linkBytesPerSecond *= kMoreOfResource;
            return;
        case Resource::network:
            setting.nodeBytesPerSecond *= kMoreOfResource;
            return;
    }
}

Problem withMore(Problem problem, Resource resource) {
    for (PlanGroup& group : problem.groups) {
        for (GroupVariant& variant : group.variants) enlarge(variant.setting, resource);
        if (resource == Resource::network) group.networkRate *= kMoreOfResource;
    }
    if (resource == Resource::network)
        for (std::vector<double>& row : problem.between)
            for (double& rate : row) rate *= kMoreOfResource;
    followHardware(problem);
    return problem;
}

/// The model of a problem with another number of layers or tokens.
Problem withModel(Problem problem, double physical::Transformer::*member, double value) {
    for (PlanGroup& group : problem.groups)
        for (GroupVariant& variant : group.variants) variant.setting.model.*member = value;
    problem.sequence = problem.model().sequence;
    return problem;
}

bool hasPlan(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control) {
    SearchOptions one = options;
    one.top = 1;
    RunControl quiet = control;
    quiet.progress = {};
    return !search(problem, space, one, quiet).top.empty();
}

/// The greatest of `step`, 2 `step`, ... up to `max` that fits, by doubling and halving; 0 where none does.
template <typename Fits>
std::int64_t greatest(std::int64_t step, std::int64_t max, const Fits& fits) {
    std::int64_t good = 0, bad = 1;
    const std::int64_t last = max / step;
    while (bad <= last && fits(bad * step)) {
        good = bad;
        bad *= 2;
    }
    bad = std::min(bad, last + 1);
    while (bad - good > 1) {
        const std::int64_t middle = (good + bad) / 2;
        (fits(middle * step) ? good : bad) = middle;
    }
    return good * step;
}

}  // namespace

std::vector<Sensitivity> sensitivitiesOf(const Problem& problem, std::span<const Ranked> configurations) {
    std::vector<Sensitivity> all;
    for (const Resource resource :
         {Resource::peak, Resource::bandwidth, Resource::memory, Resource::links, Resource::network}) {
        const Problem more = withMore(problem, resource);
        Sensitivity found{.resource = resource};
        for (const Ranked& each : configurations) {
            const Judgement judgement = Judge(more, each.configuration).judge(each.configuration);
            const double seconds = judgement.scores.of(Objective::time);
            if (judgement.fits && (found.seconds <= 0 || seconds < found.seconds)) found.seconds = seconds;
        }
        all.push_back(found);
    }
    return all;
}

Limits limitsOf(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control) {
    constexpr std::int64_t kTokens = 1024, kMaxTokens = 1'000'000, kMaxLayers = 2000;
    Limits limits;
    const auto fits = [&](const Problem& other, const Space& of) { return hasPlan(other, of, options, control); };
    if (!problem.layered()) {
        control.reportProgress("the longest sequence that fits");
        limits.sequence = greatest(kTokens, kMaxTokens, [&](std::int64_t tokens) {
            return fits(withModel(problem, &physical::Transformer::sequence, static_cast<double>(tokens)), space);
        });
        control.reportProgress("the deepest model that fits");
        limits.layers = greatest(1, kMaxLayers, [&](std::int64_t layers) {
            return fits(withModel(problem, &physical::Transformer::layers, static_cast<double>(layers)), space);
        });
    }
    control.reportProgress("the largest micro-batch that fits");
    Space narrowed = space;
    for (auto micro = static_cast<std::int64_t>(problem.globalBatch); micro >= 1; --micro) {
        if (static_cast<std::int64_t>(problem.globalBatch) % micro != 0 ||
            !space.allows(Axis::micro, static_cast<int>(micro)))
            continue;
        narrowed.axes[static_cast<std::size_t>(Axis::micro)].values = {static_cast<int>(micro)};
        if (!fits(problem, narrowed)) continue;
        limits.micro = micro;
        break;
    }
    control.reportProgress("the fewest accelerators that do");
    SearchOptions fewest = options;
    fewest.objective = Objective::accelerators;
    fewest.top = 1;
    RunControl quiet = control;
    quiet.progress = {};
    const Found found = search(problem, space, fewest, quiet);
    if (!found.top.empty())
        limits.accelerators = static_cast<std::int64_t>(found.top.front().scores.of(Objective::accelerators));
    return limits;
}

std::optional<int> timesAcceleratorsThatFit(const Problem& problem, const Space& space, const SearchOptions& options,
                                            const RunControl& control) {
    constexpr int kMaxTimes = 1024;
    constexpr std::int64_t kMaxAccelerators = 65'536;
    for (int times = 2; times <= kMaxTimes; times *= 2) {
        Problem more = problem;
        for (PlanGroup& group : more.groups) group.count *= times;
        followHardware(more);
        if (more.accelerators() > kMaxAccelerators) return std::nullopt;
        if (hasPlan(more, space, options, control)) return times;
    }
    return std::nullopt;
}

}  // namespace tessera::plan

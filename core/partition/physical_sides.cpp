#include "core/partition/physical_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/hardware/rate_between.h"
#include "core/physical/device.h"

namespace tessera::partition {

namespace {

/// Rounds of evening out the samples of groups; each takes a plan of every group.
constexpr int kMostRounds = 8;
constexpr double kEven = 1e-3;  ///< between the ends of groups that end together

std::vector<double> ratesOf(const hardware::Fleet& fleet, const std::vector<std::size_t>& members) {
    std::vector<double> rates(members.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < members.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const hardware::Group &a = fleet.groups[members[i]], &b = fleet.groups[members[j]];
            const double rate = hardware::rateBetween(fleet, b.name, a.name, hardware::networkRateOf(b, b.levels),
                                                      hardware::networkRateOf(a, a.levels));
            rates[i] = std::min(rates[i], rate);
            rates[j] = std::min(rates[j], rate);
        }
    return rates;
}

double longest(const std::vector<Plan>& plans) {
    double seconds = 0;
    for (const Plan& plan : plans) seconds = std::max(seconds, plan.stepTime.value);
    return seconds;
}

/// What the accelerators of a group do at most, FLOP/s; 1 where the data type is not theirs (their costs refuse it).
double peakOf(const hardware::Group& group, const std::string& dtype) {
    const double peak = physical::peakOf(physical::deviceOf(group.accelerator), dtype);
    return peak > 0 ? peak * static_cast<double>(group.count) : 1;
}

/// Whole numbers in proportion to weights, at least 1 each, whose sum is `all`.
std::vector<std::int64_t> inProportion(const std::vector<double>& weights, std::int64_t all) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::int64_t> shares;
    std::vector<std::pair<double, std::size_t>> rests;
    std::int64_t left = all;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double exact = static_cast<double>(all) * weights[i] / sum;
        shares.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(exact)));
        left -= shares.back();
        rests.emplace_back(static_cast<double>(shares.back()) - exact, i);
    }
    std::sort(rests.begin(), rests.end());
    for (std::size_t i = 0; left > 0; i = (i + 1) % rests.size(), --left) ++shares[rests[i].second];
    while (left < 0) {
        --*std::max_element(shares.begin(), shares.end());
        ++left;
    }
    return shares;
}

}  // namespace

PhysicalSides::PhysicalSides(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                             std::vector<std::size_t> members, const Options& options)
    : layers_(layers),
      graph_(graph),
      fleet_(fleet),
      members_(std::move(members)),
      options_(options),
      rates_(ratesOf(fleet, members_)) {
    std::vector<double> peaks;
    for (const std::size_t member : members_) peaks.push_back(peakOf(fleet.groups[member], options.dtype));
    first_ = inProportion(peaks, static_cast<std::int64_t>(options.batch));
}

std::vector<std::string> PhysicalSides::idle() const {
    std::vector<std::string> names;
    for (std::size_t g = 0; g < fleet_.groups.size(); ++g)
        if (std::find(members_.begin(), members_.end(), g) == members_.end()) names.push_back(fleet_.groups[g].name);
    return names;
}

std::int64_t PhysicalSides::accelerators() const {
    std::int64_t sum = 0;
    for (const std::size_t member : members_) sum += fleet_.groups[member].count;
    return sum;
}

PhysicalSides::Side& PhysicalSides::sideOf(std::size_t member, std::int64_t samples) {
    const auto [found, isNew] = sides_.try_emplace({member, samples});
    Side& side = found->second;
    if (!isNew) return side;
    side.group = fleet_.groups[members_[member]];
    side.options = options_;
    const std::size_t levels = side.group.levels.size();
    if (members_.size() > 1) {
        const auto groups = static_cast<std::int64_t>(members_.size());
        // To this group the others look like itself: what they do with their samples is their own matter.
        side.group.levels.push_back(
            {.name = "between groups", .size = groups, .bandwidth = BytesPerSecond{rates_[member]}});
        side.group.count *= groups;
        side.options.batch = static_cast<double>(samples * groups);
    }
    side.costs = std::make_unique<PhysicalCosts>(layers_, graph_, side.group, side.options);
    side.study = std::make_unique<PhysicalStudy>(layers_, *side.costs, side.group, side.options, levels);
    return side;
}

std::vector<Plan> PhysicalSides::plansOf(const std::string& strategy, const Shares& shares, ThreadProgress& watch) {
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        Side& side = sideOf(i, shares[i]);
        plans.push_back(side.study->planned(strategy, side.study->planOf(strategy, watch)));
        if (const auto least = side.study->leastMemory()) leastMemory_ = {fleet_.groups[members_[i]].name, *least};
        watch.poll();
    }
    return plans;
}

/// What all would take to end together if each went on at its speed.
PhysicalSides::Shares PhysicalSides::evened(const Shares& shares, const std::vector<Plan>& plans) const {
    std::vector<double> speeds;
    for (std::size_t i = 0; i < shares.size(); ++i)
        speeds.push_back(static_cast<double>(shares[i]) / plans[i].stepTime.value);
    return inProportion(speeds, static_cast<std::int64_t>(options_.batch));
}

Plan PhysicalSides::planOf(const std::string& strategy, ThreadProgress& watch) {
    // Every strategy begins at the same shares, so that its plan does not hang on which others were made before it.
    Shares shares = first_;
    std::vector<Plan> plans = plansOf(strategy, shares, watch);
    if (members_.size() == 1) return joined(strategy, shares, std::move(plans));
    std::pair<Shares, std::vector<Plan>> best{shares, plans};
    std::vector<Shares> seen{shares};
    for (int round = 0; round < kMostRounds; ++round) {
        shares = evened(shares, plans);
        if (std::find(seen.begin(), seen.end(), shares) != seen.end()) break;
        seen.push_back(shares);
        plans = plansOf(strategy, shares, watch);
        const double before = longest(best.second), now = longest(plans);
        if (now < before) best = {shares, plans};
        if (now > before * (1 - kEven)) break;
    }
    // The next strategy ends near these shares; of a large model each that is kept takes memory.
    std::erase_if(sides_, [&](const auto& side) {
        const auto [member, samples] = side.first;
        return samples != best.first[member] && samples != first_[member];
    });
    return joined(strategy, best.first, std::move(best.second));
}

/// The plans of all members as one: a level that parts the groups, and below it the levels of each.
Plan PhysicalSides::joined(const std::string& strategy, const Shares& shares, std::vector<Plan> plans) const {
    if (plans.size() == 1) {
        Plan plan = std::move(plans.front());
        plan.idle = idle();
        return plan;
    }
    const auto groups = static_cast<std::int64_t>(plans.size());
    const auto slowest = std::max_element(
        plans.begin(), plans.end(), [](const Plan& a, const Plan& b) { return a.stepTime.value < b.stepTime.value; });
    Plan whole;
    whole.strategy = strategy;
    whole.idle = idle();
    whole.stepTime = whole.cost = slowest->stepTime;
    whole.throughput = options_.batch / whole.stepTime.value;
    LevelPlan between = slowest->levels.front();
    between.group.clear();
    for (const std::size_t member : members_)
        between.group += (between.group.empty() ? "" : "|") + fleet_.groups[member].name;
    between.accelerators = accelerators();
    between.ratio = static_cast<double>(shares.front()) / options_.batch;
    between.sideI = plans[0].levels.front().sideI;
    between.sideJ = plans[1].levels.front().sideI;
    whole.levels.push_back(std::move(between));
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < plans.size(); ++i) {
        Plan& plan = plans[i];
        const std::string& name = fleet_.groups[members_[i]].name;
        AcceleratorShare share = std::move(plan.shares.front());
        share.count /= groups;
        share.path = {{0, i == 0}};
        for (std::size_t l = 1; l < plan.levels.size(); ++l) {
            LevelPlan& level = plan.levels[l];
            level.occurrences /= groups;
            level.group = fmt::format("{} {}", name, level.group);
            share.path.push_back({signedIndex(whole.levels.size()), true});
            whole.levels.push_back(std::move(level));
        }
        whole.fits = whole.fits && share.fits;
        whole.shares.push_back(std::move(share));
        // Whoever takes more samples than here takes no less time, and with any other shares some group does.
        bound = std::min(bound, plan.lowerBound.value);
    }
    tellBound(whole, bound);
    return whole;
}

}  // namespace tessera::partition

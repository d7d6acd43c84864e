#include "core/partition/physical_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/hardware/rate_between.h"
#include "core/physical/device.h"

namespace tessera::partition {

namespace {

constexpr int kMaxSharings = 16;  ///< of shares that are tried; each takes a plan of every group
constexpr double kEven = 1e-3;    ///< between the ends of groups that end together

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

/// What is known of how long a group takes for samples, and from how many samples on its memory lacks.
class SharesCurve {
public:
    void add(std::int64_t samples, const Plan& plan, bool isLimited) {
        if (isLimited && !plan.fits)
            lacking_ = std::min(lacking_, samples);
        else
            seconds_[samples] = plan.stepTime.value;
    }
    /// The most samples that may fit.
    std::int64_t maxSamples() const { return lacking_ - 1; }

    /// Samples that it is thought to do in so many seconds: along lines through what is known, and no more than half of
    /// the way to where memory lacks.
    double within(double seconds) const {
        if (seconds_.empty()) return static_cast<double>(lacking_) / 2;
        double samples = 0, longest = 0, slope = 0;
        for (const auto& [at, its] : seconds_) {
            const auto count = static_cast<double>(at);
            const double end = std::max(longest, its);
            if (end > longest) slope = (count - samples) / (end - longest);
            if (seconds < end) return samples + (seconds - longest) * slope;
            samples = count;
            longest = end;
        }
        return std::min(samples + (seconds - longest) * slope, reach());
    }

private:
    double reach() const {
        constexpr std::int64_t kPrecision = 200;  // a part of the samples that may be left out
        if (lacking_ == kNever) return kInfinity;
        const std::int64_t known = seconds_.rbegin()->first, open = lacking_ - known;
        return static_cast<double>(known + (open > 1 + lacking_ / kPrecision ? open / 2 : 0));
    }

    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    std::map<std::int64_t, double> seconds_ = {};  ///< by samples
    std::int64_t lacking_ = kNever;
};

/// Shares and when they are thought to be done.
struct NextShares {
    std::vector<std::int64_t> shares;  ///< empty where not all samples fit
    double seconds = 0;
};

/// With which all groups end together.
NextShares endingTogether(const std::vector<SharesCurve>& curves, std::int64_t all) {
    double fitting = 0;
    for (const SharesCurve& curve : curves) fitting += static_cast<double>(curve.maxSamples());
    if (fitting < static_cast<double>(all)) return {};
    const auto within = [&](double seconds) {
        std::vector<double> samples;
        for (const SharesCurve& curve : curves) samples.push_back(curve.within(seconds));
        return samples;
    };
    const auto isEnough = [&](double seconds) {
        const std::vector<double> samples = within(seconds);
        return std::accumulate(samples.begin(), samples.end(), 0.0) >= static_cast<double>(all);
    };
    constexpr double kLongest = 1e12;
    constexpr int kHalvings = 200;
    double min = 0, max = 1e-9;
    while (max < kLongest && !isEnough(max)) {
        min = max;
        max *= 2;
    }
    // Nobody is known to take what is left: who may take most tries.
    if (max >= kLongest) {
        std::vector<double> limits;
        for (const SharesCurve& curve : curves) limits.push_back(static_cast<double>(curve.maxSamples()));
        return {inProportion(limits, all), 0};
    }
    for (int halving = 0; halving < kHalvings && max > min * (1 + 1e-12); ++halving) {
        const double middle = (min + max) / 2;
        (isEnough(middle) ? max : min) = middle;
    }
    return {inProportion(within(max), all), max};
}

}  // namespace

double PhysicalSides::Shared::seconds() const {
    double longest = 0;
    for (const Plan& plan : plans) longest = std::max(longest, plan.stepTime.value);
    return longest;
}

bool PhysicalSides::Shared::fits() const {
    return std::all_of(plans.begin(), plans.end(), [](const Plan& plan) { return plan.fits; });
}

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

Plan PhysicalSides::planOf(const std::string& strategy, std::size_t member, std::int64_t samples,
                           ThreadProgress& watch) {
    PhysicalStudy& study = *sideOf(member, samples).study;
    return study.planned(strategy, study.planOf(strategy, watch));
}

PhysicalSides::Shared PhysicalSides::shared(const std::string& strategy, Shares shares, ThreadProgress& watch) {
    Shared made{.shares = std::move(shares), .plans = {}};
    for (std::size_t i = 0; i < made.shares.size(); ++i) {
        made.plans.push_back(planOf(strategy, i, made.shares[i], watch));
        watch.poll();
    }
    return made;
}

/// The fastest shares that are found from `first` on: the next to be tried are those with which all would end together
/// by what is known of each member's times. With `isLimited` shares that fit come before those that do not.
PhysicalSides::Shared PhysicalSides::fastest(const std::string& strategy, Shared first, bool isLimited,
                                             ThreadProgress& watch) {
    const auto all = static_cast<std::int64_t>(options_.batch);
    std::vector<SharesCurve> curves(members_.size());
    std::vector<Shares> seen;
    Shared best = first, now = std::move(first);
    for (int round = 0; round < kMaxSharings; ++round) {
        seen.push_back(now.shares);
        for (std::size_t i = 0; i < curves.size(); ++i) curves[i].add(now.shares[i], now.plans[i], isLimited);
        const bool isFitter = isLimited && now.fits() != best.fits();
        if (isFitter ? now.fits() : now.seconds() < best.seconds()) best = now;
        NextShares next = endingTogether(curves, all);
        if (next.shares.empty() || std::find(seen.begin(), seen.end(), next.shares) != seen.end()) break;
        const bool isDone = !isLimited || best.fits();
        if (isDone && next.seconds > best.seconds() * (1 - kEven)) break;
        now = shared(strategy, std::move(next.shares), watch);
    }
    return best;
}

Plan PhysicalSides::planOf(const std::string& strategy, ThreadProgress& watch) {
    // Every strategy begins at the same shares, so that its plan does not hang on which others were made before it.
    Shared best = shared(strategy, first_, watch);
    if (members_.size() > 1) best = fastest(strategy, std::move(best), false, watch);
    // Who takes more samples than here takes no less time, and with any other shares some member does.
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < best.plans.size(); ++i) {
        bound = std::min(bound, best.plans[i].lowerBound.value);
        if (const auto min = sideOf(i, best.shares[i]).study->minMemory())
            minMemory_ = {fleet_.groups[members_[i]].name, *min};
    }
    if (members_.size() > 1 && !best.fits()) best = fastest(strategy, std::move(best), true, watch);
    // The next strategy ends near these shares; of a large model each that is kept takes memory.
    std::erase_if(sides_, [&](const auto& side) {
        const auto [member, samples] = side.first;
        return samples != best.shares[member] && samples != first_[member];
    });
    return joined(strategy, std::move(best), bound);
}

/// The plans of all members as one: a level that parts the groups, and below it the levels of each.
Plan PhysicalSides::joined(const std::string& strategy, Shared shared, double bound) const {
    std::vector<Plan>& plans = shared.plans;
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
    between.ratio = static_cast<double>(shared.shares.front()) / options_.batch;
    between.sideI = plans[0].levels.front().sideI;
    between.sideJ = plans[1].levels.front().sideI;
    whole.levels.push_back(std::move(between));
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
    }
    setBound(whole, bound);
    return whole;
}

}  // namespace tessera::partition

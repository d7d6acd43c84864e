#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/pacer.h"
#include "core/base/parallel.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/bound.h"
#include "core/partition/hierarchy.h"
#include "core/partition/sample.h"
#include "core/partition/subsets.h"

namespace tessera::partition {

namespace {

constexpr std::size_t kMaxSolvedSubsets = 64;  ///< by each strategy, those of the minimum bounds first
constexpr double kTie = 1e-9;                  ///< relative difference of times that are taken as equal

bool ratioIsGiven(const Options& options) {
    return options.ratio == RatioRule::fixed || options.ratio == RatioRule::equal;
}

/// The states that pins leave to every variable; empty where nothing is pinned.
Allowed pinnedStates(const model::LayerGraph& layers, const Network& network, const Options& options) {
    if (options.pinnedTypes.empty()) return {};
    Allowed allowed(toIndex(network.variables()), 7);
    for (std::size_t n = 0; n < layers.layers.size(); ++n) {
        const auto pin = options.pinnedTypes.find(layers.layers[n].name);
        if (pin == options.pinnedTypes.end()) continue;
        allowed[toIndex(network.nodes[n].variable)] =
            static_cast<std::uint8_t>(1U << static_cast<unsigned>(pin->second));
    }
    return allowed;
}

/// Under the paper's cost model, accpar is the paper's own search.
const Strategy* rowFor(const std::string& id, const Options& options) {
    return findStrategy(id == "accpar" && options.costModel == CostModel::paper ? "accpar-paper" : id);
}

/// Everything that the strategies of one study share.
struct Study {
    const model::LayerGraph* layers;
    const Options* options;
    const Network* network;
    const Sample* sample;  ///< of a large network, which ratios are searched on; else null
    Allowed pinned;
    Allowed pinnedInSample;
    Subsets subsets;  ///< of the fleet that are allowed, the whole fleet first
    SharedProgress* watched;

    HierarchyResult solve(const Array& array, const Strategy& row, ThreadProgress& watch, bool curves = false) const {
        NodeContext context{.options = options, .pinned = &pinned, .watch = &watch, .curves = curves};
        if (sample != nullptr && row.searchesAll && options->ratio == RatioRule::balanced) {
            NodeContext onSample = context;
            onSample.pinned = &pinnedInSample;
            context.found = solveHierarchy(sample->network, array, row, *options, onSample).ratios;
        }
        return solveHierarchy(*network, array, row, *options, context);
    }
    BoundContext boundContext(std::size_t subset, ThreadProgress& watch, bool curves) const {
        return {.network = network,
                .array = &subsets.list[subset].array,
                .options = options,
                .pinned = &pinned,
                .watch = &watch,
                .curves = curves,
                .sample = sample,
                .pinnedInSample = &pinnedInSample};
    }
    CostModel modelOf(const Strategy& row) const { return row.paperModel ? CostModel::paper : options->costModel; }
};

/// Level 0's cost by the rule of the chosen ratio and objective (specification of `cost_s`).
double costOfRoot(const Study& study, const Array& array, const HierarchyResult& solved) {
    if (solved.root.states.empty()) return solved.stepTime;
    if (!ratioIsGiven(*study.options)) return std::max(solved.rootSideI, solved.rootSideJ);
    return rootLevel(*study.network, array, *study.options, CostModel::exact)
        .cost(solved.root.states, solved.root.ratio, combineOf(*study.options));
}

void certify(Plan& plan, double value, double bound) {
    // A bound comes from sums in another order than the plan's own time; below the last digits they are equal.
    bound = std::min(bound, value);
    plan.lowerBound = {bound};
    plan.gap = bound > 0 ? value / bound - 1 : 0;
    plan.optimal = bound > 0 ? plan.gap <= 1e-9 : value <= 0;
    if (plan.optimal) plan.gap = 0;
    plan.endedBy = plan.optimal ? EndedBy::proof : EndedBy::search;
}

Plan makePlan(const Study& study, const Array& array, const std::string& strategy, HierarchyResult solved) {
    Plan plan;
    plan.strategy = strategy;
    plan.stepTime = {solved.stepTime};
    plan.throughput = study.options->batch / solved.stepTime;
    plan.cost = {costOfRoot(study, array, solved)};
    plan.shares = std::move(solved.shares);
    plan.fits = std::all_of(plan.shares.begin(), plan.shares.end(), [](const AcceleratorShare& s) { return s.fits; });
    plan.levels = std::move(solved.levels);
    return plan;
}

/// A strategy's place in a run: its plan as far as it is, or nothing yet.
struct Slot {
    const Strategy* row = nullptr;
    PartialPlan partial;
    bool solved = false;
    bool cut = false;         ///< the search for the plan was ended early
    bool subsetsCut = false;  ///< that for the best subset was
};

/// Keeps the slots, and reports to the caller's thread every part that is done.
class StrategyProgress {
public:
    StrategyProgress(std::vector<Slot>& slots, SharedProgress& watched, const SearchControl& control)
        : slots_(&slots), watched_(&watched), control_(&control) {}

    /// Changes a slot and counts a part as done.
    template <typename Change>
    void note(const Change& change) {
        {
            const std::scoped_lock lock(mutex_);
            change();
            news_ = true;
        }
        watched_->done = watched_->done + 1;
        if (std::this_thread::get_id() == caller_) report(false);
    }

    /// Hands the plans over if there is news, and time for it or it is the `last` word. From the caller's thread only.
    void report(bool last) {
        if (!control_->checkpoint) return;
        const std::scoped_lock lock(mutex_);
        if (!news_ || (!last && !isTimeToReport())) return;
        news_ = false;
        std::vector<const PartialPlan*> plans;
        for (const Slot& slot : *slots_)
            if (slot.solved) plans.push_back(&slot.partial);
        reports_.timed([&] { control_->checkpoint(plans); });
    }

    /// Work on every slot, several at a time; progress is reported even where the work is given up.
    void forEach(unsigned threads, const std::function<void(Slot&)>& work) {
        try {
            parallelFor(slots_->size(), threads, [&](std::size_t p) { work((*slots_)[p]); });
        } catch (...) {
            report(true);
            throw;
        }
        report(false);
    }

private:
    /// A report writes plans out row by row: that takes at most a tenth of the time, but for what is quick anyway.
    bool isTimeToReport() const {
        constexpr std::chrono::nanoseconds kPerRow{2000};
        constexpr std::chrono::milliseconds kQuick{5};
        std::size_t rows = 0;
        for (const Slot& slot : *slots_)
            for (const LevelPlan& level : slot.partial.plan.levels) rows += level.layers.size();
        const auto expected = static_cast<std::int64_t>(rows) * kPerRow;
        return expected < kQuick || reports_.isDue(Pacer::Clock::now(), expected);
    }

    Pacer reports_{{.pauseOverCost = Pacer::kTenthOfTime}, Pacer::Clock::now()};
    std::vector<Slot>* slots_;
    SharedProgress* watched_;
    const SearchControl* control_;
    std::thread::id caller_ = std::this_thread::get_id();
    std::mutex mutex_;
    bool news_ = false;
};

/// The slowest split's time at every level: what is left to move and compute, level by level.
void reportLevels(ThreadProgress& watch, const Plan& plan) {
    std::map<int, double> slowest;
    for (const LevelPlan& level : plan.levels)
        slowest[level.level] = std::max({slowest[level.level], level.sideI.value, level.sideJ.value});
    for (const auto& [level, time] : slowest) watch.point("time by level", CurveRole::value, level, time);
}

void solveSlot(const Study& study, const Array& array, const std::string& strategy, Slot& slot,
               StrategyProgress& ledger) {
    ThreadProgress watch(*study.watched, "splitting by " + strategy, strategy, true);
    try {
        watch.poll();
        if (study.watched->plans > 0 && watch.late()) return;
        HierarchyResult hierarchy = study.solve(array, *slot.row, watch, true);
        const bool simplified = hierarchy.simplified;
        Plan plan = makePlan(study, array, strategy, std::move(hierarchy));
        reportLevels(watch, plan);
        watch.incumbent("step time", CurveRole::value, 0, plan.stepTime.value,
                        fmt::format("{}: {}/step", strategy, formatSeconds(plan.stepTime)));
        ledger.note([&] {
            slot.partial.plan = std::move(plan);
            slot.partial.simplified = simplified;
            slot.solved = true;
            slot.cut = watch.finishing();
        });
        ++study.watched->plans;
    } catch (const StrategySkipped&) {
        slot.solved = false;
    }
}

/// Lower bounds of the step time by subset of the fleet. Plans that are free in the same things share one.
class SubsetBounds {
public:
    explicit SubsetBounds(const Study& study) : study_(&study) {}

    /// Computes the bounds of all subsets for a row, several at a time; those that the end of the search leaves out
    /// stay empty.
    const std::vector<std::optional<double>>& of(const Strategy& row) {
        const Options& options = *study_->options;
        const bool restricted = !options.pinnedTypes.empty() || !options.pinnedRatios.empty() || ratioIsGiven(options);
        const std::pair key{row.searchesAll && !row.paperModel && restricted, row.paperModel};
        const auto found = cache_.find(key);
        if (found != cache_.end()) return found->second;
        std::vector<std::optional<double>>& bounds = cache_[key];
        bounds.resize(study_->subsets.list.size());
        parallelFor(bounds.size(), study_->watched->control.threads, [&](std::size_t k) {
            ThreadProgress watch(*study_->watched, "proving a bound", std::string(row.id));
            watch.poll();
            if (watch.finishing()) return;
            bounds[k] = boundStepTime(study_->boundContext(k, watch, k == 0), row, study_->modelOf(row));
        });
        return bounds;
    }

    /// Of the step time whichever subset takes part.
    std::optional<double> overall(const Strategy& row) {
        double min = std::numeric_limits<double>::infinity();
        for (const std::optional<double>& bound : of(row)) {
            if (!bound) return std::nullopt;
            min = std::min(min, *bound);
        }
        return study_->subsets.complete ? min : std::min(min, ofTheRest(row));
    }

private:
    /// Of the subsets that are not in the list.
    double ofTheRest(const Strategy& row) {
        const Subsets& subsets = study_->subsets;
        if (subsets.ranges.empty()) return boundCompute(*study_->network, subsets.list.front().array);
        std::vector<double> bounds(subsets.ranges.size());
        parallelFor(bounds.size(), study_->watched->control.threads, [&](std::size_t k) {
            ThreadProgress watch(*study_->watched, "proving a bound", std::string(row.id));
            watch.poll();
            bounds[k] = boundRange(study_->boundContext(0, watch, false), row, study_->modelOf(row), subsets.ranges[k]);
        });
        return *std::min_element(bounds.begin(), bounds.end());
    }

    const Study* study_;
    std::map<std::pair<bool, bool>, std::vector<std::optional<double>>> cache_;
};

/// A plan and what was seen on the way to it.
struct Chosen {
    Plan plan;
    bool simplified = false;
    bool cut = false;  ///< the search was ended before the last subset
};

bool isBetter(const Plan& plan, const Plan& than) {
    if (plan.fits != than.fits) return plan.fits;
    return plan.stepTime.value < than.stepTime.value * (1 - kTie);
}

/// The best of a row's plans on the subsets of the fleet, from the plan on the whole fleet on: those of the least lower
/// bounds first, until bounds rule out the rest.
Chosen chooseSubset(const Study& study, const Strategy& row, Chosen chosen,
                    const std::vector<std::optional<double>>& bounds, ThreadProgress& watch) {
    const std::vector<Subset>& list = study.subsets.list;
    if (list.size() == 1) return chosen;
    const std::string strategy = chosen.plan.strategy;
    std::vector<SubsetPlan> solved;
    const auto note = [&](std::size_t k, const Plan& plan) {
        solved.push_back({list[k].idle, list[k].accelerators, plan.stepTime, 0, {bounds[k].value_or(0)}});
    };
    note(0, chosen.plan);
    std::vector<std::size_t> order;
    for (std::size_t k = 1; k < list.size(); ++k) order.push_back(k);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bounds[a].value_or(0) < bounds[b].value_or(0); });
    std::int64_t ruledOut = 0;
    std::int64_t left = 0;
    for (std::size_t next = 0; next < order.size(); ++next) {
        const std::size_t k = order[next];
        const auto rest = static_cast<std::int64_t>(order.size() - next);
        if (chosen.plan.fits && bounds[k].value_or(0) >= chosen.plan.stepTime.value * (1 - kTie)) {
            ruledOut = rest;
            break;
        }
        chosen.cut = watch.finishing();
        if (chosen.cut || next >= kMaxSolvedSubsets) {
            left = rest;
            break;
        }
        HierarchyResult hierarchy = study.solve(list[k].array, row, watch);
        const bool simplified = hierarchy.simplified;
        Plan plan = makePlan(study, list[k].array, strategy, std::move(hierarchy));
        plan.idle = list[k].idle;
        note(k, plan);
        if (!isBetter(plan, chosen.plan)) continue;
        chosen.plan = std::move(plan);
        chosen.simplified = simplified;
    }
    std::stable_sort(solved.begin(), solved.end(),
                     [](const SubsetPlan& a, const SubsetPlan& b) { return a.stepTime < b.stepTime; });
    chosen.plan.subsets = std::move(solved);
    chosen.plan.subsetsRuledOut = ruledOut;
    chosen.plan.subsetsLeft = left;
    return chosen;
}

/// Step time of data parallelism under a cost model and on its best subset, which speed-ups are measured against.
double dataParallel(const Study& study, bool paperModel, SubsetBounds& bounds) {
    Strategy dp = *findStrategy("dp");
    dp.paperModel = paperModel;
    ThreadProgress watch(*study.watched, "timing data parallelism", "dp");
    const Array& whole = study.subsets.list.front().array;
    Chosen chosen;
    chosen.plan = makePlan(study, whole, "dp", study.solve(whole, dp, watch));
    const std::vector<std::optional<double>> none(study.subsets.list.size());
    return chooseSubset(study, dp, std::move(chosen), study.subsets.list.size() > 1 ? bounds.of(dp) : none, watch)
        .plan.stepTime.value;
}

/// Every strategy's best subset of the fleet, and speed-ups over data parallelism under the plan's own cost model.
void compareAll(const Study& study, std::vector<Slot>& slots, SubsetBounds& bounds, StrategyProgress& ledger) {
    if (study.subsets.list.size() > 1)
        for (const Slot& slot : slots)
            if (slot.solved && !slot.partial.compared) bounds.of(*slot.row);
    std::vector<std::optional<Chosen>> chosen(slots.size());
    parallelFor(slots.size(), study.watched->control.threads, [&](std::size_t p) {
        const Slot& slot = slots[p];
        if (study.subsets.list.size() == 1 || !slot.solved || slot.partial.compared) return;
        ThreadProgress watch(*study.watched, "comparing subsets for " + slot.partial.plan.strategy,
                             slot.partial.plan.strategy);
        watch.poll();
        Chosen whole{slot.partial.plan, slot.partial.simplified, false};
        chosen[p] = chooseSubset(study, *slot.row, std::move(whole), bounds.of(*slot.row), watch);
    });
    const auto planOf = [&](std::size_t p) -> Plan& { return chosen[p] ? chosen[p]->plan : slots[p].partial.plan; };
    std::map<bool, double> baseline;  // by whether the strategy is timed by the paper's model
    for (std::size_t p = 0; p < slots.size(); ++p)
        if (slots[p].solved && planOf(p).strategy == "dp") baseline[false] = planOf(p).stepTime.value;
    for (const Slot& slot : slots)
        if (slot.solved && !slot.partial.compared && !baseline.contains(slot.row->paperModel))
            baseline[slot.row->paperModel] = dataParallel(study, slot.row->paperModel, bounds);
    for (std::size_t p = 0; p < slots.size(); ++p) {
        Slot& slot = slots[p];
        if (!slot.solved || slot.partial.compared) continue;
        const double dp = baseline.at(slot.row->paperModel);
        ledger.note([&] {
            if (chosen[p]) {
                slot.partial.plan = std::move(chosen[p]->plan);
                slot.partial.simplified = chosen[p]->simplified;
                slot.subsetsCut = chosen[p]->cut;
            }
            Plan& plan = slot.partial.plan;
            plan.speedupOverDp = dp / plan.stepTime.value;
            for (SubsetPlan& subset : plan.subsets) subset.speedupOverDp = dp / subset.stepTime.value;
            slot.partial.compared = true;
        });
    }
    ledger.report(false);
}

/// Nothing is known about a plan whose proof was not reached.
void leaveUnproven(Plan& plan) {
    plan.lowerBound = {0};
    plan.gap = 0;
    plan.optimal = false;
    plan.endedBy = EndedBy::stop;
}

/// The subset that a plan is on.
std::size_t subsetIndex(const Study& study, const Plan& plan) {
    const std::vector<Subset>& list = study.subsets.list;
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Subset& subset) { return subset.idle == plan.idle; });
    return found == list.end() ? 0 : static_cast<std::size_t>(found - list.begin());
}

/// Bounds, gaps, and what ended the searches.
void certifyAll(const Study& study, std::vector<Slot>& slots, SubsetBounds& bounds, StrategyProgress& ledger) {
    for (Slot& slot : slots) {
        if (!slot.solved || slot.partial.proven) continue;
        ThreadProgress watch(*study.watched, "proving a bound for " + slot.partial.plan.strategy,
                             slot.partial.plan.strategy);
        watch.poll();
        const std::size_t subset = subsetIndex(study, slot.partial.plan);
        const Array& array = study.subsets.list[subset].array;
        const bool oneLevel = study.options->levels == 1 && array.clusters[toIndex(array.root)].count > 1;
        std::optional<double> bound;
        if (!watch.finishing())
            bound = oneLevel ? boundCost(study.boundContext(subset, watch, true), *slot.row,
                                         slot.partial.plan.levels.front().ratio, study.modelOf(*slot.row))
                             : bounds.overall(*slot.row);
        ledger.note([&] {
            Plan& plan = slot.partial.plan;
            plan.boundsCost = oneLevel;
            plan.boundsSubsets = !oneLevel && study.subsets.list.size() > 1;
            if (bound)
                certify(plan, oneLevel ? plan.cost.value : plan.stepTime.value, *bound);
            else
                leaveUnproven(plan);
            if (!plan.optimal && (slot.cut || slot.subsetsCut || watch.finishing())) plan.endedBy = EndedBy::stop;
            slot.partial.proven = true;
        });
    }
}

/// Groups whose accelerators compute at their peak, which none reaches.
std::vector<std::string> groupsAtPeak(const Array& array) {
    std::vector<std::string> names;
    for (const Kind& kind : array.kinds)
        if (kind.atPeak) names.push_back(kind.name);
    return names;
}

/// The first names in quotes, and how many more there are.
std::string someOf(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> shown;
    for (std::size_t n = 0; n < std::min(kShown, names.size()); ++n) shown.push_back(inQuotes(names[n]));
    std::string text = joined(shown, ", ");
    if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
    return text;
}

/// Which groups take part, and what that rests on.
std::vector<std::string> participation(const Study& study, const hardware::Fleet& fleet,
                                       const std::vector<Slot>& slots) {
    if (fleet.groups.size() < 2) return {};
    const Options& options = *study.options;
    if (options.groups == Groups::all) return {"Every group of the fleet takes part, as asked."};
    if (!options.pinnedRatios.empty())
        return {"Every group of the fleet takes part, since ratios of its splits are pinned."};
    const std::size_t count = study.subsets.list.size();
    std::vector<std::string> list;
    if (study.subsets.complete)
        list.push_back(
            fmt::format("Groups may stay idle: the best of {} different subsets of the fleet's {} groups is taken.",
                        count, fleet.groups.size()));
    else
        list.push_back(
            fmt::format("Groups may stay idle: the best of {} subsets of the fleet's {} groups is taken; there are too "
                        "many more to "
                        "look at each, and a bound for these counts compute alone.",
                        count, fleet.groups.size()));
    if (std::any_of(slots.begin(), slots.end(), [](const Slot& s) { return s.partial.plan.subsetsLeft > 0; }))
        list.push_back(fmt::format("At most {} subsets are solved by each strategy, those of the least lower bounds.",
                                   kMaxSolvedSubsets));
    list.emplace_back(
        "Speed-ups are over data parallelism that chooses among the same subsets of the fleet as every strategy.");
    return list;
}

bool knowsWhatIsKept(const model::LayerGraph& layers) {
    return std::all_of(layers.layers.begin(), layers.layers.end(),
                       [](const model::Layer& layer) { return layer.stored.has_value(); });
}

std::vector<std::string> assumptionsOf(const Study& study, const hardware::Fleet& fleet,
                                       const std::vector<Slot>& slots) {
    const Options& options = *study.options;
    const Array& array = study.subsets.list.front().array;
    std::vector<std::string> list = study.layers->assumptions;
    if (const std::vector<std::string> atPeak = groupsAtPeak(array); !atPeak.empty() && options.computation)
        list.push_back(
            fmt::format("{} {} at 100 % of the peak in {}: no efficiency for matrix products is given, and none "
                        "reaches its peak, so "
                        "real steps take longer than these.",
                        atPeak.size() == 1 ? "Group " + someOf(atPeak) : "Groups " + someOf(atPeak),
                        atPeak.size() == 1 ? "computes" : "compute", options.dtype));
    list.emplace_back(
        "Every accelerator exchanges its own shard at the network rate of one accelerator; a side computes at the sum "
        "of its accelerators' peaks times their efficiency for matrix products.");
    list.emplace_back(
        "Transfers have no latency within a group, and between groups only that of a link; a group of any size is "
        "connected at the full rate of its accelerators.");
    list.emplace_back(
        "Each layer's type and each join's layout hold for forward, backward and gradient pass together.");
    list.emplace_back(options.overlap == Overlap::none
                          ? "Transfers and compute do not overlap."
                          : "A layer's transfers overlap fully with its own compute, and with nothing else.");
    list.push_back(fmt::format(
        "Memory counts weights and gradients in {}, the state of {} in 32 bits and {}; no separate master copy of the "
        "weights, no workspace.",
        options.dtype,
        options.optimizer == Optimizer::adam       ? "Adam"
        : options.optimizer == Optimizer::momentum ? "momentum"
                                                   : "SGD (none)",
        knowsWhatIsKept(*study.layers)
            ? "the activations that the backward pass reads"
            : "all maps that layers make (a table of layers does not say which of them the backward pass reads)"));
    for (const Kind& kind : array.kinds)
        if (!kind.capacity)
            list.push_back(fmt::format("Group {} gives no memory, so whether the plan fits there was not checked.",
                                       inQuotes(kind.name)));
    if (!options.computation) list.emplace_back("Computation is left out; only transfers count.");
    for (std::string& sentence : participation(study, fleet, slots)) list.push_back(std::move(sentence));
    if (std::any_of(slots.begin(), slots.end(),
                    [](const Slot& slot) { return slot.solved && slot.partial.simplified; }))
        list.emplace_back(
            "Very unequal halves of a large group were taken as equal, the larger one standing for both.");
    const auto papers = std::find_if(slots.begin(), slots.end(), [](const Slot& slot) { return slot.row->paperModel; });
    if (papers != slots.end() && options.costModel == CostModel::exact)
        list.push_back(
            fmt::format("{} is timed by the paper's section 5.3, and its speed-up is over data parallelism timed the "
                        "same way; its times are not comparable with the other rows.",
                        papers->row->id));
    return list;
}

}  // namespace

void appendKey(std::string& key, const LayerPlan& row) {
    appendBytes(key, row.type);
    for (const Seconds time : {row.compute, row.intra, row.inter}) appendKey(key, time);
    for (const std::int64_t cuts : {row.degrees.batch, row.degrees.in, row.degrees.out}) appendBytes(key, cuts);
}

void appendKey(std::string& key, const JoinPlan& row) {
    appendBytes(key, row.layout);
    for (const Seconds time : {row.compute, row.inter}) appendKey(key, time);
    for (const std::int64_t cuts : {row.degrees.batch, row.degrees.in, row.degrees.out}) appendBytes(key, cuts);
}

void appendKey(std::string& key, const Transfers& row) {
    for (const Seconds time : {row.intra, row.inter}) appendKey(key, time);
}

const SubsetPlan* wholeFleetOf(const Plan& plan) {
    const auto found = std::find_if(plan.subsets.begin(), plan.subsets.end(),
                                    [](const SubsetPlan& subset) { return subset.idle.empty(); });
    return found == plan.subsets.end() ? nullptr : &*found;
}

std::vector<std::string> problems(const Options& options, const model::LayerGraph& layers,
                                  const hardware::Fleet& fleet) {
    std::vector<std::string> broken;
    if (!(options.batch > 0) || !std::isfinite(options.batch))
        broken.push_back(fmt::format("batch is {}; expected a number above 0", options.batch));
    if (!bytesOfDtype(options.dtype))
        broken.push_back(
            fmt::format("dtype is {}; expected one of {}", inQuotes(options.dtype), joined(knownDtypes(), ", ")));
    if (options.levels && (*options.levels < 1 || *options.levels > 1000))
        broken.push_back(fmt::format("levels is {}; expected a whole number from 1 to 1000", *options.levels));
    if (options.strategies.empty()) broken.emplace_back("strategy is empty; expected at least one");
    const std::vector<std::string> known = idsOf(strategies());
    std::set<std::string> seen;
    for (const std::string& id : options.strategies) {
        if (findStrategy(id) == nullptr)
            broken.push_back(fmt::format("strategy is {}; expected one of {}", inQuotes(id), joined(known, ", ")));
        else if (const Costs costs = costsFor(options, fleet);
                 !(costs == Costs::paper ? findStrategy(id)->onPaper : findStrategy(id)->onPhysical))
            broken.push_back(
                fmt::format("strategy {} is not for the cost model {}", inQuotes(id), inQuotes(kCostsNames.of(costs))));
        else if (!seen.insert(id).second)
            broken.push_back(fmt::format("strategy {} is given twice; expected every strategy once", inQuotes(id)));
    }
    if (options.ratio == RatioRule::fixed && !(options.fixedRatio >= 0 && options.fixedRatio <= 1))
        broken.push_back(fmt::format("ratio is {}; expected a number from 0 to 1", options.fixedRatio));
    for (const auto& [level, ratio] : options.pinnedRatios) {
        if (level < 0) broken.push_back(fmt::format("pin-ratio names level {}; expected 0 or more", level));
        if (!(ratio >= 0 && ratio <= 1))
            broken.push_back(fmt::format("pin-ratio of level {} is {}; expected a number from 0 to 1", level, ratio));
    }
    for (const auto& [name, type] : options.pinnedTypes) {
        const auto layer = std::find_if(layers.layers.begin(), layers.layers.end(),
                                        [&wanted = name](const model::Layer& l) { return l.name == wanted; });
        if (layer == layers.layers.end() || model::isJoin(layer->kind)) {
            std::vector<std::string> names;
            for (const model::Layer& l : layers.layers)
                if (!model::isJoin(l.kind)) names.push_back(l.name);
            broken.push_back(fmt::format("pin names {}, which is no weighted layer of {}{}", inQuotes(name),
                                         inQuotes(layers.name), withClosest("; did you mean {}?", name, names)));
        } else if (layer->kind == model::LayerKind::embedding && type == Type::II) {
            broken.push_back(fmt::format("pin of {} is II; an embedding table is split by I or III", inQuotes(name)));
        }
    }
    if (fleet.groups.empty()) broken.emplace_back("the fleet has no groups");
    if (costsFor(options, fleet) == Costs::physical)
        for (std::string& problem : physicalProblems(options, fleet)) broken.push_back(std::move(problem));
    if (std::none_of(layers.layers.begin(), layers.layers.end(),
                     [](const model::Layer& layer) { return !model::isJoin(layer.kind); }))
        broken.push_back(
            fmt::format("the model {} has no weighted layers; there is nothing to split", inQuotes(layers.name)));
    return broken;
}

namespace {

/// Puts what an earlier run got into its places.
void restore(std::vector<Slot>& slots, std::vector<PartialPlan> plans, SharedProgress& watched) {
    for (PartialPlan& partial : plans)
        for (Slot& slot : slots) {
            if (slot.solved || slot.partial.plan.strategy != partial.plan.strategy) continue;
            watched.done = watched.done + 1 + (partial.compared ? 1 : 0) + (partial.proven ? 1 : 0);
            slot.partial = std::move(partial);
            slot.solved = true;
            ++watched.plans;
            break;
        }
}

/// What ending the search early left undone, as sentences.
std::vector<std::string> cutsOf(const std::vector<Slot>& slots, const Options& options) {
    std::vector<std::string> cuts, leftOut, unproven, notCompared;
    for (std::size_t p = 0; p < slots.size(); ++p) {
        if (!slots[p].solved) {
            leftOut.push_back(options.strategies[p]);
            continue;
        }
        const Plan& plan = slots[p].partial.plan;
        if (plan.endedBy == EndedBy::stop) unproven.push_back(plan.strategy);
        if (slots[p].subsetsCut) notCompared.push_back(plan.strategy);
    }
    if (!leftOut.empty())
        cuts.push_back(fmt::format("The search was ended early; left out: {}.", joined(leftOut, ", ")));
    if (!unproven.empty())
        cuts.push_back(
            fmt::format("The search was ended early; the optimality gap of these plans is not fully computed: {}.",
                        joined(unproven, ", ")));
    if (!notCompared.empty())
        cuts.push_back(fmt::format("The search was ended early; not all subsets of the fleet were compared for: {}.",
                                   joined(notCompared, ", ")));
    return cuts;
}

/// Threads that may search at once: each holds numbers of every layer and join, together of about a million.
unsigned threadsFor(const Network& network, unsigned threads) {
    constexpr std::size_t kMaxNodes = 1'000'000;
    const std::size_t max = std::max<std::size_t>(1, kMaxNodes / std::max<std::size_t>(1, network.nodes.size()));
    return static_cast<unsigned>(std::min<std::size_t>(threadCount(threads), max));
}

}  // namespace

Result solve(const model::LayerGraph& layers, const hardware::Fleet& fleet, const Options& given,
             SearchControl control) {
    Options options = given;
    options.costs = Costs::paper;
    const std::vector<std::string> broken = problems(options, layers, fleet);
    if (!broken.empty()) throw UsageError(joined(broken, "; "));

    SharedProgress watched{.control = control};
    watched.total = 3 * static_cast<double>(options.strategies.size());  // plan, comparison, bound
    ThreadProgress preparing(watched, "preparing the search", "preparation");
    preparing.poll();
    std::optional<PollScope> polling(std::in_place, [&] { preparing.poll(); });
    const bool choosesGroups = options.groups == Groups::best && options.pinnedRatios.empty();
    Subsets subsets = choosesGroups ? subsetsOf(fleet, options.dtype) : wholeFleet(fleet, options.dtype);
    const Network network = prepare(layers, options);
    watched.control.threads = threadsFor(network, control.threads);
    const std::optional<Sample> sample = sampleOf(network);
    polling.reset();
    preparing.poll();
    Study study{.layers = &layers,
                .options = &options,
                .network = &network,
                .sample = sample ? &*sample : nullptr,
                .pinned = pinnedStates(layers, network, options),
                .pinnedInSample = {},
                .subsets = std::move(subsets),
                .watched = &watched};
    if (sample && !study.pinned.empty())
        for (const std::int32_t variable : sample->variables)
            study.pinnedInSample.push_back(study.pinned[toIndex(variable)]);
    const Array& array = study.subsets.list.front().array;
    std::vector<Slot> slots(options.strategies.size());
    for (std::size_t p = 0; p < slots.size(); ++p) {
        slots[p].row = rowFor(options.strategies[p], options);
        slots[p].partial.plan.strategy = options.strategies[p];
    }
    restore(slots, std::move(control.resume), watched);
    StrategyProgress ledger(slots, watched, control);
    ledger.forEach(watched.control.threads, [&](Slot& slot) {
        if (!slot.solved) solveSlot(study, array, std::string(slot.partial.plan.strategy), slot, ledger);
    });
    SubsetBounds bounds(study);
    try {
        compareAll(study, slots, bounds, ledger);
        certifyAll(study, slots, bounds, ledger);
    } catch (...) {
        ledger.report(true);
        throw;
    }

    Result result;
    result.batch = options.batch;
    for (const model::Layer& layer : layers.layers) result.names.push_back(layer.name);
    result.assumptions = assumptionsOf(study, fleet, slots);
    result.warnings = cutsOf(slots, options);
    for (Slot& slot : slots) {
        if (!slot.solved) continue;
        Plan& plan = slot.partial.plan;
        addMisfits(plan, result.warnings);
        result.plans.push_back(std::move(plan));
    }
    return result;
}

}  // namespace tessera::partition

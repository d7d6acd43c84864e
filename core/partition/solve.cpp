#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/bound.h"
#include "core/partition/hierarchy.h"

namespace tessera::partition {

namespace {

constexpr std::size_t kMostDropped = 8;  ///< groups of a fleet up to which leaving each one out is evaluated

std::size_t index(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

bool ratioIsGiven(const Options& options) {
    return options.ratio == RatioRule::fixed || options.ratio == RatioRule::equal;
}

/// The states that pins leave to every variable; empty where nothing is pinned.
Allowed pinnedStates(const model::LayerGraph& layers, const Network& network, const Options& options) {
    if (options.pinnedTypes.empty()) return {};
    Allowed allowed(index(network.variables()), 7);
    for (std::size_t n = 0; n < layers.layers.size(); ++n) {
        const auto pin = options.pinnedTypes.find(layers.layers[n].name);
        if (pin == options.pinnedTypes.end()) continue;
        allowed[index(network.nodes[n].variable)] = static_cast<std::uint8_t>(1U << static_cast<unsigned>(pin->second));
    }
    return allowed;
}

/// Under the paper's cost model, accpar is the paper's own search.
const StrategyRow* rowFor(const std::string& id, const Options& options) {
    return findStrategy(id == "accpar" && options.costModel == CostModel::paper ? "accpar-paper" : id);
}

/// Everything that the strategies of one study share.
struct Study {
    const model::LayerGraph* layers;
    const Options* options;
    const Network* network;
    Allowed pinned;
    Watched* watched;

    HierarchyResult solve(const Array& array, const StrategyRow& row, Watch& watch, bool curves = false) const {
        const NodeContext context{.options = options, .pinned = &pinned, .watch = &watch, .curves = curves};
        return solveHierarchy(*network, array, row, *options, context);
    }
    /// Step time of data parallelism under a cost model, which speed-ups are measured against.
    double dataParallel(const Array& array, bool paperModel) const {
        StrategyRow dp = *findStrategy("dp");
        dp.paperModel = paperModel;
        Watch watch(*watched, "timing data parallelism", "dp");
        return solve(array, dp, watch).stepTime;
    }
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
    plan.endedBy = plan.optimal ? "proof" : "search";
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
    const StrategyRow* row = nullptr;
    PartialPlan partial;
    bool solved = false;
    bool cut = false;  ///< the search for the plan was ended early
};

/// Keeps the slots, and tells the caller's thread of every part that is done.
class Ledger {
public:
    Ledger(std::vector<Slot>& slots, Watched& watched, const Hooks& hooks)
        : slots_(&slots), watched_(&watched), hooks_(&hooks) {}

    /// Changes a slot and counts a part as done.
    template <typename Change>
    void note(const Change& change) {
        {
            const std::scoped_lock lock(mutex_);
            change();
            news_ = true;
        }
        watched_->done = watched_->done + 1;
        if (std::this_thread::get_id() == caller_) tell(false);
    }

    /// Hands the plans over if there is news, and time for it or it is the `last` word. From the caller's thread only.
    void tell(bool last) {
        if (!hooks_->checkpoint) return;
        const std::scoped_lock lock(mutex_);
        if (!news_ || (!last && !isTimeToTell())) return;
        news_ = false;
        std::vector<const PartialPlan*> plans;
        for (const Slot& slot : *slots_)
            if (slot.solved) plans.push_back(&slot.partial);
        const Clock::time_point begun = Clock::now();
        hooks_->checkpoint(plans);
        telling_ += Clock::now() - begun;
    }

    /// Work on every slot, several at a time; what is done is told even where the work is given up.
    void forEach(unsigned threads, const std::function<void(Slot&)>& work) {
        try {
            parallelFor(slots_->size(), threads, [&](std::size_t p) { work((*slots_)[p]); });
        } catch (...) {
            tell(true);
            throw;
        }
        tell(false);
    }

private:
    using Clock = std::chrono::steady_clock;

    /// What is told is written out row by row: that takes at most a tenth of the time, but for what is quick anyway.
    bool isTimeToTell() const {
        constexpr std::chrono::nanoseconds kPerRow{2000};
        constexpr std::chrono::milliseconds kQuick{5};
        constexpr int kShare = 10;
        std::size_t rows = 0;
        for (const Slot& slot : *slots_)
            for (const LevelPlan& level : slot.partial.plan.levels) rows += level.layers.size();
        const auto expected = static_cast<std::int64_t>(rows) * kPerRow;
        return expected < kQuick || kShare * (telling_ + expected) < Clock::now() - begun_;
    }

    const Clock::time_point begun_ = Clock::now();
    Clock::duration telling_{};
    std::vector<Slot>* slots_;
    Watched* watched_;
    const Hooks* hooks_;
    std::thread::id caller_ = std::this_thread::get_id();
    std::mutex mutex_;
    bool news_ = false;
};

/// The slowest split's time at every level: what is left to move and compute, level by level.
void tellLevels(Watch& watch, const Plan& plan) {
    std::map<int, double> slowest;
    for (const LevelPlan& level : plan.levels)
        slowest[level.level] = std::max({slowest[level.level], level.sideI.value, level.sideJ.value});
    for (const auto& [level, time] : slowest) watch.point("time by level", level, time);
}

void solveSlot(const Study& study, const Array& array, const std::string& strategy, Slot& slot, Ledger& ledger) {
    Watch watch(*study.watched, "splitting by " + strategy, strategy, true);
    try {
        watch.poll();
        if (study.watched->plans > 0 && watch.late()) return;
        HierarchyResult hierarchy = study.solve(array, *slot.row, watch, true);
        const bool simplified = hierarchy.simplified;
        Plan plan = makePlan(study, array, strategy, std::move(hierarchy));
        tellLevels(watch, plan);
        watch.incumbent("step time", 0, plan.stepTime.value,
                        fmt::format("{}: {}/step", strategy, formatQuantity(plan.stepTime.value, Measure::seconds)));
        ledger.note([&] {
            slot.partial.plan = std::move(plan);
            slot.partial.simplified = simplified;
            slot.solved = true;
            slot.cut = watch.finishing();
        });
        ++study.watched->plans;
    } catch (const LeftOut&) {
        slot.solved = false;
    }
}

/// Every group left out in turn; empty where the search was ended before the last one.
std::vector<WithoutGroup> dropGroups(const Study& study, const hardware::Fleet& fleet, const StrategyRow& row,
                                     double dataParallel, Watch& watch) {
    std::vector<WithoutGroup> dropped;
    for (std::size_t g = 0; g < fleet.groups.size(); ++g) {
        if (watch.finishing()) return {};
        const Array array = makeArray(without(fleet, g), study.options->dtype);
        const double time = study.solve(array, row, watch).stepTime;
        dropped.push_back({fleet.groups[g].name, {time}, dataParallel / time});
    }
    if (watch.finishing()) return {};
    std::stable_sort(dropped.begin(), dropped.end(),
                     [](const WithoutGroup& a, const WithoutGroup& b) { return a.stepTime < b.stepTime; });
    return dropped;
}

bool dropsGroups(const Options& options, const hardware::Fleet& fleet) {
    return options.dropGroups && fleet.groups.size() > 1 && fleet.groups.size() <= kMostDropped;
}

/// Speed-ups over data parallelism under the plan's own cost model, also of the fleet without each group.
void addSpeedups(const Study& study, const Array& array, const hardware::Fleet& fleet, std::vector<Slot>& slots,
                 Ledger& ledger) {
    std::map<bool, double> dataParallel;  // by whether the strategy is timed by the paper's model
    for (const Slot& slot : slots)
        if (slot.solved && slot.partial.plan.strategy == "dp") dataParallel[false] = slot.partial.plan.stepTime.value;
    for (const Slot& slot : slots)
        if (slot.solved && !slot.partial.compared && !dataParallel.contains(slot.row->paperModel))
            dataParallel[slot.row->paperModel] = study.dataParallel(array, slot.row->paperModel);
    ledger.forEach(study.options->threads, [&](Slot& slot) {
        if (!slot.solved || slot.partial.compared) return;
        const std::string& strategy = slot.partial.plan.strategy;
        Watch watch(*study.watched, "comparing " + strategy, strategy);
        const double dp = dataParallel.at(slot.row->paperModel);
        std::vector<WithoutGroup> without;
        if (dropsGroups(*study.options, fleet)) without = dropGroups(study, fleet, *slot.row, dp, watch);
        ledger.note([&] {
            slot.partial.plan.speedupOverDp = dp / slot.partial.plan.stepTime.value;
            slot.partial.plan.without = std::move(without);
            slot.partial.compared = true;
        });
    });
}

/// Nothing is known about a plan whose proof was not reached.
void leaveUnproven(Plan& plan) {
    plan.lowerBound = {0};
    plan.gap = 0;
    plan.optimal = false;
    plan.endedBy = "stop";
}

/// Bounds; plans that are free in the same things share one.
void certifyAll(const Study& study, const Array& array, std::vector<Slot>& slots, Ledger& ledger) {
    const Options& options = *study.options;
    const bool oneLevel = options.levels == 1 && array.clusters[index(array.root)].count > 1;
    const bool restricted = !options.pinnedTypes.empty() || !options.pinnedRatios.empty() || ratioIsGiven(options);
    std::map<std::pair<bool, bool>, double> stepBounds;  // by whether pins hold, by the paper's model
    const auto boundOf = [&](Slot& slot, Watch& watch) {
        const bool paper = slot.row->paperModel;
        const CostModel model = paper ? CostModel::paper : options.costModel;
        const BoundContext context{study.network, &array, &options, &study.pinned, &watch, true};
        if (oneLevel) return boundCost(context, *slot.row, slot.partial.plan.levels.front().ratio, model);
        const bool own = slot.row->searchesAll && !paper && restricted;
        const auto known = stepBounds.find({own, paper});
        if (known != stepBounds.end()) return known->second;
        return stepBounds[{own, paper}] = boundStepTime(context, *slot.row, model);
    };
    for (Slot& slot : slots) {
        if (!slot.solved || slot.partial.proven) continue;
        Watch watch(*study.watched, "proving a bound for " + slot.partial.plan.strategy, slot.partial.plan.strategy);
        watch.poll();
        std::optional<double> bound;
        if (!watch.finishing()) bound = boundOf(slot, watch);
        ledger.note([&] {
            Plan& plan = slot.partial.plan;
            plan.boundsCost = oneLevel;
            if (bound)
                certify(plan, oneLevel ? plan.cost.value : plan.stepTime.value, *bound);
            else
                leaveUnproven(plan);
            if (!plan.optimal && (slot.cut || watch.finishing())) plan.endedBy = "stop";
            slot.partial.proven = true;
        });
    }
}

std::vector<std::string> assumptionsOf(const Study& study, const hardware::Fleet& fleet, const Array& array,
                                       bool simplified) {
    const Options& options = *study.options;
    std::vector<std::string> list = study.layers->assumptions;
    list.emplace_back(
        "Every accelerator exchanges its own shard at the network rate of one accelerator; a side computes at the sum "
        "of its accelerators' peaks times their efficiency for matrix products.");
    list.emplace_back(
        "Each layer's type and each join's layout hold for forward, backward and gradient pass together.");
    list.emplace_back(options.overlap == Overlap::none
                          ? "Transfers and compute do not overlap."
                          : "A layer's transfers overlap fully with its own compute, and with nothing else.");
    list.push_back(fmt::format(
        "Memory counts weights and gradients in {}, the state of {} in 32 bits and the activations that the backward "
        "pass keeps; no separate master copy of the weights, no workspace.",
        options.dtype,
        options.optimizer == Optimizer::adam       ? "Adam"
        : options.optimizer == Optimizer::momentum ? "momentum"
                                                   : "SGD (none)"));
    for (const Kind& kind : array.kinds)
        if (!kind.capacity)
            list.push_back(fmt::format("Group {} gives no memory, so whether the plan fits there was not checked.",
                                       inQuotes(kind.name)));
    if (!options.computation) list.emplace_back("Computation is left out; only transfers count.");
    if (simplified)
        list.emplace_back(
            "Very unequal halves of a large group were taken as equal, the larger one standing for both.");
    if (fleet.groups.size() > kMostDropped)
        list.push_back(fmt::format("Leaving out a group is evaluated for fleets of up to {} groups.", kMostDropped));
    if (std::any_of(options.strategies.begin(), options.strategies.end(),
                    [](const std::string& id) { return id == "accpar-paper"; }) &&
        options.costModel == CostModel::exact)
        list.emplace_back(
            "accpar-paper is timed by the paper's section 5.3, and its speed-up is over data parallelism timed the "
            "same way; its times are not comparable with the other rows.");
    return list;
}

}  // namespace

std::string_view nameOf(Type type) {
    constexpr std::array<std::string_view, 3> kNames{"I", "II", "III"};
    return kNames[static_cast<std::size_t>(type)];
}

std::string_view nameOf(Layout layout) {
    constexpr std::array<std::string_view, 3> kNames{"r", "c", "d"};
    return kNames[static_cast<std::size_t>(layout)];
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
    std::vector<std::string> known;
    for (const StrategyRow& row : strategyRows()) known.emplace_back(row.strategy.id);
    std::set<std::string> seen;
    for (const std::string& id : options.strategies) {
        if (findStrategy(id) == nullptr)
            broken.push_back(fmt::format("strategy is {}; expected one of {}", inQuotes(id), joined(known, ", ")));
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
            const std::string_view hint = closest(name, names);
            broken.push_back(fmt::format("pin names {}, which is no weighted layer of {}{}", inQuotes(name),
                                         inQuotes(layers.name),
                                         hint.empty() ? std::string() : fmt::format("; did you mean '{}'?", hint)));
        } else if (layer->kind == model::LayerKind::embedding && type == Type::II) {
            broken.push_back(fmt::format("pin of {} is II; an embedding table is split by I or III", inQuotes(name)));
        }
    }
    if (fleet.groups.empty()) broken.emplace_back("the fleet has no groups");
    if (std::none_of(layers.layers.begin(), layers.layers.end(),
                     [](const model::Layer& layer) { return !model::isJoin(layer.kind); }))
        broken.push_back(
            fmt::format("the model {} has no weighted layers; there is nothing to split", inQuotes(layers.name)));
    return broken;
}

namespace {

/// Puts what an earlier run got into its places.
void restore(std::vector<Slot>& slots, std::vector<PartialPlan> plans, Watched& watched) {
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
std::vector<std::string> cutsOf(const std::vector<Slot>& slots, const Options& options, const hardware::Fleet& fleet) {
    std::vector<std::string> cuts, leftOut, unproven, notCompared;
    for (std::size_t p = 0; p < slots.size(); ++p) {
        if (!slots[p].solved) {
            leftOut.push_back(options.strategies[p]);
            continue;
        }
        const Plan& plan = slots[p].partial.plan;
        if (plan.endedBy == "stop") unproven.push_back(plan.strategy);
        if (dropsGroups(options, fleet) && plan.without.empty()) notCompared.push_back(plan.strategy);
    }
    if (!leftOut.empty())
        cuts.push_back(fmt::format("The search was ended early; left out: {}.", joined(leftOut, ", ")));
    if (!unproven.empty())
        cuts.push_back(
            fmt::format("The search was ended early; how far from the optimum these plans are was not fully "
                        "worked out: {}.",
                        joined(unproven, ", ")));
    if (!notCompared.empty())
        cuts.push_back(fmt::format("The search was ended early; leaving out a group was not evaluated for: {}.",
                                   joined(notCompared, ", ")));
    return cuts;
}

}  // namespace

Result solve(const model::LayerGraph& layers, const hardware::Fleet& fleet, const Options& options,
             const ProgressSink& sink, std::stop_token stop) {
    Hooks hooks;
    hooks.sink = sink;
    hooks.cancel = std::move(stop);
    return solve(layers, fleet, options, std::move(hooks));
}

Result solve(const model::LayerGraph& layers, const hardware::Fleet& fleet, const Options& options, Hooks hooks) {
    const std::vector<std::string> broken = problems(options, layers, fleet);
    if (!broken.empty()) throw UsageError(joined(broken, "; "));

    Watched watched{.sink = hooks.sink, .cancel = hooks.cancel, .finish = hooks.finish};
    watched.total = 3 * static_cast<double>(options.strategies.size());  // plan, comparison, bound
    Watch preparing(watched, "preparing the search", "preparation");
    preparing.poll();
    std::optional<PollScope> polling(std::in_place, [&] { preparing.poll(); });
    const Array array = makeArray(fleet, options.dtype);
    const Network network = prepare(layers, options);
    polling.reset();
    preparing.poll();
    const Study study{&layers, &options, &network, pinnedStates(layers, network, options), &watched};
    std::vector<Slot> slots(options.strategies.size());
    for (std::size_t p = 0; p < slots.size(); ++p) {
        slots[p].row = rowFor(options.strategies[p], options);
        slots[p].partial.plan.strategy = options.strategies[p];
    }
    restore(slots, std::move(hooks.resume), watched);
    Ledger ledger(slots, watched, hooks);
    ledger.forEach(options.threads, [&](Slot& slot) {
        if (!slot.solved) solveSlot(study, array, std::string(slot.partial.plan.strategy), slot, ledger);
    });
    addSpeedups(study, array, fleet, slots, ledger);
    certifyAll(study, array, slots, ledger);

    Result result;
    result.batch = options.batch;
    for (const model::Layer& layer : layers.layers) result.names.push_back(layer.name);
    result.assumptions =
        assumptionsOf(study, fleet, array, std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
                          return slot.solved && slot.partial.simplified;
                      }));
    result.warnings = cutsOf(slots, options, fleet);
    for (Slot& slot : slots) {
        if (!slot.solved) continue;
        Plan& plan = slot.partial.plan;
        for (const AcceleratorShare& share : plan.shares)
            if (!share.fits)
                result.warnings.push_back(fmt::format(
                    "{} does not fit: an accelerator of group {} would hold {:.4g} GB and has {:.4g} GB", plan.strategy,
                    inQuotes(share.kind), share.memory.value / 1e9, share.capacity->value / 1e9));
        result.plans.push_back(std::move(plan));
    }
    return result;
}

}  // namespace tessera::partition

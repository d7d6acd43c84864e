#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
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
    const ProgressSink* sink;
    std::stop_token stop;

    NodeContext context(bool watched) const {
        return {.options = options, .pinned = &pinned, .sink = watched ? sink : nullptr, .stop = stop};
    }
    HierarchyResult solve(const Array& array, const StrategyRow& row, bool watched = false) const {
        return solveHierarchy(*network, array, row, *options, context(watched));
    }
    /// Step time of data parallelism under a cost model, which speed-ups are measured against.
    double dataParallel(const Array& array, bool paperModel) const {
        StrategyRow dp = *findStrategy("dp");
        dp.paperModel = paperModel;
        return solve(array, dp).stepTime;
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
    plan.optimal = plan.gap <= 1e-9;
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

std::vector<WithoutGroup> dropGroups(const Study& study, const hardware::Fleet& fleet, const StrategyRow& row,
                                     double dataParallel) {
    std::vector<WithoutGroup> dropped;
    for (std::size_t g = 0; g < fleet.groups.size(); ++g) {
        const Array array = makeArray(without(fleet, g), study.options->dtype);
        const double time = study.solve(array, row).stepTime;
        dropped.push_back({fleet.groups[g].name, {time}, dataParallel / time});
    }
    std::stable_sort(dropped.begin(), dropped.end(),
                     [](const WithoutGroup& a, const WithoutGroup& b) { return a.stepTime < b.stepTime; });
    return dropped;
}

/// A strategy's plan with what its certificate needs.
struct Solved {
    const StrategyRow* row = nullptr;
    Plan plan;
    Split root;
    bool simplified = false;
};

Solved solveOne(const Study& study, const Array& array, const std::string& strategy) {
    Solved one;
    one.row = rowFor(strategy, *study.options);
    HierarchyResult hierarchy = study.solve(array, *one.row, true);
    one.simplified = hierarchy.simplified;
    one.root = hierarchy.root;
    one.plan = makePlan(study, array, strategy, std::move(hierarchy));
    return one;
}

/// Speed-ups over data parallelism under the plan's own cost model, also of the fleet without each group.
void addSpeedups(const Study& study, const Array& array, const hardware::Fleet& fleet, std::vector<Solved>& solved) {
    std::map<bool, double> dataParallel;  // by whether the strategy is timed by the paper's model
    for (const Solved& one : solved)
        if (one.plan.strategy == "dp") dataParallel[false] = one.plan.stepTime.value;
    for (const Solved& one : solved)
        if (!dataParallel.contains(one.row->paperModel))
            dataParallel[one.row->paperModel] = study.dataParallel(array, one.row->paperModel);
    const bool drop = study.options->dropGroups && fleet.groups.size() > 1 && fleet.groups.size() <= kMostDropped;
    parallelFor(solved.size(), study.options->threads, [&](std::size_t p) {
        const double dp = dataParallel.at(solved[p].row->paperModel);
        solved[p].plan.speedupOverDp = dp / solved[p].plan.stepTime.value;
        if (drop) solved[p].plan.without = dropGroups(study, fleet, *solved[p].row, dp);
    });
}

/// Bounds; plans that are free in the same things share one.
void certifyAll(const Study& study, const Array& array, std::vector<Solved>& solved) {
    const Options& options = *study.options;
    const BoundContext context{study.network, &array, &options, &study.pinned, study.stop};
    const bool oneLevel = options.levels == 1 && array.clusters[index(array.root)].count > 1;
    const bool restricted = !options.pinnedTypes.empty() || !options.pinnedRatios.empty() || ratioIsGiven(options);
    std::map<std::pair<bool, bool>, double> stepBounds;  // by whether pins hold, by the paper's model
    for (Solved& one : solved) {
        const bool paper = one.row->paperModel;
        const CostModel model = paper ? CostModel::paper : options.costModel;
        if (oneLevel) {
            one.plan.boundsCost = true;
            certify(one.plan, one.plan.cost.value, boundCost(context, *one.row, one.root, model));
            continue;
        }
        const bool own = one.row->searchesAll && !paper && restricted;
        const auto [bound, added] = stepBounds.try_emplace({own, paper}, 0.0);
        if (added) bound->second = boundStepTime(context, *one.row, model);
        certify(one.plan, one.plan.stepTime.value, bound->second);
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

Result solve(const model::LayerGraph& layers, const hardware::Fleet& fleet, const Options& options,
             const ProgressSink& sink, std::stop_token stop) {
    const std::vector<std::string> broken = problems(options, layers, fleet);
    if (!broken.empty()) throw UsageError(joined(broken, "; "));

    const Array array = makeArray(fleet, options.dtype);
    const Network network = prepare(layers, options);
    const Study study{&layers, &options, &network, pinnedStates(layers, network, options), &sink, std::move(stop)};
    std::vector<Solved> solved(options.strategies.size());
    parallelFor(solved.size(), options.threads, [&](std::size_t p) {
        solved[p] = solveOne(study, array, options.strategies[p]);
        if (sink)
            sink(
                {.task = "partition", .done = static_cast<double>(p + 1), .total = static_cast<double>(solved.size())});
    });
    addSpeedups(study, array, fleet, solved);
    certifyAll(study, array, solved);

    Result result;
    result.batch = options.batch;
    for (const model::Layer& layer : layers.layers) result.names.push_back(layer.name);
    result.assumptions =
        assumptionsOf(study, fleet, array,
                      std::any_of(solved.begin(), solved.end(), [](const Solved& one) { return one.simplified; }));
    for (Solved& one : solved) {
        for (const AcceleratorShare& share : one.plan.shares)
            if (!share.fits)
                result.warnings.push_back(fmt::format(
                    "{} does not fit: an accelerator of group {} would hold {:.4g} GB and has {:.4g} GB",
                    one.plan.strategy, inQuotes(share.kind), share.memory.value / 1e9, share.capacity->value / 1e9));
        result.plans.push_back(std::move(one.plan));
    }
    return result;
}

}  // namespace tessera::partition

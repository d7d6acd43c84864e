#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/enum_names.h"
#include "core/base/quantity.h"
#include "core/base/run_control.h"
#include "core/hardware/fleet.h"
#include "core/model/layers.h"
#include "core/model/training.h"
#include "core/partition/plan_rows.h"
#include "core/partition/sharding.h"
#include "core/physical/training_run.h"

/// Engine 1: tensor partitioning over a mixed array of accelerators.
/// Song et al.: "AccPar: Tensor Partitioning for Heterogeneous Deep Learning Accelerators", HPCA 2020, with HyPar,
/// "one weird trick" and data parallelism as baselines.
namespace tessera::partition {

/// Dimension by which a layer's tensors are split between the two sides of a level: batch, input channels or output
/// channels.
enum class Type : std::uint8_t { I, II, III };  // NOLINT(readability-identifier-naming): the paper's names
inline constexpr EnumNames<Type> kTypeNames{"I", "II", "III"};
/// Layout of a join's map on the two sides.
enum class Layout : std::uint8_t { rows, channels, duplicated };
inline constexpr EnumNames<Layout> kLayoutNames{"r", "c", "d"};

constexpr std::string_view nameOf(Type type) {
    return kTypeNames.of(type);
}
constexpr std::string_view nameOf(Layout layout) {
    return kLayoutNames.of(layout);
}

/// How the work of a split between two kinds of accelerator is shared.
enum class RatioRule : std::uint8_t {
    balanced,     ///< the ratio that makes the step shortest, searched for together with the types
    eq10,         ///< types and ratio in turns, the ratio by the paper's linear equation 10
    alternating,  ///< types and ratio in turns, the ratio exact for the types
    equal,        ///< half of the work each
    fixed,        ///< Options::fixedRatio
};
inline constexpr EnumNames<RatioRule> kRatioRuleNames{"balanced", "eq10", "alternating", "equal"};
/// What of the times of the two sides of a split is minimised when types are chosen.
enum class Objective : std::uint8_t {
    max,   ///< the slower side's, as the step runs
    sum,   ///< of both sides together
    side,  ///< the first side's alone
};
inline constexpr EnumNames<Objective> kObjectiveNames{"max", "sum", "side"};
/// Which map type II sums.
enum class Psum : std::uint8_t {
    next,  ///< the one behind the pooling, which the next layer reads
    conv,  ///< the convolution's own, before the pooling
};
inline constexpr EnumNames<Psum> kPsumNames{"next", "conv"};
/// How the layout of a join is chosen.
enum class JoinRule : std::uint8_t {
    free,  ///< searched for
    next,  ///< that of the next layer
};
inline constexpr EnumNames<JoinRule> kJoinRuleNames{"free", "next"};
/// How a convolution's operations are counted.
enum class FlopRule : std::uint8_t {
    exact,   ///< a multiplication and an addition for each product
    table6,  ///< the paper's table 6: one addition less per element of the output
};
inline constexpr EnumNames<FlopRule> kFlopRuleNames{"exact", "table6"};
/// Whether transfers overlap with a layer's compute.
enum class Overlap : std::uint8_t {
    none,  ///< they take turns
    comm,  ///< transfers are hidden behind compute as far as it is long enough
};
inline constexpr EnumNames<Overlap> kOverlapNames{"none", "comm"};
/// `exact`: section 4's cost model. `paper`: section 5.3 taken literally, in which every transfer is multiplied by its
/// side's ratio (what the paper's figures were made with).
enum class CostModel : std::uint8_t { exact, paper };
/// What a step costs. `physical`: kernels, collectives over the levels of the network, and memory as on real
/// accelerators (core/physical). `paper`: AccPar's section 4, FLOP over peak and elements over one rate.
enum class Costs : std::uint8_t { physical, paper };
inline constexpr EnumNames<Costs> kCostsNames{"physical", "paper"};
/// Groups of the fleet that take part: the `best` subset of them, or `all`.
enum class Groups : std::uint8_t { best, all };
inline constexpr EnumNames<Groups> kGroupsNames{"best", "all"};
using model::Optimizer;

/// Options of a partition: what is trained, what a step costs, and what is searched. The defaults are those of a real
/// training run; the options from `objective` on repeat the variants of papers.
struct Options {
    /// Samples per step over the whole fleet. Take what the training run will use: the larger, the less the
    /// gradient all-reduce weighs, and with it what data parallelism loses.
    double batch = 512;
    /// The model and dimensions of a transformer that physical costs know as a whole, so that data parallelism takes
    /// what a prediction says; empty for other models.
    std::optional<physical::TrainingRun> transformer = {};
    /// Data type whose peak rate counts and whose width the tensors have. Change it where a group of the fleet has no
    /// peak for it, or to see what wider numbers cost.
    std::string dtype = "bf16";
    /// Depth of the hierarchy of splits; empty = down to single accelerators. 1 looks at the topmost split alone, of
    /// which more can be proved.
    std::optional<int> levels;
    /// Rows of `strategies()` to compare. Leave the baselines out where only the best plan is needed: each strategy
    /// costs a search of its own.
    std::vector<std::string> strategies = {"accpar", "hypar", "owt", "dp"};
    /// What a step costs; empty: physical where every group describes its network levels, else that of the paper,
    /// whose fleets describe none.
    std::optional<Costs> costs;
    /// Work share of the first side of a split between two kinds of accelerator. `balanced` searches
    /// for the best share; `eq10`, `alternating` and `equal` are for comparison with the paper and its baselines.
    RatioRule ratio = RatioRule::balanced;
    /// Share of the first side with RatioRule::fixed: for a split that is decided elsewhere.
    double fixedRatio = 0.5;
    /// Types by layer name that are not searched. Pin a layer that a framework can split in one way only.
    std::map<std::string, Type> pinnedTypes;
    /// Ratios by level, 0 the topmost, that are not searched. They speak of splits of the whole fleet: with them all
    /// groups take part.
    std::map<int, double> pinnedRatios;
    /// Optimizer; its state counts towards memory. It decides what fits, never how long a step takes.
    Optimizer optimizer = Optimizer::adam;
    /// Overlap of transfers with a layer's compute. `comm` for frameworks that overlap them; `none` is the paper's
    /// and the safe side.
    Overlap overlap = Overlap::none;
    /// Combination of the two sides' times when types are chosen. `max` is the step as it runs; `sum` and `side` repeat
    /// what others minimise.
    Objective objective = Objective::max;
    /// Map that type II sums: behind the pooling (`next`) or before it (`conv`). `conv` counts the larger map, as
    /// where partial sums are exchanged at the convolution itself.
    Psum psum = Psum::next;
    /// Layout of a join: chosen, or that of the next layer. `next` repeats tools that know no joins.
    JoinRule join = JoinRule::free;
    /// Count of a convolution's operations. `table6` repeats the paper's Table 6, which takes one addition off
    /// per element of the output.
    FlopRule flop = FlopRule::exact;
    /// Cost model by which types are chosen; with `paper`, the strategy accpar is accpar-paper. For repeating figures.
    CostModel costModel = CostModel::exact;
    /// Counts compute as part of the cost. Without it the plan is that of minimum communication, as HyPar's.
    bool computation = true;
    /// Eliminations spent on proving a ratio optimal: the repeatable form of a time limit. Raise it where a plan's gap
    /// is to be closed.
    std::int64_t nodeLimit = 500;
    /// Groups that take part. `all` solves the whole fleet alone, which is faster; `best` may leave slow groups idle.
    Groups groups = Groups::all;
};

/// One layer at one node of the hierarchy; times are those of the slower side.
struct LayerPlan {
    std::int32_t layer = 0;  ///< index into the layer graph and into Result::names
    Type type = Type::I;
    Seconds compute, intra, inter;  ///< `inter` sums the edges into the layer
    /// Where the level has parts: into how many of them it cuts the layer, of which `type` names the most.
    Degrees degrees = {};
};

/// One join at one node of the hierarchy; times are those of the slower side.
struct JoinPlan {
    std::int32_t layer = 0;  ///< index into the layer graph and into Result::names
    Layout layout = Layout::rows;
    Seconds compute, inter;
    Degrees degrees = {};  ///< as LayerPlan's; `out` counts the cuts of the channels
};

/// Traffic of one layer or join on one side of a split.
struct Transfers {
    Seconds intra, inter;
};

void appendKey(std::string& key, const LayerPlan& row);
void appendKey(std::string& key, const JoinPlan& row);
void appendKey(std::string& key, const Transfers& row);

/// Hardware of the two sides of a split, so that its times can be explained.
struct SplitHardware {
    FlopsPerSecond flopsI, flopsJ;  ///< of all accelerators of the side
    BytesPerSecond rateI, rateJ;    ///< of one accelerator of the side, as far as the link between them lets it
    Seconds latency;                ///< per transfer
};

/// One split of a group of accelerators into two sides.
struct LevelPlan {
    int level = 0;
    std::string group;              ///< "v2|v3" where kinds part, else the kind's name
    std::int64_t accelerators = 0;  ///< in the group before the split
    std::int64_t occurrences = 1;   ///< equal groups that this plan stands for
    std::int64_t parts = 0;         ///< with physical costs: units that the level joins; 0: the group is halved
    double ratio = 0.5;             ///< share of the first side
    Seconds objective;              ///< what the types were chosen by
    Seconds sideI, sideJ;           ///< all transfers and compute of each side at this level
    Seconds lowerBound;             ///< of max(sideI, sideJ), or of the objective where the ratio is given
    std::optional<SplitHardware> hardware = {};
    PlanRows<LayerPlan> layers;
    PlanRows<JoinPlan> joins;
    /// Transfers of the other side, the faster one, by the layer graph's index; empty where they equal those above.
    Repeated<Transfers> other = {};
};

/// One split on an accelerator's way from the whole array down to itself.
struct PathStep {
    std::int32_t split = 0;  ///< index into Plan::levels
    bool first = true;       ///< whether the accelerator is on the first side
};

/// Work and memory of every accelerator of a kind (the slowest of its kind).
struct AcceleratorShare {
    std::string kind;
    std::int64_t count = 0;
    Seconds compute, communication;
    Bytes memory;
    std::optional<Bytes> capacity;
    bool fits = true;
    double parameters = 0, activations = 0;  ///< elements that `memory` counts
    std::vector<PathStep> path = {};         ///< of the slowest accelerator, from the root
    Repeated<Seconds> layerCompute = {};     ///< its compute, by the layer graph's index; `compute` is the sum
};

/// Cost of a strategy's best plan where only some groups of the fleet take part, or all.
struct SubsetPlan {
    std::vector<std::string> idle;  ///< groups that take no part, in file order; empty = all take part
    std::int64_t accelerators = 0;  ///< that take part
    Seconds stepTime;
    double speedupOverDp = 0;  ///< as Plan's
    Seconds lowerBound;        ///< of the step time if exactly these groups take part; 0 = not known
};

/// The best partition that a strategy found, with what is proven of it.
struct Plan {
    std::string strategy;  ///< id of its row
    Seconds stepTime;
    double throughput = 0;          ///< samples per second
    double speedupOverDp = 0;       ///< over data parallelism that chooses among the same subsets of the fleet
    std::vector<std::string> idle;  ///< groups of the fleet that take no part, in file order
    Seconds cost;                   ///< of level 0, by the rule of the chosen ratio and objective
    Seconds lowerBound;             ///< of `cost` where there is one level, else of the step time
    double gap = 0;                 ///< value / lowerBound - 1
    bool optimal = false;
    bool boundsCost = false;  ///< lowerBound, gap and optimal speak of `cost`; else of the step time
    /// The bound holds whichever groups take part; else only for plans in which the same groups do.
    bool boundsSubsets = false;
    /// `proof` where the bound was met, `stop` where the search was stopped, else `search`.
    EndedBy endedBy = EndedBy::search;
    std::vector<LevelPlan> levels;  ///< parents before children
    std::vector<AcceleratorShare> shares;
    /// The subsets of the fleet that were solved, best first, among them the whole fleet; empty where only the whole
    /// fleet was.
    std::vector<SubsetPlan> subsets;
    std::int64_t subsetsRuledOut = 0;  ///< further subsets that their lower bound rules out
    std::int64_t subsetsLeft = 0;      ///< further subsets that were not looked at beyond a lower bound
    bool fits = true;
};

/// The plan's row of the whole fleet; null where subsets were not compared.
const SubsetPlan* wholeFleetOf(const Plan& plan);

/// Result of a partition: the plan of every strategy that was asked for.
struct Result {
    double batch = 0;
    Costs costs = Costs::paper;
    std::vector<std::string> names;  ///< of the layer graph's layers and joins
    std::vector<Plan> plans;         ///< in the order asked for
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
};

class Level;
class Elimination;
struct NodeContext;
struct Split;

/// A partition strategy: the one row of what menus, `--help`, tests and pictures say of it, and how it chooses.
struct Strategy {
    std::string_view id;
    std::string_view title;
    std::string_view description;
    /// Splits one node of the hierarchy. See strategies.h. Null where it is for physical costs alone.
    Split (*choose)(const Level& level, Elimination& elimination, const NodeContext& context) = nullptr;
    bool onPaper = true;       ///< takes part with the paper's costs
    bool onPhysical = false;   ///< with physical ones
    bool paperModel = false;   ///< evaluated under the paper's section 5.3, halving shapes below the root
    bool searchesAll = false;  ///< chooses among all types: its own bound is the problem's

    int colour = 7;        ///< of the eight of pictures
    bool baseline = true;  ///< one that ours is compared with: drawn dashed
};

/// Every strategy, in the order in which they are listed.
const std::vector<Strategy>& strategies();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addStrategy(const Strategy& strategy);
/// Null where there is no such strategy.
const Strategy* findStrategy(std::string_view id);

/// Every broken rule of the options against this problem, as sentences; empty where all is well.
std::vector<std::string> problems(const Options& options, const model::LayerGraph& layers,
                                  const hardware::Fleet& fleet);

/// A plan as far as a run got with it; enough to go on from there.
struct PartialPlan {
    Plan plan;
    bool simplified = false;  ///< unequal halves were taken as equal
    bool compared = false;    ///< speed-ups are filled in, and the plan is that of the best subset
    bool proven = false;      ///< bound, gap and what ended the search are filled in
};

/// Control of `solve`, whose state is all plans as far as they are. When the search is to finish, plans whose search or
/// proof was cut are marked "stop" and claim nothing; strategies that were not reached are named in a warning.
using SearchControl = ResumableControl<std::vector<const PartialPlan*>, std::vector<PartialPlan>>;

/// Solves the partition of one training step for every requested strategy, with the costs of the paper. Throws
/// DataError where the fleet lacks a number that is needed (engine, file and field named), UsageError for wrong
/// options, InterruptedError when stopped.
Result solve(const model::LayerGraph& layers, const hardware::Fleet& fleet, const Options& given,
             SearchControl control = {});

/// The costs that options take on a fleet: those asked for, else physical ones where every group describes its network
/// levels, else those of the paper.
Costs costsFor(const Options& options, const hardware::Fleet& fleet);
/// The strategies that are compared where none are asked for.
std::vector<std::string> strategiesFor(Costs costs);

/// The same with physical costs for groups that say their levels. `graph` is that of the layers; null for a table
/// of layers, whose kernels are estimated by their sizes.
Result solvePhysical(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                     const Options& given, SearchControl control = {});

/// By the costs that `costsFor` gives the options: `solve` or `solvePhysical`.
Result solveByCosts(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                    const Options& given, SearchControl control = {});
/// Adds a sentence for each kind of accelerator whose memory cannot hold its part of a plan.
void addMisfits(const Plan& plan, std::vector<std::string>& warnings);
/// Every rule of physical costs that options and fleet break, as sentences.
std::vector<std::string> physicalProblems(const Options& options, const hardware::Fleet& fleet);

}  // namespace tessera::partition

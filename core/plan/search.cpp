#include "core/plan/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"
#include "core/plan/layered.h"
#include "core/plan/rules.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;
using physical::RankOrder;

/// Groups above which only pairs of them and all together hold replicas side by side.
constexpr std::size_t kMaxSubsets = 6;

/// Divisors of a number that an axis allows, up to `max`, rising.
std::vector<int> divisorsOf(std::int64_t number, std::int64_t max, const AxisValues& axis) {
    std::vector<int> found;
    for (std::int64_t each = 1; each <= std::min(number, max); ++each)
        if (number % each == 0 && axis.allows(static_cast<int>(each))) found.push_back(static_cast<int>(each));
    return found;
}

bool isLess(const Ranked& a, const Ranked& b, Objective objective) {
    const double x = a.scores.of(objective), y = b.scores.of(objective);
    if (x != y) return x < y;
    // Of equals, fewer accelerators, then less time.
    for (const Objective next : {Objective::accelerators, Objective::time})
        if (a.scores.of(next) != b.scores.of(next)) return a.scores.of(next) < b.scores.of(next);
    return a.configuration < b.configuration;
}

bool isDominated(const Scores& scores, const Ranked& by, const std::pair<Objective, Objective>& front) {
    return by.scores.of(front.first) <= scores.of(front.first) && by.scores.of(front.second) <= scores.of(front.second);
}

/// What is kept of the configurations that were seen.
class Kept {
public:
    explicit Kept(const SearchOptions& options) : options_(options) {}

    bool isLate(const Scores& scores) const {
        return options_.longestStep && scores.of(Objective::time) > *options_.longestStep;
    }

    void addLate(const Ranked& ranked) {
        ++counted.late;
        if (!fastestLate || isLess(ranked, *fastestLate, Objective::time)) fastestLate = ranked;
    }

    void addShortage(const Configuration& configuration, const Shortage& shortage) {
        switch (shortage.largest()) {
            case MemoryTerm::parameters:
                ++counted.parameters;
                break;
            case MemoryTerm::activations:
                ++counted.activations;
                break;
            case MemoryTerm::working:
                ++counted.working;
                break;
        }
        if (closest &&
            std::tuple(closest->second.share(), closest->first) <= std::tuple(shortage.share(), configuration))
            return;
        closest = {configuration, shortage};
    }

    void addFaulty(const Configuration& configuration) {
        if (!faulty) faulty = configuration;
    }

    void merge(const Kept& other) {
        counted.add(other.counted);
        for (const Ranked& each : other.top) addToTop(each);
        for (const Ranked& each : other.front) addToFront(each);
        if (!faulty) faulty = other.faulty;
        if (other.fastestLate && (!fastestLate || isLess(*other.fastestLate, *fastestLate, Objective::time)))
            fastestLate = other.fastestLate;
        if (other.closest && (!closest || std::tuple(other.closest->second.share(), other.closest->first) <
                                              std::tuple(closest->second.share(), closest->first)))
            closest = other.closest;
    }

    /// Whether nothing that scores these at best is kept.
    bool isBeaten(const Scores& bound) const {
        if (top.size() < options_.top) return false;
        if (bound.of(options_.objective) <= top.back().scores.of(options_.objective)) return false;
        return std::any_of(front.begin(), front.end(), [&](const Ranked& each) {
            return isDominated(bound, each, options_.front) &&
                   (each.scores.of(options_.front.first) < bound.of(options_.front.first) ||
                    each.scores.of(options_.front.second) < bound.of(options_.front.second));
        });
    }

    std::vector<Ranked> top, front;
    Counted counted;
    std::optional<std::pair<Configuration, Shortage>> closest;
    std::optional<Ranked> fastestLate;
    std::optional<Configuration> faulty;

    void addToTop(const Ranked& ranked) {
        if (top.size() == options_.top && !isLess(ranked, top.back(), options_.objective)) return;
        const auto at = std::upper_bound(top.begin(), top.end(), ranked, [&](const Ranked& a, const Ranked& b) {
            return isLess(a, b, options_.objective);
        });
        top.insert(at, ranked);
        if (top.size() > options_.top) top.pop_back();
    }

    /// Of equals in both, the first in the order of the objective stays.
    void addToFront(const Ranked& ranked) {
        for (const Ranked& each : front)
            if (isDominated(ranked.scores, each, options_.front)) {
                const bool isEqual = isDominated(each.scores, ranked, options_.front);
                if (!isEqual || !isLess(ranked, each, options_.objective)) return;
            }
        std::erase_if(front, [&](const Ranked& each) { return isDominated(each.scores, ranked, options_.front); });
        front.push_back(ranked);
    }

private:
    const SearchOptions& options_;
};

/// The least value of an objective that any thread has found.
class Least {
public:
    void add(double value) {
        double known = value_;
        while (value < known && !value_.compare_exchange_weak(known, value)) {
        }
    }
    /// Whether a value that is `bound` at least is above it, whatever the rounding.
    bool isBelow(double bound) const {
        constexpr double kRoundedBy = 1e-9;
        return bound * (1 - kRoundedBy) > value_;
    }

private:
    std::atomic<double> value_ = std::numeric_limits<double>::infinity();
};

/// Stages that a part of a pipeline may have.
struct StageRange {
    int min = 1, max = 1;
};
/// Of each part along the pipeline.
using StageBox = std::vector<StageRange>;

/// Configurations that share what a judge computes once.
struct Cell {
    Configuration common;
    std::unique_ptr<Judge> judge = {};
};

class Search {
public:
    /// `alone`: for the best configuration, and not for the others.
    Search(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control,
           bool alone = false)
        : problem_(problem), space_(space), options_(options), control_(control), alone_(alone) {
        for (const Objective objective : {options.objective, options.front.first, options.front.second})
            wanted_.memory |= objective == Objective::memory;
        for (int s = 0; s < static_cast<int>(physical::kPipelineScheduleNames.size()); ++s)
            if (problem.layered() ? s == static_cast<int>(PipelineSchedule::oneForwardOneBackward)
                                  : space.allows(Axis::schedule, s))
                schedules_.push_back(static_cast<PipelineSchedule>(s));
        for (int o = 0; o < static_cast<int>(physical::kRankOrderNames.size()); ++o)
            if (space.allows(Axis::order, o)) orders_.push_back(static_cast<RankOrder>(o));
        // Of layers with costs of their own a configuration is divided in one way, for time.
        isOfMemory_ = options.objective == Objective::memory && !problem.layered();
        // Of the best alone there is no front.
        for (const Objective objective : {options.front.first, options.front.second})
            (objective == Objective::memory && !problem.layered() ? frontOfMemory_ : frontOfTime_) = !alone;
    }

    Found run() {
        makeCells();
        Kept kept(options_);
        runPhase("configurations of one group", kept, [&](Cell& cell, Kept& into) {
            problem_.layered() ? forEachLayered(cell, into) : forEachSingle(cell, into);
            forEachSideBySide(cell, into);
        });
        if (problem_.groups.size() > 1 && !problem_.layered() && !stopped_) {
            const Kept before = kept;
            const std::vector<std::vector<std::size_t>> sequences = sequencesOfGroups();
            runPhase("pipelines through several groups", kept,
                     [&](Cell& cell, Kept& into) { forEachStacked(sequences, cell, before, into); });
        }
        Found found{.top = std::move(kept.top),
                    .front = std::move(kept.front),
                    .counted = kept.counted,
                    .closest = std::move(kept.closest),
                    .fastestLate = std::move(kept.fastestLate),
                    .faulty = std::move(kept.faulty),
                    .ended = stopped_ ? EndedBy::stop : EndedBy::proof};
        std::sort(found.front.begin(), found.front.end(), [&](const Ranked& a, const Ranked& b) {
            return std::tuple(a.scores.of(options_.front.first), a.scores.of(options_.front.second)) <
                   std::tuple(b.scores.of(options_.front.first), b.scores.of(options_.front.second));
        });
        return found;
    }

private:
    /// Of layers with costs of their own.
    void makeLayeredCells() {
        const LayeredModel& layered = *problem_.layered();
        const auto batch = static_cast<std::int64_t>(problem_.globalBatch);
        std::vector<int> micros = divisorsOf(batch, batch, space_.of(Axis::micro));
        if (!layered.micros.empty())
            std::erase_if(micros, [&](int micro) {
                return std::find(layered.micros.begin(), layered.micros.end(), micro) == layered.micros.end();
            });
        for (const int tensor : layered.tensors)
            for (const int micro : micros)
                for (const physical::Recompute each : layered.recomputes) {
                    const Recomputation recompute = onAllStages(each);
                    if (space_.allows(Axis::tensor, tensor) &&
                        space_.allows(Axis::recompute, static_cast<int>(recompute)))
                        cells_.push_back({{.tensor = tensor, .micro = micro, .recompute = recompute}});
                }
    }

    /// Replicas and stages of layers with costs of their own on each group; a stage may take fewer accelerators than
    /// slices.
    void forEachLayered(Cell& cell, Kept& into) {
        for (std::size_t group = 0; group < problem_.groups.size(); ++group)
            if (mayUse(group)) forEachLayeredOn(group, cell, into);
    }

    void forEachLayeredOn(std::size_t group, Cell& cell, Kept& into) {
        Configuration at = cell.common;
        const int all = allMicroBatches(problem_, at);
        const std::int64_t count = problem_.groups[group].count;
        for (int data = 1; data <= std::min<std::int64_t>(all, count); ++data) {
            control_.throwIfCancelled("the search for a plan");
            if (!space_.allows(Axis::data, data) || (problem_.layered()->ofReplicas && all % data != 0)) continue;
            at.data = data;
            for (at.pipeline = 1; at.pipeline <= std::min<std::int64_t>(count / data, problem_.layers());
                 ++at.pipeline) {
                if (!space_.allows(Axis::pipeline, at.pipeline)) continue;
                at.parts = {{group, at.pipeline, data, (all - 1) / data + 1}};
                forEachVariant(at, into, [&](const Configuration& each) { judge(cell, each, into); });
            }
        }
    }

    void makeCells() {
        if (problem_.layered()) return makeLayeredCells();
        const physical::Transformer& model = problem_.model();
        std::int64_t largest = 0;
        for (const PlanGroup& group : problem_.groups) largest = std::max(largest, group.count);
        const auto batch = static_cast<std::int64_t>(problem_.globalBatch);
        const auto tensors = divisorsOf(static_cast<std::int64_t>(model.heads), largest, space_.of(Axis::tensor));
        std::vector<int> contexts;
        for (std::int64_t c = 1; c <= largest; ++c)
            if (space_.allows(Axis::context, static_cast<int>(c)) &&
                (c == 1 || std::fmod(model.sequence, 2.0 * static_cast<double>(c)) == 0))
                contexts.push_back(static_cast<int>(c));
        const auto experts = divisorsOf(std::max<std::int64_t>(static_cast<std::int64_t>(model.experts), 1),
                                        problem_.accelerators(), space_.of(Axis::expert));
        const auto micros = divisorsOf(batch, batch, space_.of(Axis::micro));
        Configuration at;
        for (std::size_t dtype = 0; dtype < problem_.dtypes.size(); ++dtype) {
            if (!space_.allows(Axis::dtype, static_cast<int>(dtype))) continue;
            at.dtype = dtype;
            for (const int tensor : tensors) {
                at.tensor = tensor;
                for (const int context : contexts) {
                    at.context = context;
                    if (at.perStage() > largest) break;
                    addCells(at, experts, micros);
                }
            }
        }
    }

    void addCells(Configuration at, const std::vector<int>& experts, const std::vector<int>& micros) {
        for (const bool isWhole : {false, true}) {
            if (isWhole && (at.tensor == 1 || problem_.model().experts < 1)) continue;
            at.wholeExperts = isWhole;
            if (problem_.model().experts >= 1 && !space_.allows(Axis::expertTensor, at.expertTensor())) continue;
            for (const int expert : experts)
                for (const int micro : micros)
                    for (int recompute = 0; recompute < static_cast<int>(kRecomputationNames.size()); ++recompute) {
                        if (!space_.allows(Axis::recompute, recompute)) continue;
                        at.expert = expert;
                        at.micro = micro;
                        at.recompute = static_cast<Recomputation>(recompute);
                        cells_.push_back({at});
                    }
        }
    }

    template <typename Look>
    void runPhase(const std::string& task, Kept& kept, const Look& look) {
        std::vector<Kept> found(cells_.size(), Kept(options_));
        std::atomic<std::size_t> done = 0;
        parallelFor(cells_.size(), control_.threads, [&](std::size_t i) {
            if (control_.finishing()) {
                stopped_ = true;
                return;
            }
            if (!cells_[i].judge) cells_[i].judge = std::make_unique<Judge>(problem_, cells_[i].common);
            look(cells_[i], found[i]);
            constexpr std::size_t kEach = 64;
            if (const std::size_t count = ++done; count % kEach == 0)
                control_.reportProgress(task, static_cast<double>(count), static_cast<double>(cells_.size()));
        });
        for (const Kept& each : found) kept.merge(each);
    }

    bool mayUse(std::size_t group) const { return space_.allows(Axis::group, static_cast<int>(group)); }

    /// Replicas that divide the micro-batches of a step.
    std::vector<int> replicasOf(const Configuration& common, std::int64_t max) const {
        return divisorsOf(allMicroBatches(problem_, common), max, space_.of(Axis::data));
    }

    void forEachSingle(Cell& cell, Kept& into) {
        Configuration at = cell.common;
        for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
            if (!mayUse(group)) continue;
            const std::int64_t count = problem_.groups[group].count / at.perStage();
            for (const int data : replicasOf(at, count)) {
                control_.throwIfCancelled("the search for a plan");
                at.data = data;
                const auto stages = static_cast<int>(std::min<std::int64_t>(count / data, problem_.layers()));
                for (int pipeline = 1; pipeline <= stages; ++pipeline) {
                    if (!space_.allows(Axis::pipeline, pipeline)) continue;
                    at.pipeline = pipeline;
                    at.parts = {{group, pipeline, data, allMicroBatches(problem_, at) / data}};
                    forEachVariant(at, into, [&](const Configuration& each) { judge(cell, each, into); });
                }
            }
        }
    }

    std::vector<std::size_t> usableGroups() const {
        std::vector<std::size_t> usable;
        for (std::size_t group = 0; group < problem_.groups.size(); ++group)
            if (mayUse(group)) usable.push_back(group);
        return usable;
    }

    /// Sets of groups that hold replicas side by side.
    std::vector<std::vector<std::size_t>> setsOfGroups() const {
        const std::vector<std::size_t> usable = usableGroups();
        std::vector<std::vector<std::size_t>> sets;
        if (usable.size() > kMaxSubsets) {
            for (std::size_t a = 0; a < usable.size(); ++a)
                for (std::size_t b = a + 1; b < usable.size(); ++b) sets.push_back({usable[a], usable[b]});
            sets.push_back(usable);
            return sets;
        }
        for (unsigned members = 0; members < 1U << usable.size(); ++members) {
            std::vector<std::size_t> set;
            for (std::size_t i = 0; i < usable.size(); ++i)
                if ((members >> i & 1U) != 0) set.push_back(usable[i]);
            if (set.size() > 1) sets.push_back(std::move(set));
        }
        return sets;
    }

    void forEachSideBySide(Cell& cell, Kept& into) {
        Configuration at = cell.common;
        for (const std::vector<std::size_t>& set : setsOfGroups()) {
            const int stages = problem_.layered() ? 1 : problem_.layers();
            for (int pipeline = 1; pipeline <= stages; ++pipeline) {
                control_.throwIfCancelled("the search for a plan");
                if (!space_.allows(Axis::pipeline, pipeline)) continue;
                at.pipeline = pipeline;
                int max = 0;
                at.parts.clear();
                for (const std::size_t group : set) {
                    const std::int64_t replicas = problem_.groups[group].count / (at.perStage() * pipeline);
                    at.parts.push_back({group, pipeline, static_cast<int>(replicas), 1});
                    max += static_cast<int>(replicas);
                }
                if (std::any_of(at.parts.begin(), at.parts.end(), [](const Part& part) { return part.replicas < 1; }))
                    break;
                at.data = maxReplicas(at, max);
                if (at.data < 1) continue;
                forEachVariant(at, into, [&](const Configuration& each) { judge(cell, each, into); });
            }
        }
    }

    /// Whether replicas side by side may be so many in all.
    bool allowsReplicas(Configuration at, int replicas) const {
        at.data = replicas;
        return space_.allows(Axis::data, replicas) && faultOf(problem_, at) != Fault::experts;
    }

    /// The most replicas side by side that may be, each with a micro-batch; 0 where there are none.
    int maxReplicas(const Configuration& at, int max) const {
        max = std::min(max, allMicroBatches(problem_, at));
        while (max >= static_cast<int>(at.parts.size()) && !allowsReplicas(at, max)) --max;
        return max >= static_cast<int>(at.parts.size()) ? max : 0;
    }

    /// Groups in the order in which a pipeline may pass through them.
    std::vector<std::vector<std::size_t>> sequencesOfGroups() const {
        const std::vector<std::size_t> usable = usableGroups();
        const std::size_t max = usable.size() > kMaxStacked ? 2 : usable.size();
        std::vector<std::vector<std::size_t>> sequences;
        std::vector<std::vector<std::size_t>> longest{{}};
        for (std::size_t length = 1; length <= max; ++length) {
            std::vector<std::vector<std::size_t>> longer;
            for (const std::vector<std::size_t>& each : longest)
                for (const std::size_t group : usable) {
                    if (std::find(each.begin(), each.end(), group) != each.end()) continue;
                    longer.push_back(each);
                    longer.back().push_back(group);
                }
            longest = std::move(longer);
            if (length > 1) sequences.insert(sequences.end(), longest.begin(), longest.end());
        }
        return sequences;
    }

    void forEachStacked(const std::vector<std::vector<std::size_t>>& sequences, Cell& cell, const Kept& before,
                        Kept& into) {
        Configuration at = cell.common;
        for (const std::vector<std::size_t>& sequence : sequences) {
            if (static_cast<int>(sequence.size()) > problem_.layers()) continue;
            std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
            for (const std::size_t group : sequence)
                fewest = std::min(fewest, problem_.groups[group].count / at.perStage());
            for (const int data : replicasOf(at, fewest)) {
                at.data = data;
                at.pipeline = static_cast<int>(sequence.size());
                at.parts.clear();
                StageBox box;
                for (const std::size_t group : sequence) {
                    at.parts.push_back({group, 1, data, allMicroBatches(problem_, at) / data});
                    const std::int64_t max = problem_.groups[group].count / at.perStage() / data;
                    box.push_back({1, static_cast<int>(std::min<std::int64_t>(max, problem_.layers()))});
                }
                forEachVariant(at, into,
                               [&](const Configuration& each) { judgeStages(cell, each, box, before, into); });
            }
        }
    }

    /// Every number of stages in a box, by halves of it, of which those are left out that a bound of all of them does.
    void judgeStages(Cell& cell, const Configuration& at, StageBox box, const Kept& before, Kept& into) {
        control_.throwIfCancelled("the search for a plan");
        int min = 0;
        for (const StageRange& range : box) min += range.min;
        if (min > problem_.layers()) return;
        for (StageRange& range : box) range.max = std::min(range.max, problem_.layers() - (min - range.min));
        const std::int64_t count = countOf(box);
        if (count == 0) return;
        const auto widest = std::max_element(box.begin(), box.end(), [](const StageRange& a, const StageRange& b) {
            return a.max - a.min < b.max - b.min;
        });
        if (widest->min == widest->max) return judgeStacked(cell, withStages(at, box, &StageRange::min), before, into);
        const Scores bound =
            cell.judge->boundOfStages(withStages(at, box, &StageRange::min), withStages(at, box, &StageRange::max));
        if (alone_ ? least_.isBelow(bound.of(options_.objective)) : before.isBeaten(bound)) {
            into.counted.all += count;
            into.counted.bounded += count;
            return;
        }
        // More stages first: of the best alone what is found early leaves others out.
        const StageRange whole = *widest;
        const int middle = (whole.min + whole.max) / 2;
        *widest = {middle + 1, whole.max};
        judgeStages(cell, at, box, before, into);
        *widest = {whole.min, middle};
        judgeStages(cell, at, std::move(box), before, into);
    }

    static Configuration withStages(Configuration at, const StageBox& box, int StageRange::*stages) {
        at.pipeline = 0;
        for (std::size_t i = 0; i < box.size(); ++i) at.pipeline += at.parts[i].stages = box[i].*stages;
        return at;
    }

    /// Numbers of stages in a box that a pipeline may have.
    std::int64_t countOf(const StageBox& box) const {
        int max = 0;
        std::int64_t product = 1;
        for (const StageRange& range : box) {
            max += range.max;
            product *= range.max - range.min + 1;
        }
        const bool isFree = space_.of(Axis::pipeline).values.empty();
        if (isFree && max <= problem_.layers()) return product;
        // By their sum.
        std::vector<std::int64_t> ways(static_cast<std::size_t>(problem_.layers()) + 1, 0);
        ways[0] = 1;
        for (const StageRange& range : box) {
            std::vector<std::int64_t> below(ways.size() + 1, 0);  // of sums less than each
            for (std::size_t sum = 0; sum < ways.size(); ++sum) below[sum + 1] = below[sum] + ways[sum];
            for (int sum = 0; sum <= problem_.layers(); ++sum) {
                const auto from = static_cast<std::size_t>(std::max(sum - range.max, 0));
                const auto to = static_cast<std::size_t>(std::max(sum - range.min + 1, 0));
                ways[static_cast<std::size_t>(sum)] = to > from ? below[to] - below[from] : 0;
            }
        }
        std::int64_t count = 0;
        for (int sum = 1; sum <= problem_.layers(); ++sum)
            if (space_.allows(Axis::pipeline, sum)) count += ways[static_cast<std::size_t>(sum)];
        return count;
    }

    /// Orders of ranks, schedules, virtual stages and stages of ZeRO of a configuration.
    template <typename Use>
    void forEachVariant(Configuration at, Kept& into, const Use& use) const {
        const bool canBe = faultOfDegrees(problem_, at) == Fault::none;
        if (problem_.layered() || at.isStacked() || !ordersDiffer(problem_, at))
            return forEachSchedule(at, canBe, into, use);
        for (const RankOrder order : orders_) {
            at.order = order;
            forEachSchedule(at, canBe, into, use);
        }
    }

    template <typename Use>
    void forEachSchedule(Configuration at, bool canBe, Kept& into, const Use& use) const {
        for (const PipelineSchedule schedule : schedules_) {
            at.schedule = at.pipeline == 1 ? PipelineSchedule::oneForwardOneBackward : schedule;
            const bool isCut = at.schedule == PipelineSchedule::interleaved;
            const int max = isCut ? (problem_.layers() + 2) / at.pipeline : 1;
            for (at.chunks = isCut ? 2 : 1; at.chunks <= max; ++at.chunks) {
                if (!space_.allows(Axis::chunks, at.chunks)) continue;
                for (at.zero = 0; at.zero <= 3; ++at.zero) {
                    if (!space_.allows(Axis::zero, at.zero)) continue;
                    if (canBe && faultOfVariant(problem_, at) == Fault::none)
                        use(at);
                    else
                        into.addFaulty(at);
                    if (!canBe) return;
                }
            }
            if (at.pipeline == 1) return;
        }
    }

    Judgement judgementOf(Cell& cell, const Configuration& at, const Wanted& wanted) const {
        if (!at.isSideBySide()) return cell.judge->judge(at, wanted);
        return cell.judge->judgeUpTo(
            at, [&](int replicas) { return allowsReplicas(at, replicas); }, wanted);
    }

    void judge(Cell& cell, const Configuration& at, Kept& into) {
        ++into.counted.all;
        if (alone_ && least_.isBelow(cell.judge->bound(at, wanted_).of(options_.objective))) {
            ++into.counted.bounded;
            return;
        }
        const Judgement fastest = judgementOf(cell, at, wanted_);
        if (fastest.lacksAccelerators) {
            --into.counted.all;
            return into.addFaulty(at);
        }
        if (!fastest.fits) return into.addShortage(at, fastest.shortage);
        if (into.isLate(fastest.scores)) return into.addLate({fastest.shared(at), fastest.scores});
        ++into.counted.fitting;
        constexpr double kAnyBytes = std::numeric_limits<double>::infinity();
        keep(at, fastest, kAnyBytes, {!isOfMemory_, frontOfTime_}, into);
        if (!isOfMemory_ && !frontOfMemory_) return;
        const double bytes = minBytesOf(cell, at, fastest, into);
        keep(at, judgementWithin(cell, at, bytes), bytes, {isOfMemory_, frontOfMemory_}, into);
    }

    /// Adds a division of a configuration to the best, to the front, or both.
    void keep(const Configuration& at, const Judgement& judgement, double bytes, std::pair<bool, bool> where,
              Kept& into) {
        if (judgement.alike && space_.allows(Axis::recompute, static_cast<int>(*judgement.alike))) return;
        const Ranked ranked{judgement.shared(at), judgement.scores, bytes};
        if (where.first) least_.add(ranked.scores.of(options_.objective));
        if (where.first) into.addToTop(ranked);
        if (where.second) into.addToFront(ranked);
    }

    Judgement judgementWithin(Cell& cell, const Configuration& at, double bytes) const {
        Wanted wanted = wanted_;
        wanted.bytes = bytes;
        return judgementOf(cell, at, wanted);
    }

    /// The least bytes within which some division of a configuration is in time, with room for what is rounded;
    /// `fastest` is of all divisions.
    double minBytesOf(Cell& cell, const Configuration& at, const Judgement& fastest, const Kept& kept) const {
        constexpr double kRoom = 1 + 1e-9;
        double min = kRoom * cell.judge->minBytes(at).value();
        const auto isLate = [&](double bytes) { return kept.isLate(judgementWithin(cell, at, bytes).scores); };
        if (!options_.longestStep || !isLate(min)) return min;
        double max = kRoom * fastest.scores.of(Objective::memory);
        while (max > kRoom * min) {
            const double middle = (min + max) / 2;
            (isLate(middle) ? min : max) = middle;
        }
        return max;
    }

    void judgeStacked(Cell& cell, const Configuration& at, const Kept& before, Kept& into) {
        if (!alone_ && before.isBeaten(cell.judge->bound(at, wanted_))) {
            ++into.counted.all;
            ++into.counted.bounded;
            return;
        }
        judge(cell, at, into);
    }

    const Problem& problem_;
    const Space& space_;
    const SearchOptions& options_;
    const RunControl& control_;
    bool alone_;
    Least least_;
    Wanted wanted_;
    bool isOfMemory_ = false;                           // the objective
    bool frontOfMemory_ = false, frontOfTime_ = false;  // some value of the front is memory, or is not
    std::vector<PipelineSchedule> schedules_;
    std::vector<RankOrder> orders_;
    std::vector<Cell> cells_;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

void Counted::add(const Counted& other) {
    for (std::int64_t Counted::*member : {&Counted::all, &Counted::parameters, &Counted::activations, &Counted::working,
                                          &Counted::bounded, &Counted::late, &Counted::fitting})
        this->*member += other.*member;
}

Found search(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control) {
    return Search(problem, space, options, control).run();
}

Found searchBest(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control) {
    SearchOptions best = options;
    best.top = 1;
    best.front = {options.objective, options.objective};
    return Search(problem, space, best, control, true).run();
}

}  // namespace tessera::plan

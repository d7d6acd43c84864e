#include "core/codesign/search/model_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"

namespace tessera::codesign {

namespace {

Cores coresOf(const hardware::Architecture& architecture) {
    return {.tensor = architecture.tensorCores, .vector = architecture.vectorCores};
}

constexpr std::string_view kModelSearch = "the co-design search";

/// Works that an operator of a layer has, each once.
void collectWorks(const LayerPhase& phase, std::vector<std::size_t>& works) {
    for (const LayerOperator& op : phase.operators)
        if (!op.reduced) works.push_back(op.work);
}

}  // namespace

ModelSearch::ModelSearch(const Workload& workload, const hardware::Template& space, const Options& options,
                         Memos& memos, const RunControl& control)
    : workload_(workload),
      space_(space),
      options_(options),
      estimator_(*cost::estimatorNamed(options.estimator)),
      memos_(memos),
      placer_(workload.graph, Placer::kMaxCuts, control),
      order_(topologicalOrder(workload.graph.layers,
                              [&] {
                                  std::vector<std::pair<std::size_t, std::size_t>> edges;
                                  for (const LayerEdge& edge : workload.graph.edges)
                                      edges.emplace_back(edge.from, edge.to);
                                  return edges;
                              }())),
      optimizerState_(optimizerState(options.optimizer, OptimizerMemory::exact).value()) {
    for (const Slice& slice : workload.slices)
        if (slice.microBatch <= options.globalBatch) addSlice(slice);
    if (slices_.empty()) return;
    double macs = 0;
    const Slice& first = *slices_.front().slice;
    for (const std::size_t kind : first.kindOf) macs += first.kinds[kind].macs;
    macsPerSample_ = macs * static_cast<double>(first.degree) / static_cast<double>(first.microBatch);
}

void ModelSearch::addSlice(const Slice& slice) {
    SliceShape shape{.slice = &slice, .forward = {}, .backward = {}, .works = {}, .heldBytes = 0, .factors = {0}};
    for (const LayerKind& kind : slice.kinds) {
        shape.forward.emplace_back(kind.forward, slice.degree);
        shape.backward.emplace_back(kind.backward, slice.degree);
        for (const LayerPhase* phase : {&kind.forward, &kind.backward, &kind.update}) collectWorks(*phase, shape.works);
    }
    std::sort(shape.works.begin(), shape.works.end());
    shape.works.erase(std::unique(shape.works.begin(), shape.works.end()), shape.works.end());
    for (const std::size_t kind : slice.kindOf)
        shape.heldBytes +=
            (2 + optimizerState_) * slice.kinds[kind].weights.value + slice.kinds[kind].activations.value;
    const std::int64_t batches = microBatches(slice.microBatch);
    for (std::int64_t stages = 1; stages <= static_cast<std::int64_t>(slice.kindOf.size()); ++stages) {
        const std::int64_t replicas = std::min(options_.accelerators / (stages * slice.degree), batches);
        if (replicas < 1) break;
        const std::int64_t inARow = (batches - 1) / replicas + stages;
        shape.factors.push_back(static_cast<double>(inARow));
    }
    if (std::find(microBatches_.begin(), microBatches_.end(), slice.microBatch) == microBatches_.end())
        microBatches_.push_back(slice.microBatch);
    slices_.push_back(std::move(shape));
}

std::int64_t ModelSearch::microBatches(std::int64_t microBatch) const {
    return (options_.globalBatch - 1) / microBatch + 1;
}

double ModelSearch::throughputOf(Seconds timePerBatch) const {
    return static_cast<double>(options_.globalBatch) / timePerBatch.value;
}

double ModelSearch::mfuOf(const hardware::Architecture& architecture, double throughput) const {
    return cost::utilisation(macsPerSample_ * throughput, Seconds{1}, architecture, ratesOf(architecture)) /
           static_cast<double>(options_.accelerators);
}

const Slice& ModelSearch::slice(std::int64_t microBatch, std::int64_t degree) const {
    for (const SliceShape& shape : slices_)
        if (shape.slice->microBatch == microBatch && shape.slice->degree == degree) return *shape.slice;
    throw UsageError("a plan's slice is none of its model's");
}

const PhaseShape& ModelSearch::shape(const Slice& slice, std::size_t kind, bool backward) const {
    for (const SliceShape& shape : slices_)
        if (shape.slice == &slice) return backward ? shape.backward[kind] : shape.forward[kind];
    throw UsageError("a plan's slice is none of its model's");
}

std::vector<Latency> ModelSearch::latencies(const hardware::Architecture& architecture, const Slice& slice) const {
    std::vector<Latency> works(workload_.works.size());
    const hardware::Rates rates = ratesOf(architecture);
    for (const SliceShape& shape : slices_) {
        if (shape.slice != &slice) continue;
        for (const std::size_t work : shape.works) {
            const cost::OperatorCost cost =
                estimator_.estimateWith(workload_.works[work], architecture, rates, memos_.tilings);
            works[work] = {cost.oneCore.latency.value, cost.allCores.latency.value};
        }
    }
    return works;
}

ScheduleResult ModelSearch::schedule(const PhaseShape& shape, const std::vector<Latency>& works,
                                     const hardware::Architecture& architecture, std::int64_t states,
                                     const RunControl& control) const {
    ScheduleOptions options;
    options.method = states > 0 ? "exact" : "list";
    // Only the states count, so that results are the same on any machine.
    options.time = std::chrono::hours(24);
    options.nodes = states;
    const OperatorGraph graph = shape.operators(works, networkOf(architecture, options_));
    const Cores cores = coresOf(architecture);
    std::string key;
    if (states >= ScheduleMemo::kMinStates) {
        key = ScheduleMemo::keyOf(graph, cores, states);
        if (std::optional<ScheduleResult> known = memos_.schedules.find(key)) return *std::move(known);
    }
    ScheduleResult result = scheduleOperators(graph, cores, options, {.finish = control.cancel});
    control.throwIfCancelled(kModelSearch);
    if (!key.empty()) memos_.schedules.add(key, result);
    return result;
}

double ModelSearch::updateTime(const Slice& slice, std::size_t kind, const std::vector<Latency>& works) const {
    double sum = 0;
    for (const LayerOperator& op : slice.kinds[kind].update.operators)
        sum += std::min(works[op.work].one, works[op.work].all);
    return sum;
}

ModelSearch::SliceTimes ModelSearch::timesOf(const SliceShape& shape, std::vector<PhaseTimes> kinds) const {
    SliceTimes times{.kinds = std::move(kinds)};
    const std::vector<std::size_t>& kindOf = shape.slice->kindOf;
    if (placer_.isPath()) {
        for (const std::size_t kind : kindOf) {
            times.forward += times.kinds[kind].forward;
            times.backward += times.kinds[kind].backward;
        }
    } else {
        std::vector<double> forward(kindOf.size(), 0), backward(kindOf.size(), 0);
        std::vector<std::vector<std::size_t>> before(kindOf.size());
        for (const LayerEdge& edge : workload_.graph.edges) before[edge.to].push_back(edge.from);
        for (const std::size_t layer : order_) {
            for (const std::size_t from : before[layer]) {
                forward[layer] = std::max(forward[layer], forward[from]);
                backward[layer] = std::max(backward[layer], backward[from]);
            }
            forward[layer] += times.kinds[kindOf[layer]].forward;
            backward[layer] += times.kinds[kindOf[layer]].backward;
            times.forward = std::max(times.forward, forward[layer]);
            times.backward = std::max(times.backward, backward[layer]);
        }
    }
    for (const PhaseTimes& kind : times.kinds) times.largest = std::max(times.largest, kind.forward + kind.backward);
    return times;
}

ModelSearch::SliceTimes ModelSearch::bounds(const SliceShape& shape, const std::vector<Latency>& works,
                                            const hardware::Architecture& architecture) const {
    const Cores cores = coresOf(architecture);
    const BytesPerSecond network = networkOf(architecture, options_);
    std::vector<PhaseTimes> kinds(shape.slice->kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k)
        kinds[k] = {.forward = shape.forward[k].bound(works, cores, network),
                    .backward = shape.backward[k].bound(works, cores, network),
                    .update = updateTime(*shape.slice, k, works)};
    return timesOf(shape, std::move(kinds));
}

/// No batch takes less, whatever the plan: some stage has at least its share of the longest path.
double ModelSearch::quickTime(const SliceShape& shape, const SliceTimes& times, bool recompute, Bytes hbm) const {
    constexpr double kBelow = 1 - 1e-11;
    double min = kInfinity;
    for (std::size_t stages = 1; stages < shape.factors.size(); ++stages) {
        const auto count = static_cast<double>(stages);
        if (shape.heldBytes > hbm.value * count * (1 + 1e-9)) continue;
        double load = std::max(times.largest, (times.forward + times.backward) / count);
        if (recompute) load = std::max(load, (2 * times.forward + times.backward) / (count + 1));
        min = std::min(min, shape.factors[stages] * load);
    }
    return min * kBelow;
}

const std::vector<Latency>& ModelSearch::minLatencies(const hardware::Architecture& architecture) const {
    thread_local std::vector<Latency> works;
    works.resize(workload_.works.size());
    const hardware::Rates rates = ratesOf(architecture);
    for (std::size_t i = 0; i < works.size(); ++i) {
        const cost::MinTimes min = estimator_.min(workload_.works[i], architecture, rates);
        works[i] = {min.oneCore.value, min.allCores.value};
    }
    return works;
}

double ModelSearch::throughputBound(const hardware::Architecture& architecture, Bytes hbm) const {
    const std::vector<Latency>& works = minLatencies(architecture);
    double time = kInfinity;
    for (const SliceShape& shape : slices_)
        time = std::min(time, quickTime(shape, bounds(shape, works, architecture), false, hbm));
    return time < kInfinity ? static_cast<double>(options_.globalBatch) / time : 0;
}

DegreeCosts ModelSearch::costsOf(const SliceShape& shape, const SliceTimes& times) const {
    DegreeCosts costs{.degree = shape.slice->degree, .layers = {}, .edges = shape.slice->edges};
    for (const std::size_t k : shape.slice->kindOf) {
        const LayerKind& kind = shape.slice->kinds[k];
        costs.layers.push_back({.weights = kind.weights,
                                .activations = kind.activations,
                                .forward = Seconds{times.kinds[k].forward},
                                .backward = Seconds{times.kinds[k].backward},
                                .tensorParallel = shape.slice->degree > 1,
                                .update = Seconds{times.kinds[k].update}});
    }
    return costs;
}

PlacementProblem ModelSearch::problemWith(const hardware::Architecture& architecture, std::int64_t microBatch,
                                          bool recompute, Bytes hbm) const {
    return {.byDegree = {},
            .accelerators = options_.accelerators,
            .microBatches = microBatches(microBatch),
            .memory = hbm,
            .bandwidth = networkOf(architecture, options_),
            .optimizerState = optimizerState_,
            .recompute = recompute};
}

PlacementProblem ModelSearch::problem(const hardware::Architecture& architecture, Bytes hbm,
                                      const TrainingChoice& choice, std::int64_t degree, std::int64_t states,
                                      const RunControl& control) const {
    PlacementProblem problem = problemWith(architecture, choice.microBatch, choice.recompute, hbm);
    for (const SliceShape& shape : slices_) {
        if (shape.slice->microBatch != choice.microBatch || shape.slice->degree != degree) continue;
        const std::vector<Latency> works = latencies(architecture, *shape.slice);
        std::vector<PhaseTimes> kinds;
        for (std::size_t k = 0; k < shape.slice->kinds.size(); ++k)
            kinds.push_back({schedule(shape.forward[k], works, architecture, states, control).schedule.makespan,
                             schedule(shape.backward[k], works, architecture, states, control).schedule.makespan,
                             updateTime(*shape.slice, k, works)});
        problem.byDegree.push_back(costsOf(shape, timesOf(shape, std::move(kinds))));
    }
    return problem;
}

/// A slice on one architecture: what is known of its times, each step made when it is needed and kept for the other
/// choices.
class ModelSearch::SliceOnChip {
public:
    SliceOnChip(const ModelSearch& search, const SliceShape& shape, const hardware::Architecture& architecture,
                SliceTimes min, std::int64_t maxStates, const RunControl& control)
        : search_(search),
          shape_(shape),
          architecture_(architecture),
          min_(std::move(min)),
          maxStates_(maxStates),
          control_(control) {}

    const SliceShape& shape() const { return shape_; }
    /// Bounds that no estimate is below.
    const SliceTimes& min() const { return min_; }
    /// Estimated operators, bounds on their schedules.
    const SliceTimes& estimated() {
        if (!bound_) {
            control_.throwIfCancelled(kModelSearch);
            works_ = search_.latencies(architecture_, *shape_.slice);
            bound_ = search_.bounds(shape_, works_, architecture_);
        }
        return *bound_;
    }
    const SliceTimes& bound() const { return *bound_; }  ///< what `estimated` found
    /// Schedules by list, once.
    void list() {
        if (made_) return;
        estimated();
        effort(0);
    }
    /// Searches schedules that are not proved, further each time. False where that is no longer of use.
    bool sharpen() {
        if (proved_ || states_ >= maxStates_) return false;
        states_ = std::min(states_ == 0 ? search_.options_.firstStates() : states_ * kMoreStates, maxStates_);
        effort(states_);
        return true;
    }
    const SliceTimes& made() const { return *made_; }    ///< of the schedules found
    const SliceTimes& tight() const { return *tight_; }  ///< no schedules take less

private:
    static constexpr std::int64_t kMoreStates = 20;  ///< times as many in the next search

    /// Schedules again what is not proved, by so many states for each phase.
    void effort(std::int64_t states) {
        const std::size_t kinds = shape_.slice->kinds.size();
        std::vector<PhaseTimes> made(kinds, PhaseTimes{kInfinity, kInfinity, 0}), tight(kinds);
        if (made_) {
            made = made_->kinds;
            tight = tight_->kinds;
        }
        proved_ = true;
        const auto schedule = [&](const PhaseShape& phase, double& time, double& min) {
            if (time <= min) return;
            const ScheduleResult found = search_.schedule(phase, works_, architecture_, states, control_);
            time = std::min(time, found.schedule.makespan);
            min = found.optimal ? time : std::min(time, std::max(min, found.lowerBound));
            proved_ = proved_ && time <= min;
        };
        for (std::size_t k = 0; k < kinds; ++k) {
            schedule(shape_.forward[k], made[k].forward, tight[k].forward);
            schedule(shape_.backward[k], made[k].backward, tight[k].backward);
            made[k].update = tight[k].update = search_.updateTime(*shape_.slice, k, works_);
        }
        made_ = search_.timesOf(shape_, std::move(made));
        tight_ = search_.timesOf(shape_, std::move(tight));
    }

    const ModelSearch& search_;
    const SliceShape& shape_;
    const hardware::Architecture& architecture_;
    SliceTimes min_;
    std::int64_t maxStates_;
    const RunControl& control_;
    std::vector<Latency> works_;
    std::optional<SliceTimes> bound_, made_, tight_;
    bool proved_ = false;
    std::int64_t states_ = 0;  ///< of the last search of a phase
};

/// What one choice comes to.
struct ModelSearch::Attempt {
    double throughput = 0;
    double bound = 0;
    std::optional<Plan> plan;
    std::int64_t explored = 0;
};

/// Looks for a plan with a throughput above `above`: with bounds on schedules first, with the schedules themselves only
/// where those decide nothing, and searching them further only as long as it may matter.
void ModelSearch::attempt(const hardware::Architecture& architecture, std::vector<SliceOnChip>& slices, Bytes hbm,
                          const TrainingChoice& choice, double above, Attempt& attempt,
                          const RunControl& control) const {
    PlacementOptions limit;
    if (above > 0) limit.fasterThan = Seconds{static_cast<double>(options_.globalBatch) / above};
    double longest = limit.fasterThan ? limit.fasterThan->value : kInfinity;
    const auto within = [&](const SliceOnChip& slice, const SliceTimes& times) {
        return quickTime(slice.shape(), times, choice.recompute, hbm) < longest;
    };
    std::vector<SliceOnChip*> candidates;
    PlacementProblem problem = problemWith(architecture, choice.microBatch, choice.recompute, hbm);
    const auto best = [&](const SliceTimes& (SliceOnChip::*times)() const) {
        problem.byDegree.clear();
        for (const SliceOnChip* slice : candidates)
            problem.byDegree.push_back(costsOf(slice->shape(), (slice->*times)()));
        return placer_.place(problem, limit, control).plan;
    };
    for (SliceOnChip& slice : slices) {
        if (slice.shape().slice->microBatch != choice.microBatch || !within(slice, slice.min())) continue;
        ++attempt.explored;
        if (within(slice, slice.estimated())) candidates.push_back(&slice);
    }
    if (candidates.empty() || !best(&SliceOnChip::bound)) return;
    for (SliceOnChip* slice : candidates) slice->list();
    for (bool more = true; more;) {
        const std::optional<Plan> bound = best(&SliceOnChip::tight);
        if (!bound) {
            attempt.bound = attempt.throughput = 0;
            attempt.plan.reset();
            return;
        }
        attempt.bound = throughputOf(bound->timePerBatch);
        attempt.plan = best(&SliceOnChip::made);
        if (attempt.plan) {
            longest = std::min(longest, attempt.plan->timePerBatch.value);
            attempt.throughput = throughputOf(attempt.plan->timePerBatch);
            attempt.bound = std::max(attempt.bound, attempt.throughput);
        }
        more = false;
        if (attempt.throughput >= attempt.bound) continue;
        for (SliceOnChip* slice : candidates)
            if (within(*slice, slice->tight())) more = slice->sharpen() || more;
    }
}

ModelValue ModelSearch::evaluate(const hardware::Architecture& architecture, Bytes hbm, double floor,
                                 std::int64_t states, const RunControl& control) const {
    std::vector<SliceOnChip> slices;
    slices.reserve(slices_.size());
    const std::vector<Latency>& works = minLatencies(architecture);
    for (const SliceShape& shape : slices_)
        slices.emplace_back(*this, shape, architecture, bounds(shape, works, architecture), states, control);
    struct Choice {
        double bound = 0;
        std::size_t number = 0;  ///< among equally good ones the first is taken
        TrainingChoice choice;
    };
    std::vector<Choice> choices;
    for (const std::int64_t microBatch : microBatches_)
        for (const bool recompute : {false, true}) {
            double time = kInfinity;
            for (const SliceOnChip& slice : slices)
                if (slice.shape().slice->microBatch == microBatch)
                    time = std::min(time, quickTime(slice.shape(), slice.min(), recompute, hbm));
            if (time < kInfinity)
                choices.push_back({static_cast<double>(options_.globalBatch) / time,
                                   choices.size(),
                                   {.microBatch = microBatch, .recompute = recompute}});
        }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.bound > b.bound; });
    ModelValue best;
    std::size_t number = choices.size();
    for (const Choice& each : choices) {
        if (each.bound <= floor || each.bound < best.throughput) break;
        // What is as good as the best so far is found, too, so that the order of the choices does not matter.
        constexpr double kBelow = 1 - 1e-12;
        Attempt made;
        attempt(architecture, slices, hbm, each.choice, std::max(floor, best.throughput * kBelow), made, control);
        best.explored += made.explored;
        best.bound = std::max(best.bound, made.bound);
        if (!made.plan || made.throughput <= floor) continue;
        if (made.throughput < best.throughput || (made.throughput == best.throughput && each.number > number)) continue;
        best.throughput = made.throughput;
        best.choice = each.choice;
        best.plan = std::move(made.plan);
        number = each.number;
    }
    return best;
}

double ModelSearch::memoryBoundShare(const hardware::Architecture& architecture, const Slice& slice) const {
    double waiting = 0, total = 0;
    const hardware::Rates rates = ratesOf(architecture);
    for (const std::size_t k : slice.kindOf)
        for (const LayerPhase* phase : {&slice.kinds[k].forward, &slice.kinds[k].backward})
            for (const LayerOperator& op : phase->operators) {
                if (op.reduced) continue;
                const cost::OperatorCost cost =
                    estimator_.estimateWith(workload_.works[op.work], architecture, rates, memos_.tilings);
                const cost::CoreUse& use = cost.allCores.latency <= cost.oneCore.latency ? cost.allCores : cost.oneCore;
                total += use.latency.value;
                if (use.limit == cost::Limit::hbm) waiting += use.latency.value;
            }
    return total > 0 ? waiting / total : 0;
}

std::vector<PhaseTimes> ModelSearch::energies(const hardware::Architecture& architecture, const Slice& slice) const {
    std::vector<double> joules(workload_.works.size(), -1);
    const hardware::Rates rates = ratesOf(architecture);
    const auto sum = [&](const LayerPhase& phase) {
        double total = 0;
        for (const LayerOperator& op : phase.operators) {
            if (op.reduced) continue;
            double& known = joules[op.work];
            if (known < 0) {
                const cost::OperatorCost cost =
                    estimator_.estimateWith(workload_.works[op.work], architecture, rates, memos_.tilings);
                known = cost.allCores.latency <= cost.oneCore.latency ? cost.allCores.energy.value
                                                                      : cost.oneCore.energy.value;
            }
            total += known;
        }
        return total;
    };
    std::vector<PhaseTimes> kinds;
    for (const LayerKind& kind : slice.kinds)
        kinds.push_back({sum(kind.forward), sum(kind.backward), sum(kind.update)});
    return kinds;
}

double ModelSearch::energyOf(const hardware::Architecture& architecture, const TrainingChoice& choice,
                             const Plan& plan) const {
    const Slice& of = slice(choice.microBatch, plan.tensorParallel);
    const std::vector<PhaseTimes> kinds = energies(architecture, of);
    double pass = 0, update = 0;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const double forwards = choice.recompute && s + 1 < plan.stages.size() ? 2 : 1;
        for (const std::size_t layer : plan.stages[s].layers) {
            const PhaseTimes& kind = kinds[of.kindOf[layer]];
            pass += forwards * kind.forward + kind.backward;
            update += kind.update;
        }
    }
    return static_cast<double>(plan.tensorParallel) *
           (pass / static_cast<double>(choice.microBatch) +
            update * static_cast<double>(plan.data) / static_cast<double>(options_.globalBatch));
}

}  // namespace tessera::codesign

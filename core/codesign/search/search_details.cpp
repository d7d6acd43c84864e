#include "core/codesign/search/search_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::codesign {

namespace {

/// An accelerator that Spotlight found for a model: table 2 of PHAZE, as printed (sizes in MB).
struct Spotlight {
    std::string_view model;
    std::int64_t width = 1, height = 1;
    double globalWords = 1;
    double l2 = 1;  ///< MB, of both kinds of cores
};
constexpr std::array kSpotlight{
    Spotlight{"zoo:opt-350m", 1024, 16, 251, 26},         Spotlight{"zoo:bert-large", 64, 256, 251, 20},
    Spotlight{"zoo:gpt2-xl", 64, 256, 252, 12},           Spotlight{"zoo:llama2-7b", 8192, 2, 135, 12},
    Spotlight{"zoo:megatron-bert", 64, 256, 251, 20},     Spotlight{"zoo:megatron-gpt-2.5b", 16, 1024, 251, 26},
    Spotlight{"zoo:megatron-gpt-8.3b", 4096, 4, 220, 22}, Spotlight{"zoo:gpt3-175b", 4096, 4, 147, 18},
};

hardware::Architecture architectureOf(const Spotlight& row) {
    constexpr double kMega = 1 << 20;
    return {.tensorCores = 1,
            .vectorCores = 1,
            .width = row.width,
            .height = row.height,
            .globalBuffer = Bytes{128 * kMega},
            .tensorL2 = Bytes{row.l2 * kMega},
            .vectorL2 = Bytes{row.l2 * kMega},
            .globalWords = row.globalWords};
}

/// Values that agree up to rounding.
constexpr double kSame = 1 - 1e-12;

}  // namespace

Scorer::Scorer(const std::vector<Workload>& workloads, const hardware::Template& space, Options options,
               const RunControl& control)
    : space_(space), options_(std::move(options)), control_(control.ofOnePart()), memos_(sharedMemos()) {
    for (const Workload& workload : workloads)
        models_.push_back(std::make_unique<ModelSearch>(workload, space_, options_, *memos_, control_));
    setReference();
}

void Scorer::setReference() {
    reference_.assign(models_.size(), 1);
    if (!space_.reference) return;
    const hardware::Architecture reference = hardware::architectureOf(space_, *space_.reference);
    for (std::size_t m = 0; m < models_.size(); ++m) {
        const ModelValue value =
            models_[m]->evaluate(reference, largestMemory(), 0, options_.comparedStates(), control_);
        if (value.throughput > 0) reference_[m] = value.throughput;
    }
}

std::int64_t Scorer::choices() const {
    std::int64_t sum = 0;
    for (const auto& model : models_) sum += model->choices();
    return sum;
}

Bytes Scorer::largestMemory() const {
    return Bytes{static_cast<double>(*std::max_element(space_.hbm.values.begin(), space_.hbm.values.end()))};
}

double Scorer::objectiveOf(const std::vector<double>& throughputs) const {
    double sum = 0, weights = 0, min = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < throughputs.size(); ++m) {
        if (!(throughputs[m] > 0)) return 0;
        const double relative = throughputs[m] / reference_[m];
        sum += weightOf(m) * (options_.objective == Objective::mean ? throughputs[m] : elementary::log(relative));
        weights += weightOf(m);
        min = std::min(min, relative);
    }
    switch (options_.objective) {
        case Objective::mean:
            return sum / weights;
        case Objective::worst:
            return min;
        case Objective::geomean:
            break;
    }
    return throughputs.size() == 1 ? min : elementary::exp(sum / weights);
}

/// The throughput of a model without which the objective is not above `floor`, the others as given.
double Scorer::neededOf(std::size_t model, const std::vector<double>& throughputs, double floor) const {
    constexpr double kBelow = 1 - 1e-9;
    if (!(floor > 0)) return 0;
    double others = 0, weights = 0;
    for (std::size_t m = 0; m < throughputs.size(); ++m) {
        weights += weightOf(m);
        if (m == model) continue;
        const double relative = throughputs[m] / reference_[m];
        others += weightOf(m) * (options_.objective == Objective::mean ? throughputs[m] : elementary::log(relative));
    }
    double needed = 0;
    switch (options_.objective) {
        case Objective::mean:
            needed = (floor * weights - others) / weightOf(model);
            break;
        case Objective::worst:
            needed = floor * reference_[model];
            break;
        case Objective::geomean:
            needed = throughputs.size() == 1
                         ? floor * reference_[model]
                         : elementary::exp((elementary::log(floor) * weights - others) / weightOf(model)) *
                               reference_[model];
            break;
    }
    return throughputs.size() == 1 ? needed : std::max(0.0, needed * kBelow);
}

double Scorer::bound(const hardware::Architecture& architecture) const {
    const Bytes hbm = largestMemory();
    std::vector<double> bounds;
    for (const auto& model : models_) bounds.push_back(model->throughputBound(architecture, hbm));
    return objectiveOf(bounds);
}

std::optional<Point> Scorer::evaluate(const hardware::Architecture& architecture, SquareMillimetres area, double floor,
                                      std::int64_t states, double& bound, std::int64_t& explored) const {
    const Bytes hbm = largestMemory();
    std::vector<double> bounds, throughputs;
    for (const auto& model : models_) bounds.push_back(model->throughputBound(architecture, hbm));
    const auto ruledOut = [&](const std::vector<double>& values) { return floor > 0 && objectiveOf(values) <= floor; };
    if (ruledOut(bounds)) return std::nullopt;
    std::vector<ModelValue> values;
    for (std::size_t m = 0; m < models_.size(); ++m) {
        values.push_back(models_[m]->evaluate(architecture, hbm, neededOf(m, bounds, floor), states, control_));
        explored += values.back().explored;
        throughputs.push_back(values.back().throughput);
        bounds[m] = values.back().bound;
        if (ruledOut(bounds)) return std::nullopt;
    }
    bound = objectiveOf(bounds);
    if (ruledOut(throughputs)) return std::nullopt;
    Point point{.architecture = architecture,
                .area = area,
                .parts = hardware::areaOf(architecture, space_),
                .hbm = hbm,
                .objective = objectiveOf(throughputs),
                .throughput = throughputs,
                .interfacePower = hardware::interfacePower(architecture, space_)};
    fillMeans(point, values);
    return point;
}

void Scorer::fillMeans(Point& point, const std::vector<ModelValue>& values) const {
    for (std::size_t m = 0; m < models_.size(); ++m) {
        if (!values[m].plan) continue;
        point.mfu += models_[m]->mfuOf(point.architecture, values[m].throughput);
        point.energyPerSample += models_[m]->energyOf(point.architecture, values[m].choice, *values[m].plan);
    }
    const auto count = static_cast<double>(models_.size());
    point.mfu /= count;
    point.energyPerSample /= count;
}

void Scorer::chooseMemory(Point& point, std::int64_t states) const {
    for (const std::int64_t size : space_.hbm.values) {
        const Bytes hbm{static_cast<double>(size)};
        if (hbm >= point.hbm) continue;
        bool same = true;
        for (std::size_t m = 0; m < models_.size() && same; ++m) {
            const double floor = point.throughput[m] * kSame;
            same = point.throughput[m] == 0 ||
                   models_[m]->evaluate(point.architecture, hbm, floor, states, control_).throughput > floor;
        }
        if (same) {
            point.hbm = hbm;
            return;
        }
    }
}

ModelResult Scorer::resultOf(std::size_t model, const hardware::Architecture& architecture, const ModelValue& value,
                             Bytes hbm, std::int64_t states) const {
    const ModelSearch& search = *models_[model];
    ModelResult result{.model = search.workload().name};
    if (!value.plan) {
        result.reason = "no plan fits the largest HBM of the template, whatever the micro-batch and recomputation";
        return result;
    }
    const Plan& plan = *value.plan;
    result.feasible = true;
    result.throughput = value.throughput;
    result.throughputBound = std::max(value.bound, value.throughput);
    result.timePerBatch = plan.timePerBatch;
    result.pipeline = static_cast<std::int64_t>(plan.stages.size());
    result.data = plan.data;
    result.tensorParallel = plan.tensorParallel;
    result.choice = value.choice;
    result.hbm = hbm;
    result.mfu = search.mfuOf(architecture, value.throughput);
    result.energyPerSample = search.energyOf(architecture, value.choice, plan);
    const PlacementProblem problem =
        search.problem(architecture, hbm, value.choice, plan.tensorParallel, states, control_);
    // Loads without transfers tell what part of them is waiting.
    PlacementProblem instant = problem;
    instant.bandwidth = BytesPerSecond{std::numeric_limits<double>::max()};
    const Plan unhindered = codesign::evaluate(search.placer().graph(), instant, plan);
    const Slice& slice = search.slice(value.choice.microBatch, plan.tensorParallel);
    const std::int64_t ofReplica = (options_.globalBatch - 1) / value.choice.microBatch / plan.data + 1;
    const auto microBatches = static_cast<double>(ofReplica);
    std::size_t slowest = 0;
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
        if (plan.stages[s].load > plan.stages[slowest].load) slowest = s;
    const BytesPerSecond bandwidth = networkOf(architecture, options_);
    double network = 0;
    for (const std::size_t layer : plan.stages[slowest].layers) {
        const std::size_t kind = slice.kindOf[layer];
        const double forwards = value.choice.recompute && slowest + 1 < plan.stages.size() ? 2 : 1;
        network += forwards * search.shape(slice, kind, false).reduceTime(bandwidth) +
                   search.shape(slice, kind, true).reduceTime(bandwidth);
    }
    const Seconds load = plan.stages[slowest].load;
    const Seconds work = std::min(unhindered.stages[slowest].load, load);  // up to rounding
    const Seconds reduce = std::min(Seconds{network}, work);
    Bytes first;
    for (const std::size_t layer : plan.stages.front().layers) {
        first += slice.kinds[slice.kindOf[layer]].weights;
        result.time.update += problem.byDegree.front().layers[layer].update;
    }
    const auto replicas = static_cast<double>(plan.data);
    result.time.compute = (work - reduce) * microBatches;
    result.time.tensorAllReduce = reduce * microBatches;
    result.time.transfer = (load - work) * microBatches;
    result.time.bubble = load * (static_cast<double>(plan.stages.size()) - 1);
    result.time.gradientAllReduce = first / bandwidth * (4 * (replicas - 1) / replicas);
    for (const PlacedStage& stage : plan.stages) {
        StageResult& row = result.stages.emplace_back();
        for (const std::size_t layer : stage.layers) row.layers.push_back(search.workload().layers[layer]);
        row.accelerators = stage.accelerators;
        row.forward = stage.forward;
        row.backward = stage.load - stage.forward;
        row.load = stage.load;
        row.memory = stage.memory;
    }
    return result;
}

void Scorer::setSchedule(std::size_t model, const hardware::Architecture& architecture, ModelResult& result) const {
    const ModelSearch& search = *models_[model];
    const Slice& slice = search.slice(result.choice.microBatch, result.tensorParallel);
    const std::vector<Latency> works = search.latencies(architecture, slice);
    std::vector<double> copies(slice.kinds.size(), 0);
    for (const std::size_t kind : slice.kindOf) ++copies[kind];
    std::size_t main = 0;
    double max = 0;
    std::vector<std::array<ScheduleResult, 2>> made;
    const auto schedule = [&](std::size_t kind, bool backward) {
        return search.schedule(search.shape(slice, kind, backward), works, architecture, options_.scheduleStates,
                               control_);
    };
    for (std::size_t k = 0; k < slice.kinds.size(); ++k) {
        made.push_back({schedule(k, false), schedule(k, true)});
        const double time = copies[k] * (made[k][0].schedule.makespan + made[k][1].schedule.makespan);
        if (time > max) {
            max = time;
            main = k;
        }
    }
    LayerSchedule& shown = result.schedule.emplace();
    shown.layer = slice.kinds[main].name;
    shown.copies = static_cast<std::int64_t>(copies[main]);
    const auto fill = [&](PhaseSchedule& phase, const ScheduleResult& found, const LayerPhase& of) {
        phase.makespan = Seconds{found.schedule.makespan};
        phase.lowerBound = Seconds{found.lowerBound};
        phase.serial = Seconds{found.serial};
        phase.optimal = found.optimal;
        for (std::size_t i = 0; i < of.operators.size(); ++i)
            phase.operators.push_back({.name = of.operators[i].name,
                                       .kind = of.operators[i].kind,
                                       .network = of.operators[i].reduced.has_value(),
                                       .placed = found.schedule.operators[i]});
    };
    fill(shown.forward, made[main][0], slice.kinds[main].forward);
    fill(shown.backward, made[main][1], slice.kinds[main].backward);
}

/// The expert's pipeline over equal numbers of the model's repeated layers, with the best micro-batch and recomputation
/// that fit.
ModelValue Scorer::expertValue(std::size_t model, const hardware::Architecture& architecture) const {
    const ModelSearch& search = *models_[model];
    const Workload& workload = search.workload();
    ModelValue best;
    if (!workload.expert || !search.placer().isPath()) return best;
    const ExpertPlacement& expert = *workload.expert;
    for (const Slice& slice : workload.slices) {
        if (slice.degree != expert.tensorParallel || slice.microBatch > options_.globalBatch) continue;
        std::vector<std::size_t> count(slice.kinds.size(), 0);
        for (const std::size_t kind : slice.kindOf) ++count[kind];
        const auto repeated = static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
        const auto stages = static_cast<std::size_t>(expert.pipeline);
        if (stages > count[repeated] || expert.pipeline * expert.data * expert.tensorParallel > options_.accelerators)
            continue;
        Plan plan{.timePerBatch = {}, .tensorParallel = expert.tensorParallel, .data = expert.data, .stages = {}};
        plan.stages.resize(stages);
        std::size_t block = 0;
        for (std::size_t layer = 0; layer < slice.kindOf.size(); ++layer) {
            const std::size_t at = std::min(block * stages / count[repeated], stages - 1);
            plan.stages[at].layers.push_back(layer);
            if (slice.kindOf[layer] == repeated) ++block;
        }
        for (const bool recompute : {false, true}) {
            const TrainingChoice choice{.microBatch = slice.microBatch, .recompute = recompute};
            const PlacementProblem problem = search.problem(architecture, largestMemory(), choice,
                                                            expert.tensorParallel, options_.comparedStates(), control_);
            if (expert.data > problem.microBatches) continue;
            Plan made = codesign::evaluate(search.placer().graph(), problem, plan);
            ++best.explored;
            const bool fits = std::all_of(made.stages.begin(), made.stages.end(), [&](const PlacedStage& stage) {
                return stage.memory.total() <= problem.memory;
            });
            const double throughput = search.throughputOf(made.timePerBatch);
            if (!fits || throughput <= best.throughput) continue;
            best.throughput = best.bound = throughput;
            best.choice = choice;
            best.plan = std::move(made);
        }
    }
    return best;
}

Baseline Scorer::baselineOf(const hardware::Architecture& architecture, bool expert) const {
    Baseline baseline;
    baseline.placement = expert ? "expert" : "solver";
    const Bytes hbm = largestMemory();
    baseline.point = {.architecture = architecture,
                      .area = hardware::areaOf(architecture, space_).total(),
                      .parts = hardware::areaOf(architecture, space_),
                      .hbm = hbm,
                      .interfacePower = hardware::interfacePower(architecture, space_)};
    std::vector<ModelValue> values;
    for (std::size_t m = 0; m < models_.size(); ++m) {
        values.push_back(expert ? expertValue(m, architecture)
                                : models_[m]->evaluate(architecture, hbm, 0, options_.comparedStates(), control_));
        baseline.point.throughput.push_back(values.back().throughput);
        baseline.models.push_back(resultOf(m, architecture, values.back(), hbm, options_.comparedStates()));
        if (expert && !models_[m]->workload().expert)
            baseline.models.back().reason = "no expert's placement of the model is published";
        else if (expert && !values.back().plan)
            baseline.models.back().reason = "the expert's placement does not fit";
    }
    baseline.point.objective = objectiveOf(baseline.point.throughput);
    fillMeans(baseline.point, values);
    return baseline;
}

std::vector<Baseline> Scorer::baselines() const {
    std::vector<Baseline> all;
    const auto add = [&](const hardware::Architecture& architecture, bool expert, const std::string& id,
                         const std::string& title) {
        Baseline& made = all.emplace_back(baselineOf(architecture, expert));
        made.id = fmt::format("{}-{}", id, made.placement);
        made.title = fmt::format("{}, {} placement", title, expert ? "the experts'" : "our");
    };
    if (space_.reference) {
        const hardware::Architecture reference = hardware::architectureOf(space_, *space_.reference);
        add(reference, true, "tpuv4", space_.reference->name);
        add(reference, false, "tpuv4", space_.reference->name);
    }
    if (!options_.spotlight) return all;
    for (const auto& model : models_)
        for (const Spotlight& row : kSpotlight) {
            if (row.model != model->workload().name) continue;
            const std::string name(row.model.substr(4));
            hardware::Architecture architecture = architectureOf(row);
            if (space_.reference) {
                // Their bandwidths are not published: they get the reference's.
                const hardware::Architecture reference = hardware::architectureOf(space_, *space_.reference);
                architecture.hbmBandwidth = reference.hbmBandwidth;
                architecture.networkBandwidth = reference.networkBandwidth;
            }
            for (const bool expert : {true, false})
                add(architecture, expert, "spotlight-" + name, "Spotlight's accelerator for " + name);
        }
    return all;
}

/// Says where what decides is none of what is searched.
void Scorer::noteMemoryBound(std::size_t model, const ModelResult& made, Result& result) const {
    constexpr double kMostly = 0.5;
    const ModelSearch& search = *models_[model];
    const double share =
        search.memoryBoundShare(result.best->architecture, search.slice(made.choice.microBatch, made.tensorParallel));
    if (share < kMostly) return;
    const hardware::Architecture& best = result.best->architecture;
    const char* const whose = space_.hbmBandwidth.values.empty()
                                  ? "that the template fixes and the search does not vary"
                              : best.hbmBandwidth->value < static_cast<double>(space_.hbmBandwidth.values.back())
                                  ? "that the search chose"
                                  : "that are the most that is searched";
    result.assumptions.push_back(fmt::format(
        "The HBM bounds the best accelerator for {}: operators with {:.0f} % of its time wait for the "
        "{:.6g} TB/s {}.",
        search.workload().name, 100 * share, hardware::ratesOf(best, space_).hbmBandwidth.value / 1e12, whose));
}

/// Says what the bandwidths that are searched cost, and by whose numbers.
void Scorer::noteBandwidths(Result& result) const {
    const auto sourceOf = [&](const char* key, const char* field) {
        const auto known = space_.provenance.find(fmt::format("{}.{}", key, field));
        return known == space_.provenance.end() || known->second.source.empty()
                   ? std::string("by the template")
                   : fmt::format("by {}", known->second.source);
    };
    const auto note = [&](const char* what, const char* key, const hardware::Range& searched,
                          const std::optional<hardware::Interface>& joined) {
        if (searched.values.empty()) return;
        std::string values;
        for (const std::int64_t value : searched.values)
            values +=
                (values.empty() ? "" : ", ") + formatQuantity(static_cast<double>(value), Measure::bytesPerSecond);
        std::string text = fmt::format("The bandwidth {} is searched: {}.", what, values);
        if (joined)
            text += fmt::format(" It comes in units ({}) of {}.", escaped(joined->unit),
                                formatQuantity(joined->rate.value, Measure::bytesPerSecond));
        text += joined && joined->area
                    ? fmt::format(" One takes {:.6g} mm² of the accelerator, {}.", joined->area->value,
                                  sourceOf(key, "mm2"))
                    : " What it takes of the accelerator's area is not known and not counted: more of it is free, and "
                      "an accelerator has the least that gives its objective.";
        text += joined && joined->power ? fmt::format(" One consumes {:.6g} W at its full rate, {}.",
                                                      joined->power->value, sourceOf(key, "watts"))
                                        : " What it consumes is not known and not counted.";
        result.assumptions.push_back(std::move(text));
    };
    note("of the HBM", "hbm_interface", space_.hbmBandwidth, space_.hbmInterface);
    note("between accelerators", "network_interface", space_.networkBandwidth, space_.networkInterface);
}

void Scorer::describe(Result& result) const {
    result.baselines = baselines();
    if (result.best) {
        const Point& best = *result.best;
        for (std::size_t m = 0; m < models_.size(); ++m) {
            // The smallest memory for this model alone.
            Point alone = best;
            alone.hbm = largestMemory();
            for (std::size_t other = 0; other < models_.size(); ++other)
                if (other != m) alone.throughput[other] = 0;
            chooseMemory(alone, options_.scheduleStates);
            const ModelValue value =
                models_[m]->evaluate(best.architecture, alone.hbm, 0, options_.scheduleStates, control_);
            ModelResult& made =
                result.perModel.emplace_back(resultOf(m, best.architecture, value, alone.hbm, options_.scheduleStates));
            if (made.feasible) setSchedule(m, best.architecture, made);
            if (made.feasible) noteMemoryBound(m, made, result);
            for (const Baseline& baseline : result.baselines) {
                if (!baseline.id.starts_with("tpuv4") || !baseline.models[m].feasible) continue;
                (baseline.placement == "expert" ? made.speedupOverExpert : made.speedupOverSolver) =
                    made.throughput / baseline.models[m].throughput;
            }
        }
    }
    const auto note = [](std::vector<std::string>& to, const std::vector<std::string>& sentences) {
        for (const std::string& sentence : sentences)
            if (std::find(to.begin(), to.end(), sentence) == to.end()) to.push_back(sentence);
    };
    for (const auto& model : models_) {
        note(result.assumptions, model->workload().assumptions);
        note(result.warnings, model->workload().warnings);
    }
    const cost::Estimator& estimator = *cost::estimatorNamed(options_.estimator);
    for (const std::string_view sentence : estimator.assumptions) note(result.assumptions, {std::string(sentence)});
    noteBandwidths(result);
    note(result.assumptions,
         {space_.networkBandwidth.values.empty()
              ? fmt::format("Accelerators are joined by a flat network of {:.6g} GB/s each; an all-reduce is a ring.",
                            options_.bandwidth.value / 1e9)
              : fmt::format("Accelerators are joined by a flat network of their own bandwidth, those that have none by "
                            "{:.6g} GB/s each; an all-reduce is a ring.",
                            options_.bandwidth.value / 1e9),
          "A batch takes the load of the slowest stage for each micro-batch of a replica and for each stage but one.",
          fmt::format(
              "Operators are scheduled by branch and bound over at most {} states for each layer and phase where "
              "the best depends on it, {} on what it is compared with, {} elsewhere; a throughput is that of the "
              "schedules found, its bound that of the bounds proved.",
              options_.scheduleStates, options_.comparedStates(), options_.firstStates())});
    if (result.best)
        note(result.assumptions,
             hardware::areaNotes(result.best->architecture, hardware::areaOf(result.best->architecture, space_)));
}

}  // namespace tessera::codesign

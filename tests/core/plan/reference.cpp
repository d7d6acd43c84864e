#include "tests/core/plan/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/physical/energy.h"
#include "core/plan/rules.h"
#include "tests/core/plan/divisions.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;
using physical::Recompute;

physical::StepLayout referenceLayout(const Configuration& c, int microBatches, Recompute recompute = Recompute::none) {
    return {.tensor = c.tensor,
            .pipeline = c.pipeline,
            .data = c.data,
            .context = c.context,
            .expert = c.expert,
            .wholeExperts = c.wholeExperts,
            .chunks = c.chunks,
            .micro = static_cast<double>(c.micro),
            .microBatches = static_cast<double>(microBatches),
            .schedule = c.schedule,
            .recompute = recompute,
            .sequenceParallel = c.tensor > 1,
            .zero = c.zero,
            .order = c.order,
            .apart = c.parts.size() > 1 && c.parts.front().stages == c.pipeline};
}

bool holdReplicas(const Configuration& c) {
    return c.parts.size() > 1 && c.parts.front().stages == c.pipeline;
}

/// Divisions that a schedule allows: any, or that of Megatron-LM where virtual stages are equal.
void forEachAllowed(const Problem& problem, const Configuration& c,
                    const std::function<void(const std::vector<int>&)>& use) {
    if (c.schedule != PipelineSchedule::interleaved)
        return forEachComposition(problem.layers(), static_cast<std::size_t>(c.pipeline), use);
    const int layers = problem.layers(), p = c.pipeline;
    std::vector<int> held(static_cast<std::size_t>(p), layers / p);
    if (layers % p != 0) {
        std::fill(held.begin(), held.end(), (layers + 2) / p);
        --held.front();
        --held.back();
    }
    use(held);
}

/// How layers may be recomputed: one way of all, or any of each.
std::vector<Recompute> kindsOf(const Configuration& c, bool fusesAttention) {
    switch (c.recompute) {
        case Recomputation::none:
            return {Recompute::none};
        case Recomputation::selective:
            return {Recompute::selective};
        case Recomputation::full:
            return {Recompute::full};
        case Recomputation::perStage:
            break;
    }
    if (fusesAttention) return {Recompute::none, Recompute::full};
    return {Recompute::none, Recompute::selective, Recompute::full};
}

}  // namespace

PlanReference::Model& PlanReference::modelOf(const Configuration& c, const Part& part, Recompute recompute) {
    const PlanGroup& group = problem_.groups[part.group];
    double rate = group.networkRate > 0 ? group.networkRate : std::numeric_limits<double>::infinity();
    if (holdReplicas(c))
        for (const Part& other : c.parts)
            if (other.group != part.group) rate = std::min(rate, problem_.between[part.group][other.group]);
    physical::StepSetting setting = group.variants[c.dtype].setting;
    if (rate == std::numeric_limits<double>::infinity()) rate = std::max(setting.device.linkBytesPerSecond, 1.0);
    auto& model = models_[{part.group, rate, c.dtype, c.tensor, c.context, c.expert, c.wholeExperts, c.micro,
                           static_cast<int>(recompute)}];
    if (!model) {
        setting.layout = referenceLayout(c, 1, recompute);
        setting.nodeBytesPerSecond = rate * group.perNode;
        model = std::make_unique<Model>(setting);
    }
    return *model;
}

const std::vector<PlanReference::Held>& PlanReference::heldOf(const Configuration& c) {
    const auto [at, isNew] = held_.try_emplace(c);
    if (isNew) at->second = partsOf(at->first);
    return at->second;
}

std::vector<PlanReference::Held> PlanReference::partsOf(const Configuration& c) {
    std::vector<Held> parts;
    int first = 0;
    for (const Part& part : c.parts) {
        Held held{.part = &part,
                  .variant = &problem_.groups[part.group].variants[c.dtype],
                  .first = first,
                  .layout = referenceLayout(c, part.microBatches),
                  .memoryLayout = referenceLayout(c, part.microBatches),
                  .passLayout = referenceLayout(c, part.microBatches)};
        if (holdReplicas(c)) {
            held.memoryLayout.microBatches = problem_.globalBatch / c.micro;
            held.passLayout.microBatches = held.memoryLayout.microBatches / c.data;
        }
        for (const Recompute recompute : kindsOf(c, held.variant->setting.stack.fusedAttention)) {
            Model& model = modelOf(c, part, recompute);
            held.kinds.push_back({&model, layerTimesOf(model.step.work(held.passLayout), held.variant->constants)});
        }
        const physical::StepConstants& constants = held.variant->constants;
        for (int layers = 0; layers <= problem_.layers(); ++layers) {
            const double reduction = held.model().step.reduction(held.layout, layers).at(constants.network);
            held.once.push_back(constants.data * reduction + held.model().step.optimizer(held.layout, layers));
        }
        if (!holdReplicas(c)) first += part.stages;
        parts.push_back(held);
    }
    return parts;
}

void PlanReference::forEachMix(const Held& held, int layers, const std::function<void(const Mix&)>& use) {
    if (held.kinds.size() == 1) return use({layers, 0, 0});
    for (int second = 0; second <= layers; ++second)
        for (int third = 0; third <= (held.kinds.size() > 2 ? layers - second : 0); ++third)
            use({layers - second - third, second, third});
}

double PlanReference::bytesOf(const Held& held, int stage, const Mix& mix) const {
    const int layers = mix[0] + mix[1] + mix[2];
    const auto memoryOf = [&](const Kind& kind, int count) {
        return kind.model->memory.stage(held.memoryLayout, {.layers = static_cast<double>(count),
                                                            .position = static_cast<double>(stage),
                                                            .first = stage == 0,
                                                            .last = stage + 1 == held.layout.pipeline});
    };
    double activations = 0, working = 0;
    for (std::size_t i = 0; i < held.kinds.size(); ++i) {
        if (mix[i] == 0) continue;
        const physical::StepMemory its = memoryOf(held.kinds[i], mix[i]);
        activations += its.activations;
        working = std::max(working, its.working);
    }
    return memoryOf(held.kinds.front(), layers).parameters + activations + working + held.variant->allowance;
}

double PlanReference::secondsOf(const Held& held, int stage, const Mix& mix) {
    double seconds = stage + 1 == held.layout.pipeline ? held.kinds.front().times.head() : 0;
    for (std::size_t i = 0; i < held.kinds.size(); ++i) seconds += mix[i] * held.kinds[i].times.both();
    return seconds;
}

std::optional<double> PlanReference::stageSeconds(const Held& held, int stage, int layers, double bytes) const {
    const double memory = held.model().setting.device.memory;
    const double most = std::min(memory > 0 ? memory : kAnyBytes, bytes);
    std::optional<double> least;
    forEachMix(held, layers, [&](const Mix& mix) {
        if (bytesOf(held, stage, mix) > most) return;
        const double seconds = secondsOf(held, stage, mix);
        if (!least || seconds < *least) least = seconds;
    });
    return least;
}

double PlanReference::minShare(const Configuration& c) {
    const std::vector<Held>& parts = heldOf(c);
    double least = std::numeric_limits<double>::infinity();
    forEachAllowed(problem_, c, [&](const std::vector<int>& layers) {
        double most = 0;
        for (const Held& held : parts)
            for (int s = held.first; s < held.end(); ++s) {
                double bytes = std::numeric_limits<double>::infinity();
                forEachMix(held, layers[static_cast<std::size_t>(s)],
                           [&](const Mix& mix) { bytes = std::min(bytes, bytesOf(held, s, mix)); });
                most = std::max(most, bytes / held.model().setting.device.memory);
            }
        least = std::min(least, most);
    });
    return least;
}

double PlanReference::hopOf(const Configuration& c, const std::vector<Held>& parts) const {
    double slowest = 0;
    for (const Held& held : parts)
        slowest = std::max(slowest, held.model().step.transfer(held.layout).at(held.variant->constants.network));
    if (parts.size() < 2 || holdReplicas(c)) return slowest;
    const physical::LayerShare share = layerShareOf(parts[0].model().setting);
    const double bytes =
        tokensOf(problem_.model(), share) * problem_.model().hidden * share.activationBytes / share.tensor;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const double rate = problem_.between[parts[i - 1].part->group][parts[i].part->group];
        slowest = std::max(slowest, 10e-6 + bytes / (rate * parts[0].variant->constants.network));
    }
    return slowest;
}

double PlanReference::pipelineOf(const Configuration& c, const std::vector<Held>& parts,
                                 const std::vector<double>& stages, const std::vector<int>& layers, double hop,
                                 int microBatches) {
    physical::PipelineLoad load{.transfer = hop,
                                .waits = waitsForHops(parts.front().model().setting.stack, c.schedule)};
    for (const double each : stages) {
        load.longest = std::max(load.longest, each);
        load.all += each;
    }
    const int fullest = *std::max_element(layers.begin(), layers.end());
    const physical::LayerTimes& times = parts.front().kinds.front().times;
    load.stage = {fullest * times.forward, fullest * (times.backward - times.weights), fullest * times.weights};
    return pipelineSecondsOf(referenceLayout(c, microBatches), load);
}

double PlanReference::onceOf(const std::vector<Held>& parts, const std::vector<int>& layers) {
    double most = 0;
    for (const Held& held : parts)
        for (int s = held.first; s < held.end(); ++s)
            most = std::max(most, held.once[static_cast<std::size_t>(layers[static_cast<std::size_t>(s)])]);
    return most;
}

double PlanReference::startOf(const std::vector<Held>& parts) {
    double start = 0;
    for (const Held& held : parts) start = std::max(start, held.variant->constants.start);
    return start;
}

namespace {

/// Most micro-batches of replicas in all, at least one on each part and at most so many, that end so many each.
int mostOfReplicas(const std::vector<Part>& parts, int replicas, const std::vector<int>& each) {
    int most = 0;
    const std::function<void(std::size_t, int, int)> choose = [&](std::size_t part, int left, int sum) {
        if (part == parts.size()) {
            if (left == 0) most = std::max(most, sum);
            return;
        }
        for (int r = 1; r <= std::min(parts[part].replicas, left); ++r)
            choose(part + 1, left - r, sum + r * each[part]);
    };
    choose(0, replicas, 0);
    return most;
}

}  // namespace

/// Of replicas that share micro-batches, every time that some number of them takes is tried as that of the slowest.
double PlanReference::leastOfShares(const Configuration& c, const std::vector<Held>& parts,
                                    const std::vector<std::vector<double>>& stages, const std::vector<int>& layers,
                                    double hop) const {
    const double beside = onceOf(parts, layers) + startOf(parts);
    if (!holdReplicas(c)) {
        std::vector<double> all;
        for (const std::vector<double>& each : stages) all.insert(all.end(), each.begin(), each.end());
        return pipelineOf(c, parts, all, layers, hop, parts.front().part->microBatches) + beside;
    }
    const int all = static_cast<int>(problem_.globalBatch) / c.micro;
    std::vector<std::vector<double>> seconds(parts.size());
    std::vector<double> slowest;
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (int m = 1; m <= all; ++m) {
            seconds[i].push_back(pipelineOf(c, {parts[i]}, stages[i], layers, hop, m));
            slowest.push_back(seconds[i].back());
        }
    std::sort(slowest.begin(), slowest.end());
    const auto isEnough = [&](double within) {
        std::vector<int> each;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto most = std::upper_bound(seconds[i].begin(), seconds[i].end(), within) - seconds[i].begin();
            if (most == 0) return false;
            each.push_back(static_cast<int>(most));
        }
        return mostOfReplicas(c.parts, c.data, each) >= all;
    };
    return *std::partition_point(slowest.begin(), slowest.end(), [&](double within) { return !isEnough(within); }) +
           beside;
}

std::optional<double> PlanReference::leastSeconds(const Configuration& c, double bytes) {
    const std::vector<Held>& parts = heldOf(c);
    const double hop = hopOf(c, parts);
    std::optional<double> least;
    forEachAllowed(problem_, c, [&](const std::vector<int>& layers) {
        std::vector<std::vector<double>> stages(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            for (int s = parts[i].first; s < parts[i].end(); ++s) {
                const auto seconds = stageSeconds(parts[i], s, layers[static_cast<std::size_t>(s)], bytes);
                if (!seconds) return;
                stages[i].push_back(*seconds);
            }
        const double seconds = leastOfShares(c, parts, stages, layers, hop);
        if (!least || seconds < *least) least = seconds;
    });
    return least;
}

std::optional<double> PlanReference::leastSecondsUpTo(const Configuration& c, const std::function<bool(int)>& allows,
                                                      double bytes) {
    std::optional<double> least;
    Configuration at = c;
    int most = 0;
    for (const Part& part : c.parts) most += part.replicas;
    for (at.data = static_cast<int>(c.parts.size()); at.data <= most; ++at.data) {
        if (!allows(at.data)) continue;
        const std::optional<double> seconds = leastSeconds(at, bytes);
        if (seconds && (!least || *seconds < *least)) least = seconds;
    }
    return least;
}

double PlanReference::minBytes(const Configuration& c, double longestStep,
                               const std::function<std::optional<double>(double bytes)>& seconds) {
    std::vector<double> all;
    Configuration at = c;
    // Of fewer replicas side by side, too.
    for (at.data = holdReplicas(c) ? 1 : c.data; at.data <= c.data; ++at.data)
        for (const Held& held : heldOf(at))
            for (int s = held.first; s < held.end(); ++s)
                for (int layers = 1; layers <= problem_.layers(); ++layers)
                    forEachMix(held, layers, [&](const Mix& mix) { all.push_back(bytesOf(held, s, mix)); });
    std::sort(all.begin(), all.end());
    const auto isEnough = [&](double bytes) {
        const std::optional<double> its = seconds(bytes);
        constexpr double kRounding = 1e-12;
        return its && *its <= longestStep * (1 + kRounding);
    };
    std::size_t bad = 0, good = all.size() - 1;
    if (isEnough(all[bad])) return all[bad];
    while (good - bad > 1) {
        const std::size_t middle = (good + bad) / 2;
        (isEnough(all[middle]) ? good : bad) = middle;
    }
    return all[good];
}

/// Of all accelerators of a part, stage by stage.
double PlanReference::joulesOf(const Held& held, const std::vector<Mix>& mixes, double seconds) const {
    const physical::StepConstants& k = held.variant->constants;
    const auto add = [&](physical::BusySeconds& busy, const physical::PassSeconds& pass, double count) {
        busy.products += count * (pass.products * k.products + pass.attention / k.attention);
        busy.memory += count * (pass.bytes + pass.permuted * k.permutation) / k.bandwidth;
    };
    double joules = 0;
    const double micros = held.part->microBatches;
    for (int s = held.first; s < held.end(); ++s) {
        const Mix& mix = mixes[static_cast<std::size_t>(s)];
        physical::BusySeconds busy{.step = seconds, .products = 0, .memory = 0};
        for (std::size_t i = 0; i < held.kinds.size(); ++i) {
            const physical::StepPasses& passes = held.kinds[i].model->step.passes();
            for (const auto* pass : {&passes.forward, &passes.backward}) add(busy, *pass, micros * mix[i]);
        }
        const physical::StepPasses& passes = held.model().step.passes();
        if (s + 1 == held.layout.pipeline)
            for (const auto* pass : {&passes.headForward, &passes.headBackward}) add(busy, *pass, micros);
        const int layers = mix[0] + mix[1] + mix[2];
        const physical::AddedGradients added = held.model().step.accumulation(held.passLayout);
        const double head = s + 1 == held.layout.pipeline ? added.head : 0;
        busy.memory += micros * k.products * (layers * added.layer + head);
        busy.memory += held.model().step.optimizer(held.layout, layers);
        joules += physical::joulesOf(physical::powerLimit({}, held.model().setting.device), busy);
    }
    return joules * held.part->replicas * held.layout.tensor * held.layout.context;
}

PlanReference::Mix PlanReference::mixOf(const Held& held, int layers, const RecomputedLayers& recomputed) {
    const int kept = layers - recomputed.selective - recomputed.full;
    switch (held.kinds.size()) {
        case 1:
            return {layers, 0, 0};
        case 2:
            EXPECT_EQ(recomputed.selective, 0);
            return {kept, recomputed.full, 0};
        default:
            return {kept, recomputed.selective, recomputed.full};
    }
}

std::optional<Scores> PlanReference::scoresOf(const Configuration& c, const std::vector<int>& layers,
                                              const std::vector<RecomputedLayers>& recomputed) {
    const std::vector<Held>& parts = heldOf(c);
    Scores scores;
    std::vector<Mix> mixes(layers.size());
    std::vector<std::vector<double>> stages;
    for (const Held& held : parts) {
        stages.emplace_back();
        for (int s = held.first; s < held.end(); ++s) {
            const auto at = static_cast<std::size_t>(s);
            const Mix& mix = mixes[at] = mixOf(held, layers[at], recomputed[at]);
            const double bytes = bytesOf(held, s, mix), memory = held.model().setting.device.memory;
            if (memory > 0 && bytes > memory) return std::nullopt;
            double& most = scores.of(Objective::memory);
            most = std::max(most, bytes);
            stages.back().push_back(secondsOf(held, s, mix));
        }
    }
    double& seconds = scores.of(Objective::time);
    const double hop = hopOf(c, parts);
    if (holdReplicas(c)) {
        for (std::size_t i = 0; i < parts.size(); ++i)
            seconds = std::max(seconds, pipelineOf(c, {parts[i]}, stages[i], layers, hop, parts[i].part->microBatches));
        seconds += onceOf(parts, layers) + startOf(parts);
    } else {
        seconds = leastOfShares(c, parts, stages, layers, hop);
    }
    for (const Held& held : parts) {
        const double count = 1.0 * c.tensor * c.context * held.part->stages * held.part->replicas;
        scores.of(Objective::accelerators) += count;
        scores.of(Objective::price) +=
            count * problem_.groups[held.part->group].pricePerHour.value_or(0) * seconds / 3600;
        scores.of(Objective::energy) += joulesOf(held, mixes, seconds);
    }
    return scores;
}

bool allowsReplicas(const Problem& problem, const Space& space, Configuration c, int replicas) {
    c.data = replicas;
    return space.allows(Axis::data, replicas) && faultOf(problem, c) == Fault::none;
}

namespace {

/// Every configuration of some degrees and any groups.
class AllOfSpace {
public:
    AllOfSpace(const Problem& problem, const Space& space, const std::function<void(const Configuration&)>& use)
        : problem_(problem), space_(space), use_(use) {
        for (const PlanGroup& group : problem.groups) most_ = std::max(most_, static_cast<int>(group.count));
    }

    void look() {
        Configuration c;
        for (c.dtype = 0; c.dtype < problem_.dtypes.size(); ++c.dtype)
            for (c.tensor = 1; c.tensor <= most_; ++c.tensor)
                for (c.context = 1; c.tensor * c.context <= most_; ++c.context)
                    for (c.expert = 1; c.expert <= std::max<int>(static_cast<int>(problem_.model().experts), 1);
                         ++c.expert)
                        for (c.micro = 1; c.micro <= static_cast<int>(problem_.globalBatch); ++c.micro)
                            if (allows(Axis::dtype, static_cast<int>(c.dtype)) && allows(Axis::tensor, c.tensor) &&
                                allows(Axis::context, c.context) && allows(Axis::expert, c.expert) &&
                                allows(Axis::micro, c.micro))
                                lookAtExperts(c);
    }

private:
    bool allows(Axis axis, int value) const { return space_.allows(axis, value); }

    void lookAtExperts(Configuration c) {
        for (const bool isWhole : {false, true}) {
            c.wholeExperts = isWhole;
            if (problem_.model().experts < 1 || allows(Axis::expertTensor, isWhole ? 1 : c.tensor)) lookAtSavings(c);
        }
    }

    void lookAtSavings(Configuration c) {
        for (int recompute = 0; recompute < 4; ++recompute)
            for (c.zero = 0; c.zero <= 3; ++c.zero)
                for (c.pipeline = 1; c.pipeline <= std::min(problem_.layers(), 3 * most_); ++c.pipeline) {
                    c.recompute = static_cast<Recomputation>(recompute);
                    if (!allows(Axis::recompute, recompute) || !allows(Axis::zero, c.zero) ||
                        !allows(Axis::pipeline, c.pipeline))
                        continue;
                    for (int schedule = 0; schedule < 8; ++schedule) lookAtSchedule(c, schedule);
                }
    }

    void lookAtSchedule(Configuration c, int schedule) {
        c.schedule = static_cast<PipelineSchedule>(schedule);
        const bool isPlain = c.schedule == PipelineSchedule::oneForwardOneBackward;
        const bool isInterleaved = c.schedule == PipelineSchedule::interleaved;
        if (c.pipeline == 1) {
            if (!isPlain) return;
        } else if (!allows(Axis::schedule, schedule)) {
            return;
        }
        for (c.chunks = 1; c.chunks <= (isInterleaved ? problem_.layers() + 2 : 1); ++c.chunks)
            if (allows(Axis::chunks, c.chunks)) lookAtGroups(c);
    }

    void lookAtGroups(const Configuration& c) {
        for (std::size_t a = 0; a < problem_.groups.size(); ++a) {
            if (!isUsable(a)) continue;
            lookAtReplicas(c, {{a, c.pipeline, 1, 1}});
            for (int ahead = 1; ahead < c.pipeline; ++ahead) lookBehind(c, {{a, ahead, 1, 1}}, c.pipeline - ahead);
        }
        for (unsigned set = 0; set < 1U << problem_.groups.size(); ++set) lookSideBySide(c, set);
    }

    /// The last stages of a pipeline on groups that hold none of the first ones.
    void lookBehind(const Configuration& c, const std::vector<Part>& ahead, int left) {
        for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
            const auto holds = [&](const Part& part) { return part.group == group; };
            if (!isUsable(group) || std::any_of(ahead.begin(), ahead.end(), holds)) continue;
            for (int stages = 1; stages <= left; ++stages) {
                std::vector<Part> parts = ahead;
                parts.push_back({group, stages, 1, 1});
                if (stages < left)
                    lookBehind(c, parts, left - stages);
                else
                    lookAtReplicas(c, parts);
            }
        }
    }

    void lookAtReplicas(Configuration c, const std::vector<Part>& parts) {
        const auto areThere = [&] {
            return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
                return c.tensor * c.context * part.stages * c.data <= problem_.groups[part.group].count;
            });
        };
        for (c.data = 1; areThere(); ++c.data)
            if (allows(Axis::data, c.data)) useParts(c, parts);
    }

    void useParts(Configuration c, std::vector<Part> parts) {
        for (Part& part : parts) {
            part.replicas = c.data;
            part.microBatches = static_cast<int>(problem_.globalBatch) / (c.micro * c.data);
        }
        c.parts = std::move(parts);
        lookAtOrders(c);
    }

    /// Orders that do not differ count as one, whatever is allowed.
    void lookAtOrders(Configuration c) {
        const bool differ = !(c.parts.size() > 1 && c.parts.front().stages < c.pipeline) && ordersDiffer(problem_, c);
        for (int order = 0; order < (differ ? 2 : 1); ++order) {
            c.order = static_cast<physical::RankOrder>(order);
            if (differ && !allows(Axis::order, order)) continue;
            if (faultOf(problem_, c) == Fault::none) use_(c);
        }
    }

    void lookSideBySide(Configuration c, unsigned set) {
        c.data = 0;
        for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
            if ((set >> group & 1U) == 0) continue;
            const int replicas = static_cast<int>(problem_.groups[group].count) / (c.tensor * c.context * c.pipeline);
            if (!isUsable(group) || replicas < 1) return;
            c.parts.push_back({group, c.pipeline, replicas, 1});
            c.data += replicas;
        }
        if (c.parts.size() < 2) return;
        c.data = std::min(c.data, static_cast<int>(problem_.globalBatch) / c.micro);
        const int least = static_cast<int>(c.parts.size());
        while (c.data >= least && !(allows(Axis::data, c.data) && mayHave(c, c.data))) --c.data;
        if (c.data >= least) lookAtOrders(c);
    }

    /// Whether experts are shared evenly among so many replicas.
    bool mayHave(Configuration c, int replicas) const {
        c.data = replicas;
        return faultOf(problem_, c) != Fault::experts;
    }

    bool isUsable(std::size_t group) const { return allows(Axis::group, static_cast<int>(group)); }

    const Problem& problem_;
    const Space& space_;
    const std::function<void(const Configuration&)>& use_;
    int most_ = 1;
};

}  // namespace

void forEachConfiguration(const Problem& problem, const Space& space,
                          const std::function<void(const Configuration&)>& use) {
    AllOfSpace(problem, space, use).look();
}

}  // namespace tessera::plan

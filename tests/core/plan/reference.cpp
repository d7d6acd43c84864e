#include "tests/core/plan/reference.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/physical/energy.h"
#include "core/plan/rules.h"
#include "tests/core/plan/divisions.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;

physical::StepLayout referenceLayout(const Configuration& c, int microBatches) {
    return {.tensor = c.tensor,
            .pipeline = c.pipeline,
            .data = c.data,
            .context = c.context,
            .expert = c.expert,
            .chunks = c.chunks,
            .micro = static_cast<double>(c.micro),
            .microBatches = static_cast<double>(microBatches),
            .schedule = c.schedule,
            .recompute = c.recompute,
            .sequenceParallel = c.tensor > 1,
            .zero = c.zero};
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

}  // namespace

PlanReference::Model& PlanReference::modelOf(const Configuration& c, const Part& part) {
    const PlanGroup& group = problem_.groups[part.group];
    double rate = group.networkRate > 0 ? group.networkRate : std::numeric_limits<double>::infinity();
    if (holdReplicas(c))
        for (const Part& other : c.parts)
            if (other.group != part.group) rate = std::min(rate, problem_.between[part.group][other.group]);
    physical::StepSetting setting = group.variants[c.dtype].setting;
    if (rate == std::numeric_limits<double>::infinity()) rate = std::max(setting.device.linkBytesPerSecond, 1.0);
    auto& model =
        models_[{part.group, rate, c.dtype, c.tensor, c.context, c.expert, c.micro, static_cast<int>(c.recompute)}];
    if (!model) {
        setting.layout = referenceLayout(c, 1);
        setting.nodeBytesPerSecond = rate * group.perNode;
        model = std::make_unique<Model>(setting);
    }
    return *model;
}

std::vector<PlanReference::Held> PlanReference::heldOf(const Configuration& c) {
    std::vector<Held> parts;
    int first = 0;
    for (const Part& part : c.parts) {
        Held held{.part = &part,
                  .variant = &problem_.groups[part.group].variants[c.dtype],
                  .model = &modelOf(c, part),
                  .first = first,
                  .layout = referenceLayout(c, part.microBatches),
                  .memoryLayout = referenceLayout(c, part.microBatches),
                  .times = {}};
        if (holdReplicas(c)) held.memoryLayout.microBatches = problem_.globalBatch / c.micro;
        held.times = layerTimesOf(held.model->step.work(held.layout), held.variant->constants);
        if (!holdReplicas(c)) first += part.stages;
        parts.push_back(held);
    }
    return parts;
}

/// Of the memory of an accelerator, what the fullest stage of a part takes.
double PlanReference::fullestShare(const Held& held, const std::vector<int>& layers) const {
    double most = 0;
    const double memory = held.model->setting.device.memory;
    for (int s = held.first; memory > 0 && s < held.first + held.part->stages; ++s) {
        const physical::StageKind kind{.layers = static_cast<double>(layers[static_cast<std::size_t>(s)]),
                                       .position = static_cast<double>(s),
                                       .first = s == 0,
                                       .last = s + 1 == held.layout.pipeline};
        const double bytes = held.model->memory.stage(held.memoryLayout, kind).total() + held.variant->allowance;
        most = std::max(most, bytes / memory);
    }
    return most;
}

double PlanReference::leastShare(const Configuration& c) {
    const std::vector<Held> parts = heldOf(c);
    double least = std::numeric_limits<double>::infinity();
    forEachAllowed(problem_, c, [&](const std::vector<int>& layers) {
        double most = 0;
        for (const Held& held : parts) most = std::max(most, fullestShare(held, layers));
        least = std::min(least, most);
    });
    return least;
}

double PlanReference::hopOf(const Configuration& c, const std::vector<Held>& parts) const {
    double slowest = 0;
    for (const Held& held : parts)
        slowest = std::max(slowest, held.model->step.transfer(held.layout).at(held.variant->constants.network));
    if (parts.size() < 2 || holdReplicas(c)) return slowest;
    const physical::LayerShare share = layerShareOf(parts[0].model->setting);
    const double bytes =
        tokensOf(problem_.model(), share) * problem_.model().hidden * share.activationBytes / share.tensor;
    const double rate = problem_.between[parts[0].part->group][parts[1].part->group];
    return std::max(slowest, 10e-6 + bytes / (rate * parts[0].variant->constants.network));
}

double PlanReference::secondsOf(const Configuration& c, const std::vector<Held>& parts, const std::vector<int>& layers,
                                double hop, int microBatches) const {
    physical::PipelineLoad load{.transfer = hop};
    int fullest = 0;
    for (const Held& held : parts)
        for (int s = held.first; s < held.first + held.part->stages; ++s) {
            const int count = layers[static_cast<std::size_t>(s)];
            const double both = count * held.times.both() + (s + 1 == c.pipeline ? held.times.head() : 0);
            load.longest = std::max(load.longest, both);
            load.all += both;
            fullest = std::max(fullest, count);
        }
    const physical::LayerTimes& times = parts.front().times;
    load.stage = {fullest * times.forward, fullest * (times.backward - times.weights), fullest * times.weights};
    return pipelineSecondsOf(referenceLayout(c, microBatches), load);
}

double PlanReference::onceOf(const std::vector<Held>& parts, const std::vector<int>& layers) const {
    double most = 0;
    for (const Held& held : parts)
        for (int s = held.first; s < held.first + held.part->stages; ++s) {
            const int count = layers[static_cast<std::size_t>(s)];
            const physical::StepConstants& constants = held.variant->constants;
            const double reduction = held.model->step.reduction(held.layout, count).at(constants.network);
            most = std::max(most, constants.data * reduction + held.model->step.optimizer(held.layout, count));
        }
    return most;
}

double PlanReference::stepOf(const Configuration& c, const std::vector<Held>& parts, const std::vector<int>& layers,
                             const std::vector<int>& microBatches) const {
    const double hop = hopOf(c, parts);
    double start = 0, slowest = 0;
    for (const Held& held : parts) start = std::max(start, held.variant->constants.start);
    if (!holdReplicas(c)) return secondsOf(c, parts, layers, hop, microBatches.front()) + onceOf(parts, layers) + start;
    for (std::size_t i = 0; i < parts.size(); ++i)
        slowest = std::max(slowest, secondsOf(c, {parts[i]}, layers, hop, microBatches[i]));
    return slowest + onceOf(parts, layers) + start;
}

double PlanReference::leastOfShares(const Configuration& c, const std::vector<Held>& parts,
                                    const std::vector<int>& layers) const {
    if (!holdReplicas(c)) return stepOf(c, parts, layers, {parts.front().part->microBatches});
    const int all = static_cast<int>(problem_.globalBatch) / c.micro;
    const double hop = hopOf(c, parts);
    std::vector<std::vector<double>> seconds(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (int m = 1; m <= all; ++m) seconds[i].push_back(secondsOf(c, {parts[i]}, layers, hop, m));
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> shares(parts.size(), 1);
    const std::function<void(std::size_t, int, double)> choose = [&](std::size_t at, int sum, double slowest) {
        if (at == parts.size()) {
            if (sum >= all) least = std::min(least, slowest);
            return;
        }
        for (int m = 1; m <= all; ++m)
            choose(at + 1, sum + m * parts[at].part->replicas,
                   std::max(slowest, seconds[at][static_cast<std::size_t>(m - 1)]));
    };
    choose(0, 0, 0);
    double start = 0;
    for (const Held& held : parts) start = std::max(start, held.variant->constants.start);
    return least + onceOf(parts, layers) + start;
}

std::optional<double> PlanReference::leastSeconds(const Configuration& c) {
    const std::vector<Held> parts = heldOf(c);
    std::optional<double> least;
    forEachAllowed(problem_, c, [&](const std::vector<int>& layers) {
        for (const Held& held : parts)
            if (fullestShare(held, layers) > 1) return;
        const double seconds = leastOfShares(c, parts, layers);
        if (!least || seconds < *least) least = seconds;
    });
    return least;
}

/// Of all accelerators of a part, stage by stage.
double PlanReference::joulesOf(const Held& held, const std::vector<int>& layers, double seconds) const {
    const physical::StepPasses& passes = held.model->step.passes();
    const physical::StepConstants& k = held.variant->constants;
    const auto add = [&](physical::BusySeconds& busy, const physical::PassSeconds& pass, double count) {
        busy.products += count * (pass.products * k.products + pass.attention / k.attention);
        busy.memory += count * (pass.bytes + pass.permuted * k.permutation) / k.bandwidth;
    };
    double joules = 0;
    const double micros = held.part->microBatches;
    for (int s = held.first; s < held.first + held.part->stages; ++s) {
        const int count = layers[static_cast<std::size_t>(s)];
        physical::BusySeconds busy{.step = seconds, .products = 0, .memory = 0};
        for (const auto* pass : {&passes.forward, &passes.backward}) add(busy, *pass, micros * count);
        if (s + 1 == held.layout.pipeline)
            for (const auto* pass : {&passes.headForward, &passes.headBackward}) add(busy, *pass, micros);
        busy.memory += held.model->step.optimizer(held.layout, count);
        joules += physical::joulesOf(physical::powerLimit({}, held.model->setting.device), busy);
    }
    return joules * held.part->replicas * held.layout.tensor * held.layout.context;
}

std::optional<Scores> PlanReference::scoresOf(const Configuration& c, const std::vector<int>& layers) {
    const std::vector<Held> parts = heldOf(c);
    Scores scores;
    std::vector<int> microBatches;
    for (const Held& held : parts) {
        if (fullestShare(held, layers) > 1) return std::nullopt;
        microBatches.push_back(held.part->microBatches);
    }
    const double seconds = stepOf(c, parts, layers, microBatches);
    scores.of(Objective::time) = seconds;
    for (const Held& held : parts) {
        const double count = 1.0 * c.tensor * c.context * held.part->stages * held.part->replicas;
        scores.of(Objective::accelerators) += count;
        scores.of(Objective::price) +=
            count * problem_.groups[held.part->group].pricePerHour.value_or(0) * seconds / 3600;
        scores.of(Objective::energy) += joulesOf(held, layers, seconds);
        for (int s = held.first; s < held.first + held.part->stages; ++s) {
            const physical::StageKind kind{.layers = static_cast<double>(layers[static_cast<std::size_t>(s)]),
                                           .position = static_cast<double>(s),
                                           .first = s == 0,
                                           .last = s + 1 == c.pipeline};
            double& most = scores.of(Objective::memory);
            most = std::max(most, held.model->memory.stage(held.memoryLayout, kind).total() + held.variant->allowance);
        }
    }
    return scores;
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
                                lookAtSavings(c);
    }

private:
    bool allows(Axis axis, int value) const { return space_.allows(axis, value); }

    void lookAtSavings(Configuration c) {
        for (int recompute = 0; recompute < 3; ++recompute)
            for (c.zero = 0; c.zero <= 3; ++c.zero)
                for (c.pipeline = 1; c.pipeline <= std::min(problem_.layers(), 2 * most_); ++c.pipeline) {
                    c.recompute = static_cast<physical::Recompute>(recompute);
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
        } else if (space_.of(Axis::schedule).values.empty()) {
            if (!isPlain && !isInterleaved) return;
        } else if (!allows(Axis::schedule, schedule)) {
            return;
        }
        for (c.chunks = 1; c.chunks <= (isInterleaved ? problem_.layers() + 2 : 1); ++c.chunks)
            if (allows(Axis::chunks, c.chunks)) lookAtGroups(c);
    }

    void lookAtGroups(const Configuration& c) {
        for (std::size_t a = 0; a < problem_.groups.size(); ++a) {
            if (!isUsable(a)) continue;
            lookAtReplicas(c, [&](Configuration each) { useParts(std::move(each), {{a, c.pipeline, 1, 1}}); });
            for (std::size_t b = 0; b < problem_.groups.size(); ++b)
                for (int ahead = 1; a != b && isUsable(b) && ahead < c.pipeline; ++ahead)
                    lookAtReplicas(c, [&](Configuration each) {
                        useParts(std::move(each), {{a, ahead, 1, 1}, {b, c.pipeline - ahead, 1, 1}});
                    });
        }
        for (unsigned set = 0; set < 1U << problem_.groups.size(); ++set) lookSideBySide(c, set);
    }

    template <typename Use>
    void lookAtReplicas(Configuration c, const Use& use) {
        for (c.data = 1; c.tensor * c.context * c.data <= most_; ++c.data)
            if (allows(Axis::data, c.data)) use(c);
    }

    void useParts(Configuration c, std::vector<Part> parts) {
        for (Part& part : parts) {
            part.replicas = c.data;
            part.microBatches = static_cast<int>(problem_.globalBatch) / (c.micro * c.data);
        }
        c.parts = std::move(parts);
        if (faultOf(problem_, c) == Fault::none) use_(c);
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
        if (c.parts.size() < 2 || !allows(Axis::data, c.data)) return;
        if (faultOf(problem_, c) == Fault::none) use_(c);
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

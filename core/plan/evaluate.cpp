#include "core/plan/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/device.h"
#include "core/physical/energy.h"
#include "core/physical/estimate.h"
#include "core/plan/rules.h"
#include "core/plan/stages.h"

namespace tessera::plan {

namespace {

using physical::LayerTimes;
using physical::StageKind;
using physical::StepLayout;
using physical::StepMemory;

constexpr double kUnknown = -1;
constexpr double kNetworkStart = 10e-6;  // s, of a message that leaves a node

/// Most layers that anything may hold: a device whose memory is not known holds all.
int wholeLayers(double count, int most) {
    if (!(count > 0)) return 0;
    return count >= most ? most : static_cast<int>(count);
}

/// The kernels of a step that a device is busy with, of a micro-batch.
struct BusyTimes {
    double products = 0, memory = 0;
    void add(const physical::PassSeconds& pass, const physical::StepConstants& c) {
        products += pass.products * c.products + pass.attention / c.attention;
        memory += (pass.bytes + pass.permuted * c.permutation) / c.bandwidth;
    }
};

/// What a group does in the configurations of a judge.
class GroupModel {
public:
    GroupModel(const PlanGroup& group, const Configuration& like, double rate)
        : group_(group),
          variant_(group.variants[like.dtype]),
          setting_(settingOf(variant_.setting, like, rate * group.perNode)),
          step_(setting_),
          memory_(setting_),
          watts_(physical::powerLimit({}, setting_.device)) {
        const physical::StepPasses& passes = step_.passes();
        for (const physical::PassSeconds* pass : {&passes.forward, &passes.backward})
            layerBusy_.add(*pass, constants());
        for (const physical::PassSeconds* pass : {&passes.headForward, &passes.headBackward})
            headBusy_.add(*pass, constants());
        plain_ = timesWith({});
    }

    const physical::StepConstants& constants() const { return variant_.constants; }
    const GroupVariant& variant() const { return variant_; }
    const PlanGroup& group() const { return group_; }
    const physical::StepSetting& setting() const { return setting_; }
    const physical::StepModel& step() const { return step_; }
    double watts() const { return watts_; }
    const BusyTimes& layerBusy() const { return layerBusy_; }
    const BusyTimes& headBusy() const { return headBusy_; }
    double capacity() const {
        return setting_.device.memory > 0 ? setting_.device.memory : std::numeric_limits<double>::infinity();
    }

    const LayerTimes& times(const StepLayout& layout) {
        if (layout.zero < 3) return plain_;
        if (sharded_.first != layout.data) sharded_ = {layout.data, timesWith(step_.gather(layout))};
        return sharded_.second;
    }
    const LayerTimes& plainTimes() const { return plain_; }

    double transfer(const StepLayout& layout) {
        const std::pair key(layout.data, layout.pipeline);
        if (transferKey_ != key) {
            transferKey_ = key;
            transfer_ = step_.transfer(layout).at(constants().network);
        }
        return transfer_;
    }

    /// Exposed seconds of the reduction of a stage's gradients, and of its update.
    double once(const StepLayout& layout, int layers) {
        const std::pair key(layout.data, layout.zero >= 3);
        if (reductionKey_ != key) {
            reductionKey_ = key;
            reductions_.assign(reductions_.size(), kUnknown);
        }
        const auto at = static_cast<std::size_t>(layers);
        if (at >= reductions_.size()) reductions_.resize(at + 1, kUnknown);
        if (reductions_[at] < 0)
            reductions_[at] = constants().data * step_.reduction(layout, layers).at(constants().network);
        return reductions_[at] + step_.optimizer(layout, layers);
    }

    /// Memory of a stage without layers, and of a layer.
    std::pair<StepMemory, StepMemory> memoryAt(const StepLayout& layout, int position) const {
        StageKind kind{.layers = 0,
                       .position = static_cast<double>(position),
                       .first = position == 0,
                       .last = position == layout.pipeline - 1};
        const StepMemory none = memory_.stage(layout, kind);
        kind.layers = 1;
        const StepMemory one = memory_.stage(layout, kind);
        return {none, {one.parameters - none.parameters, one.activations - none.activations, 0}};
    }

    StepMemory memoryOf(const StepLayout& layout, int position, int layers) const {
        return memory_.stage(layout, {.layers = static_cast<double>(layers),
                                      .position = static_cast<double>(position),
                                      .first = position == 0,
                                      .last = position == layout.pipeline - 1});
    }

private:
    static physical::StepSetting settingOf(physical::StepSetting setting, const Configuration& like, double nodeRate) {
        setting.layout = layoutOf(like, {});
        setting.nodeBytesPerSecond = nodeRate;
        return setting;
    }

    LayerTimes timesWith(const physical::GroupSeconds& gather) const {
        physical::StepWork work;
        static_cast<physical::StepPasses&>(work) = step_.passes();
        work.gather = gather.inside;
        work.gatherNetwork = gather.network;
        work.alternates = setting_.stack.alternates;
        return layerTimesOf(work, constants());
    }

    const PlanGroup& group_;
    const GroupVariant& variant_;
    physical::StepSetting setting_;
    physical::StepModel step_;
    physical::StageMemoryModel memory_;
    double watts_;
    BusyTimes layerBusy_, headBusy_;
    LayerTimes plain_;
    std::pair<int, LayerTimes> sharded_{-1, {}};
    std::pair<int, int> transferKey_{-1, -1};
    double transfer_ = 0;
    std::pair<int, bool> reductionKey_{-1, false};
    std::vector<double> reductions_;
};

/// Micro-batches of each of several pipelines, so that the slowest is fastest: pipeline i takes `start[i] + m each[i]`
/// for m of them and there are `replicas[i]` of it.
std::vector<int> sharedMicroBatches(int all, const std::vector<double>& start, const std::vector<double>& each,
                                    const std::vector<int>& replicas) {
    const std::size_t count = start.size();
    std::vector<int> shares(count, 1);
    const auto sharesAt = [&](double seconds) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            shares[i] = std::clamp(static_cast<int>((seconds - start[i]) / each[i]), 1, all);
            sum += std::int64_t{shares[i]} * replicas[i];
        }
        return sum;
    };
    double low = 0, high = 0;
    for (std::size_t i = 0; i < count; ++i) high = std::max(high, start[i] + (all + 1.0) * each[i]);
    constexpr int kHalvings = 60;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (sharesAt(middle) >= all ? high : low) = middle;
    }
    std::int64_t surplus = sharesAt(high) - all;
    // The slowest gives up what the others hold anyway.
    for (bool moved = true; moved;) {
        moved = false;
        std::size_t slowest = count;
        for (std::size_t i = 0; i < count; ++i)
            if (shares[i] > 1 && replicas[i] <= surplus &&
                (slowest == count || start[i] + shares[i] * each[i] > start[slowest] + shares[slowest] * each[slowest]))
                slowest = i;
        if (slowest == count) break;
        --shares[slowest];
        surplus -= replicas[slowest];
        moved = true;
    }
    return shares;
}

}  // namespace

MemoryTerm Shortage::largest() const {
    if (memory.activations >= memory.parameters && memory.activations >= memory.working) return MemoryTerm::activations;
    return memory.working > memory.parameters ? MemoryTerm::working : MemoryTerm::parameters;
}

struct Judge::Data {
    Data(const Problem& given, const Configuration& common) : problem(given), like(common), layers(given.layers()) {}

    /// The model of a group whose collectives and messages reach the network at a rate.
    GroupModel& model(std::size_t group, double rate) {
        auto& found = models[{group, rate}];
        if (!found) found = std::make_unique<GroupModel>(problem.groups[group], like, rate);
        return *found;
    }

    /// The rate of the network between the nodes that a part's replicas span.
    double rateOf(const Configuration& configuration, const Part& part) const {
        double rate = problem.groups[part.group].networkRate;
        if (configuration.isStacked()) return rate;
        for (const Part& other : configuration.parts) {
            if (other.group == part.group) continue;
            const double between = problem.between[part.group][other.group];
            rate = rate > 0 ? std::min(rate, between) : between;
        }
        return rate;
    }

    struct Placed {
        const Part* part = nullptr;
        StepLayout layout;
        GroupModel* model = nullptr;
        int first = 0;  ///< its first stage
    };

    std::vector<Placed> placedOf(const Configuration& configuration) {
        std::vector<Placed> placed;
        int stage = 0;
        for (const Part& part : configuration.parts) {
            Placed each{.part = &part, .layout = layoutOf(configuration, part), .first = stage};
            double rate = rateOf(configuration, part);
            if (rate <= 0)
                rate = std::max(problem.groups[part.group].variants[like.dtype].setting.device.linkBytesPerSecond, 1.0);
            each.model = &model(part.group, rate);
            if (configuration.isStacked()) stage += part.stages;
            // Side by side, the pipeline is taken to be full.
            if (configuration.parts.size() > 1 && !configuration.isStacked())
                each.layout.microBatches = allMicroBatches(problem, configuration);
            placed.push_back(each);
        }
        return placed;
    }

    /// Seconds of a micro-batch from stage to stage: the slowest hop counts.
    double transferOf(const Configuration& configuration, const std::vector<Placed>& placed) const {
        double slowest = 0;
        for (const Placed& each : placed) slowest = std::max(slowest, each.model->transfer(each.layout));
        if (!configuration.isStacked()) return slowest;
        const GroupModel& front = *placed.front().model;
        const physical::LayerShare share = layerShareOf(front.setting());
        const double bytes =
            tokensOf(problem.model(), share) * problem.model().hidden * share.activationBytes / share.tensor;
        for (std::size_t i = 1; i < placed.size(); ++i) {
            const double rate = problem.between[placed[i - 1].part->group][placed[i].part->group];
            slowest = std::max(slowest, kNetworkStart + bytes / (rate * front.constants().network));
        }
        return slowest;
    }

    /// Most layers of each stage of a part; notes what lacks where a stage holds none.
    std::vector<int> mostLayers(const Placed& placed, int stages, Shortage& shortage) const {
        std::vector<int> most;
        const double capacity = placed.model->capacity(), allowance = placed.model->variant().allowance;
        for (int s = 0; s < stages; ++s) {
            const auto [fixed, layer] = placed.model->memoryAt(placed.layout, placed.first + s);
            most.push_back(wholeLayers((capacity - allowance - fixed.total()) / layer.total(), layers));
            if (most.back() >= 1) continue;
            noteShortage(shortage, placed, placed.first + s, 1);
        }
        return most;
    }

    void noteShortage(Shortage& shortage, const Placed& placed, int stage, int held) const {
        const Shortage found{.stage = stage,
                             .group = placed.part->group,
                             .memory = placed.model->memoryOf(placed.layout, stage, held),
                             .allowance = placed.model->variant().allowance,
                             .capacity = placed.model->capacity()};
        if (shortage.capacity == 0 || found.total() / found.capacity > shortage.total() / shortage.capacity)
            shortage = found;
    }

    /// Where layers fit one by one but not all of them: the fullest of even stages.
    void noteEven(Shortage& shortage, const Configuration& configuration, const std::vector<Placed>& placed) const {
        const int even = (layers + configuration.pipeline - 1) / configuration.pipeline;
        for (const Placed& each : placed)
            for (int s = 0; s < each.part->stages; ++s) noteShortage(shortage, each, each.first + s, even);
    }

    double pipelineSeconds(const Configuration& configuration, const Placed& placed, const DivisionCost& cost,
                           double microBatches, double hop) const {
        StepLayout layout = placed.layout;
        layout.pipeline = configuration.pipeline;
        layout.microBatches = microBatches;
        const LayerTimes& times = placed.model->times(placed.layout);
        const double full = cost.fullest;
        return physical::pipelineSecondsOf(
            layout, {.longest = cost.longest,
                     .all = cost.all,
                     .stage = {full * times.forward, full * (times.backward - times.weights), full * times.weights},
                     .transfer = hop});
    }

    Judgement judge(const Configuration& configuration, Wanted wanted) {
        if (configuration.parts.size() == 1) return judgeOne(configuration, wanted);
        if (configuration.isStacked()) return judgeStacked(configuration, wanted);
        return judgeSideBySide(configuration, wanted);
    }
    Judgement judgeOne(const Configuration& configuration, Wanted wanted);
    Judgement judgeStacked(const Configuration& configuration, Wanted wanted);
    Judgement judgeSideBySide(const Configuration& configuration, Wanted wanted);
    Evaluated evaluate(const Configuration& given);
    Scores bound(const Configuration& configuration);
    TimeShares sharesOf(const Evaluated& evaluated, const std::vector<Placed>& placed) const;
    std::optional<RowChoice> interleavedChoice(const Configuration& configuration, const std::vector<int>& most) const;
    void score(Judgement& judgement, const Configuration& configuration, const std::vector<Placed>& placed,
               const std::vector<int>& held, double seconds, bool wantsMemory) const;

    const Problem& problem;
    Configuration like;
    int layers;
    std::map<std::pair<std::size_t, double>, std::unique_ptr<GroupModel>> models;
};

/// The scores of a configuration whose step takes `seconds` with `held` layers by stage (empty: memory is not wanted,
/// layers are even).
void Judge::Data::score(Judgement& judgement, const Configuration& configuration, const std::vector<Placed>& placed,
                        const std::vector<int>& held, double seconds, bool wantsMemory) const {
    constexpr double kHour = 3600;
    judgement.fits = true;
    Scores& scores = judgement.scores;
    scores.of(Objective::time) = seconds;
    scores.of(Objective::accelerators) = static_cast<double>(configuration.accelerators());
    for (const Placed& each : placed) {
        const Part& part = *each.part;
        const double count = static_cast<double>(configuration.perStage() * part.stages * part.replicas);
        scores.of(Objective::price) += count * each.model->group().pricePerHour.value_or(0) / kHour * seconds;
        double inPart = layers;
        if (configuration.isStacked()) {
            inPart = 0;
            for (int s = 0; s < part.stages; ++s) inPart += held[static_cast<std::size_t>(each.first + s)];
        }
        const bool hasHead = each.first + part.stages == configuration.pipeline;
        const double microBatches = configuration.isStacked() || configuration.parts.size() == 1
                                        ? part.microBatches
                                        : judgement.microBatches[static_cast<std::size_t>(&each - placed.data())];
        const auto busy = [&](double BusyTimes::*member) {
            return microBatches *
                   (inPart * each.model->layerBusy().*member + (hasHead ? each.model->headBusy().*member : 0)) /
                   part.stages;
        };
        const double update = each.model->step().optimizer(each.layout, inPart / part.stages);
        scores.of(Objective::energy) +=
            count * physical::joulesOf(each.model->watts(), {.step = seconds,
                                                             .products = busy(&BusyTimes::products),
                                                             .memory = busy(&BusyTimes::memory) + update});
        if (!wantsMemory) continue;
        for (int s = 0; s < part.stages; ++s) {
            const int stage = each.first + s;
            const StepMemory memory = each.model->memoryOf(each.layout, stage, held[static_cast<std::size_t>(stage)]);
            double& most = scores.of(Objective::memory);
            most = std::max(most, memory.total() + each.model->variant().allowance);
        }
    }
}

/// Virtual stages are equal, so the layers are those that Megatron-LM gives them, if they fit.
std::optional<RowChoice> Judge::Data::interleavedChoice(const Configuration& configuration,
                                                        const std::vector<int>& most) const {
    const physical::StageLayers even =
        stageLayersOf(problem.model(), layoutOf(configuration, configuration.parts.front()));
    const int first = static_cast<int>(even.first), last = static_cast<int>(even.last),
              full = static_cast<int>(even.fullest);
    for (std::size_t s = 0; s < most.size(); ++s)
        if ((s == 0 ? first : s + 1 == most.size() ? last : full) > most[s]) return std::nullopt;
    return RowChoice{most.size() > 2 ? full : first, last};
}

Judgement Judge::Data::judgeOne(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const std::vector<Placed> placed = placedOf(configuration);
    const Placed& only = placed.front();
    const std::vector<int> most = mostLayers(only, only.part->stages, judgement.shortage);
    if (judgement.shortage.capacity > 0) return judgement;
    const LayerTimes& times = only.model->times(only.layout);
    const std::function<double(int)> once = [&](int held) { return only.model->once(only.layout, held); };
    const StageRow row{
        .stages = configuration.pipeline, .layer = times.both(), .head = times.head(), .most = most, .once = &once};
    const double hop = transferOf(configuration, placed), start = only.model->constants().start;
    const auto seconds = [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, only, cost, only.part->microBatches, hop) + cost.once + start;
    };
    RowChoice choice;
    double best = 0;
    std::vector<int> held;
    if (configuration.schedule == physical::PipelineSchedule::interleaved) {
        const std::optional<RowChoice> even = interleavedChoice(configuration, most);
        if (even) {
            choice = *even;
            const int full = choice.fullest();
            best = seconds({.longest = std::max(choice.others * row.layer, choice.last * row.layer + row.head),
                            .all = layers * row.layer + row.head,
                            .once = once(full),
                            .fullest = full});
            held.assign(most.size(), choice.others);
            held.back() = choice.last;
            held.front() = static_cast<int>(stageLayersOf(problem.model(), only.layout).first);
        }
    } else if (const auto division = bestDivision(layers, std::span(&row, 1), seconds)) {
        choice = division->rows.front();
        best = division->seconds;
        if (wanted.layers || wanted.memory) held = layersOf(row, choice, layers);
    }
    if (best <= 0) {
        noteEven(judgement.shortage, configuration, placed);
        return judgement;
    }
    score(judgement, configuration, placed, held, best, wanted.memory);
    if (wanted.layers) judgement.layers = std::move(held);
    return judgement;
}

Judgement Judge::Data::judgeStacked(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const std::vector<Placed> placed = placedOf(configuration);
    std::vector<std::vector<int>> most;
    for (const Placed& each : placed) most.push_back(mostLayers(each, each.part->stages, judgement.shortage));
    if (judgement.shortage.capacity > 0) return judgement;
    std::vector<std::function<double(int)>> once;
    for (const Placed& each : placed)
        once.emplace_back([&each](int held) { return each.model->once(each.layout, held); });
    std::vector<StageRow> rows;
    double start = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const LayerTimes& times = placed[i].model->times(placed[i].layout);
        rows.push_back({.stages = placed[i].part->stages,
                        .layer = times.both(),
                        .head = i + 1 == placed.size() ? times.head() : 0,
                        .most = most[i],
                        .once = &once[i]});
        start = std::max(start, placed[i].model->constants().start);
    }
    const double hop = transferOf(configuration, placed);
    const std::optional<Division> division = bestDivision(layers, rows, [&](const DivisionCost& cost) {
        return pipelineSeconds(configuration, placed.front(), cost, placed.front().part->microBatches, hop) +
               cost.once + start;
    });
    if (!division) {
        noteEven(judgement.shortage, configuration, placed);
        return judgement;
    }
    std::vector<int> held;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const int each : layersOf(rows[i], division->rows[i], division->layers[i])) held.push_back(each);
    score(judgement, configuration, placed, held, division->seconds, wanted.memory);
    if (wanted.layers) judgement.layers = std::move(held);
    return judgement;
}

Judgement Judge::Data::judgeSideBySide(const Configuration& configuration, Wanted wanted) {
    Judgement judgement;
    const std::vector<Placed> placed = placedOf(configuration);
    // Replicas hold equal stages: as many layers as fit each group.
    std::vector<int> most(static_cast<std::size_t>(configuration.pipeline), layers);
    for (const Placed& each : placed) {
        const std::vector<int> own = mostLayers(each, configuration.pipeline, judgement.shortage);
        for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::min(most[s], own[s]);
    }
    if (judgement.shortage.capacity > 0) return judgement;
    const double hop = transferOf(configuration, placed);
    const int all = allMicroBatches(problem, configuration);
    std::vector<int> replicas, shares;
    double start = 0;
    for (const Placed& each : placed) {
        replicas.push_back(each.part->replicas);
        start = std::max(start, each.model->constants().start);
    }
    // The layers are the same on all groups: none of their choices may be left out, so the head counts as where it
    // takes longest in units of a layer.
    double head = 0;
    for (const Placed& each : placed) {
        const LayerTimes& times = each.model->times(each.layout);
        head = std::max(head, times.head() / times.both());
    }
    const std::function<double(int)> once = [&](int held) {
        double slowest = 0;
        for (const Placed& each : placed) slowest = std::max(slowest, each.model->once(each.layout, held));
        return slowest;
    };
    const StageRow row{.stages = configuration.pipeline, .layer = 1, .head = head, .most = most, .once = &once};
    const auto costOn = [&](const Placed& each, const RowChoice& choice) {
        const LayerTimes& times = each.model->times(each.layout);
        const double others = configuration.pipeline > 1 ? choice.others * times.both() : 0;
        return DivisionCost{.longest = std::max(others, choice.last * times.both() + times.head()),
                            .all = layers * times.both() + times.head(),
                            .once = 0,
                            .fullest = configuration.pipeline > 1 ? choice.fullest() : choice.last};
    };
    double best = 0;
    RowChoice chosen;
    forEachDivision(layers, row, [&](const RowChoice& choice) {
        std::vector<double> begin, each;
        for (const Placed& part : placed) {
            const DivisionCost cost = costOn(part, choice);
            const double one = pipelineSeconds(configuration, part, cost, 1, hop);
            each.push_back(pipelineSeconds(configuration, part, cost, 2, hop) - one);
            begin.push_back(one - each.back());
        }
        const std::vector<int> found = sharedMicroBatches(all, begin, each, replicas);
        double slowest = 0;
        for (std::size_t i = 0; i < placed.size(); ++i)
            slowest =
                std::max(slowest, pipelineSeconds(configuration, placed[i], costOn(placed[i], choice), found[i], hop));
        const double seconds = slowest + once(configuration.pipeline > 1 ? choice.fullest() : choice.last) + start;
        if (best > 0 && seconds >= best) return;
        best = seconds;
        chosen = choice;
        shares = found;
    });
    if (best <= 0) {
        noteEven(judgement.shortage, configuration, placed);
        return judgement;
    }
    judgement.microBatches = shares;
    std::vector<int> held;
    if (wanted.layers || wanted.memory) held = layersOf(row, chosen, layers);
    score(judgement, configuration, placed, held, best, wanted.memory);
    if (wanted.layers) judgement.layers = std::move(held);
    return judgement;
}

Scores Judge::Data::bound(const Configuration& configuration) {
    const std::vector<Placed> placed = placedOf(configuration);
    const LayerTimes& ahead = placed[0].model->times(placed[0].layout);
    const LayerTimes& behind = placed[1].model->times(placed[1].layout);
    const double front = placed[0].part->stages, back = placed[1].part->stages, head = behind.head();
    // Layers that make both rows' stages equally long, then as many as may go to the faster row.
    const double x = ahead.both(), y = behind.both();
    const double first = std::clamp((layers * y + head) * front / (x * back + y * front), front, layers - back);
    const double longest = std::max(first * x / front, ((layers - first) * y + head) / back);
    const double all = x < y ? (layers - back) * x + back * y + head : front * x + (layers - front) * y + head;
    constexpr double kHour = 3600;
    Scores scores;
    double& seconds = scores.of(Objective::time);
    seconds =
        pipelineSeconds(configuration, placed.front(), {longest, all, 0, 0}, placed.front().part->microBatches, 0);
    scores.of(Objective::accelerators) = static_cast<double>(configuration.accelerators());
    for (const Placed& each : placed)
        scores.of(Objective::price) +=
            static_cast<double>(configuration.perStage() * each.part->stages * each.part->replicas) *
            each.model->group().pricePerHour.value_or(0) / kHour * seconds;
    return scores;
}

Judge::Judge(const Problem& problem, const Configuration& like) : data_(std::make_unique<Data>(problem, like)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Scores Judge::bound(const Configuration& configuration) {
    return data_->bound(configuration);
}

Evaluated Judge::evaluate(const Configuration& configuration) {
    return data_->evaluate(configuration);
}

Judgement Judge::judge(const Configuration& configuration, Wanted wanted) {
    return data_->judge(configuration, wanted);
}

namespace {

/// Seconds of collectives that both passes of a layer show, by kind.
struct Exposed {
    double tensor = 0, context = 0, expert = 0;
    double all() const { return tensor + context + expert; }
};

Exposed exposedOf(const physical::StepPasses& passes, const physical::StepConstants& c) {
    Exposed sum;
    for (const physical::PassSeconds* pass : {&passes.forward, &passes.backward}) {
        sum.tensor +=
            c.tensor * (pass->inside - pass->contextInside) + (pass->network - pass->contextNetwork) / c.network;
        sum.context += c.tensor * pass->contextInside + pass->contextNetwork / c.network;
        sum.expert += c.tensor * (pass->exchange + pass->exchangeNetwork / c.network);
    }
    return sum;
}

}  // namespace

/// What takes the seconds of the pipeline that ends last.
TimeShares Judge::Data::sharesOf(const Evaluated& evaluated, const std::vector<Placed>& placed) const {
    const Configuration& configuration = evaluated.configuration;
    const bool isStacked = configuration.isStacked();
    TimeShares shares;
    double longest = 0, all = 0, step = 0;
    const Placed* slowest = &placed.front();
    for (const Placed& each : placed) {
        double own = 0, ownLongest = 0;
        int fullest = 0;
        for (int s = 0; s < each.part->stages; ++s) {
            const EvaluatedStage& stage = evaluated.stages[static_cast<std::size_t>(isStacked ? each.first + s : s)];
            const LayerTimes& times = each.model->times(each.layout);
            const bool hasHead = each.first + s == configuration.pipeline - 1;
            const double both = stage.layers * times.both() + (hasHead ? times.head() : 0);
            own += both;
            ownLongest = std::max(ownLongest, both);
            fullest = std::max(fullest, stage.layers);
        }
        const double ends = pipelineSeconds(configuration, each, {ownLongest, own, 0, fullest}, each.part->microBatches,
                                            evaluated.transfer);
        if (isStacked) {
            longest = std::max(longest, ownLongest);
            all += own;
        } else if (ends > step) {
            step = ends;
            slowest = &each;
            longest = ownLongest;
            all = own;
        }
    }
    const double stages = configuration.pipeline, m = slowest->part->microBatches;
    for (const Placed& each : placed) {
        if (!isStacked && &each != slowest) continue;
        double held = 0;
        for (int s = 0; s < each.part->stages; ++s)
            held += evaluated.stages[static_cast<std::size_t>(isStacked ? each.first + s : s)].layers;
        const Exposed exposed = exposedOf(each.model->step().passes(), each.model->constants());
        const double gathered = each.model->times(each.layout).both() - each.model->plainTimes().both();
        shares.tensor += m * held * exposed.tensor / stages;
        shares.context += m * held * exposed.context / stages;
        shares.expert += m * held * exposed.expert / stages;
        shares.data += m * held * gathered / stages;
    }
    const double busy = m * all / stages;
    shares.compute = busy - shares.tensor - shares.context - shares.expert - shares.data;
    int fullest = 0;
    for (const EvaluatedStage& stage : evaluated.stages) fullest = std::max(fullest, stage.layers);
    const DivisionCost cost{.longest = longest, .all = all, .once = 0, .fullest = fullest};
    const double alone = pipelineSeconds(configuration, *slowest, cost, m, 0);
    shares.pipeline = pipelineSeconds(configuration, *slowest, cost, m, evaluated.transfer) - alone;
    shares.bubble = alone - busy;
    for (const Placed& each : placed) {
        shares.optimizer = std::max(shares.optimizer, each.model->step().optimizer(each.layout, fullest));
        shares.start = std::max(shares.start, each.model->constants().start);
    }
    // What is left is the reduction of gradients.
    shares.data += evaluated.scores.of(Objective::time) - alone - shares.pipeline - shares.optimizer - shares.start;
    return shares;
}

Evaluated Judge::Data::evaluate(const Configuration& given) {
    const Judgement judgement = judge(given, {.layers = true, .memory = true});
    if (!judgement.fits) {
        const Shortage& lacks = judgement.shortage;
        throw UsageError(fmt::format("stage {} needs {} of an accelerator's {}", lacks.stage,
                                     formatQuantity(lacks.total(), Measure::bytes),
                                     formatQuantity(lacks.capacity, Measure::bytes)));
    }
    Evaluated evaluated;
    evaluated.configuration = given;
    evaluated.scores = judgement.scores;
    for (std::size_t i = 0; i < judgement.microBatches.size(); ++i)
        evaluated.configuration.parts[i].microBatches = judgement.microBatches[i];
    const std::vector<Placed> placed = placedOf(evaluated.configuration);
    evaluated.transfer = transferOf(given, placed);
    double spread = 0, peak = 0;
    for (const Placed& each : placed) {
        spread = std::max(spread, each.model->variant().spread);
        const double count = static_cast<double>(given.perStage() * each.part->stages * each.part->replicas);
        peak += count * physical::peakOf(each.model->setting().device, problem.dtypes[given.dtype]);
    }
    for (int s = 0; s < given.pipeline; ++s) {
        const auto owner = std::find_if(placed.begin(), placed.end(), [&](const Placed& each) {
            return s >= each.first && s < each.first + each.part->stages;
        });
        const LayerTimes& times = owner->model->times(owner->layout);
        const int held = judgement.layers[static_cast<std::size_t>(s)];
        const bool isLast = s + 1 == given.pipeline;
        evaluated.stages.push_back({.group = owner->part->group,
                                    .layers = held,
                                    .forward = held * times.forward + (isLast ? times.headForward : 0),
                                    .backward = held * times.backward + (isLast ? times.headBackward : 0),
                                    .memory = owner->model->memoryOf(owner->layout, s, held),
                                    .allowance = owner->model->variant().allowance,
                                    .capacity = owner->model->capacity()});
    }
    const double step = judgement.scores.of(Objective::time);
    const physical::Estimate interval = physical::estimateAround(step, spread);
    evaluated.low = interval.low;
    evaluated.high = interval.high;
    evaluated.tokensPerSecond = problem.tokens() / step;
    evaluated.utilisation = modelFlopOf(problem) / (peak * step);
    evaluated.time = sharesOf(evaluated, placed);
    return evaluated;
}

Evaluated evaluate(const Problem& problem, const Configuration& configuration) {
    if (const std::string fault = faultText(problem, configuration); !fault.empty()) throw UsageError(fault);
    return Judge(problem, configuration).evaluate(configuration);
}

}  // namespace tessera::plan

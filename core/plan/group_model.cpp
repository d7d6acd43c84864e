#include "core/plan/group_model.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/physical/energy.h"

namespace tessera::plan {

using physical::LayerTimes;
using physical::PassSeconds;
using physical::Recompute;
using physical::StageKind;
using physical::StepLayout;
using physical::StepMemory;

namespace {

constexpr double kNoReductionYet = -1;

physical::StepSetting settingLike(physical::StepSetting setting, const Configuration& like, double nodeRate) {
    setting.layout = layoutOf(like, {});
    setting.nodeBytesPerSecond = nodeRate;
    return setting;
}

std::size_t orderOf(const StepLayout& layout) {
    return static_cast<std::size_t>(layout.order);
}

Reach reachOf(const StepLayout& layout) {
    const bool areNeighbours = layout.order == physical::RankOrder::dataLast;
    return {.data = layout.data, .pipeline = areNeighbours ? layout.pipeline : 0, .apart = layout.apart};
}

StageKind stageKindAt(const StepLayout& layout, int position, int layers) {
    return {.layers = static_cast<double>(layers),
            .position = static_cast<double>(position),
            .first = position == 0,
            .last = position == layout.pipeline - 1};
}

}  // namespace

void BusyTimes::add(const PassSeconds& pass, const physical::StepConstants& constants) {
    products += pass.products * constants.products + pass.attention / constants.attention;
    memory += (pass.bytes + pass.permuted * constants.permutation) / constants.bandwidth;
}

GroupModel::Kind::Kind(const physical::StepSetting& setting)
    : recompute(setting.layout.recompute), step(setting), memory(setting) {}

GroupModel::GroupModel(const PlanGroup& group, const Configuration& like, double rate)
    : group_(group),
      variant_(group.variants[like.dtype]),
      setting_(settingLike(variant_.setting, like, rate * group.perNode)),
      watts_(physical::powerLimit({}, setting_.device)) {
    std::vector<Recompute> kinds{setting_.layout.recompute};
    if (like.recompute == Recomputation::perStage) {
        kinds = {Recompute::none, Recompute::full};
        if (!setting_.stack.fusedAttention) kinds.insert(kinds.begin() + 1, Recompute::selective);
    }
    for (const Recompute recompute : kinds) {
        setting_.layout.recompute = recompute;
        Kind& kind = kinds_.emplace_back(setting_);
        const physical::StepPasses& passes = kind.step.passes();
        for (const PassSeconds* pass : {&passes.forward, &passes.backward}) kind.busy.add(*pass, constants());
        kind.plain = timesWith(kind, {}, {});
    }
    const physical::StepPasses& passes = step().passes();
    for (const PassSeconds* pass : {&passes.headForward, &passes.headBackward}) headBusy_.add(*pass, constants());
    transfers_.fill({{-1, -1}, 0});
}

int GroupModel::countOf(Recompute kind, int layers, const RecomputedLayers& recomputed) {
    switch (kind) {
        case Recompute::selective:
            return recomputed.selective;
        case Recompute::full:
            return recomputed.full;
        default:
            return layers - recomputed.selective - recomputed.full;
    }
}

RecomputedLayers GroupModel::allOfOneKind(int layers) const {
    return {.selective = kind(0) == Recompute::selective ? layers : 0, .full = kind(0) == Recompute::full ? layers : 0};
}

double GroupModel::capacity() const {
    return setting_.device.memory > 0 ? setting_.device.memory : std::numeric_limits<double>::infinity();
}

LayerTimes GroupModel::timesWith(const Kind& kind, const physical::GroupSeconds& gather,
                                 const physical::AddedGradients& added) const {
    physical::StepWork work;
    static_cast<physical::StepPasses&>(work) = kind.step.passes();
    work.gather = gather.inside;
    work.gatherNetwork = gather.network;
    work.accumulation = added;
    work.alternates = setting_.stack.alternates;
    return layerTimesOf(work, constants());
}

const LayerTimes& GroupModel::times(const StepLayout& layout, std::size_t kind) {
    Kind& of = kinds_[kind];
    const physical::AddedGradients added = of.step.accumulation(layout);
    if (layout.zero < 3 && added.layer == 0) return of.plain;
    auto& [key, times] = of.timed[orderOf(layout)];
    if (const TimesKey its(layout.zero < 3 ? Reach() : reachOf(layout), added.layer); key != its) {
        key = its;
        times = timesWith(of, of.step.gather(layout), added);
    }
    return times;
}

double GroupModel::transfer(const StepLayout& layout) {
    auto& [key, seconds] = transfers_[orderOf(layout)];
    if (const std::pair its(layout.data, layout.pipeline); key != its) {
        key = its;
        seconds = step().transfer(layout).at(constants().network);
    }
    return seconds;
}

OnceTimes GroupModel::once(const StepLayout& layout, int layers) {
    Reductions& of = reductions_[orderOf(layout)];
    const std::tuple key(reachOf(layout), std::max(layout.zero, 1), layout.zero == 2 ? layout.microBatches : 0);
    if (of.key != key) {
        of.key = key;
        of.seconds.assign(of.seconds.size(), kNoReductionYet);
    }
    const auto at = static_cast<std::size_t>(layers);
    if (at >= of.seconds.size()) of.seconds.resize(at + 1, kNoReductionYet);
    if (of.seconds[at] < 0)
        of.seconds[at] = constants().data * step().reduction(layout, layers).at(constants().network);
    return {of.seconds[at], step().optimizer(layout, layers)};
}

StageBytes GroupModel::bytesAt(const StepLayout& layout, int position, std::size_t kind) const {
    const StepMemory none = memoryOf(layout, position, 0, kind), one = memoryOf(layout, position, 1, kind);
    return {none, {one.parameters - none.parameters, one.activations - none.activations, 0}};
}

StepMemory GroupModel::memoryOf(const StepLayout& layout, int position, int layers, std::size_t kind) const {
    return kinds_[kind].memory.stage(layout, stageKindAt(layout, position, layers));
}

StepMemory GroupModel::memoryOf(const StepLayout& layout, int position, int layers,
                                const RecomputedLayers& recomputed) const {
    StepMemory all = memoryOf(layout, position, layers);
    all.activations = 0;
    forEachKind(layers, recomputed, [&](std::size_t kind, int count) {
        const StepMemory its = memoryOf(layout, position, count, kind);
        all.activations += its.activations;
        all.working = std::max(all.working, its.working);
    });
    return all;
}

}  // namespace tessera::plan

#include "core/plan/group_model.h"

#include <cstddef>
#include <limits>

#include "core/physical/energy.h"

namespace tessera::plan {

using physical::LayerTimes;
using physical::PassSeconds;
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

GroupModel::GroupModel(const PlanGroup& group, const Configuration& like, double rate)
    : group_(group),
      variant_(group.variants[like.dtype]),
      setting_(settingLike(variant_.setting, like, rate * group.perNode)),
      step_(setting_),
      memory_(setting_),
      watts_(physical::powerLimit({}, setting_.device)) {
    const physical::StepPasses& passes = step_.passes();
    for (const PassSeconds* pass : {&passes.forward, &passes.backward}) layerBusy_.add(*pass, constants());
    for (const PassSeconds* pass : {&passes.headForward, &passes.headBackward}) headBusy_.add(*pass, constants());
    plain_ = timesWith({});
}

double GroupModel::capacity() const {
    return setting_.device.memory > 0 ? setting_.device.memory : std::numeric_limits<double>::infinity();
}

LayerTimes GroupModel::timesWith(const physical::GroupSeconds& gather) const {
    physical::StepWork work;
    static_cast<physical::StepPasses&>(work) = step_.passes();
    work.gather = gather.inside;
    work.gatherNetwork = gather.network;
    work.alternates = setting_.stack.alternates;
    return layerTimesOf(work, constants());
}

const LayerTimes& GroupModel::times(const StepLayout& layout) {
    if (layout.zero < 3) return plain_;
    if (sharded_.first != layout.data) sharded_ = {layout.data, timesWith(step_.gather(layout))};
    return sharded_.second;
}

double GroupModel::transfer(const StepLayout& layout) {
    const std::pair key(layout.data, layout.pipeline);
    if (transferKey_ != key) {
        transferKey_ = key;
        transfer_ = step_.transfer(layout).at(constants().network);
    }
    return transfer_;
}

OnceTimes GroupModel::once(const StepLayout& layout, int layers) {
    const std::tuple key(layout.data, std::max(layout.zero, 1), layout.zero == 2 ? layout.microBatches : 0);
    if (reductionKey_ != key) {
        reductionKey_ = key;
        reductions_.assign(reductions_.size(), kNoReductionYet);
    }
    const auto at = static_cast<std::size_t>(layers);
    if (at >= reductions_.size()) reductions_.resize(at + 1, kNoReductionYet);
    if (reductions_[at] < 0)
        reductions_[at] = constants().data * step_.reduction(layout, layers).at(constants().network);
    return {reductions_[at], step_.optimizer(layout, layers)};
}

StageBytes GroupModel::bytesAt(const StepLayout& layout, int position) const {
    const StepMemory none = memoryOf(layout, position, 0), one = memoryOf(layout, position, 1);
    return {none, {one.parameters - none.parameters, one.activations - none.activations, 0}};
}

StepMemory GroupModel::memoryOf(const StepLayout& layout, int position, int layers) const {
    return memory_.stage(layout, stageKindAt(layout, position, layers));
}

}  // namespace tessera::plan

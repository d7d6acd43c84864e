#include "core/plan/stage_needs.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "core/plan/judge_data.h"

namespace tessera::plan {

namespace {

StageNeed needOf(const PlacedPart& placed, int stage, double bytesOfAll) {
    const StageBytes bytes = placed.model->bytesAt(placed.layout, stage);
    return {.placed = &placed,
            .fixed = bytes.fixed.total() + placed.model->variant().allowance,
            .layer = bytes.layer.total(),
            .capacity = std::min(placed.model->capacity(), bytesOfAll)};
}

}  // namespace

int StageNeed::layersWithin(double share, int max) const {
    const double count = (share * capacity - fixed) / layer;
    if (!(count > 0)) return 0;
    return count >= max ? max : static_cast<int>(count);
}

PipelineNeeds::PipelineNeeds(const std::vector<PlacedPart>& placed, double bytes) {
    const bool isStacked = placed.back().first > 0;
    if (!isStacked) groups_ = placed.size();
    needs_.reserve(static_cast<std::size_t>(placed.front().layout.pipeline) * groups_);
    if (isStacked) {
        for (const PlacedPart& each : placed)
            for (int s = each.first; s < each.first + each.part->stages; ++s) needs_.push_back(needOf(each, s, bytes));
        return;
    }
    for (int s = 0; s < placed.front().part->stages; ++s)
        for (const PlacedPart& each : placed) needs_.push_back(needOf(each, s, bytes));
}

const StageNeed& PipelineNeeds::fullest(const HeldStage& held) const {
    const StageNeed* fullest = &needs_[held.stage * groups_];
    for (std::size_t i = 1; i < groups_; ++i) {
        const StageNeed& other = needs_[held.stage * groups_ + i];
        if (other.shareOf(held.layers) > fullest->shareOf(held.layers)) fullest = &other;
    }
    return *fullest;
}

int PipelineNeeds::layersWithin(std::size_t stage, double share, int max) const {
    for (std::size_t i = 0; i < groups_; ++i) max = std::min(max, needs_[stage * groups_ + i].layersWithin(share, max));
    return max;
}

std::vector<int> PipelineNeeds::maxLayers(int layers) const {
    std::vector<int> max(stages());
    for (std::size_t s = 0; s < max.size(); ++s) max[s] = layersWithin(s, 1, layers);
    return max;
}

/// A share of the capacity that no division stays below: of stages of one layer, and of stages of fractions of layers
/// that are all as full.
double PipelineNeeds::minShare(int layers) const {
    double min = 0;
    for (const StageNeed& need : needs_) min = std::max(min, need.shareOf(1));
    for (std::size_t i = 0; i < groups_; ++i) {
        double held = layers, room = 0;
        for (std::size_t at = i; at < needs_.size(); at += groups_) {
            held += needs_[at].fixed / needs_[at].layer;
            room += needs_[at].capacity / needs_[at].layer;
        }
        min = std::max(min, held / room);
    }
    return min;
}

/// Gives layers that are left to the stages that are least full with one more.
void PipelineNeeds::giveToEmptiest(std::vector<int>& held, int left) const {
    if (left <= 0) return;
    using Next = std::pair<double, std::size_t>;
    std::vector<Next> all(held.size());
    for (std::size_t s = 0; s < held.size(); ++s) all[s] = {shareOf({s, held[s] + 1}), s};
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next(std::greater<>(), std::move(all));
    for (; left > 0; --left) {
        const std::size_t stage = next.top().second;
        next.pop();
        ++held[stage];
        next.emplace(shareOf({stage, held[stage] + 1}), stage);
    }
}

std::vector<int> PipelineNeeds::emptiestDivision(int layers) const {
    const double share = minShare(layers);
    std::vector<int> held(stages());
    int left = layers;
    for (std::size_t s = 0; s < held.size(); ++s) {
        held[s] = std::max(layersWithin(s, share, layers), 1);
        left -= held[s];
    }
    // Where one layer of a stage takes more than all others, these need not be as full.
    if (left < 0) {
        held.assign(held.size(), 1);
        left = layers - static_cast<int>(held.size());
    }
    giveToEmptiest(held, left);
    return held;
}

HeldStage PipelineNeeds::fullestOfEmptiest(int layers) const {
    const std::vector<int> held = emptiestDivision(layers);
    HeldStage fullest{0, held[0]};
    double max = shareOf(fullest);
    for (std::size_t s = 1; s < held.size(); ++s)
        if (const double own = shareOf({s, held[s]}); own > max) {
            fullest = {s, held[s]};
            max = own;
        }
    return fullest;
}

std::optional<double> PipelineNeeds::minBytes(int layers) const {
    const std::vector<int> max = maxLayers(layers);
    int room = 0;
    for (const int each : max) {
        if (each < 1) return std::nullopt;
        room += each;
    }
    if (room < layers || max.size() > static_cast<std::size_t>(layers)) return std::nullopt;
    PipelineNeeds bytes = *this;
    for (StageNeed& need : bytes.needs_) need.capacity = 1;
    std::vector<int> held = bytes.emptiestDivision(layers);
    bool fits = true;
    for (std::size_t s = 0; s < held.size(); ++s) fits &= held[s] <= max[s];
    if (!fits) {
        // Accelerators of less memory hold less than their share.
        held.assign(held.size(), 1);
        bytes.giveWithin(max, held, layers - static_cast<int>(held.size()));
    }
    double fullest = 0;
    for (std::size_t s = 0; s < held.size(); ++s) fullest = std::max(fullest, bytes.shareOf({s, held[s]}));
    return fullest;
}

std::optional<double> PipelineNeeds::bytesOf(const std::vector<int>& layers) const {
    double fullest = 0;
    for (std::size_t s = 0; s < layers.size(); ++s) {
        const StageNeed& need = this->fullest({s, layers[s]});
        if (need.shareOf(layers[s]) > 1) return std::nullopt;
        fullest = std::max(fullest, need.fixed + layers[s] * need.layer);
    }
    return fullest;
}

/// As `giveToEmptiest`, no stage more than it may have.
void PipelineNeeds::giveWithin(const std::vector<int>& max, std::vector<int>& held, int left) const {
    for (; left > 0; --left) {
        std::size_t emptiest = held.size();
        double min = std::numeric_limits<double>::infinity();
        for (std::size_t s = 0; s < held.size(); ++s) {
            if (held[s] == max[s]) continue;
            const double share = shareOf({s, held[s] + 1});
            if (share >= min) continue;
            min = share;
            emptiest = s;
        }
        ++held[emptiest];
    }
}

}  // namespace tessera::plan

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/plan/judge_data.h"

namespace tessera::plan {

namespace {

/// Layers of a count that may be endless, at most `most`.
int wholeLayers(double count, int most) {
    if (!(count > 0)) return 0;
    return count >= most ? most : static_cast<int>(count);
}

/// What a stage needs of an accelerator of one group.
struct StageNeed {
    const PlacedPart* placed = nullptr;
    double fixed = 0, layer = 0, capacity = 0;  ///< bytes
    /// Of the capacity that so many layers take.
    double shareOf(int layers) const { return (fixed + layers * layer) / capacity; }
    int layersWithin(double share, int most) const { return wholeLayers((share * capacity - fixed) / layer, most); }
};

StageNeed needOf(const PlacedPart& placed, int stage) {
    const StageBytes bytes = placed.model->bytesAt(placed.layout, stage);
    return {.placed = &placed,
            .fixed = bytes.fixed.total() + placed.model->variant().allowance,
            .layer = bytes.layer.total(),
            .capacity = placed.model->capacity()};
}

/// What the stages of a pipeline need, each on one group or the same on several.
class PipelineNeeds {
public:
    explicit PipelineNeeds(const PlacedParts& placed) {
        for (const PlacedPart& each : placed)
            for (int s = each.first; s < each.first + each.part->stages; ++s) {
                const auto at = static_cast<std::size_t>(s);
                if (at >= needs_.size()) needs_.resize(at + 1);
                needs_[at].push_back(needOf(each, s));
            }
    }

    std::size_t stages() const { return needs_.size(); }

    /// Of the groups that hold a stage, that which so many layers fill most.
    const StageNeed& fullest(std::size_t stage, int layers) const {
        return *std::max_element(
            needs_[stage].begin(), needs_[stage].end(),
            [&](const StageNeed& a, const StageNeed& b) { return a.shareOf(layers) < b.shareOf(layers); });
    }
    double shareOf(std::size_t stage, int layers) const { return fullest(stage, layers).shareOf(layers); }

    /// A share of the capacity that no division stays below: of stages of one layer, and of stages of fractions of
    /// layers that are all as full.
    double leastShare(int layers) const {
        double least = 0;
        for (std::size_t s = 0; s < stages(); ++s) least = std::max(least, shareOf(s, 1));
        for (std::size_t i = 0; i < needs_.front().size(); ++i) {
            double held = layers, room = 0;
            for (const std::vector<StageNeed>& stage : needs_) {
                held += stage[i].fixed / stage[i].layer;
                room += stage[i].capacity / stage[i].layer;
            }
            least = std::max(least, held / room);
        }
        return least;
    }

    /// At least one.
    int layersWithin(std::size_t stage, double share, int most) const {
        for (const StageNeed& need : needs_[stage]) most = std::min(most, need.layersWithin(share, most));
        return std::max(most, 1);
    }

private:
    std::vector<std::vector<StageNeed>> needs_;  ///< by stage, then by group
};

/// Gives layers that are left to the stages that are least full with one more.
void giveToEmptiest(std::vector<int>& held, int left, const PipelineNeeds& needs) {
    using Next = std::pair<double, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::size_t s = 0; s < held.size(); ++s) next.emplace(needs.shareOf(s, held[s] + 1), s);
    for (; left > 0; --left) {
        const std::size_t stage = next.top().second;
        next.pop();
        ++held[stage];
        next.emplace(needs.shareOf(stage, held[stage] + 1), stage);
    }
}

}  // namespace

/// Most layers of each stage of a part.
std::vector<int> Judge::Data::mostLayers(const PlacedPart& placed) const {
    std::vector<int> most;
    for (int s = placed.first; s < placed.first + placed.part->stages; ++s)
        most.push_back(needOf(placed, s).layersWithin(1, layers));
    return most;
}

/// Most layers of each stage where all parts hold the same.
std::vector<int> Judge::Data::mostLayersOfAll(const PlacedParts& placed) const {
    std::vector<int> most = mostLayers(placed.front());
    for (std::size_t i = 1; i < placed.size(); ++i) {
        const std::vector<int> own = mostLayers(placed[i]);
        for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::min(most[s], own[s]);
    }
    return most;
}

Shortage Judge::Data::shortageAt(const PlacedPart& placed, int stage, int held) const {
    return {.stage = stage,
            .group = placed.part->group,
            .memory = placed.model->memoryOf(placed.layout, stage, held),
            .allowance = placed.model->variant().allowance,
            .capacity = placed.model->capacity()};
}

/// Of the division of layers whose fullest stage is least full, that stage.
Shortage Judge::Data::leastShortage(const PlacedParts& placed) const {
    const PipelineNeeds needs(placed);
    const double share = needs.leastShare(layers);
    std::vector<int> held;
    int left = layers;
    for (std::size_t s = 0; s < needs.stages(); ++s) {
        held.push_back(needs.layersWithin(s, share, layers));
        left -= held.back();
    }
    // Where one layer of a stage takes more than all others, these need not be as full.
    if (left < 0) held.assign(held.size(), 1);
    giveToEmptiest(held, left, needs);
    std::size_t fullest = 0;
    for (std::size_t s = 1; s < held.size(); ++s)
        if (needs.shareOf(s, held[s]) > needs.shareOf(fullest, held[fullest])) fullest = s;
    return shortageAt(*needs.fullest(fullest, held[fullest]).placed, static_cast<int>(fullest), held[fullest]);
}

}  // namespace tessera::plan

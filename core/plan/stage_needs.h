#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace tessera::plan {

struct PlacedPart;

/// What a stage of a pipeline needs of an accelerator of one group.
struct StageNeed {
    const PlacedPart* placed = nullptr;
    double fixed = 0, layer = 0, capacity = 0;  ///< bytes: whatever its layers, of each layer, of the accelerator
    /// Of the capacity that so many layers take.
    double shareOf(int layers) const { return (fixed + layers * layer) / capacity; }
    /// Layers that a share of the capacity holds, at most `max`.
    int layersWithin(double share, int max) const;
};

/// A stage and the layers that it holds.
struct HeldStage {
    std::size_t stage = 0;
    int layers = 0;
};

/// What the stages of a pipeline need, each on one group or the same on several.
class PipelineNeeds {
public:
    /// Parts that follow each other along the pipeline, or that hold all of it each. `bytes`: maximum of
    /// an accelerator, whatever its memory.
    explicit PipelineNeeds(const std::vector<PlacedPart>& placed,
                           double bytes = std::numeric_limits<double>::infinity());

    std::size_t stages() const { return needs_.size() / groups_; }
    /// Of the groups that hold a stage, that which so many layers fill most.
    const StageNeed& fullest(const HeldStage& held) const;
    double shareOf(const HeldStage& held) const { return fullest(held).shareOf(held.layers); }
    /// Maximum number of layers that fit each stage, of `layers`.
    std::vector<int> maxLayers(int layers) const;
    /// Of the division of `layers` whose fullest stage is least full, that stage.
    HeldStage fullestOfEmptiest(int layers) const;
    /// Minimum bytes of the fullest accelerator of all divisions of `layers` that fit; nothing where none does.
    std::optional<double> minBytes(int layers) const;
    /// Bytes of the fullest accelerator of a division; nothing where it does not fit.
    std::optional<double> bytesOf(const std::vector<int>& layers) const;

private:
    double minShare(int layers) const;
    int layersWithin(std::size_t stage, double share, int max) const;
    std::vector<int> emptiestDivision(int layers) const;
    void giveToEmptiest(std::vector<int>& held, int left) const;
    void giveWithin(const std::vector<int>& max, std::vector<int>& held, int left) const;

    std::size_t groups_ = 1;             ///< that hold a stage
    std::vector<StageNeed> needs_ = {};  ///< by stage, then by group
};

}  // namespace tessera::plan

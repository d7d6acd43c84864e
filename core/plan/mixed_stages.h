#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/plan/configuration.h"
#include "core/plan/stage_needs.h"
#include "core/plan/stages.h"

namespace tessera::plan {

struct PlacedPart;

/// The stages of a pipeline whose layers are each kept or computed again, so that a stage of given layers takes least
/// time of all ways to do so that fit it.
class MixedStages {
public:
    /// Parts that follow each other along the pipeline of a model of `layers`. `bytes`: maximum of an
    /// accelerator, whatever its memory.
    MixedStages(const std::vector<PlacedPart>& placed, int layers, double bytes);

    std::size_t stages() const { return stages_.size(); }
    /// Maximum number of layers that fit a stage.
    int maxLayers(std::size_t stage) const { return stages_[stage].maxLayers; }
    /// Seconds of both passes of a stage of so many layers, which fit it, with the head where it holds it.
    double seconds(const HeldStage& held) const;
    /// Which of them are computed again then.
    RecomputedLayers recomputed(const HeldStage& held) const;
    /// Seconds that a stage of so many layers adds to a step.
    double once(const HeldStage& held) const;
    /// Minimum seconds of all stages, whatever is computed again, and of a layer of one stage.
    double minOfAll() const;
    double minOfLayer(std::size_t stage) const { return stages_[stage].seconds[0]; }
    /// Whether nothing is computed again on a stage of so many layers.
    bool keepsAll(const HeldStage& held) const;
    int layers() const { return layers_; }

    /// Minimum bytes of the fullest accelerator of all divisions that fit; nothing where none does.
    std::optional<double> minBytes() const;
    /// The same of one division.
    std::optional<double> minBytesOf(const std::vector<int>& layers) const;
    /// Of the division whose fullest stage is least full, that stage, and which of its layers are computed again.
    std::pair<HeldStage, RecomputedLayers> fullestOfEmptiest() const;
    /// The same of one division.
    std::pair<HeldStage, RecomputedLayers> fullestOf(const std::vector<int>& held) const;
    /// What a division that fits costs.
    DivisionCost costOf(const std::vector<int>& layers) const;
    /// The part of the pipeline that holds a stage.
    const PlacedPart& placed(std::size_t stage) const { return *stages_[stage].placed; }

private:
    static constexpr std::size_t kKinds = 3;
    /// What a stage holds and takes, by kind of its layers.
    struct Stage {
        const PlacedPart* placed = nullptr;
        std::size_t kinds = 0;
        double capacity = 0, fixed = 0, parameters = 0;  ///< bytes: of the accelerator, whatever its layers, of each
        double working = 0, workingAgain = 0;            ///< bytes where no layer is computed again fully, where one is
        std::array<double, kKinds> kept = {}, seconds = {};  ///< of a layer
        double head = 0;                                     ///< s
        int maxLayers = 0;
    };
    /// Layers of a stage by kind.
    using Mix = std::array<int, kKinds>;

    static Stage stageOf(const PlacedPart& placed, int stage, double bytes);
    static int maxLayersOf(const Stage& stage, int layers);
    static double minBytesOf(const Stage& stage, int layers);
    static double shareOf(const Stage& stage, int layers) { return minBytesOf(stage, layers) / stage.capacity; }
    static Mix mixOf(const Stage& stage, int layers);
    static RecomputedLayers recomputedOf(const Stage& stage, const Mix& mix);
    template <typename CapacityOf, typename ShareOf>
    std::vector<int> emptiest(const CapacityOf& capacityOf, const ShareOf& shareOf) const;

    int layers_;
    std::vector<Stage> stages_;
};

/// A division of layers over mixed stages and what it costs.
struct MixedDivision {
    double seconds = 0;
    std::vector<int> layers = {};  ///< of each stage
};

/// The division of all layers, each stage with at least one, that makes `seconds` least; nothing where none fits.
/// `seconds` never falls with the longest stage, all of them, and what is added once. Exact: the longest stage and what
/// is added once are limited in turn to each value that they can take and that may still be better, and within these
/// limits the sum of all stages is least by dynamic programming.
std::optional<MixedDivision> bestDivision(const MixedStages& stages,
                                          const std::function<double(const DivisionCost&)>& seconds);

}  // namespace tessera::plan

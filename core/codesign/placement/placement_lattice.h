#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/codesign/bits.h"
#include "core/codesign/placement/placement.h"

namespace tessera::codesign {

/// Subject of RunControl's error when a placement is stopped.
inline constexpr std::string_view kPlacement = "the placement";

/// The cuts of a graph: the sets of layers that hold everything their layers depend on, ordered by inclusion. A stage
/// lies between two of them. Layers are called by their position in an order of dependence, cuts by number: smaller
/// sets first, so that a set's number is below those of all sets around it; 0 is the empty set, the last one is full.
class CutLattice {
public:
    /// Throws UsageError (see Placer), InterruptedError.
    CutLattice(LayerGraph graph, std::size_t maxCuts, const RunControl& control);

    /// The cut that results from adding a layer.
    struct Step {
        std::uint32_t layer;
        std::uint32_t cut;
    };

    const LayerGraph& graph() const { return graph_; }
    std::size_t layers() const { return order_.size(); }
    std::size_t cuts() const { return sizes_.size(); }
    std::uint32_t full() const { return static_cast<std::uint32_t>(sizes_.size() - 1); }
    bool allCuts() const { return allCuts_; }
    bool isPath() const { return path_; }

    std::size_t layerAt(std::size_t position) const { return order_[position]; }
    std::size_t positionOf(std::size_t layer) const { return positions_[layer]; }
    std::size_t sizeOf(std::uint32_t cut) const { return sizes_[cut]; }
    bool contains(std::uint32_t cut, std::size_t position) const {
        if (words_ == 0) return position < sizes_[cut];
        return has(members_.data() + cut * words_, position);
    }
    /// Steps from a cut by position, ascending.
    std::span<const Step> steps(std::uint32_t cut) const { return slice(steps_, stepStarts_, cut); }
    /// The layers of a cut from which an edge leads out of it.
    std::span<const std::uint32_t> crossing(std::uint32_t cut) const { return slice(crossing_, crossingStarts_, cut); }

private:
    template <typename Entry>
    static std::span<const Entry> slice(const std::vector<Entry>& entries, const std::vector<std::size_t>& starts,
                                        std::size_t i) {
        return {entries.data() + starts[i], entries.data() + starts[i + 1]};
    }

    void check() const;
    void sortLayers();
    bool findAllCuts(std::size_t maxCuts, const RunControl& control);
    void takePrefixes();
    bool findCrossings(std::size_t max);

    LayerGraph graph_;
    std::vector<std::uint32_t> order_, positions_;
    std::vector<std::vector<std::uint32_t>> before_, after_;  ///< by position: positions
    std::vector<std::uint32_t> sizes_;
    std::vector<Word> members_;  ///< bits, `words_` per cut
    std::size_t words_ = 0;      ///< 0: the cuts are the beginnings of the order
    std::vector<Step> steps_;
    std::vector<std::size_t> stepStarts_;
    std::vector<std::uint32_t> crossing_;
    std::vector<std::size_t> crossingStarts_;
    bool allCuts_ = true;
    bool path_ = false;
};

}  // namespace tessera::codesign

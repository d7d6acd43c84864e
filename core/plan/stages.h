#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tessera::plan {

/// Equal stages in a row that lie on one group.
struct StageRow {
    int stages = 1;
    double layer = 0;                     ///< s of both passes of a layer
    double head = 0;                      ///< s of what else the last stage of the row does
    std::span<const int> maxLayers = {};  ///< layers that fit each of the stages
    /// Seconds that a stage with most layers of the row adds to a step, once; never falls with layers.
    const std::function<double(int layers)>* once = nullptr;
};

/// How many layers stages of a row may have.
struct RowChoice {
    int others = 0;  ///< at most, of all but the last stage
    int last = 0;
    int fullest() const { return others > last ? others : last; }
};

/// What a division of layers costs, by its longest stage and the seconds that it adds once.
struct DivisionCost {
    double longest = 0;  ///< s of both passes
    double all = 0;      ///< s of both passes of all stages
    double once = 0;     ///< s
    int fullest = 0;     ///< layers
};

/// The best division of layers over rows, and what it costs.
struct Division {
    double seconds = 0;
    DivisionCost cost = {};
    std::vector<RowChoice> rows = {};
    std::vector<int> layers = {};  ///< of each row
};

/// Calls `use` with the choices of a row of `layers` that no other beats in its longest and its fullest stage, whatever
/// the head takes: the last stage gives up layers as the others take them.
void forEachDivision(int layers, const StageRow& row, const std::function<void(const RowChoice&)>& use);

/// The division of `layers` over rows of stages, each stage with at least one, that makes `seconds` least; nothing
/// where none fits. `seconds` never falls with any member of the cost; of several rows it does not depend on the
/// fullest stage. Exact: of one row, only choices are left out whose fullest and longest stages are both no better than
/// those of another; of several, the longest stage and what is added once are limited in turn to each value that may
/// still be better, and within these limits the sum of all stages is least.
std::optional<Division> bestDivision(int layers, std::span<const StageRow> rows,
                                     const std::function<double(const DivisionCost&)>& seconds);

/// Layers of each stage of a row, which add up to `layers`, as even as the choice and the memory allow: later stages,
/// which hold fewer micro-batches, take more.
std::vector<int> layersOf(const StageRow& row, const RowChoice& choice, int layers);

}  // namespace tessera::plan

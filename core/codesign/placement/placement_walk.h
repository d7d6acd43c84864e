#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codesign/placement/placement_lattice.h"

namespace tessera::codesign {

/// Costs of a stage that grows layer by layer; all of them only rise.
struct Stage {
    double forward = 0;     ///< when its last layer ends, tensors from before the stage awaited
    double recomputed = 0;  ///< the same without waiting: a second forward pass
    double backward = 0;    ///< the minimum time of its backward pass: without waiting
    double waits = 0;       ///< for the slowest tensor from before the stage; counted where layers run in a row
    double held = 0;        ///< DegreeNumbers::held
    double stashed = 0;     ///< bytes for each micro-batch in flight
    bool parallel = false;
};

/// The numbers of a problem at one tensor-parallel degree, by position in the lattice's order, in SI units. Of a steady
/// pipeline times are those of all micro-batches but one, with the update in the backward pass.
struct DegreeNumbers {
    DegreeNumbers(const CutLattice& lattice, const PlacementProblem& problem, const DegreeCosts& costs);

    struct Entering {
        std::uint32_t from;
        double seconds;  ///< that the tensor takes from another stage
        double bytes;
    };
    struct Leaving {
        std::uint32_t layer;
        double seconds;  ///< of its slowest tensor to a layer outside the cut
    };

    std::int64_t degree = 1;
    bool recompute = false;
    bool serial = false;  ///< PlacementProblem::inARow
    std::vector<double> forward, backward;
    std::vector<double> held;         ///< bytes of weights, gradients, optimizer state and activations
    std::vector<double> activations;  ///< bytes
    std::vector<double> weights;      ///< bytes
    std::vector<double> update;       ///< seconds
    std::vector<char> parallel;       ///< occupies `degree` accelerators; all do where all layers need as many
    std::size_t cheap = 0;            ///< layers that occupy one accelerator while others occupy more

    std::span<const Entering> entering(std::size_t position) const {
        return {entering_.data() + enteringStarts_[position], entering_.data() + enteringStarts_[position + 1]};
    }
    std::span<const Leaving> leaving(std::uint32_t cut) const {
        return {leaving_.data() + leavingStarts_[cut], leaving_.data() + leavingStarts_[cut + 1]};
    }
    /// The stage of all that follows a cut, as the last one: nothing is stashed, nothing recomputed.
    const Stage& rest(std::uint32_t cut) const { return rest_[cut]; }
    std::int64_t parallelNeeds = 1;  ///< accelerators of a stage that is `parallel`
    /// Seconds that a steady pipeline of so many stages, at least one, adds to its greatest load.
    double addedBy(std::size_t stages) const {
        return filling_.empty() ? 0 : once_ + filling_[std::min(stages, filling_.size()) - 1].value;
    }

private:
    void collectRest(const CutLattice& lattice);
    void collectRestInARow(const CutLattice& lattice);
    void readEdges(const CutLattice& lattice, const PlacementProblem& problem, const DegreeCosts& costs);

    std::vector<Entering> entering_;
    std::vector<std::size_t> enteringStarts_;
    std::vector<Leaving> leaving_;
    std::vector<std::size_t> leavingStarts_;
    std::vector<Stage> rest_;  ///< by cut
    double once_ = 0;          ///< the first micro-batch of all stages
    std::vector<Seconds> filling_;
};

enum class Walk : std::uint8_t { on, notFurther, end };

/// Looks at the stages that begin at a cut, each once, growing layer by layer. The time of a layer in a stage depends
/// on where the stage begins only, which makes a step as cheap as the layer has edges; what depends on where it ends,
/// the wait for gradients, is found from the edges that cross that cut: every path of the backward pass enters the
/// stage at one of them.
class StageWalk {
public:
    StageWalk(const CutLattice& lattice, const DegreeNumbers& numbers)
        : lattice_(lattice), numbers_(numbers), layers_(lattice.layers()) {}

    /// Calls visit(cut, stage) for every cut around `from`; it says whether larger stages are of interest.
    template <typename Visit>
    void eachStage(std::uint32_t from, const Visit& visit) {
        begin(from);
        frames_.clear();
        frames_.push_back({Stage{}, from, 0, 0});
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const auto steps = lattice_.steps(frame.cut);
            if (frame.next == steps.size()) {
                frames_.pop_back();
                continue;
            }
            const CutLattice::Step step = steps[frame.next++];
            if (step.layer < frame.min) continue;
            const Stage stage = grown(frame.stage, step.layer);
            const Walk walk = visit(step.cut, stage);
            if (walk == Walk::end) return;
            if (walk == Walk::notFurther) continue;
            // On a path, and at the last of several ways, there is nothing to come back to.
            if (frame.next == steps.size())
                frame = {stage, step.cut, 0, step.layer + 1};
            else
                frames_.push_back({stage, step.cut, 0, step.layer + 1});
        }
    }

    /// Time at which the first layer of the stage, which was just walked to, ends its backward pass that starts at
    /// `start`.
    double backwardOf(std::uint32_t to, const Stage& stage, double start) const {
        double end = start + stage.backward;
        for (const DegreeNumbers::Leaving& leaving : numbers_.leaving(to))
            if (!lattice_.contains(from_, leaving.layer))
                end = std::max(end,
                               leaving.seconds + (numbers_.serial ? stage.backward : layers_[leaving.layer].backward));
        return end;
    }

private:
    struct Frame {
        Stage stage;
        std::uint32_t cut;
        std::uint32_t next;  ///< of the cut's steps
        std::uint32_t min;   ///< layers are added in order, so that every cut is met once
    };
    /// Costs of a layer in stages that begin at `from_`.
    struct Layer {
        double forward = 0, recomputed = 0, backward = 0;
        double waits = 0;
        double stashed = 0;
        std::uint32_t since = 0;  ///< the walk that it was computed in
    };

    void begin(std::uint32_t from) {
        from_ = from;
        if (++walk_ == 0) {
            for (Layer& layer : layers_) layer.since = 0;
            walk_ = 1;
        }
    }

    const Layer& timed(std::uint32_t position) {
        Layer& layer = layers_[position];
        if (layer.since == walk_) return layer;
        layer = {.since = walk_};
        for (const DegreeNumbers::Entering& edge : numbers_.entering(position)) {
            if (lattice_.contains(from_, edge.from)) {
                layer.forward = std::max(layer.forward, edge.seconds);
                layer.waits = std::max(layer.waits, edge.seconds);
                layer.stashed += edge.bytes;
            } else {
                const Layer& before = layers_[edge.from];
                layer.forward = std::max(layer.forward, before.forward);
                layer.recomputed = std::max(layer.recomputed, before.recomputed);
                layer.backward = std::max(layer.backward, before.backward);
            }
        }
        layer.forward += numbers_.forward[position];
        layer.recomputed += numbers_.forward[position];
        layer.backward += numbers_.backward[position];
        if (!numbers_.recompute) layer.stashed = numbers_.activations[position];
        return layer;
    }

    Stage grown(const Stage& stage, std::uint32_t position) {
        const Layer& added = timed(position);
        if (numbers_.serial) {
            const double waits = std::max(stage.waits, added.waits);
            const double recomputed = stage.recomputed + numbers_.forward[position];
            return {.forward = waits + recomputed,
                    .recomputed = recomputed,
                    .backward = stage.backward + numbers_.backward[position],
                    .waits = waits,
                    .held = stage.held + numbers_.held[position],
                    .stashed = stage.stashed + added.stashed,
                    .parallel = stage.parallel || numbers_.parallel[position] != 0};
        }
        return {.forward = std::max(stage.forward, added.forward),
                .recomputed = std::max(stage.recomputed, added.recomputed),
                .backward = std::max(stage.backward, added.backward),
                .held = stage.held + numbers_.held[position],
                .stashed = stage.stashed + added.stashed,
                .parallel = stage.parallel || numbers_.parallel[position] != 0};
    }

    const CutLattice& lattice_;
    const DegreeNumbers& numbers_;
    std::vector<Layer> layers_;
    std::vector<Frame> frames_;
    std::uint32_t from_ = 0;
    std::uint32_t walk_ = 0;
};

}  // namespace tessera::codesign

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/model/model.h"
#include "core/model/optimizer.h"

/// Graph of one training step: forward pass, backward pass, and the optimizer's update.
namespace tessera::model {

/// Bytes that the optimizer keeps for each trained parameter; its state is float32, whatever the parameters are.
double stateBytesPerParameter(Optimizer optimizer);

/// How a model is trained.
struct TrainingOptions {
    Optimizer optimizer = Optimizer::adam;  ///< one of `optimizerKinds`: that of the runs that a result stands beside
};

/// Assumption of every training graph.
inline constexpr std::string_view kNoLoss =
    "Training begins with the gradients of the outputs: the loss is not part of the model.";

enum class Phase : std::uint8_t { forward, backward, update };
inline constexpr std::size_t kPhases = 3;
inline constexpr EnumNames<Phase> kPhaseNames{"forward", "backward", "update"};
constexpr std::string_view nameOf(Phase phase) {
    return kPhaseNames.of(phase);
}

/// Update of one parameter.
struct ParameterUpdate {
    TensorIndex parameter = kNoTensor;
    TensorIndex gradient = kNoTensor;
    std::int32_t op = -1;            ///< the update, in TrainingGraph::graph
    std::vector<TensorIndex> state;  ///< the optimizer's, before the step
};

/// One step of training as a graph of operators. The operators of the forward pass come first, as they were and with
/// their indices; those of the backward pass follow, then one update for each parameter. Likewise the tensors. A loss
/// is no part of it: the gradients of the outputs are further inputs. Operators of the backward pass carry the layer
/// and block of the operator that they are of.
struct TrainingGraph {
    Optimizer optimizer = Optimizer::adam;
    Graph graph;                ///< its `warnings` are those of the model and of the expansion
    GraphHead forward;          ///< what of it is the forward pass
    std::int32_t backward = 0;  ///< the first operator of the backward pass
    std::int32_t update = 0;    ///< the first update
    /// Forward operator of each operator; itself in the forward pass. Of a sum of gradients and of an update the first
    /// one that reads the tensor, -1 where none does.
    std::vector<std::int32_t> sources;
    std::vector<TensorIndex> gradients;    ///< by forward tensor: its gradient, kNoTensor where none is needed
    std::vector<ParameterUpdate> updates;  ///< in the order of the parameters
    std::vector<std::string> warnings;     ///< sentences: what has no rule, or no gradient

    Phase phaseOf(std::int32_t op) const {
        return op < backward ? Phase::forward : op < update ? Phase::backward : Phase::update;
    }
};

/// The training graph of a model. A pure function; an operator without a backward rule is named in a warning, and its
/// inputs have gradients of unknown cost. A graph of a million operators that is not needed otherwise is best moved in.
TrainingGraph trainingOf(Graph forward, const TrainingOptions& options = {});

/// Work of one phase. Empty where a shape that it needs is unknown, or beyond 2^63.
struct PhaseCounts {
    std::int64_t operators = 0;  ///< of the main graph
    std::optional<std::int64_t> flopsMatrix = 0;
    std::optional<std::int64_t> flopsVector = 0;
};

struct TrainingCounts {
    Optimizer optimizer = Optimizer::adam;
    std::array<PhaseCounts, kPhases> phases;  ///< by Phase
    std::optional<std::int64_t> parameters = 0;
    std::optional<double> parameterBytes = 0.0;
    std::optional<double> gradientBytes = 0.0;   ///< of the parameters' gradients
    std::optional<double> optimizerBytes = 0.0;  ///< of the optimizer's state
    std::optional<double> storedBytes = 0.0;  ///< of the activations of the forward pass that the backward pass reads
};

TrainingCounts countTraining(const TrainingGraph& training);

/// True if an operator's output is its input under another shape.
bool relabels(const Operator& op);

/// The gradient of an update's parameter, and what it is the sum of or only the reshaped form of. `producers` as of the
/// training graph.
std::vector<TensorIndex> partsOfGradient(const TrainingGraph& training, const ParameterUpdate& update,
                                         const std::vector<std::int32_t>& producers);
/// By tensor of the training graph: true where it grows with the samples of the batch, as inputs, activations and their
/// gradients do; gradients of parameters and what updates put out do not.
std::vector<bool> growingWithBatch(const TrainingGraph& training);

/// Fills `kept` and `storedOtherBytes` of the layers of `graph` (see layersOf): of each tensor that the backward pass
/// reads, the elements per sample go to the layer that covers the operator that made it, those made in front of all
/// layers to the first. What several operators relabel is counted once. Tensors of unknown shape are left out.
void countStored(LayerGraph& layers, const Graph& graph);

// Layers --------------------------------------------------------------------------------------------------------------

/// A stretch of the model that is placed on a device as one: a block of equal ones, or what stands between blocks.
struct TrainingLayer {
    std::string name;          ///< "block0"; of what stands between blocks, its first and last layer
    std::int32_t equalTo = 0;  ///< the first layer that has the same operators and shapes in all phases; itself if none
    std::vector<std::int32_t> forward;           ///< operators of the training graph, in order
    std::vector<std::int32_t> backward;          ///< the same, with the sums of gradients that arise here
    std::vector<std::int32_t> updates;           ///< of the parameters that are first read here
    std::optional<double> parameterBytes = 0.0;  ///< of the same parameters
    std::optional<double> storedBytes =
        0.0;  ///< of the activations made here that the backward pass reads, here or not
};

/// Activations that go from one layer to a later one in the forward pass; their gradients go back the same way.
struct TrainingEdge {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::optional<double> bytes = 0.0;  ///< each tensor once; empty where a shape is unknown
};

struct TrainingLayers {
    std::vector<TrainingLayer> layers;  ///< in topological order; every operator belongs to exactly one
    std::vector<TrainingEdge> edges;    ///< by `from`, then `to`
};

/// What becomes of a stretch of operators between blocks.
enum class Stretch : std::uint8_t {
    whole,      ///< one layer
    byWeights,  ///< a layer for each of its operators with weights, with what follows it
};

/// The layers of a model by its training graph. Finds repeated blocks as the folded view of a graph does
/// (graph_hierarchy.h): by the names of blocks, else by equal stretches.
TrainingLayers layersOf(const TrainingGraph& training, Stretch between = Stretch::whole);
/// The same from layers that have names and forward operators only, and how they are found: of a graph of a million
/// operators it saves memory to find them before its training graph is made.
TrainingLayers layersOf(const TrainingGraph& training, std::vector<TrainingLayer> forward);
std::vector<TrainingLayer> forwardLayersOf(const Graph& graph, const GraphHead& forward, Stretch between);

/// The model as the slice of one device of a tensor-parallel group of `width`. Models of the zoo and Calculon files are
/// sliced (zoo/transformers.cpp); others have width 1 only. Throws like loadModel; UsageError for a width below 1, that
/// does not divide the heads, or for a model that is not sliced.
Model loadSlice(const std::string& name, std::int64_t width, const LoadOptions& options = {});

}  // namespace tessera::model

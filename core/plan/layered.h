#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/codesign/placement/placement.h"
#include "core/codesign/placement/placement_file.h"
#include "core/physical/training_run.h"
#include "core/plan/configuration.h"
#include "core/plan/problem.h"
#include "core/plan/rules.h"

namespace tessera::plan {

/// What of a configuration's replicas lies on a group where others hold the rest, and how gradients get there.
struct GroupShare {
    int replicas = 1;
    std::size_t groups = 2;  ///< that hold replicas
    double rate = 0;         ///< bytes/s of one accelerator to the other groups at worst, per direction
};

/// A model as layers that each have costs of their own, on accelerators of one sort: what `place` divides among stages,
/// and plan where layers are not all alike. A value that whoever knows costs makes: of a transformer or another network
/// by core/physical (transformer_layers.h, network_layers.h), of a file of layers (`layersOfFile`).
struct LayeredModel {
    std::vector<std::string> names = {};  ///< of the layers
    codesign::LayerGraph graph = {};      ///< what depends on what
    std::vector<int> tensors = {1};       ///< tensor-parallel degrees that there are costs of, rising
    std::vector<int> micros = {};         ///< samples of a micro-batch that there are costs of; empty: any
    std::vector<physical::Recompute> recomputes = {physical::Recompute::none};
    std::vector<int> zeros = {0};  ///< stages of ZeRO that there are costs of
    /// Costs are of one number of replicas, which divides the micro-batches of a step; else of any number, of which the
    /// busiest decides.
    bool ofReplicas = true;
    double spread = 0;      ///< 90 % of measured runs lie within this logarithm of time; 0: nobody knows
    double parameters = 0;  ///< of the model; 0: nobody knows
    double sampleFlop = 0;  ///< products of a sample's forward and backward pass, in FLOP; 0: nobody knows
    /// The problem of placing the graph in configurations of equal data type, tensor degree, micro-batch, recomputation
    /// and, where they are `ofReplicas`, data degree and stage of ZeRO: costs at that tensor degree alone, with a
    /// global batch and all accelerators. Of the pipeline it counts only whether there is one. Safe from several
    /// threads. Throws UsageError, DataError for costs that nobody knows.
    std::function<codesign::PlacementProblem(const Configuration& like)> problem = {};
    /// The same for a group's share of replicas that lie on several. Null: all lie on one.
    std::function<codesign::PlacementProblem(const Configuration& like, const GroupShare& share)> shared = {};
    /// The same layers on other accelerators or another number of them: those of a group of a problem. Null: costs are
    /// given, whatever the hardware.
    std::function<LayeredModel(const PlanGroup& group)> on = {};
};

/// The layers of a file with its costs and the paper's rules (codesign/placement): recomputed or not as the file says,
/// one sample a micro-batch, `optimizerState` bytes of the optimizer for each byte of weights.
LayeredModel layersOfFile(const codesign::PlacementFile& file, double optimizerState);

/// The problem of training such a model on equal accelerators with a global batch. What takes it: `search`, `Judge`,
/// `evaluate`, faults; it has no transformer.
Problem problemOf(LayeredModel layers, std::int64_t accelerators, double globalBatch);

/// Layers on the accelerators of a group of a fleet; `software` lives as long as the program, such as the id of a
/// stack.
struct LayersOnGroup {
    LayeredModel layers;
    std::string_view software;
};

/// The same on the groups of a fleet, whose links and prices it has, with the layers of each. Throws as of a
/// transformer.
Problem problemOf(const hardware::Fleet& fleet, std::vector<LayersOnGroup> layers, double globalBatch,
                  const std::string& dtype);

/// Makes the costs of a problem's layers anew for what its groups are now (`LayeredModel::on`); nothing where its
/// layers are a transformer's, or their costs given.
void followHardware(Problem& problem);

/// See faultOf, of a problem with layers of their own. Whether accelerators suffice and memory does depends on where
/// the layers are cut: that says the judge.
Fault layeredFaultOfDegrees(const Problem& problem, const Configuration& configuration);
Fault layeredFaultOfVariant(const Problem& problem, const Configuration& configuration);
/// See faultText.
std::string layeredFaultText(const Problem& problem, const Configuration& configuration);

}  // namespace tessera::plan

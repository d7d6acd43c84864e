#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/frameworks.h"

/// The rows of the table of frameworks, each of a file of its own, and what they have in common.
namespace tessera::plan {

/// The frameworks that plans are exported to.
Framework megatronFramework();
Framework nemoFramework();
Framework deepspeedFramework();
Framework torchtitanFramework();

/// Arguments of Megatron Core, which Megatron-LM and NeMo share, for the layers of each stage.
struct MegatronLayers {
    int first = 0, last = 0;  ///< layers of the first and last stage where these differ from the others; 0: as others
    bool headsCount = false;  ///< embedding and head count as a layer each
    std::string layout = {};  ///< "Et*3|t*4|t*3L"; empty where the others say it
    int virtualStages = 1;    ///< of a device
};
/// Returns them for a plan.
MegatronLayers megatronLayersOf(const FrameworkPlan& plan);
/// Arguments of Megatron Core for what is recomputed.
struct MegatronRecompute {
    std::string_view granularity = {};  ///< "selective", "full"; empty: nothing
    std::string_view method = {};  ///< of "full": "uniform", or "block" for the first layers of every piece of a stage
    int layers = 0;                ///< at once, or of every piece
};
/// Returns them for a plan; nothing where stages recompute unlike.
std::optional<MegatronRecompute> megatronRecomputeOf(const FrameworkPlan& plan);
/// What Megatron Core cannot run, as a sentence about `framework`.
std::string megatronMisfit(const FrameworkPlan& plan, std::string_view framework);

/// "bf16", "fp16" or "fp32" that weights are used in beside narrower products.
std::string_view plainTypeOf(std::string_view dtype);
/// Layers of the pieces of the pipeline in the order in which a sample passes them: stages, or their virtual ones.
std::vector<int> pieceLayersOf(const FrameworkPlan& plan);
/// What all layers of all stages are recomputed as; nothing where that is not the same.
std::optional<Recomputation> recomputationOf(const FrameworkPlan& plan);
/// What a framework that recomputes all layers alike cannot run.
std::string stagesRecomputeMisfit(const FrameworkPlan& plan, std::string_view framework);
/// What a framework with one order of ranks cannot run.
std::string orderMisfit(const FrameworkPlan& plan, std::string_view framework);
/// Which replicas no framework runs: those with unequal numbers of micro-batches.
std::string replicasMisfit(const FrameworkPlan& plan, std::string_view framework);
/// "llama3.1-405b on One node NVIDIA DGX H100: tp=8,pp=16", "8 nodes of 8 h100", each as a comment: "# ...".
std::string planComment(const FrameworkPlan& plan);
/// "126 layers, hidden 16384, ...", in one line.
std::string shapeText(const FrameworkPlan& plan);
/// Nodes of all machines, and accelerators of each; 0 where these differ.
struct Nodes {
    std::int64_t count = 0, perNode = 0;
};
Nodes nodesOf(const FrameworkPlan& plan);

inline std::int64_t whole(double value) {
    return static_cast<std::int64_t>(value);
}

}  // namespace tessera::plan

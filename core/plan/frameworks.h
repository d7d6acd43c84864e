#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/transformer.h"
#include "core/plan/configuration.h"

namespace tessera::plan {

/// Equal accelerators, in nodes that ranks are counted along.
struct Machines {
    std::string accelerator;  ///< "h100"
    std::int64_t count = 1;
    std::int64_t perNode = 1;
    std::int64_t nodes() const { return (count + perNode - 1) / perNode; }
};

/// A configuration with all that a framework is told of it. Learning rate, data and checkpoints are the user's.
struct FrameworkPlan {
    std::string model, fleet;  ///< names, for comments
    physical::Transformer shape;
    double globalBatch = 1;  ///< samples of a step
    std::string dtype;       ///< of the products: "bf16"
    Configuration configuration;
    std::vector<int> layers;  ///< of each pipeline stage
    /// Of them, by stage; empty where the configuration says it of all alike.
    std::vector<RecomputedLayers> recomputed = {};
    std::vector<Machines> machines;  ///< in the order of ranks, those of the first part first
};

/// A training framework that plans are exported to: a row of the table.
struct Framework {
    std::string_view id;      ///< "megatron-lm": names it on the command line; never changes
    std::string_view title;   ///< "Megatron-LM"
    std::string_view about;   ///< "Arguments of Megatron-LM, to be sourced by a shell", as the command's help says it
    std::string_view suffix;  ///< ".sh": of its file
    /// Why it cannot run a plan, a sentence; empty where it can.
    std::string (*misfit)(const FrameworkPlan& plan);
    /// The file of a plan that it can run.
    std::string (*text)(const FrameworkPlan& plan);
};

const std::vector<Framework>& frameworks();
/// Adds a framework that a program brings itself. Before anything is looked up.
void addFramework(const Framework& framework);
/// The file of a plan. Throws UsageError with the framework's sentence where it cannot run it.
std::string exported(const FrameworkPlan& plan, const Framework& framework);

}  // namespace tessera::plan

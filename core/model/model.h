#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/model/graph.h"
#include "core/model/layers.h"

namespace tessera::model {

/// Options of loading a model.
struct LoadOptions {
    /// Binds a symbolic dimension 0 of every graph input. Empty = 1.
    std::optional<std::int64_t> batch;
    /// Values for other symbolic dimensions, by name (`--dim NAME=N`).
    std::map<std::string, std::int64_t> dimensions;
};

/// A model in the form in which it came: an operator graph, or a table of layers.
struct Model {
    std::string name;
    std::string source;  ///< "zoo:resnet50" or the file's path as given
    std::string sha256;  ///< of the file's bytes, or of the canonical JSON of a zoo model
    std::variant<Graph, LayerGraph> form;
    std::vector<std::string> warnings;

    const Graph* graph() const { return std::get_if<Graph>(&form); }
};

/// Loads MODEL as users name it: a file (see modelSuffixes) or `zoo:NAME`.
/// Throws FileError, DataError, UsageError (unknown zoo name, with a hint).
Model loadModel(const std::string& name, const LoadOptions& options = {});

/// The same, shared by runs that are many and nearly alike (see madeOfInputs).
std::shared_ptr<const Model> sharedModel(const std::string& name, const LoadOptions& options = {});
/// A text that is the same for the same name and options, and for no others.
std::string loadingKey(const std::string& name, const LoadOptions& options);

/// The layer form of either kind of model.
LayerGraph layerGraph(const Model& model);

/// Counts by the rules of "Counting rules" (model.md). Empty where a shape that a count needs is unknown.
struct Summary {
    std::optional<std::int64_t> parameters;
    std::optional<std::int64_t> macs;
    std::optional<std::int64_t> flopsMatrix;
    std::optional<std::int64_t> flopsVector;
    std::optional<std::int64_t> activationElements;
    std::int64_t operators = 0;
    std::int64_t weightedLayers = 0;
    std::int64_t batch = 1;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::vector<std::string> notes;
};

Summary summarise(const Graph& graph);
/// `batch` multiplies the per-sample counts of a layer table.
Summary summarise(const LayerGraph& layers, std::int64_t batch = 1);

}  // namespace tessera::model

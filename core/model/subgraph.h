#pragma once

#include <string>
#include <vector>

#include "core/model/graph.h"

namespace tessera::model {

/// Returns the part of a graph that consists of the operators whose entry in `taken` is true, in their order: tensors
/// that nothing of the part makes, and that depend on the graph's input, are its inputs; those that others read, and
/// outputs of the graph, its outputs. Values that other operators compute from stored ones alone are stored ones of the
/// part. Throws UsageError where the part has no operator.
Graph subgraph(const Graph& graph, const std::vector<bool>& taken, const std::string& name);

}  // namespace tessera::model

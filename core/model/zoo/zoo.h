#pragma once

#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/model.h"

namespace tessera::model {

/// A network that is generated in code, as `zoo:ID`.
struct ZooEntry {
    std::string id;  ///< written to files and studies; never changes
    std::string title;
    std::string family;  ///< "perceptron", "convolutional", ...: for grouping in lists
    std::string source;  ///< paper, authors, year; and the implementation whose details are followed
    std::string description;
};

/// All networks of the zoo, by family and size.
const std::vector<ZooEntry>& zooEntries();

/// Builds a network of the zoo; `options.batch` samples (1 where absent). Operators carry the names of their layer and
/// of their block, weighted operators are named like their layer. Throws UsageError for an unknown id (with a hint),
/// for a batch below 1, and for a dimension that the network does not have.
Graph buildZooModel(const std::string& id, const LoadOptions& options = {});

}  // namespace tessera::model

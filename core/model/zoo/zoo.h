#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/model.h"

namespace tessera::model {

namespace zoo {
class Network;
}

/// A size of a network that users may choose (`--dim NAME=N`), besides its batch (`--batch`, the micro-batch).
struct ZooDimension {
    std::string name;
    std::string meaning;
    std::int64_t value = 1;  ///< where none is given
    std::int64_t max = 1;
    std::int64_t divides = 0;   ///< a number that the size must divide; 0 = none
    std::string dividend = {};  ///< what that number counts
    std::int64_t min = 1;
    std::string follows = {};  ///< the size that it follows where none is given, as `value` follows the others' values
};

/// What a transformer's row fixes of a family of transformers of any size.
struct ZooTransformer {
    std::string family = {};                         ///< "zoo:gpt"; empty: the network is of no such family
    std::map<std::string, std::int64_t> sizes = {};  ///< by the names that the family's dimensions have
    bool isStack = true;  ///< one stack of layers between embedding and head, no encoder beside a decoder
};

/// A network that is generated in code, as `zoo:ID`: the one row of what lists say of it, and what builds it.
struct ZooEntry {
    std::string id;  ///< written to files and studies; never changes
    std::string title;
    std::string family;  ///< "perceptron", "convolutional", ...: for grouping in lists
    std::string source;  ///< paper, authors, year; and the implementation whose details are followed
    std::string description;
    Graph (*build)(zoo::Network net) = nullptr;  ///< see network.h
    std::vector<ZooDimension> dimensions = {};
    ZooTransformer transformer = {};
};

/// All networks of the zoo, by family and size.
const std::vector<ZooEntry>& zooEntries();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addZooEntry(ZooEntry entry);

/// Builds a network of the zoo; `options.batch` samples (1 where absent), `options.dimensions` of the entry. A
/// `tensor_parallel` above 1 makes the slice of one device of a tensor-parallel group. Operators carry the names of
/// their layer and of their block, weighted operators are named like their layer. Throws UsageError for an unknown id
/// (with a hint), for a batch below 1, for a dimension that the network does not have, and for sizes out of its range.
Graph buildZooModel(const std::string& id, const LoadOptions& options = {});

/// A transformer by its family and dimensions, in the names that measured runs use ("layers" -> "12").
struct TransformerSpec {
    std::string family;  ///< "zoo:gpt"
    std::map<std::string, std::string, std::less<>> dims;
};

/// The family and the dimensions of a network of the zoo ("zoo:gpt2" or "gpt2") as `buildZooModel` makes it with
/// `dimensions`, of the whole model whatever its `tensor_parallel`. Nothing for a network that is of no family, such as
/// one with an encoder beside its decoder. Throws UsageError like `buildZooModel`.
std::optional<TransformerSpec> transformerSpecOf(const std::string& zooId,
                                                 const std::map<std::string, std::int64_t>& dimensions = {});

}  // namespace tessera::model

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/model/readers/onnx_wire.h"

/// The parts of a graph in an ONNX file as views of its bytes, and the order of its nodes.
namespace tessera::model::onnx_wire {

/// Field numbers that are read without protobuf.
namespace field {
inline constexpr std::uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeType = 4, kNodeAttribute = 5;
inline constexpr std::uint32_t kAttributeName = 1, kAttributeTensor = 5, kAttributeGraph = 6, kAttributeGraphs = 11;
inline constexpr std::uint32_t kGraphNode = 1, kGraphName = 2, kGraphInitializer = 5, kGraphInput = 11,
                               kGraphOutput = 12, kGraphValueInfo = 13, kGraphSparse = 15;
inline constexpr std::uint32_t kTensorName = 8, kSparseValues = 1, kValueName = 1;
}  // namespace field

/// A GraphProto.
struct GraphParts {
    std::string_view name;
    std::vector<std::string_view> nodes, initializers, sparseInitializers, inputs, outputs, valueInfos;
};
GraphParts partsOf(const Source& source, std::string_view graph);

/// The last value of a string field, "" where there is none.
std::string_view textField(const Source& source, std::string_view message, std::uint32_t number);
std::string_view nameOfValue(const Source& source, std::string_view valueInfo);
std::string_view nameOfTensor(const Source& source, std::string_view tensor);
std::string_view nameOfSparse(const Source& source, std::string_view sparseTensor);

/// Calls `use` with every value of a string field.
template <typename Use>
void eachText(const Source& source, std::string_view message, std::uint32_t number, Use use) {
    WireCursor cursor(source, message);
    WireField found;
    while (cursor.next(found))
        if (found.number == number) use(found.bytes);
}

/// The graphs among a node's attributes, with the attribute's name.
struct Subgraph {
    std::string_view attribute;
    std::string_view bytes;
};
std::vector<Subgraph> subgraphsOf(const Source& source, std::string_view node);

/// The tensor of a node's attribute, "" where it has none of that name.
std::string_view tensorOf(const Source& source, std::string_view node, std::string_view attribute);

/// "node 'conv1' (Conv)" for messages; an unnamed node is named by its first output.
std::string describeNode(const Source& source, std::string_view node);

/// Producer of each tensor of a graph, and a topological order of its nodes.
struct NodeOrder {
    static constexpr std::int32_t kGiven = -1;  ///< an input or a stored tensor

    std::unordered_map<std::string_view, std::int32_t> makers;  ///< node index, or kGiven
    std::unordered_set<std::string_view> read;                  ///< names in `makers` as kGiven that something reads
    std::vector<std::int32_t> sequence;                         ///< empty = as in the file
};

/// Throws DataError for a tensor that is made twice and for a cycle. `given` are the names of inputs and stored
/// tensors. Names that nothing in the graph makes are left to the caller.
NodeOrder orderOf(const Source& source, const std::vector<std::string_view>& nodes,
                  const std::vector<std::string_view>& given);

}  // namespace tessera::model::onnx_wire

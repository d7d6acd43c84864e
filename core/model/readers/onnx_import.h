#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/model/builder.h"
#include "core/model/model.h"
#include "core/model/readers/onnx_graph.h"
#include "core/model/readers/onnx_tensor.h"

namespace onnx {
class AttributeProto;
class NodeProto;
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

/// Conversion of an ONNX file's messages to GraphBuilder calls.
namespace tessera::model::onnx_wire {

/// Warnings of a file, at most `kMaxOfAKind` of each kind.
class Warnings {
public:
    static constexpr std::size_t kMaxOfAKind = 20;

    /// `kind` continues "and N more: ", such as "unused stored tensors".
    void add(const std::string& kind, std::string sentence);
    std::vector<std::string> finish() const;

private:
    struct Kind {
        std::string name;
        std::size_t count = 0;
        std::vector<std::string> sentences;
    };
    std::vector<Kind> kinds_;
};

/// Memory that the finished graph will need, estimated before it is taken.
class Budget {
public:
    Budget(const std::string& file, std::size_t limit) : file_(file), limit_(limit) {}
    /// Throws DataError where the sum goes beyond the limit.
    void charge(std::size_t bytes);

private:
    const std::string& file_;
    std::size_t limit_;
    std::size_t used_ = 0;
};

/// Values of symbolic dimensions by name.
class Dimensions {
public:
    Dimensions(const Source& source, const LoadOptions& options) : source_(source), options_(options) {}

    /// Binds the names that stand at dimension 0 of an input, and remembers every name.
    void addInput(const DeclaredType& type);
    void see(const DeclaredType& type);
    /// A declared shape with the bound names replaced; `symbols` keeps what is not bound.
    void bind(DeclaredType& type) const;
    std::int64_t batch() const { return options_.batch.value_or(1); }
    /// Throws UsageError where the options bind a name that the model does not have.
    void checkOptions() const;

private:
    const Source& source_;
    const LoadOptions& options_;
    std::map<std::string, std::int64_t> bound_;
    std::set<std::string> seen_;
};

/// A local function of the file.
struct Function {
    std::string name;
    std::vector<std::string_view> inputs, outputs, nodes;
    std::vector<std::string_view> defaults;  ///< AttributeProto
    std::optional<std::vector<std::int32_t>> sequence;
    bool active = false;  ///< being inlined
};

using AttributeProtos = std::map<std::string, onnx::AttributeProto>;

/// Meaning of names inside a graph, a body or a function.
struct Scope {
    const Scope* outer = nullptr;  ///< whose names are visible too
    bool main = false;
    std::unordered_map<std::string_view, std::string>
        names;  ///< defined so far; the main graph's only where they differ
    std::unordered_map<std::string_view, std::string> planned;  ///< names that outputs must get when they are made
    std::unordered_map<std::string_view, std::string_view> declared;  ///< ValueInfoProto by name
    std::string prefix;
    std::string body;
    const AttributeProtos* attributes = nullptr;  ///< of the call, inside a function
    int depth = 0;
};

/// Walks the file's graph and hands it to a GraphBuilder, bodies and functions inlined.
class Importer {
public:
    Importer(const Source& source, const LoadOptions& options);
    Graph run();

private:
    struct Node;

    void readModel();
    void readVersions(std::int64_t irVersion, bool irGiven);
    void addFunction(std::string_view bytes);
    void addInputs(const GraphParts& parts, const NodeOrder& order);
    void addInput(const std::string& name, DeclaredType type);
    void addTensors(const GraphParts& parts, Scope& scope);
    void addTensor(std::string_view bytes, Scope& scope);
    void addSparseTensor(std::string_view bytes, Scope& scope);
    void addNodes(const std::vector<std::string_view>& nodes, const std::vector<std::int32_t>& sequence, Scope& scope);
    void addOutputs(const GraphParts& parts, Scope& scope);
    void warnUnused(const GraphParts& parts, const NodeOrder& order);
    void warnOfOverlaps();
    void checkData(const onnx::TensorProto& tensor, const Payload& payload, const Place& place);
    static std::vector<std::int64_t> sparseShape(const onnx::SparseTensorProto& tensor, const Place& place);
    void checkName(std::string_view name);
    void checkDomain(const Node& node);
    void checkShapes(const Node& node, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
    void collectDeclared(const GraphParts& parts, Scope& scope);

    void addNode(std::string_view bytes, Scope& scope);
    Node parseNode(std::string_view bytes, Scope& scope);
    void addConstant(const Node& node, Scope& scope);
    void addPlain(const Node& node, Scope& scope);
    void addControl(const Node& node, Scope& scope);
    void callFunction(const Node& node, Function& function, Scope& scope);
    std::vector<std::string> inlineBody(const Node& node, std::string_view body, Scope& inner,
                                        const std::vector<std::string>& arguments);
    void addIf(const Node& node, Scope& scope);
    void addLoop(const Node& node, Scope& scope);
    void addScan(const Node& node, Scope& scope);
    std::string sliceOf(const Node& node, const std::string& sequence, std::int64_t axis);
    void finishControl(const Node& node, const std::vector<std::string>& results, const std::vector<Shape>& shapes,
                       Scope& scope);

    std::string read(const Node& node, std::string_view name, const Scope& scope) const;
    std::optional<std::string> find(std::string_view name, const Scope& scope) const;
    std::string define(std::string_view name, Scope& scope);
    void applyDeclared(std::string_view name, const std::string& tensor, const Scope& scope);
    std::string shortened(std::string_view name);
    std::string uniqueTensor(std::string name);
    std::string uniqueNode(std::string_view wanted, const std::string& type, const Scope& scope);
    std::optional<DeclaredType> declaredType(std::string_view valueInfo, const Scope& scope);
    Place place(const Node& node) const;

    const Source& source_;
    const LoadOptions& options_;
    Dimensions dimensions_;
    Budget budget_;
    Warnings warnings_;
    std::optional<GraphBuilder> builder_;
    std::string_view graph_;
    bool graphGiven_ = false;
    std::int64_t opset_ = 0;
    std::vector<std::string_view> functionBytes_;
    std::map<std::pair<std::string, std::string>, Function> functions_;
    NodeOrder order_;
    Scope main_;
    std::set<std::string> domains_;  ///< of the opset imports, of functions, and those that were reported
    /// Tensors by the file that holds their data and by where they lie in it.
    std::map<std::string, std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>> external_;
    std::optional<std::int64_t> batch_;  ///< of the inputs; 1 where they differ
    bool batchBound_ = false;
    std::int64_t visited_ = 0;
    std::size_t readBytes_ = 0;
    std::unordered_map<std::string_view, bool> nodeNames_;  ///< of the main graph; true once given to an operator
    std::unordered_set<std::string> generatedNodes_;
    std::unordered_map<std::string, std::int64_t> repeats_;
    std::int64_t shortenedNames_ = 0;
};

}  // namespace tessera::model::onnx_wire

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/graph.h"

namespace tessera::model {

/// Operator as given to GraphBuilder. Inputs and outputs by tensor name, "" = left out. An attribute that is a tensor
/// (ConstantOfShape's `value`) is given as two: `value_type`, the number of its DataType, and, where the elements are
/// known, `value`, a number or a list of numbers. If, Loop and Scan may list the tensors that their bodies read from
/// outside as further inputs, so that what depends on an input is known.
struct OperatorSpec {
    std::string type;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    Attributes attributes;
    std::string name;
    std::string domain;
    std::string layer;
    std::string block;
    std::string body = {};  ///< as Operator::body
};

/// Builds a Graph in topological order: propagates types and shapes by the operator table, folds constant shape
/// arithmetic, assigns roles, and checks every operator. All readers and the zoo go through it, so that every graph in
/// the program obeys the same rules. Throws DataError{file, where: "node 'conv1' (Conv)"} for wrong input counts,
/// ranks, attributes, types and sizes.
class GraphBuilder {
public:
    /// `file` names the source in errors ("zoo:resnet50" for generated ones); `opset` selects operator versions.
    GraphBuilder(std::string name, std::string file, std::int64_t opset = 17);
    ~GraphBuilder();
    GraphBuilder(GraphBuilder&&) noexcept;
    GraphBuilder& operator=(GraphBuilder&&) noexcept;

    void addInput(const std::string& name, DataType type, const Shape& shape, Symbols symbols = {});
    /// A stored tensor. Float tensors become parameters (statistics where an operator reads them as such), others
    /// constants. `values`, where known, are the elements of a small integer, boolean or float tensor, for folding.
    void addStored(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                   std::vector<double> values = {});
    /// A value written into the graph (ONNX Constant). As `addStored`, but a parameter only where it is a float tensor
    /// of more than 64 elements. Without `values` the elements are not known.
    void addConstant(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                     std::optional<std::vector<double>> values = {});
    /// Declares what a file says about an existing tensor: fills in the type, rank and dimensions that could not be
    /// computed. What was computed stays.
    void declare(const std::string& name, DataType type, const Shape& shape);
    /// The elements of a tensor that is known by folding or storage; nullptr where they are not known.
    const std::vector<double>* values(const std::string& name) const;
    /// Adds an operator; its inputs must exist. Returns the name of its first output. A Constant becomes a stored
    /// tensor (see addConstant) and no operator.
    std::string add(OperatorSpec spec);
    void addOutput(const std::string& name);
    bool has(const std::string& tensor) const;
    const Tensor& tensor(const std::string& name) const;
    void warn(std::string sentence);
    void note(std::string sentence);

    /// Finishes the graph. Throws DataError where it is empty or too large (2^53 elements in a tensor).
    Graph build() &&;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tessera::model

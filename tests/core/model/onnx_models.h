#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/readers/onnx.h"

/// ONNX files made in memory, for tests.
namespace tessera::test {

using Dims = std::vector<std::int64_t>;

/// A ModelProto that is put together step by step; every step returns what it added, for changes.
struct OnnxModel {
    onnx::ModelProto proto;

    explicit OnnxModel(std::int64_t opset = 17) {
        proto.set_ir_version(8);
        proto.add_opset_import()->set_version(opset);
        proto.mutable_graph()->set_name("test");
    }
    onnx::GraphProto& graph() { return *proto.mutable_graph(); }
    std::string bytes() const { return proto.SerializeAsString(); }
    model::Graph read(const model::LoadOptions& options = {}) const {
        return model::readOnnx(bytes(), "test.onnx", options);
    }
    /// The message of the DataError (or UsageError) that reading throws, "" where it does not.
    std::string error(const model::LoadOptions& options = {}) const {
        try {
            read(options);
        } catch (const DataError& found) {
            return found.what();
        } catch (const UsageError& found) {
            return found.what();
        }
        return "";
    }
};

/// A declared tensor; -1 = an unset dimension.
inline onnx::ValueInfoProto value(const std::string& name, const Dims& dims, int type = 1) {
    onnx::ValueInfoProto info;
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    onnx::TensorShapeProto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const std::int64_t dim : dims) {
        onnx::TensorShapeProto::Dimension& added = *shape.add_dim();
        if (dim != -1) added.set_dim_value(dim);
    }
    return info;
}

inline void name(onnx::ValueInfoProto& info, int axis, const std::string& symbol) {
    info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_param(symbol);
}

inline onnx::ValueInfoProto& addInput(onnx::GraphProto& graph, const std::string& name, const Dims& dims,
                                      int type = 1) {
    return *graph.add_input() = value(name, dims, type);
}

inline onnx::ValueInfoProto& addOutput(onnx::GraphProto& graph, const std::string& name) {
    onnx::ValueInfoProto& info = *graph.add_output();
    info.set_name(name);
    return info;
}

/// A stored tensor without data.
inline onnx::TensorProto& addWeight(onnx::GraphProto& graph, const std::string& name, const Dims& dims, int type = 1) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    return tensor;
}

inline onnx::TensorProto& addIntegers(onnx::GraphProto& graph, const std::string& name, const Dims& values) {
    onnx::TensorProto& tensor = addWeight(graph, name, {static_cast<std::int64_t>(values.size())}, 7);
    for (const std::int64_t number : values) tensor.add_int64_data(number);
    return tensor;
}

inline onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& type,
                                const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                                const std::string& name = "") {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(type);
    node.set_name(name);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
}

inline onnx::AttributeProto& addAttribute(onnx::NodeProto& node, const std::string& name,
                                          onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
}

inline void setInt(onnx::NodeProto& node, const std::string& name, std::int64_t number) {
    addAttribute(node, name, onnx::AttributeProto::INT).set_i(number);
}

inline void setInts(onnx::NodeProto& node, const std::string& name, const Dims& numbers) {
    onnx::AttributeProto& attribute = addAttribute(node, name, onnx::AttributeProto::INTS);
    for (const std::int64_t number : numbers) attribute.add_ints(number);
}

/// The body of an If, Loop or Scan, to be filled.
inline onnx::GraphProto& addBody(onnx::NodeProto& node, const std::string& attribute) {
    return *addAttribute(node, attribute, onnx::AttributeProto::GRAPH).mutable_g();
}

/// x [2, 3] -> Relu 'relu' -> y.
inline OnnxModel smallModel() {
    OnnxModel model;
    addInput(model.graph(), "x", {2, 3});
    addNode(model.graph(), "Relu", {"x"}, {"y"}, "relu");
    addOutput(model.graph(), "y");
    return model;
}

/// Makes a weight's data external, at these places; an empty text is left out.
inline void putOutside(onnx::TensorProto& weight, const std::string& location, const std::string& offset,
                       const std::string& length) {
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, text] :
         {std::pair("location", location), std::pair("offset", offset), std::pair("length", length)}) {
        if (text.empty()) continue;
        onnx::StringStringEntryProto& entry = *weight.add_external_data();
        entry.set_key(key);
        entry.set_value(text);
    }
}

}  // namespace tessera::test

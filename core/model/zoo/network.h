#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/model/builder.h"
#include "core/model/graph.h"
#include "core/model/model.h"

namespace tessera::model::zoo {

struct Kernel {
    std::int64_t height = 1;
    std::int64_t width = 1;
};

struct ConvOptions {
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t pad = 0;
    std::int64_t groups = 1;
    bool bias = false;
};

struct PoolOptions {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    std::int64_t pad = 0;
    bool ceil = false;  ///< a last window may reach beyond the map
};

/// A convolution that is not square.
struct WideConvOptions {
    Kernel kernel, stride, pad;
};

/// Writes a network operator by operator, in the words of the papers, into a GraphBuilder. Functions take and return
/// tensor names. A weighted layer or join is given its name; other operators belong to the layer that their first
/// operand comes from ("conv1.relu"), or, in another block than it, stand for themselves ("layer2.norm").
class Network {
public:
    /// `dimensions` holds a size for every dimension of the entry.
    Network(const std::string& id, std::int64_t batch, std::map<std::string, std::int64_t> dimensions);
    /// A network that a file describes.
    Network(const std::string& name, const std::string& file, std::int64_t batch,
            std::map<std::string, std::int64_t> dimensions);

    /// What errors name: "zoo:gpt", or a file.
    const std::string& file() const { return file_; }
    std::int64_t batch() const { return batch_; }
    /// The size that a dimension of the zoo's entry has been given, or its default.
    std::int64_t dimension(const std::string& name) const { return dimensions_.at(name); }
    /// The same, or `otherwise` where the row of the zoo leaves it out.
    std::int64_t dimensionOr(const std::string& name, std::int64_t otherwise) const {
        const auto found = dimensions_.find(name);
        return found == dimensions_.end() ? otherwise : found->second;
    }
    /// The block that the following operators belong to; names of layers are put behind it ("layer1.0" + "conv1").
    /// Empty = none.
    void block(const std::string& name) { block_ = name; }

    /// A float32 input of batch x dimensions.
    std::string input(const std::string& name, const std::vector<std::int64_t>& dimensions,
                      DataType type = DataType::float32);
    /// A trained tensor of the layer or block: "NAME" behind the block's name.
    std::string stored(const std::string& name, const std::vector<std::int64_t>& shape);
    /// A value that is given with the network and not trained, of unknown elements.
    std::string constant(const std::string& name, DataType type, const std::vector<std::int64_t>& shape);

    std::string conv(const std::string& x, const std::string& layer, std::int64_t channels, const ConvOptions& options);
    /// Convolution with a bias and different horizontal and vertical sizes.
    std::string wideConv(const std::string& x, const std::string& layer, std::int64_t channels,
                         const WideConvOptions& options);
    std::string transposedConv(const std::string& x, const std::string& layer, std::int64_t channels,
                               const ConvOptions& options);
    /// y = x W^T + b.
    std::string fc(const std::string& x, const std::string& layer, std::int64_t features);
    /// Fully connected layer with the weights of another one.
    std::string fcLike(const std::string& x, const std::string& layer, const std::string& other);
    std::string add(const std::string& a, const std::string& b, const std::string& layer);
    std::string subtract(const std::string& a, const std::string& b, const std::string& layer);
    std::string multiply(const std::string& a, const std::string& b, const std::string& layer);
    /// Along the channels.
    std::string concat(const std::vector<std::string>& parts, const std::string& layer);

    std::string batchNorm(const std::string& x);
    std::string relu(const std::string& x) { return unary("Relu", x); }
    /// ReLU with an upper bound of 6.
    std::string relu6(const std::string& x);
    std::string clip(const std::string& x, double min, double max);
    /// x sigmoid(x).
    std::string silu(const std::string& x);
    std::string unary(const std::string& type, const std::string& x, const Attributes& attributes = {});
    std::string maxPool(const std::string& x, const PoolOptions& options);
    std::string averagePool(const std::string& x, const PoolOptions& options);
    std::string globalAveragePool(const std::string& x) { return unary("GlobalAveragePool", x); }
    /// The mean over height and width, as batch x channels.
    std::string spatialMean(const std::string& x);
    std::string flatten(const std::string& x);

    // Sequences: batch x steps x features.

    /// y = x W, without bias: an operator of rank above 2.
    std::string linear(const std::string& x, const std::string& layer, std::int64_t features);
    /// y = x T^T for a table T of rows x features, as a head that shares the table of its embedding.
    std::string tiedLinear(const std::string& x, const std::string& layer, const std::string& table);
    /// Adds a trained vector to the last axis.
    std::string bias(const std::string& x);
    /// y = x W for each of as many matrices as x has on its first axis: groups x rows x features.
    std::string linearOfEach(const std::string& x, const std::string& layer, std::int64_t features);
    std::string lookUp(const std::string& indices, const std::string& layer, const std::string& table);
    std::string layerNorm(const std::string& x);
    /// Without a bias; without a trained factor either.
    std::string scaledLayerNorm(const std::string& x);
    std::string plainLayerNorm(const std::string& x);
    /// Root mean square normalisation.
    std::string rmsNorm(const std::string& x);
    std::string softmax(const std::string& x) { return unary("Softmax", x, {{"axis", std::int64_t{-1}}}); }
    std::string reshape(const std::string& x, const std::vector<std::int64_t>& shape);
    std::string transpose(const std::string& x, const std::vector<std::int64_t>& order);
    /// Repeats axes of size 1.
    std::string expand(const std::string& x, const std::vector<std::int64_t>& shape);
    /// A matrix product of activations.
    std::string product(const std::string& a, const std::string& b, const std::string& layer);
    /// x times a number.
    std::string scale(const std::string& x, double factor);
    /// x where the mask is true, a large negative number elsewhere.
    std::string masked(const std::string& x, const std::string& mask);
    /// An element-wise operator of values that come from one layer, or of one such value and a stored one.
    std::string combine(const std::string& type, const std::string& a, const std::string& b) {
        return addOnEdge(type, {a, b}, {});
    }
    /// Equal parts along an axis.
    std::vector<std::string> split(const std::string& x, std::int64_t parts, std::int64_t axis);
    /// Parts of these sizes along an axis.
    std::vector<std::string> splitInto(const std::string& x, const std::vector<std::int64_t>& sizes, std::int64_t axis);
    std::string concatenate(const std::vector<std::string>& parts, std::int64_t axis, const std::string& layer);
    /// Concatenates values that come from one layer.
    std::string concatenateOnEdge(const std::vector<std::string>& parts, std::int64_t axis) {
        return addOnEdge("Concat", parts, {{"axis", axis}});
    }
    /// The element of an axis, which goes.
    std::string at(const std::string& x, std::int64_t axis, std::int64_t index);
    /// The largest elements of the last axis, and their indices.
    std::pair<std::string, std::string> largest(const std::string& x, std::int64_t count);
    /// Indices that sort a list of whole numbers.
    std::string sortedOrder(const std::string& x);
    /// Whole numbers divided, rounded down.
    std::string quotient(const std::string& x, std::int64_t divisor);
    /// Zeros behind the elements of a list.
    std::string extended(const std::string& x, std::int64_t count);
    /// Rows of the first axis by indices that another layer made, as a layer of its own.
    std::string rowsOf(const std::string& x, const std::string& indices, const std::string& layer) {
        return join("Gather", {x, indices}, layer, {{"axis", std::int64_t{0}}});
    }
    /// Rows of an axis by stored indices.
    std::string pick(const std::string& x, std::int64_t axis, std::int64_t count);
    std::string sum(const std::string& x, std::int64_t axis);
    /// Of what stands before every element of an axis, without itself.
    std::string runningSum(const std::string& x, std::int64_t axis);
    /// Prepends a zero to every row of the axis; removes the first element of the axis.
    std::string padded(const std::string& x, std::int64_t axis);
    std::string withoutFirst(const std::string& x, std::int64_t axis);
    /// A trained row in front of the steps.
    std::string withFirstStep(const std::string& x, const std::string& name);
    /// The sum over the devices of a tensor-parallel group; x itself where that is one.
    std::string allReduce(const std::string& x, std::int64_t devices);
    /// x as every device of the group reads it for its part of a product: nothing in the forward pass, the sum of all
    /// devices' gradients in the backward pass. x itself where the group is one.
    std::string replicate(const std::string& x, std::int64_t devices);
    /// A layer of LSTM cells on batch x steps x features, with both biases of cuDNN; all directions side by side.
    std::string lstm(const std::string& x, const std::string& layer, std::int64_t hidden, bool bidirectional);

    /// Splits the channels into two halves.
    std::vector<std::string> halves(const std::string& x);
    /// Interleaves the channels of `groups` groups.
    std::string channelShuffle(const std::string& x, std::int64_t groups);

    std::int64_t channels(const std::string& x) const;
    const std::vector<std::int64_t>& shape(const std::string& x) const { return *builder_.tensor(x).shape; }
    std::int64_t width(const std::string& x) const { return shape(x).back(); }  ///< of the last axis
    /// Finishes the network with one output.
    Graph finish(const std::string& output) &&;

private:
    /// Position of an operator: its name, and the layer that it belongs to.
    struct Spot {
        std::string name, layer;
    };
    struct Owner {
        std::string layer, block;
    };

    std::string scoped(const std::string& layer) const;
    Spot spotBehind(const std::string& x, const std::string& type);
    void addOperator(const std::string& type, std::vector<std::string> inputs, const std::vector<std::string>& outputs,
                     const Attributes& attributes, const Spot& spot);
    std::string addOnEdge(const std::string& type, const std::vector<std::string>& inputs,
                          const Attributes& attributes);
    std::string addLayer(const std::string& type, std::vector<std::string> inputs, const std::string& name,
                         const Attributes& attributes);
    std::string join(const std::string& type, const std::vector<std::string>& parts, const std::string& layer,
                     const Attributes& attributes);
    std::string scalar(const std::string& near, double value);
    std::string withTrained(const std::string& type, const std::string& x, const std::vector<const char*>& parts,
                            const Attributes& attributes);
    std::string integers(const std::string& name, const std::vector<std::int64_t>& values);

    std::string file_;
    GraphBuilder builder_;
    std::int64_t batch_ = 1;
    std::map<std::string, std::int64_t> dimensions_;
    std::string block_;
    std::map<std::string, Owner> owners_;  ///< by tensor
    std::map<std::string, int> taken_;     ///< how often a name was used
};

/// A convolution and the batch normalisation of what it gives.
inline std::string convNorm(Network& net, const std::string& x, const std::string& layer, std::int64_t channels,
                            const ConvOptions& options) {
    return net.batchNorm(net.conv(x, layer, channels, options));
}

}  // namespace tessera::model::zoo

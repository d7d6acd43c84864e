#pragma once

#include <cstdint>
#include <map>
#include <string>
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

/// Writes a network operator by operator, in the words of the papers, into a GraphBuilder. Functions take and return
/// tensor names. A weighted layer or join is given its name; other operators belong to the layer that their first
/// operand comes from ("conv1.relu"), or, in another block than it, stand for themselves ("layer2.norm").
class Network {
public:
    Network(const std::string& id, const LoadOptions& options);

    std::int64_t batch() const { return batch_; }
    /// The block that the following operators belong to; names of layers are put behind it ("layer1.0" + "conv1").
    /// Empty = none.
    void block(const std::string& name) { block_ = name; }

    /// A float32 input of batch x dimensions.
    std::string input(const std::string& name, const std::vector<std::int64_t>& dimensions);

    std::string conv(const std::string& x, const std::string& layer, std::int64_t channels, const ConvOptions& options);
    std::string transposedConv(const std::string& x, const std::string& layer, std::int64_t channels,
                               const ConvOptions& options);
    /// y = x W^T + b.
    std::string fc(const std::string& x, const std::string& layer, std::int64_t features);
    std::string add(const std::string& a, const std::string& b, const std::string& layer);
    std::string multiply(const std::string& a, const std::string& b, const std::string& layer);
    /// Along the channels.
    std::string concat(const std::vector<std::string>& parts, const std::string& layer);

    std::string batchNorm(const std::string& x);
    std::string relu(const std::string& x) { return unary("Relu", x); }
    /// ReLU with an upper bound of 6.
    std::string relu6(const std::string& x);
    /// x sigmoid(x).
    std::string silu(const std::string& x);
    std::string unary(const std::string& type, const std::string& x, const Attributes& attributes = {});
    std::string maxPool(const std::string& x, const PoolOptions& options);
    std::string averagePool(const std::string& x, const PoolOptions& options);
    std::string globalAveragePool(const std::string& x) { return unary("GlobalAveragePool", x); }
    /// The mean over height and width, as batch x channels.
    std::string spatialMean(const std::string& x);
    std::string flatten(const std::string& x);
    /// Splits the channels into two halves.
    std::vector<std::string> halves(const std::string& x);
    /// Interleaves the channels of `groups` groups.
    std::string channelShuffle(const std::string& x, std::int64_t groups);

    std::int64_t channels(const std::string& x) const;
    /// Finishes the network with one output.
    Graph finish(const std::string& output) &&;

private:
    /// Where an operator goes: its name, and the layer that it belongs to.
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
    std::string reshaped(const std::string& x, const std::vector<std::int64_t>& shape);
    std::string integers(const std::string& name, const std::vector<std::int64_t>& values);

    GraphBuilder builder_;
    std::int64_t batch_ = 1;
    std::string block_;
    std::map<std::string, Owner> owners_;  ///< by tensor
    std::map<std::string, int> taken_;     ///< how often a name was asked for
};

}  // namespace tessera::model::zoo

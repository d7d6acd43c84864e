#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/training.h"

namespace tessera::physical {

/// A size that grows with the samples of a forward pass.
struct SampledSize {
    double fixed = 0;
    double each = 0;  ///< for each sample

    double at(double samples) const { return fixed + each * samples; }
    bool operator==(const SampledSize&) const = default;
};

/// What decides the time of an operator of a network.
enum class NetworkFamily : std::uint8_t {
    convolution,
    groupedConvolution,  ///< also depthwise: each group has few channels
    product,
    recurrent,  ///< one product a step, each of which waits for the last
    memory,     ///< bytes: element-wise, normalisation, pooling, softmax, moves
    lookUp,     ///< rows of a table, and their gradient
};

/// Equal operators of a training graph. Sizes are of one of them.
struct NetworkOperator {
    NetworkFamily family = NetworkFamily::memory;
    bool backward = false;
    double count = 1;
    SampledSize batch = {}, m = {}, n = {}, k = {};  ///< of the product that it is; all 0 where it is none
    double steps = 1;                                ///< such products one after the other
    SampledSize values = {};                         ///< elements read and written, each once
    double table = 0;        ///< elements of the table whose gradient a look-up makes, which are set to 0 before
    SampledSize again = {};  ///< elements that statistics of a batch read before
    bool windowed = false;   ///< a 3 x 3 window with stride 1, for which there are fast algorithms

    bool isAlike(const NetworkOperator& other) const;
};

/// The kernels of a step of training, and which operator of the training graph is in which.
struct NetworkKernels {
    std::vector<NetworkOperator> folded;  ///< equal ones once
    std::vector<std::int32_t> kernelOf;   ///< by operator its place in `folded`; -1: it takes no time, or is an update
    std::vector<bool> leads;              ///< by operator: the first of its kernel
};

/// The operators of one step of training of a network, for any batch.
struct NetworkWork {
    NetworkKernels alone;   ///< each operator a kernel
    NetworkKernels joined;  ///< what is done element by element joined to the normalisation, addition or
                            ///< function before it: what passes between them is not moved
    double parameters = 0;  ///< trained elements
    double parameterTensors = 0;
    double inputs = 0;  ///< elements of a sample
};

/// The work of a graph. What carries the batch grows with it.
NetworkWork networkWorkOf(const model::TrainingGraph& training);

/// The work of "zoo:resnet50" with the dimensions that a run gives; kept once built, for any thread. Throws UsageError
/// for a network that the zoo does not have and for dimensions out of its range.
std::shared_ptr<const NetworkWork> networkWork(const std::string& model,
                                               const std::map<std::string, std::string, std::less<>>& dims);

}  // namespace tessera::physical

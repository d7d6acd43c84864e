#include "core/physical/network_operators.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/index_lists.h"
#include "core/base/text.h"
#include "core/model/counts.h"
#include "core/model/operators/operator_table.h"
#include "core/model/training.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/measured_table.h"

namespace tessera::physical {
namespace {

using model::Graph;
using model::kNoTensor;
using model::Operator;
using model::OperatorClass;
using model::TensorIndex;
using model::TensorRole;
using model::TrainingGraph;

/// Sizes of one kernel at one batch; `NetworkOperator` is what two batches make of it.
struct NetworkSizes {
    NetworkFamily family = NetworkFamily::memory;
    bool backward = false;
    double batch = 0, m = 0, n = 0, k = 0, steps = 1, values = 0, again = 0, table = 0;
    bool windowed = false;
};

double networkExtent(const Graph& graph, TensorIndex tensor, std::size_t axis) {
    if (tensor == kNoTensor) return 1;
    const model::Shape& shape = graph.tensor(tensor).shape;
    return shape && axis < shape->size() ? static_cast<double>((*shape)[axis]) : 1;
}

std::size_t networkRank(const Graph& graph, TensorIndex tensor) {
    return tensor != kNoTensor && graph.tensor(tensor).shape ? graph.tensor(tensor).shape->size() : 0;
}

std::vector<std::int64_t> macsOf(const Graph& graph) {
    std::vector<std::int64_t> macs;
    macs.reserve(graph.operators.size());
    for (const Operator& op : graph.operators) macs.push_back(model::countOf(graph, op).macs.value_or(0));
    return macs;
}

/// A training graph as its operators are counted: the tensor that each one really is, and who makes and reads it, with
/// so many times the samples that the graph has.
class NetworkReader {
public:
    explicit NetworkReader(const TrainingGraph& training)
        : training_(training),
          graph_(training.graph),
          grows_(model::growingWithBatch(training)),
          macs_(macsOf(graph_)) {
        const std::size_t tensors = graph_.tensors.size();
        root_.resize(tensors);
        for (std::size_t i = 0; i < tensors; ++i) root_[i] = static_cast<TensorIndex>(i);
        for (const Operator& op : graph_.operators)
            if (isFree(op) && !op.inputs.empty() && op.inputs[0] != kNoTensor && !op.outputs.empty())
                root_[at(op.outputs[0])] = rootOf(op.inputs[0]);
        maker_.assign(tensors, -1);
        for (std::int32_t i = 0; i < size(); ++i) {
            if (isFree(op(i))) continue;
            for (const TensorIndex output : op(i).outputs)
                if (output != kNoTensor) maker_[at(output)] = i;
        }
        readers_ = IndexLists(tensors, [&](const auto& add) {
            for (std::int32_t i = 0; i < size(); ++i) {
                if (isFree(op(i))) continue;
                for (const TensorIndex input : op(i).inputs)
                    if (input != kNoTensor) add(at(rootOf(input)), i);
            }
        });
    }

    /// Operators of each kernel of the step but the optimizer's: alone, or joined to those before them.
    IndexLists groups(bool joined) const {
        std::int32_t groups = 0;
        std::vector<std::int32_t> groupOf(at(size()), -1);
        for (std::int32_t i = 0; i < size(); ++i) {
            if (isFree(op(i)) || !isComputed(i)) continue;
            const std::int32_t before = joined && isJoinable(i) ? lastMaker(i) : -1;
            const bool joins = before >= 0 && before < size() && isJoinable(before) && groupOf[at(before)] >= 0 &&
                               training_.phaseOf(before) == training_.phaseOf(i);
            groupOf[at(i)] = joins ? groupOf[at(before)] : groups++;
        }
        return {at(groups), [&](const auto& add) {
                    for (std::int32_t i = 0; i < size(); ++i)
                        if (groupOf[at(i)] >= 0) add(at(groupOf[at(i)]), i);
                }};
    }

    /// Sizes of the kernel of a group with `times` the samples of the graph.
    NetworkSizes read(std::span<const std::int32_t> group, double times) {
        times_ = times;
        const Operator& first = op(group.front());
        NetworkSizes sizes;
        if (isLookUp(first)) sizes = lookUpSizes(first);
        if (isProduct(group.front())) sizes = productSizes(group.front());
        sizes.backward = training_.phaseOf(group.front()) == model::Phase::backward;
        if (sizes.family != NetworkFamily::lookUp) std::tie(sizes.values, sizes.again) = movedBy(group);
        return sizes;
    }

    void setTimes(double times) { times_ = times; }

    double elements(TensorIndex tensor) const {
        if (tensor == kNoTensor) return 0;
        const auto count = static_cast<double>(model::elementCount(graph_.tensor(tensor).shape).value_or(0));
        return grows_[at(tensor)] ? count * times_ : count;
    }

private:
    static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
    std::int32_t size() const { return training_.update; }
    const Operator& op(std::int32_t index) const { return graph_.operators[at(index)]; }
    TensorIndex rootOf(TensorIndex tensor) const { return root_[at(tensor)]; }

    static OperatorClass classOf(const Operator& op) {
        const model::OperatorKind* kind = model::kindOf(op);
        return kind == nullptr ? OperatorClass::memory : kind->group;
    }

    /// Relabels, or hands a product its operand the other way round, which products take as it stands.
    bool isFree(const Operator& op) const {
        if (model::relabels(op)) return true;
        if (op.type != "Transpose") return false;
        const auto* order = model::attributeAs<std::vector<std::int64_t>>(op.attributes, "perm");
        if (order == nullptr) return networkRank(graph_, op.inputs[0]) == 2;
        for (std::size_t i = 0; i + 2 < order->size(); ++i)
            if ((*order)[i] != static_cast<std::int64_t>(i)) return false;
        return true;
    }

    bool grows(const Operator& op) const {
        const auto one = [&](TensorIndex tensor) { return tensor != kNoTensor && grows_[at(tensor)]; };
        return std::any_of(op.inputs.begin(), op.inputs.end(), one) ||
               std::any_of(op.outputs.begin(), op.outputs.end(), one);
    }
    /// Multiplications with an addition each.
    double products(std::int32_t index) const {
        const auto count = static_cast<double>(macs_[at(index)]);
        return grows(op(index)) ? count * times_ : count;
    }

    bool isProduct(std::int32_t index) const {
        return macs_[at(index)] > 0 && classOf(op(index)) == OperatorClass::matrix;
    }
    static bool isLookUp(const Operator& op) { return op.type == "Gather" || op.type == "LookUpGradient"; }

    /// True where an operator can be done in the registers of the kernel that made its input.
    bool isJoinable(std::int32_t index) const {
        const OperatorClass group = classOf(op(index));
        if (op(index).type->find("Pool") != std::string::npos || isProduct(index)) return false;
        return group == OperatorClass::vector || group == OperatorClass::normalisation;
    }

    bool isComputed(std::int32_t index) const {
        return std::any_of(op(index).outputs.begin(), op(index).outputs.end(), [&](TensorIndex output) {
            return output != kNoTensor && graph_.tensor(output).role == TensorRole::activation;
        });
    }

    /// The operator that made the last of an operator's inputs; -1 where none did.
    std::int32_t lastMaker(std::int32_t index) const {
        std::int32_t last = -1;
        for (const TensorIndex input : op(index).inputs)
            if (input != kNoTensor) last = std::max(last, maker_[at(rootOf(input))]);
        return last;
    }

    /// Elements that a group reads and writes, and those that its statistics read before.
    std::pair<double, double> movedBy(std::span<const std::int32_t> group) const {
        std::vector<TensorIndex> moved;
        double again = 0;
        for (const std::int32_t member : group) {
            for (const TensorIndex input : op(member).inputs)
                if (input != kNoTensor && !isMember(maker_[at(rootOf(input))], group)) moved.push_back(rootOf(input));
            for (const TensorIndex output : op(member).outputs)
                if (output != kNoTensor && leaves(output, group)) moved.push_back(output);
            again += readAgain(op(member));
        }
        std::sort(moved.begin(), moved.end());
        moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
        double sum = 0;
        for (const TensorIndex tensor : moved) sum += elements(tensor);
        return {sum, again};
    }

    /// Of a group, whose operators are in the order of the schedule.
    static bool isMember(std::int32_t index, std::span<const std::int32_t> group) {
        return std::binary_search(group.begin(), group.end(), index);
    }

    bool leaves(TensorIndex output, std::span<const std::int32_t> group) const {
        const std::span<const std::int32_t> readers = readers_[at(output)];
        return readers.empty() || std::any_of(readers.begin(), readers.end(),
                                              [&](std::int32_t reader) { return !isMember(reader, group); });
    }

    /// What is normalised over a batch is read once for its mean and variance, and its gradient once for theirs.
    double readAgain(const Operator& op) const {
        constexpr std::array<std::string_view, 3> kKinds{"BatchNormalization", "InstanceNormalization",
                                                         "GroupNormalization"};
        const std::string type =
            op.type == "NormalisationGradient" ? model::attributeOr(op.attributes, "of", std::string()) : op.type.get();
        if (std::find(kKinds.begin(), kKinds.end(), type) == kKinds.end()) return 0;
        const double data = elements(op.inputs[0]);
        return type == op.type ? data : 2 * data;
    }

    /// A look-up moves the rows that it takes; its gradient adds them to those of a table.
    NetworkSizes lookUpSizes(const Operator& op) const {
        const bool isForward = op.type == "Gather";
        const double rows = elements(isForward ? op.outputs[0] : op.inputs[0]);
        NetworkSizes sizes{.family = NetworkFamily::lookUp};
        sizes.values = (isForward ? 2 : 3) * rows;
        sizes.table = isForward ? 0 : elements(op.outputs[0]);
        return sizes;
    }

    NetworkSizes productSizes(std::int32_t index) const {
        const std::string& type = op(index).type;
        if (type == "Conv" || type == "ConvTranspose" || type.starts_with("Convolution"))
            return convolutionSizes(index);
        if (type == "LSTM" || type == "GRU" || type == "RNN") return recurrentSizes(op(index), 1);
        const std::int32_t source = training_.sources[at(index)];
        if (type == "MatrixGradient" && source >= 0) {
            const std::string& of = op(source).type;
            if (of == "LSTM" || of == "GRU" || of == "RNN") return recurrentSizes(op(source), 2);
        }
        return matrixSizes(index);
    }

    /// Positions x filters x window of the channels of a group, turned for gradients.
    NetworkSizes convolutionSizes(std::int32_t index) const {
        const Operator& convolution = op(index);
        const bool isWeights = convolution.type == "ConvolutionWeightGradient";
        const TensorIndex kernel = isWeights ? convolution.outputs[0] : convolution.inputs[1];
        const double weights = std::max(elements(kernel), 1.0);
        const double groups = static_cast<double>(model::attributeOr(convolution.attributes, "group", std::int64_t{1}));
        const double filters = networkExtent(graph_, kernel, 0) / groups, channels = networkExtent(graph_, kernel, 1);
        const double window = weights / (networkExtent(graph_, kernel, 0) * channels);
        const double positions = products(index) / weights;
        NetworkSizes sizes{.family = groups > 1 ? NetworkFamily::groupedConvolution : NetworkFamily::convolution,
                           .batch = groups};
        const auto strides = model::attributeOr(convolution.attributes, "strides", std::vector<std::int64_t>{});
        sizes.windowed = window == 9 && groups == 1 && channels >= 16 &&
                         std::all_of(strides.begin(), strides.end(), [](auto s) { return s == 1; });
        if (isWeights)
            std::tie(sizes.m, sizes.n, sizes.k) = std::tuple(channels * window, filters, positions);
        else if (convolution.type == "Conv")
            std::tie(sizes.m, sizes.n, sizes.k) = std::tuple(positions, filters, channels * window);
        else
            std::tie(sizes.m, sizes.n, sizes.k) = std::tuple(positions, channels, filters * window);
        return sizes;
    }

    NetworkSizes matrixSizes(std::int32_t index) const {
        const Operator& product = op(index);
        const TensorIndex output = product.outputs[0];
        const double results = std::max(elements(output), 1.0);
        const std::size_t rank = networkRank(graph_, output);
        const bool isBatched = product.inputs.size() > 1 && networkRank(graph_, product.inputs[1]) > 2 && rank > 2;
        NetworkSizes sizes{.family = NetworkFamily::product, .batch = 1};
        sizes.n = rank > 0 ? std::max(networkExtent(graph_, output, rank - 1), 1.0) : 1;
        if (isBatched) sizes.batch = results / (std::max(networkExtent(graph_, output, rank - 2), 1.0) * sizes.n);
        sizes.m = results / (sizes.batch * sizes.n);
        sizes.k = products(index) / results;
        return sizes;
    }

    /// A recurrent layer of inputs X (steps x samples x inputs), W and R (directions x gates outputs x ...).
    NetworkSizes recurrentSizes(const Operator& layer, double times) const {
        const double directions = networkExtent(graph_, layer.inputs[1], 0);
        const bool samplesFirst = model::attributeOr(layer.attributes, "layout", std::int64_t{0}) != 0;
        const double samples =
            networkExtent(graph_, layer.inputs[0], samplesFirst ? 0 : 1) * (grows_[at(layer.inputs[0])] ? times_ : 1);
        return {.family = NetworkFamily::recurrent,
                .batch = 1,
                .m = samples,
                .n = networkExtent(graph_, layer.inputs[1], 1),
                .k = networkExtent(graph_, layer.inputs[1], 2) + networkExtent(graph_, layer.inputs[2], 2),
                .steps = times * directions * networkExtent(graph_, layer.inputs[0], samplesFirst ? 1 : 0)};
    }

    const TrainingGraph& training_;
    const Graph& graph_;
    double times_ = 1;
    std::vector<bool> grows_;
    std::vector<std::int64_t> macs_;  ///< by operator; 0 where they are not known
    std::vector<TensorIndex> root_;
    std::vector<std::int32_t> maker_;
    IndexLists readers_;
};

NetworkOperator sampledOperator(const NetworkSizes& once, const NetworkSizes& twice, double samples) {
    const auto size = [&](double NetworkSizes::*field) {
        const double each = (twice.*field - once.*field) / samples;
        return SampledSize{once.*field - each * samples, each};
    };
    return {.family = once.family,
            .backward = once.backward,
            .batch = size(&NetworkSizes::batch),
            .m = size(&NetworkSizes::m),
            .n = size(&NetworkSizes::n),
            .k = size(&NetworkSizes::k),
            .steps = once.steps,
            .values = size(&NetworkSizes::values),
            .table = once.table,
            .again = size(&NetworkSizes::again),
            .windowed = once.windowed};
}

/// The kernels of groups of operators of the training graph.
NetworkKernels foldedKernels(NetworkReader& reader, const IndexLists& groups, double samples, std::size_t operators) {
    NetworkKernels kernels{.folded = {},
                           .kernelOf = std::vector<std::int32_t>(operators, -1),
                           .leads = std::vector<bool>(operators, false)};
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const std::span<const std::int32_t> members = groups[group];
        const NetworkSizes once = reader.read(members, 1);
        if (!(once.values > 0)) continue;
        const NetworkOperator one = sampledOperator(once, reader.read(members, 2), samples);
        const auto same = std::find_if(kernels.folded.begin(), kernels.folded.end(),
                                       [&](const NetworkOperator& other) { return other.isAlike(one); });
        const auto place = static_cast<std::int32_t>(same - kernels.folded.begin());
        if (same == kernels.folded.end())
            kernels.folded.push_back(one);
        else
            same->count += 1;
        for (const std::int32_t member : members) kernels.kernelOf[static_cast<std::size_t>(member)] = place;
        kernels.leads[static_cast<std::size_t>(members.front())] = true;
    }
    return kernels;
}

model::LoadOptions zooOptions(const std::map<std::string, std::string, std::less<>>& dims, std::int64_t batch) {
    model::LoadOptions options{.batch = batch, .dimensions = {}};
    for (const auto& [name, text] : dims) {
        const std::optional<double> number = measuredNumber(text);
        if (!number || !(*number >= 1) || *number > 1e9)
            throw UsageError("The dimension " + inQuotes(name) + " is no whole number from 1.");
        options.dimensions[name] = static_cast<std::int64_t>(*number);
    }
    return options;
}

/// A batch that no extent of a network is likely to have.
constexpr std::int64_t kUnlikelyBatch = 5;

}  // namespace

NetworkWork networkWorkOf(const TrainingGraph& training) {
    NetworkReader reader(training);
    const auto samples = static_cast<double>(std::max<std::int64_t>(1, training.graph.batch));
    const std::size_t operators = training.graph.operators.size();
    const auto kernels = [&](bool joined) { return foldedKernels(reader, reader.groups(joined), samples, operators); };
    NetworkWork work{.alone = kernels(false), .joined = kernels(true)};
    reader.setTimes(1);
    for (const model::Tensor& tensor : training.graph.tensors)
        if (tensor.role == TensorRole::parameter && tensor.shape) {
            work.parameters += static_cast<double>(model::elementCount(tensor.shape).value_or(0));
            work.parameterTensors += 1;
        }
    for (const TensorIndex input : std::span(training.graph.inputs).first(training.forward.inputs))
        work.inputs += reader.elements(input) / samples;
    return work;
}

bool NetworkOperator::isAlike(const NetworkOperator& other) const {
    return std::tie(family, backward, steps, windowed, batch, m, n, k, values, table, again) ==
           std::tie(other.family, other.backward, other.steps, other.windowed, other.batch, other.m, other.n, other.k,
                    other.values, other.table, other.again);
}

std::shared_ptr<const NetworkWork> networkWork(const std::string& model,
                                               const std::map<std::string, std::string, std::less<>>& dims) {
    static std::mutex guard;
    static std::map<std::pair<std::string, std::map<std::string, std::string, std::less<>>>,
                    std::shared_ptr<const NetworkWork>>
        known;
    const std::string id = model.starts_with("zoo:") ? model.substr(4) : model;
    const std::lock_guard<std::mutex> lock(guard);
    const auto found = known.find({id, dims});
    if (found != known.end()) return found->second;
    constexpr std::size_t kMaxKept = 256;  // of any dimensions that are asked for
    if (known.size() >= kMaxKept) known.clear();
    auto work = std::make_shared<const NetworkWork>(
        networkWorkOf(model::trainingOf(model::buildZooModel(id, zooOptions(dims, kUnlikelyBatch)))));
    known.emplace(std::pair(id, dims), work);
    return work;
}

}  // namespace tessera::physical

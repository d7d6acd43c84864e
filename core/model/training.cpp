#include "core/model/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/model/counts.h"
#include "core/model/graph_hierarchy.h"
#include "core/model/operators/backward.h"
#include "core/model/operators/operator_table.h"

namespace tessera::model {

namespace {

constexpr DataType kStateType = DataType::float32;

/// Beginnings of the names of what is added; more colons where the model has such names already.
struct Marks {
    std::string backward = "backward:", sum = "gradient:", seed = "seed:", update = "update:", state = "state:";

    explicit Marks(const Graph& graph) {
        while (isTaken(graph))
            for (std::string* mark : {&backward, &sum, &seed, &update, &state}) *mark += ':';
    }

private:
    bool starts(const std::string& name) const {
        const auto with = [&](const std::string* mark) { return name.starts_with(*mark); };
        const std::array all{&backward, &sum, &seed, &update, &state};
        return std::any_of(all.begin(), all.end(), with);
    }
    bool isTaken(const Graph& graph) const {
        return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                           [&](const Tensor& tensor) { return starts(tensor.name); }) ||
               std::any_of(graph.operators.begin(), graph.operators.end(),
                           [&](const Operator& op) { return starts(op.name); });
    }
};

/// What a warning says of operators of one type.
struct Unruled {
    std::string title, first;
    std::size_t count = 0;
};

class Expansion {
public:
    Expansion(Graph forward, const TrainingOptions& options)
        : forward_(std::move(forward)), optimizer_(optimizerKind(options.optimizer)), marks_(forward_) {
        tape_.mark = marks_.backward;
        tape_.parts.resize(forward_.tensors.size());
        gradients_.assign(forward_.tensors.size(), kNoTensor);
        firstReaders_.assign(forward_.tensors.size(), -1);
        findReaders();
        findWanted();
    }

    TrainingGraph expand() && {
        addSeeds();
        for (std::size_t i = forward_.operators.size(); i-- > 0;) addBackward(signedIndex(i));
        // What no operator reads may be an output all the same.
        for (std::size_t i = 0; i < forward_.tensors.size(); ++i) complete(signedIndex(i), firstReaders_[i]);
        TrainingGraph result;
        result.optimizer = optimizer_.optimizer;
        result.forward = headOf(forward_);
        result.backward = signedIndex(forward_.operators.size());
        result.update = signedIndex(forward_.operators.size() + tape_.operators.size());
        addUpdates(result.updates);
        result.warnings = warnings();
        result.sources.resize(forward_.operators.size());
        std::iota(result.sources.begin(), result.sources.end(), 0);
        append(result.sources, std::move(tape_.sources));
        result.gradients = std::move(gradients_);
        tape_.parts = {};
        result.graph = std::move(forward_);
        append(result.graph.operators, std::move(tape_.operators));
        append(result.graph.tensors, std::move(tape_.tensors));
        append(result.graph.inputs, std::move(seeds_));
        append(result.graph.outputs, std::move(updated_));
        append(result.graph.warnings, std::vector(result.warnings));
        result.graph.notes.emplace_back(kNoLoss);
        return result;
    }

private:
    template <typename Value>
    static void append(std::vector<Value>& to, std::vector<Value> more) {
        to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }

    void findReaders() {
        for (std::size_t i = forward_.operators.size(); i-- > 0;)
            for (const TensorIndex input : forward_.operators[i].inputs)
                if (input != kNoTensor) firstReaders_[toIndex(input)] = signedIndex(i);
    }

    /// Gradients are needed where a parameter goes in, in a differentiable way.
    void findWanted() {
        const auto mayHave = [&](const Tensor& tensor) {
            return isFloat(tensor.type) || tensor.type == DataType::undefined;
        };
        for (const Tensor& tensor : forward_.tensors)
            tape_.wanted.push_back(tensor.role == TensorRole::parameter && mayHave(tensor));
        for (const Operator& op : forward_.operators) {
            const OperatorKind* const kind = kindOf(op);
            if (kind != nullptr && kind->backward.rule == backward::none) continue;
            const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorIndex input) {
                return input != kNoTensor && tape_.wanted[toIndex(input)];
            });
            if (!any) continue;
            for (const TensorIndex output : op.outputs)
                if (output != kNoTensor && mayHave(forward_.tensor(output))) tape_.wanted[toIndex(output)] = true;
        }
    }

    void addSeeds() {
        for (const TensorIndex output : forward_.outputs) {
            if (!tape_.wanted[toIndex(output)] || !tape_.parts[toIndex(output)].empty()) continue;
            const Tensor& tensor = forward_.tensor(output);
            const TensorIndex seed =
                tape_.addTensor(marks_.seed + tensor.name, tensor.type, tensor.shape, TensorRole::input);
            seeds_.push_back(seed);
            tape_.parts[toIndex(output)].push_back(seed);
        }
    }

    /// The gradient of a tensor whose parts are all there. Sums where there are several.
    TensorIndex complete(TensorIndex tensor, std::int32_t source) {
        TensorIndex& gradient = gradients_[toIndex(tensor)];
        const std::vector<TensorIndex>& parts = tape_.parts[toIndex(tensor)];
        if (gradient != kNoTensor || parts.empty()) return gradient;
        if (parts.size() == 1) return gradient = parts.front();
        const Tensor& of = forward_.tensor(tensor);
        Operator sum;
        sum.name = marks_.sum + of.name;
        sum.type = tape_.pool.text("Sum");
        sum.inputs = parts;
        gradient = tape_.addTensor(sum.name, of.type, of.shape, TensorRole::activation);
        sum.outputs = {gradient};
        placeAt(sum, source);
        tape_.addOperator(std::move(sum), source);
        return gradient;
    }

    /// Layer, block and body of a forward operator.
    void placeAt(Operator& op, std::int32_t source) const {
        if (source < 0) return;
        const Operator& of = forward_.operators[toIndex(source)];
        op.layer = of.layer;
        op.block = of.block;
        op.body = of.body;
    }

    void addBackward(std::int32_t index) {
        const Operator& op = forward_.operators[toIndex(index)];
        std::vector<TensorIndex> gradients;
        for (const TensorIndex output : op.outputs)
            gradients.push_back(output == kNoTensor ? kNoTensor : complete(output, index));
        const bool arrives =
            std::any_of(gradients.begin(), gradients.end(), [](TensorIndex gradient) { return gradient != kNoTensor; });
        const bool needed = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorIndex input) {
            return input != kNoTensor && tape_.wanted[toIndex(input)];
        });
        if (arrives && needed) applyRule(index, std::move(gradients));
        for (const TensorIndex input : op.inputs)
            if (input != kNoTensor && firstReaders_[toIndex(input)] == index) complete(input, index);
    }

    void applyRule(std::int32_t index, std::vector<TensorIndex> gradients) {
        const Operator& op = forward_.operators[toIndex(index)];
        const OperatorKind* const kind = kindOf(op);
        const bool fits = kind != nullptr && kind->backward.rule != nullptr &&
                          (kind->backward.anyOutput || gradients.front() != kNoTensor);
        BackwardContext context(index, std::move(gradients), tape_);
        if (fits) return kind->backward.rule(context);
        noteUnruled(op);
        backward::unknown(context);
    }

    void noteUnruled(const Operator& op) {
        Unruled& unruled = unruled_[{op.domain, op.type}];
        if (unruled.count++ > 0) return;
        unruled.title = inQuotes(op.type);
        if (!op.domain.empty()) unruled.title += " of domain " + inQuotes(op.domain);
        unruled.first = op.name;
    }

    void addUpdates(std::vector<ParameterUpdate>& updates) {
        for (std::size_t i = 0; i < forward_.tensors.size(); ++i) {
            const Tensor& tensor = forward_.tensors[i];
            if (tensor.role != TensorRole::parameter) continue;
            const TensorIndex gradient = gradients_[i];
            if (gradient == kNoTensor) {
                if (untrained_++ == 0) firstUntrained_ = tensor.name;
                continue;
            }
            updates.push_back(updateOf(signedIndex(i), gradient));
        }
    }

    ParameterUpdate updateOf(TensorIndex parameter, TensorIndex gradient) {
        const Tensor& of = forward_.tensor(parameter);
        ParameterUpdate result{.parameter = parameter, .gradient = gradient, .op = -1, .state = {}};
        Operator update;
        update.name = marks_.update + of.name;
        update.type = tape_.pool.text(optimizer_.update);
        update.inputs = {parameter, gradient};
        for (std::size_t i = 0; i < optimizer_.states; ++i) {
            result.state.push_back(tape_.addTensor(fmt::format("{}{}.{}", marks_.state, of.name, i + 1), kStateType,
                                                   of.shape, TensorRole::statistic));
            update.inputs.push_back(result.state.back());
        }
        const auto addOutput = [&](std::string name, DataType type) {
            update.outputs.push_back(tape_.addTensor(std::move(name), type, of.shape, TensorRole::activation));
            updated_.push_back(update.outputs.back());
        };
        addOutput(update.name, of.type);
        for (std::size_t i = 0; i < optimizer_.states; ++i)
            addOutput(fmt::format("{}.{}", update.name, i + 1), kStateType);
        placeAt(update, firstReaders_[toIndex(parameter)]);
        result.op = tape_.addOperator(std::move(update), firstReaders_[toIndex(parameter)]);
        return result;
    }

    std::vector<std::string> warnings() const {
        std::vector<std::string> result;
        for (const auto& [key, unruled] : unruled_)
            result.push_back(fmt::format(
                "Operator {} has no backward rule ({}, first {}): what its gradients cost is not known, and only "
                "their tensors count.",
                unruled.title, unruled.count == 1 ? "1 node" : fmt::format("{} nodes", unruled.count),
                inQuotes(unruled.first)));
        if (untrained_ > 0)
            result.push_back(fmt::format(
                "{} {} no gradient, first {}: no output depends on {} in a differentiable way; {} not trained.",
                untrained_ == 1 ? "1 parameter" : fmt::format("{} parameters", untrained_),
                untrained_ == 1 ? "has" : "have", inQuotes(firstUntrained_), untrained_ == 1 ? "it" : "them",
                untrained_ == 1 ? "it is" : "they are"));
        return result;
    }

    Graph forward_;
    const OptimizerKind& optimizer_;
    Marks marks_;
    GradientTape tape_{.forward = forward_};
    std::vector<TensorIndex> seeds_;    ///< inputs that are added
    std::vector<TensorIndex> updated_;  ///< outputs that are added
    std::vector<TensorIndex> gradients_;
    std::vector<std::int32_t> firstReaders_;
    std::map<std::pair<std::string, std::string>, Unruled> unruled_;
    std::size_t untrained_ = 0;
    std::string firstUntrained_;
};

/// The activations of the forward pass that the backward pass reads, each once.
std::vector<TensorIndex> storedActivations(const TrainingGraph& training) {
    std::vector<TensorIndex> kept;
    std::vector<bool> seen(training.gradients.size(), false);
    for (std::int32_t i = training.backward; i < training.update; ++i)
        for (const TensorIndex input : training.graph.operators[toIndex(i)].inputs) {
            if (input == kNoTensor || toIndex(input) >= seen.size() || seen[toIndex(input)]) continue;
            seen[toIndex(input)] = true;
            if (training.graph.tensor(input).role == TensorRole::activation) kept.push_back(input);
        }
    return kept;
}

}  // namespace

double stateBytesPerParameter(Optimizer optimizer) {
    return static_cast<double>(optimizerKind(optimizer).states) * bytesPerElement(kStateType);
}

TrainingGraph trainingOf(Graph forward, const TrainingOptions& options) {
    return Expansion(std::move(forward), options).expand();
}

TrainingCounts countTraining(const TrainingGraph& training) {
    TrainingCounts counts;
    counts.optimizer = training.optimizer;
    for (std::size_t i = 0; i < training.graph.operators.size(); ++i) {
        const OperatorCount count = countOf(training.graph, training.graph.operators[i]);
        PhaseCounts& phase = counts.phases.at(static_cast<std::size_t>(training.phaseOf(signedIndex(i))));
        phase.flopsMatrix = plus(phase.flopsMatrix, count.flopsMatrix);
        phase.flopsVector = plus(phase.flopsVector, count.flopsVector);
        if (training.graph.operators[i].body.empty()) ++phase.operators;
    }
    for (const ParameterUpdate& update : training.updates) {
        counts.parameters = plus(counts.parameters, elementCount(training.graph.tensor(update.parameter).shape));
        accumulate(counts.parameterBytes, bytesOf(training.graph.tensor(update.parameter)));
        accumulate(counts.gradientBytes, bytesOf(training.graph.tensor(update.gradient)));
        for (const TensorIndex state : update.state)
            accumulate(counts.optimizerBytes, bytesOf(training.graph.tensor(state)));
    }
    for (const TensorIndex tensor : storedActivations(training))
        accumulate(counts.storedBytes, bytesOf(training.graph.tensor(tensor)));
    return counts;
}

namespace {

/// By tensor, the one whose storage it is in: through operators that only relabel.
std::vector<TensorIndex> storagesOf(const Graph& graph) {
    std::vector<TensorIndex> storage(graph.tensors.size());
    std::iota(storage.begin(), storage.end(), 0);
    for (const Operator& op : graph.operators)
        if (relabels(op) && !op.inputs.empty() && op.inputs[0] != kNoTensor && !op.outputs.empty() &&
            op.outputs[0] != kNoTensor)
            storage[toIndex(op.outputs[0])] = storage[toIndex(op.inputs[0])];
    return storage;
}

}  // namespace

bool relabels(const Operator& op) {
    constexpr std::array<std::string_view, 5> kNames{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    return op.domain.empty() && std::find(kNames.begin(), kNames.end(), op.type) != kNames.end();
}

std::vector<TensorIndex> partsOfGradient(const TrainingGraph& training, const ParameterUpdate& update,
                                         const std::vector<std::int32_t>& producers) {
    std::vector<TensorIndex> parts{update.gradient};
    const Graph& graph = training.graph;
    const std::int32_t producer = producers[toIndex(update.gradient)];
    if (producer < training.backward) return parts;
    const Operator& by = graph.operators[toIndex(producer)];
    if (by.type != "Sum" && !relabels(by)) return parts;
    const auto whole = elementCount(graph.tensor(update.gradient).shape);
    for (const TensorIndex input : by.inputs)
        if (input != kNoTensor && toIndex(input) >= training.gradients.size() &&
            elementCount(graph.tensor(input).shape) == whole)
            parts.push_back(input);
    return parts;
}

std::vector<bool> growingWithBatch(const TrainingGraph& training) {
    const Graph& graph = training.graph;
    std::vector<bool> grows(graph.tensors.size());
    for (std::size_t i = 0; i < grows.size(); ++i)
        grows[i] = graph.tensors[i].role == TensorRole::input || graph.tensors[i].role == TensorRole::activation;
    const std::vector<std::int32_t> makers = producers(graph);
    for (const ParameterUpdate& update : training.updates) {
        for (const TensorIndex part : partsOfGradient(training, update, makers)) grows[toIndex(part)] = false;
        for (const TensorIndex output : graph.operators[toIndex(update.op)].outputs)
            if (output != kNoTensor) grows[toIndex(output)] = false;
    }
    return grows;
}

void countStored(LayerGraph& layers, const Graph& graph) {
    if (layers.layers.empty()) return;
    std::unordered_map<std::string_view, std::size_t> layerOf;
    for (std::size_t n = 0; n < layers.layers.size(); ++n) {
        layers.layers[n].stored = 0;
        for (const std::string& name : layers.layers[n].operators) layerOf.emplace(name, n);
    }
    const TrainingGraph training = trainingOf(graph);
    const std::vector<std::int32_t> makers = producers(training.graph);
    const std::vector<TensorIndex> storages = storagesOf(training.graph);
    std::vector<bool> counted(training.graph.tensors.size(), false);
    for (const TensorIndex index : storedActivations(training)) {
        const TensorIndex stored = storages[toIndex(index)];
        const Tensor& tensor = training.graph.tensor(stored);
        const std::optional<std::int64_t> elements = elementCount(tensor.shape);
        const std::int32_t maker = makers[toIndex(stored)];
        if (!elements || maker < 0 || counted[toIndex(stored)]) continue;
        counted[toIndex(stored)] = true;
        const auto found = layerOf.find(training.graph.operators[toIndex(maker)].name);
        Layer& layer = layers.layers[found == layerOf.end() ? 0 : found->second];
        const double samples = static_cast<double>(std::max<std::int64_t>(1, graph.batch));
        const double perSample = static_cast<double>(*elements) / samples;
        if (isFloat(tensor.type))
            *layer.stored += perSample;
        else
            layer.storedOtherBytes += perSample * bytesPerElement(tensor.type);
    }
}

// Layers --------------------------------------------------------------------------------------------------------------

namespace {

/// Divides the items of a hierarchy into layers: the copies of repeats that have weights, blocks, and what is between.
class LayerCutter {
public:
    LayerCutter(const Graph& graph, const GraphHead& head, const GraphHierarchy& hierarchy, Stretch between)
        : hierarchy_(hierarchy), graph_(graph), between_(between) {
        for (std::size_t i = 0; i < head.operators; ++i)
            hasWeights_.push_back(countOf(graph_, graph_.operators[i]).weighted);
        for (std::size_t i = 0; i < hierarchy.nodes.size(); ++i)
            nodeOf_.emplace(std::pair(hierarchy.nodes[i].first, hierarchy.nodes[i].count), signedIndex(i));
        for (const HierarchyItem& item : hierarchy.items)
            weighted_.push_back(item.source == ItemSource::operation && hasWeights_[toIndex(item.index)]);
        visit(0);
        flush();
    }

    std::vector<TrainingLayer> layers() && { return std::move(layers_); }

private:
    bool isWeighted(std::int32_t first, std::int32_t count) const {
        const auto begin = weighted_.begin() + first;
        return std::find(begin, begin + count, true) != begin + count;
    }

    void visit(std::int32_t index) {
        const HierarchyNode& node = hierarchy_.node(index);
        const std::int32_t each = node.count / std::max(node.copies, 1);
        switch (node.kind) {
            case HierarchyKind::repeat:
                if (!isWeighted(node.first, each)) break;
                for (std::int32_t first = node.first; first < node.first + node.count; first += each)
                    addLayer(copyName(node, first, each), first, each);
                return;
            case HierarchyKind::block:
                if (!isWeighted(node.first, node.count)) break;
                addLayer(node.name, node.first, node.count);
                return;
            case HierarchyKind::whole:
            case HierarchyKind::stage:
            case HierarchyKind::section:
                for (const std::int32_t child : node.children) visit(child);
                return;
            default:
                break;
        }
        for (std::int32_t i = node.first; i < node.first + node.count; ++i) rest_.push_back(i);
    }

    void addItems(TrainingLayer& layer, std::int32_t item) const {
        const HierarchyItem& of = hierarchy_.items[toIndex(item)];
        if (of.source == ItemSource::operation) layer.forward.push_back(of.index);
    }

    void addLayer(const std::string& name, std::int32_t first, std::int32_t count) {
        flush();
        TrainingLayer& layer = layers_.emplace_back();
        layer.name = name;
        for (std::int32_t i = first; i < first + count; ++i) addItems(layer, i);
        std::sort(layer.forward.begin(), layer.forward.end());
    }

    /// What was met since the last layer becomes one, or several.
    void flush() {
        TrainingLayer rest;
        for (const std::int32_t item : std::exchange(rest_, {})) addItems(rest, item);
        std::sort(rest.forward.begin(), rest.forward.end());
        TrainingLayer layer;
        bool hasWeights = false;
        for (const std::int32_t op : rest.forward) {
            const bool isNext = between_ == Stretch::byWeights && hasWeights && hasWeights_[toIndex(op)];
            if (isNext) addStretch(std::exchange(layer, {}));
            hasWeights = (hasWeights && !isNext) || hasWeights_[toIndex(op)];
            layer.forward.push_back(op);
        }
        if (!layer.forward.empty()) addStretch(std::move(layer));
    }

    void addStretch(TrainingLayer layer) {
        const std::string first = labelOf(layer.forward.front()), last = labelOf(layer.forward.back());
        layer.name = first == last ? first : first + " … " + last;
        layers_.push_back(std::move(layer));
    }

    std::string labelOf(std::int32_t op) const {
        const Operator& of = graph_.operators[toIndex(op)];
        return of.layer.empty() ? of.name : of.layer.get();
    }

    /// The name of the group below a repeat that holds one copy.
    std::string copyName(const HierarchyNode& repeat, std::int32_t first, std::int32_t count) const {
        const auto node = nodeOf_.find({first, count});
        return node == nodeOf_.end() ? repeat.name : hierarchy_.node(node->second).name;
    }

    const GraphHierarchy& hierarchy_;
    const Graph& graph_;
    Stretch between_;
    std::vector<bool> hasWeights_;                                          ///< by operator
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> nodeOf_;  ///< by first item and count
    std::vector<bool> weighted_;
    std::vector<std::int32_t> rest_;
    std::vector<TrainingLayer> layers_;
};

/// Types and shapes of a layer's operators, to find equal ones.
std::string patternOf(const TrainingGraph& training, const TrainingLayer& layer) {
    std::string pattern;
    const auto addTensors = [&](const std::vector<TensorIndex>& tensors) {
        for (const TensorIndex tensor : tensors) {
            pattern += tensor == kNoTensor ? "-" : toText(training.graph.tensor(tensor).shape);
            pattern += ' ';
        }
    };
    for (const std::vector<std::int32_t>* phase : {&layer.forward, &layer.backward, &layer.updates}) {
        for (const std::int32_t op : *phase) {
            pattern += training.graph.operators[toIndex(op)].type.get() + '(';
            addTensors(training.graph.operators[toIndex(op)].inputs);
            pattern += ')';
            addTensors(training.graph.operators[toIndex(op)].outputs);
        }
        pattern += '\n';
    }
    return pattern;
}

void findEqual(const TrainingGraph& training, std::vector<TrainingLayer>& layers) {
    std::unordered_map<std::string, std::int32_t> known;
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i].equalTo = known.emplace(patternOf(training, layers[i]), signedIndex(i)).first->second;
}

std::vector<TrainingEdge> edgesOf(const TrainingGraph& training, const std::vector<std::int32_t>& layerOf) {
    const std::vector<std::int32_t> makers = producers(training.graph);
    std::map<std::pair<std::int32_t, std::int32_t>, std::optional<double>> bytes;
    // By layers, so that a tensor that a layer reads several times counts once.
    std::vector<std::pair<std::int32_t, TensorIndex>> crossings;
    for (std::int32_t i = 0; i < training.backward; ++i)
        for (const TensorIndex input : training.graph.operators[toIndex(i)].inputs) {
            if (input == kNoTensor || training.graph.tensor(input).role != TensorRole::activation) continue;
            const std::int32_t maker = makers[toIndex(input)];
            if (maker >= 0 && layerOf[toIndex(maker)] != layerOf[toIndex(i)])
                crossings.emplace_back(layerOf[toIndex(i)], input);
        }
    std::sort(crossings.begin(), crossings.end());
    crossings.erase(std::unique(crossings.begin(), crossings.end()), crossings.end());
    for (const auto& [to, tensor] : crossings) {
        auto& sum = bytes.try_emplace({layerOf[toIndex(makers[toIndex(tensor)])], to}, 0.0).first->second;
        accumulate(sum, bytesOf(training.graph.tensor(tensor)));
    }
    std::vector<TrainingEdge> edges;
    for (const auto& [ends, sum] : bytes) edges.push_back({.from = ends.first, .to = ends.second, .bytes = sum});
    return edges;
}

}  // namespace

std::vector<TrainingLayer> forwardLayersOf(const Graph& graph, const GraphHead& forward, Stretch between) {
    return LayerCutter(graph, forward, hierarchyOf(graph, forward), between).layers();
}

TrainingLayers layersOf(const TrainingGraph& training, Stretch between) {
    return layersOf(training, forwardLayersOf(training.graph, training.forward, between));
}

TrainingLayers layersOf(const TrainingGraph& training, std::vector<TrainingLayer> forward) {
    TrainingLayers result;
    result.layers = std::move(forward);
    std::vector<std::int32_t> layerOf(training.graph.operators.size(), 0);
    for (std::size_t i = 0; i < result.layers.size(); ++i)
        for (const std::int32_t op : result.layers[i].forward) layerOf[toIndex(op)] = signedIndex(i);
    for (std::int32_t i = training.backward; i < signedIndex(training.graph.operators.size()); ++i) {
        const std::int32_t source = training.sources[toIndex(i)];
        layerOf[toIndex(i)] = source < 0 ? 0 : layerOf[toIndex(source)];
        TrainingLayer& layer = result.layers[toIndex(layerOf[toIndex(i)])];
        (i < training.update ? layer.backward : layer.updates).push_back(i);
    }
    for (const ParameterUpdate& update : training.updates)
        accumulate(result.layers[toIndex(layerOf[toIndex(update.op)])].parameterBytes,
                   bytesOf(training.graph.tensor(update.parameter)));
    const std::vector<std::int32_t> makers = producers(training.graph);
    for (const TensorIndex tensor : storedActivations(training))
        accumulate(result.layers[toIndex(layerOf[toIndex(makers[toIndex(tensor)])])].storedBytes,
                   bytesOf(training.graph.tensor(tensor)));
    findEqual(training, result.layers);
    result.edges = edgesOf(training, layerOf);
    return result;
}

Model loadSlice(const std::string& name, std::int64_t width, const LoadOptions& options) {
    if (width < 1) throw UsageError(fmt::format("the tensor-parallel degree is {}; expected at least 1", width));
    LoadOptions sliced = options;
    if (width > 1) sliced.dimensions["tensor_parallel"] = width;
    return loadModel(name, sliced);
}

}  // namespace tessera::model

#include "core/codesign/search/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/codesign/search/layer_operators.h"
#include "core/model/training.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::codesign {

namespace {

using model::Graph;
using model::TrainingGraph;
using model::TrainingLayers;

/// What the papers say of a model.
struct Known {
    std::string_view model;
    std::vector<std::int64_t> degrees;        ///< table 2
    std::optional<ExpertPlacement> expert{};  ///< table 4
};

const std::vector<Known>& knownModels() {
    static const std::vector<Known> kModels{
        {"zoo:opt-350m", {1}, ExpertPlacement{12, 85, 1}},
        {"zoo:bert-large", {1}, ExpertPlacement{8, 128, 1}},
        {"zoo:gpt2-xl", {1}, ExpertPlacement{32, 32, 1}},
        {"zoo:llama2-7b", {1}},
        {"zoo:megatron-bert", {1, 2, 4, 8}, ExpertPlacement{8, 128, 1}},
        {"zoo:megatron-gpt-2.5b", {1, 2, 4}, ExpertPlacement{8, 32, 4}},
        {"zoo:megatron-gpt-8.3b", {1, 2, 4, 8}, ExpertPlacement{8, 16, 8}},
        {"zoo:gpt3-175b", {4, 8}, ExpertPlacement{32, 8, 4}},
    };
    return kModels;
}

const Known* knownModel(const std::string& name) {
    for (const Known& known : knownModels())
        if (known.model == name) return &known;
    return nullptr;
}

/// All floating-point tensors as 16-bit numbers: what they take is scaled to the template's words.
constexpr std::int64_t kGraphWordBytes = 2;

Graph withWords(Graph graph) {
    for (model::Tensor& tensor : graph.tensors)
        if (model::isFloat(tensor.type)) tensor.type = model::DataType::bfloat16;
    return graph;
}

/// Builds the slices of one model and collects their works.
class Loader {
public:
    Loader(Workload& workload, const WorkloadOptions& options, const std::string& path, const RunControl& control)
        : workload_(workload), options_(options), path_(path), control_(control) {}

    void load(const std::vector<std::int64_t>& degrees) {
        first_ = ofFixedBatch(degrees);
        for (const std::int64_t microBatch : first_ ? std::vector{maxMicroBatch()} : options_.microBatches)
            for (const std::int64_t degree : degrees) add(microBatch, degree);
        workload_.works = std::move(works_).all();
    }

private:
    std::int64_t maxMicroBatch() const {
        return *std::max_element(options_.microBatches.begin(), options_.microBatches.end());
    }

    model::Model loadedAt(std::int64_t microBatch, std::int64_t degree) const {
        control_.throwIfCancelled("reading the models");
        model::LoadOptions load;
        load.batch = microBatch;
        load.dimensions = options_.dimensions;
        model::Model loaded = model::loadSlice(path_, degree, load);
        if (loaded.graph() == nullptr)
            throw DataError(Place{.file = path_}, "a table of layers",
                            "a model with operators, which co-design trains");
        return loaded;
    }

    /// The model of a file that has another batch than the one that it is asked for; nothing where it has that. A big
    /// file is then read once, and not for every micro-batch.
    std::optional<model::Model> ofFixedBatch(const std::vector<std::int64_t>& degrees) const {
        if (model::isZooName(path_) || options_.microBatches.size() < 2) return {};
        model::Model loaded = loadedAt(maxMicroBatch(), degrees.front());
        if (loaded.graph()->batch == maxMicroBatch()) return {};
        return loaded;
    }

    void add(std::int64_t microBatch, std::int64_t degree) {
        model::Model loaded = first_ ? *std::exchange(first_, {}) : loadedAt(microBatch, degree);
        // A model of fixed batch has one micro-batch.
        const std::int64_t batch = loaded.graph()->batch;
        if (batch != microBatch && known(batch, degree)) return;
        auto graph = withWords(std::move(std::get<Graph>(loaded.form)));
        std::vector<model::TrainingLayer> found =
            model::forwardLayersOf(graph, model::headOf(graph), model::Stretch::whole);
        const TrainingGraph training = model::trainingOf(std::move(graph));
        const TrainingLayers layers = model::layersOf(training, std::move(found));
        note(loaded, training);
        Slice slice{.microBatch = batch, .degree = degree, .kinds = {}, .kindOf = {}, .edges = {}};
        const LayerOperators operators(training, static_cast<double>(options_.wordBytes), works_);
        std::map<std::int32_t, std::size_t> kinds;
        for (const model::TrainingLayer& layer : layers.layers) {
            const auto [entry, isNew] = kinds.try_emplace(layer.equalTo, slice.kinds.size());
            slice.kindOf.push_back(entry->second);
            if (isNew) slice.kinds.push_back(kindOf(layer, operators));
            LayerKind& kind = slice.kinds[entry->second];
            // Equal layers may keep a little more or less, where what follows them differs.
            kind.activations = std::max(kind.activations, bytesOf(layer.storedBytes));
            poll(1000);
        }
        setGraph(layers, slice);
        workload_.slices.push_back(std::move(slice));
    }

    bool known(std::int64_t batch, std::int64_t degree) const {
        return std::any_of(workload_.slices.begin(), workload_.slices.end(),
                           [&](const Slice& slice) { return slice.microBatch == batch && slice.degree == degree; });
    }

    Bytes bytesOf(const std::optional<double>& bytes) const {
        if (!bytes)
            throw DataError(Place{.file = path_}, "tensors of unknown shape",
                            "a model whose shapes are all known; bind symbolic dimensions with --dim NAME=N");
        return Bytes{*bytes * static_cast<double>(options_.wordBytes) / kGraphWordBytes};
    }

    LayerKind kindOf(const model::TrainingLayer& layer, const LayerOperators& operators) {
        LayerKind kind;
        kind.name = layer.name;
        kind.weights = bytesOf(layer.parameterBytes);
        kind.activations = bytesOf(layer.storedBytes);
        kind.forward = operators.phaseOf(layer.forward, path_);
        kind.backward = operators.phaseOf(layer.backward, path_);
        kind.macs = operators.macsOf(layer.forward) + operators.macsOf(layer.backward);
        const double parameters = *layer.parameterBytes / kGraphWordBytes;
        if (parameters >= 1) kind.update = updateOf(parameters);
        return kind;
    }

    /// All weights of a layer are updated by one operator.
    LayerPhase updateOf(double parameters) {
        const bool isMixed = options_.optimizer == Optimizer::mixedAdam;
        const std::string_view kind = model::optimizerKind(isMixed ? Optimizer::adam : options_.optimizer).id;
        cost::VectorWork work =
            cost::vectorWork(*cost::vectorKindNamed(kind), static_cast<std::int64_t>(std::llround(parameters)));
        if (isMixed) {
            // Gradient and weights are 16-bit words; copy, mean and variance are of 32 bits.
            constexpr double kWords = 7;
            work.reads = kWords * parameters;
            work.writes = kWords * parameters;
        }
        LayerPhase phase;
        phase.operators.push_back({.name = "update",
                                   .kind = CoreKind::vector,
                                   .work = works_.indexOf({.gemm = {}, .vector = work}),
                                   .reduced = {}});
        return phase;
    }

    /// All slices have the layers of the first one.
    void setGraph(const TrainingLayers& layers, Slice& slice) {
        LayerGraph graph{.layers = layers.layers.size(), .edges = {}};
        for (const model::TrainingEdge& edge : layers.edges) {
            graph.edges.push_back({static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to)});
            slice.edges.push_back(bytesOf(edge.bytes));
        }
        if (workload_.slices.empty()) {
            workload_.graph = std::move(graph);
            for (const model::TrainingLayer& layer : layers.layers) workload_.layers.push_back(layer.name);
        } else if (graph != workload_.graph) {
            throw DataError(Place{.file = path_}, "layers that differ from one micro-batch or width to another",
                            "a model with the same layers for all of them");
        }
    }

    void note(const model::Model& loaded, const TrainingGraph& training) {
        const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& sentences) {
            for (const std::string& sentence : sentences)
                if (std::find(to.begin(), to.end(), sentence) == to.end()) to.push_back(sentence);
        };
        if (!workload_.slices.empty()) return;
        workload_.title = training.graph.name;
        workload_.sha256 = loaded.sha256;
        add(workload_.warnings, loaded.warnings);
        add(workload_.warnings, training.warnings);
    }

    Workload& workload_;
    const WorkloadOptions& options_;
    const std::string& path_;
    const RunControl& control_;
    std::optional<model::Model> first_;  ///< read already
    WorkTable works_;
};

std::vector<std::string> assumptionsOf(const WorkloadOptions& options) {
    return {
        std::string(model::kNoLoss),
        fmt::format(
            "Weights, gradients, activations and the optimizer's state are words of {} bytes{}.", options.wordBytes,
            options.optimizer == Optimizer::mixedAdam ? ", but a 32-bit copy of the weights, mean and variance" : ""),
        "Reshapes, transpositions, splits and concatenations take no time: operators read and write any layout.",
        ("A product is fused with the element-wise operators behind it, as far as each is the only one of its phase "
         "that reads what comes before; what the backward pass reads is still written."),
        "A table that embedding and head share is stored and updated with the embedding.",
        ("All weights of a layer are updated by one operator, once per batch; the batch ends with the update of the "
         "first stage, those of the others run while the pipeline drains."),
    };
}

}  // namespace

Workload loadWorkload(const std::string& name, const WorkloadOptions& options, const std::string& path,
                      const RunControl& control) {
    Workload workload;
    workload.name = name;
    const Known* known = knownModel(name);
    if (known != nullptr) workload.expert = known->expert;
    std::vector<std::int64_t> degrees = options.degrees;
    if (degrees.empty()) degrees = known == nullptr ? std::vector<std::int64_t>{1} : known->degrees;
    Loader(workload, options, path.empty() ? name : path, control).load(degrees);
    workload.assumptions = assumptionsOf(options);
    return workload;
}

}  // namespace tessera::codesign

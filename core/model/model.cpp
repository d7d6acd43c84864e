#include "core/model/model.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/sha256.h"
#include "core/model/jobs.h"
#include "core/model/readers/native_json.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::model {

namespace {

Model modelOf(Form form, const std::string& source, std::string sha) {
    Model model;
    model.source = source;
    model.sha256 = std::move(sha);
    if (const auto* const graph = std::get_if<Graph>(&form)) {
        model.name = graph->name;
        model.warnings = graph->warnings;
    } else {
        model.name = std::get<LayerGraph>(form).name;
    }
    model.form = std::move(form);
    return model;
}

Model loadZoo(const std::string& name, const LoadOptions& options) {
    Graph graph = buildZooModel(name.substr(kZooPrefix.size()), options);
    std::string sha = sha256(writeNativeJson(graph));
    return modelOf(std::move(graph), name, std::move(sha));
}

/// The file's bytes; where there is no such file but a zoo model of that name, the error says so.
std::string contentOf(const std::string& file) {
    try {
        return readFile(file);
    } catch (const FileError& error) {
        for (const ZooEntry& entry : zooEntries())
            if (entry.id == file) throw FileError(fmt::format("{}; perhaps 'zoo:{}' is meant", error.what(), file));
        throw;
    }
}

}  // namespace

Model loadModel(const std::string& name, const LoadOptions& options) {
    if (isZooName(name)) return loadZoo(name, options);
    try {
        std::string bytes = contentOf(name);
        const Reader& reader = readerFor(bytes, name);
        std::string sha = sha256(bytes);
        return modelOf(reader.read(std::move(bytes), name, options), name, std::move(sha));
    } catch (const std::bad_alloc&) {
        throw outOfMemory(name);
    }
}

std::string loadingKey(const std::string& name, const LoadOptions& options) {
    std::string key = name + '\n';
    if (options.batch) key += fmt::format("{}", *options.batch);
    for (const auto& [dimension, size] : options.dimensions) key += fmt::format("\n{}\n{}", dimension, size);
    return key;
}

std::shared_ptr<const Model> sharedModel(const std::string& name, const LoadOptions& options) {
    return madeOfInputs(loadingKey(name, options), [&] { return loadModel(name, options); });
}

namespace {

/// A graph knows no file: what is wrong with it is reported with the model's.
template <typename Work>
auto namingFile(const std::string& file, Work work) {
    try {
        return work();
    } catch (const DataError& error) {
        Place place = error.place;
        place.file = file;
        throw DataError(std::move(place), error.found, error.expected);
    }
}

}  // namespace

std::vector<LayerJob> jobsOf(const Model& model, std::int64_t batch) {
    const Graph* const graph = model.graph();
    if (graph == nullptr) return jobsOf(std::get<LayerGraph>(model.form), batch);
    return namingFile(model.source, [&] { return jobsOf(*graph, batch); });
}

LayerGraph layerGraph(const Model& model) {
    const Graph* const graph = model.graph();
    if (graph == nullptr) return std::get<LayerGraph>(model.form);
    return namingFile(model.source, [&] { return layersOf(*graph); });
}

namespace {

/// A sum of per-sample counts that stays exact beyond 2^53: whole parts and fractions are added apart.
class Count {
public:
    void add(double perSample) {
        const double floor = std::floor(perSample);
        valid_ = valid_ && floor >= 0 && floor < 0x1p63 &&
                 !__builtin_add_overflow(whole_, static_cast<std::int64_t>(floor), &whole_);
        fraction_ += perSample - floor;
    }

    /// Empty where the count does not fit.
    std::optional<std::int64_t> times(std::int64_t batch) const {
        std::int64_t result = 0;
        const double fraction = std::round(fraction_ * static_cast<double>(batch));
        if (!valid_ || fraction >= 0x1p62 || __builtin_mul_overflow(whole_, batch, &result) ||
            __builtin_add_overflow(result, static_cast<std::int64_t>(fraction), &result))
            return std::nullopt;
        return result;
    }

private:
    bool valid_ = true;
    std::int64_t whole_ = 0;
    double fraction_ = 0;
};

Tensor ioTensor(const Layer& layer, std::int64_t batch, double channels, const Map& map) {
    Tensor tensor;
    tensor.name = layer.name;
    std::vector<std::int64_t> shape{batch};
    for (const double size : {channels, map.height, map.width}) {
        if (size != std::floor(size) || size > 0x1p53) return tensor;
        shape.push_back(static_cast<std::int64_t>(size));
    }
    if (layer.kind == LayerKind::fc && map.area() == 1) shape.resize(2);
    tensor.shape = std::move(shape);
    return tensor;
}

}  // namespace

Summary summarise(const LayerGraph& layers, std::int64_t batch) {
    Count parameters;
    Count macs;
    Count activations;
    Count additions;
    std::vector<std::size_t> inputs(layers.layers.size(), 0);
    std::vector<std::size_t> outputs(layers.layers.size(), 0);
    for (const LayerEdge& edge : layers.edges) {
        ++inputs[static_cast<std::size_t>(edge.to)];
        ++outputs[static_cast<std::size_t>(edge.from)];
    }
    Summary summary;
    summary.batch = batch;
    summary.operators = static_cast<std::int64_t>(layers.layers.size());
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        const Layer& layer = layers.layers[i];
        parameters.add(layer.parameters);
        macs.add(macsPerSample(layer));
        activations.add(layer.activations);
        if (layer.kind == LayerKind::add && inputs[i] > 1)
            additions.add(outElements(layer) * static_cast<double>(inputs[i] - 1));
        if (layer.kind == LayerKind::fc || layer.kind == LayerKind::conv) ++summary.weightedLayers;
        if (inputs[i] == 0) summary.inputs.push_back(ioTensor(layer, batch, layer.inChannels, layer.in));
        if (outputs[i] == 0) summary.outputs.push_back(ioTensor(layer, batch, layer.outChannels, layer.out));
    }
    summary.parameters = parameters.times(1);
    summary.macs = macs.times(batch);
    std::int64_t flops = 0;
    if (summary.macs && !__builtin_mul_overflow(*summary.macs, std::int64_t{2}, &flops)) summary.flopsMatrix = flops;
    summary.flopsVector = additions.times(batch);
    summary.activationElements = activations.times(batch);
    summary.notes = layers.assumptions;
    summary.notes.emplace_back(
        "A layer table lists weighted layers and joins only: bias, normalisation, activation functions and pooling are "
        "not counted.");
    return summary;
}

}  // namespace tessera::model

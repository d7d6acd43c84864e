#include "core/study/model_summary.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/result.h"

namespace tessera::study {

namespace {

Json orNull(const std::optional<std::int64_t>& count) {
    return count ? Json(*count) : Json();
}

/// Unknown dimensions are their symbol where they have one, else null; an unknown number of dimensions is null.
Json shapeJson(const model::Tensor& tensor) {
    if (!tensor.shape) return nullptr;
    Json shape = Json::array();
    for (std::size_t axis = 0; axis < tensor.shape->size(); ++axis) {
        const std::int64_t size = (*tensor.shape)[axis];
        const auto symbol = tensor.symbols->find(axis);
        if (size != model::kUnknown)
            shape.push_back(size);
        else if (symbol != tensor.symbols->end())
            shape.push_back(symbol->second);
        else
            shape.push_back(nullptr);
    }
    return shape;
}

Json tensorsJson(const std::vector<model::Tensor>& tensors) {
    Json list = Json::array();
    for (const model::Tensor& tensor : tensors)
        list.push_back({{"name", tensor.name}, {"shape", shapeJson(tensor)}, {"dtype", model::nameOf(tensor.type)}});
    return list;
}

Json layerJson(const model::Layer& layer, double batch) {
    Json json = {{"name", layer.name},
                 {"kind", model::nameOf(layer.kind)},
                 {"in_channels", layer.inChannels},
                 {"out_channels", layer.outChannels},
                 {"in_height", layer.in.height},
                 {"in_width", layer.in.width},
                 {"conv_height", layer.conv.height},
                 {"conv_width", layer.conv.width},
                 {"out_height", layer.out.height},
                 {"out_width", layer.out.width},
                 {"kernel_height", layer.kernel.height},
                 {"kernel_width", layer.kernel.width},
                 {"groups", layer.groups},
                 {"parameters", layer.parameters},
                 {"macs", model::macsPerSample(layer) * batch},
                 {"activation_elements", layer.activations * batch}};
    for (auto& value : json)
        if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()) &&
            std::fabs(value.get<double>()) < 0x1p53)
            value = static_cast<std::int64_t>(value.get<double>());
    return json;
}

/// Whole numbers as such: the 4-bit types alone have halves of bytes.
Json bytesJson(const std::optional<double>& bytes) {
    if (!bytes) return nullptr;
    const bool isWhole = *bytes == std::floor(*bytes) && *bytes < 0x1p53;
    return isWhole ? Json(static_cast<std::int64_t>(*bytes)) : Json(*bytes);
}

Json trainingJson(const model::TrainingCounts& training) {
    Json json = {{"optimizer", model::optimizerKind(training.optimizer).id}};
    for (std::size_t i = 0; i < model::kPhases; ++i) {
        const model::PhaseCounts& phase = training.phases.at(i);
        json[std::string(model::nameOf(static_cast<model::Phase>(i)))] = {{"operators", phase.operators},
                                                                          {"flops_matrix", orNull(phase.flopsMatrix)},
                                                                          {"flops_vector", orNull(phase.flopsVector)}};
    }
    json["parameters"] = orNull(training.parameters);
    json["parameter_bytes"] = bytesJson(training.parameterBytes);
    json["gradient_bytes"] = bytesJson(training.gradientBytes);
    json["optimizer_bytes"] = bytesJson(training.optimizerBytes);
    json["kept_activation_bytes"] = bytesJson(training.storedBytes);
    return json;
}

void addTraining(ModelSummary& summary, const model::Graph& graph) {
    const model::TrainingGraph training = model::trainingOf(graph);
    summary.training = model::countTraining(training);
    summary.trainingWarnings = training.warnings;
}

}  // namespace

ModelSummary summariseModel(const std::string& name, const model::LoadOptions& options, bool withTraining) {
    ModelSummary summary{
        .model = model::loadModel(name, options), .counts = {}, .training = {}, .trainingWarnings = {}};
    const std::int64_t batch = options.batch.value_or(1);
    if (const model::Graph* graph = summary.model.graph()) {
        if (options.batch && graph->batch != batch)
            throw DataError({.file = summary.model.source, .where = "graph inputs"},
                            fmt::format("a fixed batch of {}", graph->batch),
                            fmt::format("batch {}, or a model whose dimension 0 is symbolic", graph->batch));
        summary.counts = model::summarise(*graph);
        if (withTraining) addTraining(summary, *graph);
    } else {
        if (withTraining)
            throw UsageError(
                fmt::format("{} is a table of layers; training needs a graph of operators, as of ONNX or the zoo",
                            escaped(summary.model.source)));
        summary.counts = model::summarise(std::get<model::LayerGraph>(summary.model.form), batch);
    }
    return summary;
}

void writeText(const ModelSummary& summary, const model::LayerGraph* layers,
               const std::function<void(std::string_view)>& write) {
    const model::Model& model = summary.model;
    const model::Summary& counts = summary.counts;
    Json json = documentHead("tessera.model-summary/1", "model inspect", {});
    // Here `inputs` are the graph's; the file that they were read from stands beside them.
    json["inputs"] = tensorsJson(counts.inputs);
    json["sources"] = Json::array({{{"name", model.source}, {"sha256", model.sha256}}});
    json["name"] = model.name;
    json["batch"] = counts.batch;
    json["parameters"] = orNull(counts.parameters);
    json["macs"] = orNull(counts.macs);
    json["flops_matrix"] = orNull(counts.flopsMatrix);
    json["flops_vector"] = orNull(counts.flopsVector);
    json["activation_elements"] = orNull(counts.activationElements);
    json["operators"] = counts.operators;
    json["weighted_layers"] = counts.weightedLayers;
    json["outputs"] = tensorsJson(counts.outputs);
    std::vector<LongList> lists;
    if (layers != nullptr) {
        json["layers"] = Json::array();
        lists.push_back({"layers", layers->layers.size(), [&](std::size_t i) {
                             return layerJson(layers->layers[i], static_cast<double>(counts.batch));
                         }});
    }
    std::vector<std::string> assumptions = counts.notes;
    if (layers != nullptr) addOnce(assumptions, layers->assumptions);
    std::vector<std::string> warnings = model.warnings;
    if (summary.training) {
        json["training"] = trainingJson(*summary.training);
        assumptions.emplace_back(model::kNoLoss);
        addOnce(warnings, summary.trainingWarnings);
    }
    finishDocument(json, assumptions, warnings);
    tessera::writeText(json, lists, write);
}

}  // namespace tessera::study

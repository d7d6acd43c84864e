#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/escape.h"
#include "core/base/units.h"
#include "core/model/jobs.h"
#include "core/model/writers/writers.h"

namespace tessera::model {

namespace {

/// A whole number without exponent; a fraction as the shortest text that reads back equal.
std::string size(double value) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : exactNumber(value);
}

/// For every layer the names of those that it reads from, in order of the edges.
std::vector<std::string> sourcesOf(const LayerGraph& graph) {
    std::vector<std::string> sources(graph.layers.size());
    for (const LayerEdge& edge : graph.edges) {
        std::string& text = sources[static_cast<std::size_t>(edge.to)];
        text += (text.empty() ? "" : " | ") + graph.layers[static_cast<std::size_t>(edge.from)].name;
    }
    return sources;
}

/// Layers that a format without joins holds, and sentences on what is left out or changed.
struct Rows {
    std::vector<const Layer*> layers;
    std::vector<std::string> warnings;
};

Rows weightedRows(const LayerGraph& graph, std::string_view format) {
    Rows rows;
    std::size_t joins = 0;
    std::size_t embeddings = 0;
    bool grouped = false;
    for (const Layer& layer : graph.layers) {
        if (isJoin(layer.kind))
            ++joins;
        else if (layer.kind == LayerKind::embedding)
            ++embeddings;
        else
            rows.layers.push_back(&layer);
        grouped = grouped || layer.groups > 1;
    }
    const auto warn = [&](std::size_t count, std::string_view what) {
        if (count > 0)
            rows.warnings.push_back(fmt::format("{} {}{} left out: {} has no row for {}.", count, what,
                                                count == 1 ? " was" : "s were", format, count == 1 ? "it" : "them"));
    };
    warn(joins, "join");
    warn(embeddings, "embedding");
    if (grouped)
        rows.warnings.push_back(fmt::format(
            "{} has no groups: grouped convolutions are written with the channels of one group, which keeps "
            "weights and multiply-accumulates but not the input's size.",
            format));
    return rows;
}

/// The map, padding included, over which a kernel makes `made` steps of `stride`.
double paddedSize(double made, double kernel, double stride) {
    return (made - 1) * stride + kernel;
}

double strideOf(double read, double made) {
    return std::max(1.0, std::round(read / made));
}

/// Input maps are those that make the same map with stride 1 and without padding.
std::string maestroRow(const Layer& layer) {
    LayerJob job = jobOf(layer, 1).value_or(LayerJob{});
    if (job.kind == JobKind::conv || job.kind == JobKind::dsconv) {
        job.d[2] = outputY(job) + job.d[4] - 1;
        job.d[3] = outputX(job) + job.d[5] - 1;
    }
    return fmt::format("{},{}\n", fmt::join(job.d, ","), static_cast<int>(job.kind));
}

/// SCALE-Sim splits at every comma and knows no quotes; our reader takes a cell of 4096 bytes.
std::string plainName(const std::string& name) {
    std::string text = sheetText(name);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == '"' || c == '#'; }, '_');
    return text;
}

std::string scaleSimRow(const Layer& layer) {
    const bool dense = layer.kind == LayerKind::fc;
    const Map made = dense ? Map{layer.conv.area(), 1} : layer.conv;
    const double stride = dense ? 1 : strideOf(layer.in.height, layer.conv.height);
    return fmt::format(
        "{},{},{},{},{},{},{},{},\n", plainName(layer.name), size(paddedSize(made.height, layer.kernel.height, stride)),
        size(paddedSize(made.width, layer.kernel.width, stride)), size(layer.kernel.height), size(layer.kernel.width),
        size(layer.inChannels / layer.groups), size(layer.outChannels), size(stride));
}

}  // namespace

Converted writeLayersCsv(const Model& model) {
    const LayerGraph graph = layerGraph(model);
    const std::vector<std::string> sources = sourcesOf(graph);
    std::string text =
        "name,kind,in_channels,out_channels,in_height,in_width,conv_height,conv_width,out_height,out_width,"
        "kernel_height,kernel_width,groups,weights,macs,parameters,activations,inputs\n";
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        const Layer& layer = graph.layers[i];
        text += csvCell(layer.name) + ',' + std::string(nameOf(layer.kind));
        for (const double value :
             {layer.inChannels, layer.outChannels, layer.in.height, layer.in.width, layer.conv.height, layer.conv.width,
              layer.out.height, layer.out.width, layer.kernel.height, layer.kernel.width, layer.groups,
              weightElements(layer), macsPerSample(layer), layer.parameters, layer.activations})
            text += ',' + size(value);
        text += ',' + csvCell(sources[i]) + '\n';
    }
    return {text, graph.assumptions};
}

Converted writeMaestroCsv(const Model& model) {
    const LayerGraph graph = layerGraph(model);
    Rows rows = weightedRows(graph, "MAESTRO's table");
    std::string text = "K,C,Y,X,R,S,T\n";
    for (const Layer* layer : rows.layers) text += maestroRow(*layer);
    return {text, rows.warnings};
}

Converted writeM3eCsv(const Model& model) {
    const std::vector<LayerJob> jobs = jobsOf(model, 1);
    std::string text;
    std::size_t row = 0, repeated = 0, sliding = 0;
    for (const LayerJob& job : jobs) {
        text += fmt::format("0,{},{},{}\n", row++, fmt::join(job.d, ","), static_cast<int>(job.kind));
        if (job.repeats > 1) ++repeated;
        LayerJob plain{.name = job.name, .kind = job.kind, .d = job.d};
        plain.repeats = job.repeats;
        if (!(plain == job)) ++sliding;
    }
    std::vector<std::string> warnings;
    const auto warn = [&](std::size_t count, std::string_view what) {
        if (count > 0) warnings.push_back(fmt::format("{} row{} {}.", count, count == 1 ? "" : "s", what));
    };
    warn(repeated, "of work that is done several times (heads, time steps) stand in M3E's table once");
    warn(sliding, "of convolutions have strides, padding, dilation or groups, which M3E's table does not hold");
    return {text, warnings};
}

Converted writeScaleSimCsv(const Model& model) {
    const LayerGraph graph = layerGraph(model);
    Rows rows = weightedRows(graph, "SCALE-Sim's topology");
    std::string text = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n";
    for (const Layer* layer : rows.layers) text += scaleSimRow(*layer);
    return {text, rows.warnings};
}

}  // namespace tessera::model

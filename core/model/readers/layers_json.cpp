#include "core/model/readers/layers_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/poll.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include "core/model/name_index.h"
#include "core/model/readers/layer_rules.h"

namespace tessera::model {

namespace {

constexpr std::size_t kLongestName = 65'536;
constexpr std::size_t kLargestText = std::size_t{128} << 20;  // parsed JSON takes a multiple of its text
constexpr std::size_t kMaxEdges = 4'000'000;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

double whole(const JsonNode& node) {
    return static_cast<double>(node.whole(1, kUnlimited));
}

double sizeOr(const JsonNode& node, const std::string& key, double fallback) {
    return node.has(key) ? whole(node.at(key)) : fallback;
}

double groupsOf(const JsonNode& node, const Layer& layer) {
    if (!node.has("groups")) return 1;
    const JsonNode field = node.at("groups");
    const double groups = whole(field);
    if (std::fmod(layer.inChannels, groups) != 0 || std::fmod(layer.outChannels, groups) != 0)
        field.fail("a divisor of in_channels and out_channels");
    return groups;
}

void readWeighted(const JsonNode& node, Layer& layer) {
    node.allowOnly({"name", "kind", "in_channels", "out_channels", "in_height", "in_width", "conv_height", "conv_width",
                    "out_height", "out_width", "kernel_height", "kernel_width", "groups"});
    layer.inChannels = whole(node.at("in_channels"));
    layer.outChannels = whole(node.at("out_channels"));
    layer.in = {sizeOr(node, "in_height", 1), sizeOr(node, "in_width", 1)};
    layer.conv = {sizeOr(node, "conv_height", 1), sizeOr(node, "conv_width", 1)};
    layer.out = {sizeOr(node, "out_height", layer.conv.height), sizeOr(node, "out_width", layer.conv.width)};
    layer.kernel = {sizeOr(node, "kernel_height", 1), sizeOr(node, "kernel_width", 1)};
    layer.groups = groupsOf(node, layer);
}

void readJoin(const JsonNode& node, Layer& layer) {
    node.allowOnly({"name", "kind", "channels", "height", "width"});
    layer.inChannels = whole(node.at("channels"));
    layer.outChannels = layer.inChannels;
    layer.in = {sizeOr(node, "height", 1), sizeOr(node, "width", 1)};
    layer.conv = layer.in;
    layer.out = layer.in;
}

LayerKind layerKindOf(const JsonNode& node) {
    return *kLayerKindNames.named(node.oneOf({"fc", "conv", "add", "concat"}));
}

std::string nameIn(const JsonNode& node) {
    std::string name = node.text(kLongestName);
    if (name.empty()) node.fail("a name that is not empty");
    return name;
}

Layer readLayer(const JsonNode& node) {
    Layer layer;
    layer.name = nameIn(node.at("name"));
    layer.kind = layerKindOf(node.at("kind"));
    if (isJoin(layer.kind))
        readJoin(node, layer);
    else
        readWeighted(node, layer);
    return layer;
}

/// checkSizes, but naming the line only where there is something to say.
void checkLayerSizes(const JsonNode& node, const Layer& layer) {
    try {
        checkSizes(layer, {});
    } catch (const DataError& error) {
        node.fail(error.expected, error.found);
    }
}

/// Reads layers as they are met in the text: a document of a million of them would take more memory than they do.
class LayerList {
public:
    /// Keeps the first error for `finish`: what is wrong with the text as a whole comes first.
    void add(const JsonNode& node) {
        if (++met_ > kMaxLayers || error_) return;
        try {
            poll(4);
            Layer layer = readLayer(node);
            checkLayerSizes(node, layer);
            if (names_.find(layers_, layer.name) >= 0) node.at("name").fail("a name that no other layer or join has");
            names_.add(layer.name, static_cast<std::int32_t>(layers_.size()));
            layers_.push_back(std::move(layer));
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    /// The layers, which it gives away; their names stay. `list` is what the text has under the key.
    std::vector<Layer> finish(const JsonNode& list) {
        if (!list.isArray()) list.fail("a list");
        if (met_ > kMaxLayers)
            list.fail(fmt::format("at most {} entries", kMaxLayers), fmt::format("a list of {}", met_));
        if (error_) std::rethrow_exception(error_);
        if (layers_.empty()) list.fail("at least one layer", "an empty list");
        return std::move(layers_);
    }

    const NameIndex<Layer>& names() const { return names_; }

private:
    std::vector<Layer> layers_;
    NameIndex<Layer> names_;
    std::size_t met_ = 0;
    std::exception_ptr error_;
};

std::int32_t endOf(const JsonNode& node, const LayerGraph& graph, const NameIndex<Layer>& names) {
    const std::string name = node.text(kLongestName);
    const std::int32_t found = names.find(graph.layers, name);
    if (found >= 0) return found;
    std::vector<std::string> known;
    constexpr std::size_t kMaxCompared = 1000;
    for (const Layer& layer : graph.layers)
        if (known.size() < kMaxCompared) known.push_back(layer.name);
    node.fail("the name of a layer or join" + withClosest(", {} perhaps", name, known));
}

void readEdges(const JsonNode& list, LayerGraph& graph, const NameIndex<Layer>& names) {
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    list.forEachElement(kMaxEdges, [&](const JsonNode& node) {
        poll(2);
        const std::vector<JsonNode> ends = node.elements();
        if (ends.size() != 2) node.fail("two names, [from, to]", fmt::format("a list of {}", ends.size()));
        const std::int32_t from = endOf(ends[0], graph, names);
        const std::int32_t to = endOf(ends[1], graph, names);
        if (from == to) node.fail("two different names", fmt::format("{} twice", inQuotes(ends[0].text())));
        if (!seen.emplace(from, to).second)
            node.fail("every edge once", fmt::format("the edge {} -> {} again", inQuotes(ends[0].text(kLongestName)),
                                                     inQuotes(ends[1].text(kLongestName))));
        graph.edges.push_back({from, to, 0});
    });
}

void chain(LayerGraph& graph) {
    for (std::size_t i = 1; i < graph.layers.size(); ++i)
        graph.edges.push_back({static_cast<std::int32_t>(i - 1), static_cast<std::int32_t>(i), 0});
}

/// Says that an entry of the list of layers is wrong, whose nodes are not kept.
[[noreturn]] void failAtLayer(const JsonNode& root, std::size_t index, const std::string& expected,
                              const std::string& found) {
    const JsonNode list = root.at("layers");
    JsonNode(list.document(), &list.json(), fmt::format("{}[{}]", list.path(), index)).fail(expected, found);
}

void checkInputs(const JsonNode& root, const LayerGraph& graph) {
    std::vector<std::size_t> inputs(graph.layers.size(), 0);
    for (const LayerEdge& edge : graph.edges) ++inputs[static_cast<std::size_t>(edge.to)];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool join = isJoin(graph.layers[i].kind);
        if (join ? inputs[i] >= 2 : inputs[i] <= 1) continue;
        failAtLayer(root, i,
                    join ? "at least 2 edges into a join" : "at most 1 edge into a layer (more meet in a join)",
                    fmt::format("{} with {} edge{} into it", inQuotes(graph.layers[i].name), inputs[i],
                                inputs[i] == 1 ? "" : "s"));
    }
}

void checkCycle(const JsonNode& root, LayerGraph& graph, const std::string& file) {
    try {
        completeLayerGraph(graph, file);
    } catch (const DataError& error) {
        root.at("edges").fail(error.expected, error.found);
    }
}

}  // namespace

LayerGraph readLayersJson(std::string bytes, const std::string& file) {
    if (bytes.size() > kLargestText)
        throw DataError({.file = file}, fmt::format("{} bytes", bytes.size()),
                        fmt::format("at most {} bytes in a layer table", kLargestText));
    LayerList layers;
    const auto visit = [&](const JsonNode& node) { layers.add(node); };
    const JsonNode root =
        atCurrentSchema(JsonDocument::parse(std::move(bytes), file, "layers", visit).root(), {.kind = kLayersKind});
    root.allowOnly({"schema", "name", "layers", "edges"});
    LayerGraph graph;
    graph.name = root.has("name") ? nameIn(root.at("name")) : nameOfFile(file);
    graph.layers = layers.finish(root.at("layers"));
    if (root.has("edges"))
        readEdges(root.at("edges"), graph, layers.names());
    else
        chain(graph);
    checkInputs(root, graph);
    checkCycle(root, graph, file);
    return graph;
}

namespace {

std::int64_t wholeSize(double size, const Layer& layer) {
    if (size != std::floor(size) || size < 1 || size > 0x1p53)
        throw UsageError(fmt::format("layer {} has the size {}, but layers.json holds whole sizes only",
                                     inQuotes(layer.name), size));
    return static_cast<std::int64_t>(size);
}

Json layerJson(const Layer& layer) {
    Json row{{"name", layer.name}, {"kind", nameOf(layer.kind)}};
    const auto put = [&](const char* key, double size, double fallback) {
        if (size != fallback) row[key] = wholeSize(size, layer);
    };
    if (layer.kind == LayerKind::add || layer.kind == LayerKind::concat) {
        row["channels"] = wholeSize(layer.outChannels, layer);
        put("height", layer.out.height, 1);
        put("width", layer.out.width, 1);
        return row;
    }
    if (layer.kind != LayerKind::fc && layer.kind != LayerKind::conv)
        throw UsageError(fmt::format("layer {} is of kind {}, which layers.json does not have", inQuotes(layer.name),
                                     nameOf(layer.kind)));
    row["in_channels"] = wholeSize(layer.inChannels, layer);
    row["out_channels"] = wholeSize(layer.outChannels, layer);
    put("in_height", layer.in.height, 1);
    put("in_width", layer.in.width, 1);
    put("conv_height", layer.conv.height, 1);
    put("conv_width", layer.conv.width, 1);
    put("out_height", layer.out.height, layer.conv.height);
    put("out_width", layer.out.width, layer.conv.width);
    put("kernel_height", layer.kernel.height, 1);
    put("kernel_width", layer.kernel.width, 1);
    put("groups", layer.groups, 1);
    return row;
}

}  // namespace

std::string writeLayersJson(const LayerGraph& graph) {
    const auto name = [&](std::int32_t index) { return graph.layers[static_cast<std::size_t>(index)].name; };
    const LongList layers{"layers", graph.layers.size(), [&](std::size_t i) { return layerJson(graph.layers[i]); }};
    const LongList edges{"edges", graph.edges.size(), [&](std::size_t i) {
                             return Json::array({name(graph.edges[i].from), name(graph.edges[i].to)});
                         }};
    std::string text;
    writeText(Json{{"schema", currentSchema({.kind = kLayersKind})},
                   {"name", graph.name},
                   {"layers", Json::array()},
                   {"edges", Json::array()}},
              {layers, edges}, [&](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace tessera::model

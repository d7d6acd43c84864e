#include "core/model/readers/layer_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/base/text.h"

namespace tessera::model {

void checkSizes(const Layer& layer, const Place& place) {
    constexpr double kMaxElements = 0x1p53;
    const double max = std::max({weightElements(layer), inElements(layer), convElements(layer), outElements(layer)});
    if (max <= kMaxElements) return;
    throw DataError(place, fmt::format("a tensor of {:.4g} elements in layer {}", max, inQuotes(layer.name)),
                    "at most 2^53 elements in a tensor");
}

std::string nameOfFile(const std::string& file) {
    return std::filesystem::path(file).stem().string();
}

ChainBuilder::ChainBuilder(std::string file) : file_(std::move(file)) {
    graph_.name = nameOfFile(file_);
    assume("The file lists no connections: its layers are taken as a chain in file order.");
}

std::string ChainBuilder::uniqueName(const std::string& wanted) {
    std::string name = isUtf8(wanted) ? wanted : escaped(wanted, wanted.size() * 4);
    if (names_.insert(name).second) return name;
    // Numbers go on where the last equal name stopped, so that a table of one repeated name takes linear time.
    std::size_t& last = repeated_[name];
    last = std::max<std::size_t>(last, 1);
    while (true) {
        std::string numbered = fmt::format("{} ({})", name, ++last);
        if (names_.insert(numbered).second) return numbered;
    }
}

void ChainBuilder::add(Layer layer, const Place& place) {
    if (graph_.layers.size() == kMaxLayers)
        throw DataError(place, fmt::format("more than {} layers", kMaxLayers), fmt::format("at most {}", kMaxLayers));
    checkSizes(layer, place);
    layer.name = uniqueName(layer.name);
    const auto index = static_cast<std::int32_t>(graph_.layers.size());
    if (index > 0) graph_.edges.push_back({index - 1, index, 0});
    graph_.layers.push_back(std::move(layer));
}

void ChainBuilder::assume(const std::string& sentence) {
    std::vector<std::string>& known = graph_.assumptions;
    if (std::find(known.begin(), known.end(), sentence) == known.end()) known.push_back(sentence);
}

LayerGraph ChainBuilder::finish() && {
    if (graph_.layers.empty()) throw DataError({.file = file_}, "no layers", "at least one layer");
    completeLayerGraph(graph_, file_);
    return std::move(graph_);
}

}  // namespace tessera::model

#include "core/model/difference.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/base/units.h"

namespace tessera::model {

namespace {

std::string mapText(const Map& map) {
    return fmt::format("{} × {}", formatCount(map.height), formatCount(map.width));
}

std::map<std::string_view, const Layer*> byName(const LayerGraph& graph) {
    std::map<std::string_view, const Layer*> layers;
    for (const Layer& layer : graph.layers) layers.emplace(layer.name, &layer);
    return layers;
}

}  // namespace

std::string described(const Layer& layer) {
    std::string text =
        fmt::format("{} {} → {}", nameOf(layer.kind), formatCount(layer.inChannels), formatCount(layer.outChannels));
    if (layer.kernel.area() > 1) text += fmt::format(", kernel {}", mapText(layer.kernel));
    if (layer.out.area() > 1) text += fmt::format(", map {}", mapText(layer.out));
    if (layer.groups > 1) text += fmt::format(", {} groups", formatCount(layer.groups));
    return text;
}

std::vector<LayerDifference> differences(const LayerGraph& before, const LayerGraph& after) {
    using Kind = LayerDifference::Kind;
    const auto old = byName(before);
    const auto now = byName(after);
    std::vector<LayerDifference> list;
    for (const Layer& layer : before.layers) {
        const auto found = now.find(layer.name);
        const std::string was = described(layer);
        if (found == now.end()) {
            list.push_back({Kind::removed, layer.name, was, ""});
        } else if (const std::string is = described(*found->second); is != was) {
            list.push_back({Kind::changed, layer.name, was, is});
        }
    }
    for (const Layer& layer : after.layers)
        if (old.find(layer.name) == old.end()) list.push_back({Kind::added, layer.name, "", described(layer)});
    return list;
}

}  // namespace tessera::model

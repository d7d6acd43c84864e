#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/model/layers.h"
#include "tests/support/paths.h"

namespace tessera::test {

/// One oracle case of tests/data/accpar (its README defines every field), with its network as a layer graph.
struct AccparCase {
    nlohmann::json json;      ///< the whole case: pair, alpha, objective, expect, ...
    model::LayerGraph graph;  ///< complete, per sample, in topological order; nodes are found by name
    double batch = 0;
    std::vector<std::string> layerNames;  ///< in the case's order: `expect.types[k]` belongs to layerNames[k]
    std::vector<std::string> joinNames;   ///< likewise for `expect.joins`
};

/// The node's index in `graph.layers`; throws where there is none of that name.
inline std::size_t indexOf(const model::LayerGraph& graph, const std::string& name) {
    const auto found = std::find_if(graph.layers.begin(), graph.layers.end(),
                                    [&](const model::Layer& layer) { return layer.name == name; });
    if (found == graph.layers.end()) throw std::out_of_range("no layer '" + name + "'");
    return static_cast<std::size_t>(found - graph.layers.begin());
}

namespace accpar {

inline model::Layer layerOf(const nlohmann::json& row) {
    model::Layer layer;
    layer.name = row.at("name");
    layer.kind = row.at("kind") == "CONV" ? model::LayerKind::conv : model::LayerKind::fc;
    layer.inChannels = row.at("Di");
    layer.outChannels = row.at("Do");
    layer.in = {row.at("ih"), row.at("iw")};
    layer.conv = {row.at("ch"), row.at("cw")};
    layer.out = {row.at("oh"), row.at("ow")};
    layer.kernel = {row.at("kh"), row.at("kw")};
    return layer;
}

inline model::Layer joinOf(const nlohmann::json& row) {
    model::Layer join;
    join.name = row.at("name");
    join.kind = model::LayerKind::add;
    join.inChannels = row.at("C");
    join.outChannels = row.at("C");
    join.in = {row.at("h"), row.at("w")};
    join.conv = join.in;
    join.out = join.in;
    return join;
}

inline constexpr std::int32_t kNothing = -1;

/// Adds the edges of a list of items that follows `from`; returns the last node. Main paths come first, so that the
/// first edge listed into and out of a node lies on its main path. Joins are numbered after the layers.
inline std::int32_t connect(const nlohmann::json& items, std::int32_t from, std::int32_t layers,
                            std::vector<model::LayerEdge>& edges) {
    const auto edge = [&](std::int32_t a, std::int32_t b) {
        if (a != kNothing) edges.push_back({a, b, 0});
    };
    for (const nlohmann::json& item : items) {
        std::int32_t next = kNothing;
        if (item.is_number()) {
            next = item.get<std::int32_t>();
            edge(from, next);
        } else {
            next = layers + item.at("join").get<std::int32_t>();
            for (const nlohmann::json& path : item.at("paths")) edge(connect(path, from, layers, edges), next);
        }
        from = next;
    }
    return from;
}

}  // namespace accpar

/// The layer graph of a case's `net`; joins stand for element-wise additions.
inline model::LayerGraph accparGraph(const nlohmann::json& net) {
    model::LayerGraph graph;
    graph.name = net.at("name");
    for (const nlohmann::json& row : net.at("layers")) graph.layers.push_back(accpar::layerOf(row));
    for (const nlohmann::json& row : net.at("joins")) graph.layers.push_back(accpar::joinOf(row));
    accpar::connect(net.at("items"), accpar::kNothing, static_cast<std::int32_t>(net.at("layers").size()), graph.edges);
    model::completeLayerGraph(graph, graph.name);
    return graph;
}

/// The cases are of all kinds but `refcode`, whose networks have no graph.
inline AccparCase loadAccparCase(const std::filesystem::path& path) {
    std::ifstream stream(path);
    AccparCase result;
    result.json = nlohmann::json::parse(stream);
    const nlohmann::json& net = result.json.at("net");
    if (net.is_string()) return result;
    result.graph = accparGraph(net);
    result.batch = net.at("layers").at(0).at("B");
    for (const nlohmann::json& row : net.at("layers")) result.layerNames.push_back(row.at("name"));
    for (const nlohmann::json& row : net.at("joins")) result.joinNames.push_back(row.at("name"));
    return result;
}

/// The case files in order of name; `kind` as in the files' names, such as "chain_fixed"; empty = all.
inline std::vector<std::filesystem::path> accparCases(const std::string& kind = "") {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(sourcePath("tests/data/accpar"))) {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() == ".json" && stem.ends_with(kind)) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace tessera::test

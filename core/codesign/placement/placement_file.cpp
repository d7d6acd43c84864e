#include "core/codesign/placement/placement_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"

namespace tessera::codesign {

namespace {

/// Keeps every sum and product of a placement finite.
constexpr double kMaxBytes = 1e18;
constexpr double kMaxSeconds = 1e12;
constexpr double kMinBandwidth = 1e-6;
constexpr std::int64_t kMaxAccelerators = 1'000'000'000;
constexpr std::int64_t kMaxMicroBatches = 1'000'000'000;
constexpr std::int64_t kHighestDegree = 1'000'000;

constexpr std::string_view kMark = "\"mbsInBatch\"";  // the format has no schema of its own

constexpr std::array kReported{"fixedPP", "fixedTMPC", "fixedDP", "numTransformerLayers"};

double numberUpTo(const JsonNode& node, double max) {
    if (!node.isNumber() || !(node.json().get<double>() >= 0) || node.json().get<double>() > max)
        node.fail(fmt::format("a number from 0 to {}", exactNumber(max)));
    return node.json().get<double>();
}

/// Of an amount that may not be 0.
double numberAbove(const JsonNode& node, double min, double max) {
    const double value = node.positive();
    if (value < min || value > max)
        node.fail(fmt::format("a number from {} to {}", exactNumber(min), exactNumber(max)));
    return value;
}

std::int64_t degreeOf(const std::string& key, const JsonNode& list) {
    std::int64_t degree = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), degree);
    if (error != std::errc{} || end != key.data() + key.size() || key.front() == '0' || degree < 1 ||
        degree > kHighestDegree)
        list.fail(fmt::format("a tensor-parallel degree from 1 to {} as the key", kHighestDegree),
                  "of tensor-parallel degree " + inQuotes(key));
    return degree;
}

std::int64_t idOf(const JsonNode& node) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    return node.whole(-kMax, kMax);
}

LayerCosts costsOf(const JsonNode& node) {
    node.allowOnly(
        {"id", "parameterSize", "activationSize", "optimalLatencyFw", "optimalLatencyBw", "isTensorParallelized"});
    return {.weights = {numberUpTo(node.at("parameterSize"), kMaxBytes)},
            .activations = {numberUpTo(node.at("activationSize"), kMaxBytes)},
            .forward = {numberUpTo(node.at("optimalLatencyFw"), kMaxSeconds)},
            .backward = {numberUpTo(node.at("optimalLatencyBw"), kMaxSeconds)},
            .tensorParallel = node.at("isTensorParallelized").boolean()};
}

class Reader {
public:
    explicit Reader(const JsonDocument& document) : root_(document.root()) {}

    PlacementFile read() {
        std::vector<std::string> known{"name",
                                       "description",
                                       "nodes",
                                       "edges",
                                       "maxDevices",
                                       "maxMemoryPerDevice",
                                       "bandwidth",
                                       "mbsInBatch",
                                       "activationRecomputation",
                                       "optimizerAlgorithm"};
        known.insert(known.end(), kReported.begin(), kReported.end());
        root_.allowOnly(known);
        readOptions();
        const JsonNode nodes = root_.at("nodes");
        const JsonNode edges = root_.at("edges");
        for (const auto& [key, list] : nodes.members()) readLayers(key, list);
        if (file_.problem.byDegree.empty()) nodes.fail("the layers of at least one tensor-parallel degree", "empty");
        for (const auto& [key, list] : edges.members())
            if (!nodes.has(key))
                list.fail("edges of a tensor-parallel degree that 'nodes' has",
                          "of tensor-parallel degree " + inQuotes(key));
        for (const auto& [key, list] : nodes.members()) readEdges(key, edges.at(key));
        return std::move(file_);
    }

private:
    void readOptions() {
        file_.name = root_.textOr("name", "");
        if (root_.has("description")) root_.at("description").text(4096);
        PlacementProblem& problem = file_.problem;
        problem.accelerators = root_.at("maxDevices").whole(1, kMaxAccelerators);
        problem.memory = {numberAbove(root_.at("maxMemoryPerDevice"), 1, kMaxBytes)};
        problem.bandwidth = {numberAbove(root_.at("bandwidth"), kMinBandwidth, kMaxBytes)};
        problem.microBatches = root_.at("mbsInBatch").whole(1, kMaxMicroBatches);
        problem.recompute = root_.at("activationRecomputation").boolean();
        file_.optimizer = root_.at("optimizerAlgorithm").oneOf(kPublishedOptimizerNames);
        for (const char* key : kReported)
            if (root_.has(key)) file_.reported.emplace_back(key, root_.at(key).number());
    }

    void readLayers(const std::string& key, const JsonNode& list) {
        std::vector<DegreeCosts>& byDegree = file_.problem.byDegree;
        const bool first = byDegree.empty();
        if (byDegree.size() == kMaxDegrees)
            root_.at("nodes").fail(fmt::format("at most {} tensor-parallel degrees", kMaxDegrees), "more");
        DegreeCosts& costs = byDegree.emplace_back();
        costs.degree = degreeOf(key, list);
        const std::vector<JsonNode> nodes = list.elements(kMaxPlacedLayers);
        if (nodes.empty()) list.fail("at least one layer", "empty");
        if (!first && nodes.size() != file_.layers.size())
            list.fail(fmt::format("the {} of tensor-parallel degree {}",
                                  formatCounted(file_.layers.size(), "layer", "layers"), firstDegree()),
                      "a list of " + formatCounted(nodes.size(), "layer", "layers"));
        costs.layers.resize(nodes.size());
        std::vector<char> seen(nodes.size(), 0);
        for (const JsonNode& node : nodes) {
            const JsonNode id = node.at("id");
            if (first && numbers_.try_emplace(idOf(id), file_.layers.size()).second) file_.layers.push_back(idOf(id));
            const auto found = numbers_.find(idOf(id));
            if (found == numbers_.end()) id.fail(fmt::format("a layer of tensor-parallel degree {}", firstDegree()));
            if (std::exchange(seen[found->second], 1) != 0) id.fail("an id that no other layer has");
            costs.layers[found->second] = costsOf(node);
        }
    }

    std::int64_t firstDegree() const { return file_.problem.byDegree.front().degree; }

    void readEdges(const std::string& key, const JsonNode& list) {
        DegreeCosts& costs = file_.problem.byDegree[degreesWithEdges_++];
        const std::vector<JsonNode> nodes = list.elements(kMaxPlacedEdges);
        std::vector<LayerEdge>& edges = file_.graph.edges;
        const bool first = degreesWithEdges_ == 1;
        if (!first && nodes.size() != edges.size())
            list.fail(fmt::format("the {} of tensor-parallel degree {}", formatCounted(edges.size(), "edge", "edges"),
                                  firstDegree()),
                      "a list of " + formatCounted(nodes.size(), "edge", "edges"));
        costs.edges.resize(nodes.size());
        // Edges of another degree may stand in another order.
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;
        for (std::size_t e = 0; e < edges.size(); ++e) numbers[{edges[e].from, edges[e].to}] = e;
        std::set<std::pair<std::size_t, std::size_t>> seen;
        for (const JsonNode& node : nodes) {
            node.allowOnly({"sourceId", "destId", "communicationCost"});
            const LayerEdge edge{layerNamedBy(node.at("sourceId"), key), layerNamedBy(node.at("destId"), key)};
            const auto found = [&] {
                return fmt::format("from layer {} to layer {}", file_.layers[edge.from], file_.layers[edge.to]);
            };
            if (!seen.emplace(edge.from, edge.to).second)
                node.fail("one edge between two layers", "a second one " + found());
            std::size_t number = edges.size();
            if (first) {
                edges.push_back(edge);
            } else {
                const auto same = numbers.find({edge.from, edge.to});
                if (same == numbers.end())
                    node.fail(fmt::format("an edge that tensor-parallel degree {} has, too", firstDegree()), found());
                number = same->second;
            }
            costs.edges[number] = {numberUpTo(node.at("communicationCost"), kMaxBytes)};
        }
        if (!first) return;
        file_.graph.layers = file_.layers.size();
        refuseCycle(nodes);
    }

    std::size_t layerNamedBy(const JsonNode& node, const std::string& key) const {
        const auto found = numbers_.find(idOf(node));
        if (found == numbers_.end()) node.fail(fmt::format("the id of a layer of 'nodes.{}'", key));
        return found->second;
    }

    /// Takes away layers that nothing leads to, then goes backwards among those that are left until one comes again.
    void refuseCycle(const std::vector<JsonNode>& nodes) const {
        const std::vector<LayerEdge>& edges = file_.graph.edges;
        std::vector<std::size_t> waiting(file_.layers.size(), 0);
        std::vector<std::vector<std::size_t>> out(file_.layers.size()), in(file_.layers.size());
        for (std::size_t e = 0; e < edges.size(); ++e) {
            out[edges[e].from].push_back(e);
            in[edges[e].to].push_back(e);
            ++waiting[edges[e].to];
        }
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < waiting.size(); ++i)
            if (waiting[i] == 0) free.push_back(i);
        for (std::size_t i = 0; i < free.size(); ++i)
            for (const std::size_t e : out[free[i]])
                if (--waiting[edges[e].to] == 0) free.push_back(edges[e].to);
        if (free.size() == waiting.size()) return;
        const auto left = std::find_if(waiting.begin(), waiting.end(), [](std::size_t count) { return count > 0; });
        auto layer = static_cast<std::size_t>(left - waiting.begin());
        std::vector<char> passed(waiting.size(), 0);
        for (;;) {
            const auto edge = std::find_if(in[layer].begin(), in[layer].end(),
                                           [&](std::size_t e) { return waiting[edges[e].from] > 0; });
            if (std::exchange(passed[layer], 1) != 0)
                nodes[*edge].fail("layers without a cycle",
                                  fmt::format("an edge of a cycle, from layer {} to layer {}",
                                              file_.layers[edges[*edge].from], file_.layers[edges[*edge].to]));
            layer = edges[*edge].from;
        }
    }

    JsonNode root_;
    PlacementFile file_;
    std::map<std::int64_t, std::size_t> numbers_;  ///< by id
    std::size_t degreesWithEdges_ = 0;
};

}  // namespace

std::optional<double> optimizerState(Optimizer optimizer, OptimizerMemory rule) {
    const auto states = static_cast<double>(model::optimizerKind(optimizer).states);
    const double mixed = 2 * (states + 1);  // with a copy of the weights, all of twice their words
    switch (rule) {
        case OptimizerMemory::exact:
            return optimizer == Optimizer::mixedAdam ? mixed : states;
        case OptimizerMemory::mixed:
            return mixed;
        case OptimizerMemory::reference:
            break;
    }
    if (optimizer == Optimizer::sgd) return 0;
    return optimizer == Optimizer::adam ? std::optional(1.0) : std::nullopt;
}

PlacementFile readPlacementFile(const JsonDocument& document) {
    return Reader(document).read();
}

std::string placementPath(const std::string& nameOrPath) {
    return hardware::libraryPath("placements", kMark, "there are no layers", nameOrPath);
}

}  // namespace tessera::codesign

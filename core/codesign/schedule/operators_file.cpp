#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/codesign/schedule/operators.h"
#include "core/hardware/library.h"

namespace tessera::codesign {

namespace {

constexpr std::string_view kFolder = "operators";
constexpr std::string_view kMark = "\"intra_latency\"";  // the format has no schema of its own
constexpr std::int64_t kLargestId = std::int64_t{1} << 53;

double latencyIn(const JsonNode& node) {
    const double latency = node.notNegative();
    if (latency > kLongestLatency) node.fail(fmt::format("a number from 0 to {:g}", kLongestLatency));
    return latency;
}

Operator operatorIn(const JsonNode& node) {
    node.allowOnly({"id", "type", "latency", "intra_latency", "name"});
    Operator made;
    made.id = node.at("id").whole(0, kLargestId);
    made.name = node.textOr("name", "");
    made.kind = node.at("type").oneOf(kCoreKindNames);
    made.latency = latencyIn(node.at("latency"));
    made.allCoresLatency = latencyIn(node.at("intra_latency"));
    return made;
}

class Reader {
public:
    explicit Reader(const JsonNode& root) : root_(root) {
        if (!root.isObject()) root.fail("an object with 'nodes' and 'edges'");
        root.allowOnly({"name", "description", "num_tc", "num_vc", "nodes", "edges", "result"});
    }

    OperatorGraph read() {
        graph_.name = root_.textOr("name", "");
        graph_.description = root_.has("description") ? root_.at("description").text(kLongestDescription) : "";
        if (root_.has("num_tc")) graph_.tensorCores = root_.at("num_tc").whole(1, kMaxCores);
        if (root_.has("num_vc")) graph_.vectorCores = root_.at("num_vc").whole(1, kMaxCores);
        readNodes(root_.at("nodes"));
        readEdges(root_.at("edges"));
        refuseCycle();
        return std::move(graph_);
    }

private:
    static constexpr std::size_t kLongestDescription = 4096;

    void readNodes(const JsonNode& nodes) {
        for (const JsonNode& node : nodes.elements(kMaxOperators)) {
            graph_.operators.push_back(operatorIn(node));
            const std::int64_t id = graph_.operators.back().id;
            if (!positions_.emplace(id, positions_.size()).second)
                node.at("id").fail("an id that no other operator has", fmt::format("{} once more", id));
        }
        if (graph_.operators.empty()) nodes.fail("at least one operator", "an empty list");
    }

    std::size_t positionIn(const JsonNode& node) const {
        const auto found = positions_.find(node.whole(0, kLargestId));
        if (found == positions_.end()) node.fail("the id of an operator in 'nodes'");
        return found->second;
    }

    void readEdges(const JsonNode& edges) {
        std::unordered_set<std::size_t> seen;
        for (const JsonNode& edge : edges.elements(kMaxDependencies)) {
            const std::vector<JsonNode> ends = edge.elements(2);
            if (ends.size() != 2) edge.fail("a pair of ids [from, to]", fmt::format("a list of {}", ends.size()));
            const std::size_t from = positionIn(ends[0]), to = positionIn(ends[1]);
            if (from == to) edge.fail("an edge between two operators", "an edge from an operator to itself");
            if (!seen.insert(from * kMaxOperators + to).second)
                edge.fail("one edge between two operators",
                          fmt::format("a second one from operator {} to operator {}", graph_.operators[from].id,
                                      graph_.operators[to].id));
            graph_.edges.emplace_back(from, to);
        }
    }

    void refuseCycle() const {
        const std::vector<std::size_t> order = topologicalOrder(graph_.operators.size(), graph_.edges);
        if (order.size() == graph_.operators.size()) return;
        std::vector<bool> ordered(graph_.operators.size(), false);
        for (const std::size_t position : order) ordered[position] = true;
        const auto first = static_cast<std::size_t>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
        root_.at("edges").fail("edges without a cycle",
                               fmt::format("a cycle before operator {}", graph_.operators[first].id));
    }

    JsonNode root_;
    OperatorGraph graph_;
    std::unordered_map<std::int64_t, std::size_t> positions_;
};

}  // namespace

OperatorGraph readOperators(const JsonDocument& document) {
    return Reader(document.root()).read();
}

std::string operatorsPath(const std::string& nameOrPath) {
    return hardware::libraryPath(kFolder, kMark, "there are no operators", nameOrPath);
}

std::vector<std::size_t> topologicalOrder(std::size_t operators,
                                          const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
    std::vector<std::vector<std::size_t>> successors(operators);
    std::vector<std::size_t> waiting(operators, 0);
    for (const auto& [from, to] : edges) {
        successors[from].push_back(to);
        ++waiting[to];
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < operators; ++i)
        if (waiting[i] == 0) ready.push(i);
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const std::size_t next : successors[order.back()])
            if (--waiting[next] == 0) ready.push(next);
    }
    return order;
}

}  // namespace tessera::codesign

#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/codesign/schedule/schedule.h"
#include "tests/support/paths.h"

namespace tessera::codesign {

/// The files of tests/data/phaze/FOLDER, by name.
inline std::vector<std::filesystem::path> caseFiles(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(test::sourcePath("tests/data/phaze/" + folder)))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// A case of the reference data: operators, cores, and what is known of the optimum.
struct Case {
    OperatorGraph graph;
    Cores cores;
    Json result;
};

inline Case loadCase(const std::filesystem::path& path) {
    const JsonDocument document = JsonDocument::load(path.string());
    OperatorGraph graph = readOperators(document);
    const Cores cores{graph.tensorCores.value(), graph.vectorCores.value()};
    return {std::move(graph), cores, document.json()["result"]};
}

/// How the operators of a random graph look.
struct Shape {
    std::size_t operators = 4;
    double edges = 0.3;          ///< share of the pairs that depend on each other
    std::uint64_t longest = 20;  ///< latency on one core
    std::uint64_t kinds = 3;     ///< 2 = nothing is fused
    bool whole = true;
    std::size_t alike = 1;  ///< the graph is so many copies beside each other
};

inline OperatorGraph randomGraph(RandomStream& random, const Shape& shape) {
    OperatorGraph graph;
    for (std::size_t copy = 0; copy < shape.alike; ++copy) {
        const std::size_t base = graph.operators.size();
        if (copy > 0) {
            const std::size_t edges = graph.edges.size() / copy;
            for (std::size_t i = 0; i < shape.operators; ++i) {
                graph.operators.push_back(graph.operators[i]);
                graph.operators.back().id = static_cast<std::int64_t>(base + i);
            }
            for (std::size_t e = 0; e < edges; ++e)
                graph.edges.emplace_back(base + graph.edges[e].first, base + graph.edges[e].second);
            continue;
        }
        for (std::size_t i = 0; i < shape.operators; ++i) {
            Operator each;
            each.id = static_cast<std::int64_t>(i);
            each.kind = static_cast<CoreKind>(random.below(shape.kinds));
            each.latency = static_cast<double>(1 + random.below(shape.longest)) + (shape.whole ? 0 : random.uniform());
            // From a little over its share of a few cores to a little longer than on one.
            each.allCoresLatency = shape.whole ? std::ceil(each.latency * (0.2 + 0.9 * random.uniform()))
                                               : each.latency * (0.2 + 0.9 * random.uniform());
            graph.operators.push_back(each);
            for (std::size_t j = 0; j < i; ++j)
                if (random.uniform() < shape.edges) graph.edges.emplace_back(j, i);
        }
    }
    return graph;
}

/// The shortest makespan by trying every order of starts, form and core. Some order of an optimal schedule's starts,
/// with each operator as early as its predecessors and cores allow, is no longer.
class BruteForce {
public:
    BruteForce(const OperatorGraph& graph, const Cores& cores)
        : graph_(graph),
          pairs_(std::min(cores.tensor, cores.vector)),
          tensorFree_(static_cast<std::size_t>(cores.tensor), 0),
          vectorFree_(static_cast<std::size_t>(cores.vector), 0),
          finish_(graph.operators.size(), -1) {
        extend(0, 0, 0);
    }
    double makespan() const { return best_; }

private:
    void extend(std::size_t placed, double end, double lonelyUntil) {
        if (end >= best_) return;
        if (placed == graph_.operators.size()) {
            best_ = end;
            return;
        }
        for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
            if (finish_[i] >= 0) continue;
            double ready = lonelyUntil;
            bool waits = false;
            for (const auto& [from, to] : graph_.edges) {
                if (to != i) continue;
                waits = waits || finish_[from] < 0;
                ready = std::max(ready, finish_[from]);
            }
            if (waits) continue;
            const Operator& each = graph_.operators[i];
            finish_[i] = end + each.allCoresLatency;
            extend(placed + 1, finish_[i], finish_[i]);
            const auto on = [&](double* tensor, double* vector) {
                const double oldTensor = tensor == nullptr ? 0 : *tensor, oldVector = vector == nullptr ? 0 : *vector;
                finish_[i] = std::max({ready, oldTensor, oldVector}) + each.latency;
                if (tensor != nullptr) *tensor = finish_[i];
                if (vector != nullptr) *vector = finish_[i];
                extend(placed + 1, std::max(end, finish_[i]), lonelyUntil);
                if (tensor != nullptr) *tensor = oldTensor;
                if (vector != nullptr) *vector = oldVector;
            };
            if (each.kind == CoreKind::tensor)
                for (double& core : tensorFree_) on(&core, nullptr);
            else if (each.kind == CoreKind::vector)
                for (double& core : vectorFree_) on(nullptr, &core);
            else
                for (std::int64_t c = 0; c < pairs_; ++c)
                    on(&tensorFree_[static_cast<std::size_t>(c)], &vectorFree_[static_cast<std::size_t>(c)]);
            finish_[i] = -1;
        }
    }

    const OperatorGraph& graph_;
    std::int64_t pairs_;
    std::vector<double> tensorFree_, vectorFree_, finish_;
    double best_ = 1e300;
};

}  // namespace tessera::codesign

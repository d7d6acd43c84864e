#include "core/partition/sharded_problem.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

ShardedProblem::ShardedProblem(const PhysicalCosts& costs, const Ways& ways, const Weigh& weigh, std::size_t max,
                               double capacity) {
    problem_.capacity = capacity;
    addKinds(costs, ways, weigh);
    prune(firstWays(costs), max);
    addTables(costs);
}

void ShardedProblem::addKinds(const PhysicalCosts& costs, const Ways& ways, const Weigh& weigh) {
    std::map<std::pair<std::int32_t, std::vector<Sharding>>, std::int32_t> known;
    for (std::size_t v = 0; v < costs.vertices().size(); ++v) {
        std::vector<Sharding> list = ways(signedIndex(v));
        const auto [found, isNew] =
            known.try_emplace({costs.kinds()[v], list}, static_cast<std::int32_t>(problem_.kinds.size()));
        problem_.vertices.push_back(found->second);
        if (!isNew) continue;
        problem_.kinds.emplace_back();
        for (const Sharding& sharding : list)
            problem_.kinds.back().push_back(weigh(costs.shard(signedIndex(v), sharding)));
        ways_.push_back(std::move(list));
    }
}

/// Seconds of the plan in which each vertex is cut in its first way; infinite where it does not fit.
double ShardedProblem::firstWays(const PhysicalCosts& costs) const {
    JointCost sum;
    for (const std::int32_t kind : problem_.vertices) {
        const JointCost& cost = problem_.kinds[toIndex(kind)].front();
        sum.first += cost.first;
        sum.second += cost.second;
        sum.memory += cost.memory;
    }
    if (sum.memory > problem_.capacity) return kInfinity;
    double moved = 0;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, double> known;
    for (const PhysicalCosts::Edge& edge : costs.edges()) {
        const std::int32_t from = problem_.vertices[toIndex(edge.from)], to = problem_.vertices[toIndex(edge.to)];
        const auto [found, isNew] = known.try_emplace({edge.alike, from, to}, 0);
        if (isNew) found->second = costs.handOver(edge, ways_[toIndex(from)].front(), ways_[toIndex(to)].front());
        moved += found->second;
    }
    return std::max(sum.first, sum.second) + moved;
}

/// A plan takes what its vertices take at least, and for one of them what its way takes: hand-overs only add to it.
void ShardedProblem::prune(double better, std::size_t max) {
    std::vector<double> min;
    for (const std::vector<JointCost>& kind : problem_.kinds)
        min.push_back(std::min_element(kind.begin(), kind.end(), [](const JointCost& a, const JointCost& b) {
                          return a.first < b.first;
                      })->first);
    double slack = better;
    for (const std::int32_t kind : problem_.vertices) slack -= min[toIndex(kind)];
    constexpr double kRounding = 1e-9;
    slack += kRounding * (better < kInfinity ? better : 0);
    for (std::size_t k = 0; k < problem_.kinds.size(); ++k) {
        const std::vector<JointCost>& own = problem_.kinds[k];
        std::vector<std::size_t> order;
        for (std::size_t s = 0; s < own.size(); ++s)
            if (s == 0 || own[s].first - min[k] <= slack) order.push_back(s);
        if (order.size() > max) {
            leavesOut_ = true;
            std::stable_sort(order.begin() + 1, order.end(),
                             [&](std::size_t a, std::size_t b) { return own[a].first < own[b].first; });
            order.resize(max);
        }
        std::vector<JointCost> keptCosts;
        std::vector<Sharding> keptWays;
        for (const std::size_t at : order) {
            keptCosts.push_back(own[at]);
            keptWays.push_back(ways_[k][at]);
        }
        problem_.kinds[k] = std::move(keptCosts);
        ways_[k] = std::move(keptWays);
    }
}

void ShardedProblem::addTables(const PhysicalCosts& costs) {
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int32_t> tables;
    for (const PhysicalCosts::Edge& edge : costs.edges()) {
        // Gathered tensors stand behind the layers that read them.
        const bool flips = edge.from > edge.to;
        const std::int32_t from = problem_.vertices[toIndex(edge.from)], to = problem_.vertices[toIndex(edge.to)];
        const auto [found, isNew] =
            tables.try_emplace({edge.alike, from, to}, static_cast<std::int32_t>(problem_.tables.size()));
        if (isNew) {
            std::vector<double> table = costs.handOvers(edge, ways_[toIndex(from)], ways_[toIndex(to)]);
            const std::size_t rows = ways_[toIndex(from)].size(), columns = ways_[toIndex(to)].size();
            if (flips) {
                std::vector<double> turned(table.size());
                for (std::size_t r = 0; r < rows; ++r)
                    for (std::size_t c = 0; c < columns; ++c) turned[c * rows + r] = table[r * columns + c];
                table = std::move(turned);
            }
            problem_.tables.push_back(std::move(table));
        }
        problem_.edges.push_back({std::min(edge.from, edge.to), std::max(edge.from, edge.to), found->second});
    }
}

std::vector<Sharding> ShardedProblem::shardings(const std::vector<std::int32_t>& states) const {
    std::vector<Sharding> shardings;
    for (std::size_t v = 0; v < states.size(); ++v)
        shardings.push_back(ways_[toIndex(problem_.vertices[v])][toIndex(states[v])]);
    return shardings;
}

}  // namespace tessera::partition

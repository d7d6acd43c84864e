#include "core/partition/sharded_problem.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

ShardedProblem::ShardedProblem(const PhysicalCosts& costs, const Ways& ways, const Weigh& weigh, std::size_t most) {
    std::map<std::pair<std::int32_t, std::vector<Sharding>>, std::int32_t> known;
    const std::size_t vertices = costs.vertices().size();
    for (std::size_t v = 0; v < vertices; ++v) {
        std::vector<Sharding> list = ways(signedIndex(v));
        const auto [found, isNew] =
            known.try_emplace({costs.kinds()[v], list}, static_cast<std::int32_t>(problem_.kinds.size()));
        problem_.vertices.push_back(found->second);
        if (!isNew) continue;
        std::vector<JointCost> own;
        for (const Sharding& sharding : list) own.push_back(weigh(costs.shard(signedIndex(v), sharding)));
        std::vector<std::size_t> order(list.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (list.size() > most) {
            leavesOut_ = true;
            std::stable_sort(order.begin() + 1, order.end(),
                             [&](std::size_t a, std::size_t b) { return own[a].first < own[b].first; });
            order.resize(most);
        }
        problem_.kinds.emplace_back();
        ways_.emplace_back();
        for (const std::size_t at : order) {
            problem_.kinds.back().push_back(own[at]);
            ways_.back().push_back(std::move(list[at]));
        }
    }
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

#include "core/partition/joint_elimination.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

/// Factor tables as the inner loop reads them: by the vertices of the message but the last, then the eliminated one,
/// then the last.
struct ArrangedFactor {
    std::vector<double> table = {};
    std::vector<std::size_t> outer =
        {};                 ///< stride by vertex of the message but the last; 0 where it does not depend on it
    std::size_t state = 0;  ///< stride of the eliminated vertex
    bool hasLast = false;   ///< whether it depends on the last vertex, whose stride is 1
};

}  // namespace

JointElimination::JointElimination(const JointProblem& problem, std::function<void()> poll)
    : problem_(&problem), poll_(std::move(poll)), tables_(problem.tables) {
    orderVertices();
}

std::size_t JointElimination::statesOf(std::int32_t vertex) const {
    return problem_->kinds[toIndex(problem_->vertices[toIndex(vertex)])].size();
}

double JointElimination::entriesOf(const std::vector<std::int32_t>& scope) const {
    double entries = 1;
    for (const std::int32_t vertex : scope) entries *= static_cast<double>(statesOf(vertex));
    return entries;
}

/// The vertex whose elimination looks at the fewest entries comes first, ties by number.
void JointElimination::orderVertices() {
    const std::size_t count = problem_->vertices.size();
    std::vector<std::set<std::int32_t>> near(count);
    for (const JointProblem::Edge& edge : problem_->edges) {
        near[toIndex(edge.from)].insert(edge.to);
        near[toIndex(edge.to)].insert(edge.from);
    }
    const auto priceOf = [&](std::int32_t vertex) {
        auto price = static_cast<double>(statesOf(vertex));
        for (const std::int32_t other : near[toIndex(vertex)]) price *= static_cast<double>(statesOf(other));
        return price;
    };
    std::set<std::pair<double, std::int32_t>> queue;
    std::vector<double> prices(count);
    for (std::size_t v = 0; v < count; ++v) {
        prices[v] = priceOf(static_cast<std::int32_t>(v));
        queue.emplace(prices[v], static_cast<std::int32_t>(v));
    }
    rank_.resize(count);
    constexpr std::size_t kMaxFilled = 64;  // wider buckets are parted, so that what they fill hardly matters
    while (!queue.empty()) {
        const std::int32_t next = queue.begin()->second;
        queue.erase(queue.begin());
        rank_[toIndex(next)] = static_cast<std::int32_t>(order_.size());
        order_.push_back(next);
        const std::set<std::int32_t> left = std::move(near[toIndex(next)]);
        for (const std::int32_t vertex : left) {
            std::set<std::int32_t>& others = near[toIndex(vertex)];
            others.erase(next);
            if (left.size() <= kMaxFilled) others.insert(left.begin(), left.end());
            others.erase(vertex);
        }
        for (const std::int32_t vertex : left) {
            queue.erase({prices[toIndex(vertex)], vertex});
            prices[toIndex(vertex)] = priceOf(vertex);
            queue.emplace(prices[toIndex(vertex)], vertex);
        }
    }
}

void JointElimination::weigh(const Weights& weights, const std::vector<std::vector<bool>>& forbidden) {
    unaries_.clear();
    for (const std::vector<JointCost>& kind : problem_->kinds) {
        Table& unary = unaries_.emplace_back();
        for (const JointCost& cost : kind)
            unary.push_back(weights.first * cost.first + weights.second * cost.second + weights.memory * cost.memory);
    }
    unary_ = problem_->vertices;
    for (std::size_t v = 0; v < forbidden.size(); ++v) {
        if (forbidden[v].empty()) continue;
        Table own = unaries_[toIndex(unary_[v])];
        for (std::size_t s = 0; s < own.size(); ++s)
            if (forbidden[v][s]) own[s] = kForbidden;
        unary_[v] = static_cast<std::int32_t>(unaries_.size());
        unaries_.push_back(std::move(own));
    }
}

void JointElimination::weighTables(bool counts) {
    if (counts == countsTables_) return;
    countsTables_ = counts;
    for (std::size_t t = 0; t < problem_->tables.size(); ++t) {
        tables_[t] = problem_->tables[t];
        if (counts) continue;
        for (double& cost : tables_[t]) cost = cost == kForbidden ? cost : 0;
    }
}

void JointElimination::place(Factor factor) {
    const std::int32_t first =
        *std::min_element(factor.scope.begin(), factor.scope.end(),
                          [&](std::int32_t a, std::int32_t b) { return rank_[toIndex(a)] < rank_[toIndex(b)]; });
    buckets_[toIndex(first)].push_back(std::move(factor));
}

JointElimination::Outcome JointElimination::minimise(const Weights& weights,
                                                     const std::vector<std::vector<bool>>& forbidden) {
    weigh(weights, forbidden);
    weighTables(weights.first > 0 || weights.second > 0);
    tables_.resize(problem_->tables.size());
    known_.clear();
    buckets_.assign(problem_->vertices.size(), {});
    constant_ = 0;
    exact_ = true;
    for (const JointProblem::Edge& edge : problem_->edges) place({{edge.from, edge.to}, edge.table});
    constexpr double kEntriesOfVertex = 1e3;  // looked at in the time that its bucket takes
    spend(kEntriesOfVertex * static_cast<double>(order_.size()));
    for (const std::int32_t vertex : order_) {
        const std::vector<Bucket> parts = parted(vertex, buckets_[toIndex(vertex)]);
        exact_ = exact_ && parts.size() == 1;
        for (std::size_t p = 0; p < parts.size(); ++p) eliminate(vertex, parts[p], p == 0);
    }
    Outcome outcome{constant_, exact_, std::vector<std::int32_t>(problem_->vertices.size(), 0)};
    for (std::size_t n = order_.size(); n-- > 0;)
        outcome.states[toIndex(order_[n])] = bestState(order_[n], outcome.states);
    return outcome;
}

/// The bucket in parts whose messages are not too large; at least one.
std::vector<JointElimination::Bucket> JointElimination::parted(std::int32_t vertex, const Bucket& bucket) {
    std::vector<Bucket> parts(1);
    std::vector<std::vector<std::int32_t>> scopes(1, {vertex});
    const double max = kLargestMessage * static_cast<double>(statesOf(vertex));
    for (const Factor& factor : bucket) {
        bool isPlaced = false;
        for (std::size_t p = 0; p < parts.size() && !isPlaced; ++p) {
            std::vector<std::int32_t> scope;
            std::set_union(scopes[p].begin(), scopes[p].end(), factor.scope.begin(), factor.scope.end(),
                           std::back_inserter(scope));
            if (entriesOf(scope) > max && !parts[p].empty()) continue;
            parts[p].push_back(factor);
            scopes[p] = std::move(scope);
            isPlaced = true;
        }
        if (isPlaced) continue;
        parts.push_back({factor});
        scopes.push_back(factor.scope);
    }
    return parts;
}

void JointElimination::eliminate(std::int32_t vertex, const Bucket& bucket, bool withUnary) {
    std::vector<std::int32_t> scope;
    for (const Factor& factor : bucket) {
        std::vector<std::int32_t> both;
        std::set_union(scope.begin(), scope.end(), factor.scope.begin(), factor.scope.end(), std::back_inserter(both));
        scope = std::move(both);
    }
    scope.erase(std::remove(scope.begin(), scope.end(), vertex), scope.end());
    const std::int32_t table = message(vertex, bucket, scope, withUnary);
    if (scope.empty())
        constant_ += tables_[toIndex(table)].front();
    else
        place({std::move(scope), table});
}

std::int32_t JointElimination::message(std::int32_t vertex, const Bucket& bucket,
                                       const std::vector<std::int32_t>& scope, bool withUnary) {
    const auto placeOf = [&](std::int32_t other) {
        return other == vertex
                   ? std::int32_t{-1}
                   : static_cast<std::int32_t>(std::lower_bound(scope.begin(), scope.end(), other) - scope.begin());
    };
    std::vector<std::int32_t> key{withUnary ? unary_[toIndex(vertex)] : -1 - problem_->vertices[toIndex(vertex)]};
    for (const std::int32_t other : scope) key.push_back(static_cast<std::int32_t>(statesOf(other)));
    for (const Factor& factor : bucket) {
        key.push_back(-2);
        key.push_back(factor.table);
        for (const std::int32_t other : factor.scope) key.push_back(placeOf(other));
    }
    const auto [found, isNew] = known_.emplace(std::move(key), static_cast<std::int32_t>(tables_.size()));
    if (isNew) tables_.push_back(combined(vertex, bucket, scope, withUnary));
    return found->second;
}

/// A factor's table with its vertices in another order.
JointElimination::Table JointElimination::arranged(const Factor& factor, const std::vector<std::int32_t>& order) const {
    const Table& table = tables_[toIndex(factor.table)];
    if (order == factor.scope) return table;
    std::vector<std::size_t> strides(order.size()), extents(order.size()), at(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        extents[i] = statesOf(order[i]);
        std::size_t stride = 1;
        for (std::size_t k = factor.scope.size(); factor.scope[k - 1] != order[i]; --k)
            stride *= statesOf(factor.scope[k - 1]);
        strides[i] = stride;
    }
    Table result;
    result.reserve(table.size());
    std::size_t offset = 0;
    while (result.size() < table.size()) {
        result.push_back(table[offset]);
        for (std::size_t i = order.size(); i-- > 0;) {
            offset += strides[i];
            if (++at[i] < extents[i]) break;
            offset -= strides[i] * extents[i];
            at[i] = 0;
        }
    }
    return result;
}

JointElimination::Table JointElimination::combined(std::int32_t vertex, const Bucket& bucket,
                                                   const std::vector<std::int32_t>& scope, bool withUnary) {
    const std::size_t states = statesOf(vertex);
    const bool isLone = scope.empty();
    const std::size_t last = isLone ? 1 : statesOf(scope.back());
    std::vector<std::int32_t> outer(scope.begin(), isLone ? scope.end() : scope.end() - 1);
    std::vector<ArrangedFactor> scalars, rows;
    for (const Factor& factor : bucket) {
        std::vector<std::int32_t> order;
        for (const std::int32_t other : outer)
            if (std::binary_search(factor.scope.begin(), factor.scope.end(), other)) order.push_back(other);
        order.push_back(vertex);
        ArrangedFactor part{.hasLast =
                                !isLone && std::binary_search(factor.scope.begin(), factor.scope.end(), scope.back())};
        if (part.hasLast) order.push_back(scope.back());
        part.table = arranged(factor, order);
        part.state = part.hasLast ? last : 1;
        part.outer.assign(outer.size(), 0);
        std::size_t stride = part.state * states;
        for (std::size_t i = outer.size(); i-- > 0;)
            if (std::binary_search(factor.scope.begin(), factor.scope.end(), outer[i])) {
                part.outer[i] = stride;
                stride *= statesOf(outer[i]);
            }
        (part.hasLast ? rows : scalars).push_back(std::move(part));
    }
    Table result(static_cast<std::size_t>(entriesOf(scope)), kForbidden);
    const Table none(states, 0);
    const Table& unary = withUnary ? unaries_[toIndex(unary_[toIndex(vertex)])] : none;
    std::vector<std::size_t> at(outer.size(), 0);
    Table sums(last);
    for (std::size_t begin = 0; begin < result.size(); begin += last) {
        const auto offsetOf = [&](const ArrangedFactor& part, std::size_t state) {
            std::size_t offset = part.state * state;
            for (std::size_t i = 0; i < outer.size(); ++i) offset += part.outer[i] * at[i];
            return offset;
        };
        double* out = result.data() + begin;
        for (std::size_t s = 0; s < states; ++s) {
            double cost = unary[s];
            for (const ArrangedFactor& part : scalars) cost += part.table[offsetOf(part, s)];
            if (cost == kForbidden) continue;
            if (rows.empty()) {
                for (std::size_t j = 0; j < last; ++j) out[j] = std::min(out[j], cost);
                continue;
            }
            const double* row = rows.front().table.data() + offsetOf(rows.front(), s);
            if (rows.size() == 1) {
                for (std::size_t j = 0; j < last; ++j) out[j] = std::min(out[j], cost + row[j]);
                continue;
            }
            for (std::size_t j = 0; j < last; ++j) sums[j] = cost + row[j];
            for (std::size_t r = 1; r < rows.size(); ++r) {
                const double* more = rows[r].table.data() + offsetOf(rows[r], s);
                for (std::size_t j = 0; j < last; ++j) sums[j] += more[j];
            }
            for (std::size_t j = 0; j < last; ++j) out[j] = std::min(out[j], sums[j]);
        }
        spend(static_cast<double>(states * last));
        for (std::size_t i = outer.size(); i-- > 0;) {
            if (++at[i] < statesOf(outer[i])) break;
            at[i] = 0;
        }
    }
    return result;
}

/// The first of the best states of a vertex, those of all vertices that share a factor with it being known.
std::int32_t JointElimination::bestState(std::int32_t vertex, const std::vector<std::int32_t>& states) const {
    const Table& unary = unaries_[toIndex(unary_[toIndex(vertex)])];
    Table costs = unary;
    for (const Factor& factor : buckets_[toIndex(vertex)]) {
        std::size_t offset = 0, own = 0;
        for (const std::int32_t other : factor.scope) {
            offset = offset * statesOf(other) + (other == vertex ? 0 : toIndex(states[toIndex(other)]));
            own = other == vertex ? 1 : own * statesOf(other);
        }
        for (std::size_t s = 0; s < costs.size(); ++s) costs[s] += tables_[toIndex(factor.table)][offset + own * s];
    }
    return static_cast<std::int32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

void JointElimination::spend(double entries) {
    spent_ += entries;
    sincePoll_ += entries;
    constexpr double kEntriesOfPoll = 1e6;
    if (sincePoll_ < kEntriesOfPoll) return;
    sincePoll_ = 0;
    if (poll_) poll_();
}

}  // namespace tessera::partition

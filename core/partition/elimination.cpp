#include "core/partition/elimination.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "core/base/number.h"
#include "core/base/poll.h"

namespace tessera::partition {

namespace {

constexpr int kStates = 3;
constexpr std::size_t kPairStates = 9;

std::size_t power3(std::size_t exponent) {
    std::size_t result = 1;
    while (exponent-- > 0) result *= kStates;
    return result;
}

/// The interaction graph while variables are eliminated: sorted neighbour lists.
class ShrinkingGraph {
public:
    explicit ShrinkingGraph(std::int32_t variables) : neighbours_(static_cast<std::size_t>(variables)) {}

    const std::vector<std::int32_t>& of(std::int32_t v) const { return neighbours_[static_cast<std::size_t>(v)]; }
    bool joined(std::int32_t a, std::int32_t b) const { return std::binary_search(of(a).begin(), of(a).end(), b); }
    void join(std::int32_t a, std::int32_t b) {
        insert(a, b);
        insert(b, a);
    }
    void remove(std::int32_t v) {
        for (const std::int32_t u : of(v)) erase(u, v);
        neighbours_[static_cast<std::size_t>(v)].clear();
    }
    /// Edges that eliminating v would add. Assumed complete for high degrees, where counting costs more than it tells.
    std::int64_t fill(std::int32_t v) const {
        constexpr std::size_t kCounted = 40;
        const auto& around = of(v);
        const auto degree = static_cast<std::int64_t>(around.size());
        if (around.size() > kCounted) return degree * (degree - 1) / 2;
        std::int64_t missing = 0;
        for (std::size_t i = 0; i < around.size(); ++i)
            for (std::size_t j = i + 1; j < around.size(); ++j)
                if (!joined(around[i], around[j])) ++missing;
        return missing;
    }

private:
    void insert(std::int32_t at, std::int32_t v) {
        auto& list = neighbours_[static_cast<std::size_t>(at)];
        const auto place = std::lower_bound(list.begin(), list.end(), v);
        if (place == list.end() || *place != v) list.insert(place, v);
    }
    void erase(std::int32_t at, std::int32_t v) {
        auto& list = neighbours_[static_cast<std::size_t>(at)];
        const auto place = std::lower_bound(list.begin(), list.end(), v);
        if (place != list.end() && *place == v) list.erase(place);
    }
    std::vector<std::vector<std::int32_t>> neighbours_;
};

}  // namespace

EliminationPlan::EliminationPlan(std::int32_t variables,
                                 const std::vector<std::pair<std::int32_t, std::int32_t>>& edges)
    : variables_(variables) {
    edgeSlots_.reserve(edges.size());
    for (const auto& [a, b] : edges) {
        poll();
        edgeSlots_.push_back({pairIndex(a, b), a > b});
    }
    givenPairs_ = pairs_.size();
    // Where the order gets too wide, the busiest variables are fixed and the rest ordered anew. The number of variables
    // fixed doubles with every attempt, so that dense graphs end soon.
    for (std::size_t more = 1; !order(); more *= 2) condition(more);
    for (std::size_t k = 0; k < conditioned_.size(); ++k) {
        auto& joined = conditionedPairs_.emplace_back();
        poll(1 + givenPairs_ / 1000);
        for (std::size_t p = 0; p < givenPairs_; ++p) {
            const auto [a, b] = pairs_[p];
            if (a != conditioned_[k] && b != conditioned_[k]) continue;
            const std::int32_t other = a == conditioned_[k] ? b : a;
            const auto earlier = conditioned_.begin() + static_cast<std::ptrdiff_t>(k);
            if (std::find(conditioned_.begin(), earlier, other) == earlier)
                joined.push_back(static_cast<std::int32_t>(p));
        }
    }
    index_.clear();
    if (conditioned_.empty()) return;
    pairsOf_.resize(static_cast<std::size_t>(variables_));
    for (std::size_t p = 0; p < givenPairs_; ++p)
        for (const std::int32_t end : {pairs_[p].first, pairs_[p].second})
            pairsOf_[static_cast<std::size_t>(end)].push_back(static_cast<std::int32_t>(p));
}

std::int32_t EliminationPlan::pairIndex(std::int32_t a, std::int32_t b) {
    const auto key = std::pair<std::int32_t, std::int32_t>(std::minmax(a, b));
    const auto [place, added] = index_.try_emplace(key, static_cast<std::int32_t>(pairs_.size()));
    if (added) pairs_.push_back(key);
    return place->second;
}

std::int32_t EliminationPlan::pairOf(std::int32_t a, std::int32_t b) const {
    const auto found = index_.find(std::pair<std::int32_t, std::int32_t>(std::minmax(a, b)));
    return found == index_.end() ? -1 : found->second;
}

EliminationPlan::Range EliminationPlan::keep(const std::vector<std::int32_t>& list) {
    const Range range{static_cast<std::uint32_t>(lists_.size()), static_cast<std::uint32_t>(list.size())};
    lists_.insert(lists_.end(), list.begin(), list.end());
    return range;
}

/// Fixes the `count` variables with most neighbours among those that are not fixed yet.
void EliminationPlan::condition(std::size_t count) {
    std::vector<std::int32_t> degree(static_cast<std::size_t>(variables_), 0);
    std::vector<bool> isFixed(static_cast<std::size_t>(variables_), false);
    for (const std::int32_t v : conditioned_) isFixed[static_cast<std::size_t>(v)] = true;
    for (std::size_t p = 0; p < givenPairs_; ++p) {
        const auto a = static_cast<std::size_t>(pairs_[p].first);
        const auto b = static_cast<std::size_t>(pairs_[p].second);
        if (isFixed[a] || isFixed[b]) continue;
        ++degree[a];
        ++degree[b];
    }
    std::vector<std::int32_t> free;
    for (std::int32_t v = 0; v < variables_; ++v)
        if (!isFixed[static_cast<std::size_t>(v)]) free.push_back(v);
    std::stable_sort(free.begin(), free.end(), [&](std::int32_t a, std::int32_t b) {
        return degree[static_cast<std::size_t>(a)] > degree[static_cast<std::size_t>(b)];
    });
    free.resize(std::min(count, free.size()));
    conditioned_.insert(conditioned_.end(), free.begin(), free.end());
}

/// Orders the variables that are not fixed; false where a scope of more than kWidest variables comes up.
bool EliminationPlan::order() {
    steps_.clear();
    lists_.clear();
    tableSize_ = 0;
    width_ = 0;
    std::vector<bool> gone(static_cast<std::size_t>(variables_), false);
    for (const std::int32_t v : conditioned_) gone[static_cast<std::size_t>(v)] = true;
    ShrinkingGraph graph(variables_);
    for (std::size_t p = 0; p < givenPairs_; ++p) {
        const auto [a, b] = pairs_[p];
        if (!gone[static_cast<std::size_t>(a)] && !gone[static_cast<std::size_t>(b)]) graph.join(a, b);
    }
    using Candidate = std::tuple<std::int64_t, std::size_t, std::int32_t>;  // fill, degree, variable
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto push = [&](std::int32_t v) { queue.emplace(graph.fill(v), graph.of(v).size(), v); };
    for (std::int32_t v = 0; v < variables_; ++v)
        if (!gone[static_cast<std::size_t>(v)]) push(v);
    std::vector<std::vector<std::int32_t>> tablesOf(static_cast<std::size_t>(variables_));

    while (!queue.empty()) {
        const auto [fill, degree, v] = queue.top();
        queue.pop();
        poll(2);
        if (gone[static_cast<std::size_t>(v)]) continue;
        if (fill != graph.fill(v) || degree != graph.of(v).size()) {
            push(v);
            continue;
        }
        if (degree > static_cast<std::size_t>(kWidest)) return false;
        Step step;
        step.variable = v;
        const std::vector<std::int32_t> scope = graph.of(v);
        std::vector<std::int32_t> scopePairs;
        for (const std::int32_t u : scope) scopePairs.push_back(pairOf(v, u));
        const std::vector<std::int32_t> tables = tablesOf[static_cast<std::size_t>(v)];
        step.scope = keep(scope);
        step.pairs = keep(scopePairs);
        step.tables = keep(tables);
        width_ = std::max(width_, static_cast<int>(scope.size()));
        const auto number = static_cast<std::int32_t>(steps_.size());
        if (scope.size() == 2) step.target = pairIndex(scope[0], scope[1]);
        if (scope.size() > 2) {
            step.offset = tableSize_;
            tableSize_ += power3(scope.size());
            for (const std::int32_t u : scope) tablesOf[static_cast<std::size_t>(u)].push_back(number);
        }
        // A consumed table no longer waits at its other variables.
        for (const std::int32_t table : tables)
            for (const std::int32_t u : listOf(steps_[static_cast<std::size_t>(table)].scope))
                std::erase(tablesOf[static_cast<std::size_t>(u)], table);
        for (std::size_t i = 0; i < scope.size(); ++i)
            for (std::size_t j = i + 1; j < scope.size(); ++j) graph.join(scope[i], scope[j]);
        graph.remove(v);
        gone[static_cast<std::size_t>(v)] = true;
        for (const std::int32_t u : scope) push(u);
        steps_.push_back(step);
    }
    return true;
}

Elimination::Elimination(const EliminationPlan& plan, ThreadProgress* watch)
    : plan_(&plan),
      watch_(watch),
      unary_(static_cast<std::size_t>(plan.variables_) * kStates),
      pair_(plan.pairs_.size() * kStates * kStates),
      tables_(plan.tableSize_),
      states_(static_cast<std::size_t>(plan.variables_)),
      favourites_(plan.steps_.size() * kStates) {}

void Elimination::begin() {
    std::fill(unary_.begin(), unary_.end(), 0.0);
    // The costs of given pairs are written, not added to: they are most of the memory.
    std::fill(pair_.begin() + static_cast<std::ptrdiff_t>(plan_->givenPairs_ * kPairStates), pair_.end(), 0.0);
}

namespace {

/// Cost of the pair for a state of `v` and a state of `u`.
double at(const double* costs, bool vIsFirst, int sv, int su) {
    return vIsFirst ? costs[sv * kStates + su] : costs[su * kStates + sv];
}

int min(const std::array<double, kStates>& costs) {
    int best = 0;
    for (int s = 1; s < kStates; ++s)
        if (costs[static_cast<std::size_t>(s)] < costs[static_cast<std::size_t>(best)]) best = s;
    return best;
}

}  // namespace

void Elimination::spend(std::size_t cost) {
    constexpr std::size_t kOften = 30'000;
    spent_ += cost;
    if (spent_ < kOften) return;
    spent_ = 0;
    if (watch_ != nullptr) watch_->poll();
}

double Elimination::eliminate() {
    // A neighbour without a pair of its own costs nothing.
    static constexpr std::array<double, kPairStates> kFree{};
    spend(plan_->steps_.size());
    double constant = 0;
    std::uint8_t* favourites = favourites_.data();
    for (const EliminationPlan::Step& step : plan_->steps_) {
        std::uint8_t* const favourite = favourites;
        favourites += kStates;
        const double* own = unary(step.variable);
        const std::span<const std::int32_t> scope = plan_->listOf(step.scope);
        const std::span<const std::int32_t> pairs = plan_->listOf(step.pairs);
        const std::size_t neighbours = scope.size();
        if (neighbours > 2 || step.tables.count > 0) {
            eliminateWide(step);
            if (neighbours == 0) constant += work_[0];
        } else if (neighbours == 0) {
            constant += std::min({own[0], own[1], own[2]});
        } else if (neighbours == 1) {
            const std::int32_t u = scope[0];
            const double* joint = pairs[0] >= 0 ? pair(pairs[0]) : kFree.data();
            const bool first = step.variable < u;
            double* message = unary(u);
            for (int su = 0; su < kStates; ++su) {
                std::array<double, kStates> costs{};
                for (int sv = 0; sv < kStates; ++sv)
                    costs[static_cast<std::size_t>(sv)] = own[sv] + at(joint, first, sv, su);
                const int best = min(costs);
                favourite[su] = static_cast<std::uint8_t>(best);
                message[su] += costs[static_cast<std::size_t>(best)];
            }
        } else {
            const bool firstA = step.variable < scope[0];
            const bool firstB = step.variable < scope[1];
            const double* jointA = pairs[0] >= 0 ? pair(pairs[0]) : kFree.data();
            const double* jointB = pairs[1] >= 0 ? pair(pairs[1]) : kFree.data();
            double* message = pair(step.target);
            for (int sa = 0; sa < kStates; ++sa) {
                std::array<double, kStates> withA{};
                for (int sv = 0; sv < kStates; ++sv)
                    withA[static_cast<std::size_t>(sv)] = own[sv] + at(jointA, firstA, sv, sa);
                for (int sb = 0; sb < kStates; ++sb) {
                    double best = kInfinity;
                    for (int sv = 0; sv < kStates; ++sv)
                        best = std::min(best, withA[static_cast<std::size_t>(sv)] + at(jointB, firstB, sv, sb));
                    message[sa * kStates + sb] += best;
                }
            }
        }
    }
    return constant;
}

void Elimination::eliminateWide(const EliminationPlan::Step& step) {
    const std::span<const std::int32_t> scope = plan_->listOf(step.scope);
    const std::span<const std::int32_t> pairs = plan_->listOf(step.pairs);
    spend(power3(scope.size()) * (scope.size() + step.tables.count + 1));
    // work_[index * 3 + sv], the scope's states being the ternary digits of index, first variable lowest.
    const std::size_t size = power3(scope.size());
    work_.resize(size * kStates);
    const double* own = unary(step.variable);
    for (std::size_t i = 0; i < size; ++i)
        for (int s = 0; s < kStates; ++s) work_[i * kStates + static_cast<std::size_t>(s)] = own[s];
    std::size_t stride = 1;
    for (std::size_t n = 0; n < scope.size(); ++n, stride *= kStates) {
        if (pairs[n] < 0) continue;
        const double* joint = pair(pairs[n]);
        const bool first = step.variable < scope[n];
        for (std::size_t block = 0, su = 0; block < size; block += stride, su = (su + 1) % kStates) {
            const std::array<double, kStates> costs{at(joint, first, 0, static_cast<int>(su)),
                                                    at(joint, first, 1, static_cast<int>(su)),
                                                    at(joint, first, 2, static_cast<int>(su))};
            for (std::size_t i = block; i < block + stride; ++i)
                for (std::size_t sv = 0; sv < kStates; ++sv) work_[i * kStates + sv] += costs[sv];
        }
    }
    for (const std::int32_t number : plan_->listOf(step.tables)) {
        const EliminationPlan::Step& source = plan_->steps_[static_cast<std::size_t>(number)];
        const double* table = &tables_[source.offset];
        // Stride in the source table of the variable itself and of each digit of the index.
        std::size_t ownStride = 0;
        std::vector<std::size_t> strides(scope.size(), 0);
        std::size_t sourceStride = 1;
        for (const std::int32_t u : plan_->listOf(source.scope)) {
            if (u == step.variable)
                ownStride = sourceStride;
            else
                strides[static_cast<std::size_t>(std::lower_bound(scope.begin(), scope.end(), u) - scope.begin())] =
                    sourceStride;
            sourceStride *= kStates;
        }
        std::vector<int> digits(scope.size(), 0);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t sv = 0; sv < kStates; ++sv) work_[i * kStates + sv] += table[offset + sv * ownStride];
            for (std::size_t d = 0; d < digits.size(); ++d) {
                offset += strides[d];
                if (++digits[d] < kStates) break;
                digits[d] = 0;
                offset -= kStates * strides[d];
            }
        }
    }
    const auto best = [&](std::size_t i) {
        return std::min({work_[i * kStates], work_[i * kStates + 1], work_[i * kStates + 2]});
    };
    if (scope.empty()) {
        work_[0] = best(0);
    } else if (scope.size() == 1) {
        double* message = unary(scope[0]);
        for (std::size_t i = 0; i < size; ++i) message[i] += best(i);
    } else if (scope.size() == 2) {
        double* message = pair(step.target);
        for (std::size_t a = 0; a < kStates; ++a)
            for (std::size_t b = 0; b < kStates; ++b) message[a * kStates + b] += best(a + b * kStates);
    } else {
        for (std::size_t i = 0; i < size; ++i) tables_[step.offset + i] = best(i);
    }
}

double Elimination::wideValue(const EliminationPlan::Step& step, std::uint8_t state) const {
    double value = 0;
    for (const std::int32_t number : plan_->listOf(step.tables)) {
        const EliminationPlan::Step& source = plan_->steps_[static_cast<std::size_t>(number)];
        std::size_t index = 0;
        std::size_t stride = 1;
        for (const std::int32_t u : plan_->listOf(source.scope)) {
            index += stride * (u == step.variable ? state : states_[static_cast<std::size_t>(u)]);
            stride *= kStates;
        }
        value += tables_[source.offset + index];
    }
    return value;
}

void Elimination::decode() {
    for (std::size_t k = plan_->steps_.size(); k-- > 0;) {
        const EliminationPlan::Step* step = &plan_->steps_[k];
        std::array<double, kStates> costs{};
        const std::span<const std::int32_t> scope = plan_->listOf(step->scope);
        if (scope.size() == 1 && step->tables.count == 0) {
            states_[static_cast<std::size_t>(step->variable)] =
                favourites_[k * kStates + states_[static_cast<std::size_t>(scope[0])]];
            continue;
        }
        const std::span<const std::int32_t> pairs = plan_->listOf(step->pairs);
        const double* own = unary(step->variable);
        for (int s = 0; s < kStates; ++s) {
            double cost = own[s];
            for (std::size_t n = 0; n < scope.size(); ++n) {
                if (pairs[n] < 0) continue;
                const std::int32_t u = scope[n];
                cost += at(pair(pairs[n]), step->variable < u, s, states_[static_cast<std::size_t>(u)]);
            }
            if (step->tables.count > 0) cost += wideValue(*step, static_cast<std::uint8_t>(s));
            costs[static_cast<std::size_t>(s)] = cost;
        }
        states_[static_cast<std::size_t>(step->variable)] = static_cast<std::uint8_t>(min(costs));
    }
}

Elimination::Outcome Elimination::minimise(std::int64_t nodeLimit) {
    if (!plan_->conditioned_.empty()) return branch(nodeLimit);
    Outcome outcome;
    outcome.value = eliminate();
    outcome.lowerBound = outcome.value;
    decode();
    return outcome;
}

/// Cost of an assignment, of the costs as they were given.
double Elimination::costOf(const std::vector<std::uint8_t>& states) const {
    double cost = 0;
    for (std::size_t v = 0; v < states.size(); ++v) cost += givenUnary_[v * kStates + states[v]];
    for (std::size_t p = 0; p < plan_->givenPairs_; ++p) {
        const auto [a, b] = plan_->pairs_[p];
        cost += givenPair_[p * kPairStates + static_cast<std::size_t>(states[static_cast<std::size_t>(a)]) * kStates +
                           states[static_cast<std::size_t>(b)]];
    }
    return cost;
}

/// What one variable's state costs, given all others.
double Elimination::conditionalCost(const std::vector<std::uint8_t>& states, std::int32_t variable, int state) const {
    double cost = givenUnary_[static_cast<std::size_t>(variable) * kStates + static_cast<std::size_t>(state)];
    for (const std::int32_t p : plan_->pairsOf_[static_cast<std::size_t>(variable)]) {
        const auto [a, b] = plan_->pairs_[static_cast<std::size_t>(p)];
        const bool first = a == variable;
        cost += at(&givenPair_[static_cast<std::size_t>(p) * kPairStates], first, state,
                   states[static_cast<std::size_t>(first ? b : a)]);
    }
    return cost;
}

/// Changes one variable at a time while that helps.
void Elimination::improve(std::vector<std::uint8_t>& states) const {
    constexpr int kMaxRounds = 20;
    bool improved = true;
    for (int round = 0; improved && round < kMaxRounds; ++round) {
        improved = false;
        for (std::int32_t v = 0; v < plan_->variables_; ++v) {
            std::array<double, kStates> costs{};
            for (int s = 0; s < kStates; ++s) costs[static_cast<std::size_t>(s)] = conditionalCost(states, v, s);
            const int best = min(costs);
            std::uint8_t& state = states[static_cast<std::size_t>(v)];
            if (costs[static_cast<std::size_t>(best)] >= costs[state]) continue;
            state = static_cast<std::uint8_t>(best);
            improved = true;
        }
    }
}

/// One pass of sequential tree-reweighted message passing over the variables in rising or falling order; returns the
/// lower bound that holds after a falling one. Kolmogorov: "Convergent tree-reweighted message passing for energy
/// minimization", IEEE PAMI 28(10), 2006.
double Elimination::sendMessages(bool forward) {
    double bound = 0;
    for (std::int32_t k = 0; k < plan_->variables_; ++k) {
        const std::int32_t v = forward ? k : plan_->variables_ - 1 - k;
        const std::vector<std::int32_t>& around = plan_->pairsOf_[static_cast<std::size_t>(v)];
        std::array<double, kStates> own{};
        std::copy_n(&givenUnary_[static_cast<std::size_t>(v) * kStates], kStates, own.begin());
        std::size_t later = 0;
        for (const std::int32_t p : around) {
            const bool first = plan_->pairs_[static_cast<std::size_t>(p)].first == v;
            later += first ? 1 : 0;
            for (std::size_t s = 0; s < kStates; ++s)
                own[s] += messages_[static_cast<std::size_t>(p) * 6 + (first ? 0 : kStates) + s];
        }
        const double lowest = std::min({own[0], own[1], own[2]});
        bound += lowest;
        const double weight = 1 / static_cast<double>(std::max({std::size_t{1}, later, around.size() - later}));
        for (const std::int32_t p : around) {
            const bool first = plan_->pairs_[static_cast<std::size_t>(p)].first == v;
            if (first != forward) continue;
            const double* back = &messages_[static_cast<std::size_t>(p) * 6 + (first ? 0 : kStates)];
            double* message = &messages_[static_cast<std::size_t>(p) * 6 + (first ? kStates : 0)];
            const double* joint = &givenPair_[static_cast<std::size_t>(p) * kPairStates];
            std::array<double, kStates> sent{};
            for (int su = 0; su < kStates; ++su) {
                double best = kInfinity;
                for (int sv = 0; sv < kStates; ++sv)
                    best = std::min(best, weight * (own[static_cast<std::size_t>(sv)] - lowest) - back[sv] +
                                              at(joint, first, sv, su));
                sent[static_cast<std::size_t>(su)] = best;
            }
            const double floor = std::min({sent[0], sent[1], sent[2]});
            bound += floor;
            for (std::size_t su = 0; su < kStates; ++su) message[su] = sent[su] - floor;
        }
    }
    return bound;
}

/// An assignment from the messages: each variable in turn, given those before it.
void Elimination::roundMessages() {
    for (std::int32_t v = 0; v < plan_->variables_; ++v) {
        std::array<double, kStates> costs{};
        std::copy_n(&givenUnary_[static_cast<std::size_t>(v) * kStates], kStates, costs.begin());
        for (const std::int32_t p : plan_->pairsOf_[static_cast<std::size_t>(v)]) {
            const auto [a, b] = plan_->pairs_[static_cast<std::size_t>(p)];
            for (int s = 0; s < kStates; ++s)
                costs[static_cast<std::size_t>(s)] +=
                    a == v ? messages_[static_cast<std::size_t>(p) * 6 + static_cast<std::size_t>(s)]
                           : at(&givenPair_[static_cast<std::size_t>(p) * kPairStates], false, s,
                                states_[static_cast<std::size_t>(a)]);
        }
        states_[static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(min(costs));
    }
}

/// Messages until the bound rises no more; keeps the best assignment on the way, returns the bound.
double Elimination::passMessages(std::vector<std::uint8_t>& best, double& bestCost) {
    constexpr int kMaxRounds = 200;
    constexpr int kRoundEvery = 5;  // rounds between two assignments
    constexpr double kProven = 1e-10;
    constexpr double kStalled = 1e-6;
    messages_.assign(plan_->givenPairs_ * 6, 0.0);
    double bound = -kInfinity;
    double before = -kInfinity;
    for (int round = 0; round < kMaxRounds; ++round) {
        spend(plan_->givenPairs_ * kPairStates);
        sendMessages(true);
        bound = std::max(bound, sendMessages(false));
        if (round % kRoundEvery != 0) continue;
        roundMessages();
        improve(states_);
        const double cost = costOf(states_);
        if (best.empty() || cost < bestCost) {
            bestCost = cost;
            best = states_;
        }
        if (bound >= bestCost * (1 - kProven) || bound - before < kStalled * std::fabs(bestCost)) break;
        before = bound;
    }
    return bound;
}

/// Shifts costs between variables and pairs as the messages say: every assignment costs the same as before.
void Elimination::applyMessages() {
    savedUnary_ = givenUnary_;
    savedPair_ = givenPair_;
    for (std::size_t p = 0; p < plan_->givenPairs_; ++p) {
        const auto [a, b] = plan_->pairs_[p];
        const double* toA = &messages_[p * 6];
        const double* toB = toA + kStates;
        for (std::size_t s = 0; s < kStates; ++s) {
            savedUnary_[static_cast<std::size_t>(a) * kStates + s] += toA[s];
            savedUnary_[static_cast<std::size_t>(b) * kStates + s] += toB[s];
            for (std::size_t t = 0; t < kStates; ++t) savedPair_[p * kPairStates + s * kStates + t] -= toA[s] + toB[t];
        }
    }
}

/// Messages first, then assignments that are the best for some states of the conditioned variables. What these leave
/// open is closed by a depth-first branch and bound over the conditioned variables. A node fixes a prefix of them; the
/// bound relaxes each free one by letting every neighbour see its own favourite state, and eliminates the rest exactly.
Elimination::Outcome Elimination::branch(std::int64_t nodeLimit) {
    givenUnary_ = unary_;
    givenPair_ = pair_;
    std::vector<std::uint8_t> best;
    double bestCost = kInfinity;
    const double relaxed = passMessages(best, bestCost);
    constexpr double kMet = 1e-10;
    if (relaxed >= bestCost * (1 - kMet)) {
        states_ = best;
        return {bestCost, bestCost, true};
    }
    savedUnary_ = givenUnary_;
    savedPair_ = givenPair_;
    const auto& order = plan_->conditioned_;
    std::vector<std::uint8_t> fixed;

    const auto evaluate = [&] {
        unary_ = savedUnary_;
        pair_ = savedPair_;
        double constant = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::int32_t c = order[k];
            const double* own = unary(c);
            const bool known = k < fixed.size();
            constant += known ? own[fixed[k]] : std::min({own[0], own[1], own[2]});
            for (const std::int32_t number : plan_->conditionedPairs_[k]) {
                const auto [a, b] = plan_->pairs_[static_cast<std::size_t>(number)];
                const bool first = a == c;
                double* message = unary(first ? b : a);
                for (int su = 0; su < kStates; ++su) {
                    const double* joint = pair(number);
                    message[su] +=
                        known ? at(joint, first, fixed[k], su)
                              : std::min({at(joint, first, 0, su), at(joint, first, 1, su), at(joint, first, 2, su)});
                }
            }
            if (known) states_[static_cast<std::size_t>(c)] = fixed[k];
        }
        return constant + eliminate();
    };
    /// A full assignment from the relaxed solution: each free variable takes the best state given the others.
    const auto round = [&] {
        for (std::size_t k = order.size(); k-- > fixed.size();) states_[static_cast<std::size_t>(order[k])] = 0;
        decode();
        for (std::size_t k = order.size(); k-- > fixed.size();) {
            const std::int32_t c = order[k];
            std::array<double, kStates> costs{};
            for (int s = 0; s < kStates; ++s) {
                states_[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(s);
                double cost = savedUnary_[static_cast<std::size_t>(c) * kStates + static_cast<std::size_t>(s)];
                for (const std::int32_t number : plan_->conditionedPairs_[k]) {
                    const auto [a, b] = plan_->pairs_[static_cast<std::size_t>(number)];
                    cost += savedPair_[static_cast<std::size_t>(number) * kStates * kStates +
                                       static_cast<std::size_t>(states_[static_cast<std::size_t>(a)]) * kStates +
                                       states_[static_cast<std::size_t>(b)]];
                }
                costs[static_cast<std::size_t>(s)] = cost;
            }
            states_[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(min(costs));
        }
    };

    const auto keepBetter = [&] {
        improve(states_);
        const double cost = costOf(states_);
        if (cost >= bestCost) return false;
        bestCost = cost;
        best = states_;
        return true;
    };
    const auto offer = [&] {
        round();
        keepBetter();
    };
    /// The best of all assignments that agree with one on the conditioned variables.
    const auto optimiseFrom = [&](const std::vector<std::uint8_t>& start) {
        fixed.clear();
        for (const std::int32_t c : order) fixed.push_back(start[static_cast<std::size_t>(c)]);
        evaluate();
        decode();
        return keepBetter();
    };
    evaluate();
    offer();
    for (std::uint8_t s = 0; s < kStates; ++s)
        optimiseFrom(std::vector<std::uint8_t>(static_cast<std::size_t>(plan_->variables_), s));
    applyMessages();
    fixed.clear();
    const double root = evaluate();
    offer();
    /// What all variables next to one another in one state lead to: layouts change less often than a variable alone
    /// sees.
    constexpr int kMaxRounds = 3;
    bool improved = true;
    for (int k = 0; improved && k < kMaxRounds; ++k) {
        improved = optimiseFrom(best);
        const std::size_t stretch = std::max<std::size_t>(1, static_cast<std::size_t>(plan_->variables_) / 6);
        for (std::size_t from = 0; from < static_cast<std::size_t>(plan_->variables_); from += stretch)
            for (std::uint8_t s = 0; s < kStates; ++s) {
                std::vector<std::uint8_t> moved = best;
                std::fill(moved.begin() + static_cast<std::ptrdiff_t>(from),
                          moved.begin() + static_cast<std::ptrdiff_t>(std::min(moved.size(), from + stretch)), s);
                improved = optimiseFrom(moved) || improved;
            }
    }
    fixed.clear();
    if (nodeLimit < 1) {
        states_ = best;
        return {bestCost, std::min(bestCost, std::max(relaxed, root)), false};
    }
    struct Branch {
        double bound;
        std::vector<std::uint8_t> fixed;
    };
    std::vector<Branch> open;  // a stack; children are pushed worst first
    open.push_back({root, {}});
    double unexplored = kInfinity;
    std::int64_t nodes = 1;
    while (!open.empty()) {
        Branch node = std::move(open.back());
        open.pop_back();
        if (node.bound >= bestCost) continue;
        if (node.fixed.size() == order.size() || nodes >= nodeLimit) {
            if (node.fixed.size() < order.size()) unexplored = std::min(unexplored, node.bound);
            continue;
        }
        std::array<Branch, kStates> children;
        for (std::uint8_t s = 0; s < kStates; ++s) {
            fixed = node.fixed;
            fixed.push_back(s);
            children[s] = {std::max(node.bound, evaluate()), fixed};
            ++nodes;
            if (children[s].bound < bestCost) offer();
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Branch& a, const Branch& b) { return a.bound > b.bound; });
        for (Branch& child : children)
            if (child.bound < bestCost) open.push_back(std::move(child));
    }
    states_ = best;
    Outcome outcome;
    outcome.value = bestCost;
    outcome.lowerBound = std::min(bestCost, std::max(relaxed, unexplored));
    outcome.exact = unexplored >= bestCost;
    return outcome;
}

}  // namespace tessera::partition

#include "core/partition/joint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <queue>
#include <utility>

#include "core/base/number.h"
#include "core/partition/joint_elimination.h"

namespace tessera::partition {

namespace {

constexpr double kEntriesOfWeights = 1e5;  ///< looked at in the time that choosing weights takes
constexpr double kMeets = 1e-9;            ///< relative difference of a plan and a bound that are taken as equal

using JointStates = std::vector<std::int32_t>;
/// States that are not to be taken, by vertex; empty for most.
using ForbiddenStates = std::vector<std::vector<bool>>;

/// How weighted sums are weighed: `share` of `first`, the rest of `second`, and seconds for the whole capacity.
struct JointWeights {
    double share = 1;
    double price = 0;
};

/// A plan as cutting planes see it.
struct SeenPlan {
    JointCost cost = {};
    JointStates states = {};
};

double secondsOf(const JointCost& cost) {
    return std::max(cost.first, cost.second);
}

/// Solves 3 equations a x = b; nothing where they are dependent.
std::optional<std::array<double, 3>> solvedThree(std::array<std::array<double, 4>, 3> rows) {
    for (std::size_t c = 0; c < 3; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < 3; ++r)
            if (std::fabs(rows[r][c]) > std::fabs(rows[pivot][c])) pivot = r;
        if (!(std::fabs(rows[pivot][c]) > 1e-14)) return std::nullopt;
        std::swap(rows[c], rows[pivot]);
        for (std::size_t r = 0; r < 3; ++r) {
            if (r == c) continue;
            const double factor = rows[r][c] / rows[c][c];
            for (std::size_t k = c; k < 4; ++k) rows[r][k] -= factor * rows[c][k];
        }
    }
    return std::array<double, 3>{rows[0][3] / rows[0][0], rows[1][3] / rows[1][1], rows[2][3] / rows[2][2]};
}

/// What is open of the problem: states that are forbidden, and what is known of the rest.
struct JointNode {
    ForbiddenStates forbidden = {};
    double bound = 0;
    std::vector<SeenPlan> seen = {};
    std::int64_t number = 0;

    bool operator<(const JointNode& other) const {  // std::priority_queue takes the largest
        return std::pair(-bound, -number) < std::pair(-other.bound, -other.number);
    }
};

class JointSearch {
public:
    JointSearch(const JointProblem& problem, double effort, const std::function<void()>& poll)
        : problem_(problem), effort_(effort), elimination_(problem, poll) {}

    JointSolution run() {
        std::priority_queue<JointNode> open;
        JointNode root{.forbidden = ForbiddenStates(problem_.vertices.size()), .bound = -kInfinity};
        explore(root);
        mix(root);
        improve();
        double closed = kInfinity;  // least bound of what is not looked at further
        push(open, std::move(root), closed);
        while (!open.empty() && elimination_.spent() < effort_ && !isMet(open.top().bound)) {
            JointNode node = open.top();
            open.pop();
            const std::optional<std::pair<std::int32_t, std::int32_t>> choice = branching(node);
            if (!choice) {
                closed = std::min(closed, node.bound);
                continue;
            }
            for (const bool takes : {true, false}) {
                JointNode child = childOf(node, *choice, takes);
                if (!isEmpty(child, choice->first)) {
                    explore(child);
                    push(open, std::move(child), closed);
                }
            }
        }
        if (!open.empty()) closed = std::min(closed, open.top().bound);
        return solution(closed);
    }

private:
    bool hasCapacity() const { return problem_.capacity < kInfinity; }
    double overfull(const JointCost& cost) const {
        return hasCapacity() ? cost.memory / std::max(problem_.capacity, 1e-300) - 1 : -1;
    }
    bool fits(const JointCost& cost) const { return cost.memory <= problem_.capacity; }
    bool isMet(double bound) const {
        return best_ && bound >= secondsOf(best_->cost) - kMeets * std::fabs(secondsOf(best_->cost));
    }

    void push(std::priority_queue<JointNode>& open, JointNode node, double& closed) {
        if (node.bound == kInfinity) return;
        if (isMet(node.bound)) {
            closed = std::min(closed, node.bound);
            return;
        }
        node.number = ++nodes_;
        open.push(std::move(node));
    }

    JointSolution solution(double bound) const {
        JointSolution solution;
        const SeenPlan& plan = best_ ? *best_ : *fastest_;
        solution.minMemory = smallest_->cost.memory;
        solution.states = plan.states;
        solution.seconds = secondsOf(plan.cost);
        solution.memory = plan.cost.memory;
        solution.fits = best_.has_value();
        solution.noneFits = !solution.fits && bound == kInfinity;
        // Where no plan fits, what is known of all of them is the bound without the capacity.
        solution.lowerBound = std::min(solution.fits ? bound : rootBound_, solution.seconds);
        solution.proven = solution.fits && isMet(bound);
        if (solution.proven) solution.lowerBound = solution.seconds;
        return solution;
    }

    void note(const SeenPlan& plan) {
        if (!smallest_ || plan.cost.memory < smallest_->cost.memory) smallest_ = plan;
        if (!fastest_ || secondsOf(plan.cost) < secondsOf(fastest_->cost)) fastest_ = plan;
        if (fits(plan.cost) && (!best_ || secondsOf(plan.cost) < secondsOf(best_->cost))) best_ = plan;
    }

    /// A weighted minimum: its value bounds the step, less what the price asks for the capacity.
    SeenPlan minimise(const JointWeights& weights, JointNode& node) {
        const double price = hasCapacity() ? weights.price / std::max(problem_.capacity, 1e-300) : 0;
        JointElimination::Outcome outcome =
            elimination_.minimise({weights.share, 1 - weights.share, price}, node.forbidden);
        if (outcome.value == kInfinity) node.bound = kInfinity;
        SeenPlan plan{jointCost(problem_, outcome.states), std::move(outcome.states)};
        node.bound = std::max(node.bound, outcome.value - weights.price);
        if (node.bound == kInfinity) return plan;
        note(plan);
        return plan;
    }

    /// The plan of the least memory; none fits where it does not, unless elimination was not exact.
    void findSmallest(JointNode& node) {
        JointElimination::Outcome outcome = elimination_.minimise({0, 0, 1}, node.forbidden);
        // Sums in another order differ in their last digits.
        if (outcome.value > problem_.capacity * (1 + kMeets)) node.bound = kInfinity;
        if (outcome.value == kInfinity) return;
        SeenPlan plan{jointCost(problem_, outcome.states), std::move(outcome.states)};
        note(plan);
        node.seen.push_back(std::move(plan));
    }

    /// Raises a node's bound by cutting planes: each plan seen bounds the weighted minimum from above, and the weights
    /// at which the least of these is largest are tried next.
    void explore(JointNode& node) {
        constexpr int kMaxRounds = 40, kRoundsOfRoot = 6, kRoundsOfChild = 8;
        const bool isRoot = rootBound_ == -kInfinity;
        if (node.seen.empty()) {
            node.seen.push_back(minimise({}, node));
            if (isRoot) rootBound_ = node.bound;
            if (!smallest_) smallest_ = fastest_ = node.seen.front();
            if (node.bound == kInfinity || isMet(node.bound)) return;
        }
        if (hasCapacity() &&
            std::none_of(node.seen.begin(), node.seen.end(), [&](const SeenPlan& plan) { return fits(plan.cost); })) {
            findSmallest(node);
            if (node.bound == kInfinity) return;
        }
        for (int round = 0; round < (isRoot ? kMaxRounds : kRoundsOfChild); ++round) {
            if (elimination_.spent() >= effort_ && (!isRoot || round >= kRoundsOfRoot)) return;
            const auto [weights, max] = bestWeights(node.seen);
            elimination_.spend(kEntriesOfWeights);
            if (isMet(node.bound) || !(max > node.bound + kMeets * std::fabs(node.bound))) return;
            SeenPlan plan = minimise(weights, node);
            if (node.bound == kInfinity) return;
            const bool isKnown = std::any_of(node.seen.begin(), node.seen.end(),
                                             [&](const SeenPlan& seen) { return seen.states == plan.states; });
            if (isKnown) return;
            node.seen.push_back(std::move(plan));
        }
    }

    double weighted(const SeenPlan& plan, const JointWeights& weights) const {
        return weights.share * plan.cost.first + (1 - weights.share) * plan.cost.second +
               weights.price * overfull(plan.cost);
    }

    /// The weights at which the least weighted sum of the plans is largest, and that sum: a linear programme of three
    /// variables, whose optimum is at a corner.
    std::pair<JointWeights, double> bestWeights(const std::vector<SeenPlan>& plans) const {
        constexpr double kSlack = 1e-7;
        std::vector<std::array<double, 4>> rows;  // of the sum, the share and the price
        constexpr std::size_t kMaxCorners = 24;   // of many plans the last ones
        for (std::size_t p = plans.size() > kMaxCorners ? plans.size() - kMaxCorners : 0; p < plans.size(); ++p) {
            const JointCost& cost = plans[p].cost;
            rows.push_back({1, cost.second - cost.first, -overfull(cost), cost.second});
        }
        rows.push_back({0, 1, 0, 0});
        rows.push_back({0, 1, 0, 1});
        rows.push_back({0, 0, 1, 0});
        std::pair<JointWeights, double> best{{}, -kInfinity};
        const auto consider = [&](JointWeights weights) {
            if (!(weights.share >= -kSlack && weights.share <= 1 + kSlack && weights.price >= -kSlack)) return;
            weights = {std::clamp(weights.share, 0.0, 1.0), std::max(weights.price, 0.0)};
            double min = kInfinity;
            for (const SeenPlan& plan : plans) min = std::min(min, weighted(plan, weights));
            if (min > best.second) best = {weights, min};
        };
        consider({1, 0});
        consider({0, 0});
        for (std::size_t a = 0; a < rows.size(); ++a)
            for (std::size_t b = a + 1; b < rows.size(); ++b)
                for (std::size_t c = b + 1; c < rows.size(); ++c)
                    if (const auto corner = solvedThree({rows[a], rows[b], rows[c]}))
                        consider({(*corner)[1], (*corner)[2]});
        return best;
    }

    /// A vertex and one of its states, in which two of the plans seen differ most.
    std::optional<std::pair<std::int32_t, std::int32_t>> branching(const JointNode& node) const {
        const auto [weights, unused] = bestWeights(node.seen);
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t p = 0; p < node.seen.size(); ++p) order.emplace_back(weighted(node.seen[p], weights), p);
        std::sort(order.begin(), order.end());
        const SeenPlan& one = node.seen[order.front().second];
        for (std::size_t p = 1; p < order.size(); ++p)
            if (const auto vertex = mostUnlike(one, node.seen[order[p].second], node))
                return std::pair(*vertex, one.states[toIndex(*vertex)]);
        for (std::size_t v = 0; v < problem_.vertices.size(); ++v)
            if (openStates(node, v) > 1) return std::pair(static_cast<std::int32_t>(v), one.states[v]);
        return std::nullopt;
    }

    std::size_t openStates(const JointNode& node, std::size_t vertex) const {
        const std::size_t all = problem_.kinds[toIndex(problem_.vertices[vertex])].size();
        const std::vector<bool>& forbidden = node.forbidden[vertex];
        return all - static_cast<std::size_t>(std::count(forbidden.begin(), forbidden.end(), true));
    }

    std::optional<std::int32_t> mostUnlike(const SeenPlan& one, const SeenPlan& other, const JointNode& node) const {
        std::optional<std::int32_t> max;
        double difference = -1;
        for (std::size_t v = 0; v < problem_.vertices.size(); ++v) {
            if (one.states[v] == other.states[v] || openStates(node, v) < 2) continue;
            const std::vector<JointCost>& kind = problem_.kinds[toIndex(problem_.vertices[v])];
            const JointCost& a = kind[toIndex(one.states[v])];
            const JointCost& b = kind[toIndex(other.states[v])];
            const double scale = std::fabs(rootBound_) + 1e-300;
            const double apart = (std::fabs(a.first - b.first) + std::fabs(a.second - b.second)) / scale +
                                 (hasCapacity() ? std::fabs(a.memory - b.memory) / problem_.capacity : 0);
            if (apart > difference) {
                difference = apart;
                max = static_cast<std::int32_t>(v);
            }
        }
        return max;
    }

    JointNode childOf(const JointNode& node, std::pair<std::int32_t, std::int32_t> choice, bool takes) const {
        JointNode child{.forbidden = node.forbidden, .bound = node.bound};
        std::vector<bool>& states = child.forbidden[toIndex(choice.first)];
        states.resize(problem_.kinds[toIndex(problem_.vertices[toIndex(choice.first)])].size(), false);
        for (std::size_t s = 0; s < states.size(); ++s)
            if ((s == toIndex(choice.second)) != takes) states[s] = true;
        for (const SeenPlan& plan : node.seen)
            if (!states[toIndex(plan.states[toIndex(choice.first)])]) child.seen.push_back(plan);
        return child;
    }

    bool isEmpty(const JointNode& node, std::int32_t vertex) const { return openStates(node, toIndex(vertex)) == 0; }

    /// Plans that follow one of the plans seen up to a vertex, and another from there on: of many equal blocks the best
    /// weights take one way for all, where the best plan takes two.
    void mix(const JointNode& node) {
        if (isMet(node.bound)) return;
        constexpr std::size_t kMaxMixed = 8;  // of the plans seen, the last ones
        const std::size_t first = node.seen.size() > kMaxMixed ? node.seen.size() - kMaxMixed : 0;
        for (std::size_t a = first; a < node.seen.size(); ++a)
            for (std::size_t b = first; b < node.seen.size(); ++b)
                if (a != b) mixTwo(node.seen[a], node.seen[b]);
    }

    void mixTwo(const SeenPlan& one, const SeenPlan& other) {
        SeenPlan plan = one;
        for (std::size_t v = 0; v < plan.states.size(); ++v) {
            if (plan.states[v] == other.states[v]) continue;
            plan.states[v] = other.states[v];
            plan.cost = jointCost(problem_, plan.states);
            elimination_.spend(static_cast<double>(plan.states.size() + problem_.edges.size()));
            if (secondsOf(plan.cost) < kInfinity) note(plan);
        }
    }

    /// Better single changes of the best plan, as long as there are any.
    void improve() {
        if (!best_ || isMet(rootBound_)) return;
        std::vector<std::vector<std::size_t>> edges(problem_.vertices.size());
        for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
            edges[toIndex(problem_.edges[e].from)].push_back(e);
            edges[toIndex(problem_.edges[e].to)].push_back(e);
        }
        SeenPlan plan = *best_;
        constexpr int kMaxRounds = 4;
        bool moved = true;
        for (int round = 0; moved && round < kMaxRounds; ++round) {
            moved = false;
            for (std::size_t v = 0; v < plan.states.size(); ++v) moved = improveVertex(plan, v, edges[v]) || moved;
        }
        plan.cost = jointCost(problem_, plan.states);
        note(plan);
    }

    bool improveVertex(SeenPlan& plan, std::size_t vertex, const std::vector<std::size_t>& edges) const {
        const std::vector<JointCost>& kind = problem_.kinds[toIndex(problem_.vertices[vertex])];
        const auto partOf = [&](std::int32_t state) {
            JointCost part = kind[toIndex(state)];
            for (const std::size_t e : edges) {
                const JointProblem::Edge& edge = problem_.edges[e];
                const bool isFrom = toIndex(edge.from) == vertex;
                const std::int32_t from = isFrom ? state : plan.states[toIndex(edge.from)];
                const std::int32_t to = isFrom ? plan.states[toIndex(edge.to)] : state;
                const std::size_t width = problem_.kinds[toIndex(problem_.vertices[toIndex(edge.to)])].size();
                const double seconds = problem_.tables[toIndex(edge.table)][toIndex(from) * width + toIndex(to)];
                part.first += seconds;
                part.second += seconds;
            }
            return part;
        };
        const JointCost now = partOf(plan.states[vertex]);
        if (!(secondsOf(now) < kInfinity)) return false;
        const JointCost rest{plan.cost.first - now.first, plan.cost.second - now.second, plan.cost.memory - now.memory};
        bool moved = false;
        for (std::size_t s = 0; s < kind.size(); ++s) {
            const JointCost part = partOf(static_cast<std::int32_t>(s));
            const JointCost whole{rest.first + part.first, rest.second + part.second, rest.memory + part.memory};
            if (!fits(whole) || !(secondsOf(whole) < secondsOf(plan.cost) * (1 - kMeets))) continue;
            plan.cost = whole;
            plan.states[vertex] = static_cast<std::int32_t>(s);
            moved = true;
        }
        return moved;
    }

    const JointProblem& problem_;
    double effort_;
    JointElimination elimination_;
    std::optional<SeenPlan> best_;      ///< that fits
    std::optional<SeenPlan> smallest_;  ///< of the least memory seen
    std::optional<SeenPlan> fastest_;   ///< whatever its memory
    double rootBound_ = -kInfinity;     ///< whatever the memory
    std::int64_t nodes_ = 0;
};

}  // namespace

JointCost jointCost(const JointProblem& problem, const std::vector<std::int32_t>& states) {
    JointCost sum;
    for (std::size_t v = 0; v < states.size(); ++v) {
        const JointCost& cost = problem.kinds[toIndex(problem.vertices[v])][toIndex(states[v])];
        sum.first += cost.first;
        sum.second += cost.second;
        sum.memory += cost.memory;
    }
    double moved = 0;
    for (const JointProblem::Edge& edge : problem.edges) {
        const std::size_t width = problem.kinds[toIndex(problem.vertices[toIndex(edge.to)])].size();
        moved += problem.tables[toIndex(edge.table)]
                               [toIndex(states[toIndex(edge.from)]) * width + toIndex(states[toIndex(edge.to)])];
    }
    sum.first += moved;
    sum.second += moved;
    return sum;
}

JointSolution solveJoint(const JointProblem& problem, double effort, const std::function<void()>& poll) {
    return JointSearch(problem, effort, poll).run();
}

}  // namespace tessera::partition

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/explore/front.h"
#include "core/explore/method_rows.h"
#include "core/explore/search.h"

namespace tessera::explore {

namespace {

constexpr std::size_t kNeighbours = 20, kReplaced = 2;
constexpr double kFromNeighbours = 0.9;

/// Number of weights on a lattice that divides each edge of the simplex.
double latticeSize(std::size_t objectives, std::size_t divisions) {
    double size = 1;
    for (std::size_t i = 1; i < objectives; ++i)
        size = size * static_cast<double>(divisions + i) / static_cast<double>(i);
    return size;
}

/// Weights of the objectives that sum to 1, evenly spread, at most `count` but at least one of each objective alone.
/// Das, Dennis: "Normal-boundary intersection", SIAM Journal on Optimization 8(3), 1998.
std::vector<std::vector<double>> latticeWeights(std::size_t objectives, std::size_t count) {
    std::size_t divisions = 1;
    while (objectives > 1 && latticeSize(objectives, divisions + 1) <= static_cast<double>(count)) ++divisions;
    std::vector<std::vector<double>> weights;
    std::vector<std::size_t> parts(objectives, 0);
    const std::function<void(std::size_t, std::size_t)> place = [&](std::size_t objective, std::size_t left) {
        if (objective + 1 == objectives) {
            parts[objective] = left;
            std::vector<double>& row = weights.emplace_back();
            for (const std::size_t part : parts)
                row.push_back(static_cast<double>(part) / static_cast<double>(divisions));
            return;
        }
        for (std::size_t part = 0; part <= left; ++part) {
            parts[objective] = part;
            place(objective + 1, left - part);
        }
    };
    place(0, divisions);
    return weights;
}

std::vector<std::vector<std::size_t>> nearestWeights(const std::vector<std::vector<double>>& weights) {
    std::vector<std::vector<std::size_t>> nearest;
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::vector<double>& one : weights) {
        poll(1 + weights.size() / 100);
        order.clear();
        for (std::size_t i = 0; i < weights.size(); ++i) {
            double square = 0;
            for (std::size_t k = 0; k < one.size(); ++k) square += (one[k] - weights[i][k]) * (one[k] - weights[i][k]);
            order.emplace_back(square, i);
        }
        const auto last = order.begin() + static_cast<std::ptrdiff_t>(std::min(kNeighbours, order.size()));
        std::partial_sort(order.begin(), last, order.end());
        std::vector<std::size_t>& row = nearest.emplace_back();
        for (auto each = order.begin(); each != last; ++each) row.push_back(each->second);
    }
    return nearest;
}

/// The best value of every objective so far, and the worst ones on the population's front: the scale of each.
struct ObjectiveScale {
    std::vector<double> ideal, extent;

    void update(const std::vector<Individual>& members, std::size_t objectives) {
        std::vector<double> values;
        for (const Individual& each : members)
            if (each.evaluation.isFeasible())
                values.insert(values.end(), each.evaluation.objectives.begin(), each.evaluation.objectives.end());
        if (ideal.empty()) ideal.assign(objectives, kInfinity);
        std::vector<double> worst(objectives, -kInfinity);
        for (const std::size_t i : frontOf(values, objectives))
            for (std::size_t k = 0; k < objectives; ++k) {
                ideal[k] = std::min(ideal[k], values[i * objectives + k]);
                worst[k] = std::max(worst[k], values[i * objectives + k]);
            }
        extent.assign(objectives, 1);
        for (std::size_t k = 0; k < objectives; ++k)
            if (worst[k] > ideal[k]) extent[k] = worst[k] - ideal[k];
    }
    /// The weighted distance from the ideal in the objective where it is largest (Tchebycheff).
    double distance(const Evaluation& evaluation, const std::vector<double>& weights) const {
        if (!evaluation.isFeasible()) return 0;
        double max = 0;
        for (std::size_t k = 0; k < weights.size(); ++k)
            max =
                std::max(max, std::max(weights[k], 1e-4) * std::fabs(evaluation.objectives[k] - ideal[k]) / extent[k]);
        return max;
    }
    bool isBetter(const Evaluation& one, const Evaluation& other, const std::vector<double>& weights) const {
        return standingOf(one, distance(one, weights)) < standingOf(other, distance(other, weights));
    }
};

/// One member for each weighting of the objectives.
class Decomposition {
public:
    explicit Decomposition(SearchSession& session)
        : session_(session),
          random_(session.problem().seed, 1),
          weights_(latticeWeights(session.problem().objectives, populationOf(session.problem(), 20, 100))),
          nearest_(nearestWeights(weights_)),
          everyone_(weights_.size()) {
        std::iota(everyone_.begin(), everyone_.end(), std::size_t{0});
    }

    std::size_t size() const { return weights_.size(); }

    /// Gives each weighting the best of the points for it that no other one has, as long as there are some.
    void begin(std::vector<Individual> all) {
        scale_.update(all, session_.problem().objectives);
        std::vector<bool> isTaken(all.size(), false);
        for (std::size_t i = 0; i < size(); ++i) {
            poll(1 + all.size() / 50);
            std::size_t best = all.size();
            for (std::size_t k = 0; k < all.size(); ++k)
                if (!isTaken[k] &&
                    (best == all.size() || scale_.isBetter(all[k].evaluation, all[best].evaluation, weights_[i])))
                    best = k;
            if (best == all.size()) best = i % all.size();
            isTaken[best] = true;
            members_.push_back(all[best]);
        }
    }

    /// A child for each weighting, all of the same parents, and then replacement in their order.
    void step() {
        std::vector<const std::vector<std::size_t>*> pools;
        for (std::size_t i = 0; i < size(); ++i)
            pools.push_back(random_.uniform() < kFromNeighbours ? &nearest_[i] : &everyone_);
        const std::vector<Individual> children =
            session_.evaluateNew(size(), [&](std::size_t i) { return child(i, *pools[i]); });
        std::vector<Individual> all = members_;
        all.insert(all.end(), children.begin(), children.end());
        scale_.update(all, session_.problem().objectives);
        for (std::size_t i = 0; i < children.size(); ++i) replace(children[i], *pools[i]);
    }

private:
    std::vector<double> child(std::size_t target, const std::vector<std::size_t>& pool) {
        const auto pick = [&]() -> const std::vector<double>& {
            return members_[pool[random_.below(pool.size())]].shares;
        };
        const std::vector<double>& one = members_[target].shares;
        std::vector<double> shares = crossed(session_.variables(), one, pick(), random_);
        mutate(session_.variables(), shares, random_);
        return shares;
    }

    void replace(const Individual& child, std::vector<std::size_t> pool) {
        poll(1 + pool.size() / 50);
        for (std::size_t i = pool.size(), replaced = 0; i > 0 && replaced < kReplaced; --i) {
            std::swap(pool[i - 1], pool[random_.below(i)]);
            Individual& member = members_[pool[i - 1]];
            if (!scale_.isBetter(child.evaluation, member.evaluation, weights_[pool[i - 1]])) continue;
            member = child;
            ++replaced;
        }
    }

    SearchSession& session_;
    RandomStream random_;
    std::vector<std::vector<double>> weights_;
    std::vector<std::vector<std::size_t>> nearest_;
    std::vector<std::size_t> everyone_;  ///< of the members
    ObjectiveScale scale_;
    std::vector<Individual> members_;
};

void runMoead(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    SearchSession session(problem, evaluate);
    Decomposition decomposition(session);
    std::vector<Individual> all = session.begin(decomposition.size());
    if (session.isOver()) return;
    decomposition.begin(std::move(all));
    while (!session.isOver()) decomposition.step();
}

}  // namespace

/// Zhang, Li: "MOEA/D: a multiobjective evolutionary algorithm based on decomposition", IEEE Transactions on
/// Evolutionary Computation 11(6), 2007, with partners at times from the whole population and few replaced members for
/// each child, as Li, Zhang: "Multiobjective optimization problems with complicated Pareto sets, MOEA/D and NSGA-II",
/// ibid. 13(2), 2009, but with crossover and mutation as in `nsga2`; objectives scaled to the front's extent, and a
/// whole generation of children from the same parents, so that they can be evaluated at once.
Method moeadMethod() {
    return {.id = "moead",
            .title = "MOEA/D",
            .help = "Evolutionary search for the front of several objectives, one point for each weighting of them",
            .kind = Method::Kind::search,
            .run = runMoead,
            .count = countDifferent};
}

}  // namespace tessera::explore

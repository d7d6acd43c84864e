#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/explore/method.h"
#include "core/explore/session.h"

/// What searches by generations have in common. Constraints are treated by Deb's rule of feasibility: a feasible point
/// is better than an infeasible one, of two infeasible ones the one with the smaller violation, and a point that failed
/// is worse than all. Deb: "An efficient constraint handling method for genetic algorithms", Computer Methods in
/// Applied Mechanics and Engineering 186, 2000.
namespace tessera::explore {

/// A point of a search with its answer.
struct Individual {
    std::vector<double> shares;  ///< by variable, where its genes are
    Point point;
    Evaluation evaluation;
    bool isRandom = false;  ///< came in place of known points, whatever was to be made
};

/// Class of an evaluation by Deb's rule (0 feasible, 1 infeasible, 2 failed) and the number by which it is compared in
/// its class: of feasible ones `value`, of infeasible ones the violation.
std::pair<int, double> standingOf(const Evaluation& evaluation, double value);
/// The same of one objective.
std::pair<int, double> standingOf(const Evaluation& evaluation);

/// Ranks by Deb's rule and, of feasible points, by domination: 0 is the best.
std::vector<std::int32_t> standingRanks(const std::vector<Individual>& individuals);
/// Distance to the neighbours on the same rank's front: the mean over all objectives of their distance along it, as a
/// share of the front's extent; infinite at the ends. Deb et al., as for `nsga2`.
std::vector<double> crowding(const std::vector<Individual>& individuals, const std::vector<std::int32_t>& ranks);

/// A search's budget and points: no point is asked for twice.
class SearchSession {
public:
    SearchSession(const MethodProblem& problem, const EvaluatePoints& evaluate);

    const std::vector<Variable>& variables() const { return session_.problem().variables; }
    const MethodProblem& problem() const { return session_.problem(); }
    std::int64_t left() const { return session_.left(); }
    std::int64_t spent() const { return session_.problem().points - session_.left(); }
    bool isOver() const { return session_.isOver() || known_.isAll(); }

    /// True where the point of these shares was asked for.
    bool knows(const std::vector<double>& shares) const { return known_.has(pointAt(variables(), shares)); }

    /// Evaluates the points to begin with and, where these are fewer than `size`, up to as many of a sample that is
    /// spread over the space.
    std::vector<Individual> begin(std::size_t size);
    /// Evaluates up to this many new points. `make` returns shares; where it makes only known points, again and again,
    /// a random new one comes instead.
    std::vector<Individual> evaluateNew(std::size_t count, const std::function<std::vector<double>(std::size_t)>& make);
    /// Evaluates points of these shares; those that are known already, or come twice, are not asked for, and have the
    /// answer that they had. Fewer where the budget does not reach for the new ones among them.
    std::vector<Individual> evaluate(const std::vector<std::vector<double>>& shares);

private:
    std::vector<Individual> given();
    std::vector<Individual> answered(std::vector<std::vector<double>> shares, std::vector<Point> points);

    Session session_;
    KnownPoints known_;
    std::vector<Evaluation> answers_;  ///< by the numbers of the known points
    RandomStream random_;
};

/// The numbers from 0 to below `count` in the order in which `isBefore` has two of them, of equal ones the lower first.
template <typename Before>
std::vector<std::size_t> sortedNumbers(std::size_t count, Before isBefore) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::stable_sort(numbers.begin(), numbers.end(), isBefore);
    return numbers;
}

/// The population that a problem says, but no more than it has points, and at least 4; where it says none, a part of
/// the budget, within limits.
std::size_t populationOf(const MethodProblem& problem, std::size_t min, std::size_t max);

/// A random one of the variables with more than one value; the first variable where there is none.
std::size_t anyFreeVariable(const std::vector<Variable>& variables, RandomStream& random);

/// Simulated binary crossover of two parents and polynomial mutation. Deb, Agrawal: "Simulated binary crossover for
/// continuous search space", Complex Systems 9, 1995; Deb, Goyal: "A combined genetic adaptive search (GeneAS) for
/// engineering design", 1996. Of a category a child has one parent's value, and mutates to any other; a mutation among
/// several ordered values always moves by one at least. On average one of the variables with more than one value
/// mutates.
std::vector<double> crossed(const std::vector<Variable>& variables, const std::vector<double>& one,
                            const std::vector<double>& other, RandomStream& random);
void mutate(const std::vector<Variable>& variables, std::vector<double>& shares, RandomStream& random);

}  // namespace tessera::explore

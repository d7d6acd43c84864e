#include "core/explore/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/number.h"
#include "core/explore/front.h"
#include "core/explore/latin_hypercube.h"

namespace tessera::explore {

std::pair<int, double> standingOf(const Evaluation& evaluation, double value) {
    if (evaluation.objectives.empty()) return {2, 0};
    if (!evaluation.isFeasible()) return {1, evaluation.violation};
    return {0, value};
}

std::pair<int, double> standingOf(const Evaluation& evaluation) {
    return standingOf(evaluation, evaluation.objectives.empty() ? 0 : evaluation.objectives.front());
}

std::vector<std::int32_t> standingRanks(const std::vector<Individual>& individuals) {
    const std::size_t objectives = std::accumulate(
        individuals.begin(), individuals.end(), std::size_t{1},
        [](std::size_t max, const Individual& each) { return std::max(max, each.evaluation.objectives.size()); });
    std::vector<double> values;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < individuals.size(); ++i) {
        const Evaluation& evaluation = individuals[i].evaluation;
        if (evaluation.isFeasible())
            values.insert(values.end(), evaluation.objectives.begin(), evaluation.objectives.end());
        else {
            values.insert(values.end(), objectives, std::numeric_limits<double>::quiet_NaN());
            others.push_back(i);
        }
    }
    std::vector<std::int32_t> ranks = ranksOf(values, objectives);
    std::int32_t rank = ranks.empty() ? -1 : *std::max_element(ranks.begin(), ranks.end());
    const auto standing = [&](std::size_t i) { return standingOf(individuals[i].evaluation); };
    std::stable_sort(others.begin(), others.end(),
                     [&](std::size_t a, std::size_t b) { return standing(a) < standing(b); });
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (i == 0 || standing(others[i]) != standing(others[i - 1])) ++rank;
        ranks[others[i]] = rank;
    }
    return ranks;
}

std::vector<double> crowding(const std::vector<Individual>& individuals, const std::vector<std::int32_t>& ranks) {
    std::vector<double> distances(individuals.size(), 0);
    std::vector<std::size_t> order =
        sortedNumbers(individuals.size(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        for (last = first; last < order.size() && ranks[order[last]] == ranks[order[first]];) ++last;
        if (!individuals[order[first]].evaluation.isFeasible()) continue;
        const std::size_t objectives = individuals[order[first]].evaluation.objectives.size();
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
        const auto to = order.begin() + static_cast<std::ptrdiff_t>(last);
        for (std::size_t k = 0; k < objectives; ++k) {
            const auto at = [&](std::size_t i) { return individuals[i].evaluation.objectives[k]; };
            std::stable_sort(from, to, [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
            const double extent = at(order[last - 1]) - at(order[first]);
            distances[order[first]] = distances[order[last - 1]] = kInfinity;
            if (!(extent > 0)) continue;
            for (std::size_t i = first + 1; i + 1 < last; ++i)
                distances[order[i]] += (at(order[i + 1]) - at(order[i - 1])) / extent / static_cast<double>(objectives);
        }
    }
    return distances;
}

SearchSession::SearchSession(const MethodProblem& problem, const EvaluatePoints& evaluate)
    : session_(problem, evaluate), known_(problem.variables), random_(problem.seed, 0x5EA7C4) {}

std::vector<Individual> SearchSession::answered(std::vector<std::vector<double>> shares, std::vector<Point> points) {
    std::vector<Evaluation> answers = session_.evaluate(points);
    std::vector<Individual> individuals;
    for (std::size_t i = 0; i < answers.size(); ++i)
        individuals.push_back({std::move(shares[i]), std::move(points[i]), std::move(answers[i])});
    return individuals;
}

std::vector<Individual> SearchSession::given() {
    std::vector<std::vector<double>> shares;
    for (const Point& point : problem().begin) shares.push_back(sharesOf(variables(), point));
    std::vector<Individual> individuals = answered(std::move(shares), problem().begin);
    for (const Individual& each : individuals) {
        if (known_.has(each.point)) continue;
        known_.add(each.point);
        answers_.push_back(each.evaluation);
    }
    return individuals;
}

std::vector<Individual> SearchSession::begin(std::size_t size) {
    std::vector<Individual> all = given();
    const std::size_t count = std::min(size - std::min(size, all.size()), static_cast<std::size_t>(left()));
    const std::vector<std::vector<double>> design = spreadHypercube(count, variables(), problem().seed);
    for (Individual& each : evaluateNew(count, [&](std::size_t i) { return design[i]; }))
        all.push_back(std::move(each));
    return all;
}

std::vector<Individual> SearchSession::evaluateNew(std::size_t count,
                                                   const std::function<std::vector<double>(std::size_t)>& make) {
    constexpr int kTries = 8;
    count = std::min(count, static_cast<std::size_t>(left()));
    std::vector<std::vector<double>> shares;
    std::vector<Point> points;
    std::vector<bool> areRandom;
    while (points.size() < count && !known_.isAll()) {
        std::vector<double> made;
        Point point;
        for (int i = 0; i < kTries && (i == 0 || known_.has(point)); ++i) {
            made = make(points.size());
            point = pointAt(variables(), made);
        }
        const bool isRandom = known_.has(point);
        if (isRandom) {
            std::optional<Point> other = known_.addRandom(random_);
            if (!other) break;
            point = *std::move(other);
            made = sharesOf(variables(), point);
        } else
            known_.add(point);
        areRandom.push_back(isRandom);
        shares.push_back(std::move(made));
        points.push_back(std::move(point));
    }
    std::vector<Individual> individuals = answered(std::move(shares), std::move(points));
    for (std::size_t i = 0; i < individuals.size(); ++i) {
        individuals[i].isRandom = areRandom[i];
        answers_.push_back(individuals[i].evaluation);
    }
    return individuals;
}

std::vector<Individual> SearchSession::evaluate(const std::vector<std::vector<double>>& shares) {
    std::vector<Point> asked;
    std::vector<std::size_t> numbers;  // of the points of `shares`
    for (const std::vector<double>& each : shares) {
        const Point point = pointAt(variables(), each);
        numbers.push_back(known_.numberOf(point));
        if (numbers.back() < known_.size()) continue;
        if (static_cast<std::int64_t>(asked.size()) == left()) {
            numbers.pop_back();
            break;
        }
        known_.add(point);
        asked.push_back(point);
    }
    for (Evaluation& answer : session_.evaluate(std::move(asked))) answers_.push_back(std::move(answer));
    std::vector<Individual> individuals;
    for (std::size_t i = 0; i < numbers.size() && numbers[i] < answers_.size(); ++i)
        individuals.push_back({shares[i], pointAt(variables(), shares[i]), answers_[numbers[i]]});
    return individuals;
}

std::size_t populationOf(const MethodProblem& problem, std::size_t min, std::size_t max) {
    if (problem.population > 0)
        return static_cast<std::size_t>(
            std::max<std::int64_t>(4, std::min<std::int64_t>(problem.population, problem.points)));
    constexpr std::int64_t kGenerations = 20;
    const auto part = static_cast<std::size_t>(problem.points / kGenerations);
    return std::clamp(part, min, std::max(min, max));
}

std::size_t anyFreeVariable(const std::vector<Variable>& variables, RandomStream& random) {
    const std::vector<std::size_t> numbers = freeVariables(variables);
    return numbers.empty() ? 0 : numbers[random.below(numbers.size())];
}

namespace {

constexpr double kCrossover = 0.9, kCrossoverIndex = 15, kMutationIndex = 20;

/// A child's gene around the middle of both parents', spread as the distance between them, within 0 and 1.
double crossedGene(double one, double other, RandomStream& random) {
    const double low = std::min(one, other), high = std::max(one, other), distance = high - low;
    const bool isLower = random.below(2) == 0;
    const double u = random.uniform();
    if (distance < 1e-14) return one;
    const double room = isLower ? low : 1 - high;
    const double alpha = 2 - elementary::pow(1 + 2 * room / distance, -(kCrossoverIndex + 1));
    const double power = 1 / (kCrossoverIndex + 1);
    const double spread =
        u <= 1 / alpha ? elementary::pow(u * alpha, power) : elementary::pow(1 / (2 - u * alpha), power);
    const double gene = 0.5 * (low + high + (isLower ? -1 : 1) * spread * distance);
    return std::clamp(gene, 0.0, 1.0);
}

double mutatedGene(double gene, RandomStream& random) {
    const double u = random.uniform(), power = 1 / (kMutationIndex + 1);
    if (u < 0.5) {
        const double inner = 2 * u + (1 - 2 * u) * elementary::pow(1 - gene, kMutationIndex + 1);
        return std::clamp(gene + elementary::pow(inner, power) - 1, 0.0, 1.0);
    }
    const double inner = 2 * (1 - u) + (2 * u - 1) * elementary::pow(gene, kMutationIndex + 1);
    return std::clamp(gene + 1 - elementary::pow(inner, power), 0.0, 1.0);
}

/// The share of a neighbour or, of a category, of any other value.
double otherValue(const Variable& variable, double share, RandomStream& random) {
    const std::size_t count = valueCount(variable), number = numberOf(variable, valueAt(variable, share));
    std::size_t other = 0;
    if (variable.isCategory)
        other = (number + 1 + random.below(count - 1)) % count;
    else if (number == 0 || number + 1 == count)
        other = number == 0 ? 1 : number - 1;
    else
        other = random.below(2) == 0 ? number - 1 : number + 1;
    return shareOf(variable, valueNumbered(variable, other));
}

}  // namespace

std::vector<double> crossed(const std::vector<Variable>& variables, const std::vector<double>& one,
                            const std::vector<double>& other, RandomStream& random) {
    std::vector<double> child = one;
    const bool isCrossed = random.uniform() < kCrossover;
    for (std::size_t i = 0; isCrossed && i < child.size(); ++i) {
        if (random.below(2) == 0) continue;
        child[i] = variables[i].isCategory ? other[i] : crossedGene(one[i], other[i], random);
    }
    return child;
}

void mutate(const std::vector<Variable>& variables, std::vector<double>& shares, RandomStream& random) {
    const double rate = 1 / static_cast<double>(std::max<std::size_t>(1, freeVariables(variables).size()));
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::size_t count = valueCount(variables[i]);
        if (count == 1 || random.uniform() >= rate) continue;
        const double before = shares[i];
        if (!variables[i].isCategory) shares[i] = mutatedGene(before, random);
        if (count > 1 && valueAt(variables[i], shares[i]) == valueAt(variables[i], before))
            shares[i] = otherValue(variables[i], before, random);
    }
}

}  // namespace tessera::explore

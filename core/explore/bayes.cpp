#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/number.h"
#include "core/explore/front.h"
#include "core/explore/gaussian_process.h"
#include "core/explore/method_rows.h"
#include "core/explore/normal.h"
#include "core/explore/search.h"
#include "core/explore/sobol_sequence.h"

namespace tessera::explore {

namespace {

constexpr std::size_t kBatch = 4;       ///< points that are evaluated at once
constexpr std::size_t kMaxBatch = 64;   ///< the same at most: the process holds each of them
constexpr std::size_t kModelled = 600;  ///< points that a process is made of at most
constexpr std::size_t kPlaces = 1024;   ///< random places where the next point may lie
constexpr std::size_t kRefined = 4;     ///< of which the best are moved to the top of their hill
constexpr double kAugmentation = 0.05;  ///< of a weighting, as Knowles has it
constexpr double kLogSpread = 100;      ///< positive values that span more may be modelled by their logarithms

/// Values less their mean, over their deviation.
struct Standardised {
    std::vector<double> values;
    double deviation = 0;  ///< of those that were given; 0 where all are alike, which then are 0

    explicit Standardised(std::vector<double> given) : values(std::move(given)) {
        const auto count = static_cast<double>(values.size());
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
        double square = 0;
        for (const double value : values) square += (value - mean) * (value - mean);
        deviation = std::sqrt(square / count);
        for (double& value : values) value = deviation > 0 ? (value - mean) / deviation : 0;
    }
    double best() const { return *std::min_element(values.begin(), values.end()); }
};

/// What is expected of a point: a process of what is to be small, and one of whether a point is feasible.
class Acquisition {
public:
    /// `feasible` may be none, and must outlive it.
    Acquisition(GaussianProcess value, double best, const GaussianProcess* feasible)
        : value_(std::move(value)), best_(best), feasible_(feasible), isFlat_(!(value_.noiseDeviation() > 0)) {}

    std::vector<double> of(const std::vector<std::vector<double>>& shares) const {
        std::vector<double> scores(shares.size(), 0);
        if (!isFlat_) {
            const std::vector<GaussianProcess::Prediction> predicted = value_.at(shares);
            for (std::size_t i = 0; i < scores.size(); ++i)
                scores[i] = logExpectedImprovement(predicted[i].mean, predicted[i].deviation, best_);
        }
        if (feasible_ == nullptr) return scores;
        const std::vector<GaussianProcess::Prediction> labels = feasible_->at(shares);
        const double noise = feasible_->noiseDeviation();
        for (std::size_t i = 0; i < scores.size(); ++i) {
            // Above 0 is feasible: least squares classification (Rasmussen, Williams, section 6.5).
            const double spread = std::sqrt(labels[i].deviation * labels[i].deviation + noise * noise + 1e-12);
            scores[i] += logNormalProbability(labels[i].mean / spread);
        }
        return scores;
    }
    /// Takes a point that is being evaluated for one as good as the best known: the constant liar of Ginsbourger, Le
    /// Riche, Carraro, "Kriging is well-suited to parallelize optimization", 2010.
    void lie(const std::vector<double>& shares) { value_.add(shares, best_); }

private:
    GaussianProcess value_;
    double best_;
    const GaussianProcess* feasible_;
    /// All values are alike, so that nothing is expected to be better: only whether a point is feasible counts.
    bool isFlat_;
};

class BayesianSearch {
public:
    explicit BayesianSearch(SearchSession& session) : session_(session), random_(session.problem().seed, 1) {}

    void run() {
        const MethodProblem& problem = session_.problem();
        const std::size_t batch =
            problem.population > 0 ? std::min(kMaxBatch, static_cast<std::size_t>(problem.population)) : kBatch;
        // Twice as many as variables, but not most of the budget.
        const std::size_t wanted = std::max<std::size_t>(8, 2 * (freeVariables(problem.variables).size() + 1));
        const auto max = std::max<std::size_t>(4, static_cast<std::size_t>(problem.points / 2));
        record(session_.begin(std::min(wanted, max)));
        while (!session_.isOver()) record(next(batch));
    }

private:
    void record(std::vector<Individual> individuals) {
        for (Individual& each : individuals) {
            each.shares = sharesOf(session_.variables(), each.point);
            evaluated_.push_back(std::move(each));
        }
    }

    /// Proposes and evaluates a batch.
    std::vector<Individual> next(std::size_t batch) {
        const bool areSeveral = session_.problem().objectives > 1;
        const std::optional<GaussianProcess> feasible = feasibility();
        std::optional<Acquisition> acquisition;
        std::vector<std::vector<double>> pending;
        return session_.evaluateNew(batch, [&](std::size_t place) {
            // Asked again for the same place, it has proposed a known point: a random one nearby may be new.
            if (place < pending.size()) return neighbour(pending[place], 0.1);
            if (!acquisition || areSeveral) {
                acquisition.emplace(model(feasible ? &*feasible : nullptr));
                for (const std::vector<double>& each : pending) acquisition->lie(each);
            }
            std::vector<double> proposed = proposal(*acquisition, pending);
            acquisition->lie(proposed);
            pending.push_back(proposed);
            return proposed;
        });
    }

    /// Places of values of which a process is made: of more than it may have the best ones and others evenly.
    static std::vector<std::size_t> modelledPlaces(const std::vector<double>& values) {
        if (values.size() <= kModelled) return someOf(values.size(), kModelled);
        const std::vector<std::size_t> order =
            sortedNumbers(values.size(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        std::vector<std::size_t> kept;
        const std::size_t best = kModelled / 2, rest = order.size() - best;
        for (std::size_t i = 0; i < best; ++i) kept.push_back(order[i]);
        for (std::size_t i = 0; i < kModelled - best; ++i) kept.push_back(order[best + i * rest / (kModelled - best)]);
        std::sort(kept.begin(), kept.end());
        return kept;
    }

    /// A process of the values at some places of the points.
    GaussianProcess processOf(const std::vector<std::size_t>& points, const std::vector<double>& values,
                              const std::vector<std::size_t>& places) const {
        std::vector<std::vector<double>> shares;
        std::vector<double> theirs;
        for (const std::size_t place : places) {
            shares.push_back(evaluated_[points[place]].shares);
            theirs.push_back(values[place]);
        }
        return {session_.variables(), shares, theirs};
    }

    /// The points whose values are modelled: the feasible ones; without any those that worked, whose violation is to be
    /// small; without any of these all, and all are as good.
    struct Modelled {
        std::vector<std::size_t> points;
        bool areFeasible = false, worked = false;
    };
    Modelled modelledPoints() const {
        Modelled found;
        std::vector<std::size_t> worked;
        for (std::size_t i = 0; i < evaluated_.size(); ++i) {
            const Evaluation& evaluation = evaluated_[i].evaluation;
            if (evaluation.isFeasible()) found.points.push_back(i);
            // A violation without end says as little as a failure.
            if (!evaluation.objectives.empty() && std::isfinite(evaluation.violation)) worked.push_back(i);
        }
        found.areFeasible = !found.points.empty();
        found.worked = !worked.empty();
        if (!found.areFeasible) found.points = found.worked ? std::move(worked) : everyone();
        return found;
    }

    std::vector<std::size_t> everyone() const { return someOf(evaluated_.size(), evaluated_.size()); }

    /// A process that is 1 at the points that are modelled and -1 at the others; none where there are no others.
    std::optional<GaussianProcess> feasibility() const {
        const Modelled modelled = modelledPoints();
        if (modelled.points.size() == evaluated_.size()) return std::nullopt;
        std::vector<double> labels(evaluated_.size(), -1);
        for (const std::size_t i : modelled.points) labels[i] = 1;
        return processOf(everyone(), labels, someOf(evaluated_.size(), kModelled));
    }

    Acquisition model(const GaussianProcess* feasible) {
        const Modelled modelled = modelledPoints();
        std::vector<double> values;
        if (modelled.areFeasible)
            values = weighted(modelled.points);
        else
            for (const std::size_t i : modelled.points)
                values.push_back(modelled.worked ? evaluated_[i].evaluation.violation : 0);
        auto [process, best] = valueProcess(modelled.points, values);
        return {std::move(process), best, feasible};
    }

    /// A process of values or, where they are positive and of different sizes and the process is likelier, of their
    /// logarithms, with the least of what it is of. Box, Cox: "An analysis of transformations", Journal of the Royal
    /// Statistical Society B 26(2), 1964.
    std::pair<GaussianProcess, double> valueProcess(const std::vector<std::size_t>& points,
                                                    const std::vector<double>& values) const {
        const Standardised plain(values);
        const std::vector<std::size_t> places = modelledPlaces(plain.values);
        std::pair<GaussianProcess, double> result{processOf(points, plain.values, places), plain.best()};
        const auto [min, max] = std::minmax_element(values.begin(), values.end());
        if (*min <= 0 || *max <= kLogSpread * *min || points.size() > kModelled) return result;
        std::vector<double> logs = values;
        double jacobian = 0;
        for (double& value : logs) {
            value = elementary::log(value);
            jacobian -= value;
        }
        const Standardised other(std::move(logs));
        GaussianProcess process = processOf(points, other.values, places);
        const double scale =
            real(static_cast<std::int64_t>(values.size())) * elementary::log(plain.deviation / other.deviation);
        if (process.logLikelihood() + jacobian + scale > result.first.logLikelihood())
            result = {std::move(process), other.best()};
        return result;
    }

    /// The objective; of several their largest by random weights, each scaled to its front, and a little of their sum.
    /// Knowles: "ParEGO: a hybrid algorithm with on-line landscape approximation for expensive multiobjective
    /// optimization problems", IEEE Transactions on Evolutionary Computation 10(1), 2006.
    std::vector<double> weighted(const std::vector<std::size_t>& points) {
        const std::size_t objectives = session_.problem().objectives;
        std::vector<double> values;
        for (const std::size_t i : points) {
            const std::vector<double>& theirs = evaluated_[i].evaluation.objectives;
            values.insert(values.end(), theirs.begin(), theirs.end());
        }
        if (objectives == 1) return values;
        // Uniform on the simplex: the gaps between sorted uniform numbers.
        std::vector<double> weights;
        for (std::size_t k = 0; k + 1 < objectives; ++k) weights.push_back(random_.uniform());
        weights.push_back(1);
        std::sort(weights.begin(), weights.end());
        std::adjacent_difference(weights.begin(), weights.end(), weights.begin());
        std::vector<double> min(objectives, kInfinity), max(objectives, -kInfinity);
        for (const std::size_t i : frontOf(values, objectives))
            for (std::size_t k = 0; k < objectives; ++k) {
                min[k] = std::min(min[k], values[i * objectives + k]);
                max[k] = std::max(max[k], values[i * objectives + k]);
            }
        std::vector<double> scalars;
        for (std::size_t i = 0; i < points.size(); ++i) {
            double largest = 0, sum = 0;
            for (std::size_t k = 0; k < objectives; ++k) {
                const double extent = max[k] > min[k] ? max[k] - min[k] : 1;
                const double part = weights[k] * (values[i * objectives + k] - min[k]) / extent;
                largest = std::max(largest, part);
                sum += part;
            }
            scalars.push_back(largest + kAugmentation * sum);
        }
        // Points far behind the front only have to be known as such.
        std::vector<double> sorted = scalars;
        std::sort(sorted.begin(), sorted.end());
        const double far = sorted.front() + 3 * std::max(sorted[sorted.size() / 2] - sorted.front(), 1e-9);
        for (double& scalar : scalars) scalar = std::min(scalar, far);
        return scalars;
    }

    /// The shares of the values that shares stand for.
    std::vector<double> roundedShares(const std::vector<double>& shares) const {
        return sharesOf(session_.variables(), pointAt(session_.variables(), shares));
    }

    std::vector<double> neighbour(std::vector<double> shares, double radius) {
        const std::vector<Variable>& variables = session_.variables();
        const std::size_t always = anyFreeVariable(variables, random_);
        for (std::size_t k = 0; k < shares.size(); ++k) {
            if (k != always && random_.below(2) == 0) continue;
            const std::size_t count = valueCount(variables[k]);
            if (variables[k].isCategory) {
                shares[k] = random_.uniform();
                continue;
            }
            const double reach = std::max(radius, count > 0 ? 1.2 / static_cast<double>(count) : 0.0);
            shares[k] = std::clamp(shares[k] + reach * (2 * random_.uniform() - 1), 0.0, 1.0);
        }
        return roundedShares(shares);
    }

    bool isKnown(const std::vector<double>& shares, const std::vector<std::vector<double>>& pending) const {
        return session_.knows(shares) || std::find(pending.begin(), pending.end(), shares) != pending.end();
    }

    /// Where most is expected: of random places and such near the best points, the best moved uphill.
    std::vector<double> proposal(const Acquisition& acquisition, const std::vector<std::vector<double>>& pending) {
        std::vector<std::vector<double>> places;
        SobolSequence sequence(session_.variables().size(), random_.next());
        for (std::size_t i = 0; i < kPlaces; ++i) places.push_back(roundedShares(sequence.next()));
        for (const std::size_t i : bestKnown(12))
            for (const double radius : {0.2, 0.05, 0.01, 0.002})
                for (int k = 0; k < 8; ++k) places.push_back(neighbour(evaluated_[i].shares, radius));
        const std::vector<double> scores = acquisition.of(places);
        const std::vector<std::size_t> order =
            sortedNumbers(places.size(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
        std::vector<double> best;
        double max = -kInfinity;
        std::size_t refined = 0;
        for (const std::size_t i : order) {
            if (refined == kRefined) break;
            if (isKnown(places[i], pending)) continue;
            ++refined;
            auto [shares, score] = climbed(acquisition, places[i], scores[i], pending);
            if (score <= max && !best.empty()) continue;
            max = score;
            best = std::move(shares);
        }
        return best.empty() ? places[order.front()] : best;
    }

    /// Moves one variable at a time while that raises the score, by steps that halve.
    std::pair<std::vector<double>, double> climbed(const Acquisition& acquisition, std::vector<double> shares,
                                                   double score,
                                                   const std::vector<std::vector<double>>& pending) const {
        const std::vector<Variable>& variables = session_.variables();
        constexpr double kMinStep = 2e-4;
        constexpr int kMaxMoves = 100;
        double step = 0.1;
        for (int move = 0; move < kMaxMoves && step > kMinStep; ++move) {
            std::vector<std::vector<double>> around;
            for (std::size_t k = 0; k < shares.size(); ++k) {
                const std::size_t count = valueCount(variables[k]);
                const auto put = [&](double share) {
                    std::vector<double> moved = shares;
                    moved[k] = std::clamp(share, 0.0, 1.0);
                    moved = roundedShares(moved);
                    if (moved != shares && !isKnown(moved, pending)) around.push_back(std::move(moved));
                };
                if (variables[k].isCategory) {
                    for (const double value : variables[k].values) put(shareOf(variables[k], value));
                    continue;
                }
                const std::size_t number = count > 0 ? numberOf(variables[k], valueAt(variables[k], shares[k])) : 0;
                const double reach = step * static_cast<double>(count);
                const auto jump = static_cast<std::size_t>(std::max(1.0, reach));
                for (const int sign : {-1, 1}) {
                    if (count == 0)
                        put(shares[k] + sign * step);
                    else if (sign < 0 ? number > 0 : number + 1 < count) {
                        const std::size_t to =
                            sign < 0 ? number - std::min(number, jump) : std::min(count - 1, number + jump);
                        put(shareOf(variables[k], valueNumbered(variables[k], to)));
                    }
                }
            }
            if (around.empty()) break;
            const std::vector<double> scores = acquisition.of(around);
            const auto best = std::max_element(scores.begin(), scores.end());
            if (*best > score) {
                score = *best;
                shares = around[static_cast<std::size_t>(best - scores.begin())];
            } else
                step /= 2;
        }
        return {shares, score};
    }

    /// The best points known: by rank and then the less crowded.
    std::vector<std::size_t> bestKnown(std::size_t count) const {
        const std::vector<std::int32_t> ranks = standingRanks(evaluated_);
        const std::vector<double> distances = crowding(evaluated_, ranks);
        std::vector<std::size_t> order = sortedNumbers(evaluated_.size(), [&](std::size_t a, std::size_t b) {
            return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : distances[a] > distances[b];
        });
        order.resize(std::min(order.size(), count));
        return order;
    }

    SearchSession& session_;
    RandomStream random_;
    std::vector<Individual> evaluated_;
};

void runBayes(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    SearchSession session(problem, evaluate);
    BayesianSearch(session).run();
}

}  // namespace

/// Jones, Schonlau, Welch: "Efficient global optimization of expensive black-box functions", Journal of Global
/// Optimization 13, 1998, the expectation times the probability that a point is feasible (Schonlau, Welch, Jones:
/// "Global versus local search in constrained optimization of computer models", 1998).
Method bayesMethod() {
    return {.id = "bayes",
            .title = "Bayesian search",
            .help = "Search by a Gaussian process, for evaluations that take seconds: good points after a few hundred",
            .kind = Method::Kind::search,
            .run = runBayes,
            .count = countDifferent};
}

}  // namespace tessera::explore

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/explore/method_rows.h"
#include "core/explore/search.h"

namespace tessera::explore {

namespace {

constexpr std::size_t kMemory = 6, kMinMembers = 4;
constexpr double kBestShare = 0.11, kArchiveShare = 2.6, kOtherCategory = 0.1;

/// How a child was made: weight of differences and rate of crossover.
struct Steps {
    double weight = 0, rate = 0;
};

/// What of these made good children. A rate that was 0 in all of them stays 0 for good, as published, and is kept as a
/// number below 0.
class StepMemory {
public:
    Steps draw(RandomStream& random, NormalStream& normal) const {
        const Steps& kept = memory_[random.below(memory_.size())];
        Steps steps;
        // Cauchy, cut at 1 and drawn again below 0, as published. tan(πx) = x-coordinates' ratio of a random direction.
        while (steps.weight <= 0) {
            double x = 0, y = 0;
            do {
                x = 2 * random.uniform() - 1;
                y = random.uniform();
            } while (x * x + y * y > 1 || y == 0);
            steps.weight = std::min(1.0, kept.weight + 0.1 * x / y);
        }
        const double rate = kept.rate + 0.1 * normal.next();
        steps.rate = kept.rate < 0 ? 0 : std::clamp(rate, 0.0, 1.0);
        return steps;
    }
    /// Learns from the steps of children that were better than their parents, by how much: the Lehmer means, with gains
    /// as weights.
    void update(const std::vector<std::pair<Steps, double>>& good) {
        double all = 0;
        for (const auto& [steps, gain] : good) all += gain;
        if (good.empty() || !(all > 0) || !std::isfinite(all)) return;
        double weight = 0, weightSquare = 0, rate = 0, rateSquare = 0;
        for (const auto& [steps, gain] : good) {
            weight += gain / all * steps.weight;
            weightSquare += gain / all * steps.weight * steps.weight;
            rate += gain / all * steps.rate;
            rateSquare += gain / all * steps.rate * steps.rate;
        }
        const bool isAlwaysZero = memory_[next_].rate < 0 || !(rate > 0);
        memory_[next_] = {weightSquare / weight, isAlwaysZero ? -1 : rateSquare / rate};
        next_ = (next_ + 1) % memory_.size();
    }

private:
    std::vector<Steps> memory_ = std::vector<Steps>(kMemory, {0.5, 0.5});
    std::size_t next_ = 0;
};

class DifferentialEvolution {
public:
    explicit DifferentialEvolution(SearchSession& session)
        : session_(session),
          random_(session.problem().seed, 1),
          normal_(RandomStream(session.problem().seed, 2)),
          size_(populationOf(session.problem(), 12,
                             std::min<std::size_t>(100, 18 * freeVariables(session.variables()).size()))) {}

    void run() {
        members_ = session_.begin(size_);
        sort();
        while (!session_.isOver()) step();
    }

private:
    /// One child of every member, all of the same parents, each against its own parent.
    void step() {
        std::vector<Steps> steps;
        for (std::size_t i = 0; i < members_.size(); ++i) steps.push_back(memory_.draw(random_, normal_));
        std::vector<Individual> children =
            session_.evaluateNew(members_.size(), [&](std::size_t i) { return child(i, steps[i]); });
        std::vector<std::pair<Steps, double>> good;
        bool allFeasible = true;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::pair<int, double> now = standingOf(children[i].evaluation);
            const std::pair<int, double> before = standingOf(members_[i].evaluation);
            if (now > before) continue;
            if (now < before) {
                // What came at random says nothing of the steps.
                if (!children[i].isRandom) {
                    good.emplace_back(steps[i], before.second - now.second);
                    allFeasible = allFeasible && before.first == 0;
                }
                archive_.push_back(members_[i].shares);
            }
            members_[i] = std::move(children[i]);
        }
        // Where some have only become feasible, all count alike.
        if (!allFeasible)
            for (auto& [each, gain] : good) gain = 1;
        memory_.update(good);
        shrink();
    }

    /// A number below `count` that is none of the taken ones, which are different and rise.
    std::size_t otherThan(std::size_t count, std::initializer_list<std::size_t> taken) {
        if (count <= taken.size()) return random_.below(count);
        std::size_t number = random_.below(count - taken.size());
        for (const std::size_t each : taken) number += number >= each ? 1 : 0;
        return number;
    }

    /// From a member towards one of the best and by the difference of two others, which are neither the member nor each
    /// other.
    std::vector<double> child(std::size_t target, const Steps& steps) {
        const std::vector<Variable>& variables = session_.variables();
        const std::size_t count = members_.size();
        const auto bestCount =
            std::max<std::size_t>(2, static_cast<std::size_t>(kBestShare * static_cast<double>(count)));
        const std::vector<double>& own = members_[target].shares;
        const std::vector<double>& best = members_[random_.below(std::min(bestCount, count))].shares;
        const std::size_t first = otherThan(count, {target});
        const std::size_t second =
            otherThan(count + archive_.size(), {std::min(target, first), std::max(target, first)});
        const std::vector<double>& one = members_[first].shares;
        const std::vector<double>& other = second < count ? members_[second].shares : archive_[second - count];
        const std::size_t always = anyFreeVariable(variables, random_);
        std::vector<double> shares = own;
        for (std::size_t k = 0; k < shares.size(); ++k) {
            if (k != always && random_.uniform() >= steps.rate) continue;
            if (variables[k].isCategory) {
                const double which = random_.uniform();
                shares[k] = which < kOtherCategory               ? random_.uniform()
                            : which < (1 + kOtherCategory) / 2.0 ? best[k]
                                                                 : one[k];
                continue;
            }
            shares[k] = own[k] + steps.weight * (best[k] - own[k]) + steps.weight * (one[k] - other[k]);
            if (shares[k] < 0) shares[k] = own[k] / 2;
            if (shares[k] > 1) shares[k] = (1 + own[k]) / 2;
        }
        return shares;
    }

    void sort() {
        std::stable_sort(members_.begin(), members_.end(), [](const Individual& a, const Individual& b) {
            return standingOf(a.evaluation) < standingOf(b.evaluation);
        });
    }

    /// Fewer members as the budget is spent, in proportion.
    void shrink() {
        sort();
        const double share = static_cast<double>(session_.spent()) / static_cast<double>(session_.problem().points);
        const auto size = static_cast<double>(size_), min = static_cast<double>(std::min(size_, kMinMembers));
        const auto wanted = static_cast<std::size_t>(std::floor(size + (min - size) * share + 0.5));
        if (members_.size() > wanted) members_.resize(std::max(wanted, std::min(size_, kMinMembers)));
        const auto kept = static_cast<std::size_t>(kArchiveShare * static_cast<double>(members_.size()));
        while (archive_.size() > kept) {
            std::swap(archive_[random_.below(archive_.size())], archive_.back());
            archive_.pop_back();
        }
    }

    SearchSession& session_;
    RandomStream random_;
    NormalStream normal_;
    std::size_t size_;
    StepMemory memory_;
    std::vector<Individual> members_;           ///< the best first
    std::vector<std::vector<double>> archive_;  ///< shares of parents that better children replaced
};

void runDifferential(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    if (problem.objectives > 1)
        throw UsageError(
            "differential evolution has one objective; expected a single one, or the method nsga2 or moead");
    SearchSession session(problem, evaluate);
    DifferentialEvolution(session).run();
}

}  // namespace

/// L-SHADE: Tanabe, Fukunaga: "Improving the search performance of SHADE using linear population size reduction", IEEE
/// Congress on Evolutionary Computation 2014. Categories are taken from one of the parents, at times at random.
Method differentialMethod() {
    return {.id = "de",
            .title = "Differential evolution",
            .help = "Search for the best point by differences between good ones, which adapts its steps",
            .kind = Method::Kind::search,
            .maxObjectives = 1,
            .run = runDifferential,
            .count = countDifferent};
}

}  // namespace tessera::explore

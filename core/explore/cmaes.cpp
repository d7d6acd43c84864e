#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/explore/covariance.h"
#include "core/explore/genes.h"
#include "core/explore/method_rows.h"
#include "core/explore/search.h"

namespace tessera::explore {

namespace {

constexpr double kDeviation = 0.3, kShortest = 1e-9;
constexpr std::size_t kMaxChildren = 1024;
constexpr int kIdleGenerations = 3;

/// CMA-ES with restarts of twice the children each, up to a number that a problem's population may exceed.
class CovarianceMethod {
public:
    explicit CovarianceMethod(SearchSession& session)
        : session_(session),
          random_(session.problem().seed, 1),
          normal_(RandomStream(session.problem().seed, 2)),
          genes_(geneCount(session.variables())) {
        const auto genes = static_cast<double>(std::max<std::size_t>(1, genes_));
        const auto usual = 4 + static_cast<std::size_t>(3 * elementary::log(genes));
        children_ = session.problem().population > 0 ? populationOf(session.problem(), 4, 4) : usual;
    }

    void run() {
        const std::vector<Individual> known = session_.begin(0);
        const auto best = std::min_element(known.begin(), known.end(), [](const Individual& a, const Individual& b) {
            return standingOf(a.evaluation) < standingOf(b.evaluation);
        });
        if (genes_ == 0) {
            session_.evaluateNew(1, [&](std::size_t) { return std::vector<double>(session_.variables().size(), 0.5); });
            return;
        }
        std::vector<double> mean(genes_, 0.5);
        if (best != known.end()) mean = genesOf(session_.variables(), best->point);
        while (!session_.isOver()) {
            descend(mean);
            if (session_.isOver()) return;
            children_ = std::max(children_, std::min(2 * children_, kMaxChildren));
            // New points: where there are few values, descents may end in known ones alone.
            const std::vector<Individual> fresh = session_.evaluateNew(1, [&](std::size_t) {
                std::vector<double> shares(session_.variables().size());
                for (double& share : shares) share = random_.uniform();
                return shares;
            });
            if (fresh.empty()) return;
            mean = genesOf(session_.variables(), fresh.front().point);
        }
    }

private:
    /// One descent, until it has arrived.
    void descend(const std::vector<double>& mean) {
        CovarianceAdaptation adaptation(genes_, children_, genes_ <= 20 ? 1 : 4);
        adaptation.begin(mean, kDeviation);
        std::vector<std::pair<int, double>> bests;
        int idle = 0;
        while (!session_.isOver()) {
            std::vector<std::vector<double>> moves, shares;
            for (std::size_t i = 0; i < children_; ++i) {
                moves.push_back(adaptation.move(normal_));
                shares.push_back(sharesOfGenes(session_.variables(), adaptation.genomeAt(moves.back())));
            }
            const std::int64_t before = session_.left();
            const std::vector<Individual> children = session_.evaluate(shares);
            if (children.size() < moves.size()) return;
            const auto standing = [&](std::size_t i) { return standingOf(children[i].evaluation); };
            const std::vector<std::size_t> order =
                sortedNumbers(children.size(), [&](std::size_t a, std::size_t b) { return standing(a) < standing(b); });
            adaptation.adapt(moves, order);
            bests.push_back(standing(order.front()));
            idle = session_.left() == before ? idle + 1 : 0;
            if (idle >= kIdleGenerations || hasArrived(adaptation, bests)) return;
            // As alike as all of them: nothing to go by.
            if (standing(order.front()) == standing(order.back()) && bests.size() > kIdleGenerations) return;
        }
    }

    /// Hansen's criteria: too short to matter, or no gain in a long time.
    bool hasArrived(const CovarianceAdaptation& adaptation, const std::vector<std::pair<int, double>>& bests) const {
        const auto [longest, shortest] = adaptation.deviations();
        if (longest < kShortest || shortest < 1e-7 * longest) return true;
        const std::size_t span = 10 + 30 * genes_ / children_;
        if (bests.size() < span) return false;
        const auto from = bests.end() - static_cast<std::ptrdiff_t>(span);
        const auto [min, max] = std::minmax_element(from, bests.end());
        if (min->first != max->first) return false;
        return max->second - min->second <= 1e-12 * std::fabs(max->second);
    }

    SearchSession& session_;
    RandomStream random_;
    NormalStream normal_;
    std::size_t genes_, children_ = 0;
};

void runCmaes(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    if (problem.objectives > 1)
        throw UsageError("CMA-ES has one objective; expected a single one, or the method nsga2 or moead");
    SearchSession session(problem, evaluate);
    CovarianceMethod(session).run();
}

}  // namespace

/// Restarts: Auger, Hansen: "A restart CMA evolution strategy with increasing population size", IEEE Congress on
/// Evolutionary Computation 2005. Beyond a variable's ends genes are folded back.
Method cmaesMethod() {
    return {.id = "cmaes",
            .title = "CMA-ES",
            .help = "Search for the best point by a distribution that adapts to where good ones lie, best for numbers",
            .kind = Method::Kind::search,
            .maxObjectives = 1,
            .run = runCmaes,
            .count = countDifferent};
}

}  // namespace tessera::explore

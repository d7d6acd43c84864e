#include <algorithm>
#include <utility>

#include "core/explore/method_rows.h"
#include "core/explore/search.h"

namespace tessera::explore {

namespace {

/// A population with what its members are compared by.
struct RankedPopulation {
    std::vector<Individual> members;
    std::vector<std::int32_t> ranks;
    std::vector<double> distances;

    explicit RankedPopulation(std::vector<Individual> all)
        : members(std::move(all)), ranks(standingRanks(members)), distances(crowding(members, ranks)) {}

    bool isBetter(std::size_t a, std::size_t b) const {
        return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : distances[a] > distances[b];
    }
    /// The best of them, the best first.
    std::vector<Individual> best(std::size_t count) && {
        const std::vector<std::size_t> order =
            sortedNumbers(members.size(), [&](std::size_t a, std::size_t b) { return isBetter(a, b); });
        std::vector<Individual> kept;
        for (std::size_t i = 0; i < std::min(count, order.size()); ++i) kept.push_back(std::move(members[order[i]]));
        return kept;
    }
    /// The better one of two random members.
    const std::vector<double>& parent(RandomStream& random) const {
        const std::size_t one = random.below(members.size()), other = random.below(members.size());
        return members[isBetter(other, one) ? other : one].shares;
    }
};

void runNsga2(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    SearchSession session(problem, evaluate);
    const std::size_t size = populationOf(problem, 20, 100);
    std::vector<Individual> all = session.begin(size);
    RandomStream random(problem.seed, 1);
    while (!session.isOver()) {
        const RankedPopulation parents(RankedPopulation(std::move(all)).best(size));
        std::vector<Individual> children = session.evaluateNew(size, [&](std::size_t) {
            const std::vector<double>& one = parents.parent(random);
            std::vector<double> child = crossed(problem.variables, one, parents.parent(random), random);
            mutate(problem.variables, child, random);
            return child;
        });
        all = parents.members;
        for (Individual& each : children) all.push_back(std::move(each));
    }
}

}  // namespace

/// Deb, Pratap, Agarwal, Meyarivan: "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions
/// on Evolutionary Computation 6(2), 2002. Not pagmo's, which takes no constraints, and whose powers are the
/// mathematical library's, which differ from machine to machine.
Method nsga2Method() {
    return {.id = "nsga2",
            .title = "NSGA-II",
            .help = "Genetic search for the whole front of several objectives",
            .kind = Method::Kind::search,
            .run = runNsga2,
            .count = countDifferent};
}

}  // namespace tessera::explore

#include "core/explore/genes.h"

#include "core/explore/covariance.h"

namespace tessera::explore {

namespace {

std::size_t genesFor(const Variable& variable) {
    if (valueCount(variable) == 1) return 0;
    // Of two categories one number tells which.
    return variable.isCategory && variable.values.size() > 2 ? variable.values.size() : 1;
}

}  // namespace

std::size_t geneCount(const std::vector<Variable>& variables) {
    std::size_t count = 0;
    for (const Variable& variable : variables) count += genesFor(variable);
    return count;
}

std::vector<double> genesOf(const std::vector<Variable>& variables, const Point& point) {
    std::vector<double> genes;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::size_t count = genesFor(variables[i]);
        if (count == 0) continue;
        if (count == 1) {
            genes.push_back(shareOf(variables[i], point[i]));
            continue;
        }
        const std::size_t number = numberOf(variables[i], point[i]);
        for (std::size_t k = 0; k < count; ++k) genes.push_back(k == number ? 0.75 : 0.25);
    }
    return genes;
}

std::vector<double> sharesOfGenes(const std::vector<Variable>& variables, std::span<const double> genes) {
    std::vector<double> shares;
    std::size_t next = 0;
    for (const Variable& variable : variables) {
        const std::size_t count = genesFor(variable);
        if (count == 0) {
            shares.push_back(0.5);
            continue;
        }
        std::size_t largest = 0;
        for (std::size_t k = 1; k < count; ++k)
            if (folded(genes[next + k]) > folded(genes[next + largest])) largest = k;
        shares.push_back(count == 1 ? folded(genes[next]) : shareOf(variable, valueNumbered(variable, largest)));
        next += count;
    }
    return shares;
}

}  // namespace tessera::explore

#include "core/explore/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/explore/gaussian_process.h"
#include "core/explore/table_space.h"

namespace tessera::explore {

namespace {

constexpr std::size_t kImportancePoints = 500;
constexpr std::size_t kPermutations = 4;

}  // namespace

Importance importanceOf(const std::vector<Variable>& variables, const std::vector<Point>& points,
                        std::span<const double> values) {
    Importance importance{.shares = std::vector<double>(variables.size(), 0)};
    std::vector<std::vector<double>> shares;
    std::vector<double> theirs;
    for (const std::size_t i : someOf(points.size(), kImportancePoints)) {
        shares.push_back(sharesOf(variables, points[i]));
        theirs.push_back(values[i]);
    }
    importance.points = theirs.size();
    if (variables.empty() || theirs.size() < 3 ||
        std::all_of(theirs.begin(), theirs.end(), [&](double each) { return each == theirs[0]; }))
        return importance;
    const GaussianProcess process(variables, shares, theirs);
    importance.explained = std::max(process.explained(), 0.0);
    const std::vector<double> means = process.meansAt(shares);
    const auto count = static_cast<double>(means.size());
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / count;
    double variance = 0;
    for (const double each : means) variance += (each - mean) * (each - mean) / count;
    if (!(variance > 0)) return importance;
    std::vector<std::size_t> order(means.size());
    for (std::size_t k = 0; k < variables.size(); ++k) {
        for (std::size_t draw = 0; draw < kPermutations; ++draw) {
            RandomStream random(draw, k);
            std::iota(order.begin(), order.end(), std::size_t{0});
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
            std::vector<std::vector<double>> permuted = shares;
            // Each takes the value of the next one in a random circle: never its own.
            for (std::size_t i = 0; i < order.size(); ++i)
                permuted[order[i]][k] = shares[order[(i + 1) % order.size()]][k];
            const std::vector<double> others = process.meansAt(permuted);
            for (std::size_t i = 0; i < others.size(); ++i)
                importance.shares[k] += (others[i] - means[i]) * (others[i] - means[i]) /
                                        (2 * count * variance * static_cast<double>(kPermutations));
        }
    }
    return importance;
}

Importance importanceOf(const PointTable& table, std::size_t valueColumn) {
    const TableSpace space = spaceOf(table, valueColumn);
    const Importance own = importanceOf(space.variables, space.points, space.values);
    Importance importance = own;
    importance.shares.assign(table.columns.size(), 0);
    for (std::size_t i = 0; i < space.columns.size(); ++i) importance.shares[space.columns[i]] = own.shares[i];
    return importance;
}

}  // namespace tessera::explore

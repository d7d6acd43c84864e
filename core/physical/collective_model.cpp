#include "core/physical/collective_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/elementary.h"

namespace tessera::physical {

namespace {

/// Parameters of an operation inside the links.
struct CollectiveTerms {
    double CollectiveParameters::*latency;
    double CollectiveParameters::*hop;
    double CollectiveParameters::*share;
    double CollectiveParameters::*ramp;
};
constexpr CollectiveTerms kMoveTerms{&CollectiveParameters::moveLatency, &CollectiveParameters::moveHop,
                                     &CollectiveParameters::efficiency, &CollectiveParameters::ramp};
/// By operation.
constexpr std::array<CollectiveTerms, 6> kCollectiveTerms{{
    {&CollectiveParameters::sumLatency, &CollectiveParameters::sumHop, &CollectiveParameters::efficiency,
     &CollectiveParameters::ramp},
    kMoveTerms,
    kMoveTerms,
    {&CollectiveParameters::exchangeLatency, &CollectiveParameters::exchangeHop, &CollectiveParameters::efficiency,
     &CollectiveParameters::exchangeRamp},
    {&CollectiveParameters::sendLatency, &CollectiveParameters::sumHop, &CollectiveParameters::sendShare,
     &CollectiveParameters::sendRamp},
    kMoveTerms,
}};
const CollectiveTerms& collectiveTerms(Collective operation) {
    return kCollectiveTerms[static_cast<std::size_t>(operation)];
}

/// Seconds of what moves in x seconds at full rate, with the ramp.
double collectiveRamped(double x, double kappa, double gamma) {
    return x + kappa * elementary::pow(x / kappa, gamma);
}

/// Bytes that cross a link in a ring of n, over the bytes of the operation.
double ringShare(Collective operation, int n) {
    // Each passes a message on, part by part.
    if (operation == Collective::sendReceive || operation == Collective::broadcast) return n > 1 ? 1 : 0;
    return (operation == Collective::allReduce ? 2 : 1) * (n - 1.0) / n;
}

/// Seconds at the datasheet's rate and without the share of it that is reached.
double linkSeconds(const CollectiveFabric& fabric, Collective operation, int n, double bytes) {
    const CollectiveParameters& p = fabric.parameters;
    const double seconds = bytes / fabric.linkBytesPerSecond;
    const double ring = seconds * ringShare(operation, n) / (p.*collectiveTerms(operation).share);
    if (operation == Collective::sendReceive) return ring;
    const double added = seconds * (1 + 1.0 / n) / p.switchShare;
    const bool adds = fabric.switchAdds && operation == Collective::allReduce;
    return adds ? std::min(ring, added) : ring;
}

/// Seconds of copying the own part, which shrinks as a ring grows. Together they grow, the copy being the faster one.
double ownPartSeconds(const CollectiveFabric& fabric, Collective operation, int n, double bytes) {
    if (operation == Collective::sendReceive || operation == Collective::broadcast) return 0;
    return bytes / n / (fabric.linkBytesPerSecond * fabric.parameters.copyRate);
}

double linkedSeconds(const CollectiveFabric& fabric, Collective operation, int n, double bytes) {
    if (n <= 1) return 0;
    const CollectiveParameters& p = fabric.parameters;
    const CollectiveTerms& terms = collectiveTerms(operation);
    const int hops = operation == Collective::sendReceive ? 0 : n - 2;
    const double x = linkSeconds(fabric, operation, n, bytes) + ownPartSeconds(fabric, operation, n, bytes);
    return p.*terms.latency + p.*terms.hop * hops + collectiveRamped(x, p.*terms.ramp, p.rampExponent);
}

/// Steps of the faster of ring and double binary tree between groups.
int outerSteps(int groups) {
    int doublings = 0;
    while ((std::int64_t{1} << doublings) < groups) ++doublings;
    return std::min(groups - 1, 2 * doublings);
}

/// A level beyond the links.
struct OuterLevel {
    double latency = 0;
    double rate = 0;  ///< bytes/s of a group
};
OuterLevel outerLevel(const CollectiveFabric& fabric, bool sameNode, Collective operation, int inner) {
    const CollectiveParameters& p = fabric.parameters;
    if (sameNode) return {p.hostLatency, p.hostRate};
    return {operation == Collective::sendReceive ? p.outerSend : p.outerLatency,
            p.outerRate * elementary::pow(inner, p.outerGrowth)};
}

/// Between groups of `inner` accelerators that links join.
double outerSeconds(const CollectiveFabric& fabric, const OuterLevel& level, Collective operation, int groups,
                    int inner, double bytes) {
    const CollectiveParameters& p = fabric.parameters;
    const double held = operation == Collective::allToAll ? inner * bytes : bytes;  // a group exchanges for each of it
    const double x = held * ringShare(operation, groups) / level.rate;
    const int steps = operation == Collective::sendReceive ? 1 : outerSteps(groups);
    return level.latency * steps + collectiveRamped(x, p.outerRamp, p.rampExponent);
}

}  // namespace

double collectiveModel(const CollectiveFabric& fabric, Collective operation, int accelerators, int perNode,
                       double bytes) {
    const int inNode = std::min(accelerators, perNode);
    const int inner = fabric.linked > 0 ? std::min(inNode, fabric.linked) : inNode;
    const int groups = accelerators / inner + (accelerators % inner > 0 ? 1 : 0);
    if (groups <= 1) return linkedSeconds(fabric, operation, inner, bytes);
    const bool crosses = inner == 1 || operation == Collective::sendReceive;  // nothing happens inside
    const double linked = crosses ? fabric.parameters.*collectiveTerms(operation).latency
                                  : linkedSeconds(fabric, operation, inner, bytes);
    const OuterLevel level = outerLevel(fabric, inNode == accelerators, operation, inner);
    return linked + outerSeconds(fabric, level, operation, groups, inner, bytes);
}

namespace {

/// The residual of a logarithm beyond which a row pulls with constant force. A parameter as far from its prior as
/// e pulls like such a row.
constexpr double kCollectiveHuber = 0.1;

using CollectiveMatrix = std::array<std::array<double, kCollectiveParameters + 1>, kCollectiveParameters>;
using CollectiveVector = std::array<double, kCollectiveParameters>;

/// Solves the symmetric positive system whose right side is the last column, by elimination without pivots.
CollectiveVector collectiveSolved(CollectiveMatrix m) {
    for (std::size_t i = 0; i < kCollectiveParameters; ++i)
        for (std::size_t r = i + 1; r < kCollectiveParameters; ++r) {
            const double ratio = m[r][i] / m[i][i];
            for (std::size_t c = i; c <= kCollectiveParameters; ++c) m[r][c] -= ratio * m[i][c];
        }
    CollectiveVector x{};
    for (std::size_t i = kCollectiveParameters; i-- > 0;) {
        double sum = m[i][kCollectiveParameters];
        for (std::size_t c = i + 1; c < kCollectiveParameters; ++c) sum -= m[i][c] * x[c];
        x[i] = sum / m[i][i];
    }
    return x;
}

double collectiveModelLog(const CollectiveFabric& fabric, const CollectiveRow& row) {
    const CollectiveSeries& series = *row.series;
    return elementary::log(
        collectiveModel(fabric, series.operation, series.accelerators, series.perNode, row.sample.bytes));
}

}  // namespace

double collectiveResidual(const CollectiveFabric& fabric, const CollectiveRow& row) {
    return elementary::log(row.sample.seconds) - collectiveModelLog(fabric, row);
}

namespace {

double collectiveLossOf(double residual) {
    const double size = std::fabs(residual);
    return size <= kCollectiveHuber ? residual * residual / 2 : kCollectiveHuber * (size - kCollectiveHuber / 2);
}

/// The logarithm of a parameter over its prior.
double awayFromPrior(const CollectiveFabric& fabric, std::size_t i) {
    return elementary::log(fabric.parameters.*kCollectiveFields[i] / kCollectivePrior.*kCollectiveFields[i]);
}

double collectiveLoss(const CollectiveFabric& fabric, std::span<const CollectiveRow> rows) {
    double sum = 0;
    for (const CollectiveRow& row : rows) sum += collectiveLossOf(collectiveResidual(fabric, row));
    for (std::size_t i = 0; i < kCollectiveParameters; ++i) {
        const double pull = kCollectiveHuber * awayFromPrior(fabric, i);
        sum += pull * pull / 2;
    }
    return sum;
}

CollectiveFabric collectiveMoved(CollectiveFabric fabric, const CollectiveVector& steps) {
    CollectiveParameters& p = fabric.parameters;
    for (std::size_t i = 0; i < kCollectiveParameters; ++i)
        p.*kCollectiveFields[i] *= elementary::exp(std::clamp(steps[i], -1.0, 1.0));
    p.efficiency = std::min(p.efficiency, 1.0);
    p.sendShare = std::min(p.sendShare, 1.0);
    p.rampExponent = std::min(p.rampExponent, 0.9);
    return fabric;
}

void addEffect(CollectiveMatrix& m, const CollectiveEffect& effect) {
    const double size = std::fabs(effect.residual);
    const double weight = size <= kCollectiveHuber ? 1 : kCollectiveHuber / size;
    for (std::size_t i = 0; i < kCollectiveParameters; ++i) {
        const double slope = weight * effect.slope[i];
        if (slope == 0) continue;
        for (std::size_t j = 0; j < kCollectiveParameters; ++j) m[i][j] += slope * effect.slope[j];
        m[i][kCollectiveParameters] += slope * effect.residual;
    }
}

void addPrior(CollectiveMatrix& m, const CollectiveFabric& fabric) {
    constexpr double kWeight = kCollectiveHuber * kCollectiveHuber;
    for (std::size_t i = 0; i < kCollectiveParameters; ++i) {
        m[i][i] += kWeight;
        m[i][kCollectiveParameters] -= kWeight * awayFromPrior(fabric, i);
    }
}

std::vector<CollectiveEffect> collectiveEffects(const CollectiveFabric& fabric, std::span<const CollectiveRow> rows) {
    std::vector<CollectiveEffect> effects;
    for (const CollectiveRow& row : rows) effects.push_back(collectiveEffect(fabric, row));
    return effects;
}

}  // namespace

CollectiveEffect collectiveEffect(const CollectiveFabric& fabric, const CollectiveRow& row) {
    constexpr double kStep = 1e-5;
    const double here = collectiveModelLog(fabric, row);
    CollectiveEffect effect{.residual = elementary::log(row.sample.seconds) - here};
    for (std::size_t i = 0; i < kCollectiveParameters; ++i) {
        CollectiveFabric there = fabric;
        there.parameters.*kCollectiveFields[i] *= 1 + kStep;
        effect.slope[i] = (collectiveModelLog(there, row) - here) / kStep;
    }
    return effect;
}

CollectiveFabric collectiveStep(const CollectiveFabric& fabric, std::span<const CollectiveEffect> effects,
                                double damping) {
    CollectiveMatrix m{};
    for (const CollectiveEffect& effect : effects) addEffect(m, effect);
    addPrior(m, fabric);
    for (std::size_t i = 0; i < kCollectiveParameters; ++i) m[i][i] *= 1 + damping;
    return collectiveMoved(fabric, collectiveSolved(m));
}

CollectiveParameters fitCollectives(CollectiveFabric fabric, std::span<const CollectiveRow> rows) {
    constexpr int kIterations = 100;
    double loss = collectiveLoss(fabric, rows), damping = 1e-3;
    for (int iteration = 0; iteration < kIterations && damping < 1e6; ++iteration) {
        const CollectiveFabric next = collectiveStep(fabric, collectiveEffects(fabric, rows), damping);
        const double nextLoss = collectiveLoss(next, rows), gain = loss - nextLoss;
        damping *= gain > 0 ? 0.2 : 5;
        if (gain <= 0) continue;
        fabric = next;
        loss = nextLoss;
        if (gain < 1e-9 * loss) break;
    }
    return fabric.parameters;
}

std::vector<CollectiveRow> rowsOfFabric(std::size_t fabric) {
    std::vector<CollectiveRow> rows;
    for (const CollectiveSeries& series : collectiveSeries())
        if (series.fabric == fabric)
            for (const CollectiveSample& sample : series.samples) rows.push_back({&series, sample});
    return rows;
}

}  // namespace tessera::physical

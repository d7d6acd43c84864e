#include "core/codesign/schedule/schedule_price.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/codesign/schedule/schedule_flow.h"

namespace tessera::codesign {

namespace {

/// What tensor cores, vector cores and pairs cost together, as shares of a moment.
struct Shares {
    double tensor = 0, vector = 0, pair = 0;

    double sum() const { return tensor + vector + pair; }
    bool operator==(const Shares&) const = default;
};
constexpr std::array kParts{&Shares::tensor, &Shares::vector, &Shares::pair};

Prices coresAt(const Piece& piece, const Shares& shares) {
    // No more cores than operators are ever busy.
    const auto perCore = [&](double share, std::int64_t cores) {
        return share / static_cast<double>(std::min(cores, static_cast<std::int64_t>(piece.size())));
    };
    const double tensor = perCore(shares.tensor, piece.cores.tensor),
                 vector = perCore(shares.vector, piece.cores.vector), pair = perCore(shares.pair, piece.pairs());
    Prices prices;
    for (const CoreKind kind : piece.kinds)
        prices.push_back(kind == CoreKind::tensor   ? tensor
                         : kind == CoreKind::vector ? vector
                                                    : tensor + vector + pair);
    return prices;
}

struct Weighed {
    Shares shares;
    double bound = 0;
};

/// The cores alone, in sixteenths.
Shares bestOfCores(const Piece& piece) {
    constexpr int kSteps = 16;
    Weighed best;
    for (int tensor = kSteps; tensor >= 0; --tensor)
        for (int vector = kSteps - tensor; vector >= 0; --vector) {
            const Shares shares{.tensor = tensor / static_cast<double>(kSteps),
                                .vector = vector / static_cast<double>(kSteps),
                                .pair = (kSteps - tensor - vector) / static_cast<double>(kSteps)};
            const double bound = boundUnder(piece, coresAt(piece, shares));
            if (bound > best.bound) best = {shares, bound};
        }
    return best.shares;
}

Prices withPaths(const Piece& piece, const Shares& shares) {
    Prices prices = coresAt(piece, shares);
    const std::vector<double> paths = pathShares(piece, prices, 1 - shares.sum());
    for (std::size_t i = 0; i < prices.size(); ++i) prices[i] += paths[i];
    return prices;
}

/// Paths and cores together, from paths alone in ever smaller steps: the bound is concave in the shares.
Prices bestWithPaths(const Piece& piece) {
    Shares at;
    Prices best = withPaths(piece, at);
    double bound = boundUnder(piece, best);
    for (const double step : {0.25, 0.0625})
        for (const auto part : kParts)
            for (const double direction : {step, -step})
                for (bool rose = true; rose;) {
                    Shares next = at;
                    next.*part += direction;
                    rose = next.*part >= 0 && next.sum() <= 1;
                    if (!rose) break;
                    Prices prices = withPaths(piece, next);
                    const double reached = boundUnder(piece, prices);
                    rose = reached > bound;
                    if (!rose) break;
                    at = next;
                    bound = reached;
                    best = std::move(prices);
                }
    return best;
}

}  // namespace

double minCost(const Piece& piece, const Prices& prices, std::size_t i) {
    return piece.exclusive[i] ? piece.serial[i] : std::min(piece.serial[i], piece.single[i] * prices[i]);
}

double boundUnder(const Piece& piece, const Prices& prices) {
    double bound = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) bound += minCost(piece, prices, i);
    return bound;
}

std::vector<Prices> pricesFor(const Piece& piece) {
    std::vector<Prices> chosen;
    const auto choose = [&](Prices prices) {
        if (std::find(chosen.begin(), chosen.end(), prices) == chosen.end()) chosen.push_back(std::move(prices));
    };
    choose(bestWithPaths(piece));
    choose(coresAt(piece, bestOfCores(piece)));
    const auto anyOf = [&](CoreKind kind) {
        return std::find(piece.kinds.begin(), piece.kinds.end(), kind) != piece.kinds.end();
    };
    // Late in a schedule one kind of cores alone decides.
    const bool tensor = anyOf(CoreKind::tensor), vector = anyOf(CoreKind::vector), fused = anyOf(CoreKind::fused);
    if (tensor || fused) choose(coresAt(piece, {.tensor = 1}));
    if (vector || fused) choose(coresAt(piece, {.vector = 1}));
    if (fused && tensor && vector) choose(coresAt(piece, {.pair = 1}));
    chosen.resize(std::min(chosen.size(), kMaxPrices));
    return chosen;
}

void evenOut(Prices& prices, const std::vector<Symmetry>& symmetries) {
    // Smaller blocks come first, so that a larger one has them even already.
    for (const Symmetry& symmetry : symmetries)
        for (std::size_t place = 0; place < symmetry.blocks.front().size(); ++place) {
            double sum = 0;
            for (const std::vector<std::size_t>& block : symmetry.blocks) sum += prices[block[place]];
            for (const std::vector<std::size_t>& block : symmetry.blocks)
                prices[block[place]] = sum / static_cast<double>(symmetry.blocks.size());
        }
}

}  // namespace tessera::codesign

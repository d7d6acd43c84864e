#include "core/codesign/schedule_price.h"

#include <algorithm>
#include <cstdint>

namespace tessera::codesign {

namespace {

struct Weighed {
    Prices prices;
    double bound = 0;
};

/// `shares` of the whole budget for tensor cores, vector cores and pairs.
Prices pricesOf(const Piece& piece, double tensorShare, double vectorShare, double pairShare) {
    // No more cores than operators are ever busy.
    const auto perCore = [&](double share, std::int64_t cores) {
        return share / static_cast<double>(std::min(cores, static_cast<std::int64_t>(piece.size())));
    };
    return {.tensor = perCore(tensorShare, piece.cores.tensor),
            .vector = perCore(vectorShare, piece.cores.vector),
            .pair = perCore(pairShare, piece.pairs())};
}

double boundUnder(const Piece& piece, const Prices& prices) {
    double bound = 0;
    for (std::size_t i = 0; i < piece.size(); ++i)
        bound +=
            piece.alone[i] ? piece.serial[i] : std::min(piece.serial[i], piece.single[i] * prices.rate(piece.kinds[i]));
    return bound;
}

}  // namespace

double Prices::rate(CoreKind kind) const {
    if (kind == CoreKind::tensor) return tensor;
    if (kind == CoreKind::vector) return vector;
    return tensor + vector + pair;
}

std::vector<Prices> pricesFor(const Piece& piece) {
    constexpr int kSteps = 16;
    std::vector<Weighed> all;
    for (int tensor = kSteps; tensor >= 0; --tensor)
        for (int vector = kSteps - tensor; vector >= 0; --vector) {
            const Prices prices =
                pricesOf(piece, tensor / static_cast<double>(kSteps), vector / static_cast<double>(kSteps),
                         (kSteps - tensor - vector) / static_cast<double>(kSteps));
            all.push_back({prices, boundUnder(piece, prices)});
        }
    std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) { return a.bound > b.bound; });
    std::vector<Prices> chosen{all.front().prices};
    const auto choose = [&](const Prices& prices) {
        const auto same = [&](const Prices& other) {
            return other.tensor == prices.tensor && other.vector == prices.vector && other.pair == prices.pair;
        };
        if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(prices);
    };
    const auto anyOf = [&](CoreKind kind) {
        return std::find(piece.kinds.begin(), piece.kinds.end(), kind) != piece.kinds.end();
    };
    // Late in a schedule one kind of cores alone decides.
    if (anyOf(CoreKind::tensor) || anyOf(CoreKind::fused)) choose(pricesOf(piece, 1, 0, 0));
    if (anyOf(CoreKind::vector) || anyOf(CoreKind::fused)) choose(pricesOf(piece, 0, 1, 0));
    if (anyOf(CoreKind::fused) && anyOf(CoreKind::tensor) && anyOf(CoreKind::vector)) choose(pricesOf(piece, 0, 0, 1));
    chosen.resize(std::min(chosen.size(), kMostPrices));
    return chosen;
}

}  // namespace tessera::codesign

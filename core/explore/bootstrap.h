#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/poll.h"
#include "core/base/random.h"
#include "core/explore/sensitivity.h"

namespace tessera::explore {

/// The value of a statistic of samples and its percentile interval over samples drawn from them with replacement.
/// Efron, Tibshirani: "An Introduction to the Bootstrap", 1993. `statistic` takes how often each of the samples counts,
/// and may answer NaN, which is left out. Of fewer than two samples the interval is NaN.
template <typename Statistic>
Estimate bootstrapped(std::size_t samples, std::uint64_t seed, double probability, const Statistic& statistic) {
    constexpr std::size_t kResamples = 1000;
    Estimate estimate;
    std::vector<double> times(samples, 1);
    estimate.value = statistic(times);
    estimate.low = estimate.high = std::numeric_limits<double>::quiet_NaN();
    if (samples < 2) return estimate;
    std::vector<double> drawn;
    for (std::size_t draw = 0; draw < kResamples; ++draw) {
        poll(1 + samples / 100);
        RandomStream random(seed, draw);
        std::fill(times.begin(), times.end(), 0);
        for (std::size_t i = 0; i < samples; ++i) ++times[random.below(samples)];
        const double value = statistic(times);
        if (!std::isnan(value)) drawn.push_back(value);
    }
    if (drawn.empty()) return estimate;
    std::sort(drawn.begin(), drawn.end());
    const auto at = [&](double share) {
        return drawn[static_cast<std::size_t>(std::floor(share * static_cast<double>(drawn.size() - 1) + 0.5))];
    };
    estimate.low = at((1 - probability) / 2);
    estimate.high = at((1 + probability) / 2);
    return estimate;
}

}  // namespace tessera::explore

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/base/elementary.h"
#include "core/base/random.h"
#include "core/predict/predict.h"

/// How sure an order of predictions is.
namespace tessera::predict {

namespace {

constexpr std::size_t kDraws = 10'000;

/// Standard normal numbers by Marsaglia's polar method ("A convenient method for generating normal variables", SIAM
/// Review 6(3), 1964), two at a time.
std::vector<double> normalNumbers(std::uint64_t seed, std::uint64_t stream, std::size_t count) {
    RandomStream random(seed, stream);
    std::vector<double> numbers;
    while (numbers.size() < count) {
        const double u = 2 * random.uniform() - 1, v = 2 * random.uniform() - 1;
        const double square = u * u + v * v;
        if (square >= 1 || square == 0) continue;
        const double factor = elementary::sqrt(-2 * elementary::log(square) / square);
        numbers.push_back(u * factor);
        if (numbers.size() < count) numbers.push_back(v * factor);
    }
    return numbers;
}

struct MetricRow {
    std::string_view id;
    std::optional<double> (*value)(const Prediction& prediction);
};

const std::array<MetricRow, 2>& metricRows() {
    static const std::array<MetricRow, 2> kMetrics{
        {{"throughput_samples_per_s", [](const Prediction& one) { return std::optional(one.throughput); }},
         {"samples_per_usd", [](const Prediction& one) { return one.samplesPerUsd; }}}};
    return kMetrics;
}

/// A predicted value's logarithm and how it is drawn.
struct Drawn {
    double logarithm = 0;
    double own = 0, shared = 0;  ///< standard deviations of the two parts of its error
    const std::vector<double>* draws = nullptr;

    double at(std::size_t draw, const std::vector<double>& common) const {
        return logarithm + own * (*draws)[draw] + shared * common[draw];
    }
};

/// The share of the draws in which every value, times its error, is at least the next one's.
double probabilityOf(const std::vector<Drawn>& values, const std::vector<double>& common) {
    std::size_t held = 0;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
        bool holds = true;
        for (std::size_t i = 0; holds && i + 1 < values.size(); ++i)
            holds = values[i].at(draw, common) >= values[i + 1].at(draw, common);
        held += holds ? 1 : 0;
    }
    return static_cast<double>(held) / static_cast<double>(kDraws);
}

}  // namespace

double spreadOf(std::string_view reliability) {
    // The mean deviation of 6.9 % that the paper measured with kernels measured on the hardware is that of a normal
    // distribution with this standard deviation. The others are this program's assumptions.
    constexpr double kMeasured = 0.0865, kDatasheet = 0.3, kAssumed = 0.5;
    return reliability == "measured" ? kMeasured : reliability == "datasheet" ? kDatasheet : kAssumed;
}

double spreadOf(const RelativeError& error) {
    return elementary::log(1 + error.high) / kNinetieth;
}

double spreadOf(const std::vector<UncertainTime>& parts) {
    double sum = 0, time = 0;
    for (const UncertainTime& part : parts) {
        sum += part.time.value * part.spread;
        time += part.time.value;
    }
    return time > 0 ? sum / time : 0;
}

RelativeError errorOf(std::string_view reliability, double spread) {
    const double far = kNinetieth * spread;
    return {.low = elementary::exp(-far) - 1,
            .high = elementary::exp(far) - 1,
            .reliability = std::string(reliability),
            .shared = 0};
}

RelativeError errorOf(std::string_view reliability) {
    return errorOf(reliability, spreadOf(reliability));
}

double probabilityOfMore(double value, const RelativeError& error, double other, const RelativeError& otherError) {
    if (!(value > 0) || !(other > 0)) return value > other ? 1 : value < other ? 0 : 0.5;
    const double one = spreadOf(error), two = spreadOf(otherError), shared = std::min(error.shared, otherError.shared);
    // What both err by alike differs only where one of them errs by more of it.
    const double spread = elementary::sqrt((1 - shared) * (one * one + two * two) + shared * (one - two) * (one - two));
    const double ahead = elementary::log(value / other);
    if (!(spread > 0)) return ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5;
    return 0.5 * std::erfc(-ahead / (spread * std::sqrt(2.0)));
}

std::vector<Ranking> rankingsOf(const std::vector<Prediction>& predictions, std::uint64_t seed) {
    std::vector<std::int64_t> counts;
    std::vector<std::string> accelerators;
    for (const Prediction& one : predictions) {
        if (std::find(counts.begin(), counts.end(), one.devices) == counts.end()) counts.push_back(one.devices);
        if (std::find(accelerators.begin(), accelerators.end(), one.accelerator) == accelerators.end())
            accelerators.push_back(one.accelerator);
    }
    // An accelerator errs alike at every number of devices.
    std::vector<std::vector<double>> draws;
    const std::size_t needed = accelerators.size() > 1 ? kDraws : 0;  // one alone is not ranked
    for (std::size_t i = 0; i < accelerators.size(); ++i) draws.push_back(normalNumbers(seed, i, needed));
    const std::vector<double> common = normalNumbers(seed, accelerators.size(), needed);
    std::vector<Ranking> rankings;
    for (const MetricRow& metric : metricRows())
        for (const std::int64_t devices : counts) {
            std::vector<const Prediction*> found;
            for (const Prediction& one : predictions)
                if (one.devices == devices && !one.infeasible && metric.value(one)) found.push_back(&one);
            if (found.empty()) continue;
            std::stable_sort(found.begin(), found.end(), [&](const Prediction* a, const Prediction* b) {
                return *metric.value(*a) > *metric.value(*b);
            });
            Ranking ranking{.metric = std::string(metric.id), .devices = devices, .order = {}, .probability = 1};
            std::vector<Drawn> values;
            for (const Prediction* one : found) {
                ranking.order.push_back(one->accelerator);
                const double spread = spreadOf(one->error), shared = one->error.shared;
                const auto place = std::find(accelerators.begin(), accelerators.end(), one->accelerator);
                values.push_back({.logarithm = elementary::log(*metric.value(*one)),
                                  .own = spread * elementary::sqrt(1 - shared),
                                  .shared = spread * elementary::sqrt(shared),
                                  .draws = &draws[static_cast<std::size_t>(place - accelerators.begin())]});
            }
            if (found.size() > 1) ranking.probability = probabilityOf(values, common);
            rankings.push_back(std::move(ranking));
        }
    return rankings;
}

}  // namespace tessera::predict

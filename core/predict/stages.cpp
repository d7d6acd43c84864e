#include "core/predict/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"

namespace tessera::predict {

// Communication -------------------------------------------------------------------------------------------------------

namespace {

double log2Of(double value) {
    return elementary::log(value) / elementary::log(2.0);
}

/// Steps of a tree over so many devices.
double heightOf(std::int64_t devices) {
    double height = 0;
    for (std::int64_t reached = 1; reached < devices; reached *= 2) ++height;
    return height;
}

std::optional<Seconds> measuredCollective(const AllReduce& exchange) {
    if (exchange.measured == nullptr) return std::nullopt;
    return measuredAllReduce(*exchange.measured, exchange.bytes, exchange.devices);
}

/// Reduce-scatter and all-gather, each in n − 1 steps of a share 1/n (Patarasuk, Yuan, J. Parallel Distrib. Comput.
/// 69(2), 2009).
std::optional<Seconds> ring(const AllReduce& exchange) {
    if (!exchange.rate) return std::nullopt;
    const auto devices = static_cast<double>(exchange.devices);
    return exchange.bytes / *exchange.rate * (2 * (devices - 1) / devices) + exchange.latency * (2 * (devices - 1));
}

/// Up a binary tree and down again, all bytes at every step.
std::optional<Seconds> tree(const AllReduce& exchange) {
    if (!exchange.rate) return std::nullopt;
    return (exchange.bytes / *exchange.rate + exchange.latency) * (2 * heightOf(exchange.devices));
}

/// Equation 4: the gradients of a device to the server.
std::optional<Seconds> parameterServer(const AllReduce& exchange) {
    if (!exchange.rate) return std::nullopt;
    return exchange.bytes / *exchange.rate + exchange.latency;
}

}  // namespace

const std::vector<Collective>& collectives() {
    static const std::vector<Collective> kCollectives{
        {"measured", "measured all-reduces, between their sizes and for other device counts", "all_reduce", false,
         measuredCollective},
        {"ring", "all-reduce around a ring", "network_bits_per_s", false, ring},
        {"tree", "all-reduce up and down a binary tree", "network_bits_per_s", false, tree},
        {"parameter-server", "each device sends its gradients to a server", "network_bits_per_s", true,
         parameterServer},
    };
    return kCollectives;
}

const Collective& collectiveNamed(std::string_view id) {
    return rowNamed(collectives(), id, "there is no collective");
}

Seconds measuredTime(Bytes bytes, BytesPerSecond rate) {
    return bytes / rate;
}

namespace {

/// What each link of a ring carries, of the bytes that are summed.
double ringShare(std::int64_t devices) {
    return 2 * static_cast<double>(devices - 1) / static_cast<double>(devices);
}

/// A measured sum as one between so many devices.
struct SumOfSize {
    double bytes = 0, rate = 0;
};

/// By size, rising; of equal sizes the mean rate.
std::vector<SumOfSize> sumsFor(const std::vector<hardware::MeasuredCollective>& measured, std::int64_t devices) {
    const auto distance = [&](std::int64_t count) {
        return std::fabs(log2Of(static_cast<double>(devices) / static_cast<double>(count)));
    };
    std::optional<std::int64_t> nearest;
    for (const hardware::MeasuredCollective& one : measured)
        if (one.devices && (!nearest || distance(*one.devices) < distance(*nearest))) nearest = one.devices;
    std::map<double, std::vector<double>> rates;
    for (const hardware::MeasuredCollective& one : measured) {
        if (one.devices && one.devices != nearest) continue;
        const bool other = one.devices && *one.devices > 1 && devices > 1;
        const double scale = other ? ringShare(*one.devices) / ringShare(devices) : 1;
        rates[one.bytes.value].push_back(one.bandwidth.value * scale);
    }
    std::vector<SumOfSize> sums;
    for (const auto& [bytes, all] : rates)
        sums.push_back({bytes, std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size())});
    return sums;
}

/// Between the measured sizes in logarithms, beyond them that of the last.
double rateAt(const std::vector<SumOfSize>& sums, double bytes) {
    const auto above = std::lower_bound(sums.begin(), sums.end(), bytes,
                                        [](const SumOfSize& sum, double size) { return sum.bytes < size; });
    if (above == sums.end()) return sums.back().rate;
    if (above == sums.begin() || above->bytes == bytes) return above->rate;
    const SumOfSize& below = *(above - 1);
    const double share = elementary::log(bytes / below.bytes) / elementary::log(above->bytes / below.bytes);
    return elementary::exp((1 - share) * elementary::log(below.rate) + share * elementary::log(above->rate));
}

}  // namespace

std::optional<Seconds> measuredAllReduce(const std::vector<hardware::MeasuredCollective>& measured, Bytes bytes,
                                         std::int64_t devices) {
    const std::vector<SumOfSize> sums = sumsFor(measured, devices);
    if (sums.empty()) return std::nullopt;
    Seconds time = measuredTime(bytes, BytesPerSecond{rateAt(sums, bytes.value)});
    for (const SumOfSize& smaller : sums)
        if (smaller.bytes < bytes.value)
            time = std::max(time, measuredTime(Bytes{smaller.bytes}, BytesPerSecond{smaller.rate}));
    return time;
}

Bytes compressed(double elements, double bits, double density) {
    constexpr double kPlaceBits = 32;
    return {elements * density * (bits + (density < 1 ? kPlaceBits : 0)) / 8};
}

// Loading -------------------------------------------------------------------------------------------------------------

LoadingTime loadingTime(const hardware::Dataset& dataset, const hardware::Accelerator& accelerator) {
    LoadingTime time;
    if (!accelerator.hostBandwidth)
        throw DataError({.file = accelerator.file, .field = "host_bandwidth_bytes_per_s"}, "missing",
                        "the bandwidth to the host, which loading a dataset needs");
    if (dataset.load && dataset.hostBandwidth)
        time.load = *dataset.load * ratio(*dataset.hostBandwidth, *accelerator.hostBandwidth);
    else
        time.load = dataset.sampleBytes / *accelerator.hostBandwidth;
    if (!dataset.prepare) {
        time.assumptions.push_back(
            fmt::format("Preparing samples is not counted: dataset {} gives no time for it.", escaped(dataset.name)));
        return time;
    }
    time.prepare = *dataset.prepare;
    if (dataset.hostPeak && accelerator.hostPeak)
        time.prepare = *dataset.prepare * ratio(*dataset.hostPeak, *accelerator.hostPeak);
    else
        time.assumptions.push_back(fmt::format(
            "Samples are prepared as fast for {} as on the machine that measured it.", escaped(accelerator.name)));
    return time;
}

// Overlap -------------------------------------------------------------------------------------------------------------

Seconds stepTime(Seconds load, Seconds compute, Seconds communication, bool asynchronous) {
    if (asynchronous) return std::max({load, compute, communication});
    return std::max(load, compute + communication);
}

// Model parallelism ---------------------------------------------------------------------------------------------------

std::vector<std::int32_t> cutChain(const std::vector<double>& weights, std::int64_t parts) {
    double low = 0, high = 0;
    for (const double weight : weights) {
        low = std::max(low, weight);
        high += weight;
    }
    const auto cut = [&](double max) {
        std::vector<std::int32_t> stretch;
        std::int32_t current = 0;
        double sum = 0;
        for (const double weight : weights) {
            if (!stretch.empty() && sum + weight > max) {
                ++current;
                sum = 0;
            }
            sum += weight;
            stretch.push_back(current);
        }
        return stretch;
    };
    constexpr int kHalvings = 60;
    for (int i = 0; i < kHalvings && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        const std::vector<std::int32_t> stretch = cut(middle);
        (stretch.empty() || stretch.back() < parts ? high : low) = middle;
    }
    return cut(high);
}

}  // namespace tessera::predict

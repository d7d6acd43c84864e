#include "core/calibrate/streams.h"

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "core/calibrate/measuring.h"

// This file alone is compiled for wider vectors than the baseline, by functions that are chosen at run time, and with
// contraction to fused multiply-adds: it measures the machine, no result depends on how it rounds.
#if defined(__x86_64__)
#define TESSERA_WIDE 1
#endif

namespace tessera::calibrate {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kRounds = 20'000;  // of the peak's loop, about 0.1 ms
constexpr std::size_t kChains = 12;      // independent multiply-adds that hide their latency

template <typename Number, std::size_t kBytes>
struct Vector {
    using Type [[gnu::vector_size(kBytes)]] = Number;
};

template <std::size_t kBytes>
[[gnu::always_inline]] inline void scaleBody(const float* from, float* to, std::size_t count, float factor) {
    using Lane = typename Vector<float, kBytes>::Type;
    constexpr std::size_t kLanes = kBytes / sizeof(float);
    const auto* const in = reinterpret_cast<const Lane*>(from);
    auto* const out = reinterpret_cast<Lane*>(to);
    const std::size_t vectors = count / kLanes;
    for (std::size_t i = 0; i + 4 <= vectors; i += 4) {
        out[i] = in[i] * factor;
        out[i + 1] = in[i + 1] * factor;
        out[i + 2] = in[i + 2] * factor;
        out[i + 3] = in[i + 3] * factor;
    }
}

template <typename Number, std::size_t kBytes>
[[gnu::always_inline]] inline double multiplyAddBody(std::size_t rounds, Number factor, Number addend) {
    using Lane = typename Vector<Number, kBytes>::Type;
    Lane sums[kChains] = {};
    const Lane by = Lane{} + factor, plus = Lane{} + addend;
    // Equal chains would be computed once.
    for (std::size_t chain = 0; chain < kChains; ++chain) sums[chain] = plus * static_cast<Number>(chain);
    for (std::size_t round = 0; round < rounds; ++round)
#pragma GCC unroll 12
        for (Lane& sum : sums) sum = sum * by + plus;
    double total = 0;
    for (const Lane& sum : sums)
        for (std::size_t i = 0; i < kBytes / sizeof(Number); ++i) total += static_cast<double>(sum[i]);
    return total;
}

using Scale = void (*)(const float*, float*, std::size_t, float);
template <typename Number>
using MultiplyAdd = double (*)(std::size_t, Number, Number);

void scale16(const float* from, float* to, std::size_t count, float factor) {
    scaleBody<16>(from, to, count, factor);
}
double add16(std::size_t rounds, float factor, float addend) {
    return multiplyAddBody<float, 16>(rounds, factor, addend);
}
double add16d(std::size_t rounds, double factor, double addend) {
    return multiplyAddBody<double, 16>(rounds, factor, addend);
}
#if defined(TESSERA_WIDE)
[[gnu::target("avx2,fma")]] void scale32(const float* from, float* to, std::size_t count, float factor) {
    scaleBody<32>(from, to, count, factor);
}
[[gnu::target("avx2,fma")]] double add32(std::size_t rounds, float factor, float addend) {
    return multiplyAddBody<float, 32>(rounds, factor, addend);
}
[[gnu::target("avx2,fma")]] double add32d(std::size_t rounds, double factor, double addend) {
    return multiplyAddBody<double, 32>(rounds, factor, addend);
}
[[gnu::target("avx512f")]] void scale64(const float* from, float* to, std::size_t count, float factor) {
    scaleBody<64>(from, to, count, factor);
}
[[gnu::target("avx512f")]] double add64(std::size_t rounds, float factor, float addend) {
    return multiplyAddBody<float, 64>(rounds, factor, addend);
}
[[gnu::target("avx512f")]] double add64d(std::size_t rounds, double factor, double addend) {
    return multiplyAddBody<double, 64>(rounds, factor, addend);
}
#endif

/// The widest loops that this processor runs.
struct Loops {
    Scale scale = scale16;
    MultiplyAdd<float> single = add16;
    MultiplyAdd<double> twice = add16d;
    std::size_t bytes = 16;
};
Loops widest() {
#if defined(TESSERA_WIDE)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return {scale64, add64, add64d, 64};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {scale32, add32, add32d, 32};
#endif
    return {};
}

struct Free {
    void operator()(float* place) const { std::free(place); }
};
using Array = std::unique_ptr<float, Free>;

Array arrayOf(std::size_t count) {
    const std::size_t bytes = std::max((count * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    Array array(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    if (!array) throw std::bad_alloc();
    std::fill_n(array.get(), bytes / sizeof(float), 1.0F);
    return array;
}

/// Runs `work` on every thread, all from the same moment, and returns the seconds of the one that took longest: how
/// long threads take to start is none of the memory's business.
template <typename Work>
double together(unsigned threads, const Clock& now, const Work& work) {
    std::vector<double> own(threads);
    std::barrier begin(threads);
    const auto run = [&](unsigned thread) {
        begin.arrive_and_wait();
        const double before = now();
        work(thread);
        own[thread] = now() - before;
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&run, i] { run(i); });
    run(0);
    others.clear();
    return *std::max_element(own.begin(), own.end());
}

}  // namespace

double streamRate(std::size_t bytes, unsigned threads, double seconds, const Clock& now, const RunControl& control) {
    constexpr double kOneSample = 2e-3;
    constexpr std::size_t kMin = 3;
    const Loops loops = widest();
    const std::size_t count = std::max<std::size_t>(bytes / 2 / sizeof(float) / 64 * 64, 64);
    std::vector<Array> from, to;
    for (unsigned i = 0; i < threads; ++i) {
        from.push_back(arrayOf(count));
        to.push_back(arrayOf(count));
    }
    std::size_t passes = 1;
    const auto sample = [&] {
        return together(threads, now, [&](unsigned thread) {
            for (std::size_t pass = 0; pass < passes; ++pass)
                loops.scale(from[thread].get(), to[thread].get(), count, 1.5F);
        });
    };
    const double started = now();
    // Twice, since something else may have had the processor the first time.
    while (std::min(sample(), sample()) < kOneSample && passes < std::size_t{1} << 24U) {
        control.throwIfCancelled(kCalibration);
        passes *= 2;
    }
    std::vector<double> times;
    while (times.size() < kMin || now() - started < seconds) {
        control.throwIfCancelled(kCalibration);
        times.push_back(sample());
        if (times.back() <= 0) break;
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    const double moved = 2.0 * static_cast<double>(count * sizeof(float) * passes * threads);
    return moved / std::max(times[times.size() / 2], 1e-9);
}

double peakRate(std::size_t bytesEach, unsigned threads, double seconds, const Clock& now, const RunControl& control) {
    const Loops loops = widest();
    const std::size_t lanes = loops.bytes / bytesEach;
    const double each = 2.0 * static_cast<double>(kChains * kRounds * lanes * threads);
    double best = 0;
    volatile double used = 0;  // keeps the loop
    std::vector<double> sums(threads);
    const double started = now();
    while (best <= 0 || now() - started < seconds) {
        control.throwIfCancelled(kCalibration);
        constexpr int kSamples = 16;
        const double time = together(threads, now, [&](unsigned thread) {
            for (int i = 0; i < kSamples; ++i)
                sums[thread] +=
                    bytesEach == sizeof(float) ? loops.single(kRounds, 0.5F, 1.0F) : loops.twice(kRounds, 0.5, 1.0);
        });
        used = used + sums[0];
        if (time > 0) best = std::max(best, kSamples * each / time);
    }
    return best;
}

}  // namespace tessera::calibrate

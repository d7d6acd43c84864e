#pragma once

#include <benchmark/benchmark.h>
#include <errno.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace tessera::bench {

/// On which side of its bound a measured number has to be.
enum class Side : std::uint8_t { atMost, atLeast };

/// A promise of speed, or of what a search finds in its time.
struct Target {
    /// What is promised, as the beginning of a sentence that goes on with "takes" or "reaches": "Opening a history of
    /// 100,000 runs".
    std::string what;
    double bound = 0;
    std::string unit = "s";  ///< empty = it is counted
    Side side = Side::atMost;
};

/// "0.62 s", "31 ms", "12 MB", "540,000 /s": short enough to be read beside its bound.
inline std::string numberText(double value, const std::string& unit) {
    if (unit == "s" && value > 0 && value < 0.1)
        return value < 1e-4 ? fmt::format("{:.3g} µs", value * 1e6) : fmt::format("{:.3g} ms", value * 1e3);
    std::string digits = value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
    if (value >= 1000)
        for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return unit.empty() ? digits : digits + " " + unit;
}

/// Whether a measured number keeps a promise.
inline bool isMet(const Target& target, double measured) {
    return target.side == Side::atMost ? measured <= target.bound : measured >= target.bound;
}

/// Holds a benchmark to a target, once its iterations are over: the measured number and the bound become counters, and
/// a label says so where the target is missed. That is no error: how fast a machine is that has other things to do says
/// nothing of the program, and its time still stands in ratios with others. Where the environment variable
/// TESSERA_TARGETS names a file, it gets a line of program, what, case, "at most" or "at least", target, measured,
/// unit, "met" or "missed", with tabs between them; `tests/bench/targets` makes its table of them. `of` tells cases of
/// one target apart
/// ("resnet50 on 64"). A benchmark that has failed already is not held to anything.
inline void hold(benchmark::State& state, const Target& target, double measured, const std::string& of = {}) {
    if (state.error_occurred()) return;
    const bool met = isMet(target, measured);
    const char* side = target.side == Side::atMost ? "at most" : "at least";
    state.counters["measured"] = measured;
    state.counters["target"] = target.bound;
    if (const char* file = std::getenv("TESSERA_TARGETS"); file != nullptr && *file != '\0')
        std::ofstream(file, std::ios::app)
            << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", program_invocation_short_name, target.what, of, side,
                           target.bound, measured, target.unit, met ? "met" : "missed");
    if (met) return;
    const std::string sentence =
        fmt::format("{} {} {}; target {} {}", target.what, target.side == Side::atMost ? "takes" : "reaches",
                    numberText(measured, target.unit), side, numberText(target.bound, target.unit));
    state.SetLabel(sentence);
}

/// The time for which the threads of this process compute, from now on: what else the machine does is not counted.
class ProcessorClock {
public:
    double seconds() const { return now() - begun_; }
    /// Seconds of each iteration.
    double each(const benchmark::State& state) const { return seconds() / static_cast<double>(state.iterations()); }

private:
    static double now() {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    double begun_ = now();
};

}  // namespace tessera::bench

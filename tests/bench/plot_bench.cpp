#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstddef>

#include "core/draw/chart_layout.h"
#include "core/draw/picture.h"
#include "tests/bench/target.h"

/// A frame of a chart of 100,000 points must take less than 50 ms; its layout, measured here, gets 25 of them.
namespace tessera::report {
namespace {

Chart chartOf(Mark mark) {
    Chart chart{.id = "points", .title = "Points"};
    chart.x = {.title = "Samples"};
    chart.y = {.title = "Step time", .measure = Measure::seconds};
    Series series{.id = "a", .name = "a", .mark = mark, .colour = "#2F6FDE"};
    for (std::size_t i = 0; i < 100000; ++i) {
        series.x.push_back(static_cast<double>(i));
        series.y.push_back(0.5 + 0.25 * std::sin(static_cast<double>(i) * 0.37));
    }
    chart.series = {std::move(series)};
    return chart;
}

void frame(benchmark::State& state, Mark mark) {
    const Chart chart = chartOf(mark);
    double seconds = 0;
    for (auto unused : state) {
        const auto start = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(layOut(chart, {}, {960, 420}, estimatedWidth));
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    bench::hold(state, {.what = "The layout of a chart of 100,000 points", .bound = 0.025},
                seconds / static_cast<double>(state.iterations()), mark == Mark::line ? "curve" : "cloud");
}

void layOutCurve(benchmark::State& state) {
    frame(state, Mark::line);
}
void layOutCloud(benchmark::State& state) {
    frame(state, Mark::points);
}
BENCHMARK(layOutCurve)->Unit(benchmark::kMillisecond);
BENCHMARK(layOutCloud)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::report

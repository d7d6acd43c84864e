// Explorations of very many points: fronts, hypervolumes, and what a method takes for each point beside its evaluation.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/explore/front.h"
#include "core/explore/hypervolume.h"
#include "core/explore/method.h"
#include "core/explore/surface.h"
#include "tests/bench/target.h"

namespace tessera::explore {
namespace {

/// Points of a cube, few of them on the front, or of a sphere, all of them on it.
const std::vector<double>& benchPoints(std::size_t objectives, bool isSphere) {
    static std::vector<double> kept[2][8];
    std::vector<double>& values = kept[isSphere ? 1 : 0][objectives];
    if (!values.empty()) return values;
    RandomStream random(objectives);
    std::vector<double> point(objectives);
    for (int i = 0; i < 100'000; ++i) {
        double square = 0;
        for (double& value : point) {
            value = random.uniform() + 1e-9;
            square += value * value;
        }
        for (const double value : point) values.push_back(isSphere ? 1 - value / std::sqrt(square) : value);
    }
    return values;
}

/// Runs work, and holds each time of it to a target; `shares` are the parts of the work of which the target speaks.
template <typename Work>
void timed(benchmark::State& state, const bench::Target& target, const std::string& of, const Work& work,
           double shares = 1) {
    const bench::ProcessorClock clock;
    for (auto _ : state) work();
    bench::hold(state, target, clock.each(state) / shares, of);
}

std::string pointsText(std::size_t objectives, bool isSphere) {
    return std::to_string(objectives) + " objectives, " + (isSphere ? "all on it" : "few on it");
}

void exploreFront(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::vector<double>& values = benchPoints(objectives, state.range(1) != 0);
    std::size_t size = 0;
    const bench::Target few{.what = "The front of 100,000 points in up to 3 objectives", .bound = 0.05};
    const bench::Target many{.what = "The front of 100,000 points in 4 objectives", .bound = 2.5};
    timed(state, objectives <= 3 ? few : many, pointsText(objectives, state.range(1) != 0),
          [&] { size = frontOf(values, objectives).size(); });
    state.counters["front"] = static_cast<double>(size);
}

void exploreRanks(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::span<const double> values = std::span(benchPoints(objectives, false)).first(10'000 * objectives);
    timed(state, {.what = "Ranking 10,000 points", .bound = 2.5}, std::to_string(objectives) + " objectives",
          [&] { benchmark::DoNotOptimize(ranksOf(values, objectives)); });
}

void exploreHypervolume(benchmark::State& state) {
    const std::span<const double> values = std::span(benchPoints(3, true)).first(30'000);
    const std::vector<double> reference(3, 1);
    timed(state, {.what = "The hypervolume of 10,000 points in 3 objectives", .bound = 0.05}, {},
          [&] { benchmark::DoNotOptimize(hypervolume(values, 3, reference)); });
}

void exploreGrowingHypervolume(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::vector<double>& values = benchPoints(objectives, state.range(1) != 0);
    const std::vector<double> reference(objectives, 1);
    timed(state, {.what = "The hypervolume after each of 100,000 points", .bound = 2.5},
          pointsText(objectives, state.range(1) != 0),
          [&] { benchmark::DoNotOptimize(hypervolumeAfterEach(values, objectives, reference)); });
}

void exploreMethod(benchmark::State& state, const std::string& method, std::size_t objectives) {
    MethodProblem problem{.objectives = objectives, .points = 10'000};
    for (int i = 0; i < 10; ++i) problem.variables.push_back({.name = "x", .low = 0, .high = 1});
    const EvaluatePoints evaluate = [&](std::span<const Point> points) {
        std::vector<Evaluation> answers;
        for (const Point& point : points) {
            std::vector<double>& values = answers.emplace_back().objectives;
            for (std::size_t k = 0; k < objectives; ++k)
                values.push_back((point[k] - 0.3) * (point[k] - 0.3) - point[k + 1]);
        }
        return answers;
    };
    timed(
        state, {.what = "A point of a method, beside its evaluation,", .bound = 50e-6}, method,
        [&] { methodNamed(method).run(problem, evaluate); }, static_cast<double>(problem.points));
}

void exploreSurface(benchmark::State& state) {
    std::vector<Variable> variables;
    for (int i = 0; i < 6; ++i) variables.push_back({.name = "x", .low = 0, .high = 1});
    RandomStream random(1);
    std::vector<Point> points;
    std::vector<double> values;
    for (int i = 0; i < state.range(0); ++i) {
        Point& point = points.emplace_back(6);
        for (double& value : point) value = random.uniform();
        values.push_back(point[0] * point[1] - point[2] * point[2] + 0.1 * point[3]);
    }
    timed(state, {.what = "A response surface of up to 2,000 points", .bound = 2},
          std::to_string(state.range(0)) + " points",
          [&] { benchmark::DoNotOptimize(responseSurface(variables, points, values, 0, 1, Point(6, 0.5))); });
}

}  // namespace

BENCHMARK(exploreFront)->ArgsProduct({{2, 3}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(exploreFront)->Name("long/exploreFront")->ArgsProduct({{4}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(exploreRanks)->DenseRange(2, 4)->Unit(benchmark::kMillisecond);
BENCHMARK(exploreHypervolume)->Unit(benchmark::kMillisecond);
BENCHMARK(exploreGrowingHypervolume)->ArgsProduct({{2, 3}, {0}})->Unit(benchmark::kMillisecond);
BENCHMARK(exploreGrowingHypervolume)
    ->Name("long/exploreGrowingHypervolume")
    ->ArgsProduct({{2, 3}, {1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreMethod, sobol, "sobol", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreMethod, nsga2, "nsga2", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreMethod, moead, "moead", 3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreMethod, de, "de", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreMethod, cmaes, "cmaes", 1)->Unit(benchmark::kMillisecond);
BENCHMARK(exploreSurface)->Name("long/exploreSurface")->Arg(500)->Arg(2000)->Unit(benchmark::kMillisecond);

}  // namespace tessera::explore

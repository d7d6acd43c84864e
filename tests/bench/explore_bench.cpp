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
#include "tests/support/work.h"

namespace tessera::explore {
namespace {

constexpr double kFrontMilliseconds = 50;             // of 10⁵ points in two or three objectives
constexpr double kVolumeMilliseconds = 50;            // of 10⁴ points in three objectives
constexpr double kGrowingMilliseconds = 2500;         // of 10⁵ points, one after the other
constexpr double kManyObjectivesMilliseconds = 2500;  // of 10⁵ points in four objectives
constexpr double kPointMicroseconds = 50;             // of a method beside the evaluation
constexpr double kSurfaceMilliseconds = 2000;         // of 2,000 points

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

/// Runs work, and says that it is too slow where each time takes longer than the bound.
template <typename Work>
void timed(benchmark::State& state, double bound, const Work& work) {
    const double begun = test::workMilliseconds();
    for (auto _ : state) work();
    const double each = (test::workMilliseconds() - begun) / static_cast<double>(state.iterations());
    state.counters["processor_ms"] = each;
    if (each > bound * test::kSlowerBuild) state.SkipWithError("slower than the bound");
}

void exploreFront(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::vector<double>& values = benchPoints(objectives, state.range(1) != 0);
    std::size_t size = 0;
    timed(state, objectives <= 3 ? kFrontMilliseconds : kManyObjectivesMilliseconds,
          [&] { size = frontOf(values, objectives).size(); });
    state.counters["front"] = static_cast<double>(size);
}

void exploreRanks(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::span<const double> values = std::span(benchPoints(objectives, false)).first(10'000 * objectives);
    timed(state, kManyObjectivesMilliseconds, [&] { benchmark::DoNotOptimize(ranksOf(values, objectives)); });
}

void exploreHypervolume(benchmark::State& state) {
    const std::span<const double> values = std::span(benchPoints(3, true)).first(30'000);
    const std::vector<double> reference(3, 1);
    timed(state, kVolumeMilliseconds, [&] { benchmark::DoNotOptimize(hypervolume(values, 3, reference)); });
}

void exploreGrowingHypervolume(benchmark::State& state) {
    const auto objectives = static_cast<std::size_t>(state.range(0));
    const std::vector<double>& values = benchPoints(objectives, state.range(1) != 0);
    const std::vector<double> reference(objectives, 1);
    timed(state, kGrowingMilliseconds,
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
    timed(state, kPointMicroseconds * 1e-3 * static_cast<double>(problem.points),
          [&] { methodNamed(method).run(problem, evaluate); });
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
    timed(state, kSurfaceMilliseconds,
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

// Explorations: what a point takes beside the engine's own time, and with the engines that answer in a millisecond.
#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/members.h"
#include "core/study/option_table.h"
#include "core/study/study.h"
#include "tests/support/work.h"

namespace tessera::study {
namespace {

constexpr unsigned kProcessors = 2;
constexpr double kOverhead = 50e-6;                                      // seconds of a point beside its engine's
constexpr double kTenThousand = 5;                                       // seconds of 10,000 points on two processors
constexpr double kSecondsOfPoint = kTenThousand * kProcessors / 10'000;  // of one of them

/// An engine that takes no time: the sum of two numbers, and of a file's.
struct Sum {
    double value = 0;
};
struct Numbers {
    double a = 0, b = 0;
};
const OptionTable<Numbers>& numbersTable() {
    static const OptionTable<Numbers> kTable{
        {"a", "--a X", &Numbers::a, Values::number(-1e9, 1e9), "one number"},
        {"b", "--b X", &Numbers::b, Values::number(-1e9, 1e9), "the other"},
    };
    return kTable;
}
constexpr DocumentKind kSumKind{"tessera.sum-result/1", "sum"};
constexpr auto kSumDocument = [](auto& doc, auto& sum, auto& /*result*/) { doc("sum", sum.value); };

Engine sumEngine() {
    return {.id = "sum",
            .title = "Sum",
            .description = "Adds numbers.",
            .hardwareKind = {},
            .models = InputArity::none,
            .hardware = InputArity::none,
            .parameters = []() -> const std::vector<Parameter>& { return numbersTable().parameters(); },
            .run =
                [](const Study& study, const RunContext&) {
                    const Numbers numbers = numbersTable().of(study);
                    Result result;
                    result.study = study;
                    result.outcome = Sum{numbers.a * numbers.a + numbers.b};
                    return result;
                },
            .estimate = [](const Study&) { return Estimate{.text = "at once", .seconds = 1e-6, .problems = {}}; },
            .resultSchema = "tessera.sum-result/1",
            .write = [](const Result& result,
                        const TextSink& write) { writeDocument<Sum>(result, write, kSumKind, kSumDocument); },
            .read = [](const JsonNode& document,
                       const Study& study) { return readDocument<Sum>(document, study, kSumKind, kSumDocument); },
            .headline = [](const Result&) { return std::string("sum"); },
            .metrics =
                [](const Result& result) {
                    return std::vector<Metric>{{.name = "sum",
                                                .title = "Sum",
                                                .owner = "",
                                                .value = result.outcome.get<Sum>().value,
                                                .better = Metric::Better::lower}};
                }};
}

Study benchExploration(const std::string& study, const std::string& rest) {
    return readStudy(
        JsonDocument::parse(R"({"schema": "tessera.exploration/1", "study": )" + study + ", " + rest + "}", "bench")
            .root());
}

/// Points of an exploration on one processor, and what each takes of it.
void explorePoints(benchmark::State& state, const Study& study, double bound, const char* what) {
    RunContext context;
    context.threads = 1;
    context.progress = [](const ProgressEvent&) {};
    const double points = study.parameters->at("points").get<double>();
    const std::clock_t begun = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(run(study, context));
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    const double each = seconds / static_cast<double>(state.iterations()) / points;
    state.counters["µs/point"] = each * 1e6;
    if (each > bound * test::kSlowerBuild) state.SkipWithError(what);
}

void exploreNothing(benchmark::State& state, const std::string& objectives, const std::string& method) {
    if (findEngine("sum") == nullptr) addEngine(sumEngine());
    explorePoints(
        state,
        benchExploration(
            R"({"engine": "sum"})",
            R"("variables": [{"parameter": "a", "low": -5, "high": 5}, {"parameter": "b", "low": -5, "high": 5}],
                                      "points": 10000, "stop_after": 10000, "method": ")" +
                method + R"(", "objectives": [)" + objectives + "]"),
        kOverhead, "more than 50 µs of a point beside its engine's time");
}
BENCHMARK_CAPTURE(exploreNothing, random, R"("sum")", "random")
    ->Name("explore/overhead of samples")
    ->Unit(benchmark::kMillisecond);
// Thousands of these points are on the front.
BENCHMARK_CAPTURE(exploreNothing, front, R"("sum", "a:max", "b:max")", "random")
    ->Name("explore/overhead in three objectives")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exploreNothing, nsga2, R"("sum", "a:max")", "nsga2")
    ->Name("explore/overhead of a search")
    ->Unit(benchmark::kMillisecond);

void explorePredict(benchmark::State& state) {
    explorePoints(
        state,
        benchExploration(
            R"({"engine": "predict", "models": ["zoo:resnet50"], "hardware": ["h100"], "parameters": {"devices": "8", "batch": 256}})",
            R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": 1e12, "high": 9e12},
                                       {"name": "price", "field": "accelerators.h100.price_per_hour_usd", "low": 1, "high": 9}],
                         "objectives": ["throughput_samples_per_s"], "method": "random", "points": 1000)"),
        kSecondsOfPoint, "more than 5 s of 10,000 predictions on two processors");
}
BENCHMARK(explorePredict)->Name("explore/predict")->Unit(benchmark::kMillisecond);

void explorePlan(benchmark::State& state) {
    explorePoints(
        state,
        benchExploration(
            R"({"engine": "plan", "models": ["zoo:llama3-70b"], "hardware": ["dgx-h100x64"],
                          "parameters": {"global_batch": 1024, "fix": "tp=8,pp=8,dp=8,cp=1,mb=1,zero=1,vp=1,recompute=none,schedule=1f1b"}})",
            R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": 1e12, "high": 9e12},
                                       {"name": "links", "field": "fleet.levels[0].bandwidth_bytes_per_s", "low": 1e11, "high": 1e12}],
                         "objectives": ["step_time_s"], "method": "random", "points": 1000)"),
        kSecondsOfPoint, "more than 5 s of 10,000 plans that are given on two processors");
}
BENCHMARK(explorePlan)->Name("explore/plan")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::study

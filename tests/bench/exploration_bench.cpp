// Explorations: what a point takes beside the engine's own time, and with the engines that answer in a millisecond.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/members.h"
#include "core/study/option_table.h"
#include "core/study/study.h"
#include "tests/bench/target.h"

namespace tessera::study {
namespace {

constexpr unsigned kProcessors = 2;
constexpr double kTenThousand = 10'000;

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

/// Seconds of a processor for each point of an exploration.
double explorePoints(benchmark::State& state, const Study& study) {
    RunContext context;
    context.threads = 1;
    context.progress = [](const ProgressEvent&) {};
    const double points = study.parameters->at("points").get<double>();
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(run(study, context));
    const double each = clock.each(state) / points;
    state.counters["µs/point"] = each * 1e6;
    return each;
}

/// Points of an engine that two processors share, which have 5 s for 10,000 of them.
void exploreWithinFive(benchmark::State& state, const char* what, const Study& study) {
    bench::hold(state, {.what = what, .bound = 5}, explorePoints(state, study) * kTenThousand / kProcessors);
}

void exploreNothing(benchmark::State& state, const std::string& objectives, const std::string& method) {
    if (findEngine("sum") == nullptr) addEngine(sumEngine());
    const double each = explorePoints(
        state, benchExploration(
                   R"({"engine": "sum"})",
                   R"("variables": [{"parameter": "a", "low": -5, "high": 5}, {"parameter": "b", "low": -5, "high": 5}],
                                      "points": 10000, "stop_after": 10000, "method": ")" +
                       method + R"(", "objectives": [)" + objectives + "]"));
    bench::hold(state, {.what = "A point of an exploration, beside its engine's own time,", .bound = 50e-6}, each,
                method + " by " + objectives);
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

/// What a run of the history adds: its state is handed on again and again, and whoever has it takes a copy.
void exploreKept(benchmark::State& state) {
    if (findEngine("sum") == nullptr) addEngine(sumEngine());
    const Study study = benchExploration(
        R"({"engine": "sum"})",
        R"("variables": [{"parameter": "a", "low": -5, "high": 5}, {"parameter": "b", "low": -5, "high": 5}],
           "points": 100000, "method": "random", "objectives": ["sum", "a:max"])");
    RunContext context;
    context.threads = 1;
    context.progress = [](const ProgressEvent&) {};
    HeldJson kept;
    std::size_t handed = 0;
    context.checkpoint = [&](const Json& checkpoint) {
        kept = checkpoint;
        ++handed;
    };
    const bench::ProcessorClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(run(study, context));
    const double each = clock.each(state) / 100'000;
    state.counters["µs/point"] = each * 1e6;
    state.counters["checkpoints"] = static_cast<double>(handed);
    bench::hold(state, {.what = "A point of an exploration, beside its engine's own time,", .bound = 50e-6}, each,
                "100,000 points that are kept");
}
BENCHMARK(exploreKept)->Name("explore/overhead of checkpoints")->Unit(benchmark::kMillisecond);

void explorePredict(benchmark::State& state) {
    exploreWithinFive(
        state, "Evaluating predict 10,000 times, hardware varying, on two cores,",
        benchExploration(
            R"({"engine": "predict", "models": ["zoo:resnet50"], "hardware": ["h100"], "parameters": {"devices": "8", "batch": 256}})",
            R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": 1e12, "high": 9e12},
                                       {"name": "price", "field": "accelerators.h100.price_per_hour_usd", "low": 1, "high": 9}],
                         "objectives": ["throughput_samples_per_s"], "method": "random", "points": 1000)"));
}
BENCHMARK(explorePredict)->Name("explore/predict")->Unit(benchmark::kMillisecond);

/// Another batch is another training step, so that little of one point is of use to the next.
void explorePredictOfBatches(benchmark::State& state) {
    exploreWithinFive(
        state, "Evaluating predict 10,000 times, batch varying, on two cores,",
        benchExploration(R"({"engine": "predict", "models": ["zoo:resnet50"], "hardware": ["a100"]})",
                         R"("variables": [{"name": "samples", "parameter": "batch", "low": 1, "high": 1024},
                                           {"name": "count", "parameter": "devices", "values": [1, 2, 4, 8, 16, 32, 64, 128]}],
                             "objectives": ["throughput_samples_per_s"], "method": "random", "points": 1000)"));
}
BENCHMARK(explorePredictOfBatches)->Name("explore/predict, batch varying")->Unit(benchmark::kMillisecond);

void explorePlan(benchmark::State& state) {
    exploreWithinFive(
        state, "Evaluating a given plan 10,000 times, on two cores,",
        benchExploration(
            R"({"engine": "plan", "models": ["zoo:llama3-70b"], "hardware": ["dgx-h100x64"],
                          "parameters": {"global_batch": 1024, "fix": "tp=8,pp=8,dp=8,cp=1,mb=1,zero=1,vp=1,recompute=none,schedule=1f1b"}})",
            R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": 1e12, "high": 9e12},
                                       {"name": "links", "field": "fleet.levels[0].bandwidth_bytes_per_s", "low": 1e11, "high": 1e12}],
                         "objectives": ["step_time_s"], "method": "random", "points": 1000)"));
}
BENCHMARK(explorePlan)->Name("explore/plan")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::study

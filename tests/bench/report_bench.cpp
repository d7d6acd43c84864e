// Speed of comparisons and reports.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/report/comparison_report.h"
#include "core/report/report_document.h"
#include "core/study/comparison.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/bench/target.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs of one network at many batch sizes, so that all their times differ.
std::vector<study::Result> runsOf(std::size_t count) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:resnet50"};
    study.hardware = {"accpar-heterogeneous"};
    const study::Result first = study::run(study);
    std::vector<study::Result> results;
    for (std::size_t i = 0; i < count; ++i) {
        study::Result& result = results.emplace_back(first);
        auto& found = result.outcome.get<study::PartitionOutcome>().result;
        found.batch += static_cast<double>(i);
        for (partition::Plan& plan : found.plans) {
            plan.stepTime.value *= 1 + 0.001 * static_cast<double>(i);
            plan.throughput = found.batch / plan.stepTime.value;
        }
    }
    return results;
}

void comparisonTable(benchmark::State& state) {
    const std::vector<study::Result> results = runsOf(static_cast<std::size_t>(state.range(0)));
    std::vector<const study::Result*> pointers;
    for (const study::Result& result : results) pointers.push_back(&result);
    const std::vector<std::string> titles(results.size(), "resnet50 on accpar-heterogeneous");
    double longest = 0;
    for (auto each : state) {
        const Clock::time_point start = Clock::now();
        const study::Comparison comparison = study::compare(pointers, titles);
        benchmark::DoNotOptimize(report::metricTable(comparison, false));
        longest = std::max(longest, std::chrono::duration<double>(Clock::now() - start).count());
    }
    bench::hold(state, {.what = "A table that compares up to 200 runs", .bound = 0.2}, longest,
                std::to_string(state.range(0)) + " runs");
}
BENCHMARK(comparisonTable)->Arg(8)->Arg(200)->Unit(benchmark::kMillisecond);

void reportPages(benchmark::State& state) {
    const std::vector<study::Result> results = runsOf(8);
    std::vector<report::ReportRun> runs;
    for (const study::Result& result : results) runs.push_back({.title = "", .result = &result});
    double longest = 0;
    for (auto each : state) {
        const Clock::time_point start = Clock::now();
        benchmark::DoNotOptimize(report::pdfReport("Report", runs, {.studies = true}));
        benchmark::DoNotOptimize(report::htmlReport("Report", runs, {.studies = true}));
        longest = std::max(longest, std::chrono::duration<double>(Clock::now() - start).count());
    }
    bench::hold(state, {.what = "A report of 8 runs as PDF and as HTML", .bound = 5}, longest);
}
BENCHMARK(reportPages)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

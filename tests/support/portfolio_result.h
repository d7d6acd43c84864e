#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/study/mapping/outcome.h"
#include "core/study/study.h"
#include "tests/support/paths.h"

/// Mapping results for tests of pictures and views.
namespace tessera::test {

/// One run of an algorithm on a problem that maps job j to core `cores[j]`, with a curve that falls to its value.
inline mapping::Run handMadeRun(const mapping::Problem& problem, const std::string& algorithm,
                                const std::vector<std::int32_t>& cores, double bound) {
    mapping::Run run;
    run.algorithm = algorithm;
    for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
        run.mapping.core.push_back(cores[job]);
        run.mapping.priority.push_back(static_cast<double>(job) / static_cast<double>(problem.jobs.size()));
    }
    run.values = mapping::evaluate(problem, run.mapping);
    run.value = run.values.makespan;
    run.schedule = mapping::schedule(problem, run.mapping);
    run.gap = run.value / bound - 1;
    run.optimal = run.gap < 1e-9;
    run.samples = 1000;
    run.bestAfter = 400;
    run.endedBy = run.optimal ? EndedBy::proof : EndedBy::samples;
    for (int point = 1; point <= 10; ++point) {
        const double above = run.value * (1 + 0.5 * (10 - point) / 9);
        run.convergence.push_back({.samples = 100 * point, .best = above, .mean = above * 1.1, .spread = above * 0.04});
    }
    for (int sample = 0; sample < 50; ++sample)
        run.explored.push_back({.sample = sample,
                                .x = std::cos(sample * 0.7) * (1 + sample % 5),
                                .y = std::sin(sample * 1.3) * (1 + sample % 3),
                                .value = run.value * (1 + 0.01 * (49 - sample))});
    return run;
}

/// A small result made by hand: six jobs of two models on three cores of two kinds, three algorithms; the bandwidth is
/// short while all cores run.
inline study::Result handMadePortfolio() {
    study::MappingOutcome outcome;
    outcome.platform = "S2";
    outcome.workload = "mix";
    outcome.variant = "corrected";
    outcome.bandwidthDefinition = "streaming";
    mapping::Problem& problem = outcome.problem;
    problem.name = "mix on S2";
    problem.jobs = {"conv1<a>", "conv2", "fc", "attention", "mlp", "embedding"};
    problem.cores = {"big 0", "big 1", "small"};
    for (int job = 0; job < 6; ++job) {
        for (int core = 0; core < 3; ++core) {
            problem.latency.push_back(1000.0 * (job + 1) * (core == 2 ? 1.6 : 1));
            problem.requiredBandwidth.push_back((6 - job) * (core == 2 ? 0.5 : 1.5));
            problem.energy.push_back(1e-6 * (job + 1) * (core == 2 ? 0.7 : 1));
        }
        problem.macs.push_back(1e6 * (job + 1));
    }
    problem.bandwidth = 8;
    problem.clock = Hertz{200e6};
    const auto core = [](const char* name, const char* dataflow, std::int64_t height) {
        study::CoreNumbers numbers;
        numbers.name = name;
        numbers.dataflow = dataflow;
        numbers.height = height;
        numbers.width = 64;
        return numbers;
    };
    outcome.cores = {core("big 0", "nvdla", 128), core("big 1", "nvdla", 128), core("small", "shidiannao", 32)};
    outcome.jobModels = {"resnet50", "resnet50", "resnet50", "bert", "bert", "bert"};
    outcome.jobKinds = {"conv", "dsconv", "gemm", "gemm", "gemm", "gemm"};
    outcome.samples = 1000;
    mapping::Bound& bound = outcome.result.bound;
    bound.load = bound.makespan = bound.objective = 7500;
    bound.method = "load";
    outcome.result.runs = {handMadeRun(problem, "tessera", {0, 0, 2, 1, 0, 1}, bound.objective),
                           handMadeRun(problem, "magma", {0, 1, 2, 2, 0, 1}, bound.objective),
                           handMadeRun(problem, "random", {0, 0, 2, 1, 2, 1}, bound.objective)};
    study::Result result;
    result.study = study::newStudy("mapping");
    result.study.workloads = {"mix"};
    result.study.hardware = {"s2"};
    result.inputs = {{"mix", std::string(64, 'a')}, {"s2", std::string(64, 'b')}};
    result.assumptions = {"Jobs do not depend on each other."};
    result.outcome = std::move(outcome);
    return result;
}

/// The study of a table of jobs that comes with the tests: 100 jobs on 4 cores, or on `cores` as named in the file.
inline study::Study tableStudy(const std::vector<std::string>& algorithms, int samples = 2000, double bandwidth = 16,
                               const std::string& table = "S2_mix_insts0") {
    study::Study study = study::newStudy("mapping");
    study.workloads = {(sourceDirectory() / "tests/data/magma/job_tables" / (table + ".csv")).string()};
    study.parameters["algorithms"] = algorithms;
    study.parameters["samples"] = samples;
    study.parameters["bandwidth_bytes_per_cycle"] = bandwidth;
    study.parameters["clock"] = 200e6;
    study.seed = 1;
    return study;
}

/// Solved for real, once.
inline const study::Result& mappedTable() {
    static const study::Result kResult = study::run(tableStudy({"tessera", "magma", "random"}));
    return kResult;
}

}  // namespace tessera::test

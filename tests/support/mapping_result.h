#pragma once

#include "core/study/mapping/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::test {

/// A small result made by hand: three jobs on two cores under two algorithms, one of which is proven optimal.
inline study::Result handMadeMapping() {
    using namespace mapping;
    study::Result result;
    result.study = study::newStudy("mapping");
    result.study.workloads = {"three.csv"};
    result.study.hardware = {"pair"};
    result.study.seed = 1;
    result.inputs = {{"three.csv", std::string(64, 'a')}, {"pair", std::string(64, 'b')}};
    result.assumptions = {"All cores slow down by the same factor."};

    study::MappingOutcome outcome;
    outcome.platform = "pair";
    outcome.workload = "three";
    outcome.variant = "corrected";
    outcome.bandwidthDefinition = "streaming";
    outcome.samples = 100;
    outcome.differingRows = 2;
    outcome.cores = {{.name = "HB",
                      .dataflow = "nvdla",
                      .height = 32,
                      .width = 64,
                      .flexible = false,
                      .local = Bytes{1024},
                      .shared = Bytes{1e6},
                      .clock = Hertz{200e6},
                      .sources = {{"dataflow", {"made up", "assumed"}}}},
                     {.name = "LB",
                      .dataflow = "eyeriss",
                      .height = 32,
                      .width = 64,
                      .flexible = true,
                      .local = Bytes{512},
                      .shared = Bytes{1e6},
                      .clock = Hertz{200e6},
                      .sources = {}}};
    outcome.jobModels = {"a", "b<1>", "b<1>"};
    outcome.jobKinds = {"conv", "gemm", "ffn"};
    outcome.problem = {.name = "three on pair",
                       .jobs = {"cv1", "fc<1>", "fc2"},
                       .cores = {"HB", "LB"},
                       .latency = {100, 200, 50, 40, 60, 30},
                       .requiredBandwidth = {1, 0.5, 2, 2, 1, 1},
                       .energy = {1e-6, 2e-6, 3e-6, 1e-6, 2e-6, 2e-6},
                       .macs = {1000, 500, 250},
                       .bandwidth = 4,
                       .clock = Hertz{200e6}};
    outcome.result.bound = {.longestJob = 100,
                            .load = 85,
                            .bandwidth = 55,
                            .combined = 85,
                            .makespan = 100,
                            .latency = 57,
                            .energy = 4e-6,
                            .objective = 100,
                            .method = "longest job"};
    Run best;
    best.algorithm = "magma";
    best.mapping = {.core = {0, 1, 1}, .priority = {0, 0.25, 0.5}};
    best.values = evaluate(outcome.problem, best.mapping);
    best.schedule = schedule(outcome.problem, best.mapping);
    best.value = best.values.makespan;
    best.gap = 0;
    best.optimal = true;
    best.samples = 12;
    best.bestAfter = 7;
    best.endedBy = EndedBy::proof;
    best.convergence = {{.samples = 3, .best = 140, .mean = 170, .spread = 12.5},
                        {.samples = 12, .best = 100, .mean = 120, .spread = 4}};
    best.explored = {{.sample = 0, .x = -1, .y = 0.5, .value = 140}};
    best.front = {{.values = best.values, .first = 100, .second = 4e-6, .mapping = best.mapping}};
    Run other = best;
    other.algorithm = "random";
    other.mapping = {.core = {0, 0, 1}, .priority = {0, 0.25, 0.5}};
    other.values = evaluate(outcome.problem, other.mapping);
    other.schedule = schedule(outcome.problem, other.mapping);
    other.value = other.values.makespan;
    other.gap = other.value / 100 - 1;
    other.optimal = false;
    other.endedBy = EndedBy::samples;
    other.explored.clear();
    other.front.clear();
    outcome.result.runs = {other, best};
    result.outcome = outcome;
    return result;
}

}  // namespace tessera::test

#pragma once

#include <string>
#include <utility>

#include "core/study/calibrate/study.h"

namespace tessera::test {

/// What a calibration of a small machine could have measured.
inline study::Result handMadeCalibration(bool noisy = false) {
    study::CalibrationOutcome outcome;
    calibrate::Calibration& made = outcome.made;
    hardware::Accelerator& accelerator = made.accelerator;
    made.measuredBy = "measured by tessera calibrate on 2026-11-24, a small processor, oneDNN 2.6.3, 1 thread";
    made.seconds = 29.5;
    const auto measured = [&](const std::string& path) {
        accelerator.provenance[path] = {.source = made.measuredBy, .reliability = "measured"};
    };
    accelerator.name = "this machine";
    accelerator.vendor = "a small processor";
    accelerator.placementPolicy = "off-chip";
    accelerator.peakFlops = {{"fp32", FlopsPerSecond{102.4e9}}, {"fp64", FlopsPerSecond{51.3e9}}};
    accelerator.memory = {{.name = "L1", .capacity = Bytes{32768}, .bandwidth = BytesPerSecond{2e11}, .onChip = true},
                          {.name = "DRAM", .capacity = Bytes{8e9}, .bandwidth = BytesPerSecond{1.23e10}}};
    accelerator.network = BytesPerSecond{1.1e9};
    accelerator.networkLatency = Seconds{12e-6};
    accelerator.hostBandwidth = accelerator.memory.back().bandwidth;
    accelerator.hostPeak = accelerator.peakFlops["fp32"];
    accelerator.launchOverhead = Seconds{1.5e-6};
    accelerator.allReduce = {{.bytes = Bytes{1048576}, .devices = 2, .bandwidth = BytesPerSecond{1.1e9}}};
    accelerator.efficiency["gemm"] = 0.91;
    for (const char* path :
         {"peak_flops.fp32", "peak_flops.fp64", "memory[0].capacity_bytes", "memory[0].bandwidth_bytes_per_s",
          "memory[1].capacity_bytes", "memory[1].bandwidth_bytes_per_s", "network_bits_per_s", "network_latency_s",
          "host_bandwidth_bytes_per_s", "host_peak_flops", "launch_overhead_s", "all_reduce[0].bytes",
          "all_reduce[0].devices", "all_reduce[0].bandwidth_bytes_per_s", "efficiency.gemm"})
        measured(path);
    const auto kernel = [&](const char* name, predict::KernelTable::Sizes sizes, double seconds, double spread) {
        made.kernels.measured.push_back({.request = {.kernel = name, .sizes = std::move(sizes)},
                                         .passes = {{.seconds = seconds, .spread = spread}}});
    };
    kernel("gemm", {1024, 1024, 1024}, 0.0231, 0.011);
    kernel("gemm", {64, 64, 64}, 7.1e-6, 0.052);
    kernel("relu", {16}, 1.5e-6, 0.2);
    kernel("relu", {1048576}, 3.3e-4, 0.013);
    made.kernels.repetitions = 321;
    made.kernels.dropped = 4;
    made.agreement = {.compared = 4,
                      .difference = noisy ? 0.31 : 0.021,
                      .rank = 0.998,
                      .noisy = noisy,
                      .sentence = noisy ? "This machine was noisy." : "This machine was quiet."};
    outcome.unknown = 1;
    outcome.outOfTime = 2;
    study::Result result;
    result.study = study::newStudy("calibrate");
    result.assumptions = {"One device is one process with the threads that were measured."};
    if (noisy) result.warnings = {made.agreement.sentence};
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::test

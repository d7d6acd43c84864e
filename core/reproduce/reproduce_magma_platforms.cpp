#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figures 13 and 14 of MAGMA: what platforms make of the same jobs.
namespace tessera::study {

namespace {

double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

/// Rows of the job analysis: means over all pairs of a job and a core.
void addAnalysis(Experiment& experiment, const std::vector<Prepared>& cases) {
    for (const Prepared& read : cases) {
        const std::string item = fmt::format("{} {}{}", read.cell.workload, read.cell.platform, read.reading->suffix);
        experiment.row(item, "latency_cycles", meanOf(read.problem.latency));
        experiment.row(item, "bandwidth_bytes_per_cycle", meanOf(read.problem.requiredBandwidth));
    }
}

/// MAGMA's makespans, by case.
std::vector<double> makespans(Experiment& experiment, const std::vector<Prepared>& cases) {
    std::vector<double> found(cases.size());
    experiment.each("searches", cases.size(), [&](std::size_t i) {
        found[i] = experiment.search(cases[i].problem, kMagma, experiment.samples(kSamples)).values.makespan;
    });
    return found;
}

constexpr const char* kAnalysisNote =
    "'latency_cycles' and 'bandwidth_bytes_per_cycle' are means over all jobs and sub-accelerators of the no-stall "
    "latency and the bandwidth that keeps it.";

}  // namespace

Reproduction magmaFigure13(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    constexpr std::array<std::string_view, 3> kPlatforms{"S3", "S4", "S5"};
    constexpr std::array<double, 4> kBandwidths{1, 16, 64, 256};
    Experiment experiment(figure, options, control);
    std::vector<Case> analysed, mapped;
    for (const std::string_view workload : {"vision", "language", "recommendation", "mix"})
        for (const std::string_view platform : kPlatforms) analysed.push_back({workload, platform, 256});
    for (const double bandwidth : kBandwidths)
        for (const std::string_view platform : kPlatforms) mapped.push_back({"mix", platform, bandwidth});

    addAnalysis(experiment, experiment.prepare(analysed));
    const std::vector<Prepared> cases = experiment.prepare(mapped);
    const std::vector<double> found = makespans(experiment, cases);
    // By bandwidth, platform, reading: throughput over S5's.
    const auto relative = [&](std::size_t bandwidth, std::size_t platform, std::size_t reading) {
        const auto at = [&](std::size_t p) { return (bandwidth * kPlatforms.size() + p) * kReadings.size() + reading; };
        return found[at(2)] / found[at(platform)];
    };
    for (std::size_t i = 0; i < cases.size(); ++i)
        experiment.row(cases[i].item(), "magma",
                       relative(i / kReadings.size() / kPlatforms.size(), i / kReadings.size() % kPlatforms.size(),
                                i % kReadings.size()));

    const std::size_t last = kBandwidths.size() - 1;
    for (std::size_t reading = 0; reading < kReadings.size(); ++reading) {
        const auto evidence = [&](std::size_t bandwidth) {
            return fmt::format("S3 {:.3g}, S4 {:.3g} of S5", relative(bandwidth, 0, reading),
                               relative(bandwidth, 1, reading));
        };
        const std::string_view place = placeOf(kReadings.at(reading));
        experiment.verdict("S4 has more throughput than S3 at 1 GB/s",
                           exceeds(relative(0, 1, reading), relative(0, 0, reading)), evidence(0), place);
        experiment.verdict("S5 has the most at 1 GB/s",
                           exceeds(1, relative(0, 0, reading)) && exceeds(1, relative(0, 1, reading)), evidence(0),
                           place);
        experiment.verdict(
            "S3 has more than S4, and S5 the least, at 256 GB/s",
            exceeds(relative(last, 0, reading), relative(last, 1, reading)) && exceeds(relative(last, 1, reading), 1),
            evidence(last), place);
    }
    experiment.note(kAnalysisNote);
    experiment.note("Throughput is over S5's with the same bandwidth. The paper draws its bars without their heights.");
    return std::move(experiment).finish();
}

Reproduction magmaFigure14(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    struct Pair {
        std::string_view workload, fixed, flexible;
        double bandwidth;
    };
    constexpr std::array kPairs{
        Pair{"vision", "S1", "S1-flexible", 16},  Pair{"mix", "S1", "S1-flexible", 16},
        Pair{"vision", "S3", "S3-flexible", 256}, Pair{"mix", "S3", "S3-flexible", 256},
        Pair{"vision", "S1", "S1-flexible", 1},   Pair{"mix", "S1", "S1-flexible", 1},
        Pair{"vision", "S3", "S3-flexible", 1},   Pair{"mix", "S3", "S3-flexible", 1},
    };
    constexpr std::size_t kAnalysed = 4;  ///< the pairs after these differ in bandwidth alone
    Experiment experiment(figure, options, control);
    std::vector<Case> cells;
    for (const Pair& pair : kPairs) {
        cells.push_back({pair.workload, pair.fixed, pair.bandwidth});
        cells.push_back({pair.workload, pair.flexible, pair.bandwidth});
    }
    const std::vector<Prepared> cases = experiment.prepare(cells);
    const std::vector<double> found = makespans(experiment, cases);
    constexpr std::size_t kReadingCount = kReadings.size();
    addAnalysis(experiment, {cases.begin(), cases.begin() + 2 * kAnalysed * kReadingCount});
    for (std::size_t pair = 0; pair < kPairs.size(); ++pair)
        for (std::size_t reading = 0; reading < kReadingCount; ++reading) {
            const std::size_t fixed = 2 * pair * kReadingCount + reading, flexible = fixed + kReadingCount;
            const std::string item = cases[fixed].item();
            const double share = found[flexible] / found[fixed];
            experiment.row(item, "fixed", share);
            experiment.row(item, "flexible", 1);
            experiment.verdict(
                fmt::format("on {} flexible arrays have more throughput than fixed ones", cases[fixed].name()),
                exceeds(1, share), fmt::format("fixed ones have {:.3g} of it", share), cases[fixed].place());
            const mapping::Problem &stiff = cases[fixed].problem, &loose = cases[flexible].problem;
            if (pair < kAnalysed)
                experiment.verdict(
                    fmt::format("on {} flexible arrays take less time per job and ask for more bandwidth",
                                cases[fixed].name()),
                    meanOf(loose.latency) < meanOf(stiff.latency) &&
                        meanOf(loose.requiredBandwidth) > meanOf(stiff.requiredBandwidth),
                    fmt::format("{:.3g} of the time, {:.3g} times the bandwidth",
                                meanOf(loose.latency) / meanOf(stiff.latency),
                                meanOf(loose.requiredBandwidth) / meanOf(stiff.requiredBandwidth)),
                    cases[fixed].place());
        }
    experiment.note(kAnalysisNote);
    experiment.note("Throughput is MAGMA's over that with flexible arrays. The paper draws its bars without heights.");
    return std::move(experiment).finish();
}

}  // namespace tessera::study
